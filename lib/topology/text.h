/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A topology file that is being read. */
#ifndef TOPOLOGY_TEXT_H
#define TOPOLOGY_TEXT_H

#include "topology/topology.h"

struct said {
	uint32_t line;
	uint32_t name, name_len;
	uint32_t number; /* where the peer's port stands, if it does */
	uint32_t guid_at, peer_guid_at, peer_lid_at, option_at, rate_at;
	uint64_t peer_guid;
	uint16_t peer_lid;
	uint16_t speed; /* of the link, as the comment has it; 0: unknown */
	uint8_t width;
	uint8_t peer_port;
};

struct reader {
	const char *text;
	uint32_t len;
	uint32_t at;
	uint32_t end; /* of the line that at is in */
	struct topology *t;
	struct madkit_error *error;
	struct said *said; /* beside t->ports */
	uint32_t said_cap;
	uint32_t *lines; /* where each node stands, beside t->nodes */
	uint32_t lines_cap;
	uint32_t node;     /* whose ports' lines may follow, or TOPOLOGY_NONE */
	const char *ended; /* why there is none */
	/* told for the next node */
	uint64_t system_guid, port_guid;
	uint32_t vendor;
	uint16_t device;
	uint8_t told_guid; /* the type of node, 0: none */
	bool told_system, told_port;
	uint64_t next[4]; /* GUID, by type */
	/* enabled at ports that do not say */
	uint8_t widths;
	uint16_t speeds;
};

/* ---- words.c: each 0, or -errno with the reader's error set -------------- */

/* What stands at that place is wrong. */
__attribute__((format(printf, 4, 5))) int read_fail(struct reader *r, int code, uint32_t at,
						    const char *format, ...);
/* What stands where the reader is, is not what was expected. */
int read_expected(struct reader *r, const char *what);
bool read_is_blank(char c);
/* Behind the blanks. */
void read_blanks(struct reader *r);
/* Behind the blanks: whether the line ends there. */
bool read_at_end(struct reader *r);
/* Behind that text, if it stands here; a word, which no letter follows. */
bool read_take(struct reader *r, const char *word);
bool read_take_word(struct reader *r, const char *word);
/* Decimal, 0x hex, or (base 16) hex without it. */
int read_number(struct reader *r, unsigned int base, uint64_t min, uint64_t max, const char *what,
		uint64_t *value);
int read_close_bracket(struct reader *r, char c);
/* "(GUID)", in hex, if it is there: *where is set. */
int read_paren_guid(struct reader *r, uint64_t *guid, uint32_t *where);
/* A name in quotes. */
int read_quoted(struct reader *r, const char *what, uint32_t *at, uint32_t *len);
/* A description in quotes: to the last of its line, for it may hold some. */
int read_description(struct reader *r, uint32_t *at, uint32_t *len);
int read_lid(struct reader *r, uint16_t *lid);
/* "lid 3", "lmc 0", each if it is there. */
int read_lid_and_lmc(struct reader *r, struct topology_port *port);
/* "4xEDR"; what the printer did not know ("??", "???") is not told. */
int read_rate(struct reader *r, struct said *said);

/* ---- lines.c ------------------------------------------------------------- */

int read_no_memory(struct reader *r);
int read_lines(struct reader *r);

/* ---- rates.c ------------------------------------------------------------- */

/* Once all links are known: what the ports support and enable, and which links are degraded. 0, or -errno
 * with the reader's error set. */
int read_rates(struct reader *r);

#endif
