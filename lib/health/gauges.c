/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include "health/gauges.h"
#include "health/problem.h"
#include "sweep/identity.h"
#include "util/array_size.h"
#include "wire/access.h"

/* The registers, and the rules that need them; RULES: none. */
static const struct {
	const char *name;
	enum rule_number rule; /* cannot judge without it */
	enum rule_number also; /* this one judges better with it */
} gauge_registers[GAUGE_REGISTERS] = {
	[GAUGE_MODULE] = { "ModuleInfo", RULE_TEMP, RULE_MODULE },
	[GAUGE_DIAGNOSIS] = { "LinkDiagnosis", RULE_MODULE, RULES },
	[GAUGE_BER] = { "BitErrors", RULE_BER, RULES },
	[GAUGE_PHY] = { "PhyOperation", RULE_FEC, RULE_BER },
	[GAUGE_REASON] = { "LinkDownInfo", RULES, RULES },
	[GAUGE_SENSOR] = { "Sensor", RULE_TEMP, RULES },
};

const struct madkit_attribute *gauges_row(enum gauge_register which)
{
	const struct madkit_attribute *row = NULL;
	uint8_t mgmt_class;
	uint16_t id;

	madkit_attribute_find(gauge_registers[which].name, MADKIT_CLASS_MLNX, &mgmt_class, &id, &row, NULL);
	return row;
}

/* ---- the ports to read --------------------------------------------------------------------- */

int gauges_new(struct madkit_health *h)
{
	size_t n = 0;

	if (h->gauges)
		return 0;
	h->gauge_first = calloc(h->sweep->nnodes + 1u, sizeof(*h->gauge_first));
	h->sensors = calloc(h->sweep->nnodes + 1u, sizeof(*h->sensors));
	for (uint32_t i = 0; i < h->sweep->nnodes && h->gauge_first; i++) {
		h->gauge_first[i] = (uint32_t)n;
		n += health_node(h, i)->nports + 1u;
	}
	h->gauges = calloc(n + 1, sizeof(*h->gauges));
	return h->gauges && h->gauge_first && h->sensors ? 0 : -ENOMEM;
}

struct gauge *gauges_get(const struct madkit_health *h, struct sweep_place at)
{
	return h->gauges && at.node < h->sweep->nnodes && at.port <= health_node(h, at.node)->nports ?
		       &h->gauges[h->gauge_first[at.node] + at.port] :
		       NULL;
}

static bool gauge_is_up(const struct madkit_health *h, struct sweep_place at)
{
	return health_port(h, at)->state == MADKIT_SWEEP_ANSWERED &&
	       field_get(MADKIT_PORT_INFO_LINK_STATE, health_port(h, at)->info) >=
		       MADKIT_PORT_STATE_INITIALIZE;
}

/* Checks if a port of a CA is a plane of another one, before it: the registers of that one are about all planes. */
static bool gauge_is_plane(const struct madkit_health *h, struct sweep_place at)
{
	struct sweep_place before = { at.node, 1 };

	for (; before.port < at.port; before.port++)
		if (gauge_is_up(h, before) && identity_is_plane(h->sweep, before, at))
			return true;
	return false;
}

/* Checks if the register of a port is of interest: of switches, modules in ports without a link, too. */
static bool gauge_is_wanted(const struct madkit_health *h, enum gauge_register which, struct sweep_place at)
{
	if (health_node(h, at.node)->type != MADKIT_NODE_TYPE_SWITCH)
		return gauge_is_up(h, at) && !gauge_is_plane(h, at);
	return gauge_is_up(h, at) ||
	       (health_is_down(h, at) && (which == GAUGE_MODULE || which == GAUGE_DIAGNOSIS));
}

void gauges_leave(struct madkit_health *h, enum rule_number rule, struct sweep_place at, const char *why)
{
	problem_note_unjudged(h, rule, at.node, at.port, why);
	gauges_get(h, at)->left = true;
}

