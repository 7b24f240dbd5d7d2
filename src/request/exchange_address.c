/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The destination of a request, through the port or the SA, and the names of nodes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "exchange.h"

/* ---- names of nodes ------------------------------------------------------------------ */

int exchange_name_map(struct exchange *x, const struct madkit_name_map **map, struct madkit_error *error)
{
	const char *path = x->options->names.map_path;
	int ret = path && !x->names.map ? madkit_name_map_read(x->port, path, &x->names.map, error) : 0;

	*map = x->names.map;
	return ret;
}

bool exchange_has_names(const struct exchange *x)
{
	return x->options->names.wanted || x->options->names.map_path;
}

/* Sets the port, the LID and SL of the SA, and the SM_Key. */
static void exchange_put_manager(const struct exchange *x, struct madkit_resolver *resolver)
{
	resolver->port = x->port;
	resolver->sm_lid = x->options->manager.sm_lid;
	resolver->sm_sl = x->info->sm_sl;
	resolver->sm_key = x->options->manager.sm_key;
}

int exchange_names_new(struct exchange *x, struct madkit_names_attr *attr, struct madkit_names **names,
		       struct madkit_error *error)
{
	int ret = exchange_name_map(x, &attr->map, error);

	exchange_put_manager(x, &attr->resolver);
	attr->describe = x->options->names.wanted;
	return ret ? ret : madkit_names_new(attr, names, error);
}

/* Looks up the name of a LID. Returns NULL if it is not known. */
static const char *exchange_look_up(struct exchange *x, uint32_t lid)
{
	struct madkit_names_attr attr = {
		.resolver.timeout_ms = x->options->timing.timeout_ms,
		.resolver.retries = x->options->timing.retries,
		.resolver.deadline_ns = x->time.deadline_ns,
		.life_ms = MADKIT_NAMES_FOREVER,
		.wait_ms = MADKIT_NAMES_FOREVER,
	};
	const struct madkit_node_key key = { .lid = lid };
	struct madkit_error error = { .text = "" };
	const struct madkit_node *node;
	int ret = x->names.names ? 0 : exchange_names_new(x, &attr, &x->names.names, &error);

	if (!ret)
		ret = madkit_names_look_up(x->names.names, key, &node, &error);
	if (!ret)
		return node->name[0] || x->options->names.wanted ? node->name : NULL;
	if (ret != -ENOENT && ret != -EINTR) {
		x->names.failed = true;
		cli_say("names are not shown: %s", error.text[0] ? error.text : strerror(-ret));
	}
	return NULL;
}

const char *exchange_name(struct exchange *x, const struct madkit_message *m)
{
	const struct madkit_addr *remote = m->remote;
	const struct madkit_node *known;

	if (!exchange_has_names(x) || !remote || remote->direct || !remote->lid)
		return NULL;
	if (!x->names.failed && !cli_stopped())
		return exchange_look_up(x, remote->lid);
	known = madkit_names_get(x->names.names, (struct madkit_node_key){ .lid = remote->lid });
	return known && known->name[0] ? known->name : NULL;
}

const char *exchange_similar(const struct madkit_node_match *match, char text[EXCHANGE_SIMILAR_MAX])
{
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < match->nsimilar; i++)
		used += (size_t)snprintf(text + used, EXCHANGE_SIMILAR_MAX - used, "%s'%s'%s",
					 i ? " or " : "; did you mean ", match->similar[i].name,
					 i + 1 == match->nsimilar ? "?" : "");
	return text;
}

/* ---- the destination ------------------------------------------------------------------ */

