/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where libibmad's dumps have words for a value these are the same words, the
 * misspelt "Communicaton" included: scripts look for them.
 */
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include "values.h"

#define LIST(x)	const struct madkit_value madkit_values_##x[]
#define END	{ 0, NULL }

/* ---- MADs (IBA volume 1, sections 13.4.5 and 13.4.7, 15.2.2) ------------- */

#define RESPONSE(x) (MADKIT_METHOD_##x | MADKIT_METHOD_RESPONSE)

/* of every class */
LIST(method) = {
	{ MADKIT_METHOD_GET, "Get" },
	{ MADKIT_METHOD_SET, "Set" },
	{ MADKIT_METHOD_SEND, "Send" },
	{ MADKIT_METHOD_TRAP, "Trap" },
	{ MADKIT_METHOD_REPORT, "Report" },
	{ MADKIT_METHOD_TRAP_REPRESS, "TrapRepress" },
	{ RESPONSE(GET), "GetResp" },
	{ RESPONSE(REPORT), "ReportResp" },
	END
};

/* GetTraceTable is answered by GetTableResp */
LIST(method_sa) = {
	{ MADKIT_METHOD_GET_TABLE, "GetTable" },
	{ MADKIT_METHOD_GET_TRACE_TABLE, "GetTraceTable" },
	{ MADKIT_METHOD_GET_MULTI, "GetMulti" },
	{ MADKIT_METHOD_DELETE, "Delete" },
	{ RESPONSE(GET_TABLE), "GetTableResp" },
	{ RESPONSE(GET_MULTI), "GetMultiResp" },
	{ RESPONSE(DELETE), "DeleteResp" },
	END
};

/* bits 2 to 4 of the status, table 112 */
LIST(status_code) = {
	{ 1, "bad base or class version" },
	{ 2, "method not supported" },
	{ 3, "method and attribute combination not supported" },
	{ 4, "reserved code 4" },
	{ 5, "reserved code 5" },
	{ 6, "reserved code 6" },
	{ 7, "invalid value in attribute or modifier" },
	END
};

/* ---- ClassPortInfo (IBA volume 1, section 13.4.8.1; ib_types.h) -------------- */

/* of every class */
#define CPI_CAP \
	{ 1 << 0, "GeneratesTraps" }, \
	{ 1 << 1, "ImplementsGetSetNotice" }, \
	{ 1 << 2, "IsCapabilityMask2Supported" }

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
	{ 1 << 8, "IsIBMLSupported" },
	{ 1 << 9, "IsBKeyNVRAM" },
	END
};

LIST(cpi_cap_perf) = {
	CPI_CAP,
	{ 1 << 8, "AllPortSelect" },
	{ 1 << 9, "IsExtendedWidthSupported" },
	{ 1 << 10, "IsExtendedWidthSupportedNoIETF" },
	{ 1 << 11, "SamplesOnlySupported" },
	{ 1 << 12, "PortCountersXmitWaitSupported" },
	{ 1 << 13, "IsInhibitLimitedPkeyMulticastConstraintErrors" },
	{ 1 << 14, "IsRSFECModeSupported" },
	{ 1 << 15, "IsQP1DroppedSupported" },
	END
};

LIST(cpi_cap2_perf) = {
	{ 1 << 0, "IsPMKeySupported" },
	{ 1 << 1, "IsAdditionalPortCountersExtendedSupported" },
	END
};

/* opensm's osm_base.h */
LIST(cpi_cap_sa) = {
	CPI_CAP,
	{ 1 << 8, "IsSubnetOptionalRecordsSupported" },
	{ 1 << 9, "IsUDMulticastSupported" },
	{ 1 << 10, "IsMultiPathSupported" },
	{ 1 << 11, "IsReinitSupported" },
	{ 1 << 13, "IsPortInfoCapMaskMatchSupported" },
	END
};

