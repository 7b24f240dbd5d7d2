/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of madcheck: what to judge, the subnets, and the problems of all of them. */
#ifndef SRC_CHECK_H
#define SRC_CHECK_H

#include "madcheck_options.h"
#include "subnet/baseline.h"
#include "subnet/judge.h"

/* A subnet or, with --local, a port of this host and the port behind it. */
struct check_net {
	struct subnet net;
	struct judgement judged;
	int status;            /* EXIT_DONE, or why it could not be swept */
	bool skipped;          /* it is the subnet of another port */
	bool unchecked;        /* --local: an end was not judged, which was reported */
	struct check_own *own; /* of --local: a problem of the port itself; NULL: none */
};

/* A problem that no rule of the library finds. */
struct check_own {
	struct madkit_problem problem;
	char place[80], key[80], value[24], limit[24], text[160];
};

/* A problem, and its history. */
struct check_problem {
	const struct madkit_problem *problem;
	const struct check_net *net; /* NULL: it is closed, or about this host */
	uint8_t kind;                /* MADKIT_DIFFERENCE_...; 0: a rule is broken */
	bool accepted;
	uint8_t event;  /* MADKIT_PROBLEM_EVENT_... */
	char since[24]; /* "": not known */
	char seen[24];  /* --state: when it was found last; "": now */
};

struct plan;

struct check {
	const struct madcheck_options *options;
	struct madkit_health_settings settings;
	struct baseline *earlier; /* --since */
	bool keeps;               /* --state keeps readings of counters */
	uint32_t named;           /* rules that --rules names: a bit for each */
	uint8_t severity;         /* from which on problems are exit 6 */
	struct check_net *nets;
	size_t nnets;
	struct check_problem *problems; /* sorted by severity */
	size_t nproblems;
	unsigned int accepted, accepted_silent;
	struct plan *plan;        /* of --plan, or NULL */
	struct check_own *expect; /* --expect is not met; NULL: it is, or is not given */
	bool unjudged;            /* something was not judged: the status is not 0 */
	bool cut;                 /* a subnet was not read, or not to its end */
};

/* Returns "info", "warning" or "critical". */
const char *check_severity_name(uint8_t severity);

/* Reads --rules, --limits and --severity. Returns EXIT_DONE, or another exit status after a report. */
int settings_read(struct check *check);

/* Returns the time without errors after which a problem of a rule is over: 0 unless the rule compares readings. */
uint64_t settings_window_ms(const struct check *check, const char *rule);

/* Returns the longest such time of the rules that are judged. */
uint64_t settings_longest_ms(const struct check *check);

/* Checks if a rule is judged: one of the table, or one about this host. */
bool settings_judge(const struct check *check, const char *name);

/* Prints the rules with their limits. Returns the exit status. */
int settings_list(struct output *out);

#endif
