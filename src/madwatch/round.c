/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The periodic look, for changes without a trap. A change of a link sets PortStateChange in SwitchInfo of its switches. The
 * subnet manager resets it when it has read the ports; then its SA knows which ports are down. One request to each switch and
 * one to the SA therefore find every change that lasts. Without a manager, the bit stays set.
 */
#include <stdlib.h>
#include "request/request_args.h"
#include "util/array_size.h"
#include "watch.h"

enum {
	ROUND_MS = 30000,        /* unless --every sets another interval */
	ROUND_RATES_MS = 600000, /* between readings of all widths, speeds and names */
	ROUND_RECORD_BYTES = 4,  /* the part of PortInfoRecord that is used */
};

/* ---- the SA ------------------------------------------------------------------------------ */

/* Mixes the number of a port into a hash value. */
static uint64_t round_mix(uint64_t port)
{
	port = (port + 1) * UINT64_C(0x9e3779b97f4a7c15);
	return port ^ port >> 29;
}

/* Adds the ports of a table of PortInfoRecord to the hash values of their switches. */
static void round_take_records(struct watch *w, const struct madkit_message *m)
{
	struct madkit_record record;

	madkit_record_get(m, 0, &record);
	do {
		uint64_t lid = 0, port = 0;
		struct view_node *n;

		if (!record.data || record.len < ROUND_RECORD_BYTES)
			return;
		madkit_get(record.data, record.len, MADKIT_PORT_INFO_RECORD_ENDPORT_LID, &lid);
		madkit_get(record.data, record.len, MADKIT_PORT_INFO_RECORD_PORT_NUM, &port);
		n = view_of_lid(&w->view, (uint32_t)lid);
		if (n && view_is_switch(n))
			n->sa_next += round_mix(port);
	} while (madkit_record_next(&record));
}

/* Reads the switches of which the SA knows other ports as down than before. */
static void round_compare(struct watch *w, bool first)
{
	for (uint32_t i = 0; i < w->view.nnodes; i++) {
		struct view_node *n = w->view.nodes[i];

		if (n->sa_ports != n->sa_next && !first)
			look_ports(&w->look, i, LOOK_SOON, VIEW_BY_SWEEP);
		n->sa_ports = n->sa_next;
	}
}

/* Asks the SA which ports are down. */
static void round_ask_sa(struct watch *w)
{
	char words[][20] = { "GetTable", "PortInfoRecord", "PortState=Down" };
	char *argv[] = { words[0], words[1], words[2] };
	struct exchange *x = &w->net.x;
	struct request request = { .mad = NULL };
	struct answer answer = { .job.send = NULL };
	const bool first = !w->asks_sa;
	int status = request_build(x->options, argv, ARRAY_SIZE(argv), &request);

	if (!status)
		status = exchange_address(x, &request);
	if (!status)
		status = exchange_ask(x, &request, &answer);
	for (uint32_t i = 0; i < w->view.nnodes; i++)
		w->view.nodes[i]->sa_next = 0;
	if (!status)
		round_take_records(w, &answer.message);
	/* an empty table: no port is down */
	w->asks_sa = !status || status == EXIT_NOTHING;
	if (w->asks_sa)
		round_compare(w, first);
	answer_free(&answer);
	request_free(&request);
}

/* ---- the switches ------------------------------------------------------------------------ */

/* Reads the links of a node that came up, but were not Active when they were read last, and those to nodes that have not
 * responded yet. */
static void round_waiting(struct watch *w, const struct view_node *n)
{
	for (unsigned int port = 1; port <= n->nports; port++)
		if (n->ports[port].waits || (n->ports[port].state >= MADKIT_PORT_STATE_INITIALIZE &&
					     n->ports[port].link == VIEW_NONE))
			look_add(&w->look, LOOK_LINK, (struct view_end){ n->number, (uint8_t)port },
				 LOOK_LATER, VIEW_BY_SWEEP);
}

/* Reads all ports of a node that have a link, at the end that links are read at. */
static void round_links(struct watch *w, const struct view_node *n)
{
	for (unsigned int port = 1; port <= n->nports; port++) {
		const struct view_link *l = view_link(&w->view, n->ports[port].link);

		if (l && l->ends[0].node == n->number && l->ends[0].port == port)
			look_add(&w->look, LOOK_PORT, l->ends[0], LOOK_LATER, VIEW_BY_SWEEP);
	}
}

static void round_begin(struct watch *w, bool rates)
{
	for (uint32_t i = 0; i < w->view.nnodes; i++) {
		const struct view_node *n = w->view.nodes[i];

		round_waiting(w, n);
		if (rates) {
			round_links(w, n);
			look_add(&w->look, LOOK_NAME, (struct view_end){ i, 0 }, LOOK_LATER, VIEW_BY_SWEEP);
		}
		if (view_is_switch(n))
			look_add(&w->look, LOOK_SWITCH, (struct view_end){ i, 0 }, LOOK_LATER, VIEW_BY_SWEEP);
	}
}

void round_tend(struct watch *w, uint64_t now)
{
	const uint64_t every = w->options->every_ms ? w->options->every_ms : ROUND_MS;
	const bool rates = now >= w->rates_ns;

	if (w->cut_off || now < w->round_ns)
		return;
	w->round_ns = now + every * NS_PER_MS;
	/* the manager may have lost the port for a moment, and the subscription with it */
	w->subscription.renew_ns = 0;
	if (rates)
		w->rates_ns = now + ROUND_RATES_MS * NS_PER_MS;
	round_begin(w, rates && w->begun);
	if (w->net.x.info->sm_lid && !w->master.gone)
		round_ask_sa(w);
	else
		w->asks_sa = false;
}

void round_all(struct watch *w, enum view_by by)
{
	for (uint32_t i = 0; i < w->view.nnodes; i++)
		if (view_is_switch(w->view.nodes[i]))
			look_ports(&w->look, i, LOOK_LATER, by);
}

uint64_t round_due(const struct watch *w)
{
	return w->cut_off ? UINT64_MAX : w->round_ns;
}
