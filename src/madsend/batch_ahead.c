/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "batch_ahead.h"

void ahead_add(struct ahead *a, struct batch_job *job, bool smp)
{
	struct ahead_queue *q = &a->queues[smp];

	if (!q->first)
		q->end = &q->first;
	job->later = NULL;
	job->is_ahead = true;
	job->queue = smp;
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

struct batch_job *ahead_take(struct ahead *a, const bool room[2])
{
	struct batch_job *oldest = NULL;

	for (int smp = 0; smp < 2; smp++) {
		struct batch_job *job = a->queues[smp].first;

		if (job && room[smp] && (!oldest || job->line < oldest->line))
			oldest = job;
	}
	if (oldest)
		ahead_remove(a, oldest);
	return oldest;
}
