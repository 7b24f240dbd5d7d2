/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/mad.h>
#include "sweep/survey_targets.h"
#include "util/array.h"
#include "util/array_size.h"
#include "wire/access.h"

/* Attributes that only one type of node has. */
static const struct {
	uint8_t mgmt_class;
	uint16_t attribute;
	uint8_t type;
} survey_types[] = {
	{ MADKIT_CLASS_SUBN_DR, MADKIT_ATTR_SWITCH_INFO, MADKIT_NODE_TYPE_SWITCH },
	{ MADKIT_CLASS_PERF, MADKIT_ATTR_SW_PORT_VL_CONGESTION, MADKIT_NODE_TYPE_SWITCH },
	{ MADKIT_CLASS_CC, MADKIT_ATTR_SWITCH_CONGESTION_SETTING, MADKIT_NODE_TYPE_SWITCH },
	{ MADKIT_CLASS_CC, MADKIT_ATTR_SWITCH_PORT_CONGESTION_SETTING, MADKIT_NODE_TYPE_SWITCH },
	{ MADKIT_CLASS_CC, MADKIT_ATTR_CA_CONGESTION_SETTING, MADKIT_NODE_TYPE_CHANNEL_ADAPTER },
};

static bool survey_node_has(const struct madkit_sweep_node *n, const struct madkit_header *h)
{
	const uint8_t mgmt_class = madkit_class_is_smi(h->mgmt_class) ? MADKIT_CLASS_SUBN_DR : h->mgmt_class;

	for (size_t i = 0; i < ARRAY_SIZE(survey_types); i++)
		if (survey_types[i].mgmt_class == mgmt_class && survey_types[i].attribute == h->attribute)
			return survey_types[i].type == n->type;
	return true;
}

/* Checks if no GMP reaches a CA through a port, because the port is down. A switch responds for all its
 * ports. */
static bool survey_port_is_cut_off(const struct madkit_sweep_node *n, unsigned int port)
{
	const struct madkit_sweep_port *p = &n->ports[port];

	return n->type != MADKIT_NODE_TYPE_SWITCH && p->state == MADKIT_SWEEP_ANSWERED &&
	       field_get(MADKIT_PORT_INFO_LINK_STATE, p->info) == MADKIT_PORT_STATE_DOWN;
}

/* Checks if a port is a plane of a port of which another plane, before it, is up: PerfMgt counts all planes together. */
static bool survey_port_is_plane(const struct madkit_sweep_node *n, unsigned int port)
{
	for (unsigned int i = 1; i < port && n->type != MADKIT_NODE_TYPE_SWITCH; i++)
		if (n->ports[i].guid && n->ports[i].guid == n->ports[port].guid &&
		    !survey_port_is_cut_off(n, i))
			return true;
	return false;
}

bool survey_is_register(uint8_t mgmt_class, const struct madkit_attribute *a)
{
	return mgmt_class == MADKIT_CLASS_MLNX && a && a->modifier_mask &&
	       a->flags & MADKIT_ATTRIBUTE_READ_ONLY;
}

/* of_port: the attribute is a register of a port. */
static const char *survey_left_out_of(const struct madkit_sweep_node *n, unsigned int port,
				      const struct madkit_header *h, bool of_port)
{
	if (of_port && !port && n->type == MADKIT_NODE_TYPE_SWITCH)
		return "port 0 of a switch has no registers";
	if (!survey_node_has(n, h))
		return "its node does not have the attribute";
	if (h->mgmt_class != MADKIT_CLASS_SUBN_DR && survey_port_is_cut_off(n, port))
		return "the port is down";
	return h->mgmt_class == MADKIT_CLASS_PERF && survey_port_is_plane(n, port) ?
		       "its counters are those of another plane" :
		       NULL;
}

