/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Inside subnet administration. A request is a query: what it asks for as bytes and as a
 * mask of the bits of a record that have to agree. Each attribute makes its records one
 * after the other and offers them; those that agree are appended to the response.
 *
 *   device.c   the program at its port
 *   answer.c   a request to a response; which attributes there are
 *   match.c    component masks, selectors, who may see what
 *   lookup.c   LIDs, GIDs and partitions
 *   records.c  what the manager knows as records
 *   path.c     paths: PathRecord, MultiPathRecord, TraceRecord
 *   group.c, member.c, service.c, inform.c   what is registered
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
	SA_RECORD_MAX = 200,       /* of one record, and of the data of one MAD */
	SA_RESPONSE_MAX = 1 << 26, /* of all records of a response */
	SA_GROUPS_MAX = FABRIC_MULTICAST_CAP,
	SA_SERVICES_MAX = 1 << 16,
	SA_SUBSCRIPTIONS_MAX = 1 << 16,
	SA_REPORTS_MAX = 1 << 16, /* that wait; what comes then is not reported */
	SA_REPORTS_SENT = 64,     /* ... for their answer, at one time */
	SA_TRAPS_SEEN = 256,
	SA_EXACTLY = 2,     /* selector in responses */
	SA_STATE_KEEPS = 9, /* JoinStates that keep a group: both full ones */
	SA_LIFE_TIME = 18,  /* 4.096 us * 2^18: of packets; of an answer too */
};

/* Statuses of the class, beside those of status.h (IBA volume 1, table 193). */
enum {
	SA_OK,
	SA_NO_RESOURCES = MADKIT_SA_STATUS_NO_RESOURCES << MADKIT_STATUS_CLASS_SHIFT,
	SA_INVALID = MADKIT_SA_STATUS_INVALID_REQUEST << MADKIT_STATUS_CLASS_SHIFT,
	SA_NO_RECORDS = MADKIT_SA_STATUS_NO_RECORDS << MADKIT_STATUS_CLASS_SHIFT,
	SA_TOO_MANY = MADKIT_SA_STATUS_TOO_MANY_RECORDS << MADKIT_STATUS_CLASS_SHIFT,
	SA_INVALID_GID = MADKIT_SA_STATUS_INVALID_GID << MADKIT_STATUS_CLASS_SHIFT,
	SA_INSUFFICIENT = MADKIT_SA_STATUS_INSUFFICIENT_COMPONENTS << MADKIT_STATUS_CLASS_SHIFT,
};

/* ---- what is registered ---------------------------------------------------------- */

struct sa_member {
	uint64_t guid;
	uint8_t state; /* JoinState */
	bool proxy;
};

struct sa_mgroup {
	uint8_t record[SA_RECORD_MAX]; /* MCMemberRecord, without a member */
	bool permanent;
	struct sa_member *members;
	uint32_t *ports; /* of each member, in the subnet's ports */
	uint32_t nmembers, members_cap, ports_cap;
	uint32_t nfull;       /* whose JoinState keeps the group alive */
	struct table by_guid; /* places in members */
	bool lost;            /* ... but not all */
};

struct sa_service {
	uint8_t record[SA_RECORD_MAX];
	uint64_t expires; /* UINT64_MAX: never */
};

struct sa_subscription {
	uint32_t number;       /* reports know it by that */
	uint8_t info[36];      /* InformInfo; its QPN is the subscriber's */
	uint64_t guid;         /* of the subscriber */
	struct madkit_addr to; /* its LID is looked up anew */
};

struct sa_report {
	uint32_t number; /* of the subscription */
	bool sent;
	uint32_t tid;
	uint8_t notice[SA_NOTICE_BYTES];
};

/* Equal notices that traps have brought. */
struct sa_trap_seen {
	uint64_t key;  /* a hash of the notice */
	uint64_t ends; /* when the count begins anew, ns */
	uint32_t count;
};

struct sa {
	struct sa_options options;
	struct sa_mgroup **groups; /* SA_GROUPS_MAX, by MLID */
	struct sa_service *services;
	uint32_t nservices, services_cap;
	uint64_t first_expires; /* of the services; UINT64_MAX: none does */
	struct sa_subscription *subscriptions;
	uint32_t nsubscriptions, subscriptions_cap, numbers;
	struct sa_report *reports; /* in the order in which they are to go */
	uint32_t nreports, reports_cap, nsent, tids;
	struct sa_trap_seen traps_seen[SA_TRAPS_SEEN];
	uint32_t mgids; /* that were made */
	struct madkit_buf response;
	struct hosts *hosts;
	struct host_file *file;
	uint32_t agent;
};

