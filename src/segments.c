/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/mad.h>
#include "segments.h"

enum {
	/* one that comes before its time stands for itself: where the file lacks those
	 * between, nothing of it is lost */
	WINDOW = 1,
	/* how many MADs later a segment still is one that was sent again, and no new
	 * message's: where addresses tell that the peers are the same */
	HOLD = 4096,
};

#define NO_TIME	UINT64_MAX
#define SECOND	UINT64_C(1000000000)

static void *resize(void *context, void *old, size_t old_size, size_t size)
{
	(void)context;
	(void)old_size;
	if (size)
		return realloc(old, size);
	free(old);
	return NULL;
}

static const struct madkit_rmpp_heap heap = { .resize = resize };

void segments_free(struct segments *s)
{
	madkit_rmpp_message_free(&heap, &s->shown);
	madkit_rmpp_receiver_free(s->receiver);
	s->receiver = NULL;
}

static int begin(struct segments *s)
{
	struct madkit_rmpp_receiver_options options;

	madkit_rmpp_receiver_options_init(&options);
	options.watch = true;
	options.window = options.ack_every = WINDOW;
	options.total_ns = MADKIT_RMPP_NEVER;
	options.hold_ns = s->addresses ? HOLD : 0;
	return madkit_rmpp_receiver_new(&heap, &options, &s->receiver);
}

/* Nanoseconds since 1970. */
static uint64_t time_put(const struct timespec *time)
{
	return time->tv_nsec < 0 ? NO_TIME :
	       (uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_nsec;
}

static struct timespec time_get(uint64_t ns)
{
	if (ns == NO_TIME)
		return (struct timespec){ .tv_nsec = -1 };
	return (struct timespec){ .tv_sec = (time_t)(ns / SECOND),
				  .tv_nsec = (long)(ns % SECOND) };
}

/* A segment that is a whole message by itself. */
static bool is_alone(const struct mad_piece *mad)
{
	uint8_t flags = madkit_rmpp_get_flags(mad->mad);
	uint32_t length = madkit_rmpp_get_length(mad->mad);

	return (flags & MADKIT_RMPP_FIRST) &&
	       ((flags & MADKIT_RMPP_LAST) ||
		(length && length <= mad->len - MADKIT_RMPP_END));
}

int segments_add(struct segments *s, const struct mad_piece *mad)
{
	/* files without addresses have none for any */
	static const struct madkit_addr nowhere;
	struct madkit_rmpp_arrival arrival;

	s->now++;
	if (mad->len < mad->want || !madkit_mad_has_rmpp(mad->mad, mad->len) ||
	    mad->len != madkit_mad_bytes(mad->mad[MADKIT_MAD_BASE_VERSION]) ||
	    madkit_rmpp_get_type(mad->mad) != MADKIT_RMPP_DATA || is_alone(mad))
		return 0;
	if (!s->receiver) {
		int ret;

		s->addresses = mad->source;
		ret = begin(s);
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
	return !madkit_rmpp_receiver_take(s->receiver, &arrival);
}

int segments_next(struct segments *s, struct mad_piece *piece)
{
	struct madkit_rmpp_message *m = &s->shown;

	madkit_rmpp_message_free(&heap, m);
	if (!s->receiver || !madkit_rmpp_receiver_message(s->receiver, m))
		return 0;
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
	if (s->receiver)
		madkit_rmpp_receiver_stop(s->receiver, MADKIT_RMPP_STATUS_UNSPECIFIED);
	return segments_next(s, piece);
}
