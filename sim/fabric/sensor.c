/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Temperatures: MTCAP, MTMP and MTBR. Sensor 0 is the ASIC, 1 and 2 are in the case of a switch, from 64 on modules. */
#include <stdio.h>
#include "sim/fabric/cable.h"
#include "sim/fabric/device.h"
#include "sim/fabric/reading.h"

enum {
	SENSOR_MODULE = 64,
	SENSOR_AMBIENTS = 2,
	SENSOR_NONE = 0x8001,    /* no sensor */
	SENSOR_RECORDS_MAX = 51, /* as many as the first block has */
};

struct sensor {
	char name[9];
	int temperature, high; /* 1/8 degree Celsius */
};

static bool sensor_of_module(struct reading *r, unsigned int index, struct sensor *s)
{
	const struct port *port = device_module_port(r->f, r->node, r->end, index - SENSOR_MODULE);
	struct module module;
	struct cable cable;

	if (!port || !cable_get(r->f, port, &cable))
		return false;
	module_get(r->f, port, &cable, &module);
	s->temperature = module.temperature / 32;
	s->high = 70 * 8;
	snprintf(s->name, sizeof(s->name), "module%u", (index - SENSOR_MODULE) % 100);
	return module.temperature;
}

/* Returns false if there is no such sensor. */
static bool sensor_get(struct reading *r, unsigned int index, struct sensor *s)
{
	const uint64_t hash = cable_hash(r->f, node_port(r->f, r->node, 0), 200 + index);

	*s = (struct sensor){ .high = 105 * 8 };
	if (index >= SENSOR_MODULE)
		return sensor_of_module(r, index, s);
	if (index > (is_switch(r->node) ? SENSOR_AMBIENTS : 0u))
		return false;
	if (index) {
		snprintf(s->name, sizeof(s->name), "ambient%u", index % 10);
		s->temperature = 25 * 8 + (int)(hash % 64);
		s->high = 60 * 8;
		return true;
	}
	snprintf(s->name, sizeof(s->name), "asic");
	s->temperature = r->node->temperature ? r->node->temperature : 48 * 8 + (int)(hash % 96);
	return true;
}

int sensor_read_list(struct reading *r)
{
	const unsigned int count = is_switch(r->node) ? 1 + SENSOR_AMBIENTS : 1;

	if (reading_echo(r, MADKIT_SENSOR_LIST_SLOT))
		return REGISTER_BAD_PARAMETER;
	field_put(MADKIT_SENSOR_LIST_SENSOR_COUNT, r->data, count);
	field_put(MADKIT_SENSOR_LIST_INTERNAL_SENSOR_COUNT, r->data, 1);
	field_put(MADKIT_SENSOR_LIST_SENSOR_MAP, r->data, bits_mask(count));
	return 0;
}

int sensor_read(struct reading *r)
{
	const unsigned int index = (unsigned int)reading_echo(r, MADKIT_SENSOR_SENSOR_INDEX);
	struct sensor s;

	if (reading_echo(r, MADKIT_SENSOR_SLOT) || reading_echo(r, MADKIT_SENSOR_ASIC) ||
	    !sensor_get(r, index, &s))
		return REGISTER_BAD_PARAMETER;
	reading_echo(r, MADKIT_SENSOR_INTERNAL);
	reading_echo(r, MADKIT_SENSOR_INTERNAL_GROUP);
	field_put(MADKIT_SENSOR_TEMPERATURE, r->data, (uint16_t)s.temperature);
	field_put(MADKIT_SENSOR_MAX_TEMPERATURE, r->data, (uint16_t)(s.temperature + 3 * 8));
	field_put(MADKIT_SENSOR_THRESHOLD_HIGH, r->data, (uint16_t)s.high);
	field_put(MADKIT_SENSOR_THRESHOLD_LOW, r->data, (uint16_t)(s.high - 10 * 8));
	reading_put_text(r, MADKIT_SENSOR_SENSOR_NAME, s.name, '\0');
	return 0;
}

int sensor_read_all(struct reading *r)
{
	const unsigned int first = (unsigned int)reading_echo(r, MADKIT_SENSORS_BASE_SENSOR_INDEX);
	const unsigned int n = (unsigned int)reading_echo(r, MADKIT_SENSORS_NUM_RECORDS);

	if (reading_echo(r, MADKIT_SENSORS_SLOT))
		return REGISTER_BAD_PARAMETER;
	for (unsigned int i = 0; i < n && i < SENSOR_RECORDS_MAX; i++) {
		struct sensor s;
		const bool found = sensor_get(r, first + i, &s);

		element_put(MADKIT_SENSORS_SENSOR_TEMPERATURE, i, r->data,
			    found ? (uint16_t)s.temperature : SENSOR_NONE);
		element_put(MADKIT_SENSORS_SENSOR_MAX_TEMPERATURE, i, r->data,
			    found ? (uint16_t)(s.temperature + 3 * 8) : SENSOR_NONE);
	}
	return 0;
}
