/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* PPCNT: counters of a port, group by group. */
#include "sim/fabric/phy.h"
#include "sim/fabric/pma.h"
#include "sim/fabric/counters.h"
#include "sim/fabric/reading.h"
#include "util/array_size.h"

struct ppcnt {
	struct reading *r;
	struct port *port;
	struct phy phy;
	unsigned int lanes; /* 0: the link is down */
};

static void ppcnt_put(const struct ppcnt *p, uint64_t field, uint64_t value)
{
	field_put(field, p->r->data, value);
}

static void ppcnt_put_ber(const struct ppcnt *p, uint64_t field, struct ber ber)
{
	ppcnt_put(p, field, ber.magnitude << 8 | ber.coefficient);
}

/* Returns the errors that are left after the FEC: those of the symbol BER, and those that PortCounters has. */
static uint64_t ppcnt_symbols(const struct ppcnt *p)
{
	return phy_errors(p->phy.ber[PHY_SYMBOL], p->phy.bits) +
	       counters_total(p->r->f, p->port, PMA_SYMBOL_ERROR);
}

/* Returns a lane's part of a number. */
static uint64_t ppcnt_part(const struct ppcnt *p, uint64_t n, unsigned int lane)
{
	return lane < p->lanes ? n / p->lanes + (lane < n % p->lanes) : 0;
}

static int ppcnt_physical(const struct ppcnt *p)
{
	const uint64_t corrected = phy_errors(p->phy.ber[PHY_RAW], p->phy.bits),
		       failed = phy_errors(p->phy.ber[PHY_EFFECTIVE], p->phy.bits);
	const struct link_loss *loss = &p->port->loss;

	ppcnt_put(p, MADKIT_PHY_COUNTERS_TIME_SINCE_LAST_CLEAR, phy_uptime_ms(p->r->f));
	ppcnt_put(p, MADKIT_PHY_COUNTERS_SYMBOL_ERRORS, ppcnt_symbols(p));
	ppcnt_put(p, MADKIT_PHY_COUNTERS_LINK_DOWN_EVENTS, loss->unintended + loss->intended);
	/* in the second block */
	ppcnt_put(p, MADKIT_AT(32 + 1984, 32), loss->unintended);
	ppcnt_put(p, MADKIT_AT(32 + 2016, 32), loss->intended);
	if (!p->phy.fec)
		return 0;
	/* one bit error is one symbol, nearly always alone in its block */
	ppcnt_put(p, MADKIT_PHY_COUNTERS_RS_FEC_CORRECTED_BLOCKS, corrected - corrected / 1000);
	ppcnt_put(p, MADKIT_PHY_COUNTERS_RS_FEC_UNCORRECTABLE_BLOCKS, failed);
	ppcnt_put(p, MADKIT_PHY_COUNTERS_RS_FEC_NO_ERRORS_BLOCKS,
		  p->phy.blocks - (corrected - corrected / 1000));
	ppcnt_put(p, MADKIT_PHY_COUNTERS_RS_FEC_SINGLE_ERROR_BLOCKS, corrected - 2 * (corrected / 1000));
	ppcnt_put(p, MADKIT_PHY_COUNTERS_RS_FEC_CORRECTED_SYMBOLS, corrected);
	for (unsigned int lane = 0; lane < 4; lane++)
		element_put(MADKIT_PHY_COUNTERS_RS_FEC_CORRECTED_SYMBOLS_LANE, lane, p->r->data,
			    ppcnt_part(p, corrected, lane));
	return 0;
}

static int ppcnt_bit_errors(const struct ppcnt *p)
{
	const uint64_t raw = phy_errors(p->phy.ber[PHY_RAW], p->phy.bits);

	ppcnt_put(p, MADKIT_BIT_ERRORS_TIME_SINCE_LAST_CLEAR, phy_uptime_ms(p->r->f));
	ppcnt_put(p, MADKIT_BIT_ERRORS_RECEIVED_BITS, p->phy.bits);
	ppcnt_put(p, MADKIT_BIT_ERRORS_SYMBOL_ERRORS, ppcnt_symbols(p));
	ppcnt_put(p, MADKIT_BIT_ERRORS_CORRECTED_BITS, p->phy.fec ? raw : 0);
	ppcnt_put_ber(p, MADKIT_BIT_ERRORS_RAW_PHYSICAL_BER, p->phy.ber[PHY_RAW]);
	ppcnt_put_ber(p, MADKIT_BIT_ERRORS_EFFECTIVE_PHYSICAL_BER, p->phy.ber[PHY_EFFECTIVE]);
	ppcnt_put_ber(p, MADKIT_BIT_ERRORS_SYMBOL_BER, p->phy.ber[PHY_SYMBOL]);
	for (unsigned int lane = 0; lane < 8; lane++) {
		element_put(MADKIT_BIT_ERRORS_RAW_ERRORS_LANE, lane, p->r->data, ppcnt_part(p, raw, lane));
		if (lane < p->lanes)
			ppcnt_put_ber(p, madkit_element(MADKIT_BIT_ERRORS_RAW_PHYSICAL_BER_LANE, lane),
				      p->phy.ber[PHY_RAW]);
	}
	ppcnt_put(p, MADKIT_BIT_ERRORS_EFFECTIVE_PHYSICAL_ERRORS,
		  phy_errors(p->phy.ber[PHY_EFFECTIVE], p->phy.bits));
	if (!is_switch(p->r->node))
		ppcnt_put(p, MADKIT_BIT_ERRORS_TIME_SINCE_LAST_LINK_UP, p->phy.up_ms / 1000);
	return 0;
}

