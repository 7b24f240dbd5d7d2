/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the server's files share. */
#ifndef SRC_MADSIM_SERVER_INT_H
#define SRC_MADSIM_SERVER_INT_H

#include <sys/types.h>
#include "madsim_options.h"
#include "sim/serve/serve.h"
#include "sim/serve/wire.h"

enum {
	RECEIVE_BATCH = 32, /* packets that are read at once */
	SEND_BATCH = 32,
	BUCKETS = 1024, /* of files, by their tokens */
};

/* What there is no room for in the system now is tried again then. */
#define RETRY_NS (20 * NS_PER_MS)

/* A descriptor that is waited for. */
struct watch {
	enum watch_kind { WATCH_LISTEN, WATCH_LIFE, WATCH_CALLS, WATCH_DATA, WATCH_ISSM, WATCH_STORE } kind;
	int fd;             /* -1: closed, and freed when all that came at once is done */
	struct watch *next; /* of all */
	struct watch **link;
};

struct calls { /* a connection */
	struct watch watch;
	struct session session;
};

struct channel { /* a file and its data socket */
	struct watch watch;
	struct server *server;
	struct host_file *file;
	uint64_t token;
	struct channel *bucket;     /* the next one */
	struct channel *next_ready; /* of those that have something to be written */
	bool ready, blocked;
};

struct issm {
	struct watch watch;
	uint32_t node;
	unsigned int port;
	bool roce; /* nothing is known of it */
};

struct published { /* a host whose files are written */
	struct published *next;
	struct devices devices;
};

struct store { /* a file of sysfs that is open for writing */
	struct watch watch;
	uint64_t token;
	int error; /* -errno of the first write that failed since it was asked for; 0: none */
	uint32_t node;
	size_t len;
	char path[];
};

struct server {
	struct simulation *s;
	const struct server_options *options;
	int epoll;
	struct watch listen, life, events;
	struct watch *watches, *dead;
	struct channel *buckets[BUCKETS];
	struct channel *ready, **ready_end;
	struct server_counters counters;
	uint64_t now;
	bool end;
	int give; /* what goes with the reply; -1: nothing */
	struct madkit_buf reply;
	char path[108];   /* the socket; empty: it is not ours to remove */
	int dir;          /* the socket's directory; -1 */
	const char *name; /* of the socket there */
	dev_t dev;        /* the socket, as it was made */
	ino_t ino;
	struct timespec made;
	int tree;          /* PROTO_TREE's directory; -1: not made */
	bool tree_refused; /* and never will be */
	struct published *published;
	uint64_t refresh; /* when their files are to be written; 0: there are none */
	uint64_t retry;   /* when writing is to be tried again; 0: not */
	uint64_t again;   /* when idle() wants to be called again; 0: not */
	uint64_t rest;    /* until when nobody is accepted; 0: all are */
	bool said_full;
	/* packets that were read */
	struct mmsghdr *packets;
	struct iovec *parts;
	union sim_wire_control *controls;
	uint8_t *room; /* RECEIVE_BATCH * PROTO_PACKET_MAX */
};

/* madsim_watch.c: 0 or -errno; watch->fd is closed then. */
int server_watch(struct server *server, struct watch *watch);
/* Closes it at once; its memory lasts until what came together with it is done. */
void server_unwatch(struct server *server, struct watch *watch);
void server_want_write(struct server *server, struct channel *c, bool want);

/* Frees what is closed. */
void server_bury(struct server *server);

/* There was no room in the system for who is waiting at the socket: not before then. */
void server_rest(struct server *server, uint64_t until);
void server_accept_again(struct server *server);

/* madsim_channel.c */
/* Makes a file and its sockets: the client's end is server->give. 0, -errno. */
int channel_open(struct server *server, uint32_t node, unsigned int port, unsigned int reach,
		 uint64_t *token);
void channel_close(struct channel *c);
struct channel *channel_find(const struct server *server, uint64_t token);
/* Reads what the client sent. */
void channel_receive(struct channel *c);
/* Writes what stands in the files' queues, as far as the sockets take it. */
void channels_flush(struct server *server);
/* The socket takes more now. */
void channel_unblock(struct channel *c);

/* madsim_calls.c */
void calls_accept(struct server *server);
void calls_receive(struct server *server, struct calls *calls);
void calls_close(struct server *server, struct calls *calls);
void store_receive(struct server *server, struct store *store);
void store_close(struct server *server, struct store *store);
void issm_close(struct server *server, struct issm *issm);

/* madsim_tree.c: makes the directory of a host unless it is there, and appends its
 * path. 0; -EEXIST: the place is taken by something else; -errno. */
int tree_make(struct server *server, const struct devices *devices, struct madkit_buf *path);
/* ... and from now on writes into its files what they hold, every second. */
int tree_publish(struct server *server, uint32_t node, struct madkit_buf *path);
void tree_refresh(struct server *server);
void tree_unpublish(struct server *server);
void tree_remove(struct server *server);
/* As tree_remove(), for the tree of a server that ended without removing it. */
void tree_remove_abandoned(struct server *server);

#endif
