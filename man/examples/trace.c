/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* trace COMMAND...: run a command, and print the MADs that the host sends and receives
 * meanwhile. */
#include <madkit/madkit.h>
#include <poll.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void print_event(void *context, const struct madkit_trace_event *event)
{
	static const char *const what[] = { "sends", "receives", "cannot send" };
	struct madkit_header header;
	char class[20];

	(void)context;
	if (madkit_header_get(event->mad, sizeof(event->mad), &header))
		return;
	printf("%s/%u %s %s, %s\n", event->ca, event->port, what[event->kind],
	       madkit_class_name(header.mgmt_class, class),
	       madkit_method_name(header.mgmt_class, header.method));
}

int main(int argc, char **argv)
{
	struct madkit_trace *trace;
	struct madkit_error error;
	int ret, status;
	pid_t child;

	if (argc < 2) {
		fprintf(stderr, "usage: trace COMMAND...\n");
		return 2;
	}
	if (madkit_trace_open(&trace, &error)) {
		fprintf(stderr, "trace: %s\n", error.text);
		return 1;
	}
	child = fork();
	if (!child) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	do {
		struct pollfd fd = { .fd = madkit_trace_fd(trace), .events = POLLIN };
		bool over = child < 0 || waitpid(child, &status, WNOHANG);

		/* once more after its end, for the last events */
		poll(&fd, 1, over ? 0 : 100);
		ret = madkit_trace_process(trace, print_event, NULL);
		if (over)
			break;
	} while (ret >= 0);
	if (madkit_trace_lost(trace))
		printf("%llu events were lost\n",
		       (unsigned long long)madkit_trace_lost(trace));
	if (madkit_trace_close(trace) || ret < 0)
		fprintf(stderr, "trace: the trace could not be read to its end\n");
	return ret < 0;
}
