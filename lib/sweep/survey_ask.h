/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of a survey, and a request of it for a target or its node. */
#ifndef SWEEP_SURVEY_ASK_H
#define SWEEP_SURVEY_ASK_H

#include "sweep/registers.h"
#include "sweep/state.h"
#include "sweep/survey_targets.h"

struct survey_ask {
	struct madkit_survey_result result; /* must be the first member */
	struct list list;                   /* of survey.free or .posted */
	struct madkit_survey *survey;
	uint32_t node; /* index in the targets */
	bool kept, checked;
	bool prepares; /* it prepares the node for registers; its result is not passed */
	bool unmapped; /* its port has no local port */
	/* of a register with two blocks: */
	uint8_t block;             /* enum survey_block */
	uint8_t again;             /* times that the first block changed */
	struct madkit_reply first; /* the response with the first block, while others are requested */
	uint8_t *joined;           /* MAD of both; NULL: not needed yet */
	uint64_t elapsed_ns;       /* of the earlier requests */
	struct madkit_sweep_record record;
};

struct madkit_survey {
	const struct madkit_sweep *sweep;
	struct madkit_port *port;
	struct madkit_survey_attr attr;
	struct madkit_header header;
	const struct madkit_attribute *attribute;
	struct madkit_send *request;                        /* a copy of the caller's */
	struct madkit_registers *registers, *own_registers; /* NULL: the attribute is not a register */
	uint32_t news;                                      /* registers->news that are known */
	struct survey_targets targets;
	struct madkit_dispatcher *dispatcher, *own;
	struct madkit_agent_attr registration;
	struct madkit_agent *agent; /* NULL: not registered yet */
	struct list free, posted;   /* requests */
	uint32_t select;            /* bit in the data of PortSelect */
	uint32_t msb;               /* ... of PortSelectMsb of a register */
	size_t data;                /* offset of the attribute's data */
	bool extended;              /* PortCountersExtended, which not every node has */
	bool last_tries;            /* there are last tries */
	bool last;                  /* the last tries have begun */
	bool stopped, ended;
	bool passed; /* a result was passed to the caller */
	int error;
	uint64_t number, mads, resent;
};

/* Creates a request. Its result has a reason if it cannot be sent. Returns NULL if memory ran out. */
struct survey_ask *survey_ask_new(struct madkit_survey *survey, uint32_t node, uint32_t target,
				  enum madkit_survey_about about);
/* As survey_ask_new() for a target that is not requested, without its MAD. */
struct survey_ask *survey_ask_empty(struct madkit_survey *survey, uint32_t target, const char *reason);
/* Writes the V_Key of a node into a MAD of the class Mlnx. */
void survey_put_v_key(const struct madkit_survey *survey, const struct survey_target *target, uint8_t *mad);
/* Frees the response, and keeps the memory of the request for the next one. */
void survey_ask_free(struct madkit_survey *survey, struct survey_ask *ask);
/* Frees the requests of a list. */
void survey_ask_free_all(struct list *list);

#endif
