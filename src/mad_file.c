/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include "cli.h"
#include "mad_file.h"

/* An RMPP message, at most. */
#define MESSAGE_MAX	((size_t)1 << 30)

static bool is_text(const struct input *in)
{
	const uint8_t *p = input_bytes(in);
	size_t n = input_have(in);

	/* a MAD begins with a base version, which is no text */
	for (size_t i = 0; i < n && i < 64; i++)
		if (p[i] >= 0x7f || (p[i] < 0x20 && !isspace(p[i])))
			return false;
	return n > 0;
}

int mad_file_open(struct mad_file *f, int fd)
{
	int ret;

	memset(f, 0, sizeof(*f));
	input_init(&f->in, fd);
	hex_text_init(&f->hex);
	madkit_capture_init(&f->capture);
	do {	/* not every signal is one that asks to stop */
		ret = input_read(&f->in);
	} while ((ret == -EINTR && !cli_stopped()) ||
		 (ret > 0 && input_have(&f->in) < 4));
	if (ret < 0)
		return ret;
	if (madkit_capture_begins(input_bytes(&f->in), input_have(&f->in)))
		f->kind = MAD_FILE_CAPTURE;
	else if (is_text(&f->in))
		f->kind = MAD_FILE_HEX;
	return 0;
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

/* ---- raw bytes and hex ------------------------------------------------------------ */

struct view {
	const uint8_t *bytes;
	size_t have;
};

/* Looks for n bytes: there may be fewer, at the end. 0 or -EAGAIN. */
static int need(struct mad_file *f, size_t n, struct view *v)
{
	bool anew;

	if (f->kind == MAD_FILE_HEX) {
		struct hex_text *t = &f->hex;

		if (hex_text_need(t, &f->in, n, &anew) == -EAGAIN)
			return -EAGAIN;
		v->bytes = (const uint8_t *)t->bytes.data + t->used;
		v->have = t->bytes.len - t->used;
		return 0;
	}
	v->bytes = input_bytes(&f->in);
	v->have = input_have(&f->in);
	return v->have < n && !f->in.eof ? -EAGAIN : 0;
}

/* Whether these four bytes are the first of a header that a MAD would have: data is not
 * likely to begin so. */
static bool begins_mad(const uint8_t *p)
{
	return (p[0] == MADKIT_BASE_VERSION_IB || p[0] == MADKIT_BASE_VERSION_OPA) &&
	       madkit_class_get(p[1]) && p[2] == madkit_class_version(p[1]) &&
	       madkit_method_name(p[1], p[3]);
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

static int next_in_bytes(struct mad_file *f, struct mad_piece *piece)
{
	struct view v;
	size_t frame;

	if (need(f, 1, &v))
		return -EAGAIN;
	if (!v.have) {
		f->ended = true;
		piece->trouble = f->hex.error ? f->hex.trouble : NULL;
		return piece->trouble != NULL;
	}
	piece->offset = f->offset;
	frame = piece->want = madkit_mad_bytes(v.bytes[0]);
	if (need(f, frame, &v))
		return -EAGAIN;
	if (v.have >= frame && message_length(v.bytes, frame) > frame) {
		/* put together, or with other MADs behind it? */
		if (need(f, frame + 4, &v))
			return -EAGAIN;
		if (v.have >= frame + 4 && !begins_mad(v.bytes + frame)) {
			piece->want = message_length(v.bytes, frame);
			if (need(f, piece->want, &v))
				return -EAGAIN;
		}
	}
	piece->mad = v.bytes;
	piece->len = v.have < piece->want ? v.have : piece->want;
	piece->lost = v.bytes[0] != MADKIT_BASE_VERSION_IB &&
		      v.bytes[0] != MADKIT_BASE_VERSION_OPA;
	f->ended = piece->lost;
	f->offset += piece->len;
	if (f->kind == MAD_FILE_HEX)
		f->hex.used += piece->len;
	else
		f->in.used += piece->len;
	return 1;
}

/* ---- captures ---------------------------------------------------------------------- */

static int complain(struct mad_file *f, struct mad_piece *piece, const char *what)
{
	snprintf(f->trouble, sizeof(f->trouble), "offset %" PRIu64 ": %s",
		 piece->offset, what);
	piece->trouble = f->trouble;
	return 1;
}

/* Link types that are not read are told once each, as far as there are bits. */
static bool told(struct mad_file *f, uint16_t link_type)
{
	uint64_t bit = UINT64_C(1) << link_type % 64;
	uint64_t *word = &f->told[link_type / 64 % 4];
	bool was = *word & bit;

	*word |= bit;
	return was;
}

static void put_message(struct mad_piece *piece, const struct segments_message *m)
{
	piece->mad = (const uint8_t *)m->bytes.data;
	piece->len = piece->want = m->bytes.len;
	piece->offset = m->offset;
	piece->time = m->time;
	piece->source = &m->source;
	piece->destination = &m->destination;
}

/* A MAD, or the message that it makes whole, or nothing yet. */
static int put_mad(struct mad_file *f, const struct madkit_packet *packet,
		   struct mad_piece *piece)
{
	const struct madkit_packet_mad *m = &f->packet_mad;
	const struct segments_message *message;
	int ret = segments_add(&f->segments, m, packet, &message);

	if (ret == SEGMENTS_WHOLE)
		put_message(piece, message);
	if (ret != SEGMENTS_SINGLE)
		return ret < 0 ? ret : ret == SEGMENTS_WHOLE;
	piece->mad = m->mad;
	piece->len = m->len;
	piece->want = m->bytes;
	piece->time = packet->time;
	piece->source = &m->source;
	piece->destination = &m->destination;
	piece->lost = m->mad[0] != MADKIT_BASE_VERSION_IB &&
		      m->mad[0] != MADKIT_BASE_VERSION_OPA;
	return 1;
}

/* A message that there is no more of, or will not be waited for. */
static int put_partial(struct mad_file *f, struct mad_piece *piece)
{
	const struct segments_message *m = segments_drop(&f->segments, f->ended);

	if (!m)
		return 0;
	put_message(piece, m);
	piece->partial = true;
	return 1;
}

/* 1 a piece, 0 nothing to show, -ENOMEM. */
static int unpack(struct mad_file *f, const struct madkit_packet *packet,
		  struct mad_piece *piece)
{
	struct madkit_packet_mad *m = &f->packet_mad;
	struct madkit_error error = { .text = "" };
	int ret = madkit_packet_get_mad(packet, m, &error);

	f->packets++;
	piece->offset = packet->offset;
	if (ret > 0 && m->len) {
		ret = put_mad(f, packet, piece);
		if (ret == -ENOMEM)
			return ret;
	} else {
		f->skipped++;
	}
	if (packet->missing) {
		snprintf(error.text, sizeof(error.text),
			 "the file ends within a packet: %zu bytes are missing",
			 packet->missing);
		return complain(f, piece, error.text);
	}
	if (packet->wire < packet->len) {
		snprintf(error.text, sizeof(error.text),
			 "a packet of %zu bytes, of which %zu were captured",
			 packet->wire, packet->len);
		return complain(f, piece, error.text);
	}
	if (ret == -EOPNOTSUPP && told(f, packet->link_type))
		return 0;
	if (ret > 0 && !m->len)
		return complain(f, piece, "the packet is cut before its MAD");
	return ret < 0 ? complain(f, piece, error.text) : ret;
}

static int next_in_capture(struct mad_file *f, struct mad_piece *piece)
{
	struct madkit_error error = { .text = "" };
	struct madkit_packet packet;
	size_t used;
	int ret;

	do {
		if (put_partial(f, piece))
			return 1;
		ret = madkit_capture_next(&f->capture, input_bytes(&f->in),
					  input_have(&f->in), f->in.eof, &used,
					  &packet, &error);
		f->in.used += used;
		if (ret < 0) {
			piece->offset = packet.offset;
			f->ended = ret != -EPROTO;
			return complain(f, piece, error.text);
		}
		if (!ret) {
			f->ended = f->in.eof;
			return f->ended ? put_partial(f, piece) : -EAGAIN;
		}
		ret = unpack(f, &packet, piece);
	} while (!ret);
	return ret;
}

int mad_file_next(struct mad_file *f, struct mad_piece *piece)
{
	*piece = (struct mad_piece){ .time = { .tv_nsec = -1 } };
	if (f->ended)
		return put_partial(f, piece);
	return f->kind == MAD_FILE_CAPTURE ? next_in_capture(f, piece) :
					     next_in_bytes(f, piece);
}
