/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rules temp, module and ber, and reasons of link-downs, on readings made by hand. */
#include "health/ber.h"
#include "health/modules.h"
#include "health/reasons.h"
#include "topology/topology.h"
#include "util/array_size.h"
#include "../tap.h"

/* ---- bit error rates ----------------------------------------------------------------------- */

static void health_test_rates(void)
{
	static const struct {
		struct gauge_ber ber;
		const char *text;
	} rates[] = {
		{ { 15, 255 }, "none seen" },    { { 0, 0 }, "?" },         { { 0, 14 }, "?" },
		{ { 1, 14 }, "1e-14" },          { { 9, 8 }, "9e-8" },      { { 10, 15 }, "1e-14" },
		{ { 15, 255 - 1 }, "1.5e-253" }, { { 15, 16 }, "1.5e-15" }, { { 3, 0 }, "3e-0" },
	};
	char text[PROBLEM_VALUE_BYTES];

	for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
		ber_put(text, rates[i].ber);
		is_str(text, rates[i].text, "text of %u/%u", rates[i].ber.coefficient,
		       rates[i].ber.magnitude);
	}
}

static void health_test_limits(void)
{
	static const struct {
		struct gauge_ber ber;
		unsigned int limit, minutes; /* since the counters were cleared, of 12 */
		bool exceeds;
	} rates[] = {
		{ { 1, 14 }, 14, 0, false }, /* the limit itself */
		{ { 2, 14 }, 14, 0, true },
		{ { 10, 15 }, 14, 0, false },
		{ { 11, 15 }, 14, 0, true },
		{ { 9, 15 }, 14, 0, false },
		{ { 1, 13 }, 14, 0, true },
		{ { 15, 16 }, 14, 0, false },
		{ { 15, 255 }, 14, 0, false }, /* no errors */
		{ { 0, 0 }, 14, 0, false },    /* not known */
		{ { 0, 3 }, 14, 0, false },
		{ { 1, 0 }, 20, 0, true },
		{ { 15, 1 }, 1, 0, true },
		{ { 2, 4 }, 4, 0, true },
		{ { 2, 5 }, 4, 0, false },
		{ { 1, 13 }, 14, 2, true },
		/* in a twelfth of the time, the rate has to be twelve times as high */
		{ { 12, 14 }, 14, 1, false },
		{ { 13, 14 }, 14, 1, true },
		{ { 2, 14 }, 14, 12, true },
		{ { 2, 14 }, 14, 11, true },
		{ { 2, 14 }, 14, 6, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rates); i++)
		is_int(ber_exceeds(rates[i].ber, rates[i].limit, rates[i].minutes * UINT64_C(60000), 720000),
		       rates[i].exceeds, "%u/%u, limit 1e-%u, after %u minutes", rates[i].ber.coefficient,
		       rates[i].ber.magnitude, rates[i].limit, rates[i].minutes);
}

/* The letters of a verdict: a rate after correction that is too high, r a raw one, s SymbolBER decides, ? unknown. */
static const char *health_verdict(const struct ber_end *end, char text[8])
{
	struct madkit_health_settings settings;
	struct ber_verdict v;

	madkit_health_settings_init(&settings);
	v = ber_judge_end(settings.limits[RULE_BER], end);
	snprintf(text, 8, "%s%s%s%s", v.after ? "a" : "", v.raw ? "r" : "", v.is_symbol ? "s" : "",
		 v.known ? "" : "?");
	return text;
}

static void health_test_ends(void)
{
	static const struct gauge_ber none = { 15, 255 }, unknown = { 0, 0 };
	const struct {
		const char *text;
		struct gauge_ber raw, effective, symbol;
		unsigned int speed;
		int fec;
		const char *verdict;
	} ends[] = {
		{ "a good NDR link", { 2, 6 }, none, none, TOPOLOGY_NDR, 4, "s" },
		{ "HDR: the effective rate does not decide", { 2, 6 }, { 1, 9 }, none, TOPOLOGY_HDR, 7, "s" },
		{ "HDR: the symbol rate does", { 2, 6 }, none, { 2, 14 }, TOPOLOGY_HDR, 7, "as" },
		{ "EDR: the effective rate decides", { 2, 8 }, { 2, 14 }, none, TOPOLOGY_EDR, 2, "a" },
		{ "EDR: the symbol rate does not", { 2, 8 }, none, { 1, 9 }, TOPOLOGY_EDR, 2, "" },
		{ "HDR without a symbol rate", { 2, 6 }, { 2, 14 }, unknown, TOPOLOGY_HDR, 7, "a" },
		{ "nothing is known", unknown, unknown, unknown, TOPOLOGY_HDR, 7, "?" },
		{ "raw, RS(544,514)", { 2, 4 }, none, none, TOPOLOGY_NDR, 7, "rs" },
		{ "... below", { 9, 5 }, none, none, TOPOLOGY_NDR, 7, "s" },
		{ "raw, RS(528,514)", { 9, 5 }, none, none, TOPOLOGY_EDR, 2, "r" },
		{ "... below", { 9, 6 }, none, none, TOPOLOGY_EDR, 2, "" },
		{ "raw, low latency", { 9, 5 }, none, none, TOPOLOGY_HDR, 3, "rs" },
		{ "raw, Firecode", { 2, 8 }, none, none, TOPOLOGY_FDR, 1, "r" },
		{ "... below", { 9, 9 }, none, none, TOPOLOGY_FDR, 1, "" },
		{ "raw, no FEC", { 2, 12 }, none, none, TOPOLOGY_EDR, 0, "r" },
		{ "... below", { 9, 13 }, none, none, TOPOLOGY_EDR, 0, "" },
		{ "the FEC is not known: EDR", { 2, 8 }, none, none, TOPOLOGY_EDR, -1, "" },
		{ "... EDR, high", { 2, 5 }, none, none, TOPOLOGY_EDR, -1, "r" },
		{ "... NDR", { 9, 5 }, none, none, TOPOLOGY_NDR, -1, "s" },
		{ "... FDR", { 2, 8 }, none, none, TOPOLOGY_FDR, -1, "r" },
		{ "a FEC without a name", { 9, 5 }, none, none, TOPOLOGY_NDR, 4711, "s" },
		{ "both", { 2, 3 }, none, { 1, 9 }, TOPOLOGY_NDR, 18, "ars" },
	};
	char text[8];

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		const struct ber_end end = { .errors = { ends[i].raw, ends[i].effective, ends[i].symbol, 0 },
					     .speed = ends[i].speed,
					     .fec = ends[i].fec };

		is_str(health_verdict(&end, text), ends[i].verdict, "%s", ends[i].text);
	}
}

