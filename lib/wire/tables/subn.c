/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Subnet management (IBA volume 1, section 14.2.5). Component numbers count from the first field: SA records contain
 * these layouts.
 */
#include "tables.h"

static const struct madkit_field node_description_fields[] = {
	FIELD("NodeDescription", "NodeDesc,NodeString", 0, 512, STRING),
};
static LAYOUT(node_description, "NodeDescription", 64);

static const struct madkit_field node_info_fields[] = {
	FIELD("BaseVers", "BaseVersion", 0, 8, UNSIGNED, COMPONENT(0)),
	FIELD("ClassVers", "ClassVersion", 8, 8, UNSIGNED, COMPONENT(1)),
	FIELD("NodeType", NULL, 16, 8, ENUM, VALUES(node_type), COMPONENT(2)),
	FIELD("NumPorts", NULL, 24, 8, UNSIGNED, COMPONENT(3)),
	FIELD("SystemGuid", "SystemImageGUID", 32, 64, GUID, COMPONENT(4)),
	FIELD("Guid", "NodeGUID", 96, 64, GUID, COMPONENT(5)),
	FIELD("PortGuid", NULL, 160, 64, GUID, COMPONENT(6)),
	FIELD("PartCap", "PartitionCap", 224, 16, UNSIGNED, COMPONENT(7)),
	FIELD("DevId", "DeviceID", 240, 16, HEX, COMPONENT(8)),
	FIELD("Revision", NULL, 256, 32, HEX, COMPONENT(9)),
	FIELD("LocalPort", "LocalPortNum", 288, 8, UNSIGNED, COMPONENT(10)),
	FIELD("VendorId", NULL, 296, 24, HEX, COMPONENT(11)),
};
LAYOUT(node_info, "NodeInfo", 40);

static const struct madkit_field switch_info_fields[] = {
	FIELD("LinearFdbCap", NULL, 0, 16, UNSIGNED, COMPONENT(0)),
	FIELD("RandomFdbCap", NULL, 16, 16, UNSIGNED, COMPONENT(1)),
	FIELD("McastFdbCap", "MulticastFDBCap", 32, 16, UNSIGNED, COMPONENT(2)),
	FIELD("LinearFdbTop", NULL, 48, 16, UNSIGNED, COMPONENT(3)),
	FIELD("DefPort", "DefaultPort", 64, 8, UNSIGNED, COMPONENT(4)),
	FIELD("DefMcastPrimPort", "DefaultMulticastPrimaryPort", 72, 8, UNSIGNED, COMPONENT(5)),
	FIELD("DefMcastNotPrimPort", "DefaultMulticastNotPrimaryPort", 80, 8, UNSIGNED, COMPONENT(6)),
	FIELD("LifeTime", "LifeTimeValue", 88, 5, UNSIGNED, COMPONENT(7)),
	FIELD("StateChange", "PortStateChange", 93, 1, UNSIGNED, COMPONENT(8)),
	FIELD("OptSLtoVLMapping", "OptimizedSLtoVLMappingProgramming", 94, 2, UNSIGNED, COMPONENT(9)),
	FIELD("LidsPerPort", NULL, 96, 16, UNSIGNED, COMPONENT(10)),
	FIELD("PartEnforceCap", "PartitionEnforcementCap", 112, 16, UNSIGNED, COMPONENT(11)),
	FIELD("InboundPartEnf", "InboundEnforcementCap", 128, 1, UNSIGNED, COMPONENT(12)),
	FIELD("OutboundPartEnf", "OutboundEnforcementCap", 129, 1, UNSIGNED, COMPONENT(13)),
	FIELD("FilterRawInbound", "FilterRawInboundCap", 130, 1, UNSIGNED, COMPONENT(14)),
	FIELD("FilterRawOutbound", "FilterRawOutboundCap", 131, 1, UNSIGNED, COMPONENT(15)),
	FIELD("EnhancedPort0", NULL, 132, 1, UNSIGNED, COMPONENT(16)),
	RESERVED("Reserved", 133, 11),
	/* named later, in bits that were reserved: no public source assigns a component number */
	FIELD("MulticastFDBTop", NULL, 144, 16, HEX),
};
LAYOUT(switch_info, "SwitchInfo", 20);

