/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Transmits packets, and keeps the sends that are outstanding. */
#include <stdlib.h>
#include <string.h>
#include "sim/host/internal.h"

/* ---- transmission ----------------------------------------------------------------------- */

int host_transmit(struct hosts *hosts, const struct port *port, const struct fabric_head *head,
		  const uint8_t *mad)
{
	/* QP0 has its own lane, and no receiver accepts another base version */
	if (!head->qp != !head->source_qp || mad[MADKIT_MAD_BASE_VERSION] != MADKIT_BASE_VERSION_IB) {
		fabric_drop(hosts->f, port, DROP_MALFORMED, head, mad);
		return 0;
	}
	return fabric_send(hosts->f, port->node, port->number, head, mad, MADKIT_MAD_BYTES, hosts->now);
}

int host_send_transmit(const struct send *s, const uint8_t *mad)
{
	const struct host *host = s->agent->file->host;

	return s->agent->file->reach & HOST_ROCE ? 0 : host_transmit(host->hosts, host->port, &s->head, mad);
}

/* ---- outstanding sends ------------------------------------------------------------------ */

struct send *host_send_new(struct hosts *hosts)
{
	struct send *s = hosts->spare_sends;

	if (heap_reserve(&hosts->deadlines, hosts->ntimed + 1) ||
	    table_reserve(&hosts->sends, hosts->ntimed + 1))
		return NULL;
	if (s)
		hosts->spare_sends = s->next;
	else
		s = malloc(sizeof(*s));
	if (!s)
		return NULL;
	hosts->ntimed++;
	s->message = NULL;
	s->count = s->acked = 0;
	s->timed.link = (struct heap_link){ 0 };
	s->hashed = false;
	return s;
}

void host_send_free(struct send *s)
{
	struct hosts *hosts = s->agent->file->host->hosts;

	if (s->hashed)
		table_del(&hosts->sends, table_mix(0, s->tid), s);
	heap_remove(&hosts->deadlines, &s->timed.link);
	list_del(&s->of_agent);
	free(s->message);
	s->next = hosts->spare_sends;
	hosts->spare_sends = s;
	hosts->ntimed--;
}

/* As rcv_has_same_gid(): a response is matched by the local address that it was sent to, not by its
 * source. */
static bool outstanding_is_from(const struct send *s, const struct fabric_head *head, bool response,
				uint16_t lmc_mask)
{
	if (s->response == response || s->head.grh != head->grh)
		return false;
	if (!s->response && !head->grh)
		return !((s->to.path_bits ^ head->dlid) & lmc_mask);
	if (!s->response)
		return !memcmp(s->head.sgid, head->dgid, sizeof(head->dgid));
	if (!head->grh)
		return s->head.dlid == head->slid;
	return !memcmp(s->head.dgid, head->sgid, sizeof(head->sgid));
}

struct send *host_send_find(const struct agent *agent, const struct fabric_head *head, const uint8_t *mad)
{
	const struct host *host = agent->file->host;
	const struct hosts *hosts = host->hosts;
	uint64_t tid = get_be64(mad + MADKIT_MAD_TID);
	uint64_t lmc = field_get(MADKIT_PORT_INFO_LMC, host->port->info);
	bool response = madkit_mad_is_response(mad, MADKIT_MAD_BYTES);
	struct send *s;
	size_t step = 0;

	while ((s = table_next(&hosts->sends, table_mix(0, tid), &step)))
		if (s->agent == agent && s->tid == tid && s->mad[MADKIT_MAD_CLASS] == mad[MADKIT_MAD_CLASS] &&
		    (mad[MADKIT_MAD_CLASS] == MADKIT_CLASS_SUBN_DR ||
		     outstanding_is_from(s, head, response, (uint16_t)((1u << lmc) - 1))))
			break;
	return s;
}
