/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Registers of Mellanox's devices, as AccessRegisterGMP carries them (Mlnx, attribute 0x0051): MAD byte 32 has the
 * number of the block, and the register begins at byte 36. Offsets are those of mstflint's adb files; FROM() has the
 * letters of the other sources with the same offset and width: L the kernel's mlx5_ifc.h, S its mlxsw/reg.h, F
 * FreeBSD's mlx5_ifc.h, T a public program that reads these pages. FROM(""): mstflint alone.
 *
 * What clears, resets or changes something on a Get has no name here, so that it is sent as 0.
 */
#include "tables.h"

/* bits from the start of the register */
#define REG(n)	(32 + (n))

#define BLOCK \
	FIELD("Block", NULL, 0, 16, UNSIGNED, SELECTOR), \
	RESERVED("ReservedBlock", 16, 16)

/* a block of a register that has more than one, if it is not the first */
static const struct madkit_field register_block_fields[] = {
	BLOCK,
	FIELD("Data", NULL, REG(0), 1760, BYTES),
};
static LAYOUT(register_block, "Block of a register", 224);

const struct madkit_edition madkit_editions_register[] = {
	{ .mask = 0xffff000000000000, .first = 0x0001000000000000, .last = 0xffff000000000000,
	  .layout = &madkit_layout_register_block },
};

/* ---- PDDR: a port, page by page -------------------------------------------------------- */

#define PDDR_INDEX \
	BLOCK, \
	RESERVED("ReservedIndex", REG(0), 6), \
	FIELD("ModuleIndexType", "module_ind_type", REG(6), 2, UNSIGNED, FROM("")), \
	FIELD("PortSelect", "local_port", REG(8), 8, UNSIGNED, INDEX, FROM("LS")), \
	FIELD("PortNumbering", "pnat", REG(16), 2, ENUM, VALUES(pnat), FROM("L")), \
	FIELD("PortSelectMsb", "lp_msb", REG(18), 2, UNSIGNED, INDEX, FROM("S")), \
	FIELD("Plane", "plane_ind", REG(20), 4, UNSIGNED, INDEX, FROM("")), \
	FIELD("PortType", "port_type", REG(24), 4, UNSIGNED, FROM(""))

static const struct madkit_field phy_operation_fields[] = {
	PDDR_INDEX,
	RESERVED("Reserved", REG(28), 28),
	FIELD("PageSelect", "page_select", REG(56), 8, UNSIGNED, INDEX, FROM("LS")),
	RESERVED("Reserved2", REG(64), 8),
	FIELD("Protocol", "proto_active", REG(72), 4, ENUM, VALUES(pddr_protocol), FROM("T")),
	FIELD("Negotiation", "neg_mode_active", REG(76), 4, ENUM, VALUES(pddr_negotiation), FROM("T")),
	RESERVED("Reserved3", REG(80), 16),
	FIELD("PhyManagerState", "phy_mngr_fsm_state", REG(96), 8, ENUM, VALUES(phy_manager_state), FROM("T")),
	RESERVED("Reserved4", REG(104), 8),
	FIELD("IBPhyState", "ib_phy_fsm_state", REG(112), 8, ENUM, VALUES(ib_phy_state), FROM("T")),
	RESERVED("Reserved5", REG(120), 8),
	FIELD("WidthEnabledByManager", NULL, REG(128), 16, BITS, VALUES(register_width), FROM("T")),
	FIELD("SpeedEnabledByManager", NULL, REG(144), 16, BITS, VALUES(register_speed), FROM("T")),
	FIELD("WidthEnabledByCore", NULL, REG(160), 16, BITS, VALUES(register_width), FROM("T")),
	FIELD("SpeedEnabledByCore", NULL, REG(176), 16, BITS, VALUES(register_speed), FROM("T")),
	FIELD("WidthOfCable", "cable_link_width_cap", REG(192), 16, BITS, VALUES(register_width), FROM("T")),
	FIELD("SpeedOfCable", "cable_link_speed_cap", REG(208), 16, BITS, VALUES(register_speed), FROM("T")),
	FIELD("WidthActive", "link_width_active", REG(224), 16, BITS, VALUES(register_width), FROM("T")),
	FIELD("SpeedActive", "link_speed_active", REG(240), 16, BITS, VALUES(register_speed), FROM("T")),
	RESERVED("Reserved6", REG(256), 20),
	FIELD("LoopbackMode", "loopback_mode", REG(276), 12, HEX, FROM("T")),
	FIELD("FECActive", "fec_mode_active", REG(288), 16, ENUM, VALUES(fec), FROM("T")),
	FIELD("FECRequest", "fec_mode_request", REG(304), 16, HEX, FROM("T")),
	RESERVED("Reserved7", REG(320), 220),
	FIELD("LinkHealth", "link_health", REG(540), 4, ENUM, VALUES(link_health), FROM("")),
	RESERVED("Reserved8", REG(544), 1216),
};
LAYOUT(phy_operation, "PhyOperation", 224);

