/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A register that AccessRegisterGMP reads. Constants of registers are relative to the number of the block, which is four
 * bytes before the register.
 */
#ifndef SIM_FABRIC_READING_H
#define SIM_FABRIC_READING_H

#include "sim/fabric/internal.h"

/* Statuses of the vendor class. */
enum { REGISTER_UNKNOWN = 20, REGISTER_BAD_PARAMETER = 28 };

struct reading {
	struct fabric *f;
	const struct node *node;
	struct port *end;     /* end port of arrival */
	const uint8_t *asked; /* the block of the request */
	uint8_t *data;        /* the register, zeros at first */
};

/* Copies a field of the request to the answer. Returns its value. */
uint64_t reading_echo(struct reading *r, uint64_t field);
/* Returns the port that the request selects, or NULL if there is none; echoes the fields. numbering and plane: 0 if the
 * register has no such field. */
struct port *reading_port(struct reading *r, uint64_t select, uint64_t msb, uint64_t numbering,
			  uint64_t plane);
/* Writes text, padded with a character. */
void reading_put_text(struct reading *r, uint64_t field, const char *text, char pad);
/* Returns the width as a bit of registers. */
unsigned int reading_widths(unsigned int widths);

/* pddr.c, ppcnt.c, chassis.c, sensor.c: read a register, and return a status. */
int pddr_read(struct reading *r);
int ppcnt_read(struct reading *r);
int chassis_read_device(struct reading *r);
int chassis_read_system(struct reading *r);
int chassis_read_slots(struct reading *r);
int chassis_read_cpld(struct reading *r);
int chassis_read_power(struct reading *r);
int chassis_read_fans(struct reading *r);
int chassis_read_fan_speed(struct reading *r);
int chassis_read_fan_limits(struct reading *r);
int sensor_read_list(struct reading *r);
int sensor_read(struct reading *r);
int sensor_read_all(struct reading *r);

#endif
