/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rules and their limits by number. */
#ifndef HEALTH_RULES_H
#define HEALTH_RULES_H

#include <madkit/health.h>

/* In the order of the table: what prevents communication first. */
enum rule_number {
	RULE_SILENT,
	RULE_SM,
	RULE_GUID,
	RULE_LID,
	RULE_HALF,
	RULE_INIT,
	RULE_SLOW,
	RULE_MISCONFIGURED,
	RULE_MTU,
	RULE_ROUTE,
	RULE_PKEY,
	RULE_MODULE,
	RULE_TEMP,
	RULE_BER,
	RULE_FEC,
	RULE_FLAPPING,
	RULE_RISES,
	RULE_COUNTERS,
	RULE_NAME,
	RULE_FIRMWARE,
	RULES,
};

/* Limits of the rules that compare a link with others. */
enum { RULE_USUAL_SHARE, RULE_USUAL_LINKS };
/* ... of the rule counters: one for each counter, by its name ... */
enum { RULE_THRESHOLDS = 13 };
/* ... of the rule flapping ... */
enum { RULE_FLAPPING_HOUR, RULE_FLAPPING_DAY, RULE_FLAPPING_SWITCHES };
/* ... of the rule rises ... */
enum rule_rises_limit {
	RULE_RISES_SHORT_MINUTES,
	RULE_RISES_SHORT_BER,
	RULE_RISES_LONG_MINUTES,
	RULE_RISES_LONG_BER,
	RULE_RISES_RECOVERY,
	RULE_RISES_INTEGRITY,
	RULE_RISES_OVERRUN,
	RULE_RISES_RECEIVE,
	RULE_RISES_DISCARDS,
	RULE_RISES_REMOTE,
	RULE_RISES_RELAY,
	RULE_RISES_XMIT_CONSTRAINT,
	RULE_RISES_RCV_CONSTRAINT,
	RULE_RISES_VL15,
	RULE_RISES_WAIT,
	RULE_RISES_LIMITS
};
/* ... of the rule temp; unless they are given, of places without a threshold ... */
enum { RULE_TEMP_MODULE, RULE_TEMP_ASIC };
/* ... of the rule ber: powers of ten, without the sign ... */
enum rule_ber_limit {
	RULE_BER_EFFECTIVE,
	RULE_BER_SYMBOL,
	RULE_BER_RAW_NONE,
	RULE_BER_RAW_FIRECODE,
	RULE_BER_RAW_RS528,
	RULE_BER_RAW_RS544,
	RULE_BER_MINUTES,
	RULE_BER_LIMITS
};
/* ... and of those that need a second reading. */
enum { RULE_AGAIN_MS };

#endif
