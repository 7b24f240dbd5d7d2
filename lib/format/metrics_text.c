/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Writes metrics in the text format of Prometheus (0.0.4), with the names and labels of infiniband_exporter 2.0.1. */
#include <string.h>
#include <madkit/constants.h>
#include <madkit/mad.h>
#include "format/metrics_int.h"
#include "util/array_size.h"
#include "util/put.h"

enum { METRICS_CHUNK = 1 << 16 };

/* ---- the families ------------------------------------------------------------------------ */

/* Kinds of devices: part of the names. */
enum metrics_kind { KIND_SWITCH, KIND_HCA, KINDS };
static const char *const metrics_kinds[KINDS] = { "switch", "hca" };

/* The subjects of the values of a family. A port of a channel adapter is a device. */
enum metrics_of { OF_DEVICE, OF_PORT, OF_RUN };

/* The value of a row, or a counter of metrics_counters[]. */
enum metrics_value {
	VALUE_COUNTER = 0,
	VALUE_ONE = METRICS_COUNTERS,
	VALUE_UP,
	VALUE_ERROR,
	VALUE_TIMEOUT,
	VALUE_DURATION,
	VALUE_STATE,
	VALUE_RATE,
	VALUE_RAW_RATE,
	VALUE_ERRORS,
	VALUE_TIMEOUTS,
	VALUE_RETRIES,
	VALUE_TIME,
};

/* Labels besides those of the subject. */
enum metrics_labels { LABELS_NONE, LABELS_LID, LABELS_NAME, LABELS_UPLINK, LABELS_COLLECTOR };

struct metrics_family {
	const char *name; /* after the kind */
	const char *help;
	enum metrics_of of;
	enum metrics_value value;
	enum metrics_labels labels;
	bool counts, seconds; /* a counter; microseconds, to be written as seconds */
	unsigned int not_of;  /* bits of the kinds that do not have it */
};

/* The names of devices are first, so that a reader of names need not read the rest. */
static const struct metrics_family metrics_families[] = {
	{ "info", "1, with the name and LID of the device.", OF_DEVICE, VALUE_ONE, LABELS_LID,
	  .counts = false },
	{ "up", "1 if the device responded to each request for counters, otherwise 0.", OF_DEVICE, VALUE_UP,
	  LABELS_NAME, .counts = false },
	{ "collect_duration_seconds", "Sum of the durations of the requests for counters.", OF_DEVICE,
	  VALUE_DURATION, LABELS_COLLECTOR, .seconds = true },
	{ "collect_error", "1 if the device refused a request for counters, otherwise 0.", OF_DEVICE,
	  VALUE_ERROR, LABELS_COLLECTOR, .counts = false },
	{ "collect_timeout", "1 if the device did not respond to a request for counters, otherwise 0.",
	  OF_DEVICE, VALUE_TIMEOUT, LABELS_COLLECTOR, .counts = false },
	{ "uplink_info", "1, with the device and port at the other end of the cable.", OF_PORT, VALUE_ONE,
	  LABELS_UPLINK, .counts = false },
	{ "port_state", "1 if the link is up, 0 if it is down.", OF_PORT, VALUE_STATE, LABELS_NONE,
	  .not_of = 1 << KIND_HCA },
	/* infiniband_exporter knows one port of a channel adapter, and has its rate without the port */
	{ "port_rate_bytes_per_second", "Data rate of the link, without its encoding.", OF_PORT, VALUE_RATE,
	  LABELS_NONE, .not_of = 1 << KIND_HCA },
	{ "port_rate_bytes_per_second", "Data rate of the link, without its encoding.", OF_DEVICE, VALUE_RATE,
	  LABELS_NAME, .not_of = 1 << KIND_SWITCH },
	{ "port_raw_rate_bytes_per_second", "Signalling rate of the link, below HDR with its encoding.",
	  OF_PORT, VALUE_RAW_RATE, LABELS_NONE, .not_of = 1 << KIND_HCA },
	{ "port_raw_rate_bytes_per_second", "Signalling rate of the link, below HDR with its encoding.",
	  OF_DEVICE, VALUE_RAW_RATE, LABELS_NAME, .not_of = 1 << KIND_SWITCH },
	{ NULL, NULL, OF_PORT, VALUE_COUNTER, LABELS_NONE, .counts = true }, /* each of metrics_counters[] */
	{ "collector_duration_seconds", "Duration of the discovery, or of all requests for counters.", OF_RUN,
	  VALUE_DURATION, LABELS_COLLECTOR, .seconds = true },
	{ "collect_errors_total", "Requests that were refused, or had a malformed response.", OF_RUN,
	  VALUE_ERRORS, LABELS_COLLECTOR, .counts = true },
	{ "collect_timeouts_total", "Requests without a response.", OF_RUN, VALUE_TIMEOUTS, LABELS_COLLECTOR,
	  .counts = true },
	{ "collect_retries_total", "Requests that were sent again.", OF_RUN, VALUE_RETRIES, LABELS_COLLECTOR,
	  .counts = true },
	{ "last_execution", "Time of the end of the run, in seconds since the epoch.", OF_RUN, VALUE_TIME,
	  LABELS_COLLECTOR, .counts = false },
};

