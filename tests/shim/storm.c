/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Programs that do to the preloaded device what they may do to a kernel's: signal handlers that
 * read, write and open, threads beside fork(), vfork() and posix_spawn(), threads that are
 * cancelled, descriptors that are duplicated and closed. A deadlock ends by the caller's timeout.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <rdma/ib_user_mad.h>
#include "tests/tap.h"

#define UMAD "/dev/infiniband/umad0"
#define LID  "/sys/class/infiniband/sim0/ports/1/lid"

enum { HEADER = sizeof(struct ib_user_mad_hdr), MAD = 256, CHILD_SECONDS = 60, CLASS_PMA = 4 };

static char **environment;

/* ---- a umad device ----------------------------------------------------------------------- */

struct device {
	int fd;
	uint32_t agent;
	uint32_t tid;
};

static bool device_open(struct device *d, int flags)
{
	struct ib_user_mad_reg_req2 req = { .qpn = 1, .mgmt_class = CLASS_PMA, .mgmt_class_version = 1 };

	d->fd = open(UMAD, O_RDWR | flags);
	d->tid = 0;
	if (d->fd < 0 || ioctl(d->fd, IB_USER_MAD_ENABLE_PKEY, NULL) ||
	    ioctl(d->fd, IB_USER_MAD_REGISTER_AGENT2, &req)) {
		printf("# " UMAD ": %s\n", strerror(errno));
		return false;
	}
	d->agent = req.id;
	return true;
}

/* Get(ClassPortInfo) of performance management to this LID; 0: a LID that no port has. */
static bool device_ask(struct device *d, unsigned int lid)
{
	uint8_t buf[HEADER + MAD] = { 0 }, *mad = buf + HEADER;
	struct ib_user_mad_hdr hdr = {
		.id = d->agent,
		.timeout_ms = 10000,
		.lid = (uint16_t)(lid << 8 | lid >> 8),
		.qpn = 0x01000000,
		.qkey = 0x00000180,
	};

	memcpy(buf, &hdr, HEADER);
	memcpy(mad, "\x01\x04\x01\x01", 4);
	d->tid++;
	memcpy(mad + 12, &d->tid, sizeof(d->tid));
	mad[17] = 1;
	return write(d->fd, buf, sizeof(buf)) == sizeof(buf);
}

static bool device_answer(struct device *d)
{
	uint8_t buf[HEADER + MAD];

	return read(d->fd, buf, sizeof(buf)) == sizeof(buf) && buf[HEADER + 3] == 0x81 &&
	       !memcmp(buf + HEADER + 12, &d->tid, sizeof(d->tid));
}

static unsigned int own_lid(void)
{
	char text[16] = "";
	int fd = open(LID, O_RDONLY);

	if (fd >= 0) {
		(void)!read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	return (unsigned int)strtoul(text, NULL, 16);
}

/* ---- signals ------------------------------------------------------------------------------- */

static volatile unsigned long handled, failed;
static int storm_pipe[2];
static struct device storm_device;
static unsigned int storm_random = 1;

/* One shot, a few microseconds from now: the next one comes wherever the program is by then. */
static void storm_arm(void)
{
	storm_random = storm_random * 1103515245 + 12345;
	setitimer(ITIMER_REAL, &(struct itimerval){ .it_value.tv_usec = 1 + (storm_random >> 16) % 200 },
		  NULL);
}

static void storm_end(void)
{
	signal(SIGALRM, SIG_IGN);
	setitimer(ITIMER_REAL, &(struct itimerval){ .it_value.tv_usec = 0 }, NULL);
}

static void storm_begin(void (*handler)(int))
{
	handled = failed = 0;
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = handler, .sa_flags = SA_RESTART }, NULL);
	storm_arm();
}

/* Valid operations of every descriptor and path. */
static void on_alarm_elsewhere(int signal)
{
	int saved = errno, fd;
	struct stat st;
	char byte = 'h';

	(void)signal;
	if (write(storm_pipe[1], &byte, 1) != 1 || read(storm_pipe[0], &byte, 1) != 1 || byte != 'h')
		failed++;
	fd = open("/dev/null", O_RDONLY);
	if (fd < 0 || stat("/dev/null", &st) || close(fd))
		failed++;
	handled++;
	storm_arm();
	errno = saved;
}

