/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <string.h>
#include <madkit/escape.h>
#include "json_object.h"

static void json_name(struct madkit_buf *buf, const char *name)
{
	if (buf->len && !strchr("{[\n", buf->data[buf->len - 1]))
		madkit_buf_char(buf, ',');
	if (name) {
		madkit_json_string(buf, name, strlen(name));
		madkit_buf_char(buf, ':');
	}
}

void json_open(struct madkit_buf *buf, const char *name, char bracket)
{
	json_name(buf, name);
	madkit_buf_char(buf, bracket);
}

void json_close(struct madkit_buf *buf, char bracket)
{
	madkit_buf_char(buf, bracket);
}

void json_string(struct madkit_buf *buf, const char *name, const char *value)
{
	json_name(buf, name);
	if (value)
		madkit_json_string(buf, value, strlen(value));
	else
		madkit_buf_str(buf, "null");
}

void json_number(struct madkit_buf *buf, const char *name, uint64_t value)
{
	json_name(buf, name);
	madkit_buf_printf(buf, "%" PRIu64, value);
}

void json_tenths(struct madkit_buf *buf, const char *name, uint64_t whole, unsigned int tenths)
{
	json_number(buf, name, whole);
	if (tenths)
		madkit_buf_printf(buf, ".%u", tenths);
}

void json_hex(struct madkit_buf *buf, const char *name, uint64_t value, int digits)
{
	json_name(buf, name);
	madkit_buf_printf(buf, "\"0x%0*" PRIx64 "\"", digits, value);
}

void json_bool(struct madkit_buf *buf, const char *name, bool value)
{
	json_name(buf, name);
	madkit_buf_str(buf, value ? "true" : "false");
}

void json_null(struct madkit_buf *buf, const char *name)
{
	json_string(buf, name, NULL);
}

void json_known(struct madkit_buf *buf, const char *name, bool known, uint64_t value)
{
	if (known)
		json_number(buf, name, value);
	else
		json_null(buf, name);
}

void json_begin(struct madkit_buf *buf)
{
	madkit_buf_init(buf, 0);
	json_open(buf, NULL, '{');
}

const char *json_end(struct madkit_buf *buf)
{
	json_close(buf, '}');
	madkit_buf_char(buf, 0);
	return buf->error ? NULL : buf->data;
}
