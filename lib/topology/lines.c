/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines of a topology file: nodes, and the links of their ports. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "topology/text.h"
#include "util/array.h"
#include "util/array_size.h"
#include "util/bits.h"
#include "util/hex.h"

/* ---- a port's line ---------------------------------------------------------------- */

/* Reads the values enabled at a port: w= widths, s= speeds, e= extended speeds. */
static int line_options(struct reader *r, struct topology_port *port, struct said *said)
{
	uint64_t v;
	int ret;

	while (!read_at_end(r) && r->text[r->at] != '#') {
		said->option_at = r->at;
		if (read_take(r, "w=")) {
			ret = read_number(r, 10, 1, 31, "link widths", &v);
			port->widths = (uint8_t)v;
			said->widths = true;
		} else if (read_take(r, "s=")) {
			ret = read_number(r, 10, 0, 7, "link speeds", &v);
			/* same as ibsim */
			if (!ret && !v)
				v = TOPOLOGY_QDR;
			port->speeds = (uint16_t)((port->speeds & ~7u) | v);
			said->speeds = true;
		} else if (read_take(r, "e=")) {
			ret = read_number(r, 10, 0, 15, "extended link speeds", &v);
			port->speeds = (uint16_t)((port->speeds & 7u) | v << 4);
			said->speeds = true;
		} else {
			return read_expected(r, "w=, s=, e= or a comment");
		}
		if (!ret && r->at < r->end && !read_is_blank(r->text[r->at]))
			ret = read_expected(r, "a blank");
		if (ret)
			return ret;
	}
	return 0;
}

/* Reads # lid 5 lmc 0 "leaf1 rack1" lid 1 4xHDR ...; anything else is a comment. */
static int link_comment(struct reader *r, struct topology_port *port, struct said *said, bool is_switch)
{
	uint32_t at, len;
	int ret;

	if (!read_take(r, "#"))
		return 0;
	read_blanks(r);
	if (!is_switch && r->end - r->at > 4 && !memcmp(r->text + r->at, "lid ", 4)) {
		ret = read_lid_and_lmc(r, port);
		if (ret)
			return ret;
		if (r->at == r->end || r->text[r->at] != '"')
			return read_expected(r, "the peer's description in quotes");
	}
	if (r->at == r->end || r->text[r->at] != '"')
		return 0;
	ret = read_description(r, &at, &len);
	if (ret || read_at_end(r))
		return ret;
	if (!read_take_word(r, "lid"))
		return read_expected(r, "'lid'");
	read_blanks(r);
	said->peer_lid_at = r->at;
	ret = read_lid(r, &said->peer_lid);
	if (ret || read_at_end(r))
		return ret;
	return read_rate(r, said);
}

/* Reads the external port number that ibnetdiscover -g prints after a port number. */
static int line_external(struct reader *r)
{
	uint64_t v;
	int ret;

	if (!read_take(r, "[ext "))
		return 0;
	ret = read_number(r, 10, 0, UINT32_MAX, "an external port number", &v);
	return ret ? ret : read_close_bracket(r, ']');
}

static int port_number(struct reader *r, unsigned int max, uint64_t *v)
{
	int ret = read_number(r, 10, 1, max, "a port number", v);

	return ret ? ret : read_close_bracket(r, ']');
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
		return read_fail(r, -EINVAL, begin, "expected a node before its ports%s", r->ended);
	node = &r->t->nodes[r->node];
	ret = port_number(r, node->nports, &v);
	if (ret)
		return ret;
	port = topology_port(r->t, r->node, (unsigned int)v);
	said = &r->said[node->first + v];
	if (said->line)
		return read_fail(r, -EEXIST, begin + 1, "port %u of '%s' is linked already", (unsigned int)v,
				 node->name);
	said->line = begin;
	ret = line_external(r);
	/* external ports of a switch have no GUIDs */
	if (!ret && node->type != TOPOLOGY_SWITCH)
		ret = read_paren_guid(r, &port->guid, &said->guid_at);
	if (ret)
		return ret;
	read_blanks(r);
	ret = read_quoted(r, "the peer's name in quotes", &said->name, &said->name_len);
	if (ret)
		return ret;
	read_blanks(r);
	said->number = r->at;
	said->peer_port = 1;
	if (read_take(r, "[")) {
		said->number = r->at;
		ret = port_number(r, TOPOLOGY_NODE_PORTS_MAX, &v);
		if (!ret)
			ret = line_external(r);
		if (ret)
			return ret;
		said->peer_port = (uint8_t)v;
	}
	ret = read_paren_guid(r, &said->peer_guid, &said->peer_guid_at);
	if (!ret)
		ret = line_options(r, port, said);
	if (!ret)
		ret = link_comment(r, port, said, node->type == TOPOLOGY_SWITCH);
	return ret;
}

/* ---- a node's line ---------------------------------------------------------------- */

/* Checks if the text after a description without quotes begins here. */
static bool ends_description(const struct reader *r)
{
	static const char *const words[] = { " enhanced port ", " base port ", " lid ", " lmc " };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t n = strlen(words[i]);

		if (r->end - r->at >= n && !memcmp(r->text + r->at, words[i], n))
			return true;
	}
	return false;
}

