/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "change.h"
#include "util/array_size.h"

/* A change that is not due is reported together with one that is, unless it is more recent. */
#define CHANGE_SETTLED_MS 500

/* The greatest value of LinkDownedCounter: there it stops. */
#define CHANGE_DOWNED_FULL UINT8_MAX

/* Problems of a link that are open in JSON. */
enum change_problem {
	CHANGE_DOWN = 1 << 0,
	CHANGE_SLOW = 1 << 1,
	CHANGE_FLAPPING = 1 << 2,
	CHANGE_INIT = 1 << 3,
};

/* The events that open and close each of them. */
static const struct {
	uint8_t bit;
	enum event_kind open, close;
} change_problems[] = {
	{ CHANGE_DOWN, EVENT_DOWN, EVENT_UP },
	{ CHANGE_SLOW, EVENT_SLOW, EVENT_RATE },
	{ CHANGE_FLAPPING, EVENT_FLAPPING, EVENT_STEADY },
	{ CHANGE_INIT, EVENT_INIT, EVENT_ACTIVE },
};

void change_restore_open(struct view_link *l)
{
	l->open = !*l->since ? 0 : l->told_up ? CHANGE_SLOW : CHANGE_DOWN;
	if (l->told_init)
		l->open |= CHANGE_INIT;
}

void changes_init(struct changes *c, struct view *view)
{
	*c = (struct changes){ .view = view, .last = &c->first, .events_last = &c->events };
}

void change_note(struct changes *c, struct view_link *l, enum view_by by, uint64_t now)
{
	uint64_t oldest;

	c->last_ns = now;
	if (!l->pending) {
		l->pending = true;
		l->next = NULL;
		*c->last = l;
		c->last = &l->next;
		l->by = (uint8_t)by;
		l->first_ns = now;
		l->due_ns = now + CHANGE_NS(CHANGE_HOLD_MS);
		l->count = 0;
	}
	l->count++;
	l->last_ns = now;
	memmove(l->times_ns + 1, l->times_ns, sizeof(l->times_ns) - sizeof(l->times_ns[0]));
	l->times_ns[0] = now;
	oldest = l->times_ns[VIEW_TIMES - 1];
	if (!oldest || now - oldest > CHANGE_NS(CHANGE_WINDOW_MS) || l->flapping)
		return;
	l->flapping = true;
	l->due_ns = oldest + CHANGE_NS(CHANGE_WINDOW_MS);
	l->first_ns = oldest;
	l->count = VIEW_TIMES;
}

void change_count(struct view_link *l, struct view_end end, const struct view_port *before, uint8_t is)
{
	const int i = l->ends[0].node != end.node || l->ends[0].port != end.port;
	struct view_downs *d = &l->downs;

	d->read |= (uint8_t)(1u << i);
	d->full |= is == CHANGE_DOWNED_FULL;
	/* a first reading, after the change, has nothing to compare with */
	if (!before->counted || is < before->downed)
		d->reset |= (uint8_t)(1u << i);
	else
		d->rise[i] = (uint8_t)(d->rise[i] + is - before->downed);
}

/* Makes the present state of a link the one that was reported. */
static void change_accept(struct view_link *l)
{
	l->known = true;
	l->told_up = l->up;
	l->told_init = l->init;
	l->told_slow = l->up ? l->slow : l->told_slow;
	if (l->up)
		l->told = l->rate;
}

/* Takes a link out of the list. at: the reference to it. */
static void change_drop(struct changes *c, struct view_link **at)
{
	struct view_link *l = *at;

	*at = l->next;
	if (c->last == &l->next)
		c->last = at;
	l->next = NULL;
	l->pending = false;
}

void changes_accept(struct changes *c)
{
	while (c->first) {
		change_accept(c->first);
		c->first->flapping = false;
		change_drop(c, &c->first);
	}
}

uint64_t changes_due(const struct changes *c)
{
	uint64_t due = c->events ? 0 : UINT64_MAX;

	for (const struct view_link *l = c->first; l; l = l->next)
		if (l->due_ns < due)
			due = l->due_ns;
	return due;
}

/* ---- times ------------------------------------------------------------------------------- */

