/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* NULL where it is allowed, and objects that have ended. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/madkit.h>
#include "tests/tap.h"
#include "tests/unit/fake_transport.h"
#include "util/array_size.h"
#include "wire/wire_int.h"

/* Functions that end an object, and those that kernel and libibumad accept NULL for. */
static void null_objects(void)
{
	madkit_agent_unregister(NULL);
	madkit_send_free(NULL);
	madkit_recv_free(NULL);
	madkit_buf_free(NULL);
	madkit_capture_free(NULL);
	madkit_expr_free(NULL);
	madkit_projection_free(NULL);
	madkit_plans_free(NULL);
	madkit_json_in_free(NULL);
	madkit_ports_free(NULL);
	madkit_port_close(NULL);
	madkit_port_events_close(NULL);
	madkit_rmpp_receiver_free(NULL);
	is_int(madkit_trace_close(NULL), 0, "NULL: each function that ends an object");
	is_u64(madkit_port_events_read(NULL), 0, "NULL: no events");
}

/* Functions that report errors in words, without a place for these. */
static void null_errors(void)
{
	static const struct madkit_layout *layout = &madkit_layout_header;
	struct madkit_json_in *in = madkit_json_in_new();
	const struct madkit_attribute *attribute;
	struct madkit_capture capture = { 0 };
	struct madkit_projection *projection;
	struct madkit_packet packet = { 0 };
	struct madkit_packet_mad packet_mad;
	struct madkit_place place;
	struct madkit_expr *expr;
	struct madkit_port *port;
	struct madkit_addr addr;
	uint8_t bytes[64] = { 0 }, mgmt_class;
	uint64_t number;
	uint32_t lid;
	uint16_t id;
	size_t used;

	ok(madkit_parse_lid("x", &lid, NULL) < 0, "NULL: a LID");
	ok(madkit_parse_guid("x", &number, NULL) < 0, "NULL: a GUID");
	ok(madkit_parse_gid("x", bytes, NULL) < 0, "NULL: a GID");
	ok(madkit_parse_path("x", &addr, NULL) < 0, "NULL: a path");
	ok(madkit_parse_number("x", 1, 9, "a number", &number, NULL) < 0, "NULL: a number");
	ok(madkit_capture_next(&capture, bytes, sizeof(bytes), true, &used, &packet, NULL) < 0,
	   "NULL: a capture");
	madkit_capture_free(&capture);
	packet = (struct madkit_packet){ .link_type = 9999, .data = bytes, .len = 3, .wire = 3 };
	ok(madkit_packet_get_mad(&packet, &packet_mad, NULL) < 0, "NULL: a packet");
	is_int(madkit_error_set(NULL, -EIO, 0, "%d", 1), -EIO, "NULL: an error");
	ok(madkit_expr_new("(", &expr, NULL) < 0, "NULL: an expression");
	if (!madkit_expr_new("NoSuchField == 1", &expr, NULL)) {
		ok(madkit_expr_check(expr, NULL, NULL) < 0, "NULL: the check of an expression");
		madkit_expr_explain(expr, NULL, NULL);
		madkit_expr_free(expr);
	}
	ok(madkit_projection_new(",", &projection, NULL) < 0, "NULL: a projection");
	if (!madkit_projection_new("NoSuchField", &projection, NULL)) {
		ok(madkit_projection_check(projection, NULL, NULL) < 0, "NULL: the check of a projection");
		madkit_projection_free(projection);
	}
	ok(madkit_place_find(layout, "none", 4, &place, NULL) < 0, "NULL: a field");
	ok(madkit_set(layout, bytes, sizeof(bytes), "none", "1", NULL, NULL) < 0,
	   "NULL: a field that is set, and its place");
	ok(field_parse(&layout->fields[0], "x", 1, &number, NULL) < 0, "NULL: the value of a field");
	ok(in && madkit_json_in_line(in, "x", 1, NULL) < 0, "NULL: a line of JSON");
	madkit_json_in_end(in, NULL);
	madkit_json_in_free(in);
	ok(madkit_class_find("none", &mgmt_class, NULL) < 0, "NULL: a class");
	ok(madkit_attribute_find("none", -1, &mgmt_class, &id, &attribute, NULL) < 0, "NULL: an attribute");
	ok(madkit_port_open("none:", &port, NULL) < 0, "NULL: a port");
	ok(madkit_port_open_limited("sim:/nowhere", NULL, &port, NULL) < 0, "NULL: a port and its limit");
	ok(madkit_port_open_qp("none", NULL, &port, NULL) < 0, "NULL: a queue pair");
}

