/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "cli/assertion.h"
#include "delta.h"
#include "request/difference.h"
#include "request/repeat.h"

/* The device that counts PortXmitWait, as far as it responded. */
struct delta_device {
	uint32_t vendor; /* 0: not known */
	uint16_t device;
	unsigned int lanes; /* of the link; 0: not known */
	bool ticks;         /* tick is known */
	uint64_t tick;
};

struct delta {
	struct exchange *x;
	struct delta_device device;
	struct madkit_counters *counters;
	/* by attribute of the counters: */
	struct request requests[MADKIT_COUNTERS_ATTRIBUTES];
	struct task tasks[MADKIT_COUNTERS_ATTRIBUTES];
	struct madkit_reading before[MADKIT_COUNTERS_ATTRIBUTES], now[MADKIT_COUNTERS_ATTRIBUTES];
	unsigned int n;
	double tick_octets; /* that the port can send during a tick of PortXmitWait; 0: not known */
	uint8_t header[MADKIT_HEADER_BYTES]; /* of the last response with the first attribute */
	int status;                          /* the worst so far */
	bool failed;                         /* another round is useless: status is the reason */
	bool partial;                        /* a request of this round had no valid response */
	bool known;                          /* there was a complete round before */
	bool compared;                       /* a difference has been shown */
	bool warned;                         /* a message about narrow counters is not needed any more */
};

/* ---- the requests -------------------------------------------------------------- */

