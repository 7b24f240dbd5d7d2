/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_sweep - discover the nodes, ports and links of a subnet
 *
 * A sweep sends directed-route SMPs, and needs no subnet manager; or it requests the tables of the
 * subnet administrator (SA). It changes nothing: all its requests are Gets. The caller drives it with
 * madkit_sweep_step().
 *
 * The function madkit_sweep_step() waits for responses, until the given time. The other
 * functions do not block. A sweep belongs to its port: only one thread at a time may use the port and
 * its sweeps (madkit_port(3)).
 */
#ifndef MADKIT_SWEEP_H
#define MADKIT_SWEEP_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stdint.h>
#include <madkit/addr.h>
#include <madkit/buf.h>
#include <madkit/error.h>
#include <madkit/message.h>
#include <madkit/names.h>
#include <madkit/port.h>

MADKIT_BEGIN_DECLS

/* ---- how a sweep proceeds ---------------------------------------------------
 * Each linked port of a switch is probed: NodeInfo is requested from the node at the other end of the
 * cable, so that each link between switches is probed from both ends. At most two requests to a node
 * are outstanding, and nodes take turns.
 *
 * There are two phases. In the first, each request has all tries but the last. If a node does not
 * respond, the rest of its requests move to the last phase, which begins when everything else has
 * ended. There, one SMP at a time occupies the window, because a node need not have a buffer for more, and
 * the last try is sent by another route if there is one: a node is reported as silent only if it does not
 * respond to that try. Requests that were not yet sent have all their tries there. If a node that was found
 * does not respond, its NodeInfo is requested once more. If it responds to that, the requests without a
 * response are repeated once.
 *
 * The window of the first phase grows by one SMP in each timeout without a loss, and is halved by a
 * loss, down to 1. It does not return to a size that has lost twice. Timeouts are up to 15 ms longer than timeout_ms, so that SMPs that were lost together
 * are not resent together.
 *
 * Three probes of new nodes in a row without a response end the search for new nodes, unless keep_going
 * is set. The cause may be M_Keys: a node is silent to a request with a wrong M_Key, and counts a
 * violation for each.
 */

/* ---- distances ---------------------------------------------------------------
 * The distance of a node is the least number of links that lead to it from a port. The route leaves a CA or
 * router only if it begins there, and then only by that port; it passes switches through all of their ports.
 * Directed routes are the same. The state of links does not count.
 *
 * A sweep measures from the port of this host, or from the node at the end of from, which is not left by
 * directed routes if it is a CA or router. A node may be found by a detour first, if responses were late
 * or lost: when nothing else is left to do, distances are measured again over all links that were found,
 * routes become the shortest ones, and the nodes that are near enough now are probed. A sweep of N hops
 * therefore has the nodes that the whole sweep has within N links, for any order of the responses; if
 * nodes are missing, refused or silent, they are counted. The links of its farthest nodes to others, and
 * to each other, are not known: a sweep of N + 1 hops has both ends of all links of the nodes within N.
 */

/* ---- through the subnet administrator ---------------------------------------
 * If sa is set, a sweep sends no SMPs. It requests the tables of NodeRecord, PortInfoRecord,
 * SwitchInfoRecord and LinkRecord from the SA of the port. They contain what the subnet manager knew
 * after its last sweep, limited to nodes that share a P_Key with the port. Widths and speeds can be
 * older, because a manager need not read them again while a link is up.
 *
 * The SA does not know:
 *
 * - directed routes: madkit_sweep_route() returns false. Use madkit_sweep_lid_address().
 * - FDR10: such links have QDR.
 * - which nodes are silent
 *
 * Data that the tables lack has the state MADKIT_SWEEP_UNKNOWN. Records that cannot be true, or
 * that contradict earlier ones, are ignored and counted: LIDs without a node, ports that a node does not
 * have, a second link of a port, a link of a port that is down. Two NodeRecords with the same node GUID
 * and port number, but different port GUIDs, are two nodes with the same GUID. If the port GUIDs are the
 * same, they are one port, with a record for each of its LIDs.
 *
 * Hops and parents are derived from the links. From a CA or router at the end of from, links are counted out of
 * the port by which the route enters it. If from or hops is set, nodes get their final numbers when the
 * sweep ends.
 */

