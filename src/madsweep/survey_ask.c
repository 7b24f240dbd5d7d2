/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "request/layout_choice.h"
#include "survey_ask.h"

enum { SURVEY_ALL_PORTS = 255 }; /* PortSelect */

/* Writes the M_Key of the node. */
static void survey_put_key(const struct survey *s, const struct survey_target *t, struct request *r)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(s->scope->sweep, t->node);
	unsigned int port = s->targets.nodes[s->targets.node_of[t->node]].is_switch ? 0 : t->port;

	if (s->scope->m_key)
		request_put_header(r, "m_key", s->scope->m_key(s->scope->m_key_context, n, port, false));
}

const char *survey_no_lid(const struct madkit_sweep *sweep, const struct survey_target *t)
{
	struct madkit_sweep_lids lids;

	switch (madkit_sweep_lids(sweep, t->node, t->port, &lids)) {
	case MADKIT_SWEEP_LID_OWN:
		return NULL;
	case MADKIT_SWEEP_LID_SHARED:
		return "another port has its LID";
	case MADKIT_SWEEP_LID_UNREAD:
		return "its LID is not known: PortInfo was not read";
	default:
		return "the port has no LID";
	}
}

/* Sets the address. Returns NULL, or the reason why the request cannot be sent. */
static const char *survey_address(const struct survey *s, const struct survey_target *t, struct request *r)
{
	struct madkit_addr to;

	if (!r->to.direct) {
		r->to.lid = survey_lid(s->scope->sweep, t);
		if (r->smp)
			survey_put_key(s, t, r);
		else if (!r->destination.have_sl)
			r->to.sl = survey_paths_sl(&s->paths, r->to.lid);
		return survey_no_lid(s->scope->sweep, t);
	}
	if (!madkit_sweep_port_route(s->scope->sweep, t->node, t->port, &to))
		return "the route to the node is gone";
	survey_put_key(s, t, r);
	r->to.hops = to.hops;
	memcpy(r->to.path, to.path, sizeof(r->to.path));
	request_put_route(r);
	return NULL;
}

const char *survey_known_name(const struct madkit_sweep *sweep, uint32_t node)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(sweep, node);
	const char *given = madkit_sweep_name(sweep, n);

	return given ? given : n->described == MADKIT_SWEEP_ANSWERED ? (const char *)n->description : NULL;
}

void survey_name(const struct madkit_sweep *sweep, const struct survey_target *t,
		 char name[SURVEY_NAME_BYTES])
{
	const char *known = survey_known_name(sweep, t->node);

	if (known && *known)
		snprintf(name, SURVEY_NAME_BYTES, "%.64s", known);
	else
		snprintf(name, SURVEY_NAME_BYTES, "0x%016" PRIx64, madkit_sweep_node(sweep, t->node)->guid);
}

static void survey_name_ask(const struct survey *s, const struct survey_target *t, struct survey_ask *ask)
{
	survey_name(s->scope->sweep, t, ask->name);
	if (s->targets.by_port && ask->step == SURVEY_ONE)
		snprintf(ask->about, sizeof(ask->about), "%s port %u", ask->name, t->port);
	else
		snprintf(ask->about, sizeof(ask->about), "%s", ask->name);
	ask->request.about = ask->about;
}

static void survey_put_port(const struct survey *s, const struct survey_target *t, struct request *r,
			    unsigned int port)
{
	if (s->targets.by_field) {
		r->local_port = true;
		request_put_port(r, port);
		r->local_port = false;
	} else if (t->modifier) {
		r->header.modifier |= t->modifier;
		madkit_header_put(r->mad, r->len, &r->header);
	}
}

/* Returns the number of retries. In the last phase, a target that was not tried yet gets all its tries, if
 * its node has responded in that phase. */
static uint32_t survey_retries(const struct survey *s, const struct survey_node *n,
			       const struct survey_target *t)
{
	const uint32_t retries = s->x->options->timing.retries;

	if (!s->last)
		return retries - 1;
	return t->tried || !n->responds ? 0 : retries;
}

/* Sets the layout of the counters of a port, if it depends on the port. */
static void survey_choose_layout(struct survey *s, const struct survey_target *t, struct survey_ask *ask)
{
	enum layout_fec layout;

	if (!s->fec || s->reads_fec)
		return;
	layout = layout_of(s->targets.nodes[ask->node].rsfec, s->fec[t->at]);
	if (layout == LAYOUT_RSFEC) {
		ask->request.attribute = layout_rsfec();
		if (!s->names_checked)
			s->names = output_check(s->x->out, layout_rsfec());
		s->names_checked = true;
	}
	ask->fec_unknown = layout == LAYOUT_UNKNOWN && !ask->reason;
	if (ask->fec_unknown)
		ask->reason = "the FEC mode of the port is not known";
}

struct survey_ask *survey_ask_new(struct survey *s, uint32_t node, size_t target, enum survey_step step)
{
	const struct request *model = step == SURVEY_CPI ? &s->cpi : s->request;
	const struct survey_target *t = &s->targets.targets[target];
	struct survey_ask *ask = s->unused;
	struct request *r;

	if (ask)
		s->unused = ask->next;
	else
		ask = malloc(sizeof(*ask));
	s->full |= !ask;
	if (!ask)
		return NULL;
	r = &ask->request;
	*r = *model;
	r->mad = memcpy(ask->mad, model->mad, model->len);
	if (s->last_tries) {
		r->have_retries = true;
		r->retries = survey_retries(s, &s->targets.nodes[node], t);
	}
	ask->task = (struct task){ .request = r };
	ask->node = node;
	ask->target = target;
	ask->step = step;
	if (step != SURVEY_CPI)
		survey_put_port(s, t, r, step == SURVEY_ALL ? SURVEY_ALL_PORTS : t->port);
	survey_name_ask(s, t, ask);
	ask->reason = survey_address(s, t, r);
	ask->fec_unknown = false;
	if (step == SURVEY_ONE)
		survey_choose_layout(s, t, ask);
	if (!ask->reason && t->uncounted && step == SURVEY_ONE)
		ask->reason = "the number of blocks is not known";
	return ask;
}

void survey_ask_free(struct survey *s, struct survey_ask *ask)
{
	answer_free(&ask->task.answer);
	ask->next = s->unused;
	s->unused = ask;
}
