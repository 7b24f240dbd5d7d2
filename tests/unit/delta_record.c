/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Differences of counters in expressions: each element of an array is known or null by itself. */
#include <errno.h>
#include <stdlib.h>
#include "madpoll/delta_record.h"
#include "tests/tap.h"
#include "util/array_size.h"

/* The answer of an expression, or the error that stops it. */
static int delta_eval(const struct delta_record *d, const char *text)
{
	static const struct madkit_message message = { .kind = MADKIT_MESSAGE_EVENT };
	struct madkit_record view;
	struct madkit_expr *expr;
	int ret = madkit_expr_new(text, &expr, NULL);

	if (ret)
		return ret;
	delta_record_view(d, &message, &view);
	ret = madkit_expr_check(expr, delta_record_attribute(d), NULL);
	if (!ret)
		ret = madkit_expr_eval(expr, &view);
	madkit_expr_free(expr);
	return ret;
}

static int delta_value(const struct delta_record *d, const char *name, uint64_t *value)
{
	struct madkit_record view;

	delta_record_view(d, NULL, &view);
	return madkit_record_value(&view, name, value);
}

/* Waits on VL 3, a full counter on VL 5 and a reset on VL 7; VL 9 is not read. */
static void delta_fill(struct delta_record *d)
{
	delta_record_begin(d, 50000);
	for (unsigned int vl = 0; vl < 16; vl++) {
		struct delta_change change = { .value = vl };

		if (vl == 3)
			change = (struct delta_change){ .value = 30, .delta = 10, .rate = 200 };
		if (vl == 5)
			change = (struct delta_change){ .value = 0xffff,
							.saturated = true,
							.was_saturated = true };
		if (vl == 7)
			change = (struct delta_change){ .value = 1, .reset = true };
		if (vl != 9)
			delta_record_put(d, "PortVLXmitWait", vl, &change);
	}
}

int main(void)
{
	static const struct {
		const char *text;
		int want;
	} tests[] = {
		{ "PortVLXmitWait[3] == 10", 1 },
		{ "PortVLXmitWait3 == 10", 1 },
		{ "PortVLXmitWait[3].delta == 10 && PortVLXmitWait[3].rate > 9 && PortVLXmitWait[3].value == 30",
		  1 },
		{ "PortVLXmitWait > 5", 1 },
		{ "PortVLXmitWait.rate > 5", 1 },
		{ "PortVLXmitWait.saturated && PortVLXmitWait.reset", 1 },
		{ "PortVLXmitWait[5].saturated && PortVLXmitWait[5].value == 65535", 1 },
		{ "PortVLXmitWait[4].saturated || PortVLXmitWait[4].reset || PortVLXmitWait[4]", 0 },
		{ "PortVLXmitWait[5] >= 0", -ENODATA },
		{ "!PortVLXmitWait[5].rate", -ENODATA },
		{ "PortVLXmitWait[7] >= 0", -ENODATA },
		{ "PortVLXmitWait[9].value >= 0", -ENODATA },
		{ "PortVLXmitWait[9].saturated", -ENODATA },
		/* the null elements may have waited more */
		{ "PortVLXmitWait > 10", -ENODATA },
		{ "!(PortVLXmitWait > 10)", -ENODATA },
		{ "PortVLXmitWait.rate_bytes > 0", -ENODATA },
		{ "PortSelect == 1", -ENODATA },
	};
	const struct madkit_attribute *attribute = NULL;
	struct delta_record *d;
	uint64_t value = 0;
	uint8_t mgmt_class;
	uint16_t id;

	if (madkit_attribute_find("PortVLXmitWaitCounters", MADKIT_CLASS_PERF, &mgmt_class, &id, &attribute,
				  NULL))
		return EXIT_FAILURE;
	d = delta_record_new(attribute, NULL);
	if (!d)
		return EXIT_FAILURE;
	delta_fill(d);
	for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
		is_int(delta_eval(d, tests[i].text), tests[i].want,
		       "A5: one full, reset or missing element of an array: %s", tests[i].text);
	ok(!delta_value(d, "PortVLXmitWait[3]", &value) && value == 10 &&
		   delta_value(d, "PortVLXmitWait[5]", &value) == -ENODATA && value == 10,
	   "A5: the value of an element of which another one is full");
	/* the next round */
	delta_record_begin(d, 50000);
	is_int(delta_eval(d, "PortVLXmitWait[3] >= 0"), -ENODATA,
	       "A5: every element is null when a round begins");
	delta_record_put(d, "PortVLXmitWait", 5, &(struct delta_change){ .value = 2, .delta = 2, .rate = 1 });
	delta_record_port(d, 1);
	is_int(delta_eval(d, "PortVLXmitWait[5] == 2 && PortSelect == 1 && interval_us == 50000"), 1,
	       "A5: an element that was null in the round before is known in this one");
	delta_record_free(d);
	return tap_done();
}
