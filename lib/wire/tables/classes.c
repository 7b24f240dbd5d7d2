/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The classes, in ascending order (IBA volume 1, section 13.4.4). The names of ranges have no number:
 * madkit_class_name() appends it. */
#include <madkit/mad.h>
#include "tables.h"

#define ROW(n, a, first, end, v, start, length, h, list, ...) \
	{ .name = n, .alias = a, .id = first, .last = end, .version = v, \
	  .offset = start, .bytes = length, .header = h, \
	  .attributes = madkit_attributes_##list, \
	  .nattributes = ARRAY_SIZE(madkit_attributes_##list), ##__VA_ARGS__ }
#define CLASS(n, a, id, v, start, h, list) \
	ROW(n, a, id, id, v, start, MADKIT_MAD_BYTES - (start), h, list)
#define RANGE(n, first, end, start, h) \
	ROW(n, NULL, first, end, 1, start, MADKIT_MAD_BYTES - (start), h, common)
/* after the range that contains the class */
#define VENDOR(n, id, whose, list) \
	ROW(n, NULL, id, id, 1, MADKIT_VENDOR2_DATA, MADKIT_MAD_BYTES - MADKIT_VENDOR2_DATA, \
	    HEADER(vendor2), list, .oui = whose)
#define SMP(n, a, id, h) \
	ROW(n, a, id, id, 1, MADKIT_SMP_DATA, 64, h, subn)

#define HEADER(x) &madkit_layout_header_##x

const struct madkit_class madkit_class_table[] = {
	SMP("SubnMgt", "Subn,SM", MADKIT_CLASS_SUBN, HEADER(smp)),
	CLASS("SA", "SubnAdm", MADKIT_CLASS_SA, 2, MADKIT_SA_DATA, HEADER(sa), sa),
	CLASS("PerfMgt", "Perf,PM", MADKIT_CLASS_PERF, 1, MADKIT_PERF_DATA, HEADER(perf), perf),
	CLASS("BM", "BoardMgt", MADKIT_CLASS_BM, 1, MADKIT_BM_DATA, HEADER(bm), bm),
	CLASS("DevMgt", "DM", MADKIT_CLASS_DEVICE, 1, MADKIT_DEVICE_DATA, HEADER(device), device),
	CLASS("CM", "CommMgt,ComMgt", MADKIT_CLASS_CM, 2, MADKIT_HEADER_BYTES, NULL, cm),
	CLASS("SNMP", NULL, MADKIT_CLASS_SNMP, 1, MADKIT_SNMP_DATA, HEADER(snmp), snmp),
	CLASS("Vendor0x09", NULL, MADKIT_CLASS_VENDOR1_FIRST, 1, MADKIT_HEADER_BYTES, NULL, common),
	CLASS("Mlnx", "Vendor0x0a", MADKIT_CLASS_MLNX, 1, MADKIT_MLNX_DATA, HEADER(mlnx), mlnx),
	RANGE("Vendor", MADKIT_CLASS_MLNX + 1, MADKIT_CLASS_VENDOR1_LAST, MADKIT_HEADER_BYTES, NULL),
	CLASS("DevAdm", NULL, MADKIT_CLASS_DEVADM, 1, MADKIT_DEVICE_DATA, HEADER(device), common),
	CLASS("BootMgt", NULL, MADKIT_CLASS_BOOT, 1, MADKIT_HEADER_BYTES, NULL, common),
	CLASS("BIS", NULL, MADKIT_CLASS_BIS, 1, MADKIT_DEVICE_DATA, HEADER(device), common),
	RANGE("Application", MADKIT_CLASS_APP_FIRST, MADKIT_CLASS_CC - 1, MADKIT_HEADER_BYTES, NULL),
	CLASS("CC", "CongestionMgt,CongMgt", MADKIT_CLASS_CC, 2, MADKIT_CC_DATA, HEADER(cc), cc),
	RANGE("Application", MADKIT_CLASS_CC + 1, MADKIT_CLASS_APP_LAST, MADKIT_HEADER_BYTES, NULL),
	RANGE("Vendor", MADKIT_CLASS_VENDOR2_FIRST, MADKIT_CLASS_VENDOR2_LAST, MADKIT_VENDOR2_DATA, HEADER(vendor2)),
	VENDOR("OpenIBPing", 0x32, MADKIT_OUI_OPENIB, ping),
	VENDOR("OpenIBSysStat", 0x33, MADKIT_OUI_OPENIB, sysstat),
	SMP("SubnMgtDR", "SubnDR", MADKIT_CLASS_SUBN_DR, HEADER(smp_dr)),
};
