/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The results of a sweep and its requests: the line at the end. */
#ifndef SRC_SWEEP_SUMMARY_H
#define SRC_SWEEP_SUMMARY_H

#include "sweeping.h"

/* Writes the summary: in JSON a line of kind "summary", otherwise text on standard error. */
void sweeping_summary(struct sweeping *s);

#endif
