/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "topology/port_info.h"
#include "topology/topology.h"
#include "wire/access.h"

enum {
	STATE_DOWN = 1,
	WIDTHS = TOPOLOGY_1X | TOPOLOGY_2X | TOPOLOGY_4X | TOPOLOGY_8X | TOPOLOGY_12X,
	SPEEDS = TOPOLOGY_SDR | TOPOLOGY_DDR | TOPOLOGY_QDR,
	EXTENDED_SHIFT = 4,
	EXTENDED2_SHIFT = 8,
	/* values of LinkWidthEnabled, LinkSpeedEnabled, LinkSpeedExtEnabled */
	WIDTHS_AS_SUPPORTED = 255,
	SPEEDS_AS_SUPPORTED = 15,
	EXTENDED_DISABLED = 30,
	EXTENDED_AS_SUPPORTED = 31,
};

static unsigned int port_info_get(const uint8_t *info, uint64_t field)
{
	return (unsigned int)field_get(field, info);
}

unsigned int port_info_speed(const uint8_t *info, unsigned int known)
{
	unsigned int extended = port_info_get(info, MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE) << EXTENDED_SHIFT;
	unsigned int speed = port_info_get(info, MADKIT_PORT_INFO_LINK_SPEED_ACTIVE);

	if ((known & PORT_INFO_EXTENDED2) &&
	    port_info_get(info, MADKIT_PORT_INFO_LINK_SPEED_EXT_ACTIVE2) == 1)
		return TOPOLOGY_XDR;
	if ((known & PORT_INFO_EXTENDED) && extended)
		return topology_lane_rate(extended) ? extended : 0;
	if (speed == TOPOLOGY_QDR && (known & PORT_INFO_FDR10_ACTIVE))
		return TOPOLOGY_FDR10;
	return speed <= TOPOLOGY_QDR && topology_lane_rate(speed) ? speed : 0;
}

static void port_info_widths(const uint8_t *info, struct link_rates *rates)
{
	unsigned int enabled = port_info_get(info, MADKIT_PORT_INFO_LINK_WIDTH_ENABLED);

	rates->widths_supported = port_info_get(info, MADKIT_PORT_INFO_LINK_WIDTH_SUPPORTED) & WIDTHS;
	rates->widths_enabled = enabled == WIDTHS_AS_SUPPORTED ? rates->widths_supported : enabled & WIDTHS;
}

static void port_info_plain_speeds(const uint8_t *info, struct link_rates *rates)
{
	unsigned int supported = port_info_get(info, MADKIT_PORT_INFO_LINK_SPEED_SUPPORTED) & SPEEDS;
	unsigned int enabled = port_info_get(info, MADKIT_PORT_INFO_LINK_SPEED_ENABLED);

	rates->speeds_supported = supported;
	rates->speeds_enabled = enabled == SPEEDS_AS_SUPPORTED ? supported : enabled & SPEEDS;
}

static void port_info_extended_speeds(const uint8_t *info, struct link_rates *rates)
{
	unsigned int supported = port_info_get(info, MADKIT_PORT_INFO_LINK_SPEED_EXT_SUPPORTED);
	unsigned int enabled = port_info_get(info, MADKIT_PORT_INFO_LINK_SPEED_EXT_ENABLED);

	if (enabled == EXTENDED_AS_SUPPORTED)
		enabled = supported;
	else if (enabled == EXTENDED_DISABLED)
		enabled = 0;
	rates->speeds_supported |= supported << EXTENDED_SHIFT;
	rates->speeds_enabled |= (enabled & 15) << EXTENDED_SHIFT;
}

static void port_info_extended2_speeds(const uint8_t *info, struct link_rates *rates)
{
	rates->speeds_supported |= (port_info_get(info, MADKIT_PORT_INFO_LINK_SPEED_EXT_SUPPORTED2) & 1)
				   << EXTENDED2_SHIFT;
	rates->speeds_enabled |= (port_info_get(info, MADKIT_PORT_INFO_LINK_SPEED_EXT_ENABLED2) & 1)
				 << EXTENDED2_SHIFT;
}

void port_info_rates(const uint8_t *info, unsigned int known, struct link_rates *rates)
{
	unsigned int width = port_info_get(info, MADKIT_PORT_INFO_LINK_WIDTH_ACTIVE);
	bool up = port_info_get(info, MADKIT_PORT_INFO_LINK_STATE) > STATE_DOWN;

	*rates = (struct link_rates){
		.width = up && topology_lanes(width) ? width : 0,
		.speed = up ? port_info_speed(info, known) : 0,
	};
	port_info_widths(info, rates);
	port_info_plain_speeds(info, rates);
	if (known & PORT_INFO_FDR10_SUPPORTED)
		rates->speeds_supported |= TOPOLOGY_FDR10;
	if (known & PORT_INFO_FDR10_ENABLED)
		rates->speeds_enabled |= TOPOLOGY_FDR10;
	if (known & PORT_INFO_EXTENDED)
		port_info_extended_speeds(info, rates);
	if (known & PORT_INFO_EXTENDED2)
		port_info_extended2_speeds(info, rates);
}