/* ---- one link -----------------------------------------------------------------
 * If link is set, a sweep reads both ends of one cable: the port number link_port of the first node, and the port at
 * the other end. The first node is that of this host, or a switch: directed routes do not leave other CAs and
 * routers. If PortInfo of the first node needs an M_Key to be read (MkeyProtectBits 2 and above), but m_key returns 0 for
 * the other end, that is not queried: it would count a violation. Other ports of the two nodes stay MADKIT_SWEEP_UNKNOWN. With first, its description is not requested. With first and nameless, three SMPs are sent, unless
 * one is lost or a speed below 14 Gb/s per lane needs more attributes: PortInfo, NodeInfo from the other end, and
 * PortInfo from there.
 *
 * from may contain a LID in addition to a directed route, which then begins at the switch with this LID.
 */

/* In place of the number of a node: none. */
#define MADKIT_SWEEP_NONE UINT32_MAX

/* Limits and defaults. */
enum {
	MADKIT_SWEEP_INFO_BYTES = 64,     /* data of an SMP */
	MADKIT_SWEEP_NODES_MAX = 1 << 17, /* more than there are LIDs */
	MADKIT_SWEEP_PORTS_MAX = 1 << 21, /* of all nodes */
	MADKIT_SWEEP_DUPLICATES_MAX = 16, /* nodes with the same GUID */
	MADKIT_SWEEP_TIMEOUT_MS = 1000,
	MADKIT_SWEEP_RETRIES = 2,
	MADKIT_SWEEP_UNREACHED = 255, /* in place of a distance: no known link leads to the node */
};

/* The result of a request, or of the requests to a node. */
enum madkit_sweep_state {
	MADKIT_SWEEP_UNKNOWN, /* not requested, or not yet */
	MADKIT_SWEEP_ANSWERED,
	MADKIT_SWEEP_SILENT,  /* no response */
	MADKIT_SWEEP_REFUSED, /* a MAD status other than 0, or values that cannot be true */
};

/* Meaning of the FDR10 bits: PortInfo shows FDR10 as QDR. */
enum {
	MADKIT_SWEEP_FDR10_ACTIVE = 1 << 0,
	MADKIT_SWEEP_FDR10_ENABLED = 1 << 1,
	MADKIT_SWEEP_FDR10_SUPPORTED = 1 << 2,
};

/* Others that have the LIDs or the GUID of an end port: struct madkit_sweep_port.shared. */
enum {
	MADKIT_SWEEP_SHARED_LID = 1 << 0,  /* another end port has one of its LIDs */
	MADKIT_SWEEP_SHARED_GUID = 1 << 1, /* an end port of another node has its GUID */
	MADKIT_SWEEP_STALE_LID =
		1 << 2, /* its link is neither Armed nor Active, and another end port has its LID */
};

/* A port of a node. */
struct madkit_sweep_port {
	uint8_t info[MADKIT_SWEEP_INFO_BYTES]; /* PortInfo, if state is MADKIT_SWEEP_ANSWERED */
	uint64_t guid; /* of an end port (a CA's, a router's, a switch's port 0); else 0 */
	uint32_t peer; /* node at the other end of the cable; MADKIT_SWEEP_NONE: none, or not known */
	uint8_t peer_port;
	uint8_t state; /* enum madkit_sweep_state, of PortInfo */
	uint8_t far;   /* enum madkit_sweep_state, of the node at the other end */
	uint8_t fdr10; /* MADKIT_SWEEP_FDR10_... */
	/* enum madkit_sweep_state of the attributes that determine the speeds: PortInfo with bit 31 of the modifier, and
	 * MLNXExtendedPortInfo. MADKIT_SWEEP_UNKNOWN: not needed, or not yet; MADKIT_SWEEP_REFUSED: the port does not
	 * have it, as all ports through the SA. */
	uint8_t wide, extended;
	uint8_t shared; /* of an end port: MADKIT_SWEEP_SHARED_... */
};

