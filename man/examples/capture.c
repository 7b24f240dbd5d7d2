/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* capture FILE: list the MADs in a capture file. */
#include <madkit/capture.h>
#include <madkit/registry.h>
#include <stdio.h>

static void show_packet(const struct madkit_packet *packet)
{
	struct madkit_packet_mad mad;
	struct madkit_error error;
	const struct madkit_attribute *attribute;
	int ret = madkit_packet_get_mad(packet, &mad, &error);

	if (ret < 0)
		printf("offset %llu: %s\n", (unsigned long long)packet->offset,
		       error.text);
	if (ret <= 0)
		return;
	attribute = madkit_attribute_of(mad.mad, mad.len, NULL);
	printf("offset %llu: %s to QP %u, %zu bytes\n",
	       (unsigned long long)packet->offset,
	       attribute ? attribute->name : "unknown attribute", mad.destination.qp,
	       mad.len);
}

int main(int argc, char **argv)
{
	static uint8_t bytes[1 << 20];
	struct madkit_capture capture;
	struct madkit_packet packet;
	struct madkit_error error;
	size_t len, at = 0, used;
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	int ret;

	if (!file) {
		fprintf(stderr, "usage: capture FILE\n");
		return 2;
	}
	len = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	madkit_capture_init(&capture);
	do {
		ret = madkit_capture_next(&capture, bytes + at, len - at, true, &used,
					  &packet, &error);
		at += used;
		if (ret > 0)
			show_packet(&packet);
		else if (ret < 0)
			fprintf(stderr, "capture: %s\n", error.text);
	} while (ret);
	madkit_capture_free(&capture);
	return 0;
}
