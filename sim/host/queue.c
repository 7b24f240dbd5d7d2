/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The queue of messages that a file holds until they are read. Its size is limited. */
#include <stdlib.h>
#include "sim/host/internal.h"

enum { SPARE_MAX = 1024 };

struct message *host_message_new(struct hosts *hosts, size_t size)
{
	static const struct sim_event lost = { .kind = EVENT_DROP,
					       .node = TOPOLOGY_NONE,
					       .why = DROP_NO_MEMORY };
	struct message *m = hosts->spare_messages;

	if (m && size <= MADKIT_MAD_BYTES) {
		hosts->spare_messages = m->next;
		hosts->nspare--;
	} else {
		if (size < MADKIT_MAD_BYTES)
			size = MADKIT_MAD_BYTES;
		m = malloc(sizeof(*m) + size);
		if (!m) {
			fabric_report(hosts->f, &lost);
			return NULL;
		}
		m->size = size;
	}
	m->next = NULL;
	m->out.status = 0;
	m->out.mad = m->bytes;
	m->out.len = 0;
	return m;
}

void host_message_free(struct hosts *hosts, struct message *m)
{
	if (m->size != MADKIT_MAD_BYTES || hosts->nspare == SPARE_MAX) {
		free(m);
		return;
	}
	m->next = hosts->spare_messages;
	hosts->spare_messages = m;
	hosts->nspare++;
}

void host_message_put(struct agent *agent, struct message *m)
{
	struct host_file *file = agent->file;
	struct hosts *hosts = file->host->hosts;

	if (file->queued >= hosts->queue_max) {
		const struct sim_event overflow = {
			.kind = EVENT_OVERFLOW,
			.node = file->host->port->node,
			.port = file->host->port->number,
			.count = ++file->lost,
		};

		host_message_free(hosts, m);
		fabric_report(hosts->f, &overflow);
		return;
	}
	m->out.id = agent->id;
	m->next = NULL;
	*file->end = m;
	file->end = &m->next;
	if (!file->queued++ && file->readable)
		file->readable(file->context);
}

bool host_next(const struct host_file *file, struct host_message *message)
{
	if (file->first)
		*message = file->first->out;
	return file->first;
}

void host_pop(struct host_file *file)
{
	struct message *m = file->first;

	if (!m)
		return;
	file->first = m->next;
	if (!file->first)
		file->end = &file->first;
	file->queued--;
	host_message_free(file->host->hosts, m);
}
