/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Differences between two readings of the counters of a port, one by one and as a record. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/constants.h>
#include <madkit/counters.h>
#include <madkit/cpi.h>
#include "util/bits.h"
#include "wire/access.h"

/* ---- readings ---------------------------------------------------------------------- */

int madkit_reading_take(struct madkit_reading *reading, const struct madkit_message *message,
			uint64_t time_ns)
{
	struct madkit_record record;

	if (!reading || !message)
		return -EINVAL;
	madkit_record_get(message, 0, &record);
	if (!record.data)
		record.len = 0;
	reading->time_ns = time_ns;
	reading->len = record.len < sizeof(reading->data) ? (uint32_t)record.len : sizeof(reading->data);
	if (reading->len)
		memcpy(reading->data, record.data, reading->len);
	return reading->len ? 0 : -ENODATA;
}

/* ---- the record -------------------------------------------------------------------- */

/* The numbers of one element in the record, in this order. */
enum counters_part { DELTA, RATE, VALUE, RATE_BYTES, SHARE, SATURATED, RESET, PARTS };

enum {
	NUMBER_BYTES = 8,
	ELEMENT_BYTES = PARTS * NUMBER_BYTES,
};

#define PART(number, text, other) \
	[number] = { .name = text, \
		     .alias = other, \
		     .width = 64, \
		     .offset = (number)*64, \
		     .kind = MADKIT_KIND_UNSIGNED }

static const struct madkit_field counters_parts[PARTS] = {
	PART(DELTA, "delta", NULL),
	PART(RATE, "rate", NULL),
	PART(VALUE, "value", NULL),
	PART(RATE_BYTES, "rate_bytes", NULL),
	PART(SHARE, "share", "share_percent"),
	PART(SATURATED, "saturated", NULL),
	PART(RESET, "reset", NULL),
};

/* Octets in a unit of PortXmitData and similar counters. */
enum { COUNTERS_WORD = 4 };

/* Fields of the record before the counters. */
enum { FIELD_PORT, FIELD_INTERVAL, FIELD_CONGESTION, FIELD_CHANGE, FIELD_COUNTERS };

static const struct madkit_value counters_events[] = {
	{ .value = MADKIT_COUNTERS_ADDED, .name = "added" },
	{ .value = MADKIT_COUNTERS_REPLACED, .name = "replaced" },
	{ .value = MADKIT_COUNTERS_GONE, .name = "gone" },
	{ .value = MADKIT_COUNTERS_RESET, .name = "reset" },
	{ .value = MADKIT_COUNTERS_SILENT, .name = "silent" },
	{ .name = NULL },
};

static const char port_select[] = "PortSelect";

/* ---- a comparison -------------------------------------------------------------------- */

/* A counter of the record, which has every counter of the attributes, whether the port has it or not. */
struct counter {
	uint32_t at;                 /* offset of its first element, in bytes */
	struct madkit_layout layout; /* of an element */
	bool is_read;
};

/* A counter that is read. */
struct counters_read {
	const struct madkit_field *field;
	unsigned int attribute; /* number of the attribute of this field */
	uint32_t at;            /* of the counter in the record */
};

struct madkit_counters {
	const struct madkit_attribute *attributes[MADKIT_COUNTERS_ATTRIBUTES];
	unsigned int nattributes;
	struct counters_read *reads; /* in the order of the attributes and their fields */
	size_t nreads;
	struct madkit_change *changes; /* room for every element */
	uint32_t *places;              /* of each change: its element in the record */
	uint8_t *sources;              /* of each change: the number of its attribute */
	size_t nchanges;
	struct madkit_counters_link link;
	double congestion;                       /* percent; -1: not known */
	enum madkit_counters_event given, event; /* of the next comparison; of this one */
	/* of the record: */
	struct madkit_attribute attribute;
	struct madkit_layout layout;
	struct counter *counters;
	size_t ncounters;
	struct madkit_field *fields;     /* two for each counter: its delta, and its parts */
	uint8_t *data, *known;           /* layout.bytes each; known: the bits of data that are not null */
	const struct madkit_field *port; /* PortSelect of the first attribute, or NULL */
};

