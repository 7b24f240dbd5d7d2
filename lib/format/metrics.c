/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Metrics in the text format of Prometheus (0.0.4), with the names and labels of infiniband_exporter 2.0.1. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/constants.h>
#include <madkit/escape.h>
#include <madkit/expr.h>
#include <madkit/mad.h>
#include <madkit/metrics.h>
#include "util/array.h"
#include "util/array_size.h"
#include "util/bits.h"
#include "util/put.h"
#include "util/table.h"

enum { METRICS_CHUNK = 1 << 16 };

/* ---- the counters ------------------------------------------------------------------------ */

/* A counter with the end of its name, between "infiniband_switch_port_" and "_total". */
struct metrics_counter {
	const char *field, *name, *help;
};

static const struct metrics_counter metrics_counters[] = {
	{ "PortXmitData", "transmit_data_bytes", "Bytes sent on all VLs." },
	{ "PortRcvData", "receive_data_bytes", "Bytes received on all VLs." },
	{ "PortXmitPkts", "transmit_packets", "Packets sent on all VLs." },
	{ "PortRcvPkts", "receive_packets", "Packets received on all VLs." },
	{ "PortUnicastXmitPkts", "unicast_transmit_packets", "Unicast packets sent." },
	{ "PortUnicastRcvPkts", "unicast_receive_packets", "Unicast packets received." },
	{ "PortMulticastXmitPkts", "multicast_transmit_packets", "Multicast packets sent." },
	{ "PortMulticastRcvPkts", "multicast_receive_packets", "Multicast packets received." },
	{ "SymbolErrorCounter", "symbol_error", "Symbol errors on the lanes of the link." },
	{ "LinkErrorRecoveryCounter", "link_error_recovery",
	  "Times the link recovered from errors by training again." },
	{ "LinkDownedCounter", "link_downed", "Times the link went down because training failed." },
	{ "PortRcvErrors", "receive_errors", "Packets received with an error." },
	{ "PortRcvRemotePhysicalErrors", "receive_remote_physical_errors",
	  "Packets received that an earlier link had marked as bad." },
	{ "PortRcvSwitchRelayErrors", "receive_switch_relay_errors",
	  "Packets received that the switch could not forward." },
	{ "PortXmitDiscards", "transmit_discards", "Packets to be sent that were discarded." },
	{ "PortXmitConstraintErrors", "transmit_constraint_errors",
	  "Packets not sent because of their P_Key or a filter." },
	{ "PortRcvConstraintErrors", "receive_constraint_errors",
	  "Packets discarded on arrival because of their P_Key or a filter." },
	{ "LocalLinkIntegrityErrors", "local_link_integrity_errors",
	  "Times the number of physical errors exceeded LocalPhyErrors." },
	{ "ExcessiveBufferOverrunErrors", "excessive_buffer_overrun_errors",
	  "Times buffers overran in as many flow control periods as OverrunErrors." },
	{ "VL15Dropped", "vl15_dropped", "Packets on VL15, of subnet management, dropped without a buffer." },
	{ "PortXmitWait", "transmit_wait", "Ticks in which data waited for credits or for arbitration." },
	{ "QP1Dropped", "qp1_dropped", "Packets to QP1, of general management, dropped without a buffer." },
	/* of PortRcvErrorDetails */
	{ "PortLocalPhysicalErrors", "local_physical_errors",
	  "Packets received with an error of this link." },
	{ "PortMalformedPktErrors", "malformed_packet_errors", "Packets received that were malformed." },
	{ "PortBufferOverrunErrors", "buffer_overrun_errors", "Packets received without a buffer for them." },
	{ "PortDLIDMappingErrors", "dlid_mapping_errors", "Packets received with a DLID without a route." },
	{ "PortVLMappingErrors", "vl_mapping_errors", "Packets received with an SL without a VL." },
	{ "PortLoopingErrors", "looping_errors", "Packets received that were to leave by the same port." },
};

enum { METRICS_COUNTERS = ARRAY_SIZE(metrics_counters) };
_Static_assert(METRICS_COUNTERS <= 32, "struct metrics_port.has");

/* The fields of an attribute that are counters; NULL: it does not have the counter. */
struct metrics_fields {
	const struct madkit_layout *layout;
	const struct madkit_field *fields[METRICS_COUNTERS];
};

static void metrics_find_fields(const struct madkit_layout *layout, struct metrics_fields *f)
{
	*f = (struct metrics_fields){ .layout = layout };
	for (size_t i = 0; layout && i < METRICS_COUNTERS; i++)
		for (unsigned int j = 0; j < layout->nfields; j++)
			if (layout->fields[j].name &&
			    !strcmp(layout->fields[j].name, metrics_counters[i].field))
				f->fields[i] = &layout->fields[j];
}

