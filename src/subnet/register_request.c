/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include "register_request.h"
#include "util/array_size.h"

/* Sets the fields that select an instance, of those that the attribute has. The others stay 0. */
static void register_request_select(struct request *r, unsigned int local)
{
	const struct {
		const char *name;
		uint64_t value;
	} fields[] = {
		{ "PortSelect", local & 0xff },
		{ "PortSelectMsb", local >> 8 },
		{ "ProtocolMask", 1 }, /* InfiniBand */
		{ "NumRecords", 1 },
	};
	struct madkit_place place;

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (!madkit_place_find(r->attribute->layout, fields[i].name, strlen(fields[i].name), &place,
				       NULL))
			madkit_field_put(place.field, 0, r->mad + r->data_offset, r->data_len,
					 fields[i].value);
}

int register_request_make(const struct madkit_attribute *attribute, const struct register_target *target,
			  struct request *r)
{
	const struct madkit_addr to = { .lid = target->lid, .qp = 1, .qkey = MADKIT_QKEY_GSI };

	*r = (struct request){
		.header = { .base_version = MADKIT_BASE_VERSION_IB,
			    .mgmt_class = MADKIT_CLASS_MLNX,
			    .class_version = madkit_class_version(MADKIT_CLASS_MLNX),
			    .method = MADKIT_METHOD_GET,
			    .attribute = attribute->id,
			    .modifier = attribute->modifier_value },
		.attribute = attribute,
		.about = target->about,
		.expects_response = true,
		.rmpp = RMPP_NONE,
		.destination = { .have_lid = true, .lid = to.lid, .addr = to },
		.to = to,
		.len = MADKIT_MAD_BYTES,
		.mad = calloc(1, MADKIT_MAD_BYTES),
	};
	if (!r->mad)
		return cli_no_memory();
	r->data_offset = madkit_attribute_offset(r->header.base_version, MADKIT_CLASS_MLNX, attribute);
	r->data_len = request_data_room(r);
	request_name(r);
	madkit_header_put(r->mad, r->len, &r->header);
	madkit_attribute_choose(attribute, r->mad + r->data_offset, r->data_len);
	register_request_select(r, target->local);
	request_put_header(r, "v_key", target->v_key);
	return EXIT_DONE;
}
