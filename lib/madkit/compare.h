/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_compare - differences between two states of a subnet
 *
 * A cabling has the nodes of a subnet, and the links between their ports. It is made of a sweep by
 * madkit_cabling_add_sweep(), of a plan by madkit_plan_end(3), or by hand. madkit_compare() lists the differences of
 * two cablings. Each is of one of the kinds of madkit_difference_kinds(); as a record, it is the object "difference" of
 * a JSON line.
 *
 * Nodes are the same if they have the same node GUID or, if one of the two cablings has only names, the same name. Each
 * link is in at most one difference: in that of the first kind that applies. Links and nodes behind a node that does not
 * respond are not known: they are neither gone nor new. Not compared are links inside one system image GUID, and
 * aggregation nodes of SHARP.
 *
 * The functions do not block, and have no global state.
 */
#ifndef MADKIT_COMPARE_H
#define MADKIT_COMPARE_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/constants.h>
#include <madkit/error.h>
#include <madkit/message.h>

MADKIT_BEGIN_DECLS

/* ---- cablings ---------------------------------------------------------------- */

/* In place of the number of a node: none. */
#define MADKIT_CABLING_NONE UINT32_MAX

/* Limits of a cabling, and the number of any port of a node. */
enum {
	MADKIT_CABLING_NODES_MAX = 1 << 17,
	MADKIT_CABLING_PORTS_MAX = 1 << 22, /* of all nodes */
	MADKIT_CABLING_NAME_MAX = 128,      /* bytes */
	MADKIT_CABLING_ANY_PORT = -1,
};

/* A node. */
struct madkit_cabling_node {
	uint64_t guid;        /* 0: known by its name only */
	uint64_t system_guid; /* 0: not known */
	const char *name;     /* the whole name; "" or NULL: not known */
	const char *label;    /* short and unique, as in places; NULL: made of the name or the GUID */
	uint8_t type;         /* MADKIT_NODE_TYPE_...; 0: not known */
	uint8_t nports;       /* the highest number of a port */
	bool counted;         /* the device has as many ports; else there may be more */
};

/* State of a port. */
enum madkit_cabling_state {
	MADKIT_CABLING_UNKNOWN, /* not read, or the node at the other end did not respond */
	MADKIT_CABLING_DOWN,    /* without a link */
	MADKIT_CABLING_UP,      /* set by madkit_cabling_add_link() */
};

/* A port. */
struct madkit_cabling_port {
	uint64_t guid;  /* 0: not known, or an external port of a switch */
	uint8_t state;  /* enum madkit_cabling_state */
	uint8_t phys;   /* PortPhysicalState; 0: not known */
	uint8_t width;  /* of the link: MADKIT_WIDTH_...; 0: not known */
	uint16_t speed; /* as in the object "port": MADKIT_SPEED_...; 0: not known */
	uint16_t lid;   /* 0: not known */
};

/* An end of a link. node MADKIT_CABLING_NONE: none. */
struct madkit_cabling_end {
	uint32_t node;
	int port; /* -1: the whole node, or any port */
};

struct madkit_cabling;

/*
 * madkit_cabling_new - make an empty cabling
 * @cabling: receives the cabling; free it with madkit_cabling_free()
 *
 * Return: 0, or -ENOMEM if out of memory.
 */
int madkit_cabling_new(struct madkit_cabling **cabling);

/*
 * madkit_cabling_free - free a cabling
 * @cabling: cabling to free, or NULL
 */
void madkit_cabling_free(struct madkit_cabling *cabling);

/*
 * madkit_cabling_set_prefix - set the prefix of the subnet
 * @cabling: the cabling
 * @prefix:  upper half of the GIDs; 0: not known
 */
void madkit_cabling_set_prefix(struct madkit_cabling *cabling, uint64_t prefix);

/*
 * madkit_cabling_add_node - add a node
 * @cabling: the cabling
 * @node:    the node; names are copied, and cut to MADKIT_CABLING_NAME_MAX bytes
 * @state:   enum madkit_cabling_state of all its ports
 * @added:   receives its number: the count of nodes before
 *
 * Return: 0; -E2BIG if there are too many nodes or ports; or -ENOMEM if out of memory.
 */
