/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "sweep_registers.h"
#include "sweep_summary.h"
#include "util/array_size.h"
#include "cli/wait.h"

/* The contents of the scope. */
struct sweeping_found {
	uint32_t nodes, links;
	uint32_t types[4];
	size_t slow, down; /* ports of the scope: slower than both ends enable, and down */
};

static uint32_t sweeping_links(const struct sweeping *s, uint32_t node)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(s->net.sweep, node);
	uint32_t links = 0;

	/* count each link once */
	for (unsigned int port = 0; port <= n->nports; port++) {
		const struct madkit_sweep_port *p = &n->ports[port];

		links += p->peer != MADKIT_SWEEP_NONE && area_has(&s->scope.area, p->peer) &&
			 (node < p->peer || (node == p->peer && port <= p->peer_port));
	}
	return links;
}

/* Counts a port of the scope as its row shows it. */
static void sweeping_find_port(const struct sweeping *s, const struct scope_port *at,
			       struct sweeping_found *found)
{
	struct madkit_sweep_record record;
	struct madkit_sweep_link link;
	uint64_t state;

	madkit_sweep_link_get(s->net.sweep, at->node, at->port, &link);
	found->slow += (link.limits & MADKIT_SWEEP_LINK_SLOW) != 0;
	madkit_sweep_record_get(s->net.sweep, at->node, at->port, &record);
	found->down += !madkit_get(record.data, sizeof(record.data), MADKIT_PORT_OBJECT_STATE, &state) &&
		       state == MADKIT_PORT_STATE_DOWN;
}

static struct sweeping_found sweeping_find(const struct sweeping *s)
{
	struct sweeping_found found = { .nodes = 0 };

	for (uint32_t i = 0; i < s->net.counts.nodes; i++) {
		const uint8_t type = madkit_sweep_node(s->net.sweep, i)->type;

		if (!area_has(&s->scope.area, i))
			continue;
		found.nodes++;
		found.types[type < 4 ? type : 0]++;
		found.links += sweeping_links(s, i);
	}
	for (size_t i = 0; s->net.sweep && i < s->scope.n; i++)
		sweeping_find_port(s, &s->scope.ports[i], &found);
	return found;
}

/* Totals of the sweep, its routes, and the requests to ports or nodes. */
struct sweeping_totals {
	uint64_t mads, resent, ns;
};

static struct sweeping_totals sweeping_total(const struct sweeping *s)
{
	return (struct sweeping_totals){
		.mads = s->earlier.sent + s->net.counts.sent + s->tally.mads + s->tally.sa_mads,
		.resent = s->earlier.resent + s->net.counts.resent + s->tally.resent + s->tally.sa_resent,
		.ns = s->net.sweep ? madkit_port_now(s->net.x.port) - s->net.begins_ns :
				     wait_elapsed_ns() - s->net.opens_ns,
	};
}

/* Writes the number of ports, of nodes and of blocks that were asked, with several requests as their sum. */
static void sweeping_write_asked(const struct sweeping *s, struct madkit_writer *w)
{
	static const char *const units[] = { "ports", "nodes", "blocks" };

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		uint64_t asked = 0;
		bool any = false;

		for (size_t j = 0; j < s->nrequests; j++) {
			const bool same = !strcmp(s->tallies[j].what, units[i]);

			asked += same ? s->tallies[j].asked : 0;
			any |= same;
		}
		if (any)
			madkit_writer_number(w, units[i], asked);
	}
}

/* Writes the results of the requests. */
static void sweeping_write_tally(const struct sweeping *s, struct madkit_writer *w)
{
	const struct survey_tally *t = &s->tally;

	madkit_writer_object(w, "requests");
	sweeping_write_asked(s, w);
	madkit_writer_number(w, "answered", t->answered);
	madkit_writer_number(w, "summed", t->summed);
	madkit_writer_number(w, "silent", t->silent);
	madkit_writer_number(w, "refused", t->refused);
	madkit_writer_number(w, "unsupported", t->unsupported);
	madkit_writer_number(w, "malformed", t->malformed);
	madkit_writer_number(w, "failed", t->failed);
	madkit_writer_number(w, "left_out", t->left_out);
	madkit_writer_number(w, "cut", t->cut);
	madkit_writer_number(w, "unfinished", t->unsent);
	madkit_writer_number(w, "unpaired", t->unpaired);
	madkit_writer_number(w, "mads", t->mads);
	madkit_writer_number(w, "resent", t->resent);
	madkit_writer_close(w);
}

