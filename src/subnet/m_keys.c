/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cli/cli.h"
#include "cli/input.h"
#include "m_keys.h"
#include "cli/wait.h"

/* An entry of a file: "GUID KEY", or "GUID:PORT GUID:PORT". */
struct m_keys_entry {
	uint64_t guid;
	unsigned int port;
	uint64_t value;
	unsigned int line;
};

struct m_keys_table {
	struct m_keys_entry *entries; /* sorted */
	size_t n, cap;
};

struct m_keys {
	struct m_keys_table keys, neighbors;
};

enum { M_KEYS_LINES_MAX = 1 << 22, M_KEYS_LINE_MAX = 256 };

static int m_keys_compare(const void *a, const void *b)
{
	const struct m_keys_entry *p = a, *q = b;

	if (p->guid != q->guid)
		return p->guid < q->guid ? -1 : 1;
	return p->port < q->port ? -1 : p->port > q->port;
}

static const struct m_keys_entry *m_keys_find(const struct m_keys_table *table, uint64_t guid,
					      unsigned int port)
{
	const struct m_keys_entry key = { .guid = guid, .port = port };

	return table->n ? bsearch(&key, table->entries, table->n, sizeof(key), m_keys_compare) : NULL;
}

uint64_t m_keys_of(const struct m_keys *keys, uint64_t port_guid, uint64_t node_guid)
{
	const struct m_keys_entry *e = m_keys_find(&keys->keys, port_guid, 0);

	if (!e)
		e = m_keys_find(&keys->keys, node_guid, 0);
	return e ? e->value : 0;
}

bool m_keys_have_neighbors(const struct m_keys *keys)
{
	return keys->neighbors.n;
}

uint64_t m_keys_behind(const struct m_keys *keys, uint64_t port_guid, uint64_t node_guid, unsigned int port)
{
	const struct m_keys_entry *e = m_keys_find(&keys->neighbors, port_guid, port);

	if (!e)
		e = m_keys_find(&keys->neighbors, node_guid, port);
	return e ? m_keys_of(keys, e->value, e->value) : 0;
}

void m_keys_free(struct m_keys *keys)
{
	if (!keys)
		return;
	if (keys->keys.entries)
		explicit_bzero(keys->keys.entries, keys->keys.cap * sizeof(*keys->keys.entries));
	free(keys->keys.entries);
	free(keys->neighbors.entries);
	free(keys);
}

/* ---- lines ------------------------------------------------------------------------- */

/* Reads a word, up to a blank, and moves *p behind it. Returns the length of the word. */
static size_t m_keys_word(const char **p, const char *end)
{
	const char *begin;

	while (*p < end && (**p == ' ' || **p == '\t'))
		++*p;
	begin = *p;
	while (*p < end && **p != ' ' && **p != '\t' && **p != '\r')
		++*p;
	return (size_t)(*p - begin);
}

/* Parses "GUID" or, if port is not NULL, "GUID:PORT". */
static bool m_keys_guid(const char *word, size_t len, uint64_t *guid, unsigned int *port)
{
	const char *colon = port ? memchr(word, ':', len) : NULL;
	uint64_t number = 0;

	if (port && !colon)
		return false;
	if (colon &&
	    madkit_parse_number(colon + 1, len - (size_t)(colon + 1 - word), 255, "port", &number, NULL))
		return false;
	if (port)
		*port = (unsigned int)number;
	return !madkit_parse_number(word, colon ? (size_t)(colon - word) : len, UINT64_MAX, "GUID", guid,
				    NULL);
}

static bool m_keys_parse(const char *line, const char *end, bool ports, struct m_keys_entry *e)
{
	const char *p = line;
	size_t len = m_keys_word(&p, end);
	const char *first = p - len, *second;
	unsigned int port;

	if (!m_keys_guid(first, len, &e->guid, ports ? &e->port : NULL))
		return false;
	len = m_keys_word(&p, end);
	second = p - len;
	if (!m_keys_guid(second, len, &e->value, ports ? &port : NULL))
		return false;
	return !m_keys_word(&p, end);
}

/* Reads one line. Returns 0; -EINVAL if it is not valid (it is not shown, because it may contain a key);
 * -EFBIG if there are too many lines; or -ENOMEM. */