/* what one block and both have alike */
#define LINK_DIAGNOSIS \
	PDDR_INDEX, \
	RESERVED("Reserved", REG(28), 28), \
	FIELD("PageSelect", "page_select", REG(56), 8, UNSIGNED, INDEX, FROM("LS")), \
	RESERVED("Reserved2", REG(64), 16), \
	FIELD("GroupOpcode", "group_opcode", REG(80), 16, ENUM, VALUES(pddr_group), FROM("LS")), \
	RESERVED("Reserved3", REG(96), 16), \
	FIELD("Diagnosis", "status_opcode,monitor_opcode,StatusOpcode", REG(112), 16, ENUM, VALUES(link_diagnosis), FROM("LS")), \
	RESERVED("Reserved4", REG(128), 32)

static const struct madkit_field link_diagnosis_fields[] = {
	LINK_DIAGNOSIS,
	FIELD("Message", "status_message,Recommendation", REG(160), 1600, STRING, FROM("L")),
};
LAYOUT(link_diagnosis, "LinkDiagnosis", 224);

static const struct madkit_field link_diagnosis_joined_fields[] = {
	LINK_DIAGNOSIS,
	FIELD("Message", "status_message,Recommendation", REG(160), 1888, STRING, FROM("L")),
};
LAYOUT(link_diagnosis_joined, "LinkDiagnosis of two blocks", 260);

static const struct madkit_field module_info_fields[] = {
	PDDR_INDEX,
	RESERVED("Reserved", REG(28), 5),
	FIELD("PowerUnit", "module_info_ext", REG(33), 2, ENUM, VALUES(power_unit), FROM("")),
	RESERVED("Reserved2", REG(35), 21),
	FIELD("PageSelect", "page_select", REG(56), 8, UNSIGNED, INDEX, FROM("LS")),
	FIELD("CableTechnology", "cable_technology", REG(64), 8, ENUM, VALUES(cable_technology), FROM("T")),
	RESERVED("Reserved3", REG(72), 24),
	FIELD("CableType", "cable_type", REG(96), 4, ENUM, VALUES(cable_type), FROM("")),
	FIELD("CableVendor", "cable_vendor", REG(100), 4, ENUM, VALUES(cable_vendor), FROM("")),
	FIELD("CableLength", "cable_length,TransferDistance", REG(104), 8, SCALED, UNIT(cable_length), FROM("T")),
	FIELD("CableIdentifier", "cable_identifier,Identifier", REG(112), 8, ENUM, VALUES(cable_identifier), FROM("T")),
	FIELD("PowerClass", "cable_power_class", REG(120), 8, UNSIGNED, FROM("T")),
	FIELD("MaxPower", "max_power", REG(128), 8, SCALED, UNIT(quarter_watts), FROM("")),
	RESERVED("Reserved4", REG(136), 24),
	FIELD("Attenuation25G", "cable_attenuation_25g", REG(160), 8, SCALED, UNIT(decibels), FROM("")),
	FIELD("Attenuation12G", "cable_attenuation_12g", REG(168), 8, SCALED, UNIT(decibels), FROM("T")),
	FIELD("Attenuation7G", "cable_attenuation_7g", REG(176), 8, SCALED, UNIT(decibels), FROM("T")),
	FIELD("Attenuation5G", "cable_attenuation_5g", REG(184), 8, SCALED, UNIT(decibels), FROM("T")),
	RESERVED("Reserved5", REG(192), 32),
	FIELD("VendorName", "vendor_name", REG(224), 128, STRING, BLANKS, FROM("T")),
	FIELD("VendorPartNumber", "vendor_pn", REG(352), 128, STRING, BLANKS, FROM("T")),
	FIELD("VendorRev", "vendor_rev,Rev", REG(480), 32, STRING, BLANKS, FROM("T")),
	FIELD("FirmwareVersion", "fw_version,FWVersion", REG(512), 32, HEX, FROM("")),
	FIELD("VendorSerialNumber", "vendor_sn", REG(544), 128, STRING, BLANKS, FROM("T")),
	FIELD("Temperature", NULL, REG(672), 16, SCALED, UNIT(celsius256), FROM("T")),
	FIELD("Voltage", NULL, REG(688), 16, SCALED, UNIT(volts10000), FROM("T")),
	FIELD("RxPower", "rx_power_lane,RxPowerCurrent", REG(704), 16, SCALED, ARRAY(8), UNIT(optical_power), FROM("T")),
	FIELD("TxPower", "tx_power_lane,TxPowerCurrent", REG(832), 16, SCALED, ARRAY(8), UNIT(optical_power), FROM("T")),
	FIELD("TxBias", "tx_bias_lane,BiasCurrent", REG(960), 16, SCALED, ARRAY(8), UNIT(tx_bias), FROM("T")),
	FIELD("TemperatureHigh", "temperature_high_th", REG(1088), 16, SCALED, UNIT(celsius256), FROM("T")),
	FIELD("TemperatureLow", "temperature_low_th", REG(1104), 16, SCALED, UNIT(celsius256), FROM("T")),
	FIELD("VoltageHigh", "voltage_high_th", REG(1120), 16, SCALED, UNIT(volts10000), FROM("T")),
	FIELD("VoltageLow", "voltage_low_th", REG(1136), 16, SCALED, UNIT(volts10000), FROM("T")),
	FIELD("RxPowerHigh", "rx_power_high_th", REG(1152), 16, SCALED, UNIT(optical_power), FROM("T")),
	FIELD("RxPowerLow", "rx_power_low_th", REG(1168), 16, SCALED, UNIT(optical_power), FROM("T")),
	FIELD("TxPowerHigh", "tx_power_high_th", REG(1184), 16, SCALED, UNIT(optical_power), FROM("T")),
	FIELD("TxPowerLow", "tx_power_low_th", REG(1200), 16, SCALED, UNIT(optical_power), FROM("T")),
	FIELD("TxBiasHigh", "tx_bias_high_th", REG(1216), 16, SCALED, UNIT(tx_bias), FROM("")),
	FIELD("TxBiasLow", "tx_bias_low_th", REG(1232), 16, SCALED, UNIT(tx_bias), FROM("")),
	FIELD("ModuleStatus", "module_st", REG(1248), 3, ENUM, VALUES(module_st), FROM("")),
	FIELD("RxPowerType", "rx_power_type", REG(1251), 1, ENUM, VALUES(rx_power_type), FROM("")),
	RESERVED("Reserved6", REG(1252), 12),
	FIELD("Wavelength", NULL, REG(1264), 16, SCALED, UNIT(nanometres), FROM("")),
	RESERVED("Reserved7", REG(1280), 20),
	FIELD("TxBiasScale", "tx_bias_scaling_factor", REG(1300), 2, UNSIGNED, FROM("")),
	RESERVED("Reserved8", REG(1302), 26),
	FIELD("Monitored", "monitor_cap_mask", REG(1328), 8, BITS, VALUES(module_monitor), FROM("")),
	RESERVED("Reserved9", REG(1336), 136),
	FIELD("DateCode", "date_code", REG(1472), 64, STRING, BLANKS, FROM("")),
	RESERVED("Reserved10", REG(1536), 8),
	FIELD("VendorOUI", "vendor_oui,OUI", REG(1544), 24, HEX, FROM("")),
	RESERVED("Reserved11", REG(1568), 192),
};
LAYOUT(module_info, "ModuleInfo", 224);

