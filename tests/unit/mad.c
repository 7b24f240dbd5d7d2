/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The common header's helpers, methods and statuses. */
#include <errno.h>
#include <stdlib.h>
#include <infiniband/umad_str.h>
#include <infiniband/umad_types.h>
#include <madkit/addr.h>
#include <madkit/mad.h>
#include "../tap.h"
#include "util/array_size.h"
#include "wire/tables/values.h"

static void test_mad_header(void)
{
	static const uint8_t bytes[24] = {
		0x01, 0x81, 0x01, 0x02, 0x80, 0x1c, 0x03, 0x04, 0x11, 0x12, 0x13, 0x14,
		0x15, 0x16, 0x17, 0x18, 0x00, 0x15, 0xaa, 0xbb, 0x21, 0x22, 0x23, 0x24,
	};
	uint8_t mad[24];
	struct madkit_header h;

	is_int(madkit_header_get(bytes, 23, &h), -ENODATA, "23 bytes are no header");
	is_int(madkit_header_get(bytes, 24, &h), 0, "24 bytes are one");
	is_u64(h.base_version, 0x01, "base version");
	is_u64(h.mgmt_class, 0x81, "class");
	is_u64(h.class_version, 0x01, "class version");
	is_u64(h.method, 0x02, "method");
	is_u64(h.status, 0x1c, "status without the direction");
	is_u64(h.tid, 0x1112131415161718, "TID");
	is_u64(h.attribute, 0x15, "attribute");
	is_u64(h.modifier, 0x21222324, "modifier");

	memcpy(mad, bytes, 24);
	is_int(madkit_header_put(mad, 24, &h), 0, "put");
	is_mem(mad, bytes, 24, "what was got puts back the same");
	h.status = 0x8000 | 0x1c;
	madkit_header_put(mad, 24, &h);
	is_mem(mad, bytes, 24, "the direction bit is not the status's");
	mad[4] = 0;
	madkit_header_put(mad, 24, &h);
	is_u64(mad[4], 0, "... nor set by it");
	is_int(madkit_header_put(mad, 23, &h), -ENODATA, "put in 23 bytes");

	h.mgmt_class = 0x04;
	h.status = 0x8004;
	madkit_header_put(mad, 24, &h);
	madkit_header_get(mad, 24, &h);
	is_u64(h.status, 0x8004, "other classes have 16 bits of status");
	is_u64(mad[6] << 8 | mad[7], 0x0304, "hop fields stay");
	is_u64(mad[18] << 8 | mad[19], 0xaabb, "reserved bytes stay");

	is_u64(madkit_mad_bytes(1), 256, "an IB MAD");
	is_u64(madkit_mad_bytes(0x80), 2048, "an OPA MAD");
}

/* The kernel's rules, drivers/infiniband/core/mad.c. */
static void classes(void)
{
	bool rmpp = true, offset = true, vendor = true, smi = true;

	for (int c = 0; c < 256; c++) {
		bool device = c == 0x06 || c == 0x10 || c == 0x12;
		bool vendor2 = c >= 0x30 && c <= 0x4f;

		rmpp &= madkit_class_is_rmpp((uint8_t)c) == (c == 0x03 || device || vendor2);
		offset &= madkit_class_data_offset((uint8_t)c) == (c == 0x03 ? 56u :
								   device    ? 64u :
								   vendor2   ? 40u :
									       24u);
		vendor &= madkit_class_is_vendor2((uint8_t)c) == vendor2;
		smi &= madkit_class_is_smi((uint8_t)c) == (c == 0x01 || c == 0x81);
	}
	ok(rmpp, "classes with RMPP");
	ok(offset, "data offsets");
	ok(vendor, "vendor classes with an OUI");
	ok(smi, "SMP classes");
}

static void test_mad_responses(void)
{
	bool good = true;

	for (int c = 0; c < 256; c++) {
		for (int m = 0; m < 256; m++) {
			for (int bit = 0; bit < 2; bit++) {
				uint8_t mad[24] = { 1, (uint8_t)c, 1, (uint8_t)m };
				bool want = m >= 0x80 || m == 0x07 || (c == 0x05 && bit);

				mad[23] = (uint8_t)bit;
				good &= madkit_mad_is_response(mad, 24) == want;
				good &= !madkit_mad_is_response(mad, 23);
			}
		}
	}
	ok(good, "which MADs are responses");
}

