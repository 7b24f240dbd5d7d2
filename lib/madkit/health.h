/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_health - judge the health of a subnet by rules
 *
 * The rules are a table: madkit_health_rules(). They are applied to a sweep (madkit_sweep(3)) that has ended, and to
 * the responses to some more requests. madkit_health_next() returns those requests; the caller sends them with
 * madkit_survey(3) and passes the results to madkit_health_take(). Then madkit_health_judge() makes the list of
 * problems: each link and each node is judged once.
 *
 * A link that is slower than both of its ports could be is a warning only if most links between the same two types
 * of device are faster.
 *
 * The functions do not block. A judgement belongs to its sweep, and only one thread at a time may use them.
 */
#ifndef MADKIT_HEALTH_H
#define MADKIT_HEALTH_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/constants.h>
#include <madkit/counters.h>
#include <madkit/buf.h>
#include <madkit/error.h>
#include <madkit/message.h>
#include <madkit/registers.h>
#include <madkit/registry.h>
#include <madkit/survey.h>
#include <madkit/sweep.h>

MADKIT_BEGIN_DECLS

/* ---- rules ------------------------------------------------------------------- */

/* A number that a rule compares with. */
struct madkit_rule_limit {
	const char *key;
	uint64_t value, min, max; /* value: the default */
	const char *unit;         /* such as "%"; "": a count */
	const char *text;         /* the quantity that it limits, without a period */
};

/* A rule. */
struct madkit_rule {
	const char *name;
	uint8_t severity;      /* MADKIT_SEVERITY_...: the highest of its problems */
	bool standard;         /* judged unless rules are chosen by name */
	bool subnet;           /* not judged in a sweep of a single link */
	const char *condition; /* when it is broken, without a period */
	const char *next;      /* what to do about it, without a period */
	const struct madkit_rule_limit *limits;
	size_t nlimits;
	bool compares;  /* it compares two readings of counters */
	bool registers; /* it reads registers, which is not yet tried on hardware */
};

/* A limit with this value limits nothing. */
#define MADKIT_HEALTH_NO_LIMIT UINT64_MAX

/* Limits on the table. */
enum {
	MADKIT_HEALTH_RULES_MAX = 32,
	MADKIT_HEALTH_LIMITS_MAX = 24, /* of one rule */
};

/*
 * madkit_health_rules - return all rules
 * @count: receives the number of rules
 *
 * Return: an array of rules, in the order of their importance.
 */
const struct madkit_rule *madkit_health_rules(size_t *count);

/*
 * madkit_health_attribute - return the description of the records of problems
 *
 * For madkit_expr_check(): the fields are rule, severity, event, key, since, place, value, limit, text and by.
 *
 * Return: the description.
 */
const struct madkit_attribute *madkit_health_attribute(void);

/* The rules to judge, and their limits. */
struct madkit_health_settings {
	uint32_t rules;     /* a bit for each rule, in the order of the table */
	uint32_t window_ms; /* the time between two readings of counters; 0: no counters are read twice */
	/* NULL; or readings of PortCountersExtended and PortCounters of an earlier time, in nanoseconds since 1970, which
	 * outlive the judgement: counters are then compared with these, whatever window_ms is */
	const struct madkit_readings *earlier;
	const struct madkit_readings *earlier_downs; /* the same for LinkDownedCounter; NULL: as earlier */
	bool earlier_grows; /* a port that is not in these is new, and will be in the next ones */
	/* checks if a port, by the GUID of its node, should have a link, so that an unplugged cable is a problem; NULL: not
	 * known of any */
	bool (*expects)(void *context, uint64_t guid, unsigned int port);
	void *expects_context;
	uint64_t limits[MADKIT_HEALTH_RULES_MAX][MADKIT_HEALTH_LIMITS_MAX];
	uint32_t given
		[MADKIT_HEALTH_RULES_MAX]; /* a bit for each limit that wins over the threshold of a device */
};

/*
 * madkit_health_settings_init - choose the standard rules with their default limits
 * @settings: settings to initialise
 */
void madkit_health_settings_init(struct madkit_health_settings *settings);

