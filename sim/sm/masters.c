/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Mastership (IBA volume 1, section 14.4). This manager yields: as master, it offers mastership to each
 * manager that appears later, whatever its priority. By the IBA, a manager with the same priority and a
 * higher GUID would have to give it back at once. This manager therefore then reports "not active", which
 * a master ignores.
 */
#include <errno.h>
#include <stdlib.h>
#include "sim/sm/internal.h"
#include "util/array.h"

enum { MISSES_MAX = 3, WATCHES_MAX = 10 };

#define POLL NS_PER_S

void sm_report(struct sm *sm, struct sim_event event)
{
	event.node = sm->node;
	event.port = sm->port;
	hosts_report(sm->hosts, &event);
}

void sm_report_state(struct sm *sm)
{
	static const char *const names[] = {
		[SM_DISCOVERING] = "discovering",
		[SM_STANDBY] = "standby",
		[SM_MASTER] = "master",
		[SM_NOT_ACTIVE] = "not-active",
	};

	sm_report(sm, (struct sim_event){ .kind = EVENT_SM_STATE, .name = names[sm->state] });
}

void sm_set_state(struct sm *sm, enum sm_state state)
{
	bool is_new = sm->state != state;

	sm->state = state;
	sm->missed = 0;
	sm->handing = false;
	sm->watch_due = UINT64_MAX;
	sm->poll_due = state == SM_STANDBY ? sm->now + POLL : UINT64_MAX;
	if (state != SM_STANDBY)
		sm->quiet = false;
	if (state != SM_MASTER) {
		sa_free(sm->sa);
		sm->sa = NULL;
		sm->fresh = true;
	}
	if (state == SM_STANDBY || state == SM_NOT_ACTIVE)
		sm->sweep_due = UINT64_MAX;
	sm->light_due = UINT64_MAX;
	sm->first = state == SM_MASTER;
	if (is_new)
		sm_report_state(sm);
}

void sm_sweep_soon(struct sm *sm, uint64_t delay)
{
	if (sm->now + delay < sm->sweep_due)
		sm->sweep_due = sm->now + delay;
}

void sm_discover_anew(struct sm *sm)
{
	sm->forced = false;
	sm_set_state(sm, SM_DISCOVERING);
	sm_sweep_soon(sm, 0);
}

/* ---- other managers --------------------------------------------------------------------- */

void sm_add_remote(struct sm *sm, uint32_t port, const uint8_t *info)
{
	int ret = array_room(&sm->remotes, &sm->remotes_cap, sm->nremotes, 1, sizeof(*sm->remotes));

	if (ret) {
		sm->error = ret;
		return;
	}
	/* a manager that does not respond is starting or ending */
	sm->remotes[sm->nremotes++] = (struct sm_remote){
		.guid = sm->on->s.ports[port].guid,
		.port = port,
		.priority = info ? (uint8_t)field_get(MADKIT_SM_INFO_PRIORITY, info) : 0,
		.state = info ? (uint8_t)field_get(MADKIT_SM_INFO_SM_STATE, info) : SAYS_DISCOVERING,
	};
}

static bool masters_is_known(const struct sm *sm, uint64_t guid)
{
	for (uint32_t i = 0; i < sm->nknown; i++)
		if (sm->known[i] == guid)
			return true;
	return false;
}

/* Marks the managers that were present when we were given mastership. Those that are gone are forgotten. */
static void masters_recognize(struct sm *sm)
{
	uint64_t *known = malloc((sm->nremotes ? sm->nremotes : 1) * sizeof(*known));
	uint32_t n = 0;

	if (!known) {
		sm->error = -ENOMEM;
		return;
	}
	for (uint32_t i = 0; i < sm->nremotes; i++) {
		struct sm_remote *r = &sm->remotes[i];

		r->known = sm->forced || masters_is_known(sm, r->guid);
		if (r->known)
			known[n++] = r->guid;
	}
	free(sm->known);
	sm->known = known;
	sm->nknown = n;
	sm->forced = false;
}

bool sm_judge(struct sm *sm)
{
	const struct sm_remote *above = NULL;

	for (uint32_t i = 0; sm->state == SM_DISCOVERING && i < sm->nremotes; i++) {
		const struct sm_remote *r = &sm->remotes[i];

		if (r->state == SAYS_MASTER) {
			above = r;
			break;
		}
		if (r->state != SAYS_NOT_ACTIVE && sm_is_above(sm, r->priority, r->guid))
			above = r;
	}
	if (above) {
		sm->polled = above->guid;
		sm->quiet = !sm_is_above(sm, above->priority, above->guid);
		sm_set_state(sm, SM_STANDBY);
		return false;
	}
	if (sm->state == SM_DISCOVERING) {
		sm->nknown = 0;
		sm_set_state(sm, SM_MASTER);
	}
	masters_recognize(sm);
	return true;
}

