/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Topology files: both dialects, errors in broken files, and writing them back. */
#include <errno.h>
#include <stdlib.h>
#include "tests/tap.h"
#include "topology/topology.h"
#include "util/array_size.h"

static struct topology *sim_topology_read_text(const char *text, const char *what)
{
	struct topology *t = NULL;
	struct madkit_error error = { .text = "" };

	if (!ok(!topology_read(text, strlen(text), &t, &error), "%s is read", what))
		printf("# %s\n", error.text);
	return t;
}

static char *slurp(const char *name)
{
	static char data[1 << 20];
	const char *top = getenv("top_srcdir");
	char path[1000];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/data/topologies/%s", top ? top : ".", name);
	f = fopen(path, "rb");
	if (f) {
		n = fread(data, 1, sizeof(data) - 1, f);
		fclose(f);
	}
	data[n] = 0;
	return data;
}

/* ---- the dialects ------------------------------------------------------------------ */

static void names(void)
{
	struct topology *t = sim_topology_read_text("# names for GUIDs\r\n"
						    "switchguid=0x5000\n"
						    "Switch\t8 \"s1\"\n"
						    "[2]\t\"h1\"[2] w=3 s=7 e=3\n"
						    "# between\n"
						    "[8] \"h2\"\t# up\n"
						    "\n"
						    "width=3\nspeed=3\n"
						    "Hca 2 \"h1\" # h1 with no quotes lid 7 \n"
						    "[2] \"s1\"[2] w=31 s=0 e=15 # \"s1\"\n"
						    "Ca 1 \"h2\"\t# \"\"\n"
						    "[1] \"s1\"[8]",
						    "ibsim's dialect");
	uint32_t s1, h1, h2;

	if (!t)
		return;
	s1 = topology_find(t, "s1", 2);
	h1 = topology_find(t, "h1", 2);
	h2 = topology_find(t, "h2", 2);
	is_u64(t->nnodes, 3, "three nodes");
	is_u64(s1, 0, "s1 is the first");
	is_u64(h1, 1, "h1 the second");
	is_u64(topology_find(t, "s", 1), TOPOLOGY_NONE, "a part of a name is none");
	is_u64(t->nodes[s1].type, TOPOLOGY_SWITCH, "type of a switch");
	is_u64(t->nodes[h1].type, TOPOLOGY_CA, "... and of an adapter");
	is_u64(t->nodes[s1].guid, 0x5000, "the GUID that was told");
	is_u64(t->nodes[s1].system_guid, 0x5000, "... is the system's");
	is_u64(t->nodes[h1].guid, 0x100000, "ibsim's first GUID");
	is_u64(t->nodes[h2].guid, 0x100003, "... and behind two ports the next");
	is_u64(topology_port(t, h1, 2)->guid, 0x100002, "a port's GUID");
	is_u64(topology_port(t, s1, 0)->guid, 0x5000, "... and a switch's");
	is_str(t->nodes[s1].description, "s1", "without a description it is the name");
	is_str(t->nodes[h1].description, "h1 with no quotes", "a description without quotes");
	is_str(t->nodes[h2].description, "", "an empty one in quotes");
	is_u64(topology_port(t, s1, 2)->peer, h1, "a link there");
	is_u64(topology_port(t, s1, 2)->peer_port, 2, "... to its port");
	is_u64(topology_port(t, h1, 2)->peer, s1, "... and back");
	is_u64(topology_port(t, h2, 1)->peer_port, 8, "a port that was not named is port 1");
	is_u64(topology_port(t, h1, 1)->peer, TOPOLOGY_NONE, "no link where none was told");
	is_u64(topology_width(t, topology_port(t, s1, 2)), TOPOLOGY_4X, "w=3 and w=31 share 4X");
	is_u64(topology_speed(t, topology_port(t, s1, 2)), TOPOLOGY_EDR, "e=3 and e=15 share EDR");
	is_u64(topology_speed(t, topology_port(t, h1, 2)), TOPOLOGY_EDR, "... on both sides");
	is_u64(topology_port(t, h2, 1)->widths, 3, "width= holds for what follows");
	is_u64(topology_port(t, h2, 1)->speeds, 3, "... and speed=");
	topology_free(t);
	t = sim_topology_read_text(
		"src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1 Attr 0x11:0) bad status\n"
		"Switch 2 \"s\"\nibwarn: [1] mad_rpc: failed\n[1] \"s\"[2]\n"
		"./libibnetdisc/query_smp.c:193; mad (DR path ...)\n[2] \"s\"[1]\n",
		"messages of ibnetdiscover in its output");
	if (t)
		is_u64(topology_port(t, 0, 2)->peer_port, 1, "... belong to no node");
	topology_free(t);
	t = sim_topology_read_text("Switch 2 \"loop\"\n[1] \"loop\"[1]\n", "a port linked to itself");
	topology_free(t);
	t = sim_topology_read_text("Switch 2 \"s\"\n[1] \"h\"[1] # \"h\" lid 1 4xHDR\n"
				   "Ca 1 \"h\"\n[1] \"s\"[1] # lid 1 lmc 0 \"s\" lid 0 1xEDR\n",
				   "a link whose ends tell different rates");
	if (t)
		ok(topology_width(t, topology_port(t, 0, 1)) == TOPOLOGY_1X &&
			   topology_speed(t, topology_port(t, 0, 1)) == TOPOLOGY_EDR,
		   "... has the lower of each");
	topology_free(t);
	t = sim_topology_read_text("Rt 2 \"r\"\nSwitch 3 \"a\" # \"x\" y\n", "nodes without links");
	if (t)
		is_u64(t->nodes[0].type, TOPOLOGY_ROUTER, "a router");
	topology_free(t);
}

