/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "cli/terminal.h"
#include "madport.h"
#include "util/array_size.h"

void port_put_set(struct madkit_buf *buf, const char *field, uint32_t set)
{
	const char *best = NULL;
	bool gap = false, range = !strcmp(field, "speed");

	for (const struct madkit_value *v = port_values(field); v->name; v++) {
		if (set & v->value) {
			best = v->name;
			range &= !gap;
		}
		/* FDR10 is of one vendor only */
		gap |= !(set & v->value) && strcmp(v->name, "FDR10") != 0;
	}
	if (!best || range)
		madkit_buf_printf(buf, "%s%s", best ? "up to " : "", best ? best : "unknown");
	for (const struct madkit_value *v = port_values(field); v->name && !range; v++)
		if (set & v->value)
			madkit_buf_printf(buf, "%s%s", v->name, v->name == best ? "" : " ");
}

/* ---- text ------------------------------------------------------------------------------ */

enum show_field {
	SHOW_NODE,
	SHOW_GUID,
	SHOW_LID,
	SHOW_STATE,
	SHOW_LINK,
	SHOW_WIDTHS_ENABLED,
	SHOW_WIDTHS,
	SHOW_SPEEDS_ENABLED,
	SHOW_SPEEDS,
	SHOW_MTU,
	SHOW_ERRORS,
	SHOW_FIELDS,
};

/* Rows of registers, which are left out if no end has a value. */
static const struct show_register {
	const char *label;
	void (*put)(const struct cable_end *end, struct madkit_buf *buf);
	enum cable_page page;
	bool up;    /* only of a link that is up */
	bool usual; /* most devices have a value: one that was not read is shown, too */
} show_registers[] = {
	{ "last link-down", cable_put_down, CABLE_DOWN, false, false },
	{ "module", cable_put_module, CABLE_MODULE, false, true },
	{ "bit errors", cable_put_bits, CABLE_BITS, true, true },
};

static const char *const show_labels[SHOW_FIELDS] = {
	[SHOW_NODE] = "node",
	[SHOW_GUID] = "GUID",
	[SHOW_LID] = "LID",
	[SHOW_STATE] = "state",
	[SHOW_LINK] = "link",
	[SHOW_WIDTHS_ENABLED] = "widths enabled",
	[SHOW_WIDTHS] = "widths supported",
	[SHOW_SPEEDS_ENABLED] = "speeds enabled",
	[SHOW_SPEEDS] = "speeds supported",
	[SHOW_MTU] = "MTU",
	[SHOW_ERRORS] = "errors",
};

/* Returns counter i of those that madcheck has limits for; NULL: there are no more. */
static const char *show_counter(size_t i)
{
	size_t count;
	const struct madkit_rule *rule = madkit_health_rules(&count);

	while (strcmp(rule->name, "counters") != 0)
		rule++;
	/* a counter without a limit by default is not one of errors */
	return i < rule->nlimits && rule->limits[i].value < UINT32_MAX ? rule->limits[i].key : NULL;
}

/* Returns a counter of an end; 0 if it was not read. */
static uint64_t show_count(const struct cable_end *end, const char *counter)
{
	struct madkit_record record;
	uint64_t value = 0;

	if (end->errors.mad && !end->answer.status) {
		madkit_record_get(&end->answer.message, 0, &record);
		madkit_record_value(&record, counter, &value);
	}
	return value;
}

static void show_put_errors(const struct cable_end *end, struct madkit_buf *buf)
{
	const char *counter;
	unsigned int n = 0;

	for (size_t i = 0; (counter = show_counter(i)); i++)
		n += show_count(end, counter) > 0;
	if (!end->errors.mad)
		madkit_buf_str(buf, "not read (no LID)");
	else if (end->answer.status)
		madkit_buf_str(buf, end->answer.status == EXIT_TIMEOUT ? "not read (no response)" :
									 "not read (refused)");
	else if (n)
		madkit_buf_printf(buf, "%u %s", n, n == 1 ? "counter" : "counters");
	else
		madkit_buf_str(buf, "none");
}

static void show_put_state(const struct cable *c, unsigned int end, struct madkit_buf *buf)
{
	const uint64_t state = cable_info(c, end, MADKIT_PORT_INFO_LINK_STATE);
	const uint64_t phys = cable_info(c, end, MADKIT_PORT_INFO_PHYS_LINK_STATE);

	if (state > MADKIT_PORT_STATE_DOWN)
		madkit_buf_str(buf, port_value_name("state", state));
	else
		madkit_buf_printf(buf, "Down (%s)", port_value_name("phys", phys));
}

