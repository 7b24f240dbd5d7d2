/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rmpp: write and read the RMPP header of an ACK. */
#include <madkit/mad.h>
#include <madkit/rmpp.h>
#include <inttypes.h>
#include <stdio.h>

int main(void)
{
	const struct madkit_header header = {
		.base_version = MADKIT_BASE_VERSION_IB,
		.mgmt_class = MADKIT_CLASS_SA,
		.class_version = 2,
		.method = MADKIT_METHOD_GET_TABLE,
	};
	uint8_t mad[MADKIT_MAD_BYTES] = { 0 };

	if (madkit_header_put(mad, sizeof(mad), &header))
		return 1;
	printf("RMPP before: %s\n", madkit_mad_has_rmpp(mad, sizeof(mad)) ? "yes" : "no");
	madkit_rmpp_set_version(mad, MADKIT_RMPP_VERSION);
	madkit_rmpp_set_type(mad, MADKIT_RMPP_ACK);
	madkit_rmpp_set_flags(mad, MADKIT_RMPP_ACTIVE);
	madkit_rmpp_set_resptime(mad, MADKIT_RMPP_RESPTIME_UNSPECIFIED);
	madkit_rmpp_set_segment(mad, 12);
	madkit_rmpp_set_length(mad, 76);
	printf("RMPP after: %s\n", madkit_mad_has_rmpp(mad, sizeof(mad)) ? "yes" : "no");
	printf("type %u: received up to segment %" PRIu32 ", accepts up to %" PRIu32
	       ", flags %u\n",
	       madkit_rmpp_get_type(mad), madkit_rmpp_get_segment(mad),
	       madkit_rmpp_get_length(mad), madkit_rmpp_get_flags(mad));
	return 0;
}
