/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE /* F_SETPIPE_SZ */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "output.h"
#include "suggest.h"
#include "progress.h"
#include "terminal.h"
#include "wait.h"

int output_expression_error(const char *option, const char *text, const struct madkit_error *error)
{
	if (error->position < 0)
		return cli_usage_error("%s '%s': %s", option, text, error->text);
	return cli_usage_error("%s '%s': character %d: %s", option, text, error->position + 1, error->text);
}

/* The largest size that an unprivileged process may set by default. */
#define PIPE_BYTES (1 << 20)

int output_table(struct output *out, const struct cli_options *o, const char *fields)
{
	madkit_table_free(out->table);
	out->format = FORMAT_TABLE;
	out->table = madkit_table_new(fields);
	if (!out->table)
		return cli_no_memory();
	if (o->output.csv)
		madkit_table_as_csv(out->table);
	else
		madkit_table_set_terminal(out->table, &out->terminal);
	out->escaped = o->output.csv; /* its lines end with CR LF */
	return EXIT_DONE;
}

int output_open(struct output *out, const struct cli_options *o)
{
	struct madkit_error error = { .text = "" };

	memset(out, 0, sizeof(*out));
	out->format = o->output.format;
	out->holds = (o->mode == MODE_SEND && !o->timing.have_count) || o->mode == MODE_SWEEP ||
		     (o->mode == MODE_READ && strcmp(o->read_path, "-") != 0);
	out->terminal = terminal_get(cli_accepts(o, "color") ? o->output.color : COLOR_NEVER);
	out->capture_fd = -1;
	out->debug = o->output.debug;
	madkit_buf_init(&out->buf, 0);
	madkit_buf_init(&out->capture, 0);
	if (o->output.filter && madkit_expr_new(o->output.filter, &out->filter, &error))
		return output_expression_error("--filter", o->output.filter, &error);
	if (o->output.assert_ && madkit_expr_new(o->output.assert_, &out->assertion.expr, &error))
		return output_expression_error("--assert", o->output.assert_, &error);
	if (o->output.fields && madkit_projection_new(o->output.fields, &out->fields, &error))
		return output_expression_error("--fields", o->output.fields, &error);
	out->how = (struct madkit_format){
		.show_keys = o->output.show_keys,
		.pretty = o->output.pretty,
		.verbose = o->output.verbose,
		.fields = out->fields,
		.filter = out->filter,
		.plans = madkit_plans_new(), /* optional: formatting also works without plans */
	};
	if (out->format == FORMAT_TABLE && output_table(out, o, o->output.fields))
		return EXIT_LOCAL;
	/* with a pipe of the usual 64 KiB, reader and writer wait for each other */
	fcntl(STDOUT_FILENO, F_SETPIPE_SZ, PIPE_BYTES);
	out->capture_path = o->output.write_path;
	out->assertion.text = o->output.assert_;
	out->assertion.show_keys = out->how.show_keys;
	if (out->capture_path && !strcmp(out->capture_path, "-"))
		return cli_usage_error("-w '-': standard output has the results; use a file");
	return EXIT_DONE;
}

void output_close(struct output *out)
{
	if (out->capture_fd >= 0)
		close(out->capture_fd);
	madkit_expr_free(out->filter);
	madkit_expr_free(out->assertion.expr);
	madkit_projection_free(out->fields);
	madkit_table_free(out->table);
	madkit_plans_free(out->how.plans);
	madkit_buf_free(&out->buf);
	madkit_buf_free(&out->capture);
}

int output_name_error(const char *option, const struct madkit_attribute *attribute,
		      const struct madkit_error *error)
{
	char near[SUGGESTION_MAX];

	if (!*error->word || !attribute || !attribute->layout)
		return cli_usage_error("%s: %s", option, error->text);
	suggest_field(error->word, attribute->layout, near);
	if (!is_attribute_name(attribute->name))
		return cli_usage_error("%s: %s%s", option, error->text, near);
	cli_insist("%s: %s%s (see madsend --describe %s)", option, error->text, near, attribute->name);
	return EXIT_USAGE;
}

