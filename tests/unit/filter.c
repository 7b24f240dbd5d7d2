/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which agent a MAD is for where no kernel says it. */
#include <errno.h>
#include <string.h>
#include <madkit/madkit.h>
#include "tests/tap.h"
#include "transport/filter.h"

enum { CLASS = 0x32, OUI = 0x1405, METHOD = 0x10 };

static struct filter filter;
static struct madkit_refusal refusal;
static uint8_t mad[MADKIT_MAD_BYTES];

static struct madkit_agent_attr test_filter_attr_of(uint8_t mgmt_class, uint32_t oui, uint8_t method)
{
	struct madkit_agent_attr attr = {
		.mgmt_class = mgmt_class,
		.class_version = mgmt_class ? 1 : 0,
		.oui = oui,
	};

	if (method)
		madkit_method_mask_set(attr.method_mask, method);
	return attr;
}

/* The number, or a negative refusal. */
static int test_filter_add(uint8_t mgmt_class, uint32_t oui, uint8_t method)
{
	struct madkit_agent_attr attr = test_filter_attr_of(mgmt_class, oui, method);
	uint32_t id;
	int ret;

	memset(&refusal, 0, sizeof(refusal));
	ret = filter_add(&filter, &attr, &id, &refusal);
	return ret ? ret : (int)id;
}

/* The agent that gets the MAD, -1: none. */
static int test_filter_find(uint8_t mgmt_class, uint8_t version, uint32_t oui, uint8_t method, uint64_t tid,
			    size_t len)
{
	const struct madkit_header h = {
		.base_version = MADKIT_BASE_VERSION_IB,
		.mgmt_class = mgmt_class,
		.class_version = version,
		.method = method,
		.tid = tid,
	};
	uint32_t id;

	madkit_header_put(mad, sizeof(mad), &h);
	for (int i = 0; i < 3; i++)
		mad[MADKIT_VENDOR2_OUI + i] = (uint8_t)(oui >> (16 - 8 * i));
	return filter_find(&filter, mad, len, &id) ? (int)id : -1;
}

static uint32_t tid_high(uint32_t id, uint8_t method)
{
	mad[MADKIT_MAD_METHOD] = method;
	return filter_tid_high(&filter, id, mad, sizeof(mad));
}

static void test_filter_requests(void)
{
	int a = test_filter_add(CLASS, OUI, METHOD), b = test_filter_add(CLASS, OUI + 1, METHOD),
	    c = test_filter_add(CLASS, OUI, METHOD + 1);

	ok(a >= 0 && b >= 0 && c >= 0, "three agents, of other OUIs or methods");
	is_int(test_filter_find(CLASS, 1, OUI, METHOD, 5, 256), a, "a request goes by class, OUI and method");
	is_int(test_filter_find(CLASS, 1, OUI + 1, METHOD, 5, 256), b, "... another OUI's");
	is_int(test_filter_find(CLASS, 1, OUI, METHOD + 1, 5, 256), c, "... another method's");
	is_int(test_filter_find(CLASS, 2, OUI, METHOD, 5, 256), -1, "another class version: nobody's");
	is_int(test_filter_find(CLASS, 1, OUI + 2, METHOD, 5, 256), -1, "an unknown OUI: nobody's");
	is_int(test_filter_find(CLASS, 1, OUI, METHOD + 2, 5, 256), -1, "an unknown method: nobody's");
	is_int(test_filter_find(CLASS + 1, 1, OUI, METHOD, 5, 256), -1, "an unknown class: nobody's");
	is_int(test_filter_find(CLASS, 1, OUI, METHOD, 5, MADKIT_VENDOR2_OUI + 2), -1,
	       "half an OUI: nobody's");
	is_int(test_filter_find(CLASS, 1, OUI, METHOD, 5, MADKIT_VENDOR2_OUI + 3), a,
	       "all of it: the agent's");
	is_int(test_filter_find(CLASS, 1, OUI, METHOD, 5, MADKIT_HEADER_BYTES - 1), -1,
	       "no whole header: nobody's");

	is_int(test_filter_add(CLASS, OUI, METHOD), -EBUSY, "the same again is refused");
	is_int(refusal.cause, MADKIT_REFUSAL_TAKEN, "... as taken");
	is_u64(refusal.taken[0], UINT64_C(1) << METHOD, "... which method");
	is_int(test_filter_add(MADKIT_CLASS_SUBN_DR, 0, 1), -EPROTONOSUPPORT, "directed routes are refused");
	is_int(test_filter_add(MADKIT_CLASS_SUBN, 0, 0), -EPROTONOSUPPORT, "... and what goes by LID");
	is_int(test_filter_add(CLASS, 0, METHOD), -EINVAL, "a vendor class without OUI is refused");
	is_int(refusal.cause, MADKIT_REFUSAL_OUI, "... for that");
}

