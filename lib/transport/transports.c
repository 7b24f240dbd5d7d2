/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The transports, found by the word before the colon of a device specification. */
#include <config.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "transport/choose.h"
#include "transport/library.h"
#include "transport/transports.h"
#include "util/array_size.h"

static const struct transport_ops *const own_transports[] = { &transport_umad, &transport_verbs, NULL };

/* Transports of other libraries, each of which defines madkit_transport_library. */
static const struct {
	const char *prefix;
	struct library library;
} other_transports[] = {
	{ "sim", { "libmadkit-sim.so", "madsim", "simulated fabrics", MADKIT_PKGLIBDIR } },
};

enum { OTHER_TRANSPORTS = ARRAY_SIZE(other_transports) };

static bool transport_is_named(const char *spec, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(spec, name, len) && spec[len] == ':';
}

static const struct transport_ops *transport_among(const struct transport_ops *const *list, const char *spec)
{
	while (*list && !transport_is_named(spec, (*list)->name))
		list++;
	return *list;
}

static int transport_from_library(const struct library *library, const char *spec,
				  const struct transport_ops **ops, struct madkit_error *error)
{
	const struct transport_library *from;
	void *handle;
	int ret = library_open(library, &handle, error);

	if (ret)
		return ret;
	from = dlsym(handle, "madkit_transport_library");
	if (!from || from->abi != TRANSPORT_ABI || !from->version || !from->transports ||
	    strcmp(from->version, PACKAGE_VERSION))
		return madkit_error_set(error, -EOPNOTSUPP, -1,
					"%s need version %s of the package %s: its %s is another version",
					library->purpose, PACKAGE_VERSION, library->package, library->file);
	*ops = transport_among(from->transports, spec);
	return *ops ? 0 : -EOPNOTSUPP;
}

static int transport_unknown(const char *spec, struct madkit_error *error)
{
	const char *colon = strchr(spec, ':');
	char known[80] = "";
	size_t len = 0;

	if (!colon || colon == spec)
		return madkit_error_set(error, -EINVAL, 0,
					"device '%.80s' is neither umad:CA/PORT nor /dev/infiniband/umadN",
					spec);
	for (size_t i = 0; own_transports[i]; i++)
		len += (size_t)snprintf(known + len, sizeof(known) - len, "%s, ", own_transports[i]->name);
	for (size_t i = 0; i < OTHER_TRANSPORTS; i++)
		len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s", i ? ", " : "",
					other_transports[i].prefix);
	return madkit_error_set(error, -EOPNOTSUPP, 0,
				"device '%.80s': there is no transport '%.*s', only %s", spec,
				colon - spec < 20 ? (int)(colon - spec) : 20, spec, known);
}

int transport_find(const char *spec, const struct transport_ops **ops, struct madkit_error *error)
{
	if (!spec || port_wish_is_node(spec)) {
		*ops = &transport_umad;
		return 0;
	}
	*ops = transport_among(own_transports, spec);
	if (*ops)
		return 0;
	for (size_t i = 0; i < OTHER_TRANSPORTS; i++)
		if (transport_is_named(spec, other_transports[i].prefix))
			return transport_from_library(&other_transports[i].library, spec, ops, error);
	return transport_unknown(spec, error);
}
