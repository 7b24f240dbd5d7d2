/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages, signals and child processes of a command. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include "cli.h"
#include "progress.h"
#include "util/array_size.h"
#include "wait.h"

/* The program's name in messages. A command, unlike the library, may have global state. */
static const char *program = "madkit";
static bool quiet_given; /* -q */
static bool journal;     /* messages begin with their priority */
static char last_message[256];

int exit_worst(int a, int b)
{
	static const int order[] = { EXIT_LOCAL, EXIT_MALFORMED, EXIT_TIMEOUT, EXIT_STATUS, EXIT_NOTHING };

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return a > b ? a : b;
}

/* ---- messages ------------------------------------------------------------------ */

/* Shortens a message that is too long by cutting its middle: its beginning names a word, and its end explains
 * the error in the word. */
__attribute__((format(printf, 3, 0))) static void cli_say_shortened(char *text, size_t size,
								    const char *format, va_list args)
{
	char *whole;
	size_t half = size / 2 - 4;

	if (vasprintf(&whole, format, args) < 0)
		return;
	snprintf(text, size, "%.*s ... %s", (int)half, whole, whole + strlen(whole) - half);
	free(whole);
}

/* Space reserved after a message for a reason or a hint. */
#define TAIL_BYTES 160

/* Priorities of syslog(3). */
enum { CLI_ERROR = 3, CLI_NOTICE = 5 };

/* Keeps a message. A hint belongs to the message before it, which is kept. */
static void cli_keep_message(const char *text)
{
	if (strncmp(text, "hint: ", strlen("hint: ")) != 0)
		snprintf(last_message, sizeof(last_message), "%.250s", text);
}

__attribute__((format(printf, 3, 0))) static void cli_vsay(int priority, const char *tail, const char *format,
							   va_list args)
{
	char text[1120];
	size_t n = (size_t)snprintf(text, sizeof(text), "%s: ", program), room;
	struct madkit_buf line;
	va_list again;

	room = sizeof(text) - n - TAIL_BYTES;
	va_copy(again, args);
	if (vsnprintf(text + n, room, format, args) >= (int)room)
		cli_say_shortened(text + n, room, format, again);
	va_end(again);
	n = strlen(text);
	n += (size_t)snprintf(text + n, sizeof(text) - n, "%s", tail);
	cli_keep_message(text + strlen(program) + 2);
	/* names come from the fabric and from users: escape them for the terminal */
	madkit_buf_init(&line, 0);
	if (journal)
		madkit_buf_printf(&line, "<%d>", priority);
	madkit_text_escape(&line, text, n);
	madkit_buf_char(&line, '\n');
	if (line.error) {
		for (char *p = text; *p; p++)
			if ((signed char)*p < 0x20 || *p == 0x7f)
				*p = '?';
		text[n++] = '\n';
	}
	progress_clear();
	(void)!wait_write(STDERR_FILENO, line.error ? text : line.data, line.error ? n : line.len);
	madkit_buf_free(&line);
}

void cli_say(const char *format, ...)
{
	char text[sizeof(last_message)];
	va_list args;

	va_start(args, format);
	if (quiet_given) {
		vsnprintf(text, sizeof(text), format, args);
		cli_keep_message(text);
	} else {
		cli_vsay(CLI_NOTICE, "", format, args);
	}
	va_end(args);
}

const char *cli_last_message(void)
{
	return last_message;
}

void cli_set_journal(void)
{
	journal = true;
}

void cli_set_quiet(void)
{
	quiet_given = true;
}

int cli_insist(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	cli_vsay(CLI_ERROR, "", format, args);
	va_end(args);
	return EXIT_LOCAL;
}

__attribute__((format(printf, 2, 0))) static void cli_vusage_error(const char *page, const char *format,
								   va_list args)
{
	char tail[64];

	snprintf(tail, sizeof(tail), " (see %s)", page);
	cli_vsay(CLI_ERROR, tail, format, args);
}

int cli_usage_error(const char *format, ...)
{
	va_list args;
	char page[32];

	snprintf(page, sizeof(page), "%s(1)", program);
	va_start(args, format);
	cli_vusage_error(page, format, args);
	va_end(args);
	return EXIT_USAGE;
}

int cli_usage_error_in(const char *page, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	cli_vusage_error(page, format, args);
	va_end(args);
	return EXIT_USAGE;
}