static const struct madkit_field link_down_info_fields[] = {
	PDDR_INDEX,
	RESERVED("Reserved", REG(28), 28),
	FIELD("PageSelect", "page_select", REG(56), 8, UNSIGNED, INDEX, FROM("LS")),
	RESERVED("Reserved2", REG(64), 24),
	FIELD("DownIntent", "down_intent", REG(88), 4, ENUM, VALUES(down_intent), FROM("")),
	FIELD("DownBlame", "down_blame", REG(92), 4, ENUM, VALUES(down_blame), FROM("")),
	RESERVED("Reserved3", REG(96), 8),
	FIELD("RecoveryReason", "recovery_entry_reason", REG(104), 8, ENUM, VALUES(link_down_reason), FROM("")),
	RESERVED("Reserved4", REG(112), 8),
	FIELD("LocalReason", "local_reason_opcode", REG(120), 8, ENUM, VALUES(link_down_reason), FROM("")),
	RESERVED("Reserved5", REG(128), 24),
	FIELD("RemoteReason", "remote_reason_opcode", REG(152), 8, ENUM, VALUES(link_down_reason), FROM("")),
	RESERVED("Reserved6", REG(160), 16),
	FIELD("TS1Opcode", "ts1_opcode", REG(176), 4, UNSIGNED, FROM("")),
	RESERVED("Reserved7", REG(180), 4),
	FIELD("EndToEndReason", "e2e_reason_opcode", REG(184), 8, UNSIGNED, FROM("")),
	RESERVED("Reserved8", REG(192), 4),
	FIELD("LastRawBER", "last_raw_ber_coef", REG(196), 12, BER, FROM("")),
	FIELD("SymbolAlarms", "symbol_ber_alarms", REG(208), 16, UNSIGNED, FROM("")),
	RESERVED("Reserved9", REG(224), 32),
	FIELD("EffectiveAlarms", NULL, REG(256), 16, UNSIGNED, FROM("")),
	FIELD("RawAlarms", NULL, REG(272), 16, UNSIGNED, FROM("")),
	RESERVED("Reserved10", REG(288), 68),
	FIELD("LastEffectiveBER", NULL, REG(356), 12, BER, FROM("")),
	RESERVED("Reserved11", REG(368), 52),
	FIELD("LastSymbolBER", NULL, REG(420), 12, BER, FROM("")),
	RESERVED("Reserved12", REG(432), 1328),
};
LAYOUT(link_down_info, "LinkDownInfo", 224);

/* ---- PPCNT: counters of a port, group by group ------------------------------------------ */

