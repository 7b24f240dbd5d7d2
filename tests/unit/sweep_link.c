/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The widths and speeds of a port, compared with opensm's ib_types.h. */
#include <iba/ib_types.h>
#include "sweep/link.h"
#include "tests/tap.h"
#include "topology/topology.h"
#include "util/array_size.h"
#include "wire/access.h"

#define PUT(name, value) field_put(MADKIT_PORT_INFO_##name, port->info, value)

/* An active port of a CA: 4xSDR, all else 0. */
static void port_make(struct madkit_sweep_node *node, struct madkit_sweep_port *ports)
{
	struct madkit_sweep_port *port = &ports[1];

	memset(ports, 0, 2 * sizeof(*ports));
	*node = (struct madkit_sweep_node){ .type = TOPOLOGY_CA, .nports = 1, .ports = ports };
	port->state = port->wide = port->extended = MADKIT_SWEEP_ANSWERED;
	PUT(LINK_STATE, 4);
	PUT(LINK_WIDTH_ACTIVE, 2);
	PUT(LINK_SPEED_ACTIVE, 1);
}

static void allow_extended(struct madkit_sweep_port *port)
{
	PUT(CAP_MASK,
	    MADKIT_CAP_MASK_IS_EXTENDED_SPEEDS_SUPPORTED | MADKIT_CAP_MASK_IS_CAPABILITY_MASK2_SUPPORTED);
	PUT(CAPABILITY_MASK2, MADKIT_CAP_MASK2_IS_EXTENDED_SPEEDS2_SUPPORTED);
}

/* ---- the rate of the link --------------------------------------------------------------- */

