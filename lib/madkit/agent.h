/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Agents: the user-space twin of the kernel's include/rdma/ib_mad.h. An agent
 * is a registration for a class (and, to receive requests, methods) on a port;
 * through it MADs are sent, and to its handlers responses and requests come.
 */
#ifndef MADKIT_AGENT_H
#define MADKIT_AGENT_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <madkit/addr.h>
#include <madkit/error.h>
#include <madkit/port.h>
#include <madkit/rmpp_transfer.h>

MADKIT_BEGIN_DECLS

struct madkit_agent;
struct madkit_send;
struct madkit_recv;

/*
 * A send has ended. status: 0 it went out and, where a response was wanted,
 * that has been handed to the receive handler before; -ETIMEDOUT no response
 * after all tries; -ECANCELED; -ECONNABORTED the peer ended the RMPP transfer of
 * the request or of its response with STOP or ABORT (see send->rmpp); -EPROTO it did
 * not keep to RMPP and was told so; -ENOBUFS a response that we have no room for;
 * -EIO, -ENODEV the device failed; -EHOSTUNREACH a GID that does not resolve (RoCE);
 * another -errno as the send was refused.
 * The send is its poster's again and may be freed or posted anew from within
 * the handler.
 */
typedef void (*madkit_send_handler)(struct madkit_agent *agent,
				    struct madkit_send *send, int status);

/*
 * A MAD has arrived. recv is the handler's: free it with madkit_recv_free(),
 * now or later. recv->send is the request that it answers, or NULL for an
 * unsolicited one.
 */
typedef void (*madkit_recv_handler)(struct madkit_agent *agent,
				    struct madkit_recv *recv);

/* Flags of a registration: the kernel's values (ib_user_mad.h). */
enum {
	MADKIT_AGENT_USER_RMPP	= 1 << 0, /* whoever registers does RMPP */
};

struct madkit_agent_attr {
	uint8_t mgmt_class;
	uint8_t class_version;	/* 0: madkit_class_version() */
	uint32_t oui;		/* vendor classes 0x30-0x4f, 24 bits */
	uint8_t rmpp_version;	/* 0 none, 1: the kernel does RMPP */
	uint32_t flags;
	bool library_rmpp;	/* this library does RMPP, on an agent with rmpp_version
				 * 1 and MADKIT_AGENT_USER_RMPP, which it sets:
				 * see madkit_agent_post() */
	uint64_t method_mask[2]; /* requests to receive: bit = method number;
				 * all zero: responses only */
	madkit_send_handler send_handler; /* may be NULL */
	madkit_recv_handler recv_handler; /* may be NULL: frees what comes */
	void *context;
};

/* Sets the bit of a method in a mask; the response bit does not count. */
static inline void madkit_method_mask_set(uint64_t mask[2], uint8_t method)
{
	mask[(method & 0x7f) / 64] |= UINT64_C(1) << (method % 64);
}

/* Whether it is set. */
static inline bool madkit_method_mask_has(const uint64_t mask[2], uint8_t method)
{
	return mask[(method & 0x7f) / 64] >> (method % 64) & 1;
}

enum madkit_refusal_cause {
	MADKIT_REFUSAL_NONE,
	MADKIT_REFUSAL_CLASS,		/* class number out of range */
	MADKIT_REFUSAL_VERSION,		/* class version out of range */
	MADKIT_REFUSAL_OUI,		/* zero or above 24 bits */
	MADKIT_REFUSAL_RMPP_VERSION,	/* neither 0 nor 1 */
	MADKIT_REFUSAL_RMPP_CLASS,	/* the class carries no RMPP */
	MADKIT_REFUSAL_FLAGS,		/* unsupported: see supported_flags */
	MADKIT_REFUSAL_NO_SMI,		/* QP0's classes on a port without QP0 */
	MADKIT_REFUSAL_PERMISSION,
	MADKIT_REFUSAL_AGENTS,		/* agents or OUI places used up */
	MADKIT_REFUSAL_TAKEN,		/* methods held by somebody else */
	MADKIT_REFUSAL_DEVICE,		/* the device is gone */
	MADKIT_REFUSAL_OTHER,
};

