/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Control words: how a line is split, their effects in virtual time, and the messages about invalid ones. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sim/control.h"
#include "sim/fabric/internal.h"
#include "tests/tap.h"
#include "util/array_size.h"
#include "util/time.h"

static const char small[] = "Switch 4 \"s\" # \"leaf one\"\n[1] \"a\"[1]\n[2] \"b\"[1]\n"
			    "Ca 1 \"a\" # \"host HCA-1\"\n[1] \"s\"[1]\nCa 1 \"b\"\n[1] \"s\"[2]\n";

/* ---- lines -------------------------------------------------------------------------------- */

static void test_control_lines(void)
{
	static const struct {
		const char *line, *words; /* with | behind each */
	} good[] = {
		{ "", "" },
		{ " \t ", "" },
		{ "link a 1 down", "link|a|1|down|" },
		{ "  link\ta  1 down ", "link|a|1|down|" },
		{ "link 'leaf one' 1 down", "link|leaf one|1|down|" },
		{ "link \"leaf one\" 1 down", "link|leaf one|1|down|" },
		{ "fault drop node='leaf one'", "fault|drop|node=leaf one|" },
		{ "a'b c'\"d e\"f g", "ab cd ef|g|" },
		{ "'it''s' \"it's\" '' x", "its|it's||x|" },
	};
	static const char *const bad[] = { "link 'leaf", "link \"leaf one' 1 down", "'" };
	struct madkit_error error = { .text = "" };
	struct control_words w;
	char line[200], got[200];

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		strcpy(line, good[i].line);
		is_int(control_split(line, &w, NULL), 0, "'%s'", good[i].line);
		got[0] = '\0';
		for (size_t n = 0; n < w.n; n++)
			strcat(strcat(got, w.at[n]), "|");
		is_str(got, good[i].words, "... its words");
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		strcpy(line, bad[i]);
		is_int(control_split(line, &w, &error), -EINVAL, "%s", bad[i]);
		ok(strstr(error.text, "is not closed"), "... says so");
	}
	for (size_t n = CONTROL_WORDS_MAX; n <= CONTROL_WORDS_MAX + 1; n++) {
		line[0] = '\0';
		for (size_t i = 0; i < n; i++)
			strcat(line, "x ");
		if (n == CONTROL_WORDS_MAX)
			is_int(control_split(line, &w, NULL), 0, "32 words");
	}
	is_int(control_split(line, &w, &error), -EINVAL, "... and no more");
}

/* ---- words -------------------------------------------------------------------------------- */

struct sim_control {
	struct topology *t;
	struct simulation *s;
	struct madkit_error error;
	struct madkit_buf text;
};

static void test_control_open(struct sim_control *c, const char *topology)
{
	const struct simulation_options options = { .hop_ns = 1, .answer_ns = 1 };

	memset(c, 0, sizeof(*c));
	madkit_buf_init(&c->text, 0);
	if (topology_read(topology, strlen(topology), &c->t, NULL) || simulation_new(c->t, &options, &c->s)) {
		printf("Bail out! no simulation\n");
		exit(1);
	}
}

static void test_control_close(struct sim_control *c)
{
	madkit_buf_free(&c->text);
	simulation_free(c->s);
	topology_free(c->t);
}

static int test_control_line(struct sim_control *c, const char *text)
{
	struct control_words words;
	char line[400];
	int ret;

	snprintf(line, sizeof(line), "%s", text);
	c->error.text[0] = '\0';
	ret = control_split(line, &words, &c->error);
	return ret ? ret : control_do(c->s, &words, &c->text, &c->error);
}

static struct port *test_control_port(const struct sim_control *c, const char *name, unsigned int port)
{
	const struct node *node = &c->s->fabric->nodes[topology_find(c->t, name, strlen(name))];

	return node_port(c->s->fabric, node, port);
}

static uint64_t test_control_state(const struct sim_control *c, const char *name, unsigned int port)
{
	const struct node *node = &c->s->fabric->nodes[topology_find(c->t, name, strlen(name))];

	return field_get(MADKIT_PORT_INFO_LINK_STATE, node_port(c->s->fabric, node, port)->info);
}

/* A field of the PortInfo of a node's port 1. */
static uint64_t test_control_info(const struct sim_control *c, const char *name, uint64_t field)
{
	const struct node *node = &c->s->fabric->nodes[topology_find(c->t, name, strlen(name))];

	return field_get(field, node_port(c->s->fabric, node, 1)->info);
}

/* The VL of an SL from one port of a node to another. */
static uint64_t test_control_vl(const struct sim_control *c, const char *name, unsigned int in,
				unsigned int out, unsigned int sl)
{
	struct node *node = &c->s->fabric->nodes[topology_find(c->t, name, strlen(name))];

	return element_get(MADKIT_SL_TO_VL_MAPPING_TABLE_SL_TO_VL, sl, fabric_lanes(node, in, out));
}

static uint64_t test_control_downed(const struct sim_control *c, const char *name)
{
	const struct node *node = &c->s->fabric->nodes[topology_find(c->t, name, strlen(name))];

	return node_port(c->s->fabric, node, 1)->counts[PMA_LINK_DOWNED];
}

