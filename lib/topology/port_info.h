/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Widths and speeds of PortInfo as bits of topology.h. */
#ifndef TOPOLOGY_PORT_INFO_H
#define TOPOLOGY_PORT_INFO_H

#include <stdint.h>
#include "util/private.h"

/* TOPOLOGY_4X, TOPOLOGY_EDR ... */
struct link_rates {
	unsigned int width, widths_enabled, widths_supported;
	unsigned int speed, speeds_enabled, speeds_supported;
};

/* Information that PortInfo of the port does not contain. */
enum {
	PORT_INFO_FDR10_ACTIVE = 1 << 0, /* MLNXExtendedPortInfo */
	PORT_INFO_FDR10_ENABLED = 1 << 1,
	PORT_INFO_FDR10_SUPPORTED = 1 << 2,
	PORT_INFO_EXTENDED = 1 << 3,  /* IsExtendedSpeedsSupported: of a switch, at its port 0 */
	PORT_INFO_EXTENDED2 = 1 << 4, /* IsExtendedSpeeds2Supported */
};

/* Returns the active speed, whatever the state of the port; 0: unknown. */
unsigned int port_info_speed(const uint8_t *info, unsigned int known) MADKIT_PRIVATE(port_info_speed);

/* Gets the rates. width and speed are 0 if the port is down or the value is unknown. The codes for "as
 * supported" and "disabled" are resolved. */
void port_info_rates(const uint8_t *info, unsigned int known, struct link_rates *rates)
	MADKIT_PRIVATE(port_info_rates);

#endif
