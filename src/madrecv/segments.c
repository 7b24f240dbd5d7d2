/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/mad.h>
#include "segments.h"

enum {
	/* The receiver accepts segments in order. An early segment is kept here with its header, and is shown by
	 * itself if the file lacks the segments before it. */
	WINDOW = 1,
	/* A segment with a known number is taken for a retransmission for this many MADs, else for part of a new
	 * message. This applies only if addresses show that the peers are the same. */
	HOLD = 4096,
};

#define NO_TIME UINT64_MAX
#define SECOND  UINT64_C(1000000000)

static void *segments_resize(void *context, void *old, size_t old_size, size_t size)
{
	(void)context;
	(void)old_size;
	if (size)
		return realloc(old, size);
	free(old);
	return NULL;
}

static const struct madkit_rmpp_heap heap = { .resize = segments_resize };

/* ---- segments that were read before an earlier one --------------------------------- */

/* FNV-1a */
#define FNV_BASIS UINT64_C(14695981039346656037)
#define FNV_PRIME UINT64_C(1099511628211)

static uint64_t segments_hash(uint64_t hash, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ p[i]) * FNV_PRIME;
	return hash;
}

/* Hashes all bytes of a MAD by words: the length is a multiple of 8. */
static uint64_t segments_content(const uint8_t *mad, size_t n)
{
	uint64_t hash = n, word;

	for (size_t i = 0; i + sizeof(word) <= n; i += sizeof(word)) {
		memcpy(&word, mad + i, sizeof(word));
		hash = (hash ^ word) * FNV_PRIME;
		hash ^= hash >> 32;
	}
	return hash;
}

static uint64_t segments_hash_end(uint64_t hash, const struct madkit_addr *end)
{
	hash = segments_hash(hash, &end->lid, sizeof(end->lid));
	hash = segments_hash(hash, &end->qp, sizeof(end->qp));
	return end->grh ? segments_hash(hash, end->gid, sizeof(end->gid)) : hash;
}

static void segments_key(struct segments_key *key, const struct madkit_addr *from,
			 const struct madkit_addr *to, const uint8_t *header)
{
	key->from = *from;
	key->to = *to;
	memcpy(key->header, header, MADKIT_HEADER_BYTES);
	memset(key->header + MADKIT_MAD_STATUS, 0, 2);
	key->hash = segments_hash(FNV_BASIS, key->header, MADKIT_HEADER_BYTES);
	key->hash = segments_hash_end(segments_hash_end(key->hash, from), to);
}

static bool segments_same_end(const struct madkit_addr *a, const struct madkit_addr *b)
{
	return a->lid == b->lid && a->qp == b->qp && a->grh == b->grh &&
	       (!a->grh || !memcmp(a->gid, b->gid, sizeof(a->gid)));
}

static bool segments_same_key(const struct segments_key *a, const struct segments_key *b)
{
	return a->hash == b->hash && !memcmp(a->header, b->header, sizeof(a->header)) &&
	       segments_same_end(&a->from, &b->from) && segments_same_end(&a->to, &b->to);
}

/* ---- segments that were read before ------------------------------------------------ */

static uint64_t segments_id(const struct segments_key *key, uint32_t number)
{
	return segments_hash(key->hash, &number, sizeof(number));
}

static void segments_remember(struct segments_seen *seen, uint64_t id, uint64_t content, bool alone)
{
	uint32_t at = (uint32_t)(seen->count % SEGMENTS_SEEN_MAX), *link;

	if (seen->count++ >= SEGMENTS_SEEN_MAX) {
		/* the oldest segment of all is the last in its chain */
		link = &seen->heads[seen->entries[at].id % SEGMENTS_SEEN_MAX];
		while (*link != at + 1)
			link = &seen->entries[*link - 1].next;
		*link = 0;
	}
	link = &seen->heads[id % SEGMENTS_SEEN_MAX];
	seen->entries[at].id = id;
	seen->entries[at].content = content;
	seen->entries[at].alone = alone;
	seen->entries[at].next = *link;
	*link = at + 1;
}

/* Returns the index + 1 of the latest segment with this ID, or 0. */
static uint32_t segments_latest(const struct segments_seen *seen, uint64_t id)
{
	uint32_t at = seen->heads[id % SEGMENTS_SEEN_MAX];

	while (at && seen->entries[at - 1].id != id)
		at = seen->entries[at - 1].next;
	return at;
}

