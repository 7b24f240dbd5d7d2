/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include "cli/cli.h"
#include "mad_file.h"
#include "util/array_size.h"

/* Maximum length of an RMPP message. */
#define MESSAGE_MAX ((size_t)1 << 30)

/* Maximum number of bytes that decide if a file is text: at most its first line. */
#define TEXT_BYTES 64
/* Length of struct ib_user_mad_hdr, and the offset of its address (qpn). */
#define UMAD_HEADER_BYTES 64
#define UMAD_ADDRESS_AT   20
/* Length of the longest magic number of a capture or a compressed file. */
#define MAGIC_BYTES 4

/* The UTF-8 byte order mark, which may begin a text. */
#define BOM_BYTES 3

static bool mad_file_has_bom(const struct input *in)
{
	return input_have(in) >= BOM_BYTES && !memcmp(input_bytes(in), "\xef\xbb\xbf", BOM_BYTES);
}

/* Returns 1 for text, 0 for other data, -EAGAIN if the first line, or TEXT_BYTES of it, has not been read yet. */
static int mad_file_is_text(const struct input *in)
{
	const uint8_t *p = input_bytes(in);
	size_t n = input_have(in), i;

	if (!n || (p[0] >= 0x80 && !mad_file_has_bom(in)))
		return 0;
	for (i = 0; i < n && i < TEXT_BYTES; i++) {
		/* ESC begins a colour */
		if (p[i] == 0x7f || (p[i] < 0x20 && !isspace(p[i]) && p[i] != 0x1b))
			return 0;
		if (p[i] == '\n')
			return 1;
	}
	return i < TEXT_BYTES && !in->eof ? -EAGAIN : 1;
}

