/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The receiving side of the kernel's RMPP: reassembles messages from segments. */
#include <stdlib.h>
#include <string.h>
#include "rmpp/packet.h"
#include "sim/host/internal.h"

enum {
	WINDOW = 64, /* an eighth of QP1's queue of 512 */
	PAYLOAD = MADKIT_RMPP_PAYLOAD_MAX,
};

#define TOTAL_NS (40 * NS_PER_S) /* to receive a message */
#define HOLD_NS  (10 * NS_PER_S) /* after it, to repeat ACKs that were lost */

struct recv {
	struct timed timed;
	struct list of_agent;
	struct agent *agent;
	struct fabric_head head;         /* of the first segment */
	uint8_t mad[MADKIT_DEVICE_DATA]; /* headers of the first segment */
	struct message *message;         /* NULL: delivered */
	uint32_t segment;                /* last segment received without a gap */
	uint32_t acked;
	uint32_t window_last;
	uint32_t reply_window;    /* of a request: the window of its response */
	uint64_t early;           /* segments beyond segment: bit number % WINDOW */
	uint64_t last;            /* likewise, those with the flag LAST */
	uint32_t payload[WINDOW]; /* PayloadLength, by number % WINDOW */
};

void host_rmpp_reply(const struct agent *agent, const struct fabric_head *to, const uint8_t *mad,
		     uint8_t type, uint8_t status, uint32_t segment, uint32_t window)
{
	const struct host *host = agent->file->host;
	struct fabric_head back;
	uint8_t reply[MADKIT_MAD_BYTES];

	packet_make(reply, mad,
		    &(struct packet_control){
			    .method = mad[MADKIT_MAD_METHOD] ^ MADKIT_METHOD_RESPONSE,
			    .type = type,
			    .resptime = madkit_rmpp_get_resptime(mad),
			    .status = status,
			    .segment = segment,
			    .last = window,
		    });
	host_head_answer(host->port, to, &back);
	host_transmit(host->hosts, host->port, &back, reply);
}

/* ---- messages being received -------------------------------------------------------------- */

static uint64_t rmpp_recv_hash(const struct agent *agent, uint64_t tid, uint16_t slid)
{
	return table_mix(table_mix(table_mix(0, agent->high_tid), tid), slid);
}

static bool rmpp_is_same(const struct recv *r, const struct agent *agent, uint16_t slid, const uint8_t *mad)
{
	return r->agent == agent && r->head.slid == slid &&
	       !memcmp(r->mad + MADKIT_MAD_TID, mad + MADKIT_MAD_TID, 8) &&
	       r->mad[MADKIT_MAD_CLASS] == mad[MADKIT_MAD_CLASS] &&
	       r->mad[MADKIT_MAD_CLASS_VERSION] == mad[MADKIT_MAD_CLASS_VERSION];
}

static struct recv *rmpp_recv_find(const struct agent *agent, const struct fabric_head *head,
				   const uint8_t *mad)
{
	const struct hosts *hosts = agent->file->host->hosts;
	uint64_t hash = rmpp_recv_hash(agent, get_be64(mad + MADKIT_MAD_TID), head->slid);
	struct recv *r;
	size_t step = 0;

	while ((r = table_next(&hosts->recvs, hash, &step)))
		if (rmpp_is_same(r, agent, head->slid, mad) && r->head.source_qp == head->source_qp &&
		    r->mad[MADKIT_MAD_METHOD] == mad[MADKIT_MAD_METHOD])
			break;
	return r;
}

uint32_t host_rmpp_response_window(const struct send *s)
{
	const struct hosts *hosts = s->agent->file->host->hosts;
	uint64_t hash = rmpp_recv_hash(s->agent, s->tid, s->head.dlid);
	const struct recv *r;
	size_t step = 0;

	while ((r = table_next(&hosts->recvs, hash, &step)))
		if (rmpp_is_same(r, s->agent, s->head.dlid, s->mad) &&
		    !(r->mad[MADKIT_MAD_METHOD] & MADKIT_METHOD_RESPONSE))
			return r->reply_window;
	return 1;
}

