/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_port - open a port and drive it
 *
 * A port sends and receives MADs through an InfiniBand or RoCE port of this machine, or through a port
 * of a simulated fabric. It has no thread: the program drives it from its event loop. libmadkit(3)
 * shows such a loop.
 */
#ifndef MADKIT_PORT_H
#define MADKIT_PORT_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <madkit/error.h>

MADKIT_BEGIN_DECLS

/* ---- driving a port ---------------------------------------------------------
 * Wait until the descriptor madkit_port_fd() is readable or the time madkit_port_deadline() has come,
 * and then call madkit_port_process(). That function receives and sends MADs, handles timeouts, resends
 * requests, and calls the handlers. Nothing happens between these calls.
 */

/* ---- threads ----------------------------------------------------------------
 * A port has no lock. Only one thread at a time may use a port, its agents and its posted sends;
 * threads may take turns, and any thread may close the port. Different ports may be used in parallel,
 * even if they are ports of the same device or fabric. Handlers run in the thread that calls
 * madkit_port_process(), madkit_agent_unregister(), madkit_port_close(), or a function that drives the
 * port, such as madkit_request(), madkit_dispatcher_wait() and madkit_resolve_guid().
 *
 * A received message and a send that is not posted are independent of the port: any thread may use and
 * free them. To end a wait in another thread, let that thread also poll a descriptor of the program
 * (eventfd(2)) in addition to madkit_port_fd().
 */

/* ---- fork -------------------------------------------------------------------
 * A port belongs to the process that opened it. A child process inherits its descriptors, so that
 * almost every call in the child affects the parent: the child would receive MADs of the parent,
 * madkit_agent_unregister() would unregister agents of the parent, and transaction IDs would collide. A
 * child may call madkit_port_close(), and read what the port object contains. A child that needs a port
 * opens one.
 *
 * There is one exception: a child that continues in place of its parent, as with daemon(3), may use the
 * port if the parent ends with _exit(2) or no longer uses the port. The agents end when no process has
 * the descriptor open. execve(2) closes it. If the fabric is simulated in the process, the child has a
 * copy of the fabric.
 */

/* ---- listing ports ---------------------------------------------------------- */

struct madkit_port;

enum madkit_link_layer {
	MADKIT_LINK_UNKNOWN,
	MADKIT_LINK_INFINIBAND,
	MADKIT_LINK_ETHERNET,
};

/* Members of struct madkit_port_info that cannot be read in some environments. */
enum {
	MADKIT_PORT_NODE_GUID = 1 << 0,
	MADKIT_PORT_GID = 1 << 1, /* port_guid and gid_prefix */
	MADKIT_PORT_LID = 1 << 2,
	MADKIT_PORT_LMC = 1 << 3,
	MADKIT_PORT_SM_LID = 1 << 4,
	MADKIT_PORT_SM_SL = 1 << 5,
	MADKIT_PORT_PHYS_STATE = 1 << 6,
	MADKIT_PORT_RATE = 1 << 7,
	MADKIT_PORT_CAP_MASK = 1 << 8,
	MADKIT_PORT_LINK_LAYER = 1 << 9,
	MADKIT_PORT_CA_TYPE = 1 << 10,  /* empty, but read, if the driver reports none */
	MADKIT_PORT_FIRMWARE = 1 << 11, /* the same */
};

