/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_agent - register agents, send requests, and receive responses and requests
 *
 * An agent is a registration for a management class on a port. A program posts requests through an
 * agent, and the agent's handlers receive the responses. They also receive the requests of other nodes,
 * with the methods that the agent is registered for.
 *
 * Agents are the user-space counterpart of the kernel's include/rdma/ib_mad.h. An agent belongs to its
 * port: only one thread at a time may use the port and all its agents (madkit_port(3)). Functions do
 * not block unless stated otherwise.
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

/* ---- life of a send ---------------------------------------------------------
 * madkit_send_new() or madkit_send_request() makes a send. madkit_agent_post() sends it; from then on
 * it belongs to the library, unless the function fails. madkit_port_process() resends it if necessary,
 * and finally calls the send handler exactly once. If there is a response, the receive handler is
 * called first. In the send handler, the send belongs to the program again, which frees it or posts it
 * again.
 */

/* ---- who resends a request --------------------------------------------------
 * A request is resent if a try got no response within timeout_ms:
 *
 * - If the request and its response are one MAD each, the library resends the request.
 *   madkit_agent_cancel(), the deadline of madkit_request(), unregistering the agent and closing the
 *   port stop the resends immediately.
 * - If the response is a table of the SA (GetTable, GetTraceTable, GetMulti) and the kernel does RMPP,
 *   the kernel resends the request. If the library resent it, the kernel would discard a table that
 *   arrives between two tries.
 * - If the request has RMPP (it is longer than a MAD, or its RMPP header is ACTIVE), the kernel or the
 *   library resends the segments that the peer has not acknowledged. Once all are acknowledged, the
 *   request is not sent again: it ends with -ETIMEDOUT if the response does not arrive within
 *   timeout_ms (if the kernel does RMPP and retries is not 0: within at least 2001 ms, see below). Only
 *   a response with status BUSY makes the library send it again.
 *
 * Only unregistering the agent or closing the port stops resends by the kernel. madkit_request()
 * therefore requests only as many retries from the kernel as end before its deadline.
 *
 * If the kernel resends, send->kernel_resends is true, and send->attempts counts only what the library
 * sent: the request itself, and one more after each BUSY. A deadline of madkit_request() can add one:
 * the tries of the kernel end before the deadline, and the library sends the request again for the time
 * that is then left.
 *
 * The library assumes that the response to a vendor's method is one MAD, and resends the request
 * itself. An RMPP response that takes longer than timeout_ms may then be discarded.
 */

/* ---- timeouts ---------------------------------------------------------------
 * Each try lasts timeout_ms, which the device measures. If the device reports nothing, the library ends
 * the try after 9/8 of timeout_ms plus 50 ms.
 *
 * If the kernel does all tries, this applies to the sum of the tries. More than 146 years in total are
 * treated as infinite, and the kernel is asked for at most 2^31 - 1 retries.
 *
 * If the kernel does RMPP and the message is longer than a MAD, the kernel waits 2 s for an
 * acknowledgement. The time T of such a send is (retries + 1) * (timeout_ms + 2000) ms plus 20 ms for
 * each 192 bytes. The library ends the send after 9/8 of T plus 50 ms. If a request longer than a MAD
 * has retries, the kernel gets a timeout of at least 2001 ms, because with a shorter one it would resend
 * only the first segment. T is computed with timeout_ms as the program set it.
 *
 * With timeout_ms set to MADKIT_FOREVER, a try ends only with its response, by madkit_agent_cancel(),
 * or when madkit_agent_modify() shortens it. The kernel gets a negative timeout and then resends
 * nothing; retries apply only to BUSY, where the delay grows up to 1 s. RMPP still fails if its
 * segments are not acknowledged: after (retries + 1) * 2 s if the kernel does RMPP, or as with a
 * timeout_ms of 0 if the library does RMPP.
 *
 * There is one exception: with a negative timeout, the kernel would not resend segments. For a request
 * that it sends by RMPP, it therefore gets a timeout of 2^31 - 1 ms. Once the request is acknowledged,
 * it waits for its response for at most 24.8 days.
 */

/* ---- BUSY -------------------------------------------------------------------
 * A response with status BUSY ends a try. The next try follows after an eighth of timeout_ms; the delay
 * doubles each time, up to timeout_ms. If no try is left, the response is delivered. If the kernel
 * resends, it does not report how many retries it has used. The library then subtracts the highest
 * number that is possible in the time since the request was sent.
 */

