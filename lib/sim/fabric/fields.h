/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The fields of the wire tables that the fabric reads and writes, found once by their
 * names: where they lie the tables alone know. */
#ifndef SIM_FABRIC_FIELDS_H
#define SIM_FABRIC_FIELDS_H

#include <stddef.h>
#include <stdint.h>
#include <madkit/field.h>
#include "util/bits.h"

#define SUBN_FIELDS(X) \
	X(NI_BASE_VERSION, 0x0011, "BaseVers") \
	X(NI_CLASS_VERSION, 0x0011, "ClassVers") \
	X(NI_TYPE, 0x0011, "NodeType") \
	X(NI_PORTS, 0x0011, "NumPorts") \
	X(NI_SYSTEM_GUID, 0x0011, "SystemGuid") \
	X(NI_GUID, 0x0011, "Guid") \
	X(NI_PORT_GUID, 0x0011, "PortGuid") \
	X(NI_PARTITION_CAP, 0x0011, "PartCap") \
	X(NI_DEVICE, 0x0011, "DevId") \
	X(NI_LOCAL_PORT, 0x0011, "LocalPort") \
	X(NI_VENDOR, 0x0011, "VendorId") \
	X(SI_LINEAR_CAP, 0x0012, "LinearFdbCap") \
	X(SI_MULTICAST_CAP, 0x0012, "McastFdbCap") \
	X(SI_LINEAR_TOP, 0x0012, "LinearFdbTop") \
	X(SI_DEFAULT_PORT, 0x0012, "DefPort") \
	X(SI_PRIMARY_PORT, 0x0012, "DefMcastPrimPort") \
	X(SI_NOT_PRIMARY_PORT, 0x0012, "DefMcastNotPrimPort") \
	X(SI_LIFE_TIME, 0x0012, "LifeTime") \
	X(SI_STATE_CHANGE, 0x0012, "StateChange") \
	X(SI_ENHANCED_PORT0, 0x0012, "EnhancedPort0") \
	X(GI_GUID, 0x0014, "GUID") \
	X(PI_MKEY, 0x0015, "Mkey") \
	X(PI_GID_PREFIX, 0x0015, "GidPrefix") \
	X(PI_LID, 0x0015, "Lid") \
	X(PI_SM_LID, 0x0015, "SMLid") \
	X(PI_CAP_MASK, 0x0015, "CapMask") \
	X(PI_MKEY_LEASE, 0x0015, "MkeyLeasePeriod") \
	X(PI_LOCAL_PORT, 0x0015, "LocalPort") \
	X(PI_WIDTH_ENABLED, 0x0015, "LinkWidthEnabled") \
	X(PI_WIDTH_SUPPORTED, 0x0015, "LinkWidthSupported") \
	X(PI_WIDTH_ACTIVE, 0x0015, "LinkWidthActive") \
	X(PI_SPEED_SUPPORTED, 0x0015, "LinkSpeedSupported") \
	X(PI_STATE, 0x0015, "LinkState") \
	X(PI_PHYS_STATE, 0x0015, "PhysLinkState") \
	X(PI_DOWN_DEFAULT, 0x0015, "LinkDownDefState") \
	X(PI_PROTECT, 0x0015, "ProtectBits") \
	X(PI_LMC, 0x0015, "LMC") \
	X(PI_SPEED_ACTIVE, 0x0015, "LinkSpeedActive") \
	X(PI_SPEED_ENABLED, 0x0015, "LinkSpeedEnabled") \
	X(PI_NEIGHBOR_MTU, 0x0015, "NeighborMTU") \
	X(PI_SM_SL, 0x0015, "SMSL") \
	X(PI_VL_CAP, 0x0015, "VLCap") \
	X(PI_INIT_TYPE, 0x0015, "InitType") \
	X(PI_HIGH_LIMIT, 0x0015, "VLHighLimit") \
	X(PI_ARB_HIGH_CAP, 0x0015, "VLArbHighCap") \
	X(PI_ARB_LOW_CAP, 0x0015, "VLArbLowCap") \
	X(PI_MTU_CAP, 0x0015, "MtuCap") \
	X(PI_STALL_COUNT, 0x0015, "VLStallCount") \
	X(PI_HOQ_LIFE, 0x0015, "HoqLife") \
	X(PI_OPER_VLS, 0x0015, "OperVLs") \
	X(PI_MKEY_VIOLATIONS, 0x0015, "MkeyViolations") \
	X(PI_PKEY_VIOLATIONS, 0x0015, "PkeyViolations") \
	X(PI_QKEY_VIOLATIONS, 0x0015, "QkeyViolations") \
	X(PI_GUID_CAP, 0x0015, "GuidCap") \
	X(PI_SUBNET_TIMEOUT, 0x0015, "SubnetTimeout") \
	X(PI_RESP_TIME, 0x0015, "RespTimeVal") \
	X(PI_LOCAL_PHYS_ERR, 0x0015, "LocalPhysErr") \
	X(PI_OVERRUN_ERR, 0x0015, "OverrunErr") \
	X(PI_CAP_MASK2, 0x0015, "CapabilityMask2") \
	X(PI_EXT_ACTIVE, 0x0015, "LinkSpeedExtActive") \
	X(PI_EXT_SUPPORTED, 0x0015, "LinkSpeedExtSupported") \
	X(PI_EXT_ENABLED, 0x0015, "LinkSpeedExtEnabled") \
	X(PI_EXT2_ACTIVE, 0x0015, "LinkSpeedExtActive2") \
	X(PI_EXT2_SUPPORTED, 0x0015, "LinkSpeedExtSupported2") \
	X(PI_EXT2_ENABLED, 0x0015, "LinkSpeedExtEnabled2") \
	X(PK_KEY, 0x0016, "PKey") \
	X(SV_VL, 0x0017, "SLtoVL") \
	X(LF_PORT, 0x0019, "Port") \
	X(MF_MASK, 0x001b, "PortMask") \
	X(SM_GUID, 0x0020, "GUID") \
	X(SM_KEY, 0x0020, "SM_Key") \
	X(SM_COUNT, 0x0020, "ActCount") \
	X(SM_PRIORITY, 0x0020, "Priority") \
	X(SM_STATE, 0x0020, "SMState") \
	X(LED_MASK, 0x0031, "LedMask") \
	X(MX_SUPPORTED, 0xff90, "LinkSpeedSupported") \
	X(MX_ENABLED, 0xff90, "LinkSpeedEnabled") \
	X(MX_ACTIVE, 0xff90, "LinkSpeedActive")