static int m_keys_add(struct m_keys_table *table, const char *line, const char *end, bool ports)
{
	struct m_keys_entry e = { .port = 0 };
	const char *p = line;

	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r'))
		p++;
	if (p == end || *p == '#')
		return 0;
	if (!m_keys_parse(p, end, ports, &e))
		return -EINVAL;
	if (table->n == M_KEYS_LINES_MAX)
		return -EFBIG;
	if (table->n == table->cap) {
		size_t cap = table->cap ? 2 * table->cap : 256;
		struct m_keys_entry *more = calloc(cap, sizeof(*more));

		if (!more)
			return -ENOMEM;
		if (table->n) {
			memcpy(more, table->entries, table->n * sizeof(*more));
			explicit_bzero(table->entries, table->n * sizeof(*more));
		}
		free(table->entries);
		table->entries = more;
		table->cap = cap;
	}
	table->entries[table->n++] = e;
	return 0;
}

static int m_keys_add_lines(struct m_keys_table *table, struct input *in, const char *path, bool ports)
{
	unsigned int number = 0;
	int ret;

	do {
		const char *line, *end;

		/* reading a file that never ends does not block */
		ret = wait_error();
		if (ret)
			break;

		while ((line = (const char *)input_bytes(in)) && input_have(in) &&
		       ((end = memchr(line, '\n', input_have(in))) || in->eof)) {
			size_t len = end ? (size_t)(end - line) : input_have(in);

			number++;
			ret = m_keys_add(table, line, line + len, ports);
			if (ret == -EINVAL)
				return cli_usage_error("--m-key: '%s' line %u is not '%s'", path, number,
						       ports ? "GUID:PORT GUID:PORT" : "GUID KEY");
			if (ret == -EFBIG)
				return cli_usage_error("--m-key: '%s' has more than %d entries", path,
						       M_KEYS_LINES_MAX);
			if (ret)
				return cli_no_memory();
			in->used += len + (end != NULL);
		}
		if (in->eof && !input_have(in))
			return EXIT_DONE;
		if (input_have(in) > M_KEYS_LINE_MAX)
			return cli_usage_error("--m-key: '%s' line %u is too long", path, number + 1);
		ret = input_read(in);
	} while (ret >= 0);
	if (ret == -EINTR && cli_stopped())
		return cli_stopped_status();
	return cli_failed(ret, "cannot read '%s'", path);
}

/* Sorts the entries, and rejects two different entries for one port: it is not known which one is right. */
static int m_keys_sort(struct m_keys_table *table, const char *path)
{
	if (table->n)
		qsort(table->entries, table->n, sizeof(*table->entries), m_keys_compare);
	for (size_t i = 1; i < table->n; i++)
		if (!m_keys_compare(&table->entries[i - 1], &table->entries[i]) &&
		    table->entries[i - 1].value != table->entries[i].value)
			return cli_usage_error("--m-key: '%s' has two lines for 0x%016llx", path,
					       (unsigned long long)table->entries[i].guid);
	return EXIT_DONE;
}

static int m_keys_read_file(const char *path, bool ports, bool optional, struct m_keys_table *table)
{
	int fd = wait_open(path, O_RDONLY | O_CLOEXEC, 0), status;
	struct input in;

	if (fd == -ENOENT && optional)
		return EXIT_DONE;
	if (fd == -EINTR && cli_stopped())
		return cli_stopped_status();
	if (fd < 0)
		return cli_failed(fd, "cannot read '%s'", path);
	if (!ports)
		input_check_keys(fd, path);
	input_init(&in, fd);
	status = m_keys_add_lines(table, &in, path, ports);
	input_close(&in);
	return status ? status : m_keys_sort(table, path);
}

int m_keys_read(const char *path, struct m_keys **keys)
{
	struct m_keys *k = calloc(1, sizeof(*k));
	char file[PATH_MAX];
	struct stat st;
	int status;

	if (!k)
		return cli_no_memory();
	if (stat(path, &st) || !S_ISDIR(st.st_mode)) {
		status = m_keys_read_file(path, false, false, &k->keys);
	} else if (strlen(path) + sizeof("/guid2mkey") > sizeof(file)) {
		status = cli_usage_error("--m-key '@%.64s...' is too long", path);
	} else {
		snprintf(file, sizeof(file), "%s/guid2mkey", path);
		status = m_keys_read_file(file, false, false, &k->keys);
		snprintf(file, sizeof(file), "%s/neighbors", path);
		if (!status)
			status = m_keys_read_file(file, true, true, &k->neighbors);
	}
	if (status)
		m_keys_free(k);
	else
		*keys = k;
	return status;
}
