/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ClassPortInfo by the kernel's rules: cap_mask2_resp_time holds 27 bits of
 * mask above 5 of time; redirect and trap targets of both forms. */
#include <errno.h>
#include <stdlib.h>
#include <madkit/cpi.h>
#include <madkit/registry.h>
#include "util/bits.h"
#include "../tap.h"

static void times(void)
{
	uint8_t cpi[72], before[72];

	memset(cpi, 0xa5, sizeof(cpi));
	put_be32(cpi + 4, 0x02345678u << 5 | 19);
	memcpy(before, cpi, sizeof(cpi));
	is_u64(madkit_cpi_get_resp_time(cpi), 19, "RespTimeValue");
	is_u64(madkit_cpi_get_capmask2(cpi), 0x02345678, "CapabilityMask2");
	madkit_cpi_set_resp_time(cpi, 0xff);
	is_u64(get_be32(cpi + 4), 0x02345678u << 5 | 31,
	       "surplus bits of the time are ignored, the mask stays");
	madkit_cpi_set_resp_time(cpi, 19);
	is_mem(cpi, before, sizeof(cpi), "set back: nothing else has changed");
	madkit_cpi_set_capmask2(cpi, 0xffffffff);
	is_u64(get_be32(cpi + 4), 0xffffffe0 | 19, "the mask keeps the time");
	madkit_cpi_set_capmask2(cpi, 1);
	is_u64(get_be32(cpi + 4), 1 << 5 | 19, "... and takes its lowest bit");
	madkit_cpi_set_capmask(cpi, 0x1234);
	is_u64(get_be16(cpi + 2), 0x1234, "CapabilityMask lies at 2");
	is_u64(madkit_cpi_get_capmask(cpi), 0x1234, "... and reads back");

	is_u64(madkit_cpi_resp_time_us(0), 5, "4.096 us, rounded up");
	is_u64(madkit_cpi_resp_time_us(1), 9, "8.192 us");
	is_u64(madkit_cpi_resp_time_us(18), 1073742, "2^18: 1.07 s");
	is_u64(madkit_cpi_resp_time_us(31), 8796093023, "2^31: 2.4 hours");
	is_u64(madkit_cpi_resp_time_us(0x20), 5, "only five bits count");
}

static const struct madkit_cpi_target redirect_target = {
	.gid = { 0xfe, 0x80, [15] = 0x77 },
	.traffic_class = 0xa1,
	.sl = 0xb,
	.flow_label = 0xc2d3e,
	.lid = 0xf123,
	.pkey = 0x8456,
	.qp = 0x789abc,
	.qkey = 0x80010000,
};

static const struct madkit_cpi_target trap_target = {
	.gid = { 0xfe, 0xc0, [15] = 0x99 },
	.traffic_class = 0x1a,
	.sl = 0xe,
	.flow_label = 0x2bcde,
	.lid = 0x4321,
	.pkey = 0xffff,
	.qp = 1,
	.qkey = 0x80010001,
	.hop_limit = 0x3f,
};

static bool test_cpi_same(const struct madkit_cpi_target *a, const struct madkit_cpi_target *b)
{
	return !memcmp(a->gid, b->gid, 16) && a->traffic_class == b->traffic_class && a->sl == b->sl &&
	       a->flow_label == b->flow_label && a->lid == b->lid && a->pkey == b->pkey && a->qp == b->qp &&
	       a->qkey == b->qkey && a->hop_limit == b->hop_limit;
}

/* The rules of opensm, by bits of the bytes: AllPortSelect 0x0100, extended width 0x0200, without IETF
 * 0x0400; CapabilityMask2 is above 5 bits of RespTimeValue. */
static void test_cpi_counters(void)
{
	unsigned int wrong = 0;

	for (unsigned int bits = 0; bits < 16; bits++) {
		const bool sum = bits & 1, wide = bits & 2, no_ietf = bits & 4, errors = bits & 8;
		uint8_t cpi[72] = { [2] = (uint8_t)(0xf8 | (bits & 7)), [7] = errors ? 0x53 : 0x33 };
		unsigned int got = madkit_cpi_get_counters(cpi);

		wrong += !!(got & MADKIT_CPI_COUNTERS_EXTENDED) != (wide || no_ietf);
		wrong += !!(got & MADKIT_CPI_COUNTERS_IETF) != wide;
		wrong += !!(got & MADKIT_CPI_COUNTERS_ERRORS) != (errors && (wide || no_ietf));
		wrong += !!(got & MADKIT_CPI_COUNTERS_SUM) != sum;
	}
	is_u64(wrong, 0, "the counters of a port by each combination of the four bits");
}

