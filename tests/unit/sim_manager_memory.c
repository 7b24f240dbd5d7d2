/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Every allocation fails once while a subnet comes up and changes: the subnet manager goes on
 * and it is up in the end. */
#include "tests/unit/fail_alloc.h"
#include "tests/unit/sim_manage.h"

static bool works(const struct subject *x)
{
	struct findings found = look(x);

	return x->sm[0]->state == SM_MASTER && found.active == found.ports && found.lids == found.ends &&
	       found.good == found.ways;
}

int main(void)
{
	unsigned int failed = 0, refused = 0, wrong = 0, other = 0;

	for (long i = 0;; i++) {
		struct subject x;
		bool hit;
		int ret;

		if (!subject_open(&x, "fat-tree:2,3,2"))
			break;
		left = i;
		ret = subject_manage(&x, 0, subject_node(&x, "h1-1"));
		if (!ret) {
			subject_run(&x, 300000 * MS);
			/* the way that these two take is another one then */
			fabric_cable(x.s->fabric, subject_node(&x, "spine1"), 1, false);
			subject_run(&x, 600000 * MS);
			fabric_cable(x.s->fabric, subject_node(&x, "spine1"), 1, true);
			subject_run(&x, 900000 * MS);
		}
		hit = reached();
		failed += hit;
		refused += ret == -ENOMEM;
		other += ret && ret != -ENOMEM;
		if (!ret && !works(&x)) {
			wrong++;
			printf("# not up: allocation %ld\n", i);
		}
		subject_close(&x);
		if (!hit)
			break;
	}
	ok(failed > 50, "%u allocations fail", failed);
	ok(refused > 2 && refused < failed, "... %u of them leave no manager", refused);
	is_u64(other, 0, "... each is told");
	is_u64(wrong, 0, "... with the others the subnet is up in the end");
	return tap_done();
}
