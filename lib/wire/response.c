/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks what a response is about. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <madkit/constants.h>
#include <madkit/mad.h>
#include <madkit/registry.h>
#include "util/array_size.h"
#include "util/bits.h"

/* Requests with responses that have another attribute or another row of the tables. */
static const struct {
	uint8_t mgmt_class, method;
	uint16_t id;       /* of the request; 0: any */
	uint16_t answer;   /* of the response; 0: the same */
	uint32_t modifier; /* bits that the response sets */
} answers[] = {
	{ MADKIT_CLASS_SA, MADKIT_METHOD_GET_MULTI, MADKIT_ATTR_MULTI_PATH_RECORD, MADKIT_ATTR_PATH_RECORD,
	  0 },
	{ MADKIT_CLASS_SA, MADKIT_METHOD_GET_TRACE_TABLE, 0, MADKIT_ATTR_TRACE_RECORD, 0 },
	{ MADKIT_CLASS_BM, MADKIT_METHOD_SEND, 0, 0, 1 },
};

const struct madkit_attribute *madkit_attribute_answer(uint8_t mgmt_class, uint8_t method,
						       const struct madkit_attribute *attribute)
{
	const struct madkit_attribute *row;

	for (size_t i = 0; attribute && i < ARRAY_SIZE(answers); i++) {
		if (answers[i].mgmt_class != mgmt_class || answers[i].method != method ||
		    (answers[i].id && answers[i].id != attribute->id))
			continue;
		row = answers[i].answer ?
			      madkit_attribute_get(MADKIT_BASE_VERSION_IB, mgmt_class, answers[i].answer) :
			      attribute;
		return madkit_attribute_row(row, row->modifier_value | answers[i].modifier);
	}
	return attribute;
}

/* ---- comparing a response with its request ------------------------------------------ */

/* A request, and a response to it. */
struct response_pair {
	const uint8_t *request, *response;
	size_t request_len, response_len;
	const struct madkit_attribute *attribute; /* of the request; NULL: not in the tables */
	struct madkit_error *error;
};

static const char *response_attribute_name(const uint8_t *mad, size_t len, char buf[16])
{
	const struct madkit_attribute *a = madkit_attribute_of(mad, len, NULL);

	snprintf(buf, 16, "0x%04x", get_be16(mad + MADKIT_MAD_ATTRIBUTE));
	return a ? a->name : buf;
}

static int response_check_attribute(const struct response_pair *p)
{
	const struct madkit_attribute *answer = madkit_attribute_answer(p->request[MADKIT_MAD_CLASS],
									p->request[MADKIT_MAD_METHOD],
									p->attribute);
	uint16_t asked = get_be16(p->request + MADKIT_MAD_ATTRIBUTE);
	uint16_t answered = get_be16(p->response + MADKIT_MAD_ATTRIBUTE);
	char asked_text[16], answered_text[16];

	if (answered == asked || (answer && answered == answer->id))
		return 0;
	return madkit_error_set(p->error, -EBADMSG, -1,
				"the response is about %s, and the request asked for %s",
				response_attribute_name(p->response, p->response_len, answered_text),
				response_attribute_name(p->request, p->request_len, asked_text));
}

/* Reports that a number differs. what: a word for it, such as "block". */
static int response_differs(const struct response_pair *p, const char *what, uint64_t asked,
			    uint64_t answered)
{
	return madkit_error_set(p->error, -EBADMSG, -1,
				"the response is about %s %" PRIu64 ", and the request asked for %s %" PRIu64,
				what, answered, what, asked);
}

