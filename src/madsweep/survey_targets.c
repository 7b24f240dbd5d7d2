/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include "route.h"
#include "survey_targets.h"
#include "util/array_size.h"

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

static bool survey_applies(const struct madkit_sweep_node *n, const struct request *r)
{
	const uint8_t mgmt_class = r->smp ? MADKIT_CLASS_SUBN_DR : r->header.mgmt_class;

	for (size_t i = 0; i < ARRAY_SIZE(survey_types); i++)
		if (survey_types[i].mgmt_class == mgmt_class &&
		    survey_types[i].attribute == r->header.attribute)
			return survey_types[i].type == n->type;
	return true;
}

uint32_t survey_lid(const struct madkit_sweep *sweep, const struct survey_target *t)
{
	struct madkit_addr to;

	return madkit_sweep_lid_address(sweep, t->node, t->port, &to) ? to.lid : 0;
}

/* Checks if no GMP reaches a CA through a port, because the port is down. A switch responds for all its
 * ports. */
static bool survey_port_is_cut_off(const struct madkit_sweep_node *n, unsigned int port)
{
	const struct madkit_sweep_port *p = &n->ports[port];
	uint64_t state;

	return n->type != MADKIT_NODE_TYPE_SWITCH && p->state == MADKIT_SWEEP_ANSWERED &&
	       !madkit_get(p->info, sizeof(p->info), MADKIT_PORT_INFO_LINK_STATE, &state) &&
	       state == MADKIT_PORT_STATE_DOWN;
}

const char *survey_left_out(const struct madkit_sweep_node *n, unsigned int port, const struct request *r)
{
	if (!survey_applies(n, r))
		return "its node does not have the attribute";
	return !r->to.direct && survey_port_is_cut_off(n, port) ? "the port is down" : NULL;
}

/* ---- targets ------------------------------------------------------------------------ */

static uint32_t survey_targets_node(struct survey_targets *t, uint32_t number)
{
	struct survey_node *node;

	if (t->node_of[number] != SURVEY_NONE)
		return t->node_of[number];
	t->node_of[number] = t->nnodes;
	node = &t->nodes[t->nnodes++];
	node->next = node->last = SURVEY_NONE;
	node->is_switch = madkit_sweep_node(t->sweep, number)->type == MADKIT_NODE_TYPE_SWITCH;
	return t->node_of[number];
}

static void survey_targets_add(struct survey_targets *t, uint32_t number, unsigned int port,
			       uint32_t modifier)
{
	struct survey_node *node = &t->nodes[survey_targets_node(t, number)];
	struct survey_target *target = &t->targets[t->n];

	*target = (struct survey_target){
		.node = number, .port = (uint8_t)port, .at = t->at, .next = SURVEY_NONE, .modifier = modifier
	};
	if (node->last == SURVEY_NONE)
		node->next = (uint32_t)t->n;
	else
		t->targets[node->last].next = (uint32_t)t->n;
	node->last = (uint32_t)t->n++;
	node->left++;
}

/* Returns the port through which a node is queried. */
static unsigned int survey_node_port(const struct madkit_sweep_node *n, unsigned int port)
{
	return n->type == MADKIT_NODE_TYPE_SWITCH ? 0 : port;
}

unsigned int survey_part(const struct scope *scope, size_t at)
{
	return scope->routes ? scope->routes->places[at].path : 0;
}

/* Checks if the node has no target yet on the route of the port that is being added. */
static bool survey_targets_is_new(const struct survey_targets *t, uint32_t number)
{
	const struct survey_node *node;

	if (t->node_of[number] == SURVEY_NONE)
		return true;
	node = &t->nodes[t->node_of[number]];
	return survey_part(t->scope, t->targets[node->last].at) != survey_part(t->scope, t->at);
}

/* Adds a node. If it was added with a port without a LID, it is queried through the next port. */
static void survey_targets_add_node(struct survey_targets *t, uint32_t number, unsigned int port)
{
	struct survey_target *target;

	if (survey_targets_is_new(t, number)) {
		survey_targets_add(t, number, survey_node_port(madkit_sweep_node(t->sweep, number), port), 0);
		return;
	}
	target = &t->targets[t->nodes[t->node_of[number]].last];
	if (!survey_lid(t->sweep, target))
		target->port = (uint8_t)port;
}

static int survey_targets_add_blocks(struct survey_targets *t, const struct survey_blocks *blocks,
				     uint32_t number, unsigned int port)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(t->sweep, number);
	bool uncounted;
	const size_t count = survey_blocks_list(blocks, n, port, NULL, &uncounted);
	uint32_t *modifiers;

	if (!count)
		return 0;
	modifiers = calloc(count, sizeof(*modifiers));
	if (!modifiers)
		return -ENOMEM;
	survey_blocks_list(blocks, n, port, modifiers, &uncounted);
	for (size_t i = 0; i < count; i++)
		survey_targets_add(t, number, port, modifiers[i]);
	t->targets[t->n - 1].uncounted = uncounted;
	free(modifiers);
	return 0;
}

/* Lists the ports of a node whose blocks are requested because the port at is in the scope. Returns their
 * number. first: at is the first port of the node. */
