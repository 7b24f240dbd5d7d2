/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Paths along the forwarding tables (IBA volume 1, section 15.2.5.16). The MTU and rate of a path are the
 * smallest of its links. If the selectors of a request ask for less than a path supports, less is
 * reported.
 */
#include <string.h>
#include "sim/sa/internal.h"
#include "util/array_size.h"

enum {
	HOPS_MAX = 64,
	PATHS_MAX = 127,     /* of a pair, unless NumbPath is less */
	PAIRS_MAX = 1 << 20, /* examined for a request, at most */
};

/* ---- walking --------------------------------------------------------------------- */

struct path {
	unsigned int mtu, rate;
};

/* Called for each node of a path. in is SUBNET_NONE where the path begins, out where it ends. */
typedef void (*visitor)(struct sa_query *q, uint32_t in, uint32_t out);

static void sa_path_limit(struct path *path, const struct subnet_port *port)
{
	path->mtu = sa_least(SA_MTUS, path->mtu, sa_mtu_of(port->info));
	path->rate = sa_least(SA_RATES, path->rate, sa_rate_of(port->info));
}

/* Returns the port by which a packet to dlid leaves the node that it reached at port at, or SUBNET_NONE if
 * it does not leave. *end is true if the node is the destination. */
static uint32_t path_leave_by(const struct subnet *s, uint32_t from, uint32_t at, uint32_t to,
			      unsigned int dlid, bool *end)
{
	const struct subnet_node *node = subnet_node_of(s, at);
	unsigned int out;

	*end = node->type == TOPOLOGY_SWITCH ? node->first == to : at == to;
	if (*end)
		return SUBNET_NONE;
	if (node->type != TOPOLOGY_SWITCH)
		return at == from ? at : SUBNET_NONE;
	out = node->linear && dlid < node->nlinear ? node->linear[dlid] : 0xff;
	return out && out <= node->nports ? node->first + out : SUBNET_NONE;
}

/* Follows the path from an end port to a LID and calls visit (may be NULL) for each node. Returns false if
 * the path does not lead to the LID. */
static bool sa_path_walk(struct sa_query *q, uint32_t from, unsigned int dlid, struct path *path,
			 visitor visit)
{
	const struct subnet *s = q->sa->options.subnet;
	uint32_t to = sa_port_by_lid(q->sa, dlid), at = from;

	if (to == SUBNET_NONE)
		return false;
	*path = (struct path){ sa_mtu_of(s->ports[to].info), sa_rate_of(s->ports[to].info) };
	sa_path_limit(path, &s->ports[from]);
	for (unsigned int hops = 0; hops < HOPS_MAX; hops++) {
		bool end;
		uint32_t out = path_leave_by(s, from, at, to, dlid, &end);

		if (!end && (out == SUBNET_NONE || s->ports[out].peer >= s->nports))
			return false;
		if (visit)
			visit(q, hops ? at : SUBNET_NONE, out);
		if (end)
			return true;
		sa_path_limit(path, &s->ports[out]);
		at = s->ports[out].peer;
	}
	return false;
}

/* ---- a pair of end ports --------------------------------------------------------- */

/* Returns how many paths the request wants for a pair. */
static unsigned int paths_wanted(const struct sa_query *q)
{
	if (!q->table)
		return 1;
	return sa_names(q, MADKIT_PATH_RECORD_NUMB_PATH) ?
		       (unsigned int)sa_wanted(q, MADKIT_PATH_RECORD_NUMB_PATH) :
		       PATHS_MAX;
}

