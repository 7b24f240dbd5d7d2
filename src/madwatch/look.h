/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads again what may have changed: ports of switches, and links by sweeps of one link. */
#ifndef SRC_LOOK_H
#define SRC_LOOK_H

#include "take.h"

/* Bits of struct view_port.queued. */
enum look_kind {
	LOOK_PORT,   /* PortInfo of a port of a switch */
	LOOK_FIRST,  /* the same, before what waits: its link may have changed with another one */
	LOOK_AGAIN,  /* the same, after some time */
	LOOK_LINK,   /* both ends of its link */
	LOOK_SWITCH, /* SwitchInfo: has a port changed its state? */
	LOOK_NAME,   /* NodeDescription */
	LOOK_NODE,   /* NodeInfo: is it still the same node? */
	LOOK_COUNT,  /* PortCounters of a port of a switch */
	LOOK_MASTER, /* SMInfo of the subnet manager; without a node */
};

enum look_class {
	LOOK_URGENT, /* links of a node that may be gone */
	LOOK_SOON,   /* ports of a switch that sent a trap */
	LOOK_COUNTS, /* counters of links that have changed */
	LOOK_LATER,  /* the periodic look */
	LOOK_GIDS, /* links of end ports that came or went: of a part of the subnet that is gone, there are many */
	LOOK_BASES, /* counters of all links, at the beginning */
	LOOK_CLASSES
};

enum {
	LOOK_REQUESTS = 64, /* outstanding; those without a response leave the window */
	LOOK_SMPS = 8,      /* in the window */
	LOOK_GMPS = 8,      /* requests for counters outstanding */
	LOOK_SLOTS = 4,     /* sweeps of one link */
	LOOK_RATE = 500,    /* MADs per second */
	LOOK_HOT_MS = 5000, /* a link that has changed may flap, or wait for the subnet manager */
};

/* A request that waits. */
struct look_entry {
	struct look_entry *next;
	struct view_end end;
	uint8_t kind, by;
	uint64_t due_ns; /* not before */
	uint64_t added_ns;
};

struct look_queue {
	struct look_entry *first, **last;
};

struct look_request {
	struct madkit_job job;
	struct look_entry *entry; /* NULL: not in use */
};

/* A sweep of one link. */
struct look_slot {
	struct madkit_sweep *sweep; /* NULL: not in use */
	struct look_entry *entry;
};

struct look {
	struct subnet *net;
	struct view *view;
	struct changes *changes;
	struct madkit_dispatcher *dispatcher;
	struct madkit_agent *direct, *routed; /* agents of SMPs */
	struct madkit_agent *counters;        /* NULL: counters are not read */
	uint32_t gmps;                        /* requests for counters outstanding */
	struct look_queue queues[LOOK_CLASSES];
	struct look_queue later; /* not due yet */
	struct look_request requests[LOOK_REQUESTS];
	struct look_slot slots[LOOK_SLOTS];
	uint64_t read; /* MADs whose results were taken */
	/* called with SMInfo, or NULL if the subnet manager does not respond */
	void (*master)(void *context, const uint8_t *info, uint32_t lid);
	void *context;
};

/* Returns EXIT_DONE or, with the reason in net->x.failure.why, another exit status. Free it in either case. */
int look_init(struct look *look, struct subnet *net, struct view *view, struct changes *changes);
void look_free(struct look *look);

/* Queue requests, unless they are queued already. Ports 1 to the last one of a switch; a port; the whole node. */
void look_ports(struct look *look, uint32_t node, enum look_class class, enum view_by by);
void look_add(struct look *look, enum look_kind kind, struct view_end end, enum look_class class,
	      enum view_by by);
/* Queues requests for the links of the route to a node, one of which may be down. */
void look_path(struct look *look, uint32_t node, enum look_class class, enum view_by by);
/* Queue requests for NodeInfo and the description of a node. */
void look_node(struct look *look, uint32_t node, enum view_by by);
/* The same, after some time. A port that is to be read later is read earlier if something else requires it. */
void look_add_later(struct look *look, enum look_kind kind, struct view_end end, enum view_by by,
		    uint32_t ms);

/* Queues requests for the counters of all links. */
void look_counters(struct look *look);

/* Drops requests that wait, and ends sweeps of links, because the local port has no link. */
void look_stop(struct look *look);

/* Takes results and sends requests, without waiting. Returns 0 or -errno. */
int look_step(struct look *look);

/* Checks if links are being read that may have changed with others. */
bool look_is_urgent(const struct look *look);
/* Checks if requests are outstanding or could be sent now. */
bool look_is_busy(const struct look *look);
/* Returns when a request is due, port clock; UINT64_MAX: none waits. */
uint64_t look_due(const struct look *look);
/* Waits for responses until then; returns earlier if there is something to do. Returns 0 or -errno. */
int look_wait(struct look *look, uint64_t until_ns);

/* ---- look_queue.c: requests that wait ------------------------------------------------------ */

void look_push(struct look_queue *queue, struct look_entry *entry);
struct look_entry *look_pop(struct look_queue *queue);
/* Returns the requests that wait at a port, a bit for each kind; NULL for requests without a node. */
uint8_t *look_queued(const struct look *look, struct view_end end);
/* Frees an entry; the same request may be queued again. */
void look_end(struct look *look, struct look_entry *entry);
/* Frees all entries of a queue. */
void look_drop(struct look *look, struct look_queue *queue);
/* Moves requests that are due to the urgent ones. */
void look_wake(struct look *look, uint64_t now);
/* Notes that a link has changed: it may flap, and others may have followed. */
void look_note_change(struct look *look, struct view_end end, enum view_by by, uint64_t now);
/* Reads a port again if its link has changed recently: after as much time as has passed since then. */
void look_watch(struct look *look, struct view_end end, enum view_by by, uint64_t now);

/* ---- look_ask.c: requests to a node ------------------------------------------------------ */

/* Returns a request that is not in use, or NULL. */
struct look_request *look_free_request(struct look *look);
/* Sends a request, or drops it. Returns 0 or -errno. */
int look_post(struct look *look, struct look_entry *entry);
/* Takes the results that have arrived. */
void look_collect(struct look *look);
/* Ends requests on routes that are no longer used: they are sent again by the new ones, if there are any. */
void look_reroute(struct look *look);
/* A switch did not respond: its route may be broken, or it is silent. */
void look_take_failure(struct look *look, const struct look_entry *entry);
/* Returns where the result of a request goes. */
struct take look_take(const struct look *look, const struct look_entry *entry);

/* ---- look_link.c: sweeps of one link ----------------------------------------------------- */

/* Returns a slot that is not in use, or NULL. */
struct look_slot *look_free_slot(struct look *look);
/* Begins to read both ends of a link. Returns 0 or -errno. */
int look_begin_link(struct look *look, struct look_slot *slot, struct look_entry *entry);
/* Continues the sweeps. Returns 0 or -errno. */
int look_step_links(struct look *look);
/* Checks if one is in progress. */
bool look_has_link(const struct look *look);

#endif
