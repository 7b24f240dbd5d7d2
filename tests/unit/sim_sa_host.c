/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Subnet administration as a program: next to the built-in manager, queried over the fabric by programs on
 * other hosts, with RMPP by their kernels. */
#include <errno.h>
#include <stdlib.h>
#include <infiniband/mad.h>
#include <madkit/mad.h>
#include "sim/sa/sa.h"
#include "sim/simulation.h"
#include "tests/tap.h"
#include "topology/find.h"
#include "topology/generate.h"

#define LINE \
	"Switch 8 \"A\"\n[1] \"h1\"[1]\n[2] \"h2\"[1]\n[3] \"h3\"[1]\n" \
	"Ca 1 \"h1\"\n[1] \"A\"[1]\nCa 1 \"h2\"\n[1] \"A\"[2]\nCa 1 \"h3\"\n[1] \"A\"[3]\n"
#define MS UINT64_C(1000000)

enum { GET = 1, SET = 2, REPORT = 6, GET_TABLE = 0x12 };

static struct topology *t;
static struct simulation *s;
static uint64_t now;

struct client {
	struct host_file *file;
	uint32_t id;
	uint32_t node;
	unsigned int lid, sm_lid;
	uint64_t tid;
	uint8_t *message; /* the latest that came */
	size_t len;
	int status;
};

static uint32_t node_named(const char *name)
{
	return topology_find(t, name, strlen(name));
}

static uint8_t *sim_sa_host_info_of(uint32_t node)
{
	return s->fabric->ports[s->fabric->nodes[node].first + 1].info;
}

static void sim_sa_host_run(uint64_t until)
{
	for (uint64_t due; (due = simulation_deadline(s)) <= until;) {
		now = due > now ? due : now;
		simulation_process(s, now);
	}
	now = until;
}

static void sim_sa_host_open_all(const char *words)
{
	struct simulation_options options = {
		.seed = 1,
		.hop_ns = 100,
		.answer_ns = 1000,
		.sm = true,
	};
	unsigned int port;
	int ret = strncmp(words, "fat-tree:", 9) ? topology_read(words, strlen(words), &t, NULL) :
						   topology_generate(words, &t, NULL);

	now = 0;
	/* the manager is at the first CA, whose cables stay plugged */
	if (ret || find_end(t, NULL, &options.sm_node, &port, NULL) || simulation_new(t, &options, &s)) {
		printf("Bail out! no simulation\n");
		exit(1);
	}
	sim_sa_host_run(5000 * MS);
}

static void close_all(void)
{
	simulation_free(s);
	topology_free(t);
}

static void client_open(struct client *c, const char *name)
{
	struct host_agent agent = {
		.mgmt_class = 3,
		.class_version = 2,
		.rmpp_version = 1,
		.method_mask = { UINT64_C(1) << REPORT },
	};

	*c = (struct client){ .node = node_named(name), .tid = 77 };
	if (host_open(s->hosts, c->node, 1, NULL, NULL, &c->file) || host_register(c->file, &agent, &c->id))
		ok(false, "%s has a program", name);
	c->lid = mad_get_field(sim_sa_host_info_of(c->node), 0, IB_PORT_LID_F);
	c->sm_lid = mad_get_field(sim_sa_host_info_of(c->node), 0, IB_PORT_SMLID_F);
}

static void client_close(struct client *c)
{
	free(c->message);
	host_close(c->file);
}

/* Returns the status of the response that has arrived by now, or -1. */
static int sim_sa_host_take(struct client *c)
{
	struct host_message m;

	if (!host_next(c->file, &m))
		return -1;
	free(c->message);
	c->message = malloc(m.len);
	if (!c->message)
		exit(1);
	memcpy(c->message, m.mad, m.len);
	c->len = m.len;
	c->status = m.status;
	host_pop(c->file);
	return m.status ? m.status : (int)get_be16(c->message + 4);
}

static int sim_sa_host_request(struct client *c, uint8_t method, uint16_t attribute, uint64_t mask,
			       const uint8_t *data, size_t len)
{
	const struct madkit_addr to = { .lid = c->sm_lid, .qp = 1 };
	struct madkit_header h = {
		.base_version = 1,
		.mgmt_class = 3,
		.class_version = 2,
		.method = method,
		.tid = ++c->tid,
		.attribute = attribute,
	};
	uint8_t mad[256] = { 0 };

	madkit_header_put(mad, 256, &h);
	put_be64(mad + 48, mask);
	if (len)
		memcpy(mad + 56, data, len);
	if (host_send(c->file, &(struct host_out){ c->id, &to, mad, 256, 5000, 2 }, now))
		return -2;
	for (unsigned int i = 0; i < 100; i++) {
		int ret = sim_sa_host_take(c);

		if (ret >= 0)
			return ret;
		sim_sa_host_run(now + 20 * MS);
	}
	return -1;
}

