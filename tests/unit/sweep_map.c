/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sweeps as topology files: of what a fabric should not have, and of what a sweep does not know. */
#include <errno.h>
#include <madkit/buf.h>
#include "sweep/state.h"
#include "tests/tap.h"
#include "topology/topology.h"
#include "util/array_size.h"
#include "wire/access.h"

enum { MAP_NODES = 6, MAP_PORTS = 4, MAP_SWITCH = 0, MAP_H1, MAP_H2, MAP_H3 };

/* A sweep made by hand: a switch, and CAs at its ports 1 to 3. */
struct map_case {
	struct madkit_sweep s;
	struct sweep_entry entries[MAP_NODES], *nodes[MAP_NODES];
	struct madkit_sweep_port ports[MAP_NODES][MAP_PORTS + 1];
	struct madkit_buf buf;
	struct topology *t;
	int ret;
};

static struct madkit_sweep_node *map_node(struct map_case *c, uint32_t number)
{
	return &c->entries[number].node;
}

#define MAP_PUT(c, node, port, name, value) \
	field_put(MADKIT_PORT_INFO_##name, (c)->ports[node][port].info, value)

static void map_make_node(struct map_case *c, uint32_t number, unsigned int type, const char *description)
{
	struct madkit_sweep_node *n = map_node(c, number);

	*n = (struct madkit_sweep_node){
		.guid = type == TOPOLOGY_SWITCH ? 0x200000 : 0x100000 + 0x10 * number,
		.system_guid = 0x77,
		.vendor = 0x2c9,
		.device = 0x1011,
		.type = (uint8_t)type,
		.nports = type == TOPOLOGY_SWITCH ? MAP_PORTS : 1,
		.number = 1,
		.parent = number ? MAP_SWITCH : MADKIT_SWEEP_NONE,
		.parent_port = (uint8_t)number,
		.hops = number ? 1 : 0,
		.state = MADKIT_SWEEP_ANSWERED,
		.described = MADKIT_SWEEP_ANSWERED,
		.switched = MADKIT_SWEEP_ANSWERED,
		.ports = c->ports[number],
	};
	memcpy(n->description, description, strlen(description));
	c->nodes[number] = &c->entries[number];
	for (unsigned int p = 0; p <= n->nports; p++) {
		struct madkit_sweep_port *port = &n->ports[p];

		*port = (struct madkit_sweep_port){ .peer = MADKIT_SWEEP_NONE };
		port->state = (type == TOPOLOGY_SWITCH) || p ? MADKIT_SWEEP_ANSWERED : MADKIT_SWEEP_UNKNOWN;
		port->wide = port->extended = port->state;
		MAP_PUT(c, number, p, LINK_STATE, 1);
	}
	n->ports[type == TOPOLOGY_SWITCH ? 0 : 1].guid = n->guid + (type == TOPOLOGY_SWITCH ? 0 : 1);
	MAP_PUT(c, number, type == TOPOLOGY_SWITCH ? 0 : 1, LID, 10 + number);
}

static void map_make_up(struct map_case *c, uint32_t number, unsigned int p)
{
	MAP_PUT(c, number, p, LINK_STATE, 4);
	MAP_PUT(c, number, p, LINK_WIDTH_ACTIVE, 2);
	MAP_PUT(c, number, p, LINK_SPEED_ACTIVE, 4);
}

static void map_join(struct map_case *c, uint32_t a, unsigned int pa, uint32_t b, unsigned int pb)
{
	c->ports[a][pa].peer = b;
	c->ports[a][pa].peer_port = (uint8_t)pb;
	c->ports[b][pb].peer = a;
	c->ports[b][pb].peer_port = (uint8_t)pa;
	map_make_up(c, a, pa);
	map_make_up(c, b, pb);
}

static void map_begin(struct map_case *c)
{
	memset(c, 0, sizeof(*c));
	list_init(&c->s.posted);
	c->s.nodes = c->nodes;
	c->s.nnodes = 4;
	c->s.from = (struct madkit_addr){ .direct = true };
	c->s.begun = c->s.ended = true;
	map_make_node(c, MAP_SWITCH, TOPOLOGY_SWITCH, "sw");
	map_make_node(c, MAP_H1, TOPOLOGY_CA, "h1 mlx5_0");
	map_make_node(c, MAP_H2, TOPOLOGY_CA, "h2 mlx5_0");
	map_make_node(c, MAP_H3, TOPOLOGY_CA, "h3 mlx5_0");
	for (uint32_t i = MAP_H1; i <= MAP_H3; i++)
		map_join(c, MAP_SWITCH, i, i, 1);
	madkit_buf_init(&c->buf, 0);
}

/* Writes the file and reads it back. */
static void map_write(struct map_case *c)
{
	struct madkit_error error = { .text = "" };

	c->ret = madkit_sweep_topology(&c->s, &c->buf);
	if (!ok(c->ret >= 0 && !topology_read(c->buf.data, c->buf.len, &c->t, &error), "is readable"))
		printf("# %d: %s\n%.*s", c->ret, error.text, (int)c->buf.len, c->buf.data);
	madkit_buf_char(&c->buf, 0);
}

static void map_end(struct map_case *c)
{
	topology_free(c->t);
	madkit_buf_free(&c->buf);
}

static void map_has_line(const struct map_case *c, const char *line)
{
	if (!ok(strstr(c->buf.data, line), "... '%s'", line))
		printf("# %s", c->buf.data);
}

static void map_whole(void)
{
	struct map_case c;

	map_begin(&c);
	map_write(&c);
	is_int(c.ret, 0, "... and lacks nothing");
	is_str(c.buf.data,
	       "#\n# Initiated from node 0000000000200000 port 0000000000200000\n"
	       "\nvendid=0x2c9\ndevid=0x1011\nsysimgguid=0x77\nswitchguid=0x200000(200000)\n"
	       "Switch\t4 \"S-0000000000200000\"\t\t# \"sw\" base port 0 lid 10 lmc 0\n"
	       "[1]\t\"H-0000000000100010\"[1](100011) \t\t# \"h1 mlx5_0\" lid 11 4xQDR\n"
	       "[2]\t\"H-0000000000100020\"[1](100021) \t\t# \"h2 mlx5_0\" lid 12 4xQDR\n"
	       "[3]\t\"H-0000000000100030\"[1](100031) \t\t# \"h3 mlx5_0\" lid 13 4xQDR\n"
	       "\nvendid=0x2c9\ndevid=0x1011\nsysimgguid=0x77\ncaguid=0x100010\n"
	       "Ca\t1 \"H-0000000000100010\"\t\t# \"h1 mlx5_0\"\n"
	       "[1](100011) \t\"S-0000000000200000\"[1]\t\t# lid 11 lmc 0 \"sw\" lid 10 4xQDR\n"
	       "\nvendid=0x2c9\ndevid=0x1011\nsysimgguid=0x77\ncaguid=0x100020\n"
	       "Ca\t1 \"H-0000000000100020\"\t\t# \"h2 mlx5_0\"\n"
	       "[1](100021) \t\"S-0000000000200000\"[2]\t\t# lid 12 lmc 0 \"sw\" lid 10 4xQDR\n"
	       "\nvendid=0x2c9\ndevid=0x1011\nsysimgguid=0x77\ncaguid=0x100030\n"
	       "Ca\t1 \"H-0000000000100030\"\t\t# \"h3 mlx5_0\"\n"
	       "[1](100031) \t\"S-0000000000200000\"[3]\t\t# lid 13 lmc 0 \"sw\" lid 10 4xQDR\n",
	       "... in the format of ibnetdiscover");
	map_end(&c);
}

static void map_omissions(void)
{
	struct map_case c;

	map_begin(&c);
	map_node(&c, MAP_H2)->guid = map_node(&c, MAP_H1)->guid;
	map_node(&c, MAP_H1)->duplicate = map_node(&c, MAP_H2)->duplicate = true;
	map_node(&c, MAP_H3)->guid = 0;
	map_write(&c);
	is_int(c.ret, MADKIT_SWEEP_TOPOLOGY_OMITTED, "... and omits nodes");
	map_has_line(
		&c, "\n# H-0000000000100010 (h2 mlx5_0) at 0,2 is omitted: another node has the same GUID\n");
	map_has_line(&c, "\n# H-0000000000000000 (h3 mlx5_0) at 0,3 is omitted: its GUID is 0\n");
	map_has_line(
		&c,
		"\n# S-0000000000200000[2] (sw): its link to port 1 of an omitted node at 0,2 is omitted\n");
	is_u64(c.t ? c.t->nnodes : 0, 2, "... 2 of 4");
	map_end(&c);

	map_begin(&c);
	map_node(&c, MAP_H2)->guid = map_node(&c, MAP_SWITCH)->guid;
	map_write(&c);
	is_int(c.ret, MADKIT_SWEEP_TOPOLOGY_OMITTED, "a CA with the GUID of a switch is omitted, too");
	map_end(&c);

	map_begin(&c);
	c.ports[MAP_H2][1].guid = c.ports[MAP_H1][1].guid;
	c.ports[MAP_H3][1].guid = 0;
	map_write(&c);
	is_int(c.ret, MADKIT_SWEEP_TOPOLOGY_OMITTED, "... without the GUIDs of ports");
	map_has_line(
		&c,
		"\n# H-0000000000100020[1] (h2 mlx5_0): its port GUID 0000000000100011 is omitted: another port has it\n");
	map_has_line(&c, "\n[2]\t\"H-0000000000100020\"[1] \t\t# \"h2 mlx5_0\" lid 12 4xQDR\n");
	map_has_line(&c, "\n[1] \t\"S-0000000000200000\"[3]\t\t# lid 13 lmc 0 \"sw\" lid 10 4xQDR\n");
	map_end(&c);
}

static void map_unknown(void)
{
	struct map_case c;

	map_begin(&c);
	for (uint32_t i = MAP_H1; i <= MAP_H3; i++) {
		c.ports[MAP_SWITCH][i].peer = MADKIT_SWEEP_NONE;
		c.ports[MAP_SWITCH][i].far = (uint8_t)(i == MAP_H1 ? MADKIT_SWEEP_SILENT :
						       i == MAP_H2 ? MADKIT_SWEEP_REFUSED :
								     MADKIT_SWEEP_UNKNOWN);
	}
	c.s.nnodes = 1;
	c.s.missing = MADKIT_SWEEP_WITHHELD | MADKIT_SWEEP_FAR;
	c.s.ended = true;
	c.s.attr.hops = 3;
	map_node(&c, MAP_SWITCH)->described = MADKIT_SWEEP_SILENT;
	map_node(&c, MAP_SWITCH)->description[0] = 0;
	map_node(&c, MAP_SWITCH)->switched = MADKIT_SWEEP_SILENT;
	c.ports[MAP_SWITCH][0].state = c.ports[MAP_SWITCH][4].state = MADKIT_SWEEP_SILENT;
	map_write(&c);
	is_int(c.ret, MADKIT_SWEEP_TOPOLOGY_UNKNOWN, "... and does not know all");
	map_has_line(
		&c, "\n# incomplete: three new nodes in a row did not respond, and no others were queried\n");
	map_has_line(&c, "\n# incomplete: some nodes are more than 63 hops away\n");
	map_has_line(&c,
		     "\n# Max of 3 hops discovered\n"
		     "# omitted: links of the nodes at this distance to each other and to farther nodes\n");
	map_has_line(&c, "\n# S-0000000000200000 (): no description\n");
	map_has_line(
		&c, "\n# S-0000000000200000 (): no SwitchInfo, so that its port 0 is shown as base port 0\n");
	map_has_line(&c, "\n# S-0000000000200000 (): no PortInfo of 2 ports\n");
	map_has_line(&c, "\n# S-0000000000200000[1] (): the node behind it did not respond\n");
	map_has_line(&c, "\n# S-0000000000200000[2] (): the response from behind it was contradictory\n");
	map_has_line(&c, "\n# S-0000000000200000[3] (): the node behind it was not queried\n");
	map_end(&c);

	/* one end of a link, both ends */
	map_begin(&c);
	c.ports[MAP_H1][1].state = MADKIT_SWEEP_SILENT;
	MAP_PUT(&c, MAP_H2, 1, LINK_SPEED_ACTIVE, 0);
	MAP_PUT(&c, MAP_SWITCH, 2, LINK_SPEED_ACTIVE, 0);
	map_write(&c);
	is_int(c.ret, MADKIT_SWEEP_TOPOLOGY_UNKNOWN, "... without PortInfo of an end");
	map_has_line(&c, "\n# H-0000000000100010 (h1 mlx5_0): no PortInfo of 1 port\n");
	map_has_line(&c, "\"h1 mlx5_0\" lid 0 4xQDR\n");
	map_has_line(&c, "\"h2 mlx5_0\" lid 12 4x???\n");
	map_end(&c);
}

static void map_changes(void)
{
	static const struct {
		const char *description, *shown;
		bool changed;
	} names[] = {
		{ "with \"quotes\"", "# \"with \"quotes\"\"", false },
		{ "0123456789012345678901234567890123456789012345678901234567890123",
		  "# \"0123456789012345678901234567890123456789012345678901234567890123\"", false },
		{ "d\xc3\xa9j\xc3\xa0", "# \"d\xc3\xa9j\xc3\xa0\"", false },
		{ "a\nb\x1b[m", "# \"a b [m\"", true },
		{ "a\xff z", "# \"a  z\"", true },
	};
	struct map_case c;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		map_begin(&c);
		memset(map_node(&c, MAP_H1)->description, 0, MADKIT_SWEEP_INFO_BYTES);
		memcpy(map_node(&c, MAP_H1)->description, names[i].description, strlen(names[i].description));
		map_write(&c);
		is_int(c.ret, names[i].changed ? MADKIT_SWEEP_TOPOLOGY_CHANGED : 0, "... name %zu", i);
		map_has_line(&c, names[i].shown);
		map_end(&c);
	}
	map_begin(&c);
	memcpy(map_node(&c, MAP_H1)->description, "a\nb", 4);
	map_node(&c, MAP_H2)->type = 9;
	MAP_PUT(&c, MAP_SWITCH, 0, LMC, 2);
	MAP_PUT(&c, MAP_H3, 1, LINK_WIDTH_ACTIVE, 1);
	map_write(&c);
	is_int(c.ret, MADKIT_SWEEP_TOPOLOGY_CHANGED, "... with changes");
	map_has_line(
		&c,
		"\n# H-0000000000100010 (a\\x0ab): characters of its description are replaced by blanks\n");
	map_has_line(&c, "\n# H-0000000000100020 (h2 mlx5_0): its unknown type 9 is shown as Ca\n");
	map_has_line(&c, "\n# S-0000000000200000 (sw): LMC 2 of its base port 0 is shown as 0\n");
	map_has_line(&c, "\n# H-0000000000100030[1] (h3 mlx5_0) runs at 1xQDR, but the other end at 4xQDR\n");
	map_has_line(&c, "\"h3 mlx5_0\" lid 13 1xQDR\n");
	map_end(&c);
}

