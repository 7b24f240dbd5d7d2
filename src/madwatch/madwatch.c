/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* madwatch: reports what changes in subnets, as it happens. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <madkit/compare.h>
#include "cli/command.h"
#include "cli/options.h"
#include "cli/privileges.h"
#include "cli/service.h"
#include "cli/wait.h"
#include "subnet/gaps.h"
#include "util/array_size.h"
#include "keep.h"
#include "watch.h"

static const char *const synopsis[] = { "[options]", NULL };

static const char help[] =
	"\nReads a subnet by directed routes, subscribes to traps, and prints a line for each\n"
	"change: links that go down, come up or slow down, nodes and cables that are new or\n"
	"elsewhere, and changes of the subnet manager. It changes nothing.\n";

static const char statuses[] =
	"Exit status: 1 local failure, 2 usage, 3 the first sweep got no response, 5 malformed\n"
	"--state file, 0 at the deadline, 128 + N after signal N.\n";

enum {
	WATCH_PORT_MS = 1000,   /* between checks of the local port */
	WATCH_TIMEOUT_MS = 250, /* of a try, unless -t sets another one: a change is reported within 3 s */
	WATCH_SHARE_MS = 20,    /* one of several subnets waits so long, then the next one */
	WATCH_BEGIN_MS = 5000,  /* between tries to begin, unless --every is less */
	WATCH_KEEP_MS = 5000,   /* between writes of the file of --state */
	WATCH_KEEP_AGAIN_MS = 60000, /* after one that failed */
	WATCH_RATES_MS = 600000,     /* until widths and speeds are read again */
};

/* ---- begin ------------------------------------------------------------------------------- */

static void watch_say_no_traps(const struct watch *w)
{
	cli_say("%s: no traps: it looks for changes every %" PRIu32 " s", w->net.x.info->device,
		w->options->every_ms ? w->options->every_ms / 1000 : 30);
}

/* Registers for Reports. Without them, the subnet is only polled. */
static void watch_register(struct watch *w)
{
	struct madkit_agent_attr attr = {
		.mgmt_class = MADKIT_CLASS_SA,
		.send_handler = notice_sent,
		.recv_handler = notice_receive,
		.context = w,
	};
	struct exchange *x = &w->net.x;
	int status;

	rmpp_choice_put(rmpp_choice(x->options, MADKIT_CLASS_SA), &attr);
	madkit_method_mask_set(attr.method_mask, MADKIT_METHOD_REPORT);
	status = exchange_register(x, &attr);
	if (status) {
		exchange_why(x, status);
		watch_say_no_traps(w);
	}
}

static void watch_subscribe(struct watch *w)
{
	struct exchange *x = &w->net.x;

	w->subscription = (struct subscription){ .x = x, .patient = true };
	notice_subscribe(&w->subscription);
	w->subscribed = true;
	if (!x->info->sm_lid)
		cli_say("%s: there is no subnet manager to subscribe to traps at", x->info->device);
	/* without a manager, it is tried again */
	if (!x->info->sm_lid || subscription_begin(&w->subscription))
		watch_say_no_traps(w);
}

/* Checks that the file of --state is one of this subnet. */
static int watch_check_kept(const struct watch *w)
{
	bool any = false;

	for (uint32_t i = 0; i < w->view.nnodes; i++)
		any |= w->view.nodes[i]->seen && !w->view.nodes[i]->fresh;
	if (any)
		return EXIT_DONE;
	cli_insist("--state '%.80s': none of its nodes is in the subnet of %s", w->options->state,
		   w->net.x.info->device);
	return EXIT_MALFORMED;
}

/* Writes the file of --state after the first sweep, and if something was reported. now: UINT64_MAX: at the end. */
static int watch_keep(struct watch *w, uint64_t now)
{
	int status;

	if (!w->options->state || !w->begun || (w->log.told == w->kept && now != UINT64_MAX) ||
	    now < w->keep_ns)
		return EXIT_DONE;
	w->kept = w->log.told;
	w->keep_ns = now == UINT64_MAX ? now : now + WATCH_KEEP_MS * NS_PER_MS;
	status = keep_write(w, w->options->state);
	if (status && w->keeps && now != UINT64_MAX) {
		/* a full disk does not end the watching */
		w->kept = UINT64_MAX;
		w->keep_ns = now + WATCH_KEEP_AGAIN_MS * NS_PER_MS;
		return EXIT_DONE;
	}
	w->keeps |= !status;
	return status;
}

