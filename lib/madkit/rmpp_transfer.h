/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_rmpp_transfer - send and receive RMPP messages with a transport of your own
 *
 * RMPP transfers messages longer than one MAD in segments that the receiver acknowledges (IBA volume 1,
 * section 13.6). This page has a sender and a receiver that do no input or output, have no clock and
 * never block: the caller passes them the packets that arrive and the current time, and sends the
 * packets that they return.
 *
 * Programs that use agents do not need these functions: agents with library_rmpp use them internally
 * (madkit_agent(3)).
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

/* ---- using a sender and a receiver ------------------------------------------
 * The caller owns the sender and the receiver; only one thread at a time may use each. In each turn of
 * its event loop, it calls:
 *
 * - madkit_rmpp_sender_take(), and then madkit_rmpp_receiver_take(), for each packet that has arrived.
 *   A packet is first offered to the senders, and to the receiver if no sender accepts it.
 * - madkit_rmpp_sender_expire() and madkit_rmpp_receiver_expire() with the current time
 * - madkit_rmpp_sender_packet() and madkit_rmpp_receiver_packet() until there is no packet to send
 * - madkit_rmpp_sender_outcome() and madkit_rmpp_receiver_message() for transfers that have ended
 * - madkit_rmpp_sender_deadline() and madkit_rmpp_receiver_deadline() to know how long to wait
 *
 * Times are nanoseconds on a monotonic clock, such as madkit_port_now(). A message has the format of
 * umad: the headers of the first segment (MAD, RMPP and class header), and then all data.
 */

/* A time that never comes. */
#define MADKIT_RMPP_NEVER UINT64_MAX

/* The state of a transfer. */
enum madkit_rmpp_state {
	MADKIT_RMPP_STATE_ACTIVE,   /* it has not ended */
	MADKIT_RMPP_STATE_COMPLETE, /* it has ended successfully */
	MADKIT_RMPP_STATE_GAVE_UP,  /* this side ended it with STOP or ABORT */
	MADKIT_RMPP_STATE_STOPPED,  /* the peer ended it with STOP */
	MADKIT_RMPP_STATE_ABORTED,  /* the peer ended it with ABORT */
	/* receiver: another first segment of the same transaction began a new transfer. No STOP or
	 * ABORT is sent. */
	MADKIT_RMPP_STATE_SUPERSEDED,
};

/* The state of a transfer, and how it ended. */
struct madkit_rmpp_outcome {
	enum madkit_rmpp_state state;
	/* MADKIT_RMPP_STATUS_OK and so on. If the peer sent a STOP or ABORT with a status that this
	 * type must not have: MADKIT_RMPP_STATUS_ILLEGAL. */
	uint8_t status;
	uint8_t received; /* status in the peer's STOP or ABORT; 0 if it sent neither */
};

/*
 * madkit_rmpp_outcome_illegal - check whether the peer ended a transfer with an illegal status
 * @outcome: the outcome
 *
 * Return: true if the peer sent a STOP or ABORT with a status that this type must not have.
 */
static inline bool madkit_rmpp_outcome_illegal(const struct madkit_rmpp_outcome *outcome)
{
	return (outcome->state == MADKIT_RMPP_STATE_STOPPED || outcome->state == MADKIT_RMPP_STATE_ABORTED) &&
	       outcome->status == MADKIT_RMPP_STATUS_ILLEGAL && outcome->received != outcome->status;
}

/* ---- segments --------------------------------------------------------------- */

/* A message divided into segments. The message belongs to the caller and is not copied. */
struct madkit_rmpp_segments {
	const uint8_t *message;
	uint64_t len;
	uint32_t count;     /* segments, at least 1 */
	uint16_t offset;    /* of the data in each MAD: madkit_class_data_offset() */
	uint16_t room;      /* data bytes in each segment but the last */
	uint16_t mad_bytes; /* length of a MAD: 256, or 2048 for Omni-Path */
	uint32_t total;     /* PayloadLength of the first segment */
};

/*
 * madkit_rmpp_segments_init - divide a message into segments
 * @segments: receives the segments
 * @message:  the message, which must not change as long as @segments is used
 * @len:      bytes of @message
 *
 * Each segment repeats the class header of the message.
 *
 * Return: 0 on success, or:
 * - -EINVAL: the message is shorter than its headers, or its class has no RMPP
 * - -EMSGSIZE: it has more than 2^32 - 1 segments, or more bytes than a pointer can address
 */
