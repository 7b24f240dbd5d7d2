/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The fabric as it was seen last: nodes, their ports, and the links between them. */
#ifndef SRC_VIEW_H
#define SRC_VIEW_H

#include "subnet/subnet.h"

/* In place of a number: none. */
#define VIEW_NONE UINT32_MAX

enum {
	VIEW_NODES_MAX = 1 << 17,
	VIEW_LIDS = 0xc000, /* unicast LIDs are below */
	VIEW_NAME_BYTES = 65,
	VIEW_LABEL_BYTES = 320, /* a name of 64 octets, of which each may be an escape */
	VIEW_PLACE_BYTES = 2 * VIEW_LABEL_BYTES + 16,
	VIEW_RATE_BYTES = 24,
	VIEW_TIMES = 4, /* so many changes in a short time: a link flaps */
};

/* An end of a link. */
struct view_end {
	uint32_t node;
	uint8_t port;
};

/* Values of the fields width and speed of the record of a port; 0: not known. */
struct view_rate {
	uint32_t width, speed;
};

struct view_port {
	uint64_t guid; /* of an end port; of a switch, only port 0 has one */
	uint32_t link; /* VIEW_NONE: no link is known */
	uint32_t
		past; /* the last link, if the change is not reported yet or the cable has gone elsewhere; VIEW_NONE: none */
	uint32_t signature;  /* of the last PortInfo: state, width and speed */
	uint8_t state;       /* PortState that was read last; 0: not read */
	uint8_t queued;      /* requests of look.c that are waiting, one bit each */
	bool waits : 1;      /* look.c: its link came up, but is not Active yet */
	bool counted : 1;    /* its LinkDownedCounter was read ... */
	uint8_t downed;      /* ... and was this, of a port of a switch */
	uint64_t changed_ns; /* look.c: when its link changed; 0: no longer read often */
};

struct view_node {
	uint64_t guid, system_guid;
	uint32_t number;
	uint32_t next; /* with the same hash value */
	uint32_t lid;  /* of a switch, or of the first port that has one; 0: not known */
	uint32_t nlinks;
	uint32_t parent; /* on the directed route; VIEW_NONE: the first node */
	uint8_t parent_port;
	uint8_t hops;
	bool reached; /* there is a route */
	bool silent;  /* no response: routes avoid it */
	bool told_silent;
	bool away;          /* look.c: no link leads to it */
	uint64_t joined_ns; /* when its links were reported in one line, port clock */
	bool told_cut;      /* it was reported as out of reach */
	bool seen;          /* the last sweep of the subnet has found it */
	bool fresh;         /* it was not there when the command began, and was not reported */
	uint64_t sa_ports;  /* of its ports that the SA knows as down: a hash value */
	uint64_t sa_next;
	uint8_t type, nports;
	uint8_t reported; /* NumPorts of its last NodeInfo; nports may be more, as long as the others have links */
	uint8_t room;          /* ports has so many, and port 0 */
	uint8_t failures;      /* requests in a row without a response */
	uint64_t explained_ns; /* look.c: when a change was found that may be why it sent a trap */
	uint64_t failed_ns;    /* when the last of them was counted, port clock */
	uint8_t info[MADKIT_SWEEP_INFO_BYTES]; /* NodeInfo */
	char name[VIEW_NAME_BYTES];            /* description, or the name of the map; "": not known */
	char *label;                           /* the name in places */
	struct view_port ports[];              /* 0 to room */
};

/* Why a change is known. */
enum view_by { VIEW_BY_TRAP, VIEW_BY_SWEEP, VIEW_BY_RESTART };

/* How LinkDownedCounter of both ends of a link has risen while a change is not reported. */
struct view_downs {
	uint8_t rise[2];
	uint8_t read, reset; /* the ends that were read, and those that were reset: a bit each */
	bool full;           /* a counter has reached its maximum */
};

