/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include "cli/progress.h"
#include "sweeping.h"

uint64_t sweeping_m_key(void *context, const struct madkit_sweep_node *node, unsigned int port, bool behind)
{
	const struct sweeping *s = context;
	uint64_t guid;

	if (!s->m_keys)
		return s->x.options->manager.m_key;
	if (!node)
		return s->start.direct && s->start.to.hops ?
			       0 :
			       m_keys_of(s->m_keys, s->x.info->port_guid, s->x.info->node_guid);
	/* all ports of a switch have the GUID of its port 0 */
	guid = node->ports[node->type == MADKIT_NODE_TYPE_SWITCH ? 0 : port].guid;
	return behind ? m_keys_behind(s->m_keys, guid, node->guid, port) :
			m_keys_of(s->m_keys, guid, node->guid);
}

static const char *sweeping_name(void *context, const struct madkit_sweep_node *node)
{
	const struct sweeping *s = context;

	return madkit_name_map_name(s->names, node->guid);
}

static void sweeping_show_progress(void *context)
{
	struct sweeping *s = context;

	madkit_sweep_count(s->sweep, &s->counts);
	progress_show("%" PRIu32 " nodes, %" PRIu32 " links, %" PRIu64 " %s", s->counts.nodes,
		      s->counts.links, s->counts.sent, s->sa ? "SA requests" : "SMPs");
}

static int sweeping_step(void *context, uint64_t until_ns)
{
	struct sweeping *s = context;

	return madkit_sweep_step(s->sweep, until_ns);
}

int sweeping_run(struct sweeping *s)
{
	const bool shows = !s->x.options->output.quiet && isatty(STDERR_FILENO);
	int ret = exchange_drive(&s->x, sweeping_step, shows ? sweeping_show_progress : NULL, s);

	progress_clear();
	madkit_sweep_count(s->sweep, &s->counts);
	if (cli_stopped())
		return cli_stopped_status();
	if (s->x.out->status)
		return s->x.out->status;
	if (ret < 0)
		return exchange_fail(&s->x, EXIT_LOCAL, ret, "the sweep failed: %s", strerror(-ret));
	return EXIT_DONE;
}

/* Notes why the port cannot be used: the error of a request or of the registration of an agent. Returns the
 * status. */
static int sweeping_refused(struct sweeping *s, int error)
{
	const uint8_t class = s->sa ? MADKIT_CLASS_SA : MADKIT_CLASS_SUBN_DR;
	struct request request = { .header.mgmt_class = class,
				   .header.class_version = madkit_class_version(class),
				   .rmpp = RMPP_NONE };
	struct madkit_agent *agent;
	int status = s->x.info->link_layer == MADKIT_LINK_ETHERNET ? exchange_address(&s->x, &request) :
								     exchange_agent(&s->x, &request, &agent);

	return status ? status :
			exchange_fail(&s->x, EXIT_LOCAL, error, "%s: cannot begin a sweep: %s",
				      s->x.info->device, strerror(-error));
}

/* Returns the number of hops to sweep, one more than --hops, so that both ends of the links of all shown
 * nodes are known. The tables of the SA have all nodes: the distance of the other ends does not matter. */
static uint8_t sweeping_hops(const struct sweeping *s)
{
	const struct madsweep_options *o = s->options;
	const uint8_t hops = (uint8_t)(o->hops + (o->shared.mode != MODE_TOPOLOGY) - (s->start.behind > 0));

	if (s->start.word || !o->hops)
		return 0;
	if (s->sa && o->shared.mode != MODE_TOPOLOGY)
		return UINT8_MAX;
	return hops ? hops : 1;
}

int sweeping_begin(struct sweeping *s)
{
	const struct madsweep_options *o = s->options;
	const struct madkit_sweep_attr attr = {
		.from = s->start.direct ? &s->start.to : NULL,
		.hops = sweeping_hops(s),
		.keep_going = o->keep_going,
		.timeout_ms = o->shared.timing.timeout_ms,
		.retries = o->shared.timing.retries,
		.smps_max = o->shared.timing.have_window ? o->shared.timing.window : 0,
		.m_key = sweeping_m_key,
		.name = s->names ? sweeping_name : NULL,
		.context = s,
		.sa = s->sa,
		.sm_key = o->shared.manager.sm_key,
	};
	const struct madkit_addr *to = &s->start.to;
	int ret;

	if (s->start.direct && !s->sa && to->hops && s->x.info->port && to->path[1] != s->x.info->port)
		return exchange_fail(
			&s->x, EXIT_LOCAL, -EINVAL,
			"--from %s: hop 1 is port %u, but must be port %u, which sends the requests", o->from,
			to->path[1], s->x.info->port);
	ret = madkit_sweep_new(s->x.port, &attr, &s->sweep);
	if (ret == -EHOSTUNREACH)
		return exchange_fail(&s->x, EXIT_LOCAL, ret, "no subnet manager: the SM LID of %s is 0",
				     s->x.info->device);
	return ret ? sweeping_refused(s, ret) : EXIT_DONE;
}

/* Checks if --from is a route to a CA or router, which a directed route cannot pass: the sweep has to begin
 * at the switch, or this host, before it. */
static bool sweeping_is_end(const struct sweeping *s)
{
	return !s->sa && s->start.direct && s->start.to.hops && !s->start.behind && s->counts.nodes &&
	       madkit_sweep_node(s->sweep, 0)->type != MADKIT_NODE_TYPE_SWITCH;
}

int sweeping_run_from(struct sweeping *s)
{
	struct madkit_addr *to = &s->start.to;
	int status = sweeping_run(s);

	if (status || !sweeping_is_end(s))
		return status;
	s->start.behind = to->path[to->hops--];
	s->earlier = s->counts;
	madkit_sweep_free(s->sweep);
	s->sweep = NULL;
	status = sweeping_begin(s);
	return status ? status : sweeping_run(s);
}

void sweeping_free(struct sweeping *s)
{
	route_free(&s->routes);
	scope_free(&s->scope);
	madkit_sweep_free(s->sweep);
	exchange_close(&s->x);
}
