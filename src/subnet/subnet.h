/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A subnet that a command sweeps through one local port. Functions that return an exit status store the reason in
 * x.failure.why, unless stated otherwise. */
#ifndef SRC_SUBNET_H
#define SRC_SUBNET_H

#include "m_keys.h"
#include "rails.h"
#include "request/exchange.h"

/* Options of the commands that sweep. */
struct subnet_options {
	const char *via; /* "smp", "sa" or NULL */
	bool keep_going;
};

/* The settings that all subnets of a command share. */
struct subnet_common {
	bool sa;                       /* sweep through the subnet administrator */
	bool keep_going;               /* do not stop when three new nodes in a row are silent */
	struct madkit_name_map *names; /* NULL: none, or not read yet */
	struct m_keys *m_keys;         /* NULL: the M_Key of the options for all nodes */
	struct m_keys *v_keys;         /* NULL: the V_Key of the options for all nodes */
};

struct subnet {
	struct subnet_common *common;
	struct exchange x;
	bool titled;                      /* one of several: messages name its device */
	uint64_t opens_ns;                /* wait_elapsed_ns() when the port was opened */
	uint64_t begins_ns;               /* port clock, when the first sweep began */
	const struct madkit_addr *from;   /* directed route to the first node; NULL: the node of the port */
	struct madkit_sweep *sweep;       /* NULL: none has begun */
	const struct madkit_sweep *whole; /* an earlier sweep, whose short names hold; NULL: none */
	struct madkit_sweep_counts counts;
};

/* Reads the options for all subnets. Returns EXIT_DONE or EXIT_USAGE. */
int subnet_read_options(struct subnet_common *common, const struct subnet_options *own);

/* Reads the value of --m-key: a key, or @ and a file or directory with the keys of ports (struct manager_options). */
struct option_row;
int subnet_take_m_key(const struct option_row *row, void *member, char *text, struct madkit_error *error);

/* As subnet_take_m_key(), for --v-key. */
int subnet_take_v_key(const struct option_row *row, void *member, char *text, struct madkit_error *error);

/* Reads the files of M_Keys and V_Keys that the options name. Returns EXIT_DONE, or an exit status after a report. The caller frees
 * common in either case. */
int subnet_read_keys(struct subnet_common *common, const struct cli_options *o);
void subnet_common_free(struct subnet_common *common);

/*
 * Opens port i of the list and reads the node name map. For other classes than those of SMPs, pass the class of
 * the requests: the default port depends on it. Failures are reported.
 */
int subnet_open(struct subnet *net, const struct rails *list, size_t i, struct output *out,
		const struct cli_options *o, uint8_t mgmt_class);

/* Reports that the port cannot be used. Returns the status. */
int subnet_fail(struct subnet *net, const char *spec, int status);

/* Notes why the port cannot be used: the error of a sweep that could not begin. Returns the status. */
int subnet_refused(struct subnet *net, int error);

/* Begins a sweep. hops: the distance; 0: unlimited. */
int subnet_begin(struct subnet *net, uint8_t hops);

/* Runs until the sweep, the deadline or a signal ends it. Shows the progress on a terminal. Returns EXIT_DONE also at the
 * deadline. */
int subnet_run(struct subnet *net);

/* Returns the M_Key of a node: a madkit_sweep_m_key whose context is the struct subnet. */
uint64_t subnet_m_key(void *context, const struct madkit_sweep_node *node, unsigned int port, bool behind);

/* Returns the V_Key of a node, in requests of the class Mlnx. context: the struct subnet. port 0: of a switch. */
uint64_t subnet_v_key(void *context, const struct madkit_sweep_node *node, unsigned int port);

/* Returns the name that is shown for a node: from the node name map, or the description; "" if it has none. It may
 * have no NUL at its end. */
struct subnet_name {
	const char *text;
	size_t len;
};
struct subnet_name subnet_name(const struct madkit_sweep *sweep, const struct madkit_sweep_node *node);

/* The meaning of a word. */
struct subnet_place {
	uint32_t node;
	int port;   /* the port whose LID, GUID or GID the word is; 0: that of a switch; -1: none */
	int number; /* after the slash; -1: none */
	bool by_guid;
};

/* Finds the node that a word means (madkit_sweep_find()). option: the name of the word in messages. Returns EXIT_DONE;
 * EXIT_NOTHING if there is none; or EXIT_USAGE, also after listing several. */
int subnet_find(struct exchange *x, const struct madkit_sweep *sweep, const char *option, const char *word,
		struct subnet_place *place);

/* Finds the port that NODE/PORT means, or NODE without a number. A name may contain slashes. */
int subnet_find_place(struct exchange *x, const struct madkit_sweep *sweep, const char *option,
		      const char *word, struct subnet_place *place);

/* Frees the sweep and closes the port. */
void subnet_close(struct subnet *net);

#endif