#define PPCNT_INDEX \
	BLOCK, \
	FIELD("SwID", NULL, REG(0), 8, UNSIGNED, FROM("LS")), \
	FIELD("PortSelect", "local_port", REG(8), 8, UNSIGNED, INDEX, FROM("LS")), \
	FIELD("PortNumbering", "pnat", REG(16), 2, ENUM, VALUES(pnat), FROM("LS")), \
	FIELD("PortSelectMsb", "lp_msb", REG(18), 2, UNSIGNED, INDEX, FROM("S")), \
	FIELD("PortType", "port_type", REG(20), 4, UNSIGNED, FROM("")), \
	RESERVED("ReservedIndex", REG(24), 2), \
	FIELD("Group", "grp", REG(26), 6, UNSIGNED, INDEX, FROM("LS")), \
	RESERVED("ReservedIndex2", REG(32), 20), \
	FIELD("Plane", "plane_ind", REG(52), 4, UNSIGNED, INDEX, FROM("L")), \
	FIELD("GroupProfile", "grp_profile", REG(56), 3, UNSIGNED, FROM("")), \
	FIELD("PriorityTC", "prio_tc", REG(59), 5, UNSIGNED, FROM("LS"))

/* what one block and both have alike */
#define PHY_COUNTERS \
	PPCNT_INDEX, \
	FIELD("TimeSinceLastClear", "time_since_last_clear", REG(64), 64, SCALED, UNIT(seconds1000), FROM("L")), \
	FIELD("SymbolErrors", "symbol_errors", REG(128), 64, COUNTER, FROM("L")), \
	FIELD("SyncHeaderErrors", "sync_headers_errors", REG(192), 64, COUNTER, FROM("L")), \
	FIELD("EdplBipErrors", "edpl_bip_errors_lane", REG(256), 64, COUNTER, ARRAY(4), FROM("L")), \
	FIELD("FcFecCorrectedBlocks", "fc_fec_corrected_blocks_lane", REG(512), 64, COUNTER, ARRAY(4), FROM("L")), \
	FIELD("FcFecUncorrectableBlocks", "fc_fec_uncorrectable_blocks_lane", REG(768), 64, COUNTER, ARRAY(4), FROM("L")), \
	FIELD("RsFecCorrectedBlocks", "rs_fec_corrected_blocks", REG(1024), 64, COUNTER, FROM("L")), \
	FIELD("RsFecUncorrectableBlocks", "rs_fec_uncorrectable_blocks", REG(1088), 64, COUNTER, FROM("L")), \
	FIELD("RsFecNoErrorsBlocks", "rs_fec_no_errors_blocks", REG(1152), 64, COUNTER, FROM("L")), \
	FIELD("RsFecSingleErrorBlocks", "rs_fec_single_error_blocks", REG(1216), 64, COUNTER, FROM("L")), \
	FIELD("RsFecCorrectedSymbols", "rs_fec_corrected_symbols_total", REG(1280), 64, COUNTER, FROM("L")), \
	FIELD("RsFecCorrectedSymbolsLane", "rs_fec_corrected_symbols_lane", REG(1344), 64, COUNTER, ARRAY(4), FROM("L")), \
	FIELD("LinkDownEvents", "link_down_events", REG(1600), 32, COUNTER, FROM("L")), \
	FIELD("RecoveryEvents", "successful_recovery_events", REG(1632), 32, COUNTER, FROM("L")), \
	FIELD("RsFecCorrectedSymbolsLane4", NULL, REG(1664), 64, COUNTER, FROM(""))

static const struct madkit_field phy_counters_fields[] = {
	PHY_COUNTERS,
	RESERVED("Reserved", REG(1728), 32),
};
LAYOUT(phy_counters, "PhyCounters", 224);

static const struct madkit_field phy_counters_joined_fields[] = {
	PHY_COUNTERS,
	FIELD("RsFecCorrectedSymbolsLane5", NULL, REG(1728), 64, COUNTER, FROM("")),
	FIELD("RsFecCorrectedSymbolsLane6", NULL, REG(1792), 64, COUNTER, FROM("")),
	FIELD("RsFecCorrectedSymbolsLane7", NULL, REG(1856), 64, COUNTER, FROM("")),
	RESERVED("Reserved", REG(1920), 64),
	FIELD("UnintentionalLinkDownEvents", "unintentional_link_down_events", REG(1984), 32, COUNTER, FROM("")),
	FIELD("IntentionalLinkDownEvents", "intentional_link_down_events", REG(2016), 32, COUNTER, FROM("")),
};
LAYOUT(phy_counters_joined, "PhyCounters of two blocks", 260);