/*
 * madkit_health_window_ms - return how long counters must not rise until a problem is over
 * @settings: the settings
 * @rule:     number of a rule
 *
 * Return: the time in milliseconds; 0 if the rule does not compare readings of counters.
 */
uint64_t madkit_health_window_ms(const struct madkit_health_settings *settings, size_t rule);

/*
 * madkit_health_put_time - append a time as problems have it: "60 s", "125 min"
 * @buf: receives the text
 * @ms:  the time in milliseconds
 */
void madkit_health_put_time(struct madkit_buf *buf, uint64_t ms);

/* ---- problems ---------------------------------------------------------------- */

/* A port of the sweep. node MADKIT_SWEEP_NONE: none. port -1: the node as a whole. */
struct madkit_health_place {
	uint32_t node;
	int port;
};

/* A problem. What the pointers refer to is valid until the judgement is freed. */
struct madkit_problem {
	const struct madkit_rule *rule;
	uint8_t severity; /* MADKIT_SEVERITY_INFO, MADKIT_SEVERITY_WARNING or MADKIT_SEVERITY_CRITICAL */
	struct madkit_health_place
		ends[2]; /* of a link: both ends, the one to check first; of a port or node: one */
	uint32_t kin;    /* problems with equal text and types of device have the same number */
	const char *
		types; /* types of device: "MT4123", or of a link "MT4123 <-> MT54000"; "" if there are several */
	const char *key;           /* identifies the problem in any later judgement of the subnet */
	const char *place;         /* "leaf2/7 <-> h12/1"; "": the whole subnet */
	const char *value, *limit; /* "4x QDR", "4x EDR"; "": none */
	const char *text;          /* one fact, without a period */
	uint8_t by;                /* how it was found, MADKIT_DIFFERENCE_BY_...; 0: by a judgement */
	bool downed_known;         /* by an event of a link, as in madwatch(1): ... */
	uint8_t downed; /* ... LinkDownedCounter has risen by this number, or by more if it is full */
};

/* Numbers of a judgement. */
struct madkit_health_counts {
	uint32_t nodes, switches, hosts; /* hosts: channel adapters without aggregation nodes */
	uint32_t links;                  /* links with both ends known */
	uint32_t down, disabled,
		polling; /* external ports of switches that are down; of these, by physical state */
	/* requests of madkit_health_next() without a response, ports that none of them reaches, and, without the rule
	 * silent, places that do not respond */
	uint32_t unjudged;
	uint32_t left_out; /* nodes that did not report their firmware */
	uint32_t lacking;  /* nodes that do not have a register of a rule, which is judged without them */
	uint32_t lacking_of[MADKIT_HEALTH_RULES_MAX]; /* the same, by rule */
	uint32_t fresh;     /* ports that are new, or were reset, with earlier_grows */
	uint32_t compared;  /* ports with two readings of their counters */
	uint64_t window_ms; /* the shortest time between the two */
};

/* A place that a rule could not judge. */
struct madkit_unjudged {
	const struct madkit_rule *rule;
	struct madkit_health_place at;
	bool elsewhere; /* the rule may have missed problems at other places, too */
	bool lacks; /* it does not have what the rule judges, other places do: it is not among those that are counted */
	const char *why; /* a few words */
};

struct madkit_health;

/*
 * madkit_health_new - begin to judge a sweep
 * @sweep:    the sweep, which has ended or was stopped; madkit_sweep_label() makes places short
 * @settings: rules and limits, copied
 * @health:   receives the judgement; free it with madkit_health_free() before the sweep
 *
 * If the sweep was one of a single link, rules about the whole subnet are not judged.
 *
 * Return: 0, or -ENOMEM if out of memory.
 */
int madkit_health_new(const struct madkit_sweep *sweep, const struct madkit_health_settings *settings,
		      struct madkit_health **health);

/*
 * madkit_health_free - free a judgement
 * @health: judgement to free, or NULL
 */
void madkit_health_free(struct madkit_health *health);