bool madkit_metrics_has(const struct madkit_attribute *attribute)
{
	static const uint16_t ids[] = { MADKIT_ATTR_PORT_COUNTERS, MADKIT_ATTR_PORT_COUNTERS_EXTENDED,
					MADKIT_ATTR_PORT_RCV_ERROR_DETAILS };

	for (size_t i = 0; attribute && i < ARRAY_SIZE(ids); i++)
		if (attribute == madkit_attribute_get(MADKIT_BASE_VERSION_IB, MADKIT_CLASS_PERF, ids[i]))
			return true;
	return false;
}

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

/* ---- rows -------------------------------------------------------------------------------- */

struct metrics_device {
	uint64_t guid, errors, timeouts, retries, answered, us;
	uint64_t rate, raw_rate; /* of all its ports: the planes of a channel adapter have one GUID */
	uint64_t numbers[4];     /* a bit for the number of each of its ports */
	size_t name, name_len;   /* in the texts, escaped */
	uint16_t lid;
	uint8_t type;
	bool shown, silent;
};

struct metrics_port {
	struct madkit_metrics_port is;
	bool hidden;  /* there is another port with its labels */
	uint32_t has; /* a bit for each counter with a value */
	uint64_t counters[METRICS_COUNTERS];
};

/* The next line. */
struct metrics_place {
	size_t family, counter, row;
	unsigned int kind;
	bool titled;
};

struct madkit_metrics {
	struct metrics_device *devices;
	struct metrics_port *ports;
	uint32_t ndevices, devices_cap, nports, ports_cap;
	struct table guids; /* numbers of devices */
	struct madkit_buf texts;
	struct metrics_fields fields; /* of the latest layout */
	struct metrics_place place;
};

struct madkit_metrics *madkit_metrics_new(void)
{
	return calloc(1, sizeof(struct madkit_metrics));
}

void madkit_metrics_free(struct madkit_metrics *m)
{
	if (!m)
		return;
	free(m->devices);
	free(m->ports);
	table_free(&m->guids);
	madkit_buf_free(&m->texts);
	free(m);
}

/* Appends the value of a label. Control characters other than newlines, and bytes that are not UTF-8, are shown as
 * madkit_text_escape() shows them. */
static void metrics_escape(struct madkit_buf *buf, const char *text, size_t len)
{
	struct madkit_buf safe;

	madkit_buf_init(&safe, 0);
	for (size_t at = 0, n; at < len; at += n ? n : 1) {
		const char *stop = memchr(text + at, '\n', len - at);

		n = stop ? (size_t)(stop - text) - at : len - at;
		madkit_buf_reset(&safe);
		madkit_text_escape(&safe, text + at, n);
		for (size_t i = 0; i < safe.len; i++) {
			if (safe.data[i] == '\\' || safe.data[i] == '"')
				madkit_buf_char(buf, '\\');
			madkit_buf_char(buf, safe.data[i]);
		}
		if (safe.error)
			buf->error = safe.error;
		if (stop) {
			LIT(buf, "\\n");
			n++;
		}
	}
	madkit_buf_free(&safe);
}

/* Finds a device of the same kind and GUID: values without other labels must differ. */
static bool metrics_find_device(const struct madkit_metrics *m, const struct madkit_metrics_device *device,
				uint32_t *number)
{
	size_t step = 0;

	while (table_next_number(&m->guids, table_mix(0, device->guid), &step, number))
		if (m->devices[*number].guid == device->guid && m->devices[*number].type == device->type)
			return true;
	return false;
}

int madkit_metrics_add_device(struct madkit_metrics *m, const struct madkit_metrics_device *device,
			      uint32_t *number)
{
	struct metrics_device *d;

	if (device->guid && metrics_find_device(m, device, number)) {
		m->devices[*number].shown |= device->shown;
		return 0;
	}
	if (array_room(&m->devices, &m->devices_cap, m->ndevices, 1, sizeof(*m->devices)) ||
	    table_reserve(&m->guids, m->guids.count + 1))
		return -ENOMEM;
	d = &m->devices[m->ndevices];
	*d = (struct metrics_device){ .guid = device->guid,
				      .name = m->texts.len,
				      .lid = device->lid,
				      .type = device->type,
				      .shown = device->shown,
				      .silent = device->shown };
	metrics_escape(&m->texts, device->name, device->name_len);
	if (m->texts.error)
		return m->texts.error;
	d->name_len = m->texts.len - d->name;
	table_add_number(&m->guids, table_mix(0, device->guid), m->ndevices);
	*number = m->ndevices++;
	return 0;
}

