/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Resolving against a subnet administrator that says what the test wants. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "agent/agent.h"
#include "names/name_map.h"
#include "tests/tap.h"
#include "tests/unit/fake_transport.h"
#include "util/array_size.h"

/* The responses of the SA; the last one is repeated. */
struct script {
	uint16_t status;
	bool silent;
	size_t len;           /* 0: a whole MAD */
	unsigned int records; /* of a table */
	uint16_t dlid;
	uint8_t sl;
	uint64_t node[4], port_guid[4];
	const char *name[4]; /* NodeDescription */
	bool segment;        /* an RMPP header that announces more */
};

struct sa {
	struct script script[4];
	unsigned int n, calls;
	uint8_t asked[4][256];
	struct madkit_addr to;
};

static struct fake *fake;
static struct madkit_port *port;
static struct sa sa;
static struct madkit_error error;
static struct madkit_addr addr;
static struct madkit_resolver resolver;

static void test_resolve_put(uint8_t *p, uint64_t v, unsigned int bytes)
{
	while (bytes--) {
		p[bytes] = (uint8_t)v;
		v >>= 8;
	}
}

static uint64_t test_resolve_get(const uint8_t *p, unsigned int bytes)
{
	uint64_t v = 0;

	for (unsigned int i = 0; i < bytes; i++)
		v = v << 8 | p[i];
	return v;
}

/* Offsets from the IBA's figures, not from our tables. */
enum { DATA = 56, NODE_RECORD = 112, PATH_DLID = 40, PATH_SL = 53 };

static void test_resolve_peer(struct fake *f, const struct fake_sent *sent)
{
	unsigned int i = sa.calls < sa.n ? sa.calls : sa.n - 1;
	const struct script *s = &sa.script[i];
	uint8_t mad[DATA + 4 * NODE_RECORD] = { 0 };
	size_t len = 256;

	if (sa.calls < 4)
		memcpy(sa.asked[sa.calls], sent->mad, 256);
	sa.calls++;
	sa.to = sent->to;
	if (s->silent) {
		fake_return(f, (uint64_t)sent->timeout_ms * (sent->retries + 1), sent, ETIMEDOUT);
		return;
	}
	memcpy(mad, sent->mad, DATA);
	mad[3] |= 0x80;
	test_resolve_put(mad + 4, s->status, 2);
	if (sent->mad[17] == 0x35) {
		memcpy(mad + DATA, sent->mad + DATA, 64);
		test_resolve_put(mad + DATA + PATH_DLID, s->dlid, 2);
		mad[DATA + PATH_SL] = s->sl;
		test_resolve_put(mad + DATA + 44, 0x0abcde40, 4); /* flow label abcde, hop limit 0x40 */
		mad[DATA + 48] = 0x21;                            /* TClass */
	} else {
		unsigned int records = sent->mad[3] == 1 ? 1 : s->records;

		for (unsigned int r = 0; r < records; r++) {
			uint8_t *record = mad + DATA + r * NODE_RECORD;

			test_resolve_put(record + 4 + 12, s->node[r], 8);
			test_resolve_put(record + 4 + 20, s->port_guid[r], 8);
			if (s->name[r])
				memcpy(record + 44, s->name[r], strlen(s->name[r]));
		}
		if (sent->mad[3] != 1) {
			/* as the kernel hands it over: the first segment's
			 * header, which counts 20 bytes of SA header for each
			 * segment of 200 bytes of data, and all the data */
			size_t data = records * NODE_RECORD;

			test_resolve_put(mad + 44, NODE_RECORD / 8, 2);
			mad[24] = mad[25] = 1;
			mad[26] = data > 200 ? 3 : 7;
			test_resolve_put(mad + 28, 1, 4);
			test_resolve_put(mad + 32, data + (data ? (data + 199) / 200 * 20 : 20), 4);
			len = s->segment ? 256 : DATA + data;
		}
	}
	fake_arrive(f, 1, sent->id, &sent->to, mad, s->len ? s->len : len, 0);
}

