/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <string.h>
#include "route.h"
#include "survey_ask.h"
#include "survey_show.h"

enum { SURVEY_FLUSH = 1 << 16 };

/* Shows, in text, a port whose counters were reset. */
static void survey_show_cleared(const struct survey *s, const struct survey_ask *ask)
{
	struct madkit_buf *buf = &s->x->out->buf;

	if (ask->task.answer.status)
		return;
	madkit_buf_printf(buf, "%s cleared: Lid %" PRIu32 " (", ask->request.attribute_name,
			  ask->request.to.lid);
	madkit_text_escape(buf, ask->about, strlen(ask->about));
	madkit_buf_str(buf, ")\n");
}

/* Shows a line of JSON for a request that was not sent. */
static void survey_show_unsent(const struct survey *s, struct survey_ask *ask)
{
	struct madkit_message *m = &ask->task.answer.message;
	const struct madkit_object data = { output_write_error, ask->reason };

	if (m->kind == MADKIT_MESSAGE_TIMEOUT) {
		output_message(s->x->out, m);
		return;
	}
	m->data = &data;
	output_message(s->x->out, m);
	m->data = NULL;
}

/* Adds the node and port to the message of a result. The message refers to record. */
static void survey_attach(const struct survey *s, struct survey_ask *ask, struct madkit_sweep_record *record)
{
	const struct survey_target *t = &s->targets.targets[ask->target];
	struct madkit_message *message = &ask->task.answer.message;

	madkit_sweep_record_get(s->scope->sweep, t->node, t->port, record);
	record->record.message = message;
	message->port = &record->record;
	message->name = survey_known_name(s->scope->sweep, t->node) ? ask->name : NULL;
}

/* Notes a port that was cleared, until its line has been written. */
static void survey_note_cleared(struct survey *s, const struct survey_ask *ask)
{
	if (!s->clears || ask->reason || ask->task.answer.status)
		return;
	if (!s->x->out->status && !s->x->out->buf.len)
		madkit_buf_reset(&s->unwritten);
	madkit_buf_add(&s->unwritten, ask->about, strlen(ask->about) + 1);
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

void survey_show(struct survey *s, struct survey_ask *ask)
{
	const struct routes *routes = s->scope->routes;
	struct madkit_message *message = &ask->task.answer.message;
	struct madkit_sweep_record record;
	struct route_view view = { .routes = routes };
	const struct madkit_object hop = { route_write, &view };

	survey_note_cleared(s, ask);
	survey_attach(s, ask, &record);
	if (routes) {
		view.place = &routes->places[s->targets.targets[ask->target].at];
		message->hop = &hop;
	}
	if (ask->reason && s->x->out->format == FORMAT_JSON)
		survey_show_unsent(s, ask);
	else if (!ask->reason && s->clears && s->x->out->format == FORMAT_TEXT)
		survey_show_cleared(s, ask);
	else if (!ask->reason)
		exchange_show(s->x, &ask->request, &ask->task.answer);
	message->hop = NULL;
}

/* In text, shows the title of a route before its first target. */
static void survey_show_title(const struct survey *s, size_t target)
{
	const struct survey_target *t = &s->targets.targets[target];
	const struct routes *routes = s->scope->routes;
	size_t first = t->at;

	if (!routes || s->x->out->format != FORMAT_TEXT ||
	    (target && survey_part(s->scope, t[-1].at) == survey_part(s->scope, t->at)))
		return;
	while (!route_begins(routes, first))
		first--;
	route_title(routes, s->scope, first, &s->x->out->buf);
}

bool survey_is_dropped(const struct survey *s, struct survey_ask *ask)
{
	const struct madkit_expr *filter = s->x->out->filter;
	struct madkit_sweep_record port;
	struct madkit_record record;

	if (s->x->out->format == FORMAT_JSON)
		return false;
	/* in text, these are reported on standard error */
	if (ask->reason || ask->task.answer.message.kind != MADKIT_MESSAGE_RESPONSE)
		return true;
	if (!filter)
		return false;
	survey_attach(s, ask, &port);
	madkit_record_get(&ask->task.answer.message, 0, &record);
	return madkit_expr_eval(filter, &record) != 1;
}

void survey_release(struct survey *s, bool all)
{
	for (; s->held && s->shown < s->targets.n && (all || s->ended[s->shown]); s->shown++) {
		struct survey_ask *ask = s->held[s->shown];

		survey_show_title(s, s->shown);
		if (!ask)
			continue;
		survey_show(s, ask);
		survey_ask_free(s, ask);
		s->held[s->shown] = NULL;
		if (s->x->out->buf.len >= SURVEY_FLUSH)
			output_flush(s->x->out);
	}
}