/* Writes the time of day ago_ns before the clock. */
static void change_put_since(char since[EVENT_SINCE_BYTES], const struct timespec *clock, uint64_t ago_ns)
{
	const int64_t ns = clock->tv_nsec - (int64_t)(ago_ns % UINT64_C(1000000000));
	const time_t at = clock->tv_sec - (time_t)(ago_ns / UINT64_C(1000000000)) - (ns < 0);
	struct tm tm;

	if (!gmtime_r(&at, &tm) || !strftime(since, EVENT_SINCE_BYTES, "%Y-%m-%dT%H:%M:%SZ", &tm))
		*since = 0;
}

/* ---- other events ------------------------------------------------------------------------ */

int change_add(struct changes *c, const struct event *e)
{
	struct change_event *added = calloc(1, sizeof(*added));

	if (!added)
		return cli_no_memory();
	added->event = *e;
	*c->events_last = added;
	c->events_last = &added->next;
	return EXIT_DONE;
}

static bool change_take_event(struct changes *c, struct event *e)
{
	struct change_event *first = c->events;

	if (!first)
		return false;
	*e = first->event;
	c->events = first->next;
	if (!c->events)
		c->events_last = &c->events;
	free(first);
	return true;
}

/* Adds an event that opens or closes a problem of a link: another line says why. */
static void change_add_minor(struct changes *c, enum event_kind kind, const struct view_link *l,
			     const char *why)
{
	struct event e = event_of_link(kind, l->by, l);

	e.minor = true;
	memcpy(e.since, l->since, sizeof(e.since));
	snprintf(e.text, sizeof(e.text), "%s", why);
	change_add(c, &e);
}

/* Closes the problems of a link that is no longer there. */
static void change_close(struct changes *c, struct view_link *past)
{
	for (size_t i = 0; i < ARRAY_SIZE(change_problems); i++)
		if (past->open & change_problems[i].bit)
			change_add_minor(c, change_problems[i].close, past, "the cable is no longer there");
	past->open = 0;
}

/* Notes which problem an event opens or closes. Then opens and closes those that no event has named: of a link that came up
 * slower than before, for example, only that is a line. */
static void change_settle(struct changes *c, struct view_link *l, const struct event *e)
{
	const bool flapped = e && (e->kind == EVENT_FLAPPING || e->kind == EVENT_STEADY);
	uint8_t over = 0;

	for (size_t i = 0; e && i < ARRAY_SIZE(change_problems); i++) {
		if (e->kind == change_problems[i].open)
			l->open |= change_problems[i].bit;
		if (e->kind == change_problems[i].close)
			l->open &= (uint8_t)~change_problems[i].bit;
	}
	if (l->flapping)
		return;
	over |= CHANGE_FLAPPING;
	if (l->told_up)
		over |= CHANGE_DOWN;
	if (!l->told_init)
		over |= CHANGE_INIT;
	if (l->told_up && !l->told_slow)
		over |= CHANGE_SLOW;
	for (size_t i = 0; i < ARRAY_SIZE(change_problems); i++)
		if (l->open & over & change_problems[i].bit)
			change_add_minor(c, change_problems[i].close, l, "it is over");
	l->open &= (uint8_t)~over;
	if (flapped && !l->told_up && !(l->open & CHANGE_DOWN)) {
		change_add_minor(c, EVENT_DOWN, l, "it is down after it was flapping");
		l->open |= CHANGE_DOWN;
	}
}

/* ---- taking ------------------------------------------------------------------------------ */

/* Forgets the former cables of both ends, which the event of the new one has named. */
static void change_forget(struct changes *c, const struct view_link *l)
{
	struct view *v = c->view;

	for (int i = 0; i < 2; i++) {
		struct view_link *past = view_link(v, view_port(v, l->ends[i])->past);

		if (past)
			change_close(c, past);
		if (past && i == 1)
			view_forget(v, view_other(past, l->ends[1]));
		view_forget(v, l->ends[i]);
	}
	v->nodes[l->ends[1].node]->fresh = false;
}

/* Reports a cable that is new. Returns false if the event of another one has named it. */
static bool change_report_new(struct changes *c, struct view_link *l, struct event *e)
{
	const bool exchanged = l->exchanged;

	l->exchanged = l->flapping = false;
	memset(l->times_ns, 0, sizeof(l->times_ns));
	if (!exchanged)
		change_connect(c->view, l, e);
	if (!exchanged && e->kind == EVENT_SWAPPED)
		view_link_of(c->view, e->ends[1])->exchanged = true;
	else
		change_forget(c, l);
	change_accept(l);
	change_settle(c, l, NULL);
	l->count = 0;
	return !exchanged;
}

