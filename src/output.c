/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE	/* F_SETPIPE_SZ */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "output.h"

int output_expression_error(const char *option, const char *text,
			    const struct madkit_error *error)
{
	if (error->position < 0)
		return cli_usage_error("%s '%s': %s", option, text, error->text);
	return cli_usage_error("%s '%s': character %d: %s", option, text,
			       error->position + 1, error->text);
}

/* As much as anybody may ask for. */
#define PIPE_BYTES (1 << 20)

int output_open(struct output *out, const struct cli_options *o)
{
	struct madkit_error error = { .text = "" };

	memset(out, 0, sizeof(*out));
	out->format = o->format;
	out->capture_fd = -1;
	out->debug = o->debug;
	madkit_buf_init(&out->buf, 0);
	madkit_buf_init(&out->capture, 0);
	if (o->filter && madkit_expr_new(o->filter, &out->filter, &error))
		return output_expression_error("--filter", o->filter, &error);
	if (o->assert_ && madkit_expr_new(o->assert_, &out->assertion, &error))
		return output_expression_error("--assert", o->assert_, &error);
	if (o->fields && madkit_projection_new(o->fields, &out->fields, &error))
		return output_expression_error("--fields", o->fields, &error);
	out->how = (struct madkit_format){
		.show_keys = o->show_keys,
		.pretty = o->pretty,
		.verbose = o->verbose,
		.fields = out->fields,
		.filter = out->filter,
		.plans = madkit_plans_new(),	/* without it goes, too */
	};
	/* a pipe of the usual 64 KiB has reader and writer wait for each other */
	fcntl(STDOUT_FILENO, F_SETPIPE_SZ, PIPE_BYTES);
	out->capture_path = o->write_path;
	out->assertion_text = o->assert_;
	if (out->capture_path && !strcmp(out->capture_path, "-"))
		return cli_usage_error("-w '-': standard output has the results; name a file");
	return EXIT_DONE;
}