static void null_sends(void)
{
	struct fake *fake = fake_new();
	struct madkit_port *port = fake_port(fake);
	struct madkit_agent *agent = fake_agent(port, MADKIT_CLASS_PERF, 0, NULL, NULL, NULL);
	struct madkit_send *failed = (void *)fake, *send = fake_get(MADKIT_CLASS_PERF, 0x12, 100, 0);
	const struct madkit_agent_attr refused = { .mgmt_class = 0x32 };
	struct madkit_agent *none;

	is_int(madkit_agent_post(agent, NULL), -EINVAL, "NULL: posting nothing");
	is_int(madkit_agent_post_list(agent, NULL, &failed), 0,
	       "NULL: an empty list, as for ib_post_send_mad()");
	ok(!failed, "... of which no send has failed");
	is_int(madkit_agent_post_list(agent, NULL, NULL), 0, "... nor is asked for");
	is_int(madkit_agent_cancel(agent, NULL), -EINVAL, "NULL: cancelling nothing");
	is_int(madkit_agent_modify(agent, NULL, 100), -EINVAL,
	       "NULL: modifying nothing, as for ib_modify_mad()");
	is_int(madkit_agent_modify(agent, NULL, 0), -EINVAL, "... also with 0 ms");
	is_int(madkit_agent_post(agent, send), 0, "NULL: without handlers a send is posted");
	fake_answer(fake, 1, &fake->sent[0]);
	fake_advance(fake, 10);
	madkit_port_process(port);
	is_u64(madkit_agent_outstanding(agent), 0, "... and ends");
	fake->attach_result = -EINVAL;
	is_int(madkit_agent_register(port, &refused, &none, NULL), -EINVAL,
	       "NULL: a refusal without its reason");
	madkit_send_free(send);
	madkit_port_close(port);
}

/* ---- NULL in place of an object or of a place for the result ------------------------------------ */

static char null_tested[8192]; /* names of functions, each behind a blank */

/* The function of this call has been tested. */
static void null_note(const char *call)
{
	size_t len = strlen(null_tested), n = strcspn(call, "(");

	if (len + n + 2 < sizeof(null_tested))
		snprintf(null_tested + len, sizeof(null_tested) - len, " %.*s ", (int)n, call);
}

