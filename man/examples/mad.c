/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* mad: write and read the header of a response. */
#include <madkit/constants.h>
#include <madkit/mad.h>
#include <inttypes.h>
#include <stdio.h>

int main(void)
{
	const struct madkit_header wanted = {
		.base_version = MADKIT_BASE_VERSION_IB,
		.mgmt_class = MADKIT_CLASS_SA,
		.class_version = madkit_class_version(MADKIT_CLASS_SA),
		.method = MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE,
		.status = MADKIT_SA_STATUS_NO_RECORDS << MADKIT_STATUS_CLASS_SHIFT,
		.tid = 0x1234,
		.attribute = MADKIT_ATTR_PATH_RECORD,
	};
	uint8_t mad[MADKIT_MAD_BYTES] = { 0 };
	struct madkit_header header;
	char text[80];

	if (madkit_header_put(mad, sizeof(mad), &wanted) ||
	    madkit_header_get(mad, sizeof(mad), &header))
		return 1;
	madkit_status_text(header.mgmt_class, header.status, text, sizeof(text));
	printf("%s, %s response, transaction 0x%" PRIx64 ": %s\n",
	       madkit_method_name(header.mgmt_class, header.method),
	       madkit_mad_is_response(mad, sizeof(mad)) ? "a" : "no", header.tid, text);
	printf("data at byte %zu, RMPP: %s\n",
	       madkit_class_data_offset(header.mgmt_class),
	       madkit_class_is_rmpp(header.mgmt_class) ? "yes" : "no");
	return 0;
}
