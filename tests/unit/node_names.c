/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of nodes from the SA (lib/names/node_names.c), in virtual time: a LID never has the name of a node that had it before. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <madkit/names.h>
#include "tests/tap.h"
#include "tests/unit/fake_transport.h"
#include "util/time.h"

enum { TRIP_MS = 5, NODES = 3 };

#define GUID(n) (UINT64_C(0x0002c90300000000) + (n))

static struct fake *fake;
static struct madkit_port *port;
static struct madkit_names_attr attr;
static struct madkit_names *names;
static struct madkit_error error;
/* what the SA has: the LID of each node, 0: not in the subnet */
static uint32_t lids[NODES];
static bool silent;

static uint64_t node_names_test_get(const struct fake_sent *sent, uint64_t field)
{
	uint64_t value = 0;

	madkit_get(sent->mad + MADKIT_SA_DATA, MADKIT_MAD_BYTES - MADKIT_SA_DATA, field, &value);
	return value;
}

static void node_names_test_peer(struct fake *f, const struct fake_sent *sent)
{
	uint64_t lid = node_names_test_get(sent, MADKIT_NODE_RECORD_LID);
	uint64_t guid = node_names_test_get(sent, MADKIT_NODE_RECORD_NODE_INFO_PORT_GUID);
	struct fake_arrival *a;
	uint8_t *data;
	char text[16];

	if (silent) {
		fake_return(f, sent->timeout_ms, sent, ETIMEDOUT);
		return;
	}
	a = fake_answer(f, TRIP_MS, sent);
	data = a->mad + MADKIT_SA_DATA;
	for (unsigned int i = 0; i < NODES; i++) {
		if (!lids[i] || (lid != lids[i] && guid != GUID(i)))
			continue;
		snprintf(text, sizeof(text), "node%u", i);
		madkit_put(data, 200, MADKIT_NODE_RECORD_LID, lids[i]);
		madkit_put(data, 200, MADKIT_NODE_RECORD_NODE_INFO_PORT_GUID, GUID(i));
		madkit_put_bytes(data, 200, MADKIT_NODE_RECORD_NODE_DESCRIPTION, text, strlen(text));
		return;
	}
	a->mad[MADKIT_MAD_STATUS] = MADKIT_SA_STATUS_NO_RECORDS;
}

static void node_names_test_begin(void)
{
	fake = fake_new();
	fake->peer = node_names_test_peer;
	silent = false;
	for (unsigned int i = 0; i < NODES; i++)
		lids[i] = 10 + i;
	port = fake_port(fake);
	attr = (struct madkit_names_attr){
		.resolver = { .port = port, .timeout_ms = 300, .retries = 2, .deadline_ns = UINT64_MAX },
		.describe = true,
	};
	is_int(madkit_names_new(&attr, &names, &error), 0, "names");
}

static void node_names_test_finish(void)
{
	madkit_names_free(names);
	madkit_port_close(port);
}

static struct madkit_node_key node_names_test_lid(uint32_t lid)
{
	return (struct madkit_node_key){ .lid = lid };
}
static struct madkit_node_key node_names_test_guid(unsigned int n)
{
	return (struct madkit_node_key){ .port_guid = GUID(n) };
}

/* Time passes. */
static void node_names_test_wait(uint64_t ms)
{
	const uint64_t end = fake->now + ms * NS_PER_MS;

	while (fake->now < end) {
		madkit_names_tend(names);
		fake_advance(fake, 1);
	}
	madkit_names_tend(names);
}

/* "": no name; "pending" that the response has not arrived. */
static const char *node_names_test_name(struct madkit_node_key key)
{
	const struct madkit_node *node = madkit_names_get(names, key);

	return madkit_names_pending(names, key) ? "pending" : node ? node->name : "";
}

/* The name, after a query if that is necessary. */
static const char *node_names_test_look(struct madkit_node_key key)
{
	madkit_names_want(names, key);
	node_names_test_wait(2 * TRIP_MS);
	return node_names_test_name(key);
}

