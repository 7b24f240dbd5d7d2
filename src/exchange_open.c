/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All that comes before a request is sent. */
#include <string.h>
#include "exchange.h"

enum { CAP_MASK_SM_DISABLED = 1 << 10 }; /* IsSMDisabled of CapabilityMask */

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
	    x->info->cap_mask & CAP_MASK_SM_DISABLED)
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