/* The properties of a port. */
struct madkit_port_info {
	char ca[64];        /* "mlx5_0" */
	unsigned int port;  /* number, from 1; 0: port 0 of a switch */
	char device[256];   /* "umad:mlx5_0/1"; "verbs:mlx5_0/1"; "sim:small.net@node2" */
	char umad_path[64]; /* "/dev/infiniband/umad0", or empty */
	char issm_path[64];
	char ca_type[64]; /* "MT4123", as the driver reports it; may be empty */
	char firmware[64];
	uint64_t node_guid;
	uint64_t port_guid; /* of GID index 0 */
	uint64_t gid_prefix;
	uint32_t lid;
	uint8_t lmc;
	uint32_t sm_lid;
	uint8_t sm_sl;
	uint8_t state;       /* PortInfo.PortState */
	uint8_t phys_state;  /* PortInfo.PortPhysicalState */
	uint32_t rate;       /* whole Gb/s, such as 2 if it is 2.5; 0: not known */
	uint8_t rate_tenths; /* rest of the rate in 0.1 Gb/s, such as 5 if it is 2.5; 0 on simulated fabrics */
	uint32_t cap_mask;   /* PortInfo.CapabilityMask */
	enum madkit_link_layer link_layer;
	/* of a port on a UD queue pair (madkit_port_open_qp()); else 0 */
	uint32_t qp;
	uint32_t qkey;
	uint16_t pkey_index;
	uint32_t unread;  /* bits such as MADKIT_PORT_LID: members that could not be read and are 0 */
	int unread_error; /* negated errno value of the first of them */
};

/*
 * madkit_ports_list - list the ports of this machine that have a umad device
 * @ports:   receives an array of ports in the order of their names; free it with madkit_ports_free()
 * @count:   receives the number of ports
 * @skipped: receives the number of devices that were omitted because they cannot be read or were
 *           unplugged meanwhile, or NULL
 *
 * If only some properties of a port cannot be read, its member unread contains them. Reads sysfs;
 * blocks briefly.
 *
 * Return: 0, also if there are no ports; -ENOMEM if out of memory; -EMFILE and others if sysfs cannot
 * be read.
 */
int madkit_ports_list(struct madkit_port_info **ports, size_t *count, size_t *skipped);

/*
 * madkit_ports_free - free a list of ports
 * @ports: list of madkit_ports_list(), or NULL
 */
void madkit_ports_free(struct madkit_port_info *ports);

/*
 * madkit_port_matches - check whether a device specification includes a port
 * @port:  port of madkit_ports_list()
 * @spec:  specification of a device of this machine, as for madkit_port_open(); NULL: every port
 * @error: receives the reason of a failure, or NULL
 *
 * madkit_port_open() opens the best of the ports that a specification includes.
 *
 * Return: 1 if it does; 0 if not; -EINVAL if @spec is not valid or is not of a device of this machine.
 */
int madkit_port_matches(const struct madkit_port_info *port, const char *spec, struct madkit_error *error);

/*
 * madkit_port_partner - find the other device of a port that has two
 * @port:  a port
 * @ports: list of madkit_ports_list()
 * @count: number of ports in @ports
 *
 * A planarized channel adapter has a device for QP1, with IsSMDisabled in its capability mask, and another
 * for QP0. Their ports have the same GUID.
 *
 * Return: the first port in @ports that is on the other device; NULL if @port has QP0 and QP1.
 */
const struct madkit_port_info *madkit_port_partner(const struct madkit_port_info *port,
						   const struct madkit_port_info *ports, size_t count);

/*
 * madkit_port_state_name - return the name of a PortInfo.PortState
 * @state: the state
 *
 * Return: "Down", "Initialize", "Armed" or "Active"; NULL for any other number.
 */
const char *madkit_port_state_name(uint8_t state);

/* ---- opening a port --------------------------------------------------------- */

