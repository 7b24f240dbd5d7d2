/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Redirected QPs: MADs over a UD queue pair of libibverbs in place of QP1. A service
 * whose requests would be too many for QP1 has them sent to a queue pair of its own,
 * which its ClassPortInfo names (madkit_cpi_set_redirect()). No kernel stands in
 * between there: this library finds out which agent a MAD is for, and does RMPP.
 *
 * Where the library was built without libibverbs these functions return
 * -EOPNOTSUPP. Unlike umad, libibverbs asks for no privilege but where a Q_Key has its
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
	uint32_t qkey;		/* what reaches it carries this; MADKIT_QKEY_GSI: QP1's
				 * own, so that anybody's QP1 can speak with it */
	uint16_t pkey_index;	/* of all that it sends */
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
int madkit_port_open_qp(const char *spec, const struct madkit_qp_attr *attr,
			struct madkit_port **port, struct madkit_error *error);

/*
 * An agent on a UD queue pair of the caller's, which is ready to send and whose
 * Q_Key, port and P_Key index are its own. attr: as for madkit_agent_register(); mgmt_class
 * 0 is for all classes, and with rmpp_version 1 the library does RMPP. What the agent is
 * for is the caller's to decide: methods are not looked at. It stands on a port of its own,
 * madkit_agent_port(), which is to be driven as any (its timers; it receives what
 * madkit_agent_process_wc() was given) and closed in the end with
 * madkit_port_close(), when the queue pair has been destroyed or no send is outstanding, and
 * before its protection domain goes.
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
int madkit_agent_process_wc(struct madkit_agent *agent, const struct ibv_wc *wc,
			    const void *buffer, size_t size);

MADKIT_END_DECLS
#endif
