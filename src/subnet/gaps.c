/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "request/exchange.h"
#include "gaps.h"
#include "util/array_size.h"

enum { GAPS_NAMED = 10 };

static const struct {
	uint32_t bit;
	int status;
	const char *name, *text;
} gaps_reasons[] = {
	{ MADKIT_SWEEP_NO_LINK, EXIT_LOCAL, "no link", NULL }, /* gaps_tell_no_link() */
	{ MADKIT_SWEEP_NO_START, EXIT_TIMEOUT, "first node silent",
	  "the first node did not respond; perhaps it needs an M_Key (--m-key)" },
	{ MADKIT_SWEEP_BAD_START, EXIT_MALFORMED, "first node refused",
	  "the first node responded with an error status or a contradictory NodeInfo" },
	{ MADKIT_SWEEP_UNFINISHED, EXIT_TIMEOUT, "deadline", "the deadline ended the sweep" },
	{ MADKIT_SWEEP_WITHHELD, EXIT_TIMEOUT, "new nodes silent",
	  "three new nodes in a row did not respond, and no others were queried: perhaps they need another M_Key "
	  "(--m-key); --keep-going continues" },
	{ MADKIT_SWEEP_FULL, EXIT_MALFORMED, "too many nodes",
	  "there are more nodes, ports or duplicate GUIDs than madsweep can hold" },
	{ MADKIT_SWEEP_FAR, EXIT_MALFORMED, "too far", "some nodes are more than 63 hops away" },
	{ MADKIT_SWEEP_SA_SILENT, EXIT_TIMEOUT, "SA silent", "the subnet administrator did not respond" },
	{ MADKIT_SWEEP_SA_REFUSED, EXIT_STATUS, "SA refused", "the subnet administrator refused a request" },
	{ MADKIT_SWEEP_SA_SHORT, EXIT_MALFORMED, "table cut short",
	  "a table of the subnet administrator was cut short" },
	{ MADKIT_SWEEP_SA_FALSE, EXIT_MALFORMED, "records ignored",
	  "the subnet administrator sent records that cannot be true or contradict each other" },
	{ MADKIT_SWEEP_MISMATCH, EXIT_MALFORMED, "wrong response", NULL }, /* gaps_tell_mismatch() */
};

/* Returns the end port that a port belongs to. */
static unsigned int gaps_end(const struct madkit_sweep_node *n, unsigned int port)
{
	return n->type == MADKIT_NODE_TYPE_SWITCH ? 0 : port;
}

const char *gaps_duplicate(const struct madkit_sweep_node *n, unsigned int port)
{
	const uint8_t shared = n->ports[gaps_end(n, port)].shared;

	return n->duplicate                      ? "duplicate GUID" :
	       shared & MADKIT_SWEEP_SHARED_GUID ? "duplicate port GUID" :
	       shared & MADKIT_SWEEP_SHARED_LID  ? "duplicate LID" :
						   NULL;
}

static bool gaps_has_duplicate(const struct madkit_sweep_node *n)
{
	bool has = n->duplicate;

	for (unsigned int port = 0; port <= n->nports && !has; port++)
		has = gaps_duplicate(n, port);
	return has;
}

void gaps_find(const struct madkit_sweep *sweep, const struct area *area, struct gaps *gaps)
{
	struct madkit_sweep_counts counts;

	madkit_sweep_count(sweep, &counts);
	*gaps = (struct gaps){ .missing = counts.missing, .area = area };
	for (uint32_t i = 0; i < counts.nodes; i++) {
		const struct madkit_sweep_node *n = madkit_sweep_node(sweep, i);

		gaps->partial += area_lacks(area, i);
		gaps->silent += n->state == MADKIT_SWEEP_SILENT &&
				(area_has(area, i) || area_is_next(area, i));
		if (!area_has(area, i))
			continue;
		gaps->duplicates += gaps_has_duplicate(n);
		gaps->anonymous += !n->guid;
		for (unsigned int port = 0; port <= n->nports; port++) {
			gaps->silent += n->ports[port].far == MADKIT_SWEEP_SILENT;
			gaps->refused += n->ports[port].far == MADKIT_SWEEP_REFUSED;
		}
	}
}

