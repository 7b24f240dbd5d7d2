/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Responses of subnet administration: records are read with opensm's ib_types.h and with the library's
 * tables; statuses are those of opensm and of the IBA. */
#include "tests/unit/sim_sa.h"
#include <iba/ib_types.h>

enum {
	VERSION = 0x0004,
	METHOD = 0x0008,
	ATTRIBUTE = 0x000c,
	NO_RESOURCES = 0x0100,
	INVALID = 0x0200,
	NO_RECORDS = 0x0300,
	TOO_MANY = 0x0400,
	INVALID_GID = 0x0500,
	INSUFFICIENT = 0x0600,
};

/* ---- headers --------------------------------------------------------------------- */

static void headers(struct desk *d)
{
	const uint8_t *mad;

	is_int(desk_ask(d, GET, "NodeRecord", "LID=%u", d->from.lid), 0, "Get(NodeRecord)");
	mad = (const uint8_t *)d->out.data;
	is_u64(d->out.len, 256, "... is one MAD");
	is_u64(mad[3], 0x81, "... GetResp");
	is_u64(get_be64(mad + 8), 0x1234567800000007, "... of this transaction");
	is_u64(get_be16(mad + 44), 14, "... AttributeOffset");
	ok(bytes_are_zero(mad + 24, 12), "... without RMPP");
	is_int(desk_ask(d, GET_TABLE, "NodeRecord", ALL), 0, "GetTable(NodeRecord)");
	mad = (const uint8_t *)d->out.data;
	is_u64(mad[3], 0x92, "... GetTableResp");
	is_u64(madkit_rmpp_get_flags(mad), MADKIT_RMPP_ACTIVE, "... by RMPP");
	is_u64(madkit_rmpp_get_version(mad), 1, "... version 1");
	is_u64(madkit_rmpp_get_type(mad), MADKIT_RMPP_DATA, "... DATA");
	is_u64(d->out.len, 56 + 6 * sizeof(ib_node_record_t), "... of six records");
	is_int(desk_ask(d, GET_TABLE, "NodeRecord", "LID=999"), 0, "a table of none");
	is_u64(d->out.len, 56, "... is its headers");
	is_u64(madkit_rmpp_get_flags((const uint8_t *)d->out.data), MADKIT_RMPP_ACTIVE, "... by RMPP too");
	is_int(desk_ask(d, GET, "NodeRecord", "LID=999"), NO_RECORDS, "a Get of none");
	is_int(desk_ask(d, GET, "NodeRecord", ALL), TOO_MANY, "a Get of six");
	is_u64(d->out.len, 256, "... is one MAD");
	d->key = KEY + 1;
	is_int(desk_ask(d, GET_TABLE, "NodeRecord", ALL), SILENCE, "a wrong SM_Key");
	d->key = KEY;
	is_int(desk_ask(d, GET_TABLE, "NodeRecord", ALL), 0, "the right one");
	ok(bytes_are_zero((const uint8_t *)d->out.data + 36, 8), "... does not come back");
	d->key = 0;
	d->class_version = 1;
	is_int(desk_ask(d, GET_TABLE, "NodeRecord", ALL), VERSION, "class version 1");
	d->class_version = 2;
	is_int(desk_ask(d, 0x16, "NodeRecord", ALL), METHOD, "a method that there is not");
	is_int(desk_ask(d, SET, "NodeRecord", ALL), ATTRIBUTE, "Set(NodeRecord)");
	is_int(desk_ask(d, DELETE, "PathRecord", ALL), ATTRIBUTE, "Delete(PathRecord)");
	is_u64(d->out.data[3] & 0xff, 0x95, "... DeleteResp");
	is_int(desk_ask(d, GET, "HierarchyInfoRecord", ALL), ATTRIBUTE, "an attribute that it has not");
	is_int(desk_ask(d, GET_TABLE, "ClassPortInfo", ALL), ATTRIBUTE, "GetTable(ClassPortInfo)");
	is_int(desk_ask(d, 5, "Notice", ALL), SILENCE, "a Trap");
	is_int(desk_ask(d, 0x81, "NodeRecord", ALL), SILENCE, "a response");
	desk_write(d, GET, "NodeRecord", "NodeRecord", ALL);
	put_be64(d->message + 48, UINT64_C(1) << 40);
	is_int(desk_send(d), INVALID, "a component that there is none of");
	d->len = 55;
	is_int(desk_send(d), SILENCE, "a message without its headers");
	d->from.lid = 999;
	is_int(desk_ask(d, GET_TABLE, "NodeRecord", ALL), SILENCE, "from nowhere");
	d->from.lid = desk_lid(d, "h1", 1);
}

