/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Prepares the nodes of a survey whose attribute is a register. All functions do nothing for other surveys. */
#ifndef SWEEP_SURVEY_REGISTERS_H
#define SWEEP_SURVEY_REGISTERS_H

#include "sweep/survey_ask.h"

/* Why the targets of a node are not requested. */
struct survey_refusal {
	int error; /* 0: they are */
	const char *reason;
};

/* Returns 0, -ENOMEM, or -EINVAL if the registers are those of another sweep. */
int survey_registers_open(struct madkit_survey *survey);

/* Checks if a node is being prepared. */
bool survey_registers_prepares(const struct madkit_survey *survey, uint32_t node);
/* Checks if a node is ready. If not, returns the next request that prepares it, or NULL: it waits, or is refused. */
bool survey_registers_ready(struct madkit_survey *survey, uint32_t node, struct survey_ask **ask,
			    struct survey_refusal *refusal);
/* Takes the response to it. Returns 0, or why it was not sent, which says nothing about the node. */
int survey_registers_take(struct madkit_survey *survey, struct survey_ask *ask);
/* Checks if a node, which has not responded to so many requests in a row, is asked something else. */
bool survey_registers_go_on(struct madkit_survey *survey, uint32_t node);
/* Lets nodes that wait for another node go on in its place, if nothing is outstanding. Returns true if there are any. */
bool survey_registers_pass_on(struct madkit_survey *survey);

/* Notes a response about a target. Returns why the other targets of its node are not requested. */
struct survey_refusal survey_registers_refused(struct madkit_survey *survey, const struct survey_ask *ask);

#endif
