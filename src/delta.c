/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "delta.h"

/* ClassPortInfo of PerfMgt (IBA volume 1, section 16.1.1.1; libibmad's
 * IB_PM_EXT_WIDTH_SUPPORTED, ..._NOIETF_SUP, IB_PM_IS_ADDL_PORT_CTRS_EXT_SUP) */
#define CAP_EXTENDED		0x0200
#define CAP_EXTENDED_NO_IETF	0x0400
#define CAP2_EXTENDED_ERRORS	0x2

/* The first fields of the groups that not every port has in PortCountersExtended. */
#define IETF_FIRST	"PortUnicastXmitPkts"
#define ERRORS_FIRST	"SymbolErrorCounter"

/* One attribute, as it was last time. */
struct source {
	struct request request;
	uint8_t before[MADKIT_FRAME_BYTES];
	size_t before_len;
	uint64_t before_ns;
	uint8_t header[MADKIT_HEADER_BYTES];	/* of the last answer */
	bool known;
};

struct counters {
	struct exchange *x;
	struct source sources[2];
	unsigned int nsources;
	/* sources[0] is PortCountersExtended, and this much of it is there */
	bool extended, ietf, errors;
	unsigned int ietf_bit, errors_bit;	/* where its groups begin */
	/* one round */
	const struct source *source;
	uint64_t interval_ns;
	struct madkit_buf line;
	bool in_array;		/* the line goes on within an array */
	bool any;		/* counters at all, chosen ones or not */
	bool passes;		/* the filter, the attribute asked for does */
};

/* ---- which counters ----------------------------------------------------------- */

static bool extended_has(const struct counters *c, const struct madkit_field *f)
{
	return f->offset >= c->errors_bit ? c->errors :
	       f->offset >= c->ietf_bit ? c->ietf : true;
}

