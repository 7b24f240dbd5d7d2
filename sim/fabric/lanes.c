/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdlib.h>
#include "sim/fabric/lanes.h"
#include "util/array_size.h"

/* Returns the number of data VLs, from PortInfo.OperationalVLs. */
static unsigned int lanes_count(const struct port *port)
{
	static const uint8_t counts[] = { FABRIC_VLS, 1, 2, 4, 8, FABRIC_VLS };
	uint64_t code = field_get(MADKIT_PORT_INFO_OPER_VLS, port->info);

	return counts[code < ARRAY_SIZE(counts) ? code : 0];
}

uint8_t *fabric_lanes(struct node *node, unsigned int in, unsigned int out)
{
	const size_t ports = node->nports + 1u, maps = is_switch(node) ? ports * ports : ports;

	if (!node->sl2vl) {
		node->sl2vl = malloc(maps * FABRIC_LANES_BYTES);
		for (size_t i = 0; node->sl2vl && i < maps; i++)
			lanes_put_first(node->sl2vl + i * FABRIC_LANES_BYTES);
	}
	return lanes_map(node, in, out);
}

bool lanes_has_none(const struct node *node, const struct port *in, const struct port *out,
		    const struct packet *p)
{
	const uint8_t *map = lanes_map(node, is_switch(node) ? in->number : 0, out->number);
	unsigned int vl =
		map ? (unsigned int)element_get(MADKIT_SL_TO_VL_MAPPING_TABLE_SL_TO_VL, p->head.sl, map) :
		      lanes_first(p->head.sl);

	return vl >= lanes_count(out);
}
