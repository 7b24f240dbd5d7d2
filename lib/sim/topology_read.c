/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Topology files: line by line into nodes and what their ports say they are linked to;
 * then, when all names are known, the links, which both ends have to tell alike. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim/topology.h"
#include "util/hex.h"

/* What a port's line says, with places in the text for what may be wrong with it.
 * line is 0 for a port that has none: no line of a port begins the text. */
struct said {
	uint32_t line;
	uint32_t name, name_len;
	uint32_t number;	/* where the peer's port stands, if it does */
	uint32_t guid_at, peer_guid_at, peer_lid_at, option_at;
	uint64_t peer_guid;
	uint16_t peer_lid;
	uint16_t speed;		/* of the link, as the comment has it; 0: not told */
	uint8_t width;
	uint8_t peer_port;
};

struct reader {
	const char *text;
	uint32_t len;
	uint32_t at;
	uint32_t end;		/* of the line that at is in */
	struct topology *t;
	struct madkit_error *error;
	struct said *said;	/* beside t->ports */
	uint32_t said_cap;
	uint32_t *lines;	/* where each node stands, beside t->nodes */
	uint32_t lines_cap;
	uint32_t node;		/* whose ports' lines may follow, or TOPOLOGY_NONE */
	const char *ended;	/* why there is none */
	/* told for the next node */
	uint64_t system_guid, port_guid;
	uint32_t vendor;
	uint16_t device;
	uint8_t told_guid;	/* the type of node, 0: none */
	bool told_system, told_port;
	uint64_t next[4];	/* GUID, by type */
	/* enabled at ports that do not say */
	uint8_t widths;
	uint16_t speeds;
};

/* ---- what is wrong ------------------------------------------------------------- */

