/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <madkit/num.h>
#include "topology/generate.h"

#define FAT_TREE "fat-tree:"
#define RULE     FAT_TREE "LEAVES,HOSTS,SPINES[+aggregation][+planes]"

enum { LEAVES, HOSTS, SPINES, COUNTS };

enum { GENERATE_PLANES = 4 };

/* Additions to a fat tree. */
struct generate_extras {
	bool aggregation; /* an aggregation node of SHARP at the last port of each switch */
	bool planes; /* each cable is GENERATE_PLANES links at 1x XDR, which are planes of one port at hosts */
};

/* The next GUID for each type of node, and the topology so far. */
struct maker {
	struct topology *t;
	struct generate_extras extras;
	uint64_t next[TOPOLOGY_ROUTER];
};

/* Sets the rates of a port. */
static void generate_rates(struct topology_port *port, unsigned int width, unsigned int speed)
{
	port->widths = port->widths_supported = (uint8_t)topology_widths_up_to(width, speed);
	port->speeds = port->speeds_supported = (uint16_t)topology_speeds_up_to(speed);
}

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
		/* all ports of a host are planes */
		topology_port(m->t, *made, p)->guid = node.guid + (p > 1 ? 1 : p);
		ret = topology_port_guid(m->t, *made, p);
	}
	for (unsigned int p = 0; !ret && p <= nports; p++)
		generate_rates(topology_port(m->t, *made, p), m->extras.planes ? TOPOLOGY_1X : TOPOLOGY_4X,
			       m->extras.planes ? TOPOLOGY_XDR : TOPOLOGY_HDR);
	return ret;
}

/* Connects cable number cable_a of one node, from 1 on, to that of another. */
static void generate_cable(const struct maker *m, uint32_t a, unsigned int cable_a, uint32_t b,
			   unsigned int cable_b)
{
	const unsigned int links = m->extras.planes ? GENERATE_PLANES : 1;

	for (unsigned int i = 1; i <= links; i++)
		topology_link(m->t, a, (cable_a - 1) * links + i, b, (cable_b - 1) * links + i);
}

/* Adds an aggregation node at the last port of each switch. */
static int generate_aggregation(struct maker *m)
{
	const uint32_t nnodes = m->t->nnodes;
	int ret = 0;

	for (uint32_t i = 0; !ret && i < nnodes; i++) {
		const struct topology_node sw = m->t->nodes[i];
		uint32_t node;

		if (sw.type != TOPOLOGY_SWITCH)
			continue;
		ret = generate_node(m, TOPOLOGY_CA, 1, &node, "aggregation-%s", sw.name);
		if (ret)
			continue;
		strcpy(m->t->nodes[node].description, TOPOLOGY_AGGREGATION);
		topology_link(m->t, i, sw.nports, node, 1);
		generate_rates(topology_port(m->t, i, sw.nports), TOPOLOGY_4X, TOPOLOGY_HDR);
		generate_rates(topology_port(m->t, node, 1), TOPOLOGY_4X, TOPOLOGY_HDR);
	}
	return ret;
}

/* Returns the number of ports of a switch with this number of cables. */
static unsigned int generate_ports(const struct generate_extras *extras, uint64_t cables)
{
	return (unsigned int)(cables * (extras->planes ? GENERATE_PLANES : 1) + extras->aggregation);
}

