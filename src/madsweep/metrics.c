/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/madkit.h>
#include "metrics.h"
#include "subnet/subnet.h"

bool metrics_may_begin(uint32_t missing)
{
	return !(missing & ~(uint32_t)(MADKIT_SWEEP_WITHHELD | MADKIT_SWEEP_FULL | MADKIT_SWEEP_FAR |
				       MADKIT_SWEEP_MISMATCH));
}

int metrics_new(const struct madsweep_options *o, struct metrics **metrics)
{
	struct metrics *m = calloc(1, sizeof(*m));

	*metrics = m;
	if (!m)
		return cli_no_memory();
	m->hcas = o->hca;
	m->whole = !o->from && !o->have_hops && !o->select && !o->behind;
	m->all = madkit_metrics_new();
	if (!m->all)
		return cli_no_memory();
	return metrics_file_read(&m->file, o->output && strcmp(o->output, "-") ? o->output : NULL);
}

void metrics_free(struct metrics *m)
{
	if (!m)
		return;
	madkit_metrics_free(m->all);
	metrics_file_free(&m->file);
	free(m->firsts);
	free(m->devices);
	free(m->rows);
	free(m);
}

/* ---- devices and ports ------------------------------------------------------------------- */

static bool metrics_is_switch(const struct madkit_sweep_node *n)
{
	return n->type == MADKIT_NODE_TYPE_SWITCH;
}

/* Adds a switch, or a port of another node. A name that the firmware has set does not replace that of an earlier run. */
static int metrics_add_device(struct metrics *m, const struct madkit_sweep *sweep, uint32_t node,
			      unsigned int port, uint32_t *number)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(sweep, node);
	const struct subnet_name name = subnet_name(sweep, n);
	struct madkit_metrics_device d = { .type = n->type, .name = name.text, .name_len = name.len };
	struct madkit_sweep_lids lids;
	struct metrics_known *known;
	char guid[20];

	madkit_sweep_lids(sweep, node, port, &lids);
	d.lid = lids.base;
	d.guid = n->ports[port].guid ? n->ports[port].guid : metrics_is_switch(n) ? n->guid : 0;
	known = metrics_file_find(&m->file, d.guid);
	if (known)
		known->found = true;
	if (known && (!name.len || madkit_name_is_default(name.text, name.len))) {
		d.name = m->file.texts.data + known->name;
		d.name_len = known->len;
	}
	snprintf(guid, sizeof(guid), "0x%016" PRIx64, d.guid);
	if (!d.name_len) {
		d.name = guid;
		d.name_len = strlen(guid);
	}
	return madkit_metrics_add_device(m->all, &d, number);
}

/* Returns the number of devices of a node. */
static unsigned int metrics_devices(const struct madkit_sweep_node *n)
{
	return metrics_is_switch(n) ? 1 : n->nports;
}

/* Adds all devices of the subnet, because each can be at the other end of a link. */
static int metrics_add_devices(struct metrics *m, const struct madkit_sweep *sweep)
{
	struct madkit_sweep_counts counts;
	size_t n = 0, total = 0;
	int ret = 0;

	madkit_sweep_count(sweep, &counts);
	for (uint32_t i = 0; i < counts.nodes; i++)
		total += metrics_devices(madkit_sweep_node(sweep, i));
	free(m->firsts);
	free(m->devices);
	m->firsts = calloc(counts.nodes + 1u, sizeof(*m->firsts));
	m->devices = calloc(total + 1, sizeof(*m->devices));
	if (!m->firsts || !m->devices)
		return -ENOMEM;
	for (uint32_t i = 0; i < counts.nodes; i++) {
		const struct madkit_sweep_node *node = madkit_sweep_node(sweep, i);

		m->firsts[i] = n;
		for (unsigned int j = 0; j < metrics_devices(node) && !ret; j++)
			ret = metrics_add_device(m, sweep, i, metrics_is_switch(node) ? 0 : j + 1,
						 &m->devices[n++]);
	}
	return ret;
}

/* Returns the number of the device that a port belongs to. */
static uint32_t metrics_device(const struct metrics *m, const struct madkit_sweep *sweep, uint32_t node,
			       unsigned int port)
{
	return m->devices[m->firsts[node] +
			  (metrics_is_switch(madkit_sweep_node(sweep, node)) ? 0 : port - 1)];
}

static bool metrics_is_up(const struct madkit_sweep_port *p)
{
	uint64_t state;

	return p->state == MADKIT_SWEEP_ANSWERED &&
	       !madkit_get(p->info, sizeof(p->info), MADKIT_PORT_INFO_LINK_STATE, &state) &&
	       state >= MADKIT_PORT_STATE_INITIALIZE;
}

