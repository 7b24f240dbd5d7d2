/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <string.h>
#include <madkit/madkit.h>
#include "survey_sum.h"

static const char blanks[] = " \t\r\n";

/* Reads "COUNTER > NUMBER" or "COUNTER >= NUMBER". Returns false if the text is something else. */
static bool survey_sum_test(const char **at, const struct madkit_layout *layout, char counter[64])
{
	const char *name = *at + strspn(*at, blanks), *p;
	size_t len = strcspn(name, " \t\r\n<>=!~&|()'\""), digits;
	struct madkit_place place;
	uint64_t number;

	if (!len || len > 63 || madkit_place_find(layout, name, len, &place, NULL) ||
	    place.field->kind != MADKIT_KIND_COUNTER)
		return false;
	memcpy(counter, name, len);
	counter[len] = 0;
	p = name + len;
	p += strspn(p, blanks);
	if (*p++ != '>')
		return false;
	p += *p == '=';
	p += strspn(p, blanks);
	digits = strcspn(p, " \t\r\n<>=!~&|()'\"");
	if (madkit_parse_number(p, digits, UINT64_MAX, "", &number, NULL))
		return false;
	p += digits;
	*at = p + strspn(p, blanks);
	return true;
}

bool survey_sum_suits(const char *filter, const struct madkit_attribute *a)
{
	char counter[64];

	while (filter && a && a->layout && survey_sum_test(&filter, a->layout, counter)) {
		if (!*filter)
			return true;
		if (strncmp(filter, "||", 2) != 0 && strncmp(filter, "&&", 2) != 0)
			return false;
		filter += 2;
	}
	return false;
}

bool survey_sum_is_zero(const char *filter, const struct madkit_record *sums)
{
	char counter[64];
	uint64_t sum;

	while (survey_sum_test(&filter, sums->layout, counter)) {
		if (madkit_record_value(sums, counter, &sum) || sum)
			return false;
		if (!*filter)
			return true;
		filter += 2;
	}
	return false;
}