int madkit_rmpp_segments_init(struct madkit_rmpp_segments *segments, const uint8_t *message, uint64_t len);

/*
 * madkit_rmpp_segments_make - write a segment as a MAD
 * @segments: the message
 * @k:        number of the segment, 1 to segments->count
 * @mad:      receives segments->mad_bytes bytes
 *
 * The headers are those of the message, with an RMPP header of type DATA and the message's RRespTime.
 * Zeros follow the data. PayloadLength of the first segment covers the data of all segments and the
 * class header of each; it is 0 if that is 2^32 or more. PayloadLength of the last segment covers its
 * own data and class header. In other segments it is 0.
 *
 * Return: 0, or -EINVAL if there is no such segment.
 */
int madkit_rmpp_segments_make(const struct madkit_rmpp_segments *segments, uint32_t k, uint8_t *mad);

/* ---- sender ----------------------------------------------------------------- */

/* Options of a sender. */
struct madkit_rmpp_sender_options {
	uint64_t response_ns; /* how long to wait for an ACK before the window is resent */
	/* lifetime of a packet on the path. Unless it is 0, ACKs replace response_ns with 4.096 us * 2^RRespTime
	 * + 2 * packet_life_ns (IBA volume 1, section 13.6.3). */
	uint64_t packet_life_ns;
	uint64_t total_ns; /* limit for the whole transfer, or MADKIT_RMPP_NEVER */
	uint32_t retries;  /* resends of a window without progress */
	/* last segment to send before the first ACK: at least 1. For a response:
	 * madkit_rmpp_receiver_turnaround(). */
	uint32_t window_last;
	/* a request with an RMPP response: its last ACK is answered by a turnaround ACK */
	bool double_sided;
	uint32_t turnaround_window; /* NewWindowLast of the turnaround ACK: at least 1 */
	/* bits of the TID that the peer returns. The kernel writes the upper half of requests itself. */
	uint64_t tid_mask;
	uint8_t resptime; /* RRespTime of DATA packets */
};

/*
 * madkit_rmpp_sender_options_init - set the default options of a sender
 * @options: receives the options: response_ns 2 s, packet_life_ns 0, total_ns 40 s, retries 7,
 *           window_last 1, double_sided false, turnaround_window 1, all bits in tid_mask, resptime 31
 */
void madkit_rmpp_sender_options_init(struct madkit_rmpp_sender_options *options);

/*
 * A message that is being sent. It is in the caller's memory. Programs may read the window; the other
 * members are internal.
 */
struct madkit_rmpp_sender {
	struct madkit_rmpp_segments segments;
	struct madkit_rmpp_sender_options options;
	struct madkit_addr to;
	struct madkit_rmpp_outcome outcome;
	uint32_t window_first; /* WF: the lowest segment without an ACK */
	uint64_t window_last;  /* WL: the highest segment that may be sent */
	uint64_t next;         /* NS: the next segment to send; WF <= NS <= WL + 1 */
	uint32_t sent;         /* the highest segment that was ever sent */
	uint32_t retries_left;
	uint8_t owed; /* type of a packet to send first (ACK, STOP or ABORT); 0: none */
	bool probe;   /* the segment before WF has to be sent again */
	uint64_t response_ns;
	uint64_t response_deadline;
	uint64_t total_deadline;
};

/*
 * madkit_rmpp_sender_start - begin to send a message
 * @sender:  sender to initialise; there is nothing to free
 * @message: the message, which must not change until the sender has finished: its outcome is not
 *           ACTIVE, and madkit_rmpp_sender_packet() returns no packet
 * @len:     bytes of @message
 * @to:      destination
 * @options: options, or NULL for the defaults
 * @now:     current time
 *
 * Return: 0 on success, or:
 * - -EINVAL: the message is not valid (madkit_rmpp_segments_init()), or window_last, turnaround_window
 *   or response_ns is 0
 * - -EMSGSIZE: the message is too long (madkit_rmpp_segments_init())
 */
int madkit_rmpp_sender_start(struct madkit_rmpp_sender *sender, const uint8_t *message, uint64_t len,
			     const struct madkit_addr *to, const struct madkit_rmpp_sender_options *options,
			     uint64_t now);

