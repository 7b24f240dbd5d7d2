/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of rules. */
#include "health/rules.h"
#include "util/array_size.h"
#include "wire/tables/tables.h"

static const struct madkit_rule_limit rules_usual[] = {
	[RULE_USUAL_SHARE] = { "usual", 50, 0, 100, "%",
			       "a value is usual if more links of the same two types of device have it" },
	[RULE_USUAL_LINKS] = { "links", 3, 1, 1000000, "", "... and at least so many" },
};

static const struct madkit_rule_limit rules_again[] = {
	[RULE_AGAIN_MS] = { "again", 1000, 0, 3600000, "ms",
			    "the second reading, which must agree, follows after" },
};

/* The defaults are those of ibcheckerrs. */
#define THRESHOLD(name, limit) \
	{ \
		name, limit, 0, UINT32_MAX, "", "the highest " name " that is not a problem" \
	}

static const struct madkit_rule_limit rules_thresholds[RULE_THRESHOLDS] = {
	THRESHOLD("SymbolErrorCounter", 10),
	THRESHOLD("LinkErrorRecoveryCounter", 10),
	THRESHOLD("LinkDownedCounter", 10),
	THRESHOLD("PortRcvErrors", 10),
	THRESHOLD("PortRcvRemotePhysicalErrors", 100),
	THRESHOLD("PortRcvSwitchRelayErrors", 100),
	THRESHOLD("PortXmitDiscards", 100),
	THRESHOLD("PortXmitConstraintErrors", 100),
	THRESHOLD("PortRcvConstraintErrors", 100),
	THRESHOLD("LocalLinkIntegrityErrors", 10),
	THRESHOLD("ExcessiveBufferOverrunErrors", 10),
	THRESHOLD("VL15Dropped", 100),
	THRESHOLD("PortXmitWait", UINT32_MAX),
};

static const struct madkit_rule_limit rules_flapping[] = {
	[RULE_FLAPPING_HOUR] = { "downs-hour", 3, 1, 1000000, "",
				 "a link that goes down so often in an hour is flapping" },
	[RULE_FLAPPING_DAY] = { "downs-day", 5, 1, 1000000, "", "... or so often in a day" },
	[RULE_FLAPPING_SWITCHES] = { "downs-switches", 1, 1, 1000000, "",
				     "between switches, so often at any time is a warning" },
};

/* The limits of a health check of Mellanox' UFM: 1e-14 for 12 minutes, 1e-15 for 125 minutes. */
#define RISE_COUNT(name) \
	{ \
		name, 0, 0, MADKIT_HEALTH_NO_LIMIT, "", "the highest rise of " name " that is not a problem" \
	}
#define RISE_RATE(name, limit) \
	{ \
		name, limit, 0, MADKIT_HEALTH_NO_LIMIT, "/s", \
			"the highest rate of " name " that is not a problem" \
	}

static const struct madkit_rule_limit rules_rises[RULE_RISES_LIMITS] = {
	[RULE_RISES_SHORT_MINUTES] = { "short-time", 12, 1, 100000, "min",
				       "the first limit of SymbolErrorCounter is one of so much time" },
	[RULE_RISES_SHORT_BER] = { "short-ber", 14, 6, 20, "",
				   "... at a bit error rate of 10 to the power of minus this" },
	[RULE_RISES_LONG_MINUTES] = { "long-time", 125, 1, 100000, "min",
				      "the second limit, in the same way" },
	[RULE_RISES_LONG_BER] = { "long-ber", 15, 6, 20, "", "... the second limit" },
	[RULE_RISES_RECOVERY] = RISE_COUNT("LinkErrorRecoveryCounter"),
	[RULE_RISES_INTEGRITY] = RISE_COUNT("LocalLinkIntegrityErrors"),
	[RULE_RISES_OVERRUN] = RISE_COUNT("ExcessiveBufferOverrunErrors"),
	[RULE_RISES_RECEIVE] = RISE_RATE("PortRcvErrors", 1),
	[RULE_RISES_DISCARDS] = RISE_RATE("PortXmitDiscards", 1),
	[RULE_RISES_REMOTE] = RISE_RATE("PortRcvRemotePhysicalErrors", MADKIT_HEALTH_NO_LIMIT),
	[RULE_RISES_RELAY] = RISE_RATE("PortRcvSwitchRelayErrors", MADKIT_HEALTH_NO_LIMIT),
	[RULE_RISES_XMIT_CONSTRAINT] = RISE_RATE("PortXmitConstraintErrors", MADKIT_HEALTH_NO_LIMIT),
	[RULE_RISES_RCV_CONSTRAINT] = RISE_RATE("PortRcvConstraintErrors", MADKIT_HEALTH_NO_LIMIT),
	[RULE_RISES_VL15] = RISE_RATE("VL15Dropped", MADKIT_HEALTH_NO_LIMIT),
	[RULE_RISES_WAIT] = RISE_RATE("PortXmitWait", MADKIT_HEALTH_NO_LIMIT),
};

