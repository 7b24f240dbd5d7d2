/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "cli/assertion.h"
#include "delta.h"
#include "delta_record.h"
#include "request/repeat.h"

/* The first fields of the groups that not every port has in PortCountersExtended. */
#define IETF_FIRST   "PortUnicastXmitPkts"
#define ERRORS_FIRST "SymbolErrorCounter"

/* The content of a response, and its arrival time (port clock). */
struct reading {
	uint8_t data[MADKIT_FRAME_BYTES];
	size_t len;
	uint64_t time_ns;
};

/* One attribute, in this round and in the previous one. */
struct measured {
	struct request request;
	struct reading before, now;
	uint8_t header[MADKIT_HEADER_BYTES]; /* of the last answer */
};

struct counters {
	struct exchange *x;
	struct measured attributes[2];
	struct task tasks[2]; /* their requests */
	unsigned int n;
	/* attributes[0] is PortCountersExtended; ietf, errors: it has these groups */
	bool extended, ietf, errors;
	int status;                        /* the worst so far */
	unsigned int ietf_bit, errors_bit; /* offsets of the groups */
	struct delta_record *record;
	bool failed;   /* another round is useless: status is the reason */
	bool partial;  /* a request of this round had no valid response */
	bool known;    /* there was a complete round before */
	bool compared; /* a difference has been shown */
	/* of one round: */
	const struct measured *source;
	uint64_t interval_ns; /* between the arrivals of the source's responses */
	struct madkit_buf line;
	bool in_array; /* the line is within an array */
};

/* ---- which counters ----------------------------------------------------------- */

static bool extended_has(const struct counters *c, const struct madkit_field *f)
{
	return f->offset >= c->errors_bit ? c->errors : f->offset >= c->ietf_bit ? c->ietf : true;
}

/* Checks if this counter is read from the source that is being shown. */
static bool is_read_here(const struct counters *c, const struct madkit_field *f)
{
	const struct measured *first = &c->attributes[0];
	struct madkit_place place;

	if (!c->extended)
		return true;
	if (c->source == first)
		return extended_has(c, f);
	return madkit_place_find(first->request.attribute->layout, f->name, strlen(f->name), &place, NULL) ||
	       !extended_has(c, place.field);
}

static int groups_find(struct counters *c, const struct madkit_layout *layout)
{
	struct madkit_place ietf, errors;

	if (madkit_place_find(layout, IETF_FIRST, strlen(IETF_FIRST), &ietf, NULL) ||
	    madkit_place_find(layout, ERRORS_FIRST, strlen(ERRORS_FIRST), &errors, NULL))
		return -ENOENT;
	c->ietf_bit = ietf.field->offset;
	c->errors_bit = errors.field->offset;
	return 0;
}

/* Copies the port of the request to the other request. */
static int select_port(const struct request *r, struct request *other)
{
	uint64_t port;
	char text[24];
	int ret = request_value(r, "PortSelect", &port);

	if (ret)
		return ret;
	snprintf(text, sizeof(text), "%" PRIu64, port);
	return madkit_set(other->attribute->layout, other->mad + other->data_offset, other->data_len,
			  "PortSelect", text, NULL, NULL);
}

static bool is_port_counters(const struct request *r)
{
	return r->header.mgmt_class == MADKIT_CLASS_PERF && r->attribute &&
	       !strcmp(r->attribute->name, "PortCounters");
}

/* Uses the wider counters if the port has them. Returns EXIT_DONE, or a status after a report. */
static int prefer_extended(struct counters *c, const struct request *r)
{
	struct exchange *x = c->x;
	struct answer answer = { .job.send = NULL };
	struct request cpi;
	unsigned int has;
	bool unknown;
	int status;

	if (!is_port_counters(r))
		return EXIT_DONE;
	if (request_derive(r, "ClassPortInfo", 0, &cpi))
		return cli_no_memory();
	status = exchange_ask(x, &cpi, &answer);
	if (!status && answer.message.kind == MADKIT_MESSAGE_RESPONSE &&
	    answer.message.len >= cpi.data_offset + MADKIT_CPI_BYTES) {
		has = madkit_cpi_get_counters(answer.message.mad + cpi.data_offset);
		c->extended = has & MADKIT_CPI_COUNTERS_EXTENDED;
		c->ietf = has & MADKIT_CPI_COUNTERS_IETF;
		c->errors = has & MADKIT_CPI_COUNTERS_ERRORS;
	}
	unknown = status == EXIT_TIMEOUT || status == EXIT_MALFORMED ||
		  (status == EXIT_STATUS && !answer_refuses(&answer));
	if (unknown || status == EXIT_LOCAL) {
		exchange_show(x, &cpi, &answer);
		exchange_tell(x, &cpi, &answer);
	}
	if (unknown) {
		cli_say("it is not known whether the port has PortCountersExtended: PortCounters are read");
		c->status = status;
	}
	answer_free(&answer);
	request_free(&cpi);
	if (c->extended) {
		struct request *wide = &c->attributes[c->n++].request;

		if (request_derive(r, "PortCountersExtended", r->header.modifier, wide))
			return cli_no_memory();
		if (groups_find(c, wide->attribute->layout) || select_port(r, wide))
			return cli_insist("cannot make a request for %s", wide->attribute_name);
	}
	return status >= EXIT_SIGNAL || status == EXIT_LOCAL ? status : EXIT_DONE;
}