/* ---- what the manager knows ------------------------------------------------------ */

static const void *sim_sa_rec(const struct desk *d, unsigned int n)
{
	return d->records + n * d->stride;
}

static const uint8_t *own(const struct desk *d, const char *node, unsigned int port)
{
	return d->s.ports[desk_port(d, node, port)].info;
}

static void sim_sa_nodes(struct desk *d)
{
	const ib_node_record_t *r;
	const struct subnet_node *h2 = &d->s.nodes[net_node(&d->n, "h2")];
	unsigned int lid = desk_lid(d, "h2", 1);

	is_int(desk_ask(d, GET, "NodeRecord", "LID=%u", desk_lid(d, "h2", 2)), 0, "NodeRecord by LID");
	is_u64(d->stride, sizeof(*r), "... as long as opensm's");
	r = sim_sa_rec(d, 0);
	is_u64(cl_ntoh16(r->lid), desk_lid(d, "h2", 2), "... LID");
	is_u64(cl_ntoh64(r->node_info.port_guid), 0x100004, "... port GUID");
	is_u64(cl_ntoh64(r->node_info.node_guid), 0x100002, "... node GUID");
	is_u64(ib_node_info_get_local_port_num(&r->node_info), 2, "... its local port");
	is_u64(r->node_info.num_ports, 2, "... ports");
	is_u64(r->node_info.node_type, IB_NODE_TYPE_CA, "... type");
	is_mem(r->node_desc.description, h2->description, 64, "... description");
	is_u64(field(d, "NodeRecord", 0, "NodeInfo.PortGuid"), 0x100004, "... and by our tables");
	is_int(desk_ask(d, GET, "NodeRecord", "LID=%u", lid + 1), 0, "by its second LID");
	r = sim_sa_rec(d, 0);
	is_u64(cl_ntoh16(r->lid), lid, "... told by its first");
	is_int(desk_ask(d, GET, "NodeRecord", "PortGuid=0x100004"), 0, "by port GUID");
	r = sim_sa_rec(d, 0);
	is_u64(cl_ntoh16(r->lid), lid + 2, "... LID");
	is_int(desk_ask(d, GET, "NodeRecord", "PortGuid=0x100004 LID=%u", lid), NO_RECORDS,
	       "by a port GUID and another's LID");
	is_int(desk_ask(d, GET_TABLE, "NodeRecord", "Guid=0x100002"), 0, "by node GUID");
	is_u64(d->count, 2, "... both ports");
	is_int(desk_ask(d, GET_TABLE, "NodeRecord", "NodeType=2"), 0, "switches");
	is_u64(d->count, 2, "... two");
	is_int(desk_ask(d, GET, "NodeRecord", "NodeDescription=h3"), 0, "by description");
	r = sim_sa_rec(d, 0);
	is_u64(cl_ntoh16(r->lid), desk_lid(d, "h3", 1), "... that node");
	is_int(desk_ask(d, GET_TABLE, "NodeRecord", "NodeType=2 VendorId=0x77"), 0, "of a vendor");
	is_u64(d->count, 0, "... that is not there");
}