static void test_resolve_begin(void)
{
	memset(&sa, 0, sizeof(sa));
	memset(&addr, 0, sizeof(addr));
	memset(&error, 0, sizeof(error));
	fake = fake_new();
	fake->peer = test_resolve_peer;
	port = fake_port(fake);
	resolver = (struct madkit_resolver){
		.port = port,
		.timeout_ms = 100,
		.retries = 1,
		.sm_key = UINT64_C(0x1122334455667788),
		.deadline_ns = UINT64_MAX,
	};
	sa.n = 1;
	sa.script[0].dlid = 0x123;
	sa.script[0].sl = 5;
}

static void test_path(void)
{
	static const uint8_t dgid[16] = { 0xfe, 0x80, [8] = 0, 2, 0xc9, 3, 0, 0, 0, 9 };

	test_resolve_begin();
	is_int(madkit_resolve_guid(&resolver, UINT64_C(0x0002c90300000009), &addr, &error), 0, "a GUID");
	ok(addr.lid == 0x123 && addr.sl == 5 && !addr.grh, "LID and SL, no GRH");
	is_u64(sa.to.lid, 9, "asked at the port's SM");
	is_u64(sa.to.sl, 2, "... with its SL");
	is_u64(sa.to.qp, 1, "... at QP1");

	const uint8_t *m = sa.asked[0];

	ok(m[1] == 3 && m[2] == 2 && m[3] == 1 && test_resolve_get(m + 16, 2) == 0x35,
	   "SubnAdmGet(PathRecord)");
	is_u64(test_resolve_get(m + 36, 8), resolver.sm_key, "with the SM_Key");
	is_u64(test_resolve_get(m + 48, 8), 1 << 2 | 1 << 3 | 1 << 11 | 1 << 12,
	       "components DGID, SGID, Reversible, NumbPath");
	is_mem(m + DATA + 8, dgid, 16, "DGID: the port's prefix and the GUID");
	is_u64(test_resolve_get(m + DATA + 24 + 8, 8), fake->info.port_guid, "SGID: our own");
	is_u64(m[DATA + 49], 0x81, "reversible, one path");
	resolver.sm_lid = 77;
	resolver.sm_sl = 3;
	madkit_resolve_guid(&resolver, 5, &addr, &error);
	ok(sa.to.lid == 77 && sa.to.sl == 3, "another SM if it is named");
	is_u64(fake->attached, 1, "the agent is registered once");
	madkit_port_close(port);

	static const uint8_t far[16] = { 0xfe, 0xc0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 4 };

	test_resolve_begin();
	is_int(madkit_resolve_gid(&resolver, far, &addr, &error), 0, "a GID of another subnet");
	ok(addr.grh && addr.lid == 0x123, "needs a GRH");
	is_mem(addr.gid, far, 16, "to that GID");
	ok(addr.hop_limit == 0x40 && addr.traffic_class == 0x21 && addr.flow_label == 0xabcde,
	   "with what the path says");
	madkit_port_close(port);
}

static int path_with(struct script script)
{
	int ret;

	test_resolve_begin();
	sa.script[0] = script;
	ret = madkit_resolve_guid(&resolver, 9, &addr, &error);
	madkit_port_close(port);
	if (ret && (error.code != ret || !error.text[0]))
		printf("# error code %d: %s\n", error.code, error.text);
	return error.code == ret ? ret : 1;
}

