/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <string.h>
#include <madkit/constants.h>
#include <madkit/mad.h>
#include "sweep/registers_trust.h"
#include "topology/topology.h"
#include "util/array_size.h"
#include "wire/access.h"

/* The requests, and the checks that they belong to. */
static const struct {
	uint8_t mgmt_class;
	uint8_t check; /* enum madkit_registers_check */
	bool of_port;
	const char *name;
} trust_steps[REGISTERS_STEPS] = {
	[REGISTERS_STEP_LINK_MODES] = { MADKIT_CLASS_MLNX, MADKIT_REGISTERS_LINK_MODES, true, "LinkModes" },
	[REGISTERS_STEP_BEFORE] = { MADKIT_CLASS_PERF, MADKIT_REGISTERS_PORT_COUNTERS, true, "PortCounters" },
	[REGISTERS_STEP_COUNTERS] = { MADKIT_CLASS_MLNX, MADKIT_REGISTERS_PORT_COUNTERS, true,
				      "RegisterPortCounters" },
	[REGISTERS_STEP_AFTER] = { MADKIT_CLASS_PERF, MADKIT_REGISTERS_PORT_COUNTERS, true, "PortCounters" },
	[REGISTERS_STEP_DEVICE_INFO] = { MADKIT_CLASS_MLNX, MADKIT_REGISTERS_DEVICE_INFO, false,
					 "DeviceInfo" },
	[REGISTERS_STEP_MODULE] = { MADKIT_CLASS_MLNX, MADKIT_REGISTERS_PORT_NUMBERING, true, "ModuleInfo" },
	[REGISTERS_STEP_NUMBERED] = { MADKIT_CLASS_MLNX, MADKIT_REGISTERS_PORT_NUMBERING, true,
				      "ModuleInfo" },
};

/* Ends a check. */
static void trust_set(struct registers_type *t, enum madkit_registers_check check,
		      enum madkit_registers_verdict verdict, uint16_t status, const char *text)
{
	struct madkit_registers_result *result = &t->known.results[check];

	result->verdict = (uint8_t)verdict;
	result->status = status;
	registers_copy(result->text, sizeof(result->text), text);
}

/* ---- LinkModes ---------------------------------------------------------------------------- */

/* Returns a width of LinkModes, one bit, as PortInfo has it. */
static unsigned int trust_width(uint64_t width)
{
	static const uint8_t widths[] = { TOPOLOGY_1X, TOPOLOGY_2X, TOPOLOGY_4X, TOPOLOGY_8X, TOPOLOGY_12X };

	for (unsigned int i = 0; i < ARRAY_SIZE(widths); i++)
		if (width == UINT64_C(1) << i)
			return widths[i];
	return 0;
}

/* A width and a speed as text: "4x EDR". */
struct trust_rate {
	char text[24];
};

static struct trust_rate trust_rate(unsigned int width, unsigned int speed)
{
	const char *w = width ? topology_width_name(width) : "down",
		   *s = speed ? topology_speed_name(speed) : NULL;
	struct trust_rate rate;

	REGISTERS_PRINT(rate.text, "%s%s%s", w ? w : "", s ? " " : "", s ? s : "");
	return rate;
}

/* Returns the highest bit of a set. */
static unsigned int trust_best(uint64_t set)
{
	unsigned int best = 0;

	for (uint64_t bit = 1; bit && bit <= set; bit <<= 1)
		if (set & bit)
			best = (unsigned int)bit;
	return best;
}

/* Compares a port that is down: its best width and speed must be in those that it is capable of. */
static void trust_capabilities(const struct madkit_sweep_rates *rates, struct registers_type *t,
			       const uint8_t *data)
{
	const uint64_t widths = field_get(MADKIT_LINK_MODES_WIDTH_CAPABILITY, data),
		       speeds = field_get(MADKIT_LINK_MODES_SPEED_CAPABILITY, data);
	const unsigned int speed = trust_best(rates->speeds_supported);
	unsigned int width = 0;
	bool agrees = !speed || speeds & speed;
	char text[MADKIT_REGISTERS_TEXT];

	for (uint64_t bit = 1; bit <= UINT8_MAX; bit <<= 1)
		if (widths & bit && trust_width(bit) > width && trust_width(bit) & rates->widths_supported)
			width = trust_width(bit);
	agrees = agrees && (!rates->widths_supported || width);
	REGISTERS_PRINT(text, "%s, %s", trust_rate(width, trust_best(speeds)).text,
			trust_rate(trust_best(rates->widths_supported), speed).text);
	trust_set(t, MADKIT_REGISTERS_LINK_MODES,
		  agrees ? MADKIT_REGISTERS_AGREES : MADKIT_REGISTERS_DISAGREES, 0, text);
}

