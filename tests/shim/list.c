/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Directories of the preloaded device by the C library's own lists: list PATTERN... DIRECTORY */
#define _GNU_SOURCE
#include <dirent.h>
#include <glob.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "tests/tap.h"

int main(int argc, char **argv)
{
	const char *dir = argv[argc - 1];
	struct dirent **names = NULL, *entry;
	struct stat st;
	DIR *list = opendir(dir);
	int n = scandir(dir, &names, NULL, alphasort), seen = 0, devices = 0;
	glob_t found;

	for (int i = 1; i < argc - 1; i++) {
		is_int(glob(argv[i], 0, NULL, &found), 0, "glob %s", argv[i]);
		ok(found.gl_pathc && !stat(found.gl_pathv[0], &st), "... finds what is there");
		globfree(&found);
	}
	is_int(glob("/dev/infiniband/none*", 0, NULL, &found), GLOB_NOMATCH, "... and nothing else");
	globfree(&found);
	for (int i = 0; i < n; i++) {
		devices += names[i]->d_type == DT_CHR;
		free(names[i]);
	}
	free(names);
	ok(n > 2, "scandir %s", dir);
	is_int(devices, n - 2, "... character devices");
	while (list && (entry = readdir(list)))
		seen += entry->d_type == DT_CHR;
	is_int(seen, devices, "readdir: the same");
	if (list)
		closedir(list);
	return tap_done();
}
