/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The general services known by their attributes' names so far: baseboard,
 * and SNMP. */
#include "tables.h"

const struct madkit_attribute madkit_attributes_bm[] = {
	ATTRIBUTE("ClassPortInfo", "CPI", 0x0001, 72, class_port_info),
	ATTRIBUTE("Notice", NULL, 0x0002, 80, notice, EDITIONS(notice_bm)),
	SECRET("BKeyInfo", NULL, 0x0010, 192),
	OPAQUE("WriteVPD", NULL, 0x0020, 192),
	OPAQUE("ReadVPD", NULL, 0x0021, 192),
	OPAQUE("ResetIBML", NULL, 0x0022, 192),
	OPAQUE("SetModulePMControl", NULL, 0x0023, 192),
	OPAQUE("GetModulePMControl", NULL, 0x0024, 192),
	OPAQUE("SetUnitPMControl", NULL, 0x0025, 192),
	OPAQUE("GetUnitPMControl", NULL, 0x0026, 192),
	OPAQUE("SetIOCPMControl", NULL, 0x0027, 192),
	OPAQUE("GetIOCPMControl", NULL, 0x0028, 192),
	OPAQUE("SetModuleState", NULL, 0x0029, 192),
	OPAQUE("SetModuleAttention", NULL, 0x002a, 192),
	OPAQUE("GetModuleStatus", NULL, 0x002b, 192),
	OPAQUE("IB2IBML", NULL, 0x002c, 192),
	OPAQUE("IB2CME", NULL, 0x002d, 192),
	OPAQUE("IB2MME", NULL, 0x002e, 192),
	OPAQUE("OEM", NULL, 0x002f, 192),
};

const struct madkit_attribute madkit_attributes_snmp[] = {
	ATTRIBUTE("ClassPortInfo", "CPI", 0x0001, 72, class_port_info),
	OPAQUE("CommunityInfo", NULL, 0x0010, 64),
	OPAQUE("PDUInfo", NULL, 0x0011, 192),
};
