/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Addresses of UD queue pairs: from a completion and its GRH, and for sending. */
#include <errno.h>
#include <string.h>
#include <madkit/madkit.h>
#include "tests/tap.h"
#include "transport/verbs_qp.h"
#include "util/array_size.h"

static const uint8_t gid_a[16] = { 0xfe, 0x80, [8] = 1, 2, 3, 4, 5, 6, 7, 8 };
static const uint8_t gid_b[16] = { 0xfe, 0x80, [8] = 8, 7, 6, 5, 4, 3, 2, 1 };
static const uint8_t v4_a[16] = { [10] = 0xff, 0xff, 10, 0, 0, 1 };
static const uint8_t v4_b[16] = { [10] = 0xff, 0xff, 10, 0, 0, 2 };

/* A queue pair with a known GID, so that the device is not queried. */
static struct verbs_qp qp_with(const uint8_t own[16], int index)
{
	struct verbs_qp v = { .info = { .port = 3, .qkey = 0x1234, .pkey_index = 5 },
			      .own_gid_index = index };

	memcpy(v.own_gid, own, 16);
	return v;
}

static void from_lid(void)
{
	struct verbs_qp v = qp_with(gid_b, 1);
	const struct ibv_wc wc = { .src_qp = 0xabcdef, .slid = 77, .sl = 3, .dlid_path_bits = 2 };
	uint8_t buffer[VERBS_GRH_BYTES];
	struct madkit_addr from;

	memset(buffer, 0xff, sizeof(buffer));
	verbs_address_from(&v, &wc, buffer, &from);
	is_int(from.lid, 77, "by LID");
	is_u64(from.qp, 0xabcdef, "... the queue pair");
	is_int(from.sl, 3, "... the service level");
	is_int(from.path_bits, 2, "... the path bits that an answer leaves with");
	is_u64(from.qkey, 0x1234, "... the Q_Key, which is this queue pair's");
	is_int(from.pkey_index, 5, "... the P_Key index, too");
	ok(!from.grh, "... no GRH: what stands in the buffer is nothing");
}

static void from_gid(void)
{
	struct verbs_qp v = qp_with(gid_b, 9);
	const struct ibv_wc wc = { .src_qp = 2, .wc_flags = IBV_WC_GRH };
	uint8_t buffer[VERBS_GRH_BYTES] = { 0x6a, 0xb1, 0x23, 0x45, [7] = 2 };
	struct madkit_addr from;

	memcpy(buffer + 8, gid_a, 16);
	memcpy(buffer + 24, gid_b, 16);
	verbs_address_from(&v, &wc, buffer, &from);
	ok(from.grh, "by GRH");
	is_mem(from.gid, gid_a, 16, "... the sender's GID");
	is_int(from.gid_index, 9, "... the index of one's own");
	is_int(from.traffic_class, 0xab, "... the traffic class");
	is_u64(from.flow_label, 0x12345, "... the flow label");
	is_int(from.hop_limit, 255, "... an answer may go as far as there is");
}

static void from_ipv4(void)
{
	struct verbs_qp v = qp_with(v4_b, 4);
	const struct ibv_wc wc = { .src_qp = 2, .wc_flags = IBV_WC_GRH };
	uint8_t buffer[VERBS_GRH_BYTES] = { [20] = 0x45, 0x88, [32] = 10, 0, 0, 1, 10, 0, 0, 2 };
	struct madkit_addr from;

	verbs_address_from(&v, &wc, buffer, &from);
	is_mem(from.gid, v4_a, 16, "RoCE on IPv4: the mapped GID");
	is_int(from.gid_index, 4, "... the index of one's own");
	is_int(from.traffic_class, 0x88, "... the type of service");
	is_u64(from.flow_label, 0, "... no flow label");
}

