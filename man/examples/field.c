/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* field FIELD=VALUE...: build a PortInfo, print it in hexadecimal, and then print its fields
 * that are not zero. */
#include <madkit/registry.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int show_field(void *context, const struct madkit_item *item)
{
	const char *name = NULL;

	(void)context;
	if (item->event != MADKIT_WALK_FIELD || !item->value ||
	    item->field->kind == MADKIT_KIND_RESERVED)
		return 0;
	if (item->field->values)
		name = madkit_value_name(item->field->values, item->value);
	printf("%s = %" PRIu64 "%s%s, %" PRIu32 " bits at bit %" PRIu32 "\n",
	       item->field->name, item->value, name ? " " : "", name ? name : "",
	       item->field->width, item->bit);
	return 0;
}

int main(int argc, char **argv)
{
	const struct madkit_attribute *info;
	struct madkit_error error;
	uint8_t data[64] = { 0 };

	info = madkit_attribute_get(1, 0x01, 0x0015);
	if (!info || info->bytes > sizeof(data))
		return 1;
	for (int i = 1; i < argc; i++) {
		char *value = strchr(argv[i], '=');

		if (!value) {
			fprintf(stderr, "field: '%s' has no value\n", argv[i]);
			return 2;
		}
		*value++ = 0;
		if (madkit_set(info->layout, data, info->bytes, argv[i], value, NULL,
			       &error)) {
			fprintf(stderr, "field: %s\n", error.text);
			return 2;
		}
	}
	for (size_t i = 0; i < info->bytes; i++)
		printf("%02x%s", data[i], (i + 1) % 32 ? "" : "\n");
	return madkit_walk(info->layout, data, info->bytes, show_field, NULL) ? 1 : 0;
}
