/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The subnet manager as a program: its device, its deadlines, and the steps of a sweep. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sim/sm/internal.h"

#define BACKOFF     NS_PER_S
#define BACKOFF_MAX (64 * BACKOFF)

/* Timeout of a light sweep, which has one SMP outstanding: it is not urgent, and an agent may have become
 * slow. */
enum { LIGHT_PATIENCE_MS = 1000 };

/* ---- steps ------------------------------------------------------------------------------ */

static void manager_begin_groups(struct sm *sm)
{
	if (!sm->partial)
		sm_all_groups(sm);
	sm_groups(sm);
}

/* IBA order: no port is activated before all tables are written. */
static const struct {
	void (*begin)(struct sm *sm);
	sm_next *next;
} steps[STEPS] = {
	[STEP_DISCOVER] = { sm_discover, sm_next_work },
	[STEP_LIDS] = { NULL, sm_next_lid },
	[STEP_SWITCHES] = { NULL, sm_next_switch },
	[STEP_LINEAR] = { NULL, sm_next_linear },
	[STEP_MULTICAST] = { manager_begin_groups, sm_next_multicast },
	[STEP_PKEYS] = { NULL, sm_next_pkey },
	[STEP_LINKS] = { NULL, sm_next_link },
	[STEP_ARM] = { NULL, sm_next_state },
	[STEP_ACTIVATE] = { NULL, sm_next_state },
	[STEP_LANES] = { sm_lanes, sm_next_work },
	[STEP_LIGHT] = { NULL, sm_next_light },
};

static void sm_begin_step(struct sm *sm, enum sm_step step)
{
	sm->sweeping = true;
	sm->step = step;
	sm->cursor = sm->block = 0;
	sm->nwork = sm->work_at = 0;
	if (steps[step].begin)
		steps[step].begin(sm);
}

static void manager_begin_sweep(struct sm *sm)
{
	sm->sweep_due = UINT64_MAX;
	sm->unanswered = sm->refused = sm->sets = 0;
	sm->partial = false;
	sm_pace(sm, sm->window, 0);
	sm_begin_step(sm, STEP_DISCOVER);
}

static void manager_report_ports(struct sm *sm, unsigned int trap, const struct sm_guids *ports)
{
	uint8_t gid[16];

	put_be64(gid, FABRIC_GID_PREFIX);
	for (uint32_t i = 0; i < ports->n; i++) {
		put_be64(gid + 8, ports->guids[i]);
		sa_notice_gid(sm->sa, trap, gid);
	}
}

/* Starts the SA after a sweep, when it has records to return. */
static void manager_begin_sa(struct sm *sm)
{
	const struct sa_options options = {
		.node = sm->node,
		.port = sm->port,
		.subnet = &sm->map.s,
		.sm_key = SM_KEY,
		.group = sm_group_changed,
		.context = sm,
	};

	/* on failure, the next sweep tries again */
	sm->refused += sa_new(sm->hosts, &options, &sm->sa) != 0;
}

static void sm_defer_light(struct sm *sm)
{
	uint64_t now = sm->now > sm->present ? sm->now : sm->present;

	sm->light_due = sm->interval ? now + sm->interval : UINT64_MAX;
}

static void end_sweep(struct sm *sm)
{
	bool was_first = sm->first;

	sm->sweeping = false;
	sm_defer_light(sm);
	if (!sm->partial && sm->sa) {
		manager_report_ports(sm, 65, &sm->gone);
		manager_report_ports(sm, 64, &sm->come);
	} else if (!sm->sa) {
		manager_begin_sa(sm);
	}
	if (sm->unanswered || sm->refused) {
		sm_sweep_soon(sm, sm->backoff);
		sm->backoff = sm->backoff < BACKOFF_MAX ? sm->backoff * 2 : BACKOFF_MAX;
	} else {
		sm->backoff = BACKOFF;
	}
	if (sm->partial)
		return;
	sm->first = was_first && sm->refused;
	if (!sm->refused && (was_first || sm->sets || sm->gone.n || sm->come.n))
		sm_report(sm, (struct sim_event){ .kind = EVENT_SUBNET_UP, .count = sm->map.s.nnodes });
	if (sm->first)
		sm_report(sm, (struct sim_event){ .kind = EVENT_SWEEP_FAILED, .error = -EREMOTEIO });
	sm_consider(sm);
}

