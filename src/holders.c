/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <madkit/mad.h>
#include "holders.h"

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

/* 1 it has the node open, 0 not, -EACCES not to be seen. */
static int has_open(const char *pid, const char *node)
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

static int add(struct holders *h, const char *pid)
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

int holders_find(const char *path, struct holders *h)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	char self[16];
	int ret = 0;

	memset(h, 0, sizeof(*h));
	if (!dir)
		return -errno;
	snprintf(self, sizeof(self), "%d", (int)getpid());
	while (!ret && *path && (entry = readdir(dir))) {
		int open;

		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    !strcmp(entry->d_name, self))
			continue;
		open = has_open(entry->d_name, path);
		h->unreadable += open < 0;
		if (open > 0)
			ret = add(h, entry->d_name);
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
	{ MADKIT_CLASS_DEVICE, "ib_srpt",
	  1 << MADKIT_METHOD_GET | 1 << MADKIT_METHOD_SET },
};

const struct kernel_client *kernel_client_find(uint8_t mgmt_class, bool *loaded)
{
	char path[64];

	for (size_t i = 0; i < sizeof(clients) / sizeof(clients[0]); i++) {
		if (clients[i].mgmt_class != mgmt_class)
			continue;
		snprintf(path, sizeof(path), "/sys/module/%s", clients[i].module);
		*loaded = !access(path, F_OK);
		return &clients[i];
	}
	return NULL;
}
