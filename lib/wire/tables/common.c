/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Attributes of several classes (IBA volume 1, section 13.4.8). */
#include "tables.h"

/* Bits 0 to 7 of CapabilityMask mean the same in each class. */
#define CLASS_PORT_INFO(cap, cap2) \
	FIELD("BaseVersion", NULL, 0, 8, UNSIGNED), \
	FIELD("ClassVersion", NULL, 8, 8, UNSIGNED), \
	FIELD("CapabilityMask", NULL, 16, 16, BITS, PLAIN, VALUES(cap)), \
	FIELD("CapabilityMask2", NULL, 32, 27, BITS, PLAIN, VALUES(cap2)), \
	FIELD("RespTimeVal", "RespTimeValue", 59, 5, UNSIGNED), \
	FIELD("RedirectGID", NULL, 64, 128, GID), \
	FIELD("RedirectTC", NULL, 192, 8, HEX), \
	FIELD("RedirectSL", NULL, 200, 4, UNSIGNED), \
	FIELD("RedirectFL", NULL, 204, 20, HEX), \
	FIELD("RedirectLID", NULL, 224, 16, LID), \
	FIELD("RedirectPKey", "RedirectP_Key", 240, 16, HEX), \
	RESERVED("Reserved", 256, 8), \
	FIELD("RedirectQP", NULL, 264, 24, HEX), \
	FIELD("RedirectQKey", "RedirectQ_Key", 288, 32, HEX), \
	FIELD("TrapGID", NULL, 320, 128, GID), \
	FIELD("TrapTC", NULL, 448, 8, HEX), \
	FIELD("TrapSL", NULL, 456, 4, UNSIGNED), \
	FIELD("TrapFL", NULL, 460, 20, HEX), \
	FIELD("TrapLID", NULL, 480, 16, LID), \
	FIELD("TrapPKey", "TrapP_Key", 496, 16, HEX), \
	FIELD("TrapHL", NULL, 512, 8, UNSIGNED), \
	FIELD("TrapQP", NULL, 520, 24, HEX), \
	FIELD("TrapQKey", "TrapQ_Key", 544, 32, HEX)

static const struct madkit_field class_port_info_fields[] = {
	CLASS_PORT_INFO(cpi_cap, cpi_cap2),
};
LAYOUT(class_port_info, "ClassPortInfo", 72);

static const struct madkit_field class_port_info_bm_fields[] = {
	CLASS_PORT_INFO(cpi_cap_bm, cpi_cap2),
};
LAYOUT(class_port_info_bm, "ClassPortInfo", 72);

static const struct madkit_field class_port_info_perf_fields[] = {
	CLASS_PORT_INFO(cpi_cap_perf, cpi_cap2_perf),
};
LAYOUT(class_port_info_perf, "ClassPortInfo", 72);

static const struct madkit_field class_port_info_sa_fields[] = {
	CLASS_PORT_INFO(cpi_cap_sa, cpi_cap2_sa),
};
LAYOUT(class_port_info_sa, "ClassPortInfo", 72);

/* The kernel's struct opa_class_port_info; SLs have 5 bits, as in opa-ff. */
static const struct madkit_field class_port_info_opa_fields[] = {
	FIELD("BaseVersion", NULL, 0, 8, UNSIGNED),
	FIELD("ClassVersion", NULL, 8, 8, UNSIGNED),
	FIELD("CapabilityMask", NULL, 16, 16, HEX),
	FIELD("CapabilityMask2", NULL, 32, 27, HEX),
	FIELD("RespTimeVal", "RespTimeValue", 59, 5, UNSIGNED),
	FIELD("RedirectGID", NULL, 64, 128, GID),
	FIELD("RedirectTC", NULL, 192, 8, HEX),
	RESERVED("Reserved", 200, 4),
	FIELD("RedirectFL", NULL, 204, 20, HEX),
	FIELD("RedirectLID", NULL, 224, 32, LID),
	FIELD("RedirectSL", NULL, 256, 5, UNSIGNED),
	RESERVED("Reserved2", 261, 3),
	FIELD("RedirectQP", NULL, 264, 24, HEX),
	FIELD("RedirectQKey", "RedirectQ_Key", 288, 32, HEX),
	FIELD("TrapGID", NULL, 320, 128, GID),
	FIELD("TrapTC", NULL, 448, 8, HEX),
	RESERVED("Reserved3", 456, 4),
	FIELD("TrapFL", NULL, 460, 20, HEX),
	FIELD("TrapLID", NULL, 480, 32, LID),
	FIELD("TrapHL", NULL, 512, 8, UNSIGNED),
	FIELD("TrapQP", NULL, 520, 24, HEX),
	FIELD("TrapQKey", "TrapQ_Key", 544, 32, HEX),
	FIELD("TrapPKey", "TrapP_Key", 576, 16, HEX),
	FIELD("RedirectPKey", "RedirectP_Key", 592, 16, HEX),
	FIELD("TrapSL", NULL, 608, 5, UNSIGNED),
	RESERVED("Reserved4", 613, 27),
};
LAYOUT(class_port_info_opa, "ClassPortInfo", 80);

/* Component numbers count from the first field; in InformInfoRecord, from its fourth field. */
static const struct madkit_field inform_info_fields[] = {
	FIELD("GID", NULL, 0, 128, GID, COMPONENT(0)),
	FIELD("LIDRangeBegin", NULL, 128, 16, LID, COMPONENT(1)),
	FIELD("LIDRangeEnd", NULL, 144, 16, LID, COMPONENT(2)),
	RESERVED("Reserved", 160, 16, COMPONENT(3)),
	FIELD("IsGeneric", NULL, 176, 8, UNSIGNED, COMPONENT(4)),
	FIELD("Subscribe", NULL, 184, 8, UNSIGNED, COMPONENT(5)),
	FIELD("Type", NULL, 192, 16, ENUM, VALUES(trap_type), COMPONENT(6)),
	FIELD("TrapNumber", "DeviceID", 208, 16, UNSIGNED, COMPONENT(7)),
	FIELD("QPN", NULL, 224, 24, HEX, COMPONENT(8)),
	RESERVED("Reserved2", 248, 3, COMPONENT(9)),
	FIELD("RespTimeValue", NULL, 251, 5, UNSIGNED, COMPONENT(10)),
	RESERVED("Reserved3", 256, 8, COMPONENT(11)),
	FIELD("ProducerType", "VendorID", 264, 24, ENUM, VALUES(producer_type), COMPONENT(12)),
};
LAYOUT(inform_info, "InformInfo", 36);

const struct madkit_attribute madkit_attributes_common[] = {
	ATTRIBUTE("ClassPortInfo", "CPI", 0x0001, 72, class_port_info),
};

const struct madkit_attribute madkit_attribute_class_port_info_opa =
	ATTRIBUTE("ClassPortInfo", "CPI", 0x0001, 80, class_port_info_opa);
