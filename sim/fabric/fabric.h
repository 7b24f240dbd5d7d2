/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A subnet in memory: nodes and ports with what a subnet manager programs into them,
 * and packets that travel between them, hop by hop.
 *
 * It is told what time it is (nanoseconds from anywhere, never backwards) and says
 * when it next has something to do. What is due at one time happens in the order in
 * which it was sent, so that the same calls give the same run.
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

/* Of GIDs, until a subnet has one of its own: the link-local one. */
#define FABRIC_GID_PREFIX UINT64_C(0xfe80000000000000)

enum {
	FABRIC_INFO_BYTES = 64, /* data of an SMP */
	FABRIC_PKEYS = 64,      /* PartitionCap */
	FABRIC_GUIDS = 8,       /* GuidCap */
	FABRIC_LINEAR_CAP = 0xc000,
	FABRIC_MULTICAST_CAP = 4096,
	FABRIC_ENFORCED_PKEYS = 32, /* PartitionEnforcementCap */
	FABRIC_VLS = 15,            /* data VLs, VL0 to VL14 */
	FABRIC_ARBITRATION = 16,    /* entries of each VL arbitration table, at least FABRIC_VLS */

	FABRIC_TRAINING_MS_MAX = 3600000,
	FABRIC_VENDOR_MELLANOX = 0x2c9, /* NodeInfo.VendorID */

	FABRIC_LID_MULTICAST = 0xc000, /* the first */
	FABRIC_LID_PERMISSIVE = 0xffff,
};

/* PortInfo's PortState and PortPhysicalState. */
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

/* What a packet has beside its MAD: LRH, BTH, DETH and, where there is one, GRH. */
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

/* Why a packet goes no further. */
enum fabric_drop {
	DROP_MALFORMED, /* no MAD of 256 bytes, or of another base version */
	DROP_LINK_DOWN,
	DROP_PORT_STATE,     /* not active, and it is no SMP */
	DROP_NO_ROUTE,       /* no forwarding entry, or one that leads nowhere */
	DROP_NOT_MINE,       /* came to an end port that has another LID */
	DROP_DIRECTED_ROUTE, /* its hops do not fit the node (C14-9, C14-13) */
	DROP_M_KEY,
	DROP_P_KEY,
	DROP_HOPS,    /* went around in circles */
	DROP_FLOODED, /* a multicast tree with a circle in it fills the fabric */
	DROP_NO_MEMORY,
	DROP_UNEXPECTED, /* a request that nobody answers */
	DROP_CORRUPT,    /* its CRC is wrong */
	DROP_GONE,       /* the node is switched off */
	DROP_VL15,       /* the VL15 buffer of the port is full */
	DROP_GSI,        /* the agent of queue pair 1 is slow, and has no receive buffer left */
	DROP_NO_VL,      /* its SL has no operational VL */
	DROP_MUTE,       /* the agent that would process it is mute */
	DROP_CC_KEY,
	FABRIC_DROPS
};
const char *fabric_drop_name(enum fabric_drop why);

/* What happens in a simulation. */
enum sim_event_kind {
	EVENT_PORT_STATE,   /* state: what it is now; was: before */
	EVENT_DROP,         /* why, head, mad */
	EVENT_FAULT,        /* name: what is done to a packet; count: by which rule; head,
				 * mad: as they were before */
	EVENT_OVERFLOW,     /* count: MADs that a full queue has dropped in all */
	EVENT_REREGISTER,   /* a manager has set ClientReregister of this end port */
	EVENT_SM_STATE,     /* name: "discovering", "master", "standby", "not-active" */
	EVENT_SUBNET_UP,    /* count: nodes; after each sweep that changed something */
	EVENT_SWEEP_FAILED, /* error: a sweep ended early, or (-EREMOTEIO) a set of the first one was
				 * refused. Another sweep follows */
};

struct sim_event {
	enum sim_event_kind kind;
	uint64_t time; /* ns, the simulation's, which sets it */
	uint32_t node; /* its number in the topology, or TOPOLOGY_NONE */
	unsigned int port;
	uint8_t state, was;
	enum fabric_drop why;
	const char *name;
	uint64_t count;
	int error; /* -errno */
	const struct fabric_head *head;
	const uint8_t *mad; /* MADKIT_MAD_BYTES; NULL, as head is: not known */
};

/*
 * What the caller learns. Either function may be NULL; none may call fabric_process(),
 * fabric_free(), sm_process() or sm_free().
 */
