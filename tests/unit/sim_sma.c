/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Responses of a node's SMA: attributes, refusals, keys, states of ports. */
#include "tests/unit/sim_net.h"
#include "util/array_size.h"

static void identity(void)
{
	struct net n;

	net_open(&n, LINE_NET);
	is_int(net_get(&n, "h1", "0,1,3,4", 0x11, 0), 0, "NodeInfo of h2 by its second port");
	is_u64(got(&n, IB_NODE_BASE_VERS_F), 1, "base version");
	is_u64(got(&n, IB_NODE_CLASS_VERS_F), 1, "class version");
	is_u64(got(&n, IB_NODE_TYPE_F), IB_NODE_CA, "type");
	is_u64(got(&n, IB_NODE_NPORTS_F), 2, "ports");
	is_u64(got(&n, IB_NODE_SYSTEM_GUID_F), 0x77, "system GUID");
	is_u64(got(&n, IB_NODE_GUID_F), 0x100002, "node GUID");
	is_u64(got(&n, IB_NODE_PORT_GUID_F), 0x100004, "GUID of the port it came by");
	is_u64(got(&n, IB_NODE_LOCAL_PORT_F), 2, "... and its number");
	is_u64(got(&n, IB_NODE_PARTITION_CAP_F), 64, "partitions");
	is_u64(got(&n, IB_NODE_DEVID_F), 0x1011, "device");
	is_u64(got(&n, IB_NODE_VENDORID_F), 0x2c9, "vendor");
	is_int(net_get(&n, "h1", "0,1,3", 0x11, 0), 0, "NodeInfo of B");
	is_u64(got(&n, IB_NODE_TYPE_F), IB_NODE_SWITCH, "type of a switch");
	is_u64(got(&n, IB_NODE_PORT_GUID_F), 0x200001, "a switch has one port GUID");
	is_u64(got(&n, IB_NODE_LOCAL_PORT_F), 2, "the port that it came by");
	is_int(net_get(&n, "h1", "0,1,3", 0x10, 0), 0, "NodeDescription");
	is_str((const char *)n.mad + 64, "B of two", "... is the file's");
	is_int(net_get(&n, "h1", "0", 0x10, 0), 0, "NodeDescription of oneself");
	is_str((const char *)n.mad + 64, "h1", "... is one's own");
	is_int(net_get(&n, "h1", "0", 0x14, 0), 0, "GUIDInfo");
	is_u64(got(&n, IB_GUID_GUID0_F), 0x100001, "... begins with the port's");
	uint8_t guids[64];

	memset(guids, 0x55, sizeof(guids));
	is_int(net_set(&n, "h1", "0", 0x14, 0, guids), 0, "... is set");
	is_u64(got(&n, IB_GUID_GUID0_F), 0x100001, "... but for the first, which is the port's");
	is_mem(n.mad + 72, guids, 56, "... and holds the others");
	is_int(net_get(&n, "h1", "0", 0x14, 1), 0x1c, "... and has one block");
	is_int(net_get(&n, "h1", "0,1", 0x12, 0), 0, "SwitchInfo");
	is_u64(got(&n, IB_SW_LINEAR_FDB_CAP_F), 49152, "LinearFdbCap");
	is_u64(got(&n, IB_SW_ENHANCED_PORT0_F), 0, "a base port 0");
	is_u64(got(&n, IB_SW_STATE_CHANGE_F), 1, "its ports came up");
	is_int(net_get(&n, "h1", "0,1,3", 0x12, 0), 0, "SwitchInfo of B");
	is_u64(got(&n, IB_SW_ENHANCED_PORT0_F), 1, "an enhanced port 0");
	net_close(&n);
}