/* Checks the values of the request, and excludes fields from the comparison. Returns a status. */
static int sa_path_prepare(struct sa_query *q)
{
	static const uint64_t not_compared[] = {
		/* no path depends on these six: as in opensm, they are 0 in the response */
		MADKIT_PATH_RECORD_SERVICE_ID,
		MADKIT_PATH_RECORD_FLOW_LABEL,
		MADKIT_PATH_RECORD_HOP_LIMIT,
		MADKIT_PATH_RECORD_T_CLASS,
		MADKIT_PATH_RECORD_QOS_CLASS,
		MADKIT_PATH_RECORD_PREFERENCE,
		MADKIT_PATH_RECORD_SGID,
		MADKIT_PATH_RECORD_DGID,
		MADKIT_PATH_RECORD_NUMB_PATH,
		MADKIT_PATH_RECORD_P_KEY,
		MADKIT_PATH_RECORD_MTU_SELECTOR,
		MADKIT_PATH_RECORD_MTU,
		MADKIT_PATH_RECORD_RATE_SELECTOR,
		MADKIT_PATH_RECORD_RATE,
		MADKIT_PATH_RECORD_PACKET_LIFE_TIME_SELECTOR,
		MADKIT_PATH_RECORD_PACKET_LIFE_TIME,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(not_compared); i++)
		sa_ignore(q, not_compared[i]);
	/* a request for paths that are not reversible accepts reversible ones */
	if (!sa_wanted(q, MADKIT_PATH_RECORD_REVERSIBLE))
		sa_ignore(q, MADKIT_PATH_RECORD_REVERSIBLE);
	if (!sa_select_is_valid(q, SA_MTUS, MADKIT_PATH_RECORD_MTU_SELECTOR, MADKIT_PATH_RECORD_MTU) ||
	    !sa_select_is_valid(q, SA_RATES, MADKIT_PATH_RECORD_RATE_SELECTOR, MADKIT_PATH_RECORD_RATE))
		return SA_INVALID;
	return SA_OK;
}

static uint16_t path_pkey(const struct sa_query *q, uint32_t from, uint32_t to)
{
	uint16_t pkey = (uint16_t)sa_wanted(q, MADKIT_PATH_RECORD_P_KEY);

	if (!sa_names(q, MADKIT_PATH_RECORD_P_KEY))
		return sa_common_pkey(q->sa, from, to);
	return sa_has_pkey(q->sa, from, pkey) && sa_has_pkey(q->sa, to, pkey) ? pkey : 0;
}

/* As in opensm, a path may be reported with a shorter packet life time than it has. Returns false if the
 * request cannot be satisfied. */
static bool sa_path_life(const struct sa_query *q, unsigned int *life)
{
	unsigned int wanted = (unsigned int)sa_wanted(q, MADKIT_PATH_RECORD_PACKET_LIFE_TIME);
	uint64_t selector = sa_wanted(q, MADKIT_PATH_RECORD_PACKET_LIFE_TIME_SELECTOR);
	bool exactly = selector == SA_EXACTLY;

	if (sa_select_time(q, MADKIT_PATH_RECORD_PACKET_LIFE_TIME_SELECTOR,
			   MADKIT_PATH_RECORD_PACKET_LIFE_TIME, *life))
		return true;
	/* longer than the path's own, or less than 0 */
	if (!selector || wanted > *life || (!exactly && !wanted))
		return false;
	*life = exactly ? wanted : wanted - 1;
	return true;
}

/* Fills in the MTU, rate and packet life time of a path. Returns false if it cannot satisfy the request. */
static bool sa_path_describe(struct sa_query *q, const struct path *path, unsigned int life)
{
	unsigned int mtu =
		sa_select(q, SA_MTUS, MADKIT_PATH_RECORD_MTU_SELECTOR, MADKIT_PATH_RECORD_MTU, path->mtu);
	unsigned int rate =
		sa_select(q, SA_RATES, MADKIT_PATH_RECORD_RATE_SELECTOR, MADKIT_PATH_RECORD_RATE, path->rate);

	if (!mtu || !rate || !sa_path_life(q, &life))
		return false;
	sa_record_put(q, MADKIT_PATH_RECORD_MTU_SELECTOR, SA_EXACTLY);
	sa_record_put(q, MADKIT_PATH_RECORD_MTU, mtu);
	sa_record_put(q, MADKIT_PATH_RECORD_RATE_SELECTOR, SA_EXACTLY);
	sa_record_put(q, MADKIT_PATH_RECORD_RATE, rate);
	sa_record_put(q, MADKIT_PATH_RECORD_PACKET_LIFE_TIME_SELECTOR, SA_EXACTLY);
	sa_record_put(q, MADKIT_PATH_RECORD_PACKET_LIFE_TIME, life);
	return true;
}

