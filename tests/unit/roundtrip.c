/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * JSON loses nothing: a strict JSON library reads the lines back, and the MAD is rebuilt from header, rmpp,
 * data and rest. This covers every attribute of every class, unknown classes and attributes, both base
 * versions, tables, and MADs cut to any length.
 */
#include <stdlib.h>
#include <json.h>
#include <madkit/madkit.h>
#include "util/array_size.h"
#include "util/bits.h"
#define RANDOM_SEED 0x6d61646b6974
#include "tests/random.h"
#include "tests/tap.h"
#include "tests/unit/rebuild.h"

static uint8_t original[REBUILD_MAX];

/* The library's own reader makes the same bytes of the lines; a MAD cut short comes back
 * with zeros. */
static bool library_reads(const struct madkit_buf *buf, size_t len)
{
	struct madkit_json_in *in = madkit_json_in_new();
	const struct madkit_json_message *m = madkit_json_in_message(in);
	struct madkit_error error = { .text = "" };
	bool good = true;
	int ret = 0;

	for (size_t at = 0; good && at < buf->len;) {
		const char *end = memchr(buf->data + at, '\n', buf->len - at);
		size_t n = (size_t)(end - buf->data) + 1 - at;

		ret = madkit_json_in_line(in, buf->data + at, n, &error);
		at += n;
		if (ret != (at == buf->len))
			good = rebuild_fail("the library", ret < 0 ? error.text : "wrong number of lines");
	}
	/* the number of zeros at its end is unknown */
	for (size_t i = m->len; good && i < len; i++)
		if (original[i])
			good = rebuild_fail("the library", "message too short");
	for (size_t i = 0; good && i < m->len; i++) {
		char text[60];

		if (m->mad[i] == (i < len ? original[i] : 0))
			continue;
		snprintf(text, sizeof(text), "byte %zu of %zu is %02x, not %02x", i, len, m->mad[i],
			 i < len ? original[i] : 0);
		good = rebuild_fail("the library", text);
	}
	if (good && rebuild_row && m->attribute != rebuild_row)
		good = rebuild_fail("the library", "wrong row");
	madkit_json_in_free(in);
	return good;
}

/* Formats a message as often as it takes until a line of its shape is made by a plan. */
static void format_planned(struct madkit_buf *buf, const struct madkit_message *m,
			   struct madkit_format format,
			   int (*put)(struct madkit_buf *, const struct madkit_message *,
				      const struct madkit_format *))
{
	static struct madkit_plans *plans;

	if (!plans)
		plans = madkit_plans_new();
	format.plans = plans;
	for (int i = 0; i < 10; i++) {
		madkit_buf_reset(buf);
		put(buf, m, &format);
	}
}

static bool plans_agree_in(const struct madkit_message *m, const struct madkit_format *format,
			   const char *what,
			   int (*put)(struct madkit_buf *, const struct madkit_message *,
				      const struct madkit_format *))
{
	struct madkit_buf walked, planned;
	bool good;

	madkit_buf_init(&walked, 0);
	madkit_buf_init(&planned, 0);
	put(&walked, m, format);
	format_planned(&planned, m, *format, put);
	good = walked.len == planned.len && !memcmp(walked.data, planned.data, walked.len);
	if (!good) {
		printf("# walked: %.*s\n# planned: %.*s\n", (int)walked.len, walked.data, (int)planned.len,
		       planned.data);
		rebuild_fail("planned", what);
	}
	madkit_buf_free(&walked);
	madkit_buf_free(&planned);
	return good;
}

/* Lines made by plan are those that are made field by field; with secrets left out, and with a projection,
 * too. */
static bool plans_agree(const struct madkit_message *m)
{
	static struct madkit_projection *data, *some;
	struct madkit_format formats[4] = { [1] = { .show_keys = true, .verbose = true } };
	bool good = true;

	if (!data && (madkit_projection_new("data,redacted", &data, NULL) ||
		      madkit_projection_new("record,header.modifier,header.tid,rmpp,M_Key,LID,PortSelect,"
					    "BlockNum[1],rest",
					    &some, NULL)))
		return rebuild_fail("planned", "no projection");
	formats[2].fields = data;
	formats[3].fields = some;
	for (size_t i = 0; good && i < ARRAY_SIZE(formats); i++)
		good = plans_agree_in(m, &formats[i], "another line", madkit_format_json) &&
		       plans_agree_in(m, &formats[i], "another text", madkit_format_text);
	return good;
}

