/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_survey - send one request to every port of a sweep
 *
 * A survey sends the same request to each port, or to each node for an attribute of a node, that a sweep
 * (madkit_sweep(3)) has found. It passes each result to a function of the caller. The caller drives it
 * with madkit_survey_step().
 *
 * The function madkit_survey_step() waits for responses, until the time that it is given. The other
 * functions do not block. A survey belongs to the port of its sweep: only one thread at a time may use
 * the port, its sweeps and its surveys (madkit_port(3)). The sweep must have ended, and must outlive the survey.
 */
#ifndef MADKIT_SURVEY_H
#define MADKIT_SURVEY_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/agent.h>
#include <madkit/dispatch.h>
#include <madkit/message.h>
#include <madkit/registers.h>
#include <madkit/registry.h>
#include <madkit/sweep.h>

MADKIT_BEGIN_DECLS

/* ---- how a survey proceeds --------------------------------------------------
 * The tables know how the attribute selects a port: by PortSelect, by the modifier, or not at all. A port is
 * a target of the survey; so is a node if the attribute is one of nodes, and each block of a table.
 *
 * Nodes take turns, with at most two outstanding requests each. A node that does not respond to two requests
 * in a row, or to four after it has responded, is not queried any more. A survey by SMPs sends the last try
 * of each request after everything else, one at a time, because VL15 has no flow control and SMPs that were lost
 * look like silent nodes.
 *
 * PortCountersExtended is requested only if ClassPortInfo of the node says that it has the attribute. Without a
 * response to Get ClassPortInfo it is requested all the same.
 */

/* ---- registers --------------------------------------------------------------------
 * An attribute of the class Mlnx that is a register, such as ModuleInfo, is requested with one outstanding request per
 * node, after the requests that madkit_registers(3) describes. They have no results of their own: the targets of a node
 * that is not ready end with the reason. Port 0 of a switch has no registers. After a status that says that a node does
 * not have the register, its other ports are not requested.
 *
 * PortSelect and PortSelectMsb have the local port, and the result has the IB port, as of any attribute.
 *
 * Of a register with two blocks, both are requested, and the response of the result has them in one: the header and
 * the first block of one MAD, and the rest of the register after it. A field with its beginning in the first block
 * and its end in the second one would mix two moments: the first block is requested again, and must have the same
 * beginning. If it changes three times, or the second block is refused or lost, the response is the first block.
 */

struct madkit_survey;

/* A port to query. */
struct madkit_survey_port {
	uint32_t node; /* number in the sweep */
	uint8_t port;
	/* 0, or the number of a list of ports that the program has joined, such as the way there and back. An
	 * attribute of a node is requested once in each part. */
	uint8_t part;
};

/* The subject of a result. */
enum madkit_survey_about {
	MADKIT_SURVEY_TARGET, /* a port, a node, or a block */
	MADKIT_SURVEY_CPI,    /* ClassPortInfo of a node, before the requests for its ports */
	MADKIT_SURVEY_SUM,    /* the sum of all ports of a switch (PortSelect 255) */
};

/* A result. The survey makes it; its members are for reading unless stated otherwise. */
struct madkit_survey_result {
	enum madkit_survey_about about;
	uint32_t target; /* from 0 to counts.targets - 1, in the order of the ports */
	uint32_t node;   /* number in the sweep */
	uint8_t port;    /* of a switch that is queried as a node: 0 */
	size_t at;       /* index of the port in attr.ports */
	uint64_t number; /* from 1 on, in the order of sending */
	/* Of a target: it was not requested, and why; error is then 0 (the sum of all ports is 0), -ENETUNREACH (there is no address),
	 * -ENODATA (check() refused it, or the number of its blocks is not known), -ETIMEDOUT (the
	 * node did not respond to other requests), -EOPNOTSUPP (the node or port does not have the attribute), -EPERM
	 * (the type of the node is not trusted: madkit_registers(3)), -ECONNREFUSED (it is busy, or refuses registers) or -EBADMSG (its answers about registers are not valid).
	 * NULL: it was requested. */
	const char *reason;
	int error; /* 0 if there is a response, else as struct madkit_job.error or reply.status; -EINTR: ended early */
	/* The remaining targets of a node may end together for one reason. The first of these results has their
	 * number, the others have 0. */
	uint32_t rest;
	bool of_node;   /* the reason also prevented the request for ClassPortInfo or for the sum */
	bool uncounted; /* the number of blocks is not known: this is the only target for them */
	/* Of a register that has two blocks: why the response has only the first one. NULL: it has both. */
	const char *cut;
	uint64_t elapsed_ns;                      /* of all tries */
	const struct madkit_attribute *attribute; /* check() may set it to another row */
	struct madkit_job job;         /* send has the request and its address, also if it was not sent */
	struct madkit_message message; /* use madkit_survey_message() */
	struct madkit_sweep_record *record; /* use madkit_survey_record() */
};

