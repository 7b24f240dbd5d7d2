/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Words for values are the same as in libibmad's dumps, including the misspelt "Communicaton", because scripts search
 * for them.
 */
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include "values.h"

#define LIST(x)	const struct madkit_value madkit_values_##x[]
#define END	{ .name = NULL }
#define VALUE(v, n)	{ .value = v, .name = n }
/* ... with a magnitude to compare: kb/s, lanes, bytes, VLs or bits */
#define ORDERED(v, n, m)	{ .value = v, .name = n, .magnitude = m }
/* ... with the common name of a speed */
#define SPEED(v, n, m, a)	{ .value = v, .name = n, .magnitude = m, .alias = a }

/* ---- MADs (IBA volume 1, sections 13.4.5 and 13.4.7, 15.2.2) ------------- */

#define RESPONSE(x) (MADKIT_METHOD_##x | MADKIT_METHOD_RESPONSE)

/* of every class */
LIST(method) = {
	VALUE(MADKIT_METHOD_GET, "Get"),
	VALUE(MADKIT_METHOD_SET, "Set"),
	VALUE(MADKIT_METHOD_SEND, "Send"),
	VALUE(MADKIT_METHOD_TRAP, "Trap"),
	VALUE(MADKIT_METHOD_REPORT, "Report"),
	VALUE(MADKIT_METHOD_TRAP_REPRESS, "TrapRepress"),
	VALUE(RESPONSE(GET), "GetResp"),
	VALUE(RESPONSE(REPORT), "ReportResp"),
	END
};

/* the response to GetTraceTable is GetTableResp */
LIST(method_sa) = {
	VALUE(MADKIT_METHOD_GET_TABLE, "GetTable"),
	VALUE(MADKIT_METHOD_GET_TRACE_TABLE, "GetTraceTable"),
	VALUE(MADKIT_METHOD_GET_MULTI, "GetMulti"),
	VALUE(MADKIT_METHOD_DELETE, "Delete"),
	VALUE(RESPONSE(GET_TABLE), "GetTableResp"),
	VALUE(RESPONSE(GET_MULTI), "GetMultiResp"),
	VALUE(RESPONSE(DELETE), "DeleteResp"),
	END
};

/* bits 2 to 4 of the status, table 112 */
LIST(status_code) = {
	VALUE(1, "bad base or class version"),
	VALUE(2, "method not supported"),
	VALUE(3, "method and attribute combination not supported"),
	VALUE(4, "reserved code 4"),
	VALUE(5, "reserved code 5"),
	VALUE(6, "reserved code 6"),
	VALUE(7, "invalid value in attribute or modifier"),
	END
};

/* ---- ClassPortInfo (IBA volume 1, section 13.4.8.1; ib_types.h) -------------- */

/* of every class */
#define CPI_CAP \
	VALUE(1 << 0, "GeneratesTraps"), \
	VALUE(1 << 1, "ImplementsGetSetNotice"), \
	VALUE(1 << 2, "IsCapabilityMask2Supported")

LIST(cpi_cap) = {
	CPI_CAP,
	END
};

LIST(cpi_cap2) = {
	END
};

/* opa-ff's ib_bm.h */
LIST(cpi_cap_bm) = {
	CPI_CAP,
	VALUE(1 << 8, "IsIBMLSupported"),
	VALUE(1 << 9, "IsBKeyNVRAM"),
	END
};

LIST(cpi_cap_perf) = {
	CPI_CAP,
	VALUE(1 << 8, "AllPortSelect"),
	VALUE(1 << 9, "IsExtendedWidthSupported"),
	VALUE(1 << 10, "IsExtendedWidthSupportedNoIETF"),
	VALUE(1 << 11, "SamplesOnlySupported"),
	VALUE(1 << 12, "PortCountersXmitWaitSupported"),
	VALUE(1 << 13, "IsInhibitLimitedPkeyMulticastConstraintErrors"),
	VALUE(1 << 14, "IsRSFECModeSupported"),
	VALUE(1 << 15, "IsQP1DroppedSupported"),
	END
};

LIST(cpi_cap2_perf) = {
	VALUE(1 << 0, "IsPMKeySupported"),
	VALUE(1 << 1, "IsAdditionalPortCountersExtendedSupported"),
	END
};

/* opensm's osm_base.h */
LIST(cpi_cap_sa) = {
	CPI_CAP,
	VALUE(1 << 8, "IsSubnetOptionalRecordsSupported"),
	VALUE(1 << 9, "IsUDMulticastSupported"),
	VALUE(1 << 10, "IsMultiPathSupported"),
	VALUE(1 << 11, "IsReinitSupported"),
	VALUE(1 << 13, "IsPortInfoCapMaskMatchSupported"),
	END
};

