/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The length of a tick of PortXmitWait, which depends on the device. */
#include <madkit/counters.h>
#include <madkit/mad.h>
#include "util/array_size.h"

enum { WAIT_ANY_DEVICE = 0 };

enum wait_way { WAIT_UNKNOWN, WAIT_OF_PORT, WAIT_OF_LANE };

/* The first row of a device counts. Source: IBUtils2. */
static const struct wait_device {
	uint32_t vendor;
	uint16_t device;
	enum wait_way way;
} wait_devices[] = {
	{ MADKIT_OUI_MELLANOX, 51000, WAIT_OF_LANE }, /* SwitchX */
	{ MADKIT_OUI_MELLANOX, 52000, WAIT_OF_LANE }, /* Switch-IB */
	{ MADKIT_OUI_MELLANOX, 53000, WAIT_UNKNOWN }, /* Switch-IB 2 */
	{ MADKIT_OUI_MELLANOX, WAIT_ANY_DEVICE, WAIT_OF_PORT },
};

static enum wait_way wait_of(uint32_t vendor, uint16_t device)
{
	for (size_t i = 0; i < ARRAY_SIZE(wait_devices); i++)
		if (wait_devices[i].vendor == vendor &&
		    (wait_devices[i].device == WAIT_ANY_DEVICE || wait_devices[i].device == device))
			return wait_devices[i].way;
	return WAIT_UNKNOWN;
}

double madkit_counters_wait_octets(uint32_t vendor, uint16_t device, unsigned int lanes, uint64_t tick)
{
	switch (wait_of(vendor, device)) {
	case WAIT_OF_PORT:
		return (double)tick + 1;
	case WAIT_OF_LANE:
		return ((double)tick + 1) * lanes;
	default:
		return 0;
	}
}
