/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks if a device agrees with itself. */
#ifndef SWEEP_REGISTERS_TRUST_H
#define SWEEP_REGISTERS_TRUST_H

#include "sweep/registers.h"

/* Makes the request of the next step that is possible for the node that is checked. Returns false if there is none
 * left: the type has been judged. */
bool registers_trust_next(struct madkit_registers *registers, struct registers_type *type, uint8_t *mad);
/* Takes the response to it; answer->data is NULL if there is none, or an error status. */
void registers_trust_take(struct madkit_registers *registers, struct registers_type *type,
			  const struct registers_answer *answer);
/* Returns the status by which the node refused all that could make its type trusted; 0: it did not, or not yet. */
uint16_t registers_trust_refused(const struct registers_type *type);
/* Begins the checks of a type by a node. */
void registers_trust_begin(struct registers_type *type, uint32_t node);

#endif