static const struct madkit_field bit_errors_fields[] = {
	PPCNT_INDEX,
	FIELD("TimeSinceLastClear", "time_since_last_clear", REG(64), 64, SCALED, UNIT(seconds1000), FROM("L")),
	FIELD("ReceivedBits", "phy_received_bits", REG(128), 64, COUNTER, FROM("L")),
	FIELD("SymbolErrors", "phy_symbol_errors", REG(192), 64, COUNTER, FROM("L")),
	FIELD("CorrectedBits", "phy_corrected_bits", REG(256), 64, COUNTER, FROM("L")),
	FIELD("RawErrorsLane", "phy_raw_errors_lane", REG(320), 64, COUNTER, ARRAY(8), FROM("L")),
	RESERVED("Reserved", REG(832), 16),
	FIELD("RawPhysicalBER", "RawBER", REG(848), 16, BER, FROM("T")),
	RESERVED("Reserved2", REG(864), 16),
	FIELD("EffectivePhysicalBER", "EffectiveBER", REG(880), 16, BER, FROM("T")),
	RESERVED("Reserved3", REG(896), 16),
	FIELD("SymbolBER", NULL, REG(912), 16, BER, FROM("T")),
	FIELD("RawPhysicalBERLane", "RawBERLane", REG(928), 16, BER, ARRAY(8), FROM("")),
	FIELD("EffectivePhysicalErrors", "phy_effective_errors", REG(1056), 64, COUNTER, FROM("T")),
	RESERVED("Reserved4", REG(1120), 128),
	FIELD("TimeSinceLastLinkUp", "time_since_last_link_up", REG(1248), 32, UNSIGNED, FROM("")),
	RESERVED("Reserved5", REG(1280), 480),
};
LAYOUT(bit_errors, "BitErrors", 224);

/* the IBA's PortCounters from byte 4 on: without PortSelect and CounterSelect */
static const struct madkit_field register_port_counters_fields[] = {
	PPCNT_INDEX,
	FIELD("SymbolErrorCounter", "symbol_error_counter", REG(64), 16, COUNTER, FROM("LF")),
	FIELD("LinkErrorRecoveryCounter", "link_error_recovery_counter", REG(80), 8, COUNTER, FROM("LF")),
	FIELD("LinkDownedCounter", "link_downed_counter", REG(88), 8, COUNTER, FROM("LF")),
	FIELD("PortRcvErrors", "port_rcv_errors", REG(96), 16, COUNTER, FROM("LF")),
	FIELD("PortRcvRemotePhysicalErrors", NULL, REG(112), 16, COUNTER, FROM("LF")),
	FIELD("PortRcvSwitchRelayErrors", NULL, REG(128), 16, COUNTER, FROM("LF")),
	FIELD("PortXmitDiscards", NULL, REG(144), 16, COUNTER, FROM("LF")),
	FIELD("PortXmitConstraintErrors", NULL, REG(160), 8, COUNTER, FROM("LF")),
	FIELD("PortRcvConstraintErrors", NULL, REG(168), 8, COUNTER, FROM("LF")),
	RESERVED("Reserved", REG(176), 8),
	FIELD("LocalLinkIntegrityErrors", NULL, REG(184), 4, COUNTER, FROM("LF")),
	FIELD("ExcessiveBufferOverrunErrors", NULL, REG(188), 4, COUNTER, FROM("LF")),
	RESERVED("Reserved2", REG(192), 16),
	FIELD("VL15Dropped", NULL, REG(208), 16, COUNTER, FROM("LF")),
	FIELD("PortXmitData", NULL, REG(224), 32, COUNTER, OCTETS4, FROM("F")),
	FIELD("PortRcvData", NULL, REG(256), 32, COUNTER, OCTETS4, FROM("F")),
	FIELD("PortXmitPkts", NULL, REG(288), 32, COUNTER, FROM("F")),
	FIELD("PortRcvPkts", NULL, REG(320), 32, COUNTER, FROM("F")),
	FIELD("PortXmitWait", NULL, REG(352), 32, COUNTER, FROM("LF")),
	RESERVED("Reserved3", REG(384), 1376),
};
LAYOUT(register_port_counters, "RegisterPortCounters", 224);

static const struct madkit_field plr_counters_fields[] = {
	PPCNT_INDEX,
	FIELD("PlrRcvCodes", "plr_rcv_codes", REG(64), 64, COUNTER, FROM("")),
	FIELD("PlrRcvCodeErrors", "plr_rcv_code_err", REG(128), 64, COUNTER, FROM("")),
	FIELD("PlrRcvUncorrectableCodes", "plr_rcv_uncorrectable_code", REG(192), 64, COUNTER, FROM("")),
	FIELD("PlrXmitCodes", "plr_xmit_codes", REG(256), 64, COUNTER, FROM("")),
	FIELD("PlrXmitRetryCodes", "plr_xmit_retry_codes", REG(320), 64, COUNTER, FROM("")),
	FIELD("PlrXmitRetryEvents", "plr_xmit_retry_events", REG(384), 64, COUNTER, FROM("")),
	FIELD("PlrSyncEvents", "plr_sync_events", REG(448), 64, COUNTER, FROM("")),
	FIELD("PlrCodesLoss", "plr_codes_loss", REG(512), 64, UNSIGNED, FROM("")),
	RESERVED("Reserved", REG(576), 1184),
};
LAYOUT(plr_counters, "PlrCounters", 224);

static const struct madkit_field fec_histogram_fields[] = {
	PPCNT_INDEX,
	FIELD("Hist", NULL, REG(64), 64, COUNTER, ARRAY(21), NUMBERED, FROM("L")),
	RESERVED("Reserved", REG(1408), 352),
};
LAYOUT(fec_histogram, "FecHistogram", 224);

