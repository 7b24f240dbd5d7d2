/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/cpi.h>
#include "health/problem.h"
#include "health/growth.h"
#include "health/reasons.h"
#include "health/rises.h"
#include "health/thresholds.h"
#include "util/bits.h"
#include "wire/access.h"

/* ---- the ports to read --------------------------------------------------------------------- */

static int rises_compare_places(const void *a, const void *b)
{
	const struct health_rise *p = a, *q = b;

	if (p->at.node != q->at.node)
		return p->at.node < q->at.node ? -1 : 1;
	return p->at.port - q->at.port;
}

/* Takes the first reading from those of an earlier time, if there are any. */
static void rises_find_earlier(const struct madkit_health *h, struct health_rise *r, bool wide)
{
	const struct madkit_reading_key key = growth_key(h, r->at, wide);
	const struct madkit_reading *found =
		h->settings.earlier ? madkit_readings_get(h->settings.earlier, &key) : NULL;

	r->wide = wide;
	r->first = found;
	if (found)
		r->before = *found;
}

/* Chooses the attribute of a port: that of its earlier reading, else PortCountersExtended. */
static void rises_begin(const struct madkit_health *h, struct health_rise *r)
{
	rises_find_earlier(h, r, true);
	if (!r->first)
		rises_find_earlier(h, r, false);
	r->wide |= !r->first;
}

/* Adds the ports of switches that are down: their counters say if they went down between the readings. A port that is disabled
 * does so only after an earlier reading. */
static int rises_list_down(struct madkit_health *h)
{
	int ret = 0;

	for (uint32_t i = 0; i < h->sweep->nnodes && health_wants(h, RULE_FLAPPING); i++) {
		const struct madkit_sweep_node *n = health_node(h, i);

		for (unsigned int port = 1; n->type == MADKIT_NODE_TYPE_SWITCH && port <= n->nports && !ret;
		     port++) {
			const struct madkit_survey_port asked = { i, (uint8_t)port, 0 };
			struct health_rise r = { .at = { i, (uint8_t)port } };

			if (!health_is_down(h, r.at) || madkit_survey_no_lid(h->sweep, &asked))
				continue;
			rises_begin(h, &r);
			if (r.first || health_phys_state(h, r.at) != HEALTH_DISABLED)
				ret = health_add_port(h, i, port);
		}
	}
	return ret;
}

static int rises_new(struct madkit_health *h)
{
	int ret = thresholds_list(h, RULE_RISES);

	if (!ret)
		ret = rises_list_down(h);
	h->rises = calloc(h->nports + 1u, sizeof(*h->rises));
	h->rise_of = calloc(h->nports + 1u, sizeof(*h->rise_of));
	h->narrow = calloc(h->sweep->nnodes + 1u, sizeof(*h->narrow));
	for (unsigned int wide = 0; wide < 2; wide++)
		if (madkit_counters_new(madkit_attribute_get(MADKIT_BASE_VERSION_IB, MADKIT_CLASS_PERF,
							     wide ? MADKIT_ATTR_PORT_COUNTERS_EXTENDED :
								    MADKIT_ATTR_PORT_COUNTERS),
					0, &h->comparisons[wide]))
			return -ENOMEM;
	if (ret || !h->rises || !h->rise_of || !h->narrow)
		return -ENOMEM;
	for (uint32_t i = 0; i < h->nports; i++) {
		h->rises[i].at = (struct sweep_place){ h->ports[i].node, h->ports[i].port };
		rises_begin(h, &h->rises[i]);
	}
	h->nrises = h->nports;
	if (h->nrises)
		qsort(h->rises, h->nrises, sizeof(*h->rises), rises_compare_places);
	return 0;
}

/* Adds a port to those of the next request. */
static int rises_ask(struct madkit_health *h, uint32_t i)
{
	h->rise_of[h->nports] = i;
	return health_add_port(h, h->rises[i].at.node, h->rises[i].at.port);
}

int rises_list_wide(struct madkit_health *h, bool again)
{
	int ret = h->rises ? 0 : rises_new(h);

	h->nports = 0;
	for (uint32_t i = 0; i < h->nrises && !ret; i++)
		if (h->rises[i].wide && (!again || h->rises[i].first || h->settings.earlier_grows))
			ret = rises_ask(h, i);
	return ret;
}

int rises_list_narrow(struct madkit_health *h, bool again)
{
	int ret = 0;

	h->nports = 0;
	for (uint32_t i = 0; i < h->nrises && !ret; i++) {
		struct health_rise *r = &h->rises[i];

		if (r->wide && !(again ? r->second : r->first)) {
			if (again && !h->settings.earlier)
				continue;
			rises_find_earlier(h, r, false);
		}
		if (!r->wide && (!again || r->first || h->settings.earlier_grows))
			ret = rises_ask(h, i);
	}
	return ret;
}