int output_capture(struct output *out, int input)
{
	struct stat in, file;

	if (!out->capture_path || out->capture_fd >= 0)
		return EXIT_DONE;
	if (input >= 0 && !fstat(input, &in) && S_ISREG(in.st_mode) &&
	    !stat(out->capture_path, &file) && in.st_dev == file.st_dev &&
	    in.st_ino == file.st_ino)
		return cli_usage_error("-w '%s' is the file that is read",
				       out->capture_path);
	out->capture_fd = open(out->capture_path,
			       O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (out->capture_fd < 0) {
		cli_say("cannot write '%s': %s", out->capture_path, strerror(errno));
		return EXIT_LOCAL;
	}
	madkit_pcap_begin(&out->capture);
	return output_flush(out);
}

void output_close(struct output *out)
{
	if (out->capture_fd >= 0)
		close(out->capture_fd);
	madkit_expr_free(out->filter);
	madkit_expr_free(out->assertion);
	madkit_projection_free(out->fields);
	madkit_plans_free(out->how.plans);
	madkit_buf_free(&out->buf);
	madkit_buf_free(&out->capture);
}

int output_check(const struct output *out,
		 const struct madkit_attribute *attribute)
{
	struct madkit_error error = { .text = "" };

	if (out->filter && madkit_expr_check(out->filter, attribute, &error))
		return cli_usage_error("--filter: %s", error.text);
	if (out->assertion && madkit_expr_check(out->assertion, attribute, &error))
		return cli_usage_error("--assert: %s", error.text);
	if (out->fields && madkit_projection_check(out->fields, attribute, &error))
		return cli_usage_error("--fields: %s", error.text);
	return EXIT_DONE;
}

static bool passes(const struct madkit_expr *expr,
		   const struct madkit_record *record)
{
	return !expr || madkit_expr_eval(expr, record) == 1;
}

/* The message passes if one of its records does. */
static bool any_passes(const struct output *out,
		       const struct madkit_message *message)
{
	struct madkit_record record;

	if (!out->filter)
		return true;
	madkit_record_get(message, 0, &record);
	do {
		if (passes(out->filter, &record))
			return true;
	} while (madkit_record_next(&record));
	return false;
}

/* How long the name is that the one test of an expression begins with; 0: there are
 * several tests. */
static size_t sole_name(const char *text)
{
	if (strstr(text, "&&") || strstr(text, "||"))
		return 0;
	return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789_.[]");
}

/* The title of record n in text, which is changed: each line becomes a string.
 * *value: what stands behind the label of the only line below it, or NULL. */
static const char *find_record(char *text, unsigned int n, const char **value)
{
	const char *title = NULL;
	unsigned int lines = 0;
	char *next;

	*value = NULL;
	for (char *line = text; *line; line = next) {
		char *end = strchr(line, '\n');

		next = end ? end + 1 : line + strlen(line);
		if (end)
			*end = 0;
		if (!strncmp(line, "# cut short", 11))
			continue;
		if (*line == '#' && title)
			break;
		if (*line == '#' && !n--)
			title = line;
		else if (title && !lines++) {
			line += strcspn(line, ":");
			line += *line == ':';
			*value = line + strspn(line, ".");
		}
	}
	if (lines != 1)
		*value = NULL;
	return title;
}

/* Keeps in words what record n of the message has where the assertion wants
 * something else, and whose it is: as text shows both. */
static void note_failure(struct output *out, const struct madkit_message *message,
			 unsigned int n)
{
	const char *name = out->assertion_text + strspn(out->assertion_text, " \t");
	int len = (int)sole_name(name);
	struct madkit_format how = { .show_keys = out->how.show_keys };
	const char *title = NULL, *value = NULL;
	struct madkit_projection *field = NULL;
	struct madkit_buf text;
	char word[80];
	size_t used = 0;

	madkit_buf_init(&text, 0);
	snprintf(word, sizeof(word), "%.*s", len, name);
	if (len && (size_t)len < sizeof(word) &&
	    !madkit_projection_new(word, &field, NULL))
		how.fields = field;
	if (madkit_format_text(&text, message, &how) > 0)
		madkit_buf_char(&text, 0);
	if (text.len && !text.error && !text.data[text.len - 1])
		title = find_record(text.data, n, &value);
	if (title)
		title = strstr(title, ": ");
	if (field && value)
		used += (size_t)snprintf(out->failure, sizeof(out->failure),
					 ": %.80s is %.100s", word, value);
	if (title)
		snprintf(out->failure + used, sizeof(out->failure) - used,
			 " (%.150s)", title + 2);
	madkit_projection_free(field);
	madkit_buf_free(&text);
}

static void try_assertion(struct output *out,
			  const struct madkit_message *message)
{
	struct madkit_record record;

	/* what did not answer has a status of its own */
	if (!out->assertion || message->kind == MADKIT_MESSAGE_TIMEOUT ||
	    message->kind == MADKIT_MESSAGE_ERROR)
		return;
	madkit_record_get(message, 0, &record);
	do {
		if (!passes(out->filter, &record))
			continue;
		if (passes(out->assertion, &record))
			out->assertion_held = true;
		else if (!out->assertion_failed++)
			note_failure(out, message, record.record);
	} while (madkit_record_next(&record));
}

static void put_json(struct output *out, const struct madkit_message *message,
		     const struct madkit_format *how)
{
	/* an object of ours that there was no memory for has no text */
	int n = message->data_json ? madkit_format_json(&out->buf, message, how) : -ENOMEM;

	if (n < 0 && !out->status) {
		cli_say("cannot show a message: %s", strerror(-n));
		out->status = EXIT_LOCAL;
	}
}

bool output_judge(struct output *out, const struct madkit_message *message)
{
	bool passed = any_passes(out, message);

	out->judged = true;
	out->shown += passed;
	try_assertion(out, message);
	return passed;
}

bool output_event(struct output *out, const struct madkit_message *message)
{
	if (!output_judge(out, message))
		return false;
	if (out->format == FORMAT_JSON)
		put_json(out, message, &out->how);
	return true;
}

int output_message(struct output *out, const struct madkit_message *message)
{
	int n = 0;

	if (out->status)
		return 0;
	out->judged = true;
	switch (out->format) {
	case FORMAT_TEXT:
		n = madkit_format_text(&out->buf, message, &out->how);
		break;
	case FORMAT_JSON:
		n = madkit_format_json(&out->buf, message, &out->how);
		break;
	case FORMAT_HEX:
		/* the bytes as they are, as in raw */
		n = madkit_format_hex(&out->buf, message, &(struct madkit_format){
				.show_keys = true, .filter = out->how.filter });
		break;
	case FORMAT_RAW:
		if (message->mad && any_passes(out, message)) {
			madkit_buf_add(&out->buf, message->mad, message->len);
			n = out->buf.error ? out->buf.error : 1;
		}
		break;
	}
	if (n < 0) {
		cli_say("cannot show a message: %s", strerror(-n));
		out->status = EXIT_LOCAL;
		return 0;
	}
	out->shown += (unsigned long)n;
	try_assertion(out, message);
	return n;
}

void output_object(struct output *out, const struct madkit_message *message)
{
	struct madkit_format how = { .pretty = out->how.pretty };

	if (out->format == FORMAT_JSON)
		put_json(out, message, &how);
}

int output_flush(struct output *out)
{
	int ret;

	if (out->capture_fd >= 0 && out->capture.len) {
		ret = out->capture.error ? out->capture.error :
		      cli_write(out->capture_fd, out->capture.data,
				out->capture.len);
		madkit_buf_reset(&out->capture);
		if (ret) {
			cli_say("cannot write '%s': %s", out->capture_path,
				strerror(-ret));
			close(out->capture_fd);
			out->capture_fd = -1;
			out->status = EXIT_LOCAL;
		}
	}
	if (out->buf.error && !out->status) {
		cli_say("cannot show a result: %s", strerror(-out->buf.error));
		out->status = EXIT_LOCAL;
	}
	if (!out->buf.len || out->status) {
		madkit_buf_reset(&out->buf);
		return out->status;
	}
	ret = cli_write(STDOUT_FILENO, out->buf.data, out->buf.len);
	madkit_buf_reset(&out->buf);
	if (ret == -EPIPE) {
		out->status = EXIT_SIGNAL + SIGPIPE;
	} else if (ret) {
		cli_say("cannot write to standard output: %s", strerror(-ret));
		out->status = EXIT_LOCAL;
	}
	return out->status;
}

int output_finish(struct output *out, int status)
{
	int ret = output_flush(out);

	/* stopped, or a command's own status: nothing more is judged */
	if (status >= EXIT_CANNOT_RUN || status == EXIT_USAGE)
		return status;
	if (ret >= EXIT_SIGNAL)
		return ret;
	status = exit_worst(status, ret);
	if (!out->judged)
		return status;
	if (out->assertion && (out->assertion_failed ||
			       (!out->assertion_held && !status))) {
		if (out->assertion_failed > 1)
			cli_say("'%s' did not hold%s, and of %lu more records",
				out->assertion_text, out->failure,
				out->assertion_failed - 1);
		else if (out->assertion_failed)
			cli_say("'%s' did not hold%s", out->assertion_text,
				out->failure);
		else
			cli_say("there was nothing that the assertion '%s' could hold of",
				out->assertion_text);
		status = exit_worst(status, EXIT_NOTHING);
	} else if (out->filter && !out->shown && !status) {
		cli_say("nothing matched the filter");
		status = EXIT_NOTHING;
	}
	return status;
}

static void debug_message(const struct output *out,
			  const struct madkit_message *message, bool sent)
{
	struct madkit_header h;
	struct madkit_buf hex;
	char addr[MADKIT_ADDR_TEXT_MAX], class[20];
	const char *method;

	if (madkit_header_get(message->mad, message->len, &h)) {
		cli_say("%s %zu bytes", sent ? "sent" : "received", message->len);
		return;
	}
	method = madkit_method_name(h.mgmt_class, h.method);
	cli_say("%s %s %s (0x%02x) attribute 0x%04x modifier 0x%x status 0x%04x TID 0x%016" PRIx64 " %s %s, %zu bytes",
		sent ? "sent" : "received",
		madkit_class_name(h.mgmt_class, class), method ? method : "method",
		h.method, h.attribute, h.modifier, h.status, h.tid,
		sent ? "to" : "from", madkit_addr_text(message->remote, addr),
		message->len);
	if (out->debug < 2)
		return;
	madkit_buf_init(&hex, 0);
	if (madkit_format_hex(&hex, message, &(struct madkit_format){
			.show_keys = out->how.show_keys }) >= 0)
		(void)!cli_write(STDERR_FILENO, hex.data, hex.len);
	madkit_buf_free(&hex);
}

/* This port's own address, with the GID of that index. */
static const struct madkit_addr *near_end(struct output *out,
					  const struct madkit_addr *far)
{
	struct madkit_addr *near = &out->near;

	if (out->ports != 1)
		return NULL;
	near->lid = out->port->lid;
	if (far->grh && (!out->have_gid || near->gid_index != far->gid_index)) {
		if (madkit_port_gid(out->port, far->gid_index, near->gid))
			memset(near->gid, 0, sizeof(near->gid));
		near->gid_index = far->gid_index;
		out->have_gid = true;
	}
	return near;
}

void output_snoop(void *context, int direction, const struct madkit_addr *addr,
		  const uint8_t *mad, size_t len, const struct timespec *time)
{
	struct output *out = context;
	bool sent = direction != MADKIT_SNOOP_RECVS;
	struct madkit_message message = {
		.kind = sent ? MADKIT_MESSAGE_REQUEST : MADKIT_MESSAGE_RESPONSE,
		.time = *time,
		.remote = addr,
		.rtt_us = -1,
		.attempts = -1,
		.mad = mad,
		.len = len,
	};

	/* what was sent is told at once, and written when its ID is known */
	if (out->debug && direction != MADKIT_SNOOP_SEND_COMPLETIONS)
		debug_message(out, &message, sent);
	if (out->capture_fd >= 0 && direction != MADKIT_SNOOP_POSTED_SENDS)
		madkit_pcap_add(&out->capture, &message, near_end(out, addr), sent,
				out->how.show_keys);
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
