/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Converts a port of a sweep to a record: the object "port" of JSON Lines. */
#include <string.h>
#include "sweep/identity.h"
#include "sweep/link.h"
#include "topology/topology.h"
#include "wire/access.h"
#include "wire/object.h"
#include "wire/tables/tables.h"

enum { RECORD_MTU_4096 = 5 };

/* The fields of a node and its port, for each end of the link. */
struct record_end {
	uint64_t name, guid, system_guid, device_id, type;
	uint64_t number, port_guid, lid;
};

static const struct record_end record_near = {
	.name = MADKIT_PORT_OBJECT_NODE_NAME,
	.guid = MADKIT_PORT_OBJECT_NODE_GUID,
	.system_guid = MADKIT_PORT_OBJECT_NODE_SYSTEM_GUID,
	.device_id = MADKIT_PORT_OBJECT_NODE_DEVICE_ID,
	.type = MADKIT_PORT_OBJECT_NODE_TYPE,
	.number = MADKIT_PORT_OBJECT_NUMBER,
	.port_guid = MADKIT_PORT_OBJECT_GUID,
	.lid = MADKIT_PORT_OBJECT_LID,
};

static const struct record_end record_far = {
	.name = MADKIT_PORT_OBJECT_PEER_NODE_NAME,
	.guid = MADKIT_PORT_OBJECT_PEER_NODE_GUID,
	.system_guid = MADKIT_PORT_OBJECT_PEER_NODE_SYSTEM_GUID,
	.device_id = MADKIT_PORT_OBJECT_PEER_NODE_DEVICE_ID,
	.type = MADKIT_PORT_OBJECT_PEER_NODE_TYPE,
	.number = MADKIT_PORT_OBJECT_PEER_NUMBER,
	.port_guid = MADKIT_PORT_OBJECT_PEER_GUID,
	.lid = MADKIT_PORT_OBJECT_PEER_LID,
};

const struct madkit_attribute *madkit_sweep_attribute(void)
{
	return &madkit_attribute_port_object;
}

static void record_put(struct madkit_sweep_record *r, uint64_t field, uint64_t value)
{
	const uint32_t width = at_width(field);

	field_put(field, r->data, value);
	field_put(field, r->known, width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX);
}

/* Sets a field, but leaves it null if the value is 0. */
static void record_put_any(struct madkit_sweep_record *r, uint64_t field, uint64_t value)
{
	if (value)
		record_put(r, field, value);
}

static void record_put_text(struct madkit_sweep_record *r, uint64_t field, const char *text, size_t len)
{
	const size_t size = at_width(field) / 8;

	if (len > size)
		len = size;
	memcpy(r->data + field_at(field), text, len);
	memset(r->known + field_at(field), 0xff, size);
}

/* ---- an end of a link ---------------------------------------------------------------- */

static bool record_is_end_port(const struct madkit_sweep_node *n, unsigned int port)
{
	return n->type != MADKIT_NODE_TYPE_SWITCH || !port;
}

static void record_put_name(const struct madkit_sweep *s, struct madkit_sweep_record *r, uint64_t field,
			    const struct madkit_sweep_node *n)
{
	const char *name = madkit_sweep_name(s, n);

	if (name)
		record_put_text(r, field, name, strlen(name));
	else if (n->described == MADKIT_SWEEP_ANSWERED)
		record_put_text(r, field, (const char *)n->description, sizeof(n->description));
}

static void record_put_end(const struct madkit_sweep *s, struct madkit_sweep_record *r,
			   const struct record_end *f, const struct madkit_sweep_node *n, unsigned int port)
{
	/* a switch has its LID at port 0 */
	const struct madkit_sweep_port *own = &n->ports[port];
	const struct madkit_sweep_port *end = record_is_end_port(n, port) ? own : &n->ports[0];
	struct madkit_sweep_lids lids;

	record_put_name(s, r, f->name, n);
	record_put(r, f->guid, n->guid);
	record_put(r, f->system_guid, n->system_guid);
	record_put(r, f->device_id, n->device);
	if (n->type >= MADKIT_NODE_TYPE_CHANNEL_ADAPTER && n->type <= MADKIT_NODE_TYPE_ROUTER)
		record_put(r, f->type, n->type);
	record_put(r, f->number, port);
	if (record_is_end_port(n, port))
		record_put_any(r, f->port_guid, own->guid);
	if (identity_lids(end, &lids))
		record_put(r, f->lid, lids.base);
}

/* ---- the link -------------------------------------------------------------------------- */

uint64_t madkit_sweep_gbps(uint32_t width, uint32_t speed)
{
	uint64_t kbps = 0;

	madkit_value_magnitude(madkit_values_speed, speed, &kbps);
	return (kbps * topology_lanes(width) + 500000) / 1000000;
}

