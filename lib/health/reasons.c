/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "health/reasons.h"
#include "wire/tables/tables.h"

enum { REASON_BLAME_LOCAL = 1, REASON_BLAME_REMOTE = 2, REASON_UNKNOWN = 1 };

/* Returns the reason of an end: as it reports it, else as the other end does; 0: not known. */
static uint8_t reason_of_end(const struct gauge_down *own, const struct gauge_down *other)
{
	if (own && own->local > REASON_UNKNOWN)
		return own->local;
	return other && other->remote > REASON_UNKNOWN ? other->remote : 0;
}

enum reason_side reason_choose(const struct gauge_down *near, const struct gauge_down *far, uint8_t *reason)
{
	const struct gauge_down *ends[2] = { near, far };
	bool blamed = false;

	*reason = 0;
	for (unsigned int i = 0; i < 2 && !*reason; i++) {
		unsigned int side;

		if (!ends[i] ||
		    (ends[i]->blame != REASON_BLAME_LOCAL && ends[i]->blame != REASON_BLAME_REMOTE))
			continue;
		blamed = true;
		side = ends[i]->blame == REASON_BLAME_LOCAL ? i : !i;
		*reason = reason_of_end(ends[side], ends[!side]);
		if (*reason)
			return side ? REASON_REMOTE : REASON_LOCAL;
	}
	for (unsigned int side = 0; side < 2 && !blamed; side++) {
		*reason = reason_of_end(ends[side], ends[!side]);
		if (*reason)
			return side ? REASON_REMOTE : REASON_LOCAL;
	}
	return REASON_NONE;
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
	const char *name;
	uint8_t reason;
	const enum reason_side side = reason_choose(gauge_has(near, GAUGE_REASON) ? &near->down : NULL,
						    gauge_has(far, GAUGE_REASON) ? &far->down : NULL,
						    &reason);

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
