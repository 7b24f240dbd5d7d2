/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Managers among each other (IBA volume 1, section 14.4), and traps. Ours yields: as master
 * it offers mastership to each manager that shows itself afterwards, whatever that one's
 * priority. By the IBA one of the same priority and a higher GUID would have to give it back
 * at once; therefore ours then calls itself "not active", which a master leaves alone.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sim/sm_impl.h"

/* SMInfo's SMState. */
enum { SAYS_NOT_ACTIVE, SAYS_DISCOVERING, SAYS_STANDBY, SAYS_MASTER };

/* Modifiers of Set(SMInfo). */
enum { HANDOVER = 1, ACKNOWLEDGE, DISABLE, STANDBY, DISCOVER };

enum {
	PRIORITY	= 0,
	MISSES_MAX	= 3,
	WATCHES_MAX	= 10,
	STATUS_BAD_FIELD = 7 << MADKIT_STATUS_CODE_SHIFT,
	DIRECTION	= 0x8000,	/* in the status */
};

#define POLL		(1000 * SM_MS)
#define COALESCE	SM_MS	/* a change is mostly told by several */

/* ---- what is said ---------------------------------------------------------------------- */

static uint8_t said_state(const struct sm *sm)
{
	switch (sm->state) {
	case SM_DISCOVERING:
		return SAYS_DISCOVERING;
	case SM_MASTER:
		if (!sm->handing)
			return SAYS_MASTER;
		/* fall through */
	case SM_STANDBY:
		return sm->quiet ? SAYS_NOT_ACTIVE : SAYS_STANDBY;
	case SM_NOT_ACTIVE:
		break;
	}
	return SAYS_NOT_ACTIVE;
}

static void write_info(const struct sm *sm, uint8_t state, uint8_t *data)
{
	memset(data, 0, FABRIC_INFO_BYTES);
	sm_put(sm, F_SM_GUID, data, sm->guid);
	sm_put(sm, F_SM_COUNT, data, sm->activity);
	sm_put(sm, F_SM_PRIORITY, data, PRIORITY);
	sm_put(sm, F_SM_STATE, data, state);
}

/* The IBA's order: higher priority, then lower GUID. */
static bool is_above_us(const struct sm *sm, uint8_t priority, uint64_t guid)
{
	return priority != PRIORITY ? priority > PRIORITY : guid < sm->guid;
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
	sm->first = state == SM_MASTER;
	if (is_new && sm->options.state)
		sm->options.state(sm->options.context, state);
}

void sm_sweep_soon(struct sm *sm, uint64_t delay)
{
	if (sm->now + delay < sm->sweep_due)
		sm->sweep_due = sm->now + delay;
}

static void discover_anew(struct sm *sm)
{
	sm->forced = false;
	sm_set_state(sm, SM_DISCOVERING);
	sm_sweep_soon(sm, 0);
}

/* ---- the others ------------------------------------------------------------------------- */

void sm_add_remote(struct sm *sm, uint32_t port, const uint8_t *info)
{
	struct sm_remote *r;

	if (sm->nremotes == sm->remotes_cap) {
		uint32_t cap = sm->remotes_cap ? sm->remotes_cap * 2 : 4;

		r = realloc(sm->remotes, cap * sizeof(*r));
		if (!r) {
			sm->error = -ENOMEM;
			return;
		}
		sm->remotes = r;
		sm->remotes_cap = cap;
	}
	/* one that does not answer is on its way in or out */
	sm->remotes[sm->nremotes++] = (struct sm_remote) {
		.guid = sm->on->s.ports[port].guid, .port = port,
		.priority = info ? (uint8_t)sm_get(sm, F_SM_PRIORITY, info) : 0,
		.state = info ? (uint8_t)sm_get(sm, F_SM_STATE, info) : SAYS_DISCOVERING,
	};
}

static bool is_known(const struct sm *sm, uint64_t guid)
{
	for (uint32_t i = 0; i < sm->nknown; i++)
		if (sm->known[i] == guid)
			return true;
	return false;
}

