/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which simulation a spec means: "sim:TOPOLOGY[@NODE][,OPTION=VALUE...]". */
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
	char *text;           /* what the others point into */
	const char *topology; /* a file, or a rule of topology/generate.h */
	const char *node;     /* NULL: the first CA */
	const char *sm;       /* where the subnet manager is; NULL: find_manager() */
	bool no_sm;
	bool real; /* the clock */
	uint64_t seed, training_ns, sweep_ns;
	bool have_sweep;
	struct fabric_vl15 vl15;
	const char *faults[SIM_SPEC_FAULTS]; /* as fault_parse() takes them */
	unsigned int nfaults;
	char *controls[SIM_SPEC_CONTROLS]; /* lines, as control_split() takes them */
	unsigned int ncontrols;
};

/* 0; -EINVAL with error naming the word; -ENOMEM. */
int sim_spec_parse(const char *spec, struct sim_spec *parsed, struct madkit_error *error);
/* Reports an unknown option: a last word of text, such as ",foo=1", without which text is whole. Returns 0 if
 * there is no such word. */
int sim_spec_unknown_option(const char *text, bool (*is_whole)(const char *text, const void *context),
			    const void *context, struct madkit_error *error);

void sim_spec_free(struct sim_spec *parsed);

/*
 * sim_spec_split - find where PATH ends in "PATH[@NODE]"
 * @text:  a path, an "@" and words for a node; both may contain "@" themselves
 * @type:  the type of file that PATH names (S_IFSOCK), or 0 for any but a directory
 * @len:   receives the length of PATH; text[*len] is "@" or the end of text
 *
 * PATH ends at the "@" before which it names an existing file; it is the whole text if that
 * names one. If no such file exists, PATH ends at the last "@", unless a "/" follows.
 *
 * Return: 0; -EINVAL if several splits name a file, of which error names two; -ENOMEM.
 */
int sim_spec_split(const char *text, mode_t type, size_t *len, struct madkit_error *error);

/* Reads the file, or goes by the rule. 0; -ENOENT, -EACCES, -EIO the file cannot be read;
 * -EBADMSG it has an error, told with line and column; -EINVAL the rule has one; -ENOMEM. */
int sim_topology(const char *name, const struct madkit_limit *limit, struct topology **topology,
		 struct madkit_error *error);

#endif