static void show_put_link(const struct madkit_sweep_rates *rates, const struct madkit_sweep_link *link,
			  struct madkit_buf *buf)
{
	const uint64_t gbps = madkit_sweep_gbps(rates->width, rates->speed);

	if (!rates->width && !rates->speed) {
		madkit_buf_str(buf, "none");
		return;
	}
	madkit_buf_printf(buf, "%s %s", port_value_name("width", rates->width),
			  port_value_name("speed", rates->speed));
	if (gbps)
		madkit_buf_printf(buf, ", %" PRIu64 " Gb/s", gbps);
	if (gbps && link->limits & MADKIT_SWEEP_LINK_SLOW)
		madkit_buf_printf(buf, " of %" PRIu64,
				  madkit_sweep_gbps(link->width_enabled, link->speed_enabled));
}

static void show_put_name(const struct cable *c, const struct madkit_sweep_node *node, struct madkit_buf *buf)
{
	const struct subnet_name name = subnet_name(c->m->net.sweep, node);

	madkit_text_escape(buf, name.len ? name.text : "unknown", name.len ? name.len : strlen("unknown"));
}

/* Appends a cell: a field of an end. */
static void show_put(const struct cable *c, unsigned int i, enum show_field field, struct madkit_buf *buf)
{
	const struct cable_end *end = &c->ends[i];
	const struct madkit_sweep_node *node = madkit_sweep_node(c->m->net.sweep, end->at.node);
	const uint64_t guid = cable_port(c, i)->guid;
	struct madkit_sweep_rates rates;
	struct madkit_sweep_link link;

	if (field >= SHOW_STATE && cable_port(c, i)->state != MADKIT_SWEEP_ANSWERED) {
		madkit_buf_str(buf, "no response");
		return;
	}
	madkit_sweep_rates_get(c->m->net.sweep, end->at.node, end->at.port, &rates);
	madkit_sweep_link_get(c->m->net.sweep, end->at.node, end->at.port, &link);
	switch (field) {
	case SHOW_NODE:
		show_put_name(c, node, buf);
		break;
	case SHOW_GUID:
		madkit_buf_printf(buf, "0x%016" PRIx64, guid ? guid : node->guid);
		break;
	case SHOW_LID:
		madkit_buf_printf(buf, end->lid ? "%" PRIu32 : "none", end->lid);
		break;
	case SHOW_STATE:
		show_put_state(c, i, buf);
		break;
	case SHOW_LINK:
		show_put_link(&rates, &link, buf);
		break;
	case SHOW_WIDTHS_ENABLED:
		port_put_set(buf, "width", rates.widths_enabled);
		break;
	case SHOW_WIDTHS:
		port_put_set(buf, "width", rates.widths_supported);
		break;
	case SHOW_SPEEDS_ENABLED:
		port_put_set(buf, "speed", rates.speeds_enabled);
		break;
	case SHOW_SPEEDS:
		port_put_set(buf, "speed", rates.speeds_supported);
		break;
	case SHOW_MTU:
		madkit_buf_printf(buf, "%u of %u", 128u << cable_info(c, i, MADKIT_PORT_INFO_NEIGHBOR_MTU),
				  128u << cable_info(c, i, MADKIT_PORT_INFO_MTU_CAP));
		break;
	default:
		show_put_errors(end, buf);
	}
}

/* Returns the colour of a field of an end. */
static enum madkit_color show_color(const struct cable *c, unsigned int i, enum show_field field)
{
	if (field >= SHOW_STATE && cable_port(c, i)->state != MADKIT_SWEEP_ANSWERED)
		return MADKIT_COLOR_RED;
	if (field == SHOW_ERRORS && c->ends[i].answer.status)
		return MADKIT_COLOR_RED;
	return MADKIT_COLOR_NONE;
}

static int show_end_row(struct madkit_grid *g, const struct cable *c, enum show_field field)
{
	int ret;

	madkit_buf_str(madkit_grid_cell(g), show_labels[field]);
	ret = madkit_grid_end_cell(g);
	for (unsigned int i = 0; i < c->n; i++) {
		madkit_grid_color(g, show_color(c, i, field));
		show_put(c, i, field, madkit_grid_cell(g));
		ret = madkit_grid_end_cell(g);
	}
	return ret;
}

