/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Subnet administration (IBA volume 1, chapter 15). It runs on the port of the subnet manager, answers
 * requests for records of the manager's subnet, keeps registrations (multicast members, services,
 * subscriptions) and reports notices to subscribers. The host's kernel does the RMPP.
 *
 * A request with the SM_Key is trusted: it sees all partitions, group members, keys and P_Key tables. A
 * request with another SM_Key, or from a LID that is not in the subnet, is not answered. The only
 * SMInfoRecord is the manager's own. SLtoVL and VL arbitration records exist only if the manager has read
 * the tables. GUIDInfoRecord cannot be set. A response holds at most 64 MiB of records; a larger response,
 * or a request for PathRecords of more than 2^20 pairs, ends in "no resources".
 */
#ifndef SIM_SA_SA_H
#define SIM_SA_SA_H

#include <stdint.h>
#include "sim/host/host.h"
#include "sim/sa/subnet.h"

struct sa;

enum { SA_NOTICE_BYTES = 80 };

/* A multicast group and its members. */
struct sa_group {
	uint16_t mlid;
	uint32_t nmembers;
	const uint32_t *members; /* end ports: indexes into the subnet's ports */
};

struct sa_options {
	uint32_t node;
	unsigned int port;
	const struct subnet *subnet; /* the manager's; read at each request */
	uint64_t sm_key;
	uint8_t priority; /* of the manager, for SMInfoRecord */
	/* Called when the members of a group have changed, so that the manager programs the switches.
	 * Without members, the group has ended or is empty. May be NULL. */
	void (*group)(void *context, const struct sa_group *group);
	void *context;
};

/* Returns 0; -EINVAL if there is no such end port; -ENOMEM; -EBUSY if the port's methods are taken. */
int sa_new(struct hosts *hosts, const struct sa_options *options, struct sa **sa);
void sa_free(struct sa *sa);

uint64_t sa_deadline(const struct sa *sa);
void sa_process(struct sa *sa, uint64_t now);

/* Reports a trap to subscribers as opensm does: not traps 129 to 131, and not the eleventh and later of
 * equal traps that are less than 5 s apart. */
void sa_trap(struct sa *sa, const uint8_t notice[SA_NOTICE_BYTES], uint64_t now);
/* Reports a Notice to subscribers. If its Issuer GID is zero, it is filled in from the Issuer LID. */
void sa_notice(struct sa *sa, const uint8_t notice[SA_NOTICE_BYTES]);
/* Reports a notice of the manager about a GID: traps 64 to 67. */
void sa_notice_gid(struct sa *sa, unsigned int trap, const uint8_t gid[16]);
/* The subnet has changed: removes the memberships and subscriptions of ports that are gone. Services stay. */
void sa_subnet_changed(struct sa *sa);

/* Makes an end port a full member of a group, or removes it, by the rules for a request of the port
 * itself. Returns the same values as sm_join(). */
int sa_member_set(struct sa *sa, uint64_t guid, const uint8_t mgid[16], bool joins, uint64_t now);

/* Iterates over the groups that have members. *place must be 0 at first. Returns false after the last
 * group. */
bool sa_next_group(const struct sa *sa, uint32_t *place, struct sa_group *group);

#endif
