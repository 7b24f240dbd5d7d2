/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tables against tshark's: random MADs of every attribute in a capture written by madkit, and tshark's
 * decoding against the library's. Every field that tshark has for a MAD is accounted for.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <madkit/madkit.h>
#include "util/array_size.h"
#include "util/bits.h"
#include "util/hex.h"
#define RANDOM_SEED 0x74736861726b
#include "../random.h"
#include "../tap.h"
#include "embedded.h"
#include "tshark_map.h"
#include "wire/wire_int.h"

#define ROUNDS      7 /* random ones, then all zero, then all ones */
#define COLUMNS_MAX 600
#define TARGETS_MAX 400
#define PREFIX      "infiniband."

/* ---- what there is ---------------------------------------------------------------- */

/* A field of theirs. */
static struct column {
	char name[80];
	unsigned int same;
} columns[COLUMNS_MAX];
static size_t ncolumns;

/* A row of our tables, or an edition of one. */
static struct target {
	const struct madkit_class *class;
	const struct madkit_attribute *attribute;
	const struct madkit_edition *edition;
	uint8_t mad[ROUNDS][MADKIT_MAD_BYTES];
	unsigned int same, wrong;
} targets[TARGETS_MAX];
static size_t ntargets;

static struct {
	unsigned int shown, differ;
} use[ARRAY_SIZE(differences)];

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

static void read_columns(void)
{
	FILE *f = popen("tshark -G fields 2>/dev/null", "r");
	char line[1000];

	while (f && fgets(line, sizeof(line), f)) {
		/* F, description, name, type, ... */
		char *name = line;
		bool known = false;

		for (int tab = 0; tab < 2 && name; tab++)
			name = strchr(name, '\t') ? strchr(name, '\t') + 1 : NULL;
		if (line[0] != 'F' || !name || !begins(name, PREFIX) ||
		    begins(strchr(name, '\t'), "\tFT_NONE"))
			continue;
		*strchr(name, '\t') = 0;
		name += strlen(PREFIX);
		for (size_t i = 0; i < ARRAY_SIZE(not_the_mad); i++)
			known |= begins(name, not_the_mad[i]);
		for (size_t i = 0; i < ncolumns; i++)
			known |= !strcmp(columns[i].name, name);
		if (!known && ncolumns < COLUMNS_MAX)
			snprintf(columns[ncolumns++].name, sizeof(columns[0].name), "%s", name);
	}
	ok(f && !pclose(f), "tshark -G fields");
	ok(ncolumns && ncolumns < COLUMNS_MAX, "%zu fields", ncolumns);
}

/* ---- MADs ----------------------------------------------------------------------- */

static size_t tshark_data_offset(const struct target *t)
{
	return t->attribute->offset ? t->attribute->offset : t->class->offset;
}

static const struct madkit_layout *data_layout(const struct target *t)
{
	return t->edition ? t->edition->layout : t->attribute->layout;
}

/* Text that is the same however it is shown. */
static int tshark_write_text(void *context, const struct madkit_item *item)
{
	uint8_t *data = context;

	if (item->event == MADKIT_WALK_FIELD && item->field->kind == MADKIT_KIND_STRING)
		for (uint32_t i = 0; i < item->field->width / 8; i++)
			data[item->bit / 8 + i] = (uint8_t)('a' + random64() % 26);
	return 0;
}

