/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Definitions that the commands share: options, messages, exit statuses, signals. */
#ifndef SRC_CLI_H
#define SRC_CLI_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <madkit/madkit.h>
#include "destination.h"

/* Exit statuses. A listener that was stopped by a signal exits with 128 + the signal's number. */
enum {
	EXIT_DONE = 0,
	EXIT_LOCAL = 1, /* device, permission, input or output */
	EXIT_USAGE = 2,
	EXIT_TIMEOUT = 3,      /* no response in time */
	EXIT_STATUS = 4,       /* the MAD has a non-zero status */
	EXIT_MALFORMED = 5,    /* a response or input is malformed or cut short */
	EXIT_NOTHING = 6,      /* nothing to show, or a condition is not met */
	EXIT_CANNOT_RUN = 126, /* COMMAND cannot be run, as in sh */
	EXIT_NOT_FOUND = 127,
	EXIT_SIGNAL = 128,
};

/* Returns the exit status of a batch: the first of 1, 5, 3, 4, 6 that is a or b, else the larger one. */
int exit_worst(int a, int b);

/* ---- options --------------------------------------------------------------- */

/* Modes of the commands. The table of a command (options.h) says in which an option has an effect. */
enum {
	MODE_SEND = 1 << 0, /* madsend */
	MODE_BATCH = 1 << 1,
	MODE_DESCRIBE = 1 << 2,
	MODE_LISTEN = 1 << 3, /* madrecv */
	MODE_SUBSCRIBE = 1 << 4,
	MODE_SNOOP = 1 << 5,
	MODE_READ = 1 << 6,
	MODE_AWAIT = 1 << 7, /* madpoll */
	MODE_UNTIL = 1 << 8,
	MODE_DELTA = 1 << 9,
	MODE_REGISTER = 1 << 10, /* madreg */
	MODE_LIST = 1 << 11,
	MODE_SERVE = 1 << 12, /* madsim */
	MODE_CONTROL = 1 << 13,
	MODE_GENERATE = 1 << 14,
	MODE_SWEEP = 1 << 15, /* madsweep */
	MODE_CLEAR = 1 << 16,
	MODE_TOPOLOGY = 1 << 17,
	MODE_CHECK = 1 << 18, /* madcheck */
	MODE_CHECK_LOCAL = 1 << 19,
	MODE_RULES = 1 << 20,
	MODE_PORT = 1 << 21,      /* madport */
	MODE_WATCH = 1 << 22,     /* madwatch */
	MODE_REGISTERS = 1 << 23, /* madreg */
};

/* CSV is a table whose struct madkit_table writes CSV: cli_options.output.csv. */
enum cli_format {
	FORMAT_TEXT,
	FORMAT_TABLE,
	FORMAT_JSON,
	FORMAT_HEX,
	FORMAT_RAW,
	FORMAT_DOT,
	FORMAT_PROMETHEUS
};

/* On a terminal, unless NO_COLOR, CLICOLOR_FORCE or CLICOLOR decide. */
enum cli_color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

enum cli_rmpp { RMPP_DEFAULT, RMPP_KERNEL, RMPP_USER, RMPP_NONE };

/* At least the number of rows of each table. */
#define OPTION_ROWS_MAX 80

#define CLI_DEVICES_MAX 16
#define CLI_BUFFERS_MAX 8
#define NS_PER_MS       UINT64_C(1000000)

/* Values of the options that commands share. Strings belong to argv or to the configuration. */

/* The port of this host, or the ports. */
struct port_options {
	const char *devices[CLI_DEVICES_MAX];
	size_t ndevices;
	const char *ca;
	unsigned int number; /* 0: not given */
	/* from the environment and the configuration; used if a device is needed and none is given */
	const char *default_device, *default_ca;
	unsigned int default_number;
};

/* How long and how often requests are sent, and MADs are awaited. */
struct timing_options {
	uint32_t timeout_ms;
	uint32_t retries;
	uint32_t redirects;  /* maximum number of redirections to follow */
	int64_t deadline_ms; /* -1: no deadline */
	uint64_t count;
	uint32_t interval_ms;
	uint32_t window; /* outstanding requests at most */
	uint32_t rate;   /* MADs per second at most; 0: no limit */
	bool have_timeout, have_count, have_interval, have_window;
};

