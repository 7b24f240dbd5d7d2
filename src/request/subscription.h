/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A subscription to Reports of traps at the subnet administrator. */
#ifndef SRC_SUBSCRIPTION_H
#define SRC_SUBSCRIPTION_H

#include "exchange.h"

enum { SUBSCRIPTION_TRAPS_MAX = 64 };

struct subscription {
	/* set by the caller: */
	struct exchange *x;                /* with an agent that receives the Reports */
	void (*flush)(struct exchange *x); /* called before a line is shown; NULL: nothing to do */
	bool patient; /* a failure is reported once, no line of JSON is about the subscription, and it begins with an Active port */
	/* set by the functions: */
	struct madkit_port_events *events; /* NULL: the device has none */
	uint16_t traps[SUBSCRIPTION_TRAPS_MAX];
	size_t ntraps;
	uint32_t lid, sm_lid; /* the port's values when it subscribed last */
	bool held;            /* the manager at sm_lid may have a subscription */
	bool renewing, failing;
	bool was_down;              /* the port has not been Active since it subscribed last */
	int error;                  /* errno of the latest failed subscription; 0: a MAD status */
	uint64_t look_ns, renew_ns; /* port clock: time of the next attempt */
	uint64_t retry_ms;
};

/* Adds a trap, unless the subscription has it. Returns EXIT_DONE or EXIT_USAGE. */
int subscription_add(struct subscription *subscription, uint16_t trap);

/* Checks if the subscription has a trap. */
bool subscription_has(const struct subscription *subscription, uint16_t trap);

/* Subscribes to each trap. Returns EXIT_DONE or the status of the first failure, which was reported;
 * subscription_tend() tries again. Call subscription_end() in either case. */
int subscription_begin(struct subscription *subscription);

/* Call it between waits: renews the subscription when that is due, if the port's subnet manager changes, and if the
 * manager asks for reregistration. Waits for the responses. */
void subscription_tend(struct subscription *subscription);

/* Unsubscribes, after cli_clean_up(). */
void subscription_end(struct subscription *subscription);

#endif