/* Sets everything to 0 if the link is down, or the port at its other end was not read. */
static void record_judge(const struct madkit_sweep *s, const struct madkit_sweep_port *p,
			 const struct link_rates *rates, struct madkit_sweep_link *link)
{
	const struct madkit_sweep_node *peer;
	struct link_rates peer_rates;

	*link = (struct madkit_sweep_link){ .limits = 0 };
	if (p->state != MADKIT_SWEEP_ANSWERED || p->peer == MADKIT_SWEEP_NONE ||
	    field_get(MADKIT_PORT_INFO_LINK_STATE, p->info) < MADKIT_PORT_STATE_INITIALIZE)
		return;
	peer = madkit_sweep_node(s, p->peer);
	if (peer->ports[p->peer_port].state != MADKIT_SWEEP_ANSWERED)
		return;
	link_rates_get(peer, p->peer_port, &peer_rates);
	link_judge(rates, &peer_rates, link);
}

void madkit_sweep_link_get(const struct madkit_sweep *s, uint32_t node, unsigned int port,
			   struct madkit_sweep_link *link)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(s, node);
	struct link_rates rates;

	link_rates_get(n, port, &rates);
	record_judge(s, &n->ports[port], &rates, link);
}

void madkit_sweep_rates_get(const struct madkit_sweep *s, uint32_t node, unsigned int port,
			    struct madkit_sweep_rates *r)
{
	struct link_rates rates;

	link_rates_get(madkit_sweep_node(s, node), port, &rates);
	*r = (struct madkit_sweep_rates){ rates.width,          rates.speed,
					  rates.widths_enabled, rates.widths_supported,
					  rates.speeds_enabled, rates.speeds_supported };
}

static void record_put_link(const struct madkit_sweep *s, struct madkit_sweep_record *r,
			    const struct madkit_sweep_node *n, unsigned int port)
{
	const struct madkit_sweep_port *p = &n->ports[port];
	const uint64_t mtu = field_get(MADKIT_PORT_INFO_NEIGHBOR_MTU, p->info);
	struct madkit_sweep_link link;
	struct link_rates rates;

	link_rates_get(n, port, &rates);
	record_put_any(r, MADKIT_PORT_OBJECT_WIDTH_ENABLED, topology_best_width(rates.widths_enabled));
	record_put_any(r, MADKIT_PORT_OBJECT_SPEED_ENABLED, topology_best_speed(rates.speeds_enabled));
	if (field_get(MADKIT_PORT_INFO_LINK_STATE, p->info) < MADKIT_PORT_STATE_INITIALIZE ||
	    (n->type == MADKIT_NODE_TYPE_SWITCH && !port))
		return;
	record_put_any(r, MADKIT_PORT_OBJECT_WIDTH, rates.width);
	record_put_any(r, MADKIT_PORT_OBJECT_SPEED, rates.speed);
	if (rates.width && rates.speed)
		record_put_any(r, MADKIT_PORT_OBJECT_GBPS, madkit_sweep_gbps(rates.width, rates.speed));
	if (mtu && mtu <= RECORD_MTU_4096)
		record_put(r, MADKIT_PORT_OBJECT_MTU, UINT64_C(128) << mtu);
	record_judge(s, p, &rates, &link);
	record_put_any(r, MADKIT_PORT_OBJECT_WIDTH_BEST, link.width_best);
	record_put_any(r, MADKIT_PORT_OBJECT_SPEED_BEST, link.speed_best);
}

void madkit_sweep_record_init(struct madkit_sweep_record *r)
{
	_Static_assert(sizeof(r->data) == 717, "length of the layout of the object port");
	const struct wire_object object = { r->data, r->known };

	memset(r, 0, sizeof(*r));
	object_begin(&r->message, MADKIT_MESSAGE_PORT, &r->record, &madkit_attribute_port_object, &object);
	r->message.port = &r->record;
}

void madkit_sweep_record_get(const struct madkit_sweep *s, uint32_t node, unsigned int port,
			     struct madkit_sweep_record *r)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(s, node);
	const struct madkit_sweep_port *p = &n->ports[port];

	madkit_sweep_record_init(r);
	r->message.device = madkit_port_get_info(s->port)->device;
	record_put_end(s, r, &record_near, n, port);
	if (p->state == MADKIT_SWEEP_ANSWERED) {
		record_put_any(r, MADKIT_PORT_OBJECT_STATE, field_get(MADKIT_PORT_INFO_LINK_STATE, p->info));
		record_put_any(r, MADKIT_PORT_OBJECT_PHYS,
			       field_get(MADKIT_PORT_INFO_PHYS_LINK_STATE, p->info));
		record_put_link(s, r, n, port);
	}
	if (p->peer != MADKIT_SWEEP_NONE)
		record_put_end(s, r, &record_far, madkit_sweep_node(s, p->peer), p->peer_port);
}
