/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <syslog.h>
#include <unistd.h>
#include "madport.h"
#include "cli/terminal.h"
#include "util/array_size.h"

enum {
	CHANGE_INFO_BYTES = 64,
	CHANGE_LOOK_MS = 100,   /* between two readings while the link trains */
	CHANGE_WAIT_MS = 60000, /* how long it may train, unless --deadline says otherwise */
	CHANGE_MANAGER_MS = 10000,
	CHANGE_TRIES = 3,       /* to enable a port again at the end ... */
	CHANGE_RESCUE_MS = 130, /* and for each of their two requests */
};

/* PortPhysicalState */
enum { CHANGE_POLLING = 2, CHANGE_DISABLED = 3, CHANGE_LINK_UP = 5 };

/* In a set of speeds: MLNXExtendedPortInfo enables it, not PortInfo. */
enum { CHANGE_FDR10 = 1 << 3 };

/* In the modifier of PortInfo: the requester knows extended speeds. */
#define CHANGE_EXTENDED (UINT32_C(1) << 31)

/* The fields of PortInfo that a change sets. */
enum change_field {
	CHANGE_PHYS,
	CHANGE_WIDTH,
	CHANGE_SPEED,
	CHANGE_SPEED_EXT,
	CHANGE_SPEED_EXT2,
	CHANGE_FIELDS
};

static const struct {
	const char *name;
	uint64_t at, supported;     /* supported: the field with all valid bits; 0: none */
	uint64_t all, none;         /* codes for "as supported" and "disabled" */
	unsigned int first, length; /* its bits in a set of speeds */
} change_fields[CHANGE_FIELDS] = {
	[CHANGE_PHYS] = { "PhysLinkState", MADKIT_PORT_INFO_PHYS_LINK_STATE, 0, 0, 0, 0, 0 },
	[CHANGE_WIDTH] = { "LinkWidthEnabled", MADKIT_PORT_INFO_LINK_WIDTH_ENABLED,
			   MADKIT_PORT_INFO_LINK_WIDTH_SUPPORTED, 255, 0, 0, 8 },
	[CHANGE_SPEED] = { "LinkSpeedEnabled", MADKIT_PORT_INFO_LINK_SPEED_ENABLED,
			   MADKIT_PORT_INFO_LINK_SPEED_SUPPORTED, 15, 0, 0, 3 },
	[CHANGE_SPEED_EXT] = { "LinkSpeedExtEnabled", MADKIT_PORT_INFO_LINK_SPEED_EXT_ENABLED,
			       MADKIT_PORT_INFO_LINK_SPEED_EXT_SUPPORTED, 31, 30, 4, 4 },
	[CHANGE_SPEED_EXT2] = { "LinkSpeedExtEnabled2", MADKIT_PORT_INFO_LINK_SPEED_EXT_ENABLED2,
				MADKIT_PORT_INFO_LINK_SPEED_EXT_SUPPORTED2, 7, 6, 8, 1 },
};

struct change {
	struct madport *m;
	struct madkit_sweep_rates rates; /* of the port */
	uint32_t wanted;                 /* set of widths or speeds */
	bool guarded;                    /* --force: this host may lose the switch */
	bool sent;                       /* the change was begun */
	bool unheard; /* the request that disables it had no response: it may arrive late */
	bool pending; /* it may be Disabled */
	bool enabled; /* the widths or speeds were set */
	char text[PORT_PLACE_BYTES + 160]; /* "speeds enabled: up to HDR -> up to EDR" */
	uint8_t info[CHANGE_INFO_BYTES];   /* PortInfo of the port as last read */
	uint8_t base[CHANGE_INFO_BYTES];   /* PortInfo that a Set is made of: as read before it */
};

/* ---- requests ---------------------------------------------------------------------------- */

static uint64_t change_get(const struct change *c, uint64_t field)
{
	uint64_t value = 0;

	madkit_get(c->info, sizeof(c->info), field, &value);
	return value;
}

/* Checks if a port has extended speeds, which a Set without the bit does not change. */
static bool change_is_extended(const struct change *c, const struct port_end *end)
{
	struct madkit_sweep_rates rates;

	madkit_sweep_rates_get(c->m->whole, end->node, end->port, &rates);
	return rates.speeds_supported >> change_fields[CHANGE_SPEED_EXT].first;
}