static int response_check_modifier(const struct response_pair *p)
{
	const uint32_t bits = p->attribute->selects;
	uint32_t asked = get_be32(p->request + MADKIT_MAD_MODIFIER) & bits;
	uint32_t answered = get_be32(p->response + MADKIT_MAD_MODIFIER) & bits;

	if (asked == answered)
		return 0;
	if (!p->attribute->modifier)
		return madkit_error_set(p->error, -EBADMSG, -1,
					"the response is about register 0x%04" PRIx32
					", and the request asked for 0x%04" PRIx32,
					answered, asked);
	if (!strchr(p->attribute->modifier, '<'))
		return response_differs(p, p->attribute->modifier, asked, answered);
	return madkit_error_set(p->error, -EBADMSG, -1,
				"the response has the modifier 0x%" PRIx32 ", and the request 0x%" PRIx32
				" (%s)",
				answered, asked, p->attribute->modifier);
}

/* Checks if the response leaves out what selects its instance: all such fields are 0. */
static bool response_has_no_index(const struct response_pair *p, const struct madkit_layout *layout,
				  size_t data)
{
	uint64_t value;

	for (unsigned int i = 0; i < layout->nfields; i++)
		if (layout->fields[i].flags & MADKIT_FIELD_INDEX &&
		    !madkit_field_get(&layout->fields[i], 0, p->response + data, p->response_len - data,
				      &value) &&
		    value)
			return false;
	return true;
}

static int response_check_fields(const struct response_pair *p)
{
	const struct madkit_layout *layout;
	size_t data = madkit_attribute_offset(p->request[MADKIT_MAD_BASE_VERSION],
					      p->request[MADKIT_MAD_CLASS], p->attribute);
	int ret = 0;

	if (data > p->request_len || data > p->response_len)
		return 0;
	/* of the response: the second block of a register has no indices */
	layout = madkit_attribute_layout(p->attribute, p->response + data, p->response_len - data);
	for (unsigned int i = 0; layout && i < layout->nfields && !ret; i++) {
		const struct madkit_field *field = &layout->fields[i];
		uint64_t asked, answered;

		if (!(field->flags & (MADKIT_FIELD_SELECTOR | MADKIT_FIELD_INDEX)) ||
		    madkit_field_get(field, 0, p->request + data, p->request_len - data, &asked) ||
		    madkit_field_get(field, 0, p->response + data, p->response_len - data, &answered) ||
		    asked == answered ||
		    (field->flags & MADKIT_FIELD_INDEX && !answered &&
		     response_has_no_index(p, layout, data)))
			continue;
		ret = response_differs(p, strcmp(field->name, "PortSelect") ? field->name : "port", asked,
				       answered);
	}
	return ret;
}

int madkit_response_check(const uint8_t *request, size_t request_len, const uint8_t *response,
			  size_t response_len, struct madkit_error *error)
{
	struct response_pair p = {
		.request = request,
		.response = response,
		.request_len = request_len,
		.response_len = response_len,
		.error = error,
	};
	uint16_t status;
	int ret;

	if (request_len < MADKIT_HEADER_BYTES || response_len < MADKIT_HEADER_BYTES)
		return 0;
	/* the first bit of a directed-route SMP's status is the direction */
	status = get_be16(response + MADKIT_MAD_STATUS);
	if (response[MADKIT_MAD_CLASS] == MADKIT_CLASS_SUBN_DR)
		status &= 0x7fff;
	if (status & MADKIT_STATUS_REDIRECT &&
	    get_be16(response + MADKIT_MAD_ATTRIBUTE) == MADKIT_ATTR_CLASS_PORT_INFO)
		return 0;
	/* SMPs select only by the modifier, and nearly all match: sweeps receive many */
	if ((request[MADKIT_MAD_CLASS] == MADKIT_CLASS_SUBN_DR ||
	     request[MADKIT_MAD_CLASS] == MADKIT_CLASS_SUBN) &&
	    !memcmp(request + MADKIT_MAD_ATTRIBUTE, response + MADKIT_MAD_ATTRIBUTE, 8))
		return 0;
	p.attribute = madkit_attribute_of(request, request_len, NULL);
	ret = response_check_attribute(&p);
	if (ret || status || !p.attribute)
		return ret;
	ret = p.attribute->selects ? response_check_modifier(&p) : 0;
	return ret ? ret : response_check_fields(&p);
}
