/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What happens in a simulation, for who watches it. */
#ifndef SIM_EVENT_H
#define SIM_EVENT_H

#include <stddef.h>
#include <stdint.h>
#include "sim/fabric/fabric.h"

enum sim_event_kind {
	EVENT_PORT_STATE,   /* state: what it is now; was: before */
	EVENT_DROP,         /* why, head, mad */
	EVENT_FAULT,        /* name: what is done to a packet; count: by which rule; head,
				 * mad: as they were before */
	EVENT_OVERFLOW,     /* count: MADs that a full queue has dropped in all */
	EVENT_SM_STATE,     /* name: "discovering", "master", "standby", "not-active" */
	EVENT_SUBNET_UP,    /* count: nodes; after each sweep that changed something */
	EVENT_SWEEP_FAILED, /* error */
};

struct sim_event {
	enum sim_event_kind kind;
	uint64_t time; /* ns, the simulation's */
	uint32_t node;
	unsigned int port;
	uint8_t state, was;
	enum fabric_drop why;
	const char *name;
	uint64_t count;
	int error; /* -errno */
	const struct fabric_head *head;
	const uint8_t *mad;
	size_t len;
};

#endif