static uint64_t change_phys(const uint8_t info[CHANGE_INFO_BYTES])
{
	uint64_t phys = 0;

	madkit_get(info, CHANGE_INFO_BYTES, MADKIT_PORT_INFO_PHYS_LINK_STATE, &phys);
	return phys;
}

/* Sends a Get to a port, or a Set of PortInfo if it is given, and reads the response into c->info. quiet: no response is
 * not reported. */
static int change_ask(struct change *c, const uint8_t *info, const struct port_end *end, bool quiet)
{
	struct madport *m = c->m;
	const struct cable_request wanted = {
		.mgmt_class = MADKIT_CLASS_SUBN_DR,
		.method = info ? MADKIT_METHOD_SET : MADKIT_METHOD_GET,
		.attribute = "PortInfo",
		.modifier = end->port | (change_is_extended(c, end) ? CHANGE_EXTENDED : 0),
		.m_key = subnet_m_key(&m->net, madkit_sweep_node(m->whole, end->node), end->port, false),
		.about = end == &m->at ? m->at_place : m->act_place,
	};
	struct madkit_addr to = { .hops = 0 };
	struct request r = { .mad = NULL };
	struct answer a;
	int status;

	if (!madkit_sweep_port_route(m->whole, end->node, end->port, &to)) {
		exchange_fail(&m->net.x, EXIT_TIMEOUT, -ENETUNREACH, "no route to %s is known", wanted.about);
		return exchange_report(&m->net.x, NULL, EXIT_TIMEOUT);
	}
	status = cable_request_make(&wanted, &to, &r);
	if (!status) {
		if (info)
			memcpy(r.mad + r.data_offset, info, sizeof(c->info));
		/* a second copy would take the link down again; change_wait() sees if the first one was lost */
		if (info && m->action != PORT_DISABLE && change_phys(info)) {
			r.have_retries = true;
			r.retries = 0;
		}
		status = exchange_ask(&m->net.x, &r, &a);
		if (status && !cli_stopped() && !(quiet && status == EXIT_TIMEOUT))
			exchange_tell(&m->net.x, &r, &a);
		if (info && status == EXIT_MALFORMED)
			cli_say("%s may have been changed: the response is not about this request",
				wanted.about);
		else if (status && info && !quiet && (cli_stopped() || status == EXIT_TIMEOUT))
			cli_say("%s may have been changed: no response was received", wanted.about);
		if (!status)
			memcpy(c->info, a.message.mad + r.data_offset, sizeof(c->info));
		answer_free(&a);
	}
	request_free(&r);
	return status;
}

/* Sets fields of a port that was read last: those that are not 0. The others keep their values. */
static int change_set(struct change *c, const struct port_end *end, const uint64_t values[CHANGE_FIELDS],
		      bool quiet)
{
	uint8_t info[CHANGE_INFO_BYTES];

	memcpy(info, c->base, sizeof(info));
	/* these are commands, not values to keep */
	madkit_put(info, sizeof(info), MADKIT_PORT_INFO_LINK_STATE, 0);
	madkit_put(info, sizeof(info), MADKIT_PORT_INFO_PHYS_LINK_STATE, 0);
	madkit_put(info, sizeof(info), MADKIT_PORT_INFO_CLIENT_REREGISTER, 0);
	for (size_t i = 0; i < CHANGE_FIELDS; i++)
		if (values[i])
			madkit_put(info, sizeof(info), change_fields[i].at, values[i]);
	return change_ask(c, info, end, quiet);
}

static int change_set_phys(struct change *c, uint64_t phys, bool quiet)
{
	const uint64_t values[CHANGE_FIELDS] = { [CHANGE_PHYS] = phys };

	return change_set(c, &c->m->act, values, quiet);
}

/* ---- the change -------------------------------------------------------------------------- */

/* Reads the value of speed or width into a set: that value and all lower ones that the port supports, so that a link can
 * fall back. */
