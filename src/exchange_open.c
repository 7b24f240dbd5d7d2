/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All that comes before a request is sent. */
#include <string.h>
#include "exchange.h"

int exchange_open(struct exchange *x, const struct cli_options *options, struct output *out,
		  struct request *r)
{
	char spec[128];
	int status;

	memset(x, 0, sizeof(*x));
	if (options->ndevices > 1)
		return cli_usage_error("more than one --device: also '%s'", options->devices[1]);
	status = exchange_open_port(x, options, out, cli_device(options, spec));
	if (!status && r)
		status = exchange_address(x, r);
	if (!status && r)
		status = exchange_agent(x, r, &x->agent);
	if (!status && r)
		exchange_timeout(x, r);
	return exchange_report(x, r, status);
}
