/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The reasons that are reported for a refused registration. */
#include <errno.h>
#include <madkit/madkit.h>
#include "tests/tap.h"
#include "transport/refusal.h"

/* A kernel with scripted refusals. */
struct script {
	bool all;       /* any registration */
	uint64_t taken; /* methods */
	unsigned int probes;
};

static int test_refusal_probe(void *context, const struct madkit_agent_attr *attr)
{
	struct script *s = context;

	s->probes++;
	return s->all || attr->method_mask[0] & s->taken ? EINVAL : 0;
}

static struct madkit_refusal test_refusal_explain(struct script *s, uint64_t methods)
{
	const struct madkit_agent_attr attr = {
		.mgmt_class = 0x0a,
		.class_version = 1,
		.method_mask = { methods, 0 },
	};
	struct madkit_refusal refusal = { .cause = MADKIT_REFUSAL_NONE };

	refusal_explain(&attr, EINVAL, "test", test_refusal_probe, s, &refusal);
	return refusal;
}

int main(void)
{
	struct script all = { .all = true }, set = { .taken = 1 << MADKIT_METHOD_SET };
	const uint64_t both = 1 << MADKIT_METHOD_GET | 1 << MADKIT_METHOD_SET;
	struct madkit_refusal r;

	r = test_refusal_explain(&all, both);
	is_int(r.cause, MADKIT_REFUSAL_OTHER,
	       "A10: refused without methods as well: no method is reported as taken");
	is_u64(r.taken[0], 0, "A10: ... the set of taken methods is empty");
	ok(!strstr(r.error.text, "method"), "A10: ... and the message names none: %s", r.error.text);
	is_u64(all.probes, 1, "A10: ... after a single probe");
	r = test_refusal_explain(&set, both);
	is_int(r.cause, MADKIT_REFUSAL_TAKEN, "a method that alone is refused is taken");
	is_u64(r.taken[0], 1 << MADKIT_METHOD_SET, "... and is reported");
	set.probes = 0;
	r = test_refusal_explain(&set, 1 << MADKIT_METHOD_SET);
	is_int(r.cause, MADKIT_REFUSAL_TAKEN, "C11: a method that was asked for alone is the taken one");
	is_u64(set.probes, 1, "C11: ... and is not probed: each refused probe is a line in the kernel's log");
	return tap_done();
}
