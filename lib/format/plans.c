/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdlib.h>
#include "format/plans.h"

struct madkit_plans *madkit_plans_new(void)
{
	struct madkit_plans *plans = calloc(1, sizeof(*plans));

	if (plans)
		madkit_buf_init(&plans->begin, 0);
	return plans;
}

void madkit_plans_free(struct madkit_plans *plans)
{
	if (!plans)
		return;
	json_plans_free(plans);
	text_plans_free(plans);
	free(plans);
}
