/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "listen.h"

int listen_attributes(const struct cli_options *o, struct madkit_agent_attr *attr)
{
	bool rmpp = madkit_class_is_rmpp(o->mgmt_class);
	struct madkit_error error = { .text = "" };

	*attr = (struct madkit_agent_attr){
		.mgmt_class = o->mgmt_class,
		.class_version = o->class_version,
		.oui = o->oui,
		.rmpp_version = rmpp && o->rmpp != RMPP_NONE ? MADKIT_RMPP_VERSION : 0,
	};
	if (o->rmpp == RMPP_KERNEL && !rmpp)
		return cli_usage_error("class 0x%02x carries no RMPP: --rmpp none",
				       o->mgmt_class);
	if (o->methods) {
		if (cli_parse_methods(o->mgmt_class, o->methods, attr->method_mask,
				      &error))
			return cli_usage_error("%s", error.text);
		return EXIT_DONE;
	}
	for (uint8_t m = 1; m < MADKIT_METHOD_RESPONSE; m++)
		if (madkit_method_name(o->mgmt_class, m))
			madkit_method_mask_set(attr->method_mask, m);
	return EXIT_DONE;
}

int listen_register(struct madkit_port *port, const struct madkit_agent_attr *attr,
		    struct madkit_agent **agent)
{
	struct madkit_refusal refusal = { .cause = MADKIT_REFUSAL_NONE };
	int ret = madkit_agent_register(port, attr, agent, &refusal);

	if (!ret)
		return EXIT_DONE;
	cli_say("%s (madreg tells more)",
		refusal.error.text[0] ? refusal.error.text : strerror(-ret));
	return EXIT_LOCAL;
}

int listen_slice_ms(struct madkit_port *port, uint64_t deadline_ns)
{
	uint64_t now = madkit_port_now(port), left;

	if (now >= deadline_ns)
		return 0;
	left = (deadline_ns - now + 999999) / 1000000;
	return left < CLI_SLICE_MS ? (int)left : CLI_SLICE_MS;
}

int listen_wait(struct madkit_port *port, uint64_t deadline_ns)
{
	int ms = listen_slice_ms(port, deadline_ns), ret;

	if (cli_stopped())
		return 0;
	ret = madkit_port_wait(port, ms);
	if (ret > 0)
		ret = madkit_port_process(port);
	else if (!ret)
		return ms > 0;
	if (ret < 0 && ret != -EINTR) {
		listen_failed(port, ret);
		return ret;
	}
	return 1;
}

void listen_failed(struct madkit_port *port, int error)
{
	cli_say("%s: %s", madkit_port_get_info(port)->device,
		error == -ENODEV || error == -EIO ? "the device is gone" :
						    strerror(-error));
}

int listen_timeout(const struct cli_options *o, uint64_t received)
{
	if (o->have_count && received)
		cli_say("%" PRIu64 " of %" PRIu64 " MADs came in %" PRId64 " ms",
			received, o->count, o->deadline_ms);
	else
		cli_say("no MAD came in %" PRId64 " ms", o->deadline_ms);
	return EXIT_TIMEOUT;
}
