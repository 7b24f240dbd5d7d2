/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Changes of links, which are held and joined until they are events. */
#ifndef SRC_CHANGE_H
#define SRC_CHANGE_H

#include "event.h"

/* Milliseconds. */
enum {
	CHANGE_HOLD_MS = 2000,    /* both ends of a link, and all links of a node, are seen in this time */
	CHANGE_LATE_MS = 800,     /* so much longer if others may follow */
	CHANGE_WINDOW_MS = 5000,  /* VIEW_TIMES changes in this time: the link flaps */
	CHANGE_REMIND_MS = 60000, /* a link that goes on flapping is reported again */
	CHANGE_FALLS = 3,         /* a link that goes down so often in an hour is said to do so */
	CHANGE_FALLS_MS = 3600000,
};

#define CHANGE_NS(ms) ((ms)*NS_PER_MS)

/* An event that is not held. */
struct change_event {
	struct change_event *next;
	struct event event;
};

struct changes {
	struct view *view;
	struct view_link *first, **last; /* not reported yet, in the order of their first changes */
	struct change_event *events, **events_last;
	uint64_t last_ns; /* of the last change of any link, port clock */
};

void changes_init(struct changes *changes, struct view *view);

void changes_free(struct changes *changes);

/* Adds an event that is reported at once. Returns EXIT_DONE, or EXIT_LOCAL after a report. */
int change_add(struct changes *changes, const struct event *event);

/* Notes that a link has changed. */
void change_note(struct changes *changes, struct view_link *link, enum view_by by, uint64_t now);

/* Notes what LinkDownedCounter of an end of a link with a change was and is. */
void change_count(struct view_link *link, struct view_end end, const struct view_port *before, uint8_t is);

/* Accepts the links as they are, without events: they were there when the command began. */
void changes_accept(struct changes *changes);

/* Returns when the next change is due, port clock; UINT64_MAX: none is held. */
uint64_t changes_due(const struct changes *changes);

/*
 * Turns the next change into an event. Call it if a change is due (changes_due()), until it returns false: others that have
 * settled are reported together with that one. clock: time of day at now, to say since when a link is down.
 */
bool change_take(struct changes *changes, uint64_t now, const struct timespec *clock, struct event *event);

/* Finds out which problem of a link is open, by its state: of a link that a file has. */
void change_restore_open(struct view_link *link);

/* ---- change_link.c: events of links ------------------------------------------------------ */

/* Makes the event of a link that is known, between the same ports. Returns false if nothing is to be reported. */
bool change_state(const struct view *view, struct view_link *link, struct event *event);
/* Makes the event of a link that goes up and down. Returns false if there is nothing to report yet, or no longer. */
bool change_flap(struct view_link *link, uint64_t now, struct event *event);
/* Makes the event of a link that no subnet manager activates. */
void change_put_init(const struct view *view, const struct view_link *link, struct event *event);
/* Appends how often a link went down, as its counters say, to its event. */
void change_put_downs(const struct view_link *link, struct event *event);
/* Makes the event of a link that is new between these ports. */
void change_connect(const struct view *view, const struct view_link *link, struct event *event);
/* Checks if a link that is new between its ports was there before the last change, and restores its reported state. */
bool change_restore(struct view *view, struct view_link *link);

#endif
