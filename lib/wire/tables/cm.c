/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Communication management (IBA volume 1, section 12.6): the fields in the kernel's ibta_vol1_c12.h. No public source
 * has SAP and SPR.
 */
#include "tables.h"

static const struct madkit_field req_fields[] = {
	FIELD("LocalCommID", "LocalCommunicationID", 0, 32, HEX),
	RESERVED("Reserved", 32, 8),
	FIELD("VendorID", NULL, 40, 24, HEX),
	FIELD("ServiceID", NULL, 64, 64, HEX),
	FIELD("LocalCAGUID", NULL, 128, 64, GUID),
	RESERVED("Reserved2", 192, 32),
	FIELD("LocalQ_Key", NULL, 224, 32, HEX),
	FIELD("LocalQPN", NULL, 256, 24, HEX),
	FIELD("ResponderResources", NULL, 280, 8, UNSIGNED),
	FIELD("LocalEECN", NULL, 288, 24, HEX),
	FIELD("InitiatorDepth", NULL, 312, 8, UNSIGNED),
	FIELD("RemoteEECN", NULL, 320, 24, HEX),
	FIELD("RemoteCMResponseTimeout", NULL, 344, 5, UNSIGNED),
	FIELD("TransportServiceType", NULL, 349, 2, ENUM, VALUES(cm_transport)),
	FIELD("EndToEndFlowControl", NULL, 351, 1, UNSIGNED),
	FIELD("StartingPSN", NULL, 352, 24, HEX),
	FIELD("LocalCMResponseTimeout", NULL, 376, 5, UNSIGNED),
	FIELD("RetryCount", NULL, 381, 3, UNSIGNED),
	FIELD("PartitionKey", "P_Key,PKey", 384, 16, HEX),
	FIELD("PathPacketPayloadMTU", NULL, 400, 4, ENUM, VALUES(mtu)),
	FIELD("RDCExists", NULL, 404, 1, UNSIGNED),
	FIELD("RNRRetryCount", NULL, 405, 3, UNSIGNED),
	FIELD("MaxCMRetries", NULL, 408, 4, UNSIGNED),
	FIELD("SRQ", NULL, 412, 1, UNSIGNED),
	FIELD("ExtendedTransportType", NULL, 413, 3, ENUM, VALUES(cm_transport_extended)),
	FIELD("PrimaryLocalPortLID", NULL, 416, 16, LID),
	FIELD("PrimaryRemotePortLID", NULL, 432, 16, LID),
	FIELD("PrimaryLocalPortGID", NULL, 448, 128, GID),
	FIELD("PrimaryRemotePortGID", NULL, 576, 128, GID),
	FIELD("PrimaryFlowLabel", NULL, 704, 20, HEX),
	RESERVED("Reserved3", 724, 6),
	FIELD("PrimaryPacketRate", NULL, 730, 6, ENUM, VALUES(rate)),
	FIELD("PrimaryTrafficClass", NULL, 736, 8, HEX),
	FIELD("PrimaryHopLimit", NULL, 744, 8, UNSIGNED),
	FIELD("PrimarySL", NULL, 752, 4, UNSIGNED),
	FIELD("PrimarySubnetLocal", NULL, 756, 1, UNSIGNED),
	RESERVED("Reserved4", 757, 3),
	FIELD("PrimaryLocalAckTimeout", NULL, 760, 5, UNSIGNED),
	RESERVED("Reserved5", 765, 3),
	FIELD("AlternateLocalPortLID", NULL, 768, 16, LID),
	FIELD("AlternateRemotePortLID", NULL, 784, 16, LID),
	FIELD("AlternateLocalPortGID", NULL, 800, 128, GID),
	FIELD("AlternateRemotePortGID", NULL, 928, 128, GID),
	FIELD("AlternateFlowLabel", NULL, 1056, 20, HEX),
	RESERVED("Reserved6", 1076, 6),
	FIELD("AlternatePacketRate", NULL, 1082, 6, ENUM, VALUES(rate)),
	FIELD("AlternateTrafficClass", NULL, 1088, 8, HEX),
	FIELD("AlternateHopLimit", NULL, 1096, 8, UNSIGNED),
	FIELD("AlternateSL", NULL, 1104, 4, UNSIGNED),
	FIELD("AlternateSubnetLocal", NULL, 1108, 1, UNSIGNED),
	RESERVED("Reserved7", 1109, 3),
	FIELD("AlternateLocalAckTimeout", NULL, 1112, 5, UNSIGNED),
	FIELD("SAPSupported", NULL, 1117, 1, UNSIGNED),
	RESERVED("Reserved8", 1118, 2),
	FIELD("PrivateData", NULL, 1120, 736, BYTES),
};
static LAYOUT(req, "REQ", 232);

