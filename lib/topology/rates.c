/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Derives the widths and speeds that the ports of a dump support. A dump contains only the rates of links, and a port
 * supports the best of the links of its node that are of its kind. If a link is at 1x or at SDR, to which a link with
 * bad lanes or signals falls back, the best link of all nodes with the same vendor and device counts, because an
 * adapter often has no other link.
 */
#include <stdlib.h>
#include "topology/text.h"

/* The kinds of ports, which differ in what they support. */
enum rates_kind {
	RATES_PLAIN,
	RATES_SPLIT, /* one of two into which the cage of a switch is split: has two lanes */
	RATES_PLANE, /* one of the planes of an XDR port: has one lane */
	RATES_KINDS
};

/* The best rates of a set of links, one bit each; 0: unknown. */
struct best {
	uint16_t speed[RATES_KINDS];
	uint8_t width[RATES_KINDS];
	uint8_t xdr; /* width at XDR, of a model */
};

struct rates {
	const struct topology *t;
	struct best *nodes;  /* by node */
	struct best *models; /* by the first node of a vendor and device */
	uint32_t *model;     /* by node: the first node of its vendor and device */
	struct table table;  /* first nodes, by vendor and device */
};

static void best_add(struct best *best, enum rates_kind kind, unsigned int width, unsigned int speed)
{
	best->width[kind] = (uint8_t)topology_best_width(best->width[kind] | width);
	best->speed[kind] = (uint16_t)topology_best_speed(best->speed[kind] | speed);
}

/* A switch splits ports of HDR and faster. One lane at XDR is a plane if no device of this model has more. */
static enum rates_kind rates_kind(const struct rates *rates, uint32_t node, const struct topology_port *port)
{
	const struct best *model = &rates->models[rates->model[node]];

	if (port->width == TOPOLOGY_2X && port->speed >= TOPOLOGY_HDR &&
	    rates->t->nodes[node].type == TOPOLOGY_SWITCH)
		return RATES_SPLIT;
	return port->width == TOPOLOGY_1X && port->speed == TOPOLOGY_XDR && model->xdr == TOPOLOGY_1X ?
		       RATES_PLANE :
		       RATES_PLAIN;
}

static int rates_find_model(struct rates *rates, uint32_t number)
{
	const struct topology_node *node = &rates->t->nodes[number];
	uint64_t hash = table_mix(table_mix(0, node->vendor), node->device);
	size_t step = 0;
	uint32_t first;

	rates->model[number] = number;
	/* vendor 0 is not an identifier */
	if (!node->vendor)
		return 0;
	while (table_next_number(&rates->table, hash, &step, &first))
		if (rates->t->nodes[first].vendor == node->vendor &&
		    rates->t->nodes[first].device == node->device) {
			rates->model[number] = first;
			return 0;
		}
	return table_add_number(&rates->table, hash, number);
}

/* Adds the links of a node: first the width at XDR, on which kinds depend. */
static void rates_add_links(struct rates *rates, uint32_t node, bool xdr)
{
	struct best *own = &rates->nodes[node], *model = &rates->models[rates->model[node]];

	for (unsigned int p = 1; p <= rates->t->nodes[node].nports; p++) {
		const struct topology_port *port = topology_port(rates->t, node, p);
		const enum rates_kind kind = xdr ? RATES_PLAIN : rates_kind(rates, node, port);

		if (xdr && port->speed == TOPOLOGY_XDR)
			model->xdr = (uint8_t)topology_best_width(model->xdr | port->width);
		if (xdr)
			continue;
		best_add(own, kind, port->width, port->speed);
		best_add(model, kind, port->width, port->speed);
	}
}

static int rates_collect(struct rates *rates)
{
	for (uint32_t i = 0; i < rates->t->nnodes; i++) {
		int ret = rates_find_model(rates, i);

		if (ret)
			return ret;
		rates_add_links(rates, i, true);
	}
	for (uint32_t i = 0; i < rates->t->nnodes; i++)
		rates_add_links(rates, i, false);
	return 0;
}