static int exchange_unresolved(struct exchange *x, const struct destination *d, int error,
			       const struct madkit_error *text, const char *similar)
{
	const char *why = text->text[0] ? text->text : strerror(-error);
	char port[192];

	if (error == -EEXIST)
		return exchange_fail(x, EXIT_USAGE, 0, "%s%s", why, similar);
	if (error == -ENOENT)
		return exchange_fail(
			x, EXIT_NOTHING, error, "%s%s%s", why,
			d->have_guid ?
				" (-G takes a port GUID: PortGuid of NodeInfo; the SA shows only ports that share "
				"a partition with this one)" :
			!d->name ? "" :
			x->options->mode == MODE_BATCH ?
				   " (in a batch, a name is the whole node description)" :
				   " (--name takes the whole node description, or its first word)",
			similar);
	/* from the node name map: the SA was not queried */
	if (error == -ETIME)
		return exchange_fail(x, EXIT_TIMEOUT, -ETIMEDOUT, "%s", why);
	/* an invalid line of the node name map */
	if (error == -EINVAL)
		return exchange_fail(x, EXIT_MALFORMED, error, "%s", why);
	if (error != -ETIMEDOUT)
		return exchange_fail(x, cli_status_of(error), error, "%s", why);
	return exchange_fail(
		x, EXIT_TIMEOUT, error,
		"%s; check the port (%s), and whether the subnet manager responds (madsend Get SMInfo)", why,
		exchange_port_summary(x, port));
}

static int resolve_name(struct exchange *x, const struct madkit_resolver *resolver, const char *name,
			struct madkit_addr *to, struct madkit_node_match *match, struct madkit_error *error)
{
	const struct madkit_name_map *map;
	int ret = exchange_name_map(x, &map, error);

	if (ret)
		return ret;
	/* the table of all nodes is not requested for each line of a batch */
	return x->options->mode == MODE_BATCH ? madkit_resolve_name(resolver, map, name, to, error) :
						madkit_resolve_word(resolver, map, name, to, match, error);
}

static int exchange_resolve(struct exchange *x, struct request *r)
{
	const struct destination *d = &r->destination;
	const struct cli_options *o = x->options;
	struct madkit_resolver resolver = {
		.timeout_ms = r->timeout_ms ? r->timeout_ms : o->timing.timeout_ms,
		.retries = r->have_retries ? r->retries : o->timing.retries,
		.deadline_ns = exchange_deadline(x, r),
	};
	struct madkit_error error = { .text = "" };
	struct madkit_node_match match = { .count = 0 };
	struct madkit_addr to = r->to;
	char similar[EXCHANGE_SIMILAR_MAX];
	int ret, status;

	exchange_put_manager(x, &resolver);
	if (d->have_guid)
		ret = madkit_resolve_guid(&resolver, d->guid, &to, &error);
	else if (d->name)
		ret = resolve_name(x, &resolver, d->name, &to, &match, &error);
	else
		ret = madkit_resolve_gid(&resolver, d->addr.gid, &to, &error);
	if (ret == -EINTR)
		return cli_stopped_status();
	if (ret) {
		status = exchange_unresolved(x, d, ret, &error, exchange_similar(&match, similar));
		return cli_stopped() ? cli_stopped_status() : status;
	}
	r->to.lid = to.lid;
	if (!d->have_sl)
		r->to.sl = to.sl;
	/* a GRH if the request leaves the subnet, or if a GRH was requested */
	if (to.grh && !r->to.grh) {
		r->to.grh = true;
		memcpy(r->to.gid, to.gid, sizeof(to.gid));
	}
	if (!d->have_grh_field && !to.grh)
		r->to.grh = false;
	/* use a response of the SA even if it arrived after the deadline or a signal, but send nothing
	 * more */
	if (cli_stopped())
		return cli_stopped_status();
	if (o->timing.deadline_ms && madkit_port_now(x->port) >= exchange_deadline(x, r))
		return exchange_fail(x, EXIT_TIMEOUT, -ETIMEDOUT,
				     "the deadline passed while the address was being resolved");
	return EXIT_DONE;
}

