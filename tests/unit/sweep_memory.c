/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sweeps that run out of memory, at each allocation. */
#include <errno.h>
#include "tests/unit/fail_alloc.h"
#include "tests/unit/sweep.h"

/* Of the allocations of a sweep, the first ones succeed. Whether it needs no more. */
static bool sweep_starved(long allocations, unsigned int *bad)
{
	struct swept w = { .s = NULL };
	struct madkit_path path = { .port = 1, .lid = 5 };
	struct madkit_tree *tree = NULL;
	int ret;

	if (madkit_port_open("sim:fat-tree:2,3,2", &w.port, NULL))
		exit(1);
	left = allocations;
	ret = madkit_sweep_new(w.port, &usual, &w.s);
	if (!ret)
		ret = madkit_sweep_step(w.s, UINT64_MAX);
	if (ret == 1)
		ret = madkit_path_follow(w.s, &path, 1, UINT64_MAX);
	if (ret == 1)
		ret = madkit_tree_read(w.s, 0xc000, UINT64_MAX, &tree);
	madkit_tree_free(tree);
	if (reached()) {
		/* the library tries some allocations again */
		if (!ret || ret == 1)
			swept_count(&w);
		*bad += ret != -ENOMEM && (ret != 1 || w.counts.nodes != 10 || w.counts.silent);
		swept_close(&w);
		return false;
	}
	swept_count(&w);
	is_int(ret, 1, "with %ld allocations, the sweep ends", allocations);
	swept_print(&w);
	swept_close(&w);
	return true;
}

int main(void)
{
	unsigned int bad = 0;
	long allocations = 0;

	while (!sweep_starved(allocations, &bad))
		allocations++;
	is_u64(bad, 0, "with fewer, it ends with -ENOMEM, or finds all the same");
	return tap_done();
}
