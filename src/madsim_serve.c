/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A command runs beside a child that serves: its signals, its end and its status are then
 * those of any command that one of ours runs. The child ends when this process does, however
 * that ends, because a pipe between them is closed then.
 */
#define _GNU_SOURCE	/* pipe2() */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "madsim_control.h"
#include "madsim_events.h"
#include "madsim_serve.h"
#include "madsim_server.h"
#include "sim/find.h"

#define SHIM "libmadsim_umad.so"

struct serving {
	const struct cli_options *o;
	const struct topology *t;
	struct simulation *s;
	struct server *server;
	struct events events;
	char host[HOST_NAME_MAX + 1];
	char path[108], device[128];
	char dir[108];		/* made for the socket; empty: none */
	bool ready;
	int tell;		/* a byte goes there when it is ready; -1 */
	int life;		/* ends when this does; -1 */
};

/* ---- making it ------------------------------------------------------------------------- */

static int find(const struct topology *t, const char *option, const char *words, uint32_t *node,
		unsigned int *port)
{
	struct madkit_error error = { .text = "" };

	if (!find_end(t, words, node, port, &error))
		return EXIT_DONE;
	return cli_usage_error("%s: %s", option, error.text);
}

static int make_simulation(struct serving *v)
{
	struct simulation_options options = {
		.seed = v->o->have_seed ? v->o->seed : 1,
		.hop_ns = (uint64_t)v->o->latency_us * 1000,
		.sm = !cli_flag(v->o, OPT_NO_SM), .sm_node = TOPOLOGY_NONE,
		.event = events_on, .context = &v->events,
	};
	unsigned int port;
	int status = EXIT_DONE, ret;

	if (v->o->sm_node)
		status = find(v->t, "--sm", v->o->sm_node, &options.sm_node, &port);
	if (status)
		return status;
	ret = simulation_new(v->t, &options, &v->s);
	if (ret == -EINVAL)
		return cli_usage_error("--sm: '%s' cannot have a subnet manager",
				       v->o->sm_node ? v->o->sm_node : "the last CA");
	if (ret)
		cli_say("cannot simulate it: %s", strerror(-ret));
	return ret ? EXIT_LOCAL : EXIT_DONE;
}

/* A socket in a directory of its own, for who did not name one. */
static int make_path(struct serving *v)
{
	const char *tmp = secure_getenv("TMPDIR");

	if (v->o->socket_path) {
		if (strlen(v->o->socket_path) >= sizeof(v->path))
			return cli_usage_error("--socket '%.40s...': the path of a socket has 107 bytes at most",
					       v->o->socket_path);
		strcpy(v->path, v->o->socket_path);
		return EXIT_DONE;
	}
	/* it has to fit a socket's name, with what stands behind it */
	if (!tmp || tmp[0] != '/' || strlen(tmp) > 60)
		tmp = "/tmp";
	snprintf(v->dir, sizeof(v->dir), "%s/madsim-XXXXXX", tmp);
	if (!mkdtemp(v->dir)) {
		cli_say("cannot make a directory in %s: %s", tmp, strerror(errno));
		v->dir[0] = '\0';
		return EXIT_LOCAL;
	}
	snprintf(v->path, sizeof(v->path), "%.90s/socket", v->dir);
	return EXIT_DONE;
}

static int open_all(struct serving *v)
{
	struct madkit_error error = { .text = "" };
	int status = events_open(&v->events, v->t, v->o->events);

	v->events.device = v->device;
	v->events.host = gethostname(v->host, sizeof(v->host) - 1) ? NULL : v->host;
	if (!status)
		status = make_path(v);
	snprintf(v->device, sizeof(v->device), "sim:unix:%s", v->path);
	/* which has events already */
	if (!status)
		status = make_simulation(v);
	if (status)
		return status;
	if (!server_listen(v->path, &v->server, &error))
		return EXIT_DONE;
	cli_say("%s", error.text);
	return EXIT_LOCAL;
}

static void close_all(struct serving *v)
{
	server_close(v->server);
	simulation_free(v->s);
	events_close(&v->events);
	if (v->dir[0])
		rmdir(v->dir);
}

/* ---- serving ----------------------------------------------------------------------------- */

static int on_control(void *context, const char *words, size_t len, struct madkit_buf *text)
{
	struct serving *v = context;
	struct control control = { .s = v->s, .server = v->server, .events = &v->events };

	return control_do(&control, words, len, text);
}

/* Once the subnet is up, if there is somebody to bring it up. */
static int on_idle(void *context)
{
	struct serving *v = context;

	if (!v->ready && (!v->s->sm || v->events.up)) {
		v->ready = true;
		if (v->tell >= 0 && write(v->tell, "", 1) != 1)
			return EXIT_LOCAL;
		if (cli_flag(v->o, OPT_BANNER))
			cli_say("serving %s", v->device);
	}
	return events_flush(&v->events);
}