/* Of a port with an extended speed, opensm shows QDR, too, unless Options has 0x80. */
static void sim_sa_speeds(struct desk *d, unsigned int b)
{
	uint8_t *info = d->s.ports[desk_port(d, "B", 2)].info, *end = d->s.ports[desk_port(d, "B", 0)].info;
	const uint64_t caps = field_get(MADKIT_PORT_INFO_CAP_MASK, end),
		       ext = field_get(MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE, info);
	const ib_portinfo_record_t *r;

	field_put(MADKIT_PORT_INFO_CAP_MASK, end, caps | 1 << 14);
	field_put(MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE, info, 2);
	field_put(MADKIT_PORT_INFO_LINK_SPEED_ACTIVE, info, 1);
	is_int(desk_ask(d, GET, "PortInfoRecord", "EndportLID=%u PortNum=2", b), 0, "an extended speed");
	r = sim_sa_rec(d, 0);
	is_u64(field(d, "PortInfoRecord", 0, "LinkSpeedActive"), 1 | 4, "... with QDR");
	is_u64(r->options, 0, "... without options");
	is_int(desk_ask(d, GET, "PortInfoRecord", "EndportLID=%u PortNum=2 Options=0x80", b), 0,
	       "... Options");
	r = sim_sa_rec(d, 0);
	is_mem((const uint8_t *)&r->port_info + 8, info + 8, 56, "... PortInfo as it is");
	is_u64(r->options, 0x80, "... and the options");
	field_put(MADKIT_PORT_INFO_CAP_MASK, end, caps);
	field_put(MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE, info, ext);
}

static void sim_sa_ports(struct desk *d)
{
	unsigned int b = desk_lid(d, "B", 0);
	const ib_portinfo_record_t *r;
	const ib_link_record_t *l;
	const ib_guidinfo_record_t *g;

	put_be64(d->s.ports[desk_port(d, "B", 2)].info, 0x5555);
	is_int(desk_ask(d, GET, "PortInfoRecord", "EndportLID=%u PortNum=2", b), 0, "PortInfoRecord");
	is_u64(d->stride, sizeof(*r), "... as long as opensm's");
	r = sim_sa_rec(d, 0);
	is_u64(cl_ntoh16(r->lid), b, "... LID of the switch");
	is_u64(r->port_num, 2, "... port");
	is_u64(r->port_info.m_key, 0, "... no M_Key");
	is_mem((const uint8_t *)&r->port_info + 8, own(d, "B", 2) + 8, 56, "... PortInfo");
	sim_sa_speeds(d, b);
	is_int(desk_ask(d, GET_TABLE, "PortInfoRecord", "Mkey=0x5555"), 0, "who has this M_Key");
	is_u64(d->count, 0, "... is not told");
	d->key = KEY;
	is_int(desk_ask(d, GET, "PortInfoRecord", "Mkey=0x5555"), 0, "... but to the trusted");
	r = sim_sa_rec(d, 0);
	is_u64(cl_ntoh64(r->port_info.m_key), 0x5555, "... M_Key");
	d->key = 0;
	is_int(desk_ask(d, GET_TABLE, "PortInfoRecord", "EndportLID=%u", b), 0, "all of a switch");
	is_u64(d->count, 21, "... ports 0 to 20");
	is_int(desk_ask(d, GET_TABLE, "PortInfoRecord", "EndportLID=%u", desk_lid(d, "h2", 2)), 0,
	       "by the LID of one of an adapter's ports");
	is_u64(d->count, 1, "... that port");
	is_int(desk_ask(d, GET_TABLE, "PortInfoRecord", ALL), 0, "all of all");
	is_u64(d->count, 9 + 21 + 4, "... ports");
	is_int(desk_ask(d, GET_TABLE, "PortInfoRecord", "PhysLinkState=5 EndportLID=%u", b), 0,
	       "those with a link");
	is_u64(d->count, 4, "... three, and port 0");
	/* some of the capabilities that it has, and one that it has not */
	unsigned int caps = mad_get_field((void *)own(d, "h1", 1), 0, IB_PORT_CAPMASK_F);
	unsigned int one = caps & ~(caps - 1);

	is_int(desk_ask(d, GET_TABLE, "PortInfoRecord", "CapMask=0x%x EndportLID=%u", one, d->from.lid), 0,
	       "a capability mask");
	is_u64(d->count, 0, "... is compared as it is");
	d->modifier = 1u << 31;
	is_int(desk_ask(d, GET_TABLE, "PortInfoRecord", "CapMask=0x%x EndportLID=%u", one, d->from.lid), 0,
	       "... with the modifier's highest bit");
	is_u64(d->count, 1, "... bit by bit");
	is_int(desk_ask(d, GET_TABLE, "PortInfoRecord", "CapMask=0x%x EndportLID=%u", one | (~caps & 2),
			d->from.lid),
	       0, "... of which one");
	is_u64(d->count, 0, "... it has not");
	d->modifier = 0;

	is_int(desk_ask(d, GET, "LinkRecord", "FromLID=%u FromPort=3", desk_lid(d, "A", 0)), 0, "LinkRecord");
	is_u64(d->stride, sizeof(*l), "... as long as opensm's");
	l = sim_sa_rec(d, 0);
	is_u64(cl_ntoh16(l->to_lid), b, "... to B");
	is_u64(l->to_port_num, 2, "... port 2");
	is_int(desk_ask(d, GET, "LinkRecord", "ToLID=%u", desk_lid(d, "h2", 1) + 1), 0,
	       "LinkRecord to a second LID");
	l = sim_sa_rec(d, 0);
	is_u64(cl_ntoh16(l->from_lid), b, "... from B");
	is_u64(cl_ntoh16(l->to_lid), desk_lid(d, "h2", 1), "... to the first LID");
	is_int(desk_ask(d, GET_TABLE, "LinkRecord", ALL), 0, "all links");
	is_u64(d->count, 10, "... five, from both ends");

	put_be64(d->s.ports[desk_port(d, "h3", 1)].guids + 8, 0xabc);
	is_int(desk_ask(d, GET, "GUIDInfoRecord", "LID=%u", desk_lid(d, "h3", 1)), 0, "GUIDInfoRecord");
	is_u64(d->stride, sizeof(*g), "... as long as opensm's");
	g = sim_sa_rec(d, 0);
	is_u64(cl_ntoh64(g->guid_info.guid[1]), 0xabc, "... a second GUID");
	is_int(desk_ask(d, GET, "GUIDInfoRecord", "GUID[1]=0xabc"), 0, "... by which it is found");
	is_int(desk_ask(d, GET, "GUIDInfoRecord", "BlockNum=1"), NO_RECORDS, "there is one block");
}

