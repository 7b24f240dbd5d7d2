/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of all commands, and the modes in which each has an effect. */
#ifndef SRC_OPTION_TABLE_H
#define SRC_OPTION_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include "cli.h"

#define DIAG_CONFIG "/etc/infiniband-diags/ibdiag.conf"

enum value {
	VALUE_OWN,  /* take_own() knows */
	VALUE_FLAG, /* a bit of flags */
	VALUE_BOOL,
	VALUE_STRING,
	VALUE_NUMBER, /* size bytes at offset, min to max */
};

/* Where --help lists it. */
enum option_group { GROUP_OWN, GROUP_DESTINATION, GROUP_SENDING, GROUP_OUTPUT, GROUP_GENERAL };

struct option_def {
	int id;
	const char *name;
	const char *arg; /* NULL: takes none */
	const char *help;
	enum option_group group;
	unsigned int modes; /* MODE_...: in which it has an effect */
	enum value value;
	size_t offset;
	size_t size;
	size_t have; /* offset of a bool to set; 0: none */
	uint64_t min, max;
};

/* A mode of a command, and the option that selects it; 0: the mode without such an option. */
struct command_mode {
	const char *program;
	unsigned int mode;
	int option;
};

/* In these modes an option has an effect only if one of the others is given. */
struct option_need {
	int option;
	unsigned int modes;
	int with[2]; /* 0: no further one */
};

extern const struct option_def option_defs[];
extern const size_t n_option_defs;
extern const struct command_mode command_modes[];
extern const size_t n_command_modes;
/* What --help says of an option in the command that has one of these modes, instead of option_def.help. */
struct option_help {
	int option;
	unsigned int modes;
	const char *help;
};

extern const struct option_need option_needs[];
extern const size_t n_option_needs;
extern const struct option_help option_helps[];
extern const size_t n_option_helps;

/* A second name of an option: the one that it has in infiniband-diags. */
struct option_alias {
	const char *name;
	int id;
};

enum { OPTION_ALIASES = 2 };

extern const struct option_alias option_aliases[OPTION_ALIASES];

/* ---- option_diags.c -------------------------------------------------------- */

/* Whether a word, "--name" or "--name=VALUE", has this name; '_' and '-' are the same. */
bool option_name_is(const char *word, const char *name);

/* Whether infiniband-diags has an option that madkit does not have: "--name", "--name=VALUE" or "-x". */
bool option_is_diag(const char *word);

/* What to use instead of that option, "for smpquery -c use ...", for the first program that has it, for madsweep of those
 * that madsweep replaces; or that madkit has no counterpart. "" if no program has it. others: the other programs that have
 * it, "saquery, ibnetdiscover". Returns buf. */
const char *option_diag_text(const char *word, const char *command, char *buf, size_t size, char *others,
			     size_t others_size);

/* The same of a word among several options of a program that together are one command: "for perfquery -R -x use ...". ""
 * if they are not. Returns buf. */
const char *option_diag_combined(const char *word, char *const *words, size_t n, char *buf, size_t size);

/* ---- option_effect.c ------------------------------------------------------- */

const struct option_def *option_find(int id);

/* The option, of any command, that a word names: "--name", "--name=VALUE" or "-x". NULL: there is none. */
const struct option_def *option_named(const char *word);

/* All modes of a command. */
unsigned int option_modes(const char *program);

/* Sets options->mode by the options given, and refuses those without an effect in it. words: whether there is a METHOD.
 * EXIT_DONE or EXIT_USAGE. */
int option_check(const char *program, bool words, struct cli_options *options);

/* The same of the output format, once the values are known. */
int option_check_format(const struct cli_options *options);

/* Refuses an option that the command does not have, and names the commands that have it, or an option of this command
 * with a similar name. argv: the whole command line, whose other options may belong to it. EXIT_USAGE. */
int option_unknown(const char *program, const char *word, char **argv);

/* ---- help.c ---------------------------------------------------------------- */

/* What --help and --version print; their exit status. */
int print_help(const struct cli_usage *usage);
int print_version(const char *program);

#endif
