/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include "util/decimal.h"
#include "util/emit.h"

#define DIGITS_MAX 20 /* of 64 bits */

/* ---- reading ------------------------------------------------------------------------ */

static bool decimal_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads "e-15" at text. Returns 0, -EINVAL or -ERANGE. */
static int decimal_read_exponent(const char *text, size_t len, int *exponent)
{
	bool down;
	int n = 0;

	*exponent = 0;
	if (!len)
		return 0;
	if ((*text | 0x20) != 'e')
		return -EINVAL;
	text++;
	len--;
	down = len && *text == '-';
	if (len && (*text == '-' || *text == '+')) {
		text++;
		len--;
	}
	if (!len)
		return -EINVAL;
	for (; len; len--, text++) {
		if (!decimal_is_digit(*text))
			return -EINVAL;
		/* larger ones stay too large */
		n = n > DECIMAL_EXPONENT_MAX ? n : n * 10 + (*text - '0');
	}
	*exponent = down ? -n : n;
	return n > DECIMAL_EXPONENT_MAX ? -ERANGE : 0;
}

int decimal_read(const char *text, size_t len, struct decimal *d)
{
	unsigned int digits = 0, zeros = 0;
	bool point = false, large = false;
	size_t i = 0;
	int exponent, ret;

	*d = (struct decimal){ .negative = len && *text == '-' };
	for (i = d->negative; i < len && (decimal_is_digit(text[i]) || (text[i] == '.' && !point)); i++) {
		const unsigned int digit = (unsigned int)(text[i] - '0');

		if (text[i] == '.') {
			point = true;
			continue;
		}
		digits++;
		/* zeros of a fraction count when another digit follows */
		if (point && !digit) {
			zeros++;
			continue;
		}
		for (zeros += 1; zeros; zeros--) {
			large |= d->digits > (UINT64_MAX - digit) / 10;
			d->digits = d->digits * 10 + (zeros == 1 ? digit : 0);
			d->exponent -= point;
		}
	}
	ret = decimal_read_exponent(text + i, len - i, &exponent);
	if (!digits || text[i - 1] == '.' || ret == -EINVAL)
		return -EINVAL;
	if (!d->digits)
		*d = (struct decimal){ .digits = 0 };
	else
		d->exponent += exponent;
	if (d->exponent > DECIMAL_EXPONENT_MAX || d->exponent < -DECIMAL_EXPONENT_MAX)
		ret = -ERANGE;
	return large ? -ERANGE : d->digits ? ret : 0;
}

/* ---- comparing ---------------------------------------------------------------------- */

/* Writes the digits with zeros behind them. Returns their number without the zeros. */
static unsigned int decimal_digits(const struct decimal *d, char text[DIGITS_MAX])
{
	memset(text, '0', DIGITS_MAX);
	return (unsigned int)(emit_u64(text, d->digits) - text);
}

int decimal_order(const struct decimal *a, const struct decimal *b)
{
	char x[DIGITS_MAX], y[DIGITS_MAX];
	const int sign = a->negative ? -1 : 1;
	int high_a, high_b;

	if (!a->digits || !b->digits)
		return a->digits ? sign : !b->digits ? 0 : b->negative ? 1 : -1;
	if (a->negative != b->negative)
		return sign;
	high_a = (int)decimal_digits(a, x) + a->exponent;
	high_b = (int)decimal_digits(b, y) + b->exponent;
	if (high_a != high_b)
		return high_a < high_b ? -sign : sign;
	return sign * memcmp(x, y, DIGITS_MAX);
}

uint64_t decimal_key(const struct decimal *d)
{
	const uint64_t zero = UINT64_C(1) << 63;
	char text[DIGITS_MAX];
	uint64_t key = 0;
	int high;

	if (!d->digits)
		return zero;
	high = (int)decimal_digits(d, text) + d->exponent;
	for (unsigned int i = 0; i < 15; i++)
		key = key * 10 + (uint64_t)(text[i] - '0');
	/* 15 digits have 50 bits, and the exponent is at most 1,019 */
	key |= (uint64_t)(high + 2048) << 50;
	return d->negative ? zero - key : zero + key;
}

/* ---- writing ------------------------------------------------------------------------ */

void decimal_round(struct decimal *d, unsigned int n)
{
	char text[DIGITS_MAX];
	unsigned int digits = decimal_digits(d, text);
	bool up = false;

	for (; digits > n && d->exponent < 0; digits--, d->exponent++) {
		up = d->digits % 10 >= 5;
		d->digits /= 10;
	}
	d->digits += up;
}

char *decimal_emit(char *p, const struct decimal *d)
{
	uint64_t digits = d->digits;
	int exponent = digits ? d->exponent : 0;
	char text[DIGITS_MAX];
	int n;

	for (; exponent < 0 && digits % 10 == 0; exponent++)
		digits /= 10;
	n = (int)(emit_u64(text, digits) - text);
	if (d->negative && digits)
		*p++ = '-';
	if (n + exponent <= 0) {
		*p++ = '0';
		*p++ = '.';
		memset(p, '0', (size_t)(-exponent - n));
		p += -exponent - n;
		memcpy(p, text, (size_t)n);
		return p + n;
	}
	if (exponent < 0) {
		memcpy(p, text, (size_t)(n + exponent));
		p += n + exponent;
		*p++ = '.';
		memcpy(p, text + n + exponent, (size_t)-exponent);
		return p - exponent;
	}
	memcpy(p, text, (size_t)n);
	memset(p + n, '0', (size_t)exponent);
	return p + n + exponent;
}

char *decimal_emit_exponent(char *p, const struct decimal *d)
{
	if (d->negative && d->digits)
		*p++ = '-';
	p = emit_u64(p, d->digits);
	if (!d->digits || !d->exponent)
		return p;
	*p++ = 'e';
	if (d->exponent < 0)
		*p++ = '-';
	return emit_u64(p, (uint64_t)(d->exponent < 0 ? -d->exponent : d->exponent));
}