/* Notes that the register of a port is not known. */
static void gauge_leave(struct madkit_health *h, enum gauge_register which, struct sweep_place at,
			const char *why)
{
	const enum rule_number rule = gauge_registers[which].rule;

	if (rule < RULES && health_wants(h, rule))
		gauges_leave(h, rule, at, why);
}

/* Adds a port, or notes why it cannot be read. */
static int gauge_list_port(struct madkit_health *h, enum gauge_register which, struct sweep_place at)
{
	const struct madkit_survey_port asked = { at.node, at.port, 0 };

	if (!madkit_survey_no_lid(h->sweep, &asked))
		return health_add_port(h, at.node, at.port);
	gauge_leave(h, which, at, "no LID, or a shared one");
	return 0;
}

static bool gauge_is_needed(const struct madkit_health *h, enum gauge_register which)
{
	const enum rule_number rule = gauge_registers[which].rule, also = gauge_registers[which].also;

	return (rule < RULES && health_wants(h, rule)) || (also < RULES && health_wants(h, also));
}

int gauges_list(struct madkit_health *h, enum gauge_register which)
{
	int ret = 0;

	if (!gauge_is_needed(h, which))
		return 0;
	ret = gauges_new(h);
	for (uint32_t i = 0; i < h->sweep->nnodes && !ret; i++) {
		const struct madkit_sweep_node *n = health_node(h, i);
		const bool is_switch = n->type == MADKIT_NODE_TYPE_SWITCH;

		if (health_is_aggregation(n))
			continue;
		if (which == GAUGE_SENSOR) {
			ret = gauge_list_port(h, which,
					      (struct sweep_place){ i, is_switch ? 0 : (uint8_t)n->number });
			continue;
		}
		for (unsigned int port = 1; port <= n->nports && !ret; port++) {
			const struct sweep_place at = { i, (uint8_t)port };

			if (gauge_is_wanted(h, which, at))
				ret = gauge_list_port(h, which, at);
		}
	}
	return ret;
}

/* ---- readings ------------------------------------------------------------------------------ */

/* Gets the lanes of a link; 0: it is not up. */
static unsigned int gauge_lanes(const struct madkit_health *h, struct sweep_place at)
{
	const uint64_t width =
		gauge_is_up(h, at) ? field_get(MADKIT_PORT_INFO_LINK_WIDTH_ACTIVE, health_port(h, at)->info) :
				     0;

	return width == 1 ? 1 : width == 16 ? 2 : width == 2 ? 4 : width == 4 || width == 8 ? 8 : 0;
}

/* Compares what a module measures with its own thresholds. A value or a threshold of 0 is not known, and is not judged. Lanes
 * without a link may be dark. */
static uint8_t gauge_take_alarms(const uint8_t *data, unsigned int lanes)
{
	static const struct {
		uint64_t value, high, low;
		bool of_lanes, is_power;
	} rows[] = {
		{ MADKIT_MODULE_INFO_VOLTAGE, MADKIT_MODULE_INFO_VOLTAGE_HIGH, MADKIT_MODULE_INFO_VOLTAGE_LOW,
		  false, false },
		{ MADKIT_MODULE_INFO_RX_POWER, MADKIT_MODULE_INFO_RX_POWER_HIGH,
		  MADKIT_MODULE_INFO_RX_POWER_LOW, true, true },
		{ MADKIT_MODULE_INFO_TX_POWER, MADKIT_MODULE_INFO_TX_POWER_HIGH,
		  MADKIT_MODULE_INFO_TX_POWER_LOW, true, true },
		{ MADKIT_MODULE_INFO_TX_BIAS, MADKIT_MODULE_INFO_TX_BIAS_HIGH, MADKIT_MODULE_INFO_TX_BIAS_LOW,
		  true, false },
	};
	/* in dBm, powers have a sign */
	const bool is_dbm = !field_get(MADKIT_MODULE_INFO_POWER_UNIT, data);
	uint8_t alarms = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		const uint16_t sign = rows[i].is_power && is_dbm ? 0x8000 : 0;
		const uint16_t high = (uint16_t)field_get(rows[i].high, data),
			       low = (uint16_t)field_get(rows[i].low, data);

		for (unsigned int lane = 0; lane < (rows[i].of_lanes ? lanes : 1); lane++) {
			const uint16_t value = (uint16_t)(rows[i].of_lanes ?
								  element_get(rows[i].value, lane, data) :
								  field_get(rows[i].value, data));

			if (value && high && (value ^ sign) > (high ^ sign))
				alarms |= (uint8_t)(1u << 2 * i);
			if (value && low && (value ^ sign) < (low ^ sign))
				alarms |= (uint8_t)(2u << 2 * i);
		}
	}
	return alarms;
}

