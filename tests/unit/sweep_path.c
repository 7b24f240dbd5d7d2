/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Paths and multicast trees of swept fabrics. */
#include <errno.h>
#define RANDOM_SEED UINT64_C(0x9a7)
#include "tests/random.h"
#include "tests/unit/sweep_toy.h"
#include "util/array_size.h"

/* ---- a fabric with tables -------------------------------------------------------------- */

/*
 * Hosts 0x100 (LID 1), 0x400 (LIDs 8 to 11) and 0x500 (LID 12); switches 0x200, 0x300 and 0x600 with LIDs 2, 3 and 6:
 *
 *	0x100[1] - [1]0x200[2] - [1]0x300[3] - [1]0x400
 *	               [3] - [2]     [4] - [1]0x500
 *	               [4]           [5]
 *	                |             |
 *	               [2]0x600[1] ---'
 */
enum { HOST, FIRST, SECOND, FAR, OTHER, THIRD, TOP = 100 };

static void toy_tables(struct toy *toy, int node, uint16_t lid)
{
	toy->nodes[node].lid = lid;
	toy->nodes[node].top = TOP;
	memset(toy->nodes[node].linear, 255, TOY_LIDS);
}

static struct toy toy_triangle(void)
{
	struct toy toy = toy_new();

	toy_add(&toy, 0x300, 2, TOY_PORTS);
	toy_add(&toy, 0x400, 1, 1);
	toy_add(&toy, 0x500, 1, 1);
	toy_add(&toy, 0x600, 2, TOY_PORTS);
	toy_link(&toy, FIRST, 2, SECOND, 1);
	toy_link(&toy, FIRST, 3, SECOND, 2);
	toy_link(&toy, FIRST, 4, THIRD, 2);
	toy_link(&toy, SECOND, 3, FAR, 1);
	toy_link(&toy, SECOND, 4, OTHER, 1);
	toy_link(&toy, SECOND, 5, THIRD, 1);
	toy_tables(&toy, FIRST, 2);
	toy_tables(&toy, SECOND, 3);
	toy_tables(&toy, THIRD, 6);
	toy.nodes[HOST].lid = 1;
	toy.nodes[FAR].lid = 8;
	toy.nodes[FAR].lmc = 2;
	toy.nodes[OTHER].lid = 12;
	return toy;
}

static uint32_t swept_number(const struct swept *w, uint64_t guid)
{
	for (uint32_t i = 0; i < w->counts.nodes; i++)
		if (madkit_sweep_node(w->s, i)->guid == guid)
			return i;
	return MADKIT_SWEEP_NONE;
}

/* Hops as GUID / 0x100, ingress port and egress port. An asterisk marks adaptive routing. */
static const char *path_print(const struct swept *w, const struct madkit_path *path, char *text, size_t size)
{
	size_t len = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < path->nhops && len < size; i++) {
		const struct madkit_path_hop *hop = &path->hops[i];

		len += (size_t)snprintf(text + len, size - len, "%s%u:%u>%u%s", i ? " " : "",
					(unsigned int)madkit_sweep_node(w->s, hop->node)->guid / 0x100,
					hop->ingress, hop->egress, hop->adaptive ? "*" : "");
	}
	return text;
}

static void path_is(const struct swept *w, const struct madkit_path *path, unsigned int end, const char *hops,
		    const char *what)
{
	char text[1024];

	is_u64(path->end, end, "%s", what);
	is_str(path_print(w, path, text, sizeof(text)), hops, "... its hops");
}

/* ---- paths ----------------------------------------------------------------------------- */

