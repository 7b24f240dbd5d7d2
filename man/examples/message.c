/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* message: print the records of an SA table as umad delivers it: the headers of the first
 * segment, and then the data of all segments. */
#include <madkit/constants.h>
#include <madkit/mad.h>
#include <madkit/message.h>
#include <madkit/rmpp.h>
#include <inttypes.h>
#include <stdio.h>

enum { RECORD = 112 }; /* bytes of a NodeRecord */

int main(void)
{
	const struct madkit_header header = {
		.base_version = MADKIT_BASE_VERSION_IB,
		.mgmt_class = MADKIT_CLASS_SA,
		.class_version = 2,
		.method = MADKIT_METHOD_GET_TABLE | MADKIT_METHOD_RESPONSE,
		.attribute = MADKIT_ATTR_NODE_RECORD,
	};
	uint8_t mad[MADKIT_SA_DATA + 2 * RECORD] = { 0 };
	const struct madkit_message message = {
		.kind = MADKIT_MESSAGE_RESPONSE,
		.mad = mad,
		.len = sizeof(mad),
	};
	struct madkit_record record;
	unsigned int got, total;
	uint64_t lid;

	madkit_header_put(mad, sizeof(mad), &header);
	madkit_rmpp_set_version(mad, MADKIT_RMPP_VERSION);
	madkit_rmpp_set_type(mad, MADKIT_RMPP_DATA);
	madkit_rmpp_set_flags(mad,
			      MADKIT_RMPP_ACTIVE | MADKIT_RMPP_FIRST | MADKIT_RMPP_LAST);
	mad[MADKIT_SA_ATTRIBUTE_OFFSET + 1] = RECORD / 8;
	mad[MADKIT_SA_DATA + 1] = 3; /* LID */
	mad[MADKIT_SA_DATA + RECORD + 1] = 4;

	if (madkit_message_complete(&message, &got, &total))
		printf("%u records of %u\n", got, total);
	madkit_record_get(&message, 0, &record);
	for (unsigned int n = 0; n < madkit_message_records(&message); n++) {
		if (n)
			madkit_record_next(&record);
		if (madkit_record_value(&record, "LID", &lid))
			return 1;
		printf("%s %u of %u: LID %" PRIu64 "\n", record.attribute->name,
		       record.record + 1, record.records, lid);
	}
	return 0;
}
