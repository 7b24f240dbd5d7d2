/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "exchange.h"

const char *port_summary(const struct madkit_port_info *info, char buf[192])
{
	const char *state = madkit_port_state_name(info->state);

	if (!state)
		state = "without a state";
	if (info->link_layer == MADKIT_LINK_ETHERNET)
		snprintf(buf, 192, "%s/%u is %s (RoCE)", info->ca, info->port, state);
	else
		snprintf(buf, 192, "%s/%u is %s, its LID %u, its SM LID %u",
			 info->ca, info->port, state, info->lid, info->sm_lid);
	return buf;
}

/* ---- the port --------------------------------------------------------------------- */

/* What fails before anything is sent is a line of JSON as well. */
static int show_failure(struct exchange *x, const struct request *r, int status)
{
	struct madkit_message message;

	if (x->out->format != FORMAT_JSON || !x->error)
		return status;
	x->seq++;
	exchange_message(x, x->error == -ETIMEDOUT ? MADKIT_MESSAGE_TIMEOUT :
						     MADKIT_MESSAGE_ERROR, &message);
	message.send_status = -x->error;
	message.attribute = r ? r->attribute : NULL;
	message.mad = r ? r->mad : NULL;
	message.len = r ? r->len : 0;
	output_message(x->out, &message);
	return status;
}

void exchange_begin(struct exchange *x, const struct cli_options *options,
		    struct output *out)
{
	memset(x, 0, sizeof(*x));
	x->options = options;
	x->out = out;
	if (gethostname(x->host, sizeof(x->host) - 1))
		x->host[0] = 0;
}

static int open_port(struct exchange *x, const struct cli_options *options,
		     struct output *out, const char *spec)
{
	struct madkit_error error = { .text = "" };
	int flags = MADKIT_SNOOP_POSTED_SENDS | MADKIT_SNOOP_SEND_COMPLETIONS |
		    MADKIT_SNOOP_RECVS;
	int ret;

	exchange_begin(x, options, out);
	ret = madkit_port_open(spec, &x->port, &error);
	if (ret) {
		x->port = NULL;
		cli_say("%s", error.text[0] ? error.text : strerror(-ret));
		if (ret == -EINVAL)
			return EXIT_USAGE;
		x->error = ret;
		return EXIT_LOCAL;
	}
	x->info = out->port = madkit_port_get_info(x->port);
	out->ports++;
	/* not a child's; under a simulator it may be no real descriptor */
	fcntl(madkit_port_fd(x->port), F_SETFD, FD_CLOEXEC);
	ret = output_capture(out, -1);
	if (ret)
		return ret;
	x->deadline_ns = options->deadline_ms < 0 ? UINT64_MAX :
		madkit_port_now(x->port) + (uint64_t)options->deadline_ms * NS_PER_MS;
	if (out->capture_fd >= 0 || out->debug)
		madkit_agent_snoop(x->port, flags, output_snoop, out);
	if (out->debug)
		cli_say("%s", port_summary(x->info, (char[192]){ 0 }));
	return EXIT_DONE;
}

int exchange_open_port(struct exchange *x, const struct cli_options *options,
		       struct output *out, const char *spec)
{
	int status = open_port(x, options, out, spec);

	return status ? show_failure(x, NULL, status) : status;
}

void exchange_close(struct exchange *x)
{
	if (x->port)
		x->out->ports--;
	madkit_port_close(x->port);
	x->port = NULL;
	x->agent = NULL;
}

void exchange_message(struct exchange *x, enum madkit_message_kind kind,
		      struct madkit_message *message)
{
	*message = (struct madkit_message){
		.kind = kind,
		.host = x->host[0] ? x->host : NULL,
		.device = x->info ? x->info->device : NULL,
		.agent = x->agent ? madkit_agent_id(x->agent) : 0,
		.seq = x->seq,
		.rtt_us = -1,
		.attempts = -1,
	};
	if (x->port)
		madkit_port_realtime(x->port, &message->time);
	else
		clock_gettime(CLOCK_REALTIME, &message->time);
}

