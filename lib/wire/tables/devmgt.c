/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Device management (IBA volume 1, section 16.3.3). */
#include "tables.h"

/* Slot n is element n - 1 of the controller list. */
static const struct madkit_field io_unit_info_fields[] = {
	FIELD("Change_ID", "ChangeID", 0, 16, UNSIGNED),
	FIELD("MaxControllers", NULL, 16, 8, UNSIGNED),
	RESERVED("Reserved", 24, 6),
	FIELD("DiagDeviceID", NULL, 30, 1, UNSIGNED),
	FIELD("OptionROM", NULL, 31, 1, UNSIGNED),
	FIELD("ControllerList", NULL, 32, 4, ENUM, VALUES(controller_state), ARRAY(256), ROWS),
};
static LAYOUT(io_unit_info, "IOUnitInfo", 132);

static const struct madkit_field io_controller_profile_fields[] = {
	FIELD("GUID", NULL, 0, 64, GUID),
	FIELD("VendorID", NULL, 64, 24, HEX),
	RESERVED("Reserved", 88, 8),
	FIELD("DeviceID", NULL, 96, 32, HEX),
	FIELD("DeviceVersion", NULL, 128, 16, HEX),
	RESERVED("Reserved2", 144, 16),
	FIELD("SubsystemVendorID", NULL, 160, 24, HEX),
	RESERVED("Reserved3", 184, 8),
	FIELD("SubsystemID", NULL, 192, 32, HEX),
	FIELD("IOClass", NULL, 224, 16, HEX),
	FIELD("IOSubclass", NULL, 240, 16, HEX),
	FIELD("Protocol", NULL, 256, 16, HEX),
	FIELD("ProtocolVersion", NULL, 272, 16, HEX),
	RESERVED("Reserved4", 288, 32),
	FIELD("SendMessageDepth", NULL, 320, 16, UNSIGNED),
	RESERVED("Reserved5", 336, 8),
	FIELD("RDMAReadDepth", NULL, 344, 8, UNSIGNED),
	FIELD("SendMessageSize", NULL, 352, 32, UNSIGNED),
	FIELD("RDMATransferSize", NULL, 384, 32, UNSIGNED),
	FIELD("ControllerOperationsMask", NULL, 416, 8, BITS, VALUES(controller_ops)),
	RESERVED("Reserved6", 424, 8),
	FIELD("ServiceEntries", NULL, 432, 8, UNSIGNED),
	RESERVED("Reserved7", 440, 72),
	FIELD("IDString", NULL, 512, 512, STRING),
};
static LAYOUT(io_controller_profile, "IOControllerProfile", 128);

static const struct madkit_field service_entry_fields[] = {
	FIELD("ServiceName", NULL, 0, 320, STRING),
	FIELD("ServiceID", NULL, 320, 64, HEX),
};
static LAYOUT(service_entry, "ServiceEntry", 48);

static const struct madkit_field service_entries_fields[] = {
	FIELD("ServiceEntry", NULL, 0, 384, STRUCT, ARRAY(4), SUB(service_entry)),
};
static LAYOUT(service_entries, "ServiceEntries", 192);

static const struct madkit_field diagnostic_timeout_fields[] = {
	FIELD("MaxDiagTime", NULL, 0, 32, UNSIGNED),
};
static LAYOUT(diagnostic_timeout, "DiagnosticTimeout", 4);

static const struct madkit_field diag_code_fields[] = {
	FIELD("DiagCode", NULL, 0, 16, HEX),
	RESERVED("Reserved", 16, 16),
};
static LAYOUT(diag_code, "DiagCode", 4);

const struct madkit_attribute madkit_attributes_device[] = {
	ATTRIBUTE("ClassPortInfo", "CPI", 0x0001, 72, class_port_info),
	ATTRIBUTE("Notice", NULL, 0x0002, 80, notice),
	ATTRIBUTE("IOUnitInfo", "IOUI", 0x0010, 132, io_unit_info),
	ATTRIBUTE("IOControllerProfile", "IOCP", 0x0011, 128, io_controller_profile, SELECTS("slot")),
	ATTRIBUTE("ServiceEntries", NULL, 0x0012, 192, service_entries, SELECTS("slot << 16 | last << 8 | first")),
	ATTRIBUTE("DiagnosticTimeout", NULL, 0x0020, 4, diagnostic_timeout),
	EMPTY("PrepareToTest", NULL, 0x0021),
	EMPTY("TestDeviceOnce", NULL, 0x0022),
	EMPTY("TestDeviceLoop", NULL, 0x0023),
	ATTRIBUTE("DiagCode", NULL, 0x0024, 4, diag_code),
};
