/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The library's ports and agents, driven from the command line for agent.bats.
 *	agent_tool list
 *	agent_tool nodeinfo PATH COUNT WINDOW TIMEOUT RETRIES
 *						direct-route Gets, WINDOW in flight
 *	agent_tool lid LID TIMEOUT RETRIES	one LID-routed Get of NodeInfo
 *	agent_tool guid|gid|name X [MAP]	resolve
 *	agent_tool register CLASS METHOD RMPP FLAGS
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/madkit.h>

static struct madkit_port *port;

static int agent_tool_fail(const char *what, const struct madkit_error *error)
{
	printf("%s: %d %s\n", what, error->code, error->text);
	return 1;
}

static int agent_tool_list(void)
{
	struct madkit_port_info *ports;
	size_t count, skipped;
	int ret = madkit_ports_list(&ports, &count, &skipped);

	printf("ret %d ports %zu skipped %zu\n", ret, count, skipped);
	for (size_t i = 0; i < count; i++)
		printf("%s %s node 0x%016" PRIx64 " port 0x%016" PRIx64 " prefix 0x%016" PRIx64
		       " lid %" PRIu32 " sm %" PRIu32 " state %u phys %u rate %" PRIu32
		       " capmask 0x%08" PRIx32 " layer %d type %s\n",
		       ports[i].device, ports[i].umad_path, ports[i].node_guid, ports[i].port_guid,
		       ports[i].gid_prefix, ports[i].lid, ports[i].sm_lid, ports[i].state,
		       ports[i].phys_state, ports[i].rate, ports[i].cap_mask, ports[i].link_layer,
		       ports[i].ca_type);
	madkit_ports_free(ports);
	return 0;
}

static void agent_tool_node_info(struct madkit_send *send, uint8_t class)
{
	const struct madkit_header h = {
		.base_version = MADKIT_BASE_VERSION_IB,
		.mgmt_class = class,
		.class_version = 1,
		.method = MADKIT_METHOD_GET,
		.attribute = 0x0011,
	};

	madkit_header_put(send->mad, send->len, &h);
}

static struct madkit_agent *agent_tool_register(uint8_t class, madkit_send_handler sent,
						madkit_recv_handler received, void *context)
{
	const struct madkit_agent_attr attr = {
		.mgmt_class = class,
		.send_handler = sent,
		.recv_handler = received,
		.context = context,
	};
	struct madkit_agent *agent;
	struct madkit_refusal refusal;

	if (madkit_agent_register(port, &attr, &agent, &refusal)) {
		agent_tool_fail("register", &refusal.error);
		exit(1);
	}
	return agent;
}

/* NodeInfo.Guid lies 12 bytes into the data */
static uint64_t guid_of(const struct madkit_recv *recv)
{
	uint64_t guid = 0;

	for (unsigned int i = 0; i < 8; i++)
		guid = guid << 8 | recv->mad[MADKIT_SMP_DATA + 12 + i];
	return guid;
}

struct run {
	unsigned int left, answered, ended, failed, other_guid, attempts;
	uint64_t guid;
};

static void agent_tool_received(struct madkit_agent *agent, struct madkit_recv *recv)
{
	struct run *run = madkit_agent_context(agent);
	uint64_t guid = guid_of(recv);

	if (run->answered++ && guid != run->guid)
		run->other_guid++;
	run->guid = guid;
	madkit_recv_free(recv);
}

static void agent_tool_sent(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	struct run *run = madkit_agent_context(agent);

	run->ended++;
	run->failed += status != 0;
	run->attempts += send->attempts;
	if (run->left) {
		run->left--;
		if (!madkit_agent_post(agent, send))
			return;
	}
	madkit_send_free(send);
}

static int nodeinfo(const char *path, unsigned int count, unsigned int window, uint32_t timeout,
		    uint32_t retries)
{
	struct run run = { .left = count - window };
	struct madkit_agent *agent =
		agent_tool_register(MADKIT_CLASS_SUBN_DR, agent_tool_sent, agent_tool_received, &run);
	struct madkit_error error;
	uint64_t start = madkit_port_now(port);

	for (unsigned int i = 0; i < window; i++) {
		struct madkit_send *send = madkit_send_new(MADKIT_MAD_BYTES);

		agent_tool_node_info(send, MADKIT_CLASS_SUBN_DR);
		if (madkit_parse_path(path, &send->to, &error))
			return agent_tool_fail("path", &error);
		send->timeout_ms = timeout;
		send->retries = retries;
		madkit_agent_post(agent, send);
	}
	while (run.ended < count) {
		int ret = madkit_port_wait(port, 5000);

		if (ret == 1)
			ret = madkit_port_process(port);
		if (ret <= 0 && madkit_port_now(port) - start > 30000000000) {
			printf("stuck: %d\n", ret);
			return 1;
		}
	}
	printf("guid 0x%016" PRIx64 " answered %u failed %u other %u resends %u\n", run.guid, run.answered,
	       run.failed, run.other_guid, run.attempts - count);
	fprintf(stderr, "%.0f requests/s\n", count * 1e9 / (double)(madkit_port_now(port) - start));
	madkit_agent_unregister(agent);
	return 0;
}

