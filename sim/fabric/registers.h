/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The registers of a device, and AccessRegisterGMP, which reads them in blocks. */
#ifndef SIM_FABRIC_REGISTERS_H
#define SIM_FABRIC_REGISTERS_H

#include "sim/fabric/internal.h"

/* Answers a Get of AccessRegisterGMP that arrived at the end port. Returns the status. */
int registers_answer(struct fabric *f, struct port *end, uint8_t *mad);

#endif
