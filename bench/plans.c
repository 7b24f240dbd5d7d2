/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* plans OLD NEW: reads two plans, compares them, and prints the milliseconds of both. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <madkit/madkit.h>
#include "bench.h"

static struct madkit_cabling *plans_read(const char *path)
{
	struct madkit_cabling *cabling = NULL;
	struct madkit_error error = { .text = "cannot read" };
	struct madkit_plan *plan = NULL;
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	bench_need(file && !madkit_plan_new(&plan), path);
	while ((n = getline(&line, &room, file)) > 0)
		bench_need(!madkit_plan_line(plan, line, (size_t)n, &error), error.text);
	bench_need(!madkit_plan_end(plan, &cabling, &error), error.text);
	madkit_plan_free(plan);
	free(line);
	fclose(file);
	return cabling;
}

int main(int argc, char **argv)
{
	struct madkit_comparison *comparison = NULL;
	struct madkit_cabling *old, *new;
	double begin = bench_now_us(), read;
	size_t differences = 0;

	bench_need(argc == 3, "expected OLD and NEW");
	old = plans_read(argv[1]);
	new = plans_read(argv[2]);
	read = bench_now_us();
	bench_need(!madkit_compare(old, new, NULL, &comparison, NULL), "cannot compare");
	while (madkit_comparison_difference(comparison, differences))
		differences++;
	printf("%u nodes, %zu differences: read %.0f ms, compared %.1f ms\n", madkit_cabling_count(new),
	       differences, (read - begin) / 1000, (bench_now_us() - read) / 1000);
	madkit_comparison_free(comparison);
	madkit_cabling_free(old);
	madkit_cabling_free(new);
	return 0;
}
