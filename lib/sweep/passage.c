/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks whether packets pass a path: by P_Keys, MTUs and virtual lanes (madsweep --route). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/addr.h>
#include <madkit/path.h>
#include "sweep/block.h"
#include "util/array_size.h"
#include "wire/access.h"
#include "wire/status.h"

enum {
	PASSAGE_BASE = 0x7fff, /* a P_Key without the bit of full members; 0 is not valid */
	PASSAGE_FULL = 0x8000,
	PASSAGE_SET = (PASSAGE_BASE + 1) / 8,
	PASSAGE_BLOCK = 32, /* P_Keys per block */
	PASSAGE_VL0_ONLY = 1,
	PASSAGE_VL15 = 15,
};

/* P_Keys of a table, or of packets: a bit for each partition. */
struct passage_keys {
	uint8_t full[PASSAGE_SET], limited[PASSAGE_SET];
	bool unread; /* there may be more */
};

/* The sets of a check: 8 KiB each, too much for a small stack. */
struct passage_sets {
	struct passage_keys from, to; /* of the end ports */
	struct passage_keys shared;   /* by both */
	struct passage_keys passing;  /* and by the switches */
	struct passage_keys table;    /* of a switch */
};

/* A check in progress. */
struct passage {
	struct madkit_sweep *sweep;
	const struct madkit_path *path;
	struct passage_sets *sets;
	struct madkit_passage *result;
	bool waits; /* for a response */
	int error;
};

static const struct sweep_entry *passage_entry(const struct passage *p, unsigned int hop)
{
	return p->sweep->nodes[p->path->hops[hop].node];
}

/* Returns PortInfo of a port of a hop, or NULL if it was not read. */
static const uint8_t *passage_info(const struct passage *p, unsigned int hop, unsigned int port)
{
	const struct madkit_sweep_port *at = &passage_entry(p, hop)->node.ports[port];

	return at->state == MADKIT_SWEEP_ANSWERED ? at->info : NULL;
}

/* Returns a block of a port of a hop; NULL: it is not known yet, or memory ran out. */
static const struct sweep_block *passage_block(struct passage *p, unsigned int hop, unsigned int port,
					       uint16_t attribute, uint32_t modifier)
{
	const bool is_switch = sweep_is_switch(passage_entry(p, hop));
	const struct sweep_place at = { p->path->hops[hop].node, is_switch ? 0 : (uint8_t)port };
	const struct sweep_block *block = block_get(p->sweep, at, attribute, modifier);

	if (!block)
		p->error = -ENOMEM;
	else if (block->state == MADKIT_SWEEP_UNKNOWN)
		p->waits = true;
	return block && block->state != MADKIT_SWEEP_UNKNOWN ? block : NULL;
}

static bool passage_leaves(const struct passage *p, unsigned int hop)
{
	return hop + 1u < p->path->nhops;
}

static void passage_add(struct madkit_passage *result, enum madkit_passing passing)
{
	if (passing == MADKIT_PASSING_DISCARDED || result->passes == MADKIT_PASSING)
		result->passes = (uint8_t)passing;
}

/* ---- P_Keys ---------------------------------------------------------------------------- */

static bool passage_keys_has(const uint8_t set[PASSAGE_SET], unsigned int base)
{
	return set[base / 8] >> base % 8 & 1;
}

static void passage_keys_add(struct passage_keys *keys, const uint8_t *data)
{
	for (unsigned int i = 0; i < PASSAGE_BLOCK; i++) {
		const unsigned int pkey = (unsigned int)element_get(MADKIT_P_KEY_TABLE_P_KEY, i, data);
		const unsigned int base = pkey & PASSAGE_BASE;

		if (base)
			(pkey & PASSAGE_FULL ? keys->full : keys->limited)[base / 8] |=
				(uint8_t)(1u << base % 8);
	}
}

/* Reads the table of an end port, or of an external port of a switch. */
static void passage_keys_read(struct passage *p, unsigned int hop, unsigned int port,
			      struct passage_keys *keys)
{
	const struct madkit_sweep_node *n = &passage_entry(p, hop)->node;
	const bool external = sweep_is_switch(passage_entry(p, hop)) && port;
	unsigned int entries = n->partitions;