static void test_mad_methods(void)
{
	/* clang-format off */
	static const struct {
		uint8_t class, method;
		const char *name;
	} rows[] = {
		{ 0x01, 0x01, "Get" }, { 0x01, 0x02, "Set" }, { 0x04, 0x03, "Send" },
		{ 0x01, 0x05, "Trap" }, { 0x03, 0x06, "Report" },
		{ 0x01, 0x07, "TrapRepress" }, { 0x81, 0x81, "GetResp" },
		{ 0x03, 0x86, "ReportResp" }, { 0x03, 0x12, "GetTable" },
		{ 0x03, 0x13, "GetTraceTable" }, { 0x03, 0x14, "GetMulti" },
		{ 0x03, 0x15, "Delete" }, { 0x03, 0x92, "GetTableResp" },
		{ 0x03, 0x94, "GetMultiResp" }, { 0x03, 0x95, "DeleteResp" },
		{ 0x04, 0x12, NULL }, { 0x01, 0x00, NULL }, { 0x01, 0x04, NULL },
		{ 0x03, 0x82, NULL }, { 0x32, 0xff, NULL },
	};
	/* clang-format on */
	/* clang-format off */
	static const struct {
		uint8_t class;
		const char *name;
		int ret;
		uint8_t method;
	} finds[] = {
		{ 0x01, "get", 0, 0x01 }, { 0x01, "GETRESP", 0, 0x81 },
		{ 0x03, "gettable", 0, 0x12 }, { 0x04, "GetTable", -ENOENT, 0 },
		{ 0x32, "0x10", 0, 0x10 }, { 0x32, "16", 0, 0x10 },
		{ 0x32, "255", 0, 0xff }, { 0x32, "256", -ENOENT, 0 },
		{ 0x32, "0x", -ENOENT, 0 }, { 0x32, "", -ENOENT, 0 },
		{ 0x32, "1z", -ENOENT, 0 }, { 0x32, "Gets", -ENOENT, 0 },
		{ 0x32, "0xAb", 0, 0xab }, { 0x32, "0x1ff", -ENOENT, 0 },
		{ 0x32, "99999999999999999999", -ENOENT, 0 },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint8_t method = 0xee;

		is_str(madkit_method_name(rows[i].class, rows[i].method), rows[i].name,
		       "method 0x%02x of class 0x%02x", rows[i].method, rows[i].class);
		if (rows[i].name)
			ok(!madkit_method_find(rows[i].class, rows[i].name, &method) &&
				   method == rows[i].method,
			   "... found by its name");
	}
	for (size_t i = 0; i < ARRAY_SIZE(finds); i++) {
		uint8_t method = 0xee;

		is_int(madkit_method_find(finds[i].class, finds[i].name, &method), finds[i].ret,
		       "method '%s'", finds[i].name);
		is_u64(method, finds[i].ret ? 0xee : finds[i].method, "... number");
	}

	/* libibumad names the same ones the same way */
	bool good = true;

	for (int c = 3; c <= 4; c++) {
		for (int m = 0; m < 256; m++) {
			const char *ours = madkit_method_name((uint8_t)c, (uint8_t)m);
			const char *theirs = umad_method_str((uint8_t)c, (uint8_t)m);

			if (ours ? strcmp(ours, theirs) != 0 : theirs[0] != '<') {
				printf("# method 0x%02x: ours %s, theirs %s\n", m, ours ? ours : "nothing",
				       theirs);
				good = false;
			}
		}
	}
	ok(good, "methods as libibumad calls them");
}