const char *output_ragged(unsigned int got, unsigned int total, char buf[OUTPUT_RAGGED_MAX])
{
	if (total)
		snprintf(buf, OUTPUT_RAGGED_MAX, "the table ends within record %u: got %u whole %s", total,
			 got, got == 1 ? "record" : "records");
	else
		snprintf(buf, OUTPUT_RAGGED_MAX, "the table has data, but its AttributeOffset is 0");
	return buf;
}

int output_check(const struct output *out, const struct madkit_attribute *attribute)
{
	struct madkit_error error = { .text = "" };

	if (out->filter && madkit_expr_check(out->filter, attribute, &error))
		return output_name_error("--filter", attribute, &error);
	if (out->assertion.expr && madkit_expr_check(out->assertion.expr, attribute, &error))
		return output_name_error("--assert", attribute, &error);
	if (out->fields && madkit_projection_check(out->fields, attribute, &error))
		return output_name_error("--fields", attribute, &error);
	return EXIT_DONE;
}

int output_check_either(const struct output *out, const struct madkit_attribute *attribute,
			const struct madkit_attribute *other)
{
	if (other && (!out->filter || !madkit_expr_check(out->filter, other, NULL)) &&
	    (!out->assertion.expr || !madkit_expr_check(out->assertion.expr, other, NULL)) &&
	    (!out->fields || !madkit_projection_check(out->fields, other, NULL)))
		return EXIT_DONE;
	return output_check(out, attribute);
}

/* Reports that the filter can never match records of this attribute, for example because a field has no order
 * to compare by. Reported once: such a filter would drop every record silently. */
static void output_explain_filter(struct output *out, const struct madkit_record *record)
{
	struct madkit_error error = { .text = "" };

	if (!out->filter || out->impossible || !record->attribute || record->attribute == out->explained)
		return;
	out->explained = record->attribute;
	out->impossible = madkit_expr_explain(out->filter, record->attribute, &error);
	if (out->impossible)
		cli_insist("--filter: %s (%s)", error.text, record->attribute->name);
}

static void output_explain_filter_of(struct output *out, const struct madkit_message *message)
{
	struct madkit_record record;

	if (!out->filter)
		return;
	madkit_record_get(message, 0, &record);
	output_explain_filter(out, &record);
}

/* A message passes if one of its records passes. */
static bool output_passes_any(const struct output *out, const struct madkit_message *message)
{
	struct madkit_record record;

	if (!out->filter)
		return true;
	madkit_record_get(message, 0, &record);
	do {
		if (madkit_expr_eval(out->filter, &record) == 1)
			return true;
	} while (madkit_record_next(&record));
	return false;
}

void output_write_error(const void *context, struct madkit_writer *w)
{
	madkit_writer_string(w, "error", context);
}

void output_object(struct output *out, const struct madkit_message *message)
{
	struct madkit_format how = out->how;
	int n;

	if (out->format != FORMAT_JSON)
		return;
	/* the caller has already applied the filter, to more than the formats see, or does not filter */
	how.filter = NULL;
	n = madkit_format_json(&out->buf, message, &how);
	if (n < 0 && !out->status) {
		cli_insist("cannot show a message: %s", strerror(-n));
		out->status = EXIT_LOCAL;
	}
}

bool output_judge(struct output *out, const struct madkit_message *message)
{
	bool passed;

	output_explain_filter_of(out, message);
	passed = output_passes_any(out, message);

	out->judged = true;
	out->shown += passed;
	assertion_try(&out->assertion, out->filter, message);
	return passed;
}

bool output_pass_record(struct output *out, const struct madkit_record *record)
{
	out->judged = true;
	output_explain_filter(out, record);
	if (out->filter && madkit_expr_eval(out->filter, record) != 1)
		return false;
	out->shown++;
	return true;
}

bool output_judge_record(struct output *out, const struct madkit_record *record)
{
	if (!output_pass_record(out, record))
		return false;
	assertion_try_record(&out->assertion, record);
	return true;
}

