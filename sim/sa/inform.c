/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Subscriptions (InformInfo), and reports of notices to the subscribers (IBA volume 1, section 13.4.11). A
 * subscription ends if the subscriber does not answer a report.
 */
#include <string.h>
#include "sim/sa/internal.h"
#include "util/array.h"
#include "util/array_size.h"
#include "util/time.h"

enum {
	INFO_BYTES = 36,
	ALL_LIDS = 0xffff,
	ALL_TYPES = 0xffff,
	ALL_TRAPS = 0xffff,
	ALL_PRODUCERS = 0xffffff,
	SWITCH_P_KEY_TRAP = 259,
	TRAPS_EQUAL = 10, /* reported; further ones only after TRAPS_QUIET_NS without any */
};
#define TRAPS_QUIET_NS (5 * NS_PER_S)

/* ---- subscriptions --------------------------------------------------------------- */

/* Returns the index of a subscription, or -1 if it has ended. */
static int inform_by_number(const struct sa *sa, uint32_t number)
{
	for (uint32_t i = 0; i < sa->nsubscriptions; i++)
		if (sa->subscriptions[i].number == number)
			return (int)i;
	return -1;
}

/* Ends a subscription and removes its reports. */
static void inform_unsubscribe(struct sa *sa, uint32_t at)
{
	uint32_t number = sa->subscriptions[at].number, kept = 0;

	memmove(&sa->subscriptions[at], &sa->subscriptions[at + 1],
		(--sa->nsubscriptions - at) * sizeof(*sa->subscriptions));
	for (uint32_t i = 0; i < sa->nreports; i++) {
		if (sa->reports[i].number == number)
			sa->nsent -= sa->reports[i].sent;
		else
			sa->reports[kept++] = sa->reports[i];
	}
	sa->nreports = kept;
}

/* Checks if two subscriptions of a port are the same. */
static bool inform_same(const uint8_t *a, const uint8_t *b)
{
	static const uint64_t fields[] = {
		MADKIT_INFORM_INFO_LID_RANGE_BEGIN, MADKIT_INFORM_INFO_LID_RANGE_END,
		MADKIT_INFORM_INFO_IS_GENERIC,      MADKIT_INFORM_INFO_TYPE,
		MADKIT_INFORM_INFO_TRAP_NUMBER,     MADKIT_INFORM_INFO_QPN,
		MADKIT_INFORM_INFO_PRODUCER_TYPE,
	};
	size_t at;

	for (unsigned int i = 0; i < ARRAY_SIZE(fields); i++)
		if (field_get(fields[i], a) != field_get(fields[i], b))
			return false;
	at = field_at(MADKIT_INFORM_INFO_GID);
	return !memcmp(a + at, b + at, 16);
}

static int sa_inform_find(const struct sa *sa, uint64_t guid, const uint8_t *info)
{
	for (uint32_t i = 0; i < sa->nsubscriptions; i++)
		if (sa->subscriptions[i].guid == guid && inform_same(sa->subscriptions[i].info, info))
			return (int)i;
	return -1;
}

/* Checks if the GID or LIDs that the subscription names exist and are visible to the requester. */
static bool inform_sources_are_valid(const struct sa_query *q, const uint8_t *info)
{
	const struct sa *sa = q->sa;
	const uint8_t *gid = info + field_at(MADKIT_INFORM_INFO_GID);
	uint64_t begin = field_get(MADKIT_INFORM_INFO_LID_RANGE_BEGIN, info),
		 end = field_get(MADKIT_INFORM_INFO_LID_RANGE_END, info);
	uint32_t port;

	if (!bytes_are_zero(gid, 16))
		return !sa_port_by_gid(sa, gid, &port) &&
		       (q->trusted || sa_common_pkey(sa, port, q->requester));
	if (begin == ALL_LIDS)
		return true;
	if (begin >= sa->options.subnet->nlids || (end && end < begin))
		return false;
	for (uint64_t lid = begin; lid <= end && lid < sa->options.subnet->nlids; lid++) {
		port = sa_port_by_lid(sa, (unsigned int)lid);
		if (port != SUBNET_NONE && !q->trusted && !sa_common_pkey(sa, port, q->requester))
			return false;
	}
	return true;
}

