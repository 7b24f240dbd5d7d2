/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A simulated subnet: nodes and ports with the state that a subnet manager programs into them, and packets
 * that travel between them hop by hop.
 *
 * The fabric has no clock: the caller passes the time, in nanoseconds since an arbitrary epoch, never
 * backwards. The fabric reports when its next event is due. Events that are due at the same time are
 * processed in the order in which they were queued; therefore the same calls give the same run.
 */
#ifndef SIM_FABRIC_FABRIC_H
#define SIM_FABRIC_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/error.h>
#include <madkit/mad.h>
#include "wire/access.h"
#include "topology/topology.h"
#include "util/heap.h"
#include "util/list.h"

/* The default GID prefix (link-local), until a subnet manager sets another one. */
#define FABRIC_GID_PREFIX UINT64_C(0xfe80000000000000)

enum {
	FABRIC_INFO_BYTES = 64, /* data of an SMP */
	FABRIC_PKEYS = 64,      /* PartitionCap */
	FABRIC_LANES_BYTES = 8, /* a map of SLtoVLMappingTable */
	FABRIC_GUIDS = 8,       /* GuidCap */
	FABRIC_LINEAR_CAP = 0xc000,
	FABRIC_MULTICAST_CAP = 4096,
	FABRIC_ENFORCED_PKEYS = 32, /* PartitionEnforcementCap */
	FABRIC_VLS = 15,            /* data VLs, VL0 to VL14 */
	FABRIC_ARBITRATION = 16,    /* entries of each VL arbitration table, at least FABRIC_VLS */

	FABRIC_TRAINING_MS_MAX = 3600000,

	FABRIC_LID_MULTICAST = 0xc000, /* the first multicast LID */
	FABRIC_LID_PERMISSIVE = 0xffff,
};

/* PortState and PortPhysicalState of PortInfo. */
enum {
	PORT_NO_CHANGE,
	PORT_DOWN,
	PORT_INIT,
	PORT_ARMED,
	PORT_ACTIVE,
	PHYS_SLEEP = 1,
	PHYS_POLLING = 2,
	PHYS_DISABLED = 3,
	PHYS_TRAINING = 4,
	PHYS_LINK_UP = 5,
};

/* The addresses of a packet: LRH, BTH, DETH and, if present, GRH. */
struct fabric_head {
	uint16_t slid, dlid;
	uint32_t source_qp, qp, qkey;
	uint16_t pkey;
	uint8_t sl;
	bool grh;
	uint8_t sgid[16], dgid[16];
	uint8_t hop_limit, traffic_class;
	uint32_t flow_label;
};

/* Why a packet was dropped. */
enum fabric_drop {
	DROP_MALFORMED, /* wrong base version, or its QP does not accept the class or method */
	DROP_LINK_DOWN,
	DROP_PORT_STATE,     /* not an SMP, and the port is not active */
	DROP_NO_ROUTE,       /* no forwarding entry, or an entry without a usable port */
	DROP_NOT_MINE,       /* arrived at an end port that does not have its DLID */
	DROP_DIRECTED_ROUTE, /* the directed route does not fit the node (C14-9, C14-13) */
	DROP_M_KEY,
	DROP_P_KEY,
	DROP_HOPS,    /* routing loop */
	DROP_FLOODED, /* a multicast tree with a loop has filled the fabric */
	DROP_NO_MEMORY,
	DROP_UNEXPECTED, /* no agent takes it, or its Q_Key is wrong */
	DROP_CORRUPT,    /* wrong CRC */
	DROP_GONE,       /* the node is powered off */
	DROP_VL15,       /* the VL15 buffer of the port is full */
	DROP_GSI,        /* the agent of QP1 is slow, and has no receive buffer left */
	DROP_NO_VL,      /* the SL has no operational VL */
	DROP_MUTE,       /* the agent that would process it is mute */
	DROP_CC_KEY,
	DROP_V_KEY,
	FABRIC_DROPS
};
const char *fabric_drop_name(enum fabric_drop why);

