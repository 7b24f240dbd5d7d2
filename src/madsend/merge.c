/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "merge.h"
#include "request/request_fields.h"
#include "set_check.h"
#include "util/array_size.h"
#include "cli/wait.h"

/* Fields that are commands in a Set: their values from the response to the Get must not be sent back. 0
 * changes nothing (IBA volume 1, sections 14.2.5.4 and 14.2.5.6). */
static const struct {
	const char *attribute, *field;
} orders[] = {
	{ "PortInfo", "LinkState" },
	{ "PortInfo", "PhysLinkState" },
	{ "PortInfo", "ClientReregister" },
	{ "SwitchInfo", "StateChange" },
};

static void drop_orders(const struct request *r, uint8_t *data, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++)
		if (!strcmp(orders[i].attribute, r->attribute->name))
			madkit_set(r->attribute->layout, data, len, orders[i].field, "0", NULL, NULL);
}

/* ---- what cannot be merged --------------------------------------------------------- */

int merge_check(const struct request *r)
{
	if (!r->attribute || !r->attribute->layout)
		return cli_usage_error("madkit does not know the fields of %s: nothing to merge",
				       r->attribute_name);
	if (request_resets(r))
		return cli_usage_error(
			"Set %s resets the counters that CounterSelect selects: --merge has no values to keep",
			r->attribute_name);
	if (r->header.mgmt_class == MADKIT_CLASS_SA)
		return cli_usage_error(
			"--merge is not for the SA: the component mask of a Set selects the fields given");
	for (int i = 0; i < r->nfields; i++)
		if (request_is_data(r, r->fields[i]))
			return cli_usage_error("--merge needs Field=value: data gives every field a value");
	return EXIT_DONE;
}

/* ---- the Get ------------------------------------------------------------------------- */

/*
 * Checks if the data of a Get of this class selects only a port. The Get must then not contain the other
 * fields given: a responder may repeat them, and the difference would not show them.
 */
static bool merge_only_port_selects(const struct request *r)
{
	return r->smp || r->header.mgmt_class == MADKIT_CLASS_PERF ||
	       r->header.mgmt_class == MADKIT_CLASS_DEVICE || r->header.mgmt_class == MADKIT_CLASS_CC;
}

static void merge_keep_port(struct request *get)
{
	uint64_t port;
	char text[24];
	bool selects = !request_value(get, "PortSelect", &port);

	memset(get->mad + get->data_offset, 0, get->data_len);
	if (!selects)
		return;
	snprintf(text, sizeof(text), "%" PRIu64, port);
	madkit_set(get->attribute->layout, get->mad + get->data_offset, get->data_len, "PortSelect", text,
		   NULL, NULL);
}

/* ---- the difference ------------------------------------------------------------------ */

/* Checks if text has this line. */
static bool merge_has_line(const struct madkit_buf *text, const char *line, size_t n)
{
	size_t at = 0;

	while (at + n <= text->len) {
		const char *newline;

		if (!memcmp(text->data + at, line, n))
			return true;
		newline = memchr(text->data + at, '\n', text->len - at);
		if (!newline)
			return false;
		at = (size_t)(newline + 1 - text->data);
	}
	return false;
}

/* An attribute as text, with its secrets and without them: both have the same lines. */
struct state_text {
	struct madkit_buf full, shown;
};

/* Returns 0 or -errno. */
static int state_format(struct state_text *state, const struct madkit_message *message, bool show_keys)
{
	const struct madkit_format full = { .show_keys = true };
	const struct madkit_format shown = { .show_keys = show_keys };
	int ret = madkit_format_text(&state->full, message, &full);

	if (ret >= 0)
		ret = madkit_format_text(&state->shown, message, &shown);
	return ret < 0 ? ret : 0;
}

/* Returns the length of the line at text, including its newline. */
static size_t line_length(const char *text, const char *end)
{
	const char *newline = memchr(text, '\n', (size_t)(end - text));

	return (size_t)((newline ? newline + 1 : end) - text);
}

/* Appends the lines that only one state has, each after mark. A secret that differs is a line without its
 * value. */