/* ---- transaction IDs --------------------------------------------------------
 * No two sends in flight have the same low 32 bits in their transaction IDs (TIDs). A TID is not used
 * again before 2^32 others.
 *
 * A resend has the TID of the earlier try if the device has returned that try or delivered its
 * response, because the TID is then free. A response to any of these tries counts. A resend has a new
 * TID in two cases:
 *
 * - The device may still have the earlier try: the library's own deadline or madkit_agent_modify()
 *   ended it, or the device rejects the TID with EINVAL.
 * - The request has RMPP, and the library sends it again. The kernel of the peer keeps a received
 *   transfer for 10 s: it acknowledges segments with the same TID, but does not deliver them again.
 *
 * Responses with any of the last 16 earlier TIDs are also accepted. Resends by the kernel always have
 * the same TID.
 *
 * The kernel discards a response while no request with its TID is outstanding: from a timeout until
 * madkit_port_process() has processed it and sent the request again, during the delay after BUSY, and
 * after the last try.
 */

/* ---- RMPP by the kernel -----------------------------------------------------
 * If the peer ends a transfer with STOP or ABORT, umad does not report it. The send then ends with
 * -ETIMEDOUT at the library's deadline: a request of 5000 bytes with a timeout of 500 ms and 3 retries
 * ends after 12 s. With MADKIT_FOREVER it never ends unless it is cancelled (madkit_agent_cancel(),
 * madkit_agent_modify(), the deadline of madkit_request(), or a signal). Set a deadline, or set
 * library_rmpp: STOP and ABORT then end the send immediately.
 *
 * A message longer than a MAD may request no response: timeout_ms is 0, and the MAD is not a response.
 * The kernel gets a timeout of 500 ms for it. It sends the first segment every 500 ms until that segment
 * is acknowledged, at most 4 * (retries + 1) times (kernel_resends), and does not resend later segments.
 * The send ends:
 *
 * - with 0 half a second after the peer's kernel has acknowledged all of it
 * - with -ETIMEDOUT after (retries + 1) * 2 s if the first segment is not acknowledged. Because the
 *   kernel reports both in the same way, a message that is acknowledged about that late also ends with
 *   -ETIMEDOUT.
 * - with -ETIMEDOUT at the library's deadline if a later segment is not acknowledged
 *
 * A response longer than a MAD ends with 0 when the device has accepted it. If the peer's kernel does
 * not acknowledge it in (retries + 1) * 2 s, the receive handler gets its header with a status
 * (recv->status).
 */

/* ---- RMPP by the program ----------------------------------------------------
 * If the agent is registered with rmpp_version 1 and MADKIT_AGENT_USER_RMPP, but without library_rmpp, the
 * program sends and receives the packets itself; the engines of madkit_rmpp_transfer(3) make them.
 *
 * The packets of the receiver of a message (ACK, STOP, ABORT) have the method of its segments with the
 * response bit inverted: those for a request with method 0x10 have 0x90, those for a response with method
 * 0x92 have 0x12. Packets of the sender, such as an ABORT or the ACK that turns a transfer around, have the
 * method of the segments. The kernel ignores a packet with the wrong bit: it delivers a response only to
 * the agent that sent a request with its TID.
 */

/* ---- RMPP by the library ----------------------------------------------------
 * If the agent is registered with library_rmpp, the library transfers messages longer than a MAD, and
 * MADs with an ACTIVE RMPP header (madkit_rmpp_transfer(3)). A transfer has one TID.
 *
 * - If a transfer makes no progress for ack_ms, its window is resent, at most retries times in a row.
 *   If ack_ms is 0, the time is timeout_ms, or 1 s if that is also 0.
 * - A transfer ends after 40 s plus 20 ms for each segment at the latest.
 * - A send without a response ends with 0 when the peer has acknowledged all of it.
 * - Each segment of a response has to arrive within timeout_ms after the one before, and the last one
 *   within 40 s after the first, even if the response begins again in the meantime. After these 40 s,
 *   the request ends with -ETIMEDOUT; a deadline of madkit_request() ends it earlier.
 * - A single MAD in response to a request of several segments is not received, because the kernel
 *   delivers only RMPP packets in this case.
 *
 * Watchers (madkit_snoop_register()) see the packets of the transfers.
 */

struct madkit_agent;
struct madkit_send;
struct madkit_recv;

/* ---- handlers ---------------------------------------------------------------
 * A handler may post, cancel and modify sends, and register and unregister agents. Functions that drive
 * the port, such as madkit_port_process() and madkit_request(), return -EBUSY in a handler.
 */