int madkit_cabling_add_node(struct madkit_cabling *cabling, const struct madkit_cabling_node *node,
			    uint8_t state, uint32_t *added);

/*
 * madkit_cabling_set_port - set a port of a node, not its link
 * @cabling: the cabling
 * @at:      the port
 * @port:    its properties
 *
 * Return: 0, or -EINVAL if there is no such port.
 */
int madkit_cabling_set_port(struct madkit_cabling *cabling, struct madkit_cabling_end at,
			    const struct madkit_cabling_port *port);

/*
 * madkit_cabling_add_link - link two ports
 * @cabling: the cabling
 * @a:       one end
 * @b:       the other one
 *
 * Return: 0, also if they are linked already; -EINVAL if there is no such port; or -EEXIST if one of them has another
 * link.
 */
int madkit_cabling_add_link(struct madkit_cabling *cabling, struct madkit_cabling_end a,
			    struct madkit_cabling_end b);

/*
 * madkit_cabling_add_trunk - add a number of links of which at least one end may be at any port
 * @cabling: the cabling
 * @a:       one end; port MADKIT_CABLING_ANY_PORT: any
 * @b:       the other one
 * @links:   number of links
 *
 * Return: 0; -EINVAL if there is no such node or port; or -ENOMEM if out of memory.
 */
int madkit_cabling_add_trunk(struct madkit_cabling *cabling, struct madkit_cabling_end a,
			     struct madkit_cabling_end b, unsigned int links);

/*
 * madkit_cabling_count - return the number of nodes
 * @cabling: the cabling
 *
 * Return: the number.
 */
uint32_t madkit_cabling_count(const struct madkit_cabling *cabling);

/*
 * madkit_cabling_node - return a node
 * @cabling: the cabling
 * @number:  number of the node, less than madkit_cabling_count()
 *
 * Return: the node, valid until another node is added.
 */
const struct madkit_cabling_node *madkit_cabling_node(const struct madkit_cabling *cabling, uint32_t number);

/*
 * madkit_cabling_has_link - check if a port has a link
 * @cabling: the cabling
 * @guid:    GUID of the node
 * @port:    number of the port
 *
 * Return: true if it has a link. False for a node that is known by its name only.
 */
bool madkit_cabling_has_link(const struct madkit_cabling *cabling, uint64_t guid, unsigned int port);

struct madkit_sweep;

/*
 * madkit_cabling_add_sweep - add the nodes and links of a sweep
 * @cabling: the cabling
 * @sweep:   the sweep, after madkit_sweep_label()
 * @nodes:   receives the number of each node of the sweep in the cabling
 *
 * A node of several sweeps (a CA with ports in several subnets) is one node.
 *
 * Return: 0, -E2BIG or -ENOMEM.
 */
int madkit_cabling_add_sweep(struct madkit_cabling *cabling, const struct madkit_sweep *sweep,
			     uint32_t *nodes);

/* ---- differences ------------------------------------------------------------- */

/* A kind of differences. */
struct madkit_difference_kind {
	const char *name;      /* "link-gone" */
	uint8_t severity;      /* MADKIT_SEVERITY_...: the highest of its differences */
	const char *condition; /* when there is such a difference, without a period */
	const char *next;      /* next step, without a period; PLACE in it is the place of the difference */
};

/*
 * madkit_difference_kinds - return all kinds of differences
 * @count: receives the number of kinds
 *
 * Return: an array of kinds, in the order of their precedence: kind i is the value i + 1 of MADKIT_DIFFERENCE_...
 */
const struct madkit_difference_kind *madkit_difference_kinds(size_t *count);

/*
 * madkit_difference_attribute - return the description of the records of differences
 *
 * For madkit_expr_check(): the fields are what, severity, event, key, since, place, before, after, text and by.
 *
 * Return: the description.
 */
const struct madkit_attribute *madkit_difference_attribute(void);

/* A difference. */
struct madkit_difference {
	uint8_t kind;       /* MADKIT_DIFFERENCE_... */
	uint8_t severity;   /* MADKIT_SEVERITY_... */
	const char *key;    /* identifies the difference in any later comparison */
	const char *place;  /* "leaf2/7 <-> h12/1"; "": the whole subnet */
	const char *before; /* "spine1/2"; "": none */
	const char *after;  /* as before */
	const char *text;   /* one fact, without a period */
	/* of the place, in the later cabling */
	struct madkit_cabling_end ends[2];
};

