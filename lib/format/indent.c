/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "format/json_int.h"

static void newline(struct madkit_buf *buf, unsigned int depth)
{
	madkit_buf_char(buf, '\n');
	while (depth--)
		madkit_buf_add(buf, "  ", 2);
}

void json_indent(struct madkit_buf *buf, size_t begin)
{
	size_t end = buf->len;
	unsigned int depth = 0;
	bool quoted = false;

	/* the indented form is appended and then moved */
	for (size_t i = begin; i < end && !buf->error; i++) {
		char c = buf->data[i];

		if (quoted) {
			madkit_buf_char(buf, c);
			if (c == '\\' && i + 1 < end)
				madkit_buf_char(buf, buf->data[++i]);
			else if (c == '"')
				quoted = false;
		} else if ((c == '{' || c == '[') && i + 1 < end &&
			   (buf->data[i + 1] == '}' || buf->data[i + 1] == ']')) {
			madkit_buf_char(buf, c);
			madkit_buf_char(buf, buf->data[++i]);
		} else if (c == '{' || c == '[') {
			madkit_buf_char(buf, c);
			newline(buf, ++depth);
		} else if (c == '}' || c == ']') {
			depth -= depth > 0;
			newline(buf, depth);
			madkit_buf_char(buf, c);
		} else if (c == ',') {
			madkit_buf_char(buf, c);
			newline(buf, depth);
		} else if (c == ':') {
			madkit_buf_add(buf, ": ", 2);
		} else {
			quoted = c == '"';
			madkit_buf_char(buf, c);
		}
	}
	if (buf->error)
		return;
	memmove(buf->data + begin, buf->data + end, buf->len - end);
	buf->len -= end - begin;
}
