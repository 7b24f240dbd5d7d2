/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Plans in the format of ibnetdiscover. */
#include <errno.h>
#include "plan/plan_int.h"
#include "topology/topology.h"

static int netlist_add_node(const struct topology *t, uint32_t number, struct madkit_cabling *c)
{
	const struct topology_node *n = &t->nodes[number];
	const struct madkit_cabling_node node = {
		.guid = n->guid,
		.system_guid = n->system_guid,
		.name = n->description,
		.type = n->type,
		.nports = n->nports,
		.counted = true,
	};
	uint32_t added;
	int ret = madkit_cabling_add_node(c, &node, MADKIT_CABLING_DOWN, &added);

	for (unsigned int port = 0; port <= n->nports && !ret; port++) {
		const struct topology_port *p = topology_port(t, number, port);
		const bool up = p->peer != TOPOLOGY_NONE;
		const struct madkit_cabling_port out = {
			.guid = p->guid,
			.state = MADKIT_CABLING_DOWN,
			.width = (uint8_t)(up ? topology_width(t, p) : 0),
			.speed = (uint16_t)(up ? topology_speed(t, p) : 0),
			.lid = p->lid,
		};

		madkit_cabling_set_port(c, (struct madkit_cabling_end){ added, (int)port }, &out);
	}
	return ret;
}

int netlist_read(struct madkit_plan *p, struct madkit_cabling *c, struct madkit_error *error)
{
	struct topology *t = NULL;
	int ret = topology_read(p->text.data ? p->text.data : "", p->text.len, &t, error);

	if (ret)
		return ret;
	for (uint32_t i = 0; i < t->nnodes && !ret; i++)
		ret = netlist_add_node(t, i, c);
	for (uint32_t i = 0; i < t->nnodes && !ret; i++)
		for (unsigned int port = 1; port <= t->nodes[i].nports; port++) {
			const struct topology_port *q = topology_port(t, i, port);

			if (q->peer != TOPOLOGY_NONE)
				madkit_cabling_add_link(c, (struct madkit_cabling_end){ i, (int)port },
							(struct madkit_cabling_end){ q->peer, q->peer_port });
		}
	topology_free(t);
	if (ret)
		madkit_error_set(error, ret, -1, "%s",
				 ret == -E2BIG ? "the plan has too many nodes or ports" :
						 "no memory for the plan");
	return ret;
}
