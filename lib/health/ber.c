/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "health/ber.h"
#include "sweep/link.h"
#include "util/array_size.h"
#include "util/emit.h"
#include "wire/tables/tables.h"

/* ---- a rate -------------------------------------------------------------------------------- */

enum { BER_NONE_COEFFICIENT = 15, BER_NONE_MAGNITUDE = 255 };

bool ber_is_known(struct gauge_ber ber)
{
	return ber.coefficient;
}

/* Checks if no error has occurred. */
static bool ber_is_none(struct gauge_ber ber)
{
	return ber.coefficient == BER_NONE_COEFFICIENT && ber.magnitude == BER_NONE_MAGNITUDE;
}

/* Returns the coefficient of a rate at another magnitude; 0 if it is not known, or there were no errors. */
static double ber_coefficient(struct gauge_ber ber, unsigned int magnitude)
{
	double coefficient = ber.coefficient;

	if (ber_is_none(ber))
		return 0;
	for (unsigned int i = ber.magnitude; i < magnitude; i++)
		coefficient *= 10;
	for (unsigned int i = magnitude; i < ber.magnitude; i++)
		coefficient /= 10;
	return coefficient;
}

bool ber_exceeds(struct gauge_ber ber, unsigned int limit, uint64_t time_ms, uint64_t whole_ms)
{
	const double coefficient = ber_coefficient(ber, limit);

	return time_ms && time_ms < whole_ms ? coefficient * (double)time_ms > (double)whole_ms :
					       coefficient > 1;
}

void ber_put(char text[PROBLEM_VALUE_BYTES], struct gauge_ber ber)
{
	const bool tens = ber.coefficient >= 10;
	char *p = text;

	if (!ber_is_known(ber) || ber_is_none(ber)) {
		strcpy(text, !ber_is_known(ber) ? "?" : ber.coefficient ? "none seen" : "0");
		return;
	}
	*p++ = (char)('0' + (tens ? 1 : ber.coefficient));
	if (ber.coefficient > 10) {
		*p++ = '.';
		*p++ = (char)('0' + ber.coefficient - 10);
	}
	p = stpcpy(p, tens && !ber.magnitude ? "e+" : "e-");
	*emit_u64(p, tens ? (ber.magnitude ? ber.magnitude - 1u : 1u) : ber.magnitude) = 0;
}

/* Writes a limit: "1e-14". */
static void ber_put_limit(char text[PROBLEM_VALUE_BYTES], unsigned int limit)
{
	*emit_u64(stpcpy(text, "1e-"), limit) = 0;
}

/* ---- an end -------------------------------------------------------------------------------- */

/* The limits of raw rates by FECActive; what a code corrects does not depend on how lanes are interleaved. */
static const uint8_t ber_raw_limits[] = {
	[0] = RULE_BER_RAW_NONE,   [1] = RULE_BER_RAW_FIRECODE, [2] = RULE_BER_RAW_RS528,
	[3] = RULE_BER_RAW_RS528,  [4] = RULE_BER_RAW_RS544,    [5] = RULE_BER_RAW_RS544,
	[6] = RULE_BER_RAW_RS544,  [7] = RULE_BER_RAW_RS544,    [8] = RULE_BER_RAW_RS544,
	[9] = RULE_BER_RAW_RS528,  [10] = RULE_BER_RAW_RS528,   [11] = RULE_BER_RAW_RS544,
	[12] = RULE_BER_RAW_RS544, [13] = RULE_BER_RAW_RS528,   [14] = RULE_BER_RAW_RS528,
	[15] = RULE_BER_RAW_RS528, [16] = RULE_BER_RAW_RS544,   [17] = RULE_BER_RAW_RS544,
	[18] = RULE_BER_RAW_RS544,
};

/* Returns the limit of the raw rate. Without a known FEC, that of the strongest one of the speed. */
static enum rule_ber_limit ber_raw_limit(const struct ber_end *end)
{
	if (end->fec >= 0 && (size_t)end->fec < ARRAY_SIZE(ber_raw_limits))
		return ber_raw_limits[end->fec];
	return end->speed >= TOPOLOGY_HDR   ? RULE_BER_RAW_RS544 :
	       end->speed == TOPOLOGY_EDR   ? RULE_BER_RAW_RS528 :
	       end->speed >= TOPOLOGY_FDR10 ? RULE_BER_RAW_FIRECODE :
					      RULE_BER_RAW_NONE;
}