LIST(cpi_cap2_sa) = {
	VALUE(1 << 1, "IsQoSSupported"),
	VALUE(1 << 2, "IsReversePathPKeySupported"),
	VALUE(1 << 3, "IsMulticastFDBTopSupported"),
	VALUE(1 << 4, "IsHierarchyInfoSupported"),
	VALUE(1 << 5, "IsAliasGUIDsSupported"),
	VALUE(1 << 6, "IsFullPortInfoRecordSupported"),
	VALUE(1 << 7, "IsExtendedSpeedsSupported"),
	VALUE(1 << 8, "IsMulticastServiceRecordsSupported"),
	VALUE(1 << 10, "IsPortInfoCapMask2MatchSupported"),
	VALUE(1 << 12, "IsSendOnlyFullMemberSupported"),
	VALUE(1 << 13, "IsLinkWidth2xSupported"),
	VALUE(1 << 15, "IsLinkSpeedHDRSupported"),
	VALUE(1 << 17, "IsLinkSpeedNDRSupported"),
	END
};

/* ---- nodes and ports (IBA volume 1, sections 14.2.5.3 and 14.2.5.6) ------- */

LIST(node_type) = {
	VALUE(1, "Channel Adapter"),
	VALUE(2, "Switch"),
	VALUE(3, "Router"),
	END
};

/* in the object "port": the type of a node, and the width and speed of a link, as one bit each */
LIST(severity) = {
	ORDERED(1, "info", 1),
	ORDERED(2, "warning", 2),
	ORDERED(3, "critical", 3),
	END
};

LIST(problem_event) = {
	VALUE(1, "open"),
	VALUE(2, "update"),
	VALUE(3, "close"),
	END
};

/* in their precedence: a link is in the first difference that applies */
LIST(difference) = {
	VALUE(1, "subnet"),
	VALUE(2, "replaced"),
	VALUE(3, "moved"),
	VALUE(4, "swapped"),
	VALUE(5, "recabled"),
	VALUE(6, "node-gone"),
	VALUE(7, "node-new"),
	VALUE(8, "link-gone"),
	VALUE(9, "link-new"),
	VALUE(10, "split"),
	VALUE(11, "rate"),
	VALUE(12, "renamed"),
	VALUE(13, "lid"),
	END
};

LIST(difference_by) = {
	VALUE(1, "trap"),
	VALUE(2, "sweep"),
	VALUE(3, "restart"),
	END
};

LIST(port_node_type) = {
	VALUE(1, "CA"),
	VALUE(2, "Switch"),
	VALUE(3, "Router"),
	END
};

LIST(width) = {
	ORDERED(1, "1x", 1),
	ORDERED(16, "2x", 2),
	ORDERED(2, "4x", 4),
	ORDERED(4, "8x", 8),
	ORDERED(8, "12x", 12),
	END
};

/* magnitude: the data rate of a lane, excluding 8b/10b or 64b/66b coding */
LIST(speed) = {
	ORDERED(1 << 0, "SDR", 2000000),
	ORDERED(1 << 1, "DDR", 4000000),
	ORDERED(1 << 2, "QDR", 8000000),
	ORDERED(1 << 3, "FDR10", 10000000),
	ORDERED(1 << 4, "FDR", 13636364),
	ORDERED(1 << 5, "EDR", 25000000),
	ORDERED(1 << 6, "HDR", 50000000),
	ORDERED(1 << 7, "NDR", 100000000),
	ORDERED(1 << 8, "XDR", 200000000),
	END
};

LIST(port_state) = {
	VALUE(0, "NoChange"),
	ORDERED(1, "Down", 1),
	ORDERED(2, "Initialize", 2),
	ORDERED(3, "Armed", 3),
	ORDERED(4, "Active", 4),
	END
};

LIST(phys_state) = {
	VALUE(0, "NoChange"),
	VALUE(1, "Sleep"),
	VALUE(2, "Polling"),
	VALUE(3, "Disabled"),
	VALUE(4, "PortConfigurationTraining"),
	VALUE(5, "LinkUp"),
	VALUE(6, "LinkErrorRecovery"),
	VALUE(7, "PhyTest"),
	END
};

LIST(link_down_default) = {
	VALUE(0, "NoChange"),
	VALUE(1, "Sleep"),
	VALUE(2, "Polling"),
	END
};

LIST(link_width) = {
	VALUE(1, "1X"),
	VALUE(2, "4X"),
	VALUE(4, "8X"),
	VALUE(8, "12X"),
	VALUE(16, "2X"),
	END
};