const char *madkit_survey_left_out(const struct madkit_sweep *sweep, const struct madkit_survey_port *port,
				   const uint8_t *request, size_t len)
{
	struct madkit_header header;

	const struct madkit_attribute *a;

	if (!sweep || !port || madkit_header_get(request, len, &header))
		return NULL;
	a = madkit_attribute_of(request, len, NULL);
	return survey_left_out_of(madkit_sweep_node(sweep, port->node), port->port, &header,
				  survey_is_register(header.mgmt_class, a) &&
					  madkit_attribute_port(a) == MADKIT_PORT_FIELD);
}

/* ---- nodes and their targets --------------------------------------------------------- */

static uint32_t survey_targets_node(struct survey_targets *t, uint32_t number)
{
	struct survey_node *node;

	if (t->node_of[number] != SURVEY_NONE)
		return t->node_of[number];
	t->node_of[number] = t->nnodes;
	node = &t->nodes[t->nnodes++];
	list_init(&node->turn);
	node->next = node->last = SURVEY_NONE;
	node->is_switch = madkit_sweep_node(t->sweep, number)->type == MADKIT_NODE_TYPE_SWITCH;
	return t->node_of[number];
}

static int survey_targets_add(struct survey_targets *t, uint32_t number, unsigned int port, uint32_t modifier)
{
	struct survey_node *node = &t->nodes[survey_targets_node(t, number)];
	struct survey_target *target;

	if (t->n >= SURVEY_NONE - 1 || array_room(&t->targets, &t->cap, t->n, 1, sizeof(*t->targets)))
		return -ENOMEM;
	target = &t->targets[t->n];
	*target = (struct survey_target){
		.node = number, .port = (uint8_t)port, .at = t->at, .next = SURVEY_NONE, .modifier = modifier
	};
	if (node->last == SURVEY_NONE)
		node->next = (uint32_t)t->n;
	else
		t->targets[node->last].next = (uint32_t)t->n;
	node->last = (uint32_t)t->n++;
	node->left++;
	return 0;
}

/* Returns the port through which a node is queried. */
static unsigned int survey_node_port(const struct madkit_sweep_node *n, unsigned int port)
{
	return n->type == MADKIT_NODE_TYPE_SWITCH ? 0 : port;
}

/* Checks if the node has no target yet in the part of the port that is being added. */
static bool survey_targets_is_new(const struct survey_targets *t, uint32_t number)
{
	const struct survey_node *node;

	if (t->node_of[number] == SURVEY_NONE)
		return true;
	node = &t->nodes[t->node_of[number]];
	return t->ports[t->targets[node->last].at].part != t->ports[t->at].part;
}

/* Adds a node. If it was added with a port without a LID, it is queried through the next port. */
static int survey_targets_add_node(struct survey_targets *t, uint32_t number, unsigned int port)
{
	struct survey_target *target;
	struct madkit_addr to;

	if (survey_targets_is_new(t, number))
		return survey_targets_add(t, number,
					  survey_node_port(madkit_sweep_node(t->sweep, number), port), 0);
	target = &t->targets[t->nodes[t->node_of[number]].last];
	if (!madkit_sweep_lid_address(t->sweep, target->node, target->port, &to))
		target->port = (uint8_t)port;
	return 0;
}

/* ---- blocks --------------------------------------------------------------------------- */

static bool survey_block_value(const uint8_t *info, uint16_t attribute, const char *field, uint64_t *value)
{
	const struct madkit_attribute *a =
		madkit_attribute_get(MADKIT_BASE_VERSION_IB, MADKIT_CLASS_SUBN_DR, attribute);
	const struct madkit_record record = {
		.attribute = a, .layout = a ? a->layout : NULL, .data = info, .len = MADKIT_SWEEP_INFO_BYTES
	};

	return !madkit_record_value(&record, field, value);
}

/* The node whose blocks are listed, for madkit_blocks_all(). */
struct survey_block_node {
	const struct madkit_sweep_node *node;
	bool by_port; /* each of its ports has a table */
};

