/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <madkit/registry.h>
#include "sim/fabric/pma.h"
#include "wire/status.h"

/* A counter in PortCounters (0: not there) and in PortCountersExtended, with the bit that selects it in each;
 * from 16 on in CounterSelect2. */
#define BOTH(name) MADKIT_PORT_COUNTERS_##name, MADKIT_PORT_COUNTERS_EXTENDED_##name
static const struct {
	uint64_t field[2];
	uint8_t bit[2];
} rows[PMA_COUNTERS] = {
	[PMA_SYMBOL_ERROR] = { { BOTH(SYMBOL_ERROR_COUNTER) }, { 0, 16 } },
	[PMA_LINK_RECOVERY] = { { BOTH(LINK_ERROR_RECOVERY_COUNTER) }, { 1, 17 } },
	[PMA_LINK_DOWNED] = { { BOTH(LINK_DOWNED_COUNTER) }, { 2, 18 } },
	[PMA_RCV_ERRORS] = { { BOTH(PORT_RCV_ERRORS) }, { 3, 19 } },
	[PMA_REMOTE_PHYSICAL] = { { BOTH(PORT_RCV_REMOTE_PHYSICAL_ERRORS) }, { 4, 20 } },
	[PMA_RELAY_ERRORS] = { { BOTH(PORT_RCV_SWITCH_RELAY_ERRORS) }, { 5, 21 } },
	[PMA_XMIT_DISCARDS] = { { BOTH(PORT_XMIT_DISCARDS) }, { 6, 22 } },
	[PMA_XMIT_CONSTRAINT] = { { BOTH(PORT_XMIT_CONSTRAINT_ERRORS) }, { 7, 23 } },
	[PMA_RCV_CONSTRAINT] = { { BOTH(PORT_RCV_CONSTRAINT_ERRORS) }, { 8, 24 } },
	[PMA_LOCAL_INTEGRITY] = { { BOTH(LOCAL_LINK_INTEGRITY_ERRORS) }, { 9, 25 } },
	[PMA_OVERRUN] = { { BOTH(EXCESSIVE_BUFFER_OVERRUN_ERRORS) }, { 10, 26 } },
	[PMA_VL15_DROPPED] = { { BOTH(VL15_DROPPED) }, { 11, 27 } },
	[PMA_XMIT_DATA] = { { BOTH(PORT_XMIT_DATA) }, { 12, 0 } },
	[PMA_RCV_DATA] = { { BOTH(PORT_RCV_DATA) }, { 13, 1 } },
	[PMA_XMIT_PKTS] = { { BOTH(PORT_XMIT_PKTS) }, { 14, 2 } },
	[PMA_RCV_PKTS] = { { BOTH(PORT_RCV_PKTS) }, { 15, 3 } },
	[PMA_XMIT_WAIT] = { { BOTH(PORT_XMIT_WAIT) }, { 16, 28 } },
	[PMA_XMIT_UNICAST] = { { 0, MADKIT_PORT_COUNTERS_EXTENDED_PORT_UNICAST_XMIT_PKTS }, { 0, 4 } },
	[PMA_RCV_UNICAST] = { { 0, MADKIT_PORT_COUNTERS_EXTENDED_PORT_UNICAST_RCV_PKTS }, { 0, 5 } },
	[PMA_XMIT_MULTICAST] = { { 0, MADKIT_PORT_COUNTERS_EXTENDED_PORT_MULTICAST_XMIT_PKTS }, { 0, 6 } },
	[PMA_RCV_MULTICAST] = { { 0, MADKIT_PORT_COUNTERS_EXTENDED_PORT_MULTICAST_RCV_PKTS }, { 0, 7 } },
};

enum { ALL_PORTS = 0xff };

/* ---- counting ----------------------------------------------------------------------- */

static void pma_add(uint64_t which, uint8_t *base, uint64_t n)
{
	uint64_t max = bits_mask(at_width(which));
	uint64_t now = field_get(which, base);

	field_put(which, base, n > max - now ? max : now + n);
}

void pma_count(struct port *port, enum pma_counter which, uint64_t n)
{
	if (rows[which].field[false])
		pma_add(rows[which].field[false], port->counters, n);
	pma_add(rows[which].field[true], port->extended, n);
}

/* The row of a name that the attribute has for a counter; PMA_COUNTERS: none. */
static unsigned int row_of(uint16_t id, const char *name)
{
	const struct madkit_attribute *attribute =
		madkit_attribute_get(MADKIT_BASE_VERSION_IB, MADKIT_CLASS_PERF, id);
	struct madkit_place place;
	unsigned int i = 0;
	uint64_t field;

	if (madkit_attribute_place(attribute, NULL, 0, name, strlen(name), &place, NULL))
		return PMA_COUNTERS;
	field = MADKIT_AT(place.field->offset, place.field->width);
	while (i < PMA_COUNTERS && rows[i].field[id == MADKIT_ATTR_PORT_COUNTERS_EXTENDED] != field)
		i++;
	return i;
}

int pma_set(struct port *port, const char *name, uint64_t value)
{
	unsigned int row = row_of(MADKIT_ATTR_PORT_COUNTERS, name);

	if (row == PMA_COUNTERS)
		row = row_of(MADKIT_ATTR_PORT_COUNTERS_EXTENDED, name);
	if (row == PMA_COUNTERS)
		return -ENOENT;
	if (value > bits_mask(at_width(rows[row].field[true])))
		return -ERANGE;
	if (rows[row].field[false])
		field_put(rows[row].field[false], port->counters, 0);
	field_put(rows[row].field[true], port->extended, 0);
	pma_count(port, row, value);
	return 0;
}