static bool counters_is_counter(const struct madkit_field *field)
{
	return field->kind == MADKIT_KIND_COUNTER;
}

/* Returns the counter with this name; NULL: there is none. */
static struct counter *counters_find(const struct madkit_counters *c, const char *name)
{
	for (size_t i = 0; i < c->ncounters; i++)
		if (!strcmp(c->counters[i].layout.name, name))
			return &c->counters[i];
	return NULL;
}

/* Appends a counter to the record. */
static void counters_add(struct madkit_counters *c, const struct madkit_field *field)
{
	struct madkit_field *number = &c->fields[FIELD_COUNTERS + 2 * c->ncounters];
	struct counter *counter = &c->counters[c->ncounters++];

	counter->at = c->layout.bytes;
	counter->layout = (struct madkit_layout){
		.name = field->name, .fields = counters_parts, .nfields = PARTS, .bytes = ELEMENT_BYTES
	};
	number[0] = (struct madkit_field){
		.name = field->name,
		.alias = field->alias,
		.width = counters_parts[DELTA].width,
		.offset = counter->at * 8,
		.count = field->count,
		.stride = ELEMENT_BYTES * 8,
		.kind = MADKIT_KIND_COUNTER,
		.flags = field->flags & (MADKIT_FIELD_NUMBERED | MADKIT_FIELD_ERROR),
	};
	number[1] = number[0];
	number[1].kind = MADKIT_KIND_STRUCT;
	number[1].flags &= ~(unsigned int)MADKIT_FIELD_ERROR;
	number[1].width = ELEMENT_BYTES * 8;
	number[1].sub = &counter->layout;
	c->layout.bytes = (uint16_t)(c->layout.bytes + madkit_field_count(field) * ELEMENT_BYTES);
}

/* Appends the counters of an attribute that the record does not have yet. */
static void counters_add_all(struct madkit_counters *c, const struct madkit_layout *layout)
{
	for (unsigned int i = 0; i < layout->nfields; i++)
		if (counters_is_counter(&layout->fields[i]) && !counters_find(c, layout->fields[i].name))
			counters_add(c, &layout->fields[i]);
}

static int counters_allocate(struct madkit_counters *c, size_t most)
{
	static const char *const first[FIELD_COUNTERS] = { port_select, "interval_us", "congestion",
							   "change" };

	c->fields = calloc(FIELD_COUNTERS + 2 * most, sizeof(c->fields[0]));
	c->counters = calloc(most + 1, sizeof(c->counters[0]));
	c->reads = calloc(most + 1, sizeof(c->reads[0]));
	if (!c->fields || !c->counters || !c->reads)
		return -ENOMEM;
	for (unsigned int i = 0; i < FIELD_COUNTERS; i++)
		c->fields[i] = (struct madkit_field){
			.name = first[i], .offset = i * 64, .width = 64, .kind = MADKIT_KIND_UNSIGNED
		};
	c->fields[FIELD_CHANGE].kind = MADKIT_KIND_ENUM;
	c->fields[FIELD_CHANGE].values = counters_events;
	c->layout = (struct madkit_layout){
		.name = c->attributes[0]->name,
		.fields = c->fields,
		.bytes = FIELD_COUNTERS * NUMBER_BYTES,
	};
	return 0;
}

/* Allocates what depends on the number of elements. */
static int counters_allocate_elements(struct madkit_counters *c)
{
	size_t elements = (c->layout.bytes - FIELD_COUNTERS * NUMBER_BYTES) / ELEMENT_BYTES;

	if (!elements)
		return -ENOENT;
	c->layout.nfields = (uint16_t)(FIELD_COUNTERS + 2 * c->ncounters);
	c->changes = calloc(elements, sizeof(c->changes[0]));
	c->places = calloc(elements, sizeof(c->places[0]));
	c->sources = calloc(elements, sizeof(c->sources[0]));
	c->data = calloc(1, c->layout.bytes);
	c->known = calloc(1, c->layout.bytes);
	return c->changes && c->places && c->sources && c->data && c->known ? 0 : -ENOMEM;
}

