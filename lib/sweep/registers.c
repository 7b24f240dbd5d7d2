/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Keeps which nodes of a sweep have registers, their local ports, and the types of devices. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/constants.h>
#include <madkit/field.h>
#include "sweep/registers.h"
#include "util/array_size.h"

int madkit_registers_new(const struct madkit_sweep *sweep, struct madkit_registers **registers)
{
	struct madkit_sweep_counts counts;
	struct madkit_registers *r;

	if (!sweep || !registers)
		return -EINVAL;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	madkit_sweep_count(sweep, &counts);
	r->sweep = sweep;
	r->nnodes = counts.nodes;
	r->general = registers_row(MADKIT_CLASS_MLNX, "GeneralInfo");
	r->mapping = registers_row(MADKIT_CLASS_MLNX, "PortMapping");
	r->nodes = calloc(counts.nodes + 1u, sizeof(*r->nodes));
	if (!r->nodes) {
		free(r);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < r->nnodes; i++)
		r->nodes[i].known.type = UINT32_MAX;
	*registers = r;
	return 0;
}

void madkit_registers_free(struct madkit_registers *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; i < r->nnodes; i++)
		free(r->nodes[i].local_of);
	free(r->nodes);
	free(r->types);
	free(r);
}

void registers_copy(char *to, size_t size, const char *text)
{
	size_t len = strlen(text);

	if (len >= size)
		len = size - 1;
	memcpy(to, text, len);
	to[len] = 0;
}

void registers_settle(struct registers_node *node, enum madkit_registers_state state, uint16_t status,
		      const char *reason)
{
	node->known.state = (uint8_t)state;
	node->known.status = status;
	node->known.reason = reason;
	node->stage = REGISTERS_DONE;
}

struct madkit_registers_node madkit_registers_get(const struct madkit_registers *r, uint32_t node)
{
	struct madkit_registers_node known = { .type = UINT32_MAX, .reason = "the node was not asked" };

	if (!r || node >= r->nnodes)
		return known;
	known = r->nodes[node].known;
	/* nodes of a type are judged together */
	if (known.state == MADKIT_REGISTERS_READY && !r->types[known.type].known.trusted) {
		known.state = MADKIT_REGISTERS_LEFT_OUT;
		known.reason = r->types[known.type].known.why;
	}
	return known;
}

unsigned int madkit_registers_local_port(const struct madkit_registers *r, uint32_t node, unsigned int port)
{
	const struct madkit_sweep_node *n;

	if (!r || node >= r->nnodes)
		return 0;
	n = madkit_sweep_node(r->sweep, node);
	if (!port || port > n->nports)
		return 0;
	if (n->type != MADKIT_NODE_TYPE_SWITCH)
		return port == 1;
	if (!r->nodes[node].local_of || r->nodes[node].local_of[port] == REGISTERS_SEVERAL)
		return 0;
	return r->nodes[node].local_of[port];
}

const struct madkit_registers_type *madkit_registers_type(const struct madkit_registers *r, uint32_t number)
{
	return r && number < r->ntypes ? &r->types[number].known : NULL;
}

const char *madkit_registers_check_name(enum madkit_registers_check check)
{
	static const char *const names[] = {
		[MADKIT_REGISTERS_LINK_MODES] = "LinkModes with PortInfo",
		[MADKIT_REGISTERS_PORT_COUNTERS] = "RegisterPortCounters with PortCounters",
		[MADKIT_REGISTERS_DEVICE_INFO] = "DeviceInfo with GeneralInfo",
		[MADKIT_REGISTERS_PORT_NUMBERING] = "PortNumbering with PortMapping",
	};

	return (unsigned int)check < ARRAY_SIZE(names) ? names[check] : NULL;
}

bool madkit_registers_lacks(uint16_t status)
{
	return status == REGISTERS_NO_CLASS || status == REGISTERS_NO_METHOD ||
	       status == REGISTERS_NO_REGISTER;
}

const char *madkit_registers_status_text(uint16_t status)
{
	static const struct {
		uint16_t status;
		const char *text;
	} texts[] = {
		{ MADKIT_STATUS_BUSY, "busy" },
		{ REGISTERS_NO_CLASS, "class not supported" },
		{ REGISTERS_NO_METHOD, "method not supported" },
		{ REGISTERS_NO_REGISTER, "register not supported" },
		{ REGISTERS_BAD_PARAMETER, "bad parameter" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (texts[i].status == status)
			return texts[i].text;
	return NULL;
}

const struct madkit_attribute *registers_row(uint8_t mgmt_class, const char *name)
{
	const struct madkit_attribute *row = NULL;
	uint8_t found;
	uint16_t id;

	return madkit_attribute_find(name, mgmt_class, &found, &id, &row, NULL) ? NULL : row;
}

void registers_fill(uint8_t *mad, uint8_t mgmt_class, const struct madkit_attribute *a)
{
	const struct madkit_header header = { .base_version = MADKIT_BASE_VERSION_IB,
					      .mgmt_class = mgmt_class,
					      .class_version = 1,
					      .method = MADKIT_METHOD_GET,
					      .attribute = a->id,
					      .modifier = a->modifier_value };

	memset(mad, 0, MADKIT_MAD_BYTES);
	madkit_header_put(mad, MADKIT_MAD_BYTES, &header);
}

void madkit_registers_select(const struct madkit_attribute *a, unsigned int port, uint8_t *data, size_t len)
{
	struct madkit_place place;

	madkit_attribute_choose(a, data, len);
	if (!madkit_place_find(a->layout, "PortSelect", strlen("PortSelect"), &place, NULL))
		madkit_field_put(place.field, 0, data, len, port & 0xff);
	if (!madkit_place_find(a->layout, "PortSelectMsb", strlen("PortSelectMsb"), &place, NULL))
		madkit_field_put(place.field, 0, data, len, port >> 8 & 3);
}
