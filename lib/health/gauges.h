/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Gauges: what registers report about ports and devices (class Mlnx, AccessRegisterGMP). */
#ifndef HEALTH_GAUGES_H
#define HEALTH_GAUGES_H

#include "health/state.h"

/* The registers that rules need. */
enum gauge_register {
	GAUGE_MODULE,    /* ModuleInfo of all ports: temp, module */
	GAUGE_DIAGNOSIS, /* LinkDiagnosis of all ports: module */
	GAUGE_BER,       /* BitErrors of ports that are up: ber */
	GAUGE_PHY,       /* PhyOperation of ports that are up: ber, fec */
	GAUGE_REASON,    /* LinkDownInfo of the ports of links that are slow or flapping */
	GAUGE_SENSOR,    /* Sensor 0 of nodes: temp */
	GAUGE_REGISTERS
};

/* Values beyond the alarm thresholds of their module, above the upper one and below the lower one. */
enum gauge_alarm {
	GAUGE_VOLTAGE_HIGH,
	GAUGE_VOLTAGE_LOW,
	GAUGE_RX_POWER_HIGH,
	GAUGE_RX_POWER_LOW,
	GAUGE_TX_POWER_HIGH,
	GAUGE_TX_POWER_LOW,
	GAUGE_TX_BIAS_HIGH,
	GAUGE_TX_BIAS_LOW,
	GAUGE_ALARMS
};

/* The module in a port. Temperatures are in 1/256 C. */
struct gauge_module {
	uint8_t type, technology, status; /* CableType, CableTechnology, ModuleStatus */
	int16_t temperature;              /* 0: not known */
	int16_t high;                     /* its alarm threshold; 0: it has none */
	bool named;                       /* it has a vendor or a serial number */
	uint8_t alarms;                   /* bits of enum gauge_alarm */
};

/* A bit error rate: coefficient times 10 to the power of minus magnitude. 15 and 255: no errors; 0 and 0: not known. */
struct gauge_ber {
	uint8_t coefficient, magnitude;
};

/* The bit errors of a port. */
struct gauge_errors {
	struct gauge_ber raw, effective, symbol;
	uint64_t time_ms; /* since the counters were cleared; 0: not known */
};

/* Why the link of a port went down. */
struct gauge_down {
	uint8_t blame;         /* DownBlame: 1 local, 2 remote */
	uint8_t local, remote; /* LocalReason and RemoteReason: 0 none, 1 unknown */
};

/* A port. */
struct gauge {
	uint8_t read;  /* bits of enum gauge_register: which of the rest are known */
	uint8_t lacks; /* bits of those that the device does not have */
	bool left;     /* something was not judged */
	struct gauge_module module;
	uint16_t diagnosis;
	uint16_t fec;
	struct gauge_errors errors;
	struct gauge_down down;
};

/* The sensor of a device. Temperatures are in 1/8 C; 0: not known. */
struct gauge_sensor {
	bool read;
	uint8_t port; /* by which it was read */
	int16_t temperature, high;
};

/* Returns the row of the tables of a register. */
const struct madkit_attribute *gauges_row(enum gauge_register which);

/* Lists the ports to read in h->ports; none if no rule needs the register. Returns 0 or -ENOMEM. */
int gauges_list(struct madkit_health *h, enum gauge_register which);

/* Makes room for readings of all ports. Returns 0 or -ENOMEM. */
int gauges_new(struct madkit_health *h);

/* Keeps a response. at: index of the port in h->ports. */
void gauges_take(struct madkit_health *h, enum gauge_register which, size_t at, const uint8_t *data);

/* Notes that there is no reading, for the rules that need it. lacks: the device does not have the register. why: a constant
 * text. */
void gauges_miss(struct madkit_health *h, enum gauge_register which, size_t at, bool lacks, const char *why);

/* Returns the gauge of a port; NULL if no register was requested. */
struct gauge *gauges_get(const struct madkit_health *h, struct sweep_place at);
static inline bool gauge_has(const struct gauge *gauge, enum gauge_register which)
{
	return gauge && gauge->read >> which & 1;
}

/* Counts the ports that rules did not judge, each once, and the devices that do not have a register. Where none has it, its rule
 * has not judged anything. Returns 0 or -ENOMEM. */
int gauges_count(struct madkit_health *h);

/* Notes that a rule did not judge a port. */
void gauges_leave(struct madkit_health *h, enum rule_number rule, struct sweep_place at, const char *why);

void gauges_free(struct madkit_health *h);

#endif