/* Sets the address on Ethernet, which has no QP0, no LIDs and no subnet manager: the GRH is the address. */
static int address_roce(struct exchange *x, struct request *r)
{
	const struct destination *d = &r->destination;
	char class[20];

	if (madkit_class_is_smi(r->header.mgmt_class))
		return exchange_fail(x, EXIT_LOCAL, -EPROTONOSUPPORT,
				     "%s/%u is RoCE, which has no QP0: class %s needs an InfiniBand port",
				     x->info->ca, x->info->port,
				     madkit_class_name(r->header.mgmt_class, class));
	if (d->have_guid || d->name || d->have_lid)
		return exchange_fail(x, EXIT_USAGE, 0, "%s/%u is RoCE, which has no LIDs: use --gid",
				     x->info->ca, x->info->port);
	if (r->header.mgmt_class == MADKIT_CLASS_SA && !d->have_gid)
		return exchange_fail(x, EXIT_LOCAL, -EPROTONOSUPPORT,
				     "%s/%u is RoCE, which has no subnet manager and no subnet administrator",
				     x->info->ca, x->info->port);
	r->to.lid = 0;
	if (!d->have_gid && !r->to.direct && x->info->unread & MADKIT_PORT_GID)
		return exchange_fail(x, EXIT_LOCAL, x->info->unread_error, "cannot read the GID of %s/%u: %s",
				     x->info->ca, x->info->port, strerror(-x->info->unread_error));
	if (!d->have_gid && !r->to.direct) {
		r->to.grh = true;
		madkit_gid_put(r->to.gid, x->info->gid_prefix, x->info->port_guid);
	}
	return EXIT_DONE;
}

/* Records the missing data, and the reason. If that member of the port (bit) could not be read, only this is noted.
 * Returns an exit status. */
static int exchange_need_lid(struct exchange *x, uint32_t bit, const char *what)
{
	char buf[PORT_SUMMARY_MAX];

	if (x->info->unread & bit)
		return exchange_fail(x, EXIT_LOCAL, x->info->unread_error, "cannot read the %s of %s/%u: %s",
				     bit == MADKIT_PORT_LID ? "LID" : "SM LID", x->info->ca, x->info->port,
				     strerror(-x->info->unread_error));
	return exchange_fail(x, EXIT_LOCAL, -ENETUNREACH, "%s: %s; is a subnet manager running?", what,
			     exchange_port_summary(x, buf));
}

bool exchange_address_manager(struct exchange *x, const struct request *r, struct madkit_addr *to)
{
	uint32_t lid;

	exchange_refresh(x);
	lid = x->options->manager.sm_lid ? x->options->manager.sm_lid : x->info->sm_lid;
	if (lid) {
		to->lid = lid;
		if (!r->destination.have_sl)
			to->sl = x->info->sm_sl;
	}
	return lid;
}

int exchange_address(struct exchange *x, struct request *r)
{
	const struct destination *d = &r->destination;

	x->failure.why[0] = 0;
	request_put_port(r, x->info->port);
	exchange_refresh(x);
	if (x->info->link_layer == MADKIT_LINK_ETHERNET)
		return address_roce(x, r);
	if (r->to.direct) {
		if (!d->have_lid)
			return EXIT_DONE;
		if (!x->info->lid)
			return exchange_need_lid(
				x, MADKIT_PORT_LID,
				"a combined route begins at this port's LID, and it has none");
		r->to.dr_slid = (uint16_t)x->info->lid;
		request_put_route(r);
		return EXIT_DONE;
	}
	if (d->have_lid)
		return EXIT_DONE;
	if (d->have_guid || d->have_gid || d->name)
		return exchange_resolve(x, r);
	if (r->to_manager)
		return exchange_address_manager(x, r, &r->to) ?
			       EXIT_DONE :
			       exchange_need_lid(x, MADKIT_PORT_SM_LID, "the port knows no subnet manager");
	r->to.lid = x->info->lid;
	return r->to.lid ? EXIT_DONE : exchange_need_lid(x, MADKIT_PORT_LID, "the port has no LID");
}
