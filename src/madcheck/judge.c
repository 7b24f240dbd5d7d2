/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include "judge.h"

/* A survey for the rules. */
struct judge_survey {
	struct check_net *net;
	struct madkit_survey *survey;
};

static unsigned int judge_take_result(void *context, struct madkit_survey_result *result)
{
	struct judge_survey *s = context;

	madkit_health_take(s->net->health, result);
	return MADKIT_SURVEY_NEXT;
}

static uint64_t judge_m_key(void *context, const struct madkit_sweep_node *node, unsigned int port,
			    bool behind)
{
	struct judge_survey *s = context;

	return subnet_m_key(&s->net->net, node, port, behind);
}

static int judge_step(void *context, uint64_t until_ns)
{
	struct judge_survey *s = context;

	return madkit_survey_step(s->survey, until_ns);
}

/* Waits for some time. */
struct judge_pause {
	struct exchange *x;
	uint64_t end_ns;
};

static int judge_step_pause(void *context, uint64_t until_ns)
{
	const struct judge_pause *pause = context;
	int ret;

	if (madkit_port_now(pause->x->port) >= pause->end_ns)
		return 1;
	ret = madkit_port_wait(pause->x->port,
			       exchange_slice_ms(pause->x,
						 until_ns < pause->end_ns ? until_ns : pause->end_ns));
	return ret < 0 ? ret : 0;
}

static void judge_pause(struct check_net *n, uint32_t ms)
{
	struct judge_pause pause = { &n->net.x, madkit_port_now(n->net.x.port) + ms * NS_PER_MS };

	if (ms)
		exchange_drive(&n->net.x, judge_step_pause, NULL, &pause);
}

/* Returns the MAD of a request, with the timeout and the retries of the options; NULL if out of memory. */
static struct madkit_send *judge_request(const struct check_net *n, const struct madkit_health_request *r)
{
	const struct madkit_header header = {
		.base_version = MADKIT_BASE_VERSION_IB,
		.mgmt_class = r->mgmt_class,
		.class_version = madkit_class_version(r->mgmt_class),
		.method = MADKIT_METHOD_GET,
		.attribute = r->attribute,
	};
	struct madkit_send *send = madkit_send_new(MADKIT_MAD_BYTES);

	if (!send)
		return NULL;
	madkit_header_put(send->mad, MADKIT_MAD_BYTES, &header);
	send->to.qp = r->mgmt_class == MADKIT_CLASS_SUBN_DR ? 0 : 1;
	send->to.qkey = send->to.qp ? MADKIT_QKEY_GSI : 0;
	send->timeout_ms = n->net.x.time.timeout_ms;
	send->retries = n->net.x.options->timing.retries;
	return send;
}

/* Sends a request of the rules to its ports. Returns EXIT_DONE, also if the deadline or a signal ended it. */
static int judge_ask(struct check_net *n, const struct madkit_health_request *r)
{
	struct judge_survey survey = { .net = n };
	struct madkit_survey_attr attr = {
		.ports = r->ports,
		.nports = r->nports,
		.all_blocks = r->all_blocks,
		.deadline_ns = n->net.x.time.deadline_ns == UINT64_MAX ? 0 : n->net.x.time.deadline_ns,
		.redirects = n->net.x.options->timing.redirects,
		.m_key = judge_m_key,
		.result = judge_take_result,
		.context = &survey,
	};
	struct madkit_send *send = judge_request(n, r);
	struct madkit_survey_counts counts;
	int ret = send ? 0 : -ENOMEM;

	attr.request = send;
	judge_pause(n, r->wait_ms);
	if (!ret)
		ret = madkit_survey_new(n->net.sweep, &attr, &survey.survey);
	if (!ret) {
		ret = exchange_drive(&n->net.x, judge_step, NULL, &survey);
		n->cut |= !ret;
		madkit_survey_count(survey.survey, &counts);
		n->mads += counts.mads;
		n->resent += counts.resent;
		madkit_survey_free(survey.survey);
	}
	madkit_send_free(send);
	return ret < 0 ? exchange_fail(&n->net.x, EXIT_LOCAL, ret, "the check failed: %s", strerror(-ret)) :
			 EXIT_DONE;
}

int judge_net(struct check *c, struct check_net *n)
{
	struct madkit_health_request request;
	int ret = madkit_sweep_label(n->net.sweep), status = EXIT_DONE;

	if (!ret)
		ret = madkit_health_new(n->net.sweep, &c->settings, &n->health);
	while (!ret && !status && !n->cut && (ret = madkit_health_next(n->health, &request)) > 0) {
		ret = 0;
		status = judge_ask(n, &request);
	}
	if (!ret)
		ret = madkit_health_judge(n->health);
	if (ret)
		return cli_no_memory();
	return status ? exchange_report(&n->net.x, NULL, status) : EXIT_DONE;
}
