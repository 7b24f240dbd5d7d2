/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds peers and transfers, and limits their memory. */
#include <string.h>
#include "rmpp/receiver.h"
#include "util/bits.h"

/* Makes room below a limit by forgetting held transfers. Returns false if that is not enough. */
static bool memory_make_room(struct madkit_rmpp_receiver *r, const size_t *used, size_t limit, size_t more,
			     struct list *held, size_t link)
{
	while (*used > limit || more > limit - *used) {
		if (list_empty(held))
			return false;
		transfer_forget(r, (struct transfer *)(void *)((char *)held->next - link));
	}
	return true;
}

void *memory_resize(struct madkit_rmpp_receiver *r, struct peer *peer, void *old, size_t old_size,
		    size_t size)
{
	size_t more = size > old_size ? size - old_size : 0;
	void *p;

	if (more && peer &&
	    !memory_make_room(r, &peer->bytes, r->options.max_peer, more, &peer->held,
			      offsetof(struct transfer, kept)))
		return NULL;
	if (more && !memory_make_room(r, &r->counters.bytes, r->options.max_all, more, &r->held,
				      offsetof(struct transfer, age)))
		return NULL;
	p = r->heap.resize(r->heap.context, old, old_size, size);
	if (!p && size)
		return NULL;
	r->counters.bytes += size - old_size;
	if (peer)
		peer->bytes += size - old_size;
	return p;
}

static uint64_t peer_hash_end(uint64_t hash, const struct madkit_addr *addr)
{
	hash = table_mix(hash, (uint64_t)addr->grh << 32 | addr->qp);
	if (!addr->grh)
		return table_mix(hash, addr->lid);
	return table_mix(table_mix(hash, get_be64(addr->gid)), get_be64(addr->gid + 8));
}

/* Begins with a value that no peer knows, so that no peer can choose the buckets. */
static uint64_t peer_hash(const struct madkit_rmpp_receiver *r, const struct madkit_addr *from,
			  const struct madkit_addr *to)
{
	uint64_t hash = peer_hash_end(table_mix(0, (uintptr_t)r), from);

	return to ? peer_hash_end(hash, to) : hash;
}

static bool transfer_is_of_peer(const struct peer *peer, const struct madkit_addr *from,
				const struct madkit_addr *to)
{
	return packet_same_end(&peer->from, from) && (!to || packet_same_end(&peer->to, to));
}

static struct peer *peer_find(const struct madkit_rmpp_receiver *r, const struct madkit_addr *from,
			      const struct madkit_addr *to)
{
	uint64_t hash = peer_hash(r, from, to);
	struct peer *peer;
	size_t step = 0;

	while ((peer = table_next(&r->peers, hash, &step)))
		if (transfer_is_of_peer(peer, from, to))
			break;
	return peer;
}

/* Compares TID, class and direction. */
static bool transfer_same_key(const uint8_t *a, const uint8_t *b)
{
	return !memcmp(a + MADKIT_MAD_TID, b + MADKIT_MAD_TID, 8) &&
	       a[MADKIT_MAD_CLASS] == b[MADKIT_MAD_CLASS] &&
	       !((a[MADKIT_MAD_METHOD] ^ b[MADKIT_MAD_METHOD]) & MADKIT_METHOD_RESPONSE);
}

static uint64_t transfer_hash(uint64_t peer, const uint8_t *mad)
{
	return table_mix(table_mix(peer, get_be64(mad + MADKIT_MAD_TID)),
			 mad[MADKIT_MAD_CLASS] * 2u + !!(mad[MADKIT_MAD_METHOD] & MADKIT_METHOD_RESPONSE));
}

struct transfer *transfer_find(const struct madkit_rmpp_receiver *r, const struct madkit_addr *from,
			       const struct madkit_addr *to, const uint8_t *mad)
{
	struct transfer *t = r->latest;
	size_t step = 0;
	uint64_t hash;

	if (t && transfer_same_key(t->head, mad) && transfer_is_of_peer(t->peer, from, to))
		return t;
	hash = transfer_hash(peer_hash(r, from, to), mad);
	while ((t = table_next(&r->transfers, hash, &step)))
		if (transfer_same_key(t->head, mad) && transfer_is_of_peer(t->peer, from, to))
			break;
	return t;
}

