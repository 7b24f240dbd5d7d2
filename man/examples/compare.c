/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* compare: print a difference as JSON. */
#include <madkit/madkit.h>
#include <stdio.h>

int main(void)
{
	const struct madkit_difference difference = {
		.kind = MADKIT_DIFFERENCE_LINK_GONE,
		.severity = MADKIT_SEVERITY_CRITICAL,
		.key = "link-gone:0x0000000000000001/3:0x0000000000000002/2",
		.place = "leaf2/3 <-> spine1/2",
		.before = "spine1/2",
		.text = "leaf2/3 is Polling",
	};
	struct madkit_difference_record record;
	struct madkit_format format = { .fields = NULL };
	struct madkit_error error;
	struct madkit_projection *fields;
	struct madkit_buf buf;

	madkit_difference_record(&difference, MADKIT_PROBLEM_EVENT_OPEN, NULL, 0, &record);
	if (madkit_projection_new("difference", &fields, &error))
		return 1;
	format.fields = fields;
	madkit_buf_init(&buf, 0);
	record.message.difference = &record.record;
	if (madkit_format_json(&buf, &record.message, &format) == 1)
		fwrite(buf.data, 1, buf.len, stdout);
	madkit_buf_free(&buf);
	madkit_projection_free(fields);
	return 0;
}