/* ---- one counter ---------------------------------------------------------------- */

static void put_json(struct madkit_buf *buf, const char *name, const struct delta_change *change)
{
	bool rated = !change->saturated && !change->reset;

	json_open(buf, name, '{');
	json_number(buf, "value", change->value);
	json_known(buf, "delta", delta_is_known(change), change->delta);
	if (rated)
		madkit_buf_printf(buf, ",\"rate\":%.3f", change->rate);
	else
		json_null(buf, "rate");
	if (change->octets4 && rated)
		madkit_buf_printf(buf, ",\"rate_bytes\":%.3f", 4 * change->rate);
	else if (change->octets4)
		json_null(buf, "rate_bytes");
	json_bool(buf, "saturated", change->saturated);
	json_bool(buf, "reset", change->reset);
	json_close(buf, '}');
}

static void delta_put_text(struct madkit_buf *buf, const char *name, const struct delta_change *change)
{
	madkit_text_label(buf, name);
	if (change->saturated)
		madkit_buf_printf(buf, "%" PRIu64 " (saturated)", change->value);
	else if (change->reset)
		madkit_buf_printf(buf, "%" PRIu64 " (reset)", change->value);
	else
		madkit_buf_printf(buf, "+%" PRIu64 " (%.1f/s)", change->delta, change->rate);
	if (change->octets4 && !change->saturated && !change->reset)
		madkit_buf_printf(buf, " = %.1f bytes/s", 4 * change->rate);
	if (!change->saturated && !change->reset)
		madkit_buf_printf(buf, ", value %" PRIu64, change->value);
	madkit_buf_char(buf, '\n');
}

/* Checks if --fields selects the counter, as a field of the attribute or as a key of the line. */
static bool is_chosen(const struct output *out, const char *name)
{
	char path[sizeof("data.counters.") + MADKIT_PATH_MAX];

	snprintf(path, sizeof(path), "data.counters.%s", name);
	return madkit_projection_has(out->how.fields, name) || madkit_projection_has(out->how.fields, path);
}

static void put_change(struct counters *c, const struct madkit_item *item, const struct delta_change *change)
{
	const char *name = item->field->name;
	char label[MADKIT_PATH_MAX];

	if (c->x->out->format != FORMAT_JSON) {
		snprintf(label, sizeof(label), item->field->count ? "%s%u" : "%s", name, item->index);
		delta_put_text(&c->line, label, change);
		return;
	}
	if (item->field->count && !c->in_array)
		json_open(&c->line, name, '[');
	c->in_array = item->field->count;
	put_json(&c->line, c->in_array ? NULL : name, change);
}

/* Computes how a counter has changed since it was last read. Returns 0 or a negative error. */
static int change_of(const struct counters *c, const struct madkit_item *item, struct delta_change *change)
{
	const struct madkit_field *f = item->field;
	const struct reading *before = &c->source->before;
	uint64_t most = f->width < 64 ? (UINT64_C(1) << f->width) - 1 : UINT64_MAX, was;
	int ret = madkit_field_get(f, item->index, before->data, before->len, &was);

	if (ret)
		return ret;
	*change = (struct delta_change){
		.value = item->value,
		.saturated = item->value == most,
		.was_saturated = item->value == most && was == most,
		.reset = item->value < was,
		.octets4 = f->flags & MADKIT_FIELD_OCTETS4,
		.delta = item->value < was ? 0 : item->value - was,
	};
	change->rate = c->interval_ns ? (double)change->delta * 1e9 / (double)c->interval_ns : 0;
	return 0;
}

