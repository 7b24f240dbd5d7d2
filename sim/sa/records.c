/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records of the manager's subnet (IBA volume 1, section 15.2.5). Most begin with the LID of an end port;
 * a request may name any of the LIDs that the LMC gives to the port. Requesters without the SM_Key see
 * only ports with which they share a partition (C15-0.1.21).
 */
#include <string.h>
#include "sim/sa/internal.h"
#include "util/array_size.h"

/* ---- candidates ------------------------------------------------------------------ */

#define RECORD_LID MADKIT_NODE_RECORD_LID /* the same for all records that begin with a LID */

static const struct subnet_node *node_of(const struct sa_query *q, uint32_t port)
{
	return subnet_node_of(q->sa->options.subnet, port);
}

static void records_make(struct sa_query *q, uint32_t end)
{
	const struct subnet_node *node = node_of(q, end);
	enum sa_over over = q->attribute->over;

	if (!q->trusted && !sa_common_pkey(q->sa, end, q->requester))
		return;
	if (over == SA_END_PORTS || (over == SA_ALL_PORTS && !subnet_is_switch(node)))
		q->attribute->make(q, end);
	else if (subnet_is_switch(node))
		for (uint32_t i = 0; i <= (over == SA_SWITCHES ? 0u : node->nports); i++)
			q->attribute->make(q, node->first + i);
}

int sa_each(struct sa_query *q)
{
	const struct subnet *s = q->sa->options.subnet;
	uint32_t port;

	if (sa_names(q, RECORD_LID)) {
		port = sa_port_by_lid(q->sa, (unsigned int)sa_wanted(q, RECORD_LID));
		if (port == SUBNET_NONE)
			return SA_OK;
		field_put(RECORD_LID, q->wanted, sa_lid_of(q->sa, port));
		records_make(q, port);
	} else {
		for (port = 0; port < s->nports && !q->out->error; port++)
			if (s->ports[port].end && sa_lid_of(q->sa, port))
				records_make(q, port);
	}
	return SA_OK;
}

/* Begins a record with the LID of the end port that port belongs to. Returns q->record. */
static uint8_t *sa_record_begin(struct sa_query *q, uint32_t port)
{
	memset(q->record, 0, sizeof(q->record));
	sa_record_put(q, RECORD_LID, sa_lid_of(q->sa, subnet_end_of(q->sa->options.subnet, port)));
	return q->record;
}

/* Copies bytes into a field of the record: as many as the field has. */
static void sa_record_put_bytes(struct sa_query *q, uint64_t which, const uint8_t *bytes)
{
	memcpy(q->record + field_at(which), bytes, at_width(which) / 8);
}

/* Checks if the request names another number, so that the record need not be built. */
static bool records_other_end(const struct sa_query *q, uint64_t which, uint64_t number)
{
	return sa_names(q, which) && field_get(which, q->wanted) != number;
}

/* Offers a table of a port. As in opensm, the n port numbers in a request do not matter for an adapter,
 * which has one such table at each LID. */
static void sa_offer_of_port(struct sa_query *q, const struct subnet_node *node, const uint64_t *numbers,
			     unsigned int n)
{
	uint8_t compare[SA_RECORD_MAX];

	memcpy(compare, q->compare, sizeof(compare));
	for (unsigned int i = 0; i < n && !subnet_is_switch(node); i++)
		sa_ignore(q, numbers[i]);
	sa_offer(q);
	memcpy(q->compare, compare, sizeof(compare));
}

/* ---- nodes and ports ------------------------------------------------------------- */

void sa_node_record(struct sa_query *q, uint32_t port)
{
	const struct subnet_port *p = &q->sa->options.subnet->ports[port];
	const struct subnet_node *node = node_of(q, port);
	uint8_t *info = sa_record_begin(q, port) + field_at(MADKIT_NODE_RECORD_NODE_INFO);

	sa_record_put_bytes(q, MADKIT_NODE_RECORD_NODE_INFO, node->info);
	field_put(MADKIT_NODE_INFO_PORT_GUID, info, p->guid);
	field_put(MADKIT_NODE_INFO_LOCAL_PORT, info, p->number);
	sa_record_put_bytes(q, MADKIT_NODE_RECORD_NODE_DESCRIPTION, node->description);
	sa_offer(q);
}