/* The subnet manager, and keys. */
struct manager_options {
	uint32_t sm_lid; /* 0: that of the port */
	uint64_t m_key, sm_key;
	bool have_m_key, have_sm_key;
	const char *m_keys_path; /* --m-key @PATH of the commands that sweep */
	uint64_t v_key;          /* of class Mlnx */
	bool have_v_key;
	const char *v_keys_path; /* as m_keys_path */
};

/* Names of nodes in the output. */
struct name_options {
	const char *map_path; /* --node-name-map */
	bool wanted;          /* --names: also from the SA */
};

/* The class of a request or of a registration. */
struct class_options {
	bool given;
	uint8_t id;
	uint8_t version;
	bool have_version;
	bool have_oui;
	uint32_t oui;
	enum cli_rmpp rmpp;
	const char *methods;
};

/* The content of a request, in addition to its words. */
struct request_options {
	uint32_t modifier;
	const char *modifiers; /* -m with a list (modifiers.h); NULL: one request, with modifier */
	bool have_comp_mask;
	uint64_t comp_mask;
	bool no_response, dry_run, merge, zero_rest, locate;
	const char *until; /* the request is repeated until this expression holds */
};

/* The buffers of a listener: ascending sizes in bytes. */
struct buffer_options {
	uint32_t sizes[CLI_BUFFERS_MAX];
	size_t n;
	bool needed; /* then try the size that the message needs */
};

struct output_options {
	enum cli_format format;
	bool json, pretty, csv;
	const char *write_path;
	const char *filter, *assert_, *fields;
	bool show_keys;
	int debug;
	bool verbose;
	bool quiet;
	bool banner; /* a line when ready */
	enum cli_color color;
};

/* The options that commands share. If a command has others, its struct begins with this one. */
struct cli_options {
	unsigned int mode; /* one MODE_... */
	const struct option_table *table;
	bool given[OPTION_ROWS_MAX]; /* index: as in the table */
	struct port_options port;
	struct destination to;
	struct timing_options timing;
	struct manager_options manager;
	struct name_options names;
	struct class_options class;
	struct request_options request;
	struct buffer_options buffers;
	struct output_options output;
	const char *config_path, *read_path;
};

/* Checks if the option is on the command line. */
bool cli_given(const struct cli_options *o, const char *name);

/* Checks if the form of the command has the option. */
bool cli_accepts(const struct cli_options *o, const char *name);

/* Rejects the option, if it is given, with the reason why it has no effect. Returns EXIT_DONE or
 * EXIT_USAGE. */
int cli_refuse(const struct cli_options *o, const char *name, const char *why, ...)
	__attribute__((format(printf, 3, 4)));

/* Rejects the option, if it is given without the other one. Returns EXIT_DONE or EXIT_USAGE. */
int cli_refuse_without(const struct cli_options *o, const char *name, const char *other);

struct cli_words;
struct option_table;

struct cli_usage {
	const char *program;
	const char *const *synopsis; /* lines after the program's name; ends with NULL */
	const char *text;            /* a paragraph or two for --help */
	const char *statuses;        /* the exit statuses, for --help; NULL: those of most commands */
	const struct option_table *options;
	const char *words_refused; /* why the form without a selecting option has no words; NULL: it may */
	/* Returns the first word of a COMMAND that has no "--" before it; NULL: there is none. The function is
	 * NULL if the command runs none. */
	const char *(*command)(const struct cli_options *options, const struct cli_words *words);
	/* Checks options and words against each other, before a key is read or anything is done. Returns 0 or
	 * EXIT_USAGE. NULL: there is nothing to check. */
	int (*check)(const struct cli_options *options, const struct cli_words *words);
	/* Returns the exit status of the program in place of status, also after errors in the command line. NULL:
	 * it is status. */
	int (*outcome)(char **argv, int status);
};

