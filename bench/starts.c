// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * starts RUNS [NAME=VALUE...] COMMAND... [-- [NAME=VALUE...] COMMAND...]...
 * Runs the commands in turn RUNS times, after one round that is not counted. Prints a line for each command: the
 * median, the first and the third quartile of its wall time, the median of its CPU time, all in microseconds, and the
 * median of its wall time divided by that of the last command in the same round. NAME=VALUE is added to the
 * environment of that command only. Every command must end with status 0; its output and messages go to /dev/null.
 */
#define _GNU_SOURCE /* program_invocation_short_name */
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"

enum { COMMANDS_MAX = 16, RUNS_MAX = 100000 };

struct start {
	char **argv, **env;
	double *wall, *cpu, *ratio;
};

extern char **environ;

static double timeval_us(struct timeval t)
{
	return (double)t.tv_sec * 1e6 + (double)t.tv_usec;
}

static double *new_times(unsigned int runs)
{
	double *times = calloc(runs, sizeof(*times));

	bench_need(times != NULL, "no memory");
	return times;
}

/* Variables before the command replace those of the same name. */
static char **new_env(char **set, unsigned int count)
{
	unsigned int n = 0;
	char **env;

	while (environ[n])
		n++;
	env = calloc(count + n + 1, sizeof(*env));
	bench_need(env != NULL, "no memory");
	n = 0;
	for (; n < count; n++)
		env[n] = set[n];
	for (char **old = environ; *old; old++) {
		bool replaced = false;

		for (unsigned int i = 0; i < count && !replaced; i++)
			replaced = !strncmp(set[i], *old, strcspn(set[i], "=") + 1);
		if (!replaced)
			env[n++] = *old;
	}
	return env;
}

static void start_once(const struct start *s, const posix_spawn_file_actions_t *quiet, double *wall,
		       double *cpu)
{
	double begin = bench_now_us();
	struct rusage use;
	int status;
	pid_t pid;

	bench_need(posix_spawn(&pid, s->argv[0], quiet, NULL, s->argv, s->env) == 0, s->argv[0]);
	bench_need(wait4(pid, &status, 0, &use) == pid, "wait4");
	*wall = bench_now_us() - begin;
	*cpu = timeval_us(use.ru_utime) + timeval_us(use.ru_stime);
	bench_need(WIFEXITED(status) && !WEXITSTATUS(status), s->argv[0]);
}

static int compare_times(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Quarter 2 is the median. */
static double quartile(double *times, unsigned int runs, unsigned int quarter)
{
	qsort(times, runs, sizeof(*times), compare_times);
	return times[(runs - 1) * quarter / 4];
}

int main(int argc, char **argv)
{
	unsigned int runs = argc > 2 ? (unsigned int)atoi(argv[1]) : 0, count = 0;
	struct start starts[COMMANDS_MAX];
	posix_spawn_file_actions_t quiet;

	bench_need(runs && runs <= RUNS_MAX,
		   "usage: starts RUNS [NAME=VALUE...] COMMAND... [-- COMMAND...]...");
	for (char **word = argv + 2; word < argv + argc; word++) {
		struct start *s = &starts[count++];
		char **set = word;

		bench_need(count <= COMMANDS_MAX, "too many commands");
		while (*word && strchr(*word, '='))
			word++;
		s->env = new_env(set, (unsigned int)(word - set));
		s->argv = word;
		while (*word && strcmp(*word, "--"))
			word++;
		bench_need(s->argv < word, "no command");
		*word = NULL;
		s->wall = new_times(runs);
		s->cpu = new_times(runs);
		s->ratio = new_times(runs);
	}
	bench_need(posix_spawn_file_actions_init(&quiet) == 0 &&
			   posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY,
							    0) == 0 &&
			   posix_spawn_file_actions_adddup2(&quiet, STDOUT_FILENO, STDERR_FILENO) == 0,
		   "/dev/null");
	for (unsigned int run = 0; run <= runs; run++) {
		/* the first round is overwritten */
		unsigned int at = run ? run - 1 : 0;

		for (unsigned int i = 0; i < count; i++)
			start_once(&starts[i], &quiet, &starts[i].wall[at], &starts[i].cpu[at]);
		for (unsigned int i = 0; i < count; i++)
			starts[i].ratio[at] = starts[i].wall[at] / starts[count - 1].wall[at];
	}
	for (struct start *s = starts; s < starts + count; s++)
		printf("%.1f %.1f %.1f %.1f %.3f\n", quartile(s->wall, runs, 2), quartile(s->wall, runs, 1),
		       quartile(s->wall, runs, 3), quartile(s->cpu, runs, 2), quartile(s->ratio, runs, 2));
	return 0;
}
