/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Real MADs (tests/data/golden/NAME.hex) against the JSON and text that they
 * make (NAME.json, NAME.txt), and so a made-up MAD of every row of the tables
 * (rows-CLASS.json, rows-CLASS.txt), which its JSON becomes again. With
 * MADKIT_GOLDEN_WRITE set the files are written instead: read what changed before
 * it is committed.
 */
#include <dirent.h>
#include <stdlib.h>
#include <madkit/madkit.h>
#include "util/bits.h"
#include "util/hex.h"
#include "tests/tap.h"

static char folder[1000];

static FILE *open_file(const char *name, const char *suffix, const char *mode)
{
	char path[1400];

	snprintf(path, sizeof(path), "%s/%s%s", folder, name, suffix);
	return fopen(path, mode);
}

/* "0000: 01 81 ..." */
static size_t golden_read_hex(const char *name, uint8_t *mad, size_t size)
{
	FILE *f = open_file(name, ".hex", "r");
	char line[200];
	size_t n = 0;

	while (f && fgets(line, sizeof(line), f)) {
		char *p = strchr(line, ':');

		for (p = p ? p + 1 : line; *p && n < size;) {
			if (hex_decode(p, 2, mad + n, 1, NULL) == 1) {
				p += 2;
				n++;
			} else {
				p++;
			}
		}
	}
	if (f)
		fclose(f);
	return n;
}

static void golden_compare(const char *name, const char *suffix, const struct madkit_buf *buf)
{
	static char want[1 << 20];
	size_t n = 0, line = 0, at = 0;
	FILE *f;

	if (getenv("MADKIT_GOLDEN_WRITE")) {
		f = open_file(name, suffix, "w");
		ok(f && fwrite(buf->data, 1, buf->len, f) == buf->len && !fclose(f), "%s%s written", name,
		   suffix);
		return;
	}
	f = open_file(name, suffix, "r");
	if (f) {
		n = fread(want, 1, sizeof(want), f);
		fclose(f);
	}
	if (ok(n == buf->len && !memcmp(want, buf->data, n), "%s%s", name, suffix))
		return;
	while (at < n && at < buf->len && want[at] == buf->data[at])
		line = want[at++] == '\n' ? at : line;
	want[n < sizeof(want) ? n : n - 1] = 0;
	printf("#  got %.*s\n# want %.*s\n", (int)strcspn(buf->data + line, "\n"), buf->data + line,
	       (int)strcspn(want + line, "\n"), want + line);
	printf("# A new row of the tables, or a change that is meant: MADKIT_GOLDEN_WRITE=1 "
	       "top_srcdir=... tests/unit/golden writes it; read the difference.\n");
}

static struct madkit_message golden_message(const uint8_t *mad, size_t n, struct madkit_addr *remote)
{
	struct madkit_message m = {
		.kind = MADKIT_MESSAGE_RESPONSE,
		.host = "node17",
		.device = "umad:mlx5_0/1",
		.seq = 1,
		.remote = remote,
		.rtt_us = 41,
		.attempts = 1,
		.mad = mad,
		.len = n,
	};

	m.time.tv_sec = 1795212611; /* 2026-11-20T22:10:11Z */
	m.time.tv_nsec = 123456789;
	memset(remote, 0, sizeof(*remote));
	if (n > 1 && mad[1] == MADKIT_CLASS_SUBN_DR) {
		madkit_parse_path("0,1", remote, NULL);
	} else {
		remote->lid = 5;
		remote->qp = !madkit_class_is_smi(mad[1]);
	}
	return m;
}

static void golden_check(const char *name)
{
	static uint8_t mad[1 << 16];
	size_t n = golden_read_hex(name, mad, sizeof(mad));
	struct madkit_addr remote;
	struct madkit_message m = golden_message(mad, n, &remote);
	const struct madkit_format plain = { 0 }, verbose = { .verbose = true };
	const struct madkit_format keys = { .show_keys = true };
	struct madkit_buf buf;

	if (n > 3 && mad[3] == MADKIT_METHOD_TRAP) {
		m.kind = MADKIT_MESSAGE_REQUEST;
		m.rtt_us = m.attempts = -1;
	}
	madkit_buf_init(&buf, 0);
	ok(n && madkit_format_hex(&buf, &m, &keys) == 1, "%s.hex is read", name);
	golden_compare(name, ".hex", &buf);
	madkit_buf_reset(&buf);
	madkit_format_json(&buf, &m, &plain);
	golden_compare(name, ".json", &buf);
	madkit_buf_reset(&buf);
	madkit_format_text(&buf, &m, &plain);
	/* one with the headers too */
	if (!strcmp(name, "nodeinfo"))
		madkit_format_text(&buf, &m, &verbose);
	golden_compare(name, ".txt", &buf);
	madkit_buf_free(&buf);
}

/* ---- every row of the tables ----------------------------------------------------- */

static int golden_write_text(void *context, const struct madkit_item *item)
{
	uint8_t *data = context;

	if (item->event == MADKIT_WALK_FIELD && item->field->kind == MADKIT_KIND_STRING)
		for (uint32_t i = 0; i < item->field->width / 8; i++)
			data[item->bit / 8 + i] = (uint8_t)('a' + i % 26);
	return 0;
}

/*
 * Data bytes that count from 1, so that each value identifies its position, and text in text fields. The
 * header is that of a response.
 */
