/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include "health/managers.h"
#include "health/problem.h"
#include "sweep/identity.h"
#include "util/array.h"
#include "wire/access.h"

enum { MANAGER_MASTER = 3 }; /* SMInfo.SMState */

/* Calls for each end port that was read: returns the next one from *at on, or false. */
static bool managers_next_port(const struct madkit_health *h, struct sweep_place *at)
{
	for (; at->node < h->sweep->nnodes; at->node++, at->port = 0) {
		const struct madkit_sweep_node *n = health_node(h, at->node);
		const bool is_switch = n->type == MADKIT_NODE_TYPE_SWITCH;

		if (!at->port && !is_switch)
			at->port = 1;
		for (; at->port <= (is_switch ? 0 : n->nports); at->port++)
			if (n->ports[at->port].state == MADKIT_SWEEP_ANSWERED)
				return true;
	}
	return false;
}

int managers_list(struct madkit_health *h)
{
	uint32_t managers_cap = 0;

	free(h->managers);
	h->managers = NULL;
	h->nmanagers = 0;
	for (struct sweep_place at = { 0, 0 }; managers_next_port(h, &at); at.port++) {
		if (!(field_get(MADKIT_PORT_INFO_CAP_MASK, health_port(h, at)->info) & MADKIT_CAP_MASK_IS_SM))
			continue;
		if (health_add_port(h, at.node, at.port) ||
		    array_room(&h->managers, &managers_cap, h->nmanagers, 1, sizeof(*h->managers)))
			return -ENOMEM;
		h->managers[h->nmanagers++] = (struct health_manager){ .at = at };
	}
	return 0;
}

void managers_take(struct madkit_health *h, size_t at, const uint8_t *data)
{
	h->managers[at].answered = data;
	h->managers[at].state = data ? (uint8_t)field_get(MADKIT_SM_INFO_SM_STATE, data) : 0;
}

static size_t managers_masters(const struct madkit_health *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->nmanagers; i++)
		n += h->managers[i].answered && h->managers[i].state == MANAGER_MASTER;
	return n;
}

/* Returns the only master, or NULL. lids: those of its port. */
static const struct health_manager *managers_master(const struct madkit_health *h,
						    struct madkit_sweep_lids *lids)
{
	if (managers_masters(h) == 1)
		for (size_t i = 0; i < h->nmanagers; i++)
			if (h->managers[i].answered && h->managers[i].state == MANAGER_MASTER)
				return identity_lids(health_port(h, h->managers[i].at), lids) ?
					       &h->managers[i] :
					       NULL;
	return NULL;
}

/* Calls for each Active port whose SMLid is not among the LIDs: returns the next one from *at on, or false. */
static bool managers_next_stray(const struct madkit_health *h, const struct madkit_sweep_lids *lids,
				struct sweep_place *at)
{
	for (; managers_next_port(h, at); at->port++) {
		const uint8_t *info = health_port(h, *at)->info;
		const uint64_t sm = field_get(MADKIT_PORT_INFO_SM_LID, info);

		if (field_get(MADKIT_PORT_INFO_LINK_STATE, info) == MADKIT_PORT_STATE_ACTIVE &&
		    (sm < lids->first || sm > lids->last))
			return true;
	}
	return false;
}

bool managers_in_doubt(const struct madkit_health *h)
{
	struct sweep_place at = { 0, 0 };
	struct madkit_sweep_lids lids;

	return h->nmanagers && (managers_masters(h) != 1 ||
				(managers_master(h, &lids) && managers_next_stray(h, &lids, &at)));
}

int managers_list_strays(struct madkit_health *h)
{
	uint32_t strays_cap = 0;
	struct madkit_sweep_lids lids;

	if (!managers_master(h, &lids))
		return 0;
	for (struct sweep_place at = { 0, 0 }; managers_next_stray(h, &lids, &at); at.port++) {
		if (health_add_port(h, at.node, at.port) ||
		    array_room(&h->strays, &strays_cap, h->nstrays, 1, sizeof(*h->strays)))
			return -ENOMEM;
		h->strays[h->nstrays++] = (struct health_stray){ .at = at };
	}
	return 0;
}

