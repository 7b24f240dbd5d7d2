/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "change.h"
#include "subnet/port_values.h"
#include "util/array_size.h"

#define CHANGE_NS(ms) ((ms)*NS_PER_MS)
/* A change that is not due is reported together with one that is, unless it is more recent. */
#define CHANGE_SETTLED_MS 500
/* How long a link was down is not said if it is less. */
#define CHANGE_BRIEF_MS 100

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

/* ---- the state of a link ----------------------------------------------------------------- */

/* Checks if the first rate is below the second one. */
static bool change_is_below(struct view_rate a, struct view_rate b)
{
	return madkit_sweep_gbps(a.width, a.speed) < madkit_sweep_gbps(b.width, b.speed);
}

static void change_put_down(const struct view_link *l, struct event *e)
{
	char was[VIEW_RATE_BYTES], span[EVENT_SPAN_BYTES];

	view_rate_text(l->told, was);
	if (!l->told_up)
		snprintf(e->text, sizeof(e->text), "it was up for %s",
			 event_span(l->last_ns - l->first_ns, span));
	else if (*was)
		snprintf(e->text, sizeof(e->text), "was %s", was);
}

/* Returns how exact the time is that a link was down: a change that a look has found was earlier. */
static const char *change_span_word(const struct view_link *l)
{
	const bool begin_late = l->told_up ? l->by != VIEW_BY_TRAP : l->down_late;
	const bool end_late = !l->told_up && l->by != VIEW_BY_TRAP;

	return begin_late && end_late ? "about " : begin_late ? "at least " : end_late ? "at most " : "";
}

static void change_put_up(const struct view_link *l, struct event *e)
{
	const bool other = l->told.width &&
			   (l->told.width != l->rate.width || l->told.speed != l->rate.speed);
	const uint64_t down_ns = l->last_ns - (l->told_up ? l->first_ns : l->down_ns);
	char rate[VIEW_RATE_BYTES], was[VIEW_RATE_BYTES], span[EVENT_SPAN_BYTES];
	size_t len;

	view_rate_text(l->rate, rate);
	view_rate_text(l->told, was);
	len = (size_t)snprintf(e->text, sizeof(e->text), "%s%s%s", rate, other ? ", was " : "",
			       other ? was : "");
	if (l->told_up ? down_ns >= CHANGE_NS(CHANGE_BRIEF_MS) : l->down_ns != 0)
		snprintf(e->text + len, sizeof(e->text) - len, "; was down for %s%s", change_span_word(l),
			 event_span(down_ns, span));
}

/* Finds how often a link went down, as its counters say: they are equal unless one was not read in time. Returns false if that
 * is not known. */
static bool change_downs(const struct view_link *l, uint8_t *downs)
{
	const struct view_downs *d = &l->downs;

	*downs = 0;
	for (int i = 0; i < 2; i++)
		if (d->read & ~d->reset & 1 << i && d->rise[i] > *downs)
			*downs = d->rise[i];
	return d->read & ~d->reset;
}

static void change_put_downs(const struct view_link *l, struct event *e)
{
	const size_t len = strlen(e->text);

	e->downed_known = change_downs(l, &e->downed);
	if (e->downed)
		snprintf(e->text + len, sizeof(e->text) - len, "%sLinkDowned %s+%u", len ? "; " : "",
			 l->downs.full ? ">= " : "", e->downed);
}

/* Returns the number of changes of a link: those that were seen, or more if its counters say so. */
static uint32_t change_total(const struct view_link *l)
{
	uint8_t downs;

	change_downs(l, &downs);
	return l->count && 2u * downs > l->count + !l->up ? 2u * downs - !l->up : l->count;
}

/* Makes the event of a link that goes up and down. Returns false if there is nothing to report yet, or no longer. */
static bool change_flap(struct view_link *l, uint64_t now, struct event *e)
{
	const bool first = !l->flap_told_ns, quiet = now - l->last_ns >= CHANGE_NS(CHANGE_WINDOW_MS);
	const bool silent = quiet && !first && !l->count && l->told_up == l->up && l->up;
	char span[EVENT_SPAN_BYTES];

	*e = event_of_link(quiet && !first ? EVENT_STEADY : EVENT_FLAPPING, l->by, l);
	if (l->count)
		snprintf(e->text, sizeof(e->text), "%" PRIu32 " in %s, now %s", change_total(l),
			 event_span((quiet ? l->last_ns : now) - l->first_ns, span), l->up ? "up" : "down");
	else
		snprintf(e->text, sizeof(e->text), "now %s", l->up ? "up" : "down");
	l->due_ns = l->last_ns + CHANGE_NS(CHANGE_WINDOW_MS);
	if (quiet) {
		l->flapping = false;
		l->flap_told_ns = 0;
		/* the line before says the same */
		e->minor = silent;
		return true;
	}
	if (!first && now - l->flap_told_ns < CHANGE_NS(CHANGE_REMIND_MS))
		return false;
	l->flap_told_ns = now;
	return true;
}

/* Makes the event of a link that no subnet manager activates. */
static void change_put_init(const struct view *v, const struct view_link *l, struct event *e)
{
	const uint8_t state = view_port(v, l->ends[0])->state;
	char span[EVENT_SPAN_BYTES];

	*e = event_of_link(EVENT_INIT, l->by, l);
	snprintf(e->text, sizeof(e->text), "%s for %s: no subnet manager has activated it",
		 state < MADKIT_PORT_STATE_ACTIVE ? port_value_name("state", state) : "up, but not Active",
		 event_span(l->last_ns - l->init_ns, span));
}

