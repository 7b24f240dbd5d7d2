/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Differences of two plans and of cablings made by hand, and plans that are malformed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/madkit.h>
#include "tests/tap.h"
#include "tests/unit/fail_alloc.h"
#include "util/array_size.h"

/* Reads a plan from text. Returns 0 or -errno. */
static int plan_text(const char *text, struct madkit_cabling **c, struct madkit_error *error)
{
	struct madkit_plan *plan = NULL;
	int ret = madkit_plan_new(&plan);

	for (const char *p = text; !ret && *p;) {
		const size_t len = strcspn(p, "\n");

		ret = madkit_plan_line(plan, p, len, error);
		p += len + (p[len] == '\n');
	}
	if (!ret)
		ret = madkit_plan_end(plan, c, error);
	madkit_plan_free(plan);
	return ret;
}

/* Compares, and writes a line for each difference. */
static int compare_text(struct madkit_cabling *before, struct madkit_cabling *after,
			const struct madkit_compare_options *options, char *out, size_t size)
{
	struct madkit_comparison *list = NULL;
	const struct madkit_difference *d;
	struct madkit_error error = { .text = "" };
	size_t count, used = 0;
	int ret = madkit_compare(before, after, options, &list, &error);

	*out = 0;
	if (ret)
		snprintf(out, size, "%s", error.text);
	for (size_t i = 0; !ret && (d = madkit_comparison_difference(list, i)) && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%c %s %s|%s|%s|%s\n", ".IWC"[d->severity],
					 madkit_difference_kinds(&count)[d->kind - 1].name, d->place,
					 d->before, d->after, d->text);
	madkit_comparison_free(list);
	return ret;
}

/* ---- plans as CSV -------------------------------------------------------------------------- */

#define SWITCHES "l1,7,s1,1\nl1,8,s2,1\nl2,7,s1,2\nl2,8,s2,2\n"

