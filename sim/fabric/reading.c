/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <string.h>
#include "sim/fabric/device.h"
#include "sim/fabric/misbehaviour.h"
#include "sim/fabric/reading.h"
#include "util/array_size.h"

enum { READING_PLANES = 4 }; /* of a port that supports XDR */

uint64_t reading_echo(struct reading *r, uint64_t field)
{
	const uint64_t value = field_get(field, r->asked);

	if (!r->node->misbehaves || !r->node->misbehaves->no_echo)
		field_put(field, r->data, value);
	return value;
}

struct port *reading_port(struct reading *r, uint64_t select, uint64_t msb, uint64_t numbering,
			  uint64_t plane)
{
	unsigned int number = (unsigned int)(reading_echo(r, select) | reading_echo(r, msb) << 8);
	const uint64_t by = numbering ? reading_echo(r, numbering) : 0;
	const uint64_t part = plane ? reading_echo(r, plane) : 0;
	struct port *port;

	if (by > 1 || part > READING_PLANES)
		return NULL;
	if (!is_switch(r->node))
		return number == (by ? r->end->number : 1u) &&
				       (!part || r->node->device->speed == TOPOLOGY_XDR) ?
			       r->end :
			       NULL;
	if (!by)
		number = device_ib_port(r->node, number);
	if (!number || number > r->node->nports)
		return NULL;
	port = node_port(r->f, r->node, number);
	return part && !(port_rates(port).speeds_supported & TOPOLOGY_XDR) ? NULL : port;
}

void reading_put_text(struct reading *r, uint64_t field, const char *text, char pad)
{
	const size_t bytes = at_width(field) / 8, n = strnlen(text, bytes);
	uint8_t *to = r->data + field_at(field);

	memcpy(to, text, n);
	memset(to + n, pad, bytes - n);
}

unsigned int reading_widths(unsigned int widths)
{
	/* in the order of the bits of registers */
	static const uint8_t bits[] = { TOPOLOGY_1X, TOPOLOGY_2X, TOPOLOGY_4X, TOPOLOGY_8X, TOPOLOGY_12X };
	unsigned int mask = 0;

	for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
		mask |= widths & bits[i] ? 1u << i : 0;
	return mask;
}