int delta_check(const struct output *out, const struct request *r)
{
	struct madkit_counters *counters = NULL;
	struct madkit_record record;
	int status = difference_new(r, 0, &counters);

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

/* Copies PortSelect to a derived request. Returns 0 or -errno. */
static int delta_set_port(const struct request *r, struct request *derived)
{
	uint64_t port;
	char text[24];
	int ret = request_value(r, "PortSelect", &port);

	if (ret)
		return ret;
	snprintf(text, sizeof(text), "%" PRIu64, port);
	return madkit_set(derived->attribute->layout, derived->mad + derived->data_offset, derived->data_len,
			  "PortSelect", text, NULL, NULL);
}

/* Derives the request for an attribute that is read instead of the request's own. Returns 0 or -errno. */
static int delta_derive(const struct request *r, const struct madkit_attribute *attribute,
			struct request *derived)
{
	int ret = request_derive(r, attribute->name, r->header.modifier, derived);

	return ret ? ret : delta_set_port(r, derived);
}

/* Asks for an attribute, and reads its fields by one of these. A failure leaves the values unknown: the requests for the
 * counters show the problem. */
typedef void (*delta_reader)(struct delta_device *device, const struct request *asked,
			     const struct answer *answer);

static void delta_read_node(struct delta_device *device, const struct request *asked, const struct answer *a)
{
	struct madkit_record record;
	uint64_t vendor, device_id;

	(void)asked;
	madkit_record_get(&a->message, 0, &record);
	if (madkit_record_value(&record, "VendorID", &vendor) ||
	    madkit_record_value(&record, "DeviceID", &device_id))
		return;
	device->vendor = (uint32_t)vendor;
	device->device = (uint16_t)device_id;
}

static void delta_read_lanes(struct delta_device *device, const struct request *asked, const struct answer *a)
{
	struct madkit_record record;

	(void)asked;
	madkit_record_get(&a->message, 0, &record);
	device->lanes = difference_lanes(&record, "LinkWidthActive");
}

static void delta_read_tick(struct delta_device *device, const struct request *asked, const struct answer *a)
{
	device->ticks = difference_tick(a, asked->data_offset, &device->tick);
}

/* Sends a request that has been derived with the result ret. Returns EXIT_DONE, or a status after a signal or a report. */
static int delta_ask_device(struct delta *d, struct request *request, int ret, delta_reader read)
{
	struct answer answer = { .job.send = NULL };
	int status;

	if (ret)
		return ret == -ENOMEM ? cli_no_memory() : EXIT_DONE;
	status = exchange_ask(d->x, request, &answer);
	if (!status && answer.message.kind == MADKIT_MESSAGE_RESPONSE)
		read(&d->device, request, &answer);
	answer_free(&answer);
	request_free(request);
	return status >= EXIT_SIGNAL ? status : EXIT_DONE;
}

/* Finds out the length of a tick of PortXmitWait, if congestion is shown. Returns EXIT_DONE, or a status after a signal or
 * a report. */
static int delta_ask_ticks(struct delta *d, const struct request *r)
{
	struct delta_device *v = &d->device;
	struct request request = { .mad = NULL };
	uint64_t port = 0;
	int status, ret;

	if (!difference_shows_congestion(d->x->out) || r->header.mgmt_class != MADKIT_CLASS_PERF)
		return EXIT_DONE;
	status = delta_ask_device(d, &request, request_derive_smp(r, "NodeInfo", 0, &request),
				  delta_read_node);
	if (status || !(madkit_counters_wait_octets(v->vendor, v->device, 1, 0) > 0))
		return status;
	request_value(r, "PortSelect", &port);
	/* most devices count alike on any number of lanes */
	if (!(madkit_counters_wait_octets(v->vendor, v->device, 0, 0) > 0))
		status = delta_ask_device(d, &request,
					  request_derive_smp(r, "PortInfo", (uint32_t)port, &request),
					  delta_read_lanes);
	if (status)
		return status;
	ret = difference_ticks_request(r, &request);
	if (!ret)
		ret = delta_set_port(r, &request);
	status = delta_ask_device(d, &request, ret, delta_read_tick);
	if (v->ticks)
		d->tick_octets = madkit_counters_wait_octets(v->vendor, v->device, v->lanes, v->tick);
	return status;
}

/* Makes the requests for all attributes. Returns EXIT_DONE, or a status after a report. */
static int delta_prepare(struct delta *d, const struct request *r)
{
	const struct madkit_attribute *attribute;
	unsigned int has;
	int ret, status = delta_ask(d->x, r, &has, &d->status);

	if (!status)
		status = difference_new(r, has, &d->counters);
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

/* Says, once, that a counter is full within seconds. */
static void delta_tell_narrow(struct delta *d, const struct difference *difference)
{
	const struct madkit_change *change = d->warned ? NULL : difference_narrow(difference);
	char full[DIFFERENCE_FULL_BYTES];

	d->warned = true;
	if (change)
		cli_say("%s has %" PRIu32 " bits: %s", change->field->name, change->field->width,
			difference_full(change->field, difference->gbps, full));
}

/* Applies the filter and the assertion to the differences, and shows them if they pass the filter. */
static void delta_show(struct delta *d)
{
	const struct request *r = &d->requests[0];
	struct output *out = d->x->out;
	char addr[MADKIT_ADDR_TEXT_MAX];
	struct difference difference = {
		.out = out,
		.counters = d->counters,
		.attribute = r->attribute->name,
		.timed = true,
		.interval_ns = d->now[0].time_ns - d->before[0].time_ns, /* of the attribute in the heading */
		.gbps = delta_link_gbps(d),
		.place = madkit_addr_text(&r->to, addr),
	};
	const struct madkit_object data = { difference_write, &difference };
	struct madkit_message message;
	struct madkit_record record;

	difference.of_port = !request_value(r, "PortSelect", &difference.port);
	exchange_message(d->x, MADKIT_MESSAGE_EVENT, &message);
	message.remote = &r->to;
	message.mad = d->header;
	message.len = sizeof(d->header);
	delta_tell_narrow(d, &difference);
	madkit_counters_record(d->counters, &message, &record);
	if (!output_judge_record(out, &record))
		return;
	if (out->format == FORMAT_JSON)
		exchange_object(d->x, &message, &data);
	else
		difference_put_text(&difference, &out->buf);
}

/* ---- rounds ----------------------------------------------------------------------- */

/* Ends a round. A round with a failed request is omitted: the next difference covers both intervals. */
static void delta_round(struct delta *d)
{
	if (!d->partial && d->known) {
		const struct madkit_counters_link link = { delta_link_gbps(d), d->tick_octets };

		madkit_counters_set_link(d->counters, &link);
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
		status = delta_ask_ticks(&d, r);
	if (!status)
		status = delta_rounds(&d);
	for (unsigned int i = 0; i < d.n; i++)
		if (d.requests[i].attribute != r->attribute)
			request_free(&d.requests[i]);
	madkit_counters_free(d.counters);
	return status;
}
