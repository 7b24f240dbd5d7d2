/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * If there is a COMMAND, a child serves. This process runs COMMAND, so that signals, the end and the status
 * of COMMAND are handled as in the other commands (cli_run_served()). The child ends when this process ends,
 * for whatever reason, because that closes a pipe between them.
 */
#define _GNU_SOURCE /* dladdr(), pipe2() */
#include <config.h>
#include <dlfcn.h>
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
#include "sim/serve/serve.h"
#include "topology/find.h"
#include "util/array_size.h"
#include "cli/wait.h"

#define SHIM        "libmadsim_umad.so"
#define SOCKET_LINK "socket"

/* Interval for retrying to write events that were not accepted. */
enum { EVENTS_RETRY_MS = 20 };

/* The start fails after so many failed sweeps, or at once if the simulation runs out of memory. */
enum { SWEEPS_MAX = 3 };

struct serving {
	const struct madsim_options *o;
	const struct topology *t;
	struct simulation *s;
	struct server *server;
	struct events events;
	char host[HOST_NAME_MAX + 1];
	char path[108];  /* path at which the server listens */
	char reach[108]; /* absolute path for COMMAND, because programs change directories */
	char device[128];
	char dir[108];      /* directory created for the socket; empty: none */
	char link_dir[108]; /* directory created for symbolic links; empty: none */
	unsigned int hosts; /* DEVICES_ROCE ... */
	bool ready;
	bool memory_reported;
	int tell;     /* a byte is written to it when the fabric is ready; -1: none */
	int life;     /* the server ends when its other end is closed; -1: none */
	pid_t parent; /* in the child that serves: the process that runs COMMAND; otherwise 0 */
};

/* ---- making it ------------------------------------------------------------------------- */

static int serve_find(const struct topology *t, const char *option, const char *words, uint32_t *node,
		      unsigned int *port)
{
	struct madkit_error error = { .text = "" };

	if (!find_end(t, words, node, port, &error))
		return EXIT_DONE;
	if (!words)
		return cli_usage_error("%s: choose a node with %s NODE", error.text, option);
	return cli_usage_error("%s: %s", option, error.text);
}

/* Parses the words of --hosts, and checks the CAs of each host. */
static int check_hosts(struct serving *v)
{
	static const struct {
		const char *word;
		unsigned int flag;
	} words[] = { { "roce", DEVICES_ROCE }, { "planar", DEVICES_PLANAR }, { "single", DEVICES_SINGLE } };
	const char *word = v->o->hosts;
	struct madkit_error error = { .text = "" };
	int ret;

	for (size_t len; word; word = word[len] ? word + len + 1 : NULL) {
		size_t i = 0;

		len = strcspn(word, ",");
		while (i < ARRAY_SIZE(words) &&
		       (strlen(words[i].word) != len || strncmp(words[i].word, word, len)))
			i++;
		if (i == ARRAY_SIZE(words))
			return cli_usage_error("--hosts: '%.*s' is not one of roce, planar, single", (int)len,
					       word);
		v->hosts |= words[i].flag;
	}
	ret = devices_check(v->t, v->hosts, &error);
	if (!ret)
		return EXIT_DONE;
	if (ret == -ENOMEM)
		return cli_no_memory();
	cli_say("topology: %s; rename one, or make each CA a separate host with --hosts single", error.text);
	return EXIT_MALFORMED;
}

static int serve_make_simulation(struct serving *v)
{
	struct simulation_options options = {
		.seed = v->o->have_seed ? v->o->seed : 1,
		.hop_ns = (uint64_t)v->o->latency_us * 1000,
		.training_ns = (uint64_t)v->o->training_ms * 1000000,
		.tick_ns = HOST_TICK_NS,
		.sm = !v->o->no_sm,
		.sm_node = TOPOLOGY_NONE,
		.sweep_ns = (v->o->have_sweep ? v->o->sweep_s : SM_SWEEP_S) * UINT64_C(1000000000),
		/* the clock starts at 0, and the present may be days later: catching up takes too long if
		 * each sweep fails */
		.return_on_failure = true,
		.event = events_on,
		.context = &v->events,
	};
	struct madkit_error error = { .text = "" };
	int status = check_hosts(v), ret;

	if (v->o->vl15 && fabric_vl15_parse(v->o->vl15, &options.vl15, &error))
		return cli_usage_error("--vl15: %s", error.text);
	if (!status && v->o->sm_node)
		status = serve_find(v->t, "--sm", v->o->sm_node, &options.sm_node, &options.sm_port);
	if (status)
		return status;
	ret = simulation_new(v->t, &options, &v->s);
	if (ret == -EINVAL && !v->o->sm_node)
		return cli_usage_error(
			"the topology has no CA: choose the node of the subnet manager with --sm NODE, or use --no-sm");
	if (ret == -EINVAL)
		return cli_usage_error("--sm: '%s' cannot have a subnet manager", v->o->sm_node);
	if (ret)
		cli_say("cannot simulate it: %s", strerror(-ret));
	return ret ? EXIT_LOCAL : EXIT_DONE;
}