static int sa_inform_subscribe(struct sa_query *q, const uint8_t *info)
{
	struct sa *sa = q->sa;
	struct sa_subscription *s;
	uint64_t guid = sa->options.subnet->ports[q->requester].guid;
	int at = sa_inform_find(sa, guid, info);

	if (!inform_sources_are_valid(q, info))
		return SA_INVALID;
	if (at < 0) {
		if (sa->nsubscriptions >= SA_SUBSCRIPTIONS_MAX ||
		    array_room(&sa->subscriptions, &sa->subscriptions_cap, sa->nsubscriptions, 1, sizeof(*s)))
			return SA_NO_RESOURCES;
		at = (int)sa->nsubscriptions++;
		sa->subscriptions[at].number = ++sa->numbers;
	}
	s = &sa->subscriptions[at];
	memcpy(s->info, info, INFO_BYTES);
	s->guid = guid;
	s->to = *q->from;
	return SA_OK;
}

/* The response is a copy of the request (o13-12.1.1); if it is refused, Subscribe is 0 (o13-13.1.1). */
int sa_inform_set(struct sa_query *q)
{
	struct sa *sa = q->sa;
	uint8_t info[INFO_BYTES];
	uint64_t trap = field_get(MADKIT_INFORM_INFO_TRAP_NUMBER, q->wanted);
	unsigned int want = (unsigned int)field_get(MADKIT_INFORM_INFO_SUBSCRIBE, q->wanted);
	int at, ret = SA_OK;

	memcpy(info, q->wanted, INFO_BYTES);
	/* only trusted requesters may subscribe to security traps (C15-0.2-1.16) */
	if (want > 1 || (!q->trusted && field_get(MADKIT_INFORM_INFO_IS_GENERIC, info) &&
			 trap >= MADKIT_TRAP_BAD_M_KEY && trap <= SWITCH_P_KEY_TRAP)) {
		ret = SA_INVALID;
	} else if (want) {
		field_put(MADKIT_INFORM_INFO_QPN, info, q->from->qp);
		ret = sa_inform_subscribe(q, info);
	} else {
		at = sa_inform_find(sa, sa->options.subnet->ports[q->requester].guid, info);
		if (at < 0)
			ret = SA_INVALID;
		else
			inform_unsubscribe(sa, (uint32_t)at);
	}
	memset(q->record, 0, sizeof(q->record));
	memcpy(q->record, q->wanted, INFO_BYTES);
	if (ret)
		field_put(MADKIT_INFORM_INFO_SUBSCRIBE, q->record, 0);
	memset(q->compare, 0, sizeof(q->compare));
	sa_offer(q);
	return ret;
}

/* Hides the QPN from requesters without the SM_Key (C15-0.2-1.16). */
int sa_inform_records(struct sa_query *q)
{
	const struct sa *sa = q->sa;

	for (uint32_t i = 0; i < sa->nsubscriptions && !q->out->error; i++) {
		const struct sa_subscription *s = &sa->subscriptions[i];
		uint32_t port = subnet_find_port(sa->options.subnet, s->guid);
		uint8_t *info = q->record + field_at(MADKIT_INFORM_INFO_RECORD_INFORM_INFO);

		if (port == SUBNET_NONE || (!q->trusted && !sa_common_pkey(sa, port, q->requester)))
			continue;
		memset(q->record, 0, sizeof(q->record));
		sa_gid_of(sa, port, q->record + field_at(MADKIT_INFORM_INFO_RECORD_SUBSCRIBER_GID));
		/* distinguishes the subscriptions of one subscriber */
		field_put(MADKIT_INFORM_INFO_RECORD_ENUM, q->record, s->number & 0xffff);
		memcpy(info, s->info, INFO_BYTES);
		if (!q->trusted)
			field_put(MADKIT_INFORM_INFO_QPN, info, 0);
		sa_offer(q);
	}
	return SA_OK;
}

void sa_inform_gone(struct sa *sa)
{
	for (uint32_t i = sa->nsubscriptions; i--;)
		if (subnet_find_port(sa->options.subnet, sa->subscriptions[i].guid) == SUBNET_NONE)
			inform_unsubscribe(sa, i);
}

/* ---- notices --------------------------------------------------------------------- */