__attribute__((format(printf, 4, 5)))
static int fail(struct reader *r, int code, uint32_t at, const char *format, ...)
{
	unsigned int line = 1;
	uint32_t begin = 0;
	char text[200];
	va_list args;

	for (uint32_t i = 0; i < at; i++)
		if (r->text[i] == '\n') {
			line++;
			begin = i + 1;
		}
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return madkit_error_set(r->error, code, (int)at, "line %u, column %u: %s",
				line, at - begin + 1, text);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Where the word at ends: at a blank or the end of the line. */
static uint32_t word_end(const struct reader *r, uint32_t at)
{
	while (at < r->end && !is_blank(r->text[at]))
		at++;
	return at;
}

static int expected(struct reader *r, const char *what)
{
	uint32_t n = word_end(r, r->at) - r->at;

	if (!n)
		return fail(r, -EINVAL, r->at, "expected %s, found %s", what,
			    r->at == r->end ? "the end of the line" : "a blank");
	return fail(r, -EINVAL, r->at, "expected %s, found '%.*s'", what,
		    (int)(n < 40 ? n : 40), r->text + r->at);
}

/* ---- words ---------------------------------------------------------------------- */

static void blanks(struct reader *r)
{
	while (r->at < r->end && is_blank(r->text[r->at]))
		r->at++;
}

static bool at_end(struct reader *r)
{
	blanks(r);
	return r->at == r->end;
}

static bool take(struct reader *r, const char *word)
{
	size_t n = strlen(word);

	if (r->end - r->at < n || memcmp(r->text + r->at, word, n))
		return false;
	r->at += (uint32_t)n;
	return true;
}

/* ... followed by what is no letter. */
static bool take_word(struct reader *r, const char *word)
{
	uint32_t at = r->at;

	if (!take(r, word))
		return false;
	if (r->at < r->end && (r->text[r->at] | 0x20) >= 'a' && (r->text[r->at] | 0x20) <= 'z') {
		r->at = at;
		return false;
	}
	return true;
}

/* ... up to a blank. */
static bool take_all(struct reader *r, const char *word)
{
	return word_end(r, r->at) - r->at == strlen(word) && take(r, word);
}

/* Decimal, 0x hex, or hex without it. */
static int number(struct reader *r, unsigned int base, uint64_t min, uint64_t max,
		  const char *what, uint64_t *value)
{
	uint32_t at = r->at;
	uint64_t v = 0;

	if (base == 10 && r->end - at > 2 && r->text[at] == '0' &&
	    (r->text[at + 1] | 0x20) == 'x')
		base = 16, at += 2;
	if (at == r->end || hex_digit(r->text[at]) < 0 ||
	    hex_digit(r->text[at]) >= (int)base)
		return expected(r, what);
	for (; at < r->end; at++) {
		int digit = hex_digit(r->text[at]);

		if (digit < 0 || digit >= (int)base)
			break;
		if (v > (UINT64_MAX - (unsigned int)digit) / base)
			goto range;
		v = v * base + (unsigned int)digit;
	}
	if (v >= min && v <= max) {
		r->at = at;
		*value = v;
		return 0;
	}
range:
	return fail(r, -ERANGE, r->at, "expected %s from %" PRIu64 " to %" PRIu64
		    ", found '%.*s'", what, min, max,
		    (int)(word_end(r, r->at) - r->at < 40 ? word_end(r, r->at) - r->at : 40),
		    r->text + r->at);
}

static int close_bracket(struct reader *r, char c)
{
	char what[] = "'?'";

	what[1] = c;
	if (r->at == r->end || r->text[r->at] != c)
		return expected(r, what);
	r->at++;
	return 0;
}

/* "(GUID)", in hex, if it is there: *where is set. */
static int paren_guid(struct reader *r, uint64_t *guid, uint32_t *where)
{
	uint32_t at = r->at;
	int ret;

	blanks(r);
	if (!take(r, "(")) {
		r->at = at;
		return 0;
	}
	*where = r->at;
	take(r, "0x");
	ret = number(r, 16, 1, UINT64_MAX, "a port GUID", guid);
	return ret ? ret : close_bracket(r, ')');
}

/* A name in quotes. */
static int quoted(struct reader *r, const char *what, uint32_t *at, uint32_t *len)
{
	const char *end;

	if (!take(r, "\""))
		return expected(r, what);
	end = memchr(r->text + r->at, '"', r->end - r->at);
	if (!end)
		return fail(r, -EINVAL, r->at - 1, "no '\"' ends this");
	*at = r->at;
	*len = (uint32_t)(end - r->text) - r->at;
	if (!*len)
		return fail(r, -EINVAL, r->at - 1, "expected %s, found '\"\"'", what);
	if (*len > TOPOLOGY_NAME_MAX)
		return fail(r, -E2BIG, r->at, "the name has %u bytes: at most %u", *len,
			    TOPOLOGY_NAME_MAX);
	if (memchr(r->text + *at, 0, *len))
		return fail(r, -EINVAL, r->at, "the name holds a zero byte");
	r->at += *len + 1;
	return 0;
}

/* A description in quotes: to the last of its line, for it may hold some. */
static int description(struct reader *r, uint32_t *at, uint32_t *len)
{
	uint32_t end = r->end;

	*at = ++r->at;
	while (end > *at && r->text[end - 1] != '"')
		end--;
	if (end == *at)
		return fail(r, -EINVAL, *at - 1, "no '\"' ends this");
	*len = end - 1 - *at;
	r->at = end;
	return 0;
}

static int lid(struct reader *r, uint16_t *lid)
{
	uint64_t v;
	int ret;

	blanks(r);
	ret = number(r, 10, 0, 0xffff, "a LID", &v);
	if (ret)
		return ret;
	*lid = (uint16_t)v;
	return 0;
}

static int lid_and_lmc(struct reader *r, struct topology_port *port)
{
	uint64_t v;
	int ret;

	if (take_word(r, "lid")) {
		ret = lid(r, &port->lid);
		if (ret)
			return ret;
	}
	blanks(r);
	if (take_word(r, "lmc")) {
		blanks(r);
		ret = number(r, 10, 0, 7, "an LMC", &v);
		if (ret)
			return ret;
		port->lmc = (uint8_t)v;
	}
	blanks(r);
	return 0;
}

/* "4xEDR"; what the printer did not know ("??", "???") is not told. */
static int rate(struct reader *r, struct said *said)
{
	unsigned int width = 0, speed = 0;

	if (!take(r, "??")) {
		for (width = TOPOLOGY_2X; width; width >>= 1)
			if (take(r, topology_width_name(width)))
				break;
		if (!width)
			return expected(r, "a link width (1x, 2x, 4x, 8x, 12x)");
	}
	if (!take_all(r, "???")) {
		for (speed = TOPOLOGY_XDR; speed; speed >>= 1)
			if (take_all(r, topology_speed_name(speed)))
				break;
		if (!speed)
			return expected(r, "a link speed (SDR, DDR, QDR, FDR10, FDR, "
					"EDR, HDR, NDR, XDR)");
	}
	said->width = (uint8_t)width;
	said->speed = (uint16_t)speed;
	return 0;
}

/* ---- a port's line ---------------------------------------------------------------- */

/* What is enabled at a port: w= widths, s= speeds, e= extended speeds. */
static int options(struct reader *r, struct topology_port *port, struct said *said)
{
	uint64_t v;
	int ret;

	while (!at_end(r) && r->text[r->at] != '#') {
		said->option_at = r->at;
		if (take(r, "w=")) {
			ret = number(r, 10, 1, 31, "link widths", &v);
			port->widths = (uint8_t)v;
		} else if (take(r, "s=")) {
			ret = number(r, 10, 0, 7, "link speeds", &v);
			/* ibsim's rule */
			if (!ret && !v)
				v = TOPOLOGY_QDR;
			port->speeds = (uint16_t)((port->speeds & ~7u) | v);
		} else if (take(r, "e=")) {
			ret = number(r, 10, 0, 15, "extended link speeds", &v);
			port->speeds = (uint16_t)((port->speeds & 7u) | v << 4);
		} else {
			return expected(r, "w=, s=, e= or a comment");
		}
		if (!ret && r->at < r->end && !is_blank(r->text[r->at]))
			ret = expected(r, "a blank");
		if (ret)
			return ret;
	}
	return 0;
}

/* # lid 5 lmc 0 "leaf1 rack1" lid 1 4xHDR ...; anything else is a comment. */
static int link_comment(struct reader *r, struct topology_port *port, struct said *said,
			bool is_switch)
{
	uint32_t at, len;
	int ret;

	if (!take(r, "#"))
		return 0;
	blanks(r);
	if (!is_switch && r->end - r->at > 4 && !memcmp(r->text + r->at, "lid ", 4)) {
		ret = lid_and_lmc(r, port);
		if (ret)
			return ret;
		if (r->at == r->end || r->text[r->at] != '"')
			return expected(r, "the peer's description in quotes");
	}
	if (r->at == r->end || r->text[r->at] != '"')
		return 0;
	ret = description(r, &at, &len);
	if (ret || at_end(r))
		return ret;
	if (!take_word(r, "lid"))
		return expected(r, "'lid'");
	blanks(r);
	said->peer_lid_at = r->at;
	ret = lid(r, &said->peer_lid);
	if (ret || at_end(r))
		return ret;
	return rate(r, said);
}

/* What ibnetdiscover -g puts behind a port's number. */
static int external(struct reader *r)
{
	uint64_t v;
	int ret;

	if (!take(r, "[ext "))
		return 0;
	ret = number(r, 10, 0, UINT32_MAX, "an external port number", &v);
	return ret ? ret : close_bracket(r, ']');
}

static int port_number(struct reader *r, unsigned int max, uint64_t *v)
{
	int ret = number(r, 10, 1, max, "a port number", v);

	return ret ? ret : close_bracket(r, ']');
}

static int port_line(struct reader *r)
{
	uint32_t begin = r->at++;
	struct topology_node *node;
	struct topology_port *port;
	struct said *said;
	uint64_t v;
	int ret;

	if (r->node == TOPOLOGY_NONE)
		return fail(r, -EINVAL, begin, "expected a node before its ports%s", r->ended);
	node = &r->t->nodes[r->node];
	ret = port_number(r, node->nports, &v);
	if (ret)
		return ret;
	port = topology_port(r->t, r->node, (unsigned int)v);
	said = &r->said[node->first + v];
	if (said->line)
		return fail(r, -EEXIST, begin + 1, "port %u of '%s' is linked already",
			    (unsigned int)v, node->name);
	said->line = begin;
	ret = external(r);
	/* a switch's ports have none of their own */
	if (!ret && node->type != TOPOLOGY_SWITCH)
		ret = paren_guid(r, &port->guid, &said->guid_at);
	if (ret)
		return ret;
	blanks(r);
	ret = quoted(r, "the peer's name in quotes", &said->name, &said->name_len);
	if (ret)
		return ret;
	blanks(r);
	said->number = r->at;
	said->peer_port = 1;
	if (take(r, "[")) {
		said->number = r->at;
		ret = port_number(r, TOPOLOGY_NODE_PORTS_MAX, &v);
		if (!ret)
			ret = external(r);
		if (ret)
			return ret;
		said->peer_port = (uint8_t)v;
	}
	ret = paren_guid(r, &said->peer_guid, &said->peer_guid_at);
	if (!ret)
		ret = options(r, port, said);
	if (!ret)
		ret = link_comment(r, port, said, node->type == TOPOLOGY_SWITCH);
	return ret;
}

/* ---- a node's line ---------------------------------------------------------------- */

/* Whether what follows a description without quotes begins here. */
static bool ends_description(const struct reader *r)
{
	static const char *const words[] = { " enhanced port ", " base port ", " lid ", " lmc " };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i]);

		if (r->end - r->at >= n && !memcmp(r->text + r->at, words[i], n))
			return true;
	}
	return false;
}

