/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "request.h"

bool request_waits(uint8_t method)
{
	switch (method) {
	case MADKIT_METHOD_SEND:
	case MADKIT_METHOD_TRAP:
	case MADKIT_METHOD_REPORT:
	case MADKIT_METHOD_TRAP_REPRESS:
		return false;
	default:
		return !(method & MADKIT_METHOD_RESPONSE);
	}
}

bool request_leaves_rest(const struct cli_options *o, const struct request *r, bool whole)
{
	return r->header.method == MADKIT_METHOD_SET && r->smp && !whole && !o->request.merge &&
	       !o->request.zero_rest;
}

enum madkit_message_kind request_kind(const uint8_t *mad, size_t len, enum madkit_message_kind unmatched)
{
	return madkit_mad_is_response(mad, len) ? unmatched : MADKIT_MESSAGE_REQUEST;
}

const struct madkit_attribute *request_answer(const struct request *r)
{
	return !r->expects_response ?
		       r->attribute :
		       madkit_attribute_answer(r->header.mgmt_class, r->header.method, r->attribute);
}

void request_name(struct request *r)
{
	const char *name = madkit_method_name(r->header.mgmt_class, r->header.method);
	char text[20];

	if (r->attribute)
		snprintf(r->attribute_name, sizeof(r->attribute_name), "%s", r->attribute->name);
	else
		snprintf(r->attribute_name, sizeof(r->attribute_name), "%s attribute 0x%04x",
			 madkit_class_name(r->header.mgmt_class, text), r->header.attribute);
	if (name)
		snprintf(r->method_name, sizeof(r->method_name), "%s", name);
	else
		snprintf(r->method_name, sizeof(r->method_name), "method 0x%02x", r->header.method);
}

const char *request_text(const struct request *r, char buf[REQUEST_TEXT_MAX])
{
	snprintf(buf, REQUEST_TEXT_MAX, "%s %s", r->method_name, r->attribute_name);
	return buf;
}

int request_value(const struct request *r, const char *name, uint64_t *value)
{
	struct madkit_message message = {
		.kind = MADKIT_MESSAGE_REQUEST,
		.attribute = r->attribute,
		.mad = r->mad,
		.len = r->len,
	};
	struct madkit_record record;

	madkit_record_get(&message, 0, &record);
	return madkit_record_value(&record, name, value);
}

/* ---- which port ---------------------------------------------------------------- */

/* Checks if PortSelect selects the port: only in Get and Set, the two methods of PerfMgt's attributes. */
static bool request_selects_port(const struct request *r)
{
	return r->attribute && madkit_attribute_port(r->attribute) == MADKIT_PORT_FIELD &&
	       (r->header.method == MADKIT_METHOD_GET || r->header.method == MADKIT_METHOD_SET);
}

int request_need_port(struct request *r, bool given, struct madkit_error *error)
{
	r->local_port = false;
	if (given || !request_selects_port(r))
		return 0;
	if (destination_given(&r->destination) && r->attribute->flags & MADKIT_ATTRIBUTE_READ_ONLY)
		return madkit_error_set(
			error, -EINVAL, -1,
			"PortSelect is missing: the local port of a register (1 of an adapter; madsweep and madport find that of a switch)");
	if (destination_given(&r->destination))
		return madkit_error_set(
			error, -EINVAL, -1,
			"PortSelect is missing: PortSelect=N is one port (0 is the management port of a switch), PortSelect=255 all ports");
	r->local_port = true;
	return 0;
}

void request_put_port(struct request *r, unsigned int port)
{
	char text[16];

	if (!r->local_port)
		return;
	snprintf(text, sizeof(text), "%u", port);
	madkit_set(r->attribute->layout, r->mad + r->data_offset, r->data_len, "PortSelect", text, NULL,
		   NULL);
}

bool request_resets(const struct request *r)
{
	static const char name[] = "CounterSelect";
	struct madkit_place place;

	return r->header.mgmt_class == MADKIT_CLASS_PERF && r->header.method == MADKIT_METHOD_SET &&
	       r->attribute && r->attribute->layout &&
	       !madkit_place_find(r->attribute->layout, name, sizeof(name) - 1, &place, NULL) &&
	       !place.field->count;
}

int request_need_select(const struct cli_options *o, const struct request *r, bool given,
			struct madkit_error *error)
{
	if (given || o->request.merge || o->request.zero_rest || !request_resets(r))
		return 0;
	return madkit_error_set(
		error, -EINVAL, -1,
		"CounterSelect is missing, without which a Set changes no counter: CounterSelect=all resets every counter, CounterSelect=NAME,NAME those named");
}

/* ---- where to ------------------------------------------------------------------ */

