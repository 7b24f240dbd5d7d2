/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Agents: the user-space twin of the kernel's include/rdma/ib_mad.h. An agent
 * is a registration for a class (and, to receive requests, methods) on a port;
 * through it MADs are sent, and to its handlers responses and requests come.
 * An agent belongs to its port: one thread at a time may use the port and all its agents (madkit_port(3)).
 *
 * Who resends: a retry is one more send of a request that got no response within timeout_ms. This
 * library does it, with the same transaction ID, if the request and its response are one MAD each;
 * madkit_agent_cancel(), a shorter timeout, the deadline of madkit_request(), unregistering and
 * closing then stop it at once. If the response is a table of the SA (GetTable, GetTraceTable,
 * GetMulti) and the kernel does RMPP, the kernel resends, because it would discard a table that
 * arrives between two tries; and if the request itself has RMPP, what is resent are segments that
 * the peer has not acknowledged, by the kernel or by this library. Once all of them are
 * acknowledged, the request is not sent again: its response is awaited for timeout_ms. Nothing but
 * unregistering the agent or closing the port stops what the kernel resends, so that
 * madkit_request() asks the kernel for only as many retries as end before its deadline.
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
 * the request or of its response with STOP or ABORT (see send->rmpp); -EPROTO the peer
 * violated RMPP and was sent a STOP or ABORT, or its response began anew with other contents
 * more than 16 times (MADKIT_RMPP_STATE_SUPERSEDED); -ENOBUFS no room for the response;
 * -EIO, -ENODEV the device failed; on RoCE -EHOSTUNREACH a GID that does not resolve, -ENETUNREACH (QP 1
 * of umad; a UD queue pair: -EHOSTUNREACH) a GID that is not link-local and has no route, -ENODATA a
 * gid_index without an entry, -EINVAL an address without GRH; another -errno as the send was refused.
 * The send is its poster's again and may be freed or posted anew from within
 * the handler.
 */
typedef void (*madkit_send_handler)(struct madkit_agent *agent, struct madkit_send *send, int status);

/*
 * A MAD has arrived. recv is the handler's: free it with madkit_recv_free(),
 * now or later. recv->send is the request that it answers, or NULL for an
 * unsolicited one.
 */
typedef void (*madkit_recv_handler)(struct madkit_agent *agent, struct madkit_recv *recv);

/* Flags of a registration: the kernel's values (ib_user_mad.h). */
enum {
	MADKIT_AGENT_USER_RMPP = 1 << 0, /* whoever registers does RMPP */
};

struct madkit_agent_attr {
	uint8_t mgmt_class;               /* requests of this class are received; MADs of any class may be
				 * posted, and their responses are received. 0 (umad): an agent
				 * that only sends; methods and flags are refused */
	uint8_t class_version;            /* 0: madkit_class_version(), unless class_version_given */
	bool class_version_given;         /* class_version is registered as it is, even if 0 */
	uint32_t oui;                     /* vendor classes 0x30-0x4f, 24 bits; ignored for
				 * other classes */
	uint8_t rmpp_version;             /* 0 none, 1: the kernel does RMPP, unless flags or
				 * library_rmpp say otherwise */
	uint32_t flags;                   /* MADKIT_AGENT_USER_RMPP does not set rmpp_version: with 0
				 * the agent has no RMPP, as without the flag */
	bool library_rmpp;                /* this library does RMPP. It sets rmpp_version to 1, also if
				 * that is 0, and MADKIT_AGENT_USER_RMPP: see
				 * madkit_agent_post() */
	uint64_t method_mask[2];          /* requests to receive: bit = method number;
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
	MADKIT_REFUSAL_CLASS,        /* class number out of range */
	MADKIT_REFUSAL_VERSION,      /* class version out of range */
	MADKIT_REFUSAL_OUI,          /* zero or above 24 bits */
	MADKIT_REFUSAL_RMPP_VERSION, /* neither 0 nor 1 */
	MADKIT_REFUSAL_RMPP_CLASS,   /* the class carries no RMPP */
	MADKIT_REFUSAL_FLAGS,        /* unsupported: see supported_flags */
	MADKIT_REFUSAL_NO_SMI,       /* QP0's classes on a port without QP0 */
	MADKIT_REFUSAL_PERMISSION,
	MADKIT_REFUSAL_AGENTS, /* agents or OUI places used up */
	MADKIT_REFUSAL_TAKEN,  /* methods held by somebody else */
	MADKIT_REFUSAL_DEVICE, /* the device is gone */
	MADKIT_REFUSAL_OTHER,
};

