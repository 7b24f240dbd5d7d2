/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Baseboard management (IBA volume 1, section 16.2), as in opa-ff's ib_bm.h and bma_provider.h. Volume 2, chapter 13,
 * defines the parameters of the commands. Parameters that no public source describes are bytes.
 *
 * A command and its response are both sent with Send: bit 0 of the modifier distinguishes them. ParamCount is the
 * number of valid octets: volume 2 allows 40, opa-ff reads 64, ibutils' ibbbm_base.h and madkit read up to the end of
 * the MAD.
 */
#include "tables.h"

static const struct madkit_field bkey_info_fields[] = {
	FIELD("B_Key", "BKey", 0, 64, KEY),
	FIELD("B_KeyProtectBit", NULL, 64, 1, UNSIGNED),
	RESERVED("Reserved", 65, 15),
	FIELD("B_KeyLeasePeriod", NULL, 80, 16, UNSIGNED),
	FIELD("B_KeyViolations", NULL, 96, 16, UNSIGNED),
};
static LAYOUT(bkey_info, "BKeyInfo", 14);

#define SEND \
	FIELD("Sequence", "BMSequence", 0, 16, UNSIGNED), \
	FIELD("SourceDevice", "BMSourceDevice", 16, 8, ENUM, VALUES(bm_device)), \
	FIELD("ParamCount", "BMParameterCount", 24, 8, UNSIGNED)
#define ANSWER SEND, \
	FIELD("CompletionStatus", NULL, 32, 8, ENUM, VALUES(bm_status))

/* The two layouts of a command: the parameters of the request, and of the response. */
#define COMMAND(x, n, request, ...) \
	static const struct madkit_field x##_fields[] = { SEND, request }; \
	static const struct madkit_field x##_answer_fields[] = { ANSWER, __VA_ARGS__ }; \
	static LAYOUT(x, n, 192); \
	static LAYOUT(x##_answer, n "Response", 192)
#define PARAMETERS	FIELD("Parameters", "BMParameters", 32, 1504, BYTES)
#define BYTE(n)		FIELD(n, NULL, 32, 8, HEX), FIELD("Data", NULL, 40, 1496, BYTES)
#define VPD \
	FIELD("DeviceSelector", NULL, 32, 8, HEX), \
	FIELD("NumBytes", NULL, 40, 16, UNSIGNED), \
	FIELD("Offset", NULL, 56, 16, UNSIGNED), \
	FIELD("Data", NULL, 72, 1464, BYTES)
#define OEM \
	FIELD("VendorID", NULL, 32, 24, HEX), FIELD("Data", NULL, 56, 1480, BYTES)
#define DATA		FIELD("Data", NULL, 40, 1496, BYTES)

#define LIST(...) __VA_ARGS__

COMMAND(write_vpd, "WriteVPD", LIST(VPD), DATA);
COMMAND(read_vpd, "ReadVPD", LIST(VPD), DATA);
COMMAND(reset_ibml, "ResetIBML", PARAMETERS, DATA);
COMMAND(set_module_pm, "SetModulePMControl", LIST(BYTE("ModuleControl")), DATA);
COMMAND(get_module_pm, "GetModulePMControl", PARAMETERS, DATA);
COMMAND(set_unit_pm, "SetUnitPMControl", PARAMETERS, DATA);
COMMAND(get_unit_pm, "GetUnitPMControl", PARAMETERS, DATA);
COMMAND(set_ioc_pm, "SetIOCPMControl", PARAMETERS, DATA);
COMMAND(get_ioc_pm, "GetIOCPMControl", PARAMETERS, DATA);
COMMAND(set_module_state, "SetModuleState", LIST(BYTE("RemovalControl")), DATA);
COMMAND(set_module_attention, "SetModuleAttention", LIST(BYTE("ModuleAttention")), DATA);
COMMAND(get_module_status, "GetModuleStatus", PARAMETERS,
	FIELD("ModuleStatus", NULL, 40, 1496, BYTES));
COMMAND(ib2ibml, "IB2IBML", PARAMETERS, DATA);
COMMAND(ib2cme, "IB2CME", PARAMETERS, DATA);
COMMAND(ib2mme, "IB2MME", PARAMETERS, DATA);
COMMAND(oem, "OEM", LIST(OEM),
	FIELD("VendorID", NULL, 40, 24, HEX),
	FIELD("Data", NULL, 64, 1472, BYTES));

#define ROWS_OF(x, n, i) \
	ATTRIBUTE(n, NULL, i, 192, x, MODIFIER("0 request, 1 response"), CHOSEN(1, 0)), \
	ATTRIBUTE(n "Response", NULL, i, 192, x##_answer, \
		  MODIFIER("0 request, 1 response"), CHOSEN(1, 1))

const struct madkit_attribute madkit_attributes_bm[] = {
	ATTRIBUTE("ClassPortInfo", "CPI", 0x0001, 72, class_port_info_bm),
	ATTRIBUTE("Notice", NULL, 0x0002, 80, notice, EDITIONS(notice_bm)),
	ATTRIBUTE("BKeyInfo", NULL, 0x0010, 14, bkey_info),
	ROWS_OF(write_vpd, "WriteVPD", 0x0020),
	ROWS_OF(read_vpd, "ReadVPD", 0x0021),
	ROWS_OF(reset_ibml, "ResetIBML", 0x0022),
	ROWS_OF(set_module_pm, "SetModulePMControl", 0x0023),
	ROWS_OF(get_module_pm, "GetModulePMControl", 0x0024),
	ROWS_OF(set_unit_pm, "SetUnitPMControl", 0x0025),
	ROWS_OF(get_unit_pm, "GetUnitPMControl", 0x0026),
	ROWS_OF(set_ioc_pm, "SetIOCPMControl", 0x0027),
	ROWS_OF(get_ioc_pm, "GetIOCPMControl", 0x0028),
	ROWS_OF(set_module_state, "SetModuleState", 0x0029),
	ROWS_OF(set_module_attention, "SetModuleAttention", 0x002a),
	ROWS_OF(get_module_status, "GetModuleStatus", 0x002b),
	ROWS_OF(ib2ibml, "IB2IBML", 0x002c),
	ROWS_OF(ib2cme, "IB2CME", 0x002d),
	ROWS_OF(ib2mme, "IB2MME", 0x002e),
	ROWS_OF(oem, "OEM", 0x002f),
};
