/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Listing the ports of a machine: a directory takes the place of /sys/class, and files of it cannot be read.
 * Linked with --wrap=opendir,--wrap=open,--wrap=open64. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <madkit/madkit.h>
#include "tests/tap.h"
#include "util/array_size.h"

#define CLASS_DIR "/sys/class"

static char top[] = "/tmp/ports_list.XXXXXX";
static int open_errno;     /* of every file, or of the broken one; 0: files are read */
static const char *broken; /* how the path of the only broken file ends; NULL: all are */
static bool unplugs;       /* the failure is the last that is seen of the port */

DIR *__real_opendir(const char *name);
DIR *__wrap_opendir(const char *name);
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);

static const char *ports_list_path(const char *path, char *to, size_t size)
{
	if (strncmp(path, CLASS_DIR "/", strlen(CLASS_DIR "/")))
		return path;
	snprintf(to, size, "%s%s", top, path + strlen(CLASS_DIR));
	return to;
}

DIR *__wrap_opendir(const char *name)
{
	char path[512];

	return __real_opendir(ports_list_path(name, path, sizeof(path)));
}

static bool ports_list_ends(const char *path, const char *end)
{
	return strlen(path) >= strlen(end) && !strcmp(path + strlen(path) - strlen(end), end);
}

int __wrap_open(const char *path, int flags, ...)
{
	char to[512];

	if (open_errno && (!broken || ports_list_ends(path, broken))) {
		if (unplugs)
			broken = NULL;
		errno = open_errno;
		return -1;
	}
	return __real_open(ports_list_path(path, to, sizeof(to)), flags);
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
	open_errno = 0;
	if (!ret)
		madkit_ports_free(ports);
	return ret;
}

static const struct {
	const char *path, *text;
} class_tree[] = {
	{ "infiniband_mad", NULL },
	{ "infiniband_mad/abi_version", "5\n" },
	{ "infiniband_mad/umad0", NULL },
	{ "infiniband_mad/umad0/ibdev", "a\n" },
	{ "infiniband_mad/umad0/port", "1\n" },
	{ "infiniband", NULL },
	{ "infiniband/a", NULL },
	{ "infiniband/a/node_guid", "0010:0200:0300:0400\n" },
	{ "infiniband/a/ports", NULL },
	{ "infiniband/a/ports/1", NULL },
	{ "infiniband/a/ports/1/gids", NULL },
	{ "infiniband/a/ports/1/gids/0", "fe80:0000:0000:0000:0010:0200:0300:0401\n" },
	{ "infiniband/a/ports/1/state", "4: ACTIVE\n" },
	{ "infiniband/a/ports/1/phys_state", "5: LinkUp\n" },
	{ "infiniband/a/ports/1/lid", "0x3\n" },
	{ "infiniband/a/ports/1/lid_mask_count", "1\n" },
	{ "infiniband/a/ports/1/sm_lid", "0x1\n" },
	{ "infiniband/a/ports/1/sm_sl", "2\n" },
	{ "infiniband/a/ports/1/rate", "2.5 Gb/sec (1X SDR)\n" },
	{ "infiniband/a/ports/1/cap_mask", "0x02514868\n" },
	{ "infiniband/a/ports/1/link_layer", "InfiniBand\n" },
};

enum { CLASS_FILES = ARRAY_SIZE(class_tree) };

static void class_write(const char *name, const char *text)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", top, name);
	file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file))
		exit(1);
}

static void class_make(void)
{
	char path[512];

	for (int i = 0; i < CLASS_FILES; i++) {
		snprintf(path, sizeof(path), "%s/%s", top, class_tree[i].path);
		if (class_tree[i].text)
			class_write(class_tree[i].path, class_tree[i].text);
		else if (mkdir(path, 0700))
			exit(1);
	}
}

static void class_remove(void)
{
	char path[512];

	for (int i = CLASS_FILES; i--;) {
		snprintf(path, sizeof(path), "%s/%s", top, class_tree[i].path);
		remove(path);
	}
	rmdir(top);
}

/* The only port as it is listed; all 0 if it is not. */
static struct madkit_port_info the_listed_port(void)
{
	struct madkit_port_info *ports = NULL, port;
	size_t count = 0, skipped;