/*
 * madkit_port_open - open a port
 * @spec:  the port, see below; NULL: "umad:". The environment (MADKIT_DEVICE) and the configuration file
 *         of the commands are not used.
 * @port:  receives the port; close it with madkit_port_close()
 * @error: receives the reason of a failure, or NULL
 *
 * A device specification is one of:
 *
 * - "umad:CA/PORT": this port.
 * - "umad:": the first InfiniBand port that is Active, or else the first one with its link up. A RoCE
 *   port is only chosen if it is the only port. "umad:/PORT": the same, among the ports with this number.
 * - "umad:CA": the same, among the ports of this CA. If no InfiniBand port is Active or has its link up,
 *   the first Active RoCE port, else the first RoCE port with its link up, else the first port.
 * - "/dev/infiniband/umadN": the port with this device node.
 * - "verbs:CA/PORT", with the same short forms: a new UD queue pair on this port; see
 *   madkit_port_open_qp().
 * - "sim:TOPOLOGY" or "sim:TOPOLOGY@NODE", with options: a fabric simulated in this process, for this
 *   port only, in virtual or real time; see madkit-sim(7).
 * - "sim:unix:SOCKET@NODE": a node of the fabric that madsim(1) serves on SOCKET, by its name,
 *   description or GUID, followed by ":PORT" if it has several ports. Without "@NODE": the first CA.
 *
 * Connecting to a served fabric blocks; see madkit_port_open_limited().
 *
 * Return: 0 on success, or:
 * - -ENODEV: there is no such CA or port, or no port at all
 * - -EACCES: no permission; the error text contains the device node and its mode
 * - -ENOENT: the kernel module ib_umad is not loaded, or the topology file does not exist
 * - -EBADMSG: the topology has an error; the error text contains its line and column
 * - -EINVAL: @spec is not valid
 * - -EOPNOTSUPP: there is no such transport, or a library that it needs is not installed
 * - -EMFILE, -ENFILE: too many open files
 * - -ENOMEM: out of memory
 * - -EIO: any other failure
 */
int madkit_port_open(const char *spec, struct madkit_port **port, struct madkit_error *error);

/*
 * A limit for the blocking calls of a port that is not served by this machine's kernel: connecting to a
 * served fabric ("sim:unix:"), calls to its server, and reading a topology from a pipe. On every port,
 * stopped() also ends madkit_request() and madkit_dispatcher_wait(), which have their own deadlines.
 */
struct madkit_limit {
	uint64_t deadline_ns; /* on CLOCK_MONOTONIC; UINT64_MAX: none */
	/* Called at least every 50 ms, and after a signal has interrupted the call. If it returns true,
	 * the call ends. May be NULL. madkit_request() and madkit_dispatcher_wait() call it after each
	 * madkit_port_wait(): see there. */
	bool (*stopped)(void *context);
	void *context;
};

/*
 * madkit_port_open_limited - open a port with a limit for its blocking calls
 * @spec:  the port, as for madkit_port_open()
 * @limit: limit for this call and for later calls; NULL: no deadline and no stopped(). It is copied,
 *         but its context must remain valid until the port is closed.
 * @port:  receives the port; close it with madkit_port_close()
 * @error: receives the reason of a failure, or NULL
 *
 * A call to a server always ends if the server has not responded for 15 s. After a call has ended
 * early, every further call of the port returns the same error, because the reply may still arrive.
 *
 * Return: 0 on success, or:
 * - -ETIMEDOUT: the deadline passed, or the server did not respond for 15 s
 * - -EINTR: stopped() returned true
 * - others: an error of madkit_port_open()
 */
int madkit_port_open_limited(const char *spec, const struct madkit_limit *limit, struct madkit_port **port,
			     struct madkit_error *error);

/*
 * madkit_port_close - close a port
 * @port: port to close, or NULL
 *
 * Completes the outstanding sends with -ECANCELED, and then unregisters the agents. The handlers that
 * it calls can neither register agents nor post sends: both fail with -ENODEV. Afterwards, the port,
 * its agents, and pointers that these returned must not be used. A call from a handler has no effect.
 *
 * After fork(2), a child may close a port that its parent opened. Handlers are called for the child's
 * copies of the sends, and the memory and descriptors of the child are freed. Nothing is sent, and the
 * agents of the parent remain registered. On a UD queue pair, the memory of the objects of libibverbs
 * is not freed.
 */
void madkit_port_close(struct madkit_port *port);

/* ---- properties of a port --------------------------------------------------- */

/*
 * madkit_port_get_info - return the properties of a port
 * @port: the port
 *
 * Return: the properties as they were when the port was opened or last refreshed; valid until the port
 * is closed.
 */
