/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Multicast groups: joining and leaving (IBA volume 1, section 15.2.5.17). The first join creates a group,
 * and a group ends when its last full member leaves.
 */
#include <errno.h>
#include <string.h>
#include "sim/sa/internal.h"
#include "util/array_size.h"

static uint8_t *member_gid_in(uint64_t which, uint8_t *record)
{
	return record + field_at(which);
}

/* ---- joining --------------------------------------------------------------------- */

static bool names_all(const struct sa_query *q, const uint64_t *fields, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (!sa_names(q, fields[i]))
			return false;
	return true;
}
#define NAMES_ALL(q, ...) \
	names_all(q, (const uint64_t[]){ __VA_ARGS__ }, ARRAY_SIZE(((uint64_t[]){ __VA_ARGS__ })))

/* Excludes these fields from the bitwise comparison of the request with a group. */
static void member_compare_group(struct sa_query *q)
{
	static const uint64_t not_compared[] = {
		MADKIT_MC_MEMBER_RECORD_PORT_GID,
		MADKIT_MC_MEMBER_RECORD_MTU_SELECTOR,
		MADKIT_MC_MEMBER_RECORD_MTU,
		MADKIT_MC_MEMBER_RECORD_RATE_SELECTOR,
		MADKIT_MC_MEMBER_RECORD_RATE,
		MADKIT_MC_MEMBER_RECORD_PACKET_LIFE_TIME_SELECTOR,
		MADKIT_MC_MEMBER_RECORD_PACKET_LIFE_TIME,
		MADKIT_MC_MEMBER_RECORD_JOIN_STATE,
		MADKIT_MC_MEMBER_RECORD_PROXY_JOIN,
		MADKIT_MC_MEMBER_RECORD_P_KEY,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(not_compared); i++)
		sa_ignore(q, not_compared[i]);
}

static bool group_agrees(const struct sa_query *q, const struct sa_mgroup *g)
{
	static const struct {
		enum sa_ladder ladder;
		uint64_t selector, value;
	} capable[] = {
		{ SA_MTUS, MADKIT_MC_MEMBER_RECORD_MTU_SELECTOR, MADKIT_MC_MEMBER_RECORD_MTU },
		{ SA_RATES, MADKIT_MC_MEMBER_RECORD_RATE_SELECTOR, MADKIT_MC_MEMBER_RECORD_RATE },
	};
	uint64_t pkey = field_get(MADKIT_MC_MEMBER_RECORD_P_KEY, g->record);

	/* a group's MTU and rate are fixed: they must satisfy the request exactly as they are */
	for (unsigned int i = 0; i < 2; i++) {
		unsigned int own = (unsigned int)field_get(capable[i].value, g->record);

		if (sa_select(q, capable[i].ladder, capable[i].selector, capable[i].value, own) != own)
			return false;
	}
	if (!sa_select_time(q, MADKIT_MC_MEMBER_RECORD_PACKET_LIFE_TIME_SELECTOR,
			    MADKIT_MC_MEMBER_RECORD_PACKET_LIFE_TIME,
			    (unsigned int)field_get(MADKIT_MC_MEMBER_RECORD_PACKET_LIFE_TIME, g->record)) ||
	    (sa_names(q, MADKIT_MC_MEMBER_RECORD_P_KEY) &&
	     ((pkey ^ sa_wanted(q, MADKIT_MC_MEMBER_RECORD_P_KEY)) & 0x7fff ||
	      !((pkey | sa_wanted(q, MADKIT_MC_MEMBER_RECORD_P_KEY)) & 0x8000))))
		return false;
	return sa_agrees(q, g->record);
}

static bool values_are_valid(const struct sa_query *q)
{
	return sa_select_is_valid(q, SA_MTUS, MADKIT_MC_MEMBER_RECORD_MTU_SELECTOR,
				  MADKIT_MC_MEMBER_RECORD_MTU) &&
	       sa_select_is_valid(q, SA_RATES, MADKIT_MC_MEMBER_RECORD_RATE_SELECTOR,
				  MADKIT_MC_MEMBER_RECORD_RATE);
}

/* The manager assigns the MGIDs with its own signature and link-local scope: see given_mgid(). */
bool sa_mgid_is_valid(const uint8_t *mgid)
{
	enum { IPOIB4 = 0x401b, IPOIB6 = 0x601b, OURS = 0xa01b, LINK_LOCAL = 2 };
	unsigned int signature = get_be16(mgid + 2);

	if (mgid[0] != 0xff)
		return false;
	if (signature == IPOIB4 || signature == IPOIB6)
		return true;
	return !(mgid[1] & 0xe0) && (signature != OURS || (mgid[1] & 0x0f) != LINK_LOCAL);
}

