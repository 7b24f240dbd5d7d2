/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A request of a survey for a target or its node. */
#ifndef SRC_SURVEY_ASK_H
#define SRC_SURVEY_ASK_H

#include "survey_state.h"

/* Returns the name of a node: from a map, or its description. NULL: not known. */
const char *survey_known_name(const struct madkit_sweep *sweep, uint32_t node);
/* Writes the name of a target's node, or its GUID if the name is not known. */
void survey_name(const struct madkit_sweep *sweep, const struct survey_target *target,
		 char name[SURVEY_NAME_BYTES]);

/* Returns why the port has no LID to send to, or NULL if it has one. */
const char *survey_no_lid(const struct madkit_sweep *sweep, const struct survey_target *target);

/* Creates a request. Returns NULL if memory ran out. */
struct survey_ask *survey_ask_new(struct survey *survey, uint32_t node, size_t target, enum survey_step step);
/* Frees the answer, and keeps the memory of the request for the next one. */
void survey_ask_free(struct survey *survey, struct survey_ask *ask);

#endif
