/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connections on which a process calls the server. A call takes a connection for itself by an
 * atomic exchange, and makes one for itself alone if all are taken: by other threads, or by the
 * call that a signal handler has interrupted. No call waits for another one. A forked child
 * makes connections of its own.
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
	PROBE_MS = 100,       /* instead, since a call was not answered */
	OUT_OF_THE_WAY = 900, /* descriptors from here on are not what a program counts on */
	NUMBERS = 100,        /* ... which are used in turn */
	SLOTS = 4,            /* connections that are kept */
};

static struct slot {
	struct sim_client client; /* channel_interrupted() finds the slot by it */
	bool taken;
	bool interruptible; /* the call ends if a signal handler ran */
	dev_t dev;          /* of its descriptor: programs close what they do not know */
	ino_t ino;
} slots[SLOTS];

/* The process that the slots belong to. A child of vfork() shares them with its parent, but not
 * the descriptors; a child of _Fork() has copies of both. Neither uses them. */
static pid_t slots_owner;
static bool channel_said;
static unsigned int channel_number; /* connections that were made */
/* The last call was not answered: a server that is stopped is not to block each call. */
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

/* NULL: all are taken. */
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

/* Whether the program has a handler after which system calls are not restarted. Which handler ran is not known, but those
 * of faults do not run while a call waits. */
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

	/* sockets with a time limit are not restarted, whatever the handler */
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
	/* the path is the environment's: a terminal must not obey it */
	for (; path[n] && n + 1 < sizeof(shown); n++)
		shown[n] = path[n] >= 0x20 && path[n] < 0x7f ? path[n] : '?';
	shown[n] = 0;
	if (!__atomic_exchange_n(&channel_said, true, __ATOMIC_RELAXED))
		dprintf(STDERR_FILENO, "libmadsim_umad: %s%s%s%s\n", what, shown, ret ? ": " : "",
			ret ? strerrordesc_np(-ret) : "");
}

/* A connection's HELLO. */
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

/* A connection with which HELLO has been exchanged. 0; -errno. */
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
	/* if the program closes the descriptor on which a thread is about to wait, the thread must not find another
	 * connection there */
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
	/* it cannot fail: the descriptor is open and of this process alone */
	fstat(slot->client.fd, &st);
	slot->dev = st.st_dev;
	slot->ino = st.st_ino;
	return 0;
}

static int slot_call(struct slot *slot, struct sim_call *c, int lost)
{
	int ret;

	/* a connection on which no call waits may have been made before the server fell silent */
	if (__atomic_load_n(&channel_silent, __ATOMIC_RELAXED))
		slot_hang_up(slot);
	ret = slot_is_connected(slot) ? 0 : slot_connect(slot);
	if (!ret) {
		ret = sim_client_call(&slot->client, c);
		if (!ret)
			return -(int)c->reply.error;
		/* the program's mistake, or its limit on descriptors */
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

	/* a thread that ends half-way would leave a slot taken and a reply unread */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	slot = slot ? slot : &own;
	/* the others do not wait for anything that a signal could interrupt in Linux */
	slot->interruptible = c->call.op == PROTO_ISSM;
	ret = slot_call(slot, c, lost);
	if (slot == &own)
		slot_hang_up(&own);
	else
		__atomic_store_n(&slot->taken, false, __ATOMIC_RELEASE);
	pthread_setcancelstate(state, NULL);
	return ret;
}
