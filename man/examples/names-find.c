/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* names-find WORD...: find nodes of a list. */
#include <madkit/madkit.h>
#include <inttypes.h>
#include <stdio.h>

static const struct madkit_node_port ports[] = {
	{ .id = 0,
	  .guid = 0x100010,
	  .lid = 1,
	  .lid_first = 1,
	  .lid_last = 1,
	  .description = "node1 mlx5_0" },
	{ .id = 1,
	  .guid = 0x100020,
	  .lid = 2,
	  .lid_first = 2,
	  .lid_last = 3,
	  .description = "node2 mlx5_0" },
	{ .id = 2,
	  .guid = 0x100030,
	  .lid = 4,
	  .lid_first = 4,
	  .lid_last = 4,
	  .description = "node2 mlx5_1" },
};

static bool list_next(void *context, struct madkit_node_port *port)
{
	size_t *i = context;

	if (*i == sizeof(ports) / sizeof(ports[0]))
		return false;
	*port = ports[(*i)++];
	return true;
}

int main(int argc, char **argv)
{
	struct madkit_node_match match;

	for (int i = 1; i < argc; i++) {
		size_t position = 0;
		int ret = madkit_node_find(argv[i], list_next, &position, &match);

		if (ret)
			printf("%s: %" PRIu32 " nodes, %" PRIu32 " similar\n", argv[i],
			       match.count, match.nsimilar);
		else
			printf("%s: LID %" PRIu32 ", %s\n", argv[i], match.nodes[0].lid,
			       match.nodes[0].name);
	}
	return 0;
}
