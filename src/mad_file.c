/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include "cli.h"
#include "mad_file.h"

#define CHUNK		((size_t)1 << 16)
/* A line of hex text, and an RMPP message, at most. */
#define LINE_MAX_BYTES	((size_t)1 << 20)
#define MESSAGE_MAX	((size_t)1 << 30)

/* Moves what is not used to the front, once that is worth it. */
static void compact(struct madkit_buf *buf, size_t *used)
{
	if (*used < CHUNK && *used < buf->len)
		return;
	memmove(buf->data, buf->data + *used, buf->len - *used);
	buf->len -= *used;
	*used = 0;
}

/* Reads more. 1, 0 at the end, -errno. */
static int fill(struct mad_file *f)
{
	ssize_t n;

	if (f->eof)
		return 0;
	if (f->in_used)
		compact(&f->in, &f->in_used);
	if (!madkit_buf_room(&f->in, CHUNK))
		return f->in.error;
	n = read(f->fd, f->in.data + f->in.len, CHUNK);
	if (n < 0)
		return -errno;
	f->in.len += (size_t)n;
	f->eof = !n;
	return n > 0;
}

int mad_file_open(struct mad_file *f, int fd)
{
	int ret;

	memset(f, 0, sizeof(*f));
	f->fd = fd;
	madkit_buf_init(&f->in, 0);
	madkit_buf_init(&f->mads, 0);
	do {	/* not every signal is one that asks to stop */
		ret = fill(f);
	} while (ret == -EINTR && !cli_stopped());
	if (ret < 0)
		return ret;
	/* a MAD begins with a base version, which is no text */
	f->hex = f->in.len > 0;
	for (size_t i = 0; i < f->in.len && i < 64; i++) {
		unsigned char c = (unsigned char)f->in.data[i];

		if (c >= 0x7f || (c < 0x20 && !isspace(c)))
			f->hex = false;
	}
	return 0;
}

bool mad_file_is_capture(const struct mad_file *f)
{
	static const char magics[][5] = {
		"\xd4\xc3\xb2\xa1", "\xa1\xb2\xc3\xd4", "\x4d\x3c\xb2\xa1",
		"\xa1\xb2\x3c\x4d", "\x0a\x0d\x0d\x0a",
	};

	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (f->in.len >= 4 && !memcmp(f->in.data, magics[i], 4))
			return true;
	return false;
}

void mad_file_close(struct mad_file *f)
{
	madkit_buf_free(&f->in);
	madkit_buf_free(&f->mads);
	if (f->fd > STDERR_FILENO)
		close(f->fd);
}

/* ---- hex text ------------------------------------------------------------------- */

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == ',';
}

/* The next line without its newline, not consumed. 1, 0 the end, -errno. */
static int peek_line(struct mad_file *f, const char **line, size_t *len)
{
	for (;;) {
		size_t n = f->in.len - f->in_used;
		const char *text = f->in.data + f->in_used;
		const char *newline = n ? memchr(text, '\n', n) : NULL;
		int ret;

		if (newline || (f->eof && n)) {
			*line = text;
			*len = newline ? (size_t)(newline - text) : n;
			return 1;
		}
		if (n > LINE_MAX_BYTES) {
			snprintf(f->trouble, sizeof(f->trouble), "line %llu is too long",
				 (unsigned long long)f->line + 1);
			return -EINVAL;
		}
		ret = fill(f);
		if (ret < 0 || (!ret && f->in.len == f->in_used))
			return ret;
	}
}

static void consume_line(struct mad_file *f, size_t len)
{
	f->in_used += len;
	if (f->in_used < f->in.len)
		f->in_used++;	/* the newline */
	f->line++;
}

/* "0010:" before the bytes: how long it is, 0: there is none. */
static size_t label(const char *line, size_t len, bool *zero)
{
	size_t n = 0;

	*zero = true;
	while (n < len && cli_hex_digit(line[n]) >= 0)
		*zero &= line[n++] == '0';
	return n && n < len && line[n] == ':' ? n + 1 : 0;
}

/* The bytes of one line, appended. After a label two blanks end them: there a
 * dump may repeat them as characters. 0 or -EINVAL. */
static int take_line(struct mad_file *f, const char *line, size_t len)
{
	bool zero;
	size_t begin = label(line, len, &zero), i = begin, had = f->mads.len;

	if (len && line[0] == '#')
		return 0;
	while (i < len) {
		int high, low;

		if (blank(line[i])) {
			if (begin && f->mads.len > had && i + 1 < len &&
			    blank(line[i + 1]))
				break;
			i++;
			continue;
		}
		if (line[i] == '0' && i + 1 < len && (line[i + 1] | 0x20) == 'x') {
			i += 2;
			continue;
		}
		high = cli_hex_digit(line[i]);
		low = i + 1 < len ? cli_hex_digit(line[i + 1]) : -1;
		if (high < 0 || low < 0) {
			snprintf(f->trouble, sizeof(f->trouble),
				 "line %llu, column %zu: no hex digits in pairs",
				 (unsigned long long)f->line + 1, i + 1);
			return -EINVAL;
		}
		madkit_buf_char(&f->mads, (char)(high << 4 | low));
		i += 2;
	}
	return f->mads.error;
}

