/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The built-in subnet manager, with subnet administration: a program on one of the hosts,
 * which uses nothing but its umad device (host.h). It finds the subnet by directed routes,
 * gives LIDs, programs forwarding tables, makes ports active, answers the SA's records
 * (sa.h) and sweeps again when a trap comes. It yields to every other subnet manager that
 * shows itself, and takes over when that is gone.
 */
#ifndef SIM_SM_H
#define SIM_SM_H

#include <stdint.h>
#include "sim/host.h"
#include "sim/subnet.h"

struct sm;

enum sm_state { SM_DISCOVERING, SM_STANDBY, SM_MASTER, SM_NOT_ACTIVE };

struct sm_options {
	uint32_t node;
	unsigned int port;
	uint64_t seed;
	uint32_t window;	/* SMPs outstanding; 0: 64 */
	void (*state)(void *context, enum sm_state state);	/* may be NULL */
	void (*swept)(void *context, uint32_t nodes);	/* all that was found is up; may be NULL */
	void *context;
};

/* 0; -EINVAL, -ENOMEM; -EAGAIN: the port has a subnet manager. */
int sm_new(struct hosts *hosts, const struct sm_options *options, uint64_t now, struct sm **sm);
void sm_free(struct sm *sm);

uint64_t sm_deadline(const struct sm *sm);
void sm_process(struct sm *sm, uint64_t now);
enum sm_state sm_state(const struct sm *sm);
/* What it knows now. */
const struct subnet *sm_subnet(const struct sm *sm);
/* End ports for which there was no LID any more. */
uint32_t sm_without_lid(const struct sm *sm);

#endif