bool gaps_none(const struct gaps *gaps)
{
	return !gaps->missing && !gaps->silent && !gaps->refused && !gaps->partial && !gaps->duplicates &&
	       !gaps->anonymous;
}

bool gaps_is_silent(const struct madkit_sweep *sweep, uint32_t node, unsigned int port, bool *gone)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(sweep, node);

	*gone = n->state == MADKIT_SWEEP_SILENT && port == n->number;
	return *gone || n->ports[port].far == MADKIT_SWEEP_SILENT;
}

/* ---- reports ----------------------------------------------------------------------- */

/* Describes a node by its name and its directed route: "leaf1 port 3 (0,1,3)". The GUID is added if there is
 * no port, and replaces an unknown name. */
static const char *gaps_place(const struct madkit_sweep *sweep, uint32_t node, int port, char text[160])
{
	const struct madkit_sweep_node *n = madkit_sweep_node(sweep, node);
	const char *map = madkit_sweep_name(sweep, n), *name = map ? map : (const char *)n->description;
	char at[20] = "", route[MADKIT_PATH_TEXT_MAX] = "", guid[24] = "";
	struct madkit_addr to;

	if (port < 0 || !*name)
		snprintf(guid, sizeof(guid), "0x%016" PRIx64 "%s", n->guid, *name ? " " : "");

	if (port >= 0)
		snprintf(at, sizeof(at), " port %d", port);
	if (madkit_sweep_route(sweep, node, &to))
		madkit_path_text(&to, route);
	snprintf(text, 160, "%s%.*s%s%s%.64s%s", guid, MADKIT_SWEEP_INFO_BYTES, name, at, *route ? " (" : "",
		 route, *route ? ")" : "");
	return text;
}

/* Returns how many nodes of a kind are named. */
static uint32_t gaps_named(const struct gaps *gaps)
{
	return gaps->all ? UINT32_MAX : GAPS_NAMED;
}

static void gaps_tell_more(uint32_t all, uint32_t told, const char *one, const char *several)
{
	if (all > told)
		cli_say("and %" PRIu32 " more %s", all - told, all - told == 1 ? one : several);
}

static void gaps_tell_silent(const struct madkit_sweep *sweep, uint32_t nodes, const struct gaps *gaps,
			     uint32_t named)
{
	uint32_t told = 0;
	char place[160];
	bool gone;

	for (uint32_t i = 0; i < nodes && told < named; i++)
		for (unsigned int port = 0; port <= madkit_sweep_node(sweep, i)->nports && told < named;
		     port++) {
			if (!gaps_is_silent(sweep, i, port, &gone) ||
			    !(area_has(gaps->area, i) || (gone && area_is_next(gaps->area, i))))
				continue;
			told++;
			if (gone)
				cli_say("no response any more from %s", gaps_place(sweep, i, -1, place));
			else
				cli_say("no response from the node behind %s",
					gaps_place(sweep, i, (int)port, place));
		}
	gaps_tell_more(gaps->silent, told, "place without a response", "places without a response");
	if (told)
		cli_say("a node is also silent if it needs another M_Key (--m-key)%s",
			gaps->silent > 1 ? "; several ports may lead to one node" : "");
}

static void gaps_tell_refused(const struct madkit_sweep *sweep, uint32_t nodes, const struct gaps *gaps,
			      uint32_t named)
{
	uint32_t told = 0;
	char place[160];

	for (uint32_t i = 0; i < nodes && told < named; i++)
		for (unsigned int port = 0; port <= madkit_sweep_node(sweep, i)->nports && told < named;
		     port++) {
			if (!area_has(gaps->area, i) ||
			    madkit_sweep_node(sweep, i)->ports[port].far != MADKIT_SWEEP_REFUSED)
				continue;
			told++;
			cli_say("an error status or a contradictory NodeInfo from the node behind %s",
				gaps_place(sweep, i, (int)port, place));
		}
	gaps_tell_more(gaps->refused, told, "such node", "such nodes");
}