/* Takes what the sweep has found. */
static int watch_take_sweep(struct watch *w)
{
	struct take take = { .view = &w->view,
			     .changes = &w->changes,
			     .now = madkit_port_now(w->net.x.port),
			     .by = VIEW_BY_RESTART,
			     .begins = !w->found };
	struct madkit_sweep_counts counts;
	int status;

	if (madkit_sweep_label(w->net.sweep, NULL))
		return cli_no_memory();
	madkit_sweep_count(w->net.sweep, &counts);
	if (counts.silent)
		cli_say("%s: %" PRIu32 " %s: nodes behind are not watched until then", w->net.x.info->device,
			counts.silent, counts.silent == 1 ? "node does not respond" : "nodes do not respond");
	status = take_sweep(&take, w->net.sweep, w->net.x.info);
	if (!w->found)
		changes_accept(&w->changes);
	else if (!status)
		status = watch_check_kept(w);
	/* the file stays as it is */
	if (status)
		return status;
	if (!w->net.x.options->timing.rate)
		madkit_port_set_mad_rate(w->net.x.port, LOOK_RATE);
	w->begun = true;
	/* the file is written at once */
	w->kept = UINT64_MAX;
	look_counters(&w->look);
	w->rates_ns = take.now + WATCH_RATES_MS * NS_PER_MS;
	/* changes during the sweep may have had no trap */
	w->round_ns = 0;
	return status;
}

static void watch_say_ready(const struct watch *w)
{
	if (w->begun && w->net.x.options->output.banner)
		cli_insist("watching the subnet of %s: %" PRIu32 " nodes", w->net.x.info->device,
			   w->view.nnodes);
}

/* Sweeps the subnet. again: an earlier try has failed and was reported. Returns EXIT_DONE, also if it is to be tried again, or an
 * exit status after a report. */
static int watch_sweep(struct watch *w, bool again)
{
	const uint32_t blind = MADKIT_SWEEP_NO_LINK | MADKIT_SWEEP_UNFINISHED | MADKIT_SWEEP_NO_START |
			       MADKIT_SWEEP_BAD_START;
	struct gaps gaps = { .port = w->net.x.info };
	int status = subnet_begin(&w->net, 0);

	if (!status)
		status = subnet_run(&w->net);
	if (status)
		return exchange_report(&w->net.x, NULL, status);
	w->cut_off = w->net.counts.missing & MADKIT_SWEEP_NO_LINK;
	gaps.missing = w->cut_off ? MADKIT_SWEEP_NO_LINK : w->net.counts.missing;
	if (gaps.missing && !(again && gaps.missing & blind))
		status = gaps_tell_missing(w->net.sweep, &gaps);
	if (w->cut_off && !again)
		cli_say("%s: waiting until the port has a link", w->net.x.info->device);
	if (!(gaps.missing & blind))
		status = watch_take_sweep(w);
	madkit_sweep_free(w->net.sweep);
	w->net.sweep = NULL;
	return w->cut_off ? EXIT_DONE : status;
}

static int watch_begin(struct watch *w)
{
	struct exchange *x = &w->net.x;
	int status;

	changes_init(&w->changes, &w->view);
	status = view_init(&w->view);
	if (!status)
		status = look_init(&w->look, &w->net, &w->view, &w->changes);
	if (status)
		return exchange_report(x, NULL, status);
	if (w->options->state)
		status = keep_read(w, w->options->state, &w->found);
	if (status)
		return status;
	w->look.master = master_take;
	w->look.context = w;
	watch_register(w);
	if (x->agent)
		watch_subscribe(w);
	return watch_sweep(w, false);
}

/* ---- run --------------------------------------------------------------------------------- */

/* Tries again to begin, if the port has a link now. */
static int watch_begin_again(struct watch *w, uint64_t now)
{
	const uint32_t every = w->options->every_ms;
	const uint32_t ms = every && every < WATCH_BEGIN_MS ? every : WATCH_BEGIN_MS;
	int status;

	w->port_ns = now + ms * NS_PER_MS;
	if (watch_is_cut_off(w->net.x.info))
		return EXIT_DONE;
	status = watch_sweep(w, true);
	if (!status)
		watch_say_ready(w);
	return status;
}

