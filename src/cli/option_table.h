/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of all commands, and the modes in which each has an effect. */
#ifndef SRC_OPTION_TABLE_H
#define SRC_OPTION_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include "cli.h"

#define DIAG_CONFIG "/etc/infiniband-diags/ibdiag.conf"

enum value {
	VALUE_OWN,  /* handled by take_own() */
	VALUE_FLAG, /* a bit of cli_options.flags */
	VALUE_BOOL,
	VALUE_STRING,
	VALUE_NUMBER, /* an integer of size bytes at offset, from min to max */
};

/* The section of --help that lists the option. */
enum option_group { GROUP_OWN, GROUP_DESTINATION, GROUP_SENDING, GROUP_OUTPUT, GROUP_GENERAL };

struct option_def {
	int id;
	const char *name;
	const char *arg; /* NULL: no argument */
	const char *help;
	enum option_group group;
	unsigned int modes; /* the MODE_... in which it has an effect */
	enum value value;
	size_t offset;
	size_t size;
	size_t have; /* offset of a bool to set; 0: none */
	uint64_t min, max;
};

/* A mode of a command, and the option that selects it; 0: the default mode. */
struct command_mode {
	const char *program;
	unsigned int mode;
	int option;
};

/* In these modes, the option has an effect only if one of the options in with is given. */
struct option_need {
	int option;
	unsigned int modes;
	int with[2]; /* 0: none */
};

extern const struct option_def option_defs[];
extern const size_t n_option_defs;
extern const struct command_mode command_modes[];
extern const size_t n_command_modes;
/* Help text of an option in a command that has one of these modes; replaces option_def.help. */
struct option_help {
	int option;
	unsigned int modes;
	const char *help;
};

extern const struct option_need option_needs[];
extern const size_t n_option_needs;
extern const struct option_help option_helps[];
extern const size_t n_option_helps;

/* A second name of an option: its name in infiniband-diags. */
struct option_alias {
	const char *name;
	int id;
};

enum { OPTION_ALIASES = 2 };

extern const struct option_alias option_aliases[OPTION_ALIASES];

/* ---- option_diags.c -------------------------------------------------------- */

/* Checks if a word, "--name" or "--name=VALUE", has this name. '_' and '-' are equivalent. */
bool option_name_is(const char *word, const char *name);

/* Checks if infiniband-diags has an option that madkit does not have: "--name", "--name=VALUE" or "-x". */
bool option_is_diag(const char *word);

/* Writes the replacement of such an option to buf, "for smpquery -c use ...", or that madkit has no
 * counterpart; "" if no program has the option. The first program that has it is used, for madsweep the first
 * that madsweep replaces. others receives the other programs that have it, "saquery, ibnetdiscover". Returns
 * buf. */
const char *option_diag_text(const char *word, const char *command, char *buf, size_t size, char *others,
			     size_t others_size);

/* As option_diag_text(), for a word that is one of several options of a program which one command replaces
 * together: "for perfquery -R -x use ..."; "" if no command does. Returns buf. */
const char *option_diag_combined(const char *word, char *const *words, size_t n, char *buf, size_t size);

/* ---- option_effect.c ------------------------------------------------------- */

/* Returns NULL if there is no such option. */
const struct option_def *option_find(int id);

/* Returns the option, of any command, that a word names: "--name", "--name=VALUE" or "-x". NULL: there is
 * none. */
const struct option_def *option_named(const char *word);

/* Returns all modes of a command. */
unsigned int option_modes(const char *program);

/* Sets options->mode according to the options given, and rejects those without an effect in that mode. words:
 * the command line has a METHOD. Returns EXIT_DONE or EXIT_USAGE. */
int option_check(const char *program, bool words, struct cli_options *options);

/* Rejects options without an effect in the output format; called when the values are known. Returns EXIT_DONE
 * or EXIT_USAGE. */
int option_check_format(const struct cli_options *options);

/* Rejects an option that the command does not have. Names the commands that have it, a replacement, or an
 * option of this command with a similar name. argv: the whole command line, because a replacement may depend
 * on its other options. Returns EXIT_USAGE. */
int option_unknown(const char *program, const char *word, char **argv);

/* ---- help.c ---------------------------------------------------------------- */

/* Print the text of --help and of --version. Return the exit status. */
int print_help(const struct cli_usage *usage);
int print_version(const char *program);

#endif
