/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The requests that prepare a node for registers, one at a time: GeneralInfo, PortMapping, the checks of its type. */
#ifndef SWEEP_REGISTERS_PREPARE_H
#define SWEEP_REGISTERS_PREPARE_H

#include "sweep/registers.h"

enum registers_turn {
	REGISTERS_SEND, /* the request */
	REGISTERS_WAIT, /* another node checks the type: ask again after registers.news has grown */
	REGISTERS_OVER, /* madkit_registers_get() has the result */
};

/* Makes the next request to a node, a MAD of 256 bytes without V_Key. */
enum registers_turn registers_next(struct madkit_registers *registers, uint32_t node, uint8_t *mad);
/* Takes the response to the last request. Returns 0 or -ENOMEM. */
int registers_take(struct madkit_registers *registers, uint32_t node, const uint8_t *mad, size_t len,
		   bool mismatch);
/* The last request has no response, and is not repeated. Returns true if the node is asked something else. */
bool registers_give_up(struct madkit_registers *registers, uint32_t node);
/* Lets nodes that responded to GeneralInfo, but not to a later request, go on from there. */
void registers_retry(struct madkit_registers *registers);
/* Lets other nodes continue the checks that were begun, because nothing is outstanding. */
void registers_pass_on(struct madkit_registers *registers);

#endif
