/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sim/fabric/cable.h"
#include "sim/fabric/phy.h"
#include "util/time.h"

enum {
	PHY_UPTIME_MS = 720 * 3600 * 1000u, /* before the simulation began */
	BITS_OF_BLOCK = 5440,               /* RS(544,514): 544 symbols of 10 bits */
	BLOCKS_OF_FRAME = 4,
};

/* no error seen, and values between 1e-9 and 3e-8 */
static const struct ber phy_none = { 15, 255 };

uint64_t phy_uptime_ms(const struct fabric *f)
{
	return PHY_UPTIME_MS + f->now / NS_PER_MS;
}

/* The same at both ends: by the speed, and up to EDR by the cable. */
static unsigned int phy_fec(unsigned int speed, bool copper)
{
	if (speed >= TOPOLOGY_XDR)
		return MADKIT_FEC_QUAD_HALF_KP4_PLR_288_258_;
	if (speed >= TOPOLOGY_NDR)
		return MADKIT_FEC_INTERLEAVED_PLR_544_514_;
	if (speed >= TOPOLOGY_HDR)
		return MADKIT_FEC_RS_544_514_;
	if (speed >= TOPOLOGY_EDR)
		return copper ? MADKIT_FEC_LL_271_257_ : MADKIT_FEC_RS_528_514_;
	return MADKIT_FEC_NONE;
}

/* PAM4 has bit errors before the FEC. */
static struct ber phy_raw(struct fabric *f, const struct port *port, unsigned int speed)
{
	const unsigned int hash = (unsigned int)(cable_hash(f, port, 100) % 12);

	if (speed < TOPOLOGY_HDR)
		return phy_none;
	return hash < 9 ? (struct ber){ (uint8_t)(hash + 1), 9 } : (struct ber){ (uint8_t)(hash - 8), 8 };
}

uint64_t phy_errors(struct ber ber, uint64_t bits)
{
	if (ber.magnitude == phy_none.magnitude || !ber.coefficient)
		return 0;
	for (unsigned int i = 0; i < ber.magnitude && bits; i++)
		bits = i ? bits / 10 : bits / 10 * ber.coefficient;
	return bits;
}

void phy_get(struct fabric *f, const struct port *port, struct phy *phy)
{
	const struct settings *set = port->settings;
	const struct link_rates rates = port_rates(port);
	struct cable cable;

	*phy = (struct phy){ .ber = { phy_none, phy_none, phy_none } };
	if (!rates.width || !rates.speed)
		return;
	cable_get(f, port, &cable);
	phy->fec = phy_fec(rates.speed, cable.type == CABLE_PASSIVE);
	setting_get(port, SETTING_FEC, &phy->fec);
	phy->ber[PHY_RAW] = phy_raw(f, port, rates.speed);
	for (int i = 0; set && i < PHY_BERS; i++)
		if (set->ber_known[i])
			phy->ber[i] = set->ber[i];
	phy->up = true;
	/* a link that was never lost has been up for as long as the device */
	phy->up_ms = port->loss.intended || port->loss.unintended ? (f->now - port->up_at) / NS_PER_MS :
								    phy_uptime_ms(f);
	phy->bits = phy->up_ms * topology_lanes(rates.width) * topology_lane_rate(rates.speed) * 100000;
	phy->blocks = phy->fec ? phy->bits / BITS_OF_BLOCK : 0;
	phy->frames = rates.speed >= TOPOLOGY_NDR ? phy->blocks / BLOCKS_OF_FRAME : 0;
}