static int change_read_value(struct change *c, const char *field, uint32_t supported)
{
	struct madkit_buf list;
	uint32_t set = 0;

	c->wanted = supported;
	if (!strcasecmp(c->m->value, "auto") && supported)
		return EXIT_DONE;
	for (const struct madkit_value *v = port_values(field); v->name; v++) {
		set |= supported & (uint32_t)v->value;
		if (strcasecmp(v->name, c->m->value) != 0 || !(supported & v->value))
			continue;
		c->wanted = set;
		return EXIT_DONE;
	}
	madkit_buf_init(&list, 0);
	for (const struct madkit_value *v = port_values(field); v->name; v++)
		if (supported & v->value)
			madkit_buf_printf(&list, "%s, ", v->name);
	cli_usage_error("%s '%.16s': %s supports %.*sauto", field, c->m->value, c->m->at_place, (int)list.len,
			list.len ? list.data : "");
	madkit_buf_free(&list);
	return EXIT_USAGE;
}

/* Checks if the link runs at a width or speed that would not be enabled: it was enabled, but has not trained since. */
static bool change_is_overdue(const struct change *c)
{
	const uint32_t active = c->m->action == PORT_WIDTH ? c->rates.width : c->rates.speed;

	return c->m->action >= PORT_SPEED && (active & ~c->wanted);
}

/* Describes the change. Returns false if there is nothing to change. */
static bool change_describe(struct change *c)
{
	const struct madport *m = c->m;
	const uint64_t phys = change_phys(c->info);
	const char *field = m->action == PORT_WIDTH ? "width" : "speed";
	const uint32_t enabled = m->action == PORT_WIDTH ? c->rates.widths_enabled : c->rates.speeds_enabled;
	const bool needed = m->action == PORT_DISABLE ? phys != CHANGE_DISABLED :
			    m->action == PORT_ENABLE  ? phys == CHANGE_DISABLED :
							m->action == PORT_RESET || enabled != c->wanted ||
							       change_is_overdue(c);
	struct madkit_buf buf;

	madkit_buf_init(&buf, 0);
	if (m->action < PORT_SPEED)
		madkit_buf_printf(&buf, "%s: %s%s", m->act_place, port_value_name("phys", phys),
				  !needed                   ? "" :
				  m->action == PORT_DISABLE ? " -> Disabled" :
				  m->action == PORT_ENABLE  ? " -> Polling" :
							      " -> Polling (reset)");
	else
		madkit_buf_printf(&buf, "%s: %ss enabled: ", m->at_place, field);
	if (m->action >= PORT_SPEED)
		port_put_set(&buf, field, enabled);
	if (m->action >= PORT_SPEED && enabled != c->wanted) {
		madkit_buf_str(&buf, " -> ");
		port_put_set(&buf, field, c->wanted);
	} else if (m->action >= PORT_SPEED && needed) {
		madkit_buf_str(&buf, " (reset)");
	}
	snprintf(c->text, sizeof(c->text), "%.*s", (int)buf.len, buf.len ? buf.data : "");
	madkit_buf_free(&buf);
	return needed;
}

/* Checks if the port has no link, so that nothing can be lost. */
static bool change_is_down(const struct madport *m)
{
	const struct madkit_sweep_port *p = &madkit_sweep_node(m->whole, m->act.node)->ports[m->act.port];
	uint64_t state = 0;

	madkit_get(p->info, sizeof(p->info), MADKIT_PORT_INFO_LINK_STATE, &state);
	return p->state == MADKIT_SWEEP_ANSWERED && state == MADKIT_PORT_STATE_DOWN;
}

/* Refuses a change that could cut this host off, unless --force is given. */
static int change_guard(struct change *c)
{
	struct madport *m = c->m;
	char why[PORT_WHY_BYTES];
	int status;

	*why = 0;
	if (m->action != PORT_ENABLE && !change_is_down(m)) {
		status = port_guard(m, why);
		if (status)
			return cli_stopped() ? status : exchange_report(&m->net.x, NULL, status);
	}
	c->guarded = *why;
	if (!*why && m->doubtful)
		snprintf(why, sizeof(why),
			 "a node that did not respond may have this name, too: use 0x%016" PRIx64 "/%u",
			 madkit_sweep_node(m->whole, m->at.node)->guid, m->at.port);
	if (!*why || m->options->force)
		return EXIT_DONE;
	cli_insist("%s is not changed: %s", m->act_place, why);
	cli_say("hint: --force changes it all the same");
	return EXIT_USAGE;
}

/* Returns the port that the first Set is for. */
static const struct port_end *change_end(const struct change *c)
{
	return c->m->action < PORT_SPEED ? &c->m->act : &c->m->at;
}

