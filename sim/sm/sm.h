/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The built-in subnet manager, with subnet administration: a program on one of the hosts,
 * which uses nothing but its umad device (host.h). It finds the subnet by directed routes,
 * gives LIDs, programs forwarding tables, makes ports active and answers the SA's records
 * (sa.h). LIDs that ports have stay, where they are valid; routes between end ports are
 * shortest ones, balanced over equal ones, without credit loops in fat trees (route.c).
 *
 * It sweeps again when a trap comes (128 to 131, 144), or, while something that it asked
 * was not answered or not done, after 1 s, 2 s and so on up to 64 s; else when it is told to
 * (sm_sweep()). A light sweep (sm_sweep_each()) reads the SwitchInfo of each switch, and leads to a sweep if a
 * port has changed or a switch does not respond: it finds what a lost trap reported. Each sweep reads everything anew and sets what is not as it is to be.
 *
 * As master it hands over to any manager that shows itself afterwards and is standby,
 * whatever its priority (its own is 0). Standby, it asks its master for SMInfo each second
 * and after three failures looks for itself. Where by the IBA's order (priority, then the
 * lower GUID) the master had to hand over to it, it says "not active" meanwhile, because
 * otherwise that one would; so it never gets mastership but from a lower manager that does
 * not care, or because there is none.
 *
 * It keeps the LMCs of ports, and assigns and routes all their LIDs.
 *
 * What it does not do: M_Keys (it sets none, and knows those that it can read),
 * partitions but the default one, quality of service (SL-to-VL and VL arbitration tables are
 * read, in subnets where that takes no more than 8192 SMPs, and not set), other GID prefixes,
 * routes without credit loops in topologies that have circles. Tables of
 * multicast groups that another manager left on switches where ours has no member stay.
 */
#ifndef SIM_SM_SM_H
#define SIM_SM_SM_H

#include <stdint.h>
#include "sim/host/host.h"

struct sm;

/* Seconds between light sweeps: the default is that of opensm. */
enum { SM_SWEEP_S = 10, SM_SWEEP_S_MAX = 86400 };

enum sm_state { SM_DISCOVERING, SM_STANDBY, SM_MASTER, SM_NOT_ACTIVE };

/* 0; -EINVAL: no such end port; -ENOMEM; -EAGAIN: the port has a subnet manager. */
int sm_new(struct hosts *hosts, uint32_t node, unsigned int port, uint64_t now, struct sm **sm);
void sm_free(struct sm *sm);
/* No more than window SMPs are to be outstanding. */
void sm_limit(struct sm *sm, uint32_t window);

/* When it has something to do, the SA with it; UINT64_MAX: nothing. */
uint64_t sm_deadline(const struct sm *sm);
void sm_process(struct sm *sm, uint64_t now);
/* Master, it sweeps as soon as it can. */
void sm_sweep(struct sm *sm);
/* Master, it sweeps lightly so many ns after each sweep; 0: never. */
void sm_sweep_each(struct sm *sm, uint64_t interval);
/* An end port becomes a full member of a multicast group, or leaves it. If the join creates the group, it has the rate and
 * the MTU of the broadcast group of IPoIB. 0; -ENOTCONN: the manager is not master, or has not finished its first sweep;
 * -ENOENT: the subnet does not have the port; -EDOM: no group has this MGID, and none can; -EINVAL: refused; -ENOMEM, also
 * of MLIDs. */
int sm_join(struct sm *sm, uint64_t guid, const uint8_t mgid[16], bool joins);
/* What is due before now is processed later than it was due: of the light sweeps, one is made up for. */
void sm_present(struct sm *sm, uint64_t now);

#endif
