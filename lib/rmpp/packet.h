/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions for a single RMPP packet, shared by both ends. */
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

enum { PACKET_HEAD_MAX = MADKIT_DEVICE_DATA }; /* longest headers of a class */

/* Returns a + b, or UINT64_MAX if the sum is larger. */
static inline uint64_t later(uint64_t a, uint64_t b)
{
	return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/* Checks for a whole MAD that carries RMPP. */
bool packet_is_rmpp(const uint8_t *mad, size_t len);

/* Checks for STOP and ABORT, which are never answered. */
bool packet_ends(const uint8_t *mad);

/* Checks a packet for errors that do not depend on its transfer. Returns the status for an ABORT, or 0. */
uint8_t packet_fault(const uint8_t *mad);

/* Returns the status of a STOP or ABORT, or ILLEGAL if its type cannot have that status. */
uint8_t packet_end_status(const uint8_t *mad);

/* Returns how long a response can take: 4.096 us * 2^resptime + 2 * packet_life_ns (IBA volume 1, section
 * 13.6.3). MADKIT_RMPP_NEVER: resptime is 31 or more, which means unspecified, or the sum is too large. */
uint64_t packet_response_ns(uint8_t resptime, uint64_t packet_life_ns);

/* Returns STOP or ABORT, depending on the status; 0: neither can have it. */
uint8_t packet_end_type(uint8_t status);

/* Returns a hash of the whole MAD. */
uint64_t packet_hash(const uint8_t *mad);

/* Checks if two addresses are the same peer: same QP, and same GID with a GRH, otherwise same LID. */
bool packet_same_end(const struct madkit_addr *a, const struct madkit_addr *b);

/* An ACK, STOP or ABORT. */
struct packet_control {
	uint8_t method, type, resptime, status;
	uint32_t segment, last; /* of an ACK: the segment it is for, and the end of the window */
};

/* Writes the packet with the class headers of head; the rest of the MAD is zero. Returns its length. */
size_t packet_make(uint8_t *mad, const uint8_t *head, const struct packet_control *packet)
	MADKIT_PRIVATE(packet_make);

#endif
