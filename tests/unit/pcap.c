/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Capture files, read back by the letter of their formats. With a name as its
 * argument, writes the golden MADs and a few more to it (for tests/pcap.sh).
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <madkit/madkit.h>
#include "util/array_size.h"
#include "util/bits.h"
#include "util/hex.h"
#include "tests/tap.h"

static uint32_t le32(const uint8_t *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint8_t mad[1 << 16];

static struct madkit_message test_pcap_message(uint8_t mgmt_class, uint8_t method, uint16_t id, size_t len,
					       const struct madkit_addr *remote)
{
	struct madkit_header h = {
		.base_version = 1,
		.mgmt_class = mgmt_class,
		.class_version = madkit_class_version(mgmt_class),
		.method = method,
		.tid = 7,
		.attribute = id,
	};

	memset(mad, 0, sizeof(mad));
	madkit_header_put(mad, sizeof(mad), &h);
	return (struct madkit_message){
		.kind = MADKIT_MESSAGE_RESPONSE,
		.remote = remote,
		.mad = mad,
		.len = len,
		.time = { 1795212611, 123456789 },
	};
}

/* A packet's layers, as they were found. */
struct packet {
	const uint8_t *lrh, *grh, *bth, *deth, *mad;
	size_t bytes; /* of the MAD */
};

/* Reads one record; the place behind, or NULL where it contradicts itself. */
static const uint8_t *read_packet(const uint8_t *p, const uint8_t *end, struct packet *packet)
{
	uint32_t incl, wire;
	const uint8_t *next;
	unsigned int words;

	if (end - p < 32)
		return NULL;
	incl = le32(p + 8);
	if (le32(p) != 1795212611 || le32(p + 4) != 123456789 || le32(p + 12) != incl || p + 16 + incl > end)
		return NULL;
	next = p + 16 + incl;
	p += 16;
	wire = get_be16(p + 14);
	/* the fraction of 2^32: within one unit of the nanoseconds */
	if (le32(p + 4) != 1795212611 || le32(p) != 530242871 || p[8] != 21 || get_be16(p + 10) != incl ||
	    wire != incl - 16)
		return NULL;
	packet->lrh = p + 16;
	packet->grh = (packet->lrh[1] & 3) == 3 ? packet->lrh + 8 : NULL;
	packet->bth = packet->lrh + (packet->grh ? 48 : 8);
	packet->deth = packet->bth + 12;
	packet->mad = packet->deth + 8;
	packet->bytes = (size_t)(next - packet->mad) - 6;
	/* in words, with the invariant CRC and without the variant one */
	words = get_be16(packet->lrh + 4);
	if (words * 4 != wire - 2 || packet->bth[0] != 0x64)
		return NULL;
	if (packet->grh && get_be16(packet->grh + 4) != words * 4 - 48)
		return NULL;
	return next;
}

static uint32_t be24(const uint8_t *p)
{
	return (uint32_t)p[0] << 16 | get_be16(p + 1);
}

static void check_addresses(void)
{
	struct madkit_addr lid = { .lid = 5, .qp = 0x23, .qkey = 0x1234, .sl = 9 };
	struct madkit_addr grh = { .lid = 6,
				   .qp = 1,
				   .grh = true,
				   .gid = { 0xfe, 0x80, [15] = 9 },
				   .hop_limit = 7,
				   .traffic_class = 0xab,
				   .flow_label = 0x12345 };
	struct madkit_addr dr = { .lid = 0 };
	struct madkit_buf buf;
	struct madkit_message m;
	struct packet p;
	const uint8_t *next;

	madkit_parse_path("0,1", &dr, NULL);
	madkit_buf_init(&buf, 0);
	madkit_pcap_begin(&buf);
	is_u64(buf.len, 24, "a file's header");
	ok(le32((uint8_t *)buf.data) == 0xa1b23c4d && le32((uint8_t *)buf.data + 4) == 0x40002 &&
		   le32((uint8_t *)buf.data + 20) == 197,
	   "nanoseconds, 2.4, ERF");

	m = test_pcap_message(MADKIT_CLASS_PERF, 0x81, 0x12, 256, &lid);
	is_int(madkit_pcap_add(&buf, &m, NULL, true, false), 0, "sent");
	next = read_packet((uint8_t *)buf.data + 24, (uint8_t *)buf.data + buf.len, &p);
	ok(next == (uint8_t *)buf.data + buf.len, "one record");
	ok(get_be16(p.lrh + 2) == 5 && !get_be16(p.lrh + 6) && p.lrh[1] >> 4 == 9 && !(p.lrh[0] >> 4),
	   "its LRH");
	ok(be24(p.bth + 5) == 0x23 && be24(p.deth + 5) == 1 && get_be32(p.deth) == 0x1234,
	   "its QPs and Q_Key");
	ok(p.bytes == 256 && !memcmp(p.mad, mad, 256), "its MAD");

	madkit_buf_reset(&buf);
	m = test_pcap_message(MADKIT_CLASS_SA, 0x81, 0x35, 120, &grh);
	is_int(madkit_pcap_add(&buf, &m, NULL, false, false), 0, "received, with a GRH");
	read_packet((uint8_t *)buf.data, (uint8_t *)buf.data + buf.len, &p);
	ok(p.grh && get_be32(p.grh) == 0x6ab12345 && p.grh[6] == 0x1b && p.grh[7] == 7 &&
		   !memcmp(p.grh + 8, grh.gid, 16) && !p.grh[24],
	   "its GRH");
	ok(get_be16(p.lrh + 6) == 6 && !get_be16(p.lrh + 2), "its LIDs");
	ok(p.bytes == 256, "a short MAD is filled up");

	madkit_buf_reset(&buf);
	m = test_pcap_message(MADKIT_CLASS_SUBN_DR, 1, 0x11, 256, &dr);
	madkit_pcap_add(&buf, &m, NULL, true, false);
	read_packet((uint8_t *)buf.data, (uint8_t *)buf.data + buf.len, &p);
	ok(p.lrh[0] >> 4 == 15 && get_be16(p.lrh + 2) == 0xffff && get_be16(p.lrh + 6) == 0xffff &&
		   !be24(p.bth + 5) && !be24(p.deth + 5) && !get_be32(p.deth),
	   "an SMP on a directed route");

	madkit_buf_reset(&buf);
	m = test_pcap_message(MADKIT_CLASS_SUBN, 0x81, 1, 2048, NULL);
	mad[0] = 0x80;
	madkit_pcap_add(&buf, &m, NULL, false, true);
	read_packet((uint8_t *)buf.data, (uint8_t *)buf.data + buf.len, &p);
	is_u64(p.bytes, 2048, "OPA's MAD");

	madkit_buf_reset(&buf);
	m.len = 23;
	is_int(madkit_pcap_add(&buf, &m, NULL, true, false), 0, "less than a header");
	m.mad = NULL;
	is_int(madkit_pcap_add(&buf, &m, NULL, true, false), 0, "no MAD");
	is_u64(buf.len, 0, "nothing appended");
	madkit_buf_free(&buf);
}

/* Messages of several segments: the segments hold the data, each once. */
static void check_segments(void)
{
	static const struct {
		uint8_t mgmt_class;
		size_t head;
	} classes[] = {
		{ MADKIT_CLASS_SA, 56 },
		{ 0x32, 40 },
		{ MADKIT_CLASS_DEVICE, 64 },
	};
	static const size_t lengths[] = { 201, 216, 217, 400, 401, 1000, 40000 };
	struct madkit_addr remote = { .lid = 5, .qp = 1 };
	struct madkit_buf buf;

	madkit_buf_init(&buf, 0);
	for (size_t i = 0; i < 3 * ARRAY_SIZE(lengths); i++) {
		size_t head = classes[i % 3].head, data = lengths[i / 3];
		struct madkit_message m =
			test_pcap_message(classes[i % 3].mgmt_class, 0x92, 0xee, head + data, &remote);
		size_t room = 256 - head, n = (data + room - 1) / room, got = 0;
		const uint8_t *at, *next, *end;
		bool good = true;
		struct packet p;
		uint32_t segment;

		if (m.len <= 256)
			continue;
		for (size_t k = 36; k < head; k++)
			mad[k] = (uint8_t)(0xa0 + k);
		for (size_t k = 0; k < data; k++)
			mad[head + k] = (uint8_t)(k % 251 + 1);
		madkit_rmpp_set_flags(mad, MADKIT_RMPP_ACTIVE);
		madkit_buf_reset(&buf);
		madkit_pcap_add(&buf, &m, NULL, true, true);
		at = (uint8_t *)buf.data;
		end = at + buf.len;
		for (segment = 1; good && at < end; at = next, segment++) {
			bool first = segment == 1, last = segment == n;
			size_t here = last ? data - got : room;

			next = read_packet(at, end, &p);
			good = next && p.bytes == 256 && madkit_rmpp_get_type(p.mad) == MADKIT_RMPP_DATA &&
			       madkit_rmpp_get_version(p.mad) == 1 &&
			       madkit_rmpp_get_segment(p.mad) == segment &&
			       madkit_rmpp_get_flags(p.mad) == (1 | first << 1 | last << 2) &&
			       madkit_rmpp_get_length(p.mad) == (first ? data + n * (head - 36) :
								 last  ? here + head - 36 :
									 0) &&
			       !memcmp(p.mad, mad, 24) && !memcmp(p.mad + 36, mad + 36, head - 36) &&
			       !memcmp(p.mad + head, mad + head + got, here);
			got += here;
		}
		ok(good && got == data && segment == n + 1, "class 0x%02x, %zu bytes in %zu segments",
		   classes[i % 3].mgmt_class, data, n);
	}
	madkit_buf_free(&buf);
}

static void test_pcap_check_secrets(void)
{
	struct madkit_message m = test_pcap_message(MADKIT_CLASS_SA, 0x92, 0x12, 56 + 5 * 72, NULL);
	struct madkit_buf buf;
	bool good = true;
	struct packet p;

	mad[45] = 9;
	madkit_rmpp_set_flags(mad, 3);
	madkit_rmpp_set_type(mad, 1);
	for (size_t at = 36; at < m.len; at++)
		if (at < 44 || at >= 56)
			mad[at] = 0x5e;
	madkit_buf_init(&buf, 0);
	madkit_pcap_add(&buf, &m, NULL, false, false);
	/* the second record's M_Key, in the first segment */
	read_packet((uint8_t *)buf.data, (uint8_t *)buf.data + buf.len, &p);
	for (int i = 0; i < 8; i++)
		good &= !p.mad[36 + i] && !p.mad[56 + 72 + 4 + i];
	ok(good && p.mad[56 + 72 + 3] == 0x5e && p.mad[56 + 72 + 12] == 0x5e,
	   "secrets are zero in the file, and nothing else");
	ok(mad[36] == 0x5e, "and the message keeps them");
	madkit_buf_reset(&buf);
	madkit_pcap_add(&buf, &m, NULL, false, true);
	read_packet((uint8_t *)buf.data, (uint8_t *)buf.data + buf.len, &p);
	ok(p.mad[36] == 0x5e && p.mad[56 + 76] == 0x5e, "unless they are shown");
	madkit_buf_free(&buf);

	/* a buffer that cannot grow keeps its content */
	madkit_buf_init(&buf, 700);
	madkit_pcap_begin(&buf);
	is_int(madkit_pcap_add(&buf, &m, NULL, false, false), -EFBIG, "no room");
	is_u64(buf.len, 24, "keeps what it held");
	madkit_buf_free(&buf);
}

/* ---- for other readers --------------------------------------------------------- */

static int test_pcap_is_hex(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);

	return n > 4 && !strcmp(entry->d_name + n - 4, ".hex");
}

