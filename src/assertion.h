/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --assert: whether it held, and of what it did not. */
#ifndef SRC_ASSERTION_H
#define SRC_ASSERTION_H

#include "output.h"

/* Checks one record, which has passed the filter. It may be no record of its message: its
 * data and layout count. */
void assertion_try_record(struct output *out, const struct madkit_record *record);

/* Checks the records that pass the filter against the assertion. */
void assertion_try(struct output *out, const struct madkit_message *message);

/* Whether it held of everything, in a command that ends with the status; why not is
 * told. */
bool assertion_held(const struct output *out, int status);

#endif
