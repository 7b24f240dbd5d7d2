// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Ports, agents and sends of a case, which end with it. */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>

#include "tests/conformance/conformance.h"

__attribute__((format(printf, 4, 0))) static void end_complain(struct run *r, const char *file, int line,
							       const char *format, va_list args)
{
	r->failed = true;
	printf("# %s:%d: ", file, line);
	vprintf(format, args);
	putchar('\n');
}

bool check_at(struct run *r, bool good, const char *file, int line, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (!good)
		end_complain(r, file, line, format, args);
	va_end(args);
	return good;
}

bool equal_at(struct run *r, uint64_t got, uint64_t want, const char *file, int line, const char *format, ...)
{
	va_list args;

	if (got == want)
		return true;
	va_start(args, format);
	end_complain(r, file, line, format, args);
	va_end(args);
	printf("#   got 0x%" PRIx64 " (%" PRId64 "), wanted 0x%" PRIx64 " (%" PRId64 ")\n", got, (int64_t)got,
	       want, (int64_t)want);
	return false;
}

void give_up(struct run *r)
{
	longjmp(r->out, 1);
}

static void clean_up(struct run *r)
{
	/* the first two places are the sides', whether they were opened or not */
	for (unsigned int i = 0; i < r->nports; i++)
		madkit_port_close(r->port[i]);
	case_server_end(r);
	for (unsigned int i = 0; i < r->nends; i++) {
		for (unsigned int n = 0; n < KEPT_MAX; n++)
			madkit_recv_free(r->end[i]->recv[n]);
		free(r->end[i]);
	}
	for (unsigned int i = 0; i < r->nsends; i++)
		madkit_send_free(r->send[i]);
	r->nports = 2;
	r->port[HERE] = r->port[THERE] = NULL;
	r->nends = r->nsends = 0;
}

bool run_test(struct run *r, const struct test *test)
{
	r->failed = false;
	r->arg = test->arg;
	r->nports = 2;
	if (!setjmp(r->out))
		test->run(r);
	clean_up(r);
	return !r->failed;
}

struct madkit_port *another_port(struct run *r, enum side side)
{
	struct madkit_port *port = NULL;
	struct madkit_error error;
	int ret;

	need(r, r->device[side], "there is a device for the other side");
	need(r, r->nports < PORTS_MAX, "room for a port");
	ret = madkit_port_open(r->device[side], &port, &error);
	need(r, ret == 0, "%s: %s", r->device[side], error.text);
	r->port[r->nports++] = port;
	return port;
}

struct madkit_port *port_of(struct run *r, enum side side)
{
	if (!r->port[side]) {
		r->port[side] = another_port(r, side);
		r->nports--;
	}
	return r->port[side];
}

static void end_on_send(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	struct end *end = madkit_agent_context(agent);

	(void)send;
	end->ended++;
	end->status = status;
}

static void end_on_recv(struct madkit_agent *agent, struct madkit_recv *recv)
{
	struct end *end = madkit_agent_context(agent);

	if (end->came < KEPT_MAX)
		end->recv[end->came] = recv;
	else
		madkit_recv_free(recv);
	end->came++;
}

struct end *take_on(struct run *r, struct madkit_port *port, enum side side,
		    const struct madkit_agent_attr *wanted)
{
	struct madkit_agent_attr attr = *wanted;
	struct madkit_refusal refusal;
	struct end *end;

	need(r, r->nends < ENDS_MAX, "room for an agent");
	end = calloc(1, sizeof(*end));
	need(r, end, "memory");
	r->end[r->nends++] = end;
	end->side = side;
	end->port = port;
	attr.context = end;
	attr.send_handler = end_on_send;
	attr.recv_handler = end_on_recv;
	need(r, madkit_agent_register(port, &attr, &end->agent, &refusal) == 0,
	     "class 0x%02x is registered: %s", attr.mgmt_class, refusal.error.text);
	return end;
}

struct end *take(struct run *r, enum side side, const struct madkit_agent_attr *attr)
{
	return take_on(r, port_of(r, side), side, attr);
}

int attempt(struct run *r, enum side side, const struct madkit_agent_attr *attr,
	    struct madkit_refusal *refusal)
{
	struct madkit_agent *agent = NULL;
	int ret;

