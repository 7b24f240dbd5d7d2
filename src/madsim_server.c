/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE	/* epoll_pwait2() */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "cli.h"
#include "madsim_server_int.h"

enum { EVENTS = 64, BACKLOG = 128 };
#define NS_PER_S UINT64_C(1000000000)

/* ---- descriptors ------------------------------------------------------------------------ */

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

static void bury(struct server *server)
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
		.events = EPOLLIN | (want ? EPOLLOUT : 0), .data.ptr = &c->watch,
	};

	epoll_ctl(server->epoll, EPOLL_CTL_MOD, c->watch.fd, &event);
}

static void listen_again(struct server *server, bool again)
{
	struct epoll_event event = {
		.events = again ? EPOLLIN : 0, .data.ptr = &server->listen,
	};

	epoll_ctl(server->epoll, EPOLL_CTL_MOD, server->listen.fd, &event);
}

void server_rest(struct server *server, uint64_t until)
{
	server->rest = until;
	listen_again(server, false);
}

/* ---- the socket -------------------------------------------------------------------------- */

/* Whether somebody serves the socket at name. */
static bool is_served(const struct sockaddr_un *name)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	bool served = fd >= 0 && (!connect(fd, (const struct sockaddr *)name, sizeof(*name)) ||
				  errno != ECONNREFUSED);

	if (fd >= 0)
		close(fd);
	return served;
}

/* Makes way at path. */
static int clear_path(const struct sockaddr_un *name, struct madkit_error *error)
{
	const char *path = name->sun_path;
	struct stat st;

	if (lstat(path, &st))
		return errno == ENOENT ? 0 :
		       madkit_error_set(error, -errno, -1, "%s: %s", path, strerror(errno));
	if (!S_ISSOCK(st.st_mode))
		return madkit_error_set(error, -EEXIST, -1, "%s is there and no socket", path);
	if (is_served(name))
		return madkit_error_set(error, -EADDRINUSE, -1, "%s is served already", path);
	if (unlink(path))
		return madkit_error_set(error, -errno, -1, "cannot remove %s, which nobody serves: %s",
					path, strerror(errno));
	return 0;
}

static int bind_path(struct server *server, const char *path, struct madkit_error *error)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	struct stat st;
	mode_t mask;
	int ret;

	if (strlen(path) >= sizeof(name.sun_path))
		return madkit_error_set(error, -EINVAL, -1,
			"%s: the path of a socket has 107 bytes at most", path);
	strcpy(name.sun_path, path);
	ret = clear_path(&name, error);
	if (ret)
		return ret;
	mask = umask(0177);
	ret = bind(server->listen.fd, (struct sockaddr *)&name, sizeof(name)) ? -errno : 0;
	umask(mask);
	if (!ret && (lstat(path, &st) || listen(server->listen.fd, BACKLOG)))
		ret = -errno;
	if (ret)
		return madkit_error_set(error, ret, -1, "cannot listen at %s: %s", path,
					strerror(-ret));
	strcpy(server->path, path);
	server->dev = st.st_dev;
	server->ino = st.st_ino;
	return 0;
}

