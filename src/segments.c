/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* IBA volume 1, section 13.6.2: segments are numbered from 1; those that are not
 * the last are full. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include "segments.h"

/* What is held of messages that are not whole. */
#define OPEN_MAX	1024
#define HELD_MAX	((size_t)1 << 28)

/* A message of which segments are there. */
struct segments_message {
	struct madkit_buf bytes;	/* the first one's headers, then all data */
	struct mad_piece first;		/* where it stands in the file */
	struct madkit_addr source, destination;
	uint32_t next;			/* the segment that is awaited */
};

static void message_free(struct segments_message *m)
{
	if (m)
		madkit_buf_free(&m->bytes);
	free(m);
}

void segments_free(struct segments *s)
{
	for (size_t i = 0; i < s->count; i++)
		message_free(s->open[i]);
	free(s->open);
	message_free(s->shown);
	memset(s, 0, sizeof(*s));
}

/* Takes it out of those that are open; it lives until the next one is. */
static void hand_out(struct segments *s, size_t i, struct mad_piece *piece)
{
	struct segments_message *m = s->open[i];

	message_free(s->shown);
	s->shown = m;
	s->held -= m->bytes.len;
	s->count--;
	memmove(&s->open[i], &s->open[i + 1], (s->count - i) * sizeof(s->open[0]));
	*piece = m->first;
	piece->mad = (const uint8_t *)m->bytes.data;
	piece->len = piece->want = m->bytes.len;
}

int segments_drop(struct segments *s, bool all, struct mad_piece *piece)
{
	if (!s->count || (!all && s->count <= OPEN_MAX && s->held <= HELD_MAX))
		return 0;
	hand_out(s, 0, piece);
	piece->partial = true;
	return 1;
}

/* Files without addresses have none for any. */
static bool same_end(const struct madkit_addr *a, const struct madkit_addr *b)
{
	if (!a || !b)
		return a == b;
	return a->lid == b->lid && a->qp == b->qp && a->grh == b->grh &&
	       !memcmp(a->gid, b->gid, sizeof(a->gid));
}

/* Class, version and method, TID, attribute and modifier. */
static bool same_header(const uint8_t *a, const uint8_t *b)
{
	return !memcmp(a, b, MADKIT_MAD_STATUS) &&
	       !memcmp(a + MADKIT_MAD_TID, b + MADKIT_MAD_TID,
		       MADKIT_HEADER_BYTES - MADKIT_MAD_TID);
}

static size_t find(const struct segments *s, const struct mad_piece *mad)
{
	size_t i = s->count;

	/* the latest first: it is most often the one */
	while (i-- > 0) {
		const struct segments_message *m = s->open[i];

		if (same_header((const uint8_t *)m->bytes.data, mad->mad) &&
		    same_end(m->first.source, mad->source) &&
		    same_end(m->first.destination, mad->destination))
			return i;
	}
	return s->count;
}

static int begin(struct segments *s, const struct mad_piece *mad)
{
	struct segments_message *m;

	if (s->count == s->room) {
		size_t room = s->room ? s->room * 2 : 16;
		void *open = realloc(s->open, room * sizeof(s->open[0]));

		if (!open)
			return -ENOMEM;
		s->open = open;
		s->room = room;
	}
	m = malloc(sizeof(*m));
	if (!m)
		return -ENOMEM;
	*m = (struct segments_message){ .first = *mad, .next = 2 };
	if (mad->source) {
		m->source = *mad->source;
		m->first.source = &m->source;
	}
	if (mad->destination) {
		m->destination = *mad->destination;
		m->first.destination = &m->destination;
	}
	madkit_buf_init(&m->bytes, HELD_MAX);
	madkit_buf_add(&m->bytes, mad->mad, mad->len);
	if (m->bytes.error) {
		message_free(m);
		return -ENOMEM;
	}
	s->open[s->count++] = m;
	s->held += mad->len;
	return SEGMENTS_TAKEN;
}

/* The data of a segment behind the first. False: it makes no sense. */
static bool append(struct segments *s, struct segments_message *m,
		   const struct mad_piece *mad, bool last)
{
	size_t begin = madkit_class_data_offset(mad->mad[MADKIT_MAD_CLASS]);
	size_t head = begin - MADKIT_RMPP_END, n = mad->len - begin;
	uint32_t payload = madkit_rmpp_get_length(mad->mad);

	if (last && payload) {
		if (payload < head || payload - head > n)
			return false;
		n = payload - head;
	}
	madkit_buf_add(&m->bytes, mad->mad + begin, n);
	m->next++;
	s->held += m->bytes.error ? 0 : n;
	return !m->bytes.error;
}

/* Where the first segment did not know how much would come, it does now. */
static void put_length(struct segments_message *m, uint32_t segments)
{
	uint8_t *first = (uint8_t *)m->bytes.data;
	size_t begin = madkit_class_data_offset(first[MADKIT_MAD_CLASS]);

	if (!madkit_rmpp_get_length(first))
		madkit_rmpp_set_length(first, (uint32_t)(m->bytes.len - begin +
				segments * (begin - MADKIT_RMPP_END)));
}

int segments_add(struct segments *s, struct mad_piece *mad)
{
	uint32_t number;
	uint8_t flags;
	bool last;
	size_t i;

	if (mad->len < mad->want || !madkit_mad_has_rmpp(mad->mad, mad->len) ||
	    mad->len != madkit_mad_bytes(mad->mad[MADKIT_MAD_BASE_VERSION]) ||
	    madkit_rmpp_get_type(mad->mad) != MADKIT_RMPP_DATA)
		return SEGMENTS_SINGLE;
	number = madkit_rmpp_get_segment(mad->mad);
	flags = madkit_rmpp_get_flags(mad->mad);
	last = flags & MADKIT_RMPP_LAST;
	i = find(s, mad);
	if (flags & MADKIT_RMPP_FIRST) {
		uint32_t length = madkit_rmpp_get_length(mad->mad);

		if (last || number != 1 ||
		    (length && length <= mad->len - MADKIT_RMPP_END))
			return SEGMENTS_SINGLE;
		/* sent again */
		return i < s->count ? SEGMENTS_TAKEN : begin(s, mad);
	}
	if (i == s->count)
		return SEGMENTS_SINGLE;
	if (number < s->open[i]->next)
		return SEGMENTS_TAKEN;
	if (number > s->open[i]->next || !append(s, s->open[i], mad, last))
		return SEGMENTS_SINGLE;
	if (!last)
		return SEGMENTS_TAKEN;
	put_length(s->open[i], number);
	hand_out(s, i, mad);
	return SEGMENTS_WHOLE;
}
