/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "health/problem.h"
#include "health/thresholds.h"
#include "util/array.h"
#include "wire/access.h"

/* A counter that is above its limit, of a port. */
struct health_count {
	struct sweep_place at;
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

int thresholds_list(struct madkit_health *h)
{
	uint32_t cap = 0;

	free(h->ports);
	h->ports = NULL;
	h->nports = 0;
	for (uint32_t i = 0; i < h->sweep->nnodes; i++) {
		const struct madkit_sweep_node *n = health_node(h, i);

		for (unsigned int port = 1; port <= n->nports; port++) {
			const struct madkit_survey_port p = { i, (uint8_t)port, 0 };

			if (n->ports[port].state != MADKIT_SWEEP_ANSWERED ||
			    field_get(MADKIT_PORT_INFO_LINK_STATE, n->ports[port].info) <
				    MADKIT_PORT_STATE_INITIALIZE)
				continue;
			if (madkit_survey_no_lid(h->sweep, &p)) {
				problem_leave(h, RULE_COUNTERS, i, (int)port);
				continue;
			}
			if (array_room(&h->ports, &cap, h->nports, 1, sizeof(*h->ports)))
				return -ENOMEM;
			h->ports[h->nports++] = p;
		}
	}
	return 0;
}

void thresholds_take(struct madkit_health *h, size_t at, const uint8_t *data)
{
	const struct madkit_survey_port *p = &h->ports[at];

	for (unsigned int i = 0; i < RULE_THRESHOLDS; i++) {
		const uint64_t value = field_get(thresholds_fields[i], data);

		if (value <= h->settings.limits[RULE_COUNTERS][i])
			continue;
		if (array_room(&h->over, &h->over_cap, h->nover, 1, sizeof(*h->over))) {
			h->error = -ENOMEM;
			return;
		}
		h->over[h->nover++] =
			(struct health_count){ { p->node, p->port }, (uint8_t)i, (uint32_t)value };
	}
}

/* Adds one problem for n counters of a port. */
static int thresholds_judge_port(struct madkit_health *h, const struct health_count *counts, uint32_t n)
{
	const struct madkit_sweep_port *p = health_port(h, counts[0].at);
	size_t all;
	const struct madkit_rule *rule = &madkit_health_rules(&all)[RULE_COUNTERS];
	struct problem_draft d = problem_of_port(h, RULE_COUNTERS, MADKIT_SEVERITY_WARNING, counts[0].at.node,
						 counts[0].at.port);

	if (p->peer != MADKIT_SWEEP_NONE) {
		d.ends[1] = (struct madkit_health_place){ p->peer, p->peer_port };
		d.link = d.of_first = true;
	}
	problem_put_number(d.value, counts[0].value);
	problem_put_number(d.limit, h->settings.limits[RULE_COUNTERS][counts[0].counter]);
	madkit_buf_str(&h->text, "at the first end: ");
	for (uint32_t i = 0; i < n; i++)
		madkit_buf_printf(&h->text, "%s%s %" PRIu32 " (limit %" PRIu64 ")", i ? ", " : "",
				  rule->limits[counts[i].counter].key, counts[i].value,
				  h->settings.limits[RULE_COUNTERS][counts[i].counter]);
	return problem_add(h, &d);
}

int thresholds_judge(struct madkit_health *h)
{
	int ret = h->error;

	for (uint32_t i = 0, n; i < h->nover && !ret; i += n) {
		for (n = 1; i + n < h->nover && h->over[i + n].at.node == h->over[i].at.node &&
			    h->over[i + n].at.port == h->over[i].at.port;)
			n++;
		ret = thresholds_judge_port(h, &h->over[i], n);
	}
	return ret;
}