/* Notes that the link of the local port is gone. */
static void watch_lose_link(struct watch *w, uint64_t now)
{
	struct view_link *l = view_link_of(&w->view, w->view.here);

	look_stop(&w->look);
	w->master.asked = false;
	if (l)
		l->trained = false;
	if (l && l->up) {
		l->up = false;
		change_note(&w->changes, l, VIEW_BY_SWEEP, now);
	}
}

/* Notes that the local port has lost its link, or has it again. */
static int watch_check_port(struct watch *w, uint64_t now)
{
	bool cut_off;

	if (now < w->port_ns)
		return EXIT_DONE;
	w->port_ns = now + WATCH_PORT_MS * NS_PER_MS;
	if (madkit_port_refresh(w->net.x.port))
		return EXIT_DONE;
	if (!w->begun)
		return watch_begin_again(w, now);
	cut_off = watch_is_cut_off(w->net.x.info);
	if (cut_off == w->cut_off)
		return EXIT_DONE;
	w->cut_off = cut_off;
	w->view.dirty = true;
	if (cut_off)
		watch_lose_link(w, now);
	else
		/* then all switches are in reach again, and are read */
		look_add(&w->look, LOOK_LINK, w->view.here, LOOK_SOON, VIEW_BY_SWEEP);
	return EXIT_DONE;
}

/* Sends and reports as far as it is time to. Returns EXIT_DONE or an exit status after a report. */
static int watch_turn(struct watch *w)
{
	struct exchange *x = &w->net.x;
	uint64_t now, due;
	int ret, status;

	if (w->subscribed && !w->cut_off)
		subscription_tend(&w->subscription);
	now = madkit_port_now(x->port);
	status = watch_check_port(w, now);
	if (status || !w->begun)
		return status;
	master_tend(w, now);
	round_tend(w, now);
	ret = look_step(&w->look);
	if (ret && ret != -EINTR)
		return exchange_why(x, exchange_port_failed(x, ret));
	/* an event without a link is due at 0 */
	due = changes_due(&w->changes);
	if (due && due <= now && now - due < CHANGE_LATE_MS * NS_PER_MS && look_is_urgent(&w->look))
		return EXIT_DONE;
	status = log_changes(&w->log, &w->changes);
	return status ? status : watch_keep(w, now);
}

/* Waits until a MAD arrives or something is due. Returns EXIT_DONE or an exit status after a report. */
static int watch_wait(struct watch *w, uint32_t most_ms)
{
	struct exchange *x = &w->net.x;
	const uint64_t now = madkit_port_now(x->port);
	uint64_t until = now + most_ms * NS_PER_MS;
	const uint64_t dues[] = { changes_due(&w->changes), look_due(&w->look), round_due(w),
				  x->time.deadline_ns };
	int ret, ms;

	for (size_t i = 0; i < ARRAY_SIZE(dues); i++)
		if (dues[i] < until)
			until = dues[i];
	if (look_is_busy(&w->look)) {
		ret = look_wait(&w->look, until);
	} else {
		ms = exchange_slice_ms(x, until);
		ret = madkit_port_wait(x->port, ms);
		if (ret > 0)
			ret = madkit_port_process(x->port);
	}
	if (ret >= 0 || ret == -EINTR)
		return EXIT_DONE;
	return exchange_why(x, exchange_port_failed(x, ret));
}

/* Runs until the deadline, a signal, or a failure. Returns an exit status. */
static int watch_run(struct watch *watches, size_t n, struct output *out)
{
	const uint64_t watchdog_ns = service_watchdog_ns() / 2;
	uint64_t alive_ns = wait_now();
	int status = EXIT_DONE;
	bool over = false;

	while (!status && !over && !cli_stopped() && !output_over(out)) {
		if (watchdog_ns && wait_now() - alive_ns >= watchdog_ns) {
			alive_ns = wait_now();
			service_notify("WATCHDOG=1");
		}
		for (size_t i = 0; !status && i < n; i++) {
			status = watch_turn(&watches[i]);
			over |= madkit_port_now(watches[i].net.x.port) >= watches[i].net.x.time.deadline_ns;
		}
		output_flush(out);
		for (size_t i = 0; !status && !over && !out->status && i < n; i++)
			status = watch_wait(&watches[i], n > 1 ? WATCH_SHARE_MS : CLI_SLICE_MS);
	}
	return status;
}

/* ---- the command ------------------------------------------------------------------------- */

static void watch_free(struct watch *w)
{
	if (w->subscribed)
		subscription_end(&w->subscription);
	log_free(&w->log);
	look_free(&w->look);
	changes_free(&w->changes);
	view_free(&w->view);
	subnet_close(&w->net);
}