/* A link. Its first end is one of a switch, or of this host. */
struct view_link {
	struct view_end ends[2];
	uint8_t references; /* ports that refer to it; 0: the place in the array is free */
	bool up;            /* Active when it was seen last */
	bool trained;       /* ... or at least not down: SMPs pass */
	bool slow;          /* slower than both ends enable */
	bool init;          /* not Active for TAKE_INIT_MS, although it is trained */
	struct view_rate rate;
	/* as reported; known: it was reported, or was there from the beginning */
	bool known, told_up, told_slow, told_init;
	bool exchanged; /* the other cable of an exchange, which is reported with that */
	struct view_rate told;
	uint64_t init_ns;  /* when it was trained, but not Active yet; 0: it is down or Active */
	uint64_t down_ns;  /* when it went down, port clock; 0: not known */
	bool down_late;    /* ... or before: a look has found it */
	uint32_t falls;    /* how often it has gone down, at most an hour after the first time, ... */
	uint64_t falls_ns; /* ... which was then */
	char since[24];    /* when the open problem began; "": there is none */
	uint8_t open;      /* problems that were reported and are not closed: bits of enum change_problem */
	/* changes that are not reported yet (change.c) */
	struct view_link *next;
	bool pending, flapping;
	uint8_t by;                         /* enum view_by, of the first one */
	uint32_t count;                     /* changes that are not reported */
	uint64_t due_ns, first_ns, last_ns; /* when they are reported; the first and the last of them */
	uint64_t times_ns[VIEW_TIMES];      /* of the last changes, the last one first; 0: none */
	uint64_t flap_told_ns;
	struct view_downs downs;
};

struct view {
	struct view_node **nodes;
	uint32_t nnodes, nodes_cap;
	uint32_t *hash;
	uint32_t hash_size;
	struct view_link **links; /* in blocks that do not move */
	uint32_t blocks, blocks_cap;
	uint32_t free_link;   /* links below are in use or not: a search begins there */
	uint32_t *lids;       /* node by LID; VIEW_NONE */
	struct view_end here; /* the local port */
	bool dirty;           /* routes have to be found again */
};

/* Returns EXIT_DONE, or an exit status after a report. Free it in either case. */
int view_init(struct view *view);
void view_free(struct view *view);

/* Finds a node by its GUID. Returns NULL if there is none. */
struct view_node *view_of_guid(const struct view *view, uint64_t guid);
/* Finds the end port that has a GUID. Returns false if there is none. */
bool view_find_port(const struct view *view, uint64_t guid, struct view_end *end);
/* Finds the node of a LID. Returns NULL if it is not known. */
struct view_node *view_of_lid(const struct view *view, uint32_t lid);

/* Adds a node, described by a NodeInfo; its label is its GUID until view_rename(). Returns NULL without memory, or if there are too
 * many. */
struct view_node *view_add(struct view *view, const uint8_t info[MADKIT_SWEEP_INFO_BYTES]);
/* Gives a node another number of ports, and another NodeInfo; ports with a link are kept. Returns the node, at another address, or
 * NULL without memory. */
struct view_node *view_resize(struct view *view, struct view_node *node,
			      const uint8_t info[MADKIT_SWEEP_INFO_BYTES]);
/* Stores the description of a node, and chooses its label: the first word, if no other node has it. label: the label; NULL:
 * choose. Returns EXIT_DONE, or EXIT_LOCAL after a report. */
int view_rename(struct view *view, struct view_node *node, const char *name, const char *label);
void view_set_lid(struct view *view, struct view_node *node, uint32_t lid);

static inline bool view_is_switch(const struct view_node *node)
{
	return node->type == MADKIT_NODE_TYPE_SWITCH;
}

struct view_link *view_link(const struct view *view, uint32_t link);
/* Returns the link of a port; NULL: none is known. */
struct view_link *view_link_of(const struct view *view, struct view_end end);
struct view_port *view_port(const struct view *view, struct view_end end);

/* Returns the other end of a link. */
static inline struct view_end view_other(const struct view_link *link, struct view_end end)
{
	return link->ends[link->ends[0].node == end.node && link->ends[0].port == end.port];
}

/* Connects two ports by a new link. Their former links become those of the past. Returns NULL without memory. */
struct view_link *view_connect(struct view *view, struct view_end a, struct view_end b);
/* Forgets the link of the past of a port. */
void view_forget(struct view *view, struct view_end end);

/* Finds the directed route to a node. Returns false if no link that is up leads to it. */
bool view_route(struct view *view, uint32_t node, struct madkit_addr *to);

/* Append "leaf2/7", or "leaf2" if port is negative; "leaf2/7 <-> h12/1". */
void view_put_place(const struct view *view, struct madkit_buf *buf, uint32_t node, int port);
void view_put_link(const struct view *view, struct madkit_buf *buf, const struct view_link *link);
/* Writes "4x NDR"; "" if it is not known. */
void view_rate_text(struct view_rate rate, char text[VIEW_RATE_BYTES]);

#endif
