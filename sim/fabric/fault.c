/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/registry.h>
#include "sim/fabric/fault.h"
#include "sim/fabric/internal.h"
#include "util/array.h"
#include "util/random.h"

struct faults {
	struct fabric *f;
	struct random_state random;
	struct fault *rules; /* in the order of their IDs */
	uint32_t nrules, cap;
	uint32_t last; /* the ID of the newest rule */
};

static const char *const names[FAULT_ACTIONS] = {
	[FAULT_DROP] = "drop",       [FAULT_DELAY] = "delay",     [FAULT_DUPLICATE] = "duplicate",
	[FAULT_REORDER] = "reorder", [FAULT_CORRUPT] = "corrupt", [FAULT_GARBLE] = "garble",
	[FAULT_ANSWER] = "answer",
};

const char *fault_action_name(enum fault_action action)
{
	return (size_t)action < FAULT_ACTIONS ? names[action] : NULL;
}

struct faults *faults_new(struct fabric *f, uint64_t seed)
{
	struct faults *faults = calloc(1, sizeof(*faults));

	if (faults) {
		faults->f = f;
		faults->random.state = seed;
	}
	return faults;
}

void faults_free(struct faults *faults)
{
	if (!faults)
		return;
	fault_clear(faults);
	free(faults->rules);
	free(faults);
}

/* ---- rules ---------------------------------------------------------------------- */

/* Without rules, f->faults is NULL: packets skip the check. */
static void fault_hook(struct faults *faults)
{
	faults->f->faults = faults->nrules ? faults : NULL;
}

static bool in_range(int value, int max)
{
	return value >= -1 && value <= max;
}

static bool rule_ok(const struct fabric *f, const struct fault_rule *r)
{
	bool any = r->node == TOPOLOGY_NONE;
	bool waits = r->action == FAULT_DELAY || r->action == FAULT_REORDER;
	bool answers = r->as >= 0 || r->as_modifier >= 0 || r->as_port >= 0;

	return (size_t)r->action < FAULT_ACTIONS && (any || r->node < f->nnodes) &&
	       in_range(r->port, any ? TOPOLOGY_NODE_PORTS_MAX : f->nodes[r->node].nports) &&
	       in_range(r->mgmt_class, 0xff) && in_range(r->method, 0xff) && in_range(r->attribute, 0xffff) &&
	       (r->first || (r->rate && r->rate <= FAULT_RATE_ALL)) && r->delay_ns <= FAULT_DELAY_MAX_NS &&
	       (!waits || r->delay_ns) && answers == (r->action == FAULT_ANSWER) && in_range(r->as, 0xffff) &&
	       in_range(r->as_port, TOPOLOGY_NODE_PORTS_MAX) && r->as_modifier >= -1 &&
	       r->as_modifier <= UINT32_MAX;
}

int fault_add(struct faults *faults, const struct fault_rule *rule, uint32_t *id)
{
	if (!rule_ok(faults->f, rule))
		return -EINVAL;
	if (faults->nrules >= FAULT_RULES_MAX || faults->last == UINT32_MAX)
		return -E2BIG;
	if (array_room(&faults->rules, &faults->cap, faults->nrules, 1, sizeof(*faults->rules)))
		return -ENOMEM;
	*id = ++faults->last;
	faults->rules[faults->nrules++] = (struct fault){ .id = *id, .rule = *rule };
	fault_hook(faults);
	return 0;
}

int fault_remove(struct faults *faults, uint32_t id)
{
	for (size_t i = 0; i < faults->nrules; i++) {
		if (faults->rules[i].id != id)
			continue;
		faults->nrules--;
		memmove(faults->rules + i, faults->rules + i + 1,
			(faults->nrules - i) * sizeof(*faults->rules));
		fault_hook(faults);
		return 0;
	}
	return -ENOENT;
}

void fault_clear(struct faults *faults)
{
	faults->nrules = 0;
	fault_hook(faults);
}

const struct fault *fault_next(const struct faults *faults, uint32_t id)
{
	for (size_t i = 0; i < faults->nrules; i++)
		if (faults->rules[i].id > id)
			return &faults->rules[i];
	return NULL;
}

/* ---- packets --------------------------------------------------------------------- */

static bool fault_value_matches(int wanted, unsigned int value)
{
	return wanted < 0 || (unsigned int)wanted == value;
}

static bool fault_is_class(int wanted, uint8_t mgmt_class)
{
	return fault_value_matches(wanted, mgmt_class) ||
	       (wanted == MADKIT_CLASS_SUBN && mgmt_class == MADKIT_CLASS_SUBN_DR);
}

static bool fault_matches(const struct fault_rule *r, const struct packet *p, const struct port *out)
{
	return (r->node == TOPOLOGY_NONE || r->node == out->node) &&
	       fault_value_matches(r->port, out->number) &&
	       fault_is_class(r->mgmt_class, p->mad[MADKIT_MAD_CLASS]) &&
	       fault_value_matches(r->method, p->mad[MADKIT_MAD_METHOD]) &&
	       fault_value_matches(r->attribute, get_be16(p->mad + MADKIT_MAD_ATTRIBUTE));
}