static const char dump[] = "#\n# Topology file: generated on Sat Nov 21 09:19:30 2026\n#\n"
			   "# Initiated from node 0000000000100000 port 0000000000100001\n";
static const char dump_body[] =
	"\nvendid=0x2c9\ndevid=0xd2f0\nsysimgguid=0xb8599f0300a1b2c0\n"
	"switchguid=0xb8599f0300a1b2c1(b8599f0300a1b2c1)\n"
	"Switch\t41 \"S-b8599f0300a1b2c1\"\t\t# \"MF0;sw \"one\":MQM8700/U1\" enhanced port 0 lid 3 lmc 0\n"
	"[1]\t\"H-0c42a10300aa0001\"[1](c42a10300aa0001) \t\t# \"host 1 mlx5_0\" lid 5 4xHDR\n"
	"[2]\t\"R-0c42a10300aa0010\"[2](c42a10300aa0020) \t\t# \"router\" lid 65535 2xNDR\n"
	"[41]\t\"H-0c42a10300aa0002\"[2](c42a10300aa0077) \t\t# \"x\" lid 16 12xFDR10\n"
	"\nvendid=0x2c9\ndevid=0x101b\ncaguid=0xc42a10300aa0001\n"
	"Ca\t1 \"H-0c42a10300aa0001\"\t\t# \"host 1 mlx5_0\"\n"
	"[1](c42a10300aa0001) \t\"S-b8599f0300a1b2c1\"[1]\t\t# lid 5 lmc 2 \"MF0;sw \"one\":MQM8700/U1\" lid 3 4xHDR\n"
	"\nvendid=0x0\ndevid=0x0\nsysimgguid=0x1\ncaguid=0xc42a10300aa0002\n"
	"Ca\t2 \"H-0c42a10300aa0002\"\t\t# \"x\"\n"
	"[1](c42a10300aa0003) \t\"H-0c42a10300aa0003\"[1] (c42a10300aa0004) \t\t# lid 0 lmc 0 \"y\" lid 0 1xSDR\n"
	"[2](c42a10300aa0077) \t\"S-b8599f0300a1b2c1\"[41]\t\t# lid 16 lmc 0 \"MF0;sw \"one\":MQM8700/U1\" lid 3 12xFDR10\n"
	"\nvendid=0x0\ndevid=0x0\nsysimgguid=0x1\ncaguid=0xc42a10300aa0003\n"
	"Ca\t1 \"H-0c42a10300aa0003\"\t\t# \"y\"\n"
	"[1](c42a10300aa0004) \t\"H-0c42a10300aa0002\"[1] (c42a10300aa0003) \t\t# lid 0 lmc 0 \"x\" lid 0 1xSDR\n"
	"\nvendid=0x0\ndevid=0x0\nsysimgguid=0x2\nrtguid=0xc42a10300aa0010\n"
	"Rt\t2 \"R-0c42a10300aa0010\"\t\t# \"router\"\n"
	"[2](c42a10300aa0020) \t\"S-b8599f0300a1b2c1\"[2]\t\t# lid 65535 lmc 0 \"MF0;sw \"one\":MQM8700/U1\" lid 3 2xNDR\n";

