/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds out why a registration was refused. */
#ifndef TRANSPORT_REFUSAL_H
#define TRANSPORT_REFUSAL_H

#include <stdbool.h>
#include <madkit/agent.h>
#include "util/private.h"

/* Sets the cause, the code (a positive errno) and the text. Returns the -errno of the cause. */
int refusal_set(struct madkit_refusal *refusal, enum madkit_refusal_cause cause, int code, const char *format,
		...) MADKIT_PRIVATE(refusal_set) __attribute__((format(printf, 4, 5)));

/*
 * Checks a registration for values that every kernel refuses: class, version, OUI, RMPP. Returns the cause
 * and fills in the refusal, or returns MADKIT_REFUSAL_NONE.
 */
enum madkit_refusal_cause refusal_from_request(const struct madkit_agent_attr *attr, int code,
					       struct madkit_refusal *refusal);

/* Checks if a registration must not be tried although the kernel accepts it: class 0 with methods, which the
 * kernel ignores. If so, fills in the refusal. */
bool refusal_before(const struct madkit_agent_attr *attr, struct madkit_refusal *refusal)
	MADKIT_PRIVATE(refusal_before);

/*
 * Finds out why a kernel refused a registration with code (a positive errno): from the registration, from the
 * flags that the kernel supports if refusal has them (supported_known, which is cleared unless a flag other
 * than MADKIT_AGENT_USER_RMPP may have been refused), and by registrations that request less. try() makes
 * such a registration and withdraws it; it returns 0 or a positive errno. Fills in refusal and returns the
 * -errno of its cause.
 */
int refusal_explain(const struct madkit_agent_attr *attr, int code, const char *device,
		    int (*try)(void *context, const struct madkit_agent_attr *attr), void *context,
		    struct madkit_refusal *refusal) MADKIT_PRIVATE(refusal_explain);

/* Same as refusal_set(), for a class that needs a queue pair that the device does not have. partner: the
 * device of the same port that has it, or NULL. */
int refusal_no_qp(struct madkit_refusal *refusal, uint8_t mgmt_class, const char *device,
		  const struct madkit_port_info *partner);

/* Same as refusal_set(), for methods that another agent has: refusal->taken. */
int refusal_taken(struct madkit_refusal *refusal, uint8_t mgmt_class, int code);

#endif