static const struct {
	const char *name, *before, *after, *expected;
} pairs[] = {
	{ "nothing", SWITCHES "l1,1,h1,1\n", "h1,1,L1,Port 1\n" SWITCHES, "" },
	{ "moved, to where nothing was", SWITCHES "l1,1,h1,1\n", SWITCHES "l2,2,h1,1\n",
	  "C moved h1|l1/1|l2/2|from l1/1 to l2/2\n" },
	{ "two hosts exchanged are two that moved", SWITCHES "l1,1,h1,1\nl1,2,h2,1\n",
	  SWITCHES "l1,1,h2,1\nl1,2,h1,1\n",
	  "C moved h1|l1/1|l1/2|from l1/1 to l1/2\nC moved h2|l1/2|l1/1|from l1/2 to l1/1\n" },
	{ "two parallel cables", "l1,7,s1,1\nl1,8,s1,2\n", "l1,7,s1,2\nl1,8,s1,1\n",
	  "I swapped l1/7|s1/1|s1/2|exchanged with l1/8 (parallel): leads to s1/2 instead of s1/1\n" },
	{ "two cables of a leaf", SWITCHES "l1,1,h1,1\n",
	  "l1,8,s1,1\nl1,7,s2,1\nl2,7,s1,2\nl2,8,s2,2\nl1,1,h1,1\n",
	  "W swapped l1/7|s1/1|s2/1|exchanged with l1/8: leads to s2/1 instead of s1/1\n" },
	{ "another port of the peer", SWITCHES, "l1,7,s1,9\nl1,8,s2,1\nl2,7,s1,2\nl2,8,s2,2\n",
	  "C recabled l1/7|s1/1|s1/9|leads to s1/9 instead of s1/1\n" },
	{ "three cables in a ring", "a,1,x,1\na,2,x,2\na,3,x,3\n", "a,1,x,2\na,2,x,3\na,3,x,1\n",
	  "C recabled a/1|x/1|x/2|leads to x/2 instead of x/1\nC recabled a/2|x/2|x/3|leads to x/3 instead of x/2\n"
	  "C recabled a/3|x/3|x/1|leads to x/1 instead of x/3\n" },
	{ "a host is gone", SWITCHES "l1,1,h1,1\n", SWITCHES, "W node-gone h1|l1/1||is gone, was at l1/1\n" },
	{ "a host is new", SWITCHES, SWITCHES "l1,1,h1,1\n", "I node-new h1||l1/1|is new, at l1/1\n" },
	{ "a link is gone", SWITCHES, "l1,8,s2,1\nl2,7,s1,2\nl2,8,s2,2\n",
	  "C link-gone l1/7 <-> s1/1|s1/1||the link is gone\n" },
	{ "a link is new", SWITCHES, SWITCHES "l1,9,s2,9\n", "I link-new l1/9 <-> s2/9|||the link is new\n" },
	{ "a host with another name at the same port", SWITCHES "l1,1,h1,1\n", SWITCHES "l1,1,h9,1\n",
	  "I replaced h9|h1|h9|h1 was replaced by h9 at l1/1\n" },
	{ "a trunk of four", "l1,*,s1,*,4\nl1,9,s2,1\n", "l1,1,s1,1\nl1,2,s1,2\nl1,3,s1,3\nl1,9,s2,1\n",
	  "C link-gone l1 <-> s1|4 links|3 links|3 of 4 links\n" },
	{ "a trunk with one too many", "l1,*,s1,*,2\n", "l1,1,s1,1\nl1,2,s1,2\nl1,3,s1,3\n",
	  "I link-new l1/3 <-> s1/3|||the link is new\n" },
	{ "a trunk from one port", "l1,1,s1,*\n", "l1,1,s1,5\n", "" },
	{ "a GUID in one of them", "0x10,1,0x20,1\n0x20,2,0x30,1\n", "0x20,1,0x10,1\n0x20,2,0x30,2\n",
	  "C recabled 0x0000000000000020/2|0x0000000000000030/1|0x0000000000000030/2|leads to "
	  "0x0000000000000030/2 instead of 0x0000000000000030/1\n" },
	{ "merger",
	  "StartDevice,StartPort,EndDevice,EndPort,State,Domain\nl1,Port 1,h1,Port 1,Active,In-Scope\n"
	  "l1,Port 2,h2,Port 1,Disabled,In-Scope\nl1,3,h3,1,No-discover,In-Scope\nl1,4,h4,1,Active,Disconnected\n",
	  "l1,1,h1,1\n", "" },
	{ "full",
	  "rack #,U height,#Fields:StartDevice,StartPort,StartDeviceLocation,EndDevice,EndPort,"
	  "EndDeviceLocation,U height_1,LinkType,Speed,_2,Cable Length,_3,State,Domain\n"
	  "r1,3,l1,Port 1,here,h1,Port 1,there,4,IB,400,,3,,Active,In-Scope\n",
	  "l1,1,h1,1\n", "" },
	{ "nodes with their ports", "l1/1,h1-1/1\nl1/2,h1-2/1\n", "l1,1,h1-1,1\nl1,2,h1-2,1\n", "" },
	{ "... and a trunk", "l1/1,h1-1/1\nl1/*,s1/*,2\n", "l1,1,h1-1,1\nl1,2,s1,1\n",
	  "C link-gone l1 <-> s1|2 links|1 link|1 of 2 links\n" },
	{ "... with a header", "Cable;From;To\n7;l1/1;h1/1\n", "h1,1,l1,1\n", "" },
	{ "... that begins as a topology file", "Switch Port,Switch,Hca,Hca Port\n7,l1,h1,1\n", "l1,7,h1,1\n",
	  "" },
	{ "a name that does", "Switch/1,Ca/1\n", "Switch,1,Ca,1\n", "" },
	{ "columns without an end", "switch,port,host,hca port\nl1,7,h1,1\n", "l1,7,h1,1\n", "" },
	{ "... ports last", "Host,Switch,Switch Port,Host Port\nh1,l1,7,1\n", "l1,7,h1,1\n", "" },
	{ "... and of a peer", "port,node,peer,peer port\n7,l1,h1,1\n", "l1,7,h1,1\n", "" },
	{ "devices of a host", "h1,mlx5_1,l1,2\nH1,mlx5_0,l1,1\n", "\"h1 mlx5_0\",1,l1,1\nl1,2,h1 mlx5_1,1\n",
	  "" },
	{ "a name of several nodes", "h1,1,l1,1\n", "\"h1 mlx5_0\",1,l1,1\nl1,2,h1 mlx5_1,1\n",
	  "several nodes have the name 'h1': use the whole name or the GUID" },
	{ "semicolons and quotes", "\"node a\";port a;\"node b\";port b\n\"l1\";1;\"h;1\";1\n",
	  "l1,1,\"h;1\",1\n", "" },
	{ "a device, and another name of the same host", SWITCHES "l1,1,h1,mlx5_0\nl1,2,H2,mlx5_0\n",
	  SWITCHES "l1,1,\"h2 HCA-1\",1\nl1,2,\"h1 HCA-1\",1\n",
	  "C moved h1|l1/1|l1/2|from l1/1 to l1/2\nC moved h2|l1/2|l1/1|from l1/2 to l1/1\n" },
	{ "two devices of a host are two nodes", SWITCHES "l1,1,h1,mlx5_3\n", SWITCHES "l1,1,h1,mlx5_0\n",
	  "I replaced h1|h1 mlx5_3|h1 mlx5_0|h1 mlx5_3 was replaced by h1 mlx5_0 at l1/1\n" },
	{ "a first word of two names of the plan", SWITCHES "l1,1,\"h1 x\",1\nl2,1,\"h1 y\",1\n",
	  SWITCHES "l2,1,\"h1 z\",1\n",
	  "W node-gone h1 x|l1/1||is gone, was at l1/1\nI replaced h1|h1 y|h1 z|h1 y was replaced by h1 z at l2/1\n" },
	{ "a first word of two nodes", SWITCHES "l1,1,\"h1 x\",1\n",
	  SWITCHES "l2,1,\"h1 y\",1\nl2,2,\"h1 z\",1\n",
	  "W node-gone h1|l1/1||is gone, was at l1/1\nI node-new h1 y||l2/1|is new, at l2/1\n"
	  "I node-new h1 z||l2/2|is new, at l2/2\n" },
	{ "another subnet", "a,1,b,1\n", "c,1,d,1\n",
	  "a plan of another subnet, or of other names: 2 of its 2 nodes are not here, such as a" },
	{ "half of the names", "a,1,x,1\na,2,b,1\na,3,c,1\n", "a,1,y,1\na,2,z,1\na,3,c,1\n",
	  "I replaced y|x|y|x was replaced by y at a/1\nI replaced z|b|z|b was replaced by z at a/2\n" },
	{ "most names", "a,1,x,1\na,2,b,1\na,3,c,1\n", "a,1,y,1\na,2,z,1\na,3,d,1\n",
	  "a plan of another subnet, or of other names: 3 of its 4 nodes are not here, such as x" },
	{ "most nodes are gone", "a,1,x,1\na,2,b,1\na,3,c,1\n", "a,3,c,1\n",
	  "W node-gone b|a/2||is gone, was at a/2\nW node-gone x|a/1||is gone, was at a/1\n" },
};

