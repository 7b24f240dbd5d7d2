/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim/fabric/counters.h"
#include "sim/fabric/tally.h"
#include "util/array_size.h"
#include "util/nearest.h"
#include "util/time.h"

/* Identifies a counter: enum pma_counter, or attribute ID << 8 | number of the counter in the attribute. */
enum {
	SOURCE_XMIT_SL = MADKIT_ATTR_PORT_XMIT_DATA_SL << 8,
	SOURCE_RCV_SL = MADKIT_ATTR_PORT_RCV_DATA_SL << 8,
	SLS = 16,
};

/* A counter that struct port does not have, or the part that a rate adds to one that it has. Allocated on
 * demand, because few counters of a port are used. */
struct counters_other {
	struct counters_other *next;
	uint16_t source;
	bool traffic; /* set by counters_traffic() */
	struct tally tally;
};

/* The view that an attribute has of its counters. The value of each is from + (total - since). */
struct counters_view {
	struct counters_view *next;
	uint16_t id;
	struct {
		uint64_t since, from;
	} of[];
};

struct counters {
	struct counters_other *others;
	struct counters_view *views;
};

/* ---- attribute tables ---------------------------------------------------------------- */

const struct madkit_field *counters_field(const struct madkit_attribute *attribute, const char *name)
{
	const struct madkit_layout *layout = attribute->layout;

	for (unsigned int i = 0; i < layout->nfields; i++)
		if (!strcmp(layout->fields[i].name, name))
			return &layout->fields[i];
	return NULL;
}

static bool counters_are(const struct madkit_attribute *attribute)
{
	const struct madkit_field *select = counters_field(attribute, "CounterSelect");

	return select && select->kind == MADKIT_KIND_BITS;
}

const struct madkit_attribute *counters_attribute(uint16_t id)
{
	const struct madkit_attribute *a =
		madkit_attribute_get(MADKIT_BASE_VERSION_IB, MADKIT_CLASS_PERF, id);

	return a && counters_are(a) ? a : NULL;
}

bool counter_next(struct counter *c)
{
	const struct madkit_layout *layout = c->attribute->layout;
	const struct madkit_field *field = c->field;

	c->n += field != NULL;
	if (field && ++c->element < madkit_field_count(field))
		return true;
	c->element = 0;
	for (field = field ? field + 1 : layout->fields; field < layout->fields + layout->nfields; field++) {
		c->field = field;
		if (field->kind == MADKIT_KIND_COUNTER)
			return true;
	}
	return false;
}

unsigned int counter_bit(const struct counter *c)
{
	static const char *const selects[] = { "CounterSelect", "CounterSelect2" };
	char name[64];
	uint64_t mask = 0;
	unsigned int bit = 0;

	snprintf(name, sizeof(name), c->field->count ? "%s%u" : "%s", c->field->name, c->element);
	for (size_t i = 0; i < ARRAY_SIZE(selects) && !mask; i++) {
		const struct madkit_field *select = counters_field(c->attribute, selects[i]);

		if (select && !madkit_value_find(select->values, name, strlen(name), &mask))
			bit = 16 * (unsigned int)i;
	}
	/* If CounterSelect has no named bits, the bits are in the order of the counters. */
	if (!mask)
		return c->n;
	for (; !(mask & 1); mask >>= 1)
		bit++;
	return bit;
}

/* ---- totals ---------------------------------------------------------------------------- */

static uint16_t counter_source(const struct counter *c)
{
	/* In the order of the fields of PortCounters. */
	static const uint8_t port_counters[] = {
		PMA_SYMBOL_ERROR,    PMA_LINK_RECOVERY,   PMA_LINK_DOWNED,   PMA_RCV_ERRORS,
		PMA_REMOTE_PHYSICAL, PMA_RELAY_ERRORS,    PMA_XMIT_DISCARDS, PMA_XMIT_CONSTRAINT,
		PMA_RCV_CONSTRAINT,  PMA_LOCAL_INTEGRITY, PMA_OVERRUN,       PMA_QP1_DROPPED,
		PMA_VL15_DROPPED,    PMA_XMIT_DATA,       PMA_RCV_DATA,      PMA_XMIT_PKTS,
		PMA_RCV_PKTS,        PMA_XMIT_WAIT,
	};
	/* Counters of the other attributes. */
	static const struct {
		uint16_t source;
		uint8_t counter;
	} counted[] = {
		{ MADKIT_ATTR_PORT_RCV_ERROR_DETAILS << 8 | 0, PMA_LOCAL_PHYSICAL },
		{ MADKIT_ATTR_PORT_RCV_ERROR_DETAILS << 8 | 3, PMA_DLID_MAPPING },
		{ MADKIT_ATTR_PORT_RCV_ERROR_DETAILS << 8 | 4, PMA_VL_MAPPING },
		{ MADKIT_ATTR_PORT_RCV_ERROR_DETAILS << 8 | 5, PMA_LOOPING },
		{ MADKIT_ATTR_PORT_XMIT_DISCARD_DETAILS << 8 | 0, PMA_INACTIVE },
	};
	uint16_t source = (uint16_t)(c->attribute->id << 8 | c->n);

	if (c->attribute->id == MADKIT_ATTR_PORT_COUNTERS)
		return port_counters[c->n];
	if (c->attribute->id == MADKIT_ATTR_PORT_COUNTERS_EXTENDED)
		return (uint16_t)c->n;
	for (size_t i = 0; i < ARRAY_SIZE(counted); i++)
		if (counted[i].source == source)
			return counted[i].counter;
	return source;
}

