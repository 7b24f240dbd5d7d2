/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters of ports. Which attributes of PerfMgt there are, with which counters, the tables of lib/wire
 * say: an attribute that has CounterSelect is one of counters.
 *
 * A port only counts on. What an attribute shows of it is what was added since the attribute was
 * reset, so that resetting one leaves the others alone. Rates are functions of time: nothing is due.
 */
#ifndef SIM_FABRIC_COUNTERS_H
#define SIM_FABRIC_COUNTERS_H

#include <madkit/registry.h>
#include "sim/fabric/internal.h"

/* One counter of an attribute: the n-th in its layout, elements of arrays one by one. */
struct counter {
	const struct madkit_attribute *attribute;
	const struct madkit_field *field;
	unsigned int element;
	unsigned int n;
};

/* The next one of the attribute (field NULL: the first). False: there are no more. */
bool counter_next(struct counter *counter);
#define counter_each(c, of) for (struct counter c = { .attribute = (of) }; counter_next(&c);)

/* The attribute of PerfMgt with this ID if it is one of counters, or NULL. */
const struct madkit_attribute *counters_attribute(uint16_t id);
/* A field of the attribute by its name, or NULL. */
const struct madkit_field *counters_field(const struct madkit_attribute *attribute, const char *name);
/* The bit of CounterSelect (from 16 on CounterSelect2) that selects it. */
unsigned int counter_bit(const struct counter *counter);

/* What is counted by now. Not more than 64 bits hold; the field may be narrower. */
uint64_t counter_read(struct fabric *f, const struct port *port, const struct counter *counter);
/* 0, or -ENOMEM. */
int counter_put(struct fabric *f, struct port *port, const struct counter *counter, uint64_t value);

/* Since the port was made. */
uint64_t counters_total(struct fabric *f, const struct port *port, enum pma_counter which);

/* A packet of another SL than 0 has left the port, or has come in: so many units of four octets. */
void counters_sl(struct port *port, bool sent, unsigned int sl, uint64_t units);

/* Data out of the port (sent), or in, instead of what there was. 0, -ENOMEM. */
int counters_traffic(struct fabric *f, struct port *port, bool sent, const struct fabric_traffic *t);
/* The port's link is down: no data flows over it. */
void counters_end_traffic(struct fabric *f, struct port *port);

static inline void pma_count(struct port *port, enum pma_counter which, uint64_t n)
{
	port->counts[which] += n;
}

void counters_free(struct port *port);

#endif
