/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What goes wrong on purpose: rules that drop, delay, duplicate, reorder or corrupt packets
 * as they leave a port, at a rate or at chosen packets, by a seed. (A cable that is pulled
 * is fabric_cable(), a node that is switched off fabric_power(), a counter that is set
 * pma_set().) Rules of the action ANSWER do not change packets: they apply to requests that
 * an agent of a node processes.
 *
 * A packet goes through all rules in their order. Dropped, it goes no further; delays
 * add up. The fabric's watcher is told, and may not change the rules from there.
 */
#ifndef SIM_FABRIC_FAULT_H
#define SIM_FABRIC_FAULT_H

#include <stdbool.h>
#include <stdint.h>
#include <madkit/error.h>
#include "sim/fabric/fabric.h"
#include "util/time.h"

enum fault_action {
	FAULT_DROP, /* lost on the cable: nobody counts it */
	FAULT_DELAY,
	FAULT_DUPLICATE, /* a second one, delay_ns after the first */
	FAULT_REORDER,   /* a delay of 1 to delay_ns, by the seed: others overtake */
	FAULT_CORRUPT,   /* its CRC is wrong: the receiving port counts that and drops it */
	FAULT_GARBLE,    /* 1 to 3 bits of the MAD are flipped and no CRC tells */
	FAULT_ANSWER,    /* the response to a Get or Set is about something else */
	FAULT_ACTIONS
};

enum {
	FAULT_RULES_MAX = 256,
	FAULT_RATE_ALL = 1000000,
};
#define FAULT_DELAY_MAX_NS (3600 * NS_PER_S)

struct fault_rule {
	enum fault_action action;
	uint32_t node; /* of the port that is left; ANSWER: that receives the request; TOPOLOGY_NONE: any */
	int port;      /* -1: any */
	/* -1: any. Class 0x01 has those by directed route with it, which are 0x81 */
	int mgmt_class, method, attribute;
	uint32_t rate;         /* in a million, of those that match: 1 to FAULT_RATE_ALL */
	uint64_t first, count; /* or these: the first-th that matches (from 1) and count - 1
				 * after it; first 0: by rate. count 0: all */
	uint64_t delay_ns;     /* DELAY, REORDER: at least 1; DUPLICATE: 0 too */
	/* ANSWER: what the response is about instead, -1: as the request; at least one of them. An as_port
	 * needs an attribute that selects a port. */
	int64_t as_modifier;
	int as, as_port;
};

struct fault {
	uint32_t id;
	struct fault_rule rule;
	uint64_t matched, done; /* packets so far: that it was for, that it did it to */
};

struct faults;

/* NULL: no memory. The fabric has to live longer. */
struct faults *faults_new(struct fabric *f, uint64_t seed);
void faults_free(struct faults *faults);

/* 0 with *id, from 1; -EINVAL: no such node or port, or a number out of its range; -E2BIG:
 * there are FAULT_RULES_MAX; -ENOMEM. */
int fault_add(struct faults *faults, const struct fault_rule *rule, uint32_t *id);
/* 0; -ENOENT. */
int fault_remove(struct faults *faults, uint32_t id);
void fault_clear(struct faults *faults);
/* The rule with the lowest ID above this one (0: the first), until a call that changes
 * them; NULL: none. */
const struct fault *fault_next(const struct faults *faults, uint32_t id);

/* "drop", "delay", "duplicate", "reorder", "corrupt", "garble", "answer". */
const char *fault_action_name(enum fault_action action);

/* A decimal number with up to six digits after the point, in millionths; the part before the point is
 * at most max. 0, -EINVAL. */
int fault_millionths(const char *text, size_t len, uint64_t max, uint64_t *value);

/*
 * A rule in words with blanks between them, or, if there is a newline, with newlines between words
 * that may have blanks: an action, then any of
 *	node=NAME	name or GUID; port=N
 *	class=CLASS	method=METHOD attribute=ATTRIBUTE, by name or number
 *	rate=R		1 is all (the default), 0.01 or 1% one in a hundred
 *	nth=N		the N-th that matches; nth=N+K: and the K - 1 after it; nth=N+: and all
 *	delay=MS	milliseconds, with up to six digits after the point
 *	as=ATTRIBUTE	as-modifier=N as-port=N, of "answer": by name or number
 * 0; -EINVAL, -ENOENT, -ERANGE with error naming the word.
 */
int fault_parse(const struct topology *t, const char *words, struct fault_rule *rule,
		struct madkit_error *error);

#endif