static unsigned int survey_block_ports(const struct survey_targets *t, const struct survey_blocks *blocks,
				       const struct scope_port *at, bool first, unsigned int ports[2])
{
	const struct madkit_sweep_node *n = madkit_sweep_node(t->sweep, at->node);
	unsigned int count = 0;

	if (!t->by_port && first)
		ports[count++] = survey_node_port(n, at->port);
	if (t->by_port && first && at->port && blocks->port0 && n->type == MADKIT_NODE_TYPE_SWITCH)
		ports[count++] = 0;
	if (t->by_port)
		ports[count++] = at->port;
	return count;
}

static void survey_targets_forget(struct survey_targets *t, uint32_t nodes)
{
	for (uint32_t i = 0; i < nodes; i++)
		t->node_of[i] = SURVEY_NONE;
}

/* Returns the maximum number of targets. */
static size_t survey_targets_count(struct survey_targets *t, const struct scope *scope,
				   const struct survey_blocks *blocks, uint32_t nodes)
{
	size_t count = scope->n;
	unsigned int ports[2];

	for (size_t i = 0; blocks->instances && i < scope->n; i++) {
		const struct scope_port *at = &scope->ports[i];
		unsigned int n;
		bool uncounted;

		if (i && survey_part(scope, i) != survey_part(scope, i - 1))
			survey_targets_forget(t, nodes);
		n = survey_block_ports(t, blocks, at, t->node_of[at->node] == SURVEY_NONE, ports);
		t->node_of[at->node] = 0;
		for (unsigned int j = 0; j < n; j++)
			count += survey_blocks_list(blocks, madkit_sweep_node(scope->sweep, at->node),
						    ports[j], NULL, &uncounted);
	}
	return count;
}

static int survey_targets_allocate(struct survey_targets *t, const struct scope *scope,
				   const struct survey_blocks *blocks)
{
	struct madkit_sweep_counts counts;
	size_t count;

	madkit_sweep_count(scope->sweep, &counts);
	t->nodes = calloc(counts.nodes + 1, sizeof(*t->nodes));
	t->node_of = calloc(counts.nodes + 1, sizeof(*t->node_of));
	t->queue = calloc(counts.nodes + 1, sizeof(*t->queue));
	if (!t->nodes || !t->node_of || !t->queue)
		return -ENOMEM;
	survey_targets_forget(t, counts.nodes);
	count = survey_targets_count(t, scope, blocks, counts.nodes);
	survey_targets_forget(t, counts.nodes);
	if (count >= SURVEY_NONE)
		return -ENOMEM;
	t->targets = calloc(count + 1, sizeof(*t->targets));
	return t->targets ? 0 : -ENOMEM;
}

int survey_targets_make(struct survey_targets *t, const struct scope *scope, const struct request *r,
			const struct survey_blocks *blocks)
{
	const struct madkit_attribute *a = r->attribute;
	unsigned int ports[2], count;
	int ret;

	*t = (struct survey_targets){ .sweep = scope->sweep, .scope = scope };
	t->by_field = a && madkit_attribute_port(a) == MADKIT_PORT_FIELD;
	t->by_port = t->by_field || (a && madkit_attribute_port(a) == MADKIT_PORT_MODIFIER) ||
		     survey_blocks_by_port(blocks);
	ret = survey_targets_allocate(t, scope, blocks);
	for (size_t i = 0; i < scope->n && !ret; i++) {
		const struct scope_port *at = &scope->ports[i];
		const struct madkit_sweep_node *n = madkit_sweep_node(scope->sweep, at->node);

		t->at = i;
		if (survey_left_out(n, at->port, r))
			continue;
		count = blocks->instances ?
				survey_block_ports(t, blocks, at, survey_targets_is_new(t, at->node), ports) :
				0;
		for (unsigned int j = 0; j < count && !ret; j++)
			ret = survey_targets_add_blocks(t, blocks, at->node, ports[j]);
		if (blocks->instances)
			continue;
		if (t->by_port)
			survey_targets_add(t, at->node, at->port, t->by_field ? 0 : at->port);
		else
			survey_targets_add_node(t, at->node, at->port);
	}
	for (uint32_t i = 0; i < t->nnodes; i++)
		survey_targets_queue(t, i);
	return ret;
}

void survey_targets_free(struct survey_targets *t)
{
	free(t->targets);
	free(t->nodes);
	free(t->node_of);
	free(t->queue);
	*t = (struct survey_targets){ .n = 0 };
}

/* ---- turns -------------------------------------------------------------------------- */

void survey_targets_queue(struct survey_targets *t, uint32_t node)
{
	if (t->nodes[node].queued)
		return;
	t->nodes[node].queued = true;
	t->queue[(t->first + t->queued++) % t->nnodes] = node;
}

uint32_t survey_targets_turn(struct survey_targets *t)
{
	uint32_t node;

	if (!t->queued)
		return SURVEY_NONE;
	node = t->queue[t->first];
	t->first = (t->first + 1) % t->nnodes;
	t->queued--;
	t->nodes[node].queued = false;
	return node;
}

size_t survey_targets_take(struct survey_targets *t, uint32_t node)
{
	struct survey_node *n = &t->nodes[node];
	uint32_t target = n->next;

	n->next = t->targets[target].next;
	n->left--;
	return target;
}

void survey_targets_return(struct survey_targets *t, uint32_t node, size_t target)
{
	struct survey_node *n = &t->nodes[node];

	t->targets[target].next = n->next;
	n->next = (uint32_t)target;
	n->left++;
}