LIST(link_width_active) = {
	ORDERED(1, "1X", 1),
	ORDERED(2, "4X", 4),
	ORDERED(4, "8X", 8),
	ORDERED(8, "12X", 12),
	ORDERED(16, "2X", 2),
	END
};

LIST(link_speed) = {
	SPEED(1, "2.5 Gbps", 0, "SDR"),
	SPEED(2, "5.0 Gbps", 0, "DDR"),
	SPEED(4, "10.0 Gbps", 0, "QDR"),
	END
};

LIST(link_speed_active) = {
	VALUE(0, "Extended speed"),
	SPEED(1, "2.5 Gbps", 2500000, "SDR"),
	SPEED(2, "5.0 Gbps", 5000000, "DDR"),
	SPEED(4, "10.0 Gbps", 10000000, "QDR"),
	END
};

/* FDR, EDR, HDR, NDR by lane; if there is none, the dumps have "0" */
LIST(link_speed_ext) = {
	VALUE(0, "0"),
	SPEED(1, "14.0625 Gbps", 0, "FDR"),
	SPEED(2, "25.78125 Gbps", 0, "EDR"),
	SPEED(4, "53.125 Gbps", 0, "HDR"),
	SPEED(8, "106.25 Gbps", 0, "NDR"),
	END
};

LIST(link_speed_ext_enabled) = {
	VALUE(0, "0"),
	SPEED(1, "14.0625 Gbps", 0, "FDR"),
	SPEED(2, "25.78125 Gbps", 0, "EDR"),
	SPEED(4, "53.125 Gbps", 0, "HDR"),
	SPEED(8, "106.25 Gbps", 0, "NDR"),
	VALUE(30, "Extended link speeds disabled"),
	END
};

/* Less than each extended speed, so that a filter for slow links also finds these. */
LIST(link_speed_ext_active) = {
	ORDERED(0, "No Extended Speed", 1),
	SPEED(1, "14.0625 Gbps", 14062500, "FDR"),
	SPEED(2, "25.78125 Gbps", 25781250, "EDR"),
	SPEED(4, "53.125 Gbps", 53125000, "HDR"),
	SPEED(8, "106.25 Gbps", 106250000, "NDR"),
	END
};

/* XDR */
LIST(link_speed_ext2) = {
	VALUE(0, "0"),
	SPEED(1, "212.5 Gbps", 0, "XDR"),
	END
};

LIST(link_speed_ext2_active) = {
	ORDERED(0, "No Extended Speed 2", 1),
	SPEED(1, "212.5 Gbps", 212500000, "XDR"),
	END
};

LIST(mtu) = {
	ORDERED(1, "256", 256),
	ORDERED(2, "512", 512),
	ORDERED(3, "1024", 1024),
	ORDERED(4, "2048", 2048),
	ORDERED(5, "4096", 4096),
	END
};

LIST(vl_cap) = {
	ORDERED(1, "VL0", 1),
	ORDERED(2, "VL0-1", 2),
	ORDERED(3, "VL0-3", 4),
	ORDERED(4, "VL0-7", 8),
	ORDERED(5, "VL0-14", 15),
	END
};

LIST(oper_vls) = {
	VALUE(0, "No change"),
	ORDERED(1, "VL0", 1),
	ORDERED(2, "VL0-1", 2),
	ORDERED(3, "VL0-3", 4),
	ORDERED(4, "VL0-7", 8),
	ORDERED(5, "VL0-14", 15),
	END
};

LIST(cap_mask) = {
	VALUE(1u << 1, "IsSM"),
	VALUE(1u << 2, "IsNoticeSupported"),
	VALUE(1u << 3, "IsTrapSupported"),
	VALUE(1u << 4, "IsOptionalIPDSupported"),
	VALUE(1u << 5, "IsAutomaticMigrationSupported"),
	VALUE(1u << 6, "IsSLMappingSupported"),
	VALUE(1u << 7, "IsMKeyNVRAM"),
	VALUE(1u << 8, "IsPKeyNVRAM"),
	VALUE(1u << 9, "IsLedInfoSupported"),
	VALUE(1u << 10, "IsSMdisabled"),
	VALUE(1u << 11, "IsSystemImageGUIDsupported"),
	VALUE(1u << 12, "IsPkeySwitchExternalPortTrapSupported"),
	VALUE(1u << 13, "IsCableInfoSupported"),
	VALUE(1u << 14, "IsExtendedSpeedsSupported"),
	VALUE(1u << 15, "IsCapabilityMask2Supported"),
	VALUE(1u << 16, "IsCommunicatonManagementSupported"),
	VALUE(1u << 17, "IsSNMPTunnelingSupported"),
	VALUE(1u << 18, "IsReinitSupported"),
	VALUE(1u << 19, "IsDeviceManagementSupported"),
	VALUE(1u << 20, "IsVendorClassSupported"),
	VALUE(1u << 21, "IsDRNoticeSupported"),
	VALUE(1u << 22, "IsCapabilityMaskNoticeSupported"),
	VALUE(1u << 23, "IsBootManagementSupported"),
	VALUE(1u << 24, "IsLinkRoundTripLatencySupported"),
	VALUE(1u << 25, "IsClientRegistrationSupported"),
	VALUE(1u << 26, "IsOtherLocalChangesNoticeSupported"),
	VALUE(1u << 27, "IsLinkSpeedWidthPairsTableSupported"),
	VALUE(1u << 28, "IsVendorSpecificMadsTableSupported"),
	VALUE(1u << 29, "IsMcastPkeyTrapSuppressionSupported"),
	VALUE(1u << 30, "IsMulticastFDBTopSupported"),
	VALUE(1u << 31, "IsHierarchyInfoSupported"),
	END
};

