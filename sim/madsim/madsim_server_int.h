/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declarations that the files of the server share. */
#ifndef SRC_MADSIM_SERVER_INT_H
#define SRC_MADSIM_SERVER_INT_H

#include <sys/types.h>
#include "madsim_server_options.h"
#include "sim/serve/serve.h"
#include "sim/serve/wire.h"

enum {
	RECEIVE_BATCH = 32, /* packets that are read by one system call */
	BUCKETS = 1024,     /* hash table of files by token */
};

/* If the system has no room, the operation is tried again after this time. */
#define RETRY_NS (20 * NS_PER_MS)

/* A descriptor that the server watches. */
struct watch {
	enum watch_kind { WATCH_LISTEN, WATCH_LIFE, WATCH_CALLS, WATCH_DATA, WATCH_ISSM, WATCH_STORE } kind;
	int fd; /* -1: closed; the struct is freed when all events of the same wait are processed */
	struct watch *next; /* list of all */
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
	struct channel *bucket;     /* next in the bucket */
	struct channel *next_ready; /* next of the channels with messages to write */
	bool ready, blocked;
};

struct issm {
	struct watch watch;
	uint32_t node;
	unsigned int port;
	bool roce; /* the port does not belong to the fabric: nothing is changed there */
};

struct published { /* a host whose files are kept up to date */
	struct published *next;
	struct devices devices;
};

struct store { /* a file of sysfs that is open for writing */
	struct watch watch;
	uint64_t token;
	int error; /* -errno of the first write that failed since the last STORED; 0: none */
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
	int give; /* descriptor to pass with the reply; -1: none */
	struct madkit_buf reply;
	char path[108];   /* of the socket; empty: the socket must not be removed */
	int dir;          /* directory of the socket; -1: not open */
	const char *name; /* name of the socket in dir */
	dev_t dev;        /* identity of the socket when it was bound */
	ino_t ino;
	struct timespec made;
	int tree;          /* directory of PROTO_TREE; -1: not created */
	bool tree_refused; /* it cannot be created: do not try again */
	struct published *published;
	uint64_t refresh; /* when their files are due to be written; 0: there are none */
	uint64_t retry;   /* when to try writing again; 0: not needed */
	uint64_t again;   /* when to call idle() again; 0: not needed */
	uint64_t rest;    /* no connection is accepted until then; 0: connections are accepted */
	bool said_full;
	/* buffers of the packets that were read */
	struct mmsghdr *packets;
	struct iovec *parts;
	union sim_wire_control *controls;
	uint8_t *room; /* RECEIVE_BATCH * PROTO_PACKET_MAX */
};

/* madsim_watch.c: adds a descriptor. 0; -errno, and watch->fd is closed. */
int server_watch(struct server *server, struct watch *watch);
/* Closes the descriptor at once. The memory is freed when all events of the same wait are processed. */
void server_unwatch(struct server *server, struct watch *watch);
void server_want_write(struct server *server, struct channel *c, bool want);

/* Frees the memory of closed descriptors. */
void server_bury(struct server *server);

/* Accepts no connection until then, because the system has no room. */
void server_rest(struct server *server, uint64_t until);
void server_accept_again(struct server *server);

/* madsim_channel.c */
/* Creates a file and its data sockets; server->give is the client's end. 0; -errno. */
int channel_open(struct server *server, uint32_t node, unsigned int port, unsigned int reach,
		 uint64_t *token);
void channel_close(struct channel *c);
struct channel *channel_find(const struct server *server, uint64_t token);
/* Receives MADs from the client, and sends them on the fabric. */
void channel_receive(struct channel *c);
/* Writes queued messages of all files, as far as the sockets accept them. */
void channels_flush(struct server *server);
/* The socket accepts messages again. */
void channel_unblock(struct channel *c);

/* madsim_calls.c */
void calls_accept(struct server *server);
void calls_receive(struct server *server, struct calls *calls);
void calls_close(struct server *server, struct calls *calls);
void store_receive(struct server *server, struct store *store);
void store_close(struct server *server, struct store *store);
void issm_close(struct server *server, struct issm *issm);

/* madsim_tree.c: creates the directory of a host unless it exists, and appends its path. 0; -EEXIST: the path
 * has another use; -errno. */
int tree_make(struct server *server, const struct devices *devices, struct madkit_buf *path);
/* The same, and writes the content of its files now and every second. */
int tree_publish(struct server *server, uint32_t node, struct madkit_buf *path);
void tree_refresh(struct server *server);
void tree_unpublish(struct server *server);
void tree_remove(struct server *server);
/* As tree_remove(), for the tree of a server that ended without removing it. */
void tree_remove_abandoned(struct server *server);

#endif