/* Those that were there already when mastership was given to us; who goes is forgotten. */
static void recognize(struct sm *sm)
{
	uint64_t *known = malloc((sm->nremotes ? sm->nremotes : 1) * sizeof(*known));
	uint32_t n = 0;

	if (!known) {
		sm->error = -ENOMEM;
		return;
	}
	for (uint32_t i = 0; i < sm->nremotes; i++) {
		struct sm_remote *r = &sm->remotes[i];

		r->known = sm->forced || is_known(sm, r->guid);
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
		if (r->state != SAYS_NOT_ACTIVE && is_above_us(sm, r->priority, r->guid))
			above = r;
	}
	if (above) {
		sm->polled = above->guid;
		sm->quiet = !is_above_us(sm, above->priority, above->guid);
		sm_set_state(sm, SM_STANDBY);
		return false;
	}
	if (sm->state == SM_DISCOVERING) {
		sm->nknown = 0;
		sm_set_state(sm, SM_MASTER);
	}
	recognize(sm);
	return true;
}

static bool is_heir(const struct sm *sm, const struct sm_remote *r)
{
	/* of two masters, in what were two subnets, the lower one ends */
	if (r->state == SAYS_MASTER)
		return is_above_us(sm, r->priority, r->guid);
	return r->state == SAYS_STANDBY && (!r->known || r->priority > PRIORITY);
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
		if (is_heir(sm, r) && (!heir || r->priority > heir->priority ||
				       (r->priority == heir->priority && r->guid < heir->guid)))
			heir = r;
	}
	if (!heir)
		return;
	sm->polled = heir->guid;
	sm->quiet = !is_above_us(sm, heir->priority, heir->guid);
	/* a master offers it: from then on it is none */
	write_info(sm, SAYS_MASTER, info);
	sm->handing = true;
	sm_ask(sm, SMP_HANDOVER, heir->port, HANDOVER, info);
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
			r->priority = (uint8_t)sm_get(sm, F_SM_PRIORITY, data);
			r->state = (uint8_t)sm_get(sm, F_SM_STATE, data);
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
		uint64_t state = sm_get(sm, F_SM_STATE, data);
		bool above = is_above_us(sm, (uint8_t)sm_get(sm, F_SM_PRIORITY, data),
					 sm_get(sm, F_SM_GUID, data));

		alive = state == SAYS_MASTER || (state != SAYS_NOT_ACTIVE && above);
		sm->quiet = !above;
	}
	sm->missed = alive ? 0 : sm->missed + 1;
	if (sm->missed == MISSES_MAX)
		discover_anew(sm);
	else
		sm->poll_due = sm->now + POLL;
}

void sm_acknowledged(struct sm *sm, const struct sm_smp *smp, const uint8_t *data)
{
	/* who handed over may be gone already */
	(void)sm, (void)smp, (void)data;
}

/* ---- what is due -------------------------------------------------------------------------- */

static bool watches(const struct sm *sm)
{
	return sm->state == SM_MASTER && !sm->sweeping && !sm->handing && !sm->outstanding;
}

uint64_t sm_info_deadline(const struct sm *sm)
{
	if (watches(sm))
		return sm->watch_due;
	return sm->state == SM_STANDBY && !sm->outstanding ? sm->poll_due : UINT64_MAX;
}