static void is_written(const struct topology *t, const char *want, const char *what)
{
	struct madkit_buf buf;

	madkit_buf_init(&buf, 0);
	topology_write(t, &buf);
	madkit_buf_char(&buf, 0);
	if (!ok(!buf.error && !strcmp(buf.data, want), "%s", what)) {
		size_t n = 0;

		while (buf.data[n] && buf.data[n] == want[n])
			n++;
		printf("# differs at byte %zu: %.40s\n", n, buf.data + n);
	}
	madkit_buf_free(&buf);
}

static void dumps(void)
{
	char text[sizeof(dump) + sizeof(dump_body)];
	struct topology *t;
	uint32_t host;

	strcpy(text, dump);
	strcat(text, dump_body);
	t = sim_topology_read_text(text, "ibnetdiscover's dialect");
	if (!t)
		return;
	host = topology_find(t, "H-0c42a10300aa0001", 18);
	is_u64(t->nodes[0].enhanced, true, "an enhanced port 0");
	is_u64(topology_port(t, 0, 0)->lid, 3, "a switch's LID");
	is_u64(t->nodes[0].vendor, 0x2c9, "its vendor");
	is_u64(t->nodes[0].device, 0xd2f0, "... and device");
	is_u64(t->nodes[host].system_guid, 0, "no system GUID where none was told");
	is_u64(topology_port(t, host, 1)->guid, 0x0c42a10300aa0001, "the port GUID that was told");
	is_u64(topology_port(t, host, 1)->lid, 5, "an adapter's LID");
	is_u64(topology_port(t, host, 1)->lmc, 2, "... and LMC");
	is_u64(topology_speed(t, topology_port(t, host, 1)), TOPOLOGY_HDR, "the rate of a link");
	is_written(t, dump_body, "what was read is written, byte for byte");
	topology_free(t);

	t = sim_topology_read_text(
		"Chassis 1 (guid 0x1)\n# Spine Nodes\nvendid=0x1\nswitchguid=0x1(2)\t# Spine 1\n"
		"Switch 3 \"S-0000000000000001\" # \"a\" base port 0 lid 1 lmc 0\n"
		"[1][ext 5] \"H-0000000000000003\"[1](4) # \"h\" lid 2 4x??? s=0 w=2 v=4\n"
		"Non-Chassis Nodes\nHostname: x\ncaguid=0x3\n"
		"Ca 1 \"H-0000000000000003\" # \"h\" (scp)\n"
		"[1](4) \"S-0000000000000001\"[1][ext 5] # lid 2 lmc 0 \"a\" lid 1 ??EDR slot 3\n",
		"what ibnetdiscover -g prints");
	if (t)
		is_u64(topology_speed(t, topology_port(t, 0, 1)), TOPOLOGY_EDR,
		       "a rate that one end tells holds for both");
	if (t)
		is_u64(topology_width(t, topology_port(t, 1, 1)), TOPOLOGY_4X, "... so with a width");
	topology_free(t);
}

/* The rates that ports support, derived from the links of a dump: s has an EDR link, which a degraded one
 * does not hide, a split port and a plane, which are kinds of their own; an adapter with one degraded link supports
 * the rates of the other of its model. */
