/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A survey: its targets, its requests, and the state of the output. */
#ifndef SRC_SURVEY_STATE_H
#define SRC_SURVEY_STATE_H

#include "request/dispatch.h"
#include "request/failures.h"
#include "survey_paths.h"
#include "survey_targets.h"

enum { SURVEY_NAME_BYTES = 65 };

/* The subject of a request. */
enum survey_step {
	SURVEY_CPI, /* ClassPortInfo */
	SURVEY_ALL, /* the sums of all ports */
	SURVEY_ONE, /* a target */
};

struct survey_ask {
	struct task task;        /* must be the first member */
	struct survey_ask *next; /* list of unused requests */
	struct request request;
	uint32_t node; /* index in the survey */
	size_t target;
	enum survey_step step;
	const char *reason; /* why the request is not sent; NULL: it is sent */
	bool fec_unknown;   /* the reason is an unknown FEC mode */
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
		*held;      /* results by target, to be shown in order; NULL: they are shown as they arrive */
	bool *ended;        /* by target */
	size_t shown;       /* number of targets from the first on that have ended and been shown */
	bool extended;      /* PortCountersExtended, which not every node has */
	uint8_t *fec;       /* enum layout_fec by port of the scope; NULL: not needed */
	bool reads_fec;     /* this survey reads the FEC modes, and shows nothing */
	bool names_checked; /* --filter etc. were also checked against the layout with RS-FEC */
	int names;          /* status of that check */
	bool sums;          /* if the filter holds for a port, it holds for the sum of all ports */
	bool clears;
	/* Because VL15 has no flow control, SMPs that are lost look like silent nodes: the last try of each
	 * request is sent after all other requests, with few outstanding */
	bool last_tries;             /* there are last tries */
	bool last;                   /* the last tries have begun */
	struct madkit_buf unwritten; /* cleared ports whose line may not be written yet, each with a NUL */
	bool gone;                   /* the device is gone */
	bool full;                   /* memory ran out */
};

#endif
