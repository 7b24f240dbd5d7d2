/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Announces which ports --clear will clear. */
#include <errno.h>
#include "survey.h"
#include "survey_ask.h"

size_t survey_announce_clear(const struct cli_options *o, const struct scope *scope, const struct request *r)
{
	static const char what[] =
		"not sent, because the port is down or its node does not have the attribute";
	struct failures failures = { .all = o->output.verbose };
	size_t n = 0;

	for (size_t i = 0; i < scope->n; i++) {
		const struct scope_port *at = &scope->ports[i];
		const struct survey_target target = { .node = at->node, .port = at->port };
		const struct madkit_sweep_node *node = madkit_sweep_node(scope->sweep, at->node);
		const char *reason = survey_left_out(node, at->port, r);
		char name[SURVEY_NAME_BYTES];

		if (!reason && !r->to.direct)
			reason = survey_no_lid(scope->sweep, &target);
		n += !reason;
		if (!reason || !failures_count(&failures, EXIT_TIMEOUT, -ENETUNREACH, what))
			continue;
		survey_name(scope->sweep, &target, name);
		cli_say("%s of %s port %u: cannot be cleared, because %s", r->attribute_name, name, at->port,
			reason);
	}
	failures_finish(&failures);
	if (n)
		cli_say("%s of %zu %s will be cleared", r->attribute_name, n, n == 1 ? "port" : "ports");
	return n;
}
