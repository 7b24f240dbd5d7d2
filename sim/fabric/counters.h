/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters of ports. The tables of lib/wire define the attributes of PerfMgt: an attribute with a field
 * CounterSelect consists of counters.
 *
 * The totals of a port only grow. An attribute shows by how much they have grown since it was last reset;
 * therefore resetting an attribute does not affect the others. Rates are functions of time: they need no
 * events.
 */
#ifndef SIM_FABRIC_COUNTERS_H
#define SIM_FABRIC_COUNTERS_H

#include <madkit/registry.h>
#include "sim/fabric/internal.h"

/* A counter of an attribute. n is its number in the layout; each element of an array is a counter. */
struct counter {
	const struct madkit_attribute *attribute;
	const struct madkit_field *field;
	unsigned int element;
	unsigned int n;
};

/* Advances to the next counter of the attribute (field NULL: to the first). Returns false if there are no
 * more. */
bool counter_next(struct counter *counter);
#define counter_each(c, of) for (struct counter c = { .attribute = (of) }; counter_next(&c);)

/* Returns the attribute of PerfMgt with this ID, or NULL if there is none or it does not consist of
 * counters. */
const struct madkit_attribute *counters_attribute(uint16_t id);
/* Returns the field of this name, or NULL. */
const struct madkit_field *counters_field(const struct madkit_attribute *attribute, const char *name);
/* Returns the number of the bit that selects the counter: 0 to 15 in CounterSelect, from 16 on in
 * CounterSelect2. */
unsigned int counter_bit(const struct counter *counter);

/* Returns the present value, at most UINT64_MAX; it may not fit the field. */
uint64_t counter_read(struct fabric *f, const struct port *port, const struct counter *counter);
/* Sets the value that the attribute shows. Returns 0 or -ENOMEM. */
int counter_put(struct fabric *f, struct port *port, const struct counter *counter, uint64_t value);

/* Returns the total since the port was created. */
uint64_t counters_total(struct fabric *f, const struct port *port, enum pma_counter which);

/* Counts a packet with an SL other than 0 that has left the port (sent) or arrived. A unit is four octets. */
void counters_sl(struct port *port, bool sent, unsigned int sl, uint64_t units);

/* Replaces the traffic out of the port (sent) or into it. Returns 0 or -ENOMEM. */
int counters_traffic(struct fabric *f, struct port *port, bool sent, const struct fabric_traffic *t);
/* Stops all traffic of the port, because its link is down. */
void counters_end_traffic(struct fabric *f, struct port *port);

static inline void pma_count(struct port *port, enum pma_counter which, uint64_t n)
{
	port->counts[which] += n;
}

void counters_free(struct port *port);

#endif
