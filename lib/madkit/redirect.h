/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Redirected QPs: MADs over a UD queue pair of libibverbs in place of QP1, and how requests
 * get there. A service whose requests would be too many for QP1 has them sent to a queue
 * pair of its own, which its ClassPortInfo names (madkit_cpi_set_redirect()). No kernel
 * stands in between there: this library finds out which agent a MAD is for, and does RMPP.
 *
 * libibverbs is opened with the first queue pair. If it is missing (Debian: libibverbs1), whatever needs
 * a queue pair returns -EOPNOTSUPP. Unlike umad, libibverbs asks for no privilege but where a Q_Key has its
 * highest bit set, as QP1's has.
 */
#ifndef MADKIT_REDIRECT_H
#define MADKIT_REDIRECT_H

#include <madkit/decls.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/agent.h>
#include <madkit/error.h>
#include <madkit/port.h>

MADKIT_BEGIN_DECLS

struct ibv_qp;
struct ibv_wc;

/* Of a queue pair that the library makes. */
struct madkit_qp_attr {
	uint32_t qkey;       /* what reaches it carries this; MADKIT_QKEY_GSI: QP1's
				 * own, so that anybody's QP1 can speak with it */
	uint16_t pkey_index; /* of all that it sends */
};

/*
 * Opens a port whose MADs go over a UD queue pair, made for it: "verbs:CA/PORT", or
 * less, as madkit_port_open() takes it, which makes one too, with the attributes that
 * NULL stands for here: QP1's Q_Key, P_Key index 0. The port has to have a umad device, which
 * is not opened. madkit_port_get_info() tells the number of the queue pair.
 *
 * Agents are registered, requests sent and answered as on any port, but:
 * - A send goes to the queue pair to.qp with to.qkey; where that is 0, with QP1's Q_Key to
 *   QP 1, else with the port's own, as an answer must: what has arrived carried it,
 *   and madkit_recv.from says so. On hardware a Q_Key with its highest bit set is
 *   sent from a queue pair that has it alone.
 * - to.pkey_index is the queue pair's, or the send ends with -EINVAL.
 * - An agent with rmpp_version 1 has its RMPP done by the library, unless it is
 *   MADKIT_AGENT_USER_RMPP.
 * - An agent of class 0 gets the requests that no other one takes, of any class.
 * - Nobody else's agents are in the way, and the kernel answers nothing by itself.
 * - The subnet management classes are refused.
 * - 512 MADs wait to be received; what comes when they do is lost.
 * - A device that is taken away is told by drivers that can leave their users behind; others,
 *   like soft-RoCE's, have its removal wait until the port is closed.
 *
 * 0; -EOPNOTSUPP; -ENOMEM, where the limit of locked memory may be too low; -EPERM
 * (the Q_Key); or as madkit_port_open().
 */
int madkit_port_open_qp(const char *spec, const struct madkit_qp_attr *attr, struct madkit_port **port,
			struct madkit_error *error);

/*
 * An agent on a UD queue pair of the caller's, which is ready to send and whose
 * Q_Key, port and P_Key index are its own. attr: as for madkit_agent_register(); mgmt_class
 * 0 is for all classes, and with rmpp_version 1 the library does RMPP. What the agent is
 * for is the caller's to decide: methods are not looked at. It stands on a port of its own,
 * madkit_agent_port(), which is to be driven as any (its timers; it receives what
 * madkit_agent_process_wc() was given) and closed in the end with
 * madkit_port_close(), when the queue pair has been destroyed or no send is outstanding, and
 * before its protection domain goes. After fork() that is up to the process that called this.
 *
 * 0 with *agent; -EINVAL no UD queue pair that is ready to send, or an agent that would be
 * refused; -ENODEV it is on no port that has a umad device; -ENOMEM; -EOPNOTSUPP.
 * Twin of ib_redirect_mad_qp(): which took the queue pair alone, had the consumer's
 * handlers called from ib_process_mad_wc(), and was never implemented.
 */
int madkit_agent_redirect_qp(struct ibv_qp *qp, const struct madkit_agent_attr *attr,
			     struct madkit_agent **agent, struct madkit_error *error);

/*
 * A work completion of the agent's queue pair, which the caller polled.
 *
 * Of a receive: buffer is what it went into, size bytes, of which the first 40 are
 * for the GRH. The MAD is copied, and is as if it had arrived: the next madkit_port_process()
 * hands it over. The buffer is the caller's to post again. Of a send of the agent's:
 * what that took is free again; buffer is not looked at. The wr_id of its sends are
 * addresses in its own memory.
 *
 * 0; -EINVAL the agent is on no queue pair of its caller's, or a length that cannot be:
 * beyond the buffer, less than GRH and MAD header, longer than a MAD; -EIO a receive
 * that failed; -ENOENT a send that is not the agent's; -ENOBUFS a thousand MADs
 * wait already; -ENOMEM; -EOPNOTSUPP. Twin of ib_process_mad_wc(): which called the handlers
 * itself, and took the buffer from wr_id, which is the caller's here.
 */
int madkit_agent_process_wc(struct madkit_agent *agent, const struct ibv_wc *wc, const void *buffer,
			    size_t size);

/* ---- following a redirection ------------------------------------------------------ */

/*
 * Where a ClassPortInfo sends requests of its class: mad[0..len) is an answer that holds
 * one, asked where that was asked. *to has LID, SL, QP and Q_Key of it, its GID where there
 * is no LID or asked had a GRH, and its P_Key as to->pkey (the port's index for that:
 * madkit_port_pkey_index()); the rest is as in asked. 0; -ENOENT it is no ClassPortInfo, or
 * one that redirects nowhere; -EPROTO it is cut short, names no queue pair, or an address
 * that nobody has alone; -ELOOP it leads to where was asked.
 */
int madkit_redirect_target(const uint8_t *mad, size_t len, const struct madkit_addr *asked,
			   struct madkit_addr *to);

/* What became of redirections. */
struct madkit_redirected {
	unsigned int hops;         /* followed */
	struct madkit_error error; /* code 0; else why the last one was not: -ELOOP too many, or
				 * it leads back; -ENOENT it says not where to; -EPROTO that
				 * makes no sense; -EKEYREJECTED a P_Key that the port has not;
				 * -ECANCELED a handler unregistered the agent;
				 * -EOPNOTSUPP, -ENODEV, -EPERM ...: no queue pair to ask from */
};

/*
 * madkit_request(), which asks where it is sent to instead: an answer with
 * MADKIT_STATUS_REDIRECT holds the ClassPortInfo of the class, or that is asked for, and
 * the request goes on to where it leads; max_hops times at most (1 should do; 0: never).
 * Over the agent's own port where that can be: umad to QP 1, and to any queue pair with the
 * Q_Key of QP 1. For any other Q_Key a UD queue pair with it is made for the time being, of
 * whose MADs the watchers of the port (madkit_snoop_register()) see as well.
 *
 * send->to is where it went last. A redirection that is not followed, for whatever reason,
 * leaves the answer that told of it, and redirected (may be NULL) says why. Each request has its own
 * timeout_ms and retries, all have deadline_ns; reply->attempts has those of all destinations.
 * Returns as madkit_request(), send->to being
 * as it was where that is not 0.
 */
int madkit_request_redirected(struct madkit_agent *agent, struct madkit_send *send, uint64_t deadline_ns,
			      unsigned int max_hops, struct madkit_reply *reply,
			      struct madkit_redirected *redirected);

MADKIT_END_DECLS
#endif