int sa_node_records(struct sa_query *q)
{
	size_t guid = field_at(MADKIT_NODE_RECORD_NODE_INFO) + field_at(MADKIT_NODE_INFO_PORT_GUID);
	uint32_t port;

	if (sa_names(q, RECORD_LID) || !q->compare[guid])
		return sa_each(q);
	port = subnet_find_port(q->sa->options.subnet, get_be64(q->wanted + guid));
	if (port != SUBNET_NONE)
		records_make(q, port);
	return SA_OK;
}

/* Fields that are compared bit by bit if the modifier's highest bit is set: the port must have the
 * requested capabilities, and may have more. */
static const uint64_t capabilities[] = { MADKIT_PORT_INFO_CAP_MASK, MADKIT_PORT_INFO_CAPABILITY_MASK2 };

static size_t records_capability_at(unsigned int i)
{
	return field_at(MADKIT_PORT_INFO_RECORD_PORT_INFO) + field_at(capabilities[i]);
}

/* As in opensm, requesters that do not set FULL_PORT_INFO see QDR in addition to an extended speed. */
enum { FULL_PORT_INFO = 0x80, EXTENDED_SPEEDS = 1 << 14, SPEED_QDR = 4 };

static void sa_show_qdr(const struct sa_query *q, uint32_t port, uint8_t *info)
{
	static const uint64_t speeds[] = { MADKIT_PORT_INFO_LINK_SPEED_SUPPORTED,
					   MADKIT_PORT_INFO_LINK_SPEED_ENABLED,
					   MADKIT_PORT_INFO_LINK_SPEED_ACTIVE };
	const struct subnet *s = q->sa->options.subnet;
	const uint8_t *end = s->ports[subnet_end_of(s, port)].info;

	if (!(field_get(MADKIT_PORT_INFO_CAP_MASK, end) & EXTENDED_SPEEDS) ||
	    !field_get(MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE, info))
		return;
	for (unsigned int i = 0; i < ARRAY_SIZE(speeds); i++)
		field_put(speeds[i], info, field_get(speeds[i], info) | SPEED_QDR);
}

void sa_port_info_record(struct sa_query *q, uint32_t port)
{
	const struct subnet_port *p = &q->sa->options.subnet->ports[port];
	const uint64_t options = sa_names(q, MADKIT_PORT_INFO_RECORD_OPTIONS) ?
					 field_get(MADKIT_PORT_INFO_RECORD_OPTIONS, q->wanted) :
					 0;
	size_t info = field_at(MADKIT_PORT_INFO_RECORD_PORT_INFO);
	uint64_t missing = 0;

	if (records_other_end(q, MADKIT_PORT_INFO_RECORD_PORT_NUM, p->number) ||
	    !field_get(MADKIT_PORT_INFO_LINK_STATE, p->info))
		return;
	sa_record_begin(q, port);
	sa_record_put(q, MADKIT_PORT_INFO_RECORD_PORT_NUM, p->number);
	sa_record_put_bytes(q, MADKIT_PORT_INFO_RECORD_PORT_INFO, p->info);
	if (!q->trusted)
		field_put(MADKIT_PORT_INFO_MKEY, q->record + info, 0);
	for (unsigned int i = 0; q->modifier >> 31 && i < 2; i++)
		if (q->named[records_capability_at(i)])
			missing |= field_get(capabilities[i], q->wanted + info) &
				   ~field_get(capabilities[i], q->record + info);
	if (missing || !sa_agrees(q, q->record))
		return;
	/* set after the comparison, also as in opensm */
	sa_record_put(q, MADKIT_PORT_INFO_RECORD_OPTIONS, options);
	if (!(options & FULL_PORT_INFO))
		sa_show_qdr(q, port, q->record + info);
	sa_put(q);
}

/* The modifier's highest bit requests ports that have at least these capabilities. */
int sa_port_info_records(struct sa_query *q)
{
	sa_ignore(q, MADKIT_PORT_INFO_RECORD_OPTIONS);
	for (unsigned int i = 0; q->modifier >> 31 && i < 2; i++)
		memset(q->compare + records_capability_at(i), 0, at_width(capabilities[i]) / 8);
	return sa_each(q);
}