/* ---- where to --------------------------------------------------------------------- */

static int unresolved(struct exchange *x, int error, const struct madkit_error *text)
{
	const char *why = text->text[0] ? text->text : strerror(-error);
	char port[192];

	if (error == -EEXIST) {
		cli_say("%s", why);
		return EXIT_USAGE;
	}
	x->error = error;
	if (error == -ENOENT && x->options->have_guid) {
		cli_say("%s (-G takes a port GUID: PortGuid of NodeInfo)", why);
	} else if (error == -ENOENT && x->options->name) {
		cli_say("%s (--name takes the whole node description)", why);
	} else if (error == -ETIMEDOUT) {
		madkit_port_refresh(x->port);
		cli_say("%s; check the port (%s)", why, port_summary(x->info, port));
	} else {
		cli_say("%s", why);
	}
	return error == -ENOENT ? EXIT_NOTHING : cli_status_of(error);
}

static int resolve(struct exchange *x, struct request *r)
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
		.node_name_map = o->node_name_map,
	};
	struct madkit_error error = { .text = "" };
	struct madkit_addr to = r->to;
	int ret;

	do {
		if (o->have_guid)
			ret = madkit_resolve_guid(&resolver, o->guid, &to, &error);
		else if (o->name)
			ret = madkit_resolve_name(&resolver, o->name, &to, &error);
		else
			ret = madkit_resolve_gid(&resolver, o->addr.gid, &to, &error);
	} while (ret == -EINTR && !cli_stopped());
	if (ret == -EINTR)
		return cli_stopped_status();
	if (ret)
		return unresolved(x, ret, &error);
	r->to.lid = to.lid;
	if (!o->have_sl)
		r->to.sl = to.sl;
	/* a GRH where it leaves the subnet, or where one was asked for */
	if (to.grh && !r->to.grh) {
		r->to.grh = true;
		memcpy(r->to.gid, to.gid, sizeof(to.gid));
	}
	if (!o->have_grh_field && !to.grh)
		r->to.grh = false;
	return EXIT_DONE;
}

static void put_guid(uint8_t *p, uint64_t value)
{
	for (int i = 7; i >= 0; i--, value >>= 8)
		p[i] = (uint8_t)value;
}

/* On Ethernet there is no SA, and the GRH alone says where to. */
static int address_roce(struct exchange *x, struct request *r)
{
	const struct cli_options *o = x->options;

	if (o->have_guid || o->name || o->have_lid) {
		return cli_usage_error("%s/%u is RoCE, which knows GIDs alone: use --gid",
				       x->info->ca, x->info->port);
	}
	r->to.lid = 0;
	if (!o->have_gid && !r->to.direct) {
		r->to.grh = true;
		put_guid(r->to.gid, x->info->gid_prefix);
		put_guid(r->to.gid + 8, x->info->port_guid);
	}
	return EXIT_DONE;
}

static int need_lid(struct exchange *x, const char *what)
{
	char buf[192];

	cli_say("%s: %s; is a subnet manager running?", what,
		port_summary(x->info, buf));
	x->error = -ENETUNREACH;
	return EXIT_LOCAL;
}

int exchange_address(struct exchange *x, struct request *r)
{
	const struct cli_options *o = x->options;

	if (x->info->link_layer == MADKIT_LINK_ETHERNET)
		return address_roce(x, r);
	if (r->to.direct) {
		if (!o->have_lid)
			return EXIT_DONE;
		if (!x->info->lid)
			return need_lid(x, "a combined route begins at this port's LID, and it has none");
		r->to.dr_slid = (uint16_t)x->info->lid;
		request_put_route(r);
		return EXIT_DONE;
	}
	if (o->have_lid)
		return EXIT_DONE;
	if (o->have_guid || o->have_gid || o->name)
		return resolve(x, r);
	if (r->header.mgmt_class == MADKIT_CLASS_SA) {
		r->to.lid = o->sm_lid ? o->sm_lid : x->info->sm_lid;
		if (!o->have_sl)
			r->to.sl = x->info->sm_sl;
		return r->to.lid ? EXIT_DONE :
			need_lid(x, "the port knows no subnet manager");
	}
	r->to.lid = x->info->lid;
	return r->to.lid ? EXIT_DONE : need_lid(x, "the port has no LID");
}

