/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The congestion control agent (IBA volume 1, annex A10). It stores settings; congestion is not simulated. */
#ifndef SIM_FABRIC_CC_H
#define SIM_FABRIC_CC_H

#include "sim/fabric/internal.h"

enum cc {
	CC_NOT_MINE,
	CC_ANSWER, /* mad holds the response */
	CC_REFUSED /* wrong CC_Key: no response */
};

/* Handles a MAD that has arrived at the end port. */
enum cc cc_handle(struct fabric *f, struct port *end, uint8_t *mad);

#endif
