/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* PDDR: the state of the physical layer of a port, its cable, and why its link is or went down. */
#include "sim/fabric/cable.h"
#include "sim/fabric/phy.h"
#include "sim/fabric/reading.h"
#include "sim/fabric/settings.h"
#include "util/array_size.h"

struct pddr {
	struct reading *r;
	const struct port *port;
	struct cable cable;
	bool plugged;
};

static void pddr_put(const struct pddr *p, uint64_t field, uint64_t value)
{
	field_put(field, p->r->data, value);
}

/* ---- page 0: the state --------------------------------------------------------------------- */

static int pddr_operation(const struct pddr *p)
{
	enum { INFINIBAND = 1, NEGOTIATION_IB = 4, HEALTHY = 2 };
	/* by PortPhysicalState, from 1 on */
	static const uint8_t manager[] = { 6, 2, 0, 12, 3, 2, 2 }, ib[] = { 0, 8, 0, 2, 7, 5, 8 };
	const uint64_t phys = field_get(MADKIT_PORT_INFO_PHYS_LINK_STATE, p->port->info);
	const struct link_rates rates = port_rates(p->port);
	struct phy phy;

	phy_get(p->r->f, p->port, &phy);
	pddr_put(p, MADKIT_PHY_OPERATION_PROTOCOL, INFINIBAND);
	pddr_put(p, MADKIT_PHY_OPERATION_NEGOTIATION, NEGOTIATION_IB);
	if (phys && phys <= ARRAY_SIZE(manager)) {
		pddr_put(p, MADKIT_PHY_OPERATION_PHY_MANAGER_STATE, manager[phys - 1]);
		pddr_put(p, MADKIT_PHY_OPERATION_IB_PHY_STATE, ib[phys - 1]);
	}
	pddr_put(p, MADKIT_PHY_OPERATION_WIDTH_ENABLED_BY_MANAGER, reading_widths(rates.widths_enabled));
	pddr_put(p, MADKIT_PHY_OPERATION_SPEED_ENABLED_BY_MANAGER, rates.speeds_enabled);
	pddr_put(p, MADKIT_PHY_OPERATION_WIDTH_ENABLED_BY_CORE, reading_widths(rates.widths_supported));
	pddr_put(p, MADKIT_PHY_OPERATION_SPEED_ENABLED_BY_CORE, rates.speeds_supported);
	if (p->plugged) {
		pddr_put(p, MADKIT_PHY_OPERATION_WIDTH_OF_CABLE,
			 reading_widths(topology_widths_up_to(p->cable.width, p->cable.speed)));
		pddr_put(p, MADKIT_PHY_OPERATION_SPEED_OF_CABLE, topology_speeds_up_to(p->cable.speed));
	}
	pddr_put(p, MADKIT_PHY_OPERATION_WIDTH_ACTIVE, reading_widths(rates.width));
	pddr_put(p, MADKIT_PHY_OPERATION_SPEED_ACTIVE, rates.speed);
	pddr_put(p, MADKIT_PHY_OPERATION_FEC_ACTIVE, phy.fec);
	pddr_put(p, MADKIT_PHY_OPERATION_LINK_HEALTH, phy.up ? HEALTHY : 0);
	return 0;
}

/* ---- page 1: the diagnosis ----------------------------------------------------------------- */

/* Returns the status opcode of a port, and its message. */
static unsigned int pddr_opcode(const struct pddr *p, const char **message)
{
	const uint64_t phys = field_get(MADKIT_PORT_INFO_PHYS_LINK_STATE, p->port->info);
	int32_t set = 0;

	setting_get(p->port, SETTING_DIAGNOSIS, &set);
	*message = "Set by a control word";
	if (set)
		return (unsigned int)set;
	*message = "No issue was observed";
	if (phys == PHYS_LINK_UP)
		return MADKIT_LINK_DIAGNOSIS_NO_ISSUE;
	*message = "Port is closed by command";
	if (phys == PHYS_DISABLED || phys == PHYS_SLEEP)
		return MADKIT_LINK_DIAGNOSIS_CLOSED_BY_COMMAND;
	*message = "Cable is unplugged";
	if (!p->plugged)
		return MADKIT_LINK_DIAGNOSIS_CABLE_UNPLUGGED;
	*message = "Link training is in progress";
	if (phys == PHYS_TRAINING)
		return MADKIT_LINK_DIAGNOSIS_IN_PROGRESS;
	*message = "No partner detected";
	return MADKIT_LINK_DIAGNOSIS_NEGOTIATION_NO_PARTNER;
}

