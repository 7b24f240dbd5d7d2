/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * RMPP transfers (IBA volume 1, section 13.6): messages to segments, a sender and a
 * receiver, as engines that do no I/O, know no clock and never block. Their caller
 * owns both: it brings what arrived and what time it is, and pulls what is to be
 * sent. Per turn of an event loop:
 *
 *	madkit_rmpp_receiver_take(), madkit_rmpp_sender_take()	for what has arrived
 *	madkit_rmpp_receiver_expire(), ..._sender_expire()	for the time it is
 *	madkit_rmpp_receiver_packet(), ..._sender_packet()	until there is none
 *	madkit_rmpp_receiver_message(), ..._sender_outcome()	what has ended
 *	madkit_rmpp_receiver_deadline(), ..._sender_deadline()	how long to wait
 *
 * Times are nanoseconds on a clock that does not go back (madkit_port_now()). What
 * arrives goes to the senders first; what none of them takes to the receiver.
 * A message is the first segment's headers (MAD, RMPP, class) and then all data,
 * as umad has it.
 */
#ifndef MADKIT_RMPP_TRANSFER_H
#define MADKIT_RMPP_TRANSFER_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/addr.h>
#include <madkit/mad.h>
#include <madkit/rmpp.h>

MADKIT_BEGIN_DECLS

/* No limit to a time. */
#define MADKIT_RMPP_NEVER UINT64_MAX

/* The state of a transfer. It ends in exactly one of the last five. */
enum madkit_rmpp_state {
	MADKIT_RMPP_STATE_ACTIVE,
	MADKIT_RMPP_STATE_COMPLETE,
	MADKIT_RMPP_STATE_GAVE_UP,    /* we ended it: STOP or ABORT went out */
	MADKIT_RMPP_STATE_STOPPED,    /* the peer's STOP */
	MADKIT_RMPP_STATE_ABORTED,    /* the peer's ABORT */
	MADKIT_RMPP_STATE_SUPERSEDED, /* received: another first segment of the same
					 * transaction began a new transfer; no STOP or ABORT */
};

/* status: MADKIT_RMPP_STATUS_...; of a peer's STOP or ABORT with a status that
 * its type does not have: MADKIT_RMPP_STATUS_ILLEGAL. received: of a peer's STOP or ABORT, the
 * status as it is in the packet; otherwise 0. */
struct madkit_rmpp_outcome {
	enum madkit_rmpp_state state;
	uint8_t status;
	uint8_t received;
};

/* Whether the peer ended the transfer with a status that the type of its packet does not have. */
static inline bool madkit_rmpp_outcome_illegal(const struct madkit_rmpp_outcome *outcome)
{
	return (outcome->state == MADKIT_RMPP_STATE_STOPPED || outcome->state == MADKIT_RMPP_STATE_ABORTED) &&
	       outcome->status == MADKIT_RMPP_STATUS_ILLEGAL && outcome->received != outcome->status;
}

/*
 * How long an answer may take: 4.096 us * 2^resptime + 2 * packet_life_ns, at most
 * MADKIT_RMPP_NEVER. resptime is an RRespTime or RespTimeValue, 0 to 30; 31 and
 * above say nothing: MADKIT_RMPP_NEVER. IBA volume 1, section 13.6.3.
 */
uint64_t madkit_rmpp_response_ns(uint8_t resptime, uint64_t packet_life_ns);

/* ---- segments ------------------------------------------------------------------ */

/* A message cut into segments. Its bytes stay the caller's and where they are. */
struct madkit_rmpp_segments {
	const uint8_t *message;
	uint64_t len;
	uint32_t count;     /* segments, at least 1 */
	uint16_t offset;    /* of the data in each MAD: madkit_class_data_offset() */
	uint16_t room;      /* data bytes in each but the last */
	uint16_t mad_bytes; /* of a MAD: 256, OPA's 2048 */
	uint32_t total;     /* the first one's PayloadLength */
};

/*
 * Looks at a message of len bytes, whose class header comes again in each segment.
 * 0; -EINVAL (shorter than its headers, or a class without RMPP); -EMSGSIZE (more
 * than 2^32 - 1 segments, or more bytes than a pointer can address).
 */