/* ---- the agent --------------------------------------------------------------------- */

static int register_agent(struct exchange *x, const struct madkit_agent_attr *attr)
{
	struct madkit_refusal refusal = { .cause = MADKIT_REFUSAL_NONE };

	x->error = madkit_agent_register(x->port, attr, &x->agent, &refusal);
	if (!x->error)
		return EXIT_DONE;
	x->agent = NULL;
	cli_say("%s (madreg tells more)", refusal.error.text[0] ?
		refusal.error.text : strerror(-x->error));
	return EXIT_LOCAL;
}

int exchange_register(struct exchange *x, const struct madkit_agent_attr *attr)
{
	int status = register_agent(x, attr);

	return status ? show_failure(x, NULL, status) : status;
}

int exchange_open(struct exchange *x, const struct cli_options *options,
		  struct output *out, struct request *r)
{
	char spec[128];
	int status;

	memset(x, 0, sizeof(*x));
	if (options->ndevices > 1)
		return cli_usage_error("more than one --device");
	status = open_port(x, options, out, cli_device(options, spec));
	if (!status && r)
		status = exchange_address(x, r);
	if (!status && r) {
		struct madkit_agent_attr attr = {
			.mgmt_class = r->header.mgmt_class,
			.class_version = r->header.class_version,
			.oui = options->oui,
			.rmpp_version = r->rmpp_version,
		};

		status = register_agent(x, &attr);
	}
	return status ? show_failure(x, r, status) : status;
}

/* ---- asking ------------------------------------------------------------------------ */

static void tell_timeout(struct exchange *x, const struct request *r,
			 const struct answer *a)
{
	char what[112], addr[MADKIT_ADDR_TEXT_MAX], port[192];
	unsigned int tries = a->reply.kernel_resends ? a->send->retries + 1 :
						       a->reply.attempts;
	uint64_t had_time = a->elapsed_ns / (x->options->timeout_ms * NS_PER_MS) + 1;

	/* the kernel's resends that the deadline left no time for */
	if (a->reply.kernel_resends && tries > had_time)
		tries = (unsigned int)had_time;
	madkit_port_refresh(x->port);
	if (a->error == -EHOSTUNREACH) {
		cli_say("no response to %s from %s: nobody on the link has that GID; check the address, the port (%s)",
			request_text(r, what), madkit_addr_text(&r->to, addr),
			port_summary(x->info, port));
		return;
	}
	if (!r->expects_response) {
		cli_say("%s to %s: not known to have arrived in %.3f s; check the address, the port (%s)",
			request_text(r, what), madkit_addr_text(&r->to, addr),
			(double)a->elapsed_ns / 1e9, port_summary(x->info, port));
		return;
	}
	cli_say("no response to %s from %s in %.3f s, %u %s; check the address, the port (%s)%s",
		request_text(r, what), madkit_addr_text(&r->to, addr),
		(double)a->elapsed_ns / 1e9, tries, tries == 1 ? "try" : "tries",
		port_summary(x->info, port),
		r->smp ? ", and the M_Key: a wrong one is silence" : "");
}

/* What a person would look at next, where the status alone does not tell. */
static const char *status_hint(const struct request *r, uint16_t status)
{
	uint64_t port;

	/* codes below 4 are of the class, method or attribute: no other
	 * port would help */
	return (status >> MADKIT_STATUS_CODE_SHIFT & MADKIT_STATUS_CODE_MASK) < 4 ||
	       r->header.mgmt_class != MADKIT_CLASS_PERF ||
	       request_value(r, "PortSelect", &port) || port ? "" :
	       "; PortSelect was 0: give PortSelect=N";
}

/* Whether all of the attribute is there. A transport may leave out what comes
 * behind it, which umad never does. */
