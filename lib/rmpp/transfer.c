/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The segments of one message, each stored in its place when it arrives. */
#include <string.h>
#include "rmpp/receiver.h"
#include "util/bits.h"

bool transfer_same_header(const struct transfer *t, const uint8_t *mad)
{
	return !memcmp(t->head, mad, MADKIT_MAD_STATUS) &&
	       !memcmp(t->head + MADKIT_MAD_ATTRIBUTE, mad + MADKIT_MAD_ATTRIBUTE, 2) &&
	       !memcmp(t->head + MADKIT_MAD_MODIFIER, mad + MADKIT_MAD_MODIFIER, 4);
}

size_t transfer_len(const struct transfer *t)
{
	if (t->next <= 1)
		return 0;
	return transfer_is_whole(t) ? t->len : t->offset + (size_t)(t->next - 1) * t->room;
}

/* Segments that arrived early: a ring of bits, with room for the window. */
static uint64_t *early_word(const struct madkit_rmpp_receiver *r, const struct transfer *t, uint64_t k)
{
	return &t->early[k / 64 & (r->early_bytes / 8 - 1)];
}

static bool transfer_is_early(const struct madkit_rmpp_receiver *r, const struct transfer *t, uint64_t k)
{
	return t->early && *early_word(r, t, k) >> k % 64 & 1;
}

/* Returns the payload length of a last segment; 0: not valid. */
static uint32_t transfer_last_payload(const struct madkit_rmpp_receiver *r, const struct transfer *t,
				      const uint8_t *mad)
{
	uint32_t class_bytes = t->offset - MADKIT_RMPP_END;
	uint32_t payload = madkit_rmpp_get_length(mad);

	if (!payload && r->options.watch)
		return class_bytes + t->room;
	return payload < class_bytes || payload > class_bytes + t->room ? 0 : payload;
}

/* Checks if a new segment k can belong to the transfer. payload: of a last segment. */
static bool transfer_fits(const struct madkit_rmpp_receiver *r, const struct transfer *t, uint32_t k,
			  bool last, uint32_t payload)
{
	uint64_t span = t->offset - MADKIT_RMPP_END + t->room;

	if (t->last && (last || k > t->last))
		return false;
	if (last && (!payload || k < t->highest))
		return false;
	if (!t->total || r->options.watch)
		return true;
	/* the declared length determines the last segment */
	if (last)
		return (k - 1) * span + payload == t->total;
	return k * span < t->total;
}

/* Reserves room for need bytes and a quarter more, but not beyond the declared length. */
static bool transfer_reserve(struct madkit_rmpp_receiver *r, struct transfer *t, uint64_t need)
{
	uint64_t span, whole, size;
	uint8_t *bytes;

	if (need <= t->size)
		return true;
	if (need > r->options.max_message)
		return false;
	size = need + need / 4;
	span = t->offset - MADKIT_RMPP_END + t->room;
	whole = t->offset + (t->total + span - 1) / span * t->room;
	if (t->total && size > whole)
		size = whole > need ? whole : need;
	if (size > r->options.max_message)
		size = r->options.max_message;
	bytes = memory_resize(r, t->peer, t->bytes, t->size, (size_t)size);
	if (!bytes && size > need) {
		size = need;
		bytes = memory_resize(r, t->peer, t->bytes, t->size, (size_t)size);
	}
	if (!bytes)
		return false;
	t->bytes = bytes;
	t->size = (size_t)size;
	return true;
}

static bool transfer_mark_early(struct madkit_rmpp_receiver *r, struct transfer *t, uint64_t k)
{
	if (!t->early) {
		t->early = memory_resize(r, t->peer, NULL, 0, r->early_bytes);
		if (!t->early)
			return false;
		memset(t->early, 0, r->early_bytes);
	}
	*early_word(r, t, k) |= UINT64_C(1) << k % 64;
	return true;
}

static void transfer_advance(const struct madkit_rmpp_receiver *r, struct transfer *t)
{
	t->next++;
	if (!t->early)
		return;
	for (; transfer_is_early(r, t, t->next); t->next++)
		*early_word(r, t, t->next) &= ~(UINT64_C(1) << t->next % 64);
}

enum stored transfer_store(struct madkit_rmpp_receiver *r, struct transfer *t, const uint8_t *mad,
			   uint8_t *status)
{
	uint32_t k = madkit_rmpp_get_segment(mad), payload = 0;
	bool last = madkit_rmpp_get_flags(mad) & MADKIT_RMPP_LAST;
	uint64_t begin = t->offset + (uint64_t)(k - 1) * t->room;
	size_t n = t->room;

	if (k > t->window_last)
		return STORED_BEYOND;
	if (k < t->next || transfer_is_early(r, t, k))
		return STORED_BEFORE;
	*status = MADKIT_RMPP_STATUS_LENGTH;
	if (last) {
		payload = transfer_last_payload(r, t, mad);
		n = payload + MADKIT_RMPP_END - t->offset;
	}
	if (k == 1) {
		t->total = last && r->options.watch ? payload : madkit_rmpp_get_length(mad);
		if (t->total && t->total < (uint32_t)t->offset - MADKIT_RMPP_END)
			return STORED_FAULT;
	}
	if (!transfer_fits(r, t, k, last, payload))
		return STORED_FAULT;
	*status = MADKIT_RMPP_STATUS_RESOURCES;
	if (!transfer_reserve(r, t, begin + n) || (k > t->next && !transfer_mark_early(r, t, k)))
		return STORED_FAULT;
	if (k == 1)
		memcpy(t->bytes, mad, t->offset);
	memcpy(t->bytes + begin, mad + t->offset, n);
	if (last) {
		t->last = k;
		t->len = (size_t)begin + n;
	}
	if (k > t->highest)
		t->highest = k;
	if (k == t->next)
		transfer_advance(r, t);
	r->counters.segments++;
	return STORED;
}
