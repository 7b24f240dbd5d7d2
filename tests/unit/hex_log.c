/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madrecv -r and logs: random MADs are dumped in random formats, with the prefixes of logs and other lines between
 * them, and one place of most logs is damaged. Each MAD that is shown is one of those that were dumped. Without damage
 * all of them are shown, and nothing is reported.
 *	hex_log [LOGS [FIRST]]
 * reads so many logs instead, from number FIRST on, and prints a log that fails.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <madkit/mad.h>
#include <madkit/registry.h>
#define RANDOM_SEED UINT64_C(0x6865785f6c6f67)
#include "madrecv/mad_file.h"
#include "tests/random.h"
#include "tests/tap.h"
#include "util/array_size.h"

enum { MADS_MAX = 5, ROWS_MAX = 1600, LOGS = 3000 };

struct log_line {
	char text[1200];
	int mad; /* -1: other text */
	int row;
	bool bytes, offset;
	size_t prefix; /* characters */
	size_t length; /* bytes of the MAD */
};

struct log {
	uint8_t mads[MADS_MAX][MADKIT_MAD_OPA_BYTES];
	size_t len[MADS_MAX];
	int nmads, nlines;
	bool damaged;
	const char *damage;
	struct log_line lines[ROWS_MAX];
};

static struct log hex_log;

static unsigned int hex_log_below(unsigned int n)
{
	return (unsigned int)((random64() >> 20) % n);
}

/* ---- MADs ----------------------------------------------------------------------------- */

/* styles: how many of those below may be drawn; the last two look like MADs. */
static void hex_log_fill(uint8_t *p, size_t n, unsigned int styles)
{
	static const char text[] = "0123456789abcdef]: > -> [0x01 *#|.,{}";
	unsigned int style = hex_log_below(styles);

	for (size_t i = 0; i < n; i++)
		p[i] = style == 0 ? 0 :
		       style == 1 ? (uint8_t)(random64() >> 24) :
		       style == 2 ? (hex_log_below(8) ? 0 : (uint8_t)(random64() >> 24)) :
		       style == 4 ? 1 :
		       style == 3 ? (uint8_t)text[hex_log_below(sizeof(text) - 1)] :
				    (uint8_t) "\x01\x81\x01\x01\x00\x00\x00\x11"[i % 8];
}

static size_t hex_log_make_mad(uint8_t *mad)
{
	static const uint8_t classes[] = { 0x01, 0x81, 0x04, 0x03, 0x07 };
	static const uint8_t methods[] = { 0x01, 0x02, 0x81 };
	static const uint8_t attributes[] = { 0x10, 0x11, 0x12, 0x15, 0x19 };
	bool opa = !hex_log_below(12);
	size_t len = opa ? MADKIT_MAD_OPA_BYTES : MADKIT_MAD_BYTES;

	memset(mad, 0, MADKIT_HEADER_BYTES);
	/* the rest of a longer one, alone, would be as good */
	hex_log_fill(mad + MADKIT_HEADER_BYTES, len - MADKIT_HEADER_BYTES, opa ? 4 : 6);
	mad[0] = opa ? MADKIT_BASE_VERSION_OPA : MADKIT_BASE_VERSION_IB;
	mad[1] = opa ? 0x81 : classes[hex_log_below(ARRAY_SIZE(classes))];
	mad[2] = opa ? 0x80 : madkit_class_version(mad[1]);
	mad[3] = methods[hex_log_below(ARRAY_SIZE(methods))];
	for (int i = 12; i < 16; i++)
		mad[i] = (uint8_t)(random64() >> 30);
	mad[17] = attributes[hex_log_below(ARRAY_SIZE(attributes))];
	mad[23] = (uint8_t)hex_log_below(3);
	/* no segment */
	if (mad[1] == 0x03)
		memset(mad + MADKIT_HEADER_BYTES, 0, 12);
	return len;
}

/* ---- dumps ---------------------------------------------------------------------------- */

struct dump_form {
	const char *name;
	const char *offset; /* NULL: none */
	size_t row;         /* bytes */
	size_t group;       /* bytes between blanks; 0: none */
	const char *lead;   /* before the first group */
	const char *gap;    /* in the middle */
	const char *column; /* of characters: before, and ... */
	const char *after;  /* ... after; NULL: no column */
	bool little, closes, repeats;
};

