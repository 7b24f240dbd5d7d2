/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE /* epoll_pwait2() */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "cli/cli.h"
#include "madsim_server.h"
#include "madsim_server_int.h"
#include "cli/wait.h"

enum { EVENTS = 64, BACKLOG = 128, LOCK_MS = 2000, LOCK_PAUSE_MS = 10 };
#define NS_PER_S UINT64_C(1000000000)

/* ---- the socket -------------------------------------------------------------------------- */

/* Connects to name and disconnects. 0; -errno: ECONNREFUSED if no process listens there. */
static int try_connect(const struct sockaddr_un *name)
{
	/* non-blocking: EAGAIN if the server does not accept */
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int ret = fd < 0 || connect(fd, (const struct sockaddr *)name, sizeof(*name)) ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return ret;
}

/* Opens the directory of the socket. Later operations use this descriptor, and are not redirected if a part of
 * the path is replaced. */
static int server_open_directory(struct server *server, const char *path, struct madkit_error *error)
{
	const char *slash = strrchr(path, '/');
	char dir[sizeof(server->path)] = ".";

	if (slash)
		snprintf(dir, sizeof(dir), "%.*s", slash == path ? 1 : (int)(slash - path), path);
	server->dir = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (server->dir < 0)
		return madkit_error_set(error, -errno, -1, "cannot listen at %s: %s", path, strerror(errno));
	return 0;
}

/*
 * Locks the directory, so that no other madsim creates or removes a socket in it. *lock is -1 if it cannot be
 * locked: no permission to read it, or some network file systems. madsim holds the lock only briefly. 0;
 * -EBUSY: another program has held it for LOCK_MS; -EINTR, -ETIMEDOUT.
 */
static int server_lock_directory(const struct server *server, const char *path, int *lock,
				 struct madkit_error *error)
{
	int ret;

	*lock = openat(server->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (unsigned int ms = 0; *lock >= 0; ms += LOCK_PAUSE_MS) {
		if (!flock(*lock, LOCK_EX | LOCK_NB))
			return 0;
		ret = errno == EWOULDBLOCK ? wait_poll(NULL, 0, LOCK_PAUSE_MS) : -errno;
		if (ret >= 0 && ms >= LOCK_MS)
			ret = -EBUSY;
		if (ret >= 0)
			continue;
		close(*lock);
		*lock = -1;
		if (ret == -EBUSY)
			return madkit_error_set(
				error, ret, -1,
				"cannot listen at %s: another process keeps its directory locked", path);
		if (ret == -EINTR || ret == -ETIMEDOUT)
			return madkit_error_set(error, ret, -1, "cannot listen at %s: %s", path,
						strerror(-ret));
	}
	return 0;
}

static void server_unlock_directory(int lock)
{
	if (lock >= 0)
		close(lock);
}

/* Removes a stale socket, but not that of another user, even as root. */
static int server_clear_path(const struct server *server, const struct sockaddr_un *name, const char *base,
			     struct madkit_error *error)
{
	const char *path = name->sun_path;
	struct stat st;
	int ret;