static void test_verbs_address_there_and_back(void)
{
	struct verbs_qp v = qp_with(gid_b, 9);
	const struct ibv_wc wc = {
		.src_qp = 2, .slid = 7, .sl = 4, .dlid_path_bits = 1, .wc_flags = IBV_WC_GRH
	};
	uint8_t buffer[VERBS_GRH_BYTES] = { 0x60 };
	struct madkit_addr from, plain = { .lid = 9, .sl = 1 };
	struct ibv_ah_attr attr;

	memcpy(buffer + 8, gid_a, 16);
	memcpy(buffer + 24, gid_b, 16);
	verbs_address_from(&v, &wc, buffer, &from);
	verbs_address_to(&v, &from, &attr);
	ok(attr.is_global && attr.dlid == 7 && attr.sl == 4 && attr.src_path_bits == 1 && attr.port_num == 3,
	   "an answer goes by the same LIDs, from the same port");
	is_mem(attr.grh.dgid.raw, gid_a, 16, "... to the sender's GID");
	is_int(attr.grh.sgid_index, 9, "... from the one that was asked");
	verbs_address_to(&v, &plain, &attr);
	ok(!attr.is_global && attr.dlid == 9, "without a GRH there is none");

	is_u64(verbs_address_qkey(&v, &from), 0x1234, "with the Q_Key that it came with");
	is_u64(verbs_address_qkey(&v, &plain), 0x1234, "no Q_Key: the queue pair's own");
	plain.qp = 1;
	is_u64(verbs_address_qkey(&v, &plain), MADKIT_QKEY_GSI, "... to QP 1 its");
	plain.qkey = 7;
	is_u64(verbs_address_qkey(&v, &plain), 7, "... unless one is given");
}

/* { bytes of the completion, of the buffer, what comes of it } */
static void test_verbs_address_lengths(void)
{
	static const struct {
		uint32_t bytes;
		size_t size;
		int ret;
	} all[] = {
		{ 40 + 256, 40 + 256, 0 },    { 40 + 24, 4136, 0 },
		{ 40 + 2048, 4136, 0 },       { 40 + 256, 40 + 255, -EINVAL },
		{ 40 + 23, 4136, -EINVAL },   { 40, 4136, -EINVAL },
		{ 39, 4136, -EINVAL },        { 0, 4136, -EINVAL },
		{ 40 + 2049, 4136, -EINVAL }, { UINT32_MAX, SIZE_MAX, -EINVAL },
		{ 40 + 24, 0, -EINVAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		const struct ibv_wc wc = { .byte_len = all[i].bytes };
		size_t len = 0;
		int ret = verbs_mad_len(&wc, all[i].size, &len);

		ok(ret == all[i].ret && (ret || len == all[i].bytes - 40), "%" PRIu32 " bytes in %zu: %s",
		   all[i].bytes, all[i].size, ret ? "no MAD" : "a MAD");
	}
}

/* Completions of sends: ours are known by their IDs, which a caller's may be anything but. */
static void sends(void)
{
	struct verbs_qp v = qp_with(gid_b, 1);
	const uint64_t first = (uintptr_t)v.sends, each = sizeof(v.sends[0]);
	const uint64_t others[] = {
		0,
		1,
		UINT64_MAX,
		first - 1,
		first - each,
		first + 1,
		first + each,
		first + each * VERBS_SENDS,
		first + each * VERBS_SENDS - 1,
		first + (UINT64_C(1) << 60),
	};
	struct ibv_wc wc = { .opcode = IBV_WC_SEND };
	unsigned int taken = 0;

	v.sends[0].handle = v.sends[VERBS_SENDS - 1].handle = &v.handles[0];
	v.handles[0].sends = v.noutstanding = 2;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		wc.wr_id = others[i];
		taken += verbs_qp_sent(&v, &wc);
	}
	is_int(taken, 0, "IDs that are none of ours end nothing");
	wc.wr_id = first;
	ok(verbs_qp_sent(&v, &wc), "the first of ours does");
	ok(!verbs_qp_sent(&v, &wc), "... once");
	wc.wr_id = first + each * (VERBS_SENDS - 1);
	ok(verbs_qp_sent(&v, &wc), "the last, too");
	ok(!v.noutstanding && !v.handles[0].sends, "... and then nothing is outstanding");
}

int main(void)
{
	sends();
	from_lid();
	from_gid();
	from_ipv4();
	test_verbs_address_there_and_back();
	test_verbs_address_lengths();
	return tap_done();
}
