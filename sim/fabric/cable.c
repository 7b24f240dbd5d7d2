/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim/fabric/cable.h"
#include "util/array_size.h"
#include "util/table.h"

enum {
	TECHNOLOGY_VCSEL = 0, /* 850 nm */
	TECHNOLOGY_EML = 6,   /* 1310 nm */
	TECHNOLOGY_COPPER = 10,

	LENGTH_COPPER = 20, /* dm */
	LENGTH_OPTICAL = 200,
	SERIAL_DIGITS = 8,
};

/* Published part numbers, by the fastest speed. Identifiers: 0 QSFP28, 1 QSFP+, 8 OSFP; brands: 1 Mellanox, 3 NVIDIA. */
static const struct {
	const char *vendor, *copper, *optical;
	uint32_t oui;
	uint16_t speed;
	uint8_t identifier, brand, optical_type;
} cable_models[] = {
	{ "Mellanox", "MC2206130-002", "MC2206310-020", 0x2c9, TOPOLOGY_FDR10, 1, 1, CABLE_ACTIVE },
	{ "Mellanox", "MC2207130-002", "MC220731V-020", 0x2c9, TOPOLOGY_FDR, 1, 1, CABLE_ACTIVE },
	{ "Mellanox", "MCP1600-E002E30", "MFA1A00-E020", 0x2c9, TOPOLOGY_EDR, 0, 1, CABLE_ACTIVE },
	{ "Mellanox", "MCP1650-H002E26", "MFS1S00-H020V", 0x2c9, TOPOLOGY_HDR, 0, 1, CABLE_ACTIVE },
	{ "NVIDIA", "MCP4Y10-N002", "MMA4Z00-NS", 0x48b02d, TOPOLOGY_NDR, 8, 3, CABLE_OPTICAL },
	{ "NVIDIA", "MCP4Y10-X002", "MMS4A00-XM", 0x48b02d, TOPOLOGY_XDR, 8, 3, CABLE_OPTICAL },
};

/* ---- settings ------------------------------------------------------------------------------ */

struct settings *settings_make(struct port *port)
{
	if (!port->settings)
		port->settings = calloc(1, sizeof(*port->settings));
	return port->settings;
}

void setting_get(const struct port *port, enum setting which, int32_t *value)
{
	if (port->settings && port->settings->known[which])
		*value = port->settings->values[which];
}

/* ---- cables -------------------------------------------------------------------------------- */

uint64_t cable_hash(struct fabric *f, const struct port *port, unsigned int salt)
{
	const uint64_t guid = field_get(MADKIT_NODE_INFO_GUID, f->nodes[port->node].info);

	return table_mix(table_mix(table_mix(0, guid), port->number), salt);
}

/* Returns the first port of an adapter with the port GUID of this one: planes of a port share a cable. */
static const struct port *cable_first_plane(struct fabric *f, const struct port *port)
{
	const struct node *node = &f->nodes[port->node];

	for (unsigned int i = 1; i < port->number && !is_switch(node); i++) {
		const struct port *other = node_port(f, node, i);

		if (other->guid == port->guid && other->peer != TOPOLOGY_NONE)
			return other;
	}
	return port;
}

/* Returns the same number at both ends, and for all planes. */
static uint64_t cable_number(struct fabric *f, const struct port *port)
{
	const struct port *peer = &f->ports[port->peer];
	const struct port *end = cable_first_plane(f, is_switch(&f->nodes[port->node]) ? peer : port);
	const uint64_t a = cable_hash(f, end, 0), b = cable_hash(f, &f->ports[end->peer], 0);

	return table_mix(table_mix(0, a < b ? a : b), a < b ? b : a);
}

/* Two digits of the year, two of the week, and digits to the base of 32. */
static void cable_put_serial(uint64_t number, char serial[CABLE_TEXT + 1])
{
	static const char digits[] = "0123456789ABCDEFGHJKLMNPRSTUVWXY";
	const unsigned int year = 20 + number % 5, week = 1 + number / 5 % 52;
	int n = snprintf(serial, CABLE_TEXT + 1, "MT%02u%02uVS", year, week);

	number /= UINT64_C(5) * 52;
	for (int i = 0; i < SERIAL_DIGITS; i++, number /= 32)
		serial[n++] = digits[number % 32];
	serial[n] = '\0';
}