static int delta_visit(void *context, const struct madkit_item *item)
{
	struct counters *c = context;
	const struct madkit_field *f = item->field;
	struct delta_change change;
	char element[MADKIT_PATH_MAX];

	if (c->in_array && (item->event == MADKIT_WALK_ARRAY_END || item->event == MADKIT_WALK_TRUNCATED)) {
		json_close(&c->line, ']');
		c->in_array = false;
	}
	if (item->event != MADKIT_WALK_FIELD || f->kind != MADKIT_KIND_COUNTER || item->depth ||
	    !is_read_here(c, f) || change_of(c, item, &change))
		return 0;
	delta_record_put(c->record, f->name, item->index, &change);
	snprintf(element, sizeof(element), "%s[%u]", f->name, item->index);
	if (is_chosen(c->x->out, f->name) || (f->count && is_chosen(c->x->out, element)))
		put_change(c, item, &change);
	return c->line.error;
}

/* ---- rounds ----------------------------------------------------------------------- */

/* Copies the content of the response to a request. */
static void delta_read(struct measured *s, const struct answer *answer)
{
	struct madkit_record record;

	madkit_record_get(&answer->message, 0, &record);
	s->now.len = record.len < sizeof(s->now.data) ? record.len : sizeof(s->now.data);
	if (s->now.len)
		memcpy(s->now.data, record.data, s->now.len);
	s->now.time_ns = answer->job.reply.recv->time_ns;
	memcpy(s->header, answer->message.mad, sizeof(s->header));
}

/* Returns the interval of the line: that of the attribute in its heading. */
static uint64_t interval_of(const struct counters *c)
{
	return c->attributes[0].now.time_ns - c->attributes[0].before.time_ns;
}

/* Compares all sources with the previous round. */
static void compare(struct counters *c)
{
	uint64_t port;

	madkit_buf_reset(&c->line);
	delta_record_begin(c->record, interval_of(c) / 1000);
	if (!request_value(&c->attributes[0].request, "PortSelect", &port))
		delta_record_port(c->record, port);
	for (unsigned int i = 0; i < c->n; i++) {
		const struct measured *s = &c->attributes[i];

		c->source = s;
		c->interval_ns = s->now.time_ns - s->before.time_ns;
		madkit_walk(s->request.attribute->layout, s->now.data, s->now.len, delta_visit, c);
	}
}

static void delta_show_text(struct counters *c)
{
	const struct request *r = &c->attributes[0].request;
	struct output *out = c->x->out;
	char addr[MADKIT_ADDR_TEXT_MAX];
	uint64_t port;
	bool of_port = !request_value(r, "PortSelect", &port);

	madkit_buf_printf(&out->buf, "# %s: %s", r->attribute->name, madkit_addr_text(&r->to, addr));
	if (of_port)
		madkit_buf_printf(&out->buf, " port %" PRIu64, port);
	madkit_buf_printf(&out->buf, " in %.3f s\n", (double)interval_of(c) / 1e9);
	if (of_port && out->how.fields && madkit_projection_has(out->how.fields, "PortSelect"))
		text_line(&out->buf, "PortSelect", "%" PRIu64, port);
	madkit_buf_add(&out->buf, c->line.data, c->line.len);
}

static void delta_put_data(const struct counters *c, struct madkit_buf *data)
{
	const struct request *r = &c->attributes[0].request;
	uint64_t port;
	bool of_port = !request_value(r, "PortSelect", &port);

	json_begin(data);
	json_string(data, "attribute", r->attribute->name);
	json_known(data, "PortSelect", of_port, port);
	json_number(data, "interval_us", interval_of(c) / 1000);
	json_open(data, "counters", '{');
	madkit_buf_add(data, c->line.data, c->line.len);
	json_close(data, '}');
}

/* Applies the filter and the assertion to the differences, and shows them if they pass the filter. */
static void delta_show(struct counters *c)
{
	const struct measured *s = &c->attributes[0];
	struct output *out = c->x->out;
	struct madkit_message message;
	struct madkit_record record;
	struct madkit_buf data;

	exchange_message(c->x, MADKIT_MESSAGE_EVENT, &message);
	message.remote = &s->request.to;
	message.mad = s->header;
	message.len = sizeof(s->header);
	delta_record_view(c->record, &message, &record);
	record.attribute = s->request.attribute;
	if (!output_judge_record(out, &record))
		return;
	if (out->format != FORMAT_JSON) {
		delta_show_text(c);
		return;
	}
	delta_put_data(c, &data);
	exchange_object(c->x, &message, &data);
}

