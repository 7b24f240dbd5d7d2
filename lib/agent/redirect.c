/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Targets of redirections, requests that follow redirections, and agents on UD queue pairs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <madkit/constants.h>
#include <madkit/cpi.h>
#include <madkit/mad.h>
#include <madkit/redirect.h>
#include <madkit/registry.h>
#include <madkit/rmpp.h>
#include <madkit/resolve.h>
#include "agent/agent.h"
#include "agent/redirect.h"
#include "transport/verbs.h"
#include "util/bits.h"

/* ---- the place that a response names ------------------------------------------------ */

enum { GID_MULTICAST = 0xff, HOP_LIMIT_MAX = 255, QP0 = 0, QP1 = 1 };

static bool redirect_is_same_place(const struct madkit_addr *a, const struct madkit_addr *b)
{
	uint32_t qkey_a = a->qp == QP1 ? MADKIT_QKEY_GSI : a->qkey;
	uint32_t qkey_b = b->qp == QP1 ? MADKIT_QKEY_GSI : b->qkey;

	return a->lid == b->lid && a->qp == b->qp && qkey_a == qkey_b &&
	       (!a->grh || !b->grh || !memcmp(a->gid, b->gid, sizeof(a->gid)));
}

int madkit_redirect_target(const uint8_t *mad, size_t len, const struct madkit_addr *asked,
			   struct madkit_addr *to)
{
	static const uint8_t no_gid[16];
	struct madkit_cpi_target target;
	struct madkit_header h;
	size_t begin;
	bool opa;

	if (!mad || !asked || !to)
		return -EINVAL;
	if (madkit_header_get(mad, len, &h))
		return -EPROTO;
	if (h.attribute != MADKIT_ATTR_CLASS_PORT_INFO)
		return -ENOENT;
	opa = h.base_version == MADKIT_BASE_VERSION_OPA;
	begin = madkit_attribute_offset(h.base_version, h.mgmt_class, NULL);
	if (len < begin + (opa ? MADKIT_CPI_OPA_BYTES : MADKIT_CPI_BYTES))
		return -EPROTO;
	if (!madkit_cpi_get_redirect(mad + begin, opa, &target))
		return -ENOENT;
	if (target.qp == QP0 || target.gid[0] == GID_MULTICAST ||
	    (target.lid >= LID_MULTICAST && (!opa || target.lid <= UINT16_MAX)))
		return -EPROTO;
	*to = *asked;
	to->lid = target.lid;
	to->sl = target.sl;
	to->qp = target.qp;
	to->qkey = target.qp == QP1 ? MADKIT_QKEY_GSI : target.qkey;
	to->pkey = target.pkey;
	to->grh = memcmp(target.gid, no_gid, sizeof(no_gid)) && (asked->grh || !target.lid);
	if (to->grh) {
		memcpy(to->gid, target.gid, sizeof(to->gid));
		to->traffic_class = target.traffic_class;
		to->flow_label = target.flow_label;
		if (!asked->grh)
			to->hop_limit = HOP_LIMIT_MAX;
	}
	return redirect_is_same_place(asked, to) ? -ELOOP : 0;
}

/* ---- a request that follows ---------------------------------------------------------- */

static int follow_fail(struct follow *f, int code, const char *why)
{
	return madkit_error_set(&f->job->redirected.error, code, -1, "%s", why);
}

/* Checks if a handler has unregistered the job's agent while the request was outstanding, and sets the
 * error. */
static bool follow_agent_is_gone(struct follow *f)
{
	list_each(struct madkit_agent, agent, &f->port->agents, link)
		if (agent == f->job->agent)
			return false;
	follow_fail(f, -ECANCELED, "the responder redirects, but the agent was unregistered");
	return true;
}

/* ---- where to --------------------------------------------------------------------- */

/* Returns a Get of ClassPortInfo with the class header of the request, which contains its keys or its OUI. */
static struct madkit_send *follow_cpi_request(const struct madkit_send *request)
{
	struct madkit_send *send = madkit_send_new(MADKIT_MAD_BYTES);
	size_t begin = madkit_attribute_offset(request->mad[MADKIT_MAD_BASE_VERSION],
					       request->mad[MADKIT_MAD_CLASS], NULL);
	struct madkit_header h;