static void tshark_fill(const struct target *t, uint8_t *mad, unsigned int round)
{
	const struct madkit_attribute *a = t->attribute;
	uint8_t *data = mad + tshark_data_offset(t);

	for (size_t i = 0; i < MADKIT_MAD_BYTES; i++)
		mad[i] = (uint8_t)(round == ROUNDS - 1 ? 0xff : round == ROUNDS - 2 ? 0 : random64() >> 24);
	mad[0] = MADKIT_BASE_VERSION_IB;
	mad[1] = t->class->id;
	mad[2] = t->class->version;
	/* Get and GetResp in turn */
	mad[3] = t->class->id == MADKIT_CLASS_CM ? MADKIT_METHOD_SEND : round & 1 ? 0x01 : 0x81;
	put_be16(mad + 16, a->id);
	put_be32(mad + 20, (get_be32(mad + 20) & ~a->modifier_mask) | a->modifier_value);
	if (madkit_class_is_rmpp(t->class->id))
		/* its types in turn: none, DATA, ACK, STOP, ABORT */
		mad[25] = (uint8_t)(round % 5);
	if (t->class->oui)
		for (int i = 0; i < 3; i++)
			mad[37 + i] = (uint8_t)(t->class->oui >> (16 - 8 * i));
	if (t->edition) {
		const struct madkit_edition *e = t->edition;
		uint64_t value = e->first + random64() % (e->last - e->first + 1);

		value = (get_be64(data) & ~e->mask) | (value & e->mask);
		for (unsigned int i = 0; i < 8; i++)
			data[i] = (uint8_t)(value >> (56 - 8 * i));
	}
	madkit_walk(data_layout(t), data, MADKIT_MAD_BYTES - tshark_data_offset(t), tshark_write_text, data);
	/* as many GIDs as there is room for */
	if (t->class->id == MADKIT_CLASS_SA && !strcmp(a->name, "MultiPathRecord")) {
		madkit_set(a->layout, data, a->bytes, "SGIDCount", "7", NULL, NULL);
		madkit_set(a->layout, data, a->bytes, "DGIDCount", "4", NULL, NULL);
	}
}

static void add_target(const struct madkit_class *class, const struct madkit_attribute *a,
		       const struct madkit_edition *e)
{
	struct target *t = &targets[ntargets];

	if (ntargets == TARGETS_MAX)
		return;
	ntargets++;
	t->class = class;
	t->attribute = a;
	t->edition = e;
	for (unsigned int i = 0; i < ROUNDS; i++)
		tshark_fill(t, t->mad[i], i);
}

static void write_capture(const char *path)
{
	const struct madkit_class *classes;
	struct madkit_addr remote = { .lid = 5 };
	struct madkit_message m = { .kind = MADKIT_MESSAGE_RESPONSE,
				    .remote = &remote,
				    .len = MADKIT_MAD_BYTES };
	struct madkit_buf buf;
	size_t n;
	FILE *f;

	classes = madkit_classes(&n);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < classes[i].nattributes; k++) {
			const struct madkit_attribute *a = &classes[i].attributes[k];

			add_target(&classes[i], a, NULL);
			for (size_t e = 0; e < a->neditions; e++)
				add_target(&classes[i], a, &a->editions[e]);
		}
	madkit_buf_init(&buf, 0);
	madkit_pcap_begin(&buf);
	for (size_t i = 0; i < ntargets; i++)
		for (unsigned int k = 0; k < ROUNDS; k++) {
			m.mad = targets[i].mad[k];
			remote.qp = !madkit_class_is_smi(m.mad[1]);
			madkit_pcap_add(&buf, &m, NULL, false, true);
		}
	f = fopen(path, "wb");
	ok(f && !buf.error && fwrite(buf.data, 1, buf.len, f) == buf.len && !fclose(f),
	   "a capture of %zu MADs", ntargets * ROUNDS);
	madkit_buf_free(&buf);
}

/* ---- one of their fields and ours --------------------------------------------------- */

static const struct other_name nothing;

/* One of ours, or a part of it. */
struct match {
	const uint8_t *base; /* the start from which place counts */
	size_t len;
	struct madkit_place place;
	uint64_t bit;                   /* of a bit set, 0: all of it */
	const struct other_name *other; /* never NULL */
};

static bool find_in(const struct madkit_layout *layout, const uint8_t *base, size_t len, const char *name,
		    struct match *m)
{
	const char *bit = strchr(name, '=');

	if (!layout || embedded_find(layout, name, bit ? (size_t)(bit - name) : strlen(name), &m->place))
		return false;
	m->base = base;
	m->len = len;
	m->bit = 0;
	return !bit || !madkit_value_find(m->place.field->values, bit + 1, strlen(bit + 1), &m->bit);
}

