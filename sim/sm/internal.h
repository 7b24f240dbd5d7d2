/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The subnet manager's inside. */
#ifndef SIM_SM_INTERNAL_H
#define SIM_SM_INTERNAL_H

#include "sim/sa/sa.h"
#include "sim/sm/sm.h"
#include "util/time.h"

enum {
	SM_WINDOW = 64, /* SMPs outstanding, at most */
	SM_PROBES = 8,  /* of them, for nodes that may be the same, and slow */
	SM_HOPS_MAX = MADKIT_HOPS_MAX,
	SM_LINEAR_BLOCK = 64, /* LIDs */
	SM_MULTICAST_BLOCK = 32,
	SM_POSITIONS_MAX = 16, /* of a multicast block: 16 ports each */
};

/* opensm's, unless it is configured: a manager that has another one it does not see */
#define SM_KEY UINT64_C(1)

/* ---- what is known ------------------------------------------------------------------- */

/* How an end port is reached. */
struct sm_way {
	uint32_t from; /* the port at the other end of the cable; SUBNET_NONE: own */
	uint16_t lid;  /* that it is to have */
	uint8_t hops;
	bool known;
};

/* One direction of a cable between switches. */
struct sm_link {
	uint32_t from, to; /* in switches */
	uint32_t load;     /* LIDs of end ports that are reached by it */
	uint8_t port, to_port;
	bool up; /* in the order of route.c */
};

struct sm_switch {
	uint32_t node;
	uint32_t first_link, nlinks;
	/* Blocks that the switch does not have as they are here, by number */
	uint64_t linear_dirty[FABRIC_LINEAR_CAP / SM_LINEAR_BLOCK / 64];
	/* ... and by block * positions + position; NULL: none is */
	uint64_t *multicast_dirty;
};

struct sm_map {
	struct subnet s;
	struct sm_way *ways; /* of each place in s.ports */
	uint32_t nways;
	struct sm_switch *switches;
	uint32_t nswitches;
	uint32_t *switch_of; /* by node, in switches; SUBNET_NONE */
	struct sm_link *links;
	uint32_t nlinks;
	bool circles; /* shortest routes between leaves go down and up (route.c) */
};

void sm_map_free(struct sm_map *m);

/* lids.c: assigns LIDs to each end port, as many as its LMC says, while there are any, in ways, and fills
 * s.lids. Those that ports have stay if they are valid and no other port's. -ENOMEM. */
int sm_lids(struct sm_map *m);

/* route.c: finds the switches and the cables between them, with what is known of the
 * tables of old (NULL: nothing). Takes those from it. -ENOMEM. */
int sm_switches(struct sm_map *m, struct sm_map *old);
/* Routes, balanced over equal ones: fills the linear tables. -ENOMEM with some
 * of them as they were. */
int sm_route(struct sm_map *m);
/* The switch by which an end port is reached, and the port there; SUBNET_NONE. */
uint32_t sm_switch_at(const struct sm_map *m, uint32_t end, uint8_t *port);

/* tree.c: tables of one multicast LID after the other. */
struct sm_tree {
	uint32_t *way; /* by switch: the link to the one nearer to the root */
	uint32_t *queue;
	uint8_t *state;
	uint16_t *masks; /* SM_POSITIONS_MAX for each switch */
};
int sm_tree_new(const struct sm_map *m, struct sm_tree *tree);
void sm_tree_free(struct sm_tree *tree);
/* Begins a tree without members. */
void sm_tree_begin(const struct sm_map *m, struct sm_tree *tree);
void sm_tree_add(const struct sm_map *m, struct sm_tree *tree, uint32_t port);
/* Writes it into the tables. -ENOMEM. */
int sm_tree_apply(struct sm_map *m, const struct sm_tree *tree, uint16_t mlid);

static inline unsigned int sm_positions(const struct subnet_node *node)
{
	return node->nports / 16u + 1;
}

/* ---- SMPs (smp.c) ------------------------------------------------------------------ */

enum sm_kind {
	SMP_NODE_INFO, /* of what is at the other end of port; SUBNET_NONE: own */
	SMP_NODE_DESCRIPTION,
	SMP_SWITCH_INFO,
	SMP_LIGHT,        /* SwitchInfo, in a light sweep */
	SMP_CLEAR_CHANGE, /* PortStateChange */
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
	SMP_WATCH, /* another manager's, until it is ready */
	SMP_HANDOVER,
	SMP_ACKNOWLEDGE,
	SMP_KINDS
};

