/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shows the results of a survey, in the order of its targets if they are held. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "metrics.h"
#include "port_table.h"
#include "route.h"
#include "survey_run.h"
#include "util/array_size.h"

enum { SURVEY_FLUSH = 1 << 16 };

/* ---- names ---------------------------------------------------------------------------- */

bool survey_name(const struct madkit_sweep *sweep, uint32_t node, char name[SURVEY_NAME_BYTES])
{
	const struct madkit_sweep_node *n = madkit_sweep_node(sweep, node);
	const char *given = madkit_sweep_name(sweep, n);
	const bool described = n->described == MADKIT_SWEEP_ANSWERED;
	const char *known = given ? given : described ? (const char *)n->description : NULL;

	if (known && *known)
		snprintf(name, SURVEY_NAME_BYTES, "%.64s", known);
	else
		snprintf(name, SURVEY_NAME_BYTES, "0x%016" PRIx64, n->guid);
	return known;
}

const char *survey_about(const struct survey *s, const struct madkit_survey_result *r,
			 char about[SURVEY_ABOUT_BYTES])
{
	char name[SURVEY_NAME_BYTES];

	survey_name(s->scope->area.sweep, r->node, name);
	if (s->counts.by_port && r->about == MADKIT_SURVEY_TARGET)
		snprintf(about, SURVEY_ABOUT_BYTES, "%s port %u", name, r->port);
	else
		snprintf(about, SURVEY_ABOUT_BYTES, "%s", name);
	return about;
}

void survey_request(const struct survey *s, const struct madkit_survey_result *r,
		    char about[SURVEY_ABOUT_BYTES], struct request *request)
{
	*request = r->about == MADKIT_SURVEY_CPI ? s->cpi : *s->request;
	request->mad = r->job.send->mad;
	request->to = r->job.send->to;
	if (r->attribute)
		request->attribute = r->attribute;
	request->about = about ? survey_about(s, r, about) : NULL;
}

unsigned int survey_part(const struct scope *scope, size_t at)
{
	return scope->routes ? scope->routes->places[at].path : 0;
}

/* ---- lines ---------------------------------------------------------------------------- */

/* Shows, in text, a port whose counters were reset. */
static void survey_show_cleared(const struct survey *s, const struct survey_item *item)
{
	struct madkit_buf *buf = &s->x->out->buf;
	char about[SURVEY_ABOUT_BYTES];

	if (item->answer.status)
		return;
	survey_about(s, item->result, about);
	madkit_buf_printf(buf, "%s cleared: Lid %" PRIu32 " (", s->request->attribute_name,
			  item->result->job.send->to.lid);
	madkit_text_escape(buf, about, strlen(about));
	madkit_buf_str(buf, ")\n");
}

/* Shows a line of JSON for a request that was not sent. */
static void survey_show_unsent(const struct survey *s, struct survey_item *item)
{
	struct madkit_message *m = &item->answer.message;
	const struct madkit_object data = { output_write_error, item->result->reason };

	if (m->kind == MADKIT_MESSAGE_TIMEOUT) {
		output_message(s->x->out, m);
		return;
	}
	m->data = &data;
	output_message(s->x->out, m);
	m->data = NULL;
}

/* Adds the node and port to the message of a result. The message refers to name. */
static void survey_attach(const struct survey *s, struct survey_item *item, char name[SURVEY_NAME_BYTES])
{
	struct madkit_message *message = &item->answer.message;

	message->port = &madkit_survey_record(item->result)->record;
	message->name = survey_name(s->scope->area.sweep, item->result->node, name) ? name : NULL;
}

/* Notes a port that was cleared, until its line has been written. */
static void survey_note_cleared(struct survey *s, const struct survey_item *item)
{
	char about[SURVEY_ABOUT_BYTES];

	if (!s->clears || item->result->reason || item->answer.status)
		return;
	if (!s->x->out->status && !s->x->out->buf.len)
		madkit_buf_reset(&s->unwritten);
	survey_about(s, item->result, about);
	madkit_buf_add(&s->unwritten, about, strlen(about) + 1);
}

void survey_tell_unwritten(const struct survey *s)
{
	const char *about = s->unwritten.data;

	if (!s->x->out->status)
		return;
	for (size_t at = 0; at < s->unwritten.len; at += strlen(about + at) + 1)
		cli_insist("%s of %s was cleared, but that could not be written", s->request->attribute_name,
			   about + at);
	if (s->unwritten.error)
		cli_insist("%s of other ports may have been cleared, too", s->request->attribute_name);
}