/* Operations that the shim handles. */
static void on_alarm_ours(int signal)
{
	uint8_t buf[HEADER + MAD];
	int saved = errno, fd;
	char text[16];

	(void)signal;
	if (handled % 4 == 0) {
		fd = open(UMAD, O_RDWR | O_NONBLOCK);
		if (fd < 0 || read(fd, buf, sizeof(buf)) != -1 || errno != EAGAIN || close(fd))
			failed++;
	} else if (handled % 4 == 1) {
		fd = open(LID, O_RDONLY);
		if (fd < 0 || read(fd, text, sizeof(text)) <= 0 || close(fd))
			failed++;
	} else {
		/* no packet is sent to it */
		if (read(storm_device.fd, buf, sizeof(buf)) != -1 || errno != EAGAIN)
			failed++;
	}
	handled++;
	storm_arm();
	errno = saved;
}

static void handlers_elsewhere(void)
{
	unsigned long rounds = 0;
	bool good = true;
	int ends[2];

	good = !pipe(ends) && !pipe(storm_pipe);
	storm_begin(on_alarm_elsewhere);
	for (; good && handled < 5000; rounds++) {
		unsigned long got = ~rounds;
		int fd, n;

		good = write(ends[1], &rounds, sizeof(rounds)) == sizeof(rounds) &&
		       !ioctl(ends[0], FIONREAD, &n) && n == sizeof(rounds) &&
		       read(ends[0], &got, sizeof(got)) == sizeof(got) && got == rounds;
		fd = open("/dev/null", O_RDONLY);
		good = good && fd >= 0 && !close(fd);
	}
	storm_end();
	ok(good && !failed, "B5: a handler that writes to a pipe: %lu signals, %lu rounds", handled, rounds);
}

static void handlers_ours(unsigned int lid)
{
	unsigned long rounds = 0;
	struct device d;
	bool good = device_open(&d, 0) && device_open(&storm_device, O_NONBLOCK);

	storm_begin(on_alarm_ours);
	while (good && (handled < 2000 || rounds < 200)) {
		struct device other = { .fd = -1 };

		good = device_ask(&d, lid) && device_answer(&d);
		if (good && rounds % 16 == 0)
			good = device_open(&other, 0) && !close(other.fd);
		rounds++;
	}
	if (!good)
		printf("# round %lu: %s\n", rounds, strerror(errno));
	storm_end();
	ok(good && !failed, "B5: a handler that opens and reads the device: %lu signals, %lu rounds", handled,
	   rounds);
	close(d.fd);
	close(storm_device.fd);
}

/* ---- threads and children ------------------------------------------------------------------- */

static volatile bool stop;
static bool thread_failed;
static unsigned int thread_lid;

/* NULL: all went well. */
static void *asks(void *unused)
{
	struct device d;
	void *bad = device_open(&d, 0) ? NULL : &thread_failed;

	(void)unused;
	while (!bad && !stop) {
		struct device other;

		if (!device_ask(&d, thread_lid) || !device_answer(&d) || !device_open(&other, 0) ||
		    close(other.fd))
			bad = &thread_failed;
	}
	if (bad)
		printf("# thread: %s\n", strerror(errno));
	close(d.fd);
	return bad;
}

/* In a child. */
static int child_works(int fd)
{
	struct device d;

	alarm(CHILD_SECONDS);
	if (write(fd, "c", 1) != 1)
		return 1;
	if (own_lid() != thread_lid)
		return 2;
	if (!device_open(&d, 0) || !device_ask(&d, thread_lid) || !device_answer(&d))
		return 3;
	return 0;
}

static bool child_ended(pid_t pid)
{
	int how = -1;

	if (pid > 0 && waitpid(pid, &how, 0) == pid && WIFEXITED(how) && !WEXITSTATUS(how))
		return true;
	printf("# child: %s %d\n", pid > 0 && WIFSIGNALED(how) ? "signal" : "status",
	       WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how));
	return false;
}

static bool fork_one(int fd)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(child_works(fd));
	return child_ended(pid);
}

static bool vfork_one(int fd)
{
	pid_t pid = vfork();

	if (!pid) {
		if (write(fd, "v", 1) == 1)
			execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	return child_ended(pid);
}

static bool spawn_one(int fd)
{
	posix_spawn_file_actions_t actions;
	char *const argv[] = { (char[]){ "true" }, NULL };
	pid_t pid = -1;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fd, 40);
	posix_spawn_file_actions_addopen(&actions, 41, "/dev/null", O_RDONLY, 0);
	if (posix_spawn(&pid, "/bin/true", &actions, NULL, argv, environment))
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	return child_ended(pid);
}