/* Checks if a field of a subscription has the wildcard value any, or the value of the notice. */
static bool sa_inform_fits(const uint8_t *info, uint64_t field, uint64_t any, const uint8_t *notice,
			   uint64_t of)
{
	uint64_t value = field_get(field, info);

	return value == any || value == field_get(of, notice);
}

static bool source_fits(const uint8_t *info, const uint8_t *notice)
{
	const uint8_t *gid = info + field_at(MADKIT_INFORM_INFO_GID);
	uint64_t begin = field_get(MADKIT_INFORM_INFO_LID_RANGE_BEGIN, info),
		 end = field_get(MADKIT_INFORM_INFO_LID_RANGE_END, info);
	uint64_t lid = field_get(MADKIT_NOTICE_ISSUER_LID, notice);

	if (!bytes_are_zero(gid, 16))
		return !memcmp(gid, notice + field_at(MADKIT_NOTICE_ISSUER_GID), 16);
	return begin == ALL_LIDS || (begin <= lid && lid <= (end ? end : begin));
}

/* Checks if the subscriber may know of the group or end port that the notice is about (o13-17.1.1). A
 * group or port that does not exist is not restricted. */
static bool inform_permitted(const struct sa *sa, uint32_t subscriber, const uint8_t *notice)
{
	uint64_t trap = field_get(MADKIT_NOTICE_TRAP_NUMBER, notice);
	const uint8_t *gid = notice + field_at(MADKIT_NOTICE_ISSUER_GID);
	uint32_t port;

	if (field_get(MADKIT_NOTICE_IS_GENERIC, notice) && trap >= 64 && trap <= 67)
		gid = notice + field_at(MADKIT_NOTICE_64_67_GIDADDR);
	if (gid[0] == 0xff) {
		const struct sa_mgroup *g = sa_group_find(sa, gid);

		return !g || sa_has_pkey(sa, subscriber,
					 (uint16_t)field_get(MADKIT_MC_MEMBER_RECORD_P_KEY, g->record));
	}
	return sa_port_by_gid(sa, gid, &port) || sa_common_pkey(sa, port, subscriber);
}

static bool inform_wants(const struct sa *sa, const struct sa_subscription *s, const uint8_t *notice)
{
	uint32_t subscriber = subnet_find_port(sa->options.subnet, s->guid);

	return subscriber != SUBNET_NONE &&
	       !field_get(MADKIT_INFORM_INFO_IS_GENERIC, s->info) ==
		       !field_get(MADKIT_NOTICE_IS_GENERIC, notice) &&
	       sa_inform_fits(s->info, MADKIT_INFORM_INFO_TYPE, ALL_TYPES, notice, MADKIT_NOTICE_TYPE) &&
	       sa_inform_fits(s->info, MADKIT_INFORM_INFO_TRAP_NUMBER, ALL_TRAPS, notice,
			      MADKIT_NOTICE_TRAP_NUMBER) &&
	       sa_inform_fits(s->info, MADKIT_INFORM_INFO_PRODUCER_TYPE, ALL_PRODUCERS, notice,
			      MADKIT_NOTICE_PRODUCER_TYPE) &&
	       source_fits(s->info, notice) && inform_permitted(sa, subscriber, notice);
}

static void inform_report(struct sa *sa, const struct sa_subscription *s, const uint8_t *notice)
{
	/* without room the report is lost, as it may be on its way */
	if (sa->nreports >= SA_REPORTS_MAX ||
	    array_room(&sa->reports, &sa->reports_cap, sa->nreports, 1, sizeof(*sa->reports)))
		return;
	sa->reports[sa->nreports] = (struct sa_report){ .number = s->number };
	memcpy(sa->reports[sa->nreports++].notice, notice, SA_NOTICE_BYTES);
}

void sa_notice(struct sa *sa, const uint8_t notice[SA_NOTICE_BYTES])
{
	uint8_t copy[SA_NOTICE_BYTES], *gid = copy + field_at(MADKIT_NOTICE_ISSUER_GID);
	uint32_t port;

	memcpy(copy, notice, sizeof(copy));
	if (bytes_are_zero(gid, 16)) {
		port = sa_port_by_lid(sa, (unsigned int)field_get(MADKIT_NOTICE_ISSUER_LID, copy));
		if (port != SUBNET_NONE)
			sa_gid_of(sa, port, gid);
	}
	for (uint32_t i = 0; i < sa->nsubscriptions; i++)
		if (inform_wants(sa, &sa->subscriptions[i], copy))
			inform_report(sa, &sa->subscriptions[i], copy);
}

