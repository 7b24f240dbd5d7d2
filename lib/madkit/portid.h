/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Addresses to and from libibmad's ib_portid_t, so that a program that uses
 * libibmad can adopt this library call by call. Not part of madkit.h: it needs
 * libibmad's header (nothing of its library).
 */
#ifndef MADKIT_PORTID_H
#define MADKIT_PORTID_H

#include <errno.h>
#include <string.h>
#include <infiniband/mad.h>
#include <madkit/addr.h>

/*
 * What libibmad means by portid: a directed route where there is no LID, or
 * where one of the route's LIDs is permissive, as smp_query_via() decides; a
 * GRH has hop limit 255, as mad_build_pkt() writes it. 0, or -ERANGE for a LID
 * above 16 bits, a route of more than 63 hops, or a wide P_Key index.
 */
static inline int madkit_addr_from_portid(struct madkit_addr *addr, const ib_portid_t *portid)
{
	if (portid->lid > 0xffff || portid->pkey_idx > 0xffff)
		return -ERANGE;
	if (portid->drpath.cnt < 0 || portid->drpath.cnt > MADKIT_HOPS_MAX)
		return -ERANGE;
	memset(addr, 0, sizeof(*addr));
	addr->lid = portid->lid > 0 ? (uint32_t)portid->lid : 0;
	addr->qp = portid->qp;
	addr->qkey = portid->qkey;
	addr->sl = portid->sl;
	addr->pkey_index = (uint16_t)portid->pkey_idx;
	if (portid->grh_present) {
		addr->grh = true;
		memcpy(addr->gid, portid->gid, sizeof(addr->gid));
		addr->hop_limit = 0xff;
	}
	if (portid->lid > 0 && portid->drpath.drslid != MADKIT_LID_PERMISSIVE &&
	    portid->drpath.drdlid != MADKIT_LID_PERMISSIVE)
		return 0;
	/* with a permissive DrSLID libibmad sends to the permissive LID */
	if (portid->drpath.drslid == MADKIT_LID_PERMISSIVE)
		addr->lid = 0;
	addr->direct = true;
	addr->hops = (uint8_t)portid->drpath.cnt;
	memcpy(addr->path, portid->drpath.p, addr->hops + 1u);
	addr->dr_slid = portid->drpath.drslid ? portid->drpath.drslid : MADKIT_LID_PERMISSIVE;
	addr->dr_dlid = portid->drpath.drdlid ? portid->drpath.drdlid : MADKIT_LID_PERMISSIVE;
	return 0;
}

/*
 * The inverse. A portid has no room for GID index, hop limit, traffic class,
 * flow label and path bits: they are left out. 0; -ERANGE for a LID above 16
 * bits or more than 63 hops; -EINVAL for a directed route behind a LID without
 * the DrSLID, which libibmad wants written down (the port's own LID).
 */
static inline int madkit_addr_to_portid(ib_portid_t *portid, const struct madkit_addr *addr)
{
	bool behind_lid = addr->direct && addr->lid && addr->lid != MADKIT_LID_PERMISSIVE;

	if (addr->lid > 0xffff || (addr->direct && addr->hops > MADKIT_HOPS_MAX))
		return -ERANGE;
	if (behind_lid && (!addr->dr_slid || addr->dr_slid == MADKIT_LID_PERMISSIVE))
		return -EINVAL;
	memset(portid, 0, sizeof(*portid));
	if (!addr->direct || behind_lid)
		portid->lid = (int)addr->lid;
	portid->qp = addr->qp;
	portid->qkey = addr->qkey;
	portid->sl = addr->sl;
	portid->pkey_idx = addr->pkey_index;
	if (addr->grh) {
		portid->grh_present = 1;
		memcpy(portid->gid, addr->gid, sizeof(addr->gid));
	}
	if (!addr->direct)
		return 0;
	portid->drpath.cnt = addr->hops;
	memcpy(portid->drpath.p, addr->path, addr->hops + 1u);
	portid->drpath.drslid = addr->dr_slid ? addr->dr_slid : MADKIT_LID_PERMISSIVE;
	portid->drpath.drdlid = addr->dr_dlid ? addr->dr_dlid : MADKIT_LID_PERMISSIVE;
	return 0;
}

#endif
