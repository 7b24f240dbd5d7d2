/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sweep/link.h"
#include "topology/topology.h"
#include "wire/access.h"

/* The capabilities of a switch are those of its port 0. If that has not answered, the speeds are believed: bits that
 * are reserved should be 0. */
static unsigned int link_known(const struct madkit_sweep_node *node, const struct madkit_sweep_port *port)
{
	const struct madkit_sweep_port *base = node->type == TOPOLOGY_SWITCH ? &node->ports[0] : port;
	unsigned int known = PORT_INFO_EXTENDED | PORT_INFO_EXTENDED2;
	uint64_t mask, mask2;

	if (base->state == MADKIT_SWEEP_ANSWERED) {
		mask = field_get(MADKIT_PORT_INFO_CAP_MASK, base->info);
		mask2 = mask & MADKIT_CAP_MASK_IS_CAPABILITY_MASK2_SUPPORTED ?
				field_get(MADKIT_PORT_INFO_CAPABILITY_MASK2, base->info) :
				0;
		known = (mask & MADKIT_CAP_MASK_IS_EXTENDED_SPEEDS_SUPPORTED ? PORT_INFO_EXTENDED : 0) |
			(mask2 & MADKIT_CAP_MASK2_IS_EXTENDED_SPEEDS2_SUPPORTED ? PORT_INFO_EXTENDED2 : 0);
	}
	if (port->fdr10 & MADKIT_SWEEP_FDR10_ACTIVE)
		known |= PORT_INFO_FDR10_ACTIVE;
	if (port->fdr10 & MADKIT_SWEEP_FDR10_ENABLED)
		known |= PORT_INFO_FDR10_ENABLED;
	if (port->fdr10 & MADKIT_SWEEP_FDR10_SUPPORTED)
		known |= PORT_INFO_FDR10_SUPPORTED;
	return known;
}

void link_rates_get(const struct madkit_sweep_node *node, unsigned int port, struct link_rates *rates)
{
	const struct madkit_sweep_port *p = &node->ports[port];

	*rates = (struct link_rates){ 0 };
	if (p->state == MADKIT_SWEEP_ANSWERED && (port || node->type != TOPOLOGY_SWITCH))
		port_info_rates(p->info, link_known(node, p), rates);
}

/* ---- limits -------------------------------------------------------------------------- */

/* The width, or the speed, of a link. */
struct link_rate {
	unsigned int (*best)(unsigned int mask);
	unsigned int active; /* 0: unknown */
	/* of the port and of its peer; enabled 0: unknown */
	unsigned int enabled, peer_enabled, supported, peer_supported;
};

/* Returns bits such as MADKIT_SWEEP_LINK_SLOW. */
static uint32_t link_judge_rate(const struct link_rate *r, uint32_t *best, uint32_t *best_enabled)
{
	const unsigned int both = r->supported & r->peer_supported;
	const unsigned int own = r->enabled ? r->enabled & both : both;
	const unsigned int far = r->peer_enabled ? r->peer_enabled & both : both;
	uint32_t limits = 0;

	*best = r->best(both);
	*best_enabled = r->best(own & far);
	if (r->best(own) != *best)
		limits |= MADKIT_SWEEP_LINK_MISCONFIGURED;
	if (!r->active)
		return limits;
	if (r->best(far) != *best && r->best(r->active | *best) != r->active)
		limits |= MADKIT_SWEEP_LINK_LIMITED;
	if (r->best(r->active | *best_enabled) != r->active)
		limits |= MADKIT_SWEEP_LINK_SLOW;
	return limits;
}

void link_judge(const struct link_rates *port, const struct link_rates *peer, struct madkit_sweep_link *link)
{
	const struct link_rate width = { topology_best_width,    port->width,
					 port->widths_enabled,   peer->widths_enabled,
					 port->widths_supported, peer->widths_supported };
	const struct link_rate speed = { topology_best_speed,    port->speed,
					 port->speeds_enabled,   peer->speeds_enabled,
					 port->speeds_supported, peer->speeds_supported };

	link->limits = link_judge_rate(&width, &link->width_best, &link->width_enabled) |
		       link_judge_rate(&speed, &link->speed_best, &link->speed_enabled);
}