/* The words of the command line that are not options. */
struct cli_words {
	char **words; /* pointers into argv; the caller frees the array */
	int nwords;
	char **command;       /* the words after "--", NULL-terminated, or NULL */
	bool command_missing; /* "--" is the last word */
};

/*
 * Sets the process up as cli_begin() does, and reads the configuration and the command line.
 *
 * options is the beginning of the options of the command, which are zero (struct option_table).
 *
 * Return: 0, or -1 if the program has to exit with *status: after --help, after --version, or after an error,
 * which has been reported. The caller frees words->words in either case.
 */
int cli_parse(const struct cli_usage *usage, int argc, char **argv, struct cli_options *options,
	      struct cli_words *words, int *status);

/* Returns the device, "umad:CA/PORT", that the options, the environment or the configuration select; NULL:
 * the default port. buf holds the result if it is composed of a CA and a port. */
enum { CLI_DEVICE_MAX = 128 };
const char *cli_device(const struct cli_options *options, char buf[CLI_DEVICE_MAX]);

/* Sets the process up: the name in messages, descriptors 0 to 2 open, handlers for the stop signals (see
 * cli_stopped()). cli_parse() calls it. */
void cli_begin(const char *name);

/* ---- messages -------------------------------------------------------------- */

/* Prints one line on standard error, "madsend: ...", with control characters escaped. Prints nothing with
 * -q. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns the last message, except hints, without the name of the program, even if it was not printed; "": none. */
const char *cli_last_message(void);

/* Messages begin with their priority from now on: "<5>", as the journal expects (service.h). */
void cli_set_journal(void);

/* -q: cli_say() prints nothing from now on. */
void cli_set_quiet(void);

/* As cli_say(), but also with -q: for the reason of exit status 1, or for output that an option requested.
 * Returns EXIT_LOCAL. */
int cli_insist(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* As cli_insist(), with a reference to the manual page, which explains more than --help. Returns
 * EXIT_USAGE. */
int cli_usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* As cli_usage_error(), with a reference to another page, such as "madkit-sim(7)". */
int cli_usage_error_in(const char *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Rejects an --oui of more than 24 bits. Returns EXIT_DONE or EXIT_USAGE. */
int cli_check_oui(const struct cli_options *options);

/* Returns the exit status for the -errno of a library function or of wait.h. */
int cli_status_of(int error);

/* Reports a failure with its reason, unless a stop signal is the reason; -ETIMEDOUT means that the deadline
 * has passed. Returns the exit status. */
int cli_failed(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reports that memory ran out. Returns EXIT_LOCAL. */
int cli_no_memory(void);

/* ---- signals --------------------------------------------------------------- */

/* Returns the first stop signal, or 0. A stop signal ends every call of wait.h and every wait of the library
 * (-EINTR). If a preloaded simulator hides the interruption, the signal is noticed after CLI_SLICE_MS. */
#define CLI_SLICE_MS 200
int cli_stopped(void);
/* Returns 128 + the number of the stop signal. */
int cli_stopped_status(void);

/* Begins the clean-up at the end: calls are no longer interrupted, and a further stop signal ends the
 * program. */
void cli_clean_up(void);

/* ---- small things ---------------------------------------------------------- */

/* Runs command and returns its exit status as sh does: 126, 127, 128 + N. input becomes the command's
 * standard input, unless it is negative. Stop signals are passed on to the command and do not stop this
 * program; if one arrived earlier, the command is not run. */
int cli_run(char **command, int input);
/* As cli_run(), for a command that depends on a child of this process (server). If the server ends first, the
 * command is sent SIGTERM after one second, and SIGKILL after five more. */
int cli_run_served(char **command, int input, pid_t server);

/* Prompts for a key on the terminal, without echo. what: the name of the key. Returns 0 or -errno. */
int cli_prompt_key(const char *what, uint64_t *key, struct madkit_error *error);

/* Returns 0 to 15, or -1 if c is not a hex digit. */
int cli_hex_digit(char c);
/* Appends bytes as two hex digits each. */
void cli_put_hex(struct madkit_buf *buf, const void *bytes, size_t len);

#endif
