// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bringup TOPOLOGY|fat-tree:LEAVES,HOSTS,SPINES: a simulated fabric with the built-in subnet manager in this process
 * and no clock, one line of numbers: nodes, seconds until the topology is there, until the subnet is up, for the
 * sweep that a cable which was pulled out and put in again makes necessary, and MiB.
 */
#define _GNU_SOURCE /* program_invocation_short_name */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <madkit/buf.h>
#include "bench/bench.h"
#include "sim/simulation.h"
#include "topology/generate.h"

static struct topology *bench_bringup_read_topology(const char *name, struct madkit_error *error)
{
	struct topology *t = NULL;
	FILE *file;
	char *text;
	long len = 0;

	if (!strncmp(name, "fat-tree:", 9)) {
		bench_need(topology_generate(name, &t, error) == 0, error->text);
		return t;
	}
	file = fopen(name, "r");
	bench_need(file && fseek(file, 0, SEEK_END) == 0 && (len = ftell(file)) >= 0, name);
	rewind(file);
	text = malloc((size_t)len + 1);
	bench_need(text && fread(text, 1, (size_t)len, file) == (size_t)len, name);
	fclose(file);
	bench_need(topology_read(text, (size_t)len, &t, error) == 0, error->text);
	free(text);
	return t;
}

static void bench_bringup_event(void *context, const struct sim_event *e)
{
	if (e->kind == EVENT_SUBNET_UP)
		*(uint64_t *)context = e->count;
}

/* Until a sweep has ended: its time. */
static double bench_bringup_swept(struct simulation *s, uint64_t *up)
{
	double begin = bench_now_us();

	*up = 0;
	while (!*up) {
		bench_need(simulation_deadline(s) != UINT64_MAX, "a subnet that is up");
		simulation_process(s, simulation_deadline(s));
	}
	return (bench_now_us() - begin) / 1e6;
}

int main(int argc, char **argv)
{
	struct simulation_options options = {
		.seed = 1, .sm = true, .sm_node = TOPOLOGY_NONE, .event = bench_bringup_event
	};
	struct madkit_error error;
	struct simulation *s;
	struct topology *t;
	double begin = bench_now_us(), read, up_time, again;
	struct rusage usage;
	uint32_t host = 0;
	uint64_t up;

	bench_need(argc == 2, "usage: bringup TOPOLOGY");
	t = bench_bringup_read_topology(argv[1], &error);
	read = (bench_now_us() - begin) / 1e6;
	begin = bench_now_us();
	options.context = &up;
	bench_need(simulation_new(t, &options, &s) == 0, "simulation_new");
	bench_bringup_swept(s, &up);
	up_time = (bench_now_us() - begin) / 1e6;
	while (t->nodes[host].type != TOPOLOGY_CA && host + 1 < t->nnodes)
		host++;
	for (int plugged = 0; plugged < 2; plugged++) {
		bench_need(fabric_cable(s->fabric, host, 1, plugged) == 0, "a cable");
		again = bench_bringup_swept(s, &up);
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("%u %.3f %.3f %.3f %.1f\n", t->nnodes, read, up_time, again, (double)usage.ru_maxrss / 1024);
	simulation_free(s);
	topology_free(t);
	return 0;
}
