/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include "health/links.h"
#include "health/problem.h"
#include "health/reasons.h"
#include "health/usual.h"
#include "wire/access.h"
#include "wire/tables/tables.h"

/* How often rates, best enabled rates and MTUs occur. */
struct links_usual {
	struct usual rate, enabled, mtu;
};

/* ---- a link ---------------------------------------------------------------------------- */

static uint8_t links_state(const struct madkit_health *h, struct sweep_place at)
{
	return (uint8_t)field_get(MADKIT_PORT_INFO_LINK_STATE, health_port(h, at)->info);
}

/* Gets the link of a port, once for both of its ends: the end at a switch is a; between two nodes of one type, that of
 * the node found first. Returns false for the other end, and if both ends are down or one was not read. */
static bool link_get(const struct madkit_health *h, uint32_t node, unsigned int port,
		     struct health_link *link)
{
	const struct sweep_place at = { node, (uint8_t)port };
	const struct madkit_sweep_port *p = health_port(h, at);
	const struct sweep_place peer = { p->peer, p->peer_port };

	if (p->peer == MADKIT_SWEEP_NONE ||
	    (!port && health_node(h, node)->type == MADKIT_NODE_TYPE_SWITCH) || p->peer < node ||
	    (p->peer == node && p->peer_port < port) || p->state != MADKIT_SWEEP_ANSWERED ||
	    health_port(h, peer)->state != MADKIT_SWEEP_ANSWERED)
		return false;
	*link = (struct health_link){ .a = at, .b = peer };
	if (health_node(h, node)->type != MADKIT_NODE_TYPE_SWITCH &&
	    health_node(h, peer.node)->type == MADKIT_NODE_TYPE_SWITCH)
		*link = (struct health_link){ .a = peer, .b = at };
	link->state[0] = links_state(h, link->a);
	link->state[1] = links_state(h, link->b);
	if (link->state[0] < MADKIT_PORT_STATE_INITIALIZE && link->state[1] < MADKIT_PORT_STATE_INITIALIZE)
		return false;
	link_rates_get(health_node(h, link->a.node), link->a.port, &link->rates[0]);
	link_rates_get(health_node(h, link->b.node), link->b.port, &link->rates[1]);
	link_judge(&link->rates[0], &link->rates[1], &link->judged);
	return true;
}

/* Checks if both ends are up and report one width and one speed. */
static bool link_agrees(const struct health_link *link)
{
	return link->state[0] >= MADKIT_PORT_STATE_INITIALIZE &&
	       link->state[1] >= MADKIT_PORT_STATE_INITIALIZE &&
	       link->rates[0].width == link->rates[1].width && link->rates[0].speed == link->rates[1].speed;
}

/* A value for struct usual. */
static uint64_t link_rate(unsigned int width, unsigned int speed)
{
	return (uint64_t)width << 16 | speed;
}

static uint64_t link_magnitude(uint64_t rate)
{
	return (uint64_t)topology_lanes((unsigned int)(rate >> 16)) *
	       topology_lane_rate((unsigned int)(rate & UINT16_MAX));
}

/* Compares rates as a whole. */
static bool link_is_below(uint64_t rate, uint64_t other)
{
	return link_magnitude(rate) < link_magnitude(other);
}

static uint64_t link_mtu(const struct madkit_health *h, struct sweep_place at)
{
	return field_get(MADKIT_PORT_INFO_NEIGHBOR_MTU, health_port(h, at)->info);
}

static bool link_is_aggregation(const struct madkit_health *h, const struct health_link *link)
{
	return health_is_aggregation(health_node(h, link->a.node)) ||
	       health_is_aggregation(health_node(h, link->b.node));
}

/* ---- both ends --------------------------------------------------------------------------- */

/* Checks if the ends report different states, widths or speeds. Armed becomes Active with the first packet. */
static bool link_differs(const struct health_link *link)
{
	const struct link_rates *a = &link->rates[0], *b = &link->rates[1];

	return link->state[0] != link->state[1] || (a->width && b->width && a->width != b->width) ||
	       (a->speed && b->speed && a->speed != b->speed);
}

static bool link_is_inactive(const struct health_link *link)
{
	return link->state[0] < MADKIT_PORT_STATE_ACTIVE || link->state[1] < MADKIT_PORT_STATE_ACTIVE;
}

int links_doubt(struct madkit_health *h)
{
	struct health_link link;

	for (uint32_t i = 0; i < h->sweep->nnodes; i++)
		for (unsigned int port = 0; port <= health_node(h, i)->nports; port++) {
			if (!link_get(h, i, port, &link) ||
			    !((link_differs(&link) && health_wants(h, RULE_HALF)) ||
			      (link_is_inactive(&link) &&
			       (health_wants(h, RULE_INIT) || health_wants(h, RULE_ROUTE)))))
				continue;
			if (health_add_port(h, link.a.node, link.a.port) ||
			    health_add_port(h, link.b.node, link.b.port))
				return -ENOMEM;
		}
	return 0;
}

