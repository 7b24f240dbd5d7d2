/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lookups in the manager's subnet: ports by LID and GID, common partitions, rates and MTUs. */
#include <errno.h>
#include <string.h>
#include "sim/sa/internal.h"
#include "topology/port_info.h"
#include "util/array_size.h"

/* ---- rates ----------------------------------------------------------------------- */

unsigned int sa_rate_of(const uint8_t *info)
{
	/* of each encoded value, in 100 Mbit/s */
	static const uint16_t rates[] = {
		[2] = 25,    [5] = 50,    [3] = 100,   [11] = 140,  [6] = 200,    [15] = 250,
		[19] = 280,  [4] = 300,   [7] = 400,   [20] = 500,  [12] = 560,   [8] = 600,
		[9] = 800,   [16] = 1000, [13] = 1120, [10] = 1200, [14] = 1680,  [17] = 2000,
		[18] = 3000, [21] = 4000, [22] = 6000, [23] = 8000, [24] = 12000, [25] = 16000,
	};
	unsigned int lanes =
		topology_lanes((unsigned int)field_get(MADKIT_PORT_INFO_LINK_WIDTH_ACTIVE, info));
	unsigned int speed = port_info_speed(info, PORT_INFO_EXTENDED | PORT_INFO_EXTENDED2);
	unsigned int rate = lanes * topology_lane_rate(speed), best = 2;

	/* the highest that does not exceed the rate: some rates have no value of their own */
	for (unsigned int i = 2; i < ARRAY_SIZE(rates); i++)
		if (rates[i] <= rate && rates[i] > rates[best])
			best = i;
	return best;
}

unsigned int sa_mtu_of(const uint8_t *info)
{
	unsigned int mtu = (unsigned int)field_get(MADKIT_PORT_INFO_NEIGHBOR_MTU, info);

	return sa_step(SA_MTUS, mtu) < 0 ? 1 : mtu;
}

/* ---- end ports ------------------------------------------------------------------- */

uint16_t sa_lid_of(const struct sa *sa, uint32_t port)
{
	const struct subnet *s = sa->options.subnet;

	return port < s->nports ? (uint16_t)field_get(MADKIT_PORT_INFO_LID, s->ports[port].info) : 0;
}

uint32_t sa_port_by_lid(const struct sa *sa, unsigned int lid)
{
	return lid ? subnet_find_lid(sa->options.subnet, lid) : SUBNET_NONE;
}

uint64_t sa_prefix(const struct sa *sa)
{
	const struct subnet *s = sa->options.subnet;

	return s->sm_port < s->nports ? field_get(MADKIT_PORT_INFO_GID_PREFIX, s->ports[s->sm_port].info) : 0;
}

/* Checks if a port has this alias GUID (GUIDInfo). */
static bool lookup_has_alias(const struct sa *sa, uint32_t port, uint64_t guid)
{
	const uint8_t *guids = sa->options.subnet->ports[port].guids;

	for (unsigned int i = 1; guids && i < FABRIC_GUIDS; i++)
		if (get_be64(guids + i * 8) == guid)
			return true;
	return false;
}

uint32_t sa_port_by_guid(const struct sa *sa, uint64_t guid)
{
	const struct subnet *s = sa->options.subnet;
	uint32_t port = subnet_find_port(s, guid);

	for (uint32_t i = 0; port == SUBNET_NONE && guid && i < s->nports; i++)
		if (s->ports[i].end && lookup_has_alias(sa, i, guid))
			port = i;
	return port;
}

int sa_port_by_gid(const struct sa *sa, const uint8_t gid[16], uint32_t *port)
{
	uint64_t prefix = get_be64(gid);

	*port = SUBNET_NONE;
	if (prefix != FABRIC_GID_PREFIX && prefix != sa_prefix(sa))
		return -EINVAL;
	*port = sa_port_by_guid(sa, get_be64(gid + 8));
	return *port == SUBNET_NONE ? -ENOENT : 0;
}

void sa_gid_of(const struct sa *sa, uint32_t port, uint8_t gid[16])
{
	const struct subnet_port *p = &sa->options.subnet->ports[port];

	put_be64(gid, field_get(MADKIT_PORT_INFO_GID_PREFIX, p->info));
	put_be64(gid + 8, p->guid);
}

/* ---- partitions ------------------------------------------------------------------ */

enum { FULL_MEMBER = 0x8000 };

/* Returns the P_Key at index i of the port's table. If the table was not read, it has only the default
 * P_Key. */
static uint16_t lookup_pkey_at(const struct sa *sa, uint32_t port, unsigned int i)
{
	const uint8_t *pkeys = sa->options.subnet->ports[port].pkeys;

	return pkeys ? get_be16(pkeys + i * 2) : i ? 0 : 0xffff;
}

uint16_t sa_has_pkey(const struct sa *sa, uint32_t port, uint16_t pkey)
{
	for (unsigned int i = 0; pkey & 0x7fff && i < FABRIC_PKEYS; i++) {
		uint16_t own = lookup_pkey_at(sa, port, i);

		/* two limited members cannot communicate */
		if (!((own ^ pkey) & 0x7fff) && (own | pkey) & FULL_MEMBER)
			return own;
	}
	return 0;
}

uint16_t sa_common_pkey(const struct sa *sa, uint32_t a, uint32_t b)
{
	for (unsigned int i = 0; i < FABRIC_PKEYS; i++) {
		uint16_t pkey = lookup_pkey_at(sa, a, i);

		if (pkey & 0x7fff && sa_has_pkey(sa, b, pkey))
			return pkey;
	}
	return 0;
}

struct sa_mgroup *sa_group_find(const struct sa *sa, const uint8_t mgid[16])
{
	size_t at = field_at(MADKIT_MC_MEMBER_RECORD_MGID);

	for (unsigned int i = 0; i < SA_GROUPS_MAX; i++)
		if (sa->groups[i] && !memcmp(sa->groups[i]->record + at, mgid, 16))
			return sa->groups[i];
	return NULL;
}
