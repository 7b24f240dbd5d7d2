/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <madkit/registry.h>
#include "sim/fabric/pma.h"
#include "wire/status.h"

/* A counter in both attributes, with the bit that selects it there; from 16 on in
 * CounterSelect2. NONE: the attribute does not have it. */
#define NONE FIELDS
static const struct {
	enum sim_field counter, extended;
	uint8_t bit, extended_bit;
} rows[PMA_COUNTERS] = {
	[PMA_SYMBOL_ERROR] = { F_PC_SYMBOL_ERROR, F_PX_SYMBOL_ERROR, 0, 16 },
	[PMA_LINK_RECOVERY] = { F_PC_LINK_RECOVERY, F_PX_LINK_RECOVERY, 1, 17 },
	[PMA_LINK_DOWNED] = { F_PC_LINK_DOWNED, F_PX_LINK_DOWNED, 2, 18 },
	[PMA_RCV_ERRORS] = { F_PC_RCV_ERRORS, F_PX_RCV_ERRORS, 3, 19 },
	[PMA_REMOTE_PHYSICAL] = { F_PC_REMOTE_PHYSICAL, F_PX_REMOTE_PHYSICAL, 4, 20 },
	[PMA_RELAY_ERRORS] = { F_PC_RELAY_ERRORS, F_PX_RELAY_ERRORS, 5, 21 },
	[PMA_XMIT_DISCARDS] = { F_PC_XMIT_DISCARDS, F_PX_XMIT_DISCARDS, 6, 22 },
	[PMA_XMIT_CONSTRAINT] = { F_PC_XMIT_CONSTRAINT, F_PX_XMIT_CONSTRAINT, 7, 23 },
	[PMA_RCV_CONSTRAINT] = { F_PC_RCV_CONSTRAINT, F_PX_RCV_CONSTRAINT, 8, 24 },
	[PMA_LOCAL_INTEGRITY] = { F_PC_LOCAL_INTEGRITY, F_PX_LOCAL_INTEGRITY, 9, 25 },
	[PMA_OVERRUN] = { F_PC_OVERRUN, F_PX_OVERRUN, 10, 26 },
	[PMA_VL15_DROPPED] = { F_PC_VL15_DROPPED, F_PX_VL15_DROPPED, 11, 27 },
	[PMA_XMIT_DATA] = { F_PC_XMIT_DATA, F_PX_XMIT_DATA, 12, 0 },
	[PMA_RCV_DATA] = { F_PC_RCV_DATA, F_PX_RCV_DATA, 13, 1 },
	[PMA_XMIT_PKTS] = { F_PC_XMIT_PKTS, F_PX_XMIT_PKTS, 14, 2 },
	[PMA_RCV_PKTS] = { F_PC_RCV_PKTS, F_PX_RCV_PKTS, 15, 3 },
	[PMA_XMIT_WAIT] = { F_PC_XMIT_WAIT, F_PX_XMIT_WAIT, 16, 28 },
	[PMA_XMIT_UNICAST] = { NONE, F_PX_XMIT_UNICAST, 0, 4 },
	[PMA_RCV_UNICAST] = { NONE, F_PX_RCV_UNICAST, 0, 5 },
	[PMA_XMIT_MULTICAST] = { NONE, F_PX_XMIT_MULTICAST, 0, 6 },
	[PMA_RCV_MULTICAST] = { NONE, F_PX_RCV_MULTICAST, 0, 7 },
};

enum { ALL_PORTS = 0xff };

/* ---- counting ----------------------------------------------------------------------- */

static void pma_add(const struct fabric *f, enum sim_field which, uint8_t *base, uint64_t n)
{
	uint64_t max = bits_mask(f->fields.of[which]->width);
	uint64_t now = field_get(&f->fields, which, base);

	field_put(&f->fields, which, base, n > max - now ? max : now + n);
}

void pma_count(struct fabric *f, struct port *port, enum pma_counter which, uint64_t n)
{
	if (rows[which].counter != NONE)
		pma_add(f, rows[which].counter, port->counters, n);
	pma_add(f, rows[which].extended, port->extended, n);
}

enum { PORT_COUNTERS = 0x0012, PORT_COUNTERS_EXTENDED = 0x001d };

/* The row of a name that the attribute has for a counter; PMA_COUNTERS: none. */
static unsigned int row_of(const struct fabric *f, uint16_t id, const char *name)
{
	const struct madkit_attribute *attribute =
		madkit_attribute_get(MADKIT_BASE_VERSION_IB, MADKIT_CLASS_PERF, id);
	struct madkit_place place;
	unsigned int i = 0;

	if (madkit_attribute_place(attribute, NULL, 0, name, strlen(name), &place, NULL))
		return PMA_COUNTERS;
	while (i < PMA_COUNTERS && f->fields.of[rows[i].extended] != place.field &&
	       (rows[i].counter == NONE || f->fields.of[rows[i].counter] != place.field))
		i++;
	return i;
}

int pma_set(struct fabric *f, struct port *port, const char *name, uint64_t value)
{
	unsigned int row = row_of(f, PORT_COUNTERS, name);

	if (row == PMA_COUNTERS)
		row = row_of(f, PORT_COUNTERS_EXTENDED, name);
	if (row == PMA_COUNTERS)
		return -ENOENT;
	if (value > bits_mask(f->fields.of[rows[row].extended]->width))
		return -ERANGE;
	if (rows[row].counter != NONE)
		field_put(&f->fields, rows[row].counter, port->counters, 0);
	field_put(&f->fields, rows[row].extended, port->extended, 0);
	pma_count(f, port, row, value);
	return 0;
}