LIST(cpi_cap2_sa) = {
	{ 1 << 1, "IsQoSSupported" },
	{ 1 << 2, "IsReversePathPKeySupported" },
	{ 1 << 3, "IsMulticastFDBTopSupported" },
	{ 1 << 4, "IsHierarchyInfoSupported" },
	{ 1 << 5, "IsAliasGUIDsSupported" },
	{ 1 << 6, "IsFullPortInfoRecordSupported" },
	{ 1 << 7, "IsExtendedSpeedsSupported" },
	{ 1 << 8, "IsMulticastServiceRecordsSupported" },
	{ 1 << 10, "IsPortInfoCapMask2MatchSupported" },
	{ 1 << 12, "IsSendOnlyFullMemberSupported" },
	{ 1 << 13, "IsLinkWidth2xSupported" },
	{ 1 << 15, "IsLinkSpeedHDRSupported" },
	{ 1 << 17, "IsLinkSpeedNDRSupported" },
	END
};

/* ---- nodes and ports (IBA volume 1, sections 14.2.5.3 and 14.2.5.6) ------- */

LIST(node_type) = {
	{ 1, "Channel Adapter" },
	{ 2, "Switch" },
	{ 3, "Router" },
	END
};

LIST(port_state) = {
	{ 0, "NoChange" },
	{ 1, "Down" },
	{ 2, "Initialize" },
	{ 3, "Armed" },
	{ 4, "Active" },
	END
};

LIST(phys_state) = {
	{ 0, "NoChange" },
	{ 1, "Sleep" },
	{ 2, "Polling" },
	{ 3, "Disabled" },
	{ 4, "PortConfigurationTraining" },
	{ 5, "LinkUp" },
	{ 6, "LinkErrorRecovery" },
	{ 7, "PhyTest" },
	END
};

LIST(link_down_default) = {
	{ 0, "NoChange" },
	{ 1, "Sleep" },
	{ 2, "Polling" },
	END
};

LIST(link_width) = {
	{ 1, "1X" },
	{ 2, "4X" },
	{ 4, "8X" },
	{ 8, "12X" },
	{ 16, "2X" },
	END
};

LIST(link_width_active) = {
	{ 1, "1X" },
	{ 2, "4X" },
	{ 4, "8X" },
	{ 8, "12X" },
	{ 16, "2X" },
	END
};

LIST(link_speed) = {
	{ 1, "2.5 Gbps" },
	{ 2, "5.0 Gbps" },
	{ 4, "10.0 Gbps" },
	END
};

LIST(link_speed_active) = {
	{ 0, "Extended speed" },
	{ 1, "2.5 Gbps" },
	{ 2, "5.0 Gbps" },
	{ 4, "10.0 Gbps" },
	END
};

/* FDR, EDR, HDR, NDR by lane; none of them is "0" in the dumps */
LIST(link_speed_ext) = {
	{ 0, "0" },
	{ 1, "14.0625 Gbps" },
	{ 2, "25.78125 Gbps" },
	{ 4, "53.125 Gbps" },
	{ 8, "106.25 Gbps" },
	END
};

LIST(link_speed_ext_enabled) = {
	{ 0, "0" },
	{ 1, "14.0625 Gbps" },
	{ 2, "25.78125 Gbps" },
	{ 4, "53.125 Gbps" },
	{ 8, "106.25 Gbps" },
	{ 30, "Extended link speeds disabled" },
	END
};

LIST(link_speed_ext_active) = {
	{ 0, "No Extended Speed" },
	{ 1, "14.0625 Gbps" },
	{ 2, "25.78125 Gbps" },
	{ 4, "53.125 Gbps" },
	{ 8, "106.25 Gbps" },
	END
};

/* XDR */
LIST(link_speed_ext2) = {
	{ 0, "0" },
	{ 1, "212.5 Gbps" },
	END
};

LIST(link_speed_ext2_active) = {
	{ 0, "No Extended Speed 2" },
	{ 1, "212.5 Gbps" },
	END
};

LIST(mtu) = {
	{ 1, "256" },
	{ 2, "512" },
	{ 3, "1024" },
	{ 4, "2048" },
	{ 5, "4096" },
	END
};