static const char degraded[] =
	"vendid=0x2c9\ndevid=0x1\nSwitch 9 \"s\"\n"
	"[1] \"a\"[1] # \"a\" lid 1 4xEDR\n[2] \"b\"[1] # \"b\" lid 2 1xSDR\n"
	"[3] \"c\"[1] # \"c\" lid 3 1xSDR\n[4] \"d\"[1] # \"d\" lid 4 2xHDR\n"
	"[5] \"e\"[1] # \"e\" lid 5 4xFDR10\n[6] \"f\"[1] # \"f\" lid 6 1xXDR\n[7] \"g\"[1]\n"
	"vendid=0x2c9\ndevid=0x2\nCa 1 \"a\"\n[1] \"s\"[1] # \"s\" lid 9 4xEDR\n"
	"vendid=0x2c9\ndevid=0x2\nCa 1 \"b\"\n[1] \"s\"[2] # \"s\" lid 9 1xSDR\n"
	"Ca 1 \"c\"\n[1] \"s\"[3] # \"s\" lid 9 1xSDR\n"
	"vendid=0x2c9\ndevid=0x2\nCa 1 \"d\"\n[1] \"s\"[4] # \"s\" lid 9 2xHDR\n"
	"vendid=0x2c9\ndevid=0x2\nCa 1 \"e\"\n[1] \"s\"[5] # \"s\" lid 9 4xFDR10\n"
	"Ca 1 \"f\"\n[1] \"s\"[6] # \"s\" lid 9 1xXDR\nCa 1 \"g\"\n[1] \"s\"[7] w=2 s=4\n";

static void sim_topology_rates(void)
{
	static const struct {
		const char *node;
		unsigned int port, widths, best, width, speed;
	} want[] = {
		/* supported widths and the best speed; what the link has */
		{ "s", 1, 3, TOPOLOGY_EDR, TOPOLOGY_4X, TOPOLOGY_EDR },
		{ "s", 2, 3, TOPOLOGY_EDR, TOPOLOGY_1X, TOPOLOGY_SDR },
		{ "s", 4, 17, TOPOLOGY_HDR, TOPOLOGY_2X, TOPOLOGY_HDR },
		{ "s", 6, 1, TOPOLOGY_XDR, TOPOLOGY_1X, TOPOLOGY_XDR },
		{ "s", 9, 3, TOPOLOGY_EDR, 0, 0 },
		{ "a", 1, 3, TOPOLOGY_EDR, TOPOLOGY_4X, TOPOLOGY_EDR },
		{ "b", 1, 19, TOPOLOGY_HDR, TOPOLOGY_1X, TOPOLOGY_SDR },
		{ "c", 1, 1, TOPOLOGY_SDR, TOPOLOGY_1X, TOPOLOGY_SDR },
		{ "d", 1, 17, TOPOLOGY_HDR, TOPOLOGY_2X, TOPOLOGY_HDR },
		{ "e", 1, 3, TOPOLOGY_FDR10, TOPOLOGY_4X, TOPOLOGY_FDR10 },
		{ "f", 1, 1, TOPOLOGY_XDR, TOPOLOGY_1X, TOPOLOGY_XDR },
		{ "g", 1, 3, TOPOLOGY_QDR, TOPOLOGY_4X, TOPOLOGY_QDR },
	};
	struct topology *t = sim_topology_read_text(degraded, "degraded links");

	if (!t)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		const struct topology_port *port =
			topology_port(t, topology_find(t, want[i].node, 1), want[i].port);

		if (!ok(port->widths_supported == want[i].widths &&
				topology_best_speed(port->speeds_supported) == want[i].best &&
				topology_width(t, port) == want[i].width &&
				topology_speed(t, port) == want[i].speed,
			"rates of '%s'[%u]", want[i].node, want[i].port))
			printf("# supports %u, 0x%x; is %u, 0x%x\n", port->widths_supported,
			       port->speeds_supported, topology_width(t, port), topology_speed(t, port));
	}
	is_u64(topology_port(t, topology_find(t, "g", 1), 1)->widths, 2, "w=2 enables 4x only");
	is_u64(topology_port(t, 0, 2)->width, TOPOLOGY_1X, "a degraded link is limited");
	is_u64(topology_port(t, 0, 1)->speed, 0, "... one at its best speed is not");
	topology_free(t);
}

/* Ports of several kinds in one node: planes of XDR, split cages, and others. An XDR port that has lost lanes does not
 * count as a plane if its model has more. w= makes a port a split one, and leaves its speed to the rates of the file. */