/* All but what belongs to the host: for tests, too. */
int sa_init(struct sa *sa, const struct sa_options *options);
void sa_fini(struct sa *sa);

/* ---- requests -------------------------------------------------------------------- */

struct sa_query;

/* A status. */
typedef int sa_handler(struct sa_query *q);
/* Makes and offers the records of a port. */
typedef void sa_maker(struct sa_query *q, uint32_t port);

enum sa_action { SA_GET, SA_SET, SA_DELETE, SA_TRACE, SA_MULTI, SA_ACTIONS };

/* Of what there is one record or more; an adapter's ports are end ports. */
enum sa_over { SA_END_PORTS, SA_ALL_PORTS, SA_SWITCHES };

struct sa_attribute {
	uint16_t id;
	uint16_t bytes; /* of a record in a response */
	/* each may be NULL: the method is not for this attribute. SA_GET: GetTable, too */
	sa_handler *on[SA_ACTIONS];
	bool trusted;    /* who has no SM_Key does not get it */
	bool single;     /* there is no GetTable of it */
	uint16_t layout; /* its components are those of this attribute; 0: its own */
	/* for sa_each() */
	enum sa_over over;
	sa_maker *make;
};

struct sa_query {
	struct sa *sa;
	const struct sa_attribute *attribute;
	const struct madkit_addr *from;
	uint64_t now;
	uint32_t requester; /* end port, in the subnet's ports */
	bool trusted;       /* has the SM_Key */
	bool table;         /* any number of records may be told */
	uint32_t modifier;
	uint64_t mask;       /* components */
	const uint8_t *data; /* of the request */
	size_t len;
	uint8_t wanted[SA_RECORD_MAX];  /* its beginning, then zeros */
	uint8_t named[SA_RECORD_MAX];   /* the bits of its components */
	uint8_t compare[SA_RECORD_MAX]; /* those that are compared as they are */
	uint8_t record[SA_RECORD_MAX];  /* that is being made */
	struct madkit_buf *out;
	uint32_t count; /* of records that were offered and agree */
	uint16_t told;  /* the response is of this attribute; 0: of its own */
};

/*
 * Answers a message of class SubnAdm in out, which is empty and holds no more than
 * SA_RESPONSE_MAX. The RMPP header of a table says no more than that it is to be sent by
 * RMPP. False: there is no answer. The reports that follow stand in sa->reports.
 */
bool sa_answer(struct sa *sa, const struct madkit_addr *from, const uint8_t *message, size_t len,
	       uint64_t now, struct madkit_buf *out);

/* ---- match.c ------------------------------------------------------------------ */

/* named: the bits of a record that mask names. 0; SA_INVALID: a component that there is
 * none of; SA_INSUFFICIENT: half of one. */
int sa_compile(const struct madkit_layout *layout, uint64_t mask, uint8_t named[SA_RECORD_MAX]);
/* Whether the request names this field. */
bool sa_names(const struct sa_query *q, uint64_t which);
/* It is not compared; it is from now on. */
void sa_ignore(struct sa_query *q, uint64_t which);
void sa_compare(struct sa_query *q, uint64_t which);
bool sa_agrees(const struct sa_query *q, const uint8_t *record);
/* Appends q->record. */
void sa_put(struct sa_query *q);
/* The same where it agrees. */
void sa_offer(struct sa_query *q);

/* The steps that values of a kind have. */
enum sa_ladder { SA_MTUS, SA_RATES };
/* The least of two, and where a value stands; -1: it is none. */
int sa_step(enum sa_ladder ladder, unsigned int value);
unsigned int sa_least(enum sa_ladder ladder, unsigned int a, unsigned int b);
/*
 * What a path that is capable of all up to best is said to have: by the selector and the
 * value of a request, whose fields these are. 0: it cannot.
 */
unsigned int sa_select(const struct sa_query *q, enum sa_ladder ladder, uint64_t selector, uint64_t value,
		       unsigned int best);
/* Whether a request names values that are none. */
bool sa_select_is_valid(const struct sa_query *q, enum sa_ladder ladder, uint64_t selector, uint64_t value);
/* Whether a time, of which nothing less can be said, is what is asked for. */
bool sa_select_time(const struct sa_query *q, uint64_t selector, uint64_t value, unsigned int time);