static const char *map_name(void *context, const struct madkit_sweep_node *node)
{
	(void)context;
	return node->type == TOPOLOGY_SWITCH ? "leaf" : NULL;
}

static void map_others(void)
{
	struct map_case c;

	map_begin(&c);
	c.s.attr.name = map_name;
	/* a loopback plug, and a cable from a node to itself */
	map_join(&c, MAP_SWITCH, 1, MAP_SWITCH, 1);
	map_join(&c, MAP_SWITCH, 2, MAP_SWITCH, 3);
	c.s.nnodes = 1;
	map_write(&c);
	is_int(c.ret, 0, "names from a map, and links of a node to itself");
	map_has_line(&c, "\n[1]\t\"S-0000000000200000\"[1]\t\t# \"leaf\" lid 10 4xQDR\n");
	map_has_line(&c, "\n[2]\t\"S-0000000000200000\"[3]\t\t# \"leaf\" lid 10 4xQDR\n");
	map_has_line(&c, "\n[3]\t\"S-0000000000200000\"[2]\t\t# \"leaf\" lid 10 4xQDR\n");
	map_end(&c);

	map_begin(&c);
	madkit_buf_init(&c.buf, 100);
	is_int(madkit_sweep_topology(&c.s, &c.buf), -EFBIG, "a limit of the buffer");
	map_end(&c);
}

int main(void)
{
	map_whole();
	map_omissions();
	map_unknown();
	map_changes();
	map_others();
	return tap_done();
}
