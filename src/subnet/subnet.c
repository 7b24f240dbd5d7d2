/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/wait.h"
#include "area.h"
#include "subnet.h"

/* ---- options --------------------------------------------------------------------------- */

int subnet_read_options(struct subnet_common *common, const struct subnet_options *own)
{
	if (own->via && strcmp(own->via, "smp") && strcmp(own->via, "sa"))
		return cli_usage_error("--via '%s' is not smp or sa", own->via);
	common->sa = own->via && !strcmp(own->via, "sa");
	common->keep_going = own->keep_going;
	if (common->sa && own->keep_going)
		return cli_usage_error("--keep-going has no effect with --via sa");
	return EXIT_DONE;
}

int subnet_read_keys(struct subnet_common *common, const struct cli_options *o)
{
	int status = EXIT_DONE;

	if (o->manager.m_keys_path)
		status = m_keys_read(&m_keys_of_ports, o->manager.m_keys_path, &common->m_keys);
	if (!status && o->manager.v_keys_path)
		status = m_keys_read(&v_keys_of_ports, o->manager.v_keys_path, &common->v_keys);
	return status;
}

void subnet_common_free(struct subnet_common *common)
{
	madkit_name_map_free(common->names);
	m_keys_free(common->m_keys);
	m_keys_free(common->v_keys);
}

int subnet_take_m_key(const struct option_row *row, void *member, char *text, struct madkit_error *error)
{
	struct manager_options *manager = member;

	if (*text != '@')
		return take_m_key(row, member, text, error);
	manager->m_keys_path = text + 1;
	return 0;
}

int subnet_take_v_key(const struct option_row *row, void *member, char *text, struct madkit_error *error)
{
	struct manager_options *manager = member;

	if (*text != '@')
		return take_v_key(row, member, text, error);
	manager->v_keys_path = text + 1;
	return 0;
}

/* ---- the port -------------------------------------------------------------------------- */

static int subnet_read_names(struct subnet *net)
{
	const struct cli_options *o = net->x.options;
	struct madkit_error error = { .text = "" };
	int ret;

	if (!o->names.map_path || net->common->names)
		return EXIT_DONE;
	ret = madkit_name_map_read(net->x.port, o->names.map_path, &net->common->names, &error);
	if (ret == -EINTR && cli_stopped())
		return cli_stopped_status();
	/* a deadline, as for any other file */
	if (ret == -ETIME)
		ret = -ETIMEDOUT;
	return ret ? exchange_fail(&net->x, cli_status_of(ret), ret, "%s", error.text) : EXIT_DONE;
}

int subnet_fail(struct subnet *net, const char *spec, int status)
{
	/* a signal needs no message */
	if (net->titled && !cli_stopped())
		exchange_name_device(&net->x, spec);
	return exchange_report(&net->x, NULL, status);
}

int subnet_open(struct subnet *net, const struct rails *list, size_t i, struct output *out,
		const struct cli_options *o, uint8_t mgmt_class)
{
	const char *spec = list->specs[i];
	int status;

	net->opens_ns = exchange_limit_calls(o, i, list->n);
	status = spec ? exchange_open_port(&net->x, o, out, spec) :
			exchange_open_class(&net->x, o, out, mgmt_class);
	status = exchange_unlimit_calls(&net->x, status, net->opens_ns);
	net->titled = list->n > 1;
	if (status)
		return subnet_fail(net, spec, status);
	status = subnet_read_names(net);
	return status ? exchange_report(&net->x, NULL, status) : EXIT_DONE;
}

/* ---- the sweep ------------------------------------------------------------------------- */

uint64_t subnet_m_key(void *context, const struct madkit_sweep_node *node, unsigned int port, bool behind)
{
	const struct subnet *net = context;
	const struct m_keys *keys = net->common->m_keys;
	uint64_t guid;

	if (!keys)
		return net->x.options->manager.m_key;
	if (!node)
		return net->from && net->from->hops ?
			       0 :
			       m_keys_of(keys, net->x.info->port_guid, net->x.info->node_guid);
	/* all ports of a switch have the GUID of its port 0 */
	guid = node->ports[node->type == MADKIT_NODE_TYPE_SWITCH ? 0 : port].guid;
	return behind ? m_keys_behind(keys, guid, node->guid, port) : m_keys_of(keys, guid, node->guid);
}

uint64_t subnet_v_key(void *context, const struct madkit_sweep_node *node, unsigned int port)
{
	const struct subnet *net = context;

	if (!net->common->v_keys)
		return net->x.options->manager.v_key;
	return m_keys_of(net->common->v_keys, node->ports[port].guid, node->guid);
}

static const char *subnet_map_name(void *context, const struct madkit_sweep_node *node)
{
	const struct subnet *net = context;

	return madkit_name_map_name(net->common->names, node->guid);
}

