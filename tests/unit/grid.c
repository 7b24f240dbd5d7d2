/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Grids: alignment, names that are cut but remain different, titles of several lines. */
#include <stdlib.h>
#include <madkit/grid.h>
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
	madkit_grid_write(g, limit, &buf);
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

static void grid_lines(void)
{
	static const char *const rows[] = { "leaf1", "7", "slow", "h\xc3\xa9", "12345", "" };
	static const char *const red[] = { "leaf1", "\033[31m7\033[0m", "" };
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
	grid_add(g, red, 3);
	is_str(grid_text(g, 0),
	       "NODE  SymbolErrorCounter NOTE\n"
	       "leaf1                  \033[31m7\033[0m\n",
	       "a colour has no width");
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

int main(void)
{
	madkit_buf_init(&buf, 0);
	grid_lines();
	grid_random_names();
	madkit_buf_free(&buf);
	return tap_done();
}