static bool segments_is_copy(const struct segments_seen *seen, uint64_t id, uint64_t content)
{
	uint32_t at = segments_latest(seen, id);

	while (at && (seen->entries[at - 1].id != id || seen->entries[at - 1].content != content))
		at = seen->entries[at - 1].next;
	return at;
}

/* Returns true if the segment may belong to a message whose earlier segments have not been read yet. */
static bool segments_may_wait(const uint8_t *mad)
{
	return madkit_rmpp_get_segment(mad) >= 2 && !(madkit_rmpp_get_flags(mad) & MADKIT_RMPP_FIRST);
}

/* Remembers a segment of no message. Returns MAD_STRAY_NO if it is a copy, which need not be shown. */
static enum mad_stray segments_stray(struct segments *s, const struct segments_key *key, const uint8_t *mad,
				     size_t len)
{
	uint32_t number = madkit_rmpp_get_segment(mad);
	uint64_t id = segments_id(key, number), content = segments_content(mad, len);
	uint32_t same = segments_latest(s->seen, id);
	uint32_t before = segments_latest(s->seen, segments_id(key, number - 1));
	enum mad_stray stray;

	if (!segments_may_wait(mad))
		stray = MAD_STRAY_UNFIT;
	else if (segments_is_copy(s->seen, id, content))
		return MAD_STRAY_NO;
	else if (before && s->seen->entries[before - 1].alone)
		stray = MAD_STRAY_NEXT;
	else if (same)
		stray = MAD_STRAY_OTHER;
	else
		stray = before ? MAD_STRAY_UNFIT : MAD_STRAY_GAP;
	segments_remember(s->seen, id, content, true);
	return stray;
}

/* Returns the slot of an early segment, or s->nearly if it has none. Makes at most SEGMENTS_EARLY_MAX comparisons. */
static size_t segments_find(const struct segments *s, const struct segments_key *key, uint32_t number)
{
	size_t i;

	for (i = 0; i < s->nearly; i++)
		if (s->early[i]->number == number && segments_same_key(&s->early[i]->key, key))
			break;
	return i;
}

static struct segments_early *segments_remove(struct segments *s, size_t i)
{
	struct segments_early *e = s->early[i];

	memmove(s->early + i, s->early + i + 1, (--s->nearly - i) * sizeof(s->early[0]));
	return e;
}

/* Puts the early segment into the list of segments to be shown by themselves, unless it is a copy. */
static void segments_release(struct segments *s, size_t i)
{
	struct segments_early **last = &s->alone, *e = segments_remove(s, i);

	e->stray = segments_stray(s, &e->key, e->mad, e->len);
	if (e->stray == MAD_STRAY_NO) {
		free(e);
		return;
	}
	while (*last)
		last = &(*last)->next;
	*last = e;
}

static void segments_release_all(struct segments *s)
{
	while (s->nearly)
		segments_release(s, 0);
}

/* Gives up the early segments of a message that a new message with the same header has replaced. */
static void segments_release_key(struct segments *s, const struct segments_key *key)
{
	for (size_t i = 0; i < s->nearly;)
		if (segments_same_key(&s->early[i]->key, key))
			segments_release(s, i);
		else
			i++;
}

static int segments_keep_early(struct segments *s, const struct mad_piece *mad,
			       const struct segments_key *key)
{
	struct segments_early *e = malloc(sizeof(*e) + mad->len);

	if (!e)
		return -ENOMEM;
	*e = (struct segments_early){ .key = *key,
				      .number = madkit_rmpp_get_segment(mad->mad),
				      .since = s->now,
				      .offset = mad->offset,
				      .time = mad->time,
				      .len = mad->len };
	memcpy(e->mad, mad->mad, mad->len);
	if (s->nearly == SEGMENTS_EARLY_MAX)
		segments_release(s, 0);
	s->early[s->nearly++] = e;
	return 1;
}