/*
 * Checks if a trap is repeated too often. As in opensm, equal notices are counted, including their LIDs,
 * and each one restarts the time (osm_trap_rcv.c, cl_event_wheel_reg()). If different notices share an
 * entry, the later one restarts the count.
 */
static bool inform_is_repeated(struct sa *sa, const uint8_t *notice, uint64_t now)
{
	struct sa_trap_seen *seen;
	uint64_t key = 0;

	for (unsigned int i = 0; i < FABRIC_INFO_BYTES; i += 8)
		key = table_mix(key, get_be64(notice + i));
	seen = &sa->traps_seen[key % SA_TRAPS_SEEN];
	if (seen->key != key || now >= seen->ends)
		*seen = (struct sa_trap_seen){ .key = key };
	seen->ends = now + TRAPS_QUIET_NS;
	return seen->count++ >= TRAPS_EQUAL;
}

void sa_trap(struct sa *sa, const uint8_t notice[SA_NOTICE_BYTES], uint64_t now)
{
	uint64_t trap = field_get(MADKIT_NOTICE_TRAP_NUMBER, notice);

	if (inform_is_repeated(sa, notice, now))
		return;
	if (!field_get(MADKIT_NOTICE_IS_GENERIC, notice) || trap < MADKIT_TRAP_LINK_INTEGRITY ||
	    trap > MADKIT_TRAP_FLOW_CONTROL)
		sa_notice(sa, notice);
}

void sa_notice_gid(struct sa *sa, unsigned int trap, const uint8_t gid[16])
{
	uint8_t notice[SA_NOTICE_BYTES] = { 0 };

	field_put(MADKIT_NOTICE_IS_GENERIC, notice, 1);
	field_put(MADKIT_NOTICE_TYPE, notice, MADKIT_NOTICE_TYPE_SUBNET_MANAGEMENT);
	field_put(MADKIT_NOTICE_PRODUCER_TYPE, notice, MADKIT_PRODUCER_TYPE_CLASS_MANAGER);
	field_put(MADKIT_NOTICE_TRAP_NUMBER, notice, trap);
	field_put(MADKIT_NOTICE_ISSUER_LID, notice, sa_lid_of(sa, sa->options.subnet->sm_port));
	memcpy(notice + field_at(MADKIT_NOTICE_64_67_GIDADDR), gid, 16);
	sa_notice(sa, notice);
}

/* ---- reports --------------------------------------------------------------------- */

bool sa_report_next(struct sa *sa, uint8_t mad[MADKIT_MAD_BYTES], struct madkit_addr *to)
{
	const struct sa_subscription *s;
	struct sa_report *r = NULL;
	uint32_t port;

	if (sa->nsent >= SA_REPORTS_SENT)
		return false;
	/* the sent reports are among the first */
	for (uint32_t i = 0; i < sa->nreports && !r; i++)
		if (!sa->reports[i].sent)
			r = &sa->reports[i];
	if (!r)
		return false;
	s = &sa->subscriptions[inform_by_number(sa, r->number)];
	*to = s->to;
	port = subnet_find_port(sa->options.subnet, s->guid);
	if (port != SUBNET_NONE)
		to->lid = sa_lid_of(sa, port);
	r->sent = true;
	r->tid = ++sa->tids;
	sa->nsent++;
	mad_begin(mad, MADKIT_CLASS_SA, 2, MADKIT_METHOD_REPORT, MADKIT_ATTR_NOTICE, 0, r->tid);
	memcpy(mad + MADKIT_SA_DATA, r->notice, SA_NOTICE_BYTES);
	return true;
}

void sa_report_done(struct sa *sa, uint32_t tid, bool answered)
{
	uint32_t i = 0;

	while (i < sa->nreports && !(sa->reports[i].sent && sa->reports[i].tid == tid))
		i++;
	if (i == sa->nreports)
		return;
	if (!answered) {
		int at = inform_by_number(sa, sa->reports[i].number);

		if (at >= 0)
			inform_unsubscribe(sa, (uint32_t)at);
		return;
	}
	memmove(&sa->reports[i], &sa->reports[i + 1], (--sa->nreports - i) * sizeof(*sa->reports));
	sa->nsent--;
}