static const struct dump_form forms[] = {
	{ "xxd", "%08zx:", 16, 2, " ", "", "  ", "", false, false, false },
	{ "xxd -g 1", "%08zx:", 16, 1, " ", "", "  ", "", false, false, false },
	{ "hexdump -C", "%08zx", 16, 1, "  ", " ", "  |", "|", false, true, true },
	{ "hexdump -C -v", "%08zx", 16, 1, "  ", " ", "  |", "|", false, true, false },
	{ "od -A x -t x1z", "%06zx", 16, 1, " ", "", "  >", "<", false, true, true },
	{ "od -A d -t x1", "%07zu", 16, 1, " ", "", NULL, NULL, false, true, false },
	{ "od -A o -t x1", "%07zo", 16, 1, " ", "", NULL, NULL, false, true, false },
	{ "print_hex_dump", "%08zx:", 32, 1, " ", "", "  ", "", false, false, false },
	{ "tcpdump -x", "\t0x%04zx:", 16, 2, "  ", "", NULL, NULL, false, false, false },
	{ "tshark", "%04zx", 16, 1, "  ", "", "   ", "", false, false, false },
	{ "8 a row", "%04zx:", 8, 1, " ", "", "  ", "", false, false, false },
	{ "bytes", NULL, 16, 1, "", "", NULL, NULL, false, false, false },
	{ "xxd -p", NULL, 30, 0, "", "", NULL, NULL, false, false, false },
	{ "one line", NULL, 256, 0, "", "", NULL, NULL, false, false, false },
	{ "libibmad -d", NULL, 16, 2, "", "", NULL, NULL, false, false, false },
	{ "libibmad's xdump", NULL, 16, 1, "", "  ", NULL, NULL, false, false, false },
	{ "8 bytes", NULL, 8, 1, "", "", NULL, NULL, false, false, false },
	{ "hexdump", "%07zx", 16, 2, " ", "", NULL, NULL, true, true, false },
	/* not read: words of 8 digits, and the column of characters first or without offsets */
	{ "od -A x -t x4", "%06zx", 16, 4, " ", "", NULL, NULL, true, true, false },
	{ "ASCII first", NULL, 16, 1, "  ", "", NULL, NULL, false, false, false },
	{ "ASCII behind", NULL, 16, 1, "", "", "  ", "", false, false, false },
	/* the last one: a directed-route SMP */
	{ "opensm", NULL, 16, 1, "\t\t\t\t", "  ", NULL, NULL, false, false, false },
};

#define FORM_OPENSM (ARRAY_SIZE(forms) - 1)

static struct log_line *hex_log_line(int mad, int row)
{
	struct log_line *line = &hex_log.lines[hex_log.nlines++];

	if (hex_log.nlines > ROWS_MAX - 8)
		exit(99);
	*line = (struct log_line){ .mad = mad, .row = row };
	return line;
}

static void hex_log_append(struct log_line *line, const char *text)
{
	size_t n = strlen(line->text);

	snprintf(line->text + n, sizeof(line->text) - n, "%s", text);
}

static void hex_log_prefix(struct log_line *line, unsigned int prefix, const char *host)
{
	char text[160];
	int n = hex_log.nlines;

	switch (prefix) {
	case 0:
		text[0] = '\0';
		break;
	case 1:
		snprintf(text, sizeof(text), "[    9.%06d] ", n);
		break;
	case 2:
		snprintf(text, sizeof(text), "<6>[  123.%06d] mlx5_core 0000:03:00.0: ", n);
		break;
	case 3:
		snprintf(text, sizeof(text), "[Fri Nov 20 22:10:11 2026] ");
		break;
	case 4:
		snprintf(text, sizeof(text), "Nov 20 22:10:11 %s kernel: ", host);
		break;
	case 5:
		snprintf(text, sizeof(text), "Nov 20 22:10:11 %s kernel: [12345.%06d] ", host, n);
		break;
	case 6:
		snprintf(text, sizeof(text), "2026-11-20T22:10:11.%06d+01:00 %s smpquery[4711]: ", n, host);
		break;
	case 7:
		snprintf(text, sizeof(text), "Nov 20 22:10:11 %06d [7F3A2B40] 0x08 -> osm_vendor_get: ", n);
		break;
	default:
		snprintf(text, sizeof(text), "mad: ");
		break;
	}
	hex_log_append(line, text);
	line->prefix = strlen(line->text);
}