/* Why a registration was refused: what is certain. */
struct madkit_refusal {
	enum madkit_refusal_cause cause;
	int code;                  /* the kernel's errno, positive */
	uint32_t supported_flags;  /* valid with supported_known */
	bool supported_known;      /* only if a flag other than
					 * MADKIT_AGENT_USER_RMPP was refused */
	uint64_t taken[2];         /* TAKEN: the methods found taken, by
					 * asking for each alone */
	struct madkit_error error; /* the same in words */
};

/* "methods-taken", "no-smi" ...: for JSON and tests. */
const char *madkit_refusal_cause_name(enum madkit_refusal_cause cause);

/*
 * Registers an agent (umad_register2(), which falls back to the ioctl of older
 * kernels by itself). 0 with *agent, which
 * lives until it is unregistered or its port is closed; or a -errno, and
 * refusal (may be NULL) tells why: -EINVAL, -EBUSY (methods taken), -EPERM,
 * -ENOMEM (no room: 32 agents of one open port, 8 OUIs of a class version of a vendor class on a
 * port), -EPROTONOSUPPORT, -ENODEV. Does not wait. To find the cause of -EINVAL
 * the kernel is asked again, by registrations that are withdrawn at once: about flags that
 * are not known, and about each method if there are several. The kernel writes a line to its
 * log for each refusal of a flag, of a taken method (two for the first one, since libibumad asks
 * twice), of a ninth OUI ("All OUI slots in use") and of a 33rd agent, and for no other. An OUI that
 * is 0 or has more than 24 bits is refused without asking the kernel, unless a flag is refused as well.
 * After another agent of the port was unregistered, it receives what the device has; the next
 * madkit_port_process() hands that over.
 *
 * Twin of ib_register_mad_agent(), which is told the QP that the class tells here,
 * and says -EINVAL of methods that are taken, too. One open port has 32 agents at
 * most.
 */
int madkit_agent_register(struct madkit_port *port, const struct madkit_agent_attr *attr,
			  struct madkit_agent **agent, struct madkit_refusal *refusal);

/* Ends it; outstanding sends complete with -ECANCELED first (one whose response
 * is being handed over with 0). Afterwards the agent is invalid, but if a
 * handler ends it, the agent can be read until the handler returns, and posts nothing more (-ENODEV). MADs
 * that were received for it and not yet handed over are dropped: umad keeps them, and the next agent may have
 * the same number, but does not get them. May be called from a handler. NULL is fine. A child process that inherited the port ends the parent's
 * agent with it, unlike with madkit_port_close(). Twin of ib_unregister_mad_agent(), which
 * waits until handlers on other processors have returned: here there are none. */
void madkit_agent_unregister(struct madkit_agent *agent);

/* The values that it was registered with, and its port. class_version is the registered
 * version (class_version_given is set). */
void *madkit_agent_context(const struct madkit_agent *agent);
struct madkit_port *madkit_agent_port(const struct madkit_agent *agent);
const struct madkit_agent_attr *madkit_agent_get_attr(const struct madkit_agent *agent);
/* The number that the kernel gave it. */
uint32_t madkit_agent_id(const struct madkit_agent *agent);
/* Whether the kernel does RMPP for it. Twin of ib_mad_kernel_rmpp_agent(). */
bool madkit_agent_kernel_rmpp(const struct madkit_agent *agent);

/* ---- sending --------------------------------------------------------------- */

/* A timeout that never expires: the kernel's negative timeout_ms (umad_send(3)). */
#define MADKIT_FOREVER UINT32_MAX