/* In units of 100 Mbit/s. */
static unsigned int rate_of_code(uint8_t code)
{
	static const struct {
		uint8_t code;
		unsigned int rate;
	} codes[] = {
		{ IB_PATH_RECORD_RATE_2_5_GBS, 25 },   { IB_PATH_RECORD_RATE_10_GBS, 100 },
		{ IB_PATH_RECORD_RATE_30_GBS, 300 },   { IB_PATH_RECORD_RATE_5_GBS, 50 },
		{ IB_PATH_RECORD_RATE_20_GBS, 200 },   { IB_PATH_RECORD_RATE_40_GBS, 400 },
		{ IB_PATH_RECORD_RATE_60_GBS, 600 },   { IB_PATH_RECORD_RATE_80_GBS, 800 },
		{ IB_PATH_RECORD_RATE_120_GBS, 1200 }, { IB_PATH_RECORD_RATE_14_GBS, 140 },
		{ IB_PATH_RECORD_RATE_56_GBS, 560 },   { IB_PATH_RECORD_RATE_112_GBS, 1120 },
		{ IB_PATH_RECORD_RATE_168_GBS, 1680 }, { IB_PATH_RECORD_RATE_25_GBS, 250 },
		{ IB_PATH_RECORD_RATE_100_GBS, 1000 }, { IB_PATH_RECORD_RATE_200_GBS, 2000 },
		{ IB_PATH_RECORD_RATE_300_GBS, 3000 }, { IB_PATH_RECORD_RATE_28_GBS, 280 },
		{ IB_PATH_RECORD_RATE_50_GBS, 500 },   { IB_PATH_RECORD_RATE_400_GBS, 4000 },
		{ IB_PATH_RECORD_RATE_600_GBS, 6000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if (codes[i].code == code)
			return codes[i].rate;
	return 0;
}

/* SDR to HDR at each width: ib_types.h knows no more. */
static void rates_as_opensm(void)
{
	static const unsigned int widths[] = { 1, 2, 4, 8, 16 };
	struct madkit_sweep_port ports[2], *port = &ports[1];
	struct madkit_sweep_node node;
	struct link_rates rates;
	unsigned int bad = 0, count = 0;

	for (size_t w = 0; w < ARRAY_SIZE(widths); w++)
		for (unsigned int s = 0; s < 6; s++) {
			const ib_port_info_t *info = (const ib_port_info_t *)port->info;
			bool extended = s > 2;
			unsigned int want;

			port_make(&node, ports);
			allow_extended(port);
			PUT(LINK_WIDTH_ACTIVE, widths[w]);
			PUT(LINK_SPEED_ACTIVE, extended ? 4 : 1u << s);
			PUT(LINK_SPEED_EXT_ACTIVE, extended ? 1u << (s - 3) : 0);
			want = rate_of_code(ib_port_info_compute_rate(info, extended));
			link_rates_get(&node, 1, &rates);
			if (topology_lanes(rates.width) * topology_lane_rate(rates.speed) != want) {
				printf("# width %u, speed %u: %x %x, %u\n", widths[w], s, rates.width,
				       rates.speed, want);
				bad++;
			}
			count++;
		}
	is_u64(count, 30, "widths and speeds");
	is_u64(bad, 0, "... with the rates of ib_types.h");
}

/* ---- values of the fields --------------------------------------------------------------- */

enum { IS_SWITCH = 1, NO_EXTENDED = 2, NO_EXTENDED2 = 4, BASE_SILENT = 8, BASE_ONLY = 16 };

static const struct {
	const char *what;
	unsigned int how;
	uint64_t set[6][2]; /* fields and values */
	uint8_t fdr10;
	struct link_rates want;
} link_cases[] = {
#define F(name, value) \
	{ \
		MADKIT_PORT_INFO_##name, value \
	}
	{ "SDR", 0, { F(LINK_SPEED_ACTIVE, 1) }, 0, { .width = TOPOLOGY_4X, .speed = TOPOLOGY_SDR } },
	{ "2xHDR",
	  0,
	  { F(LINK_WIDTH_ACTIVE, 16), F(LINK_SPEED_EXT_ACTIVE, 4) },
	  0,
	  { .width = TOPOLOGY_2X, .speed = TOPOLOGY_HDR } },
	{ "NDR", 0, { F(LINK_SPEED_EXT_ACTIVE, 8) }, 0, { .width = TOPOLOGY_4X, .speed = TOPOLOGY_NDR } },
	{ "XDR",
	  0,
	  { F(LINK_SPEED_ACTIVE, 0), F(LINK_SPEED_EXT_ACTIVE2, 1) },
	  0,
	  { .width = TOPOLOGY_4X, .speed = TOPOLOGY_XDR } },
	{ "unknown speed", 0, { F(LINK_SPEED_ACTIVE, 3) }, 0, { .width = TOPOLOGY_4X } },
	{ "unknown extended speed",
	  0,
	  { F(LINK_SPEED_ACTIVE, 4), F(LINK_SPEED_EXT_ACTIVE, 3) },
	  0,
	  { .width = TOPOLOGY_4X } },
	{ "the reserved value of the second extended speed",
	  0,
	  { F(LINK_SPEED_EXT_ACTIVE2, 2) },
	  0,
	  { .width = TOPOLOGY_4X, .speed = TOPOLOGY_SDR } },
	{ "unknown width", 0, { F(LINK_WIDTH_ACTIVE, 3) }, 0, { .speed = TOPOLOGY_SDR } },
	{ "down",
	  0,
	  { F(LINK_STATE, 1), F(LINK_WIDTH_SUPPORTED, 3), F(LINK_SPEED_SUPPORTED, 7) },
	  0,
	  { .widths_supported = TOPOLOGY_1X | TOPOLOGY_4X,
	    .speeds_supported = TOPOLOGY_SDR | TOPOLOGY_DDR | TOPOLOGY_QDR } },
	{ "masks",
	  0,
	  { F(LINK_WIDTH_SUPPORTED, 19), F(LINK_WIDTH_ENABLED, 2), F(LINK_SPEED_SUPPORTED, 7),
	    F(LINK_SPEED_ENABLED, 3), F(LINK_SPEED_EXT_SUPPORTED, 15), F(LINK_SPEED_EXT_ENABLED, 6) },
	  0,
	  { TOPOLOGY_4X, TOPOLOGY_4X, TOPOLOGY_1X | TOPOLOGY_2X | TOPOLOGY_4X, TOPOLOGY_SDR,
	    TOPOLOGY_SDR | TOPOLOGY_DDR | TOPOLOGY_EDR | TOPOLOGY_HDR,
	    TOPOLOGY_SDR | TOPOLOGY_DDR | TOPOLOGY_QDR | TOPOLOGY_FDR | TOPOLOGY_EDR | TOPOLOGY_HDR |
		    TOPOLOGY_NDR } },
	{ "XDR enabled and supported",
	  0,
	  { F(LINK_SPEED_EXT_SUPPORTED2, 1), F(LINK_SPEED_EXT_ENABLED2, 1) },
	  0,
	  { .width = TOPOLOGY_4X,
	    .speed = TOPOLOGY_SDR,
	    .speeds_enabled = TOPOLOGY_XDR,
	    .speeds_supported = TOPOLOGY_XDR } },
	{ "extended speeds disabled",
	  0,
	  { F(LINK_SPEED_SUPPORTED, 7), F(LINK_SPEED_ENABLED, 7), F(LINK_SPEED_EXT_SUPPORTED, 7),
	    F(LINK_SPEED_EXT_ENABLED, IB_LINK_SPEED_EXT_DISABLE) },
	  0,
	  { .width = TOPOLOGY_4X,
	    .speed = TOPOLOGY_SDR,
	    .speeds_enabled = TOPOLOGY_SDR | TOPOLOGY_DDR | TOPOLOGY_QDR,
	    .speeds_supported = TOPOLOGY_SDR | TOPOLOGY_DDR | TOPOLOGY_QDR | TOPOLOGY_FDR | TOPOLOGY_EDR |
				TOPOLOGY_HDR } },
	{ "enabled as supported",
	  0,
	  { F(LINK_WIDTH_SUPPORTED, 3), F(LINK_WIDTH_ENABLED, 255), F(LINK_SPEED_SUPPORTED, 3),
	    F(LINK_SPEED_ENABLED, IB_LINK_SPEED_SET_LSS), F(LINK_SPEED_EXT_SUPPORTED, 3),
	    F(LINK_SPEED_EXT_ENABLED, IB_LINK_SPEED_EXT_SET_LSES) },
	  0,
	  { TOPOLOGY_4X, TOPOLOGY_1X | TOPOLOGY_4X, TOPOLOGY_1X | TOPOLOGY_4X, TOPOLOGY_SDR,
	    TOPOLOGY_SDR | TOPOLOGY_DDR | TOPOLOGY_FDR | TOPOLOGY_EDR,
	    TOPOLOGY_SDR | TOPOLOGY_DDR | TOPOLOGY_FDR | TOPOLOGY_EDR } },
	{ "FDR10",
	  0,
	  { F(LINK_SPEED_ACTIVE, 4), F(LINK_SPEED_SUPPORTED, 7), F(LINK_SPEED_ENABLED, 4) },
	  MADKIT_SWEEP_FDR10_ACTIVE | MADKIT_SWEEP_FDR10_ENABLED | MADKIT_SWEEP_FDR10_SUPPORTED,
	  { .width = TOPOLOGY_4X,
	    .speed = TOPOLOGY_FDR10,
	    .speeds_enabled = TOPOLOGY_QDR | TOPOLOGY_FDR10,
	    .speeds_supported = TOPOLOGY_SDR | TOPOLOGY_DDR | TOPOLOGY_QDR | TOPOLOGY_FDR10 } },
	{ "QDR of a port that supports FDR10",
	  0,
	  { F(LINK_SPEED_ACTIVE, 4) },
	  MADKIT_SWEEP_FDR10_SUPPORTED,
	  { .width = TOPOLOGY_4X, .speed = TOPOLOGY_QDR, .speeds_supported = TOPOLOGY_FDR10 } },
	{ "FDR of a port that supports FDR10",
	  0,
	  { F(LINK_SPEED_ACTIVE, 4), F(LINK_SPEED_EXT_ACTIVE, 1) },
	  MADKIT_SWEEP_FDR10_ACTIVE,
	  { .width = TOPOLOGY_4X, .speed = TOPOLOGY_FDR } },
	{ "extended speeds without the capability",
	  NO_EXTENDED,
	  { F(LINK_SPEED_ACTIVE, 4), F(LINK_SPEED_EXT_ACTIVE, 2), F(LINK_SPEED_EXT_SUPPORTED, 3),
	    F(LINK_SPEED_EXT_ENABLED, 3) },
	  0,
	  { .width = TOPOLOGY_4X, .speed = TOPOLOGY_QDR } },
	{ "XDR without the capability",
	  NO_EXTENDED2,
	  { F(LINK_SPEED_EXT_ACTIVE, 8), F(LINK_SPEED_EXT_ACTIVE2, 1), F(LINK_SPEED_EXT_SUPPORTED2, 1),
	    F(LINK_SPEED_EXT_ENABLED2, 1) },
	  0,
	  { .width = TOPOLOGY_4X, .speed = TOPOLOGY_NDR } },
	{ "a switch: the capability is at port 0",
	  IS_SWITCH | NO_EXTENDED | BASE_ONLY,
	  { F(LINK_SPEED_EXT_ACTIVE, 2) },
	  0,
	  { .width = TOPOLOGY_4X, .speed = TOPOLOGY_EDR } },
	{ "a switch: not at the port itself",
	  IS_SWITCH,
	  { F(LINK_SPEED_EXT_ACTIVE, 2) },
	  0,
	  { .width = TOPOLOGY_4X, .speed = TOPOLOGY_SDR } },
	{ "a switch whose port 0 is silent",
	  IS_SWITCH | NO_EXTENDED | BASE_SILENT,
	  { F(LINK_SPEED_EXT_ACTIVE, 2) },
	  0,
	  { .width = TOPOLOGY_4X, .speed = TOPOLOGY_EDR } },
#undef F
};

static bool link_rates_same(const struct link_rates *a, const struct link_rates *b)
{
	return a->width == b->width && a->widths_enabled == b->widths_enabled &&
	       a->widths_supported == b->widths_supported && a->speed == b->speed &&
	       a->speeds_enabled == b->speeds_enabled && a->speeds_supported == b->speeds_supported;
}

static void rates_by_field(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(link_cases); i++) {
		struct madkit_sweep_port ports[2], *port = &ports[1];
		const unsigned int how = link_cases[i].how;
		struct madkit_sweep_node node;
		struct link_rates got;

		port_make(&node, ports);
		node.type = how & IS_SWITCH ? TOPOLOGY_SWITCH : TOPOLOGY_CA;
		allow_extended(port);
		if (how & (NO_EXTENDED | NO_EXTENDED2))
			field_put(how & NO_EXTENDED ? MADKIT_PORT_INFO_CAP_MASK :
						      MADKIT_PORT_INFO_CAPABILITY_MASK2,
				  port->info, 0);
		ports[0].state = how & BASE_SILENT ? MADKIT_SWEEP_SILENT : MADKIT_SWEEP_ANSWERED;
		if (how & BASE_ONLY)
			allow_extended(&ports[0]);
		for (size_t f = 0; f < 6 && link_cases[i].set[f][0]; f++)
			field_put(link_cases[i].set[f][0], port->info, link_cases[i].set[f][1]);
		port->fdr10 = link_cases[i].fdr10;
		link_rates_get(&node, 1, &got);
		if (!ok(link_rates_same(&got, &link_cases[i].want), "%s", link_cases[i].what))
			printf("# %x %x %x %x %x %x\n", got.width, got.widths_enabled, got.widths_supported,
			       got.speed, got.speeds_enabled, got.speeds_supported);
	}
}

static void rates_are_missing(void)
{
	struct madkit_sweep_port ports[2], *port = &ports[1];
	const struct link_rates none = { 0 };
	struct madkit_sweep_node node;
	struct link_rates got;

	port_make(&node, ports);
	PUT(LINK_WIDTH_SUPPORTED, 3);
	port->state = MADKIT_SWEEP_SILENT;
	link_rates_get(&node, 1, &got);
	ok(link_rates_same(&got, &none), "a silent port has none");
	port_make(&node, ports);
	node.type = TOPOLOGY_SWITCH;
	ports[0] = ports[1];
	link_rates_get(&node, 0, &got);
	ok(link_rates_same(&got, &none), "port 0 of a switch has none");
}

/* ---- what limits a link ---------------------------------------------------------------- */

enum {
	S = MADKIT_SWEEP_LINK_SLOW,
	M = MADKIT_SWEEP_LINK_MISCONFIGURED,
	L = MADKIT_SWEEP_LINK_LIMITED,
	FAST = TOPOLOGY_SDR | TOPOLOGY_EDR,
	FASTER = FAST | TOPOLOGY_HDR,
	WIDE = TOPOLOGY_1X | TOPOLOGY_4X,
	WIDER = WIDE | TOPOLOGY_12X,
};

/* The rates that a port supports and enables. */
enum limit_port {
	EDR,    /* EDR, and enables it */
	HDR_AS, /* HDR, enables up to EDR */
	HDR,    /* HDR, and enables it */
	LIMIT_PORTS
};

/* By port, peer and active speed (SDR, EDR, HDR), derived by hand. Some can only be if a port was set after training, or
 * if it lies. */
static const uint8_t limit_want[LIMIT_PORTS][LIMIT_PORTS][3] = {
	/* the best is EDR, and both enable it */
	[EDR] = { [EDR] = { S, 0, 0 }, [HDR_AS] = { S, 0, 0 }, [HDR] = { S, 0, 0 } },
	/* between ports with HDR the best is HDR, but EDR is all that both enable */
	[HDR_AS] = { [EDR] = { S, 0, 0 }, [HDR_AS] = { M | L | S, M | L, M }, [HDR] = { M | S, M, M } },
	[HDR] = { [EDR] = { S, 0, 0 }, [HDR_AS] = { L | S, L, 0 }, [HDR] = { S, S, 0 } },
};

static struct link_rates limit_rates(enum limit_port port, unsigned int active, bool widths)
{
	static const unsigned int speed[] = { TOPOLOGY_SDR, TOPOLOGY_EDR, TOPOLOGY_HDR };
	static const unsigned int width[] = { TOPOLOGY_1X, TOPOLOGY_4X, TOPOLOGY_12X };
	const unsigned int supported = port != EDR, enabled = port == HDR;

	/* of the other one, there is only one value */
	return widths ? (struct link_rates){ .width = width[active],
					     .widths_supported = supported ? WIDER : WIDE,
					     .widths_enabled = enabled ? WIDER : WIDE,
					     .speed = TOPOLOGY_SDR,
					     .speeds_supported = TOPOLOGY_SDR,
					     .speeds_enabled = TOPOLOGY_SDR } :
			(struct link_rates){ .speed = speed[active],
					     .speeds_supported = supported ? FASTER : FAST,
					     .speeds_enabled = enabled ? FASTER : FAST,
					     .width = TOPOLOGY_1X,
					     .widths_supported = TOPOLOGY_1X,
					     .widths_enabled = TOPOLOGY_1X };
}

static void limits_by_hand(bool widths)
{
	unsigned int bad = 0;

	for (unsigned int port = 0; port < LIMIT_PORTS; port++)
		for (unsigned int peer = 0; peer < LIMIT_PORTS; peer++)
			for (unsigned int active = 0; active < 3; active++) {
				const struct link_rates a = limit_rates(port, active, widths);
				const struct link_rates b = limit_rates(peer, active, widths);
				struct madkit_sweep_link link;

				link_judge(&a, &b, &link);
				if (link.limits == limit_want[port][peer][active])
					continue;
				printf("# %u %u %u: %x\n", port, peer, active, link.limits);
				bad++;
			}
	is_u64(bad, 0, "limits by %s", widths ? "width" : "speed");
}

static const struct {
	const char *what;
	struct link_rates port, peer;
	struct madkit_sweep_link want;
} limit_cases[] = {
	{ "wider than 4x, but not 4x",
	  { TOPOLOGY_1X, TOPOLOGY_1X | TOPOLOGY_12X, WIDER, TOPOLOGY_SDR, TOPOLOGY_SDR, TOPOLOGY_SDR },
	  { TOPOLOGY_1X, WIDE, WIDE, TOPOLOGY_SDR, TOPOLOGY_SDR, TOPOLOGY_SDR },
	  { M, TOPOLOGY_4X, TOPOLOGY_SDR, TOPOLOGY_1X, TOPOLOGY_SDR } },
	{ "2x is less than 4x",
	  { TOPOLOGY_2X, WIDE | TOPOLOGY_2X, WIDE | TOPOLOGY_2X, TOPOLOGY_HDR, FASTER, FASTER },
	  { TOPOLOGY_2X, WIDE | TOPOLOGY_2X, WIDE | TOPOLOGY_2X, TOPOLOGY_HDR, FASTER, FASTER },
	  { S, TOPOLOGY_4X, TOPOLOGY_HDR, TOPOLOGY_4X, TOPOLOGY_HDR } },
	{ "a width that is not enabled, and a speed that is",
	  { TOPOLOGY_1X, TOPOLOGY_1X, WIDE, TOPOLOGY_SDR, FASTER, FASTER },
	  { TOPOLOGY_1X, WIDE, WIDE, TOPOLOGY_SDR, FASTER, FASTER },
	  { M | S, TOPOLOGY_4X, TOPOLOGY_HDR, TOPOLOGY_1X, TOPOLOGY_HDR } },
	{ "unknown: active",
	  { 0, WIDE, WIDE, 0, FAST, FASTER },
	  { 0, WIDE, WIDE, 0, FAST, FASTER },
	  { M, TOPOLOGY_4X, TOPOLOGY_HDR, TOPOLOGY_4X, TOPOLOGY_EDR } },
	{ "unknown: enabled",
	  { TOPOLOGY_4X, 0, WIDE, TOPOLOGY_EDR, 0, FASTER },
	  { TOPOLOGY_4X, WIDE, WIDE, TOPOLOGY_EDR, FASTER, FASTER },
	  { S, TOPOLOGY_4X, TOPOLOGY_HDR, TOPOLOGY_4X, TOPOLOGY_HDR } },
	{ "unknown: all", { 0 }, { 0 }, { 0 } },
};

static void limits_of_few(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(limit_cases); i++) {
		const struct madkit_sweep_link *want = &limit_cases[i].want;
		struct madkit_sweep_link got;

		link_judge(&limit_cases[i].port, &limit_cases[i].peer, &got);
		if (!ok(!memcmp(&got, want, sizeof(got)), "%s", limit_cases[i].what))
			printf("# %x: %x %x, %x %x\n", got.limits, got.width_best, got.speed_best,
			       got.width_enabled, got.speed_enabled);
	}
}

