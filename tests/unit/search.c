/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which node a word means: among nodes that the test enumerates, and in a sweep of a simulated fabric. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/madkit.h>
#include "tests/tap.h"
#include "util/array_size.h"

/* ---- an enumeration -------------------------------------------------------------------- */

#define HIGH UINT64_C(0x0002c90300000000)

/* 64 bytes without a NUL */
#define LONG "a-description-of-sixty-four-bytes-has-no-NUL-on-the-wire-behind-"

static const struct madkit_node_port ports[] = {
	{ .id = 7,
	  .guid = HIGH + 0x10,
	  .port_guid = HIGH + 0x11,
	  .lid = 1,
	  .lid_first = 1,
	  .lid_last = 1,
	  .description = "node1 HCA-1" },
	{ .id = 7,
	  .guid = HIGH + 0x10,
	  .port_guid = HIGH + 0x12,
	  .lid = 1,
	  .lid_first = 2,
	  .lid_last = 2,
	  .description = "node1 HCA-1" },
	{ .id = 8,
	  .guid = HIGH + 0x20,
	  .port_guid = HIGH + 0x21,
	  .lid = 8,
	  .lid_first = 8,
	  .lid_last = 15,
	  .description = "node2 HCA-1" },
	{ .id = 9,
	  .guid = HIGH + 0x30,
	  .port_guid = HIGH + 0x31,
	  .lid = 4,
	  .lid_first = 4,
	  .lid_last = 4,
	  .description = "node2 HCA-2" },
	{ .id = 10,
	  .guid = HIGH + 0x40,
	  .port_guid = HIGH + 0x40,
	  .lid = 5,
	  .lid_first = 5,
	  .lid_last = 5,
	  .name = "Leaf 1",
	  .description = "Switch" },
	{ .id = 11,
	  .guid = HIGH + 0x50,
	  .port_guid = HIGH + 0x50,
	  .lid = 6,
	  .lid_first = 6,
	  .lid_last = 6,
	  .description = "Switch" },
	/* two nodes with one GUID, one of them without a LID */
	{ .id = 12, .guid = HIGH + 0x60, .port_guid = HIGH + 0x61, .description = "twin a" },
	{ .id = 13, .guid = HIGH + 0x60, .port_guid = HIGH + 0x62, .description = LONG "rest of memory" },
	/* not described; then its name is a number */
	{ .id = 14, .guid = HIGH + 0x70 },
	{ .id = 15, .guid = HIGH + 0x80, .description = "77" },
	/* GUIDs that could be LIDs */
	{ .id = 16, .guid = 0x4, .port_guid = 0x1f, .description = "small" },
	/* a port of the first node again */
	{ .id = 7, .guid = HIGH + 0x10, .port_guid = HIGH + 0x13, .description = "node1 HCA-1" },
};

static bool search_test_next(void *context, struct madkit_node_port *port)
{
	size_t *i = context;

	if (*i == ARRAY_SIZE(ports))
		return false;
	*port = ports[(*i)++];
	return true;
}

/* Finds a word. Returns the result as text: "LID 7", "3 nodes by word: 7 8 9". */
static const char *search_test_find(const char *word)
{
	static const char *const ways[] = { "LID", "GUID", "name", "description", "word" };
	static char text[200];
	struct madkit_node_match match;
	size_t position = 0, used;
	int ret = madkit_node_find(word, search_test_next, &position, &match);

	if (ret != (!match.count ? -ENOENT : match.count > 1 ? -EEXIST : 0) || match.way >= ARRAY_SIZE(ways))
		return "the results contradict each other";
	if (ret == -ENOENT)
		return "none";
	used = (size_t)snprintf(text, sizeof(text), "%s", ways[match.way]);
	for (uint32_t i = 0; i < match.count && i < ARRAY_SIZE(match.nodes); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, " %u",
					 (unsigned int)match.nodes[i].id);
	return text;
}