/*
 * madkit_send_handler - handle the end of a send
 * @agent:  agent that posted it
 * @send:   the send, which belongs to the program again. The handler may free it or post it again.
 * @status: the result, see below
 *
 * The status is 0 if the send was sent and, if it requests a response, the response has been passed to
 * the receive handler. Otherwise it is:
 *
 * - -ETIMEDOUT: no response after all tries
 * - -ECANCELED: the send was cancelled
 * - -ECONNABORTED: the peer ended the RMPP transfer of the request or of its response with STOP or
 *   ABORT; see send->rmpp
 * - -EPROTO: the peer violated RMPP and was sent a STOP or ABORT, or its response began again with
 *   different contents more than 16 times (MADKIT_RMPP_STATE_SUPERSEDED)
 * - -ENOBUFS: no room for the response
 * - -EAGAIN: the device did not accept the send for timeout_ms or one second, whichever is longer
 * - -EIO, -ENODEV: the device failed or is gone
 * - -EHOSTUNREACH: on RoCE, the GID does not resolve. On a UD queue pair, this is also the status if the
 *   GID is not link-local and has no route.
 * - -ENETUNREACH: on RoCE with QP1 of umad, the GID is not link-local and has no route
 * - -ENODATA: on RoCE, gid_index has no entry in the GID table
 * - -EINVAL: on RoCE, the address has no GRH
 * - others: the device rejected the send with this error
 *
 * Twin of ib_mad_send_handler, which gets the status of the work completion. umad does not report that status.
 */
typedef void (*madkit_send_handler)(struct madkit_agent *agent, struct madkit_send *send, int status);

/*
 * madkit_recv_handler - handle a MAD that has arrived
 * @agent: agent that receives it
 * @recv:  the MAD, which belongs to the handler: free it with madkit_recv_free(), now or later.
 *         recv->send is the request that it answers, or NULL if it was unsolicited.
 *
 * Twin of ib_mad_recv_handler, which gets the request as a parameter and a list of segments. Here, the message is
 * in one buffer.
 */
typedef void (*madkit_recv_handler)(struct madkit_agent *agent, struct madkit_recv *recv);

/* ---- registering ------------------------------------------------------------ */

/* Flags of a registration, with the values of the kernel (ib_user_mad.h). */
enum {
	MADKIT_AGENT_USER_RMPP = 1 << 0, /* the program that registers does RMPP, not the kernel */
};

/* The registration of an agent. */
struct madkit_agent_attr {
	/* Class of the requests to receive. Requests of any class may be posted, and their responses
	 * are received. 0: on umad and simulated ports, the agent receives only responses, and must have
	 * neither methods nor flags; on a UD queue pair, see madkit_redirect(3). */
	uint8_t mgmt_class;
	uint8_t class_version;    /* 0: madkit_class_version(), unless class_version_given is set */
	bool class_version_given; /* register class_version even if it is 0 */
	uint32_t oui;             /* 24 bits, for vendor classes 0x30-0x4f; otherwise ignored */
	uint8_t rmpp_version; /* 0: no RMPP; 1: the kernel does RMPP unless flags or library_rmpp say otherwise */
	uint32_t flags;       /* MADKIT_AGENT_USER_RMPP has no effect if rmpp_version is 0 */
	bool library_rmpp; /* the library does RMPP; implies rmpp_version 1 and MADKIT_AGENT_USER_RMPP */
	/* Methods of the requests to receive: one bit for each method number. All zero: only responses. */
	uint64_t method_mask[2];
	/* NULL: the end of a send is not reported. The program frees the send when
	 * madkit_agent_outstanding() is 0, or after it has closed the port. */
	madkit_send_handler send_handler;
	madkit_recv_handler recv_handler; /* NULL: received MADs are freed */
	void *context;                    /* for the program's use: madkit_agent_context() */
};

/*
 * madkit_method_mask_set - add a method to a mask
 * @mask:   mask of methods, as in struct madkit_agent_attr
 * @method: the method; its response bit is ignored
 */
static inline void madkit_method_mask_set(uint64_t mask[2], uint8_t method)
{
	mask[(method & 0x7f) / 64] |= UINT64_C(1) << (method % 64);
}

/*
 * madkit_method_mask_has - check whether a mask contains a method
 * @mask:   mask of methods, as in struct madkit_agent_attr
 * @method: the method; its response bit is ignored
 *
 * Return: true if it does.
 */
static inline bool madkit_method_mask_has(const uint64_t mask[2], uint8_t method)
{
	return mask[(method & 0x7f) / 64] >> (method % 64) & 1;
}

