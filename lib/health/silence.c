/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "health/problem.h"
#include "health/silence.h"
#include "util/array_size.h"

static bool silence_is_missing(uint8_t state)
{
	return state == MADKIT_SWEEP_SILENT || state == MADKIT_SWEEP_REFUSED;
}

/* Adds a problem. Without the rule, the place is not judged: other rules know nothing of it. */
static int silence_add(struct madkit_health *h, const struct problem_draft *d)
{
	if (health_wants(h, RULE_SILENT))
		return problem_add(h, d);
	if (d->severity == MADKIT_SEVERITY_CRITICAL)
		problem_leave(h, RULE_SILENT, d->ends[0].node, d->ends[0].port, "no response");
	else if (health_wants(h, RULE_NAME))
		problem_leave(h, RULE_NAME, d->ends[0].node, d->ends[0].port, "no response");
	return 0;
}

/* A node that responded once, and does not any more. */
static int silence_judge_gone(struct madkit_health *h, uint32_t node)
{
	const struct madkit_sweep_node *n = health_node(h, node);
	struct problem_draft d = problem_of_port(h, RULE_SILENT, MADKIT_SEVERITY_CRITICAL, node, -1);

	if (n->parent != MADKIT_SWEEP_NONE) {
		d.ends[0] = (struct madkit_health_place){ n->parent, n->parent_port };
		d.ends[1] = (struct madkit_health_place){ node, n->number };
		d.link = true;
		madkit_buf_str(&h->text, "the node at the second end stopped responding");
	} else {
		madkit_buf_str(&h->text, "the node stopped responding");
	}
	return silence_add(h, &d);
}

/* A port behind which nothing responds. */
static int silence_judge_far(struct madkit_health *h, uint32_t node, unsigned int port)
{
	const uint8_t far = health_node(h, node)->ports[port].far;
	struct problem_draft d;

	if (!silence_is_missing(far))
		return 0;
	d = problem_of_port(h, RULE_SILENT, MADKIT_SEVERITY_CRITICAL, node, (int)port);
	madkit_buf_str(&h->text, far == MADKIT_SWEEP_SILENT ?
					 "no response from the node behind this port" :
					 "contradictory response from the node behind this port");
	return silence_add(h, &d);
}

/* The attributes of ports that were not read. */
struct silence_ports {
	const char *name;
	size_t offset; /* in struct madkit_sweep_port, of the state */
	bool refused;  /* a refusal counts, too */
};

static const struct silence_ports silence_ports[] = {
	{ "PortInfo", offsetof(struct madkit_sweep_port, state), true },
	/* a node that refuses these does not have them */
	{ "the extended speeds", offsetof(struct madkit_sweep_port, wide), false },
	{ "MLNXExtendedPortInfo", offsetof(struct madkit_sweep_port, extended), false },
};

/* Appends the attribute, if it was not read at some ports. Sets *port to the last of these. */
static void silence_put_ports(struct madkit_health *h, const struct madkit_sweep_node *n,
			      const struct silence_ports *attribute, int *port)
{
	unsigned int count = 0;

	for (unsigned int p = 0; p <= n->nports; p++) {
		const uint8_t state = *((const uint8_t *)&n->ports[p] + attribute->offset);

		if (state != MADKIT_SWEEP_SILENT && !(attribute->refused && state == MADKIT_SWEEP_REFUSED))
			continue;
		*port = (int)p;
		count++;
	}
	if (count > 1)
		*port = -1;
	if (count)
		madkit_buf_printf(&h->text, "%s%s", h->text.len ? ", " : "not read: ", attribute->name);
	if (count > 1)
		madkit_buf_printf(&h->text, " of %u ports", count);
}

/* A node that responds, but not to all requests: one problem for all of them. */
static int silence_judge_part(struct madkit_health *h, uint32_t node)
{
	const struct madkit_sweep_node *n = health_node(h, node);
	struct problem_draft d = problem_of_port(h, RULE_SILENT, MADKIT_SEVERITY_CRITICAL, node, -1);
	int port = -1;

	if (silence_is_missing(n->switched))
		madkit_buf_str(&h->text, "not read: SwitchInfo");
	for (size_t i = 0; i < ARRAY_SIZE(silence_ports); i++)
		silence_put_ports(h, n, &silence_ports[i], &port);
	/* a port with a silent node behind it has its own problem */
	if (h->text.len && !silence_is_missing(n->switched) &&
	    (port < 0 || !silence_is_missing(n->ports[port].far)))
		d.ends[0].port = port;
	/* a node without a name works */
	if (silence_is_missing(n->described)) {
		if (!h->text.len)
			d.severity = MADKIT_SEVERITY_WARNING;
		madkit_buf_str(&h->text, h->text.len ? ", NodeDescription" : "not read: NodeDescription");
	}
	return h->text.len ? silence_add(h, &d) : 0;
}

int silence_judge(struct madkit_health *h)
{
	int ret = 0;

	for (uint32_t i = 0; i < h->sweep->nnodes && !ret; i++) {
		const struct madkit_sweep_node *n = health_node(h, i);

		ret = n->state == MADKIT_SWEEP_SILENT ? silence_judge_gone(h, i) : silence_judge_part(h, i);
		for (unsigned int port = 0; port <= n->nports && !ret; port++)
			ret = silence_judge_far(h, i, port);
	}
	return ret;
}