/* ---- readings ------------------------------------------------------------------------------ */

void rises_take_cpi(struct madkit_health *h, struct madkit_survey_result *result)
{
	const struct madkit_message *m = madkit_survey_message(result);

	if (h->narrow && result->node < h->sweep->nnodes)
		h->narrow[result->node] |=
			m->kind != MADKIT_MESSAGE_RESPONSE || result->error ||
			m->len < MADKIT_PERF_DATA + MADKIT_CPI_BYTES ||
			!(madkit_cpi_get_counters(m->mad + MADKIT_PERF_DATA) & MADKIT_CPI_COUNTERS_ERRORS);
}

void rises_take(struct madkit_health *h, struct madkit_survey_result *result, const uint8_t *data)
{
	const bool again = h->step >= HEALTH_RISES_AGAIN;
	const struct madkit_recv *recv = result->job.reply.recv;
	struct health_rise *r = &h->rises[h->rise_of[result->at]];
	uint64_t time_ns;

	/* a node without counters of errors in PortCountersExtended has 0 there */
	if (!data || (r->wide && h->narrow[r->at.node]))
		return;
	time_ns = h->settings.earlier ?
			  (uint64_t)recv->time.tv_sec * 1000000000u + (uint64_t)recv->time.tv_nsec :
			  recv->time_ns;
	if (madkit_reading_take(again ? &r->now : &r->before, madkit_survey_message(result), time_ns))
		return;
	*(again ? &r->second : &r->first) = true;
	if (!again && time_ns > h->first_ns)
		h->first_ns = time_ns;
}

/* ---- discards ------------------------------------------------------------------------------ */

/* Returns PortXmitDiscards of the second reading: most ports have none, and need no comparison. */
static uint64_t rises_discards(const struct health_rise *r)
{
	return field_get(r->wide ? MADKIT_PORT_COUNTERS_EXTENDED_PORT_XMIT_DISCARDS :
				   MADKIT_PORT_COUNTERS_PORT_XMIT_DISCARDS,
			 r->now.data);
}

int rises_list_discards(struct madkit_health *h)
{
	int ret = 0;

	for (uint32_t i = 0; i < h->nrises && !ret; i++) {
		struct growth end;

		if (!h->rises[i].second || !rises_discards(&h->rises[i]))
			continue;
		growth_compare(h, &h->rises[i], &end);
		if (growth_exceeds(&end, GROWTH_DISCARDS))
			ret = rises_ask(h, i);
	}
	return ret;
}

void rises_take_discards(struct madkit_health *h, size_t at, const uint8_t *data)
{
	struct health_rise *r = &h->rises[h->rise_of[at]];

	r->detailed = true;
	r->inactive = field_get(MADKIT_PORT_XMIT_DISCARD_DETAILS_PORT_INACTIVE_DISCARDS, data);
	r->too_long = field_get(MADKIT_PORT_XMIT_DISCARD_DETAILS_PORT_NEIGHBOR_MTU_DISCARDS, data);
}

/* ---- reasons ------------------------------------------------------------------------------- */

int rises_list_flapping(struct madkit_health *h)
{
	int ret = 0;

	for (uint32_t i = 0; i < h->nrises && !ret; i++) {
		const struct madkit_sweep_port *p = health_port(h, h->rises[i].at);
		struct growth end;

		growth_compare(h, &h->rises[i], &end);
		if (end.compared && end.downs)
			ret = reasons_add(h, end.at, (struct sweep_place){ p->peer, p->peer_port });
	}
	return ret;
}

/* Notes an end that was not judged. */
static void rises_leave(struct madkit_health *h, const struct health_rise *r, const struct growth *end)
{
	const bool earlier = h->settings.earlier;
	const char *why = "a counter is full, and shows no rise: clear it";

	if (!r->first)
		why = earlier ? "no earlier reading" : "no response to the first request";
	else if (!r->second)
		why = earlier ? "no response" : "no response to the second request";
	else if (!end->compared)
		why = "the clock was set back between the readings";
	else if (end->reset)
		why = "its counters were reset between the readings";
	problem_leave(h, RULE_RISES, r->at.node, r->at.port, why);
}

/* ---- a link -------------------------------------------------------------------------------- */

