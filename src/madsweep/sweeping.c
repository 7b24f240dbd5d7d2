/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include "sweeping.h"

/* Returns the number of hops to sweep, one more than --hops, so that both ends of the links of all shown
 * nodes are known. The tables of the SA have all nodes: the distance of the other ends does not matter. */
static uint8_t sweeping_hops(const struct sweeping *s)
{
	const struct madsweep_options *o = s->options;
	const uint8_t hops = (uint8_t)(o->hops + (o->shared.mode != MODE_TOPOLOGY) - (s->start.behind > 0));

	if (s->start.word || !o->hops)
		return 0;
	if (s->net.common->sa && o->shared.mode != MODE_TOPOLOGY)
		return UINT8_MAX;
	return hops ? hops : 1;
}

int sweeping_begin(struct sweeping *s)
{
	const struct madkit_addr *to = &s->start.to;
	const struct madkit_port_info *info = s->net.x.info;

	if (s->start.direct && !s->net.common->sa && to->hops && info->port && to->path[1] != info->port)
		return exchange_fail(
			&s->net.x, EXIT_LOCAL, -EINVAL,
			"--from %s: hop 1 is port %u, but must be port %u, which sends the requests",
			s->options->from, to->path[1], info->port);
	s->net.from = s->start.direct ? to : NULL;
	return subnet_begin(&s->net, sweeping_hops(s));
}

/* Checks if --from is a route to a CA or router, which a directed route cannot pass: the sweep has to begin
 * at the switch, or this host, before it. */
static bool sweeping_is_end(const struct sweeping *s)
{
	return !s->net.common->sa && s->start.direct && s->start.to.hops && !s->start.behind &&
	       s->net.counts.nodes && madkit_sweep_node(s->net.sweep, 0)->type != MADKIT_NODE_TYPE_SWITCH;
}

int sweeping_run(struct sweeping *s)
{
	struct madkit_addr *to = &s->start.to;
	int status = subnet_run(&s->net);

	if (status || !sweeping_is_end(s))
		return status;
	s->start.behind = to->path[to->hops--];
	s->earlier = s->net.counts;
	madkit_sweep_free(s->net.sweep);
	s->net.sweep = NULL;
	status = sweeping_begin(s);
	return status ? status : subnet_run(&s->net);
}

void sweeping_free(struct sweeping *s)
{
	route_free(&s->routes);
	scope_free(&s->scope);
	subnet_close(&s->net);
}
