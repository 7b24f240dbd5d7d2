/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdio.h>
#include <string.h>
#include "take.h"
#include "util/array_size.h"

static uint64_t take_get(const uint8_t *info, uint64_t field)
{
	uint64_t value = 0;

	madkit_get(info, MADKIT_SWEEP_INFO_BYTES, field, &value);
	return value;
}

/* ---- nodes ------------------------------------------------------------------------------- */

/* Makes the NodeInfo of a node of a sweep. */
static void take_make_info(const struct madkit_sweep_node *n, uint8_t info[MADKIT_SWEEP_INFO_BYTES])
{
	const struct {
		uint64_t field, value;
	} fields[] = {
		{ MADKIT_NODE_INFO_BASE_VERS, 1 },
		{ MADKIT_NODE_INFO_CLASS_VERS, 1 },
		{ MADKIT_NODE_INFO_NODE_TYPE, n->type },
		{ MADKIT_NODE_INFO_NUM_PORTS, n->nports },
		{ MADKIT_NODE_INFO_SYSTEM_GUID, n->system_guid },
		{ MADKIT_NODE_INFO_GUID, n->guid },
		{ MADKIT_NODE_INFO_PORT_GUID,
		  n->ports[n->type == MADKIT_NODE_TYPE_SWITCH ? 0 : n->number].guid },
		{ MADKIT_NODE_INFO_PART_CAP, n->partitions },
		{ MADKIT_NODE_INFO_DEV_ID, n->device },
		{ MADKIT_NODE_INFO_REVISION, n->revision },
		{ MADKIT_NODE_INFO_LOCAL_PORT, n->number },
		{ MADKIT_NODE_INFO_VENDOR_ID, n->vendor },
	};

	memset(info, 0, MADKIT_SWEEP_INFO_BYTES);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		madkit_put(info, MADKIT_SWEEP_INFO_BYTES, fields[i].field, fields[i].value);
}

static void take_lids(struct take *t, const struct madkit_sweep *sweep, uint32_t number, struct view_node *n)
{
	for (unsigned int port = 0; port <= n->nports; port++) {
		const struct madkit_sweep_node *from = madkit_sweep_node(sweep, number);
		struct madkit_sweep_lids lids;

		if (port > from->nports)
			return;
		if (from->ports[port].guid)
			n->ports[port].guid = from->ports[port].guid;
		madkit_sweep_lids(sweep, number, port, &lids);
		for (uint32_t lid = lids.first; lids.first && lid <= lids.last; lid++)
			view_set_lid(t->view, n, lid);
		if (view_is_switch(n))
			return;
	}
}

/* Reports that a node has another name. */
static int take_rename(struct take *t, struct view_node *n, const char *name, const char *label)
{
	struct event e = event_of_node(EVENT_RENAMED, t->by, n->number);
	const bool renamed = *n->name && strcmp(n->name, name) != 0;
	char was[VIEW_LABEL_BYTES];
	int status;

	snprintf(was, sizeof(was), "%s", n->label ? n->label : n->name);
	snprintf(e.before, sizeof(e.before), "%s", n->name);
	snprintf(e.after, sizeof(e.after), "%s", name);
	status = view_rename(t->view, n, name, label);
	if (status || !renamed)
		return status;
	/* the line begins with the label, which may be the first word of both */
	if (!strcmp(was, n->label))
		snprintf(e.text, sizeof(e.text), "now %.64s, was %.64s", e.after, e.before);
	else
		snprintf(e.text, sizeof(e.text), "was %.200s", was);
	return change_add(t->changes, &e);
}

bool take_node_info(struct take *t, uint32_t node, const uint8_t info[MADKIT_SWEEP_INFO_BYTES])
{
	struct view_node *n = t->view->nodes[node];

	if (take_get(info, MADKIT_NODE_INFO_GUID) != n->guid ||
	    take_get(info, MADKIT_NODE_INFO_NUM_PORTS) != n->reported)
		return false;
	n->system_guid = take_get(info, MADKIT_NODE_INFO_SYSTEM_GUID);
	memcpy(n->info, info, sizeof(n->info));
	madkit_put(n->info, sizeof(n->info), MADKIT_NODE_INFO_NUM_PORTS, n->nports);
	return true;
}

