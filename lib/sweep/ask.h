/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The SMPs of a sweep. */
#ifndef SWEEP_ASK_H
#define SWEEP_ASK_H

#include "sweep/state.h"

/* Posts a request to the dispatcher of the phase. at is not used for the first request (SWEEP_START). 0; -ENOENT: there
 * is no route; -ENOMEM; or an error of madkit_dispatcher_post(). */
int ask_post(struct madkit_sweep *s, enum sweep_phase phase, enum sweep_kind kind, struct sweep_place at,
	     struct sweep_request **posted);
/* The same, for the next request of a proof. */
int ask_post_proof(struct madkit_sweep *s, struct sweep_proof *proof);
/* 0: data is the data of the response; -ETIMEDOUT: no response; -EPROTO: refused; -EBADMSG: about something
 * else; or the error of the job. */
int ask_result(const struct sweep_request *r, const uint8_t **data);
/* Adds the tries of the requests that are outstanding. */
void ask_count(const struct madkit_sweep *s, uint64_t *sent, uint64_t *resent);
/* Counts the tries, and frees the response. */
void ask_end(struct madkit_sweep *s, struct sweep_request *r);
/* None may be outstanding. */
void ask_free(struct madkit_sweep *s);

#endif
