/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <madkit/num.h>
#include "topology/generate.h"

#define FAT_TREE "fat-tree:"
#define RULE     FAT_TREE "LEAVES,HOSTS,SPINES"

enum { LEAVES, HOSTS, SPINES, COUNTS };

/* The next GUID for each type of node, and the topology so far. */
struct maker {
	struct topology *t;
	uint64_t next[TOPOLOGY_ROUTER];
};

__attribute__((format(printf, 5, 6))) static int generate_node(struct maker *m, unsigned int type,
							       unsigned int nports, uint32_t *made,
							       const char *format, ...)
{
	struct topology_node node = { .type = (uint8_t)type, .nports = (uint8_t)nports };
	bool is_switch = type == TOPOLOGY_SWITCH;
	uint32_t owner;
	va_list args;
	int ret;

	va_start(args, format);
	vsnprintf(node.name, sizeof(node.name), format, args);
	va_end(args);
	snprintf(node.description, sizeof(node.description), "%.50s%s", node.name, is_switch ? "" : " HCA-1");
	node.guid = node.system_guid = m->next[type];
	m->next[type] += is_switch ? 1 : nports + 1;
	ret = topology_add(m->t, &node, made);
	if (!ret)
		ret = topology_guid(m->t, *made, &owner);
	for (unsigned int p = !is_switch; !ret && p <= (is_switch ? 0 : nports); p++) {
		topology_port(m->t, *made, p)->guid = node.guid + p;
		ret = topology_port_guid(m->t, m->t->nodes[*made].first + p);
	}
	for (unsigned int p = 0; !ret && p <= nports; p++) {
		struct topology_port *port = topology_port(m->t, *made, p);

		port->widths = port->widths_supported =
			(uint8_t)topology_widths_up_to(TOPOLOGY_4X, TOPOLOGY_HDR);
		port->speeds = port->speeds_supported = (uint16_t)topology_speeds_up_to(TOPOLOGY_HDR);
	}
	return ret;
}

/* Nodes are numbered in this order: spines, then each leaf before its hosts. */
static int generate_fat_tree(struct topology *t, const uint64_t *n)
{
	struct maker m = {
		.t = t,
		.next = { [TOPOLOGY_CA] = 0x100000, [TOPOLOGY_SWITCH] = 0x200000 },
	};
	uint32_t leaf, node;
	int ret = 0;

	for (unsigned int s = 1; !ret && s <= n[SPINES]; s++)
		ret = generate_node(&m, TOPOLOGY_SWITCH, (unsigned int)n[LEAVES], &node, "spine%u", s);
	for (unsigned int l = 1; !ret && l <= n[LEAVES]; l++) {
		ret = generate_node(&m, TOPOLOGY_SWITCH, (unsigned int)(n[HOSTS] + n[SPINES]), &leaf,
				    "leaf%u", l);
		for (unsigned int h = 1; !ret && h <= n[HOSTS]; h++) {
			ret = generate_node(&m, TOPOLOGY_CA, 1, &node, "h%u-%u", l, h);
			if (!ret)
				topology_link(t, leaf, h, node, 1);
		}
		for (unsigned int s = 1; !ret && s <= n[SPINES]; s++)
			topology_link(t, leaf, (unsigned int)n[HOSTS] + s, s - 1, l);
	}
	return ret;
}

bool topology_is_rule(const char *name)
{
	return !strncmp(name, FAT_TREE, strlen(FAT_TREE));
}

static int generate_parse(const char *rule, uint64_t *n, struct madkit_error *error)
{
	static const char *const names[COUNTS] = { "LEAVES", "HOSTS", "SPINES" };
	const char *p = rule + strlen(FAT_TREE);

	if (!topology_is_rule(rule))
		return madkit_error_set(error, -EINVAL, 0, "expected " RULE ", found '%.64s'", rule);
	for (int i = 0; i < COUNTS; i++) {
		size_t len = strcspn(p, ",");
		int ret = madkit_parse_number(p, len, TOPOLOGY_NODE_PORTS_MAX, names[i], &n[i], error);

		if (ret) {
			if (error)
				error->position = (int)(p - rule);
			return ret;
		}
		p += len;
		if (i + 1 < COUNTS ? *p != ',' : *p)
			return madkit_error_set(error, -EINVAL, (int)(p - rule),
						"expected " RULE ", found '%.64s'", rule);
		p++;
	}
	if (!n[LEAVES] || !n[HOSTS])
		return madkit_error_set(error, -ERANGE, -1, "'%.64s' has no %s: at least 1", rule,
					n[LEAVES] ? "HOSTS" : "LEAVES");
	if (!n[SPINES] && n[LEAVES] > 1)
		return madkit_error_set(error, -ERANGE, -1,
					"'%.64s' has no spine switch: SPINES is at least 1", rule);
	if (n[HOSTS] + n[SPINES] > TOPOLOGY_NODE_PORTS_MAX)
		return madkit_error_set(error, -ERANGE, -1, "'%.64s' gives a leaf %u ports: at most %u", rule,
					(unsigned int)(n[HOSTS] + n[SPINES]), TOPOLOGY_NODE_PORTS_MAX);
	return 0;
}

int topology_generate(const char *rule, struct topology **topology, struct madkit_error *error)
{
	uint64_t n[COUNTS];
	struct topology *t;
	int ret = generate_parse(rule, n, error);

	if (ret)
		return ret;
	t = topology_new();
	ret = t ? generate_fat_tree(t, n) : -ENOMEM;
	if (!ret) {
		*topology = t;
		return 0;
	}
	topology_free(t);
	return madkit_error_set(error, ret, -1,
				ret == -E2BIG ? "'%.64s' has too many nodes" : "no memory for '%.64s'", rule);
}