int take_name(struct take *t, uint32_t node, const uint8_t description[MADKIT_SWEEP_INFO_BYTES])
{
	char name[VIEW_NAME_BYTES];

	snprintf(name, sizeof(name), "%.64s", (const char *)description);
	if (!strcmp(name, t->view->nodes[node]->name))
		return EXIT_DONE;
	return take_rename(t, t->view->nodes[node], name, NULL);
}

/* Takes a node of a sweep. labelled: the sweep has labels. Returns NULL without memory, which is reported. */
static struct view_node *take_node(struct take *t, const struct madkit_sweep *sweep, uint32_t number,
				   bool labelled)
{
	const struct madkit_sweep_node *from = madkit_sweep_node(sweep, number);
	const struct subnet_name name = subnet_name(sweep, from);
	struct view_node *n = view_of_guid(t->view, from->guid);
	uint8_t info[MADKIT_SWEEP_INFO_BYTES];
	char text[VIEW_NAME_BYTES];
	struct madkit_buf label;
	int status = EXIT_DONE;

	if (!n || (n->reported != from->nports && n->type == from->type && !from->duplicate)) {
		const bool fresh = n ? n->fresh : !t->begins;

		take_make_info(from, info);
		/* the ports of a switch were split, for example */
		n = n ? view_resize(t->view, n, info) : view_add(t->view, info);
		if (!n) {
			cli_no_memory();
			return NULL;
		}
		n->fresh = fresh;
	}
	n->seen = true;
	take_lids(t, sweep, number, n);
	snprintf(text, sizeof(text), "%.*s", (int)name.len, name.len ? name.text : "");
	madkit_buf_init(&label, 0);
	if (labelled)
		madkit_sweep_put_place(sweep, &label, number, -1);
	madkit_buf_char(&label, '\0');
	if (label.error)
		status = cli_no_memory();
	else if (name.len && (strcmp(text, n->name) != 0 || (labelled && strcmp(label.data, n->label) != 0)))
		status = take_rename(t, n, text, labelled ? label.data : NULL);
	else if (!n->label)
		status = view_rename(t->view, n, text, labelled ? label.data : NULL);
	madkit_buf_free(&label);
	return status ? NULL : n;
}

/* ---- ports ------------------------------------------------------------------------------- */

/* Returns a number that differs if the state or the rate of a port does. */
static uint32_t take_signature(const uint8_t *info)
{
	return (uint32_t)(take_get(info, MADKIT_PORT_INFO_LINK_STATE) |
			  take_get(info, MADKIT_PORT_INFO_LINK_WIDTH_ACTIVE) << 4 |
			  take_get(info, MADKIT_PORT_INFO_LINK_SPEED_ACTIVE) << 12 |
			  take_get(info, MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE) << 16);
}

static void take_port(struct take *t, struct view_end end, const uint8_t *info)
{
	struct view_port *p = view_port(t->view, end);

	p->state = (uint8_t)take_get(info, MADKIT_PORT_INFO_LINK_STATE);
	p->signature = take_signature(info);
}

/* Takes that a link is down. Returns false if that was known. */
static bool take_down(struct take *t, struct view_end end)
{
	struct view_link *l = view_link_of(t->view, end);

	if (l && l->trained)
		t->view->dirty = true;
	if (!l)
		return false;
	l->trained = false;
	l->init_ns = 0;
	if (!l->up && !l->init)
		return false;
	l->up = l->init = false;
	change_note(t->changes, l, t->by, t->now);
	return true;
}

enum take_next take_port_info(struct take *t, struct view_end end,
			      const uint8_t info[MADKIT_SWEEP_INFO_BYTES])
{
	const struct view_link *l = view_link_of(t->view, end);
	const struct view_port *p = view_port(t->view, end);
	const uint32_t before = p->signature;

	if (!end.port) {
		view_set_lid(t->view, t->view->nodes[end.node],
			     (uint32_t)take_get(info, MADKIT_PORT_INFO_LID));
		return TAKE_DONE;
	}
	take_port(t, end, info);
	if (p->state <= MADKIT_PORT_STATE_DOWN)
		return take_down(t, end) ? TAKE_CHANGED : TAKE_DONE;
	return !l || !l->up || before != p->signature ? TAKE_PROBE : TAKE_DONE;
}