static struct counters_other *others_find(const struct port *port, uint16_t source)
{
	struct counters_other *other = port->counters ? port->counters->others : NULL;

	while (other && other->source != source)
		other = other->next;
	return other;
}

static struct counters *counters_make(struct port *port)
{
	if (!port->counters)
		port->counters = calloc(1, sizeof(*port->counters));
	return port->counters;
}

/* Returns NULL if out of memory. */
static struct counters_other *others_make(struct port *port, uint16_t source)
{
	struct counters_other *other = others_find(port, source);

	if (other || !counters_make(port))
		return other;
	other = calloc(1, sizeof(*other));
	if (other) {
		other->source = source;
		other->next = port->counters->others;
		port->counters->others = other;
	}
	return other;
}

/* Changes the rate of a counter from now on. Returns 0 or -ENOMEM. */
static int set_rate(struct fabric *f, struct port *port, uint16_t source, uint64_t num, uint64_t den,
		    uint64_t weight)
{
	struct counters_other *other = num ? others_make(port, source) : others_find(port, source);

	if (!other)
		return num ? -ENOMEM : 0;
	tally_set_rate(&other->tally, f->now, num, den, weight);
	return 0;
}

static uint64_t total_of(struct fabric *f, const struct port *port, uint16_t source)
{
	const struct counters_other *other = others_find(port, source);
	uint64_t total = source < PMA_COUNTERS ? port->counts[source] : 0;

	if (other)
		total += tally_total(&other->tally, f->now);
	/* The counter of SL 0 is derived: all data without that of the other SLs. */
	if (source == SOURCE_XMIT_SL || source == SOURCE_RCV_SL) {
		total = total_of(f, port, source == SOURCE_XMIT_SL ? PMA_XMIT_DATA : PMA_RCV_DATA);
		for (uint16_t sl = 1; port->counters && sl < SLS; sl++)
			total -= total_of(f, port, (uint16_t)(source + sl));
	}
	return total;
}

uint64_t counters_total(struct fabric *f, const struct port *port, enum pma_counter which)
{
	return total_of(f, port, (uint16_t)which);
}

void counters_sl(struct port *port, bool sent, unsigned int sl, uint64_t units)
{
	struct counters_other *other =
		others_make(port, (uint16_t)((sent ? SOURCE_XMIT_SL : SOURCE_RCV_SL) + sl));

	if (other)
		other->tally.total += units;
}

/* ---- views of attributes ----------------------------------------------------------------- */

static struct counters_view *view_find(const struct port *port, uint16_t id)
{
	struct counters_view *view = port->counters ? port->counters->views : NULL;

	while (view && view->id != id)
		view = view->next;
	return view;
}

static struct counters_view *view_make(struct port *port, const struct madkit_attribute *attribute)
{
	struct counters_view *view = view_find(port, attribute->id);
	size_t n = 0;

	if (view || !counters_make(port))
		return view;
	counter_each(c, attribute) n++;
	view = calloc(1, sizeof(*view) + n * sizeof(view->of[0]));
	if (view) {
		view->id = attribute->id;
		view->next = port->counters->views;
		port->counters->views = view;
	}
	return view;
}

