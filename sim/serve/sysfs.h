/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Building blocks of the files of sysfs: paths, tables of files, and the device and port that a file belongs
 * to. */
#ifndef SIM_SERVE_SYSFS_H
#define SIM_SERVE_SYSFS_H

#include "sim/serve/serve.h"

#define SYSFS_LIFESPAN "lifespan"

/* A file, and the device and port that it belongs to; NULL if there is none. */
struct owner {
	struct fabric *f;
	const struct devices *devices;
	const struct device *device;
	const struct node *node;
	struct port *port;   /* the port of the node */
	unsigned int number; /* of the device's port; the node's has port->number */
	const struct file *file;
};

/* The GUIDs of a RoCE device differ from those of its CA in this bit. */
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

/* A file. Its content is text, or is appended by put(). */
struct file {
	const char *name;
	const char *text;
	void (*put)(const struct owner *o, struct madkit_buf *buf);
	/* Executes a write(). 0; -errno. NULL: the file is read-only. */
	int (*store)(const struct owner *o, const char *bytes, size_t n);
};

/* A path that is read word by word. */
struct path {
	const char *p, *end;
	const char *word;
	size_t len;
	bool dir; /* a "/" follows the word */
};

/* Reads the next word. Returns false at the end of the path, which then is that of a directory. */
bool sim_sysfs_next_word(struct path *path);
bool sim_sysfs_word_is(const struct path *path, const char *word);
/* Checks if the word is prefix and a number below limit, without leading zeros, as the kernel writes it. */
bool sim_sysfs_word_number(const struct path *path, const char *prefix, unsigned int limit, unsigned int *n);
/* Appends the content of the file that the word names, and sets o->file. 0; -ENOENT. */
int sim_sysfs_put_file(const struct file *files, const struct path *path, struct owner *o,
		       struct madkit_buf *buf);
/* Appends the names in a directory, one per line: the files, then the directories. Returns 0. */
int sim_sysfs_list(const struct file *files, const char *directories, struct madkit_buf *buf);

void sim_sysfs_put_guid(struct madkit_buf *buf, uint64_t guid);
void sim_sysfs_put_name(struct madkit_buf *buf, const char *const *names, size_t n, uint64_t value);

/* ---- sysfs_port.c ---------------------------------------------------------------------- */

/* Returns the active speed. The kernel reports an unknown speed as SDR. */
unsigned int sim_sysfs_speed(const struct owner *o);
unsigned int sim_sysfs_lanes(const struct owner *o);
/* Reads a file or a directory below the directory of a port. */
int sim_sysfs_read_port(struct owner *o, struct path *path, struct madkit_buf *buf);

#endif