static void test_control_words(void)
{
	struct sim_control c;
	uint64_t before;

	test_control_open(&c, small);
	is_int(test_control_line(&c, "link 'leaf one' 1 down"), 0, "a cable is unplugged");
	is_u64(test_control_state(&c, "a", 1), PORT_DOWN, "... and its link is down");
	is_int(test_control_line(&c, "link a 1 up"), 0, "... plugged in at the other end");
	is_u64(test_control_state(&c, "s", 1), PORT_INIT, "... and trained");
	before = test_control_downed(&c, "a");
	is_int(test_control_line(&c, "link s 1 width=1X mtu=512"), 0, "a link is degraded");
	is_u64(test_control_info(&c, "a", MADKIT_PORT_INFO_LINK_WIDTH_ACTIVE), 1, "... to 1x");
	is_u64(test_control_info(&c, "a", MADKIT_PORT_INFO_LINK_WIDTH_SUPPORTED), 3,
	       "... supports what it did");
	is_u64(test_control_info(&c, "a", MADKIT_PORT_INFO_MTU_CAP), 2, "... and its MTU is 512");
	is_int(test_control_line(&c, "link a 1 mtu=1024"), 0, "its MTU changes");
	is_u64(test_control_info(&c, "a", MADKIT_PORT_INFO_MTU_CAP), 3, "... to 1024");
	is_u64(test_control_info(&c, "a", MADKIT_PORT_INFO_LINK_WIDTH_ACTIVE), 1, "... only the MTU");
	is_int(test_control_line(&c, "link a 1 best"), 0, "it is restored");
	is_u64(test_control_info(&c, "a", MADKIT_PORT_INFO_LINK_WIDTH_ACTIVE), 2, "... to 4x");
	is_u64(test_control_info(&c, "a", MADKIT_PORT_INFO_MTU_CAP), 5, "... and 4096");
	is_u64(test_control_downed(&c, "a"), before + 3, "... down three times");
	is_int(test_control_line(&c, "info a 1 Lid=0xffff Mkey=5 ProtectBits=2 PKey[1]=0x7fff"), 0,
	       "fields of a port are set");
	is_u64(test_control_info(&c, "a", MADKIT_PORT_INFO_LID), 0xffff, "... the LID, whatever it is");
	is_u64(test_control_info(&c, "a", MADKIT_PORT_INFO_MKEY), 5, "... the M_Key");
	is_u64(test_control_info(&c, "a", MADKIT_PORT_INFO_PROTECT_BITS), 2, "... and how it protects");
	is_u64(element_get(MADKIT_P_KEY_TABLE_P_KEY, 1, test_control_port(&c, "a", 1)->end->pkeys), 0x7fff,
	       "... a P_Key");
	is_int(test_control_line(&c, "info a 1 PkeyViolations=3 SLtoVL[2]=15"), 0,
	       "fields of three attributes");
	is_u64(test_control_info(&c, "a", MADKIT_PORT_INFO_PKEY_VIOLATIONS), 3, "... a counter");
	is_u64(test_control_vl(&c, "a", 0, 1, 2), 15, "... a VL");
	is_u64(test_control_vl(&c, "a", 0, 1, 3), 3, "... others keep the initial one");
	is_int(test_control_line(&c, "info s 1 PartEnforceInb=1 PKey[0]=0x8001 SLtoVL[2]=1"), 0,
	       "of a switch's external port");
	is_u64(element_get(MADKIT_P_KEY_TABLE_P_KEY, 0, test_control_port(&c, "s", 1)->pkeys), 0x8001,
	       "... a P_Key");
	is_u64(test_control_port(&c, "s", 1)->enforce, ENFORCE_INBOUND, "... which it enforces");
	is_u64(test_control_vl(&c, "s", 0, 1, 2), 1, "... a VL from port 0");
	is_u64(test_control_vl(&c, "s", 1, 1, 2), 1, "... and from each other port");
	is_u64(test_control_vl(&c, "s", 1, 0, 2), 2, "... not to another port");
	test_control_line(&c, "info s 1 PartEnforceInb=0 PKey[0]=0xffff");
	is_int(test_control_line(&c, "link a 1 best"), 0, "the same again");
	is_u64(test_control_downed(&c, "a"), before + 3, "... changes nothing");
	for (int i = 0; i < 2; i++) {
		/* as a manager sets it; link down and up trains it */
		field_put(MADKIT_PORT_INFO_LINK_SPEED_ENABLED, test_control_port(&c, i ? "s" : "a", 1)->info,
			  1);
		test_control_line(&c, "link a 1 down");
		test_control_line(&c, "link a 1 up");
		is_u64(test_control_info(&c, "a", MADKIT_PORT_INFO_LINK_SPEED_ACTIVE), 1,
		       "SDR alone is enabled");
		is_int(test_control_line(&c, "link a 1 best"), 0, "... until it is restored");
		is_u64(test_control_info(&c, "s", MADKIT_PORT_INFO_LINK_SPEED_ACTIVE),
		       topology_best_speed((unsigned int)test_control_info(
			       &c, "s", MADKIT_PORT_INFO_LINK_SPEED_SUPPORTED)),
		       "... to the best speed");
	}
	is_int(test_control_line(&c, "node b gone"), 0, "a node is powered off");
	is_u64(test_control_state(&c, "s", 2), PORT_DOWN, "... and its link is down");
	is_int(test_control_line(&c, "node b back"), 0, "... and on");
	is_int(test_control_line(&c, "fault drop node=\"leaf one\" nth=1"), 0, "a fault");
	ok(c.text.len == 2 && !memcmp(c.text.data, "1\n", 2), "... prints the number of its rule");
	ok(fault_next(c.s->faults, 0) != NULL, "... and is there");
	is_int(test_control_line(&c, "fault clear 1"), 0, "... and is taken away");
	ok(fault_next(c.s->faults, 0) == NULL, "... at once");
	is_int(test_control_line(&c, "agent 'leaf one' mute"), 0, "the agents of a node are mute");
	is_int(test_control_line(&c, "agent a slow=2 smi"), 0, "one agent is slow");
	is_int(test_control_line(&c, "agent a normal gsi"), 0, "... the other is not");
	test_control_close(&c);
}

