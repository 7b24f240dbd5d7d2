/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include "util/bits.h"
#include "util/word.h"
#include "wire/unit.h"

/* ---- units ---------------------------------------------------------------------------- */

size_t unit_reach(const struct madkit_field *field)
{
	size_t reach = 0;

	for (const struct madkit_unit *u = unit_depends(field) ? field->unit : NULL; u && u->other;
	     u = u->other)
		if (reach < (u->by + u->by_width + 7u) / 8)
			reach = (u->by + u->by_width + 7u) / 8;
	return reach;
}

const struct madkit_unit *unit_get(const struct madkit_field *field, const uint8_t *base, size_t len)
{
	const struct madkit_unit *u = field->unit;

	while (u->other) {
		/* a field that was cut off is 0, as in the data that its line makes */
		const uint64_t by =
			(u->by + u->by_width + 7u) / 8 <= len ? bits_get(base, u->by, u->by_width) : 0;

		if (by > 31 || !(u->by_set >> by & 1))
			break;
		u = u->other;
	}
	return u;
}

/* ---- bits to values --------------------------------------------------------------------- */

/* Gets the value of bits in a unit: digits times 10 to the power of the exponent. */
static void unit_scale(const struct madkit_unit *u, unsigned int width, uint64_t bits, struct decimal *value)
{
	const unsigned int shift = width - u->multiplier_bits;
	uint64_t ten = 1;

	*value = (struct decimal){ .digits = bits };
	if (u->multiplier_bits) {
		value->exponent = (int)(bits >> shift);
		value->digits = bits & bits_mask(shift);
	}
	if (u->is_signed && bits >> (width - 1)) {
		value->negative = true;
		value->digits = -bits & bits_mask(width);
	}
	/* divisors have no factors but 2 and 5 */
	for (; ten % u->divisor; ten *= 10)
		value->exponent--;
	value->digits *= (u->times ? u->times : 1) * (ten / u->divisor);
}

bool unit_value(const struct madkit_field *field, const uint8_t *base, size_t len, uint64_t bits,
		struct decimal *value)
{
	const struct madkit_unit *u;

	if (field->kind == MADKIT_KIND_BER) {
		const bool wide = field->width == 16;

		*value = (struct decimal){
			.digits = wide ? bits & 15 : bits >> 8,
			.exponent = -(int)(wide ? bits >> 8 : bits & 255),
		};
		return value->digits != 0;
	}
	u = unit_get(field, base, len);
	unit_scale(u, field->width, bits, value);
	/* no power of ten makes something of nothing */
	bits &= bits_mask(field->width - u->multiplier_bits);
	return !u->has_none || bits < u->none_first || bits > u->none_last;
}

/* ---- values to bits --------------------------------------------------------------------- */

/* Divides both numbers by their common factors of p, at most n. Returns how many are missing. */
static int unit_reduce(uint64_t *a, uint64_t *b, unsigned int p, int n)
{
	for (; n > 0; n--) {
		if (*b % p == 0)
			*b /= p;
		else if (*a && *a % p == 0)
			*a /= p;
		else
			break;
	}
	return n > 0 ? n : 0;
}

/* Multiplies. Returns 0, or -ERANGE if the product has more than 64 bits. */
static int unit_multiply(uint64_t *a, uint64_t b)
{
	if (b && *a > UINT64_MAX / b)
		return -ERANGE;
	*a *= b;
	return 0;
}

/* Gets the whole number that the unit makes the value of, without sign and multiplier. */
static int unit_whole(const struct madkit_unit *u, const struct decimal *value, uint64_t *whole)
{
	uint64_t digits = value->digits, divisor = u->divisor;
	const uint64_t times = u->times ? u->times : 1;
	int ret = 0;

	if (unit_reduce(&digits, &divisor, 2, -value->exponent) ||
	    unit_reduce(&digits, &divisor, 5, -value->exponent))
		return -EINVAL;
	ret = unit_multiply(&digits, divisor);
	for (int e = value->exponent; e > 0 && !ret; e--)
		ret = unit_multiply(&digits, 10);
	if (ret || digits % times)
		return ret ? ret : -EINVAL;
	*whole = digits / times;
	return 0;
}

static int unit_scaled_bits(const struct madkit_unit *u, unsigned int width, const struct decimal *value,
			    uint64_t *bits)
{
	const unsigned int shift = width - u->multiplier_bits;
	uint64_t whole = 0, power = 0;
	int ret = value->digits ? unit_whole(u, value, &whole) : 0;

	if (ret)
		return ret;
	for (; u->multiplier_bits && whole > bits_mask(shift); power++, whole /= 10) {
		if (power == bits_mask(u->multiplier_bits))
			return -ERANGE;
		if (whole % 10)
			return -EINVAL;
	}
	if (value->negative && whole) {
		if (!u->is_signed || whole > bits_mask(width - 1) + 1)
			return -ERANGE;
		*bits = -whole & bits_mask(width);
		return 0;
	}
	if (whole > bits_mask(u->is_signed ? shift - 1 : shift))
		return -ERANGE;
	*bits = u->multiplier_bits ? power << shift | whole : whole;
	return 0;
}