void sa_link_record(struct sa_query *q, uint32_t port)
{
	const struct subnet *s = q->sa->options.subnet;
	const struct subnet_port *p = &s->ports[port];
	uint32_t to;

	if (p->peer >= s->nports || records_other_end(q, MADKIT_LINK_RECORD_FROM_PORT, p->number))
		return;
	to = subnet_end_of(s, p->peer);
	if (!q->trusted && !sa_common_pkey(q->sa, to, q->requester))
		return;
	sa_record_begin(q, port);
	sa_record_put(q, MADKIT_LINK_RECORD_FROM_PORT, p->number);
	sa_record_put(q, MADKIT_LINK_RECORD_TO_PORT, s->ports[p->peer].number);
	sa_record_put(q, MADKIT_LINK_RECORD_TO_LID, sa_lid_of(q->sa, to));
	sa_offer(q);
}

int sa_link_records(struct sa_query *q)
{
	uint32_t to = sa_port_by_lid(q->sa, (unsigned int)field_get(MADKIT_LINK_RECORD_TO_LID, q->wanted));

	if (to != SUBNET_NONE)
		field_put(MADKIT_LINK_RECORD_TO_LID, q->wanted, sa_lid_of(q->sa, to));
	return sa_each(q);
}

void sa_guid_info_record(struct sa_query *q, uint32_t port)
{
	const uint8_t *guids = q->sa->options.subnet->ports[port].guids;

	for (unsigned int block = 0; guids && block < FABRIC_GUIDS / 8; block++) {
		sa_record_begin(q, port);
		sa_record_put(q, MADKIT_GUID_INFO_RECORD_BLOCK_NUM, block);
		sa_record_put_bytes(q, MADKIT_GUID_INFO_RECORD_GUID_INFO, guids + block * FABRIC_INFO_BYTES);
		sa_offer(q);
	}
}

void sa_pkey_record(struct sa_query *q, uint32_t port)
{
	static const uint64_t number = MADKIT_P_KEY_TABLE_RECORD_PORT_NUM;
	const struct subnet_port *p = &q->sa->options.subnet->ports[port];

	for (unsigned int block = 0; p->pkeys && block < FABRIC_PKEYS / 32; block++) {
		sa_record_begin(q, port);
		sa_record_put(q, MADKIT_P_KEY_TABLE_RECORD_BLOCK_NUM, block);
		sa_record_put(q, MADKIT_P_KEY_TABLE_RECORD_PORT_NUM, p->number);
		sa_record_put_bytes(q, MADKIT_P_KEY_TABLE_RECORD_P_KEY_TABLE,
				    p->pkeys + block * FABRIC_INFO_BYTES);
		sa_offer_of_port(q, node_of(q, port), &number, 1);
	}
}

/* ---- virtual lanes --------------------------------------------------------------- */

void sa_sl2vl_record(struct sa_query *q, uint32_t port)
{
	static const uint64_t numbers[] = { MADKIT_SL_TO_VL_MAPPING_TABLE_RECORD_INPUT_PORT_NUM,
					    MADKIT_SL_TO_VL_MAPPING_TABLE_RECORD_OUTPUT_PORT_NUM };
	const struct subnet_node *node = node_of(q, port);
	unsigned int number = q->sa->options.subnet->ports[port].number;
	bool is_switch = subnet_is_switch(node);
	/* an adapter's table does not depend on an input port */
	unsigned int ins = is_switch ? node->nports : 0, ports = node->nports + 1u;

	if (is_switch && records_other_end(q, MADKIT_SL_TO_VL_MAPPING_TABLE_RECORD_OUTPUT_PORT_NUM, number))
		return;
	for (unsigned int in = 0; node->sl2vl && in <= ins; in++) {
		sa_record_begin(q, port);
		sa_record_put(q, MADKIT_SL_TO_VL_MAPPING_TABLE_RECORD_INPUT_PORT_NUM, in);
		sa_record_put(q, MADKIT_SL_TO_VL_MAPPING_TABLE_RECORD_OUTPUT_PORT_NUM,
			      is_switch ? number : 0);
		sa_record_put_bytes(q, MADKIT_SL_TO_VL_MAPPING_TABLE_RECORD_SL_TO_VL_MAPPING_TABLE,
				    node->sl2vl + (in * ports + number) * 8u);
		sa_offer_of_port(q, node, numbers, ARRAY_SIZE(numbers));
	}
}