/* Checks the rates of port 1 of a node, as topology bits. */
static void test_control_rates(const struct sim_control *c, const char *name, unsigned int supported,
			       unsigned int enabled, unsigned int active, const char *what)
{
	const struct link_rates r = port_rates(test_control_port(c, name, 1));
	const unsigned int best[] = {
		topology_best_width(r.widths_supported) << 16 | topology_best_speed(r.speeds_supported),
		topology_best_width(r.widths_enabled) << 16 | topology_best_speed(r.speeds_enabled),
		r.width << 16 | r.speed,
	};

	if (!ok(best[0] == supported && best[1] == enabled && best[2] == active, "%s", what))
		printf("# supported 0x%x, enabled 0x%x, active 0x%x\n", best[0], best[1], best[2]);
}

#define RATE(width, speed) (TOPOLOGY_##width << 16 | TOPOLOGY_##speed)

static void test_control_ends(void)
{
	const unsigned int sdr = RATE(4X, SDR), hdr = RATE(4X, HDR), edr = RATE(4X, EDR), two = RATE(2X, NDR);
	struct sim_control c;
	uint64_t before;

	test_control_open(&c, small);
	before = test_control_downed(&c, "a");
	is_int(test_control_line(&c, "link s 1 supported=4x,HDR"), 0, "one end supports HDR");
	test_control_rates(&c, "s", hdr, hdr, sdr, "... and enables it; the link stays at SDR");
	test_control_rates(&c, "a", sdr, sdr, sdr, "... the other end does not");
	ok(test_control_info(&c, "s", MADKIT_PORT_INFO_LINK_WIDTH_SUPPORTED) == 19, "... 2x comes with HDR");
	is_u64(test_control_downed(&c, "a"), before, "... and the link was not trained");
	ok(field_get(MADKIT_PORT_INFO_CAPABILITY_MASK2, test_control_port(&c, "s", 0)->info) &
		   MADKIT_CAP_MASK2_IS_LINK_SPEED_HDR_SUPPORTED,
	   "... the end port says so");
	is_int(test_control_line(&c, "link a 1 supported=4X,hdr enabled=4x,EDR"), 0,
	       "the other one supports it too, but enables less");
	test_control_rates(&c, "a", hdr, edr, edr, "... what both enable is active");
	test_control_rates(&c, "s", hdr, hdr, edr, "... at both ends");
	is_u64(test_control_downed(&c, "a"), before + 1, "... by training");
	is_int(test_control_line(&c, "link a 1 shows=1x,FDR"), 0, "an end reports another rate");
	test_control_rates(&c, "a", hdr, edr, RATE(1X, FDR), "... that one");
	test_control_rates(&c, "s", hdr, hdr, edr, "... the other end does not");
	is_u64(test_control_downed(&c, "a"), before + 1, "... without training");
	test_control_line(&c, "link s 1 down");
	test_control_line(&c, "link s 1 up");
	test_control_rates(&c, "a", hdr, edr, RATE(1X, FDR), "... also when the link has been down");
	test_control_rates(&c, "s", hdr, hdr, edr, "... and the rest has not changed");
	is_int(test_control_line(&c, "link a 1 shows=4x,EDR"), 0, "it reports that of the link");
	test_control_line(&c, "link s 1 width=1x");
	test_control_rates(&c, "a", hdr, edr, RATE(1X, EDR), "... and then follows it");
	test_control_line(&c, "link s 1 shows=1x,SDR");
	is_int(test_control_line(&c, "link s 1 best"), 0, "the link is restored");
	test_control_rates(&c, "a", hdr, hdr, hdr, "... with all that is supported");
	test_control_rates(&c, "s", hdr, hdr, hdr, "... and both ends report it");
	is_int(test_control_line(&c, "link s 1 supported=2x,NDR"), 0, "a split port");
	test_control_rates(&c, "s", two, two, RATE(2X, HDR), "... has at most 2x");
	is_u64(test_control_info(&c, "s", MADKIT_PORT_INFO_LINK_WIDTH_SUPPORTED), 17, "... or 1x");
	is_int(test_control_line(&c, "link s 1 supported=4x,XDR"), 0, "XDR");
	is_u64(test_control_info(&c, "s", MADKIT_PORT_INFO_LINK_SPEED_EXT_SUPPORTED2), 1,
	       "... is a second extension");
	is_u64(test_control_info(&c, "s", MADKIT_PORT_INFO_LINK_SPEED_EXT_ENABLED2), 1,
	       "... enabled as well");
	is_int(test_control_line(&c, "link s 1 supported=4x,QDR"), 0, "an old port");
	is_u64(test_control_info(&c, "s", MADKIT_PORT_INFO_LINK_SPEED_EXT_SUPPORTED), 0,
	       "... has no extended speeds");
	is_u64(field_get(MADKIT_PORT_INFO_CAPABILITY_MASK2, test_control_port(&c, "s", 0)->info) &
		       MADKIT_CAP_MASK2_IS_LINK_SPEED_HDR_SUPPORTED,
	       0, "... and says so");
	test_control_close(&c);
}

