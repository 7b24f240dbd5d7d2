/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "batch_ahead.h"

void ahead_add(struct ahead *a, struct batch_job *job, enum ahead_queues queue)
{
	struct ahead_queue *q = &a->queues[queue];

	if (!q->first)
		q->end = &q->first;
	job->later = NULL;
	job->is_ahead = true;
	job->queue = (uint8_t)queue;
	*q->end = job;
	q->end = &job->later;
	a->n++;
	a->bytes += job->bytes;
}

void ahead_remove(struct ahead *a, struct batch_job *job)
{
	struct ahead_queue *q = &a->queues[job->queue];
	struct batch_job **at = &q->first;

	while (*at != job)
		at = &(*at)->later;
	*at = job->later;
	if (!*at)
		q->end = at;
	job->is_ahead = false;
	a->n--;
	a->bytes -= job->bytes;
}

struct batch_job *ahead_take(struct ahead *a, const bool room[AHEAD_QUEUES])
{
	struct batch_job *oldest = NULL;

	for (int queue = 0; queue < AHEAD_QUEUES; queue++) {
		struct batch_job *job = a->queues[queue].first;

		if (job && room[queue] && (!oldest || job->line < oldest->line))
			oldest = job;
	}
	if (oldest)
		ahead_remove(a, oldest);
	return oldest;
}

/* ---- registers ---------------------------------------------------------------------------- */

static bool ahead_is_register(const struct request *r)
{
	return r->header.mgmt_class == MADKIT_CLASS_MLNX &&
	       (r->header.attribute == MADKIT_ATTR_ACCESS_REGISTER_GMP ||
		r->header.attribute == MADKIT_ATTR_CONFIG_SPACE_ACCESS);
}

/* Occupies the node of a job. Returns false if it is occupied. */
static bool ahead_mark(struct ahead *a, struct batch_job *job)
{
	const uint16_t lid = (uint16_t)job->request.to.lid;
	const uint8_t bit = (uint8_t)(1u << lid % 8);

	if (a->occupied[lid / 8] & bit)
		return false;
	a->occupied[lid / 8] |= bit;
	job->occupies = true;
	return true;
}

bool ahead_occupy(struct ahead *a, struct batch_job *job)
{
	/* without a response, a request has no end to wait for */
	if (!ahead_is_register(&job->request) || !job->request.expects_response || ahead_mark(a, job))
		return true;
	ahead_add(a, job, AHEAD_HELD);
	return false;
}

void ahead_leave(struct ahead *a, const struct batch_job *job)
{
	const uint16_t lid = (uint16_t)job->request.to.lid;

	if (!job->occupies)
		return;
	a->occupied[lid / 8] &= (uint8_t) ~(1u << lid % 8);
	a->freed = true;
}

struct batch_job *ahead_take_held(struct ahead *a)
{
	struct batch_job *job = a->freed ? a->queues[AHEAD_HELD].first : NULL;

	while (job && !ahead_mark(a, job))
		job = job->later;
	a->freed = job;
	if (job)
		ahead_remove(a, job);
	return job;
}