static int pddr_diagnosis(const struct pddr *p)
{
	const char *message;

	if (reading_echo(p->r, MADKIT_LINK_DIAGNOSIS_GROUP_OPCODE))
		return REGISTER_BAD_PARAMETER;
	pddr_put(p, MADKIT_LINK_DIAGNOSIS_DIAGNOSIS, pddr_opcode(p, &message));
	reading_put_text(p->r, MADKIT_LINK_DIAGNOSIS_MESSAGE, message, '\0');
	return 0;
}

/* ---- page 3: the cable --------------------------------------------------------------------- */

/* Returns a power in uW as the nearest whole dBm; for none, that of CMIS, below the least. */
static int pddr_dbm(unsigned int power)
{
	/* the least powers of one dBm more, in each decade */
	static const uint16_t least[] = { 112, 141, 178, 224, 282, 355, 447, 562, 708, 891 };
	int dbm = power ? -10 : -40;

	for (; power >= 1000; power /= 10)
		dbm += 10;
	for (; power && power < 100; power *= 10)
		dbm -= 10;
	for (size_t i = 0; i < ARRAY_SIZE(least) && power >= least[i]; i++)
		dbm++;
	return dbm;
}

/* Returns a power as the register has it; copper reports 0. */
static uint16_t pddr_power(unsigned int power, bool lit, bool microwatts)
{
	return (uint16_t)(microwatts || (!lit && !power) ? (int)power : pddr_dbm(power));
}

static void pddr_put_module(const struct pddr *p, bool microwatts)
{
	/* in degrees, 100 uV, uW and 2 uA */
	static const struct {
		uint64_t field;
		uint16_t value, power;
	} limits[] = {
		{ MADKIT_MODULE_INFO_TEMPERATURE_HIGH, 80 * 256, 0 },
		{ MADKIT_MODULE_INFO_TEMPERATURE_LOW, (uint16_t)(-10 * 256), 0 },
		{ MADKIT_MODULE_INFO_VOLTAGE_HIGH, 35000, 0 },
		{ MADKIT_MODULE_INFO_VOLTAGE_LOW, 31000, 0 },
		{ MADKIT_MODULE_INFO_RX_POWER_HIGH, 0, 3162 },
		{ MADKIT_MODULE_INFO_RX_POWER_LOW, 0, 100 },
		{ MADKIT_MODULE_INFO_TX_POWER_HIGH, 0, 3162 },
		{ MADKIT_MODULE_INFO_TX_POWER_LOW, 0, 200 },
		{ MADKIT_MODULE_INFO_TX_BIAS_HIGH, 5000, 0 },
		{ MADKIT_MODULE_INFO_TX_BIAS_LOW, 1000, 0 },
	};
	enum { MODULE_READY = 3, MONITORS_ALL = 0x1f };
	const bool lit = cable_is_optical(&p->cable);
	struct module module;

	module_get(p->r->f, p->port, &p->cable, &module);
	if (!module.voltage && !module.temperature)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		pddr_put(p, limits[i].field,
			 !limits[i].power ? limits[i].value :
			 microwatts       ? limits[i].power :
					    (uint16_t)pddr_dbm(limits[i].power));
	pddr_put(p, MADKIT_MODULE_INFO_TEMPERATURE, (uint16_t)module.temperature);
	pddr_put(p, MADKIT_MODULE_INFO_VOLTAGE, module.voltage);
	for (unsigned int i = 0; i < module.lanes; i++) {
		element_put(MADKIT_MODULE_INFO_RX_POWER, i, p->r->data,
			    pddr_power(module.received[i], lit, microwatts));
		element_put(MADKIT_MODULE_INFO_TX_POWER, i, p->r->data,
			    pddr_power(module.sent[i], lit, microwatts));
		element_put(MADKIT_MODULE_INFO_TX_BIAS, i, p->r->data, module.bias[i]);
	}
	pddr_put(p, MADKIT_MODULE_INFO_MODULE_STATUS, MODULE_READY);
	pddr_put(p, MADKIT_MODULE_INFO_RX_POWER_TYPE, 1);
	pddr_put(p, MADKIT_MODULE_INFO_WAVELENGTH, p->cable.type == CABLE_OPTICAL ? 1310 : 850);
	pddr_put(p, MADKIT_MODULE_INFO_MONITORED, MONITORS_ALL);
	pddr_put(p, MADKIT_MODULE_INFO_MAX_POWER, 20);
	pddr_put(p, MADKIT_MODULE_INFO_FIRMWARE_VERSION, 0x260101f4); /* 38.1.500 */
}

