/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SNMP tunneling (IBA volume 1, section 16.4), as in python-rdma's iba_16_4.xml. */
#include "tables.h"

/* The community string is SNMP's password. */
static const struct madkit_field community_info_fields[] = {
	FIELD("CommunityName", NULL, 0, 512, KEY),
};
static LAYOUT(community_info, "CommunityInfo", 64);

/* octets of the PDU's segment: payload_length of the header is their number */
static const struct madkit_field pdu_info_fields[] = {
	FIELD("PDUData", NULL, 0, 1536, BYTES),
};
static LAYOUT(pdu_info, "PDUInfo", 192);

const struct madkit_attribute madkit_attributes_snmp[] = {
	ATTRIBUTE("ClassPortInfo", "CPI", 0x0001, 72, class_port_info),
	ATTRIBUTE("CommunityInfo", NULL, 0x0010, 64, community_info),
	ATTRIBUTE("PDUInfo", NULL, 0x0011, 192, pdu_info),
};