/* Answers of the caller to a result. */
enum madkit_survey_verdict {
	MADKIT_SURVEY_NEXT = 0,
	MADKIT_SURVEY_KEEP = 1 << 0, /* the caller keeps the result until madkit_survey_release() */
	MADKIT_SURVEY_SKIP = 1 << 1, /* of a sum: do not request the ports of this switch, except port 0 */
	MADKIT_SURVEY_STOP = 1 << 2, /* end the survey */
};

/* The request, its targets, and how to send it. Zero in each member except result means the default. The
 * functions must not free the survey or end it: they return MADKIT_SURVEY_STOP instead. */
struct madkit_survey_attr {
	/* The request, which is copied: its MAD, QP, Q_Key, SL, timeout and retries. If its class is
	 * MADKIT_CLASS_SUBN_DR, it is sent by directed routes, else by LID. NULL: a Get of the attribute id of
	 * mgmt_class, as madkit_send_request() makes it. */
	const struct madkit_send *request;
	uint8_t mgmt_class;
	uint16_t id;
	const struct madkit_attribute *attribute; /* NULL: that of the tables */
	const struct madkit_survey_port *ports;   /* copied; NULL: all ports that respond for themselves */
	size_t nports;
	/* of a table in blocks: */
	bool all_blocks;        /* request all blocks */
	bool port0;             /* also those of port 0 of each switch */
	const uint32_t *blocks; /* else these; copied */
	size_t nblocks;
	bool cpi;  /* request ClassPortInfo of each node first; always for PortCountersExtended */
	bool sums; /* request the sums of switches with three or more ports first, if they have them */
	const uint8_t *sls;     /* SL by LID, MADKIT_SURVEY_LIDS of them; NULL: that of the request */
	uint64_t deadline_ns;   /* nothing is sent from then on; 0: none */
	unsigned int redirects; /* as in struct madkit_job */
	const struct madkit_agent_attr *agent; /* registration of the agent, copied; NULL: by the class */
	/* NULL: the survey makes one. Nothing else may use it before the survey has ended. */
	struct madkit_dispatcher *dispatcher;
	madkit_sweep_m_key m_key; /* of SMPs; NULL: that of the request */
	/* for an attribute that is a register: the states of nodes of the same sweep, to which the survey adds. They
	 * must outlive it, and two surveys must not use them at the same time. NULL: the survey makes them. */
	struct madkit_registers *registers;
	/* V_Keys of requests of the class Mlnx; port 0: of a switch. NULL: that of the request. */
	uint64_t (*v_key)(void *context, const struct madkit_sweep_node *node, unsigned int port);
	/* Called once for each target, before it is requested or ended without a request. Returns NULL, or the
	 * reason why it must not be requested, which becomes that of its result. NULL: all are requested. */
	const char *(*check)(void *context, struct madkit_survey_result *result);
	/* Called for each result, which is valid until the function returns, unless it returns
	 * MADKIT_SURVEY_KEEP. Returns bits of enum madkit_survey_verdict. The function decides whether the
	 * ports of a switch need no requests (MADKIT_SURVEY_SKIP) because its sum suffices. */
	unsigned int (*result)(void *context, struct madkit_survey_result *result);
	void *context; /* of m_key, check and result */
};

/* The number of unicast LIDs, and LID 0. */
enum {
	MADKIT_SURVEY_LIDS = 0xc000,
};

/* The kind of the targets of a survey. */
enum madkit_survey_unit {
	MADKIT_SURVEY_NODES,
	MADKIT_SURVEY_PORTS,
	MADKIT_SURVEY_BLOCKS,
};

struct madkit_survey_counts {
	enum madkit_survey_unit unit;
	bool by_port; /* the targets are ports, or blocks of ports */
	uint32_t targets;
	uint64_t numbers;      /* the last number of a result */
	uint64_t mads, resent; /* MADs that were sent, and how many of them again */
};

