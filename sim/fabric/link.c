/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Links: the rates that their ends support, enable and have, and how they go down and come up. */
#include <errno.h>
#include "sim/fabric/counters.h"
#include "sim/fabric/internal.h"
#include "sim/fabric/trap.h"
#include "util/array_size.h"

/* ---- rates of a port --------------------------------------------------------------------- */

void port_set_active(struct port *port, unsigned int width, unsigned int speed)
{
	field_put(MADKIT_PORT_INFO_LINK_WIDTH_ACTIVE, port->info, width);
	/* With FDR10 or an extended speed, LinkSpeedActive has its highest value. */
	field_put(MADKIT_PORT_INFO_LINK_SPEED_ACTIVE, port->info,
		  speed > TOPOLOGY_QDR ? TOPOLOGY_QDR : speed);
	field_put(MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE, port->info, speed >> 4 & 0xf);
	field_put(MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE2, port->info, speed >> 8);
	port->fdr10_active = speed == TOPOLOGY_FDR10;
}

static unsigned int port_known(const struct port *port)
{
	return PORT_INFO_EXTENDED | PORT_INFO_EXTENDED2 |
	       (port->fdr10_supported ? PORT_INFO_FDR10_SUPPORTED : 0) |
	       (port->fdr10_enabled ? PORT_INFO_FDR10_ENABLED : 0) |
	       (port->fdr10_active ? PORT_INFO_FDR10_ACTIVE : 0);
}

unsigned int port_speed(const struct port *port)
{
	return port_info_speed(port->info, port_known(port));
}

struct link_rates port_rates(const struct port *port)
{
	struct link_rates rates;

	port_info_rates(port->info, port_known(port), &rates);
	return rates;
}