enum { COUNTERS_ALL = MADKIT_CPI_COUNTERS_EXTENDED | MADKIT_CPI_COUNTERS_IETF | MADKIT_CPI_COUNTERS_ERRORS };

/* Checks if a port counts what this field of PortCountersExtended is for. */
static bool counters_port_has(unsigned int has, const struct madkit_field *field)
{
	if (field->offset >= at_offset(MADKIT_PORT_COUNTERS_EXTENDED_SYMBOL_ERROR_COUNTER))
		return has & MADKIT_CPI_COUNTERS_ERRORS;
	if (field->offset >= at_offset(MADKIT_PORT_COUNTERS_EXTENDED_PORT_UNICAST_XMIT_PKTS))
		return has & MADKIT_CPI_COUNTERS_IETF;
	return has & MADKIT_CPI_COUNTERS_EXTENDED;
}

/* Reads an attribute if the port has counters in it that the attributes before it do not have. */
static void counters_read_from(struct madkit_counters *c, const struct madkit_attribute *attribute,
			       unsigned int has)
{
	const struct madkit_layout *layout = attribute->layout;
	const size_t before = c->nreads;

	for (unsigned int i = 0; i < layout->nfields; i++) {
		const struct madkit_field *field = &layout->fields[i];
		struct counter *counter = counters_is_counter(field) ? counters_find(c, field->name) : NULL;

		if (!counter || counter->is_read || !counters_port_has(has, field))
			continue;
		counter->is_read = true;
		c->reads[c->nreads++] = (struct counters_read){ .field = field,
								.attribute = c->nattributes,
								.at = counter->at };
	}
	if (c->nreads > before)
		c->attributes[c->nattributes++] = attribute;
}

/* Returns PortSelect, which selects the port of an attribute of PerfMgt; NULL: there is none. */
static const struct madkit_field *counters_port(const struct madkit_layout *layout)
{
	struct madkit_place place;

	return madkit_place_find(layout, port_select, strlen(port_select), &place, NULL) ? NULL : place.field;
}

int madkit_counters_new(const struct madkit_attribute *attribute, unsigned int has,
			struct madkit_counters **counters)
{
	const struct madkit_attribute *wide = NULL;
	struct madkit_counters *c;
	int ret;

	if (!attribute || !counters)
		return -EINVAL;
	if (!attribute->layout)
		return -ENOENT;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	if (attribute ==
	    madkit_attribute_get(MADKIT_BASE_VERSION_IB, MADKIT_CLASS_PERF, MADKIT_ATTR_PORT_COUNTERS))
		wide = madkit_attribute_get(MADKIT_BASE_VERSION_IB, MADKIT_CLASS_PERF,
					    MADKIT_ATTR_PORT_COUNTERS_EXTENDED);
	c->attributes[0] = attribute;
	ret = counters_allocate(c, attribute->layout->nfields + (wide ? wide->layout->nfields : 0u));
	if (!ret) {
		counters_add_all(c, attribute->layout);
		if (wide)
			counters_add_all(c, wide->layout);
		ret = counters_allocate_elements(c);
	}
	if (ret) {
		madkit_counters_free(c);
		return ret;
	}
	if (wide)
		counters_read_from(c, wide, has);
	counters_read_from(c, attribute, COUNTERS_ALL);
	c->congestion = -1;
	c->port = counters_port(c->attributes[0]->layout);
	c->attribute = *c->attributes[0];
	c->attribute.layout = &c->layout;
	c->attribute.editions = NULL;
	c->attribute.neditions = 0;
	*counters = c;
	return 0;
}

void madkit_counters_free(struct madkit_counters *c)
{
	if (!c)
		return;
	free(c->fields);
	free(c->counters);
	free(c->reads);
	free(c->changes);
	free(c->places);
	free(c->sources);
	free(c->data);
	free(c->known);
	free(c);
}