/* the last two as in the kernel's ib_mad.h */
LIST(cap_mask2) = {
	VALUE(1 << 0, "IsSetNodeDescriptionSupported"),
	VALUE(1 << 1, "IsPortInfoExtendedSupported"),
	VALUE(1 << 2, "IsVirtualizationSupported"),
	VALUE(1 << 3, "IsSwitchPortStateTableSupported"),
	VALUE(1 << 4, "IsLinkWidth2xSupported"),
	VALUE(1 << 5, "IsLinkSpeedHDRSupported"),
	VALUE(1 << 6, "IsMKeyProtectBitsExtSupported"),
	VALUE(1 << 7, "IsEnhancedTrap128Supported"),
	VALUE(1 << 8, "IsPartitionTopSupported"),
	VALUE(1 << 9, "IsEnhancedQoSArbiterSupported"),
	VALUE(1 << 10, "IsLinkSpeedNDRSupported"),
	VALUE(1 << 11, "IsExtendedSpeeds2Supported"),
	VALUE(1 << 12, "IsLinkSpeedXDRSupported"),
	END
};

/* IBA volume 1, section 14.2.5.13 */
LIST(sm_state) = {
	VALUE(0, "NotActive"),
	VALUE(1, "Discovering"),
	VALUE(2, "Standby"),
	VALUE(3, "Master"),
	END
};

/* ---- notices (IBA volume 1, section 13.4.8.2) ------------------------------ */

LIST(notice_type) = {
	VALUE(0, "Fatal"),
	VALUE(1, "Urgent"),
	VALUE(2, "Security"),
	VALUE(3, "SubnetManagement"),
	VALUE(4, "Informational"),
	VALUE(0x7f, "Empty"),
	END
};

/* in a subscription: 16 bits wide */
LIST(trap_type) = {
	VALUE(0, "Fatal"),
	VALUE(1, "Urgent"),
	VALUE(2, "Security"),
	VALUE(3, "SubnetManagement"),
	VALUE(4, "Informational"),
	VALUE(0xffff, "All"),
	END
};

LIST(producer_type) = {
	VALUE(1, "Channel Adapter"),
	VALUE(2, "Switch"),
	VALUE(3, "Router"),
	VALUE(4, "Class Manager"),
	END
};

/* ---- subnet administration (IBA volume 1, sections 15.2.5.16 and .17) ------ */

/* Ordered by the signalling rate, which the names omit or round. */
LIST(rate) = {
	ORDERED(2, "2.5 Gbps", 2500000),
	ORDERED(3, "10 Gbps", 10000000),
	ORDERED(4, "30 Gbps", 30000000),
	ORDERED(5, "5 Gbps", 5000000),
	ORDERED(6, "20 Gbps", 20000000),
	ORDERED(7, "40 Gbps", 40000000),
	ORDERED(8, "60 Gbps", 60000000),
	ORDERED(9, "80 Gbps", 80000000),
	ORDERED(10, "120 Gbps", 120000000),
	ORDERED(11, "14 Gbps", 14062500),
	ORDERED(12, "56 Gbps", 56250000),
	ORDERED(13, "112 Gbps", 112500000),
	ORDERED(14, "168 Gbps", 168750000),
	ORDERED(15, "25 Gbps", 25781250),
	ORDERED(16, "100 Gbps", 103125000),
	ORDERED(17, "200 Gbps", 206250000),
	ORDERED(18, "300 Gbps", 309375000),
	ORDERED(19, "28 Gbps", 28125000),
	ORDERED(20, "50 Gbps", 53125000),
	ORDERED(21, "400 Gbps", 425000000),
	ORDERED(22, "600 Gbps", 637500000),
	ORDERED(23, "800 Gbps", 850000000),
	ORDERED(24, "1200 Gbps", 1275000000),
	ORDERED(25, "1600 Gbps", 1700000000),
	END
};