static const struct {
	const char *what;
	uint16_t lid;
	uint8_t first, second, third; /* entries of the switches */
	uint8_t end;
	const char *hops;
} path_cases[] = {
	{ "a host", 8, 2, 3, 255, MADKIT_PATH_ARRIVED, "1:0>1 2:1>2 3:1>3 4:1>0" },
	{ "its second LID", 9, 3, 3, 255, MADKIT_PATH_ARRIVED, "1:0>1 2:1>3 3:2>3 4:1>0" },
	{ "its last LID", 11, 4, 3, 1, MADKIT_PATH_ARRIVED, "1:0>1 2:1>4 6:2>1 3:5>3 4:1>0" },
	{ "itself", 1, 1, 1, 1, MADKIT_PATH_ARRIVED, "1:0>0" },
	{ "the first switch", 2, 0, 255, 255, MADKIT_PATH_ARRIVED, "1:0>1 2:1>0" },
	{ "a switch", 3, 2, 0, 255, MADKIT_PATH_ARRIVED, "1:0>1 2:1>2 3:1>0" },
	{ "a LID of another switch", 6, 2, 0, 255, MADKIT_PATH_STRAY, "1:0>1 2:1>2 3:1>0" },
	{ "a LID of another host", 13, 2, 4, 255, MADKIT_PATH_STRAY, "1:0>1 2:1>2 3:1>4 5:1>0" },
	{ "port 255", 20, 2, 255, 255, MADKIT_PATH_NO_ROUTE, "1:0>1 2:1>2 3:1>255" },
	{ "a port that does not exist", 21, 9, 255, 255, MADKIT_PATH_BAD_PORT, "1:0>1 2:1>9" },
	{ "a port that is down", 22, 2, 8, 255, MADKIT_PATH_DOWN, "1:0>1 2:1>2 3:1>8" },
	{ "LinearFDBTop", TOP, 255, 255, 255, MADKIT_PATH_NO_ROUTE, "1:0>1 2:1>255" },
	{ "beyond LinearFDBTop", TOP + 1, 2, 3, 255, MADKIT_PATH_BEYOND_TOP, "1:0>1 2:1>0" },
	{ "back to the host", 23, 1, 255, 255, MADKIT_PATH_STRAY, "1:0>1 2:1>1 1:1>0" },
	{ "back to the switch", 24, 2, 2, 255, MADKIT_PATH_LOOP, "1:0>1 2:1>2 3:1>2 2:3>0" },
	{ "around", 25, 2, 5, 2, MADKIT_PATH_LOOP, "1:0>1 2:1>2 3:1>5 6:1>2 2:4>0" },
};

static void path_ends(void)
{
	struct madkit_path paths[ARRAY_SIZE(path_cases)] = { { .node = 0 } }, from;
	struct toy toy = toy_triangle();
	struct swept w;
	unsigned int sent;
	uint32_t node;
	uint8_t port;

	for (size_t i = 0; i < ARRAY_SIZE(path_cases); i++) {
		toy.nodes[FIRST].linear[path_cases[i].lid] = path_cases[i].first;
		toy.nodes[SECOND].linear[path_cases[i].lid] = path_cases[i].second;
		toy.nodes[THIRD].linear[path_cases[i].lid] = path_cases[i].third;
	}
	toy_run(&toy, &w, &usual, "a fabric with three switches");
	sent = toy.sent;
	for (size_t i = 0; i < ARRAY_SIZE(path_cases); i++)
		paths[i] = (struct madkit_path){ .port = 1, .lid = path_cases[i].lid };
	is_int(madkit_path_follow(w.s, paths, ARRAY_SIZE(paths), UINT64_MAX), 1, "paths are followed");
	for (size_t i = 0; i < ARRAY_SIZE(path_cases); i++)
		path_is(&w, &paths[i], path_cases[i].end, path_cases[i].hops, path_cases[i].what);
	/* two blocks of the first switch: 0 and 1 */
	is_u64(toy.sent - sent, 4, "each block is read once");
	is_int(madkit_path_follow(w.s, paths, ARRAY_SIZE(paths), 0), 1, "paths that have ended");
	swept_count(&w);
	ok(w.counts.sent == toy.sent && !w.counts.missing, "... the SMPs are counted");

	from = (struct madkit_path){ .node = swept_number(&w, 0x300), .lid = 8 };
	is_int(madkit_path_follow(w.s, &from, 1, UINT64_MAX), 1, "from a switch");
	path_is(&w, &from, MADKIT_PATH_ARRIVED, "3:0>3 4:1>0", "... to a host");
	ok(madkit_path_port(w.s, 10, &node, &port) && node == swept_number(&w, 0x400) && port == 1,
	   "the port with a LID");
	ok(madkit_path_port(w.s, 6, &node, &port) && node == swept_number(&w, 0x600) && !port,
	   "... of a switch");
	ok(!madkit_path_port(w.s, 13, &node, &port) && !madkit_path_port(w.s, 0, &node, &port),
	   "... that no port has");
	swept_close(&w);
}