/*
 * madkit_rmpp_sender_take - pass a MAD that has arrived to a sender
 * @sender: the sender
 * @from:   source of the MAD
 * @mad:    the MAD
 * @len:    bytes of @mad
 * @now:    current time
 *
 * A STOP or ABORT ends the transfer; no response is sent. A packet that violates the protocol ends the
 * transfer with an ABORT, which has the reason as its status (121 to 125).
 *
 * Return: 0 if the MAD was for this sender, even if it changed nothing. -ENOENT if it was not: it has
 * no RMPP, is DATA, has another TID, class, direction or peer, or the transfer has ended. (A
 * double-sided transfer accepts ACKs even after its end.)
 */
int madkit_rmpp_sender_take(struct madkit_rmpp_sender *sender, const struct madkit_addr *from,
			    const uint8_t *mad, size_t len, uint64_t now);

/*
 * madkit_rmpp_sender_expire - process timeouts of a sender
 * @sender: the sender
 * @now:    current time
 *
 * If a timeout has expired, the window is sent again by madkit_rmpp_sender_packet(), or the transfer
 * ends with ABORT 126 (too many retries) or 118 (total time).
 */
void madkit_rmpp_sender_expire(struct madkit_rmpp_sender *sender, uint64_t now);

/*
 * madkit_rmpp_sender_packet - return the next packet to send
 * @sender: the sender
 * @mad:    receives the packet: sender->segments.mad_bytes bytes, to be sent to sender->to
 * @now:    current time, from which the response time counts
 *
 * Return: true if there is a packet; false if there is nothing to send now.
 */
bool madkit_rmpp_sender_packet(struct madkit_rmpp_sender *sender, uint8_t *mad, uint64_t now);

/*
 * madkit_rmpp_sender_deadline - return when madkit_rmpp_sender_expire() is due
 * @sender: the sender
 *
 * Return: the time, or MADKIT_RMPP_NEVER.
 */
uint64_t madkit_rmpp_sender_deadline(const struct madkit_rmpp_sender *sender);

/*
 * madkit_rmpp_sender_outcome - return the state of a transfer
 * @sender: the sender
 *
 * Return: MADKIT_RMPP_STATE_ACTIVE, or how the transfer ended.
 */
struct madkit_rmpp_outcome madkit_rmpp_sender_outcome(const struct madkit_rmpp_sender *sender);

/*
 * madkit_rmpp_sender_stop - end a transfer early
 * @sender: the sender
 * @status: 1 for STOP, 118 to 255 for ABORT
 *
 * madkit_rmpp_sender_packet() returns the STOP or ABORT.
 *
 * Return: 0; -EINVAL for any other status; -ENOENT if the transfer has already ended.
 */
int madkit_rmpp_sender_stop(struct madkit_rmpp_sender *sender, uint8_t status);

/* ---- receiver --------------------------------------------------------------- */

/* How a receiver allocates memory. */
struct madkit_rmpp_heap {
	/* realloc() that also takes the old size. If old is NULL, old_size is 0: it allocates. If size
	 * is 0, it frees and returns NULL. Otherwise NULL means out of memory; old is then unchanged.
	 * The alignment must be that of realloc(). */
	void *(*resize)(void *context, void *old, size_t old_size, size_t size);
	void *context;
};

/* Options of a receiver. */
struct madkit_rmpp_receiver_options {
	uint32_t window;    /* segments, 1 to 65536 */
	uint32_t ack_every; /* send an ACK after this many segments in order, 1 to window */
	uint64_t total_ns;  /* limit for a transfer, or MADKIT_RMPP_NEVER */
	/* How long a transfer is remembered after its end, so that a lost last ACK, STOP or ABORT is
	 * sent again. Longer than a sender continues to send. */
	uint64_t hold_ns;
	uint64_t response_ns; /* interval in which the last ACK is repeated */
	uint32_t retries;     /* repetitions of the last ACK while no turnaround ACK arrives */
	bool double_sided;    /* requests are double-sided: wait for a turnaround ACK */
	bool watch;           /* a watcher: see madkit_rmpp_receiver_take() */
	size_t max_message;   /* limit for a message, in bytes */
	size_t max_peer;      /* limit for the memory of all messages from one peer */
	size_t max_all;       /* limit for all memory */
	uint8_t resptime;     /* RRespTime of ACKs */
};