/* Why a registration was refused: what is certain. */
struct madkit_refusal {
	enum madkit_refusal_cause cause;
	int code;			/* the kernel's errno, positive */
	uint32_t supported_flags;	/* valid with supported_known */
	bool supported_known;
	uint64_t taken[2];		/* TAKEN: the methods found taken, by
					 * asking for each alone */
	struct madkit_error error;	/* the same in words */
};

/* "methods-taken", "no-smi" ...: for JSON and tests. */
const char *madkit_refusal_cause_name(enum madkit_refusal_cause cause);

/*
 * Registers an agent (umad_register2(), which falls back to the ioctl of older
 * kernels by itself). 0 with *agent, which
 * lives until it is unregistered or its port is closed; or a -errno, and
 * refusal (may be NULL) tells why: -EINVAL, -EBUSY (methods taken), -EPERM,
 * -ENOMEM, -EPROTONOSUPPORT, -ENODEV. Asks the kernel a few times over to find
 * a cause; does not wait.
 *
 * Twin of ib_register_mad_agent(), which is told the QP that the class tells here,
 * and says -EINVAL of methods that are taken, too. One open port has 32 agents at
 * most.
 */
int madkit_agent_register(struct madkit_port *port,
			  const struct madkit_agent_attr *attr,
			  struct madkit_agent **agent,
			  struct madkit_refusal *refusal);

/* Ends it; outstanding sends complete with -ECANCELED first (one whose response
 * is being handed over with 0). May be called from a handler. NULL is fine. Twin of
 * ib_unregister_mad_agent(), which waits until handlers on other processors have
 * returned: here there are none. */
void madkit_agent_unregister(struct madkit_agent *agent);

/* What it was registered with, and where. */
void *madkit_agent_context(const struct madkit_agent *agent);
struct madkit_port *madkit_agent_port(const struct madkit_agent *agent);
const struct madkit_agent_attr *
madkit_agent_get_attr(const struct madkit_agent *agent);
/* The number that the kernel gave it. */
uint32_t madkit_agent_id(const struct madkit_agent *agent);
/* Whether the kernel does RMPP for it. Twin of ib_mad_kernel_rmpp_agent(). */
bool madkit_agent_kernel_rmpp(const struct madkit_agent *agent);

/* ---- sending --------------------------------------------------------------- */

/* What a caller fills in; mad[0..len) is in the same allocation. */
struct madkit_send {
	struct madkit_addr to;
	uint8_t *mad;		/* room for len bytes, zeroed by _new */
	size_t len;		/* 256 or 2048, or a whole RMPP message: first
				 * segment's headers and then all data */
	uint32_t timeout_ms;	/* per try; 0: no response is wanted */
	uint32_t retries;	/* resends after the first; each carries a new
				 * TID where we resend, not the kernel */
	void *context;		/* the caller's */
	struct madkit_send *next; /* madkit_agent_post_list() */
	/* told by the library: */
	uint32_t attempts;	/* our own sends so far */
	uint64_t tid;		/* as sent last, the kernel's upper half too
				 * once a response has told it */
	uint64_t posted_ns;	/* port clock, the first send */
	uint64_t sent_ns;	/* port clock, the latest */
	struct madkit_rmpp_outcome rmpp; /* of a transfer of the library's own that
				 * failed: whose end ended it and with which
				 * status. ACTIVE: none did; the kernel does not
				 * tell of its transfers */
};

/* A send with len zero bytes of MAD (at least 24, at most 1 GiB). NULL: no
 * memory, or len out of range. Twin of ib_create_send_mad(); no agent, address or
 * kind of segment is wanted yet: one send may be posted by any agent. */
struct madkit_send *madkit_send_new(size_t len);
/* NULL is fine. Not while it is posted. Twin of ib_free_send_mad(). */
void madkit_send_free(struct madkit_send *send);

/*
 * Where in send->mad the data of a segment lies, numbered from 1, of the message
 * that mad[0..len) is by its class (the class header is no data): *len bytes of it
 * are there, as many as a segment holds but in the last. NULL with *len 0: it has
 * no such segment; of a message without data there is the first, with *len 0. Twin
 * of ib_get_rmpp_segment(), whose segments are pieces of memory of their own.
 */
uint8_t *madkit_send_segment(struct madkit_send *send, uint32_t number, size_t *len);

