/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "request/exchange.h"
#include "rails.h"

static int rails_add(struct rails *list, const char *spec)
{
	list->specs[list->n] = spec ? strdup(spec) : NULL;
	if (spec && !list->specs[list->n])
		return cli_no_memory();
	list->n++;
	return EXIT_DONE;
}

/* Checks if the port is to be swept, and reports a port that is omitted because it has no link. */
static bool rails_wants(const struct madkit_port_info *info)
{
	const char *phys = exchange_phys_name(info);

	if (info->link_layer != MADKIT_LINK_INFINIBAND || info->cap_mask & EXCHANGE_NO_QP0)
		return false;
	if (info->state >= MADKIT_PORT_STATE_INITIALIZE)
		return true;
	cli_say("%s is omitted: it has no link (%s)", info->device, phys ? phys : "unknown state");
	return false;
}

/* Checks if the port is one of InfiniBand with QP0, with a link or not. */
static bool rails_is_infiniband(const struct madkit_port_info *info)
{
	return info->link_layer == MADKIT_LINK_INFINIBAND && info->port &&
	       !(info->cap_mask & EXCHANGE_NO_QP0);
}

/* Adds the ports of this machine that wants() chooses. none: what there is none of. */
static int rails_add_all(struct rails *list, bool (*wants)(const struct madkit_port_info *info),
			 const char *none)
{
	struct madkit_port_info *ports = NULL;
	size_t count = 0;
	int ret = madkit_ports_list(&ports, &count, NULL), status = EXIT_DONE;

	if (ret)
		return cli_failed(ret, "cannot list the ports");
	list->specs = calloc(count ? count : 1, sizeof(*list->specs));
	if (!list->specs)
		status = cli_no_memory();
	for (size_t i = 0; i < count && !status; i++)
		if (wants(&ports[i]))
			status = rails_add(list, ports[i].device);
	madkit_ports_free(ports);
	if (!status && !list->n)
		status = cli_insist("%s (see madreg --list)", none);
	return status;
}

int rails_list(const struct cli_options *o, struct rails *list)
{
	int status = EXIT_DONE;

	for (size_t i = 0; i < o->port.ndevices; i++) {
		if (!strcmp(o->port.devices[i], "all"))
			return o->port.ndevices == 1 ?
				       rails_add_all(
					       list, rails_wants,
					       "--device all: this machine has no InfiniBand port with a link") :
				       cli_usage_error("--device all is all ports: '%s' is one of them",
						       o->port.devices[!i]);
		for (size_t j = 0; j < i; j++)
			if (!strcmp(o->port.devices[i], o->port.devices[j]))
				return cli_usage_error("--device %s is given twice", o->port.devices[i]);
	}
	list->specs = calloc(o->port.ndevices + 1, sizeof(*list->specs));
	if (!list->specs)
		return cli_no_memory();
	if (!o->port.ndevices)
		return rails_add(list, NULL);
	for (size_t i = 0; i < o->port.ndevices && !status; i++)
		status = rails_add(list, o->port.devices[i]);
	return status;
}

int rails_list_host(const struct cli_options *o, struct rails *list)
{
	const bool all = o->port.ndevices == 1 && !strcmp(o->port.devices[0], "all");

	if (!all && (o->port.ndevices || o->port.ca || o->port.default_device || o->port.default_ca))
		return rails_list(o, list);
	return rails_add_all(list, rails_is_infiniband, "this machine has no InfiniBand port");
}

void rails_free(struct rails *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->specs[i]);
	free(list->specs);
}

bool rails_reached(const struct madkit_sweep *sweep, const struct madkit_port_info *info)
{
	struct madkit_sweep_counts counts;
	struct madkit_sweep_lids lids;

	/* a port of another subnet may have the same GUID, but hardly also the same LID */
	if (info->unread & MADKIT_PORT_GID || !info->port_guid)
		return false;

	madkit_sweep_count(sweep, &counts);
	for (uint32_t i = 0; i < counts.nodes; i++) {
		const struct madkit_sweep_node *n = madkit_sweep_node(sweep, i);

		for (unsigned int port = 0; port <= n->nports; port++) {
			madkit_sweep_lids(sweep, i, port, &lids);
			if (n->ports[port].guid == info->port_guid &&
			    (!lids.base || !info->lid || lids.base == info->lid))
				return true;
		}
	}
	return false;
}