/* Of four octets each, from the LRH to the ICRC: 8 + 12 + 8 + 256 + 4, and a GRH. */
static uint64_t words(const struct packet *p)
{
	return (8 + 12 + 8 + sizeof(p->mad) + 4 + (p->head.grh ? 40 : 0)) / 4;
}

void pma_transmitted(struct port *port, const struct packet *p)
{
	pma_count(port, PMA_XMIT_DATA, words(p));
	pma_count(port, PMA_XMIT_PKTS, 1);
	pma_count(port, lid_is_multicast(p->head.dlid) ? PMA_XMIT_MULTICAST : PMA_XMIT_UNICAST, 1);
}

void pma_received(struct port *port, const struct packet *p)
{
	pma_count(port, PMA_RCV_DATA, words(p));
	pma_count(port, PMA_RCV_PKTS, 1);
	pma_count(port, lid_is_multicast(p->head.dlid) ? PMA_RCV_MULTICAST : PMA_RCV_UNICAST, 1);
}

/* ---- answers -------------------------------------------------------------------------- */

static int pma_class_port_info(struct fabric *f, const struct port *end, uint8_t *data)
{
	/* extended widths, PortXmitWait; a switch: all ports at once */
	unsigned int mask = 1 << 9 | 1 << 12 | (is_switch(&f->nodes[end->node]) ? 1 << 8 : 0);

	memset(data, 0, MADKIT_MAD_BYTES - MADKIT_PERF_DATA);
	field_put(MADKIT_CLASS_PORT_INFO_BASE_VERSION, data, 1);
	field_put(MADKIT_CLASS_PORT_INFO_CLASS_VERSION, data, 1);
	field_put(MADKIT_CLASS_PORT_INFO_CAPABILITY_MASK, data, mask);
	/* the errors are in PortCountersExtended too */
	field_put(MADKIT_CLASS_PORT_INFO_CAPABILITY_MASK2, data, 1 << 1);
	field_put(MADKIT_CLASS_PORT_INFO_RESP_TIME_VAL, data, 18);
	return 0;
}

/* What a port has for one row, in the attribute that is asked for. */
static uint8_t *counters_of(struct port *port, bool extended)
{
	return extended ? port->extended : port->counters;
}

static void pma_clear(struct port *port, bool extended, uint64_t select)
{
	for (unsigned int i = 0; i < PMA_COUNTERS; i++)
		if (rows[i].field[extended] && (select >> rows[i].bit[extended] & 1))
			field_put(rows[i].field[extended], counters_of(port, extended), 0);
}

/* One port's, or the sums of all. What is written is not the values but zero, and that
 * first: as hardware does. */
static int port_counters(struct fabric *f, struct port *end, bool extended, bool set, uint8_t *data)
{
	static const struct {
		uint64_t port, select, select2;
	} request[2] = {
		{ MADKIT_PORT_COUNTERS_PORT_SELECT, MADKIT_PORT_COUNTERS_COUNTER_SELECT,
		  MADKIT_PORT_COUNTERS_COUNTER_SELECT2 },
		{ MADKIT_PORT_COUNTERS_EXTENDED_PORT_SELECT, MADKIT_PORT_COUNTERS_EXTENDED_COUNTER_SELECT,
		  MADKIT_PORT_COUNTERS_EXTENDED_COUNTER_SELECT2 },
	};
	struct node *node = &f->nodes[end->node];
	uint64_t number = field_get(request[extended].port, data);
	uint64_t select = field_get(request[extended].select, data) |
			  field_get(request[extended].select2, data) << 16;
	bool all = number == ALL_PORTS && is_switch(node);
	unsigned int first = all ? 0 : (unsigned int)number;
	unsigned int last = all ? node->nports : first;

	if (last > node->nports || (!is_switch(node) && number != end->number))
		return STATUS_BAD_FIELD;
	for (unsigned int i = 0; i < PMA_COUNTERS; i++)
		if (rows[i].field[extended])
			field_put(rows[i].field[extended], data, 0);
	for (unsigned int n = first; n <= last; n++) {
		struct port *port = node_port(f, node, n);

		if (set)
			pma_clear(port, extended, select);
		for (unsigned int i = 0; i < PMA_COUNTERS; i++)
			if (rows[i].field[extended])
				pma_add(rows[i].field[extended], data,
					field_get(rows[i].field[extended], counters_of(port, extended)));
	}
	return 0;
}

static int pma_dispatch(struct fabric *f, struct port *end, const struct madkit_header *h, uint8_t *data)
{
	bool set = h->method == MADKIT_METHOD_SET;
	bool extended = h->attribute == MADKIT_ATTR_PORT_COUNTERS_EXTENDED;
	bool counters = extended || h->attribute == MADKIT_ATTR_PORT_COUNTERS;

	if (h->class_version != 1)
		return STATUS_BAD_VERSION;
	if (!set && h->method != MADKIT_METHOD_GET)
		return STATUS_BAD_METHOD;
	if (!counters && (set || h->attribute != MADKIT_ATTR_CLASS_PORT_INFO))
		return STATUS_BAD_ATTRIBUTE;
	if (h->modifier)
		return STATUS_BAD_FIELD;
	return counters ? port_counters(f, end, extended, set, data) : pma_class_port_info(f, end, data);
}

bool pma_handle(struct fabric *f, struct port *end, uint8_t *mad)
{
	struct madkit_header h;

	madkit_header_get(mad, MADKIT_MAD_BYTES, &h);
	if (h.mgmt_class != MADKIT_CLASS_PERF || !method_wants_response(h.method))
		return false;
	fabric_respond(mad, (uint16_t)pma_dispatch(f, end, &h, mad + MADKIT_PERF_DATA));
	return true;
}
