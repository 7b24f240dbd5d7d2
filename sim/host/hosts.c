/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All hosts of a fabric, with their deadlines. */
#include <errno.h>
#include <stdlib.h>
#include "sim/host/internal.h"

struct hosts *hosts_new(struct fabric *f, uint64_t seed, uint32_t queue_max)
{
	struct hosts *hosts = calloc(1, sizeof(*hosts));

	if (!hosts)
		return NULL;
	hosts->f = f;
	hosts->seed = seed;
	hosts->queue_max = queue_max ? queue_max : HOST_QUEUE_MAX;
	hosts->at = calloc(f->nports ? f->nports : 1, sizeof(struct host *));
	if (!hosts->at) {
		free(hosts);
		return NULL;
	}
	return hosts;
}

void hosts_free(struct hosts *hosts)
{
	if (!hosts)
		return;
	for (uint32_t i = 0; i < hosts->f->nports; i++) {
		struct host *host = hosts->at[i];

		while (host && !list_empty(&host->files))
			host_close(list_entry(host->files.next, struct host_file, link));
		if (host)
			host_issm_close(hosts, host->port->node, host->port->number);
		free(host);
	}
	for (struct send *s = hosts->spare_sends, *next; s; s = next) {
		next = s->next;
		free(s);
	}
	for (struct message *m = hosts->spare_messages, *next; m; m = next) {
		next = m->next;
		free(m);
	}
	table_free(&hosts->agents);
	table_free(&hosts->recvs);
	table_free(&hosts->sends);
	heap_free(&hosts->deadlines);
	free(hosts->at);
	free(hosts);
}

void hosts_report(struct hosts *hosts, const struct sim_event *event)
{
	fabric_report(hosts->f, event);
}

void hosts_set_tick(struct hosts *hosts, uint64_t tick_ns)
{
	hosts->tick = tick_ns;
}

uint64_t hosts_deadline(const struct hosts *hosts)
{
	return heap_due(&hosts->deadlines);
}

void hosts_process(struct hosts *hosts, uint64_t now)
{
	if (now > hosts->now)
		hosts->now = now;
	while (hosts->deadlines.count && heap_due(&hosts->deadlines) <= hosts->now) {
		struct timed *timed = list_entry(heap_first(&hosts->deadlines), struct timed, link);

		timed->due(timed);
	}
}

/* ---- umad and issm ------------------------------------------------------------------ */

/* Gets the host at an end port, which is created on first use. Returns 0, -EINVAL if there is no such end
 * port, or -ENOMEM. */
static int host_get_or_create(struct hosts *hosts, uint32_t node, unsigned int number, struct host **host)
{
	struct port *port = fabric_end_port(hosts->f, node, number);

	if (!port)
		return -EINVAL;
	*host = host_at(hosts, port);
	if (*host)
		return 0;
	*host = calloc(1, sizeof(**host));
	if (!*host)
		return -ENOMEM;
	(*host)->hosts = hosts;
	(*host)->port = port;
	list_init(&(*host)->files);
	hosts->at[port - hosts->f->ports] = *host;
	return 0;
}

int host_open(struct hosts *hosts, uint32_t node, unsigned int port, void (*readable)(void *context),
	      void *context, struct host_file **file)
{
	struct host *host;
	struct host_file *new;
	int ret = host_get_or_create(hosts, node, port, &host);

	if (ret)
		return ret;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->host = host;
	new->reach = HOST_QP0 | HOST_QP1;
	new->end = &new->first;
	new->readable = readable;
	new->context = context;
	list_add(&host->files, &new->link);
	*file = new;
	return 0;
}

void host_file_limit(struct host_file *file, unsigned int reach)
{
	file->reach = reach;
}

void host_close(struct host_file *file)
{
	if (!file)
		return;
	for (uint32_t id = 0; id < HOST_AGENTS_MAX; id++)
		if (file->agents[id])
			host_agent_free(file->agents[id]);
	while (file->first)
		host_pop(file);
	list_del(&file->link);
	free(file);
}

int host_issm_open(struct hosts *hosts, uint32_t node, unsigned int port)
{
	struct host *host;
	int ret = host_get_or_create(hosts, node, port, &host);

	if (ret)
		return ret;
	if (host->issm)
		return -EAGAIN;
	host->issm = true;
	return fabric_set_sm(hosts->f, node, port, true);
}

void host_issm_close(struct hosts *hosts, uint32_t node, unsigned int port)
{
	struct host *host;

	if (host_get_or_create(hosts, node, port, &host) || !host->issm)
		return;
	host->issm = false;
	fabric_set_sm(hosts->f, node, port, false);
}
