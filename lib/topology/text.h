/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of reading a topology file. */
#ifndef TOPOLOGY_TEXT_H
#define TOPOLOGY_TEXT_H

#include "topology/topology.h"

struct said {
	uint32_t line;
	uint32_t name, name_len;
	uint32_t number; /* position of the peer's port number, or where it would be */
	uint32_t guid_at, peer_guid_at, peer_lid_at, option_at, rate_at;
	uint64_t peer_guid;
	uint16_t peer_lid;
	uint16_t speed; /* of the link, from the comment; 0: unknown */
	uint8_t width;
	uint8_t peer_port;
	bool widths, speeds; /* w=; s= or e= */
};

struct reader {
	const char *text;
	uint32_t len;
	uint32_t at;
	uint32_t end; /* of the current line */
	struct topology *t;
	struct madkit_error *error;
	struct said *said; /* parallel to t->ports */
	uint32_t said_cap;
	uint32_t *lines; /* position of each node, parallel to t->nodes */
	uint32_t lines_cap;
	uint32_t node;     /* node of the port lines that may follow, or TOPOLOGY_NONE */
	const char *ended; /* why node is TOPOLOGY_NONE */
	/* values for the next node */
	uint64_t system_guid, port_guid;
	uint32_t vendor;
	uint16_t device;
	uint8_t told_guid; /* type of the node; 0: no GUID */
	bool told_system, told_port;
	uint64_t next[4]; /* next GUID, by type */
	/* defaults for ports without options */
	uint8_t widths;
	uint16_t speeds;
};

/* ---- words.c: each 0, or -errno with the reader's error set -------------- */

/* Reports an error at a position. */
__attribute__((format(printf, 4, 5))) int read_fail(struct reader *r, int code, uint32_t at,
						    const char *format, ...);
/* Reports that the text at the reader's position is not the expected one. */
int read_expected(struct reader *r, const char *what);
bool read_is_blank(char c);
/* Skips blanks. */
void read_blanks(struct reader *r);
/* Skips blanks. Returns true at the end of the line. */
bool read_at_end(struct reader *r);
/* Skips a text, if it is here; a word only if no letter follows. */
bool read_take(struct reader *r, const char *word);
bool read_take_word(struct reader *r, const char *word);
/* Reads a decimal number, 0x hex, or (base 16) hex without 0x. */
int read_number(struct reader *r, unsigned int base, uint64_t min, uint64_t max, const char *what,
		uint64_t *value);
int read_close_bracket(struct reader *r, char c);
/* Reads "(GUID)", in hex, if it is here, and sets *where. */
int read_paren_guid(struct reader *r, uint64_t *guid, uint32_t *where);
/* Reads a name in quotes. */
int read_quoted(struct reader *r, const char *what, uint32_t *at, uint32_t *len);
/* Reads a description in quotes, up to the last quote of the line, because it may contain quotes. */
int read_description(struct reader *r, uint32_t *at, uint32_t *len);
int read_lid(struct reader *r, uint16_t *lid);
/* Reads "lid 3" and "lmc 0", each if it is here. */
int read_lid_and_lmc(struct reader *r, struct topology_port *port);
/* Reads "4xEDR". A rate that the printer did not know ("??", "???") becomes 0. */
int read_rate(struct reader *r, struct said *said);

/* ---- lines.c ------------------------------------------------------------- */

int read_no_memory(struct reader *r);
int read_lines(struct reader *r);

/* ---- rates.c ------------------------------------------------------------- */

/* Call this when all links are known: derives what the ports support and enable, and which links are
 * degraded. Returns 0, or -errno with the reader's error set. */
int read_rates(struct reader *r);

#endif