/* Returns the word that follows a number. */
static const char *sweeping_plural(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

static void sweeping_tell_tally(const struct request *request, const struct survey_tally *t)
{
	const struct {
		uint64_t n;
		const char *what;
	} others[] = {
		{ t->summed, "not asked (the sum of their switch is 0)" },
		{ t->silent, "silent" },
		{ t->refused, "refused" },
		{ t->unsupported, "not supported" },
		{ t->malformed, "malformed" },
		{ t->failed, "failed" },
		{ t->left_out, "left out" },
		{ t->cut, "with one block" },
		{ t->unsent, "unfinished" },
		{ t->unpaired, "not compared" },
	};
	char text[320];
	int used = snprintf(text, sizeof(text), "%" PRIu64 " answered", t->answered);

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i].n)
			used += snprintf(text + used, sizeof(text) - (size_t)used, ", %" PRIu64 " %s",
					 others[i].n, others[i].what);
	cli_say("%s: %" PRIu64 " %.*s, %s; %" PRIu64 " %s, %" PRIu64 " resent", request->attribute_name,
		t->asked, (int)strlen(t->what) - (t->asked == 1), t->what, text, t->mads,
		sweeping_plural(t->mads, "MAD", "MADs"), t->resent);
}

/* Checks if all requests to ports or nodes have results. */
static bool sweeping_is_answered(const struct survey_tally *t)
{
	return !t->silent && !t->unread && !t->malformed && !t->failed && !t->left_out && !t->cut &&
	       !t->unsent && !t->unpaired;
}

/* The content of a summary. */
struct sweeping_summary {
	const struct sweeping *sweeping;
	struct sweeping_found found;
	struct sweeping_totals total;
};

static void sweeping_write_summary(const void *context, struct madkit_writer *w)
{
	const struct sweeping_summary *summary = context;
	const struct sweeping_found *found = &summary->found;
	const struct sweeping *s = summary->sweeping;
	const struct assertion *assertion = &s->net.x.out->assertion;

	madkit_writer_string(w, "via", s->net.common->sa ? "sa" : "smp");
	gaps_write(&s->gaps, sweeping_is_answered(&s->tally), w);
	madkit_writer_number(w, "nodes", found->nodes);
	madkit_writer_number(w, "cas", found->types[1]);
	madkit_writer_number(w, "switches", found->types[2]);
	madkit_writer_number(w, "routers", found->types[3]);
	madkit_writer_number(w, "links", found->links);
	madkit_writer_number(w, "ports", s->scope.n);
	madkit_writer_number(w, "ports_read", s->scope.read);
	madkit_writer_number(w, "slow", found->slow);
	madkit_writer_number(w, "down", found->down);
	madkit_writer_number(w, "shown", s->net.x.out->shown - s->shown);
	madkit_writer_number(w, "skipped", assertion->skipped - s->skipped);
	madkit_writer_number(w, "failed", assertion->failed - s->failed);
	madkit_writer_number(w, "mads", summary->total.mads);
	madkit_writer_number(w, "resent", summary->total.resent);
	madkit_writer_number(w, "elapsed_us", summary->total.ns / 1000);
	if (s->nrequests && !s->missed)
		sweeping_write_tally(s, w);
	sweep_registers_write(s->scope.registers, s->net.counts.nodes, w);
	if (s->routes.places && s->routes.npaths)
		route_write_summary(&s->routes, s->net.sweep, w);
}

static void sweeping_summary_json(struct sweeping *s, const struct sweeping_found *found,
				  const struct sweeping_totals *total)
{
	const struct sweeping_summary summary = { s, *found, *total };
	const struct madkit_object data = { sweeping_write_summary, &summary };
	struct madkit_message message;

	if (s->tally.unsent && s->net.sweep &&
	    (cli_stopped() || madkit_port_now(s->net.x.port) >= s->net.x.time.deadline_ns))
		s->gaps.missing |= MADKIT_SWEEP_UNFINISHED;
	s->net.x.seq++;
	exchange_message(&s->net.x, MADKIT_MESSAGE_SUMMARY, &message);
	exchange_object(&s->net.x, &message, &data);
}

