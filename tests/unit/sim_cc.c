/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Congestion control: values that were set are returned to requesters with the key. Fields are libibmad's. */
#include "sim/fabric/cc.h"
#include "tests/unit/sim_net.h"
#include "util/array_size.h"
#include "util/time.h"

/* A request to an end port's agent. */
static enum cc sim_cc_ask(struct net *n, const char *node, unsigned int method, unsigned int attribute,
			  unsigned int modifier, uint64_t key)
{
	const struct node *of = &n->f->nodes[net_node(n, node)];

	n->mad[0] = 1;
	n->mad[1] = 0x21;
	n->mad[2] = 2;
	n->mad[3] = (uint8_t)method;
	put_be16(n->mad + 4, 0);
	put_be16(n->mad + 16, (uint16_t)attribute);
	put_be32(n->mad + 20, modifier);
	put_be64(n->mad + 24, key);
	return cc_handle(n->f, node_port(n->f, of, is_switch(of) ? 0 : 1), n->mad);
}

static int sim_cc_status(struct net *n, const char *node, unsigned int method, unsigned int attribute,
			 unsigned int modifier)
{
	return sim_cc_ask(n, node, method, attribute, modifier, 0) == CC_ANSWER && n->mad[3] == 0x81 ?
		       get_be16(n->mad + 4) :
		       -1;
}

static uint64_t sim_cc_value(struct net *n, enum MAD_FIELDS field)
{
	return mad_get_field(n->mad + 64, 0, field);
}

/* Which attributes exist, and that values that were set are returned. */
static void sim_cc_attributes(void)
{
	static const struct {
		unsigned int attribute, bytes, blocks;
		bool of_switches, of_cas, settable;
	} rows[] = {
		{ 0x01, 72, 1, true, true, false },  { 0x02, 0, 0, false, false, false },
		{ 0x11, 4, 1, true, true, false },   { 0x13, 0, 1, true, true, false },
		{ 0x14, 76, 1, true, false, true },  { 0x15, 128, 1, true, false, true },
		{ 0x16, 132, 1, false, true, true }, { 0x17, 132, 2, false, true, true },
		{ 0x18, 4, 1, true, true, false },   { 0x19, 0, 0, false, false, false },
	};
	struct net n;

	net_open(&n, LINE_NET);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (int s = 0; s < 2; s++) {
			const char *node = s ? "B" : "h2";
			bool there = s ? rows[i].of_switches : rows[i].of_cas;
			uint8_t data[132];

			is_int(sim_cc_status(&n, node, 1, rows[i].attribute, 0), there ? 0 : 0x0c,
			       "attribute 0x%x of %s", rows[i].attribute, node);
			is_int(sim_cc_status(&n, node, 1, rows[i].attribute, there ? rows[i].blocks : 0),
			       there ? 0x1c : 0x0c, "... and behind its last block");
			memset(data, 0x40 + s, sizeof(data));
			put_be16(data, 100); /* CCTI_Limit */
			put_be16(data + 2, 0);
			memcpy(n.mad + 64, data, sizeof(data));
			is_int(sim_cc_status(&n, node, 2, rows[i].attribute, 0),
			       there && rows[i].settable ? 0 : 0x0c, "... Set");
			if (!there || !rows[i].settable)
				continue;
			memset(n.mad + 64, 0, 192);
			sim_cc_status(&n, node, 1, rows[i].attribute, 0);
			is_mem(n.mad + 64, data, rows[i].bytes, "... is told");
			if (rows[i].blocks < 2)
				continue;
			sim_cc_status(&n, node, 1, rows[i].attribute, 1);
			is_u64(get_be64(n.mad + 64 + 8), 0, "... in its block alone");
		}
	net_close(&n);
}