/*
 * Posts a send: it goes out now or, where the device cannot take it, at a
 * later madkit_port_process() (-EAGAIN is its status where the device would
 * not for as long as timeout_ms, at least a second). The send handler is
 * called exactly once for each post that returned 0, never from within post.
 *
 * What the library writes into the MAD:
 * - the TID, whose low 32 bits no other send in flight has; but not of a
 *   response (its TID is the request's), nor of a MAD of user-space RMPP
 *   (header active, no kernel RMPP) whose TID has low bits already;
 * - of a directed route (to.direct): hop pointer and count, initial path, DrSLID
 *   and DrDLID. It goes to the permissive LID, or with to.lid set to that LID
 *   first, DrSLID being the port's own unless to.dr_slid says otherwise;
 * - of a message longer than a MAD: RMPP version, type DATA, flag ACTIVE.
 * to.qp 0 of a class that is none of QP0's becomes 1. A MAD shorter than 256
 * bytes goes out padded with zeros; but one whose RMPP header is ACTIVE, on an agent for
 * which the kernel does RMPP, is a message of its own length.
 *
 * Each try lasts timeout_ms, which the device is asked to time; our own
 * deadline ends the try an eighth and 50 ms later where the device says
 * nothing. What would be beyond 146 years is for ever, and the device is told of
 * at most 2^31 - 1 retries and milliseconds. A response with status BUSY counts
 * as a lost try: it is asked again after an eighth of timeout_ms, doubled each
 * time up to timeout_ms; the one to the last try is handed over. Where the kernel
 * does RMPP the retries after a timeout are the kernel's, and attempts stays 1
 * but for BUSY; a message longer than a MAD that has retries is given 2001 ms a try
 * there at least, as with less the kernel sends again nothing but its first segment.
 *
 * A message longer than a MAD that wants no response (timeout_ms 0, and none
 * itself) ends with 0 when the receiver's kernel has acknowledged all of it, a
 * tenth of a second after; with -ETIMEDOUT where that is not known: nothing was
 * acknowledged for (retries + 1) * 2 s, or all of it took about as long. What is
 * lost of it after its first segment the kernel does not send again.
 *
 * Where the library does RMPP (attr.library_rmpp) messages longer than a MAD, and
 * MADs whose RMPP header is ACTIVE, are transfers of its own (rmpp_transfer.h) with
 * one TID: retries windows are sent again without progress, after timeout_ms each
 * (1 s where that is 0), and 40 s and 20 ms a segment are the most for all. A
 * send without a response ends with 0 when the peer has acknowledged all. A
 * response that is a transfer has timeout_ms from each of its segments to the next.
 * A single MAD in response to a request of several segments is not received: the
 * kernel hands out only RMPP then. Watchers (madkit_agent_snoop()) see the packets.
 *
 * Does not wait, but for one thing: on RoCE the kernel resolves the GID before
 * it takes the MAD, and for one that nobody has that blocks about a second;
 * the status is -EHOSTUNREACH then, without further tries.
 *
 * 0; -EINVAL (len below 24 or above what was allocated, longer than a MAD
 * without RMPP, a class without RMPP on an agent with kernel RMPP,
 * to.direct in another class than SubnMgtDR, a Q_Key that umad would not
 * honour); -EBUSY already posted; -ENODEV; -ENOMEM. What the device refuses is
 * the status of the send.
 *
 * Twin of ib_post_send_mad(). umad sends every MAD with the Q_Key 0x80010000, whatever
 * it is told: any other is refused but for 0, which stands for it. It writes the upper
 * half of a request's TID itself, so that only the lower one is the sender's. It
 * resends the MAD as it was, where the resends here carry a new TID. And it tells
 * nothing of what became of a MAD without a response: 0 means that the device took it.
 */
int madkit_agent_post(struct madkit_agent *agent, struct madkit_send *send);

/*
 * Posts send, send->next and so on, in this order. 0, with *failed NULL; or what
 * madkit_agent_post() said of *failed: those before it are posted, it and those
 * behind it are not. The list is not looked at any more afterwards. Twin of
 * ib_post_send_mad() with a list, whose parts go down to the device together; here
 * each is handed over by itself.
 */
int madkit_agent_post_list(struct madkit_agent *agent, struct madkit_send *list,
			   struct madkit_send **failed);

/* Ends a posted send early: its handler is called with -ECANCELED from the
 * next madkit_port_process(). 0, or -ENOENT where it is not posted or has ended
 * already.
 *
 * Twin of ib_cancel_mad(). umad knows no cancelling but the end of the agent: the
 * kernel goes on waiting for the response, which is dropped when it comes, and may
 * go on sending a message of several segments. */
