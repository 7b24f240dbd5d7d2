/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Classes of OpenIB's OUI: see infiniband-diags' ibping.c and ibsysstat.c. */
#include "tables.h"

/* "host.domain" */
static const struct madkit_field host_fields[] = {
	FIELD("Host", NULL, 0, 1728, STRING),
};
static LAYOUT(host, "Ping", 216);

/* by which the sender recognises its response: python-rdma's vend_ofa.xml */
static const struct madkit_field sysstat_ping_fields[] = {
	FIELD("Cookie", NULL, 0, 64, HEX),
};
static LAYOUT(sysstat_ping, "SysStatPing", 8);

static const struct madkit_field host_info_fields[] = {
	FIELD("Host", NULL, 0, 1728, STRING),
};
static LAYOUT(host_info, "HostInfo", 216);

/* one line per processor */
static const struct madkit_field cpu_info_fields[] = {
	FIELD("CPUs", NULL, 0, 1728, STRING),
};
static LAYOUT(cpu_info, "CPUInfo", 216);

const struct madkit_attribute madkit_attributes_ping[] = {
	ATTRIBUTE("Ping", NULL, 0x0000, 216, host),
	ATTRIBUTE("ClassPortInfo", "CPI", 0x0001, 72, class_port_info),
};

const struct madkit_attribute madkit_attributes_sysstat[] = {
	ATTRIBUTE("ClassPortInfo", "CPI", 0x0001, 72, class_port_info),
	ATTRIBUTE("SysStatPing", NULL, 0x0010, 8, sysstat_ping),
	ATTRIBUTE("HostInfo", NULL, 0x0011, 216, host_info),
	ATTRIBUTE("CPUInfo", NULL, 0x0012, 216, cpu_info),
};
