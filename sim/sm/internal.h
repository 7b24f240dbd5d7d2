/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Internals of the subnet manager. */
#ifndef SIM_SM_INTERNAL_H
#define SIM_SM_INTERNAL_H

#include "sim/sa/sa.h"
#include "sim/sm/sm.h"
#include "util/time.h"

enum {
	SM_WINDOW = 64, /* outstanding SMPs, at most */
	SM_PROBES = 8,  /* of these, NodeInfo requests: several may reach the same, slow node */
	SM_HOPS_MAX = MADKIT_HOPS_MAX,
	SM_LINEAR_BLOCK = 64, /* LIDs per block */
	SM_MULTICAST_BLOCK = 32,
	SM_POSITIONS_MAX = 16, /* of a multicast block: 16 ports each */
};

/* The default of opensm, which ignores managers with another SM_Key. */
#define SM_KEY UINT64_C(1)

/* ---- the subnet ---------------------------------------------------------------------- */

/* The directed route to an end port, and its LID. */
struct sm_way {
	uint32_t from; /* the port at the other end of the cable; SUBNET_NONE: the manager's own port */
	uint16_t lid;  /* to be assigned; 0: none */
	uint8_t hops;
	bool known;
};

/* One direction of a cable between switches. */
struct sm_link {
	uint32_t from, to; /* indexes into switches */
	uint32_t load;     /* LIDs of end ports that are routed over it */
	uint8_t port, to_port;
	bool up; /* leads up in the order of switches (route.c) */
};

struct sm_switch {
	uint32_t node;
	uint32_t first_link, nlinks;
	/* Linear blocks that have to be written to the switch, by number */
	uint64_t linear_dirty[FABRIC_LINEAR_CAP / SM_LINEAR_BLOCK / 64];
	/* ... and multicast blocks, by block * positions + position; NULL: none */
	uint64_t *multicast_dirty;
};

struct sm_map {
	struct subnet s;
	struct sm_way *ways; /* by port */
	uint32_t nways;
	struct sm_switch *switches;
	uint32_t nswitches;
	uint32_t *switch_of; /* by node: index into switches, or SUBNET_NONE */
	struct sm_link *links;
	uint32_t nlinks;
	bool circles; /* shortest routes between leaves go down and then up (route.c) */
};

void sm_map_free(struct sm_map *m);

/* lids.c: assigns LIDs to each end port, as many as its LMC requires, while there are free ones; fills in
 * ways and s.lids. Ports keep LIDs that are valid and that no other port has. Returns 0 or -ENOMEM. */
int sm_lids(struct sm_map *m);

/* route.c: finds the switches and the cables between them. Takes the forwarding tables that are known in
 * old (NULL: none) from it. Returns 0 or -ENOMEM. */
int sm_switches(struct sm_map *m, struct sm_map *old);
/* Fills in the linear tables with routes, balanced over equal ones. Returns 0, or -ENOMEM with some of the
 * tables unchanged. */
int sm_route(struct sm_map *m);
/* Returns the switch to which an end port is attached, and the port there (0: it is the switch's own), or
 * SUBNET_NONE. */
uint32_t sm_switch_at(const struct sm_map *m, uint32_t end, uint8_t *port);

/* tree.c: makes the tables of one multicast LID at a time. */
struct sm_tree {
	uint32_t *way; /* by switch: the link to it from the switch nearer to the root */
	uint32_t *queue;
	uint8_t *state;
	uint16_t *masks; /* SM_POSITIONS_MAX for each switch */
};
int sm_tree_new(const struct sm_map *m, struct sm_tree *tree);
void sm_tree_free(struct sm_tree *tree);
/* Begins a tree without members. */
void sm_tree_begin(const struct sm_map *m, struct sm_tree *tree);
void sm_tree_add(const struct sm_map *m, struct sm_tree *tree, uint32_t port);
/* Writes the tree into the tables of the switches. Returns 0 or -ENOMEM. */
int sm_tree_apply(struct sm_map *m, const struct sm_tree *tree, uint16_t mlid);

static inline unsigned int sm_positions(const struct subnet_node *node)
{
	return node->nports / 16u + 1;
}

/* ---- SMPs (smp.c) ------------------------------------------------------------------ */

enum sm_kind {
	SMP_NODE_INFO, /* of the node at the other end of port; SUBNET_NONE: the own node */
	SMP_NODE_DESCRIPTION,
	SMP_SWITCH_INFO,
	SMP_LIGHT,        /* SwitchInfo, in a light sweep */
	SMP_CLEAR_CHANGE, /* clears PortStateChange */
	SMP_PORT_INFO,
	SMP_GUID_INFO,
	SMP_PKEYS,
	SMP_SM_INFO,
	SMP_SL2VL,
	SMP_ARBITRATION,
	SMP_SET_PORT,
	SMP_SET_SWITCH,
	SMP_SET_LINEAR,
	SMP_SET_MULTICAST,
	SMP_SET_PKEYS,
	SMP_POLL,  /* the master's SMInfo */
	SMP_WATCH, /* SMInfo of another manager, until it is ready */
	SMP_HANDOVER,
	SMP_ACKNOWLEDGE,
	SMP_KINDS
};

