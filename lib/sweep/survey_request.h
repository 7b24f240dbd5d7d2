/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The request of a survey, of which each target gets a copy. */
#ifndef SWEEP_SURVEY_REQUEST_H
#define SWEEP_SURVEY_REQUEST_H

#include "sweep/survey_ask.h"

/* Copies the request of the caller, or makes it. Returns 0, -EINVAL or -ENOMEM. */
int survey_request_make(struct madkit_survey *survey);

#endif
