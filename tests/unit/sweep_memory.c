/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sweeps that run out of memory, at each allocation. */
#include <errno.h>
#include "sweep/registers.h"
#include "tests/unit/fail_alloc.h"
#include "tests/unit/sweep.h"

static const struct madkit_sweep_attr by_sa = { .retries = 1, .sa = true, .hops = 4 };

/* Of the allocations of a sweep, the first ones succeed. Whether it needs no more. */
static bool sweep_starved(const struct madkit_sweep_attr *attr, long allocations, unsigned int *bad)
{
	struct swept w = { .s = NULL };
	struct madkit_path path = { .port = 1, .lid = 5 };
	struct madkit_tree *tree = NULL;
	int ret;

	if (madkit_port_open("sim:fat-tree:2,3,2", &w.port, NULL))
		exit(1);
	left = allocations;
	ret = madkit_sweep_new(w.port, attr, &w.s);
	if (!ret)
		ret = madkit_sweep_step(w.s, UINT64_MAX);
	if (ret == 1 && !attr->sa)
		ret = madkit_path_follow(w.s, &path, 1, UINT64_MAX);
	if (ret == 1 && !attr->sa)
		ret = madkit_tree_read(w.s, 0xc000, UINT64_MAX, &tree);
	madkit_tree_free(tree);
	if (reached()) {
		/* the library tries some allocations again */
		if (!ret || ret == 1)
			swept_count(&w);
		*bad += ret != -ENOMEM && (ret != 1 || w.counts.nodes != 10 || w.counts.silent) &&
			/* without memory, the SA is silent */
			!(attr->sa && ret == 1 && w.counts.missing);
		swept_close(&w);
		return false;
	}
	swept_count(&w);
	is_int(ret, 1, "with %ld allocations, the sweep ends", allocations);
	swept_print(&w);
	swept_close(&w);
	return true;
}

/* A topology file that runs out of memory at each allocation: it fails, or is the same. */
static void topology_starved(void)
{
	struct madkit_buf whole, buf;
	struct swept w = { .s = NULL };
	unsigned int bad = 0;
	long allocations = 0;
	bool ended = false;

	madkit_buf_init(&whole, 0);
	madkit_buf_init(&buf, 0);
	if (madkit_port_open("sim:fat-tree:2,3,2", &w.port, NULL) || madkit_sweep_new(w.port, &usual, &w.s) ||
	    madkit_sweep_step(w.s, UINT64_MAX) != 1)
		exit(1);
	is_int(madkit_sweep_topology(w.s, &whole), 0, "a topology file");
	for (; !ended; allocations++) {
		int ret;

		left = allocations;
		ret = madkit_sweep_topology(w.s, &buf);
		ended = !reached();
		left = -1;
		bad += ret ? ret != -ENOMEM : buf.len != whole.len || memcmp(buf.data, whole.data, buf.len);
		madkit_buf_free(&buf);
	}
	ok(allocations > 5, "... with at most %ld allocations", allocations);
	is_u64(bad, 0, "... is the same, or fails with -ENOMEM");
	madkit_buf_free(&whole);
	swept_close(&w);
}

/* ---- registers --------------------------------------------------------------------------- */

struct starved_survey {
	unsigned int answered, failed, blamed;
};

/* Every node of the fabric has registers: none may be called a liar, or without them. */
static unsigned int starved_take(void *context, struct madkit_survey_result *r)
{
	struct starved_survey *s = context;

	s->answered += !r->error && !r->reason;
	s->failed += r->error == -ENOMEM && !r->reason;
	s->blamed += r->reason && r->error != -ETIMEDOUT;
	return MADKIT_SURVEY_NEXT;
}

/* Of the allocations of a survey of a register, the first ones succeed. Returns true if it needs no more. */
static bool survey_starved(const struct swept *w, long allocations, unsigned int *blamed)
{
	struct starved_survey taken = { .answered = 0 };
	struct madkit_survey_attr attr = { .attribute = registers_row(MADKIT_CLASS_MLNX, "BitErrors"),
					   .mgmt_class = MADKIT_CLASS_MLNX,
					   .id = MADKIT_ATTR_ACCESS_REGISTER_GMP,
					   .result = starved_take,
					   .context = &taken };
	struct madkit_survey *survey = NULL;
	int ret;
	bool ended;

	left = allocations;
	ret = madkit_survey_new(w->s, &attr, &survey);
	while (!ret)
		ret = madkit_survey_step(survey, UINT64_MAX);
	ended = !reached();
	madkit_survey_free(survey);
	*blamed += taken.blamed;
	if (ended)
		is_int(taken.answered, 20, "with %ld allocations, a survey of BitErrors has all",
		       allocations);
	return ended;
}

static void survey_starves(void)
{
	struct swept w = { .s = NULL };
	unsigned int blamed = 0;
	long allocations = 0;

	if (madkit_port_open("sim:fat-tree:2,3,2", &w.port, NULL) || madkit_sweep_new(w.port, &usual, &w.s) ||
	    madkit_sweep_step(w.s, UINT64_MAX) != 1)
		exit(1);
	while (!survey_starved(&w, allocations, &blamed))
		allocations++;
	is_u64(blamed, 0, "with fewer, no node is blamed");
	swept_close(&w);
}

static void sweep_starves(const struct madkit_sweep_attr *attr)
{
	unsigned int bad = 0;
	long allocations = 0;

	while (!sweep_starved(attr, allocations, &bad))
		allocations++;
	is_u64(bad, 0, "with fewer, it ends with -ENOMEM, or finds all the same");
}

int main(void)
{
	sweep_starves(&usual);
	sweep_starves(&by_sa);
	topology_starved();
	survey_starves();
	return tap_done();
}
