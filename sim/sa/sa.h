/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Subnet administration (IBA volume 1, chapter 15): a program beside the subnet manager, on
 * its port, which answers requests for records from what the manager knows, keeps what is
 * registered there (multicast members, services, subscriptions) and reports notices to who
 * subscribed. The host's kernel does the RMPP.
 *
 * A request with the SM_Key is trusted: it sees all partitions, who is a member, keys and
 * P_Key tables. One with another SM_Key, or from a LID that the subnet does not have, is not
 * answered. Of SMInfoRecord there is the manager's own alone; SLtoVL and VL arbitration are
 * told as far as the manager has read them; GUIDInfoRecord is not set here. A response holds
 * 64 MB of records at most, else it is "no resources"; so is a request for PathRecords of
 * more than a million pairs.
 */
#ifndef SIM_SA_SA_H
#define SIM_SA_SA_H

#include <stdint.h>
#include "sim/host/host.h"
#include "sim/sa/subnet.h"

struct sa;

enum { SA_NOTICE_BYTES = 80 };

/* A multicast group that has members. */
struct sa_group {
	uint16_t mlid;
	uint32_t nmembers;
	const uint32_t *members; /* end ports, in the subnet's ports */
};

struct sa_options {
	uint32_t node;
	unsigned int port;
	const struct subnet *subnet; /* the manager's; looked at with each request */
	uint64_t sm_key;
	uint8_t priority; /* of the manager, for SMInfoRecord */
	/* The members of the group at mlid have changed (none: it is gone): the manager's
	 * to program. */
	void (*group)(void *context, const struct sa_group *group);
	void *context;
};

/* 0; -EINVAL, -ENOMEM; -EBUSY: the port's methods are taken. */
int sa_new(struct hosts *hosts, const struct sa_options *options, struct sa **sa);
void sa_free(struct sa *sa);

uint64_t sa_deadline(const struct sa *sa);
void sa_process(struct sa *sa, uint64_t now);

/* Reports a trap to subscribers as opensm does: not traps 129 to 131, and not the eleventh and later ones of equal
 * traps that are less than 5 s apart. */
void sa_trap(struct sa *sa, const uint8_t notice[SA_NOTICE_BYTES], uint64_t now);
/* Reports the data of a Notice to subscribers. Its Issuer GID is filled in where it is zero. */
void sa_notice(struct sa *sa, const uint8_t notice[SA_NOTICE_BYTES]);
/* A notice of the manager's own about a GID: traps 64 to 67. */
void sa_notice_gid(struct sa *sa, unsigned int trap, const uint8_t gid[16]);
/* The subnet has changed: what is registered for ports that are gone goes with them. */
void sa_subnet_changed(struct sa *sa);

/* An end port joins a group as a full member, or leaves it, by the rules for a request of its own. Returns as sm_join(). */
int sa_member_set(struct sa *sa, uint64_t guid, const uint8_t mgid[16], bool joins, uint64_t now);

/* Walks over the groups, for a manager that programs all of them: false when there is no
 * more; *place begins with 0. */
bool sa_next_group(const struct sa *sa, uint32_t *place, struct sa_group *group);

#endif