static struct gauge_module gauge_take_module(const uint8_t *data, unsigned int lanes)
{
	const uint8_t *name = data + field_at(MADKIT_MODULE_INFO_VENDOR_NAME);
	const uint8_t *serial = data + field_at(MADKIT_MODULE_INFO_VENDOR_SERIAL_NUMBER);

	return (struct gauge_module){
		.type = (uint8_t)field_get(MADKIT_MODULE_INFO_CABLE_TYPE, data),
		.technology = (uint8_t)field_get(MADKIT_MODULE_INFO_CABLE_TECHNOLOGY, data),
		.status = (uint8_t)field_get(MADKIT_MODULE_INFO_MODULE_STATUS, data),
		.temperature = (int16_t)field_get(MADKIT_MODULE_INFO_TEMPERATURE, data),
		.high = (int16_t)field_get(MADKIT_MODULE_INFO_TEMPERATURE_HIGH, data),
		.named = (*name && *name != ' ') || (*serial && *serial != ' '),
		.alarms = gauge_take_alarms(data, lanes),
	};
}

static struct gauge_ber gauge_take_ber(uint64_t field, const uint8_t *data)
{
	const uint64_t bits = field_get(field, data);

	return (struct gauge_ber){ .coefficient = bits & 15, .magnitude = (uint8_t)(bits >> 8) };
}

static struct gauge_errors gauge_take_errors(const uint8_t *data)
{
	return (struct gauge_errors){
		.raw = gauge_take_ber(MADKIT_BIT_ERRORS_RAW_PHYSICAL_BER, data),
		.effective = gauge_take_ber(MADKIT_BIT_ERRORS_EFFECTIVE_PHYSICAL_BER, data),
		.symbol = gauge_take_ber(MADKIT_BIT_ERRORS_SYMBOL_BER, data),
		.time_ms = field_get(MADKIT_BIT_ERRORS_TIME_SINCE_LAST_CLEAR, data),
	};
}

static struct gauge_down gauge_take_down(const uint8_t *data)
{
	return (struct gauge_down){
		.blame = (uint8_t)field_get(MADKIT_LINK_DOWN_INFO_DOWN_BLAME, data),
		.local = (uint8_t)field_get(MADKIT_LINK_DOWN_INFO_LOCAL_REASON, data),
		.remote = (uint8_t)field_get(MADKIT_LINK_DOWN_INFO_REMOTE_REASON, data),
	};
}

static struct gauge_sensor gauge_take_sensor(uint8_t port, const uint8_t *data)
{
	return (struct gauge_sensor){
		.read = true,
		.port = port,
		.temperature = (int16_t)field_get(MADKIT_SENSOR_TEMPERATURE, data),
		.high = (int16_t)field_get(MADKIT_SENSOR_THRESHOLD_HIGH, data),
	};
}