static void sim_sa_tables(struct desk *d)
{
	const struct subnet_node *b = &d->s.nodes[net_node(&d->n, "B")];
	struct subnet_node *a = &d->s.nodes[net_node(&d->n, "A")];
	unsigned int lid = desk_lid(d, "B", 0);
	const ib_switch_info_record_t *si;
	const ib_lft_record_t *l;
	const ib_mft_record_t *m;
	const ib_slvl_table_record_t *v;
	const ib_vl_arb_table_record_t *va;
	const ib_pkey_table_record_t *p;
	const ib_sminfo_record_t *sm;

	is_int(desk_ask(d, GET, "SwitchInfoRecord", "LID=%u", lid), 0, "SwitchInfoRecord");
	is_u64(d->stride, sizeof(*si), "... as long as opensm's");
	si = sim_sa_rec(d, 0);
	is_mem(&si->switch_info, b->switch_info, 20, "... SwitchInfo");
	is_int(desk_ask(d, GET_TABLE, "SwitchInfoRecord", "LID=%u", d->from.lid), 0, "... of an adapter");
	is_u64(d->count, 0, "... none");

	is_int(desk_ask(d, GET, "LinearForwardingTableRecord", "LID=%u BlockNum=0", lid), 0,
	       "LinearForwardingTableRecord");
	is_u64(d->stride, sizeof(*l), "... as long as opensm's");
	l = sim_sa_rec(d, 0);
	is_u64(cl_ntoh16(l->lid), lid, "... LID");
	is_mem(l->lft, b->linear, 64, "... the block");
	is_u64(l->lft[d->from.lid], 2, "... to h1 by port 2");
	is_int(desk_ask(d, GET_TABLE, "LinearForwardingTableRecord", ALL), 0, "... of all switches");
	is_u64(d->count, 2, "... up to LinearFDBTop");
	is_int(desk_ask(d, GET_TABLE, "RandomForwardingTableRecord", ALL), 0, "RandomForwardingTable");
	is_u64(d->count, 0, "... of none");

	a->multicast = calloc(FABRIC_MULTICAST_CAP / 32, 64);
	put_be16(a->multicast, 0x000c);
	is_int(desk_ask(d, GET, "MulticastForwardingTableRecord", "LID=%u", desk_lid(d, "A", 0)), 0,
	       "MulticastForwardingTableRecord");
	is_u64(d->stride, sizeof(*m), "... as long as opensm's");
	m = sim_sa_rec(d, 0);
	is_u64(cl_ntoh16(m->mft[0]), 0xc, "... ports of LID 0xc000");
	is_u64(cl_ntoh16(m->position_block_num), 0, "... of position 0, block 0");

	is_int(desk_ask(d, GET_TABLE, "SLtoVLMappingTableRecord", ALL), 0, "SLtoVLMappingTableRecord");
	is_u64(d->count, 0, "... of what the manager has not read");
	a->sl2vl = calloc(81, 8);
	a->sl2vl[(2 * 9 + 3) * 8] = 0x12;
	is_int(desk_ask(d, GET, "SLtoVLMappingTableRecord", "InputPortNum=2 OutputPortNum=3"), 0,
	       "... what it has");
	is_u64(d->stride, sizeof(*v), "... as long as opensm's");
	v = sim_sa_rec(d, 0);
	is_u64(ib_slvl_table_get(&v->slvl_tbl, 1), 2, "... the VL of SL 1");
	is_u64(v->in_port_num * 16 + v->out_port_num, 0x23, "... from 2 to 3");
	is_int(desk_ask(d, GET_TABLE, "SLtoVLMappingTableRecord", "LID=%u", desk_lid(d, "A", 0)), 0,
	       "... of a switch");
	is_u64(d->count, 81, "... all pairs of ports");

	d->s.ports[desk_port(d, "h1", 1)].arbitration = calloc(4, 64);
	d->s.ports[desk_port(d, "h1", 1)].arbitration[2 * 64 + 1] = 7;
	is_int(desk_ask(d, GET, "VLArbitrationTableRecord", "LID=%u BlockNum=3", d->from.lid), 0,
	       "VLArbitrationTableRecord");
	is_u64(d->stride, sizeof(*va), "... as long as opensm's");
	va = sim_sa_rec(d, 0);
	is_u64(va->vl_arb_tbl.vl_entry[0].weight, 7, "... a weight of high priority");
	is_u64(va->port_num, 1, "... of port 1");
	is_int(desk_ask(d, GET_TABLE, "VLArbitrationTableRecord", ALL), 0, "... all");
	is_u64(d->count, 4, "... blocks");

	is_int(desk_ask(d, GET_TABLE, "P_KeyTableRecord", ALL), INVALID,
	       "P_KeyTableRecord is for the trusted");
	d->key = KEY;
	is_int(desk_ask(d, GET, "P_KeyTableRecord", "LID=%u BlockNum=0", d->from.lid), 0, "... who get it");
	is_u64(d->stride, sizeof(*p), "... as long as opensm's");
	p = sim_sa_rec(d, 0);
	is_u64(cl_ntoh16(p->pkey_tbl.pkey_entry[0]), 0xffff, "... the default partition");
	is_u64(p->port_num, 1, "... of port 1");
	is_int(desk_ask(d, GET, "SMInfoRecord", ALL), 0, "SMInfoRecord");
	is_u64(d->stride, sizeof(*sm), "... as long as opensm's");
	sm = sim_sa_rec(d, 0);
	is_u64(cl_ntoh16(sm->lid), d->from.lid, "... LID");
	is_u64(cl_ntoh64(sm->sm_info.guid), 0x100001, "... GUID");
	is_u64(cl_ntoh64(sm->sm_info.sm_key), KEY, "... SM_Key");
	is_u64(sm->sm_info.pri_state, 0x53, "... priority 5, master");
	d->key = 0;
	is_int(desk_ask(d, GET, "SMInfoRecord", ALL), 0, "... without trust");
	sm = sim_sa_rec(d, 0);
	is_u64(sm->sm_info.sm_key, 0, "... without the key");

	is_int(desk_ask(d, GET, "ClassPortInfo", ALL), 0, "ClassPortInfo");
	const ib_class_port_info_t *cpi = sim_sa_rec(d, 0);

	is_u64(cpi->class_ver, 2, "... class version");
	is_u64(cl_ntoh16(cpi->cap_mask), 0x2700, "... all records, multicast, paths, CapMask match");
	ok(ib_class_cap_mask2(cpi) & 1u << 6, "... all of PortInfo");
}

