/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <string.h>
#include "sim/fabric/pma.h"
#include "sim/fabric/samples.h"
#include "util/array_size.h"
#include "wire/status.h"

enum { ALL_PORTS = 0xff, STATUS_BUSY = 1 };

struct pma_request {
	struct fabric *f;
	struct port *end;
	struct node *node;
	uint16_t attribute;
	bool set;
	uint8_t *data;
};

static int pma_class_port_info(struct pma_request *r)
{
	/* Extended widths, PortXmitWait, QP1Dropped; switches only: AllPortSelect. */
	unsigned int mask = 1 << 9 | 1 << 12 | 1 << 15 | (is_switch(r->node) ? 1 << 8 : 0);

	if (r->set)
		return STATUS_BAD_ATTRIBUTE;
	if (node_has_rsfec(r->f, r->node))
		mask |= MADKIT_CPI_CAP_PERF_IS_RSFEC_MODE_SUPPORTED;
	memset(r->data, 0, MADKIT_MAD_BYTES - MADKIT_PERF_DATA);
	field_put(MADKIT_CLASS_PORT_INFO_BASE_VERSION, r->data, 1);
	field_put(MADKIT_CLASS_PORT_INFO_CLASS_VERSION, r->data, 1);
	field_put(MADKIT_CLASS_PORT_INFO_CAPABILITY_MASK, r->data, mask);
	/* PortCountersExtended includes the error counters. */
	field_put(MADKIT_CLASS_PORT_INFO_CAPABILITY_MASK2, r->data, 1 << 1);
	field_put(MADKIT_CLASS_PORT_INFO_RESP_TIME_VAL, r->data, 18);
	return 0;
}

/* ---- attributes of counters -------------------------------------------------------------- */

static uint64_t pma_field(const struct madkit_attribute *a, const char *name, const uint8_t *data)
{
	const struct madkit_field *field = counters_field(a, name);

	return field ? bits_get(data, field->offset, field->width) : 0;
}

/* Returns true if the port supports FDR or faster. */
static bool pma_has_extended_speeds(const struct port *port)
{
	return field_get(MADKIT_PORT_INFO_LINK_SPEED_EXT_SUPPORTED, port->info) ||
	       field_get(MADKIT_PORT_INFO_LINK_SPEED_EXT_SUPPORTED2, port->info);
}

static bool pma_has_counters(const struct node *node, const struct port *port, uint16_t attribute)
{
	if (attribute == MADKIT_ATTR_SW_PORT_VL_CONGESTION)
		return is_switch(node);
	return attribute != MADKIT_ATTR_PORT_EXTENDED_SPEEDS_COUNTERS || pma_has_extended_speeds(port);
}

static int pma_clear(struct pma_request *r, const struct madkit_attribute *a, struct port *port,
		     uint64_t select)
{
	counter_each(c, a) if ((select >> counter_bit(&c) & 1) &&
			       counter_put(r->f, port, &c, 0)) return STATUS_BUSY;
	return 0;
}

static void pma_add(struct fabric *f, const struct madkit_attribute *a, const struct port *port,
		    uint8_t *data)
{
	counter_each(c, a)
	{
		uint32_t at = madkit_field_offset(c.field, c.element);
		uint64_t max = bits_mask(c.field->width);
		uint64_t now = bits_get(data, at, c.field->width);
		uint64_t n = counter_read(f, port, &c);

		bits_put(data, at, c.field->width, n > max - now ? max : now + n);
	}
}

void pma_read(struct fabric *f, const struct port *port, uint16_t attribute, uint8_t *data)
{
	pma_add(f, counters_attribute(attribute), port, data);
}

/* Handles an attribute of counters, of one port or the sum of all ports. As in hardware, a Set ignores the
 * values: it clears the selected counters before they are read for the response. */
static int pma_counters(struct pma_request *r)
{
	const struct madkit_attribute *a = counters_attribute(r->attribute);
	uint64_t number = a ? pma_field(a, "PortSelect", r->data) : 0;
	bool all = number == ALL_PORTS && is_switch(r->node);
	unsigned int first = all ? 0 : (unsigned int)number;
	unsigned int last = all ? r->node->nports : first;
	uint64_t select;
	int ret = 0;

	if (!a)
		return STATUS_BAD_ATTRIBUTE;
	if (last > r->node->nports || (!is_switch(r->node) && number != r->end->number))
		return STATUS_BAD_FIELD;
	if (!pma_has_counters(r->node, node_port(r->f, r->node, last), r->attribute))
		return STATUS_BAD_ATTRIBUTE;
	select = pma_field(a, "CounterSelect", r->data) | pma_field(a, "CounterSelect2", r->data) << 16;
	counter_each(c, a) bits_put(r->data, madkit_field_offset(c.field, c.element), c.field->width, 0);
	for (unsigned int n = first; n <= last && !ret; n++) {
		struct port *port = node_port(r->f, r->node, n);

		if (r->set)
			ret = pma_clear(r, a, port, select);
		pma_add(r->f, a, port, r->data);
	}
	return ret;
}