bool host_rmpp_turned(const struct agent *agent, const struct fabric_head *head, const uint8_t *mad,
		      uint32_t window)
{
	struct recv *r = rmpp_recv_find(agent, head, mad);

	if (r && !r->message)
		r->reply_window = window;
	return r;
}

static void rmpp_free_recv(struct recv *r)
{
	struct hosts *hosts = r->agent->file->host->hosts;

	heap_remove(&hosts->deadlines, &r->timed.link);
	table_del(&hosts->recvs, rmpp_recv_hash(r->agent, get_be64(r->mad + MADKIT_MAD_TID), r->head.slid),
		  r);
	list_del(&r->of_agent);
	if (r->message)
		host_message_free(hosts, r->message);
	hosts->ntimed--;
	free(r);
}

void host_rmpp_free_all(struct agent *agent)
{
	while (!list_empty(&agent->recvs))
		rmpp_free_recv(list_entry(agent->recvs.next, struct recv, of_agent));
}

static void rmpp_recv_expire(struct timed *timed)
{
	struct recv *r = list_entry(timed, struct recv, timed);

	if (r->message)
		host_rmpp_reply(r->agent, &r->head, r->mad, MADKIT_RMPP_ABORT, MADKIT_RMPP_STATUS_TIME, 0, 0);
	rmpp_free_recv(r);
}

static struct recv *rmpp_new_recv(struct agent *agent, const struct fabric_head *head, const uint8_t *mad)
{
	struct hosts *hosts = agent->file->host->hosts;
	struct recv *r;

	if (heap_reserve(&hosts->deadlines, hosts->ntimed + 1))
		return NULL;
	r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	r->message = host_message_new(hosts, MADKIT_MAD_BYTES);
	if (!r->message ||
	    table_add(&hosts->recvs, rmpp_recv_hash(agent, get_be64(mad + MADKIT_MAD_TID), head->slid), r)) {
		if (r->message)
			host_message_free(hosts, r->message);
		free(r);
		return NULL;
	}
	hosts->ntimed++;
	r->timed.due = rmpp_recv_expire;
	r->agent = agent;
	r->head = *head;
	memcpy(r->mad, mad, sizeof(r->mad));
	memcpy(r->message->bytes, mad, MADKIT_MAD_BYTES);
	list_add(&agent->recvs, &r->of_agent);
	r->reply_window = 1;
	return r;
}

/* ---- segments ----------------------------------------------------------------------------- */

static void rmpp_acknowledge(struct recv *r, const uint8_t *mad)
{
	r->acked = r->segment;
	host_rmpp_reply(r->agent, &r->head, mad, MADKIT_RMPP_ACK, 0, r->segment, r->window_last);
}

static uint64_t rmpp_segment_bit(uint32_t k)
{
	return UINT64_C(1) << k % WINDOW;
}

static void rmpp_note(struct recv *r, uint32_t k, const uint8_t *mad)
{
	r->early |= rmpp_segment_bit(k);
	if (madkit_rmpp_get_flags(mad) & MADKIT_RMPP_LAST)
		r->last |= rmpp_segment_bit(k);
	else
		r->last &= ~rmpp_segment_bit(k);
	r->payload[k % WINDOW] = madkit_rmpp_get_length(mad);
}

/* Makes room for segment k, and a quarter more for later segments. Returns false if out of memory, or if
 * the message would exceed HOST_MESSAGE_MAX. */
static bool rmpp_recv_reserve(struct recv *r, uint32_t k, size_t room)
{
	struct hosts *hosts = r->agent->file->host->hosts;
	size_t need = MADKIT_MAD_BYTES + (size_t)(k - 1) * room, size;
	struct message *m;

	if (need <= r->message->size)
		return true;
	if (need > HOST_MESSAGE_MAX)
		return false;
	size = need + need / 4 + WINDOW / 4 * room;
	m = host_message_new(hosts, size);
	if (!m)
		return false;
	memcpy(m->bytes, r->message->bytes, r->message->size);
	host_message_free(hosts, r->message);
	r->message = m;
	return true;
}