/* Most modules have their own threshold; optics run at 60 to 70 C when healthy. */
static const struct madkit_rule_limit rules_temp[] = {
	[RULE_TEMP_MODULE] = { "module", 75, 1, 127, "C",
			       "the highest temperature of a module; the default: of those without a threshold" },
	[RULE_TEMP_ASIC] = { "asic", 90, 1, 150, "C", "... and of the chip of a device, in the same way" },
};

/* The highest rate that is not a problem, 10 to the power of minus this. Of random errors at the raw ones, the codes leave at most
 * 2e-13 (Firecode), 2e-18 (7 symbols of 528) and 4e-21 (15 symbols of 544). */
#define BER(name, limit, text) \
	{ \
		name, limit, 1, 20, "", "10 to the power of minus this is the highest " text \
	}

static const struct madkit_rule_limit rules_ber[RULE_BER_LIMITS] = {
	[RULE_BER_EFFECTIVE] = BER("effective", 14, "effective BER, up to EDR"),
	[RULE_BER_SYMBOL] = BER("symbol", 14, "symbol BER, from HDR on"),
	[RULE_BER_RAW_NONE] = BER("raw-none", 12, "raw BER of links without FEC"),
	[RULE_BER_RAW_FIRECODE] = BER("raw-firecode", 8, "raw BER with Firecode FEC"),
	[RULE_BER_RAW_RS528] = BER("raw-rs528", 5, "raw BER with RS(528,514) and low-latency FEC"),
	[RULE_BER_RAW_RS544] = BER("raw-rs544", 4, "raw BER with RS(544,514) and other FEC"),
	[RULE_BER_MINUTES] = { "time", 12, 0, 100000, "min",
			       "after its counters were cleared, the errors of a port count as those of so much time" },
};

#define LIMITS(array) array, ARRAY_SIZE(array)