static void test_names_life(void)
{
	const struct madkit_node_key lid = node_names_test_lid(10);
	size_t sent;

	node_names_test_begin();
	madkit_names_want(names, lid);
	is_str(node_names_test_name(lid), "pending", "a name is asked for");
	is_str(node_names_test_look(lid), "node0", "... and arrives");
	sent = fake->nsent;
	is_str(node_names_test_look(lid), "node0", "the second time it is known");
	is_u64(fake->nsent, sent, "... without a query");
	is_str(node_names_test_look(node_names_test_guid(0)), "node0", "also by its GUID");
	is_u64(fake->nsent, sent, "... without a query");
	/* node0 leaves and node1 has its LID, unnoticed */
	lids[0] = 0;
	lids[1] = 10;
	node_names_test_wait(MADKIT_NAMES_LIFE_MS);
	madkit_names_want(names, lid);
	ok(madkit_names_pending(names, lid) && !madkit_names_get(names, lid),
	   "later, the old name is not used");
	is_str(node_names_test_look(lid), "node1", "... but that of the node that has the LID");
	is_str(node_names_test_look(node_names_test_lid(11)), "", "a LID without a node has no name");
	sent = fake->nsent;
	is_str(node_names_test_look(node_names_test_lid(11)), "", "... which is remembered, too");
	is_u64(fake->nsent, sent, "... without a query");
	is_str(node_names_test_look(node_names_test_lid(0)), "", "LID 0 has no name");
	is_str(node_names_test_look(node_names_test_lid(0xc000)), "", "a multicast LID has no name");
	is_u64(fake->nsent, sent, "... without a query");
	node_names_test_finish();
}

static void test_names_forget(void)
{
	const struct madkit_node_key lid = node_names_test_lid(10), guid = node_names_test_guid(0);

	node_names_test_begin();
	is_str(node_names_test_look(lid), "node0", "a node by its LID");
	/* trap 65 */
	lids[0] = 0;
	madkit_names_forget(names, guid);
	is_str(node_names_test_look(guid), "node0", "a GUID that is gone keeps its name");
	/* trap 64: node1 has the LID */
	lids[1] = 10;
	madkit_names_forget(names, node_names_test_guid(1));
	is_str(node_names_test_look(node_names_test_guid(1)), "node1", "a node that has come");
	is_str(node_names_test_look(lid), "node1", "... has the LID at once");
	/* the same without trap 64 */
	lids[1] = 0;
	lids[2] = 10;
	madkit_names_forget(names, node_names_test_guid(1));
	is_str(node_names_test_look(lid), "node2", "a LID is forgotten with the GUID that had it");
	/* a change while the response is under way */
	madkit_names_forget(names, lid);
	madkit_names_want(names, lid);
	madkit_names_tend(names);
	lids[2] = 0;
	lids[0] = 10;
	madkit_names_forget(names, lid);
	node_names_test_wait(TRIP_MS + 1);
	is_str(node_names_test_name(lid), "pending", "a response from before a change does not count");
	node_names_test_wait(TRIP_MS + 1);
	is_str(node_names_test_name(lid), "node0", "... but the next one");
	node_names_test_finish();
}

static void test_names_silence(void)
{
	const struct madkit_node_key lid = node_names_test_lid(10);
	unsigned int pending = 0;

	node_names_test_begin();
	silent = true;
	madkit_names_want(names, lid);
	node_names_test_wait(MADKIT_NAMES_WAIT_MS);
	is_str(node_names_test_name(lid), "", "an SA that is silent is waited for for a second");
	is_u64(fake->nsent, 3, "... in three tries");
	silent = false;
	node_names_test_wait(MADKIT_NAMES_WAIT_MS);
	is_str(node_names_test_look(lid), "node0", "it is asked again later");
	silent = true;
	for (unsigned int i = 100; i < 20100; i++)
		madkit_names_want(names, node_names_test_lid(i));
	madkit_names_tend(names);
	for (unsigned int i = 100; i < 20100; i++)
		pending += madkit_names_pending(names, node_names_test_lid(i));
	is_between(pending, 1000, 5000, "many LIDs: the queue is bounded");
	is_between(fake->nsent, 4, 200, "... and so is the number of queries");
	node_names_test_wait(MADKIT_NAMES_WAIT_MS + TRIP_MS);
	for (unsigned int i = 100; i < 20100; i++)
		if (madkit_names_pending(names, node_names_test_lid(i)))
			pending = UINT32_MAX;
	ok(pending != UINT32_MAX, "... and ends");
	/* outstanding queries are abandoned */
	madkit_names_want(names, node_names_test_lid(12));
	madkit_names_tend(names);
	madkit_names_want(names, node_names_test_lid(13));
	node_names_test_finish();
}