static const struct madkit_field guid_info_fields[] = {
	FIELD("GUID", NULL, 0, 64, GUID, ARRAY(8), ROWS, COMPONENT(0)),
};
LAYOUT(guid_info, "GUIDInfo", 64);

static const struct madkit_field port_info_fields[] = {
	FIELD("Mkey", "M_Key", 0, 64, KEY, COMPONENT(0)),
	FIELD("GidPrefix", NULL, 64, 64, HEX, COMPONENT(1)),
	FIELD("Lid", NULL, 128, 16, LID, COMPONENT(2)),
	FIELD("SMLid", "MasterSMLID", 144, 16, LID, COMPONENT(3)),
	FIELD("CapMask", "CapabilityMask", 160, 32, BITS, VALUES(cap_mask), COMPONENT(4)),
	FIELD("DiagCode", NULL, 192, 16, HEX, COMPONENT(5)),
	FIELD("MkeyLeasePeriod", "M_KeyLeasePeriod", 208, 16, UNSIGNED, COMPONENT(6)),
	FIELD("LocalPort", "LocalPortNum", 224, 8, UNSIGNED, COMPONENT(7)),
	FIELD("LinkWidthEnabled", NULL, 232, 8, BITS, ALTERNATIVES, VALUES(link_width), COMPONENT(8)),
	FIELD("LinkWidthSupported", NULL, 240, 8, BITS, ALTERNATIVES, VALUES(link_width), COMPONENT(9)),
	FIELD("LinkWidthActive", NULL, 248, 8, ENUM, VALUES(link_width_active), COMPONENT(10)),
	FIELD("LinkSpeedSupported", NULL, 256, 4, BITS, ALTERNATIVES, VALUES(link_speed), COMPONENT(11)),
	FIELD("LinkState", "PortState", 260, 4, ENUM, VALUES(port_state), COMPONENT(12)),
	FIELD("PhysLinkState", "PortPhysicalState", 264, 4, ENUM, VALUES(phys_state), COMPONENT(13)),
	FIELD("LinkDownDefState", "LinkDownDefaultState", 268, 4, ENUM, VALUES(link_down_default), COMPONENT(14)),
	FIELD("ProtectBits", "M_KeyProtectBits", 272, 2, UNSIGNED, COMPONENT(15)),
	RESERVED("Reserved", 274, 3, COMPONENT(16)),
	FIELD("LMC", NULL, 277, 3, UNSIGNED, COMPONENT(17)),
	FIELD("LinkSpeedActive", NULL, 280, 4, ENUM, VALUES(link_speed_active), COMPONENT(18)),
	FIELD("LinkSpeedEnabled", NULL, 284, 4, BITS, ALTERNATIVES, VALUES(link_speed), COMPONENT(19)),
	FIELD("NeighborMTU", NULL, 288, 4, ENUM, VALUES(mtu), COMPONENT(20)),
	FIELD("SMSL", "MasterSMSL", 292, 4, UNSIGNED, COMPONENT(21)),
	FIELD("VLCap", NULL, 296, 4, ENUM, VALUES(vl_cap), COMPONENT(22)),
	FIELD("InitType", NULL, 300, 4, HEX, COMPONENT(23)),
	FIELD("VLHighLimit", NULL, 304, 8, UNSIGNED, COMPONENT(24)),
	FIELD("VLArbHighCap", "VLArbitrationHighCap", 312, 8, UNSIGNED, COMPONENT(25)),
	FIELD("VLArbLowCap", "VLArbitrationLowCap", 320, 8, UNSIGNED, COMPONENT(26)),
	FIELD("InitReply", "InitTypeReply", 328, 4, HEX, COMPONENT(27)),
	FIELD("MtuCap", NULL, 332, 4, ENUM, VALUES(mtu), COMPONENT(28)),
	FIELD("VLStallCount", NULL, 336, 3, UNSIGNED, COMPONENT(29)),
	FIELD("HoqLife", NULL, 339, 5, UNSIGNED, COMPONENT(30)),
	FIELD("OperVLs", "OperationalVLs", 344, 4, ENUM, VALUES(oper_vls), COMPONENT(31)),
	FIELD("PartEnforceInb", "PartitionEnforcementInbound", 348, 1, UNSIGNED, COMPONENT(32)),
	FIELD("PartEnforceOutb", "PartitionEnforcementOutbound", 349, 1, UNSIGNED, COMPONENT(33)),
	FIELD("FilterRawInb", "FilterRawInbound", 350, 1, UNSIGNED, COMPONENT(34)),
	FIELD("FilterRawOutb", "FilterRawOutbound", 351, 1, UNSIGNED, COMPONENT(35)),
	FIELD("MkeyViolations", "M_KeyViolations", 352, 16, UNSIGNED, COMPONENT(36)),
	FIELD("PkeyViolations", "P_KeyViolations", 368, 16, UNSIGNED, COMPONENT(37)),
	FIELD("QkeyViolations", "Q_KeyViolations", 384, 16, UNSIGNED, COMPONENT(38)),
	FIELD("GuidCap", NULL, 400, 8, UNSIGNED, COMPONENT(39)),
	FIELD("ClientReregister", NULL, 408, 1, UNSIGNED, COMPONENT(40)),
	FIELD("McastPkeyTrapSuppressionEnabled", "MulticastPKeyTrapSuppressionEnabled", 409, 2, UNSIGNED, COMPONENT(41)),
	FIELD("SubnetTimeout", NULL, 411, 5, UNSIGNED, COMPONENT(42)),
	RESERVED("Reserved2", 416, 3, COMPONENT(43)),
	FIELD("RespTimeVal", "RespTimeValue", 419, 5, UNSIGNED, COMPONENT(44)),
	FIELD("LocalPhysErr", "LocalPhyErrors", 424, 4, UNSIGNED, COMPONENT(45)),
	FIELD("OverrunErr", "OverrunErrors", 428, 4, UNSIGNED, COMPONENT(46)),
	FIELD("MaxCreditHint", NULL, 432, 16, UNSIGNED, COMPONENT(47)),
	RESERVED("Reserved3", 448, 1, COMPONENT(48)),
	FIELD("RoundTrip", "LinkRoundTripLatency", 456, 24, UNSIGNED, COMPONENT(49)),
	FIELD("CapabilityMask2", "CapMask2", 480, 16, BITS, VALUES(cap_mask2), COMPONENT(50)),
	FIELD("LinkSpeedExtActive", NULL, 496, 4, ENUM, VALUES(link_speed_ext_active), COMPONENT(51)),
	FIELD("LinkSpeedExtSupported", NULL, 500, 4, BITS, ALTERNATIVES, VALUES(link_speed_ext), COMPONENT(52)),
	RESERVED("Reserved4", 504, 3, COMPONENT(53)),
	FIELD("LinkSpeedExtEnabled", NULL, 507, 5, BITS, ALTERNATIVES, VALUES(link_speed_ext_enabled), COMPONENT(54)),
	/* newer than libibmad 44, which dumps them last; no public source assigns component numbers */
	FIELD("LinkSpeedExtActive2", NULL, 449, 2, ENUM, VALUES(link_speed_ext2_active)),
	FIELD("LinkSpeedExtSupported2", NULL, 451, 2, BITS, ALTERNATIVES, VALUES(link_speed_ext2)),
	FIELD("LinkSpeedExtEnabled2", NULL, 453, 3, BITS, ALTERNATIVES, VALUES(link_speed_ext2)),
};
/* a link at FDR10 has the value of QDR */
static const char *const port_info_effective[] = { "LinkSpeedActive", "LinkSpeedExtActive", "LinkSpeedExtActive2" };
LAYOUT_EFFECTIVE(port_info, "PortInfo", 64);

