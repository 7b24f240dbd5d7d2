/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opens libibverbs. */
#include <errno.h>
#include <string.h>
#include "transport/library.h"
#include "transport/verbs_library.h"
#include "util/array_size.h"

int verbs_library_load(struct verbs_library *lib, struct madkit_error *error)
{
#define VERBS_NAME(name) #name,
	static const char *const names[] = { VERBS_FUNCTIONS(VERBS_NAME) };
	static const struct library verbs = { "libibverbs.so.1", "libibverbs1", "UD queue pairs", NULL };

	_Static_assert(sizeof(*lib) == sizeof(names), "one name for each function");
	return library_functions(&verbs, names, ARRAY_SIZE(names), lib, error);
}

int verbs_library_open_device(const struct verbs_library *lib, const char *ca, struct ibv_context **context)
{
	struct ibv_device **list = lib->ibv_get_device_list(NULL), **d = list;
	int ret = -ENODEV;

	while (d && *d && strcmp(lib->ibv_get_device_name(*d), ca))
		d++;
	if (d && *d) {
		errno = 0;
		*context = lib->ibv_open_device(*d);
		ret = *context ? 0 : errno ? -errno : -EIO;
	}
	if (list)
		lib->ibv_free_device_list(list);
	return ret;
}

int verbs_library_query_port(const struct verbs_library *lib, struct ibv_context *context, unsigned int port,
			     struct ibv_port_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	return lib->ibv_query_port(context, (uint8_t)port, (struct _compat_ibv_port_attr *)attr);
}