static void sim_sma_port_infos(void)
{
	static const struct {
		uint8_t set, got;
	} xdr[] = { { 1, 1 }, { 6, 6 }, { 0, 6 }, { 7, 1 } };
	struct port *at;
	struct net n;

	net_open(&n, LINE_NET);
	is_int(net_get(&n, "h1", "0", 0x15, 0), 0, "PortInfo of oneself");
	is_u64(got(&n, IB_PORT_STATE_F), 2, "Initialize");
	is_u64(got(&n, IB_PORT_PHYS_STATE_F), 5, "LinkUp");
	is_u64(got(&n, IB_PORT_GID_PREFIX_F), UINT64_C(0xfe80000000000000), "GID prefix");
	is_u64(got(&n, IB_PORT_LINK_WIDTH_ACTIVE_F), 2, "4X");
	is_u64(got(&n, IB_PORT_LINK_SPEED_ACTIVE_F), 4, "10 Gbps");
	is_u64(got(&n, IB_PORT_LINK_SPEED_EXT_ACTIVE_F), 2, "... and EDR, which both have");
	is_u64(got(&n, IB_PORT_LINK_SPEED_EXT_ENABLED_F), 3, "what is enabled here");
	is_u64(got(&n, IB_PORT_CAPMASK_F) >> 14 & 1, 1, "IsExtendedSpeedsSupported");
	is_u64(got(&n, IB_PORT_LOCAL_PORT_F), 1, "local port");
	is_int(net_get(&n, "h1", "0,1", 0x15, 8), 0, "of a switch's port without a link");
	is_u64(got(&n, IB_PORT_STATE_F), 1, "Down");
	is_u64(got(&n, IB_PORT_PHYS_STATE_F), 2, "Polling");
	is_u64(got(&n, IB_PORT_LOCAL_PORT_F), 1, "... asked by way of port 1");
	is_int(net_get(&n, "h1", "0,1", 0x15, 0), 0, "of port 0");
	is_u64(got(&n, IB_PORT_STATE_F), 4, "Active");
	is_int(net_get(&n, "h1", "0,1", 0x15, 9), 0x1c, "of a port beyond the number");
	is_int(net_get(&n, "h1", "0,1", 0x15, 0x80000003), 0, "with SMSupportExtendedSpeeds");
	is_int(net_get(&n, "h1", "0,1,3,1", 0x15, 2), 0, "of an adapter's other port");
	is_int(port_set(&n, "h1", "0,1,3,1", 2, IB_PORT_HOQ_LIFE_F, 3), 0x1c,
	       "... which is not set by way of this one");

#define refuses(what, port, field, value) \
	is_int(port_set(&n, "h1", "0,1", port, field, value), 0x1c, "refused: " what)
#define takes(what, port, field, value) \
	do { \
		is_int(port_set(&n, "h1", "0,1", port, field, value), 0, "taken: " what); \
		is_u64(got(&n, field), value, "... and answered"); \
		net_get(&n, "h1", "0,1", 0x15, port); \
		is_u64(got(&n, field), value, "... and kept"); \
	} while (0)
	takes("a LID", 0, IB_PORT_LID_F, 0xbfff);
	refuses("a multicast LID", 0, IB_PORT_LID_F, 0xc000);
	takes("the manager's LID", 0, IB_PORT_SMLID_F, 7);
	refuses("a multicast one", 0, IB_PORT_SMLID_F, 0xc000);
	refuses("an LMC at a base port 0", 0, IB_PORT_LMC_F, 1);
	takes("the GID prefix", 0, IB_PORT_GID_PREFIX_F, 0x1234);
	takes("an MTU", 3, IB_PORT_NEIGHBOR_MTU_F, 4);
	refuses("an MTU above its own", 3, IB_PORT_NEIGHBOR_MTU_F, 6);
	takes("operational VLs", 3, IB_PORT_OPER_VLS_F, 1);
	takes("VL0-14", 3, IB_PORT_OPER_VLS_F, 5);
	refuses("more VLs than it has", 3, IB_PORT_OPER_VLS_F, 6);
	takes("a width", 1, IB_PORT_LINK_WIDTH_ENABLED_F, 1);
	refuses("a width that it has not", 1, IB_PORT_LINK_WIDTH_ENABLED_F, 8);
	refuses("a speed that it has not", 3, IB_PORT_LINK_SPEED_ENABLED_F, 4);
	refuses("a state of 2", 3, IB_PORT_STATE_F, 2);
	refuses("a state of 5", 3, IB_PORT_STATE_F, 5);
	refuses("a physical state of 4", 3, IB_PORT_PHYS_STATE_F, 4);
	takes("LinkDownDefaultState", 3, IB_PORT_LINK_DOWN_DEF_F, 1);
	is_int(port_set(&n, "h1", "0,1", 1, IB_PORT_LINK_WIDTH_ENABLED_F, 0xff), 0, "all widths");
	is_u64(got(&n, IB_PORT_LINK_WIDTH_ENABLED_F), 3, "... that there are");
	is_u64(got(&n, IB_PORT_LINK_WIDTH_ACTIVE_F), 2, "the active one stays till the link goes");
	net_get(&n, "h1", "0,1", 0x15, 3);
	uint8_t data[64];

	memcpy(data, n.mad + 64, 64);
	mad_set_field(data, 0, IB_PORT_STATE_F, 3);
	mad_set_field(data, 0, IB_PORT_PHYS_STATE_F, 2);
	is_int(net_set(&n, "h1", "0,1", 0x15, 3, data), 0x1c, "refused: both states at once");

	at = node_port(n.f, &n.f->nodes[topology_find(n.t, "A", 1)], 1);
	net_get(&n, "h1", "0", 0x15, 1);
	is_u64(got(&n, IB_PORT_CAPMASK_F) >> 25 & 1, 1, "IsClientReregistrationSupported");
	is_int(port_set(&n, "h1", "0", 1, IB_PORT_CLIENT_REREG_F, 1), 0, "ClientReregister");
	is_u64(got(&n, IB_PORT_CLIENT_REREG_F), 1, "... is in the response to the Set");
	net_get(&n, "h1", "0", 0x15, 1);
	is_u64(got(&n, IB_PORT_CLIENT_REREG_F), 0, "... and not read back");
	/* extended speeds are for a manager that says that it knows them */
	net_get(&n, "h1", "0,1", 0x15, 0x80000001);
	memcpy(data, n.mad + 64, 64);
	mad_set_field(data, 0, IB_PORT_STATE_F, 0);
	mad_set_field(data, 0, IB_PORT_PHYS_STATE_F, 0);
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_EXT_ENABLED_F, 1);
	is_int(net_set(&n, "h1", "0,1", 0x15, 1, data), 0, "FDR alone, without SMSupportExtendedSpeeds");
	is_u64(got(&n, IB_PORT_LINK_SPEED_EXT_ENABLED_F), 7, "... is not looked at");
	is_int(net_set(&n, "h1", "0,1", 0x15, 0x80000001, data), 0, "... with it");
	is_u64(got(&n, IB_PORT_LINK_SPEED_EXT_ENABLED_F), 1, "... is enabled");
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_EXT_ENABLED_F, 8);
	is_int(net_set(&n, "h1", "0,1", 0x15, 0x80000001, data), 0x1c, "NDR, which it has not");
	mad_set_field(data, 0, IB_PORT_LINK_SPEED_EXT_ENABLED_F, 31);
	is_int(net_set(&n, "h1", "0,1", 0x15, 0x80000001, data), 0, "all");
	is_u64(got(&n, IB_PORT_LINK_SPEED_EXT_ENABLED_F), 7, "... that there are");

	/* XDR has separate fields, which libibmad does not have */
	field_put(MADKIT_PORT_INFO_LINK_SPEED_EXT_ENABLED2, data, 1);
	is_int(net_set(&n, "h1", "0,1", 0x15, 0x80000001, data), 0x1c, "XDR, which it has not");
	field_put(MADKIT_PORT_INFO_LINK_SPEED_EXT_SUPPORTED2, at->info, 1);
	is_int(net_set(&n, "h1", "0,1", 0x15, 1, data), 0,
	       "XDR that it has, without SMSupportExtendedSpeeds");
	is_u64(field_get(MADKIT_PORT_INFO_LINK_SPEED_EXT_ENABLED2, n.mad + 64), 0, "... is not looked at");
	for (unsigned int i = 0; i < ARRAY_SIZE(xdr); i++) {
		field_put(MADKIT_PORT_INFO_LINK_SPEED_EXT_ENABLED2, data, xdr[i].set);
		is_int(net_set(&n, "h1", "0,1", 0x15, 0x80000001, data), 0, "LinkSpeedExtEnabled2 %u",
		       xdr[i].set);
		is_u64(field_get(MADKIT_PORT_INFO_LINK_SPEED_EXT_ENABLED2, n.mad + 64), xdr[i].got,
		       "... is %u", xdr[i].got);
	}

	/* a request with a value that cannot be sets none of the others */
	net_get(&n, "h1", "0,1", 0x15, 3);
	memcpy(data, n.mad + 64, 64);
	mad_set_field(data, 0, IB_PORT_STATE_F, 0);
	mad_set_field(data, 0, IB_PORT_PHYS_STATE_F, 0);
	mad_set_field(data, 0, IB_PORT_HOQ_LIFE_F, 9);
	mad_set_field(data, 0, IB_PORT_OPER_VLS_F, 7);
	is_int(net_set(&n, "h1", "0,1", 0x15, 3, data), 0x1c, "one good, one bad value");
	net_get(&n, "h1", "0,1", 0x15, 3);
	is_u64(got(&n, IB_PORT_HOQ_LIFE_F), 16, "... and neither is set");
	net_close(&n);
}

