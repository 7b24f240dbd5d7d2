/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Every allocation fails once: nothing is half made, nothing is lost, and the MAD that
 * could not be handled is answered as busy or dropped. */
#include <errno.h>
#include <stdlib.h>
#include "sim/fabric/cc.h"
#include "sim/fabric/pma.h"
#include "tests/unit/fail_alloc.h"
#include "tests/unit/sim_host.h"
#include "util/array_size.h"
#include "util/time.h"

static void reading(void)
{
	struct topology *t = NULL, *again = NULL;
	struct madkit_buf text;
	struct madkit_error error;
	unsigned int failed = 0, wrong = 0;

	if (topology_generate("fat-tree:3,40,2", &t, &error))
		return;
	madkit_buf_init(&text, 0);
	topology_write(t, &text);
	topology_free(t);
	for (long i = 0;; i++) {
		int ret;

		left = i;
		again = NULL;
		ret = topology_read(text.data, text.len, &again, &error);
		if (!reached()) {
			topology_free(again);
			break;
		}
		failed++;
		wrong += ret != -ENOMEM || again || error.code != -ENOMEM;
	}
	ok(failed > 5, "%u allocations of the reader fail", failed);
	is_u64(wrong, 0, "... each is told, and leaves nothing");
	madkit_buf_free(&text);
	failed = wrong = 0;
	for (long i = 0;; i++) {
		int ret;

		left = i;
		again = NULL;
		ret = topology_generate("fat-tree:3,40,2", &again, &error);
		if (!reached()) {
			topology_free(again);
			break;
		}
		failed++;
		wrong += ret != -ENOMEM || again;
	}
	ok(failed > 5, "%u allocations of the generator fail", failed);
	is_u64(wrong, 0, "... each is told, and leaves nothing");
}

struct seen {
	unsigned int arrived, busy, dropped;
};

static void sim_memory_arrive(void *context, uint32_t node, unsigned int port, const struct fabric_head *head,
			      const uint8_t *mad)
{
	struct seen *seen = context;

	(void)node, (void)port, (void)head;
	seen->arrived++;
	seen->busy += mad[5] == 1;
}

/* A Set of each attribute with a table behind it. */
static void fabrics(void)
{
	static const struct {
		uint8_t attribute;
		uint32_t modifier;
	} sets[] = { { 0x19, 2 }, { 0x1b, 1 }, { 0x17, 0x0102 }, { 0x18, 1u << 16 | 2 } };
	struct topology *t = NULL;
	unsigned int made = 0, refused = 0, busy = 0, wrong = 0;

	if (topology_generate("fat-tree:1,3,0", &t, NULL))
		return;
	for (long i = 0;; i++) {
		struct seen seen = { 0 };
		struct fabric_options options = { .watcher = { .arrive = sim_memory_arrive,
							       .context = &seen } };
		struct fabric *f;
		unsigned int sent = 0;
		bool hit;

		left = i;
		f = fabric_new(t, &options);
		for (size_t s = 0; f && s < ARRAY_SIZE(sets); s++) {
			uint8_t mad[256] = { 1, 0x81, 1, 2, [7] = 1, [17] = sets[s].attribute, [129] = 1 };

			put_be32(mad + 20, sets[s].modifier);
			memset(mad + 32, 0xff, 4);
			sent += !fabric_send(f, t->nnodes - 1, 1, &(struct fabric_head){ .dlid = 0xffff },
					     mad, 256, 0);
			fabric_process(f, 1);
		}
		hit = reached();
		made += f != NULL;
		refused += !f;
		busy += seen.busy;
		/* accepted requests are answered; each failure spoils at most one request */
		wrong += f && (seen.arrived != sent || seen.busy > 1 || sent + 1 < 4);
		fabric_free(f);
		if (!hit)
			break;
	}
	ok(refused > 5, "%u fabrics are not made for want of memory", refused);
	is_u64(busy, 4, "each of the four tables was once too much");
	is_u64(wrong, 0, "... in one of %u fabrics, which went on", made);
	topology_free(t);
}

/* A message by RMPP to a server, which sends it back, and a request that times out. True:
 * all of that came about. */