	memset(refusal, 0, sizeof(*refusal));
	ret = madkit_agent_register(port_of(r, side), attr, &agent, refusal);
	if (!ret)
		madkit_agent_unregister(agent);
	return ret;
}

uint64_t case_now_ms(struct run *r)
{
	return madkit_port_now(port_of(r, HERE)) / 1000000;
}

/* One port waits for itself: on ibsim no other way works. */
static int wait_for_any(struct run *r, struct madkit_port **ports, nfds_t count)
{
	struct pollfd fds[PORTS_MAX];
	uint64_t left = UINT64_C(1000000000);

	(void)r;
	if (count == 1)
		return madkit_port_wait(ports[0], 1000);
	for (nfds_t i = 0; i < count; i++) {
		uint64_t now = madkit_port_now(ports[i]), deadline = madkit_port_deadline(ports[i]);

		fds[i] = (struct pollfd){ .fd = madkit_port_fd(ports[i]), .events = POLLIN };
		if (deadline <= now)
			left = 0;
		else if (deadline - now < left)
			left = deadline - now;
	}
	return poll(fds, count, (int)((left + 999999) / 1000000));
}

void drive(struct run *r, const unsigned int *counter, unsigned int wanted)
{
	uint64_t until = case_now_ms(r) + PATIENCE;

	while (*counter < wanted) {
		struct madkit_port *ports[PORTS_MAX];
		nfds_t count = 0;
		int ret = 0;

		for (unsigned int i = 0; i < r->nports; i++)
			if (r->port[i])
				ports[count++] = r->port[i];
		for (nfds_t i = 0; i < count; i++) {
			int done = madkit_port_process(ports[i]);

			need(r, done >= 0, "madkit_port_process: %s", strerror(-done));
			ret += done;
		}
		if (!ret)
			ret = wait_for_any(r, ports, count);
		need(r, ret >= 0 || ret == -EINTR, "waiting: %s", strerror(errno));
		need(r, case_now_ms(r) < until, "in time: %u of %u came", *counter, wanted);
	}
}

void await(struct run *r, struct madkit_port *port)
{
	need(r, madkit_port_wait(port, PATIENCE) == 1, "something comes to the port");
}

struct madkit_addr address_of(struct run *r, enum side side)
{
	const struct madkit_port_info *info = madkit_port_get_info(port_of(r, side));
	struct madkit_addr addr = { .qp = 1, .lid = info->lid };

	if (info->link_layer == MADKIT_LINK_ETHERNET) {
		addr.lid = 0;
		addr.grh = true;
		addr.hop_limit = 64;
		put_be(addr.gid, 8, info->gid_prefix);
		put_be(addr.gid + 8, 8, info->port_guid);
	}
	return addr;
}

struct madkit_send *new_send(struct run *r, size_t len, const struct madkit_header *h,
			     const struct madkit_addr *to)
{
	struct madkit_send *send;

	need(r, r->nsends < SENDS_MAX, "room for a send");
	send = madkit_send_new(len);
	need(r, send, "a send of %zu bytes", len);
	r->send[r->nsends++] = send;
	madkit_header_put(send->mad, len, h);
	send->to = *to;
	send->timeout_ms = PATIENCE / 2;
	return send;
}

void post(struct run *r, struct end *end, struct madkit_send *send)
{
	int ret = madkit_agent_post(end->agent, send);

	need(r, ret == 0, "madkit_agent_post: %s", strerror(-ret));
}

const struct madkit_recv *ask(struct run *r, struct end *end, struct madkit_send *send)
{
	unsigned int came = end->came;

	post(r, end, send);
	drive(r, &end->ended, end->ended + 1);
	return end->came > came ? latest(r, end) : NULL;
}

const struct madkit_recv *latest(struct run *r, const struct end *end)
{
	need(r, end->came && end->came <= KEPT_MAX, "a MAD that was kept");
	return end->recv[end->came - 1];
}

struct madkit_send *response_to(struct run *r, const struct madkit_recv *recv)
{
	struct madkit_header h;
	struct madkit_send *send;

	need(r, madkit_header_get(recv->mad, recv->len, &h) == 0, "a MAD with a header");
	h.method |= MADKIT_METHOD_RESPONSE;
	send = new_send(r, recv->len, &h, &recv->from);
	memcpy(send->mad, recv->mad, recv->len);
	madkit_header_put(send->mad, send->len, &h);
	send->timeout_ms = 0;
	return send;
}
