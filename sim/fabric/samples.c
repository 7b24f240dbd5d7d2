/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "sim/fabric/samples.h"
#include "util/array_size.h"

enum {
	SAMPLES = 15,
	TICK_NS = 4, /* Tick = 0 */
	WIDTH_32 = 4,
	MANDATORY = 1, /* CounterMask of the counters in samples_value() */
	WIDTH_64 = 2,
};

enum samples_status { SAMPLES_DONE, SAMPLES_WAITING, SAMPLES_RUNNING };

struct samples {
	enum samples_status status;
	uint32_t port; /* index in ports */
	uint32_t start, interval;
	uint16_t tag;
	uint16_t select[SAMPLES];
	uint64_t counts[SAMPLES]; /* totals at the start of the sample, then its results */
};

static uint64_t samples_value(struct fabric *f, const struct samples *s, unsigned int i)
{
	/* indexed by CounterSelect */
	static const uint8_t counters[] = {
		[1] = PMA_XMIT_DATA, [2] = PMA_RCV_DATA,  [3] = PMA_XMIT_PKTS,
		[4] = PMA_RCV_PKTS,  [5] = PMA_XMIT_WAIT,
	};

	return s->select[i] && s->select[i] < ARRAY_SIZE(counters) ?
		       counters_total(f, &f->ports[s->port], counters[s->select[i]]) :
		       0;
}

static void samples_queue(struct fabric *f, struct packet *p, const struct samples *s, uint32_t ticks)
{
	if (s->status == SAMPLES_DONE)
		packet_done(f, p);
	else
		packet_queue(f, p, f->now + (uint64_t)ticks * TICK_NS);
}

void samples_due(struct fabric *f, struct packet *p, struct port *end)
{
	struct samples *s = end->end->samples;

	s->status = s->status == SAMPLES_WAITING ? SAMPLES_RUNNING : SAMPLES_DONE;
	for (unsigned int i = 0; i < SAMPLES; i++)
		s->counts[i] = samples_value(f, s, i) - s->counts[i];
	samples_queue(f, p, s, s->interval);
}

static bool samples_begin(struct fabric *f, struct port *end, const struct port *port, const uint8_t *data)
{
	static const uint8_t none[MADKIT_MAD_BYTES];
	struct samples *s = end->end->samples;
	struct packet *p = packet_new(f, &(struct fabric_head){ .dlid = 0 }, none);

	if (!p)
		return false;
	if (!s)
		s = end->end->samples = calloc(1, sizeof(*s));
	if (!s) {
		packet_done(f, p);
		return false;
	}
	*s = (struct samples){
		.status = SAMPLES_WAITING,
		.port = (uint32_t)(port - f->ports),
		.start = (uint32_t)field_get(MADKIT_PORT_SAMPLES_CONTROL_SAMPLE_START, data),
		.interval = (uint32_t)field_get(MADKIT_PORT_SAMPLES_CONTROL_SAMPLE_INTERVAL, data),
		.tag = (uint16_t)field_get(MADKIT_PORT_SAMPLES_CONTROL_TAG, data),
	};
	for (unsigned int i = 0; i < SAMPLES; i++)
		s->select[i] = (uint16_t)element_get(MADKIT_PORT_SAMPLES_CONTROL_COUNTER_SELECT, i, data);
	p->trap = PACKET_SAMPLE;
	p->leaves = true;
	p->port = (uint32_t)(end - f->ports);
	if (s->start)
		samples_queue(f, p, s, s->start);
	else
		samples_due(f, p, end);
	return true;
}

int samples_control(struct fabric *f, struct port *end, const struct port *port, bool set, uint64_t options,
		    uint8_t *data)
{
	/* The masks have 3 bits each, in two groups. */
	static const uint64_t masks[] = {
		MADKIT_PORT_SAMPLES_CONTROL_COUNTER_MASK0,  MADKIT_PORT_SAMPLES_CONTROL_COUNTER_MASK1,
		MADKIT_PORT_SAMPLES_CONTROL_COUNTER_MASK2,  MADKIT_PORT_SAMPLES_CONTROL_COUNTER_MASK3,
		MADKIT_PORT_SAMPLES_CONTROL_COUNTER_MASK4,  MADKIT_PORT_SAMPLES_CONTROL_COUNTER_MASK5,
		MADKIT_PORT_SAMPLES_CONTROL_COUNTER_MASK6,  MADKIT_PORT_SAMPLES_CONTROL_COUNTER_MASK7,
		MADKIT_PORT_SAMPLES_CONTROL_COUNTER_MASK8,  MADKIT_PORT_SAMPLES_CONTROL_COUNTER_MASK9,
		MADKIT_PORT_SAMPLES_CONTROL_COUNTER_MASK10, MADKIT_PORT_SAMPLES_CONTROL_COUNTER_MASK11,
		MADKIT_PORT_SAMPLES_CONTROL_COUNTER_MASK12, MADKIT_PORT_SAMPLES_CONTROL_COUNTER_MASK13,
		MADKIT_PORT_SAMPLES_CONTROL_COUNTER_MASK14,
	};
	static const struct samples never;
	const struct samples *s = end->end->samples;

	if (set && (!s || s->status == SAMPLES_DONE) && !samples_begin(f, end, port, data))
		return -1;
	s = end->end->samples ? end->end->samples : &never;
	memset(data, 0, MADKIT_MAD_BYTES - MADKIT_PERF_DATA);
	field_put(MADKIT_PORT_SAMPLES_CONTROL_PORT_SELECT, data, port->number);
	field_put(MADKIT_PORT_SAMPLES_CONTROL_COUNTER_WIDTH, data, WIDTH_32);
	for (size_t i = 0; i < ARRAY_SIZE(masks); i++)
		field_put(masks[i], data, MANDATORY);
	field_put(MADKIT_PORT_SAMPLES_CONTROL_SAMPLE_STATUS, data, s->status);
	field_put(MADKIT_PORT_SAMPLES_CONTROL_OPTION_MASK, data, options);
	field_put(MADKIT_PORT_SAMPLES_CONTROL_SAMPLE_START, data, s->start);
	field_put(MADKIT_PORT_SAMPLES_CONTROL_SAMPLE_INTERVAL, data, s->interval);
	field_put(MADKIT_PORT_SAMPLES_CONTROL_TAG, data, s->tag);
	for (unsigned int i = 0; i < SAMPLES; i++)
		element_put(MADKIT_PORT_SAMPLES_CONTROL_COUNTER_SELECT, i, data, s->select[i]);
	return 0;
}

void samples_result(const struct port *end, bool extended, uint8_t *data)
{
	static const struct samples never;
	const struct samples *s = end->end->samples ? end->end->samples : &never;
	uint64_t counter = extended ? MADKIT_PORT_SAMPLES_RESULT_EXTENDED_COUNTER :
				      MADKIT_PORT_SAMPLES_RESULT_COUNTER;
	uint64_t max = bits_mask(at_width(counter));

	memset(data, 0, MADKIT_MAD_BYTES - MADKIT_PERF_DATA);
	/* Both attributes begin with the same fields. */
	field_put(MADKIT_PORT_SAMPLES_RESULT_TAG, data, s->tag);
	field_put(MADKIT_PORT_SAMPLES_RESULT_SAMPLE_STATUS, data, s->status);
	if (extended)
		field_put(MADKIT_PORT_SAMPLES_RESULT_EXTENDED_EXTENDED_WIDTH, data, WIDTH_64);
	for (unsigned int i = 0; s->status == SAMPLES_DONE && i < SAMPLES; i++)
		element_put(counter, i, data, s->counts[i] < max ? s->counts[i] : max);
}