	if (!send)
		return NULL;
	memcpy(send->mad, request->mad, begin < request->len ? begin : request->len);
	madkit_header_get(send->mad, send->len, &h);
	h.method = MADKIT_METHOD_GET;
	h.attribute = MADKIT_ATTR_CLASS_PORT_INFO;
	h.modifier = 0;
	madkit_header_put(send->mad, send->len, &h);
	if (madkit_class_is_rmpp(h.mgmt_class))
		memset(send->mad + MADKIT_HEADER_BYTES, 0, MADKIT_RMPP_HEADER_BYTES);
	if (h.mgmt_class == MADKIT_CLASS_SA)
		memset(send->mad + MADKIT_SA_ATTRIBUTE_OFFSET, 0,
		       MADKIT_SA_DATA - MADKIT_SA_ATTRIBUTE_OFFSET);
	send->to = request->to;
	send->timeout_ms = request->timeout_ms;
	send->retries = request->retries;
	return send;
}

/* Queries ClassPortInfo. *code: the result of madkit_redirect_target(), if there was a response. */
static int ask_target(struct follow *f, struct madkit_addr *to, int *code)
{
	struct madkit_send *send = follow_cpi_request(f->job->send);
	struct madkit_reply reply;
	int ret;

	if (!send)
		return -ENOMEM;
	ret = madkit_request(f->agent, send, f->job->deadline_ns, &reply);
	if (!ret && reply.recv)
		*code = madkit_redirect_target(reply.recv->mad, reply.recv->len, &f->job->send->to, to);
	else if (!ret)
		follow_fail(f, reply.status, "the responder redirects, but does not send its ClassPortInfo");
	madkit_recv_free(reply.recv);
	madkit_send_free(send);
	return ret;
}

static void follow_explain(struct follow *f, int code)
{
	follow_fail(f, code,
		    code == -ENOENT ? "the responder redirects, but its ClassPortInfo has no destination" :
		    code == -ELOOP  ? "the responder redirects to itself" :
				      "the responder redirects, but its ClassPortInfo is not valid");
}

/* Completes the address with the port's P_Key index and, for a GID without a LID, the path from the SA.
 * Returns 0, or a code with the error set. */
static int follow_resolve(struct follow *f, struct madkit_addr *to)
{
	const struct madkit_port_info *info = &f->port->info;
	struct madkit_resolver resolver = {
		.port = f->port,
		.sm_sl = info->sm_sl,
		.timeout_ms = f->job->send->timeout_ms,
		.retries = f->job->send->retries,
		.deadline_ns = f->job->deadline_ns,
	};
	struct madkit_error *error = &f->job->redirected.error;
	int ret = to->pkey ? madkit_port_pkey_index(info, to->pkey, &f->port->limit, &to->pkey_index) : 0;

	if (ret == -ENOENT)
		return madkit_error_set(
			error, -EKEYREJECTED, -1,
			"the responder redirects to partition 0x%04x, but this port is not a member of it",
			to->pkey);
	if (ret)
		return madkit_error_set(
			error, ret, -1,
			"the responder redirects to partition 0x%04x, but the port's P_Keys cannot be read: %s",
			to->pkey, strerror(-ret));
	to->pkey = 0;
	if (to->lid || info->link_layer == MADKIT_LINK_ETHERNET)
		return 0;
	return madkit_resolve_gid(&resolver, to->gid, to, error);
}

/* ---- from where ------------------------------------------------------------------- */

static bool redirect_reaches(const struct madkit_agent *agent, const struct madkit_addr *to)
{
	const struct madkit_port *port = agent->port;

	if (port->transport->ops->fixed_qkey)
		return to->qkey == MADKIT_QKEY_GSI;
	/* a response has the Q_Key of its request */
	return to->qkey == port->info.qkey && to->pkey_index == port->info.pkey_index;
}

void follow_end(struct follow *f)
{
	if (f->agent != f->job->agent) {
		f->port->pace = f->agent->port->pace;
		madkit_port_close(f->agent->port);
	}
	f->agent = f->job->agent;
}

/* Registers an agent like the job's on a new queue pair that reaches the address. Returns 0, or a code with
 * the error set. */
