/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* path DEVICE LID: show the path from the node of the port to a LID. */
#include <madkit/madkit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show(const struct madkit_sweep *sweep, const struct madkit_path *path)
{
	for (unsigned int i = 0; i < path->nhops; i++) {
		const struct madkit_path_hop *hop = &path->hops[i];

		printf("from port %u of %.64s to port %u\n", hop->ingress,
		       (const char *)madkit_sweep_node(sweep, hop->node)->description,
		       hop->egress);
	}
	printf("%s\n",
	       path->end == MADKIT_PATH_ARRIVED ? "arrived" : "the packet is lost");
}

int main(int argc, char **argv)
{
	const struct madkit_sweep_attr attr = { .retries = MADKIT_SWEEP_RETRIES };
	struct madkit_path path = { .port = 1 };
	struct madkit_sweep *sweep = NULL;
	struct madkit_error error;
	struct madkit_port *port;
	int ret;

	if (argc < 3 || madkit_port_open(argv[1], &port, &error)) {
		fprintf(stderr, "path: %s\n",
			argc < 3 ? "needs DEVICE and LID" : error.text);
		return 1;
	}
	path.lid = (uint16_t)atoi(argv[2]);
	ret = madkit_sweep_new(port, &attr, &sweep);
	if (!ret)
		ret = madkit_path_follow(sweep, &path, 1, UINT64_MAX);
	if (ret == 1)
		show(sweep, &path);
	else
		fprintf(stderr, "path: %s\n", strerror(-ret));
	madkit_sweep_free(sweep);
	madkit_port_close(port);
	return ret != 1;
}
