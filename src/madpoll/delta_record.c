/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "delta_record.h"

/* The numbers of one element, in this order, 64 bits each. */
enum part { DELTA, RATE, VALUE, RATE_BYTES, SATURATED, RESET, PARTS };

static const char *const part_names[PARTS] = {
	"delta", "rate", "value", "rate_bytes", "saturated", "reset",
};

/* Two fields precede the counters. */
enum { FIELD_PORT, FIELD_INTERVAL, FIELD_COUNTERS };

#define NUMBER_BITS 64
#define SLOT_BITS   (PARTS * NUMBER_BITS)

/* The layout of one element; the elements of an array share it. */
struct delta_counter {
	struct madkit_field parts[PARTS];
	struct madkit_layout layout;
};

struct delta_record {
	struct madkit_attribute attribute;
	struct madkit_layout layout;
	struct madkit_field *fields; /* two per counter: a number, and its parts */
	struct delta_counter *counters;
	size_t n;
	uint8_t *data, *known; /* len bytes each; known: the bits of data that are not null */
	size_t len;
};

static bool is_counter(const struct madkit_field *field)
{
	return field->kind == MADKIT_KIND_COUNTER;
}

static size_t counter_find(const struct delta_record *d, const char *name)
{
	size_t i = 0;

	while (i < d->n && strcmp(d->fields[FIELD_COUNTERS + 2 * i].name, name))
		i++;
	return i;
}

static void counter_add(struct delta_record *d, const struct madkit_field *field)
{
	struct madkit_field *number = &d->fields[FIELD_COUNTERS + 2 * d->n];
	struct delta_counter *c = &d->counters[d->n++];

	for (unsigned int p = 0; p < PARTS; p++)
		c->parts[p] = (struct madkit_field){
			.name = part_names[p],
			.width = NUMBER_BITS,
			.offset = p * NUMBER_BITS,
			.kind = MADKIT_KIND_UNSIGNED,
		};
	c->layout = (struct madkit_layout){
		.name = field->name,
		.fields = c->parts,
		.nfields = PARTS,
		.bytes = SLOT_BITS / 8,
	};
	/* the difference, which is the first part */
	number[0] = (struct madkit_field){
		.name = field->name,
		.alias = field->alias,
		.width = NUMBER_BITS,
		.offset = (uint32_t)d->len * 8,
		.count = field->count,
		.stride = SLOT_BITS,
		.kind = MADKIT_KIND_COUNTER,
		.flags = field->flags & MADKIT_FIELD_NUMBERED,
	};
	number[1] = number[0];
	number[1].kind = MADKIT_KIND_STRUCT;
	number[1].width = SLOT_BITS;
	number[1].sub = &c->layout;
	d->len += (size_t)madkit_field_count(field) * SLOT_BITS / 8;
}

static void counters_add(struct delta_record *d, const struct madkit_layout *layout)
{
	for (unsigned int i = 0; i < layout->nfields; i++)
		if (is_counter(&layout->fields[i]) && counter_find(d, layout->fields[i].name) == d->n)
			counter_add(d, &layout->fields[i]);
}

struct delta_record *delta_record_new(const struct madkit_attribute *attribute,
				      const struct madkit_attribute *wide)
{
	static const char *const first[FIELD_COUNTERS] = { "PortSelect", "interval_us" };
	size_t most = attribute->layout->nfields + (wide ? wide->layout->nfields : 0u);
	struct delta_record *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->fields = calloc(FIELD_COUNTERS + 2 * most, sizeof(d->fields[0]));
	d->counters = calloc(most + 1, sizeof(d->counters[0]));
	if (!d->fields || !d->counters)
		goto failed;
	for (unsigned int i = 0; i < FIELD_COUNTERS; i++, d->len += NUMBER_BITS / 8)
		d->fields[i] = (struct madkit_field){
			.name = first[i],
			.offset = i * NUMBER_BITS,
			.width = NUMBER_BITS,
			.kind = MADKIT_KIND_UNSIGNED,
		};
	counters_add(d, attribute->layout);
	if (wide)
		counters_add(d, wide->layout);
	d->layout = (struct madkit_layout){
		.name = attribute->name,
		.fields = d->fields,
		.nfields = (uint16_t)(FIELD_COUNTERS + 2 * d->n),
		.bytes = (uint16_t)d->len,
	};
	d->attribute = *attribute;
	d->attribute.layout = &d->layout;
	d->attribute.editions = NULL;
	d->attribute.neditions = 0;
	d->data = calloc(1, d->len);
	d->known = calloc(1, d->len);
	if (d->data && d->known)
		return d;
failed:
	delta_record_free(d);
	return NULL;
}

void delta_record_free(struct delta_record *d)
{
	if (!d)
		return;
	free(d->fields);
	free(d->counters);
	free(d->data);
	free(d->known);
	free(d);
}

size_t delta_record_counters(const struct delta_record *d)
{
	return d->n;
}

const struct madkit_attribute *delta_record_attribute(const struct delta_record *d)
{
	return &d->attribute;
}

/* Sets the number at a bit of the data that begins a byte. */
static void number_put(struct delta_record *d, uint32_t bit, uint64_t number)
{
	const struct madkit_field field = { .offset = bit, .width = NUMBER_BITS };

	madkit_field_put(&field, 0, d->data, d->len, number);
	memset(d->known + bit / 8, 0xff, NUMBER_BITS / 8);
}

void delta_record_begin(struct delta_record *d, uint64_t interval_us)
{
	memset(d->known, 0, d->len);
	number_put(d, d->fields[FIELD_INTERVAL].offset, interval_us);
}

void delta_record_port(struct delta_record *d, uint64_t port)
{
	number_put(d, d->fields[FIELD_PORT].offset, port);
}

static uint64_t rounded_up(double rate)
{
	uint64_t whole;

	if (rate >= 0x1p64)
		return UINT64_MAX;
	whole = (uint64_t)rate;
	return whole + ((double)whole < rate);
}

void delta_record_put(struct delta_record *d, const char *name, unsigned int index,
		      const struct delta_change *change)
{
	bool rated = !change->saturated && !change->reset;
	const uint64_t numbers[PARTS] = {
		[DELTA] = change->delta,         [RATE] = rounded_up(change->rate),
		[VALUE] = change->value,         [RATE_BYTES] = rounded_up(4 * change->rate),
		[SATURATED] = change->saturated, [RESET] = change->reset,
	};
	const bool known[PARTS] = {
		[DELTA] = delta_is_known(change),        [RATE] = rated,     [VALUE] = true,
		[RATE_BYTES] = rated && change->octets4, [SATURATED] = true, [RESET] = true,
	};
	size_t i = counter_find(d, name);
	const struct madkit_field *field = &d->fields[FIELD_COUNTERS + 2 * i];

	if (i == d->n || index >= madkit_field_count(field))
		return;
	for (unsigned int p = 0; p < PARTS; p++)
		if (known[p])
			number_put(d, madkit_field_offset(field, index) + p * NUMBER_BITS, numbers[p]);
}

void delta_record_view(const struct delta_record *d, const struct madkit_message *message,
		       struct madkit_record *view)
{
	*view = (struct madkit_record){
		.message = message,
		.attribute = &d->attribute,
		.layout = &d->layout,
		.data = d->data,
		.len = d->len,
		.end = d->len,
		.records = 1,
		.known = d->known,
	};
}