/* Enables the rates that links of a dump show the port to support, instead of the default of the file. w=, s= and e=
 * are exact. */
static void rates_enable(const struct rates *rates, uint32_t node, unsigned int number,
			 const struct said *said)
{
	struct topology_port *port = topology_port(rates->t, node, number);
	const struct best *model = &rates->models[rates->model[node]];
	const enum rates_kind kind = rates_kind(rates, node, port);
	unsigned int width = rates->nodes[node].width[kind], speed = rates->nodes[node].speed[kind];

	/* port 0 has no link, and is as good as the others; so are ports without a link if no link is plain */
	for (unsigned int k = 0;
	     (!number || (kind == RATES_PLAIN && !rates->nodes[node].speed[RATES_PLAIN])) && k < RATES_KINDS;
	     k++) {
		width = topology_best_width(width | rates->nodes[node].width[k]);
		speed = topology_best_speed(speed | rates->nodes[node].speed[k]);
	}
	if (kind == RATES_PLAIN && (port->width == TOPOLOGY_1X || port->speed == TOPOLOGY_SDR)) {
		width = topology_best_width(width | model->width[kind]);
		speed = topology_best_speed(speed | model->speed[kind]);
	}
	if (width && !said->widths)
		port->widths = (uint8_t)topology_widths_up_to(width, speed);
	if (speed && !said->speeds)
		port->speeds = (uint16_t)topology_speeds_up_to(speed);
}

/* Sets the rates that a port supports if these are enabled. For example, 4x alone is a value of
 * LinkWidthEnabled, but not of LinkWidthSupported. */
static void rates_support(struct topology_port *port)
{
	const unsigned int sdr_to_qdr = TOPOLOGY_SDR | TOPOLOGY_DDR | TOPOLOGY_QDR;

	port->widths_supported = (uint8_t)(port->widths | TOPOLOGY_1X |
					   (port->widths & (TOPOLOGY_8X | TOPOLOGY_12X) ? TOPOLOGY_4X : 0));
	port->speeds_supported =
		(uint16_t)(port->speeds | TOPOLOGY_SDR |
			   topology_speeds_up_to(topology_best_speed(port->speeds & sdr_to_qdr)));
}

/* A link at the best rate of its ends is not limited. */
static void rates_release(const struct topology *t, struct topology_port *port)
{
	const struct topology_port *peer;

	if (port->peer == TOPOLOGY_NONE)
		return;
	peer = topology_port(t, port->peer, port->peer_port);
	if (port->width == topology_best_width(port->widths & peer->widths))
		port->width = 0;
	if (port->speed == topology_best_speed(port->speeds & peer->speeds))
		port->speed = 0;
}

static void rates_apply(struct reader *r, const struct rates *rates)
{
	for (uint32_t i = 0; i < r->t->nnodes; i++)
		for (unsigned int p = 0; p <= r->t->nodes[i].nports; p++) {
			struct topology_port *port = topology_port(r->t, i, p);

			rates_enable(rates, i, p, &r->said[r->t->nodes[i].first + p]);
			rates_support(port);
		}
	for (uint32_t i = 0; i < r->t->nports; i++)
		rates_release(r->t, &r->t->ports[i]);
}

int read_rates(struct reader *r)
{
	size_t n = r->t->nnodes;
	struct rates rates = {
		.t = r->t,
		.nodes = calloc(n, sizeof(*rates.nodes)),
		.models = calloc(n, sizeof(*rates.models)),
		.model = calloc(n, sizeof(*rates.model)),
	};
	int ret = rates.nodes && rates.models && rates.model ? rates_collect(&rates) : -1;

	if (!ret)
		rates_apply(r, &rates);
	table_free(&rates.table);
	free(rates.nodes);
	free(rates.models);
	free(rates.model);
	return ret ? read_no_memory(r) : 0;
}