LIST(vl_cap) = {
	{ 1, "VL0" },
	{ 2, "VL0-1" },
	{ 3, "VL0-3" },
	{ 4, "VL0-7" },
	{ 5, "VL0-14" },
	END
};

LIST(oper_vls) = {
	{ 0, "No change" },
	{ 1, "VL0" },
	{ 2, "VL0-1" },
	{ 3, "VL0-3" },
	{ 4, "VL0-7" },
	{ 5, "VL0-14" },
	END
};

LIST(cap_mask) = {
	{ 1u << 1, "IsSM" },
	{ 1u << 2, "IsNoticeSupported" },
	{ 1u << 3, "IsTrapSupported" },
	{ 1u << 4, "IsOptionalIPDSupported" },
	{ 1u << 5, "IsAutomaticMigrationSupported" },
	{ 1u << 6, "IsSLMappingSupported" },
	{ 1u << 7, "IsMKeyNVRAM" },
	{ 1u << 8, "IsPKeyNVRAM" },
	{ 1u << 9, "IsLedInfoSupported" },
	{ 1u << 10, "IsSMdisabled" },
	{ 1u << 11, "IsSystemImageGUIDsupported" },
	{ 1u << 12, "IsPkeySwitchExternalPortTrapSupported" },
	{ 1u << 13, "IsCableInfoSupported" },
	{ 1u << 14, "IsExtendedSpeedsSupported" },
	{ 1u << 15, "IsCapabilityMask2Supported" },
	{ 1u << 16, "IsCommunicatonManagementSupported" },
	{ 1u << 17, "IsSNMPTunnelingSupported" },
	{ 1u << 18, "IsReinitSupported" },
	{ 1u << 19, "IsDeviceManagementSupported" },
	{ 1u << 20, "IsVendorClassSupported" },
	{ 1u << 21, "IsDRNoticeSupported" },
	{ 1u << 22, "IsCapabilityMaskNoticeSupported" },
	{ 1u << 23, "IsBootManagementSupported" },
	{ 1u << 24, "IsLinkRoundTripLatencySupported" },
	{ 1u << 25, "IsClientRegistrationSupported" },
	{ 1u << 26, "IsOtherLocalChangesNoticeSupported" },
	{ 1u << 27, "IsLinkSpeedWidthPairsTableSupported" },
	{ 1u << 28, "IsVendorSpecificMadsTableSupported" },
	{ 1u << 29, "IsMcastPkeyTrapSuppressionSupported" },
	{ 1u << 30, "IsMulticastFDBTopSupported" },
	{ 1u << 31, "IsHierarchyInfoSupported" },
	END
};

/* the last two as the kernel's ib_mad.h has them */
LIST(cap_mask2) = {
	{ 1 << 0, "IsSetNodeDescriptionSupported" },
	{ 1 << 1, "IsPortInfoExtendedSupported" },
	{ 1 << 2, "IsVirtualizationSupported" },
	{ 1 << 3, "IsSwitchPortStateTableSupported" },
	{ 1 << 4, "IsLinkWidth2xSupported" },
	{ 1 << 5, "IsLinkSpeedHDRSupported" },
	{ 1 << 6, "IsMKeyProtectBitsExtSupported" },
	{ 1 << 7, "IsEnhancedTrap128Supported" },
	{ 1 << 8, "IsPartitionTopSupported" },
	{ 1 << 9, "IsEnhancedQoSArbiterSupported" },
	{ 1 << 10, "IsLinkSpeedNDRSupported" },
	{ 1 << 11, "IsExtendedSpeeds2Supported" },
	{ 1 << 12, "IsLinkSpeedXDRSupported" },
	END
};

/* IBA volume 1, section 14.2.5.13 */
LIST(sm_state) = {
	{ 0, "NotActive" },
	{ 1, "Discovering" },
	{ 2, "Standby" },
	{ 3, "Master" },
	END
};