/* The description: in quotes, or as it is up to what else stands there. */
static int node_comment(struct reader *r, struct topology_node *node,
			struct topology_port *port0)
{
	uint32_t at, len;
	uint64_t v;
	int ret;

	if (at_end(r))
		return 0;
	if (!take(r, "#"))
		return expected(r, "a comment with the node's description");
	blanks(r);
	if (r->at < r->end && r->text[r->at] == '"') {
		ret = description(r, &at, &len);
		if (ret)
			return ret;
	} else {
		at = r->at;
		while (r->at < r->end && !ends_description(r))
			r->at++;
		for (len = r->at - at; len && is_blank(r->text[at + len - 1]);)
			len--;
		if (!len)
			return 0;
	}
	if (len > TOPOLOGY_DESCRIPTION_MAX)
		return fail(r, -E2BIG, at, "the description has %u bytes: at most %u", len,
			    TOPOLOGY_DESCRIPTION_MAX);
	if (memchr(r->text + at, 0, len))
		return fail(r, -EINVAL, at, "the description holds a zero byte");
	memcpy(node->description, r->text + at, len);
	node->description[len] = 0;
	if (node->type != TOPOLOGY_SWITCH || at_end(r))
		return 0;
	if (take_word(r, "enhanced"))
		node->enhanced = true;
	else if (!take_word(r, "base"))
		return 0;
	blanks(r);
	if (!take_word(r, "port"))
		return expected(r, "'port 0'");
	blanks(r);
	ret = number(r, 10, 0, 0, "port number", &v);
	blanks(r);
	return ret ? ret : lid_and_lmc(r, port0);
}

