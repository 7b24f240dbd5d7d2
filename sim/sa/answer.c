/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Turns a request into a response (IBA volume 1, section 15.4.1). Needs no host. */
#include <string.h>
#include <madkit/registry.h>
#include <madkit/rmpp.h>
#include "sim/sa/internal.h"
#include "util/array_size.h"

static int sa_class_port_info(struct sa_query *q)
{
	enum {
		OPTIONAL_RECORDS = 1 << 8,
		MULTICAST = 1 << 9,
		MULTI_PATH = 1 << 10,
		CAP_MASK_MATCH = 1 << 13,
		/* CapabilityMask2 */
		FULL_PORT_INFO = 1 << 6,
		EXTENDED_SPEEDS = 1 << 7,
		CAP_MASK2_MATCH = 1 << 10,
		SEND_ONLY_FULL = 1 << 12,
		WIDTH_2X = 1 << 13,
		HDR = 1 << 15,
		NDR = 1 << 17,
	};

	memset(q->record, 0, sizeof(q->record));
	field_put(MADKIT_CLASS_PORT_INFO_BASE_VERSION, q->record, MADKIT_BASE_VERSION_IB);
	field_put(MADKIT_CLASS_PORT_INFO_CLASS_VERSION, q->record, 2);
	field_put(MADKIT_CLASS_PORT_INFO_CAPABILITY_MASK, q->record,
		  OPTIONAL_RECORDS | MULTICAST | MULTI_PATH | CAP_MASK_MATCH);
	field_put(MADKIT_CLASS_PORT_INFO_CAPABILITY_MASK2, q->record,
		  FULL_PORT_INFO | EXTENDED_SPEEDS | CAP_MASK2_MATCH | SEND_ONLY_FULL | WIDTH_2X | HDR | NDR);
	field_put(MADKIT_CLASS_PORT_INFO_RESP_TIME_VAL, q->record, SA_LIFE_TIME);
	sa_offer(q);
	return SA_OK;
}

/* In ascending order of ID. Other attributes are not supported. */
#define EACH(of, maker) .on[SA_GET] = sa_each, .over = of, .make = maker
static const struct sa_attribute attributes[] = {
	{ MADKIT_ATTR_CLASS_PORT_INFO, 72, .on[SA_GET] = sa_class_port_info, .single = true },
	{ MADKIT_ATTR_INFORM_INFO, 36, .on[SA_SET] = sa_inform_set },
	{ MADKIT_ATTR_NODE_RECORD, 112, .on[SA_GET] = sa_node_records, .over = SA_END_PORTS,
	  .make = sa_node_record },
	{ MADKIT_ATTR_PORT_INFO_RECORD, 72, .on[SA_GET] = sa_port_info_records, .over = SA_ALL_PORTS,
	  .make = sa_port_info_record },
	{ MADKIT_ATTR_SL_TO_VL_MAPPING_TABLE_RECORD, 16, EACH(SA_ALL_PORTS, sa_sl2vl_record) },
	{ MADKIT_ATTR_SWITCH_INFO_RECORD, 24, EACH(SA_SWITCHES, sa_switch_info_record) },
	{ MADKIT_ATTR_LINEAR_FORWARDING_TABLE_RECORD, 72, EACH(SA_SWITCHES, sa_linear_record) },
	{ MADKIT_ATTR_RANDOM_FORWARDING_TABLE_RECORD, 72, .on[SA_GET] = sa_random_records },
	{ MADKIT_ATTR_MULTICAST_FORWARDING_TABLE_RECORD, 72, EACH(SA_SWITCHES, sa_multicast_record) },
	{ MADKIT_ATTR_SM_INFO_RECORD, 32, .on[SA_GET] = sa_sm_info_records },
	{ MADKIT_ATTR_LINK_RECORD, 8, .on[SA_GET] = sa_link_records, .over = SA_ALL_PORTS,
	  .make = sa_link_record },
	{ MADKIT_ATTR_GUID_INFO_RECORD, 72, EACH(SA_END_PORTS, sa_guid_info_record) },
	{ MADKIT_ATTR_SERVICE_RECORD, 176, .on[SA_GET] = sa_service_records, .on[SA_SET] = sa_service_set,
	  .on[SA_DELETE] = sa_service_remove },
	{ MADKIT_ATTR_P_KEY_TABLE_RECORD, 72, EACH(SA_END_PORTS, sa_pkey_record), .trusted = true },
	{ MADKIT_ATTR_PATH_RECORD, 64, .on[SA_GET] = sa_path_records },
	{ MADKIT_ATTR_VL_ARBITRATION_TABLE_RECORD, 72, EACH(SA_ALL_PORTS, sa_arbitration_record) },
	{ MADKIT_ATTR_MC_MEMBER_RECORD, 56, .on[SA_GET] = sa_member_records, .on[SA_SET] = sa_join,
	  .on[SA_DELETE] = sa_leave },
	{ MADKIT_ATTR_TRACE_RECORD, 48, .on[SA_TRACE] = sa_trace_path, .layout = MADKIT_ATTR_PATH_RECORD },
	{ MADKIT_ATTR_MULTI_PATH_RECORD, 64, .on[SA_MULTI] = sa_multi_paths },
	{ MADKIT_ATTR_SERVICE_ASSOCIATION_RECORD, 80, .on[SA_GET] = sa_association_records, .trusted = true },
	{ MADKIT_ATTR_INFORM_INFO_RECORD, 64, .on[SA_GET] = sa_inform_records },
};