	memset(&port, 0, sizeof(port));
	if (madkit_ports_list(&ports, &count, &skipped))
		return port;
	if (count == 1)
		port = ports[0];
	madkit_ports_free(ports);
	return port;
}

static void test_exhausted(void)
{
	struct madkit_error error;
	struct madkit_port *port;
	size_t skipped = 0;

	is_int(ports_list_show(EMFILE, NULL), -EMFILE, "no descriptor is free in this process");
	is_int(ports_list_show(ENFILE, NULL), -ENFILE, "no descriptor is free in the system");
	is_int(ports_list_show(ENOMEM, NULL), -ENOMEM, "no memory");
	is_int(ports_list_show(EIO, &skipped), 0, "a port that cannot be read");
	is_u64(skipped, 1, "... is skipped");
	open_errno = EMFILE;
	is_int(madkit_port_open("umad:", &port, &error), -EMFILE, "a port is not opened without descriptors");
	open_errno = 0;
}

static void test_port_rate(void)
{
	static const struct {
		const char *text;
		unsigned int whole, tenths;
	} rates[] = {
		{ "2.5 Gb/sec (1X SDR)\n", 2, 5 }, { "10 Gb/sec (4X SDR)\n", 10, 0 },
		{ "14 Gb/sec (1X FDR)\n", 14, 0 }, { "400 Gb/sec (4X NDR)\n", 400, 0 },
		{ "2. Gb/sec\n", 2, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
		class_write("infiniband/a/ports/1/rate", rates[i].text);
		is_u64(the_listed_port().rate, rates[i].whole, "%s", rates[i].text);
		is_u64(the_listed_port().rate_tenths, rates[i].tenths, "... and its tenths");
	}
}

/* A file that cannot be read is not a 0. */
static void test_port_unread(void)
{
	static const struct {
		const char *file;
		uint32_t bit;
	} files[] = {
		{ "/node_guid", MADKIT_PORT_NODE_GUID },
		{ "/gids/0", MADKIT_PORT_GID },
		{ "/lid", MADKIT_PORT_LID },
		{ "/lid_mask_count", MADKIT_PORT_LMC },
		{ "/sm_lid", MADKIT_PORT_SM_LID },
		{ "/sm_sl", MADKIT_PORT_SM_SL },
		{ "/phys_state", MADKIT_PORT_PHYS_STATE },
		{ "/rate", MADKIT_PORT_RATE },
		{ "/cap_mask", MADKIT_PORT_CAP_MASK },
		{ "/link_layer", MADKIT_PORT_LINK_LAYER },
		{ "/hca_type", MADKIT_PORT_CA_TYPE },
		{ "/fw_ver", MADKIT_PORT_FIRMWARE },
	};
	/* not every kernel, or driver, has these files */
	const uint32_t optional = MADKIT_PORT_LINK_LAYER | MADKIT_PORT_CA_TYPE | MADKIT_PORT_FIRMWARE;
	struct madkit_port_info port = the_listed_port();

	is_u64(port.unread, 0, "a port whose files can be read");
	is_u64(port.lid, 3, "... has its LID");
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		broken = files[i].file;
		open_errno = EIO;
		port = the_listed_port();
		is_u64(port.unread, files[i].bit, "%s cannot be read", broken);
		is_int(port.unread_error, -EIO, "... and why");
		is_int((int)port.link_layer,
		       files[i].bit == MADKIT_PORT_LINK_LAYER ? MADKIT_LINK_UNKNOWN : MADKIT_LINK_INFINIBAND,
		       "... the link layer");
		open_errno = ENOENT;
		port = the_listed_port();
		is_u64(port.unread, files[i].bit & ~optional, "a kernel without %s", broken);
		is_int((int)port.link_layer, MADKIT_LINK_INFINIBAND, "... is an InfiniBand one");
		open_errno = EMFILE;
		is_int(ports_list_show(EMFILE, NULL), -EMFILE, "%s needs a descriptor", broken);
		if (files[i].bit & optional)
			continue;
		unplugs = true;
		open_errno = ENODEV;
		is_u64(the_listed_port().port, 0, "the port vanishes with %s", broken);
		unplugs = false;
	}
	broken = NULL;
	open_errno = 0;
}

int main(void)
{
	if (!mkdtemp(top))
		return 1;
	class_make();
	test_exhausted();
	test_port_rate();
	test_port_unread();
	class_remove();
	return tap_done();
}