static unsigned int sim_sma_state(struct net *n, const char *route, unsigned int port)
{
	return net_get(n, "h1", route, 0x15, port) ? 99 : (unsigned int)got(n, IB_PORT_STATE_F);
}

static unsigned int phys(struct net *n, const char *route, unsigned int port)
{
	return net_get(n, "h1", route, 0x15, port) ? 99 : (unsigned int)got(n, IB_PORT_PHYS_STATE_F);
}

static void states(void)
{
	struct net n;
	uint8_t data[64] = { 0 };

	net_open(&n, LINE_NET);
	is_int(port_set(&n, "h1", "0,1", 3, IB_PORT_STATE_F, 4), 0x1c, "Initialize to Active");
	is_u64(sim_sma_state(&n, "0,1", 3), 2, "... leaves it in Initialize");
	is_int(port_set(&n, "h1", "0,1", 8, IB_PORT_STATE_F, 3), 0x1c, "Down to Armed");
	is_int(port_set(&n, "h1", "0,1", 3, IB_PORT_STATE_F, 3), 0, "Initialize to Armed");
	is_u64(sim_sma_state(&n, "0,1", 3), 3, "... is Armed");
	is_int(port_set(&n, "h1", "0,1", 3, IB_PORT_STATE_F, 4), 0, "Armed to Active");
	is_u64(sim_sma_state(&n, "0,1", 3), 4, "... is Active");
	is_u64(sim_sma_state(&n, "0,1,3", 2), 2, "the other end stays as it was");
	is_int(port_set(&n, "h1", "0,1", 3, IB_PORT_STATE_F, 3), 0x1c, "Active to Armed");

	/* PortStateChange: of what the link does, also after a Set (IBA 14.2.5.4) */
	mad_set_field(data, 0, IB_SW_STATE_CHANGE_F, 1);
	is_int(net_set(&n, "h1", "0,1", 0x12, 0, data), 0, "PortStateChange of A is cleared");
	is_int(net_set(&n, "h1", "0,1,3", 0x12, 0, data), 0, "... and of B");
	is_u64(got(&n, IB_SW_STATE_CHANGE_F), 0, "... it is");
	is_int(port_set(&n, "h1", "0,1", 3, IB_PORT_STATE_F, 1), 0, "A's port 3 goes down");
	is_u64(sim_sma_state(&n, "0,1", 3), 2, "... and comes up again");
	is_u64(sim_sma_state(&n, "0,1,3", 2), 2, "... at the other end too");
	net_get(&n, "h1", "0,1", 0x12, 0);
	is_u64(got(&n, IB_SW_STATE_CHANGE_F), 1, "A, where it was set, saw the link come up");
	net_get(&n, "h1", "0,1,3", 0x12, 0);
	is_u64(got(&n, IB_SW_STATE_CHANGE_F), 1, "... B did");

	is_int(port_set(&n, "h1", "0,1", 3, IB_PORT_PHYS_STATE_F, 3), 0, "A's port 3 is disabled");
	is_u64(sim_sma_state(&n, "0,1", 3), 1, "... is down");
	is_u64(phys(&n, "0,1", 3), 3, "... and disabled");
	is_int(net_get(&n, "h1", "0,1,3", 0x11, 0), -1, "nobody answers behind it");
	is_u64(n.why, DROP_LINK_DOWN, "... the link is down");
	is_u64(n.drop_node, net_node(&n, "A"), "... at A");
	is_u64(n.drop_port, 3, "... port 3");
	is_int(port_set(&n, "h1", "0,1", 3, IB_PORT_PHYS_STATE_F, 2), 0, "it is enabled");
	is_u64(sim_sma_state(&n, "0,1", 3), 2, "... and up");
	is_int(net_get(&n, "h1", "0,1,3", 0x11, 0), 0, "... and passes");

	/* enabled values take effect at the next training */
	is_int(port_set(&n, "h1", "0,1", 1, IB_PORT_LINK_WIDTH_ENABLED_F, 1), 0, "1X alone");
	is_u64(got(&n, IB_PORT_LINK_WIDTH_ACTIVE_F), 2, "4X as yet");
	is_int(port_set(&n, "h1", "0,1", 1, IB_PORT_STATE_F, 1), 0, "down and up");
	net_get(&n, "h1", "0", 0x15, 0);
	is_u64(got(&n, IB_PORT_LINK_WIDTH_ACTIVE_F), 1, "1X, at the other end too");

	is_int(fabric_cable(n.f, net_node(&n, "A"), 3, false), 0, "a cable is pulled");
	is_u64(phys(&n, "0,1", 3), 2, "... its port polls");
	is_int(fabric_cable(n.f, net_node(&n, "B"), 2, true), 0, "... and put in at the other end");
	is_u64(sim_sma_state(&n, "0,1,3", 2), 2, "... up again");
	is_int(fabric_cable(n.f, net_node(&n, "B"), 2, true), 0, "... where it is already");
	is_int(fabric_cable(n.f, net_node(&n, "A"), 8, false), -EINVAL, "there is no cable");
	is_int(fabric_cable(n.f, net_node(&n, "A"), 0, false), -EINVAL, "... at port 0 neither");
	is_int(port_set(&n, "h1", "0,1", 8, IB_PORT_STATE_F, 1), 0, "a port without one goes down");
	is_u64(sim_sma_state(&n, "0,1", 8), 1, "... and stays there");
	net_close(&n);
}