struct fabric_watcher {
	/* A MAD has come to the end port (a switch's is 0) and is not for the
	 * node's own agents. */
	void (*arrive)(void *context, uint32_t node, unsigned int port, const struct fabric_head *head,
		       const uint8_t *mad);
	/* Something has happened to a port, a packet, a host or a subnet manager. */
	void (*event)(void *context, const struct sim_event *event);
	void *context;
};

/* SMPs that are not yet processed, at each port, and the time that an agent takes for each. buffers 0: no limits. */
struct fabric_vl15 {
	uint32_t buffers;
	uint64_t service_ns;
};

struct nearest;

struct fabric_options {
	uint64_t hop_ns;      /* from port to port */
	uint64_t answer_ns;   /* until a response leaves, however many requests there are */
	uint64_t training_ns; /* until a link that has been plugged in or taken down is up */
	struct fabric_vl15 vl15;
	struct fabric_watcher watcher;
};

/* NULL: no memory. The topology is copied from, not kept. */
struct fabric *fabric_new(const struct topology *t, const struct fabric_options *options);
void fabric_free(struct fabric *f);

/*
 * A MAD leaves an end port: head has source_qp, qp, qkey, pkey, sl and dlid, and slid
 * is filled in where it is 0. An SMP with a directed route is given as user space
 * gives it: hop pointer 0 (a response: as it came). What is to happen at once does
 * so at the next fabric_process(). 0; -EINVAL: no such end port, or no MAD of 256
 * bytes; -ENOMEM.
 */
int fabric_send(struct fabric *f, uint32_t node, unsigned int port, const struct fabric_head *head,
		const uint8_t *mad, size_t len, uint64_t now);

/* What is due before now is done later than it was due: changes of links that flap are not made up for. */
void fabric_present(struct fabric *f, uint64_t now);
/* When something is due; UINT64_MAX: nothing is. */
uint64_t fabric_deadline(const struct fabric *f);
/* Does all that is due at now, and what follows from it at that time. */
void fabric_process(struct fabric *f, uint64_t now);

/* ---- by hand: what a console does ---------------------------------------------- */

/* Unplugs the cable at a port, or plugs it in again; it does not flap any more. -EINVAL: there is none. */
int fabric_cable(struct fabric *f, uint32_t node, unsigned int port, bool plugged);
/* Unplugs the cable at a port, plugs it in again after ns, unplugs it after ns more, and so on. -EINVAL: there is none;
 * -ENOMEM. */
int fabric_flap(struct fabric *f, uint32_t node, unsigned int port, uint64_t ns);
/* Data that flows out of a port, and into its peer, until the link goes down. */
struct fabric_traffic {
	uint64_t rate;      /* bit/s; 0: none */
	unsigned int bytes; /* of each packet, from the LRH to the ICRC */
	unsigned int sl;
};
/* -EINVAL: no cable is there; -ENOTCONN: the link is not active; -ERANGE: fabric_data_rate() is less;
 * -ENOMEM. */
int fabric_traffic(struct fabric *f, uint32_t node, unsigned int port, const struct fabric_traffic *traffic);
/* Widths and speeds as a topology has them, an MTU as PortInfo has it. */
struct fabric_rate {
	uint8_t width;
	uint16_t speed;
	uint8_t mtu;
};

/* What both ends of a link support: all widths and speeds, and the largest MTU. -EINVAL: there is no link. */
int fabric_link_supports(struct fabric *f, uint32_t node, unsigned int port, struct fabric_rate *rate);
/* Degrades a link to one width, one speed and one MTU (0: not changed), or restores it, if these are the best that
 * both ends support. A link that changes goes down at both ends, which count it, and is trained. -EINVAL: there is
 * no link, or its ends do not support the rate. */
int fabric_degrade(struct fabric *f, uint32_t node, unsigned int port, const struct fabric_rate *rate);
/* Restores a link to the best that both ends support, which they enable. */
int fabric_restore(struct fabric *f, uint32_t node, unsigned int port);

/* Switches a node off: its links are down and nothing in it answers. Switched on again it
 * has its links, but for the cables that are unplugged, and all that was programmed
 * into it. -EINVAL: there is none. */
int fabric_power(struct fabric *f, uint32_t node, bool on);
/* The management agents of a node: of subnet management (queue pair 0), and of the classes of queue pair 1 that the
 * node itself answers. */
enum fabric_agent { AGENT_SMI, AGENT_GSI, FABRIC_AGENTS };
/* Whether an agent is mute, and how long it takes for each MAD, one after the other (0: normal). -EINVAL: no such
 * node; -ENOMEM. */
