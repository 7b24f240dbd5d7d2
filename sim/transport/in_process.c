/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A simulated fabric inside the process. Its clock is virtual or real. A wait advances the virtual clock to
 * the next event and takes no time, and the same spec and the same calls give the same bytes. The real clock
 * runs with that of the machine from the moment when the port is opened. Both count from the start of the
 * simulation.
 *
 * A caller may wait on the descriptor and never call wait(). With the virtual clock, the descriptor is always
 * readable, but time must pass nevertheless: it does so for a caller that checks for messages repeatedly and
 * finds none.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include "sim/control.h"
#include "sim/serve/serve.h"
#include "sim/simulation.h"
#include "sim/transport/info.h"
#include "sim/transport/spec.h"
#include "sim/transport/transports.h"
#include "topology/find.h"
#include "transport/clock.h"
#include "transport/refusal.h"
#include "util/random.h"
#include "util/time.h"

enum {
	HOP_NS = 500,
	ANSWER_NS = 10000,
	LOOKS = 16, /* fruitless checks before virtual time passes */
};

#define LOOK_NS        NS_PER_MS        /* ... and how much passes at most */
#define PAUSE_NS       (10 * NS_PER_S)  /* virtual time between checks for a signal */
#define UP_LATEST      (600 * NS_PER_S) /* virtual time within which the subnet must be up */
#define SETTLED_NS     (500 * NS_PER_MS)
#define SETTLED_LATEST (10 * NS_PER_S)
#define EPOCH          UINT64_C(1767225600) /* 2026-01-01T00:00:00Z */

struct sim {
	struct transport base;
	struct topology *topology;
	struct simulation *simulation;
	struct host_file *file;
	uint32_t node;
	unsigned int port;
	bool real, up;
	bool stopped; /* the limit has ended the last wait */
	struct madkit_limit limit;
	uint64_t now;    /* of the virtual clock */
	uint64_t origin; /* of the real clock: the machine's time at which the simulation's was 0 */
	uint64_t seed;
	int fd; /* an eventfd, or a timerfd that expires at armed */
	uint64_t armed;
	unsigned int looks; /* fruitless checks since the last wait */
	char device[sizeof(((struct madkit_port_info *)0)->device)];
};

static struct sim *sim_of(struct transport *transport)
{
	return (struct sim *)transport;
}

/* ---- time ------------------------------------------------------------------------- */

static uint64_t in_process_now(struct sim *sim)
{
	return sim->real ? clock_now(&sim->base) - sim->origin : sim->now;
}

static void in_process_catch_up(struct sim *sim)
{
	simulation_process(sim->simulation, in_process_now(sim));
}

static bool in_process_readable(const struct sim *sim)
{
	struct host_message message;

	return host_next(sim->file, &message);
}

/* Sets the timer to the next event, so that the descriptor becomes readable then. */
static void in_process_arm(struct sim *sim)
{
	uint64_t due = in_process_readable(sim) ? 0 : simulation_deadline(sim->simulation), at;
	struct itimerspec when = { .it_value = { 0, 0 } };

	if (!sim->real || due == sim->armed)
		return;
	sim->armed = due;
	if (due != UINT64_MAX) {
		at = sim->origin + due;
		when.it_value.tv_sec = (time_t)(at / NS_PER_S);
		when.it_value.tv_nsec = (long)(at % NS_PER_S);
	}
	timerfd_settime(sim->fd, TFD_TIMER_ABSTIME, &when, NULL);
}

/* Advances the virtual clock until there is a message, but not beyond until. */
static void sim_advance(struct sim *sim, uint64_t until)
{
	while (!in_process_readable(sim)) {
		uint64_t due = simulation_deadline(sim->simulation);

		if (due > until) {
			sim->now = until;
			return;
		}
		if (due > sim->now)
			sim->now = due;
		in_process_catch_up(sim);
	}
}

/* Checks if there is a message now. */
static bool sim_look(struct sim *sim)
{
	in_process_catch_up(sim);
	if (!in_process_readable(sim) && !sim->real && sim->looks++ >= LOOKS)
		sim_advance(sim, sim->now + LOOK_NS);
	if (in_process_readable(sim))
		sim->looks = 0;
	return in_process_readable(sim);
}