static void lines_only_in(struct madkit_buf *out, const struct state_text *state,
			  const struct state_text *other, char mark)
{
	const char *line = state->full.data, *end = line + state->full.len;
	const char *shown = state->shown.data, *shown_end = shown + state->shown.len;

	while (line < end && shown < shown_end) {
		size_t n = line_length(line, end);
		size_t shown_n = line_length(shown, shown_end);

		if (!merge_has_line(&other->full, line, n)) {
			madkit_buf_char(out, mark);
			madkit_buf_add(out, shown, shown_n);
		}
		line += n;
		shown += shown_n;
	}
}

static void state_init(struct state_text *state)
{
	madkit_buf_init(&state->full, 0);
	madkit_buf_init(&state->shown, 0);
}

static void state_free(struct state_text *state)
{
	madkit_buf_free(&state->full);
	madkit_buf_free(&state->shown);
}

/* Shows both states without the lines that they share. old and new are data of the attribute, len bytes each;
 * reply supplies the header. same: the line to print if the data is the same. */
static int show_difference(const struct exchange *x, const char *same, const struct madkit_message *reply,
			   size_t offset, const uint8_t *old, const uint8_t *new, size_t len)
{
	bool show_keys = x->options->output.show_keys;
	struct madkit_message message = *reply;
	struct state_text before, after;
	struct madkit_buf diff;
	uint8_t *mad = malloc(reply->len);
	int ret = -ENOMEM;

	state_init(&before);
	state_init(&after);
	madkit_buf_init(&diff, 0);
	if (mad) {
		memcpy(mad, reply->mad, reply->len);
		message.mad = mad;
		memcpy(mad + offset, old, len);
		ret = state_format(&before, &message, show_keys);
		memcpy(mad + offset, new, len);
		if (!ret)
			ret = state_format(&after, &message, show_keys);
	}
	if (!ret) {
		lines_only_in(&diff, &before, &after, '-');
		lines_only_in(&diff, &after, &before, '+');
		if (!diff.len)
			madkit_buf_str(&diff,
				       memcmp(old, new, len) ? "(no field that is shown changes)\n" : same);
		ret = diff.error ? diff.error : output_write_text(STDERR_FILENO, diff.data, diff.len, NULL);
	}
	state_free(&before);
	state_free(&after);
	madkit_buf_free(&diff);
	free(mad);
	return ret < 0 ? ret : 0;
}

/* Merges the request's fields into the data of the reply. */
static int merge_overlay(struct exchange *x, struct request *r, const struct madkit_message *reply)
{
	size_t len = reply->len > r->data_offset ? reply->len - r->data_offset : 0;
	uint8_t old[MADKIT_FRAME_BYTES], *new = r->mad + r->data_offset;
	int status, ret;

	if (len > r->data_len)
		len = r->data_len;
	if (len > sizeof(old))
		len = sizeof(old);
	memcpy(old, reply->mad + r->data_offset, len);
	drop_orders(r, old, len);
	memcpy(new, old, len);
	status = request_set_fields(x->options, r);
	if (status)
		return status;
	set_extended(r, reply);
	/* a response of another class may repeat the fields given that the Get contained */
	ret = show_difference(x,
			      merge_only_port_selects(r) ? "(nothing changes)\n" :
							   "(the response to the Get has the values given)\n",
			      reply, r->data_offset, old, new, len);
	if (!ret)
		return EXIT_DONE;
	return cli_insist("cannot show the difference: %s", strerror(-ret));
}

int merge(struct exchange *x, struct request *r)
{
	struct request get = *r;
	struct answer answer;
	int status;

	get.header.method = MADKIT_METHOD_GET;
	strcpy(get.method_name, "Get");
	get.expects_response = true;
	get.mad = malloc(r->len);
	if (!get.mad)
		return cli_no_memory();
	memcpy(get.mad, r->mad, r->len);
	madkit_header_put(get.mad, get.len, &get.header);
	if (merge_only_port_selects(r))
		merge_keep_port(&get);
	status = exchange_ask(x, &get, &answer);
	if (status)
		exchange_show(x, &get, &answer);
	exchange_tell(x, &get, &answer);
	if (!status)
		status = merge_overlay(x, r, &answer.message);
	answer_free(&answer);
	request_free(&get);
	return status;
}