/* ---- modules ------------------------------------------------------------------------------- */

enum { PASSIVE = 3, UNPLUGGED = 4, OPTICAL = 2, DEGREE = 256 };

static void health_test_heat(void)
{
	static const struct {
		const char *text;
		struct gauge_module module;
		bool up;
		enum module_heat heat;
		int high;
	} modules[] = {
		{ "below its threshold",
		  { .type = OPTICAL, .temperature = 68 * DEGREE, .high = 70 * DEGREE },
		  true,
		  MODULE_NORMAL,
		  70 * DEGREE },
		{ "at its threshold",
		  { .type = OPTICAL, .temperature = 70 * DEGREE, .high = 70 * DEGREE },
		  true,
		  MODULE_NORMAL,
		  70 * DEGREE },
		{ "just above",
		  { .type = OPTICAL, .temperature = 70 * DEGREE + 1, .high = 70 * DEGREE },
		  true,
		  MODULE_HOT,
		  70 * DEGREE },
		{ "above the limit, but it has a higher threshold",
		  { .type = OPTICAL, .temperature = 78 * DEGREE, .high = 80 * DEGREE },
		  true,
		  MODULE_NORMAL,
		  80 * DEGREE },
		{ "without a threshold",
		  { .type = OPTICAL, .temperature = 76 * DEGREE },
		  true,
		  MODULE_HOT,
		  75 * DEGREE },
		{ "without a threshold, normal",
		  { .type = OPTICAL, .temperature = 75 * DEGREE },
		  true,
		  MODULE_NORMAL,
		  75 * DEGREE },
		{ "below 0",
		  { .type = OPTICAL, .temperature = -5 * DEGREE, .high = 70 * DEGREE },
		  true,
		  MODULE_NORMAL,
		  70 * DEGREE },
		{ "0 is unknown",
		  { .type = OPTICAL, .high = 70 * DEGREE },
		  true,
		  MODULE_UNKNOWN,
		  70 * DEGREE },
		{ "passive", { .type = PASSIVE }, true, MODULE_NONE, 75 * DEGREE },
		{ "passive by its technology", { .technology = 0x0a }, true, MODULE_NONE, 75 * DEGREE },
		{ "hot without a link",
		  { .type = OPTICAL, .temperature = 90 * DEGREE },
		  false,
		  MODULE_HOT,
		  75 * DEGREE },
		{ "an empty cage", { .type = UNPLUGGED }, false, MODULE_NONE, 75 * DEGREE },
		{ "an empty cage that has no type", { .type = 0 }, false, MODULE_NONE, 75 * DEGREE },
		{ "a module of no type, without a link",
		  { .type = 0, .named = true },
		  false,
		  MODULE_UNKNOWN,
		  75 * DEGREE },
		{ "a link without a type", { .type = 0 }, true, MODULE_UNKNOWN, 75 * DEGREE },
	};
	struct madkit_health_settings settings;

	madkit_health_settings_init(&settings);
	for (size_t i = 0; i < ARRAY_SIZE(modules); i++) {
		const struct gauge_module *m = &modules[i].module;
		const struct module_limit limit =
			module_limit_choose(&settings, RULE_TEMP_MODULE, m->high, DEGREE);

		is_int(module_judge_heat(m, modules[i].up, limit.high), modules[i].heat, "%s",
		       modules[i].text);
		is_int(limit.high, modules[i].high, "... and its limit");
		is_int(limit.own, m->high > 0, "... which is its own or not");
	}
}

