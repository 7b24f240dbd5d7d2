/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The SMPs of a sweep. */
#ifndef SWEEP_ASK_H
#define SWEEP_ASK_H

#include "sweep/state.h"

/* Posts a request of the phase. at is not used for the first request (SWEEP_START). Returns 0; -ENOENT if
 * there is no route; -ENOMEM; or an error of madkit_dispatcher_post(). */
int ask_post(struct madkit_sweep *s, enum sweep_phase phase, enum sweep_kind kind, struct sweep_place at,
	     struct sweep_request **posted);
/* Posts the next request of a proof. Returns the same values. */
int ask_post_proof(struct madkit_sweep *s, struct sweep_proof *proof);
/* Returns 0 and the data of the response; -ETIMEDOUT: no response, or BUSY; -EPROTO: refused; -EBADMSG:
 * malformed, or about something else; or the error of the job or of the device. */
int ask_result(const struct sweep_request *r, const uint8_t **data);
/* Adds the tries of outstanding requests to *sent and *resent. */
void ask_count(const struct madkit_sweep *s, uint64_t *sent, uint64_t *resent);
/* Counts the tries, frees the response, and makes the request available again. */
void ask_end(struct madkit_sweep *s, struct sweep_request *r);
/* No request may be outstanding. */
void ask_free(struct madkit_sweep *s);

#endif
