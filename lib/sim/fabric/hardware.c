/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sim/fabric/fabric.h"
#include "util/array_size.h"

static const char *const names[] = {
	"duplicate_request",
	"implied_nak_seq_err",
	"local_ack_timeout_err",
	"out_of_buffer",
	"out_of_sequence",
	"packet_seq_err",
	"req_cqe_error",
	"req_cqe_flush_error",
	"req_remote_access_errors",
	"req_remote_invalid_request",
	"resp_cqe_error",
	"resp_cqe_flush_error",
	"resp_local_length_error",
	"resp_remote_access_errors",
	"rnr_nak_retry_err",
	"rx_atomic_requests",
	"rx_dct_connect",
	"rx_icrc_encapsulated",
	"rx_read_requests",
	"rx_write_requests",
};

const char *hardware_name(unsigned int which)
{
	return which < ARRAY_SIZE(names) ? names[which] : NULL;
}

uint64_t hardware_get(const struct port *port, unsigned int which)
{
	return port->end->hardware ? port->end->hardware[which] : 0;
}

static unsigned int hardware_find(const char *name)
{
	unsigned int which = 0;

	while (which < ARRAY_SIZE(names) && strcmp(names[which], name))
		which++;
	return which;
}

bool hardware_is_name(const char *name)
{
	return hardware_find(name) < ARRAY_SIZE(names);
}

int hardware_set(struct fabric *f, struct port *port, const char *name, uint64_t value)
{
	unsigned int which = hardware_find(name);

	if (which == ARRAY_SIZE(names) || !port->end || is_switch(&f->nodes[port->node]))
		return -ENOENT;
	if (!port->end->hardware)
		port->end->hardware = calloc(ARRAY_SIZE(names), sizeof(*port->end->hardware));
	if (!port->end->hardware)
		return -ENOMEM;
	port->end->hardware[which] = value;
	return 0;
}