/* Why a registration was refused. */
enum madkit_refusal_cause {
	MADKIT_REFUSAL_NONE,         /* it was not refused */
	MADKIT_REFUSAL_CLASS,        /* class number out of range */
	MADKIT_REFUSAL_VERSION,      /* class version out of range */
	MADKIT_REFUSAL_OUI,          /* OUI is zero or has more than 24 bits */
	MADKIT_REFUSAL_RMPP_VERSION, /* RMPP version is neither 0 nor 1 */
	MADKIT_REFUSAL_RMPP_CLASS,   /* the class does not support RMPP */
	MADKIT_REFUSAL_FLAGS,        /* unsupported flags: see supported_flags */
	MADKIT_REFUSAL_NO_SMI,       /* the class needs QP0, which this port does not have */
	MADKIT_REFUSAL_PERMISSION,   /* no permission */
	MADKIT_REFUSAL_AGENTS,       /* too many agents or OUIs */
	MADKIT_REFUSAL_TAKEN,        /* another agent has the methods: see taken */
	MADKIT_REFUSAL_DEVICE,       /* the device is gone */
	MADKIT_REFUSAL_OTHER,
	MADKIT_REFUSAL_NO_GSI, /* the class needs QP1, which this port does not have */
};

/* The refusal of a registration. */
struct madkit_refusal {
	enum madkit_refusal_cause cause;
	int code;                 /* the kernel's errno value, positive */
	uint32_t supported_flags; /* valid if supported_known is set */
	bool supported_known; /* supported_flags is valid: a flag other than MADKIT_AGENT_USER_RMPP was refused */
	uint64_t taken[2]; /* MADKIT_REFUSAL_TAKEN: the methods that are taken, each of which was tested */
	struct madkit_error error; /* the reason as text */
};

/*
 * madkit_refusal_cause_name - return the name of a cause
 * @cause: the cause
 *
 * Return: a constant string for JSON output, such as "methods-taken" or "no-smi".
 */
const char *madkit_refusal_cause_name(enum madkit_refusal_cause cause);

/*
 * madkit_agent_register - register an agent on a port
 * @port:    the port
 * @attr:    class, methods and handlers of the agent; copied
 * @agent:   receives the agent, which lives until it is unregistered or its port is closed
 * @refusal: receives the reason if the registration is refused, or NULL
 *
 * Calls umad_register2(3), which uses the ioctl of older kernels if necessary.
 *
 * To find the cause of -EINVAL, the library queries the kernel further by registrations that it
 * withdraws immediately: for unknown flags, and for each method if there are several. The kernel writes
 * a line to its log for each refusal of a flag, of a taken method, of a ninth OUI ("All OUI slots in
 * use") and of a 33rd agent, and for no other refusal. For the first taken method it writes two lines,
 * because libibumad tries twice. An OUI that is 0 or has more than 24 bits is refused without querying
 * the kernel, unless a flag is also refused.
 *
 * If another agent of the port was unregistered before, all MADs that the device has are received
 * first; the next madkit_port_process() delivers them.
 *
 * Return: 0 on success, or:
 * - -EINVAL: the registration is not valid, or a flag is not supported
 * - -EBUSY: another agent has one of the methods
 * - -EPERM: no permission
 * - -ENOMEM: out of memory, or no room: an open port has at most 32 agents, and a port at most 8 OUIs
 *   for each version of a vendor class
 * - -EPROTONOSUPPORT: the class needs QP0, which this port does not have
 * - -ENODEV: the device is gone, or the port is being closed
 *
 * Twin of ib_register_mad_agent(), which takes the QP as a parameter (here, the class determines it)
 * and returns -EINVAL also if methods are taken. The limit of 32 agents for each open port does not
 * exist there.
 */
int madkit_agent_register(struct madkit_port *port, const struct madkit_agent_attr *attr,
			  struct madkit_agent **agent, struct madkit_refusal *refusal);

/*
 * madkit_agent_unregister - unregister an agent
 * @agent: agent to unregister, or NULL
 *
 * Completes the outstanding sends with -ECANCELED first. If the response to a send is being delivered,
 * that send completes with 0. MADs that were received for the agent and not yet delivered are dropped.
 * umad keeps such MADs, and may assign the number of the agent to the next agent; the library does not
 * deliver them to that agent.
 *
 * Afterwards the agent must not be used. A handler may call this function: until the handler returns,
 * the agent can still be read, but cannot post (-ENODEV).
 *
 * If a child process that inherited the port calls this function, the agent of the parent is also
 * unregistered. madkit_port_close() in a child does not do that.
 *
 * Twin of ib_unregister_mad_agent(), which waits until handlers on other processors have returned.
 * Here, there are none.
 */
void madkit_agent_unregister(struct madkit_agent *agent);

/*
 * madkit_agent_context, madkit_agent_port, madkit_agent_get_attr - return a property of an agent
 * @agent: the agent
 *
 * Return: the context of its registration; its port; or its registration, in which class_version is the
 * registered version and class_version_given is set.
 */