/* ---- notices (IBA volume 1, section 13.4.8.2) ------------------------------ */

LIST(notice_type) = {
	{ 0, "Fatal" },
	{ 1, "Urgent" },
	{ 2, "Security" },
	{ 3, "SubnetManagement" },
	{ 4, "Informational" },
	{ 0x7f, "Empty" },
	END
};

/* of a subscription: 16 bits wide */
LIST(trap_type) = {
	{ 0, "Fatal" },
	{ 1, "Urgent" },
	{ 2, "Security" },
	{ 3, "SubnetManagement" },
	{ 4, "Informational" },
	{ 0xffff, "All" },
	END
};

LIST(producer_type) = {
	{ 1, "Channel Adapter" },
	{ 2, "Switch" },
	{ 3, "Router" },
	{ 4, "Class Manager" },
	END
};

/* ---- subnet administration (IBA volume 1, sections 15.2.5.16 and .17) ------ */

LIST(rate) = {
	{ 2, "2.5 Gbps" },
	{ 3, "10 Gbps" },
	{ 4, "30 Gbps" },
	{ 5, "5 Gbps" },
	{ 6, "20 Gbps" },
	{ 7, "40 Gbps" },
	{ 8, "60 Gbps" },
	{ 9, "80 Gbps" },
	{ 10, "120 Gbps" },
	{ 11, "14 Gbps" },
	{ 12, "56 Gbps" },
	{ 13, "112 Gbps" },
	{ 14, "168 Gbps" },
	{ 15, "25 Gbps" },
	{ 16, "100 Gbps" },
	{ 17, "200 Gbps" },
	{ 18, "300 Gbps" },
	{ 19, "28 Gbps" },
	{ 20, "50 Gbps" },
	{ 21, "400 Gbps" },
	{ 22, "600 Gbps" },
	{ 23, "800 Gbps" },
	{ 24, "1200 Gbps" },
	{ 25, "1600 Gbps" },
	END
};

LIST(selector) = {
	{ 0, "GreaterThan" },
	{ 1, "LessThan" },
	{ 2, "Exactly" },
	{ 3, "Largest" },
	END
};

LIST(selector_time) = {
	{ 0, "GreaterThan" },
	{ 1, "LessThan" },
	{ 2, "Exactly" },
	{ 3, "Smallest" },
	END
};

LIST(mc_scope) = {
	{ 0x2, "LinkLocal" },
	{ 0x5, "SiteLocal" },
	{ 0x8, "OrganizationLocal" },
	{ 0xe, "Global" },
	END
};

LIST(join_state) = {
	{ 1, "FullMember" },
	{ 2, "NonMember" },
	{ 4, "SendOnlyNonMember" },
	{ 8, "SendOnlyFullMember" },
	END
};

/* IBA volume 1, table 193 */
LIST(sa_status) = {
	{ MADKIT_SA_STATUS_NO_RESOURCES, "no resources" },
	{ MADKIT_SA_STATUS_INVALID_REQUEST, "invalid request" },
	{ MADKIT_SA_STATUS_NO_RECORDS, "no records" },
	{ MADKIT_SA_STATUS_TOO_MANY_RECORDS, "too many records" },
	{ MADKIT_SA_STATUS_INVALID_GID, "invalid GID" },
	{ MADKIT_SA_STATUS_INSUFFICIENT_COMPONENTS, "insufficient components" },
	{ MADKIT_SA_STATUS_DENIED, "request denied" },
	{ MADKIT_SA_STATUS_PRIORITY_SUGGESTED, "priority suggested" },
	END
};

/* ---- RMPP (IBA volume 1, section 13.6.2) ----------------------------------- */

LIST(rmpp_type) = {
	{ MADKIT_RMPP_DATA, "DATA" },
	{ MADKIT_RMPP_ACK, "ACK" },
	{ MADKIT_RMPP_STOP, "STOP" },
	{ MADKIT_RMPP_ABORT, "ABORT" },
	END
};

