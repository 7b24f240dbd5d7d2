/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A port, an agent, and requests through it with their answers: what madsend
 * and madpoll share. Failures come back as exit statuses, and are told on standard error
 * but where it says otherwise. */
#ifndef SRC_EXCHANGE_H
#define SRC_EXCHANGE_H

#include "cli/output.h"
#include "request.h"

/* Requests outstanding at a time if all of them are for one node, whose buffers may be small. */
enum { EXCHANGE_ONE_NODE = 2 };

/* IsSMDisabled of CapabilityMask: the port has no QP0. */
enum { EXCHANGE_NO_QP0 = 1 << 10 };

struct exchange {
	const struct cli_options *options;
	struct output *out;
	struct madkit_port *port;
	const struct madkit_port_info *info;
	const char *spec;           /* the device in messages about a port that could not be opened; NULL */
	struct madkit_agent *agent; /* of a listener, or of the request that it was opened for */
	struct madkit_dispatcher *dispatcher;
	uint64_t deadline_ns;  /* port clock; UINT64_MAX: none */
	bool virtual_time;     /* the port's clock moves on only while something waits */
	bool hinted;           /* at --sm-key: said once */
	uint64_t refreshed_ns; /* when the properties of the port were read, port clock */
	uint32_t timeout_ms;   /* of each try */
	uint64_t seq;
	int error;                 /* -errno of a local failure */
	char why[600];             /* its reason, where a function has said nothing */
	struct madkit_buf refused; /* of a registration whose methods are taken, as JSON */
	char host[65];
	struct names *names; /* of nodes; NULL: none was looked up */
	/* called while a response is waited for; returns when to call it again at the latest, port clock. NULL: no need */
	uint64_t (*tend)(struct exchange *x);
	uint64_t wake_ns; /* when a listener has to stop waiting, port clock; 0 or UINT64_MAX: it need not */
};

/* An answer, or that there was none. message points into the rest. */
struct answer {
	struct madkit_message message;
	struct madkit_job job; /* job.send->to: where it went in the end */
	int status;            /* what exchange_ask() returned */
	int error;             /* -errno where nothing could be sent */
	const char *doubt;     /* of a response that is withheld: why; NULL: it is about something else */
	uint64_t elapsed_ns;   /* all tries together */
	uint64_t
		queries; /* above 1: elapsed_ns and job.reply.attempts are of so many requests without a response */
};

/*
 * exchange_refresh - read the properties of the port again, at most once a second unless a LID is missing
 *
 * The subnet manager can move while requests are repeated or lines of a batch are read.
 */
void exchange_refresh(struct exchange *x);

/* What there is before a port is. */
void exchange_begin(struct exchange *x, const struct cli_options *options, struct output *out);

/* Functions that return an exit status note in x->why and x->error what has failed, and leave the telling to the
 * caller: */

/* The port of a specification (NULL: the default one). */
int exchange_open_port(struct exchange *x, const struct cli_options *options, struct output *out,
		       const char *spec);
/* Its parts, for several ports: the first opens the port, the second begins the capture and makes what sends. */
int exchange_find_port(struct exchange *x, const struct cli_options *options, struct output *out,
		       const char *spec);
int exchange_set_up_port(struct exchange *x);
/*
 * Limits the calls to the server of device i of n, so that a server that does not respond does not keep the command from
 * the other devices: 2 s, and at most an equal share of the time before the deadline, with one more share for
 * the wait. Returns when the calls began.
 */
uint64_t exchange_limit_calls(const struct cli_options *options, size_t i, size_t n);
/* Ends the limit. If it has ended a call, that is the reason of the failure. Returns the status. */
int exchange_unlimit_calls(struct exchange *x, int status, uint64_t begins_ns);
void exchange_close(struct exchange *x);

/* Registers the agent of a listener: x->agent. */
int exchange_register(struct exchange *x, const struct madkit_agent_attr *attr);

/* The agent that a request is sent by: one of the dispatcher's. */
int exchange_agent(struct exchange *x, const struct request *request, struct madkit_agent **agent);

/* Fills in what only the port or the SA know of where the request goes. x->why may be empty where a signal ended it. */
int exchange_address(struct exchange *x, struct request *request);

/* Writes the LID and the SL of the subnet manager that the port knows now, or the LID of --sm-port. False: there is none. */
bool exchange_address_manager(struct exchange *x, const struct request *request, struct madkit_addr *to);

