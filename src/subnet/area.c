/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "area.h"

/* ---- unread data --------------------------------------------------------------- */

static bool area_is_missing(uint8_t state)
{
	return state == MADKIT_SWEEP_SILENT || state == MADKIT_SWEEP_REFUSED;
}

static bool area_port_is_partial(const struct madkit_sweep_port *p)
{
	/* a node that refuses the other requests does not have these attributes */
	return area_is_missing(p->state) || p->wide == MADKIT_SWEEP_SILENT ||
	       p->extended == MADKIT_SWEEP_SILENT;
}

/* Checks if a node responds, but not to all requests. */
static bool area_is_partial(const struct madkit_sweep_node *n)
{
	if (n->state != MADKIT_SWEEP_ANSWERED)
		return false;
	if (area_is_missing(n->described) || area_is_missing(n->switched) ||
	    n->adaptive == MADKIT_SWEEP_SILENT)
		return true;
	for (unsigned int port = 0; port <= n->nports; port++)
		if (area_port_is_partial(&n->ports[port]))
			return true;
	return false;
}

bool area_may_miss(const struct madkit_sweep *s)
{
	struct madkit_sweep_counts counts;

	madkit_sweep_count(s, &counts);
	if (counts.missing || counts.silent)
		return true;
	for (uint32_t i = 0; i < counts.nodes; i++) {
		const struct madkit_sweep_node *n = madkit_sweep_node(s, i);

		if (area_is_partial(n))
			return true;
		for (unsigned int port = 0; port <= n->nports; port++)
			if (n->ports[port].far == MADKIT_SWEEP_REFUSED)
				return true;
	}
	return false;
}

/* ---- distance ---------------------------------------------------------------------- */

bool area_has(const struct area *area, uint32_t node)
{
	return !area->near || area->near[node] <= area->limit;
}

static bool area_has_peer(const struct area *area, const struct madkit_sweep_port *p)
{
	return p->peer != MADKIT_SWEEP_NONE && area_has(area, p->peer);
}

bool area_is_next(const struct area *area, uint32_t node)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(area->sweep, node);

	for (unsigned int port = 1; port <= n->nports && !area_has(area, node); port++)
		if (area_has_peer(area, &n->ports[port]))
			return true;
	return false;
}

bool area_lacks(const struct area *area, uint32_t node)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(area->sweep, node);

	if (area_has(area, node))
		return area_is_partial(n);
	if (n->state != MADKIT_SWEEP_ANSWERED || !area_is_next(area, node))
		return false;
	/* port 0 of a switch has its LID */
	if (area_is_missing(n->described) || area_port_is_partial(&n->ports[0]))
		return true;
	for (unsigned int port = 1; port <= n->nports; port++)
		if (area_has_peer(area, &n->ports[port]) && area_port_is_partial(&n->ports[port]))
			return true;
	return false;
}
