/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "health/reasons.h"
#include "wire/tables/tables.h"

enum { REASON_BLAME_LOCAL = 1, REASON_BLAME_REMOTE = 2, REASON_UNKNOWN = 1 };

enum reason_side reason_choose(const struct gauge_down *down, uint8_t *reason)
{
	const bool local = down->local > REASON_UNKNOWN, remote = down->remote > REASON_UNKNOWN;

	*reason = 0;
	if (!local && !remote)
		return REASON_NONE;
	if (local && (!remote || down->blame != REASON_BLAME_REMOTE)) {
		*reason = down->local;
		return REASON_LOCAL;
	}
	*reason = down->remote;
	return REASON_REMOTE;
}

/* Checks if the node is known to have the registers: to find that out only for this would take requests to nodes that do
 * not respond to the class. */
static bool reason_is_available(const struct madkit_health *h, struct sweep_place at)
{
	const struct madkit_survey_port port = { at.node, at.port, 0 };

	if (at.node == MADKIT_SWEEP_NONE)
		return false;
	return ((h->firmware && h->firmware[at.node].registers) ||
		madkit_registers_get(h->registers, at.node).state == MADKIT_REGISTERS_READY) &&
	       !madkit_survey_no_lid(h->sweep, &port);
}

/* Checks if a port is in the list. */
static bool reason_is_listed(const struct madkit_health *h, struct sweep_place at)
{
	for (uint32_t i = 0; i < h->nports; i++)
		if (h->ports[i].node == at.node && h->ports[i].port == at.port)
			return true;
	return false;
}

int reasons_add(struct madkit_health *h, struct sweep_place a, struct sweep_place b)
{
	const struct sweep_place ends[2] = { a, b };
	int ret = gauges_new(h);

	for (unsigned int i = 0; i < 2 && !ret && h->nports < 2u * REASONS_LINKS; i++)
		if (reason_is_available(h, ends[i]) && !reason_is_listed(h, ends[i]))
			ret = health_add_port(h, ends[i].node, ends[i].port);
	return ret;
}

void reasons_put(struct madkit_buf *text, const struct madkit_health *h, struct sweep_place a,
		 struct sweep_place b)
{
	const struct gauge *near = gauges_get(h, a), *far = gauges_get(h, b);
	enum reason_side side = REASON_NONE;
	const char *name;
	uint8_t reason;

	if (gauge_has(near, GAUGE_REASON))
		side = reason_choose(&near->down, &reason);
	if (side == REASON_NONE && gauge_has(far, GAUGE_REASON)) {
		side = reason_choose(&far->down, &reason);
		if (side != REASON_NONE)
			side = side == REASON_LOCAL ? REASON_REMOTE : REASON_LOCAL;
	}
	if (side == REASON_NONE)
		return;
	name = madkit_value_name(madkit_values_link_down_reason, reason);
	madkit_buf_str(text, ", last link-down: ");
	if (name)
		madkit_buf_str(text, name);
	else
		madkit_buf_printf(text, "reason %u", reason);
	madkit_buf_str(text, side == REASON_LOCAL ? " (local)" : " (remote)");
}