/* Speeds have the same bits as in struct madkit_sweep_rates. */
static void trust_link_modes(struct madkit_registers *r, struct registers_type *t, const uint8_t *data)
{
	const unsigned int width = trust_width(field_get(MADKIT_LINK_MODES_WIDTH_ACTIVE, data));
	const unsigned int speed = (unsigned int)field_get(MADKIT_LINK_MODES_SPEED_ACTIVE, data);
	struct madkit_sweep_rates rates;
	struct trust_rate known;
	const struct trust_rate own = trust_rate(width, speed);
	char text[MADKIT_REGISTERS_TEXT];
	bool agrees;

	madkit_sweep_rates_get(r->sweep, t->known.node, t->known.port, &rates);
	if (!rates.width) {
		trust_capabilities(&rates, t, data);
		return;
	}
	/* the sweep may not know the speed: in PortInfo, FDR10 looks like QDR */
	agrees = width == rates.width && (speed == rates.speed || !rates.speed ||
					  (speed == TOPOLOGY_FDR10 && rates.speed == TOPOLOGY_QDR));
	known = trust_rate(rates.width, rates.speed);
	if (agrees)
		registers_copy(text, sizeof(text), own.text);
	else
		REGISTERS_PRINT(text, "%s, %s", own.text, known.text);
	trust_set(t, MADKIT_REGISTERS_LINK_MODES,
		  agrees ? MADKIT_REGISTERS_AGREES : MADKIT_REGISTERS_DISAGREES, 0, text);
}

/* ---- RegisterPortCounters ------------------------------------------------------------------- */

/* A counter of the register, and those of PortCounters that were read before and after it. */
struct trust_counter {
	const char *name;
	uint64_t before, value, after;
};

/* Checks if the value can be true. A counter that was reset or filled meanwhile, or before, shows nothing. */
static bool trust_counter_agrees(const struct trust_counter *c, unsigned int width)
{
	const uint64_t full = (UINT64_C(1) << width) - 1;

	return c->after < c->before || c->after == full || (c->before <= c->value && c->value <= c->after);
}

/* Compares each counter that both have by the same name. PortXmitWait is optional in PortCounters, and then 0. */
static void trust_counters(struct registers_type *t, const uint8_t *after, size_t after_len)
{
	const struct madkit_layout *l = registers_row(MADKIT_CLASS_MLNX, "RegisterPortCounters")->layout;
	const struct madkit_layout *of = registers_row(MADKIT_CLASS_PERF, "PortCounters")->layout;
	char text[MADKIT_REGISTERS_TEXT];

	for (unsigned int i = 0; i < l->nfields; i++) {
		const struct madkit_field *f = &l->fields[i];
		struct trust_counter c = { .name = f->name };
		struct madkit_place place;

		if (f->kind != MADKIT_KIND_COUNTER || !strcmp(f->name, "PortXmitWait") ||
		    madkit_place_find(of, f->name, strlen(f->name), &place, NULL) ||
		    place.field->width != f->width ||
		    madkit_field_get(f, 0, t->compared, sizeof(t->compared), &c.value) ||
		    madkit_field_get(place.field, 0, t->before, sizeof(t->before), &c.before) ||
		    madkit_field_get(place.field, 0, after, after_len, &c.after) ||
		    trust_counter_agrees(&c, f->width))
			continue;
		REGISTERS_PRINT(text, "%.40s %" PRIu64 ", %" PRIu64, c.name, c.value, c.after);
		trust_set(t, MADKIT_REGISTERS_PORT_COUNTERS, MADKIT_REGISTERS_DISAGREES, 0, text);
		return;
	}
	trust_set(t, MADKIT_REGISTERS_PORT_COUNTERS, MADKIT_REGISTERS_AGREES, 0, "");
}

/* ---- DeviceInfo ------------------------------------------------------------------------------- */

