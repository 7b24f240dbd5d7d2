/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include <madkit/access.h>
#include <madkit/constants.h>
#include "baseline.h"
#include "cli/cli.h"

void baseline_free(struct baseline *b)
{
	if (!b)
		return;
	madkit_readings_free(b->readings);
	free(b->behind);
	madkit_buf_free(&b->list);
	free(b);
}

/* ---- the ports ------------------------------------------------------------------------------ */

static int baseline_compare(uint64_t guid, unsigned int number, uint64_t other_guid,
			    unsigned int other_number)
{
	if (guid != other_guid)
		return guid < other_guid ? -1 : 1;
	return number < other_number ? -1 : number > other_number;
}

/* Orders by GUID and number; a port with a reading is before the same one without. */
static int baseline_compare_ports(const void *a, const void *b)
{
	const struct baseline_port *p = a, *q = b;
	const int order = baseline_compare(p->node_guid, p->number, q->node_guid, q->number);

	return order ? order : q->read - p->read;
}

/* A port and the other end of its link. */
struct baseline_end {
	uint64_t guid;
	uint8_t number;
	uint32_t at; /* number of the port */
};

static int baseline_compare_ends(const void *a, const void *b)
{
	const struct baseline_end *p = a, *q = b;

	return baseline_compare(p->guid, p->number, q->guid, q->number);
}

/* Sorts the ports by the other ends of their links. Returns EXIT_DONE or EXIT_LOCAL. */
static int baseline_sort_ends(struct baseline *b)
{
	struct baseline_end *ends = calloc(b->nports + 1u, sizeof(*ends));

	b->behind = calloc(b->nports + 1u, sizeof(*b->behind));
	if (!ends || !b->behind) {
		free(ends);
		return cli_no_memory();
	}
	for (uint32_t i = 0; i < b->nports; i++)
		ends[i] = (struct baseline_end){ b->ports[i].peer_guid, b->ports[i].peer_number, i };
	qsort(ends, b->nports, sizeof(*ends), baseline_compare_ends);
	for (uint32_t i = 0; i < b->nports; i++)
		b->behind[i] = ends[i].at;
	free(ends);
	return EXIT_DONE;
}

int baseline_sort(struct baseline *b)
{
	uint32_t n = 0;

	b->ports = (struct baseline_port *)(void *)b->list.data;
	b->nports = (uint32_t)(b->list.len / sizeof(*b->ports));
	qsort(b->ports, b->nports, sizeof(*b->ports), baseline_compare_ports);
	for (uint32_t i = 0; i < b->nports; i++)
		if (!n || b->ports[i].node_guid != b->ports[n - 1].node_guid ||
		    b->ports[i].number != b->ports[n - 1].number)
			b->ports[n++] = b->ports[i];
	b->nports = n;
	return baseline_sort_ends(b);
}

/* ---- the subnet ------------------------------------------------------------------------------- */

static int baseline_compare_guids(const void *a, const void *b)
{
	const uint64_t *p = a, *q = b;

	return *p < *q ? -1 : *p > *q;
}

int baseline_check_subnet(struct baseline *b, const struct madkit_sweep *sweep)
{
	struct madkit_sweep_counts counts;
	uint64_t *guids;
	bool found = false;

	madkit_sweep_count(sweep, &counts);
	guids = calloc(counts.nodes + 1u, sizeof(*guids));
	if (!guids)
		return cli_no_memory();
	for (uint32_t i = 0; i < counts.nodes; i++)
		guids[i] = madkit_sweep_node(sweep, i)->guid;
	qsort(guids, counts.nodes, sizeof(*guids), baseline_compare_guids);
	for (uint32_t i = 0; i < b->nports; i++) {
		b->ports[i].present = bsearch(&b->ports[i].node_guid, guids, counts.nodes, sizeof(*guids),
					      baseline_compare_guids);
		found |= b->ports[i].present;
	}
	free(guids);
	if (found)
		return EXIT_DONE;
	cli_insist("%s %s is of another subnet: none of its nodes is in this one", b->option, b->path);
	return EXIT_MALFORMED;
}

const struct baseline_port *baseline_find(const struct baseline *b, uint64_t node_guid, uint8_t number)
{
	/* it is not after the same port with a reading */
	const struct baseline_port key = { .node_guid = node_guid, .number = number, .read = true };
	uint32_t low = 0, high = b->nports;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (baseline_compare_ports(&b->ports[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < b->nports && b->ports[low].node_guid == node_guid && b->ports[low].number == number ?
		       &b->ports[low] :
		       NULL;
}

const struct baseline_port *baseline_behind(const struct baseline *b, uint64_t peer_guid, uint8_t peer_number)
{
	uint32_t low = 0, high = b->nports;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		const struct baseline_port *p = &b->ports[b->behind[middle]];

		if (baseline_compare(p->peer_guid, p->peer_number, peer_guid, peer_number) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (!peer_guid || low == b->nports || b->ports[b->behind[low]].peer_guid != peer_guid ||
	    b->ports[b->behind[low]].peer_number != peer_number)
		return NULL;
	return &b->ports[b->behind[low]];
}

void baseline_note(struct baseline *b, const struct baseline_port *port)
{
	b->ports[port - b->ports].replaced = true;
}

/* ---- a port as a record -------------------------------------------------------------------------- */

/* Sets a text; "": it is not known. */
static void baseline_put_name(struct madkit_sweep_record *r, uint64_t field, const char *name)
{
	static const uint8_t first = 0xff;

	if (!*name)
		return;
	madkit_put_bytes(r->data, sizeof(r->data), field, name, strlen(name));
	/* the first bit of an element counts */
	madkit_put_bytes(r->known, sizeof(r->known), field, &first, 1);
}

static void baseline_put_number(struct madkit_sweep_record *r, uint64_t field, uint64_t value)
{
	madkit_put(r->data, sizeof(r->data), field, value);
	madkit_put(r->known, sizeof(r->known), field, UINT64_MAX >> (64 - (field >> 16 & 0xffff)));
}

void baseline_get_record(const struct baseline_port *port, struct madkit_sweep_record *r)
{
	madkit_sweep_record_init(r);
	baseline_put_name(r, MADKIT_PORT_OBJECT_NODE_NAME, port->name);
	baseline_put_number(r, MADKIT_PORT_OBJECT_NODE_GUID, port->node_guid);
	baseline_put_number(r, MADKIT_PORT_OBJECT_NUMBER, port->number);
	if (!port->peer_guid)
		return;
	baseline_put_name(r, MADKIT_PORT_OBJECT_PEER_NODE_NAME, port->peer_name);
	baseline_put_number(r, MADKIT_PORT_OBJECT_PEER_NODE_GUID, port->peer_guid);
	baseline_put_number(r, MADKIT_PORT_OBJECT_PEER_NUMBER, port->peer_number);
}
