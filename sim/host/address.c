/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Converts between packet headers and umad addresses, which give P_Keys and GIDs as indexes into the
 * port's tables. */
#include <errno.h>
#include <string.h>
#include "sim/host/internal.h"

enum { GID_BYTES = 16, MULTICAST_GID = 0xff, NOWHERE = -1 };

/* The GUID in the well-known GID of subnet administration, which any port with an SA must accept as its
 * own. */
#define SA_WELL_KNOWN_GUID UINT64_C(0x0200000000000002)

static uint16_t address_lmc_mask(const struct port *port)
{
	return (uint16_t)((1u << field_get(MADKIT_PORT_INFO_LMC, port->info)) - 1);
}

/* Returns false if the port has no GID at index i. */
static bool address_get_gid(const struct port *port, unsigned int i, uint8_t gid[GID_BYTES])
{
	uint64_t guid;

	if (i >= FABRIC_GUIDS)
		return false;
	guid = element_get(MADKIT_GUID_INFO_GUID, i, port->end->guids);
	put_be64(gid, field_get(MADKIT_PORT_INFO_GID_PREFIX, port->info));
	put_be64(gid + 8, guid);
	return guid;
}

static int find_gid(const struct port *port, const uint8_t gid[GID_BYTES])
{
	uint8_t own[GID_BYTES];

	for (int i = 0; i < FABRIC_GUIDS; i++)
		if (address_get_gid(port, (unsigned int)i, own) && !memcmp(own, gid, GID_BYTES))
			return i;
	return gid[0] == MULTICAST_GID || get_be64(gid + 8) == SA_WELL_KNOWN_GUID ? 0 : NOWHERE;
}

static uint16_t address_get_pkey(const struct port *port, unsigned int i)
{
	return get_be16(port->end->pkeys + 2 * i);
}

/* Returns the index of the P_Key that matches the packet's, or 0 if it has been removed since the packet
 * arrived. */
static uint16_t find_pkey(const struct port *port, uint16_t pkey)
{
	int own = fabric_find_pkey(port, pkey);

	return own < 0 ? 0 : (uint16_t)own;
}

int host_head_make(const struct agent *agent, const struct madkit_addr *to, struct fabric_head *head)
{
	const struct host *host = agent->file->host;

	if (to->pkey_index >= FABRIC_PKEYS)
		return -EINVAL;
	*head = (struct fabric_head){
		.slid = (uint16_t)(field_get(MADKIT_PORT_INFO_LID, host->port->info) |
				   (to->path_bits & address_lmc_mask(host->port))),
		.dlid = (uint16_t)to->lid,
		.source_qp = agent->qp,
		.qp = to->qp,
		/* umad ignores the Q_Key in to */
		.qkey = agent->qp ? MADKIT_QKEY_GSI : 0,
		.pkey = agent->qp ? address_get_pkey(host->port, to->pkey_index) : 0xffff,
		.sl = to->sl & 0xf,
		.grh = to->grh,
	};
	if (!to->grh)
		return 0;
	if (!address_get_gid(host->port, to->gid_index, head->sgid))
		return -EINVAL;
	memcpy(head->dgid, to->gid, GID_BYTES);
	head->hop_limit = to->hop_limit;
	head->traffic_class = to->traffic_class;
	head->flow_label = to->flow_label;
	return 0;
}

bool host_head_read(const struct host *host, const struct fabric_head *head, struct madkit_addr *from)
{
	int gid;

	*from = (struct madkit_addr){
		.lid = head->slid,
		.qp = head->source_qp,
		.sl = head->sl,
		.pkey_index = head->qp ? find_pkey(host->port, head->pkey) : 0,
	};
	if (lid_is_unicast(head->dlid))
		from->path_bits = (uint8_t)(head->dlid & address_lmc_mask(host->port));
	if (!head->grh)
		return true;
	gid = find_gid(host->port, head->dgid);
	if (gid == NOWHERE)
		return false;
	from->grh = true;
	memcpy(from->gid, head->sgid, GID_BYTES);
	from->gid_index = (uint8_t)gid;
	from->hop_limit = 0xff; /* for the response */
	from->traffic_class = head->traffic_class;
	from->flow_label = head->flow_label;
	return true;
}

void host_head_answer(const struct port *port, const struct fabric_head *head, struct fabric_head *answer)
{
	int gid;

	*answer = *head;
	answer->dlid = head->slid;
	answer->slid = lid_is_unicast(head->dlid) ? head->dlid :
						    (uint16_t)field_get(MADKIT_PORT_INFO_LID, port->info);
	if (head->qp)
		answer->pkey = address_get_pkey(port, find_pkey(port, head->pkey));
	answer->qp = head->source_qp;
	answer->source_qp = head->qp ? 1 : 0;
	answer->hop_limit = 0xff;
	if (!head->grh)
		return;
	gid = find_gid(port, head->dgid);
	address_get_gid(port, gid == NOWHERE ? 0 : (unsigned int)gid, answer->sgid);
	memcpy(answer->dgid, head->sgid, GID_BYTES);
}