struct sm_smp {
	uint8_t kind;
	uint32_t port; /* that it is about; the end port of its node responds */
	uint32_t modifier;
};

/* A place for an outstanding SMP. */
struct sm_place {
	struct sm_smp smp;
	bool used;
	uint8_t tries;
	uint16_t turn;        /* distinguishes the SMPs that have used this place */
	uint32_t timeout_ms;  /* of the last try */
	uint64_t first, last; /* times of the first and the last try */
	struct madkit_addr to;
	uint8_t mad[MADKIT_MAD_BYTES];
};

/* Another manager. */
struct sm_remote {
	uint64_t guid;
	uint32_t port; /* index into the ports of the map */
	uint8_t priority;
	uint8_t state;   /* SMState of SMInfo */
	bool known;      /* present when we were made master: no heir, unless its priority is higher */
	uint8_t watched; /* number of requests for its state */
};

enum sm_step {
	STEP_DISCOVER,
	STEP_LIDS,
	STEP_SWITCHES,
	STEP_LINEAR,
	STEP_MULTICAST,
	STEP_PKEYS,
	STEP_LINKS,
	STEP_ARM,
	STEP_ACTIVATE,
	STEP_LANES, /* the last of a sweep */
	STEP_LIGHT, /* the only step of a light sweep */
	STEPS
};

struct sm_guids {
	uint64_t *guids;
	uint32_t n, cap;
};

struct sm {
	struct hosts *hosts;
	uint32_t node; /* of the fabric */
	unsigned int port;
	struct host_file *file;
	uint32_t directed, routed; /* agents of classes 0x81 and 0x01 */
	enum sm_state state;
	uint64_t now;
	uint64_t guid; /* of the manager's port */
	uint32_t activity;
	struct sa *sa;

	struct sm_map map;   /* in use, also by the SA */
	struct sm_map found; /* the sweep's, until it has discovered everything */
	struct sm_map *on;   /* the one of these that SMPs use */

	struct sm_place places[SM_WINDOW];
	uint32_t window, room; /* limits of outstanding SMPs: the maximum, the current one */
	uint32_t outstanding, probes, next_place;
	uint64_t stalled;     /* when to give up waiting for outstanding SMPs */
	uint32_t patience_ms; /* minimum timeout */
	bool slow;            /* this sweep has found a slow agent */

	bool sweeping;
	bool fresh;   /* the contents of tables in switches are unknown */
	bool first;   /* no sweep as master has brought up everything yet */
	bool partial; /* the sweep has only one step */
	bool forced;  /* we were given mastership, and have not yet looked for other managers */
	enum sm_step step;
	struct sm_smp *work; /* SMPs that sm_next_work() has to send */
	uint32_t nwork, work_at, work_cap;
	uint32_t cursor, block; /* progress of the step */
	uint32_t unanswered, refused, sets;
	int error;
	struct sm_guids gone, come; /* end ports that left, and joined, in this sweep */
	uint64_t sweep_due;
	uint64_t light_due, interval; /* of light sweeps */
	uint64_t present;             /* see sm_present() */
	uint64_t backoff;
	/* a bit for each MLID: its tables do not match its members */
	uint64_t groups_changed[FABRIC_MULTICAST_CAP / 64];
	bool any_group_changed;

	struct sm_remote *remotes;
	uint32_t nremotes, remotes_cap;
	uint64_t *known; /* GUIDs of managers; see sm_remote.known */
	uint32_t nknown;
	uint64_t watch_due;
	uint64_t poll_due;
	uint64_t polled; /* GUID of the master, or of the manager that is offered mastership */
	unsigned int missed;
	bool handing; /* mastership has been offered to polled */
	bool quiet;   /* report "not active": otherwise the master would hand over to us */
};

/* Returns the first bit that is set at or after at, and clears it. Returns n if there is none. */
uint32_t sm_take_bit(uint64_t *bits, uint32_t at, uint32_t n);
static inline void sm_set_bit(uint64_t *bits, uint32_t at)
{
	bits[at / 64] |= UINT64_C(1) << at % 64;
}

static inline struct sm_switch *sm_switch_of(struct sm *sm, uint32_t port)
{
	return &sm->map.switches[sm->map.switch_of[sm->map.s.ports[port].node]];
}

/* Counts a Set. Returns true if it was refused or not answered. */
static inline bool sm_is_refused(struct sm *sm, bool done)
{
	sm->sets++;
	sm->refused += !done;
	return !done;
}

static inline bool sm_is_missing(struct sm *sm, const uint8_t *data)
{
	sm->unanswered += !data;
	return !data;
}

static inline bool sm_has_room(const struct sm *sm)
{
	return sm->outstanding < sm->room;
}

/* Begins a sweep: room SMPs may be outstanding, and timeouts are at least patience_ms, until a slow agent
 * is found. If the last sweep found one, its timeouts stay. */
