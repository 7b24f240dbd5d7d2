/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Internals of subnet administration. A request becomes a query: the wanted bytes, and a mask of the bits
 * of a record that must equal them. Each attribute builds its records one by one and offers them; the
 * records that match are appended to the response.
 *
 *   device.c   the program at its port
 *   answer.c   turns a request into a response; the table of attributes
 *   match.c    component masks and selectors
 *   lookup.c   LIDs, GIDs, partitions and rates
 *   records.c  records of the manager's subnet
 *   path.c     paths: PathRecord, MultiPathRecord, TraceRecord
 *   group.c, member.c, service.c, inform.c   registrations
 */
#ifndef SIM_SA_INTERNAL_H
#define SIM_SA_INTERNAL_H

#include <madkit/field.h>
#include <madkit/buf.h>
#include <madkit/mad.h>
#include "sim/sa/sa.h"
#include "util/table.h"
#include "wire/status.h"

enum {
	SA_RECORD_MAX = 200,       /* bytes of one record, and of the data of one MAD */
	SA_RESPONSE_MAX = 1 << 26, /* bytes of all records of a response */
	SA_GROUPS_MAX = FABRIC_MULTICAST_CAP,
	SA_SERVICES_MAX = 1 << 16,
	SA_SUBSCRIPTIONS_MAX = 1 << 16,
	SA_REPORTS_MAX = 1 << 16, /* waiting; later notices are not reported */
	SA_REPORTS_SENT = 64,     /* sent and not yet answered, at most */
	SA_TRAPS_SEEN = 256,
	SA_EXACTLY = 2,     /* the selector in responses */
	SA_STATE_KEEPS = 9, /* JoinState bits that keep a group alive: FullMember and SendOnlyFullMember */
	SA_LIFE_TIME = 18,  /* 4.096 us * 2^18: PacketLifeTime and RespTimeValue */
};

/* Class-specific statuses; status.h has the common ones (IBA volume 1, table 193). */
enum {
	SA_OK,
	SA_NO_RESOURCES = MADKIT_SA_STATUS_NO_RESOURCES << MADKIT_STATUS_CLASS_SHIFT,
	SA_INVALID = MADKIT_SA_STATUS_INVALID_REQUEST << MADKIT_STATUS_CLASS_SHIFT,
	SA_NO_RECORDS = MADKIT_SA_STATUS_NO_RECORDS << MADKIT_STATUS_CLASS_SHIFT,
	SA_TOO_MANY = MADKIT_SA_STATUS_TOO_MANY_RECORDS << MADKIT_STATUS_CLASS_SHIFT,
	SA_INVALID_GID = MADKIT_SA_STATUS_INVALID_GID << MADKIT_STATUS_CLASS_SHIFT,
	SA_INSUFFICIENT = MADKIT_SA_STATUS_INSUFFICIENT_COMPONENTS << MADKIT_STATUS_CLASS_SHIFT,
};

/* ---- registered objects ---------------------------------------------------------- */

struct sa_member {
	uint64_t guid;
	uint8_t state; /* JoinState */
	bool proxy;
};

struct sa_mgroup {
	uint8_t record[SA_RECORD_MAX]; /* MCMemberRecord without the components of a member */
	bool permanent;
	struct sa_member *members;
	uint32_t *ports; /* of each member: index into the subnet's ports */
	uint32_t nmembers, members_cap, ports_cap;
	uint32_t nfull;       /* members whose JoinState keeps the group alive */
	struct table by_guid; /* indexes into members, also stale ones */
	bool lost;            /* by_guid is incomplete, for lack of memory */
};

struct sa_service {
	uint8_t record[SA_RECORD_MAX];
	uint64_t expires; /* ns; UINT64_MAX: never */
};

struct sa_subscription {
	uint32_t number;       /* identifies it in its reports */
	uint8_t info[36];      /* InformInfo, with the QPN of the subscriber */
	uint64_t guid;         /* of the subscriber */
	struct madkit_addr to; /* the LID is looked up for each report */
};

struct sa_report {
	uint32_t number; /* of the subscription */
	bool sent;
	uint32_t tid;
	uint8_t notice[SA_NOTICE_BYTES];
};

/* Counts equal notices that arrived as traps. */
struct sa_trap_seen {
	uint64_t key;  /* a hash of the notice */
	uint64_t ends; /* when the count restarts, ns */
	uint32_t count;
};

struct sa {
	struct sa_options options;
	struct sa_mgroup **groups; /* SA_GROUPS_MAX entries, by MLID */
	struct sa_service *services;
	uint32_t nservices, services_cap;
	uint64_t first_expires; /* earliest expiry of a service; UINT64_MAX: none */
	struct sa_subscription *subscriptions;
	uint32_t nsubscriptions, subscriptions_cap, numbers;
	struct sa_report *reports; /* in sending order */
	uint32_t nreports, reports_cap, nsent, tids;
	struct sa_trap_seen traps_seen[SA_TRAPS_SEEN];
	uint32_t mgids; /* assigned so far */
	struct madkit_buf response;
	struct hosts *hosts;
	struct host_file *file;
	uint32_t agent;
};