/* ---- values ------------------------------------------------------------------------------ */

static bool metrics_is_kind(const struct metrics_device *d, unsigned int kind)
{
	return d->shown && d->guid &&
	       d->type == (kind == KIND_SWITCH ? MADKIT_NODE_TYPE_SWITCH : MADKIT_NODE_TYPE_CHANNEL_ADAPTER);
}

static bool metrics_value_of_device(const struct metrics_device *d, enum metrics_value which, uint64_t *value)
{
	const bool is_rate = which == VALUE_RATE || which == VALUE_RAW_RATE;

	*value = which == VALUE_UP       ? d->answered && !d->timeouts && !d->errors :
		 which == VALUE_ERROR    ? d->errors > 0 :
		 which == VALUE_TIMEOUT  ? d->timeouts || d->silent :
		 which == VALUE_ONE      ? 1 :
		 which == VALUE_RATE     ? d->rate :
		 which == VALUE_RAW_RATE ? d->raw_rate :
					   d->us;
	return *value || !is_rate;
}

static bool metrics_value_of_port(const struct metrics_port *p, enum metrics_value which, uint64_t *value)
{
	*value = 1;
	if (p->hidden)
		return false;
	if (which < VALUE_ONE) {
		*value = p->counters[which];
		return p->has >> which & 1;
	}
	if (which == VALUE_ONE)
		return p->is.peer != MADKIT_METRICS_NONE;
	if (which == VALUE_STATE) {
		*value = p->is.up;
		return p->is.known;
	}
	*value = which == VALUE_RATE ? p->rate : p->raw_rate;
	return *value;
}

/* Row 0: the discovery; then the kinds of devices. */
static bool metrics_value_of_run(const struct madkit_metrics *m, const struct madkit_metrics_run *run,
				 size_t row, enum metrics_value which, uint64_t *value)
{
	bool any = !row;

	*value = which == VALUE_TIME     ? (uint64_t)run->ended :
		 which == VALUE_DURATION ? (row ? run->survey_us : run->sweep_us) :
		 row                     ? 0 :
		 which == VALUE_ERRORS   ? run->sweep_errors :
		 which == VALUE_TIMEOUTS ? run->sweep_timeouts :
					   0;
	for (uint32_t i = 0; row && i < m->ndevices; i++) {
		const struct metrics_device *d = &m->devices[i];

		if (!metrics_is_kind(d, (unsigned int)row - 1))
			continue;
		any = true;
		*value += which == VALUE_ERRORS   ? d->errors :
			  which == VALUE_TIMEOUTS ? d->timeouts :
			  which == VALUE_RETRIES  ? d->retries :
						    0;
	}
	return any && (row || which != VALUE_RETRIES);
}

