/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* registry ATTRIBUTE...: find attributes by name, and print their properties. */
#include <madkit/registry.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const struct madkit_attribute *attribute;
		struct madkit_error error;
		uint8_t mgmt_class;
		uint16_t id;
		char name[20];

		if (madkit_attribute_find(argv[i], -1, &mgmt_class, &id, &attribute,
					  &error)) {
			fprintf(stderr, "registry: %s\n", error.text);
			return 2;
		}
		printf("%s %s: class 0x%02x, attribute 0x%04x, %u bytes at byte %zu, %u fields\n",
		       madkit_class_name(mgmt_class, name), attribute->name, mgmt_class,
		       id, attribute->bytes,
		       madkit_attribute_offset(1, mgmt_class, attribute),
		       attribute->layout ? attribute->layout->nfields : 0);
	}
	return 0;
}
