/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Libraries that are opened when they are needed: missing, too old, and as they should be. */
#include <config.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "tests/tap.h"
#include "transport/library.h"

struct functions {
	void *(*malloc)(size_t);
	void (*free)(void *);
};

static void missing(void)
{
	static const struct library library = { "libmadkit-nowhere.so.9", "libnowhere9", "many things",
						NULL };
	struct madkit_error error = { .text = "" };
	void *handle = &error;

	is_int(library_open(&library, &handle, &error), -EOPNOTSUPP, "a library that is missing");
	ok(!handle, "... no handle");
	is_str(error.text,
	       "many things need the package libnowhere9: libmadkit-nowhere.so.9: cannot open "
	       "shared object file: No such file or directory",
	       "... the error names the package");
	is_int(library_open(&library, &handle, NULL), -EOPNOTSUPP, "... also without words");
}

/* In this case a descriptor is missing, not the package. */
static void no_descriptors(void)
{
	static const struct library library = { "libmadkit-nowhere.so.9", "libnowhere9", "many things",
						"/tmp" };
	struct madkit_error error = { .text = "" };
	struct rlimit limit, none;
	void *handle;

	getrlimit(RLIMIT_NOFILE, &limit);
	none = limit;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	is_int(library_open(&library, &handle, &error), -EMFILE, "a library without a free descriptor");
	setrlimit(RLIMIT_NOFILE, &limit);
	is_str(error.text, "cannot open libmadkit-nowhere.so.9: Too many open files",
	       "... the error says so");
}

static void wrong_version(void)
{
	static const struct library library = { "libc.so.6", "libc6", "many things", NULL };
	static const char *const names[] = { "malloc", "madkit_no_such_function" };
	struct functions table;
	struct madkit_error error = { .text = "" };

	is_int(library_functions(&library, names, 2, &table, &error), -EOPNOTSUPP,
	       "a library that lacks a function");
	is_str(error.text,
	       "many things need another version of the package libc6: its libc.so.6 has no "
	       "madkit_no_such_function",
	       "... the error names it");
}

static void right_version(void)
{
	static const struct library library = { "libc.so.6", "libc6", "many things", NULL };
	static const char *const names[] = { "malloc", "free" };
	struct functions table = { NULL, NULL };
	char *memory;

	is_int(library_functions(&library, names, 2, &table, NULL), 0, "a library that has all functions");
	memory = table.malloc(2);
	ok(memory && strcpy(memory, "x"), "... which work");
	table.free(memory);
}

/* Copies the C library's libm, of which a second one does no harm. A link would not do: an emulator finds the
 * libraries of its processor elsewhere. */
static bool copy_libm(const char *to)
{
	void *libm = dlopen("libm.so.6", RTLD_NOW), *function = libm ? dlsym(libm, "cbrt") : NULL;
	FILE *in, *out = fopen(to, "wb");
	Dl_info info;
	int c;

	if (!out || !function || !dladdr(function, &info))
		return false;
	in = fopen(info.dli_fname, "rb");
	if (!in)
		return false;
	while ((c = getc(in)) != EOF)
		putc(c, out);
	return !fclose(in) && !fclose(out);
}

static void in_directory(void)
{
	char directory[] = "/tmp/madkit-library-XXXXXX", file[PATH_MAX], expected[PATH_MAX];
	struct library library = { "libmadkit-nowhere.so.9", "libnowhere9", "many things", directory };
	struct madkit_error error = { .text = "" };
	void *handle;
	Dl_info info = { .dli_fname = "" };
	FILE *f;

	if (!mkdtemp(directory)) {
		ok(false, "the directory");
		return;
	}
	is_int(library_open(&library, &handle, &error), -EOPNOTSUPP, "a library that its directory lacks");
	snprintf(expected, sizeof(expected),
		 "many things need the package libnowhere9: libmadkit-nowhere.so.9: cannot open "
		 "shared object file: No such file or directory; it is not in %.80s",
		 directory);
	is_str(error.text, expected, "... the error names the file and its directory");
	snprintf(file, sizeof(file), "%s/%s", directory, library.file);
	f = fopen(file, "w");
	ok(f && fputs("nothing", f) >= 0 && !fclose(f), "a broken library in its directory");
	is_int(library_open(&library, &handle, &error), -EOPNOTSUPP, "... does not open");
	snprintf(expected, sizeof(expected), "many things need the package libnowhere9: %.80s:", file);
	ok(!strncmp(error.text, expected, strlen(expected)), "... the error names the file");
	unlink(file);
	ok(copy_libm(file), "a library in its directory");
	is_int(library_open(&library, &handle, &error), 0, "... opens");
	ok(handle && dladdr(dlsym(handle, "cbrt"), &info), "... has its functions");
	is_str(info.dli_fname, file, "... and is that one");
	unlink(file);
	rmdir(directory);
}

int main(void)
{
	missing();
	in_directory();
	no_descriptors();
	wrong_version();
	right_version();
	return tap_done();
}