struct ber_verdict ber_judge_end(const uint64_t limits[], const struct ber_end *end)
{
	const struct gauge_errors *e = &end->errors;
	const uint64_t whole_ms = limits[RULE_BER_MINUTES] * 60000;
	struct ber_verdict v = { .is_symbol = end->speed >= TOPOLOGY_HDR };

	if (!ber_is_known(v.is_symbol ? e->symbol : e->effective))
		v.is_symbol = !v.is_symbol;
	v.rate = v.is_symbol ? e->symbol : e->effective;
	v.known = ber_is_known(v.rate);
	v.limit = (unsigned int)limits[v.is_symbol ? RULE_BER_SYMBOL : RULE_BER_EFFECTIVE];
	v.raw_limit = (unsigned int)limits[ber_raw_limit(end)];
	v.after = ber_exceeds(v.rate, v.limit, e->time_ms, whole_ms);
	v.raw = ber_exceeds(e->raw, v.raw_limit, e->time_ms, whole_ms);
	return v;
}

static bool ber_is_bad(const struct ber_verdict *v)
{
	return v->after || v->raw;
}

/* Checks if the second end is worse. */
static bool ber_is_worse(const struct ber_end ends[2], const struct ber_verdict v[2])
{
	const bool after = v[0].after || v[1].after;
	const struct gauge_ber a = after ? v[0].rate : ends[0].errors.raw,
			       b = after ? v[1].rate : ends[1].errors.raw;

	if (v[0].after != v[1].after || (!after && v[0].raw != v[1].raw))
		return after ? v[1].after : v[1].raw;
	return ber_coefficient(b, a.magnitude) > a.coefficient;
}

/* ---- texts --------------------------------------------------------------------------------- */

static void ber_put_fec(struct madkit_buf *buf, unsigned int fec)
{
	const char *name = madkit_value_name(madkit_values_fec, fec);

	if (name)
		madkit_buf_str(buf, name);
	else
		madkit_buf_printf(buf, "%u", fec);
}

/* Appends the rates of an end: "symbol BER 3e-12 (limit 1e-14), raw BER 2e-6, FEC RS(544,514)". */
static void ber_put_end(struct madkit_buf *buf, const struct ber_end *end, const struct ber_verdict *v)
{
	char rate[PROBLEM_VALUE_BYTES];

	ber_put(rate, v->rate);
	madkit_buf_printf(buf, "%s BER %s", v->is_symbol ? "symbol" : "effective", rate);
	if (v->after)
		madkit_buf_printf(buf, " (limit 1e-%u)", v->limit);
	ber_put(rate, end->errors.raw);
	madkit_buf_printf(buf, ", raw BER %s", rate);
	if (v->raw)
		madkit_buf_printf(buf, " (limit 1e-%u)", v->raw_limit);
	if (end->fec < 0)
		return;
	madkit_buf_str(buf, ", FEC ");
	ber_put_fec(buf, (unsigned int)end->fec);
}

/* ---- links --------------------------------------------------------------------------------- */

/* Both ends of a link; of a link with one end, the second one is not there. */
struct ber_link {
	struct health_link link;
	const struct gauge *gauges[2];
	struct ber_end ends[2];
	struct ber_verdict verdicts[2];
};

static struct ber_end ber_end_get(const struct madkit_health *h, struct sweep_place at,
				  const struct gauge *gauge)
{
	struct link_rates rates;

	link_rates_get(health_node(h, at.node), at.port, &rates);
	return (struct ber_end){
		.errors = gauge->errors,
		.speed = rates.speed,
		.fec = gauge_has(gauge, GAUGE_PHY) ? gauge->fec : -1,
	};
}