/* Another manager is master: keep the discovered map for the route to it. */
static void manager_park(struct sm *sm)
{
	sm->sweeping = false;
	sm_map_free(&sm->map);
	sm->map = sm->found;
	memset(&sm->found, 0, sizeof(sm->found));
	sm->on = &sm->map;
}

static void end_step(struct sm *sm)
{
	if (sm->step == STEP_DISCOVER) {
		/* not even the manager's own node or port has responded */
		if (sm->found.s.sm_port == SUBNET_NONE || !sm->found.s.ports[sm->found.s.sm_port].end) {
			sm->error = -EAGAIN;
			return;
		}
		if (!sm_judge(sm)) {
			manager_park(sm);
			return;
		}
		if (!sm->error)
			sm->error = sm_adopt(sm);
		if (sm->error)
			return;
		if (sm->sa)
			sa_subnet_changed(sm->sa);
	}
	if (sm->partial || sm->step == STEP_LANES)
		end_sweep(sm);
	else
		sm_begin_step(sm, sm->step + 1);
}

/* Abandons the sweep after an error; a new one follows later. */
static void sm_give_up(struct sm *sm)
{
	sm_report(sm, (struct sim_event){ .kind = EVENT_SWEEP_FAILED, .error = sm->error });
	if (sm->sweeping)
		sm_sweep_soon(sm, sm->backoff);
	sm->error = 0;
	sm_abandon(sm);
	sm_recover(sm);
}

static bool manager_is_idle(const struct sm *sm)
{
	return !sm->sweeping && !sm->outstanding && !sm->handing &&
	       (sm->state == SM_MASTER || sm->state == SM_DISCOVERING);
}

static void sm_continue(struct sm *sm)
{
	if (manager_is_idle(sm) && sm->sweep_due <= sm->now) {
		manager_begin_sweep(sm);
	} else if (manager_is_idle(sm) && sm->any_group_changed && sm->sa) {
		sm->unanswered = sm->refused = sm->sets = 0;
		sm->partial = true;
		sm_pace(sm, sm->window, 0);
		sm_begin_step(sm, STEP_MULTICAST);
	} else if (manager_is_idle(sm) && sm->state == SM_MASTER && sm->light_due <= sm->now) {
		sm->unanswered = sm->refused = sm->sets = 0;
		sm->partial = true;
		sm_defer_light(sm);
		sm_pace(sm, 1, LIGHT_PATIENCE_MS);
		sm_begin_step(sm, STEP_LIGHT);
	}
	while (sm->sweeping && !sm->error) {
		while (sm_has_room(sm) && !sm->error && steps[sm->step].next(sm))
			;
		if (sm->outstanding || sm->error)
			break;
		end_step(sm);
	}
	if (sm->error)
		sm_give_up(sm);
}

/* ---- the program ---------------------------------------------------------------------------- */

/* Handlers of the responses to each kind of SMP. NULL: none, because the manager that handed over may be
 * gone already. */
static sm_done *const answers[SMP_KINDS] = {
	[SMP_NODE_INFO] = sm_got_node,     [SMP_NODE_DESCRIPTION] = sm_got_description,
	[SMP_SWITCH_INFO] = sm_got_switch, [SMP_CLEAR_CHANGE] = sm_got_clear,
	[SMP_PORT_INFO] = sm_got_port,     [SMP_GUID_INFO] = sm_got_guids,
	[SMP_PKEYS] = sm_got_pkeys,        [SMP_SM_INFO] = sm_got_sm,
	[SMP_SL2VL] = sm_got_sl2vl,        [SMP_ARBITRATION] = sm_got_arbitration,
	[SMP_SET_PORT] = sm_set_port,      [SMP_SET_SWITCH] = sm_set_switch,
	[SMP_SET_LINEAR] = sm_set_linear,  [SMP_SET_MULTICAST] = sm_set_multicast,
	[SMP_SET_PKEYS] = sm_set_pkeys,    [SMP_POLL] = sm_polled,
	[SMP_WATCH] = sm_watched,          [SMP_HANDOVER] = sm_handed,
	[SMP_ACKNOWLEDGE] = NULL,          [SMP_LIGHT] = sm_got_light,
};

