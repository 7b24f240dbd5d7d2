/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Performance management (IBA volume 1, section 16.1). */
#include "tables.h"

/* The first fields of the sets of counters. */
#define SELECT(list) \
	RESERVED("Reserved", 0, 8), \
	FIELD("PortSelect", NULL, 8, 8, UNSIGNED, SELECTOR), \
	FIELD("CounterSelect", NULL, 16, 16, BITS, PLAIN, VALUES(list))

/* ... if an OpCode selects the packets that are counted */
#define SELECT_OPCODE(list) \
	FIELD("OpCode", NULL, 0, 8, HEX), \
	FIELD("PortSelect", NULL, 8, 8, UNSIGNED, SELECTOR), \
	FIELD("CounterSelect", NULL, 16, 16, BITS, PLAIN, VALUES(list))

/* One counter per VL, SL or lane. */
#define COUNTERS(n, a, o, w, c) \
	FIELD(n, a, o, w, COUNTER, ARRAY(c), .flags = MADKIT_FIELD_NUMBERED)
#define COUNTERS_OCTETS4(n, a, o, w, c) \
	FIELD(n, a, o, w, COUNTER, ARRAY(c), \
	      .flags = MADKIT_FIELD_NUMBERED | MADKIT_FIELD_OCTETS4)

static const struct madkit_field port_counters_fields[] = {
	SELECT(port_counters_select),
	FIELD("SymbolErrorCounter", NULL, 32, 16, COUNTER, OF_ERRORS),
	FIELD("LinkErrorRecoveryCounter", NULL, 48, 8, COUNTER, OF_ERRORS),
	FIELD("LinkDownedCounter", NULL, 56, 8, COUNTER, OF_ERRORS),
	FIELD("PortRcvErrors", NULL, 64, 16, COUNTER, OF_ERRORS),
	FIELD("PortRcvRemotePhysicalErrors", NULL, 80, 16, COUNTER, OF_ERRORS),
	FIELD("PortRcvSwitchRelayErrors", NULL, 96, 16, COUNTER, OF_ERRORS),
	FIELD("PortXmitDiscards", NULL, 112, 16, COUNTER, OF_ERRORS),
	FIELD("PortXmitConstraintErrors", NULL, 128, 8, COUNTER, OF_ERRORS),
	FIELD("PortRcvConstraintErrors", NULL, 136, 8, COUNTER, OF_ERRORS),
	FIELD("CounterSelect2", NULL, 144, 8, BITS, PLAIN, VALUES(port_counters_select2)),
	FIELD("LocalLinkIntegrityErrors", NULL, 152, 4, COUNTER, OF_ERRORS),
	FIELD("ExcessiveBufferOverrunErrors", NULL, 156, 4, COUNTER, OF_ERRORS),
	FIELD("QP1Dropped", NULL, 160, 16, COUNTER),
	FIELD("VL15Dropped", NULL, 176, 16, COUNTER, OF_ERRORS),
	FIELD("PortXmitData", NULL, 192, 32, COUNTER, OCTETS4),
	FIELD("PortRcvData", NULL, 224, 32, COUNTER, OCTETS4),
	FIELD("PortXmitPkts", NULL, 256, 32, COUNTER),
	FIELD("PortRcvPkts", NULL, 288, 32, COUNTER),
	FIELD("PortXmitWait", NULL, 320, 32, COUNTER),
};
static LAYOUT(port_counters, "PortCounters", 44);

