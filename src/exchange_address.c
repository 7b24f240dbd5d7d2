/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a request goes, as far as the port or the SA have to be asked for it. */
#include <errno.h>
#include <string.h>
#include "exchange.h"

static int unresolved(struct exchange *x, const struct destination *d, int error,
		      const struct madkit_error *text)
{
	const char *why = text->text[0] ? text->text : strerror(-error);
	char port[192];

	if (error == -EEXIST)
		return exchange_fail(x, EXIT_USAGE, 0, "%s", why);
	if (error == -ENOENT)
		return exchange_fail(x, EXIT_NOTHING, error, "%s%s", why,
				     d->have_guid ? " (-G takes a port GUID: PortGuid of NodeInfo)" :
				     d->name      ? " (--name takes the whole node description)" :
						    "");
	/* the node name map: the SA was not asked */
	if (error == -ETIME)
		return exchange_fail(x, EXIT_TIMEOUT, -ETIMEDOUT, "%s", why);
	/* an unreadable line of the node name map */
	if (error == -EINVAL)
		return exchange_fail(x, EXIT_MALFORMED, error, "%s", why);
	if (error != -ETIMEDOUT)
		return exchange_fail(x, cli_status_of(error), error, "%s", why);
	return exchange_fail(x, EXIT_TIMEOUT, error, "%s; check the port (%s)", why,
			     exchange_port_summary(x, port));
}

static int resolve(struct exchange *x, struct request *r)
{
	const struct destination *d = &r->destination;
	const struct cli_options *o = x->options;
	struct madkit_resolver resolver = {
		.port = x->port,
		.sm_lid = o->sm_lid,
		.sm_sl = x->info->sm_sl,
		.sm_key = o->sm_key,
		.timeout_ms = r->timeout_ms ? r->timeout_ms : o->timeout_ms,
		.retries = r->have_retries ? r->retries : o->retries,
		.deadline_ns = exchange_deadline(x, r),
		.node_name_map = o->node_name_map,
	};
	struct madkit_error error = { .text = "" };
	struct madkit_addr to = r->to;
	int ret;

	if (d->have_guid)
		ret = madkit_resolve_guid(&resolver, d->guid, &to, &error);
	else if (d->name)
		ret = madkit_resolve_name(&resolver, d->name, &to, &error);
	else
		ret = madkit_resolve_gid(&resolver, d->addr.gid, &to, &error);
	if (ret == -EINTR)
		return cli_stopped_status();
	if (ret)
		return unresolved(x, d, ret, &error);
	r->to.lid = to.lid;
	if (!d->have_sl)
		r->to.sl = to.sl;
	/* a GRH where it leaves the subnet, or where one was asked for */
	if (to.grh && !r->to.grh) {
		r->to.grh = true;
		memcpy(r->to.gid, to.gid, sizeof(to.gid));
	}
	if (!d->have_grh_field && !to.grh)
		r->to.grh = false;
	/* the SA's response counts even if it arrived after the deadline or a signal, but nothing is sent after them */
	if (cli_stopped())
		return cli_stopped_status();
	if (o->deadline_ms && madkit_port_now(x->port) >= exchange_deadline(x, r))
		return exchange_fail(x, EXIT_TIMEOUT, -ETIMEDOUT,
				     "the deadline passed while the address was being resolved");
	return EXIT_DONE;
}

static void exchange_put_guid(uint8_t *p, uint64_t value)
{
	for (int i = 7; i >= 0; i--, value >>= 8)
		p[i] = (uint8_t)value;
}

/* Ethernet has neither QP0 nor LIDs nor a subnet manager: the GRH says where a request goes. */
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
		exchange_put_guid(r->to.gid, x->info->gid_prefix);
		exchange_put_guid(r->to.gid + 8, x->info->port_guid);
	}
	return EXIT_DONE;
}

/* What is missing, and why: of a member of the port (bit) that could not be read nothing is said but that. */
static int need_lid(struct exchange *x, uint32_t bit, const char *what)
{
	char buf[192];

	if (x->info->unread & bit)
		return exchange_fail(x, EXIT_LOCAL, x->info->unread_error, "cannot read the %s of %s/%u: %s",
				     bit == MADKIT_PORT_LID ? "LID" : "SM LID", x->info->ca, x->info->port,
				     strerror(-x->info->unread_error));
	return exchange_fail(x, EXIT_LOCAL, -ENETUNREACH, "%s: %s; is a subnet manager running?", what,
			     exchange_port_summary(x, buf));
}

int exchange_address(struct exchange *x, struct request *r)
{
	const struct destination *d = &r->destination;
	uint32_t sm_lid = x->options->sm_lid;

	x->why[0] = 0;
	request_put_port(r, x->info->port);
	exchange_refresh(x);
	if (x->info->link_layer == MADKIT_LINK_ETHERNET)
		return address_roce(x, r);
	if (r->to.direct) {
		if (!d->have_lid)
			return EXIT_DONE;
		if (!x->info->lid)
			return need_lid(x, MADKIT_PORT_LID,
					"a combined route begins at this port's LID, and it has none");
		r->to.dr_slid = (uint16_t)x->info->lid;
		request_put_route(r);
		return EXIT_DONE;
	}
	if (d->have_lid)
		return EXIT_DONE;
	if (d->have_guid || d->have_gid || d->name)
		return resolve(x, r);
	if (r->to_manager) {
		r->to.lid = sm_lid ? sm_lid : x->info->sm_lid;
		if (!d->have_sl)
			r->to.sl = x->info->sm_sl;
		return r->to.lid ? EXIT_DONE :
				   need_lid(x, MADKIT_PORT_SM_LID, "the port knows no subnet manager");
	}
	r->to.lid = x->info->lid;
	return r->to.lid ? EXIT_DONE : need_lid(x, MADKIT_PORT_LID, "the port has no LID");
}