/* A request that the rules need: a Get of one attribute to each of these ports. */
struct madkit_health_request {
	uint8_t mgmt_class;
	uint16_t attribute;
	/* The register to request: its modifier and data choose it (madkit_attribute_choose()). NULL: another attribute.
	 * With it, the member registers of struct madkit_survey_attr. */
	const struct madkit_attribute *row;
	struct madkit_registers *registers;
	bool all_blocks;
	bool once; /* no resends: many devices do not respond to it, and nothing depends on one of them */
	const struct madkit_survey_port *ports; /* valid until the next call with the judgement */
	size_t nports;
	uint32_t wait_ms;  /* pause before it is sent */
	uint64_t after_ns; /* not before this time of the port clock */
};

/*
 * madkit_health_next - return the next request that the rules need
 * @health:  the judgement
 * @request: receives the request
 *
 * If the caller does not send it, or not all of it, the rules judge what they know.
 *
 * Return: 1; 0 if there are no more; -ENOMEM if out of memory.
 */
int madkit_health_next(struct madkit_health *health, struct madkit_health_request *request);

/*
 * madkit_health_take - take a result of the last request
 * @health: the judgement
 * @result: result of a survey of the ports of the request
 *
 * The result is only read.
 */
void madkit_health_take(struct madkit_health *health, struct madkit_survey_result *result);

/*
 * madkit_health_judge - apply the rules
 * @health: the judgement
 *
 * Problems are sorted by severity, then by place, then by rule.
 *
 * Return: 0, or -ENOMEM if out of memory.
 */
int madkit_health_judge(struct madkit_health *health);

/*
 * madkit_health_count - return the numbers of a judgement
 * @health: the judgement, after madkit_health_judge()
 * @counts: receives the numbers
 */
void madkit_health_count(const struct madkit_health *health, struct madkit_health_counts *counts);

/*
 * madkit_health_unjudged - return a place that a rule could not judge
 * @health: the judgement, after madkit_health_judge()
 * @i:      number of the place, from 0
 *
 * The first ones are those that struct madkit_health_counts counts. Others are devices without a response to GeneralInfo
 * although devices of the same kind have it.
 *
 * Return: the place; NULL if there are at most @i.
 */
const struct madkit_unjudged *madkit_health_unjudged(const struct madkit_health *health, size_t i);

/*
 * madkit_health_problem - return a problem
 * @health: the judgement, after madkit_health_judge()
 * @i:      number of the problem, from 0
 *
 * Return: the problem; NULL if there are at most @i.
 */
const struct madkit_problem *madkit_health_problem(const struct madkit_health *health, size_t i);

/*
 * madkit_health_readings - keep the readings of counters for the next one of several judgements
 * @health:  the judgement, after madkit_health_judge()
 * @earlier: settings.earlier of the next judgement; settings.earlier_grows of both is set
 * @downs:   settings.earlier_downs of the next judgement
 *
 * A reading of this judgement replaces an earlier one of its port when the whole time of the limit has passed since then,
 * after a reset and, in @earlier, after a problem and after the link went down: the next judgements then compare with
 * it. Until then, the time that is judged grows, and rare errors add up.
 *
 * Return: 0, or -ENOMEM if out of memory.
 */
int madkit_health_readings(const struct madkit_health *health, struct madkit_readings *earlier,
			   struct madkit_readings *downs);

/* The length of madkit_layout_problem_object. */
enum {
	MADKIT_HEALTH_RECORD_BYTES = 1364,
};

/* A problem as a record: the object "problem" of a JSON line (madkit-json(7)). */
struct madkit_health_record {
	struct madkit_record record; /* of message */
	struct madkit_message
		message; /* of kind MADKIT_MESSAGE_PROBLEM, about the record; without host and time */
	uint8_t data[MADKIT_HEALTH_RECORD_BYTES], known[MADKIT_HEALTH_RECORD_BYTES];
};

/*
 * madkit_health_record - make a record of a problem
 * @problem: the problem
 * @event:   MADKIT_PROBLEM_EVENT_OPEN, MADKIT_PROBLEM_EVENT_UPDATE or MADKIT_PROBLEM_EVENT_CLOSE
 * @since:   time since when it is known, "2026-11-20T22:10:11Z"; NULL: null
 * @record:  receives the record, which refers to itself: copies are not valid
 *
 * Texts that are too long are cut.
 */
void madkit_health_record(const struct madkit_problem *problem, uint8_t event, const char *since,
			  struct madkit_health_record *record);

MADKIT_END_DECLS
#endif