/* ---- samples ----------------------------------------------------------------------------- */

/* OptionMask has a bit for each counter of an optional attribute, and one bit for an array. The bits are
 * those of ibdiagnet's structures. */
static uint64_t pma_options(const struct pma_request *r, const struct port *port)
{
	static const struct {
		uint16_t attribute;
		uint8_t first, count;
	} bits[] = {
		{ MADKIT_ATTR_PORT_RCV_ERROR_DETAILS, 6, 6 },
		{ MADKIT_ATTR_PORT_XMIT_DISCARD_DETAILS, 12, 4 },
		{ MADKIT_ATTR_PORT_OP_RCV_COUNTERS, 16, 2 },
		{ MADKIT_ATTR_PORT_FLOW_CTL_COUNTERS, 18, 2 },
		{ MADKIT_ATTR_PORT_VL_OP_PACKETS, 20, 1 },
		{ MADKIT_ATTR_PORT_VL_OP_DATA, 21, 1 },
		{ MADKIT_ATTR_PORT_VL_XMIT_FLOW_CTL_UPDATE_ERRORS, 22, 1 },
		{ MADKIT_ATTR_PORT_VL_XMIT_WAIT_COUNTERS, 23, 1 },
		{ MADKIT_ATTR_PORT_EXTENDED_SPEEDS_COUNTERS, 28, 1 },
		{ MADKIT_ATTR_SW_PORT_VL_CONGESTION, 48, 1 },
		{ MADKIT_ATTR_PORT_RCV_CON_CTRL, 49, 2 },
		{ MADKIT_ATTR_PORT_SL_RCV_FECN, 51, 1 },
		{ MADKIT_ATTR_PORT_SL_RCV_BECN, 52, 1 },
		{ MADKIT_ATTR_PORT_XMIT_CON_CTRL, 53, 1 },
		{ MADKIT_ATTR_PORT_VL_XMIT_TIME_CONG, 54, 1 },
		{ MADKIT_ATTR_PORT_XMIT_DATA_SL, 55, 1 },
		{ MADKIT_ATTR_PORT_RCV_DATA_SL, 56, 1 },
	};
	uint64_t mask = 0;

	for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
		if (pma_has_counters(r->node, port, bits[i].attribute))
			mask |= bits_mask(bits[i].count) << bits[i].first;
	return mask;
}

static int pma_samples_control(struct pma_request *r)
{
	uint64_t number = field_get(MADKIT_PORT_SAMPLES_CONTROL_PORT_SELECT, r->data);
	const struct port *port;

	if (number > r->node->nports || (!is_switch(r->node) && number != r->end->number))
		return STATUS_BAD_FIELD;
	port = node_port(r->f, r->node, (unsigned int)number);
	return samples_control(r->f, r->end, port, r->set, pma_options(r, port), r->data) ? STATUS_BUSY : 0;
}

static int pma_samples_result(struct pma_request *r)
{
	if (r->set)
		return STATUS_BAD_ATTRIBUTE;
	samples_result(r->end, r->attribute == MADKIT_ATTR_PORT_SAMPLES_RESULT_EXTENDED, r->data);
	return 0;
}

/* ---- requests ----------------------------------------------------------------------------- */

static const struct {
	uint16_t attribute;
	int (*handle)(struct pma_request *r);
} pma_others[] = {
	{ MADKIT_ATTR_CLASS_PORT_INFO, pma_class_port_info },
	{ MADKIT_ATTR_PORT_SAMPLES_CONTROL, pma_samples_control },
	{ MADKIT_ATTR_PORT_SAMPLES_RESULT, pma_samples_result },
	{ MADKIT_ATTR_PORT_SAMPLES_RESULT_EXTENDED, pma_samples_result },
};

static int pma_dispatch(struct pma_request *r, const struct madkit_header *h)
{
	size_t i = 0;

	if (h->class_version != 1)
		return STATUS_BAD_VERSION;
	if (!r->set && h->method != MADKIT_METHOD_GET)
		return STATUS_BAD_METHOD;
	while (i < ARRAY_SIZE(pma_others) && pma_others[i].attribute != h->attribute)
		i++;
	if (h->modifier && (i < ARRAY_SIZE(pma_others) || counters_attribute(h->attribute)))
		return STATUS_BAD_FIELD;
	return i < ARRAY_SIZE(pma_others) ? pma_others[i].handle(r) : pma_counters(r);
}

bool pma_handle(struct fabric *f, struct port *end, uint8_t *mad)
{
	struct madkit_header h;
	struct pma_request r = {
		.f = f,
		.end = end,
		.node = &f->nodes[end->node],
		.data = mad + MADKIT_PERF_DATA,
	};

	if (mad[MADKIT_MAD_CLASS] != MADKIT_CLASS_PERF || !gmp_is_for_agents(r.node, mad))
		return false;
	madkit_header_get(mad, MADKIT_MAD_BYTES, &h);
	r.attribute = h.attribute;
	r.set = h.method == MADKIT_METHOD_SET;
	fabric_respond(mad, (uint16_t)pma_dispatch(&r, &h));
	return true;
}