static void test_pairs(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		struct madkit_cabling *before = NULL, *after = NULL;
		struct madkit_error error = { .text = "" };
		char out[4096];
		int ret = plan_text(pairs[i].before, &before, &error);

		if (!ret)
			ret = plan_text(pairs[i].after, &after, &error);
		if (!ret)
			compare_text(before, after, NULL, out, sizeof(out));
		is_str(ret ? error.text : out, pairs[i].expected, "%s", pairs[i].name);
		madkit_cabling_free(before);
		madkit_cabling_free(after);
	}
}

/* ---- malformed plans ----------------------------------------------------------------------- */

#define PORT(port, rest) \
	"{\"kind\":\"port\",\"port\":{\"node\":{\"name\":\"l1\",\"guid\":\"0x10\",\"type\":\"Switch\"},\"number\":" port \
	"," rest "}}\n"
#define PEER(guid, port) \
	"\"peer\":{\"node\":{\"name\":\"x\",\"guid\":\"" guid "\",\"type\":\"CA\"},\"number\":" port "}"

#define SUMMARY(shown, missing) \
	"{\"kind\":\"summary\",\"data\":{\"ports\":2,\"shown\":" shown ",\"missing\":[" missing "]}}\n"

static const struct {
	const char *text, *reason;
} wrong[] = {
	{ "", "the plan has no nodes" },
	{ "# only a comment\n", "the plan has no nodes" },
	{ "switch,port,host,hca\nl1,1,h1,1\n",
	  "line 1: no column is the port of 'host': 'hca' is not known" },
	{ "switch,port,to\nl1,1,h1/1\n", "line 1: no column is the port of 'to'" },
	{ "node,port,cable;no,peer port\n", "line 1: no column is the second node: 'cable;no' is not known" },
	{ "hello\n", "line 1: neither output of madsweep -j, a topology file nor CSV with known columns" },
	{ "a,b,c,d\n1,2,3,4\n",
	  "line 1: neither output of madsweep -j, a topology file nor CSV with known columns" },
	{ "l1,1,h1,1\nl1,2\n", "line 2: the line has 2 cells: is it cut off?" },
	{ "l1,1,h1,1\nl1,2,\"h2,1\n", "line 2: quotes are not closed" },
	{ "l1,1,h1,1\nl1,1,h2,1\n", "line 2: l1/1 has another link than in line 1" },
	{ "l1,1,h1,1\n\nh1,1,l1,2\n", "line 3: h1/1 has another link than in line 1" },
	{ "l1,1,L1,1\n", "line 1: a port is linked to itself" },
	{ "l1,1,h1,0\n",
	  "line 1: neither output of madsweep -j, a topology file nor CSV with known columns" },
	{ "l1,1,h1,1\nl1,2,h1,255\n", "line 2: '255' is not a port number: --names says which port it is" },
	{ "l1,1,h1,1\nl1,2,,1\n", "line 2: a node is missing" },
	{ "l1,1,h1,1\nl1,2,h2,\n", "line 2: a port is missing" },
	{ "l1,1,h1,1\nl1,Blade 2_Port 1/3,h2,1\n",
	  "line 2: 'Blade 2_Port 1/3' is not a port number: --names says which port it is" },
	{ "l1,*,s1,*,0\n", "line 1: '0' is not a number of links from 1 to 10000" },
	{ "l1,1,s1,2,4\n", "line 1: 4 links need the port *" },
	{ "l1,1,h\xff,1\n", "line 1: column 7 is not UTF-8" },
	{ PORT("1", PEER("0x20", "1")) "{\"kind\":\"por",
	  "line 2: not a JSON object: it ends too early at column 13: the end of the text is expected" },
	{ PORT("1", PEER("0x20", "1")) PORT("1", PEER("0x20", "1")) SUMMARY("2", ""),
	  "line 2: l1/1 is also in line 1" },
	{ PORT("1", PEER("0x20", "1")) PORT("2", PEER("0x20", "1")) SUMMARY("2", ""),
	  "line 2: x/1 has another link than in line 1" },
	{ PORT("1", PEER("0x20", "1")) "{\"kind\":\"port\",\"port\":{\"node\":{\"guid\":\"0x20\"},\"number\":1,\"state\":\"Down\",\"peer\":null}}\n" SUMMARY(
		  "2", ""),
	  "line 2: x/1 has a link only in one of its lines: see line 1" },
	{ PORT("1", PEER("0x20", "1")) PORT("2", "\"state\":\"Down\""),
	  "line 2: the file ends without the summary of madsweep -j: is it cut off?" },
	{ PORT("1", PEER("0x20", "1")) SUMMARY("2", ""),
	  "line 2: the sweep showed 2 ports, but 1 are in the file" },
	{ PORT("1", PEER("0x20", "1")) SUMMARY("1", "\"deadline\""),
	  "line 2: the sweep is not complete: \"deadline\"" },
	{ "{\"kind\":\"summary\",\"data\":{\"ports\":2,\"shown\":2}}\n",
	  "line 1: not a summary of madsweep -j" },
	{ PORT("1", "\"width\":4"), "line 1: port.width is missing or not valid" },
	{ PORT("1", "\"speed\":\"Bogus\""), "line 1: port.speed is missing or not valid" },
	{ PORT("1", "\"state\":true"), "line 1: port.state is missing or not valid" },
	{ PORT("1", "\"peer\":3"), "line 1: port.peer is missing or not valid" },
	{ "from,to,state\nl1/1,h1/1,Active\nl1/2,h2/1,Bogus\n",
	  "line 3: 'Bogus' is not a state: Active, Disabled or No-discover" },
	{ "from,to\nl1/1,h1/1\nl1,h2/1\n", "line 3: 'l1' is not NODE/PORT" },
	/* which node has the first port? */
	{ "host,switch,port,hca port\nh1,l1,1,1\n",
	  "line 1: no column is the port of 'host': 'hca port' is not known" },
	{ PORT("256", PEER("0x20", "1")), "line 1: port.number is missing or not valid" },
	{ "{\"kind\":\"port\",\"port\":{\"number\":1}}\n", "line 1: port.node.guid is missing or not valid" },
	{ "{\"kind\":\"response\"}\n",
	  "line 1: a line of kind response: a plan is the output of madsweep -j" },
	{ "{\"a\":1}\n", "line 1: not a line of madsweep -j: it has no kind" },
	{ "Switch 4 \"S-0000000000000001\" # \"l1\"\n[1] \"S-00",
	  "line 2, column 5: the closing '\"' is missing" },
};