static void sim_topology_kinds(void)
{
	static const char text[] =
		"vendid=0x2c9\ndevid=0x1\nSwitch 6 \"s\"\n[1] \"t\"[1] # \"t\" lid 1 4xNDR\n"
		"[2] \"t\"[2] # \"t\" lid 1 1xXDR\n[3] \"t\"[3] # \"t\" lid 1 2xNDR\n"
		"[4] \"t\"[4] # \"t\" lid 1 2xEDR\n[5] \"t\"[5] w=17 # \"t\" lid 1 1xNDR\n"
		"vendid=0x2c9\ndevid=0x2\nSwitch 6 \"t\"\n[1] \"s\"[1]\n[2] \"s\"[2]\n[3] \"s\"[3]\n[4] \"s\"[4]\n"
		"[5] \"s\"[5]\n[6] \"u\"[1] # \"u\" lid 1 4xXDR\nSwitch 2 \"u\"\n[1] \"t\"[6]\n[2] \"v\"[1] # \"v\" lid 2 2xHDR\n"
		"Ca 1 \"v\"\n[1] \"u\"[2]\n";
	static const struct {
		const char *node;
		unsigned int port, widths, best, limit;
	} want[] = {
		{ "s", 1, 19, TOPOLOGY_NDR, 0 },           { "s", 2, 1, TOPOLOGY_XDR, 0 },
		{ "s", 3, 17, TOPOLOGY_NDR, 0 },           { "s", 4, 19, TOPOLOGY_NDR, TOPOLOGY_2X },
		{ "s", 5, 17, TOPOLOGY_NDR, TOPOLOGY_1X }, { "s", 6, 19, TOPOLOGY_NDR, 0 },
		{ "t", 1, 19, TOPOLOGY_XDR, 0 },           { "t", 2, 19, TOPOLOGY_XDR, 0 },
		{ "v", 1, 17, TOPOLOGY_HDR, 0 },           { "u", 2, 17, TOPOLOGY_HDR, 0 },
	};
	struct topology *t = sim_topology_read_text(text, "ports of several kinds");

	for (size_t i = 0; t && i < ARRAY_SIZE(want); i++) {
		const struct topology_port *port =
			topology_port(t, topology_find(t, want[i].node, 1), want[i].port);

		if (!ok(port->widths_supported == want[i].widths &&
				topology_best_speed(port->speeds_supported) == want[i].best &&
				port->width == want[i].limit,
			"kind of '%s'[%u]", want[i].node, want[i].port))
			printf("# supports %u, 0x%x; limited to %u\n", port->widths_supported,
			       port->speeds_supported, port->width);
	}
	topology_free(t);
}

/* Ports of a channel adapter with one GUID are planes of one port. */
static void sim_topology_planes(void)
{
	struct topology *t = sim_topology_read_text("Switch 2 \"s\"\n[1] \"h\"[1]\n[2] \"h\"[2]\n"
						    "Ca 2 \"h\"\n[1](7) \"s\"[1]\n[2](7) \"s\"[2]\n",
						    "two planes");

	if (!t)
		return;
	is_u64(topology_port(t, 1, 1)->guid, 7, "the GUID of one plane");
	is_u64(topology_port(t, 1, 2)->guid, 7, "... and of the other");
	topology_free(t);
}

/* small.net as ibnetdiscover showed it on ibsim. */
static void against_ibsim(void)
{
	struct topology *net = sim_topology_read_text(slurp("small.net"), "small.net");
	struct topology *seen = sim_topology_read_text(slurp("small.dump"), "what ibnetdiscover saw of it");

	if (!net || !seen)
		goto out;
	is_u64(seen->nnodes, net->nnodes, "as many nodes");
	for (uint32_t i = 0; i < seen->nnodes; i++) {
		const struct topology_node *a = &seen->nodes[i], *b = NULL;
		char name[32];
		bool same;

		for (uint32_t j = 0; j < net->nnodes && !b; j++)
			if (net->nodes[j].guid == a->guid)
				b = &net->nodes[j];
		if (!ok(b, "%s has ibsim's GUID", a->name))
			continue;
		ok(a->system_guid == b->system_guid && a->nports == b->nports && a->type == b->type &&
			   a->vendor == b->vendor && a->device == b->device && a->enhanced == b->enhanced &&
			   !strcmp(a->description, b->description),
		   "%s is the same node", b->name);
		for (unsigned int p = a->type != TOPOLOGY_SWITCH; p <= a->nports; p++) {
			const struct topology_port *pa = &seen->ports[a->first + p];
			const struct topology_port *pb = &net->ports[b->first + p];

			snprintf(name, sizeof(name), "port %u", p);
			same = pa->guid == pb->guid &&
			       (pa->peer == TOPOLOGY_NONE) == (pb->peer == TOPOLOGY_NONE);
			if (same && pa->peer != TOPOLOGY_NONE)
				same = seen->nodes[pa->peer].guid == net->nodes[pb->peer].guid &&
				       pa->peer_port == pb->peer_port &&
				       topology_width(seen, pa) == topology_width(net, pb) &&
				       topology_speed(seen, pa) == topology_speed(net, pb);
			ok(same, "%s %s is the same", b->name, name);
		}
	}
	is_written(seen, strstr(slurp("small.dump"), "\nvendid"), "the dump is written as it was");
out:
	topology_free(net);
	topology_free(seen);
}