/* The GUID that ibnetdiscover's names have in them: S-0008f10400411a4e. */
static bool name_guid(const struct topology_node *node, uint64_t *guid)
{
	static const char letters[] = { [TOPOLOGY_CA] = 'H', [TOPOLOGY_SWITCH] = 'S',
					[TOPOLOGY_ROUTER] = 'R' };
	uint8_t bytes[8];

	if (node->name[0] != letters[node->type] || node->name[1] != '-' ||
	    strlen(node->name) != 18 || hex_decode(node->name + 2, 16, bytes, 8, NULL) != 8)
		return false;
	*guid = 0;
	for (int i = 0; i < 8; i++)
		*guid = *guid << 8 | bytes[i];
	return true;
}

/* Space beside the topology's own arrays. */
static int grow(struct reader *r)
{
	struct topology *t = r->t;

	if (r->said_cap < t->ports_cap) {
		struct said *said = realloc(r->said, t->ports_cap * sizeof(*said));

		if (!said)
			return -ENOMEM;
		memset(said + r->said_cap, 0, (t->ports_cap - r->said_cap) * sizeof(*said));
		r->said = said;
		r->said_cap = t->ports_cap;
	}
	if (r->lines_cap < t->nodes_cap) {
		uint32_t *lines = realloc(r->lines, t->nodes_cap * sizeof(*lines));

		if (!lines)
			return -ENOMEM;
		r->lines = lines;
		r->lines_cap = t->nodes_cap;
	}
	return 0;
}