void *madkit_agent_context(const struct madkit_agent *agent);
struct madkit_port *madkit_agent_port(const struct madkit_agent *agent);
const struct madkit_agent_attr *madkit_agent_get_attr(const struct madkit_agent *agent);

/*
 * madkit_agent_id - return the number of an agent
 * @agent: the agent
 *
 * Return: the number that the kernel assigned to it.
 */
uint32_t madkit_agent_id(const struct madkit_agent *agent);

/*
 * madkit_agent_kernel_rmpp - check whether the kernel does RMPP for an agent
 * @agent: the agent
 *
 * Return: true if it does.
 *
 * Twin of ib_mad_kernel_rmpp_agent().
 */
bool madkit_agent_kernel_rmpp(const struct madkit_agent *agent);

/* ---- sending ---------------------------------------------------------------- */

/* A timeout that never expires: the kernel's negative timeout_ms (umad_send(3)). */
#define MADKIT_FOREVER UINT32_MAX

/* A MAD or an RMPP message to send. */
struct madkit_send {
	/* set by the caller: */
	struct madkit_addr to;
	uint8_t *mad; /* len bytes, zeroed by madkit_send_new(); part of the same allocation */
	/* at least 24. A MAD has 256 or 2048 bytes; one shorter than 256 is padded. An RMPP message has the
	 * headers of the first segment, then all data. */
	size_t len;
	/* Time to wait for a response in each try, up to 2^31 - 1 ms (24.8 days), or MADKIT_FOREVER; 0:
	 * no response is requested. Ignored if the MAD is a response. */
	uint32_t timeout_ms;
	/* resends after the first try; for a request with RMPP: resends of segments that are not
	 * acknowledged */
	uint32_t retries;
	/* If the library does RMPP: how long to wait for an acknowledgement of the message, in
	 * milliseconds. 0: timeout_ms, or 1 s if that is also 0. MADKIT_FOREVER: 1 s. */
	uint32_t ack_ms;
	void *context;            /* for the caller's use */
	struct madkit_send *next; /* for madkit_agent_post_list() */
	/* set by the library: */
	/* Sends by the library so far. If it does RMPP for a longer message: sends of the first segment. */
	uint32_t attempts;
	uint32_t busy; /* responses with status BUSY, each of which ended a try */
	/* If the library does RMPP and the message was not acknowledged: the first segment without
	 * acknowledgement, or 0. */
	uint32_t unacknowledged;
	bool kernel_resends; /* the kernel may have resent; it does not report how often */
	/* Transaction ID of the latest try; after a response: of the try that was answered; 0: not sent.
	 * The upper half of a request's TID is the kernel's, or 0 if it is not known yet. */
	uint64_t tid;
	uint64_t posted_ns; /* first send, on the port clock */
	/* Latest send, on the port clock: immediately before the device got it. On Ethernet, if the
	 * device took more than 1 ms: after that, because the kernel resolves the GID first. */
	uint64_t sent_ns;
	/* If a transfer by the library failed: the side that ended it, and the status.
	 * MADKIT_RMPP_STATE_ACTIVE: no transfer failed; the kernel does not report its transfers. */
	struct madkit_rmpp_outcome rmpp;
};

/*
 * madkit_send_new - allocate a send
 * @len: bytes of the MAD or the message, 24 to 1 GiB
 *
 * The bytes are zero. Any agent may post the send.
 *
 * Return: the send, which the caller frees with madkit_send_free(); NULL if out of memory or if @len is
 * out of range.
 *
 * Twin of ib_create_send_mad(), which also takes the agent, the address and the kind of segments.
 */
struct madkit_send *madkit_send_new(size_t len);

/*
 * madkit_send_free - free a send
 * @send: send to free, which must not be posted; or NULL
 *
 * Twin of ib_free_send_mad().
 */
void madkit_send_free(struct madkit_send *send);

/*
 * madkit_send_segment - return the data of a segment of a message
 * @send:   the message, mad[0] to mad[len - 1]
 * @number: number of the segment, from 1
 * @len:    receives the number of bytes, or NULL. All segments but the last are full. Class headers do
 *          not count as data.
 *
 * A message without data has one segment of 0 bytes.
 *
 * Return: the data, which is part of send->mad; NULL, with @len set to 0, if there is no such segment.
 *
 * Twin of ib_get_rmpp_segment(), which returns separately allocated segments.
 */
uint8_t *madkit_send_segment(struct madkit_send *send, uint32_t number, size_t *len);