static void sim_sma_tables(void)
{
	struct net n;
	uint8_t data[64], all_ff[64], zero[64] = { 0 };

	memset(all_ff, 0xff, 64);
	for (unsigned int i = 0; i < 64; i++)
		data[i] = (uint8_t)(i + 1);
	net_open(&n, LINE_NET);
	is_int(net_get(&n, "h1", "0,1", 0x19, 3), 0, "LinearForwardingTable");
	is_mem(n.mad + 64, all_ff, 64, "... leads nowhere");
	is_int(net_set(&n, "h1", "0,1", 0x19, 3, data), 0, "... is set");
	is_int(net_get(&n, "h1", "0,1", 0x19, 3), 0, "... and read");
	is_mem(n.mad + 64, data, 64, "... as it was set");
	is_int(net_get(&n, "h1", "0,1", 0x19, 2), 0, "the block before");
	is_mem(n.mad + 64, all_ff, 64, "... is as it was");
	is_int(net_get(&n, "h1", "0,1", 0x19, 767), 0, "the last block");
	is_int(net_set(&n, "h1", "0,1", 0x19, 768, data), 0x1c, "... and none behind it");
	is_int(net_get(&n, "h1", "0", 0x19, 0), 0x0c, "an adapter has none");

	is_int(net_set(&n, "h1", "0,1,3", 0x1b, 1u << 28 | 5, data), 0,
	       "MulticastForwardingTable, ports 16 to 31");
	is_int(net_get(&n, "h1", "0,1,3", 0x1b, 1u << 28 | 5), 0, "... is read");
	is_mem(n.mad + 64, data, 64, "... as it was set");
	is_int(net_get(&n, "h1", "0,1,3", 0x1b, 5), 0, "that of ports 0 to 15");
	is_mem(n.mad + 64, zero, 64, "... is empty");
	is_int(net_get(&n, "h1", "0,1,3", 0x1b, 2u << 28), 0x1c, "20 ports need two masks");
	is_int(net_get(&n, "h1", "0,1,3", 0x1b, 128), 0x1c, "4096 entries are 128 blocks");

	is_int(net_get(&n, "h1", "0,1,3,1", 0x16, 0), 0, "P_KeyTable");
	is_u64(get_be16(n.mad + 64), 0xffff, "... begins with the default partition");
	is_u64(get_be16(n.mad + 66), 0, "... and holds no other");
	is_int(net_set(&n, "h1", "0,1,3,1", 0x16, 1, data), 0, "its second block");
	is_int(net_get(&n, "h1", "0,1,3,1", 0x16, 1), 0, "... is read");
	is_mem(n.mad + 64, data, 64, "... as it was set");
	is_int(net_get(&n, "h1", "0,1,3,4", 0x16, 1), 0, "that of the other port");
	is_mem(n.mad + 64, zero, 64, "... is empty");
	is_int(net_get(&n, "h1", "0,1,3,1", 0x16, 2), 0x1c, "there are 64");
	is_int(net_get(&n, "h1", "0,1", 0x16, 1u << 16), 0, "that of a switch's external port");
	is_u64(get_be16(n.mad + 64), 0xffff, "... begins with the default partition, too");
	is_int(net_set(&n, "h1", "0,1", 0x16, 1u << 16, data), 0, "... is set");
	is_int(net_get(&n, "h1", "0,1", 0x16, 1u << 16), 0, "... and read");
	is_mem(n.mad + 64, data, 64, "... as it was set");
	is_int(net_get(&n, "h1", "0,1", 0x16, 0), 0, "that of its port 0");
	is_u64(get_be16(n.mad + 64), 0xffff, "... is another");
	is_int(net_get(&n, "h1", "0,1", 0x16, 1u << 16 | 1), 0x1c, "PartitionEnforcementCap is 32");
	is_int(net_get(&n, "h1", "0,1", 0x16, 9u << 16), 0x1c, "of a port that is not there");

	is_int(net_get(&n, "h1", "0,1", 0x17, 1u << 8 | 2), 0, "SLtoVL");
	is_u64(get_be64(n.mad + 64), UINT64_C(0x0123456789abcde0), "... 15 lanes");
	is_int(net_set(&n, "h1", "0,1", 0x17, 1u << 8 | 2, data), 0, "... is set");
	is_int(net_get(&n, "h1", "0,1", 0x17, 1u << 8 | 2), 0, "... and read");
	is_mem(n.mad + 64, data, 8, "... as it was set");
	is_u64(n.mad[72], 0, "... 8 bytes");
	is_int(net_get(&n, "h1", "0,1", 0x17, 2u << 8 | 1), 0, "the other way");
	is_u64(n.mad[64], 0x01, "... is as it was");
	is_int(net_get(&n, "h1", "0,1", 0x17, 9), 0x1c, "of a port that is not there");

	is_int(net_set(&n, "h1", "0,1", 0x18, 3u << 16 | 2, data), 0, "VLArbitration, high");
	is_int(net_get(&n, "h1", "0,1", 0x18, 3u << 16 | 2), 0, "... is read");
	is_mem(n.mad + 64, data, 32, "... 16 entries");
	is_u64(n.mad[96], 0, "... and no more");
	is_int(net_get(&n, "h1", "0,1", 0x18, 1u << 16 | 2), 0, "that of low priority");
	is_u64(get_be32(n.mad + 64), 0x00200120, "... is as it was: VL 0 and 1, with equal weights");
	is_u64(get_be32(n.mad + 64 + 28), 0x0e200000, "... up to VL 14");
	is_int(net_set(&n, "h1", "0,1,3,1", 0x17, 0, data), 0, "SLtoVL of an adapter's port");
	is_int(net_get(&n, "h1", "0,1,3,1", 0x17, 0x305), 0, "... whatever the modifier says");
	is_mem(n.mad + 64, data, 8, "... as it was set");
	is_int(net_get(&n, "h1", "0,1,3,4", 0x17, 0), 0, "that of its other port");
	is_u64(n.mad[64], 0x01, "... is as it was");
	is_int(net_get(&n, "h1", "0,1", 0x18, 1u << 16 | 9), 0x1c, "VLArbitration of no port");
	is_int(net_get(&n, "h1", "0,1", 0x18, 2u << 16 | 2), 0x1c, "no second block");
	is_int(net_get(&n, "h1", "0,1", 0x18, 0), 0x1c, "no block 0");

	memset(data, 0, 64);
	data[0] = 0x80;
	is_int(net_set(&n, "h1", "0,1", 0x31, 0, data), 0, "LedInfo");
	is_int(net_get(&n, "h1", "0,1", 0x31, 0), 0, "... is read");
	is_u64(n.mad[64], 0x80, "... it is on");
	is_int(net_get(&n, "h1", "0,1,3", 0x31, 0), 0, "that of another");
	is_u64(n.mad[64], 0, "... is off");
	data[0] = 0;
	mad_set_field(data, 0, IB_SW_LINEAR_FDB_TOP_F, 49152);
	is_int(net_set(&n, "h1", "0,1", 0x12, 0, data), 0x1c, "LinearFdbTop beyond the table");
	mad_set_field(data, 0, IB_SW_LINEAR_FDB_TOP_F, 49151);
	is_int(net_set(&n, "h1", "0,1", 0x12, 0, data), 0, "... at its end");
	is_u64(got(&n, IB_SW_LINEAR_FDB_TOP_F), 49151, "... is set");
	is_u64(got(&n, IB_SW_LINEAR_FDB_CAP_F), 49152, "... and its capacity stays");
	net_close(&n);
}