LIST(rmpp_flags) = {
	{ MADKIT_RMPP_ACTIVE, "ACTIVE" },
	{ MADKIT_RMPP_FIRST, "FIRST" },
	{ MADKIT_RMPP_LAST, "LAST" },
	END
};

LIST(rmpp_status) = {
	{ 0, "normal" },
	{ 1, "resources exhausted" },
	{ 118, "total time exceeded" },
	{ 119, "inconsistent last and payload length" },
	{ 120, "inconsistent first and segment number" },
	{ 121, "bad type" },
	{ 122, "new window last too small" },
	{ 123, "segment number too big" },
	{ 124, "illegal status" },
	{ 125, "unsupported version" },
	{ 126, "too many retries" },
	{ 127, "unspecified" },
	END
};

/* ---- performance (opa-ff's ib_pm.h) --------------------------------------- */

LIST(extended_width) = {
	{ 1, "48 bits" },
	{ 2, "64 bits" },
	END
};

/* ---- PortInfoExtended ------------------------------------------------------ */

LIST(port_ext_cap_mask) = {
	{ 1, "IsFECModeSupported" },
	END
};

LIST(fec_mode) = {
	{ 0, "NoFEC" },
	{ 1, "FireCodeFEC" },
	{ 2, "RSFEC" },
	{ 3, "LowLatencyRSFEC" },
	END
};

/* ---- device management (IBA volume 1, section 16.3.3) ---------------------- */

LIST(controller_state) = {
	{ 0, "None" },
	{ 1, "Installed" },
	{ 15, "NoSlot" },
	END
};

/* to and from: what the controller takes and what it sends */
LIST(controller_ops) = {
	{ 0x01, "SendTo" },
	{ 0x02, "SendFrom" },
	{ 0x04, "RDMAReadTo" },
	{ 0x08, "RDMAReadFrom" },
	{ 0x10, "RDMAWriteTo" },
	{ 0x20, "RDMAWriteFrom" },
	{ 0x40, "AtomicTo" },
	{ 0x80, "AtomicFrom" },
	END
};

/* ---- baseboard management (opa-ff's ib_bm.h) ------------------------------- */

LIST(bm_device) = {
	{ 0x00, "Unspecified" },
	{ 0xe0, "MME" },
	{ 0xe8, "CME" },
	{ 0xfe, "BM" },
	END
};

LIST(bm_status) = {
	{ 0x00, "OK" },
	{ 0x01, "Error" },
	{ 0x02, "CMEBusy" },
	{ 0x03, "MMEBusy" },
	{ 0x04, "CommandNotSupported" },
	{ 0x05, "IllegalParameter" },
	{ 0x40, "WriteProtected" },
	{ 0x41, "NACK" },
	{ 0x42, "BusError" },
	{ 0x43, "Busy" },
	{ 0x44, "InvalidVPDDeviceSelector" },
	{ 0x45, "IllegalOffset" },
	{ 0x46, "IllegalByteCount" },
	END
};

LIST(bm_trap_type) = {
	{ 0, "MME" },
	{ 1, "OEMMME" },
	{ 2, "CMERTR" },
	{ 3, "WRE" },
	{ 4, "CME" },
	{ 5, "OEMCME" },
	END
};

/* ---- congestion control (opa-ff's stl_sm_types.h) ----------------------------- */

LIST(cc_info) = {
	{ 1 << 0, "IsCreditStarvationSupported" },
	END
};

/* which of the switch's settings count */
LIST(cc_control_map) = {
	{ 1 << 0, "Victim_Mask" },
	{ 1 << 1, "Credit_Mask" },
	{ 1 << 2, "Threshold" },
	{ 1 << 3, "CS_Threshold" },
	{ 1 << 4, "Marking_Rate" },
	END
};

/* ---- communication management (the kernel's ib_cm.h and cm_msgs.h) ---------- */

LIST(cm_transport) = {
	{ 0, "RC" },
	{ 1, "UC" },
	{ 2, "RD" },
	{ 3, "Extended" },
	END
};