const struct madkit_port_info *madkit_port_get_info(const struct madkit_port *port);

/*
 * madkit_port_refresh - read the properties of a port again
 * @port: the port
 *
 * The LID, the state and other properties can change.
 *
 * Return: 0, or an error of madkit_port_open().
 */
int madkit_port_refresh(struct madkit_port *port);

/*
 * madkit_port_gid - return an entry of the GID table of a port
 * @info:  the port
 * @index: index in the table
 * @limit: limit for a query to the server of a served fabric, or NULL
 * @gid:   receives the GID in network order
 *
 * Reads sysfs, or queries a served fabric. On a fabric simulated in the process, only entry 0 is known.
 *
 * Return: 0; -ENOENT if there is no such entry or table; or an error of madkit_port_open_limited() if a
 * served fabric did not respond.
 */
int madkit_port_gid(const struct madkit_port_info *info, unsigned int index, const struct madkit_limit *limit,
		    uint8_t gid[16]);

/*
 * madkit_port_pkey_index - find a P_Key in the P_Key table of a port
 * @info:  the port
 * @pkey:  the P_Key. The membership bit is ignored, but the entry of a full member is preferred.
 * @limit: limit for a query to the server of a served fabric, or NULL
 * @index: receives the index
 *
 * Reads sysfs, or queries a served fabric. On a fabric simulated in the process, only the default
 * partition is known.
 *
 * Return: 0; -ENOENT if the table has no such entry; or an error of madkit_port_open_limited() if a
 * served fabric did not respond.
 */
int madkit_port_pkey_index(const struct madkit_port_info *info, uint16_t pkey,
			   const struct madkit_limit *limit, uint16_t *index);

/*
 * madkit_port_pkey_count - return the length of the P_Key table of a port
 * @info:  the port
 * @limit: limit for a query to the server of a served fabric, or NULL
 * @count: receives the number of entries, including those that hold no P_Key
 *
 * Reads sysfs, or queries a served fabric.
 *
 * Return: 0; -ENOENT if there is no table; or an error of madkit_port_open_limited() if a served fabric
 * did not respond.
 */
int madkit_port_pkey_count(const struct madkit_port_info *info, const struct madkit_limit *limit,
			   unsigned int *count);

/* ---- event loop ------------------------------------------------------------- */

/*
 * madkit_port_fd - return the descriptor to wait for
 * @port: the port
 *
 * Use the descriptor only to wait for POLLIN. With a preloaded simulator (madsim(1)), only
 * the poll(2), select(2) and epoll(7) of that library may know it. madkit_port_wait() always works.
 *
 * Return: the descriptor.
 */
int madkit_port_fd(const struct madkit_port *port);

/*
 * madkit_port_deadline - return when madkit_port_process() has to be called at the latest
 * @port: the port
 *
 * The time changes with each call that posts, cancels or processes.
 *
 * Return: time on the clock of madkit_port_now(), in nanoseconds; UINT64_MAX if nothing is due.
 */
uint64_t madkit_port_deadline(const struct madkit_port *port);

/*
 * madkit_port_timeout_ms - return how long poll(2) may wait for a port
 * @port:    the port
 * @most_ms: the longest time, in milliseconds; negative: no limit
 *
 * The time until madkit_port_deadline(), rounded up, for the timeout of poll(2) or epoll_wait(2). To wait for several
 * ports, pass the result for one port as @most_ms for the next.
 *
 * Return: milliseconds, at most @most_ms; 0 if madkit_port_process() is due; -1 if nothing is due and @most_ms is
 * negative.
 */
int madkit_port_timeout_ms(const struct madkit_port *port, int most_ms);

/*
 * madkit_port_now - return the time on the port clock
 * @port: the port
 *
 * The port clock is monotonic. On a simulated fabric it may be virtual: time then passes only while the
 * program waits for the port.
 *
 * Return: nanoseconds since an arbitrary epoch.
 */
uint64_t madkit_port_now(const struct madkit_port *port);