static void path_between(struct sa_query *q, uint32_t from, unsigned int slid, uint32_t to, unsigned int dlid,
			 uint16_t pkey)
{
	struct path path, back;

	memset(q->record, 0, sizeof(q->record));
	sa_gid_of(q->sa, from, q->record + field_at(MADKIT_PATH_RECORD_SGID));
	sa_gid_of(q->sa, to, q->record + field_at(MADKIT_PATH_RECORD_DGID));
	sa_record_put(q, MADKIT_PATH_RECORD_SLID, slid);
	sa_record_put(q, MADKIT_PATH_RECORD_DLID, dlid);
	sa_record_put(q, MADKIT_PATH_RECORD_P_KEY, pkey);
	sa_record_put(q, MADKIT_PATH_RECORD_REVERSIBLE, 1);
	/* without quality of service, any SL will do */
	if (sa_names(q, MADKIT_PATH_RECORD_SL))
		sa_record_put(q, MADKIT_PATH_RECORD_SL, sa_wanted(q, MADKIT_PATH_RECORD_SL));
	/* reject a mismatch before the path is followed; only reversibility is compared later */
	if (!sa_agrees(q, q->record) || !sa_path_walk(q, from, dlid, &path, NULL) ||
	    !sa_path_describe(q, &path, from == to ? 0 : SA_LIFE_TIME))
		return;
	sa_record_put(q, MADKIT_PATH_RECORD_REVERSIBLE, sa_path_walk(q, to, slid, &back, NULL));
	sa_offer(q);
}

static unsigned int lids_of(const struct sa *sa, uint32_t port)
{
	return 1u << field_get(MADKIT_PORT_INFO_LMC, sa->options.subnet->ports[port].info);
}

static void path_pair(struct sa_query *q, uint32_t from, uint32_t to)
{
	unsigned int slids = lids_of(q->sa, from), dlids = lids_of(q->sa, to);
	unsigned int slid = sa_lid_of(q->sa, from), dlid = sa_lid_of(q->sa, to);
	unsigned int left = paths_wanted(q), before;
	uint16_t pkey = path_pkey(q, from, to);

	if (!pkey || (!q->trusted && (!sa_common_pkey(q->sa, from, q->requester) ||
				      !sa_common_pkey(q->sa, to, q->requester))))
		return;
	if (sa_names(q, MADKIT_PATH_RECORD_SLID))
		slid = (unsigned int)sa_wanted(q, MADKIT_PATH_RECORD_SLID), slids = 1;
	if (sa_names(q, MADKIT_PATH_RECORD_DLID))
		dlid = (unsigned int)sa_wanted(q, MADKIT_PATH_RECORD_DLID), dlids = 1;
	for (unsigned int i = 0; i < (slids > dlids ? slids : dlids) && left; i++) {
		before = q->count;
		path_between(q, from, slid + i % slids, to, dlid + i % dlids, pkey);
		left -= q->count - before;
	}
}

/* ---- PathRecord ------------------------------------------------------------------ */

/*
 * Finds the end port that a request names by GID or LID; *port is SUBNET_NONE if it names neither. Returns
 * a status as opensm does: no records if there is no such port, and an invalid request if the GID and the
 * LID are those of different ports.
 */
static int path_endpoint(const struct sa_query *q, uint64_t gid, uint64_t lid, uint32_t *port)
{
	uint32_t by_lid;

	*port = SUBNET_NONE;
	if (sa_names(q, gid) && sa_port_by_gid(q->sa, q->wanted + field_at(gid), port))
		return SA_NO_RECORDS;
	if (!sa_names(q, lid))
		return SA_OK;
	by_lid = sa_port_by_lid(q->sa, (unsigned int)sa_wanted(q, lid));
	if (by_lid == SUBNET_NONE)
		return SA_NO_RECORDS;
	if (*port != SUBNET_NONE && *port != by_lid)
		return SA_INVALID;
	*port = by_lid;
	return SA_OK;
}

/* A GetTable without records gets an empty table. */
static int sa_path_end(const struct sa_query *q, int status)
{
	return status == SA_NO_RECORDS && q->table ? SA_OK : status;
}

