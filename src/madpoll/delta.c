/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "cli/assertion.h"
#include "delta.h"
#include "request/repeat.h"

struct delta {
	struct exchange *x;
	struct madkit_counters *counters;
	/* by attribute of the counters: */
	struct request requests[MADKIT_COUNTERS_ATTRIBUTES];
	struct task tasks[MADKIT_COUNTERS_ATTRIBUTES];
	struct madkit_reading before[MADKIT_COUNTERS_ATTRIBUTES], now[MADKIT_COUNTERS_ATTRIBUTES];
	unsigned int n;
	uint8_t header[MADKIT_HEADER_BYTES]; /* of the last response with the first attribute */
	int status;                          /* the worst so far */
	bool failed;                         /* another round is useless: status is the reason */
	bool partial;                        /* a request of this round had no valid response */
	bool known;                          /* there was a complete round before */
	bool compared;                       /* a difference has been shown */
};

/* ---- the requests -------------------------------------------------------------- */

/* has: which counters the port has. Returns EXIT_DONE, or a status after a report. */
static int delta_counters(const struct request *r, unsigned int has, struct madkit_counters **counters)
{
	int ret;

	if (!r->attribute || !r->attribute->layout)
		return cli_usage_error("madkit does not know the counters of %s", r->attribute_name);
	ret = madkit_counters_new(r->attribute, has, counters);
	if (ret == -ENOENT)
		return cli_usage_error("%s has no counters to show", r->attribute_name);
	return ret ? cli_no_memory() : EXIT_DONE;
}

int delta_check(const struct output *out, const struct request *r)
{
	struct madkit_counters *counters = NULL;
	struct madkit_record record;
	int status = delta_counters(r, 0, &counters);

	if (status)
		return status;
	madkit_counters_record(counters, NULL, &record);
	status = output_check(out, record.attribute);
	madkit_counters_free(counters);
	return status;
}

int delta_ask(struct exchange *x, const struct request *r, unsigned int *has, int *lack)
{
	struct answer answer = { .job.send = NULL };
	struct request cpi;
	bool unknown;
	int status;

	*has = 0;
	if (r->header.mgmt_class != MADKIT_CLASS_PERF || r->header.attribute != MADKIT_ATTR_PORT_COUNTERS)
		return EXIT_DONE;
	if (request_derive(r, "ClassPortInfo", 0, &cpi))
		return cli_no_memory();
	status = exchange_ask(x, &cpi, &answer);
	if (!status && answer.message.kind == MADKIT_MESSAGE_RESPONSE &&
	    answer.message.len >= cpi.data_offset + MADKIT_CPI_BYTES)
		*has = madkit_cpi_get_counters(answer.message.mad + cpi.data_offset);
	unknown = status == EXIT_TIMEOUT || status == EXIT_MALFORMED ||
		  (status == EXIT_STATUS && !answer_refuses(&answer));
	if (unknown || status == EXIT_LOCAL) {
		exchange_show(x, &cpi, &answer);
		exchange_tell(x, &cpi, &answer);
	}
	if (unknown) {
		cli_say("it is not known whether the port has PortCountersExtended: PortCounters are read");
		*lack = status;
	}
	answer_free(&answer);
	request_free(&cpi);
	return status >= EXIT_SIGNAL || status == EXIT_LOCAL ? status : EXIT_DONE;
}

/* Derives the request for an attribute that is read instead of the request's own. Returns 0 or -errno. */
static int delta_derive(const struct request *r, const struct madkit_attribute *attribute,
			struct request *derived)
{
	uint64_t port;
	char text[24];
	int ret = request_derive(r, attribute->name, r->header.modifier, derived);

	if (!ret)
		ret = request_value(r, "PortSelect", &port);
	if (ret)
		return ret;
	snprintf(text, sizeof(text), "%" PRIu64, port);
	return madkit_set(derived->attribute->layout, derived->mad + derived->data_offset, derived->data_len,
			  "PortSelect", text, NULL, NULL);
}

/* Makes the requests for all attributes. Returns EXIT_DONE, or a status after a report. */
static int delta_prepare(struct delta *d, const struct request *r)
{
	const struct madkit_attribute *attribute;
	unsigned int has;
	int ret, status = delta_ask(d->x, r, &has, &d->status);

	if (!status)
		status = delta_counters(r, has, &d->counters);
	if (status)
		return status;
	while ((attribute = madkit_counters_attribute(d->counters, d->n))) {
		struct request *request = &d->requests[d->n];

		d->tasks[d->n++].request = request;
		if (attribute == r->attribute) {
			*request = *r;
			continue;
		}
		ret = delta_derive(r, attribute, request);
		if (ret == -ENOMEM)
			return cli_no_memory();
		if (ret)
			return cli_insist("cannot make a request for %s", attribute->name);
	}
	return EXIT_DONE;
}