/* Keeps a segment that the receiver does not accept yet, and may never accept. Returns the same as segments_add(). */
static int segments_keep(struct segments *s, struct mad_piece *mad, const struct segments_key *key)
{
	size_t i = s->nearly;

	if (segments_may_wait(mad->mad)) {
		i = segments_find(s, key, madkit_rmpp_get_segment(mad->mad));
		if (i == s->nearly)
			return segments_keep_early(s, mad, key);
		if (s->early[i]->len == mad->len && !memcmp(s->early[i]->mad, mad->mad, mad->len))
			return 1;
	}
	mad->stray = segments_stray(s, key, mad->mad, mad->len);
	if (i < s->nearly && mad->stray == MAD_STRAY_GAP)
		mad->stray = MAD_STRAY_OTHER;
	return mad->stray == MAD_STRAY_NO;
}

void segments_free(struct segments *s)
{
	struct segments_early *e;

	segments_release_all(s);
	while ((e = s->alone)) {
		s->alone = e->next;
		free(e);
	}
	free(s->shown_alone);
	s->shown_alone = NULL;
	free(s->seen);
	s->seen = NULL;
	madkit_rmpp_message_free(&heap, &s->shown);
	madkit_rmpp_receiver_free(s->receiver);
	s->receiver = NULL;
}

static int segments_begin(struct segments *s)
{
	struct madkit_rmpp_receiver_options options;

	if (!s->seen)
		s->seen = calloc(1, sizeof(*s->seen));
	if (!s->seen)
		return -ENOMEM;
	madkit_rmpp_receiver_options_init(&options);
	options.watch = true;
	options.window = options.ack_every = WINDOW;
	options.total_ns = MADKIT_RMPP_NEVER;
	options.hold_ns = s->addresses ? HOLD : 0;
	return madkit_rmpp_receiver_new(&heap, &options, &s->receiver);
}

