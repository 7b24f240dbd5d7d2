/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The physical layer of a port: its FEC, its bit errors, and how long it has been up. */
#ifndef SIM_FABRIC_PHY_H
#define SIM_FABRIC_PHY_H

#include "sim/fabric/internal.h"
#include "sim/fabric/settings.h"

struct phy {
	int32_t fec; /* FECActive of PhyOperation */
	struct ber ber[PHY_BERS];
	bool up;
	uint64_t up_ms;          /* since the link came up */
	uint64_t bits;           /* received since then */
	uint64_t blocks, frames; /* blocks of the FEC, and of PLR, if it has these */
};

/* Returns the milliseconds since the device has been started. */
uint64_t phy_uptime_ms(const struct fabric *f);
void phy_get(struct fabric *f, const struct port *port, struct phy *phy);
/* Returns the bit errors in a number of bits. No error is 15e-255. */
uint64_t phy_errors(struct ber ber, uint64_t bits);

#endif