/* A node. */
struct madkit_sweep_node {
	uint64_t guid, system_guid;
	uint32_t vendor;
	uint32_t revision;
	uint16_t device;
	uint16_t partitions; /* P_Keys that a CA, a router or port 0 of a switch can have */
	uint8_t type;        /* as in NodeInfo; an unknown type is treated as a CA */
	uint8_t nports;
	uint8_t number; /* port through which the node was found; of a switch that sweeps itself: 0 */
	uint8_t hops; /* distance from the first node, final when the sweep has ended; or MADKIT_SWEEP_UNREACHED */
	uint8_t parent_port;
	uint8_t state;     /* MADKIT_SWEEP_ANSWERED, or MADKIT_SWEEP_SILENT: it no longer responds */
	uint8_t described; /* enum madkit_sweep_state, of NodeDescription */
	uint8_t switched;  /* enum madkit_sweep_state, of SwitchInfo */
	uint8_t adaptive;  /* enum madkit_sweep_state, of AdaptiveRoutingInfo of a switch on a path */
	bool duplicate;    /* another node has the same GUID */
	uint32_t parent;   /* node before it on its route; MADKIT_SWEEP_NONE: the first node, or not known */
	struct madkit_sweep_port *ports; /* 0 to nports; only switches use port 0 */
	uint8_t description[MADKIT_SWEEP_INFO_BYTES];
	uint8_t switch_info[MADKIT_SWEEP_INFO_BYTES];
};

/*
 * madkit_sweep_m_key - return the M_Key for a request
 * @context: context of the attributes
 * @node:    node that the request is sent to, or passes last; NULL: the first request of the sweep
 * @port:    port of the node that the request is sent to (of a switch: 0), or passes
 * @behind:  the request is to the unknown node at the other end of the cable at this port
 *
 * Return: the M_Key.
 */
typedef uint64_t (*madkit_sweep_m_key)(void *context, const struct madkit_sweep_node *node, unsigned int port,
				       bool behind);

/*
 * madkit_sweep_name_fn - return the name of a node to use instead of its description
 * @context: context of the attributes
 * @node:    the node
 *
 * Return: the name, valid until the sweep is freed; NULL: it has none.
 */
typedef const char *(*madkit_sweep_name_fn)(void *context, const struct madkit_sweep_node *node);

/* The scope of a sweep, and its limits. Zero in each member means the default. */
struct madkit_sweep_attr {
	const struct madkit_addr *from; /* directed route to the first node; NULL: the node of the port */
	uint8_t hops;                   /* distance from the first node; 0: unlimited */
	bool keep_going;                /* do not stop when three new nodes in a row are silent */
	uint32_t timeout_ms; /* of each try, in requests to the SA three times; 0: MADKIT_SWEEP_TIMEOUT_MS */
	uint32_t retries;    /* tries after the first one, both phases together; 0: no last phase */
	uint32_t smps;       /* SMPs that occupy the window at first; 0: MADKIT_DISPATCH_SMPS */
	uint32_t smps_max;   /* the same, at most; 0: MADKIT_DISPATCH_SMPS_MAX */
	uint32_t nodes_max;  /* 0: MADKIT_SWEEP_NODES_MAX */
	madkit_sweep_m_key m_key;  /* NULL: M_Key 0 */
	madkit_sweep_name_fn name; /* NULL: the descriptions are the names */
	void *context;
	bool link;            /* read one link, not a subnet */
	uint8_t link_port;    /* its port at the first node; of this host: 0 or the port that sends */
	const uint8_t *first; /* NodeInfo of the first node, copied; NULL: it is requested */
	bool nameless;        /* with link: NodeDescription is not requested */
	bool sa; /* through the SA: of the other members, from, hops, timeout_ms, retries and nodes_max count */
	uint64_t sm_key; /* SM_Key in requests to the SA; 0: not trusted */
};