void port_put_rates(const struct fabric *f, struct port *port, const struct link_rates *rates)
{
	const struct {
		uint64_t field;
		unsigned int value;
	} values[] = {
		{ MADKIT_PORT_INFO_LINK_WIDTH_SUPPORTED, rates->widths_supported },
		{ MADKIT_PORT_INFO_LINK_WIDTH_ENABLED, rates->widths_enabled },
		{ MADKIT_PORT_INFO_LINK_SPEED_SUPPORTED, rates->speeds_supported & 7 },
		{ MADKIT_PORT_INFO_LINK_SPEED_ENABLED, rates->speeds_enabled & 7 },
		{ MADKIT_PORT_INFO_LINK_SPEED_EXT_SUPPORTED, rates->speeds_supported >> 4 & 0xf },
		{ MADKIT_PORT_INFO_LINK_SPEED_EXT_ENABLED, rates->speeds_enabled >> 4 & 0xf },
		{ MADKIT_PORT_INFO_LINK_SPEED_EXT_SUPPORTED2, rates->speeds_supported >> 8 },
		{ MADKIT_PORT_INFO_LINK_SPEED_EXT_ENABLED2, rates->speeds_enabled >> 8 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		field_put(values[i].field, port->info, values[i].value);
	port->fdr10_supported = node_is_mellanox(&f->nodes[port->node]) &&
				(rates->speeds_supported & TOPOLOGY_FDR10);
	port->fdr10_enabled = port->fdr10_supported && (rates->speeds_enabled & TOPOLOGY_FDR10);
}

void port_announce_rates(struct fabric *f, struct port *end)
{
	const struct node *node = &f->nodes[end->node];
	uint64_t mask = node_has_rsfec(f, node) ? MADKIT_CAP_MASK2_IS_PORT_INFO_EXTENDED_SUPPORTED : 0;
	unsigned int widths = 0, rates = 0;

	for (unsigned int n = end->number; n <= (is_switch(node) ? node->nports : end->number); n++) {
		const struct port *port = node_port(f, node, n);

		widths |= (unsigned int)field_get(MADKIT_PORT_INFO_LINK_WIDTH_SUPPORTED, port->info);
		rates |= port_rates(port).speeds_supported;
	}
	mask |= widths & TOPOLOGY_2X ? MADKIT_CAP_MASK2_IS_LINK_WIDTH2X_SUPPORTED : 0;
	mask |= rates & TOPOLOGY_HDR ? MADKIT_CAP_MASK2_IS_LINK_SPEED_HDR_SUPPORTED : 0;
	mask |= rates & TOPOLOGY_NDR ? MADKIT_CAP_MASK2_IS_LINK_SPEED_NDR_SUPPORTED : 0;
	mask |= rates & TOPOLOGY_XDR ? MADKIT_CAP_MASK2_IS_EXTENDED_SPEEDS2_SUPPORTED |
					       MADKIT_CAP_MASK2_IS_LINK_SPEED_XDR_SUPPORTED :
				       0;
	if (!mask && !field_get(MADKIT_PORT_INFO_CAPABILITY_MASK2, end->info))
		return;
	field_put(MADKIT_PORT_INFO_CAP_MASK, end->info,
		  field_get(MADKIT_PORT_INFO_CAP_MASK, end->info) |
			  MADKIT_CAP_MASK_IS_CAPABILITY_MASK2_SUPPORTED);
	field_put(MADKIT_PORT_INFO_CAPABILITY_MASK2, end->info, mask);
}

/* ---- training ---------------------------------------------------------------------------- */

static bool link_tries(const struct fabric *f, const struct port *port)
{
	uint64_t phys = field_get(MADKIT_PORT_INFO_PHYS_LINK_STATE, port->info);

	return !port->unplugged && !f->nodes[port->node].off && phys != PHYS_DISABLED && phys != PHYS_SLEEP;
}

void port_tell_state(struct fabric *f, const struct port *port, unsigned int was)
{
	unsigned int state = (unsigned int)field_get(MADKIT_PORT_INFO_LINK_STATE, port->info);
	const struct sim_event event = {
		.kind = EVENT_PORT_STATE,
		.node = port->node,
		.port = port->number,
		.state = (uint8_t)state,
		.was = (uint8_t)was,
	};

	if (state != was)
		fabric_report(f, &event);
}

void port_change_state(struct fabric *f, struct port *port, unsigned int state, unsigned int phys,
		       const struct port *by)
{
	struct node *node = &f->nodes[port->node];
	unsigned int was = (unsigned int)field_get(MADKIT_PORT_INFO_LINK_STATE, port->info);

	field_put(MADKIT_PORT_INFO_LINK_STATE, port->info, state);
	field_put(MADKIT_PORT_INFO_PHYS_LINK_STATE, port->info, phys);
	port_tell_state(f, port, was);
	if (state == PORT_DOWN && port->counters)
		counters_end_traffic(f, port);
	if (was != state && is_switch(node) && port != by) {
		field_put(MADKIT_SWITCH_INFO_STATE_CHANGE, node->switch_info, 1);
		trap_link_state(f, node_port(f, node, 0));
	}
}

/* Takes a port down. It polls, unless it was set to Sleep or Disabled. */
static void port_go_down(struct fabric *f, struct port *port, const struct port *by)
{
	uint64_t phys = field_get(MADKIT_PORT_INFO_PHYS_LINK_STATE, port->info);

	port_change_state(f, port, PORT_DOWN,
			  phys == PHYS_DISABLED || phys == PHYS_SLEEP ? (unsigned int)phys : PHYS_POLLING,
			  by);
}

/* Gets the best rate that both ends enable and the degradation of the link allows; 0: there is none. */
static struct fabric_rate link_best(const struct port *port, const struct port *peer)
{
	const struct link_rates a = port_rates(port), b = port_rates(peer);

	return (struct fabric_rate){
		.width = (uint8_t)topology_best_width(
			topology_limit_widths(a.widths_enabled & b.widths_enabled, port->width)),
		.speed = (uint16_t)topology_best_speed(
			topology_limit_speeds(a.speeds_enabled & b.speeds_enabled, port->speed)),
	};
}

/* Reports the rate of a link, or the one that fabric_set_end() has set, at an end. */
static void port_show_rate(struct port *port, struct fabric_rate rate)
{
	if (port->shows.width)
		rate = port->shows;
	port_set_active(port, rate.width, rate.speed);
}

/* Brings a link up if both ends, which are down, allow it. */
static void link_up(struct fabric *f, struct port *port, struct port *peer)
{
	const struct fabric_rate rate = link_best(port, peer);

	if (!link_tries(f, port) || !link_tries(f, peer) || !rate.width || !rate.speed)
		return;
	for (int i = 0; i < 2; i++, port = peer) {
		port_show_rate(port, rate);
		port->up_at = f->now;
		/* The link causes this change, even if a Set of PortInfo allowed it to train (IBA 14.2.5.4,
		 * PortStateChange). */
		port_change_state(f, port, PORT_INIT, PHYS_LINK_UP, NULL);
	}
}

/* Queues a timer at a port, of the kind what (PACKET_...). Returns NULL if out of memory. */
static struct packet *link_timer(struct fabric *f, const struct port *port, uint8_t what, uint64_t due)
{
	struct packet *p =
		packet_new(f, &(struct fabric_head){ .dlid = 0 }, (const uint8_t[MADKIT_MAD_BYTES]){ 0 });

	if (!p)
		return NULL;
	p->trap = what;
	p->leaves = true;
	p->port = (uint32_t)(port - f->ports);
	packet_queue(f, p, due);
	return p;
}

/* Begins the training of the link. Returns false if it does not train, or if out of memory. */
static bool link_begin_training(struct fabric *f, struct port *port, struct port *peer)
{
	uint64_t due = f->now + f->options.training_ns;

	if (!f->options.training_ns || !link_tries(f, port) || !link_tries(f, peer) ||
	    !link_timer(f, port, PACKET_TRAINING, due))
		return false;
	field_put(MADKIT_PORT_INFO_PHYS_LINK_STATE, port->info, PHYS_TRAINING);
	field_put(MADKIT_PORT_INFO_PHYS_LINK_STATE, peer->info, PHYS_TRAINING);
	port->trained_at = due;
	return true;
}

/* A port counts a link that it cannot recover (IBA, LinkDownedCounter), but not a link that a Set of PortInfo
 * took down. Some devices also count the latter: qib_7322_ib_updown() adds a lost link that the device has
 * not counted. */
static void link_downed(struct port *port, const struct port *by)
{
	if (port != by)
		pma_count(port, PMA_LINK_DOWNED, 1);
}

void link_train(struct fabric *f, struct port *port, const struct port *by)
{
	struct port *peer = port->peer == TOPOLOGY_NONE ? NULL : &f->ports[port->peer];

	if (peer && field_get(MADKIT_PORT_INFO_LINK_STATE, port->info) != PORT_DOWN) {
		link_downed(port, by);
		link_downed(peer, by);
		loss_note(f, port, peer, by);
	}
	port_go_down(f, port, by);
	if (!peer)
		return;
	port_go_down(f, peer, by);
	port->trained_at = peer->trained_at = 0;
	if (!link_begin_training(f, port, peer))
		link_up(f, port, peer);
}

void link_trained(struct fabric *f, struct port *port)
{
	if (port->trained_at != f->now)
		return;
	port->trained_at = 0;
	link_up(f, port, &f->ports[port->peer]);
}

/* ---- cables ------------------------------------------------------------------------------ */

/* Returns the port at the end of a cable, or NULL if there is none. */
static struct port *link_port_at(struct fabric *f, uint32_t node, unsigned int number)
{
	struct port *port;

	if (node >= f->nnodes || !number || number > f->nodes[node].nports)
		return NULL;
	port = node_port(f, &f->nodes[node], number);
	return port->peer == TOPOLOGY_NONE ? NULL : port;
}

static void link_plug(struct fabric *f, struct port *port, bool plugged)
{
	if (port->unplugged == !plugged)
		return;
	port->unplugged = f->ports[port->peer].unplugged = !plugged;
	link_train(f, port, NULL);
}

int fabric_cable(struct fabric *f, uint32_t node, unsigned int number, bool plugged)
{
	struct port *port = link_port_at(f, node, number);

	if (!port)
		return -EINVAL;
	port->flaps_at = f->ports[port->peer].flaps_at = 0;
	link_plug(f, port, plugged);
	return 0;
}

int fabric_flap(struct fabric *f, uint32_t node, unsigned int number, uint64_t ns)
{
	struct port *port = link_port_at(f, node, number);

	if (!port)
		return -EINVAL;
	if (!link_timer(f, port, PACKET_FLAP, f->now + ns))
		return -ENOMEM;
	f->ports[port->peer].flaps_at = 0;
	port->flaps_at = f->now + ns;
	port->flap_ns = ns;
	link_plug(f, port, false);
	return 0;
}

bool link_flaps(struct fabric *f, struct port *port)
{
	if (port->flaps_at != f->now)
		return false;
	port->flaps_at = (f->present > f->now ? f->present : f->now) + port->flap_ns;
	link_plug(f, port, port->unplugged);
	return true;
}

/* ---- rates of a link --------------------------------------------------------------------- */

int fabric_link_supports(struct fabric *f, uint32_t node, unsigned int number, struct fabric_rate *rate)
{
	const struct port *port = link_port_at(f, node, number), *peer;

	if (!port)
		return -EINVAL;
	peer = &f->ports[port->peer];
	rate->width = (uint8_t)(field_get(MADKIT_PORT_INFO_LINK_WIDTH_SUPPORTED, port->info) &
				field_get(MADKIT_PORT_INFO_LINK_WIDTH_SUPPORTED, peer->info));
	rate->speed = (uint16_t)(port_rates(port).speeds_supported & port_rates(peer).speeds_supported);
	rate->mtu = LINK_MTU_CAP;
	return 0;
}

/* Limits one end of a link. Returns true if that changed anything. */
static bool port_degrade(struct port *port, unsigned int width, unsigned int speed, unsigned int mtu)
{
	bool changed = port->width != width || port->speed != speed ||
		       field_get(MADKIT_PORT_INFO_MTU_CAP, port->info) != mtu;

	port->width = (uint8_t)width;
	port->speed = (uint16_t)speed;
	field_put(MADKIT_PORT_INFO_MTU_CAP, port->info, mtu);
	if (field_get(MADKIT_PORT_INFO_NEIGHBOR_MTU, port->info) > mtu)
		field_put(MADKIT_PORT_INFO_NEIGHBOR_MTU, port->info, mtu);
	return changed;
}

int fabric_degrade(struct fabric *f, uint32_t node, unsigned int number, const struct fabric_rate *rate)
{
	struct port *port = link_port_at(f, node, number);
	unsigned int width, speed, mtu;
	struct fabric_rate can;
	bool changed;

	if (fabric_link_supports(f, node, number, &can) || (rate->width & ~can.width) ||
	    (rate->speed & ~can.speed) || rate->mtu > can.mtu)
		return -EINVAL;
	width = rate->width ? rate->width : port->width;
	if (width == topology_best_width(can.width))
		width = 0;
	speed = rate->speed ? rate->speed : port->speed;
	if (speed == topology_best_speed(can.speed))
		speed = 0;
	mtu = rate->mtu ? rate->mtu : (unsigned int)field_get(MADKIT_PORT_INFO_MTU_CAP, port->info);
	changed = port_degrade(port, width, speed, mtu);
	changed |= port_degrade(&f->ports[port->peer], width, speed, mtu);
	/* The rate only changes by training: the link fails and comes up again. */
	if (changed)
		link_train(f, port, NULL);
	return 0;
}

static void port_enable_all(struct port *port)
{
	static const uint64_t fields[][2] = {
		{ MADKIT_PORT_INFO_LINK_WIDTH_ENABLED, MADKIT_PORT_INFO_LINK_WIDTH_SUPPORTED },
		{ MADKIT_PORT_INFO_LINK_SPEED_ENABLED, MADKIT_PORT_INFO_LINK_SPEED_SUPPORTED },
		{ MADKIT_PORT_INFO_LINK_SPEED_EXT_ENABLED, MADKIT_PORT_INFO_LINK_SPEED_EXT_SUPPORTED },
		{ MADKIT_PORT_INFO_LINK_SPEED_EXT_ENABLED2, MADKIT_PORT_INFO_LINK_SPEED_EXT_SUPPORTED2 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		field_put(fields[i][0], port->info, field_get(fields[i][1], port->info));
	port->fdr10_enabled = port->fdr10_supported;
}

static bool link_is_down(const struct port *port)
{
	return field_get(MADKIT_PORT_INFO_LINK_STATE, port->info) == PORT_DOWN;
}

/* Returns true if the link of a port has this rate or is down. */
static bool link_has(const struct port *port, unsigned int width, unsigned int speed)
{
	return link_is_down(port) || (field_get(MADKIT_PORT_INFO_LINK_WIDTH_ACTIVE, port->info) == width &&
				      port_speed(port) == speed);
}

int fabric_restore(struct fabric *f, uint32_t node, unsigned int number)
{
	struct port *port = link_port_at(f, node, number);
	struct fabric_rate can;
	int ret = fabric_link_supports(f, node, number, &can);

	if (ret)
		return ret;
	for (int i = 0; i < 2; i++) {
		struct port *end = i ? &f->ports[port->peer] : port;

		port_enable_all(end);
		end->shows.width = 0;
	}
	can.width = (uint8_t)topology_best_width(can.width);
	can.speed = (uint16_t)topology_best_speed(can.speed);
	ret = fabric_degrade(f, node, number, &can);
	/* The link was not degraded, but a manager had enabled less, or an end reported another rate. */
	if (!ret &&
	    !(link_has(port, can.width, can.speed) && link_has(&f->ports[port->peer], can.width, can.speed)))
		link_train(f, port, NULL);
	return ret;
}

/* Applies what a port supports and enables. Returns as fabric_set_end(). */
static int port_take_rates(struct fabric *f, struct port *port, const struct fabric_end *end)
{
	struct link_rates rates = port_rates(port);

	if (end->supported.width) {
		rates.widths_supported = topology_widths_up_to(end->supported.width, end->supported.speed);
		rates.speeds_supported = topology_speeds_up_to(end->supported.speed);
		if (!node_is_mellanox(&f->nodes[port->node]))
			rates.speeds_supported &= ~(unsigned int)TOPOLOGY_FDR10;
		rates.widths_enabled = rates.widths_supported;
		rates.speeds_enabled = rates.speeds_supported;
	}
	if (end->supported.speed & ~rates.speeds_supported)
		return -ENOTSUP;
	if ((end->enabled.width & ~rates.widths_supported) || (end->enabled.speed & ~rates.speeds_supported))
		return -ERANGE;
	if (end->enabled.width) {
		rates.widths_enabled = topology_limit_widths(rates.widths_supported, end->enabled.width);
		rates.speeds_enabled = topology_limit_speeds(rates.speeds_supported, end->enabled.speed);
	}
	port_put_rates(f, port, &rates);
	port_announce_rates(f, end_port_of(f, port));
	return 0;
}

int fabric_set_end(struct fabric *f, uint32_t node, unsigned int number, const struct fabric_end *end)
{
	struct port *port = link_port_at(f, node, number), *peer;
	struct fabric_rate before, after;
	int ret;

	if (!port)
		return -EINVAL;
	peer = &f->ports[port->peer];
	before = link_best(port, peer);
	ret = port_take_rates(f, port, end);
	if (ret)
		return ret;
	after = link_best(port, peer);
	if (end->shows.width)
		port->shows = end->shows;
	if (port->shows.width == after.width && port->shows.speed == after.speed)
		port->shows.width = 0;
	if (before.width != after.width || before.speed != after.speed)
		link_train(f, port, NULL);
	else if (end->shows.width && !link_is_down(port))
		port_show_rate(port, after);
	return 0;
}
