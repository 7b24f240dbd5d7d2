/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <string.h>
#include "health/growth.h"
#include "sweep/link.h"
#include "util/emit.h"
#include "wire/access.h"
#include "wire/tables/tables.h"

static const struct {
	const char *name;
	enum growth_kind kind;
	unsigned int limit; /* enum rule_rises_limit */
} growth_counters[GROWTH_COUNTERS] = {
	[GROWTH_SYMBOL] = { "SymbolErrorCounter", GROWTH_BITS, 0 },
	[GROWTH_RECOVERY] = { "LinkErrorRecoveryCounter", GROWTH_COUNT, RULE_RISES_RECOVERY },
	[GROWTH_INTEGRITY] = { "LocalLinkIntegrityErrors", GROWTH_COUNT, RULE_RISES_INTEGRITY },
	[GROWTH_RECEIVE] = { "PortRcvErrors", GROWTH_PER_S, RULE_RISES_RECEIVE },
	[GROWTH_OVERRUN] = { "ExcessiveBufferOverrunErrors", GROWTH_COUNT, RULE_RISES_OVERRUN },
	[GROWTH_DISCARDS] = { "PortXmitDiscards", GROWTH_PER_S, RULE_RISES_DISCARDS },
	[GROWTH_REMOTE] = { "PortRcvRemotePhysicalErrors", GROWTH_PER_S, RULE_RISES_REMOTE },
	[GROWTH_RELAY] = { "PortRcvSwitchRelayErrors", GROWTH_PER_S, RULE_RISES_RELAY },
	[GROWTH_XMIT_CONSTRAINT] = { "PortXmitConstraintErrors", GROWTH_PER_S, RULE_RISES_XMIT_CONSTRAINT },
	[GROWTH_RCV_CONSTRAINT] = { "PortRcvConstraintErrors", GROWTH_PER_S, RULE_RISES_RCV_CONSTRAINT },
	[GROWTH_VL15] = { "VL15Dropped", GROWTH_PER_S, RULE_RISES_VL15 },
	[GROWTH_WAIT] = { "PortXmitWait", GROWTH_PER_S, RULE_RISES_WAIT },
	[GROWTH_DOWNS] = { "LinkDownedCounter", GROWTH_DOWNED, 0 },
};

const char *growth_name(unsigned int counter)
{
	return growth_counters[counter].name;
}

void growth_put_limit(char text[PROBLEM_VALUE_BYTES], const struct growth *growth, unsigned int counter)
{
	const uint64_t hundredths = (uint64_t)(growth->limit[counter] * 100 + 0.5);
	const bool whole = growth_counters[counter].kind != GROWTH_BITS || hundredths >= 1000;
	char *p = emit_u64(text, whole ? (hundredths + 50) / 100 : hundredths / 100);

	if (!whole) {
		*p++ = '.';
		*p++ = (char)('0' + hundredths / 10 % 10);
		*p++ = (char)('0' + hundredths % 10);
	}
	*p = 0;
}

struct madkit_reading_key growth_key(const struct madkit_health *h, struct sweep_place at, bool wide)
{
	return (struct madkit_reading_key){ .node_guid = health_node(h, at.node)->guid,
					    .port = at.port,
					    .attribute = wide ? MADKIT_ATTR_PORT_COUNTERS_EXTENDED :
								MADKIT_ATTR_PORT_COUNTERS };
}

/* ---- the limits ---------------------------------------------------------------------------- */

/* Returns 10 to the power of -n. */
static double growth_power(uint64_t n)
{
	double power = 1;

	while (n--)
		power /= 10;
	return power;
}

/* Returns the highest number of bit errors that is not a problem: of a short and of a long time, each at its rate. A
 * shorter time has the limit of the whole one: it is exceeded at once, but kept only at its end. */
static double growth_bits(const uint64_t *limits, double gbps, double seconds)
{
	const double short_s = (double)limits[RULE_RISES_SHORT_MINUTES] * 60,
		     long_s = (double)limits[RULE_RISES_LONG_MINUTES] * 60;
	const double in_short = gbps * 1e9 * (seconds > short_s ? seconds : short_s) *
				growth_power(limits[RULE_RISES_SHORT_BER]),
		     in_long = gbps * 1e9 * (seconds > long_s ? seconds : long_s) *
			       growth_power(limits[RULE_RISES_LONG_BER]);

	return in_short < in_long ? in_short : in_long;
}

