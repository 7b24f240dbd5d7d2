/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A complete simulated fabric: nodes and cables, the kernels of its hosts, faults, and optionally a subnet
 * manager with subnet administration. It has no clock, descriptor or thread: the caller passes the time in
 * nanoseconds. The same calls with the same seed give the same run, byte for byte.
 */
#ifndef SIM_SIMULATION_H
#define SIM_SIMULATION_H

#include <stdbool.h>
#include <stdint.h>
#include "sim/fabric/fabric.h"
#include "sim/fabric/fault.h"
#include "sim/host/host.h"
#include "sim/sm/sm.h"
#include "topology/topology.h"

struct simulation_options {
	uint64_t seed;
	uint64_t hop_ns, answer_ns, training_ns; /* see struct fabric_options */
	struct fabric_vl15 vl15;
	bool sm;                /* run the built-in subnet manager */
	uint32_t sm_node;       /* its node; TOPOLOGY_NONE: find_manager() */
	unsigned int sm_port;   /* its port; 0: find_port() */
	uint64_t sweep_ns;      /* between its light sweeps; 0: none */
	uint32_t queue_max;     /* see hosts_new() */
	uint64_t tick_ns;       /* see hosts_set_tick() */
	bool return_on_failure; /* simulation_process() returns after a failed sweep or without memory */
	/* May be NULL; has no effect on the simulation. */
	void (*event)(void *context, const struct sim_event *event);
	void *context;
};

struct simulation {
	const struct topology *topology; /* borrowed from the caller */
	struct fabric *fabric;
	struct hosts *hosts;
	struct sm *sm; /* NULL: none */
	uint32_t sm_node;
	struct faults *faults;
	uint64_t now;
	bool failed; /* since simulation_process() began */
	struct simulation_options options;
};

/* The topology must outlive the simulation. Returns 0; -EINVAL if sm_node cannot have a subnet manager;
 * -ENOMEM. */
int simulation_new(const struct topology *t, const struct simulation_options *options,
		   struct simulation **simulation);
void simulation_free(struct simulation *s);

/* Returns the time of the next event, or UINT64_MAX if none is due. */
uint64_t simulation_deadline(const struct simulation *s);
/* Processes all events that are due by now, including those that follow from them. After an early return,
 * some are still due. */
void simulation_process(struct simulation *s, uint64_t now);

#endif
