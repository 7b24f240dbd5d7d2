/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* port [DEVICE]: list the ports of this machine, and print the properties of one. */
#include <madkit/addr.h>
#include <madkit/port.h>
#include <inttypes.h>
#include <stdio.h>

static int list_ports(void)
{
	struct madkit_port_info *ports;
	size_t count, skipped;

	if (madkit_ports_list(&ports, &count, &skipped))
		return 1;
	for (size_t i = 0; i < count; i++) {
		const char *state = madkit_port_state_name(ports[i].state);

		printf("%s is %s, LID %" PRIu32 "\n", ports[i].device,
		       state ? state : "?", ports[i].lid);
	}
	if (skipped)
		printf("%zu more could not be read\n", skipped);
	madkit_ports_free(ports);
	return 0;
}

int main(int argc, char **argv)
{
	char text[MADKIT_GID_TEXT_MAX];
	struct madkit_error error;
	struct madkit_port *port;
	uint8_t gid[16];

	if (list_ports())
		return 1;
	if (madkit_port_open(argc > 1 ? argv[1] : NULL, &port, &error)) {
		fprintf(stderr, "port: %s\n", error.text);
		return 1;
	}
	if (!madkit_port_gid(madkit_port_get_info(port), 0, NULL, gid))
		printf("GID %s\n", madkit_gid_text(gid, text));
	printf("subnet manager at LID %" PRIu32 "\n", madkit_port_get_info(port)->sm_lid);
	printf("%s to process\n",
	       madkit_port_wait(port, 0) == 1 ? "something" : "nothing");
	madkit_port_close(port);
	return 0;
}
