/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "config_file.h"

static char *trim(char *s)
{
	size_t n;

	s += strspn(s, " \t");
	n = strlen(s);
	while (n && strchr(" \t\r\n", s[n - 1]))
		s[--n] = 0;
	return s;
}

static int number(const char *value, uint64_t max, const char *what,
		  uint64_t *out, struct madkit_error *error)
{
	return madkit_parse_number(value, strlen(value), max, what, out, error);
}

static int take(struct cli_options *o, const char *key, const char *value,
		struct madkit_error *error)
{
	uint64_t n;
	int ret = 0;

	if (!strcmp(key, "CA")) {
		static char ca[64];

		if (strlen(value) >= sizeof(ca))
			ret = madkit_error_set(error, -EINVAL, -1, "the name of the CA is too long");
		else
			o->default_ca = strcpy(ca, value);
	} else if (!strcmp(key, "Port")) {
		ret = number(value, 255, key, &n, error);
		if (!ret)
			o->default_port = (unsigned int)n;
	} else if (!strcmp(key, "timeout")) {
		ret = number(value, INT32_MAX, key, &n, error);
		if (!ret && !n)
			ret = madkit_error_set(error, -EINVAL, -1, "timeout is 0");
		if (!ret && !o->have_timeout)
			o->timeout_ms = (uint32_t)n;
	} else if (!strcmp(key, "m_key")) {
		ret = number(value, UINT64_MAX, key, &n, NULL);
		if (ret)
			madkit_error_set(error, ret, -1, "m_key is not a number");
		else if (!o->have_m_key)
			o->m_key = n;
	} else if (!strcmp(key, "sa_key")) {
		ret = number(value, UINT64_MAX, key, &n, NULL);
		if (ret)
			madkit_error_set(error, ret, -1, "sa_key is not a number");
		else if (!o->have_sm_key)
			o->sm_key = n;
	}
	return ret;
}

int config_file_read(const char *path, struct cli_options *options,
		     struct madkit_error *error)
{
	FILE *file = fopen(path, "re");
	char line[1024];
	int ret = 0;

	if (!file)
		return madkit_error_set(error, -errno, -1, "cannot read '%.120s': %s",
					path, strerror(errno));
	for (int n = 1; !ret && fgets(line, sizeof(line), file); n++) {
		struct madkit_error inner = { .text = "" };
		bool whole = strchr(line, '\n') || feof(file);
		char *key = trim(line), *value = strchr(key, '=');
		int c;

		if (!whole)
			while ((c = getc(file)) != EOF && c != '\n')
				;
		if (!*key || *key == '#')
			continue;
		if (!value) {
			/* not the rest of it, which may be a secret */
			key[strcspn(key, " \t:;,0123456789")] = 0;
			ret = madkit_error_set(&inner, -EINVAL, -1,
					       "no '=' after '%.40s'", key);
		} else {
			*value++ = 0;
			ret = take(options, trim(key), trim(value), &inner);
		}
		if (ret)
			ret = madkit_error_set(error, -EINVAL, -1, "%.100s line %d: %.110s",
					       path, n, inner.text);
	}
	if (!ret && ferror(file))
		ret = madkit_error_set(error, -EIO, -1, "cannot read '%.120s': %s",
				       path, strerror(errno));
	fclose(file);
	return ret;
}
