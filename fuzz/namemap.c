/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Node name maps. The first line is the name to look up, the rest is the map. Each refusal has a message; a
 * GUID that is found belongs to a line with the name.
 */
#define _GNU_SOURCE /* memfd_create() */
#include <errno.h>
#include <string.h>
#include "fuzz/file.h"
#include "names/name_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *newline = size ? memchr(data, '\n', size) : NULL;
	size_t n = newline ? (size_t)(newline - data) : size;
	struct madkit_error error = { .text = "" };
	struct madkit_name_map *map;
	uint64_t guid = 0;
	char name[200], path[40];
	int fd, ret;

	if (n >= sizeof(name))
		return 0;
	memcpy(name, data, n);
	name[n] = 0;
	if (n < size)
		n++;
	fd = fuzz_file(data + n, size - n);
	ret = name_map_open(fuzz_path(fd, path), NULL, &map, &error);
	if (!ret) {
		ret = name_map_find(map, name, &guid, &error);
		madkit_name_map_free(map);
	}
	if (ret != 0 && ret != -EINVAL && ret != -ENOENT && ret != -EEXIST)
		fuzz_die("not an error of a name map");
	if (ret && !error.text[0])
		fuzz_die("refused without a word");
	if (ret != -EINVAL && size - n && memchr(data + n, 0, size - n) && ret != -EEXIST)
		fuzz_die("a NUL byte was accepted");
	if (!ret && *name && !memmem(data + n, size - n, "\"", 1))
		fuzz_die("a name that the map has not");
	close(fd);
	return 0;
}
