/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A port, and its event loop. A port is driven by its caller: wait until
 * madkit_port_fd() is readable or madkit_port_deadline() has come, then call
 * madkit_port_process(). Everything - sends, responses, timeouts, resends,
 * handlers - happens in there.
 *
 * Threads: a port has no thread and no lock. One thread at a time may use a port with its agents and
 * posted sends, but any thread may take over from another, also to close the port. Different ports may be
 * used in parallel, even if they are on the same device or fabric. Handlers run in the thread that calls
 * madkit_port_process(), madkit_request(), madkit_agent_unregister() or madkit_port_close(). A received
 * message and a send that is not posted do not belong to the port: any thread may use and free them. To end
 * the wait of a port in another thread, let that thread poll a descriptor of the program (eventfd(2)) beside
 * madkit_port_fd().
 *
 * fork(): a port belongs to the process that opened it. The descriptors are shared with the child, so
 * that everything but madkit_port_close() and reading what the port object holds has an effect on both: the
 * child would receive MADs of the parent, madkit_agent_unregister() would end agents of the parent, and
 * transaction IDs would collide. A child that needs a port opens its own. The exception is a child that
 * continues in place of its parent, as with daemon(3): if the parent ends with _exit() or without using the port
 * again, the child may use it. The agents end when no process has the descriptor open. execve() closes it. On a
 * simulated fabric in this process, the child has a copy of the fabric.
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

struct madkit_port;

enum madkit_link_layer {
	MADKIT_LINK_UNKNOWN,
	MADKIT_LINK_INFINIBAND,
	MADKIT_LINK_ETHERNET,
};

/* Members of struct madkit_port_info that sysfs may refuse to show. */
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
};

struct madkit_port_info {
	char ca[64];        /* "mlx5_0" */
	unsigned int port;  /* number, from 1 (0: a switch's own) */
	char device[256];   /* "umad:mlx5_0/1"; "verbs:mlx5_0/1"; "sim:small.net@node2" */
	char umad_path[64]; /* "/dev/infiniband/umad0", or empty */
	char issm_path[64];
	char ca_type[64]; /* "MT4123", as the driver calls it; may be empty */
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
	uint32_t rate;       /* whole Gb/s, from sysfs: 2 of 2.5; 0 unknown */
	uint8_t rate_tenths; /* the rest of the rate in 0.1 Gb/s: 5 of 2.5; 0 on simulated fabrics */
	uint32_t cap_mask;   /* PortInfo.CapabilityMask */
	enum madkit_link_layer link_layer;
	uint32_t qp; /* of a port on a UD queue pair, else 0 */
	uint32_t qkey;
	uint16_t pkey_index;
	uint32_t unread;  /* MADKIT_PORT_ bits of the members that could not be read, which are 0 */
	int unread_error; /* -errno of the first of them */
};

/*
 * The ports of this machine that have a umad device, in the order of their
 * names. *ports is allocated and *count set; free with madkit_ports_free().
 * One broken device, or one that is unplugged meanwhile, does not spoil the others: it is left out and
 * counted in *skipped (may be NULL). If only some files of a port cannot be read, unread says which. 0 (also for none), -ENOMEM, or -errno (-EMFILE ...) if sysfs
 * cannot be read. Reads sysfs, blocks briefly.
 */
int madkit_ports_list(struct madkit_port_info **ports, size_t *count, size_t *skipped);
void madkit_ports_free(struct madkit_port_info *ports);

/*
 * Whether a specification of a device of this machine (as for madkit_port_open(); NULL: any) means the port.
 * Of the ports that it means, opening it takes the best. 1: yes; 0: no; -EINVAL: it cannot be read, or is of another
 * transport (error may be NULL).
 */
int madkit_port_matches(const struct madkit_port_info *port, const char *spec, struct madkit_error *error);

/* "Down", "Initialize", "Armed", "Active": the words of PortInfo.PortState; NULL
 * for what is no state of a port (0, above 4). */
const char *madkit_port_state_name(uint8_t state);