	if (fstatat(server->dir, base, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 :
					 madkit_error_set(error, -errno, -1, "%s: %s", path, strerror(errno));
	if (!S_ISSOCK(st.st_mode))
		return madkit_error_set(error, -EEXIST, -1, "%s exists and is not a socket", path);
	ret = try_connect(name);
	/* the listener's backlog is full, or it uses another type of socket */
	if (!ret || ret == -EAGAIN || ret == -EPROTOTYPE)
		return madkit_error_set(error, -EADDRINUSE, -1, "%s is already served", path);
	/* it has been removed in the meantime */
	if (ret == -ENOENT)
		return 0;
	/* without permission to connect, it is not known if a process listens */
	if (ret == -EACCES && st.st_uid != geteuid())
		return madkit_error_set(
			error, ret, -1,
			"%s is a socket of user %u, and you may not connect to it; choose another path", path,
			(unsigned int)st.st_uid);
	if (ret != -ECONNREFUSED)
		return madkit_error_set(error, ret, -1, "cannot connect to %s: %s", path, strerror(-ret));
	if (st.st_uid != geteuid())
		return madkit_error_set(error, -EPERM, -1,
					"%s is a socket of user %u; remove it or choose another path", path,
					(unsigned int)st.st_uid);
	if (unlinkat(server->dir, base, 0))
		return madkit_error_set(error, -errno, -1, "cannot remove the stale socket %s: %s", path,
					strerror(errno));
	return 0;
}

/* Records the inode of the socket, which has just been bound, and listens. */
static int listen_at(struct server *server)
{
	struct stat st;

	/* first of all: from now on, the socket must be removed if a step fails */
	if (fstatat(server->dir, server->name, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	if (!S_ISSOCK(st.st_mode) || st.st_uid != geteuid()) {
		/* the directory was replaced in the meantime: nothing in it may be removed */
		server->path[0] = '\0';
		return -ESTALE;
	}
	server->dev = st.st_dev;
	server->ino = st.st_ino;
	server->made = st.st_mtim;
	return listen(server->listen.fd, BACKLOG) ? -errno : 0;
}

/* Removes a stale socket, binds and listens. The directory is locked, so that no other server interferes. */
static int server_bind_in_directory(struct server *server, const char *path, struct madkit_error *error)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	const char *slash = strrchr(path, '/');
	mode_t mask;
	int ret;

	strcpy(name.sun_path, path);
	ret = server_clear_path(server, &name, slash ? slash + 1 : path, error);
	if (ret)
		return ret;
	mask = umask(0177);
	ret = bind(server->listen.fd, (struct sockaddr *)&name, sizeof(name)) ? -errno : 0;
	umask(mask);
	if (!ret) {
		strcpy(server->path, path);
		slash = strrchr(server->path, '/');
		server->name = slash ? slash + 1 : server->path;
		ret = listen_at(server);
	}
	return ret ? madkit_error_set(error, ret, -1, "cannot listen at %s: %s", path,
				      ret == -ESTALE ? "its directory was replaced meanwhile" :
						       strerror(-ret)) :
		     0;
}

static int server_bind_path(struct server *server, const char *path, struct madkit_error *error)
{
	int lock, ret;

	if (strlen(path) >= sizeof(((struct sockaddr_un *)NULL)->sun_path))
		return madkit_error_set(error, -EINVAL, -1, "%s: the path of a socket has 107 bytes at most",
					path);
	ret = server_open_directory(server, path, error);
	if (!ret)
		ret = server_lock_directory(server, path, &lock, error);
	if (ret)
		return ret;
	ret = server_bind_in_directory(server, path, error);
	server_unlock_directory(lock);
	return ret;
}

/* Allocates buffers for packets. Memory is used only for pages that a packet reaches. */
static int server_make_room(struct server *server)
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
		server->parts[i] =
			(struct iovec){ server->room + (size_t)i * PROTO_PACKET_MAX, PROTO_PACKET_MAX };
		server->packets[i].msg_hdr = (struct msghdr){
			.msg_iov = &server->parts[i],
			.msg_iovlen = 1,
			.msg_control = &server->controls[i],
		};
	}
	return 0;
}

int server_listen(const char *path, struct server **server, struct madkit_error *error)
{
	struct server *s = calloc(1, sizeof(*s));
	int ret = s ? server_make_room(s) : -ENOMEM;

	if (ret) {
		if (s) {
			s->epoll = s->listen.fd = s->dir = s->tree = -1;
			server_close(s);
		}
		return madkit_error_set(error, ret, -1, "out of memory");
	}
	madkit_buf_init(&s->reply, 0);
	s->dir = s->tree = -1;
	s->ready_end = &s->ready;
	s->listen.kind = WATCH_LISTEN;
	s->life.kind = s->events.kind = WATCH_LIFE;
	s->listen.fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (s->listen.fd < 0 || s->epoll < 0)
		ret = madkit_error_set(error, -errno, -1, "cannot create a socket: %s", strerror(errno));
	if (!ret)
		ret = server_bind_path(s, path, error);
	if (ret)
		server_close(s);
	else
		*server = s;
	return ret;
}

/* ---- ending ------------------------------------------------------------------------------ */

static void server_close_watch(struct server *server, struct watch *watch)
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
	case WATCH_STORE:
		store_close(server, (struct store *)watch);
		break;
	default:
		break;
	}
}

/* Closes everything except the socket. */
static void server_close_all(struct server *server)
{
	struct watch *watch, *next;

	for (watch = server->watches; watch; watch = next) {
		next = watch->next;
		server_close_watch(server, watch);
	}
	server->watches = NULL;
	server_bury(server);
	tree_unpublish(server);
}

void server_stop_listening(struct server *server)
{
	close(server->listen.fd);
	server->listen.fd = -1;
}

void server_leave(struct server *server)
{
	if (!server)
		return;
	server->path[0] = '\0';
	server_close(server);
}

void server_clean_up(struct server *server)
{
	if (!server)
		return;
	tree_remove_abandoned(server);
	server_close(server);
}

/* Checks that the socket is not that of another server that has replaced it, perhaps with the same inode
 * number. ino is 0 if fstatat() failed after bind(): then it is the socket that has just been bound. */
static bool server_is_own_socket(const struct server *server)
{
	struct stat st;

	return !server->ino ||
	       (!fstatat(server->dir, server->name, &st, AT_SYMLINK_NOFOLLOW) && st.st_dev == server->dev &&
		st.st_ino == server->ino && st.st_mtim.tv_sec == server->made.tv_sec &&
		st.st_mtim.tv_nsec == server->made.tv_nsec);
}

