/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an option of the command line is, and the one table of them. */
#ifndef SRC_OPTION_TABLE_H
#define SRC_OPTION_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include "cli.h"

#define DIAG_CONFIG "/etc/infiniband-diags/ibdiag.conf"

enum value {
	VALUE_OWN,	/* take_own() knows */
	VALUE_FLAG,	/* a bit of flags */
	VALUE_BOOL,
	VALUE_STRING,
	VALUE_NUMBER,	/* size bytes at offset, min to max */
};

struct option_def {
	int id;
	const char *name;
	const char *arg;	/* NULL: takes none */
	const char *help;
	unsigned int sets;
	enum value value;
	size_t offset;
	size_t size;
	size_t have;		/* offset of a bool to set; 0: none */
	uint64_t min, max;
};

/* At least as many as there are options. */
#define OPTION_DEFS_MAX 96

extern const struct option_def option_defs[];
extern const size_t n_option_defs;

/* What --help and --version print; their exit status. */
int print_help(const struct cli_usage *usage);
int print_version(const char *program);

#endif
