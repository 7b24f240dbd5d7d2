/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_names - names of nodes, and the node that a word means
 *
 * A person names a node by a LID, a GUID, a GID, a name from a node name map, a node description, or the first word
 * of one. madkit_node_find() finds the node among any nodes that the program enumerates; madkit_sweep_find() does so
 * in a sweep (madkit_sweep(3)). madkit_resolve_name() and madkit_resolve_word() query the subnet administrator (SA)
 * for the address of a node that a name or a word means, as madkit_resolve(3) does for a GUID or a GID. A LID is an
 * address already: they do not accept one.
 *
 * struct madkit_names does the opposite: it queries the SA for the names of LIDs and GUIDs, in the background, and
 * remembers them.
 */
#ifndef MADKIT_NAMES_H
#define MADKIT_NAMES_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/addr.h>
#include <madkit/error.h>
#include <madkit/port.h>
#include <madkit/resolve.h>

MADKIT_BEGIN_DECLS

/* Limits. */
enum {
	MADKIT_NODE_NAME_MAX = 64,  /* bytes of a name; longer ones are cut */
	MADKIT_NODE_LISTED_MAX = 5, /* nodes that a search lists if the word means several */
	MADKIT_NODE_SIMILAR_MAX = 3,
};

/* A node, or one of its ports. Unknown members are 0. */
struct madkit_node {
	char name[MADKIT_NODE_NAME_MAX + 1]; /* from a node name map, else the description; "": unknown */
	uint8_t type;                        /* as in NodeInfo */
	uint16_t device_id;
	uint32_t lid; /* base LID of a port */
	uint64_t guid, system_guid, port_guid;
	uint64_t id; /* result of a search: the id of the enumeration */
};

/* ---- node name maps ----------------------------------------------------------- */

/* struct madkit_name_map: names of nodes, from a file in the format of infiniband-diags */
struct madkit_name_map;

/*
 * madkit_name_map_read - read a node name map
 * @port:  port with the limit for reading a pipe
 * @path:  file with lines of the form 0xGUID "name", empty lines, and comments from # on
 * @map:   receives the map; free it with madkit_name_map_free()
 * @error: receives the reason of a failure, or NULL
 *
 * Return: 0 on success, or:
 * - -EINVAL: a line is not valid
 * - -EIO: the file cannot be read, or has more than 64 MiB
 * - -ETIME: the file is a pipe, and nothing was written to it within the limit of the port
 * - -EINTR: interrupted by a signal
 * - -ENOMEM: out of memory
 */
int madkit_name_map_read(struct madkit_port *port, const char *path, struct madkit_name_map **map,
			 struct madkit_error *error);

/*
 * madkit_name_map_free - free a node name map
 * @map: map to free, or NULL
 */
void madkit_name_map_free(struct madkit_name_map *map);

/*
 * madkit_name_map_name - return the name of a node
 * @map:  the map
 * @guid: GUID of the node
 *
 * Return: the name, valid until the map is freed; NULL if the map does not have the node.
 */
const char *madkit_name_map_name(const struct madkit_name_map *map, uint64_t guid);

/* ---- which node does a word mean? ----------------------------------------------- */

/* A port of a node, as the program describes it to a search. Unknown members are 0 or NULL. */
struct madkit_node_port {
	uint64_t id; /* identifies the node, such as its number; one node's ports are best adjacent */
	uint64_t guid, port_guid;
	uint32_t lid;                 /* for the list of several nodes */
	uint32_t lid_first, lid_last; /* LIDs of the port; 0: none */
	const char *name;             /* from a node name map; NULL: the description is the name */
	const char *description;      /* up to 64 bytes; a shorter one ends with NUL; NULL: unknown */
};

/*
 * madkit_node_next - describe the next port of an enumeration
 * @context: position in the enumeration, which the program keeps
 * @port:    all zero; filled in by the function
 *
 * What the port points to has to be valid until the next call.
 *
 * Return: false if there are no more ports.
 */
typedef bool (*madkit_node_next)(void *context, struct madkit_node_port *port);

