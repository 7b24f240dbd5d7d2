/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <madkit/madkit.h>
#include "survey_sum.h"

bool survey_sum_suits(const struct madkit_expr *filter, const struct madkit_attribute *a)
{
	bool suits = filter && a && a->layout;

	for (size_t i = 0; suits && i < madkit_expr_count(filter); i++) {
		struct madkit_expr_test test;
		struct madkit_place place;

		madkit_expr_get(filter, i, &test);
		suits = !test.negated && test.is_number &&
			(test.op == MADKIT_EXPR_GT || test.op == MADKIT_EXPR_GE) &&
			!madkit_place_find(a->layout, test.name, test.name_len, &place, NULL) &&
			place.field->kind == MADKIT_KIND_COUNTER;
	}
	return suits;
}

bool survey_sum_is_zero(const struct madkit_expr *filter, const struct madkit_record *sums)
{
	bool zero = true;

	for (size_t i = 0; zero && i < madkit_expr_count(filter); i++) {
		struct madkit_expr_test test;
		char counter[MADKIT_PATH_MAX];
		uint64_t sum;

		madkit_expr_get(filter, i, &test);
		zero = test.name_len < sizeof(counter);
		memcpy(counter, test.name, zero ? test.name_len : 0);
		counter[zero ? test.name_len : 0] = 0;
		zero = zero && !madkit_record_value(sums, counter, &sum) && !sum;
	}
	return zero;
}
