/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "locate.h"

/* One attribute of one node on the way. */
struct probe {
	struct request request;
	struct answer answer;
};

/* 0 where it answered. Free it with probe_free in either case. */
static int probe(struct exchange *x, struct probe *p, const struct request *r,
		 uint8_t hops, const char *attribute, uint32_t modifier)
{
	memset(p, 0, sizeof(*p));
	if (request_derive(r, attribute, modifier, &p->request))
		return -1;
	p->request.to.hops = hops;
	request_put_route(&p->request);
	return exchange_ask(x, &p->request, &p->answer);
}

static void probe_free(struct probe *p)
{
	answer_free(&p->answer);
	request_free(&p->request);
}

/* Whatever it says, a node that says it is there. */
static bool answered(int status)
{
	return status >= 0 && status != EXIT_TIMEOUT && status != EXIT_LOCAL &&
	       status < EXIT_SIGNAL;
}

/* False where the answer does not hold it, or is a refusal. */
static bool value(const struct probe *p, const char *name, uint64_t *v)
{
	struct madkit_record record;

	*v = 0;
	madkit_record_get(&p->answer.message, 0, &record);
	return !p->answer.status && !madkit_record_value(&record, name, v);
}

/* The node's description; p is probed for it. */
static void describe(struct exchange *x, const struct request *r, uint8_t hops,
		     char text[65])
{
	struct probe p;
	struct madkit_record record;

	strcpy(text, "no description");
	if (!probe(x, &p, r, hops, "NodeDescription", 0)) {
		madkit_record_get(&p.answer.message, 0, &record);
		if (record.data && record.len >= 64)
			snprintf(text, 65, "%.64s", (const char *)record.data);
	}
	probe_free(&p);
}

static const char *port_state(struct exchange *x, const struct request *r,
			      uint8_t hops, uint8_t port)
{
	const char *name = NULL;
	struct probe p;

	if (!probe(x, &p, r, hops, "PortInfo", port)) {
		uint64_t state;

		if (value(&p, "LinkState", &state) && state <= UINT8_MAX)
			name = madkit_port_state_name((uint8_t)state);
	}
	probe_free(&p);
	return name;
}

/* "0,1", or "0,1 from LID 5 on" where the route begins at the node of a LID. */
#define ROUTE_TEXT_MAX (MADKIT_PATH_TEXT_MAX + 32)
static const char *route_text(const struct madkit_addr *to, char buf[ROUTE_TEXT_MAX])
{
	size_t n;

	madkit_path_text(to, buf);
	n = strlen(buf);
	if (to->lid != MADKIT_LID_PERMISSIVE)
		snprintf(buf + n, ROUTE_TEXT_MAX - n, " from LID %u on", to->lid);
	return buf;
}

static void show(struct exchange *x, const struct madkit_addr *to,
		 const struct probe *last, const char *text, uint8_t port,
		 const char *state)
{
	struct madkit_message message;
	struct madkit_buf data;
	char path[MADKIT_PATH_TEXT_MAX], where[ROUTE_TEXT_MAX], node[64] = "";
	uint64_t guid, entered;
	bool have_guid = value(last, "Guid", &guid);
	bool have_port = value(last, "LocalPort", &entered);

	if (have_guid && have_port)
		snprintf(node, sizeof(node),
			 " (node GUID 0x%016" PRIx64 ", entered by port %" PRIu64 ")",
			 guid, entered);
	cli_say("the last to answer is %s: %s%s; nothing behind its port %u%s%s",
		route_text(to, where), text, node, port,
		state ? ", which is " : "", state ? state : "");
	if (x->out->format != FORMAT_JSON)
		return;
	madkit_buf_init(&data, 0);
	json_open(&data, NULL, '{');
	json_string(&data, "last_path", madkit_path_text(to, path));
	json_string(&data, "NodeDescription", text);
	if (have_guid)
		json_hex(&data, "Guid", guid, 16);
	else
		json_null(&data, "Guid");
	if (have_port)
		json_number(&data, "LocalPort", entered);
	else
		json_null(&data, "LocalPort");
	json_number(&data, "exit_port", port);
	if (state)
		json_string(&data, "exit_port_state", state);
	else
		json_null(&data, "exit_port_state");
	json_close(&data, '}');
	exchange_message(x, MADKIT_MESSAGE_EVENT, &message);
	message.remote = to;
	message.data_json = json_end(&data);
	output_object(x->out, &message);
	madkit_buf_free(&data);
}

void locate(struct exchange *x, const struct request *r)
{
	struct probe p;
	uint8_t hops = 0;
	char text[65];

	while (hops < r->to.hops && !cli_stopped()) {
		int ret = probe(x, &p, r, hops, "NodeInfo", 0);

		probe_free(&p);
		if (!answered(ret))
			break;
		hops++;
	}
	if (cli_stopped())
		return;
	if (!hops && r->to.lid != MADKIT_LID_PERMISSIVE) {
		cli_say("not even LID %u answers, where the route begins (path 0)",
			r->to.lid);
	} else if (!hops) {
		cli_say("not even this node (path 0) answers");
	} else {
		struct madkit_addr to = r->to;
		uint8_t port = r->to.path[hops];
		const char *state;

		to.hops = (uint8_t)(hops - 1);
		describe(x, r, to.hops, text);
		state = port_state(x, r, to.hops, port);
		if (answered(probe(x, &p, r, to.hops, "NodeInfo", 0)))
			show(x, &to, &p, text, port, state);
		probe_free(&p);
	}
}