/* Adds a row for a counter, unless it is 0 at all ends. */
static int show_counter_row(struct madkit_grid *g, const struct cable *c, const char *counter)
{
	uint64_t counts[2] = { 0, 0 };
	int ret;

	for (unsigned int i = 0; i < c->n; i++)
		counts[i] = show_count(&c->ends[i], counter);
	if (!counts[0] && !counts[1])
		return 0;
	madkit_buf_str(madkit_grid_cell(g), counter);
	ret = madkit_grid_end_cell(g);
	for (unsigned int i = 0; i < c->n; i++) {
		madkit_grid_color(g, counts[i] ? MADKIT_COLOR_YELLOW : MADKIT_COLOR_NONE);
		madkit_buf_printf(madkit_grid_cell(g), "%" PRIu64, counts[i]);
		ret = madkit_grid_end_cell(g);
	}
	return ret;
}

/* Checks if a register of an end could not be read, although the end may have it. */
static bool show_is_unread(const struct cable_end *end, const struct show_register *row)
{
	return *end->pages.why && !cable_page_get(&end->pages, row->page);
}

/* Checks if an end has something to show in a row. */
static bool show_has_register(const struct cable_end *end, const struct show_register *row)
{
	struct madkit_buf cell;
	bool found;

	if (row->usual && show_is_unread(end, row))
		return true;
	madkit_buf_init(&cell, 0);
	row->put(end, &cell);
	found = cell.len;
	madkit_buf_free(&cell);
	return found;
}

/* Adds a row of registers, unless no end has a value. */
static int show_register_row(struct madkit_grid *g, const struct cable *c, const struct show_register *row)
{
	bool found = false;
	int ret;

	for (unsigned int i = 0; i < c->n && (c->up || !row->up); i++)
		found |= show_has_register(&c->ends[i], row);
	if (!found)
		return 0;
	madkit_buf_str(madkit_grid_cell(g), row->label);
	ret = madkit_grid_end_cell(g);
	for (unsigned int i = 0; i < c->n; i++) {
		struct madkit_buf *end = madkit_grid_cell(g);
		const size_t before = end->len;

		row->put(&c->ends[i], end);
		if (end->len == before)
			madkit_buf_char(end, show_is_unread(&c->ends[i], row) ? '?' : '-');
		ret = madkit_grid_end_cell(g);
	}
	return ret;
}

/* Appends both ends side by side, their places at the top. */
static int show_table(const struct cable *c, struct output *out)
{
	struct madkit_grid *g = madkit_grid_new(2);
	const char *counter;
	int ret = g ? madkit_grid_add_column(g, "", 0) : -ENOMEM;

	if (g)
		madkit_grid_set_terminal(g, &out->terminal);
	for (unsigned int i = 0; i < c->n && !ret; i++)
		ret = madkit_grid_add_column(g, c->ends[i].place, MADKIT_GRID_NAME);
	for (enum show_field field = 0; field < SHOW_FIELDS && !ret; field++)
		ret = show_end_row(g, c, field);
	for (size_t i = 0; !ret && (counter = show_counter(i)); i++)
		ret = show_counter_row(g, c, counter);
	for (size_t i = 0; i < ARRAY_SIZE(show_registers) && !ret; i++)
		ret = show_register_row(g, c, &show_registers[i]);
	if (!ret)
		madkit_grid_write(g, &out->buf);
	madkit_grid_free(g);
	cable_put(c, &out->buf, &out->terminal);
	return ret ? cli_no_memory() : EXIT_DONE;
}

/* Appends the verdict, and each problem with the next step. */
static void show_verdict(const struct cable *c, struct madkit_buf *buf, const struct madkit_terminal *t)
{
	const struct madkit_problem *problem;

	madkit_buf_printf(buf, "%s%s%s: ", c->ends[0].place, c->n > 1 ? " <-> " : "",
			  c->n > 1 ? c->ends[1].place : "");
	show_put(c, 0, SHOW_STATE, buf);
	if (c->up) {
		madkit_buf_str(buf, ", ");
		show_put(c, 0, SHOW_LINK, buf);
	}
	if (c->up && c->silent && c->n == 1 && cable_port(c, 0)->far == MADKIT_SWEEP_UNKNOWN)
		madkit_buf_str(buf, "; the other end was not read, because its M_Key is not known (--m-key)");
	else if (c->up && c->silent)
		terminal_put(buf, "; the other end does not respond", MADKIT_COLOR_RED, t);
	else if (c->up && cable_problem(c, 0))
		terminal_put(buf, "; not as good as it could be", MADKIT_COLOR_YELLOW, t);
	else if (c->up)
		madkit_buf_str(buf, ", as good as both ends support");
	madkit_buf_char(buf, '\n');
	for (size_t i = 0; (problem = cable_problem(c, i)); i++) {
		terminal_put(buf, problem->rule->name,
			     problem->severity == MADKIT_SEVERITY_CRITICAL ? MADKIT_COLOR_RED :
									     MADKIT_COLOR_YELLOW,
			     t);
		madkit_buf_printf(buf, " %s: %s\n  next: ", problem->place, problem->text);
		judge_put_next(buf, &c->m->net, problem);
		madkit_buf_char(buf, '\n');
	}
}