/* Reports that a cable that is new does not become Active. */
static bool change_report_waiting(struct changes *c, struct view_link *l, struct event *e)
{
	const bool reported = l->init && !l->told_init;

	l->flapping = false;
	l->count = 0;
	if (reported)
		change_put_init(c->view, l, e);
	l->told_init = l->init;
	change_settle(c, l, reported ? e : NULL);
	return reported;
}

/* Notes when the open problem of a link began. */
static void change_begin_problem(struct view_link *l, uint64_t now, const struct timespec *clock)
{
	if (l->told_up && !l->up) {
		l->down_ns = l->first_ns;
		l->down_late = l->by != VIEW_BY_TRAP;
		change_put_since(l->since, clock, now - l->first_ns);
	} else if (l->up && l->slow && !l->told_slow) {
		change_put_since(l->since, clock, now - l->last_ns);
	}
}

/* Checks if a link that was not up when the command began has been up since, and no other cable was at its ports. */
static bool change_comes_and_goes(const struct view *v, const struct view_link *l)
{
	return l->count > 1 && l->rate.width && view_port(v, l->ends[0])->past == VIEW_NONE &&
	       view_port(v, l->ends[1])->past == VIEW_NONE;
}

/* Makes a link one that is known, and was down until now: that it comes and goes is reported, instead of that it is new. */
static void change_begin_down(struct view *v, struct view_link *l, uint64_t now, const struct timespec *clock)
{
	l->known = true;
	l->down_ns = l->last_ns;
	l->down_late = false;
	change_put_since(l->since, clock, now - l->last_ns);
	v->nodes[l->ends[1].node]->fresh = false;
}

/* Begins to count again how often a link goes down: from now on, or at an end that was not read in time, from the next
 * reading on. */
static void change_reset_downs(const struct view *v, struct view_link *l)
{
	for (int i = 0; i < 2; i++)
		if (!(l->downs.read & 1 << i))
			view_port(v, l->ends[i])->counted = false;
	l->downs = (struct view_downs){ .read = 0 };
}

/* Reports a link. Returns false if nothing is to be reported. */
static bool change_report(struct changes *c, struct view_link *l, uint64_t now, const struct timespec *clock,
			  struct event *e)
{
	bool reported;

	/* it has come and gone, or its port has another cable: the event of that names it */
	if (!l->references || view_link_of(c->view, l->ends[0]) != l) {
		l->flapping = false;
		return false;
	}
	if (!l->known && !l->up && change_comes_and_goes(c->view, l))
		change_begin_down(c->view, l, now, clock);
	if (!l->known && !l->up)
		return change_report_waiting(c, l, e);
	if (!l->known && !change_restore(c->view, l)) {
		reported = change_report_new(c, l, e);
		change_reset_downs(c->view, l);
		return reported;
	}
	reported = l->flapping ? change_flap(l, now, e) : change_state(c->view, l, e);
	change_begin_problem(l, now, clock);
	if (reported) {
		memcpy(e->since, l->since, sizeof(e->since));
		change_put_downs(l, e);
	}
	if (!l->flapping || reported) {
		change_reset_downs(c->view, l);
		change_accept(l);
		l->first_ns = now;
		l->count = 0;
		change_settle(c, l, reported ? e : NULL);
	}
	if (l->up) {
		l->down_ns = 0;
		if (!l->slow)
			l->since[0] = 0;
	}
	return reported;
}

bool change_take(struct changes *c, uint64_t now, const struct timespec *clock, struct event *e)
{
	struct view_link **at = &c->first;

	if (change_take_event(c, e))
		return true;
	while (*at) {
		struct view_link *l = *at;

		if (l->due_ns > now && (l->flapping || now - l->last_ns < CHANGE_NS(CHANGE_SETTLED_MS))) {
			at = &l->next;
			continue;
		}
		if (change_report(c, l, now, clock, e)) {
			if (!l->flapping)
				change_drop(c, at);
			return true;
		}
		if (l->flapping)
			at = &l->next;
		else
			change_drop(c, at);
	}
	return false;
}

void changes_free(struct changes *c)
{
	struct event e;

	while (change_take_event(c, &e))
		;
}