static void server_remove_socket(struct server *server)
{
	int lock = -1;

	if (!server->path[0])
		return;
	/* also if the directory cannot be locked: server_is_own_socket() checks the socket */
	server_lock_directory(server, server->path, &lock, NULL);
	if (server_is_own_socket(server))
		unlinkat(server->dir, server->name, 0);
	server_unlock_directory(lock);
}

void server_close(struct server *server)
{
	if (!server)
		return;
	server_close_all(server);
	tree_remove(server);
	server_remove_socket(server);
	if (server->dir >= 0)
		close(server->dir);
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

void server_end(struct server *server)
{
	server->end = true;
}

void server_idle_again(struct server *server, unsigned int ms)
{
	server->again = server->now + ms * NS_PER_MS;
}

int server_publish(struct server *server, uint32_t node, struct madkit_buf *path)
{
	return tree_publish(server, node, path);
}

void server_get_counters(const struct server *server, struct server_counters *counters)
{
	*counters = server->counters;
}

static void server_on_event(struct server *server, const struct epoll_event *event)
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
		/* nothing is ever sent on it: the other end is closed */
		issm_close(server, (struct issm *)watch);
		break;
	case WATCH_STORE:
		store_receive(server, (struct store *)watch);
		break;
	}
}

static bool server_is_call(const struct epoll_event *event)
{
	return ((const struct watch *)event->data.ptr)->kind == WATCH_CALLS;
}

/* Returns the number of events, or -1 with errno. */
static int server_wait(struct server *server, struct epoll_event *events)
{
	uint64_t due = simulation_deadline(server->s), now, ns;
	struct timespec ts;
	int n;

	if (server->retry && server->retry < due)
		due = server->retry;
	if (server->rest && server->rest < due)
		due = server->rest;
	if (server->again && server->again < due)
		due = server->again;
	if (server->refresh && server->refresh < due)
		due = server->refresh;
	if (due == UINT64_MAX)
		return epoll_wait(server->epoll, events, EVENTS, -1);
	now = wait_now();
	ns = due > now ? due - now : 0;
	/* milliseconds are precise enough for timeouts, but not for latencies of links */
	if (!ns || ns > 100 * NS_PER_MS)
		return epoll_wait(server->epoll, events, EVENTS,
				  ns / NS_PER_MS < INT_MAX ? (int)(ns / NS_PER_MS) : INT_MAX);
	ts = (struct timespec){ .tv_nsec = (long)ns };
	n = epoll_pwait2(server->epoll, events, EVENTS, &ts, NULL);
	if (n < 0 && errno == ENOSYS)
		n = epoll_wait(server->epoll, events, EVENTS, (int)(ns / NS_PER_MS) + 1);
	return n;
}

/* Processes everything that is due, and its effects. Returns the result of idle(). */
static int server_work(struct server *server)
{
	const struct server_options *o = server->options;

	server->now = wait_now();
	if (server->rest && server->rest <= server->now)
		server_accept_again(server);
	simulation_process(server->s, server->now);
	channels_flush(server);
	server_bury(server);
	if (server->refresh && server->refresh <= server->now)
		tree_refresh(server);
	server->again = 0;
	return o->idle ? o->idle(o->context) : 0;
}

static int server_loop(struct server *server)
{
	struct epoll_event events[EVENTS];
	int n, ret;

	for (;;) {
		ret = server_work(server);
		if (ret || server->end || wait_error())
			return ret;
		n = server_wait(server, events);
		if (n < 0 && errno != EINTR)
			return -errno;
		server->now = wait_now();
		/* calls last: a descriptor that a client closed before it called must be closed when the call
		 * runs */
		for (int i = 0; i < n; i++)
			if (!server_is_call(&events[i]))
				server_on_event(server, &events[i]);
		for (int i = 0; i < n; i++)
			if (server_is_call(&events[i]))
				server_on_event(server, &events[i]);
	}
}

/* Raises the limit on descriptors: each client needs at least two. */
static void server_raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int watch_own(struct server *server, struct watch *watch, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = watch };

	return epoll_ctl(server->epoll, EPOLL_CTL_ADD, watch->fd, &event) ? -errno : 0;
}

int server_run(struct server *server, struct simulation *s, const struct server_options *options)
{
	int ret;

	server->s = s;
	server->options = options;
	server->end = false;
	server->life.fd = options->life;
	server->events.fd = options->events;
	server_raise_limit();
	ret = watch_own(server, &server->listen, EPOLLIN);
	if (!ret && options->life >= 0)
		ret = watch_own(server, &server->life, EPOLLIN);
	/* EPOLLERR is always reported; a file cannot be watched, and need not be */
	if (!ret && options->events >= 0)
		watch_own(server, &server->events, 0);
	if (!ret)
		ret = server_loop(server);
	/* the simulation must still exist */
	server_close_all(server);
	return ret;
}