/* Returns nanoseconds since 1970. */
static uint64_t time_put(const struct timespec *time)
{
	return time->tv_nsec < 0 ? NO_TIME : (uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_nsec;
}

static struct timespec time_get(uint64_t ns)
{
	if (ns == NO_TIME)
		return (struct timespec){ .tv_nsec = -1 };
	return (struct timespec){ .tv_sec = (time_t)(ns / SECOND), .tv_nsec = (long)(ns % SECOND) };
}

/* Returns a segment as a whole message. */
static bool segments_is_whole(const struct mad_piece *mad)
{
	uint8_t flags = madkit_rmpp_get_flags(mad->mad);
	uint32_t length = madkit_rmpp_get_length(mad->mad);

	return (flags & MADKIT_RMPP_FIRST) &&
	       ((flags & MADKIT_RMPP_LAST) || (length && length <= mad->len - MADKIT_RMPP_END));
}

/* Passes a segment to the receiver. Returns true if it became part of a message. If not, *copy says that the
 * receiver already has a segment with its number. */
static bool segments_store(struct segments *s, const struct segments_key *key,
			   const struct madkit_rmpp_arrival *arrival, bool *copy)
{
	struct madkit_rmpp_receiver_counters before, after;
	uint32_t number = madkit_rmpp_get_segment(arrival->mad);

	madkit_rmpp_receiver_get_counters(s->receiver, &before);
	madkit_rmpp_receiver_take(s->receiver, arrival);
	madkit_rmpp_receiver_get_counters(s->receiver, &after);
	*copy = after.duplicates != before.duplicates;
	if (after.segments == before.segments)
		return false;
	segments_remember(s->seen, segments_id(key, number), segments_content(arrival->mad, arrival->len),
			  false);
	s->latest = *key;
	s->latest_number = number;
	return true;
}

/* Checks if the segment is equal to the earlier one with its number. If the earlier one has been forgotten, the
 * segments are assumed to be equal. */
static bool segments_sent_again(const struct segments *s, const struct segments_key *key, const uint8_t *mad,
				size_t len)
{
	uint64_t id = segments_id(key, madkit_rmpp_get_segment(mad));

	return !segments_may_wait(mad) || !segments_latest(s->seen, id) ||
	       segments_is_copy(s->seen, id, segments_content(mad, len));
}

int segments_add(struct segments *s, struct mad_piece *mad)
{
	/* in files without addresses, no segment has one */
	static const struct madkit_addr nowhere;
	struct madkit_rmpp_arrival arrival;
	struct segments_key key;
	bool copy;

	s->now++;
	while (s->nearly && s->now - s->early[0]->since > SEGMENTS_EARLY_MAX)
		segments_release(s, 0);
	if (mad->len < mad->want || !madkit_mad_has_rmpp(mad->mad, mad->len) ||
	    mad->len != madkit_mad_bytes(mad->mad[MADKIT_MAD_BASE_VERSION]) ||
	    madkit_rmpp_get_type(mad->mad) != MADKIT_RMPP_DATA || segments_is_whole(mad))
		return 0;
	if (!s->receiver) {
		int ret;

		s->addresses = mad->source;
		ret = segments_begin(s);
		if (ret)
			return ret;
	}
	arrival = (struct madkit_rmpp_arrival){
		.from = mad->source ? mad->source : &nowhere,
		.to = mad->destination ? mad->destination : &nowhere,
		.mad = mad->mad,
		.len = mad->len,
		.now = s->now,
		.tag = { mad->offset, time_put(&mad->time) },
	};
	madkit_rmpp_receiver_expire(s->receiver, s->now);
	segments_key(&key, arrival.from, arrival.to, mad->mad);
	if (segments_store(s, &key, &arrival, &copy) ||
	    (copy && segments_sent_again(s, &key, mad->mad, mad->len)))
		return 1;
	return segments_keep(s, mad, &key);
}

/* Passes the early segment that follows the latest one to the receiver. Returns false if there is none. */
static bool segments_follow(struct segments *s)
{
	struct madkit_rmpp_arrival arrival;
	struct segments_early *e;
	size_t i = s->nearly;
	bool copy;

	if (s->latest_number)
		i = segments_find(s, &s->latest, s->latest_number + 1);
	if (i == s->nearly) {
		s->latest_number = 0;
		return false;
	}
	e = s->early[i];
	arrival = (struct madkit_rmpp_arrival){
		.from = &e->key.from,
		.to = &e->key.to,
		.mad = e->mad,
		.len = e->len,
		.now = s->now,
		.tag = { e->offset, time_put(&e->time) },
	};
	if (segments_store(s, &e->key, &arrival, &copy)) {
		free(segments_remove(s, i));
	} else {
		segments_release(s, i);
		s->latest_number = 0;
	}
	return true;
}

/* Returns the next segment that belongs to no message. */
static int segments_next_alone(struct segments *s, struct mad_piece *piece)
{
	struct segments_early *e = s->alone;

	if (!e)
		return 0;
	s->alone = e->next;
	s->shown_alone = e;
	*piece = (struct mad_piece){
		.mad = e->mad,
		.len = e->len,
		.want = e->len,
		.offset = e->offset,
		.time = e->time,
		.stray = e->stray,
		.source = s->addresses ? &e->key.from : NULL,
		.destination = s->addresses ? &e->key.to : NULL,
	};
	return 1;
}

int segments_next(struct segments *s, struct mad_piece *piece)
{
	struct madkit_rmpp_message *m = &s->shown;
	struct segments_key key;

	madkit_rmpp_message_free(&heap, m);
	free(s->shown_alone);
	s->shown_alone = NULL;
	if (!s->receiver)
		return 0;
	while (!madkit_rmpp_receiver_message(s->receiver, m)) {
		if (segments_next_alone(s, piece))
			return 1;
		if (!segments_follow(s))
			return 0;
	}
	if (m->outcome.state == MADKIT_RMPP_STATE_SUPERSEDED) {
		segments_key(&key, &m->from, &m->to, m->header);
		segments_release_key(s, &key);
	}
	*piece = (struct mad_piece){
		.mad = m->bytes,
		.len = m->len,
		.want = m->len,
		.offset = m->tag[0],
		.partial = m->outcome.state != MADKIT_RMPP_STATE_COMPLETE,
		.time = time_get(m->tag[1]),
		.source = s->addresses ? &m->from : NULL,
		.destination = s->addresses ? &m->to : NULL,
	};
	return 1;
}

int segments_end(struct segments *s, struct mad_piece *piece)
{
	int ret;

	if (s->receiver)
		madkit_rmpp_receiver_stop(s->receiver, MADKIT_RMPP_STATUS_UNSPECIFIED);
	ret = segments_next(s, piece);
	if (ret || !s->nearly)
		return ret;
	segments_release_all(s);
	return segments_next(s, piece);
}
