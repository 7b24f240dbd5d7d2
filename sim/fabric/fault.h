/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fault injection: rules that drop, delay, duplicate, reorder, corrupt or garble packets as they leave a
 * port, at a random rate (from a seed) or for chosen packets. Rules of the action ANSWER do not change
 * packets: they apply to requests that an agent of a node processes. Other faults are fabric_cable(),
 * fabric_power() and pma_set().
 *
 * Each packet passes all rules in their order. After a drop, further rules are skipped; delays add up. Each
 * use of a rule is reported to the fabric's watcher, which must not change the rules.
 */
#ifndef SIM_FABRIC_FAULT_H
#define SIM_FABRIC_FAULT_H

#include <stdbool.h>
#include <stdint.h>
#include <madkit/error.h>
#include "sim/fabric/fabric.h"
#include "util/time.h"

enum fault_action {
	FAULT_DROP, /* lost on the cable: no counter shows the loss */
	FAULT_DELAY,
	FAULT_DUPLICATE, /* a copy arrives delay_ns after the packet */
	FAULT_REORDER,   /* a random delay of 1 to delay_ns: later packets overtake */
	FAULT_CORRUPT,   /* wrong CRC: the receiving port counts an error and drops it */
	FAULT_GARBLE,    /* 1 to 3 random bits of the MAD are flipped, undetected by any CRC */
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
	uint32_t
		node; /* node that the packet leaves; ANSWER: that receives the request; TOPOLOGY_NONE: any */
	int port;     /* -1: any */
	/* -1: any. Class 0x01 includes 0x81 (directed route). */
	int mgmt_class, method, attribute;
	uint32_t rate; /* per million of the matching packets: 1 to FAULT_RATE_ALL */
	/* If first is not 0, it replaces rate: the rule applies to count matching packets, beginning with the
	 * first-th (from 1). count 0: all further ones. */
	uint64_t first, count;
	uint64_t delay_ns; /* DELAY, REORDER: at least 1; DUPLICATE: may be 0 */
	/* ANSWER: the subject of the response instead of that of the request; at least one of them is set.
	 * -1: as in the request. as_port needs an attribute that selects a port. */
	int64_t as_modifier;
	int as, as_port;
};

struct fault {
	uint32_t id;
	struct fault_rule rule;
	uint64_t matched, done; /* packets that matched; packets that the rule was applied to */
};

struct faults;

/* Returns NULL if out of memory. The fabric must outlive the rules. */
struct faults *faults_new(struct fabric *f, uint64_t seed);
void faults_free(struct faults *faults);

/* Returns 0 and sets *id (from 1); -EINVAL if there is no such node or port, or the rule is not valid; -E2BIG
 * if there are FAULT_RULES_MAX rules; -ENOMEM. */
int fault_add(struct faults *faults, const struct fault_rule *rule, uint32_t *id);
/* Returns 0, or -ENOENT if there is no such rule. */
int fault_remove(struct faults *faults, uint32_t id);
void fault_clear(struct faults *faults);
/* Returns the rule with the lowest ID above this one (0: the first rule), or NULL. The pointer is valid until
 * the rules change. */
const struct fault *fault_next(const struct faults *faults, uint32_t id);

/* Returns "drop", "delay", "duplicate", "reorder", "corrupt", "garble" or "answer". */
const char *fault_action_name(enum fault_action action);

/* Parses a decimal number with up to six digits after the point, into millionths. The part before the point
 * is at most max. Returns 0 or -EINVAL. */
int fault_millionths(const char *text, size_t len, uint64_t max, uint64_t *value);

/*
 * Parses a rule. Blanks separate its words; if the text contains a newline, newlines separate them, and words
 * may contain blanks. The first word is an action, followed by any of
 *	node=NAME	a name or GUID; port=N
 *	class=CLASS	method=METHOD, attribute=ATTRIBUTE: by name or number
 *	rate=R		1 is all packets (the default), 0.01 or 1% is one in a hundred
 *	nth=N		the N-th packet that matches; nth=N+K: and the next K - 1; nth=N+: and all later ones
 *	delay=MS	milliseconds, with up to six digits after the point
 *	as=ATTRIBUTE	by name or number, as-modifier=N, as-port=N: only for "answer"
 * Returns 0; -EINVAL, -ENOENT, -ERANGE, or -EEXIST if several nodes match NAME; error names the word.
 */
int fault_parse(const struct topology *t, const char *words, struct fault_rule *rule,
		struct madkit_error *error);

#endif