static int no_memory(struct reader *r)
{
	return madkit_error_set(r->error, -ENOMEM, -1, "there is no memory for the topology");
}

static int node_guid(struct reader *r, struct topology_node *node, uint32_t name_at)
{
	uint64_t guid;
	bool named = name_guid(node, &guid);

	node->guid = r->next[node->type];
	if (named && r->told_guid == node->type && guid != node->guid)
		return fail(r, -EINVAL, name_at, "expected a name with the node's GUID "
			    "(0x%016" PRIx64 "), found '%s'", node->guid, node->name);
	if (named)
		node->guid = guid;
	if (!node->guid)
		return fail(r, -EINVAL, name_at, "expected a GUID that is not 0 for '%s'",
			    node->name);
	/* a dump that does not tell it found none */
	node->system_guid = r->told_system ? r->system_guid : named ? 0 : node->guid;
	/* as ibsim counts; the ports of a channel adapter have the GUIDs that follow */
	r->next[node->type] = node->guid +
		(node->type == TOPOLOGY_SWITCH ? 1u : node->nports + 1u);
	return 0;
}

static int node_line(struct reader *r, unsigned int type)
{
	struct topology_node node = { .type = (uint8_t)type, .vendor = r->vendor,
				      .device = r->device };
	struct topology_port port0 = { .peer = TOPOLOGY_NONE };
	uint32_t begin = r->at, at, len, owner;
	uint64_t v;
	int ret;

	blanks(r);
	ret = number(r, 10, 1, TOPOLOGY_NODE_PORTS_MAX, "a number of ports", &v);
	if (ret)
		return ret;
	node.nports = (uint8_t)v;
	blanks(r);
	ret = quoted(r, "the node's name in quotes", &at, &len);
	if (ret)
		return ret;
	memcpy(node.name, r->text + at, len);
	memcpy(node.description, r->text + at, len);
	ret = node_comment(r, &node, &port0);
	if (!ret)
		ret = node_guid(r, &node, at);
	if (ret)
		return ret;
	ret = topology_add(r->t, &node, &r->node);
	if (ret == -EEXIST)
		return fail(r, ret, at, "there is a node '%s' already", node.name);
	if (ret == -E2BIG)
		return fail(r, ret, begin, "too many nodes or ports: at most %u and %u",
			    TOPOLOGY_NODES_MAX, TOPOLOGY_PORTS_MAX);
	if (ret || grow(r))
		return no_memory(r);
	r->lines[r->node] = at;
	ret = topology_guid(r->t, r->node, &owner);
	if (ret == -EEXIST)
		return fail(r, ret, at, "'%s' has the GUID 0x%016" PRIx64 ", as '%s'",
			    node.name, node.guid, r->t->nodes[owner].name);
	if (ret)
		return no_memory(r);
	for (unsigned int p = 0; p <= node.nports; p++) {
		struct topology_port *port = topology_port(r->t, r->node, p);

		port->widths = r->widths;
		port->speeds = r->speeds;
	}
	if (type == TOPOLOGY_SWITCH) {
		port0.guid = r->told_port && r->told_guid == type ? r->port_guid : node.guid;
		port0.widths = r->widths;
		port0.speeds = r->speeds;
		*topology_port(r->t, r->node, 0) = port0;
	}
	r->vendor = 0;
	r->device = 0;
	r->told_guid = 0;
	r->told_system = r->told_port = false;
	return 0;
}

/* ---- the other lines ---------------------------------------------------------------- */

static int value(struct reader *r, uint64_t max, const char *what, uint64_t *v)
{
	blanks(r);
	if (!take(r, "="))
		return expected(r, "'='");
	blanks(r);
	return number(r, 10, 0, max, what, v);
}

