/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rules about modules, and the temperature of devices: temp and module. */
#ifndef HEALTH_MODULES_H
#define HEALTH_MODULES_H

#include "health/gauges.h"
#include "health/problem.h"

/* How a temperature compares with its limit. */
enum module_heat {
	MODULE_NORMAL,
	MODULE_HOT,
	MODULE_UNKNOWN, /* there should be a temperature, but it is 0 */
	MODULE_NONE,    /* nothing to measure: no module, or a passive cable */
};

/* The highest temperature that is not a problem; own: it is the threshold of the place itself. */
struct module_limit {
	int high;
	bool own;
};

/* Chooses the limit: that of the settings if it was given, else the threshold, else the default. key: RULE_TEMP_...
 * threshold: in parts of a degree, as the limit then is; 0: the place has none. */
struct module_limit module_limit_choose(const struct madkit_health_settings *settings, unsigned int key,
					int threshold, unsigned int parts);

/* Judges the temperature of a module in a port, which has a link or not. high: its limit, in 1/256 C. */
enum module_heat module_judge_heat(const struct gauge_module *module, bool up, int high);

/* Returns the severity of a diagnosis; 0: it is not a problem of a module. */
uint8_t module_severity(uint16_t diagnosis);

/* Writes a temperature: "72.5 C". parts: of a degree. */
void module_put_heat(char text[PROBLEM_VALUE_BYTES], int temperature, unsigned int parts);

/* Judges all modules and devices by both rules. Returns 0 or -ENOMEM. */
int modules_judge(struct madkit_health *h);

#endif
