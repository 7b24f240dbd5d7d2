/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A survey: its targets, its requests and what has been shown. */
#ifndef SRC_SURVEY_STATE_H
#define SRC_SURVEY_STATE_H

#include "request/dispatch.h"
#include "request/failures.h"
#include "survey_paths.h"
#include "survey_targets.h"

enum { SURVEY_NAME_BYTES = 65 };

/* What a request is about. */
enum survey_step {
	SURVEY_CPI, /* ClassPortInfo */
	SURVEY_ALL, /* the sums of all ports */
	SURVEY_ONE, /* a target */
};

struct survey_ask {
	struct task task;        /* the first member */
	struct survey_ask *next; /* unused */
	struct request request;
	uint32_t node; /* of the survey */
	size_t target;
	enum survey_step step;
	const char *reason; /* why it is not sent; NULL: it is */
	bool fec_unknown;   /* that is the reason */
	char name[SURVEY_NAME_BYTES], about[SURVEY_NAME_BYTES + 16];
	uint8_t mad[MADKIT_MAD_BYTES];
};

struct survey {
	struct exchange *x;
	const struct scope *scope;
	const struct request *request;
	struct request cpi;
	struct survey_blocks blocks;
	struct survey_targets targets;
	struct survey_paths paths;
	struct survey_tally *tally;
	struct failures failures;
	struct source source;
	struct survey_ask *unused;
	struct survey_ask *
		*held; /* results, by target, to be shown in their order; NULL: they are shown as they come */
	bool *ended;   /* targets */
	size_t shown;  /* targets before this one have ended and been shown */
	bool extended; /* PortCountersExtended, which not every node has */
	uint8_t *
		fec; /* enum layout_fec, by number in the scope: of the port; NULL: the request does not depend on it */
	bool reads_fec;     /* this survey reads it, and shows nothing */
	bool names_checked; /* those of --filter and the like, also against the layout with RS-FEC */
	int names;          /* the status of that */
	bool sums;          /* the filter holds for the sum of all ports if it does for one */
	bool clears;
	/* SMPs that are lost because VL15 has no flow control seem to be requests to silent nodes: the last try of each
	 * is sent after all others, with few at a time */
	bool last_tries; /* there are any */
	bool last;       /* they have begun */
	struct madkit_buf
		unwritten; /* ports that were cleared, each with a NUL, of which the line may not be written yet */
	bool gone;         /* the device */
	bool full;         /* no memory */
};

#endif