struct sm_smp {
	uint8_t kind;
	uint32_t port; /* it is about; its node's end port answers */
	uint32_t modifier;
};

/* An SMP that is outstanding. */
struct sm_place {
	struct sm_smp smp;
	bool used;
	uint8_t tries;
	uint16_t turn;        /* distinguishes the SMPs that have used this place */
	uint32_t timeout_ms;  /* of the last try */
	uint64_t first, last; /* when it was sent */
	struct madkit_addr to;
	uint8_t mad[MADKIT_MAD_BYTES];
};

/* Another manager. */
struct sm_remote {
	uint64_t guid;
	uint32_t port; /* in the map's */
	uint8_t priority;
	uint8_t state;   /* as SMInfo has it */
	bool known;      /* was there when we were made master: it is not its heir */
	uint8_t watched; /* how often it was asked whether it is ready */
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
	STEP_LIGHT, /* a light sweep is this step alone */
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
	uint32_t directed, routed; /* agents: of class 0x81 and 0x01 */
	enum sm_state state;
	uint64_t now;
	uint64_t guid; /* of the manager's port */
	uint32_t activity;
	struct sa *sa;

	struct sm_map map;   /* in use, by the SA too */
	struct sm_map found; /* by the sweep, until it has found all */
	struct sm_map *on;   /* of these: that SMPs go by */

	struct sm_place places[SM_WINDOW];
	uint32_t window, room; /* how many may be outstanding: at most, and now */
	uint32_t outstanding, probes, next_place;
	uint64_t stalled;     /* when nothing is going to come any more */
	uint32_t patience_ms; /* timeouts are at least this */
	bool slow;            /* this sweep has found a slow agent */

	bool sweeping;
	bool fresh;   /* nothing is known of what tables hold */
	bool first;   /* sweep as master: not all was up yet */
	bool partial; /* one step alone */
	bool forced;  /* mastership was given, and none has been looked for since */
	enum sm_step step;
	struct sm_smp *work; /* to be asked while discovering */
	uint32_t nwork, work_at, work_cap;
	uint32_t cursor, block; /* where the step is */
	uint32_t unanswered, refused, sets;
	int error;
	struct sm_guids gone, come; /* end ports, of this sweep */
	uint64_t sweep_due;
	uint64_t light_due, interval; /* of light sweeps */
	uint64_t present;             /* see sm_present() */
	uint64_t backoff;
	/* MLIDs whose members are others than the tables have */
	uint64_t groups_changed[FABRIC_MULTICAST_CAP / 64];
	bool any_group_changed;

	struct sm_remote *remotes;
	uint32_t nremotes, remotes_cap;
	uint64_t *known; /* GUIDs of managers; see sm_remote.known */
	uint32_t nknown;
	uint64_t watch_due;
	uint64_t poll_due;
	uint64_t polled; /* GUID of the master */
	unsigned int missed;
	bool handing; /* mastership is offered to polled */
	bool quiet;   /* say "not active": the master would give it back */
};

/* Sets of bits: the first one from at on, which is cleared (n: there is none). */
uint32_t sm_take_bit(uint64_t *bits, uint32_t at, uint32_t n);
static inline void sm_set_bit(uint64_t *bits, uint32_t at)
{
	bits[at / 64] |= UINT64_C(1) << at % 64;
}

static inline struct sm_switch *sm_switch_of(struct sm *sm, uint32_t port)
{
	return &sm->map.switches[sm->map.switch_of[sm->map.s.ports[port].node]];
}

/* Counts what was set; true: it was refused, or not answered. */
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

/* A sweep begins: room SMPs may be outstanding, and timeouts are at least patience_ms, until a slow agent is found. If
 * the last sweep found one, its timeouts stay. */
void sm_pace(struct sm *sm, uint32_t room, uint32_t patience_ms);
/* Sends one; there is room. data is of FABRIC_INFO_BYTES; NULL: none. What goes wrong is in
 * sm->error. */
