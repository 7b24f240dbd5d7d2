/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_rmpp - read and write the RMPP header of a MAD
 *
 * RMPP (the Reliable Multi-Packet Transaction Protocol) transfers messages longer than one MAD in
 * numbered segments. Its header is in bytes 24 to 35 of the MADs of classes that support RMPP (IBA
 * volume 1, section 13.6.2).
 *
 * In each function, mad is the start of the MAD. All functions except madkit_mad_has_rmpp() require at
 * least 36 bytes: call madkit_mad_has_rmpp() first. The functions do not block, and any number of
 * threads may call them at once.
 */
#ifndef MADKIT_RMPP_H
#define MADKIT_RMPP_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

MADKIT_BEGIN_DECLS

#define MADKIT_RMPP_VERSION 1 /* the only RMPPVersion */

/* Positions and lengths, in bytes. */
enum {
	MADKIT_RMPP_OFFSET = 24,
	MADKIT_RMPP_HEADER_BYTES = 12,
	MADKIT_RMPP_END = 36,
	/* payload of a segment in a MAD of 256 bytes, including the class header. In a MAD of n bytes
	 * it is n - MADKIT_RMPP_END. */
	MADKIT_RMPP_PAYLOAD_MAX = 220,
};

/* RMPPType. */
enum {
	MADKIT_RMPP_DATA = 1,
	MADKIT_RMPP_ACK = 2,
	MADKIT_RMPP_STOP = 3,
	MADKIT_RMPP_ABORT = 4,
};

/* RMPPFlags. */
enum {
	MADKIT_RMPP_ACTIVE = 1,
	MADKIT_RMPP_FIRST = 2,
	MADKIT_RMPP_LAST = 4,
};

/*
 * RMPPStatus (IBA volume 1, section 13.6.2). A STOP has status 1; an ABORT has status 118 or above. 128
 * to 191 are specific to the class, 192 to 255 to the vendor.
 */
enum {
	MADKIT_RMPP_STATUS_OK = 0,
	MADKIT_RMPP_STATUS_RESOURCES = 1, /* resources exhausted */
	MADKIT_RMPP_STATUS_TIME = 118,    /* total time too long */
	MADKIT_RMPP_STATUS_LENGTH = 119,  /* LAST and PayloadLength are inconsistent */
	MADKIT_RMPP_STATUS_FIRST = 120,   /* FIRST and SegmentNumber are inconsistent */
	MADKIT_RMPP_STATUS_TYPE = 121,    /* bad RMPPType */
	MADKIT_RMPP_STATUS_WINDOW = 122,  /* NewWindowLast too small */
	MADKIT_RMPP_STATUS_SEGMENT = 123, /* SegmentNumber too big */
	MADKIT_RMPP_STATUS_ILLEGAL = 124, /* illegal status */
	MADKIT_RMPP_STATUS_VERSION = 125, /* unsupported version */
	MADKIT_RMPP_STATUS_RETRIES = 126, /* too many retries */
	MADKIT_RMPP_STATUS_UNSPECIFIED = 127,
};

/* The RRespTime of a sender that does not state its response time. */
#define MADKIT_RMPP_RESPTIME_UNSPECIFIED 31

/*
 * madkit_mad_has_rmpp - check whether a MAD is an RMPP packet
 * @mad: start of the MAD
 * @len: bytes of the MAD
 *
 * Return: true if the class supports RMPP, @len includes the RMPP header, and its ACTIVE flag is set.
 */
bool madkit_mad_has_rmpp(const uint8_t *mad, size_t len);

/*
 * madkit_rmpp_get_version, madkit_rmpp_get_type, madkit_rmpp_get_status, madkit_rmpp_get_segment,
 * madkit_rmpp_get_length - get a field of the RMPP header
 * @mad: start of the MAD
 *
 * Return: RMPPVersion, RMPPType (MADKIT_RMPP_DATA and so on), RMPPStatus, SegmentNumber, or the last
 * word of the header: PayloadLength of DATA and NewWindowLast of ACK.
 */
uint8_t madkit_rmpp_get_version(const uint8_t *mad);
uint8_t madkit_rmpp_get_type(const uint8_t *mad);
uint8_t madkit_rmpp_get_status(const uint8_t *mad);
uint32_t madkit_rmpp_get_segment(const uint8_t *mad);
uint32_t madkit_rmpp_get_length(const uint8_t *mad);

/*
 * madkit_rmpp_get_resptime, madkit_rmpp_get_flags - get RRespTime or RMPPFlags
 * @mad: start of the MAD
 *
 * Return: madkit_rmpp_get_resptime(): 0 to 31. A response takes at most 4.096 us * 2^RRespTime; 31
 * means unspecified. madkit_rmpp_get_flags(): three bits, MADKIT_RMPP_ACTIVE and so on.
 *
 * Twins of ib_get_rmpp_resptime() and ib_get_rmpp_flags().
 */
uint8_t madkit_rmpp_get_resptime(const uint8_t *mad);
uint8_t madkit_rmpp_get_flags(const uint8_t *mad);

/*
 * madkit_rmpp_set_resptime, madkit_rmpp_set_flags - set RRespTime or RMPPFlags
 * @mad:      start of the MAD
 * @resptime: 0 to 31
 * @flags:    three bits, MADKIT_RMPP_ACTIVE and so on
 *
 * Both fields share a byte. Each function keeps the other field, and ignores higher bits of its value.
 *
 * Twins of ib_set_rmpp_resptime() and ib_set_rmpp_flags().
 */
void madkit_rmpp_set_resptime(uint8_t *mad, uint8_t resptime);
void madkit_rmpp_set_flags(uint8_t *mad, uint8_t flags);

/*
 * madkit_rmpp_set_version, madkit_rmpp_set_type, madkit_rmpp_set_status, madkit_rmpp_set_segment,
 * madkit_rmpp_set_length - set a field of the RMPP header
 * @mad:     start of the MAD
 * @version: RMPPVersion
 * @type:    RMPPType, MADKIT_RMPP_DATA and so on
 * @status:  RMPPStatus, MADKIT_RMPP_STATUS_OK and so on
 * @segment: SegmentNumber
 * @length:  last word of the header: PayloadLength of DATA, NewWindowLast of ACK
 *
 * Each function changes only its own field.
 */
void madkit_rmpp_set_version(uint8_t *mad, uint8_t version);
void madkit_rmpp_set_type(uint8_t *mad, uint8_t type);
void madkit_rmpp_set_status(uint8_t *mad, uint8_t status);
void madkit_rmpp_set_segment(uint8_t *mad, uint32_t segment);
void madkit_rmpp_set_length(uint8_t *mad, uint32_t length);

MADKIT_END_DECLS
#endif