static void test_wrong(void)
{
	char zero[] = "l1,1,h1,1\nl1,2,h0,1\n";
	struct madkit_error error;
	struct madkit_plan *plan;
	char *longer;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct madkit_cabling *c = NULL;

		error = (struct madkit_error){ .text = "" };
		ok(plan_text(wrong[i].text, &c, &error) < 0, "wrong plan %zu", i + 1);
		/* words of the readers below are not repeated here */
		ok(!strncmp(error.text, wrong[i].reason, 40) || !strcmp(error.text, wrong[i].reason),
		   "... %s", error.text);
		madkit_cabling_free(c);
	}
	zero[16] = 0;
	ok(!madkit_plan_new(&plan), "a plan with a zero byte");
	is_int(madkit_plan_line(plan, zero, 10, &error), 0, "... whose first line is good");
	is_int(madkit_plan_line(plan, zero + 10, 10, &error), -EINVAL, "... is refused");
	is_str(error.text, "line 2: column 7 is a zero byte", "... with its place");
	ok(madkit_plan_end(plan, &(struct madkit_cabling *){ NULL }, &error) < 0, "... and has no cabling");
	madkit_plan_free(plan);
	longer = malloc(MADKIT_PLAN_LINE_MAX + 1);
	memset(longer, 'x', MADKIT_PLAN_LINE_MAX + 1);
	ok(!madkit_plan_new(&plan), "a plan with a long line");
	is_int(madkit_plan_line(plan, longer, MADKIT_PLAN_LINE_MAX + 1, &error), -E2BIG, "... is refused");
	madkit_plan_free(plan);
	free(longer);
}

