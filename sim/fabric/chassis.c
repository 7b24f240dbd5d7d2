/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Registers of the device and of the system around it. */
#include <string.h>
#include "sim/fabric/device.h"
#include "sim/fabric/phy.h"
#include "sim/fabric/reading.h"

int chassis_read_device(struct reading *r)
{
	struct fabric_firmware firmware;

	device_firmware(r->node, &firmware);
	field_put(MADKIT_DEVICE_INFO_DEVICE_ID, r->data, device_id(r->node));
	field_put(MADKIT_DEVICE_INFO_NUM_PORTS, r->data, r->node->nports);
	field_put(MADKIT_DEVICE_INFO_UP_TIME, r->data, phy_uptime_ms(r->f) / 1000);
	memcpy(r->data + field_at(MADKIT_DEVICE_INFO_PSID), firmware.psid, sizeof(firmware.psid));
	field_put(MADKIT_DEVICE_INFO_FW_MAJOR, r->data, firmware.version[0]);
	field_put(MADKIT_DEVICE_INFO_FW_MINOR, r->data, firmware.version[1]);
	field_put(MADKIT_DEVICE_INFO_FW_SUB_MINOR, r->data, firmware.version[2]);
	return 0;
}
