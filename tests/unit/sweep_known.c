/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* If a response that a statement about a port or node depends on was lost, the sweep makes no such
 * statement. */
#include <madkit/path.h>
#include "tests/unit/sweep_toy.h"
#include "util/array_size.h"
#include "wire/access.h"

enum { HOST, SWITCH, LEAF, FAR, EXTENDED = 1 << 14, MELLANOX = 0x2c9, ADAPTIVE = 0xff20, UNSUPPORTED = 0x0c };

/* The responses of the switch that are lost or changed. */
static struct {
	uint16_t attribute;
	uint8_t port;
	bool wide, extends;
	unsigned int times; /* requests that are lost; 0: all */
	uint8_t status;     /* of the response, instead of a loss */
	bool malformed;     /* the response is about something else */
	unsigned int lost;
} known;

static bool known_is_it(int node, const uint8_t *mad)
{
	return node == SWITCH && get_be16(mad + MADKIT_MAD_ATTRIBUTE) == known.attribute &&
	       (mad[MADKIT_MAD_MODIFIER] & 0x80) == (known.wide ? 0x80 : 0) &&
	       mad[MADKIT_MAD_MODIFIER + 3] == known.port;
}

static bool known_loses(struct toy *toy, int node, const uint8_t *mad)
{
	(void)toy;
	if (known.status || known.malformed || !known_is_it(node, mad) ||
	    (known.times && known.lost == known.times))
		return false;
	known.lost++;
	return true;
}

/* Ports at QDR, or at EDR in PortInfo with bit 31 if the capabilities of port 0 have extended speeds. */
static void known_forge(uint8_t *mad, uint16_t attribute)
{
	uint8_t *data = mad + MADKIT_SMP_DATA;

	if (attribute == MADKIT_ATTR_PORT_INFO) {
		field_put(MADKIT_PORT_INFO_LINK_SPEED_ACTIVE, data, 4);
		field_put(MADKIT_PORT_INFO_LINK_SPEED_SUPPORTED, data, 7);
		field_put(MADKIT_PORT_INFO_LINK_SPEED_ENABLED, data, 7);
		field_put(MADKIT_PORT_INFO_LINK_WIDTH_ACTIVE, data, 2);
		if (known.extends)
			field_put(MADKIT_PORT_INFO_CAP_MASK, data, EXTENDED);
		if (known.extends && mad[MADKIT_MAD_MODIFIER] & 0x80)
			field_put(MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE, data, 2);
	}
	if ((attribute & 0xff) == (MADKIT_ATTR_MLNX_EXTENDED_PORT_INFO & 0xff))
		field_put(MADKIT_MLNX_EXTENDED_PORT_INFO_LINK_SPEED_ACTIVE, data, 1);
	/* of the host, nothing is lost */
	if ((known.status || known.malformed) && known_is_it(SWITCH, mad)) {
		mad[MADKIT_MAD_STATUS + 1] = known.status;
		mad[MADKIT_MAD_MODIFIER + 2] ^= known.malformed;
	}
}

/* The speed of a port of the switch in its record; 0: null. */
static uint64_t known_speed(const struct swept *w, unsigned int port)
{
	struct madkit_sweep_record record;
	uint64_t speed;

	madkit_sweep_record_get(w->s, SWITCH, port, &record);
	return madkit_record_value(&record.record, "speed", &speed) ? 0 : speed;
}

/* ---- speeds ---------------------------------------------------------------------------- */

enum { QDR = MADKIT_SPEED_QDR, FDR10 = MADKIT_SPEED_FDR10, EDR = MADKIT_SPEED_EDR };
enum { LOST = MADKIT_SWEEP_SILENT, REFUSED = MADKIT_SWEEP_REFUSED };