/* ---- lines ------------------------------------------------------------------------------- */

static void metrics_put_guid(struct madkit_buf *buf, const struct metrics_device *d)
{
	LIT(buf, "guid=\"");
	put_hex(buf, d->guid, 16);
	LIT(buf, "\"");
}

/* Appends ,LABEL="name of the device". */
static void metrics_put_name(const struct madkit_metrics *m, struct madkit_buf *buf, const char *label,
			     const struct metrics_device *d)
{
	madkit_buf_char(buf, ',');
	madkit_buf_str(buf, label);
	LIT(buf, "=\"");
	if (d)
		madkit_buf_add(buf, m->texts.data + d->name, d->name_len);
	LIT(buf, "\"");
}

static void metrics_put_number(struct madkit_buf *buf, const char *label, uint64_t number)
{
	madkit_buf_str(buf, label);
	LIT(buf, "=\"");
	put_number(buf, number);
	LIT(buf, "\"");
}

static void metrics_put_collector(struct madkit_buf *buf, const char *kind)
{
	LIT(buf, "collector=\"");
	madkit_buf_str(buf, kind);
	LIT(buf, "-runonce\"");
}

static void metrics_put_device(const struct madkit_metrics *m, struct madkit_buf *buf,
			       enum metrics_labels labels, unsigned int kind, const struct metrics_device *d)
{
	metrics_put_guid(buf, d);
	if (labels == LABELS_COLLECTOR) {
		madkit_buf_char(buf, ',');
		metrics_put_collector(buf, metrics_kinds[kind]);
		return;
	}
	metrics_put_name(m, buf, metrics_kinds[kind], d);
	if (labels == LABELS_LID)
		metrics_put_number(buf, ",lid", d->lid);
}

static void metrics_put_uplink(const struct madkit_metrics *m, struct madkit_buf *buf,
			       const struct madkit_metrics_port *p)
{
	const struct metrics_device *d = &m->devices[p->peer];

	metrics_put_name(m, buf, "uplink", d);
	LIT(buf, ",uplink_");
	metrics_put_guid(buf, d);
	LIT(buf, ",uplink_type=\"");
	madkit_buf_str(buf, d->type == MADKIT_NODE_TYPE_SWITCH          ? "SW" :
			    d->type == MADKIT_NODE_TYPE_CHANNEL_ADAPTER ? "CA" :
									  "RT");
	metrics_put_number(buf, "\",uplink_port", p->peer_number);
	metrics_put_number(buf, ",uplink_lid", d->lid);
}

static void metrics_put_port(const struct madkit_metrics *m, struct madkit_buf *buf,
			     const struct metrics_family *f, unsigned int kind,
			     const struct madkit_metrics_port *p)
{
	const struct metrics_device *d = &m->devices[p->device];

	metrics_put_guid(buf, d);
	if (kind == KIND_HCA)
		metrics_put_name(m, buf, "hca", d);
	metrics_put_number(buf, ",port", p->number);
	if (kind == KIND_HCA)
		metrics_put_name(m, buf, "switch",
				 p->peer == MADKIT_METRICS_NONE ? NULL : &m->devices[p->peer]);
	else
		metrics_put_name(m, buf, "switch", d);
	if (f->labels == LABELS_UPLINK)
		metrics_put_uplink(m, buf, p);
}

static void metrics_put_family_name(struct madkit_buf *buf, const struct metrics_family *f,
				    const struct metrics_place *at)
{
	LIT(buf, "infiniband_");
	madkit_buf_str(buf, f->of == OF_RUN ? "exporter" : metrics_kinds[at->kind]);
	madkit_buf_char(buf, '_');
	if (f->name) {
		madkit_buf_str(buf, f->name);
		return;
	}
	LIT(buf, "port_");
	madkit_buf_str(buf, metrics_counters[at->counter].name);
	LIT(buf, "_total");
}