int cli_status_of(int error)
{
	switch (error) {
	case 0:
		return EXIT_DONE;
	case -ETIMEDOUT:
		return EXIT_TIMEOUT;
	case -EPROTO:
		return EXIT_MALFORMED;
	case -EINTR:
		return cli_stopped() ? cli_stopped_status() : EXIT_LOCAL;
	default:
		return EXIT_LOCAL;
	}
}

int cli_failed(int error, const char *format, ...)
{
	char tail[TAIL_BYTES];
	va_list args;

	if (error == -EINTR && cli_stopped())
		return cli_stopped_status();
	snprintf(tail, sizeof(tail), ": %s",
		 error == -ETIMEDOUT ? "the deadline has passed" : strerror(-error));
	va_start(args, format);
	cli_vsay(CLI_ERROR, tail, format, args);
	va_end(args);
	return cli_status_of(error);
}

int cli_no_memory(void)
{
	return cli_insist("out of memory");
}

/* ---- signals ------------------------------------------------------------------- */

int cli_stopped(void)
{
	return wait_signal();
}

int cli_stopped_status(void)
{
	return EXIT_SIGNAL + wait_signal();
}

static const int stop_signals[] = { SIGINT, SIGTERM, SIGHUP };
static struct sigaction inherited_pipe, inherited_size;

/* Fills set with the stop signals that this program does not ignore. */
static void cli_stop_set(sigset_t *set)
{
	sigemptyset(set);
	for (size_t i = 0; i < 3; i++) {
		struct sigaction now;

		if (!sigaction(stop_signals[i], NULL, &now) && now.sa_handler != SIG_IGN)
			sigaddset(set, stop_signals[i]);
	}
}

/* Restores the inherited signal actions. */
static void cli_signals_default(void)
{
	for (size_t i = 0; i < 3; i++) {
		struct sigaction old;

		if (!sigaction(stop_signals[i], NULL, &old) && old.sa_handler != SIG_IGN)
			signal(stop_signals[i], SIG_DFL);
	}
	sigaction(SIGPIPE, &inherited_pipe, NULL);
	sigaction(SIGXFSZ, &inherited_size, NULL);
}

void cli_clean_up(void)
{
	wait_clean_up();
}

/* Opens /dev/null for each closed descriptor from 0 to 2, so that none of them becomes the device's. Reading
 * from such a standard input and writing to such a standard output still fail. */
static void cli_descriptors_set_up(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null", fd == 1 ? O_RDONLY : O_WRONLY);
}

static void cli_signals_set_up(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	wait_set_up();
	/* report a failed write instead of being killed by a signal */
	sigaction(SIGPIPE, &ignore, &inherited_pipe);
	sigaction(SIGXFSZ, &ignore, &inherited_size);
}

void cli_begin(const char *name)
{
	program = name;
	cli_descriptors_set_up();
	cli_signals_set_up();
}

/* ---- small things --------------------------------------------------------------- */

int cli_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void cli_put_hex(struct madkit_buf *buf, const void *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *data = bytes;

	for (size_t i = 0; i < len; i++) {
		madkit_buf_char(buf, digits[data[i] >> 4]);
		madkit_buf_char(buf, digits[data[i] & 15]);
	}
}

/* ---- children -------------------------------------------------------------------- */

enum { CLI_TERM_S = 1, CLI_KILL_S = 6 };

/* An empty handler, with which a SIGCHLD becomes pending for sigwaitinfo() even if the inherited action
 * ignores it. */
static void cli_on_child(int sig)
{
	(void)sig;
}