void gauges_take(struct madkit_health *h, enum gauge_register which, size_t at, const uint8_t *data)
{
	const struct sweep_place place = { h->ports[at].node, h->ports[at].port };
	struct gauge *gauge = gauges_get(h, place);

	gauge->read |= (uint8_t)(1u << which);
	h->read_gauges |= (uint8_t)(1u << which);
	switch (which) {
	case GAUGE_MODULE:
		gauge->module = gauge_take_module(data, gauge_lanes(h, place));
		break;
	case GAUGE_DIAGNOSIS:
		gauge->diagnosis = (uint16_t)field_get(MADKIT_LINK_DIAGNOSIS_DIAGNOSIS, data);
		break;
	case GAUGE_BER:
		gauge->errors = gauge_take_errors(data);
		break;
	case GAUGE_PHY:
		gauge->fec = (uint16_t)field_get(MADKIT_PHY_OPERATION_FEC_ACTIVE, data);
		break;
	case GAUGE_REASON:
		gauge->down = gauge_take_down(data);
		break;
	case GAUGE_SENSOR:
		h->sensors[place.node] = gauge_take_sensor(place.port, data);
		break;
	default:
		break;
	}
}

void gauges_miss(struct madkit_health *h, enum gauge_register which, size_t at, bool lacks, const char *why)
{
	const struct sweep_place place = { h->ports[at].node, h->ports[at].port };
	const enum rule_number rule = gauge_registers[which].rule;

	if (!lacks)
		gauge_leave(h, which, place, why);
	else if (rule < RULES && health_wants(h, rule)) {
		gauges_get(h, place)->lacks |= (uint8_t)(1u << which);
		problem_note_lacking(h, rule, place.node, place.port, why);
	}
}

/* ---- counts -------------------------------------------------------------------------------- */

/* Counts the ports of a node that rules did not judge. Port 0 of a switch, by which its sensor is read, is the switch: it counts if no
 * other one does. */
static uint32_t gauge_count_left(const struct madkit_health *h, uint32_t node)
{
	struct sweep_place at = { node, 1 };
	uint32_t left = 0;

	for (unsigned int port = 1; port <= health_node(h, node)->nports; port++) {
		at.port = (uint8_t)port;
		left += gauges_get(h, at)->left;
	}
	at.port = 0;
	return left ? left : gauges_get(h, at)->left;
}

/* Counts a device that lacks a register of a rule. rules: those for which it was counted, a bit for each. */
static void gauge_count_lacking(struct madkit_health *h, enum rule_number rule, uint32_t *rules)
{
	const uint32_t bit = UINT32_C(1) << rule;

	h->counts.lacking += !*rules;
	h->counts.lacking_of[rule] += !(*rules & bit);
	*rules |= bit;
}

/* Checks if other devices have each register that a rule needs and this one lacks. If none has, the rule has judged nothing. */
static bool gauge_is_elsewhere(const struct madkit_health *h, enum rule_number rule, struct sweep_place at)
{
	uint8_t needed = 0;

	for (unsigned int which = 0; which < GAUGE_REGISTERS; which++)
		needed |= (uint8_t)((gauge_registers[which].rule == rule) << which);
	return !(gauges_get(h, at)->lacks & needed & ~h->read_gauges);
}

int gauges_count(struct madkit_health *h)
{
	size_t count;
	const struct madkit_rule *rules = madkit_health_rules(&count);
	uint32_t *lacking;

	if (!h->gauges)
		return 0;
	lacking = calloc(h->sweep->nnodes + 1u, sizeof(*lacking));
	if (!lacking)
		return -ENOMEM;
	for (uint32_t i = 0; i < h->nunjudged; i++) {
		struct madkit_unjudged *u = &h->unjudged[i];
		const enum rule_number rule = (enum rule_number)(u->rule - rules);
		const struct sweep_place at = { u->at.node, (uint8_t)u->at.port };

		if (!u->lacks)
			continue;
		u->lacks = gauge_is_elsewhere(h, rule, at);
		if (u->lacks)
			gauge_count_lacking(h, rule, &lacking[u->at.node]);
		else
			gauges_get(h, at)->left = true;
	}
	for (uint32_t i = 0; i < h->sweep->nnodes; i++)
		h->counts.unjudged += gauge_count_left(h, i);
	free(lacking);
	return 0;
}

void gauges_free(struct madkit_health *h)
{
	free(h->gauges);
	free(h->gauge_first);
	free(h->sensors);
}
