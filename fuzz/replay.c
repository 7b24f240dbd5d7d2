/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs a fuzz target on files, once each, without a fuzzer: those named on the
 * command line, or all of fuzz/corpus/TARGET. Speaks TAP; a find ends it.
 * A fuzzer (FUZZ_ENGINE) brings its own main().
 */
#ifndef FUZZ_ENGINE
#include <dirent.h>
#include <stdlib.h>
#include "tests/tap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void replay(const char *path)
{
	static uint8_t data[1 << 20];
	FILE *f = fopen(path, "rb");
	size_t n;

	if (!ok(f, "%s", path))
		return;
	n = fread(data, 1, sizeof(data), f);
	fclose(f);
	LLVMFuzzerTestOneInput(data, n);
	/* every beginning of it, down to nothing */
	for (size_t i = 0; i < n; i += n / 64 + 1)
		LLVMFuzzerTestOneInput(data, i);
}

static int is_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
	const char *top = getenv("top_srcdir"), *name = strrchr(argv[0], '/');
	struct dirent **names;
	char folder[1000], path[1400];
	int n;

	for (int i = 1; i < argc; i++)
		replay(argv[i]);
	if (argc > 1)
		return tap_done();
	snprintf(folder, sizeof(folder), "%s/fuzz/corpus/%s", top ? top : ".", name ? name + 1 : argv[0]);
	n = scandir(folder, &names, is_file, alphasort);
	ok(n > 0, "%d files in %s", n, folder);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
		replay(path);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return tap_done();
}
#endif