static bool limit_has_stopped(const struct madkit_limit *limit)
{
	return limit->stopped && limit->stopped(limit->context);
}

/* Checks if the limit ends this wait. Each stop ends one wait: if the caller waits again nevertheless, time
 * passes. */
static bool sim_is_stopped(struct sim *sim)
{
	bool was = sim->stopped;

	sim->stopped = limit_has_stopped(&sim->limit);
	return sim->stopped && !was;
}

/* Virtual time may pass without end before a message arrives, for example if the subnet manager sweeps
 * periodically. A signal ends such a wait: through the limit, or because it interrupts a pause, which is made
 * every 10 s of virtual time. */
static int wait_virtual(struct sim *sim, int timeout_ms)
{
	uint64_t until = timeout_ms < 0 ? UINT64_MAX : sim->now + (uint64_t)timeout_ms * NS_PER_MS;
	uint64_t pause = sim->now + PAUSE_NS;

	for (;;) {
		uint64_t due;

		in_process_catch_up(sim);
		if (in_process_readable(sim))
			return 1;
		if (sim_is_stopped(sim))
			return -EINTR;
		due = simulation_deadline(sim->simulation);
		if (due == UINT64_MAX && until == UINT64_MAX) {
			/* no message will ever arrive */
			poll(NULL, 0, -1);
			return -EINTR;
		}
		if (due > until) {
			sim->now = until;
			return 0;
		}
		if (due > sim->now)
			sim->now = due;
		if (sim->now < pause)
			continue;
		if (poll(NULL, 0, 1) < 0)
			return -EINTR;
		pause = sim->now + PAUSE_NS;
	}
}

static int wait_real(struct sim *sim, int timeout_ms)
{
	uint64_t now = in_process_now(sim);
	uint64_t until = timeout_ms < 0 ? UINT64_MAX : now + (uint64_t)timeout_ms * NS_PER_MS;

	for (;;) {
		struct pollfd fd = { .fd = sim->fd, .events = POLLIN };

		in_process_catch_up(sim);
		now = in_process_now(sim);
		if (in_process_readable(sim))
			return 1;
		if (now >= until)
			return 0;
		in_process_arm(sim);
		if (poll(&fd, 1, timeout_ms < 0 ? -1 : ms_until(now, until)) < 0)
			return errno == EINTR ? -EINTR : -EIO;
	}
}

static int sim_transport_wait(struct transport *transport, int timeout_ms)
{
	struct sim *sim = sim_of(transport);

	if (!timeout_ms)
		return sim_look(sim);
	sim->looks = 0;
	return sim->real ? wait_real(sim, timeout_ms) : wait_virtual(sim, timeout_ms);
}

static int sim_transport_fd(struct transport *transport)
{
	in_process_arm(sim_of(transport));
	return sim_of(transport)->fd;
}

static uint64_t transport_now(struct transport *transport)
{
	return in_process_now(sim_of(transport));
}

static void transport_realtime(struct transport *transport, struct timespec *ts)
{
	const struct sim *sim = sim_of(transport);

	if (sim->real) {
		clock_realtime(transport, ts);
		return;
	}
	ts->tv_sec = (time_t)(EPOCH + sim->now / NS_PER_S);
	ts->tv_nsec = (long)(sim->now % NS_PER_S);
}

static uint32_t transport_seed(struct transport *transport)
{
	/* the simulation itself uses random sequences that begin with the seed */
	struct random_state random = { .state = ~sim_of(transport)->seed };

	return (uint32_t)random_next(&random);
}

/* ---- opening ------------------------------------------------------------------------ */

static void sim_transport_close(struct transport *transport)
{
	struct sim *sim = sim_of(transport);

	host_close(sim->file);
	simulation_free(sim->simulation);
	topology_free(sim->topology);
	if (sim->fd >= 0)
		close(sim->fd);
	free(sim);
}

