/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes the events of links from how they are and how they were reported. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "change.h"
#include "subnet/port_values.h"

/* How long a link was down is not said if it is less. */
#define CHANGE_BRIEF_MS 100

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

/* Says how often a link has gone down, if it does so again and again, but too slowly to be flapping. */
static void change_put_falls(struct view_link *l, struct event *e)
{
	const uint64_t down_ns = l->told_up ? l->first_ns : l->last_ns;
	const size_t len = strlen(e->text);
	char span[EVENT_SPAN_BYTES];

	if (!l->falls || down_ns - l->falls_ns > CHANGE_NS(CHANGE_FALLS_MS)) {
		l->falls = 0;
		l->falls_ns = down_ns;
	}
	l->falls++;
	if (l->falls >= CHANGE_FALLS)
		snprintf(e->text + len, sizeof(e->text) - len, "%s%u times in %s", len ? "; " : "", l->falls,
			 event_span(down_ns - l->falls_ns, span));
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

void change_put_downs(const struct view_link *l, struct event *e)
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

bool change_flap(struct view_link *l, uint64_t now, struct event *e)
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

void change_put_init(const struct view *v, const struct view_link *l, struct event *e)
{
	const uint8_t state = view_port(v, l->ends[0])->state;
	char span[EVENT_SPAN_BYTES];

	*e = event_of_link(EVENT_INIT, l->by, l);
	snprintf(e->text, sizeof(e->text), "%s for %s: no subnet manager has activated it",
		 state < MADKIT_PORT_STATE_ACTIVE ? port_value_name("state", state) : "up, but not Active",
		 event_span(l->last_ns - l->init_ns, span));
}

bool change_state(const struct view *v, struct view_link *l, struct event *e)
{
	const bool slower = l->up && l->told.width && change_is_below(l->rate, l->told);

	if (l->init && !l->told_init && !l->told_up) {
		change_put_init(v, l, e);
	} else if (!l->up && (l->told_up || l->count > 1)) {
		*e = event_of_link(EVENT_DOWN, l->by, l);
		change_put_down(l, e);
		change_put_falls(l, e);
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

void change_connect(const struct view *v, const struct view_link *l, struct event *e)
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

bool change_restore(struct view *v, struct view_link *l)
{
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
