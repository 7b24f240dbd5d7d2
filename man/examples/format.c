/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* format: print a NodeInfo from LID 5 as text and as JSON. */
#include <madkit/format.h>
#include <madkit/mad.h>
#include <stdio.h>

int main(void)
{
	const struct madkit_header header = {
		.base_version = MADKIT_BASE_VERSION_IB,
		.mgmt_class = MADKIT_CLASS_SUBN,
		.class_version = 1,
		.method = MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE,
		.tid = 0x1234,
		.attribute = 0x0011,
	};
	const struct madkit_addr remote = { .lid = 5 };
	uint8_t mad[MADKIT_MAD_BYTES] = { 0 };
	const struct madkit_message message = {
		.kind = MADKIT_MESSAGE_RESPONSE,
		.time.tv_nsec = -1,
		.remote = &remote,
		.rtt_us = -1,
		.attempts = -1,
		.mad = mad,
		.len = sizeof(mad),
	};
	struct madkit_format format = { 0 };
	struct madkit_projection *fields;
	struct madkit_error error;
	struct madkit_buf buf;
	int status = 0;

	madkit_buf_init(&buf, 0);
	madkit_header_put(mad, sizeof(mad), &header);
	mad[MADKIT_SMP_DATA + 2] = 2;  /* NodeType */
	mad[MADKIT_SMP_DATA + 3] = 36; /* NumPorts */
	if (madkit_projection_new("NodeType,NumPorts,remote.lid", &fields, &error)) {
		fprintf(stderr, "format: %s\n", error.text);
		return 1;
	}
	format.fields = fields;
	if (madkit_format_text(&buf, &message, &format) < 0 ||
	    madkit_format_json(&buf, &message, &format) < 0)
		status = 1;
	fwrite(buf.data, 1, buf.len, stdout);
	madkit_projection_free(fields);
	madkit_buf_free(&buf);
	return status;
}