/* Returns the directory for temporary files. It is short enough for the path of a socket. */
static const char *serve_temporary(void)
{
	const char *tmp = secure_getenv("TMPDIR");

	return tmp && tmp[0] == '/' && strlen(tmp) <= 60 ? tmp : "/tmp";
}

/* Creates a private directory in tmp. */
static int serve_make_directory(const char *tmp, char dir[108])
{
	snprintf(dir, 108, "%s/madsim-XXXXXX", tmp);
	if (mkdtemp(dir))
		return EXIT_DONE;
	cli_say("cannot create a directory in %s: %s", tmp, strerror(errno));
	dir[0] = '\0';
	return EXIT_LOCAL;
}

/* Sets the path of the socket: that of --socket, or one in a private directory. */
static int serve_make_path(struct serving *v)
{
	int status;

	if (v->o->socket_path) {
		if (strlen(v->o->socket_path) >= sizeof(v->path))
			return cli_usage_error(
				"--socket '%.40s...': the path of a socket has 107 bytes at most",
				v->o->socket_path);
		strcpy(v->path, v->o->socket_path);
		return EXIT_DONE;
	}
	status = serve_make_directory(serve_temporary(), v->dir);
	if (!status)
		snprintf(v->path, sizeof(v->path), "%.90s/socket", v->dir);
	return status;
}

/* Checks that a path has no character at which LD_PRELOAD is split, or which it expands (ld.so(8)). */
static bool serve_can_preload(const char *path)
{
	return !strpbrk(path, " :$");
}

/* Creates a symbolic link in a private directory. Its path can be preloaded, and is short enough for a
 * socket. */
static int serve_make_link(struct serving *v, const char *name, const char *target, char *link, size_t size)
{
	const char *tmp = serve_can_preload(serve_temporary()) ? serve_temporary() : "/tmp";
	int status = v->link_dir[0] ? EXIT_DONE : serve_make_directory(tmp, v->link_dir);

	if (status)
		return status;
	snprintf(link, size, "%.80s/%s", v->link_dir, name);
	if (!symlink(target, link))
		return EXIT_DONE;
	cli_say("cannot create the symbolic link %s: %s", link, strerror(errno));
	return EXIT_LOCAL;
}

static int serve_make_reach(struct serving *v)
{
	char directory[PATH_MAX], whole[PATH_MAX + sizeof(v->path)];

	if (v->path[0] == '/') {
		strcpy(v->reach, v->path);
		return EXIT_DONE;
	}
	if (!getcwd(directory, sizeof(directory))) {
		cli_say("cannot make the path of the socket absolute: %s", strerror(errno));
		return EXIT_LOCAL;
	}
	snprintf(whole, sizeof(whole), "%s/%s", strcmp(directory, "/") ? directory : "", v->path);
	if (strlen(whole) >= sizeof(v->reach))
		return serve_make_link(v, SOCKET_LINK, whole, v->reach, sizeof(v->reach));
	strcpy(v->reach, whole);
	return EXIT_DONE;
}

static int open_all(struct serving *v, bool command)
{
	struct madkit_error error = { .text = "" };
	int status = events_open(&v->events, v->t, v->o->events);

	v->events.device = v->device;
	v->events.host = gethostname(v->host, sizeof(v->host) - 1) ? NULL : v->host;
	if (!status)
		status = serve_make_path(v);
	if (!status && command)
		status = serve_make_reach(v);
	snprintf(v->device, sizeof(v->device), "sim:unix:%s", command ? v->reach : v->path);
	/* this reports the first events */
	if (!status)
		status = serve_make_simulation(v);
	if (status)
		return status;
	if (server_listen(v->path, &v->server, &error)) {
		cli_say("%s", error.text);
		return EXIT_LOCAL;
	}
	/* not earlier: if the start fails because another madsim serves, its events must be kept */
	return events_begin(&v->events);
}

/* Removes a link of serve_make_link(), if it exists. */
static void serve_remove_link(const struct serving *v, const char *name)
{
	char link[sizeof(v->link_dir) + sizeof(SHIM)];

	snprintf(link, sizeof(link), "%s/%s", v->link_dir, name);
	unlink(link);
}

static void serve_remove_directories(struct serving *v)
{
	if (v->dir[0])
		rmdir(v->dir);
	/* while COMMAND may run, the programs that it starts use the links */
	if (!v->link_dir[0] || (v->parent && v->parent == getppid()))
		return;
	serve_remove_link(v, SHIM);
	serve_remove_link(v, SOCKET_LINK);
	rmdir(v->link_dir);
}

