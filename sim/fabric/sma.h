/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The subnet management agent that every node has (IBA volume 1, section 14.3). */
#ifndef SIM_FABRIC_SMA_H
#define SIM_FABRIC_SMA_H

#include "sim/fabric/internal.h"

enum sma_result {
	SMA_ANSWER,   /* mad holds the response */
	SMA_DONE,     /* it wants none */
	SMA_REFUSED,  /* the M_Key is wrong: silence */
	SMA_NOT_MINE, /* a response, a trap, a request to the subnet manager */
};

/* An SMP that has come to the end port, by way of the port in (a switch's may be any
 * other of its own). */
enum sma_result sma_handle(struct fabric *f, struct port *end, struct port *in, uint8_t *mad);

/* Counts in one of PortInfo's counters of violations, up to all ones. */
void sma_count_violation(struct port *end, uint64_t which);

#endif
