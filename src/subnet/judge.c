/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include "judge.h"

/* A survey for the rules. */
struct judge_survey {
	struct subnet *net;
	struct judgement *judged;
	struct madkit_survey *survey;
	uint32_t taken; /* targets with a result */
};

static unsigned int judge_take_result(void *context, struct madkit_survey_result *result)
{
	struct judge_survey *s = context;

	s->taken += result->about == MADKIT_SURVEY_TARGET;
	madkit_health_take(s->judged->health, result);
	return MADKIT_SURVEY_NEXT;
}

static uint64_t judge_m_key(void *context, const struct madkit_sweep_node *node, unsigned int port,
			    bool behind)
{
	struct judge_survey *s = context;

	return subnet_m_key(s->net, node, port, behind);
}

static uint64_t judge_v_key(void *context, const struct madkit_sweep_node *node, unsigned int port)
{
	struct judge_survey *s = context;

	return subnet_v_key(s->net, node, port);
}

static int judge_step(void *context, uint64_t until_ns)
{
	struct judge_survey *s = context;

	return madkit_survey_step(s->survey, until_ns);
}

/* Returns the MAD of a request, with the timeout and, unless it is sent once, the retries of the options; NULL if out of memory. */
static struct madkit_send *judge_request(const struct subnet *net, const struct madkit_health_request *r)
{
	const struct madkit_header header = {
		.base_version = MADKIT_BASE_VERSION_IB,
		.mgmt_class = r->mgmt_class,
		.class_version = madkit_class_version(r->mgmt_class),
		.method = MADKIT_METHOD_GET,
		.attribute = r->attribute,
		.modifier = r->row ? r->row->modifier_value : 0,
	};
	const size_t data = madkit_class_get(r->mgmt_class)->offset;
	struct madkit_send *send = madkit_send_new(MADKIT_MAD_BYTES);

	if (!send)
		return NULL;
	madkit_header_put(send->mad, MADKIT_MAD_BYTES, &header);
	if (r->row)
		madkit_attribute_choose(r->row, send->mad + data, MADKIT_MAD_BYTES - data);
	send->to.qp = r->mgmt_class == MADKIT_CLASS_SUBN_DR ? 0 : 1;
	send->to.qkey = send->to.qp ? MADKIT_QKEY_GSI : 0;
	send->timeout_ms = net->x.time.timeout_ms;
	send->retries = r->once ? 0 : net->x.options->timing.retries;
	return send;
}

/* Waits until a request may be sent. */
static void judge_wait(struct subnet *net, const struct madkit_health_request *r)
{
	const uint64_t now = madkit_port_now(net->x.port);

	exchange_pause(&net->x, r->wait_ms);
	if (r->after_ns > now)
		exchange_pause(&net->x, (uint32_t)((r->after_ns - now) / NS_PER_MS + 1));
}

/* Sends a request of the rules to its ports. Returns EXIT_DONE, also if the deadline or a signal ended it. */
static int judge_ask(struct subnet *net, const struct madkit_health_request *r, struct judgement *j)
{
	struct judge_survey survey = { .net = net, .judged = j };
	struct madkit_survey_attr attr = {
		.attribute = r->row,
		.registers = r->registers,
		.ports = r->ports,
		.nports = r->nports,
		.all_blocks = r->all_blocks,
		.deadline_ns = net->x.time.deadline_ns == UINT64_MAX ? 0 : net->x.time.deadline_ns,
		.redirects = net->x.options->timing.redirects,
		.m_key = judge_m_key,
		.v_key = judge_v_key,
		.result = judge_take_result,
		.context = &survey,
	};
	struct madkit_send *send = judge_request(net, r);
	struct madkit_survey_counts counts;
	int ret = send ? 0 : -ENOMEM;

	attr.request = send;
	if (r->registers)
		j->registers = r->registers;
	judge_wait(net, r);
	if (!ret)
		ret = madkit_survey_new(net->sweep, &attr, &survey.survey);
	if (!ret) {
		ret = exchange_drive(&net->x, judge_step, NULL, &survey);
		madkit_survey_count(survey.survey, &counts);
		/* at the deadline, a survey ends by itself: requests were not sent, or their responses not awaited */
		j->cut |= ret <= 0 || survey.taken < counts.targets ||
			  madkit_port_now(net->x.port) >= net->x.time.deadline_ns;
		j->mads += counts.mads;
		j->resent += counts.resent;
		madkit_survey_free(survey.survey);
	}
	madkit_send_free(send);
	if (ret == -EINTR && cli_stopped())
		ret = 0;
	j->failed = ret < 0;
	return ret < 0 ? exchange_fail(&net->x, EXIT_LOCAL, ret, "the check failed: %s", strerror(-ret)) :
			 EXIT_DONE;
}

int judge_subnet(struct subnet *net, const struct madkit_health_settings *settings, struct judgement *j)
{
	struct madkit_health_request request;
	int ret = madkit_sweep_label(net->sweep, net->whole), status = EXIT_DONE;

	j->cut = net->counts.missing & MADKIT_SWEEP_UNFINISHED;
	if (!ret)
		ret = madkit_health_new(net->sweep, settings, &j->health);
	while (!ret && !status && !j->cut && (ret = madkit_health_next(j->health, &request)) > 0) {
		ret = 0;
		status = judge_ask(net, &request, j);
	}
	if (!ret)
		ret = madkit_health_judge(j->health);
	if (ret)
		return cli_no_memory();
	return status ? exchange_report(&net->x, NULL, status) : EXIT_DONE;
}

/* Appends a place as one word of a shell; the placeholder if that would need escapes, or the problem has no port. */
static void judge_put_word(struct madkit_buf *buf, const struct subnet *net, struct madkit_health_place at,
			   const char *placeholder)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:";
	struct madkit_buf place;
	const char *text;

	madkit_buf_init(&place, 0);
	if (net->sweep && at.node != MADKIT_SWEEP_NONE && at.port >= 0)
		madkit_sweep_put_place(net->sweep, &place, at.node, at.port);
	madkit_buf_char(&place, 0);
	text = place.error ? "" : place.data;
	if (!*text || strpbrk(text, "'\\"))
		madkit_buf_str(buf, placeholder);
	else if (!text[strspn(text, plain)])
		madkit_buf_str(buf, text);
	else
		madkit_buf_printf(buf, "'%s'", text);
	madkit_buf_free(&place);
}

void judge_put_next(struct madkit_buf *buf, const struct subnet *net, const struct madkit_problem *problem)
{
	static const char word[] = "PLACE";
	const char *next = problem->rule->next;

	for (const char *found; (found = strstr(next, word)); next = found + strlen(word)) {
		madkit_buf_add(buf, next, (size_t)(found - next));
		judge_put_word(buf, net, problem->ends[0], word);
	}
	madkit_buf_str(buf, next);
}