int madkit_rmpp_segments_init(struct madkit_rmpp_segments *segments, const uint8_t *message, uint64_t len);

/*
 * Writes segment k, 1 to segments->count, into mad: all of its segments->mad_bytes
 * bytes, zeros behind the data. The message's headers, with the RMPP header made
 * for DATA; the message's RRespTime stays. PayloadLength: of the first the data of
 * all segments and the class header of each, 0 where that is 2^32 or more; of the
 * last its own data and class header; else 0. 0, or -EINVAL (no such segment).
 */
int madkit_rmpp_segments_make(const struct madkit_rmpp_segments *segments, uint32_t k, uint8_t *mad);

/* ---- the sender ---------------------------------------------------------------- */

struct madkit_rmpp_sender_options {
	uint64_t response_ns;       /* wait for an ACK before the window is sent again */
	uint64_t packet_life_ns;    /* the path's; not 0: the RRespTime of ACKs replaces
				 * response_ns by madkit_rmpp_response_ns() */
	uint64_t total_ns;          /* for all of it, or MADKIT_RMPP_NEVER */
	uint32_t retries;           /* without any progress between */
	uint32_t window_last;       /* what may be sent before the first ACK: at least 1;
				 * a response's: madkit_rmpp_receiver_turnaround() */
	bool double_sided;          /* a request whose response is RMPP, too: its last
				 * ACK is answered by a turnaround ACK */
	uint32_t turnaround_window; /* and that one's NewWindowLast, at least 1 */
	uint64_t tid_mask;          /* which bits of the TID come back: the kernel writes
				 * the upper half of requests itself */
	uint8_t resptime;           /* what DATA says of our own RRespTime */
};

/* 2 s, 0, 40 s, 7 retries, 1, false, 1, all bits, 31. */
void madkit_rmpp_sender_options_init(struct madkit_rmpp_sender_options *options);

/* A message on its way. In the caller's memory, and no business of the caller's but
 * for the windows, which may be looked at. */
struct madkit_rmpp_sender {
	struct madkit_rmpp_segments segments;
	struct madkit_rmpp_sender_options options;
	struct madkit_addr to;
	struct madkit_rmpp_outcome outcome;
	uint32_t window_first; /* WF: the lowest without an ACK */
	uint64_t window_last;  /* WL */
	uint64_t next;         /* NS: the next to send; WF <= NS <= WL + 1 */
	uint32_t sent;         /* the highest that was ever sent */
	uint32_t retries_left;
	uint8_t owed; /* ACK, STOP or ABORT to send first; 0: none */
	bool probe;   /* the segment below WF is to be sent once more */
	uint64_t response_ns;
	uint64_t response_deadline;
	uint64_t total_deadline;
};

/*
 * Begins to send a message of len bytes, which stays the caller's and unchanged
 * until the sender is done with: outcome is no longer ACTIVE and madkit_rmpp_sender_packet()
 * has nothing more. options NULL: the defaults. There is nothing to free.
 * 0, or what madkit_rmpp_segments_init() refuses; -EINVAL for window_last,
 * turnaround_window or response_ns of 0, too.
 */
int madkit_rmpp_sender_start(struct madkit_rmpp_sender *sender, const uint8_t *message, uint64_t len,
			     const struct madkit_addr *to, const struct madkit_rmpp_sender_options *options,
			     uint64_t now);

/*
 * A MAD of len bytes has arrived from that address. 0: it was the sender's, even if
 * it changed nothing; -ENOENT: it is not: no RMPP, DATA, another TID, class,
 * direction or peer, or the transfer has ended (a double-sided one takes ACKs
 * until its caller forgets it). STOP and ABORT end it and are not answered; what is against
 * the protocol ends it with an ABORT that says why: 121 to 125.
 */
int madkit_rmpp_sender_take(struct madkit_rmpp_sender *sender, const struct madkit_addr *from,
			    const uint8_t *mad, size_t len, uint64_t now);

/* The time is now: sends the window again (as packets to pull) or gives up, with
 * ABORT 126 (retries) or 118 (total time). */
void madkit_rmpp_sender_expire(struct madkit_rmpp_sender *sender, uint64_t now);

/*
 * The next packet to send, into mad, of sender->segments.mad_bytes bytes; it goes to
 * sender->to. False: none for now. The response timer starts with each.
 */