static const struct madkit_field recovery_counters_fields[] = {
	PPCNT_INDEX,
	FIELD("RecoveryEvents", "total_successful_recovery_events", REG(64), 32, COUNTER, FROM("L")),
	FIELD("UnintentionalLinkDownEvents", "unintentional_link_down_events", REG(96), 32, COUNTER, FROM("")),
	RESERVED("Reserved", REG(128), 1632),
};
LAYOUT(recovery_counters, "RecoveryCounters", 224);

/* ---- ports and modules ------------------------------------------------------------------- */

static const struct madkit_field port_mapping_fields[] = {
	BLOCK,
	RESERVED("Reserved", REG(0), 8),
	FIELD("PortSelect", "local_port", REG(8), 8, UNSIGNED, INDEX, FROM("L")),
	RESERVED("Reserved2", REG(16), 2),
	FIELD("PortSelectMsb", "lp_msb", REG(18), 2, UNSIGNED, INDEX, FROM("")),
	RESERVED("Reserved3", REG(20), 2),
	FIELD("IBPort", "ib_port", REG(22), 10, UNSIGNED, FROM("L")),
	RESERVED("Reserved4", REG(32), 96),
};
LAYOUT(port_mapping, "PortMapping", 20);

static const struct madkit_field link_modes_fields[] = {
	BLOCK,
	RESERVED("Reserved", REG(0), 8),
	FIELD("PortSelect", "local_port", REG(8), 8, UNSIGNED, INDEX, FROM("LS")),
	RESERVED("Reserved2", REG(16), 2),
	FIELD("PortSelectMsb", "lp_msb", REG(18), 2, UNSIGNED, INDEX, FROM("S")),
	RESERVED("Reserved3", REG(20), 4),
	FIELD("Plane", "plane_ind", REG(24), 4, UNSIGNED, INDEX, FROM("L")),
	RESERVED("Reserved4", REG(28), 1),
	FIELD("ProtocolMask", "proto_mask", REG(29), 3, ENUM, VALUES(protocol_mask), FROM("LS")),
	RESERVED("Reserved5", REG(32), 16),
	FIELD("DataRate", "data_rate_oper", REG(48), 16, SCALED, UNIT(gbps10), FROM("L")),
	RESERVED("Reserved6", REG(64), 64),
	FIELD("WidthCapability", "ib_link_width_capability", REG(128), 16, BITS, VALUES(register_width), FROM("L")),
	FIELD("SpeedCapability", "ib_proto_capability", REG(144), 16, BITS, VALUES(register_speed), FROM("L")),
	RESERVED("Reserved7", REG(160), 64),
	FIELD("WidthEnabled", "ib_link_width_admin", REG(224), 16, BITS, VALUES(register_width), FROM("L")),
	FIELD("SpeedEnabled", "ib_proto_admin", REG(240), 16, BITS, VALUES(register_speed), FROM("L")),
	RESERVED("Reserved8", REG(256), 64),
	FIELD("WidthActive", "ib_link_width_oper", REG(320), 16, BITS, VALUES(register_width), FROM("L")),
	FIELD("SpeedActive", "ib_proto_oper", REG(336), 16, BITS, VALUES(register_speed), FROM("L")),
	RESERVED("Reserved9", REG(352), 192),
};
LAYOUT(link_modes, "LinkModes", 72);

static const struct madkit_field register_lane_fields[] = {
	RESERVED("Reserved", 0, 4),
	FIELD("Rx", "rx_lane", 4, 4, UNSIGNED, FROM("LS")),
	RESERVED("Reserved2", 8, 4),
	FIELD("Tx", "tx_lane", 12, 4, UNSIGNED, FROM("LS")),
	RESERVED("Reserved3", 16, 4),
	FIELD("Slot", "slot_index", 20, 4, UNSIGNED, FROM("S")),
	FIELD("Module", NULL, 24, 8, UNSIGNED, FROM("LS")),
};
static LAYOUT(register_lane, "Lane of LaneMapping", 4);

static const struct madkit_field lane_mapping_fields[] = {
	BLOCK,
	RESERVED("Reserved", REG(0), 8),
	FIELD("PortSelect", "local_port", REG(8), 8, UNSIGNED, INDEX, FROM("LS")),
	RESERVED("Reserved2", REG(16), 2),
	FIELD("PortSelectMsb", "lp_msb", REG(18), 2, UNSIGNED, INDEX, FROM("S")),
	RESERVED("Reserved3", REG(20), 4),
	FIELD("Width", NULL, REG(24), 8, UNSIGNED, FROM("LS")),
	FIELD("Lane", NULL, REG(32), 32, STRUCT, ARRAY(8), SUB(register_lane), FROM("LS")),
	RESERVED("Reserved4", REG(288), 224),
};
LAYOUT(lane_mapping, "LaneMapping", 68);

