/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include "port_table.h"
#include "sweep_list.h"

enum { SWEEPING_FLUSH = 1 << 16 };

/* Initialises the record of a port, with the message of a line. */
static void sweeping_record(struct sweeping *s, const struct scope_port *at, enum madkit_message_kind kind,
			    struct madkit_sweep_record *record)
{
	s->net.x.seq++;
	scope_record(&s->scope, at, record);
	record->message.kind = kind;
}

/* Returns NULL if the port is not on a route. */
static const struct route_place *sweeping_place(const struct sweeping *s, const struct scope_port *at)
{
	return s->routes.places ? &s->routes.places[at - s->scope.ports] : NULL;
}

/* Returns the fault of a port or of the node behind it, or NULL. */
static const char *sweeping_fault(const struct madkit_sweep_node *n, unsigned int port)
{
	const struct madkit_sweep_port *p = &n->ports[port];

	if (gaps_duplicate(n, port))
		return gaps_duplicate(n, port);
	if (!n->guid)
		return "GUID 0";
	if (p->far == MADKIT_SWEEP_SILENT)
		return "no response from the node behind it";
	if (p->far == MADKIT_SWEEP_REFUSED)
		return "contradictory response from the node behind it";
	if (n->state == MADKIT_SWEEP_SILENT)
		return "no longer responds";
	return p->state == MADKIT_SWEEP_SILENT ? "no response to PortInfo" : NULL;
}

/* Notes the fault of a port, why its link is below its best, or how a route uses it. */
static void sweeping_note(const struct sweeping *s, const struct scope_port *at,
			  const struct madkit_record *port, struct port_note *note)
{
	const struct route_place *place = sweeping_place(s, at);
	struct madkit_sweep_link link;

	*note = (struct port_note){ .color = MADKIT_COLOR_RED };
	note->text = place ? route_note(&s->routes, place, note->buf) : NULL;
	if (note->text) {
		if (!route_is_broken(place))
			note->color = MADKIT_COLOR_NONE;
		return;
	}
	note->text = sweeping_fault(madkit_sweep_node(s->net.sweep, at->node), at->port);
	if (note->text)
		return;
	madkit_sweep_link_get(s->net.sweep, at->node, at->port, &link);
	port_link_note(port, &link, note);
}

static void sweeping_show_port(struct sweeping *s, struct madkit_grid *table, const struct scope_port *at)
{
	const struct route_place *place = sweeping_place(s, at);
	struct output *out = s->net.x.out;
	struct madkit_sweep_record record;
	const struct route_view view = { &s->routes, place };
	const struct madkit_object hop = { route_write, &view };
	struct port_note note;

	sweeping_record(s, at, MADKIT_MESSAGE_PORT, &record);
	if (!output_pass_record(out, &record.record))
		return;
	if (assertion_try_port(&out->assertion, &record.record))
		port_describe(&record.record, out->assertion.failure, sizeof(out->assertion.failure));
	if (table && place && place->quiet)
		return;
	if (table) {
		sweeping_note(s, at, &record.record, &note);
		if (port_table_add(table, &record.record, &note) && !out->status)
			out->status = cli_no_memory();
		return;
	}
	if (place)
		record.message.hop = &hop;
	output_line(out, &record.message);
}

/* Shows a node that does not respond, by the port that leads to it; or, if gone, by the port through which it
 * was found. */
static void sweeping_show_silent(struct sweeping *s, const struct scope_port *at, bool gone)
{
	struct madkit_sweep_record record;
	struct madkit_addr to;

	sweeping_record(s, at, MADKIT_MESSAGE_TIMEOUT, &record);
	record.message.send_status = ETIMEDOUT;
	if (madkit_sweep_route(s->net.sweep, at->node, &to) && (gone || to.hops < MADKIT_HOPS_MAX)) {
		if (!gone)
			to.path[++to.hops] = at->port;
		record.message.remote = &to;
	}
	output_line(s->net.x.out, &record.message);
}

void sweeping_show_all_silent(struct sweeping *s)
{
	bool gone;

	for (size_t i = 0; s->net.x.out->format == FORMAT_JSON && i < s->scope.n; i++) {
		const struct scope_port *at = &s->scope.ports[i];

		if (gaps_is_silent(s->net.sweep, at->node, at->port, &gone))
			sweeping_show_silent(s, at, gone);
	}
}

static void sweeping_end_table(struct sweeping *s, struct madkit_grid *table)
{
	if (table)
		madkit_grid_write(table, &s->net.x.out->buf);
	madkit_grid_free(table);
}

/* Begins the table of a route, if the route begins with this port. Returns false if memory ran out. */
static bool sweeping_begin_table(struct sweeping *s, size_t i, struct madkit_grid **table)
{
	if (!s->routes.places || !route_begins(&s->routes, i))
		return true;
	if (i) {
		sweeping_end_table(s, *table);
		*table = port_table_new(&s->net.x.out->terminal);
	}
	route_title(&s->routes, &s->scope, i, &s->net.x.out->buf);
	return *table;
}

/* Sorts the ports by the field of --sort. */
static int sweeping_sort(struct sweeping *s)
{
	struct order_keys *keys = order_keys_new(&s->order, s->scope.n);
	struct scope_port *sorted = calloc(s->scope.n + 1, sizeof(*sorted));
	struct madkit_sweep_record record;
	int status = keys && sorted ? EXIT_DONE : cli_no_memory();

	for (size_t i = 0; !status && i < s->scope.n; i++) {
		scope_record(&s->scope, &s->scope.ports[i], &record);
		order_keys_add(keys, &record.record, i);
	}
	if (!status)
		status = order_keys_sort(keys);
	for (size_t i = 0; !status && i < s->scope.n; i++)
		sorted[i] = s->scope.ports[order_keys_at(keys, i)];
	if (!status) {
		struct scope_port *unsorted = s->scope.ports;

		s->scope.ports = sorted;
		sorted = unsorted;
	}
	free(sorted);
	order_keys_free(keys);
	return status;
}

/* Checks if --top leaves out the rest. */
static bool sweeping_is_over(const struct sweeping *s)
{
	return s->options->top && s->net.x.out->shown - s->shown >= s->options->top;
}

int sweeping_show(struct sweeping *s)
{
	struct output *out = s->net.x.out;
	struct madkit_grid *table = NULL;
	int status = s->order.field ? sweeping_sort(s) : EXIT_DONE;

	if (status)
		return status;
	/* text output with --fields is a table of the fields */
	if (out->format == FORMAT_TEXT && out->fields)
		output_table(out, s->net.x.options, s->net.x.options->output.fields);
	else if (out->format == FORMAT_TEXT)
		table = port_table_new(&out->terminal);
	if (!table && !out->table && out->format != FORMAT_JSON)
		return cli_no_memory();
	if (table && s->net.titled)
		madkit_buf_printf(&out->buf, "# %s\n", s->net.x.info->device);
	for (size_t i = 0;
	     i < s->scope.n && !sweeping_is_over(s) && (s->stopped || !cli_stopped()) && !out->status; i++) {
		const struct scope_port *at = &s->scope.ports[i];

		if (table && !sweeping_begin_table(s, i, &table))
			return cli_no_memory();
		sweeping_show_port(s, table, at);
		if (out->buf.len >= SWEEPING_FLUSH)
			output_flush(out);
	}
	sweeping_end_table(s, table);
	output_rows(out);
	output_flush(out);
	return cli_stopped() ? cli_stopped_status() : EXIT_DONE;
}
