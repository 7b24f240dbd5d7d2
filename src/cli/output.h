/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Results on standard output, in whole lines; and captures. */
#ifndef SRC_OUTPUT_H
#define SRC_OUTPUT_H

#include "assertion.h"
#include "cli.h"
#include "json_object.h"

struct output {
	enum cli_format format;
	struct madkit_format how;
	struct madkit_expr *filter;
	struct assertion assertion;
	struct madkit_projection *fields;
	struct madkit_buf buf;      /* not yet written */
	struct madkit_table *table; /* of -f table */
	bool sweeps;                /* madsweep: it is not a failure if nothing passes the filter */
	bool holds;                 /* rows of the table, until the end: no one waits for the next result */
	struct madkit_buf capture;
	int capture_fd;                      /* -1: none */
	const struct madkit_port_info *port; /* of what is snooped ... */
	unsigned int ports;                  /* ... where that is one alone */
	struct madkit_addr near;             /* its address; the GID at gid_index */
	bool have_gid;
	const char *capture_path;
	int debug;
	unsigned long shown;                      /* records and messages */
	bool judged;                              /* anything by the expressions */
	const struct madkit_attribute *explained; /* the filter is possible for it, or not */
	bool impossible;                          /* ... not, and the reason was printed */
	uint64_t looked_ns;                       /* when the reader was looked for last */
	int status;                               /* of writing: EXIT_DONE so far, or ... */
};

/* Reads the expressions. 0 or an exit status, told already. Close it in either
 * case. */
int output_open(struct output *out, const struct cli_options *options);

/* Begins the capture file, if one is asked for: not before all that was asked
 * for is known to be right, because what the file held is gone then. Files that the
 * command reads have to be noted before (input.h): none of them may be the same file.
 * 0 or an exit status, told already. */
int output_capture(struct output *out);

/* Frees all; what is still there is not written. */
void output_close(struct output *out);

/* Says what is wrong with an option's expression, and where. EXIT_USAGE. */
int output_expression_error(const char *option, const char *text, const struct madkit_error *error);

/* Reports that an expression cannot be used with the attribute, and suggests a name if it has an unknown one. EXIT_USAGE. */
int output_name_error(const char *option, const struct madkit_attribute *attribute,
		      const struct madkit_error *error);

/* Checks the names in the expressions against what will be shown. 0 or
 * EXIT_USAGE. */
/* What is wrong with a table for which madkit_message_complete() returned -EBADMSG. */
enum { OUTPUT_RAGGED_MAX = 96 };
const char *output_ragged(unsigned int got, unsigned int total, char buf[OUTPUT_RAGGED_MAX]);

int output_check(const struct output *out, const struct madkit_attribute *attribute);

/* Shows a message that has been judged, whatever its filter, in JSON or as a row of a table. */
void output_line(struct output *out, const struct madkit_message *message);

/* Shows a message, if it passes the filter. How many lines or messages that
 * were (0 too when nothing can be written any more). */
int output_message(struct output *out, const struct madkit_message *message);

/* Whether a message that is shown otherwise passes the filter; it is held against
 * the assertion then, and counts as shown. */
bool output_judge(struct output *out, const struct madkit_message *message);

/* Whether a record that is shown otherwise passes the filter; if it does, it counts as shown. The assertion is the
 * caller's. */
bool output_pass_record(struct output *out, const struct madkit_record *record);

/* Whether a record that is shown otherwise passes the filter; if it does, it is checked
 * against the assertion and counts as shown. */
bool output_judge_record(struct output *out, const struct madkit_record *record);

/* The same of an event of our own that is a result; in JSON it is shown. Filter,
 * assertion and projection see its envelope. */
bool output_event(struct output *out, const struct madkit_message *message);

/* Adds a line of JSON for a message with data of our own (kinds event, error and summary; data_json is
 * json_end()'s), whatever the filter. --fields applies; the data is shown whole if a field of the data
 * is selected. Other formats do not have such lines. */
void output_object(struct output *out, const struct madkit_message *message);

/*
 * Writes lines of text in which a terminal obeys nothing but newlines and tabs: whatever device names, node
 * descriptions and files put into them, it is escaped here. 0 or wait_write()'s errors, -ENOMEM.
 */
int output_write_text(int fd, const char *text, size_t len);

/* Writes what is there to standard output. EXIT_DONE, EXIT_LOCAL (told), or
 * 128 + SIGPIPE where nobody reads any more. It stays so. */
int output_flush(struct output *out);

/*
 * Before a wait: whether nothing more can be written, as output_flush() says it. Also looks whether the reader of standard
 * output is gone, so that a command which waits does not keep what others need until its next line. Every CLI_SLICE_MS is
 * enough; more often costs nothing.
 */
int output_over(struct output *out);

/* Adds the rows that the table holds, before other lines. */
void output_rows(struct output *out);

/* The same, but writes the results to the regular file fd. */
int output_move(struct output *out, int fd);

/* The last word: writes what is there, and makes of the command's status so far
 * the one to exit with: an assertion that did not hold of everything shown and
 * a filter that nothing passed are EXIT_NOTHING (told), where there was anything
 * to hold them against. */
int output_finish(struct output *out, int status);

/* A handler for madkit_snoop_register(): captures and -d. context: the output. */
void output_snoop(void *context, const struct madkit_snooped *snooped);

/* "Name:....... text": a line of text output, escaped for a terminal. */
void text_line(struct madkit_buf *buf, const char *label, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
