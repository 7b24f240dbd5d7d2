/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What both ends know of a single RMPP packet. */
#ifndef RMPP_PACKET_H
#define RMPP_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/addr.h>
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include "util/private.h"
#include "util/time.h"

enum { PACKET_HEAD_MAX = MADKIT_DEVICE_DATA }; /* the longest headers */

/* a + b, or the largest number there is. */
static inline uint64_t later(uint64_t a, uint64_t b)
{
	return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/* A whole MAD that carries RMPP. */
bool packet_is_rmpp(const uint8_t *mad, size_t len);

/* STOP and ABORT: never answered. */
bool packet_ends(const uint8_t *mad);

/* What is wrong with any packet, whoever it is for: an ABORT's status, or 0. */
uint8_t packet_fault(const uint8_t *mad);

/* The status of a STOP or ABORT, ILLEGAL for one that its type does not have. */
uint8_t packet_end_status(const uint8_t *mad);

/* How long a response can take: 4.096 us * 2^resptime + 2 * packet_life_ns (IBA volume 1, section 13.6.3);
 * MADKIT_RMPP_NEVER: resptime is 31 or more, which says nothing, or the sum is too large. */
uint64_t packet_response_ns(uint8_t resptime, uint64_t packet_life_ns);

/* STOP or ABORT by status; 0: neither has it. */
uint8_t packet_end_type(uint8_t status);

/* Of all its bytes. */
uint64_t packet_hash(const uint8_t *mad);

/* Whether two addresses are one peer's: GID with a GRH, else LID; QP. */
bool packet_same_end(const struct madkit_addr *a, const struct madkit_addr *b);

/* An ACK, STOP or ABORT behind headers of the class, at the start of a MAD: the rest of
 * its bytes are zeros. Its length. */
size_t packet_make(uint8_t *mad, const uint8_t *head, uint8_t method, uint8_t type, uint8_t resptime,
		   uint8_t status, uint32_t segment, uint32_t last) MADKIT_PRIVATE(packet_make);

#endif