static struct problem_draft rises_draft(struct madkit_health *h, enum rule_number rule, uint8_t severity,
					const struct growth *end)
{
	const struct madkit_sweep_port *p = health_port(h, end->at);
	struct problem_draft d = problem_of_port(h, rule, severity, end->at.node, end->at.port);

	if (p->peer != MADKIT_SWEEP_NONE) {
		d.ends[1] = (struct madkit_health_place){ p->peer, p->peer_port };
		d.link = true;
	}
	return d;
}

/* Adds the problem of the counters above their limits. */
static int rises_judge_errors(struct madkit_health *h, const struct growth ends[2])
{
	const struct growth ordered[2] = { ends[1], ends[0] }, *e = ends;
	struct problem_draft d;
	unsigned int first = 0, second = 0;

	while (first < GROWTH_COUNTERS && !growth_exceeds(&ends[0], first))
		first++;
	while (second < GROWTH_COUNTERS && !growth_exceeds(&ends[1], second))
		second++;
	if (first == GROWTH_COUNTERS && second == GROWTH_COUNTERS)
		return 0;
	/* the first end is that with the most telling counter */
	if (second < first) {
		e = ordered;
		first = second;
	}
	d = rises_draft(h, RULE_RISES, MADKIT_SEVERITY_WARNING, &e[0]);
	problem_put_number(d.value, e[0].delta[first]);
	growth_put_limit(d.limit, &e[0], first);
	growth_put_end(&h->text, &e[0]);
	if (growth_exceeds_any(&e[1])) {
		madkit_buf_str(&h->text, ", at the other end ");
		growth_put_end(&h->text, &e[1]);
	}
	madkit_buf_str(&h->text, " in ");
	growth_put_seconds(&h->text, e[0].seconds);
	madkit_buf_str(&h->text, e[0].reset || e[1].reset ? " or less: " : ": ");
	growth_put_advice(&h->text, e);
	return problem_add(h, &d);
}

/* Adds an information about the counters that rose within their limits, or have none. */
static int rises_judge_others(struct madkit_health *h, const struct growth *end)
{
	struct problem_draft d =
		problem_of_port(h, RULE_RISES, MADKIT_SEVERITY_INFO, end->at.node, end->at.port);
	bool any = false;

	for (unsigned int i = 0; i < GROWTH_DOWNS; i++) {
		if (!end->delta[i] || growth_exceeds(end, i))
			continue;
		if (!any)
			problem_put_number(d.value, end->delta[i]);
		madkit_buf_printf(&h->text, "%s%s", any ? ", " : "", growth_name(i));
		any = true;
	}
	if (!any)
		return 0;
	madkit_buf_str(&h->text, " rose within the limits");
	return problem_add(h, &d);
}

/* Judges how often a link went down. */
static int rises_judge_downs(struct madkit_health *h, const struct growth ends[2])
{
	const struct growth *e = ends[1].downs > ends[0].downs ? &ends[1] : &ends[0];
	const struct madkit_sweep_port *p = health_port(h, e->at);
	const bool switches = p->peer != MADKIT_SWEEP_NONE &&
			      health_node(h, p->peer)->type == MADKIT_NODE_TYPE_SWITCH &&
			      health_node(h, e->at.node)->type == MADKIT_NODE_TYPE_SWITCH;
	struct problem_draft d;
	uint8_t severity;

	if (!health_wants(h, RULE_FLAPPING))
		return 0;
	severity = growth_flapping(h, switches, (double)e->downs, e->downs_seconds);
	if (health_is_down(h, e->at) && severity < MADKIT_SEVERITY_WARNING)
		severity = MADKIT_SEVERITY_WARNING;
	d = rises_draft(h, RULE_FLAPPING, severity, e);
	problem_put_number(d.value, e->downs);
	madkit_buf_printf(&h->text, "the link went down %" PRIu64 " %s in ", e->downs,
			  e->downs == 1 ? "time" : "times");
	growth_put_seconds(&h->text, e->downs_seconds);
	reasons_put(&h->text, h, e->at, (struct sweep_place){ p->peer, p->peer_port });
	/* the state is that of the sweep: before --for begins */
	madkit_buf_str(&h->text, !health_is_down(h, e->at) ? "; the errors of that time were not judged" :
				 h->settings.earlier       ? ", and is down" :
							     ", and was down before");
	return problem_add(h, &d);
}

/* Judges a link with one or two ends that were compared. */
static int rises_judge_link(struct madkit_health *h, const struct growth ends[2])
{
	int ret = 0;

	if (ends[0].downs || ends[1].downs)
		ret = rises_judge_downs(h, ends);
	/* errors are normal while a link is down, goes down and trains */
	if (ret || !health_wants(h, RULE_RISES) || ends[0].delta[GROWTH_DOWNS] ||
	    ends[1].delta[GROWTH_DOWNS] || health_is_down(h, ends[0].at))
		return ret;
	ret = rises_judge_errors(h, ends);
	for (unsigned int i = 0; i < 2 && !ret; i++)
		if (ends[i].compared)
			ret = rises_judge_others(h, &ends[i]);
	return ret;
}