/* Returns the length of the message. A PayloadLength of the last segment that is too large is ignored. */
static size_t rmpp_length(const struct recv *r, size_t offset, size_t room)
{
	uint32_t payload = r->payload[r->segment % WINDOW];

	return offset + r->segment * room - (payload > PAYLOAD ? 0 : PAYLOAD - payload);
}

static void rmpp_recv_complete(struct recv *r, struct rmpp_whole *all)
{
	struct hosts *hosts = r->agent->file->host->hosts;
	size_t offset = madkit_class_data_offset(r->mad[MADKIT_MAD_CLASS]);

	rmpp_acknowledge(r, r->mad);
	heap_set(&hosts->deadlines, &r->timed.link, host_timer_end(hosts, HOLD_NS));
	r->message->out.len = rmpp_length(r, offset, MADKIT_MAD_BYTES - offset);
	*all = (struct rmpp_whole){ .message = r->message, .head = r->head };
	r->message = NULL;
}

static bool rmpp_recv_start(struct agent *agent, const struct fabric_head *head, const uint8_t *mad,
			    struct rmpp_whole *all)
{
	struct hosts *hosts = agent->file->host->hosts;
	struct recv *r = rmpp_new_recv(agent, head, mad);

	if (!r)
		return false;
	rmpp_note(r, 1, mad);
	r->early = 0;
	r->segment = r->window_last = 1;
	if (r->last) {
		rmpp_recv_complete(r, all);
		return true;
	}
	heap_set(&hosts->deadlines, &r->timed.link, host_timer_end(hosts, TOTAL_NS));
	r->window_last += WINDOW;
	rmpp_acknowledge(r, mad);
	return true;
}

static bool rmpp_recv_continue(struct recv *r, const uint8_t *mad, struct rmpp_whole *all)
{
	size_t offset = madkit_class_data_offset(r->mad[MADKIT_MAD_CLASS]);
	size_t room = MADKIT_MAD_BYTES - offset;
	uint32_t k = madkit_rmpp_get_segment(mad);

	if (k > r->window_last)
		return false;
	if (k <= r->acked || !r->message) {
		rmpp_acknowledge(r, mad);
		return true;
	}
	/* a duplicate that needs no ACK */
	if (k <= r->segment || r->early & rmpp_segment_bit(k))
		return true;
	if (!rmpp_recv_reserve(r, k, room))
		return false;
	memcpy(r->message->bytes + offset + (size_t)(k - 1) * room, mad + offset, room);
	rmpp_note(r, k, mad);
	if (k != r->segment + 1)
		return true;
	while (r->early & rmpp_segment_bit(r->segment + 1))
		r->early &= ~rmpp_segment_bit(++r->segment);
	if (r->last & rmpp_segment_bit(r->segment)) {
		rmpp_recv_complete(r, all);
	} else if (r->segment == r->window_last) {
		r->window_last += WINDOW;
		rmpp_acknowledge(r, mad);
	}
	return true;
}

bool host_rmpp_data(struct agent *agent, const struct fabric_head *head, const uint8_t *mad,
		    struct rmpp_whole *all)
{
	bool first = madkit_rmpp_get_segment(mad) == 1;
	uint8_t status = MADKIT_RMPP_STATUS_OK;
	struct recv *r;

	if (madkit_rmpp_get_status(mad))
		status = MADKIT_RMPP_STATUS_ILLEGAL;
	else if (first != !!(madkit_rmpp_get_flags(mad) & MADKIT_RMPP_FIRST))
		status = MADKIT_RMPP_STATUS_FIRST;
	if (status) {
		host_rmpp_reply(agent, head, mad, MADKIT_RMPP_ABORT, status, 0, 0);
		return true;
	}
	r = rmpp_recv_find(agent, head, mad);
	if (r)
		return rmpp_recv_continue(r, mad, all);
	return first && rmpp_recv_start(agent, head, mad, all);
}