static void test_names(void)
{
	struct madkit_plan *plan;
	struct madkit_cabling *c = NULL;
	static const char row[] = "Core 1,Blade 2_Port 1/3,cage,1/2/1";

	ok(!madkit_plan_new(&plan), "names");
	is_int(madkit_plan_rename(plan, "Core 1", "Blade 2_Port 1/3", "core", 39), 0, "a port of a node");
	is_int(madkit_plan_rename(plan, "*", "1/2/1", NULL, 5), 0, "a port of any node");
	is_int(madkit_plan_rename(plan, "cage", NULL, "leaf5", -1), 0, "a node");
	is_int(madkit_plan_rename(plan, "CAGE", NULL, "leaf6", -1), -EEXIST, "... only once");
	is_int(madkit_plan_line(plan, "a,1,b,1", 7, NULL), 0, "a row without them");
	is_int(madkit_plan_line(plan, row, strlen(row), NULL), 0, "a row with them");
	is_int(madkit_plan_end(plan, &c, NULL), 0, "the cabling");
	is_str(madkit_cabling_node(c, 2)->name, "core", "the first node");
	is_int(madkit_cabling_node(c, 2)->nports, 39, "its port");
	is_str(madkit_cabling_node(c, 3)->name, "leaf5", "the other one");
	is_int(madkit_cabling_node(c, 3)->nports, 5, "its port");
	madkit_cabling_free(c);
	madkit_plan_free(plan);
}

