/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --delta and --since: the readings of all ports of a scope, and how they differ from earlier ones. */
#ifndef SRC_SURVEY_DELTA_H
#define SRC_SURVEY_DELTA_H

#include "request/difference.h"
#include "scope.h"
#include "subnet/baseline.h"
#include "survey_paths.h"
#include "survey_ticks.h"

/* The attributes that are read for a request. */
enum survey_slot {
	SURVEY_SLOT_FIRST,  /* the attribute of the request or, for PortCounters, PortCountersExtended */
	SURVEY_SLOT_SECOND, /* PortCounters, for what PortCountersExtended of the port does not have */
	SURVEY_SLOTS,
	SURVEY_SLOT_TICKS = SURVEY_SLOTS, /* PortSamplesControl */
};

/* Counters that some of the ports have in common. */
struct survey_kind {
	const struct madkit_attribute *attribute;
	unsigned int has; /* of ClassPortInfo */
	struct madkit_counters *counters;
	bool looked;                       /* for narrow */
	const struct madkit_field *narrow; /* a counter that is full soon, or NULL */
};

enum { SURVEY_KINDS = 16 };

struct survey_delta {
	const struct request *request;
	struct request wide;   /* PortCountersExtended instead of PortCounters; mad NULL: not needed */
	struct request ticks;  /* PortSamplesControl; mad NULL: congestion is not shown */
	bool names_congestion; /* an option does */
	struct survey_kind kinds[SURVEY_KINDS];
	size_t nkinds;
	/* of a subnet: */
	struct survey_ticks tick_kinds; /* if ticks are read */
	struct survey_paths paths;      /* of the last survey */
	struct exchange *x;
	const struct scope *scope;
	struct baseline *baseline; /* the earlier readings; NULL: those of this command */
	bool seeks_gone;           /* ports of the baseline that are not in the sweep are shown */
	/* the survey that runs: */
	bool aside;   /* its results are kept, and not shown */
	bool is_wide; /* PortCountersExtended of all ports has all counters */
	enum survey_slot slot;
	bool lacks;               /* a port does not have the attribute of the first slot */
	bool compared, congested; /* a port was, and its congestion is known */
	size_t nslots;
	uint16_t ids[SURVEY_SLOTS]; /* of their attributes */
	/* by port of the scope and slot: */
	struct madkit_reading *before, *now;
	uint8_t (*headers)[MADKIT_HEADER_BYTES];
	/* by port of the scope: */
	float *gbps;  /* of the ports that were compared */
	uint8_t *has; /* by node of the sweep */
};

/* The difference of a port. */
struct survey_compared {
	struct difference difference;
	struct madkit_record record; /* of the message that it was compared for */
	const uint8_t *header;       /* of the response that was read */
	struct survey_kind *kind;
	const struct baseline_port *replaced; /* the port that was here before, or NULL */
};

/* Prepares the differences of a request that has been built, and checks the names in the expressions. Returns
 * EXIT_DONE, or a status after a report. The caller frees them in either case. */
int survey_delta_new(const struct request *request, const struct output *out, struct survey_delta **delta);
void survey_delta_free(struct survey_delta *delta);

/* Prepares the order of the ports by a field, or NULL. Returns EXIT_DONE or EXIT_LOCAL. */
int survey_delta_sort(struct survey_delta *delta, const struct madkit_expr *field);

/* Returns the attribute with the names of the differences. */
const struct madkit_attribute *survey_delta_attribute(const struct survey_delta *delta);

/* Writes the IDs of the attributes that are read, at most SURVEY_SLOTS. Returns their number. */
size_t survey_delta_ids(const struct survey_delta *delta, uint16_t ids[SURVEY_SLOTS]);

/* Begins with the ports of a subnet, without readings. Returns EXIT_DONE or EXIT_LOCAL. */
int survey_delta_begin(struct survey_delta *delta, struct exchange *x, const struct scope *scope,
		       struct baseline *baseline);

/* Keeps the result of a port, if it is a reading. at: index of the port in the scope. */
void survey_delta_take(struct survey_delta *delta, size_t at, const struct answer *answer);
/* Notes which counters a node has, by its ClassPortInfo. */
void survey_delta_take_has(struct survey_delta *delta, uint32_t node, unsigned int has);

/* Checks if PortCountersExtended of all ports that responded has all counters. */
bool survey_delta_is_wide(const struct survey_delta *delta);

/* Makes the readings the earlier ones of the next round. A port that did not respond keeps its earlier reading. */
void survey_delta_advance(struct survey_delta *delta);

/* Compares the readings of a port. attribute: of the response; NULL: that of the request. port: its record. message: with
 * the envelope of the difference. Returns false if memory ran out. */
bool survey_delta_compare(struct survey_delta *delta, size_t at, const struct madkit_attribute *attribute,
			  const struct madkit_record *port, const struct madkit_message *message,
			  struct survey_compared *compared);
/* As survey_delta_compare(), for a port that is gone: it has no counters. */
void survey_delta_gone(struct survey_delta *delta, const struct madkit_message *message,
		       struct survey_compared *compared);

/* Returns the number of ports that responded now, but have no earlier reading because they did not respond. */
size_t survey_delta_unpaired(const struct survey_delta *delta);

/* Says, once for all ports, that a counter is full within seconds. */
void survey_delta_tell_narrow(struct survey_delta *delta);
/* Says, if an option names congestion, why it is not known of any port that was compared. */
void survey_delta_tell_congestion(const struct survey_delta *delta);

#endif