static const struct madkit_field port_counters_ext_fields[] = {
	SELECT(port_counters_extended_select),
	FIELD("PortXmitData", NULL, 64, 64, COUNTER, OCTETS4),
	FIELD("PortRcvData", NULL, 128, 64, COUNTER, OCTETS4),
	FIELD("PortXmitPkts", NULL, 192, 64, COUNTER),
	FIELD("PortRcvPkts", NULL, 256, 64, COUNTER),
	FIELD("PortUnicastXmitPkts", NULL, 320, 64, COUNTER),
	FIELD("PortUnicastRcvPkts", NULL, 384, 64, COUNTER),
	FIELD("PortMulticastXmitPkts", NULL, 448, 64, COUNTER),
	FIELD("PortMulticastRcvPkts", NULL, 512, 64, COUNTER),
	/* the first edition of the attribute ends here, with these four bytes reserved */
	FIELD("CounterSelect2", NULL, 32, 32, BITS, PLAIN, VALUES(port_counters_extended_select2)),
	FIELD("SymbolErrorCounter", NULL, 576, 64, COUNTER, OF_ERRORS),
	FIELD("LinkErrorRecoveryCounter", NULL, 640, 64, COUNTER, OF_ERRORS),
	FIELD("LinkDownedCounter", NULL, 704, 64, COUNTER, OF_ERRORS),
	FIELD("PortRcvErrors", NULL, 768, 64, COUNTER, OF_ERRORS),
	FIELD("PortRcvRemotePhysicalErrors", NULL, 832, 64, COUNTER, OF_ERRORS),
	FIELD("PortRcvSwitchRelayErrors", NULL, 896, 64, COUNTER, OF_ERRORS),
	FIELD("PortXmitDiscards", NULL, 960, 64, COUNTER, OF_ERRORS),
	FIELD("PortXmitConstraintErrors", NULL, 1024, 64, COUNTER, OF_ERRORS),
	FIELD("PortRcvConstraintErrors", NULL, 1088, 64, COUNTER, OF_ERRORS),
	FIELD("LocalLinkIntegrityErrors", NULL, 1152, 64, COUNTER, OF_ERRORS),
	FIELD("ExcessiveBufferOverrunErrors", NULL, 1216, 64, COUNTER, OF_ERRORS),
	FIELD("VL15Dropped", NULL, 1280, 64, COUNTER, OF_ERRORS),
	FIELD("PortXmitWait", NULL, 1344, 64, COUNTER),
	FIELD("QP1Dropped", NULL, 1408, 64, COUNTER),
};
static LAYOUT(port_counters_ext, "PortCountersExtended", 184);

static const struct madkit_field port_samples_control_fields[] = {
	FIELD("OpCode", NULL, 0, 8, HEX),
	FIELD("PortSelect", NULL, 8, 8, UNSIGNED, SELECTOR),
	FIELD("Tick", NULL, 16, 8, HEX),
	RESERVED("Reserved", 24, 5),
	FIELD("CounterWidth", NULL, 29, 3, UNSIGNED),
	RESERVED("Reserved2", 32, 2),
	FIELD("CounterMask0", NULL, 34, 3, HEX),
	FIELD("CounterMask1", NULL, 37, 3, HEX),
	FIELD("CounterMask2", NULL, 40, 3, HEX),
	FIELD("CounterMask3", NULL, 43, 3, HEX),
	FIELD("CounterMask4", NULL, 46, 3, HEX),
	FIELD("CounterMask5", NULL, 49, 3, HEX),
	FIELD("CounterMask6", NULL, 52, 3, HEX),
	FIELD("CounterMask7", NULL, 55, 3, HEX),
	FIELD("CounterMask8", NULL, 58, 3, HEX),
	FIELD("CounterMask9", NULL, 61, 3, HEX),
	RESERVED("Reserved3", 64, 1),
	FIELD("CounterMask10", NULL, 65, 3, HEX),
	FIELD("CounterMask11", NULL, 68, 3, HEX),
	FIELD("CounterMask12", NULL, 71, 3, HEX),
	FIELD("CounterMask13", NULL, 74, 3, HEX),
	FIELD("CounterMask14", NULL, 77, 3, HEX),
	FIELD("SampleMechanisms", NULL, 80, 8, UNSIGNED),
	RESERVED("Reserved4", 88, 6),
	FIELD("SampleStatus", NULL, 94, 2, UNSIGNED),
	FIELD("OptionMask", NULL, 96, 64, HEX),
	FIELD("VendorMask", NULL, 160, 64, HEX),
	FIELD("SampleStart", NULL, 224, 32, UNSIGNED),
	FIELD("SampleInterval", NULL, 256, 32, UNSIGNED),
	FIELD("Tag", NULL, 288, 16, HEX),
	FIELD("CounterSelect", NULL, 304, 16, HEX, ARRAY(15), NUMBERED),
	/* the attribute's first edition ended here */
	RESERVED("Reserved5", 544, 32),
	FIELD("SamplesOnlyOptionMask", NULL, 576, 64, HEX),
};
/* The names of libibmad. The masks are in ascending order, as in COUNTER_MASK() of the kernel's qib_mad.h. */
static const struct madkit_field port_samples_control_spans[] = {
	FIELD("CounterMasks1to9", NULL, 37, 27, HEX),
	FIELD("CounterMasks10to14", NULL, 65, 15, HEX),
};
static LAYOUT_SPANS(port_samples_control, "PortSamplesControl", 80);

