/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples of counters, taken by the agent of an end port (IBA volume 1, sections 16.1.3.2 to 16.1.3.4). */
#ifndef SIM_FABRIC_SAMPLES_H
#define SIM_FABRIC_SAMPLES_H

#include "sim/fabric/counters.h"

/*
 * Handles a Get or Set of PortSamplesControl. port is a port of the end port's node; options is the value of
 * OptionMask. A Set begins a sample, unless one is in progress. Returns 0, or -1 if out of memory.
 */
int samples_control(struct fabric *f, struct port *end, const struct port *port, bool set, uint64_t options,
		    uint8_t *data);
/* Writes PortSamplesResult or PortSamplesResultExtended. */
void samples_result(const struct port *end, bool extended, uint8_t *data);
/* Begins or ends a sample, because its PACKET_SAMPLE is due. */
void samples_due(struct fabric *f, struct packet *p, struct port *end);

#endif
