/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The steps before a request is sent: port, address, agent and timeout. */
#include <errno.h>
#include <string.h>
#include <madkit/cpi.h>
#include "exchange.h"
#include "cli/wait.h"

/* Opens the port with QP0, which SMPs need. The default port of a planarized host has QP0 on another
 * device. */
static int exchange_find_qp0(struct exchange *x, const struct cli_options *options, struct output *out)
{
	const struct madkit_port_info *partner = NULL;
	struct madkit_port_info *ports = NULL;
	char device[sizeof(partner->device)];
	size_t count;

	if (!madkit_ports_list(&ports, &count, NULL))
		partner = madkit_port_partner(x->info, ports, count);
	if (partner)
		memcpy(device, partner->device, sizeof(device));
	madkit_ports_free(ports);
	if (!partner)
		return EXIT_DONE;
	exchange_close(x);
	return exchange_find_port(x, options, out, device);
}

int exchange_open_class(struct exchange *x, const struct cli_options *options, struct output *out,
			uint8_t mgmt_class)
{
	char buf[CLI_DEVICE_MAX];
	const char *spec = cli_device(options, buf);
	int status = exchange_find_port(x, options, out, spec);

	if (!status && !spec && madkit_class_is_smi(mgmt_class) && !strncmp(x->info->device, "umad:", 5) &&
	    x->info->cap_mask & EXCHANGE_NO_QP0)
		status = exchange_find_qp0(x, options, out);
	return status ? status : exchange_set_up_port(x);
}

/* ---- how long a table may take ------------------------------------------------------- */

/* a table may take this many response times */
enum { RESPONSES = 8 };

/* Responses to these methods always have RMPP. */
static bool exchange_is_table(const struct request *r)
{
	return r->header.method == MADKIT_METHOD_GET_TABLE ||
	       r->header.method == MADKIT_METHOD_GET_TRACE_TABLE ||
	       r->header.method == MADKIT_METHOD_GET_MULTI;
}

static struct madkit_send *exchange_cpi_request(const struct exchange *x, const struct request *r)
{
	struct madkit_header header = {
		.base_version = r->header.base_version,
		.mgmt_class = r->header.mgmt_class,
		.class_version = r->header.class_version,
		.method = MADKIT_METHOD_GET,
		.attribute = MADKIT_ATTR_CLASS_PORT_INFO,
	};
	struct madkit_send *send = madkit_send_new(madkit_mad_bytes(header.base_version));

	if (!send)
		return NULL;
	madkit_header_put(send->mad, send->len, &header);
	/* a vendor class: the OUI selects the agent */
	if (r->vendor2)
		memcpy(send->mad + MADKIT_VENDOR2_OUI, r->mad + MADKIT_VENDOR2_OUI,
		       MADKIT_VENDOR2_DATA - MADKIT_VENDOR2_OUI);
	send->to = r->to;
	send->timeout_ms = x->options->timing.timeout_ms;
	return send;
}

/*
 * For a table that the kernel reassembles, unless the user has set a timeout: sets a timeout that is long
 * enough for the responder, whose ClassPortInfo contains its response time. The kernel's timeout covers the
 * whole table, and the kernel resends the request in the middle of a response that takes longer.
 */
static void exchange_timeout(struct exchange *x, const struct request *r)
{
	size_t data = madkit_class_data_offset(r->header.mgmt_class);
	struct madkit_reply reply = { .recv = NULL };
	struct madkit_send *send;
	struct madkit_header h;

	if (!exchange_is_table(r) || r->rmpp != RMPP_KERNEL || x->options->timing.have_timeout)
		return;
	send = exchange_cpi_request(x, r);
	/* without a response, the request itself will fail */
	if (send && !madkit_request(x->agent, send, x->time.deadline_ns, &reply) && reply.recv &&
	    reply.recv->len >= data + MADKIT_CPI_BYTES &&
	    !madkit_header_get(reply.recv->mad, reply.recv->len, &h) && !h.status) {
		uint8_t resp_time = madkit_cpi_get_resp_time(reply.recv->mad + data);
		uint64_t ms = x->time.timeout_ms + RESPONSES * madkit_cpi_resp_time_us(resp_time) / 1000;

		x->time.timeout_ms = ms < INT32_MAX ? (uint32_t)ms : INT32_MAX;
	}
	madkit_recv_free(reply.recv);
	madkit_send_free(send);
	if (x->out->debug)
		cli_insist("the table may take %u ms", x->time.timeout_ms);
}

/* ---- the whole ------------------------------------------------------------------------ */

int exchange_open(struct exchange *x, const struct cli_options *options, struct output *out,
		  struct request *r)
{
	int status;

	memset(x, 0, sizeof(*x));
	if (options->port.ndevices > 1)
		return cli_usage_error("more than one --device: also '%s'", options->port.devices[1]);
	status = exchange_open_class(x, options, out, r ? r->header.mgmt_class : 0);
	if (!status && r)
		status = exchange_address(x, r);
	if (!status && r)
		status = exchange_agent(x, r, &x->agent);
	if (!status && r)
		exchange_timeout(x, r);
	return exchange_report(x, r, status);
}

enum { EXCHANGE_SERVER_MS = 2000 };

uint64_t exchange_limit_calls(const struct cli_options *o, size_t i, size_t n)
{
	uint64_t ns = EXCHANGE_SERVER_MS * NS_PER_MS, now = wait_now(), share;

	/* a deadline of 0 does not limit the opening of a port */
	if (n > 1 && o->timing.deadline_ms > 0) {
		share = wait_deadline_ns() > now ? (wait_deadline_ns() - now) / (n - i + 1) : 0;
		ns = share < ns ? share : ns;
	}
	if (n > 1)
		wait_calls_end(now + ns);
	return wait_elapsed_ns();
}

int exchange_unlimit_calls(struct exchange *x, int status, uint64_t begins_ns)
{
	wait_calls_end_put(UINT64_MAX);
	if (x->options->port.ndevices < 2 || !status || status >= EXIT_SIGNAL ||
	    (x->failure.error != -EINTR && x->failure.error != -ETIMEDOUT))
		return status;
	return exchange_fail(x, EXIT_LOCAL, -ETIME, "its server did not respond within %.3f s",
			     (double)(wait_elapsed_ns() - begins_ns) / 1e9);
}
