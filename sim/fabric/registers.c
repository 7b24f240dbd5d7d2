/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <string.h>
#include "sim/fabric/cable.h"
#include "sim/fabric/device.h"
#include "sim/fabric/misbehaviour.h"
#include "sim/fabric/reading.h"
#include "sim/fabric/registers.h"
#include "util/array_size.h"

enum {
	REGISTER_AT = 4,      /* where a register begins in the data of a MAD */
	REGISTER_BLOCK = 220, /* bytes of a register in a block */
	REGISTER_BYTES_MAX = 1040,
};

/* ---- registers of ports -------------------------------------------------------------------- */

static int registers_port_mapping(struct reading *r)
{
	const unsigned int local = (unsigned int)(reading_echo(r, MADKIT_PORT_MAPPING_PORT_SELECT) |
						  reading_echo(r, MADKIT_PORT_MAPPING_PORT_SELECT_MSB) << 8);

	if (!local || local > device_locals(r->node))
		return REGISTER_BAD_PARAMETER;
	field_put(MADKIT_PORT_MAPPING_IB_PORT, r->data, device_ib_port(r->node, local));
	return 0;
}

static int registers_link_modes(struct reading *r)
{
	const uint64_t protocol = reading_echo(r, MADKIT_LINK_MODES_PROTOCOL_MASK);
	struct port *port = reading_port(r, MADKIT_LINK_MODES_PORT_SELECT, MADKIT_LINK_MODES_PORT_SELECT_MSB,
					 0, MADKIT_LINK_MODES_PLANE);
	struct link_rates rates;

	if (!port || protocol != 1)
		return REGISTER_BAD_PARAMETER;
	rates = port_rates(port);
	field_put(MADKIT_LINK_MODES_WIDTH_CAPABILITY, r->data, reading_widths(rates.widths_supported));
	field_put(MADKIT_LINK_MODES_SPEED_CAPABILITY, r->data, rates.speeds_supported);
	field_put(MADKIT_LINK_MODES_WIDTH_ENABLED, r->data, reading_widths(rates.widths_enabled));
	field_put(MADKIT_LINK_MODES_SPEED_ENABLED, r->data, rates.speeds_enabled);
	field_put(MADKIT_LINK_MODES_WIDTH_ACTIVE, r->data, reading_widths(rates.width));
	field_put(MADKIT_LINK_MODES_SPEED_ACTIVE, r->data, rates.speed);
	field_put(MADKIT_LINK_MODES_DATA_RATE, r->data,
		  topology_lanes(rates.width) * topology_lane_rate(rates.speed));
	return 0;
}

static int registers_lane_mapping(struct reading *r)
{
	const struct port *port =
		reading_port(r, MADKIT_LANE_MAPPING_PORT_SELECT, MADKIT_LANE_MAPPING_PORT_SELECT_MSB, 0, 0);
	unsigned int lanes;

	if (!port)
		return REGISTER_BAD_PARAMETER;
	lanes = topology_lanes(topology_best_width(port_rates(port).widths_supported));
	field_put(MADKIT_LANE_MAPPING_WIDTH, r->data, lanes);
	for (unsigned int i = 0; i < lanes && i < at_count(MADKIT_LANE_MAPPING_LANE); i++) {
		element_put(MADKIT_LANE_MAPPING_LANE_MODULE, i, r->data, device_module(r->node, port));
		element_put(MADKIT_LANE_MAPPING_LANE_TX, i, r->data, i);
		element_put(MADKIT_LANE_MAPPING_LANE_RX, i, r->data, i);
	}
	return 0;
}

static int registers_module_state(struct reading *r)
{
	const unsigned int module = (unsigned int)reading_echo(r, MADKIT_MODULE_STATE_MODULE);
	const struct port *port = device_module_port(r->f, r->node, r->end, module);
	int32_t state = MADKIT_MODULE_STATE_UNPLUGGED, error = 0;
	struct cable cable;

	if (!port || reading_echo(r, MADKIT_MODULE_STATE_SLOT))
		return REGISTER_BAD_PARAMETER;
	if (cable_get(r->f, port, &cable))
		state = MADKIT_MODULE_STATE_PLUGGED;
	setting_get(port, SETTING_STATE, &state);
	setting_get(port, SETTING_ERROR, &error);
	field_put(MADKIT_MODULE_STATE_MODULE_STATE, r->data, (uint64_t)state);
	field_put(MADKIT_MODULE_STATE_ERROR_TYPE, r->data, (uint64_t)error);
	return 0;
}