/* switchguid=0x200001(200001) */
static int guid_line(struct reader *r, unsigned int type)
{
	uint32_t at = 0;
	int ret = value(r, UINT64_MAX, "a GUID", &r->next[type]);

	if (!ret && !r->next[type])
		return fail(r, -EINVAL, r->at - 1, "expected a GUID that is not 0");
	if (!ret && type == TOPOLOGY_SWITCH)
		ret = paren_guid(r, &r->port_guid, &at);
	r->told_guid = (uint8_t)type;
	r->told_port = at;
	return ret;
}

static int id_line(struct reader *r, unsigned int which)
{
	uint64_t v;
	int ret = value(r, which == 'v' ? 0xffffff : which == 'd' ? 0xffff : UINT64_MAX,
			which == 's' ? "a GUID" : "an identifier", &v);

	if (ret)
		return ret;
	if (which == 'v') {
		r->vendor = (uint32_t)v;
	} else if (which == 'd') {
		r->device = (uint16_t)v;
	} else {
		r->system_guid = v;
		r->told_system = true;
	}
	return 0;
}

static int default_line(struct reader *r, unsigned int which)
{
	uint64_t v;
	int ret;

	blanks(r);
	if (!take(r, "="))
		return expected(r, "'='");
	blanks(r);
	ret = number(r, 10, which != 'e', which == 'w' ? 31 : which == 's' ? 7 : 15,
		     "bits of PortInfo", &v);
	if (ret)
		return ret;
	if (which == 'w')
		r->widths = (uint8_t)v;
	else if (which == 's')
		r->speeds = (uint16_t)((r->speeds & ~7u) | v);
	else
		r->speeds = (uint16_t)((r->speeds & 7u) | v << 4);
	return 0;
}

/* ibnetdiscover -g tells of chassis. */
static int skip_line(struct reader *r, unsigned int unused)
{
	(void)unused;
	r->at = r->end;
	return 0;
}

static int refused_line(struct reader *r, unsigned int unused)
{
	(void)unused;
	return fail(r, -EINVAL, r->at, "ibsim's commands and modules are not for this");
}

static const struct {
	const char *name;
	int (*read)(struct reader *r, unsigned int which);
	unsigned int which;
	bool is_node;
} line_words[] = {
	{ "Switch", node_line, TOPOLOGY_SWITCH, true },
	{ "Ca", node_line, TOPOLOGY_CA, true },
	{ "Hca", node_line, TOPOLOGY_CA, true },
	{ "Rt", node_line, TOPOLOGY_ROUTER, true },
	{ "vendid", id_line, 'v', false },
	{ "devid", id_line, 'd', false },
	{ "sysimgguid", id_line, 's', false },
	{ "switchguid", guid_line, TOPOLOGY_SWITCH, false },
	{ "caguid", guid_line, TOPOLOGY_CA, false },
	{ "hcaguids", guid_line, TOPOLOGY_CA, false },
	{ "rtguid", guid_line, TOPOLOGY_ROUTER, false },
	{ "width", default_line, 'w', false },
	{ "speed", default_line, 's', false },
	{ "extspeed", default_line, 'e', false },
	{ "Chassis", skip_line, 0, false },
	{ "Hostname:", skip_line, 0, false },
	{ "Non-Chassis", skip_line, 0, false },
	{ "include", refused_line, 0, false },
	{ "module", refused_line, 0, false },
	{ "pdebug", refused_line, 0, false },
	{ "do", refused_line, 0, false },
};

static int read_line(struct reader *r)
{
	uint32_t begin = r->at;
	int ret;

	if (at_end(r)) {
		/* so does ibsim, and would not look at the ports that follow */
		r->ended = r->node == TOPOLOGY_NONE ? r->ended : ": an empty line ended it";
		r->node = TOPOLOGY_NONE;
		return 0;
	}
	if (r->text[r->at] == '#')
		return 0;
	if (r->text[r->at] == '[')
		return port_line(r);
	if (r->text[r->at] == '@')
		return fail(r, -EINVAL, r->at, "aliases of ports are not for this");
	if (r->at != begin)
		return expected(r, "a line that begins with no blank");
	for (size_t i = 0; i < sizeof(line_words) / sizeof(line_words[0]); i++) {
		if (!take_word(r, line_words[i].name))
			continue;
		if (!line_words[i].is_node) {
			r->node = TOPOLOGY_NONE;
			r->ended = "";
		}
		ret = line_words[i].read(r, line_words[i].which);
		if (!ret && !line_words[i].is_node && !at_end(r) && r->text[r->at] != '#')
			ret = expected(r, "the end of the line");
		return ret;
	}
	return expected(r, "a node (Switch, Ca, Hca, Rt), a port ([1]) or an identifier");
}

