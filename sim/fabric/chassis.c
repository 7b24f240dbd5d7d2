/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Registers of the device and of the system around it. */
#include <stdio.h>
#include <string.h>
#include "sim/fabric/cable.h"
#include "sim/fabric/device.h"
#include "sim/fabric/phy.h"
#include "sim/fabric/reading.h"

int chassis_read_device(struct reading *r)
{
	struct fabric_firmware firmware;

	device_firmware(r->node, &firmware);
	field_put(MADKIT_DEVICE_INFO_DEVICE_REVISION, r->data, DEVICE_REVISION);
	field_put(MADKIT_DEVICE_INFO_DEVICE_ID, r->data, device_id(r->node));
	field_put(MADKIT_DEVICE_INFO_NUM_PORTS, r->data, r->node->nports);
	field_put(MADKIT_DEVICE_INFO_UP_TIME, r->data, phy_uptime_ms(r->f) / 1000);
	memcpy(r->data + field_at(MADKIT_DEVICE_INFO_PSID), firmware.psid, sizeof(firmware.psid));
	field_put(MADKIT_DEVICE_INFO_FW_MAJOR, r->data, firmware.version[0]);
	field_put(MADKIT_DEVICE_INFO_FW_MINOR, r->data, firmware.version[1]);
	field_put(MADKIT_DEVICE_INFO_FW_SUB_MINOR, r->data, firmware.version[2]);
	return 0;
}

/* ---- the case of a switch ------------------------------------------------------------------ */

enum { CHASSIS_FANS = 6, CHASSIS_SUPPLIES = 2 };

/* Returns a serial number of a part of the switch. */
static void chassis_serial(const struct reading *r, unsigned int part, char serial[24])
{
	const uint64_t hash = cable_hash(r->f, node_port(r->f, r->node, 0), 300 + part);

	snprintf(serial, 24, "MT%02u%02uVS%05u", 20 + (unsigned int)(hash % 5),
		 1 + (unsigned int)(hash / 8 % 52), (unsigned int)(hash / 512 % 100000));
}

int chassis_read_system(struct reading *r)
{
	char text[24];

	chassis_serial(r, 0, text);
	reading_put_text(r, MADKIT_SYSTEM_INFO_SERIAL_NUMBER, text, '\0');
	snprintf(text, sizeof(text), "SIM%u", device_id(r->node));
	reading_put_text(r, MADKIT_SYSTEM_INFO_PART_NUMBER, text, '\0');
	reading_put_text(r, MADKIT_SYSTEM_INFO_REVISION, "A1", '\0');
	reading_put_text(r, MADKIT_SYSTEM_INFO_PRODUCT_NAME, r->node->device->name, '\0');
	return 0;
}

int chassis_read_slots(struct reading *r)
{
	if (reading_echo(r, MADKIT_SLOTS_SLOT))
		return REGISTER_BAD_PARAMETER;
	field_put(MADKIT_SLOTS_NUM_MODULES, r->data, r->node->nports);
	return 0;
}

int chassis_read_cpld(struct reading *r)
{
	if (reading_echo(r, MADKIT_CPLD_CPLD_INDEX) > 1)
		return REGISTER_BAD_PARAMETER;
	field_put(MADKIT_CPLD_CPLD_VERSION, r->data, 0x17);
	return 0;
}

int chassis_read_power(struct reading *r)
{
	/* as published readings of switches with two supplies; no source describes the register */
	enum { PRESENT = 5, DC_OK = 1, FAN_OK = 2, WATTS = 180 };
	char serial[24];

	for (unsigned int i = 0; i < CHASSIS_SUPPLIES; i++) {
		chassis_serial(r, 1 + i, serial);
		element_put(MADKIT_POWER_SUPPLIES_PSU_PRESENCE, i, r->data, PRESENT);
		element_put(MADKIT_POWER_SUPPLIES_PSU_DC_STATE, i, r->data, DC_OK);
		element_put(MADKIT_POWER_SUPPLIES_PSU_FAN_STATE, i, r->data, FAN_OK);
		element_put(MADKIT_POWER_SUPPLIES_PSU_POWER_KNOWN, i, r->data, 1);
		element_put(MADKIT_POWER_SUPPLIES_PSU_POWER, i, r->data, WATTS + i);
		reading_put_text(r, madkit_element(MADKIT_POWER_SUPPLIES_PSU_SERIAL_NUMBER, i), serial, '\0');
		reading_put_text(r, madkit_element(MADKIT_POWER_SUPPLIES_PSU_PART_NUMBER, i), "SIM-PSU",
				 '\0');
	}
	return 0;
}

int chassis_read_fans(struct reading *r)
{
	field_put(MADKIT_FANS_TACHOS, r->data, bits_mask(CHASSIS_FANS));
	return 0;
}

int chassis_read_fan_speed(struct reading *r)
{
	const unsigned int tacho = (unsigned int)(reading_echo(r, MADKIT_FAN_SPEED_TACHO) |
						  reading_echo(r, MADKIT_FAN_SPEED_TACHO_MSB) << 4);

	if (tacho >= CHASSIS_FANS)
		return REGISTER_BAD_PARAMETER;
	field_put(MADKIT_FAN_SPEED_RPM, r->data,
		  5500 + cable_hash(r->f, node_port(r->f, r->node, 0), 400 + tacho) % 1000);
	return 0;
}

/* All fans are within their limits: zeros. */
int chassis_read_fan_limits(struct reading *r)
{
	(void)r;
	return 0;
}