/* ---- JSON ------------------------------------------------------------------------------ */

/* Makes the record of an end, with the message of a new line. */
static void show_record(const struct cable *c, unsigned int end, enum madkit_message_kind kind,
			struct madkit_sweep_record *record)
{
	struct exchange *x = &c->m->net.x;

	x->seq++;
	madkit_sweep_record_get(c->m->net.sweep, c->ends[end].at.node, c->ends[end].at.port, record);
	exchange_message(x, kind, &record->message);
	record->message.port = &record->record;
}

/* Writes the response to a request about an end. */
static void show_answer(const struct cable *c, unsigned int end, const struct request *request,
			const struct answer *answer, struct output *out)
{
	struct madkit_message message = answer->message;
	struct madkit_sweep_record port;

	if (!request->mad || message.kind == MADKIT_MESSAGE_EVENT)
		return;
	show_record(c, end, MADKIT_MESSAGE_PORT, &port);
	message.port = &port.record;
	output_message(out, &message);
}

static void show_lines(const struct cable *c, struct output *out)
{
	const struct madkit_problem *problem;
	struct madkit_health_record broken;
	struct madkit_sweep_record port;

	for (unsigned int i = 0; i < c->n; i++) {
		show_record(c, i, MADKIT_MESSAGE_PORT, &port);
		output_line(out, &port.message);
	}
	if (c->silent) {
		show_record(c, 0, MADKIT_MESSAGE_TIMEOUT, &port);
		port.message.send_status = ETIMEDOUT;
		output_line(out, &port.message);
	}
	for (unsigned int i = 0; i < c->n; i++)
		show_answer(c, i, &c->ends[i].errors, &c->ends[i].answer, out);
	for (unsigned int i = 0; i < c->n; i++)
		for (enum cable_page page = 0; page < CABLE_PAGES; page++)
			show_answer(c, i, &c->ends[i].pages.requests[page], &c->ends[i].pages.answers[page],
				    out);
	for (size_t i = 0; (problem = cable_problem(c, i)); i++) {
		show_record(c, 0, MADKIT_MESSAGE_PORT, &port);
		madkit_health_record(problem, MADKIT_PROBLEM_EVENT_OPEN, NULL, &broken);
		exchange_message(&c->m->net.x, MADKIT_MESSAGE_PROBLEM, &broken.message);
		broken.message.problem = &broken.record;
		broken.message.port = &port.record;
		output_message(out, &broken.message);
	}
}

/* Reports why registers were not read. */
static void show_unread(const struct cable *c)
{
	bool locked = false;

	for (unsigned int i = 0; i < c->n; i++) {
		if (*c->ends[i].pages.why)
			cli_say("not all registers of %s were read: %s", c->ends[i].place,
				c->ends[i].pages.why);
		locked |= c->ends[i].pages.locked;
	}
	if (locked)
		request_hint_v_key();
}

int port_show(struct madport *m)
{
	struct output *out = m->net.x.out;
	struct cable c = { .m = m };
	int status = cable_read(&c);

	for (unsigned int i = 0; i < c.n && !status; i++)
		cable_pages_read(&c, i);
	if (!status && cli_stopped())
		status = cli_stopped_status();
	if (!status)
		show_unread(&c);
	if (!status && out->format == FORMAT_JSON) {
		show_lines(&c, out);
	} else if (!status) {
		show_verdict(&c, &out->buf, &out->terminal);
		status = show_table(&c, out);
	}
	if (!status)
		status = output_flush(out);
	if (!status)
		status = c.silent || c.judged.cut      ? EXIT_TIMEOUT :
			 !c.up || cable_problem(&c, 0) ? EXIT_NOTHING :
							 EXIT_DONE;
	for (unsigned int i = 0; i < ARRAY_SIZE(c.ends); i++)
		cable_pages_free(&c.ends[i].pages);
	cable_free(&c);
	return status;
}
