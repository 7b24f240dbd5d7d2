/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "merge.h"
#include "request_fields.h"

/* Fields that a Set takes as orders: what a Get says of them is not to be sent
 * back. 0 changes nothing (IBA volume 1, sections 14.2.5.4 and 14.2.5.6). */
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
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		if (!strcmp(orders[i].attribute, r->attribute->name))
			madkit_set(r->attribute->layout, data, len,
				   orders[i].field, "0", NULL, NULL);
}

/* Whether text has this line. */
static bool has_line(const struct madkit_buf *text, const char *line, size_t n)
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

/* The lines of text that are not in other, each after mark. */
static void lines_only_in(struct madkit_buf *out, const struct madkit_buf *text,
			  const struct madkit_buf *other, char mark)
{
	const char *end = text->data + text->len, *next;

	for (const char *line = text->data; line < end; line = next) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		size_t n;

		next = newline ? newline + 1 : end;
		n = (size_t)(next - line);
		if (has_line(other, line, n))
			continue;
		madkit_buf_char(out, mark);
		madkit_buf_add(out, line, n);
	}
}

/* Text of both states; what they share is left out. old and new are data of the
 * attribute, len bytes each; reply lends its header. */
static int show_difference(const struct exchange *x,
			   const struct madkit_message *reply, size_t offset,
			   const uint8_t *old, const uint8_t *new, size_t len)
{
	struct madkit_format how = { .show_keys = x->options->show_keys };
	struct madkit_message message = *reply;
	struct madkit_buf before, after, diff;
	uint8_t *mad = malloc(reply->len);
	int ret = -ENOMEM;

	madkit_buf_init(&before, 0);
	madkit_buf_init(&after, 0);
	madkit_buf_init(&diff, 0);
	if (mad) {
		memcpy(mad, reply->mad, reply->len);
		message.mad = mad;
		memcpy(mad + offset, old, len);
		ret = madkit_format_text(&before, &message, &how);
		memcpy(mad + offset, new, len);
		if (ret >= 0)
			ret = madkit_format_text(&after, &message, &how);
	}
	if (ret >= 0) {
		lines_only_in(&diff, &before, &after, '-');
		lines_only_in(&diff, &after, &before, '+');
		if (!diff.len)
			madkit_buf_str(&diff, "(nothing that is shown changes)\n");
		ret = diff.error ? diff.error :
		      cli_write(STDERR_FILENO, diff.data, diff.len);
	}
	madkit_buf_free(&before);
	madkit_buf_free(&after);
	madkit_buf_free(&diff);
	free(mad);
	return ret < 0 ? ret : 0;
}

/* Puts the request's fields over the data of the reply. */
static int overlay(struct exchange *x, struct request *r,
		   const struct madkit_message *reply)
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
	ret = show_difference(x, reply, r->data_offset, old, new, len);
	if (!ret)
		return EXIT_DONE;
	cli_say("cannot show the difference: %s", strerror(-ret));
	return EXIT_LOCAL;
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
	if (!get.mad) {
		cli_say("out of memory");
		return EXIT_LOCAL;
	}
	memcpy(get.mad, r->mad, r->len);
	madkit_header_put(get.mad, get.len, &get.header);
	status = exchange_ask(x, &get, &answer);
	if (status)
		exchange_show(x, &answer);
	exchange_tell(x, &get, &answer);
	if (!status)
		status = overlay(x, r, &answer.message);
	answer_free(&answer);
	request_free(&get);
	return status;
}
