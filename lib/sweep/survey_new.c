/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes a survey, and frees it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/constants.h>
#include <madkit/query.h>
#include "agent/agent.h"
#include "sweep/survey_ask.h"
#include "sweep/survey_registers.h"

/* ---- the request ------------------------------------------------------------------------- */

/* Finds PortSelect, and where the data of the attribute begins. */
static int survey_request_read(struct madkit_survey *s)
{
	const struct madkit_attribute *a = s->attribute;
	struct madkit_place place;

	s->data = madkit_attribute_offset(s->header.base_version, s->header.mgmt_class, a);
	if (a && madkit_attribute_port(a) == MADKIT_PORT_FIELD &&
	    !madkit_place_find(a->layout, "PortSelect", strlen("PortSelect"), &place, NULL))
		s->select = place.base + place.field->offset;
	if (survey_is_register(s->header.mgmt_class, a) &&
	    !madkit_place_find(a->layout, "PortSelectMsb", strlen("PortSelectMsb"), &place, NULL))
		s->msb = place.base + place.field->offset;
	return s->data + s->select / 8 < s->request->len ? 0 : -EINVAL;
}

/* Copies the request of the caller, or makes it: each target gets a copy. Returns 0, -EINVAL or -ENOMEM. */
static int survey_request_make(struct madkit_survey *s)
{
	const struct madkit_send *request = s->attr.request;
	const struct madkit_attribute *row = s->attr.attribute;
	int ret;

	if (request && (request->len > MADKIT_FRAME_BYTES || request->len < MADKIT_MAD_BYTES))
		return -EINVAL;
	s->request = request ? madkit_send_new(request->len) :
			       madkit_send_request(NULL, s->attr.mgmt_class, MADKIT_METHOD_GET, s->attr.id,
						   row ? row->modifier_value : 0);
	if (!s->request)
		return -ENOMEM;
	if (request) {
		memcpy(s->request->mad, request->mad, request->len);
		s->request->to = request->to;
		s->request->timeout_ms = request->timeout_ms;
		s->request->ack_ms = request->ack_ms;
		s->request->retries = request->retries;
	}
	madkit_header_get(s->request->mad, s->request->len, &s->header);
	s->attribute = s->attr.attribute ? s->attr.attribute :
					   madkit_attribute_of(s->request->mad, s->request->len, NULL);
	s->extended = s->header.mgmt_class == MADKIT_CLASS_PERF &&
		      s->header.attribute == MADKIT_ATTR_PORT_COUNTERS_EXTENDED;
	s->request->to.direct = s->header.mgmt_class == MADKIT_CLASS_SUBN_DR;
	ret = survey_request_read(s);
	if (!ret && !request && row)
		madkit_attribute_choose(row, s->request->mad + s->data, s->request->len - s->data);
	return ret;
}

/* ---- a survey ---------------------------------------------------------------------------- */

static int survey_open(struct madkit_survey *s)
{
	int ret = 0;

	if (s->attr.agent)
		s->registration = *s->attr.agent;
	else
		s->registration = (struct madkit_agent_attr){ .mgmt_class = s->header.mgmt_class,
							      .class_version = s->header.class_version,
							      .class_version_given = true };
	if (!s->attr.dispatcher)
		ret = madkit_dispatcher_new(s->port, NULL, &s->own);
	s->dispatcher = s->own ? s->own : s->attr.dispatcher;
	return ret;
}

int madkit_survey_new(const struct madkit_sweep *sweep, const struct madkit_survey_attr *attr,
		      struct madkit_survey **survey)
{
	struct madkit_survey *s;
	int ret;

	if (!sweep || !attr || !attr->result || !survey)
		return -EINVAL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->sweep = sweep;
	s->port = sweep->port;
	s->attr = *attr;
	if (!s->attr.deadline_ns)
		s->attr.deadline_ns = UINT64_MAX;
	list_init(&s->free);
	list_init(&s->posted);
	ret = survey_request_make(s);
	if (!ret)
		ret = survey_targets_make(&s->targets, sweep, attr, &s->header, s->attribute);
	if (!ret)
		ret = survey_open(s);
	if (!ret)
		ret = survey_registers_open(s);
	s->attr.sums &= s->targets.by_field;
	s->last_tries = !ret && madkit_class_is_smi(s->header.mgmt_class) && s->request->retries;
	/* these belong to the caller */
	s->attr.request = NULL;
	s->attr.ports = NULL;
	s->attr.agent = NULL;
	s->attr.blocks = NULL;
	if (ret)
		madkit_survey_free(s);
	else
		*survey = s;
	return ret;
}

void madkit_survey_free(struct madkit_survey *s)
{
	if (!s)
		return;
	if (s->own) {
		madkit_dispatcher_free(s->own);
	} else if (!list_empty(&s->posted)) {
		madkit_dispatcher_end(s->dispatcher, -ECANCELED);
		while (madkit_dispatcher_take(s->dispatcher))
			;
	}
	survey_ask_free_all(&s->posted);
	survey_ask_free_all(&s->free);
	survey_targets_free(&s->targets);
	madkit_registers_free(s->own_registers);
	madkit_send_free(s->request);
	free(s);
}

void madkit_survey_count(const struct madkit_survey *s, struct madkit_survey_counts *counts)
{
	if (!s || !counts)
		return;
	*counts = (struct madkit_survey_counts){
		.unit = s->targets.instances ? MADKIT_SURVEY_BLOCKS :
			s->targets.by_port   ? MADKIT_SURVEY_PORTS :
					       MADKIT_SURVEY_NODES,
		.targets = (uint32_t)s->targets.n,
		.by_port = s->targets.by_port,
		.numbers = s->number,
		.mads = s->mads,
		.resent = s->resent,
	};
}

size_t madkit_survey_at(const struct madkit_survey *s, uint32_t target)
{
	return s && target < s->targets.n ? s->targets.targets[target].at : SIZE_MAX;
}
