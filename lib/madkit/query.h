/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_query - send a request and read its response in a few lines
 *
 * Build a request with madkit_send_request() and madkit_send_put(), send it with madkit_port_request(),
 * and read fields of the response with madkit_reply_get(). These functions handle one request at a
 * time.
 *
 * To keep several requests outstanding, use a dispatcher: madkit_dispatch(3). To receive requests, use
 * an agent: madkit_agent(3).
 */
#ifndef MADKIT_QUERY_H
#define MADKIT_QUERY_H

#include <madkit/decls.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/addr.h>
#include <madkit/agent.h>
#include <madkit/error.h>
#include <madkit/message.h>
#include <madkit/port.h>

MADKIT_BEGIN_DECLS

/*
 * madkit_send_request - build a request of one MAD
 * @to:         destination, which is copied; NULL: the subnet management agent of the sending port. If
 *              the queue pair is 0 and the class does not use QP0, it becomes QP1 with Q_Key
 *              0x80010000.
 * @mgmt_class: management class
 * @method:     method, such as MADKIT_METHOD_GET
 * @attribute:  attribute ID, such as MADKIT_ATTR_NODE_INFO
 * @modifier:   attribute modifier
 *
 * The MAD has 256 bytes, base version 1 and the usual version of the class; the rest is zero. The
 * timeout is 1000 ms for each try, with 2 retries; the caller may change both in the returned struct. For a
 * class from 0x30 to 0x4f, write the OUI with madkit_send_put(send, MADKIT_HEADER_VENDOR2_OUI, oui).
 * Does not block.
 *
 * Return: the send, which the caller frees with madkit_send_free(); NULL if out of memory.
 */
struct madkit_send *madkit_send_request(const struct madkit_addr *to, uint8_t mgmt_class, uint8_t method,
					uint16_t attribute, uint32_t modifier);

/*
 * madkit_send_response - make a send that answers a request
 * @recv: the request, which the caller frees as before
 * @len:  bytes of the response, 24 to 1 GiB; 0: as many as the request has
 *
 * The response has the headers of the request, with its transaction ID, the method of
 * madkit_method_response(), and status 0; a response to a directed-route SMP has the direction bit. The bytes behind
 * the headers are those of the request, then zeros. A table of the SA (GetTable, GetTraceTable, GetMulti) has an
 * ACTIVE RMPP header of type DATA.
 *
 * It is sent to the source of the request; with a GRH, to the GID of its source, with hop limit 255. retries is 5,
 * which RMPP uses if the response has several segments. An agent posts it with madkit_agent_post(), and the send
 * handler frees it.
 *
 * Return: the send, which the caller frees with madkit_send_free(); NULL if @recv is NULL, has no whole header, is a
 * request without a response or a returned response (recv->status), if @len is out of range, or if out of memory.
 */
struct madkit_send *madkit_send_response(const struct madkit_recv *recv, size_t len);

/*
 * madkit_send_put, madkit_send_put_bytes - set a field of the attribute of a request
 * @send:  request with a complete MAD header, as madkit_send_request() writes it; NULL is allowed
 * @field: constant of the field (madkit_access(3))
 * @value: value of a field of at most 64 bits
 * @bytes: value of a field of whole bytes, in network order
 * @size:  number of bytes
 *
 * In a request to the SA, the bits of the field in the ComponentMask are also set.
 *
 * Fields of headers (MADKIT_HEADER_...) are written to the headers of the MAD.
 *
 * Return: 0; -ENOMEM if @send is NULL; -ENODATA if the field ends beyond the MAD; -EINVAL for a field that no MAD has
 * (MADKIT_PORT_OBJECT_...); or another error of madkit_put() or madkit_put_bytes().
 */
int madkit_send_put(struct madkit_send *send, uint64_t field, uint64_t value);
int madkit_send_put_bytes(struct madkit_send *send, uint64_t field, const void *bytes, size_t size);

/*
 * madkit_port_sa_addr - return the address of the subnet administrator
 * @port:  the port
 * @addr:  receives the port's SM LID and SL, QP1 and its Q_Key
 * @error: receives the reason of a failure, or NULL
 *
 * If the port had no subnet manager when it was opened, its state is read again
 * (madkit_port_refresh()).
 *
 * Return: 0; -EHOSTUNREACH if the port has no subnet manager; another negated errno value if the state
 * cannot be read.
 */
int madkit_port_sa_addr(struct madkit_port *port, struct madkit_addr *addr, struct madkit_error *error);

/*
 * madkit_port_request - send a request and wait for its response
 * @port:        the port
 * @send:        request to send; the caller keeps it. NULL is allowed.
 * @deadline_ns: when to give up, on the port clock; UINT64_MAX: no deadline
 * @reply:       receives the response, which the caller frees with madkit_recv_free(reply->recv)
 * @refusal:     receives the reason if the agent cannot be registered, or NULL. Otherwise its cause is
 *               MADKIT_REFUSAL_NONE.
 *
 * Works like madkit_request(), with an agent for the class that the port already has. If it has none,
 * one is registered, which remains until the port is closed. If the class supports RMPP and the method
 * is not Get, the kernel does RMPP.
 *
 * Blocks until the request has ended or the deadline has passed; see madkit_request().
 *
 * Return: 0 if the request ended (reply->status is its outcome); -ENOMEM also if @send is NULL; or
 * another error of madkit_request() or madkit_agent_register().
 */
int madkit_port_request(struct madkit_port *port, struct madkit_send *send, uint64_t deadline_ns,
			struct madkit_reply *reply, struct madkit_refusal *refusal);

/*
 * madkit_reply_message - describe a reply as a message
 * @reply:   the reply
 * @message: filled in for madkit_record_get() and madkit_format(3)
 *
 * The message points into reply->recv and is valid as long as reply->recv is.
 *
 * Return: 0 on success, or:
 * - -ETIMEDOUT and others: there is no response; the status of the reply
 * - -EPROTO: the MAD status of the response is not 0. The message is filled in, but has no records.
 * - -EBADMSG: the response is about something else than the request (madkit_response_check()). The message is
 *   filled in.
 * - -EIO: the reply has status 0, but no response
 */
int madkit_reply_message(const struct madkit_reply *reply, struct madkit_message *message);

/*
 * madkit_reply_get - get a field of the response
 * @reply: the reply
 * @field: constant of the field (madkit_access(3))
 * @value: receives the value; unchanged on failure
 *
 * If the response is a table, its first record is used. Fields of headers (MADKIT_HEADER_...) are those of the MAD.
 *
 * Return: 0; -EINVAL for a field that no MAD has (MADKIT_PORT_OBJECT_...); or an error of madkit_reply_message() or madkit_get(), such as -ENODATA for an empty
 * table.
 */
int madkit_reply_get(const struct madkit_reply *reply, uint64_t field, uint64_t *value);

MADKIT_END_DECLS
#endif