int fabric_set_agent(struct fabric *f, uint32_t node, enum fabric_agent agent, bool mute, uint64_t slow_ns);
/* "typical" or "BUFFERS,US". 0; -EINVAL with error naming the word. */
int fabric_vl15_parse(const char *words, struct fabric_vl15 *vl15, struct madkit_error *error);
/* Changes a node's description to len bytes (at most 64). Its ports send trap 144 to the subnet manager.
 * -EINVAL: there is no such node. */
int fabric_set_description(struct fabric *f, uint32_t node, const void *text, size_t len);
/* A subnet manager runs at this end port, or ends: CapabilityMask.IsSM. */
int fabric_set_sm(struct fabric *f, uint32_t node, unsigned int port, bool is_sm);

/* ---- what it consists of ----------------------------------------------------------- */

/* What packets move. The first are the counters of PortCountersExtended, in its order. */
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
	/* of PortRcvErrorDetails and PortXmitDiscardDetails */
	PMA_LOCAL_PHYSICAL,
	PMA_DLID_MAPPING,
	PMA_VL_MAPPING,
	PMA_LOOPING,
	PMA_INACTIVE,
	PMA_COUNTERS
};

struct port {
	uint8_t info[FABRIC_INFO_BYTES]; /* PortInfo; active rates as they are */
	uint32_t peer;                   /* in ports; TOPOLOGY_NONE */
	uint32_t node;
	uint8_t number;
	bool unplugged;
	/* the link is degraded to these, one bit each as a topology has them; 0: it is not */
	uint8_t width;
	uint16_t speed;
	/* FDR10, which the IBA does not know: MlnxExtendedPortInfo tells it */
	bool fdr10_supported, fdr10_enabled, fdr10_active;
	uint8_t enforce; /* of a switch's external port: ENFORCE_ bits */
	bool lease;      /* the M_Key's runs out at: */
	uint64_t lease_end;
	uint64_t trained_at; /* the link is in training until then; 0: it is not */
	uint64_t flaps_at;   /* the next change of the cable, at one end of it; 0: the link does not flap */
	uint64_t flap_ns;    /* between changes */
	uint64_t guid;
	uint64_t counts[PMA_COUNTERS]; /* since the port was made; nothing resets them */
	struct counters *counters;     /* what else there is of counters; NULL: nothing */
	struct end_port *end;          /* NULL: not one */
	uint8_t *pkeys;                /* P_KeyTable of a switch's external port; NULL: as it began */
	uint8_t *arbitration;          /* the two VL arbitration tables; NULL: as they began */
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

/* A port enforces partitions for packets that it receives, that it sends. */
enum { ENFORCE_INBOUND = 1, ENFORCE_OUTBOUND = 2 };

struct end_port {
	uint64_t traps[FABRIC_TRAPS];    /* transaction IDs of those that are told; 0: none */
	uint8_t pkeys[FABRIC_PKEYS * 2]; /* as P_KeyTable has them */
	uint8_t guids[FABRIC_GUIDS * 8]; /* as GUIDInfo has them */
	struct samples *samples;         /* of PerfMgt; NULL: none was ever taken */
	struct hardware *hardware;       /* counters of hw_counters/; NULL: all 0 */
	struct congestion *congestion;   /* what was set of congestion control; NULL: nothing */
};

struct node {
	uint8_t info[FABRIC_INFO_BYTES]; /* NodeInfo, without the port's part */
	uint8_t description[FABRIC_INFO_BYTES];
	uint8_t led[FABRIC_INFO_BYTES];
	uint32_t first; /* in ports: port 0 */
	uint8_t type;
	uint8_t nports;
	bool off;
	uint8_t *sl2vl; /* 8 bytes for each pair of ports; NULL: as they began */
	/* of a switch */
	uint8_t switch_info[FABRIC_INFO_BYTES];
	uint8_t *linear;    /* a port for each LID */
	uint32_t nlinear;   /* how many are stored; those above are 255 */
	uint8_t *multicast; /* blocks of MulticastForwardingTable; NULL: none is set */
	uint8_t positions;  /* of a block: one for 16 ports */
};

struct fabric {
	struct fabric_options options;
	struct node *nodes;
	uint32_t nnodes;
	struct port *ports;
	uint32_t nports;
	struct heap queue; /* packets by the time at which they are due */
	struct packet *spare;
	uint64_t traps; /* that there were */
	uint64_t now;
	uint64_t present;      /* what is due before is done later than it was due */
	struct faults *faults; /* NULL: there are no rules */
	struct agents *agents; /* NULL: all agents are normal, and VL15 is not limited */
};

static inline struct port *node_port(struct fabric *f, const struct node *node, unsigned int number)
{
	return &f->ports[node->first + number];
}

/* The end port of a node that has this number; NULL: there is none. */
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

/* The end port that a packet which is at port belongs to: a switch's is port 0. */
static inline struct port *end_port_of(struct fabric *f, struct port *port)
{
	struct node *node = &f->nodes[port->node];

	return is_switch(node) ? node_port(f, node, 0) : port;
}

/*
 * The entry of an end port's P_KeyTable that matches the P_Key of a packet: of the same partition, and one of the
 * two keys has full membership (IBA volume 1, section 10.9.3). An entry with full membership is preferred, because
 * it is the one that matches in the other direction too. -1: there is none.
 */
int fabric_find_pkey(const struct port *end, uint16_t pkey);

/* ---- MADs of 256 bytes ------------------------------------------------------------- */

enum { MAD_DIRECTION = 0x80 }; /* in the first byte of the status: a directed route is on its way back */

/* Whether an agent responds to a MAD with this method. */
static inline bool method_wants_response(uint8_t method)
{
	return !(method & MADKIT_METHOD_RESPONSE) && method != MADKIT_METHOD_SEND &&
	       method != MADKIT_METHOD_TRAP && method != MADKIT_METHOD_REPORT &&
	       method != MADKIT_METHOD_TRAP_REPRESS;
}

/* Begins a MAD: its header, and zeros. */
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
/* ... of a packet that goes no further at this port. */
void fabric_drop(struct fabric *f, const struct port *at, enum fabric_drop why,
		 const struct fabric_head *head, const uint8_t *mad);

/* The active speed, one bit as a topology has it; 0: none. */
unsigned int port_speed(const struct port *port);

/*
 * Sets a counter in each attribute of PerfMgt that has it; a narrower field stops at all ones. name is
 * that of a field, with the number of the element: "XmtDataSL3". 0; -ENOENT: no counter has this
 * name; -ERANGE: value does not fit the widest field; -ENOMEM.
 */
int pma_set(struct fabric *f, struct port *port, const char *name, uint64_t value);
/* Compares the names of all counters that the port has. */
void pma_try_names(const struct port *port, struct nearest *nearest);
/* What the link of a port carries, without encoding: bit/s; 0: it is not active. */
uint64_t fabric_data_rate(const struct port *port);
/* Lets a counter of errors grow by a rate, in millionths of an error per second; 0 stops it. Returns as pma_set(),
 * and -EINVAL if the counter does not count errors. */
int pma_set_rate(struct fabric *f, struct port *port, const char *name, uint64_t rate);

/* What PortCountersExtended has for a counter. */
uint64_t pma_get(struct fabric *f, const struct port *port, enum pma_counter which);

/* Whether mad, which came to the end port, was a request for the performance management agent; it holds the
 * response then. */
bool pma_handle(struct fabric *f, struct port *end, uint8_t *mad);

/*
 * The counters that mlx5_ib of Linux 6.1 has in hw_counters/ of an InfiniBand port
 * (drivers/infiniband/hw/mlx5/counters.c). They count events of queue pairs, which are not simulated: only control
 * words move them. Traffic moves none of them, because it has no operations.
 */
/* The name of a counter, by its number from 0; NULL: there is no such number. */
const char *hardware_name(unsigned int which);
uint64_t hardware_get(struct fabric *f, const struct port *port, unsigned int which);
/* 0; -ENOENT: unknown name, or the port is not a port of a CA; -ENOMEM. */
int hardware_set(struct fabric *f, struct port *port, const char *name, uint64_t value);
/* Lets a counter grow by a rate, in millionths per second; 0 stops it. Returns as hardware_set(). */
int hardware_set_rate(struct fabric *f, struct port *port, const char *name, uint64_t rate);

/* What the file of a counter shows: as update_hw_stats() of Linux, a copy of all counters, which is made again when it is
 * older than the lifespan. hardware_set() shows at once. */
uint64_t hardware_shown(struct fabric *f, const struct port *port, unsigned int which);
/* In ms; a lifespan is a number of ticks of the kernel, of 4 ms each. The RoCE device beside the CA has a lifespan of its
 * own. 0; -ENOMEM. */
unsigned int hardware_lifespan(const struct port *port, bool roce);
int hardware_set_lifespan(struct port *port, bool roce, unsigned int ms);

#endif