static void sim_sma_refusals(void)
{
	struct net n;
	uint8_t mad[256], data[64] = { 0 };

	net_open(&n, LINE_NET);
	is_int(net_get(&n, "h1", "0,1", 0x30, 0), 0x0c, "VendorDiag is not there");
	is_int(net_get(&n, "h1", "0,1", 0x02, 0), 0x0c, "Get of Notice");
	is_int(net_get(&n, "h1", "0,1", 0x20, 0), 0x0c, "SMInfo where no manager is");
	is_int(net_set(&n, "h1", "0,1", 0x11, 0, data), 0x0c, "Set of NodeInfo");
	is_int(net_set(&n, "h1", "0,1", 0x10, 0, data), 0x0c, "Set of NodeDescription");
	smp(mad, 0x12, 0x11, 0);
	net_send(&n, "h1", "0,1", NULL, mad);
	is_u64(n.mad[3], 0x81, "an unknown method is answered");
	is_u64(get_be16(n.mad + 4), 0x8008, "... as unsupported, with the D bit");
	smp(mad, 1, 0x11, 0);
	mad[2] = 2;
	net_send(&n, "h1", "0,1", NULL, mad);
	is_u64(get_be16(n.mad + 4), 0x8004, "a class version of 2");
	smp(mad, 7, 2, 0);
	net_send(&n, "h1", "0,1", NULL, mad);
	is_u64(n.arrived + n.dropped, 0, "TrapRepress of a Notice wants no answer");
	mad[8] = 1;
	net_send(&n, "h1", "0,1", NULL, mad);
	is_u64(n.arrived, 1, "... and is for the program whose trap it is");
	n.arrived = 0;
	smp(mad, 7, 0x11, 0);
	net_send(&n, "h1", "0,1", NULL, mad);
	is_u64(get_be16(n.mad + 4), 0x800c, "TrapRepress of something else");
	smp(mad, 1, 0x11, 0);
	mad[1] = 4;
	net_send(&n, "h1", NULL, &(struct fabric_head){ .dlid = 0xffff }, mad);
	is_u64(n.why, DROP_MALFORMED, "QP0 takes no other class");
	smp(mad, 1, 0x11, 0);
	net_send(&n, "h1", NULL, &(struct fabric_head){ .dlid = 0xffff }, mad);
	is_u64(n.dropped, 1, "the answer to the permissive LID has no LID to go to");
	smp(mad, 5, 2, 0);
	net_send(&n, "h1", "0,1,2", NULL, mad);
	ok(n.arrived == 1 && n.node == net_node(&n, "h3"), "a Trap goes to the host's programs");
	smp(mad, 0x81, 0x11, 0);
	net_send(&n, "h1", "0,1,2", NULL, mad);
	ok(n.arrived == 1 && n.node == net_node(&n, "h3"), "... and so does a response");
	is_int(fabric_set_sm(n.f, net_node(&n, "h3"), 1, true), 0, "h3 runs a subnet manager");
	smp(mad, 1, 0x20, 0);
	net_send(&n, "h1", "0,1,2", NULL, mad);
	ok(n.arrived == 1 && n.node == net_node(&n, "h3"), "... to which SMInfo goes");
	is_int(net_get(&n, "h1", "0,1,2", 0x15, 0), 0, "... and PortInfo");
	is_u64(got(&n, IB_PORT_CAPMASK_F) & 2, 2, "... says so");
	is_int(fabric_set_sm(n.f, net_node(&n, "A"), 3, true), -EINVAL, "not at a switch's port 3");
	net_close(&n);
}