/* Offers the path to a multicast group, with the values of the group. Returns a status. */
static int group_path(struct sa_query *q, uint32_t from)
{
	static const uint64_t of_group[] = {
		MADKIT_PATH_RECORD_FLOW_LABEL,
		MADKIT_PATH_RECORD_HOP_LIMIT,
		MADKIT_PATH_RECORD_T_CLASS,
		MADKIT_PATH_RECORD_P_KEY,
	};
	const uint8_t *dgid = q->wanted + field_at(MADKIT_PATH_RECORD_DGID), *group;
	const struct sa_mgroup *g = sa_group_find(q->sa, dgid);
	struct path path;

	/* the source must be a member */
	if (!g || (from != SUBNET_NONE && !sa_member_find(g, q->sa->options.subnet->ports[from].guid)))
		return SA_NO_RECORDS;
	if (from == SUBNET_NONE)
		from = q->requester;
	for (unsigned int i = 0; i < ARRAY_SIZE(of_group); i++)
		if (sa_names(q, of_group[i]))
			sa_compare(q, of_group[i]);
	group = g->record;
	memset(q->record, 0, sizeof(q->record));
	memcpy(q->record + field_at(MADKIT_PATH_RECORD_DGID), dgid, 16);
	sa_gid_of(q->sa, from, q->record + field_at(MADKIT_PATH_RECORD_SGID));
	sa_record_put(q, MADKIT_PATH_RECORD_SLID, sa_lid_of(q->sa, from));
	sa_record_put(q, MADKIT_PATH_RECORD_DLID, field_get(MADKIT_MC_MEMBER_RECORD_MLID, group));
	sa_record_put(q, MADKIT_PATH_RECORD_FLOW_LABEL, field_get(MADKIT_MC_MEMBER_RECORD_FLOW_LABEL, group));
	sa_record_put(q, MADKIT_PATH_RECORD_HOP_LIMIT, field_get(MADKIT_MC_MEMBER_RECORD_HOP_LIMIT, group));
	sa_record_put(q, MADKIT_PATH_RECORD_T_CLASS, field_get(MADKIT_MC_MEMBER_RECORD_T_CLASS, group));
	sa_record_put(q, MADKIT_PATH_RECORD_SL, field_get(MADKIT_MC_MEMBER_RECORD_SL, group));
	sa_record_put(q, MADKIT_PATH_RECORD_P_KEY, field_get(MADKIT_MC_MEMBER_RECORD_P_KEY, group));
	sa_record_put(q, MADKIT_PATH_RECORD_REVERSIBLE, 1);
	path.mtu = (unsigned int)field_get(MADKIT_MC_MEMBER_RECORD_MTU, group);
	path.rate = (unsigned int)field_get(MADKIT_MC_MEMBER_RECORD_RATE, group);
	if (sa_has_pkey(q->sa, from, (uint16_t)field_get(MADKIT_MC_MEMBER_RECORD_P_KEY, group)) &&
	    sa_path_describe(q, &path,
			     (unsigned int)field_get(MADKIT_MC_MEMBER_RECORD_PACKET_LIFE_TIME, group)))
		sa_offer(q);
	return SA_OK;
}

static bool sa_path_is_end(const struct sa_query *q, uint32_t port)
{
	return q->sa->options.subnet->ports[port].end && sa_lid_of(q->sa, port);
}

/* Offers the paths from one end port or from all (SUBNET_NONE) to one or to all. Returns a status. */
static int path_pairs(struct sa_query *q, uint32_t from, uint32_t to)
{
	const uint32_t n = q->sa->options.subnet->nports;
	uint32_t looked = 0;

	for (uint32_t i = from == SUBNET_NONE ? 0 : from; i < n; i++) {
		for (uint32_t j = to == SUBNET_NONE ? 0 : to; j < n && sa_path_is_end(q, i); j++) {
			if (sa_path_is_end(q, j)) {
				path_pair(q, i, j);
				if (q->out->error || ++looked > PAIRS_MAX)
					return SA_NO_RESOURCES;
				/* a Get returns one path, no matter which (NumbPath is 1) */
				if (!q->table && q->count)
					return SA_OK;
			}
			if (to != SUBNET_NONE)
				break;
		}
		if (from != SUBNET_NONE)
			break;
	}
	return SA_OK;
}

