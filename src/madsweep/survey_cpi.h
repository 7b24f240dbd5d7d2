/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What ClassPortInfo of a node says of the attribute of a survey. */
#ifndef SRC_SURVEY_CPI_H
#define SRC_SURVEY_CPI_H

#include "survey_state.h"

/* Whether the node has PortCountersExtended. */
bool survey_has_extended(const struct survey_node *node);

/* The request for ClassPortInfo has ended. */
void survey_take_cpi(struct survey *survey, struct survey_node *node, const struct survey_ask *ask);

/* Cuts off the counters that the node does not have, so that they do not seem to be 0. */
void survey_cut_errors(const struct survey *survey, struct survey_ask *ask);

#endif