/* Checks if the process that a child depends on (0: none) has ended. Does not reap it. */
static bool cli_has_ended(pid_t server)
{
	siginfo_t info = { .si_pid = 0 };

	return server && !waitid(P_PID, (id_t)server, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid;
}

/* Ends a child whose server ended some seconds ago. The delay is for a child that stopped the server itself
 * and is about to end. */
static void cli_end(pid_t child, unsigned int seconds)
{
	if (seconds == CLI_TERM_S)
		kill(child, SIGTERM);
	else if (seconds == CLI_KILL_S && !kill(child, SIGKILL))
		cli_say("the command did not end after SIGTERM and is killed");
}

static int cli_reap(pid_t child, pid_t server, const sigset_t *signals)
{
	const struct timespec second = { .tv_sec = 1 };
	unsigned int seconds = 0; /* since the server ended */
	int status;

	for (;;) {
		pid_t pid = waitpid(child, &status, WNOHANG);
		siginfo_t info;
		int sig;

		if (pid == child)
			return WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
		if (pid < 0 && errno != EINTR)
			return EXIT_CANNOT_RUN;
		sig = cli_has_ended(server) ? sigtimedwait(signals, &info, &second) :
					      sigwaitinfo(signals, &info);
		if (sig < 0 && errno == EAGAIN)
			cli_end(child, ++seconds);
		/* a SIGINT typed at the terminal has also been sent to the child */
		if (sig > 0 && sig != SIGCHLD && !(sig == SIGINT && info.si_code == SI_KERNEL))
			kill(child, sig);
	}
}

int cli_run_served(char **command, int input, pid_t server)
{
	struct sigaction old, child_action = { .sa_handler = cli_on_child };
	sigset_t signals, mask;
	int status;
	pid_t child = -1;

	/* from here on, signals stay pending until they are waited for: none is lost */
	cli_stop_set(&signals);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, &mask);
	sigaction(SIGCHLD, &child_action, &old);
	if (!cli_stopped())
		child = fork();
	if (!child) {
		sigaction(SIGCHLD, &old, NULL);
		cli_signals_default();
		sigprocmask(SIG_SETMASK, &mask, NULL);
		wait_restore();
		if (input >= 0)
			dup2(input, STDIN_FILENO);
		execvp(command[0], command);
		status = errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
		cli_insist("cannot run '%s': %s", command[0], strerror(errno));
		_exit(status);
	}
	if (cli_stopped()) {
		status = cli_stopped_status();
	} else if (child < 0) {
		cli_insist("cannot start '%s': %s", command[0], strerror(errno));
		status = EXIT_CANNOT_RUN;
	} else {
		status = cli_reap(child, server, &signals);
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGCHLD, &old, NULL);
	return status;
}

int cli_run(char **command, int input)
{
	return cli_run_served(command, input, 0);
}

/* ---- asking ---------------------------------------------------------------------- */

/* Reads a line of at most size bytes from the terminal without echo. No signal ends or stops the program
 * while the echo is off. Returns the number of bytes; 0 or less: no input. */
static ssize_t read_quietly(int fd, const char *prompt, char *text, size_t size)
{
	struct pollfd wait_for = { .fd = fd, .events = POLLIN };
	sigset_t signals, mask, waiting;
	struct termios old, quiet;
	bool echoed = false;
	ssize_t n = -1;

	/* before the signals are blocked, because a stopped terminal blocks the write */
	if (tcgetattr(fd, &old) || wait_write(fd, prompt, strlen(prompt)))
		return -1;
	cli_stop_set(&signals);
	sigaddset(&signals, SIGTSTP);
	sigaddset(&signals, SIGQUIT);
	sigprocmask(SIG_BLOCK, &signals, &mask);
	waiting = mask;
	sigaddset(&waiting, SIGTSTP);
	sigaddset(&waiting, SIGQUIT);
	quiet = old;
	quiet.c_lflag &= ~(tcflag_t)ECHO;
	/* TCSANOW, because TCSAFLUSH waits for a terminal whose output is stopped */
	if (!wait_error() && !tcsetattr(fd, TCSANOW, &quiet)) {
		tcflush(fd, TCIFLUSH);
		if (ppoll(&wait_for, 1, NULL, &waiting) > 0)
			n = wait_read(fd, text, size);
		/* discard the rest of a longer line: a shell must not read it */
		tcsetattr(fd, TCSANOW, &old);
		tcflush(fd, TCIFLUSH);
		echoed = true;
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (echoed)
		(void)!wait_write(fd, "\n", 1);
	return n;
}

int cli_prompt_key(const char *what, uint64_t *key, struct madkit_error *error)
{
	char text[64], prompt[40];
	ssize_t n;
	int fd = wait_open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY, 0);
	int ret;

	if (fd == -EINTR || fd == -ETIMEDOUT)
		return madkit_error_set(error, fd, -1, "no %s was typed", what);
	if (fd < 0)
		return madkit_error_set(error, -EINVAL, -1,
					"%s is not a number and there is no terminal to ask for it on", what);
	snprintf(prompt, sizeof(prompt), "%s: ", what);
	n = read_quietly(fd, prompt, text, sizeof(text));
	close(fd);
	if (n <= 0)
		return madkit_error_set(error, wait_error() ? wait_error() : -EINVAL, -1, "no %s was typed",
					what);
	while (n && (text[n - 1] == '\n' || text[n - 1] == '\r'))
		n--;
	/* do not repeat the typed text in a message */
	ret = madkit_parse_number(text, (size_t)n, UINT64_MAX, what, key, NULL);
	if (ret)
		madkit_error_set(error, ret, -1, "the typed %s is not a number", what);
	explicit_bzero(text, sizeof(text));
	return ret;
}