static const struct madkit_field port_samples_result_fields[] = {
	FIELD("Tag", NULL, 0, 16, HEX),
	RESERVED("Reserved", 16, 14),
	FIELD("SampleStatus", NULL, 30, 2, HEX),
	COUNTERS("Counter", NULL, 32, 32, 15),
};
static LAYOUT(port_samples_result, "PortSamplesResult", 64);

/* opa-ff's ib_pm.h */
static const struct madkit_field port_samples_result_ext_fields[] = {
	FIELD("Tag", NULL, 0, 16, HEX),
	RESERVED("Reserved", 16, 14),
	FIELD("SampleStatus", NULL, 30, 2, HEX),
	FIELD("ExtendedWidth", NULL, 32, 2, ENUM, VALUES(extended_width)),
	RESERVED("Reserved2", 34, 30),
	COUNTERS("Counter", NULL, 64, 64, 15),
};
static LAYOUT(port_samples_result_ext, "PortSamplesResultExtended", 128);

static const struct madkit_field port_rcv_error_details_fields[] = {
	SELECT(port_rcv_error_details_select),
	FIELD("PortLocalPhysicalErrors", NULL, 32, 16, COUNTER),
	FIELD("PortMalformedPktErrors", NULL, 48, 16, COUNTER),
	FIELD("PortBufferOverrunErrors", NULL, 64, 16, COUNTER),
	FIELD("PortDLIDMappingErrors", NULL, 80, 16, COUNTER),
	FIELD("PortVLMappingErrors", NULL, 96, 16, COUNTER),
	FIELD("PortLoopingErrors", NULL, 112, 16, COUNTER),
};
static LAYOUT(port_rcv_error_details, "PortRcvErrorDetails", 16);

static const struct madkit_field port_xmit_discard_details_fields[] = {
	SELECT(port_xmit_discard_details_select),
	FIELD("PortInactiveDiscards", NULL, 32, 16, COUNTER),
	FIELD("PortNeighborMTUDiscards", NULL, 48, 16, COUNTER),
	FIELD("PortSwLifetimeLimitDiscards", NULL, 64, 16, COUNTER),
	FIELD("PortSwHOQLifetimeLimitDiscards", NULL, 80, 16, COUNTER),
};
static LAYOUT(port_xmit_discard_details, "PortXmitDiscardDetails", 12);

static const struct madkit_field port_op_rcv_counters_fields[] = {
	SELECT_OPCODE(port_op_rcv_counters_select),
	FIELD("PortOpRcvPkts", NULL, 32, 32, COUNTER),
	FIELD("PortOpRcvData", NULL, 64, 32, COUNTER, OCTETS4),
};
static LAYOUT(port_op_rcv_counters, "PortOpRcvCounters", 12);

static const struct madkit_field port_flow_ctl_counters_fields[] = {
	SELECT(port_flow_ctl_counters_select),
	FIELD("PortXmitFlowPkts", NULL, 32, 32, COUNTER),
	FIELD("PortRcvFlowPkts", NULL, 64, 32, COUNTER),
};
static LAYOUT(port_flow_ctl_counters, "PortFlowCtlCounters", 12);

static const struct madkit_field port_vl_op_packets_fields[] = {
	SELECT_OPCODE(port_vl_op_packets_select),
	COUNTERS("PortVLOpPackets", NULL, 32, 16, 16),
};
static LAYOUT(port_vl_op_packets, "PortVLOpPackets", 36);

static const struct madkit_field port_vl_op_data_fields[] = {
	SELECT_OPCODE(port_vl_op_data_select),
	COUNTERS_OCTETS4("PortVLOpData", NULL, 32, 32, 16),
};
static LAYOUT(port_vl_op_data, "PortVLOpData", 68);

static const struct madkit_field port_vl_flow_ctl_errors_fields[] = {
	SELECT(port_vl_flow_ctl_errors_select),
	COUNTERS("PortVLXmitFlowCtlUpdateErrors", NULL, 32, 2, 16),
};
static LAYOUT(port_vl_flow_ctl_errors, "PortVLXmitFlowCtlUpdateErrors", 8);

