/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/privileges.h"
#include "local.h"

enum { LOCAL_LINK_UP = 5 }; /* PortPhysicalState */

static const struct madkit_rule local_down = {
	.name = "down",
	.severity = MADKIT_SEVERITY_CRITICAL,
	.condition = "a port of this host has no link",
	.next = "check the cable, and whether the port at the other end is enabled",
};

static const struct madkit_rule local_expect = {
	.name = "expect",
	.severity = MADKIT_SEVERITY_CRITICAL,
	.condition = "fewer ports are Active than --expect says, or slower ones",
	.next = "madreg --list shows which ports are not Active, or slower",
};

/* ---- problems of this host ----------------------------------------------------------------- */

static struct check_own *local_own(const struct madkit_rule *rule, uint8_t severity, const char *place,
				   const struct madkit_port_info *info)
{
	struct check_own *own = calloc(1, sizeof(*own));

	if (!own)
		return NULL;
	snprintf(own->place, sizeof(own->place), "%s", place);
	if (info)
		snprintf(own->key, sizeof(own->key), "%s:0x%016" PRIx64 "/%u", rule->name, info->node_guid,
			 info->port);
	else
		snprintf(own->key, sizeof(own->key), "%s", rule->name);
	own->problem = (struct madkit_problem){
		.rule = rule,
		.severity = severity,
		.ends = { { MADKIT_SWEEP_NONE, -1 }, { MADKIT_SWEEP_NONE, -1 } },
		.types = "",
		.key = own->key,
		.place = own->place,
		.value = own->value,
		.limit = own->limit,
		.text = own->text,
	};
	return own;
}

/* Notes that a port has no link. If --expect says how many should have one, that decides. */
static int local_note_down(const struct check *c, struct check_net *n, const struct madkit_port_info *info)
{
	const char *phys = exchange_phys_name(info);
	char place[80];

	snprintf(place, sizeof(place), "%s/%u", info->ca, info->port);
	n->own = local_own(&local_down, c->options->expect ? MADKIT_SEVERITY_INFO : MADKIT_SEVERITY_CRITICAL,
			   place, info);
	if (!n->own)
		return cli_no_memory();
	snprintf(n->own->value, sizeof(n->own->value), "%s", phys ? phys : "unknown");
	snprintf(n->own->limit, sizeof(n->own->limit), "LinkUp");
	snprintf(n->own->text, sizeof(n->own->text), "the port has no link (%s)",
		 phys ? phys : "unknown state");
	return EXIT_DONE;
}

/* ---- a port -------------------------------------------------------------------------------- */

/* Makes the NodeInfo of this host from the properties of its port, so that it need not be requested. */
static void local_node_info(const struct madkit_port_info *info, uint8_t data[MADKIT_SWEEP_INFO_BYTES])
{
	unsigned int device = 0;
	const bool mellanox = sscanf(info->ca_type, "MT%u", &device) == 1;

	memset(data, 0, MADKIT_SWEEP_INFO_BYTES);
	madkit_put(data, MADKIT_SWEEP_INFO_BYTES, MADKIT_NODE_INFO_BASE_VERS, 1);
	madkit_put(data, MADKIT_SWEEP_INFO_BYTES, MADKIT_NODE_INFO_CLASS_VERS, 1);
	madkit_put(data, MADKIT_SWEEP_INFO_BYTES, MADKIT_NODE_INFO_NODE_TYPE,
		   MADKIT_NODE_TYPE_CHANNEL_ADAPTER);
	madkit_put(data, MADKIT_SWEEP_INFO_BYTES, MADKIT_NODE_INFO_NUM_PORTS, info->port);
	madkit_put(data, MADKIT_SWEEP_INFO_BYTES, MADKIT_NODE_INFO_GUID, info->node_guid);
	madkit_put(data, MADKIT_SWEEP_INFO_BYTES, MADKIT_NODE_INFO_PORT_GUID, info->port_guid);
	madkit_put(data, MADKIT_SWEEP_INFO_BYTES, MADKIT_NODE_INFO_LOCAL_PORT, info->port);
	madkit_put(data, MADKIT_SWEEP_INFO_BYTES, MADKIT_NODE_INFO_VENDOR_ID,
		   mellanox ? MADKIT_OUI_MELLANOX : 0);
	madkit_put(data, MADKIT_SWEEP_INFO_BYTES, MADKIT_NODE_INFO_DEV_ID, mellanox ? device : 0);
}

/* The node of this host is known by its device. */
static const char *local_name(void *context, const struct madkit_sweep_node *node)
{
	const struct subnet *net = context;

	if (node->guid == net->x.info->node_guid)
		return net->x.info->ca;
	return net->common->names ? madkit_name_map_name(net->common->names, node->guid) : NULL;
}

