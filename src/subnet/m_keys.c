/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cli/cli.h"
#include "cli/text_file.h"
#include "m_keys.h"

/* An entry of a file: "GUID KEY", or "GUID:PORT GUID:PORT". */
struct m_keys_entry {
	uint64_t guid;
	unsigned int port;
	uint64_t value;
	unsigned int line;
};

const struct m_keys_kind m_keys_of_ports = { "--m-key", "guid2mkey", "neighbors" };
const struct m_keys_kind v_keys_of_ports = { "--v-key", "guid2vskey", NULL };

struct m_keys_table {
	struct m_keys_entry *entries; /* sorted */
	size_t n, cap;
};

struct m_keys {
	struct m_keys_table keys, neighbors;
};

enum { M_KEYS_LINES_MAX = 1 << 22 };

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

/* Parses "GUID" or, if port is not NULL, "GUID:PORT". */
static bool m_keys_guid(struct text_word word, uint64_t *guid, unsigned int *port)
{
	const char *colon = port && word.len ? memchr(word.text, ':', word.len) : NULL;
	uint64_t number = 0;

	if (port && !colon)
		return false;
	if (colon && madkit_parse_number(colon + 1, word.len - (size_t)(colon + 1 - word.text), 255, "port",
					 &number, NULL))
		return false;
	if (port)
		*port = (unsigned int)number;
	return !madkit_parse_number(word.text, colon ? (size_t)(colon - word.text) : word.len, UINT64_MAX,
				    "GUID", guid, NULL);
}

static int m_keys_grow(struct m_keys_table *table)
{
	size_t cap = table->cap ? 2 * table->cap : 256;
	struct m_keys_entry *more = calloc(cap, sizeof(*more));

	if (!more)
		return cli_no_memory();
	if (table->n) {
		memcpy(more, table->entries, table->n * sizeof(*more));
		explicit_bzero(table->entries, table->n * sizeof(*more));
	}
	free(table->entries);
	table->entries = more;
	table->cap = cap;
	return EXIT_DONE;
}

/* A file that is being read. */
struct m_keys_file {
	const struct m_keys_kind *kind;
	struct m_keys_table *table;
	bool ports; /* its lines are GUID:PORT GUID:PORT, not GUID KEY */
};

/* Takes one line. A line that is not valid is not shown, because it may contain a key. */
static int m_keys_take_line(void *context, const struct text_line *line)
{
	const struct m_keys_file *file = context;
	struct m_keys_table *table = file->table;
	struct m_keys_entry e = { .port = 0 };
	unsigned int port;
	size_t at = 0;
	struct text_word word = text_word_next(line, &at);
	int status = EXIT_DONE;

	if (!word.len)
		return EXIT_DONE;
	if (!m_keys_guid(word, &e.guid, file->ports ? &e.port : NULL) ||
	    !m_keys_guid(text_word_next(line, &at), &e.value, file->ports ? &port : NULL) ||
	    text_word_next(line, &at).len)
		return cli_usage_error("%s: '%s' line %u is not '%s'", file->kind->option, line->path,
				       line->number, file->ports ? "GUID:PORT GUID:PORT" : "GUID KEY");
	if (table->n == M_KEYS_LINES_MAX)
		return cli_usage_error("%s: '%s' has more than %d entries", file->kind->option, line->path,
				       M_KEYS_LINES_MAX);
	if (table->n == table->cap)
		status = m_keys_grow(table);
	if (!status)
		table->entries[table->n++] = e;
	return status;
}

/* Sorts the entries, and rejects two different entries for one port: it is not known which one is right. */
static int m_keys_sort(const struct m_keys_kind *kind, struct m_keys_table *table, const char *path)
{
	if (table->n)
		qsort(table->entries, table->n, sizeof(*table->entries), m_keys_compare);
	for (size_t i = 1; i < table->n; i++)
		if (!m_keys_compare(&table->entries[i - 1], &table->entries[i]) &&
		    table->entries[i - 1].value != table->entries[i].value)
			return cli_usage_error("%s: '%s' has two lines for 0x%016llx", kind->option, path,
					       (unsigned long long)table->entries[i].guid);
	return EXIT_DONE;
}

static int m_keys_read_file(const struct m_keys_kind *kind, const char *path, bool ports,
			    struct m_keys_table *table)
{
	struct m_keys_file file = { kind, table, ports };
	struct stat st;
	int status;

	if (ports && stat(path, &st) && errno == ENOENT)
		return EXIT_DONE;
	status = text_file_read(path, !ports, m_keys_take_line, &file);
	return status ? status : m_keys_sort(kind, table, path);
}

/* Reads the files of a directory. The one with neighbors may be missing. */
static int m_keys_read_directory(const struct m_keys_kind *kind, const char *path, struct m_keys *k)
{
	char file[PATH_MAX];
	int status;

	if (strlen(path) + sizeof("/guid2vskey") > sizeof(file))
		return cli_usage_error("%s '@%.64s...' is too long", kind->option, path);
	snprintf(file, sizeof(file), "%s/%s", path, kind->file);
	status = m_keys_read_file(kind, file, false, &k->keys);
	if (status || !kind->neighbors)
		return status;
	snprintf(file, sizeof(file), "%s/%s", path, kind->neighbors);
	return m_keys_read_file(kind, file, true, &k->neighbors);
}

int m_keys_read(const struct m_keys_kind *kind, const char *path, struct m_keys **keys)
{
	struct m_keys *k = calloc(1, sizeof(*k));
	struct stat st;
	int status;

	if (!k)
		return cli_no_memory();
	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		status = m_keys_read_file(kind, path, false, &k->keys);
	else
		status = m_keys_read_directory(kind, path, k);
	if (status)
		m_keys_free(k);
	else
		*keys = k;
	return status;
}