static void sim_on_event(void *context, const struct sim_event *event)
{
	struct sim *sim = context;

	sim->up |= event->kind == EVENT_SUBNET_UP;
}

/* Advances virtual time until the subnet is up. */
static int sim_bring_up(struct sim *sim, struct madkit_error *error)
{
	while (!sim->up) {
		uint64_t due = simulation_deadline(sim->simulation);

		if (limit_has_stopped(&sim->limit))
			return madkit_error_set(error, -EINTR, -1, "stopped");
		if (due > UP_LATEST)
			return madkit_error_set(error, -EIO, -1, "the simulated subnet did not come up");
		sim->now = due > sim->now ? due : sim->now;
		simulation_process(sim->simulation, sim->now);
	}
	return 0;
}

/* Appends a reference to the manual page of faults and control words. Returns -EINVAL, or -ENOMEM. */
static int name_page(int ret, struct madkit_error *error)
{
	static const char page[] = " (see madsim-control(7))";
	size_t len = error ? strlen(error->text) : 0;

	if (ret == -ENOMEM)
		return ret;
	if (error && len + sizeof(page) <= sizeof(error->text))
		memcpy(error->text + len, page, sizeof(page));
	return -EINVAL;
}

static int in_process_add_faults(struct sim *sim, const struct sim_spec *spec, struct madkit_error *error)
{
	struct fault_rule rule;
	uint32_t id;
	int ret = 0;

	for (unsigned int i = 0; !ret && i < spec->nfaults; i++) {
		ret = fault_parse(sim->topology, spec->faults[i], &rule, error);
		if (ret)
			return name_page(ret, error);
		ret = fault_add(sim->simulation->faults, &rule, &id);
		if (ret)
			ret = madkit_error_set(error, ret, -1, "fault '%.80s': %s", spec->faults[i],
					       strerror(-ret));
	}
	return ret;
}

/* Waits in virtual time until the subnet manager has processed the effects of the previous words: until
 * nothing is due for a while. A flapping link always has something due, so the wait is limited. */
static int sim_settle(struct sim *sim, uint64_t training_ns, struct madkit_error *error)
{
	uint64_t quiet = SETTLED_NS + training_ns, until = sim->now + SETTLED_LATEST + training_ns, due;

	while ((due = simulation_deadline(sim->simulation)) < sim->now + quiet && due < until) {
		if (limit_has_stopped(&sim->limit))
			return madkit_error_set(error, -EINTR, -1, "stopped");
		sim->now = due > sim->now ? due : sim->now;
		simulation_process(sim->simulation, sim->now);
	}
	return 0;
}

/* Executes the control words. Their output is discarded. */
static int in_process_do_controls(struct sim *sim, const struct sim_spec *spec, struct madkit_error *error)
{
	bool was_member = false;
	struct madkit_buf text;
	int ret = 0;

	madkit_buf_init(&text, 0);
	for (unsigned int i = 0; !ret && i < spec->ncontrols; i++) {
		struct control_words words;
		bool member, traffic;

		ret = control_split(spec->controls[i], &words, error);
		if (ret) {
			ret = name_page(ret, error);
			break;
		}
		member = words.n && (!strcmp(words.at[0], "join") || !strcmp(words.at[0], "leave"));
		traffic = words.n && !strcmp(words.at[0], "traffic");
		/* these need active links, and a multicast tree must be programmed before anything else
		 * changes */
		if (i && (traffic || member != was_member))
			ret = sim_settle(sim, spec->training_ns, error);
		if (ret)
			break;
		ret = control_do(sim->simulation, &words, &text, error);
		if (ret)
			ret = name_page(ret, error);
		was_member = member;
	}
	if (!ret && was_member)
		ret = sim_settle(sim, spec->training_ns, error);
	madkit_buf_free(&text);
	return ret;
}

static bool sim_is_node(const char *text, const void *context)
{
	unsigned int port;
	uint32_t node;

	return !find_end(context, text, &node, &port, NULL);
}