static int with_key(struct net *n, unsigned int method, uint64_t key)
{
	uint8_t mad[256], data[64];

	net_get(n, "h1", "0,1", 0x15, 0);
	memcpy(data, n->mad + 64, 64);
	smp(mad, method, method == 7 ? 2 : 0x15, 0);
	if (method == 2) {
		mad_set_field(data, 0, IB_PORT_STATE_F, 0);
		mad_set_field(data, 0, IB_PORT_PHYS_STATE_F, 0);
		mad_set_field64(data, 0, IB_PORT_MKEY_F, 0xabc);
		memcpy(mad + 64, data, 64);
	}
	put_be64(mad + 24, key);
	net_send(n, "h1", "0,1", NULL, mad);
	return n->arrived ? get_be16(n->mad + 4) & 0x7fff : -1;
}

/* Sets protection with the key given, by the right one. */
static void protect(struct net *n, unsigned int level, unsigned int lease)
{
	uint8_t mad[256];

	smp(mad, 1, 0x15, 0);
	put_be64(mad + 24, 0xabc);
	net_send(n, "h1", "0,1", NULL, mad);
	mad_set_field(n->mad, 64, IB_PORT_STATE_F, 0);
	smp(mad, 2, 0x15, 0);
	memcpy(mad + 64, n->mad + 64, 64);
	mad_set_field(mad + 64, 0, IB_PORT_STATE_F, 0);
	mad_set_field(mad + 64, 0, IB_PORT_PHYS_STATE_F, 0);
	mad_set_field(mad + 64, 0, IB_PORT_LID_F, 1);
	mad_set_field64(mad + 64, 0, IB_PORT_MKEY_F, 0xabc);
	mad_set_field(mad + 64, 0, IB_PORT_MKEY_PROT_BITS_F, level);
	mad_set_field(mad + 64, 0, IB_PORT_MKEY_LEASE_F, lease);
	mad_set_field(mad + 64, 0, IB_PORT_MKEY_VIOL_F, 0);
	put_be64(mad + 24, 0xabc);
	net_send(n, "h1", "0,1", NULL, mad);
	is_int(n->arrived ? get_be16(n->mad + 4) & 0x7fff : -1, 0, "protection %u, lease %u s", level, lease);
}