/* clang-format off */
#define NULL_IS(call, want) \
	do { \
		null_note(#call); \
		is_int((int)(call), want, "X6: %s", #call); \
	} while (0)
#define NULL_IS_NULL(call) \
	do { \
		null_note(#call); \
		ok(!(call), "X6: %s", #call); \
	} while (0)
#define NULL_DOES(call) \
	do { \
		null_note(#call); \
		call; \
		ok(true, "X6: %s", #call); \
	} while (0)
/* clang-format on */

static void null_ports(struct madkit_port *port, const struct madkit_port_info *info)
{
	struct madkit_port_counters counters;
	struct madkit_port_events *events;
	struct madkit_port_info *ports;
	struct timespec ts;
	unsigned int number;
	uint8_t gid[16];
	uint16_t index;
	size_t count;

	NULL_IS(madkit_ports_list(NULL, &count, NULL), -EINVAL);
	NULL_IS(madkit_ports_list(&ports, NULL, NULL), -EINVAL);
	NULL_DOES(madkit_ports_free(NULL));
	NULL_IS(madkit_port_matches(NULL, "umad:", NULL), -EINVAL);
	NULL_IS_NULL(madkit_port_partner(NULL, info, 1));
	NULL_IS_NULL(madkit_port_partner(info, NULL, 1));
	NULL_IS(madkit_port_open("sim:fat-tree:1,1,2", NULL, NULL), -EINVAL);
	NULL_IS(madkit_port_open_limited("sim:fat-tree:1,1,2", NULL, NULL, NULL), -EINVAL);
	NULL_IS(madkit_port_open_qp("verbs:", NULL, NULL, NULL), -EINVAL);
	NULL_DOES(madkit_port_close(NULL));
	NULL_IS_NULL(madkit_port_get_info(NULL));
	NULL_IS(madkit_port_refresh(NULL), -EINVAL);
	NULL_IS(madkit_port_gid(NULL, 0, NULL, gid), -EINVAL);
	NULL_IS(madkit_port_gid(info, 0, NULL, NULL), -EINVAL);
	NULL_IS(madkit_port_pkey_index(NULL, 0xffff, NULL, &index), -EINVAL);
	NULL_IS(madkit_port_pkey_index(info, 0xffff, NULL, NULL), -EINVAL);
	NULL_IS(madkit_port_pkey_count(NULL, NULL, &number), -EINVAL);
	NULL_IS(madkit_port_pkey_count(info, NULL, NULL), -EINVAL);
	NULL_IS(madkit_port_fd(NULL), -EINVAL);
	null_note("madkit_port_deadline");
	is_u64(madkit_port_deadline(NULL), UINT64_MAX, "X6: nothing is due on no port");
	NULL_IS(madkit_port_timeout_ms(NULL, -1), -1);
	NULL_IS(madkit_port_now(NULL), 0);
	NULL_DOES(madkit_port_realtime(NULL, &ts));
	ok(!ts.tv_sec && !ts.tv_nsec, "X6: ... the time is 0");
	NULL_IS(madkit_port_process(NULL), -EINVAL);
	NULL_IS(madkit_port_wait(NULL, -1), -EINVAL);
	NULL_IS(madkit_port_set_receive_limit(NULL, 256, 256), -EINVAL);
	NULL_IS(madkit_port_set_mad_rate(NULL, 1), -EINVAL);
	NULL_IS(madkit_port_receive_needed(NULL), 0);
	NULL_DOES(madkit_port_get_counters(NULL, &counters));
	ok(!counters.sent && !counters.received, "X6: ... the counters are 0");
	NULL_IS(madkit_port_events_open(NULL, &events), -EINVAL);
	NULL_IS(madkit_port_events_open(info, NULL), -EINVAL);
	NULL_IS(madkit_port_events_read(NULL), 0);
	NULL_DOES(madkit_port_events_close(NULL));
	NULL_IS_NULL(madkit_port_state_name(0));
	NULL_IS(madkit_snoop_register(NULL, MADKIT_SNOOP_RECVS, (madkit_snoop_handler)abort, NULL, NULL),
		-EINVAL);
	NULL_IS(madkit_snoop_register(port, MADKIT_SNOOP_RECVS, NULL, NULL, NULL), -EINVAL);
	NULL_DOES(madkit_snoop_unregister(NULL));
}

static void null_agents(struct madkit_port *port, struct madkit_agent *agent, struct madkit_send *send)
{
	const struct madkit_agent_attr attr = { .mgmt_class = MADKIT_CLASS_PERF };
	struct madkit_redirected redirected;
	struct madkit_refusal refusal;
	struct madkit_send *failed;
	struct madkit_agent *other;
	struct madkit_reply reply;
	size_t len = 1;

	NULL_IS(madkit_agent_register(NULL, &attr, &other, &refusal), -EINVAL);
	ok(refusal.code == EINVAL && refusal.error.code == -EINVAL && refusal.error.text[0],
	   "X6: ... and the refusal says so");
	NULL_IS(madkit_agent_register(port, NULL, &other, NULL), -EINVAL);
	NULL_IS(madkit_agent_register(port, &attr, NULL, NULL), -EINVAL);
	NULL_DOES(madkit_agent_unregister(NULL));
	NULL_IS_NULL(madkit_agent_context(NULL));
	NULL_IS_NULL(madkit_agent_port(NULL));
	NULL_IS_NULL(madkit_agent_get_attr(NULL));
	NULL_IS(madkit_agent_id(NULL), 0);
	NULL_IS(madkit_agent_kernel_rmpp(NULL), false);
	NULL_IS(madkit_agent_outstanding(NULL), 0);
	NULL_IS(madkit_agent_post(NULL, send), -EINVAL);
	NULL_IS(madkit_agent_post(agent, NULL), -EINVAL);
	NULL_IS(madkit_agent_post_list(NULL, send, &failed), -EINVAL);
	ok(failed == send, "X6: ... the first send has failed");
	NULL_IS(madkit_agent_cancel(NULL, send), -EINVAL);
	NULL_IS(madkit_agent_modify(NULL, send, 0), -EINVAL);
	NULL_IS(madkit_agent_modify(NULL, send, 1), -EINVAL);
	NULL_IS(madkit_request(NULL, send, 0, &reply), -EINVAL);
	NULL_IS(madkit_request(agent, NULL, 0, &reply), -EINVAL);
	NULL_IS(madkit_request(agent, send, 0, NULL), -EINVAL);
	NULL_IS(madkit_request_redirected(NULL, send, 0, 1, &reply, &redirected), -EINVAL);
	NULL_IS(madkit_request_redirected(agent, NULL, 0, 1, &reply, NULL), -EINVAL);
	NULL_IS(madkit_request_redirected(agent, send, 0, 1, NULL, NULL), -EINVAL);
	NULL_IS(madkit_agent_redirect_qp(NULL, &attr, &other, NULL), -EINVAL);
	NULL_IS(madkit_agent_process_wc(NULL, NULL, NULL, 0), -EINVAL);
	NULL_IS(madkit_agent_process_wc(agent, NULL, NULL, 0), -EINVAL);
	NULL_IS(madkit_redirect_target(NULL, 0, &send->to, &send->to), -EINVAL);
	NULL_IS(madkit_redirect_target(send->mad, send->len, NULL, &send->to), -EINVAL);
	NULL_IS_NULL(madkit_send_segment(NULL, 1, &len));
	is_u64(len, 0, "X6: ... of 0 bytes");
	NULL_IS_NULL(madkit_send_response(NULL, 256));
	NULL_DOES(madkit_send_free(NULL));
	NULL_DOES(madkit_recv_free(NULL));
}

static void null_queries(struct madkit_port *port, struct madkit_send *send)
{
	const struct madkit_resolver resolver = { .port = port }, none = { .port = NULL };
	const struct madkit_names_attr no_port = { .resolver.port = NULL };
	const struct madkit_node_key key = { .port_guid = 1 };
	const struct madkit_node *node;
	struct madkit_node_match match;
	struct madkit_names *names;
	struct madkit_name_map *map;
	struct madkit_message message;
	struct madkit_reply reply = { .status = 0 };
	struct madkit_addr addr;
	uint8_t gid[16] = { 0 };
	uint64_t value;

	NULL_IS(madkit_send_put(NULL, 0, 0), -ENOMEM); /* madkit_send_request() had no memory */
	NULL_IS(madkit_send_put_bytes(NULL, 0, NULL, 0), -ENOMEM);
	NULL_IS(madkit_port_sa_addr(NULL, &addr, NULL), -EINVAL);
	NULL_IS(madkit_port_sa_addr(port, NULL, NULL), -EINVAL);
	NULL_IS(madkit_port_request(NULL, send, 0, &reply, NULL), -EINVAL);
	NULL_IS(madkit_port_request(port, send, 0, NULL, NULL), -EINVAL);
	NULL_IS(madkit_port_request(port, NULL, 0, &reply, NULL), -ENOMEM); /* the same */
	NULL_IS(madkit_reply_message(NULL, &message), -EINVAL);
	NULL_IS(madkit_reply_message(&reply, NULL), -EINVAL);
	NULL_IS(madkit_reply_get(NULL, MADKIT_NODE_INFO_GUID, &value), -EINVAL);
	NULL_IS(madkit_resolve_guid(NULL, 1, &addr, NULL), -EINVAL);
	NULL_IS(madkit_resolve_guid(&none, 1, &addr, NULL), -EINVAL);
	NULL_IS(madkit_resolve_guid(&resolver, 1, NULL, NULL), -EINVAL);
	NULL_IS(madkit_resolve_gid(&none, gid, &addr, NULL), -EINVAL);
	NULL_IS(madkit_resolve_gid(&resolver, NULL, &addr, NULL), -EINVAL);
	NULL_IS(madkit_resolve_name(&none, NULL, "x", &addr, NULL), -EINVAL);
	NULL_IS(madkit_resolve_name(&resolver, NULL, NULL, &addr, NULL), -EINVAL);
	NULL_IS(madkit_resolve_word(&none, NULL, "x", &addr, &match, NULL), -EINVAL);
	NULL_IS(madkit_resolve_word(&resolver, NULL, NULL, &addr, &match, NULL), -EINVAL);
	NULL_IS(madkit_resolve_word(&resolver, NULL, "x", &addr, NULL, NULL), -EINVAL);
	NULL_IS(madkit_node_find(NULL, (madkit_node_next)abort, NULL, &match), -EINVAL);
	NULL_IS(madkit_node_find("x", NULL, NULL, &match), -EINVAL);
	NULL_IS(madkit_node_find("x", (madkit_node_next)abort, NULL, NULL), -EINVAL);
	NULL_IS(madkit_names_new(NULL, &names, NULL), -EINVAL);
	NULL_IS(madkit_names_new(&no_port, &names, NULL), -EINVAL);
	NULL_IS(madkit_names_look_up(NULL, key, &node, NULL), -EINVAL);
	NULL_IS_NULL(madkit_names_get(NULL, key));
	NULL_IS(madkit_names_pending(NULL, key), false);
	NULL_DOES(madkit_names_want(NULL, key));
	NULL_DOES(madkit_names_want_all(NULL));
	NULL_DOES(madkit_names_forget(NULL, key));
	null_note("madkit_names_tend");
	is_u64(madkit_names_tend(NULL), UINT64_MAX, "X6: nothing is due for no names");
	NULL_DOES(madkit_names_free(NULL));
	NULL_IS(madkit_name_map_read(NULL, "/dev/null", &map, NULL), -EINVAL);
	NULL_IS(madkit_name_map_read(port, NULL, &map, NULL), -EINVAL);
	NULL_IS_NULL(madkit_name_map_name(NULL, 1));
	NULL_DOES(madkit_name_map_free(NULL));
}

static void null_dispatchers(struct madkit_port *port, struct madkit_send *send)
{
	const struct madkit_agent_attr attr = { .mgmt_class = MADKIT_CLASS_PERF };
	struct madkit_dispatch_counts counts;
	struct madkit_dispatcher *d;
	struct madkit_agent *other;
	struct madkit_job job = { .send = send };

	NULL_IS(madkit_dispatcher_new(NULL, NULL, &d), -EINVAL);
	NULL_IS(madkit_dispatcher_new(port, NULL, NULL), -EINVAL);
	NULL_DOES(madkit_dispatcher_free(NULL));
	NULL_IS(madkit_dispatcher_agent(NULL, &attr, &other, NULL), -EINVAL);
	NULL_IS(madkit_dispatcher_has_room(NULL, MADKIT_CLASS_PERF), false);
	NULL_IS(madkit_dispatcher_post(NULL, &job), -EINVAL);
	NULL_DOES(madkit_dispatcher_last_tries(NULL, true));
	NULL_IS(madkit_dispatcher_wait(NULL, 0), -EINVAL);
	null_note("madkit_dispatcher_deadline");
	is_u64(madkit_dispatcher_deadline(NULL), UINT64_MAX, "X6: nothing is due for no dispatcher");
	NULL_IS_NULL(madkit_dispatcher_take(NULL));
	NULL_DOES(madkit_dispatcher_cancel(NULL, NULL, -ECANCELED));
	NULL_DOES(madkit_dispatcher_end(NULL, -ECANCELED));
	NULL_IS(madkit_dispatcher_outstanding(NULL), 0);
	NULL_DOES(madkit_dispatcher_count(NULL, &counts));
	if (!madkit_dispatcher_new(port, NULL, &d)) {
		NULL_IS(madkit_dispatcher_post(d, NULL), -EINVAL);
		NULL_IS(madkit_dispatcher_post(d, &job), -EINVAL);
		NULL_IS(madkit_dispatcher_agent(d, NULL, &other, NULL), -EINVAL);
		madkit_dispatcher_free(d);
	}
}

static void null_traces(void)
{
	uint64_t lost, unread;

	NULL_IS(madkit_trace_open(NULL, NULL), -EINVAL);
	NULL_IS(madkit_trace_close(NULL), 0);
	NULL_IS(madkit_trace_stop(NULL, &lost, &unread), -EINVAL);
	NULL_IS(madkit_trace_fd(NULL), -EINVAL);
	NULL_IS(madkit_trace_process(NULL, (madkit_trace_handler)abort, NULL), -EINVAL);
	NULL_IS(madkit_trace_lost(NULL), 0);
}

static void null_surveys(void)
{
	const struct madkit_survey_attr attr = { .mgmt_class = MADKIT_CLASS_PERF };
	const struct madkit_survey_port port = { 0 };
	struct madkit_survey_counts counts;
	struct madkit_survey *survey;

	NULL_IS(madkit_survey_new(NULL, &attr, &survey), -EINVAL);
	NULL_DOES(madkit_survey_free(NULL));
	NULL_IS(madkit_survey_step(NULL, 0), -EINVAL);
	NULL_DOES(madkit_survey_end(NULL));
	NULL_DOES(madkit_survey_count(NULL, &counts));
	null_note("madkit_survey_at");
	is_u64(madkit_survey_at(NULL, 0), SIZE_MAX, "X6: no target of no survey");
	NULL_IS_NULL(madkit_survey_record(NULL));
	NULL_IS_NULL(madkit_survey_message(NULL));
	NULL_DOES(madkit_survey_release(NULL, NULL));
	NULL_IS_NULL(madkit_survey_left_out(NULL, &port, NULL, 0));
	NULL_IS_NULL(madkit_survey_no_lid(NULL, &port));
}

static void null_counters(void)
{
	struct madkit_message message = { .mad = NULL };
	struct madkit_counters *counters;
	struct madkit_reading reading;

	is_int(madkit_counters_new(NULL, 0, &counters), -EINVAL, "X6: counters of no attribute");
	is_int(madkit_reading_take(&reading, NULL, 0), -EINVAL, "X6: a reading of no message");
	is_int(madkit_reading_take(NULL, &message, 0), -EINVAL, "X6: no reading");
	madkit_counters_free(NULL);
}

/* Every exported function of these nouns has been called above. The others make an object of numbers only. */
static void null_complete(void)
{
	static const char *const nouns[] = { "agent", "dispatcher", "name_map", "names", "node",    "port",
					     "ports", "recv",       "redirect", "reply", "request", "resolve",
					     "send",  "snoop",      "survey",   "trace" };
	static const char others[] = " madkit_send_new madkit_send_request ";
	const char *top = getenv("top_srcdir");
	unsigned int n = 0, missing = 0;
	char path[4096], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/lib/libmadkit.sym", top ? top : ".");
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		char name[128], word[140];

		if (sscanf(line, " madkit_%120[a-z_];", name) != 1)
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(nouns); i++) {
			size_t len = strlen(nouns[i]);

			if (strncmp(name, nouns[i], len) || (name[len] && name[len] != '_'))
				continue;
			n++;
			snprintf(word, sizeof(word), " madkit_%s ", name);
			if (!strstr(null_tested, word) && !strstr(others, word)) {
				printf("# madkit_%s is not tested\n", name);
				missing++;
			}
		}
	}
	if (file)
		fclose(file);
	ok(n > 60 && !missing, "X6: each of %u functions for ports, agents and requests is tested with NULL",
	   n);
}

static void null_all(void)
{
	struct fake *fake = fake_new();
	struct madkit_port *port = fake_port(fake);
	struct madkit_agent *agent = fake_agent(port, MADKIT_CLASS_PERF, 0, NULL, NULL, NULL);
	struct madkit_send *send = fake_get(MADKIT_CLASS_PERF, 0x12, 100, 0);

	null_ports(port, madkit_port_get_info(port));
	null_agents(port, agent, send);
	null_queries(port, send);
	null_dispatchers(port, send);
	null_traces();
	null_surveys();
	null_counters();
	is_u64(fake->nsent, 0, "X6: nothing was sent");
	null_complete();
	madkit_send_free(send);
	madkit_port_close(port);
}

/* ---- objects that have ended ---------------------------------------------------------------- */

static struct {
	struct madkit_send *spare;
	unsigned int calls;
	int post, list, cancel, modify, request, process;
	size_t outstanding;
	bool same_port;
} ended;

/* Everything that a handler may try with its agent, which it has ended, and with the port. */
static void try_all(struct madkit_agent *agent)
{
	struct madkit_port *port = madkit_agent_port(agent);
	struct madkit_reply reply;

	ended.calls++;
	madkit_agent_unregister(agent);
	madkit_agent_unregister(agent);
	ended.post = madkit_agent_post(agent, ended.spare);
	ended.list = madkit_agent_post_list(agent, ended.spare, NULL);
	ended.cancel = madkit_agent_cancel(agent, ended.spare);
	ended.modify = madkit_agent_modify(agent, ended.spare, 100);
	ended.request = madkit_request(agent, ended.spare, UINT64_MAX, &reply);
	ended.process = madkit_port_process(port);
	ended.outstanding = madkit_agent_outstanding(agent);
	ended.same_port = madkit_agent_port(agent) == port && madkit_agent_get_attr(agent)->mgmt_class;
	madkit_port_close(port);
}

static void misuse_on_sent(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	(void)status;
	try_all(agent);
	madkit_send_free(send);
}

static void misuse_on_received(struct madkit_agent *agent, struct madkit_recv *recv)
{
	try_all(agent);
	madkit_recv_free(recv);
}

static void misuse_is_refused(const char *where)
{
	is_u64(ended.calls, 1, "ended: %s is called once", where);
	is_int(ended.post, -ENODEV, "ended: %s: the agent posts nothing more", where);
	is_int(ended.list, -ENODEV, "ended: %s: ... no list", where);
	is_int(ended.cancel, -ENOENT, "ended: %s: ... cancels nothing", where);
	is_int(ended.modify, -ENOENT, "ended: %s: ... modifies nothing", where);
	is_int(ended.request, -EBUSY, "ended: %s: ... requests nothing", where);
	is_int(ended.process, -EBUSY, "ended: %s: the port processes nothing", where);
	ok(!ended.outstanding && ended.same_port, "ended: %s: the agent can still be read", where);
}

static void ended_agents(void)
{
	struct fake *fake = fake_new();
	bool closed = false;
	struct madkit_port *port = fake_port(fake);
	struct madkit_agent *agent = fake_agent(port, MADKIT_CLASS_PERF, 0, misuse_on_sent, NULL, NULL);
	uint8_t mad[256] = { 1, MADKIT_CLASS_PERF, 1, MADKIT_METHOD_GET };
	const struct madkit_addr from = { .lid = 7, .qp = 1 };

	fake->closed_flag = &closed;
	ended.spare = fake_get(MADKIT_CLASS_PERF, 0x12, 100, 0);
	ended.calls = 0;
	is_int(madkit_agent_post(agent, fake_get(MADKIT_CLASS_PERF, 0x12, 100, 0)), 0, "ended: a request");
	fake_advance(fake, 1000);
	madkit_port_process(port);
	misuse_is_refused("the send handler");

	ended.calls = 0;
	agent = fake_agent(port, MADKIT_CLASS_PERF, 0, NULL, misuse_on_received, NULL);
	fake_arrive(fake, 0, madkit_agent_id(agent), &from, mad, sizeof(mad), 0);
	madkit_port_process(port);
	misuse_is_refused("the receive handler");

	ended.calls = 0;
	agent = fake_agent(port, MADKIT_CLASS_PERF, 0, misuse_on_sent, NULL, NULL);
	is_int(madkit_agent_post(agent, fake_get(MADKIT_CLASS_PERF, 0x12, 100, 0)), 0, "ended: a request");
	madkit_agent_unregister(agent);
	misuse_is_refused("the send handler of a send that is cancelled");

	ended.calls = 0;
	agent = fake_agent(port, MADKIT_CLASS_PERF, 0, misuse_on_sent, NULL, NULL);
	is_int(madkit_agent_post(agent, fake_get(MADKIT_CLASS_PERF, 0x12, 100, 0)), 0, "ended: a request");
	ok(!closed, "ended: no handler has closed the port");
	madkit_port_close(port);
	misuse_is_refused("the send handler of a port that is closed");
	ok(closed, "ended: the port is closed once");
	madkit_send_free(ended.spare);
}

int main(void)
{
	null_objects();
	null_errors();
	null_sends();
	null_all();
	ended_agents();
	return tap_done();
}
