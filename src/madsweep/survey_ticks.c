/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/access.h>
#include <madkit/constants.h>
#include "survey_ticks.h"

enum {
	TICKS_KINDS = 256, /* ports of further kinds have no congestion */
	TICKS_TRIES = 3,   /* ports of a kind that are asked until one responds */
};

/* Ports that have ticks of the same length. */
struct ticks_kind {
	uint32_t vendor, revision;
	uint16_t device;
	uint64_t width, speed, speed_ext, speed_ext2; /* active, as in PortInfo */
	bool fdr10;
	unsigned int lanes; /* of the width; 0: not known */
	unsigned int tries;
	size_t next;   /* the first port of the scope that may be asked */
	double octets; /* of a tick; 0: not known yet */
};

/* Describes the kind of a port. Returns false if no tick is known of such a device. */
static bool ticks_describe(const struct scope *scope, size_t at, struct ticks_kind *kind)
{
	const struct madkit_sweep_node *node = madkit_sweep_node(scope->area.sweep, scope->ports[at].node);
	const struct madkit_sweep_port *port = &node->ports[scope->ports[at].port];
	const size_t len = sizeof(port->info);

	*kind = (struct ticks_kind){ .vendor = node->vendor,
				     .device = node->device,
				     .revision = node->revision,
				     .fdr10 = port->fdr10 & MADKIT_SWEEP_FDR10_ACTIVE,
				     .next = at };
	return madkit_counters_wait_octets(node->vendor, node->device, 1, 0) > 0 &&
	       port->state == MADKIT_SWEEP_ANSWERED &&
	       !madkit_get(port->info, len, MADKIT_PORT_INFO_LINK_WIDTH_ACTIVE, &kind->width) &&
	       !madkit_get(port->info, len, MADKIT_PORT_INFO_LINK_SPEED_ACTIVE, &kind->speed) &&
	       !madkit_get(port->info, len, MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE, &kind->speed_ext) &&
	       !madkit_get(port->info, len, MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE2, &kind->speed_ext2);
}

static bool ticks_are_alike(const struct ticks_kind *a, const struct ticks_kind *b)
{
	return a->vendor == b->vendor && a->device == b->device && a->revision == b->revision &&
	       a->width == b->width && a->speed == b->speed && a->speed_ext == b->speed_ext &&
	       a->speed_ext2 == b->speed_ext2 && a->fdr10 == b->fdr10;
}

/* Returns the number of a kind, which is new if no port before was of it; UINT32_MAX: there are too many. */
static uint32_t ticks_number(struct survey_ticks *t, const struct ticks_kind *kind)
{
	struct madkit_sweep_record record;

	for (uint32_t i = 0; i < t->n; i++)
		if (ticks_are_alike(&t->kinds[i], kind))
			return i;
	if (t->n == TICKS_KINDS)
		return UINT32_MAX;
	t->kinds[t->n] = *kind;
	scope_record(t->of, &t->of->ports[kind->next], &record);
	t->kinds[t->n].lanes = difference_lanes(&record.record, "width");
	return t->n++;
}

int survey_ticks_begin(struct survey_ticks *t, const struct scope *scope)
{
	*t = (struct survey_ticks){ .of = scope, .chosen = *scope };
	/* the ports are asked in no order */
	t->chosen.routes = NULL;
	t->kinds = calloc(TICKS_KINDS, sizeof(*t->kinds));
	t->kind_of = calloc(scope->n + 1, sizeof(*t->kind_of));
	t->asked = calloc(TICKS_KINDS, sizeof(*t->asked));
	t->chosen.ports = calloc(TICKS_KINDS, sizeof(*t->chosen.ports));
	if (!t->kinds || !t->kind_of || !t->asked || !t->chosen.ports)
		return -ENOMEM;
	for (size_t at = 0; at < scope->n; at++) {
		struct ticks_kind kind;

		t->kind_of[at] = ticks_describe(scope, at, &kind) ? ticks_number(t, &kind) : UINT32_MAX;
	}
	return 0;
}

void survey_ticks_free(struct survey_ticks *t)
{
	free(t->kinds);
	free(t->kind_of);
	free(t->asked);
	free(t->chosen.ports);
	*t = (struct survey_ticks){ .n = 0 };
}

const struct scope *survey_ticks_next(struct survey_ticks *t)
{
	t->chosen.n = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		struct ticks_kind *k = &t->kinds[i];

		while (k->next < t->of->n && t->kind_of[k->next] != i)
			k->next++;
		if (k->octets > 0 || k->next == t->of->n || k->tries++ == TICKS_TRIES)
			continue;
		t->asked[t->chosen.n] = k->next;
		t->chosen.ports[t->chosen.n++] = t->of->ports[k->next++];
	}
	return t->chosen.n ? &t->chosen : NULL;
}

void survey_ticks_take(struct survey_ticks *t, size_t at, const struct answer *a, size_t offset)
{
	struct ticks_kind *k = &t->kinds[t->kind_of[t->asked[at]]];
	uint64_t tick;

	if (difference_tick(a, offset, &tick))
		k->octets = madkit_counters_wait_octets(k->vendor, k->device, k->lanes, tick);
}

double survey_ticks_octets(const struct survey_ticks *t, size_t at)
{
	return t->kind_of[at] == UINT32_MAX ? 0 : t->kinds[t->kind_of[at]].octets;
}

bool survey_ticks_any(const struct survey_ticks *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (t->kinds[i].octets > 0)
			return true;
	return false;
}