static bool is_whole(const struct madkit_message *m)
{
	struct madkit_record record;

	if (m->len < MADKIT_HEADER_BYTES)
		return false;
	madkit_record_get(m, 0, &record);
	return m->len >= madkit_mad_bytes(m->mad[MADKIT_MAD_BASE_VERSION]) ||
	       (record.layout && record.len >= record.layout->bytes) ||
	       madkit_mad_has_rmpp(m->mad, m->len);
}

static int judge(const struct request *r, const struct madkit_message *m)
{
	uint16_t status = madkit_message_status(m);
	unsigned int got, total;

	if (!is_whole(m))
		return EXIT_MALFORMED;
	/* SA: ERR_NO_RECORDS is an answer, an empty one */
	if (status)
		return r->header.mgmt_class == MADKIT_CLASS_SA &&
		       status >> MADKIT_STATUS_CLASS_SHIFT == MADKIT_SA_STATUS_NO_RECORDS ?
			EXIT_NOTHING : EXIT_STATUS;
	if (madkit_message_complete(m, &got, &total))
		return EXIT_MALFORMED;
	return madkit_message_records(m) ? EXIT_DONE : EXIT_NOTHING;
}

/* A table of one packet that is not all of it: whoever received that did not put it
 * together with the others. */
static const char *cut_reason(const struct madkit_message *m)
{
	return m->len <= madkit_mad_bytes(m->mad[MADKIT_MAD_BASE_VERSION]) ?
	       ": the first packet only, nothing on this port reassembles (RMPP)" : "";
}

static void tell_malformed(const char *what, const struct madkit_message *m)
{
	unsigned int got, total = 0;

	if (!is_whole(m) || !madkit_message_complete(m, &got, &total))
		cli_say("%s: the response has %zu bytes, which is no whole MAD",
			what, m->len);
	else if (total)
		cli_say("%s: the table was cut short: got %u of %u%s", what, got, total,
			cut_reason(m));
	else
		cli_say("%s: the table was cut short: got %u of an unknown number%s",
			what, got, cut_reason(m));
}

void exchange_tell(struct exchange *x, const struct request *r,
		   const struct answer *a)
{
	const struct madkit_message *m = &a->message;
	uint16_t status = madkit_message_status(m);
	char what[112], addr[MADKIT_ADDR_TEXT_MAX], text[160];

	request_text(r, what);
	madkit_addr_text(&r->to, addr);
	switch (a->status) {
	case EXIT_LOCAL:
		if (a->error == -ENODEV || a->error == -EIO)
			cli_say("%s to %s: %s: the device is gone", what, addr,
				x->info->device);
		else if (a->send && a->send->attempts)
			cli_say("cannot receive the answer to %s from %s: %s", what,
				addr, strerror(-a->error));
		else
			cli_say("cannot send %s to %s: %s", what, addr,
				a->error == -ENODATA ?
				"the port has no GID of that index" :
				strerror(-a->error));
		break;
	case EXIT_TIMEOUT:
		tell_timeout(x, r, a);
		break;
	case EXIT_STATUS:
		madkit_status_text(r->header.mgmt_class, status, text, sizeof(text));
		cli_say("%s to %s came back with status 0x%04x: %s%s", what, addr,
			status, text, status_hint(r, status));
		break;
	case EXIT_MALFORMED:
		tell_malformed(what, m);
		break;
	case EXIT_NOTHING:
		cli_say("%s: %s", what, status ? "no such record" : "the table is empty");
		break;
	}
}

static int failed(struct answer *a, int error)
{
	/* Ethernet: nobody answered when the kernel asked for the GID */
	bool silence = error == -ETIMEDOUT || error == -EHOSTUNREACH;

	a->error = error;
	a->message.kind = silence ? MADKIT_MESSAGE_TIMEOUT : MADKIT_MESSAGE_ERROR;
	a->message.send_status = -error;
	a->message.mad = a->send->mad;
	a->message.len = a->send->len;
	return silence ? EXIT_TIMEOUT : EXIT_LOCAL;
}