static void test_mad_statuses(void)
{
	/* clang-format off */
	static const struct {
		uint8_t class;
		uint16_t status;
		const char *text;
	} rows[] = {
		{ 0x01, 0x0000, "OK" },
		{ 0x01, 0x0001, "busy" },
		{ 0x01, 0x0002, "redirect required" },
		{ 0x01, 0x0003, "busy, redirect required" },
		{ 0x01, 0x0004, "bad base or class version" },
		{ 0x01, 0x0008, "method not supported" },
		{ 0x01, 0x000c, "method and attribute combination not supported" },
		{ 0x01, 0x0010, "reserved code 4" },
		{ 0x01, 0x0014, "reserved code 5" },
		{ 0x0a, 0x0014, "register not supported" },
		{ 0x01, 0x0018, "reserved code 6" },
		{ 0x01, 0x001c, "invalid value in attribute or modifier" },
		{ 0x03, 0x0300, "no records" },
		{ 0x03, 0x0301, "busy, no records" },
		{ 0x03, 0x0900, "class-specific status 0x09" },
		{ 0x04, 0x0300, "class-specific status 0x03" },
		{ 0x01, 0x8000, "class-specific status 0x80" },
		{ 0x81, 0x8000, "OK" },
		{ 0x81, 0x801c, "invalid value in attribute or modifier" },
		{ 0x01, 0x0020, "reserved bits 0x0020" },
		{ 0x03, 0x07e4, "bad base or class version, request denied, reserved bits 0x00e0" },
	};
	/* clang-format on */
	bool cut = true;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char text[128];
		size_t want = strlen(rows[i].text);

		is_u64(madkit_status_text(rows[i].class, rows[i].status, text, sizeof(text)), want,
		       "status 0x%04x: length", rows[i].status);
		is_str(text, rows[i].text, "... text");
		for (size_t size = 0; size <= want + 1; size++) {
			char *small = malloc(size + 1);

			memset(small, 'x', size + 1);
			cut &= madkit_status_text(rows[i].class, rows[i].status, small, size) == want;
			cut &= small[size] == 'x';
			if (size)
				cut &= !strncmp(small, rows[i].text, size - 1) &&
				       strlen(small) == (size - 1 < want ? size - 1 : want);
			free(small);
		}
	}
	ok(cut, "any room: cut, ended, and no byte beyond");
	is_u64(madkit_status_text(3, 0, NULL, 0), 2, "no room at all");

	/* every pair that libibumad distinguishes is distinguished */
	bool good = true;

	for (unsigned int s = 0; s < 32; s++) {
		char text[128];
		bool theirs = strcmp(umad_common_mad_status_str(htobe16((uint16_t)s)), "Success") != 0;

		madkit_status_text(0x04, (uint16_t)s, text, sizeof(text));
		good &= !theirs || strcmp(text, "OK") != 0;
	}
	for (unsigned int s = 0; s < 256; s++) {
		bool theirs =
			strcmp(umad_sa_mad_status_str(htobe16((uint16_t)(s << 8))), "Undefined Error") != 0;

		good &= s == 0 || theirs == (madkit_value_name(madkit_values_sa_status, s) != NULL);
	}
	ok(good, "statuses that libibumad knows");
	is_str(madkit_value_name(madkit_values_rmpp_status, 0), "normal", "RMPP status 0");
	char text[128];

	madkit_rmpp_end_text(1, true, text, sizeof(text));
	is_str(text, "RMPP status 1 (illegal)", "C4: a status that an ABORT must not have");
	madkit_rmpp_end_text(119, false, text, sizeof(text));
	is_str(text, "RMPP status 119 (inconsistent last and payload length)", "C4: one that it may have");
	is_str(madkit_value_name(madkit_values_rmpp_status, 127), "unspecified", "RMPP status 127");
	is_str(madkit_value_name(madkit_values_rmpp_status, 2), NULL, "RMPP status 2 is unassigned");
	is_str(madkit_value_name(madkit_values_rmpp_status, 128), NULL, "RMPP status 128 is the class's");
}

static void routes(void)
{
	struct madkit_addr a = { .direct = true, .hops = 2, .path = { 0, 3, 7, 9 } };
	uint8_t mad[256], want[256];

	memset(mad, 0xaa, sizeof(mad));
	memcpy(want, mad, sizeof(want));
	want[6] = 0;
	want[7] = 2;
	memset(want + 32, 0xff, 4);
	memset(want + 128, 0, 64);
	memcpy(want + 129, "\x03\x07", 2);
	is_int(madkit_smp_put_route(mad, &a, 0x1234), 0, "a directed route");
	is_mem(mad, want, 256, "is written, and nothing else");
	a.lid = 5;
	madkit_smp_put_route(mad, &a, 0x1234);
	memcpy(want + 32, "\x12\x34", 2);
	is_mem(mad, want, 256, "behind a LID: from the own one");
	a.dr_slid = MADKIT_LID_PERMISSIVE;
	madkit_smp_put_route(mad, &a, 0x1234);
	is_mem(mad, want, 256, "... which the permissive LID does not hide");
	a.dr_slid = 0x0102;
	a.dr_dlid = 0x0304;
	madkit_smp_put_route(mad, &a, 0x1234);
	memcpy(want + 32, "\1\2\3\4", 4);
	is_mem(mad, want, 256, "both LIDs given");
	a.dr_slid = 0;
	madkit_smp_put_route(mad, &a, 0);
	memcpy(want + 32, "\xff\xff", 2);
	is_mem(mad, want, 256, "the own LID is not known");
	a.hops = 64;
	is_int(madkit_smp_put_route(mad, &a, 1), -EINVAL, "64 hops");
	a.hops = 1;
	a.direct = false;
	is_int(madkit_smp_put_route(mad, &a, 1), -EINVAL, "no route");
	is_mem(mad, want, 256, "change nothing");
}

int main(void)
{
	test_mad_header();
	routes();
	classes();
	test_mad_responses();
	test_mad_methods();
	test_mad_statuses();
	return tap_done();
}
