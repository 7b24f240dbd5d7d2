/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include "survey_targets.h"
#include "util/array_size.h"

/* Attributes of one type of node. */
static const struct {
	uint8_t mgmt_class;
	uint16_t attribute;
	uint8_t type;
} survey_types[] = {
	{ MADKIT_CLASS_SUBN_DR, MADKIT_ATTR_SWITCH_INFO, MADKIT_NODE_TYPE_SWITCH },
	{ MADKIT_CLASS_PERF, MADKIT_ATTR_SW_PORT_VL_CONGESTION, MADKIT_NODE_TYPE_SWITCH },
	{ MADKIT_CLASS_CC, MADKIT_ATTR_SWITCH_CONGESTION_SETTING, MADKIT_NODE_TYPE_SWITCH },
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
	const struct madkit_sweep_node *n = madkit_sweep_node(sweep, t->node);
	const struct madkit_sweep_port *p = &n->ports[n->type == MADKIT_NODE_TYPE_SWITCH ? 0 : t->port];
	uint64_t lid;

	return p->state != MADKIT_SWEEP_ANSWERED ||
			       madkit_get(p->info, sizeof(p->info), MADKIT_PORT_INFO_LID, &lid) ?
		       0 :
		       (uint32_t)lid;
}

/* A switch responds for all its ports; no GMP reaches a CA by a port that is down. */
static bool survey_port_is_cut_off(const struct madkit_sweep_node *n, unsigned int port)
{
	const struct madkit_sweep_port *p = &n->ports[port];
	uint64_t state;

	return n->type != MADKIT_NODE_TYPE_SWITCH && p->state == MADKIT_SWEEP_ANSWERED &&
	       !madkit_get(p->info, sizeof(p->info), MADKIT_PORT_INFO_LINK_STATE, &state) &&
	       state == MADKIT_PORT_STATE_DOWN;
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

static void survey_targets_add(struct survey_targets *t, uint32_t number, unsigned int port)
{
	struct survey_node *node = &t->nodes[survey_targets_node(t, number)];
	struct survey_target *target = &t->targets[t->n];

	*target = (struct survey_target){ .node = number, .port = (uint8_t)port, .next = SURVEY_NONE };
	if (node->last == SURVEY_NONE)
		node->next = (uint32_t)t->n;
	else
		t->targets[node->last].next = (uint32_t)t->n;
	node->last = (uint32_t)t->n++;
	node->left++;
}

/* A node that has been added by a port without a LID is asked by the next one. */
static void survey_targets_add_node(struct survey_targets *t, uint32_t number, unsigned int port)
{
	struct survey_target *target;

	if (t->node_of[number] == SURVEY_NONE) {
		survey_targets_add(t, number,
				   madkit_sweep_node(t->sweep, number)->type == MADKIT_NODE_TYPE_SWITCH ?
					   0 :
					   port);
		return;
	}
	target = &t->targets[t->nodes[t->node_of[number]].next];
	if (!survey_lid(t->sweep, target))
		target->port = (uint8_t)port;
}

static int survey_targets_allocate(struct survey_targets *t, const struct scope *scope)
{
	struct madkit_sweep_counts counts;

	madkit_sweep_count(scope->sweep, &counts);
	t->targets = calloc(scope->n + 1, sizeof(*t->targets));
	t->nodes = calloc(counts.nodes + 1, sizeof(*t->nodes));
	t->node_of = calloc(counts.nodes + 1, sizeof(*t->node_of));
	t->queue = calloc(counts.nodes + 1, sizeof(*t->queue));
	if (!t->targets || !t->nodes || !t->node_of || !t->queue)
		return -ENOMEM;
	for (uint32_t i = 0; i < counts.nodes; i++)
		t->node_of[i] = SURVEY_NONE;
	return 0;
}

int survey_targets_make(struct survey_targets *t, const struct scope *scope, const struct request *r)
{
	const struct madkit_attribute *a = r->attribute;
	int ret;

	*t = (struct survey_targets){ .sweep = scope->sweep };
	t->by_field = a && madkit_attribute_port(a) == MADKIT_PORT_FIELD;
	t->by_port = t->by_field || (a && madkit_attribute_port(a) == MADKIT_PORT_MODIFIER);
	ret = survey_targets_allocate(t, scope);
	if (ret)
		return ret;
	for (size_t i = 0; i < scope->n; i++) {
		const struct scope_port *at = &scope->ports[i];
		const struct madkit_sweep_node *n = madkit_sweep_node(scope->sweep, at->node);

		if (!survey_applies(n, r) || (!r->to.direct && survey_port_is_cut_off(n, at->port)))
			continue;
		if (t->by_port)
			survey_targets_add(t, at->node, at->port);
		else
			survey_targets_add_node(t, at->node, at->port);
	}
	for (uint32_t i = 0; i < t->nnodes; i++)
		survey_targets_queue(t, i);
	return 0;
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