static bool sim_memory_converse(struct host_net *net, struct host_file *files[2], unsigned int *refused)
{
	static uint8_t mad[1000 * 216];
	struct host_agent serves = agent_of(VENDOR, OUI, METHOD_ASK, 1);
	struct host_agent asks = agent_of(VENDOR, OUI, -1, 1);
	struct madkit_addr to = gsi_to(net, "h2");
	struct host_message m;
	uint32_t server, client;
	bool came = false;
	int ret;

	/* each of these is refused with no more than that, and what follows goes on */
	ret = host_open(net->hosts, net_node(&net->n, "h1"), 1, NULL, NULL, &files[0]);
	if (!ret)
		ret = host_open(net->hosts, net_node(&net->n, "h2"), 1, NULL, NULL, &files[1]);
	if (!ret)
		ret = host_register(files[0], &asks, &client);
	if (!ret)
		ret = host_register(files[1], &serves, &server);
	vendor_mad(mad, METHOD_ASK, 1);
	mad[26] = 1;
	if (!ret)
		ret = host_send(files[0], &(struct host_out){ client, &to, mad, sizeof(mad), 30000, 3 },
				net->n.now);
	if (ret) {
		*refused += ret == -ENOMEM;
		return false;
	}
	/* packets that are lost for lack of memory are resent after 2 s */
	for (int i = 0; i < 30 && !host_next(files[1], &m); i++)
		host_net_until(net, net->n.now + 1000 * MS);
	if (host_next(files[1], &m)) {
		mad[3] |= RESPONSE;
		memcpy(mad + 8, m.mad + 8, 8);
		ret = host_send(files[1], &(struct host_out){ server, &m.from, mad, sizeof(mad), 0, 3 },
				net->n.now);
		host_pop(files[1]);
		*refused += ret == -ENOMEM;
	}
	for (int i = 0; i < 40 && !came; i++) {
		host_net_until(net, net->n.now + 1000 * MS);
		while (host_next(files[0], &m)) {
			came |= m.status == 0 && m.len == sizeof(mad);
			host_pop(files[0]);
		}
	}
	mad[3] = METHOD_ASK;
	mad[26] = 0;
	ret = host_send(files[0], &(struct host_out){ client, &to, mad, 256, 100, 0 }, net->n.now);
	*refused += ret == -ENOMEM;
	host_net_until(net, net->n.now + 1000 * MS);
	return came && host_next(files[0], &m) && m.status == 110;
}

static void hosts(void)
{
	unsigned int failed = 0, refused = 0, survived = 0, wrong = 0;

	for (long i = 0;; i++) {
		struct host_file *files[2] = { NULL, NULL };
		struct host_net net;
		bool good, hit;

		host_net_open(&net, LINE_NET, 0);
		left = i;
		good = sim_memory_converse(&net, files, &refused);
		hit = reached();
		survived += hit && good;
		failed += hit;
		for (int f = 0; f < 2; f++)
			host_close(files[f]);
		wrong += hosts_deadline(net.hosts) != UINT64_MAX;
		host_net_close(&net);
		if (!hit) {
			wrong += !good;
			break;
		}
	}
	ok(failed > 20, "%u allocations of hosts fail", failed);
	ok(refused > 5, "... %u where somebody is told so", refused);
	ok(survived > 5, "... %u are made up for by sending again", survived);
	is_u64(wrong, 0, "... nothing is left of any");
}

/* The memory of counters and congestion control per port, one after the other. */
static void sim_memory_counters(void)
{
	static const struct {
		uint8_t class, version, attribute;
	} sets[] = { { 4, 1, 0x12 }, { 4, 1, 0x10 }, { 0x21, 2, 0x16 } };
	struct topology *t = NULL;
	unsigned int failed = 0, wrong = 0;
	bool hit;

	if (topology_generate("fat-tree:1,2,0", &t, NULL))
		return;
	do {
		struct fabric *f = fabric_new(t, &(struct fabric_options){ .hop_ns = 1 });
		struct port *port = f ? fabric_end_port(f, t->nnodes - 1, 1) : NULL;
		unsigned int told = 0, busy = 0;

		if (!port)
			break;
		field_put(MADKIT_PORT_INFO_LINK_STATE, port->info, PORT_ACTIVE);
		field_put(MADKIT_PORT_INFO_LINK_STATE, f->ports[port->peer].info, PORT_ACTIVE);
		left = failed;
		told += pma_set(f, port, "XmtDataSL3", 1) == -ENOMEM;
		told += pma_set_rate(f, port, "VL15Dropped", 1) == -ENOMEM;
		told += fabric_traffic(f, t->nnodes - 1, 1,
				       &(struct fabric_traffic){ .rate = 1000, .bytes = 64, .sl = 2 }) ==
			-ENOMEM;
		for (size_t s = 0; s < ARRAY_SIZE(sets); s++) {
			uint8_t mad[256] = {
				1,        sets[s].class, sets[s].version, 2, [17] = sets[s].attribute,
				[65] = 1, [66] = 0xff,   [67] = 0xff
			};

			if (sets[s].class == 4 ? pma_handle(f, port, mad) :
						 cc_handle(f, port, mad) == CC_ANSWER)
				busy += mad[5] == 1;
		}
		hit = reached();
		/* an operation that failed at its start changes nothing */
		fabric_process(f, NS_PER_S);
		failed += hit;
		wrong += told + busy != hit;
		fabric_free(f);
	} while (hit);
	ok(failed > 10, "%u allocations of counters and settings fail", failed);
	is_u64(wrong, 0, "... each is told, once");
	topology_free(t);
}

int main(void)
{
	reading();
	fabrics();
	sim_memory_counters();
	hosts();
	return tap_done();
}
