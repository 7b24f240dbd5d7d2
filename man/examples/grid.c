/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* grid COLUMNS [NAME NUMBER]...: print a table of at most COLUMNS characters a line. */
#include <madkit/grid.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	struct madkit_grid *grid = madkit_grid_new(2);
	struct madkit_terminal terminal = { .columns = argc > 1 ? (size_t)atoi(argv[1]) :
								  0 };
	struct madkit_buf buf;
	int ret = grid ? 0 : -1;

	madkit_buf_init(&buf, 0);
	if (!ret)
		madkit_grid_set_terminal(grid, &terminal);
	if (!ret)
		ret = madkit_grid_add_column(grid, "Node", MADKIT_GRID_NAME);
	if (!ret)
		ret = madkit_grid_add_column(grid, "SymbolErrors", MADKIT_GRID_RIGHT);
	for (int i = 2; i < argc && !ret; i++) {
		madkit_buf_str(madkit_grid_cell(grid), argv[i]);
		ret = madkit_grid_end_cell(grid);
	}
	if (!ret)
		madkit_grid_write(grid, &buf);
	fwrite(buf.data, 1, buf.len, stdout);
	madkit_buf_free(&buf);
	madkit_grid_free(grid);
	return ret ? 1 : 0;
}