/* Gets a field of NodeInfo, SwitchInfo or PortInfo. Returns 1 if the sweep has not read it. */
static int survey_block_field(void *context, const char *attribute, const char *field, unsigned int port,
			      uint64_t *value)
{
	const struct survey_block_node *of = context;
	const struct madkit_sweep_node *n = of->node;
	const struct madkit_sweep_port *p =
		&n->ports[n->type == MADKIT_NODE_TYPE_SWITCH && !of->by_port ? 0 : port];

	if (!strcmp(attribute, "NodeInfo")) {
		*value = !strcmp(field, "NumPorts") ? n->nports : n->partitions;
		return 0;
	}
	if (!strcmp(attribute, "SwitchInfo"))
		return n->switched != MADKIT_SWEEP_ANSWERED ||
		       !survey_block_value(n->switch_info, MADKIT_ATTR_SWITCH_INFO, field, value);
	return strcmp(attribute, "PortInfo") != 0 || p->state != MADKIT_SWEEP_ANSWERED ||
	       !survey_block_value(p->info, MADKIT_ATTR_PORT_INFO, field, value);
}

static int survey_targets_add_given(struct survey_targets *t, const struct madkit_survey_attr *attr,
				    uint32_t number, unsigned int port, uint32_t base)
{
	const unsigned int shift = madkit_blocks_shift(t->instances);
	int ret = 0;

	for (size_t i = 0; i < attr->nblocks && !ret; i++)
		ret = survey_targets_add(t, number, port, base | attr->blocks[i] << shift);
	return ret;
}

static int survey_targets_add_blocks(struct survey_targets *t, const struct madkit_survey_attr *attr,
				     uint32_t number, unsigned int port)
{
	struct survey_block_node of = { .node = madkit_sweep_node(t->sweep, number),
					.by_port = t->instances->ports };
	const struct madkit_blocks_node node = { .is_switch = of.node->type == MADKIT_NODE_TYPE_SWITCH,
						 .nports = of.node->nports,
						 .value = survey_block_field,
						 .context = &of };
	const struct madkit_extent *own = &t->instances->blocks[0].own;
	const uint32_t base = madkit_blocks_base(t->instances, node.is_switch, port);
	struct madkit_blocks_list list = { .modifiers = NULL };
	int ret = 0;

	if (!node.is_switch && t->instances->blocks[0].entries && !strcmp(own->attribute, "SwitchInfo"))
		return 0;
	if (!attr->all_blocks)
		return survey_targets_add_given(t, attr, number, port, base);
	madkit_blocks_all(t->instances, &node, port, base, &list);
	if (!list.n)
		return 0;
	list.modifiers = calloc(list.n, sizeof(*list.modifiers));
	if (!list.modifiers)
		return -ENOMEM;
	list.max = list.n;
	list.n = 0;
	madkit_blocks_all(t->instances, &node, port, base, &list);
	for (size_t i = 0; i < list.n && !ret; i++)
		ret = survey_targets_add(t, number, port, list.modifiers[i]);
	if (!ret)
		t->targets[t->n - 1].uncounted = list.unknown;
	free(list.modifiers);
	return ret;
}

/* Adds the blocks that are requested because the port at is one of the survey. */
static int survey_targets_add_tables(struct survey_targets *t, const struct madkit_survey_attr *attr,
				     const struct madkit_survey_port *at)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(t->sweep, at->node);
	const bool first = survey_targets_is_new(t, at->node);
	int ret = 0;

	if (!t->by_port)
		return first ? survey_targets_add_blocks(t, attr, at->node, survey_node_port(n, at->port)) :
			       0;
	if (first && at->port && attr->port0 && n->type == MADKIT_NODE_TYPE_SWITCH)
		ret = survey_targets_add_blocks(t, attr, at->node, 0);
	return ret ? ret : survey_targets_add_blocks(t, attr, at->node, at->port);
}

/* ---- targets --------------------------------------------------------------------------- */

