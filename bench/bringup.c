// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bringup TOPOLOGY|fat-tree:LEAVES,HOSTS,SPINES: a simulated fabric with the built-in subnet manager in this process
 * and no clock, one line of numbers: nodes, seconds until the topology is there, until the subnet is up, for the
 * sweep that a cable which was pulled out and put in again makes necessary, and MiB.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <madkit/buf.h>
#include "sim/generate.h"
#include "sim/simulation.h"

static void need(bool so, const char *what)
{
	if (so)
		return;
	fprintf(stderr, "bringup: %s\n", what);
	exit(1);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct topology *read_topology(const char *name, struct madkit_error *error)
{
	struct topology *t = NULL;
	FILE *file;
	char *text;
	long len;

	if (!strncmp(name, "fat-tree:", 9)) {
		need(topology_generate(name, &t, error) == 0, error->text);
		return t;
	}
	file = fopen(name, "r");
	need(file && fseek(file, 0, SEEK_END) == 0 && (len = ftell(file)) >= 0, name);
	rewind(file);
	text = malloc((size_t)len + 1);
	need(text && fread(text, 1, (size_t)len, file) == (size_t)len, name);
	fclose(file);
	need(topology_read(text, (size_t)len, &t, error) == 0, error->text);
	free(text);
	return t;
}

static void event(void *context, const struct sim_event *e)
{
	if (e->kind == EVENT_SUBNET_UP)
		*(uint64_t *)context = e->count;
}

/* Until a sweep has ended: its time. */
static double swept(struct simulation *s, uint64_t *up)
{
	double begin = seconds();

	*up = 0;
	while (!*up) {
		need(simulation_deadline(s) != UINT64_MAX, "a subnet that is up");
		simulation_process(s, simulation_deadline(s));
	}
	return seconds() - begin;
}

int main(int argc, char **argv)
{
	struct simulation_options options = { .seed = 1, .sm = true, .sm_node = TOPOLOGY_NONE, .event = event };
	struct madkit_error error;
	struct simulation *s;
	struct topology *t;
	double begin = seconds(), read, up_time, again;
	struct rusage usage;
	uint32_t host = 0;
	uint64_t up;

	need(argc == 2, "usage: bringup TOPOLOGY");
	t = read_topology(argv[1], &error);
	read = seconds() - begin;
	begin = seconds();
	options.context = &up;
	need(simulation_new(t, &options, &s) == 0, "simulation_new");
	swept(s, &up);
	up_time = seconds() - begin;
	while (t->nodes[host].type != TOPOLOGY_CA && host + 1 < t->nnodes)
		host++;
	for (int plugged = 0; plugged < 2; plugged++) {
		need(fabric_cable(s->fabric, host, 1, plugged) == 0, "a cable");
		again = swept(s, &up);
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("%u %.3f %.3f %.3f %.1f\n", t->nnodes, read, up_time, again, (double)usage.ru_maxrss / 1024);
	simulation_free(s);
	topology_free(t);
	return 0;
}
