/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The subnet manager: that a fabric is up when it has swept, and what it does about changes
 * and other managers. */
#include "tests/unit/sim_manage.h"

/* h1[1]-[1]A, h3[1]-[2]A, A[3]-[2]B, A[4]-[3]B, h2[1]-[1]B, h2[2]-[4]B */
#define LINE "Switch 8 \"A\"\n[1] \"h1\"[1]\n[2] \"h3\"[1]\n[3] \"B\"[2]\n[4] \"B\"[3]\n" \
	"Switch 20 \"B\"\n[1] \"h2\"[1]\n[2] \"A\"[3]\n[3] \"A\"[4]\n[4] \"h2\"[2]\n" \
	"Ca 1 \"h1\"\n[1] \"A\"[1]\nCa 2 \"h2\"\n[1] \"B\"[1]\n[2] \"B\"[4]\n" \
	"Ca 1 \"h3\"\n[1] \"A\"[2]\n"

static void bring_up(const char *what, const char *words, const char *where)
{
	struct subject x;
	struct told told;
	struct findings found;

	if (!ok(subject_open(&x, words), "%s", what))
		return;
	is_int(subject_manage(&x, 0, subject_node(&x, where), &told), 0, "... has a manager");
	subject_run(&x, UINT64_MAX);
	is_int(sm_state(x.sm[0]), SM_MASTER, "... which is master");
	is_u64(x.swept[0], 1, "... has swept once");
	is_u64(x.nodes[0], x.t->nnodes, "... and found %u nodes", x.t->nnodes);
	is_up(&x, what);
	found = look(&x);
	is_u64(found.highest, found.ends, "... the LIDs are the lowest");
	printf("# after %" PRIu64 " us\n", x.now / 1000);
	subject_close(&x);
}

int main(void)
{
	bring_up("two switches", LINE, "h1");
	bring_up("a switch's own port", LINE, "B");
	bring_up("two hosts", "Ca 1 \"a\"\n[1] \"b\"[1]\nCa 1 \"b\"\n[1] \"a\"[1]\n", "a");
	bring_up("fat tree", "fat-tree:24,20,4", "h1-1");
	return tap_done();
}