static int lid(const char *lid_text, uint32_t timeout, uint32_t retries)
{
	struct madkit_agent *agent = agent_tool_register(MADKIT_CLASS_SUBN, NULL, NULL, NULL);
	struct madkit_send *send = madkit_send_new(MADKIT_MAD_BYTES);
	struct madkit_reply reply;
	struct madkit_error error;
	int ret;

	agent_tool_node_info(send, MADKIT_CLASS_SUBN);
	if (madkit_parse_lid(lid_text, &send->to.lid, &error))
		return agent_tool_fail("lid", &error);
	send->timeout_ms = timeout;
	send->retries = retries;
	ret = madkit_request(agent, send, UINT64_MAX, &reply);
	printf("ret %d status %d attempts %" PRIu32 " kernel %d", ret, reply.status, reply.attempts,
	       reply.kernel_resends);
	if (reply.recv)
		printf(" from %" PRIu32 " guid 0x%016" PRIx64, reply.recv->from.lid, guid_of(reply.recv));
	putchar('\n');
	madkit_recv_free(reply.recv);
	madkit_send_free(send);
	return 0;
}

static int agent_tool_resolve(const char *kind, const char *what, const char *map)
{
	const struct madkit_resolver resolver = {
		.port = port,
		.timeout_ms = 1000,
		.retries = 2,
		.deadline_ns = UINT64_MAX,
	};
	struct madkit_name_map *names = NULL;
	struct madkit_addr addr = { 0 };
	struct madkit_error error;
	uint64_t guid;
	uint8_t gid[16];
	int ret;

	if (!strcmp(kind, "name")) {
		ret = map ? madkit_name_map_read(port, map, &names, &error) : 0;
		if (!ret)
			ret = madkit_resolve_name(&resolver, names, what, &addr, &error);
		madkit_name_map_free(names);
	} else if (!strcmp(kind, "gid")) {
		ret = madkit_parse_gid(what, gid, &error) ? -EINVAL :
							    madkit_resolve_gid(&resolver, gid, &addr, &error);
	} else {
		ret = madkit_parse_guid(what, &guid, &error) ?
			      -EINVAL :
			      madkit_resolve_guid(&resolver, guid, &addr, &error);
	}
	if (ret)
		return agent_tool_fail(strerror(-ret), &error);
	printf("lid %" PRIu32 " sl %u grh %d\n", addr.lid, addr.sl, addr.grh);
	return 0;
}

static int do_register(char **arg)
{
	struct madkit_agent_attr attr = {
		.mgmt_class = (uint8_t)strtoul(arg[0], NULL, 0),
		.rmpp_version = (uint8_t)strtoul(arg[2], NULL, 0),
		.flags = (uint32_t)strtoul(arg[3], NULL, 0),
	};
	struct madkit_agent *agent;
	struct madkit_refusal refusal;
	int ret;

	madkit_method_mask_set(attr.method_mask, (uint8_t)strtoul(arg[1], NULL, 0));
	ret = madkit_agent_register(port, &attr, &agent, &refusal);
	printf("ret %d cause %s code %d supported %s\n", ret, madkit_refusal_cause_name(refusal.cause),
	       refusal.code, refusal.supported_known ? "known" : "unknown");
	if (ret)
		printf("%s\n", refusal.error.text);
	return 0;
}

int main(int argc, char **argv)
{
	struct madkit_error error;
	int ret = 2;

	if (argc == 2 && !strcmp(argv[1], "list"))
		return agent_tool_list();
	if (madkit_port_open(NULL, &port, &error))
		return agent_tool_fail("open", &error);
	if (argc == 7 && !strcmp(argv[1], "nodeinfo"))
		ret = nodeinfo(argv[2], (unsigned int)atoi(argv[3]), (unsigned int)atoi(argv[4]),
			       (uint32_t)atoi(argv[5]), (uint32_t)atoi(argv[6]));
	else if (argc == 5 && !strcmp(argv[1], "lid"))
		ret = lid(argv[2], (uint32_t)atoi(argv[3]), (uint32_t)atoi(argv[4]));
	else if (argc == 6 && !strcmp(argv[1], "register"))
		ret = do_register(argv + 2);
	else if (argc >= 3)
		ret = agent_tool_resolve(argv[1], argv[2], argv[3]);
	madkit_port_close(port);
	return ret;
}
