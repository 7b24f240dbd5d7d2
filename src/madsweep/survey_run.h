/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A survey of the command: its options, its results, and the state of the output. */
#ifndef SRC_SURVEY_RUN_H
#define SRC_SURVEY_RUN_H

#include <madkit/survey.h>
#include "cli/modifiers.h"
#include "request/failures.h"
#include "scope.h"
#include "survey_delta.h"
#include "survey_paths.h"
#include "survey_rows.h"

enum { SURVEY_NAME_BYTES = 65, SURVEY_ABOUT_BYTES = SURVEY_NAME_BYTES + 16 };

/* -m: attributes in blocks. */
struct survey_blocks {
	const struct madkit_instances *instances; /* NULL: one request for each port or node */
	struct modifier_list given;
	bool port0; /* also port 0 of a switch, which a scope contains only if it is enhanced */
};

/* A result, and how the command judges it. */
struct survey_item {
	struct madkit_survey_result *result;
	struct answer answer;
};

/* Facts about a node from its ClassPortInfo. */
struct survey_known {
	bool no_errors;     /* its PortCountersExtended has no counters of errors */
	bool doubts_errors; /* it is not known if it has them: 0 may mean either */
	uint8_t rsfec;      /* enum layout_fec: if it has counters for RS-FEC */
};

struct survey_tally;

struct survey {
	struct exchange *x;
	const struct scope *scope;
	const struct request *request;
	struct request cpi;
	struct madkit_survey *survey;
	struct madkit_survey_counts counts;
	struct survey_paths paths;
	struct survey_tally *tally;
	struct failures failures;
	struct survey_known *known; /* by node of the sweep */
	uint64_t seq;               /* of the last line before the survey */
	struct survey_item **held; /* results by target, to be shown in order; NULL: they are shown at once */
	bool *ended;               /* by target, if results are held */
	unsigned long earlier;     /* number of lines shown before the survey */
	size_t shown;              /* number of targets from the first on that have ended and been shown */
	bool extended;             /* PortCountersExtended, which not every node has */
	uint8_t *fec;              /* enum layout_fec by port of the scope; NULL: not needed */
	bool aside;                /* this survey reads what another one needs, and shows nothing */
	bool reads_fec;            /* ... the FEC modes */
	bool names_checked;        /* --filter etc. were also checked against the layout with RS-FEC */
	int names;                 /* status of that check */
	bool clears;
	bool tables;                 /* the results are rows, of silent ports too */
	struct madkit_grid *errors;  /* --errors as text; NULL: not */
	struct survey_delta *delta;  /* differences are shown; NULL: the responses */
	struct survey_rows *rows;    /* ... as rows; NULL: as JSON or as blocks of text */
	struct madkit_buf unwritten; /* cleared ports whose line may not be written yet, each with a NUL */
	bool gone;                   /* the device is gone */
	bool full;                   /* memory ran out */
};

/* Returns the route of the port at this index of the scope: 1 for the route back of --both. */
unsigned int survey_part(const struct scope *scope, size_t at);

/* Checks if -m fits the request, and is given if the request needs it. Returns EXIT_DONE or EXIT_USAGE. */
int survey_blocks_read(const struct cli_options *options, const struct request *request,
		       struct survey_blocks *blocks);

/* Writes the name of a node, or its GUID if the name is not known. Returns true if it is known. */
bool survey_name(const struct madkit_sweep *sweep, uint32_t node, char name[SURVEY_NAME_BYTES]);
/* Writes what a result is about, for messages: "leaf1 port 3". Returns about. */
const char *survey_about(const struct survey *survey, const struct madkit_survey_result *result,
			 char about[SURVEY_ABOUT_BYTES]);
/* Initialises the request of a result. */
void survey_request(const struct survey *survey, const struct madkit_survey_result *result,
		    char about[SURVEY_ABOUT_BYTES], struct request *request);

/* Chooses the layout of the counters of a port, if it depends on the port. context: the survey. Returns why it is not
 * known, or NULL. */
const char *survey_check(void *context, struct madkit_survey_result *result);
/* Takes a result. context: the survey. Returns what the survey of the library does next. */
unsigned int survey_take_result(void *context, struct madkit_survey_result *result);

/* Shows a result with its node and port. */
void survey_show(struct survey *survey, struct survey_item *item);
/* Returns the grid of --errors, or NULL if memory ran out. */
struct madkit_grid *survey_errors_new(const struct madkit_terminal *terminal);
/* Checks if a result is not shown, so that it need not be held. */
bool survey_is_dropped(const struct survey *survey, struct survey_item *item);
/* Shows held results up to the first target that has not ended, or all. */
void survey_release(struct survey *survey, bool all);
/* Shows the ports of the baseline that are gone. */
void survey_show_gone(struct survey *survey);
/* If the output failed, names the ports that were cleared without a line. */
void survey_tell_unwritten(const struct survey *survey);

#endif