static void test_search_ways(void)
{
	static const struct {
		const char *word, *found, *why;
	} rows[] = {
		{ "1", "LID 7", "a LID" },
		{ "0x2", "LID 7", "the LID of the second port, in hex" },
		{ "8", "LID 8", "the base of several LIDs" },
		{ "15", "LID 8", "the last of them" },
		{ "16", "none", "a LID that no port has" },
		{ "0", "none", "0 is not the LID of ports without a LID" },
		{ "77", "name 15", "a number that is a name, if no port has the LID" },
		{ "0x0002c90300000010", "GUID 7", "a node GUID" },
		{ "0x2c90300000012", "GUID 7", "a port GUID" },
		{ "0x2c90300000013", "GUID 7", "... of a port that comes later" },
		{ "0x2c90300000060", "GUID 12 13", "a GUID of two nodes" },
		{ "0x2c90300000099", "none", "a GUID that no node has" },
		{ "4", "LID 9", "a number that is a LID and a GUID" },
		{ "0x0000000000000004", "GUID 16", "... with all digits of a GUID" },
		{ "0x1f", "GUID 16", "a small number that is a GUID, if no port has the LID" },
		{ "fe80::2:c903:0:21", "GUID 8", "a GID" },
		{ "fec0::1:2:c903:0:21", "GUID 8", "... with any prefix" },
		{ "fe80::2:c903:0:20", "none", "a GID with a node GUID" },
		{ "node1 HCA-1", "name 7", "a whole description" },
		{ "NODE1 HCA-1", "none", "... in the right case" },
		{ "leaf 1", "name 10", "a name of a map, in any case" },
		{ "Switch", "name 11", "a shown name comes before descriptions" },
		{ "node1", "word 7", "a first word" },
		{ "node", "none", "... the whole of it" },
		{ "node2", "word 8 9", "the first word of two nodes" },
		{ "LEAF", "word 10", "the first word of a name of a map, in any case" },
		{ "Node1", "none", "the first word of a description, in the right case" },
		{ "HCA-1", "none", "a second word" },
		{ "twin", "word 12", "of two nodes with one GUID, one" },
		{ LONG, "name 13", "a description of 64 bytes" },
		{ LONG "r", "none", "... and not what is behind it" },
		{ "", "none", "no word" },
		{ "node1 ", "none", "a word and a blank" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		is_str(search_test_find(rows[i].word), rows[i].found, "'%s': %s", rows[i].word, rows[i].why);
}

static void test_search_result(void)
{
	struct madkit_node_match match;
	size_t position = 0;

	madkit_node_find("NODE", search_test_next, &position, &match);
	ok(!match.count && match.nsimilar == 3, "three similar names");
	is_str(match.similar[0].name, "node1 HCA-1", "... each once");
	is_str(match.similar[2].name, "node2 HCA-2", "... in the order of the nodes");
	is_u64(position, ARRAY_SIZE(ports), "each port is requested once");
	position = 0;
	madkit_node_find("switch", search_test_next, &position, &match);
	ok(match.nsimilar == 2 && !strcmp(match.similar[0].name, "Leaf 1"),
	   "a node with a similar description has its name of the map");
	position = 0;
	madkit_node_find("15", search_test_next, &position, &match);
	ok(match.nodes[0].lid == 8 && match.nodes[0].guid == HIGH + 0x20 &&
		   match.nodes[0].port_guid == HIGH + 0x21 && !strcmp(match.nodes[0].name, "node2 HCA-1"),
	   "a node has its LID, its GUIDs and its name");
	position = 0;
	madkit_node_find(LONG, search_test_next, &position, &match);
	is_u64(strlen(match.nodes[0].name), MADKIT_NODE_NAME_MAX, "a name has at most 64 bytes");
}

/* ---- many nodes ------------------------------------------------------------------------ */

enum { MANY = 100 };

static bool search_test_many(void *context, struct madkit_node_port *port)
{
	unsigned int *i = context;
	static char name[32];

	if (*i == 2 * MANY)
		return false;
	/* the second round has the other ports of the same nodes */
	snprintf(name, sizeof(name), "rack n%u", *i % MANY);
	*port = (struct madkit_node_port){ .id = *i % MANY, .description = name };
	++*i;
	return true;
}

static void test_search_many(void)
{
	struct madkit_node_match match;
	unsigned int i = 0;

	is_int(madkit_node_find("rack", search_test_many, &i, &match), -EEXIST,
	       "a word that many nodes have");
	is_u64(match.nodes[MADKIT_NODE_LISTED_MAX - 1].id, MADKIT_NODE_LISTED_MAX - 1,
	       "the first are listed");
	ok(match.count >= MANY, "all are counted");
	i = MANY;
	madkit_node_find("rack", search_test_many, &i, &match);
	is_u64(match.count, MANY, "... once, if their ports are adjacent");
}

/* ---- a sweep -------------------------------------------------------------------------- */

static const char *search_test_name(void *context, const struct madkit_sweep_node *node)
{
	(void)context;
	return node->type == MADKIT_NODE_TYPE_SWITCH && node->guid & 1 ? "odd switch" : NULL;
}

/* Checks if the word means node i of the sweep, alone or with others. */
static bool search_test_means(const struct madkit_sweep *s, const char *word, uint32_t i,
			      enum madkit_node_way way)
{
	struct madkit_node_match match;
	int ret = madkit_sweep_find(s, word, &match);
	bool listed = match.count > MADKIT_NODE_LISTED_MAX;

	for (uint32_t n = 0; n < match.count && n < MADKIT_NODE_LISTED_MAX; n++)
		listed |= match.nodes[n].id == i;
	return listed && match.way == way && ret == (match.count > 1 ? -EEXIST : 0);
}

static void test_search_sweep(void)
{
	const struct madkit_sweep_attr attr = { .retries = 1, .name = search_test_name };
	struct madkit_error error = { .text = "" };
	struct madkit_sweep_counts counts;
	struct madkit_node_match match;
	struct madkit_sweep *s;
	struct madkit_port *port;
	unsigned int wrong = 0, lids = 0;

	if (madkit_port_open("sim:fat-tree:3,2,2", &port, &error) || madkit_sweep_new(port, &attr, &s) ||
	    madkit_sweep_step(s, UINT64_MAX) != 1) {
		printf("Bail out! no sweep: %s\n", error.text);
		exit(1);
	}
	madkit_sweep_count(s, &counts);
	for (uint32_t i = 0; i < counts.nodes; i++) {
		const struct madkit_sweep_node *n = madkit_sweep_node(s, i);
		const bool odd = madkit_sweep_name(s, n);
		char word[80];

		snprintf(word, sizeof(word), "0x%016" PRIx64, n->guid);
		wrong += !search_test_means(s, word, i, MADKIT_NODE_BY_GUID);
		snprintf(word, sizeof(word), "%.64s", (const char *)n->description);
		wrong += !search_test_means(s, word, i,
					    odd ? MADKIT_NODE_BY_DESCRIPTION : MADKIT_NODE_BY_NAME);
		for (unsigned int p = 0; p <= n->nports; p++) {
			struct madkit_addr to;

			if (!madkit_sweep_lid_address(s, i, p, &to))
				continue;
			snprintf(word, sizeof(word), "%" PRIu32, to.lid);
			wrong += !search_test_means(s, word, i, MADKIT_NODE_BY_LID);
			lids++;
		}
	}
	ok(counts.nodes > 10 && lids >= counts.nodes && !wrong,
	   "each of %" PRIu32 " nodes is found by its GUID, its description and its %u LIDs", counts.nodes,
	   lids);
	ok(madkit_sweep_find(s, "ODD SWITCH", &match) == -EEXIST && match.way == MADKIT_NODE_BY_NAME &&
		   match.nodes[0].lid,
	   "and by the name that the program gives it");
	is_int(madkit_sweep_find(s, "no such node", &match), -ENOENT, "another word means none");
	is_int(madkit_sweep_find(NULL, "1", &match), -EINVAL, "no sweep");
	madkit_sweep_free(s);
	madkit_port_close(port);
}

int main(void)
{
	test_search_ways();
	test_search_result();
	test_search_many();
	test_search_sweep();
	return tap_done();
}
