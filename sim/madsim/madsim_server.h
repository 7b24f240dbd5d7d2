/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A simulation that is served to other processes on a socket (sim/serve/proto.h). It has one thread, which
 * sleeps until a client calls or something is due. */
#ifndef SRC_MADSIM_SERVER_H
#define SRC_MADSIM_SERVER_H

#include <madkit/error.h>
#include "madsim_server_options.h"
#include "sim/simulation.h"

struct server;

/* Listens at path. A stale socket of this user is replaced. 0; -EADDRINUSE: another server listens there;
 * -EEXIST, -EPERM, -EINVAL, another -errno. error has the reason. */
int server_listen(const char *path, struct server **server, struct madkit_error *error);

/* Serves until a signal or the deadline (wait_error()), server_end(), a nonzero result of idle(), or until
 * the other end of life or events is closed. 0; the result of idle(); -errno. Blocks. */
int server_run(struct server *server, struct simulation *s, const struct server_options *options);

/* Makes server_run() return 0. Call it from control() or idle(). */
void server_end(struct server *server);

/* Calls idle() again after ms, even if nothing else happens. Call it from idle(). */
void server_idle_again(struct server *server, unsigned int ms);

/* Creates the directory of the node's host in SOCKET.sysfs, writes the content of its files now and every
 * second, and appends its path. Call it from control(). 0; -EEXIST: the path has another use; -errno. */
int server_publish(struct server *server, uint32_t node, struct madkit_buf *path);

void server_get_counters(const struct server *server, struct server_counters *counters);

/* Closes this process's copy of the listening socket, if a child serves. Otherwise clients would still
 * connect and wait after the child was killed. */
void server_stop_listening(struct server *server);

/* Releases the server in a process that does not serve. The socket stays. */
void server_leave(struct server *server);
/* Removes the socket and the directories of a child that was killed, and releases the server. */
void server_clean_up(struct server *server);
/* Closes all files, and removes the socket and the directories beside it. server may be NULL. */
void server_close(struct server *server);

#endif
