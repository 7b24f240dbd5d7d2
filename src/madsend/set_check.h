/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks if a Set took effect. */
#ifndef SRC_SET_CHECK_H
#define SRC_SET_CHECK_H

#include "request/exchange.h"

/*
 * Compares the Field=value words of a Set with the response, which has the values that are in effect (IBA
 * volume 1, sections 14.2.5 and A10.4.3), and reports each difference. Requests to set a state, values that
 * mean "no change", keys, resets of counters, and attributes of other classes are not compared. Returns
 * EXIT_DONE or EXIT_NOTHING.
 */
int set_check(const struct request *request, const struct answer *answer);

/* Sets bit 31 of the modifier, without which a Set of PortInfo does not change extended speeds, if the
 * response to a Get shows that the port has them. */
void set_extended(struct request *request, const struct madkit_message *get);

#endif