/* Buffers of packets: pages that no packet is long enough for are never there. */
static int make_room(struct server *server)
{
	server->packets = calloc(RECEIVE_BATCH, sizeof(*server->packets));
	server->parts = calloc(RECEIVE_BATCH, sizeof(*server->parts));
	server->controls = calloc(RECEIVE_BATCH, sizeof(*server->controls));
	server->room = mmap(NULL, (size_t)RECEIVE_BATCH * PROTO_PACKET_MAX, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (server->room == MAP_FAILED)
		server->room = NULL;
	if (!server->packets || !server->parts || !server->controls || !server->room)
		return -ENOMEM;
	for (unsigned int i = 0; i < RECEIVE_BATCH; i++) {
		server->parts[i] = (struct iovec){ server->room + (size_t)i * PROTO_PACKET_MAX,
						   PROTO_PACKET_MAX };
		server->packets[i].msg_hdr = (struct msghdr){
			.msg_iov = &server->parts[i], .msg_iovlen = 1,
			.msg_control = &server->controls[i],
		};
	}
	return 0;
}

int server_listen(const char *path, struct server **server, struct madkit_error *error)
{
	struct server *s = calloc(1, sizeof(*s));
	int ret = s ? make_room(s) : -ENOMEM;

	if (ret) {
		if (s) {
			s->epoll = s->listen.fd = -1;
			server_close(s);
		}
		return madkit_error_set(error, ret, -1, "out of memory");
	}
	madkit_buf_init(&s->reply, 0);
	s->ready_end = &s->ready;
	s->listen.kind = WATCH_LISTEN;
	s->life.kind = WATCH_LIFE;
	s->listen.fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (s->listen.fd < 0 || s->epoll < 0)
		ret = madkit_error_set(error, -errno, -1, "cannot make a socket: %s",
				       strerror(errno));
	if (!ret)
		ret = bind_path(s, path, error);
	if (ret)
		server_close(s);
	else
		*server = s;
	return ret;
}

/* ---- ending ------------------------------------------------------------------------------ */

static void close_watch(struct server *server, struct watch *watch)
{
	switch (watch->kind) {
	case WATCH_CALLS:
		calls_close(server, (struct calls *)watch);
		break;
	case WATCH_DATA:
		channel_close((struct channel *)watch);
		break;
	case WATCH_ISSM:
		issm_close(server, (struct issm *)watch);
		break;
	default:
		break;
	}
}

/* All but the socket. */
static void close_all(struct server *server)
{
	struct watch *watch, *next;

	for (watch = server->watches; watch; watch = next) {
		next = watch->next;
		close_watch(server, watch);
	}
	server->watches = NULL;
	bury(server);
}

void server_leave(struct server *server)
{
	if (!server)
		return;
	server->path[0] = '\0';
	server->tree[0] = '\0';
	server_close(server);
}

void server_close(struct server *server)
{
	struct stat st;

	if (!server)
		return;
	close_all(server);
	tree_remove(server);
	/* not that of another server, which may have replaced it */
	if (server->path[0] && !lstat(server->path, &st) && st.st_dev == server->dev &&
	    st.st_ino == server->ino)
		unlink(server->path);
	if (server->listen.fd >= 0)
		close(server->listen.fd);
	if (server->epoll >= 0)
		close(server->epoll);
	if (server->room)
		munmap(server->room, (size_t)RECEIVE_BATCH * PROTO_PACKET_MAX);
	madkit_buf_free(&server->reply);
	free(server->packets);
	free(server->parts);
	free(server->controls);
	free(server);
}

/* ---- serving ------------------------------------------------------------------------------ */

static uint64_t clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

void server_end(struct server *server)
{
	server->end = true;
}

void server_get_counters(const struct server *server, struct server_counters *counters)
{
	*counters = server->counters;
}

static void on_event(struct server *server, const struct epoll_event *event)
{
	struct watch *watch = event->data.ptr;

	if (watch->fd < 0)
		return;
	switch (watch->kind) {
	case WATCH_LISTEN:
		calls_accept(server);
		break;
	case WATCH_LIFE:
		server->end = true;
		break;
	case WATCH_CALLS:
		calls_receive(server, (struct calls *)watch);
		break;
	case WATCH_DATA:
		if (event->events & EPOLLOUT)
			channel_unblock((struct channel *)watch);
		if (event->events & ~(uint32_t)EPOLLOUT)
			channel_receive((struct channel *)watch);
		break;
	case WATCH_ISSM:
		/* there is nothing to be said on it: its other end is closed */
		issm_close(server, (struct issm *)watch);
		break;
	}
}

static bool is_call(const struct epoll_event *event)
{
	return ((const struct watch *)event->data.ptr)->kind == WATCH_CALLS;
}

/* How many events; -1: none, and a signal. */
static int wait(struct server *server, struct epoll_event *events)
{
	uint64_t due = simulation_deadline(server->s), now, ns;
	struct timespec ts;
	int n;

	if (server->retry && server->retry < due)
		due = server->retry;
	if (server->rest && server->rest < due)
		due = server->rest;
	if (due == UINT64_MAX)
		return epoll_wait(server->epoll, events, EVENTS, -1);
	now = clock_ns();
	ns = due > now ? due - now : 0;
	/* milliseconds are enough for timeouts; latencies of links are shorter */
	if (!ns || ns > 100 * NS_PER_MS)
		return epoll_wait(server->epoll, events, EVENTS,
				  ns / NS_PER_MS < INT_MAX ? (int)(ns / NS_PER_MS) : INT_MAX);
	ts = (struct timespec){ .tv_nsec = (long)ns };
	n = epoll_pwait2(server->epoll, events, EVENTS, &ts, NULL);
	if (n < 0 && errno == ENOSYS)
		n = epoll_wait(server->epoll, events, EVENTS, (int)(ns / NS_PER_MS) + 1);
	return n;
}

/* What is due, and what came of it. What idle() says. */
static int work(struct server *server)
{
	const struct server_options *o = server->options;

	server->now = clock_ns();
	if (server->rest && server->rest <= server->now) {
		server->rest = 0;
		listen_again(server, true);
	}
	simulation_process(server->s, server->now);
	channels_flush(server);
	bury(server);
	return o->idle ? o->idle(o->context) : 0;
}

static int loop(struct server *server)
{
	struct epoll_event events[EVENTS];
	int n, ret;

	for (;;) {
		ret = work(server);
		if (ret || server->end || cli_stopped())
			return ret;
		n = wait(server, events);
		if (n < 0 && errno != EINTR)
			return -errno;
		server->now = clock_ns();
		/* what a client closed before it called is closed when it calls */
		for (int i = 0; i < n; i++)
			if (!is_call(&events[i]))
				on_event(server, &events[i]);
		for (int i = 0; i < n; i++)
			if (is_call(&events[i]))
				on_event(server, &events[i]);
	}
}

/* A client has two descriptors or more here. */
static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int watch_own(struct server *server, struct watch *watch)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = watch };

	return epoll_ctl(server->epoll, EPOLL_CTL_ADD, watch->fd, &event) ? -errno : 0;
}

int server_run(struct server *server, struct simulation *s, const struct server_options *options)
{
	int ret;

	server->s = s;
	server->options = options;
	server->end = false;
	server->life.fd = options->life;
	raise_limit();
	ret = watch_own(server, &server->listen);
	if (!ret && options->life >= 0)
		ret = watch_own(server, &server->life);
	if (!ret)
		ret = loop(server);
	/* while the simulation is there */
	close_all(server);
	return ret;
}