static const struct madkit_field pkey_table_fields[] = {
	FIELD("PKey", "P_Key", 0, 16, HEX, ARRAY(32), ROWS),
};
LAYOUT(pkey_table, "P_KeyTable", 64);

static const struct madkit_field sltovl_table_fields[] = {
	FIELD("SLtoVL", "SLToVLMap", 0, 4, UNSIGNED, ARRAY(16), ROWS),
};
LAYOUT(sltovl_table, "SLtoVLMappingTable", 8);

static const struct madkit_field vlarb_block_fields[] = {
	RESERVED("Reserved", 0, 4),
	FIELD("VL", NULL, 4, 4, UNSIGNED),
	FIELD("Weight", NULL, 8, 8, UNSIGNED),
};
static LAYOUT(vlarb_block, "Block", 2);

static const struct madkit_field vlarb_table_fields[] = {
	FIELD("Block", "VLArbTbl", 0, 16, STRUCT, ARRAY(32), ROWS, SUB(vlarb_block)),
};
LAYOUT(vlarb_table, "VLArbitrationTable", 64);

static const struct madkit_field linear_table_fields[] = {
	FIELD("Port", "LinearForwTbl", 0, 8, UNSIGNED, ARRAY(64), ROWS),
};
LAYOUT(linear_table, "LinearForwardingTable", 64);

