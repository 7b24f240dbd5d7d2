/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The subnet manager: the port says where it is, and SMInfo whether it responds. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "watch.h"

enum {
	MASTER_MS = 5000, /* between requests to the subnet manager */
	MASTER_STATE = 3, /* SMInfo.SMState */
};

static void master_report(struct watch *w, enum event_kind kind, const char *text)
{
	struct event e = event_new(kind, w->master.kept ? VIEW_BY_RESTART : VIEW_BY_SWEEP);

	snprintf(e.text, sizeof(e.text), "%s", text);
	memcpy(e.since, w->master.since, sizeof(e.since));
	change_add(&w->changes, &e);
}

/* Writes "LID 3 (h4-4)". */
static const char *master_name(const struct watch *w, uint32_t lid, char text[128])
{
	const struct view_node *n = view_of_lid(&w->view, lid);

	if (n && n->label)
		snprintf(text, 128, "LID %" PRIu32 " (%.90s)", lid, n->label);
	else
		snprintf(text, 128, "LID %" PRIu32, lid);
	return text;
}

static void master_begin_problem(struct watch *w)
{
	struct timespec now;
	struct tm tm;

	madkit_port_realtime(w->net.x.port, &now);
	if (!gmtime_r(&now.tv_sec, &tm) ||
	    !strftime(w->master.since, sizeof(w->master.since), "%Y-%m-%dT%H:%M:%SZ", &tm))
		*w->master.since = 0;
}

static void master_lost(struct watch *w, const char *text)
{
	if (w->master.gone)
		return;
	master_begin_problem(w);
	w->master.gone = true;
	master_report(w, EVENT_SM_GONE, text);
}

/* Takes a manager that responds. */
static void master_found(struct watch *w, uint32_t lid, uint64_t guid, uint8_t priority)
{
	struct watch_master *m = &w->master;
	char text[EVENT_TEXT_BYTES], now[128], was[128];
	const bool known = m->guid;

	/* without another LID, the response may be damaged: the next one decides */
	if (known && m->guid != guid && m->lid == lid && m->doubtful != guid) {
		m->doubtful = guid;
		m->due_ns = 0;
		return;
	}
	m->doubtful = 0;
	if (known && m->guid != guid && m->lid == lid)
		snprintf(text, sizeof(text),
			 "handover: the master at %s has the port GUID 0x%016" PRIx64 ", was 0x%016" PRIx64,
			 master_name(w, lid, now), guid, m->guid);
	else if (known && m->guid != guid)
		snprintf(text, sizeof(text), "handover: %s is master, was %s", master_name(w, lid, now),
			 master_name(w, m->lid, was));
	else if (known && m->lid != lid)
		snprintf(text, sizeof(text), "the master is at %s, was at %s", master_name(w, lid, now),
			 master_name(w, m->lid, was));
	else if (known && m->priority != priority)
		snprintf(text, sizeof(text), "the priority of %s is %u, was %u", master_name(w, lid, now),
			 priority, m->priority);
	else if (m->gone)
		snprintf(text, sizeof(text), "%s responds again", master_name(w, lid, now));
	else
		*text = 0;
	/* a manager forgets the subscriptions of ports that it does not reach, and what has happened since then was not
	 * reported */
	if (m->gone) {
		w->subscription.renew_ns = 0;
		w->round_ns = w->rates_ns = 0;
	}
	if (m->gone && *text)
		master_report(w, EVENT_SM_BACK, text);
	else if (*text)
		master_report(w, EVENT_SM, text);
	m->gone = m->kept = false;
	m->lid = lid;
	m->guid = guid;
	m->priority = priority;
}

void master_take(void *context, const uint8_t *info, uint32_t lid)
{
	struct watch *w = context;
	uint64_t guid = 0, priority = 0, state = 0;
	char text[EVENT_TEXT_BYTES], name[128];

	w->master.asked = false;
	/* the answer of a port that is no longer the one */
	if (lid != w->net.x.info->sm_lid || w->cut_off)
		return;
	/* the port may have lost its link meanwhile, which says more */
	if (!info && !madkit_port_refresh(w->net.x.port) && watch_is_cut_off(w->net.x.info))
		return;
	if (!info) {
		snprintf(text, sizeof(text), "the subnet manager at %s does not respond",
			 master_name(w, lid, name));
		master_lost(w, text);
		return;
	}
	madkit_get(info, MADKIT_SWEEP_INFO_BYTES, MADKIT_SM_INFO_GUID, &guid);
	madkit_get(info, MADKIT_SWEEP_INFO_BYTES, MADKIT_SM_INFO_PRIORITY, &priority);
	madkit_get(info, MADKIT_SWEEP_INFO_BYTES, MADKIT_SM_INFO_SM_STATE, &state);
	/* during a handover, the old master is a standby already, and the port does not know the new one yet */
	if (state == MASTER_STATE)
		master_found(w, lid, guid, (uint8_t)priority);
	else
		w->master.due_ns = madkit_port_now(w->net.x.port) + 1000 * NS_PER_MS;
}

void master_tend(struct watch *w, uint64_t now)
{
	const uint32_t lid = w->net.x.info->sm_lid;

	if (w->cut_off || w->master.asked)
		return;
	if (!lid)
		master_lost(w, "the local port knows no subnet manager");
	else if (now >= w->master.due_ns || lid != w->master.lid) {
		w->master.asked = true;
		w->master.due_ns = now + MASTER_MS * NS_PER_MS;
		look_add(&w->look, LOOK_MASTER, (struct view_end){ VIEW_NONE, 0 }, LOOK_URGENT,
			 VIEW_BY_SWEEP);
	}
}