static void test_control_wrong_words(void)
{
	static const struct {
		const char *line;
		int code;
		const char *says;
	} bad[] = {
		{ "", -ENOSYS, "'' is not one of link, node" },
		{ "frob", -ENOSYS, "'frob' is not one of link, node" },
		{ "link", -EINVAL, "NODE PORT down|up" },
		{ "link nobody 1 down", -ENOENT, "'nobody'" },
		{ "link s 9 down", -EINVAL, "'9'" },
		{ "link s 3 down", -EINVAL, "no cable is at s, port 3" },
		{ "link s 1 sideways", -EINVAL,
		  "expected down, up, best, flap=, width=, speed=, mtu=, supported=, enabled= or shows=, found 'sideways'" },
		{ "link s 1 supported=", -EINVAL, "'supported=': the widths are 1x, 4x, 8x, 12x, 2x" },
		{ "link s 1 supported=3x,EDR", -EINVAL, "'supported=3x,EDR': the widths are 1x, 4x" },
		{ "link s 1 supported=4x,ED", -EINVAL,
		  "'supported=4x,ED': expected a width and a speed, such as supported=4x,HDR" },
		{ "link s 1 enabled=4x", -EINVAL, "'enabled=4x': expected a width and a speed" },
		{ "link s 1 shows=4x,", -EINVAL, "'shows=4x,': expected a width and a speed" },
		{ "link s 1 enabled=4x,SDR enabled=1x,SDR", -EINVAL, "enabled= is given twice" },
		{ "link s 1 enabled=4x,EDR", -EINVAL, "'enabled=4x,EDR': s, port 1 does not support that" },
		{ "link s 1 enabled=12x,SDR", -EINVAL, "'enabled=12x,SDR': s, port 1 does not support that" },
		{ "link s 1 supported=4x,FDR10", -EINVAL, "'supported=4x,FDR10': only devices of Mellanox" },
		{ "link s 1 shows=1x,SDR width=1x", -EINVAL,
		  "expected supported=, enabled= or shows=, found 'width=1x'" },
		{ "link s 1 width=1x shows=1x,SDR", -EINVAL,
		  "expected width=, speed= or mtu=, found 'shows=" },
		{ "link s 3 shows=1x,SDR", -EINVAL, "no cable is at s, port 3" },
		{ "link s 1 width=12x", -EINVAL, "'width=12x': both ends of this link support 1x, 4x" },
		{ "link s 1 speed=EDR", -EINVAL, "'speed=EDR': both ends of this link support SDR" },
		{ "link s 1 mtu=8192", -EINVAL, "'mtu=8192': both ends of this link support 256, 512" },
		{ "link s 1 width=", -EINVAL, "'width='" },
		{ "link s 1 width=1x width=4x", -EINVAL, "width= is given twice" },
		{ "link s 1 width=1x best", -EINVAL, "mtu=, found 'best'" },
		{ "link s 1 best width=1x", -EINVAL, "'width=1x' after best" },
		{ "link s 1 down width=1x", -EINVAL, "'width=1x' after down" },
		{ "link s 1 flap", -EINVAL, "found 'flap'" },
		{ "link s 1 flap=", -EINVAL, "'flap=' is not a number of milliseconds" },
		{ "link s 1 flap=0", -EINVAL, "'flap=0' is not a number of milliseconds from 0.01" },
		{ "link s 1 flap=0.0099", -EINVAL, "'flap=0.0099'" },
		{ "link s 1 flap=3600000.1", -EINVAL, "'flap=3600000.1'" },
		{ "link s 1 flap=1 width=1x", -EINVAL, "'width=1x' after flap=" },
		{ "link s 3 flap=1", -EINVAL, "no cable is at s, port 3" },
		{ "link s 0 best", -EINVAL, "no cable is at s, port 0" },
		{ "node s away", -EINVAL, "'away'" },
		{ "agent nobody mute", -ENOENT, "'nobody'" },
		{ "agent a deaf", -EINVAL, "'deaf'" },
		{ "agent a slow", -EINVAL, "'slow'" },
		{ "agent a slow=x", -EINVAL, "slow" },
		{ "agent a slow=0", -EINVAL, "slow=0" },
		{ "agent a slow=3600001", -EINVAL, "slow" },
		{ "agent a mute sma", -EINVAL, "'sma'" },
		{ "agent a mute smi gsi", -EINVAL,
		  "'gsi' is too much; usage: agent NODE mute|slow=MS|normal" },
		{ "node s gone back", -EINVAL, "'back' after gone" },
		{ "node s firmware=1.2", -EINVAL, "'firmware=1.2' is not a version, such as 20.41.1000" },
		{ "node s firmware=1.2.3.4", -EINVAL, "'firmware=1.2.3.4' is not a version" },
		{ "node s firmware=1.2.x", -EINVAL, "'firmware=1.2.x' is not a version" },
		{ "node s firmware=", -EINVAL, "'firmware=' is not a version" },
		{ "node s psid=", -EINVAL, "'psid=' does not have 1 to 16 characters" },
		{ "node s psid=MT_00000000000223", -EINVAL,
		  "'psid=MT_00000000000223' does not have 1 to 16" },
		{ "node s psid=MT_0000000223 back", -EINVAL,
		  "expected gone, back, firmware= or psid=, found 'back'" },
		{ "node s psid=a psid=b", -EINVAL, "psid= is given twice" },
		{ "info s 1", -EINVAL, "usage: info NODE PORT FIELD=VALUE" },
		{ "info s 1 Lid", -EINVAL, "'Lid' is not FIELD=VALUE" },
		{ "info s 1 Lid=65536", -EINVAL, "Lid" },
		{ "info s 1 Lids=1", -EINVAL, "Lids" },
		{ "info s 1 LinkState=1", -EINVAL, "LinkState: the word link changes" },
		{ "info s 1 PKey[32]=1", -EINVAL, "index '32'" },
		{ "info s 1 SLtoVL[16]=1", -EINVAL, "index '16'" },
		{ "info s 1 SLtoVL[0]=16", -EINVAL, "SLtoVL" },
		{ "join a", -EINVAL, "usage: join NODE PORT [MGID]" },
		{ "join a 1 ff12::1 x", -EINVAL, "'x' is too much" },
		{ "join a 0", -EINVAL, "port '0': only end ports can join groups" },
		{ "join s 1", -EINVAL, "port '1': only end ports can join groups" },
		{ "join a 1 x", -EINVAL, "'x'" },
		{ "join a 1", -EINVAL, "there is no built-in subnet manager" },
		{ "leave a 1", -EINVAL, "there is no built-in subnet manager" },
		{ "counter a 0 SymbolErrorCounter=1", -EINVAL, "port '0': a is not a switch" },
		{ "errors a 0 SymbolErrorCounter=1", -EINVAL, "port '0': a is not a switch" },
		{ "counter s 1 Frob=1", -EINVAL, "'Frob'" },
		{ "counter s 1 VL15Dropped=1x", -EINVAL, "VL15Dropped" },
		{ "counter s 1 VL15Dropped", -EINVAL, "NAME=VALUE" },
		{ "counter s 1 XmtDataSL=1", -EINVAL, "'XmtDataSL'" },
		{ "counter s 1 PortXmitWait=18446744073709551616", -EINVAL, "PortXmitWait" },
		{ "counter s 1 PortInactiveDiscards=65536", -EINVAL, "'PortInactiveDiscards=65536'" },
		{ "errors s 1 Frob=1", -EINVAL, "'Frob'" },
		{ "errors s 1 VL15Dropped=-1", -EINVAL, "'VL15Dropped=-1'" },
		{ "errors s 1 VL15Dropped=1000000000.1", -EINVAL, "'VL15Dropped=1000000000.1'" },
		{ "errors s 1 PortXmitData=1", -EINVAL, "'PortXmitData' counts traffic" },
		{ "errors s 1 RcvDataSL2=1", -EINVAL, "'RcvDataSL2' counts traffic" },
		{ "errors s 1 packet_seq_err=0.5", -EINVAL, "unknown counter 'packet_seq_err'" },
		{ "errors a 1 packet_seq_errs=0.5", -EINVAL, "unknown counter 'packet_seq_errs'" },
		{ "errors a 1 packet_seq_err=-1", -EINVAL, "'packet_seq_err=-1' is not a rate" },
		{ "link", -EINVAL, "usage: link NODE PORT" },
		{ "errors s 99 VL15Dropped=1", -EINVAL, "port '99': 's' has" },
		{ "errors s 1 VL15Dropped", -EINVAL, "NAME=RATE" },
		{ "traffic s 1 packets=64", -EINVAL, "gbps= is missing" },
		{ "traffic s 1 gbps=x", -EINVAL, "'gbps=x'" },
		{ "traffic s 1 gbps=", -EINVAL, "gbps= has no value" },
		{ "traffic s 1 gbps", -EINVAL, "gbps= has no value" },
		{ "traffic s 1 gbps=1 packets=65", -EINVAL, "'packets=65'" },
		{ "traffic s 1 gbps=1 packets=8192", -EINVAL, "packets" },
		{ "traffic s 1 gbps=1 sl=16", -EINVAL, "sl" },
		{ "traffic s 1 gbps=1 gbps=2", -EINVAL, "gbps= is given twice" },
		{ "traffic s 1 gbps=1 packets=64 packets=64", -EINVAL, "packets= is given twice" },
		{ "traffic s 1 gbps=1 sl=0 sl=0", -EINVAL, "sl= is given twice" },
		{ "traffic s 1 gbps=1 packets=64 sl=0 sl=0", -EINVAL, "sl= is given twice" },
		{ "traffic s 1 gbps=1 frob=16", -EINVAL, "'frob=16'" },
		{ "fault frob", -EINVAL, "frob" },
		{ "fault list", -EINVAL, "'list'" },
		{ "fault clear 9", -EINVAL, "no rule 9" },
		{ "cable s 1", -EINVAL, "usage: cable NODE PORT none|vendor=" },
		{ "cable s 3 none", -EINVAL, "no cable is at s, port 3" },
		{ "cable s 0 none", -EINVAL, "no cable is at s, port 0" },
		{ "cable s 1 none serial=x", -EINVAL, "'serial=x' after none" },
		{ "cable s 1 serial=", -EINVAL, "'serial=' does not have 1 to 16 characters" },
		{ "cable s 1 serial=12345678901234567", -EINVAL, "does not have 1 to 16 characters" },
		{ "cable s 1 frob=1", -EINVAL, "technology= or identifier=, found 'frob=1'" },
		{ "cable s 1 length=x", -EINVAL, "'length=x' is not a length from 0 to 6300 m" },
		{ "cable s 1 length=-1", -EINVAL, "'length=-1' is not a length" },
		{ "cable s 1 type=frob", -EINVAL, "frob" },
		{ "cable s 1 type=16", -EINVAL, "CableType" },
		{ "module s 1 rx", -EINVAL, "error= or diagnosis=, found 'rx'" },
		{ "module s 1 rx=-1", -EINVAL, "'rx=-1' is not a number of microwatts up to 60000" },
		{ "module s 1 temperature=128", -EINVAL,
		  "'temperature=128' is not a number of degrees Celsius" },
		{ "module s 1 diagnosis=frob", -EINVAL, "frob" },
		{ "temperature s 1 x", -EINVAL, "'x' is not a number of degrees Celsius from -127 to 127" },
		{ "temperature s 128", -EINVAL, "'128' is not a number of degrees Celsius" },
		{ "temperature s 3 40", -EINVAL, "no cable is at s, port 3" },
		{ "temperature nobody 40", -ENOENT, "'nobody'" },
		{ "ber s 1 frob=1e-5", -EINVAL, "expected raw=, effective= or symbol=, found 'frob=1e-5'" },
		{ "ber s 1 raw", -EINVAL, "found 'raw'" },
		{ "ber s 1 raw=", -EINVAL, "'raw=' is not a bit error rate, such as 3e-8" },
		{ "ber s 1 raw=0.0001", -EINVAL, "'raw=0.0001' is not a bit error rate" },
		{ "ber s 1 raw=1.6e-8", -EINVAL, "'raw=1.6e-8' is not a bit error rate" },
		{ "ber s 1 raw=0e-8", -EINVAL, "'raw=0e-8' is not a bit error rate" },
		{ "ber s 1 raw=1e-251", -EINVAL, "'raw=1e-251' is not a bit error rate" },
		{ "ber s 1 raw=1e-8x", -EINVAL, "'raw=1e-8x' is not a bit error rate" },
		{ "ber s 1 raw=1.e-8", -EINVAL, "'raw=1.e-8' is not a bit error rate" },
		{ "fec s 1 frob", -EINVAL, "frob" },
		{ "fec s 1 65536", -EINVAL, "FECActive" },
		{ "reason s 1 frob", -EINVAL, "frob" },
		{ "reason s 1 0 256", -EINVAL, "RemoteReason" },
		{ "register s", -EINVAL, "usage: register NODE|all refuse=STATUS" },
		{ "register nobody off", -ENOENT, "'nobody'" },
		{ "register s frob", -EINVAL, "wrong=, off or normal, found 'frob'" },
		{ "register s refuse=", -EINVAL, "status" },
		{ "register s refuse=65536", -EINVAL, "status" },
		{ "register s refuse=20 65536", -EINVAL, "register" },
		{ "register s noecho 1", -EINVAL, "'1' after noecho" },
		{ "register s wrong=frob", -EINVAL, "'wrong=frob': expected register, block, port or page" },
		{ "vkey s x", -EINVAL, "key" },
		{ "vkey s 1 x", -EINVAL, "status" },
		{ "stats", -ENOSYS, "'stats'" },
		{ "link 's", -EINVAL, "is not closed" },
	};
	struct sim_control c;

	test_control_open(&c, small);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		is_int(test_control_line(&c, bad[i].line), bad[i].code, "'%s'", bad[i].line);
		if (!ok(strstr(c.error.text, bad[i].says), "... what is wrong"))
			printf("# %s\n", c.error.text);
	}
	test_control_close(&c);
}