static int ppcnt_port_counters(const struct ppcnt *p)
{
#define SAME(field) \
	{ \
		MADKIT_PORT_COUNTERS_##field, MADKIT_REGISTER_PORT_COUNTERS_##field \
	}
	static const uint64_t same[][2] = {
		SAME(SYMBOL_ERROR_COUNTER),
		SAME(LINK_ERROR_RECOVERY_COUNTER),
		SAME(LINK_DOWNED_COUNTER),
		SAME(PORT_RCV_ERRORS),
		SAME(PORT_RCV_REMOTE_PHYSICAL_ERRORS),
		SAME(PORT_RCV_SWITCH_RELAY_ERRORS),
		SAME(PORT_XMIT_DISCARDS),
		SAME(PORT_XMIT_CONSTRAINT_ERRORS),
		SAME(PORT_RCV_CONSTRAINT_ERRORS),
		SAME(LOCAL_LINK_INTEGRITY_ERRORS),
		SAME(EXCESSIVE_BUFFER_OVERRUN_ERRORS),
		SAME(VL15_DROPPED),
		SAME(PORT_XMIT_DATA),
		SAME(PORT_RCV_DATA),
		SAME(PORT_XMIT_PKTS),
		SAME(PORT_RCV_PKTS),
		SAME(PORT_XMIT_WAIT),
	};
#undef SAME
	uint8_t counters[MADKIT_MAD_BYTES] = { 0 };

	pma_read(p->r->f, p->port, MADKIT_ATTR_PORT_COUNTERS, counters);
	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		ppcnt_put(p, same[i][1], field_get(same[i][0], counters));
	return 0;
}

static int ppcnt_plr(const struct ppcnt *p)
{
	const uint64_t retried = phy_errors(p->phy.ber[PHY_RAW], p->phy.frames);

	ppcnt_put(p, MADKIT_PLR_COUNTERS_PLR_RCV_CODES, p->phy.frames);
	ppcnt_put(p, MADKIT_PLR_COUNTERS_PLR_RCV_CODE_ERRORS, retried);
	ppcnt_put(p, MADKIT_PLR_COUNTERS_PLR_XMIT_CODES, p->phy.frames);
	ppcnt_put(p, MADKIT_PLR_COUNTERS_PLR_XMIT_RETRY_CODES, retried);
	ppcnt_put(p, MADKIT_PLR_COUNTERS_PLR_XMIT_RETRY_EVENTS, retried);
	return 0;
}

/* Blocks by the number of symbols that the FEC has corrected. */
static int ppcnt_histogram(const struct ppcnt *p)
{
	const uint64_t corrected = phy_errors(p->phy.ber[PHY_RAW], p->phy.bits);

	if (!p->phy.fec)
		return 0;
	element_put(MADKIT_FEC_HISTOGRAM_HIST, 0, p->r->data, p->phy.blocks - (corrected - corrected / 1000));
	element_put(MADKIT_FEC_HISTOGRAM_HIST, 1, p->r->data, corrected - 2 * (corrected / 1000));
	element_put(MADKIT_FEC_HISTOGRAM_HIST, 2, p->r->data, corrected / 1000);
	return 0;
}

static int ppcnt_recovery(const struct ppcnt *p)
{
	ppcnt_put(p, MADKIT_RECOVERY_COUNTERS_UNINTENTIONAL_LINK_DOWN_EVENTS, p->port->loss.unintended);
	return 0;
}

int ppcnt_read(struct reading *r)
{
	static const struct {
		uint8_t group;
		int (*read)(const struct ppcnt *p);
	} groups[] = {
		{ 0x12, ppcnt_physical },      { 0x16, ppcnt_bit_errors }, { 0x1a, ppcnt_recovery },
		{ 0x20, ppcnt_port_counters }, { 0x22, ppcnt_plr },        { 0x23, ppcnt_histogram },
	};
	struct ppcnt p = { .r = r };
	const uint64_t group = reading_echo(r, MADKIT_PHY_COUNTERS_GROUP);

	p.port = reading_port(r, MADKIT_PHY_COUNTERS_PORT_SELECT, MADKIT_PHY_COUNTERS_PORT_SELECT_MSB,
			      MADKIT_PHY_COUNTERS_PORT_NUMBERING, MADKIT_PHY_COUNTERS_PLANE);
	if (!p.port || reading_echo(r, MADKIT_PHY_COUNTERS_SW_ID))
		return REGISTER_BAD_PARAMETER;
	phy_get(r->f, p.port, &p.phy);
	p.lanes = topology_lanes(port_rates(p.port).width);
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		if (groups[i].group == group)
			return groups[i].read(&p);
	return REGISTER_BAD_PARAMETER;
}