static const struct madkit_field random_block_fields[] = {
	FIELD("LID", NULL, 0, 16, LID),
	FIELD("Valid", NULL, 16, 1, UNSIGNED),
	FIELD("LMC", NULL, 17, 3, UNSIGNED),
	RESERVED("Reserved", 20, 4),
	FIELD("Port", NULL, 24, 8, UNSIGNED),
};
static LAYOUT(random_block, "Block", 4);

static const struct madkit_field random_table_fields[] = {
	FIELD("Block", "LIDPortBlock", 0, 32, STRUCT, ARRAY(16), SUB(random_block)),
};
LAYOUT(random_table, "RandomForwardingTable", 64);

static const struct madkit_field multicast_table_fields[] = {
	FIELD("PortMask", "MulticastForwTbl", 0, 16, HEX, ARRAY(32), ROWS),
};
LAYOUT(multicast_table, "MulticastForwardingTable", 64);

static const struct madkit_field sm_info_fields[] = {
	FIELD("GUID", "SmInfoGuid", 0, 64, GUID, COMPONENT(0)),
	FIELD("SM_Key", "SmInfoKey", 64, 64, KEY, COMPONENT(1)),
	FIELD("ActCount", "SmActivity", 128, 32, UNSIGNED, COMPONENT(2)),
	FIELD("Priority", "SmPriority", 160, 4, UNSIGNED, COMPONENT(3)),
	FIELD("SMState", NULL, 164, 4, ENUM, VALUES(sm_state), COMPONENT(4)),
	RESERVED("Reserved", 168, 24),
};
LAYOUT(sm_info, "SMInfo", 24);

static const struct madkit_field led_info_fields[] = {
	FIELD("LedMask", NULL, 0, 1, UNSIGNED),
	RESERVED("Reserved", 1, 31),
};
static LAYOUT(led_info, "LedInfo", 4);

static const struct madkit_field port_info_ext_fields[] = {
	FIELD("CapMask", "CapabilityMask", 0, 32, BITS, VALUES(port_ext_cap_mask)),
	FIELD("FECModeActive", NULL, 32, 16, ENUM, VALUES(fec_mode)),
	FIELD("FDRFECModeSupported", NULL, 48, 16, HEX),
	FIELD("FDRFECModeEnabled", NULL, 64, 16, HEX),
	FIELD("EDRFECModeSupported", NULL, 80, 16, HEX),
	FIELD("EDRFECModeEnabled", NULL, 96, 16, HEX),
	FIELD("HDRFECModeSupported", NULL, 112, 16, HEX),
	FIELD("HDRFECModeEnabled", NULL, 128, 16, HEX),
	FIELD("NDRFECModeSupported", NULL, 144, 16, HEX),
	FIELD("NDRFECModeEnabled", NULL, 160, 16, HEX),
	RESERVED("Reserved", 176, 336),
};
LAYOUT(port_info_ext, "PortInfoExtended", 64);