/* Writes how many ports were read, and how many of them were chosen or shown. */
static void sweeping_put_ports(const struct sweeping *s, char *text, size_t size)
{
	const bool lists = !s->nrequests && s->options->shared.mode == MODE_SWEEP;
	const size_t read = s->scope.read;
	size_t n = lists ? s->net.x.out->shown - s->shown : s->scope.n;

	/* a port may be on both routes */
	if (s->routes.npaths && n == s->scope.n)
		n = route_count(&s->scope);
	/* rows of --links are links */
	if (lists && s->options->links)
		snprintf(text, size, "%zu shown", n);
	else if (n == read)
		snprintf(text, size, "%zu %s", read, sweeping_plural(read, "port", "ports"));
	else
		snprintf(text, size, "%zu of %zu %s%s", n, read, sweeping_plural(read, "port", "ports"),
			 lists ? " shown" : "");
}

/* Writes of how many ports, or of how many responses without a value, the assertion says nothing. */
static void sweeping_put_skipped(const struct sweeping *s, char *text, size_t size)
{
	const struct assertion *assertion = &s->net.x.out->assertion;
	const unsigned long n = assertion->skipped - s->skipped;

	if (n && assertion->null[0])
		snprintf(text, size, "; %lu %s without %s %s not checked", n,
			 sweeping_plural(n, "record", "records"), assertion->null,
			 sweeping_plural(n, "was", "were"));
	else if (n)
		snprintf(text, size, "; not asserted of %lu %s", n, sweeping_plural(n, "port", "ports"));
}

void sweeping_summary(struct sweeping *s)
{
	struct sweeping_totals total;
	struct sweeping_found found;
	char skipped[160] = "", ports[64], done[64] = "complete";
	const char *reason = gaps_reason(&s->gaps);

	/* after a deadline, requests that were still waiting may have been sent */
	if (s->net.sweep)
		madkit_sweep_count(s->net.sweep, &s->net.counts);
	total = sweeping_total(s);
	found = sweeping_find(s);
	sweep_registers_tell_left_out(s->scope.registers);
	sweep_registers_hint(s->scope.registers, s->net.counts.nodes);
	if (s->net.x.out->format == FORMAT_JSON) {
		sweeping_summary_json(s, &found, &total);
		return;
	}
	sweeping_put_skipped(s, skipped, sizeof(skipped));
	if (!gaps_none(&s->gaps) || !sweeping_is_answered(&s->tally))
		snprintf(done, sizeof(done), "incomplete%s%s%s", reason ? " (" : "", reason ? reason : "",
			 reason ? ")" : "");
	sweeping_put_ports(s, ports, sizeof(ports));
	cli_say("%s%s%s: %" PRIu32 " %s (%" PRIu32 " %s), %" PRIu32 " %s, %s, %zu slow, %zu down, %" PRIu64
		" silent%s; %" PRIu64 " %s, %" PRIu64 " resent, in %.3f s",
		s->net.titled ? (s->net.x.info ? s->net.x.info->device : s->net.x.spec) : "",
		s->net.titled ? ": " : "", done, found.nodes, sweeping_plural(found.nodes, "node", "nodes"),
		found.types[2], sweeping_plural(found.types[2], "switch", "switches"), found.links,
		sweeping_plural(found.links, "link", "links"), ports, found.slow, found.down,
		(uint64_t)s->gaps.silent, skipped, total.mads,
		s->nrequests      ? sweeping_plural(total.mads, "MAD", "MADs") :
		s->net.common->sa ? sweeping_plural(total.mads, "SA request", "SA requests") :
				    sweeping_plural(total.mads, "SMP", "SMPs"),
		total.resent, (double)total.ns / 1e9);
	if (s->net.common->sa && s->net.sweep)
		cli_say("from the subnet manager's last sweep; limited to the P_Keys of this port");
	for (size_t i = 0; i < s->nrequests && s->net.sweep && !s->missed; i++)
		sweeping_tell_tally(&s->requests[i], &s->tallies[i]);
	sweep_registers_tell_refused(s->scope.registers, s->net.counts.nodes);
	if (s->fallback_tally.asked)
		sweeping_tell_tally(&s->fallback, &s->fallback_tally);
}