int sa_path_records(struct sa_query *q)
{
	const uint8_t *dgid = q->wanted + field_at(MADKIT_PATH_RECORD_DGID);
	uint32_t from, to;
	int ret = sa_path_prepare(q);

	if (!ret)
		ret = path_endpoint(q, MADKIT_PATH_RECORD_SGID, MADKIT_PATH_RECORD_SLID, &from);
	if (ret)
		return sa_path_end(q, ret);
	if (sa_names(q, MADKIT_PATH_RECORD_DGID) && dgid[0] == 0xff)
		return sa_path_end(q, group_path(q, from));
	ret = path_endpoint(q, MADKIT_PATH_RECORD_DGID, MADKIT_PATH_RECORD_DLID, &to);
	return ret ? sa_path_end(q, ret) : path_pairs(q, from, to);
}

/* ---- MultiPathRecord ------------------------------------------------------------- */

/* The fields that MultiPathRecord and PathRecord have in common. */
#define BOTH(name) MADKIT_MULTI_PATH_RECORD_##name, MADKIT_PATH_RECORD_##name
static const struct {
	uint64_t multi, path;
} common[] = {
	{ BOTH(RAW_TRAFFIC) },
	{ BOTH(FLOW_LABEL) },
	{ BOTH(HOP_LIMIT) },
	{ BOTH(T_CLASS) },
	{ BOTH(REVERSIBLE) },
	{ BOTH(P_KEY) },
	{ BOTH(QOS_CLASS) },
	{ BOTH(SL) },
	{ BOTH(MTU_SELECTOR) },
	{ BOTH(MTU) },
	{ BOTH(RATE_SELECTOR) },
	{ BOTH(RATE) },
	{ BOTH(PACKET_LIFE_TIME_SELECTOR) },
	{ BOTH(PACKET_LIFE_TIME) },
};

/* Converts a request for MultiPathRecords into one for PathRecords. */
static void path_query_from(const struct sa_query *q, struct sa_query *p)
{
	*p = *q;
	memset(p->wanted, 0, sizeof(p->wanted));
	memset(p->compare, 0, sizeof(p->compare));
	for (unsigned int i = 0; i < ARRAY_SIZE(common); i++) {
		if (!sa_names(q, common[i].multi))
			continue;
		field_put(common[i].path, p->wanted, sa_wanted(q, common[i].multi));
		sa_compare(p, common[i].path);
	}
	if (sa_names(q, MADKIT_MULTI_PATH_RECORD_SERVICE_ID8_MSB)) {
		field_put(MADKIT_PATH_RECORD_SERVICE_ID, p->wanted,
			  sa_wanted(q, MADKIT_MULTI_PATH_RECORD_SERVICE_ID8_MSB) << 56 |
				  sa_wanted(q, MADKIT_MULTI_PATH_RECORD_SERVICE_ID56_LSB));
		sa_compare(p, MADKIT_PATH_RECORD_SERVICE_ID);
	}
	memcpy(p->named, p->compare, sizeof(p->named));
}

