/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All of a simulated fabric: nodes and cables, the kernels of its hosts, a subnet manager
 * with its administration if one is wanted, and faults. It owns no clock, descriptor or
 * thread: it is told what time it is (nanoseconds), and the same calls with the same seed
 * give the same run, byte for byte.
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
	uint64_t hop_ns, answer_ns, training_ns; /* as struct fabric_options has them */
	struct fabric_vl15 vl15;
	bool sm;                /* run the built-in subnet manager */
	uint32_t sm_node;       /* where; TOPOLOGY_NONE: find_manager() */
	unsigned int sm_port;   /* its port; 0: find_port() */
	uint64_t sweep_ns;      /* between light sweeps of that; 0: none */
	uint32_t queue_max;     /* as hosts_new() has it */
	uint64_t tick_ns;       /* as hosts_set_tick() has it */
	bool return_on_failure; /* simulation_process() returns early after a failed sweep or lack of memory */
	/* May be NULL; changes nothing of the simulation. */
	void (*event)(void *context, const struct sim_event *event);
	void *context;
};

struct simulation {
	const struct topology *topology; /* the caller's, kept */
	struct fabric *fabric;
	struct hosts *hosts;
	struct sm *sm; /* NULL: none */
	uint32_t sm_node;
	struct faults *faults;
	uint64_t now;
	bool failed; /* since simulation_process() began */
	struct simulation_options options;
};

/* 0; -EINVAL: sm_node cannot have a subnet manager; -ENOMEM. */
int simulation_new(const struct topology *t, const struct simulation_options *options,
		   struct simulation **simulation);
void simulation_free(struct simulation *s);

/* When something is due; UINT64_MAX: nothing is. */
uint64_t simulation_deadline(const struct simulation *s);
/* Does all that is due at now and what follows from it at that time. After an early return, something is still due. */
void simulation_process(struct simulation *s, uint64_t now);

#endif
