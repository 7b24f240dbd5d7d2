/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sweep/contact.h"
#include "util/array_size.h"
#include "util/time.h"

/*
 * Each unanswered contact could be the next silent one. After CONTACT_TRUST responses, only contacts older
 * than CONTACT_YOUNG_MS are assumed to be silent: waiting for each one would nearly double the duration of a
 * sweep.
 */
enum { CONTACT_TRUST = 8, CONTACT_YOUNG_MS = 10 };

void contact_begin(struct madkit_sweep *s, struct sweep_request *r)
{
	r->contact = true;
	r->order = ++s->contacts.order;
	list_add(&s->contacts.posted, &r->in_row);
}

static void contact_answered(struct sweep_contacts *c, uint64_t order)
{
	if (order <= c->answered)
		return;
	c->answered = order;
	while (!list_empty(&c->posted)) {
		struct sweep_request *first = list_entry(c->posted.next, struct sweep_request, in_row);

		if (first->order > order)
			break;
		list_del(&first->in_row);
	}
}

static void contact_silent(struct sweep_contacts *c, uint64_t order)
{
	for (size_t i = 0; i < ARRAY_SIZE(c->silent); i++) {
		if (c->silent[i] < order) {
			uint64_t lower = c->silent[i];

			c->silent[i] = order;
			order = lower;
		}
	}
}

void contact_end(struct madkit_sweep *s, struct sweep_request *r, bool answered)
{
	list_del(&r->in_row);
	s->contacts.count += answered;
	if (answered)
		contact_answered(&s->contacts, r->order);
	else if (r->phase == SWEEP_FIRST)
		contact_silent(&s->contacts, r->order);
	r->contact = false;
}

bool contact_blocked(const struct madkit_sweep *s, uint64_t now)
{
	const struct sweep_contacts *c = &s->contacts;
	size_t row = 0;

	if (s->attr.keep_going)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(c->silent); i++)
		row += c->silent[i] > c->answered;
	list_each(const struct sweep_request, r, &c->posted, in_row) {
		const bool young = now - r->job.posted_ns < CONTACT_YOUNG_MS * NS_PER_MS;

		if (row >= ARRAY_SIZE(c->silent) || (young && c->count >= CONTACT_TRUST))
			break;
		row++;
	}
	return row >= ARRAY_SIZE(c->silent);
}