static double growth_limit(const struct madkit_health *h, enum growth_counter counter, double gbps,
			   double seconds)
{
	const uint64_t *limits = h->settings.limits[RULE_RISES],
		       limit = limits[growth_counters[counter].limit];

	switch (growth_counters[counter].kind) {
	case GROWTH_BITS:
		return growth_bits(limits, gbps, seconds);
	case GROWTH_COUNT:
		return limit == MADKIT_HEALTH_NO_LIMIT ? -1 : (double)limit;
	case GROWTH_PER_S:
		return limit == MADKIT_HEALTH_NO_LIMIT ? -1 : (double)limit * (seconds > 1 ? seconds : 1);
	default:
		return -1;
	}
}

/* ---- an end -------------------------------------------------------------------------------- */

/* Returns the data rate in Gb/s; 0: not known. */
static double growth_gbps(const struct madkit_health *h, struct sweep_place at)
{
	struct link_rates rates;
	uint64_t kbps = 0;

	link_rates_get(health_node(h, at.node), at.port, &rates);
	madkit_value_magnitude(madkit_values_speed, rates.speed, &kbps);
	return (double)kbps * topology_lanes(rates.width) / 1e6;
}

static void growth_take_change(struct growth *end, const struct madkit_change *change)
{
	for (unsigned int i = 0; i < GROWTH_COUNTERS; i++) {
		if (strcmp(growth_counters[i].name, change->field->name) != 0)
			continue;
		/* the count since a reset is a part of the rise */
		end->delta[i] = change->reset ? change->value : change->delta;
		if (i == GROWTH_DISCARDS)
			end->discards = change->value;
		end->full |= !change->known && !change->reset && (end->limit[i] >= 0 || i == GROWTH_DOWNS);
		end->reset |= change->reset;
		return;
	}
}

/* Removes the discards of packets to a link that is down: they are no errors. What is left may be older than the first
 * reading. */
static void growth_remove_inactive(struct growth *end, const struct health_rise *r)
{
	const uint64_t others = end->discards > r->inactive ? end->discards - r->inactive : 0;

	end->too_long = r->too_long;
	if (!r->detailed || r->inactive == GROWTH_DETAIL_FULL)
		return;
	if (end->delta[GROWTH_DISCARDS] > others)
		end->delta[GROWTH_DISCARDS] = others;
}

/* Counts how often the link went down, perhaps since a reading that is older than that of the errors. */
static void growth_count_downs(const struct madkit_health *h, const struct health_rise *r, struct growth *end)
{
	const struct madkit_reading_key key = growth_key(h, r->at, r->wide);
	const struct madkit_reading *before =
		h->settings.earlier_downs ? madkit_readings_get(h->settings.earlier_downs, &key) : NULL;
	const struct madkit_change *change;

	end->downs = end->delta[GROWTH_DOWNS];
	end->downs_seconds = end->seconds;
	if (!before || r->now.time_ns <= before->time_ns)
		return;
	madkit_counters_compare(h->comparisons[r->wide], before, &r->now);
	for (size_t i = 0; (change = madkit_counters_change(h->comparisons[r->wide], i)); i++)
		if (!strcmp(change->field->name, growth_counters[GROWTH_DOWNS].name) && !change->reset) {
			end->downs = change->delta;
			end->downs_seconds = (double)(r->now.time_ns - before->time_ns) / 1e9;
		}
}

void growth_compare(const struct madkit_health *h, const struct health_rise *r, struct growth *end)
{
	const double gbps = growth_gbps(h, r->at);
	struct madkit_counters *c = h->comparisons[r->wide];
	const struct madkit_change *change;

	*end = (struct growth){ .at = r->at };
	end->compared = r->first && r->second && r->now.time_ns > r->before.time_ns;
	if (!end->compared)
		return;
	end->seconds = (double)(r->now.time_ns - r->before.time_ns) / 1e9;
	/* a port without a link has no errors that matter */
	for (unsigned int i = 0; i < GROWTH_COUNTERS; i++)
		end->limit[i] = health_is_down(h, r->at) ?
					-1 :
					growth_limit(h, (enum growth_counter)i, gbps, end->seconds);
	madkit_counters_compare(c, &r->before, &r->now);
	for (size_t i = 0; (change = madkit_counters_change(c, i)); i++)
		growth_take_change(end, change);
	growth_remove_inactive(end, r);
	growth_count_downs(h, r, end);
}

bool growth_exceeds(const struct growth *end, unsigned int counter)
{
	return end->compared && end->limit[counter] >= 0 && (double)end->delta[counter] > end->limit[counter];
}

bool growth_exceeds_any(const struct growth *end)
{
	for (unsigned int i = 0; i < GROWTH_COUNTERS; i++)
		if (growth_exceeds(end, i))
			return true;
	return false;
}

/* ---- texts --------------------------------------------------------------------------------- */