void output_line(struct output *out, const struct madkit_message *message)
{
	struct madkit_format how = out->how;
	int n = 0;

	how.filter = NULL;
	if (out->status)
		return;
	if (out->format == FORMAT_JSON)
		n = madkit_format_json(&out->buf, message, &how);
	else if (out->format == FORMAT_TABLE)
		n = madkit_table_add(out->table, &out->buf, message, &how);
	if (n < 0) {
		cli_insist("cannot show a line: %s", strerror(-n));
		out->status = EXIT_LOCAL;
	}
}

bool output_event(struct output *out, const struct madkit_message *message)
{
	if (!output_judge(out, message))
		return false;
	output_object(out, message);
	return true;
}

int output_message(struct output *out, const struct madkit_message *message)
{
	int n = 0;

	if (out->status)
		return 0;
	out->judged = true;
	output_explain_filter_of(out, message);
	switch (out->format) {
	case FORMAT_TEXT:
		n = madkit_format_text(&out->buf, message, &out->how);
		break;
	case FORMAT_TABLE:
		n = madkit_table_add(out->table, &out->buf, message, &out->how);
		break;
	case FORMAT_JSON:
		n = madkit_format_json(&out->buf, message, &out->how);
		break;
	case FORMAT_HEX:
		/* with keys, as in raw */
		n = madkit_format_hex(&out->buf, message,
				      &(struct madkit_format){ .show_keys = true,
							       .filter = out->how.filter });
		break;
	case FORMAT_RAW:
		if (message->mad && output_passes_any(out, message)) {
			madkit_buf_add(&out->buf, message->mad, message->len);
			n = out->buf.error ? out->buf.error : 1;
		}
		break;
	case FORMAT_DOT:
		break;
	}
	if (n < 0) {
		cli_insist("cannot show a message: %s", strerror(-n));
		out->status = EXIT_LOCAL;
		return 0;
	}
	out->shown += (unsigned long)n;
	assertion_try(&out->assertion, out->filter, message);
	return n;
}

/* Has no branches, so that the compiler checks many characters at once. */
static unsigned int output_needs_escape(unsigned char c)
{
	return ((c < 0x20) & (c != '\n') & (c != '\t')) | (c >= 0x7f);
}

static bool output_is_plain(const char *text, size_t len)
{
	enum { BLOCK = 64 };
	unsigned char found = 0;
	size_t at = 0;

	/* a loop of constant length has no tail that prevents vectorisation */
	for (; len - at >= BLOCK && !found; at += BLOCK)
		for (size_t i = 0; i < BLOCK; i++)
			found |= output_needs_escape((unsigned char)text[at + i]);
	for (; at < len && !found; at++)
		found = output_needs_escape((unsigned char)text[at]);
	return !found;
}

/* Returns the length of the newline, tab or colour at the beginning of a text, which is not escaped; 0: there is none. */
static size_t output_raw_length(const char *text, size_t len, const struct madkit_terminal *terminal)
{
	if (*text == '\n' || *text == '\t')
		return 1;
	for (int color = MADKIT_COLOR_NONE; *text == '\033' && color <= MADKIT_COLOR_RED; color++) {
		const char *sequence = madkit_color(terminal, color);
		const size_t n = strlen(sequence);

		if (n && n <= len && !memcmp(text, sequence, n))
			return n;
	}
	return 0;
}

int output_write_text(int fd, const char *text, size_t len, const struct madkit_terminal *terminal)
{
	struct madkit_buf safe;
	int ret;

	if (output_is_plain(text, len))
		return wait_write(fd, text, len);
	madkit_buf_init(&safe, 0);
	for (size_t at = 0, n, raw; at < len; at += n + raw) {
		for (n = raw = 0; at + n < len && !raw; n += !raw)
			raw = output_raw_length(text + at + n, len - at - n, terminal);
		madkit_text_escape(&safe, text + at, n);
		madkit_buf_add(&safe, text + at + n, raw);
	}
	if (terminal && terminal->ascii)
		madkit_text_ascii(&safe, 0);
	ret = safe.error ? safe.error : wait_write(fd, safe.data, safe.len);
	madkit_buf_free(&safe);
	return ret;
}

/* Writes the capture. If that fails, the capture is closed, but results that have been received are still
 * shown. */
