/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "health/modules.h"
#include "util/array_size.h"
#include "util/emit.h"
#include "wire/tables/tables.h"

enum {
	MODULE_PARTS = 256, /* of a degree */
	MODULE_SENSOR_PARTS = 8,
	MODULE_STATUS_FAULT = 5,
};

/* ---- temperatures -------------------------------------------------------------------------- */

/* Checks if a cable has no sensor. CableTechnology is that of SFF-8636 and CMIS. */
static bool module_is_passive(const struct gauge_module *module)
{
	return module->type == MADKIT_CABLE_TYPE_PASSIVE || module->technology == 0x0a ||
	       module->technology == 0x0b;
}

/* Checks if there is a module in a port without a link. */
static bool module_is_there(const struct gauge_module *module)
{
	return module->type != MADKIT_CABLE_TYPE_UNPLUGGED && (module->type || module->named);
}

struct module_limit module_limit_choose(const struct madkit_health_settings *settings, unsigned int key,
					int threshold, unsigned int parts)
{
	const bool own = threshold > 0 && !(settings->given[RULE_TEMP] >> key & 1);

	return (struct module_limit){
		.high = own ? threshold : (int)(settings->limits[RULE_TEMP][key] * parts),
		.own = own,
	};
}

enum module_heat module_judge_heat(const struct gauge_module *module, bool up, int high)
{
	if (module->temperature)
		return module->temperature > high ? MODULE_HOT : MODULE_NORMAL;
	if (module_is_passive(module) || (!up && !module_is_there(module)))
		return MODULE_NONE;
	return MODULE_UNKNOWN;
}

void module_put_heat(char text[PROBLEM_VALUE_BYTES], int temperature, unsigned int parts)
{
	const unsigned int size = (unsigned int)(temperature < 0 ? -temperature : temperature);
	const unsigned int tenths = (size * 10 + parts / 2) / parts;
	char *p = text;

	if (temperature < 0)
		*p++ = '-';
	p = emit_u64(p, tenths / 10);
	if (tenths % 10) {
		*p++ = '.';
		*p++ = (char)('0' + tenths % 10);
	}
	strcpy(p, " C");
}

/* Adds a problem: a place is hotter than its limit. */
static int module_add_heat(struct madkit_health *h, struct madkit_health_place at, const char *what,
			   int temperature, struct module_limit limit, unsigned int parts)
{
	struct problem_draft d = problem_of_port(h, RULE_TEMP, MADKIT_SEVERITY_WARNING, at.node, at.port);

	module_put_heat(d.value, temperature, parts);
	module_put_heat(d.limit, limit.high, parts);
	madkit_buf_printf(&h->text, "the %s is at %s (%s %s)", what, d.value,
			  limit.own ? "its threshold:" : "limit", d.limit);
	return problem_add(h, &d);
}

static int module_judge_temperature(struct madkit_health *h, struct sweep_place at, const struct gauge *gauge)
{
	const struct module_limit limit =
		module_limit_choose(&h->settings, RULE_TEMP_MODULE, gauge->module.high, MODULE_PARTS);

	switch (module_judge_heat(&gauge->module, !health_is_down(h, at), limit.high)) {
	case MODULE_HOT:
		return module_add_heat(h, (struct madkit_health_place){ at.node, at.port }, "module",
				       gauge->module.temperature, limit, MODULE_PARTS);
	case MODULE_UNKNOWN:
		gauges_leave(h, RULE_TEMP, at, "its module reports no temperature");
		return 0;
	default:
		return 0;
	}
}

/* Judges the temperature of the chip of a node. */
static int module_judge_chip(struct madkit_health *h, uint32_t node)
{
	const struct gauge_sensor *sensor = &h->sensors[node];
	const struct module_limit limit =
		module_limit_choose(&h->settings, RULE_TEMP_ASIC, sensor->high, MODULE_SENSOR_PARTS);

	if (!sensor->read)
		return 0;
	if (!sensor->temperature)
		gauges_leave(h, RULE_TEMP, (struct sweep_place){ node, sensor->port },
			     "its device reports no temperature");
	if (sensor->temperature <= limit.high)
		return 0;
	return module_add_heat(h, (struct madkit_health_place){ node, -1 }, "chip", sensor->temperature,
			       limit, MODULE_SENSOR_PARTS);
}

/* ---- alarms -------------------------------------------------------------------------------- */