bool madkit_rmpp_sender_packet(struct madkit_rmpp_sender *sender, uint8_t *mad, uint64_t now);

/* When madkit_rmpp_sender_expire() is due; MADKIT_RMPP_NEVER. */
uint64_t madkit_rmpp_sender_deadline(const struct madkit_rmpp_sender *sender);

/* Where it stands: ACTIVE, or how it ended. */
struct madkit_rmpp_outcome madkit_rmpp_sender_outcome(const struct madkit_rmpp_sender *sender);

/* Gives up with STOP (status 1) or ABORT (118 to 255), which is to be pulled. 0;
 * -EINVAL any other status; -ENOENT where it has ended already. */
int madkit_rmpp_sender_stop(struct madkit_rmpp_sender *sender, uint8_t status);

/* ---- the receiver -------------------------------------------------------------- */

/*
 * Memory. resize() is realloc() that is told the old size: with old NULL (old_size 0)
 * it allocates, with size 0 it frees and returns NULL; NULL otherwise: there is no
 * more, and old is as it was. It must keep what realloc() promises of alignment.
 */
struct madkit_rmpp_heap {
	void *(*resize)(void *context, void *old, size_t old_size, size_t size);
	void *context;
};

struct madkit_rmpp_receiver_options {
	uint32_t window;      /* segments, 1 to 65536 */
	uint32_t ack_every;   /* in-order segments to an ACK, 1 to window */
	uint64_t total_ns;    /* for a transfer, or MADKIT_RMPP_NEVER */
	uint64_t hold_ns;     /* how long one that has ended is remembered (longer
				 * than a sender goes on trying), so that
				 * a lost last ACK, STOP or ABORT is sent again */
	uint64_t response_ns; /* between repeated last ACKs */
	uint32_t retries;     /* of them, while no turnaround ACK comes */
	bool double_sided;    /* requests are: a turnaround ACK is awaited */
	bool watch;           /* a bystander: both directions are seen, nothing is
				 * answered; see madkit_rmpp_receiver_take() */
	size_t max_message;   /* bytes of one message, of memory for all from one
				 * peer, and in all */
	size_t max_peer;
	size_t max_all;
	uint8_t resptime; /* what ACKs say of our own RRespTime */
};

/* 64, 32, 40 s, 20 s, 2 s, 7, false, false, 256 MiB, 512 MiB, 1 GiB, 31. */
void madkit_rmpp_receiver_options_init(struct madkit_rmpp_receiver_options *options);

struct madkit_rmpp_receiver;

/*
 * A receiver of any number of transfers, each known by TID, class, peer (GID with a
 * GRH, else LID; QP) and direction. All its memory comes from heap, which is copied. Free
 * with madkit_rmpp_receiver_free(). 0; -EINVAL for options out of range; -ENOMEM.
 */
int madkit_rmpp_receiver_new(const struct madkit_rmpp_heap *heap,
			     const struct madkit_rmpp_receiver_options *options,
			     struct madkit_rmpp_receiver **receiver);
/* Tells no peer: see madkit_rmpp_receiver_stop(). NULL is fine. */
void madkit_rmpp_receiver_free(struct madkit_rmpp_receiver *receiver);

/* What arrived. */
struct madkit_rmpp_arrival {
	const struct madkit_addr *from;
	const struct madkit_addr *to; /* watch: the other end; else not looked at */
	const uint8_t *mad;
	size_t len;
	uint64_t now;
	uint64_t tag[2]; /* the caller's: the first segment's is the message's */
};

/*
 * Takes a MAD. 0: it was the receiver's, whatever came of it. -ENOENT: it is not: no
 * RMPP, cut, an ACK that is none to a request of theirs, a segment of a transfer that nobody
 * began.
 *
 * What is against the protocol is answered by the ABORT that says so (119 to 121, 124, 125),
 * and ends the transfer that it belongs to. STOP 1 goes out where a limit of
 * the options or the memory does not suffice. Memory follows what has arrived: a
 * buffer has at most a quarter more than its data, a window and a page; a declared length
 * never makes it larger. Segments may come in any order within the window; of two
 * with one number the first counts. A first segment that differs from that of the
 * transfer with the same key begins a new one in its place. An old one that was ACTIVE
 * ends with SUPERSEDED and 127.
 *
 * A watcher answers nothing: no packets are made. A segment that does not fit is -ENOENT
 * and leaves its transfer alone, as does all that is not DATA; the last one's PayloadLength
 * may be 0: full. Where a limit is reached the oldest transfer ends with GAVE_UP and 1.
 */