int exchange_ended(struct exchange *x, const struct request *r, struct answer *a, int ret)
{
	exchange_message(x, r->expects_response ? MADKIT_MESSAGE_RESPONSE :
						  MADKIT_MESSAGE_REQUEST,
			 &a->message);
	a->message.attribute = r->attribute;
	a->message.remote = &a->send->to;
	if (!a->reply.kernel_resends)
		a->message.attempts = (int32_t)a->reply.attempts;
	a->elapsed_ns = madkit_port_now(x->port) - a->asked_ns;
	if (ret)
		return failed(a, ret);
	if (!a->reply.recv) {
		a->message.mad = a->send->mad;
		a->message.len = a->send->len;
		return EXIT_DONE;
	}
	a->message.time = a->reply.recv->time;
	a->message.rtt_us = (int64_t)(a->reply.rtt_ns / 1000);
	a->message.mad = a->reply.recv->mad;
	a->message.len = a->reply.recv->len;
	return judge(r, &a->message);
}

int exchange_begun(struct exchange *x, const struct request *r, struct answer *a)
{
	*a = (struct answer){ .message.kind = MADKIT_MESSAGE_EVENT };
	a->send = madkit_send_new(r->len);
	if (!a->send) {
		a->error = -ENOMEM;
		return EXIT_LOCAL;
	}
	a->send->to = r->to;
	memcpy(a->send->mad, r->mad, r->len);
	a->send->timeout_ms = r->expects_response ? x->options->timeout_ms : 0;
	a->send->retries = x->options->retries;
	a->asked_ns = madkit_port_now(x->port);
	x->seq++;
	return EXIT_DONE;
}

static int ask(struct exchange *x, const struct request *r, struct answer *a)
{
	int ret = exchange_begun(x, r, a);

	if (ret)
		return ret;
	do {	/* not every signal is one that asks to stop */
		ret = madkit_request(x->agent, a->send, x->deadline_ns, &a->reply);
	} while (ret == -EINTR && !cli_stopped());
	if (ret == -EINTR)
		return cli_stopped_status();
	return exchange_ended(x, r, a, ret ? ret : a->reply.status);
}

int exchange_ask(struct exchange *x, const struct request *r, struct answer *a)
{
	a->status = ask(x, r, a);
	return a->status;
}

void answer_free(struct answer *a)
{
	madkit_recv_free(a->reply.recv);
	madkit_send_free(a->send);
	a->reply.recv = NULL;
	a->send = NULL;
}

void exchange_show(struct exchange *x, const struct answer *a)
{
	bool is_answer = a->message.kind == MADKIT_MESSAGE_RESPONSE;

	if (a->message.kind == MADKIT_MESSAGE_EVENT)
		return;
	/* JSON has a line for everything; for people, what was not answered and
	 * what was refused stands on standard error, and nobody is to take the
	 * zeros in it for an answer */
	if (x->out->format != FORMAT_JSON &&
	    (!is_answer || (x->out->format == FORMAT_TEXT &&
			    !x->out->how.verbose &&
			    (a->status == EXIT_NOTHING ||
			     madkit_message_status(&a->message)))))
		return;
	output_message(x->out, &a->message);
}

int exchange_slice_ms(const struct exchange *x, uint64_t until_ns)
{
	uint64_t now = madkit_port_now(x->port), left;

	if (now >= until_ns)
		return 0;
	left = (until_ns - now + NS_PER_MS - 1) / NS_PER_MS;
	return left < CLI_SLICE_MS ? (int)left : CLI_SLICE_MS;
}

bool exchange_pause(struct exchange *x, uint64_t until_ns)
{
	uint64_t end = until_ns < x->deadline_ns ? until_ns : x->deadline_ns;
	int ms;

	while (!cli_stopped() && (ms = exchange_slice_ms(x, end)) > 0) {
		int ret = madkit_port_wait(x->port, ms);

		if (ret > 0)
			ret = madkit_port_process(x->port);
		if (ret < 0 && ret != -EINTR)
			return true;
	}
	return !cli_stopped() && end == until_ns;
}
