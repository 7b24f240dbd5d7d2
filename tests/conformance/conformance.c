// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * conformance [--place NAME] [--device SPEC] [--peer-device SPEC] [--server LID] [CASE...]
 *   runs the cases that the place (default: kernel) has all for; TAP, one line a case
 * conformance --serve [--device SPEC]
 *   answers for a place whose processes have one port only
 * conformance --list
 *   prints "CASE NEED,NEED... PLACE,PLACE..." of each case
 */
#include <getopt.h>
#include <stdlib.h>

#include "tests/conformance/conformance.h"

static void print_set(const char *const *names, size_t count, unsigned int set)
{
	const char *between = "";

	if (!set)
		putchar('-');
	for (size_t i = 0; i < count; i++)
		if (set >> i & 1) {
			printf("%s%s", between, names[i]);
			between = ",";
		}
}

static int conformance_list(void)
{
	const char *names[8];

	for (size_t p = 0; p < nplaces; p++)
		names[p] = places[p].name;
	for (size_t n = 0; n < nall_tests; n++)
		for (size_t i = 0; i < all_tests[n]->count; i++) {
			const struct test *test = &all_tests[n]->list[i];
			unsigned int where = 0;

			for (size_t p = 0; p < nplaces; p++)
				if (!(test->needs & ~places[p].has))
					where |= 1U << p;
			printf("%s ", test->name);
			print_set(capability_names, CAPABILITIES, test->needs);
			putchar(' ');
			print_set(names, nplaces, where);
			putchar('\n');
		}
	return 0;
}

static bool wanted(const char *name, char **names)
{
	if (!*names)
		return true;
	for (; *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

static int run_all(struct run *r, char **names)
{
	unsigned int count = 0, failed = 0;

	for (size_t n = 0; n < nall_tests; n++)
		for (size_t i = 0; i < all_tests[n]->count; i++) {
			const struct test *test = &all_tests[n]->list[i];
			unsigned int lacks = test->needs & ~r->place->has;
			bool good = true;

			if (!wanted(test->name, names))
				continue;
			if (!lacks)
				good = run_test(r, test);
			failed += !good;
			printf("%sok %u - %s", good ? "" : "not ", ++count, test->name);
			if (lacks) {
				printf(" # SKIP %s has no ", r->place->name);
				print_set(capability_names, CAPABILITIES, lacks);
			}
			putchar('\n');
			fflush(stdout);
		}
	printf("1..%u\n", count);
	return failed ? 1 : 0;
}

static const struct place *place_named(const char *name)
{
	for (size_t p = 0; p < nplaces; p++)
		if (!strcmp(name, places[p].name))
			return &places[p];
	return NULL;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "place", required_argument, NULL, 'p' },
		{ "device", required_argument, NULL, 'd' },
		{ "peer-device", required_argument, NULL, 'D' },
		{ "server", required_argument, NULL, 's' },
		{ "serve", no_argument, NULL, 'S' },
		{ "list", no_argument, NULL, 'l' },
		{ .name = NULL },
	};
	static struct run run;
	const char *device = NULL, *peer = NULL;
	bool serves = false;
	int option;

	run.place = &places[0];
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (option) {
		case 'p':
			run.place = place_named(optarg);
			if (!run.place) {
				fprintf(stderr, "conformance: no place %s\n", optarg);
				return 2;
			}
			break;
		case 'd':
			device = optarg;
			break;
		case 'D':
			peer = optarg;
			break;
		case 's':
			run.server_lid = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 'S':
			serves = true;
			break;
		case 'l':
			return conformance_list();
		default:
			return 2;
		}
	run.device[HERE] = device ? device : run.place->device;
	run.device[THERE] = peer ? peer : run.place->peer;
	if (serves)
		return case_serve(run.device[HERE]) ? 1 : 0;
	return run_all(&run, argv + optind);
}
