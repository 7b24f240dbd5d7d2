/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The subnet management agent of a node (IBA volume 1, section 14.3). */
#ifndef SIM_FABRIC_SMA_H
#define SIM_FABRIC_SMA_H

#include "sim/fabric/internal.h"

enum sma_result {
	SMA_ANSWER,   /* mad holds the response */
	SMA_DONE,     /* no response is needed */
	SMA_REFUSED,  /* wrong M_Key: no response */
	SMA_NOT_MINE, /* for a program: a response, a trap, a request to the subnet manager */
};

/* Handles an SMP for the end port that arrived at the port in (on a switch, any of its ports). */
enum sma_result sma_handle(struct fabric *f, struct port *end, struct port *in, uint8_t *mad);

/* Increments a violation counter of PortInfo, which stops when all its bits are set. */
void sma_count_violation(struct port *end, uint64_t which);

#endif