/*
 * madkit_rmpp_receiver_options_init - set the default options of a receiver
 * @options: receives the options: window 64, ack_every 32, total_ns 40 s, hold_ns 20 s, response_ns 2
 *           s, retries 7, double_sided false, watch false, max_message 256 MiB, max_peer 512 MiB,
 *           max_all 1 GiB, resptime 31
 */
void madkit_rmpp_receiver_options_init(struct madkit_rmpp_receiver_options *options);

struct madkit_rmpp_receiver;

/*
 * madkit_rmpp_receiver_new - make a receiver
 * @heap:     how to allocate memory; copied
 * @options:  options
 * @receiver: receives the receiver; free it with madkit_rmpp_receiver_free()
 *
 * A receiver handles any number of transfers. A transfer is identified by its TID, class, direction and
 * peer (QP, and GID if there is a GRH, or else LID).
 *
 * Return: 0; -EINVAL if an option is out of range; -ENOMEM if out of memory.
 */
int madkit_rmpp_receiver_new(const struct madkit_rmpp_heap *heap,
			     const struct madkit_rmpp_receiver_options *options,
			     struct madkit_rmpp_receiver **receiver);

/*
 * madkit_rmpp_receiver_free - free a receiver
 * @receiver: receiver to free, or NULL
 *
 * Peers are not notified; call madkit_rmpp_receiver_stop() before.
 */
void madkit_rmpp_receiver_free(struct madkit_rmpp_receiver *receiver);

/* A MAD that has arrived. */
struct madkit_rmpp_arrival {
	const struct madkit_addr *from;
	const struct madkit_addr *to; /* of a watcher: the other end; otherwise ignored */
	const uint8_t *mad;
	size_t len;
	uint64_t now;    /* current time */
	uint64_t tag[2]; /* for the caller's use: the message gets the tag of its first segment */
};

/*
 * madkit_rmpp_receiver_take - pass a MAD that has arrived to a receiver
 * @receiver: the receiver
 * @arrival:  the MAD
 *
 * A packet that violates the protocol is answered by an ABORT, which has the reason as its status (119
 * to 121, 124, 125), and ends its transfer. If a limit of the options or the memory is exceeded, STOP 1
 * is sent.
 *
 * Segments may arrive in any order within the window; of two with the same number, the first counts. A
 * first segment that differs from that of the transfer with the same identification begins a new
 * transfer in its place. If the old one was ACTIVE, it ends with SUPERSEDED and status 127.
 *
 * Memory is allocated as data arrives: a buffer is larger than its data by at most a quarter, a window
 * and a page. A declared length never makes it larger.
 *
 * A watcher (option watch) sees both directions and makes no packets. It returns -ENOENT for any MAD
 * that is not DATA, and for a segment that does not fit, which leaves its transfer unchanged. The
 * PayloadLength of the last segment may be 0: the segment is full. If a limit is reached, the oldest
 * transfer ends with GAVE_UP and status 1.
 *
 * Return: 0 if the MAD was for this receiver, even if it was rejected. -ENOENT if it was not: it has no
 * RMPP, was truncated, is an ACK that does not belong to a request from that peer, or is a segment of a
 * transfer that was not begun.
 */
int madkit_rmpp_receiver_take(struct madkit_rmpp_receiver *receiver,
			      const struct madkit_rmpp_arrival *arrival);

/*
 * madkit_rmpp_receiver_expire - process timeouts of a receiver
 * @receiver: the receiver
 * @now:      current time
 *
 * A transfer that takes too long ends with ABORT 118; last ACKs are repeated; old transfers are
 * forgotten.
 */
void madkit_rmpp_receiver_expire(struct madkit_rmpp_receiver *receiver, uint64_t now);

/*
 * madkit_rmpp_receiver_deadline - return when madkit_rmpp_receiver_expire() is due
 * @receiver: the receiver
 *
 * Return: the time, or MADKIT_RMPP_NEVER.
 */
uint64_t madkit_rmpp_receiver_deadline(const struct madkit_rmpp_receiver *receiver);

/*
 * madkit_rmpp_receiver_packet - return the next packet to send
 * @receiver: the receiver
 * @mad:      receives the packet: room for 2048 bytes
 * @len:      receives the length of the packet
 * @to:       receives the destination
 *
 * Each transfer has at most one packet to send, the latest. Of responses to packets that belong to no
 * transfer, at most eight wait.
 *
 * Return: true if there is a packet; false if there is nothing to send.
 */