static uint64_t violations(struct net *n)
{
	uint8_t mad[256];

	smp(mad, 1, 0x15, 0);
	put_be64(mad + 24, 0xabc);
	net_send(n, "h1", "0,1", NULL, mad);
	return got(n, IB_PORT_MKEY_VIOL_F);
}

static void sim_sma_keys(void)
{
	struct net n;
	uint8_t mad[256];

	net_open(&n, LINE_NET);
	is_int(with_key(&n, 1, 99), 0, "without an M_Key any key will do");
	protect(&n, 0, 0);
	is_int(with_key(&n, 1, 0), 0, "protection 0: Get without the key");
	is_u64(got(&n, IB_PORT_MKEY_F), 0xabc, "... is shown it");
	is_int(with_key(&n, 2, 0), -1, "... Set without it gets silence");
	is_u64(n.why, DROP_M_KEY, "... for the key's sake");
	is_int(with_key(&n, 7, 0), -1, "... TrapRepress too");
	is_u64(n.why, DROP_M_KEY, "... is no answer anyway, but dropped");
	is_u64(violations(&n), 2, "... and both are counted");
	/* the response to a Set that does not set 0 still has them */
	is_int(with_key(&n, 2, 0xabc), 0, "Set with it is answered");
	is_u64(got(&n, IB_PORT_MKEY_VIOL_F), 2, "... and violations that are not set to 0 stay");
	is_int(with_key(&n, 2, 0xabc), 0, "Set with it is answered");
	protect(&n, 1, 0);
	is_int(with_key(&n, 1, 0), 0, "protection 1: Get without the key");
	is_u64(got(&n, IB_PORT_MKEY_F), 0, "... is not shown it");
	is_int(with_key(&n, 1, 0xabc), 0, "... with it");
	is_u64(got(&n, IB_PORT_MKEY_F), 0xabc, "... is");
	is_int(net_get(&n, "h1", "0,1", 0x11, 0), 0, "... NodeInfo too");
	is_u64(violations(&n), 0, "none of it is a violation");
	for (unsigned int level = 2; level < 4; level++) {
		protect(&n, level, 0);
		is_int(net_get(&n, "h1", "0,1", 0x15, 0), -1, "protection %u: Get", level);
		is_u64(n.why, DROP_M_KEY, "... gets silence");
		is_int(net_get(&n, "h1", "0,1", 0x11, 0), -1, "... NodeInfo too");
		is_u64(violations(&n), 2, "... counted");
	}
	is_int(net_get(&n, "h1", "0,1,3", 0x11, 0), 0, "what passes through needs no key");
	is_int(net_get(&n, "h1", "0", 0x11, 0), 0, "... and others have none");

	/* the lease begins with a violation, and its end opens the port */
	protect(&n, 2, 10);
	is_int(net_get(&n, "h1", "0,1", 0x11, 0), -1, "a violation");
	n.now += UINT64_C(9999999000);
	is_int(net_get(&n, "h1", "0,1", 0x11, 0), -1, "just before the lease ends");
	n.now += 2000;
	is_int(net_get(&n, "h1", "0,1", 0x11, 0), 0, "the lease has ended");
	is_int(net_get(&n, "h1", "0,1", 0x15, 0), 0, "... Get is answered");
	is_u64(got(&n, IB_PORT_MKEY_PROT_BITS_F), 0, "... the protection is gone");
	is_u64(got(&n, IB_PORT_MKEY_F), 0xabc, "... the key is not");
	protect(&n, 2, 10);
	is_int(net_get(&n, "h1", "0,1", 0x11, 0), -1, "a violation");
	n.now += UINT64_C(5000000000);
	violations(&n);
	n.now += UINT64_C(6000000000);
	is_int(net_get(&n, "h1", "0,1", 0x11, 0), -1, "a request with the key renews the lease");
	protect(&n, 2, 10);
	is_int(net_get(&n, "h1", "0,1", 0x11, 0), -1, "a violation");
	with_key(&n, 7, 0xabc);
	n.now += UINT64_C(11000000000);
	is_int(net_get(&n, "h1", "0,1", 0x11, 0), -1,
	       "... so does TrapRepress, as the manager answers trap 256");
	n.now += UINT64_C(9999000000);
	is_int(net_get(&n, "h1", "0,1", 0x11, 0), -1, "further violations do not lengthen it");
	n.now += UINT64_C(2000000);
	is_int(net_get(&n, "h1", "0,1", 0x11, 0), 0, "... which ends at its time");
	protect(&n, 2, 0);
	is_int(net_get(&n, "h1", "0,1", 0x11, 0), -1, "a violation");
	n.now += UINT64_C(1) << 50;
	is_int(net_get(&n, "h1", "0,1", 0x11, 0), -1, "a lease of 0 does not end");

	/* it stops at all ones */
	protect(&n, 2, 0);
	for (unsigned int i = 0; i < 0x10001; i++) {
		smp(mad, 1, 0x11, 0);
		net_send(&n, "h1", "0,1", NULL, mad);
	}
	is_u64(violations(&n), 0xffff, "violations stop at all ones");
	net_close(&n);
}

