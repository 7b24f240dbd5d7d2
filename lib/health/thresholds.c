/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "health/problem.h"
#include "health/thresholds.h"
#include "util/array.h"
#include "wire/access.h"

/* An end of a link, with the GUID of its node. */
struct health_end {
	struct sweep_place at;
	uint64_t guid;
};

/* A counter that is above its limit, of a port. */
struct health_count {
	struct health_end end;
	struct health_end
		link; /* the end that is first by GUID and port; if the other one is not known, the same */
	uint8_t counter;
	uint32_t value;
};

/* In the order of the limits of the rule. */
static const uint64_t thresholds_fields[RULE_THRESHOLDS] = {
	MADKIT_PORT_COUNTERS_SYMBOL_ERROR_COUNTER,
	MADKIT_PORT_COUNTERS_LINK_ERROR_RECOVERY_COUNTER,
	MADKIT_PORT_COUNTERS_LINK_DOWNED_COUNTER,
	MADKIT_PORT_COUNTERS_PORT_RCV_ERRORS,
	MADKIT_PORT_COUNTERS_PORT_RCV_REMOTE_PHYSICAL_ERRORS,
	MADKIT_PORT_COUNTERS_PORT_RCV_SWITCH_RELAY_ERRORS,
	MADKIT_PORT_COUNTERS_PORT_XMIT_DISCARDS,
	MADKIT_PORT_COUNTERS_PORT_XMIT_CONSTRAINT_ERRORS,
	MADKIT_PORT_COUNTERS_PORT_RCV_CONSTRAINT_ERRORS,
	MADKIT_PORT_COUNTERS_LOCAL_LINK_INTEGRITY_ERRORS,
	MADKIT_PORT_COUNTERS_EXCESSIVE_BUFFER_OVERRUN_ERRORS,
	MADKIT_PORT_COUNTERS_VL15_DROPPED,
	MADKIT_PORT_COUNTERS_PORT_XMIT_WAIT,
};

int thresholds_list(struct madkit_health *h, enum rule_number rule)
{
	for (uint32_t i = 0; i < h->sweep->nnodes; i++) {
		const struct madkit_sweep_node *n = health_node(h, i);

		for (unsigned int port = 1; port <= n->nports; port++) {
			const struct madkit_survey_port p = { i, (uint8_t)port, 0 };

			if (n->ports[port].state != MADKIT_SWEEP_ANSWERED ||
			    field_get(MADKIT_PORT_INFO_LINK_STATE, n->ports[port].info) <
				    MADKIT_PORT_STATE_INITIALIZE)
				continue;
			if (madkit_survey_no_lid(h->sweep, &p)) {
				problem_leave(h, rule, i, (int)port, "no LID, or a shared one");
				continue;
			}
			if (health_add_port(h, i, port))
				return -ENOMEM;
		}
	}
	return 0;
}

static int thresholds_compare_ends(const struct health_end *a, const struct health_end *b)
{
	if (a->guid != b->guid)
		return a->guid < b->guid ? -1 : 1;
	if (a->at.node != b->at.node)
		return a->at.node < b->at.node ? -1 : 1;
	return a->at.port - b->at.port;
}

static struct health_end thresholds_end(const struct madkit_health *h, uint32_t node, uint8_t port)
{
	return (struct health_end){ { node, port }, health_node(h, node)->guid };
}

void thresholds_take(struct madkit_health *h, size_t at, const uint8_t *data)
{
	const struct health_end end = thresholds_end(h, h->ports[at].node, h->ports[at].port);
	const struct madkit_sweep_port *p = health_port(h, end.at);
	struct health_end link = end;

	if (p->peer != MADKIT_SWEEP_NONE)
		link = thresholds_end(h, p->peer, p->peer_port);
	if (thresholds_compare_ends(&end, &link) < 0)
		link = end;
	for (unsigned int i = 0; i < RULE_THRESHOLDS; i++) {
		const uint64_t value = field_get(thresholds_fields[i], data);

		if (value <= h->settings.limits[RULE_COUNTERS][i])
			continue;
		if (array_room(&h->over, &h->over_cap, h->nover, 1, sizeof(*h->over))) {
			h->error = -ENOMEM;
			return;
		}
		h->over[h->nover++] = (struct health_count){ end, link, (uint8_t)i, (uint32_t)value };
	}
}

/* Orders counters by link, then by end. */
static int thresholds_compare(const void *a, const void *b)
{
	const struct health_count *p = a, *q = b;
	const int links = thresholds_compare_ends(&p->link, &q->link);
	const int ends = links ? links : thresholds_compare_ends(&p->end, &q->end);

	return ends ? ends : p->counter - q->counter;
}

/* Checks if a counter has its greatest value, at which it stops. */
static bool thresholds_is_full(const struct health_count *count)
{
	return count->value == UINT32_MAX >> (32 - at_width(thresholds_fields[count->counter]));
}

/* Adds one problem for n counters of a link, of one of its ends or of both. */
static int thresholds_judge_link(struct madkit_health *h, const struct health_count *counts, uint32_t n)
{
	const struct sweep_place at = counts[0].end.at;
	const struct madkit_sweep_port *p = health_port(h, at);
	size_t all;
	const struct madkit_rule *rule = &madkit_health_rules(&all)[RULE_COUNTERS];
	struct problem_draft d = problem_of_port(h, RULE_COUNTERS, MADKIT_SEVERITY_WARNING, at.node, at.port);

	if (p->peer != MADKIT_SWEEP_NONE) {
		d.ends[1] = (struct madkit_health_place){ p->peer, p->peer_port };
		d.link = true;
	}
	problem_put_number(d.value, counts[0].value);
	problem_put_number(d.limit, h->settings.limits[RULE_COUNTERS][counts[0].counter]);
	madkit_buf_str(&h->text, "at the first end: ");
	for (uint32_t i = 0; i < n; i++)
		madkit_buf_printf(&h->text, "%s%s %s%" PRIu32 " (limit %" PRIu64 ")",
				  !i ? "" :
				  !thresholds_compare_ends(&counts[i].end, &counts[i - 1].end) ?
				       ", " :
				       "; at the other: ",
				  rule->limits[counts[i].counter].key,
				  thresholds_is_full(&counts[i]) ? ">= " : "", counts[i].value,
				  h->settings.limits[RULE_COUNTERS][counts[i].counter]);
	return problem_add(h, &d);
}

int thresholds_judge(struct madkit_health *h)
{
	int ret = 0;

	if (h->nover)
		qsort(h->over, h->nover, sizeof(*h->over), thresholds_compare);
	for (uint32_t i = 0, n; i < h->nover && !ret; i += n) {
		for (n = 1;
		     i + n < h->nover && !thresholds_compare_ends(&h->over[i + n].link, &h->over[i].link);)
			n++;
		ret = thresholds_judge_link(h, &h->over[i], n);
	}
	return ret;
}