/* Of each combination of 1x, 4x and 12x that are supported and enabled: a link below its best has a reason, and both ends agree. */
static void limits_are_complete(void)
{
	unsigned int below = 0, silent = 0, apart = 0;

	for (unsigned int i = 0; i < 1 << 14; i++) {
		static const unsigned int masks[] = { 0, 1, 2, 3, 8, 9, 10, 11 }, active[] = { 0, 1, 2, 8 };
		const unsigned int width = active[i & 3];
		const struct link_rates a = { .width = width,
					      .widths_supported = masks[i >> 2 & 7],
					      .widths_enabled = masks[i >> 5 & 7] };
		const struct link_rates b = { .width = width,
					      .widths_supported = masks[i >> 8 & 7],
					      .widths_enabled = masks[i >> 11 & 7] };
		struct madkit_sweep_link near, far;
		bool low;

		link_judge(&a, &b, &near);
		link_judge(&b, &a, &far);
		low = width && width < near.width_best;
		below += low;
		silent += low && !near.limits;
		apart += (near.limits & S) != (far.limits & S) ||
			 !(near.limits & L) != !(low && far.limits & M);
	}
	ok(below > 0, "links below their best");
	is_u64(silent, 0, "... have a reason");
	is_u64(apart, 0, "... that fits the other end");
}

int main(void)
{
	rates_as_opensm();
	rates_by_field();
	rates_are_missing();
	limits_by_hand(false);
	limits_by_hand(true);
	limits_of_few();
	limits_are_complete();
	return tap_done();
}
