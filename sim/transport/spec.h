/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parser of the spec of a simulation: "sim:TOPOLOGY[@NODE][,OPTION=VALUE...]". */
#ifndef SIM_TRANSPORT_SPEC_H
#define SIM_TRANSPORT_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <madkit/error.h>
#include <madkit/port.h>
#include "sim/fabric/fabric.h"
#include "topology/topology.h"

enum { SIM_SPEC_FAULTS = 16, SIM_SPEC_CONTROLS = 64 };

struct sim_spec {
	char *text;           /* the other strings point into it */
	const char *topology; /* a file, or a rule of topology/generate.h */
	const char *node;     /* NULL: the first CA */
	const char *sm;       /* node of the subnet manager; NULL: find_manager() */
	bool no_sm;
	bool real; /* the clock is real, not virtual */
	uint64_t seed, training_ns, sweep_ns;
	bool have_sweep;
	struct fabric_vl15 vl15;
	const char *faults[SIM_SPEC_FAULTS]; /* in the format of fault_parse() */
	unsigned int nfaults;
	char *controls[SIM_SPEC_CONTROLS]; /* lines in the format of control_split() */
	unsigned int ncontrols;
};

/* 0; -EINVAL, with an error that names the word; -ENOMEM. */
int sim_spec_parse(const char *spec, struct sim_spec *parsed, struct madkit_error *error);
/* Reports an unknown option: text ends in an option such as ",foo=1", and is_whole() accepts the text before
 * it. Returns -EINVAL, or 0 if there is no such option. */
int sim_spec_unknown_option(const char *text, bool (*is_whole)(const char *text, const void *context),
			    const void *context, struct madkit_error *error);

void sim_spec_free(struct sim_spec *parsed);

/*
 * sim_spec_split - find where PATH ends in "PATH[@NODE]"
 * @text:  a path, optionally with "@" and the words for a node; both may contain "@" themselves
 * @type:  the type of file that PATH names (S_IFSOCK), or 0 for anything but a directory
 * @len:   receives the length of PATH; text[*len] is "@" or the end of text
 *
 * PATH is the whole text, or the text before an "@", whichever names an existing file. If neither does, PATH
 * ends at the last "@", unless a "/" follows it.
 *
 * Return: 0; -EINVAL if several splits name a file (error names two of the files); -ENOMEM.
 */
int sim_spec_split(const char *text, mode_t type, size_t *len, struct madkit_error *error);

/* Reads the topology from a file, or generates it by a rule. 0; -ENOENT, -EACCES, -EIO: the file cannot be
 * read; -EINTR, -ETIMEDOUT: the limit; -EBADMSG: the file has an error, reported with line and column;
 * -EINVAL: an error in the rule, or an unknown option; -ENOMEM. */
int sim_topology(const char *name, const struct madkit_limit *limit, struct topology **topology,
		 struct madkit_error *error);

#endif