uint8_t module_severity(uint16_t diagnosis)
{
	/* the last row that includes a diagnosis counts */
	static const struct {
		uint16_t first, last;
		uint8_t severity;
	} rows[] = {
		/* a cable that does not suit the port */
		{ 16, 16, MADKIT_SEVERITY_WARNING },
		{ 20, 20, MADKIT_SEVERITY_WARNING },
		{ 24, 32, MADKIT_SEVERITY_WARNING },
		/* alarms of modules */
		{ MADKIT_LINK_DIAGNOSIS_LONG_RANGE_CABLE, 1063, MADKIT_SEVERITY_WARNING },
		{ MADKIT_LINK_DIAGNOSIS_MODULE_TOO_HOT, MADKIT_LINK_DIAGNOSIS_CABLE_SHORTED,
		  MADKIT_SEVERITY_CRITICAL },
		/* on purpose */
		{ MADKIT_LINK_DIAGNOSIS_CLOSED_BY_MANAGEMENT, MADKIT_LINK_DIAGNOSIS_MODULE_DISABLED,
		  MADKIT_SEVERITY_INFO },
		{ MADKIT_LINK_DIAGNOSIS_LOW_POWER, MADKIT_LINK_DIAGNOSIS_LOW_POWER, MADKIT_SEVERITY_INFO },
	};
	uint8_t severity = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (diagnosis >= rows[i].first && diagnosis <= rows[i].last)
			severity = rows[i].severity;
	return severity;
}

/* Appends the alarms, behind what the port reports. */
static void module_put_alarms(struct madkit_buf *text, uint8_t alarms, bool more)
{
	static const char *const names[GAUGE_ALARMS] = {
		[GAUGE_VOLTAGE_HIGH] = "Voltage above",  [GAUGE_VOLTAGE_LOW] = "Voltage below",
		[GAUGE_RX_POWER_HIGH] = "RxPower above", [GAUGE_RX_POWER_LOW] = "RxPower below",
		[GAUGE_TX_POWER_HIGH] = "TxPower above", [GAUGE_TX_POWER_LOW] = "TxPower below",
		[GAUGE_TX_BIAS_HIGH] = "TxBias above",   [GAUGE_TX_BIAS_LOW] = "TxBias below",
	};
	const char *separator = more ? "; the module: " : "the module reports ";

	for (unsigned int i = 0; i < GAUGE_ALARMS; i++)
		if (alarms >> i & 1) {
			madkit_buf_printf(text, "%s%s its threshold", separator, names[i]);
			separator = ", ";
		}
}

/* Checks if a port should have a link, but is down: a cable that is not plugged in is a problem only there. */
static bool module_is_expected(const struct madkit_health *h, struct sweep_place at)
{
	return h->settings.expects && health_is_down(h, at) &&
	       h->settings.expects(h->settings.expects_context, health_node(h, at.node)->guid, at.port);
}

static int module_judge_alarm(struct madkit_health *h, struct sweep_place at, const struct gauge *gauge)
{
	const char *name = madkit_value_name(madkit_values_link_diagnosis, gauge->diagnosis);
	const uint8_t reported = gauge_has(gauge, GAUGE_DIAGNOSIS) ? module_severity(gauge->diagnosis) : 0;
	const bool unplugged =
		(gauge_has(gauge, GAUGE_DIAGNOSIS) &&
		 gauge->diagnosis == MADKIT_LINK_DIAGNOSIS_CABLE_UNPLUGGED) ||
		(gauge_has(gauge, GAUGE_MODULE) && gauge->module.type == MADKIT_CABLE_TYPE_UNPLUGGED);
	const bool fault = gauge_has(gauge, GAUGE_MODULE) && gauge->module.status == MODULE_STATUS_FAULT;
	const uint8_t alarms = gauge_has(gauge, GAUGE_MODULE) ? gauge->module.alarms : 0;
	const uint8_t seen = fault || alarms || (unplugged && !reported && module_is_expected(h, at)) ?
				     MADKIT_SEVERITY_WARNING :
				     0;
	struct problem_draft d;

	if (!reported && !seen)
		return 0;
	d = problem_of_port(h, RULE_MODULE, reported > seen ? reported : seen, at.node, at.port);
	if (reported) {
		problem_put_number(d.value, gauge->diagnosis);
		if (name)
			madkit_buf_printf(&h->text, "the port reports: %s", name);
		else
			madkit_buf_printf(&h->text, "the port reports the alarm %u", gauge->diagnosis);
	} else if (fault || !alarms) {
		madkit_buf_str(&h->text, fault ? "the module reports a fault" :
						 "no cable is plugged in, but there should be a link");
	}
	module_put_alarms(&h->text, alarms, reported || fault);
	return problem_add(h, &d);
}

/* ---- all ----------------------------------------------------------------------------------- */

static int module_judge_port(struct madkit_health *h, struct sweep_place at)
{
	const struct gauge *gauge = gauges_get(h, at);
	int ret = 0;

	if (health_wants(h, RULE_TEMP) && gauge_has(gauge, GAUGE_MODULE))
		ret = module_judge_temperature(h, at, gauge);
	if (!ret && health_wants(h, RULE_MODULE))
		ret = module_judge_alarm(h, at, gauge);
	return ret;
}

int modules_judge(struct madkit_health *h)
{
	int ret = 0;

	for (uint32_t i = 0; h->gauges && i < h->sweep->nnodes && !ret; i++) {
		if (health_wants(h, RULE_TEMP))
			ret = module_judge_chip(h, i);
		for (unsigned int port = 1; port <= health_node(h, i)->nports && !ret; port++)
			ret = module_judge_port(h, (struct sweep_place){ i, (uint8_t)port });
	}
	return ret;
}