/* Events of a simulation. */
enum sim_event_kind {
	EVENT_PORT_STATE, /* state: the new state; was: the previous one */
	EVENT_DROP,       /* why, head, mad */
	EVENT_FAULT,      /* name: the action; count: ID of the rule; head, mad: before the action */
	EVENT_OVERFLOW,   /* count: MADs dropped by a full queue, in total */
	EVENT_REREGISTER, /* a manager has set ClientReregister of this end port */
	EVENT_SM_STATE,   /* name: "discovering", "master", "standby", "not-active" */
	EVENT_SUBNET_UP,  /* count: nodes; after each sweep that changed something */
	/* A sweep was aborted, or (error -EREMOTEIO) a Set of the first sweep was refused. Another sweep
	 * follows. */
	EVENT_SWEEP_FAILED,
};

struct sim_event {
	enum sim_event_kind kind;
	uint64_t time; /* simulated time in ns, set by the simulation */
	uint32_t node; /* index in the topology, or TOPOLOGY_NONE */
	unsigned int port;
	uint8_t state, was;
	enum fabric_drop why;
	const char *name;
	uint64_t count;
	int error; /* -errno */
	const struct fabric_head *head;
	const uint8_t *mad; /* MADKIT_MAD_BYTES; mad and head are NULL if unknown */
};

/*
 * Callbacks. Each may be NULL. They must not call fabric_process(), fabric_free(), sm_process() or sm_free().
 */
struct fabric_watcher {
	/* A MAD has arrived at the end port (port 0 of a switch), and the agents of the node do not handle
	 * it. */
	void (*arrive)(void *context, uint32_t node, unsigned int port, const struct fabric_head *head,
		       const uint8_t *mad);
	/* Something has happened to a port, a packet, a host or a subnet manager. */
	void (*event)(void *context, const struct sim_event *event);
	void *context;
};

/* Widths and speeds are topology bits; the MTU is coded as in PortInfo. */
struct fabric_rate {
	uint8_t width;
	uint16_t speed;
	uint8_t mtu;
};

/* buffers: unprocessed SMPs that a port can hold; 0: no limits. service_ns: the time that an agent takes for
 * each SMP. */
struct fabric_vl15 {
	uint32_t buffers;
	uint64_t service_ns;
};

struct nearest;
struct port;

struct fabric_options {
	uint64_t hop_ns;      /* transit time from port to port */
	uint64_t answer_ns;   /* time until a response leaves, independent of the load */
	uint64_t training_ns; /* training time of a link that was plugged in or taken down */
	struct fabric_vl15 vl15;
	struct fabric_watcher watcher;
};

/* Returns NULL if out of memory. The topology is copied. */
struct fabric *fabric_new(const struct topology *t, const struct fabric_options *options);
void fabric_free(struct fabric *f);

/*
 * Sends a MAD from an end port. head has source_qp, qp, qkey, pkey, sl and dlid; if slid is 0, the LID of the
 * port is used. As in user space, an SMP with a directed route has hop pointer 0; a response keeps the hop
 * pointer of its request. Nothing is processed before the next fabric_process().
 *
 * Returns 0; -EINVAL if there is no such end port, or the MAD does not have 256 bytes or has another base
 * version; -ENOMEM.
 */
int fabric_send(struct fabric *f, uint32_t node, unsigned int port, const struct fabric_head *head,
		const uint8_t *mad, size_t len, uint64_t now);

/* Sets the present time. Events that are due before it are processed late; a link that flaps does not make up
 * for the changes that it missed. */
void fabric_present(struct fabric *f, uint64_t now);
/* Returns the time of the next event, or UINT64_MAX if none is due. */
uint64_t fabric_deadline(const struct fabric *f);
/* Processes all events that are due by now, including those that follow from them. */
void fabric_process(struct fabric *f, uint64_t now);

/* ---- manual changes, by console commands --------------------------------------- */

/* Unplugs the cable at a port, or plugs it in again, and ends its flapping. Returns 0, or -EINVAL if there is
 * no cable. */
int fabric_cable(struct fabric *f, uint32_t node, unsigned int port, bool plugged);
/* Makes a link flap: unplugs the cable at a port, plugs it in again after ns, and so on. Returns 0; -EINVAL
 * if there is no cable; -ENOMEM. */