/* Nodes are numbered in this order: spines, each leaf before its hosts, aggregation nodes. */
static int generate_fat_tree(struct topology *t, const uint64_t *n, const struct generate_extras *extras)
{
	struct maker m = {
		.t = t,
		.extras = *extras,
		.next = { [TOPOLOGY_CA] = 0x100000, [TOPOLOGY_SWITCH] = 0x200000 },
	};
	uint32_t leaf, node;
	int ret = 0;

	for (unsigned int s = 1; !ret && s <= n[SPINES]; s++)
		ret = generate_node(&m, TOPOLOGY_SWITCH, generate_ports(extras, n[LEAVES]), &node, "spine%u",
				    s);
	for (unsigned int l = 1; !ret && l <= n[LEAVES]; l++) {
		ret = generate_node(&m, TOPOLOGY_SWITCH, generate_ports(extras, n[HOSTS] + n[SPINES]), &leaf,
				    "leaf%u", l);
		for (unsigned int h = 1; !ret && h <= n[HOSTS]; h++) {
			ret = generate_node(&m, TOPOLOGY_CA, extras->planes ? GENERATE_PLANES : 1, &node,
					    "h%u-%u", l, h);
			if (!ret)
				generate_cable(&m, leaf, h, node, 1);
		}
		for (unsigned int s = 1; !ret && s <= n[SPINES]; s++)
			generate_cable(&m, leaf, (unsigned int)n[HOSTS] + s, s - 1, l);
	}
	return !ret && extras->aggregation ? generate_aggregation(&m) : ret;
}

bool topology_is_rule(const char *name)
{
	return !strncmp(name, FAT_TREE, strlen(FAT_TREE));
}

/* Parses "+aggregation+planes", which begins at p. Returns false if it is anything else. */
static bool generate_parse_extras(const char *p, struct generate_extras *extras)
{
	static const char aggregation[] = "+aggregation", planes[] = "+planes";

	*extras = (struct generate_extras){ .planes = false };
	while (*p) {
		const char *word = strncmp(p, planes, strlen(planes)) ? aggregation : planes;
		bool *extra = word == planes ? &extras->planes : &extras->aggregation;

		if (strncmp(p, word, strlen(word)) != 0 || *extra)
			return false;
		*extra = true;
		p += strlen(word);
	}
	return true;
}

static int generate_parse(const char *rule, uint64_t *n, struct generate_extras *extras,
			  struct madkit_error *error)
{
	static const char *const names[COUNTS] = { "LEAVES", "HOSTS", "SPINES" };
	const char *p = rule + strlen(FAT_TREE);

	if (!topology_is_rule(rule))
		return madkit_error_set(error, -EINVAL, 0, "expected " RULE ", found '%.64s'", rule);
	for (int i = 0; i < COUNTS; i++) {
		size_t len = strcspn(p, ",+");
		int ret = madkit_parse_number(p, len, TOPOLOGY_NODE_PORTS_MAX, names[i], &n[i], error);

		if (ret) {
			if (error)
				error->position = (int)(p - rule);
			return ret;
		}
		p += len;
		if (i + 1 < COUNTS ? *p != ',' : !generate_parse_extras(p, extras))
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
	if (generate_ports(extras, n[HOSTS] + n[SPINES]) > TOPOLOGY_NODE_PORTS_MAX)
		return madkit_error_set(error, -ERANGE, -1, "'%.64s' gives a leaf %u ports: at most %u", rule,
					generate_ports(extras, n[HOSTS] + n[SPINES]),
					TOPOLOGY_NODE_PORTS_MAX);
	if (n[SPINES] && generate_ports(extras, n[LEAVES]) > TOPOLOGY_NODE_PORTS_MAX)
		return madkit_error_set(error, -ERANGE, -1, "'%.64s' gives a spine %u ports: at most %u",
					rule, generate_ports(extras, n[LEAVES]), TOPOLOGY_NODE_PORTS_MAX);
	return 0;
}

int topology_generate(const char *rule, struct topology **topology, struct madkit_error *error)
{
	struct generate_extras extras;
	uint64_t n[COUNTS];
	struct topology *t;
	int ret = generate_parse(rule, n, &extras, error);

	if (ret)
		return ret;
	t = topology_new();
	ret = t ? generate_fat_tree(t, n, &extras) : -ENOMEM;
	if (!ret) {
		*topology = t;
		return 0;
	}
	topology_free(t);
	return madkit_error_set(error, ret, -1,
				ret == -E2BIG ? "'%.64s' has too many nodes" : "no memory for '%.64s'", rule);
}
