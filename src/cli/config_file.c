/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include "config_file.h"
#include "input.h"
#include "lines.h"
#include "wait.h"

/* infiniband-diags reads at most this much of a line. */
#define LINE_BYTES 1024

static char *config_trim(char *s)
{
	size_t n;

	s += strspn(s, " \t");
	n = strlen(s);
	while (n && strchr(" \t\r\n", s[n - 1]))
		s[--n] = 0;
	return s;
}

static int config_number(const char *value, uint64_t max, const char *what, uint64_t *out,
			 struct madkit_error *error)
{
	return madkit_parse_number(value, strlen(value), max, what, out, error);
}

static int config_set(struct cli_options *o, const char *key, const char *value, struct madkit_error *error)
{
	uint64_t n;
	int ret = 0;

	if (!strcmp(key, "CA")) {
		static char ca[64];

		if (strlen(value) >= sizeof(ca))
			ret = madkit_error_set(error, -EINVAL, -1, "the name of the CA is too long");
		else
			o->port.default_ca = strcpy(ca, value);
	} else if (!strcmp(key, "Port")) {
		ret = config_number(value, 255, key, &n, error);
		if (!ret)
			o->port.default_number = (unsigned int)n;
	} else if (!strcmp(key, "timeout")) {
		ret = config_number(value, INT32_MAX, key, &n, error);
		if (!ret && !n)
			ret = madkit_error_set(error, -EINVAL, -1, "timeout is 0");
		if (!ret && !o->timing.have_timeout)
			o->timing.timeout_ms = (uint32_t)n;
	} else if (!strcmp(key, "m_key")) {
		ret = config_number(value, UINT64_MAX, key, &n, NULL);
		if (ret)
			madkit_error_set(error, ret, -1, "m_key is not a number");
		else if (!o->manager.have_m_key)
			o->manager.m_key = n;
	} else if (!strcmp(key, "sa_key")) {
		ret = config_number(value, UINT64_MAX, key, &n, NULL);
		if (ret)
			madkit_error_set(error, ret, -1, "sa_key is not a number");
		else if (!o->manager.have_sm_key)
			o->manager.sm_key = n;
	}
	return ret;
}

/* Handles one line of the file; text is a copy of it, which is changed. */
static int config_line(struct cli_options *o, char *text, struct madkit_error *error)
{
	char *key = config_trim(text), *value = strchr(key, '=');

	if (!*key || *key == '#')
		return 0;
	if (!value) {
		/* without the rest of the line, which may be a secret */
		key[strcspn(key, " \t:;,0123456789")] = 0;
		return madkit_error_set(error, -EINVAL, -1, "no '=' after '%.40s'", key);
	}
	*value++ = 0;
	return config_set(o, config_trim(key), config_trim(value), error);
}

/* Rejects NUL bytes and lines that are too long. A comment may be of any length, in any encoding. */
static int config_check(const char *line, size_t len, struct madkit_error *error)
{
	const char *nul = memchr(line, 0, len);

	if (nul)
		return madkit_error_set(error, -EINVAL, -1, "a NUL byte in column %zu: not a text file",
					nul - line + 1);
	if (len >= LINE_BYTES && line[strspn(line, " \t")] != '#')
		return madkit_error_set(error, -EINVAL, -1, "longer than %d bytes", LINE_BYTES - 1);
	return 0;
}

int config_file_read(const char *path, struct cli_options *options, struct madkit_error *error)
{
	struct madkit_error inner = { .text = "" };
	const uint64_t m_key = options->manager.m_key, sm_key = options->manager.sm_key;
	struct lines lines;
	const char *line;
	char text[LINE_BYTES];
	size_t len;
	int fd = wait_open(path, O_RDONLY | O_CLOEXEC, 0), ret = fd < 0 ? fd : 0, bad = 0;

	lines_init(&lines, fd);
	while (!ret && !bad && !lines_done(&lines)) {
		bad = lines_next(&lines, &line, &len);
		if (bad > 0) {
			bad = config_check(line, len, &inner);
			if (!bad && len < sizeof(text)) {
				memcpy(text, line, len);
				text[len] = 0;
				bad = config_line(options, text, &inner);
			}
		} else if (bad < 0) {
			madkit_error_set(&inner, bad, -1, "longer than %d bytes", LINE_BYTES - 1);
		} else {
			ret = wait_over() ? wait_over() : lines_fill(&lines, -1);
		}
	}
	if (bad)
		ret = madkit_error_set(error, -EINVAL, -1, "%.100s line %llu: %.110s", path,
				       (unsigned long long)lines.number, inner.text);
	else if (ret)
		madkit_error_set(error, ret, -1, "cannot read '%.120s': %s", path,
				 ret == -ETIMEDOUT ? "the deadline has passed" : strerror(-ret));
	if (!ret && (options->manager.m_key != m_key || options->manager.sm_key != sm_key))
		input_check_keys(fd, path);
	lines_close(&lines);
	return ret;
}