static void trust_device_info(struct madkit_registers *r, struct registers_type *t, const uint8_t *data)
{
	const uint8_t *psid = r->nodes[t->known.node].psid;
	const uint64_t device = field_get(MADKIT_DEVICE_INFO_DEVICE_ID, data),
		       major = field_get(MADKIT_DEVICE_INFO_FW_MAJOR, data),
		       minor = field_get(MADKIT_DEVICE_INFO_FW_MINOR, data),
		       sub_minor = field_get(MADKIT_DEVICE_INFO_FW_SUB_MINOR, data);
	char text[MADKIT_REGISTERS_TEXT] = "";

	if (device != t->known.hw_device)
		REGISTERS_PRINT(text, "DeviceID 0x%" PRIx64 ", 0x%x", device, t->known.hw_device);
	else if (memcmp(psid, data + field_at(MADKIT_DEVICE_INFO_PSID), REGISTERS_PSID_BYTES) != 0)
		REGISTERS_PRINT(text, "PSID");
	else if (major != t->known.firmware[0] || minor != t->known.firmware[1] ||
		 sub_minor != t->known.firmware[2])
		REGISTERS_PRINT(text, "firmware %" PRIu64 ".%" PRIu64 ".%04" PRIu64, major, minor, sub_minor);
	trust_set(t, MADKIT_REGISTERS_DEVICE_INFO,
		  *text ? MADKIT_REGISTERS_DISAGREES : MADKIT_REGISTERS_AGREES, 0, text);
}

/* ---- PortNumbering ------------------------------------------------------------------------------ */

/* Compares the names and the serial number of the cable, which do not change as its temperature does. */
static void trust_numbering(struct registers_type *t, const uint8_t *data)
{
	static const uint8_t none[16];
	const size_t name = field_at(MADKIT_MODULE_INFO_VENDOR_NAME),
		     sn = field_at(MADKIT_MODULE_INFO_VENDOR_SERIAL_NUMBER);

	if (!memcmp(t->compared + sn, none, sizeof(none)))
		trust_set(t, MADKIT_REGISTERS_PORT_NUMBERING, MADKIT_REGISTERS_IMPOSSIBLE, 0,
			  "the cable has no serial number");
	else if (memcmp(t->compared + name, data + name, sn + sizeof(none) - name) != 0)
		trust_set(t, MADKIT_REGISTERS_PORT_NUMBERING, MADKIT_REGISTERS_DISAGREES, 0, "another cable");
	else
		trust_set(t, MADKIT_REGISTERS_PORT_NUMBERING, MADKIT_REGISTERS_AGREES, 0, "");
}

/* ---- the verdict -------------------------------------------------------------------------------- */

/* Ends the checks of a type, which is trusted if none of the first three failed, and LinkModes or DeviceInfo agreed. */
static void trust_judge(struct madkit_registers *r, struct registers_type *t)
{
	static const char *const disagrees[] = {
		[MADKIT_REGISTERS_LINK_MODES] = "LinkModes disagrees with PortInfo",
		[MADKIT_REGISTERS_PORT_COUNTERS] = "RegisterPortCounters disagrees with PortCounters",
		[MADKIT_REGISTERS_DEVICE_INFO] = "DeviceInfo disagrees with GeneralInfo",
	};
	const struct madkit_registers_result *results = t->known.results;

	for (unsigned int i = 0; i < ARRAY_SIZE(disagrees) && !*t->known.why; i++)
		if (results[i].verdict == MADKIT_REGISTERS_DISAGREES)
			REGISTERS_PRINT(t->known.why, "%s (%.45s)", disagrees[i], results[i].text);
	if (!*t->known.why && results[MADKIT_REGISTERS_LINK_MODES].verdict != MADKIT_REGISTERS_AGREES &&
	    results[MADKIT_REGISTERS_DEVICE_INFO].verdict != MADKIT_REGISTERS_AGREES)
		REGISTERS_PRINT(t->known.why, "it answers neither LinkModes nor DeviceInfo");
	t->known.judged = true;
	t->known.trusted = !*t->known.why;
	r->news++;
}

uint16_t registers_trust_refused(const struct registers_type *t)
{
	const struct madkit_registers_result *device = &t->known.results[MADKIT_REGISTERS_DEVICE_INFO],
					     *link = &t->known.results[MADKIT_REGISTERS_LINK_MODES];

	if (t->known.judged || device->verdict != MADKIT_REGISTERS_IMPOSSIBLE ||
	    link->verdict != MADKIT_REGISTERS_IMPOSSIBLE ||
	    t->known.results[MADKIT_REGISTERS_PORT_COUNTERS].verdict == MADKIT_REGISTERS_DISAGREES)
		return 0;
	return device->status;
}

/* ---- requests ------------------------------------------------------------------------------------ */

void registers_trust_begin(struct registers_type *t, uint32_t node)
{
	t->known.node = node;
	t->known.port = 0;
	t->step = 0;
	t->responded = t->passed = false;
	memset(t->known.results, 0, sizeof(t->known.results));
}