static size_t test_pcap_read_hex(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[200];
	size_t n = 0;

	memset(mad, 0, sizeof(mad));
	while (f && fgets(line, sizeof(line), f))
		for (char *p = strchr(line, ':'); p && *p; p++)
			if (hex_decode(p, 2, mad + n, 1, NULL) == 1) {
				p++;
				n++;
			}
	if (f)
		fclose(f);
	return n;
}

static int write_golden(const char *file)
{
	const char *top = getenv("top_srcdir");
	struct madkit_addr remote = { .lid = 5, .qp = 1 };
	char folder[1000], path[1400];
	struct madkit_buf buf;
	struct dirent **names;
	FILE *f;
	int n;

	snprintf(folder, sizeof(folder), "%s/tests/data/golden", top ? top : ".");
	n = scandir(folder, &names, test_pcap_is_hex, alphasort);
	madkit_buf_init(&buf, 0);
	madkit_pcap_begin(&buf);
	for (int i = 0; i < n; i++) {
		struct madkit_message m = {
			.kind = MADKIT_MESSAGE_RESPONSE,
			.remote = &remote,
			.mad = mad,
			.time = { 1795212611 + i, 0 },
		};

		snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
		m.len = test_pcap_read_hex(path);
		remote.qp = !madkit_class_is_smi(mad[1]);
		remote.grh = i & 1;
		madkit_pcap_add(&buf, &m, NULL, false, false);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	f = fopen(file, "wb");
	n = !f || buf.error || fwrite(buf.data, 1, buf.len, f) != buf.len || fclose(f);
	madkit_buf_free(&buf);
	return n;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return write_golden(argv[1]);
	check_addresses();
	check_segments();
	test_pcap_check_secrets();
	return tap_done();
}
