/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of a judgement, shared by its files. */
#ifndef HEALTH_STATE_H
#define HEALTH_STATE_H

#include "health/rules.h"
#include "sweep/link.h"
#include "sweep/state.h"
#include "topology/topology.h"
#include "util/array.h"
#include "wire/access.h"

/* The requests, in the order in which they are sent. */
enum health_step {
	HEALTH_BEGIN,
	HEALTH_RISES,          /* PortCountersExtended of ports, unless they have no link to lose ... */
	HEALTH_RISES_NARROW,   /* ... and PortCounters of those without it */
	HEALTH_MANAGERS,       /* SMInfo of ports with a subnet manager */
	HEALTH_COUNTERS,       /* PortCounters of ports that are up */
	HEALTH_PARTITIONS,     /* P_KeyTable at links where a switch enforces partitions */
	HEALTH_FORWARDING,     /* LinearForwardingTable of switches */
	HEALTH_FIRMWARE,       /* GeneralInfo of nodes of Mellanox */
	HEALTH_MODULES,        /* registers (gauges.h): ModuleInfo ... */
	HEALTH_DIAGNOSES,      /* LinkDiagnosis */
	HEALTH_SENSORS,        /* Sensor */
	HEALTH_PHYS,           /* PhyOperation */
	HEALTH_BIT_ERRORS,     /* BitErrors */
	HEALTH_MANAGERS_AGAIN, /* SMInfo once more, unless exactly one is master, and all ports know it */
	HEALTH_STRAYS,         /* then PortInfo of ports that have another SMLid than the master's LID */
	HEALTH_RISES_AGAIN,    /* the second readings of counters */
	HEALTH_RISES_NARROW_AGAIN,
	HEALTH_RISES_DISCARDS, /* PortXmitDiscardDetails of ports that discard packets */
	HEALTH_REASONS,        /* LinkDownInfo of links that are slow or flapping */
	HEALTH_LINKS_AGAIN, /* PortInfo of both ends of links with ends that differ, or that are not Active */
	HEALTH_END,
};

/* A port with a subnet manager. */
struct health_manager {
	struct sweep_place at;
	bool answered;
	uint8_t state; /* SMState of the last reading */
};

/* An end port that had another SMLid than the LID of the master. */
struct health_stray {
	struct sweep_place at;
	bool is_active;  /* in the second reading */
	uint16_t sm_lid; /* in the second reading */
};

/* GeneralInfo of a node. */
struct health_firmware {
	bool answered; /* perhaps that it does not have GeneralInfo */
	bool known;
	bool registers; /* it has AccessRegisterGMP */
	char psid[17];
	char version[36]; /* "20.41.1000" */
};

/* The P_KeyTable of a port. */
struct health_partitions {
	struct sweep_place at;
	bool read;
	uint16_t *keys; /* without empty entries */
	uint32_t n, cap;
};

struct health_count;
struct health_rise;
struct health_table;
struct gauge;
struct gauge_sensor;

/* A link with both ends known. Widths and speeds are bits of topology.h; 0: unknown. */
struct health_link {
	struct sweep_place a, b;
	struct link_rates rates[2];      /* of a and b */
	uint8_t state[2];                /* LinkState */
	struct madkit_sweep_link judged; /* as seen from a */
};

struct madkit_health {
	const struct madkit_sweep *sweep;
	struct madkit_health_settings settings;
	enum health_step step;
	struct madkit_survey_port *ports; /* of the last request */
	uint32_t nports, ports_cap;
	struct health_manager *managers;
	size_t nmanagers;
	struct health_stray *strays;
	size_t nstrays;
	struct health_rise *rises; /* in the order of nodes and ports; NULL: not requested */
	size_t nrises;
	uint32_t *rise_of;                      /* number in rises of each port of the request */
	uint8_t *narrow;                        /* by node: only PortCounters has its counters of errors */
	struct madkit_counters *comparisons[2]; /* of PortCounters; of PortCountersExtended */
	uint64_t first_ns;                      /* of the last one of the first readings */
	struct health_count *over;              /* counters above their limits */
	uint32_t nover, over_cap;
	struct health_partitions *pairs; /* in pairs of a switch port and the port of a host */
	size_t npairs;
	struct health_table *tables;        /* of each node; NULL: not requested */
	int error;                          /* of functions without a result of their own */
	struct health_firmware *firmware;   /* of each node; NULL: not requested */
	struct madkit_registers *registers; /* of the sweep; NULL: none was requested */
	struct gauge *gauges;               /* of all ports of all nodes; NULL: no register was requested */
	uint32_t *gauge_first;              /* number in gauges of port 0 of each node */
	struct gauge_sensor *sensors;       /* of each node */
	/* the second reading: PortInfo of ports[], in pairs of both ends of a link */
	uint8_t (*again)[MADKIT_SWEEP_INFO_BYTES];
	bool *again_read;
	struct health_problem **problems;
	uint32_t nproblems, problems_cap;
	uint8_t read_gauges; /* bits of registers that were read somewhere */
	struct madkit_unjudged *unjudged;
	uint32_t nunjudged, unjudged_cap;
	uint32_t kins;    /* numbers of kin that were assigned */
	struct table kin; /* problems by rule, severity, types and text */
	struct madkit_buf text, scratch;
	struct madkit_health_counts counts;
};

static inline bool health_wants(const struct madkit_health *h, enum rule_number rule)
{
	return h->settings.rules >> rule & 1;
}

static inline const struct madkit_sweep_node *health_node(const struct madkit_health *h, uint32_t node)
{
	return &h->sweep->nodes[node]->node;
}

static inline const struct madkit_sweep_port *health_port(const struct madkit_health *h,
							  struct sweep_place at)
{
	return &health_node(h, at.node)->ports[at.port];
}

/* Checks if a port was read, and had no link then. */
static inline bool health_is_down(const struct madkit_health *h, struct sweep_place at)
{
	const struct madkit_sweep_port *p = health_port(h, at);

	return p->state == MADKIT_SWEEP_ANSWERED &&
	       field_get(MADKIT_PORT_INFO_LINK_STATE, p->info) == MADKIT_PORT_STATE_DOWN;
}

/* PortPhysicalState */
enum { HEALTH_POLLING = 2, HEALTH_DISABLED = 3 };

static inline uint64_t health_phys_state(const struct madkit_health *h, struct sweep_place at)
{
	return field_get(MADKIT_PORT_INFO_PHYS_LINK_STATE, health_port(h, at)->info);
}

/* Adds a port to those of the next request. Returns 0 or -ENOMEM. */
static inline int health_add_port(struct madkit_health *h, uint32_t node, unsigned int port)
{
	const int ret = array_room(&h->ports, &h->ports_cap, h->nports, 1, sizeof(*h->ports));

	if (!ret)
		h->ports[h->nports++] = (struct madkit_survey_port){ node, (uint8_t)port, 0 };
	return ret;
}

/* Checks if a node is an aggregation node of SHARP: a part of a switch that looks like a host. */
static inline bool health_is_aggregation(const struct madkit_sweep_node *n)
{
	return n->type == MADKIT_NODE_TYPE_CHANNEL_ADAPTER && n->described == MADKIT_SWEEP_ANSWERED &&
	       !memcmp(n->description, TOPOLOGY_AGGREGATION, sizeof(TOPOLOGY_AGGREGATION) - 1);
}

#endif
