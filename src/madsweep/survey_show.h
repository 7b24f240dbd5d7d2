/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The output of a survey, in the order of its targets if results are held. */
#ifndef SRC_SURVEY_SHOW_H
#define SRC_SURVEY_SHOW_H

#include "survey_state.h"

/* Shows a result with its node and port. */
void survey_show(struct survey *survey, struct survey_ask *ask);

/* Checks if a result is not shown, so that it need not be held. */
bool survey_is_dropped(const struct survey *survey, struct survey_ask *ask);

/* Shows held results up to the first target that has not ended, or all. */
void survey_release(struct survey *survey, bool all);

/* If the output failed, names the ports that were cleared without a line. */
void survey_tell_unwritten(const struct survey *survey);

#endif
