/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Listing the ports of a machine on which files cannot be opened. Linked with --wrap=opendir,--wrap=open,
 * --wrap=open64. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <madkit/madkit.h>
#include "tests/tap.h"

static char top[] = "/tmp/ports_list.XXXXXX";
static int open_errno; /* of every file */

DIR *__real_opendir(const char *name);
DIR *__wrap_opendir(const char *name);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);

DIR *__wrap_opendir(const char *name)
{
	return __real_opendir(strcmp(name, "/sys/class/infiniband_mad") ? name : top);
}

int __wrap_open(const char *path, int flags, ...)
{
	(void)path;
	(void)flags;
	errno = open_errno;
	return -1;
}

int __wrap_open64(const char *path, int flags, ...)
{
	return __wrap_open(path, flags);
}

static int ports_list_show(int err, size_t *skipped)
{
	struct madkit_port_info *ports = NULL;
	size_t count = 0;
	int ret;

	open_errno = err;
	ret = madkit_ports_list(&ports, &count, skipped);
	if (!ret)
		madkit_ports_free(ports);
	return ret;
}

int main(void)
{
	char umad[sizeof(top) + 8];
	struct madkit_error error;
	struct madkit_port *port;
	size_t skipped = 0;

	if (!mkdtemp(top))
		return 1;
	snprintf(umad, sizeof(umad), "%s/umad0", top);
	if (mkdir(umad, 0700))
		return 1;
	is_int(ports_list_show(EMFILE, NULL), -EMFILE, "no descriptor is free in this process");
	is_int(ports_list_show(ENFILE, NULL), -ENFILE, "no descriptor is free in the system");
	is_int(ports_list_show(ENOMEM, NULL), -ENOMEM, "no memory");
	is_int(ports_list_show(EIO, &skipped), 0, "a port that cannot be read");
	is_u64(skipped, 1, "... is skipped");
	open_errno = EMFILE;
	is_int(madkit_port_open("umad:", &port, &error), -EMFILE, "a port is not opened without descriptors");
	rmdir(umad);
	rmdir(top);
	return tap_done();
}