LIST(selector) = {
	VALUE(0, "GreaterThan"),
	VALUE(1, "LessThan"),
	VALUE(2, "Exactly"),
	VALUE(3, "Largest"),
	END
};

LIST(selector_time) = {
	VALUE(0, "GreaterThan"),
	VALUE(1, "LessThan"),
	VALUE(2, "Exactly"),
	VALUE(3, "Smallest"),
	END
};

LIST(mc_scope) = {
	ORDERED(0x2, "LinkLocal", 0x2),
	ORDERED(0x5, "SiteLocal", 0x5),
	ORDERED(0x8, "OrganizationLocal", 0x8),
	ORDERED(0xe, "Global", 0xe),
	END
};

LIST(join_state) = {
	VALUE(1, "FullMember"),
	VALUE(2, "NonMember"),
	VALUE(4, "SendOnlyNonMember"),
	VALUE(8, "SendOnlyFullMember"),
	END
};

/* IBA volume 1, table 193 */
LIST(sa_status) = {
	VALUE(MADKIT_SA_STATUS_NO_RESOURCES, "no resources"),
	VALUE(MADKIT_SA_STATUS_INVALID_REQUEST, "invalid request"),
	VALUE(MADKIT_SA_STATUS_NO_RECORDS, "no records"),
	VALUE(MADKIT_SA_STATUS_TOO_MANY_RECORDS, "too many records"),
	VALUE(MADKIT_SA_STATUS_INVALID_GID, "invalid GID"),
	VALUE(MADKIT_SA_STATUS_INSUFFICIENT_COMPONENTS, "insufficient components"),
	VALUE(MADKIT_SA_STATUS_DENIED, "request denied"),
	VALUE(MADKIT_SA_STATUS_PRIORITY_SUGGESTED, "priority suggested"),
	END
};

/* ---- RMPP (IBA volume 1, section 13.6.2) ----------------------------------- */

LIST(rmpp_type) = {
	VALUE(MADKIT_RMPP_DATA, "DATA"),
	VALUE(MADKIT_RMPP_ACK, "ACK"),
	VALUE(MADKIT_RMPP_STOP, "STOP"),
	VALUE(MADKIT_RMPP_ABORT, "ABORT"),
	END
};

LIST(rmpp_flags) = {
	VALUE(MADKIT_RMPP_ACTIVE, "ACTIVE"),
	VALUE(MADKIT_RMPP_FIRST, "FIRST"),
	VALUE(MADKIT_RMPP_LAST, "LAST"),
	END
};

LIST(rmpp_status) = {
	VALUE(MADKIT_RMPP_STATUS_OK, "normal"),
	VALUE(MADKIT_RMPP_STATUS_RESOURCES, "resources exhausted"),
	VALUE(MADKIT_RMPP_STATUS_TIME, "total time exceeded"),
	VALUE(MADKIT_RMPP_STATUS_LENGTH, "inconsistent last and payload length"),
	VALUE(MADKIT_RMPP_STATUS_FIRST, "inconsistent first and segment number"),
	VALUE(MADKIT_RMPP_STATUS_TYPE, "bad type"),
	VALUE(MADKIT_RMPP_STATUS_WINDOW, "new window last too small"),
	VALUE(MADKIT_RMPP_STATUS_SEGMENT, "segment number too big"),
	VALUE(MADKIT_RMPP_STATUS_ILLEGAL, "illegal status"),
	VALUE(MADKIT_RMPP_STATUS_VERSION, "unsupported version"),
	VALUE(MADKIT_RMPP_STATUS_RETRIES, "too many retries"),
	VALUE(MADKIT_RMPP_STATUS_UNSPECIFIED, "unspecified"),
	END
};

/* ---- performance (opa-ff's ib_pm.h) --------------------------------------- */

LIST(extended_width) = {
	ORDERED(1, "48 bits", 48),
	ORDERED(2, "64 bits", 64),
	END
};

/* ---- PortInfoExtended ------------------------------------------------------ */

LIST(port_ext_cap_mask) = {
	VALUE(1, "IsFECModeSupported"),
	END
};

LIST(fec_mode) = {
	VALUE(0, "NoFEC"),
	VALUE(1, "FireCodeFEC"),
	VALUE(2, "RSFEC"),
	VALUE(3, "LowLatencyRSFEC"),
	VALUE(4, "RSFEC2"),
	END
};

