/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The descriptors of the simulation. Each is recognised by its socket, whatever its number, and also after
 * dup() or fork(). */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sim/preload/next.h"
#include "sim/preload/shim.h"

/*
 * A table without a lock. An entry is free, or claimed by the thread that fills it in, or published with the
 * inode number of its socket. An inode number is not reused while a descriptor of the inode is open.
 * Therefore an entry that matches an open descriptor does not change.
 */
enum { ENTRY_FREE, ENTRY_CLAIMED }; /* no socket has these inode numbers */
enum {
	ENTRY_PKEY = 1,   /* headers have pkey_index */
	ENTRY_USED = 2,   /* has had an agent: pkey_index can no longer be enabled */
	ENTRY_UNSEEN = 4, /* not seen yet by the scan for unused entries */
	ENTRY_SYSFS = 8,  /* a file of sysfs, not a device */
};

struct entry {
	uint64_t ino;
	dev_t dev;
	uint64_t token;
	uint32_t flags;
};

enum { CHUNK = 120 };

static struct chunk {
	struct entry entries[CHUNK];
	struct chunk *next;
} chunks;

static unsigned int files_count; /* entries that are not free */
static bool files_sweeping;

static struct chunk *chunk_next(struct chunk *chunk)
{
	return __atomic_load_n(&chunk->next, __ATOMIC_ACQUIRE);
}

static struct entry *entry_of(int fd)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISSOCK(st.st_mode))
		return NULL;
	for (struct chunk *c = &chunks; c; c = chunk_next(c))
		for (unsigned int i = 0; i < CHUNK; i++)
			if (__atomic_load_n(&c->entries[i].ino, __ATOMIC_ACQUIRE) == st.st_ino &&
			    c->entries[i].dev == st.st_dev)
				return &c->entries[i];
	return NULL;
}

static uint32_t entry_set(struct entry *entry, uint32_t flag)
{
	return __atomic_fetch_or(&entry->flags, flag, __ATOMIC_RELAXED);
}