/* Names the program that must first convert a file that madrecv cannot read. */
static bool mad_file_is_compressed(struct mad_file *f)
{
	static const struct {
		const char *magic, *name, *program;
	} list[] = {
		{ "\x1f\x8b", "gzip", "zcat" },
		{ "BZh", "bzip2", "bzcat" },
		{ "\xfd"
		  "7zX",
		  "xz", "xzcat" },
		{ "\x28\xb5\x2f\xfd", "zstd", "zstdcat" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		size_t n = strlen(list[i].magic);

		if (input_have(&f->in) < n || memcmp(input_bytes(&f->in), list[i].magic, n))
			continue;
		snprintf(f->trouble, sizeof(f->trouble), "compressed with %s: use %s FILE | madrecv -r -",
			 list[i].name, list[i].program);
		return true;
	}
	return false;
}

/*
 * Detects the type of the file from as few bytes as possible. The result does not depend on the sizes of reads, and a
 * live pipe is decided early. The base version of a raw MAD begins neither text nor a magic number. Returns 0 or
 * -EAGAIN.
 */
static int mad_file_decide_kind(struct mad_file *f)
{
	const struct input *in = &f->in;
	size_t n = input_have(in);
	int text;

	if (n && !mad_lost(input_bytes(in))) {
		f->kind = MAD_FILE_RAW;
		return 0;
	}
	if (n < MAGIC_BYTES && !in->eof)
		return -EAGAIN;
	if (madkit_capture_begins(input_bytes(in), n)) {
		f->kind = MAD_FILE_CAPTURE;
	} else if (mad_file_is_compressed(f)) {
		f->kind = MAD_FILE_COMPRESSED;
	} else {
		text = mad_file_is_text(in);
		if (text < 0)
			return text;
		f->kind = text ? MAD_FILE_HEX : MAD_FILE_RAW;
		if (text && mad_file_has_bom(in))
			f->in.used += BOM_BYTES;
	}
	return 0;
}

void mad_file_open(struct mad_file *f, int fd)
{
	memset(f, 0, sizeof(*f));
	input_init(&f->in, fd);
	hex_text_init(&f->hex);
	madkit_capture_init(&f->capture);
}

void mad_file_close(struct mad_file *f)
{
	hex_text_free(&f->hex);
	madkit_capture_free(&f->capture);
	segments_free(&f->segments);
	input_close(&f->in);
}

int mad_file_read(struct mad_file *f)
{
	int ret = input_read(&f->in);

	return ret < 0 ? ret : 0;
}

/* Returns 1 if the MAD is shown by itself, 0 if it is a segment, which is kept, or -ENOMEM. Bytes without a base
 * version are never a segment. */
static int put_together(struct mad_file *f, struct mad_piece *piece)
{
	int ret = piece->lost ? 0 : segments_add(&f->segments, piece);

	if (ret > 0)
		piece->mad = NULL;
	return ret < 0 ? ret : !ret;
}

/* ---- raw bytes and hex ------------------------------------------------------------ */

struct view {
	const uint8_t *bytes;
	size_t have;
};

/* Makes n bytes available, or fewer at the end. Returns 0 or -EAGAIN. */
static int mad_file_need(struct mad_file *f, size_t n, struct view *v)
{
	if (f->kind == MAD_FILE_HEX) {
		int ret = hex_text_need(&f->hex, &f->in, n);

		v->bytes = hex_text_bytes(&f->hex);
		v->have = hex_text_have(&f->hex);
		return ret;
	}
	v->bytes = input_bytes(&f->in);
	v->have = input_have(&f->in);
	return v->have < n && !f->in.eof ? -EAGAIN : 0;
}

/*
 * Returns the length of the message that begins with this frame. It is longer than the frame if PayloadLength says that
 * this is a reassembled RMPP message: the headers of the first segment, then all data.
 */
static size_t message_length(const uint8_t *mad, size_t frame)
{
	size_t begin = madkit_class_data_offset(mad[MADKIT_MAD_CLASS]);
	size_t head = begin - MADKIT_RMPP_END, segment = frame - MADKIT_RMPP_END;
	uint64_t payload, heads;

	if (!madkit_mad_has_rmpp(mad, frame) || madkit_rmpp_get_type(mad) != MADKIT_RMPP_DATA ||
	    !(madkit_rmpp_get_flags(mad) & MADKIT_RMPP_FIRST))
		return frame;
	payload = madkit_rmpp_get_length(mad);
	heads = (payload + segment - 1) / segment * head;
	if (payload <= heads || begin + payload - heads > MESSAGE_MAX)
		return frame;
	payload += begin - heads;
	return payload > frame ? (size_t)payload : frame;
}

/* Decides if bytes continue as MADs of any version would: two MADs, or as many as are left in the file. Returns 1, 0
 * or -EAGAIN. */
static int mad_file_continues(struct mad_file *f, struct view *v, size_t at)
{
	for (int i = 0; i < 2; i++) {
		if (mad_file_need(f, at + 2, v))
			return -EAGAIN;
		if (v->have < at + 2)
			break;
		if (mad_lost(v->bytes + at) || !madkit_class_get(v->bytes[at + 1]))
			return 0;
		at += madkit_mad_bytes(v->bytes[at]);
	}
	return 1;
}

/*
 * Finds the end of the first piece: the end of its frame, or of the reassembled message that begins with it, if the
 * file holds all data of that message. After a first segment may come the next segment, another message, or data. It is
 * not data if the same header follows, or if any MAD header follows while no MAD begins at the end of the message. A
 * length that does not lead to a plausible end is ignored. Returns 0 or -EAGAIN.
 */
static int mad_file_delimit(struct mad_file *f, struct view *v, size_t *want)
{
	size_t frame = madkit_mad_bytes(v->bytes[0]), whole;

	*want = frame;
	if (mad_file_need(f, frame, v))
		return -EAGAIN;
	whole = v->have < frame ? frame : message_length(v->bytes, frame);
	if (whole == frame)
		return 0;
	if (mad_file_need(f, frame + MADKIT_HEADER_BYTES, v))
		return -EAGAIN;
	if (v->have <= frame ||
	    (v->have >= frame + MADKIT_HEADER_BYTES && mad_same_message(v->bytes, v->bytes + frame)))
		return 0;
	if (v->have >= frame + 4 && !mad_lost(v->bytes + frame)) {
		if (mad_file_need(f, whole + 4, v))
			return -EAGAIN;
		if (v->have != whole && (v->have < whole + 4 || !mad_begins(v->bytes + whole))) {
			int more = mad_begins(v->bytes + frame) ? 1 : mad_file_continues(f, v, frame);

			if (more)
				return more < 0 ? more : 0;
		}
	}
	*want = whole;
	return mad_file_need(f, whole, v);
}

/*
 * libibmad -d also prints the umad header of the MADs that it sends. At that point only its address is set, and the
 * bytes before it are zero. Drops this header. Returns 0 or -EAGAIN.
 */
static int drop_umad_header(struct mad_file *f, struct view *v)
{
	static const uint8_t unset[UMAD_ADDRESS_AT];

	if (!mad_lost(v->bytes))
		return 0;
	if (mad_file_need(f, UMAD_HEADER_BYTES + 4, v))
		return -EAGAIN;
	if (v->have < UMAD_HEADER_BYTES + 4 || memcmp(v->bytes, unset, sizeof(unset)) ||
	    !mad_begins(v->bytes + UMAD_HEADER_BYTES))
		return 0;
	f->hex.dump.used += UMAD_HEADER_BYTES;
	return mad_file_need(f, 1, v);
}

/* At the end of the text, reports its error. Returns 1 with *piece, or 0. */
static int end_of_bytes(struct mad_file *f, struct mad_piece *piece)
{
	struct hex_text *t = &f->hex;

	*piece = (struct mad_piece){ .time = { .tv_nsec = -1 } };
	if (t->error == -EINVAL) {
		/* other dumps may follow */
		piece->trouble = t->trouble;
		hex_text_drop(t, true);
		t->doubtful = true;
	} else if (t->error) {
		piece->trouble = t->trouble;
		f->ended = true;
	} else {
		f->ended = true;
		if (t->skipped && !t->last)
			piece->trouble = t->unread;
	}
	return piece->trouble ? 1 : segments_end(&f->segments, piece);
}

/* Decides if the hex text begins with the piece. Returns 1; 0 if not, which drops the bytes and may set
 * piece->trouble; or -EAGAIN. */
static int check_hex(struct mad_file *f, struct view *v, struct mad_piece *piece)
{
	int ret = hex_text_check(&f->hex, &f->in, piece->want);

	if (!ret && f->hex.refusal[0])
		*piece = (struct mad_piece){ .time = { .tv_nsec = -1 }, .trouble = f->hex.refusal };
	v->bytes = hex_text_bytes(&f->hex);
	v->have = hex_text_have(&f->hex);
	return ret;
}

/* Marks the bytes of the piece as used. After bytes that are not a MAD, the next boundary is unknown. */
static void mad_file_use_bytes(struct mad_file *f, const struct mad_piece *piece)
{
	f->offset += piece->len;
	if (f->kind != MAD_FILE_HEX) {
		f->in.used += piece->len;
		f->ended = piece->lost;
	} else if (piece->lost) {
		/* other dumps may follow */
		hex_text_drop(&f->hex, true);
		f->hex.doubtful = true;
	} else {
		f->hex.dump.used += piece->len;
	}
}

static int next_in_bytes(struct mad_file *f, struct mad_piece *piece)
{
	bool hex = f->kind == MAD_FILE_HEX;
	struct view v;
	int ret;

	do {
		if (segments_next(&f->segments, piece))
			return 1;
		if (mad_file_need(f, 1, &v))
			return -EAGAIN;
		if (!v.have)
			return end_of_bytes(f, piece);
		if ((hex && drop_umad_header(f, &v)) || mad_file_delimit(f, &v, &piece->want))
			return -EAGAIN;
		ret = hex ? check_hex(f, &v, piece) : 1;
		if (ret < 0 || piece->trouble)
			return ret < 0 ? ret : 1;
		if (!ret)
			continue;
		piece->offset = f->offset;
		piece->mad = v.bytes;
		piece->len = v.have < piece->want ? v.have : piece->want;
		piece->lost = mad_lost(v.bytes);
		if (hex)
			piece->time = f->hex.time;
		mad_file_use_bytes(f, piece);
		ret = put_together(f, piece);
	} while (!ret);
	return ret;
}

/* ---- captures ---------------------------------------------------------------------- */

static int mad_file_complain(struct mad_file *f, struct mad_piece *piece, const char *what)
{
	snprintf(f->trouble, sizeof(f->trouble), "offset %" PRIu64 ": %s", piece->offset, what);
	piece->trouble = f->trouble;
	return 1;
}

/* Link types that are not supported are reported once each, up to the number of bits in the set. */
static bool mad_file_reported(struct mad_file *f, uint16_t link_type)
{
	uint64_t bit = UINT64_C(1) << link_type % 64;
	uint64_t *word = &f->reported[link_type / 64 % 4];
	bool was = *word & bit;

	*word |= bit;
	return was;
}

/* Returns 1 with a piece, 0 if nothing is to be shown, or -ENOMEM. */
static int mad_file_unpack(struct mad_file *f, const struct madkit_packet *packet, struct mad_piece *piece)
{
	struct madkit_packet_mad *m = &f->packet_mad;
	struct madkit_error error = { .text = "" };
	int ret = madkit_packet_get_mad(packet, m, &error);

	f->packets++;
	piece->offset = packet->offset;
	if (ret > 0 && m->len) {
		piece->mad = m->mad;
		piece->len = m->len;
		piece->want = m->bytes;
		piece->time = packet->time;
		piece->source = &m->source;
		piece->destination = &m->destination;
		piece->lost = mad_lost(m->mad);
		ret = put_together(f, piece);
		if (ret == -ENOMEM)
			return ret;
	} else {
		f->skipped++;
	}
	if (packet->missing) {
		snprintf(error.text, sizeof(error.text),
			 "the file ends within a packet: %zu bytes are missing", packet->missing);
		return mad_file_complain(f, piece, error.text);
	}
	if (packet->wire < packet->len) {
		snprintf(error.text, sizeof(error.text), "a packet of %zu bytes, of which %zu were captured",
			 packet->wire, packet->len);
		return mad_file_complain(f, piece, error.text);
	}
	if (ret == -EOPNOTSUPP && mad_file_reported(f, packet->link_type))
		return 0;
	if (ret > 0 && !m->len)
		return mad_file_complain(f, piece, "the packet is cut before its MAD");
	return ret < 0 ? mad_file_complain(f, piece, error.text) : ret;
}

static int next_in_capture(struct mad_file *f, struct mad_piece *piece)
{
	struct madkit_error error = { .text = "" };
	struct madkit_packet packet;
	size_t used;
	int ret;

	do {
		if (segments_next(&f->segments, piece))
			return 1;
		ret = madkit_capture_next(&f->capture, input_bytes(&f->in), input_have(&f->in), f->in.eof,
					  &used, &packet, &error);
		f->in.used += used;
		if (ret < 0) {
			piece->offset = packet.offset;
			f->ended = ret != -EPROTO;
			return mad_file_complain(f, piece, error.text);
		}
		if (!ret) {
			f->ended = f->in.eof;
			return f->ended ? segments_end(&f->segments, piece) : -EAGAIN;
		}
		ret = mad_file_unpack(f, &packet, piece);
	} while (!ret);
	return ret;
}

int mad_file_next(struct mad_file *f, struct mad_piece *piece)
{
	*piece = (struct mad_piece){ .time = { .tv_nsec = -1 } };
	if (f->ended)
		return segments_end(&f->segments, piece);
	if (f->kind == MAD_FILE_UNKNOWN && mad_file_decide_kind(f))
		return -EAGAIN;
	if (f->kind == MAD_FILE_COMPRESSED) {
		f->ended = true;
		piece->trouble = f->trouble;
		return 1;
	}
	return f->kind == MAD_FILE_CAPTURE ? next_in_capture(f, piece) : next_in_bytes(f, piece);
}
