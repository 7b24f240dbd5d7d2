/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared libraries that are opened when they are first needed. */
#ifndef TRANSPORT_LIBRARY_H
#define TRANSPORT_LIBRARY_H

#include <stddef.h>
#include <madkit/error.h>

struct library {
	const char *file;    /* its name for the loader: "libibverbs.so.1" */
	const char *package; /* the Debian package that contains it */
	const char *purpose; /* what needs it, in the plural, for messages */
	/* Its directory, if the loader does not find it by name; NULL: none. (A RUNPATH would work, but the
	 * loader would also search it for libibumad at each start of a command: 20 system calls.) */
	const char *directory;
};

/*
 * library_open - open a shared library
 * @handle: receives the handle for dlsym()
 *
 * The library stays loaded until the process exits. Opening it again is cheap.
 *
 * Return: 0; -EOPNOTSUPP with error, which names the package, if it cannot be opened; -EMFILE or -ENFILE if
 * no descriptor is free.
 */
int library_open(const struct library *library, void **handle, struct madkit_error *error);

/*
 * library_functions - open a shared library and look up its functions
 * @names: names of the functions
 * @count: number of functions
 * @table: receives their addresses: a struct of @count function pointers, in the order of @names
 *
 * Each object that calls the library has its own table, so that libmadkit has no variables.
 *
 * Return: same as library_open(); also -EOPNOTSUPP if the library lacks a function.
 */
int library_functions(const struct library *library, const char *const *names, size_t count, void *table,
		      struct madkit_error *error);

#endif