/* Why a sweep is not complete. Nodes without a response are not a reason: see silent. */
enum {
	MADKIT_SWEEP_UNFINISHED = 1 << 0, /* madkit_sweep_step() has not yet returned 1 */
	MADKIT_SWEEP_NO_START = 1 << 1,   /* the first node did not respond, or the SA does not have it */
	MADKIT_SWEEP_WITHHELD =
		1 << 2,             /* three new nodes in a row did not respond; others were not queried */
	MADKIT_SWEEP_FULL = 1 << 3, /* more nodes, ports or duplicates than the limits allow */
	MADKIT_SWEEP_FAR =
		1 << 4, /* some nodes are more than 63 hops from this port, beyond the longest route */
	/* through the SA; sa_attribute is the table: */
	MADKIT_SWEEP_SA_SILENT = 1 << 5,  /* the SA did not respond; later tables were not requested */
	MADKIT_SWEEP_SA_REFUSED = 1 << 6, /* a MAD status other than 0: sa_status */
	MADKIT_SWEEP_SA_SHORT = 1 << 7,   /* a table was cut short: sa_got of sa_total records */
	MADKIT_SWEEP_SA_FALSE = 1 << 8,   /* records were ignored: sa_false */
	MADKIT_SWEEP_NO_LINK =
		1 << 9, /* the link of the port is not up: nothing was requested of other nodes */
	MADKIT_SWEEP_BAD_START =
		1 << 10, /* the first node responded with an error status or a contradictory NodeInfo */
	/* responses were about something else than their requests, and were ignored: mismatches */
	MADKIT_SWEEP_MISMATCH = 1 << 11,
};

/* Numbers of a sweep. */
struct madkit_sweep_counts {
	uint32_t nodes, links;
	uint32_t silent;  /* nodes that no longer respond, and ports with a neighbour that did not respond */
	uint32_t missing; /* bits such as MADKIT_SWEEP_WITHHELD; 0: complete */
	uint64_t sent;    /* requests, including retries and outstanding ones */
	uint64_t resent;
	uint64_t ns;    /* duration on the clock of the port */
	uint64_t bytes; /* memory of nodes and ports */
	/* Through the SA, of the first table that is incomplete: */
	uint16_t sa_attribute;     /* attribute ID; 0: all tables are complete */
	uint16_t sa_status;        /* MAD status of the response */
	uint32_t sa_got, sa_total; /* complete records that were received; of how many, 0: not known */
	uint32_t sa_false;         /* records that were ignored, of all tables */
	/* Responses that were about something else than their requests (madkit_response_check()): */
	uint32_t mismatches;
	uint32_t mismatch_node; /* of the first one: the node, or MADKIT_SWEEP_NONE if it is not known yet */
	struct madkit_addr mismatch_to; /* the destination of the request */
	struct madkit_error mismatch;   /* the difference, with both values */
};

struct madkit_sweep;

/*
 * madkit_sweep_new - begin a sweep
 * @port:  port to use, which must outlive the sweep
 * @attr:  scope of the sweep
 * @sweep: receives the sweep; free it with madkit_sweep_free()
 *
 * Nothing is sent yet.
 *
 * Return: 0 on success, or:
 * - -EINVAL: from is not a directed route, first is not a valid NodeInfo, or smps is more than smps_max
 * - -EHOSTUNREACH: sa is set, and the port has no subnet manager
 * - -ENOMEM: out of memory
 * - others: an error of madkit_agent_register()
 */
int madkit_sweep_new(struct madkit_port *port, const struct madkit_sweep_attr *attr,
		     struct madkit_sweep **sweep);

/*
 * madkit_sweep_free - free a sweep
 * @sweep: sweep to free, or NULL
 */
void madkit_sweep_free(struct madkit_sweep *sweep);

/*
 * madkit_sweep_step - continue a sweep
 * @sweep:    the sweep
 * @until_ns: when to stop, on the port clock; if it is in the past, the function does not wait
 *
 * Drives the port: handlers are called for its other traffic. After -EINTR it can be called again.
 *
 * Return: 1 if the sweep has ended; 0 if @until_ns has passed; or:
 * - -EINTR: stopped() of the port's limit returned true
 * - -ENOMEM: out of memory
 * - others: an error of madkit_dispatcher_wait() or madkit_dispatcher_post()
 */
int madkit_sweep_step(struct madkit_sweep *sweep, uint64_t until_ns);

/*
 * madkit_sweep_node - return a node
 * @sweep:  the sweep
 * @number: number of the node, from 0 to counts.nodes - 1, in the order in which they were found
 *
 * Return: the node, valid until the sweep is freed; later steps may change it.
 */
const struct madkit_sweep_node *madkit_sweep_node(const struct madkit_sweep *sweep, uint32_t number);