void madkit_health_put_time(struct madkit_buf *buf, uint64_t ms)
{
	if (ms < 600000)
		madkit_buf_printf(buf, "%.*f s", ms < 10000, (double)ms / 1e3);
	else if (ms < 36000000)
		madkit_buf_printf(buf, "%.0f min", (double)ms / 60e3);
	else
		madkit_buf_printf(buf, "%.1f h", (double)ms / 3600e3);
}

void growth_put_seconds(struct madkit_buf *buf, double seconds)
{
	madkit_health_put_time(buf, (uint64_t)(seconds * 1e3));
}

/* Appends the counters of an end that exceed their limits: "SymbolErrorCounter +120 (limit 1.44)". */
void growth_put_end(struct madkit_buf *buf, const struct growth *end)
{
	const char *separator = "";
	char limit[PROBLEM_VALUE_BYTES];

	for (unsigned int i = 0; i < GROWTH_COUNTERS; i++) {
		if (!growth_exceeds(end, i))
			continue;
		growth_put_limit(limit, end, i);
		madkit_buf_printf(buf, "%s%s +%" PRIu64 " (limit %s)", separator, growth_counters[i].name,
				  end->delta[i], limit);
		separator = ", ";
	}
}

/* Appends what the counters mean, and what to do next. */
void growth_put_advice(struct madkit_buf *buf, const struct growth ends[2])
{
	bool has[GROWTH_COUNTERS];
	const bool both = growth_exceeds(&ends[0], GROWTH_SYMBOL) && growth_exceeds(&ends[1], GROWTH_SYMBOL);

	for (unsigned int i = 0; i < GROWTH_COUNTERS; i++)
		has[i] = growth_exceeds(&ends[0], i) || growth_exceeds(&ends[1], i);
	if (has[GROWTH_RECOVERY])
		madkit_buf_str(buf, "the link retrains: replace the cable now");
	else if (has[GROWTH_INTEGRITY])
		madkit_buf_str(buf, "many physical errors: replace the cable soon");
	else if (both || (has[GROWTH_SYMBOL] && has[GROWTH_RECEIVE]))
		madkit_buf_str(buf, "physical errors of this link: reseat or replace the cable");
	else if (has[GROWTH_SYMBOL])
		madkit_buf_str(
			buf,
			"bad bits arrive at the first end: reseat or replace the cable, then try other ports");
	else if (has[GROWTH_RECEIVE])
		madkit_buf_str(buf, "packets are malformed: see PortRcvErrorDetails");
	else if (has[GROWTH_OVERRUN])
		madkit_buf_str(buf, "more arrives than was credited: check the firmware of the other end");
	else if (has[GROWTH_DISCARDS] && (ends[0].too_long || ends[1].too_long))
		madkit_buf_str(buf, "packets exceed the MTU of the other end: see the rule mtu");
	else if (has[GROWTH_DISCARDS])
		madkit_buf_str(buf, "congestion, or a credit loop: follow PortXmitWait to its last hop");
	else if (has[GROWTH_REMOTE])
		madkit_buf_str(buf, "damaged on an earlier link: look upstream for PortRcvErrors");
	else if (has[GROWTH_RELAY])
		madkit_buf_str(buf, "packets without a way: see PortRcvErrorDetails");
	else if (has[GROWTH_XMIT_CONSTRAINT] || has[GROWTH_RCV_CONSTRAINT])
		madkit_buf_str(buf, "packets of another partition: compare the P_Key tables");
	else if (has[GROWTH_VL15])
		madkit_buf_str(buf, "management packets arrive too fast: lower --window of what sweeps");
	else
		madkit_buf_str(buf, "the port waits for credits: follow the congestion to its last hop");
}

/* Returns the severity of a link that went down so often in this time. */
uint8_t growth_flapping(const struct madkit_health *h, bool switches, double downs, double seconds)
{
	const uint64_t *limits = h->settings.limits[RULE_FLAPPING];
	const double hours = seconds > GROWTH_HOUR ? seconds / GROWTH_HOUR : 1,
		     days = seconds > GROWTH_DAY ? seconds / GROWTH_DAY : 1;
	const bool often = downs >= (double)limits[RULE_FLAPPING_HOUR] * hours ||
			   (hours > 1 && downs >= (double)limits[RULE_FLAPPING_DAY] * days);

	if (switches)
		return often                                           ? MADKIT_SEVERITY_CRITICAL :
		       downs >= (double)limits[RULE_FLAPPING_SWITCHES] ? MADKIT_SEVERITY_WARNING :
									 MADKIT_SEVERITY_INFO;
	return often ? MADKIT_SEVERITY_WARNING : MADKIT_SEVERITY_INFO;
}
