/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <madkit/mad.h>
#include <madkit/registry.h>
#include "transport/filter.h"
#include "transport/refusal.h"
#include "wire/access.h"

static bool filter_overlap(const struct madkit_agent_attr *a, const struct madkit_agent_attr *b)
{
	return a->mgmt_class == b->mgmt_class && a->class_version == b->class_version &&
	       (!madkit_class_is_vendor2(a->mgmt_class) || a->oui == b->oui);
}

static bool find_taken(const struct filter *filter, const struct madkit_agent_attr *attr, uint64_t taken[2])
{
	for (unsigned int i = 0; i < FILTER_AGENTS; i++) {
		const struct filter_agent *other = &filter->agents[i];

		for (int half = 0; half < 2; half++)
			if (other->tid_high && filter_overlap(&other->attr, attr))
				taken[half] |= other->attr.method_mask[half] & attr->method_mask[half];
	}
	return taken[0] || taken[1];
}

int filter_add(struct filter *filter, const struct madkit_agent_attr *attr, uint32_t *id,
	       struct madkit_refusal *refusal)
{
	struct madkit_agent_attr checked = *attr;
	uint32_t i = 0;

	/* in the kernel, class 0 only sends; here, such an agent may have methods and flags */
	if (!attr->mgmt_class) {
		checked.method_mask[0] = checked.method_mask[1] = 0;
		checked.flags = 0;
	}
	if (refusal_from_request(&checked, EINVAL, refusal))
		return refusal->error.code;
	if (madkit_class_is_smi(attr->mgmt_class))
		return refusal_set(refusal, MADKIT_REFUSAL_NO_SMI, EPROTONOSUPPORT,
				   "a UD QP carries no subnet management packets");
	if (find_taken(filter, attr, refusal->taken))
		return refusal_taken(refusal, attr->mgmt_class, EBUSY);
	while (i < FILTER_AGENTS && filter->agents[i].tid_high)
		i++;
	if (i == FILTER_AGENTS)
		return refusal_set(refusal, MADKIT_REFUSAL_AGENTS, ENOMEM, "no room: a port has %d agents",
				   FILTER_AGENTS);
	if (!++filter->last_tid_high)
		filter->last_tid_high++;
	filter->agents[i].attr = *attr;
	filter->agents[i].tid_high = filter->last_tid_high;
	*id = i;
	return 0;
}

void filter_remove(struct filter *filter, uint32_t id)
{
	filter->agents[id].tid_high = 0;
}

uint32_t filter_tid_high(const struct filter *filter, uint32_t id, const uint8_t *mad, size_t len)
{
	return madkit_mad_is_response(mad, len) ? 0 : filter->agents[id].tid_high;
}

bool filter_takes(const struct madkit_agent_attr *attr, const uint8_t *mad, size_t len)
{
	struct madkit_header h;

	return !madkit_header_get(mad, len, &h) && attr->mgmt_class == h.mgmt_class &&
	       attr->class_version == h.class_version &&
	       madkit_method_mask_has(attr->method_mask, h.method) &&
	       (!madkit_class_is_vendor2(h.mgmt_class) || attr->oui == oui_get(mad, len));
}

bool filter_find(const struct filter *filter, const uint8_t *mad, size_t len, uint32_t *id)
{
	uint32_t all = FILTER_AGENTS;
	struct madkit_header h;

	if (madkit_header_get(mad, len, &h))
		return false;
	for (uint32_t i = 0; i < FILTER_AGENTS; i++) {
		const struct filter_agent *agent = &filter->agents[i];

		if (!agent->tid_high)
			continue;
		if (madkit_mad_is_response(mad, len) ? agent->tid_high == h.tid >> 32 :
						       filter_takes(&agent->attr, mad, len)) {
			*id = i;
			return true;
		}
		if (!agent->attr.mgmt_class && all == FILTER_AGENTS)
			all = i;
	}
	*id = all;
	return all < FILTER_AGENTS && !madkit_mad_is_response(mad, len);
}