/* Formats len bytes of original, reads them back, compares. */
static bool test_roundtrip_same(size_t len)
{
	struct madkit_message m = {
		.kind = MADKIT_MESSAGE_RESPONSE,
		.mad = original,
		.len = len,
		.rtt_us = -1,
		.attempts = -1,
		.attribute = rebuild_row,
	};
	struct madkit_format format = { .show_keys = true };
	struct json_tokener *tokener = json_tokener_new();
	struct madkit_buf buf;
	bool good = true;
	int lines;

	m.time.tv_nsec = -1;
	rebuild_why[0] = 0;
	memset(rebuild_mad, 0, sizeof(rebuild_mad));
	madkit_buf_init(&buf, 0);
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	lines = madkit_format_json(&buf, &m, &format);
	for (size_t at = 0; good && at < buf.len; lines--) {
		const char *end = memchr(buf.data + at, '\n', buf.len - at);
		struct json_object *line;

		json_tokener_reset(tokener);
		line = json_tokener_parse_ex(tokener, buf.data + at, (int)(end - buf.data - (long)at));
		good = line && json_tokener_get_error(tokener) == json_tokener_success;
		if (!good)
			rebuild_fail("not JSON", json_tokener_error_desc(json_tokener_get_error(tokener)));
		else
			good = rebuild_line(line, len);
		json_object_put(line);
		at = (size_t)(end - buf.data) + 1;
	}
	if (good && lines)
		good = rebuild_fail("lines", "wrong number");
	for (size_t i = 0; good && i < sizeof(rebuild_mad); i++) {
		uint8_t want = i < len ? original[i] : 0;
		char text[60];

		if (rebuild_mad[i] != want) {
			snprintf(text, sizeof(text), "%zu of %zu is %02x, not %02x", i, len, rebuild_mad[i],
				 want);
			good = rebuild_fail("byte", text);
		}
	}
	if (good)
		good = plans_agree(&m);
	if (good && len >= MADKIT_HEADER_BYTES)
		good = library_reads(&buf, len);
	if (!good)
		printf("# %s\n# %.*s\n", rebuild_why, (int)(buf.len < 3000 ? buf.len : 3000), buf.data);
	madkit_buf_free(&buf);
	json_tokener_free(tokener);
	return good;
}

/* ---- messages ------------------------------------------------------------------ */

/* density: one in so many bytes is not zero */
static void test_roundtrip_fill(size_t len, unsigned int density, uint8_t base_version, uint8_t mgmt_class,
				uint8_t method, uint16_t id)
{
	const size_t at = madkit_attribute_offset(base_version, mgmt_class, rebuild_row);

	for (size_t i = 0; i < len; i++)
		original[i] = random64() % density ? 0 : (uint8_t)(random64() >> 20);
	original[0] = base_version;
	original[1] = mgmt_class;
	original[3] = method;
	/* most without an error: those have no data */
	if (random64() % 4)
		original[4] = original[5] = 0;
	original[16] = (uint8_t)(id >> 8);
	original[17] = (uint8_t)id;
	/* a modifier that says it is of the row that is being tried */
	if (rebuild_row && id == rebuild_row->id)
		put_be32(original + 20, (get_be32(original + 20) & ~rebuild_row->modifier_mask) |
						rebuild_row->modifier_value);
	if (rebuild_row && id == rebuild_row->id && base_version == 1)
		madkit_attribute_choose(rebuild_row, original + at, MADKIT_MAD_BYTES - at);
}

static bool test_roundtrip_check(uint8_t base_version, uint8_t mgmt_class, uint16_t id)
{
	size_t len = madkit_mad_bytes(base_version);
	static const unsigned int densities[] = { 1, 3, 20, 1000 };

	for (unsigned int round = 0; round < 24; round += random_share()) {
		test_roundtrip_fill(len, densities[round % 4], base_version, mgmt_class, 0x81, id);
		if (!test_roundtrip_same(round < 16 ? len : random64() % (len + 1)))
			return false;
	}
	return true;
}

