/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Headers (IBA volume 1: common 13.4.3, SMP 14.2.1, RMPP 13.6.2, SA 15.2.1). The names are the JSON keys; other
 * spellings are aliases.
 */
#include "tables.h"

#define HEADER_START \
	FIELD("base_version", "BaseVersion,MadBaseVersion", 0, 8, HEX), \
	FIELD("class", "MgmtClass,MadMgmtClass", 8, 8, HEX), \
	FIELD("class_version", "ClassVersion,MadClassVersion", 16, 8, UNSIGNED), \
	FIELD("method", "MadMethod", 24, 8, HEX)
#define HEADER_END \
	FIELD("tid", "TransactionID,MadTRID", 64, 64, HEX), \
	FIELD("attribute", "AttributeID,MadAttr", 128, 16, HEX), \
	RESERVED("Reserved", 144, 16), \
	FIELD("modifier", "AttributeModifier,MadModifier", 160, 32, HEX)

static const struct madkit_field header_fields[] = {
	HEADER_START,
	FIELD("status", "MadStatus", 32, 16, HEX),
	FIELD("class_specific", "ClassSpecific", 48, 16, HEX),
	HEADER_END,
};
LAYOUT(header, "header", 24);

static const struct madkit_field header_dr_fields[] = {
	HEADER_START,
	FIELD("direction", "D,DrSmpDirection", 32, 1, UNSIGNED),
	FIELD("status", "MadStatus,DrSmpStatus", 33, 15, HEX),
	FIELD("hop_pointer", "HopPointer,DrSmpHopPtr", 48, 8, UNSIGNED),
	FIELD("hop_count", "HopCount,DrSmpHopCnt", 56, 8, UNSIGNED),
	HEADER_END,
};
LAYOUT(header_dr, "header", 24);

static const struct madkit_field rmpp_fields[] = {
	FIELD("version", "RMPPVersion,RmppVers", 192, 8, UNSIGNED),
	FIELD("type", "RMPPType,RmppType", 200, 8, ENUM, VALUES(rmpp_type)),
	FIELD("resptime", "RRespTime,RmppResp", 208, 5, UNSIGNED),
	FIELD("flags", "RMPPFlags,RmppFlags", 213, 3, BITS, VALUES(rmpp_flags)),
	FIELD("status", "RMPPStatus,RmppStatus", 216, 8, ENUM, VALUES(rmpp_status)),
	FIELD("segment", "SegmentNumber,RmppSegNum,RmppData1", 224, 32, UNSIGNED),
	FIELD("payload_length", "PayloadLength,NewWindowLast,RmppPayload,RmppNewWin,RmppData2", 256, 32, UNSIGNED),
};
LAYOUT(rmpp, "rmpp", 36);

static const struct madkit_field header_smp_fields[] = {
	FIELD("m_key", "MadMkey", 192, 64, KEY),
	RESERVED("Reserved", 256, 256),
	/* the data */
	RESERVED("Reserved2", 1024, 1024),
};
LAYOUT(header_smp, "smp", 256);

static const struct madkit_field header_smp_dr_fields[] = {
	FIELD("m_key", "MadMkey", 192, 64, KEY),
	FIELD("dr_slid", "DrSLID,DrSmpSLID", 256, 16, LID),
	FIELD("dr_dlid", "DrDLID,DrSmpDLID", 272, 16, LID),
	RESERVED("Reserved", 288, 224),
	/* the data */
	FIELD("initial_path", "InitialPath,DrSmpPath", 1024, 512, BYTES),
	FIELD("return_path", "ReturnPath,DrSmpRetPath", 1536, 512, BYTES),
};
LAYOUT(header_smp_dr, "smp", 256);

static const struct madkit_field header_sa_fields[] = {
	FIELD("sm_key", "SaSMkey", 288, 64, KEY),
	FIELD("attribute_offset", "AttributeOffset,SaAttrOffs", 352, 16, UNSIGNED),
	RESERVED("Reserved", 368, 16),
	FIELD("component_mask", "ComponentMask,SaCompMask", 384, 64, HEX),
};
LAYOUT(header_sa, "sa", 56);

static const struct madkit_field header_vendor2_fields[] = {
	RESERVED("Reserved", 288, 8),
	FIELD("oui", NULL, 296, 24, HEX),
};
LAYOUT(header_vendor2, "vendor2", 40);

static const struct madkit_field header_perf_fields[] = {
	RESERVED("Reserved", 192, 320),
};
LAYOUT(header_perf, "perf", 64);

static const struct madkit_field header_bm_fields[] = {
	FIELD("b_key", "BKey", 192, 64, KEY),
	RESERVED("Reserved", 256, 256),
};
LAYOUT(header_bm, "bm", 64);

static const struct madkit_field header_device_fields[] = {
	RESERVED("Reserved", 288, 224),
};
LAYOUT(header_device, "device", 64);

static const struct madkit_field header_mlnx_fields[] = {
	FIELD("v_key", "VKey,VSKey", 192, 64, KEY),
};
LAYOUT(header_mlnx, "mlnx", 32);

/* python-rdma's iba_16_4.xml (IBA volume 1, section 16.4.1) */
static const struct madkit_field header_snmp_fields[] = {
	RESERVED("Reserved", 192, 256),
	FIELD("r_address", "RAddress", 448, 32, HEX),
	FIELD("payload_length", "PayloadLength", 480, 8, UNSIGNED),
	FIELD("segment_number", "SegmentNumber", 488, 8, UNSIGNED),
	FIELD("source_lid", "SourceLID", 496, 16, LID),
};
LAYOUT(header_snmp, "snmp", 64);

static const struct madkit_field header_cc_fields[] = {
	FIELD("cc_key", "CCKey", 192, 64, KEY),
	/* the data of CongestionLog begins here */
	RESERVED("Reserved", 256, 256),
};
LAYOUT(header_cc, "cc", 64);