/* Reads the port, and prepares the change. */
static int change_prepare(struct change *c)
{
	struct madport *m = c->m;
	int status = EXIT_DONE;

	madkit_sweep_rates_get(m->whole, m->at.node, m->at.port, &c->rates);
	if (m->action == PORT_SPEED)
		status = change_read_value(c, "speed", c->rates.speeds_supported & ~(uint32_t)CHANGE_FDR10);
	else if (m->action == PORT_WIDTH)
		status = change_read_value(c, "width", c->rates.widths_supported);
	if (!status)
		status = change_guard(c);
	return status ? status : change_ask(c, NULL, change_end(c), false);
}

/* Shows the change, and asks for confirmation. */
static int change_confirm(const struct change *c)
{
	char question[sizeof(c->text) + 24];
	int status;

	cli_say("%s", c->text);
	if (c->m->options->yes || c->m->options->shared.request.dry_run)
		return EXIT_DONE;
	snprintf(question, sizeof(question), "%s: change it? [y/N] ", c->text);
	status = terminal_confirm(question);
	if (status == EXIT_NOTHING)
		cli_say("nothing was changed");
	return status;
}

/* Reads PortInfo that the next Sets are made of. */
static int change_begin(struct change *c, const struct port_end *end)
{
	const int status = change_ask(c, NULL, end, false);

	memcpy(c->base, c->info, sizeof(c->base));
	return status;
}

/* Notes the change in the system log. */
static void change_log(const struct change *c)
{
	openlog("madport", LOG_PID, LOG_USER);
	syslog(LOG_NOTICE, "%s (%s, uid %u)", c->text, c->m->net.x.info->device, (unsigned int)getuid());
	closelog();
}

/* ---- making it ------------------------------------------------------------------------------ */

/* Reports that a port has not taken a value. */
static int change_ignored(const struct change *c, const char *place, enum change_field field, uint64_t wanted)
{
	cli_insist("%s ignored the Set: %s is %" PRIu64 ", not %" PRIu64 " as requested", place,
		   change_fields[field].name, change_get(c, change_fields[field].at), wanted);
	return EXIT_NOTHING;
}

/* Enables the widths or speeds, and reads them back. */
static int change_enable(struct change *c)
{
	struct madport *m = c->m;
	const bool automatic = !strcasecmp(m->value, "auto");
	uint64_t values[CHANGE_FIELDS] = { 0 };
	int status;

	for (size_t i = CHANGE_WIDTH; i < CHANGE_FIELDS; i++) {
		const uint32_t mask = ((1u << change_fields[i].length) - 1) << change_fields[i].first;
		const uint32_t set = (c->wanted & mask) >> change_fields[i].first;

		if ((i == CHANGE_WIDTH) != (m->action == PORT_WIDTH) ||
		    (i != CHANGE_WIDTH && !(c->rates.speeds_supported & mask)))
			continue;
		values[i] = automatic ? change_fields[i].all : set ? set : change_fields[i].none;
	}
	status = change_set(c, &m->at, values, false);
	c->enabled = !status;
	if (!status)
		status = change_ask(c, NULL, &m->at, false);
	for (enum change_field i = CHANGE_WIDTH; i < CHANGE_FIELDS && !status; i++) {
		const uint64_t got = change_get(c, change_fields[i].at);
		const uint64_t same =
			values[i] == change_fields[i].all ? change_get(c, change_fields[i].supported) : 0;

		/* the port may show a code as its meaning: all supported bits, or none */
		if (values[i] && got != values[i] &&
		    (got != same || (!same && values[i] != change_fields[i].none)))
			status = change_ignored(c, m->at_place, i, values[i]);
	}
	return status;
}

/* Checks if the port has the state to reach. wanted: PortState at least; 0: it is disabled. */
static bool change_has_state(const struct change *c, uint64_t wanted)
{
	return wanted ? change_get(c, MADKIT_PORT_INFO_LINK_STATE) >= wanted :
			change_phys(c->info) == CHANGE_DISABLED;
}

static void change_rescue_soon(struct change *c)
{
	struct exchange *x = &c->m->net.x;

	x->time.deadline_ns = madkit_port_now(x->port) + CHANGE_RESCUE_MS * NS_PER_MS;
}

/* Enables the port again, if it is Disabled, before the command ends for any reason. A signal that has arrived does not end
 * these waits; a second one ends the process. */