/*
 * madkit_agent_post - post a send
 * @agent: agent; its handlers are called
 * @send:  the send, which belongs to the library until its handler is called
 *
 * Sends the MAD immediately. If the device cannot accept it now, it is sent by a later
 * madkit_port_process(). The send handler is called exactly once for each successful post, and never
 * from this function. The description explains timeouts, resends and transaction IDs.
 *
 * The library writes into the MAD:
 *
 * - the transaction ID, with two exceptions. A response keeps the ID of its request. If the kernel does
 *   not do RMPP for the agent, a packet with an ACTIVE RMPP header keeps its ID if the lower 32 bits are
 *   not 0.
 * - for a directed route (to.direct): hop pointer and count, initial path, DrSLID and DrDLID. The SMP
 *   is sent to the permissive LID. If to.lid is set, it is sent to that LID first, and DrSLID is the
 *   LID of the port unless to.dr_slid is set.
 * - for a message longer than a MAD: RMPP version, type DATA and flag ACTIVE.
 *
 * to.qp 0 becomes 1 if the class does not use QP0. A MAD shorter than 256 bytes is padded with zeros.
 * Exception: if its RMPP header is ACTIVE and the kernel does RMPP for the agent, it is sent as a
 * message without padding.
 *
 * Does not block, with two exceptions:
 *
 * - On RoCE, the kernel resolves the GID before it accepts the MAD. If the GID does not resolve, this
 *   takes about a second and cannot be interrupted by a signal. The send then ends with -EHOSTUNREACH,
 *   without further tries.
 * - On a served fabric ("sim:unix:"), a MAD that requests no response waits for the server, within the limit of
 *   madkit_port_open_limited().
 *
 * Return: 0 on success, or one of the following. An error of the device is the status of the send
 * instead.
 * - -EINVAL: @send is NULL; len is less than 24 or more than was allocated; timeout_ms is 2^31 or more,
 *   but not MADKIT_FOREVER; the message is longer than a MAD and the agent has no RMPP; the class has
 *   no RMPP and the kernel does RMPP for the agent; to.direct is set in a class other than SubnMgtDR;
 *   or umad would not use the Q_Key
 * - -EBUSY: the send is already posted
 * - -ENODEV: the device is gone, or the port is being closed
 * - -ENOMEM: out of memory
 *
 * Twin of ib_post_send_mad(). umad sends every MAD with the Q_Key 0x80010000: any other Q_Key is
 * rejected, except 0, which means the default. umad writes the upper half of a request's TID itself, so
 * that the program controls only the lower half. A response that arrives between two tries of the
 * library is discarded; the kernel's own resends have no such gap. umad does not report the end of a
 * MAD without a response: 0 means that the device accepted it.
 */
int madkit_agent_post(struct madkit_agent *agent, struct madkit_send *send);

/*
 * madkit_agent_post_list - post a list of sends
 * @agent:  agent; its handlers are called
 * @list:   the first send; send->next is the next. NULL: no sends.
 * @failed: receives the first send that could not be posted, or NULL if all were posted; may be NULL
 *
 * Posts the sends in order, until one fails. The sends before it remain posted; it and later ones are
 * not posted. The list is not used after the function returns.
 *
 * Return: 0, or the error of madkit_agent_post() for the send that failed.
 *
 * Twin of ib_post_send_mad() with a list, which passes the whole list to the device. Here, each send is
 * passed separately.
 */
int madkit_agent_post_list(struct madkit_agent *agent, struct madkit_send *list, struct madkit_send **failed);

/*
 * madkit_agent_cancel - stop waiting for the response to a send
 * @agent: agent that posted it
 * @send:  the send
 *
 * The next madkit_port_process() calls the send handler with -ECANCELED. A response that arrives later
 * is dropped.
 *
 * The library sends nothing more. The kernel may continue to resend (send->kernel_resends). It resends
 * a request for a table for up to (retries + 1) * timeout_ms, and unacknowledged segments for up to
 * (retries + 1) * 2 s without progress. Only unregistering the agent or closing the port stops that. A
 * transfer by the library ends with an ABORT; sending it can block as in madkit_agent_post().
 *
 * Return: 0; -ENOENT if the send is not posted or has already ended; -EINVAL if @send is NULL.
 *
 * Twin of ib_cancel_mad(), which stops the kernel's resends. umad has no call for that.
 */
int madkit_agent_cancel(struct madkit_agent *agent, struct madkit_send *send);

