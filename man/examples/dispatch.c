/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* dispatch LAST: query the NodeInfo of all LIDs from 1 to LAST, in parallel. */
#include <madkit/madkit.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Posts the job for a LID. */
static int dispatch_post(struct madkit_dispatcher *d, struct madkit_agent *agent,
			 uint32_t lid)
{
	const struct madkit_addr to = { .lid = lid };
	struct madkit_job *job = calloc(1, sizeof(*job));
	int ret = -1;

	if (!job)
		return ret;
	job->agent = agent;
	job->deadline_ns = UINT64_MAX;
	job->send = madkit_send_request(&to, MADKIT_CLASS_SUBN, MADKIT_METHOD_GET,
					MADKIT_ATTR_NODE_INFO, 0);
	if (job->send) {
		job->send->timeout_ms = 100;
		ret = madkit_dispatcher_post(d, job);
	}
	if (ret) {
		madkit_send_free(job->send);
		free(job);
	}
	return ret;
}

static void dispatch_show(struct madkit_dispatcher *d)
{
	struct madkit_job *job;

	while ((job = madkit_dispatcher_take(d))) {
		int status = job->error ? job->error : job->reply.status;

		printf("LID %" PRIu32 ": %s\n", job->send->to.lid,
		       status ? strerror(-status) : "responded");
		madkit_recv_free(job->reply.recv);
		madkit_send_free(job->send);
		free(job);
	}
}

int main(int argc, char **argv)
{
	const struct madkit_agent_attr attr = { .mgmt_class = MADKIT_CLASS_SUBN };
	uint32_t last = argc > 1 ? (uint32_t)atoi(argv[1]) : 1, lid = 1;
	struct madkit_dispatcher *d = NULL;
	struct madkit_agent *agent;
	struct madkit_error error;
	struct madkit_port *port;
	int ret;

	if (madkit_port_open(NULL, &port, &error)) {
		fprintf(stderr, "dispatch: %s\n", error.text);
		return 1;
	}
	ret = madkit_dispatcher_new(port, NULL, &d);
	if (!ret)
		ret = madkit_dispatcher_agent(d, &attr, &agent, NULL);
	while (!ret && (lid <= last || madkit_dispatcher_outstanding(d))) {
		while (!ret && lid <= last &&
		       madkit_dispatcher_has_room(d, MADKIT_CLASS_SUBN))
			ret = dispatch_post(d, agent, lid++);
		if (!ret && madkit_dispatcher_wait(d, UINT64_MAX) < 0)
			ret = -1;
		dispatch_show(d);
	}
	madkit_dispatcher_free(d);
	madkit_port_close(port);
	return ret != 0;
}
