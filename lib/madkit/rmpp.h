/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The RMPP header of a MAD (IBA volume 1, section 13.6.2), at bytes 24 to 35
 * of the classes that carry RMPP. mad must hold at least 36 bytes: check with
 * madkit_mad_has_rmpp() first.
 */
#ifndef MADKIT_RMPP_H
#define MADKIT_RMPP_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

MADKIT_BEGIN_DECLS

#define MADKIT_RMPP_VERSION 1

enum {
	MADKIT_RMPP_OFFSET = 24,
	MADKIT_RMPP_HEADER_BYTES = 12,
	MADKIT_RMPP_END = 36,
	/* of a segment in a MAD of 256 bytes, class header included; of one in a
	 * MAD of n bytes it is n - MADKIT_RMPP_END */
	MADKIT_RMPP_PAYLOAD_MAX = 220,
};

enum {
	MADKIT_RMPP_DATA = 1,
	MADKIT_RMPP_ACK = 2,
	MADKIT_RMPP_STOP = 3,
	MADKIT_RMPP_ABORT = 4,
};

enum {
	MADKIT_RMPP_ACTIVE = 1,
	MADKIT_RMPP_FIRST = 2,
	MADKIT_RMPP_LAST = 4,
};

/* RMPPStatus, IBA volume 1, section 13.6.2: 1 is of STOP, those from 118 on are of
 * ABORT: 128 to 191 the class's own, 192 to 255 the vendor's. */
enum {
	MADKIT_RMPP_STATUS_OK = 0,
	MADKIT_RMPP_STATUS_RESOURCES = 1, /* resources exhausted */
	MADKIT_RMPP_STATUS_TIME = 118,    /* total time too long */
	MADKIT_RMPP_STATUS_LENGTH = 119,  /* LAST and PayloadLength do not agree */
	MADKIT_RMPP_STATUS_FIRST = 120,   /* FIRST and SegmentNumber do not agree */
	MADKIT_RMPP_STATUS_TYPE = 121,    /* bad RMPPType */
	MADKIT_RMPP_STATUS_WINDOW = 122,  /* NewWindowLast too small */
	MADKIT_RMPP_STATUS_SEGMENT = 123, /* SegmentNumber too big */
	MADKIT_RMPP_STATUS_ILLEGAL = 124, /* illegal status */
	MADKIT_RMPP_STATUS_VERSION = 125, /* unsupported version */
	MADKIT_RMPP_STATUS_RETRIES = 126, /* too many retries */
	MADKIT_RMPP_STATUS_UNSPECIFIED = 127,
};

#define MADKIT_RMPP_RESPTIME_UNSPECIFIED 31

/* Whether the MAD's class carries RMPP, its header lies within len and its
 * ACTIVE flag is set. */
bool madkit_mad_has_rmpp(const uint8_t *mad, size_t len);

/* RMPPVersion, RMPPType (MADKIT_RMPP_DATA ...), RMPPStatus and SegmentNumber. */
uint8_t madkit_rmpp_get_version(const uint8_t *mad);
uint8_t madkit_rmpp_get_type(const uint8_t *mad);
uint8_t madkit_rmpp_get_status(const uint8_t *mad);
uint32_t madkit_rmpp_get_segment(const uint8_t *mad);
/* PayloadLength of DATA, NewWindowLast of ACK: the header's last word. */
uint32_t madkit_rmpp_get_length(const uint8_t *mad);

/* RRespTime, 0 to 31 (time = 4.096 us * 2^n, 31: unspecified), and the three
 * flag bits. The setters keep the other's bits; surplus bits of the value are
 * ignored. Twins of ib_get_rmpp_resptime(), ib_get_rmpp_flags(), ib_set_rmpp_resptime()
 * and ib_set_rmpp_flags(). */
uint8_t madkit_rmpp_get_resptime(const uint8_t *mad);
uint8_t madkit_rmpp_get_flags(const uint8_t *mad);
void madkit_rmpp_set_resptime(uint8_t *mad, uint8_t resptime);
void madkit_rmpp_set_flags(uint8_t *mad, uint8_t flags);

/* They write what the getters read, and nothing besides. */
void madkit_rmpp_set_version(uint8_t *mad, uint8_t version);
void madkit_rmpp_set_type(uint8_t *mad, uint8_t type);
void madkit_rmpp_set_status(uint8_t *mad, uint8_t status);
void madkit_rmpp_set_segment(uint8_t *mad, uint32_t segment);
void madkit_rmpp_set_length(uint8_t *mad, uint32_t length);

MADKIT_END_DECLS
#endif
