/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds the agent of a port for a MAD, by the kernel's rules: for transports that receive MADs without that
 * information. Requests are matched by class, version, OUI and method, responses by the upper half of their
 * transaction ID, which identifies the agent.
 */
#ifndef TRANSPORT_FILTER_H
#define TRANSPORT_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/agent.h>

enum { FILTER_AGENTS = 32 }; /* same as umad */

struct filter_agent {
	struct madkit_agent_attr attr;
	uint32_t tid_high; /* 0: no agent has this number */
};

struct filter {
	struct filter_agent agents[FILTER_AGENTS];
	uint32_t last_tid_high;
};

/* Adds an agent. Returns 0 with *id, or -errno with the refusal: for registrations that the kernel refuses,
 * the classes of QP0, methods that another agent has, and if there is no room. An agent of class 0 gets the
 * requests that no other agent gets. */
int filter_add(struct filter *filter, const struct madkit_agent_attr *attr, uint32_t *id,
	       struct madkit_refusal *refusal);
void filter_remove(struct filter *filter, uint32_t id);

/* Returns the upper half of the transaction ID for a MAD that the agent sends; 0: a response, which keeps its
 * ID. */
uint32_t filter_tid_high(const struct filter *filter, uint32_t id, const uint8_t *mad, size_t len);
/* Checks if an agent with these attributes is registered for a request: compares class, version, OUI and
 * method, like the kernel (mad.c, find_mad_agent()). */
bool filter_takes(const struct madkit_agent_attr *attr, const uint8_t *mad, size_t len);

/* Finds the agent of a MAD. Returns false if no agent gets it. */
bool filter_find(const struct filter *filter, const uint8_t *mad, size_t len, uint32_t *id);

#endif