static int read_lines(struct reader *r)
{
	while (r->at < r->len) {
		const char *end = memchr(r->text + r->at, '\n', r->len - r->at);
		int ret;

		r->end = end ? (uint32_t)(end - r->text) : r->len;
		ret = read_line(r);
		if (ret)
			return ret;
		r->at = r->end + 1;
	}
	return 0;
}

/* ---- links -------------------------------------------------------------------------- */

/* A rate that is told is enabled, with all that is below it; where one end alone tells
 * it, at both. Where they tell different ones (ibnetdiscover(8) shows such a link) the
 * lower is that of the link. */
static void enable(struct topology_port *port, const struct said *own,
		   const struct said *other)
{
	unsigned int width = own->width ? own->width : other->width;
	unsigned int speed = own->speed ? own->speed : other->speed;

	if (width)
		port->widths = (uint8_t)(width | TOPOLOGY_1X |
			(width == TOPOLOGY_8X || width == TOPOLOGY_12X ? TOPOLOGY_4X : 0));
	if (speed)
		port->speeds = (uint16_t)(speed * 2 - 1);
}

static int check_rate(struct reader *r, const struct topology_port *port,
		      const struct said *said)
{
	unsigned int width = topology_width(r->t, port), speed = topology_speed(r->t, port);

	if (width && speed)
		return 0;
	return fail(r, -EINVAL, said->option_at ? said->option_at : said->name,
		    "the two ends of this link have no common %s", width ? "speed" : "width");
}

/* Whom a port's line names; both lines have to name each other. */
static int link_port(struct reader *r, uint32_t node, unsigned int number)
{
	const struct topology_node *own = &r->t->nodes[node], *peer;
	const struct said *said = &r->said[own->first + number], *other;
	uint32_t found = topology_find(r->t, r->text + said->name, said->name_len);

	if (found == TOPOLOGY_NONE)
		return fail(r, -ENOENT, said->name, "expected the name of a node, found '%.*s'",
			    (int)said->name_len, r->text + said->name);
	peer = &r->t->nodes[found];
	if (said->peer_port > peer->nports)
		return fail(r, -ERANGE, said->number, "'%s' has %u ports, found %u",
			    peer->name, peer->nports, said->peer_port);
	other = &r->said[peer->first + said->peer_port];
	if (!other->line)
		return fail(r, -EINVAL, said->name, "expected a line of '%s'[%u] that leads back "
			    "to '%s'[%u]", peer->name, said->peer_port, own->name, number);
	if (other->peer_port != number || other->name_len != strlen(own->name) ||
	    memcmp(r->text + other->name, own->name, other->name_len))
		return fail(r, -EINVAL, said->name, "'%s'[%u] leads to '%.*s'[%u], not back to "
			    "'%s'[%u]", peer->name, said->peer_port, (int)other->name_len,
			    r->text + other->name, other->peer_port, own->name, number);
	topology_link(r->t, node, number, found, said->peer_port);
	enable(topology_port(r->t, node, number), said, other);
	return 0;
}

/* What one end says of the other, once all is known that each says of itself. */
static int check_link(struct reader *r, uint32_t node, unsigned int number)
{
	struct topology_port *port = topology_port(r->t, node, number);
	const struct said *said = &r->said[r->t->nodes[node].first + number];
	const struct topology_node *peer = &r->t->nodes[port->peer];
	/* a switch has one LID and one GUID for all its ports */
	struct topology_port *end = topology_port(r->t, port->peer,
		peer->type == TOPOLOGY_SWITCH ? 0 : port->peer_port);

	if (said->peer_guid_at) {
		if (!end->guid)
			end->guid = said->peer_guid;
		if (end->guid != said->peer_guid)
			return fail(r, -EINVAL, said->peer_guid_at, "the GUID of '%s'[%u] is %"
				    PRIx64 ", found %" PRIx64, peer->name, port->peer_port,
				    end->guid, said->peer_guid);
	}
	if (said->peer_lid_at) {
		if (!end->lid)
			end->lid = said->peer_lid;
		if (end->lid != said->peer_lid)
			return fail(r, -EINVAL, said->peer_lid_at,
				    "the LID of '%s'[%u] is %u, found %u", peer->name,
				    port->peer_port, end->lid, said->peer_lid);
	}
	return check_rate(r, port, said);
}

