/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Any words for a simulation: those of a device, of nodes and of faults. They are refused
 * with words, or mean what there is; a rule that was read is one that is taken.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim/control.h"
#include "sim/transport/spec.h"
#include "topology/find.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define hold(cond) \
	do { \
		if (!(cond)) { \
			fprintf(stderr, "line %d: not so: %s\n", __LINE__, #cond); \
			abort(); \
		} \
	} while (0)

static const char text_of_all[] =
	"Switch 3 \"A\" # \"leaf: one\"\n[1] \"h1\"[1]\n[2] \"h2\"[2]\n"
	"Ca 1 \"h1\" # \"h1:2\"\n[1] \"A\"[1]\nCa 2 \"h2\" # \"h1:2\"\n[2] \"A\"[2]\n";

static void fuzz_sim_words_nodes(const struct topology *t, const char *words)
{
	struct madkit_error error = { .text = "" };
	unsigned int port;
	uint32_t node;
	int ret = find_end(t, words, &node, &port, &error);

	hold(ret <= 0 && !ret == !error.text[0]);
	if (ret)
		return;
	hold(node < t->nnodes && port <= t->nodes[node].nports);
	hold(!port == (t->nodes[node].type == TOPOLOGY_SWITCH));
}

static void fuzz_sim_words_faults(const struct topology *t, struct faults *all, const char *words)
{
	struct madkit_error error = { .text = "" };
	struct fault_rule rule;
	uint32_t id;
	int ret = fault_parse(t, words, &rule, &error);

	hold(ret <= 0 && !ret == !error.text[0]);
	if (ret)
		return;
	hold(!fault_add(all, &rule, &id));
	fault_clear(all);
}

/* Does what the line says, on links that are active, and lets some time pass. */
static void fuzz_sim_words_control(const struct topology *t, char *line)
{
	const struct simulation_options options = { .hop_ns = 1 };
	struct madkit_error error = { .text = "" };
	struct control_words words;
	struct madkit_buf text;
	struct simulation *s;
	int ret = control_split(line, &words, &error);

	hold(ret <= 0 && !ret == !error.text[0] && words.n <= CONTROL_WORDS_MAX);
	if (ret)
		return;
	hold(!simulation_new(t, &options, &s));
	for (uint32_t i = 0; i < s->fabric->nports; i++)
		if (s->fabric->ports[i].peer != TOPOLOGY_NONE)
			field_put(MADKIT_PORT_INFO_LINK_STATE, s->fabric->ports[i].info, PORT_ACTIVE);
	madkit_buf_init(&text, 0);
	ret = control_do(s, &words, &text, &error);
	hold(ret <= 0 && !ret == !error.text[0]);
	simulation_process(s, UINT64_C(1000000000));
	for (uint32_t i = 0; i < s->fabric->nports; i++)
		pma_get(s->fabric, &s->fabric->ports[i], PMA_XMIT_DATA);
	madkit_buf_free(&text);
	simulation_free(s);
}

static void device(const struct topology *t, struct faults *all, const char *words)
{
	struct madkit_error error = { .text = "" };
	struct sim_spec spec;
	int ret = sim_spec_parse(words, &spec, &error);

	hold(ret <= 0 && !ret == !error.text[0]);
	if (ret)
		return;
	hold(*spec.topology && spec.nfaults <= SIM_SPEC_FAULTS && !(spec.no_sm && spec.sm));
	for (unsigned int i = 0; i < spec.nfaults; i++)
		fuzz_sim_words_faults(t, all, spec.faults[i]);
	hold(spec.ncontrols <= SIM_SPEC_CONTROLS);
	for (unsigned int i = 0; i < spec.ncontrols; i++)
		fuzz_sim_words_control(t, spec.controls[i]);
	fuzz_sim_words_nodes(t, spec.node);
	fuzz_sim_words_nodes(t, spec.sm);
	sim_spec_free(&spec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct fabric_options options = { .hop_ns = 1 };
	struct topology *t;
	struct fabric *f;
	struct faults *all;
	char *words = malloc(size + 1);

	hold(words && !topology_read(text_of_all, strlen(text_of_all), &t, NULL));
	f = fabric_new(t, &options);
	all = f ? faults_new(f, 1) : NULL;
	hold(all);
	memcpy(words, data, size);
	words[size] = '\0';
	fuzz_sim_words_nodes(t, words);
	fuzz_sim_words_faults(t, all, words);
	device(t, all, words);
	fuzz_sim_words_control(t, words);
	faults_free(all);
	fabric_free(f);
	topology_free(t);
	free(words);
	return 0;
}