static void test_path_failures(void)
{
	uint64_t begun;

	is_int(path_with((struct script){ .status = 0x0300 }), -ENOENT, "no records");
	ok(strstr(error.text, "0x0000000000000009"), "%s", error.text);
	is_int(path_with((struct script){ .status = 0x0500 }), -ENOENT, "invalid GID");
	is_int(path_with((struct script){ .status = 0x0400 }), -EPROTO, "too many records");
	is_int(path_with((struct script){ .status = 0x000c }), -EPROTO, "another status");
	is_int(path_with((struct script){ .dlid = 0 }), -EPROTO, "a path to LID 0");
	is_int(path_with((struct script){ .dlid = 5, .len = DATA + 63 }), -EPROTO, "cut short");
	is_int(path_with((struct script){ .dlid = 5, .len = 24 }), -EPROTO, "a bare header");
	is_int(path_with((struct script){ .silent = true }), -ETIMEDOUT, "no answer");
	ok(strstr(error.text, "LID 9"), "%s", error.text);

	test_resolve_begin();
	sa.script[0].silent = true;
	begun = fake->now;
	resolver.deadline_ns = begun + 50 * NS_PER_MS;
	is_int(madkit_resolve_guid(&resolver, 9, &addr, &error), -ETIMEDOUT, "with a deadline");
	is_u64((fake->now - begun) / NS_PER_MS, 50, "no longer than that");
	madkit_port_close(port);

	test_resolve_begin();
	fake->wait_result = -EINTR;
	is_int(madkit_resolve_guid(&resolver, 9, &addr, &error), -EINTR, "a signal");
	madkit_port_close(port);

	test_resolve_begin();
	fake->attach_result = -EPERM;
	is_int(madkit_resolve_guid(&resolver, 9, &addr, &error), -EIO, "no registration");
	madkit_port_close(port);

	fake = fake_new();
	fake->info.sm_lid = 0;
	fake->peer = test_resolve_peer;
	port = fake_port(fake);
	resolver.port = port;
	resolver.sm_lid = 0;
	resolver.deadline_ns = UINT64_MAX;
	is_int(madkit_resolve_guid(&resolver, 9, &addr, &error), -EHOSTUNREACH, "no SM");
	ok(!sa.calls || !fake->nsent, "nothing is sent");
	fake->info.sm_lid = 9; /* it comes up */
	memset(&sa, 0, sizeof(sa));
	sa.n = 1;
	sa.script[0].dlid = 4;
	is_int(madkit_resolve_guid(&resolver, 9, &addr, &error), 0, "an SM that came up since");
	madkit_port_close(port);
}

/* ---- names --------------------------------------------------------------------- */

static int name_with(const struct script *first, const struct script *second, const char *name)
{
	int ret;

	test_resolve_begin();
	sa.script[0] = *first;
	sa.script[1] = *second;
	sa.script[2] = (struct script){ .dlid = 0x44, .sl = 1 };
	sa.n = 3;
	if (!first->status) { /* one record: then the path */
		sa.script[1] = sa.script[2];
		sa.n = 2;
	}
	ret = madkit_resolve_name(&resolver, NULL, name, &addr, &error);
	madkit_port_close(port);
	return ret;
}

static void test_name(void)
{
	static const uint8_t pad[64] = "node 1";
	const struct script one = { .node = { 0x10 }, .port_guid = { 0x11 } };
	const struct script many = { .status = 0x0400 };
	struct script table = { .records = 2, .node = { 0x10, 0x10 }, .port_guid = { 0x11, 0x12 } };

	is_int(name_with(&one, &many, "node 1"), 0, "a name that one node has");
	ok(addr.lid == 0x44 && addr.sl == 1, "its path's LID and SL");

	const uint8_t *m = sa.asked[0];

	ok(m[3] == 1 && test_resolve_get(m + 16, 2) == 0x11, "SubnAdmGet(NodeRecord)");
	is_u64(test_resolve_get(m + 48, 8), 1 << 14, "component NodeDescription");
	is_mem(m + DATA + 44, pad, 64, "with the name, zeros behind it");
	is_u64(test_resolve_get(sa.asked[1] + DATA + 16, 8), 0x11, "then the path to its port's GUID");

	is_int(name_with(&many, &table, "x"), 0, "one node with two ports");
	is_u64(sa.asked[1][3], 0x12, "the table is asked for");
	is_u64(test_resolve_get(sa.asked[2] + DATA + 16, 8), 0x11, "its first port is taken");
	table.node[1] = 0x20;
	is_int(name_with(&many, &table, "x"), -EEXIST, "two nodes of one name");
	table.segment = true;
	is_int(name_with(&many, &table, "x"), -EEXIST, "a table cut short");
	ok(strstr(error.text, "cut short"), "%s", error.text);
	table.segment = false;
	table.records = 0;
	is_int(name_with(&many, &table, "x"), -ENOENT, "an empty table");
	is_int(name_with(&(struct script){ .status = 0x0300 }, &table, "x"), -ENOENT, "no record");
	is_int(name_with(&(struct script){ .status = 0x0200 }, &table, "x"), -EPROTO, "another status");
	is_int(name_with(&one, &many,
			 "a name that is longer than the 64 bytes that a node "
			 "description holds"),
	       -ENOENT, "a name that no node can have");
	ok(!sa.calls, "... is not asked for");
}