/* Whether the source that is being shown is where this counter is read. */
static bool is_read_here(const struct counters *c, const struct madkit_field *f)
{
	const struct source *first = &c->sources[0];
	struct madkit_place place;

	if (!c->extended)
		return true;
	if (c->source == first)
		return extended_has(c, f);
	return madkit_place_find(first->request.attribute->layout, f->name,
				 strlen(f->name), &place, NULL) ||
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

/* The port that is asked for is the other request's. */
static int select_port(const struct request *r, struct request *other)
{
	uint64_t port;
	char text[24];
	int ret = request_value(r, "PortSelect", &port);

	if (ret)
		return ret;
	snprintf(text, sizeof(text), "%" PRIu64, port);
	return madkit_set(other->attribute->layout, other->mad + other->data_offset,
			  other->data_len, "PortSelect", text, NULL, NULL);
}

/* The wider counters, where the port has them. */
static int prefer_extended(struct counters *c, const struct request *r)
{
	struct exchange *x = c->x;
	struct answer answer = { .send = NULL };
	struct request cpi;
	const uint8_t *data;
	int status = EXIT_DONE;

	if (r->header.mgmt_class != MADKIT_CLASS_PERF || !r->attribute ||
	    strcmp(r->attribute->name, "PortCounters"))
		return EXIT_DONE;
	/* a port that does not say has none */
	if (!request_derive(r, "ClassPortInfo", 0, &cpi))
		status = exchange_ask(x, &cpi, &answer);
	if (!status && answer.message.kind == MADKIT_MESSAGE_RESPONSE &&
	    answer.message.len >= cpi.data_offset + MADKIT_CPI_BYTES) {
		data = answer.message.mad + cpi.data_offset;
		c->ietf = madkit_cpi_get_capmask(data) & CAP_EXTENDED;
		c->extended = c->ietf ||
			madkit_cpi_get_capmask(data) & CAP_EXTENDED_NO_IETF;
		c->errors = madkit_cpi_get_capmask2(data) & CAP2_EXTENDED_ERRORS;
	}
	answer_free(&answer);
	request_free(&cpi);
	if (c->extended) {
		struct request *wide = &c->sources[0].request;

		if (request_derive(r, "PortCountersExtended", r->header.modifier, wide)) {
			cli_say("out of memory");
			return EXIT_LOCAL;
		}
		c->nsources = 1;
		if (groups_find(c, wide->attribute->layout) || select_port(r, wide)) {
			cli_say("%s cannot be asked for", wide->attribute_name);
			return EXIT_LOCAL;
		}
	}
	return status >= EXIT_SIGNAL || status == EXIT_LOCAL ? status : EXIT_DONE;
}

/* ---- one counter ---------------------------------------------------------------- */

struct change {
	uint64_t value, delta;
	bool saturated, reset, octets4;
	double rate;
};

static void put_json(struct madkit_buf *buf, const char *name,
		     const struct change *change)
{
	bool rated = !change->saturated && !change->reset;

	json_open(buf, name, '{');
	json_number(buf, "value", change->value);
	if (change->reset)
		json_null(buf, "delta");
	else
		json_number(buf, "delta", change->delta);
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

static void put_text(struct madkit_buf *buf, const char *name,
		     const struct change *change)
{
	madkit_text_label(buf, name);
	if (change->saturated)
		madkit_buf_printf(buf, "%" PRIu64 " (saturated)", change->value);
	else if (change->reset)
		madkit_buf_printf(buf, "%" PRIu64 " (reset)", change->value);
	else
		madkit_buf_printf(buf, "+%" PRIu64 " (%.1f/s)", change->delta,
				  change->rate);
	if (change->octets4 && !change->saturated && !change->reset)
		madkit_buf_printf(buf, " = %.1f bytes/s", 4 * change->rate);
	madkit_buf_char(buf, '\n');
}

/* Whether --fields takes it, as the attribute's field or as what stands in our line. */
static bool is_chosen(const struct output *out, const char *name)
{
	char path[sizeof("data.counters.") + MADKIT_PATH_MAX];

	snprintf(path, sizeof(path), "data.counters.%s", name);
	return madkit_projection_has(out->how.fields, name) ||
	       madkit_projection_has(out->how.fields, path);
}

static void put_change(struct counters *c, const struct madkit_item *item,
		       const struct change *change)
{
	const char *name = item->field->name;
	char label[MADKIT_PATH_MAX];

	if (c->x->out->format != FORMAT_JSON) {
		snprintf(label, sizeof(label), item->field->count ? "%s%u" : "%s", name,
			 item->index);
		put_text(&c->line, label, change);
		return;
	}
	if (item->field->count && !c->in_array)
		json_open(&c->line, name, '[');
	c->in_array = item->field->count;
	put_json(&c->line, c->in_array ? NULL : name, change);
}

static int visit(void *context, const struct madkit_item *item)
{
	struct counters *c = context;
	const struct madkit_field *f = item->field;
	const struct source *s = c->source;
	uint64_t most = f && f->width < 64 ? (UINT64_C(1) << f->width) - 1 : UINT64_MAX;
	struct change change = { .value = item->value };
	char element[MADKIT_PATH_MAX];
	uint64_t before;

	if (c->in_array && (item->event == MADKIT_WALK_ARRAY_END ||
			    item->event == MADKIT_WALK_TRUNCATED)) {
		json_close(&c->line, ']');
		c->in_array = false;
	}
	if (item->event != MADKIT_WALK_FIELD || f->kind != MADKIT_KIND_COUNTER ||
	    item->depth || !is_read_here(c, f))
		return 0;
	c->any = true;
	snprintf(element, sizeof(element), "%s[%u]", f->name, item->index);
	if (!is_chosen(c->x->out, f->name) &&
	    !(f->count && is_chosen(c->x->out, element)))
		return 0;
	if (madkit_field_get(f, item->index, s->before, s->before_len, &before))
		return 0;
	change.saturated = change.value == most;
	change.reset = change.value < before;
	change.octets4 = f->flags & MADKIT_FIELD_OCTETS4;
	change.delta = change.reset ? 0 : change.value - before;
	change.rate = c->interval_ns ?
		(double)change.delta * 1e9 / (double)c->interval_ns : 0;
	put_change(c, item, &change);
	return c->line.error;
}

/* ---- rounds ----------------------------------------------------------------------- */

static int ask(struct counters *c, struct source *s, bool judge)
{
	struct answer answer;
	struct madkit_record record;
	int status = exchange_ask(c->x, &s->request, &answer);

	if (status)
		exchange_show(c->x, &answer);
	exchange_tell(c->x, &s->request, &answer);
	if (status)
		goto out;
	madkit_record_get(&answer.message, 0, &record);
	c->source = s;
	c->interval_ns = answer.reply.recv->time_ns - s->before_ns;
	if (judge)
		c->passes = output_judge(c->x->out, &answer.message);
	if (s->known)
		madkit_walk(s->request.attribute->layout, record.data, record.len,
			    visit, c);
	s->before_len = record.len < sizeof(s->before) ? record.len : sizeof(s->before);
	memcpy(s->before, record.data, s->before_len);
	s->before_ns = answer.reply.recv->time_ns;
	memcpy(s->header, answer.message.mad, sizeof(s->header));
	s->known = true;
out:
	answer_free(&answer);
	return status;
}

static void show(struct counters *c)
{
	const struct source *s = &c->sources[0];
	struct output *out = c->x->out;
	struct madkit_message message;
	struct madkit_buf data;
	char addr[MADKIT_ADDR_TEXT_MAX];
	uint64_t port;
	bool of_port = !request_value(&s->request, "PortSelect", &port);

	if (out->format != FORMAT_JSON) {
		madkit_buf_printf(&out->buf, "# %s: %s", s->request.attribute->name,
				  madkit_addr_text(&s->request.to, addr));
		if (of_port)
			madkit_buf_printf(&out->buf, " port %" PRIu64, port);
		madkit_buf_printf(&out->buf, " in %.3f s\n",
				  (double)c->interval_ns / 1e9);
		if (of_port && out->how.fields &&
		    madkit_projection_has(out->how.fields, "PortSelect"))
			text_line(&out->buf, "PortSelect", "%" PRIu64, port);
		madkit_buf_add(&out->buf, c->line.data, c->line.len);
		return;
	}
	madkit_buf_init(&data, 0);
	json_open(&data, NULL, '{');
	json_string(&data, "attribute", s->request.attribute->name);
	if (of_port)
		json_number(&data, "PortSelect", port);
	else
		json_null(&data, "PortSelect");
	json_number(&data, "interval_us", c->interval_ns / 1000);
	json_open(&data, "counters", '{');
	madkit_buf_add(&data, c->line.data, c->line.len);
	json_close(&data, '}');
	json_close(&data, '}');
	exchange_message(c->x, MADKIT_MESSAGE_EVENT, &message);
	message.remote = &s->request.to;
	message.mad = c->source->header;
	message.len = sizeof(c->source->header);
	message.data_json = json_end(&data);
	output_object(out, &message);
	madkit_buf_free(&data);
}

static int rounds(struct counters *c)
{
	struct exchange *x = c->x;
	const struct cli_options *o = x->options;
	uint64_t next = madkit_port_now(x->port);
	int status = EXIT_DONE;

	/* the first round is what the second one differs from; one that fails
	 * is one difference less */
	for (uint64_t round = 0;; round++) {
		bool complete = true;

		madkit_buf_reset(&c->line);
		c->any = false;
		for (unsigned int i = 0; i < c->nsources; i++) {
			int ret;

			complete &= c->sources[i].known;
			/* the last one is what the user named: filter and
			 * assertion speak of that */
			ret = ask(c, &c->sources[i],
				  complete && i == c->nsources - 1);
			if (ret >= EXIT_SIGNAL || ret == EXIT_LOCAL)
				return ret;
			complete &= !ret;
			status = exit_worst(status, ret);
		}
		if (complete && !c->any) {
			cli_usage_error("%s has no counters to show",
					c->sources[0].request.attribute_name);
			return EXIT_USAGE;
		}
		if (complete && c->passes)
			show(c);
		if (output_flush(x->out))
			return EXIT_DONE;
		if (o->have_count && round == o->count)
			return status;
		next += o->interval_ms * NS_PER_MS;
		if (!exchange_pause(x, next))
			return cli_stopped() ? cli_stopped_status() :
			       o->have_count ? exit_worst(status, EXIT_TIMEOUT) : status;
	}
}

int delta(struct exchange *x, const struct request *r)
{
	struct counters c = { .x = x };
	int status;

	if (!r->attribute || !r->attribute->layout)
		return cli_usage_error("no table knows the counters of %s",
				       r->attribute_name);
	madkit_buf_init(&c.line, 0);
	status = prefer_extended(&c, r);
	c.sources[c.nsources++].request = *r;
	if (!status)
		status = rounds(&c);
	if (c.extended)
		request_free(&c.sources[0].request);
	madkit_buf_free(&c.line);
	return status;
}