/* Counts a packet that matches the rule. Returns true if the rule applies to it. */
static bool fault_is_chosen(struct faults *faults, struct fault *fault)
{
	const struct fault_rule *r = &fault->rule;

	fault->matched++;
	if (r->first)
		return fault->matched >= r->first && (!r->count || fault->matched - r->first < r->count);
	return random_below(&faults->random, FAULT_RATE_ALL) < r->rate;
}

static void fault_garble(struct faults *faults, struct packet *p)
{
	unsigned int flips = 1 + (unsigned int)random_below(&faults->random, 3);

	while (flips--) {
		unsigned int bit = (unsigned int)random_below(&faults->random, 8 * sizeof(p->mad));

		p->mad[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}

static void fault_duplicate(struct fabric *f, const struct packet *p, uint64_t due)
{
	/* In a routing loop, a packet may be duplicated at each port: limit that. */
	bool room = packet_room(f);
	struct packet *copy = room ? packet_new(f, &p->head, p->mad) : NULL;

	if (!copy)
		return;
	copy->hops = p->hops;
	copy->corrupt = p->corrupt;
	copy->port = p->port;
	packet_queue(f, copy, due);
}

/* Counts and reports a rule that is applied to a packet at a port. */
static void fault_tell(struct faults *faults, struct fault *fault, const struct packet *p,
		       const struct port *at)
{
	const struct sim_event event = {
		.kind = EVENT_FAULT,
		.node = at->node,
		.port = at->number,
		.name = names[fault->rule.action],
		.count = fault->id,
		.head = &p->head,
		.mad = p->mad,
	};

	fault->done++;
	fabric_report(faults->f, &event);
}

void fault_transmit(struct faults *faults, struct packet *p, struct port *out, uint64_t hop_ns)
{
	uint64_t due = faults->f->now + hop_ns;

	for (size_t i = 0; i < faults->nrules; i++) {
		struct fault *fault = &faults->rules[i];
		enum fault_action action = fault->rule.action;

		if (action == FAULT_ANSWER || !fault_matches(&fault->rule, p, out) ||
		    !fault_is_chosen(faults, fault))
			continue;
		fault_tell(faults, fault, p, out);
		switch (action) {
		case FAULT_DROP:
			packet_done(faults->f, p);
			return;
		case FAULT_DELAY:
			due += fault->rule.delay_ns;
			break;
		case FAULT_DUPLICATE:
			fault_duplicate(faults->f, p, due + fault->rule.delay_ns);
			break;
		case FAULT_REORDER:
			due += 1 + random_below(&faults->random, fault->rule.delay_ns);
			break;
		case FAULT_CORRUPT:
			p->corrupt = true;
			break;
		case FAULT_GARBLE:
			fault_garble(faults, p);
			break;
		case FAULT_ANSWER:
		case FAULT_ACTIONS:
			break;
		}
	}
	packet_queue(faults->f, p, due);
}

/* ---- the action ANSWER -------------------------------------------------------------- */

static void fault_put_port(uint8_t *mad, unsigned int port)
{
	const struct madkit_attribute *a = madkit_attribute_of(mad, MADKIT_MAD_BYTES, NULL);
	size_t data = madkit_attribute_offset(mad[MADKIT_MAD_BASE_VERSION], mad[MADKIT_MAD_CLASS], a);
	uint32_t modifier = get_be32(mad + MADKIT_MAD_MODIFIER);
	char text[16];

	if (a && madkit_attribute_port(a) == MADKIT_PORT_FIELD) {
		snprintf(text, sizeof(text), "%u", port);
		madkit_set(a->layout, mad + data, MADKIT_MAD_BYTES - data, "PortSelect", text, NULL, NULL);
	} else if (a && a->instances && a->instances->ports) {
		modifier &= ~(UINT32_C(0xff) << a->instances->port_shift);
		put_be32(mad + MADKIT_MAD_MODIFIER, modifier | port << a->instances->port_shift);
	}
}

static void fault_put_answer(const struct fault_rule *r, uint8_t *mad)
{
	mad[MADKIT_MAD_METHOD] = MADKIT_METHOD_GET;
	if (r->as >= 0)
		put_be16(mad + MADKIT_MAD_ATTRIBUTE, (uint16_t)r->as);
	if (r->as_modifier >= 0)
		put_be32(mad + MADKIT_MAD_MODIFIER, (uint32_t)r->as_modifier);
	if (r->as_port >= 0)
		fault_put_port(mad, (unsigned int)r->as_port);
}

bool fault_answer(struct faults *faults, const struct packet *p, const struct port *in, uint8_t *another)
{
	uint8_t method = p->mad[MADKIT_MAD_METHOD];
	bool any = false;

	if (method != MADKIT_METHOD_GET && method != MADKIT_METHOD_SET)
		return false;
	for (size_t i = 0; i < faults->nrules; i++) {
		struct fault *fault = &faults->rules[i];

		if (fault->rule.action != FAULT_ANSWER || !fault_matches(&fault->rule, p, in) ||
		    !fault_is_chosen(faults, fault))
			continue;
		if (!any)
			memcpy(another, p->mad, MADKIT_MAD_BYTES);
		any = true;
		fault_tell(faults, fault, p, in);
		fault_put_answer(&fault->rule, another);
	}
	return any;
}
