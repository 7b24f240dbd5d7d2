/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rules about counters that grow: rises (of errors) and flapping (links that go down). */
#ifndef HEALTH_RISES_H
#define HEALTH_RISES_H

#include "health/state.h"

/* Lists the ports to read: all that are up, and those of switches that are down; and those of them without a response with
 * PortCountersExtended. again: for the second reading, of ports with a first one. Return 0 or -ENOMEM. */
int rises_list_wide(struct madkit_health *h, bool again);
int rises_list_narrow(struct madkit_health *h, bool again);

/* Notes that ClassPortInfo of a node does not have counters of errors in PortCountersExtended, or is not known. */
void rises_take_cpi(struct madkit_health *h, struct madkit_survey_result *result);

/* Keeps a reading. */
void rises_take(struct madkit_health *h, struct madkit_survey_result *result, const uint8_t *data);

/* Lists the ports that discard more than their limit, after the second readings. Returns 0 or -ENOMEM. */
int rises_list_discards(struct madkit_health *h);
/* Keeps PortXmitDiscardDetails. */
void rises_take_discards(struct madkit_health *h, size_t at, const uint8_t *data);

/* Lists the ports of links that went down between the readings: reasons_add(). Returns 0 or -ENOMEM. */
int rises_list_flapping(struct madkit_health *h);

/* Returns 0 or -ENOMEM. */
int rises_judge(struct madkit_health *h);

void rises_free(struct madkit_health *h);

#endif