static int watch_open(struct watch *w, struct subnet_common *common, const struct rails *list, size_t i,
		      struct output *out, const struct cli_options *o)
{
	int status;

	w->options = madwatch_options(o);
	w->net.common = common;
	status = subnet_open(&w->net, list, i, out, o, MADKIT_CLASS_SUBN_DR);
	if (status)
		return status;
	w->net.begins_ns = madkit_port_now(w->net.x.port);
	w->log = (struct log){ .x = &w->net.x, .view = &w->view, .titled = list->n > 1 };
	log_begin(&w->log, &(w - i)->day);
	if (i + 1 == list->n)
		privileges_drop(o);
	return watch_begin(w);
}

/* Checks the names in the filter and in --fields, which may be those of problems or of differences. */
static int madwatch_check_names(const struct output *out)
{
	const struct madkit_attribute *attributes[] = { madkit_health_attribute(),
							madkit_difference_attribute() };
	bool known = false;

	for (size_t i = 0; i < 2; i++)
		known |= (!out->filter || !madkit_expr_check(out->filter, attributes[i], NULL)) &&
			 (!out->fields || !madkit_projection_check(out->fields, attributes[i], NULL));
	return known ? EXIT_DONE : output_check(out, attributes[0]);
}

static int madwatch_run_all(const struct cli_options *o, struct subnet_common *common, struct output *out)
{
	struct rails list = { .n = 0 };
	struct watch *watches = NULL;
	size_t n = 0;
	int status = rails_list(o, &list);

	if (!status && list.n > 1 && madwatch_options(o)->state)
		status = cli_usage_error("--state keeps one subnet: use one --device");
	if (!status)
		watches = calloc(list.n, sizeof(*watches));
	if (!status && !watches)
		status = cli_no_memory();
	/* a subscription lasts longer than this process */
	wait_stop_on_all();
	for (; !status && n < list.n && !cli_stopped(); n++)
		status = watch_open(&watches[n], common, &list, n, out, o);
	if (!status && !cli_stopped()) {
		for (size_t i = 0; i < n; i++)
			watch_say_ready(&watches[i]);
		service_notify("READY=1");
		status = watch_run(watches, n, out);
	}
	if (cli_stopped())
		status = cli_stopped_status();
	cli_clean_up();
	service_notify("STOPPING=1");
	for (size_t i = 0; i < n; i++) {
		const int kept = watch_keep(&watches[i], UINT64_MAX);

		status = status ? status : kept;
		watch_free(&watches[i]);
	}
	free(watches);
	rails_free(&list);
	return status;
}

static int madwatch_run(const struct cli_options *given, struct cli_words *words, struct output *out)
{
	struct subnet_common common = { .names = NULL };
	struct madwatch_options own = *madwatch_options(given);
	const struct cli_options *o = &own.shared;
	int status;

	(void)words;
	if (!o->timing.have_timeout)
		own.shared.timing.timeout_ms = WATCH_TIMEOUT_MS;
	if (service_is_journal(STDERR_FILENO))
		cli_set_journal();
	out->sweeps = true;
	status = subnet_read_options(&common, &own.subnet);
	if (!status)
		status = subnet_read_keys(&common, o);
	if (!status)
		status = madwatch_check_names(out);
	if (!status)
		status = madwatch_run_all(o, &common, out);
	subnet_common_free(&common);
	return status;
}

static int madwatch_check(const struct cli_options *o, const struct cli_words *w)
{
	if (w->nwords)
		return cli_usage_error("'%s' is an unexpected word", w->words[0]);
	if (w->command || w->command_missing)
		return cli_usage_error("-- has no effect: madwatch runs no COMMAND");
	if (madwatch_options(o)->state && o->output.write_path &&
	    !strcmp(madwatch_options(o)->state, o->output.write_path))
		return cli_usage_error("--state '%.80s' is also the file of --write", o->output.write_path);
	if (o->output.format != FORMAT_TEXT && o->output.format != FORMAT_JSON)
		return cli_usage_error("events are lines of text or JSON");
	return EXIT_DONE;
}

const struct command program = {
	.usage = {
		.program = "madwatch",
		.synopsis = synopsis,
		.text = help,
		.statuses = statuses,
		.options = &program_options,
		.check = madwatch_check,
	},
	.run = madwatch_run,
};