/* ---- by hand ------------------------------------------------------------------------------- */

static uint32_t hand_node(struct madkit_cabling *c, uint64_t guid, const char *name, uint8_t type,
			  uint8_t nports, uint8_t state)
{
	const struct madkit_cabling_node node = {
		.guid = guid, .name = name, .type = type, .nports = nports, .counted = true
	};
	uint32_t added = 0;

	madkit_cabling_add_node(c, &node, state, &added);
	return added;
}

static void hand_link(struct madkit_cabling *c, uint32_t a, int p, uint32_t b, int q, uint8_t width)
{
	const struct madkit_cabling_port port = { .width = width, .speed = MADKIT_SPEED_NDR };

	madkit_cabling_set_port(c, (struct madkit_cabling_end){ a, p }, &port);
	madkit_cabling_set_port(c, (struct madkit_cabling_end){ b, q }, &port);
	madkit_cabling_add_link(c, (struct madkit_cabling_end){ a, p }, (struct madkit_cabling_end){ b, q });
}

/* A spine, two leaves with a host each; the second leaf and its host may be hidden. */
static struct madkit_cabling *hand_tree(bool hidden, uint8_t ports, uint8_t width, const char *name)
{
	struct madkit_cabling *c = NULL;
	uint32_t spine, leaf;

	madkit_cabling_new(&c);
	spine = hand_node(c, 1, "spine", MADKIT_NODE_TYPE_SWITCH, ports, MADKIT_CABLING_DOWN);
	for (unsigned int i = 1; i <= 2 - (unsigned int)hidden; i++) {
		leaf = hand_node(c, 0x10 + i, i == 1 ? "leaf1" : "leaf2", MADKIT_NODE_TYPE_SWITCH, 4,
				 MADKIT_CABLING_DOWN);
		hand_link(c, spine, (int)i, leaf, 4, width);
		hand_link(c, leaf, 1,
			  hand_node(c, 0x20 + i, i == 1 ? name : "h2", MADKIT_NODE_TYPE_CHANNEL_ADAPTER, 1,
				    MADKIT_CABLING_DOWN),
			  1, MADKIT_WIDTH_4X);
	}
	if (hidden)
		madkit_cabling_set_port(c, (struct madkit_cabling_end){ spine, 2 },
					&(struct madkit_cabling_port){ .state = MADKIT_CABLING_UNKNOWN });
	return c;
}