static bool masters_is_heir(const struct sm *sm, const struct sm_remote *r)
{
	/* two subnets were joined: the lower-ranked master steps down */
	if (r->state == SAYS_MASTER)
		return sm_is_above(sm, r->priority, r->guid);
	return r->state == SAYS_STANDBY && (!r->known || r->priority > SM_PRIORITY);
}

void sm_consider(struct sm *sm)
{
	const struct sm_remote *heir = NULL;
	uint8_t info[FABRIC_INFO_BYTES];

	if (sm->state != SM_MASTER || sm->sweeping || sm->handing || sm->outstanding)
		return;
	for (uint32_t i = 0; i < sm->nremotes; i++) {
		const struct sm_remote *r = &sm->remotes[i];

		if (r->state == SAYS_DISCOVERING && !r->known && r->watched < WATCHES_MAX)
			sm->watch_due = sm->now + POLL;
		if (masters_is_heir(sm, r) && (!heir || r->priority > heir->priority ||
					       (r->priority == heir->priority && r->guid < heir->guid)))
			heir = r;
	}
	if (!heir)
		return;
	sm->polled = heir->guid;
	sm->quiet = !sm_is_above(sm, heir->priority, heir->guid);
	/* the offer is sent as master, but from then on we no longer report that state */
	sm_write_info(sm, SAYS_MASTER, info);
	sm->handing = true;
	sm_ask(sm, SMP_HANDOVER, heir->port, SM_HANDOVER, info);
}

void sm_handed(struct sm *sm, const struct sm_smp *smp, const uint8_t *data)
{
	if (!sm->handing)
		return;
	if (data) {
		sm_set_state(sm, SM_STANDBY);
		return;
	}
	sm->handing = false;
	sm->quiet = false;
	for (uint32_t i = 0; i < sm->nremotes; i++)
		if (sm->remotes[i].port == smp->port) {
			sm->remotes[i].state = SAYS_DISCOVERING;
			sm->remotes[i].watched++;
		}
	sm_consider(sm);
}

void sm_watched(struct sm *sm, const struct sm_smp *smp, const uint8_t *data)
{
	for (uint32_t i = 0; i < sm->nremotes; i++) {
		struct sm_remote *r = &sm->remotes[i];

		if (r->port != smp->port)
			continue;
		r->watched++;
		if (data) {
			r->priority = (uint8_t)field_get(MADKIT_SM_INFO_PRIORITY, data);
			r->state = (uint8_t)field_get(MADKIT_SM_INFO_SM_STATE, data);
		}
	}
	sm_consider(sm);
}

void sm_polled(struct sm *sm, const struct sm_smp *smp, const uint8_t *data)
{
	bool alive = false;

	(void)smp;
	if (sm->state != SM_STANDBY)
		return;
	if (data) {
		uint64_t state = field_get(MADKIT_SM_INFO_SM_STATE, data);
		bool above = sm_is_above(sm, (uint8_t)field_get(MADKIT_SM_INFO_PRIORITY, data),
					 field_get(MADKIT_SM_INFO_GUID, data));

		alive = state == SAYS_MASTER || (state != SAYS_NOT_ACTIVE && above);
		sm->quiet = !above;
	}
	sm->missed = alive ? 0 : sm->missed + 1;
	if (sm->missed == MISSES_MAX)
		sm_discover_anew(sm);
	else
		sm->poll_due = sm->now + POLL;
}

/* ---- deadlines ---------------------------------------------------------------------------- */

static bool masters_watches(const struct sm *sm)
{
	return sm->state == SM_MASTER && !sm->sweeping && !sm->handing && !sm->outstanding;
}

uint64_t sm_masters_deadline(const struct sm *sm)
{
	if (masters_watches(sm))
		return sm->watch_due;
	return sm->state == SM_STANDBY && !sm->outstanding ? sm->poll_due : UINT64_MAX;
}

void sm_masters_due(struct sm *sm)
{
	if (sm_masters_deadline(sm) > sm->now)
		return;
	if (sm->state == SM_STANDBY) {
		uint32_t port = subnet_find_port(&sm->map.s, sm->polled);

		sm->poll_due = UINT64_MAX;
		if (port == SUBNET_NONE)
			sm_polled(sm, NULL, NULL);
		else
			sm_ask(sm, SMP_POLL, port, 0, NULL);
		return;
	}
	sm->watch_due = UINT64_MAX;
	for (uint32_t i = 0; i < sm->nremotes && sm_has_room(sm) && !sm->error; i++)
		if (sm->remotes[i].state == SAYS_DISCOVERING && !sm->remotes[i].known)
			sm_ask(sm, SMP_WATCH, sm->remotes[i].port, 0, NULL);
}

void sm_recover(struct sm *sm)
{
	sm->handing = false;
	if (sm->state == SM_STANDBY)
		sm->poll_due = sm->now + POLL;
	else
		sm->quiet = false;
	if (sm->state == SM_MASTER && sm->nremotes)
		sm->watch_due = sm->now + POLL;
}