int madkit_agent_cancel(struct madkit_agent *agent, struct madkit_send *send);

/*
 * A new timeout_ms for a posted send that wants a response: it counts from now for
 * the try that is under way, and for those to come. 0 milliseconds cancel. 0;
 * -ENOENT not posted, or ended already; -EINVAL no response is wanted.
 *
 * Twin of ib_modify_mad(); but the device has been told how long to time the present
 * try, so that this one can be shortened and not prolonged: a longer timeout is
 * that of the tries to come.
 */
int madkit_agent_modify(struct madkit_agent *agent, struct madkit_send *send,
			uint32_t timeout_ms);

/* Sends posted and not yet ended. */
size_t madkit_agent_outstanding(const struct madkit_agent *agent);

/* ---- receiving ------------------------------------------------------------- */

struct madkit_recv {
	struct madkit_addr from;
	const uint8_t *mad;
	size_t len;		/* of a MAD, or of the whole message where the kernel or
				 * this library does RMPP */
	int status;		/* umad_status: 0; or a positive errno: mad is
				 * the header of a long response of ours, which
				 * the kernel could not deliver */
	struct madkit_send *send; /* the request it answers, or NULL; valid
				 * until the send's handler has returned */
	uint64_t time_ns;	/* port clock */
	struct timespec time;	/* real time */
};

/* NULL is fine. Twin of ib_free_recv_mad(). */
void madkit_recv_free(struct madkit_recv *recv);

/* ---- watching -------------------------------------------------------------- */

/* What to show: the numbers of the kernel's enum ib_mad_snoop_flags in rdma/ib_mad.h,
 * as long as it had one. */
enum {
	MADKIT_SNOOP_POSTED_SENDS	= 1 << 0,
	MADKIT_SNOOP_SEND_COMPLETIONS	= 1 << 2,
	MADKIT_SNOOP_RECVS		= 1 << 4,
};

/*
 * Called for every MAD that passes through the port object: direction is one
 * of the flags; mad and addr live only for the call. POSTED_SENDS shows a MAD as
 * it was handed over, when it was; the kernel then puts a number of its own
 * into the upper half of a request's transaction ID. SEND_COMPLETIONS shows
 * each of them once more, before its response where one came, with the time of
 * sending and the ID of the wire, as far as that can be known: from a response,
 * from a request that came back, or from an earlier one of its agent's.
 */
typedef void (*madkit_snoop_handler)(void *context, int direction,
				     const struct madkit_addr *addr,
				     const uint8_t *mad, size_t len,
				     const struct timespec *time);

/* One watcher a port; NULL ends it. The handler may be called from within
 * madkit_agent_post() and must call nothing of its port. Twin of
 * ib_register_mad_snoop(), which the kernel no longer has, and which saw what all
 * agents of the host sent and received; here it is those of one port object.
 * madkit_trace_open() sees the headers of all. */
void madkit_agent_snoop(struct madkit_port *port, int flags,
			madkit_snoop_handler handler, void *context);

/* ---- one request and its answer ------------------------------------------- */

struct madkit_reply {
	struct madkit_recv *recv; /* NULL unless a response came */
	int status;		/* as a send handler's */
	uint32_t attempts;	/* our sends */
	bool kernel_resends;	/* the kernel resent on its own: attempts is 1 */
	uint64_t rtt_ns;	/* from the last send to the response */
};

/*
 * Posts send and drives the port until it has ended. Blocks for at most about
 * (retries + 1) * timeout_ms, and deadline_ns (port clock; UINT64_MAX: none)
 * if that is sooner; a deadline that has passed means: send, and only look.
 * The agent's handlers are not called for it; other traffic of the port goes on
 * to its handlers. 0 where the protocol ran its course (reply->status says
 * how: 0 or -ETIMEDOUT ...); -EINTR a signal came (the send is cancelled);
 * -EBUSY from within a handler; or as madkit_agent_post() and
 * madkit_port_process(). reply->recv is the caller's to free.
 */
int madkit_request(struct madkit_agent *agent, struct madkit_send *send,
		   uint64_t deadline_ns, struct madkit_reply *reply);

MADKIT_END_DECLS
#endif