/* Reads the description: in quotes, or without them up to the text that follows it. */
static int node_comment(struct reader *r, struct topology_node *node, struct topology_port *port0)
{
	uint32_t at, len;
	uint64_t v;
	int ret;

	if (read_at_end(r))
		return 0;
	if (!read_take(r, "#"))
		return read_expected(r, "a comment with the node's description");
	read_blanks(r);
	if (r->at < r->end && r->text[r->at] == '"') {
		ret = read_description(r, &at, &len);
		if (ret)
			return ret;
	} else {
		at = r->at;
		while (r->at < r->end && !ends_description(r))
			r->at++;
		for (len = r->at - at; len && read_is_blank(r->text[at + len - 1]);)
			len--;
		if (!len)
			return 0;
	}
	if (len > TOPOLOGY_DESCRIPTION_MAX)
		return read_fail(r, -E2BIG, at, "the description has %u bytes: at most %u", len,
				 TOPOLOGY_DESCRIPTION_MAX);
	if (memchr(r->text + at, 0, len))
		return read_fail(r, -EINVAL, at, "the description contains a zero byte");
	memcpy(node->description, r->text + at, len);
	node->description[len] = 0;
	if (node->type != TOPOLOGY_SWITCH || read_at_end(r))
		return 0;
	if (read_take_word(r, "enhanced"))
		node->enhanced = true;
	else if (!read_take_word(r, "base"))
		return 0;
	read_blanks(r);
	if (!read_take_word(r, "port"))
		return read_expected(r, "'port 0'");
	read_blanks(r);
	ret = read_number(r, 10, 0, 0, "port number", &v);
	read_blanks(r);
	if (!ret)
		ret = read_lid_and_lmc(r, port0);
	if (!ret && !node->enhanced && port0->lmc)
		ret = read_fail(r, -EINVAL, at, "a base port 0 has LMC 0, not %u", port0->lmc);
	return ret;
}

/* Gets the GUID that is part of an ibnetdiscover name: S-0008f10400411a4e. */
static bool name_guid(const struct topology_node *node, uint64_t *guid)
{
	static const char letters[] = {
		[TOPOLOGY_CA] = 'H', [TOPOLOGY_SWITCH] = 'S', [TOPOLOGY_ROUTER] = 'R'
	};
	uint8_t bytes[8];

	if (node->name[0] != letters[node->type] || node->name[1] != '-' || strlen(node->name) != 18 ||
	    hex_decode(node->name + 2, 16, bytes, 8, NULL) != 8)
		return false;
	*guid = get_be64(bytes);
	return true;
}

int read_no_memory(struct reader *r)
{
	return madkit_error_set(r->error, -ENOMEM, -1, "no memory for the topology");
}

static int node_guid(struct reader *r, struct topology_node *node, uint32_t name_at)
{
	uint64_t guid;
	bool named = name_guid(node, &guid);

	node->guid = r->next[node->type];
	if (named && r->told_guid == node->type && guid != node->guid)
		return read_fail(r, -EINVAL, name_at,
				 "expected a name with the node's GUID "
				 "(0x%016" PRIx64 "), found '%s'",
				 node->guid, node->name);
	if (named)
		node->guid = guid;
	if (!node->guid)
		return read_fail(r, -EINVAL, name_at, "expected a GUID that is not 0 for '%s'", node->name);
	/* a dump of ibnetdiscover without it: the node has none */
	node->system_guid = r->told_system ? r->system_guid : named ? 0 : node->guid;
	/* same as ibsim; the ports of a channel adapter have the GUIDs that follow */
	r->next[node->type] = node->guid + (node->type == TOPOLOGY_SWITCH ? 1u : node->nports + 1u);
	return 0;
}