/* Sets the route of an SMP, and rejects a destination that contradicts itself. */
int request_route(struct request *r, struct madkit_error *error)
{
	const struct destination *d = &r->destination;
	int n = (d->have_lid && !d->have_gid) + d->have_guid + d->have_gid + (d->name != NULL) +
		(d->have_direct && !d->have_lid);

	if (n > 1 || (d->have_direct && d->have_gid))
		return madkit_error_set(
			error, -EINVAL, -1,
			"more than one destination: one of -L, -D, -L with -D, -G, --gid (with -L), --name");
	r->to = d->addr;
	r->smp = madkit_class_is_smi(r->header.mgmt_class);
	r->to_manager =
		!n && !d->have_direct &&
		(r->header.mgmt_class == MADKIT_CLASS_SA ||
		 (r->header.mgmt_class == MADKIT_CLASS_SUBN && r->header.attribute == MADKIT_ATTR_SM_INFO));
	if (d->have_direct && !r->smp)
		return madkit_error_set(
			error, -EINVAL, -1,
			"%s is not an SMP: -D is only for subnet management; use -L, -G, --gid or --name",
			r->attribute_name);
	if (d->have_grh_field && !d->have_gid)
		return madkit_error_set(
			error, -EINVAL, -1,
			"--gid-index, --hop-limit, --traffic-class and --flow-label need --gid");
	r->to.grh = d->have_gid;
	if (!d->have_qp)
		r->to.qp = r->smp ? 0 : 1;
	if (r->smp)
		r->to.qkey = 0;
	if (d->have_lid)
		r->to.lid = d->lid;
	if (!r->smp)
		return 0;
	if (d->have_direct || (!n && !r->to_manager)) {
		/* from this port on, or from the LID on */
		r->header.mgmt_class = MADKIT_CLASS_SUBN_DR;
		r->to.direct = true;
		r->to.dr_slid = MADKIT_LID_PERMISSIVE;
		r->to.dr_dlid = MADKIT_LID_PERMISSIVE;
		if (!d->have_lid)
			r->to.lid = MADKIT_LID_PERMISSIVE;
	} else {
		r->header.mgmt_class = MADKIT_CLASS_SUBN;
	}
	return 0;
}

void request_put_route(struct request *r)
{
	if (r->to.direct)
		madkit_smp_put_route(r->mad, &r->to, 0);
}

/* ---- the MAD ------------------------------------------------------------------- */

size_t request_data_room(const struct request *r)
{
	const struct madkit_class *class = madkit_class_get(r->header.mgmt_class);

	if (class && !(r->attribute && r->attribute->offset))
		return class->bytes;
	return madkit_mad_bytes(r->header.base_version) - r->data_offset;
}

void request_put_header(struct request *r, const char *name, uint64_t value)
{
	const struct madkit_class *class = madkit_class_get(r->header.mgmt_class);
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	madkit_set(class->header, r->mad, r->len, name, text, NULL, NULL);
}

void request_put_keys(const struct cli_options *o, struct request *r)
{
	if (r->smp)
		request_put_header(r, "m_key", o->manager.m_key);
	if (r->header.mgmt_class == MADKIT_CLASS_SA)
		request_put_header(r, "sm_key", o->manager.sm_key);
	if (r->header.mgmt_class == MADKIT_CLASS_MLNX && o->manager.have_v_key)
		request_put_header(r, "v_key", o->manager.v_key);
	if (r->vendor2)
		request_put_header(r, "oui", r->oui);
}

void request_hint_v_key(void)
{
	cli_say("hint: a node with another V_Key may not respond: --v-key");
}

int request_derive(const struct request *r, const char *attribute, uint32_t modifier, struct request *d)
{
	*d = *r;
	d->mad = NULL;
	d->nfields = 0;
	d->local_port = false;
	if (madkit_attribute_find(attribute, r->header.mgmt_class, &d->header.mgmt_class,
				  &d->header.attribute, &d->attribute, NULL))
		return -ENOENT;
	d->header.method = MADKIT_METHOD_GET;
	d->header.modifier = modifier;
	snprintf(d->attribute_name, sizeof(d->attribute_name), "%s", attribute);
	snprintf(d->method_name, sizeof(d->method_name), "Get");
	d->expects_response = true;
	d->len = madkit_mad_bytes(d->header.base_version);
	d->data_offset = madkit_attribute_offset(d->header.base_version, d->header.mgmt_class, d->attribute);
	d->data_len = request_data_room(d);
	d->mad = calloc(1, d->len);
	if (!d->mad)
		return -ENOMEM;
	memcpy(d->mad, r->mad, d->data_offset);
	madkit_header_put(d->mad, d->len, &d->header);
	request_put_route(d);
	return 0;
}

int request_derive_smp(const struct request *r, const char *attribute, uint32_t modifier,
		       struct request *derived)
{
	int ret = request_derive(r, attribute, modifier, derived);
	struct request smp = *r;

	if (ret != -ENOENT)
		return ret;
	smp.smp = true;
	smp.header.mgmt_class = MADKIT_CLASS_SUBN;
	smp.header.class_version = madkit_class_version(MADKIT_CLASS_SUBN);
	smp.rmpp = RMPP_NONE;
	smp.to.qp = 0;
	smp.to.qkey = 0;
	smp.to.pkey_index = 0;
	ret = request_derive(&smp, attribute, modifier, derived);
	/* clear the header of the other class */
	if (!ret)
		memset(derived->mad + MADKIT_HEADER_BYTES, 0, derived->data_offset - MADKIT_HEADER_BYTES);
	return ret;
}

void request_free(struct request *r)
{
	free(r->mad);
	r->mad = NULL;
}

/* ---- --rmpp ------------------------------------------------------------------------- */

enum cli_rmpp rmpp_choice(const struct cli_options *o, uint8_t mgmt_class)
{
	if (!madkit_class_is_rmpp(mgmt_class))
		return RMPP_NONE;
	return o->class.rmpp == RMPP_DEFAULT ? RMPP_KERNEL : o->class.rmpp;
}

int rmpp_choice_check(const struct cli_options *o, uint8_t mgmt_class)
{
	char text[20];

	if (madkit_class_is_rmpp(mgmt_class))
		return EXIT_DONE;
	return cli_refuse(o, "rmpp", "class %s has no RMPP", madkit_class_name(mgmt_class, text));
}

void rmpp_choice_put(enum cli_rmpp choice, struct madkit_agent_attr *attr)
{
	attr->rmpp_version = choice == RMPP_NONE ? 0 : MADKIT_RMPP_VERSION;
	attr->library_rmpp = choice == RMPP_USER;
}
