/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A port, an agent, and requests through it with their answers. Failures are returned as exit statuses, and
 * reported on standard error unless stated otherwise. */
#ifndef SRC_EXCHANGE_H
#define SRC_EXCHANGE_H

#include "cli/output.h"
#include "request.h"

/* Maximum number of outstanding requests if all of them are for one node, whose buffers may be small. */
enum { EXCHANGE_ONE_NODE = 2 };

/* IsSMDisabled of CapabilityMask: the port has no QP0. */
enum { EXCHANGE_NO_QP0 = 1 << 10 };

/* A failure that has not been reported. */
struct exchange_failure {
	int error; /* -errno of a local failure */
	char why[600];
	struct exchange_refused *refused; /* a registration whose methods are taken; NULL: none */
};

/* Names of the nodes that respond. */
struct exchange_names {
	struct madkit_name_map *map; /* NULL: none, or not yet read */
	struct madkit_names *names;  /* NULL: none was looked up */
	bool failed;                 /* the SA does not respond: it is not queried again */
};

/* Times are of the port clock. */
struct exchange_time {
	uint64_t deadline_ns;  /* UINT64_MAX: none */
	uint64_t wake_ns;      /* when a listener has to stop waiting; 0 or UINT64_MAX: never */
	uint64_t refreshed_ns; /* when the port's properties were last read */
	uint32_t timeout_ms;   /* of each try */
	bool is_virtual;       /* the clock advances only while something waits */
};

struct exchange {
	const struct cli_options *options;
	struct output *out;
	struct madkit_port *port;
	const struct madkit_port_info *info;
	const char *spec;           /* name of a device that could not be opened, for messages; or NULL */
	struct madkit_agent *agent; /* of a listener, or of the request for which the exchange was opened */
	struct madkit_dispatcher *dispatcher;
	struct exchange_time time;
	struct exchange_failure failure;
	struct exchange_names names;
	bool hinted;       /* the hint about --sm-key was printed */
	bool hinted_v_key; /* request_hint_v_key() was called */
	uint64_t seq;
	char host[65];
	/* called while a response is awaited; returns the latest time of the next call, port clock. NULL: not
	 * needed */
	uint64_t (*tend)(struct exchange *x);
};

/* The result of a request: the answer, or the reason why there is none. message points into the other
 * members. */
struct answer {
	struct madkit_message message;
	struct madkit_job job; /* job.send->to: the address after redirections */
	int status;            /* result of exchange_ask() */
	int error;             /* -errno of a failure or timeout; 0: none */
	const char *doubt;     /* why a response is withheld; NULL: it does not match the request */
	uint64_t elapsed_ns;   /* duration of all tries */
	uint64_t queries;      /* if above 1, elapsed_ns and job.reply.attempts cover so many queries */
};

/*
 * exchange_refresh - read the properties of the port again, at most once a second unless a LID is missing
 *
 * The subnet manager can move while requests are repeated or lines of a batch are read.
 */
void exchange_refresh(struct exchange *x);

/* Initialises an exchange that has no port yet. */
void exchange_begin(struct exchange *x, const struct cli_options *options, struct output *out);

/* The following functions that return an exit status store the failure in x->failure.why and x->failure.error, and leave the
 * report to the caller: */

/* Opens the port of a specification (NULL: the default port). */
int exchange_open_port(struct exchange *x, const struct cli_options *options, struct output *out,
		       const char *spec);
/* The two steps of exchange_open_port(), for several ports: the first opens the port, the second begins the
 * capture and creates the dispatcher. */
int exchange_find_port(struct exchange *x, const struct cli_options *options, struct output *out,
		       const char *spec);
int exchange_set_up_port(struct exchange *x);
/*
 * Limits the calls to the server of device i of n, so that a server that does not respond does not keep the
 * command from the other devices: to 2 s, and at most to an equal share of the time before the deadline, with
 * one more share for the wait. Returns the start of the calls (wait_elapsed_ns()).
 */
uint64_t exchange_limit_calls(const struct cli_options *options, size_t i, size_t n);
/* Removes the limit. If the limit has ended a call, that becomes the reason of the failure. Returns the
 * status. */
int exchange_unlimit_calls(struct exchange *x, int status, uint64_t begins_ns);
/* Closes the port, and frees everything that the exchange owns. */
void exchange_close(struct exchange *x);

/* Registers the agent of a listener: x->agent. */
int exchange_register(struct exchange *x, const struct madkit_agent_attr *attr);

/* Gets the agent that sends a request: one of the dispatcher's. */
int exchange_agent(struct exchange *x, const struct request *request, struct madkit_agent **agent);

/* Resolves the destination of a request through the port or the SA. x->failure.why may be empty if a signal ended
 * it. */
int exchange_address(struct exchange *x, struct request *request);

/* Reads the node name map that the options name, once. *map is NULL if they name none. Returns 0 or -errno. */
int exchange_name_map(struct exchange *x, const struct madkit_name_map **map, struct madkit_error *error);

/* Checks if the options request the names of nodes. */
bool exchange_has_names(const struct exchange *x);
/* Prepares look-ups of names. The attributes need only have the limits. Returns 0 or -errno. */
int exchange_names_new(struct exchange *x, struct madkit_names_attr *attr, struct madkit_names **names,
		       struct madkit_error *error);
/* Returns the name of the node that sent a message, from the node name map or the SA, if the options request
 * names. NULL: not known. May query the SA, once for each LID, and wait for it. */
const char *exchange_name(struct exchange *x, const struct madkit_message *message);

/* Returns text about the names that a search has found: "; did you mean 'node3 HCA-1'?", or "". */
enum { EXCHANGE_SIMILAR_MAX = 256 };
const char *exchange_similar(const struct madkit_node_match *match, char text[EXCHANGE_SIMILAR_MAX]);