/* ---- one difference ------------------------------------------------------------ */

/* Checks if --fields selects the counter, as a field of the attribute or as a key of the line. */
static bool delta_names(const struct output *out, const char *name)
{
	char path[sizeof("data.counters.") + MADKIT_PATH_MAX];

	snprintf(path, sizeof(path), "data.counters.%s", name);
	return madkit_projection_has(out->how.fields, name) || madkit_projection_has(out->how.fields, path);
}

static bool delta_selects(const struct output *out, const struct madkit_change *change)
{
	char element[MADKIT_PATH_MAX];

	snprintf(element, sizeof(element), "%s[%u]", change->field->name, change->index);
	return delta_names(out, change->field->name) || (change->field->count && delta_names(out, element));
}

/* Returns the interval of the line: that of the attribute in its heading. */
static uint64_t delta_interval_ns(const struct delta *d)
{
	return d->now[0].time_ns - d->before[0].time_ns;
}

static void delta_write_change(struct madkit_writer *w, const char *name, const struct madkit_change *change)
{
	madkit_writer_object(w, name);
	madkit_writer_number(w, "value", change->value);
	madkit_writer_known(w, "delta", change->known, change->delta);
	if (change->rated)
		madkit_writer_decimal(w, "rate", change->rate, 3);
	else
		madkit_writer_null(w, "rate");
	if (change->unit && change->rated)
		madkit_writer_decimal(w, "rate_bytes", change->unit * change->rate, 3);
	else if (change->unit)
		madkit_writer_null(w, "rate_bytes");
	madkit_writer_bool(w, "saturated", change->saturated);
	madkit_writer_bool(w, "reset", change->reset);
	madkit_writer_close(w);
}

static void delta_write(const void *context, struct madkit_writer *w)
{
	const struct delta *d = context;
	const struct request *r = &d->requests[0];
	const struct madkit_change *change;
	const struct madkit_field *array = NULL;
	uint64_t port;
	bool of_port = !request_value(r, "PortSelect", &port);

	madkit_writer_string(w, "attribute", r->attribute->name);
	madkit_writer_known(w, "PortSelect", of_port, port);
	madkit_writer_number(w, "interval_us", delta_interval_ns(d) / 1000);
	madkit_writer_object(w, "counters");
	for (size_t i = 0; (change = madkit_counters_change(d->counters, i)); i++) {
		const struct madkit_field *field = change->field;

		if (!delta_selects(d->x->out, change))
			continue;
		if (array && field != array) {
			madkit_writer_close(w);
			array = NULL;
		}
		if (field->count && !array) {
			madkit_writer_array(w, field->name);
			array = field;
		}
		delta_write_change(w, array ? NULL : field->name, change);
	}
	if (array)
		madkit_writer_close(w);
	madkit_writer_close(w);
}

/* Returns the data rate of the link in Gb/s, if the counters are those of the port of this command; 0: not known. */
static double delta_link_gbps(const struct delta *d)
{
	const struct madkit_port_info *info = d->x->info;
	const struct request *r = &d->requests[0];
	uint64_t port;

	if (!info || r->to.lid != info->lid || request_value(r, "PortSelect", &port) || port != info->port)
		return 0;
	return info->rate + info->rate_tenths / 10.0;
}

/* Appends "10.9 GB/s, 87 Gb/s of 200". gbps: the data rate of the link; 0: not known. */
static void delta_put_rate(struct madkit_buf *buf, double bytes, double gbps)
{
	const double rate = 8 * bytes / 1e9;

	madkit_text_bytes(buf, bytes);
	madkit_buf_str(buf, "/s");
	if (gbps > 0)
		madkit_buf_printf(buf, ", %.*f Gb/s of %.*f", rate < 10, rate, gbps < 10, gbps);
}

static void delta_put_text(struct madkit_buf *buf, const struct madkit_change *change, double gbps)
{
	char label[MADKIT_PATH_MAX];

	snprintf(label, sizeof(label), change->field->count ? "%s%u" : "%s", change->field->name,
		 change->index);
	madkit_text_label(buf, label);
	if (!change->rated) {
		madkit_buf_printf(buf, "%" PRIu64 " (%s)\n", change->value,
				  change->saturated ? "saturated" : "reset");
		return;
	}
	madkit_buf_printf(buf, "+%" PRIu64 " (%.1f/s)", change->delta, change->rate);
	if (change->unit) {
		madkit_buf_str(buf, " = ");
		delta_put_rate(buf, change->unit * change->rate, gbps);
	}
	madkit_buf_printf(buf, ", value %" PRIu64 "\n", change->value);
}

