/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The operations of a transport. umad.c implements them for the kernel's devices, verbs.c for UD QPs, and
 * verbs_given.c for UD QPs of the caller. Other libraries have further transports (transports.c), and so has
 * tests/unit/fake_transport.c. Operations return 0 or -errno and do not block unless stated here.
 *
 * Buffers of MADs have TRANSPORT_HEADROOM bytes before them, aligned to 8, into which the transport may write
 * its own header, so that nothing is copied.
 */
#ifndef TRANSPORT_TRANSPORT_H
#define TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <madkit/agent.h>
#include <madkit/port.h>

#define TRANSPORT_HEADROOM 64

struct transport;

struct transport_ops {
	const char *name; /* "umad": the word before the colon of a specification */
	bool fixed_qkey;  /* GSI MADs are sent with MADKIT_QKEY_GSI,
				 * whatever Q_Key the address has */
	bool unfiltered;  /* the caller decides which requests an agent gets:
				 * only their class is checked */
	bool rmpp;        /* the transport does RMPP for agents that want it;
				 * otherwise the library does */
	/* Blocks within the limit, which is valid only during the call: the transport copies it for later
	 * calls. */
	int (*open)(const char *spec, const struct madkit_limit *limit, struct transport **transport,
		    struct madkit_error *error);
	void (*close)(struct transport *transport);
	/* Like close(), in a process that inherited the port by fork(): resources that the opener
	 * still uses remain. NULL: close() only closes descriptors and frees memory. */
	void (*abandon)(struct transport *transport);
	/* Reads an entry of a table of a port ("gids", "pkeys") as sysfs shows it. info describes the port,
	 * which need not be open. Blocks within the limit. Returns -ENOENT if there is no such entry. */
	int (*entry)(const struct madkit_port_info *info, const char *table, unsigned int index,
		     const struct madkit_limit *limit, char *text, size_t size);
	/* Reads the attributes of the port. */
	int (*info)(struct transport *transport, struct madkit_port_info *info);
	/* Sets *id, or fills in refusal (never NULL). */
	int (*attach)(struct transport *transport, const struct madkit_agent_attr *attr, uint32_t *id,
		      struct madkit_refusal *refusal);
	int (*detach)(struct transport *transport, uint32_t id);
	/* Sends one MAD or, for an agent with RMPP, a whole message. receive() reports a timeout. timeout_ms:
	 * up to INT32_MAX, or MADKIT_FOREVER. retries: how many times the transport may resend it. -EAGAIN:
	 * no room at present. */
	int (*send)(struct transport *transport, uint32_t id, const struct madkit_addr *to, uint8_t *mad,
		    size_t len, uint32_t timeout_ms, uint32_t retries);
	/* Receives the next MAD into buf. *len: its length. -EAGAIN: there is none; -ENOSPC: it needs *len
	 * bytes (0: an unknown length) and can be received again; -EIO, -ENODEV: the device is permanently
	 * gone. *status: 0, or the errno with which the transport returned a send (possibly only its
	 * header). */
	int (*receive)(struct transport *transport, uint32_t *id, struct madkit_addr *from, uint8_t *buf,
		       size_t size, size_t *len, int *status);
	/* Blocks for at most timeout_ms (-1: without limit). Returns 1 if receive() should be called; 0;
	 * -EINTR; or -EIO. */
	int (*wait)(struct transport *transport, int timeout_ms);
	int (*fd)(struct transport *transport);
	uint64_t (*now)(struct transport *transport);
	void (*realtime)(struct transport *transport, struct timespec *ts);
	/* Returns the number at which transaction IDs begin: random, or derived from the seed of a simulated
	 * transport. */
	uint32_t (*seed)(struct transport *transport);
};

/* The first member of every transport's state. */
struct transport {
	const struct transport_ops *ops;
};

extern const struct transport_ops transport_umad, transport_verbs;

/* Raise it when the operations, one of their structs or a private function (util/private.h) changes. */
enum { TRANSPORT_ABI = 4 };

/* Each library with transports defines one, as madkit_transport_library. */
struct transport_library {
	uint32_t abi;        /* TRANSPORT_ABI; if it differs, nothing after it is read */
	const char *version; /* PACKAGE_VERSION */
	/* Terminated by NULL. A name that begins with another name comes before it. */
	const struct transport_ops *const *transports;
};

#endif
