/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a MAD goes or came from, and how people write that. */
#ifndef MADKIT_ADDR_H
#define MADKIT_ADDR_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/error.h>
#include <madkit/num.h>

MADKIT_BEGIN_DECLS

#define MADKIT_HOPS_MAX       63 /* IBA volume 1, section 14.2.2 */
#define MADKIT_LID_PERMISSIVE 0xffff
#define MADKIT_QKEY_GSI       0x80010000u
/* the default partition (IBA volume 1, section 10.9.1.2): full and limited member */
#define MADKIT_PKEY_DEFAULT         0xffff
#define MADKIT_PKEY_DEFAULT_LIMITED 0x7fff

/*
 * An address: what umad's struct ib_mad_addr holds, in host order, and the
 * directed route that an SMP takes besides. All zero is "this port, QP0".
 *
 * A RoCE port has no LIDs. To send to one, set grh, gid to the GID of that port and qp to 1 (0 becomes
 * 1, see madkit_agent_post()); lid stays 0. gid_index is the entry of the own GID table to send from;
 * its kind (RoCE version 1 or 2) is that of the packets. Without grh the kernel refuses the MAD
 * (-EINVAL). To respond to a request, copy madkit_recv's from: it is complete.
 */
struct madkit_addr {
	uint32_t lid;
	uint32_t qp;
	uint32_t qkey;
	uint16_t pkey_index;
	uint16_t pkey; /* of a captured packet, whose pkey_index is not
				 * known; 0: pkey_index is */
	uint8_t sl;
	uint8_t path_bits;
	bool grh; /* the five fields that follow are in use */
	uint8_t gid[16];
	uint8_t gid_index;
	uint8_t hop_limit; /* InfiniBand: 0 and 1 do not leave the subnet. On RoCE version 2
				 * the kernel sends the hop limit of its route instead */
	uint8_t traffic_class;
	uint32_t flow_label;
	bool direct;                       /* a directed route: hops and path are in use */
	uint8_t hops;                      /* 0 to 63 */
	uint8_t path[MADKIT_HOPS_MAX + 1]; /* path[0] is 0, path[1..hops] */
	uint16_t dr_slid;                  /* 0xffff, or a LID where a LID-routed part */
	uint16_t dr_dlid;                  /* ... precedes or follows the directed one */
};

/* Any 16-bit number is taken: whether 0, a multicast (0xc000 on) or the permissive
 * LID makes sense is for the caller to say. 0, -EINVAL, -ERANGE. */
int madkit_parse_lid(const char *text, uint32_t *lid, struct madkit_error *error);

/* 0x and 1 to 16 hex digits, or exactly 16 of them without 0x: a shorter one might
 * be meant as decimal. 0, -EINVAL, -ERANGE (more than 16 digits). */
int madkit_parse_guid(const char *text, uint64_t *guid, struct madkit_error *error);

/* IPv6 text. 0 or -EINVAL. */
int madkit_parse_gid(const char *text, uint8_t gid[16], struct madkit_error *error);

/*
 * "0,1,2": the first number is 0 (this node), then the port to leave by at
 * each node, 1 to 254, at most 63. Sets direct, hops, path, dr_slid and
 * dr_dlid (0xffff). 0; -EINVAL, -ERANGE.
 */
int madkit_parse_path(const char *text, struct madkit_addr *addr, struct madkit_error *error);

/* Text forms; buf is filled and returned. */
#define MADKIT_PATH_TEXT_MAX (4 * (MADKIT_HOPS_MAX + 1))
char *madkit_path_text(const struct madkit_addr *addr, char buf[MADKIT_PATH_TEXT_MAX]);
#define MADKIT_GID_TEXT_MAX 46
char *madkit_gid_text(const uint8_t gid[16], char buf[MADKIT_GID_TEXT_MAX]);
/* "Lid 5", "DR path slid 65535; dlid 65535; 0,1": as infiniband-diags calls it in titles. */
#define MADKIT_ADDR_TEXT_MAX (MADKIT_PATH_TEXT_MAX + 64)
char *madkit_addr_text(const struct madkit_addr *addr, char buf[MADKIT_ADDR_TEXT_MAX]);

MADKIT_END_DECLS
#endif