	memset(keys, 0, sizeof(*keys));
	keys->unread = external && n->switched != MADKIT_SWEEP_ANSWERED;
	if (external)
		entries = (unsigned int)field_get(MADKIT_SWITCH_INFO_PART_ENFORCE_CAP, n->switch_info);
	for (uint32_t block = 0; !block || block * PASSAGE_BLOCK < entries; block++) {
		const struct sweep_block *b = passage_block(p, hop, port, MADKIT_ATTR_P_KEY_TABLE,
							    (external ? port << 16 : 0) | block);

		if (b && b->state == MADKIT_SWEEP_ANSWERED)
			passage_keys_add(keys, b->data);
		else
			keys->unread = true;
	}
}

/* The P_Keys that packets can have from one port to another: those of the first, if one of the two is a full
 * member. */
static void passage_keys_share(const struct passage_keys *from, const struct passage_keys *to,
			       struct passage_keys *packets)
{
	for (size_t i = 0; i < PASSAGE_SET; i++) {
		packets->full[i] = from->full[i] & (to->full[i] | to->limited[i]);
		packets->limited[i] = from->limited[i] & to->full[i];
	}
}

/* Removes those that an external port of a switch discards. Its table is that of the end port behind it, with limited
 * memberships: into the switch, packets have a P_Key of the table; out of it, one that the end port accepts. */
static void passage_keys_enforce(struct passage_keys *packets, const struct passage_keys *table, bool in)
{
	for (size_t i = 0; i < PASSAGE_SET; i++) {
		const uint8_t both = table->full[i] | table->limited[i];

		packets->full[i] &= in ? table->full[i] : both;
		packets->limited[i] &= in ? both : table->full[i];
	}
}

/* Chooses the default P_Key, else one of which both ends are full members, else any. Returns 0 if there is none. */
static uint16_t passage_keys_choose(const struct passage_keys *packets, const struct passage_keys *to)
{
	unsigned int best = 0, best_rank = 0;

	for (unsigned int base = 1; base <= PASSAGE_BASE; base++) {
		const bool full = passage_keys_has(packets->full, base);
		const unsigned int rank = !full && !passage_keys_has(packets->limited, base) ? 0 :
					  base == (MADKIT_PKEY_DEFAULT & PASSAGE_BASE)       ? 3 :
					  full && passage_keys_has(to->full, base)           ? 2 :
											       1;

		if (rank > best_rank) {
			best_rank = rank;
			best = base | (full ? PASSAGE_FULL : 0);
		}
	}
	return (uint16_t)best;
}

/* Checks if an external port of a switch enforces P_Keys, or may do so. */
static bool passage_enforces(const struct passage *p, unsigned int hop, bool in)
{
	const unsigned int port = in ? p->path->hops[hop].ingress : p->path->hops[hop].egress;
	const uint8_t *info = passage_info(p, hop, port);

	if (!sweep_is_switch(passage_entry(p, hop)) || !port || (!in && !passage_leaves(p, hop)))
		return false;
	return !info ||
	       field_get(in ? MADKIT_PORT_INFO_PART_ENFORCE_INB : MADKIT_PORT_INFO_PART_ENFORCE_OUTB, info);
}

/* Reads the table with which a port of a hop enforces P_Keys. Returns false if it does not. */
static bool passage_enforced(struct passage *p, unsigned int hop, bool in, struct passage_keys *table)
{
	const unsigned int port = in ? p->path->hops[hop].ingress : p->path->hops[hop].egress;

	if (!passage_enforces(p, hop, in))
		return false;
	passage_keys_read(p, hop, port, table);
	return true;
}

/* Checks if an external port of a switch with this table allows the P_Key of packets, as passage_keys_enforce() does. */
static bool passage_keys_allow(const struct passage_keys *table, unsigned int pkey, bool in)
{
	const unsigned int base = pkey & PASSAGE_BASE;
	const bool full = pkey & PASSAGE_FULL;

	return passage_keys_has(table->full, base) || (in != full && passage_keys_has(table->limited, base));
}