static const struct madkit_field port_vl_xmit_wait_fields[] = {
	SELECT(port_vl_xmit_wait_select),
	COUNTERS("PortVLXmitWait", NULL, 32, 16, 16),
};
static LAYOUT(port_vl_xmit_wait, "PortVLXmitWaitCounters", 36);

/* Without RS-FEC: blocks per lane. With RS-FEC: the port counters that follow the lanes. */
#define EXT_SPEEDS \
	RESERVED("Reserved", 0, 8), \
	FIELD("PortSelect", NULL, 8, 8, UNSIGNED, SELECTOR), \
	RESERVED("Reserved2", 16, 48), \
	FIELD("CounterSelect", NULL, 64, 64, BITS, PLAIN, VALUES(port_extended_speeds_select)), \
	FIELD("SyncHeaderErrorCounter", NULL, 128, 16, COUNTER), \
	FIELD("UnknownBlockCounter", NULL, 144, 16, COUNTER)
#define EXT_SPEEDS_PORT \
	FIELD("PortFECCorrectableBlockCtr", NULL, 1120, 32, COUNTER), \
	FIELD("PortFECUncorrectableBlockCtr", NULL, 1152, 32, COUNTER), \
	FIELD("PortFECCorrectedSymbolCtr", NULL, 1184, 32, COUNTER), \
	RESERVED("Reserved3", 1216, 320)

static const struct madkit_field port_ext_speeds_fields[] = {
	EXT_SPEEDS,
	COUNTERS("ErrorDetectionCounterLane", NULL, 160, 16, 12),
	COUNTERS("FECCorrectableBlockCtrLane", NULL, 352, 32, 12),
	COUNTERS("FECUncorrectableBlockCtrLane", NULL, 736, 32, 12),
	EXT_SPEEDS_PORT,
};
static LAYOUT(port_ext_speeds, "PortExtendedSpeedsCounters", 192);

/* The fields of libibmad. The MAD does not say which layout applies: the active FEC mode in PortInfoExtended does. */
static const struct madkit_field port_ext_speeds_rsfec_fields[] = {
	EXT_SPEEDS,
	RESERVED("Reserved4", 160, 192),
	COUNTERS("FECCorrectableSymbolCtrLane", NULL, 352, 32, 12),
	RESERVED("Reserved5", 736, 384),
	EXT_SPEEDS_PORT,
};
static LAYOUT(port_ext_speeds_rsfec, "PortExtendedSpeedsCountersRSFEC", 192);

/* ---- congestion (annex A10.4.4), counters by SL (annex A13.6.4) ------------ */

static const struct madkit_field sw_port_vl_congestion_fields[] = {
	SELECT(sw_port_vl_congestion_select),
	COUNTERS("SWPortVLCongestion", NULL, 32, 16, 16),
};
static LAYOUT(sw_port_vl_congestion, "SwPortVLCongestion", 36);

static const struct madkit_field port_rcv_con_ctrl_fields[] = {
	SELECT(port_rcv_con_ctrl_select),
	FIELD("PortPktRcvFECN", NULL, 32, 32, COUNTER),
	FIELD("PortPktRcvBECN", NULL, 64, 32, COUNTER),
};
static LAYOUT(port_rcv_con_ctrl, "PortRcvConCtrl", 12);

static const struct madkit_field port_sl_rcv_fecn_fields[] = {
	SELECT(port_sl_rcv_fecn_select),
	COUNTERS("PortSLRcvFECN", NULL, 32, 32, 16),
};
static LAYOUT(port_sl_rcv_fecn, "PortSLRcvFECN", 68);

static const struct madkit_field port_sl_rcv_becn_fields[] = {
	SELECT(port_sl_rcv_becn_select),
	COUNTERS("PortSLRcvBECN", NULL, 32, 32, 16),
};
static LAYOUT(port_sl_rcv_becn, "PortSLRcvBECN", 68);

static const struct madkit_field port_xmit_con_ctrl_fields[] = {
	SELECT(port_xmit_con_ctrl_select),
	FIELD("PortXmitTimeCong", NULL, 32, 32, COUNTER),
};
static LAYOUT(port_xmit_con_ctrl, "PortXmitConCtrl", 8);

/* VL 15 is not counted. */
static const struct madkit_field port_vl_xmit_time_cong_fields[] = {
	SELECT(port_vl_xmit_time_cong_select),
	COUNTERS("PortVLXmitTimeCong", NULL, 32, 32, 15),
};
static LAYOUT(port_vl_xmit_time_cong, "PortVLXmitTimeCong", 64);

