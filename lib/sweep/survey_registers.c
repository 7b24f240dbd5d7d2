/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include "sweep/registers_prepare.h"
#include "sweep/survey_registers.h"
#include "util/array_size.h"
#include "wire/access.h"

int survey_registers_open(struct madkit_survey *s)
{
	int ret = 0;

	if (!survey_is_register(s->header.mgmt_class, s->attribute))
		return 0;
	if (s->attr.registers && s->attr.registers->sweep != s->sweep)
		return -EINVAL;
	if (!s->attr.registers)
		ret = madkit_registers_new(s->sweep, &s->own_registers);
	s->registers = s->own_registers ? s->own_registers : s->attr.registers;
	if (!ret)
		registers_retry(s->registers);
	return ret;
}

bool survey_registers_prepares(const struct madkit_survey *s, uint32_t node)
{
	const struct survey_node *n = &s->targets.nodes[node];

	return s->registers && n->next != SURVEY_NONE &&
	       s->registers->nodes[s->targets.targets[n->next].node].stage != REGISTERS_DONE;
}

/* Nodes that waited for the checks of their type go on. */
static void survey_registers_wake(struct madkit_survey *s)
{
	if (s->news == s->registers->news)
		return;
	s->news = s->registers->news;
	for (uint32_t i = 0; i < s->targets.nnodes; i++) {
		struct survey_node *n = &s->targets.nodes[i];

		if (!n->parked)
			continue;
		n->parked = false;
		survey_targets_queue(&s->targets, i);
	}
}

/* Returns why the targets of a node are not requested. */
static struct survey_refusal survey_registers_judge(const struct madkit_survey *s, uint32_t number)
{
	static const int errors[] = {
		[MADKIT_REGISTERS_READY] = 0,
		[MADKIT_REGISTERS_MISSING] = -EOPNOTSUPP,
		[MADKIT_REGISTERS_SILENT] = -ETIMEDOUT,
		[MADKIT_REGISTERS_LEFT_OUT] = -EPERM,
		[MADKIT_REGISTERS_REFUSED] = -EOPNOTSUPP,
		[MADKIT_REGISTERS_INVALID] = -EBADMSG,
	};
	const struct madkit_registers_node known = madkit_registers_get(s->registers, number);

	/* a node that has registers, but refuses now */
	if (known.state == MADKIT_REGISTERS_REFUSED && known.status && !madkit_registers_lacks(known.status))
		return (struct survey_refusal){ -ECONNREFUSED, known.status == MADKIT_STATUS_BUSY ?
								       "it is busy" :
								       known.reason };
	return (struct survey_refusal){ known.state < ARRAY_SIZE(errors) ? errors[known.state] : 0,
					known.reason };
}

/* Makes the request that prepares a node. */
static struct survey_ask *survey_registers_ask(struct madkit_survey *s, uint32_t node, const uint8_t *mad)
{
	struct survey_node *n = &s->targets.nodes[node];
	struct survey_ask *ask = survey_ask_new(s, node, n->next, MADKIT_SURVEY_CPI);

	if (!ask)
		return NULL;
	n->waits = true;
	ask->prepares = true;
	memcpy(ask->result.job.send->mad, mad, MADKIT_MAD_BYTES);
	survey_put_v_key(s, &s->targets.targets[n->next], ask->result.job.send->mad);
	return ask;
}

bool survey_registers_ready(struct madkit_survey *s, uint32_t node, struct survey_ask **ask,
			    struct survey_refusal *refusal)
{
	struct survey_node *n = &s->targets.nodes[node];
	const uint32_t number = s->targets.targets[n->next].node;
	uint8_t mad[MADKIT_MAD_BYTES];
	enum registers_turn turn;

	*ask = NULL;
	*refusal = (struct survey_refusal){ 0, NULL };
	if (!s->registers)
		return true;
	turn = registers_next(s->registers, number, mad);
	n->parked = turn == REGISTERS_WAIT;
	survey_registers_wake(s);
	if (turn == REGISTERS_SEND)
		*ask = survey_registers_ask(s, node, mad);
	if (turn == REGISTERS_OVER)
		*refusal = survey_registers_judge(s, number);
	return turn == REGISTERS_OVER && !refusal->error;
}

int survey_registers_take(struct madkit_survey *s, struct survey_ask *ask)
{
	const struct madkit_reply *reply = &ask->result.job.reply;

	if (ask->result.error)
		return ask->result.error;
	s->error = registers_take(s->registers, ask->result.node, reply->recv ? reply->recv->mad : NULL,
				  reply->recv ? reply->recv->len : 0, reply->mismatch);
	survey_registers_wake(s);
	return 0;
}

bool survey_registers_go_on(struct madkit_survey *s, uint32_t node)
{
	const struct survey_node *n = &s->targets.nodes[node];
	bool more;

	if (!s->registers || n->next == SURVEY_NONE)
		return false;
	more = registers_give_up(s->registers, s->targets.targets[n->next].node);
	survey_registers_wake(s);
	return more;
}

bool survey_registers_pass_on(struct madkit_survey *s)
{
	bool any = false;

	for (uint32_t i = 0; s->registers && i < s->targets.nnodes && !any; i++)
		any = s->targets.nodes[i].parked;
	if (any) {
		registers_pass_on(s->registers);
		survey_registers_wake(s);
	}
	return any;
}

struct survey_refusal survey_registers_refused(struct madkit_survey *s, const struct survey_ask *ask)
{
	const struct madkit_survey_result *r = &ask->result;
	const struct madkit_recv *recv = r->job.reply.recv;
	const uint16_t status = !r->error && recv && recv->len >= MADKIT_HEADER_BYTES ?
					get_be16(recv->mad + MADKIT_MAD_STATUS) :
					0;

	if (!s->registers || r->about != MADKIT_SURVEY_TARGET || !status)
		return (struct survey_refusal){ 0, NULL };
	s->registers->nodes[r->node].known.refused = status;
	if (status == REGISTERS_NO_REGISTER)
		return (struct survey_refusal){ -EOPNOTSUPP, "the node does not have the register" };
	if (status == REGISTERS_NO_CLASS || status == REGISTERS_NO_METHOD)
		return (struct survey_refusal){ -EOPNOTSUPP,
						"the node does not answer requests for registers" };
	return (struct survey_refusal){ 0, NULL };
}