/* ---- requests ------------------------------------------------------------------------------ */

static const struct {
	uint16_t id, bytes;
	bool of_switches;
	int (*read)(struct reading *r);
} registers[] = {
	{ 0x5002, 64, false, registers_lane_mapping },
	{ 0x5004, 68, false, registers_link_modes },
	{ 0x5008, 256, false, ppcnt_read },
	{ 0x500a, 16, true, registers_port_mapping },
	{ 0x5012, 16, false, registers_module_state },
	{ 0x5031, 256, false, pddr_read },
	{ 0x9001, 8, true, chassis_read_fans },
	{ 0x9003, 8, true, chassis_read_fan_speed },
	{ 0x9007, 12, true, chassis_read_fan_limits },
	{ 0x9009, 16, false, sensor_read_list },
	{ 0x900a, 32, false, sensor_read },
	{ 0x900d, 160, true, chassis_read_power },
	{ 0x900f, 1040, false, sensor_read_all },
	{ 0x9020, 160, false, chassis_read_device },
	{ 0x9021, 128, true, chassis_read_system },
	{ 0x902a, 12, true, chassis_read_cpld },
	{ 0x9100, 160, true, chassis_read_slots },
};

/* Changes a correct answer to one about something else. */
static void registers_mislead(const struct node *node, uint32_t id, uint8_t *mad)
{
	enum { LANE_MAPPING = 0x5002, LINK_MODES = 0x5004, PDDR = 0x5031 };
	uint8_t *data = mad + MADKIT_MLNX_DATA;
	const uint64_t block = field_get(MADKIT_ACCESS_REGISTER_GMP_BLOCK, data);

	switch (node->misbehaves ? node->misbehaves->wrong : WRONG_NOTHING) {
	case WRONG_REGISTER:
		put_be32(mad + MADKIT_MAD_MODIFIER, id == LANE_MAPPING ? LINK_MODES : LANE_MAPPING);
		return;
	case WRONG_BLOCK:
		field_put(MADKIT_ACCESS_REGISTER_GMP_BLOCK, data, block + 1);
		return;
	case WRONG_PORT:
		data[field_at(MADKIT_MODULE_INFO_PORT_SELECT)]++;
		return;
	case WRONG_PAGE:
		if (id == PDDR)
			data[field_at(MADKIT_MODULE_INFO_PAGE_SELECT)]++;
		else
			data[field_at(MADKIT_PHY_COUNTERS_GROUP)]++;
		return;
	default:
		return;
	}
}

int registers_answer(struct fabric *f, struct port *end, uint8_t *mad)
{
	const uint32_t id = get_be32(mad + MADKIT_MAD_MODIFIER);
	uint8_t *data = mad + MADKIT_MLNX_DATA;
	uint8_t whole[REGISTER_AT + REGISTER_BYTES_MAX] = { 0 };
	struct reading r = { f, &f->nodes[end->node], end, data, whole };
	const size_t block = (size_t)field_get(MADKIT_ACCESS_REGISTER_GMP_BLOCK, data),
		     at = block * REGISTER_BLOCK;
	size_t i = 0, bytes;
	int status;

	while (i < ARRAY_SIZE(registers) && registers[i].id != id)
		i++;
	status = misbehaviour_status(r.node, id);
	if (status)
		return status;
	if (i == ARRAY_SIZE(registers) || (registers[i].of_switches && !is_switch(r.node)))
		return REGISTER_UNKNOWN;
	if (at >= registers[i].bytes)
		return REGISTER_BAD_PARAMETER;
	status = registers[i].read(&r);
	if (status)
		return status;
	bytes = registers[i].bytes - at;
	if (bytes > REGISTER_BLOCK)
		bytes = REGISTER_BLOCK;
	memset(data + REGISTER_AT, 0, REGISTER_BLOCK);
	memcpy(data + REGISTER_AT, whole + REGISTER_AT + at, bytes);
	registers_mislead(r.node, id, mad);
	return 0;
}
