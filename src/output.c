/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE	/* F_SETPIPE_SZ */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "assertion.h"
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

/* The message passes if one of its records does. */
static bool any_passes(const struct output *out,
		       const struct madkit_message *message)
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
	assertion_try(out, message);
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
	assertion_try(out, message);
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
	if (!assertion_held(out, status)) {
		status = exit_worst(status, EXIT_NOTHING);
	} else if (out->filter && !out->shown && !status) {
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