static void serve_close(struct serving *v)
{
	server_close(v->server);
	simulation_free(v->s);
	events_close(&v->events);
	serve_remove_directories(v);
}

/* ---- serving ----------------------------------------------------------------------------- */

static int serve_on_control(void *context, const char *words, size_t len, struct madkit_buf *text)
{
	struct serving *v = context;
	struct control control = { .s = v->s, .server = v->server, .events = &v->events };

	return control_run(&control, words, len, text);
}

/* Reports to the parent process that the fabric is ready. */
static int report_ready(int fd)
{
	int ret = wait_write(fd, "", 1);

	if (!ret)
		return EXIT_DONE;
	/* the parent has ended its wait, and has reported the reason */
	if (ret != -EPIPE)
		cli_say("cannot report that the fabric is served: %s", strerror(-ret));
	return EXIT_LOCAL;
}

/*
 * Before the subnet is up, failed sweeps fail the start. Later, lack of memory is reported once, and the
 * subnet manager sweeps again. Other failures are not reported: a node that --control powered off may cause
 * them.
 */
static int serve_check_sweeps(struct serving *v)
{
	const int failure = v->events.failure;

	v->events.failure = 0;
	if (!v->ready && (failure == -ENOMEM || (failure && v->events.failed_sweeps >= SWEEPS_MAX))) {
		cli_say("the simulated subnet did not come up: %s", strerror(-failure));
		return EXIT_LOCAL;
	}
	if (v->ready && failure == -ENOMEM && !v->memory_reported) {
		v->memory_reported = true;
		cli_say("the simulation ran out of memory: the subnet may be incomplete");
	}
	return EXIT_DONE;
}

/* Reports that the fabric is ready when the subnet is up, or at once without a subnet manager. */
static int serve_idle(void *context)
{
	struct serving *v = context;
	int status = serve_check_sweeps(v);

	if (status)
		return status;
	if (!v->ready && (!v->s->sm || v->events.up)) {
		v->ready = true;
		if (v->tell >= 0 && report_ready(v->tell))
			return EXIT_LOCAL;
		if (v->o->shared.output.banner)
			cli_say("serving %s", v->device);
	}
	status = events_flush(&v->events);
	if (events_pending(&v->events))
		server_idle_again(v->server, EVENTS_RETRY_MS);
	return status;
}

static void serve_report_deadline(bool was_up)
{
	cli_say(was_up ? "the deadline has passed: no longer serving" :
			 "the fabric did not come up before the deadline");
}

static int serve_all(struct serving *v)
{
	const struct server_options options = {
		.control = serve_on_control,
		.idle = serve_idle,
		.context = v,
		.hosts = v->hosts,
		.life = v->life,
		.events = v->events.fd,
	};
	int ret = server_run(v->server, v->s, &options);
	int status = events_finish(&v->events);

	if (ret < 0) {
		cli_say("cannot continue: %s", strerror(-ret));
		return EXIT_LOCAL;
	}
	if (!ret && !status && wait_error() == -ETIMEDOUT)
		serve_report_deadline(v->ready);
	return ret           ? ret :
	       cli_stopped() ? cli_stopped_status() :
	       status        ? status :
	       wait_error()  ? cli_status_of(wait_error()) :
			       EXIT_DONE;
}

/* ---- a command --------------------------------------------------------------------------- */

/*
 * Finds the directory of the preloaded library, which makes the fabric visible to third-party programs. It is
 * the directory from which the loader took libmadkit-sim.so for this process: libdir/madkit, or in a build
 * directory that of LD_LIBRARY_PATH. A user who can write there already controls what this process runs.
 */
static void serve_find_libraries(char dir[PATH_MAX])
{
	const void *symbol = dlsym(RTLD_DEFAULT, "madkit_transport_library");
	char path[PATH_MAX], *slash;
	Dl_info info;

	strcpy(dir, MADKIT_PKGLIBDIR);
	if (!symbol || !dladdr(symbol, &info) || !info.dli_fname || strlen(info.dli_fname) >= sizeof(path))
		return;
	slash = strrchr(strcpy(path, info.dli_fname), '/');
	if (!slash)
		return;
	slash[1] = '\0';
	if (!realpath(path, dir))
		strcpy(dir, MADKIT_PKGLIBDIR);
}