static void given_mgid(struct sa *sa, uint8_t *mgid, const struct sa_query *q)
{
	unsigned int scope = sa_names(q, MADKIT_MC_MEMBER_RECORD_SCOPE) ?
				     (unsigned int)sa_wanted(q, MADKIT_MC_MEMBER_RECORD_SCOPE) :
				     2;

	do {
		memset(mgid, 0, 16);
		mgid[0] = 0xff;
		mgid[1] = (uint8_t)(0x10 | scope);
		put_be16(mgid + 2, 0xa01b);
		put_be64(mgid + 4, sa_prefix(sa));
		put_be32(mgid + 12, ++sa->mgids);
	} while (sa_group_find(sa, mgid));
}

/* Creates the group that the requester describes. Returns a status. */
static int member_create(struct sa_query *q, uint32_t port, struct sa_mgroup **made)
{
	static const uint64_t copied[] = {
		MADKIT_MC_MEMBER_RECORD_Q_KEY,      MADKIT_MC_MEMBER_RECORD_T_CLASS,
		MADKIT_MC_MEMBER_RECORD_P_KEY,      MADKIT_MC_MEMBER_RECORD_SL,
		MADKIT_MC_MEMBER_RECORD_FLOW_LABEL, MADKIT_MC_MEMBER_RECORD_HOP_LIMIT,
		MADKIT_MC_MEMBER_RECORD_SCOPE,
	};
	struct sa *sa = q->sa;
	const uint8_t *info = sa->options.subnet->ports[port].info;
	uint8_t record[SA_RECORD_MAX] = { 0 }, *mgid = member_gid_in(MADKIT_MC_MEMBER_RECORD_MGID, record);
	unsigned int mtu = sa_select(q, SA_MTUS, MADKIT_MC_MEMBER_RECORD_MTU_SELECTOR,
				     MADKIT_MC_MEMBER_RECORD_MTU, sa_mtu_of(info));
	unsigned int rate = sa_select(q, SA_RATES, MADKIT_MC_MEMBER_RECORD_RATE_SELECTOR,
				      MADKIT_MC_MEMBER_RECORD_RATE, sa_rate_of(info));
	unsigned int life = SA_LIFE_TIME,
		     asked = (unsigned int)sa_wanted(q, MADKIT_MC_MEMBER_RECORD_PACKET_LIFE_TIME);

	if (!(sa_wanted(q, MADKIT_MC_MEMBER_RECORD_JOIN_STATE) & SA_STATE_KEEPS))
		return SA_INVALID;
	if (!NAMES_ALL(q, MADKIT_MC_MEMBER_RECORD_Q_KEY, MADKIT_MC_MEMBER_RECORD_T_CLASS,
		       MADKIT_MC_MEMBER_RECORD_P_KEY, MADKIT_MC_MEMBER_RECORD_FLOW_LABEL,
		       MADKIT_MC_MEMBER_RECORD_SL))
		return SA_INSUFFICIENT;
	for (unsigned int i = 0; i < ARRAY_SIZE(copied); i++)
		if (sa_names(q, copied[i]))
			field_put(copied[i], record, sa_wanted(q, copied[i]));
	memcpy(mgid, member_gid_in(MADKIT_MC_MEMBER_RECORD_MGID, q->wanted), 16);
	if (bytes_are_zero(mgid, 16))
		given_mgid(sa, mgid, q);
	else if (!sa_mgid_is_valid(mgid))
		return SA_INVALID;
	field_put(MADKIT_MC_MEMBER_RECORD_SCOPE, record, mgid[1] & 0x0f);
	/* a packet life time may be longer than necessary, but not shorter */
	if (!sa_select_time(q, MADKIT_MC_MEMBER_RECORD_PACKET_LIFE_TIME_SELECTOR,
			    MADKIT_MC_MEMBER_RECORD_PACKET_LIFE_TIME, life)) {
		life = field_get(MADKIT_MC_MEMBER_RECORD_PACKET_LIFE_TIME_SELECTOR, q->wanted) == SA_EXACTLY ?
			       asked :
			       asked + 1;
		if (life <= SA_LIFE_TIME || life > 63)
			return SA_INVALID;
	}
	if (!mtu || !rate)
		return SA_INVALID;
	field_put(MADKIT_MC_MEMBER_RECORD_MTU_SELECTOR, record, SA_EXACTLY);
	field_put(MADKIT_MC_MEMBER_RECORD_MTU, record, mtu);
	field_put(MADKIT_MC_MEMBER_RECORD_RATE_SELECTOR, record, SA_EXACTLY);
	field_put(MADKIT_MC_MEMBER_RECORD_RATE, record, rate);
	field_put(MADKIT_MC_MEMBER_RECORD_PACKET_LIFE_TIME_SELECTOR, record, SA_EXACTLY);
	field_put(MADKIT_MC_MEMBER_RECORD_PACKET_LIFE_TIME, record, life);
	*made = sa_group_new(sa, record);
	return *made ? SA_OK : SA_NO_RESOURCES;
}

