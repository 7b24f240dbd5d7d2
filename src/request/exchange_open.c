/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All that comes before a request is sent. */
#include <errno.h>
#include <string.h>
#include "exchange.h"
#include "cli/wait.h"

/* SMPs need QP0. The default port of a planarized host has it on another device. */
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
	char buf[128];
	const char *spec = cli_device(options, buf);
	int status = exchange_find_port(x, options, out, spec);

	if (!status && !spec && madkit_class_is_smi(mgmt_class) && !strncmp(x->info->device, "umad:", 5) &&
	    x->info->cap_mask & EXCHANGE_NO_QP0)
		status = exchange_find_qp0(x, options, out);
	return status ? status : exchange_set_up_port(x);
}

int exchange_open(struct exchange *x, const struct cli_options *options, struct output *out,
		  struct request *r)
{
	int status;

	memset(x, 0, sizeof(*x));
	if (options->ndevices > 1)
		return cli_usage_error("more than one --device: also '%s'", options->devices[1]);
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
	if (n > 1 && o->deadline_ms > 0) {
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
	if (x->options->ndevices < 2 || !status || status >= EXIT_SIGNAL ||
	    (x->error != -EINTR && x->error != -ETIMEDOUT))
		return status;
	return exchange_fail(x, EXIT_LOCAL, -ETIME, "its server did not respond within %.3f s",
			     (double)(wait_elapsed_ns() - begins_ns) / 1e9);
}