/*
 * madkit_agent_modify - change the timeout of a posted send
 * @agent:      agent that posted it
 * @send:       send that requests a response
 * @timeout_ms: new timeout. 0 cancels the send; MADKIT_FOREVER is allowed.
 *
 * Later tries have the new timeout. The current try, or the delay after BUSY, ends when the new timeout
 * has passed since this call, if that is earlier than before. A longer timeout does not extend the
 * current try, because the kernel already has the previous one: if that is the last try, the send ends
 * when it would have ended before this call. Transfers by the library are an exception: for them, the new timeout counts from
 * this call, whether it is shorter or longer.
 *
 * If the kernel resends (send->kernel_resends), it keeps its timeout. For a table, all its tries count as
 * the current try: the send ends after (retries + 1) * @timeout_ms if that is earlier than before, and
 * the kernel continues as after madkit_agent_cancel().
 *
 * Return: 0 on success, or:
 * - -ENOENT: the send is not posted or has already ended
 * - -EINVAL: @send is NULL, it requests no response, or @timeout_ms is out of range
 *
 * Twin of ib_modify_mad(), which extends the current try and changes the kernel's resends. umad has no
 * call for that.
 */
int madkit_agent_modify(struct madkit_agent *agent, struct madkit_send *send, uint32_t timeout_ms);

/*
 * madkit_agent_outstanding - return the number of outstanding sends
 * @agent: the agent
 *
 * Return: the number of sends that are posted and have not ended.
 */
size_t madkit_agent_outstanding(const struct madkit_agent *agent);

/* ---- receiving -------------------------------------------------------------- */

/* A MAD or a message that was received. */
struct madkit_recv {
	struct madkit_addr from;
	const uint8_t *mad;
	size_t len; /* of the MAD; of the whole message if the kernel or the library does RMPP */
	/* 0; or a positive errno value (umad_status(3)): the kernel could not deliver a response of
	 * several segments that this program had sent, and mad is the header of that response */
	int status;
	/* the request that it answers, or NULL; valid until the send handler of the request has
	 * returned */
	struct madkit_send *send;
	uint64_t time_ns; /* when it was received, on the port clock */
	/* For a response: time since the try that it answers (send->sent_ns of that try), in
	 * nanoseconds. -1: it is not known which try that is, or the kernel may have resent the request
	 * or a segment; or, on Ethernet, the device took more than 1 ms to accept the request, and it is
	 * not known whether it sent it at the beginning or at the end of that time. */
	int64_t rtt_ns;
	struct timespec time; /* when it was received, in real time */
};

/*
 * madkit_recv_free - free a received MAD
 * @recv: MAD to free, or NULL
 *
 * Twin of ib_free_recv_mad().
 */
void madkit_recv_free(struct madkit_recv *recv);

/* ---- watching --------------------------------------------------------------- */

struct madkit_snoop;

/* The events that a watcher sees, with the values that the kernel's enum ib_mad_snoop_flags had in rdma/ib_mad.h. */
enum {
	MADKIT_SNOOP_POSTED_SENDS = 1 << 0,
	MADKIT_SNOOP_SEND_COMPLETIONS = 1 << 2,
	MADKIT_SNOOP_RECVS = 1 << 4,
};

/* A MAD that passes through a port. The pointers are valid only during the call of the handler. */
struct madkit_snooped {
	int direction;              /* one of MADKIT_SNOOP_POSTED_SENDS and so on */
	struct madkit_agent *agent; /* agent that sent it, or for which it arrived */
	/* The send that was posted; for a response: the request that it answers. NULL: a MAD that
	 * answers no request, or a packet (ACKs included) that the library sends for RMPP. */
	const struct madkit_send *send;
	int status;                     /* for a completion: result of the try; else 0 */
	const struct madkit_addr *addr; /* destination or source */
	const uint8_t *mad;
	size_t len;
	struct timespec time; /* real time when it was sent (as send->sent_ns) or received */
};

/*
 * madkit_snoop_handler - handle a MAD that passes through a port
 * @context: the context passed to madkit_snoop_register()
 * @snooped: the MAD
 *
 * The handler is called for every MAD that the device accepts or delivers, including resends, but not
 * for a send that the device rejects. The direction is one of:
 *
 * - MADKIT_SNOOP_POSTED_SENDS: the MAD as it was passed to the device, at that moment. The upper half
 *   of a request's transaction ID is the kernel's, or 0 if it is not known yet.
 * - MADKIT_SNOOP_SEND_COMPLETIONS: the same MAD when that try has ended, with the time of sending. The
 *   transaction ID is the one on the wire, if it is known from a response, from a request that the
 *   device returned, or from an earlier request of the agent. status is 0 (a response arrived, which
 *   follows as MADKIT_SNOOP_RECVS; or none is requested and the device accepted the MAD), -ETIMEDOUT
 *   (no response to this try; a resend may follow), or the status that the send handler gets, such as
 *   -ECANCELED, -ENODEV or -EIO. If a response to an earlier try arrives, the latest try ends with 0.
 *   RMPP packets of the library end with 0 when the device has accepted them.
 * - MADKIT_SNOOP_RECVS: a MAD that arrived, before its handler is called; also one that is then
 *   dropped.
 *
 * The handler may be called from within madkit_agent_post(). It may unregister its own watcher, and
 * must not call any other function for the port.
 *
 * Twin of ib_mad_snoop_handler, which the kernel no longer has. It got the send buffer and the work completion.
 */
