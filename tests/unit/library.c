/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Libraries that are opened when they are needed: missing, too old, and as they should be. */
#include <errno.h>
#include <string.h>
#include "tests/tap.h"
#include "transport/library.h"

struct functions {
	void *(*malloc)(size_t);
	void (*free)(void *);
};

static void missing(void)
{
	static const struct library library = { "libmadkit-nowhere.so.9", "libnowhere9", "many things" };
	struct madkit_error error = { .text = "" };
	void *handle = &error;

	is_int(library_open(&library, &handle, &error), -EOPNOTSUPP, "a library that is missing");
	ok(!handle, "... no handle");
	is_str(error.text, "many things need the package libnowhere9: libmadkit-nowhere.so.9: cannot open "
	       "shared object file: No such file or directory", "... the error names the package");
	is_int(library_open(&library, &handle, NULL), -EOPNOTSUPP, "... also without words");
}

static void wrong_version(void)
{
	static const struct library library = { "libc.so.6", "libc6", "many things" };
	static const char *const names[] = { "malloc", "madkit_no_such_function" };
	struct functions table;
	struct madkit_error error = { .text = "" };

	is_int(library_functions(&library, names, 2, &table, &error), -EOPNOTSUPP,
	       "a library that lacks a function");
	is_str(error.text, "many things need another version of the package libc6: its libc.so.6 has no "
	       "madkit_no_such_function", "... the error names it");
}

static void right_version(void)
{
	static const struct library library = { "libc.so.6", "libc6", "many things" };
	static const char *const names[] = { "malloc", "free" };
	struct functions table = { NULL, NULL };
	char *memory;

	is_int(library_functions(&library, names, 2, &table, NULL), 0, "a library that has all functions");
	memory = table.malloc(2);
	ok(memory && strcpy(memory, "x"), "... which work");
	table.free(memory);
}

int main(void)
{
	missing();
	wrong_version();
	right_version();
	return tap_done();
}