static const struct {
	const char *what;
	uint16_t attribute;
	uint8_t port;
	bool wide, extends, malformed;
	uint8_t status, times;
	uint16_t speed;
	uint8_t state_wide, state_extended;
} known_rows[] = {
	{ "nothing is lost", 0, 0, 0, 0, 0, 0, 0, FDR10, 0, MADKIT_SWEEP_ANSWERED },
	{ "MLNXExtendedPortInfo is lost", 0xff90, 1, 0, 0, 0, 0, 0, 0, 0, LOST },
	{ "... at first", 0xff90, 1, 0, 0, 0, 0, 2, FDR10, 0, MADKIT_SWEEP_ANSWERED },
	{ "... is refused", 0xff90, 1, 0, 0, 0, UNSUPPORTED, 0, QDR, 0, REFUSED },
	{ "... is about another port", 0xff90, 1, 0, 0, 1, 0, 0, 0, 0, LOST },
	{ "extended speeds", 0, 0, 0, 1, 0, 0, 0, EDR, MADKIT_SWEEP_ANSWERED, 0 },
	{ "... are lost", 0x15, 1, 1, 1, 0, 0, 0, 0, LOST, MADKIT_SWEEP_ANSWERED },
	{ "... are refused", 0x15, 1, 1, 1, 0, UNSUPPORTED, 0, FDR10, REFUSED, MADKIT_SWEEP_ANSWERED },
	{ "PortInfo of port 0 is lost", 0x15, 0, 0, 1, 0, 0, 0, 0, 0, MADKIT_SWEEP_ANSWERED },
	{ "... at first", 0x15, 0, 0, 1, 0, 0, 2, EDR, MADKIT_SWEEP_ANSWERED, MADKIT_SWEEP_ANSWERED },
};

static struct toy known_toy(void)
{
	struct toy toy = toy_new();

	toy.nodes[SWITCH].vendor = MELLANOX;
	toy.forge = known_forge;
	toy.loses = known_loses;
	return toy;
}

static void known_speeds(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(known_rows); i++) {
		struct toy toy = known_toy();
		const struct madkit_sweep_port *port;
		struct swept w;

		memset(&known, 0, sizeof(known));
		known.attribute = known_rows[i].attribute;
		known.port = known_rows[i].port;
		known.wide = known_rows[i].wide;
		known.extends = known_rows[i].extends;
		known.malformed = known_rows[i].malformed;
		known.status = known_rows[i].status;
		known.times = known_rows[i].times;
		toy_sweep(&toy, &w, &usual);
		port = &madkit_sweep_node(w.s, SWITCH)->ports[1];
		is_u64(known_speed(&w, 1), known_rows[i].speed, "W10: %s", known_rows[i].what);
		is_u64(port->wide, known_rows[i].state_wide,
		       "... the state of PortInfo with extended speeds");
		is_u64(port->extended, known_rows[i].state_extended, "... and of MLNXExtendedPortInfo");
		swept_close(&w);
	}
}

static bool known_slow; /* links run at DDR */

static void known_forge_slow(uint8_t *mad, uint16_t attribute)
{
	uint8_t *data = mad + MADKIT_SMP_DATA;

	known_forge(mad, attribute);
	if (attribute == MADKIT_ATTR_PORT_INFO && known_slow)
		field_put(MADKIT_PORT_INFO_LINK_SPEED_ACTIVE, data, 2);
	if ((attribute & 0xff) == (MADKIT_ATTR_MLNX_EXTENDED_PORT_INFO & 0xff)) {
		field_put(MADKIT_MLNX_EXTENDED_PORT_INFO_LINK_SPEED_ACTIVE, data, 0);
		field_put(MADKIT_MLNX_EXTENDED_PORT_INFO_LINK_SPEED_ENABLED, data, 1);
	}
}

static uint64_t known_enabled(const struct swept *w, unsigned int port)
{
	struct madkit_sweep_record record;
	uint64_t speed;

	madkit_sweep_record_get(w->s, SWITCH, port, &record);
	return madkit_record_value(&record.record, "speed_enabled", &speed) ? 0 : speed;
}

/* FDR10 may be enabled at a port that is down, and at one that runs at a lower speed. */
static void known_enabled_speeds(void)
{
	for (int slow = 0; slow < 2; slow++) {
		struct toy toy = known_toy();
		struct swept w;

		memset(&known, 0, sizeof(known));
		known_slow = slow;
		known.attribute = MADKIT_ATTR_MLNX_EXTENDED_PORT_INFO;
		known.port = 3;
		toy.forge = known_forge_slow;
		toy_sweep(&toy, &w, &usual);
		is_u64(known_speed(&w, 1), slow ? MADKIT_SPEED_DDR : QDR, "W10: a link at %s",
		       slow ? "DDR" : "QDR");
		is_u64(known_enabled(&w, 1), FDR10, "... enables FDR10");
		is_u64(known_enabled(&w, 2), FDR10, "... and so does a port that is down");
		is_u64(known_enabled(&w, 3), 0, "... which is not known after a loss");
		swept_close(&w);
	}
}