/*
 * Opens a port. spec: "umad:CA/PORT", "umad:CA" (its first fit port), "umad:"
 * or NULL (the first ACTIVE InfiniBand port, else one that is LinkUp; a RoCE
 * port only where it is the only one there is). "umad:/PORT": that number on
 * the first CA fit for it. "/dev/infiniband/umadN": the port that has this device node. "verbs:CA/PORT": a UD queue pair there
 * (madkit_port_open_qp()), where it has to be named as such.
 * "sim:TOPOLOGY", "sim:TOPOLOGY@NODE", with options behind it: a simulated fabric of
 * this port object's own, in virtual or real time (madkit(7), madsend(1)).
 * "sim:unix:SOCKET@NODE": a node of the fabric that madsim(1) serves there, by its name, its
 * description or a GUID, ":PORT" behind it where it has several; without "@NODE": the first
 * CA.
 *
 * 0 with *port; -ENODEV no such CA or port, or none at all; -EACCES no
 * permission (error names the node and its mode); -ENOENT the ib_umad module is
 * not loaded, or there is no such topology; -EBADMSG the topology has an error, told with
 * line and column; -EINVAL an unreadable spec; -EOPNOTSUPP there is no such
 * transport, or a library that it needs is missing; -EMFILE or -ENFILE no descriptor is free; -ENOMEM;
 * -EIO otherwise. error has the details.
 */
int madkit_port_open(const char *spec, struct madkit_port **port, struct madkit_error *error);

/*
 * What ends the blocking calls of a port that is not on this machine's kernel: connecting to a served
 * fabric ("sim:unix:"), its calls, and reading a topology from a pipe. On every port, stopped() decides
 * whether a signal ends madkit_request() as well, which has a deadline of its own.
 */
struct madkit_limit {
	uint64_t deadline_ns; /* by CLOCK_MONOTONIC; UINT64_MAX: none */
	/* Called every 50 ms at most, and when a signal has interrupted the call. If it returns
	 * true, the call ends. May be NULL. */
	bool (*stopped)(void *context);
	void *context;
};

/*
 * Opens a port as madkit_port_open() does, with a limit for its blocking calls, both in this function
 * and later. The limit is copied; its context must remain valid until the port is
 * closed. NULL: no deadline and no stopped().
 *
 * Whatever the limit says, a call ends when its server has not answered for 15 s. After a call was broken
 * off, every further call of the port returns the same error, because the reply may still arrive.
 *
 * Return: as madkit_port_open(); -ETIMEDOUT at the deadline or after 15 s, -EINTR if stopped()
 * returned true.
 */
int madkit_port_open_limited(const char *spec, const struct madkit_limit *limit, struct madkit_port **port,
			     struct madkit_error *error);

/*
 * Closes a port and unregisters its agents; first their outstanding sends complete with -ECANCELED. NULL is
 * allowed. From a handler it does nothing. Handlers that it calls can neither register agents nor post:
 * both return -ENODEV. Afterwards the port, its agents, and pointers that
 * these returned are invalid: a call with one of them is undefined, as with freed memory.
 *
 * After fork(), a child may close a port that its parent opened: handlers run for the child's copies of the
 * sends, and memory and descriptors of the child are released, but nothing is sent and the agents of the
 * parent stay registered. On a UD queue pair the memory of libibverbs' objects is not released.
 */
void madkit_port_close(struct madkit_port *port);

/* What was read when the port was opened. */
const struct madkit_port_info *madkit_port_get_info(const struct madkit_port *);

/* Returns the entry of the port's GID table at an index. Reads sysfs, or asks a served fabric
 * within limit, which may be NULL. Of a simulated fabric in this process only the first entry is
 * known. 0; -ENOENT there is no such entry or table; the errors of madkit_port_open_limited() if
 * a served fabric did not answer. */
int madkit_port_gid(const struct madkit_port_info *info, unsigned int index, const struct madkit_limit *limit,
		    uint8_t gid[16]);

/* Returns the index of a P_Key in the port's table. The membership bit is ignored, but the
 * entry of a full member is preferred. Reads sysfs, or asks a served fabric within limit, which
 * may be NULL. Of a simulated fabric in this process only the default partition is known. 0;
 * -ENOENT the table has no such entry; the errors of madkit_port_open_limited() if a served
 * fabric did not answer. */
int madkit_port_pkey_index(const struct madkit_port_info *info, uint16_t pkey,
			   const struct madkit_limit *limit, uint16_t *index);

/* Reads it again (LID, state and so on may have changed). 0 or as open. */
int madkit_port_refresh(struct madkit_port *port);

/*
 * The descriptor to wait for (POLLIN). It is for waiting only. Under a
 * preloaded simulator it may be one that only poll() of that library knows:
 * madkit_port_wait() works everywhere.
 */
int madkit_port_fd(const struct madkit_port *port);

/* When the port next wants madkit_port_process() to be called even if nothing
 * arrived: nanoseconds on madkit_port_now()'s clock; UINT64_MAX: never. */
uint64_t madkit_port_deadline(const struct madkit_port *port);

/* The transport's monotonic clock, nanoseconds, and its real time. A simulated fabric's
 * may be virtual: then only waiting moves it on. */