/* h3 is removed from the default partition and put into another one with h2's second port. */
static void partitions(struct desk *d)
{
	uint8_t *h3 = d->s.ports[desk_port(d, "h3", 1)].pkeys;
	uint8_t *h2 = d->s.ports[desk_port(d, "h2", 2)].pkeys;

	put_be16(h3, 0x8003);
	put_be16(h2 + 2, 0x0003);
	is_int(desk_ask(d, GET_TABLE, "NodeRecord", ALL), 0, "h3 is in another partition");
	is_u64(d->count, 5, "... which h1 is not told of");
	is_int(desk_ask(d, GET, "PathRecord", "SLID=%u DLID=%u", d->from.lid, desk_lid(d, "h3", 1)),
	       NO_RECORDS, "... nor of a path there");
	d->from.lid = desk_lid(d, "h2", 2);
	is_int(desk_ask(d, GET_TABLE, "NodeRecord", ALL), 0, "h2 is a limited member of it");
	is_u64(d->count, 6, "... and is told");
	is_int(desk_ask(d, GET, "PathRecord", "SLID=%u DLID=%u", d->from.lid, desk_lid(d, "h3", 1)), 0,
	       "... with a path there");
	is_u64(field(d, "PathRecord", 0, "P_Key"), 0x0003, "... of its own P_Key");
	put_be16(h3, 0x0003);
	is_int(desk_ask(d, GET_TABLE, "NodeRecord", ALL), 0, "both limited");
	is_u64(d->count, 5, "... they do not see each other");
	d->from.lid = desk_lid(d, "h1", 1);
	d->key = KEY;
	is_int(desk_ask(d, GET_TABLE, "NodeRecord", ALL), 0, "the trusted");
	is_u64(d->count, 6, "... see all");
	d->key = 0;
	put_be16(h3, 0xffff);
	put_be16(h2 + 2, 0);
}

