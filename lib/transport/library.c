/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opens shared libraries. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "transport/library.h"

_Static_assert(sizeof(void *) == sizeof(void (*)(void)), "dlsym() returns functions as well");

/* RTLD_NODELETE: sanitizers and profilers can attribute the library's allocations even at exit */
enum { LIBRARY_FLAGS = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE };

/* Checks if the library's own directory has the file. */
static bool library_is_there(const struct library *library, char path[PATH_MAX])
{
	return library->directory &&
	       snprintf(path, PATH_MAX, "%s/%s", library->directory, library->file) < PATH_MAX &&
	       !access(path, F_OK);
}

/* Returns -EMFILE or -ENFILE if no descriptor is free, which the loader reports only as text; otherwise 0. */
static int library_check_descriptors(void)
{
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = fd < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return ret == -EMFILE || ret == -ENFILE ? ret : 0;
}

int library_open(const struct library *library, void **handle, struct madkit_error *error)
{
	const char *why, *elsewhere = library->directory;
	char path[PATH_MAX];
	int ret;

	*handle = dlopen(library->file, LIBRARY_FLAGS);
	/* otherwise the loader's message about the plain name is more useful */
	if (!*handle && library_is_there(library, path)) {
		*handle = dlopen(path, LIBRARY_FLAGS);
		elsewhere = NULL;
	}
	if (*handle)
		return 0;
	ret = library_check_descriptors();
	if (ret)
		return madkit_error_set(error, ret, -1, "cannot open %s: %s", library->file, strerror(-ret));
	why = dlerror();
	return madkit_error_set(error, -EOPNOTSUPP, -1, "%s need the package %s: %s%s%s", library->purpose,
				library->package, why ? why : library->file,
				elsewhere ? "; it is not in " : "", elsewhere ? elsewhere : "");
}

int library_functions(const struct library *library, const char *const *names, size_t count, void *table,
		      struct madkit_error *error)
{
	void *handle, *function;
	int ret = library_open(library, &handle, error);

	for (size_t i = 0; i < count && !ret; i++) {
		function = dlsym(handle, names[i]);
		memcpy((char *)table + i * sizeof(function), &function, sizeof(function));
		if (!function)
			ret = madkit_error_set(error, -EOPNOTSUPP, -1,
					       "%s need another version of the package %s: its %s has no %s",
					       library->purpose, library->package, library->file, names[i]);
	}
	return ret;
}