static void test_names_map(void)
{
	static char path[] = "node_names_test.map";
	struct madkit_name_map *map;
	FILE *f = fopen(path, "w");

	fprintf(f, "0x%016" PRIx64 " \"a switch\"\n", GUID(2));
	fclose(f);
	node_names_test_begin();
	is_int(madkit_name_map_read(port, path, &map, &error), 0, "a map");
	remove(path);
	madkit_names_free(names);
	attr.map = map;
	attr.describe = false;
	is_int(madkit_names_new(&attr, &names, &error), 0, "... and names");
	lids[2] = 0;
	is_str(node_names_test_look(node_names_test_guid(2)), "a switch",
	       "a port GUID that the SA does not have is looked up as a node GUID");
	is_str(node_names_test_look(node_names_test_lid(10)), "", "a node that the map does not have");
	ok(madkit_names_get(names, node_names_test_lid(10)),
	   "... is known, but its description is not used as its name");
	node_names_test_finish();
	madkit_name_map_free(map);
}

/* The name, after a look-up that waits, or the error. */
static const char *node_names_test_block(uint32_t lid, int expected)
{
	const struct madkit_node *node = NULL;
	int ret = madkit_names_look_up(names, node_names_test_lid(lid), &node, &error);

	is_int(ret, expected, "a look-up of LID %" PRIu32, lid);
	return ret ? error.text : node->name;
}

static void test_names_block(void)
{
	size_t sent;

	node_names_test_begin();
	madkit_names_free(names);
	attr.life_ms = attr.wait_ms = MADKIT_NAMES_FOREVER;
	attr.resolver.timeout_ms = 2000;
	is_int(madkit_names_new(&attr, &names, &error), 0, "names that remain");
	is_str(node_names_test_block(10, 0), "node0", "... has its name");
	sent = fake->nsent;
	fake_advance(fake, 10 * MADKIT_NAMES_LIFE_MS);
	lids[0] = 0;
	is_str(node_names_test_block(10, 0), "node0", "... still, later");
	is_u64(fake->nsent, sent, "... without a query");
	/* a query in the background is waited for */
	madkit_names_want(names, node_names_test_lid(11));
	is_str(node_names_test_block(11, 0), "node1", "a name that was requested");
	ok(strstr(node_names_test_block(99, -ENOENT), "found none"), "the SA does not know it: %s",
	   error.text);
	node_names_test_block(0, -ENOENT);
	node_names_test_block(0xc000, -ENOENT);
	silent = true;
	sent = fake->nsent;
	ok(strstr(node_names_test_block(12, -ETIMEDOUT), "does not answer"), "no response: %s", error.text);
	is_u64(fake->nsent, sent + 3, "... after three tries");
	fake->wait_result = -EINTR;
	node_names_test_block(13, -EINTR);
	fake->wait_result = 0;
	silent = false;
	node_names_test_finish();
	/* the deadline of the resolver */
	node_names_test_begin();
	madkit_names_free(names);
	attr.wait_ms = MADKIT_NAMES_FOREVER;
	attr.resolver.deadline_ns = fake->now + 50 * NS_PER_MS;
	is_int(madkit_names_new(&attr, &names, &error), 0, "names with a deadline");
	silent = true;
	node_names_test_block(10, -ETIMEDOUT);
	is_u64(fake->now, attr.resolver.deadline_ns, "... end there");
	node_names_test_finish();
	/* no agent */
	node_names_test_begin();
	madkit_names_free(names);
	fake->attach_result = -EPERM;
	is_int(madkit_names_new(&attr, &names, &error), -EIO, "no registration: %s", error.text);
	names = NULL;
	node_names_test_finish();
}

int main(void)
{
	test_names_life();
	test_names_forget();
	test_names_silence();
	test_names_map();
	test_names_block();
	return tap_done();
}