/* ---- CounterSelect and CounterSelect2 (IBA volume 1, sections 16.1.3.5 and 16.1.4) ----- */

/* A bit has the name of the counter that it selects. Bit n selects the counter of VL n or SL n. */
#define SELECT_EACH15(n) \
	VALUE(1 << 0, n "0"), VALUE(1 << 1, n "1"), VALUE(1 << 2, n "2"), VALUE(1 << 3, n "3"), \
	VALUE(1 << 4, n "4"), VALUE(1 << 5, n "5"), VALUE(1 << 6, n "6"), VALUE(1 << 7, n "7"), \
	VALUE(1 << 8, n "8"), VALUE(1 << 9, n "9"), VALUE(1 << 10, n "10"), VALUE(1 << 11, n "11"), \
	VALUE(1 << 12, n "12"), VALUE(1 << 13, n "13"), VALUE(1 << 14, n "14")
#define SELECT_EACH16(n) SELECT_EACH15(n), VALUE(1 << 15, n "15")

LIST(port_counters_select) = {
	VALUE(1 << 0, "SymbolErrorCounter"),
	VALUE(1 << 1, "LinkErrorRecoveryCounter"),
	VALUE(1 << 2, "LinkDownedCounter"),
	VALUE(1 << 3, "PortRcvErrors"),
	VALUE(1 << 4, "PortRcvRemotePhysicalErrors"),
	VALUE(1 << 5, "PortRcvSwitchRelayErrors"),
	VALUE(1 << 6, "PortXmitDiscards"),
	VALUE(1 << 7, "PortXmitConstraintErrors"),
	VALUE(1 << 8, "PortRcvConstraintErrors"),
	VALUE(1 << 9, "LocalLinkIntegrityErrors"),
	VALUE(1 << 10, "ExcessiveBufferOverrunErrors"),
	VALUE(1 << 11, "VL15Dropped"),
	VALUE(1 << 12, "PortXmitData"),
	VALUE(1 << 13, "PortRcvData"),
	VALUE(1 << 14, "PortXmitPkts"),
	VALUE(1 << 15, "PortRcvPkts"),
	END
};

LIST(port_counters_select2) = {
	VALUE(1 << 0, "PortXmitWait"),
	VALUE(1 << 1, "QP1Dropped"),
	END
};

LIST(port_counters_extended_select) = {
	VALUE(1 << 0, "PortXmitData"),
	VALUE(1 << 1, "PortRcvData"),
	VALUE(1 << 2, "PortXmitPkts"),
	VALUE(1 << 3, "PortRcvPkts"),
	VALUE(1 << 4, "PortUnicastXmitPkts"),
	VALUE(1 << 5, "PortUnicastRcvPkts"),
	VALUE(1 << 6, "PortMulticastXmitPkts"),
	VALUE(1 << 7, "PortMulticastRcvPkts"),
	END
};

LIST(port_counters_extended_select2) = {
	VALUE(1 << 0, "SymbolErrorCounter"),
	VALUE(1 << 1, "LinkErrorRecoveryCounter"),
	VALUE(1 << 2, "LinkDownedCounter"),
	VALUE(1 << 3, "PortRcvErrors"),
	VALUE(1 << 4, "PortRcvRemotePhysicalErrors"),
	VALUE(1 << 5, "PortRcvSwitchRelayErrors"),
	VALUE(1 << 6, "PortXmitDiscards"),
	VALUE(1 << 7, "PortXmitConstraintErrors"),
	VALUE(1 << 8, "PortRcvConstraintErrors"),
	VALUE(1 << 9, "LocalLinkIntegrityErrors"),
	VALUE(1 << 10, "ExcessiveBufferOverrunErrors"),
	VALUE(1 << 11, "VL15Dropped"),
	VALUE(1 << 12, "PortXmitWait"),
	VALUE(1 << 13, "QP1Dropped"),
	END
};

LIST(port_rcv_error_details_select) = {
	VALUE(1 << 0, "PortLocalPhysicalErrors"),
	VALUE(1 << 1, "PortMalformedPktErrors"),
	VALUE(1 << 2, "PortBufferOverrunErrors"),
	VALUE(1 << 3, "PortDLIDMappingErrors"),
	VALUE(1 << 4, "PortVLMappingErrors"),
	VALUE(1 << 5, "PortLoopingErrors"),
	END
};

LIST(port_xmit_discard_details_select) = {
	VALUE(1 << 0, "PortInactiveDiscards"),
	VALUE(1 << 1, "PortNeighborMTUDiscards"),
	VALUE(1 << 2, "PortSwLifetimeLimitDiscards"),
	VALUE(1 << 3, "PortSwHOQLifetimeLimitDiscards"),
	END
};