static int set_preload(struct serving *v)
{
	const char *others = getenv("LD_PRELOAD");
	char dir[PATH_MAX], library[PATH_MAX + sizeof(SHIM)], shim[sizeof(library)], all[2 * PATH_MAX];
	int status = EXIT_DONE;

	serve_find_libraries(dir);
	snprintf(library, sizeof(library), "%s/" SHIM, dir);
	if (access(library, R_OK)) {
		cli_say("no " SHIM " in %s: third-party programs do not see the fabric", dir);
		return EXIT_DONE;
	}
	if (serve_can_preload(library))
		strcpy(shim, library);
	else
		status = serve_make_link(v, SHIM, library, shim, sizeof(shim));
	if (status)
		return status;
	/* a library that is already preloaded, such as a sanitizer, may have to be first */
	if (snprintf(all, sizeof(all), "%s%s%s", others ? others : "", others && *others ? ":" : "", shim) >=
	    (int)sizeof(all)) {
		cli_say("LD_PRELOAD is too long");
		return EXIT_LOCAL;
	}
	if (!setenv("LD_PRELOAD", all, 1))
		return EXIT_DONE;
	cli_say("cannot set the environment: %s", strerror(errno));
	return EXIT_LOCAL;
}

static int set_environment(struct serving *v)
{
	char words[80], device[256];
	unsigned int port;
	uint32_t node;
	int status = serve_find(v->t, "--node", v->o->node, &node, &port);

	if (status)
		return status;
	snprintf(words, sizeof(words), "%s:%u", v->t->nodes[node].name, port);
	snprintf(device, sizeof(device), "%s@%s", v->device, words);
	if (!setenv("MADKIT_DEVICE", device, 1) && !setenv("MADSIM_SOCKET", v->reach, 1) &&
	    !setenv("MADSIM_NODE", words, 1))
		return set_preload(v);
	cli_say("cannot set the environment: %s", strerror(errno));
	return EXIT_LOCAL;
}

/* Hides the socket from a library that is preloaded into the server: it would make the server query itself
 * for its own directories. */
static void serve_ignore(void)
{
	unsetenv("MADSIM_SOCKET");
}

/* Serves in the child. */
static int serve_for(struct serving *v)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP };

	serve_ignore();
	/* the parent reports the deadline; it may have passed before fork() */
	wait_set_deadline(-1);
	/* these signals are meant for COMMAND */
	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	return serve_all(v);
}

/* Waits until the child reports that the fabric is ready. */
static int wait_ready(int fd)
{
	char byte;
	ssize_t n = wait_read(fd, &byte, 1);

	/* wait_read() returns an available byte even after the deadline */
	if (n == 1 && wait_error() == -ETIMEDOUT)
		n = -ETIMEDOUT;
	if (n == -ETIMEDOUT)
		serve_report_deadline(false);
	else if (n < 0 && !cli_stopped())
		cli_say("cannot wait for the fabric: %s", strerror((int)-n));
	/* if the child ended without writing a byte, it has reported the reason */
	return n == 1 ? EXIT_DONE : n < 0 ? cli_status_of((int)n) : EXIT_LOCAL;
}

/* Waits until the child ends, and kills it if it does not, for example because it is stopped. */
static void end_child(pid_t child, int *how)
{
	enum { END_MS = 5000, END_STOPPED_MS = 500 };

	if (wait_child(child, how, cli_stopped() ? END_STOPPED_MS : END_MS))
		return;
	cli_say("the simulation did not end and is killed");
	kill(child, SIGKILL);
	wait_child(child, how, END_MS);
}

static int serve_run_command(struct serving *v, char **command)
{
	int ready[2], life[2], status, how = 0;
	pid_t child;

	if (pipe2(ready, O_CLOEXEC) || pipe2(life, O_CLOEXEC)) {
		cli_say("cannot create a pipe: %s", strerror(errno));
		return EXIT_LOCAL;
	}
	v->parent = getpid();
	child = fork();
	if (child)
		v->parent = 0;
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
	server_stop_listening(v->server);
	close(ready[1]);
	close(life[0]);
	status = wait_ready(ready[0]);
	if (!status) {
		/* the deadline applied only to the start of the fabric */
		wait_set_deadline(-1);
		status = cli_run_served(command, -1, child);
	}
	close(ready[0]);
	close(life[1]);
	end_child(child, &how);
	if (WIFSIGNALED(how)) {
		cli_say("the simulation ended by signal %d", WTERMSIG(how));
		server_clean_up(v->server);
	} else {
		/* the child has removed the socket, and another server may use its path by now */
		server_leave(v->server);
	}
	v->server = NULL;
	return status;
}

int serve(const struct madsim_options *o, const struct topology *t, char **command)
{
	struct serving v = { .o = o, .t = t, .tell = -1, .life = -1 };
	int status;

	serve_ignore();
	status = open_all(&v, command != NULL);
	if (!status && command)
		status = set_environment(&v);
	if (!status)
		status = command ? serve_run_command(&v, command) : serve_all(&v);
	serve_close(&v);
	return status;
}
