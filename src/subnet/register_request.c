/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdlib.h>
#include "register_request.h"

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
	madkit_registers_select(attribute, target->local, r->mad + r->data_offset, r->data_len);
	request_put_header(r, "v_key", target->v_key);
	return EXIT_DONE;
}