void sm_ask(struct sm *sm, enum sm_kind kind, uint32_t port, uint32_t modifier, const uint8_t *data);
/* An answer has come, or a request that was not answered. True: it is that of smp; data is as for sm_done. */
bool sm_answered(struct sm *sm, const struct host_message *message, struct sm_smp *smp, const uint8_t **data);
/* Forgets all that is outstanding. */
void sm_forget(struct sm *sm);

/* What is done with an answer's data; NULL: there was none, or a status. */
typedef void sm_done(struct sm *sm, const struct sm_smp *smp, const uint8_t *data);
sm_done sm_got_node, sm_got_description, sm_got_switch, sm_got_light, sm_got_clear, sm_got_port, sm_got_guids,
	sm_got_pkeys, sm_got_sm;                                 /* sweep.c */
sm_done sm_got_sl2vl, sm_got_arbitration;                        /* lanes.c */
sm_done sm_set_port, sm_set_switch, sm_set_linear, sm_set_pkeys; /* program.c */
sm_done sm_set_multicast;                                        /* groups.c */
sm_done sm_polled, sm_watched, sm_handed;                        /* masters.c */

/* ---- sweeps --------------------------------------------------------------------------- */

/* Steps: each sends one SMP, or nothing and says so with false. */
typedef bool sm_next(struct sm *sm);
sm_next sm_next_work, sm_next_lid, sm_next_switch, sm_next_linear, sm_next_multicast, sm_next_pkey,
	sm_next_link, sm_next_state, sm_next_light;

/* sweep.c */
void sm_discover(struct sm *sm);
/* Ends what is under way. */
void sm_abandon(struct sm *sm);
/* To be asked by sm_next_work(). */
void sm_want(struct sm *sm, enum sm_kind kind, uint32_t port, uint32_t modifier);
/* What was found is what there is: LIDs, ways. -ENOMEM. */
int sm_adopt(struct sm *sm);
/* Stores n bytes in a table of size bytes, which is made for the first of them. False: no memory. */
bool sm_store(struct sm *sm, uint8_t **table, size_t size, size_t at, const uint8_t *data, size_t n);
/* lanes.c: wants all tables of lanes that were not read yet. */
void sm_lanes(struct sm *sm);
/* groups.c: the tables of groups that have changed; all of them have. */
void sm_groups(struct sm *sm);
void sm_all_groups(struct sm *sm);
void sm_group_changed(void *context, const struct sa_group *group);

/* ---- managers among each other ---------------------------------------------------------- */

/* SMInfo's SMState. */
enum { SAYS_NOT_ACTIVE, SAYS_DISCOVERING, SAYS_STANDBY, SAYS_MASTER };

enum {
	SM_PRIORITY = 0, /* ours */
	/* modifiers of Set(SMInfo) */
	SM_HANDOVER = 1,
	SM_ACKNOWLEDGE,
	SM_DISABLE,
	SM_STAND_BY,
	SM_DISCOVER,
};

/* The IBA's order: higher priority, then lower GUID. */
static inline bool sm_is_above(const struct sm *sm, uint8_t priority, uint64_t guid)
{
	return priority != SM_PRIORITY ? priority > SM_PRIORITY : guid < sm->guid;
}

/* masters.c */
void sm_set_state(struct sm *sm, enum sm_state state);
/* Reports an event of the manager's; its state. */
void sm_report(struct sm *sm, struct sim_event event);
void sm_report_state(struct sm *sm);
void sm_discover_anew(struct sm *sm);
/* Another sweep, after so many ns at the latest. */
void sm_sweep_soon(struct sm *sm, uint64_t delay);
/* Remembers what a manager at a port says of itself; NULL: it has not answered. */
void sm_add_remote(struct sm *sm, uint32_t port, const uint8_t *info);
/* What the managers that were found mean for a sweep: false: another one is to be master. */
bool sm_judge(struct sm *sm);
/* Offers mastership to who is to have it. */
void sm_consider(struct sm *sm);
uint64_t sm_masters_deadline(const struct sm *sm);
void sm_masters_due(struct sm *sm);
/* What was asked will not be answered. */
void sm_recover(struct sm *sm);

/* smp.c: SMInfo as data of an SMP. */
void sm_write_info(const struct sm *sm, uint8_t state, uint8_t *data);
/* info.c: MADs that are no answers. */
void sm_request(struct sm *sm, const struct host_message *message);

#endif
