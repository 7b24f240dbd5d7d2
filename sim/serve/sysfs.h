/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files of sysfs are made of: paths, tables of files, and the device and port that a file belongs to. */
#ifndef SIM_SERVE_SYSFS_H
#define SIM_SERVE_SYSFS_H

#include "sim/serve/serve.h"

#define SYSFS_LIFESPAN "lifespan"

/* A file, and the device and port that it belongs to; NULL: none. */
struct owner {
	struct fabric *f;
	const struct devices *devices;
	const struct device *device;
	const struct node *node;
	struct port *port;   /* the node's */
	unsigned int number; /* of the device's port; port->number is the node's */
	const struct file *file;
};

/* The GUIDs of a RoCE device differ from those of the CA in this bit. */
#define GUID_BESIDE (UINT64_C(1) << 41)

static inline bool is_roce(const struct owner *o)
{
	return o->device && o->device->kind == DEVICE_ROCE;
}

static inline uint64_t of_port(const struct owner *o, uint64_t which)
{
	return field_get(which, o->port->info);
}

static inline uint64_t of_node(const struct owner *o, uint64_t which)
{
	return field_get(which, o->node->info);
}

/* ---- sysfs_path.c ---------------------------------------------------------------------- */

/* Its content is text, or what put() appends. */
struct file {
	const char *name;
	const char *text;
	void (*put)(const struct owner *o, struct madkit_buf *buf);
	/* What write() does. 0; -errno. NULL: the file is read-only. */
	int (*store)(const struct owner *o, const char *bytes, size_t n);
};

/* A path, word by word. */
struct path {
	const char *p, *end;
	const char *word;
	size_t len;
	bool dir; /* the word has a "/" behind it */
};

/* The next word; false: the path ends here, as that of a directory does. */
bool sim_sysfs_next_word(struct path *path);
bool sim_sysfs_word_is(const struct path *path, const char *word);
/* The word, or the rest of it, is a number below limit, written as the kernel does. */
bool sim_sysfs_word_number(const struct path *path, const char *prefix, unsigned int limit, unsigned int *n);
/* Appends the content of the file that the word names, and sets o->file. 0; -ENOENT. */
int sim_sysfs_put_file(const struct file *files, const struct path *path, struct owner *o,
		       struct madkit_buf *buf);
/* A directory: its files, and after them its directories, a line each. Returns 0. */
int sim_sysfs_list(const struct file *files, const char *directories, struct madkit_buf *buf);

void sim_sysfs_put_guid(struct madkit_buf *buf, uint64_t guid);
void sim_sysfs_put_name(struct madkit_buf *buf, const char *const *names, size_t n, uint64_t value);

/* ---- sysfs_port.c ---------------------------------------------------------------------- */

/* The active speed; the kernel takes an unknown one for SDR. */
unsigned int sim_sysfs_speed(const struct owner *o);
unsigned int sim_sysfs_lanes(const struct owner *o);
/* What is below the directory of a port. */
int sim_sysfs_read_port(struct owner *o, struct path *path, struct madkit_buf *buf);

#endif