/* Mellanox's: libibmad and ib_types.h name the same octets. */
static const struct madkit_field mlnx_ext_port_info_fields[] = {
	RESERVED("Reserved", 0, 24),
	FIELD("StateChangeEnable", NULL, 24, 8, HEX),
	RESERVED("Reserved2", 32, 24),
	FIELD("LinkSpeedSupported", NULL, 56, 8, HEX),
	RESERVED("Reserved3", 64, 24),
	FIELD("LinkSpeedEnabled", NULL, 88, 8, HEX),
	RESERVED("Reserved4", 96, 24),
	FIELD("LinkSpeedActive", NULL, 120, 8, HEX),
	RESERVED("Reserved5", 128, 384),
};
static LAYOUT(mlnx_ext_port_info, "MlnxExtendedPortInfo", 64);

/* Wireshark's fields; of the octets with speeds, it shows only the top bit. */
static const struct madkit_field link_speed_width_fields[] = {
	FIELD("NumTables", NULL, 0, 8, UNSIGNED),
	FIELD("PortMask", NULL, 8, 256, BYTES),
	FIELD("Speed2_5Gbps", "SpeedTwoFive", 264, 8, HEX),
	FIELD("Speed5Gbps", "SpeedFive", 272, 8, HEX),
	FIELD("Speed10Gbps", "SpeedTen", 280, 8, HEX),
};
static LAYOUT(link_speed_width, "LinkSpeedWidthPairsTable", 36);

/* Wireshark's fields */
static const struct madkit_field vendor_diag_fields[] = {
	FIELD("NextIndex", NULL, 0, 16, UNSIGNED),
	FIELD("DiagData", NULL, 16, 496, BYTES),
};
static LAYOUT(vendor_diag, "VendorDiag", 64);

/* ---- Mellanox's, as in mstflint ------------------------------------------- */

/* mtcr_ib_ofed.c; the modifier is that of ConfigSpaceAccess in mlnx.c */
#define CONFIG_SPACE FIELD("Key", "M_Key", 0, 64, KEY)

static const struct madkit_field mlnx_config_space_fields[] = {
	CONFIG_SPACE,
	FIELD("Dword", NULL, 64, 32, HEX, ARRAY(14), ROWS),
};
static LAYOUT(mlnx_config_space, "MlnxConfigSpaceAccess", 64);

static const struct madkit_field mlnx_config_space_records_fields[] = {
	CONFIG_SPACE,
	FIELD("Record", NULL, 64, 96, STRUCT, ARRAY(4), SUB(mlnx_config_record)),
	RESERVED("Reserved", 448, 64),
};
static LAYOUT(mlnx_config_space_records, "MlnxConfigSpaceRecords", 64);

/* packets_layout.c: the TLV of the operation, and the TLV of the register */
static const struct madkit_field mlnx_register_access_fields[] = {
	FIELD("Type", NULL, 0, 5, ENUM, VALUES(mlnx_tlv)),
	FIELD("Len", NULL, 5, 11, UNSIGNED),
	FIELD("DR", NULL, 16, 1, UNSIGNED),
	FIELD("Status", NULL, 17, 7, UNSIGNED),
	RESERVED("Reserved", 24, 8),
	FIELD("RegisterID", NULL, 32, 16, HEX),
	FIELD("R", NULL, 48, 1, UNSIGNED),
	FIELD("Method", NULL, 49, 7, ENUM, VALUES(mlnx_register_method)),
	FIELD("Class", NULL, 56, 8, UNSIGNED),
	FIELD("TID", NULL, 64, 64, HEX),
	FIELD("RegisterType", NULL, 128, 5, ENUM, VALUES(mlnx_tlv)),
	FIELD("RegisterLen", NULL, 133, 11, UNSIGNED),
	RESERVED("Reserved2", 144, 16),
	FIELD("Data", NULL, 160, 352, BYTES),
};
static LAYOUT(mlnx_register_access, "MlnxRegisterAccess", 64);