/* ---- first words ---------------------------------------------------------------- */

static int word_with(const struct script *table, const char *word, struct madkit_node_match *match)
{
	int ret;

	test_resolve_begin();
	sa.script[0] = (struct script){ .status = 0x0300 };
	sa.script[1] = *table;
	sa.script[2] = (struct script){ .dlid = 0x44 };
	sa.n = 3;
	ret = madkit_resolve_word(&resolver, NULL, word, &addr, match, &error);
	madkit_port_close(port);
	return ret;
}

static void test_word(void)
{
	const struct script table = { .records = 4,
				      .node = { 0x10, 0x20, 0x20, 0x30 },
				      .port_guid = { 0x11, 0x21, 0x22, 0x31 },
				      .name = { "node1 HCA-1", "node2 HCA-1", "node2 HCA-1",
						"node1 HCA-2" } };
	const struct script refused = { .status = 0x000c };
	struct madkit_node_match match;

	is_int(word_with(&table, "node2", &match), 0, "the first word of one node with two ports");
	is_u64(sa.asked[1][3], 0x12, "... in the table of all nodes");
	is_u64(test_resolve_get(sa.asked[1] + 48, 8), 0, "... without components");
	is_u64(test_resolve_get(sa.asked[2] + DATA + 16, 8), 0x21, "... the path leads to its first port");
	is_u64(addr.lid, 0x44, "... by its LID");
	is_int(word_with(&table, "node1", &match), -EEXIST, "the first word of two nodes");
	is_str(error.text, "several nodes are called 'node1'", "... is reported");
	ok(match.count == 2 && match.nsimilar == 2 && !strcmp(match.similar[1].name, "node1 HCA-2"),
	   "... with their names");
	is_int(word_with(&table, "NODE2", &match), -ENOENT, "the case counts");
	ok(match.nsimilar == 1 && !strcmp(match.similar[0].name, "node2 HCA-1"), "... not for similar names");
	is_str(error.text, "the SA has no node 'NODE2'", "... is reported");
	is_int(word_with(&table, "HCA-1", &match), -ENOENT, "a second word");
	is_int(word_with(&refused, "node2", &match), -ENOENT, "no table");
	ok(sa.calls == 2 && !match.count && !match.nsimilar, "... and no names");
	is_int(word_with(&table, "", &match), -ENOENT, "no word");
	is_u64(sa.calls, 1, "... is not searched for");
}

/* ---- maps ---------------------------------------------------------------------- */

static char path[] = "/tmp/madkit-map.XXXXXX";

/* Reads the map and looks up a name in it. */
static int find_in_map(const char *name, uint64_t *guid)
{
	struct madkit_name_map *m;
	int ret = name_map_open(path, NULL, &m, &error);

	if (ret)
		return ret;
	ret = name_map_find(m, name, guid, &error);
	madkit_name_map_free(m);
	return ret;
}

static int map(const char *text, const char *name, uint64_t *guid)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return 1;
	fputs(text, f);
	fclose(f);
	*guid = 0;
	return find_in_map(name, guid);
}

