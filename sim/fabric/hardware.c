/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters of the hardware of a port, as the files of sysfs show them. */
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

enum {
	TICK_MS = 4,  /* CONFIG_HZ=250 */
	LIFESPAN = 3, /* in ticks: RDMA_HW_STATS_DEFAULT_LIFESPAN, 10 ms */
};

/* Arrays of counters are in the order of names[]. */
struct hardware {
	struct tally counts[ARRAY_SIZE(names)];
	/* the copy that files show, and the tick at which it was made */
	uint64_t shown[ARRAY_SIZE(names)];
	uint64_t tick;
	bool is_shown;
	unsigned int lifespan[2]; /* in ticks; [1]: the RoCE device */
};

static uint64_t hardware_count(const struct fabric *f, const struct hardware *hardware, unsigned int which)
{
	return tally_total(&hardware->counts[which], f->now);
}

uint64_t hardware_get(struct fabric *f, const struct port *port, unsigned int which)
{
	return port->end->hardware ? hardware_count(f, port->end->hardware, which) : 0;
}

uint64_t hardware_shown(struct fabric *f, const struct port *port, unsigned int which)
{
	struct hardware *hardware = port->end->hardware;
	uint64_t tick = f->now / (TICK_MS * NS_PER_MS);

	if (!hardware)
		return 0;
	if (!hardware->is_shown || tick > hardware->tick + hardware->lifespan[0]) {
		for (unsigned int i = 0; i < ARRAY_SIZE(names); i++)
			hardware->shown[i] = hardware_count(f, hardware, i);
		hardware->tick = tick;
		hardware->is_shown = true;
	}
	return hardware->shown[which];
}

/* Returns NULL if out of memory. */
static struct hardware *hardware_make(struct port *port)
{
	struct hardware *hardware = port->end->hardware;

	if (hardware)
		return hardware;
	hardware = calloc(1, sizeof(*hardware));
	if (hardware)
		hardware->lifespan[0] = hardware->lifespan[1] = LIFESPAN;
	return port->end->hardware = hardware;
}

/* Returns 0 and sets *tally; -ENOENT; -ENOMEM. */
static int hardware_find(struct fabric *f, struct port *port, const char *name, struct tally **tally)
{
	unsigned int which = 0;

	while (which < ARRAY_SIZE(names) && strcmp(names[which], name))
		which++;
	if (which == ARRAY_SIZE(names) || !port->end || is_switch(&f->nodes[port->node]))
		return -ENOENT;
	if (!hardware_make(port))
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
	port->end->hardware->is_shown = false;
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

unsigned int hardware_lifespan(const struct port *port, bool roce)
{
	return TICK_MS * (port->end->hardware ? port->end->hardware->lifespan[roce] : LIFESPAN);
}

int hardware_set_lifespan(struct port *port, bool roce, unsigned int ms)
{
	struct hardware *hardware = hardware_make(port);

	if (!hardware)
		return -ENOMEM;
	hardware->lifespan[roce] = (ms + TICK_MS - 1) / TICK_MS;
	return 0;
}