/* Makes the event of a link that is known, between the same ports. Returns false if nothing is to be reported. */
static bool change_state(const struct view *v, struct view_link *l, struct event *e)
{
	const bool slower = l->up && l->told.width && change_is_below(l->rate, l->told);

	if (l->init && !l->told_init && !l->told_up) {
		change_put_init(v, l, e);
	} else if (!l->up && (l->told_up || l->count > 1)) {
		*e = event_of_link(EVENT_DOWN, l->by, l);
		change_put_down(l, e);
	} else if (l->up && ((l->slow && !l->told_slow) || slower)) {
		*e = event_of_link(EVENT_SLOW, l->by, l);
		change_put_up(l, e);
	} else if (l->up && l->told_up && (l->told_slow != l->slow || change_is_below(l->told, l->rate))) {
		*e = event_of_link(EVENT_RATE, l->by, l);
		change_put_up(l, e);
	} else if (l->up && (!l->told_up || l->count > 1)) {
		*e = event_of_link(EVENT_UP, l->by, l);
		change_put_up(l, e);
	} else {
		return false;
	}
	return true;
}

/* ---- cables ------------------------------------------------------------------------------ */

static void change_put_end(const struct view *v, char text[EVENT_TEXT_BYTES], uint32_t node, int port)
{
	struct madkit_buf buf;

	madkit_buf_init(&buf, 0);
	view_put_place(v, &buf, node, port);
	snprintf(text, EVENT_TEXT_BYTES, "%.*s", (int)buf.len, buf.len ? buf.data : "");
	madkit_buf_free(&buf);
}

static bool change_same(struct view_end a, struct view_end b)
{
	return a.node == b.node && a.port == b.port;
}

/* A node has moved from the past link b to the present one l; or two have exchanged their places. */
static void change_put_move(const struct view *v, const struct view_link *l, const struct view_link *b,
			    struct event *e)
{
	const struct view_end from = view_other(b, l->ends[1]), node = l->ends[1];
	const struct view_link *now_there = view_link_of(v, from);
	const struct view_link *a = view_link(v, view_port(v, l->ends[0])->past);

	change_put_end(v, e->before, from.node, from.port);
	change_put_end(v, e->after, l->ends[0].node, l->ends[0].port);
	if (now_there && a && !now_there->known &&
	    change_same(view_other(now_there, from), view_other(a, l->ends[0]))) {
		e->kind = EVENT_SWAPPED;
		e->ends[1] = from;
		e->link = false;
		snprintf(e->text, sizeof(e->text), "the cables of both are exchanged");
		return;
	}
	e->kind = v->nodes[node.node]->nlinks == 1 ? EVENT_MOVED : EVENT_RECABLED;
	snprintf(e->text, sizeof(e->text), "was at %.200s", e->before);
}

/* Makes the event of a link that is new between these ports. */
static void change_connect(const struct view *v, const struct view_link *l, struct event *e)
{
	const struct view_link *a = view_link(v, view_port(v, l->ends[0])->past);
	const struct view_link *b = view_link(v, view_port(v, l->ends[1])->past);
	const struct view_node *far = v->nodes[l->ends[1].node];
	char rate[VIEW_RATE_BYTES];

	*e = event_of_link(EVENT_LINK_NEW, l->by, l);
	view_rate_text(l->rate, rate);
	if (b) {
		change_put_move(v, l, b, e);
		return;
	}
	if (!a) {
		e->kind = far->fresh ? EVENT_NODE_NEW : EVENT_LINK_NEW;
		change_put_end(v, e->after, l->ends[1].node, l->ends[1].port);
		snprintf(e->text, sizeof(e->text), "%s%s", far->fresh ? "new node; " : "new link; ", rate);
		return;
	}
	change_put_end(v, e->before, view_other(a, l->ends[0]).node, view_other(a, l->ends[0]).port);
	change_put_end(v, e->after, l->ends[1].node, l->ends[1].port);
	e->kind = far->fresh ? EVENT_REPLACED : EVENT_RECABLED;
	if (far->fresh)
		snprintf(e->text, sizeof(e->text), "0x%016" PRIx64 " in place of 0x%016" PRIx64 " (%.100s)",
			 far->guid, v->nodes[view_other(a, l->ends[0]).node]->guid, e->before);
	else
		snprintf(e->text, sizeof(e->text), "was connected to %.200s", e->before);
}

/* Checks if a link that is new between its ports was there before the last change, and restores its reported state. */
static bool change_restore(struct changes *c, struct view_link *l)
{
	struct view *v = c->view;
	const struct view_link *a = view_link(v, view_port(v, l->ends[0])->past);

	if (!a || !change_same(view_other(a, l->ends[0]), l->ends[1]))
		return false;
	l->known = true;
	l->told_up = a->told_up;
	l->told_slow = a->told_slow;
	l->told = a->told;
	l->down_ns = a->down_ns;
	l->down_late = a->down_late;
	memcpy(l->since, a->since, sizeof(l->since));
	l->open = a->open;
	view_forget(v, l->ends[0]);
	view_forget(v, l->ends[1]);
	return true;
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
	if (!l->references || view_link_of(c->view, l->ends[0]) != l)
		return false;
	if (!l->known && !l->up && change_comes_and_goes(c->view, l))
		change_begin_down(c->view, l, now, clock);
	if (!l->known && !l->up)
		return change_report_waiting(c, l, e);
	if (!l->known && !change_restore(c, l)) {
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