/* ---- counters in time ---------------------------------------------------------------------- */

static uint64_t test_control_count(const struct sim_control *c, const char *name, unsigned int port,
				   enum pma_counter which)
{
	return pma_get(c->s->fabric, test_control_port(c, name, port), which);
}

static void test_control_wait(struct sim_control *c, uint64_t ns)
{
	simulation_process(c->s, c->s->now + ns);
}

/* Effects of a subnet manager. */
static void test_control_activate(struct sim_control *c)
{
	for (uint32_t i = 0; i < c->s->fabric->nports; i++)
		if (c->s->fabric->ports[i].peer != TOPOLOGY_NONE)
			field_put(MADKIT_PORT_INFO_LINK_STATE, c->s->fabric->ports[i].info, PORT_ACTIVE);
}

/* Down at once, and up and down again after 3 ms each. */
static void test_control_flap(void)
{
	struct sim_control c;

	test_control_open(&c, small);
	is_int(test_control_line(&c, "link a 1 flap=3"), 0, "a link flaps");
	for (unsigned int ms = 0; ms < 12; ms++, test_control_wait(&c, NS_PER_MS))
		is_u64(test_control_state(&c, "s", 1), ms / 3 % 2 ? PORT_INIT : PORT_DOWN, "after %u ms", ms);
	is_u64(test_control_downed(&c, "a"), 3, "it went down so often");
	is_int(test_control_line(&c, "link s 1 flap=0.5"), 0, "another time, at the other end");
	for (unsigned int n = 0; n < 8; n++, test_control_wait(&c, NS_PER_MS / 2))
		is_u64(test_control_state(&c, "a", 1), n % 2 ? PORT_INIT : PORT_DOWN, "after %u / 2 ms", n);
	is_int(test_control_line(&c, "link a 1 flap=2"), 0, "twice");
	is_int(test_control_line(&c, "link a 1 flap=2"), 0, "... at one time");
	test_control_wait(&c, 2 * NS_PER_MS);
	is_u64(test_control_state(&c, "a", 1), PORT_INIT, "... is once");
	is_int(test_control_line(&c, "link a 1 down"), 0, "unplugged");
	test_control_wait(&c, 9 * NS_PER_MS);
	is_u64(test_control_state(&c, "a", 1), PORT_DOWN, "... it stays down");
	is_int(test_control_line(&c, "link s 1 up"), 0, "plugged in");
	test_control_wait(&c, 9 * NS_PER_MS);
	is_u64(test_control_state(&c, "a", 1), PORT_INIT, "... it stays up");
	test_control_close(&c);
}