static void change_rescue(struct change *c)
{
	int status;

	cli_clean_up();
	for (unsigned int i = 0; i < CHANGE_TRIES; i++) {
		change_rescue_soon(c);
		status = change_ask(c, NULL, &c->m->act, true);
		if (!status)
			c->pending = change_has_state(c, 0);
		if (status == EXIT_LOCAL || !c->pending)
			break;
		change_rescue_soon(c);
		status = change_set_phys(c, CHANGE_POLLING, true);
		c->pending = status;
		if (!status || status == EXIT_LOCAL || status == EXIT_STATUS)
			break;
	}
}

static void change_say_not_reset(const struct change *c, const char *how)
{
	cli_say("%s: %ss are enabled, but the link %s reset: repeat the command", c->m->at_place,
		c->m->action == PORT_WIDTH ? "width" : "speed", how);
}

/* Waits until the port has the state. */
static int change_wait(struct change *c, uint64_t wanted)
{
	struct madport *m = c->m;
	struct exchange *x = &m->net.x;
	const uint64_t deadline_ns = x->time.deadline_ns;
	bool heard = false, reached = false;
	int status = EXIT_DONE;

	if (!cli_given(x->options, "deadline"))
		x->time.deadline_ns = madkit_port_now(x->port) + CHANGE_WAIT_MS * NS_PER_MS;
	while (!cli_stopped() && (!status || status == EXIT_TIMEOUT)) {
		status = change_ask(c, NULL, &m->act, true);
		heard |= !status;
		reached = !status && change_has_state(c, wanted);
		/* if disabled, the Set that enables it was lost, or one that disables it arrived late */
		if (!status && wanted && change_has_state(c, 0)) {
			status = change_set_phys(c, CHANGE_POLLING, true);
			c->pending = status;
		} else if (!status && wanted) {
			c->pending = false;
		}
		if (reached || madkit_port_now(x->port) >= x->time.deadline_ns)
			break;
		exchange_pause(x, CHANGE_LOOK_MS);
	}
	x->time.deadline_ns = deadline_ns;
	if (cli_stopped())
		return cli_stopped_status();
	if (reached || (status && status != EXIT_TIMEOUT))
		return status;
	if (heard && !wanted && !c->guarded)
		return change_ignored(c, m->act_place, CHANGE_PHYS, CHANGE_DISABLED);
	if (heard && !wanted) {
		cli_say("%s is not Disabled: the request may have been lost", m->act_place);
		return EXIT_TIMEOUT;
	}
	cli_say("%s: %s%s%s%s", m->act_place,
		heard ? "the link did not come up in time: " : "no response since the change",
		heard ? port_value_name("state", change_get(c, MADKIT_PORT_INFO_LINK_STATE)) : "",
		heard ? ", " : "", heard ? port_value_name("phys", change_phys(c->info)) : "");
	return EXIT_TIMEOUT;
}

/* Gives a subnet manager time to activate a link that was down. Without one, the change has taken effect all the same. */
static void change_await_manager(struct change *c)
{
	struct exchange *x = &c->m->net.x;
	uint64_t until_ns = madkit_port_now(x->port) + CHANGE_MANAGER_MS * NS_PER_MS;

	if (x->info->state != MADKIT_PORT_STATE_ACTIVE)
		return;
	if (until_ns > x->time.deadline_ns)
		until_ns = x->time.deadline_ns;
	while (!change_has_state(c, MADKIT_PORT_STATE_ACTIVE) && !cli_stopped() &&
	       madkit_port_now(x->port) < until_ns) {
		exchange_pause(x, CHANGE_LOOK_MS);
		change_ask(c, NULL, &c->m->act, true);
	}
}

/* Lets the link train: disables the port, and enables it again, whatever the response to the first Set is, also after a
 * signal. A port that this host needs is not disabled, because the second request would not reach it. */
static int change_train(struct change *c)
{
	const int first = c->guarded ? EXIT_DONE : change_set_phys(c, CHANGE_DISABLED, false);
	int second;

	c->unheard = first == EXIT_TIMEOUT || first >= EXIT_SIGNAL;
	c->pending = !c->guarded;
	if (c->pending && (cli_stopped() || first == EXIT_LOCAL))
		return first;
	second = change_set_phys(c, CHANGE_POLLING, first || c->guarded);
	c->pending = second && !c->guarded;
	/* change_wait() enables a port again that was disabled */
	if (!c->guarded && (!first || c->unheard) && second == EXIT_TIMEOUT)
		return EXIT_DONE;
	return c->unheard ? second : exit_worst(first, second);
}