/*
 * madkit_sweep_has_port - check whether a sweep can know anything about a port
 * @sweep:  the sweep
 * @number: number of the node
 * @port:   number of the port, from 0 to its nports
 *
 * Return: true. false for port 0 of a switch if it is not enhanced; and for ports of a CA or router through
 * which it was not queried and that have no known link, because it responds only for the others.
 */
bool madkit_sweep_has_port(const struct madkit_sweep *sweep, uint32_t number, unsigned int port);

/*
 * madkit_sweep_count - return the numbers of a sweep
 * @sweep:  the sweep
 * @counts: receives the numbers
 */
void madkit_sweep_count(const struct madkit_sweep *sweep, struct madkit_sweep_counts *counts);

/*
 * madkit_sweep_distances - measure the distances of all nodes from a port
 * @sweep:  the sweep
 * @number: number of the node
 * @port:   of a CA or router: number of the port; of a switch it does not matter
 * @hops:   receives the distance of each node, by its number: at most 254, or MADKIT_SWEEP_UNREACHED
 *
 * Only links that the sweep has found count: see "distances" above.
 *
 * Return: 0 on success, or:
 * - -EINVAL: there is no such node or port
 * - -ENOMEM: out of memory
 */
int madkit_sweep_distances(const struct madkit_sweep *sweep, uint32_t number, unsigned int port,
			   uint8_t *hops);

/*
 * madkit_sweep_route - return the directed route to a node
 * @sweep:  the sweep
 * @number: number of the node
 * @to:     receives the route
 *
 * Return: true; false if a cable on the route was removed during the sweep, or if the sweep is through
 * the SA.
 */
bool madkit_sweep_route(const struct madkit_sweep *sweep, uint32_t number, struct madkit_addr *to);

/*
 * madkit_sweep_port_route - return the directed route for requests about a port
 * @sweep:  the sweep
 * @number: number of the node
 * @port:   number of the port
 * @to:     receives the route
 *
 * All ports of a switch have the same route. A CA or router may respond only for the port by which the
 * route enters it.
 *
 * Return: true; false if there is no such route: no port of a switch leads to the port, a cable was
 * removed during the sweep, or the sweep is through the SA.
 */
bool madkit_sweep_port_route(const struct madkit_sweep *sweep, uint32_t number, unsigned int port,
			     struct madkit_addr *to);

/* ---- identity of an end port --------------------------------------------------
 * An end port is a port of a CA or router, or port 0 of a switch. No other end port may have its LIDs or
 * its port GUID. If two end ports with an Armed or Active link have a LID, or end ports of two nodes a
 * GUID, these are duplicates: a packet can reach the wrong port. Planes of one node, which are ports of
 * the same node with the same GUID, count as one end port. If the LID in PortInfo is not unicast (0, or
 * 0xc000 and above), the port does not have a LID.
 *
 * struct madkit_sweep_port.shared has the duplicates that are known when madkit_sweep_step() returns. For
 * a shared LID, madkit_sweep_lid_address() and madkit_path_port() return false.
 */

/* LIDs of an end port: none, its own, or shared ones. */
enum madkit_sweep_lid {
	MADKIT_SWEEP_LID_OWN,    /* no other end port has them */
	MADKIT_SWEEP_LID_NONE,   /* it has none */
	MADKIT_SWEEP_LID_UNREAD, /* its PortInfo was not read */
	MADKIT_SWEEP_LID_SHARED, /* another end port has one of them */
};

/* LIDs of an end port: those of its LMC. */
struct madkit_sweep_lids {
	uint16_t base; /* as in PortInfo; 0: none or not known */
	uint16_t first, last;
};

/*
 * madkit_sweep_lids - return the LIDs of a port
 * @sweep:  the sweep
 * @number: number of the node
 * @port:   port number; of a switch, the LIDs are always those of port 0
 * @lids:   receives the LIDs, also if they are shared; else 0
 *
 * Return: MADKIT_SWEEP_LID_OWN, or another value of enum madkit_sweep_lid.
 */
enum madkit_sweep_lid madkit_sweep_lids(const struct madkit_sweep *sweep, uint32_t number, unsigned int port,
					struct madkit_sweep_lids *lids);