void managers_take_stray(struct madkit_health *h, size_t at, const uint8_t *info)
{
	h->strays[at].is_active = field_get(MADKIT_PORT_INFO_LINK_STATE, info) == MADKIT_PORT_STATE_ACTIVE;
	h->strays[at].sm_lid = (uint16_t)field_get(MADKIT_PORT_INFO_SM_LID, info);
}

/* Checks if all of the subnet was found: otherwise, another manager may be where the sweep did not come. */
static bool managers_know_all(const struct madkit_health *h)
{
	struct madkit_sweep_counts counts;

	madkit_sweep_count(h->sweep, &counts);
	if (counts.missing || counts.silent)
		return false;
	/* a port whose PortInfo was not read may have one, too */
	for (uint32_t i = 0; i < h->sweep->nnodes; i++)
		for (unsigned int port = 0; port <= health_node(h, i)->nports; port++) {
			const uint8_t state = health_node(h, i)->ports[port].state;

			if (state == MADKIT_SWEEP_SILENT || state == MADKIT_SWEEP_REFUSED)
				return false;
		}
	return true;
}

static int managers_judge_none(struct madkit_health *h)
{
	struct problem_draft d = problem_draft(h, RULE_SM, MADKIT_SEVERITY_CRITICAL);
	const struct health_manager *silent = NULL;

	for (size_t i = 0; i < h->nmanagers; i++)
		if (!h->managers[i].answered)
			silent = &h->managers[i];
	if (silent)
		d.ends[0] = (struct madkit_health_place){ silent->at.node, silent->at.port };
	madkit_buf_str(&h->text, silent ? "no subnet manager is master: this one does not respond to SMInfo" :
				 h->nmanagers ? "no subnet manager is master" :
						"no port has a subnet manager");
	if (!managers_know_all(h))
		madkit_buf_str(&h->text, ", as far as nodes have responded");
	return problem_add(h, &d);
}

static int managers_judge_several(struct madkit_health *h, size_t masters)
{
	struct problem_draft d = problem_draft(h, RULE_SM, MADKIT_SEVERITY_CRITICAL);
	unsigned int end = 0;

	for (size_t i = 0; i < h->nmanagers && end < 2; i++)
		if (h->managers[i].answered && h->managers[i].state == MANAGER_MASTER)
			d.ends[end++] = (struct madkit_health_place){ h->managers[i].at.node,
								      h->managers[i].at.port };
	problem_put_number(d.value, masters);
	stpcpy(d.limit, "1");
	madkit_buf_printf(&h->text, "%s subnet managers are master", d.value);
	return problem_add(h, &d);
}

/* Judges the ports that have another SMLid than the LID of the master, in the second reading too. */
static int managers_judge_strays(struct madkit_health *h)
{
	struct madkit_sweep_lids lids;
	int ret = 0;

	if (!managers_master(h, &lids))
		return 0;
	for (size_t i = 0; i < h->nstrays && !ret; i++) {
		const struct health_stray *stray = &h->strays[i];
		struct problem_draft d;

		if (!stray->is_active || (stray->sm_lid >= lids.first && stray->sm_lid <= lids.last))
			continue;
		d = problem_of_port(h, RULE_SM, MADKIT_SEVERITY_WARNING, stray->at.node, stray->at.port);
		problem_put_number(d.value, stray->sm_lid);
		problem_put_number(d.limit, lids.base);
		madkit_buf_printf(&h->text, "SMLid is %s, but the master has LID %s", d.value, d.limit);
		ret = problem_add(h, &d);
	}
	return ret;
}

int managers_judge(struct madkit_health *h)
{
	const size_t masters = managers_masters(h);

	/* in the last reading */
	for (size_t i = 0; i < h->nmanagers; i++)
		if (!h->managers[i].answered)
			problem_leave(h, RULE_SM, h->managers[i].at.node, h->managers[i].at.port,
				      "no response");
	if (!masters)
		return managers_judge_none(h);
	if (masters > 1)
		return managers_judge_several(h, masters);
	return managers_judge_strays(h);
}