/* mtcr_ib_res_mgt.c */
static const struct madkit_field mlnx_semaphore_fields[] = {
	FIELD("IsLease", NULL, 0, 1, UNSIGNED),
	RESERVED("Reserved", 1, 7),
	FIELD("LeaseTimeExponent", NULL, 8, 8, UNSIGNED),
	RESERVED("Reserved2", 16, 8),
	FIELD("MaxSemaphoreAddr", NULL, 24, 8, UNSIGNED),
	RESERVED("Reserved3", 32, 14),
	FIELD("Op", NULL, 46, 2, ENUM, VALUES(mlnx_semaphore_op)),
	FIELD("SemaphoreAddr", NULL, 48, 16, HEX),
	FIELD("LockKey", NULL, 64, 32, HEX),
	RESERVED("Reserved4", 96, 416),
};
static LAYOUT(mlnx_semaphore, "MlnxSemaphoreLock", 64);

/* ---- the ports and blocks of a node ----------------------------------------------- */

static const struct madkit_instances guid_info_instances = {
	.blocks = { { .entries = 8, .own = { "PortInfo", "GuidCap", NULL, 0 } } },
};
static const struct madkit_instances port_info_instances = {
	.ports = MADKIT_INSTANCES_SWITCH_PORTS | MADKIT_INSTANCES_PORT0 | MADKIT_INSTANCES_CA_PORTS,
};
static const struct madkit_instances pkey_table_instances = {
	.ports = MADKIT_INSTANCES_SWITCH_PORTS | MADKIT_INSTANCES_PORT0,
	.port_shift = 16,
	.blocks = { { .entries = 32, .own = { "NodeInfo", "PartCap", NULL, 0 },
		      .external = { "SwitchInfo", "PartEnforceCap", NULL, 0 } } },
};
static const struct madkit_instances sltovl_table_instances = {
	.ports = MADKIT_INSTANCES_SWITCH_PORTS | MADKIT_INSTANCES_ENHANCED_PORT0 | MADKIT_INSTANCES_INPUT_PORTS,
	.input_shift = 8,
};
/* blocks 1 and 2 have low priority, 3 and 4 high priority */
static const struct madkit_instances vlarb_table_instances = {
	.ports = MADKIT_INSTANCES_SWITCH_PORTS | MADKIT_INSTANCES_ENHANCED_PORT0,
	.block_shift = 16,
	.blocks = { { .first = 1, .entries = 32, .own = { "PortInfo", "VLArbLowCap", NULL, 0 } },
		    { .first = 3, .entries = 32, .own = { "PortInfo", "VLArbHighCap", NULL, 0 } } },
};
static const struct madkit_instances linear_table_instances = {
	.blocks = { { .entries = 64, .own = { "SwitchInfo", "LinearFdbTop", NULL, 1 } } },
};
static const struct madkit_instances random_table_instances = {
	.blocks = { { .entries = 16, .own = { "SwitchInfo", "RandomFdbCap", NULL, 0 } } },
};
/* MulticastFDBTop is a LID; some switches do not have it */
static const struct madkit_instances multicast_table_instances = {
	.position_shift = 28,
	.position = 16,
	.blocks = { { .entries = 32, .own = { "SwitchInfo", "MulticastFDBTop", "McastFdbCap", 1 - 0xc000 } } },
};

/* No public source has the layout of the attributes that are OPAQUE. Bit 31 of PortInfo's modifier requests extended
 * speeds (IBA volume 1, section 14.2.5.6): a node that does not support it may return it as 0. */