static void gaps_tell_anonymous(const struct madkit_sweep *sweep, uint32_t nodes, const struct gaps *gaps)
{
	const uint32_t named = gaps_named(gaps);
	uint32_t told = 0;
	char place[160];

	for (uint32_t i = 0; i < nodes && told < named; i++) {
		if (!area_has(gaps->area, i) || madkit_sweep_node(sweep, i)->guid)
			continue;
		told++;
		cli_say("not a GUID: %s", gaps_place(sweep, i, -1, place));
	}
	gaps_tell_more(gaps->anonymous, told, "such node", "such nodes");
}

/* Reports the identifiers that an end port shares with another one. */
static void gaps_tell_shared(const struct madkit_sweep *sweep, uint32_t node, unsigned int port)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(sweep, node);
	const struct madkit_sweep_port *p = &n->ports[port];
	struct madkit_sweep_lids lids;
	char place[160], lid[8] = "";

	gaps_place(sweep, node, (int)port, place);
	if (!n->duplicate && p->shared & MADKIT_SWEEP_SHARED_GUID)
		cli_say("duplicate port GUID 0x%016" PRIx64 ": %s", p->guid, place);
	madkit_sweep_lids(sweep, node, port, &lids);
	if (lids.base)
		snprintf(lid, sizeof(lid), " %u", lids.base);
	if (p->shared & MADKIT_SWEEP_SHARED_LID)
		cli_say("duplicate LID%s: %s", lid, place);
}

static void gaps_tell_duplicates(const struct madkit_sweep *sweep, uint32_t nodes, const struct gaps *gaps)
{
	const uint32_t named = gaps_named(gaps);
	uint32_t told = 0;
	char place[160];

	for (uint32_t i = 0; i < nodes && told < named; i++) {
		const struct madkit_sweep_node *n = madkit_sweep_node(sweep, i);

		if (!area_has(gaps->area, i) || !gaps_has_duplicate(n))
			continue;
		told++;
		if (n->duplicate)
			cli_say("duplicate GUID: %s", gaps_place(sweep, i, -1, place));
		for (unsigned int port = 0; port <= n->nports; port++)
			gaps_tell_shared(sweep, i, port);
	}
	gaps_tell_more(gaps->duplicates, told, "such node", "such nodes");
}

static uint8_t gaps_port_info(const struct madkit_sweep_port *p)
{
	return p->state;
}

static uint8_t gaps_extended(const struct madkit_sweep_port *p)
{
	return p->extended;
}

static uint8_t gaps_wide(const struct madkit_sweep_port *p)
{
	return p->wide;
}

/* Appends an attribute of ports, if it has this state at any port. */
static void gaps_list_ports(const struct madkit_sweep_node *n, uint8_t state, const char *attribute,
			    uint8_t (*get)(const struct madkit_sweep_port *p), struct madkit_buf *text)
{
	unsigned int ports = 0, port = 0;

	for (unsigned int p = 0; p <= n->nports; p++) {
		if (get(&n->ports[p]) == state) {
			port = p;
			ports++;
		}
	}
	if (ports == 1)
		madkit_buf_printf(text, ", %s of port %u", attribute, port);
	else if (ports)
		madkit_buf_printf(text, ", %s of %u ports", attribute, ports);
}

/* Appends the attributes of a node with this state, and the reason. */
static void gaps_list_attributes(const struct madkit_sweep_node *n, uint8_t state, const char *reason,
				 struct madkit_buf *text)
{
	const size_t begin = text->len;

	if (n->described == state)
		madkit_buf_str(text, ", NodeDescription");
	if (n->switched == state)
		madkit_buf_str(text, ", SwitchInfo");
	gaps_list_ports(n, state, "PortInfo", gaps_port_info, text);
	/* a node that refuses these attributes does not have them */
	if (state == MADKIT_SWEEP_SILENT) {
		gaps_list_ports(n, state, "extended speeds in PortInfo", gaps_wide, text);
		gaps_list_ports(n, state, "MLNXExtendedPortInfo", gaps_extended, text);
		if (n->adaptive == state)
			madkit_buf_str(text, ", AdaptiveRoutingInfo");
	}
	if (text->len > begin)
		madkit_buf_printf(text, " (%s)", reason);
}

