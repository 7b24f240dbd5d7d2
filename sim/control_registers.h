/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Control commands that change what registers report, and how nodes answer requests for them. */
#ifndef SIM_CONTROL_REGISTERS_H
#define SIM_CONTROL_REGISTERS_H

#include "sim/control_take.h"

int control_cable(struct control *c);
int control_module(struct control *c);
int control_temperature(struct control *c);
int control_ber(struct control *c);
int control_fec(struct control *c);
int control_reason(struct control *c);
int control_register(struct control *c);
int control_vkey(struct control *c);

#endif
