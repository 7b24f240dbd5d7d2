/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a sweep and its requests have found: the line at the end. */
#ifndef SRC_SWEEP_SUMMARY_H
#define SRC_SWEEP_SUMMARY_H

#include "sweeping.h"

/* In JSON a line of kind "summary", otherwise on standard error. */
void sweeping_summary(struct sweeping *s);

#endif