/*
 * madkit_sweep_lid_address - return the LID address of a port
 * @sweep:  the sweep
 * @number: number of the node
 * @port:   port number; of a switch, the LID is always that of port 0
 * @to:     receives the base LID, with QP0 and SL 0
 *
 * Between end ports, an SL other than 0 may be necessary: see madkit_resolve_guid().
 *
 * Return: true; false if madkit_sweep_lids() does not return MADKIT_SWEEP_LID_OWN.
 */
bool madkit_sweep_lid_address(const struct madkit_sweep *sweep, uint32_t number, unsigned int port,
			      struct madkit_addr *to);

/* ---- topology files ----------------------------------------------------------- */

/* Parts of the subnet that a topology file lacks. Its comments have the details. */
enum {
	/* nodes, or GUIDs and LIDs of ports, that are not unique, or 0 */
	MADKIT_SWEEP_TOPOLOGY_OMITTED = 1 << 0,
	/* nodes and ports that did not respond, or were not queried */
	MADKIT_SWEEP_TOPOLOGY_UNKNOWN = 1 << 1,
	/* values that the format cannot contain */
	MADKIT_SWEEP_TOPOLOGY_CHANGED = 1 << 2,
};

/*
 * madkit_sweep_topology - append the nodes and links of a sweep in the format of ibnetdiscover(8)
 * @sweep: the sweep
 * @buf:   receives the file, without the time of its creation
 *
 * madsim(1) and ibsim simulate the subnet from such a file. Names from attr.name replace descriptions. Of
 * nodes with the same GUID, only the first is in the file.
 *
 * Return: bits such as MADKIT_SWEEP_TOPOLOGY_OMITTED, 0: the file lacks nothing; or:
 * - -E2BIG: more than 65,536 nodes, or 2,097,152 ports
 * - -EFBIG: the limit of @buf was exceeded
 * - -ENOMEM: out of memory
 */
int madkit_sweep_topology(const struct madkit_sweep *sweep, struct madkit_buf *buf);

/* ---- ports as records -------------------------------------------------------- */

/* The length of madkit_layout_port_object. */
enum {
	MADKIT_SWEEP_RECORD_BYTES = 717,
};

/* A port as a record: the object "port" of a JSON line (madkit-json(7)). */
struct madkit_sweep_record {
	struct madkit_record record; /* of message, until the caller sets another one */
	struct madkit_message
		message; /* of kind MADKIT_MESSAGE_PORT, about the record; without host and time */
	uint8_t data[MADKIT_SWEEP_RECORD_BYTES], known[MADKIT_SWEEP_RECORD_BYTES];
};

/*
 * madkit_sweep_record_init - make a record of a port with no values
 * @record: receives the record, which refers to itself: copies are not valid
 *
 * Each field is null until its bits are set in known (struct madkit_record).
 */
void madkit_sweep_record_init(struct madkit_sweep_record *record);

/*
 * madkit_sweep_attribute - return the description of the records of ports
 *
 * For madkit_expr_check(): fields are named as in JSON, such as node.name or width.
 *
 * Return: the description.
 */
const struct madkit_attribute *madkit_sweep_attribute(void);

/*
 * madkit_sweep_record_get - return a port as a record
 * @sweep:  the sweep
 * @node:   number of the node
 * @port:   number of the port, from 0 to its nports
 * @record: receives the record, which refers to itself: copies are not valid
 *
 * Fields that are not known are null. So are those that do not apply, such as the width of a port that
 * is down. The message has the device of the sweep. Expressions and projections can use the record at
 * once, with names of the port as they are or after "port.".
 */
void madkit_sweep_record_get(const struct madkit_sweep *sweep, uint32_t node, unsigned int port,
			     struct madkit_sweep_record *record);

/* ---- links below their best ----------------------------------------------------
 * The best width and speed of a link are the highest that both ports support.
 */

/* Reasons why a link is below its best, or in doubt. If there are several, each is set. */
enum {
	/* the link is narrower or slower than both ports enable */
	MADKIT_SWEEP_LINK_SLOW = 1 << 0,
	/* the port does not enable the best; the link can still have it until it trains again */
	MADKIT_SWEEP_LINK_MISCONFIGURED = 1 << 1,
	/* the port at the other end does not enable the best, and the link does not have it */
	MADKIT_SWEEP_LINK_LIMITED = 1 << 2,
	/* the ports report different widths or speeds */
	MADKIT_SWEEP_LINK_DIFFERS = 1 << 3,
};