void sm_process(struct sm *sm, uint64_t now)
{
	struct host_message message;
	const uint8_t *data;
	struct sm_smp smp;

	if (now > sm->now)
		sm->now = now;
	while (host_next(sm->file, &message)) {
		if (!message.status && !madkit_mad_is_response(message.mad, message.len))
			sm_request(sm, &message);
		else if (sm_answered(sm, &message, &smp, &data) && answers[smp.kind])
			answers[smp.kind](sm, &smp, data);
		host_pop(sm->file);
	}
	if (sm->sa && sa_deadline(sm->sa) <= sm->now)
		sa_process(sm->sa, sm->now);
	if (!sm->outstanding)
		sm_masters_due(sm);
	else if (sm->now >= sm->stalled)
		sm->error = -ETIMEDOUT;
	sm_continue(sm);
}

/* Returns when something is due while nothing is outstanding. */
static uint64_t sm_next_due(const struct sm *sm)
{
	uint64_t due = sm_masters_deadline(sm);

	if (!manager_is_idle(sm))
		return due;
	if (sm->any_group_changed && sm->sa)
		return sm->now;
	if (sm->state == SM_MASTER && sm->light_due < due)
		due = sm->light_due;
	return sm->sweep_due < due ? sm->sweep_due : due;
}

uint64_t sm_deadline(const struct sm *sm)
{
	uint64_t due, sa = sm->sa ? sa_deadline(sm->sa) : UINT64_MAX;
	struct host_message message;

	if (host_next(sm->file, &message))
		return sm->now;
	due = sm->outstanding ? sm->stalled : sm_next_due(sm);
	return sa < due ? sa : due;
}

void sm_sweep(struct sm *sm)
{
	if (sm->state != SM_MASTER)
		return;
	sm->backoff = BACKOFF;
	sm_sweep_soon(sm, 0);
}

void sm_sweep_each(struct sm *sm, uint64_t interval)
{
	sm->interval = interval;
}

void sm_present(struct sm *sm, uint64_t now)
{
	sm->present = now;
	if (sm->light_due < now)
		sm->light_due = now;
}

/* Opens the device with agents for both classes, which receive requests and traps. */
static int sm_open_device(struct sm *sm)
{
	struct host_agent agent = {
		.mgmt_class = MADKIT_CLASS_SUBN_DR,
		.class_version = 1,
		.method_mask = { 1u << MADKIT_METHOD_GET | 1u << MADKIT_METHOD_SET |
				 1u << MADKIT_METHOD_TRAP },
	};
	int ret = host_issm_open(sm->hosts, sm->node, sm->port);

	if (ret)
		return ret;
	ret = host_open(sm->hosts, sm->node, sm->port, NULL, NULL, &sm->file);
	if (ret)
		goto fail;
	ret = host_register(sm->file, &agent, &sm->directed);
	agent.mgmt_class = MADKIT_CLASS_SUBN;
	if (!ret)
		ret = host_register(sm->file, &agent, &sm->routed);
	if (!ret)
		return 0;
	/* the methods are taken by a program that has not opened issm */
	if (ret == -EINVAL)
		ret = -EAGAIN;
fail:
	host_close(sm->file);
	sm->file = NULL;
	host_issm_close(sm->hosts, sm->node, sm->port);
	return ret;
}

int sm_new(struct hosts *hosts, uint32_t node, unsigned int port, uint64_t now, struct sm **result)
{
	struct sm *sm = calloc(1, sizeof(*sm));
	int ret;

	if (!sm)
		return -ENOMEM;
	sm->hosts = hosts;
	sm->node = node;
	sm->port = port;
	sm->now = now;
	sm->on = &sm->map;
	sm->backoff = BACKOFF;
	sm->watch_due = sm->poll_due = sm->light_due = UINT64_MAX;
	sm->state = SM_DISCOVERING;
	sm->window = sm->room = SM_WINDOW;
	sm->fresh = true;
	sm->sweep_due = now;
	ret = sm_open_device(sm);
	if (ret) {
		free(sm);
		return ret;
	}
	sm_report_state(sm);
	*result = sm;
	return 0;
}

void sm_limit(struct sm *sm, uint32_t window)
{
	if (window && window < sm->window)
		sm->window = sm->room = window;
}

void sm_free(struct sm *sm)
{
	if (!sm)
		return;
	sa_free(sm->sa);
	host_close(sm->file);
	host_issm_close(sm->hosts, sm->node, sm->port);
	sm_map_free(&sm->map);
	sm_map_free(&sm->found);
	free(sm->work);
	free(sm->gone.guids);
	free(sm->come.guids);
	free(sm->remotes);
	free(sm->known);
	free(sm);
}