/* Notes what has failed, and returns the status. */
int exchange_fail(struct exchange *x, int status, int error, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Of several devices: adds this one to what was noted, unless it is named there. */
void exchange_name_device(struct exchange *x, const char *spec);
/* Notes that the port failed, usually because its device is gone, and returns the status. */
int exchange_port_failed(struct exchange *x, int error);
/* Says what was noted; returns the status. */
int exchange_why(const struct exchange *x, int status);
/* Says it and, in JSON, shows it as a line about that request (or NULL); returns the status. EXIT_DONE: nothing. */
int exchange_report(struct exchange *x, const struct request *request, int status);

/* The port that the options name. The default one is that with QP0 if the class needs it. As exchange_open_port(). */
int exchange_open_class(struct exchange *x, const struct cli_options *options, struct output *out,
			uint8_t mgmt_class);

/* Opens the port that the options name and, where there is a request, finds out
 * where that goes and registers an agent for it. What fails is told, and
 * is a line of JSON. */
int exchange_open(struct exchange *x, const struct cli_options *options, struct output *out,
		  struct request *request);

/* A message about this exchange, with what does not change filled in. */
void exchange_message(struct exchange *x, enum madkit_message_kind kind, struct madkit_message *message);

/* output_object() of a message whose data was begun with json_begin(). Frees data. */
void exchange_object(struct exchange *x, struct madkit_message *message, struct madkit_buf *data);

/* Shows a line of kind error: its data.error is the reason. data: the other keys, begun with
 * json_begin(), or NULL. Frees data. */
void exchange_error(struct exchange *x, struct madkit_message *message, struct madkit_buf *data,
		    const char *reason);

/* The deadline of a request on the port's clock: its own or the command's, whichever is earlier. */
uint64_t exchange_deadline(const struct exchange *x, const struct request *request);

/* Drives what waits on the port: step() returns 0 at the time that it is given, 1 at its end, or a negative error. After
 * each step, show() shows progress; NULL: nothing is shown. Returns the result of the last step; 0: the deadline or a
 * signal came, or the output is over. */
int exchange_drive(struct exchange *x, int (*step)(void *context, uint64_t until_ns),
		   void (*show)(void *context), void *context);

/* How long to wait at once until then (port clock): CLI_SLICE_MS, less before
 * it, 0 from it on. */
int exchange_slice_ms(const struct exchange *x, uint64_t until_ns);

/* How long to wait at once for what others send: until the deadline, as above. 0 without a deadline if time is
 * virtual: nothing more will arrive then. */
int exchange_listen_ms(const struct exchange *x);

/* "mlx5_0/1: Active, LID 3, SM LID 1" */
const char *port_summary(const struct madkit_port_info *info, char buf[192]);
/* The physical state of a port: "Polling". NULL: unknown. */
const char *exchange_phys_name(const struct madkit_port_info *info);
/* The summary of the port as it is now. */
const char *exchange_port_summary(struct exchange *x, char buf[192]);
/* Whether the port's device is gone for good. */
bool exchange_is_gone(struct exchange *x);

/* ---- exchange_answer.c ------------------------------------------------------- */

/*
 * Sends the request once (with its resends) and waits. EXIT_DONE, or what went
 * wrong: EXIT_TIMEOUT, EXIT_STATUS, EXIT_MALFORMED, EXIT_NOTHING, EXIT_LOCAL,
 * or 128 + N. Says nothing: exchange_tell() does. answer is to be freed in
 * every case; its message is there to be shown unless it is of kind EVENT.
 */
int exchange_ask(struct exchange *x, const struct request *request, struct answer *answer);
/* Its parts, for several outstanding requests. exchange_prepare() makes answer->job, to be posted: EXIT_DONE, or x->why
 * says what failed. exchange_ended() sets answer->status after the job has ended or could not be posted (error;
 * -EINTR: it was abandoned). */
int exchange_prepare(struct exchange *x, const struct request *request, struct answer *answer);
void exchange_ended(struct exchange *x, const struct request *request, struct answer *answer, int error);

/* Makes a response that must not be taken for what was requested an answer of kind error, with the header of the request
 * and EBADMSG as status of the send. The status is EXIT_MALFORMED. */
void exchange_withhold(struct answer *answer);
bool exchange_is_withheld(const struct answer *answer);
/* Says on standard error what is wrong with the answer, if anything. */
void exchange_tell(struct exchange *x, const struct request *request, const struct answer *answer);
void answer_free(struct answer *answer);
/*
 * Whether a response says that its port does not have what was requested: a code in the MAD's status (IBA volume 1, section
 * 13.4.7). BUSY and a redirection that was not followed say nothing of that.
 */
bool answer_refuses(const struct answer *answer);

/* Frees the names that exchange_show() has looked up. */
void exchange_names_free(struct exchange *x);

/* The name of the node that a message came from, from the node name map or the SA, if the options want names. NULL: not
 * known. May query the SA, once for each LID, and wait for it. */
const char *exchange_name(struct exchange *x, const struct madkit_message *message);

/* Shows the answer as the format has it: text shows no data of a MAD that came
 * back with a status. In JSON, data.error of an answer of kind error is the reason. */
void exchange_show(struct exchange *x, const struct request *request, const struct answer *answer);

#endif