void cable_derive(struct fabric *f, const struct port *port, struct cable *cable)
{
	const struct port *peer = &f->ports[port->peer];
	struct link_rates a, b;
	bool copper;
	size_t i = 0;

	*cable = (struct cable){ .type = CABLE_UNPLUGGED };
	a = port_rates(port);
	b = port_rates(peer);
	copper = !is_switch(&f->nodes[port->node]) || !is_switch(&f->nodes[peer->node]);
	cable->speed = (uint16_t)topology_best_speed(a.speeds_supported & b.speeds_supported);
	cable->width = (uint8_t)topology_best_width(a.widths_supported & b.widths_supported);
	while (i + 1 < ARRAY_SIZE(cable_models) && cable_models[i].speed < cable->speed)
		i++;
	snprintf(cable->vendor, sizeof(cable->vendor), "%s", cable_models[i].vendor);
	snprintf(cable->part, sizeof(cable->part), "%s",
		 copper ? cable_models[i].copper : cable_models[i].optical);
	cable_put_serial(cable_number(f, port), cable->serial);
	cable->oui = cable_models[i].oui;
	cable->length = copper ? LENGTH_COPPER : LENGTH_OPTICAL;
	cable->type = copper ? CABLE_PASSIVE : cable_models[i].optical_type;
	cable->identifier = cable_models[i].identifier;
	cable->brand = cable_models[i].brand;
	cable->technology = cable->type == CABLE_OPTICAL ? TECHNOLOGY_EML : TECHNOLOGY_VCSEL;
	if (copper)
		cable->technology = TECHNOLOGY_COPPER;
}

bool cable_get(struct fabric *f, const struct port *port, struct cable *cable)
{
	*cable = (struct cable){ .type = CABLE_UNPLUGGED };
	if (port->peer == TOPOLOGY_NONE || port->unplugged)
		return false;
	if (port->settings && port->settings->cable_known)
		*cable = port->settings->cable;
	else
		cable_derive(f, port, cable);
	return cable->type != CABLE_UNPLUGGED;
}

bool cable_is_optical(const struct cable *cable)
{
	const bool active = cable->type == CABLE_ACTIVE || cable->type == CABLE_OPTICAL;

	/* values of SFF-8636 and CMIS for copper */
	return active && !(cable->technology >= 0x0a && cable->technology <= 0x0f) &&
	       !(cable->technology >= 0x12 && cable->technology <= 0x14);
}

int cable_set(struct fabric *f, struct port *port, const struct cable *cable)
{
	struct settings *ends[] = { settings_make(port), settings_make(&f->ports[port->peer]) };

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		if (!ends[i])
			return -ENOMEM;
		ends[i]->cable = *cable;
		ends[i]->cable_known = true;
	}
	return 0;
}

/* ---- modules ------------------------------------------------------------------------------- */

static void module_derive(struct fabric *f, const struct port *port, struct module *module, bool lit)
{
	/* -1 to 2 dBm; 6 to 7.6 mA */
	enum {
		COLDEST = 40,
		WARMEST = 55,
		POWER_MIN = 800,
		POWER_MAX = 1590,
		BIAS_MIN = 3000,
		BIAS_MAX = 3800
	};
	uint64_t hash = cable_hash(f, port, 1);

	module->temperature = (int16_t)(COLDEST * 256 + hash % ((WARMEST - COLDEST) * 256));
	module->voltage = (uint16_t)(32800 + hash / 8192 % 500);
	for (unsigned int lane = 0; lane < module->lanes && lit; lane++) {
		hash = cable_hash(f, port, 2 + lane);
		module->received[lane] = (uint16_t)(POWER_MIN + hash % (POWER_MAX - POWER_MIN));
		module->sent[lane] = (uint16_t)(POWER_MIN + hash / 1024 % (POWER_MAX - POWER_MIN));
		module->bias[lane] = (uint16_t)(BIAS_MIN + hash / 1048576 % (BIAS_MAX - BIAS_MIN));
	}
}

static void module_set_lanes(const struct port *port, enum setting which, uint16_t values[CABLE_LANES],
			     unsigned int lanes)
{
	for (unsigned int lane = 0; lane < lanes; lane++) {
		int32_t value = values[lane];

		setting_get(port, which, &value);
		values[lane] = (uint16_t)value;
	}
}

void module_get(struct fabric *f, const struct port *port, const struct cable *cable, struct module *module)
{
	int32_t temperature, voltage;

	*module = (struct module){ .lanes = topology_lanes(cable->width) };
	if (module->lanes > CABLE_LANES)
		module->lanes = CABLE_LANES;
	if (cable->type == CABLE_ACTIVE || cable->type == CABLE_OPTICAL)
		module_derive(f, port, module, cable_is_optical(cable));
	temperature = module->temperature;
	voltage = module->voltage;
	setting_get(port, SETTING_TEMPERATURE, &temperature);
	setting_get(port, SETTING_VOLTAGE, &voltage);
	module->temperature = (int16_t)temperature;
	module->voltage = (uint16_t)voltage;
	module_set_lanes(port, SETTING_RECEIVED, module->received, module->lanes);
	module_set_lanes(port, SETTING_SENT, module->sent, module->lanes);
	module_set_lanes(port, SETTING_BIAS, module->bias, module->lanes);
}