/* How a word names a node, in the order of the search. */
enum madkit_node_way {
	MADKIT_NODE_BY_LID,         /* a number, unless it is 0x and 16 digits */
	MADKIT_NODE_BY_GUID,        /* a number: GUID of the node or of a port; or a GID with a port GUID */
	MADKIT_NODE_BY_NAME,        /* whole name, from the map or the description */
	MADKIT_NODE_BY_DESCRIPTION, /* whole description */
	MADKIT_NODE_BY_WORD,        /* first word, or words, of a name or a description */
	MADKIT_NODE_WAYS,
};

/* The result of a search. */
struct madkit_node_match {
	enum madkit_node_way way;                         /* how the word was understood */
	uint32_t count;                                   /* nodes that it means in this way */
	struct madkit_node nodes[MADKIT_NODE_LISTED_MAX]; /* the first of them */
	uint32_t nsimilar; /* nodes with a name or description that begins with the word, ignoring case */
	struct madkit_node similar[MADKIT_NODE_SIMILAR_MAX]; /* the first of them, each name once */
};

/*
 * madkit_name_compare - compare two names in their natural order
 * @a:     a name
 * @a_len: its bytes
 * @b:     another name
 * @b_len: its bytes
 *
 * Digits are compared as numbers: node2 is before node10.
 *
 * Return: negative, 0 or positive, as memcmp() does; 0 only if the names are equal.
 */
int madkit_name_compare(const char *a, size_t a_len, const char *b, size_t b_len);

/*
 * madkit_name_is_default - check whether a name is one that the firmware sets
 * @name: the name
 * @len:  its bytes
 *
 * All devices of a model have the same: "MT4123 ConnectX6 Mellanox Technologies", "Quantum Mellanox Technologies".
 *
 * Return: true if it is.
 */
bool madkit_name_is_default(const char *name, size_t len);

/*
 * madkit_node_find - find the node that a word means
 * @word:    LID, GUID, GID, name, description, or first word of a name or a description
 * @next:    describes the next port
 * @context: passed to @next
 * @match:   receives the result; its nodes have name, lid, guid, port_guid and id
 *
 * The ways of enum madkit_node_way are tried in their order; the first that finds a node decides. Descriptions are
 * case-sensitive, as in the SA; names of a map are not. NAME in "MF0;NAME:MODEL/U1" counts as a first word. Each port is requested once. Does not block.
 *
 * Return: 0 if the word means one node, match->nodes[0]; -ENOENT if it means none; -EEXIST if it means several.
 */
int madkit_node_find(const char *word, madkit_node_next next, void *context, struct madkit_node_match *match);

/* ---- addresses by name ---------------------------------------------------------- */

/*
 * madkit_resolve_name, madkit_resolve_word - find the address of a node by its name
 * @resolver: the port, and how to query the SA
 * @map:      node name map, or NULL
 * @name:     name from the map, ignoring case, or whole node description
 * @word:     the same, or the GUID of a node or a port, or a GID, or the first word of a description
 * @addr:     receives the address in lid and sl
 * @match:    receives the result of a search among all nodes of the SA, if it was necessary; else it is all zero
 * @error:    receives the reason of a failure, or NULL; valid only after a failure
 *
 * madkit_resolve_word() requests the table of all nodes if no node has the whole description: do not call it for each
 * of many requests. Both functions block as madkit_resolve_guid() does.
 *
 * Return: 0, or an error of madkit_resolve_guid(); -EEXIST if several nodes have the name; -ENOENT if the SA knows
 * none.
 */
int madkit_resolve_name(const struct madkit_resolver *resolver, const struct madkit_name_map *map,
			const char *name, struct madkit_addr *addr, struct madkit_error *error);
int madkit_resolve_word(const struct madkit_resolver *resolver, const struct madkit_name_map *map,
			const char *word, struct madkit_addr *addr, struct madkit_node_match *match,
			struct madkit_error *error);

/* ---- names of LIDs and GUIDs ----------------------------------------------------
 * A response of the SA about a LID or a GUID is used for a while (life_ms). If the SA no longer has a GUID, its last
 * name remains: a GUID is never assigned to another node, but a LID may be.
 *
 * Either wait for a name with madkit_names_look_up(), or do not wait: madkit_names_want() requests a name,
 * madkit_names_tend() sends queries and takes responses, and madkit_names_get() returns the node. Call
 * madkit_names_tend() as often as the port is processed (madkit_port_process()), and at the time that it returns.
 */

struct madkit_names;