int fabric_flap(struct fabric *f, uint32_t node, unsigned int port, uint64_t ns);
/* A data stream out of a port and into its peer, until the link goes down. */
struct fabric_traffic {
	uint64_t rate;      /* bit/s; 0: no traffic */
	unsigned int bytes; /* of each packet, from the LRH to the ICRC */
	unsigned int sl;
};
/* Sets why the link of a port last went down: reasons of LinkDownInfo. Without a local one, the peer is to blame. */
void fabric_set_loss(struct port *port, uint8_t local, uint8_t remote);
/* Replaces the traffic out of a port; the node and the port must exist. Returns 0; -EINVAL if there is no
 * cable; -ENOTCONN if the link is not active; -ERANGE if the rate exceeds fabric_data_rate(); -ENOMEM. */
int fabric_traffic(struct fabric *f, uint32_t node, unsigned int port, const struct fabric_traffic *traffic);
/* Changes of one end of a link: the best width and speed that it supports, that it enables, and those that it reports
 * as active. The MTU is not used; width 0 changes nothing. */
struct fabric_end {
	struct fabric_rate supported, enabled, shows;
};
/* Changes one end of a link. An end enables all that it is made to support, up to enabled. The link is trained if its
 * rate changes. An end reports the rate shows, whatever the rate of the link, until fabric_restore(). Returns 0;
 * -EINVAL if the port has no link; -ERANGE if it does not support the rate that it shall enable; -ENOTSUP if it shall
 * support FDR10, which only devices of Mellanox have. */
int fabric_set_end(struct fabric *f, uint32_t node, unsigned int port, const struct fabric_end *end);
/* Gets all widths and speeds that both ends of a link support, and the largest MTU. Returns 0, or -EINVAL if
 * there is no link. */
int fabric_link_supports(struct fabric *f, uint32_t node, unsigned int port, struct fabric_rate *rate);
/* Degrades a link to a width, a speed and an MTU (0: keep), or restores it if these are the best that both
 * ends support. If anything changes, the link goes down, both ends count that, and it is trained again.
 * Returns 0, or -EINVAL if there is no link or its ends do not support the rate. */
int fabric_degrade(struct fabric *f, uint32_t node, unsigned int port, const struct fabric_rate *rate);
/* Enables all widths and speeds at both ends of a link and restores the best that both support; both ends report it.
 * Returns as fabric_degrade(). */
int fabric_restore(struct fabric *f, uint32_t node, unsigned int port);

/* Powers a node off or on. While it is off, its links are down and it does not respond. Powered on again, it
 * has its links, except unplugged ones, and keeps everything that was programmed into it. Returns 0, or
 * -EINVAL if there is no such node. */
int fabric_power(struct fabric *f, uint32_t node, bool on);
/* The management agents of a node: SMI is the subnet management agent (QP0), GSI the agents of the node on
 * QP1. */
enum fabric_agent { AGENT_SMI, AGENT_GSI, FABRIC_AGENTS };
/* Makes an agent mute, or sets the time that it takes for each MAD, one at a time (slow_ns 0: normal).
 * Returns 0; -EINVAL if there is no such node or agent; -ENOMEM. */
int fabric_set_agent(struct fabric *f, uint32_t node, enum fabric_agent agent, bool mute, uint64_t slow_ns);
/* Parses "typical" or "BUFFERS,US". Returns 0, or -EINVAL with an error that names the word. */
int fabric_vl15_parse(const char *words, struct fabric_vl15 *vl15, struct madkit_error *error);
/* Changes the description of a node to len bytes (at most 64). Its end ports send trap 144. Returns 0, or
 * -EINVAL if there is no such node. */
int fabric_set_description(struct fabric *f, uint32_t node, const void *text, size_t len);
/* The firmware of a node: its version, and the ID of its board, at most 16 bytes. */
struct fabric_firmware {
	uint32_t version[3];
	char psid[16];
	bool known;
};
/* Sets the firmware that GeneralInfo reports. Until then, devices with registers have a default, and other nodes do not
 * answer it. Returns 0, or -EINVAL if there is no such node, or it is a device of another vendor. */
int fabric_set_firmware(struct fabric *f, uint32_t node, const struct fabric_firmware *firmware);
/* Sets or clears CapabilityMask.IsSM of an end port, because a subnet manager starts or ends there. A change
 * sends trap 144. Returns 0, or -EINVAL if there is no such end port. */
int fabric_set_sm(struct fabric *f, uint32_t node, unsigned int port, bool is_sm);

/* ---- data structures --------------------------------------------------------------- */

