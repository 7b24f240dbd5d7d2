/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A request of a survey, about a target or its node. */
#ifndef SRC_SURVEY_ASK_H
#define SRC_SURVEY_ASK_H

#include "survey_state.h"

/* The name of a node: that of a map, or its description. NULL: not known. */
const char *survey_known_name(const struct madkit_sweep *sweep, uint32_t node);
/* The same of the node of a target, or its GUID. */
void survey_name(const struct madkit_sweep *sweep, const struct survey_target *target,
		 char name[SURVEY_NAME_BYTES]);

/* Why the port has no LID to send to. NULL: it has one. */
const char *survey_no_lid(const struct madkit_sweep *sweep, const struct survey_target *target);

/* NULL: no memory. */
struct survey_ask *survey_ask_new(struct survey *survey, uint32_t node, size_t target, enum survey_step step);
void survey_ask_free(struct survey *survey, struct survey_ask *ask);

#endif