static void hex_log_characters(struct log_line *line, const uint8_t *p, size_t n)
{
	char text[300];

	for (size_t i = 0; i < n; i++)
		text[i] = isprint(p[i]) ? (char)p[i] : '.';
	text[n] = '\0';
	hex_log_append(line, text);
}

static void hex_log_row(struct log_line *line, const struct dump_form *form, size_t at, const uint8_t *p,
			size_t n)
{
	char text[40];

	if (form->offset) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(text, sizeof(text), form->offset, at);
#pragma GCC diagnostic pop
		hex_log_append(line, text);
	}
	if (!n)
		return;
	if (!strcmp(form->name, "ASCII first"))
		hex_log_characters(line, p, n);
	hex_log_append(line, form->lead);
	for (size_t i = 0; i < n; i++) {
		size_t last = form->little ? form->group - 1 : 0;

		if (i && form->group && i % form->group == 0)
			hex_log_append(line, " ");
		if (i && i == form->row / 2)
			hex_log_append(line, form->gap);
		snprintf(text, sizeof(text), "%02x", p[i ^ last]);
		hex_log_append(line, text);
	}
	if (form->column) {
		hex_log_append(line, form->column);
		hex_log_characters(line, p, n);
		hex_log_append(line, form->after);
	}
	line->bytes = true;
	line->length = n;
}

static void hex_log_dump(int mad, const struct dump_form *form, unsigned int prefix, const char *host)
{
	const uint8_t *p = hex_log.mads[mad];
	size_t len = hex_log.len[mad], row = form->row;
	bool star = false;
	struct log_line *line;
	int nrow = 0;

	for (size_t at = 0; at < len; at += row) {
		size_t n = len - at < row ? len - at : row;

		if (form->repeats && at && n == row && !memcmp(p + at, p + at - row, row)) {
			if (!star) {
				line = hex_log_line(mad, nrow++);
				hex_log_prefix(line, prefix, host);
				hex_log_append(line, "*");
				line->offset = true;
			}
			star = true;
			continue;
		}
		star = false;
		line = hex_log_line(mad, nrow++);
		hex_log_prefix(line, prefix, host);
		hex_log_row(line, form, at, p + at, n);
		line->offset = form->offset;
	}
	if (!form->closes)
		return;
	line = hex_log_line(mad, nrow);
	hex_log_prefix(line, prefix, host);
	hex_log_row(line, form, len, p, 0);
	line->offset = true;
}

/* A MAD as opensm can log it: no path, zero in reserved bytes. */
static void hex_log_make_smp(uint8_t *mad)
{
	mad[0] = MADKIT_BASE_VERSION_IB;
	mad[1] = 0x81;
	mad[2] = 1;
	memset(mad + 36, 0, MADKIT_SMP_DATA - 36);
	memset(mad + MADKIT_SMP_INITIAL_PATH, 0, MADKIT_MAD_BYTES - MADKIT_SMP_INITIAL_PATH);
}

static uint64_t hex_log_number(const uint8_t *p, size_t n)
{
	uint64_t value = 0;

	for (size_t i = 0; i < n; i++)
		value = value << 8 | p[i];
	return value;
}

/* A message of opensm, and the text that it logs after the SMP. */
static void hex_log_opensm(const char *text)
{
	struct log_line *line = hex_log_line(-1, 0);

	hex_log_append(line, "Nov 23 13:51:14 743915 [166A76C0] 0x20 -> ");
	hex_log_append(line, text);
}

static void hex_log_smp_field(const char *name, const uint8_t *p, size_t n)
{
	bool lid = !strncmp(name, "dr_", 3);
	char text[80];

	snprintf(text, sizeof(text), lid ? "\t\t\t\t%s%" PRIu64 : "\t\t\t\t%s0x%" PRIx64, name,
		 hex_log_number(p, n));
	hex_log_append(hex_log_line(-1, 0), text);
}

