/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Metrics: devices, ports and their counters. metrics_text.c writes them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/constants.h>
#include <madkit/escape.h>
#include <madkit/expr.h>
#include <madkit/mad.h>
#include "format/metrics_int.h"
#include "util/array.h"
#include "util/array_size.h"
#include "util/bits.h"
#include "util/put.h"

/* ---- the counters ------------------------------------------------------------------------ */

const struct metrics_counter metrics_counters[METRICS_COUNTERS] = {
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

/* ---- rows -------------------------------------------------------------------------------- */

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
	m->ports[m->nports] = (struct metrics_port){ .is = *port,
						     .hidden = *numbers & bit,
						     .rate = metrics_rate(port, false),
						     .raw_rate = metrics_rate(port, true) };
	d->shown = true;
	if (!(*numbers & bit)) {
		d->rate += m->ports[m->nports].rate;
		d->raw_rate += m->ports[m->nports].raw_rate;
	}
	*numbers |= bit;
	*number = m->nports++;
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