/* Gets the rates that the second PortInfo of a port shows. */
static int links_rates_again(const struct madkit_health *h, struct sweep_place at, const uint8_t *info,
			     struct link_rates *rates)
{
	struct madkit_sweep_node copy = *health_node(h, at.node);

	copy.ports = malloc((copy.nports + 1u) * sizeof(*copy.ports));
	if (!copy.ports)
		return -ENOMEM;
	memcpy(copy.ports, health_node(h, at.node)->ports, (copy.nports + 1u) * sizeof(*copy.ports));
	memcpy(copy.ports[at.port].info, info, MADKIT_SWEEP_INFO_BYTES);
	link_rates_get(&copy, at.port, rates);
	free(copy.ports);
	return 0;
}

/* Describes an end: "Active at 4x HDR", or "Down". */
static void links_put_end(struct madkit_buf *buf, const struct health_link *link, unsigned int end)
{
	const char *state = madkit_value_name(madkit_values_port_state, link->state[end]);
	char rate[PROBLEM_VALUE_BYTES];

	madkit_buf_str(buf, state ? state : "unknown");
	if (link->state[end] == MADKIT_PORT_STATE_DOWN)
		return;
	problem_put_rate(rate, link->rates[end].width, link->rates[end].speed);
	madkit_buf_printf(buf, " at %s", rate);
}

/* Swaps the ends. */
static struct health_link link_reverse(const struct health_link *link)
{
	return (struct health_link){
		.a = link->b,
		.b = link->a,
		.rates = { link->rates[1], link->rates[0] },
		.state = { link->state[1], link->state[0] },
		.judged = link->judged,
	};
}

/* Swaps the ends if the second one is the odd one: it is in a lower state, or the other one alone shows the rate that both
 * enable, or it shows a lower rate. */
static struct health_link links_odd_first(const struct health_link *link)
{
	const uint64_t best = link_rate(link->judged.width_enabled, link->judged.speed_enabled);
	const uint64_t a = link_rate(link->rates[0].width, link->rates[0].speed),
		       b = link_rate(link->rates[1].width, link->rates[1].speed);
	const bool second = link->state[0] != link->state[1] ? link->state[1] < link->state[0] :
			    a == best || b == best           ? a == best :
							       link_is_below(b, a);

	return second ? link_reverse(link) : *link;
}

/* Judges a link of which both ends were read twice. */
static int links_judge_again(struct madkit_health *h, const struct health_link *first,
			     const struct health_link *link)
{
	struct problem_draft d;

	if (health_wants(h, RULE_HALF) && link_differs(first) && link_differs(link)) {
		const struct health_link odd = links_odd_first(link);

		d = problem_of_link(h, RULE_HALF, MADKIT_SEVERITY_CRITICAL, &odd);
		madkit_buf_str(&h->text, "the first end is ");
		links_put_end(&h->text, &odd, 0);
		madkit_buf_str(&h->text, ", the other one ");
		links_put_end(&h->text, &odd, 1);
		return problem_add(h, &d);
	}
	if (!health_wants(h, RULE_INIT) || !link_is_inactive(first) || !link_is_inactive(link) ||
	    link->state[0] != link->state[1])
		return 0;
	d = problem_of_link(h, RULE_INIT, MADKIT_SEVERITY_WARNING, link);
	madkit_buf_printf(&h->text, "the link is up, but its state is %s",
			  madkit_value_name(madkit_values_port_state, link->state[0]));
	stpcpy(d.value, madkit_value_name(madkit_values_port_state, link->state[0]));
	stpcpy(d.limit, "Active");
	return problem_add(h, &d);
}

/* Judges links with a second reading. */
static int links_judge_doubts(struct madkit_health *h)
{
	int ret = 0;

	for (size_t i = 0; h->again && i + 1 < h->nports && !ret; i += 2) {
		struct health_link link, first;

		if (!h->again_read[i] || !h->again_read[i + 1] ||
		    (!link_get(h, h->ports[i].node, h->ports[i].port, &first) &&
		     !link_get(h, h->ports[i + 1].node, h->ports[i + 1].port, &first)))
			continue;
		link = first;
		ret = links_rates_again(h, link.a, h->again[i], &link.rates[0]);
		if (!ret)
			ret = links_rates_again(h, link.b, h->again[i + 1], &link.rates[1]);
		link.state[0] = (uint8_t)field_get(MADKIT_PORT_INFO_LINK_STATE, h->again[i]);
		link.state[1] = (uint8_t)field_get(MADKIT_PORT_INFO_LINK_STATE, h->again[i + 1]);
		/* a link that went down meanwhile is not judged */
		if (!ret && (link.state[0] >= MADKIT_PORT_STATE_INITIALIZE ||
			     link.state[1] >= MADKIT_PORT_STATE_INITIALIZE))
			ret = links_judge_again(h, &first, &link);
	}
	return ret;
}

