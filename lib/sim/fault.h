/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What goes wrong on purpose: rules that drop, delay, duplicate, reorder or corrupt packets
 * as they leave a port, at a rate or at chosen packets, by a seed; and nodes that are gone.
 * (A cable that is pulled is fabric_cable().)
 */
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

#include <stdbool.h>
#include <stdint.h>
#include "sim/fabric.h"

enum fault_action {
	FAULT_DROP, FAULT_DELAY, FAULT_DUPLICATE, FAULT_REORDER, FAULT_CORRUPT,
};

struct fault_rule {
	enum fault_action action;
	uint32_t node;		/* TOPOLOGY_NONE: any */
	int port;		/* -1: any */
	int mgmt_class, method, attribute;	/* -1: any */
	uint32_t rate;		/* in a million, of those that match */
	uint64_t first, count;	/* or these: the first-th that matches (from 1) and count - 1
				 * after it; first 0: by rate. count 0: all */
	uint64_t delay_ns;	/* DELAY; REORDER: until at most so long after */
};

struct faults;

#endif
