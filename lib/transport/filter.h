/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which agent of a port a MAD is for, as the kernel decides it: for a transport
 * whose MADs come without that. Requests go by class, version, OUI and method;
 * responses by the upper half of their transaction ID, which is the agent's.
 */
#ifndef TRANSPORT_FILTER_H
#define TRANSPORT_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/agent.h>

enum { FILTER_AGENTS = 32 }; /* umad's number */

struct filter_agent {
	struct madkit_agent_attr attr;
	uint32_t tid_high; /* 0: there is no agent of that number */
};

struct filter {
	struct filter_agent agents[FILTER_AGENTS];
	uint32_t last_tid_high;
};

/* 0 with *id; or what the refusal says then: what the kernel refuses, QP0's classes,
 * methods that another agent has, no room. Class 0 takes what nobody else does. */
int filter_add(struct filter *filter, const struct madkit_agent_attr *attr, uint32_t *id,
	       struct madkit_refusal *refusal);
void filter_remove(struct filter *filter, uint32_t id);

/* What the agent writes into the upper half of the MAD's transaction ID; 0: nothing, it is a
 * response. */
uint32_t filter_tid_high(const struct filter *filter, uint32_t id, const uint8_t *mad, size_t len);
/* Whether a request is one that an agent with these attributes is registered for: its class,
 * version, OUI and method, as the kernel compares them (mad.c, find_mad_agent()). */
bool filter_takes(const struct madkit_agent_attr *attr, const uint8_t *mad, size_t len);

/* False: nobody's. */
bool filter_find(const struct filter *filter, const uint8_t *mad, size_t len, uint32_t *id);

#endif
