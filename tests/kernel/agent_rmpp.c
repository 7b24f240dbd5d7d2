/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The library's RMPP against the kernel's and against itself, both ways, on a network that is good and on
 * ones that are not. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/agent_end.h"
#include "tests/tap.h"
#include "util/array_size.h"

/* The kernel's timeout of a request is for its whole response, ours for each step of it. */
enum { STEP_MS = 5000, WHOLE_MS = 120000 };

static void kernel_agent_rmpp_sizes(struct end *client, const char *who)
{
	static const size_t all[] = {
		1,           199,          200,      215,          216,   217,    2 * 216 - 1, 2 * 216,
		2 * 216 + 1, 64 * 216 - 1, 64 * 216, 64 * 216 + 1, 10000, 100000, MEGABYTE,
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		is_str(agent_end_echo(client, NULL, all[i], STEP_MS, 3), "", "%s: %zu bytes there and back",
		       who, all[i]);
}

static void troubles(struct end *client, const char *who, uint32_t long_ms)
{
	for (size_t i = 0; i < BAD_NETWORKS; i++) {
		agent_end_netem(bad_networks[i]);
		/* the kernel's RMPP starts again if a loss delays a response for too long: many tries */
		is_str(agent_end_echo(client, NULL, 10000, 3000, 15), "",
		       "%s: 10000 bytes there and back, %s", who, bad_networks[i]);
		agent_end_netem("");
	}
	/* a loss costs seconds, so a long message gets less of it */
	agent_end_netem("loss 0.005% duplicate 1% delay 1ms reorder 90%");
	is_str(agent_end_echo(client, NULL, 4 * MEGABYTE, long_ms, 8), "",
	       "%s: 4 MB there and back, all at once", who);
	agent_end_netem("");
}

/* Sends without a response: the last ACK is the end. */
static void kernel_agent_rmpp_one_way(struct end *client)
{
	struct madkit_send *send =
		agent_end_request("rxe1", SERVER_OUI, METHOD_ASK, ATTR_SILENT, HEADER + 50000, 0, 3);
	unsigned int ended = client->ended;

	agent_end_post(client, send);
	need(agent_end_drive(client, &client->ended, ended + 1), "the end of a message");
	is_int(client->status, 0, "one way: all of it is acknowledged");
	is_int(send->rmpp.state, MADKIT_RMPP_STATE_ACTIVE, "one way: nothing ended it");
	madkit_send_free(send);

	/* no agent has that OUI */
	send = agent_end_request("rxe1", OUI + 7, METHOD_ASK, ATTR_SILENT, HEADER + 50000, 200, 1);
	agent_end_post(client, send);
	need(agent_end_drive(client, &client->ended, ended + 2), "the end of a message to nobody");
	is_int(client->status, -ETIMEDOUT, "to nobody: a timeout");
	is_int(send->rmpp.status, MADKIT_RMPP_STATUS_RETRIES, "to nobody: whose status is known");
	madkit_send_free(send);
}

/* The other process ends while it receives. */
static void server_dies(struct end *client, pid_t server)
{
	struct madkit_send *send =
		agent_end_request("rxe1", SERVER_OUI, METHOD_ASK, ATTR_SILENT, HEADER + 8 * MEGABYTE, 300, 1);
	struct madkit_port_counters before, now;
	unsigned int ended = client->ended;

	madkit_port_get_counters(client->port, &before);
	agent_end_post(client, send);
	do {
		need(madkit_port_wait(client->port, PATIENCE) > 0, "an ACK");
		madkit_port_process(client->port);
		madkit_port_get_counters(client->port, &now);
	} while (now.sent - before.sent < 500);
	child_stop(server);
	need(agent_end_drive(client, &client->ended, ended + 1), "the end of what nobody receives any more");
	ok(client->status == -ETIMEDOUT || client->status == -ECONNABORTED, "the receiver dies: %s",
	   strerror(-client->status));
	ok(send->rmpp.state != MADKIT_RMPP_STATE_ACTIVE,
	   "the receiver dies: the end of the transfer is told");
	madkit_send_free(send);
}

int main(void)
{
	pid_t server = server_start("rxe1");
	struct end *client = end_open("umad:rxe0", SERVER_OUI, 0, RMPP_LIBRARY);

	kernel_agent_rmpp_sizes(client, "ours and the kernel's");
	troubles(client, "ours and the kernel's", STEP_MS);
	kernel_agent_rmpp_one_way(client);
	server_dies(client, server);
	server = library_server_start("rxe1");
	kernel_agent_rmpp_sizes(client, "ours and ours");
	troubles(client, "ours and ours", STEP_MS);
	end_close(client);

	client = end_open("umad:rxe0", SERVER_OUI, 0, RMPP_KERNEL);
	kernel_agent_rmpp_sizes(client, "the kernel's and ours");
	troubles(client, "the kernel's and ours", WHOLE_MS);
	end_close(client);
	child_stop(server);
	return tap_done();
}