const struct madkit_attribute *madkit_counters_attribute(const struct madkit_counters *c, unsigned int i)
{
	return i < c->nattributes ? c->attributes[i] : NULL;
}

/* ---- comparing --------------------------------------------------------------------- */

static void counters_put(struct madkit_counters *c, size_t at, uint64_t number)
{
	put_be64(c->data + at, number);
	put_be64(c->known + at, UINT64_MAX);
}

static uint64_t counters_rounded_up(double rate)
{
	uint64_t whole;

	if (rate >= 0x1p64)
		return UINT64_MAX;
	whole = (uint64_t)rate;
	return whole + ((double)whole < rate);
}

/* Copies a change to its element of the record. */
static void counters_put_change(struct madkit_counters *c, size_t at, const struct madkit_change *change)
{
	if (change->known)
		counters_put(c, at + DELTA * NUMBER_BYTES, change->delta);
	if (change->rated)
		counters_put(c, at + RATE * NUMBER_BYTES, counters_rounded_up(change->rate));
	counters_put(c, at + VALUE * NUMBER_BYTES, change->value);
	if (change->rated && change->unit)
		counters_put(c, at + RATE_BYTES * NUMBER_BYTES,
			     counters_rounded_up(change->unit * change->rate));
	if (change->shared)
		counters_put(c, at + SHARE * NUMBER_BYTES, counters_rounded_up(change->share));
	counters_put(c, at + SATURATED * NUMBER_BYTES, change->saturated);
	counters_put(c, at + RESET * NUMBER_BYTES, change->reset);
}

/* Returns false if one of the readings does not contain the element. */
static bool counters_subtract(const struct madkit_field *field, unsigned int index,
			      const struct madkit_reading *before, const struct madkit_reading *now,
			      struct madkit_change *change)
{
	const uint64_t interval_ns = now->time_ns - before->time_ns, full = bits_mask(field->width);
	uint64_t was, is;

	if (madkit_field_get(field, index, before->data, before->len, &was) ||
	    madkit_field_get(field, index, now->data, now->len, &is))
		return false;
	*change = (struct madkit_change){
		.field = field,
		.index = index,
		.value = is,
		.saturated = is == full,
		.reset = is < was,
		.unit = field->flags & MADKIT_FIELD_OCTETS4 ? COUNTERS_WORD : 0,
	};
	change->known = !change->reset && was != full;
	change->rated = !change->reset && !change->saturated && now->time_ns >= before->time_ns;
	if (change->known)
		change->delta = is - was;
	if (change->rated && interval_ns)
		change->rate = (double)change->delta * 1e9 / (double)interval_ns;
	return true;
}

/* Removes what a reset has made unknown: a counter of its attribute may have been reset and have grown past its earlier
 * value. */
static void counters_forget(struct madkit_change *change)
{
	change->reset = true;
	change->known = change->rated = false;
	change->delta = 0;
	change->rate = 0;
}

/* Returns the octets per second that a counter of octets, or PortXmitWait, stands for; -1: it is not known. */
static double counters_octets(const struct madkit_counters *c, const char *name, double per_count)
{
	for (size_t i = 0; i < c->nchanges && per_count > 0; i++)
		if (c->changes[i].rated && !strcmp(c->changes[i].field->name, name))
			return c->changes[i].rate * per_count;
	return -1;
}

/* Computes the share of the time in which the port had data but no credits to send it. */
static void counters_put_congestion(struct madkit_counters *c)
{
	const double waited = counters_octets(c, "PortXmitWait", c->link.wait_octets);
	double sent;

	c->congestion = -1;
	sent = waited < 0 ? -1 : counters_octets(c, "PortXmitData", COUNTERS_WORD);
	if (sent < 0)
		return;
	c->congestion = waited + sent > 0 ? 100 * waited / (waited + sent) : 0;
	counters_put(c, FIELD_CONGESTION * NUMBER_BYTES, counters_rounded_up(c->congestion));
}

