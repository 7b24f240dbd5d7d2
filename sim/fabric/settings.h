/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Settings of a port, its cable and its module by control words, which replace values that are derived. */
#ifndef SIM_FABRIC_SETTINGS_H
#define SIM_FABRIC_SETTINGS_H

#include "sim/fabric/fabric.h"

enum {
	CABLE_TEXT = 16, /* characters of a name or number */
	CABLE_LANES = 8,
	CABLE_ACTIVE = 1, /* CableType of ModuleInfo */
	CABLE_OPTICAL,
	CABLE_PASSIVE,
	CABLE_UNPLUGGED,
};

/* Numbers are as in ModuleInfo. */
struct cable {
	char vendor[CABLE_TEXT + 1], part[CABLE_TEXT + 1], serial[CABLE_TEXT + 1];
	uint32_t oui;
	uint16_t length; /* dm */
	uint16_t speed;  /* the fastest, as a topology bit */
	uint8_t width;   /* the widest, as a topology bit */
	uint8_t type, technology, identifier, brand;
};

/* coefficient * 10^-magnitude */
struct ber {
	uint8_t coefficient, magnitude;
};

/* before the FEC, after it, and after PLR */
enum { PHY_RAW, PHY_EFFECTIVE, PHY_SYMBOL, PHY_BERS };

/* Numbers in the units of struct module; fec, diagnosis: as in registers. */
enum setting {
	SETTING_TEMPERATURE,
	SETTING_VOLTAGE,
	SETTING_RECEIVED,
	SETTING_SENT,
	SETTING_BIAS,
	SETTING_FEC,
	SETTING_DIAGNOSIS,
	SETTING_STATE, /* ModuleState */
	SETTING_ERROR, /* ErrorType of ModuleState */
	SETTINGS
};

struct settings {
	bool known[SETTINGS];
	int32_t values[SETTINGS];
	bool cable_known;
	struct cable cable;
	bool ber_known[PHY_BERS];
	struct ber ber[PHY_BERS];
};

/* Returns the settings of a port, which are empty at first, or NULL if out of memory. */
struct settings *settings_make(struct port *port);
/* Sets *value to the setting; keeps it if there is none. */
void setting_get(const struct port *port, enum setting which, int32_t *value);

/* Gets the cable that a port with a peer has unless it was set. */
void cable_derive(struct fabric *f, const struct port *port, struct cable *cable);
/* Gets the cable at a port. Returns false if none is plugged in. */
bool cable_get(struct fabric *f, const struct port *port, struct cable *cable);
/* Checks if a cable or transceiver has light: active copper has a sensor alone. */
bool cable_is_optical(const struct cable *cable);
/* Replaces the cable of a link, as both its ends report it; CABLE_UNPLUGGED: they do not see it. Returns 0 or -ENOMEM. */
int cable_set(struct fabric *f, struct port *port, const struct cable *cable);

#endif