/* Checks if the requester may do this for the port (o15-0.2.1): it is the port's own request, or the
 * membership is new or was made by proxy, and both ports share a partition. */
static bool member_may_create(const struct sa_query *q, uint32_t port, const struct sa_member *member)
{
	if (q->trusted || port == q->requester)
		return true;
	return (!member || member->proxy) && sa_common_pkey(q->sa, port, q->requester);
}

static void sa_member_answer(struct sa_query *q, const struct sa_mgroup *g, unsigned int state, bool proxy)
{
	memcpy(q->record, g->record, sizeof(q->record));
	memcpy(member_gid_in(MADKIT_MC_MEMBER_RECORD_PORT_GID, q->record),
	       member_gid_in(MADKIT_MC_MEMBER_RECORD_PORT_GID, q->wanted), 16);
	field_put(MADKIT_MC_MEMBER_RECORD_JOIN_STATE, q->record, state);
	field_put(MADKIT_MC_MEMBER_RECORD_PROXY_JOIN, q->record, proxy);
	memset(q->compare, 0, sizeof(q->compare));
	sa_offer(q);
}

/* Finds the port and the group of a join or leave. Returns a status; *g is NULL if there is no such group. */
static int sa_member_locate(struct sa_query *q, uint32_t *port, struct sa_mgroup **g)
{
	int ret;

	if (!NAMES_ALL(q, MADKIT_MC_MEMBER_RECORD_MGID, MADKIT_MC_MEMBER_RECORD_PORT_GID,
		       MADKIT_MC_MEMBER_RECORD_JOIN_STATE))
		return SA_INSUFFICIENT;
	if (!values_are_valid(q) || !sa_wanted(q, MADKIT_MC_MEMBER_RECORD_JOIN_STATE))
		return SA_INVALID;
	ret = sa_port_by_gid(q->sa, member_gid_in(MADKIT_MC_MEMBER_RECORD_PORT_GID, q->wanted), port);
	if (ret)
		return ret == -EINVAL ? SA_INVALID_GID : SA_INVALID;
	*g = sa_group_find(q->sa, member_gid_in(MADKIT_MC_MEMBER_RECORD_MGID, q->wanted));
	member_compare_group(q);
	return SA_OK;
}

int sa_join(struct sa_query *q)
{
	struct sa *sa = q->sa;
	struct sa_mgroup *g;
	struct sa_member *member;
	uint64_t guid;
	bool made, joins;
	uint32_t port;
	int ret = sa_member_locate(q, &port, &g);

	if (ret)
		return ret;
	guid = sa->options.subnet->ports[port].guid;
	made = !g;
	member = made ? NULL : sa_member_find(g, guid);
	if (!member_may_create(q, port, member) || (sa_names(q, MADKIT_MC_MEMBER_RECORD_P_KEY) &&
						    !(sa_wanted(q, MADKIT_MC_MEMBER_RECORD_P_KEY) & 0x7fff)))
		return SA_INVALID;
	ret = made ? member_create(q, port, &g) : group_agrees(q, g) ? SA_OK : SA_INVALID;
	if (ret)
		return ret;
	/* the port must support the group's MTU and rate, and be in its partition */
	const uint8_t *info = sa->options.subnet->ports[port].info;

	if (sa_step(SA_MTUS, sa_mtu_of(info)) <
		    sa_step(SA_MTUS, (unsigned int)field_get(MADKIT_MC_MEMBER_RECORD_MTU, g->record)) ||
	    sa_step(SA_RATES, sa_rate_of(info)) <
		    sa_step(SA_RATES, (unsigned int)field_get(MADKIT_MC_MEMBER_RECORD_RATE, g->record)) ||
	    !sa_has_pkey(sa, port, (uint16_t)field_get(MADKIT_MC_MEMBER_RECORD_P_KEY, g->record)))
		ret = SA_INVALID;
	joins = !member;
	if (!ret && joins) {
		member = sa_member_add(g, guid, port);
		if (!member)
			ret = SA_NO_RESOURCES;
		else
			member->proxy = port != q->requester;
	}
	if (ret) {
		if (made)
			sa_group_free(sa, g);
		return ret;
	}
	g->nfull -= !!(member->state & SA_STATE_KEEPS);
	member->state |= (uint8_t)sa_wanted(q, MADKIT_MC_MEMBER_RECORD_JOIN_STATE);
	g->nfull += !!(member->state & SA_STATE_KEEPS);
	sa_member_answer(q, g, member->state, member->proxy);
	if (made)
		sa_notice_gid(sa, MADKIT_TRAP_GROUP_CREATED,
			      member_gid_in(MADKIT_MC_MEMBER_RECORD_MGID, g->record));
	if (joins)
		sa_group_tell(sa, g);
	return SA_OK;
}

