/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* trace SECONDS: class, method and transaction ID of the MADs of this host. */
#include <madkit/madkit.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void show(void *context, const struct madkit_trace_event *event)
{
	static const char *const what[] = { "sent", "received", "not sent" };
	struct madkit_header h;
	char class[20];

	(void)context;
	if (madkit_header_get(event->mad, sizeof(event->mad), &h))
		return;
	printf("%s/%u %s %s method 0x%02x TID 0x%016" PRIx64 "\n", event->ca, event->port,
	       what[event->kind], madkit_class_name(h.mgmt_class, class), h.method, h.tid);
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 10);
	struct madkit_trace *trace;
	struct madkit_error error;
	int ret;

	if (madkit_trace_open(&trace, &error)) {
		fprintf(stderr, "trace: %s\n", error.text);
		return 1;
	}
	do {
		struct pollfd fd = { .fd = madkit_trace_fd(trace), .events = POLLIN };

		poll(&fd, 1, 100);
		ret = madkit_trace_process(trace, show, NULL);
	} while (ret >= 0 && time(NULL) < end);
	if (madkit_trace_lost(trace))
		fprintf(stderr, "trace: %" PRIu64 " lost\n", madkit_trace_lost(trace));
	madkit_trace_close(trace);
	return ret < 0;
}