static void ib_form(void)
{
	uint8_t cpi[72] = { 0 }, want[72] = { 0 };
	struct madkit_cpi_target got;

	ok(!madkit_cpi_get_redirect(cpi, false, &got), "zeros redirect nowhere");
	ok(!madkit_cpi_get_trap(cpi, false, &got), "... nor do they take traps");
	is_int(madkit_cpi_set_redirect(cpi, false, &redirect_target), 0, "set redirect");
	is_int(madkit_cpi_set_trap(cpi, false, &trap_target), 0, "set trap");

	/* struct ib_class_port_info, written by hand */
	memcpy(want + 8, redirect_target.gid, 16);
	put_be32(want + 24, 0xa1bc2d3e); /* tc, sl, fl */
	put_be16(want + 28, 0xf123);
	put_be16(want + 30, 0x8456);
	put_be32(want + 32, 0x00789abc);
	put_be32(want + 36, 0x80010000);
	memcpy(want + 40, trap_target.gid, 16);
	put_be32(want + 56, 0x1ae2bcde);
	put_be16(want + 60, 0x4321);
	put_be16(want + 62, 0xffff);
	put_be32(want + 64, 0x3f000001);
	put_be32(want + 68, 0x80010001);
	is_mem(cpi, want, sizeof(cpi), "the bytes of the IB form");

	ok(madkit_cpi_get_redirect(cpi, false, &got) && test_cpi_same(&got, &redirect_target),
	   "redirect reads back");
	ok(madkit_cpi_get_trap(cpi, false, &got) && test_cpi_same(&got, &trap_target), "trap reads back");
}

static void opa_form(void)
{
	uint8_t cpi[80] = { 0 }, want[80] = { 0 };
	struct madkit_cpi_target redirect = redirect_target, trap = trap_target, got;

	redirect.lid = 0x00f12345;
	redirect.sl = 0x1b;
	trap.lid = 0x00543210;
	trap.sl = 0x1e;
	is_int(madkit_cpi_set_redirect(cpi, true, &redirect), 0, "OPA: set redirect");
	is_int(madkit_cpi_set_trap(cpi, true, &trap), 0, "OPA: set trap");

	/* struct opa_class_port_info, written by hand */
	memcpy(want + 8, redirect.gid, 16);
	put_be32(want + 24, 0xa10c2d3e); /* tc, reserved, fl */
	put_be32(want + 28, 0x00f12345);
	put_be32(want + 32, 0xd8789abc); /* sl << 3, qp */
	put_be32(want + 36, 0x80010000);
	memcpy(want + 40, trap.gid, 16);
	put_be32(want + 56, 0x1a02bcde);
	put_be32(want + 60, 0x00543210);
	put_be32(want + 64, 0x3f000001);
	put_be32(want + 68, 0x80010001);
	put_be16(want + 72, 0xffff); /* trap_pkey */
	put_be16(want + 74, 0x8456); /* redirect_pkey */
	want[76] = 0xf0;             /* trap_sl_rsvd */
	is_mem(cpi, want, sizeof(cpi), "the bytes of the OPA form");
	ok(madkit_cpi_get_redirect(cpi, true, &got) && test_cpi_same(&got, &redirect), "redirect reads back");
	ok(madkit_cpi_get_trap(cpi, true, &got) && test_cpi_same(&got, &trap), "trap reads back");
}

static void ranges(void)
{
	uint8_t cpi[80], before[80];
	struct madkit_cpi_target t;

	memset(cpi, 0x5a, sizeof(cpi));
	memcpy(before, cpi, sizeof(cpi));
#define refuses(opa, which, change, what) \
	do { \
		t = which##_target; \
		t.change; \
		is_int(madkit_cpi_set_##which(cpi, opa, &t), -ERANGE, what); \
		is_mem(cpi, before, sizeof(cpi), "... and nothing is written"); \
	} while (0)
	refuses(false, redirect, lid = 0x10000, "an IB LID has 16 bits");
	refuses(false, redirect, sl = 16, "an IB SL has 4 bits");
	refuses(true, redirect, sl = 32, "an OPA SL has 5 bits");
	refuses(false, redirect, flow_label = 0x100000, "a flow label has 20 bits");
	refuses(false, redirect, qp = 0x1000000, "a QP has 24 bits");
	refuses(false, redirect, hop_limit = 1, "a redirect has no hop limit");
	refuses(false, trap, lid = 0x10000, "trap: an IB LID has 16 bits");
	refuses(true, trap, qp = 0x1000000, "trap: a QP has 24 bits");

	/* the bits next to the target keep their values */
	madkit_cpi_set_redirect(cpi, false, &redirect_target);
	is_mem(cpi, before, 8, "bytes before the redirect stay");
	is_u64(cpi[32], 0x5a, "... the reserved byte");
	is_mem(cpi + 40, before + 40, 40, "... and the trap's");
}

static void set_or_not(void)
{
	uint8_t cpi[72] = { 0 };
	struct madkit_cpi_target t = { .lid = 1 };

	madkit_cpi_set_redirect(cpi, false, &t);
	ok(madkit_cpi_get_redirect(cpi, false, &t), "a LID alone redirects");
	t = (struct madkit_cpi_target){ .gid = { [15] = 1 } };
	madkit_cpi_set_redirect(cpi, false, &t);
	ok(madkit_cpi_get_redirect(cpi, false, &t), "a GID alone redirects");
	t = (struct madkit_cpi_target){ .qp = 5, .qkey = 6 };
	madkit_cpi_set_redirect(cpi, false, &t);
	ok(!madkit_cpi_get_redirect(cpi, false, &t), "a QP alone does not");
	is_u64(t.qp, 5, "... but is read");
}

int main(void)
{
	times();
	test_cpi_counters();
	ib_form();
	opa_form();
	ranges();
	set_or_not();
	return tap_done();
}