/* CMIS: 6 bits, and a multiplier of 0.1, 1, 10 or 100 m in the upper 2; SFF-8636: whole metres. */
static unsigned int pddr_length(const struct cable *cable)
{
	unsigned int length = cable->length, multiplier = 0;

	if ((cable->identifier < 5 || cable->identifier > 8) && cable->identifier != 10)
		return length / 10 > 255 ? 255 : (length + 9) / 10;
	for (; length > 63 && multiplier < 3; multiplier++)
		length = (length + 5) / 10;
	return multiplier << 6 | (length > 63 ? 63 : length);
}

static int pddr_module(const struct pddr *p)
{
	const struct cable *cable = &p->cable;
	const uint64_t unit = reading_echo(p->r, MADKIT_MODULE_INFO_POWER_UNIT);

	if (unit > 1)
		return REGISTER_BAD_PARAMETER;
	pddr_put(p, MADKIT_MODULE_INFO_CABLE_TYPE, cable->type);
	if (!p->plugged)
		return 0;
	pddr_put(p, MADKIT_MODULE_INFO_CABLE_TECHNOLOGY, cable->technology);
	pddr_put(p, MADKIT_MODULE_INFO_CABLE_VENDOR, cable->brand);
	pddr_put(p, MADKIT_MODULE_INFO_CABLE_LENGTH, pddr_length(cable));
	pddr_put(p, MADKIT_MODULE_INFO_CABLE_IDENTIFIER, cable->identifier);
	if (cable->type == CABLE_PASSIVE) {
		pddr_put(p, MADKIT_MODULE_INFO_ATTENUATION5_G, 4);
		pddr_put(p, MADKIT_MODULE_INFO_ATTENUATION7_G, 5);
		pddr_put(p, MADKIT_MODULE_INFO_ATTENUATION12_G, 8);
		pddr_put(p, MADKIT_MODULE_INFO_ATTENUATION25_G, 12);
	}
	reading_put_text(p->r, MADKIT_MODULE_INFO_VENDOR_NAME, cable->vendor, ' ');
	reading_put_text(p->r, MADKIT_MODULE_INFO_VENDOR_PART_NUMBER, cable->part, ' ');
	reading_put_text(p->r, MADKIT_MODULE_INFO_VENDOR_REV, "A2", ' ');
	reading_put_text(p->r, MADKIT_MODULE_INFO_VENDOR_SERIAL_NUMBER, cable->serial, ' ');
	pddr_put(p, MADKIT_MODULE_INFO_VENDOR_OUI, cable->oui);
	pddr_put_module(p, unit == 1);
	return 0;
}

/* ---- page 6: the last loss of the link ----------------------------------------------------- */

static int pddr_link_down(const struct pddr *p)
{
	enum { NO_ERRORS = 15 << 8 | 255 };

	pddr_put(p, MADKIT_LINK_DOWN_INFO_DOWN_BLAME, p->port->loss.blame);
	pddr_put(p, MADKIT_LINK_DOWN_INFO_DOWN_INTENT, p->port->loss.intent);
	pddr_put(p, MADKIT_LINK_DOWN_INFO_LOCAL_REASON, p->port->loss.local);
	pddr_put(p, MADKIT_LINK_DOWN_INFO_REMOTE_REASON, p->port->loss.remote);
	pddr_put(p, MADKIT_LINK_DOWN_INFO_LAST_RAW_BER, NO_ERRORS);
	pddr_put(p, MADKIT_LINK_DOWN_INFO_LAST_EFFECTIVE_BER, NO_ERRORS);
	pddr_put(p, MADKIT_LINK_DOWN_INFO_LAST_SYMBOL_BER, NO_ERRORS);
	return 0;
}

/* ---- requests ------------------------------------------------------------------------------ */

int pddr_read(struct reading *r)
{
	static const struct {
		uint8_t page;
		int (*read)(const struct pddr *p);
	} pages[] = {
		{ 0, pddr_operation }, { 1, pddr_diagnosis }, { 3, pddr_module }, { 6, pddr_link_down }
	};
	struct pddr p = { .r = r };
	const uint64_t page = reading_echo(r, MADKIT_MODULE_INFO_PAGE_SELECT);

	p.port = reading_port(r, MADKIT_MODULE_INFO_PORT_SELECT, MADKIT_MODULE_INFO_PORT_SELECT_MSB,
			      MADKIT_MODULE_INFO_PORT_NUMBERING, MADKIT_MODULE_INFO_PLANE);
	if (!p.port || reading_echo(r, MADKIT_MODULE_INFO_MODULE_INDEX_TYPE) ||
	    reading_echo(r, MADKIT_MODULE_INFO_PORT_TYPE))
		return REGISTER_BAD_PARAMETER;
	p.plugged = cable_get(r->f, p.port, &p.cable);
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++)
		if (pages[i].page == page)
			return pages[i].read(&p);
	return REGISTER_BAD_PARAMETER;
}