static int node_line(struct reader *r, unsigned int type)
{
	struct topology_node node = { .type = (uint8_t)type, .vendor = r->vendor, .device = r->device };
	struct topology_port port0 = { .peer = TOPOLOGY_NONE };
	uint32_t begin = r->at, at, len, owner;
	uint64_t v;
	int ret;

	read_blanks(r);
	ret = read_number(r, 10, 1, TOPOLOGY_NODE_PORTS_MAX, "a number of ports", &v);
	if (ret)
		return ret;
	node.nports = (uint8_t)v;
	read_blanks(r);
	ret = read_quoted(r, "the node's name in quotes", &at, &len);
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
		return read_fail(r, ret, at, "there is a node '%s' already", node.name);
	if (ret == -E2BIG)
		return read_fail(r, ret, begin, "too many nodes or ports: at most %u and %u",
				 TOPOLOGY_NODES_MAX, TOPOLOGY_PORTS_MAX);
	/* parallel to the topology's own arrays */
	if (ret || array_extend(&r->said, &r->said_cap, r->t->ports_cap, sizeof(*r->said), 0) ||
	    array_extend(&r->lines, &r->lines_cap, r->t->nodes_cap, sizeof(*r->lines), 0))
		return read_no_memory(r);
	r->lines[r->node] = at;
	ret = topology_guid(r->t, r->node, &owner);
	if (ret == -EEXIST)
		return read_fail(r, ret, at, "'%s' has the GUID 0x%016" PRIx64 ", as '%s'", node.name,
				 node.guid, r->t->nodes[owner].name);
	if (ret)
		return read_no_memory(r);
	for (unsigned int p = 0; p <= node.nports; p++) {
		struct topology_port *port = topology_port(r->t, r->node, p);

		port->widths = r->widths;
		port->speeds = r->speeds;
	}
	if (type == TOPOLOGY_SWITCH) {
		/* 0: synthesised later, as that of the node if no other port has it */
		port0.guid = r->told_port && r->told_guid == type ? r->port_guid : 0;
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

static int read_assigned(struct reader *r, uint64_t min, uint64_t max, const char *what, uint64_t *v)
{
	read_blanks(r);
	if (!read_take(r, "="))
		return read_expected(r, "'='");
	read_blanks(r);
	return read_number(r, 10, min, max, what, v);
}

/* Reads switchguid=0x200001(200001). */
static int guid_line(struct reader *r, unsigned int type)
{
	uint32_t at = 0;
	int ret = read_assigned(r, 0, UINT64_MAX, "a GUID", &r->next[type]);

	if (!ret && !r->next[type])
		return read_fail(r, -EINVAL, r->at - 1, "expected a GUID that is not 0");
	if (!ret && type == TOPOLOGY_SWITCH)
		ret = read_paren_guid(r, &r->port_guid, &at);
	r->told_guid = (uint8_t)type;
	r->told_port = at;
	return ret;
}

static int id_line(struct reader *r, unsigned int which)
{
	uint64_t v;
	int ret = read_assigned(r, 0,
				which == 'v' ? 0xffffff :
				which == 'd' ? 0xffff :
					       UINT64_MAX,
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

static int line_default(struct reader *r, unsigned int which)
{
	uint64_t v;
	int ret = read_assigned(r, which != 'e',
				which == 'w' ? 31 :
				which == 's' ? 7 :
					       15,
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

/* Skips the chassis lines of ibnetdiscover -g. */
static int line_skip(struct reader *r, unsigned int unused)
{
	(void)unused;
	r->at = r->end;
	return 0;
}

static int line_refused(struct reader *r, unsigned int unused)
{
	(void)unused;
	return read_fail(r, -EINVAL, r->at, "ibsim commands are not supported here");
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
	{ "width", line_default, 'w', false },
	{ "speed", line_default, 's', false },
	{ "extspeed", line_default, 'e', false },
	{ "Chassis", line_skip, 0, false },
	{ "Hostname:", line_skip, 0, false },
	{ "Non-Chassis", line_skip, 0, false },
	{ "include", line_refused, 0, false },
	{ "module", line_refused, 0, false },
	{ "pdebug", line_refused, 0, false },
	{ "do", line_refused, 0, false },
};

/* Checks for a message that ibnetdiscover wrote to standard error, in a dump that was saved with it: "ibwarn:
 * ..." or "src/query_smp.c:195; ...". */
static bool line_is_message(const struct reader *r)
{
	static const char warn[] = "ibwarn: ", file[] = ".c:";
	size_t len = r->end - r->at, word = 0;
	const char *at = r->text + r->at;
	bool is_file = false;

	if (len >= strlen(warn) && !memcmp(at, warn, strlen(warn)))
		return true;
	for (; word < len && !read_is_blank(at[word]); word++)
		is_file |= len - word > strlen(file) && !memcmp(at + word, file, strlen(file));
	return is_file && at[word - 1] == ';';
}

static int read_line(struct reader *r)
{
	uint32_t begin = r->at;
	int ret;

	if (read_at_end(r)) {
		/* same as ibsim, which would ignore the ports that follow */
		r->ended = r->node == TOPOLOGY_NONE ? r->ended : ": an empty line ended it";
		r->node = TOPOLOGY_NONE;
		return 0;
	}
	if (r->text[r->at] == '#' || line_is_message(r))
		return 0;
	if (r->text[r->at] == '[')
		return port_line(r);
	if (r->text[r->at] == '@')
		return read_fail(r, -EINVAL, r->at, "port aliases are not supported here");
	if (r->at != begin)
		return read_expected(r, "a line that does not start with a blank");
	for (size_t i = 0; i < ARRAY_SIZE(line_words); i++) {
		if (!read_take_word(r, line_words[i].name))
			continue;
		if (!line_words[i].is_node) {
			r->node = TOPOLOGY_NONE;
			r->ended = "";
		}
		ret = line_words[i].read(r, line_words[i].which);
		if (!ret && !line_words[i].is_node && !read_at_end(r) && r->text[r->at] != '#')
			ret = read_expected(r, "the end of the line");
		return ret;
	}
	return read_expected(r, "a node (Switch, Ca, Hca, Rt), a port ([1]) or an identifier");
}

int read_lines(struct reader *r)
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