/* ---- what passes a path ------------------------------------------------------------------ */

static const struct passage_case {
	const char *what;
	uint8_t lanes,
		keys; /* status of SLtoVLMappingTable, and of P_KeyTable of external ports of switches */
	uint8_t passes, lane, vl, pkey_in;
} passage_cases[] = {
	{ "all tables are read", 0, 0, MADKIT_PASSING, MADKIT_PASSING, 0, MADKIT_PASSING },
	{ "SLtoVLMappingTable is not supported", 0x0c, 0, MADKIT_PASSING, MADKIT_PASSING, 0, MADKIT_PASSING },
	{ "SLtoVLMappingTable is refused", 0x1c, 0, MADKIT_PASSING_UNREAD, MADKIT_PASSING_UNREAD,
	  MADKIT_PASSAGE_NO_VL, MADKIT_PASSING },
	{ "P_KeyTable of switches is refused", 0, 0x1c, MADKIT_PASSING_UNREAD, MADKIT_PASSING, 0,
	  MADKIT_PASSING_UNREAD },
	{ "P_KeyTable is not supported, but enforced", 0, 0x0c, MADKIT_PASSING_UNREAD, MADKIT_PASSING, 0,
	  MADKIT_PASSING_UNREAD },
};

static const struct passage_case *passage_now;

static void passage_forge(uint8_t *mad, uint16_t attribute)
{
	uint8_t *data = mad + MADKIT_SMP_DATA;

	if (attribute == MADKIT_ATTR_PORT_INFO) {
		field_put(MADKIT_PORT_INFO_VL_CAP, data, 5);
		field_put(MADKIT_PORT_INFO_OPER_VLS, data, 5);
		field_put(MADKIT_PORT_INFO_NEIGHBOR_MTU, data, 4);
		field_put(MADKIT_PORT_INFO_PART_ENFORCE_INB, data, 1);
	} else if (attribute == MADKIT_ATTR_P_KEY_TABLE) {
		element_put(MADKIT_P_KEY_TABLE_P_KEY, 31, data, 0xffff);
		if (get_be16(mad + MADKIT_MAD_MODIFIER))
			mad[5] = passage_now->keys;
	} else if (attribute == MADKIT_ATTR_SL_TO_VL_MAPPING_TABLE) {
		mad[5] = passage_now->lanes;
	}
}

static void passage_ends(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(passage_cases); i++) {
		const struct passage_case *c = &passage_cases[i];
		struct madkit_path path = { .port = 1, .lid = 8 };
		struct madkit_passage passage = { .sl = 3 };
		struct toy toy = toy_triangle();
		struct swept w;
		unsigned int sent;

		passage_now = c;
		toy.forge = passage_forge;
		toy.nodes[FIRST].linear[8] = 2;
		toy.nodes[SECOND].linear[8] = 3;
		toy_run(&toy, &w, &usual, c->what);
		is_int(madkit_path_follow(w.s, &path, 1, UINT64_MAX), 1, "... the path");
		sent = toy.sent;
		is_int(madkit_passage_read(w.s, &path, &passage, 1, 0), 0, "... until_ns");
		is_u64(passage.passes, MADKIT_PASSING_UNREAD, "... nothing is known yet");
		is_int(madkit_passage_read(w.s, &path, &passage, 1, UINT64_MAX), 1, "... and later");
		/* two ends, two ports that enforce P_Keys, three ports by which packets leave */
		is_u64(toy.sent - sent, 7, "... each block is read once");
		ok(passage.passes == c->passes && passage.sl == 3 && passage.mtu == 2048 &&
			   passage.partition == MADKIT_PARTITION_SHARED && passage.pkey == 0xffff,
		   "... the whole path");
		ok(passage.hops[1].lane == c->lane && passage.hops[1].vl == c->vl &&
			   passage.hops[1].pkey_in == c->pkey_in && passage.hops[1].pkey == MADKIT_PASSING,
		   "... a hop");
		swept_close(&w);
	}
}