/* Of Notice, by the number of its trap; 0: of each. */
#define NOTICE_FIELDS(X) \
	X(NO_GENERIC, 0, "IsGeneric") \
	X(NO_TYPE, 0, "Type") \
	X(NO_PRODUCER, 0, "ProducerType") \
	X(NO_TRAP, 0, "TrapNumber") \
	X(NO_ISSUER, 0, "IssuerLID") \
	X(N64_GID, 64, "GIDADDR") \
	X(N128_LID, 128, "LIDADDR") \
	X(N144_LID, 144, "LIDADDR") \
	X(N144_CAP_MASK, 144, "CAPABILITYMASK") \
	X(N256_LID, 256, "LIDADDR") \
	X(N256_DR_SLID, 256, "DRSLID") \
	X(N256_METHOD, 256, "METHOD") \
	X(N256_ATTRIBUTE, 256, "ATTRIBUTEID") \
	X(N256_MODIFIER, 256, "ATTRIBUTEMODIFIER") \
	X(N256_M_KEY, 256, "MKEY") \
	X(N256_DIRECTED, 256, "DRNotice") \
	X(N256_TRUNCATED, 256, "DRPathTruncated") \
	X(N256_HOPS, 256, "DRHopCount") \
	X(N256_PATH, 256, "DRNoticeReturnPath") \
	X(N257_LID1, 257, "LIDADDR1") \
	X(N257_LID2, 257, "LIDADDR2") \
	X(N257_KEY, 257, "KEY") \
	X(N257_SL, 257, "SL") \
	X(N257_QP1, 257, "QP1") \
	X(N257_QP2, 257, "QP2") \
	X(N257_GID1, 257, "GIDADDR1") \
	X(N257_GID2, 257, "GIDADDR2")

