/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Congestion control (IBA volume 1, annex A10.4.3). */
#include "tables.h"

static const struct madkit_field congestion_info_fields[] = {
	FIELD("CongestionInfo", NULL, 0, 16, BITS, PLAIN, VALUES(cc_info)),
	FIELD("ControlTableCap", NULL, 16, 8, UNSIGNED),
	RESERVED("Reserved", 24, 8),
};
static LAYOUT(congestion_info, "CongestionInfo", 4);

static const struct madkit_field congestion_key_info_fields[] = {
	FIELD("CC_Key", "CCKey", 0, 64, KEY),
	FIELD("CC_KeyProtectBit", NULL, 64, 1, UNSIGNED),
	RESERVED("Reserved", 65, 15),
	FIELD("CC_KeyLeasePeriod", NULL, 80, 16, UNSIGNED),
	FIELD("CC_KeyViolations", NULL, 96, 16, UNSIGNED),
	RESERVED("Reserved2", 112, 16),
};
static LAYOUT(congestion_key_info, "CongestionKeyInfo", 16);

/* After the flags, the logs of switches (LogType 1) and of channel adapters (LogType 2) have different layouts. */
#define LOG \
	FIELD("LogType", NULL, 0, 8, UNSIGNED), \
	FIELD("CongestionFlags", NULL, 8, 8, HEX)

static const struct madkit_field congestion_log_fields[] = {
	LOG,
	FIELD("LogEventsCounter", "ThresholdEventCounter", 16, 16, UNSIGNED),
	FIELD("LogDetails", NULL, 32, 1728, BYTES),
};
static LAYOUT(congestion_log, "CongestionLog", 220);

static const struct madkit_field switch_log_entry_fields[] = {
	FIELD("SLID", NULL, 0, 16, LID),
	FIELD("DLID", NULL, 16, 16, LID),
	FIELD("SL", NULL, 32, 4, UNSIGNED),
	RESERVED("Reserved", 36, 28),
	FIELD("Timestamp", NULL, 64, 32, UNSIGNED),
};
static LAYOUT(switch_log_entry, "CongestionLogEntrySwitch", 12);

static const struct madkit_field switch_log_fields[] = {
	LOG,
	FIELD("LogEventsCounter", NULL, 16, 16, UNSIGNED),
	FIELD("CurrentTimeStamp", NULL, 32, 32, UNSIGNED),
	FIELD("PortMap", NULL, 64, 256, BYTES),
	FIELD("Entry", NULL, 320, 96, STRUCT, ARRAY(15), SUB(switch_log_entry)),
};
static LAYOUT(switch_log, "CongestionLog of a switch", 220);

/* As in libibmad, which follows the errata of 2010. ib_types.h places the SL and the type of service after the
 * remote QP, and has the remote LID at the offset of the local one here. */
static const struct madkit_field ca_log_entry_fields[] = {
	FIELD("Local_QP_CN_Entry", NULL, 0, 24, UNSIGNED),
	FIELD("SL_CN_Entry", NULL, 24, 4, UNSIGNED),
	FIELD("Service_Type_CN_Entry", NULL, 28, 4, HEX),
	FIELD("Remote_QP_Number_CN_Entry", NULL, 32, 24, UNSIGNED),
	RESERVED("Reserved", 56, 8),
	FIELD("Local_LID_CN", NULL, 64, 16, LID),
	FIELD("Remote_LID_CN_Entry", NULL, 80, 16, LID),
	FIELD("Timestamp_CN_Entry", NULL, 96, 32, UNSIGNED),
};
static LAYOUT(ca_log_entry, "CongestionLogEntryCA", 16);

static const struct madkit_field ca_log_fields[] = {
	LOG,
	FIELD("ThresholdEventCounter", "LogEventsCounter", 16, 16, UNSIGNED),
	FIELD("ThresholdCongestionEventMap", NULL, 32, 16, HEX),
	RESERVED("Reserved", 48, 16),
	FIELD("CurrentTimeStamp", NULL, 64, 32, UNSIGNED),
	FIELD("Entry", NULL, 96, 128, STRUCT, ARRAY(13), SUB(ca_log_entry)),
};
static LAYOUT(ca_log, "CongestionLog of a channel adapter", 220);