static const struct sa_attribute *attribute_of(uint16_t id)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(attributes); i++)
		if (attributes[i].id == id)
			return &attributes[i];
	return NULL;
}

/* Methods, the method of the response, and if the response may have any number of records. */
static const struct sa_method {
	uint8_t method, response;
	bool table;
	enum sa_action action;
} methods[] = {
	{ MADKIT_METHOD_GET, MADKIT_METHOD_GET, false, SA_GET },
	{ MADKIT_METHOD_SET, MADKIT_METHOD_GET, false, SA_SET },
	{ MADKIT_METHOD_GET_TABLE, MADKIT_METHOD_GET_TABLE, true, SA_GET },
	{ MADKIT_METHOD_GET_TRACE_TABLE, MADKIT_METHOD_GET_TABLE, true, SA_TRACE },
	{ MADKIT_METHOD_GET_MULTI, MADKIT_METHOD_GET_MULTI, true, SA_MULTI },
	{ MADKIT_METHOD_DELETE, MADKIT_METHOD_DELETE, false, SA_DELETE },
};

/* Appends the records to q->out. Returns a status. */
static int answer_process(struct sa_query *q, const struct madkit_header *h, enum sa_action action)
{
	const struct madkit_attribute *a;
	sa_handler *handler;
	int ret;

	if (h->class_version != 2)
		return STATUS_BAD_VERSION;
	q->attribute = attribute_of(h->attribute);
	handler = q->attribute ? q->attribute->on[action] : NULL;
	if (!handler || (q->attribute->single && q->table))
		return STATUS_BAD_ATTRIBUTE;
	if (q->attribute->trusted && !q->trusted)
		return SA_INVALID;
	a = madkit_attribute_get(MADKIT_BASE_VERSION_IB, MADKIT_CLASS_SA,
				 q->attribute->layout ? q->attribute->layout : h->attribute);
	ret = a ? sa_compile(a->layout, q->mask, q->named) : STATUS_BAD_ATTRIBUTE;
	if (ret)
		return ret;
	memcpy(q->compare, q->named, sizeof(q->compare));
	ret = handler(q);
	if (ret)
		return ret;
	if (q->out->error)
		return SA_NO_RESOURCES;
	if (!q->table && q->count != 1)
		return q->count ? SA_TOO_MANY : SA_NO_RECORDS;
	return SA_OK;
}

/* Writes the headers of the response; fields that depend on the records are set later. */
static void sa_answer_begin(struct madkit_buf *out, const uint8_t *message, uint8_t response)
{
	uint8_t head[MADKIT_SA_DATA];

	memcpy(head, message, sizeof(head));
	head[MADKIT_MAD_METHOD] = response | MADKIT_METHOD_RESPONSE;
	memset(head + MADKIT_RMPP_OFFSET, 0, MADKIT_RMPP_HEADER_BYTES);
	/* C15-0.1.5: the response has no SM_Key */
	memset(head + MADKIT_SA_KEY, 0, 8);
	memset(head + MADKIT_SA_ATTRIBUTE_OFFSET, 0, 2);
	madkit_buf_add(out, head, sizeof(head));
}

