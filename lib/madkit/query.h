/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Requests in a few lines: a request is made with its header, sent by an agent of the port, and its response is
 * read by constants (madkit_access(3)). A program that has several requests outstanding uses a dispatcher
 * (madkit_dispatch(3)), and one that receives requests uses agents (madkit_agent(3)).
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
 * Makes a request of one MAD (256 bytes): base version 1, the version of the class, method, attribute ID and
 * modifier; the rest is zero. It has 1000 ms for each try and 2 retries, which may be changed.
 * to: the destination, which is copied; NULL: this port's own subnet management agent. If its queue pair is 0 and the
 * class is not one of subnet management, it becomes QP 1 with the Q_Key 0x80010000.
 * The caller frees it with madkit_send_free(). NULL: no memory. Does not block.
 */
struct madkit_send *madkit_send_request(const struct madkit_addr *to, uint8_t mgmt_class, uint8_t method,
					uint16_t attribute, uint32_t modifier);

/*
 * Writes a field of the attribute of a request by its constant (madkit_put(), madkit_put_bytes()), and for the SA
 * sets its bits in the ComponentMask. The header has to be there, as madkit_send_request() writes it.
 * 0; -ENOMEM send is NULL; -ENODATA the field is beyond the end of the MAD; the other errors of madkit_put() and
 * madkit_put_bytes().
 */
int madkit_send_put(struct madkit_send *send, uint64_t field, uint64_t value);
int madkit_send_put_bytes(struct madkit_send *send, uint64_t field, const void *bytes, size_t size);

/*
 * Fills in the address of the subnet administration: the port's SM LID and SL, QP 1, Q_Key. If the port had no
 * subnet manager when it was opened, its LID is read again (madkit_port_refresh()).
 * 0; -EHOSTUNREACH the port has no subnet manager; another -errno the LID cannot be read. error (may be NULL) has the
 * reason.
 */
int madkit_port_sa_addr(struct madkit_port *port, struct madkit_addr *addr, struct madkit_error *error);

/*
 * Sends a request and waits for its response, as madkit_request() does, by an agent for its class that the
 * port already has, or else by a new one, which remains until the port is closed. For a class with RMPP and any method but Get, the kernel does RMPP. send is still the caller's.
 * 0 and *reply as madkit_request(), and its errors; -ENOMEM also if send is NULL; the errors of
 * madkit_agent_register(), whose reason refusal (may be NULL) has: its cause is MADKIT_REFUSAL_NONE otherwise.
 */
int madkit_port_request(struct madkit_port *port, struct madkit_send *send, uint64_t deadline_ns,
			struct madkit_reply *reply, struct madkit_refusal *refusal);

/*
 * Fills in the message of a reply, for madkit_record_get() and the formats. It points into reply->recv and is valid
 * as long as that is.
 * 0; the status of the reply, such as -ETIMEDOUT, if there is no response; -EPROTO if the status of the MAD
 * is not 0: the message is filled in, but has no records.
 */
int madkit_reply_message(const struct madkit_reply *reply, struct madkit_message *message);

/* Gets a field of the response's attribute, of a table's first record, by its constant. 0; the errors of
 * madkit_reply_message() and of madkit_get(), such as -ENODATA for an empty table. */
int madkit_reply_get(const struct madkit_reply *reply, uint64_t field, uint64_t *value);

MADKIT_END_DECLS
#endif