static void health_test_degrees(void)
{
	static const struct {
		int temperature;
		unsigned int parts;
		const char *text;
	} degrees[] = {
		{ 72 * 256 + 128, 256, "72.5 C" }, { 70 * 256, 256, "70 C" }, { -128, 256, "-0.5 C" },
		{ 32767, 256, "128 C" },           { -32768, 256, "-128 C" }, { 105 * 8 + 1, 8, "105.1 C" },
	};
	char text[PROBLEM_VALUE_BYTES];

	for (size_t i = 0; i < ARRAY_SIZE(degrees); i++) {
		module_put_heat(text, degrees[i].temperature, degrees[i].parts);
		is_str(text, degrees[i].text, "%d/%u", degrees[i].temperature, degrees[i].parts);
	}
}

static void health_test_alarms(void)
{
	static const struct {
		uint16_t diagnosis;
		uint8_t severity;
	} alarms[] = {
		{ 0, 0 },
		{ 15, 0 },
		{ 16, MADKIT_SEVERITY_WARNING },
		{ 17, 0 },
		{ 20, MADKIT_SEVERITY_WARNING },
		{ 23, 0 },
		{ 24, MADKIT_SEVERITY_WARNING },
		{ 32, MADKIT_SEVERITY_WARNING },
		{ 33, 0 },
		{ 1023, 0 },
		{ 1024, 0 }, /* unplugged: only where there should be a link */
		{ 1025, MADKIT_SEVERITY_WARNING },
		{ 1029, MADKIT_SEVERITY_WARNING },
		{ 1030, MADKIT_SEVERITY_CRITICAL },
		{ 1031, MADKIT_SEVERITY_CRITICAL },
		{ 1032, MADKIT_SEVERITY_WARNING },
		{ 1033, MADKIT_SEVERITY_INFO },
		{ 1034, MADKIT_SEVERITY_INFO },
		{ 1035, MADKIT_SEVERITY_WARNING },
		{ 1054, MADKIT_SEVERITY_INFO },
		{ 1063, MADKIT_SEVERITY_WARNING },
		{ 1064, 0 },
		{ UINT16_MAX, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(alarms); i++)
		is_int(module_severity(alarms[i].diagnosis), alarms[i].severity, "diagnosis %u",
		       alarms[i].diagnosis);
}

/* ---- reasons ------------------------------------------------------------------------------- */

static void health_test_reasons(void)
{
	/* blame, local, remote of both ends; blame 9: no report */
	static const struct {
		struct gauge_down near, far;
		enum reason_side side;
		uint8_t reason;
	} downs[] = {
		{ { 0, 0, 0 }, { 0, 0, 0 }, REASON_NONE, 0 },
		{ { 1, 1, 1 }, { 9, 0, 0 }, REASON_NONE, 0 },
		{ { 1, 23, 20 }, { 9, 0, 0 }, REASON_LOCAL, 23 },
		{ { 2, 23, 20 }, { 9, 0, 0 }, REASON_REMOTE, 20 },
		{ { 0, 23, 20 }, { 9, 0, 0 }, REASON_LOCAL, 23 },
		{ { 0, 0, 25 }, { 9, 0, 0 }, REASON_REMOTE, 25 },
		{ { 15, 200, 0 }, { 9, 0, 0 }, REASON_LOCAL, 200 },
		/* the other side's reason is not that of the blamed one */
		{ { 2, 23, 0 }, { 9, 0, 0 }, REASON_NONE, 0 },
		{ { 1, 1, 25 }, { 9, 0, 0 }, REASON_NONE, 0 },
		/* the blamed side itself knows best */
		{ { 2, 23, 20 }, { 1, 25, 0 }, REASON_REMOTE, 25 },
		{ { 2, 23, 0 }, { 0, 25, 0 }, REASON_REMOTE, 25 },
		{ { 1, 1, 0 }, { 0, 0, 27 }, REASON_LOCAL, 27 },
		/* a blame without a reason yields to the other one */
		{ { 1, 1, 25 }, { 1, 26, 0 }, REASON_REMOTE, 26 },
		{ { 1, 23, 0 }, { 1, 26, 0 }, REASON_LOCAL, 23 },
		{ { 0, 0, 0 }, { 2, 7, 22 }, REASON_LOCAL, 22 },
		{ { 9, 0, 0 }, { 0, 7, 0 }, REASON_REMOTE, 7 },
		{ { 9, 0, 0 }, { 9, 0, 0 }, REASON_NONE, 0 },
	};
	uint8_t reason;

	for (size_t i = 0; i < ARRAY_SIZE(downs); i++) {
		const struct gauge_down *near = &downs[i].near, *far = &downs[i].far;

		is_int(reason_choose(near->blame == 9 ? NULL : near, far->blame == 9 ? NULL : far, &reason),
		       downs[i].side, "blame %u, local %u, remote %u; %u, %u, %u: the side", near->blame,
		       near->local, near->remote, far->blame, far->local, far->remote);
		is_int(reason, downs[i].reason, "... and the reason");
	}
}

int main(void)
{
	health_test_rates();
	health_test_limits();
	health_test_ends();
	health_test_heat();
	health_test_degrees();
	health_test_alarms();
	health_test_reasons();
	return tap_done();
}