void sm_due(struct sm *sm)
{
	if (sm_info_deadline(sm) > sm->now)
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

/* What was asked will not be answered. */
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

/* ---- requests of others --------------------------------------------------------------------- */

/* The transitions that others ask for: whether they may be. */
static bool may_be(const struct sm *sm, uint32_t what, uint64_t sender)
{
	switch (what) {
	case HANDOVER:
		return sender == SAYS_MASTER && sm->state != SM_NOT_ACTIVE && !sm->handing;
	case ACKNOWLEDGE:
		return sender == SAYS_STANDBY && (sm->handing || sm->state == SM_STANDBY);
	case DISABLE:
	case DISCOVER:
		return sender == SAYS_MASTER && sm->state == SM_STANDBY;
	case STANDBY:
		return sender == SAYS_MASTER && sm->state == SM_NOT_ACTIVE;
	default:
		return false;
	}
}

static void given(struct sm *sm, uint64_t by)
{
	uint32_t port = subnet_find_port(&sm->map.s, by);
	uint8_t info[FABRIC_INFO_BYTES];

	if (sm->state != SM_STANDBY) {
		/* it is looked who is there, and then */
		sm_sweep_soon(sm, 0);
		return;
	}
	write_info(sm, SAYS_STANDBY, info);
	sm_set_state(sm, SM_MASTER);
	sm->forced = true;
	sm_sweep_soon(sm, 0);
	if (port != SUBNET_NONE && sm_has_room(sm))
		sm_ask(sm, SMP_ACKNOWLEDGE, port, ACKNOWLEDGE, info);
}

static void change(struct sm *sm, uint32_t what, uint64_t by)
{
	switch (what) {
	case HANDOVER:
		given(sm, by);
		return;
	case DISABLE:
		sm_set_state(sm, SM_NOT_ACTIVE);
		return;
	case STANDBY:
		sm->polled = by;
		sm_set_state(sm, SM_STANDBY);
		return;
	case DISCOVER:
		discover_anew(sm);
		return;
	}
}

static void answer(struct sm *sm, const struct host_message *message, uint16_t status)
{
	uint8_t mad[MADKIT_MAD_BYTES];
	struct madkit_header h;

	memcpy(mad, message->mad, sizeof(mad));
	madkit_header_get(mad, sizeof(mad), &h);
	h.method = MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE;
	h.status = status;
	madkit_header_put(mad, sizeof(mad), &h);
	if (h.mgmt_class == MADKIT_CLASS_SUBN_DR)
		mad[MADKIT_MAD_STATUS] |= DIRECTION >> 8;
	write_info(sm, said_state(sm), mad + MADKIT_SMP_DATA);
	/* for want of memory it is lost as any packet may be: it will be asked again */
	host_send(sm->file, message->id, &message->from, mad, sizeof(mad), 0, 0, sm->now);
	sm->activity++;
}

static void sm_info(struct sm *sm, const struct host_message *message)
{
	const uint8_t *data = message->mad + MADKIT_SMP_DATA;
	uint32_t what = get_be32(message->mad + MADKIT_MAD_MODIFIER);
	uint64_t sender = sm_get(sm, F_SM_STATE, data), by = sm_get(sm, F_SM_GUID, data);

	if (message->mad[MADKIT_MAD_METHOD] == MADKIT_METHOD_GET) {
		answer(sm, message, 0);
	} else if (!may_be(sm, what, sender)) {
		answer(sm, message, STATUS_BAD_FIELD);
	} else {
		answer(sm, message, 0);
		change(sm, what, by);
	}
}

static void trap(struct sm *sm, const struct host_message *message)
{
	const uint8_t *data = message->mad + MADKIT_SMP_DATA;
	uint64_t number = sm_get(sm, F_NO_TRAP, data);
	uint8_t mad[MADKIT_MAD_BYTES], notice[SA_NOTICE_BYTES] = { 0 };

	/* another master is to have it */
	if (sm->state != SM_MASTER || sm->handing)
		return;
	memcpy(mad, message->mad, sizeof(mad));
	mad[MADKIT_MAD_METHOD] = MADKIT_METHOD_TRAP_REPRESS;
	host_send(sm->file, message->id, &message->from, mad, sizeof(mad), 0, 0, sm->now);
	sm->activity++;
	memcpy(notice, data, FABRIC_INFO_BYTES);
	if (sm->sa)
		sa_notice(sm->sa, notice, sm->now);
	if (sm_get(sm, F_NO_GENERIC, data) &&
	    ((number >= 128 && number <= 131) || number == 144))
		sm_sweep_soon(sm, COALESCE);
}

void sm_request(struct sm *sm, const struct host_message *message)
{
	const uint8_t *mad = message->mad;
	uint16_t attribute = get_be16(mad + MADKIT_MAD_ATTRIBUTE);

	if (message->len != MADKIT_MAD_BYTES)
		return;
	switch (mad[MADKIT_MAD_METHOD]) {
	case MADKIT_METHOD_GET:
	case MADKIT_METHOD_SET:
		if (attribute == 0x0020)
			sm_info(sm, message);
		return;
	case MADKIT_METHOD_TRAP:
		if (attribute == MADKIT_ATTR_NOTICE && mad[MADKIT_MAD_CLASS] == MADKIT_CLASS_SUBN)
			trap(sm, message);
		return;
	}
}
