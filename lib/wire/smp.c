/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The directed route in an SMP. */
#include <errno.h>
#include <string.h>
#include <madkit/addr.h>
#include <madkit/mad.h>
#include "util/bits.h"

int madkit_smp_put_route(uint8_t *mad, const struct madkit_addr *addr, uint32_t own_lid)
{
	/* a LID-routed part precedes the directed one */
	bool combined = addr->lid && addr->lid != MADKIT_LID_PERMISSIVE;
	uint16_t slid = addr->dr_slid;

	if (!addr->direct || addr->hops > MADKIT_HOPS_MAX)
		return -EINVAL;
	if (combined && (!slid || slid == MADKIT_LID_PERMISSIVE))
		slid = (uint16_t)own_lid;
	mad[MADKIT_MAD_HOP_POINTER] = 0;
	mad[MADKIT_MAD_HOP_COUNT] = addr->hops;
	put_be16(mad + MADKIT_SMP_DR_SLID, slid ? slid : MADKIT_LID_PERMISSIVE);
	put_be16(mad + MADKIT_SMP_DR_DLID, addr->dr_dlid ? addr->dr_dlid : MADKIT_LID_PERMISSIVE);
	memset(mad + MADKIT_SMP_INITIAL_PATH, 0, MADKIT_HOPS_MAX + 1);
	memcpy(mad + MADKIT_SMP_INITIAL_PATH, addr->path, addr->hops + 1u);
	return 0;
}

int madkit_smp_get_route(const uint8_t *mad, size_t len, struct madkit_addr *addr)
{
	if (len < MADKIT_SMP_RETURN_PATH || mad[MADKIT_MAD_BASE_VERSION] != MADKIT_BASE_VERSION_IB ||
	    mad[MADKIT_MAD_CLASS] != MADKIT_CLASS_SUBN_DR || mad[MADKIT_MAD_HOP_COUNT] > MADKIT_HOPS_MAX)
		return -ENODATA;
	addr->direct = true;
	addr->dr_slid = get_be16(mad + MADKIT_SMP_DR_SLID);
	addr->dr_dlid = get_be16(mad + MADKIT_SMP_DR_DLID);
	addr->hops = mad[MADKIT_MAD_HOP_COUNT];
	memcpy(addr->path, mad + MADKIT_SMP_INITIAL_PATH, addr->hops + 1u);
	return 0;
}
