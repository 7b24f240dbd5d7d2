/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* resolve GUID...: query the LIDs of ports from the subnet administrator. */
#include <madkit/madkit.h>
#include <inttypes.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	struct madkit_resolver resolver = {
		.timeout_ms = 500,
		.retries = 2,
		.deadline_ns = UINT64_MAX,
	};
	struct madkit_error error;
	int status = 0;

	if (madkit_port_open(NULL, &resolver.port, &error)) {
		fprintf(stderr, "resolve: %s\n", error.text);
		return 1;
	}
	for (int i = 1; i < argc && !status; i++) {
		struct madkit_addr addr = { 0 };
		uint64_t guid;
		int ret = madkit_parse_guid(argv[i], &guid, &error);

		if (!ret)
			ret = madkit_resolve_guid(&resolver, guid, &addr, &error);
		if (ret) {
			fprintf(stderr, "resolve: %s\n", error.text);
			status = 1;
		} else {
			printf("%s: LID %" PRIu32 "\n", argv[i], addr.lid);
		}
	}
	madkit_port_close(resolver.port);
	return status;
}