/* Of the SA's attributes. */
#define SA_FIELDS(X) \
	X(NO_ISSUER_GID, 0x0002, "IssuerGID") \
	X(II_GID, 0x0003, "GID") \
	X(II_LID_BEGIN, 0x0003, "LIDRangeBegin") \
	X(II_LID_END, 0x0003, "LIDRangeEnd") \
	X(II_GENERIC, 0x0003, "IsGeneric") \
	X(II_SUBSCRIBE, 0x0003, "Subscribe") \
	X(II_TYPE, 0x0003, "Type") \
	X(II_TRAP, 0x0003, "TrapNumber") \
	X(II_QPN, 0x0003, "QPN") \
	X(II_RESP_TIME, 0x0003, "RespTimeValue") \
	X(II_PRODUCER, 0x0003, "ProducerType") \
	X(NR_LID, 0x0011, "LID") \
	X(NR_NODE_INFO, 0x0011, "NodeInfo") \
	X(NR_DESCRIPTION, 0x0011, "NodeDescription") \
	X(PIR_LID, 0x0012, "EndportLID") \
	X(PIR_PORT, 0x0012, "PortNum") \
	X(PIR_PORT_INFO, 0x0012, "PortInfo") \
	X(SVR_LID, 0x0013, "LID") \
	X(SVR_IN, 0x0013, "InputPortNum") \
	X(SVR_OUT, 0x0013, "OutputPortNum") \
	X(SVR_TABLE, 0x0013, "SLtoVLMappingTable") \
	X(SIR_LID, 0x0014, "LID") \
	X(SIR_SWITCH_INFO, 0x0014, "SwitchInfo") \
	X(LFR_LID, 0x0015, "LID") \
	X(LFR_BLOCK, 0x0015, "BlockNum") \
	X(LFR_TABLE, 0x0015, "LinearForwardingTable") \
	X(MFR_LID, 0x0017, "LID") \
	X(MFR_POSITION, 0x0017, "Position") \
	X(MFR_BLOCK, 0x0017, "BlockNum") \
	X(MFR_TABLE, 0x0017, "MulticastForwardingTable") \
	X(SMR_LID, 0x0018, "LID") \
	X(SMR_SM_INFO, 0x0018, "SMInfo") \
	X(LR_FROM_LID, 0x0020, "FromLID") \
	X(LR_FROM_PORT, 0x0020, "FromPort") \
	X(LR_TO_PORT, 0x0020, "ToPort") \
	X(LR_TO_LID, 0x0020, "ToLID") \
	X(GIR_LID, 0x0030, "LID") \
	X(GIR_BLOCK, 0x0030, "BlockNum") \
	X(GIR_GUID_INFO, 0x0030, "GUIDInfo") \
	X(SR_ID, 0x0031, "ServiceID") \
	X(SR_GID, 0x0031, "ServiceGID") \
	X(SR_PKEY, 0x0031, "ServiceP_Key") \
	X(SR_LEASE, 0x0031, "ServiceLease") \
	X(SR_KEY, 0x0031, "ServiceKey") \
	X(SR_NAME, 0x0031, "ServiceName") \
	X(PKR_LID, 0x0033, "LID") \
	X(PKR_BLOCK, 0x0033, "BlockNum") \
	X(PKR_PORT, 0x0033, "PortNum") \
	X(PKR_TABLE, 0x0033, "P_KeyTable") \
	X(PR_SERVICE, 0x0035, "ServiceID") \
	X(PR_DGID, 0x0035, "DGID") \
	X(PR_SGID, 0x0035, "SGID") \
	X(PR_DLID, 0x0035, "DLID") \
	X(PR_SLID, 0x0035, "SLID") \
	X(PR_RAW, 0x0035, "RawTraffic") \
	X(PR_FLOW, 0x0035, "FlowLabel") \
	X(PR_HOP_LIMIT, 0x0035, "HopLimit") \
	X(PR_TCLASS, 0x0035, "TClass") \
	X(PR_REVERSIBLE, 0x0035, "Reversible") \
	X(PR_NUMBER, 0x0035, "NumbPath") \
	X(PR_PKEY, 0x0035, "P_Key") \
	X(PR_QOS, 0x0035, "QoSClass") \
	X(PR_SL, 0x0035, "SL") \
	X(PR_MTU_SELECTOR, 0x0035, "MTUSelector") \
	X(PR_MTU, 0x0035, "MTU") \
	X(PR_RATE_SELECTOR, 0x0035, "RateSelector") \
	X(PR_RATE, 0x0035, "Rate") \
	X(PR_LIFE_SELECTOR, 0x0035, "PacketLifeTimeSelector") \
	X(PR_LIFE, 0x0035, "PacketLifeTime") \
	X(PR_PREFERENCE, 0x0035, "Preference") \
	X(VAR_LID, 0x0036, "LID") \
	X(VAR_PORT, 0x0036, "OutputPortNum") \
	X(VAR_BLOCK, 0x0036, "BlockNum") \
	X(VAR_TABLE, 0x0036, "VLArbitrationTable") \
	X(MC_MGID, 0x0038, "MGID") \
	X(MC_PORT_GID, 0x0038, "PortGID") \
	X(MC_QKEY, 0x0038, "Q_Key") \
	X(MC_MLID, 0x0038, "MLID") \
	X(MC_MTU_SELECTOR, 0x0038, "MTUSelector") \
	X(MC_MTU, 0x0038, "MTU") \
	X(MC_TCLASS, 0x0038, "TClass") \
	X(MC_PKEY, 0x0038, "P_Key") \
	X(MC_RATE_SELECTOR, 0x0038, "RateSelector") \
	X(MC_RATE, 0x0038, "Rate") \
	X(MC_LIFE_SELECTOR, 0x0038, "PacketLifeTimeSelector") \
	X(MC_LIFE, 0x0038, "PacketLifeTime") \
	X(MC_SL, 0x0038, "SL") \
	X(MC_FLOW, 0x0038, "FlowLabel") \
	X(MC_HOP_LIMIT, 0x0038, "HopLimit") \
	X(MC_SCOPE, 0x0038, "Scope") \
	X(MC_STATE, 0x0038, "JoinState") \
	X(MC_PROXY, 0x0038, "ProxyJoin") \
	X(TR_PREFIX, 0x0039, "GIDPrefix") \
	X(TR_GENERATION, 0x0039, "IDGeneration") \
	X(TR_TYPE, 0x0039, "NodeType") \
	X(TR_NODE, 0x0039, "NodeID") \
	X(TR_CHASSIS, 0x0039, "ChassisID") \
	X(TR_ENTRY_ID, 0x0039, "EntryPortID") \
	X(TR_EXIT_ID, 0x0039, "ExitPortID") \
	X(TR_ENTRY, 0x0039, "EntryPort") \
	X(TR_EXIT, 0x0039, "ExitPort") \
	X(MP_RAW, 0x003a, "RawTraffic") \
	X(MP_FLOW, 0x003a, "FlowLabel") \
	X(MP_HOP_LIMIT, 0x003a, "HopLimit") \
	X(MP_TCLASS, 0x003a, "TClass") \
	X(MP_REVERSIBLE, 0x003a, "Reversible") \
	X(MP_NUMBER, 0x003a, "NumbPath") \
	X(MP_PKEY, 0x003a, "P_Key") \
	X(MP_QOS, 0x003a, "QoSClass") \
	X(MP_SL, 0x003a, "SL") \
	X(MP_MTU_SELECTOR, 0x003a, "MTUSelector") \
	X(MP_MTU, 0x003a, "MTU") \
	X(MP_RATE_SELECTOR, 0x003a, "RateSelector") \
	X(MP_RATE, 0x003a, "Rate") \
	X(MP_LIFE_SELECTOR, 0x003a, "PacketLifeTimeSelector") \
	X(MP_LIFE, 0x003a, "PacketLifeTime") \
	X(MP_SERVICE_HIGH, 0x003a, "ServiceID8MSB") \
	X(MP_SOURCES, 0x003a, "SGIDCount") \
	X(MP_DESTINATIONS, 0x003a, "DGIDCount") \
	X(MP_SERVICE_LOW, 0x003a, "ServiceID56LSB") \
	X(MP_GIDS, 0x003a, "SDGID") \
	X(SA_KEY, 0x003b, "ServiceKey") \
	X(SA_NAME, 0x003b, "ServiceName") \
	X(IIR_GID, 0x00f3, "SubscriberGID") \
	X(IIR_ENUM, 0x00f3, "Enum") \
	X(IIR_INFORM_INFO, 0x00f3, "InformInfo")