static int unit_ber_bits(unsigned int width, const struct decimal *value, uint64_t *bits)
{
	uint64_t coefficient = value->digits, magnitude;
	int exponent = coefficient ? value->exponent : 0;

	if (value->negative && coefficient)
		return -ERANGE;
	for (; coefficient > 15 || exponent < -255; exponent++, coefficient /= 10)
		if (coefficient % 10)
			return exponent < -255 ? -ERANGE : -EINVAL;
	for (; exponent > 0 && coefficient <= 15; exponent--)
		coefficient *= 10;
	if (coefficient > 15)
		return -ERANGE;
	magnitude = (uint64_t)-exponent;
	*bits = width == 16 ? magnitude << 8 | coefficient : coefficient << 8 | magnitude;
	return 0;
}

int unit_bits(const struct madkit_field *field, const uint8_t *base, size_t len, const struct decimal *value,
	      uint64_t *bits)
{
	return field->kind == MADKIT_KIND_BER ?
		       unit_ber_bits(field->width, value, bits) :
		       unit_scaled_bits(unit_get(field, base, len), field->width, value, bits);
}

int unit_none(const struct madkit_field *field, const uint8_t *base, size_t len, uint64_t *bits)
{
	const struct madkit_unit *u = field->kind == MADKIT_KIND_SCALED ? unit_get(field, base, len) : NULL;

	if (u && !u->has_none)
		return -EINVAL;
	*bits = u ? u->none_first : 0;
	return 0;
}

bool unit_is_exact(const struct madkit_field *field, const uint8_t *base, size_t len, uint64_t bits)
{
	struct decimal value;
	uint64_t again;

	if (!unit_value(field, base, len, bits, &value))
		return !unit_none(field, base, len, &again) && again == bits;
	return !unit_bits(field, base, len, &value, &again) && again == bits;
}

/* ---- text --------------------------------------------------------------------------------- */

bool unit_is_clean(const struct madkit_field *field, const struct decimal *value)
{
	return field->kind == MADKIT_KIND_BER && value->digits == 15 && value->exponent == -255;
}

void unit_clear(const struct madkit_field *field, struct decimal *value)
{
	if (unit_is_clean(field, value))
		*value = (struct decimal){ .digits = 0 };
}

/* Describes a value that the field cannot have. */
static int unit_refuse(const struct madkit_field *field, const struct madkit_unit *u, const char *text,
		       size_t n, int ret, struct madkit_error *error)
{
	if (ret == -ERANGE)
		return madkit_error_set(error, ret, 0, "%s: %.*s is out of range", field->name, clip(n),
					text);
	if (!u)
		return madkit_error_set(error, ret, 0,
					"%s: %.*s has more digits than a coefficient from 0 to 15",
					field->name, clip(n), text);
	if (u->divisor == 1)
		return madkit_error_set(error, ret, 0, "%s: %.*s is not a multiple of %u %s", field->name,
					clip(n), text, u->times ? u->times : 1u, u->symbol);
	return madkit_error_set(error, ret, 0, "%s: %.*s is not a multiple of %u/%u %s", field->name, clip(n),
				text, u->times ? u->times : 1u, (unsigned int)u->divisor, u->symbol);
}

int unit_parse(const struct madkit_field *field, const uint8_t *base, size_t len, const char *text, size_t n,
	       uint64_t *bits, struct madkit_error *error)
{
	const struct madkit_unit *u = field->kind == MADKIT_KIND_SCALED ? unit_get(field, base, len) : NULL;
	const bool none = (n == 1 && *text == '-') || (n == 4 && !memcmp(text, "null", 4));
	struct decimal value;
	int ret;

	if (none) {
		ret = unit_none(field, base, len, bits);
		return ret ? madkit_error_set(error, ret, 0, "%s always has a value", field->name) : 0;
	}
	ret = decimal_read(text, n, &value);
	if (ret == -EINVAL)
		return madkit_error_set(error, ret, 0, "%s: '%.*s' is not a number", field->name, clip(n),
					text);
	if (!ret)
		ret = unit_bits(field, base, len, &value, bits);
	return ret ? unit_refuse(field, u, text, n, ret, error) : 0;
}

char *unit_emit(char *p, const struct madkit_field *field, const struct decimal *value)
{
	return field->kind == MADKIT_KIND_BER ? decimal_emit_exponent(p, value) : decimal_emit(p, value);
}