/* Enables a port that is Disabled. Without a response, change_wait() looks, and tries again. */
static int change_permit(struct change *c)
{
	const int status = change_set_phys(c, CHANGE_POLLING, true);

	c->pending = status == EXIT_TIMEOUT || status >= EXIT_SIGNAL;
	return status == EXIT_TIMEOUT ? EXIT_DONE : status;
}

/* Makes the change, and waits for its effect. */
static int change_make(struct change *c)
{
	const struct madport *m = c->m;
	bool lost;
	uint64_t wanted;
	int status = change_begin(c, change_end(c));

	if (!status && m->action >= PORT_SPEED)
		status = change_enable(c);
	if (!status && m->action >= PORT_SPEED)
		status = change_begin(c, &m->act);
	if (status && status != EXIT_NOTHING && c->enabled)
		change_say_not_reset(c, "was not");
	if (status)
		return status;
	if (m->action >= PORT_SPEED && change_phys(c->info) != CHANGE_LINK_UP) {
		cli_say("%s has no link: the change takes effect when it trains", m->act_place);
		return EXIT_DONE;
	}
	/* the state that the link had, unless there was none */
	wanted = m->action == PORT_DISABLE ? 0 : change_get(c, MADKIT_PORT_INFO_LINK_STATE);
	wanted = wanted == MADKIT_PORT_STATE_DOWN ? MADKIT_PORT_STATE_INITIALIZE : wanted;
	if (m->action == PORT_DISABLE)
		status = change_set_phys(c, CHANGE_DISABLED, c->guarded);
	else if (m->action == PORT_ENABLE)
		status = change_permit(c);
	else
		status = change_train(c);
	lost = c->unheard && c->pending;
	if (status == EXIT_TIMEOUT && c->guarded)
		status = EXIT_DONE;
	if (!status)
		status = change_wait(c, wanted);
	if (!status && wanted == MADKIT_PORT_STATE_INITIALIZE)
		change_await_manager(c);
	if (lost && c->enabled)
		change_say_not_reset(c, "may not have been");
	return !status && lost ? EXIT_TIMEOUT : status;
}

/* Reads the subnet again after a question, which may have waited for long. The change must be the same, and as safe. */
static int change_check_again(struct change *c)
{
	struct madport *m = c->m;
	struct change again = { .m = m };
	int status;

	madkit_sweep_free(m->whole);
	m->net.whole = m->whole = NULL;
	status = port_place_find(m);
	if (status)
		return cli_stopped() ? cli_stopped_status() : exchange_report(&m->net.x, NULL, status);
	status = change_prepare(&again);
	if (!status && (!change_describe(&again) || strcmp(again.text, c->text) != 0)) {
		cli_say("%s: it has changed since the question, and nothing was changed", again.text);
		return EXIT_NOTHING;
	}
	*c = again;
	return status;
}

int port_change(struct madport *m)
{
	struct change c = { .m = m };
	int status = change_prepare(&c);

	if (!status && !change_describe(&c)) {
		cli_say("%s: nothing to change", c.text);
		return EXIT_DONE;
	}
	if (!status)
		status = change_confirm(&c);
	if (!status && !m->options->yes && !m->options->shared.request.dry_run)
		status = change_check_again(&c);
	if (!status && !m->options->shared.request.dry_run) {
		change_log(&c);
		c.sent = true;
		status = change_make(&c);
		if (c.pending && cli_stopped())
			cli_say("%s is enabled again, unless another signal ends that", m->act_place);
		if (c.pending)
			change_rescue(&c);
	}
	if (c.pending) {
		cli_say("hint: the port may still be Disabled: madport %s enable", m->act_place);
	} else if (c.sent && c.guarded && m->action == PORT_DISABLE && status) {
		cli_say("hint: if the port is Disabled, another host has to enable it");
	} else if (c.unheard) {
		cli_say("%s: the request that disables it had no response, and may still arrive",
			m->act_place);
		cli_say("hint: look again later: madport %s", m->act_place);
	}
	return cli_stopped() ? cli_stopped_status() : status;
}
