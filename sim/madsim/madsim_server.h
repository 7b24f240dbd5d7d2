/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A simulation that is served to other processes on a socket (sim/serve/proto.h): one
 * thread, which sleeps until somebody calls or something is due. */
#ifndef SRC_MADSIM_SERVER_H
#define SRC_MADSIM_SERVER_H

#include <madkit/error.h>
#include "madsim_options.h"
#include "sim/simulation.h"

struct server;

/* Listens at path. A stale socket of this user is replaced. 0; -EADDRINUSE: the socket is
 * served; -EEXIST, -EPERM, -EINVAL, -errno with error in words. */
int server_listen(const char *path, struct server **server, struct madkit_error *error);

/* Serves until a signal or the deadline (wait_error()), server_end(), idle() or the end of life.
 * 0; what idle() said; -errno. Blocks. */
int server_run(struct server *server, struct simulation *s, const struct server_options *options);

/* From control() or idle(): server_run() is to return 0. */
void server_end(struct server *server);

/* From idle(): calls it again after ms, even if nothing else happens. */
void server_idle_again(struct server *server, unsigned int ms);

/* From control(): makes the directory of a node's host below the socket's name and ".sysfs", and writes every second
 * what its files hold; appends its path. 0; -EEXIST: something else is there; -errno. */
int server_publish(struct server *server, uint32_t node, struct madkit_buf *path);

void server_get_counters(const struct server *server, struct server_counters *counters);

/* For the parent of the process that serves: closes its copy of the listening socket. Otherwise
 * clients would still connect, and wait, after the serving process was killed. */
void server_stop_listening(struct server *server);

/* Releases the server in a process that does not serve: the socket stays. */
void server_leave(struct server *server);
/* Removes what a serving process left behind when it was killed, and releases the server. */
void server_clean_up(struct server *server);
/* Closes all files and removes the socket and what was made beside it. NULL is fine. */
void server_close(struct server *server);

#endif