/* Writes the LID and the SL of the port's current subnet manager, or the LID of --sm-port. Returns false if
 * there is none. */
bool exchange_address_manager(struct exchange *x, const struct request *request, struct madkit_addr *to);

/* Notes a failure, and returns the status. */
int exchange_fail(struct exchange *x, int status, int error, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* For several devices: adds this one to the noted failure, unless the failure names it. */
void exchange_name_device(struct exchange *x, const char *spec);
/* Notes that the port failed, usually because its device is gone, and returns the status. */
int exchange_port_failed(struct exchange *x, int error);
/* Reports the noted failure. Returns the status. */
int exchange_why(const struct exchange *x, int status);
/* As exchange_why(), and in JSON also shows the failure as a line about that request (or NULL). Returns the
 * status. Does nothing for EXIT_DONE. */
int exchange_report(struct exchange *x, const struct request *request, int status);

/* Opens the port that the options name. If the class needs QP0, the default port is one with QP0. As
 * exchange_open_port(). */
int exchange_open_class(struct exchange *x, const struct cli_options *options, struct output *out,
			uint8_t mgmt_class);

/* Opens the port that the options name and, if there is a request, resolves its destination and registers an
 * agent for it. A failure is reported, and shown as a line of JSON. */
int exchange_open(struct exchange *x, const struct cli_options *options, struct output *out,
		  struct request *request);

/* Initialises a message about this exchange. */
void exchange_message(struct exchange *x, enum madkit_message_kind kind, struct madkit_message *message);

/* Shows a message of kind event, error or summary with these data (output_object()). */
void exchange_object(struct exchange *x, struct madkit_message *message, const struct madkit_object *data);

/* Shows a line of kind error, with the reason in data.error. more: the other members of data, or NULL. */
void exchange_error(struct exchange *x, struct madkit_message *message, const struct madkit_object *more,
		    const char *reason);

/* Returns the deadline of a request on the port's clock: its own or the command's, whichever is earlier. */
uint64_t exchange_deadline(const struct exchange *x, const struct request *request);

/* Repeats step(), which waits on the port until until_ns and returns 0 at that time, 1 at its end, or a
 * negative error. show() is called after each step, unless it is NULL. Returns the result of the last step; 0
 * also if the deadline has passed, a signal has arrived (or -EINTR), or the output is over. */
int exchange_drive(struct exchange *x, int (*step)(void *context, uint64_t until_ns),
		   void (*show)(void *context), void *context);

/* Returns how many milliseconds to wait at once before until_ns (port clock): at most CLI_SLICE_MS, 0 from
 * until_ns on. */
int exchange_slice_ms(const struct exchange *x, uint64_t until_ns);

/* Waits for some time; until the deadline or a signal at most. */
void exchange_pause(struct exchange *x, uint32_t ms);

/* Returns how many milliseconds to wait at once for MADs of others: as above, until the deadline. 0 without a
 * deadline if time is virtual, because nothing more will arrive. */
int exchange_listen_ms(const struct exchange *x);

enum { PORT_SUMMARY_MAX = 192 };
/* Returns buf: "mlx5_0/1: Active, LID 3, SM LID 1". */
const char *port_summary(const struct madkit_port_info *info, char buf[PORT_SUMMARY_MAX]);
/* Returns the physical state of a port, such as "Polling". NULL: unknown. */
const char *exchange_phys_name(const struct madkit_port_info *info);
/* Reads the properties of the port again, and returns its summary. */
const char *exchange_port_summary(struct exchange *x, char buf[PORT_SUMMARY_MAX]);
/* Checks if the port's device is gone for good. */
bool exchange_is_gone(struct exchange *x);

/* ---- exchange_answer.c ------------------------------------------------------- */

/*
 * Sends the request once (with its resends) and waits. Returns EXIT_DONE, or the failure: EXIT_TIMEOUT,
 * EXIT_STATUS, EXIT_MALFORMED, EXIT_NOTHING, EXIT_LOCAL, or 128 + N. Prints nothing: exchange_tell() does.
 * The caller frees answer in every case. Its message can be shown unless it is of kind EVENT.
 */
int exchange_ask(struct exchange *x, const struct request *request, struct answer *answer);
/* The two steps of exchange_ask(), for several outstanding requests. exchange_prepare() creates answer->job,
 * which the caller posts; it returns EXIT_DONE, or a status with the reason in x->failure.why. exchange_ended() sets
 * answer->status after the job has ended or could not be posted (error; -EINTR: it was abandoned). */
int exchange_prepare(struct exchange *x, const struct request *request, struct answer *answer);
void exchange_ended(struct exchange *x, const struct request *request, struct answer *answer, int error);

/* Withholds a response that must not be taken for the requested one: the answer becomes one of kind error,
 * with the header of the request and EBADMSG as status of the send. The status is EXIT_MALFORMED. */
void exchange_withhold(struct answer *answer);
/* Checks if the response was withheld. */
bool exchange_is_withheld(const struct answer *answer);
/* Reports on standard error the errors of the answer, if any. */
void exchange_tell(struct exchange *x, const struct request *request, const struct answer *answer);
/* Frees the request and the response of an answer. */
void answer_free(struct answer *answer);
/*
 * Checks if a response says that its port does not have the requested attribute: a code in the MAD's status (IBA
 * volume 1, section 13.4.7). BUSY and a redirection that was not followed do not say so.
 */
bool answer_refuses(const struct answer *answer);

/* Shows the answer in the output format. Text omits the data of a MAD with a non-zero status, unless -v is
 * given. In JSON, data.error of an answer of kind error is the reason. */
void exchange_show(struct exchange *x, const struct request *request, const struct answer *answer);

#endif
