/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* json_in: read JSON lines on standard input, and print what each requests from which LID. */
#include <madkit/json_in.h>
#include <madkit/mad.h>
#include <stdio.h>
#include <string.h>

static void show_message(const struct madkit_json_message *message)
{
	struct madkit_header header;

	if (madkit_header_get(message->mad, message->len, &header))
		return;
	printf("%s %s: class 0x%02x, LID %u, %zu bytes\n",
	       madkit_method_name(header.mgmt_class, header.method),
	       message->attribute ? message->attribute->name : "?", header.mgmt_class,
	       (unsigned int)message->remote.lid, message->len);
}

int main(void)
{
	struct madkit_json_in *in = madkit_json_in_new();
	struct madkit_error error;
	char line[65536];
	int status = 0, ret;

	if (!in)
		return 1;
	while (fgets(line, sizeof(line), stdin)) {
		ret = madkit_json_in_line(in, line, strlen(line), &error);
		if (ret > 0)
			show_message(madkit_json_in_message(in));
		if (ret < 0) {
			fprintf(stderr, "json_in: %s\n", error.text);
			status = 5;
		}
	}
	if (madkit_json_in_end(in, &error)) {
		fprintf(stderr, "json_in: %s\n", error.text);
		status = 5;
	}
	madkit_json_in_free(in);
	return status;
}