static int output_flush_capture(struct output *out)
{
	int ret = out->capture.error;

	if (out->capture_fd < 0 || (!out->capture.len && !ret))
		return EXIT_DONE;
	if (!ret)
		ret = wait_write(out->capture_fd, out->capture.data, out->capture.len);
	madkit_buf_reset(&out->capture);
	if (!ret)
		return EXIT_DONE;
	close(out->capture_fd);
	out->capture_fd = -1;
	return cli_failed(ret, "cannot write '%s'", out->capture_path);
}

static int output_flush_results(struct output *out, int fd)
{
	int ret;

	if (out->buf.error) {
		return cli_insist("cannot show a result: %s", strerror(-out->buf.error));
	}
	if (!out->buf.len)
		return EXIT_DONE;
	progress_clear();
	/* JSON has its own escapes, and raw output is bytes */
	ret = out->format == FORMAT_JSON || out->format == FORMAT_RAW || out->escaped ?
		      wait_write(fd, out->buf.data, out->buf.len) :
		      output_write_text(fd, out->buf.data, out->buf.len,
					fd == STDOUT_FILENO ? &out->terminal : NULL);
	if (ret == -EPIPE)
		return EXIT_SIGNAL + SIGPIPE;
	return ret ? cli_failed(ret, fd == STDOUT_FILENO ? "cannot write to standard output" :
							   "cannot write a result") :
		     EXIT_DONE;
}

void output_rows(struct output *out)
{
	if (out->table)
		madkit_table_flush(out->table, &out->buf);
}

int output_flush(struct output *out)
{
	int capture = output_flush_capture(out);

	if (!out->holds)
		output_rows(out);
	if (!out->status)
		out->status = output_flush_results(out, STDOUT_FILENO);
	madkit_buf_reset(&out->buf);
	if (capture && !out->status)
		out->status = capture;
	return out->status;
}

int output_over(struct output *out)
{
	enum { LOOK_MS = 50 };
	uint64_t now = wait_now();

	if (out->status || now < out->looked_ns + LOOK_MS * NS_PER_MS)
		return out->status;
	out->looked_ns = now;
	if (wait_reader_is_gone(STDOUT_FILENO))
		out->status = EXIT_SIGNAL + SIGPIPE;
	return out->status;
}

int output_move(struct output *out, int fd)
{
	int status;

	output_rows(out);
	status = output_flush_results(out, fd);
	madkit_buf_reset(&out->buf);
	return status ? status : output_flush(out);
}

/* The assertion did not hold, but the exit status is another: reports which failure takes precedence. */
static void output_tell_precedence(int status)
{
	cli_say("the exit status is %d: %s comes before --assert", status,
		status == EXIT_LOCAL   ? "a local failure" :
		status == EXIT_TIMEOUT ? "a missing response" :
		status == EXIT_STATUS  ? "a MAD status" :
					 "a malformed response or a duplicate GUID");
}

int output_finish(struct output *out, int status)
{
	int ret;

	out->holds = false;
	ret = output_flush(out);
	/* EXIT_SIGNAL without a signal's number: requests were abandoned because the output failed */
	if (status == EXIT_SIGNAL && ret)
		return ret;
	/* stopped, a status of a command that was run, or a usage error: nothing more is checked */
	if (status >= EXIT_CANNOT_RUN || status == EXIT_USAGE)
		return status;
	if (ret >= EXIT_SIGNAL)
		return ret;
	status = exit_worst(status, ret);
	if (!out->judged)
		return status;
	if (!assertion_held(&out->assertion, status)) {
		status = exit_worst(status, EXIT_NOTHING);
		if (out->sweeps && status != EXIT_NOTHING)
			output_tell_precedence(status);
	} else if (!out->sweeps && out->filter && !out->shown && !status) {
		cli_say("nothing matched the filter");
		status = EXIT_NOTHING;
	}
	return status;
}

void text_line(struct madkit_buf *buf, const char *label, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	madkit_text_label(buf, label);
	madkit_text_escape(buf, text, strlen(text));
	madkit_buf_char(buf, '\n');
}