static const struct madkit_field mra_fields[] = {
	FIELD("LocalCommID", "LocalCommunicationID", 0, 32, HEX),
	FIELD("RemoteCommID", "RemoteCommunicationID", 32, 32, HEX),
	FIELD("MessageMRAed", NULL, 64, 2, ENUM, VALUES(cm_mra_message)),
	RESERVED("Reserved", 66, 6),
	FIELD("ServiceTimeout", NULL, 72, 5, UNSIGNED),
	RESERVED("Reserved2", 77, 3),
	FIELD("PrivateData", NULL, 80, 1776, BYTES),
};
static LAYOUT(mra, "MRA", 232);

static const struct madkit_field rej_fields[] = {
	FIELD("LocalCommID", "LocalCommunicationID", 0, 32, HEX),
	FIELD("RemoteCommID", "RemoteCommunicationID", 32, 32, HEX),
	FIELD("MessageRejected", NULL, 64, 2, ENUM, VALUES(cm_rej_message)),
	RESERVED("Reserved", 66, 6),
	FIELD("RejectedInfoLength", NULL, 72, 7, UNSIGNED),
	RESERVED("Reserved2", 79, 1),
	FIELD("Reason", NULL, 80, 16, ENUM, VALUES(cm_rej_reason)),
	FIELD("ARI", NULL, 96, 576, BYTES),
	FIELD("PrivateData", NULL, 672, 1184, BYTES),
};
static LAYOUT(rej, "REJ", 232);

static const struct madkit_field rep_fields[] = {
	FIELD("LocalCommID", "LocalCommunicationID", 0, 32, HEX),
	FIELD("RemoteCommID", "RemoteCommunicationID", 32, 32, HEX),
	FIELD("LocalQ_Key", NULL, 64, 32, HEX),
	FIELD("LocalQPN", NULL, 96, 24, HEX),
	FIELD("VendorIDH", NULL, 120, 8, HEX),
	FIELD("LocalEECN", NULL, 128, 24, HEX),
	FIELD("VendorIDM", NULL, 152, 8, HEX),
	FIELD("StartingPSN", NULL, 160, 24, HEX),
	FIELD("VendorIDL", NULL, 184, 8, HEX),
	FIELD("ResponderResources", NULL, 192, 8, UNSIGNED),
	FIELD("InitiatorDepth", NULL, 200, 8, UNSIGNED),
	FIELD("TargetAckDelay", NULL, 208, 5, UNSIGNED),
	FIELD("FailoverAccepted", NULL, 213, 2, UNSIGNED),
	FIELD("EndToEndFlowControl", NULL, 215, 1, UNSIGNED),
	FIELD("RNRRetryCount", NULL, 216, 3, UNSIGNED),
	FIELD("SRQ", NULL, 219, 1, UNSIGNED),
	RESERVED("Reserved", 220, 4),
	FIELD("LocalCAGUID", NULL, 224, 64, GUID),
	FIELD("PrivateData", NULL, 288, 1568, BYTES),
};
static LAYOUT(rep, "REP", 232);

static const struct madkit_field rtu_fields[] = {
	FIELD("LocalCommID", "LocalCommunicationID", 0, 32, HEX),
	FIELD("RemoteCommID", "RemoteCommunicationID", 32, 32, HEX),
	FIELD("PrivateData", NULL, 64, 1792, BYTES),
};
static LAYOUT(rtu, "RTU", 232);

static const struct madkit_field dreq_fields[] = {
	FIELD("LocalCommID", "LocalCommunicationID", 0, 32, HEX),
	FIELD("RemoteCommID", "RemoteCommunicationID", 32, 32, HEX),
	FIELD("RemoteQPNEECN", NULL, 64, 24, HEX),
	RESERVED("Reserved", 88, 8),
	FIELD("PrivateData", NULL, 96, 1760, BYTES),
};
static LAYOUT(dreq, "DREQ", 232);

static const struct madkit_field drep_fields[] = {
	FIELD("LocalCommID", "LocalCommunicationID", 0, 32, HEX),
	FIELD("RemoteCommID", "RemoteCommunicationID", 32, 32, HEX),
	FIELD("PrivateData", NULL, 64, 1792, BYTES),
};
static LAYOUT(drep, "DREP", 232);