/* ---- rates ------------------------------------------------------------------------------- */

/* Checks if the link is one of a split cage: it has two lanes, and an end does not enable more. Such a link is not
 * narrower than it should be. */
static bool link_is_split(const struct health_link *link)
{
	for (unsigned int end = 0; end < 2; end++)
		if (link->rates[end].width == TOPOLOGY_2X && link->rates[end].widths_enabled &&
		    topology_best_width(link->rates[end].widths_enabled) == TOPOLOGY_2X)
			return true;
	return false;
}

/* Returns the severity of a link that is slower than its ends enable; 0: it is not. */
static uint8_t link_slow_severity(const struct madkit_health *h, const struct links_usual *usual,
				  const struct health_link *link)
{
	const unsigned int width = link->rates[0].width, speed = link->rates[0].speed;
	uint64_t most;

	if (!(link->judged.limits & MADKIT_SWEEP_LINK_SLOW) || !width || !speed)
		return 0;
	most = usual_most(&usual->rate, h, RULE_SLOW, link);
	/* one lane is never usual: it is what training falls back to */
	return most && !link_is_below(link_rate(width, speed), most) && width != TOPOLOGY_1X ?
		       MADKIT_SEVERITY_INFO :
		       MADKIT_SEVERITY_WARNING;
}

static int links_judge_slow(struct madkit_health *h, const struct links_usual *usual,
			    const struct health_link *link)
{
	const unsigned int width = link->rates[0].width, speed = link->rates[0].speed;
	const uint8_t severity = link_slow_severity(h, usual, link);
	const bool known = severity == MADKIT_SEVERITY_INFO;
	struct problem_draft d;

	if (!severity)
		return 0;
	d = problem_of_link(h, RULE_SLOW, severity, link);
	problem_put_rate(d.value, width, speed);
	problem_put_rate(d.limit, link->judged.width_enabled, link->judged.speed_enabled);
	if (known)
		madkit_buf_printf(&h->text, "%s, the ports support %s", d.value, d.limit);
	else
		madkit_buf_printf(&h->text, "%s, but both ends enable %s", d.value, d.limit);
	if (!known)
		reasons_put(&h->text, h, link->a, link->b);
	return problem_add(h, &d);
}

/* Checks if this end does not enable the best that both support. */
static bool link_end_limits(const struct link_rates *own, unsigned int width_best, unsigned int speed_best)
{
	return (own->widths_enabled && !(own->widths_enabled & width_best)) ||
	       (own->speeds_enabled && !(own->speeds_enabled & speed_best));
}

static int links_judge_misconfigured(struct madkit_health *h, const struct links_usual *usual,
				     const struct health_link *link)
{
	const struct madkit_sweep_link *j = &link->judged;
	const unsigned int width_best = link_is_split(link) ? j->width_enabled : j->width_best;
	const uint64_t enabled = link_rate(j->width_enabled, j->speed_enabled);
	struct health_link culprit = *link;
	struct problem_draft d;
	bool known;

	if (!j->width_enabled || !j->speed_enabled ||
	    (j->width_enabled == width_best && j->speed_enabled == j->speed_best))
		return 0;
	if (!link_end_limits(&link->rates[0], width_best, j->speed_best))
		culprit = link_reverse(link);
	known = usual_is(&usual->enabled, h, RULE_MISCONFIGURED, link, enabled);
	d = problem_of_link(h, RULE_MISCONFIGURED, known ? MADKIT_SEVERITY_INFO : MADKIT_SEVERITY_WARNING,
			    &culprit);
	problem_put_rate(d.value, j->width_enabled, j->speed_enabled);
	problem_put_rate(d.limit, width_best, j->speed_best);
	if (known || link_end_limits(&culprit.rates[1], width_best, j->speed_best))
		madkit_buf_printf(&h->text, "%s is enabled, but both ends support %s", d.value, d.limit);
	else
		madkit_buf_printf(&h->text, "the first end enables %s, but both ends support %s", d.value,
				  d.limit);
	return problem_add(h, &d);
}

/* ---- MTU --------------------------------------------------------------------------------- */

static void links_put_mtu(char text[PROBLEM_VALUE_BYTES], uint64_t mtu)
{
	problem_put_number(text, UINT64_C(128) << mtu);
}

