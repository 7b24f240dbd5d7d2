/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Resolves the destination of a request through the port or the SA. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "exchange.h"

enum { NODE_NAMES = 3, NODE_NAME_BYTES = 65, NODE_NAMES_BYTES = NODE_NAMES * (NODE_NAME_BYTES + 8) + 32 };

/* A search for a word among the SA's nodes. */
struct node_search {
	const char *word;
	char list[NODE_NAMES_BYTES]; /* "; did you mean 'node3 HCA-1'?": descriptions that begin with word */
	unsigned int listed;
	unsigned int nodes; /* number of nodes with the word as the whole first word of their descriptions */
	uint64_t node_guid, port_guid;
};

static void node_search_list(struct node_search *s, const char *name)
{
	char quoted[NODE_NAME_BYTES + 4];
	size_t used = strlen(s->list);

	snprintf(quoted, sizeof(quoted), "'%s'", name);
	/* a node has a record for each port */
	if (s->listed == NODE_NAMES || strstr(s->list, quoted))
		return;
	snprintf(s->list + used, NODE_NAMES_BYTES - used, "%s%s", s->listed ? " or " : "; did you mean ",
		 quoted);
	s->listed++;
}

static void node_search_try(struct node_search *s, const struct madkit_record *record)
{
	char name[NODE_NAME_BYTES] = "";
	size_t len = strlen(s->word);
	uint64_t node, port;

	if (madkit_get_bytes(record->data, record->len, MADKIT_NODE_RECORD_NODE_DESCRIPTION, name,
			     sizeof(name) - 1) ||
	    strncasecmp(name, s->word, len))
		return;
	node_search_list(s, name);
	if (strncmp(name, s->word, len) != 0 || name[len] != ' ' ||
	    madkit_get(record->data, record->len, MADKIT_NODE_RECORD_NODE_INFO_GUID, &node) ||
	    madkit_get(record->data, record->len, MADKIT_NODE_RECORD_NODE_INFO_PORT_GUID, &port) ||
	    (s->nodes && node == s->node_guid))
		return;
	s->node_guid = node;
	s->port_guid = port;
	s->nodes++;
}

/* Searches the table of all nodes. If the query fails, nothing is found. */
static void node_search_run(struct exchange *x, const struct madkit_resolver *resolver, struct node_search *s)
{
	struct madkit_addr to = { .lid = resolver->sm_lid, .sl = resolver->sm_sl };
	struct madkit_reply reply = { .recv = NULL };
	struct madkit_message message;
	struct madkit_record record;
	struct madkit_refusal refusal;
	struct madkit_send *send = NULL;

	/* not for each line of a batch, because the table has all nodes */
	if (x->options->mode == MODE_BATCH || !*s->word || strlen(s->word) >= NODE_NAME_BYTES - 1 ||
	    (!to.lid && madkit_port_sa_addr(x->port, &to, NULL)))
		return;
	send = madkit_send_request(&to, MADKIT_CLASS_SA, MADKIT_METHOD_GET_TABLE, MADKIT_ATTR_NODE_RECORD, 0);
	if (!send)
		return;
	send->timeout_ms = resolver->timeout_ms;
	send->retries = resolver->retries;
	madkit_put(send->mad, MADKIT_SA_DATA, MADKIT_HEADER_SA_SM_KEY, resolver->sm_key);
	if (!madkit_port_request(x->port, send, resolver->deadline_ns, &reply, &refusal) &&
	    !madkit_reply_message(&reply, &message)) {
		madkit_record_get(&message, 0, &record);
		do {
			if (record.data)
				node_search_try(s, &record);
		} while (madkit_record_next(&record));
	}
	if (s->listed)
		strcat(s->list, "?");
	madkit_recv_free(reply.recv);
	madkit_send_free(send);
}

/* Resolves a name that is not a whole description: the node with that first word. Returns as
 * madkit_resolve_name(). */
static int resolve_word(struct exchange *x, const struct madkit_resolver *resolver, struct node_search *s,
			struct madkit_addr *to, struct madkit_error *error)
{
	node_search_run(x, resolver, s);
	if (s->nodes == 1)
		return madkit_resolve_guid(resolver, s->port_guid, to, error);
	if (s->nodes > 1)
		return madkit_error_set(error, -EEXIST, -1, "several nodes are called '%.64s'%s", s->word,
					s->list);
	return -ENOENT;
}

static int unresolved(struct exchange *x, const struct destination *d, int error,
		      const struct madkit_error *text, const char *names)
{
	const char *why = text->text[0] ? text->text : strerror(-error);
	char port[192];

	if (error == -EEXIST)
		return exchange_fail(x, EXIT_USAGE, 0, "%s", why);
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
			names);
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
	struct node_search search = { .word = d->name ? d->name : "" };
	struct madkit_addr to = r->to;
	int ret, status;

	if (d->have_guid)
		ret = madkit_resolve_guid(&resolver, d->guid, &to, &error);
	else if (d->name)
		ret = madkit_resolve_name(&resolver, d->name, &to, &error);
	else
		ret = madkit_resolve_gid(&resolver, d->addr.gid, &to, &error);
	if (ret == -ENOENT && d->name)
		ret = resolve_word(x, &resolver, &search, &to, &error);
	if (ret == -EINTR)
		return cli_stopped_status();
	if (ret) {
		status = unresolved(x, d, ret, &error, search.list);
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
	if (o->deadline_ms && madkit_port_now(x->port) >= exchange_deadline(x, r))
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

/* Notes what is missing, and why. If that member of the port (bit) could not be read, only this is noted.
 * Returns an exit status. */
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

bool exchange_address_manager(struct exchange *x, const struct request *r, struct madkit_addr *to)
{
	uint32_t lid;

	exchange_refresh(x);
	lid = x->options->sm_lid ? x->options->sm_lid : x->info->sm_lid;
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
	if (r->to_manager)
		return exchange_address_manager(x, r, &r->to) ?
			       EXIT_DONE :
			       need_lid(x, MADKIT_PORT_SM_LID, "the port knows no subnet manager");
	r->to.lid = x->info->lid;
	return r->to.lid ? EXIT_DONE : need_lid(x, MADKIT_PORT_LID, "the port has no LID");
}