/* Checks at each port of a switch that enforces P_Keys whether it allows that of the packets. */
static void passage_check_enforced(struct passage *p)
{
	struct passage_keys *table = &p->sets->table;

	for (unsigned int i = 0; i < 2u * p->path->nhops; i++) {
		struct madkit_passage_hop *hop = &p->result->hops[i / 2];
		const bool in = i % 2 == 0;
		enum madkit_passing passing;

		if (!passage_enforced(p, i / 2, in, table))
			continue;
		passing = passage_keys_allow(table, p->result->pkey, in) ? MADKIT_PASSING :
			  table->unread                                  ? MADKIT_PASSING_UNREAD :
									   MADKIT_PASSING_DISCARDED;
		*(in ? &hop->pkey_in : &hop->pkey) = (uint8_t)passing;
		passage_add(p->result, passing);
	}
}

static void passage_check_keys(struct passage *p)
{
	const unsigned int last = p->path->nhops - 1u;
	const unsigned int end = sweep_is_switch(passage_entry(p, last)) ? 0 :
				 last                                    ? p->path->hops[last].ingress :
									   p->path->port;
	struct passage_sets *sets = p->sets;
	bool limited = false;

	passage_keys_read(p, 0, p->path->port, &sets->from);
	passage_keys_read(p, last, end, &sets->to);
	passage_keys_share(&sets->from, &sets->to, &sets->shared);
	sets->passing = sets->shared;
	for (unsigned int i = 0; i < 2u * p->path->nhops; i++)
		if (passage_enforced(p, i / 2, i % 2 == 0, &sets->table) && !sets->table.unread)
			passage_keys_enforce(&sets->passing, &sets->table, i % 2 == 0);
	p->result->unread[0] = sets->from.unread;
	p->result->unread[1] = sets->to.unread;
	p->result->pkey = passage_keys_choose(&sets->passing, &sets->to);
	if (!p->result->pkey)
		p->result->pkey = passage_keys_choose(&sets->shared, &sets->to);
	for (size_t i = 0; i < PASSAGE_SET; i++)
		limited |= sets->from.limited[i] & sets->to.limited[i];
	p->result->partition = p->result->pkey                      ? MADKIT_PARTITION_SHARED :
			       sets->from.unread || sets->to.unread ? MADKIT_PARTITION_UNREAD :
			       limited                              ? MADKIT_PARTITION_LIMITED :
								      MADKIT_PARTITION_NONE;
	if (p->result->pkey)
		passage_check_enforced(p);
	else
		passage_add(p->result, p->result->partition == MADKIT_PARTITION_UNREAD ?
					       MADKIT_PASSING_UNREAD :
					       MADKIT_PASSING_DISCARDED);
}

/* ---- virtual lanes --------------------------------------------------------------------- */

/* Returns the VL of the SL at the egress port of a hop, or MADKIT_PASSAGE_NO_VL if it is not known. */
static unsigned int passage_vl(struct passage *p, unsigned int hop, const uint8_t *info)
{
	const struct madkit_path_hop *at = &p->path->hops[hop];
	const bool is_switch = sweep_is_switch(passage_entry(p, hop));
	const struct sweep_block *b;

	if (field_get(MADKIT_PORT_INFO_VL_CAP, info) == PASSAGE_VL0_ONLY)
		return 0;
	/* This modifier is also valid for switches with optimised programming, which have others for Set only. */
	b = passage_block(p, hop, at->egress, MADKIT_ATTR_SL_TO_VL_MAPPING_TABLE,
			  is_switch ? (uint32_t)at->ingress << 8 | at->egress : 0);
	if (b && b->state == MADKIT_SWEEP_ANSWERED)
		return (unsigned int)element_get(MADKIT_SL_TO_VL_MAPPING_TABLE_SL_TO_VL, p->result->sl,
						 b->data);
	return b && b->status == STATUS_BAD_ATTRIBUTE ? 0 : MADKIT_PASSAGE_NO_VL;
}