static int metrics_add_port(struct metrics *m, const struct madkit_sweep *sweep, const struct scope_port *at,
			    uint32_t *number)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(sweep, at->node);
	const struct madkit_sweep_port *p = &n->ports[at->port];
	struct madkit_metrics_port port = {
		.device = metrics_device(m, sweep, at->node, at->port),
		.number = at->port,
		.peer = MADKIT_METRICS_NONE,
		.known = p->state == MADKIT_SWEEP_ANSWERED && n->state == MADKIT_SWEEP_ANSWERED,
		.up = metrics_is_up(p),
	};
	struct madkit_sweep_rates rates;

	madkit_sweep_rates_get(sweep, at->node, at->port, &rates);
	port.width = rates.width;
	port.speed = rates.speed;
	if (p->peer != MADKIT_SWEEP_NONE &&
	    p->peer_port | metrics_is_switch(madkit_sweep_node(sweep, p->peer))) {
		port.peer = metrics_device(m, sweep, p->peer, p->peer_port);
		port.peer_number = p->peer_port;
	}
	return madkit_metrics_add_port(m->all, &port, number);
}

/* Checks if a port has metrics: external ports of switches, and ports of channel adapters with a link. */
static bool metrics_suits(const struct metrics *m, const struct madkit_sweep *sweep,
			  const struct scope_port *at)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(sweep, at->node);

	if (metrics_is_switch(n))
		return at->port;
	return m->hcas && n->type == MADKIT_NODE_TYPE_CHANNEL_ADAPTER && at->port &&
	       (n->ports[at->port].state != MADKIT_SWEEP_ANSWERED || metrics_is_up(&n->ports[at->port]));
}

int metrics_begin(struct metrics *m, struct scope *scope)
{
	const struct madkit_sweep *sweep = scope->area.sweep;
	int ret = metrics_add_devices(m, sweep);
	uint32_t number = 0;
	size_t n = 0;

	free(m->rows);
	m->rows = NULL;
	for (size_t i = 0; i < scope->n && !ret; i++) {
		if (!metrics_suits(m, sweep, &scope->ports[i]))
			continue;
		ret = metrics_add_port(m, sweep, &scope->ports[i], &number);
		m->first = n ? m->first : number;
		scope->ports[n++] = scope->ports[i];
	}
	scope->n = n;
	m->any |= !ret;
	return ret ? cli_no_memory() : EXIT_DONE;
}

/* ---- results ----------------------------------------------------------------------------- */

void metrics_take(struct metrics *m, size_t at, const struct madkit_message *message, bool malformed)
{
	struct madkit_message copy = *message;

	if (malformed) {
		copy.kind = MADKIT_MESSAGE_ERROR;
		copy.send_status = EBADMSG;
	}
	madkit_metrics_take(m->all, m->rows ? m->rows[at] : m->first + (uint32_t)at, &copy);
}

int metrics_part(struct metrics *m, const struct scope *scope, const struct madkit_attribute *attribute,
		 struct scope *part)
{
	*part = *scope;
	part->n = 0;
	part->ports = calloc(scope->n + 1, sizeof(*part->ports));
	m->rows = calloc(scope->n + 1, sizeof(*m->rows));
	if (!part->ports || !m->rows)
		return cli_no_memory();
	for (size_t i = 0; i < scope->n; i++) {
		const uint32_t row = m->first + (uint32_t)i;

		if (!madkit_metrics_lacks(m->all, row, attribute))
			continue;
		m->rows[part->n] = row;
		part->ports[part->n++] = scope->ports[i];
	}
	return EXIT_DONE;
}

void metrics_end(struct metrics *m, const struct scope *scope, const struct gaps *gaps, uint64_t sweep_ns,
		 uint64_t survey_ns)
{
	struct madkit_message message;

	m->run.sweep_us += sweep_ns / 1000;
	m->run.survey_us += survey_ns / 1000;
	m->run.sweep_errors += gaps->refused + gaps->partial;
	m->run.sweep_timeouts += gaps->silent;
	m->incomplete |= gaps->silent || gaps->missing;
	exchange_message(scope->x, MADKIT_MESSAGE_SUMMARY, &message);
	m->run.ended = message.time.tv_sec;
}

/* Adds the devices of the earlier run that were not found, because they or others do not respond. */
static int metrics_add_missing(struct metrics *m)
{
	uint32_t number;
	int ret = 0;

	for (size_t i = 0; m->whole && m->incomplete && i < m->file.n && !ret; i++) {
		const struct metrics_known *known = &m->file.known[i];
		const struct madkit_metrics_device d = { .type = known->type,
							 .guid = known->guid,
							 .lid = known->lid,
							 .name = m->file.texts.data + known->name,
							 .name_len = known->len,
							 .shown = true };

		if (!known->found && (m->hcas || d.type == MADKIT_NODE_TYPE_SWITCH))
			ret = madkit_metrics_add_device(m->all, &d, &number);
	}
	return ret;
}

int metrics_write(struct metrics *m, struct output *out)
{
	if (!m->any && m->file.path)
		cli_say("'%s' was not changed", m->file.path);
	if (!m->any)
		return EXIT_DONE;
	if (metrics_add_missing(m))
		return cli_no_memory();
	return metrics_file_write(&m->file, m->all, &m->run, out);
}
