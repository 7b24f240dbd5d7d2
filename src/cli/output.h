/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Results on standard output, in whole lines; and captures. */
#ifndef SRC_OUTPUT_H
#define SRC_OUTPUT_H

#include "assertion.h"
#include "cli.h"
#include <madkit/grid.h>
#include <madkit/writer.h>

struct output {
	enum cli_format format;
	struct madkit_format how;
	struct madkit_expr *filter;
	struct assertion assertion;
	struct madkit_projection *fields;
	struct madkit_buf buf;      /* not yet written */
	struct madkit_table *table; /* for -f table */
	bool escaped;               /* text needs no escapes: it was written with them */
	struct madkit_terminal
		terminal; /* how text and tables are shown; grids of the command are made with it */
	bool sweeps;      /* madsweep: an empty result is not a failure */
	bool holds;       /* keep table rows until the end: no reader waits for single results */
	struct madkit_buf capture;
	int capture_fd;                      /* -1: none */
	const struct madkit_port_info *port; /* the last port that was opened */
	unsigned int ports;                  /* number of open ports; port is used only if this is 1 */
	struct madkit_addr near;             /* address of port; its GID is that at near.gid_index */
	bool have_gid;
	const char *capture_path;
	int debug;
	unsigned long shown;                      /* number of records and messages */
	bool judged;                              /* the expressions have been applied at least once */
	const struct madkit_attribute *explained; /* explain_filter() has checked the filter for it */
	bool impossible;                          /* the filter can never match; the reason was printed */
	uint64_t looked_ns;                       /* when the reader was last checked */
	int status;                               /* EXIT_DONE, or the status of a write that failed */
};

/* Parses the expressions. Returns 0, or an exit status after a message. Call output_close() in either
 * case. */
int output_open(struct output *out, const struct cli_options *options);

/* Shows results as rows of a new table, as with -f table: fields: the columns; NULL: the attribute chooses them. On a
 * terminal, names are cut to its width. Returns 0, or an exit status after a message. */
int output_table(struct output *out, const struct cli_options *options, const char *fields);

/* Creates the capture file, if one is requested. Call it only when the rest of the request is known to be
 * valid, because the previous content of the file is lost. Files that the command reads have to be noted
 * before (input.h): the capture must not be one of them. Returns 0, or an exit status after a message. */
int output_capture(struct output *out);

/* Frees everything; output that has not been written is discarded. */
void output_close(struct output *out);

/* Reports an error in the expression of an option, and its position. Returns EXIT_USAGE. */
int output_expression_error(const char *option, const char *text, const struct madkit_error *error);

/* Reports that an expression cannot be used with the attribute, and suggests a name if the expression has an
 * unknown one. Returns EXIT_USAGE. */
int output_name_error(const char *option, const struct madkit_attribute *attribute,
		      const struct madkit_error *error);

/* Describes a table for which madkit_message_complete() returned -EBADMSG. Returns buf. */
enum { OUTPUT_RAGGED_MAX = 96 };
const char *output_ragged(unsigned int got, unsigned int total, char buf[OUTPUT_RAGGED_MAX]);

/* Checks the names in the expressions against the attribute that will be shown. Returns 0 or EXIT_USAGE. */
int output_check(const struct output *out, const struct madkit_attribute *attribute);
/* As output_check(), for lines of one or the other attribute; other NULL: only of the first one. */
int output_check_either(const struct output *out, const struct madkit_attribute *attribute,
			const struct madkit_attribute *other);

/* Shows a message that has been checked, in JSON or as a row of a table. The filter is not applied. */
void output_line(struct output *out, const struct madkit_message *message);

/* Shows a message if it passes the filter. Returns the number of lines or messages shown; 0 also if nothing
 * more can be written. */
int output_message(struct output *out, const struct madkit_message *message);

/* Checks if a message that the caller shows passes the filter. If it does, it is checked against the
 * assertion and counts as shown. */
bool output_judge(struct output *out, const struct madkit_message *message);

/* Checks if a record that the caller shows passes the filter; if it does, it counts as shown. The caller
 * checks the assertion. */
bool output_pass_record(struct output *out, const struct madkit_record *record);

/* Checks if a record that the caller shows passes the filter; if it does, it is checked against the assertion
 * and counts as shown. */
bool output_judge_record(struct output *out, const struct madkit_record *record);

/* As output_judge(), for an event of the command that is a result; in JSON, it is also shown. Filter,
 * assertion and projection see its envelope. */
bool output_event(struct output *out, const struct madkit_message *message);

/* Writes "error": the data of a line of kind error. context: the reason, a string. */
void output_write_error(const void *context, struct madkit_writer *writer);

/* Adds a line of JSON for a message with data of the command (kinds event, error and summary). The filter is
 * not applied. --fields applies; if it selects a field of the data, the whole data is shown. Other formats do
 * not have such lines. */
void output_object(struct output *out, const struct madkit_message *message);

/*
 * Writes lines of text. Only newlines, tabs and, if the terminal has colours, the sequences of madkit_color() reach it
 * as they are: other control characters from device names, node descriptions and files are escaped. terminal: NULL: a
 * file. Returns 0, an error of wait_write(), or -ENOMEM.
 */
int output_write_text(int fd, const char *text, size_t len, const struct madkit_terminal *terminal);

/* Writes the buffered output to standard output. Returns EXIT_DONE, 128 + SIGPIPE if the reader is gone, or
 * another exit status after a message. A failure is permanent. */
int output_flush(struct output *out);

/*
 * Call it before a wait. Returns the status of output_flush() if nothing more can be written, else EXIT_DONE.
 * Also checks if the reader of standard output is gone, so that a command that waits does not keep resources
 * that others need until its next line. Every CLI_SLICE_MS is enough; more often costs nothing.
 */
int output_over(struct output *out);

/* Adds the rows that the table holds, so that other lines can follow them. */
void output_rows(struct output *out);

/* As output_flush(), but writes the results to the regular file fd. */
int output_move(struct output *out, int fd);

/* Writes the rest of the output, and returns the exit status that follows from the command's status so far.
 * If anything was checked, an assertion that did not hold for everything shown and a filter that nothing
 * passed are EXIT_NOTHING (reported). */
int output_finish(struct output *out, int status);

/* Handler for madkit_snoop_register(): captures, and -d. context: the output. */
void output_snoop(void *context, const struct madkit_snooped *snooped);

/* Appends a line of text output, "Name:....... text", escaped for a terminal. */
void text_line(struct madkit_buf *buf, const char *label, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