/* What a caller fills in; mad[0..len) is in the same allocation. */
struct madkit_send {
	struct madkit_addr to;
	uint8_t *mad;             /* room for len bytes, zeroed by _new */
	size_t len;               /* 256 or 2048, or a whole RMPP message: first
				 * segment's headers and then all data */
	uint32_t timeout_ms;      /* per try, up to 2^31 - 1 (24.8 days), or MADKIT_FOREVER; 0: no
				 * response is wanted; of a response it is ignored */
	uint32_t retries;         /* resends after the first try; of a request with RMPP:
				 * of segments that are not acknowledged */
	uint32_t ack_ms;          /* if the library does RMPP: how long an acknowledgement of the
				 * message is awaited, in milliseconds. 0: timeout_ms, or 1 s if
				 * that is 0 too; MADKIT_FOREVER: 1 s */
	void *context;            /* the caller's */
	struct madkit_send *next; /* madkit_agent_post_list() */
	/* told by the library: */
	uint32_t attempts;               /* our own sends so far; if the library does RMPP and len is
				 * more than one MAD: sends of the first segment */
	uint32_t busy;                   /* responses with status BUSY, each of which was one try */
	uint32_t unacknowledged;         /* if the library does RMPP and the message was not
				 * acknowledged: the first segment without an ACK; else 0 */
	bool kernel_resends;             /* the kernel may have resent: how often is not known */
	uint64_t tid;                    /* of the latest try; of the try that was answered once
				 * there is a response. The upper half of a request's is the
				 * kernel's; 0: not known yet */
	uint64_t posted_ns;              /* port clock, the first send */
	uint64_t sent_ns;                /* port clock, the latest: immediately before the device got it. On
				 * Ethernet, where the kernel resolves the GID first: after that, if
				 * the device took more than 1 ms */
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
 * Returns the data of a segment of the message mad[0..send->len), inside send->mad.
 * Segments are numbered from 1; the class header is not data. *len, unless len is NULL, is
 * set to the number of bytes: a full segment's, except for the last one. A message
 * without data has segment 1, with *len 0. NULL, with *len 0: there is no such segment.
 * Twin of ib_get_rmpp_segment(), which returns separately allocated segments.
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
 * Each try lasts timeout_ms, which the device is asked to time; if it reports nothing, our
 * own deadline ends the try an eighth and 50 ms later. If the kernel does all tries, more than
 * 146 years in total are treated as infinite, and it is asked for at most 2^31 - 1 retries. If the
 * kernel does RMPP and the message is longer than a MAD, that deadline is (retries + 1) * (timeout_ms
 * + 2000) ms, and 20 ms for each 192 bytes, plus an eighth of the sum and 50 ms. A
 * response with status BUSY ends a try: the next one follows after an eighth of timeout_ms,
 * doubled each time up to timeout_ms; if no try is left, the response is handed over. If the kernel
 * resends, it does not report how often it had: all retries that it can have used by then count.
 *
 * With MADKIT_FOREVER a try ends only with its response, with madkit_agent_cancel(), or when
 * madkit_agent_modify() shortens it. The kernel gets a negative timeout, and then resends
 * nothing. retries apply to BUSY, whose back-off goes up to 1 s. RMPP still fails if its
 * segments are not acknowledged: after the library's own limits, which are those of timeout_ms
 * 0 (see below), or by the kernel after (retries + 1) * 2 s. A message that the kernel sends by
 * RMPP waits for its response for at most 24.8 days, because with a negative timeout the kernel
 * does not resend segments.
 *
 * A resend has the TID of the earlier try once the device has returned that try or handed
 * out its response, because the TID is free then: the response to any of these tries counts.
 * The resend has a new TID if the device may still have the earlier try (our own deadline or
 * madkit_agent_modify() ended it, or the device refuses the TID with EINVAL) or if the request has
 * RMPP (longer than a MAD, or with an ACTIVE RMPP header, whether the kernel or the library does it).
 * Responses with any of the last 16 earlier TIDs are accepted, too. A request with RMPP needs the new TID because
 * the peer's kernel keeps a received transfer for 10 s: it acknowledges segments with the same TID,
 * but does not deliver them again. The kernel discards a response while no request with its TID is outstanding,
 * that is until madkit_port_process() has seen the timeout and sent again, during the
 * back-off after BUSY, and after the last try. A TID is not reused before 2^32 others.
 *
 * If the kernel does RMPP, it also does the retries of requests for tables of the SA (GetTable,
 * GetTraceTable, GetMulti) and of segments that are not acknowledged (kernel_resends), always with
 * the same TID. attempts then counts only what this library sent: 1, one more for each BUSY, and
 * one more if the time that is left before the deadline of madkit_request() is shorter than a
 * timeout. The response to a vendor's method is taken for one MAD: this library resends the
 * request, and a response with RMPP that takes longer than timeout_ms may be discarded. A request
 * longer than a MAD that has retries is given at least 2001 ms, because with less the kernel
 * resends only its first segment; the kernel waits 2 s for an acknowledgement.
 *
 * If the kernel does RMPP and the peer ends a transfer with STOP or ABORT, umad reports nothing. The
 * send then ends with -ETIMEDOUT at our own deadline, as above: 5000 bytes with timeout_ms 500 and
 * 3 retries after 12 s. With MADKIT_FOREVER it never ends by itself: only madkit_agent_cancel(),
 * madkit_agent_modify(), or the deadline of madkit_request() or a signal ends it. Use a deadline, or
 * library_rmpp, with which STOP and ABORT end the send at once.
 *
 * A request with RMPP (longer than a MAD, or with an ACTIVE RMPP header) is not sent again once all
 * of its segments are acknowledged: it ends with -ETIMEDOUT after timeout_ms.
 * Only a response with status BUSY makes the library send it again.
 *
 * A message longer than a MAD that wants no response (timeout_ms 0, and none itself) and that the
 * kernel sends by RMPP ends with 0 half a second after the receiver's kernel has acknowledged all of
 * it. It ends with -ETIMEDOUT if that is not known: nothing was acknowledged for (retries + 1) * 2 s,
 * or all of it took about as long. Until the first segment is acknowledged, the kernel sends it every
 * 500 ms: 4 times for each of the retries + 1 tries (kernel_resends). What is lost after the first
 * segment the kernel does not resend.
 *
 * Where the library does RMPP (attr.library_rmpp) messages longer than a MAD, and
 * MADs whose RMPP header is ACTIVE, are transfers of its own (rmpp_transfer.h) with
 * one TID: retries windows are sent again without progress, after timeout_ms each
 * (1 s where that is 0; ack_ms if set), and 40 s and 20 ms a segment are the most for all. A
 * send without a response ends with 0 when the peer has acknowledged all. A
 * response that is a transfer has timeout_ms from each of its segments to the next. A response that
 * is arriving in segments extends a try by at most 40 s from its first segment, even if it begins anew;
 * then the request ends with -ETIMEDOUT. A deadline of madkit_request() ends it sooner.
 * A single MAD in response to a request of several segments is not received: the
 * kernel hands out only RMPP then. Watchers (madkit_snoop_register()) see the packets.
 *
 * Does not block, with two exceptions. On RoCE the kernel resolves the GID before it accepts the
 * MAD: if the GID does not resolve, that takes about a second and no signal interrupts it. The
 * status is then -EHOSTUNREACH, without further tries. On a served fabric ("sim:unix:") a MAD
 * without a timeout waits for the server, within the limit of madkit_port_open_limited().
 *
 * 0; -EINVAL (send is NULL, len below 24 or above what was allocated, a timeout_ms between 2^31 - 1 and
 * MADKIT_FOREVER, longer than a MAD without RMPP, a class without RMPP on an agent with kernel RMPP,
 * to.direct in another class than SubnMgtDR, a Q_Key that umad would not
 * honour); -EBUSY already posted; -ENODEV; -ENOMEM. What the device refuses is
 * the status of the send.
 *
 * Twin of ib_post_send_mad(). umad sends every MAD with the Q_Key 0x80010000, whatever
 * it is told: any other is refused but for 0, which stands for it. It writes the upper
 * half of a request's TID itself, so that only the lower one is the sender's. The kernel's own
 * resends have no gap in which a response is discarded, as those here have. umad reports
 * nothing of a MAD without a response: 0 means that the device took it.
 */
int madkit_agent_post(struct madkit_agent *agent, struct madkit_send *send);

/*
 * Posts send, send->next and so on, in this order. An empty list (NULL) is allowed, and failed may be
 * NULL. 0, with *failed NULL;
 * or, with *failed the first send that could not be posted, the error of madkit_agent_post()
 * for it: earlier sends of the list are posted, it and later ones are not. The list is not
 * read after the return. Twin of ib_post_send_mad() with a list, whose parts are passed to
 * the device together; here each is passed separately.
 */
int madkit_agent_post_list(struct madkit_agent *agent, struct madkit_send *list, struct madkit_send **failed);

/*
 * Ends a posted send early: its handler is called with -ECANCELED from the next
 * madkit_port_process(). Nothing more is sent, unless the kernel resends (send->kernel_resends): it
 * goes on with a request for a table and with segments that are not acknowledged, for up to
 * (retries + 1) * timeout_ms (segments: 2 s instead of timeout_ms, without progress), and only
 * unregistering the agent or closing the port stops that. A transfer of the library's own ends with
 * an ABORT, whose GID is resolved as madkit_agent_post() says. A response that arrives later is
 * dropped.
 *
 * 0; -ENOENT: it is not posted, or has ended already; -EINVAL: send is NULL.
 *
 * Twin of ib_cancel_mad(), which stops the kernel's resends; umad has no call for that.
 */
int madkit_agent_cancel(struct madkit_agent *agent, struct madkit_send *send);

/*
 * Sets a new timeout_ms for a posted send that wants a response: it counts from now for
 * the present try, and applies to later ones. 0 milliseconds cancel the send, and
 * MADKIT_FOREVER is accepted.
 *
 * A shorter timeout ends the present try, or the pause after BUSY, sooner. A longer one does not
 * lengthen the present try, which ends when the kernel was asked to end it: without retries the
 * send ends then. Transfers of the library's own are timed by the library, which lengthens their
 * present try as well. What the kernel resends (send->kernel_resends) keeps its times: the send ends
 * sooner, and the kernel goes on as after madkit_agent_cancel().
 *
 * 0; -ENOENT not posted, or ended already; -EINVAL send is NULL, no response is wanted, or timeout_ms is out of
 * range.
 *
 * Twin of ib_modify_mad(), which lengthens the present try and changes the kernel's resends; umad
 * has no call for that.
 */
int madkit_agent_modify(struct madkit_agent *agent, struct madkit_send *send, uint32_t timeout_ms);

/* Sends posted and not yet ended. */
size_t madkit_agent_outstanding(const struct madkit_agent *agent);

/* ---- receiving ------------------------------------------------------------- */

struct madkit_recv {
	struct madkit_addr from;
	const uint8_t *mad;
	size_t len;               /* of a MAD, or of the whole message where the kernel or
				 * this library does RMPP */
	int status;               /* umad_status: 0; or a positive errno: mad is
				 * the header of a long response of ours, which
				 * the kernel could not deliver */
	struct madkit_send *send; /* the request it answers, or NULL; valid
				 * until the send's handler has returned */
	uint64_t time_ns;         /* port clock */
	int64_t rtt_ns;           /* of a response: from the try that it answers (sent_ns of the
				 * send at that time); -1 if it is not known which try that is,
				 * or if the kernel may have resent it, or a segment of it */
	struct timespec time;     /* real time */
};

/* NULL is fine. Twin of ib_free_recv_mad(). */
void madkit_recv_free(struct madkit_recv *recv);

/* ---- watching -------------------------------------------------------------- */

struct madkit_snoop;

/* What a watcher sees: the numbers of the kernel's enum ib_mad_snoop_flags in rdma/ib_mad.h,
 * as long as it had one. */
enum {
	MADKIT_SNOOP_POSTED_SENDS = 1 << 0,
	MADKIT_SNOOP_SEND_COMPLETIONS = 1 << 2,
	MADKIT_SNOOP_RECVS = 1 << 4,
};

/* A MAD that passes through a port object. The pointers are valid only during the call. */
struct madkit_snooped {
	int direction;                  /* one of MADKIT_SNOOP_... */
	struct madkit_agent *agent;     /* that sent it, or for which it arrived */
	const struct madkit_send *send; /* that was posted; of a response that arrived: the
					 * request that it answers. NULL: a MAD that answers no
					 * request, and every packet that is sent by the
					 * library's RMPP, ACKs included */
	int status;                     /* SEND_COMPLETIONS: how the try ended; else 0 */
	const struct madkit_addr *addr; /* where to, or where from */
	const uint8_t *mad;
	size_t len;
	struct timespec time; /* real time, when it was sent (the same moment as
					 * send->sent_ns) or received */
};

/*
 * Called for every MAD that the device takes or hands out, resends included.
 *
 * POSTED_SENDS: the MAD as the device got it, at that moment. The upper half of a request's
 * transaction ID is the kernel's, or 0 if that is not known yet.
 *
 * SEND_COMPLETIONS: the same MAD once more when that try has ended, with the time of sending and with the ID
 * that it had on the wire, as far as that is known: from a response, from a request that the device
 * returned, or from an earlier one of the agent. status is 0 (a response arrived, which follows as
 * RECVS; or none is wanted and the device took the MAD), -ETIMEDOUT (no response to this try, after which
 * a resend may follow), or the status of the send: -ECANCELED, -ENODEV, -EIO and so on, as the send
 * handler gets it. If a response to an earlier try arrives, the latest try ends with 0. Packets of the
 * library's RMPP end with 0 when the device has taken them.
 *
 * RECVS: a MAD that arrived, before its handler is called, also if it is then dropped.
 *
 * A send that the device refuses is not seen. The handler may be called from within
 * madkit_agent_post(). It may unregister its own watcher and must call nothing else of the port.
 */
typedef void (*madkit_snoop_handler)(void *context, const struct madkit_snooped *snooped);

/*
 * Adds a watcher to a port. Each watcher of a port sees what its flags select, in the order in which the
 * watchers were registered. A watcher sees the completions of all sends that end after its registration.
 * *snoop (may be NULL) is for madkit_snoop_unregister(); otherwise the watcher ends when its port is closed,
 * after the completions of the sends that this cancels. Does not block.
 *
 * 0; -EINVAL no handler, no flag or an unknown one; -ENOMEM.
 *
 * Twin of ib_register_mad_snoop(), which the kernel no longer has, and which saw what all agents of the host
 * sent and received; here it is those of one port object. Its handler got the send buffer and, when a
 * send was completed, the work completion; here that is struct madkit_snooped, whose status
 * is not that of the hardware, which umad does not report, but that of the try. madkit_trace_open() sees the
 * headers of all MADs of the host.
 */
int madkit_snoop_register(struct madkit_port *port, int flags, madkit_snoop_handler handler, void *context,
			  struct madkit_snoop **snoop);

/* Ends a watcher. NULL is fine. Not after its port was closed. */
void madkit_snoop_unregister(struct madkit_snoop *snoop);

/* ---- one request and its answer ------------------------------------------- */

struct madkit_reply {
	struct madkit_recv *recv; /* NULL unless a response came */
	int status;               /* as a send handler's */
	uint32_t attempts;        /* tries that this library sent */
	bool kernel_resends;      /* as send->kernel_resends */
	int64_t rtt_ns;           /* as recv->rtt_ns; -1 without a response */
};

/*
 * Posts send and drives the port until it has ended. Blocks until deadline_ns at most (port clock;
 * UINT64_MAX: none; a deadline that has passed means: send, and only look). Without a deadline it
 * blocks at most about
 * - (retries + 1) * timeout_ms for a request of one MAD, and as long again if all responses are BUSY;
 * - (retries + 1) * (timeout_ms + 2000) ms, and 20 ms for each 192 bytes, for a longer request if the
 *   kernel does RMPP. It blocks that long if the peer ends the transfer with STOP or ABORT;
 * - 40 s and 20 ms a segment for a longer request if the library does RMPP, then timeout_ms, and
 *   timeout_ms between two segments of the response;
 * - without limit for MADKIT_FOREVER, if a response does not arrive. This includes a transfer of the
 *   kernel that the peer ends with STOP or ABORT.
 * madkit_agent_post() says where an eighth and 50 ms are added. If the device does not accept the
 * request, -EAGAIN is the status after timeout_ms, but at least a second.
 * Nothing is resent after the deadline: the kernel is asked only for retries that end
 * before it. Only segments that are acknowledged in part may still be resent by the kernel.
 * The agent's handlers are not called for it; other traffic of the port goes on
 * to its handlers. 0 where the protocol ran its course (reply->status says
 * how: 0 or -ETIMEDOUT ...); -EINTR a signal interrupted it (the send is cancelled), and stopped()
 * of the port's limit, if there is one, returned true; -EBUSY from within a handler; or as
 * madkit_agent_post() and madkit_port_process(). reply->attempts is filled in on every way out.
 * reply->recv is the caller's to free.
 */
int madkit_request(struct madkit_agent *agent, struct madkit_send *send, uint64_t deadline_ns,
		   struct madkit_reply *reply);

MADKIT_END_DECLS
#endif