static int open_simulation(struct sim *sim, const struct sim_spec *spec, struct madkit_error *error)
{
	struct simulation_options options = {
		.seed = spec->seed,
		.hop_ns = HOP_NS,
		.answer_ns = ANSWER_NS,
		.training_ns = spec->training_ns,
		.vl15 = spec->vl15,
		.tick_ns = spec->real ? HOST_TICK_NS : 0,
		.sm = !spec->no_sm,
		.sm_node = TOPOLOGY_NONE,
		/* no sweeps by default in virtual time: it would run from one sweep to the next */
		.sweep_ns = spec->have_sweep || !spec->real ? spec->sweep_ns : SM_SWEEP_S * NS_PER_S,
		.event = sim_on_event,
		.context = sim,
	};
	int ret = find_end(sim->topology, spec->node, &sim->node, &sim->port, error);

	if (ret && spec->node && sim_spec_unknown_option(spec->node, sim_is_node, sim->topology, error))
		return -EINVAL;
	if (ret && !spec->node)
		madkit_error_set(error, ret, -1, "%s", "the topology has no CA: try sim:TOPOLOGY@NODE");
	if (!ret && spec->sm)
		ret = find_end(sim->topology, spec->sm, &options.sm_node, &options.sm_port, error);
	/* an unknown node is reported as a device that does not exist */
	if (ret)
		return ret == -ENOMEM ? ret : -ENODEV;
	ret = simulation_new(sim->topology, &options, &sim->simulation);
	if (ret)
		return madkit_error_set(error, ret, -1,
					ret == -ENOMEM ? "out of memory" : "%s: try ,sm=NODE or ,sm=none",
					spec->sm ? "no subnet manager can run there" :
						   "the topology has no CA");
	if (options.sm)
		ret = sim_bring_up(sim, error);
	if (!ret)
		ret = in_process_add_faults(sim, spec, error);
	if (!ret)
		ret = in_process_do_controls(sim, spec, error);
	return ret;
}

static int sim_open_file(struct sim *sim, struct madkit_error *error)
{
	int ret = host_open(sim->simulation->hosts, sim->node, sim->port, NULL, NULL, &sim->file);

	if (ret)
		return madkit_error_set(error, ret == -ENOMEM ? ret : -ENODEV, -1, "cannot open the port: %s",
					strerror(-ret));
	if (sim->real) {
		sim->origin = clock_now(&sim->base) - sim->now;
		sim->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	} else {
		sim->fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
	}
	return sim->fd >= 0 ? 0 : madkit_error_set(error, -EIO, -1, "no descriptor: %s", strerror(errno));
}

static int sim_transport_open(const char *text, const struct madkit_limit *limit,
			      struct transport **transport, struct madkit_error *error)
{
	struct sim *sim = calloc(1, sizeof(*sim));
	struct sim_spec spec;
	int ret;

	if (!sim)
		return madkit_error_set(error, -ENOMEM, -1, "out of memory");
	sim->base.ops = &transport_sim;
	sim->fd = -1;
	sim->armed = UINT64_MAX;
	if (limit)
		sim->limit = *limit;
	snprintf(sim->device, sizeof(sim->device), "%s", text);
	ret = sim_spec_parse(text, &spec, error);
	if (!ret) {
		sim->seed = spec.seed;
		sim->real = spec.real;
		ret = sim_topology(spec.topology, limit, &sim->topology, error);
		if (!ret)
			ret = open_simulation(sim, &spec, error);
		if (!ret)
			ret = sim_open_file(sim, error);
		sim_spec_free(&spec);
	}
	if (ret)
		sim_transport_close(&sim->base);
	else
		*transport = &sim->base;
	return ret;
}

static int sim_transport_info(struct transport *transport, struct madkit_port_info *info)
{
	struct sim *sim = sim_of(transport);
	struct proto_info from;

	in_process_catch_up(sim);
	if (sim_sysfs_info(sim->simulation->fabric, sim->node, sim->port, &from))
		return -ENODEV;
	sim_info(&from, sim->device, info);
	/* not the name from sysfs, which is the same for all CAs: there is no sysfs here */
	snprintf(info->ca, sizeof(info->ca), "%.63s", sim->topology->nodes[sim->node].name);
	return 0;
}