/*
 * madkit_port_realtime - return the calendar time of a port
 * @port: the port
 * @ts:   receives the time, which may be virtual like that of madkit_port_now()
 */
void madkit_port_realtime(const struct madkit_port *port, struct timespec *ts);

/*
 * madkit_port_process - receive and send MADs, handle timeouts, and call the handlers
 * @port: the port
 *
 * Receives MADs that have arrived, matches responses to requests, resends and expires requests, sends the
 * packets of RMPP transfers, and calls the handlers.
 *
 * One call receives and sends at most 256 packets, not counting what handlers post. If there is more to do,
 * madkit_port_deadline() returns 0, and madkit_port_wait() returns 1 immediately, without time passing on a
 * virtual clock. A loop can therefore check for signals and deadlines between two calls, even if a peer lets
 * the library send a long message at once, or MADs arrive faster than they are processed.
 *
 * Does not wait for MADs to arrive, but sending can block in two cases, as in madkit_agent_post():
 *
 * - On RoCE, a resend or an acknowledgement takes about a second if its GID does not resolve, and is
 *   not interrupted by signals. One call does this at most once; the rest, including what handlers
 *   post, is left to the next call, which is due immediately.
 * - On a served fabric, a MAD that requests no response waits for the server, within the limit of
 *   madkit_port_open_limited().
 *
 * Return: the number of events that were handled, or:
 * - -EIO, -ENODEV: the device is gone. All outstanding sends have completed with this error; later
 *   calls return it again.
 * - -ENOSPC: the next message is longer than the limit (madkit_port_set_receive_limit())
 * - -ENOMEM: out of memory; the next message has not been received yet
 * - -EMFILE: a message above 64 KiB of a served fabric was lost, because no descriptor was free to
 *   receive it. The port remains usable.
 * - -EBUSY: called from a handler
 */
int madkit_port_process(struct madkit_port *port);

/*
 * madkit_port_wait - wait until a port has something to process
 * @port:       the port
 * @timeout_ms: how long to wait at most, in milliseconds; 0: only check; negative: no limit, as in
 *              umad_poll(3)
 *
 * Calls no handler.
 *
 * Return: 1 if madkit_port_process() is due; 0 after @timeout_ms; -EINTR if a signal arrived; -EIO or
 * -ENODEV if the device is gone.
 */
int madkit_port_wait(struct madkit_port *port, int timeout_ms);

/*
 * madkit_port_set_receive_limit - set the size of the receive buffer
 * @port:    the port
 * @initial: bytes to allocate for a message at first; the default is 2048, which is enough for any
 *           single MAD
 * @max:     bytes of the longest message to receive; the default and the maximum are 1 GiB
 *
 * The buffer grows up to @max if the device reports a longer message. A message longer than @max is not
 * received: madkit_port_process() returns -ENOSPC until @max is raised.
 *
 * For agents with library_rmpp that are registered later, @max is also the longest message that they
 * accept, but at most 256 MiB; a longer one is ended with STOP. Incomplete messages to such an agent
 * use at most 2 * @max bytes from one peer, and 4 * @max bytes in total. These limits are never below
 * 16 MiB and 32 MiB.
 *
 * Return: 0; -EINVAL if @initial is 0 or more than @max, or if @max is more than 1 GiB.
 */
int madkit_port_set_receive_limit(struct madkit_port *port, size_t initial, size_t max);

/*
 * madkit_port_receive_needed - return the length of the message that is too long
 * @port: the port
 *
 * Return: the length of the message because of which madkit_port_process() returned -ENOSPC, as far as
 * the device reports it (at least 256 if the limit was below one MAD); 0 if no message is too long.
 */
size_t madkit_port_receive_needed(const struct madkit_port *port);

/* ---- rate ------------------------------------------------------------------- */

/* The highest limit of madkit_port_set_mad_rate(). */
enum {
	MADKIT_PORT_MAD_RATE_MAX = 1000000,
};

