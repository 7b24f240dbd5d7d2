/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where an answer redirects to. */
#include <errno.h>
#include <string.h>
#include <madkit/cpi.h>
#include <madkit/constants.h>
#include <madkit/mad.h>
#include <madkit/redirect.h>
#include <madkit/registry.h>
#include "agent/internal.h"

enum { GID_MULTICAST = 0xff, HOP_LIMIT_MAX = 255, QP0 = 0, QP1 = 1 };

static bool is_same_place(const struct madkit_addr *a, const struct madkit_addr *b)
{
	uint32_t qkey_a = a->qp == QP1 ? MADKIT_QKEY_GSI : a->qkey;
	uint32_t qkey_b = b->qp == QP1 ? MADKIT_QKEY_GSI : b->qkey;

	return a->lid == b->lid && a->qp == b->qp && qkey_a == qkey_b &&
	       (!a->grh || !b->grh || !memcmp(a->gid, b->gid, sizeof(a->gid)));
}

int madkit_redirect_target(const uint8_t *mad, size_t len, const struct madkit_addr *asked,
			   struct madkit_addr *to)
{
	static const uint8_t no_gid[16];
	struct madkit_cpi_target target;
	struct madkit_header h;
	size_t begin;
	bool opa;

	if (madkit_header_get(mad, len, &h))
		return -EPROTO;
	if (h.attribute != MADKIT_ATTR_CLASS_PORT_INFO)
		return -ENOENT;
	opa = h.base_version == MADKIT_BASE_VERSION_OPA;
	begin = madkit_attribute_offset(h.base_version, h.mgmt_class, NULL);
	if (len < begin + (opa ? MADKIT_CPI_OPA_BYTES : MADKIT_CPI_BYTES))
		return -EPROTO;
	if (!madkit_cpi_get_redirect(mad + begin, opa, &target))
		return -ENOENT;
	if (target.qp == QP0 || target.gid[0] == GID_MULTICAST ||
	    (target.lid >= LID_MULTICAST && (!opa || target.lid <= UINT16_MAX)))
		return -EPROTO;
	*to = *asked;
	to->lid = target.lid;
	to->sl = target.sl;
	to->qp = target.qp;
	to->qkey = target.qp == QP1 ? MADKIT_QKEY_GSI : target.qkey;
	to->pkey = target.pkey;
	to->grh = memcmp(target.gid, no_gid, sizeof(no_gid)) && (asked->grh || !target.lid);
	if (to->grh) {
		memcpy(to->gid, target.gid, sizeof(to->gid));
		to->traffic_class = target.traffic_class;
		to->flow_label = target.flow_label;
		if (!asked->grh)
			to->hop_limit = HOP_LIMIT_MAX;
	}
	return is_same_place(asked, to) ? -ELOOP : 0;
}