/* Reports a port at the other end that was not judged. */
static void local_note_unchecked(struct check *c, struct check_net *n)
{
	const struct madkit_sweep_node *own = madkit_sweep_node(n->net.sweep, 0);
	const struct madkit_sweep_port *port = &own->ports[own->number];
	const struct madkit_sweep_port *far =
		port->peer == MADKIT_SWEEP_NONE ?
			NULL :
			&madkit_sweep_node(n->net.sweep, port->peer)->ports[port->peer_port];

	if (far && far->state == MADKIT_SWEEP_ANSWERED && port->state == MADKIT_SWEEP_ANSWERED)
		return;
	c->unjudged = n->unchecked = true;
	/* which is reported for all subnets */
	if (n->net.counts.missing & MADKIT_SWEEP_UNFINISHED)
		return;
	cli_say("%s: %s", n->net.x.info->device,
		port->state != MADKIT_SWEEP_ANSWERED ? "the port itself did not respond" :
		!far && port->far == MADKIT_SWEEP_UNKNOWN ?
						       "far end unchecked: its M_Key is not known (--m-key)" :
						       "far end unchecked: no response");
}

/* Reads both ends of the cable of a port, and judges them. */
static int local_sweep(struct check *c, struct check_net *n, const char *spec)
{
	const struct cli_options *o = &c->options->shared;
	uint8_t first[MADKIT_SWEEP_INFO_BYTES];
	const struct madkit_sweep_attr attr = {
		.timeout_ms = o->timing.timeout_ms,
		.retries = o->timing.retries,
		.m_key = subnet_m_key,
		.name = local_name,
		.context = &n->net,
		.link = true,
		.first = first,
	};
	int ret, status;

	local_node_info(n->net.x.info, first);
	ret = madkit_sweep_new(n->net.x.port, &attr, &n->net.sweep);
	status = ret ? subnet_refused(&n->net, ret) : subnet_run(&n->net);
	if (status && !cli_stopped())
		return subnet_fail(&n->net, spec, status);
	local_note_unchecked(c, n);
	return judge_subnet(&n->net, &c->settings, &n->judged);
}

static int local_port(struct check *c, struct subnet_common *common, const struct rails *list, size_t i,
		      struct output *out)
{
	struct check_net *n = &c->nets[i];
	const struct madkit_port_info *info;
	int status;

	n->net.common = common;
	status = subnet_open(&n->net, list, i, out, &c->options->shared, MADKIT_CLASS_SUBN_DR);
	if (status)
		return status;
	info = n->net.x.info;
	n->net.begins_ns = madkit_port_now(n->net.x.port);
	if (i + 1 == list->n)
		privileges_drop(&c->options->shared);
	if (info->phys_state != LOCAL_LINK_UP)
		return local_note_down(c, n, info);
	return local_sweep(c, n, list->specs[i]);
}

/* ---- all ports ----------------------------------------------------------------------------- */

/* Judges --expect "NxGBPS". */
static int local_judge_expect(struct check *c, unsigned int want, unsigned int gbps)
{
	unsigned int found = 0;

	for (size_t i = 0; i < c->nnets; i++) {
		const struct madkit_port_info *info = c->nets[i].net.x.info;

		found += info && info->state == MADKIT_PORT_STATE_ACTIVE && info->rate >= gbps;
	}
	if (found >= want)
		return EXIT_DONE;
	c->expect = local_own(&local_expect, MADKIT_SEVERITY_CRITICAL, "", NULL);
	if (!c->expect)
		return cli_no_memory();
	snprintf(c->expect->value, sizeof(c->expect->value), "%u", found);
	snprintf(c->expect->limit, sizeof(c->expect->limit), "%u", want);
	snprintf(c->expect->text, sizeof(c->expect->text),
		 "%u of %u expected ports are Active at %u Gb/s or more", found, want, gbps);
	return EXIT_DONE;
}

/* Reads "8x400". */
static int local_read_expect(const char *text, unsigned int *want, unsigned int *gbps)
{
	const char *x = strchr(text, 'x');
	uint64_t n = 0, rate = 0;

	if (!x || madkit_parse_number(text, (size_t)(x - text), 1024, "--expect", &n, NULL) || !n ||
	    madkit_parse_number(x + 1, strlen(x + 1), 100000, "--expect", &rate, NULL) || !rate)
		return cli_usage_error("--expect '%.40s' is not NxGBPS, such as 8x400", text);
	*want = (unsigned int)n;
	*gbps = (unsigned int)rate;
	return EXIT_DONE;
}

int local_check(struct check *c, struct subnet_common *common, struct output *out)
{
	unsigned int want = 0, gbps = 0;
	struct rails list = { .n = 0 };
	int result = c->options->expect ? local_read_expect(c->options->expect, &want, &gbps) : EXIT_DONE;

	if (!result)
		result = rails_list_host(&c->options->shared, &list);
	if (!result)
		c->nets = calloc(list.n, sizeof(*c->nets));
	if (!result && !c->nets)
		result = cli_no_memory();
	for (size_t i = 0; !result && i < list.n; i++) {
		c->nnets = i + 1;
		c->nets[i].status = local_port(c, common, &list, i, out);
		if (cli_stopped() || out->status)
			break;
	}
	if (!result && want)
		result = local_judge_expect(c, want, gbps);
	rails_free(&list);
	return result;
}
