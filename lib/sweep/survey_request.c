/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <madkit/constants.h>
#include <madkit/query.h>
#include "agent/agent.h"
#include "sweep/survey_request.h"

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

int survey_request_make(struct madkit_survey *s)
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
