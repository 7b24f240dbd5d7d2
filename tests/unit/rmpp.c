/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The RMPP header's accessors, by libibumad's struct and the kernel's rules. */
#include <infiniband/umad_types.h>
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include "../tap.h"

static union {
	struct umad_rmpp_packet packet;
	uint8_t mad[256];
} u;

static void test_rmpp_numbers(void)
{
	uint8_t other[256];

	memset(&u, 0xa5, sizeof(u));
	madkit_rmpp_set_version(u.mad, 1);
	madkit_rmpp_set_type(u.mad, MADKIT_RMPP_ACK);
	madkit_rmpp_set_status(u.mad, 118);
	madkit_rmpp_set_segment(u.mad, 0x01020304);
	madkit_rmpp_set_length(u.mad, 0xfffefdfc);
	is_u64(u.packet.rmpp_hdr.rmpp_version, 1, "version");
	is_u64(u.packet.rmpp_hdr.rmpp_type, 2, "type");
	is_u64(u.packet.rmpp_hdr.rmpp_status, 118, "status");
	is_u64(be32toh(u.packet.rmpp_hdr.seg_num), 0x01020304, "segment");
	is_u64(be32toh(u.packet.rmpp_hdr.paylen_newwin), 0xfffefdfc, "length");
	is_u64(madkit_rmpp_get_version(u.mad), 1, "version reads back");
	is_u64(madkit_rmpp_get_type(u.mad), 2, "type");
	is_u64(madkit_rmpp_get_status(u.mad), 118, "status");
	is_u64(madkit_rmpp_get_segment(u.mad), 0x01020304, "segment");
	is_u64(madkit_rmpp_get_length(u.mad), 0xfffefdfc, "length");
	is_u64(u.packet.rmpp_hdr.rmpp_rtime_flags, 0xa5, "the byte between stays");
	memset(other, 0xa5, sizeof(other));
	is_mem(u.mad, other, 24, "the common header stays");
	is_mem(u.mad + 36, other, 220, "the data stays");
}

static void shared_byte(void)
{
	bool get = true, set_time = true, set_flags = true;

	for (unsigned int byte = 0; byte < 256; byte++) {
		u.packet.rmpp_hdr.rmpp_rtime_flags = (uint8_t)byte;
		get &= madkit_rmpp_get_resptime(u.mad) == byte >> 3;
		get &= madkit_rmpp_get_flags(u.mad) == (byte & 7);
		for (unsigned int v = 0; v < 256; v++) {
			u.packet.rmpp_hdr.rmpp_rtime_flags = (uint8_t)byte;
			madkit_rmpp_set_resptime(u.mad, (uint8_t)v);
			set_time &= u.packet.rmpp_hdr.rmpp_rtime_flags == ((byte & 7) | (v & 31) << 3);
			u.packet.rmpp_hdr.rmpp_rtime_flags = (uint8_t)byte;
			madkit_rmpp_set_flags(u.mad, (uint8_t)v);
			set_flags &= u.packet.rmpp_hdr.rmpp_rtime_flags == ((byte & 0xf8) | (v & 7));
		}
	}
	ok(get, "RRespTime and flags of all 256 bytes");
	ok(set_time, "RRespTime is set and keeps the flags");
	ok(set_flags, "flags are set and keep RRespTime");
}

static void test_rmpp_has(void)
{
	memset(&u, 0, sizeof(u));
	u.mad[1] = MADKIT_CLASS_SA;
	ok(!madkit_mad_has_rmpp(u.mad, 256), "not active");
	madkit_rmpp_set_flags(u.mad, MADKIT_RMPP_ACTIVE);
	ok(madkit_mad_has_rmpp(u.mad, 256), "active");
	ok(madkit_mad_has_rmpp(u.mad, 36), "in 36 bytes");
	ok(!madkit_mad_has_rmpp(u.mad, 35), "not in 35");
	u.mad[1] = MADKIT_CLASS_PERF;
	ok(!madkit_mad_has_rmpp(u.mad, 256), "not of a class without RMPP");
	u.mad[1] = 0x32;
	ok(madkit_mad_has_rmpp(u.mad, 256), "a vendor class has it");
}

int main(void)
{
	test_rmpp_numbers();
	shared_byte();
	test_rmpp_has();
	return tap_done();
}