/* Finds a port that is up and has a local port, or takes the only one that is needed. Returns 0 if there is none. */
static uint8_t trust_port(const struct madkit_registers *r, uint32_t node)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(r->sweep, node);
	const uint8_t only = r->nodes[node].only;
	struct madkit_sweep_rates rates;

	if (only)
		return madkit_registers_local_port(r, node, only) ? only : 0;
	for (unsigned int port = 1; port <= n->nports; port++) {
		if (!madkit_registers_local_port(r, node, port))
			continue;
		madkit_sweep_rates_get(r->sweep, node, port, &rates);
		if (rates.width)
			return (uint8_t)port;
	}
	return 0;
}

/* Checks if the step needs no request, because its check has ended, or cannot be made. */
static bool trust_is_over(const struct madkit_registers *r, struct registers_type *t)
{
	const unsigned int check = trust_steps[t->step].check;

	if (t->known.results[check].verdict != MADKIT_REGISTERS_UNCHECKED)
		return true;
	if (trust_steps[t->step].of_port && !t->known.port) {
		trust_set(t, check, MADKIT_REGISTERS_IMPOSSIBLE, 0, "no port is up");
		return true;
	}
	return check == MADKIT_REGISTERS_PORT_NUMBERING &&
	       (r->nodes[t->known.node].only ||
		madkit_sweep_node(r->sweep, t->known.node)->type != MADKIT_NODE_TYPE_SWITCH);
}

/* Writes the request of the step. */
static void trust_fill(const struct madkit_registers *r, const struct registers_type *t, uint8_t *mad)
{
	const struct madkit_attribute *a =
		registers_row(trust_steps[t->step].mgmt_class, trust_steps[t->step].name);
	const uint8_t mgmt_class = trust_steps[t->step].mgmt_class;
	const size_t offset = registers_data_offset(mgmt_class);
	unsigned int port = t->known.port;

	registers_fill(mad, mgmt_class, a);
	if (t->step == REGISTERS_STEP_NUMBERED)
		field_put(MADKIT_MODULE_INFO_PORT_NUMBERING, mad + offset, 1);
	else if (mgmt_class == MADKIT_CLASS_MLNX)
		port = madkit_registers_local_port(r, t->known.node, port);
	madkit_registers_select(a, trust_steps[t->step].of_port ? port : 0, mad + offset,
				MADKIT_MAD_BYTES - offset);
}

bool registers_trust_next(struct madkit_registers *r, struct registers_type *t, uint8_t *mad)
{
	if (!t->step && !t->known.port)
		t->known.port = trust_port(r, t->known.node);
	while (t->step < REGISTERS_STEPS && trust_is_over(r, t))
		t->step++;
	if (t->step < REGISTERS_STEPS) {
		trust_fill(r, t, mad);
		return true;
	}
	trust_judge(r, t);
	return false;
}

/* Takes the data of a response. */
static void trust_take(struct madkit_registers *r, struct registers_type *t, const struct registers_answer *a)
{
	const size_t len = a->len < sizeof(t->before) ? a->len : sizeof(t->before);

	switch (t->step) {
	case REGISTERS_STEP_LINK_MODES:
		trust_link_modes(r, t, a->data);
		break;
	case REGISTERS_STEP_BEFORE:
		memcpy(t->before, a->data, len);
		break;
	case REGISTERS_STEP_AFTER:
		trust_counters(t, a->data, a->len);
		break;
	case REGISTERS_STEP_DEVICE_INFO:
		trust_device_info(r, t, a->data);
		break;
	case REGISTERS_STEP_NUMBERED:
		trust_numbering(t, a->data);
		break;
	default:
		memcpy(t->compared, a->data, len);
		break;
	}
}

void registers_trust_take(struct madkit_registers *r, struct registers_type *t,
			  const struct registers_answer *a)
{
	enum madkit_registers_verdict invalid = MADKIT_REGISTERS_DISAGREES;
	const struct madkit_attribute *row;
	enum madkit_registers_check check;

	if (t->step >= REGISTERS_STEPS)
		return;
	/* only the registers are checked */
	if (trust_steps[t->step].mgmt_class == MADKIT_CLASS_PERF)
		invalid = MADKIT_REGISTERS_IMPOSSIBLE;
	check = trust_steps[t->step].check;
	row = registers_row(trust_steps[t->step].mgmt_class, trust_steps[t->step].name);
	t->responded |= !a->silent;
	if (a->silent)
		trust_set(t, check, MADKIT_REGISTERS_IMPOSSIBLE, 0, "no response");
	else if (a->invalid)
		trust_set(t, check, invalid, 0, "its answer is about another register");
	else if (a->status)
		trust_set(t, check, MADKIT_REGISTERS_IMPOSSIBLE, a->status, "");
	else if (!a->data || a->len < row->bytes)
		trust_set(t, check, invalid, 0, "its answer is shorter than the register");
	else
		trust_take(r, t, a);
	t->step++;
}
