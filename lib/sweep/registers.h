/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The states of nodes and types of devices, as the files that ask for them change them. */
#ifndef SWEEP_REGISTERS_H
#define SWEEP_REGISTERS_H

#include <madkit/mad.h>
#include <madkit/registers.h>
#include <madkit/registry.h>

enum {
	REGISTERS_PSID_BYTES = 16,
	/* statuses of AccessRegisterGMP, as mstflint has them; 1, busy, is also that of the IBA */
	REGISTERS_NO_CLASS = 4,
	REGISTERS_NO_METHOD = 12,
	REGISTERS_NO_REGISTER = 20,
	REGISTERS_BAD_PARAMETER = 28,
};

enum { REGISTERS_SEVERAL = 0xff }; /* local ports have the same IB port; there are fewer local ports */

/* The next request of a node's preparation. */
enum registers_stage {
	REGISTERS_GENERAL,
	REGISTERS_PORTS,
	REGISTERS_TRUST, /* its type is checked, by this node or another one */
	REGISTERS_DONE,
};

/* The requests of the checks, in their order. */
enum registers_step {
	REGISTERS_STEP_LINK_MODES,
	REGISTERS_STEP_BEFORE, /* PortCounters */
	REGISTERS_STEP_COUNTERS,
	REGISTERS_STEP_AFTER, /* PortCounters */
	REGISTERS_STEP_DEVICE_INFO,
	REGISTERS_STEP_MODULE,
	REGISTERS_STEP_NUMBERED, /* ModuleInfo by IB port */
	REGISTERS_STEPS,
};

struct registers_node {
	struct madkit_registers_node known;
	uint8_t stage;    /* enum registers_stage */
	uint8_t silent;   /* the stage in which it did not respond */
	uint8_t only;     /* the only port that is needed; 0: all */
	uint8_t tried;    /* local ports, in the order of their distance from `only` */
	uint8_t local;    /* the local port that is asked for next */
	uint8_t refusals; /* of PortMapping by status 20, before any port was found */
	uint8_t found;    /* ports that have a local port */
	uint8_t psid[REGISTERS_PSID_BYTES];
	uint8_t *local_of; /* of a switch, by IB port: 0, REGISTERS_SEVERAL or a local port; NULL: none yet */
};

/* A type that is being checked. */
struct registers_type {
	struct madkit_registers_type known;
	uint8_t step;                       /* enum registers_step */
	bool responded;                     /* the node has responded to one of the checks */
	bool passed;                        /* the node refused them: another one may begin */
	uint8_t given_up;                   /* nodes that did not respond to any check, or refused it */
	uint8_t before[224], compared[224]; /* data of earlier responses, to compare with */
};

struct madkit_registers {
	const struct madkit_sweep *sweep;
	uint32_t nnodes;
	const struct madkit_attribute *general, *mapping; /* GeneralInfo, PortMapping */
	struct registers_node *nodes;
	struct registers_type *types;
	uint32_t ntypes, cap;
	uint32_t news; /* grows when nodes that wait for others may continue */
};

/* A response, or none. */
struct registers_answer {
	const uint8_t *data; /* NULL: there is none */
	size_t len;
	uint16_t status;
	bool invalid; /* it is about something else */
	bool silent;  /* there is no response */
};

/* Copies a text, which is cut if it does not fit. */
void registers_copy(char *to, size_t size, const char *text);
/* Formats a text into an array, which madkit_error_set() does without stdio. */
#define REGISTERS_PRINT(array, ...) \
	do { \
		struct madkit_error print_; \
		madkit_error_set(&print_, 0, -1, __VA_ARGS__); \
		registers_copy(array, sizeof(array), print_.text); \
	} while (0)

/* Sets the state of a node, and that its preparation has ended. reason: constant, or NULL. */
void registers_settle(struct registers_node *node, enum madkit_registers_state state, uint16_t status,
		      const char *reason);
/* Returns the row of the tables of a register, or of PortCounters. */
const struct madkit_attribute *registers_row(uint8_t mgmt_class, const char *name);
/* Returns where the data of a class begins in a MAD. */
static inline size_t registers_data_offset(uint8_t mgmt_class)
{
	return mgmt_class == MADKIT_CLASS_PERF ? MADKIT_PERF_DATA : MADKIT_MLNX_DATA;
}

/* Writes a Get of an attribute into a MAD, without data. */
void registers_fill(uint8_t *mad, uint8_t mgmt_class, const struct madkit_attribute *attribute);

#endif