static bool hand_scope(void *context, const struct madkit_cabling_node *node)
{
	return !strcmp(node->name, context);
}

static void test_hand(void)
{
	struct madkit_comparison_counts counts;
	const struct madkit_compare_options scope = { .scope = hand_scope, .context = (void *)"spine" };
	struct madkit_cabling *a = hand_tree(false, 8, MADKIT_WIDTH_4X, "h1"), *b;
	struct madkit_comparison *list = NULL;
	char out[2048];

	b = hand_tree(true, 8, MADKIT_WIDTH_4X, "h1");
	compare_text(a, b, NULL, out, sizeof(out));
	is_str(out, "", "a leaf and its host behind a port that is not known are not gone");
	ok(!madkit_compare(a, b, NULL, &list, NULL), "... but not known");
	madkit_comparison_count(list, &counts);
	ok(counts.hidden == 2 && counts.links == 4 && counts.same == 2 && counts.unknown == 2 &&
		   !counts.outside,
	   "... with their links");
	madkit_comparison_free(list);
	compare_text(b, a, NULL, out, sizeof(out));
	is_str(out, "", "... nor new, if they are known later");
	madkit_cabling_free(b);
	b = hand_tree(false, 8, MADKIT_WIDTH_1X, "h1");
	compare_text(a, b, NULL, out, sizeof(out));
	is_str(out,
	       "W rate leaf1/4 <-> spine/1|4x NDR|1x NDR|1x NDR instead of 4x NDR\n"
	       "W rate leaf2/4 <-> spine/2|4x NDR|1x NDR|1x NDR instead of 4x NDR\n",
	       "other widths");
	compare_text(a, b, &scope, out, sizeof(out));
	is_str(out, "", "... of which one end is out of scope");
	madkit_cabling_free(b);
	b = hand_tree(false, 8, MADKIT_WIDTH_4X, "h9");
	madkit_cabling_set_prefix(a, 1);
	madkit_cabling_set_prefix(b, 2);
	compare_text(a, b, NULL, out, sizeof(out));
	is_str(out,
	       "W subnet |0x0000000000000001|0x0000000000000002|the subnet prefix is 0x0000000000000002 "
	       "instead of 0x0000000000000001\nI renamed h9|h1|h9|named h9 instead of h1\n",
	       "another subnet prefix and name");
	madkit_cabling_free(b);
	b = hand_tree(false, 16, MADKIT_WIDTH_4X, "h1");
	compare_text(a, b, NULL, out, sizeof(out));
	is_str(out, "W split spine|8|16 ports|16 ports instead of 8\n", "another number of ports");
	madkit_cabling_free(b);
	madkit_cabling_free(a);
}

/* ---- memory -------------------------------------------------------------------------------- */

static int memory_try(const char *before, const char *after)
{
	struct madkit_cabling *a = NULL, *b = NULL;
	struct madkit_comparison *list = NULL;
	int ret = plan_text(before, &a, NULL);

	if (!ret)
		ret = plan_text(after, &b, NULL);
	if (!ret)
		ret = madkit_compare(a, b, NULL, &list, NULL);
	madkit_comparison_free(list);
	madkit_cabling_free(a);
	madkit_cabling_free(b);
	return ret;
}

static void test_compare_memory(void)
{
	bool said = true;
	long tries = 0;
	int ret;

	for (;; tries++) {
		left = tries;
		ret = memory_try(pairs[4].before, pairs[1].after);
		if (!reached())
			break;
		said &= ret == -ENOMEM;
		if (ret != -ENOMEM)
			printf("# %ld: %d\n", tries, ret);
	}
	left = -1;
	ok(said && !ret && tries > 20, "each failure of an allocation is reported");
}

int main(void)
{
	test_pairs();
	test_wrong();
	test_names();
	test_hand();
	test_compare_memory();
	return tap_done();
}