/* Makes an error response, which has the data of the request; Set(InformInfo) has its own. */
static void sa_answer_refuse(struct sa_query *q, int status)
{
	uint8_t *data;

	q->out->error = 0;
	q->out->len = MADKIT_SA_DATA;
	data = (uint8_t *)madkit_buf_room(q->out, SA_RECORD_MAX);
	if (!data)
		return;
	memcpy(data, q->wanted, SA_RECORD_MAX);
	if (q->attribute && q->attribute->on[SA_SET] == sa_inform_set && q->count)
		memcpy(data, q->record, q->attribute->bytes);
	q->out->len += SA_RECORD_MAX;
	put_be16((uint8_t *)q->out->data + MADKIT_MAD_STATUS, (uint16_t)status);
}

static void sa_answer_finish(struct sa_query *q)
{
	static const uint8_t zeros[SA_RECORD_MAX];
	uint8_t *head;

	if (!q->table)
		madkit_buf_add(q->out, zeros, MADKIT_MAD_BYTES - q->out->len);
	head = (uint8_t *)q->out->data;
	if (q->out->error)
		return;
	if (q->count)
		put_be16(head + MADKIT_SA_ATTRIBUTE_OFFSET, (q->attribute->bytes + 7) / 8);
	if (q->table) {
		madkit_rmpp_set_version(head, MADKIT_RMPP_VERSION);
		madkit_rmpp_set_type(head, MADKIT_RMPP_DATA);
		madkit_rmpp_set_flags(head, MADKIT_RMPP_ACTIVE);
	}
	put_be16(head + MADKIT_MAD_STATUS, 0);
}

bool sa_answer(struct sa *sa, const struct madkit_addr *from, const uint8_t *message, size_t len,
	       uint64_t now, struct madkit_buf *out)
{
	struct sa_query q = { .sa = sa, .from = from, .now = now, .out = out };
	const struct sa_method *method = NULL;
	struct madkit_header h;
	uint64_t key;
	int status;

	if (len < MADKIT_SA_DATA || madkit_header_get(message, len, &h) ||
	    h.base_version != MADKIT_BASE_VERSION_IB || h.mgmt_class != MADKIT_CLASS_SA ||
	    !method_wants_response(h.method))
		return false;
	/* C15-0.1.5: do not answer a wrong SM_Key, or a requester that is not in the subnet */
	key = get_be64(message + MADKIT_SA_KEY);
	q.requester = sa_port_by_lid(sa, from->lid);
	if ((key && key != sa->options.sm_key) || q.requester == SUBNET_NONE)
		return false;
	sa_services_expire(sa, now);
	q.trusted = key;
	q.modifier = h.modifier;
	q.mask = get_be64(message + MADKIT_SA_COMPONENT_MASK);
	q.data = message + MADKIT_SA_DATA;
	q.len = len - MADKIT_SA_DATA;
	memcpy(q.wanted, q.data, q.len < SA_RECORD_MAX ? q.len : SA_RECORD_MAX);
	for (unsigned int i = 0; i < ARRAY_SIZE(methods); i++)
		if (methods[i].method == h.method)
			method = &methods[i];
	q.table = method && method->table;
	sa_answer_begin(out, message, method ? method->response : h.method);
	if (out->error)
		return false;
	/* a GetMulti request must use RMPP even if it is one segment; opensm refuses it otherwise */
	if (h.method == MADKIT_METHOD_GET_MULTI && !(madkit_rmpp_get_flags(message) & MADKIT_RMPP_ACTIVE))
		status = SA_INVALID;
	else
		status = method ? answer_process(&q, &h, method->action) : STATUS_BAD_METHOD;
	if (status)
		sa_answer_refuse(&q, status);
	else
		sa_answer_finish(&q);
	if (q.told && out->len >= MADKIT_SA_DATA)
		put_be16((uint8_t *)out->data + MADKIT_MAD_ATTRIBUTE, q.told);
	return !out->error && out->len >= MADKIT_SA_DATA;
}
