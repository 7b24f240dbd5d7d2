/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE /* statx() */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <madkit/mad.h>
#include "holders.h"
#include "util/array_size.h"

static void read_command(const char *pid, char command[64])
{
	char path[300];
	FILE *file;

	command[0] = 0;
	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(command, 64, file))
		command[strcspn(command, "\n")] = 0;
	fclose(file);
}

/* Returns 1 if the process has the node open, 0 if not, -EACCES if that cannot be seen. */
static int holders_have_open(const char *pid, const char *node)
{
	char path[600], target[300];
	struct dirent *entry;
	int ret = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	dir = opendir(path);
	if (!dir)
		return errno == EACCES || errno == EPERM ? -EACCES : 0;
	while (!ret && (entry = readdir(dir))) {
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/%s/fd/%s", pid, entry->d_name);
		n = readlink(path, target, sizeof(target) - 1);
		if (n <= 0)
			continue;
		target[n] = 0;
		ret = !strcmp(target, node);
	}
	closedir(dir);
	return ret;
}

static int holders_add_process(struct holders *h, const char *pid)
{
	struct holder *list = realloc(h->list, (h->n + 1) * sizeof(*list));

	if (!list)
		return -ENOMEM;
	h->list = list;
	list[h->n].pid = (pid_t)strtol(pid, NULL, 10);
	read_command(pid, list[h->n].command);
	h->n++;
	return 0;
}

/* Checks if the node is provided by a preloaded library (madsim's), and not by the kernel: the descriptors of
 * such a node are sockets, and its name is not in /proc. */
static bool holders_simulated(const struct madkit_port_info *port, const char *path)
{
	struct statx kernel;
	struct stat st;

	/* every port of this machine has a device node */
	if (!*port->umad_path)
		return true;
	if (!*path || stat(path, &st))
		return false;
	if (syscall(SYS_statx, AT_FDCWD, path, 0, STATX_INO, &kernel))
		return errno == ENOENT;
	return kernel.stx_ino != st.st_ino ||
	       makedev(kernel.stx_dev_major, kernel.stx_dev_minor) != st.st_dev;
}

int holders_find(const struct madkit_port_info *port, const char *path, struct holders *h)
{
	struct dirent *entry;
	char self[16];
	int ret = 0;
	DIR *dir;

	memset(h, 0, sizeof(*h));
	h->simulated = holders_simulated(port, path);
	if (h->simulated)
		return 0;
	dir = opendir("/proc");
	if (!dir)
		return -errno;
	snprintf(self, sizeof(self), "%d", (int)getpid());
	while (!ret && *path && (entry = readdir(dir))) {
		int open;

		if (!isdigit((unsigned char)entry->d_name[0]) || !strcmp(entry->d_name, self))
			continue;
		open = holders_have_open(entry->d_name, path);
		h->unreadable += open < 0;
		if (open > 0)
			ret = holders_add_process(h, entry->d_name);
	}
	closedir(dir);
	return ret;
}

void holders_free(struct holders *h)
{
	free(h->list);
	memset(h, 0, sizeof(*h));
}

/* From drivers/infiniband of Linux: core/cm.c and ulp/srpt/ib_srpt.c. */
static const struct kernel_client clients[] = {
	{ MADKIT_CLASS_CM, "ib_cm", 1 << MADKIT_METHOD_SEND },
	{ MADKIT_CLASS_DEVICE, "ib_srpt", 1 << MADKIT_METHOD_GET | 1 << MADKIT_METHOD_SET },
};

int holders_find_class(const struct madkit_port_info *port, uint8_t mgmt_class, struct holders *h)
{
	int ret = holders_find(port, port->umad_path, h);
	char path[64];

	for (size_t i = 0; !h->simulated && i < ARRAY_SIZE(clients); i++) {
		if (clients[i].mgmt_class != mgmt_class)
			continue;
		snprintf(path, sizeof(path), "/sys/module/%s", clients[i].module);
		h->client = &clients[i];
		h->client_loaded = !access(path, F_OK);
	}
	return ret;
}

void holders_write(const struct holders *h, const char *key, struct madkit_writer *w,
		   void (*client)(const void *context, struct madkit_writer *w), const void *context)
{
	if (h->simulated) {
		madkit_writer_null(w, key);
		madkit_writer_null(w, "processes_not_seen");
		return;
	}
	madkit_writer_array(w, key);
	if (h->client) {
		madkit_writer_object(w, NULL);
		madkit_writer_string(w, "kernel_module", h->client->module);
		madkit_writer_bool(w, "loaded", h->client_loaded);
		if (client)
			client(context, w);
		madkit_writer_close(w);
	}
	for (size_t i = 0; i < h->n; i++) {
		madkit_writer_object(w, NULL);
		madkit_writer_number(w, "pid", (uint64_t)h->list[i].pid);
		madkit_writer_string(w, "command", h->list[i].command);
		madkit_writer_close(w);
	}
	madkit_writer_close(w);
	madkit_writer_number(w, "processes_not_seen", h->unreadable);
}

/* Appends to text, which has size bytes; what does not fit is cut. */
__attribute__((format(printf, 3, 4))) static void holders_add(char *text, size_t size, const char *format,
							      ...)
{
	size_t n = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + n, size - n, format, args);
	va_end(args);
}

void holders_explain(const struct holders *h, const struct madkit_port_info *port, char *text, size_t size)
{
	const char *begin = "; it may be held by ";

	text[0] = 0;
	if (h->simulated) {
		holders_add(text, size, "; the holder is " HOLDERS_SIMULATED);
		return;
	}
	if (h->client) {
		holders_add(text, size, "%skernel module %s", begin, h->client->module);
		begin = ", ";
	}
	for (size_t i = 0; i < h->n; i++) {
		holders_add(text, size, "%s%s (pid %d)", begin, h->list[i].command, (int)h->list[i].pid);
		begin = ", ";
	}
	if (h->n)
		holders_add(text, size, ", which %s %s open", h->n > 1 ? "have" : "has", port->umad_path);
	if (h->unreadable)
		holders_add(text, size, "%sone of %zu processes that this user may not inspect",
			    begin[0] == ';' ? begin : ", or ", h->unreadable);
}