/* The first counters are those of PortCountersExtended, in its order. */
enum pma_counter {
	PMA_XMIT_DATA,
	PMA_RCV_DATA,
	PMA_XMIT_PKTS,
	PMA_RCV_PKTS,
	PMA_XMIT_UNICAST,
	PMA_RCV_UNICAST,
	PMA_XMIT_MULTICAST,
	PMA_RCV_MULTICAST,
	PMA_SYMBOL_ERROR,
	PMA_LINK_RECOVERY,
	PMA_LINK_DOWNED,
	PMA_RCV_ERRORS,
	PMA_REMOTE_PHYSICAL,
	PMA_RELAY_ERRORS,
	PMA_XMIT_DISCARDS,
	PMA_XMIT_CONSTRAINT,
	PMA_RCV_CONSTRAINT,
	PMA_LOCAL_INTEGRITY,
	PMA_OVERRUN,
	PMA_VL15_DROPPED,
	PMA_XMIT_WAIT,
	PMA_QP1_DROPPED,
	/* PortRcvErrorDetails and PortXmitDiscardDetails */
	PMA_LOCAL_PHYSICAL,
	PMA_DLID_MAPPING,
	PMA_VL_MAPPING,
	PMA_LOOPING,
	PMA_INACTIVE,
	PMA_COUNTERS
};

/* Why a link went down, as an end of it sees that: values of LinkDownInfo. */
struct link_loss {
	uint8_t blame, intent, local, remote;
	uint32_t unintended, intended; /* losses so far */
};

struct port {
	uint8_t info[FABRIC_INFO_BYTES]; /* PortInfo; its active rates are kept up to date */
	uint32_t peer;                   /* index in ports, or TOPOLOGY_NONE */
	uint32_t node;
	uint8_t number;
	bool unplugged;
	/* the width and speed that the link is degraded to, as topology bits; 0: not degraded */
	uint8_t width;
	uint16_t speed;
	struct fabric_rate
		shows; /* the rate that it reports, whatever that of the link; width 0: that of the link */
	/* FDR10 is not part of the IBA: MlnxExtendedPortInfo reports it */
	bool fdr10_supported, fdr10_enabled, fdr10_active;
	uint8_t enforce; /* external port of a switch: ENFORCE_ bits */
	bool lease;      /* the M_Key lease runs, until lease_end */
	uint64_t lease_end;
	uint64_t trained_at; /* end of the training, at one end of the link; 0: none */
	uint64_t flaps_at;   /* next change of the cable, at one end of the link; 0: none */
	uint64_t flap_ns;    /* time between changes */
	uint64_t up_at;      /* when the link came up */
	struct link_loss loss;
	struct settings *settings; /* of its cable, module and link, by control words; NULL: none */
	uint64_t guid;
	uint64_t counts[PMA_COUNTERS]; /* totals since the port was created, never reset */
	struct counters *counters;     /* rates, views and further counters; NULL: none */
	struct end_port *end;          /* NULL: not an end port */
	uint8_t *pkeys;                /* P_KeyTable of a switch's external port; NULL: initial values */
	uint8_t *arbitration;          /* both VL arbitration tables; NULL: initial values */
};

enum fabric_trap {
	TRAP_LINK_STATE,
	TRAP_CAPABILITIES,
	TRAP_DESCRIPTION,
	TRAP_M_KEY,
	TRAP_P_KEY,
	TRAP_Q_KEY,
	TRAP_SWITCH_P_KEY,
	FABRIC_TRAPS
};

/* The port enforces partitions for packets that it receives or sends. */
enum { ENFORCE_INBOUND = 1, ENFORCE_OUTBOUND = 2 };

struct end_port {
	uint64_t traps[FABRIC_TRAPS];    /* TIDs of the traps that are being sent; 0: none */
	uint8_t pkeys[FABRIC_PKEYS * 2]; /* in the format of P_KeyTable */
	uint8_t guids[FABRIC_GUIDS * 8]; /* in the format of GUIDInfo */
	struct samples *samples;         /* PortSamplesControl; NULL: no sample was ever taken */
	struct hardware *hardware;       /* counters of hw_counters/; NULL: all 0, default lifespans */
	struct congestion *congestion;   /* congestion control settings; NULL: initial values */
};

