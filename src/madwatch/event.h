/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An event: a change as it is reported, in one line. */
#ifndef SRC_EVENT_H
#define SRC_EVENT_H

#include "view.h"

enum event_kind {
	EVENT_DOWN,
	EVENT_UP,
	EVENT_SLOW,
	EVENT_RATE,
	EVENT_FLAPPING,
	EVENT_STEADY,
	EVENT_INIT,
	EVENT_ACTIVE,
	EVENT_SILENT,
	EVENT_ANSWERS,
	EVENT_SM_GONE,
	EVENT_SM_BACK,
	EVENT_SM,
	EVENT_MOVED,
	EVENT_SWAPPED,
	EVENT_RECABLED,
	EVENT_REPLACED,
	EVENT_NODE_NEW,
	EVENT_LINK_NEW,
	EVENT_RENAMED,
	EVENT_KINDS
};

enum { EVENT_TEXT_BYTES = 256, EVENT_SINCE_BYTES = 24 };

/* A kind of event. */
struct event_type {
	const char *word;   /* in text: at most 8 characters */
	const char *rule;   /* of a problem; NULL: it is a difference */
	uint8_t difference; /* MADKIT_DIFFERENCE_...; 0: it is a problem */
	uint8_t severity;   /* MADKIT_SEVERITY_... */
	uint8_t change;     /* MADKIT_PROBLEM_EVENT_... */
};
extern const struct event_type event_types[EVENT_KINDS];

struct event {
	enum event_kind kind;
	uint8_t by;              /* enum view_by */
	struct view_end ends[2]; /* VIEW_NONE: none */
	bool link;               /* it is about the link between both ends */
	bool minor;              /* it closes a problem, and another event says why: not a line of text */
	bool node;               /* it is about the node of the first end */
	char text[EVENT_TEXT_BYTES];
	bool downed_known; /* LinkDownedCounter of its link has risen by downed, or by more */
	uint8_t downed;
	/* of a difference; "": none */
	char before[EVENT_TEXT_BYTES], after[EVENT_TEXT_BYTES];
	char since[EVENT_SINCE_BYTES]; /* of a problem: when it began */
};

/* Returns an event without ends. */
struct event event_new(enum event_kind kind, enum view_by by);
/* Returns an event of a link; of a node. */
struct event event_of_link(enum event_kind kind, enum view_by by, const struct view_link *link);
struct event event_of_node(enum event_kind kind, enum view_by by, uint32_t node);

/* Returns "trap", "sweep" or "restart". */
const char *event_by_name(uint8_t by);

/* Append the place: both ends of a link, a port, a node, or nothing; and the key, "down:0x.../7:0x.../1". */
void event_put_place(const struct view *view, struct madkit_buf *buf, const struct event *event);
void event_put_key(const struct view *view, struct madkit_buf *buf, const struct event *event);

/* Writes a number of nanoseconds as "0.3 s", "42 s" or "3 min". */
enum { EVENT_SPAN_BYTES = 24 };
const char *event_span(uint64_t ns, char text[EVENT_SPAN_BYTES]);

#endif