static void metrics_put_title(struct madkit_buf *buf, const struct metrics_family *f,
			      struct metrics_place *at)
{
	LIT(buf, "# HELP ");
	metrics_put_family_name(buf, f, at);
	madkit_buf_char(buf, ' ');
	madkit_buf_str(buf, f->help ? f->help : metrics_counters[at->counter].help);
	LIT(buf, "\n# TYPE ");
	metrics_put_family_name(buf, f, at);
	madkit_buf_str(buf, f->counts ? " counter\n" : " gauge\n");
	at->titled = true;
}

static void metrics_put_value(struct madkit_buf *buf, const struct metrics_family *f,
			      const struct metrics_place *at, uint64_t value)
{
	LIT(buf, "} ");
	/* data is counted in words of four bytes */
	if (!f->name && at->counter < 2)
		put_times4(buf, value);
	else if (f->seconds)
		madkit_buf_printf(buf, "%llu.%06llu", (unsigned long long)value / 1000000,
				  (unsigned long long)value % 1000000);
	else
		put_number(buf, value);
	madkit_buf_char(buf, '\n');
}

/* Writes the line of a row, if it has a value. */
static void metrics_put_line(const struct madkit_metrics *m, const struct madkit_metrics_run *run,
			     struct madkit_buf *buf, const struct metrics_family *f, struct metrics_place *at)
{
	const struct metrics_port *p = f->of == OF_PORT ? &m->ports[at->row] : NULL;
	const struct metrics_device *d = p                  ? &m->devices[p->is.device] :
					 f->of == OF_DEVICE ? &m->devices[at->row] :
							      NULL;
	const enum metrics_value which = f->name ? f->value : (enum metrics_value)at->counter;
	uint64_t value;

	if (d && !metrics_is_kind(d, at->kind))
		return;
	if (p ? !metrics_value_of_port(p, which, &value) :
	    d ? !metrics_value_of_device(d, which, &value) :
		!metrics_value_of_run(m, run, at->row, which, &value))
		return;
	if (!at->titled)
		metrics_put_title(buf, f, at);
	metrics_put_family_name(buf, f, at);
	madkit_buf_char(buf, '{');
	if (p)
		metrics_put_port(m, buf, f, at->kind, &p->is);
	else if (d)
		metrics_put_device(m, buf, f->labels, at->kind, d);
	else
		metrics_put_collector(buf, at->row ? metrics_kinds[at->row - 1] : "ibnetdiscover");
	metrics_put_value(buf, f, at, value);
}

static size_t metrics_rows(const struct madkit_metrics *m, const struct metrics_family *f)
{
	return f->of == OF_DEVICE ? m->ndevices : f->of == OF_PORT ? m->nports : 1 + KINDS;
}

/* Advances to the next family. */
static void metrics_advance(const struct metrics_family *f, struct metrics_place *at)
{
	at->row = 0;
	at->titled = false;
	if (f->of != OF_RUN && ++at->kind < KINDS)
		return;
	at->kind = 0;
	if (!f->name && ++at->counter < METRICS_COUNTERS)
		return;
	at->counter = 0;
	at->family++;
}

bool madkit_metrics_write(struct madkit_metrics *m, const struct madkit_metrics_run *run,
			  struct madkit_buf *buf)
{
	struct metrics_place *at = &m->place;
	const size_t end = buf->len + METRICS_CHUNK;

	while (at->family < ARRAY_SIZE(metrics_families)) {
		const struct metrics_family *f = &metrics_families[at->family];
		const size_t rows = f->not_of >> at->kind & 1 ? 0 : metrics_rows(m, f);

		for (; at->row < rows && buf->len < end && !buf->error; at->row++)
			metrics_put_line(m, run, buf, f, at);
		if (buf->error || at->row < rows)
			return !buf->error;
		metrics_advance(f, at);
	}
	*at = (struct metrics_place){ .family = 0 };
	return false;
}