static void test_control_traffic(void)
{
	struct sim_control c;
	uint64_t pkts;

	/* 4X EDR: 100 Gb/s */
	test_control_open(&c, "Switch 4 \"s\"\n[1] \"a\"[1] w=3 s=7 e=3\n[2] \"b\"[1] s=7\nCa 1 \"a\"\n"
			      "[1] \"s\"[1] w=3 s=7 e=3\nCa 1 \"b\"\n[1] \"s\"[2] s=7\n");
	is_int(test_control_line(&c, "traffic a 1 gbps=1"), -EINVAL, "a link that is not active");
	ok(strstr(c.error.text, "is not active"), "... is named so");
	test_control_activate(&c);
	is_int(test_control_line(&c, "traffic a 1 gbps=100.1"), -EINVAL, "more than the link carries");
	ok(strstr(c.error.text, "100.00 Gb/s"), "... is told with its data rate: %s", c.error.text);
	is_int(test_control_line(&c, "traffic s 4 gbps=1"), -EINVAL, "no cable");
	ok(strstr(c.error.text, "no cable is at s, port 4"), "... says so");
	is_int(test_control_line(&c, "traffic a 1 gbps=80 packets=1000"), 0, "80 Gb/s of 1000 octets");
	is_u64(test_control_count(&c, "a", 1, PMA_XMIT_PKTS), 0, "nothing yet");
	test_control_wait(&c, 99);
	is_u64(test_control_count(&c, "a", 1, PMA_XMIT_PKTS), 0, "... nor in 99 ns");
	test_control_wait(&c, 1);
	is_u64(test_control_count(&c, "a", 1, PMA_XMIT_PKTS), 1, "a packet in 100 ns");
	is_u64(test_control_count(&c, "a", 1, PMA_XMIT_DATA), 250, "... of 250 units");
	test_control_wait(&c, NS_PER_S - 100);
	is_u64(test_control_count(&c, "a", 1, PMA_XMIT_PKTS), 10000000, "10 million in a second");
	is_u64(test_control_count(&c, "a", 1, PMA_XMIT_DATA), UINT64_C(10000000) * 250, "... of 250 units");
	is_u64(test_control_count(&c, "s", 1, PMA_RCV_PKTS), 10000000, "... which have come in");
	is_u64(test_control_count(&c, "s", 1, PMA_RCV_DATA), UINT64_C(10000000) * 250, "... with their data");
	is_u64(test_control_count(&c, "s", 1, PMA_RCV_UNICAST), 10000000, "... as unicast");
	is_u64(test_control_count(&c, "s", 2, PMA_XMIT_PKTS), 0, "... and go no further by themselves");
	is_int(test_control_line(&c, "traffic a 1 gbps=8 packets=1000 sl=3"), 0, "a tenth of it");
	test_control_wait(&c, NS_PER_S);
	is_u64(test_control_count(&c, "a", 1, PMA_XMIT_PKTS), 11000000, "... from now on");
	is_int(test_control_line(&c, "traffic a 1 gbps=0"), 0, "none");
	test_control_wait(&c, 3600 * NS_PER_S);
	is_u64(test_control_count(&c, "s", 1, PMA_RCV_PKTS), 11000000, "... none");
	is_int(test_control_line(&c, "traffic a 1 gbps=100"), 0, "all that the link carries, for a year");
	test_control_wait(&c, 365 * 86400 * NS_PER_S);
	pkts = test_control_count(&c, "a", 1, PMA_XMIT_PKTS) - 11000000;
	/* 4096 octets, the MTU: 10^11 bit/s / 32768 bit */
	is_u64(pkts, UINT64_C(96240234375000), "... is exact");
	is_int(test_control_line(&c, "link a 1 down"), 0, "a cable is unplugged");
	test_control_wait(&c, NS_PER_S);
	is_u64(test_control_count(&c, "a", 1, PMA_XMIT_PKTS) - 11000000, pkts, "... and nothing flows");
	test_control_close(&c);
}