static void test_maps(void)
{
	static const char nul_lines[][15] = {
		"0x2 \"b\"\0\n    ",
		"0x2 \"b\"     \0",
		"\0\n0x2 \"b\"    ",
		"0x2 \"\0b\"\n    ",
	};
	struct madkit_name_map *names;
	char long_line[1400];
	uint64_t guid;
	int fd = mkstemp(path);

	if (fd < 0)
		return;
	close(fd);
	is_int(map("0x10 \"a\"\n", "a", &guid), 0, "a line");
	is_u64(guid, 0x10, "its GUID");
	is_int(map("# c\n\n  \t0x0002c90300000001\t \"Host 1\"  # x\n0x2 \"b\"", "host 1", &guid), 0,
	       "comments, blanks, tabs, case");
	is_u64(guid, UINT64_C(0x0002c90300000001), "its GUID");
	is_int(map("0x2 \"b\"", "b", &guid), 0, "no newline at the end");
	is_int(map("0x2 \"b\"\n0x2 \"B\"\n", "b", &guid), 0, "twice the same");
	is_int(map("0x2 \"b\"\n0x3 \"b\"\n", "b", &guid), -EEXIST, "two nodes of one name");
	is_int(map("0x2 \"b\"\n", "c", &guid), -ENOENT, "not there");
	is_int(map("", "c", &guid), -ENOENT, "empty");
	is_int(map("0x2 \"\"\n", "", &guid), 0, "an empty name is one");
	is_int(map("0x2 b\n", "b", &guid), -EINVAL, "no quotes");
	ok(strstr(error.text, ":1: "), "the line is told: %s", error.text);
	is_int(map("0x2 \"b\n", "b", &guid), -EINVAL, "one quote");
	is_int(map("0x2\n", "b", &guid), -EINVAL, "no name");
	is_int(map("0x2\"b\"\n", "b", &guid), -EINVAL, "no blank between");
	is_int(map("xyz \"b\"\n", "b", &guid), -EINVAL, "no GUID");
	is_int(map("0x11112222333344445 \"b\"\n", "b", &guid), -EINVAL, "a GUID too long");
	is_int(map("0x2 \"b\" c\n", "b", &guid), -EINVAL, "something behind it");
	memset(long_line, 'a', sizeof(long_line));
	memcpy(long_line, "0x2 \"", 5);
	long_line[sizeof(long_line) - 1] = '\0';
	is_int(map(long_line, "b", &guid), -EINVAL, "a line without end");
	for (size_t i = 0; i < ARRAY_SIZE(nul_lines); i++) {
		FILE *f = fopen(path, "w");

		if (!f)
			return;
		fprintf(f, "# first\n");
		fwrite(nul_lines[i], 1, 14, f);
		fclose(f);
		is_int(find_in_map("b", &guid), -EINVAL, "B16: a map with a NUL byte, %zu", i);
		ok(strstr(error.text, ":2: a NUL byte"), "B16: its line is named: %s", error.text);
	}
	unlink(path);
	is_int(find_in_map("b", &guid), -EIO, "no file");

	/* with a map the node's GUID is asked for, not its description */
	FILE *f = fopen(path, "w");

	if (!f)
		return;
	fputs("0x77 \"mapped\"\n", f);
	fclose(f);
	test_resolve_begin();
	is_int(madkit_name_map_read(port, path, &names, &error), 0, "a map");
	sa.script[0] = (struct script){ .node = { 0x77 }, .port_guid = { 0x78 } };
	sa.script[1] = (struct script){ .dlid = 0x55 };
	sa.n = 2;
	is_int(madkit_resolve_name(&resolver, names, "Mapped", &addr, &error), 0, "a name of the map");
	is_u64(test_resolve_get(sa.asked[0] + 48, 8), 1 << 7, "component NodeGUID");
	is_u64(test_resolve_get(sa.asked[0] + DATA + 16, 8), 0x77, "its GUID");
	is_u64(addr.lid, 0x55, "and the path to its port");
	is_int(madkit_resolve_name(&resolver, names, "unmapped", &addr, &error), 0, "one that it has not");
	is_u64(test_resolve_get(sa.asked[2] + 48, 8), 1 << 14, "is asked for by description");
	madkit_name_map_free(names);
	madkit_port_close(port);
	unlink(path);
}

int main(void)
{
	test_path();
	test_path_failures();
	test_name();
	test_word();
	test_maps();
	return tap_done();
}