/* Returns the values of a field of the object "port". */
static const struct madkit_value *metrics_values(const char *name)
{
	const struct madkit_layout *l = &madkit_layout_port_object;

	for (unsigned int i = 0; i < l->nfields; i++)
		if (l->fields[i].name && !strcmp(l->fields[i].name, name))
			return l->fields[i].values;
	return NULL;
}

/* Returns the rate of a link in bytes per second. raw: with 8b/10b or 64b/66b coding; from HDR on, the data rate. */
static uint64_t metrics_rate(const struct madkit_metrics_port *p, bool raw)
{
	static const uint32_t kbps[] = { 2500000, 5000000, 10000000, 10312500, 14062500, 25781250 };
	uint64_t lanes = 0, lane = 0;

	if (!p->up)
		return 0;
	madkit_value_magnitude(metrics_values("width"), p->width, &lanes);
	madkit_value_magnitude(metrics_values("speed"), p->speed, &lane);
	for (size_t i = 0; raw && i < ARRAY_SIZE(kbps); i++)
		if (p->speed == UINT32_C(1) << i)
			lane = kbps[i];
	return lanes * lane * 1000 / 8;
}

int madkit_metrics_add_port(struct madkit_metrics *m, const struct madkit_metrics_port *port,
			    uint32_t *number)
{
	struct metrics_device *d = &m->devices[port->device];
	uint64_t *numbers = &d->numbers[port->number / 64];
	const uint64_t bit = UINT64_C(1) << port->number % 64;

	if (array_room(&m->ports, &m->ports_cap, m->nports, 1, sizeof(*m->ports)))
		return -ENOMEM;
	m->ports[m->nports] = (struct metrics_port){ .is = *port, .hidden = *numbers & bit };
	*number = m->nports++;
	d->shown = true;
	if (*numbers & bit)
		return 0;
	*numbers |= bit;
	d->rate += metrics_rate(port, false);
	d->raw_rate += metrics_rate(port, true);
	return 0;
}

/* ---- results ----------------------------------------------------------------------------- */

static void metrics_take_counters(struct madkit_metrics *m, struct metrics_port *p,
				  const struct madkit_record *record)
{
	if (record->layout != m->fields.layout)
		metrics_find_fields(record->layout, &m->fields);
	for (size_t i = 0; i < METRICS_COUNTERS; i++) {
		const struct madkit_field *f = m->fields.fields[i];
		uint64_t value;

		if (!f || p->has >> i & 1 || f->offset + f->width > record->len * 8)
			continue;
		value = bits_get(record->data, f->offset, f->width);
		if (f->width == 32 && value == UINT32_MAX)
			continue;
		p->counters[i] = value;
		p->has |= UINT32_C(1) << i;
	}
}

void madkit_metrics_take(struct madkit_metrics *m, uint32_t port, const struct madkit_message *message)
{
	struct metrics_port *p = &m->ports[port];
	struct metrics_device *d = &m->devices[p->is.device];
	struct madkit_record record;

	if (message->attempts > 1)
		d->retries += (uint64_t)message->attempts - 1;
	if (message->rtt_us > 0)
		d->us += (uint64_t)message->rtt_us;
	if (message->kind == MADKIT_MESSAGE_TIMEOUT)
		d->timeouts++;
	if (message->kind == MADKIT_MESSAGE_ERROR)
		d->errors += message->send_status != EOPNOTSUPP;
	if (message->kind != MADKIT_MESSAGE_RESPONSE)
		return;
	madkit_record_get(message, 0, &record);
	d->answered += record.data != NULL;
	d->errors += !record.data;
	if (record.data)
		metrics_take_counters(m, p, &record);
}

bool madkit_metrics_lacks(const struct madkit_metrics *m, uint32_t port,
			  const struct madkit_attribute *attribute)
{
	const struct metrics_port *p = &m->ports[port];
	const struct metrics_device *d = &m->devices[p->is.device];
	struct metrics_fields fields;

	if (d->timeouts || d->errors)
		return false;
	metrics_find_fields(attribute->layout, &fields);
	for (size_t i = 0; i < METRICS_COUNTERS; i++)
		if (fields.fields[i] && !(p->has >> i & 1))
			return true;
	return false;
}

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
	*value = metrics_rate(&p->is, which == VALUE_RAW_RATE);
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
