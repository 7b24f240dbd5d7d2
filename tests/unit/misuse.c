/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* NULL where it is allowed, and objects that have ended. */
#include <errno.h>
#include <madkit/madkit.h>
#include "tests/tap.h"
#include "tests/unit/fake_transport.h"

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
	ok(madkit_field_parse(&layout->fields[0], "x", 1, &number, NULL) < 0, "NULL: the value of a field");
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
	ended_agents();
	return tap_done();
}
