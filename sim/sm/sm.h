/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The built-in subnet manager with subnet administration: a program on one of the hosts, which uses
 * nothing but its umad device (host.h). It discovers the subnet by directed routes, assigns LIDs, programs
 * forwarding tables, activates ports and answers SA requests (sa.h). Ports keep the LIDs that they have,
 * if these are valid. Routes between end ports are shortest ones, balanced over equal ones, and without
 * credit loops in fat trees (route.c).
 *
 * It sweeps when a trap arrives (128 to 131, 144), or when sm_sweep() is called. If a request of a sweep
 * was not answered or was refused, it sweeps again after 1 s, 2 s and so on, up to 64 s. A light sweep
 * (sm_sweep_each()) reads the SwitchInfo of each switch, and leads to a full sweep if a port has changed
 * or a switch does not respond: it detects changes whose trap was lost. Each full sweep discovers the
 * subnet again and corrects any deviation.
 *
 * As master, it hands over to any standby manager that appears later, whatever its priority (its own is
 * 0). As standby, it polls the SMInfo of its master each second, and discovers the subnet again after
 * three failures. If the IBA's order (priority, then the lower GUID) obliges the master to hand over to
 * it, it reports "not active" meanwhile to prevent that. It therefore becomes master only if there is no
 * other manager, or if a lower-ranked one hands over regardless.
 *
 * It keeps the LMCs of ports, and assigns and routes all their LIDs. Planes of a port share its LID, which is routed to
 * the first of them that is up.
 *
 * Not supported: M_Keys (those that can be read are used and cleared), partitions other than the default
 * one, quality of service (SL-to-VL and VL arbitration tables are never set, and are read only in subnets
 * with at most 8192 SL-to-VL tables), other GID prefixes, and routes without credit loops in topologies
 * with circles. Multicast tables that another manager left stay on switches where this one has no members.
 */
#ifndef SIM_SM_SM_H
#define SIM_SM_SM_H

#include <stdint.h>
#include "sim/host/host.h"

struct sm;

/* Seconds between light sweeps; the default is opensm's. */
enum { SM_SWEEP_S = 10, SM_SWEEP_S_MAX = 86400 };

enum sm_state { SM_DISCOVERING, SM_STANDBY, SM_MASTER, SM_NOT_ACTIVE };

/* Returns 0; -EINVAL if there is no such end port; -ENOMEM; -EAGAIN if the port already has a subnet
 * manager. */
int sm_new(struct hosts *hosts, uint32_t node, unsigned int port, uint64_t now, struct sm **sm);
void sm_free(struct sm *sm);
/* Limits the SMPs that may be outstanding. The limit cannot be raised; 0 is ignored. */
void sm_limit(struct sm *sm, uint32_t window);

/* Returns the time (ns) at which the manager or its SA has something to do; UINT64_MAX if never. */
uint64_t sm_deadline(const struct sm *sm);
void sm_process(struct sm *sm, uint64_t now);
/* As master, sweeps as soon as possible. */
void sm_sweep(struct sm *sm);
/* As master, does a light sweep interval ns after each sweep; 0: never. */
void sm_sweep_each(struct sm *sm, uint64_t interval);
/*
 * Makes an end port a full member of a multicast group, or removes it. If the join creates the group, the
 * group has the rate and the MTU of IPoIB's broadcast group. Returns 0; -ENOTCONN if the manager is not
 * master, or has not finished its first sweep; -ENOENT if the subnet does not have the port; -EDOM if no
 * group has this MGID and none may be created with it; -EINVAL if the request is refused; -ENOMEM if out
 * of memory or MLIDs.
 */
int sm_join(struct sm *sm, uint64_t guid, const uint8_t mgid[16], bool joins);
/* Anything due before now is processed late; of several missed light sweeps, only one is done. */
void sm_present(struct sm *sm, uint64_t now);

#endif