/* ---- --errors -------------------------------------------------------------------------- */

struct madkit_grid *survey_errors_new(const struct madkit_terminal *terminal)
{
	static const struct port_column columns[] = {
		{ "NODE", MADKIT_GRID_NAME },   { "PORT", MADKIT_GRID_RIGHT }, { "COUNTER", 0 },
		{ "VALUE", MADKIT_GRID_RIGHT }, { "PEER", MADKIT_GRID_NAME },  { "PORT", MADKIT_GRID_RIGHT },
	};

	return port_grid_new(columns, ARRAY_SIZE(columns), terminal);
}

/* Adds a row. field: NULL if the port did not answer. */
static int survey_add_error(struct madkit_grid *g, const struct madkit_record *port,
			    const struct madkit_field *field, uint64_t value)
{
	char text[24] = "?";

	/* a counter of the IBA stops at its greatest value */
	if (field)
		snprintf(text, sizeof(text), "%s%" PRIu64,
			 value == UINT64_MAX >> (64 - field->width) ? ">= " : "", value);
	port_put_name(g, port, "node.name", "node.guid");
	port_put_number(g, port, "number");
	port_put_text(g, field ? field->name : "?", field ? MADKIT_COLOR_NONE : MADKIT_COLOR_RED);
	port_put_text(g, text, field ? MADKIT_COLOR_YELLOW : MADKIT_COLOR_RED);
	port_put_name(g, port, "peer.node.name", "peer.node.guid");
	return port_put_number(g, port, "peer.number");
}

/* Adds the rows of a port: one for each counter of errors that is not 0. */
static void survey_show_errors(struct survey *s, const struct survey_item *item)
{
	const struct madkit_message *message = &item->answer.message;
	struct madkit_record record;

	if (message->kind != MADKIT_MESSAGE_RESPONSE) {
		s->full |= survey_add_error(s->errors, message->port, NULL, 0) != 0;
		return;
	}
	madkit_record_get(message, 0, &record);
	if (!output_judge_record(s->x->out, &record))
		return;
	for (unsigned int i = 0; i < record.layout->nfields; i++) {
		const struct madkit_field *field = &record.layout->fields[i];
		uint64_t value;

		if (field->flags & MADKIT_FIELD_ERROR && !madkit_record_value(&record, field->name, &value) &&
		    value)
			s->full |= survey_add_error(s->errors, message->port, field, value) != 0;
	}
}

/* Checks if a row of the table shows that a port did not answer, or that nothing could be sent to it. */
static bool survey_is_unknown(const struct survey *s, const struct survey_item *item)
{
	const struct madkit_survey_result *r = item->result;

	return s->tables && item->answer.message.kind != MADKIT_MESSAGE_RESPONSE && (!r->reason || r->error);
}

/* ---- differences ------------------------------------------------------------------------- */

/* Compares the port of a result. event: receives the envelope of the difference. Returns false if there is no response to
 * compare, or memory ran out. */
static bool survey_compare(const struct survey *s, const struct survey_item *item,
			   struct madkit_message *event, struct survey_compared *compared)
{
	const struct survey_item *i = item;

	if (i->answer.status || i->answer.message.kind != MADKIT_MESSAGE_RESPONSE)
		return false;
	*event = i->answer.message;
	event->kind = MADKIT_MESSAGE_EVENT;
	event->attribute = NULL;
	event->rtt_us = event->attempts = -1;
	if (!survey_delta_compare(s->delta, i->result->at, i->result->attribute, event->port, event,
				  compared))
		return false;
	event->mad = compared->header;
	event->len = MADKIT_HEADER_BYTES;
	return true;
}

/* Returns the record of a result that expressions see; false: it has none. */
static bool survey_record(const struct survey *s, struct survey_item *item, struct madkit_message *event,
			  struct madkit_record *record)
{
	struct survey_compared compared;

	if (!s->delta) {
		madkit_record_get(&item->answer.message, 0, record);
		return item->answer.message.kind == MADKIT_MESSAGE_RESPONSE;
	}
	if (!survey_compare(s, item, event, &compared))
		return false;
	*record = compared.record;
	return true;
}