struct node {
	uint8_t info[FABRIC_INFO_BYTES]; /* NodeInfo, without PortGUID and LocalPortNum */
	uint8_t description[FABRIC_INFO_BYTES];
	uint8_t led[FABRIC_INFO_BYTES];
	uint32_t first; /* index of port 0 in ports */
	uint8_t type;
	uint8_t nports;
	bool off;
	struct fabric_firmware firmware;
	const struct device *device;     /* NULL: it has no registers */
	struct misbehaviour *misbehaves; /* how it answers requests for registers; NULL: correctly */
	int16_t temperature;             /* of the ASIC, in 1/8 degree Celsius; 0: derived */
	uint8_t *sl2vl;                  /* maps of 8 bytes (lanes_map()); NULL: initial values */
	/* switches only */
	uint8_t switch_info[FABRIC_INFO_BYTES];
	uint8_t *linear;    /* the port for each LID */
	uint32_t nlinear;   /* number of stored entries; all others are 255 */
	uint8_t *multicast; /* blocks of MulticastForwardingTable; NULL: all zero */
	uint8_t positions;  /* of each block: one for 16 ports */
};

struct fabric {
	struct fabric_options options;
	struct node *nodes;
	uint32_t nnodes;
	struct port *ports;
	uint32_t nports;
	struct heap queue; /* by the time at which packets are due */
	struct packet *spare;
	uint64_t traps; /* TID of the last trap */
	uint64_t now;
	uint64_t present;      /* see fabric_present() */
	struct faults *faults; /* NULL: no rules */
	struct agents *agents; /* NULL: all agents are normal, and VL15 is not limited */
};

static inline struct port *node_port(struct fabric *f, const struct node *node, unsigned int number)
{
	return &f->ports[node->first + number];
}

/* Returns the end port of a node with this number, or NULL if there is none. */
static inline struct port *fabric_end_port(struct fabric *f, uint32_t node, unsigned int number)
{
	struct port *port;

	if (node >= f->nnodes || number > f->nodes[node].nports)
		return NULL;
	port = node_port(f, &f->nodes[node], number);
	return port->end ? port : NULL;
}

static inline bool lid_is_unicast(uint64_t lid)
{
	return lid && lid < FABRIC_LID_MULTICAST;
}

static inline bool lid_is_multicast(uint16_t lid)
{
	return lid >= FABRIC_LID_MULTICAST && lid != FABRIC_LID_PERMISSIVE;
}

static inline bool is_switch(const struct node *node)
{
	return node->type == TOPOLOGY_SWITCH;
}

/* Returns the end port to which a packet at this port belongs: port 0 of a switch, else the port itself. */
static inline struct port *end_port_of(struct fabric *f, struct port *port)
{
	struct node *node = &f->nodes[port->node];

	return is_switch(node) ? node_port(f, node, 0) : port;
}

/*
 * Returns the index of the entry of an end port's P_KeyTable that matches the P_Key of a packet, or -1. Keys
 * match if they are of the same partition and at least one has full membership (IBA volume 1, section
 * 10.9.3). An entry with full membership is preferred, because it also matches in the other direction.
 */
int fabric_find_pkey(const struct port *end, uint16_t pkey);
/* Returns the P_KeyTable of a port, or NULL if out of memory: FABRIC_PKEYS of an end port, else one block. */
uint8_t *fabric_pkeys(struct port *port);
/* Makes an external port of a switch enforce partitions as its PortInfo says. */
void fabric_enforce(struct port *port);
/* Returns the map of SLs to VLs from port in (0 for a CA or router) to port out, or NULL if out of memory. */
uint8_t *fabric_lanes(struct node *node, unsigned int in, unsigned int out);

/* ---- MADs of 256 bytes ------------------------------------------------------------- */

enum { MAD_DIRECTION = 0x80 }; /* in the first byte of the status: a directed route on its way back */

/* Returns true if an agent responds to a MAD with this method. */
static inline bool method_wants_response(uint8_t method)
{
	return !(method & MADKIT_METHOD_RESPONSE) && method != MADKIT_METHOD_SEND &&
	       method != MADKIT_METHOD_TRAP && method != MADKIT_METHOD_REPORT &&
	       method != MADKIT_METHOD_TRAP_REPRESS;
}

