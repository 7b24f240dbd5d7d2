/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_portid - convert addresses from and to libibmad's ib_portid_t
 *
 * With these functions, a program that uses libibmad can adopt libmadkit call by call. madkit/madkit.h
 * does not include this header, because it needs the header of libibmad. The program need not be linked
 * with libibmad.
 */
#ifndef MADKIT_PORTID_H
#define MADKIT_PORTID_H

#include <errno.h>
#include <string.h>
#include <infiniband/mad.h>
#include <madkit/addr.h>

/*
 * madkit_addr_from_portid - convert an ib_portid_t to an address
 * @addr:   receives the address
 * @portid: the ib_portid_t
 *
 * As in smp_query_via() of libibmad, the address is a directed route if the LID is 0, or if one of the
 * LIDs of the route is permissive. As in mad_build_pkt(), the hop limit of a GRH is 255.
 *
 * Return: 0, or -ERANGE if the LID or the P_Key index is above 16 bits, or if the route has more than
 * 63 hops.
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
 * madkit_addr_to_portid - convert an address to an ib_portid_t
 * @portid: receives the ib_portid_t
 * @addr:   the address
 *
 * An ib_portid_t has no members for the GID index, hop limit, traffic class, flow label and path bits;
 * they are omitted.
 *
 * Return: 0 on success, or:
 * - -ERANGE: the LID is above 16 bits, or the route has more than 63 hops
 * - -EINVAL: a LID-routed part precedes the directed route, but dr_slid is not set. libibmad requires
 *   it (it is the LID of the sending port).
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
