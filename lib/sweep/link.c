/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sweep/link.h"
#include "topology/topology.h"
#include "wire/access.h"

/* Returns the port that shows the capabilities of a port: port 0 of a switch, otherwise the port itself. */
static const struct madkit_sweep_port *link_base(const struct madkit_sweep_node *node,
						 const struct madkit_sweep_port *port)
{
	return node->type == TOPOLOGY_SWITCH ? &node->ports[0] : port;
}

static bool link_is_end(const struct madkit_sweep_node *node, unsigned int port)
{
	return node->ports[port].state == MADKIT_SWEEP_ANSWERED && (port || node->type != TOPOLOGY_SWITCH);
}

/* Checks if FDR10, which only MLNXExtendedPortInfo shows, could change a speed of the port. If the link is up
 * at a speed that is not extended: the active speed, or the best of both ends. Otherwise: the best that the
 * port enables or supports. */
static bool link_may_have_fdr10(const struct madkit_sweep_node *node, const struct madkit_sweep_port *port)
{
	struct link_rates rates;

	if (node->vendor != MADKIT_OUI_MELLANOX)
		return false;
	if (field_get(MADKIT_PORT_INFO_LINK_STATE, port->info) >= MADKIT_PORT_STATE_INITIALIZE)
		return true;
	port_info_rates(port->info, PORT_INFO_EXTENDED | PORT_INFO_EXTENDED2, &rates);
	return topology_best_speed(rates.speeds_enabled) == TOPOLOGY_QDR ||
	       topology_best_speed(rates.speeds_supported) == TOPOLOGY_QDR;
}

bool link_is_extended(const uint8_t *info)
{
	return field_get(MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE, info) ||
	       field_get(MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE2, info);
}

unsigned int link_needs(const struct madkit_sweep_node *node, unsigned int port)
{
	const struct madkit_sweep_port *p = &node->ports[port], *base = link_base(node, p);
	unsigned int needs = 0;

	if (!link_is_end(node, port) || link_is_extended(p->info))
		return 0;
	if (link_may_have_fdr10(node, p))
		needs |= LINK_NEEDS_EXTENDED;
	if (field_get(MADKIT_PORT_INFO_LINK_STATE, p->info) < MADKIT_PORT_STATE_INITIALIZE)
		return needs;
	if (base->state != MADKIT_SWEEP_ANSWERED)
		needs |= LINK_NEEDS_BASE;
	else if (field_get(MADKIT_PORT_INFO_CAP_MASK, base->info) &
		 MADKIT_CAP_MASK_IS_EXTENDED_SPEEDS_SUPPORTED)
		needs |= LINK_NEEDS_WIDE;
	return needs;
}

/* A port that refuses a request does not support the attribute. */
static bool link_is_settled(uint8_t state)
{
	return state == MADKIT_SWEEP_ANSWERED || state == MADKIT_SWEEP_REFUSED;
}

static bool link_speeds_are_known(const struct madkit_sweep_node *node, unsigned int port)
{
	const unsigned int needs = link_needs(node, port);
	const struct madkit_sweep_port *p = &node->ports[port];

	return !(needs & LINK_NEEDS_BASE) && (!(needs & LINK_NEEDS_WIDE) || link_is_settled(p->wide)) &&
	       (!(needs & LINK_NEEDS_EXTENDED) || link_is_settled(p->extended));
}

/* Returns PORT_INFO_ bits for what the port's own PortInfo does not show. If port 0 of a switch has not
 * responded, extended speeds are believed: reserved bits should be 0. */
static unsigned int link_known(const struct madkit_sweep_node *node, const struct madkit_sweep_port *port)
{
	const struct madkit_sweep_port *base = link_base(node, port);
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
	if (!link_is_end(node, port))
		return;
	port_info_rates(p->info, link_known(node, p), rates);
	if (!link_speeds_are_known(node, port))
		rates->speed = rates->speeds_enabled = rates->speeds_supported = 0;
}

/* ---- limits -------------------------------------------------------------------------- */

/* The width or the speed of a link. */
struct link_rate {
	unsigned int (*best)(unsigned int mask);
	unsigned int active, peer_active; /* 0: unknown */
	/* of the port and of its peer; enabled is 0 if unknown */
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
	if (r->peer_active && r->peer_active != r->active)
		limits |= MADKIT_SWEEP_LINK_DIFFERS;
	if (r->best(far) != *best && r->best(r->active | *best) != r->active)
		limits |= MADKIT_SWEEP_LINK_LIMITED;
	if (r->best(r->active | *best_enabled) != r->active)
		limits |= MADKIT_SWEEP_LINK_SLOW;
	return limits;
}

void link_judge(const struct link_rates *port, const struct link_rates *peer, struct madkit_sweep_link *link)
{
	const struct link_rate width = { topology_best_width,   port->width,          peer->width,
					 port->widths_enabled,  peer->widths_enabled, port->widths_supported,
					 peer->widths_supported };
	const struct link_rate speed = { topology_best_speed,   port->speed,          peer->speed,
					 port->speeds_enabled,  peer->speeds_enabled, port->speeds_supported,
					 peer->speeds_supported };

	link->limits = link_judge_rate(&width, &link->width_best, &link->width_enabled) |
		       link_judge_rate(&speed, &link->speed_best, &link->speed_enabled);
}