static void path_refused(void)
{
	const struct madkit_path wrong[] = {
		{ .node = 99, .port = 1, .lid = 8 },
		{ .port = 0, .lid = 8 },
		{ .port = 2, .lid = 8 },
		{ .port = 1, .lid = 0 },
		{ .port = 1, .lid = 0xc000 },
		{ .node = 1, .port = 1, .lid = 8 },
	};
	struct toy toy = toy_triangle();
	struct swept w;

	toy_begin(&toy, &w, &usual);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct madkit_path path = wrong[i];

		is_int(madkit_path_follow(w.s, &path, 1, UINT64_MAX), -EINVAL, "wrong path %zu", i);
	}
	swept_close(&w);
}

static void path_silent(void)
{
	struct madkit_path path = { .port = 1, .lid = 30 };
	struct toy toy = toy_triangle();
	struct swept w;
	uint64_t before;
	int ret;

	toy.nodes[FIRST].linear[30] = 4;
	toy_run(&toy, &w, &usual, "a switch becomes silent after the sweep");
	toy.nodes[THIRD].mute = true;
	before = madkit_port_now(w.port);
	is_int(madkit_path_follow(w.s, &path, 1, before + 10 * MS), 0, "... until_ns");
	swept_count(&w);
	is_u64(w.counts.missing, MADKIT_SWEEP_UNFINISHED, "... the sweep is not finished");
	while (!(ret = madkit_path_follow(w.s, &path, 1, madkit_port_now(w.port) + 300 * MS)))
		;
	is_int(ret, 1, "... and later");
	path_is(&w, &path, MADKIT_PATH_SILENT, "1:0>1 2:1>4 6:2>0", "... the path ends there");
	is_between((madkit_port_now(w.port) - before) / MS, (RETRIES + 1) * TIMEOUT_MS,
		   (2 * RETRIES + 3) * TIMEOUT_MS, "... after all tries");
	swept_close(&w);

	toy.nodes[THIRD].mute = false;
	path = (struct madkit_path){ .port = 1, .lid = 30 };
	toy.nodes[THIRD].refuses = true;
	toy_run(&toy, &w, &usual, "a switch that refuses");
	is_int(madkit_path_follow(w.s, &path, 1, UINT64_MAX), 1, "... a path");
	path_is(&w, &path, MADKIT_PATH_REFUSED, "1:0>1 2:1>4 6:2>0", "... ends there");
	swept_close(&w);

	path = (struct madkit_path){ .port = 1, .lid = 30 };
	toy.nodes[THIRD].mute = true;
	toy_run(&toy, &w, &usual, "a switch that is silent from the beginning");
	is_int(madkit_path_follow(w.s, &path, 1, UINT64_MAX), 1, "... a path");
	path_is(&w, &path, MADKIT_PATH_UNKNOWN, "1:0>1 2:1>4", "... ends before it");
	swept_close(&w);
}

/* A route that is lost leads to the switch by the other cable. */
static void path_detour(void)
{
	struct madkit_path paths[2] = { { .port = 1, .lid = 8 }, { .port = 1, .lid = 100 } };
	struct toy toy = toy_triangle();
	struct swept w;

	toy.nodes[FIRST].linear[8] = 3;
	toy.nodes[SECOND].linear[8] = 3;
	toy.nodes[FIRST].linear[100] = 3;
	toy_run(&toy, &w, &usual, "a cable is removed after the sweep");
	toy_cut(&toy, FIRST, 2);
	is_int(madkit_path_follow(w.s, paths, 2, UINT64_MAX), 1, "... a path");
	path_is(&w, &paths[0], MADKIT_PATH_ARRIVED, "1:0>1 2:1>3 3:2>3 4:1>0", "... arrives");
	path_is(&w, &paths[1], MADKIT_PATH_NO_ROUTE, "1:0>1 2:1>3 3:2>255", "... of another block");
	swept_close(&w);
}