static void passage_check_lane(struct passage *p, unsigned int hop)
{
	/* by OperationalVLs; the others are reserved */
	static const uint8_t counts[] = { PASSAGE_VL15, 1, 2, 4, 8, PASSAGE_VL15 };
	struct madkit_passage_hop *result = &p->result->hops[hop];
	const uint8_t *info = passage_info(p, hop, p->path->hops[hop].egress);
	uint64_t code;

	result->vl = info ? (uint8_t)passage_vl(p, hop, info) : MADKIT_PASSAGE_NO_VL;
	code = info ? field_get(MADKIT_PORT_INFO_OPER_VLS, info) : 0;
	result->lane = result->vl == MADKIT_PASSAGE_NO_VL                         ? MADKIT_PASSING_UNREAD :
		       result->vl >= counts[code < ARRAY_SIZE(counts) ? code : 0] ? MADKIT_PASSING_DISCARDED :
										    MADKIT_PASSING;
	passage_add(p->result, result->lane);
}

/* ---- MTUs ------------------------------------------------------------------------------ */

/* Returns NeighborMTU in octets, or 0 if it is not known. */
static uint16_t passage_mtu(const uint8_t *info)
{
	const uint64_t code = info ? field_get(MADKIT_PORT_INFO_NEIGHBOR_MTU, info) : 0;

	return code && code <= 5 ? (uint16_t)(128u << code) : 0;
}

static void passage_check_mtus(struct passage *p)
{
	struct madkit_passage *result = p->result;
	bool unread = false;

	for (unsigned int i = 0; i < p->path->nhops; i++) {
		const struct madkit_path_hop *hop = &p->path->hops[i];
		const uint16_t in = i ? passage_mtu(passage_info(p, i, hop->ingress)) : 0;
		const uint16_t out = passage_leaves(p, i) ? passage_mtu(passage_info(p, i, hop->egress)) : 0;

		result->hops[i].mtu_in = in;
		result->hops[i].mtu = out;
		unread |= (i && !in) || (passage_leaves(p, i) && !out);
		if (in && (!result->mtu || in < result->mtu))
			result->mtu = in;
		if (out && (!result->mtu || out < result->mtu))
			result->mtu = out;
		result->mtu_max = in > result->mtu_max ? in : result->mtu_max;
		result->mtu_max = out > result->mtu_max ? out : result->mtu_max;
	}
	if (unread)
		result->mtu = 0;
}

/* ---- all checks ------------------------------------------------------------------------ */

static void passage_check(struct passage *p)
{
	*p->result = (struct madkit_passage){ .sl = p->result->sl, .passes = MADKIT_PASSING };
	for (unsigned int i = 0; i < p->path->nhops; i++) {
		p->result->hops[i] = (struct madkit_passage_hop){ .vl = MADKIT_PASSAGE_NO_VL,
								  .lane = MADKIT_PASSING,
								  .pkey_in = MADKIT_PASSING,
								  .pkey = MADKIT_PASSING };
		if (passage_leaves(p, i))
			passage_check_lane(p, i);
	}
	passage_check_mtus(p);
	passage_check_keys(p);
}

/* Checks each path once. waits: responses are missing. Returns 0 or -ENOMEM. */
static int passage_check_all(struct madkit_sweep *s, struct passage_sets *sets,
			     const struct madkit_path *paths, struct madkit_passage *passages, size_t count,
			     bool *waits)
{
	*waits = false;
	for (size_t i = 0; i < count; i++) {
		struct passage p = { .sweep = s, .path = &paths[i], .sets = sets, .result = &passages[i] };

		if (paths[i].end != MADKIT_PATH_ARRIVED)
			continue;
		passage_check(&p);
		if (p.error)
			return p.error;
		*waits |= p.waits;
	}
	return 0;
}

int madkit_passage_read(struct madkit_sweep *s, const struct madkit_path *paths,
			struct madkit_passage *passages, size_t count, uint64_t until_ns)
{
	struct passage_sets *sets = malloc(sizeof(*sets));
	bool waits;
	int ret;

	if (!sets)
		return -ENOMEM;
	for (;;) {
		ret = passage_check_all(s, sets, paths, passages, count, &waits);
		if (ret || !waits) {
			ret = ret ? ret : 1;
			break;
		}
		ret = madkit_sweep_step(s, until_ns);
		if (ret != 1)
			break;
	}
	free(sets);
	return ret;
}