void madkit_counters_set_link(struct madkit_counters *c, const struct madkit_counters_link *link)
{
	c->link = *link;
}

void madkit_counters_set_event(struct madkit_counters *c, enum madkit_counters_event event)
{
	c->given = event;
}

enum madkit_counters_event madkit_counters_event(const struct madkit_counters *c)
{
	return c->event;
}

const char *madkit_counters_event_name(enum madkit_counters_event event)
{
	return madkit_value_name(counters_events, event);
}

/* Subtracts all elements. resets: set for each attribute that was reset. */
static void counters_subtract_all(struct madkit_counters *c, const struct madkit_reading *before,
				  const struct madkit_reading *now, bool resets[MADKIT_COUNTERS_ATTRIBUTES])
{
	c->nchanges = 0;
	for (size_t i = 0; i < c->nreads; i++) {
		const struct counters_read *r = &c->reads[i];

		for (unsigned int index = 0; index < madkit_field_count(r->field); index++) {
			if (!counters_subtract(r->field, index, &before[r->attribute], &now[r->attribute],
					       &c->changes[c->nchanges]))
				continue;
			resets[r->attribute] |= c->changes[c->nchanges].reset;
			c->places[c->nchanges] = r->at + index * ELEMENT_BYTES;
			c->sources[c->nchanges++] = (uint8_t)r->attribute;
		}
	}
}

/* Notes the event of the comparison: the given one, or else a reset. */
static void counters_put_event(struct madkit_counters *c, const bool resets[MADKIT_COUNTERS_ATTRIBUTES])
{
	c->event = c->given;
	for (unsigned int i = 0; i < c->nattributes && !c->event; i++)
		c->event = resets[i] ? MADKIT_COUNTERS_RESET : MADKIT_COUNTERS_NONE;
	if (c->event)
		counters_put(c, FIELD_CHANGE * NUMBER_BYTES, c->event);
}

void madkit_counters_compare(struct madkit_counters *c, const struct madkit_reading *before,
			     const struct madkit_reading *now)
{
	bool resets[MADKIT_COUNTERS_ATTRIBUTES] = { false };
	uint64_t port;

	memset(c->known, 0, c->layout.bytes);
	if (before[0].len && now[0].len && now[0].time_ns >= before[0].time_ns)
		counters_put(c, FIELD_INTERVAL * NUMBER_BYTES, (now[0].time_ns - before[0].time_ns) / 1000);
	if (c->port && !madkit_field_get(c->port, 0, now[0].data, now[0].len, &port))
		counters_put(c, FIELD_PORT * NUMBER_BYTES, port);
	counters_subtract_all(c, before, now, resets);
	counters_put_event(c, resets);
	for (size_t i = 0; i < c->nchanges; i++) {
		struct madkit_change *change = &c->changes[i];

		if (resets[c->sources[i]])
			counters_forget(change);
		change->shared = change->rated && change->unit && c->link.gbps > 0;
		if (change->shared)
			change->share = change->rate * change->unit * 8e-7 / c->link.gbps;
		counters_put_change(c, c->places[i], change);
	}
	counters_put_congestion(c);
}

double madkit_counters_congestion(const struct madkit_counters *c)
{
	return c->congestion;
}

double madkit_counters_full_s(const struct madkit_field *field, double gbps)
{
	if (!(field->flags & MADKIT_FIELD_OCTETS4) || !(gbps > 0))
		return 0;
	return (double)bits_mask(field->width) * COUNTERS_WORD * 8e-9 / gbps;
}

const struct madkit_change *madkit_counters_change(const struct madkit_counters *c, size_t i)
{
	return i < c->nchanges ? &c->changes[i] : NULL;
}

void madkit_counters_record(const struct madkit_counters *c, const struct madkit_message *message,
			    struct madkit_record *record)
{
	*record = (struct madkit_record){
		.message = message,
		.attribute = &c->attribute,
		.layout = &c->layout,
		.data = c->data,
		.len = c->layout.bytes,
		.end = c->layout.bytes,
		.records = 1,
		.known = c->known,
	};
}
