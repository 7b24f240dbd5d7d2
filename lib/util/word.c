/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "util/word.h"

const char *word_of_name(const char *text, size_t len, size_t *n)
{
	static const char managed[] = "MF0;";
	const size_t skip = sizeof(managed) - 1;
	const char *end;

	if (len > skip && !memcmp(text, managed, skip)) {
		end = memchr(text + skip, ':', len - skip);
		if (end && end > text + skip) {
			*n = (size_t)(end - text) - skip;
			return text + skip;
		}
	}
	end = memchr(text, ' ', len);
	*n = end ? (size_t)(end - text) : len;
	return text;
}

static bool word_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Returns the number of digits from at on, without leading zeros; moves at to the first of them. */
static size_t word_digits(const char *text, size_t len, size_t *at)
{
	size_t n = 0;

	while (*at + 1 < len && text[*at] == '0' && word_is_digit(text[*at + 1]))
		++*at;
	while (*at + n < len && word_is_digit(text[*at + n]))
		n++;
	return n;
}

int word_compare(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t i = 0, j = 0;
	int order;

	while (i < a_len && j < b_len) {
		if (word_is_digit(a[i]) && word_is_digit(b[j])) {
			const size_t n = word_digits(a, a_len, &i), m = word_digits(b, b_len, &j);

			order = n != m ? (n > m) - (n < m) : memcmp(a + i, b + j, n);
			i += n;
			j += m;
		} else {
			order = (unsigned char)a[i++] - (unsigned char)b[j++];
		}
		if (order)
			return order;
	}
	/* one is the beginning of the other, or they differ only in leading zeros */
	if (i < a_len || j < b_len)
		return i < a_len ? 1 : -1;
	order = memcmp(a, b, a_len < b_len ? a_len : b_len);
	return order ? order : (a_len > b_len) - (a_len < b_len);
}