/* ---- links ------------------------------------------------------------------------------- */

struct take_state {
	bool up, slow;
	struct view_rate rate;
};

static struct take_state take_state_of(const struct madkit_sweep *sweep, uint32_t node, unsigned int port)
{
	const struct madkit_sweep_port *near = &madkit_sweep_node(sweep, node)->ports[port];
	const struct madkit_sweep_port *far = &madkit_sweep_node(sweep, near->peer)->ports[near->peer_port];
	struct madkit_sweep_rates rates;
	struct madkit_sweep_link link;
	struct take_state state;

	madkit_sweep_rates_get(sweep, node, port, &rates);
	madkit_sweep_link_get(sweep, node, port, &link);
	state = (struct take_state){ .slow = link.limits & MADKIT_SWEEP_LINK_SLOW,
				     .rate = { rates.width, rates.speed } };
	state.up = near->state == MADKIT_SWEEP_ANSWERED &&
		   take_get(near->info, MADKIT_PORT_INFO_LINK_STATE) == MADKIT_PORT_STATE_ACTIVE &&
		   (far->state != MADKIT_SWEEP_ANSWERED ||
		    take_get(far->info, MADKIT_PORT_INFO_LINK_STATE) >= MADKIT_PORT_STATE_ARMED);
	return state;
}

/* Checks if a link that is trained has not become Active in time: no subnet manager configures it. */
static bool take_init(const struct take *t, struct view_link *l, bool up)
{
	if (up)
		l->init_ns = 0;
	else if (!l->init_ns && !t->begins)
		l->init_ns = t->now;
	return !up && (l->init || (l->init_ns && t->now - l->init_ns >= TAKE_INIT_MS * NS_PER_MS));
}

/* Takes a link between two ports. Returns EXIT_DONE, or EXIT_LOCAL after a report. */
static int take_connect(struct take *t, struct view_end a, struct view_end b, const struct take_state *state)
{
	struct view_link *l = view_link_of(t->view, a);
	const bool same = l && l == view_link_of(t->view, b);
	bool init;

	if (!same)
		l = view_connect(t->view, a, b);
	if (!l)
		return cli_no_memory();
	t->view->dirty |= !l->trained;
	l->trained = true;
	init = take_init(t, l, state->up);
	if (same && l->up == state->up && l->init == init &&
	    (!l->up || (l->slow == state->slow && l->rate.width == state->rate.width &&
			l->rate.speed == state->rate.speed)))
		return EXIT_DONE;
	l->up = state->up;
	l->init = init;
	if (l->up) {
		l->slow = state->slow;
		l->rate = state->rate;
	}
	change_note(t->changes, l, t->by, t->now);
	return EXIT_DONE;
}

enum take_link take_link(struct take *t, const struct madkit_sweep *sweep, struct view_end end,
			 uint32_t *fresh)
{
	const struct madkit_sweep_port *near;
	struct madkit_sweep_counts counts;
	struct take_state state;
	struct view_end there;
	struct view_node *far;
	bool known;
	int status;

	*fresh = VIEW_NONE;
	madkit_sweep_count(sweep, &counts);
	if (!counts.nodes || end.port > madkit_sweep_node(sweep, 0)->nports)
		return TAKE_LINK_NONE;
	near = &madkit_sweep_node(sweep, 0)->ports[end.port];
	if (near->state != MADKIT_SWEEP_ANSWERED)
		return TAKE_LINK_NONE;
	take_port(t, end, near->info);
	if (view_port(t->view, end)->state <= MADKIT_PORT_STATE_DOWN) {
		take_down(t, end);
		return TAKE_LINK;
	}
	if (near->peer == MADKIT_SWEEP_NONE)
		return TAKE_LINK_WAITS;
	known = view_of_guid(t->view, madkit_sweep_node(sweep, near->peer)->guid);
	far = take_node(t, sweep, near->peer, false);
	if (!far || near->peer_port > far->nports)
		return TAKE_LINK_FAILED;
	if (!known && view_is_switch(far))
		*fresh = far->number;
	state = take_state_of(sweep, 0, end.port);
	there = (struct view_end){ far->number, near->peer_port };
	/* the link of this host */
	if (view_is_switch(far) && !view_is_switch(t->view->nodes[end.node]))
		status = take_connect(t, there, end, &state);
	else
		status = take_connect(t, end, there, &state);
	if (status)
		return TAKE_LINK_FAILED;
	return state.up ? TAKE_LINK : TAKE_LINK_WAITS;
}