static void test_control_errors(void)
{
	struct sim_control c;
	struct port *port;

	test_control_open(&c, small);
	port = test_control_port(&c, "s", 3);
	is_int(test_control_line(&c, "errors s 3 SymbolErrorCounter=2.5"), 0, "2.5 errors a second");
	test_control_wait(&c, 3 * NS_PER_S);
	is_u64(pma_get(c.s->fabric, port, PMA_SYMBOL_ERROR), 7, "7 in 3 s");
	test_control_wait(&c, NS_PER_S);
	is_u64(pma_get(c.s->fabric, port, PMA_SYMBOL_ERROR), 10, "10 in 4 s");
	is_int(test_control_line(&c, "counter s 3 SymbolErrorCounter=100"), 0, "set to 100");
	test_control_wait(&c, 2 * NS_PER_S);
	is_u64(pma_get(c.s->fabric, port, PMA_SYMBOL_ERROR), 105, "... and on from there");
	is_int(test_control_line(&c, "errors s 3 SymbolErrorCounter=0"), 0, "no more of them");
	test_control_wait(&c, 9 * NS_PER_S);
	is_u64(pma_get(c.s->fabric, port, PMA_SYMBOL_ERROR), 105, "... it stays");
	is_int(test_control_line(&c, "errors s 3 PortVLXmitWait4=1000000000"), 0, "any other counter");
	test_control_close(&c);
}