/* The length of madkit_layout_difference_object. */
enum {
	MADKIT_DIFFERENCE_RECORD_BYTES = 2899,
};

/* A difference as a record: the object "difference" of a JSON line (madkit-json(7)). */
struct madkit_difference_record {
	struct madkit_record record; /* of message */
	struct madkit_message
		message; /* of kind MADKIT_MESSAGE_DIFFERENCE, about the record; without host and time */
	uint8_t data[MADKIT_DIFFERENCE_RECORD_BYTES], known[MADKIT_DIFFERENCE_RECORD_BYTES];
};

/*
 * madkit_difference_record - make a record of a difference
 * @difference: the difference
 * @event:      MADKIT_PROBLEM_EVENT_OPEN, MADKIT_PROBLEM_EVENT_UPDATE or MADKIT_PROBLEM_EVENT_CLOSE
 * @since:      time since when it is known, "2026-11-20T22:10:11Z"; NULL: null
 * @by:         how it was found, MADKIT_DIFFERENCE_BY_...; 0: null
 * @record:     receives the record, which refers to itself: copies are not valid
 *
 * Texts that are too long are cut.
 */
void madkit_difference_record(const struct madkit_difference *difference, uint8_t event, const char *since,
			      uint8_t by, struct madkit_difference_record *record);

/* ---- comparison -------------------------------------------------------------- */

/* How to compare. */
struct madkit_compare_options {
	bool lids; /* also LIDs */
	/* returns if differences of this node are listed; NULL: all are */
	bool (*scope)(void *context, const struct madkit_cabling_node *node);
	void *context;
};

struct madkit_comparison;

/*
 * madkit_compare - compare two cablings
 * @before:     the plan, or the earlier state; only labels are added to nodes without any
 * @after:      the later state, as before; both must outlive the comparison
 * @options:    how to compare; NULL: the defaults
 * @comparison: receives the differences; free it with madkit_comparison_free()
 * @error:      receives the reason, or NULL
 *
 * The time is proportional to the number of nodes and ports, plus that of sorting the differences. Those of
 * the highest severity are the first.
 *
 * Return: 0; -EEXIST if several nodes have a name by which a node is known; -ENOENT if the cablings have no node in common, or
 * most nodes of @before are not in @after, which has as many others; or -ENOMEM if out of memory.
 */
int madkit_compare(struct madkit_cabling *before, struct madkit_cabling *after,
		   const struct madkit_compare_options *options, struct madkit_comparison **comparison,
		   struct madkit_error *error);

/*
 * madkit_comparison_difference - return a difference
 * @comparison: the comparison
 * @i:          number of the difference, from 0
 *
 * Return: the difference, valid until the comparison is freed; NULL if there are at most @i.
 */
const struct madkit_difference *madkit_comparison_difference(const struct madkit_comparison *comparison,
							     size_t i);

/* Numbers of a comparison: links and nodes of the first cabling. Links that are not compared by rule are not counted. */
struct madkit_comparison_counts {
	uint32_t links;   /* all: the sum of the next three, and of those that differ */
	uint32_t same;    /* with the same ends and rate; of a trunk, those that were found */
	uint32_t unknown; /* perhaps behind a node without a response */
	uint32_t outside; /* with an end out of scope */
	uint32_t hidden;  /* nodes, perhaps behind a node without a response */
	uint32_t
		names; /* nodes without a GUID, and with a name that no node has: another one is at their position */
	const char *name; /* one of these; NULL: none. Valid as long as the first cabling */
};

/*
 * madkit_comparison_count - count the compared links
 * @comparison: the comparison
 * @counts:     receives the numbers
 */
void madkit_comparison_count(const struct madkit_comparison *comparison,
			     struct madkit_comparison_counts *counts);

/*
 * madkit_comparison_free - free a comparison
 * @comparison: comparison to free, or NULL
 */
void madkit_comparison_free(struct madkit_comparison *comparison);

MADKIT_END_DECLS
#endif
