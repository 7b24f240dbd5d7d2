/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of madwatch for one subnet. */
#ifndef SRC_WATCH_H
#define SRC_WATCH_H

#include "look.h"
#include "madwatch_options.h"
#include "request/subscription.h"
#include "log.h"

/* The subnet manager, as it was seen last. */
struct watch_master {
	uint32_t lid;      /* of the port that the local port names; 0: none */
	uint64_t guid;     /* of its port; 0: it has not responded yet */
	uint64_t doubtful; /* GUID of another port that has responded at the same LID, once; 0: none */
	uint8_t priority;
	bool gone;       /* it did not respond, which was reported */
	bool asked;      /* SMInfo is outstanding */
	bool kept;       /* it is from the file of --state, and has not responded yet */
	uint64_t due_ns; /* next SMInfo */
	char since[EVENT_SINCE_BYTES];
};

struct watch {
	struct subnet net;
	const struct madwatch_options *options;
	struct view view;
	struct changes changes;
	struct look look;
	struct log log;
	struct subscription subscription;
	struct watch_master master;
	int day;           /* of the first watch: struct log.day */
	bool found;        /* --state: the file existed */
	bool begun;        /* the first sweep has ended */
	bool subscribed;   /* subscription_begin() was called */
	bool cut_off;      /* the local port has no link */
	bool asks_sa;      /* the SA responded to the last request */
	uint64_t port_ns;  /* when the local port is checked again, port clock */
	uint64_t round_ns; /* when the next look is due */
	uint64_t rates_ns; /* when widths and speeds are read again */
	uint64_t traps;    /* Reports received */
	uint64_t kept;     /* --state: events that were in the file when it was written last */
	uint64_t keep_ns;  /* when it may be written again */
	bool keeps;        /* it has been written */
};

enum { WATCH_LINK_UP = 5 }; /* PortPhysicalState */

/* Checks if the local port has no link, by its properties. */
static inline bool watch_is_cut_off(const struct madkit_port_info *info)
{
	return info->port && !(info->unread & MADKIT_PORT_PHYS_STATE) && info->phys_state &&
	       info->phys_state != WATCH_LINK_UP;
}

/* ---- notice.c: Reports of traps ---------------------------------------------------------- */

/* The receive handler of the agent for Reports; its context is the struct watch. */
void notice_receive(struct madkit_agent *agent, struct madkit_recv *recv);
void notice_sent(struct madkit_agent *agent, struct madkit_send *send, int status);
/* Adds the traps to the subscription. Returns EXIT_DONE or EXIT_USAGE. */
int notice_subscribe(struct subscription *subscription);

/* ---- master.c: the subnet manager -------------------------------------------------------- */

/* Takes SMInfo, or NULL if there was no response: struct look.master. */
void master_take(void *context, const uint8_t *info, uint32_t lid);
/* Asks the subnet manager, if that is due, and notes that the port has another one. */
void master_tend(struct watch *watch, uint64_t now);

/* ---- round.c: the periodic look ---------------------------------------------------------- */

/* Looks for changes without a trap, if that is due. */
void round_tend(struct watch *watch, uint64_t now);
/* Looks for all changes as soon as possible. */
void round_all(struct watch *watch, enum view_by by);
/* Returns when something of this is due next. */
uint64_t round_due(const struct watch *watch);

#endif
