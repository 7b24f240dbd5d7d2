/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Paths of sysfs, and functions that several directories use to write their files. */
#include <errno.h>
#include <string.h>
#include "sim/serve/sysfs.h"

bool sim_sysfs_next_word(struct path *path)
{
	const char *slash;

	if (path->p == path->end)
		return false;
	slash = memchr(path->p, '/', (size_t)(path->end - path->p));
	path->word = path->p;
	path->dir = slash;
	path->len = (size_t)((slash ? slash : path->end) - path->p);
	path->p = slash ? slash + 1 : path->end;
	return true;
}

bool sim_sysfs_word_is(const struct path *path, const char *word)
{
	return path->len == strlen(word) && !memcmp(path->word, word, path->len);
}

bool sim_sysfs_word_number(const struct path *path, const char *prefix, unsigned int limit, unsigned int *n)
{
	size_t skip = strlen(prefix);

	*n = 0;
	if (path->len <= skip || path->len > skip + 5 || memcmp(path->word, prefix, skip) ||
	    (path->word[skip] == '0' && path->len > skip + 1))
		return false;
	for (size_t i = skip; i < path->len; i++) {
		if (path->word[i] < '0' || path->word[i] > '9')
			return false;
		*n = *n * 10 + (unsigned int)(path->word[i] - '0');
	}
	return *n < limit;
}

int sim_sysfs_put_file(const struct file *files, const struct path *path, struct owner *o,
		       struct madkit_buf *buf)
{
	if (path->dir)
		return -ENOENT;
	while (files->name && !sim_sysfs_word_is(path, files->name))
		files++;
	if (!files->name)
		return -ENOENT;
	o->file = files;
	if (files->text)
		madkit_buf_str(buf, files->text);
	else
		files->put(o, buf);
	return 0;
}

int sim_sysfs_list(const struct file *files, const char *directories, struct madkit_buf *buf)
{
	for (; files->name; files++)
		madkit_buf_printf(buf, "%s\n", files->name);
	madkit_buf_str(buf, directories);
	return 0;
}

void sim_sysfs_put_guid(struct madkit_buf *buf, uint64_t guid)
{
	madkit_buf_printf(buf, "%04x:%04x:%04x:%04x\n", (unsigned int)(guid >> 48 & 0xffff),
			  (unsigned int)(guid >> 32 & 0xffff), (unsigned int)(guid >> 16 & 0xffff),
			  (unsigned int)(guid & 0xffff));
}

void sim_sysfs_put_name(struct madkit_buf *buf, const char *const *names, size_t n, uint64_t value)
{
	madkit_buf_printf(buf, "%u: %s\n", (unsigned int)value,
			  value < n && names[value] ? names[value] : "<unknown>");
}