/* Takes lines until n bytes are there, the text ends, or a dump begins anew. */
static int decode(struct mad_file *f, size_t n, bool *begins_anew)
{
	const char *line;
	size_t len;
	bool zero;
	int ret = 1;

	*begins_anew = false;
	if (f->mads_used)
		compact(&f->mads, &f->mads_used);
	while (f->mads.len - f->mads_used < n) {
		ret = peek_line(f, &line, &len);
		if (ret <= 0)
			return ret;
		if (f->mads.len > f->mads_used && label(line, len, &zero) && zero) {
			*begins_anew = true;
			return 0;
		}
		ret = take_line(f, line, len);
		if (ret)
			return ret;
		consume_line(f, len);
	}
	return 1;
}

/* ---- pieces ----------------------------------------------------------------------- */

/* Makes n bytes be there, or as many as there are. */
static int need(struct mad_file *f, size_t n, const uint8_t **bytes, size_t *have,
		bool *known_end)
{
	struct madkit_buf *buf = f->hex ? &f->mads : &f->in;
	size_t *used = f->hex ? &f->mads_used : &f->in_used;
	int ret = 1;

	*known_end = false;
	if (f->hex)
		ret = decode(f, n, known_end);
	else
		while (ret > 0 && buf->len - *used < n)
			ret = fill(f);
	*bytes = buf->data ? (const uint8_t *)buf->data + *used : NULL;
	*have = buf->len - *used;
	return ret < 0 ? ret : 0;
}

/*
 * How long a message is that begins with this frame: longer than the frame
 * where it is an RMPP message that was put together (the first segment's
 * headers, then all data), which its PayloadLength tells.
 */
static size_t message_length(const uint8_t *mad, size_t frame)
{
	size_t begin = madkit_class_data_offset(mad[MADKIT_MAD_CLASS]);
	size_t head = begin - MADKIT_RMPP_END, segment = frame - MADKIT_RMPP_END;
	uint64_t payload, heads;

	if (!madkit_mad_has_rmpp(mad, frame) ||
	    madkit_rmpp_get_type(mad) != MADKIT_RMPP_DATA ||
	    !(madkit_rmpp_get_flags(mad) & MADKIT_RMPP_FIRST))
		return frame;
	payload = madkit_rmpp_get_length(mad);
	heads = (payload + segment - 1) / segment * head;
	if (payload <= heads || begin + payload - heads > MESSAGE_MAX)
		return frame;
	payload += begin - heads;
	return payload > frame ? (size_t)payload : frame;
}

bool mad_file_ready(const struct mad_file *f)
{
	if (f->hex)
		return f->in.len > f->in_used;
	return f->in.len - f->in_used >= MADKIT_FRAME_BYTES;
}

int mad_file_next(struct mad_file *f, struct mad_piece *piece)
{
	const uint8_t *bytes;
	size_t have, frame, want;
	bool ended;
	int ret;

	memset(piece, 0, sizeof(*piece));
	piece->offset = f->offset;
	if (f->error)
		return f->error;
	ret = need(f, 1, &bytes, &have, &ended);
	if (have) {
		frame = want = madkit_mad_bytes(bytes[0]);
		piece->lost = bytes[0] != MADKIT_BASE_VERSION_IB &&
			      bytes[0] != MADKIT_BASE_VERSION_OPA;
		if (!ret)
			ret = need(f, frame, &bytes, &have, &ended);
		if (!ret && have >= frame && message_length(bytes, frame) > frame) {
			/* put together, or one of several segments in a row? */
			ret = need(f, frame + 4, &bytes, &have, &ended);
			if (!ret && have >= frame + 4 && memcmp(bytes, bytes + frame, 4)) {
				want = message_length(bytes, frame);
				ret = need(f, want, &bytes, &have, &ended);
			}
		}
		if (ret == -EINTR)
			return ret;
		piece->mad = bytes;
		piece->len = have < want ? have : want;
		piece->want = want;
		/* what follows an end that is not where it should be */
		if (f->hex)
			f->mads_used += piece->len;
		else
			f->in_used += piece->len;
		f->offset += piece->len;
	}
	/* what was read before the trouble is shown first */
	if (ret < 0 && have) {
		f->error = ret;
		return 1;
	}
	return ret < 0 ? ret : have > 0;
}
