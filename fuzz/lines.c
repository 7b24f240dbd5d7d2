/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lines of a descriptor (src/cli/lines.c), written in pieces, against the lines of the whole text.
 * The limit of a line is small here, so that lines exceed it (LINES_MAX_BYTES).
 */
#define _GNU_SOURCE /* memfd_create() */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "fuzz/file.h"
#include "cli/lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct expected {
	const char *p;
	size_t left;
	uint64_t number;
};

/* The next line of the whole text, or fewer than n bytes of it. */
static size_t expected_line(struct expected *e)
{
	const char *newline = e->left ? memchr(e->p, '\n', e->left) : NULL;

	e->number++;
	return newline ? (size_t)(newline - e->p) + 1 : e->left;
}

static void fuzz_lines_check_line(struct expected *e, const struct lines *l, int ret, const char *line,
				  size_t len)
{
	size_t n = expected_line(e);

	if (!n || l->number != e->number)
		fuzz_die("a line that the text has not");
	if ((ret == -EFBIG) != (n - (e->p[n - 1] == '\n') > LINES_MAX_BYTES))
		fuzz_die("a line's length depends on the sizes of reads");
	if (ret > 0 && (len != n || memcmp(line, e->p, n) != 0))
		fuzz_die("another line");
	e->p += n;
	e->left -= n;
}

/* Each byte behind a 0x01 is the size of the next write. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct expected e = { (const char *)data, size < 60000 ? size : 60000, 0 };
	size_t left = e.left, at = 0;
	struct lines l;
	int fds[2];

	if (pipe(fds))
		abort();
	lines_init(&l, fds[0]);
	do {
		const char *line = NULL;
		size_t len = 0, n = left > 1 && data[at] == 1 ? data[at + 1] % 64 + 1u : left;
		int ret;

		n = n < left ? n : left;
		if (n && write(fds[1], data + at, n) != (ssize_t)n)
			abort();
		at += n;
		left -= n;
		if (!left)
			close(fds[1]);
		if (lines_fill(&l, 1000))
			fuzz_die("cannot be read");
		if (!left && lines_fill(&l, 1000))
			fuzz_die("has no end");
		while ((ret = lines_next(&l, &line, &len)))
			fuzz_lines_check_line(&e, &l, ret, line, len);
	} while (left);
	if (!lines_done(&l) || e.left)
		fuzz_die("a rest is left");
	lines_close(&l);
	return 0;
}