static void gaps_tell_partial(const struct madkit_sweep *sweep, uint32_t nodes, const struct gaps *gaps,
			      uint32_t named)
{
	uint32_t told = 0;
	char place[160];

	for (uint32_t i = 0; i < nodes && told < named; i++) {
		const struct madkit_sweep_node *n = madkit_sweep_node(sweep, i);
		struct madkit_buf text;

		if (!area_lacks(gaps->area, i))
			continue;
		told++;
		madkit_buf_init(&text, 0);
		gaps_list_attributes(n, MADKIT_SWEEP_SILENT, "no response", &text);
		gaps_list_attributes(n, MADKIT_SWEEP_REFUSED,
				     gaps->missing & MADKIT_SWEEP_MISMATCH ?
					     "error status or wrong response" :
					     "error status",
				     &text);
		if (text.len > 2)
			cli_say("not read from %s: %.*s", gaps_place(sweep, i, -1, place), (int)text.len - 2,
				text.data + 2);
		madkit_buf_free(&text);
	}
	gaps_tell_more(gaps->partial, told, "such node", "such nodes");
}

/* Describes an incomplete table of the SA, in parentheses. */
static void gaps_about_table(const struct madkit_sweep_counts *counts, uint32_t bit, char text[200])
{
	const struct madkit_attribute *a =
		madkit_attribute_get(MADKIT_BASE_VERSION_IB, MADKIT_CLASS_SA, counts->sa_attribute);
	char status[120];

	*text = '\0';
	if (bit == MADKIT_SWEEP_SA_FALSE)
		snprintf(text, 200, " (%" PRIu32 " %s)", counts->sa_false,
			 counts->sa_false == 1 ? "record" : "records");
	else if (bit == MADKIT_SWEEP_SA_SILENT && a)
		snprintf(text, 200, " (%s)", a->name);
	else if (bit == MADKIT_SWEEP_SA_SHORT && a && !counts->sa_total)
		snprintf(text, 200, " (%s: got %" PRIu32 " of an unknown number of records)", a->name,
			 counts->sa_got);
	else if (bit == MADKIT_SWEEP_SA_SHORT && a)
		snprintf(text, 200, " (%s: got %" PRIu32 " of %" PRIu32 " %s)", a->name, counts->sa_got,
			 counts->sa_total, counts->sa_total == 1 ? "record" : "records");
	else if (bit == MADKIT_SWEEP_SA_REFUSED && a && counts->sa_status) {
		madkit_status_text(MADKIT_CLASS_SA, counts->sa_status, status, sizeof(status));
		snprintf(text, 200, " (%s: %s)", a->name, status);
	}
}

/* Reports why nothing was found, also with --quiet. */
static void gaps_tell_no_link(const struct madkit_port_info *port)
{
	const char *state = exchange_phys_name(port);

	cli_insist("incomplete: %s has no link (%s): %s", port->device, state ? state : "unknown state",
		   state && !strcmp(state, "Disabled") ?
			   "enable the port" :
			   "check its cable, and whether the port at the other end is enabled");
}

/* Reports the difference between a request and its response. */
static void gaps_tell_mismatch(const struct madkit_sweep *sweep, const struct madkit_sweep_counts *counts)
{
	char place[160], route[MADKIT_PATH_TEXT_MAX];

	if (counts->mismatch_node != MADKIT_SWEEP_NONE)
		gaps_place(sweep, counts->mismatch_node, -1, place);
	else
		snprintf(place, sizeof(place), "node at %.120s",
			 madkit_path_text(&counts->mismatch_to, route));
	cli_say("incomplete: %s: %s", place, counts->mismatch.text);
	gaps_tell_more(counts->mismatches, 1, "response about something else than its request",
		       "responses about something else than their requests");
}