/* Shows a difference as a line of JSON, or as a block of text. */
static void survey_show_compared(const struct survey *s, struct survey_compared *compared,
				 struct madkit_message *event, const char *place)
{
	const struct madkit_object data = { difference_write, &compared->difference };

	compared->difference.place = place;
	if (s->x->out->format == FORMAT_JSON)
		exchange_object(s->x, event, &data);
	else if (s->x->out->format == FORMAT_TEXT)
		difference_put_text(&compared->difference, &s->x->out->buf);
	event->data = NULL;
}

/* Judges a difference, and shows it. Rows without a change are omitted. */
static void survey_show_difference(struct survey *s, struct survey_item *item)
{
	char place[MADKIT_ADDR_TEXT_MAX + SURVEY_NAME_BYTES + 8] = "", addr[MADKIT_ADDR_TEXT_MAX];
	char name[SURVEY_NAME_BYTES];
	struct survey_compared compared;
	struct madkit_message event;

	if (!survey_compare(s, item, &event, &compared)) {
		s->full = true;
		return;
	}
	if (madsweep_options(s->x->options)->errors && !survey_rows_has_errors(&compared))
		return;
	if (!output_judge_record(s->x->out, &compared.record))
		return;
	if (s->rows) {
		if (survey_rows_changed(s->rows, &compared))
			s->full |= survey_rows_add(s->rows, item->result->at, item->result->attribute,
						   &compared) != EXIT_DONE;
		else
			s->x->out->shown--;
		return;
	}
	if (s->x->out->format == FORMAT_TEXT) {
		survey_name(s->scope->area.sweep, item->result->node, name);
		snprintf(place, sizeof(place), "%s (%s)", madkit_addr_text(event.remote, addr), name);
	}
	survey_show_compared(s, &compared, &event, place);
}

/* Shows the row of a port without a response, or with one that has no counters. */
static void survey_show_silent(struct survey *s, const struct survey_item *item)
{
	const struct madkit_message *message = &item->answer.message;

	if (survey_is_unknown(s, item) || message->kind == MADKIT_MESSAGE_RESPONSE)
		s->full |= survey_rows_add_silent(s->rows, item->result->at, message) != EXIT_DONE;
}

/* Shows a port that is gone. */
static void survey_show_gone_port(struct survey *s, const struct baseline_port *port)
{
	struct madkit_sweep_record record;
	struct survey_compared compared;
	struct madkit_message event;
	char place[SURVEY_NAME_BYTES + 16];

	baseline_get_record(port, &record);
	s->x->seq++;
	exchange_message(s->x, MADKIT_MESSAGE_EVENT, &event);
	event.port = &record.record;
	survey_delta_gone(s->delta, &event, &compared);
	if (!output_judge_record(s->x->out, &compared.record))
		return;
	if (s->rows) {
		s->full |= survey_rows_add_gone(s->rows, port, &compared) != EXIT_DONE;
		return;
	}
	snprintf(place, sizeof(place), "%s is gone", *port->name ? port->name : "the node");
	survey_show_compared(s, &compared, &event, place);
}

void survey_show_gone(struct survey *s)
{
	const struct baseline *b = s->delta->baseline;

	for (uint32_t i = 0; b && s->delta->seeks_gone && i < b->nports && !s->full; i++)
		if (!b->ports[i].present && !b->ports[i].replaced)
			survey_show_gone_port(s, &b->ports[i]);
}

/* ---- a result ------------------------------------------------------------------------------ */

void survey_show(struct survey *s, struct survey_item *item)
{
	const struct routes *routes = s->scope->routes;
	struct madkit_message *message = &item->answer.message;
	char name[SURVEY_NAME_BYTES], about[SURVEY_ABOUT_BYTES];
	struct request request;
	struct route_view view = { .routes = routes };
	const struct madkit_object hop = { route_write, &view };

	if (s->scope->metrics) {
		metrics_take(s->scope->metrics, item->result->at, message,
			     item->answer.status == EXIT_MALFORMED);
		return;
	}
	survey_note_cleared(s, item);
	survey_attach(s, item, name);
	if (routes) {
		view.place = &routes->places[item->result->at];
		message->hop = &hop;
	}
	if (s->delta && !item->answer.status && !item->result->reason)
		survey_show_difference(s, item);
	else if (s->rows)
		survey_show_silent(s, item);
	else if (s->errors)
		survey_show_errors(s, item);
	else if (survey_is_unknown(s, item))
		output_line(s->x->out, message);
	else if (item->result->reason && s->x->out->format == FORMAT_JSON)
		survey_show_unsent(s, item);
	else if (!item->result->reason && s->clears && s->x->out->format == FORMAT_TEXT)
		survey_show_cleared(s, item);
	else if (!item->result->reason) {
		survey_request(s, item->result, about, &request);
		exchange_show(s->x, &request, &item->answer);
	}
	message->hop = NULL;
}