static const struct madkit_field lap_fields[] = {
	FIELD("LocalCommID", "LocalCommunicationID", 0, 32, HEX),
	FIELD("RemoteCommID", "RemoteCommunicationID", 32, 32, HEX),
	RESERVED("Reserved", 64, 32),
	FIELD("RemoteQPNEECN", NULL, 96, 24, HEX),
	FIELD("RemoteCMResponseTimeout", NULL, 120, 5, UNSIGNED),
	RESERVED("Reserved2", 125, 35),
	FIELD("AlternateLocalPortLID", NULL, 160, 16, LID),
	FIELD("AlternateRemotePortLID", NULL, 176, 16, LID),
	FIELD("AlternateLocalPortGID", NULL, 192, 128, GID),
	FIELD("AlternateRemotePortGID", NULL, 320, 128, GID),
	FIELD("AlternateFlowLabel", NULL, 448, 20, HEX),
	RESERVED("Reserved3", 468, 4),
	FIELD("AlternateTrafficClass", NULL, 472, 8, HEX),
	FIELD("AlternateHopLimit", NULL, 480, 8, UNSIGNED),
	RESERVED("Reserved4", 488, 2),
	FIELD("AlternatePacketRate", NULL, 490, 6, ENUM, VALUES(rate)),
	FIELD("AlternateSL", NULL, 496, 4, UNSIGNED),
	FIELD("AlternateSubnetLocal", NULL, 500, 1, UNSIGNED),
	RESERVED("Reserved5", 501, 3),
	FIELD("AlternateLocalAckTimeout", NULL, 504, 5, UNSIGNED),
	RESERVED("Reserved6", 509, 3),
	FIELD("PrivateData", NULL, 512, 1344, BYTES),
};
static LAYOUT(lap, "LAP", 232);

static const struct madkit_field apr_fields[] = {
	FIELD("LocalCommID", "LocalCommunicationID", 0, 32, HEX),
	FIELD("RemoteCommID", "RemoteCommunicationID", 32, 32, HEX),
	FIELD("AdditionalInformationLength", NULL, 64, 8, UNSIGNED),
	FIELD("ARStatus", "APStatus", 72, 8, ENUM, VALUES(cm_ap_status)),
	RESERVED("Reserved", 80, 16),
	FIELD("AdditionalInformation", NULL, 96, 576, BYTES),
	FIELD("PrivateData", NULL, 672, 1184, BYTES),
};
static LAYOUT(apr, "APR", 232);

static const struct madkit_field sidr_req_fields[] = {
	FIELD("RequestID", NULL, 0, 32, HEX),
	FIELD("PartitionKey", "P_Key,PKey", 32, 16, HEX),
	RESERVED("Reserved", 48, 16),
	FIELD("ServiceID", NULL, 64, 64, HEX),
	FIELD("PrivateData", NULL, 128, 1728, BYTES),
};
static LAYOUT(sidr_req, "SIDR_REQ", 232);

static const struct madkit_field sidr_rep_fields[] = {
	FIELD("RequestID", NULL, 0, 32, HEX),
	FIELD("Status", NULL, 32, 8, ENUM, VALUES(cm_sidr_status)),
	FIELD("AdditionalInformationLength", NULL, 40, 8, UNSIGNED),
	FIELD("VendorIDH", NULL, 48, 16, HEX),
	FIELD("QPN", NULL, 64, 24, HEX),
	FIELD("VendorIDL", NULL, 88, 8, HEX),
	FIELD("ServiceID", NULL, 96, 64, HEX),
	FIELD("Q_Key", NULL, 160, 32, HEX),
	FIELD("AdditionalInformation", NULL, 192, 576, BYTES),
	FIELD("PrivateData", NULL, 768, 1088, BYTES),
};
static LAYOUT(sidr_rep, "SIDR_REP", 232);

const struct madkit_attribute madkit_attributes_cm[] = {
	ATTRIBUTE("ClassPortInfo", "CPI", 0x0001, 72, class_port_info),
	ATTRIBUTE("REQ", "ConnectRequest", 0x0010, 232, req),
	ATTRIBUTE("MRA", "MsgRcptAck", 0x0011, 232, mra),
	ATTRIBUTE("REJ", "ConnectReject", 0x0012, 232, rej),
	ATTRIBUTE("REP", "ConnectReply", 0x0013, 232, rep),
	ATTRIBUTE("RTU", "ReadyToUse", 0x0014, 232, rtu),
	ATTRIBUTE("DREQ", "DisconnectRequest", 0x0015, 232, dreq),
	ATTRIBUTE("DREP", "DisconnectReply", 0x0016, 232, drep),
	ATTRIBUTE("SIDR_REQ", "ServiceIDResReq", 0x0017, 232, sidr_req),
	ATTRIBUTE("SIDR_REP", "ServiceIDResReqResp", 0x0018, 232, sidr_rep),
	ATTRIBUTE("LAP", "LoadAlternatePath", 0x0019, 232, lap),
	ATTRIBUTE("APR", "AlternatePathResponse", 0x001a, 232, apr),
	OPAQUE("SAP", "SuggestAlternatePath", 0x001b, 232),
	OPAQUE("SPR", "SuggestPathResponse", 0x001c, 232),
};
