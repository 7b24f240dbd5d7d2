/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands run by commands: their statuses, and signals on the way. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/cli.h"
#include "../tap.h"

/* A program that runs command as madreg --hold does, and is about to. */
static pid_t run_command_start(char **command)
{
	int fds[2];
	pid_t pid;
	char byte;

	if (pipe(fds) || (pid = fork()) < 0)
		exit(99);
	if (pid) {
		close(fds[1]);
		if (read(fds[0], &byte, 1) != 1)
			exit(99);
		close(fds[0]);
		return pid;
	}
	cli_begin("run_command");
	if (write(fds[1], "x", 1) != 1)
		_exit(98);
	close(fds[1]);
	_exit(cli_run(command, -1));
}

/* Its exit status; 1000 + N where a signal ended it. */
static int run_command_finish(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int run_command_status_of(char **command)
{
	return run_command_finish(run_command_start(command));
}

#define COMMAND(...) ((char *[]){ __VA_ARGS__, NULL })
#define SHELL(text)  COMMAND((char[]){ "sh" }, (char[]){ "-c" }, (char[]){ text })

static void run_command_statuses(void)
{
	is_int(run_command_status_of(SHELL("exit 0")), 0, "0");
	is_int(run_command_status_of(SHELL("exit 7")), 7, "7");
	is_int(run_command_status_of(SHELL("kill -KILL $$")), 128 + SIGKILL, "killed: 128 + 9");
	is_int(run_command_status_of(COMMAND((char[]){ "/nonexistent/x" })), 127, "not there: 127");
	is_int(run_command_status_of(COMMAND((char[]){ "/" })), 126, "cannot be run: 126");
}

/* A signal at every moment from before fork() to the wait. */
static void at_any_time(void)
{
	char **command = SHELL("exec sleep 60");
	volatile unsigned int spin;
	unsigned int wrong = 0;
	int status = 0;

	for (unsigned int i = 0; i < 300 && !wrong; i++) {
		pid_t pid = run_command_start(command);

		for (spin = i * 500; spin; spin--)
			;
		kill(pid, SIGTERM);
		status = run_command_finish(pid);
		wrong += status != 128 + SIGTERM;
	}
	if (!ok(!wrong, "a signal at any time reaches the command"))
		printf("# status %d\n", status);
}

static void every_one(void)
{
	/* by a command that takes two; the program outlives it */
	is_int(run_command_status_of(SHELL("ulimit -t 20; n=0; "
					   "trap 'n=$((n+1)); test $n = 2 && exit 7; kill -TERM $PPID' TERM; "
					   "kill -TERM $PPID; while :; do :; done")),
	       7, "the second signal reaches it too");
	is_int(run_command_status_of(
		       SHELL("ulimit -t 20; trap 'exit 8' HUP; kill -HUP $PPID; while :; do :; done")),
	       8, "SIGHUP");
	is_int(run_command_status_of(
		       SHELL("ulimit -t 20; trap 'exit 9' INT; kill -INT $PPID; while :; do :; done")),
	       9, "SIGINT that was not typed");
}

static void inherited(void)
{
	char **command = SHELL("kill -PIPE $$; exit 5");

	is_int(run_command_status_of(command), 128 + SIGPIPE, "SIGPIPE as it was: default");
	signal(SIGPIPE, SIG_IGN);
	is_int(run_command_status_of(command), 5, "SIGPIPE as it was: ignored");
	signal(SIGPIPE, SIG_DFL);
	signal(SIGTERM, SIG_IGN);
	is_int(run_command_status_of(SHELL("kill -TERM $PPID; kill -TERM $$; exit 6")), 6,
	       "a signal that is ignored stays so");
	signal(SIGTERM, SIG_DFL);
}

int main(void)
{
	/* the children have a timer of their own */
	alarm(120);
	/* the caller of the tests may ignore them */
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	run_command_statuses();
	at_any_time();
	every_one();
	inherited();
	return tap_done();
}
