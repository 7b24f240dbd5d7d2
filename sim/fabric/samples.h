/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples of counters, taken by the agent of an end port (IBA volume 1, sections 16.1.3.2 to 16.1.3.4). */
#ifndef SIM_FABRIC_SAMPLES_H
#define SIM_FABRIC_SAMPLES_H

#include "sim/fabric/counters.h"

/*
 * PortSamplesControl of a port of the end port's node, Get or Set. A Set begins a sample, unless one is
 * being taken. options: the value of OptionMask. A status of a MAD; -1: no memory.
 */
int samples_control(struct fabric *f, struct port *end, const struct port *port, bool set, uint64_t options,
		    uint8_t *data);
/* PortSamplesResult, or PortSamplesResultExtended. */
void samples_result(const struct port *end, bool extended, uint8_t *data);
/* A PACKET_SAMPLE is due: a sample begins or ends. */
void samples_due(struct fabric *f, struct packet *p, struct port *end);

#endif