/* Ends a round. A round with a failed request is omitted: the next difference covers both intervals. */
static void delta_round(struct counters *c)
{
	if (!c->partial && c->known) {
		compare(c);
		if (c->line.error) {
			c->failed = true;
			c->status = cli_no_memory();
			return;
		}
		delta_show(c);
		c->compared = true;
	}
	for (unsigned int i = 0; !c->partial && i < c->n; i++)
		c->attributes[i].before = c->attributes[i].now;
	c->known |= !c->partial;
	c->partial = false;
}

static bool delta_take(void *context, struct exchange *x, struct task *task)
{
	struct counters *c = context;
	size_t i = (size_t)(task - c->tasks);
	int status = task->answer.status;

	if (status)
		exchange_show(x, task->request, &task->answer);
	exchange_tell(x, task->request, &task->answer);
	if (!status)
		delta_read(&c->attributes[i], &task->answer);
	answer_free(&task->answer);
	c->failed = status >= EXIT_SIGNAL || status == EXIT_LOCAL;
	c->status = c->failed ? status : exit_worst(c->status, status);
	c->partial |= status;
	if (!c->failed && i + 1 == c->n)
		delta_round(c);
	return !c->failed;
}

static int rounds(struct counters *c)
{
	struct exchange *x = c->x;
	const struct cli_options *o = x->options;
	/* one more: the first round is only the base of the second */
	struct repeat requests = { .tasks = c->tasks, .n = c->n, .rounds = o->have_count ? o->count + 1 : 0 };
	const struct sink sink = { .take = delta_take, .context = c };
	int ret;

	for (unsigned int i = 0; i < c->n; i++)
		c->tasks[i].request = &c->attributes[i].request;
	ret = repeat_run(&requests, x, &sink);
	if (x->out->status)
		return EXIT_DONE;
	if (c->failed || (o->have_count && requests.round == requests.rounds))
		return c->status;
	if (cli_stopped())
		return cli_stopped_status();
	if (ret)
		return exchange_report(x, NULL, exchange_port_failed(x, ret));
	if (!c->compared)
		cli_say("the deadline has passed before there were two readings to compare");
	return o->have_count || !c->compared ? exit_worst(c->status, EXIT_TIMEOUT) : c->status;
}

/* ---- the command ------------------------------------------------------------------- */

/* Returns 0, or an exit status after a report. */
static int make_record(const struct request *r, struct delta_record **record)
{
	const struct madkit_attribute *wide = NULL;
	uint8_t mgmt_class;
	uint16_t id;

	if (!r->attribute || !r->attribute->layout)
		return cli_usage_error("madkit does not know the counters of %s", r->attribute_name);
	if (is_port_counters(r))
		madkit_attribute_find("PortCountersExtended", MADKIT_CLASS_PERF, &mgmt_class, &id, &wide,
				      NULL);
	*record = delta_record_new(r->attribute, wide);
	if (!*record)
		return cli_no_memory();
	if (delta_record_counters(*record))
		return EXIT_DONE;
	return cli_usage_error("%s has no counters to show", r->attribute_name);
}

/* Checks if the wider counters lack one that the request's attribute has. */
static bool lacks_counters(struct counters *c, const struct request *r)
{
	const struct madkit_layout *layout = r->attribute->layout;
	bool lacks = false;

	c->source = NULL;
	for (unsigned int i = 0; i < layout->nfields; i++)
		lacks |= layout->fields[i].kind == MADKIT_KIND_COUNTER && is_read_here(c, &layout->fields[i]);
	return lacks;
}

int delta_check(const struct output *out, const struct request *r)
{
	struct delta_record *record = NULL;
	int status = make_record(r, &record);

	if (!status)
		status = output_check(out, delta_record_attribute(record));
	delta_record_free(record);
	return status;
}

int delta(struct exchange *x, const struct request *r)
{
	struct counters c = { .x = x };
	int status = make_record(r, &c.record);

	madkit_buf_init(&c.line, 0);
	if (!status)
		status = prefer_extended(&c, r);
	if (!status) {
		if (!c.extended || lacks_counters(&c, r))
			c.attributes[c.n++].request = *r;
		status = rounds(&c);
	}
	if (c.extended)
		request_free(&c.attributes[0].request);
	madkit_buf_free(&c.line);
	delta_record_free(c.record);
	return status;
}