static void hex_log_smp(int mad, const struct dump_form *form)
{
	const uint8_t *p = hex_log.mads[mad];

	hex_log_opensm("SMP dump:");
	hex_log_smp_field("base_ver................", p, 1);
	hex_log_smp_field("mgmt_class..............", p + 1, 1);
	hex_log_smp_field("class_ver...............", p + 2, 1);
	hex_log_smp_field("method..................", p + 3, 1);
	hex_log_smp_field("D bit...................", p + 5, 1);
	hex_log_smp_field("status..................", p + 4, 2);
	hex_log_smp_field("hop_ptr.................", p + 6, 1);
	hex_log_smp_field("hop_count...............", p + 7, 1);
	hex_log_smp_field("trans_id................", p + 8, 8);
	hex_log_smp_field("attr_id.................", p + 16, 2);
	hex_log_smp_field("resv....................", p + 18, 2);
	hex_log_smp_field("attr_mod................", p + 20, 4);
	hex_log_smp_field("m_key...................", p + 24, 8);
	hex_log_smp_field("dr_slid.................", p + 32, 2);
	hex_log_smp_field("dr_dlid.................", p + 34, 2);
	hex_log_line(-1, 0);
	hex_log_append(hex_log_line(-1, 0), "\t\t\t\tInitial path: 0");
	hex_log_append(hex_log_line(-1, 0), "\t\t\t\tReturn path:  0");
	hex_log_append(hex_log_line(-1, 0), "\t\t\t\tReserved:     [0][0][0][0][0][0][0]");
	hex_log_line(-1, 0);
	for (int i = 0; i < 4; i++) {
		if (i)
			hex_log_line(mad, i);
		hex_log_row(hex_log_line(mad, i), form, 0, p + MADKIT_SMP_DATA + (size_t)i * 16, 16);
	}
	hex_log_opensm("sm_mad_ctrl_process_get_resp: [");
}

static void hex_log_noise(unsigned int prefix, const char *host)
{
	static const char *const noise[] = {
		"ibwarn: [9877] umad_recv: mad received",
		"port_state..............Active",
		"NodeType:........................Switch",
		"GUID: 0x0002c90300000001",
		"another message",
		"lid: 9",
	};
	struct log_line *line = hex_log_line(-1, 0);
	unsigned int what = hex_log_below(ARRAY_SIZE(noise) + 2);

	if (!prefix && what >= ARRAY_SIZE(noise)) {
		hex_log_append(line, what == ARRAY_SIZE(noise) ? "" : "# a comment");
		return;
	}
	hex_log_prefix(line, prefix, host);
	hex_log_append(line, noise[what % ARRAY_SIZE(noise)]);
}

/* ---- damage ---------------------------------------------------------------------------- */

static void hex_log_delete(int at, int n)
{
	memmove(hex_log.lines + at, hex_log.lines + at + n,
		(size_t)(hex_log.nlines - at - n) * sizeof(hex_log.lines[0]));
	hex_log.nlines -= n;
}

static bool hex_log_star(int at)
{
	const char *text = at >= 0 && at < hex_log.nlines ? hex_log.lines[at].text : "";

	return *text && text[strlen(text) - 1] == '*';
}

/* '*' stands for any number of lines: nothing shows that one beside it is missing. */
static void hex_log_lose(int at, int n)
{
	if (!hex_log_star(at - 1) && !hex_log_star(at + n))
		hex_log_delete(at, n);
}

static void hex_log_insert(int at, const struct log_line *line)
{
	struct log_line copy = *line;

	memmove(hex_log.lines + at + 1, hex_log.lines + at,
		(size_t)(hex_log.nlines - at) * sizeof(hex_log.lines[0]));
	hex_log.lines[at] = copy;
	hex_log.nlines++;
}