/* In text, shows the title of a route before its first target. */
static void survey_show_title(struct survey *s, size_t target)
{
	const struct routes *routes = s->scope->routes;
	size_t first;

	if (!routes || s->x->options->output.csv || (s->x->out->format != FORMAT_TEXT && !s->tables))
		return;
	first = madkit_survey_at(s->survey, (uint32_t)target);
	if (target && survey_part(s->scope, madkit_survey_at(s->survey, (uint32_t)target - 1)) ==
			      survey_part(s->scope, first))
		return;
	while (!route_begins(routes, first))
		first--;
	if (s->rows)
		s->full |= survey_rows_write(s->rows) != EXIT_DONE;
	if (s->tables && !s->rows && s->x->out->table) {
		madkit_table_flush(s->x->out->table, &s->x->out->buf);
		s->full |= output_table(s->x->out, s->x->options, s->x->options->output.fields) != EXIT_DONE;
	}
	route_title(routes, s->scope, first, &s->x->out->buf);
}

bool survey_is_dropped(const struct survey *s, struct survey_item *item)
{
	const struct madkit_expr *filter = s->x->out->filter;
	char name[SURVEY_NAME_BYTES];
	struct madkit_message event;
	struct madkit_record record;

	if (s->x->out->format == FORMAT_JSON || survey_is_unknown(s, item))
		return false;
	/* otherwise, these are reported on standard error */
	if (item->result->reason || item->answer.message.kind != MADKIT_MESSAGE_RESPONSE)
		return true;
	if (!filter)
		return false;
	survey_attach(s, item, name);
	return survey_record(s, item, &event, &record) && madkit_expr_eval(filter, &record) != 1;
}

/* Checks if --top leaves out a response. What failed is shown in any case. */
static bool survey_is_over(const struct survey *s, const struct survey_item *item)
{
	const uint32_t top = madsweep_options(s->x->options)->top;

	return top && item->answer.message.kind == MADKIT_MESSAGE_RESPONSE &&
	       s->x->out->shown - s->earlier >= top;
}

/* Adds the key of a result that is held. */
static void survey_add_key(const struct survey *s, struct order_keys *keys, size_t target)
{
	struct survey_item *item = s->held[target];
	char name[SURVEY_NAME_BYTES];
	struct madkit_message event;
	struct madkit_record record;

	survey_attach(s, item, name);
	order_keys_add(keys, survey_record(s, item, &event, &record) ? &record : NULL, target);
}

/* Shows all results in the order of a field. */
static void survey_show_sorted(struct survey *s)
{
	struct order_keys *keys = order_keys_new(s->scope->order, s->counts.targets);
	size_t n = 0;

	for (size_t i = 0; keys && i < s->counts.targets; i++) {
		if (!s->held[i])
			continue;
		survey_add_key(s, keys, i);
		n++;
	}
	s->full |= !keys || order_keys_sort(keys);
	for (size_t i = 0; !s->full && i < n && !s->x->out->status; i++) {
		struct survey_item *item = s->held[order_keys_at(keys, i)];

		if (!survey_is_over(s, item))
			survey_show(s, item);
		if (s->x->out->buf.len >= SURVEY_FLUSH)
			output_flush(s->x->out);
	}
	order_keys_free(keys);
}

void survey_release(struct survey *s, bool all)
{
	if (s->held && s->scope->order->field) {
		if (all)
			survey_show_sorted(s);
		return;
	}
	for (; s->held && s->shown < s->counts.targets && (all || s->ended[s->shown]); s->shown++) {
		struct survey_item *item = s->held[s->shown];

		survey_show_title(s, s->shown);
		if (!item)
			continue;
		if (!survey_is_over(s, item))
			survey_show(s, item);
		madkit_survey_release(s->survey, item->result);
		free(item);
		s->held[s->shown] = NULL;
		if (s->x->out->buf.len >= SURVEY_FLUSH)
			output_flush(s->x->out);
	}
}