bool madkit_rmpp_receiver_packet(struct madkit_rmpp_receiver *receiver, uint8_t *mad, size_t *len,
				 struct madkit_addr *to);

/* A message of a transfer that has ended. */
struct madkit_rmpp_message {
	struct madkit_rmpp_outcome outcome;
	struct madkit_addr from, to;
	/* The headers of the first segment and the data. PayloadLength in these headers is that of the
	 * whole message (0: 2^32 or more). Of an incomplete message: the data up to the first gap. */
	uint8_t *bytes;
	size_t len;        /* 0 if the first segment has not arrived */
	size_t size;       /* bytes allocated */
	uint32_t segments; /* in len bytes */
	uint64_t started_ns, ended_ns;
	uint64_t tag[2];
	uint8_t header[MADKIT_HEADER_BYTES]; /* MAD header of the first segment; always set */
};

/*
 * madkit_rmpp_receiver_message - return the next message of a transfer that has ended
 * @receiver: the receiver
 * @message:  receives the message; free it with madkit_rmpp_message_free()
 *
 * Each message is returned once, in the order in which the transfers ended.
 *
 * Return: true if there is a message.
 */
bool madkit_rmpp_receiver_message(struct madkit_rmpp_receiver *receiver, struct madkit_rmpp_message *message);

/*
 * madkit_rmpp_message_free - free the bytes of a message
 * @heap:    heap of the receiver, which may already have been freed
 * @message: the message
 */
void madkit_rmpp_message_free(const struct madkit_rmpp_heap *heap, struct madkit_rmpp_message *message);

/*
 * madkit_rmpp_receiver_turnaround - return the window for the response to a double-sided request
 * @receiver: the receiver
 * @from:     source of the request
 * @mad:      MAD header of the request
 *
 * The peer announces the window by a turnaround ACK. Use it as window_last of the sender of the
 * response.
 *
 * Return: the window; 0 if the turnaround ACK has not arrived yet; 1 if it will not arrive, the request
 * is not known, or requests are not double-sided.
 */
uint32_t madkit_rmpp_receiver_turnaround(const struct madkit_rmpp_receiver *receiver,
					 const struct madkit_addr *from, const uint8_t *mad);

/*
 * madkit_rmpp_receiver_has - check whether a MAD belongs to a known transfer
 * @receiver: the receiver
 * @from:     source of the MAD
 * @mad:      MAD header
 *
 * Return: true if it belongs to a transfer that is active, or has ended and is remembered.
 */
bool madkit_rmpp_receiver_has(const struct madkit_rmpp_receiver *receiver, const struct madkit_addr *from,
			      const uint8_t *mad);

/*
 * madkit_rmpp_receiver_stop - end all incomplete transfers
 * @receiver: the receiver
 * @status:   1 for STOP, 118 to 255 for ABORT
 *
 * madkit_rmpp_receiver_packet() returns the packets, and madkit_rmpp_receiver_message() the messages.
 *
 * Return: 0, or -EINVAL for any other status.
 */
int madkit_rmpp_receiver_stop(struct madkit_rmpp_receiver *receiver, uint8_t status);

/* The state of a receiver, and its counters since it was made. */
struct madkit_rmpp_receiver_counters {
	size_t active;       /* active transfers */
	size_t held;         /* ended transfers that are remembered */
	size_t bytes;        /* memory of all these, and of messages not yet returned */
	uint64_t segments;   /* segments stored */
	uint64_t duplicates; /* segments that had arrived before */
	uint64_t beyond;     /* segments dropped beyond the window or the end of the message */
	uint64_t refused;    /* transfers that exceeded a limit when they began */
	uint64_t faulty;     /* packets of no transfer that violate RMPP; each is answered by an ABORT */
	uint8_t fault;       /* status of the latest such ABORT */
};

/*
 * madkit_rmpp_receiver_get_counters - return the counters of a receiver
 * @receiver: the receiver
 * @counters: receives the counters
 */
void madkit_rmpp_receiver_get_counters(const struct madkit_rmpp_receiver *receiver,
				       struct madkit_rmpp_receiver_counters *counters);

MADKIT_END_DECLS
#endif