/* As many bytes as a row has, in a notation that none of the forms without offsets has. */
static void hex_log_foreign(struct log_line *line)
{
	static const struct {
		const char *before, *between;
		size_t group;
	} list[] = { { "", ":", 2 }, { "", " ", 4 }, { "0x", " ", 4 }, { "", " ", 8 }, { "0x", ",", 8 } };
	unsigned int which = hex_log_below(ARRAY_SIZE(list));
	size_t n = line->length;
	char text[8];

	line->text[line->prefix] = '\0';
	for (size_t i = 0; i < n; i++) {
		if (i && i % list[which].group == 0)
			hex_log_append(line, list[which].between);
		if (i % list[which].group == 0)
			hex_log_append(line, list[which].before);
		snprintf(text, sizeof(text), "%02x", i ? (unsigned int)(random64() >> 24) & 0xff : 0xfe);
		hex_log_append(line, text);
	}
}

/* One of the first so many lines is damaged. */
static void hex_log_damage(unsigned int prefix, const char *host, int lines)
{
	static const char *const numbers[] = { "10", "dead beef", "01 81 01 01", "0000: 01",
					       "0040: 01 02 03" };
	struct log_line other = { .mad = -1 }, *line;
	int at, first, last;
	size_t column;

	do
		at = (int)hex_log_below((unsigned int)lines);
	while (hex_log.lines[at].mad < 0);
	line = &hex_log.lines[at];
	for (first = at; first && hex_log.lines[first - 1].mad == line->mad; first--)
		;
	for (last = at; last + 1 < hex_log.nlines && hex_log.lines[last + 1].mad == line->mad; last++)
		;
	hex_log.damaged = true;
	switch (hex_log_below(14)) {
	case 0:
		hex_log.damage = "a line is missing";
		hex_log_lose(at, 1);
		break;
	case 1:
		hex_log.damage = "a line twice";
		hex_log_insert(at, line);
		break;
	case 2:
		hex_log.damage = "a line is cut";
		line->text[hex_log_below((unsigned int)strlen(line->text) + 1)] = '\0';
		break;
	case 3:
		hex_log.damage = "a blank line";
		hex_log_insert(at, &other);
		break;
	case 4:
		hex_log.damage = "another message";
		hex_log_prefix(&other, prefix, host);
		hex_log_append(&other, "another message");
		hex_log_insert(at, &other);
		break;
	case 5:
		hex_log.damage = "a number";
		hex_log_prefix(&other, prefix, host);
		hex_log_append(&other, numbers[hex_log_below(ARRAY_SIZE(numbers))]);
		hex_log_insert(at, &other);
		break;
	case 6:
		hex_log.damage = "the first lines are missing";
		hex_log_delete(first, at - first + 1);
		break;
	case 7:
		hex_log.damage = "the last lines are missing";
		hex_log_delete(at, last - at + 1);
		break;
	case 8:
		hex_log.damage = "some lines are missing";
		hex_log_lose(at, 1 + (int)hex_log_below((unsigned int)(last - at) + 1));
		break;
	case 9:
		hex_log.damage = "a row of another notation instead of one";
		if (line->bytes)
			hex_log_foreign(line);
		break;
	case 10:
		hex_log.damage = "a row of another notation more";
		other = *line;
		if (line->bytes)
			hex_log_foreign(&other);
		hex_log_insert(at + (int)hex_log_below(2), &other);
		break;
	case 11:
		hex_log.damage = "a line twice, with a blank line";
		hex_log_insert(at, line);
		hex_log_insert(at + 1, &other);
		break;
	case 12:
		hex_log.damage = "a character is missing";
		column = hex_log_below((unsigned int)strlen(line->text) + 1);
		if (line->text[column])
			memmove(line->text + column, line->text + column + 1, strlen(line->text + column));
		break;
	default:
		hex_log.damage = "a character is another";
		column = hex_log_below((unsigned int)strlen(line->text) + 1);
		/* of another digit nothing can be known */
		if (line->text[column])
			line->text[column] = "xg .:#*|"[hex_log_below(8)];
		break;
	}
}

/* ---- logs ------------------------------------------------------------------------------ */