static struct entry *entry_claim(void)
{
	for (struct chunk *c = &chunks; c; c = chunk_next(c))
		for (unsigned int i = 0; i < CHUNK; i++) {
			uint64_t expected = ENTRY_FREE;

			if (__atomic_compare_exchange_n(&c->entries[i].ino, &expected, ENTRY_CLAIMED, false,
							__ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
				__atomic_add_fetch(&files_count, 1, __ATOMIC_RELAXED);
				return &c->entries[i];
			}
		}
	return NULL;
}

static void entry_free(struct entry *entry)
{
	__atomic_store_n(&entry->ino, ENTRY_FREE, __ATOMIC_RELEASE);
	__atomic_sub_fetch(&files_count, 1, __ATOMIC_RELAXED);
}

/* Calls call() for each published entry. */
static void files_each_entry(void (*call)(struct entry *entry))
{
	for (struct chunk *c = &chunks; c; c = chunk_next(c))
		for (unsigned int i = 0; i < CHUNK; i++)
			if (__atomic_load_n(&c->entries[i].ino, __ATOMIC_ACQUIRE) > ENTRY_CLAIMED)
				call(&c->entries[i]);
}

static void entry_mark(struct entry *entry)
{
	entry_set(entry, ENTRY_UNSEEN);
}

/* Frees an entry that the scan has not seen, if the server does not know its file. The server still knows a
 * device's file if a descriptor was duplicated or passed on during the scan. */
static void entry_sweep(struct entry *entry)
{
	/* no agent has this id */
	struct sim_call c = {
		.call = { .op = PROTO_UNREGISTER, .file = entry->token, .arg = UINT32_MAX },
	};

	if (!(__atomic_load_n(&entry->flags, __ATOMIC_RELAXED) & ENTRY_UNSEEN))
		return;
	/* the server does not know the file, or is gone */
	if (shim_call(&c, -EBADF) == -EBADF)
		entry_free(entry);
}

/* Marks the entry of each descriptor as seen. names: a buffer of getdents64(). */
static void files_see_entry(const char *names, size_t len)
{
	struct dirent64 d;

	for (size_t at = 0; at < len; at += d.d_reclen) {
		const char *name = names + at + offsetof(struct dirent64, d_name);
		struct entry *entry;
		int fd = 0;

		memcpy(&d, names + at, offsetof(struct dirent64, d_name));
		if (*name < '0' || *name > '9')
			continue;
		for (; *name; name++)
			fd = 10 * fd + (*name - '0');
		entry = entry_of(fd);
		if (entry)
			__atomic_fetch_and(&entry->flags, ~(uint32_t)ENTRY_UNSEEN, __ATOMIC_RELAXED);
	}
}

/* Frees the entries of files without a descriptor. */
static void files_sweep(void)
{
	_Alignas(struct dirent64) char names[1024];
	ssize_t n;
	int fd;

	if (__atomic_exchange_n(&files_sweeping, true, __ATOMIC_ACQUIRE))
		return;
	fd = NEXT(openat)(AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (fd >= 0) {
		files_each_entry(entry_mark);
		while ((n = getdents64(fd, names, sizeof(names))) > 0)
			files_see_entry(names, (size_t)n);
		close(fd);
		if (!n)
			files_each_entry(entry_sweep);
	}
	__atomic_store_n(&files_sweeping, false, __ATOMIC_RELEASE);
}

/* Adds a chunk and claims its first entry, which it returns; NULL: no memory. */
static struct entry *chunk_add(void)
{
	struct chunk *chunk = shim_map(sizeof(*chunk));

	if (!chunk)
		return NULL;
	chunk->entries[0].ino = ENTRY_CLAIMED;
	__atomic_add_fetch(&files_count, 1, __ATOMIC_RELAXED);
	chunk->next = chunk_next(&chunks);
	while (!__atomic_compare_exchange_n(&chunks.next, &chunk->next, chunk, false, __ATOMIC_RELEASE,
					    __ATOMIC_ACQUIRE))
		;
	return &chunk->entries[0];
}

int shim_file_add(int fd, enum shim_kind kind, uint64_t token)
{
	struct entry *entry = entry_claim();
	struct stat st;

	if (!entry) {
		files_sweep();
		entry = entry_claim();
	}
	if (!entry)
		entry = chunk_add();
	if (!entry)
		return -ENOMEM;
	if (fstat(fd, &st)) {
		entry_free(entry);
		return -EBADF;
	}
	entry->dev = st.st_dev;
	entry->token = token;
	entry->flags = kind == SHIM_SYSFS ? ENTRY_SYSFS : 0;
	__atomic_store_n(&entry->ino, st.st_ino, __ATOMIC_RELEASE);
	return 0;
}

enum shim_kind shim_file(int fd, struct shim_file *file)
{
	int saved = errno;
	struct entry *entry;
	uint32_t flags;

	if (!__atomic_load_n(&files_count, __ATOMIC_RELAXED))
		return SHIM_ELSEWHERE;
	entry = entry_of(fd);
	errno = saved;
	if (!entry)
		return SHIM_ELSEWHERE;
	flags = __atomic_load_n(&entry->flags, __ATOMIC_RELAXED);
	file->token = entry->token;
	file->pkey = flags & ENTRY_PKEY;
	return flags & ENTRY_SYSFS ? SHIM_SYSFS : SHIM_UMAD;
}

void shim_file_used(int fd)
{
	struct entry *entry = entry_of(fd);

	if (entry)
		entry_set(entry, ENTRY_USED);
}

int shim_file_enable_pkey(int fd)
{
	struct entry *entry = entry_of(fd);
	uint32_t flags;

	if (!entry)
		return -EBADF;
	flags = __atomic_load_n(&entry->flags, __ATOMIC_RELAXED);
	do
		if (flags & ENTRY_USED)
			return -EINVAL;
	while (!__atomic_compare_exchange_n(&entry->flags, &flags, flags | ENTRY_PKEY, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return 0;
}

static void files_after_fork_in_child(void)
{
	files_sweeping = false;
}

/* Recognises a standard output that is a file of sysfs: a shell opened it before it executed this program. */
static void files_inherit(void)
{
	struct sim_call c = { .call = { .op = PROTO_STORED } };
	socklen_t len = sizeof(int);
	struct stat st;
	int type;

	if (!shim_socket() || getsockopt(STDOUT_FILENO, SOL_SOCKET, SO_TYPE, &type, &len) ||
	    type != SOCK_SEQPACKET || fstat(STDOUT_FILENO, &st))
		return;
	c.call.file = st.st_ino;
	if (!shim_call(&c, -ENODEV))
		shim_file_add(STDOUT_FILENO, SHIM_SYSFS, st.st_ino);
}

__attribute__((constructor)) static void files_begin(void)
{
	files_inherit();
	pthread_atfork(NULL, NULL, files_after_fork_in_child);
}
