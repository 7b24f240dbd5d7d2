/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Any bytes as one or two plans, separated by a line "==": an error with a text, or cablings that do not differ from
 * themselves, and whose differences are sorted and have a text, a key and valid ends.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/compare.h>
#include <madkit/plan.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define hold(cond) \
	do { \
		if (!(cond)) { \
			fprintf(stderr, "line %d: not so: %s\n", __LINE__, #cond); \
			abort(); \
		} \
	} while (0)

/* Reads a plan, each line from a copy of its exact length. */
static struct madkit_cabling *fuzz_plan_read(const uint8_t *data, size_t size)
{
	struct madkit_cabling *cabling = NULL;
	struct madkit_error error = { .text = "" };
	struct madkit_plan *plan = NULL;
	int ret = madkit_plan_new(&plan);

	while (!ret && size) {
		const uint8_t *end = memchr(data, '\n', size);
		const size_t len = end ? (size_t)(end - data) + 1 : size;
		char *line = malloc(len);

		hold(line);
		memcpy(line, data, len);
		ret = madkit_plan_line(plan, line, len, &error);
		free(line);
		data += len;
		size -= len;
	}
	if (!ret)
		ret = madkit_plan_end(plan, &cabling, &error);
	madkit_plan_free(plan);
	hold(!ret == (cabling != NULL));
	hold(!ret || (ret < 0 && error.code == ret && error.text[0]));
	return cabling;
}

static void fuzz_plan_compare(struct madkit_cabling *a, struct madkit_cabling *b, bool same)
{
	const struct madkit_compare_options options = { .lids = true };
	const struct madkit_difference *d;
	struct madkit_comparison *list = NULL;
	struct madkit_error error = { .text = "" };
	uint8_t severity = MADKIT_SEVERITY_CRITICAL;
	size_t n = 0, count;

	if (madkit_compare(a, b, &options, &list, &error)) {
		hold(error.text[0]);
		return;
	}
	madkit_difference_kinds(&count);
	for (; (d = madkit_comparison_difference(list, n)); n++) {
		hold(d->kind && d->kind <= count && *d->text && *d->key);
		hold(d->severity && d->severity <= severity);
		severity = d->severity;
		for (size_t i = 0; i < 2; i++)
			hold(d->ends[i].node == MADKIT_CABLING_NONE ||
			     (d->ends[i].node < madkit_cabling_count(b) &&
			      d->ends[i].port <= madkit_cabling_node(b, d->ends[i].node)->nports));
	}
	hold(!same || !n);
	madkit_comparison_free(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char mark[] = "\n==\n";
	const uint8_t *second = NULL;
	struct madkit_cabling *a, *b;

	for (size_t i = 0; i + strlen(mark) <= size && !second; i++)
		if (!memcmp(data + i, mark, strlen(mark)))
			second = data + i;
	a = fuzz_plan_read(data, second ? (size_t)(second - data) : size);
	/* trunks are wishes, not links */
	b = fuzz_plan_read(data, second ? (size_t)(second - data) : size);
	if (a && b)
		fuzz_plan_compare(a, b, !memchr(data, '*', size));
	madkit_cabling_free(b);
	b = second ? fuzz_plan_read(second + strlen(mark), size - (size_t)(second - data) - strlen(mark)) :
		     NULL;
	if (a && b) {
		fuzz_plan_compare(a, b, false);
		fuzz_plan_compare(b, a, false);
	}
	madkit_cabling_free(a);
	madkit_cabling_free(b);
	return 0;
}
