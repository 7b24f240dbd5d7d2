/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* madsim: simulates a fabric without hardware. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <config.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/command.h"
#include "cli/options.h"
#include "cli/input.h"
#include "madsim_client.h"
#include "madsim_serve.h"
#include "topology/generate.h"
#include "transport/transport.h"
#include "cli/wait.h"

static const char *const synopsis[] = {
	"TOPOLOGY [options] -- COMMAND ...",
	"TOPOLOGY --socket PATH [options] [-- COMMAND ...]",
	"--control PATH link NODE PORT down|up|best|flap=MS",
	"--control PATH link NODE PORT [width=W] [speed=S] [mtu=N]",
	"--control PATH link NODE PORT [supported=W,S] [enabled=W,S] [shows=W,S]",
	"--control PATH node NODE gone|back",
	"--control PATH node NODE [firmware=VERSION] [psid=STRING]",
	"--control PATH agent NODE mute|slow=MS|normal [smi|gsi]",
	"--control PATH info NODE PORT FIELD=VALUE ...",
	"--control PATH join|leave NODE PORT [MGID]",
	"--control PATH fault ACTION [WORD=VALUE ...]",
	"--control PATH fault list | fault clear [RULE]",
	"--control PATH counter NODE PORT NAME=VALUE",
	"--control PATH errors NODE PORT NAME=RATE",
	"--control PATH traffic NODE PORT gbps=N [packets=BYTES] [sl=N]",
	"--control PATH cable NODE PORT none|KEY=VALUE ...",
	"--control PATH module NODE PORT KEY=VALUE ...",
	"--control PATH temperature NODE [PORT] DEGREES",
	"--control PATH ber NODE PORT [raw=N] [effective=N] [symbol=N]",
	"--control PATH fec NODE PORT FEC",
	"--control PATH reason NODE PORT LOCAL [REMOTE]",
	"--control PATH register NODE refuse=STATUS [ID]|noecho|wrong=WHAT|off|normal",
	"--control PATH vkey NODE KEY [STATUS]",
	"--control PATH stats | quit",
	"--control PATH sysfs NODE",
	"--generate fat-tree:LEAVES,HOSTS,SPINES[+aggregation][+planes]",
	NULL,
};

static const char help[] =
	"\nSimulates the fabric of TOPOLOGY (a file in the format of ibnetdiscover or ibsim, -\n"
	"for standard input, or fat-tree:LEAVES,HOSTS,SPINES), and runs COMMAND on one of its\n"
	"nodes; or serves it to any number of processes (--device sim:unix:PATH@NODE); or\n"
	"controls a served fabric; or prints a topology.\n";

static const char statuses[] =
	"Exit status: that of COMMAND. Without one: 0 done, 1 local failure, 2 usage,\n"
	"3 not up or no response in time, 5 error in the topology.\n";

/* ---- a topology ------------------------------------------------------------------------ */

static int madsim_read_all(const char *path, struct input *in)
{
	int fd = !strcmp(path, "-") ? STDIN_FILENO : wait_open(path, O_RDONLY | O_CLOEXEC, 0), ret;

	if (fd < 0)
		return cli_failed(fd, "cannot read '%s'", path);
	input_init(in, fd);
	while ((ret = input_read(in)) > 0 && !(ret = wait_over())) {
		if (input_have(in) > TOPOLOGY_BYTES_MAX) {
			cli_say("%s: more than %d bytes", path, TOPOLOGY_BYTES_MAX);
			return EXIT_MALFORMED;
		}
	}
	return ret ? cli_failed(ret, "cannot read '%s'", path) : EXIT_DONE;
}

static int madsim_make_topology(const char *rule, struct topology **t)
{
	struct madkit_error error = { .text = "" };
	int ret = topology_generate(rule, t, &error);

	if (ret == -ENOMEM)
		return cli_no_memory();
	return ret ? cli_usage_error("%s", error.text) : EXIT_DONE;
}

