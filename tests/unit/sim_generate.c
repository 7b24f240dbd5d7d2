/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Generated topologies: that all nodes are connected, and which rules are refused. */
#include <errno.h>
#include <stdlib.h>
#include "tests/tap.h"
#include "topology/generate.h"
#include "util/array_size.h"

/* Nodes that are reached from the first one. */
static unsigned int sim_generate_reached(const struct topology *t)
{
	uint32_t *queue = calloc(t->nnodes, sizeof(*queue));
	bool *seen = calloc(t->nnodes, sizeof(*seen));
	unsigned int n = 0;

	if (queue && seen) {
		seen[queue[n++] = 0] = true;
		for (unsigned int i = 0; i < n; i++)
			for (unsigned int p = 1; p <= t->nodes[queue[i]].nports; p++) {
				uint32_t peer = topology_port(t, queue[i], p)->peer;

				if (peer != TOPOLOGY_NONE && !seen[peer])
					seen[queue[n++] = peer] = true;
			}
	}
	free(queue);
	free(seen);
	return n;
}

static void trees(void)
{
	static const struct {
		const char *rule;
		unsigned int leaves, hosts, spines;
	} rules[] = {
		{ "fat-tree:1,1,0", 1, 1, 0 },
		{ "fat-tree:2,3,2", 2, 3, 2 },
		{ "fat-tree:24,20,4", 24, 20, 4 },
		{ "fat-tree:254,190,64", 254, 190, 64 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		struct topology *t = NULL, *again = NULL;
		struct madkit_error error;
		struct madkit_buf text, second;
		unsigned int nodes = rules[i].leaves * (1 + rules[i].hosts) + rules[i].spines;
		unsigned int links = 0;

		if (!ok(!topology_generate(rules[i].rule, &t, &error), "%s", rules[i].rule))
			continue;
		is_u64(t->nnodes, nodes, "... has %u nodes", nodes);
		is_u64(sim_generate_reached(t), nodes, "... all of them joined");
		for (uint32_t p = 0; p < t->nports; p++)
			links += t->ports[p].peer != TOPOLOGY_NONE;
		is_u64(links, 2 * rules[i].leaves * (rules[i].hosts + rules[i].spines),
		       "... by as many links");
		/* the reader refuses text that is not a topology */
		madkit_buf_init(&text, 0);
		madkit_buf_init(&second, 0);
		topology_write(t, &text);
		ok(!topology_read(text.data, text.len, &again, &error), "... is read back");
		if (again)
			topology_write(again, &second);
		ok(second.len == text.len && !memcmp(second.data, text.data, text.len),
		   "... and is the same");
		madkit_buf_free(&text);
		madkit_buf_free(&second);
		topology_free(t);
		topology_free(again);
	}
}

/* Host hL-N is at port N of leafL, port HOSTS + S of a leaf leads to port L of spineS. */
static void places(void)
{
	struct topology *t = NULL;
	uint32_t leaf, host, spine;

	if (topology_generate("fat-tree:3,4,2", &t, NULL)) {
		ok(false, "fat-tree:3,4,2");
		return;
	}
	leaf = topology_find(t, "leaf3", 5);
	host = topology_find(t, "h3-2", 4);
	spine = topology_find(t, "spine2", 6);
	is_u64(topology_port(t, leaf, 2)->peer, host, "h3-2 is at port 2 of leaf3");
	is_u64(topology_port(t, leaf, 6)->peer, spine, "port 4 + 2 of leaf3 leads to spine2");
	is_u64(topology_port(t, leaf, 6)->peer_port, 3, "... at its port 3");
	is_u64(topology_speed(t, topology_port(t, leaf, 6)), TOPOLOGY_HDR, "... at HDR");
	is_str(t->nodes[host].description, "h3-2 HCA-1", "a host's description");
	is_u64(topology_port(t, host, 1)->guid, t->nodes[host].guid + 1, "... and its port's GUID");
	topology_free(t);
}

/* Planes are ports of a host with one GUID; an aggregation node is at the last port of each switch. */
static void sim_generate_extras(void)
{
	struct topology *t = NULL;
	uint32_t leaf, host;

	if (topology_generate("fat-tree:2,3,1+aggregation+planes", &t, NULL)) {
		ok(false, "fat-tree:2,3,1+aggregation+planes");
		return;
	}
	leaf = topology_find(t, "leaf2", 5);
	host = topology_find(t, "h2-3", 4);
	is_u64(sim_generate_reached(t), 12, "nine nodes and three aggregation nodes");
	is_u64(t->nodes[leaf].nports, 4 * 4 + 1, "four planes of each cable, and one port more");
	for (unsigned int p = 1; p <= 4; p++) {
		is_u64(topology_port(t, leaf, 8 + p)->peer, host, "plane %u of h2-3 is at leaf2", p);
		is_u64(topology_port(t, leaf, 8 + p)->peer_port, p, "... in order");
		is_u64(topology_port(t, host, p)->guid, t->nodes[host].guid + 1, "... with the GUID of all");
	}
	is_u64(topology_width(t, topology_port(t, host, 1)), TOPOLOGY_1X, "a plane has one lane");
	is_u64(topology_speed(t, topology_port(t, host, 1)), TOPOLOGY_XDR, "... at XDR");
	is_str(t->nodes[topology_port(t, leaf, 17)->peer].description, TOPOLOGY_AGGREGATION, "the last port");
	is_u64(topology_width(t, topology_port(t, leaf, 17)), TOPOLOGY_4X, "... has four lanes");
	topology_free(t);
}

static void sim_generate_refused(void)
{
	/* clang-format off */
	static const struct {
		const char *rule;
		int code, position;
		const char *says;
	} rules[] = {
		{ "", -EINVAL, 0, "expected fat-tree:" },
		{ "torus:3,3,3", -EINVAL, 0, "found 'torus:3,3,3'" },
		{ "fat-tree:", -EINVAL, 9, "LEAVES is empty" },
		{ "fat-tree:1,2", -EINVAL, 12, "expected fat-tree:" },
		{ "fat-tree:1,2,3,4", -EINVAL, 14, "expected fat-tree:" },
		{ "fat-tree:1,2+planes,3", -EINVAL, 12, "expected fat-tree:" },
		{ "fat-tree:1,2,3+", -EINVAL, 14, "[+aggregation][+planes], found" },
		{ "fat-tree:1,2,3+plane", -EINVAL, 14, "expected fat-tree:" },
		{ "fat-tree:1,2,3+planes+planes", -EINVAL, 14, "expected fat-tree:" },
		{ "fat-tree:1,2,3+planes,4", -EINVAL, 14, "expected fat-tree:" },
		{ "fat-tree:2,60,4+planes", -ERANGE, -1, "a leaf 256 ports: at most 254" },
		{ "fat-tree:64,2,1+planes", -ERANGE, -1, "a spine 256 ports: at most 254" },
		{ "fat-tree:2,200,54+aggregation", -ERANGE, -1, "255 ports: at most 254" },
		{ "fat-tree:1,x,3", -EINVAL, 11, "HOSTS 'x'" },
		{ "fat-tree:-1,1,3", -EINVAL, 9, "LEAVES '-1'" },
		{ "fat-tree:255,1,1", -ERANGE, 9, "at most 254" },
		{ "fat-tree:0,1,1", -ERANGE, -1, "no LEAVES" },
		{ "fat-tree:1,0,1", -ERANGE, -1, "no HOSTS" },
		{ "fat-tree:2,1,0", -ERANGE, -1, "SPINES is at least 1" },
		{ "fat-tree:2,200,55", -ERANGE, -1, "255 ports: at most 254" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		struct topology *t = NULL;
		struct madkit_error error = { .text = "" };
		int ret = topology_generate(rules[i].rule, &t, &error);

		if (!ok(ret == rules[i].code && !t && error.position == rules[i].position &&
				strstr(error.text, rules[i].says),
			"'%s': %s", rules[i].rule, rules[i].says))
			printf("# %d at %d: %s\n", ret, error.position, error.text);
		is_int(topology_generate(rules[i].rule, &t, NULL), ret, "... without words too");
	}
}

int main(void)
{
	trees();
	places();
	sim_generate_extras();
	sim_generate_refused();
	return tap_done();
}
