/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a transport does for a port: one struct of operations. umad.c has those of the
 * kernel's devices, verbs.c of UD QPs, verbs_given.c of those of a caller. Other libraries
 * have more (transports.c), and so has tests/unit/fake_transport.c. They return 0 or
 * -errno and never block unless they say so.
 *
 * Buffers of MADs have TRANSPORT_HEADROOM bytes before them, aligned to 8, that
 * the transport may scribble on: where its own header goes, nothing is copied.
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
	const char *name; /* "umad": the spec's word before the colon */
	bool fixed_qkey;  /* GSI MADs go out with MADKIT_QKEY_GSI, whatever
				 * the address says */
	bool unfiltered;  /* its caller decides which requests an agent gets: only
				 * their class is checked */
	bool rmpp;        /* does RMPP itself for agents that want it; else
				 * the library does */
	/* Blocks within the limit, which is valid only during the call; the transport copies
	 * it for later calls. */
	int (*open)(const char *spec, const struct madkit_limit *limit, struct transport **transport,
		    struct madkit_error *error);
	void (*close)(struct transport *transport);
	/* As close(), in a process that inherited the port by fork(): what the opener still uses
	 * stays. NULL: close() only closes descriptors and frees memory. */
	void (*abandon)(struct transport *transport);
	/* Reads an entry of a table of a port ("gids", "pkeys") as sysfs shows it. The port is the one
	 * that info describes; it need not be open. Blocks within the limit. -ENOENT: there is no such
	 * entry. */
	int (*entry)(const struct madkit_port_info *info, const char *table, unsigned int index,
		     const struct madkit_limit *limit, char *text, size_t size);
	/* Reads what a port tells about itself. */
	int (*info)(struct transport *transport, struct madkit_port_info *info);
	/* *id is set; a refusal fills refusal (never NULL). */
	int (*attach)(struct transport *transport, const struct madkit_agent_attr *attr, uint32_t *id,
		      struct madkit_refusal *refusal);
	int (*detach)(struct transport *transport, uint32_t id);
	/* One MAD or, on an agent with RMPP, a whole message. The transport
	 * itself reports a timeout through receive(). timeout_ms: up to INT32_MAX,
	 * or MADKIT_FOREVER. retries: of the transport's own. -EAGAIN: not now, ask
	 * again. */
	int (*send)(struct transport *transport, uint32_t id, const struct madkit_addr *to, uint8_t *mad,
		    size_t len, uint32_t timeout_ms, uint32_t retries);
	/* The next MAD into buf. *len: how long it is. -EAGAIN nothing there;
	 * -ENOSPC: *len tells what is needed (0: only that it is more), the
	 * MAD stays; -EIO, -ENODEV: the device is gone for good. *status: 0 or
	 * the errno with which a send of ours came back (its header only may
	 * be there then). */
	int (*receive)(struct transport *transport, uint32_t *id, struct madkit_addr *from, uint8_t *buf,
		       size_t size, size_t *len, int *status);
	/* Blocks up to timeout_ms (-1 for ever), or less. 1: receive() has
	 * something to tell; 0, -EINTR, -EIO. */
	int (*wait)(struct transport *transport, int timeout_ms);
	int (*fd)(struct transport *transport);
	uint64_t (*now)(struct transport *transport);
	void (*realtime)(struct transport *transport, struct timespec *ts);
	/* Where transaction IDs begin: random, or on a simulated transport
	 * from its seed. */
	uint32_t (*seed)(struct transport *transport);
};

/* What every transport's state begins with. */
struct transport {
	const struct transport_ops *ops;
};

extern const struct transport_ops transport_umad, transport_verbs;

/* Raise it when the operations, a struct of theirs or a private function (util/private.h) changes. */
enum { TRANSPORT_ABI = 3 };

/* What a library with transports defines, as madkit_transport_library. */
struct transport_library {
	uint32_t abi;        /* TRANSPORT_ABI; if it differs, nothing behind it is read */
	const char *version; /* PACKAGE_VERSION */
	/* NULL ends them. If the name of one begins with that of another, it comes first. */
	const struct transport_ops *const *transports;
};

#endif