/* Of four octets each, from the LRH to the ICRC: 8 + 12 + 8 + 256 + 4, and a GRH. */
static uint64_t words(const struct packet *p)
{
	return (8 + 12 + 8 + sizeof(p->mad) + 4 + (p->head.grh ? 40 : 0)) / 4;
}

void pma_transmitted(struct fabric *f, struct port *port, const struct packet *p)
{
	pma_count(f, port, PMA_XMIT_DATA, words(p));
	pma_count(f, port, PMA_XMIT_PKTS, 1);
	pma_count(f, port, lid_is_multicast(p->head.dlid) ? PMA_XMIT_MULTICAST : PMA_XMIT_UNICAST, 1);
}

void pma_received(struct fabric *f, struct port *port, const struct packet *p)
{
	pma_count(f, port, PMA_RCV_DATA, words(p));
	pma_count(f, port, PMA_RCV_PKTS, 1);
	pma_count(f, port, lid_is_multicast(p->head.dlid) ? PMA_RCV_MULTICAST : PMA_RCV_UNICAST, 1);
}

/* ---- answers -------------------------------------------------------------------------- */

static int pma_class_port_info(struct fabric *f, const struct port *end, uint8_t *data)
{
	/* extended widths, PortXmitWait; a switch: all ports at once */
	unsigned int mask = 1 << 9 | 1 << 12 | (is_switch(&f->nodes[end->node]) ? 1 << 8 : 0);

	memset(data, 0, MADKIT_MAD_BYTES - MADKIT_PERF_DATA);
	field_put(&f->fields, F_CPI_BASE_VERSION, data, 1);
	field_put(&f->fields, F_CPI_CLASS_VERSION, data, 1);
	field_put(&f->fields, F_CPI_CAP_MASK, data, mask);
	/* the errors are in PortCountersExtended too */
	field_put(&f->fields, F_CPI_CAP_MASK2, data, 1 << 1);
	field_put(&f->fields, F_CPI_RESP_TIME, data, 18);
	return 0;
}

/* What a port has for one row, in the attribute that is asked for. */
static enum sim_field field_of(bool extended, unsigned int row)
{
	return extended ? rows[row].extended : rows[row].counter;
}

static uint8_t *counters_of(struct port *port, bool extended)
{
	return extended ? port->extended : port->counters;
}

static void pma_clear(struct fabric *f, struct port *port, bool extended, uint64_t select)
{
	for (unsigned int i = 0; i < PMA_COUNTERS; i++) {
		unsigned int bit = extended ? rows[i].extended_bit : rows[i].bit;

		if (field_of(extended, i) != NONE && (select >> bit & 1))
			field_put(&f->fields, field_of(extended, i), counters_of(port, extended), 0);
	}
}

/* One port's, or the sums of all. What is written is not the values but zero, and that
 * first: as hardware does. */
static int port_counters(struct fabric *f, struct port *end, bool extended, bool set, uint8_t *data)
{
	struct node *node = &f->nodes[end->node];
	uint64_t number = field_get(&f->fields, extended ? F_PX_PORT_SELECT : F_PC_PORT_SELECT, data);
	uint64_t select = field_get(&f->fields, extended ? F_PX_SELECT : F_PC_SELECT, data) |
			  field_get(&f->fields, extended ? F_PX_SELECT2 : F_PC_SELECT2, data) << 16;
	bool all = number == ALL_PORTS && is_switch(node);
	unsigned int first = all ? 0 : (unsigned int)number;
	unsigned int last = all ? node->nports : first;

	if (last > node->nports || (!is_switch(node) && number != end->number))
		return STATUS_BAD_FIELD;
	for (unsigned int i = 0; i < PMA_COUNTERS; i++)
		if (field_of(extended, i) != NONE)
			field_put(&f->fields, field_of(extended, i), data, 0);
	for (unsigned int n = first; n <= last; n++) {
		struct port *port = node_port(f, node, n);

		if (set)
			pma_clear(f, port, extended, select);
		for (unsigned int i = 0; i < PMA_COUNTERS; i++)
			if (field_of(extended, i) != NONE)
				pma_add(f, field_of(extended, i), data,
					field_get(&f->fields, field_of(extended, i),
						  counters_of(port, extended)));
	}
	return 0;
}

static int pma_dispatch(struct fabric *f, struct port *end, const struct madkit_header *h, uint8_t *data)
{
	bool set = h->method == MADKIT_METHOD_SET;

	if (h->class_version != 1)
		return STATUS_BAD_VERSION;
	if (!set && h->method != MADKIT_METHOD_GET)
		return STATUS_BAD_METHOD;
	if (h->attribute == MADKIT_ATTR_CLASS_PORT_INFO && !set)
		return h->modifier ? STATUS_BAD_FIELD : pma_class_port_info(f, end, data);
	if (h->attribute == PORT_COUNTERS || h->attribute == PORT_COUNTERS_EXTENDED)
		return h->modifier ? STATUS_BAD_FIELD :
				     port_counters(f, end, h->attribute == PORT_COUNTERS_EXTENDED, set, data);
	return STATUS_BAD_ATTRIBUTE;
}

bool pma_handle(struct fabric *f, struct port *end, uint8_t *mad)
{
	struct madkit_header h;

	madkit_header_get(mad, MADKIT_MAD_BYTES, &h);
	if (h.mgmt_class != MADKIT_CLASS_PERF || madkit_mad_is_response(mad, MADKIT_MAD_BYTES) ||
	    h.method == MADKIT_METHOD_TRAP || h.method == MADKIT_METHOD_SEND ||
	    h.method == MADKIT_METHOD_REPORT)
		return false;
	h.status = (uint16_t)pma_dispatch(f, end, &h, mad + MADKIT_PERF_DATA);
	h.method = MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE;
	madkit_header_put(mad, MADKIT_MAD_BYTES, &h);
	return true;
}