int madkit_rmpp_receiver_take(struct madkit_rmpp_receiver *receiver,
			      const struct madkit_rmpp_arrival *arrival);

/* The time is now: transfers that take too long end with ABORT 118, and so on. */
void madkit_rmpp_receiver_expire(struct madkit_rmpp_receiver *receiver, uint64_t now);

/* When that is due next; MADKIT_RMPP_NEVER. */
uint64_t madkit_rmpp_receiver_deadline(const struct madkit_rmpp_receiver *receiver);

/*
 * The next packet to send: into mad, which has room for 2048 bytes; its length is
 * *len, where it goes *to. False: none. A transfer owes one packet at a time, the
 * latest; of answers to what belongs to no transfer eight are kept.
 */
bool madkit_rmpp_receiver_packet(struct madkit_rmpp_receiver *receiver, uint8_t *mad, size_t *len,
				 struct madkit_addr *to);

/* A message that is whole, or what there is of one that never will be. */
struct madkit_rmpp_message {
	struct madkit_rmpp_outcome outcome;
	struct madkit_addr from, to;
	uint8_t *bytes;    /* headers of the first segment, whose PayloadLength is
				 * that of all (0: 2^32 or more), and the data */
	size_t len;        /* of one that is not whole: without gaps; 0 where
				 * not even the first segment came */
	size_t size;       /* allocated */
	uint32_t segments; /* that len consists of */
	uint64_t started_ns, ended_ns;
	uint64_t tag[2];
	uint8_t header[MADKIT_HEADER_BYTES]; /* the first segment's MAD header, whatever came of it */
};

/* The next transfer that has ended, each once, in the order in which they did;
 * false: none. bytes are the caller's then: madkit_rmpp_message_free(). */
bool madkit_rmpp_receiver_message(struct madkit_rmpp_receiver *receiver, struct madkit_rmpp_message *message);

/* Frees its bytes, into the receiver's heap; they may outlive the receiver. */
void madkit_rmpp_message_free(const struct madkit_rmpp_heap *heap, struct madkit_rmpp_message *message);

/*
 * The window that the peer has announced for the response to its request, by a
 * turnaround ACK: what the response's sender takes for window_last. mad is the
 * request's header. 0: it is still awaited; 1 where none came and none will, the
 * request is not known, or requests are not double-sided.
 */
uint32_t madkit_rmpp_receiver_turnaround(const struct madkit_rmpp_receiver *receiver,
					 const struct madkit_addr *from, const uint8_t *mad);

/* Whether a MAD with this header and from there would belong to a transfer that is
 * under way, or has ended and is remembered. */
bool madkit_rmpp_receiver_has(const struct madkit_rmpp_receiver *receiver, const struct madkit_addr *from,
			      const uint8_t *mad);

/* Ends all transfers that are not whole: with STOP (status 1) or ABORT (118 to 255), which
 * are to be pulled, as are the messages. 0, -EINVAL any other status. */
int madkit_rmpp_receiver_stop(struct madkit_rmpp_receiver *receiver, uint8_t status);

/* What a receiver has, and has seen since it was made. */
struct madkit_rmpp_receiver_counters {
	size_t active;       /* transfers now */
	size_t held;         /* ended, and remembered */
	size_t bytes;        /* memory for all of them, messages to be pulled too */
	uint64_t segments;   /* stored */
	uint64_t duplicates; /* seen before */
	uint64_t beyond;     /* dropped: behind the window or the end */
	uint64_t refused;    /* transfers that no limit let begin */
	uint64_t faulty;     /* packets of no transfer that violate RMPP: an ABORT answers each */
	uint8_t fault;       /* MADKIT_RMPP_STATUS_... of the latest of these */
};
void madkit_rmpp_receiver_get_counters(const struct madkit_rmpp_receiver *receiver,
				       struct madkit_rmpp_receiver_counters *counters);

MADKIT_END_DECLS
#endif