static int links_judge_mtu(struct madkit_health *h, const struct links_usual *usual,
			   const struct health_link *link)
{
	const uint64_t a = link_mtu(h, link->a), b = link_mtu(h, link->b);
	const uint64_t cap_a = field_get(MADKIT_PORT_INFO_MTU_CAP, health_port(h, link->a)->info);
	const uint64_t cap_b = field_get(MADKIT_PORT_INFO_MTU_CAP, health_port(h, link->b)->info);
	const uint64_t best = cap_a < cap_b ? cap_a : cap_b, less = a < b ? a : b, more = a < b ? b : a;
	const struct health_link odd = b < a ? link_reverse(link) : *link;
	struct problem_draft d;

	if (!less || !best || more > 5 || best > 5 || (a == b && a >= best))
		return 0;
	d = problem_of_link(h, RULE_MTU,
			    a == b && usual_is(&usual->mtu, h, RULE_MTU, link, a) ? MADKIT_SEVERITY_INFO :
										    MADKIT_SEVERITY_WARNING,
			    &odd);
	links_put_mtu(d.value, less);
	links_put_mtu(d.limit, best);
	if (a == b) {
		madkit_buf_printf(&h->text, "MTU %s, but both ends support %s", d.value, d.limit);
	} else {
		char other[PROBLEM_VALUE_BYTES];

		links_put_mtu(other, more);
		madkit_buf_printf(&h->text, "the first end sends up to %s octets, the other one up to %s",
				  d.value, other);
	}
	return problem_add(h, &d);
}

/* ---- all links --------------------------------------------------------------------------- */

static int links_count(struct madkit_health *h, struct links_usual *usual)
{
	struct health_link link;
	int ret = 0;

	h->counts.links = 0;
	for (uint32_t i = 0; i < h->sweep->nnodes; i++)
		for (unsigned int port = 0; port <= health_node(h, i)->nports && !ret; port++) {
			if (!link_get(h, i, port, &link))
				continue;
			h->counts.links++;
			if (link_is_aggregation(h, &link) || !link_agrees(&link))
				continue;
			ret = usual_count(&usual->rate, h, &link,
					  link_rate(link.rates[0].width, link.rates[0].speed));
			if (!ret)
				ret = usual_count(&usual->enabled, h, &link,
						  link_rate(link.judged.width_enabled,
							    link.judged.speed_enabled));
			if (!ret)
				ret = usual_count(&usual->mtu, h, &link, link_mtu(h, link.a));
		}
	usual_end(&usual->rate);
	usual_end(&usual->enabled);
	usual_end(&usual->mtu);
	return ret;
}

static int links_judge_all(struct madkit_health *h, const struct links_usual *usual)
{
	struct health_link link;
	bool agrees;
	int ret = 0;

	for (uint32_t i = 0; i < h->sweep->nnodes && !ret; i++)
		for (unsigned int port = 0; port <= health_node(h, i)->nports && !ret; port++) {
			if (!link_get(h, i, port, &link) || link_is_aggregation(h, &link))
				continue;
			agrees = link_agrees(&link);
			/* otherwise the rule half judges it */
			if (!agrees && !health_wants(h, RULE_HALF) &&
			    (health_wants(h, RULE_SLOW) || health_wants(h, RULE_MISCONFIGURED)))
				problem_leave(h, RULE_SLOW, link.a.node, link.a.port, "its ends differ");
			if (health_wants(h, RULE_SLOW) && agrees)
				ret = links_judge_slow(h, usual, &link);
			if (!ret && health_wants(h, RULE_MISCONFIGURED) && agrees)
				ret = links_judge_misconfigured(h, usual, &link);
			/* the subnet manager sets the MTU when it activates the link */
			if (!ret && health_wants(h, RULE_MTU) && !link_is_inactive(&link))
				ret = links_judge_mtu(h, usual, &link);
		}
	return ret;
}

static void links_usual_free(struct links_usual *usual)
{
	usual_free(&usual->rate);
	usual_free(&usual->enabled);
	usual_free(&usual->mtu);
}

int links_list_slow(struct madkit_health *h)
{
	struct links_usual usual = { .rate.n = 0 };
	struct health_link link;
	int ret = links_count(h, &usual);

	for (uint32_t i = 0; i < h->sweep->nnodes && !ret; i++)
		for (unsigned int port = 0; port <= health_node(h, i)->nports && !ret; port++)
			if (link_get(h, i, port, &link) && !link_is_aggregation(h, &link) &&
			    link_agrees(&link) &&
			    link_slow_severity(h, &usual, &link) == MADKIT_SEVERITY_WARNING)
				ret = reasons_add(h, link.a, link.b);
	links_usual_free(&usual);
	return ret;
}

int links_judge(struct madkit_health *h)
{
	struct links_usual usual = { .rate.n = 0 };
	int ret = links_count(h, &usual);

	if (!ret)
		ret = links_judge_doubts(h);
	if (!ret)
		ret = links_judge_all(h, &usual);
	links_usual_free(&usual);
	return ret;
}