static const struct madkit_rule rules_all[] = {
	[RULE_SILENT] = { "silent", MADKIT_SEVERITY_CRITICAL, true, true,
			  "a node or a port does not respond, or its response is contradictory",
			  "madsweep --via sa may name the node; several ports may lead to it; or it needs --m-key",
			  NULL, 0, false, false },
	[RULE_SM] = { "sm", MADKIT_SEVERITY_CRITICAL, true, true,
		      "no subnet manager is master, or several are; a port has the LID of another one",
		      "start one, stop all but one, or let the master sweep: madsweep -q Get SMInfo",
		      LIMITS(rules_again), false, false },
	[RULE_GUID] = { "guid", MADKIT_SEVERITY_CRITICAL, true, false,
			"a GUID of a node or port is 0, or two have it",
			"burn unique GUIDs into the firmware", NULL, 0, false, false },
	[RULE_LID] = { "lid", MADKIT_SEVERITY_CRITICAL, true, false,
		       "an Active port has no LID, or one of another port, or one that does not fit its LMC",
		       "let the subnet manager sweep again, and check for a second one", NULL, 0, false,
		       false },
	[RULE_HALF] = { "half", MADKIT_SEVERITY_CRITICAL, true, false,
			"the two ends of a link report different states, widths or speeds, twice",
			"let the link train again: madport PLACE reset", LIMITS(rules_again), false, false },
	[RULE_INIT] = { "init", MADKIT_SEVERITY_WARNING, true, false,
			"a link is up, but no subnet manager has activated it, twice",
			"check that the subnet manager runs, and its log for this port", LIMITS(rules_again),
			false, false },
	[RULE_SLOW] = { "slow", MADKIT_SEVERITY_WARNING, true, false,
			"a link is slower than both ends enable, and than most links of its kind",
			"reseat or replace the cable; if that does not help, try the ports at its ends",
			LIMITS(rules_usual), false, false },
	[RULE_MISCONFIGURED] = { "misconfigured", MADKIT_SEVERITY_WARNING, true, false,
				 "the ends of a link do not enable the best that both support",
				 "unless it is intended: madport PLACE speed auto, or width auto; the link trains again",
				 LIMITS(rules_usual), false, false },
	[RULE_MTU] = { "mtu", MADKIT_SEVERITY_WARNING, true, false,
		       "NeighborMTU of the ends differs, or is below what both support",
		       "check the MTU limits of the subnet manager, and that it sweeps", LIMITS(rules_usual),
		       false, false },
	[RULE_ROUTE] = { "route", MADKIT_SEVERITY_CRITICAL, false, true,
			 "packets to a LID do not arrive from a switch with hosts, by the forwarding tables",
			 "madsweep --route FROM,TO shows the hop; then the log of the subnet manager", NULL,
			 0, false, false },
	[RULE_PKEY] = { "pkey", MADKIT_SEVERITY_CRITICAL, false, true,
			"a switch port that enforces P_Keys lacks those of the host behind it",
			"compare partitions.conf with madsweep Get PKeyTable", NULL, 0, false, false },
	[RULE_MODULE] = { "module", MADKIT_SEVERITY_CRITICAL, false, true,
			  "a port reports an alarm of its module or cable, or that it does not support it",
			  "see madsweep Get LinkDiagnosis,ModuleInfo; reseat the module, or replace it", NULL,
			  0, false, true },
	[RULE_TEMP] = { "temp", MADKIT_SEVERITY_WARNING, false, true,
			"a module or a device is hotter than its threshold",
			"check fans and air flow; if its neighbours are cooler, replace the module",
			LIMITS(rules_temp), false, true },
	[RULE_BER] = { "ber", MADKIT_SEVERITY_WARNING, false, true,
		       "the bit error rate of a link is above its limit, after correction or before",
		       "clean, reseat or replace the cable; at one end: its receiver, or the other transmitter",
		       LIMITS(rules_ber), false, true },
	[RULE_FEC] = { "fec", MADKIT_SEVERITY_WARNING, false, true,
		       "the ends of a link use different forward error correction",
		       "update the firmware of both ends, and let the link train again: madport PLACE reset",
		       NULL, 0, false, true },
	[RULE_FLAPPING] = { "flapping", MADKIT_SEVERITY_CRITICAL, true, true,
			    "a link went down between two readings: between switches, or often",
			    "reboots and resets count, too; else reseat or replace the cable, and see madport PLACE",
			    LIMITS(rules_flapping), true, false },
	[RULE_RISES] = { "rises", MADKIT_SEVERITY_WARNING, true, true,
			 "a counter of errors rose by more than its limit between two readings",
			 "see madport PLACE; after a repair, check again with --for 125min under load",
			 LIMITS(rules_rises), true, false },
	[RULE_COUNTERS] = { "counters", MADKIT_SEVERITY_WARNING, false, true,
			    "a counter of errors is above its limit since it was last cleared",
			    "it may be old: look again with madport PLACE; madsweep --clear resets counters",
			    LIMITS(rules_thresholds), false, false },
	[RULE_NAME] = { "name", MADKIT_SEVERITY_INFO, true, true, "several nodes have the same description",
			"name them: rdma-ndd on hosts, the management of switches, or a node name map", NULL,
			0, false, false },
	[RULE_FIRMWARE] = { "firmware", MADKIT_SEVERITY_INFO, true, true,
			    "devices with the same PSID have different firmware", "update the older ones",
			    NULL, 0, false, false },
};

_Static_assert(ARRAY_SIZE(rules_all) == RULES && ARRAY_SIZE(rules_all) <= MADKIT_HEALTH_RULES_MAX,
	       "the table is complete");

const struct madkit_rule *madkit_health_rules(size_t *count)
{
	*count = ARRAY_SIZE(rules_all);
	return rules_all;
}

const struct madkit_attribute *madkit_health_attribute(void)
{
	return &madkit_attribute_problem_object;
}

uint64_t madkit_health_window_ms(const struct madkit_health_settings *settings, size_t rule)
{
	if (rule >= RULES || !rules_all[rule].compares)
		return 0;
	return rule == RULE_RISES ? settings->limits[rule][RULE_RISES_LONG_MINUTES] * 60000 : 3600000;
}

void madkit_health_settings_init(struct madkit_health_settings *settings)
{
	*settings = (struct madkit_health_settings){ .rules = 0 };
	for (size_t i = 0; i < ARRAY_SIZE(rules_all); i++) {
		settings->rules |= (uint32_t)rules_all[i].standard << i;
		for (size_t j = 0; j < rules_all[i].nlimits; j++)
			settings->limits[i][j] = rules_all[i].limits[j].value;
	}
}
