/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How a node answers requests of the class Mlnx, if not correctly: set by control words. */
#ifndef SIM_FABRIC_MISBEHAVIOUR_H
#define SIM_FABRIC_MISBEHAVIOUR_H

#include "sim/fabric/fabric.h"

enum { MISBEHAVIOUR_REFUSED = 16 };

/* An answer about something else. */
enum misbehaviour_wrong { WRONG_NOTHING, WRONG_REGISTER, WRONG_BLOCK, WRONG_PORT, WRONG_PAGE };

struct misbehaviour {
	bool off;      /* GeneralInfo says that there are no registers */
	bool no_echo;  /* answers have no index fields */
	uint8_t wrong; /* enum misbehaviour_wrong */
	uint8_t refused;
	uint16_t status; /* of all registers; 0: none */
	struct {
		uint16_t id, status; /* 0: it is answered, whatever the status of all registers */
	} registers[MISBEHAVIOUR_REFUSED];
	bool keyed;
	uint16_t key_status; /* for a request with another V_Key; 0: it is not answered */
	uint64_t key;
};

/* Returns that of a node, which is correct at first, or NULL if out of memory. */
struct misbehaviour *misbehaviour_make(struct node *node);
/* Refuses a register with a status. Returns 0; -E2BIG: there are MISBEHAVIOUR_REFUSED already. */
int misbehaviour_refuse(struct misbehaviour *m, uint16_t id, uint16_t status);
/* Returns the status with which the node refuses a register, or 0. */
uint16_t misbehaviour_status(const struct node *node, uint32_t id);

#endif
