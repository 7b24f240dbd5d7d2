/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "madport.h"
#include "subnet/gaps.h"
#include "util/array_size.h"

/* ---- requests ---------------------------------------------------------------------------- */

int cable_request_make(const struct cable_request *wanted, const struct madkit_addr *to, struct request *r)
{
	const bool smp = wanted->mgmt_class == MADKIT_CLASS_SUBN_DR;

	*r = (struct request){
		.header = { .base_version = MADKIT_BASE_VERSION_IB,
			    .class_version = madkit_class_version(wanted->mgmt_class),
			    .method = wanted->method,
			    .modifier = wanted->modifier },
		.about = wanted->about,
		.smp = smp,
		.expects_response = true,
		.rmpp = RMPP_NONE,
		.destination = { .have_direct = smp, .have_lid = !smp, .lid = to->lid, .addr = *to },
		.to = *to,
		.len = MADKIT_MAD_BYTES,
		.mad = calloc(1, MADKIT_MAD_BYTES),
	};
	if (!r->mad || madkit_attribute_find(wanted->attribute, wanted->mgmt_class, &r->header.mgmt_class,
					     &r->header.attribute, &r->attribute, NULL))
		return cli_no_memory();
	r->header.mgmt_class = wanted->mgmt_class;
	r->data_offset = madkit_attribute_offset(r->header.base_version, wanted->mgmt_class, r->attribute);
	r->data_len = request_data_room(r);
	r->to.qp = smp ? 0 : 1;
	r->to.qkey = smp ? 0 : MADKIT_QKEY_GSI;
	request_name(r);
	madkit_header_put(r->mad, r->len, &r->header);
	request_put_route(r);
	if (smp)
		request_put_header(r, "m_key", wanted->m_key);
	return EXIT_DONE;
}

/* ---- the link ------------------------------------------------------------------------------ */

static const struct madkit_sweep_node *cable_node(const struct cable *c, unsigned int end)
{
	return madkit_sweep_node(c->m->net.sweep, c->ends[end].at.node);
}

const struct madkit_sweep_port *cable_port(const struct cable *c, unsigned int end)
{
	return &cable_node(c, end)->ports[c->ends[end].at.port];
}

uint64_t cable_info(const struct cable *c, unsigned int end, uint64_t field)
{
	const struct madkit_sweep_port *p = cable_port(c, end);
	uint64_t value = 0;

	madkit_get(p->info, sizeof(p->info), field, &value);
	return value;
}

const struct madkit_problem *cable_problem(const struct cable *c, size_t i)
{
	return c->judged.health ? madkit_health_problem(c->judged.health, i) : NULL;
}

static const char *cable_name(void *context, const struct madkit_sweep_node *node)
{
	const struct madport *m = context;

	return madkit_name_map_name(m->net.common->names, node->guid);
}

/* The first node of the sweep of the link, and that at the other end, are known from the sweep of the subnet. */
static uint64_t cable_m_key(void *context, const struct madkit_sweep_node *node, unsigned int port,
			    bool behind)
{
	const struct madkit_sweep_port *act;
	struct madport *m = context;

	if (!node && m->whole) {
		node = madkit_sweep_node(m->whole, m->act.node);
		port = m->act.port;
	}
	act = m->whole ? &madkit_sweep_node(m->whole, m->act.node)->ports[m->act.port] : NULL;
	if (behind && act && act->peer != MADKIT_SWEEP_NONE) {
		node = madkit_sweep_node(m->whole, act->peer);
		port = act->peer_port;
		behind = false;
	}
	return subnet_m_key(&m->net, node, port, behind);
}

/* Sweeps the link: that of act or, without a sweep of the subnet, of this host. */
static int cable_sweep(struct cable *c)
{
	struct madport *m = c->m;
	const struct timing_options *timing = &m->net.x.options->timing;
	struct madkit_addr from = { .hops = 0 };
	struct madkit_sweep_attr attr = {
		.timeout_ms = timing->timeout_ms,
		.retries = timing->retries,
		.m_key = cable_m_key,
		.name = m->net.common->names ? cable_name : NULL,
		.context = m,
		.link = true,
		.link_port = m->net.x.info->port ? 0 : m->options->port,
	};
	int ret;

	if (m->whole) {
		attr.link_port = m->act.port;
		if (madkit_sweep_route(m->whole, m->act.node, &from) && from.hops)
			attr.from = &from;
	}
	ret = madkit_sweep_new(m->net.x.port, &attr, &m->net.sweep);
	return ret ? subnet_refused(&m->net, ret) : subnet_run(&m->net);
}

/* Judges the link by the rules about links. */
static int cable_judge(struct cable *c)
{
	static const char *const wanted[] = { "slow", "misconfigured", "half", "init", "mtu" };
	struct madkit_health_settings settings;
	size_t count;
	const struct madkit_rule *rules = madkit_health_rules(&count);

	madkit_health_settings_init(&settings);
	settings.rules = 0;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < ARRAY_SIZE(wanted); j++)
			settings.rules |= (uint32_t)!strcmp(rules[i].name, wanted[j]) << i;
	return judge_subnet(&c->m->net, &settings, &c->judged);
}

/* ---- the ends ------------------------------------------------------------------------------ */

