/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes the records of events, for JSON and for --filter. */
#include <madkit/compare.h>
#include "cli/output.h"
#include "log.h"

static const char *log_text(struct madkit_buf *buf)
{
	madkit_buf_char(buf, '\0');
	return buf->error ? "" : buf->data;
}

static uint8_t log_by(const struct event *e)
{
	static const uint8_t values[] = {
		[VIEW_BY_TRAP] = MADKIT_DIFFERENCE_BY_TRAP,
		[VIEW_BY_SWEEP] = MADKIT_DIFFERENCE_BY_SWEEP,
		[VIEW_BY_RESTART] = MADKIT_DIFFERENCE_BY_RESTART,
	};

	return values[e->by];
}

/* Makes the record of a problem, and shows it. show: called with the record. */
static bool log_problem(struct log *t, const struct event *e, const char *key, const char *place,
			log_show_record *show)
{
	const struct event_type *type = &event_types[e->kind];
	const struct madkit_rule rule = { .name = type->rule, .severity = type->severity };
	const struct madkit_problem problem = {
		.rule = &rule,
		.severity = type->severity,
		.ends = { { MADKIT_SWEEP_NONE, -1 }, { MADKIT_SWEEP_NONE, -1 } },
		.types = "",
		.key = key,
		.place = place,
		.value = "",
		.limit = "",
		.text = *e->text ? e->text : type->word,
		.by = log_by(e),
		.downed_known = e->downed_known,
		.downed = e->downed,
	};
	struct madkit_health_record r;

	madkit_health_record(&problem, type->change, e->since, &r);
	return show(t, &r.message, &r.record);
}

static bool log_difference(struct log *t, const struct event *e, const char *key, const char *place,
			   log_show_record *show)
{
	const struct event_type *type = &event_types[e->kind];
	const struct madkit_difference difference = {
		.kind = type->difference,
		.severity = type->severity,
		.key = key,
		.place = place,
		.before = e->before,
		.after = e->after,
		.text = *e->text ? e->text : type->word,
	};
	struct madkit_difference_record r;

	madkit_difference_record(&difference, type->change, NULL, log_by(e), &r);
	return show(t, &r.message, &r.record);
}

bool log_record(struct log *t, const struct event *e, log_show_record *show)
{
	struct madkit_buf key, place;
	bool result;

	madkit_buf_init(&key, 0);
	madkit_buf_init(&place, 0);
	event_put_key(t->view, &key, e);
	event_put_place(t->view, &place, e);
	result = event_types[e->kind].rule ? log_problem(t, e, log_text(&key), log_text(&place), show) :
					     log_difference(t, e, log_text(&key), log_text(&place), show);
	madkit_buf_free(&key);
	madkit_buf_free(&place);
	return result;
}

bool log_passes(struct log *t, struct madkit_message *message, struct madkit_record *record)
{
	struct output *out = t->x->out;

	(void)message;
	return !out->filter || madkit_expr_eval(out->filter, record) == 1;
}

bool log_show(struct log *t, struct madkit_message *message, struct madkit_record *record)
{
	struct exchange *x = t->x;
	struct madkit_message own;

	(void)record;
	x->seq++;
	exchange_message(x, message->kind, &own);
	message->host = own.host;
	message->device = own.device;
	message->agent = own.agent;
	message->seq = own.seq;
	message->time = own.time;
	output_line(x->out, message);
	return true;
}