static void path_adaptive(void)
{
	struct madkit_path path = { .port = 1, .lid = 8 };
	struct toy toy = toy_triangle();
	struct swept w;
	unsigned int sent;

	toy.nodes[FIRST].linear[8] = 4;
	toy.nodes[THIRD].linear[8] = 1;
	toy.nodes[SECOND].linear[8] = 3;
	for (int i = FIRST; i <= THIRD; i++) {
		toy.nodes[i].vendor = i == SECOND ? 0 : 0x2c9;
		toy.nodes[i].adaptive = i != FIRST;
	}
	toy_run(&toy, &w, &usual, "adaptive routing");
	sent = toy.sent;
	is_int(madkit_path_follow(w.s, &path, 1, UINT64_MAX), 1, "... a path");
	path_is(&w, &path, MADKIT_PATH_ARRIVED, "1:0>1 2:1>4 6:2>1* 3:5>3 4:1>0", "... marks it");
	is_u64(toy.sent - sent, 5, "... with one request to each switch of the vendor");
	swept_close(&w);
}

static void path_long(void)
{
	struct madkit_path path = { .port = 1, .lid = 99 };
	struct toy toy = toy_new();
	struct swept w;

	toy_tables(&toy, FIRST, 2);
	toy.nodes[FIRST].linear[99] = 2;
	for (int i = 2; i < TOY_NODES; i++) {
		toy_add(&toy, 0x1000 + 0x10 * (unsigned int)i, 2, TOY_PORTS);
		toy_link(&toy, i, 1, i - 1, 2);
		toy_tables(&toy, i, 0);
		toy.nodes[i].linear[99] = 2;
	}
	toy_link(&toy, FIRST, 3, 40, 3);
	toy_run(&toy, &w, &usual, "a path with 70 nodes");
	is_u64(w.counts.nodes, TOY_NODES, "... all are found");
	is_int(madkit_path_follow(w.s, &path, 1, UINT64_MAX), 1, "... the path ends");
	ok(path.end == MADKIT_PATH_LONG && path.nhops == MADKIT_PATH_HOPS_MAX, "... because it is too long");
	swept_close(&w);
}

/* ---- trees ----------------------------------------------------------------------------- */

/* Ports as GUID / 0x100, number and flags. */
static const char *tree_print(const struct swept *w, const struct madkit_tree *tree, char *text, size_t size)
{
	size_t len = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < tree->count && len < size; i++) {
		const struct madkit_tree_port *p = &tree->ports[i];

		len += (size_t)snprintf(text + len, size - len, "%s%u:%u", i ? " " : "",
					(unsigned int)madkit_sweep_node(w->s, p->node)->guid / 0x100,
					p->port);
		for (unsigned int bit = 0; bit < 7; bit++)
			if (p->flags & 1u << bit)
				len += (size_t)snprintf(text + len, size - len, "%c", "MOLDUSR"[bit]);
	}
	return text;
}

static const struct {
	const char *what;
	uint16_t first, second, third; /* masks */
	uint32_t parts;
	const char *ports;
} tree_cases[] = {
	{ "no tree", 0, 0, 0, 0, "" },
	{ "one switch", 1 << 1, 0, 0, 1, "2:1M" },
	{ "two switches", 1 << 1 | 1 << 2, 1 << 1 | 1 << 3, 0, 1, "2:1M 2:2 3:1 3:3M" },
	{ "a switch that is a member", 1 << 2, 1 << 1 | 1 << 0, 0, 1, "2:2 3:0M 3:1" },
	{ "a port that the other switch does not have", 1 << 1 | 1 << 2, 1 << 3, 0, 2, "2:1M 2:2O 3:3M" },
	{ "a port that is down", 1 << 1 | 1 << 8, 0, 0, 1, "2:1M 2:8D" },
	{ "two parts", 1 << 1, 1 << 3 | 1 << 4, 0, 2, "2:1M 3:3M 3:4M" },
	{ "both cables", 1 << 1 | 1 << 2 | 1 << 3, 1 << 1 | 1 << 2, 0, 1, "2:1M 2:2L 2:3L 3:1L 3:2L" },
	{ "a triangle", 1 << 1 | 1 << 2 | 1 << 4, 1 << 1 | 1 << 3 | 1 << 5, 1 << 1 | 1 << 2, 1,
	  "2:1M 2:2L 2:4L 3:1L 3:3M 3:5L 6:1L 6:2L" },
	{ "a triangle in one direction", 1 << 1 | 1 << 2, 1 << 5, 1 << 2, 3, "2:1M 2:2OL 3:5OL 6:2OL" },
};

