/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ends of --route: the ports that its words mean. */
#include <stdlib.h>
#include <string.h>
#include "route.h"

static uint64_t route_get(const struct madkit_sweep_port *port, uint64_t field)
{
	uint64_t value = 0;

	if (port->state == MADKIT_SWEEP_ANSWERED)
		madkit_get(port->info, MADKIT_SWEEP_INFO_BYTES, field, &value);
	return value;
}

/* Chooses the port of a node: the named one, else the first active port with an unshared LID. named: -1: none. Returns
 * false if no port has a LID. */
static bool route_choose_port(const struct madkit_sweep *s, int named, struct route_end *end)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(s, end->at.node);
	const unsigned int first = n->type != MADKIT_NODE_TYPE_SWITCH, last = first ? n->nports : 0;
	unsigned int best = 0;

	for (unsigned int port = first; port <= last; port++) {
		const struct madkit_sweep_port *p = &n->ports[port];
		struct madkit_sweep_lids lids;
		const bool shared = madkit_sweep_lids(s, end->at.node, port, &lids) ==
				    MADKIT_SWEEP_LID_SHARED;
		/* port 0 of a switch has no link */
		const bool active = !port ||
				    route_get(p, MADKIT_PORT_INFO_LINK_STATE) == MADKIT_PORT_STATE_ACTIVE;
		const unsigned int rank = !lids.base ? 0 : (int)port == named ? 4 : shared ? 1 : 2 + active;

		if (rank > best) {
			best = rank;
			end->at.port = (uint8_t)port;
			end->lid = lids.base;
			end->shared = shared;
		}
	}
	return best;
}

/* Checks if the PortInfo of a port that could have a LID was not read. */
static bool route_is_unread(const struct madkit_sweep_node *n)
{
	const unsigned int first = n->type != MADKIT_NODE_TYPE_SWITCH, last = first ? n->nports : 0;

	for (unsigned int port = first; port <= last; port++)
		if (n->ports[port].state == MADKIT_SWEEP_SILENT ||
		    n->ports[port].state == MADKIT_SWEEP_REFUSED)
			return true;
	return false;
}

/* Refuses a LID that several ports have, because packets may arrive at another port. */
static int route_refuse_shared(struct exchange *x, const char *word, const struct route_end *end)
{
	return exchange_fail(x, EXIT_NOTHING, 0, "--route '%s': several ports have the LID %u", word,
			     end->lid);
}

static int route_find_end(struct exchange *x, const struct madkit_sweep *s, const char *word,
			  struct route_end *end)
{
	struct madkit_node_match match;
	struct subnet_place place;
	int status;

	*end = (struct route_end){ .at.node = MADKIT_SWEEP_NONE };
	madkit_sweep_find(s, word, &match);
	if (match.count && match.way == MADKIT_NODE_BY_LID) {
		uint64_t lid = 0;

		madkit_parse_number(word, strlen(word), UINT16_MAX, "LID", &lid, NULL);
		end->lid = (uint16_t)lid;
		end->shared = !madkit_path_port(s, end->lid, &end->at.node, &end->at.port);
		/* refuses a word that is also the name of another node */
		if (!end->shared)
			return subnet_find(x, s, "--route", word, &place);
		if (end->at.node != MADKIT_SWEEP_NONE)
			return route_refuse_shared(x, word, end);
	}
	status = subnet_find(x, s, "--route", word, &place);
	end->at.node = place.node;
	if (!status && !route_choose_port(s, place.port, end))
		status = exchange_fail(
			x, EXIT_NOTHING, 0, "--route '%s': %s", word,
			route_is_unread(madkit_sweep_node(s, end->at.node)) ?
				"the LID of this node is not known, because its PortInfo was not read" :
				"no port of this node has a LID: is a subnet manager running?");
	return status;
}

int route_find_ends(struct exchange *x, const struct madkit_sweep *s, const char *route, bool back,
		    struct route_end ends[2])
{
	const size_t len = strcspn(route, ",");
	char *first = strndup(route, len);
	int status = first ? route_find_end(x, s, first, &ends[0]) : cli_no_memory();

	if (!status && back && ends[0].shared)
		status = route_refuse_shared(x, first, &ends[0]);
	free(first);
	if (!status)
		status = route_find_end(x, s, route + len + 1, &ends[1]);
	return !status && ends[1].shared ? route_refuse_shared(x, route + len + 1, &ends[1]) : status;
}