static int sim_sa_host_table(struct client *c, uint16_t attribute, uint64_t mask, const uint8_t *data,
			     size_t len)
{
	return sim_sa_host_request(c, GET_TABLE, attribute, mask, data, len);
}

/* ---- tables --------------------------------------------------------------------------- */

static void sim_sa_host_tables(void)
{
	struct client c;
	uint8_t lid[2] = { 0x7f, 0 };
	unsigned int wrong = 0;

	sim_sa_host_open_all("fat-tree:25,20,3");
	client_open(&c, "h25-20");
	is_int(sim_sa_host_table(&c, 0x11, 0, NULL, 0), 0, "NodeRecords by RMPP");
	is_u64((c.len - 56) / 112, 528, "... of each node");
	is_u64((c.len - 56) % 112, 0, "... whole ones");
	for (unsigned int i = 0; i < (c.len - 56) / 112; i++)
		wrong += !get_be16(c.message + 56 + 112 * i);
	is_u64(wrong, 0, "... with their LIDs");
	is_int(sim_sa_host_table(&c, 0x11, 1, lid, 2), 0, "a table of none");
	is_u64(c.len, 56, "... is its headers");
	is_int(sim_sa_host_request(&c, GET, 0x11, 1, lid, 2), 0x300, "a Get of none");
	is_u64(c.len, 256, "... is a MAD");
	is_int(sim_sa_host_request(&c, GET, 0x3c, 0, NULL, 0), 0x0c, "an attribute that it has not");
	client_close(&c);
	close_all();
}

/* ---- reports --------------------------------------------------------------------------- */

static int sim_sa_host_subscribe(struct client *c, unsigned int trap, bool wanted)
{
	uint8_t info[36] = {
		[16] = 0xff, 0xff, [22] = 1, wanted, 0xff, 0xff, (uint8_t)(trap >> 8), (uint8_t)trap, 0, 0,
		1,           18,   0,        0xff,   0xff, 0xff,
	};

	return sim_sa_host_request(c, SET, 3, 0, info, sizeof(info));
}

/* Returns the trap of the report, which is acknowledged if requested; 0: none has arrived. */
static unsigned int sim_sa_host_report(struct client *c, bool answer)
{
	const struct madkit_addr to = { .lid = c->sm_lid, .qp = 1 };

	if (sim_sa_host_take(c) < 0)
		return 0;
	if (c->message[3] != REPORT || c->status)
		return 0xffff;
	c->message[3] |= 0x80;
	if (answer && host_send(c->file, &(struct host_out){ c->id, &to, c->message, 256, 0, 0 }, now))
		return 0xfffe;
	return get_be16(c->message + 56 + 4);
}

/* How many subscriptions there are. */
static unsigned int subscriptions(struct client *c)
{
	return sim_sa_host_table(c, 0xf3, 0, NULL, 0) ? 99 : (unsigned int)((c->len - 56) / 64);
}

enum { GONE, COME, LINK, ELSE, KINDS };

/* Listens for so long, and answers at once if that is wanted. */
static void hear(struct client *c, unsigned int ms, bool answer, unsigned int seen[KINDS])
{
	unsigned int trap;

	memset(seen, 0, KINDS * sizeof(*seen));
	for (unsigned int i = 0; i < ms / 20; i++) {
		sim_sa_host_run(now + 20 * MS);
		while ((trap = sim_sa_host_report(c, answer)))
			seen[trap == 65 ? GONE : trap == 64 ? COME : trap == 128 ? LINK : ELSE]++;
	}
}