/* ---- the subnet: lookup.c, records.c --------------------------------------- */

/* A field of what is asked for; a field of the record that is being made. */
static inline uint64_t sa_wanted(const struct sa_query *q, uint64_t which)
{
	return field_get(which, q->wanted);
}

static inline void sa_record_put(struct sa_query *q, uint64_t which, uint64_t v)
{
	field_put(which, q->record, v);
}

/* The end port that has the LID, the GUID as its first or another, the GID; or SUBNET_NONE. */
uint32_t sa_port_by_lid(const struct sa *sa, unsigned int lid);
uint32_t sa_port_by_guid(const struct sa *sa, uint64_t guid);
/* 0; -ENOENT: it is nobody's; -EINVAL: nor of this subnet. */
int sa_port_by_gid(const struct sa *sa, const uint8_t gid[16], uint32_t *port);
/* Of the subnet's GIDs. */
uint64_t sa_prefix(const struct sa *sa);
void sa_gid_of(const struct sa *sa, uint32_t port, uint8_t gid[16]);
/* Its first LID; 0: it has none. */
uint16_t sa_lid_of(const struct sa *sa, uint32_t port);
/* A P_Key of a that lets the two end ports speak with each other; 0: there is none. */
uint16_t sa_common_pkey(const struct sa *sa, uint32_t a, uint32_t b);
/* The entry of the port that goes with this P_Key; 0: it has none. */
uint16_t sa_has_pkey(const struct sa *sa, uint32_t port, uint16_t pkey);
/* Rate and MTU of a port. */
unsigned int sa_rate_of(const uint8_t *port_info);
unsigned int sa_mtu_of(const uint8_t *port_info);

/* records.c. sa_each() answers by the attribute's over and make: for the LID that the request names, or for all. */
sa_handler sa_each, sa_node_records, sa_port_info_records, sa_link_records, sa_random_records,
	sa_sm_info_records;
sa_maker sa_node_record, sa_port_info_record, sa_link_record, sa_guid_info_record, sa_pkey_record,
	sa_sl2vl_record, sa_arbitration_record, sa_switch_info_record, sa_linear_record, sa_multicast_record;

/* path.c */
sa_handler sa_path_records, sa_multi_paths, sa_trace_path;

/* ---- registrations --------------------------------------------------------------- */

sa_handler sa_member_records, sa_join, sa_leave; /* member.c */
/* An MGID that a group may have whose first member names it. */
bool sa_mgid_is_valid(const uint8_t *mgid);

/* lookup.c. The group of this MGID, or NULL. */
struct sa_mgroup *sa_group_find(const struct sa *sa, const uint8_t mgid[16]);
/* group.c. A new one at a free MLID, or NULL: there is none, or no memory. */
struct sa_mgroup *sa_group_new(struct sa *sa, const uint8_t *record);
void sa_group_free(struct sa *sa, struct sa_mgroup *g);
/* Tells the manager who is in it; and ends it where nobody is left to keep it. */
void sa_group_tell(const struct sa *sa, const struct sa_mgroup *g);
void sa_group_changed(struct sa *sa, struct sa_mgroup *g);
/* NULL: it is none; no memory. */
struct sa_member *sa_member_find(const struct sa_mgroup *g, uint64_t guid);
struct sa_member *sa_member_add(struct sa_mgroup *g, uint64_t guid, uint32_t port);
void sa_member_remove(struct sa_mgroup *g, struct sa_member *member);
/* Looks ports up again; those that are gone leave. */
void sa_members_gone(struct sa *sa);
int sa_members_init(struct sa *sa);
void sa_members_fini(struct sa *sa);

/* service.c */
sa_handler sa_service_records, sa_service_set, sa_service_remove, sa_association_records;
void sa_services_expire(struct sa *sa, uint64_t now);

sa_handler sa_inform_set, sa_inform_records; /* inform.c */
void sa_inform_gone(struct sa *sa);
/* The next report to be sent, as a MAD of 256 bytes, and where it goes; false: none is
 * due now. */
bool sa_report_next(struct sa *sa, uint8_t mad[MADKIT_MAD_BYTES], struct madkit_addr *to);
/* What became of one: answered, or nobody did. */
void sa_report_done(struct sa *sa, uint32_t tid, bool answered);

#endif