const struct madkit_attribute madkit_attributes_subn[] = {
	ATTRIBUTE("Notice", NULL, 0x0002, 64, notice_smp, EDITIONS(notice_smp)),
	ATTRIBUTE("NodeDescription", "NodeDesc,ND", 0x0010, 64, node_description),
	ATTRIBUTE("NodeInfo", "NI", 0x0011, 40, node_info,
		  COLUMNS("NodeType,NumPorts,SystemGuid,Guid,PortGuid,DevId,VendorId,LocalPort")),
	ATTRIBUTE("SwitchInfo", "SI", 0x0012, 20, switch_info),
	ATTRIBUTE("GUIDInfo", "GI", 0x0014, 64, guid_info, SELECTS("block"),
		  INSTANCES(guid_info)),
	ATTRIBUTE("PortInfo", "PI", 0x0015, 64, port_info, SELECTS_BY(0x7fffffff, "port"),
		  INSTANCES(port_info),
		  COLUMNS("LinkState,PhysLinkState,Lid,SMLid,LinkWidthActive,LinkSpeedActive,NeighborMTU")),
	ATTRIBUTE("P_KeyTable", "PKeyTable,PKeys", 0x0016, 64, pkey_table, SELECTS("port << 16 | block"),
		  INSTANCES(pkey_table)),
	ATTRIBUTE("SLtoVLMappingTable", "SL2VLTable,SL2VL", 0x0017, 8, sltovl_table, SELECTS("input port << 8 | output port"),
		  INSTANCES(sltovl_table)),
	ATTRIBUTE("VLArbitrationTable", "VLArbitration,VLArb", 0x0018, 64, vlarb_table, SELECTS("block << 16 | port"),
		  INSTANCES(vlarb_table)),
	ATTRIBUTE("LinearForwardingTable", "LFT", 0x0019, 64, linear_table, SELECTS("block"),
		  INSTANCES(linear_table)),
	ATTRIBUTE("RandomForwardingTable", "RFT", 0x001a, 64, random_table, SELECTS("block"),
		  INSTANCES(random_table)),
	ATTRIBUTE("MulticastForwardingTable", "MFT", 0x001b, 64, multicast_table, SELECTS("position << 28 | block"),
		  INSTANCES(multicast_table)),
	ATTRIBUTE("LinkSpeedWidthPairsTable", NULL, 0x001c, 36, link_speed_width),
	OPAQUE("VendorSpecificMadsTable", NULL, 0x001d, 64),
	OPAQUE("HierarchyInfo", NULL, 0x001e, 64),
	ATTRIBUTE("SMInfo", "SMI", 0x0020, 24, sm_info, MODIFIER("state transition")),
	ATTRIBUTE("VendorDiag", NULL, 0x0030, 64, vendor_diag, SELECTS("index")),
	ATTRIBUTE("LedInfo", NULL, 0x0031, 4, led_info),
	OPAQUE("CableInfo", NULL, 0x0032, 64),
	ATTRIBUTE("PortInfoExtended", "PIE", 0x0033, 64, port_info_ext, SELECTS("port"),
		  INSTANCES(port_info)),
	ATTRIBUTE("MlnxConfigSpaceAccess", NULL, 0xff50, 64, mlnx_config_space,
		  MODIFIER("address 23-16 << 24 | dwords << 16 | address 15-0"),
		  CHOSEN(0x00c00000, 0)),
	ATTRIBUTE("MlnxConfigSpaceRecords", NULL, 0xff50, 64, mlnx_config_space_records,
		  MODIFIER("2 << 22 | records << 16"), CHOSEN(0x00c00000, 0x00800000)),
	ATTRIBUTE("MlnxRegisterAccess", NULL, 0xff52, 64, mlnx_register_access),
	ATTRIBUTE("MlnxSemaphoreLock", NULL, 0xff53, 64, mlnx_semaphore),
	ATTRIBUTE("MlnxExtendedPortInfo", "MlnxExtPortInfo,MEPI", 0xff90, 64, mlnx_ext_port_info, SELECTS("port"),
		  INSTANCES(port_info)),
};