/* Initialise and free everything except the host's part. Tests use them without a host. */
int sa_init(struct sa *sa, const struct sa_options *options);
void sa_fini(struct sa *sa);

/* ---- requests -------------------------------------------------------------------- */

struct sa_query;

/* Handles a query. Returns a status. */
typedef int sa_handler(struct sa_query *q);
/* Builds and offers the records of a port. */
typedef void sa_maker(struct sa_query *q, uint32_t port);

enum sa_action { SA_GET, SA_SET, SA_DELETE, SA_TRACE, SA_MULTI, SA_ACTIONS };

/* The objects that have records. SA_ALL_PORTS: all ports of a switch, and the end ports of an adapter. */
enum sa_over { SA_END_PORTS, SA_ALL_PORTS, SA_SWITCHES };

struct sa_attribute {
	uint16_t id;
	uint16_t bytes; /* of a record in a response */
	/* handlers; NULL: the attribute does not have the method. SA_GET also handles GetTable */
	sa_handler *on[SA_ACTIONS];
	bool trusted;    /* only for requesters with the SM_Key */
	bool single;     /* has no GetTable */
	uint16_t layout; /* the attribute whose components a request uses; 0: its own */
	/* for sa_each() */
	enum sa_over over;
	sa_maker *make;
};

struct sa_query {
	struct sa *sa;
	const struct sa_attribute *attribute;
	const struct madkit_addr *from;
	uint64_t now;
	uint32_t requester; /* end port: index into the subnet's ports */
	bool trusted;       /* has the SM_Key */
	bool table;         /* the response may have any number of records */
	uint32_t modifier;
	uint64_t mask;       /* component mask */
	const uint8_t *data; /* of the request */
	size_t len;
	uint8_t wanted[SA_RECORD_MAX];  /* the beginning of data, padded with zeros */
	uint8_t named[SA_RECORD_MAX];   /* the bits of the components in mask */
	uint8_t compare[SA_RECORD_MAX]; /* the bits to compare exactly */
	uint8_t record[SA_RECORD_MAX];  /* being built */
	struct madkit_buf *out;
	uint32_t count; /* number of records offered that match */
	uint16_t told;  /* attribute of the response; 0: that of the request */
};

/*
 * Writes the response to a message of class SubnAdm into out, which must be empty and limited to
 * SA_RESPONSE_MAX. The RMPP header of a table only marks it for sending by RMPP. Returns false if there is
 * no response. Resulting reports are added to sa->reports.
 */
bool sa_answer(struct sa *sa, const struct madkit_addr *from, const uint8_t *message, size_t len,
	       uint64_t now, struct madkit_buf *out);

/* ---- match.c ------------------------------------------------------------------ */

/* Sets in named the bits of a record that mask selects. Returns 0; SA_INVALID if mask selects a component
 * that does not exist; SA_INSUFFICIENT if it selects only part of a component. */
int sa_compile(const struct madkit_layout *layout, uint64_t mask, uint8_t named[SA_RECORD_MAX]);
/* Checks if the component mask of the request selects this field. */
bool sa_names(const struct sa_query *q, uint64_t which);
/* Exclude a field from the comparison, or include it. */
void sa_ignore(struct sa_query *q, uint64_t which);
void sa_compare(struct sa_query *q, uint64_t which);
bool sa_agrees(const struct sa_query *q, const uint8_t *record);
/* Appends q->record to the response, or only counts it if a Get already has a record. */
void sa_put(struct sa_query *q);
/* Calls sa_put() if q->record matches the request. */
void sa_offer(struct sa_query *q);

/* Kinds of encoded values that selectors compare. */
enum sa_ladder { SA_MTUS, SA_RATES };
/* sa_step() returns the rank of a value, or -1 if it is not valid. sa_least() returns the smaller of two. */
int sa_step(enum sa_ladder ladder, unsigned int value);
unsigned int sa_least(enum sa_ladder ladder, unsigned int a, unsigned int b);
/*
 * Returns the value to report for a path that supports all values up to best. selector and value are the
 * fields of the request that it must satisfy. Returns 0 if it cannot.
 */
unsigned int sa_select(const struct sa_query *q, enum sa_ladder ladder, uint64_t selector, uint64_t value,
		       unsigned int best);
/* Returns false if the request selects by a value that is not valid. */
bool sa_select_is_valid(const struct sa_query *q, enum sa_ladder ladder, uint64_t selector, uint64_t value);
/* Checks if a time satisfies the request. Unlike an MTU or rate, it is not reported as less than it is. */
bool sa_select_time(const struct sa_query *q, uint64_t selector, uint64_t value, unsigned int time);