/* Copies the ports, or lists those of the sweep. */
static int survey_targets_ports(struct survey_targets *t, const struct madkit_survey_attr *attr,
				uint32_t nodes)
{
	size_t room = attr->ports ? attr->nports : 0;

	for (uint32_t i = 0; !attr->ports && i < nodes; i++)
		room += madkit_sweep_node(t->sweep, i)->nports + 1u;
	t->ports = calloc(room + 1, sizeof(*t->ports));
	if (!t->ports)
		return -ENOMEM;
	if (attr->ports) {
		if (room)
			memcpy(t->ports, attr->ports, room * sizeof(*t->ports));
		t->nports = room;
		return 0;
	}
	for (uint32_t i = 0; i < nodes; i++)
		for (unsigned int port = 0; port <= madkit_sweep_node(t->sweep, i)->nports; port++)
			if (madkit_sweep_has_port(t->sweep, i, port))
				t->ports[t->nports++] = (struct madkit_survey_port){ i, (uint8_t)port, 0 };
	return 0;
}

static int survey_targets_allocate(struct survey_targets *t, const struct madkit_survey_attr *attr)
{
	struct madkit_sweep_counts counts;

	madkit_sweep_count(t->sweep, &counts);
	t->nodes = calloc(counts.nodes + 1, sizeof(*t->nodes));
	t->node_of = calloc(counts.nodes + 1, sizeof(*t->node_of));
	if (!t->nodes || !t->node_of)
		return -ENOMEM;
	for (uint32_t i = 0; i < counts.nodes; i++)
		t->node_of[i] = SURVEY_NONE;
	return survey_targets_ports(t, attr, counts.nodes);
}

int survey_targets_make(struct survey_targets *t, const struct madkit_sweep *sweep,
			const struct madkit_survey_attr *attr, const struct madkit_header *header,
			const struct madkit_attribute *a)
{
	const bool blocks = attr->all_blocks || attr->nblocks,
		   registers = survey_is_register(header->mgmt_class, a);
	int ret;

	*t = (struct survey_targets){ .sweep = sweep, .instances = blocks && a ? a->instances : NULL };
	list_init(&t->turns);
	t->by_field = a && madkit_attribute_port(a) == MADKIT_PORT_FIELD;
	t->by_port = t->by_field || (a && madkit_attribute_port(a) == MADKIT_PORT_MODIFIER) ||
		     (t->instances && t->instances->ports);
	ret = survey_targets_allocate(t, attr);
	for (size_t i = 0; i < t->nports && !ret; i++) {
		const struct madkit_survey_port *at = &t->ports[i];

		t->at = (uint32_t)i;
		if (survey_left_out_of(madkit_sweep_node(sweep, at->node), at->port, header,
				       registers && t->by_field))
			continue;
		if (t->instances)
			ret = survey_targets_add_tables(t, attr, at);
		else if (t->by_port)
			ret = survey_targets_add(t, at->node, at->port, t->by_field ? 0 : at->port);
		else
			ret = survey_targets_add_node(t, at->node, at->port);
	}
	for (uint32_t i = 0; i < t->nnodes; i++)
		survey_targets_queue(t, i);
	return ret;
}

void survey_targets_free(struct survey_targets *t)
{
	free(t->ports);
	free(t->targets);
	free(t->nodes);
	free(t->node_of);
	*t = (struct survey_targets){ .n = 0 };
}

/* ---- turns -------------------------------------------------------------------------- */

void survey_targets_queue(struct survey_targets *t, uint32_t node)
{
	if (list_empty(&t->nodes[node].turn))
		list_add(&t->turns, &t->nodes[node].turn);
}

uint32_t survey_targets_turn(struct survey_targets *t)
{
	struct survey_node *n;

	if (list_empty(&t->turns))
		return SURVEY_NONE;
	n = list_entry(t->turns.next, struct survey_node, turn);
	list_del(&n->turn);
	return (uint32_t)(n - t->nodes);
}

uint32_t survey_targets_take(struct survey_targets *t, uint32_t node)
{
	struct survey_node *n = &t->nodes[node];
	const uint32_t target = n->next;

	n->next = t->targets[target].next;
	n->left--;
	return target;
}

void survey_targets_return(struct survey_targets *t, uint32_t node, uint32_t target)
{
	struct survey_node *n = &t->nodes[node];

	t->targets[target].next = n->next;
	n->next = target;
	n->left++;
}