int sa_leave(struct sa_query *q)
{
	struct sa *sa = q->sa;
	struct sa_mgroup *g;
	struct sa_member *member;
	unsigned int state, left;
	uint32_t port;
	int ret = sa_member_locate(q, &port, &g);

	if (ret)
		return ret;
	member = g ? sa_member_find(g, sa->options.subnet->ports[port].guid) : NULL;
	state = (unsigned int)sa_wanted(q, MADKIT_MC_MEMBER_RECORD_JOIN_STATE);
	/* o15-0.1.14: a port can only leave groups that it has joined */
	if (!member || state & ~(unsigned int)member->state || !member_may_create(q, port, member))
		return SA_INVALID;
	left = member->state & ~state;
	sa_member_answer(q, g, left, member->proxy);
	if (left) {
		g->nfull -= member->state & SA_STATE_KEEPS && !(left & SA_STATE_KEEPS);
		member->state = (uint8_t)left;
	} else {
		sa_member_remove(g, member);
	}
	if (!left || !g->nfull)
		sa_group_changed(sa, g);
	return SA_OK;
}

/* ---- queries --------------------------------------------------------------------- */

/* Hides the members from requesters without the SM_Key: PortGID, JoinState and ProxyJoin are 0. */
static void member_offer(struct sa_query *q, const struct sa_mgroup *g, const struct sa_member *member,
			 uint32_t port)
{
	if ((sa_names(q, MADKIT_MC_MEMBER_RECORD_JOIN_STATE) &&
	     member->state != sa_wanted(q, MADKIT_MC_MEMBER_RECORD_JOIN_STATE)) ||
	    (sa_names(q, MADKIT_MC_MEMBER_RECORD_PROXY_JOIN) &&
	     member->proxy != sa_wanted(q, MADKIT_MC_MEMBER_RECORD_PROXY_JOIN)))
		return;
	memcpy(q->record, g->record, sizeof(q->record));
	if (q->trusted) {
		sa_gid_of(q->sa, port, member_gid_in(MADKIT_MC_MEMBER_RECORD_PORT_GID, q->record));
		field_put(MADKIT_MC_MEMBER_RECORD_JOIN_STATE, q->record, member->state);
		field_put(MADKIT_MC_MEMBER_RECORD_PROXY_JOIN, q->record, member->proxy);
	}
	sa_offer(q);
}

static void group_records(struct sa_query *q, const struct sa_mgroup *g)
{
	static const struct sa_member empty;
	const struct sa_member *member;
	uint32_t port;

	uint16_t pkey = (uint16_t)field_get(MADKIT_MC_MEMBER_RECORD_P_KEY, g->record);

	if (!group_agrees(q, g) || (!q->trusted && !sa_has_pkey(q->sa, q->requester, pkey)))
		return;
	if (sa_names(q, MADKIT_MC_MEMBER_RECORD_PORT_GID)) {
		if (sa_port_by_gid(q->sa, member_gid_in(MADKIT_MC_MEMBER_RECORD_PORT_GID, q->wanted), &port))
			return;
		member = sa_member_find(g, q->sa->options.subnet->ports[port].guid);
		if (member)
			member_offer(q, g, member, port);
	} else if (!q->trusted) {
		member_offer(q, g, &empty, 0);
	} else {
		for (uint32_t i = 0; i < g->nmembers && !q->out->error; i++)
			member_offer(q, g, &g->members[i], g->ports[i]);
	}
}

int sa_member_records(struct sa_query *q)
{
	if (!values_are_valid(q))
		return SA_INVALID;
	member_compare_group(q);
	for (unsigned int i = 0; i < SA_GROUPS_MAX; i++)
		if (q->sa->groups[i])
			group_records(q, q->sa->groups[i]);
	return SA_OK;
}