static const struct madkit_field port_xmit_data_sl_fields[] = {
	SELECT(port_xmit_data_sl_select),
	COUNTERS_OCTETS4("XmtDataSL", "PortXmitDataSL", 32, 32, 16),
};
static LAYOUT(port_xmit_data_sl, "PortXmitDataSL", 68);

static const struct madkit_field port_rcv_data_sl_fields[] = {
	SELECT(port_rcv_data_sl_select),
	COUNTERS_OCTETS4("RcvDataSL", "PortRcvDataSL", 32, 32, 16),
};
static LAYOUT(port_rcv_data_sl, "PortRcvDataSL", 68);

const struct madkit_attribute madkit_attributes_perf[] = {
	ATTRIBUTE("ClassPortInfo", "CPI", 0x0001, 72, class_port_info_perf),
	ATTRIBUTE("PortSamplesControl", NULL, 0x0010, 80, port_samples_control,
		  SELECTS("sampling mechanism")),
	ATTRIBUTE("PortSamplesResult", NULL, 0x0011, 64, port_samples_result,
		  SELECTS("sampling mechanism")),
	ATTRIBUTE("PortCounters", "PC", 0x0012, 44, port_counters,
		  COLUMNS("PortSelect,SymbolErrorCounter,LinkErrorRecoveryCounter,LinkDownedCounter,PortRcvErrors,PortXmitDiscards,"
			  "PortXmitData,PortRcvData,PortXmitPkts,PortRcvPkts,PortXmitWait")),
	ATTRIBUTE("PortRcvErrorDetails", NULL, 0x0015, 16, port_rcv_error_details),
	ATTRIBUTE("PortXmitDiscardDetails", NULL, 0x0016, 12, port_xmit_discard_details),
	ATTRIBUTE("PortOpRcvCounters", NULL, 0x0017, 12, port_op_rcv_counters),
	ATTRIBUTE("PortFlowCtlCounters", NULL, 0x0018, 12, port_flow_ctl_counters),
	ATTRIBUTE("PortVLOpPackets", NULL, 0x0019, 36, port_vl_op_packets),
	ATTRIBUTE("PortVLOpData", NULL, 0x001a, 68, port_vl_op_data),
	ATTRIBUTE("PortVLXmitFlowCtlUpdateErrors", NULL, 0x001b, 8, port_vl_flow_ctl_errors),
	ATTRIBUTE("PortVLXmitWaitCounters", NULL, 0x001c, 36, port_vl_xmit_wait),
	ATTRIBUTE("PortCountersExtended", "PortCountersExt,PCE", 0x001d, 184, port_counters_ext,
		  COLUMNS("PortSelect,SymbolErrorCounter,LinkErrorRecoveryCounter,LinkDownedCounter,PortRcvErrors,PortXmitDiscards,"
			  "PortXmitData,PortRcvData,PortXmitPkts,PortRcvPkts,PortXmitWait")),
	ATTRIBUTE("PortSamplesResultExtended", NULL, 0x001e, 128, port_samples_result_ext,
		  SELECTS("sampling mechanism")),
	ATTRIBUTE("PortExtendedSpeedsCounters", NULL, 0x001f, 192, port_ext_speeds),
	ATTRIBUTE("PortExtendedSpeedsCountersRSFEC", NULL, 0x001f, 192, port_ext_speeds_rsfec),
	ATTRIBUTE("SwPortVLCongestion", NULL, 0x0030, 36, sw_port_vl_congestion),
	ATTRIBUTE("PortRcvConCtrl", NULL, 0x0031, 12, port_rcv_con_ctrl),
	ATTRIBUTE("PortSLRcvFECN", NULL, 0x0032, 68, port_sl_rcv_fecn),
	ATTRIBUTE("PortSLRcvBECN", NULL, 0x0033, 68, port_sl_rcv_becn),
	ATTRIBUTE("PortXmitConCtrl", NULL, 0x0034, 8, port_xmit_con_ctrl),
	ATTRIBUTE("PortVLXmitTimeCong", NULL, 0x0035, 64, port_vl_xmit_time_cong),
	ATTRIBUTE("PortXmitDataSL", NULL, 0x0036, 68, port_xmit_data_sl),
	ATTRIBUTE("PortRcvDataSL", NULL, 0x0037, 68, port_rcv_data_sl),
};
