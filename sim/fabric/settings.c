/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdlib.h>
#include "sim/fabric/settings.h"

struct settings *settings_make(struct port *port)
{
	if (!port->settings)
		port->settings = calloc(1, sizeof(*port->settings));
	return port->settings;
}

void setting_get(const struct port *port, enum setting which, int32_t *value)
{
	if (port->settings && port->settings->known[which])
		*value = port->settings->values[which];
}
