/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <madkit/num.h>
#include "modifiers.h"

static bool modifier_is_all(const char *text, size_t len)
{
	return len == 3 && !strncasecmp(text, "all", 3);
}

bool modifiers_is_list(const char *text)
{
	/* a leading '-' is a sign, not a range */
	return modifier_is_all(text, strlen(text)) || strpbrk(text, ",:") || (*text && strchr(text + 1, '-'));
}

/* N or N-N. */
static int modifier_range_parse(const char *text, size_t len, uint32_t max, uint32_t *first, uint32_t *last,
				struct madkit_error *error)
{
	const char *dash = memchr(text, '-', len);
	size_t n = dash ? (size_t)(dash - text) : len;
	uint64_t from, to;
	int ret = madkit_parse_number(text, n, max, "--mod", &from, error);

	to = from;
	if (!ret && dash)
		ret = madkit_parse_number(dash + 1, len - n - 1, max, "--mod", &to, error);
	if (!ret && to < from)
		ret = madkit_error_set(error, -EINVAL, -1, "--mod '%.*s': the second number is the lower one",
				       (int)len, text);
	if (ret)
		return ret;
	*first = (uint32_t)from;
	*last = (uint32_t)to;
	return 0;
}

static int modifier_list_parse(const char *text, size_t len, uint32_t max, struct modifier_list *list,
			       struct madkit_error *error)
{
	const char *end = text + len;

	list->n = 0;
	list->all = modifier_is_all(text, len);
	for (const char *p = text; !list->all; p++) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		size_t n = comma ? (size_t)(comma - p) : (size_t)(end - p);
		int ret;

		if (list->n == MODIFIERS_RANGES)
			return madkit_error_set(error, -E2BIG, -1, "--mod '%.64s' has more than %d parts",
						text, MODIFIERS_RANGES);
		ret = modifier_range_parse(p, n, max, &list->range[list->n].first, &list->range[list->n].last,
					   error);
		if (ret)
			return ret;
		list->n++;
		p += n;
		if (p == end)
			break;
	}
	return 0;
}

int modifiers_parse(const char *text, struct modifiers *m, struct madkit_error *error)
{
	const char *colon = strchr(text, ':');
	int ret = 0;

	m->have_ports = colon;
	if (colon)
		ret = modifier_list_parse(text, (size_t)(colon - text), UINT8_MAX, &m->ports, error);
	if (!ret)
		ret = modifier_list_parse(colon ? colon + 1 : text, strlen(colon ? colon + 1 : text),
					  colon ? UINT16_MAX : UINT32_MAX, &m->values, error);
	return ret;
}
