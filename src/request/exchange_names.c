/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of nodes, by LID. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "exchange.h"

enum { NAMES_LIDS = 0xc000 };

struct names {
	struct madkit_name_map *map; /* NULL: none, or not yet read */
	bool failed;                 /* the SA does not respond: it is not queried again */
	bool known[NAMES_LIDS];
	char *name[NAMES_LIDS]; /* NULL: not known */
};

static void names_look_up(struct exchange *x, uint32_t lid)
{
	const struct cli_options *o = x->options;
	struct madkit_resolver resolver = {
		.port = x->port,
		.sm_lid = o->sm_lid,
		.sm_sl = x->info->sm_sl,
		.sm_key = o->sm_key,
		.timeout_ms = o->timeout_ms,
		.retries = o->retries,
		.deadline_ns = x->deadline_ns,
	};
	struct madkit_error error = { .text = "" };
	char name[65];
	int ret = 0;

	if (o->node_name_map && !x->names->map)
		ret = madkit_name_map_read(x->port, o->node_name_map, &x->names->map, &error);
	resolver.name_map = x->names->map;
	if (!ret)
		ret = madkit_resolve_lid(&resolver, lid, cli_flag(o, OPT_NAMES), name, &error);

	x->names->known[lid] = true;
	if (!ret) {
		x->names->name[lid] = strdup(name);
		ret = x->names->name[lid] ? 0 : -ENOMEM;
	}
	if (!ret || ret == -ENOENT || ret == -EINTR)
		return;
	x->names->failed = true;
	cli_say("names are not shown: %s", error.text[0] ? error.text : strerror(-ret));
}

const char *exchange_name(struct exchange *x, const struct madkit_message *m)
{
	const struct madkit_addr *remote = m->remote;

	if ((!cli_flag(x->options, OPT_NAMES) && !x->options->node_name_map) || !remote || remote->direct ||
	    !remote->lid || remote->lid >= NAMES_LIDS)
		return NULL;
	if (!x->names)
		x->names = calloc(1, sizeof(*x->names));
	if (!x->names) {
		cli_say("names are not shown: out of memory");
		return NULL;
	}
	if (!x->names->known[remote->lid] && !x->names->failed && !cli_stopped())
		names_look_up(x, remote->lid);
	return x->names->name[remote->lid];
}

void exchange_names_free(struct exchange *x)
{
	for (size_t i = 0; x->names && i < NAMES_LIDS; i++)
		free(x->names->name[i]);
	if (x->names)
		madkit_name_map_free(x->names->map);
	free(x->names);
	x->names = NULL;
}