/* A full table of a big subnet, and by LID. */
static void big(void)
{
	static struct desk d;
	unsigned int wrong = 0, previous = 0;

	desk_open(&d, "fat-tree:50,100,2", "h1-1", false);
	is_int(desk_ask(&d, GET_TABLE, "NodeRecord", ALL), 0, "NodeRecords of a big subnet");
	is_u64(d.count, 5052, "... of each node");
	for (unsigned int i = 0; i < d.count; i++) {
		const ib_node_record_t *r = sim_sa_rec(&d, i);

		wrong += cl_ntoh16(r->lid) <= previous;
		previous = cl_ntoh16(r->lid);
	}
	is_u64(wrong, 0, "... in the order of their LIDs");
	is_int(desk_ask(&d, GET, "NodeRecord", "LID=4000"), 0, "one of them");
	/* a response that would be too long */
	madkit_buf_free(&d.out);
	d.out.max = 100000;
	is_int(desk_ask(&d, GET_TABLE, "NodeRecord", ALL), NO_RESOURCES, "beyond what is allowed");
	is_u64(d.out.len, 256, "... in one MAD");
	desk_close(&d);
}

int main(void)
{
	static struct desk d;

	desk_open(&d, LINE_NET, "h1", true);
	headers(&d);
	sim_sa_nodes(&d);
	sim_sa_ports(&d);
	sim_sa_tables(&d);
	partitions(&d);
	desk_close(&d);
	big();
	return tap_done();
}