/* The beginning of one of tshark's names, "portinfo.lmc", identifies the header; its end is the name of
 * the field. */
static bool find_called(const struct target *t, const uint8_t *mad, const char *theirs, const char *name,
			struct match *m)
{
	size_t at = tshark_data_offset(t);

	if (begins(theirs, "rmpp"))
		return find_in(&madkit_layout_rmpp, mad, MADKIT_MAD_BYTES, name, m);
	if (begins(theirs, "mad"))
		return find_in(layout_of_header(mad[1]), mad, MADKIT_MAD_BYTES, name, m);
	if (begins(theirs, "smp"))
		return find_in(t->class->header, mad, MADKIT_MAD_BYTES, name, m) ||
		       find_in(layout_of_header(mad[1]), mad, MADKIT_MAD_BYTES, name, m);
	return (begins(theirs, "sa.") && find_in(t->class->header, mad, MADKIT_MAD_BYTES, name, m)) ||
	       find_in(data_layout(t), mad + at, MADKIT_MAD_BYTES - at, name, m);
}

static bool tshark_find(const struct target *t, const uint8_t *mad, const char *theirs, struct match *m)
{
	const char *dot = strrchr(theirs, '.');

	for (size_t i = 0; i < ARRAY_SIZE(other_names); i++) {
		m->other = &other_names[i];
		if (!strcmp(m->other->theirs, theirs) && find_called(t, mad, theirs, m->other->ours, m))
			return true;
	}
	m->other = &nothing;
	return find_called(t, mad, theirs, dot ? dot + 1 : theirs, m);
}

/* Returns true if a value of tshark's equals the element. */
static bool same_element(const struct match *m, unsigned int element, const char *text, size_t len)
{
	const struct madkit_field *f = m->place.field;
	uint32_t base = m->place.base;
	unsigned int index = m->place.index;
	uint8_t bytes[MADKIT_MAD_BYTES];
	const uint8_t *ours;
	char copy[600], *end;
	uint64_t value, want;

	if (m->place.repeat)
		base += element * m->place.repeat_stride;
	else if (m->place.whole)
		index = element;
	if (len >= sizeof(copy) || (f->width > 64 && (base + f->offset) % 8))
		return false;
	memcpy(copy, text, len);
	copy[len] = 0;
	ours = m->base + (base + madkit_field_offset(f, index)) / 8;
	if (f->kind == MADKIT_KIND_GID && strchr(copy, ':'))
		return inet_pton(AF_INET6, copy, bytes) == 1 && !memcmp(ours, bytes, 16);
	if (f->kind == MADKIT_KIND_STRING && len == f->width / 8)
		return !memcmp(ours, copy, len);
	if (f->width > 64)
		return len == f->width / 4 && hex_decode(copy, len, bytes, sizeof(bytes), NULL) > 0 &&
		       !memcmp(ours, bytes, len / 2);
	if (madkit_field_get(f, index, m->base + base / 8, m->len - base / 8, &value))
		return false;
	if (m->bit)
		value = (value & m->bit) != 0;
	if (m->other->width)
		value = value >> m->other->right & ((1ull << m->other->width) - 1);
	errno = 0;
	want = strtoull(copy, &end, 0);
	return !errno && len && !*end && value == want;
}

/* Theirs are several values, with commas, of an array. */
static bool tshark_same(const struct match *m, const char *text)
{
	unsigned int step = m->other->step ? m->other->step : 1;
	unsigned int elements = m->other->first ? m->other->first :
				m->place.repeat ? m->place.repeat :
				m->place.whole  ? m->place.field->count :
						  1;
	unsigned int i;

	for (i = m->other->from; i < elements; i += step) {
		size_t n = strcspn(text, ",");

		if (!same_element(m, i, text, n))
			return false;
		text += n;
		if (!*text)
			break;
		text++;
	}
	return !*text && (i + step >= elements || m->place.field->flags & MADKIT_FIELD_VARIABLE);
}