#define LOGS(type, x) \
	{ .mask = 0xff00000000000000, .first = (uint64_t)(type) << 56, \
	  .last = (uint64_t)(type) << 56, .layout = &madkit_layout_##x }

static const struct madkit_edition madkit_editions_congestion_log[] = {
	LOGS(1, switch_log),
	LOGS(2, ca_log),
};

static const struct madkit_field switch_congestion_setting_fields[] = {
	FIELD("Control_Map", "ControlMap", 0, 32, BITS, PLAIN, VALUES(cc_control_map)),
	FIELD("Victim_Mask", "VictimMask", 32, 256, BYTES),
	FIELD("Credit_Mask", "CreditMask", 288, 256, BYTES),
	FIELD("Threshold", NULL, 544, 4, HEX),
	RESERVED("Reserved", 548, 4),
	FIELD("Packet_Size", "PacketSize", 552, 8, UNSIGNED),
	FIELD("CS_Threshold", "CSThreshold", 560, 4, HEX),
	RESERVED("Reserved2", 564, 12),
	FIELD("CS_ReturnDelay", "CSReturnDelay", 576, 16, HEX),
	FIELD("Marking_Rate", "MarkingRate", 592, 16, UNSIGNED),
};
static LAYOUT(switch_congestion_setting, "SwitchCongestionSetting", 76);

static const struct madkit_field switch_port_setting_element_fields[] = {
	FIELD("Valid", NULL, 0, 1, UNSIGNED),
	FIELD("Control_Type", "ControlType", 1, 1, UNSIGNED),
	RESERVED("Reserved", 2, 2),
	FIELD("Threshold", NULL, 4, 4, HEX),
	FIELD("Packet_Size", "PacketSize", 8, 8, UNSIGNED),
	FIELD("Cong_Parm_Marking_Rate", "CongParmMarkingRate", 16, 16, UNSIGNED),
};
static LAYOUT(switch_port_setting_element, "SwitchPortCongestionSettingElement", 4);

static const struct madkit_field switch_port_congestion_setting_fields[] = {
	FIELD("Element", NULL, 0, 32, STRUCT, ARRAY(32), SUB(switch_port_setting_element)),
};
static LAYOUT(switch_port_congestion_setting, "SwitchPortCongestionSetting", 128);

static const struct madkit_field ca_congestion_entry_fields[] = {
	FIELD("CCTI_Timer", "CCTITimer", 0, 16, UNSIGNED),
	FIELD("CCTI_Increase", "CCTIIncrease", 16, 8, UNSIGNED),
	FIELD("Trigger_Threshold", "TriggerThreshold", 24, 8, UNSIGNED),
	FIELD("CCTI_Min", "CCTIMin", 32, 8, UNSIGNED),
	RESERVED("Reserved", 40, 24),
};
static LAYOUT(ca_congestion_entry, "CACongestionEntry", 8);

/* an entry for each SL */
static const struct madkit_field ca_congestion_setting_fields[] = {
	FIELD("Port_Control", "PortControl", 0, 16, HEX),
	FIELD("Control_Map", "ControlMap", 16, 16, HEX),
	FIELD("Entry", NULL, 32, 64, STRUCT, ARRAY(16), SUB(ca_congestion_entry)),
};
static LAYOUT(ca_congestion_setting, "CACongestionSetting", 132);

static const struct madkit_field cct_entry_fields[] = {
	FIELD("CCT_Shift", "CCTShift", 0, 2, UNSIGNED),
	FIELD("CCT_Multiplier", "CCTMultiplier", 2, 14, UNSIGNED),
};
static LAYOUT(cct_entry, "CongestionControlTableEntry", 2);

static const struct madkit_field congestion_control_table_fields[] = {
	FIELD("CCTI_Limit", "CCTILimit", 0, 16, UNSIGNED),
	RESERVED("Reserved", 16, 16),
	FIELD("Entry", NULL, 32, 16, STRUCT, ARRAY(64), SUB(cct_entry)),
};
static LAYOUT(congestion_control_table, "CongestionControlTable", 132);

static const struct madkit_field timestamp_fields[] = {
	FIELD("Timestamp", NULL, 0, 32, UNSIGNED),
};
static LAYOUT(timestamp, "Timestamp", 4);

/* ControlTableCap counts blocks */
static const struct madkit_instances congestion_table_instances = {
	.blocks = { { .entries = 1, .own = { "CongestionInfo", "ControlTableCap", NULL, 0 } } },
};
/* 32 ports in a block, from port 0 on */
static const struct madkit_instances switch_port_setting_instances = {
	.blocks = { { .entries = 32, .own = { "NodeInfo", "NumPorts", NULL, 1 } } },
};

const struct madkit_attribute madkit_attributes_cc[] = {
	ATTRIBUTE("ClassPortInfo", "CPI", 0x0001, 72, class_port_info),
	ATTRIBUTE("Notice", NULL, 0x0002, 80, notice, EDITIONS(notice_cc)),
	ATTRIBUTE("CongestionInfo", NULL, 0x0011, 4, congestion_info),
	ATTRIBUTE("CongestionKeyInfo", NULL, 0x0012, 16, congestion_key_info),
	ATTRIBUTE("CongestionLog", NULL, 0x0013, 220, congestion_log, AT(32),
		  EDITIONS(congestion_log)),
	ATTRIBUTE("SwitchCongestionSetting", NULL, 0x0014, 76, switch_congestion_setting),
	ATTRIBUTE("SwitchPortCongestionSetting", NULL, 0x0015, 128,
		  switch_port_congestion_setting, SELECTS("block"), INSTANCES(switch_port_setting)),
	ATTRIBUTE("CACongestionSetting", NULL, 0x0016, 132, ca_congestion_setting),
	ATTRIBUTE("CongestionControlTable", NULL, 0x0017, 132,
		  congestion_control_table, SELECTS("block"), INSTANCES(congestion_table)),
	ATTRIBUTE("Timestamp", NULL, 0x0018, 4, timestamp),
};
