/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connections on which a process calls the server. A call takes a connection by an atomic exchange. If all
 * connections are taken, by other threads or by the call that a signal handler has interrupted, it makes a
 * connection for itself. No call waits for another one. A forked child makes new connections.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sim/preload/shim.h"

enum {
	ANSWER_MS = 60000,
	PROBE_MS = 100,       /* used instead after a call without a reply */
	OUT_OF_THE_WAY = 900, /* lowest descriptor of a connection; programs rarely use such high ones */
	NUMBERS = 100,        /* descriptors that are used in turn */
	SLOTS = 4,            /* connections that are kept */
};

static struct slot {
	struct sim_client client; /* must be first: channel_interrupted() casts the pointer */
	bool taken;
	bool interruptible; /* a signal handler ends the call */
	dev_t dev;          /* identify the socket: programs close descriptors that they do not know */
	ino_t ino;
} slots[SLOTS];

/* The process that owns the slots. A child of vfork() shares them with its parent, but not the descriptors; a
 * child of _Fork() has copies of both. Neither uses the slots. */
static pid_t slots_owner;
static bool channel_said;
static unsigned int channel_number; /* number of connections made so far */
/* The last call had no reply. Then a server that is stopped must not block each call for ANSWER_MS. */
static bool channel_silent;

static bool slot_is_connected(const struct slot *slot)
{
	struct stat st;

	return slot->client.fd >= 0 && !fstat(slot->client.fd, &st) && st.st_dev == slot->dev &&
	       st.st_ino == slot->ino;
}

static void slot_hang_up(struct slot *slot)
{
	if (slot_is_connected(slot))
		close(slot->client.fd);
	slot->client.fd = -1;
}

static void slots_forget(void)
{
	for (unsigned int i = 0; i < SLOTS; i++) {
		slot_hang_up(&slots[i]);
		__atomic_store_n(&slots[i].taken, false, __ATOMIC_RELEASE);
	}
	slots_owner = getpid();
}

__attribute__((constructor)) static void channel_begin(void)
{
	for (unsigned int i = 0; i < SLOTS; i++)
		slots[i].client.fd = -1;
	slots_owner = getpid();
	pthread_atfork(NULL, NULL, slots_forget);
}

/* Returns a free slot; NULL: all are taken. */
static struct slot *slot_take(void)
{
	if (slots_owner != getpid())
		return NULL;
	for (unsigned int i = 0; i < SLOTS; i++)
		if (!__atomic_exchange_n(&slots[i].taken, true, __ATOMIC_ACQUIRE))
			return &slots[i];
	return NULL;
}

const char *shim_socket(void)
{
	const char *path = secure_getenv("MADSIM_SOCKET");

	return path && *path ? path : NULL;
}

/* Checks if the program has a handler after which system calls are not restarted. It is not known which
 * handler ran, but handlers of faults do not run while a call waits. */
static bool channel_has_interrupter(void)
{
	struct sigaction action;

	for (int signal = 1; signal < NSIG; signal++)
		if (!shim_is_fault(signal) && !sigaction(signal, NULL, &action) &&
		    action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN &&
		    !(action.sa_flags & SA_RESTART))
			return true;
	return false;
}

static int channel_interrupted(struct sim_client *client, int err)
{
	const struct slot *slot = (const struct slot *)client;

	/* system calls on sockets with a time limit are not restarted, whatever the handler */
	if (err == EINTR)
		return slot->interruptible && channel_has_interrupter() ? -EINTR : 0;
	__atomic_store_n(&channel_silent, true, __ATOMIC_RELAXED);
	return -ETIMEDOUT;
}

static void channel_report(const char *what, const char *path, int ret)
{
	char shown[PROTO_REASON_MAX + 1];
	size_t n = 0;

	if (ret == -EINTR)
		return;
	/* the path comes from the environment: keep control characters from the terminal */
	for (; path[n] && n + 1 < sizeof(shown); n++)
		shown[n] = path[n] >= 0x20 && path[n] < 0x7f ? path[n] : '?';
	shown[n] = 0;
	if (!__atomic_exchange_n(&channel_said, true, __ATOMIC_RELAXED))
		dprintf(STDERR_FILENO, "libmadsim_umad: %s%s%s%s\n", what, shown, ret ? ": " : "",
			ret ? strerrordesc_np(-ret) : "");
}