static uint64_t test_control_hardware_count(const struct sim_control *c, const char *name)
{
	unsigned int which = 0;

	while (hardware_name(which) && strcmp(hardware_name(which), name))
		which++;
	return hardware_get(c->s->fabric, test_control_port(c, "a", 1), which);
}

static void test_control_hardware(void)
{
	struct sim_control c;

	test_control_open(&c, small);
	is_int(test_control_line(&c, "errors a 1 out_of_sequence=2.5"), 0, "2.5 events a second");
	is_int(test_control_line(&c, "errors a 1 rx_write_requests=1000000000"), 0, "one event a nanosecond");
	test_control_wait(&c, 1);
	is_u64(test_control_hardware_count(&c, "rx_write_requests"), 1, "1 in 1 ns");
	test_control_wait(&c, 3 * NS_PER_S - 1);
	is_u64(test_control_hardware_count(&c, "out_of_sequence"), 7, "7 in 3 s");
	is_u64(test_control_hardware_count(&c, "rx_write_requests"), UINT64_C(3000000000),
	       "... each its own");
	is_int(test_control_line(&c, "errors a 1 rx_write_requests=0.000001"), 0,
	       "one in 10^6 s, from now on");
	test_control_wait(&c, NS_PER_S);
	is_u64(test_control_hardware_count(&c, "out_of_sequence"), 10, "10 in 4 s");
	is_u64(test_control_hardware_count(&c, "rx_write_requests"), UINT64_C(3000000000), "... none yet");
	is_int(test_control_line(&c, "counter a 1 out_of_sequence=100"), 0, "set to 100");
	test_control_wait(&c, 2 * NS_PER_S);
	is_u64(test_control_hardware_count(&c, "out_of_sequence"), 105, "... and on from there");
	is_int(test_control_line(&c, "errors a 1 out_of_sequence=0"), 0, "no more of them");
	test_control_wait(&c, UINT64_C(999997) * NS_PER_S);
	is_u64(test_control_hardware_count(&c, "out_of_sequence"), 105, "... it stays");
	is_u64(test_control_hardware_count(&c, "rx_write_requests"), UINT64_C(3000000001), "one in 10^6 s");
	is_u64(test_control_hardware_count(&c, "packet_seq_err"), 0, "the others never moved");
	test_control_close(&c);
}

int main(void)
{
	test_control_flap();
	test_control_traffic();
	test_control_errors();
	test_control_hardware();
	test_control_lines();
	test_control_words();
	test_control_ends();
	test_control_wrong_words();
	return tap_done();
}