int sa_multi_paths(struct sa_query *q)
{
	unsigned int sources = (unsigned int)sa_wanted(q, MADKIT_MULTI_PATH_RECORD_SGID_COUNT);
	unsigned int destinations = (unsigned int)sa_wanted(q, MADKIT_MULTI_PATH_RECORD_DGID_COUNT),
		     left = UINT32_MAX;
	size_t begin = field_at(MADKIT_MULTI_PATH_RECORD_SDGID);
	struct sa_query p;
	int ret;

	/* o15-0.2.7: the response consists of PathRecords */
	q->told = MADKIT_ATTR_PATH_RECORD;
	if (!sa_names(q, MADKIT_MULTI_PATH_RECORD_SGID_COUNT) ||
	    !sa_names(q, MADKIT_MULTI_PATH_RECORD_DGID_COUNT) ||
	    sa_names(q, MADKIT_MULTI_PATH_RECORD_SERVICE_ID8_MSB) !=
		    sa_names(q, MADKIT_MULTI_PATH_RECORD_SERVICE_ID56_LSB))
		return SA_INSUFFICIENT;
	if (!sources || !destinations || q->len < begin + 16u * (sources + destinations))
		return SA_INVALID;
	path_query_from(q, &p);
	ret = sa_path_prepare(&p);
	if (sa_names(q, MADKIT_MULTI_PATH_RECORD_NUMB_PATH))
		left = (unsigned int)sa_wanted(q, MADKIT_MULTI_PATH_RECORD_NUMB_PATH);
	for (unsigned int i = 0; !ret && i < sources; i++) {
		for (unsigned int j = 0; !ret && j < destinations && p.count < left; j++) {
			const uint8_t *gids = q->data + begin;
			uint32_t from, to;

			if (sa_port_by_gid(q->sa, gids + 16 * i, &from) ||
			    sa_port_by_gid(q->sa, gids + 16 * (sources + j), &to))
				return SA_INVALID_GID;
			/* one path for each pair */
			p.table = false;
			uint32_t before = p.count;

			p.count = 0;
			path_pair(&p, from, to);
			p.count += before;
		}
	}
	q->count = p.count;
	return ret;
}

/* ---- TraceRecord ----------------------------------------------------------------- */

static void trace_node(struct sa_query *q, uint32_t in, uint32_t out)
{
	const struct subnet *s = q->sa->options.subnet;
	const struct subnet_node *node = subnet_node_of(s, in == SUBNET_NONE ? out : in);

	memset(q->record, 0, sizeof(q->record));
	sa_record_put(q, MADKIT_TRACE_RECORD_GID_PREFIX, sa_prefix(q->sa));
	sa_record_put(q, MADKIT_TRACE_RECORD_ID_GENERATION, s->generation & 0xffff);
	sa_record_put(q, MADKIT_TRACE_RECORD_NODE_TYPE, node->type);
	sa_record_put(q, MADKIT_TRACE_RECORD_NODE_ID, node->guid);
	sa_record_put(q, MADKIT_TRACE_RECORD_CHASSIS_ID, field_get(MADKIT_NODE_INFO_SYSTEM_GUID, node->info));
	if (in != SUBNET_NONE) {
		sa_record_put(q, MADKIT_TRACE_RECORD_ENTRY_PORT_ID, s->ports[in].guid);
		sa_record_put(q, MADKIT_TRACE_RECORD_ENTRY_PORT, s->ports[in].number);
	}
	if (out != SUBNET_NONE) {
		sa_record_put(q, MADKIT_TRACE_RECORD_EXIT_PORT_ID, s->ports[out].guid);
		sa_record_put(q, MADKIT_TRACE_RECORD_EXIT_PORT, s->ports[out].number);
	}
	sa_offer(q);
}

/* The request holds a PathRecord. Only port 0 of a switch has a GUID to report. */
int sa_trace_path(struct sa_query *q)
{
	struct path path;
	uint32_t from, to;
	unsigned int dlid;
	int ret = path_endpoint(q, MADKIT_PATH_RECORD_SGID, MADKIT_PATH_RECORD_SLID, &from);

	if (!ret)
		ret = path_endpoint(q, MADKIT_PATH_RECORD_DGID, MADKIT_PATH_RECORD_DLID, &to);
	if (ret)
		return sa_path_end(q, ret);
	if (from == SUBNET_NONE || to == SUBNET_NONE)
		return SA_INSUFFICIENT;
	dlid = sa_names(q, MADKIT_PATH_RECORD_DLID) ? (unsigned int)sa_wanted(q, MADKIT_PATH_RECORD_DLID) :
						      sa_lid_of(q->sa, to);
	memset(q->compare, 0, sizeof(q->compare));
	if (from == to || !path_pkey(q, from, to) || !sa_path_walk(q, from, dlid, &path, NULL) ||
	    (!q->trusted && !sa_common_pkey(q->sa, from, q->requester)))
		return SA_OK;
	sa_path_walk(q, from, dlid, &path, trace_node);
	return SA_OK;
}