static const struct madkit_field module_state_fields[] = {
	BLOCK,
	RESERVED("Reserved", REG(0), 4),
	FIELD("Slot", "slot_index", REG(4), 4, UNSIGNED, INDEX, FROM("S")),
	FIELD("Module", NULL, REG(8), 8, UNSIGNED, INDEX, FROM("LS")),
	RESERVED("Reserved2", REG(16), 12),
	FIELD("ModuleState", "oper_status", REG(28), 4, ENUM, VALUES(module_state), FROM("L")),
	RESERVED("Reserved3", REG(32), 19),
	FIELD("ErrorType", "error_type", REG(51), 5, UNSIGNED, FROM("")),
	RESERVED("Reserved4", REG(56), 72),
};
LAYOUT(module_state, "ModuleState", 20);

/* ---- the system ---------------------------------------------------------------------------- */

static const struct madkit_field sensor_list_fields[] = {
	BLOCK,
	RESERVED("Reserved", REG(0), 12),
	FIELD("Slot", "slot_index", REG(12), 4, UNSIGNED, INDEX, FROM("")),
	RESERVED("Reserved2", REG(16), 9),
	FIELD("SensorCount", "sensor_count", REG(25), 7, UNSIGNED, FROM("LS")),
	RESERVED("Reserved3", REG(32), 24),
	FIELD("InternalSensorCount", "internal_sensor_count", REG(56), 8, UNSIGNED, FROM("")),
	FIELD("SensorMap", "sensor_map", REG(64), 64, HEX, FROM("L")),
};
LAYOUT(sensor_list, "SensorList", 20);

static const struct madkit_field sensor_fields[] = {
	BLOCK,
	FIELD("Internal", "i", REG(0), 1, UNSIGNED, INDEX, FROM("F")),
	FIELD("InternalGroup", "ig", REG(1), 2, UNSIGNED, INDEX, FROM("")),
	FIELD("ASIC", "asic_index", REG(3), 4, UNSIGNED, INDEX, FROM("")),
	RESERVED("Reserved", REG(7), 5),
	FIELD("Slot", "slot_index", REG(12), 4, UNSIGNED, INDEX, FROM("S")),
	RESERVED("Reserved2", REG(16), 4),
	FIELD("SensorIndex", "sensor_index", REG(20), 12, UNSIGNED, INDEX, FROM("LS")),
	RESERVED("Reserved3", REG(32), 16),
	FIELD("Temperature", NULL, REG(48), 16, SCALED, UNIT(celsius8), FROM("LS")),
	RESERVED("Reserved4", REG(64), 16),
	FIELD("MaxTemperature", "max_temperature", REG(80), 16, SCALED, UNIT(celsius8), FROM("LS")),
	RESERVED("Reserved5", REG(96), 16),
	FIELD("ThresholdHigh", "temperature_threshold_hi", REG(112), 16, SCALED, UNIT(celsius8), FROM("LS")),
	RESERVED("Reserved6", REG(128), 16),
	FIELD("ThresholdLow", "temperature_threshold_lo", REG(144), 16, SCALED, UNIT(celsius8), FROM("LS")),
	RESERVED("Reserved7", REG(160), 32),
	FIELD("SensorName", "sensor_name", REG(192), 64, STRING, FROM("LS")),
};
LAYOUT(sensor, "Sensor", 36);

static const struct madkit_field sensor_record_fields[] = {
	FIELD("MaxTemperature", "max_temperature", 0, 16, SCALED, UNIT(celsius8_or_none), FROM("FS")),
	FIELD("Temperature", NULL, 16, 16, SCALED, UNIT(celsius8_or_none), FROM("FS")),
};
static LAYOUT(sensor_record, "Sensor of Sensors", 4);

static const struct madkit_field sensors_fields[] = {
	BLOCK,
	RESERVED("Reserved", REG(0), 12),
	FIELD("Slot", "slot_index", REG(12), 4, UNSIGNED, INDEX, FROM("S")),
	RESERVED("Reserved2", REG(16), 4),
	FIELD("BaseSensorIndex", "base_sensor_index", REG(20), 12, UNSIGNED, INDEX, FROM("FS")),
	RESERVED("Reserved3", REG(32), 24),
	FIELD("NumRecords", "num_rec", REG(56), 8, UNSIGNED, FROM("FS")),
	RESERVED("Reserved4", REG(64), 64),
	FIELD("Sensor", NULL, REG(128), 32, STRUCT, ARRAY(51), SUB(sensor_record), COUNTED(REG(56), 8), FROM("FS")),
};
LAYOUT(sensors, "Sensors", 224);

static const struct madkit_field fans_fields[] = {
	BLOCK,
	RESERVED("Reserved", REG(0), 32),
	FIELD("TachosMsb", "tacho_active_msb", REG(32), 6, HEX, FROM("")),
	FIELD("Tachos", "tacho_active", REG(38), 10, HEX, FROM("S")),
	RESERVED("Reserved2", REG(48), 16),
};
LAYOUT(fans, "Fans", 12);