/*
 * madkit_survey_new - begin a survey
 * @sweep:  the sweep, which has ended
 * @attr:   the request and its targets
 * @survey: receives the survey; free it with madkit_survey_free()
 *
 * Nothing is sent yet. Nodes that an unfinished sweep has not found are no targets: check
 * madkit_sweep_count().
 *
 * Return: 0 on success, or:
 * - -EINVAL: the request is shorter or longer than one MAD, attr.result is NULL, or attr.registers are of another sweep
 * - -ENOMEM: out of memory, or too many targets
 */
int madkit_survey_new(const struct madkit_sweep *sweep, const struct madkit_survey_attr *attr,
		      struct madkit_survey **survey);

/*
 * madkit_survey_free - free a survey
 * @survey: survey to free, or NULL. Results that were kept must have been released.
 *
 * Requests that are outstanding end without a result.
 */
void madkit_survey_free(struct madkit_survey *survey);

/*
 * madkit_survey_step - continue a survey
 * @survey:   the survey
 * @until_ns: when to stop, on the port clock; if it is in the past, the function does not wait
 *
 * Returns after some results have been passed to the caller, so that it can write them. Drives the port:
 * handlers are called for its other traffic.
 *
 * Return: 1 if the survey has ended; 0 if there is more to do; or:
 * - -EINTR: stopped() of the port's limit returned true
 * - -ENOMEM: out of memory
 * - others: an error of madkit_dispatcher_agent() or madkit_dispatcher_wait()
 */
int madkit_survey_step(struct madkit_survey *survey, uint64_t until_ns);

/*
 * madkit_survey_end - end a survey early
 * @survey: the survey
 *
 * Outstanding requests have a result with the error -EINTR; targets that were not requested have none. Does
 * not block.
 */
void madkit_survey_end(struct madkit_survey *survey);

/*
 * madkit_survey_count - count the targets of a survey
 * @survey: the survey
 * @counts: receives the numbers
 */
void madkit_survey_count(const struct madkit_survey *survey, struct madkit_survey_counts *counts);

/*
 * madkit_survey_at - return which port a target belongs to
 * @survey: the survey
 * @target: number of the target
 *
 * Return: index of the port in attr.ports or, if that is NULL, in the order of nodes and ports of the sweep. Of
 * a node: the first of its ports. SIZE_MAX: there is no such target.
 */
size_t madkit_survey_at(const struct madkit_survey *survey, uint32_t target);

/*
 * madkit_survey_record - return the port that a result is about
 * @result: the result
 *
 * The record is made once for each result.
 *
 * Return: the record (madkit_sweep_record_get()), valid until the result is released.
 */
const struct madkit_sweep_record *madkit_survey_record(struct madkit_survey_result *result);

/*
 * madkit_survey_message - return a result as a message
 * @result: the result
 *
 * The message has the response and its port, or the reason of a failure: kind is MADKIT_MESSAGE_TIMEOUT or
 * MADKIT_MESSAGE_ERROR. It can be shown, filtered and projected.
 *
 * Return: the message, valid until the result is released.
 */
const struct madkit_message *madkit_survey_message(struct madkit_survey_result *result);

/*
 * madkit_survey_release - release a result that was kept
 * @survey: the survey
 * @result: the result
 */
void madkit_survey_release(struct madkit_survey *survey, struct madkit_survey_result *result);

/*
 * madkit_survey_left_out - return why a survey does not query a port
 * @sweep:     the sweep
 * @port:      the port
 * @request:   MAD of the request
 * @len:       its bytes
 *
 * Return: a constant text: the node does not have the attribute, or the link is down and no GMP reaches the
 * port. NULL: it is a target.
 */
const char *madkit_survey_left_out(const struct madkit_sweep *sweep, const struct madkit_survey_port *port,
				   const uint8_t *request, size_t len);

/*
 * madkit_survey_no_lid - return why requests by LID cannot reach a port
 * @sweep: the sweep
 * @port:  the port
 *
 * Return: a constant text; NULL if it has a LID that no other port has.
 */
const char *madkit_survey_no_lid(const struct madkit_sweep *sweep, const struct madkit_survey_port *port);

MADKIT_END_DECLS
#endif