static void sim_cc_fields(void)
{
	struct net n;

	net_open(&n, LINE_NET);
	sim_cc_status(&n, "h2", 1, 0x11, 0);
	is_u64(sim_cc_value(&n, IB_CC_CONGESTION_INFO_CONTROL_TABLE_CAP_F), 2,
	       "two blocks of a control table");
	sim_cc_status(&n, "B", 1, 0x11, 0);
	is_u64(sim_cc_value(&n, IB_CC_CONGESTION_INFO_CONTROL_TABLE_CAP_F), 0, "... a switch has none");
	memset(n.mad + 64, 0, 192);
	mad_set_field(n.mad + 64, 0, IB_CC_CONGESTION_CONTROL_TABLE_CCTI_LIMIT_F, 128);
	is_int(sim_cc_status(&n, "h2", 2, 0x17, 0), 0x1c, "a limit beyond the table");
	fabric_process(n.f, 5 * 1024);
	sim_cc_status(&n, "h2", 1, 0x18, 0);
	is_u64(sim_cc_value(&n, IB_CC_TIMESTAMP_F), 5, "Timestamp: the time in 1.024 us");
	sim_cc_status(&n, "h2", 1, 0x13, 0);
	is_u64(mad_get_field(n.mad + 32, 0, IB_CC_CONGESTION_LOG_LOGTYPE_F), 2, "the log of an adapter");
	is_u64(mad_get_field(n.mad + 32, 0, IB_CC_CONGESTION_LOG_CA_CURRENT_TIMESTAMP_F), 5, "... of now");
	sim_cc_status(&n, "B", 1, 0x13, 0);
	is_u64(mad_get_field(n.mad + 32, 0, IB_CC_CONGESTION_LOG_LOGTYPE_F), 1, "... of a switch");
	is_u64(mad_get_field(n.mad + 32, 0, IB_CC_CONGESTION_LOG_SWITCH_CURRENT_TIME_STAMP_F), 5,
	       "... of now");
	n.mad[2] = 1;
	is_int(cc_handle(n.f, node_port(n.f, &n.f->nodes[net_node(&n, "B")], 0), n.mad), CC_NOT_MINE,
	       "a response is no request");
	n.mad[3] = 1;
	cc_handle(n.f, node_port(n.f, &n.f->nodes[net_node(&n, "B")], 0), n.mad);
	is_u64(get_be16(n.mad + 4), 0x04, "class version 1");
	net_close(&n);
}

static void sim_cc_set_key(struct net *n, uint64_t key, unsigned int protect, unsigned int lease,
			   unsigned int violations, uint64_t with)
{
	memset(n->mad + 64, 0, 192);
	mad_set_field64(n->mad + 64, 0, IB_CC_CONGESTION_KEY_INFO_CC_KEY_F, key);
	mad_set_field(n->mad + 64, 0, IB_CC_CONGESTION_KEY_INFO_CC_KEY_PROTECT_BIT_F, protect);
	mad_set_field(n->mad + 64, 0, IB_CC_CONGESTION_KEY_INFO_CC_KEY_LEASE_PERIOD_F, lease);
	mad_set_field(n->mad + 64, 0, IB_CC_CONGESTION_KEY_INFO_CC_KEY_VIOLATIONS_F, violations);
	is_int(sim_cc_ask(n, "h2", 2, 0x12, 0, with), CC_ANSWER, "CongestionKeyInfo is set");
}

static void sim_cc_keys(void)
{
	struct net n;

	net_open(&n, LINE_NET);
	sim_cc_set_key(&n, 0x1234, 0, 0, 7, 0x99);
	is_u64(sim_cc_value(&n, IB_CC_CONGESTION_KEY_INFO_CC_KEY_VIOLATIONS_F), 0,
	       "... but violations count");
	is_int(sim_cc_ask(&n, "h2", 2, 0x16, 0, 0x99), CC_REFUSED, "a Set without the key");
	is_int(sim_cc_ask(&n, "h2", 2, 0x16, 0, 0x1234), CC_ANSWER, "... with it");
	is_int(sim_cc_ask(&n, "h2", 1, 0x12, 0, 0), CC_ANSWER, "a Get needs none");
	is_u64(mad_get_field64(n.mad + 64, 0, IB_CC_CONGESTION_KEY_INFO_CC_KEY_F), 0x1234,
	       "... and tells the key");
	is_u64(sim_cc_value(&n, IB_CC_CONGESTION_KEY_INFO_CC_KEY_VIOLATIONS_F), 1, "... and the violation");
	sim_cc_set_key(&n, 0x1234, 1, 3, 0, 0x1234);
	is_u64(sim_cc_value(&n, IB_CC_CONGESTION_KEY_INFO_CC_KEY_VIOLATIONS_F), 0, "0 resets the violations");
	is_int(sim_cc_ask(&n, "h2", 1, 0x16, 0, 0), CC_REFUSED, "with the protect bit a Get needs the key");
	fabric_process(n.f, 3 * NS_PER_S - 1);
	is_int(sim_cc_ask(&n, "h2", 1, 0x16, 0, 0), CC_REFUSED, "... until the lease runs out");
	fabric_process(n.f, 3 * NS_PER_S);
	is_int(sim_cc_ask(&n, "h2", 1, 0x16, 0, 0), CC_ANSWER, "... then it does not");
	is_int(sim_cc_ask(&n, "B", 2, 0x14, 0, 0x99), CC_ANSWER, "each agent has a key of its own");
	net_close(&n);
}

int main(void)
{
	sim_cc_attributes();
	sim_cc_fields();
	sim_cc_keys();
	return tap_done();
}