LIST(port_op_rcv_counters_select) = {
	VALUE(1 << 0, "PortOpRcvPkts"),
	VALUE(1 << 1, "PortOpRcvData"),
	END
};

LIST(port_flow_ctl_counters_select) = {
	VALUE(1 << 0, "PortXmitFlowPkts"),
	VALUE(1 << 1, "PortRcvFlowPkts"),
	END
};

LIST(port_vl_op_packets_select) = { SELECT_EACH16("PortVLOpPackets"), END };

LIST(port_vl_op_data_select) = { SELECT_EACH16("PortVLOpData"), END };

LIST(port_vl_flow_ctl_errors_select) = { SELECT_EACH16("PortVLXmitFlowCtlUpdateErrors"), END };

LIST(port_vl_xmit_wait_select) = { SELECT_EACH16("PortVLXmitWait"), END };

/* 64 bits; no public source says which counters they select */
LIST(port_extended_speeds_select) = {
	END
};

LIST(sw_port_vl_congestion_select) = { SELECT_EACH16("SWPortVLCongestion"), END };

LIST(port_rcv_con_ctrl_select) = {
	VALUE(1 << 0, "PortPktRcvFECN"),
	VALUE(1 << 1, "PortPktRcvBECN"),
	END
};

LIST(port_sl_rcv_fecn_select) = { SELECT_EACH16("PortSLRcvFECN"), END };

LIST(port_sl_rcv_becn_select) = { SELECT_EACH16("PortSLRcvBECN"), END };

LIST(port_xmit_con_ctrl_select) = {
	VALUE(1 << 0, "PortXmitTimeCong"),
	END
};

LIST(port_vl_xmit_time_cong_select) = { SELECT_EACH15("PortVLXmitTimeCong"), END };

LIST(port_xmit_data_sl_select) = { SELECT_EACH16("XmtDataSL"), END };

LIST(port_rcv_data_sl_select) = { SELECT_EACH16("RcvDataSL"), END };

/* ---- device management (IBA volume 1, section 16.3.3) ---------------------- */

LIST(controller_state) = {
	VALUE(0, "None"),
	VALUE(1, "Installed"),
	VALUE(15, "NoSlot"),
	END
};

/* to and from: messages that the controller accepts, and messages that it sends */
LIST(controller_ops) = {
	VALUE(0x01, "SendTo"),
	VALUE(0x02, "SendFrom"),
	VALUE(0x04, "RDMAReadTo"),
	VALUE(0x08, "RDMAReadFrom"),
	VALUE(0x10, "RDMAWriteTo"),
	VALUE(0x20, "RDMAWriteFrom"),
	VALUE(0x40, "AtomicTo"),
	VALUE(0x80, "AtomicFrom"),
	END
};

/* ---- baseboard management (opa-ff's ib_bm.h) ------------------------------- */

LIST(bm_device) = {
	VALUE(0x00, "Unspecified"),
	VALUE(0xe0, "MME"),
	VALUE(0xe8, "CME"),
	VALUE(0xfe, "BM"),
	END
};

LIST(bm_status) = {
	VALUE(0x00, "OK"),
	VALUE(0x01, "Error"),
	VALUE(0x02, "CMEBusy"),
	VALUE(0x03, "MMEBusy"),
	VALUE(0x04, "CommandNotSupported"),
	VALUE(0x05, "IllegalParameter"),
	VALUE(0x40, "WriteProtected"),
	VALUE(0x41, "NACK"),
	VALUE(0x42, "BusError"),
	VALUE(0x43, "Busy"),
	VALUE(0x44, "InvalidVPDDeviceSelector"),
	VALUE(0x45, "IllegalOffset"),
	VALUE(0x46, "IllegalByteCount"),
	END
};

LIST(bm_trap_type) = {
	VALUE(0, "MME"),
	VALUE(1, "OEMMME"),
	VALUE(2, "CMERTR"),
	VALUE(3, "WRE"),
	VALUE(4, "CME"),
	VALUE(5, "OEMCME"),
	END
};

/* ---- congestion control (opa-ff's stl_sm_types.h) ----------------------------- */

LIST(cc_info) = {
	VALUE(1 << 0, "IsCreditStarvationSupported"),
	END
};

/* which settings of the switch apply */
LIST(cc_control_map) = {
	VALUE(1 << 0, "Victim_Mask"),
	VALUE(1 << 1, "Credit_Mask"),
	VALUE(1 << 2, "Threshold"),
	VALUE(1 << 3, "CS_Threshold"),
	VALUE(1 << 4, "Marking_Rate"),
	END
};