static const struct madkit_field fan_speed_fields[] = {
	BLOCK,
	FIELD("TachoMsb", "tacho_hi", REG(0), 4, UNSIGNED, INDEX, FROM("")),
	FIELD("Tacho", NULL, REG(4), 4, UNSIGNED, INDEX, FROM("S")),
	RESERVED("Reserved", REG(8), 40),
	FIELD("RPM", NULL, REG(48), 16, UNSIGNED, FROM("S")),
};
LAYOUT(fan_speed, "FanSpeed", 12);

static const struct madkit_field fan_limits_fields[] = {
	BLOCK,
	RESERVED("Reserved", REG(0), 6),
	FIELD("Under", "fan_under_limit", REG(6), 10, HEX, FROM("S")),
	RESERVED("Reserved2", REG(16), 22),
	FIELD("Over", "fan_over_limit", REG(38), 10, HEX, FROM("")),
	RESERVED("Reserved3", REG(48), 48),
};
LAYOUT(fan_limits, "FanLimits", 16);

static const struct madkit_field device_info_fields[] = {
	BLOCK,
	FIELD("DeviceRevision", "device_hw_revision", REG(0), 16, HEX, FROM("S")),
	FIELD("DeviceID", "device_id", REG(16), 16, HEX, FROM("")),
	RESERVED("Reserved", REG(32), 4),
	FIELD("NumPorts", "num_ports", REG(36), 12, UNSIGNED, FROM("")),
	RESERVED("Reserved2", REG(48), 176),
	FIELD("UpTime", "hw_uptime", REG(224), 32, SCALED, UNIT(seconds), FROM("")),
	RESERVED("Reserved3", REG(256), 128),
	FIELD("PSID", NULL, REG(384), 128, STRING, FROM("S")),
	RESERVED("Reserved4", REG(512), 32),
	FIELD("FWMajor", "fw_major", REG(544), 32, UNSIGNED, FROM("S")),
	FIELD("FWMinor", "fw_minor", REG(576), 32, UNSIGNED, FROM("S")),
	FIELD("FWSubMinor", "fw_sub_minor", REG(608), 32, UNSIGNED, FROM("S")),
	RESERVED("Reserved5", REG(640), 640),
};
LAYOUT(device_info, "DeviceInfo", 164);

static const struct madkit_field slots_fields[] = {
	BLOCK,
	FIELD("Slot", "slot_index", REG(0), 4, UNSIGNED, INDEX, FROM("S")),
	RESERVED("Reserved", REG(4), 44),
	FIELD("NumSlots", "num_of_slots", REG(48), 8, UNSIGNED, FROM("S")),
	FIELD("NumModules", "num_of_modules", REG(56), 8, UNSIGNED, FROM("S")),
	RESERVED("Reserved2", REG(64), 1216),
};
LAYOUT(slots, "Slots", 164);

static const struct madkit_field system_info_fields[] = {
	BLOCK,
	FIELD("SerialNumber", "serial_number", REG(0), 192, STRING, FROM("")),
	RESERVED("Reserved", REG(192), 64),
	FIELD("PartNumber", "part_number", REG(256), 160, STRING, FROM("")),
	RESERVED("Reserved2", REG(416), 32),
	FIELD("Revision", NULL, REG(448), 32, STRING, FROM("")),
	RESERVED("Reserved3", REG(480), 32),
	FIELD("ProductName", "product_name", REG(512), 512, STRING, FROM("")),
};
LAYOUT(system_info, "SystemInfo", 132);

static const struct madkit_field cpld_fields[] = {
	BLOCK,
	RESERVED("Reserved", REG(0), 28),
	FIELD("CPLDIndex", "index", REG(28), 4, UNSIGNED, INDEX, FROM("")),
	FIELD("CPLDVersion", "version", REG(32), 32, HEX, FROM("")),
	RESERVED("Reserved2", REG(64), 32),
};
LAYOUT(cpld, "CPLD", 16);

/* No source has this register. The positions are guesses from published readings (experimental). */
static const struct madkit_field register_psu_fields[] = {
	FIELD("Presence", NULL, 0, 4, ENUM, VALUES(psu_presence), FROM("")),
	RESERVED("Reserved", 4, 20),
	FIELD("DCState", NULL, 24, 4, ENUM, VALUES(psu_ok), FROM("")),
	RESERVED("Reserved2", 28, 32),
	FIELD("FanState", NULL, 60, 4, ENUM, VALUES(psu_fan), FROM("")),
	FIELD("PowerKnown", NULL, 64, 1, UNSIGNED, FROM("")),
	FIELD("Power", NULL, 65, 31, SCALED, UNIT(watts), FROM("")),
	RESERVED("Reserved3", 96, 32),
	FIELD("SerialNumber", NULL, 128, 256, STRING, FROM("")),
	FIELD("PartNumber", NULL, 384, 256, STRING, FROM("")),
};
static LAYOUT(register_psu, "PSU of PowerSupplies", 80);

static const struct madkit_field power_supplies_fields[] = {
	BLOCK,
	FIELD("PSU", NULL, REG(0), 640, STRUCT, ARRAY(2), SUB(register_psu), FROM("")),
};
LAYOUT(power_supplies, "PowerSupplies", 164);