static struct peer *peer_new(struct madkit_rmpp_receiver *r, const struct madkit_addr *from,
			     const struct madkit_addr *to)
{
	struct peer *peer = memory_resize(r, NULL, NULL, 0, sizeof(*peer));

	if (!peer)
		return NULL;
	memset(peer, 0, sizeof(*peer));
	list_init(&peer->held);
	peer->from = *from;
	if (to)
		peer->to = *to;
	peer->hash = peer_hash(r, from, to);
	if (table_add(&r->peers, peer->hash, peer)) {
		memory_resize(r, NULL, peer, sizeof(*peer), 0);
		return NULL;
	}
	return peer;
}

static void peer_put(struct madkit_rmpp_receiver *r, struct peer *peer)
{
	if (--peer->transfers)
		return;
	table_del(&r->peers, peer->hash, peer);
	memory_resize(r, NULL, peer, sizeof(*peer), 0);
}

struct transfer *transfer_new(struct madkit_rmpp_receiver *r, const struct madkit_rmpp_arrival *a)
{
	const struct madkit_addr *to = r->options.watch ? a->to : NULL;
	struct peer *peer = peer_find(r, a->from, to);
	struct transfer *t;

	if (!peer)
		peer = peer_new(r, a->from, to);
	if (!peer)
		return NULL;
	peer->transfers++;
	t = memory_resize(r, peer, NULL, 0, sizeof(*t));
	if (!t) {
		peer_put(r, peer);
		return NULL;
	}
	memset(t, 0, sizeof(*t));
	t->peer = peer;
	list_init(&t->age);
	list_init(&t->kept);
	list_init(&t->turning);
	list_init(&t->out);
	list_init(&t->ready);
	t->offset = (uint16_t)madkit_class_data_offset(a->mad[MADKIT_MAD_CLASS]);
	t->room = (uint16_t)(madkit_mad_bytes(a->mad[MADKIT_MAD_BASE_VERSION]) - t->offset);
	memcpy(t->head, a->mad, t->offset);
	t->from = *a->from;
	t->first_hash = packet_hash(a->mad);
	t->next = 1;
	t->window_last = 1;
	t->started = a->now;
	memcpy(t->tag, a->tag, sizeof(t->tag));
	t->hash = transfer_hash(peer->hash, a->mad);
	if (table_add(&r->transfers, t->hash, t)) {
		transfer_free(r, t);
		return NULL;
	}
	t->hashed = true;
	r->latest = t;
	list_add(&r->active, &t->age);
	r->counters.active++;
	return t;
}

void transfer_hold(struct madkit_rmpp_receiver *r, struct transfer *t)
{
	list_del(&t->age);
	list_add(&r->held, &t->age);
	list_add(&t->peer->held, &t->kept);
	r->counters.active--;
	r->counters.held++;
}

/* Removes a transfer from all places except ready: it is no longer found or due. */
static void transfer_remove(struct madkit_rmpp_receiver *r, struct transfer *t)
{
	if (r->latest == t)
		r->latest = NULL;
	if (t->hashed)
		table_del(&r->transfers, t->hash, t);
	t->hashed = false;
	list_del(&t->age);
	list_del(&t->kept);
	list_del(&t->turning);
	list_del(&t->out);
}

void transfer_free(struct madkit_rmpp_receiver *r, struct transfer *t)
{
	struct peer *peer = t->peer;

	transfer_remove(r, t);
	list_del(&t->ready);
	if (t->early)
		memory_resize(r, peer, t->early, r->early_bytes, 0);
	if (t->bytes)
		memory_resize(r, peer, t->bytes, t->size, 0);
	memory_resize(r, peer, t, sizeof(*t), 0);
	peer_put(r, peer);
}

void transfer_forget(struct madkit_rmpp_receiver *r, struct transfer *t)
{
	if (!list_empty(&t->age))
		r->counters.held--;
	transfer_remove(r, t);
	if (list_empty(&t->ready))
		transfer_free(r, t);
}