struct subnet_name subnet_name(const struct madkit_sweep *sweep, const struct madkit_sweep_node *n)
{
	const bool described = n->described == MADKIT_SWEEP_ANSWERED;
	const char *name = madkit_sweep_name(sweep, n);

	return (struct subnet_name){
		.text = name ? name : (const char *)n->description,
		.len = name      ? strlen(name) :
		       described ? strnlen((const char *)n->description, sizeof(n->description)) :
				   0,
	};
}

static void subnet_show_progress(void *context)
{
	struct subnet *net = context;

	madkit_sweep_count(net->sweep, &net->counts);
	progress_show("%" PRIu32 " %s, %" PRIu32 " %s, %" PRIu64 " %s%s", net->counts.nodes,
		      net->counts.nodes == 1 ? "node" : "nodes", net->counts.links,
		      net->counts.links == 1 ? "link" : "links", net->counts.sent,
		      net->common->sa ? "SA request" : "SMP", net->counts.sent == 1 ? "" : "s");
}

static int subnet_step(void *context, uint64_t until_ns)
{
	struct subnet *net = context;

	return madkit_sweep_step(net->sweep, until_ns);
}

int subnet_run(struct subnet *net)
{
	const bool shows = !net->x.options->output.quiet && isatty(STDERR_FILENO);
	int ret = exchange_drive(&net->x, subnet_step, shows ? subnet_show_progress : NULL, net);

	progress_clear();
	madkit_sweep_count(net->sweep, &net->counts);
	if (cli_stopped())
		return cli_stopped_status();
	if (net->x.out->status)
		return net->x.out->status;
	if (ret < 0)
		return exchange_fail(&net->x, EXIT_LOCAL, ret, "the sweep failed: %s", strerror(-ret));
	return EXIT_DONE;
}

int subnet_refused(struct subnet *net, int error)
{
	const uint8_t class = net->common->sa ? MADKIT_CLASS_SA : MADKIT_CLASS_SUBN_DR;
	struct request request = { .header.mgmt_class = class,
				   .header.class_version = madkit_class_version(class),
				   .rmpp = RMPP_NONE };
	struct madkit_agent *agent;
	int status = net->x.info->link_layer == MADKIT_LINK_ETHERNET ?
			     exchange_address(&net->x, &request) :
			     exchange_agent(&net->x, &request, &agent);

	return status ? status :
			exchange_fail(&net->x, EXIT_LOCAL, error, "%s: cannot begin a sweep: %s",
				      net->x.info->device, strerror(-error));
}

int subnet_begin(struct subnet *net, uint8_t hops)
{
	const struct cli_options *o = net->x.options;
	const struct madkit_sweep_attr attr = {
		.from = net->from,
		.hops = hops,
		.keep_going = net->common->keep_going,
		.timeout_ms = o->timing.timeout_ms,
		.retries = o->timing.retries,
		.smps_max = o->timing.have_window ? o->timing.window : 0,
		.m_key = subnet_m_key,
		.name = net->common->names ? subnet_map_name : NULL,
		.context = net,
		.sa = net->common->sa,
		.sm_key = o->manager.sm_key,
	};
	int ret = madkit_sweep_new(net->x.port, &attr, &net->sweep);

	if (ret == -EHOSTUNREACH)
		return exchange_fail(&net->x, EXIT_LOCAL, ret, "no subnet manager: the SM LID of %s is 0",
				     net->x.info->device);
	return ret ? subnet_refused(net, ret) : EXIT_DONE;
}

/* ---- words ----------------------------------------------------------------------------- */

enum {
	SUBNET_WORD_BYTES = 4 * 64 + 64
}; /* a name of 64 octets, of which each may be an escape; those of maps may be longer */

/* Returns the port of a node that a word names by its LID, GUID or GID; -1: none. All ports of a switch have the GUID of
 * port 0. */
static int subnet_named_port(const struct madkit_sweep *s, const char *word,
			     const struct madkit_node_match *match)
{
	const uint32_t node = (uint32_t)match->nodes[0].id;
	const struct madkit_sweep_node *n = madkit_sweep_node(s, node);
	uint64_t number = match->nodes[0].port_guid; /* of a GID */

	if (match->way > MADKIT_NODE_BY_GUID)
		return -1;
	madkit_parse_number(word, strlen(word), UINT64_MAX, "LID or GUID", &number, NULL);
	for (unsigned int port = n->type != MADKIT_NODE_TYPE_SWITCH; port <= n->nports; port++) {
		struct madkit_sweep_lids lids;

		madkit_sweep_lids(s, node, port, &lids);
		if (match->way == MADKIT_NODE_BY_GUID ?
			    n->ports[port].guid == number :
			    lids.base && number >= lids.first && number <= lids.last)
			return (int)port;
	}
	return -1;
}