static int redirect_make_agent(struct follow *f, const struct madkit_addr *to)
{
	const struct madkit_qp_attr attr = { .qkey = to->qkey, .pkey_index = to->pkey_index };
	const struct madkit_port *port = f->port;
	struct madkit_agent_attr like = f->job->agent->attr;
	struct madkit_refusal refusal;
	struct madkit_port *other;
	char spec[96];
	int ret;

	snprintf(spec, sizeof(spec), "verbs:%s/%u", port->info.ca, port->info.port);
	ret = madkit_port_open_qp(spec, &attr, &other, &f->job->redirected.error);
	if (ret)
		return ret;
	other->limit = port->limit;
	other->pace = port->pace;
	other->watchers = port->watchers;
	other->receive_initial = port->receive_initial;
	other->receive_max = port->receive_max;
	memset(like.method_mask, 0, sizeof(like.method_mask));
	like.send_handler = NULL;
	like.recv_handler = NULL;
	ret = madkit_agent_register(other, &like, &f->agent, &refusal);
	if (!ret)
		return 0;
	madkit_port_close(other);
	return madkit_error_set(&f->job->redirected.error, ret, -1, "%s", refusal.error.text);
}

static int change_agent(struct follow *f, const struct madkit_addr *to)
{
	if (redirect_reaches(f->agent, to))
		return 0;
	follow_end(f);
	return redirect_reaches(f->agent, to) ? 0 : redirect_make_agent(f, to);
}

/* ---- following -------------------------------------------------------------------- */

static bool asks_class_port_info(const struct madkit_send *send)
{
	return send->mad[MADKIT_MAD_METHOD] == MADKIT_METHOD_GET &&
	       get_be16(send->mad + MADKIT_MAD_ATTRIBUTE) == MADKIT_ATTR_CLASS_PORT_INFO;
}

static bool redirect_is_response(const struct madkit_reply *reply)
{
	struct madkit_header h;

	return reply->recv && !madkit_header_get(reply->recv->mad, reply->recv->len, &h) &&
	       h.status & MADKIT_STATUS_REDIRECT;
}

void follow_count(struct follow *f)
{
	struct madkit_reply *reply = &f->job->reply;

	f->attempts = reply->attempts += f->attempts;
	f->kernel_resends = reply->kernel_resends |= f->kernel_resends;
}

bool follow_wanted(struct follow *f)
{
	if (!redirect_is_response(&f->job->reply))
		return false;
	if (f->job->redirected.hops < f->job->redirects)
		return true;
	if (f->job->redirects)
		follow_fail(f, -ELOOP, "the responder redirects again");
	return false;
}

int follow_next(struct follow *f)
{
	const struct madkit_recv *recv = f->job->reply.recv;
	struct madkit_addr to;
	int ret, code = madkit_redirect_target(recv->mad, recv->len, &f->job->send->to, &to);

	if (follow_agent_is_gone(f))
		return 0;
	if (code == -ENOENT && !asks_class_port_info(f->job->send)) {
		ret = ask_target(f, &to, &code);
		if (ret || f->job->redirected.error.code)
			return ret;
	}
	if (code)
		follow_explain(f, code);
	else if (!follow_agent_is_gone(f) && !follow_resolve(f, &to) && !follow_agent_is_gone(f) &&
		 !change_agent(f, &to)) {
		f->job->send->to = to;
		f->job->redirected.hops++;
	}
	return f->job->redirected.error.code == -EINTR ? -EINTR : 0;
}

/* ---- agents that programs redirect to ------------------------------------------------ */

int madkit_agent_redirect_qp(struct ibv_qp *qp, const struct madkit_agent_attr *attr,
			     struct madkit_agent **agent, struct madkit_error *error)
{
	struct madkit_refusal refusal;
	struct transport *transport;
	struct madkit_port *port;
	int ret;

	if (!qp || !attr || !agent)
		return madkit_error_set(error, -EINVAL, -1,
					"the queue pair, the registration or the agent is NULL");
	ret = verbs_given_open(qp, &transport, error);
	if (!ret)
		ret = port_create(transport, &port, error);
	if (ret)
		return ret;
	ret = madkit_agent_register(port, attr, agent, &refusal);
	if (ret) {
		madkit_error_set(error, ret, -1, "%s", refusal.error.text);
		madkit_port_close(port);
	}
	return ret;
}

int madkit_agent_process_wc(struct madkit_agent *agent, const struct ibv_wc *wc, const void *buffer,
			    size_t size)
{
	if (!agent || !wc)
		return -EINVAL;
	return verbs_given_take(agent->port->transport, agent->id, wc, buffer, size);
}
