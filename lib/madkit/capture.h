/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_capture - read capture files, and find the MADs in their packets
 *
 * The caller reads the file and passes its bytes; these functions return packets, and the MADs in them,
 * as pointers into those bytes. They do no input or output and do not copy packets.
 */
#ifndef MADKIT_CAPTURE_H
#define MADKIT_CAPTURE_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <madkit/addr.h>
#include <madkit/buf.h>
#include <madkit/error.h>

MADKIT_BEGIN_DECLS

/* ---- supported formats ------------------------------------------------------
 * - Files: classic pcap in either byte order, with microseconds or nanoseconds; and pcapng
 *   (draft-ietf-opsawg-pcapng) with sections of either byte order, several interfaces, and enhanced,
 *   simple and obsolete packet blocks. Other blocks are skipped.
 * - Packets: InfiniBand (link type 247); ERF (197) that contains InfiniBand, Ethernet or IP; Ethernet
 *   (1), Linux cooked (113, 276) and IP (101, 228, 229) with RoCE version 1 (ethertype 0x8915) or
 *   version 2 (UDP port 4791).
 */

/* A reader's position in a file. Programs may read offset; the other members are internal. */
struct madkit_capture {
	uint64_t offset;      /* in the file, of the next byte to pass */
	uint64_t block;       /* offset of a block that is being skipped */
	uint64_t skip;        /* bytes of it that are still to be skipped */
	uint32_t trailer;     /* the expected length of the data after that block; 0: none */
	uint32_t snapshot;    /* pcap: maximum length of a packet */
	uint32_t nanoseconds; /* pcap: unit of a packet's time */
	uint16_t link_type;   /* pcap */
	bool begun, ng, big, broken;
	struct madkit_buf interfaces; /* pcapng: of this section */
};

/* A packet, or as much of it as the file contains. */
struct madkit_packet {
	uint64_t offset;      /* of its record in the file */
	struct timespec time; /* real time; tv_nsec -1: not known */
	uint16_t link_type;
	const uint8_t *data; /* points into the bytes that the caller passed */
	size_t len;
	size_t wire;    /* length on the wire; more than len if the packet was truncated */
	size_t missing; /* bytes missing at the end of the file */
};

/*
 * madkit_capture_begins - check whether a file is a capture file
 * @bytes: the beginning of the file
 * @len:   number of bytes, at least 4
 *
 * Return: true if the bytes are the beginning of a capture file.
 */
bool madkit_capture_begins(const uint8_t *bytes, size_t len);

/*
 * madkit_capture_init - begin to read a file
 * @capture: position to initialise
 */
void madkit_capture_init(struct madkit_capture *capture);

/*
 * madkit_capture_free - free the memory of a position
 * @capture: the position, or NULL
 *
 * The position can be used again after madkit_capture_init().
 */
void madkit_capture_free(struct madkit_capture *capture);

/*
 * madkit_capture_next - return the next packet of a file
 * @capture: position in the file
 * @bytes:   bytes of the file from capture->offset on
 * @len:     number of bytes
 * @last:    true if no bytes follow in the file
 * @used:    receives the number of bytes that were consumed, in every case. The next call has to pass
 *           the bytes that follow them.
 * @packet:  receives the packet, which is valid as long as @bytes are. On failure, packet->offset is
 *           the offset of the failure.
 * @error:   receives the reason of a failure, or NULL
 *
 * Return: 1 if there is a packet; 0 if more bytes are needed or, with @last, at the end of the file;
 * or:
 * - -EPROTO: a record is invalid and was skipped; the next call continues after it
 * - -EBADMSG: the file is damaged or of an unknown type, and the rest cannot be read
 * - -ENODATA: the file ends within the header of a record
 * - -ENOMEM: out of memory
 *
 * After -EBADMSG, -ENODATA and -ENOMEM, every further call returns 0.
 */
int madkit_capture_next(struct madkit_capture *capture, const uint8_t *bytes, size_t len, bool last,
			size_t *used, struct madkit_packet *packet, struct madkit_error *error);

/* A MAD in a packet. */
struct madkit_packet_mad {
	const uint8_t *mad; /* points into the packet's data */
	size_t len;         /* bytes that the file contains */
	size_t bytes;       /* length on the wire */
	/* Both addresses have lid (0 on Ethernet), qkey, pkey, hop_limit, traffic_class and flow_label.
	 * If the packet has a GRH or an IP header, grh and gid are set; IPv4 addresses are mapped to
	 * IPv6. The destination has qp; the source has qp and sl. For a directed-route SMP, both have
	 * the route, and lid is 0 in place of the permissive LID. */
	struct madkit_addr source, destination;
};

/*
 * madkit_packet_get_mad - find the MAD in a packet
 * @packet: the packet
 * @mad:    receives the MAD
 * @error:  receives the reason of a failure, or NULL
 *
 * A packet contains a MAD if it is a UD SEND (with or without immediate data) to QP0 or QP1. A UD SEND
 * to another queue pair counts if its Q_Key is that of QP1 (0x80010000) and its payload begins with the
 * base version of a MAD.
 *
 * Return: 1 if there is a MAD; 0 if not; or:
 * - -ENODATA: the packet was truncated before it is known whether it contains a MAD. If it was
 *   truncated later, the return value is 1, and mad->len may be 0.
 * - -EBADMSG: the headers of the packet contradict each other
 * - -EOPNOTSUPP: packets of this link type are not supported
 */
int madkit_packet_get_mad(const struct madkit_packet *packet, struct madkit_packet_mad *mad,
			  struct madkit_error *error);

MADKIT_END_DECLS
#endif