/* ---- all links ----------------------------------------------------------------------------- */

/* Finds the other end of the link of a port: NULL if it was not read. */
static struct health_rise *rises_find_peer(const struct madkit_health *h, const struct health_rise *r)
{
	const struct madkit_sweep_port *p = health_port(h, r->at);
	const struct health_rise key = { .at = { p->peer, p->peer_port } };

	if (p->peer == MADKIT_SWEEP_NONE)
		return NULL;
	return bsearch(&key, h->rises, h->nrises, sizeof(key), rises_compare_places);
}

/* Compares the readings of a port, and counts those that were. */
static void rises_get_end(struct madkit_health *h, struct health_rise *r, struct growth *end)
{
	const uint64_t ms =
		r->now.time_ns > r->before.time_ns ? (r->now.time_ns - r->before.time_ns) / 1000000 : 0;

	growth_compare(h, r, end);
	/* the next judgement knows a port that is new, or that was reset */
	if (h->settings.earlier_grows && r->second && (!r->first || end->reset))
		h->counts.fresh++;
	else if (!end->compared || ((end->reset || end->full) && !growth_exceeds_any(end)))
		rises_leave(h, r, end);
	if (!end->compared)
		return;
	r->reset = end->reset;
	r->ended = end->reset || end->delta[GROWTH_DOWNS] || growth_exceeds_any(end);
	h->counts.compared++;
	if (!h->counts.window_ms || ms < h->counts.window_ms)
		h->counts.window_ms = ms;
}

int rises_judge(struct madkit_health *h)
{
	int ret = 0;

	for (size_t i = 0; i < h->nrises && !ret; i++) {
		struct health_rise *r = &h->rises[i], *peer = rises_find_peer(h, r);
		struct growth ends[2] = { { .compared = false }, { .compared = false } };

		/* the link was judged at its other end */
		if (peer && peer < r)
			continue;
		rises_get_end(h, r, &ends[0]);
		if (peer && peer != r)
			rises_get_end(h, peer, &ends[1]);
		if (ends[0].compared || ends[1].compared)
			ret = rises_judge_link(h, ends);
	}
	return ret;
}

/* Keeps a reading in place of an earlier one that is older than a time. */
static int rises_keep(struct madkit_readings *readings, const struct madkit_reading_key *key,
		      const struct madkit_reading *now, uint64_t age_s)
{
	const struct madkit_reading *earlier = madkit_readings_get(readings, key);

	if (earlier && earlier->time_ns <= now->time_ns &&
	    now->time_ns - earlier->time_ns < age_s * UINT64_C(1000000000))
		return 0;
	return madkit_readings_put(readings, key, now);
}

/* Copies a reading without the counters of errors. */
static struct madkit_reading rises_downs_only(const struct health_rise *r)
{
	const uint64_t field = r->wide ? MADKIT_PORT_COUNTERS_EXTENDED_LINK_DOWNED_COUNTER :
					 MADKIT_PORT_COUNTERS_LINK_DOWNED_COUNTER;
	struct madkit_reading downs = { .time_ns = r->now.time_ns, .len = r->now.len };

	field_put(field, downs.data, field_get(field, r->now.data));
	return downs;
}

int madkit_health_readings(const struct madkit_health *h, struct madkit_readings *earlier,
			   struct madkit_readings *downs)
{
	const uint64_t whole_s = h->settings.limits[RULE_RISES][RULE_RISES_LONG_MINUTES] * 60;
	int ret = 0;

	for (size_t i = 0; i < h->nrises && !ret; i++) {
		const struct health_rise *r = &h->rises[i];
		const struct madkit_reading_key key = growth_key(h, r->at, r->wide);
		const struct madkit_reading only = rises_downs_only(r);

		if (!r->second)
			continue;
		ret = rises_keep(earlier, &key, &r->now, r->ended ? 0 : whole_s);
		if (!ret)
			ret = rises_keep(downs, &key, &only, r->reset ? 0 : GROWTH_HOUR);
	}
	return ret;
}

void rises_free(struct madkit_health *h)
{
	free(h->rises);
	free(h->rise_of);
	free(h->narrow);
	madkit_counters_free(h->comparisons[0]);
	madkit_counters_free(h->comparisons[1]);
}
