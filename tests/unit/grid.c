/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Grids: alignment, names that are cut but remain different, titles of several lines. */
#define _XOPEN_SOURCE 700 /* wcwidth() */
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <wchar.h>
#include <wctype.h>
#include <madkit/escape.h>
#include <madkit/grid.h>
#include "util/array_size.h"
#define RANDOM_SEED 5
#include "tests/random.h"
#include "tests/tap.h"

static struct madkit_buf buf;

static void grid_add(struct madkit_grid *g, const char *const *cells, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		madkit_buf_str(madkit_grid_cell(g), cells[i]);
		madkit_grid_end_cell(g);
	}
}

static const char *grid_text(struct madkit_grid *g, size_t limit)
{
	madkit_buf_reset(&buf);
	madkit_grid_set_terminal(g, &(struct madkit_terminal){ .columns = limit, .color = true });
	madkit_grid_write(g, &buf);
	madkit_buf_char(&buf, 0);
	return buf.data;
}

static struct madkit_grid *grid_of_errors(void)
{
	struct madkit_grid *g = madkit_grid_new(1);

	madkit_grid_add_column(g, "NODE", MADKIT_GRID_NAME);
	madkit_grid_add_column(g, "SymbolErrorCounter", MADKIT_GRID_RIGHT);
	madkit_grid_add_column(g, "NOTE", 0);
	return g;
}

static void grid_columns(struct madkit_grid *g)
{
	madkit_grid_add_column(g, "NODE", MADKIT_GRID_NAME);
	madkit_grid_add_column(g, "N", MADKIT_GRID_RIGHT);
	madkit_grid_add_column(g, "NOTE", MADKIT_GRID_NOTE);
}

static void grid_lines(void)
{
	static const char *const rows[] = { "leaf1", "7", "slow", "h\xc3\xa9", "12345", "" };
	struct madkit_grid *g = grid_of_errors();

	grid_add(g, rows, 6);
	is_u64(madkit_grid_rows(g), 2, "two rows");
	is_str(grid_text(g, 0),
	       "NODE  SymbolErrorCounter NOTE\n"
	       "leaf1                  7 slow\n"
	       "h\xc3\xa9                 12345\n",
	       "numbers at the right, characters of several bytes, no blanks at the end");
	grid_add(g, rows, 3);
	is_str(grid_text(g, 0), "leaf1                  7 slow\n", "titles once");
	is_str(grid_text(g, 0), "", "... and rows");
	madkit_grid_free(g);
	g = grid_of_errors();
	grid_add(g, rows, 3);
	is_str(grid_text(g, 20),
	       "       Symbol\n"
	       "        Error\n"
	       "NODE  Counter NOTE\n"
	       "leaf1       7 slow\n",
	       "titles of several lines, the last at the bottom");
	madkit_grid_free(g);
	g = grid_of_errors();
	madkit_grid_set_terminal(g, &(struct madkit_terminal){ .color = true });
	madkit_buf_str(madkit_grid_cell(g), "leaf1");
	madkit_grid_end_cell(g);
	madkit_grid_color(g, MADKIT_COLOR_RED);
	madkit_buf_str(madkit_grid_cell(g), "7");
	madkit_grid_end_cell(g);
	madkit_grid_color(g, MADKIT_COLOR_NONE);
	madkit_grid_end_cell(g);
	is_str(grid_text(g, 0),
	       "NODE  SymbolErrorCounter NOTE\n"
	       "leaf1                  \033[31m7\033[0m\n",
	       "a colour has no width");
	madkit_grid_free(g);
}