static void tree_ports(void)
{
	struct toy toy = toy_triangle();
	struct madkit_tree *tree;
	struct swept w;
	char text[256];

	for (size_t i = 0; i < ARRAY_SIZE(tree_cases); i++) {
		toy.nodes[FIRST].trees[i + 30] = tree_cases[i].first;
		toy.nodes[SECOND].trees[i + 30] = tree_cases[i].second;
		toy.nodes[THIRD].trees[i + 30] = tree_cases[i].third;
	}
	toy_run(&toy, &w, &usual, "multicast trees");
	for (size_t i = 0; i < ARRAY_SIZE(tree_cases); i++) {
		if (madkit_tree_read(w.s, (uint16_t)(0xc000 + 30 + i), UINT64_MAX, &tree) != 1)
			abort();
		is_str(tree_print(&w, tree, text, sizeof(text)), tree_cases[i].ports, "%s",
		       tree_cases[i].what);
		is_u64(tree->parts, tree_cases[i].parts, "... parts");
		madkit_tree_free(tree);
	}
	is_int(madkit_tree_read(w.s, 0xbfff, UINT64_MAX, &tree), -EINVAL, "not a multicast LID");
	is_int(madkit_tree_read(w.s, 0xffff, UINT64_MAX, &tree), -EINVAL, "the permissive LID");
	if (madkit_tree_read(w.s, 0xc000 + TOY_TREES, 0, &tree) != 1)
		abort();
	is_u64(tree->count, 0, "a LID beyond MulticastFDBCap");
	madkit_tree_free(tree);
	madkit_tree_free(NULL);
	swept_close(&w);
}

static void tree_silent(void)
{
	struct toy toy = toy_triangle();
	struct madkit_tree *tree;
	struct swept w;
	char text[256];

	toy.nodes[FIRST].trees[0] = 1 << 1 | 1 << 2;
	toy.nodes[SECOND].trees[0] = 1 << 1 | 1 << 5;
	toy.nodes[THIRD].trees[0] = 1 << 1;
	toy.nodes[SECOND].refuses = true;
	toy_run(&toy, &w, &usual, "a tree with switches that do not respond");
	toy.nodes[THIRD].mute = true;
	is_int(madkit_tree_read(w.s, 0xc000, madkit_port_now(w.port) + 10 * MS, &tree), 0, "... until_ns");
	if (madkit_tree_read(w.s, 0xc000, UINT64_MAX, &tree) != 1)
		abort();
	is_str(tree_print(&w, tree, text, sizeof(text)), "2:1M 2:2 3:0R 6:0S", "... its ports");
	is_u64(tree->parts, 1, "... parts");
	madkit_tree_free(tree);
	swept_close(&w);
}

/* ---- simulated fabrics ------------------------------------------------------------------ */

/* From each end port to each LID: the paths that do not arrive. */
static void sim_paths(const char *spec, bool sa, unsigned int most)
{
	const struct madkit_sweep_attr attr = { .timeout_ms = TIMEOUT_MS, .retries = RETRIES, .sa = sa };

	struct madkit_path *paths = NULL;
	unsigned int bad = 0, longest = 0;
	struct swept w;
	uint64_t sent;
	size_t count = 0;

	if (madkit_port_open(spec, &w.port, NULL) || madkit_sweep_new(w.port, &attr, &w.s) ||
	    madkit_sweep_step(w.s, UINT64_MAX) != 1)
		abort();
	swept_count(&w);
	sent = w.counts.sent;
	for (uint32_t i = 0; i < w.counts.nodes; i++) {
		for (uint16_t lid = 1; lid < 0xc000; lid++) {
			const bool is_switch = madkit_sweep_node(w.s, i)->type == 2;
			uint32_t node;
			uint8_t port;

			if (!madkit_path_port(w.s, lid, &node, &port))
				break;
			paths = realloc(paths, (count + 1) * sizeof(*paths));
			paths[count++] = (struct madkit_path){ .node = i, .port = !is_switch, .lid = lid };
		}
	}
	is_int(madkit_path_follow(w.s, paths, count, UINT64_MAX), 1, "%s%s: %zu paths", spec,
	       sa ? ", through the SA" : "", count);
	for (size_t i = 0; i < count; i++) {
		bad += paths[i].end != MADKIT_PATH_ARRIVED;
		if (paths[i].nhops > longest)
			longest = paths[i].nhops;
	}
	is_u64(bad, 0, "... all of which arrive");
	is_u64(longest, most, "... nodes of the longest");
	swept_count(&w);
	printf("# %u SMPs\n", (unsigned int)(w.counts.sent - sent));
	free(paths);
	swept_close(&w);
}

