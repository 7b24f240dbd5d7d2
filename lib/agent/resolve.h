/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Queries to the SA, for the files that resolve addresses and names. */
#ifndef AGENT_RESOLVE_H
#define AGENT_RESOLVE_H

#include <madkit/query.h>
#include <madkit/resolve.h>

/* Builds a request to the SA, with the timeout, the retries and the SM_Key of the resolver. Returns 0, -ENOMEM, or an
 * error of madkit_port_sa_addr(). */
int sa_request(const struct madkit_resolver *resolver, uint8_t method, uint16_t attribute,
	       struct madkit_send **send, struct madkit_error *error);

/* Sends the request, waits, and checks the response. The caller frees reply->recv. Returns an error of
 * madkit_resolve_guid(); -EEXIST also if there are several records. */
int sa_query(const struct madkit_resolver *resolver, struct madkit_send *send, struct madkit_reply *reply,
	     struct madkit_error *error);

/* Checks the result of a request that was sent: failed is the result of the function that sent it. Returns as
 * sa_query(). */
int sa_check(const struct madkit_send *send, int failed, const struct madkit_reply *reply,
	     struct madkit_error *error);

/* Sets the error for an agent that was not registered, and returns its code. */
int sa_refused(int failed, const struct madkit_refusal *refusal, struct madkit_error *error);

/* Returns a value of a record of the SA, or 0 if the record is too short. */
uint64_t sa_value(const struct madkit_record *record, uint64_t field);

/* Sets the error for a parameter that is NULL, and returns -EINVAL. */
int resolve_null(struct madkit_error *error);

#endif