static void known_one_port(void)
{
	struct toy toy = known_toy();
	struct swept w;

	memset(&known, 0, sizeof(known));
	known.attribute = MADKIT_ATTR_MLNX_EXTENDED_PORT_INFO;
	known.port = 4;
	for (uint8_t p = 2; p <= 6; p++)
		toy_link(&toy, toy_add(&toy, 0x1000 + 0x100u * p, 1, 1), 1, SWITCH, p);
	toy_sweep(&toy, &w, &usual);
	for (unsigned int p = 1; p <= 6; p++)
		is_u64(known_speed(&w, p), p == known.port ? 0 : FDR10, "W10: a loss at port 4: port %u", p);
	swept_close(&w);
}

static void known_deadline(void)
{
	struct toy toy = known_toy();
	struct swept w;
	unsigned int early = 0, bad = 0;

	memset(&known, 0, sizeof(known));
	for (unsigned int at = 0; at < 100; at++) {
		toy_begin(&toy, &w, &usual);
		for (unsigned int i = 0; i < at; i++)
			if (madkit_sweep_step(w.s, madkit_port_now(w.port)))
				break;
		swept_count(&w);
		if (w.counts.nodes > SWITCH) {
			const uint64_t speed = known_speed(&w, 1);

			early += !speed;
			bad += speed && speed != FDR10;
		}
		swept_close(&w);
	}
	ok(early && !bad, "W10: a sweep that is ended at any time does not show FDR10 as QDR");
}

/* ---- routes ---------------------------------------------------------------------------- */

/* A path from the host through the switch to another host, with a loss at the switch. */
static void known_path(uint16_t attribute, uint8_t status, uint32_t vendor, struct madkit_path *path,
		       enum madkit_sweep_state *adaptive)
{
	struct toy toy = toy_new();
	struct swept w;

	memset(&known, 0, sizeof(known));
	known.attribute = attribute;
	known.status = status;
	toy.forge = known_forge;
	toy.loses = known_loses;
	toy_link(&toy, toy_add(&toy, 0x1000, 1, 1), 1, SWITCH, 2);
	toy.nodes[SWITCH].vendor = vendor;
	toy.nodes[SWITCH].adaptive = true;
	toy.nodes[SWITCH].top = 20;
	toy.nodes[SWITCH].linear[8] = 2;
	toy.nodes[LEAF].lid = 8;
	*path = (struct madkit_path){ .port = 1, .lid = 8 };
	toy_sweep(&toy, &w, &usual);
	is_int(madkit_path_follow(w.s, path, 1, UINT64_MAX), 1, "a path");
	*adaptive = madkit_sweep_node(w.s, SWITCH)->adaptive;
	swept_close(&w);
}

static void known_paths(void)
{
	enum madkit_sweep_state adaptive;
	struct madkit_path path;

	known_path(0, 0, MELLANOX, &path, &adaptive);
	ok(path.end == MADKIT_PATH_ARRIVED && path.hops[1].adaptive && path.hops[1].adaptive_known &&
		   path.hops[0].adaptive_known && !path.hops[0].adaptive,
	   "W10: a switch that routes adaptively, after a host that does not");
	known_path(ADAPTIVE, 0, MELLANOX, &path, &adaptive);
	ok(path.end == MADKIT_PATH_ARRIVED && !path.hops[1].adaptive_known && adaptive == MADKIT_SWEEP_SILENT,
	   "... whether it does is not known after a loss");
	known_path(ADAPTIVE, UNSUPPORTED, MELLANOX, &path, &adaptive);
	ok(path.hops[1].adaptive_known && !path.hops[1].adaptive,
	   "... and it does not if it refuses to say so");
	known_path(0, 0, 0, &path, &adaptive);
	ok(!path.hops[1].adaptive_known, "... nothing is known of other vendors");
	known_path(MADKIT_ATTR_SWITCH_INFO, 0, 0, &path, &adaptive);
	is_u64(path.end, MADKIT_PATH_SILENT,
	       "W10: a path through a switch of which SwitchInfo was lost is not known");
	known_path(MADKIT_ATTR_SWITCH_INFO, UNSUPPORTED, 0, &path, &adaptive);
	is_u64(path.end, MADKIT_PATH_REFUSED, "... or was refused");
}

int main(void)
{
	known_speeds();
	known_enabled_speeds();
	known_one_port();
	known_deadline();
	known_paths();
	return tap_done();
}