/* ---- communication management (the kernel's ib_cm.h and cm_msgs.h) ---------- */

LIST(cm_transport) = {
	VALUE(0, "RC"),
	VALUE(1, "UC"),
	VALUE(2, "RD"),
	VALUE(3, "Extended"),
	END
};

LIST(cm_transport_extended) = {
	VALUE(1, "XRC"),
	END
};

/* the message that was received */
LIST(cm_mra_message) = {
	VALUE(0, "REQ"),
	VALUE(1, "REP"),
	VALUE(2, "LAP"),
	END
};

LIST(cm_rej_message) = {
	VALUE(0, "REQ"),
	VALUE(1, "REP"),
	VALUE(2, "Other"),
	END
};

/* 24 and 25 as in the kernel; opa-ff's ib_cm.h lacks 25, and its numbers from there on are one less */
LIST(cm_rej_reason) = {
	VALUE(1, "NoQP"),
	VALUE(2, "NoEEC"),
	VALUE(3, "NoResources"),
	VALUE(4, "Timeout"),
	VALUE(5, "UnsupportedRequest"),
	VALUE(6, "InvalidCommID"),
	VALUE(7, "InvalidCommInstance"),
	VALUE(8, "InvalidServiceID"),
	VALUE(9, "InvalidTransportType"),
	VALUE(10, "StaleConnection"),
	VALUE(11, "RDCDoesNotExist"),
	VALUE(12, "InvalidPrimaryGID"),
	VALUE(13, "InvalidPrimaryLID"),
	VALUE(14, "InvalidPrimarySL"),
	VALUE(15, "InvalidPrimaryTrafficClass"),
	VALUE(16, "InvalidPrimaryHopLimit"),
	VALUE(17, "InvalidPrimaryPacketRate"),
	VALUE(18, "InvalidAlternateGID"),
	VALUE(19, "InvalidAlternateLID"),
	VALUE(20, "InvalidAlternateSL"),
	VALUE(21, "InvalidAlternateTrafficClass"),
	VALUE(22, "InvalidAlternateHopLimit"),
	VALUE(23, "InvalidAlternatePacketRate"),
	VALUE(24, "PortAndCMRedirection"),
	VALUE(25, "PortRedirection"),
	VALUE(26, "InvalidPathMTU"),
	VALUE(27, "InsufficientResponderResources"),
	VALUE(28, "ConsumerReject"),
	VALUE(29, "InvalidRNRRetryCount"),
	VALUE(30, "DuplicateLocalCommID"),
	VALUE(31, "UnsupportedClassVersion"),
	VALUE(32, "InvalidPrimaryFlowLabel"),
	VALUE(33, "InvalidAlternateFlowLabel"),
	VALUE(35, "VendorOptionNotSupported"),
	END
};

LIST(cm_ap_status) = {
	VALUE(0, "PathLoaded"),
	VALUE(1, "InvalidCommID"),
	VALUE(2, "UnsupportedRequest"),
	VALUE(3, "Rejected"),
	VALUE(4, "Redirection"),
	VALUE(5, "DuplicatePath"),
	VALUE(6, "InvalidQPNEECN"),
	VALUE(7, "InvalidLID"),
	VALUE(8, "InvalidGID"),
	VALUE(9, "InvalidFlowLabel"),
	VALUE(10, "InvalidTrafficClass"),
	VALUE(11, "InvalidHopLimit"),
	VALUE(12, "InvalidPacketRate"),
	VALUE(13, "InvalidSL"),
	END
};

LIST(cm_sidr_status) = {
	VALUE(0, "Valid"),
	VALUE(1, "ServiceIDNotSupported"),
	VALUE(2, "Rejected"),
	VALUE(3, "NoQP"),
	VALUE(4, "Redirection"),
	VALUE(5, "VersionNotSupported"),
	END
};

/* ---- Mellanox's (mstflint) --------------------------------------------------- */

LIST(mlnx_tlv) = {
	VALUE(0, "End"),
	VALUE(1, "Operation"),
	VALUE(2, "DR"),
	VALUE(3, "Register"),
	VALUE(4, "UserData"),
	END
};

LIST(mlnx_register_method) = {
	VALUE(1, "Query"),
	VALUE(2, "Write"),
	END
};

LIST(mlnx_semaphore_op) = {
	VALUE(1, "Lock"),
	VALUE(2, "Extend"),
	VALUE(3, "Release"),
	END
};

/* two of its bits */
LIST(mlnx_general_cap) = {
	VALUE(1 << 20, "IsAccessRegisterGMPSupported"),
	VALUE(1 << 25, "IsEnhancedPort0ResetSupported"),
	END
};