void sm_pace(struct sm *sm, uint32_t room, uint32_t patience_ms);
/* Sends an SMP; the caller guarantees that sm_has_room(). data has FABRIC_INFO_BYTES, or is NULL. Errors
 * are stored in sm->error. */
void sm_ask(struct sm *sm, enum sm_kind kind, uint32_t port, uint32_t modifier, const uint8_t *data);
/* Handles a response, or a request that was not answered. Returns true if the SMP is complete: it is
 * copied to *smp, and *data is as for sm_done. */
bool sm_answered(struct sm *sm, const struct host_message *message, struct sm_smp *smp, const uint8_t **data);
/* Forgets all outstanding SMPs. */
void sm_forget(struct sm *sm);

/* Handles the data of a response; NULL: no response, or one with an error status. */
typedef void sm_done(struct sm *sm, const struct sm_smp *smp, const uint8_t *data);
sm_done sm_got_node, sm_got_description, sm_got_switch, sm_got_light, sm_got_clear, sm_got_port, sm_got_guids,
	sm_got_pkeys, sm_got_sm;                                 /* sweep.c */
sm_done sm_got_sl2vl, sm_got_arbitration;                        /* lanes.c */
sm_done sm_set_port, sm_set_switch, sm_set_linear, sm_set_pkeys; /* program.c */
sm_done sm_set_multicast;                                        /* groups.c */
sm_done sm_polled, sm_watched, sm_handed;                        /* masters.c */

/* ---- sweeps --------------------------------------------------------------------------- */

/* Steps: each sends one SMP, or returns false if there is none to send. */
typedef bool sm_next(struct sm *sm);
sm_next sm_next_work, sm_next_lid, sm_next_switch, sm_next_linear, sm_next_multicast, sm_next_pkey,
	sm_next_link, sm_next_state, sm_next_light;

/* sweep.c */
void sm_discover(struct sm *sm);
/* Abandons the sweep and all outstanding SMPs. */
void sm_abandon(struct sm *sm);
/* Queues an SMP for sm_next_work(). */
void sm_want(struct sm *sm, enum sm_kind kind, uint32_t port, uint32_t modifier);
/* Replaces the map by the discovered one, with LIDs and routes. Returns 0 or -ENOMEM. */
int sm_adopt(struct sm *sm);
/* Stores n bytes in a table of size bytes, which is allocated when it is first used. Returns false if out
 * of memory. */
bool sm_store(struct sm *sm, uint8_t **table, size_t size, size_t at, const uint8_t *data, size_t n);
/* lanes.c: queues requests for all SL-to-VL and VL arbitration tables that have not been read yet. */
void sm_lanes(struct sm *sm);
/* groups.c: sm_groups() updates the tables of changed groups, sm_all_groups() marks all groups as changed. */
void sm_groups(struct sm *sm);
void sm_all_groups(struct sm *sm);
void sm_group_changed(void *context, const struct sa_group *group);

/* ---- other managers --------------------------------------------------------------------- */

/* SMInfo's SMState. */
enum { SAYS_NOT_ACTIVE, SAYS_DISCOVERING, SAYS_STANDBY, SAYS_MASTER };

enum {
	SM_PRIORITY = 0, /* of this manager */
	/* modifiers of Set(SMInfo) */
	SM_HANDOVER = 1,
	SM_ACKNOWLEDGE,
	SM_DISABLE,
	SM_STAND_BY,
	SM_DISCOVER,
};

/* Checks if another manager ranks above this one: higher priority, then lower GUID (the IBA's order). */
static inline bool sm_is_above(const struct sm *sm, uint8_t priority, uint64_t guid)
{
	return priority != SM_PRIORITY ? priority > SM_PRIORITY : guid < sm->guid;
}

/* masters.c */
void sm_set_state(struct sm *sm, enum sm_state state);
/* Report an event of the manager; report its state. */
void sm_report(struct sm *sm, struct sim_event event);
void sm_report_state(struct sm *sm);
void sm_discover_anew(struct sm *sm);
/* Schedules another sweep, in delay ns at the latest. */
void sm_sweep_soon(struct sm *sm, uint64_t delay);
/* Records another manager at a port, with its SMInfo; NULL: it has not responded. */
void sm_add_remote(struct sm *sm, uint32_t port, const uint8_t *info);
/* Decides, from the managers that a sweep has found, who is master. Returns false if it is another
 * manager. */
bool sm_judge(struct sm *sm);
/* Offers mastership to the manager that is to have it, if there is one. */
void sm_consider(struct sm *sm);
uint64_t sm_masters_deadline(const struct sm *sm);
void sm_masters_due(struct sm *sm);
/* Resets polls and the handover after an error: outstanding requests will not be answered. */
void sm_recover(struct sm *sm);

/* smp.c: writes the manager's SMInfo as data of an SMP. */
void sm_write_info(const struct sm *sm, uint8_t state, uint8_t *data);
/* info.c: handles MADs that are not responses. */
void sm_request(struct sm *sm, const struct host_message *message);

#endif