static int serve_all(struct serving *v)
{
	const struct server_options options = {
		.control = on_control, .idle = on_idle, .context = v, .life = v->life,
	};
	int ret = server_run(v->server, v->s, &options);
	int status = events_flush(&v->events);

	if (ret < 0) {
		cli_say("cannot go on: %s", strerror(-ret));
		return EXIT_LOCAL;
	}
	return ret ? ret : status ? status : cli_stopped() ? cli_stopped_status() : EXIT_DONE;
}

/* ---- a command --------------------------------------------------------------------------- */

/* The library that shows the fabric to programs of other people's: where it is installed,
 * or where it is built. */
static bool find_shim(char *path, size_t size)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (n > 0) {
		self[n] = '\0';
		slash = strrchr(self, '/');
		if (slash)
			*slash = '\0';
		if (slash && (size_t)snprintf(path, size, "%s/shim/.libs/" SHIM, self) < size &&
		    !access(path, R_OK))
			return true;
	}
	return (size_t)snprintf(path, size, "%s/" SHIM, MADKIT_PKGLIBDIR) < size &&
	       !access(path, R_OK);
}

static int set_preload(void)
{
	const char *others = getenv("LD_PRELOAD");
	char shim[PATH_MAX], all[2 * PATH_MAX];

	if (!find_shim(shim, sizeof(shim))) {
		cli_say("no " SHIM ": programs other than madkit's do not see the fabric");
		return 0;
	}
	if (others && *others) {
		/* what is there already, a sanitizer for one, may have to be first */
		if (snprintf(all, sizeof(all), "%s:%s", others, shim) >= (int)sizeof(all))
			return -ENAMETOOLONG;
		return setenv("LD_PRELOAD", all, 1) ? -errno : 0;
	}
	return setenv("LD_PRELOAD", shim, 1) ? -errno : 0;
}

static int set_environment(const struct serving *v)
{
	char words[80], device[256];
	unsigned int port;
	uint32_t node;
	int ret, status = find(v->t, "--node", v->o->node, &node, &port);

	if (status)
		return status;
	snprintf(words, sizeof(words), "%s:%u", v->t->nodes[node].name, port);
	snprintf(device, sizeof(device), "%s@%s", v->device, words);
	ret = setenv("MADKIT_DEVICE", device, 1) || setenv("MADSIM_SOCKET", v->path, 1) ||
	      setenv("MADSIM_NODE", words, 1) ? -errno : set_preload();
	if (ret)
		cli_say("cannot set the environment: %s", strerror(-ret));
	return ret ? EXIT_LOCAL : EXIT_DONE;
}

/* What is preloaded into a server would have it ask itself for its own directories. */
static void see_nothing(void)
{
	unsetenv("MADSIM_SOCKET");
}

/* In the child. */
static int serve_for(struct serving *v)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP };

	see_nothing();
	/* they are meant for the command */
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	return serve_all(v);
}

/* Until the child says that the fabric is there. */
static int wait_ready(int fd)
{
	char byte;
	ssize_t n;

	do
		n = read(fd, &byte, 1);
	while (n < 0 && errno == EINTR && !cli_stopped());
	if (cli_stopped())
		return cli_stopped_status();
	return n == 1 ? EXIT_DONE : EXIT_LOCAL;
}

static int run_command(struct serving *v, char **command)
{
	int ready[2], life[2], status, how;
	pid_t child;

	if (pipe2(ready, O_CLOEXEC) || pipe2(life, O_CLOEXEC)) {
		cli_say("cannot make a pipe: %s", strerror(errno));
		return EXIT_LOCAL;
	}
	child = fork();
	if (child < 0) {
		cli_say("cannot start a process: %s", strerror(errno));
		return EXIT_LOCAL;
	}
	if (!child) {
		close(ready[0]);
		close(life[1]);
		v->tell = ready[1];
		v->life = life[0];
		return serve_for(v);
	}
	close(ready[1]);
	close(life[0]);
	status = wait_ready(ready[0]);
	if (!status)
		status = cli_run(command);
	close(ready[0]);
	close(life[1]);
	while (waitpid(child, &how, 0) < 0 && errno == EINTR)
		;
	/* the child has removed all of it */
	server_leave(v->server);
	v->server = NULL;
	v->dir[0] = '\0';
	if (WIFSIGNALED(how))
		cli_say("the simulation ended by signal %d", WTERMSIG(how));
	return status;
}

int serve(const struct cli_options *o, const struct topology *t, char **command)
{
	struct serving v = { .o = o, .t = t, .tell = -1, .life = -1 };
	int status;

	see_nothing();
	status = open_all(&v);
	if (!status && command)
		status = set_environment(&v);
	if (!status)
		status = command ? run_command(&v, command) : serve_all(&v);
	close_all(&v);
	return status;
}
