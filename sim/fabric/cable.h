/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Cables, and the modules at their ends. A cable is derived from the nodes and ports that it joins: links of hosts are
 * passive copper of 2 m, others are optical and have 20 m. What is measured differs from port to port.
 */
#ifndef SIM_FABRIC_CABLE_H
#define SIM_FABRIC_CABLE_H

#include "sim/fabric/internal.h"
#include "sim/fabric/settings.h"

/* Measured by the module of a port; all 0 if it is passive copper. */
struct module {
	int16_t temperature;                                                  /* 1/256 degree Celsius */
	uint16_t voltage;                                                     /* 100 uV */
	uint16_t received[CABLE_LANES], sent[CABLE_LANES], bias[CABLE_LANES]; /* uW, uW, 2 uA */
	unsigned int lanes;
};

/* Gets the readings of the module at a port with a cable. */
void module_get(struct fabric *f, const struct port *port, const struct cable *cable, struct module *module);
/* Returns a number that depends on the port and on salt, always the same one. */
uint64_t cable_hash(struct fabric *f, const struct port *port, unsigned int salt);

#endif