/* Widths and speeds are values of the fields width and speed of the record of a port; 0: not known. */
struct madkit_sweep_link {
	uint32_t limits;                       /* bits such as MADKIT_SWEEP_LINK_SLOW */
	uint32_t width_best, speed_best;       /* the highest that both ports support */
	uint32_t width_enabled, speed_enabled; /* the highest of these that both ports enable */
};

/*
 * madkit_sweep_link_get - return the reasons why a link is below its best
 * @sweep: the sweep
 * @node:  number of the node
 * @port:  number of the port, from 0 to its nports
 * @link:  receives the result; all is 0 if the link is down, or if PortInfo of one of its ends is not known
 */
void madkit_sweep_link_get(const struct madkit_sweep *sweep, uint32_t node, unsigned int port,
			   struct madkit_sweep_link *link);

/*
 * madkit_sweep_gbps - return the data rate of a width and a speed
 * @width: value of the field width of the record of a port
 * @speed: value of its field speed
 *
 * Return: Gb/s, rounded, as in the field gbps; 0 if one of them is not known.
 */
uint64_t madkit_sweep_gbps(uint32_t width, uint32_t speed);

/* The rates of a port: sets of values of the fields width and speed of the record of a port, one bit each. */
struct madkit_sweep_rates {
	uint32_t width, speed; /* active; 0: the link is down, or not known */
	uint32_t widths_enabled, widths_supported;
	uint32_t speeds_enabled, speeds_supported; /* 0: not known */
};

/*
 * madkit_sweep_rates_get - return the rates of a port
 * @sweep: the sweep
 * @node:  number of the node
 * @port:  number of the port, from 0 to its nports
 * @rates: receives the rates; all are 0 if PortInfo of the port is not known, and for port 0 of a switch
 */
void madkit_sweep_rates_get(const struct madkit_sweep *sweep, uint32_t node, unsigned int port,
			    struct madkit_sweep_rates *rates);

/*
 * madkit_sweep_name - return the name of a node from attr.name
 * @sweep: the sweep
 * @node:  the node
 *
 * Return: the name, or NULL to use the description of the node.
 */
const char *madkit_sweep_name(const struct madkit_sweep *sweep, const struct madkit_sweep_node *node);

/* ---- places --------------------------------------------------------------------
 * A place is a port as people write it: the name of its node, "/", and its number. The name is the short one if no
 * other node has it: the first word of the name or description, or NAME in "MF0;NAME:MODEL/U1". Otherwise it is the
 * whole name or, if several nodes have that, it is a number or it is not known, the GUID. madkit_sweep_find() finds the node by it.
 */

/*
 * madkit_sweep_label - choose the shortest unique name of each node
 * @sweep: the sweep, which has ended
 * @whole: a sweep of more of the subnet, in which the names have to be unique, and were chosen; or NULL
 *
 * Without it, places have whole names, which need not be unique. In a sweep of a single link without @whole, only
 * "MF0;NAME:MODEL/U1" has a short name.
 *
 * Return: 0, or -ENOMEM if out of memory.
 */
int madkit_sweep_label(struct madkit_sweep *sweep, const struct madkit_sweep *whole);

/*
 * madkit_sweep_put_place - append a place: "leaf2/7"
 * @sweep: the sweep
 * @buf:   receives the text, with control characters escaped
 * @node:  number of the node
 * @port:  number of the port; negative: only the name
 */
void madkit_sweep_put_place(const struct madkit_sweep *sweep, struct madkit_buf *buf, uint32_t node,
			    int port);

/*
 * madkit_sweep_find - find the node that a word means
 * @sweep: the sweep
 * @word:  LID, GUID, GID, name, description, or first word of a name or a description
 * @match: receives the result; the id of a node is its number in the sweep
 *
 * Names from attr.name are those of a map: see madkit_node_find(). Does not block.
 *
 * Return: 0; -ENOENT if no node is meant; -EEXIST if several are.
 */
int madkit_sweep_find(const struct madkit_sweep *sweep, const char *word, struct madkit_node_match *match);

MADKIT_END_DECLS
#endif