/* Wide characters, escapes, and notes below their rows. */
static void grid_terminals(void)
{
	static const char *const rows[] = { "h\xc3\xa9", "7", "", "\xe6\x9d\xb1\xe4\xba\xac", "8", "x" };
	static const char *const noted[] = { "leaf1", "1", "", "leaf2", "2", "slow: 4x HDR is possible" };
	struct madkit_grid *g = madkit_grid_new(1);

	grid_columns(g);
	grid_add(g, rows, 6);
	is_str(grid_text(g, 0), "NODE N NOTE\nh\xc3\xa9   7\n\xe6\x9d\xb1\xe4\xba\xac 8 x\n",
	       "wide characters take two columns");
	madkit_grid_free(g);
	g = madkit_grid_new(1);
	grid_columns(g);
	madkit_grid_set_terminal(g, &(struct madkit_terminal){ .ascii = true });
	grid_add(g, rows, 3);
	is_str(grid_text(g, 0), "NODE      N NOTE\nh\\xc3\\xa9 7\n", "without UTF-8, characters are escaped");
	madkit_grid_free(g);
	g = madkit_grid_new(1);
	grid_columns(g);
	grid_add(g, noted, 6);
	is_str(grid_text(g, 20),
	       "NODE  N NOTE\n"
	       "leaf1 1\n"
	       "leaf2 2\n"
	       "    slow: 4x HDR is possible\n",
	       "a note that does not fit is on a separate line");
	madkit_grid_free(g);
}

/* Cuts random names at random widths: lines are as short as they can be, and different names remain different. */
static void grid_random_names(void)
{
	enum { NAMES = 30 };
	unsigned int alike = 0, wide = 0, lost = 0;

	for (unsigned int run = 0; run < 300; run++) {
		struct madkit_grid *g = madkit_grid_new(1);
		char names[NAMES][64], *line;
		size_t limit = 12 + random64() % 60;
		const size_t prefix = random64() % 30, suffix = random64() % 20;

		madkit_grid_add_column(g, "N", MADKIT_GRID_NAME);
		for (unsigned int i = 0; i < NAMES; i++) {
			const char *const cells[] = { names[i] };

			snprintf(names[i], sizeof(names[i]), "%.*s%u%.*s", (int)prefix,
				 "compute-rack-in-the-second-hall", i, (int)suffix, "-of-mlx5_0-HCA-1-x");
			grid_add(g, cells, 1);
		}
		grid_text(g, limit);
		line = strchr(buf.data, '\n') + 1;
		for (unsigned int i = 0; i < NAMES; i++) {
			size_t len = strcspn(line, "\n");
			const char *next = line + len + 1;

			wide += len > limit && len > prefix + suffix + 2;
			lost += len < 2 && strlen(names[i]) > 2;
			for (unsigned int j = i + 1; j < NAMES; j++) {
				size_t other = strcspn(next, "\n");

				alike += other == len && !memcmp(line, next, len);
				next += other + 1;
			}
			line += len + 1;
		}
		madkit_grid_free(g);
	}
	is_u64(alike, 0, "no two names look alike");
	is_u64(wide, 0, "no line is longer than its name, or the limit");
	is_u64(lost, 0, "no name is lost");
}

/* Makes a name as they are in fabrics. */
static void grid_make_name(char name[64])
{
	const unsigned int rack = random64() % 13, at = random64() % 40;

	switch (random64() % 5) {
	case 0:
		snprintf(name, 64, "MF0;ib-core-rack%u-%s%u:MQM8700/U1", rack, at % 2 ? "leaf" : "spine", at);
		break;
	case 1:
		snprintf(name, 64, "compute-rack%u-node%03u mlx5_%u", rack, at, at % 3);
		break;
	case 2:
		snprintf(name, 64, "h\xc3\xb4te-\xe6\x9d\xb1\xe4\xba\xac-\xe6\x9d\xb1\xe4\xba\xac-%u-mlx5_0",
			 at);
		break;
	case 3:
		snprintf(name, 64, "%u...%u", rack, at);
		break;
	default:
		snprintf(name, 64, "h%u-%u", rack, at);
	}
}

struct shown {
	char name[64];
	char text[64];
};

/* Notes how a name is shown. Returns false if it is shown in two ways, or as another name. */
static bool grid_note_shown(struct shown *all, size_t *n, const char *name, const char *text, size_t len)
{
	while (len && text[len - 1] == ' ')
		len--;
	for (size_t i = 0; i < *n; i++) {
		const bool same = !strcmp(all[i].name, name);

		if (same != (strlen(all[i].text) == len && !memcmp(all[i].text, text, len)))
			return false;
		if (same)
			return true;
	}
	snprintf(all[*n].name, sizeof(all->name), "%s", name);
	snprintf(all[(*n)++].text, sizeof(all->text), "%.*s", (int)len, text);
	return true;
}

