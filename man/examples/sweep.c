/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* sweep [DEVICE]: list the nodes of the subnet. */
#include <madkit/madkit.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	const struct madkit_sweep_attr attr = { .retries = MADKIT_SWEEP_RETRIES };
	struct madkit_sweep *sweep = NULL;
	struct madkit_sweep_counts counts;
	struct madkit_error error;
	struct madkit_port *port;
	int ret;

	if (madkit_port_open(argc > 1 ? argv[1] : NULL, &port, &error)) {
		fprintf(stderr, "sweep: %s\n", error.text);
		return 1;
	}
	ret = madkit_sweep_new(port, &attr, &sweep);
	if (!ret)
		ret = madkit_sweep_step(sweep, UINT64_MAX);
	if (ret < 0) {
		fprintf(stderr, "sweep: %s\n", strerror(-ret));
	} else {
		madkit_sweep_count(sweep, &counts);
		for (uint32_t i = 0; i < counts.nodes; i++)
			printf("0x%016" PRIx64 ": %u ports\n",
			       madkit_sweep_node(sweep, i)->guid,
			       madkit_sweep_node(sweep, i)->nports);
		if (counts.silent || counts.missing)
			printf("incomplete\n");
	}
	madkit_sweep_free(sweep);
	madkit_port_close(port);
	return ret < 0;
}
