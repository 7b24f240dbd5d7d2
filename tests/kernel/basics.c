// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/kernel/basics.h"

enum { READY_FD = 100 }; /* a child's way to say so */

void need(bool good, const char *what)
{
	if (good)
		return;
	printf("Bail out! %s: %s\n", what, strerror(errno));
	fflush(stdout);
	_exit(1);
}

static int64_t clock_ms(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t now_ms(void)
{
	return clock_ms(CLOCK_MONOTONIC);
}

int64_t cpu_ms(void)
{
	return clock_ms(CLOCK_PROCESS_CPUTIME_ID);
}

static void basics_on_alarm(int signal)
{
	(void)signal;
}

void alarm_in_ms(int ms)
{
	/* poll() is interrupted all the same */
	struct sigaction action = { .sa_handler = basics_on_alarm, .sa_flags = SA_RESTART };
	const struct timeval time = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };
	const struct itimerval soon = { .it_value = time, .it_interval = time };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
}

void child_ready(void)
{
	need(write(READY_FD, "r", 1) == 1, "write to the parent");
	close(READY_FD);
}

pid_t child_start(void (*serve)(const char *ca), const char *ca)
{
	char byte;
	int ready[2];
	pid_t pid;

	need(pipe(ready) == 0, "pipe");
	pid = fork();
	need(pid >= 0, "fork");
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		need(dup2(ready[1], READY_FD) == READY_FD, "dup2");
		close(ready[0]);
		close(ready[1]);
		serve(ca);
		_exit(1);
	}
	close(ready[1]);
	need(read(ready[0], &byte, 1) == 1, "the other process is not ready");
	close(ready[0]);
	return pid;
}

void child_stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int kernel_log_open(void)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	need(log >= 0 && lseek(log, 0, SEEK_END) >= 0, "/dev/kmsg");
	return log;
}

unsigned int kernel_log_lines(int log)
{
	/* each read returns one record: "6,1234,...;text
	 * ", then lines in a separate format */
	char record[4096];
	unsigned int lines = 0;
	ssize_t n;

	while ((n = read(log, record, sizeof(record) - 1)) > 0) {
		char *text;

		record[n] = '\0';
		text = strchr(record, ';');
		printf("# kernel: %.*s\n", text ? (int)strcspn(text + 1, "\n") : 0, text ? text + 1 : "");
		lines++;
	}
	return lines;
}

pid_t device_delete(const char *ca)
{
	pid_t pid = fork();

	need(pid >= 0, "fork");
	if (pid == 0) {
		execlp("rdma", "rdma", "link", "delete", ca, (char *)NULL);
		_exit(127);
	}
	return pid;
}

void device_gone(pid_t pid)
{
	int status;

	need(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0,
	     "rdma link delete");
}
