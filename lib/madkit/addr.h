/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_addr - addresses of MADs, and their text forms
 *
 * struct madkit_addr is the destination of a MAD to send or the source of a received one. The functions
 * convert LIDs, GUIDs, GIDs and directed routes from and to text. They do not block, and any number of
 * threads may call them at once.
 */
#ifndef MADKIT_ADDR_H
#define MADKIT_ADDR_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/error.h>
#include <madkit/num.h>

MADKIT_BEGIN_DECLS

#define MADKIT_HOPS_MAX       63 /* longest directed route: IBA volume 1, section 14.2.2 */
#define MADKIT_LID_PERMISSIVE 0xffff
#define MADKIT_QKEY_GSI       0x80010000u /* Q_Key of QP1 */
/* the default partition as a full and as a limited member: IBA volume 1, section 10.9.1.2 */
#define MADKIT_PKEY_DEFAULT         0xffff
#define MADKIT_PKEY_DEFAULT_LIMITED 0x7fff

/*
 * An address, in host byte order: the members of umad's struct ib_mad_addr, and the directed route of
 * an SMP. All zero means QP0 of the sending port itself.
 *
 * RoCE: ports have no LIDs. Set grh, set gid to the GID of the destination port, and set qp to 1
 * (madkit_agent_post() changes 0 to 1); leave lid 0. gid_index selects the entry of the local GID table
 * to send from; the type of that entry (RoCE version 1 or 2) determines the type of the packets.
 * Without grh, the kernel rejects the MAD with -EINVAL.
 *
 * To send a response, copy the from member of the request's struct madkit_recv; it is complete.
 */
struct madkit_addr {
	uint32_t lid;
	uint32_t qp;
	uint32_t qkey;
	uint16_t pkey_index;
	uint16_t pkey; /* P_Key of a captured packet (pkey_index is then not known); 0: use pkey_index */
	uint8_t sl;
	uint8_t path_bits; /* low bits of the local LID, if the port has several (LMC) */
	bool grh;          /* use a GRH with the five members that follow */
	uint8_t gid[16];
	uint8_t gid_index; /* in the local GID table */
	/* InfiniBand: packets with a hop limit of 0 or 1 do not leave the subnet. RoCE version 2: the
	 * kernel sends the hop limit of its IP route instead. */
	uint8_t hop_limit;
	uint8_t traffic_class;
	uint32_t flow_label;
	bool direct;                       /* use the directed route in the members that follow */
	uint8_t hops;                      /* number of hops, 0 to MADKIT_HOPS_MAX */
	uint8_t path[MADKIT_HOPS_MAX + 1]; /* path[0] is 0; path[1] to path[hops] are the exit ports */
	/* 0xffff (permissive), or a LID if a LID-routed part precedes (dr_slid) or follows (dr_dlid)
	 * the directed part */
	uint16_t dr_slid;
	uint16_t dr_dlid;
};

/*
 * madkit_parse_lid - read a LID
 * @text:  decimal or 0x hexadecimal number
 * @lid:   receives the LID
 * @error: receives the reason of a failure, or NULL
 *
 * Accepts every 16-bit number. The caller decides whether 0, a multicast LID (0xc000 and above) or the
 * permissive LID is valid.
 *
 * Return: 0; -EINVAL if @text is not a number; -ERANGE if it is above 0xffff.
 */
int madkit_parse_lid(const char *text, uint32_t *lid, struct madkit_error *error);

/*
 * madkit_parse_guid - read a GUID
 * @text:  0x and 1 to 16 hexadecimal digits, or exactly 16 hexadecimal digits. A shorter text without
 *         0x is rejected, because it might be a decimal number.
 * @guid:  receives the GUID
 * @error: receives the reason of a failure, or NULL
 *
 * Return: 0; -EINVAL if @text is not a GUID; -ERANGE if it has more than 16 digits.
 */
int madkit_parse_guid(const char *text, uint64_t *guid, struct madkit_error *error);

/*
 * madkit_parse_gid - read a GID
 * @text:  IPv6 address
 * @gid:   receives the GID in network order
 * @error: receives the reason of a failure, or NULL
 *
 * Return: 0, or -EINVAL if @text is not an IPv6 address.
 */
int madkit_parse_gid(const char *text, uint8_t gid[16], struct madkit_error *error);

/*
 * madkit_parse_path - read a directed route
 * @text:  numbers separated by commas, such as "0,1,2". The first number is 0 (this node). Each other
 *         number, 1 to 254, is the port through which the packet leaves a node.
 * @addr:  receives the route in direct, hops and path; dr_slid and dr_dlid become permissive. Other
 *         members are unchanged.
 * @error: receives the reason of a failure, or NULL
 *
 * Return: 0 on success, or:
 * - -EINVAL: a word is not a number, the first number is not 0, or another number is 0
 * - -ERANGE: a number is above 254, or the route has more than MADKIT_HOPS_MAX hops
 */
int madkit_parse_path(const char *text, struct madkit_addr *addr, struct madkit_error *error);

/* Size of the buffer for madkit_path_text(). */
#define MADKIT_PATH_TEXT_MAX (4 * (MADKIT_HOPS_MAX + 1))

/*
 * madkit_path_text - write a directed route as text
 * @addr: address with a directed route
 * @buf:  receives text such as "0,1,2"
 *
 * Return: @buf.
 */
char *madkit_path_text(const struct madkit_addr *addr, char buf[MADKIT_PATH_TEXT_MAX]);

/* Size of the buffer for madkit_gid_text(). */
#define MADKIT_GID_TEXT_MAX 46

/*
 * madkit_gid_text - write a GID as text
 * @gid: GID in network order
 * @buf: receives an IPv6 address
 *
 * Return: @buf.
 */
char *madkit_gid_text(const uint8_t gid[16], char buf[MADKIT_GID_TEXT_MAX]);

/*
 * madkit_gid_put - write the GID of a port
 * @gid:       receives the GID in network order
 * @prefix:    GID prefix of the subnet
 * @port_guid: GUID of the port
 */
void madkit_gid_put(uint8_t gid[16], uint64_t prefix, uint64_t port_guid);

/* Size of the buffer for madkit_addr_text(). */
#define MADKIT_ADDR_TEXT_MAX (MADKIT_PATH_TEXT_MAX + 64)

/*
 * madkit_addr_text - write an address as text
 * @addr: the address
 * @buf:  receives text in the format of infiniband-diags: "Lid 5", or "DR path slid 65535; dlid 65535;
 *        0,1". An address without a LID is written by its GID: "Gid fe80::1".
 *
 * Return: @buf.
 */
char *madkit_addr_text(const struct madkit_addr *addr, char buf[MADKIT_ADDR_TEXT_MAX]);

MADKIT_END_DECLS
#endif