static uint64_t counters_added(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

uint64_t counter_read(struct fabric *f, const struct port *port, const struct counter *c)
{
	uint64_t total = total_of(f, port, counter_source(c));
	const struct counters_view *view = view_find(port, c->attribute->id);

	return view ? counters_added(view->of[c->n].from, total - view->of[c->n].since) : total;
}

int counter_put(struct fabric *f, struct port *port, const struct counter *c, uint64_t value)
{
	struct counters_view *view = view_make(port, c->attribute);

	if (!view)
		return -ENOMEM;
	view->of[c->n].since = total_of(f, port, counter_source(c));
	view->of[c->n].from = value;
	return 0;
}

uint64_t pma_get(struct fabric *f, const struct port *port, enum pma_counter which)
{
	uint64_t total = total_of(f, port, (uint16_t)which);
	const struct counters_view *view = view_find(port, MADKIT_ATTR_PORT_COUNTERS_EXTENDED);

	return view ? counters_added(view->of[which].from, total - view->of[which].since) : total;
}

/* Returns true if the port uses this row of the attribute table. With RS-FEC, PortExtendedSpeedsCounters has
 * another layout, which is its second row. */
static bool counters_suit(const struct madkit_attribute *a, const struct port *port)
{
	return a->id != MADKIT_ATTR_PORT_EXTENDED_SPEEDS_COUNTERS ||
	       (a != counters_attribute(a->id)) == port_rsfec_active(port);
}

/* Finds the next counter of this name that the port has, in the rows after *row (NULL: in all rows). */
static bool counter_named(struct counter *c, const struct port *port, const char *name,
			  const struct madkit_attribute **row)
{
	const struct madkit_class *class = madkit_class_get(MADKIT_CLASS_PERF);
	const struct madkit_attribute *a = *row ? *row + 1 : class->attributes;

	for (; a < class->attributes + class->nattributes; a++) {
		struct madkit_place place;
		uint32_t at;

		if (!counters_are(a) || !counters_suit(a, port) ||
		    madkit_place_find(a->layout, name, strlen(name), &place, NULL) ||
		    place.field->kind != MADKIT_KIND_COUNTER || place.whole)
			continue;
		/* If a row has the ID of the row before it, it is another form of the same attribute, with
		 * the same counters in the same places. */
		*c = (struct counter){ .attribute = a - (a > class->attributes && a[-1].id == a->id) };
		at = madkit_field_offset(place.field, place.index);
		while (counter_next(c) && madkit_field_offset(c->field, c->element) != at)
			;
		*row = a;
		return true;
	}
	return false;
}

void pma_try_names(const struct port *port, struct nearest *nearest)
{
	const struct madkit_class *class = madkit_class_get(MADKIT_CLASS_PERF);

	for (const struct madkit_attribute *a = class->attributes; a < class->attributes + class->nattributes;
	     a++)
		for (unsigned int i = 0; counters_are(a) && counters_suit(a, port) && i < a->layout->nfields;
		     i++)
			if (a->layout->fields[i].kind == MADKIT_KIND_COUNTER)
				nearest_try(nearest, a->layout->fields[i].name);
}

int pma_set(struct fabric *f, struct port *port, const char *name, uint64_t value)
{
	const struct madkit_attribute *row = NULL;
	unsigned int widest = 0;
	struct counter c;
	int ret = 0;

	while (counter_named(&c, port, name, &row))
		if (c.field->width > widest)
			widest = c.field->width;
	if (!widest)
		return -ENOENT;
	if (value > bits_mask(widest))
		return -ERANGE;
	for (row = NULL; !ret && counter_named(&c, port, name, &row);)
		ret = counter_put(f, port, &c, value);
	return ret;
}

/* ---- rates ------------------------------------------------------------------------------- */

int pma_set_rate(struct fabric *f, struct port *port, const char *name, uint64_t rate)
{
	const struct madkit_attribute *row = NULL;
	struct counter c;
	uint16_t source;

	if (!counter_named(&c, port, name, &row))
		return -ENOENT;
	source = counter_source(&c);
	if (source < PMA_SYMBOL_ERROR || source >> 8 == MADKIT_ATTR_PORT_XMIT_DATA_SL ||
	    source >> 8 == MADKIT_ATTR_PORT_RCV_DATA_SL)
		return -EINVAL;
	return set_rate(f, port, source, rate, TALLY_MILLIONTHS, 1);
}

/* Stops the traffic out of the port (sent) or into it. */
static void end_traffic(struct fabric *f, struct port *port, bool sent)
{
	for (struct counters_other *o = port->counters ? port->counters->others : NULL; o; o = o->next) {
		bool of_sent = o->source == PMA_XMIT_DATA || o->source == PMA_XMIT_PKTS ||
			       o->source == PMA_XMIT_UNICAST ||
			       o->source >> 8 == MADKIT_ATTR_PORT_XMIT_DATA_SL;

		if (o->traffic && of_sent == sent)
			set_rate(f, port, o->source, 0, 1, 0);
	}
}

void counters_end_traffic(struct fabric *f, struct port *port)
{
	end_traffic(f, port, false);
	end_traffic(f, port, true);
}

int counters_traffic(struct fabric *f, struct port *port, bool sent, const struct fabric_traffic *t)
{
	uint64_t den = UINT64_C(8) * t->bytes * NS_PER_S;
	const struct {
		unsigned int source;
		uint64_t weight;
	} moved[] = {
		{ sent ? PMA_XMIT_PKTS : PMA_RCV_PKTS, 1 },
		{ sent ? PMA_XMIT_UNICAST : PMA_RCV_UNICAST, 1 },
		{ sent ? PMA_XMIT_DATA : PMA_RCV_DATA, t->bytes / 4 },
		{ (sent ? SOURCE_XMIT_SL : SOURCE_RCV_SL) + t->sl, t->bytes / 4 },
	};

	end_traffic(f, port, sent);
	/* Without the last entry for SL 0, which total_of() derives. */
	for (size_t i = 0; t->rate && i < ARRAY_SIZE(moved) - !t->sl; i++) {
		if (set_rate(f, port, (uint16_t)moved[i].source, t->rate, den, moved[i].weight))
			return -ENOMEM;
		others_find(port, (uint16_t)moved[i].source)->traffic = true;
	}
	return 0;
}

void counters_free(struct port *port)
{
	struct counters *all = port->counters;

	if (!all)
		return;
	for (struct counters_other *other = all->others, *next; other; other = next) {
		next = other->next;
		free(other);
	}
	for (struct counters_view *view = all->views, *next; view; view = next) {
		next = view->next;
		free(view);
	}
	free(all);
	port->counters = NULL;
}