static void test_filter_responses(void)
{
	int a = test_filter_add(MADKIT_CLASS_PERF, 0, 0), b = test_filter_add(MADKIT_CLASS_PERF, 0, 0);
	uint32_t high_a = tid_high((uint32_t)a, MADKIT_METHOD_GET),
		 high_b = tid_high((uint32_t)b, MADKIT_METHOD_GET);

	ok(high_a && high_b && high_a != high_b, "each agent has a number for its transaction IDs");
	is_u64(tid_high((uint32_t)a, MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE), 0,
	       "a response keeps the request's");
	is_int(test_filter_find(MADKIT_CLASS_PERF, 1, 0, 0x81, (uint64_t)high_b << 32 | 7, 256), b,
	       "a response goes by that");
	is_int(test_filter_find(MADKIT_CLASS_PERF, 1, 0, 0x81, (uint64_t)high_a << 32 | 7, 256), a,
	       "... the other's");
	is_int(test_filter_find(MADKIT_CLASS_PERF, 1, 0, 0x81, 7, 256), -1, "a response with none: nobody's");
	is_int(test_filter_find(MADKIT_CLASS_PERF, 1, 0, 0x01, (uint64_t)high_a << 32 | 7, 256), -1,
	       "a request does not go by that");
	filter_remove(&filter, (uint32_t)a);
	is_int(test_filter_find(MADKIT_CLASS_PERF, 1, 0, 0x81, (uint64_t)high_a << 32 | 7, 256), -1,
	       "a response to one that is gone: nobody's");
	is_int(test_filter_add(MADKIT_CLASS_PERF, 0, 0), a, "its place is taken");
	is_int(test_filter_find(MADKIT_CLASS_PERF, 1, 0, 0x81, (uint64_t)high_a << 32 | 7, 256), -1,
	       "... and not its responses");
}

static void all_classes(void)
{
	int all = test_filter_add(0, 0, 0), one = test_filter_add(MADKIT_CLASS_DEVADM, 0, MADKIT_METHOD_GET);

	ok(all >= 0 && one >= 0, "an agent of class 0, and one behind it");
	is_int(test_filter_find(MADKIT_CLASS_DEVADM, 1, 0, MADKIT_METHOD_GET, 5, 256), one,
	       "a request that has its agent");
	is_int(test_filter_find(MADKIT_CLASS_DEVADM, 1, 0, MADKIT_METHOD_SET, 5, 256), all,
	       "class 0 takes what has none");
	is_int(test_filter_find(0x0b, 9, 0, 0x33, 5, 256), all, "... of any class");
	is_int(test_filter_find(0x0b, 9, 0, 0x81, 5, 256), -1, "... but no responses to others");
}

static void full(void)
{
	int last, n = 0;

	memset(&filter, 0, sizeof(filter));
	while ((last = test_filter_add(MADKIT_CLASS_PERF, 0, 0)) >= 0)
		n++;
	is_int(n, 32, "as many agents as umad gives to a file");
	is_int(last, -ENOMEM, "no more");
	is_int(refusal.cause, MADKIT_REFUSAL_AGENTS, "... for that");
	filter.last_tid_high = UINT32_MAX;
	filter_remove(&filter, 7);
	is_int(test_filter_add(MADKIT_CLASS_PERF, 0, 0), 7, "numbers wrap");
	is_u64(tid_high(7, MADKIT_METHOD_GET), 1, "... and 0 is none");
}

int main(void)
{
	test_filter_requests();
	test_filter_responses();
	all_classes();
	full();
	return tap_done();
}