/* ---- the subnet: lookup.c, records.c --------------------------------------- */

/* Reads a field of the request; writes a field of the record being built. */
static inline uint64_t sa_wanted(const struct sa_query *q, uint64_t which)
{
	return field_get(which, q->wanted);
}

static inline void sa_record_put(struct sa_query *q, uint64_t which, uint64_t v)
{
	field_put(which, q->record, v);
}

/* Return the end port with this LID, or with this GUID (its first or an alias), or SUBNET_NONE. */
uint32_t sa_port_by_lid(const struct sa *sa, unsigned int lid);
uint32_t sa_port_by_guid(const struct sa *sa, uint64_t guid);
/* Finds the end port with this GID. Returns 0; -ENOENT if no port has it; -EINVAL if its prefix is not
 * that of the subnet. On errors, *port is SUBNET_NONE. */
int sa_port_by_gid(const struct sa *sa, const uint8_t gid[16], uint32_t *port);
/* The prefix of the subnet's GIDs. */
uint64_t sa_prefix(const struct sa *sa);
void sa_gid_of(const struct sa *sa, uint32_t port, uint8_t gid[16]);
/* Returns the first LID of the port, or 0 if it has none. */
uint16_t sa_lid_of(const struct sa *sa, uint32_t port);
/* Returns a P_Key of a that lets the two end ports communicate, or 0 if there is none. */
uint16_t sa_common_pkey(const struct sa *sa, uint32_t a, uint32_t b);
/* Returns the P_Key of the port that matches this one, or 0 if there is none. Two limited P_Keys do not
 * match. */
uint16_t sa_has_pkey(const struct sa *sa, uint32_t port, uint16_t pkey);
/* Encoded rate and MTU of a port. */
unsigned int sa_rate_of(const uint8_t *port_info);
unsigned int sa_mtu_of(const uint8_t *port_info);

/* records.c. sa_each() builds records as the attribute's over and make say: for the LID that the request
 * names, or for all. */
sa_handler sa_each, sa_node_records, sa_port_info_records, sa_link_records, sa_random_records,
	sa_sm_info_records;
sa_maker sa_node_record, sa_port_info_record, sa_link_record, sa_guid_info_record, sa_pkey_record,
	sa_sl2vl_record, sa_arbitration_record, sa_switch_info_record, sa_linear_record, sa_multicast_record;

/* path.c */
sa_handler sa_path_records, sa_multi_paths, sa_trace_path;

/* ---- registrations --------------------------------------------------------------- */

sa_handler sa_member_records, sa_join, sa_leave; /* member.c */
/* Checks if a group with this MGID may be created by a request that names it. */
bool sa_mgid_is_valid(const uint8_t *mgid);

/* lookup.c. Returns the group with this MGID, or NULL. */
struct sa_mgroup *sa_group_find(const struct sa *sa, const uint8_t mgid[16]);
/* group.c. Creates a group at the first free MLID. Returns NULL if no MLID is free, or if out of memory. */
struct sa_mgroup *sa_group_new(struct sa *sa, const uint8_t *record);
void sa_group_free(struct sa *sa, struct sa_mgroup *g);
/* sa_group_tell() reports the members to the manager. sa_group_changed() does so too, but ends a group
 * that no member keeps alive. */
void sa_group_tell(const struct sa *sa, const struct sa_mgroup *g);
void sa_group_changed(struct sa *sa, struct sa_mgroup *g);
/* sa_member_find() returns NULL if the port is not a member, sa_member_add() if out of memory. */
struct sa_member *sa_member_find(const struct sa_mgroup *g, uint64_t guid);
struct sa_member *sa_member_add(struct sa_mgroup *g, uint64_t guid, uint32_t port);
void sa_member_remove(struct sa_mgroup *g, struct sa_member *member);
/* Looks up the ports of all members again and removes the members whose port is gone. */
void sa_members_gone(struct sa *sa);
int sa_members_init(struct sa *sa);
void sa_members_fini(struct sa *sa);

/* service.c */
sa_handler sa_service_records, sa_service_set, sa_service_remove, sa_association_records;
void sa_services_expire(struct sa *sa, uint64_t now);

sa_handler sa_inform_set, sa_inform_records; /* inform.c */
void sa_inform_gone(struct sa *sa);
/* Gets the next report to send and its destination. Returns false if none is due now. */
bool sa_report_next(struct sa *sa, uint8_t mad[MADKIT_MAD_BYTES], struct madkit_addr *to);
/* Ends a report. If it was not answered, its subscription ends. */
void sa_report_done(struct sa *sa, uint32_t tid, bool answered);

#endif
