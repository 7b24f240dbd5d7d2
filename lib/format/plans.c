/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdlib.h>
#include "format/plans.h"

struct madkit_plans *madkit_plans_new(void)
{
	return calloc(1, sizeof(struct madkit_plans));
}

void madkit_plans_free(struct madkit_plans *plans)
{
	if (!plans)
		return;
	json_plans_free(plans);
	text_plans_free(plans);
	free(plans);
}
