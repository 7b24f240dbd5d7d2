/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The descriptors that the server watches. */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>
#include "madsim_server_int.h"

int server_watch(struct server *server, struct watch *watch)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = watch };
	int ret;

	if (epoll_ctl(server->epoll, EPOLL_CTL_ADD, watch->fd, &event)) {
		ret = -errno;
		close(watch->fd);
		watch->fd = -1;
		return ret;
	}
	watch->next = server->watches;
	watch->link = &server->watches;
	if (watch->next)
		watch->next->link = &watch->next;
	server->watches = watch;
	return 0;
}

void server_unwatch(struct server *server, struct watch *watch)
{
	close(watch->fd);
	watch->fd = -1;
	*watch->link = watch->next;
	if (watch->next)
		watch->next->link = watch->link;
	watch->next = server->dead;
	server->dead = watch;
}

void server_bury(struct server *server)
{
	while (server->dead) {
		struct watch *watch = server->dead;

		server->dead = watch->next;
		free(watch);
	}
}

void server_want_write(struct server *server, struct channel *c, bool want)
{
	struct epoll_event event = {
		.events = EPOLLIN | (want ? EPOLLOUT : 0),
		.data.ptr = &c->watch,
	};

	epoll_ctl(server->epoll, EPOLL_CTL_MOD, c->watch.fd, &event);
}

static void server_listen_for(struct server *server, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = &server->listen };

	epoll_ctl(server->epoll, EPOLL_CTL_MOD, server->listen.fd, &event);
}

void server_rest(struct server *server, uint64_t until)
{
	server->rest = until;
	server_listen_for(server, 0);
}

void server_accept_again(struct server *server)
{
	server->rest = 0;
	server_listen_for(server, EPOLLIN);
}
