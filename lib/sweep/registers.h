/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is known about the registers of nodes, as the files that ask for it change it. */
#ifndef SWEEP_REGISTERS_H
#define SWEEP_REGISTERS_H

#include <madkit/registers.h>

enum {
	REGISTERS_HEADER = 4,        /* bytes before the register: the number of the block */
	REGISTERS_BLOCK_BYTES = 220, /* of a register in a block */
	REGISTERS_LOCAL_PORTS = 148, /* of the largest device */
	/* statuses of AccessRegisterGMP, as mstflint has them */
	REGISTERS_BUSY = 1,
	REGISTERS_NO_CLASS = 4,
	REGISTERS_NO_METHOD = 12,
	REGISTERS_NO_REGISTER = 20,
	REGISTERS_BAD_PARAMETER = 28,
};

/* The next request of a node's preparation. */
enum registers_stage {
	REGISTERS_GENERAL,
	REGISTERS_PORTS,
	REGISTERS_TRUST, /* its type is checked, by this node or another one */
	REGISTERS_DONE,
};

struct registers_node {
	struct madkit_registers_node known;
	uint8_t stage;     /* enum registers_stage */
	uint8_t local;     /* the local port that is asked for next */
	uint8_t refusals;  /* of PortMapping in a row, by status 20, before any port was found */
	uint8_t busy;      /* responses in a row that it is busy */
	uint16_t found;    /* ports that have a local port */
	uint8_t *local_of; /* of a switch, by IB port; NULL: none yet */
	char *text;        /* of known.reason, if it is not constant */
};

/* A type that is being checked. */
struct registers_type {
	struct madkit_registers_type known;
	uint8_t step;        /* enum registers_step */
	uint8_t given_up;    /* nodes that did not respond to the check */
	uint8_t general[32]; /* PSID and firmware of the node, as in GeneralInfo */
	uint8_t data[256];   /* of an earlier response, to compare with */
};

struct madkit_registers {
	const struct madkit_sweep *sweep;
	uint32_t nnodes;
	struct registers_node *nodes;
	struct registers_type *types;
	uint32_t ntypes, cap;
	uint32_t
		judged; /* number of types that have been judged, or of checks that passed on to another node */
};

/* Sets the state of a node, and that its preparation has ended. reason: constant, or NULL. */
void registers_settle(struct registers_node *node, enum madkit_registers_state state, uint16_t status,
		      const char *reason);

#endif
