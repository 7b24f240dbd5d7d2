/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Creates and frees receivers, and delivers their packets and messages. */
#include <errno.h>
#include <string.h>
#include "rmpp/receiver.h"

enum { WINDOW_MAX = 65536 };

void madkit_rmpp_receiver_options_init(struct madkit_rmpp_receiver_options *options)
{
	*options = (struct madkit_rmpp_receiver_options){
		.window = 64,
		.ack_every = 32,
		.total_ns = 40 * NS_PER_S,
		.hold_ns = 20 * NS_PER_S,
		.response_ns = 2 * NS_PER_S,
		.retries = 7,
		.max_message = (size_t)256 << 20,
		.max_peer = (size_t)512 << 20,
		.max_all = (size_t)1 << 30,
		.resptime = MADKIT_RMPP_RESPTIME_UNSPECIFIED,
	};
}

int madkit_rmpp_receiver_new(const struct madkit_rmpp_heap *heap,
			     const struct madkit_rmpp_receiver_options *options,
			     struct madkit_rmpp_receiver **receiver)
{
	struct madkit_rmpp_receiver_options o;
	struct madkit_rmpp_receiver *r;

	if (options)
		o = *options;
	else
		madkit_rmpp_receiver_options_init(&o);
	if (!o.window || o.window > WINDOW_MAX || !o.ack_every || o.ack_every > o.window || !o.response_ns)
		return -EINVAL;
	r = heap->resize(heap->context, NULL, 0, sizeof(*r));
	if (!r)
		return -ENOMEM;
	memset(r, 0, sizeof(*r));
	r->heap = *heap;
	r->peers.resize = r->transfers.resize = heap->resize;
	r->peers.context = r->transfers.context = heap->context;
	r->options = o;
	for (r->early_bytes = 8; r->early_bytes * 8 < o.window; r->early_bytes *= 2)
		;
	list_init(&r->active);
	list_init(&r->held);
	list_init(&r->turning);
	list_init(&r->out);
	list_init(&r->ready);
	*receiver = r;
	return 0;
}

static void deliver_free_all(struct madkit_rmpp_receiver *r, struct list *list, size_t link)
{
	while (!list_empty(list))
		transfer_free(r, (struct transfer *)(void *)((char *)list->next - link));
}

void madkit_rmpp_receiver_free(struct madkit_rmpp_receiver *r)
{
	struct madkit_rmpp_heap heap;

	if (!r)
		return;
	heap = r->heap;
	deliver_free_all(r, &r->active, offsetof(struct transfer, age));
	deliver_free_all(r, &r->held, offsetof(struct transfer, age));
	deliver_free_all(r, &r->ready, offsetof(struct transfer, ready));
	table_free(&r->peers);
	table_free(&r->transfers);
	heap.resize(heap.context, r, sizeof(*r), 0);
}

bool madkit_rmpp_receiver_packet(struct madkit_rmpp_receiver *r, uint8_t *mad, size_t *len,
				 struct madkit_addr *to)
{
	struct transfer *t;
	bool ack;

	if (r->nreplies) {
		struct reply reply = r->replies[0];

		memmove(r->replies, r->replies + 1, --r->nreplies * sizeof(r->replies[0]));
		*to = reply.to;
		*len = packet_make(mad, reply.head,
				   &(struct packet_control){
					   .method = reply.head[MADKIT_MAD_METHOD] ^ MADKIT_METHOD_RESPONSE,
					   .type = packet_end_type(reply.status),
					   .resptime = r->options.resptime,
					   .status = reply.status,
				   });
		return true;
	}
	if (list_empty(&r->out))
		return false;
	t = list_entry(r->out.next, struct transfer, out);
	list_del(&t->out);
	*to = t->from;
	ack = t->owed == MADKIT_RMPP_ACK;
	*len = packet_make(mad, t->head,
			   &(struct packet_control){
				   .method = t->head[MADKIT_MAD_METHOD] ^ MADKIT_METHOD_RESPONSE,
				   .type = t->owed,
				   .resptime = r->options.resptime,
				   .status = ack ? 0 : t->outcome.status,
				   .segment = ack ? (uint32_t)(t->next - 1) : 0,
				   .last = ack ? (uint32_t)t->window_last : 0,
			   });
	return true;
}

bool madkit_rmpp_receiver_message(struct madkit_rmpp_receiver *r, struct madkit_rmpp_message *m)
{
	struct transfer *t;

	if (list_empty(&r->ready))
		return false;
	t = list_entry(r->ready.next, struct transfer, ready);
	*m = (struct madkit_rmpp_message){
		.outcome = t->outcome,
		.from = t->from,
		.to = t->peer->to,
		.bytes = t->bytes,
		.len = transfer_len(t),
		.size = t->size,
		.segments = (uint32_t)(t->next - 1),
		.started_ns = t->started,
		.ended_ns = t->ended,
		.tag = { t->tag[0], t->tag[1] },
	};
	memcpy(m->header, t->head, sizeof(m->header));
	/* the bytes belong to the caller now: do not count them any more */
	r->counters.bytes -= t->size;
	t->peer->bytes -= t->size;
	t->bytes = NULL;
	t->size = 0;
	list_del(&t->ready);
	if (!t->hashed)
		transfer_free(r, t);
	return true;
}

void madkit_rmpp_message_free(const struct madkit_rmpp_heap *heap, struct madkit_rmpp_message *m)
{
	if (m->bytes)
		heap->resize(heap->context, m->bytes, m->size, 0);
	m->bytes = NULL;
	m->size = 0;
	m->len = 0;
}

void madkit_rmpp_receiver_get_counters(const struct madkit_rmpp_receiver *r,
				       struct madkit_rmpp_receiver_counters *counters)
{
	*counters = r->counters;
}
