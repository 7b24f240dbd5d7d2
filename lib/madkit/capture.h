/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reading capture files: the packets in them, and the MADs in packets. Bytes
 * are handed in and looked at where they lie: nothing here reads a file, and
 * nothing is copied.
 *
 * Files: classic pcap (either byte order, micro- or nanoseconds) and pcapng
 * (draft-ietf-opsawg-pcapng: sections of either byte order, several interfaces;
 * enhanced, simple and obsolete packet blocks; other blocks are skipped).
 * Packets: ERF (link type 197) with InfiniBand, Ethernet or IP in it, InfiniBand
 * (247), Ethernet (1), Linux cooked (113, 276) and IP (101, 228, 229), with RoCE
 * version 1 (ethertype 0x8915) or 2 (UDP port 4791).
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

/* A reader's place in a file. Its members are the reader's own, but offset. */
struct madkit_capture {
	uint64_t offset;      /* in the file, of the next byte to be handed in */
	uint64_t block;       /* where a block is that nobody wants ... */
	uint64_t skip;        /* ... and how much of it is still to come */
	uint32_t trailer;     /* the length that stands behind it; 0: none */
	uint32_t snapshot;    /* pcap: how long packets are at most */
	uint32_t nanoseconds; /* pcap: in one unit of a packet's time */
	uint16_t link_type;   /* pcap */
	bool begun, ng, big, broken;
	struct madkit_buf interfaces; /* pcapng: of this section */
};

/* One packet, or what the file has of it; data lies in the bytes handed in. */
struct madkit_packet {
	uint64_t offset;      /* of its record in the file */
	struct timespec time; /* real time; tv_nsec -1: the file does not tell */
	uint16_t link_type;
	const uint8_t *data;
	size_t len;
	size_t wire;    /* how long it was: more than len where it was cut */
	size_t missing; /* bytes that the file should have and ends before */
};

/* Whether a file that begins so is a capture (of 4 bytes or more). */
bool madkit_capture_begins(const uint8_t *bytes, size_t len);

/* At the beginning of a file, and after its end, where NULL is allowed. What _free leaves may be begun anew. */
void madkit_capture_init(struct madkit_capture *capture);
void madkit_capture_free(struct madkit_capture *capture);

/*
 * The next packet. bytes are those from capture->offset on, all that are left
 * of the file where last is set. *used (set in every case) of them are done
 * with: the next call begins behind.
 *
 * 1 with *packet, valid as long as bytes are; 0: more bytes are needed, or with
 * last: that was all; -EPROTO: a record makes no sense and was left out, what
 * follows can be read; -EBADMSG: the file is damaged (or of no known kind) and
 * cannot be read on from here; -ENODATA: it ends within a record's header;
 * -ENOMEM. error (NULL is fine) says why, and packet->offset where. After
 * -EBADMSG, -ENODATA and -ENOMEM every call returns 0.
 */
int madkit_capture_next(struct madkit_capture *capture, const uint8_t *bytes, size_t len, bool last,
			size_t *used, struct madkit_packet *packet, struct madkit_error *error);

/* A MAD in a packet: mad lies in the packet's data. */
struct madkit_packet_mad {
	const uint8_t *mad;
	size_t len;   /* what is there of it */
	size_t bytes; /* how long it was on the wire */
	/*
	 * Both ends. Of the destination qp, of the source qp and sl; lid (0 on
	 * Ethernet), grh with gid (IP addresses where RoCE version 2 has them;
	 * IPv4 ones mapped into IPv6), qkey, pkey, hop_limit, traffic_class and
	 * flow_label of each. Where the packet is an SMP on a directed route, that
	 * is in both, with lid 0 for the permissive LID.
	 */
	struct madkit_addr source, destination;
};

/*
 * The MAD in a packet: the payload of a UD SEND (also with immediate data) to
 * queue pair 0 or 1, or to any with the Q_Key of the GSI (0x80010000) that
 * begins with a MAD's base version.
 *
 * 1 with *mad (len may be 0: the packet is cut within its headers, behind what
 * tells that it is one); 0: the packet is something else; -ENODATA: it is cut
 * before that can be told; -EBADMSG: its headers contradict themselves;
 * -EOPNOTSUPP: packets of this link type are not read. error says why.
 */
int madkit_packet_get_mad(const struct madkit_packet *packet, struct madkit_packet_mad *mad,
			  struct madkit_error *error);

/* "Ethernet", "IEEE 802.11" ... NULL where no name is known. */
const char *madkit_link_type_name(uint16_t link_type);

MADKIT_END_DECLS
#endif
