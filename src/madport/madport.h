/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of madport: its words and options, the subnet, and the port that it is about. */
#ifndef SRC_MADPORT_H
#define SRC_MADPORT_H

#include "subnet/judge.h"
#include "subnet/port_values.h"

enum port_action { PORT_SHOW, PORT_DISABLE, PORT_ENABLE, PORT_RESET, PORT_SPEED, PORT_WIDTH, PORT_ACTIONS };

struct madport_options {
	struct cli_options shared;
	uint8_t port; /* -m */
	bool have_port, yes, force;
};

/* Returns the options of this command, of which the shared ones are the beginning (struct option_table). */
static inline const struct madport_options *madport_options(const struct cli_options *options)
{
	return (const struct madport_options *)options;
}

/* A port in a sweep. */
struct port_end {
	uint32_t node;
	uint8_t port;
};

static inline bool port_end_same(struct port_end a, struct port_end b)
{
	return a.node == b.node && a.port == b.port;
}

/* A name of 64 octets, of which each may be an escape of four characters, and a port; names of maps may be longer. */
enum { PORT_PLACE_BYTES = 4 * 64 + 64 };

struct madport {
	const struct madport_options *options;
	enum port_action action;
	const char *place, *value;  /* words; NULL: not given */
	struct subnet net;          /* net.sweep: the link of the port */
	struct madkit_sweep *whole; /* the subnet; NULL: the port of this host, without a sweep */
	/* in whole, with their places: the port, and the port that switches its link on and off, which is that of a switch
	 * if the link has one */
	struct port_end at, act;
	char at_place[PORT_PLACE_BYTES], act_place[PORT_PLACE_BYTES];
	bool doubtful; /* its node is named by a word that may be the name of a node that did not respond */
};

/* ---- port_place.c ---------------------------------------------------------------
 * The port that PLACE or a destination names, and the links that must stay up to reach it. Functions that return an exit
 * status store the reason in net.x.failure.why, as those of subnet.h do.
 */

/* Writes a port as people write it: "leaf2/7". port -1: only the name of the node. */
void port_place_put(const struct madkit_sweep *sweep, uint32_t node, int port, char place[PORT_PLACE_BYTES]);

/* Sweeps the subnet and finds the port: sets whole, at, act and their places. */
int port_place_find(struct madport *m);

/*
 * Checks if it is safe to take the link of the port down: not if packets between this host and the switch, or between this
 * host and the subnet manager, use it, nor if it is the last link of a switch to another one, nor if that is not known. Reads
 * the forwarding tables on these routes. Returns EXIT_DONE, with why "" if it is safe, or another exit status.
 */
enum { PORT_WHY_BYTES = PORT_PLACE_BYTES + 100 };
int port_guard(struct madport *m, char why[PORT_WHY_BYTES]);

/* ---- cable.c: a cable with both its ends, and requests to an end ---------------------- */

/* The registers of a port that are shown, in the order of the output. */
enum cable_page { CABLE_MODULE, CABLE_BITS, CABLE_PHY, CABLE_DOWN, CABLE_PAGES };

/* The registers of a port: none if its device does not have AccessRegisterGMP. */
struct cable_pages {
	struct request requests[CABLE_PAGES]; /* mad NULL: not requested */
	struct answer answers[CABLE_PAGES];   /* of requests */
	unsigned int local;                   /* the number that registers have for the port; 0: not known */
	char why[160]; /* why one of them was not read, although the device may have it; "": all were, or it has none */
	bool locked; /* the device did not answer any of them: it may need another V_Key */
};

/* An end of a cable: a port of the sweep of its link. */
struct cable_end {
	struct port_end at;
	char place[PORT_PLACE_BYTES];
	uint32_t lid;          /* 0: none, or not known */
	struct request errors; /* Get PortCounters, if the LID is known */
	struct answer answer;  /* of errors */
	struct cable_pages pages;
};

struct cable {
	struct madport *m;
	struct cable_end ends[2]; /* ends[0] is the port that the command is about */
	unsigned int n;           /* ends that are known */
	bool up;                  /* the link of ends[0] is up */
	bool silent;              /* an end of a link that is up did not respond, or was not asked */
	struct judgement judged;
};

/* Reads both ends, their counters of errors, and judges the link. Returns EXIT_DONE, or another status after a report. The
 * caller frees the cable in either case. */
int cable_read(struct cable *cable);
void cable_free(struct cable *cable);

/* Returns the port of an end, with its PortInfo. */
const struct madkit_sweep_port *cable_port(const struct cable *cable, unsigned int end);
/* Returns a field of PortInfo of an end; 0 if it was not read. */
uint64_t cable_info(const struct cable *cable, unsigned int end, uint64_t field);
/* Returns problem i of the link; NULL: there are no more. */
const struct madkit_problem *cable_problem(const struct cable *cable, size_t i);

/* A request to an end: an SMP by directed route, or a GMP by LID. */
struct cable_request {
	uint8_t mgmt_class, method;
	const char *attribute;
	uint32_t modifier;
	uint64_t m_key;
	const char *about; /* the port, for messages; must outlive the request */
};

/* Makes a request, whose data is zero. Returns EXIT_DONE, or EXIT_LOCAL after a report. The caller frees it in either
 * case. */
int cable_request_make(const struct cable_request *wanted, const struct madkit_addr *to,
		       struct request *request);

/* ---- cable_pages.c: the registers of an end ------------------------------------------- */

/* Reads the registers of an end, one after the other. A device without them is not a failure. */
void cable_pages_read(struct cable *cable, unsigned int end);
void cable_pages_free(struct cable_pages *pages);

/* Returns the response with a page; NULL: it was not read, or refused. */
const struct answer *cable_page_get(const struct cable_pages *pages, enum cable_page page);
/* Appends the value of a field as in a table. Returns false if it is null or empty. */
bool cable_page_put(const struct answer *page, const char *field, struct madkit_buf *buf);
/* Returns the value of a field; 0 if the page does not have it. */
uint64_t cable_page_value(const struct answer *page, const char *field);

/* ---- cable_text.c: the registers of both ends, for people ------------------------------ */

/* Append what registers of an end say, or nothing if they were not read: why the link was last down; the temperature and
 * the received power of the module; bit errors before and after FEC. */
void cable_put_down(const struct cable_end *end, struct madkit_buf *buf);
void cable_put_module(const struct cable_end *end, struct madkit_buf *buf);
void cable_put_bits(const struct cable_end *end, struct madkit_buf *buf);

/* Appends the lines about the cable: one if both ends report one serial number, none if no end has registers. */
void cable_put(const struct cable *cable, struct madkit_buf *buf, const struct madkit_terminal *terminal);

/* ---- port_show.c -------------------------------------------------------------------- */

/* Appends the names of a set of values: "1x 4x"; of speeds, "up to HDR" if no speed is missing below. */
void port_put_set(struct madkit_buf *buf, const char *field, uint32_t set);

/* Reads the link of the port, and shows it. Returns EXIT_NOTHING if there is none or it is not as good as it could be,
 * EXIT_TIMEOUT if an end did not respond, or another exit status. Failures have been reported. */
int port_show(struct madport *m);

/* ---- port_change.c ------------------------------------------------------------------ */

/*
 * Shows the change, asks, makes it, reads it back, and waits for the link. Returns EXIT_DONE, also if there is nothing to
 * change; EXIT_USAGE if it must not be changed; EXIT_NOTHING if the answer was no, or if the port ignored the change;
 * EXIT_TIMEOUT if the port or its link did not respond in time; or another exit status. Everything has been reported.
 */
int port_change(struct madport *m);

#endif
