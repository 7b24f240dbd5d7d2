/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A sweep as a cabling, to be compared with another one. */
#include <errno.h>
#include <string.h>
#include <madkit/compare.h>
#include "sweep/link.h"
#include "sweep/state.h"
#include "topology/cabling.h"
#include "wire/access.h"

/* Returns the node that a sweep before this one has found, or MADKIT_CABLING_NONE. Only CAs are in several subnets. */
static uint32_t cabling_find_earlier(const struct madkit_cabling *c, const struct madkit_sweep_node *n,
				     uint32_t before)
{
	const uint32_t found = n->type == MADKIT_NODE_TYPE_CHANNEL_ADAPTER && n->guid ?
				       cabling_find(c, n->guid) :
				       MADKIT_CABLING_NONE;

	return found < before && n->nports <= cabling_node(c, found)->nports ? found : MADKIT_CABLING_NONE;
}

static int cabling_add_swept(struct madkit_cabling *c, const struct madkit_sweep *s, uint32_t number,
			     uint32_t before, uint32_t *added)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(s, number);
	char name[MADKIT_SWEEP_INFO_BYTES + 1] = "";
	struct madkit_buf label;
	struct madkit_cabling_node node = {
		.guid = n->guid,
		.system_guid = n->system_guid,
		.name = madkit_sweep_name(s, n),
		.type = n->type,
		.nports = n->nports,
		.counted = true,
	};
	int ret;

	*added = cabling_find_earlier(c, n, before);
	if (*added != MADKIT_CABLING_NONE)
		return 0;
	if (!node.name && n->described == MADKIT_SWEEP_ANSWERED) {
		memcpy(name, n->description, sizeof(n->description));
		node.name = name;
	}
	madkit_buf_init(&label, 0);
	madkit_sweep_put_place(s, &label, number, -1);
	madkit_buf_char(&label, 0);
	node.label = label.data;
	ret = label.error ? -ENOMEM : madkit_cabling_add_node(c, &node, MADKIT_CABLING_UNKNOWN, added);
	madkit_buf_free(&label);
	return ret;
}

/* Returns the state of a port without a known neighbour. */
static uint8_t cabling_state(const struct madkit_sweep_port *p)
{
	if (p->state != MADKIT_SWEEP_ANSWERED ||
	    field_get(MADKIT_PORT_INFO_LINK_STATE, p->info) >= MADKIT_PORT_STATE_INITIALIZE)
		return MADKIT_CABLING_UNKNOWN;
	return MADKIT_CABLING_DOWN;
}

static void cabling_set_swept(struct madkit_cabling *c, const struct madkit_sweep *s, uint32_t number,
			      unsigned int port, uint32_t node)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(s, number);
	const struct madkit_sweep_port *p = &n->ports[port];
	const bool switched = n->type == MADKIT_NODE_TYPE_SWITCH;
	struct madkit_cabling_port out = { .guid = p->guid, .state = cabling_state(p) };
	struct madkit_sweep_rates rates;
	struct madkit_sweep_lids lids;

	/* port 0 of a switch has no link */
	if (!port && switched)
		out.state = MADKIT_CABLING_DOWN;
	if (p->state == MADKIT_SWEEP_ANSWERED)
		out.phys = (uint8_t)field_get(MADKIT_PORT_INFO_PHYS_LINK_STATE, p->info);
	if (port || !switched) {
		madkit_sweep_rates_get(s, number, port, &rates);
		out.width = (uint8_t)rates.width;
		out.speed = (uint16_t)rates.speed;
	}
	/* a switch has its LID at port 0 */
	if (!port == switched) {
		madkit_sweep_lids(s, number, port, &lids);
		out.lid = lids.base;
	}
	madkit_cabling_set_port(c, (struct madkit_cabling_end){ node, (int)port }, &out);
	if (p->state == MADKIT_SWEEP_ANSWERED && (port || switched) && !c->prefix)
		madkit_cabling_set_prefix(c, field_get(MADKIT_PORT_INFO_GID_PREFIX, p->info));
}

int madkit_cabling_add_sweep(struct madkit_cabling *c, const struct madkit_sweep *s, uint32_t *nodes)
{
	const uint32_t before = c->nnodes;
	int ret = 0;

	for (uint32_t i = 0; i < s->nnodes && !ret; i++)
		ret = cabling_add_swept(c, s, i, before, &nodes[i]);
	for (uint32_t i = 0; i < s->nnodes && !ret; i++) {
		const struct madkit_sweep_node *n = madkit_sweep_node(s, i);

		for (unsigned int port = 0; port <= n->nports; port++)
			if (madkit_sweep_has_port(s, i, port) || n->ports[port].peer != MADKIT_SWEEP_NONE ||
			    (!port && n->type == MADKIT_NODE_TYPE_SWITCH))
				cabling_set_swept(c, s, i, port, nodes[i]);
	}
	for (uint32_t i = 0; i < s->nnodes && !ret; i++) {
		const struct madkit_sweep_node *n = madkit_sweep_node(s, i);

		/* ends that contradict each other are a problem of the rule half */
		for (unsigned int port = 0; port <= n->nports; port++)
			if (n->ports[port].peer != MADKIT_SWEEP_NONE)
				madkit_cabling_add_link(c, (struct madkit_cabling_end){ nodes[i], (int)port },
							(struct madkit_cabling_end){
								nodes[n->ports[port].peer],
								n->ports[port].peer_port });
	}
	return ret;
}
