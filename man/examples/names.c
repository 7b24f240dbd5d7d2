/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* names DEVICE LID...: print the names of nodes. */
#include <madkit/madkit.h>
#include <inttypes.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	struct madkit_names_attr attr = {
		.resolver = { .timeout_ms = 500,
			      .retries = 2,
			      .deadline_ns = UINT64_MAX },
		.describe = true,
	};
	struct madkit_names *names = NULL;
	struct madkit_error error;
	int ret;

	if (argc < 2)
		return 2;
	ret = madkit_port_open(argv[1], &attr.resolver.port, &error);
	if (!ret)
		ret = madkit_names_new(&attr, &names, &error);
	for (int i = 2; i < argc && !ret; i++) {
		struct madkit_node_key key = { 0 };
		const struct madkit_node *node;

		ret = madkit_parse_lid(argv[i], &key.lid, &error);
		if (!ret)
			ret = madkit_names_look_up(names, key, &node, &error);
		if (!ret)
			printf("LID %" PRIu32 ": %s, port GUID 0x%016" PRIx64 "\n",
			       key.lid, node->name, node->port_guid);
	}
	if (ret)
		fprintf(stderr, "names: %s\n", error.text);
	madkit_names_free(names);
	madkit_port_close(attr.resolver.port);
	return ret != 0;
}