/* Gets the link of a port, once for both of its ends. Returns false for the other one, and if no register was read. */
static bool ber_link_get(const struct madkit_health *h, struct sweep_place at, struct ber_link *l)
{
	const struct madkit_sweep_port *p = health_port(h, at);
	const struct sweep_place peer = { p->peer, p->peer_port };

	*l = (struct ber_link){ .link = { .a = at, .b = peer } };
	l->gauges[0] = gauges_get(h, at);
	if (p->peer != MADKIT_SWEEP_NONE)
		l->gauges[1] = gauges_get(h, peer);
	if (l->gauges[1] && l->gauges[1] < l->gauges[0])
		return false;
	return (l->gauges[0] && l->gauges[0]->read) || (l->gauges[1] && l->gauges[1]->read);
}

/* Adds the problem of a link; worse: the end that comes first. */
static int ber_add(struct madkit_health *h, const struct ber_link *l, unsigned int worse)
{
	const struct ber_verdict *v = &l->verdicts[worse], *other = &l->verdicts[!worse];
	const bool is_xdr = l->ends[worse].speed >= TOPOLOGY_XDR;
	const struct sweep_place at = worse ? l->link.b : l->link.a, far = worse ? l->link.a : l->link.b;
	struct problem_draft d = problem_of_port(h, RULE_BER,
						 is_xdr ? MADKIT_SEVERITY_INFO : MADKIT_SEVERITY_WARNING,
						 at.node, at.port);

	if (far.node != MADKIT_SWEEP_NONE) {
		d.ends[1] = (struct madkit_health_place){ far.node, far.port };
		d.link = true;
	}
	ber_put(d.value, v->after ? v->rate : l->ends[worse].errors.raw);
	ber_put_limit(d.limit, v->after ? v->limit : v->raw_limit);
	ber_put_end(&h->text, &l->ends[worse], v);
	if (ber_is_bad(other)) {
		madkit_buf_str(&h->text, "; at the other end ");
		ber_put_end(&h->text, &l->ends[!worse], other);
	}
	if (is_xdr)
		madkit_buf_str(&h->text, "; not judged at XDR");
	return problem_add(h, &d);
}

static int ber_judge_link(struct madkit_health *h, struct ber_link *l)
{
	for (unsigned int i = 0; i < 2; i++) {
		const struct sweep_place at = i ? l->link.b : l->link.a;

		if (!gauge_has(l->gauges[i], GAUGE_BER))
			continue;
		l->ends[i] = ber_end_get(h, at, l->gauges[i]);
		l->verdicts[i] = ber_judge_end(h->settings.limits[RULE_BER], &l->ends[i]);
		if (!l->verdicts[i].known && !ber_is_bad(&l->verdicts[i]))
			gauges_leave(h, RULE_BER, at, "it reports no bit error rate");
	}
	if (!ber_is_bad(&l->verdicts[0]) && !ber_is_bad(&l->verdicts[1]))
		return 0;
	return ber_add(h, l, ber_is_worse(l->ends, l->verdicts));
}

/* Judges if both ends use one FEC. */
static int ber_judge_fec(struct madkit_health *h, const struct ber_link *l)
{
	struct problem_draft d;

	if (!gauge_has(l->gauges[0], GAUGE_PHY) || !gauge_has(l->gauges[1], GAUGE_PHY) ||
	    l->gauges[0]->fec == l->gauges[1]->fec)
		return 0;
	d = problem_of_link(h, RULE_FEC, MADKIT_SEVERITY_WARNING, &l->link);
	madkit_buf_str(&h->text, "the first end uses the FEC ");
	ber_put_fec(&h->text, l->gauges[0]->fec);
	madkit_buf_str(&h->text, ", the other one ");
	ber_put_fec(&h->text, l->gauges[1]->fec);
	return problem_add(h, &d);
}

int bers_judge(struct madkit_health *h)
{
	struct ber_link l;
	int ret = 0;

	for (uint32_t i = 0; h->gauges && i < h->sweep->nnodes && !ret; i++)
		for (unsigned int port = 1; port <= health_node(h, i)->nports && !ret; port++) {
			if (!ber_link_get(h, (struct sweep_place){ i, (uint8_t)port }, &l))
				continue;
			if (health_wants(h, RULE_BER))
				ret = ber_judge_link(h, &l);
			if (!ret && health_wants(h, RULE_FEC))
				ret = ber_judge_fec(h, &l);
		}
	return ret;
}