/* Both blocks of a register together, and the first one cut. */
static bool test_roundtrip_check_joined(const struct madkit_class *class, const struct madkit_attribute *a)
{
	const size_t len = class->offset + a->joined->bytes;

	for (unsigned int round = 0; round < 24; round += random_share()) {
		test_roundtrip_fill(len, round % 4 + 1, 1, class->id, 0x81, a->id);
		/* a register is joined without an error, in the first block's place */
		put_be16(original + MADKIT_MAD_STATUS, 0);
		put_be16(original + class->offset, 0);
		if (!test_roundtrip_same(round < 12 ? len :
						      class->offset + random64() % (256 - class->offset)))
			return false;
	}
	return true;
}

/* The data says that it is of this edition. */
static void test_roundtrip_choose(const struct madkit_class *class, const struct madkit_attribute *a,
				  const struct madkit_edition *e)
{
	size_t at = a->offset ? a->offset : class->offset;
	uint64_t value = e->first + random64() % (e->last - e->first + 1);
	uint64_t word = (get_be64(original + at) & ~e->mask) | (value & e->mask);

	for (unsigned int i = 0; i < 8; i++)
		original[at + i] = (uint8_t)(word >> (56 - 8 * i));
}

static bool test_roundtrip_check_edition(const struct madkit_class *class, const struct madkit_attribute *a,
					 const struct madkit_edition *e)
{
	for (unsigned int round = 0; round < 24; round += random_share()) {
		test_roundtrip_fill(256, round % 4 + 1, 1, class->id, 0x81, a->id);
		test_roundtrip_choose(class, a, e);
		if (!test_roundtrip_same(round < 16 ? 256 : random64() % 257))
			return false;
	}
	return true;
}