/* ---- registration ------------------------------------------------------------------- */

/* Returns 0 with *id, or a positive errno. */
static int sim_register(struct host_file *file, const struct madkit_agent_attr *attr, uint32_t *id)
{
	const struct host_agent agent = sim_agent(attr);

	return -host_register(file, &agent, id);
}

/* Tries a registration on a separate file, because this one may have no room. Returns 0 or a positive
 * errno. */
static int sim_try_attach(void *context, const struct madkit_agent_attr *attr)
{
	const struct sim *sim = context;
	struct host_file *file;
	uint32_t id;
	int ret = -host_open(sim->simulation->hosts, sim->node, sim->port, NULL, NULL, &file);

	if (ret)
		return ret;
	ret = sim_register(file, attr, &id);
	host_close(file);
	return ret;
}

static int sim_transport_attach(struct transport *transport, const struct madkit_agent_attr *attr,
				uint32_t *id, struct madkit_refusal *refusal)
{
	struct sim *sim = sim_of(transport);
	int code;

	if (refusal_before(attr, refusal))
		return refusal->error.code;
	code = sim_register(sim->file, attr, id);
	if (!code)
		return 0;
	refusal->supported_known = true;
	refusal->supported_flags = HOST_FLAGS;
	return refusal_explain(attr, code, sim->device, sim_try_attach, sim, refusal);
}

static int sim_transport_detach(struct transport *transport, uint32_t id)
{
	return host_unregister(sim_of(transport)->file, id);
}

/* ---- MADs --------------------------------------------------------------------------- */

static int sim_transport_send(struct transport *transport, uint32_t id, const struct madkit_addr *to,
			      uint8_t *mad, size_t len, uint32_t timeout_ms, uint32_t retries)
{
	struct sim *sim = sim_of(transport);
	int ret;

	if (to->lid > 0xffff)
		return -EINVAL;
	in_process_catch_up(sim);
	ret = host_send(sim->file, &(struct host_out){ id, to, mad, len, timeout_ms, retries },
			in_process_now(sim));
	in_process_arm(sim);
	return ret;
}

static int sim_transport_receive(struct transport *transport, uint32_t *id, struct madkit_addr *from,
				 uint8_t *buf, size_t size, size_t *len, int *status)
{
	struct sim *sim = sim_of(transport);
	struct host_message message;

	if (!sim_look(sim)) {
		in_process_arm(sim);
		return -EAGAIN;
	}
	host_next(sim->file, &message);
	*len = message.len;
	if (message.len > size)
		return -ENOSPC;
	memcpy(buf, message.mad, message.len);
	*id = message.id;
	*from = message.from;
	*status = message.status;
	host_pop(sim->file);
	in_process_arm(sim);
	return 0;
}

/* Returns the first GID, or an entry of the P_Key table, in which entry 0 is the default partition, as subnet
 * managers program it. */
static int sim_transport_entry(const struct madkit_port_info *info, const char *table, unsigned int index,
			       const struct madkit_limit *limit, char *text, size_t size)
{
	bool pkeys = !strcmp(table, "pkeys");

	(void)limit;
	if (index && (!pkeys || info->link_layer == MADKIT_LINK_ETHERNET || index >= FABRIC_PKEYS))
		return -ENOENT;
	if (pkeys)
		return snprintf(text, size, index ? "0x0000" : "0xffff") < (int)size ? 0 : -ENOENT;
	return sim_info_gid(info, text, size);
}

const struct transport_ops transport_sim = {
	.name = "sim",
	.fixed_qkey = true,
	.rmpp = true,
	.open = sim_transport_open,
	.entry = sim_transport_entry,
	.close = sim_transport_close,
	.info = sim_transport_info,
	.attach = sim_transport_attach,
	.detach = sim_transport_detach,
	.send = sim_transport_send,
	.receive = sim_transport_receive,
	.wait = sim_transport_wait,
	.fd = sim_transport_fd,
	.now = transport_now,
	.realtime = transport_realtime,
	.seed = transport_seed,
};