/* ---- counters ---------------------------------------------------------------------------- */

void take_counters(struct take *t, struct view_end end, const uint8_t data[MADKIT_SWEEP_INFO_BYTES])
{
	struct view_port *p = view_port(t->view, end);
	struct view_link *l = view_link_of(t->view, end);
	const uint8_t downed = (uint8_t)take_get(data, MADKIT_PORT_COUNTERS_LINK_DOWNED_COUNTER);

	if (l && l->pending)
		change_count(l, end, p, downed);
	p->counted = true;
	p->downed = downed;
}

/* ---- a sweep ----------------------------------------------------------------------------- */

/* Checks if the link of a port is taken from here: each link is taken once, at a switch if one end is that of a switch. */
static bool take_from_here(const struct madkit_sweep *sweep, uint32_t i, unsigned int port)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(sweep, i);
	const struct madkit_sweep_node *peer = madkit_sweep_node(sweep, n->ports[port].peer);
	const bool here = n->type == MADKIT_NODE_TYPE_SWITCH, there = peer->type == MADKIT_NODE_TYPE_SWITCH;

	if (here != there)
		return here;
	return n->ports[port].peer > i || (n->ports[port].peer == i && n->ports[port].peer_port >= port);
}

static int take_sweep_ports(struct take *t, const struct madkit_sweep *sweep, uint32_t i)
{
	const struct madkit_sweep_node *from = madkit_sweep_node(sweep, i);
	const struct view_node *n = view_of_guid(t->view, from->guid);
	int status = EXIT_DONE;

	for (unsigned int port = 1; !status && port <= from->nports && port <= n->nports; port++) {
		const struct madkit_sweep_port *p = &from->ports[port];
		const struct view_end end = { n->number, (uint8_t)port };
		const struct view_node *far;
		struct take_state state;

		if (p->state == MADKIT_SWEEP_ANSWERED) {
			take_port(t, end, p->info);
			if (view_port(t->view, end)->state == MADKIT_PORT_STATE_DOWN)
				take_down(t, end);
		}
		if (p->peer == MADKIT_SWEEP_NONE || !take_from_here(sweep, i, port))
			continue;
		far = view_of_guid(t->view, madkit_sweep_node(sweep, p->peer)->guid);
		state = take_state_of(sweep, i, port);
		if (p->peer_port <= far->nports)
			status = take_connect(t, end, (struct view_end){ far->number, p->peer_port }, &state);
	}
	return status;
}

/* Takes the links between nodes of which the sweep has found neither. */
static void take_unseen(struct take *t)
{
	for (uint32_t i = 0; i < t->view->nnodes; i++) {
		const struct view_node *n = t->view->nodes[i];

		for (unsigned int port = 1; !n->seen && port <= n->nports; port++) {
			const struct view_link *l = view_link(t->view, n->ports[port].link);

			if (l && !t->view->nodes[l->ends[0].node]->seen &&
			    !t->view->nodes[l->ends[1].node]->seen)
				take_down(t, l->ends[0]);
		}
	}
}

int take_sweep(struct take *t, const struct madkit_sweep *sweep, const struct madkit_port_info *own)
{
	struct madkit_sweep_counts counts;
	const struct view_node *here;
	int status = EXIT_DONE;

	madkit_sweep_count(sweep, &counts);
	for (uint32_t i = 0; i < counts.nodes; i++)
		if (!take_node(t, sweep, i, true))
			return EXIT_LOCAL;
	for (uint32_t i = 0; !status && i < counts.nodes; i++)
		status = take_sweep_ports(t, sweep, i);
	/* what the sweep has missed is not known to be gone */
	if (!status && !counts.missing && !counts.silent)
		take_unseen(t);
	here = counts.nodes ? view_of_guid(t->view, madkit_sweep_node(sweep, 0)->guid) : NULL;
	if (here)
		t->view->here = (struct view_end){ here->number, (uint8_t)own->port };
	t->view->dirty = true;
	return status;
}