/*
 * madkit_port_set_mad_rate - limit how many MADs a port sends per second
 * @port: the port
 * @rate: MADs per second, at most MADKIT_PORT_MAD_RATE_MAX; 0: no limit, as after the port is opened
 *
 * No more than @rate MADs are sent in any second, wherever it begins. To allow bursts of a hundredth of that, the
 * mean rate is at most @rate / 1.01. The first MAD is sent after 1.01 s / @rate. All classes count together, and so
 * do resends. Responses are sent at once and not counted, and neither are MADs that the kernel sends itself: the packets
 * of its RMPP, and resends of requests for a table.
 *
 * Sends that are posted faster are queued, and sent in order; their timeouts begin when they are sent.
 * madkit_dispatcher_has_room() returns false until the next MAD may be sent, and madkit_dispatcher_wait() waits for
 * that time. The library's RMPP (library_rmpp) gives a transfer up if the rate is too low for it.
 *
 * Return: 0; -EINVAL if @rate is more than MADKIT_PORT_MAD_RATE_MAX.
 */
int madkit_port_set_mad_rate(struct madkit_port *port, uint32_t rate);

/* ---- events and counters ---------------------------------------------------- */

/* Events of a port that libibverbs reports. */
enum {
	/* The subnet manager requests its clients to register again: subscriptions, multicast
	 * memberships and service records may be lost. umad does not report this. */
	MADKIT_PORT_EVENT_CLIENT_REREGISTER = 1 << 0,
	MADKIT_PORT_EVENT_SM_CHANGE = 1 << 1, /* the SM LID changed */
	MADKIT_PORT_EVENT_OTHER = 1 << 2,     /* the LID, P_Keys, GIDs, state or others changed */
};

struct madkit_port_events;

/*
 * madkit_port_events_open - begin to watch the events of a port
 * @info:   the port
 * @events: receives the watcher; close it with madkit_port_events_close()
 *
 * Opens the verbs device of the port; blocks briefly.
 *
 * Return: 0 on success, or:
 * - -EOPNOTSUPP: libibverbs is not installed
 * - -ENODEV: there is no verbs device of that name, as for simulated ports
 * - -ENOMEM: out of memory
 * - -EIO: the device cannot be opened
 */
int madkit_port_events_open(const struct madkit_port_info *info, struct madkit_port_events **events);

/*
 * madkit_port_events_read - return the events since the last call
 * @events: the watcher; NULL: there are no events
 *
 * Does not block. There is no descriptor to wait for: call this function periodically. Each call returns
 * all events since the last one.
 *
 * Return: bits such as MADKIT_PORT_EVENT_SM_CHANGE; 0 if there were no events.
 */
uint32_t madkit_port_events_read(struct madkit_port_events *events);

/*
 * madkit_port_events_close - stop watching the events of a port
 * @events: watcher to close, or NULL
 */
void madkit_port_events_close(struct madkit_port_events *events);

/* The counters of a port object, since it was opened. */
struct madkit_port_counters {
	uint64_t sent;   /* MADs or messages that the device accepted */
	uint64_t resent; /* how many of these were not the first try */
	uint64_t received;
	uint64_t timeouts;  /* tries that the device reported as timed out */
	uint64_t expired;   /* tries that the deadline of the library ended */
	uint64_t busy;      /* BUSY responses after which the request was sent again */
	uint64_t unmatched; /* responses that match no outstanding request */
	uint64_t malformed; /* MADs that are too short for a header, or invalid */
	uint64_t aborted;   /* received RMPP transfers that failed, if the library does RMPP */
	/* MADs for an agent that is no longer registered, and requests with a class, version, OUI or
	 * method for which the agent is not registered */
	uint64_t unknown_agent;
};

/*
 * madkit_port_get_counters - return the counters of a port
 * @port:     the port
 * @counters: receives the counters
 */
void madkit_port_get_counters(const struct madkit_port *port, struct madkit_port_counters *counters);

MADKIT_END_DECLS
#endif
