/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Subnet administration (IBA volume 1, section 15.2.5). Each element of an array has its own component number, counted
 * from that of the array.
 */
#include <madkit/mad.h>
#include "tables.h"

/* On the wire, records are padded to a multiple of eight bytes. */
#define RECORD_LAYOUT(x, n, b) \
	enum { x##_bytes = (b) }; \
	static LAYOUT(x, n, b)
#define RECORD(n, a, i, x, ...) ATTRIBUTE(n, a, i, (x##_bytes + 7) / 8 * 8, x, ##__VA_ARGS__)

static const struct madkit_field node_record_fields[] = {
	FIELD("LID", NULL, 0, 16, LID, COMPONENT(0)),
	RESERVED("Reserved", 16, 16, COMPONENT(1)),
	FIELD("NodeInfo", NULL, 32, 320, STRUCT, SUB(node_info), COMPONENTS(2)),
	FIELD("NodeDescription", "NodeDesc,NodeString", 352, 512, STRING, COMPONENT(14)),
};
RECORD_LAYOUT(node_record, "NodeRecord", 108);

static const struct madkit_field port_info_record_fields[] = {
	FIELD("EndportLID", "LID", 0, 16, LID, COMPONENT(0)),
	FIELD("PortNum", NULL, 16, 8, UNSIGNED, COMPONENT(1)),
	FIELD("Options", NULL, 24, 8, HEX, COMPONENT(2)),
	FIELD("PortInfo", NULL, 32, 512, STRUCT, SUB(port_info), COMPONENTS(3)),
};
RECORD_LAYOUT(port_info_record, "PortInfoRecord", 68);

static const struct madkit_field sm_info_record_fields[] = {
	FIELD("LID", NULL, 0, 16, LID, COMPONENT(0)),
	RESERVED("Reserved", 16, 16, COMPONENT(1)),
	FIELD("SMInfo", NULL, 32, 192, STRUCT, SUB(sm_info), COMPONENTS(2)),
};
RECORD_LAYOUT(sm_info_record, "SMInfoRecord", 28);

static const struct madkit_field link_record_fields[] = {
	FIELD("FromLID", NULL, 0, 16, LID, COMPONENT(0)),
	FIELD("FromPort", NULL, 16, 8, UNSIGNED, COMPONENT(1)),
	FIELD("ToPort", NULL, 24, 8, UNSIGNED, COMPONENT(2)),
	FIELD("ToLID", NULL, 32, 16, LID, COMPONENT(3)),
};
RECORD_LAYOUT(link_record, "LinkRecord", 6);

static const struct madkit_field path_record_fields[] = {
	FIELD("ServiceID", NULL, 0, 64, HEX, COMPONENT(0), .components = 2),
	FIELD("DGID", "PathRecDGid", 64, 128, GID, COMPONENT(2)),
	FIELD("SGID", "PathRecSGid", 192, 128, GID, COMPONENT(3)),
	FIELD("DLID", "PathRecDLid", 320, 16, LID, COMPONENT(4)),
	FIELD("SLID", "PathRecSLid", 336, 16, LID, COMPONENT(5)),
	FIELD("RawTraffic", NULL, 352, 1, UNSIGNED, COMPONENT(6)),
	RESERVED("Reserved", 353, 3, COMPONENT(7)),
	FIELD("FlowLabel", NULL, 356, 20, HEX, COMPONENT(8)),
	FIELD("HopLimit", NULL, 376, 8, UNSIGNED, COMPONENT(9)),
	FIELD("TClass", NULL, 384, 8, HEX, COMPONENT(10)),
	FIELD("Reversible", NULL, 392, 1, UNSIGNED, COMPONENT(11)),
	FIELD("NumbPath", "PathRecNumPath", 393, 7, UNSIGNED, COMPONENT(12)),
	FIELD("P_Key", "PKey", 400, 16, HEX, COMPONENT(13)),
	FIELD("QoSClass", "QoS_Class", 416, 12, UNSIGNED, COMPONENT(14)),
	FIELD("SL", "PathRecSL", 428, 4, UNSIGNED, COMPONENT(15)),
	FIELD("MTUSelector", NULL, 432, 2, ENUM, VALUES(selector), COMPONENT(16)),
	FIELD("MTU", NULL, 434, 6, ENUM, VALUES(mtu), COMPONENT(17)),
	FIELD("RateSelector", NULL, 440, 2, ENUM, VALUES(selector), COMPONENT(18)),
	FIELD("Rate", NULL, 442, 6, ENUM, VALUES(rate), COMPONENT(19)),
	FIELD("PacketLifeTimeSelector", NULL, 448, 2, ENUM, VALUES(selector_time), COMPONENT(20)),
	FIELD("PacketLifeTime", NULL, 450, 6, UNSIGNED, COMPONENT(21)),
	FIELD("Preference", NULL, 456, 8, UNSIGNED, COMPONENT(22)),
	RESERVED("Reserved2", 464, 48, COMPONENT(23)),
};
RECORD_LAYOUT(path_record, "PathRecord", 64);

static const struct madkit_field mcmember_record_fields[] = {
	FIELD("MGID", "McastMemMGid", 0, 128, GID, COMPONENT(0)),
	FIELD("PortGID", "McastMemPortGid", 128, 128, GID, COMPONENT(1)),
	FIELD("Q_Key", "QKey,McastMemQkey", 256, 32, HEX, COMPONENT(2)),
	FIELD("MLID", "McastMemMLid", 288, 16, HEX, COMPONENT(3)),
	FIELD("MTUSelector", NULL, 304, 2, ENUM, VALUES(selector), COMPONENT(4)),
	FIELD("MTU", "McastMemMTU", 306, 6, ENUM, VALUES(mtu), COMPONENT(5)),
	FIELD("TClass", "McastMemTClass", 312, 8, HEX, COMPONENT(6)),
	FIELD("P_Key", "PKey,McastMemPkey", 320, 16, HEX, COMPONENT(7)),
	FIELD("RateSelector", NULL, 336, 2, ENUM, VALUES(selector), COMPONENT(8)),
	FIELD("Rate", "McastMemRate", 338, 6, ENUM, VALUES(rate), COMPONENT(9)),
	FIELD("PacketLifeTimeSelector", NULL, 344, 2, ENUM, VALUES(selector_time), COMPONENT(10)),
	FIELD("PacketLifeTime", NULL, 346, 6, UNSIGNED, COMPONENT(11)),
	FIELD("SL", "McastMemSL", 352, 4, UNSIGNED, COMPONENT(12)),
	FIELD("FlowLabel", "McastMemFlowLbl", 356, 20, HEX, COMPONENT(13)),
	FIELD("HopLimit", NULL, 376, 8, UNSIGNED, COMPONENT(14)),
	FIELD("Scope", NULL, 384, 4, ENUM, VALUES(mc_scope), COMPONENT(15)),
	FIELD("JoinState", "McastMemJoinState", 388, 4, BITS, VALUES(join_state), COMPONENT(16)),
	FIELD("ProxyJoin", "McastMemProxyJoin", 392, 1, UNSIGNED, COMPONENT(17)),
	RESERVED("Reserved", 393, 23, COMPONENT(18)),
};
RECORD_LAYOUT(mcmember_record, "MCMemberRecord", 52);

static const struct madkit_field service_record_fields[] = {
	FIELD("ServiceID", "ServRecID", 0, 64, HEX, COMPONENT(0)),
	FIELD("ServiceGID", "ServRecGid", 64, 128, GID, COMPONENT(1)),
	FIELD("ServiceP_Key", "ServicePKey,ServRecPkey", 192, 16, HEX, COMPONENT(2)),
	RESERVED("Reserved", 208, 16, COMPONENT(3)),
	FIELD("ServiceLease", "ServRecLease", 224, 32, HEX, COMPONENT(4)),
	FIELD("ServiceKey", "ServRecKey", 256, 128, KEY, COMPONENT(5)),
	FIELD("ServiceName", "ServRecName", 384, 512, STRING, COMPONENT(6)),
	FIELD("ServiceData8", NULL, 896, 8, HEX, ARRAY(16), COMPONENT(7)),
	FIELD("ServiceData16", NULL, 1024, 16, HEX, ARRAY(8), COMPONENT(23)),
	FIELD("ServiceData32", NULL, 1152, 32, HEX, ARRAY(4), COMPONENT(31)),
	FIELD("ServiceData64", NULL, 1280, 64, HEX, ARRAY(2), COMPONENT(35)),
};
RECORD_LAYOUT(service_record, "ServiceRecord", 176);

/* ib_types.h numbers only the fields that identify one of these records, not the entries of the tables, because 64
 * components are too few for them. */
static const struct madkit_field sltovl_record_fields[] = {
	FIELD("LID", NULL, 0, 16, LID, COMPONENT(0)),
	FIELD("InputPortNum", NULL, 16, 8, UNSIGNED, COMPONENT(1)),
	FIELD("OutputPortNum", NULL, 24, 8, UNSIGNED, COMPONENT(2)),
	RESERVED("Reserved", 32, 32),
	FIELD("SLtoVLMappingTable", NULL, 64, 64, STRUCT, SUB(sltovl_table)),
};
RECORD_LAYOUT(sltovl_record, "SLtoVLMappingTableRecord", 16);

static const struct madkit_field switch_info_record_fields[] = {
	FIELD("LID", NULL, 0, 16, LID, COMPONENT(0)),
	RESERVED("Reserved", 16, 16, COMPONENT(1)),
	FIELD("SwitchInfo", NULL, 32, 160, STRUCT, SUB(switch_info), COMPONENTS(2)),
};
RECORD_LAYOUT(switch_info_record, "SwitchInfoRecord", 24);

static const struct madkit_field linear_record_fields[] = {
	FIELD("LID", NULL, 0, 16, LID, COMPONENT(0)),
	FIELD("BlockNum", NULL, 16, 16, UNSIGNED, COMPONENT(1)),
	RESERVED("Reserved", 32, 32),
	FIELD("LinearForwardingTable", NULL, 64, 512, STRUCT, SUB(linear_table)),
};
RECORD_LAYOUT(linear_record, "LinearForwardingTableRecord", 72);

static const struct madkit_field random_record_fields[] = {
	FIELD("LID", NULL, 0, 16, LID, COMPONENT(0)),
	FIELD("BlockNum", NULL, 16, 16, UNSIGNED, COMPONENT(1)),
	RESERVED("Reserved", 32, 32),
	FIELD("RandomForwardingTable", NULL, 64, 512, STRUCT, SUB(random_table)),
};
RECORD_LAYOUT(random_record, "RandomForwardingTableRecord", 72);

static const struct madkit_field multicast_record_fields[] = {
	FIELD("LID", NULL, 0, 16, LID, COMPONENT(0)),
	FIELD("Position", NULL, 16, 4, UNSIGNED, COMPONENT(1)),
	RESERVED("Reserved", 20, 3, COMPONENT(2)),
	FIELD("BlockNum", NULL, 23, 9, UNSIGNED, COMPONENT(3)),
	RESERVED("Reserved2", 32, 32, COMPONENT(4)),
	FIELD("MulticastForwardingTable", NULL, 64, 512, STRUCT, SUB(multicast_table)),
};
RECORD_LAYOUT(multicast_record, "MulticastForwardingTableRecord", 72);

static const struct madkit_field guid_info_record_fields[] = {
	FIELD("LID", NULL, 0, 16, LID, COMPONENT(0)),
	FIELD("BlockNum", NULL, 16, 8, UNSIGNED, COMPONENT(1)),
	RESERVED("Reserved", 24, 8, COMPONENT(2)),
	RESERVED("Reserved2", 32, 32, COMPONENT(3)),
	FIELD("GUIDInfo", NULL, 64, 512, STRUCT, SUB(guid_info), COMPONENTS(4)),
};
RECORD_LAYOUT(guid_info_record, "GUIDInfoRecord", 72);

static const struct madkit_field pkey_record_fields[] = {
	FIELD("LID", NULL, 0, 16, LID, COMPONENT(0)),
	FIELD("BlockNum", NULL, 16, 16, UNSIGNED, COMPONENT(1)),
	FIELD("PortNum", NULL, 32, 8, UNSIGNED, COMPONENT(2)),
	RESERVED("Reserved", 40, 24),
	FIELD("P_KeyTable", "PKeyTable", 64, 512, STRUCT, SUB(pkey_table)),
};
RECORD_LAYOUT(pkey_record, "P_KeyTableRecord", 72);

static const struct madkit_field vlarb_record_fields[] = {
	FIELD("LID", NULL, 0, 16, LID, COMPONENT(0)),
	FIELD("OutputPortNum", NULL, 16, 8, UNSIGNED, COMPONENT(1)),
	FIELD("BlockNum", NULL, 24, 8, UNSIGNED, COMPONENT(2)),
	RESERVED("Reserved", 32, 32),
	FIELD("VLArbitrationTable", NULL, 64, 512, STRUCT, SUB(vlarb_table)),
};
RECORD_LAYOUT(vlarb_record, "VLArbitrationTableRecord", 72);

static const struct madkit_field inform_info_record_fields[] = {
	FIELD("SubscriberGID", "GID", 0, 128, GID, COMPONENT(0)),
	FIELD("Enum", "Enumeration", 128, 16, UNSIGNED, COMPONENT(1)),
	RESERVED("Reserved", 144, 48, COMPONENT(2)),
	FIELD("InformInfo", NULL, 192, 288, STRUCT, SUB(inform_info), COMPONENTS(3)),
};
RECORD_LAYOUT(inform_info_record, "InformInfoRecord", 60);

/* The first three are numbered as in PortInfoRecord; no public source numbers the rest. */
static const struct madkit_field port_info_ext_record_fields[] = {
	FIELD("EndportLID", "LID", 0, 16, LID, COMPONENT(0)),
	FIELD("PortNum", NULL, 16, 8, UNSIGNED, COMPONENT(1)),
	FIELD("Options", NULL, 24, 8, HEX, COMPONENT(2)),
	FIELD("PortInfoExtended", NULL, 32, 512, STRUCT, SUB(port_info_ext)),
};
RECORD_LAYOUT(port_info_ext_record, "PortInfoExtendedRecord", 68);

/* Layout and numbers as in opa-ff's ib_sa_records.h. */
static const struct madkit_field trace_record_fields[] = {
	FIELD("GIDPrefix", NULL, 0, 64, HEX, COMPONENT(0)),
	FIELD("IDGeneration", NULL, 64, 16, UNSIGNED, COMPONENT(1)),
	RESERVED("Reserved", 80, 8, COMPONENT(2)),
	FIELD("NodeType", NULL, 88, 8, ENUM, VALUES(node_type), COMPONENT(3)),
	FIELD("NodeID", NULL, 96, 64, HEX, COMPONENT(4)),
	FIELD("ChassisID", NULL, 160, 64, HEX, COMPONENT(5)),
	FIELD("EntryPortID", NULL, 224, 64, HEX, COMPONENT(6)),
	FIELD("ExitPortID", NULL, 288, 64, HEX, COMPONENT(7)),
	FIELD("EntryPort", NULL, 352, 8, UNSIGNED, COMPONENT(8)),
	FIELD("ExitPort", NULL, 360, 8, UNSIGNED, COMPONENT(9)),
};
RECORD_LAYOUT(trace_record, "TraceRecord", 46);

/* The two parts of the ServiceID are components only together (CA13-6). SGIDCount source GIDs follow, then DGIDCount
 * destination GIDs: they are not components. There are as many as one MAD holds. */
static const struct madkit_field multi_path_record_fields[] = {
	FIELD("RawTraffic", NULL, 0, 1, UNSIGNED, COMPONENT(0)),
	RESERVED("Reserved", 1, 3, COMPONENT(1)),
	FIELD("FlowLabel", NULL, 4, 20, HEX, COMPONENT(2)),
	FIELD("HopLimit", NULL, 24, 8, UNSIGNED, COMPONENT(3)),
	FIELD("TClass", NULL, 32, 8, HEX, COMPONENT(4)),
	FIELD("Reversible", NULL, 40, 1, UNSIGNED, COMPONENT(5)),
	FIELD("NumbPath", "MultiPathNumPath", 41, 7, UNSIGNED, COMPONENT(6)),
	FIELD("P_Key", "PKey", 48, 16, HEX, COMPONENT(7)),
	FIELD("QoSClass", "QoS_Class", 64, 12, UNSIGNED, COMPONENT(8)),
	FIELD("SL", NULL, 76, 4, UNSIGNED, COMPONENT(9)),
	FIELD("MTUSelector", NULL, 80, 2, ENUM, VALUES(selector), COMPONENT(10)),
	FIELD("MTU", NULL, 82, 6, ENUM, VALUES(mtu), COMPONENT(11)),
	FIELD("RateSelector", NULL, 88, 2, ENUM, VALUES(selector), COMPONENT(12)),
	FIELD("Rate", NULL, 90, 6, ENUM, VALUES(rate), COMPONENT(13)),
	FIELD("PacketLifeTimeSelector", NULL, 96, 2, ENUM, VALUES(selector_time), COMPONENT(14)),
	FIELD("PacketLifeTime", NULL, 98, 6, UNSIGNED, COMPONENT(15)),
	FIELD("ServiceID8MSB", NULL, 104, 8, HEX, COMPONENT(16)),
	FIELD("IndependenceSelector", NULL, 112, 2, UNSIGNED, COMPONENT(17)),
	RESERVED("Reserved2", 114, 6, COMPONENT(18)),
	FIELD("SGIDCount", "MultiPathNumSrc", 120, 8, UNSIGNED, COMPONENT(19)),
	FIELD("DGIDCount", "MultiPathNumDest", 128, 8, UNSIGNED, COMPONENT(20)),
	FIELD("ServiceID56LSB", NULL, 136, 56, HEX, COMPONENT(21)),
	FIELD("SDGID", "MultiPathGid", 192, 128, GID, ARRAY(11), VARIABLE),
};
RECORD_LAYOUT(multi_path_record, "MultiPathRecord", 200);

static const struct madkit_field service_association_record_fields[] = {
	FIELD("ServiceKey", NULL, 0, 128, KEY, COMPONENT(0)),
	FIELD("ServiceName", NULL, 128, 512, STRING, COMPONENT(1)),
};
RECORD_LAYOUT(service_association_record, "ServiceAssociationRecord", 80);

/* No public source has the layout or the length of the attributes that are OPAQUE: Wireshark decodes
 * LinkSpeedWidthPairsTableRecord as the table, without the RID that begins every record. */
const struct madkit_attribute madkit_attributes_sa[] = {
	ATTRIBUTE("ClassPortInfo", "CPI", 0x0001, 72, class_port_info_sa),
	ATTRIBUTE("Notice", NULL, 0x0002, 80, notice, EDITIONS(notice)),
	ATTRIBUTE("InformInfo", "II", 0x0003, 36, inform_info),
	RECORD("NodeRecord", "NR", 0x0011, node_record,
	       COLUMNS("LID,NodeInfo.NodeType,NodeInfo.NumPorts,NodeInfo.Guid,NodeInfo.PortGuid,NodeDescription")),
	RECORD("PortInfoRecord", "PIR", 0x0012, port_info_record,
	       COLUMNS("EndportLID,PortNum,LinkState,PhysLinkState,LinkWidthActive,LinkSpeedActive,NeighborMTU,SMLid")),
	RECORD("SLtoVLMappingTableRecord", "SL2VLTableRecord,SLVLR", 0x0013, sltovl_record),
	RECORD("SwitchInfoRecord", "SWIR,SIR", 0x0014, switch_info_record,
	       COLUMNS("LID,LinearFdbCap,LinearFdbTop,McastFdbCap,LifeTime,PartEnforceCap,EnhancedPort0")),
	RECORD("LinearForwardingTableRecord", "LFTRecord,LFTR", 0x0015, linear_record),
	RECORD("RandomForwardingTableRecord", "RFTRecord,RFTR", 0x0016, random_record),
	RECORD("MulticastForwardingTableRecord", "MFTRecord,MFTR", 0x0017, multicast_record),
	RECORD("SMInfoRecord", "SMIR", 0x0018, sm_info_record,
	       COLUMNS("LID,SMInfo.Guid,SMInfo.ActCount,SMInfo.Priority,SMInfo.SMState")),
	OPAQUE("LinkSpeedWidthPairsTableRecord", NULL, 0x0019, 200),
	RECORD("LinkRecord", "LR", 0x0020, link_record),
	RECORD("GUIDInfoRecord", "GIR", 0x0030, guid_info_record),
	RECORD("ServiceRecord", "SR", 0x0031, service_record,
	       COLUMNS("ServiceID,ServiceGID,ServiceP_Key,ServiceLease,ServiceName")),
	RECORD("P_KeyTableRecord", "PKeyTableRecord,PKTR", 0x0033, pkey_record),
	RECORD("PathRecord", "PR", 0x0035, path_record,
	       COLUMNS("SGID,DGID,SLID,DLID,SL,P_Key,MTU,Rate")),
	RECORD("VLArbitrationTableRecord", "VLAR", 0x0036, vlarb_record),
	RECORD("MCMemberRecord", "MCMR", 0x0038, mcmember_record,
	       COLUMNS("MGID,PortGID,MLID,P_Key,MTU,Rate,SL,JoinState")),
	RECORD("TraceRecord", "TR", 0x0039, trace_record),
	RECORD("MultiPathRecord", "MPR", 0x003a, multi_path_record),
	RECORD("ServiceAssociationRecord", "SAR", 0x003b, service_association_record),
	OPAQUE("HierarchyInfoRecord", NULL, 0x003c, 200),
	OPAQUE("CableInfoRecord", NULL, 0x003d, 200),
	RECORD("PortInfoExtendedRecord", "PIER", 0x003e, port_info_ext_record),
	RECORD("InformInfoRecord", "IIR", 0x00f3, inform_info_record),
};