static const char *gaps_text(const struct gaps *gaps, size_t reason)
{
	if (gaps_reasons[reason].bit == MADKIT_SWEEP_UNFINISHED && cli_stopped())
		return "a signal ended the sweep";
	if (gaps_reasons[reason].bit == MADKIT_SWEEP_NO_START && gaps->sa)
		return "the tables of the subnet administrator do not contain the first node";
	if (gaps_reasons[reason].bit == MADKIT_SWEEP_NO_START && gaps->located)
		return "the first node did not respond";
	return gaps_reasons[reason].text;
}

int gaps_tell_missing(const struct madkit_sweep *sweep, const struct gaps *gaps)
{
	struct madkit_sweep_counts counts;
	int status = EXIT_DONE;
	char about[200];

	madkit_sweep_count(sweep, &counts);
	for (size_t i = 0; i < ARRAY_SIZE(gaps_reasons); i++) {
		if (!(gaps->missing & gaps_reasons[i].bit))
			continue;
		status = exit_worst(status, gaps_reasons[i].status);
		if (gaps_reasons[i].bit == MADKIT_SWEEP_NO_LINK) {
			gaps_tell_no_link(gaps->port);
			continue;
		}
		if (gaps_reasons[i].bit == MADKIT_SWEEP_MISMATCH) {
			gaps_tell_mismatch(sweep, &counts);
			continue;
		}
		gaps_about_table(&counts, gaps_reasons[i].bit, about);
		cli_say("incomplete: %s%s", gaps_text(gaps, i), about);
	}
	return status;
}

int gaps_tell(const struct madkit_sweep *sweep, const struct gaps *gaps, bool strict)
{
	struct madkit_sweep_counts counts;
	const uint32_t named = gaps_named(gaps);
	int status = gaps_tell_missing(sweep, gaps);

	madkit_sweep_count(sweep, &counts);
	gaps_tell_silent(sweep, counts.nodes, gaps, named);
	if (gaps->blind && (gaps->silent || gaps->missing & MADKIT_SWEEP_WITHHELD))
		cli_say("hint: use --m-key @DIR; its file neighbors says which port, and thus which M_Key, is behind each cable");
	gaps_tell_refused(sweep, counts.nodes, gaps, named);
	gaps_tell_partial(sweep, counts.nodes, gaps, named);
	gaps_tell_duplicates(sweep, counts.nodes, gaps);
	gaps_tell_anonymous(sweep, counts.nodes, gaps);
	if (gaps->refused || gaps->duplicates || gaps->anonymous)
		status = exit_worst(status, EXIT_MALFORMED);
	if ((gaps->silent || gaps->partial) && strict)
		status = exit_worst(status, EXIT_TIMEOUT);
	return status;
}

/* Returns the short name of a reason. */
static const char *gaps_name(size_t reason)
{
	return gaps_reasons[reason].bit == MADKIT_SWEEP_UNFINISHED && cli_stopped() ?
		       "signal" :
		       gaps_reasons[reason].name;
}

const char *gaps_reason(const struct gaps *gaps)
{
	for (size_t i = 0; i < ARRAY_SIZE(gaps_reasons); i++)
		if (gaps->missing & gaps_reasons[i].bit)
			return gaps_name(i);
	return NULL;
}

void gaps_write(const struct gaps *gaps, bool answered, struct madkit_writer *w)
{
	madkit_writer_bool(w, "complete", answered && gaps_none(gaps));
	madkit_writer_array(w, "missing");
	for (size_t i = 0; i < ARRAY_SIZE(gaps_reasons); i++)
		if (gaps->missing & gaps_reasons[i].bit)
			madkit_writer_string(w, NULL, gaps_name(i));
	madkit_writer_close(w);
	madkit_writer_number(w, "silent", gaps->silent);
	madkit_writer_number(w, "refused", gaps->refused);
	madkit_writer_number(w, "partial", gaps->partial);
	madkit_writer_number(w, "duplicates", gaps->duplicates);
}