/* Calls HELLO on a new connection. */
static int channel_greet(struct sim_client *client, const char *path)
{
	const char *words = secure_getenv("MADSIM_NODE");
	char reason[PROTO_REASON_MAX + 1];
	struct proto_reply reply;
	struct proto_node node;
	int ret = sim_client_hello(client, words ? words : "", &reply, &node, reason);

	if (!ret && reply.error == ENOENT)
		channel_report("MADSIM_NODE: the fabric has no ", words ? words : "CA", 0);
	else if (!ret && reason[0])
		channel_report("MADSIM_NODE: ", reason, 0);
	if (!ret)
		ret = -(int)reply.error;
	if (ret && ret != -ENOENT && !reason[0])
		channel_report("no response from madsim at ", path, ret);
	return ret;
}

/* Connects and calls HELLO. 0; -errno. */
static int channel_connect(struct sim_client *client, unsigned int answer_ms)
{
	const char *path = shim_socket();
	unsigned int number;
	int ret, high;

	*client = (struct sim_client){ .fd = -1, .interrupted = channel_interrupted };
	if (!path) {
		channel_report("MADSIM_SOCKET is not set: there is no umad device", "", 0);
		return -ENODEV;
	}
	ret = sim_client_connect(client, path, answer_ms);
	/* use the descriptors in turn: if the program closes the one on which a thread is about to wait, the
	 * thread must not find another connection there */
	number = __atomic_fetch_add(&channel_number, 1, __ATOMIC_RELAXED) % NUMBERS;
	high = ret ? -1 : fcntl(client->fd, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY + (int)number);
	if (high >= 0) {
		close(client->fd);
		client->fd = high;
	}
	if (ret)
		channel_report("no madsim at ", path, ret);
	else
		ret = channel_greet(client, path);
	if (ret && client->fd >= 0)
		close(client->fd);
	if (ret)
		client->fd = -1;
	return ret;
}

static int slot_connect(struct slot *slot)
{
	bool silent = __atomic_load_n(&channel_silent, __ATOMIC_RELAXED);
	struct stat st;
	int ret = channel_connect(&slot->client, silent ? PROBE_MS : ANSWER_MS);

	if (!ret && silent) {
		sim_client_block(&slot->client, ANSWER_MS);
		__atomic_store_n(&channel_silent, false, __ATOMIC_RELAXED);
	}
	if (ret)
		return ret;
	/* cannot fail: the descriptor is open, and only this process has it */
	fstat(slot->client.fd, &st);
	slot->dev = st.st_dev;
	slot->ino = st.st_ino;
	return 0;
}

static int slot_call(struct slot *slot, struct sim_call *c, int lost)
{
	int ret;

	/* an idle connection may still have the long timeout: connect again with the short one */
	if (__atomic_load_n(&channel_silent, __ATOMIC_RELAXED))
		slot_hang_up(slot);
	ret = slot_is_connected(slot) ? 0 : slot_connect(slot);
	if (!ret) {
		ret = sim_client_call(&slot->client, c);
		if (!ret)
			return -(int)c->reply.error;
		/* the program passed a bad pointer, or its limit on descriptors is reached */
		if (ret == -EFAULT || ret == -EMFILE)
			return ret;
		slot_hang_up(slot);
	}
	return lost ? lost : ret;
}

int shim_call(struct sim_call *c, int lost)
{
	struct slot own = { .client.fd = -1 }, *slot = slot_take();
	int state, ret;

	/* if the thread were cancelled, the slot would stay taken, and the reply unread */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	slot = slot ? slot : &own;
	/* in Linux, a signal interrupts none of the other operations */
	slot->interruptible = c->call.op == PROTO_ISSM;
	ret = slot_call(slot, c, lost);
	if (slot == &own)
		slot_hang_up(&own);
	else
		__atomic_store_n(&slot->taken, false, __ATOMIC_RELEASE);
	pthread_setcancelstate(state, NULL);
	return ret;
}