/* ---- GUIDs of ports ------------------------------------------------------------------ */

static int add_port_guid(struct reader *r, uint32_t node, unsigned int number)
{
	uint32_t first = r->t->nodes[node].first, owner;
	const struct said *said = &r->said[first + number];
	int ret = topology_port_guid(r->t, first + number, &owner);

	if (ret == -EEXIST)
		return fail(r, ret, said->guid_at ? said->guid_at : r->lines[node],
			    "another port has the GUID %" PRIx64 " of '%s'[%u] already",
			    r->t->ports[first + number].guid, r->t->nodes[node].name, number);
	return ret ? no_memory(r) : 0;
}

/* Those that are told, then the others: ibsim's, behind the node's own, or the next in
 * steps that leave room for its other ports. */
static int port_guids(struct reader *r, bool told)
{
	for (uint32_t i = 0; i < r->t->nnodes; i++) {
		const struct topology_node *node = &r->t->nodes[i];
		unsigned int from = node->type != TOPOLOGY_SWITCH;
		unsigned int to = from ? node->nports : 0;

		for (unsigned int p = from; p <= to; p++) {
			struct topology_port *port = topology_port(r->t, i, p);
			int ret;

			if ((port->guid != 0) != told)
				continue;
			if (!told)
				port->guid = node->guid + p;
			for (int tries = 0; !told && tries < 16 &&
			     topology_has_port_guid(r->t, port->guid); tries++)
				port->guid += 0x100;
			ret = add_port_guid(r, i, p);
			if (ret)
				return ret;
		}
	}
	return 0;
}

/* A function for each port that has a line. */
static int each_link(struct reader *r, int (*what)(struct reader *, uint32_t, unsigned int))
{
	for (uint32_t i = 0; i < r->t->nnodes; i++) {
		const struct topology_node *node = &r->t->nodes[i];

		for (unsigned int p = 1; p <= node->nports; p++) {
			int ret = r->said[node->first + p].line ? what(r, i, p) : 0;

			if (ret)
				return ret;
		}
	}
	return 0;
}

static int read_all(struct reader *r)
{
	int ret = read_lines(r);

	if (ret)
		return ret;
	if (!r->t->nnodes)
		return madkit_error_set(r->error, -EINVAL, (int)r->len,
					"the topology has no nodes");
	ret = each_link(r, link_port);
	if (!ret)
		ret = each_link(r, check_link);
	if (!ret)
		ret = port_guids(r, true);
	return ret ? ret : port_guids(r, false);
}

int topology_read(const char *text, size_t len, struct topology **topology,
		  struct madkit_error *error)
{
	struct reader r = {
		.text = text,
		.t = topology_new(),
		.error = error,
		.node = TOPOLOGY_NONE,
		.ended = "",
		.next = { [TOPOLOGY_CA] = 0x100000, [TOPOLOGY_SWITCH] = 0x200000,
			  [TOPOLOGY_ROUTER] = 0x300000 },
		/* ibsim's: 4xSDR */
		.widths = TOPOLOGY_4X,
		.speeds = TOPOLOGY_SDR,
	};
	int ret;

	if (len > TOPOLOGY_BYTES_MAX) {
		topology_free(r.t);
		return madkit_error_set(error, -E2BIG, -1,
			"the topology has %zu bytes: at most %u", len, TOPOLOGY_BYTES_MAX);
	}
	r.len = (uint32_t)len;
	ret = r.t ? read_all(&r) : no_memory(&r);
	free(r.said);
	free(r.lines);
	if (ret)
		topology_free(r.t);
	else
		*topology = r.t;
	return ret;
}