void sa_arbitration_record(struct sa_query *q, uint32_t port)
{
	static const uint64_t number = MADKIT_VL_ARBITRATION_TABLE_RECORD_OUTPUT_PORT_NUM;
	const struct subnet_node *node = node_of(q, port);
	const struct subnet_port *p = &q->sa->options.subnet->ports[port];

	if (subnet_is_switch(node) && records_other_end(q, number, p->number))
		return;
	for (unsigned int block = 1; p->arbitration && block <= 4; block++) {
		sa_record_begin(q, port);
		sa_record_put(q, number, p->number);
		sa_record_put(q, MADKIT_VL_ARBITRATION_TABLE_RECORD_BLOCK_NUM, block);
		sa_record_put_bytes(q, MADKIT_VL_ARBITRATION_TABLE_RECORD_VL_ARBITRATION_TABLE,
				    p->arbitration + (block - 1) * FABRIC_INFO_BYTES);
		sa_offer_of_port(q, node, &number, 1);
	}
}

/* ---- switches -------------------------------------------------------------------- */

void sa_switch_info_record(struct sa_query *q, uint32_t port)
{
	sa_record_begin(q, port);
	sa_record_put_bytes(q, MADKIT_SWITCH_INFO_RECORD_SWITCH_INFO, node_of(q, port)->switch_info);
	sa_offer(q);
}

/* Offers the blocks up to LinearFDBTop. Blocks that were never set have no routes. */
void sa_linear_record(struct sa_query *q, uint32_t port)
{
	const struct subnet_node *node = node_of(q, port);
	unsigned int top = (unsigned int)field_get(MADKIT_SWITCH_INFO_LINEAR_FDB_TOP, node->switch_info) / 64;

	for (uint32_t block = 0; node->linear && block <= top && !q->out->error; block++) {
		uint8_t *table;

		if (records_other_end(q, MADKIT_LINEAR_FORWARDING_TABLE_RECORD_BLOCK_NUM, block))
			continue;
		table = sa_record_begin(q, port) +
			field_at(MADKIT_LINEAR_FORWARDING_TABLE_RECORD_LINEAR_FORWARDING_TABLE);
		sa_record_put(q, MADKIT_LINEAR_FORWARDING_TABLE_RECORD_BLOCK_NUM, block);
		/* each entry of the table is a byte */
		if (block * 64 < node->nlinear)
			memcpy(table, node->linear + block * 64, 64);
		else
			memset(table, 0xff, 64);
		sa_offer(q);
	}
}

/* No simulated switch has a random forwarding table. */
int sa_random_records(struct sa_query *q)
{
	(void)q;
	return SA_OK;
}

/* Offers the blocks up to that of the highest group. */
void sa_multicast_record(struct sa_query *q, uint32_t port)
{
	const struct subnet_node *node = node_of(q, port);
	unsigned int positions = node->nports / 16u + 1, blocks = 0;

	for (unsigned int i = 0; i < SA_GROUPS_MAX; i++)
		if (q->sa->groups[i])
			blocks = i / 32 + 1;
	for (unsigned int i = 0; node->multicast && i < blocks * positions; i++) {
		sa_record_begin(q, port);
		sa_record_put(q, MADKIT_MULTICAST_FORWARDING_TABLE_RECORD_BLOCK_NUM, i / positions);
		sa_record_put(q, MADKIT_MULTICAST_FORWARDING_TABLE_RECORD_POSITION, i % positions);
		sa_record_put_bytes(q, MADKIT_MULTICAST_FORWARDING_TABLE_RECORD_MULTICAST_FORWARDING_TABLE,
				    node->multicast + (size_t)i * FABRIC_INFO_BYTES);
		sa_offer(q);
	}
}

/* The manager's own record is the only one. */
int sa_sm_info_records(struct sa_query *q)
{
	enum { MASTER = 3 };
	const struct subnet *s = q->sa->options.subnet;
	uint8_t *info = sa_record_begin(q, s->sm_port) + field_at(MADKIT_SM_INFO_RECORD_SM_INFO);

	field_put(MADKIT_SM_INFO_GUID, info, s->ports[s->sm_port].guid);
	field_put(MADKIT_SM_INFO_SM_KEY, info, q->trusted ? q->sa->options.sm_key : 0);
	field_put(MADKIT_SM_INFO_ACT_COUNT, info, s->generation & UINT32_MAX);
	field_put(MADKIT_SM_INFO_PRIORITY, info, q->sa->options.priority);
	field_put(MADKIT_SM_INFO_SM_STATE, info, MASTER);
	sa_offer(q);
	return SA_OK;
}
