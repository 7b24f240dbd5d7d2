/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Control words: how a line is split, what the words do in virtual time, and what is said of wrong ones. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sim/control.h"
#include "tests/tap.h"
#include "util/array_size.h"

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

static uint64_t test_control_state(const struct sim_control *c, const char *name, unsigned int port)
{
	const struct node *node = &c->s->fabric->nodes[topology_find(c->t, name, strlen(name))];

	return field_get(MADKIT_PORT_INFO_LINK_STATE, node_port(c->s->fabric, node, port)->info);
}

static void test_control_words(void)
{
	struct sim_control c;

	test_control_open(&c, small);
	is_int(test_control_line(&c, "link 'leaf one' 1 down"), 0, "a cable is unplugged");
	is_u64(test_control_state(&c, "a", 1), PORT_DOWN, "... and its link is down");
	is_int(test_control_line(&c, "link a 1 up"), 0, "... plugged in at the other end");
	is_u64(test_control_state(&c, "s", 1), PORT_INIT, "... and trained");
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
		{ "link s 1 sideways", -EINVAL, "'sideways'" },
		{ "node s away", -EINVAL, "'away'" },
		{ "agent nobody mute", -ENOENT, "'nobody'" },
		{ "agent a deaf", -EINVAL, "'deaf'" },
		{ "agent a slow", -EINVAL, "'slow'" },
		{ "agent a slow=x", -EINVAL, "slow" },
		{ "agent a slow=0", -EINVAL, "slow=0" },
		{ "agent a slow=3600001", -EINVAL, "slow" },
		{ "agent a mute sma", -EINVAL, "'sma'" },
		{ "agent a mute smi gsi", -EINVAL, "NODE mute|slow=MS|normal" },
		{ "counter s 1 Frob=1", -EINVAL, "'Frob'" },
		{ "counter s 1 VL15Dropped=1x", -EINVAL, "VL15Dropped" },
		{ "counter s 1 VL15Dropped", -EINVAL, "NAME=VALUE" },
		{ "fault frob", -EINVAL, "frob" },
		{ "fault list", -EINVAL, "'list'" },
		{ "fault clear 9", -EINVAL, "no rule 9" },
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

int main(void)
{
	test_control_lines();
	test_control_words();
	test_control_wrong_words();
	return tap_done();
}