/* Shows random rows at random widths: a name is always shown alike, and unlike all others; columns are aligned. */
static void grid_random_rows(void)
{
	enum { ROWS = 40 };
	static struct shown all[2 * ROWS];
	static char names[2 * ROWS][64];
	unsigned int alike = 0, askew = 0, lost = 0;

	for (unsigned int run = 0; run < 400; run++) {
		struct madkit_grid *g = madkit_grid_new(1);
		const size_t limit = 20 + random64() % 181, rows = 1 + random64() % ROWS;
		size_t n = 0, place = 0;
		char *line;

		madkit_grid_add_column(g, "NODE", MADKIT_GRID_NAME);
		madkit_grid_add_column(g, "NUMBER", MADKIT_GRID_RIGHT);
		madkit_grid_add_column(g, "PEER", MADKIT_GRID_NAME);
		for (size_t i = 0; i < rows; i++) {
			char number[16];
			const char *const cells[] = { names[2 * i], number, names[2 * i + 1] };

			grid_make_name(names[2 * i]);
			grid_make_name(names[2 * i + 1]);
			snprintf(number, sizeof(number), "#%zu#", 10 + i);
			grid_add(g, cells, 3);
		}
		grid_text(g, limit);
		line = strchr(buf.data, '\n') + 1;
		for (size_t i = 0; i < rows; i++) {
			const char *end = strchr(line, '\n'),
				   *number = memchr(line, '#', (size_t)(end - line));
			char want[16];

			snprintf(want, sizeof(want), "#%zu#", 10 + i);
			if (!number || strncmp(number, want, 4) != 0 || end - number < 6) {
				lost++;
				break;
			}
			place = place ? place : madkit_text_columns(line, (size_t)(number - line));
			askew += madkit_text_columns(line, (size_t)(number - line)) != place;
			alike += !grid_note_shown(all, &n, names[2 * i], line, (size_t)(number - line));
			alike += !grid_note_shown(all, &n, names[2 * i + 1], number + 5,
						  (size_t)(end - number - 5));
			line += end - line + 1;
		}
		madkit_grid_free(g);
	}
	is_u64(lost, 0, "no row is lost");
	is_u64(askew, 0, "columns are aligned");
	is_u64(alike, 0, "each name is shown in one way, and unlike all others");
}

/* The columns of characters, as wcwidth() has them where a locale of UTF-8 is installed. */
static void grid_characters(void)
{
	static const struct {
		const char *text;
		size_t columns;
	} cases[] = {
		{ "", 0 },
		{ "leaf1", 5 },
		{ "\xc3\xa9", 1 },
		{ "e\xcc\x81", 1 },
		{ "\xe6\x9d\xb1\xe4\xba\xac", 4 },
		{ "\xed\x95\x9c", 2 },
		{ "\xef\xbc\xa1", 2 },
		{ "\xf0\x9f\x98\x80", 2 },
		{ "\033[31m?\033[0m", 1 },
		{ "\xff\xfe", 2 },
		{ "\xe2\x86\x94", 1 },
	};
	/* Europe; kana and ideographs; Hangul; full width */
	static const struct {
		wchar_t first, last;
	} ranges[] = { { 0xa1, 0x52f }, { 0x3041, 0x9fff }, { 0xac00, 0xd7a3 }, { 0xff21, 0xff5a } };
	unsigned int different = 0;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		is_u64(madkit_text_columns(cases[i].text, strlen(cases[i].text)), cases[i].columns,
		       "columns of '%s'", cases[i].text);
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
		for (wchar_t c = ranges[i].first; c <= ranges[i].last; c++) {
			char text[MB_LEN_MAX + 1];
			const int len = iswalpha((wint_t)c) ? wctomb(text, c) : -1;

			if (len > 0)
				different += madkit_text_columns(text, (size_t)len) != (size_t)wcwidth(c);
		}
	is_u64(different, 0, "letters have the columns that wcwidth() returns");
}

int main(void)
{
	madkit_buf_init(&buf, 0);
	grid_lines();
	grid_terminals();
	grid_random_names();
	grid_random_rows();
	grid_characters();
	madkit_buf_free(&buf);
	return tap_done();
}