static void hex_log_make(uint64_t number, const char **what)
{
	static const char *const hosts[] = { "node1", "node2" };
	static char text[400];
	bool unread = false;

	random_state = RANDOM_SEED + number * UINT64_C(0x9e3779b97f4a7c15);
	for (int i = 0; i < 8; i++)
		random64();
	hex_log.nlines = 0;
	hex_log.damaged = false;
	hex_log.damage = "none";
	hex_log.nmads = 1 + (int)hex_log_below(MADS_MAX - 1);
	text[0] = '\0';
	unsigned int prefix = hex_log_below(9), form = hex_log_below(ARRAY_SIZE(forms));
	const char *host = hosts[hex_log_below(2)];
	bool mixed = hex_log_below(2), touching = !hex_log_below(3), bare = !hex_log_below(3);
	int lines = 0;

	for (int mad = 0; mad < hex_log.nmads; mad++) {
		if (mixed) {
			prefix = hex_log_below(9);
			form = hex_log_below(ARRAY_SIZE(forms));
			host = hosts[hex_log_below(2)];
		}
		if (bare && mad < 2)
			prefix = mad ? hex_log_below(9) : 0;
		if ((!touching || mixed) && !(bare && !mad))
			for (unsigned int n = 1 + hex_log_below(3); n; n--)
				hex_log_noise(prefix, host);
		hex_log.len[mad] = hex_log_make_mad(hex_log.mads[mad]);
		if (form == FORM_OPENSM) {
			hex_log.len[mad] = MADKIT_MAD_BYTES;
			hex_log_make_smp(hex_log.mads[mad]);
			hex_log_smp(mad, &forms[form]);
		} else {
			hex_log_dump(mad, &forms[form], prefix, host);
		}
		if (!bare || !mad)
			lines = hex_log.nlines;
		unread |= !strncmp(forms[form].name, "ASCII", 5) || forms[form].group == 4 ||
			  (!forms[form].offset && forms[form].row == 8 && prefix);
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s/%u", mad ? ", " : "",
			 forms[form].name, prefix);
	}
	if (hex_log_below(2))
		hex_log_noise(prefix, host);
	if (hex_log_below(4))
		hex_log_damage(bare ? 0 : prefix, host, lines);
	hex_log.damaged |= unread;
	*what = text;
}

static bool hex_log_known(const struct mad_piece *piece)
{
	for (int i = 0; i < hex_log.nmads; i++)
		if (piece->len == hex_log.len[i] && !memcmp(piece->mad, hex_log.mads[i], piece->len))
			return true;
	return false;
}

static bool hex_log_read(uint64_t number, char *why, size_t size)
{
	FILE *in = tmpfile();
	struct mad_piece piece;
	struct mad_file file;
	int shown = 0, troubles = 0, wrong = 0, fd, ret;

	for (int i = 0; i < hex_log.nlines; i++)
		fprintf(in, "%s\n", hex_log.lines[i].text);
	fflush(in);
	fd = dup(fileno(in));
	lseek(fd, 0, SEEK_SET);
	mad_file_open(&file, fd);
	while ((ret = mad_file_next(&file, &piece))) {
		if (ret == -EAGAIN) {
			mad_file_read(&file);
		} else if (!piece.mad || piece.lost || piece.stray != MAD_STRAY_NO) {
			troubles++;
		} else {
			shown++;
			wrong += !hex_log_known(&piece);
		}
	}
	mad_file_close(&file);
	fclose(in);
	snprintf(why, size, "log %" PRIu64 ": %d MADs, %d shown, %d of them wrong, %d troubles, damage: %s",
		 number, hex_log.nmads, shown, wrong, troubles, hex_log.damage);
	return !wrong && (hex_log.damaged || (shown == hex_log.nmads && !troubles));
}

int main(int argc, char **argv)
{
	uint64_t logs = argc > 1 ? strtoull(argv[1], NULL, 0) : LOGS;
	uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 0) : 0, failed = 0;
	const char *what;
	char why[200];

	for (uint64_t i = first; i < first + logs; i++) {
		hex_log_make(i, &what);
		if (hex_log_read(i, why, sizeof(why)))
			continue;
		printf("# %s (%s)\n", why, what);
		for (int n = 0; logs == 1 && n < hex_log.nlines; n++)
			printf("%s\n", hex_log.lines[n].text);
		failed++;
	}
	is_u64(failed, 0, "%" PRIu64 " logs: each MAD that is shown is one of those that were dumped", logs);
	return tap_done();
}
