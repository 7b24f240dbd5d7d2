/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Why a registration was refused. */
#ifndef TRANSPORT_REFUSAL_H
#define TRANSPORT_REFUSAL_H

#include <stdbool.h>
#include <madkit/agent.h>
#include "util/private.h"

/* Sets cause, code (a positive errno) and words; returns the -errno of the
 * cause. */
int refusal_set(struct madkit_refusal *refusal, enum madkit_refusal_cause cause, int code, const char *format,
		...) MADKIT_PRIVATE(refusal_set) __attribute__((format(printf, 4, 5)));

/*
 * Looks for what the kernel refuses in every such request, whoever asks: class,
 * version, OUI, RMPP. The cause (words and all are set then), or
 * MADKIT_REFUSAL_NONE.
 */
enum madkit_refusal_cause refusal_from_request(const struct madkit_agent_attr *attr, int code,
					       struct madkit_refusal *refusal);

/* Whether a request is not to be made at all, though a kernel takes it: class 0 with methods,
 * which it then forgets. The cause is in refusal. */
bool refusal_before(const struct madkit_agent_attr *attr, struct madkit_refusal *refusal)
	MADKIT_PRIVATE(refusal_before);

/*
 * What a kernel answered to a registration (code, a positive errno) in words: by the request,
 * by the flags that it supports if refusal has them (supported_known, which is cleared unless
 * a flag other than MADKIT_AGENT_USER_RMPP may have been refused), and by asking for less: try()
 * says 0 or a positive errno, and takes no place for good. Fills refusal; returns the -errno of its
 * cause.
 */
int refusal_explain(const struct madkit_agent_attr *attr, int code, const char *device,
		    int (*try)(void *context, const struct madkit_agent_attr *attr), void *context,
		    struct madkit_refusal *refusal) MADKIT_PRIVATE(refusal_explain);

/* As refusal_set(), for methods that another agent has: refusal->taken. */
int refusal_taken(struct madkit_refusal *refusal, uint8_t mgmt_class, int code);

#endif
