/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "health/partitions.h"
#include "health/problem.h"
#include "util/array.h"
#include "util/bits.h"
#include "wire/access.h"

enum {
	PARTITIONS_BLOCK = 32,    /* P_Keys of a block */
	PARTITIONS_FULL = 0x8000, /* bit of a full member */
	PARTITIONS_BASE = 0x7fff, /* identifies the partition */
};

/* Checks if a switch port drops packets by their P_Keys (IBA 10.9.8). */
static bool partitions_are_enforced(const struct madkit_sweep_port *p, bool *in, bool *out)
{
	*in = field_get(MADKIT_PORT_INFO_PART_ENFORCE_INB, p->info);
	*out = field_get(MADKIT_PORT_INFO_PART_ENFORCE_OUTB, p->info);
	return *in || *out;
}

/* Gets the port of a host behind a switch port that enforces partitions. */
static bool partitions_get(const struct madkit_health *h, struct sweep_place at, struct sweep_place *host)
{
	const struct madkit_sweep_port *p = health_port(h, at);
	bool in, out;

	if (health_node(h, at.node)->type != MADKIT_NODE_TYPE_SWITCH || !at.port ||
	    p->peer == MADKIT_SWEEP_NONE || p->state != MADKIT_SWEEP_ANSWERED ||
	    !partitions_are_enforced(p, &in, &out) ||
	    health_node(h, p->peer)->type == MADKIT_NODE_TYPE_SWITCH)
		return false;
	*host = (struct sweep_place){ p->peer, p->peer_port };
	return true;
}

int partitions_list(struct madkit_health *h)
{
	for (uint32_t i = 0; i < h->sweep->nnodes; i++)
		for (unsigned int port = 1; port <= health_node(h, i)->nports; port++) {
			struct sweep_place host;

			if (!partitions_get(h, (struct sweep_place){ i, (uint8_t)port }, &host))
				continue;
			if (health_add_port(h, i, port) || health_add_port(h, host.node, host.port))
				return -ENOMEM;
		}
	free(h->pairs);
	h->npairs = h->nports;
	h->pairs = calloc(h->npairs + 1, sizeof(*h->pairs));
	if (!h->pairs)
		return -ENOMEM;
	for (size_t i = 0; i < h->npairs; i++)
		h->pairs[i].at = (struct sweep_place){ h->ports[i].node, h->ports[i].port };
	return 0;
}

void partitions_take(struct madkit_health *h, size_t at, const uint8_t *data)
{
	struct health_partitions *p = &h->pairs[at];

	p->read = true;
	for (unsigned int i = 0; i < PARTITIONS_BLOCK; i++) {
		const uint16_t pkey = get_be16(data + 2 * i);

		if (!(pkey & PARTITIONS_BASE))
			continue;
		if (array_room(&p->keys, &p->cap, p->n, 1, sizeof(*p->keys))) {
			h->error = -ENOMEM;
			return;
		}
		p->keys[p->n++] = pkey;
	}
}

static bool partitions_have(const struct health_partitions *p, uint16_t pkey)
{
	for (uint32_t i = 0; i < p->n; i++)
		if ((p->keys[i] & PARTITIONS_BASE) == (pkey & PARTITIONS_BASE))
			return true;
	return false;
}

/* Judges the tables of a switch port and of the host at its link. */
static int partitions_judge_link(struct madkit_health *h, const struct health_partitions *port,
				 const struct health_partitions *host)
{
	struct problem_draft d;
	uint32_t lacking = 0;
	uint16_t lacked = 0;
	bool in, out;

	for (uint32_t i = 0; i < host->n; i++)
		if (!partitions_have(port, host->keys[i])) {
			lacked = host->keys[i];
			lacking++;
		}
	d = problem_of_port(h, RULE_PKEY,
			    host->n && lacking == host->n ? MADKIT_SEVERITY_CRITICAL :
							    MADKIT_SEVERITY_WARNING,
			    port->at.node, port->at.port);
	d.ends[1] = (struct madkit_health_place){ host->at.node, host->at.port };
	d.link = true;
	if (host->n && lacking == host->n) {
		madkit_buf_str(&h->text,
			       "the switch port has none of the P_Keys of the host, and enforces them");
		return problem_add(h, &d);
	}
	if (lacking) {
		madkit_buf_printf(&h->text,
				  "the switch port lacks P_Key 0x%04x of the host, and enforces P_Keys",
				  lacked & PARTITIONS_BASE);
		return problem_add(h, &d);
	}
	partitions_are_enforced(health_port(h, port->at), &in, &out);
	if (in == out)
		return 0;
	madkit_buf_printf(&h->text, "the switch port enforces P_Keys only %s", in ? "inbound" : "outbound");
	return problem_add(h, &d);
}

int partitions_judge(struct madkit_health *h)
{
	int ret = 0;

	for (size_t i = 0; i + 1 < h->npairs && !ret; i += 2)
		if (h->pairs[i].read && h->pairs[i + 1].read)
			ret = partitions_judge_link(h, &h->pairs[i], &h->pairs[i + 1]);
	return ret;
}