/* Each bit of the data by itself, through the library. */
static bool check_bits(const struct madkit_class *class, const struct madkit_attribute *a)
{
	size_t at = a->offset ? a->offset : class->offset;
	struct madkit_message m = {
		.kind = MADKIT_MESSAGE_REQUEST,
		.mad = original,
		.len = 256,
		.rtt_us = -1,
		.attempts = -1,
		.attribute = a,
		.time.tv_nsec = -1,
	};
	struct madkit_format format = { .show_keys = true };
	struct madkit_buf buf;
	bool good = true;

	madkit_buf_init(&buf, 0);
	memset(original, 0, 256);
	original[0] = 1;
	original[1] = class->id;
	original[2] = class->version;
	original[3] = 1;
	original[16] = (uint8_t)(a->id >> 8);
	original[17] = (uint8_t)a->id;
	put_be32(original + 20, a->modifier_value);
	if (class->oui)
		bits_put(original, MADKIT_VENDOR2_OUI * 8, 24, class->oui);
	for (size_t bit = at * 8; good && bit < (at + a->bytes) * 8 && bit < 2048; bit += random_share()) {
		original[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
		rebuild_why[0] = 0;
		madkit_buf_reset(&buf);
		good = madkit_format_json(&buf, &m, &format) == 1 && library_reads(&buf, 256);
		if (!good)
			printf("# bit %zu: %s\n# %.*s\n", bit - at * 8, rebuild_why, (int)buf.len, buf.data);
		original[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
	}
	madkit_buf_free(&buf);
	return good;
}

/* A table of records of this attribute, whole or cut. */
static bool test_roundtrip_check_table(const struct madkit_attribute *a)
{
	unsigned int stride = (a->bytes + 7u) / 8 * 8;

	for (unsigned int round = 0; round < 12; round += random_share()) {
		unsigned int n = (unsigned int)(random64() % 5);
		size_t len = 56 + n * stride + (round & 1 ? 0 : random64() % stride);

		test_roundtrip_fill(len, round % 3 + 1, 1, MADKIT_CLASS_SA,
				    MADKIT_METHOD_GET_TABLE | MADKIT_METHOD_RESPONSE, a->id);
		original[4] = original[5] = 0;
		original[26] = 0;
		put_be16(original + 44, (uint16_t)(stride / 8));
		if (round % 3) {
			madkit_rmpp_set_type(original, MADKIT_RMPP_DATA);
			madkit_rmpp_set_flags(original, 3);
			madkit_rmpp_set_segment(original, 1);
			madkit_rmpp_set_length(original, round & 4 ? (uint32_t)random64() % 4000 : 0);
		}
		if (!test_roundtrip_same(len))
			return false;
	}
	return true;
}

/* Envelopes of one MAD, with and without each member. */
static bool test_roundtrip_envelopes(void)
{
	static const char *const hosts[] = { NULL, "node1", "\x01\"" }, *const tags[] = { NULL, "7",
											  "\"a\"" };
	static const char *const devices[] = { NULL, "umad:mlx5_0/1", "umad:mlx5_1/2" };

	test_roundtrip_fill(256, 3, 1, MADKIT_CLASS_SUBN, 0x81, MADKIT_ATTR_NODE_INFO);
	original[4] = original[5] = 0;
	for (unsigned int round = 0; round < 4000; round += random_share()) {
		struct madkit_addr from = {
			.lid = (uint32_t)(random64() % 100000),
			.qp = (uint32_t)(random64() % 3),
			.pkey_index = (uint16_t)(random64() % 12),
			.pkey = (uint16_t)(random64() % 2),
			.sl = (uint8_t)(random64() % 16),
			.grh = random64() % 2,
			.gid = { 0xfe, 0x80 },
			.direct = random64() % 2,
			.hops = 2,
			.path = { 0, 3, (uint8_t)(random64() % 20) },
		};
		struct madkit_message m = {
			.kind = random64() % 2 ? MADKIT_MESSAGE_RESPONSE : MADKIT_MESSAGE_UNSOLICITED,
			.host = hosts[random64() % 3],
			.device = devices[random64() % 3],
			/* the third time is of the year 10000 */
			.time = { (time_t)(random64() % 3 * 200000000000), random64() % 3 ? 5000 : -1 },
			.agent = (uint32_t)(random64() % 3),
			.seq = random64() >> random64() % 64,
			.tag = tags[random64() % 3],
			.remote = random64() % 4 ? &from : NULL,
			.rtt_us = random64() % 2 ? -1 : (int64_t)(random64() >> random64() % 64 >> 1),
			.attempts = (int32_t)(random64() % 3) - 1,
			.rmpp_illegal = !(random64() % 20),
			.mad = original,
			.len = 256,
		};

		if (!plans_agree(&m))
			return false;
	}
	return true;
}

int main(void)
{
	static const uint8_t unknown[] = { 0x00, 0x02, 0x0b, 0x15, 0x32, 0x50, 0x82, 0xff };
	const struct madkit_class *classes;
	size_t n;

	ok(test_roundtrip_envelopes(), "envelopes");
	classes = madkit_classes(&n);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < classes[i].nattributes; k++) {
			const struct madkit_attribute *a = &classes[i].attributes[k];

			rebuild_row = (k && a[-1].id == a->id) || a->modifier_mask ? a : NULL;
			for (size_t e = 0; e < a->neditions; e++)
				ok(test_roundtrip_check_edition(&classes[i], a, &a->editions[e]), "%s %s",
				   classes[i].name, a->editions[e].layout->name);
			if (a->joined)
				ok(test_roundtrip_check_joined(&classes[i], a), "%s %s", classes[i].name,
				   a->joined->name);
			ok(check_bits(&classes[i], a), "%s %s: each bit", classes[i].name, a->name);
			ok(test_roundtrip_check(1, classes[i].id, classes[i].attributes[k].id), "%s %s",
			   classes[i].name, classes[i].attributes[k].name);
		}
		rebuild_row = NULL;
		ok(test_roundtrip_check(1, classes[i].id, 0xeeee), "%s: an unknown attribute",
		   classes[i].name);
		ok(test_roundtrip_check(0x80, classes[i].id, 1), "%s: a MAD of 2048 bytes", classes[i].name);
		for (size_t k = 0; classes[i].id == MADKIT_CLASS_SA && k < classes[i].nattributes; k++)
			ok(test_roundtrip_check_table(&classes[i].attributes[k]), "table of %s",
			   classes[i].attributes[k].name);
	}
	for (size_t i = 0; i < sizeof(unknown); i++)
		ok(test_roundtrip_check(1, unknown[i], 0x11), "class 0x%02x", unknown[i]);
	return tap_done();
}
