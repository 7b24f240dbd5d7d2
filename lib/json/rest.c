/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the rest of a line: bytes of the message by their offsets. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/mad.h>
#include <madkit/message.h>
#include <madkit/num.h>
#include "json/line.h"
#include "json/value.h"
#include "wire/wire_int.h"

int line_extend(struct madkit_buf *mad, size_t len)
{
	char *room;

	if (len <= mad->len)
		return 0;
	room = len <= LINE_MESSAGE_MAX ? madkit_buf_room(mad, len - mad->len) : NULL;
	if (!room)
		return len > LINE_MESSAGE_MAX ? -EFBIG : -ENOMEM;
	memset(room, 0, len - mad->len);
	mad->len = len;
	return 0;
}

int line_reach(struct madkit_buf *mad, size_t len, const char *scope, const char *key,
	       struct madkit_error *error)
{
	const uint8_t *p = (const uint8_t *)mad->data;
	size_t frame = madkit_mad_bytes(p[MADKIT_MAD_BASE_VERSION]);

	if (len > frame && !madkit_class_is_rmpp(p[MADKIT_MAD_CLASS]))
		return json_error(error, scope, key, "extends to byte %zu: a MAD of this class has %zu bytes",
				  len, frame);
	if (len > LINE_MESSAGE_MAX)
		return json_error(error, scope, key, "extends to byte %zu: a message has at most %d bytes",
				  len, LINE_MESSAGE_MAX);
	return line_extend(mad, len);
}

/* Returns the bits of the common header that fields cover, zero or not: rest must not change anything that
 * was checked. */
static uint8_t header_bits(const uint8_t *mad, size_t at)
{
	uint8_t all[MADKIT_HEADER_BYTES], unnamed[MADKIT_HEADER_BYTES];

	if (at >= sizeof(all))
		return 0;
	memset(all, 0xff, sizeof(all));
	layout_rest(layout_of_header(mad[MADKIT_MAD_CLASS]), all, sizeof(all), unnamed);
	return (uint8_t)~unnamed[at];
}

/* Writes one entry: bytes in hex. */
static int put_entry(struct madkit_buf *buf, const char *key, const struct json_token *value, size_t *end,
		     struct madkit_error *error)
{
	size_t n = json_length(value) / 2;
	uint8_t *bytes, *mad;
	uint64_t at;
	int ret;

	if (madkit_parse_number(key, strlen(key), LINE_MESSAGE_MAX, key, &at, NULL))
		return json_error(error, "rest", key, "is not a byte offset");
	ret = line_reach(buf, at + n, "rest", key, error);
	bytes = ret ? NULL : malloc(n + 1);
	if (!bytes)
		return ret ? ret : -ENOMEM;
	mad = (uint8_t *)buf->data;
	ret = json_get_bytes(value, bytes, n, "rest", key, error);
	for (size_t i = 0; ret >= 0 && i < n; i++) {
		if ((mad[at + i] | header_bits(mad, at + i)) & bytes[i])
			ret = json_error(error, "rest", key, "byte %zu also has bits of a field",
					 (size_t)at + i);
		mad[at + i] |= bytes[i];
	}
	free(bytes);
	if (at + n > *end)
		*end = (size_t)at + n;
	return ret < 0 ? ret : 0;
}

int line_rest(struct madkit_buf *mad, const struct json_token *rest, size_t *end, struct madkit_error *error)
{
	int ret = 0;

	if (!rest)
		return 0;
	if (!json_is(rest, SCAN_OBJECT))
		return json_error(error, "", "rest", "is not an object");
	json_each(key, rest) {
		ret = put_entry(mad, key->text, key + 1, end, error);
		if (ret)
			break;
	}
	return ret;
}
