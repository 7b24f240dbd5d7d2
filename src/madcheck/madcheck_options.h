/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options that only madcheck has. */
#ifndef SRC_MADCHECK_OPTIONS_H
#define SRC_MADCHECK_OPTIONS_H

#include "subnet/subnet.h"

struct madcheck_options {
	struct cli_options shared;
	struct subnet_options subnet;
	const char *rules, *limits, *accept, *write_accept, *severity, *state, *expect, *plan, *names, *scope;
	const char *since;
	uint32_t window_ms; /* --for */
	bool nagios, all, lids;
};

/* Names the command for rising counters of this host, which --local does not compare. */
#define MADCHECK_LOCAL_HINT \
	"hint: for the port of a host: madpoll --delta -n 1 -i 3s Get PortCounters --assert '!any_error'"

/* Names the commands for registers of this host's ports, which --local does not read. */
#define MADCHECK_REGISTERS_HINT \
	"hint: for the port of a host: madsend Get BitErrors --assert 'SymbolBER<=1e-14', or madport"

/* Returns the options of this command, of which the shared ones are the beginning (struct option_table). */
static inline const struct madcheck_options *madcheck_options(const struct cli_options *options)
{
	return (const struct madcheck_options *)options;
}

#endif
