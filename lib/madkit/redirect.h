/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_redirect - redirected queue pairs, and requests that follow redirections
 *
 * A service that receives too many requests for QP1 can redirect them to another queue pair: its
 * ClassPortInfo then contains the address of that queue pair (madkit_cpi_set_redirect()). The functions
 * of this page open such UD queue pairs through libibverbs, and send requests that follow a
 * redirection.
 *
 * The kernel does not handle MADs on a UD queue pair. There, the library decides which agent receives a
 * MAD, and does RMPP.
 *
 * The library loads libibverbs when a queue pair is opened. If libibverbs is not installed (Debian
 * package libibverbs1), the functions that need a queue pair return -EOPNOTSUPP. Unlike umad,
 * libibverbs needs no privileges unless the highest bit of the Q_Key is set, as in the Q_Key of QP1.
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

/* ---- queue pairs ------------------------------------------------------------ */

/* Attributes of a queue pair that the library creates. */
struct madkit_qp_attr {
	/* Q_Key that received packets must carry. MADKIT_QKEY_GSI: that of QP1, so that every QP1 can
	 * send to it. */
	uint32_t qkey;
	uint16_t pkey_index; /* of all packets that it sends */
};

/*
 * madkit_port_open_qp - open a port on a new UD queue pair
 * @spec:  "verbs:CA/PORT", or a part of it as for madkit_port_open(). The port must have a umad device,
 *         which is not opened.
 * @attr:  attributes of the queue pair; NULL: Q_Key of QP1 and P_Key index 0, as with
 *         madkit_port_open()
 * @port:  receives the port; close it with madkit_port_close()
 * @error: receives the reason of a failure, or NULL
 *
 * madkit_port_get_info() returns the number of the queue pair. Agents, requests and responses work as
 * on any port, with these differences:
 *
 * - Requests go to the queue pair to.qp with the Q_Key to.qkey. If to.qkey is 0, the Q_Key is that of
 *   QP1 if to.qp is 1, and otherwise that of the port. A response needs the port's own Q_Key, because
 *   the request carried it; the from member of struct madkit_recv contains it. Hardware sends a Q_Key
 *   with its highest bit set only from a queue pair that has this Q_Key itself.
 * - to.pkey_index must be that of the queue pair. Otherwise the send ends with -EINVAL.
 * - For an agent with rmpp_version 1, the library does RMPP, unless the agent has the flag
 *   MADKIT_AGENT_USER_RMPP.
 * - An agent of class 0 receives the requests of every class that no other agent receives.
 * - No other program's agents can be in the way, and the kernel does not respond to any request.
 * - The subnet management classes are rejected.
 * - At most 512 MADs wait to be received; further ones are lost.
 * - If the device is removed, the port reports it only if the driver supports removal of a device in
 *   use. With other drivers, such as soft-RoCE, the removal waits until the port is closed.
 *
 * Return: 0 on success, or:
 * - -EOPNOTSUPP: libibverbs is not installed
 * - -ENOMEM: out of memory, or the limit of locked memory is too low
 * - -EPERM: no permission to use the Q_Key
 * - others: an error of madkit_port_open()
 */
int madkit_port_open_qp(const char *spec, const struct madkit_qp_attr *attr, struct madkit_port **port,
			struct madkit_error *error);

/*
 * madkit_agent_redirect_qp - register an agent on the caller's UD queue pair
 * @qp:    UD queue pair that is ready to send; its Q_Key, port and P_Key index are used
 * @attr:  registration, as for madkit_agent_register(). mgmt_class 0 means all classes; with
 *         rmpp_version 1 the library does RMPP.
 * @agent: receives the agent
 * @error: receives the reason of a failure, or NULL
 *
 * The caller receives from the queue pair, and passes each work completion to
 * madkit_agent_process_wc(). The library does not check the methods of received MADs.
 *
 * The agent has a separate port, madkit_agent_port(). Drive it like any other port: it handles
 * timeouts, and delivers the MADs passed to madkit_agent_process_wc(). At the end, destroy the queue
 * pair or wait until no send is outstanding, then call madkit_port_close(), and then free the
 * protection domain. After fork(2), only the process that called this function may do so.
 *
 * Return: 0 on success, or:
 * - -EINVAL: @qp is not a UD queue pair that is ready to send, or @attr is not valid
 * - -ENODEV: the port of @qp has no umad device
 * - -EIO: the state of @qp cannot be read
 * - -ENOMEM: out of memory
 * - -EOPNOTSUPP: libibverbs is not installed
 *
 * Twin of ib_redirect_mad_qp(), which was never implemented. Its only parameter was the queue pair, and
 * ib_process_mad_wc() was to call the handlers of the consumer.
 */
