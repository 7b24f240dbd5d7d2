/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Converts addresses between libibverbs and madkit. */
#include <errno.h>
#include <string.h>
#include <madkit/mad.h>
#include "transport/verbs_qp.h"
#include "util/bits.h"

enum {
	/* a GRH is an IPv6 header; RoCE on IPv4 has the IPv4 header in its last bytes */
	GRH_SOURCE = 8,
	GRH_DESTINATION = 24,
	IPV4 = 20,
	IPV4_TOS = IPV4 + 1,
	IPV4_SOURCE = IPV4 + 12,
	IPV4_DESTINATION = IPV4 + 16,
	/* for responses: the hop limit of a request may be nearly used up when it arrives */
	HOP_LIMIT_RESPONSE = 255,
};

void verbs_address_to(const struct verbs_qp *v, const struct madkit_addr *to, struct ibv_ah_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->dlid = (uint16_t)to->lid;
	attr->sl = to->sl;
	attr->src_path_bits = to->path_bits;
	attr->port_num = (uint8_t)v->info.port;
	if (!to->grh)
		return;
	attr->is_global = 1;
	memcpy(attr->grh.dgid.raw, to->gid, sizeof(to->gid));
	attr->grh.flow_label = to->flow_label;
	attr->grh.sgid_index = to->gid_index;
	attr->grh.hop_limit = to->hop_limit;
	attr->grh.traffic_class = to->traffic_class;
}

uint32_t verbs_address_qkey(const struct verbs_qp *v, const struct madkit_addr *to)
{
	if (to->qkey)
		return to->qkey;
	return to->qp == 1 ? MADKIT_QKEY_GSI : v->info.qkey;
}

/* Returns the index of the port's own GID; if it has several, that of the newest RoCE version; 0 if there is
 * none. */
static uint8_t address_own_index(struct verbs_qp *v, const uint8_t gid[16])
{
	struct ibv_port_attr port;
	struct ibv_gid_entry entry;
	uint32_t type = 0;

	if (v->own_gid_index >= 0 && !memcmp(v->own_gid, gid, 16))
		return (uint8_t)v->own_gid_index;
	v->own_gid_index = -1;
	if (verbs_library_query_port(&v->lib, v->qp->context, v->info.port, &port))
		return 0;
	for (int i = 0; i < port.gid_tbl_len && i <= UINT8_MAX; i++) {
		if (v->lib._ibv_query_gid_ex(v->qp->context, v->info.port, (uint32_t)i, &entry, 0,
					     sizeof(entry)) ||
		    memcmp(entry.gid.raw, gid, 16) || (v->own_gid_index >= 0 && entry.gid_type <= type))
			continue;
		type = entry.gid_type;
		v->own_gid_index = i;
	}
	memcpy(v->own_gid, gid, 16);
	return v->own_gid_index < 0 ? 0 : (uint8_t)v->own_gid_index;
}

static void address_is_mapped(const uint8_t ip[4], uint8_t gid[16])
{
	memset(gid, 0, 10);
	gid[10] = gid[11] = 0xff;
	memcpy(gid + 12, ip, 4);
}

void verbs_address_from(struct verbs_qp *v, const struct ibv_wc *wc, const uint8_t *buffer,
			struct madkit_addr *from)
{
	uint8_t own[16];

	memset(from, 0, sizeof(*from));
	from->lid = wc->slid;
	from->sl = wc->sl;
	from->path_bits = wc->dlid_path_bits;
	from->qp = wc->src_qp;
	from->qkey = v->info.qkey;
	from->pkey_index = v->info.pkey_index;
	from->grh = wc->wc_flags & IBV_WC_GRH;
	if (!from->grh)
		return;
	if (buffer[0] >> 4 != 6 && buffer[IPV4] >> 4 == 4) {
		address_is_mapped(buffer + IPV4_SOURCE, from->gid);
		address_is_mapped(buffer + IPV4_DESTINATION, own);
		from->traffic_class = buffer[IPV4_TOS];
	} else {
		memcpy(from->gid, buffer + GRH_SOURCE, 16);
		memcpy(own, buffer + GRH_DESTINATION, 16);
		from->traffic_class = (uint8_t)(get_be32(buffer) >> 20);
		from->flow_label = get_be32(buffer) & 0xfffff;
	}
	from->hop_limit = HOP_LIMIT_RESPONSE;
	from->gid_index = address_own_index(v, own);
}

int verbs_mad_len(const struct ibv_wc *wc, size_t size, size_t *len)
{
	if (wc->byte_len > size || wc->byte_len < VERBS_GRH_BYTES + MADKIT_HEADER_BYTES ||
	    wc->byte_len > VERBS_GRH_BYTES + MADKIT_FRAME_BYTES)
		return -EINVAL;
	*len = wc->byte_len - VERBS_GRH_BYTES;
	return 0;
}