#define PERF_FIELDS(X) \
	X(CPI_BASE_VERSION, 0x0001, "BaseVersion") \
	X(CPI_CLASS_VERSION, 0x0001, "ClassVersion") \
	X(CPI_CAP_MASK, 0x0001, "CapabilityMask") \
	X(CPI_CAP_MASK2, 0x0001, "CapabilityMask2") \
	X(CPI_RESP_TIME, 0x0001, "RespTimeVal") \
	X(PC_PORT_SELECT, 0x0012, "PortSelect") \
	X(PC_SELECT, 0x0012, "CounterSelect") \
	X(PC_SELECT2, 0x0012, "CounterSelect2") \
	X(PC_SYMBOL_ERROR, 0x0012, "SymbolErrorCounter") \
	X(PC_LINK_RECOVERY, 0x0012, "LinkErrorRecoveryCounter") \
	X(PC_LINK_DOWNED, 0x0012, "LinkDownedCounter") \
	X(PC_RCV_ERRORS, 0x0012, "PortRcvErrors") \
	X(PC_REMOTE_PHYSICAL, 0x0012, "PortRcvRemotePhysicalErrors") \
	X(PC_RELAY_ERRORS, 0x0012, "PortRcvSwitchRelayErrors") \
	X(PC_XMIT_DISCARDS, 0x0012, "PortXmitDiscards") \
	X(PC_XMIT_CONSTRAINT, 0x0012, "PortXmitConstraintErrors") \
	X(PC_RCV_CONSTRAINT, 0x0012, "PortRcvConstraintErrors") \
	X(PC_LOCAL_INTEGRITY, 0x0012, "LocalLinkIntegrityErrors") \
	X(PC_OVERRUN, 0x0012, "ExcessiveBufferOverrunErrors") \
	X(PC_VL15_DROPPED, 0x0012, "VL15Dropped") \
	X(PC_XMIT_DATA, 0x0012, "PortXmitData") \
	X(PC_RCV_DATA, 0x0012, "PortRcvData") \
	X(PC_XMIT_PKTS, 0x0012, "PortXmitPkts") \
	X(PC_RCV_PKTS, 0x0012, "PortRcvPkts") \
	X(PC_XMIT_WAIT, 0x0012, "PortXmitWait") \
	X(PX_PORT_SELECT, 0x001d, "PortSelect") \
	X(PX_SELECT, 0x001d, "CounterSelect") \
	X(PX_SELECT2, 0x001d, "CounterSelect2") \
	X(PX_SYMBOL_ERROR, 0x001d, "SymbolErrorCounter") \
	X(PX_LINK_RECOVERY, 0x001d, "LinkErrorRecoveryCounter") \
	X(PX_LINK_DOWNED, 0x001d, "LinkDownedCounter") \
	X(PX_RCV_ERRORS, 0x001d, "PortRcvErrors") \
	X(PX_REMOTE_PHYSICAL, 0x001d, "PortRcvRemotePhysicalErrors") \
	X(PX_RELAY_ERRORS, 0x001d, "PortRcvSwitchRelayErrors") \
	X(PX_XMIT_DISCARDS, 0x001d, "PortXmitDiscards") \
	X(PX_XMIT_CONSTRAINT, 0x001d, "PortXmitConstraintErrors") \
	X(PX_RCV_CONSTRAINT, 0x001d, "PortRcvConstraintErrors") \
	X(PX_LOCAL_INTEGRITY, 0x001d, "LocalLinkIntegrityErrors") \
	X(PX_OVERRUN, 0x001d, "ExcessiveBufferOverrunErrors") \
	X(PX_VL15_DROPPED, 0x001d, "VL15Dropped") \
	X(PX_XMIT_DATA, 0x001d, "PortXmitData") \
	X(PX_RCV_DATA, 0x001d, "PortRcvData") \
	X(PX_XMIT_PKTS, 0x001d, "PortXmitPkts") \
	X(PX_RCV_PKTS, 0x001d, "PortRcvPkts") \
	X(PX_XMIT_WAIT, 0x001d, "PortXmitWait") \
	X(PX_XMIT_UNICAST, 0x001d, "PortUnicastXmitPkts") \
	X(PX_RCV_UNICAST, 0x001d, "PortUnicastRcvPkts") \
	X(PX_XMIT_MULTICAST, 0x001d, "PortMulticastXmitPkts") \
	X(PX_RCV_MULTICAST, 0x001d, "PortMulticastRcvPkts")