int madkit_agent_redirect_qp(struct ibv_qp *qp, const struct madkit_agent_attr *attr,
			     struct madkit_agent **agent, struct madkit_error *error);

/*
 * madkit_agent_process_wc - process a work completion of the caller's queue pair
 * @agent:  agent of madkit_agent_redirect_qp()
 * @wc:     work completion that the caller polled
 * @buffer: of a receive: the receive buffer, which begins with 40 bytes for the GRH. Of a send: not
 *          used.
 * @size:   bytes of @buffer
 *
 * Receive: the MAD is copied, and the next madkit_port_process() delivers it. The caller may post the
 * buffer again. Send: the resources of the send are freed. The wr_id values of the agent's sends are
 * addresses in its memory.
 *
 * Return: 0 on success, or:
 * - -EINVAL: the agent was not made by madkit_agent_redirect_qp(), or the length is not possible:
 *   beyond @size, less than GRH and MAD header, or longer than a MAD
 * - -EIO: the receive failed
 * - -ENOENT: the send is not the agent's
 * - -ENOBUFS: a thousand received MADs already wait for madkit_port_process()
 * - -ENOMEM: out of memory
 * - -EOPNOTSUPP: libibverbs is not installed
 *
 * Twin of ib_process_mad_wc(), which was to call the handlers itself and to take the buffer from wr_id.
 * Here, wr_id is the caller's.
 */
int madkit_agent_process_wc(struct madkit_agent *agent, const struct ibv_wc *wc, const void *buffer,
			    size_t size);

/* ---- following a redirection ------------------------------------------------ */

/*
 * madkit_redirect_target - return where a ClassPortInfo redirects requests of its class
 * @mad:   response with a ClassPortInfo
 * @len:   bytes of @mad
 * @asked: destination of the request
 * @to:    receives the new destination: the LID, SL, QP and Q_Key of the ClassPortInfo, and its P_Key
 *         as to->pkey. Its GID is used if it has no LID or if @asked has a GRH. The rest is copied from
 *         @asked.
 *
 * madkit_port_pkey_index() converts to->pkey to to->pkey_index.
 *
 * Return: 0 on success, or:
 * - -ENOENT: @mad is not a ClassPortInfo, or does not redirect
 * - -EPROTO: it is too short, has no queue pair, or its address is not that of a single port
 * - -ELOOP: it redirects to @asked itself
 */
int madkit_redirect_target(const uint8_t *mad, size_t len, const struct madkit_addr *asked,
			   struct madkit_addr *to);

/* The redirections of a request. */
struct madkit_redirected {
	unsigned int hops; /* redirections that were followed */
	/* code is 0, or the reason for not following the last redirection: -ELOOP too many, or a loop;
	 * -ENOENT no destination; -EPROTO an invalid destination; -EKEYREJECTED the port is not a
	 * member of the partition; -ETIMEDOUT the deadline passed; -ECANCELED a handler unregistered
	 * the agent; -EOPNOTSUPP, -ENODEV, -EPERM and others: no queue pair to send from */
	struct madkit_error error;
};

/*
 * madkit_request_redirected - send a request, wait for its response, and follow redirections
 * @agent:       agent to use first
 * @send:        the request; afterwards send->to is the last destination
 * @deadline_ns: when to give up, on the port clock, for all destinations together; UINT64_MAX: no
 *               deadline
 * @max_hops:    redirections to follow at most: usually 1; 0: none
 * @reply:       receives the response; attempts counts those of all destinations
 * @redirected:  receives the redirections, or NULL
 *
 * Works like madkit_request(). If the response has MADKIT_STATUS_REDIRECT, the request is sent to the
 * destination in the ClassPortInfo of the class, with its own timeout_ms and retries. If the response
 * does not contain the ClassPortInfo, the library requests it first.
 *
 * The library uses the agent's own port if possible: umad can send to QP1, and to any queue pair with
 * the Q_Key of QP1. For any other Q_Key, a temporary UD queue pair is created. Watchers of the port
 * (madkit_snoop_register()) also see its MADs.
 *
 * If a redirection is not followed, the reply is the redirecting response, and @redirected contains the
 * reason.
 *
 * Return: as madkit_request(). On failure, send->to is unchanged.
 */
int madkit_request_redirected(struct madkit_agent *agent, struct madkit_send *send, uint64_t deadline_ns,
			      unsigned int max_hops, struct madkit_reply *reply,
			      struct madkit_redirected *redirected);

MADKIT_END_DECLS
#endif
