/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sim/fabric/fabric.h"
#include "sim/fabric/tally.h"
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

/* As hardware_name() numbers them. */
struct hardware {
	struct tally counts[ARRAY_SIZE(names)];
};

uint64_t hardware_get(struct fabric *f, const struct port *port, unsigned int which)
{
	const struct hardware *hardware = port->end->hardware;

	return hardware ? tally_total(&hardware->counts[which], f->now) : 0;
}

/* 0 with *tally; -ENOENT, -ENOMEM. */
static int hardware_find(struct fabric *f, struct port *port, const char *name, struct tally **tally)
{
	unsigned int which = 0;

	while (which < ARRAY_SIZE(names) && strcmp(names[which], name))
		which++;
	if (which == ARRAY_SIZE(names) || !port->end || is_switch(&f->nodes[port->node]))
		return -ENOENT;
	if (!port->end->hardware)
		port->end->hardware = calloc(1, sizeof(*port->end->hardware));
	if (!port->end->hardware)
		return -ENOMEM;
	*tally = &port->end->hardware->counts[which];
	return 0;
}

int hardware_set(struct fabric *f, struct port *port, const char *name, uint64_t value)
{
	struct tally *tally;
	int ret = hardware_find(f, port, name, &tally);

	if (ret)
		return ret;
	tally->total = value;
	tally->since = f->now;
	return 0;
}

int hardware_set_rate(struct fabric *f, struct port *port, const char *name, uint64_t rate)
{
	struct tally *tally;
	int ret = hardware_find(f, port, name, &tally);

	if (!ret)
		tally_set_rate(tally, f->now, rate, TALLY_MILLIONTHS, 1);
	return ret;
}