#define FIELD_NAME(id, attribute, name) F_##id,
enum sim_field {
	SUBN_FIELDS(FIELD_NAME) PERF_FIELDS(FIELD_NAME) SA_FIELDS(FIELD_NAME) NOTICE_FIELDS(FIELD_NAME) FIELDS
};
#undef FIELD_NAME

struct fields {
	const struct madkit_field *of[FIELDS];
};

/* 0, or -ENOENT: the tables do not have them all. */
int fields_find(struct fields *fields);

/* An element of an array, and a plain field. base holds its attribute's data. */
static inline uint64_t element_get(const struct fields *fields, enum sim_field which, unsigned int i,
				   const uint8_t *base)
{
	const struct madkit_field *field = fields->of[which];

	return bits_get(base, madkit_field_offset(field, i), field->width);
}

static inline void element_put(const struct fields *fields, enum sim_field which, unsigned int i,
			       uint8_t *base, uint64_t value)
{
	const struct madkit_field *field = fields->of[which];

	bits_put(base, madkit_field_offset(field, i), field->width, value);
}

static inline uint64_t field_get(const struct fields *fields, enum sim_field which, const uint8_t *base)
{
	return bits_get(base, fields->of[which]->offset, fields->of[which]->width);
}

static inline void field_put(const struct fields *fields, enum sim_field which, uint8_t *base, uint64_t value)
{
	bits_put(base, fields->of[which]->offset, fields->of[which]->width, value);
}

/* Where a field of whole bytes lies: a GID, a structure, text. */
static inline size_t field_at(const struct fields *fields, enum sim_field which)
{
	return fields->of[which]->offset / 8;
}

#endif