static void delta_show_text(const struct delta *d)
{
	const struct request *r = &d->requests[0];
	const struct madkit_change *change;
	struct output *out = d->x->out;
	char addr[MADKIT_ADDR_TEXT_MAX];
	uint64_t port;
	bool of_port = !request_value(r, "PortSelect", &port);

	madkit_buf_printf(&out->buf, "# %s: %s", r->attribute->name, madkit_addr_text(&r->to, addr));
	if (of_port)
		madkit_buf_printf(&out->buf, " port %" PRIu64, port);
	madkit_buf_printf(&out->buf, " in %.3f s\n", (double)delta_interval_ns(d) / 1e9);
	if (of_port && out->how.fields && madkit_projection_has(out->how.fields, "PortSelect"))
		text_line(&out->buf, "PortSelect", "%" PRIu64, port);
	for (size_t i = 0; (change = madkit_counters_change(d->counters, i)); i++)
		if (delta_selects(out, change))
			delta_put_text(&out->buf, change, delta_link_gbps(d));
}

/* Applies the filter and the assertion to the differences, and shows them if they pass the filter. */
static void delta_show(const struct delta *d)
{
	const struct madkit_object data = { delta_write, d };
	struct output *out = d->x->out;
	struct madkit_message message;
	struct madkit_record record;

	exchange_message(d->x, MADKIT_MESSAGE_EVENT, &message);
	message.remote = &d->requests[0].to;
	message.mad = d->header;
	message.len = sizeof(d->header);
	madkit_counters_record(d->counters, &message, &record);
	if (!output_judge_record(out, &record))
		return;
	if (out->format == FORMAT_JSON)
		exchange_object(d->x, &message, &data);
	else
		delta_show_text(d);
}

/* ---- rounds ----------------------------------------------------------------------- */

/* Ends a round. A round with a failed request is omitted: the next difference covers both intervals. */
static void delta_round(struct delta *d)
{
	if (!d->partial && d->known) {
		madkit_counters_compare(d->counters, d->before, d->now);
		delta_show(d);
		d->compared = true;
	}
	if (!d->partial)
		memcpy(d->before, d->now, sizeof(d->before));
	d->known |= !d->partial;
	d->partial = false;
}

static bool delta_take(void *context, struct exchange *x, struct task *task)
{
	struct delta *d = context;
	const struct answer *answer = &task->answer;
	size_t i = (size_t)(task - d->tasks);
	int status = answer->status;

	if (status)
		exchange_show(x, task->request, answer);
	exchange_tell(x, task->request, answer);
	if (!status) {
		madkit_reading_take(&d->now[i], &answer->message, answer->job.reply.recv->time_ns);
		if (!i)
			memcpy(d->header, answer->message.mad, sizeof(d->header));
	}
	answer_free(&task->answer);
	d->failed = status >= EXIT_SIGNAL || status == EXIT_LOCAL;
	d->status = d->failed ? status : exit_worst(d->status, status);
	d->partial |= status;
	if (!d->failed && i + 1 == d->n)
		delta_round(d);
	return !d->failed;
}

static int delta_rounds(struct delta *d)
{
	struct exchange *x = d->x;
	const struct cli_options *o = x->options;
	/* one more: the first round is only the base of the second */
	struct repeat requests = { .tasks = d->tasks,
				   .n = d->n,
				   .rounds = o->timing.have_count ? o->timing.count + 1 : 0 };
	const struct sink sink = { .take = delta_take, .context = d };
	int ret = repeat_run(&requests, x, &sink);

	if (x->out->status)
		return EXIT_DONE;
	if (d->failed || (o->timing.have_count && requests.round == requests.rounds))
		return d->status;
	if (cli_stopped())
		return cli_stopped_status();
	if (ret)
		return exchange_report(x, NULL, exchange_port_failed(x, ret));
	if (!d->compared)
		cli_say("the deadline has passed before there were two readings to compare");
	return o->timing.have_count || !d->compared ? exit_worst(d->status, EXIT_TIMEOUT) : d->status;
}

int delta_run(struct exchange *x, const struct request *r)
{
	struct delta d = { .x = x };
	int status = delta_prepare(&d, r);

	if (!status)
		status = delta_rounds(&d);
	for (unsigned int i = 0; i < d.n; i++)
		if (d.requests[i].attribute != r->attribute)
			request_free(&d.requests[i]);
	madkit_counters_free(d.counters);
	return status;
}