/* Checks if a port of a switch has no link, so that the node behind it cannot be found. */
static bool subnet_has_down(const struct madkit_sweep *s)
{
	struct madkit_sweep_counts counts;

	madkit_sweep_count(s, &counts);
	for (uint32_t i = 0; i < counts.nodes; i++) {
		const struct madkit_sweep_node *n = madkit_sweep_node(s, i);

		for (unsigned int port = 1; port <= n->nports && n->type == MADKIT_NODE_TYPE_SWITCH; port++) {
			uint64_t state = 0;

			madkit_get(n->ports[port].info, MADKIT_SWEEP_INFO_BYTES, MADKIT_PORT_INFO_LINK_STATE,
				   &state);
			if (n->ports[port].state == MADKIT_SWEEP_ANSWERED && state == MADKIT_PORT_STATE_DOWN)
				return true;
		}
	}
	return false;
}

/* Checks if another node has this name. */
static bool subnet_has_name(const struct madkit_sweep *s, const char *name, uint32_t other)
{
	struct madkit_sweep_counts counts;

	madkit_sweep_count(s, &counts);
	for (uint32_t i = 0; i < counts.nodes; i++) {
		const struct subnet_name own = subnet_name(s, madkit_sweep_node(s, i));

		if (i != other && own.len == strlen(name) && !memcmp(own.text, name, own.len))
			return true;
	}
	return false;
}

int subnet_find(struct exchange *x, const struct madkit_sweep *s, const char *option, const char *word,
		struct subnet_place *place)
{
	struct madkit_node_match match;
	char similar[EXCHANGE_SIMILAR_MAX];
	int ret = madkit_sweep_find(s, word, &match);

	*place = (struct subnet_place){
		.node = ret == -ENOENT ? MADKIT_SWEEP_NONE : (uint32_t)match.nodes[0].id,
		.port = ret ? -1 : subnet_named_port(s, word, &match),
		.number = -1,
		.by_guid = !ret && match.way == MADKIT_NODE_BY_GUID,
	};
	if (!ret && match.way == MADKIT_NODE_BY_LID && subnet_has_name(s, word, place->node))
		return cli_usage_error("%s '%s' is a LID, and also the name of another node: use a GUID",
				       option, word);
	if (!ret)
		return EXIT_DONE;
	if (ret == -ENOENT)
		return exchange_fail(
			x, EXIT_NOTHING, 0, "%s '%s': no node of the subnet has this LID, GUID or name%s%s",
			option, word,
			area_may_miss(s) ?
				"; the sweep is not complete: perhaps it is behind what did not respond" :
			subnet_has_down(s) ? "; perhaps it is behind one of the switch ports that are down" :
					     "",
			exchange_similar(&match, similar));
	for (uint32_t i = 0; i < match.count && i < MADKIT_NODE_LISTED_MAX; i++)
		cli_say("LID %u, GUID 0x%016" PRIx64 ": %s", match.nodes[i].lid, match.nodes[i].guid,
			match.nodes[i].name);
	return cli_usage_error("%s '%s' is the %s of %u nodes: use a %s", option, word,
			       match.way == MADKIT_NODE_BY_LID  ? "LID" :
			       match.way == MADKIT_NODE_BY_GUID ? "GUID" :
								  "name",
			       match.count, match.way == MADKIT_NODE_BY_GUID ? "LID" : "GUID");
}

/* Checks if a word means a node, or several. */
static bool subnet_has(const struct madkit_sweep *s, const char *word)
{
	struct madkit_node_match match;

	madkit_sweep_find(s, word, &match);
	return match.count;
}

int subnet_find_place(struct exchange *x, const struct madkit_sweep *s, const char *option, const char *word,
		      struct subnet_place *place)
{
	const char *slash = strrchr(word, '/');
	const bool numbered = slash && slash[1] && strspn(slash + 1, "0123456789") == strlen(slash + 1);
	const size_t len = numbered ? (size_t)(slash - word) : strlen(word);
	char node[SUBNET_WORD_BYTES];
	uint64_t number;
	int status;

	if (!len)
		return cli_usage_error("%s '%s' names no node: use NAME/PORT or GUID/PORT", option, word);
	if (len >= sizeof(node))
		return cli_usage_error("%s '%.40s...' is longer than a name can be", option, word);
	snprintf(node, sizeof(node), "%.*s", (int)len, word);
	if (!numbered || (subnet_has(s, word) && !subnet_has(s, node)))
		return subnet_find(x, s, option, word, place);
	/* a node "a/3" beside port 3 of a node "a" */
	if (subnet_has(s, word))
		return cli_usage_error(
			"%s '%.80s' is the name of a node, and also a port of another: use a GUID", option,
			word);
	if (madkit_parse_number(slash + 1, strlen(slash + 1), UINT8_MAX, "port", &number, NULL))
		return cli_usage_error("%s '%.80s': a port is a number up to 255", option, word);
	status = subnet_find(x, s, option, node, place);
	place->number = (int)number;
	return status;
}

void subnet_close(struct subnet *net)
{
	madkit_sweep_free(net->sweep);
	exchange_close(&net->x);
}