typedef void (*madkit_snoop_handler)(void *context, const struct madkit_snooped *snooped);

/*
 * madkit_snoop_register - watch the MADs of a port
 * @port:    the port
 * @flags:   events to watch: MADKIT_SNOOP_POSTED_SENDS and others
 * @handler: function to call for each MAD
 * @context: passed to @handler
 * @snoop:   receives the watcher for madkit_snoop_unregister(), or NULL
 *
 * Watchers are called in the order in which they were registered. A watcher sees the completions of all
 * sends that end after its registration. It ends when the port is closed, after the completions of the
 * sends that this cancels.
 *
 * madkit_trace_open() shows the headers of all MADs of the host instead.
 *
 * Return: 0; -EINVAL if there is no handler, no flag or an unknown flag; -ENOMEM if out of memory.
 *
 * Twin of ib_register_mad_snoop(), which the kernel no longer has. It showed the MADs of all agents of
 * the host; madkit_snoop_register() shows those of one port object. Its handler got the send buffer and
 * the work completion. struct madkit_snooped contains the status of the try instead of that of the
 * hardware, which umad does not report.
 */
int madkit_snoop_register(struct madkit_port *port, int flags, madkit_snoop_handler handler, void *context,
			  struct madkit_snoop **snoop);

/*
 * madkit_snoop_unregister - stop watching
 * @snoop: watcher to remove, or NULL. Its port must still be open.
 */
void madkit_snoop_unregister(struct madkit_snoop *snoop);

/* ---- one request and its response ------------------------------------------- */

/* The result of a request. */
struct madkit_reply {
	struct madkit_recv *recv; /* the response, or NULL */
	int status;               /* as of madkit_send_handler */
	int mismatch;             /* madkit_response_check() of the request and recv */
	uint32_t attempts;        /* tries that the library sent */
	bool kernel_resends;      /* as send->kernel_resends */
	int64_t rtt_ns;           /* as recv->rtt_ns; -1 without a response */
};

/*
 * madkit_request - post a send and wait until it has ended
 * @agent:       the agent. Its handlers are not called for this send.
 * @send:        the send, which belongs to the caller again when the function returns
 * @deadline_ns: when to give up, on the port clock; UINT64_MAX: never. If this time has passed, the
 *               function sends, checks once for a response, and does not wait.
 * @reply:       receives the result. attempts is set in every case. The caller frees reply->recv with
 *               madkit_recv_free().
 *
 * Drives the port: handlers are called for its other traffic. After the deadline, nothing is resent except
 * segments of a message that is acknowledged in part, which the kernel may still resend.
 *
 * Blocks until the send has ended, at most until the deadline. Without a deadline it blocks at most
 * about:
 *
 * - (retries + 1) * timeout_ms for a request of one MAD, and again as long if all responses are BUSY
 * - (retries + 1) * (timeout_ms + 2000) ms, plus 20 ms for each 192 bytes, for a longer request if the
 *   kernel does RMPP. It blocks that long if the peer ends the transfer with STOP or ABORT.
 * - for a longer request if the library does RMPP: 40 s plus 20 ms for each segment, then timeout_ms
 *   until the response begins, and then 40 s until its last segment
 * - without limit with MADKIT_FOREVER, if no response arrives. A longer request that the kernel sends by
 *   RMPP ends after 24.8 days, unless the peer ends the transfer with STOP or ABORT: then it never ends.
 *
 * See the description of timeouts for when an eighth and 50 ms are added. If the device does not accept
 * the request, the status is -EAGAIN after timeout_ms or one second, whichever is longer.
 *
 * Return: 0 if the send ended; reply->status is its result, such as 0 or -ETIMEDOUT. Otherwise:
 * - -EINTR: stopped() of the port's limit has become true since the function was called, or a signal
 *   interrupted the wait and stopped() is true or NULL. The send is cancelled. A function that was
 *   called when stopped() was already true ends only by such a signal, so that a program that is being
 *   stopped can still clean up. Without stopped(), a signal does not end a transfer that always has packets
 *   to send.
 * - -EBUSY: called from a handler
 * - others: an error of madkit_agent_post() or madkit_port_process()
 */
int madkit_request(struct madkit_agent *agent, struct madkit_send *send, uint64_t deadline_ns,
		   struct madkit_reply *reply);

MADKIT_END_DECLS
#endif