static void make_row(const struct madkit_class *c, const struct madkit_attribute *a,
		     const struct madkit_edition *e, uint8_t mad[MADKIT_MAD_BYTES])
{
	static const uint8_t tid[] = { 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8 };
	uint8_t *data = mad + (a->offset ? a->offset : c->offset);

	memset(mad, 0, MADKIT_MAD_BYTES);
	mad[0] = MADKIT_BASE_VERSION_IB;
	mad[1] = c->id;
	mad[2] = c->version;
	mad[3] = c->id == MADKIT_CLASS_CM ? MADKIT_METHOD_SEND : 0x81;
	memcpy(mad + MADKIT_MAD_TID, tid, sizeof(tid));
	put_be16(mad + MADKIT_MAD_ATTRIBUTE, a->id);
	put_be32(mad + MADKIT_MAD_MODIFIER, (0x010203 & ~a->modifier_mask) | a->modifier_value);
	if (c->id == MADKIT_CLASS_SUBN_DR)
		put_be16(mad + MADKIT_SMP_DR_SLID, MADKIT_LID_PERMISSIVE);
	if (c->id == MADKIT_CLASS_SA)
		put_be16(mad + MADKIT_SA_ATTRIBUTE_OFFSET, a->bytes / 8);
	if (c->oui)
		for (int i = 0; i < 3; i++)
			mad[MADKIT_VENDOR2_OUI + i] = (uint8_t)(c->oui >> (16 - 8 * i));
	for (unsigned int i = 0; i < a->layout->bytes; i++)
		data[i] = (uint8_t)(i + 1);
	madkit_walk(a->layout, data, a->layout->bytes, golden_write_text, data);
	madkit_attribute_choose(a, data, a->bytes);
	/* the first block of a register */
	if (a->choice_width)
		memset(data, 0, 4);
	if (e)
		for (unsigned int i = 0; i < 8; i++) {
			unsigned int shift = 56 - 8 * i;

			data[i] = (uint8_t)((data[i] & ~(e->mask >> shift)) | (e->first >> shift));
		}
}

static void add_row(const struct madkit_class *c, const struct madkit_attribute *a,
		    const struct madkit_edition *e, struct madkit_buf *json, struct madkit_buf *text)
{
	const struct madkit_format format = { .show_keys = true };
	struct madkit_json_in *in = madkit_json_in_new();
	uint8_t mad[MADKIT_MAD_BYTES];
	struct madkit_addr remote;
	struct madkit_message m;
	struct madkit_error error = { 0 };
	size_t at = json->len;

	make_row(c, a, e, mad);
	m = golden_message(mad, sizeof(mad), &remote);
	m.attribute = a;
	madkit_format_json(json, &m, &format);
	madkit_format_text(text, &m, &format);
	if (!ok(madkit_json_in_line(in, json->data + at, json->len - at, &error) == 1 &&
			madkit_json_in_message(in)->len == sizeof(mad) &&
			!memcmp(madkit_json_in_message(in)->mad, mad, sizeof(mad)),
		"%s:%s there and back", c->name, e ? e->layout->name : a->name))
		printf("# %s\n", error.text);
	madkit_json_in_free(in);
}

static void end_rows(const char *class_name, struct madkit_buf *json, struct madkit_buf *text)
{
	char name[40];

	snprintf(name, sizeof(name), "rows-%s", class_name);
	golden_compare(name, ".json", json);
	golden_compare(name, ".txt", text);
	madkit_buf_reset(json);
	madkit_buf_reset(text);
}

static void golden_check_rows(void)
{
	struct madkit_buf buf[4]; /* json and text, of one class and of many */
	const struct madkit_class *classes;
	size_t n;

	for (int i = 0; i < 4; i++)
		madkit_buf_init(&buf[i], 0);
	classes = madkit_classes(&n);
	for (size_t i = 0; i < n; i++) {
		const struct madkit_class *c = &classes[i];
		bool own = c->nattributes > 1 && c->id == c->last && !c->oui;
		struct madkit_buf *to = own ? buf : buf + 2;

		for (size_t k = 0; k < c->nattributes; k++) {
			const struct madkit_attribute *a = &c->attributes[k];

			add_row(c, a, NULL, &to[0], &to[1]);
			for (size_t e = 0; e < a->neditions; e++)
				add_row(c, a, &a->editions[e], &to[0], &to[1]);
		}
		if (own)
			end_rows(c->name, &to[0], &to[1]);
	}
	end_rows("others", &buf[2], &buf[3]);
	for (int i = 0; i < 4; i++)
		madkit_buf_free(&buf[i]);
}

static int golden_is_hex(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);

	return n > 4 && !strcmp(entry->d_name + n - 4, ".hex");
}

int main(void)
{
	const char *top = getenv("top_srcdir");
	struct dirent **names;
	int n;

	snprintf(folder, sizeof(folder), "%s/tests/data/golden", top ? top : ".");
	n = scandir(folder, &names, golden_is_hex, alphasort);
	ok(n >= 30, "%d MADs in %s", n, folder);
	for (int i = 0; i < n; i++) {
		names[i]->d_name[strlen(names[i]->d_name) - 4] = 0;
		golden_check(names[i]->d_name);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	golden_check_rows();
	return tap_done();
}
