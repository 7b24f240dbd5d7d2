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
	RULE_COUNTERS,
	RULE_NAME,
	RULE_FIRMWARE,
	RULES,
};

/* Limits of the rules that compare a link with others. */
enum { RULE_USUAL_SHARE, RULE_USUAL_LINKS };
/* ... of the rule counters: one for each counter, by its name ... */
enum { RULE_THRESHOLDS = 13 };
/* ... and of those that need a second reading. */
enum { RULE_AGAIN_MS };

#endif