LIST(cm_transport_extended) = {
	{ 1, "XRC" },
	END
};

/* what was received */
LIST(cm_mra_message) = {
	{ 0, "REQ" },
	{ 1, "REP" },
	{ 2, "LAP" },
	END
};

LIST(cm_rej_message) = {
	{ 0, "REQ" },
	{ 1, "REP" },
	{ 2, "Other" },
	END
};

/* 24 and 25 as the kernel has them; opa-ff's ib_cm.h leaves 25 out, and numbers from
 * there on one less */
LIST(cm_rej_reason) = {
	{ 1, "NoQP" },
	{ 2, "NoEEC" },
	{ 3, "NoResources" },
	{ 4, "Timeout" },
	{ 5, "UnsupportedRequest" },
	{ 6, "InvalidCommID" },
	{ 7, "InvalidCommInstance" },
	{ 8, "InvalidServiceID" },
	{ 9, "InvalidTransportType" },
	{ 10, "StaleConnection" },
	{ 11, "RDCDoesNotExist" },
	{ 12, "InvalidPrimaryGID" },
	{ 13, "InvalidPrimaryLID" },
	{ 14, "InvalidPrimarySL" },
	{ 15, "InvalidPrimaryTrafficClass" },
	{ 16, "InvalidPrimaryHopLimit" },
	{ 17, "InvalidPrimaryPacketRate" },
	{ 18, "InvalidAlternateGID" },
	{ 19, "InvalidAlternateLID" },
	{ 20, "InvalidAlternateSL" },
	{ 21, "InvalidAlternateTrafficClass" },
	{ 22, "InvalidAlternateHopLimit" },
	{ 23, "InvalidAlternatePacketRate" },
	{ 24, "PortAndCMRedirection" },
	{ 25, "PortRedirection" },
	{ 26, "InvalidPathMTU" },
	{ 27, "InsufficientResponderResources" },
	{ 28, "ConsumerReject" },
	{ 29, "InvalidRNRRetryCount" },
	{ 30, "DuplicateLocalCommID" },
	{ 31, "UnsupportedClassVersion" },
	{ 32, "InvalidPrimaryFlowLabel" },
	{ 33, "InvalidAlternateFlowLabel" },
	{ 35, "VendorOptionNotSupported" },
	END
};

LIST(cm_ap_status) = {
	{ 0, "PathLoaded" },
	{ 1, "InvalidCommID" },
	{ 2, "UnsupportedRequest" },
	{ 3, "Rejected" },
	{ 4, "Redirection" },
	{ 5, "DuplicatePath" },
	{ 6, "InvalidQPNEECN" },
	{ 7, "InvalidLID" },
	{ 8, "InvalidGID" },
	{ 9, "InvalidFlowLabel" },
	{ 10, "InvalidTrafficClass" },
	{ 11, "InvalidHopLimit" },
	{ 12, "InvalidPacketRate" },
	{ 13, "InvalidSL" },
	END
};

LIST(cm_sidr_status) = {
	{ 0, "Valid" },
	{ 1, "ServiceIDNotSupported" },
	{ 2, "Rejected" },
	{ 3, "NoQP" },
	{ 4, "Redirection" },
	{ 5, "VersionNotSupported" },
	END
};

/* ---- Mellanox's (mstflint) --------------------------------------------------- */

LIST(mlnx_tlv) = {
	{ 0, "End" },
	{ 1, "Operation" },
	{ 2, "DR" },
	{ 3, "Register" },
	{ 4, "UserData" },
	END
};

LIST(mlnx_register_method) = {
	{ 1, "Query" },
	{ 2, "Write" },
	END
};

LIST(mlnx_semaphore_op) = {
	{ 1, "Lock" },
	{ 2, "Extend" },
	{ 3, "Release" },
	END
};

/* two of its bits */
LIST(mlnx_general_cap) = {
	{ 1 << 20, "IsAccessRegisterGMPSupported" },
	{ 1 << 25, "IsEnhancedPort0ResetSupported" },
	END
};