static bool is_of(const struct difference *d, const struct target *t, const struct column *c)
{
	return !strcmp(d->theirs, c->name) && (!d->mgmt_class || d->mgmt_class == t->class->id);
}

static void tshark_compare(struct target *t, unsigned int round, struct column *c, const char *text)
{
	const uint8_t *mad = t->mad[round];
	bool found, good, known = false;
	struct match m;

	if (!*text)
		return;
	found = tshark_find(t, mad, c->name, &m);
	good = found && tshark_same(&m, text);
	for (size_t i = 0; i < ARRAY_SIZE(differences); i++)
		if (is_of(&differences[i], t, c)) {
			use[i].shown++;
			use[i].differ += !good;
			known = true;
		}
	if (good) {
		c->same++;
		t->same++;
	} else if (!known && t->wrong++ < 10) {
		printf("# %s:%s %s: theirs %s is not our %s\n", t->class->name, data_layout(t)->name, c->name,
		       text, found ? m.place.path : "(none)");
	}
}

/* ---- all of them ------------------------------------------------------------------ */

static void read_frames(const char *capture)
{
	size_t size = 100000, n = 0;
	char *command = malloc(size), *line = malloc(size), *p = command;
	FILE *f;

	p += sprintf(p, "tshark -r %s -T fields -E separator=/t -E occurrence=a -E aggregator=,", capture);
	for (size_t i = 0; i < ncolumns; i++)
		p += sprintf(p, " -e " PREFIX "%s", columns[i].name);
	sprintf(p, " 2>/dev/null");
	f = popen(command, "r");
	while (f && fgets(line, (int)size, f)) {
		char *text = line;

		line[strcspn(line, "\n")] = 0;
		for (size_t i = 0; i < ncolumns && text && n < ntargets * ROUNDS; i++) {
			char *end = strchr(text, '\t');

			if (end)
				*end = 0;
			tshark_compare(&targets[n / ROUNDS], n % ROUNDS, &columns[i], text);
			text = end ? end + 1 : NULL;
		}
		n++;
	}
	ok(f && !pclose(f), "tshark reads it");
	is_u64(n, ntargets * ROUNDS, "packets");
	free(command);
	free(line);
}

static void check_malformed(const char *capture)
{
	char command[800], line[300];
	FILE *f;

	/* it takes two bytes of trap 259's details for a GID, and gives up */
	snprintf(command, sizeof(command),
		 "tshark -r %s -Y '_ws.malformed && "
		 "!(infiniband.notice.trapnumberdeviceid == 259)' 2>/dev/null",
		 capture);
	f = popen(command, "r");
	ok(f && !fgets(line, sizeof(line), f), "no packet is malformed");
	if (f && !feof(f))
		printf("# %s", line);
	if (f)
		pclose(f);
}

int main(void)
{
	const char *folder = getenv("TMPDIR");
	char capture[600];
	int fd;

	if (system("command -v tshark >/dev/null")) {
		printf("1..0 # SKIP tshark is missing\n");
		return 0;
	}
	snprintf(capture, sizeof(capture), "%s/madkit-tshark-XXXXXX", folder ? folder : "/tmp");
	fd = mkstemp(capture);
	if (fd < 0 || close(fd)) {
		printf("Bail out! no temporary file\n");
		return 1;
	}
	read_columns();
	write_capture(capture);
	read_frames(capture);
	check_malformed(capture);
	unlink(capture);
	for (size_t i = 0; i < ntargets; i++)
		ok(!targets[i].wrong && targets[i].same, "%s:%s: %u values are the same",
		   targets[i].class->name, data_layout(&targets[i])->name, targets[i].same);
	for (size_t i = 0; i < ncolumns; i++) {
		bool good = columns[i].same;

		for (size_t k = 0; k < ARRAY_SIZE(differences); k++)
			good |= !strcmp(differences[k].theirs, columns[i].name);
		ok(good, "%s is compared, or a known difference", columns[i].name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(differences); i++)
		ok(use[i].differ || !use[i].shown, "%s differs: %s", differences[i].theirs,
		   differences[i].why);
	return tap_done();
}