static void sim_sa_host_reports(void)
{
	struct client h2, h1;
	unsigned int seen[KINDS];

	sim_sa_host_open_all(LINE);
	client_open(&h2, "h2");
	client_open(&h1, "h1");
	is_int(sim_sa_host_subscribe(&h2, 65, true), 0, "h2 wants to know of ports that go");
	is_int(sim_sa_host_subscribe(&h2, 64, true), 0, "... and that come");
	is_int(sim_sa_host_subscribe(&h2, 128, true), 0, "... and of links");
	is_u64(subscriptions(&h1), 3, "three subscriptions");
	fabric_cable(s->fabric, node_named("h3"), 1, false);
	hear(&h2, 3000, true, seen);
	is_u64(seen[GONE], 1, "trap 65: h3 is gone");
	ok(seen[LINK] > 0, "trap 128: of the switch");
	is_u64(seen[COME] + seen[ELSE], 0, "... and nothing else");
	hear(&h2, 10000, true, seen);
	is_u64(seen[GONE] + seen[COME] + seen[LINK] + seen[ELSE], 0, "what was answered does not come again");
	is_u64(subscriptions(&h1), 3, "... and the subscriptions stay");
	fabric_cable(s->fabric, node_named("h3"), 1, true);
	hear(&h2, 5000, true, seen);
	is_u64(seen[COME], 1, "trap 64: h3 is there again");
	is_u64(seen[GONE] + seen[ELSE], 0, "... and nothing but links besides");
	is_int(sim_sa_host_subscribe(&h2, 128, false), 0, "h2 does not want to know of links any more");
	is_u64(subscriptions(&h1), 2, "two subscriptions");

	/* h2 does not answer any more */
	fabric_cable(s->fabric, node_named("h3"), 1, false);
	hear(&h2, 20000, false, seen);
	is_u64(seen[GONE], 4, "a report that nobody answers comes four times");
	is_u64(subscriptions(&h1), 1, "... and its subscription is gone, which others are not");
	client_close(&h1);
	client_close(&h2);
	close_all();
}

/* ---- what the manager makes of it --------------------------------------------------------- */

static int sim_sa_host_join(struct client *c, uint64_t guid, uint8_t method)
{
	uint8_t record[56] = {
		0xff, 0x12, 0x40, 0x1b,        0xff, 0xff,     [12] = 0xff,
		0xff, 0xff, 0xff, [16] = 0xfe, 0x80, [48] = 1,
	};

	put_be64(record + 24, guid);
	return sim_sa_host_request(c, method, 0x38, 1 | 2 | 1 << 16, record, sizeof(record));
}

/* Of the first LID, in the first record. */
static unsigned int ports_of(const struct client *c)
{
	return c->len >= 56 + 72 ? get_be16(c->message + 56 + 8) : 0;
}

static void sim_sa_host_groups(void)
{
	struct client h2, h3;
	uint64_t guid2, guid3;

	sim_sa_host_open_all(LINE);
	client_open(&h2, "h2");
	client_open(&h3, "h3");
	guid2 = s->fabric->ports[s->fabric->nodes[h2.node].first + 1].guid;
	guid3 = s->fabric->ports[s->fabric->nodes[h3.node].first + 1].guid;
	is_int(sim_sa_host_join(&h2, guid2, SET), 0, "h2 joins the broadcast group");
	is_int(sim_sa_host_join(&h3, guid3, SET), 0, "... and h3");
	sim_sa_host_run(now + 2000 * MS);
	is_int(sim_sa_host_table(&h2, 0x17, 0, NULL, 0), 0, "MulticastForwardingTableRecords");
	is_u64(ports_of(&h2), 1u << 2 | 1u << 3, "... lead to both");
	is_int(sim_sa_host_join(&h3, guid3, 0x15), 0, "h3 leaves");
	sim_sa_host_run(now + 2000 * MS);
	is_int(sim_sa_host_table(&h2, 0x17, 0, NULL, 0), 0, "... which the tables");
	ok(!(ports_of(&h2) & 1u << 3), "... say, too");
	client_close(&h3);
	client_close(&h2);
	close_all();
}

/* ---- one port, one administration ------------------------------------------------------------ */

static void sim_sa_host_busy(void)
{
	struct subnet empty = { .sm_port = SUBNET_NONE };
	struct sa_options options = { .subnet = &empty, .port = 1 };
	struct sa *sa;

	sim_sa_host_open_all(LINE);
	options.node = s->sm_node;
	is_int(sa_new(s->hosts, &options, &sa), -EBUSY, "a second one at the port");
	ok(!sa, "... is none");
	options.node = node_named("h3");
	is_int(sa_new(s->hosts, &options, &sa), 0, "at another port");
	is_u64(sa_deadline(sa), UINT64_MAX, "... nothing is due");
	sa_free(sa);
	options.port = 9;
	is_int(sa_new(s->hosts, &options, &sa), -EINVAL, "at no port");
	sa_free(NULL);
	close_all();
}

int main(void)
{
	sim_sa_host_tables();
	sim_sa_host_reports();
	sim_sa_host_groups();
	sim_sa_host_busy();
	return tap_done();
}