/* ---- anything --------------------------------------------------------------------------- */

static void path_shake(struct toy *toy)
{
	int node = (int)(random64() % (unsigned int)toy->count);

	if (toy->sent < toy->when || random64() % 10)
		return;
	if (random64() % 4)
		toy->nodes[node].mute = node && !toy->nodes[node].mute;
	else
		toy_cut(toy, node, (uint8_t)(1 + random64() % TOY_PORTS));
}

static struct toy path_random(void)
{
	struct toy toy = toy_triangle();

	for (int i = 0; i < 10; i++) {
		int node = toy_add(&toy, 0x1000 + 0x100 * (unsigned int)i, 2, TOY_PORTS), peer;

		toy_tables(&toy, node, (uint16_t)(40 + i));
		for (int cable = 0; cable < 3; cable++) {
			uint8_t port = (uint8_t)(1 + random64() % TOY_PORTS);
			uint8_t peer_port = (uint8_t)(1 + random64() % TOY_PORTS);

			peer = 1 + (int)(random64() % (unsigned int)node);
			if (toy.nodes[peer].type != 2 || toy.nodes[peer].ends[peer_port].node >= 0 ||
			    toy.nodes[node].ends[port].node >= 0 || peer == node)
				continue;
			toy_link(&toy, node, port, peer, peer_port);
		}
	}
	for (int i = 0; i < toy.count; i++) {
		toy.nodes[i].vendor = random64() % 2 ? 0x2c9 : 0;
		for (int lid = 0; lid < TOY_LIDS; lid++)
			toy.nodes[i].linear[lid] = (uint8_t)(random64() % (TOY_PORTS + 2));
		for (int lid = 0; lid < TOY_TREES; lid++)
			toy.nodes[i].trees[lid] = (uint16_t)random64();
	}
	toy.change = path_shake;
	/* often after the sweep */
	toy.when = (unsigned int)(random64() % 500);
	return toy;
}

static void path_anything(void)
{
	unsigned int endless = 0, ends[MADKIT_PATH_LONG + 1] = { 0 };

	for (unsigned int i = 0; i < 500; i++) {
		struct madkit_path paths[TOP] = { { .node = 0 } };
		struct toy toy = path_random();
		struct madkit_tree *tree = NULL;
		struct swept w;
		uint64_t until;

		toy_begin(&toy, &w, &usual);
		until = madkit_port_now(w.port) + 1000000 * MS;
		for (unsigned int lid = 0; lid < TOP; lid++)
			paths[lid] = (struct madkit_path){ .port = 1, .lid = (uint16_t)(lid + 1) };
		endless += madkit_path_follow(w.s, paths, TOP, until) != 1;
		endless += madkit_tree_read(w.s, 0xc000, until, &tree) != 1;
		for (unsigned int lid = 0; lid < TOP; lid++)
			ends[paths[lid].end]++;
		madkit_tree_free(tree);
		swept_close(&w);
	}
	is_u64(endless, 0, "500 random fabrics that change: all paths end");
	is_u64(ends[MADKIT_PATH_UNFINISHED], 0, "... for a reason");
	for (unsigned int end = 0; end <= MADKIT_PATH_LONG; end++)
		printf("# reason %u: %u\n", end, ends[end]);
}

int main(void)
{
	path_ends();
	path_refused();
	passage_ends();
	path_silent();
	path_detour();
	path_adaptive();
	path_long();
	tree_ports();
	tree_silent();
	sim_paths("sim:fat-tree:4,3,2", false, 5);
	sim_paths("sim:fat-tree:4,3,2", true, 5);
	path_anything();
	return tap_done();
}
