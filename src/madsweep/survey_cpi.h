/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Uses ClassPortInfo of a node to check if it has the attribute of a survey. */
#ifndef SRC_SURVEY_CPI_H
#define SRC_SURVEY_CPI_H

#include "survey_state.h"

/* Checks if the node has PortCountersExtended. */
bool survey_has_extended(const struct survey_node *node);

/* Evaluates the response to the request for ClassPortInfo. */
void survey_take_cpi(struct survey *survey, struct survey_node *node, const struct survey_ask *ask);

/* Removes the counters that the node does not have, so that they are not shown as 0. */
void survey_cut_errors(const struct survey *survey, struct survey_ask *ask);

#endif