/* Finds the places of the ends: in the subnet, names that are short are unique. */
static void cable_put_places(struct cable *c)
{
	const struct madport *m = c->m;
	const struct madkit_sweep_port *at;

	for (unsigned int i = 0; i < c->n; i++)
		port_place_put(m->net.sweep, c->ends[i].at.node, c->ends[i].at.port, c->ends[i].place);
	if (!m->whole)
		return;
	at = &madkit_sweep_node(m->whole, m->at.node)->ports[m->at.port];
	strcpy(c->ends[0].place, c->n > 1 ? m->at_place : m->act_place);
	if (c->n > 1 && at->peer != MADKIT_SWEEP_NONE)
		port_place_put(m->whole, at->peer, at->peer_port, c->ends[1].place);
}

static void cable_find_ends(struct cable *c)
{
	const struct madport *m = c->m;
	const struct madkit_sweep_port *p;

	c->n = 1;
	c->ends[0].at = (struct port_end){ 0, m->whole            ? m->act.port :
					      m->net.x.info->port ? cable_node(c, 0)->number :
								    m->options->port };
	p = cable_port(c, 0);
	c->up = cable_info(c, 0, MADKIT_PORT_INFO_LINK_STATE) >= MADKIT_PORT_STATE_INITIALIZE;
	c->silent = p->state != MADKIT_SWEEP_ANSWERED || (c->up && p->peer == MADKIT_SWEEP_NONE);
	if (p->peer != MADKIT_SWEEP_NONE) {
		/* the sweep may have begun at the other end of the port */
		const unsigned int far = !m->whole || port_end_same(m->act, m->at);

		c->ends[!far].at = c->ends[0].at;
		c->ends[far].at = (struct port_end){ p->peer, p->peer_port };
		c->n = 2;
		c->silent |= cable_port(c, far)->state != MADKIT_SWEEP_ANSWERED;
	}
	cable_put_places(c);
}

/* Reads the LID of an end. That of a switch is at its port 0, which the sweep of a link does not always read. */
static void cable_read_lid(struct cable *c, struct cable_end *end)
{
	struct exchange *x = &c->m->net.x;
	const struct madkit_sweep_node *n = madkit_sweep_node(c->m->net.sweep, end->at.node);
	const struct cable_request get = { .mgmt_class = MADKIT_CLASS_SUBN_DR,
					   .method = MADKIT_METHOD_GET,
					   .attribute = "PortInfo",
					   .m_key = cable_m_key(c->m, n, 0, false) };
	struct request r = { .mad = NULL };
	struct madkit_addr to;
	struct answer a;
	uint64_t lid = 0;

	if (n->type != MADKIT_NODE_TYPE_SWITCH) {
		if (madkit_sweep_lid_address(c->m->net.sweep, end->at.node, end->at.port, &to))
			end->lid = to.lid;
		return;
	}
	if (madkit_sweep_port_route(c->m->net.sweep, end->at.node, 0, &to) &&
	    !cable_request_make(&get, &to, &r)) {
		if (!exchange_ask(x, &r, &a) &&
		    !madkit_get(a.message.mad + r.data_offset, r.data_len, MADKIT_PORT_INFO_LID, &lid))
			end->lid = (uint32_t)lid;
		answer_free(&a);
	}
	request_free(&r);
}

/* Requests the counters of errors of an end, if it has a LID. */
static void cable_read_errors(struct cable *c, struct cable_end *end)
{
	const struct cable_request get = { .mgmt_class = MADKIT_CLASS_PERF,
					   .method = MADKIT_METHOD_GET,
					   .attribute = "PortCounters",
					   .about = end->place };
	const struct madkit_addr to = { .lid = end->lid };

	if (!end->lid || cable_request_make(&get, &to, &end->errors))
		return;
	madkit_put(end->errors.mad + end->errors.data_offset, end->errors.data_len,
		   MADKIT_PORT_COUNTERS_PORT_SELECT, end->at.port);
	exchange_ask(&c->m->net.x, &end->errors, &end->answer);
}

/* ---- all ------------------------------------------------------------------------------------- */

int cable_read(struct cable *c)
{
	struct subnet *net = &c->m->net;
	int status = cable_sweep(c);

	if (status)
		return cli_stopped() ? status : exchange_report(&net->x, NULL, status);
	if (!net->counts.nodes || net->counts.missing & MADKIT_SWEEP_UNFINISHED) {
		const struct gaps gaps = { .missing = net->counts.missing, .port = net->x.info };

		return gaps_tell_missing(net->sweep, &gaps);
	}
	status = cable_judge(c);
	if (status)
		return status;
	cable_find_ends(c);
	for (unsigned int i = 0; i < c->n; i++) {
		if (cable_port(c, i)->state != MADKIT_SWEEP_ANSWERED)
			continue;
		cable_read_lid(c, &c->ends[i]);
		cable_read_errors(c, &c->ends[i]);
	}
	return cli_stopped() ? cli_stopped_status() : EXIT_DONE;
}

void cable_free(struct cable *c)
{
	for (unsigned int i = 0; i < c->n; i++) {
		answer_free(&c->ends[i].answer);
		request_free(&c->ends[i].errors);
	}
	madkit_health_free(c->judged.health);
	madkit_sweep_free(c->m->net.sweep);
	c->m->net.sweep = NULL;
}
