/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lengths of a tick of PortXmitWait: Tick of PortSamplesControl belongs to the device and the rate of the link, so that one
 * port of each kind is asked. */
#ifndef SRC_SURVEY_TICKS_H
#define SRC_SURVEY_TICKS_H

#include "request/difference.h"
#include "scope.h"

struct survey_ticks {
	struct ticks_kind *kinds;
	uint32_t n;
	uint32_t *
		kind_of; /* by port of the scope: number of its kind; UINT32_MAX: no tick is known of such devices */
	size_t *asked;          /* ports of the scope that are asked, by port of chosen */
	struct scope chosen;    /* the ports that are asked */
	const struct scope *of; /* all ports */
};

/* Chooses the kinds of the ports of a scope. Returns 0 or -ENOMEM. The caller frees them in either case. */
int survey_ticks_begin(struct survey_ticks *ticks, const struct scope *scope);
void survey_ticks_free(struct survey_ticks *ticks);

/* Returns the ports to ask next: one of each kind that no port has responded for yet; NULL: there are none. */
const struct scope *survey_ticks_next(struct survey_ticks *ticks);

/* Keeps the response of a port that survey_ticks_next() chose. at: its index in that scope. */
void survey_ticks_take(struct survey_ticks *ticks, size_t at, const struct answer *answer, size_t offset);

/* Returns the octets that a port of the scope could have sent during a tick; 0: they are not known. */
double survey_ticks_octets(const struct survey_ticks *ticks, size_t at);
/* Checks if they are known of any port. */
bool survey_ticks_any(const struct survey_ticks *ticks);

#endif