static void children(unsigned int lid)
{
	enum { THREADS = 3, FORKS = 100 };
	bool good = true, spawned = true;
	pthread_t threads[THREADS];
	int ends[2], n = 0;
	void *bad;

	thread_lid = lid;
	stop = false;
	if (pipe(ends))
		exit(1);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, asks, NULL);
	for (; good && n < FORKS; n++) {
		good = fork_one(ends[1]);
		spawned = spawned && vfork_one(ends[1]) && spawn_one(ends[1]);
	}
	stop = true;
	ok(good, "B5: children of fork() beside %d threads on the device: %d", THREADS, n);
	ok(spawned, "B5: children of vfork() and posix_spawn()");
	good = true;
	for (int i = 0; i < THREADS; i++)
		good = !pthread_join(threads[i], &bad) && !bad && good;
	ok(good, "... and the threads go on");
	close(ends[0]);
	close(ends[1]);
}

/* ---- cancellation ---------------------------------------------------------------------------- */

static void *reads(void *fd)
{
	uint8_t buf[HEADER + MAD];

	(void)!read(*(int *)fd, buf, sizeof(buf));
	return NULL;
}

static void *storm_calls(void *device)
{
	for (;;) {
		device_ask(device, thread_lid);
		pthread_testcancel();
	}
	return NULL;
}

static void cancellation(unsigned int lid)
{
	enum { CANCELS = 60 };
	struct device d, quiet;
	bool good = device_open(&d, 0) && device_open(&quiet, 0);
	uint8_t buf[HEADER + MAD];
	pthread_t thread;
	void *how = NULL;

	thread_lid = lid;
	pthread_create(&thread, NULL, reads, &quiet.fd);
	pthread_cancel(thread);
	pthread_join(thread, &how);
	ok(good && how == PTHREAD_CANCELED, "B5: a thread that reads the device can be cancelled");
	for (int i = 0; good && i < CANCELS; i++) {
		struct timespec ts = { .tv_nsec = i * 37000 };

		pthread_create(&thread, NULL, storm_calls, &d);
		nanosleep(&ts, NULL);
		pthread_cancel(thread);
		pthread_join(thread, &how);
		good = how == PTHREAD_CANCELED;
	}
	/* the response to a request with a different TID comes after all others */
	good = good && device_ask(&quiet, lid) && device_answer(&quiet) && !fcntl(d.fd, F_SETFL, O_NONBLOCK);
	while (read(d.fd, buf, sizeof(buf)) > 0)
		;
	ok(good, "B5: threads that are cancelled in a call leave nothing locked");
	close(d.fd);
	close(quiet.fd);
}

/* ---- descriptors ------------------------------------------------------------------------------- */

static void storm_descriptors(unsigned int lid)
{
	enum { OPENS = 1000 };
	struct device first, copy, d;
	bool good = device_open(&first, 0);
	int ends[2], number;
	char byte = 0;

	copy = first;
	copy.fd = dup(first.fd);
	number = first.fd;
	/* the number is another file's */
	good = good && !pipe(ends) && dup2(ends[1], number) == number && write(number, "p", 1) == 1 &&
	       read(ends[0], &byte, 1) == 1 && byte == 'p';
	ok(good, "B5: a number that was the device's is a pipe after dup2()");
	close(number);
	close(ends[0]);
	close(ends[1]);
	good = !socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) && (ends[0] == number || ends[1] == number) &&
	       write(ends[1], "s", 1) == 1 && read(ends[0], &byte, 1) == 1 && byte == 's';
	ok(good, "B5: ... and after close() a socket");
	for (int i = 0; good && i < OPENS; i++)
		good = device_open(&d, 0) && !close(d.fd);
	ok(good, "B5: %d devices, one after the other", OPENS);
	ok(device_ask(&copy, lid) && device_answer(&copy), "B5: the copy is still the device");
	close(ends[0]);
	close(ends[1]);
	close(copy.fd);
}

int main(int argc, char **argv, char **envp)
{
	unsigned int lid = own_lid();
	int device = open(UMAD, O_RDWR);

	(void)argc;
	(void)argv;
	environment = envp;
	ok(lid && device >= 0, "a umad device is open");
	handlers_elsewhere();
	handlers_ours(lid);
	children(lid);
	cancellation(lid);
	storm_descriptors(lid);
	return tap_done();
}