/* Identifies a node by the LID or the GUID of one of its ports. Both 0, or a LID that is not unicast: no node. */
struct madkit_node_key {
	uint32_t lid;
	uint64_t port_guid;
};

/* How long names are used and queries last, by default. */
enum {
	MADKIT_NAMES_LIFE_MS = 10000,
	MADKIT_NAMES_WAIT_MS = 1000,
	MADKIT_NAMES_FOREVER = -1,
};

/* How names are found. */
struct madkit_names_attr {
	struct madkit_resolver resolver; /* its port must outlive the names; its deadline ends all queries */
	const struct madkit_name_map *map; /* must outlive the names; NULL: none */
	bool describe;                     /* if the map does not have a node, its description is the name */
	int32_t life_ms; /* how long a response is used; 0: MADKIT_NAMES_LIFE_MS; or MADKIT_NAMES_FOREVER */
	/* how long a query lasts, with all tries; 0: MADKIT_NAMES_WAIT_MS; or MADKIT_NAMES_FOREVER: as the resolver's
	 * timeout, retries and deadline allow */
	int32_t wait_ms;
};

/*
 * madkit_names_new - prepare look-ups of names
 * @attr:  port, map and limits, which are copied
 * @names: receives the object; free it with madkit_names_free()
 * @error: receives the reason of a failure, or NULL
 *
 * Registers an agent for the SA class, with the kernel's RMPP. At most 131,072 names are remembered, 4,096 requests wait, and
 * 64 queries are outstanding. Does not block.
 *
 * Return: 0; -EINVAL if @attr has no port; -ENOMEM; or an error of madkit_agent_register().
 */
int madkit_names_new(const struct madkit_names_attr *attr, struct madkit_names **names,
		     struct madkit_error *error);

/*
 * madkit_names_free - free the names, and abandon outstanding queries
 * @names: object to free, or NULL
 *
 * Must not be called from a handler.
 */
void madkit_names_free(struct madkit_names *names);

/*
 * madkit_names_want, madkit_names_want_all - request the name of a node, or of all nodes
 * @names: the names
 * @key:   the node
 *
 * madkit_names_want() does nothing if the node is known. madkit_names_want_all() sends one query for the table of all
 * nodes, so that the names of nodes that leave are known. They do not block. Handlers may call them.
 */
void madkit_names_want(struct madkit_names *names, struct madkit_node_key key);
void madkit_names_want_all(struct madkit_names *names);

/*
 * madkit_names_pending - check whether a query is waiting or outstanding
 * @names: the names
 * @key:   the node
 *
 * Return: true at most for wait_ms after madkit_names_want().
 */
bool madkit_names_pending(const struct madkit_names *names, struct madkit_node_key key);

/*
 * madkit_names_get - return the last known name and GUIDs of a node
 * @names: the names
 * @key:   the node
 *
 * Does not block. The name of a node is "" if it has only a description, and describe is not set.
 *
 * Return: the node, valid until the next call with @names; NULL: it is not known.
 */
const struct madkit_node *madkit_names_get(struct madkit_names *names, struct madkit_node_key key);

/*
 * madkit_names_look_up - return a node, after a query to the SA if it is not known
 * @names: the names
 * @key:   the node
 * @node:  receives the node, valid until the next call with @names
 * @error: receives the reason of a failure, or NULL
 *
 * Blocks until the SA has responded, or the time for the query is over.
 *
 * Return: 0 on success, or:
 * - -ENOENT: the SA does not know the node
 * - -EINTR: interrupted by a signal; see madkit_request()
 * - others: an error of madkit_resolve_guid()
 */
int madkit_names_look_up(struct madkit_names *names, struct madkit_node_key key,
			 const struct madkit_node **node, struct madkit_error *error);

/*
 * madkit_names_forget - discard the name of a node that has changed, and that of its LID
 * @names: the names
 * @key:   the node
 *
 * Handlers may call this function.
 */
void madkit_names_forget(struct madkit_names *names, struct madkit_node_key key);

/*
 * madkit_names_tend - send queries and take their responses
 * @names: the names
 *
 * Does not block. Calls madkit_port_process(), which calls handlers. Must not be called from a handler.
 *
 * Return: the latest time of the next call, on the clock of the port.
 */
uint64_t madkit_names_tend(struct madkit_names *names);

MADKIT_END_DECLS
#endif