static int read_topology(const char *path, struct topology **t)
{
	struct madkit_error error = { .text = "" };
	struct input in = { .fd = -1 };
	int status = madsim_read_all(path, &in), ret;

	if (!status) {
		ret = topology_read((const char *)input_bytes(&in), input_have(&in), t, &error);
		if (ret)
			cli_say("%s: %s", path, ret == -ENOMEM ? "out of memory" : error.text);
		status = !ret ? EXIT_DONE : ret == -ENOMEM ? EXIT_LOCAL : EXIT_MALFORMED;
	}
	input_close(&in);
	return status;
}

static int madsim_generate(const char *rule, struct output *out)
{
	struct topology *t = NULL;
	int status = madsim_make_topology(rule, &t);

	if (!status)
		topology_write(t, &out->buf);
	topology_free(t);
	return status;
}

/* ---- the command line ---------------------------------------------------------------------- */

static int check_served(const struct madsim_options *o, const struct cli_words *w)
{
	if (!w->nwords)
		return cli_usage_error("TOPOLOGY is missing");
	if (w->nwords > 1)
		return cli_usage_error("'%s' is an unexpected word: write -- before COMMAND", w->words[1]);
	if (w->command_missing)
		return cli_usage_error("COMMAND is missing after --");
	if (!w->command && !o->socket_path)
		return cli_usage_error("-- COMMAND or --socket is missing");
	if (o->node && !w->command)
		return cli_usage_error("--node needs -- COMMAND");
	if (o->sm_node && o->no_sm)
		return cli_usage_error("--sm and --no-sm contradict each other");
	if (o->have_sweep && o->no_sm)
		return cli_usage_error("--sweep and --no-sm contradict each other");
	if (o->events && !strcmp(o->events, "-") && w->command)
		return cli_usage_error("--events -: standard output belongs to COMMAND; use a file");
	return EXIT_DONE;
}

static const char *madsim_command(const struct cli_options *o, const struct cli_words *w)
{
	return w->nwords > 1 && !cli_given(o, "control") && !cli_given(o, "generate") ? w->words[1] : NULL;
}

static int madsim_check(const struct cli_options *o, const struct cli_words *w)
{
	const struct madsim_options *own = madsim_options(o);

	if (o->mode == MODE_SERVE)
		return check_served(own, w);
	if (w->command || w->command_missing)
		return cli_usage_error("-- COMMAND needs TOPOLOGY");
	if (own->generate && w->nwords)
		return cli_usage_error("'%s' is an unexpected word", w->words[0]);
	if (own->control && !w->nwords)
		return cli_usage_error_in(
			"madsim-control(7)",
			"--control needs a command: link, node, agent, info, join, leave, fault, counter, errors, traffic, stats, sysfs or quit");
	return EXIT_DONE;
}

/* Checks the version of libmadkit-sim.so, because the loader may have found the library of another
 * installation. Uses dlsym(), because the linker would copy the variable into madsim with the size that it
 * has in this version. */
static int madsim_check_library(void)
{
	const struct transport_library *library = dlsym(RTLD_DEFAULT, "madkit_transport_library");

	if (library && library->abi == TRANSPORT_ABI && library->version &&
	    !strcmp(library->version, PACKAGE_VERSION))
		return EXIT_DONE;
	cli_say("version %s needs libmadkit-sim.so of the same version: this one is another version",
		PACKAGE_VERSION);
	return EXIT_LOCAL;
}

static int madsim_run(const struct cli_options *o, struct cli_words *w, struct output *out)
{
	const struct madsim_options *own = madsim_options(o);
	struct topology *t = NULL;
	int status = madsim_check_library();

	if (status)
		return status;
	if (own->generate)
		return madsim_generate(own->generate, out);
	if (own->control)
		return client_control(own->control, w, out);
	status = topology_is_rule(w->words[0]) ? madsim_make_topology(w->words[0], &t) :
						 read_topology(w->words[0], &t);
	if (!status)
		status = serve(own, t, w->command);
	topology_free(t);
	return status;
}

const struct command program = {
	.usage = {
		.program = "madsim",
		.synopsis = synopsis,
		.text = help,
		.options = &program_options,
		.statuses = statuses,
		.command = madsim_command,
		.check = madsim_check,
	},
	.run = madsim_run,
};