/* ---- errors ------------------------------------------------------------------------- */

#define S "Switch 4 \"s\"\n"
#define H "Ca 2 \"h\"\n"
static const struct {
	const char *text;
	int code;
	unsigned int line, column;
	const char *says;
} broken[] = {
	{ "", -EINVAL, 0, 0, "no nodes" },
	{ "# nothing\n", -EINVAL, 0, 0, "no nodes" },
	{ "Swich 4 \"s\"\n", -EINVAL, 1, 1, "found 'Swich'" },
	{ "Switches 4 \"s\"\n", -EINVAL, 1, 1, "found 'Switches'" },
	{ " Switch 4 \"s\"\n", -EINVAL, 1, 2, "found 'Switch'" },
	{ "Switch four \"s\"\n", -EINVAL, 1, 8, "a number of ports, found 'four'" },
	{ "Switch 0 \"s\"\n", -ERANGE, 1, 8, "from 1 to 254, found '0'" },
	{ "Switch 255 \"s\"\n", -ERANGE, 1, 8, "from 1 to 254, found '255'" },
	{ "Switch 99999999999999999999 \"s\"\n", -ERANGE, 1, 8, "from 1 to 254" },
	{ "Switch 4\n", -EINVAL, 1, 9, "name in quotes, found the end of the line" },
	{ "Switch 4 s\n", -EINVAL, 1, 10, "found 's'" },
	{ "Switch 4 \"s\n", -EINVAL, 1, 10, "the closing '\"' is missing" },
	{ "Switch 4 \"\"\n", -EINVAL, 1, 10, "found '\"\"'" },
	{ "Switch 4 \"0123456789012345678901234567890123456789012345678901234567890123x\"\n", -E2BIG, 1, 11,
	  "65 bytes: at most 64" },
	{ "Switch 4 \"s\" x\n", -EINVAL, 1, 14, "found 'x'" },
	{ "Switch 4 \"s\" # \"s\n", -EINVAL, 1, 16, "the closing '\"' is missing" },
	{ "Switch 4 \"s\" # \"s\" base prt 0\n", -EINVAL, 1, 25, "'port 0', found 'prt'" },
	{ "Switch 4 \"s\" # \"s\" base port 1\n", -ERANGE, 1, 30, "found '1'" },
	{ "Switch 4 \"s\" # \"s\" base port 0 lid x\n", -EINVAL, 1, 36, "a LID, found 'x'" },
	{ "Switch 4 \"s\" # \"s\" base port 0 lid 65536\n", -ERANGE, 1, 36, "found '65536'" },
	{ "Switch 4 \"s\" # \"s\" base port 0 lid 1 lmc 8\n", -ERANGE, 1, 42, "from 0 to 7" },
	{ "Switch 4 \"s\" # \"s\" base port 0 lid 1 lmc 1\n", -EINVAL, 1, 17,
	  "a base port 0 has LMC 0, not 1" },
	{ "x.c:5 ;\n", -EINVAL, 1, 1, "found 'x.c:5'" },
	{ "Ca 1 \"h\" # \"0123456789012345678901234567890123456789012345678901234567890123x\"\n", -E2BIG, 1,
	  13, "65 bytes: at most 64" },
	{ S "Switch 4 \"s\"\n", -EEXIST, 2, 11, "a node 's' already" },
	{ S "switchguid=0x200000\nSwitch 4 \"t\"\n", -EEXIST, 3, 11, "as 's'" },
	{ "switchguid=0x1\nSwitch 4 \"S-0000000000000002\"\n", -EINVAL, 2, 11, "0x0000000000000001" },
	{ "Switch 4 \"S-0000000000000000\"\n", -EINVAL, 1, 11, "not 0" },
	{ "caguid=0\n", -EINVAL, 1, 8, "not 0" },
	{ "caguid 5\n", -EINVAL, 1, 8, "'=', found '5'" },
	{ "caguid=0x10000000000000000\n", -ERANGE, 1, 8, "found '0x1" },
	{ "caguid=0x1g\n", -EINVAL, 1, 11, "end of the line, found 'g'" },
	{ "vendid=0x1000000\n", -ERANGE, 1, 8, "to 16777215" },
	{ "devid=65536\n", -ERANGE, 1, 7, "to 65535" },
	{ "switchguid=0x1(x)\n", -EINVAL, 1, 16, "a port GUID, found 'x)'" },
	{ "switchguid=0x1(2\n", -EINVAL, 1, 17, "')', found the end" },
	{ "width=32\n", -ERANGE, 1, 7, "from 1 to 31" },
	{ "include \"other\"\n", -EINVAL, 1, 8, "not supported here" },
	{ "do Quit\n", -EINVAL, 1, 3, "not supported here" },
	{ "[1] \"h\"[1]\n", -EINVAL, 1, 1, "a node before its ports" },
	{ S "\n[1] \"h\"[1]\n" H, -EINVAL, 3, 1, "an empty line ended it" },
	{ S "@[1] \"x\"\n", -EINVAL, 2, 1, "aliases" },
	{ S "[0] \"h\"[1]\n", -ERANGE, 2, 2, "from 1 to 4, found '0]'" },
	{ S "[5] \"h\"[1]\n", -ERANGE, 2, 2, "from 1 to 4, found '5]'" },
	{ S "[1 \"h\"[1]\n", -EINVAL, 2, 3, "']', found a blank" },
	{ S "[1](7) \"h\"[1]\n", -EINVAL, 2, 4, "name in quotes, found '(7)'" },
	{ S "[1]\n", -EINVAL, 2, 4, "name in quotes, found the end" },
	{ S "[1] \"h[1]\n", -EINVAL, 2, 5, "the closing '\"' is missing" },
	{ S "[1] \"h\"[x]\n", -EINVAL, 2, 9, "a port number, found 'x]'" },
	{ S "[1] \"h\"[1] z=3\n", -EINVAL, 2, 12, "found 'z=3'" },
	{ S "[1] \"h\"[1] w=32\n", -ERANGE, 2, 14, "from 1 to 31" },
	{ S "[1] \"h\"[1] w=3x\n", -EINVAL, 2, 15, "a blank, found 'x'" },
	{ S "[1] \"h\"[1] # \"h lid 4 4xHDR\n", -EINVAL, 2, 14, "the closing '\"' is missing" },
	{ S "[1] \"h\"[1] # \"h\" lod 4\n", -EINVAL, 2, 18, "'lid', found 'lod'" },
	{ S "[1] \"h\"[1] # \"h\" lid 4 3xHDR\n", -EINVAL, 2, 24, "a link width" },
	{ S "[1] \"h\"[1] # \"h\" lid 4 4xHDX\n", -EINVAL, 2, 26, "a link speed" },
	{ S "[1] \"h\"[1] # \"h\" lid 4 4xHDRX\n", -EINVAL, 2, 26, "a link speed" },
	{ H "[1] \"s\"[1] # lid 4 lmc 0 4xHDR\n", -EINVAL, 2, 26, "description in quotes" },
	{ S "[1] \"h\"[1]\n[1] \"h\"[2]\n" H, -EEXIST, 3, 2, "port 1 of 's' is linked already" },
	{ S "[1] \"g\"[1]\n" H, -ENOENT, 2, 6, "name of a node, found 'g'" },
	{ S "[1] \"h\"[3]\n" H, -ERANGE, 2, 9, "'h' has 2 ports, found 3" },
	{ S "[1] \"h\"[1]\n" H, -EINVAL, 2, 6, "a line of 'h'[1] that leads back to 's'[1]" },
	{ S "[1] \"h\"[1]\n" H "[1] \"s\"[2]\n", -EINVAL, 2, 6, "'h'[1] leads to 's'[2]" },
	{ S "[1] \"h\"[1]\n[2] \"h\"[1]\n" H "[1] \"s\"[1]\n", -EINVAL, 3, 6, "leads to 's'[1]" },
	{ S "[1] \"h\"[1] w=1\n" H "[1] \"s\"[1] w=2\n", -EINVAL, 2, 12, "no common width" },
	{ S "[1] \"h\"[1] s=1\n" H "[1] \"s\"[1] s=2\n", -EINVAL, 2, 12, "no common speed" },
	{ S "[1] \"h\"[1] s=3 # \"h\" lid 4 4xQDR\n" H "[1] \"s\"[1]\n", -EINVAL, 2, 28,
	  "link is 4xQDR, but its ends enable at most 4xDDR" },
	{ S "[1] \"h\"[1]\n" H "[1] \"s\"[1] w=1 # \"s\" lid 4 4xSDR\n", -EINVAL, 2, 6,
	  "link is 4xSDR, but its ends enable at most 1xSDR" },
	{ S "[1] \"h\"[1] # \"h\" lid 4 4xHDR\n" H "[1] \"s\"[1] # lid 5 lmc 0 \"s\" lid 0 4xHDR\n", -EINVAL,
	  2, 22, "the LID of 'h'[1] is 5, found 4" },
	{ S "[1] \"h\"[1](7)\n" H "[1](8) \"s\"[1]\n", -EINVAL, 2, 12, "is 8, found 7" },
	{ H "[1](7) \"i\"[1]\nCa 1 \"i\"\n[1](7) \"h\"[1]\n", -EEXIST, 4, 5, "GUID 7 of 'i'[1] already" },
	{ "Rt 2 \"r\"\n[1](7) \"r\"[2]\n[2](7) \"r\"[1]\n", -EEXIST, 3, 5, "GUID 7 of 'r'[2] already" },
	{ S "[1](0) \"h\"[1]\n", -EINVAL, 2, 4, "found '(0)'" },
	{ H "[1](0) \"s\"[1]\n", -ERANGE, 2, 5, "a port GUID from 1" },
	{ H "[1](7 \"s\"[1]\n", -EINVAL, 2, 6, "')', found a blank" },
	{ S "[1][ext x] \"h\"[1]\n", -EINVAL, 2, 9, "an external port number" },
	{ S "[1] \"h\"[1] # \"h\" lid x\n", -EINVAL, 2, 22, "a LID, found 'x'" },
	{ H "[1] \"s\"[1] # lid x\n", -EINVAL, 2, 18, "a LID, found 'x'" },
	{ H "[1] \"s\"[1] # lid 1 lmc 9 \"s\"\n", -ERANGE, 2, 24, "an LMC from 0 to 7" },
	{ S "[1] \"\033[2J\"[1]\n", -ENOENT, 2, 6, "found '\\x1b[2J'" },
};

static void sim_topology_errors(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		struct topology *t = NULL;
		struct madkit_error error = { .text = "" };
		char place[60] = "";
		size_t len = strlen(broken[i].text);
		/* a copy without a NUL, so that reading on is seen */
		char *text = malloc(len ? len : 1);
		int ret;

		if (!text)
			return;
		memcpy(text, broken[i].text, len);
		ret = topology_read(text, len, &t, &error);
		free(text);
		if (broken[i].line)
			snprintf(place, sizeof(place), "line %u, column %u: ", broken[i].line,
				 broken[i].column);
		if (!ok(ret == broken[i].code && error.code == ret && !t &&
				!strncmp(error.text, place, strlen(place)) &&
				strstr(error.text, broken[i].says),
			"%s%s", place, broken[i].says))
			printf("# %d: %s\n# of: %s\n", ret, error.text, broken[i].text);
		topology_free(t);
	}
}

int main(void)
{
	names();
	dumps();
	sim_topology_rates();
	sim_topology_kinds();
	sim_topology_planes();
	against_ibsim();
	sim_topology_errors();
	return tap_done();
}