/* Initialises a MAD: the header, and zeros. */
static inline void mad_begin(uint8_t mad[MADKIT_MAD_BYTES], uint8_t mgmt_class, uint8_t class_version,
			     uint8_t method, uint16_t attribute, uint32_t modifier, uint64_t tid)
{
	memset(mad, 0, MADKIT_MAD_BYTES);
	mad[MADKIT_MAD_BASE_VERSION] = MADKIT_BASE_VERSION_IB;
	mad[MADKIT_MAD_CLASS] = mgmt_class;
	mad[MADKIT_MAD_CLASS_VERSION] = class_version;
	mad[MADKIT_MAD_METHOD] = method;
	put_be64(mad + MADKIT_MAD_TID, tid);
	put_be16(mad + MADKIT_MAD_ATTRIBUTE, attribute);
	put_be32(mad + MADKIT_MAD_MODIFIER, modifier);
}

/* Turns a Get or Set into its response. */
static inline void fabric_respond(uint8_t *mad, uint16_t status)
{
	mad[MADKIT_MAD_METHOD] = MADKIT_METHOD_GET | MADKIT_METHOD_RESPONSE;
	put_be16(mad + MADKIT_MAD_STATUS, status);
	if (mad[MADKIT_MAD_CLASS] == MADKIT_CLASS_SUBN_DR)
		mad[MADKIT_MAD_STATUS] |= MAD_DIRECTION;
}

/* Reports an event to the watcher. */
void fabric_report(struct fabric *f, const struct sim_event *event);
/* Reports a packet that is dropped at this port. */
void fabric_drop(struct fabric *f, const struct port *at, enum fabric_drop why,
		 const struct fabric_head *head, const uint8_t *mad);

/* Returns the active speed as a topology bit, or 0 if none. */
unsigned int port_speed(const struct port *port);

/*
 * Sets a counter in each attribute of PerfMgt that has it; if a field is too narrow, all its bits are set.
 * name is the name of a field, with the index of an array element: "XmtDataSL3". Returns 0; -ENOENT if no
 * counter has this name; -ERANGE if the value does not fit the widest field; -ENOMEM.
 */
int pma_set(struct fabric *f, struct port *port, const char *name, uint64_t value);
/* Offers the names of all counters that the port has to nearest_try(). */
void pma_try_names(const struct port *port, struct nearest *nearest);
/* Returns the data rate of an active link in bit/s, without encoding, or 0 if the link is not active. */
uint64_t fabric_data_rate(const struct port *port);
/* Makes an error counter grow at a rate, in millionths of an error per second; 0 stops it. Returns as
 * pma_set(), and -EINVAL if the counter does not count errors. */
int pma_set_rate(struct fabric *f, struct port *port, const char *name, uint64_t rate);

/* Returns the value of a counter of PortCountersExtended. */
uint64_t pma_get(struct fabric *f, const struct port *port, enum pma_counter which);

/* Handles a request to the performance management agent that arrived at the end port. Returns false if mad is
 * not such a request, else mad holds the response. */
bool pma_handle(struct fabric *f, struct port *end, uint8_t *mad);

/*
 * The counters in hw_counters/ of an InfiniBand port with mlx5_ib of Linux 6.1
 * (drivers/infiniband/hw/mlx5/counters.c). They count events of queue pairs, which are not simulated: only
 * control commands change them. Traffic does not, because it has no operations.
 */
/* Returns the name of a counter by its number, from 0; NULL if there is no such counter. */
const char *hardware_name(unsigned int which);
uint64_t hardware_get(struct fabric *f, const struct port *port, unsigned int which);
/* Returns 0; -ENOENT if the name is unknown or the port is not an end port of a CA or router; -ENOMEM. */
int hardware_set(struct fabric *f, struct port *port, const char *name, uint64_t value);
/* Makes a counter grow at a rate, in millionths per second; 0 stops it. Returns as hardware_set(). */
int hardware_set_rate(struct fabric *f, struct port *port, const char *name, uint64_t rate);

/* Returns the value in the file of a counter. Like update_hw_stats() of Linux, it reads a copy of all
 * counters, which is renewed if it is older than the lifespan. A value from hardware_set() is visible at
 * once. */
uint64_t hardware_shown(struct fabric *f, const struct port *port, unsigned int which);
/* Lifespans are in ms; they are rounded up to kernel ticks of 4 ms. The RoCE device beside the CA has its own
 * lifespan. hardware_set_lifespan() returns 0 or -ENOMEM. */
unsigned int hardware_lifespan(const struct port *port, bool roce);
int hardware_set_lifespan(struct port *port, bool roce, unsigned int ms);

#endif