uint64_t madkit_port_now(const struct madkit_port *port);
void madkit_port_realtime(const struct madkit_port *port, struct timespec *ts);

/*
 * Does all that is due: receives what is there, matches it, resends and
 * expires, and calls the handlers. Does not wait for anything to arrive, but sending blocks in two
 * cases, as in madkit_agent_post(). On RoCE, if a GID does not resolve (any more), a resend or an
 * acknowledgement takes about a second and is not interrupted by signals; one call does that at
 * most once and leaves the rest to the next, which is due at once (what handlers post, too). On a
 * served fabric a MAD without a timeout waits for the server, within the limit of
 * madkit_port_open_limited(). Returns how many events it
 * handled; -EIO / -ENODEV where the device is gone (every outstanding send
 * has completed with that then, and it stays so); -ENOSPC where the next
 * message is longer than the limit (madkit_port_set_receive_limit()); -ENOMEM
 * where there was no memory to receive it into (it is still there); -EMFILE a message above 64 KiB of a
 * served fabric was lost, because no descriptor was free to receive it (the port remains usable); -EBUSY from
 * within a handler.
 */
int madkit_port_process(struct madkit_port *port);

/*
 * Waits until the port has something to do, for timeout_ms at most. Any negative number waits
 * without limit, as in umad_poll(3); 0 only checks. 1: something, 0: nothing in time, -EINTR: a signal came,
 * -ENODEV/-EIO: gone. Calls no handler.
 */
int madkit_port_wait(struct madkit_port *port, int timeout_ms);

/*
 * The bytes offered to a message at first (default 2048: any single MAD), and
 * how far that grows when the device tells of a longer one (default 1 GiB).
 * A message beyond max stays where it is, and madkit_port_process() returns
 * -ENOSPC until max is raised. 0, -EINVAL (initial 0 or above max, max above
 * 1 GiB).
 *
 * Agents with library_rmpp that are registered from then on take messages of max,
 * 256 MiB at most, and end those beyond with STOP; what is under way to such an agent
 * takes at most twice as much memory from one peer and four times in all, or 16 and 32 MiB
 * where that is more.
 */
int madkit_port_set_receive_limit(struct madkit_port *port, size_t initial, size_t max);

/* The length of the message that made process() return -ENOSPC, as far as the
 * device tells it (at least 256 where the limit was below one MAD); 0: none. */
size_t madkit_port_receive_needed(const struct madkit_port *port);

/* ---- what happens to a port ------------------------------------------------- */

/* What libibverbs reports of a port. */
enum {
	/* the subnet manager asks its clients to register again: subscriptions, multicast
	 * memberships and service records may be lost. umad does not show this. */
	MADKIT_PORT_EVENT_CLIENT_REREGISTER = 1 << 0,
	MADKIT_PORT_EVENT_SM_CHANGE = 1 << 1, /* another SM LID */
	MADKIT_PORT_EVENT_OTHER = 1 << 2,     /* LID, P_Keys, GIDs, state ... */
};

struct madkit_port_events;

/*
 * madkit_port_events_open - have libibverbs report the events of a port
 *
 * Opens the verbs device of the port of info. Blocks briefly. 0 with *events, to be ended by
 * madkit_port_events_close(); -EOPNOTSUPP libibverbs is missing; -ENODEV no verbs device of
 * that name, as for simulated ports; -ENOMEM; -EIO the device cannot be opened.
 */
int madkit_port_events_open(const struct madkit_port_info *info, struct madkit_port_events **events);

/* The events of the port since the last call, MADKIT_PORT_EVENT_ bits; 0: none. Does not block.
 * NULL is fine, and has none. */
uint32_t madkit_port_events_read(struct madkit_port_events *events);

/* NULL is fine. */
void madkit_port_events_close(struct madkit_port_events *events);

/* What a port object has seen since it was opened. */
struct madkit_port_counters {
	uint64_t sent;   /* MADs or messages that the device took */
	uint64_t resent; /* of these: not the first try */
	uint64_t received;
	uint64_t timeouts;      /* tries that the device reported as such */
	uint64_t expired;       /* tries that our own deadline ended */
	uint64_t busy;          /* responses that made us ask again later */
	uint64_t unmatched;     /* responses to nothing that is outstanding */
	uint64_t malformed;     /* too short for a header, or of no sense */
	uint64_t aborted;       /* RMPP transfers of the library's own to us that failed */
	uint64_t unknown_agent; /* for an agent that is not registered, or is not registered for
				 * the MAD's class, version, OUI or method */
};
void madkit_port_get_counters(const struct madkit_port *port, struct madkit_port_counters *counters);

MADKIT_END_DECLS
#endif