/* FDR10 is Mellanox's: PortInfo says 10 Gbps, and an attribute of theirs the rest. */
static void fdr10(void)
{
	static const char *const nets[] = {
		("vendid=0x2c9\nSwitch 2 \"A\"\n[1] \"h1\"[1] # \"h1\" lid 0 4xFDR10\n"
		 "vendid=0x2c9\nCa 1 \"h1\"\n[1] \"A\"[1]\n"),
		"Switch 2 \"A\"\n[1] \"h1\"[1] # \"h1\" lid 0 4xFDR10\nCa 1 \"h1\"\n[1] \"A\"[1]\n",
		"vendid=0x2c9\nSwitch 2 \"A\"\n[1] \"h1\"[1]\nCa 1 \"h1\"\n[1] \"A\"[1]\n",
	};
	struct net n;
	uint8_t data[64] = { 0 };

	net_open(&n, nets[0]);
	is_int(net_get(&n, "h1", "0,1", 0xff90, 1), 0, "MlnxExtendedPortInfo");
	is_u64(got(&n, IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F), 1, "... FDR10 is active");
	is_u64(got(&n, IB_MLNX_EXT_PORT_LINK_SPEED_ENABLED_F), 1, "... enabled");
	is_u64(got(&n, IB_MLNX_EXT_PORT_LINK_SPEED_SUPPORTED_F), 1, "... supported");
	net_get(&n, "h1", "0,1", 0x15, 0x80000001);
	is_u64(got(&n, IB_PORT_LINK_SPEED_ACTIVE_F), 4, "PortInfo says 10 Gbps");
	is_u64(got(&n, IB_PORT_LINK_SPEED_EXT_ACTIVE_F), 0, "... and no extended speed");
	is_int(net_get(&n, "h1", "0,1", 0xff90, 2), 0, "a port without a link has it, too");
	is_u64(got(&n, IB_MLNX_EXT_PORT_LINK_SPEED_SUPPORTED_F), 1,
	       "... because another port of the node has");
	is_int(net_get(&n, "h1", "0,1", 0xff90, 3), 0x1c, "there is no port 3");
	is_int(net_set(&n, "h1", "0,1", 0xff90, 1, data), 0, "it is disabled");
	is_u64(got(&n, IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F), 1, "... active until the link goes");
	port_set(&n, "h1", "0,1", 1, IB_PORT_STATE_F, 1);
	net_get(&n, "h1", "0", 0xff90, 0);
	is_u64(got(&n, IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F), 0, "... at the other end too");
	is_u64(got(&n, IB_MLNX_EXT_PORT_LINK_SPEED_ENABLED_F), 1, "... where it is enabled");
	mad_set_field(data, 0, IB_MLNX_EXT_PORT_LINK_SPEED_ENABLED_F, 2);
	is_int(net_set(&n, "h1", "0,1", 0xff90, 1, data), 0x1c, "another speed than FDR10");
	net_close(&n);
	net_open(&n, nets[1]);
	is_int(net_get(&n, "h1", "0,1", 0xff90, 1), 0x0c, "other vendors do not know it");
	net_get(&n, "h1", "0,1", 0x15, 1);
	is_u64(got(&n, IB_PORT_LINK_SPEED_ACTIVE_F), 4, "... and run at 10 Gbps");
	net_close(&n);
	net_open(&n, nets[2]);
	memset(data, 0, sizeof(data));
	is_int(net_get(&n, "h1", "0,1", 0xff90, 2), 0, "a port without FDR10 answers, too");
	is_mem(n.mad + 64, data, 64, "... zeros");
	mad_set_field(data, 0, IB_MLNX_EXT_PORT_LINK_SPEED_ENABLED_F, 1);
	is_int(net_set(&n, "h1", "0,1", 0xff90, 2, data), 0x1c, "... FDR10 cannot be enabled there");
	net_close(&n);
}

/* A port of an adapter that is asked about another one, which has a key. */
static void sim_sma_other_port(void)
{
	static const uint8_t disable[64];
	struct net n;
	uint8_t *info;

	net_open(&n, LINE_NET);
	info = node_port(n.f, &n.f->nodes[net_node(&n, "h2")], 2)->info;
	field_put(MADKIT_PORT_INFO_MKEY, info, 0xabc);
	field_put(MADKIT_PORT_INFO_PROTECT_BITS, info, 1);
	is_int(net_get(&n, "h1", "0,1,3,1", 0x15, 2), 0, "port 1 of h2 tells of port 2");
	is_u64(got(&n, IB_PORT_MKEY_F), 0, "... not its key");
	is_int(net_get(&n, "h1", "0,1,3,4", 0x15, 1), 0, "port 2 tells of port 1, which has none");
	field_put(MADKIT_PORT_INFO_PROTECT_BITS, info, 0);
	net_get(&n, "h1", "0,1,3,1", 0x15, 2);
	is_u64(got(&n, IB_PORT_MKEY_F), 0xabc, "... and a key without protection");
	is_int(net_get(&n, "h1", "0,1,3,1", 0xff90, 2), 0, "MlnxExtendedPortInfo of it");
	is_int(net_set(&n, "h1", "0,1,3,1", 0xff90, 2, disable), 0x1c, "... is not set");
	is_int(net_set(&n, "h1", "0,1,3,1", 0xff90, 1, disable), 0, "... the port's own is");
	is_int(net_set(&n, "h1", "0,1,3,1", 0xff90, 0, disable), 0, "... and port 0 is that");
	net_close(&n);
}

int main(void)
{
	fdr10();
	sim_sma_other_port();
	identity();
	sim_sma_port_infos();
	states();
	sim_sma_tables();
	sim_sma_refusals();
	sim_sma_keys();
	return tap_done();
}
