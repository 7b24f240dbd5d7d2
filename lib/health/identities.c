/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <madkit/escape.h>
#include "health/identities.h"
#include "health/problem.h"
#include "sweep/identity.h"
#include "util/array.h"
#include "wire/access.h"

enum { IDENTITIES_NAMED = 3 }; /* owners that a problem names beside its ends */

/* Nodes or end ports that may share a value. */
struct identities {
	struct identity_owner {
		uint64_t value; /* a GUID, a LID, or a hash of a name */
		struct madkit_health_place at;
	} * owners;
	uint32_t n, cap;
};

static int identities_add(struct identities *list, uint64_t value, uint32_t node, int port)
{
	if (array_room(&list->owners, &list->cap, list->n, 1, sizeof(*list->owners)))
		return -ENOMEM;
	list->owners[list->n++] = (struct identity_owner){ value, { node, port } };
	return 0;
}

static int identities_compare(const void *a, const void *b)
{
	const struct identity_owner *p = a, *q = b;

	if (p->value != q->value)
		return p->value < q->value ? -1 : 1;
	if (p->at.node != q->at.node)
		return p->at.node < q->at.node ? -1 : 1;
	return p->at.port - q->at.port;
}

static void identities_sort(struct identities *list)
{
	if (list->n)
		qsort(list->owners, list->n, sizeof(*list->owners), identities_compare);
}

/* Returns the number of owners from index first on that have its value. */
static uint32_t identities_run(const struct identities *list, uint32_t first)
{
	uint32_t n = 1;

	while (first + n < list->n && list->owners[first + n].value == list->owners[first].value)
		n++;
	return n;
}

/* Begins a problem of the first two of n owners. */
static struct problem_draft identities_draft(struct madkit_health *h, enum rule_number rule, uint8_t severity,
					     const struct identity_owner *owners, uint32_t n)
{
	struct problem_draft d = problem_of_port(h, rule, severity, owners[0].at.node, owners[0].at.port);

	if (n > 1)
		d.ends[1] = owners[1].at;
	return d;
}

/* Appends the places of the owners behind the first two, which a problem has as its ends. */
static void identities_put_others(struct madkit_health *h, const struct identity_owner *owners, uint32_t n)
{
	for (uint32_t i = 2; i < n && i < 2 + IDENTITIES_NAMED; i++) {
		madkit_buf_str(&h->text, i == 2 ? ", also " : ", ");
		madkit_sweep_put_place(h->sweep, &h->text, owners[i].at.node, owners[i].at.port);
	}
	if (n > 2 + IDENTITIES_NAMED)
		madkit_buf_str(&h->text, " and others");
}

/* Checks if an end port is a plane of a port of which another plane, before it, has its LID. */
static bool identities_is_plane(const struct madkit_health *h, uint32_t node, unsigned int port)
{
	const struct sweep_place at = { node, (uint8_t)port };

	for (uint8_t other = 1; other < port; other++) {
		const struct sweep_place before = { node, other };

		if (identity_is_plane(h->sweep, before, at) &&
		    health_port(h, before)->state == MADKIT_SWEEP_ANSWERED &&
		    field_get(MADKIT_PORT_INFO_LID, health_port(h, before)->info) ==
			    field_get(MADKIT_PORT_INFO_LID, health_port(h, at)->info))
			return true;
	}
	return false;
}

/* ---- GUIDs ------------------------------------------------------------------------------- */

/* Lists the end ports of a node, or the node, whose GUID others have. */
static int identities_list_guids(struct madkit_health *h, uint32_t node, struct identities *list)
{
	const struct madkit_sweep_node *n = health_node(h, node);
	int ret = 0;

	if (n->duplicate)
		return identities_add(list, n->guid, node, -1);
	for (unsigned int port = 0; port <= n->nports && !ret; port++)
		if ((n->ports[port].shared & MADKIT_SWEEP_SHARED_GUID) && !identities_is_plane(h, node, port))
			ret = identities_add(list, n->ports[port].guid, node, (int)port);
	return ret;
}

static int identities_judge_guids(struct madkit_health *h, struct identities *list)
{
	int ret = 0;

	for (uint32_t i = 0; i < h->sweep->nnodes && !ret; i++) {
		struct problem_draft d;

		if (health_node(h, i)->guid) {
			ret = identities_list_guids(h, i, list);
			continue;
		}
		d = problem_of_port(h, RULE_GUID, MADKIT_SEVERITY_CRITICAL, i, -1);
		madkit_buf_str(&h->text, "the node GUID is 0");
		ret = problem_add(h, &d);
	}
	identities_sort(list);
	for (uint32_t i = 0, n; i < list->n && !ret; i += n) {
		const struct identity_owner *owner = &list->owners[i];
		struct problem_draft d;

		n = identities_run(list, i);
		d = identities_draft(h, RULE_GUID, MADKIT_SEVERITY_CRITICAL, owner, n);
		madkit_buf_printf(&h->text, "%" PRIu32 " %s have the GUID 0x%016" PRIx64, n,
				  owner->at.port < 0 ? "nodes" : "ports", owner->value);
		identities_put_others(h, owner, n);
		ret = problem_add(h, &d);
	}
	return ret;
}

/* ---- LIDs -------------------------------------------------------------------------------- */

/* Checks if packets by LID have to reach an end port: its link is Active or, of port 0 of a switch, any is. */
static bool identities_needs_lid(const struct madkit_sweep_node *n, unsigned int port)
{
	const bool is_switch = n->type == MADKIT_NODE_TYPE_SWITCH;

	if (n->ports[port].state != MADKIT_SWEEP_ANSWERED)
		return false;
	for (unsigned int p = is_switch ? 1 : port; p <= (is_switch ? n->nports : port); p++)
		if (n->ports[p].state == MADKIT_SWEEP_ANSWERED &&
		    field_get(MADKIT_PORT_INFO_LINK_STATE, n->ports[p].info) == MADKIT_PORT_STATE_ACTIVE)
			return true;
	return false;
}

/* Judges the LID of an end port by itself; lists it if another end port has one of its LIDs. */
static int identities_judge_lid(struct madkit_health *h, uint32_t node, unsigned int port,
				struct identities *list)
{
	const struct madkit_sweep_node *n = health_node(h, node);
	const uint8_t *info = n->ports[port].info;
	struct madkit_sweep_lids lids;
	uint64_t lid, bits;
	struct problem_draft d;

	if (!identities_needs_lid(n, port))
		return 0;
	lid = field_get(MADKIT_PORT_INFO_LID, info);
	bits = (UINT64_C(1) << field_get(MADKIT_PORT_INFO_LMC, info)) - 1;
	d = problem_of_port(h, RULE_LID, MADKIT_SEVERITY_CRITICAL, node, (int)port);
	problem_put_number(d.value, lid);
	if (!identity_lids(&n->ports[port], &lids)) {
		madkit_buf_printf(&h->text, "the port is Active, but its LID is %s", d.value);
		return problem_add(h, &d);
	}
	if (lid & bits) {
		madkit_buf_printf(&h->text, "LID %s is not a multiple of %" PRIu64 ", as its LMC requires",
				  d.value, bits + 1);
		return problem_add(h, &d);
	}
	return (n->ports[port].shared & MADKIT_SWEEP_SHARED_LID) && !identities_is_plane(h, node, port) ?
		       identities_add(list, lid, node, (int)port) :
		       0;
}

/* How other end ports have the LID of a port: as one of their LIDs, but not the base LID. */
enum identities_within {
	IDENTITIES_ALONE,  /* none has it: the port has their LIDs */
	IDENTITIES_VICTIM, /* only ports whose LID does not fit their LMC, which is a problem of those ports */
	IDENTITIES_WITHIN,
};

static enum identities_within identities_within(const struct madkit_health *h, uint64_t lid)
{
	enum identities_within result = IDENTITIES_ALONE;

	for (uint32_t i = 0; i < h->sweep->nnodes; i++) {
		const struct madkit_sweep_node *n = health_node(h, i);
		const unsigned int first = n->type != MADKIT_NODE_TYPE_SWITCH, last = first ? n->nports : 0;

		for (unsigned int port = first; port <= last; port++) {
			struct madkit_sweep_lids lids;

			if (!identities_needs_lid(n, port) || !identity_lids(&n->ports[port], &lids) ||
			    lid < lids.first || lid > lids.last || lid == lids.base)
				continue;
			if (lids.base == lids.first)
				return IDENTITIES_WITHIN;
			result = IDENTITIES_VICTIM;
		}
	}
	return result;
}

/* The subnet manager gives all channel adapters one LMC. */
static int identities_judge_lmcs(struct madkit_health *h)
{
	unsigned int counts[8] = { 0 }, kinds = 0, most = 0;
	struct problem_draft d;

	for (uint32_t i = 0; i < h->sweep->nnodes; i++) {
		const struct madkit_sweep_node *n = health_node(h, i);

		for (unsigned int port = 1; n->type != MADKIT_NODE_TYPE_SWITCH && port <= n->nports; port++)
			if (identities_needs_lid(n, port))
				counts[field_get(MADKIT_PORT_INFO_LMC, n->ports[port].info)]++;
	}
	for (unsigned int lmc = 0; lmc < 8; lmc++) {
		kinds += counts[lmc] > 0;
		most = counts[lmc] > counts[most] ? lmc : most;
	}
	if (kinds < 2)
		return 0;
	d = problem_draft(h, RULE_LID, MADKIT_SEVERITY_INFO);
	d.about = "LMC";
	madkit_buf_printf(&h->text, "ports have different LMCs:");
	for (unsigned int lmc = 0; lmc < 8; lmc++)
		if (counts[lmc])
			madkit_buf_printf(&h->text, " %u of %u port%s,", lmc, counts[lmc],
					  counts[lmc] == 1 ? "" : "s");
	h->text.len -= h->text.len > 0;
	return problem_add(h, &d);
}

static int identities_judge_lids(struct madkit_health *h, struct identities *list)
{
	int ret = 0;

	for (uint32_t i = 0; i < h->sweep->nnodes; i++) {
		const struct madkit_sweep_node *n = health_node(h, i);
		const unsigned int first = n->type != MADKIT_NODE_TYPE_SWITCH, last = first ? n->nports : 0;

		for (unsigned int port = first; port <= last && !ret; port++)
			ret = identities_judge_lid(h, i, port, list);
	}
	identities_sort(list);
	for (uint32_t i = 0, n; i < list->n && !ret; i += n) {
		enum identities_within within;
		struct problem_draft d;

		n = identities_run(list, i);
		within = identities_within(h, list->owners[i].value);
		if (n == 1 && within == IDENTITIES_VICTIM)
			continue;
		d = identities_draft(h, RULE_LID, MADKIT_SEVERITY_CRITICAL, &list->owners[i], n);
		problem_put_number(d.value, list->owners[i].value);
		if (n > 1)
			madkit_buf_printf(&h->text, "%" PRIu32 " ports have LID %s", n, d.value);
		else if (within == IDENTITIES_WITHIN)
			madkit_buf_printf(&h->text, "LID %s is within the LIDs of another port", d.value);
		else
			madkit_buf_printf(&h->text, "the LIDs from %s on include those of another port",
					  d.value);
		identities_put_others(h, &list->owners[i], n);
		ret = problem_add(h, &d);
	}
	return ret ? ret : identities_judge_lmcs(h);
}

/* ---- names ------------------------------------------------------------------------------- */

/* Returns the description of a node, if it is a name. */
static size_t identities_name(const struct madkit_health *h, uint32_t node, const char **text)
{
	const struct madkit_sweep_node *n = health_node(h, node);
	const char *name = madkit_sweep_name(h->sweep, n);
	size_t len;

	*text = name ? name : (const char *)n->description;
	len = name                                  ? strlen(name) :
	      n->described == MADKIT_SWEEP_ANSWERED ? strnlen(*text, sizeof(n->description)) :
						      0;
	return madkit_name_is_default(*text, len) ? 0 : len;
}

static bool identities_same_name(const struct madkit_health *h, uint32_t a, uint32_t b)
{
	const char *p, *q;
	const size_t n = identities_name(h, a, &p), m = identities_name(h, b, &q);

	return n == m && !memcmp(p, q, n);
}

static int identities_judge_name(struct madkit_health *h, const struct identity_owner *owners, uint32_t n)
{
	struct problem_draft d = problem_draft(h, RULE_NAME, MADKIT_SEVERITY_INFO);
	const char *text;
	char about[PROBLEM_VALUE_BYTES + 1] = "";
	size_t len = identities_name(h, owners[0].at.node, &text);

	memcpy(about, text, len < PROBLEM_VALUE_BYTES ? len : PROBLEM_VALUE_BYTES);
	d.about = about;
	madkit_buf_printf(&h->text, "%" PRIu32 " nodes are named '", n);
	madkit_text_escape(&h->text, about, strlen(about));
	madkit_buf_char(&h->text, '\'');
	for (uint32_t i = 0; i < n && i < IDENTITIES_NAMED; i++)
		madkit_buf_printf(&h->text, "%s0x%016" PRIx64, i ? ", " : ": ",
				  health_node(h, owners[i].at.node)->guid);
	if (n > IDENTITIES_NAMED)
		madkit_buf_str(&h->text, " and others");
	return problem_add(h, &d);
}

static int identities_judge_names(struct madkit_health *h, struct identities *list)
{
	int ret = 0;

	for (uint32_t i = 0; i < h->sweep->nnodes && !ret; i++) {
		const char *text;
		const size_t len = identities_name(h, i, &text);
		uint64_t hash = len;

		for (size_t j = 0; j < len; j++)
			hash = table_mix(hash, (unsigned char)text[j]);
		if (len)
			ret = identities_add(list, hash, i, -1);
	}
	identities_sort(list);
	for (uint32_t i = 0, n; i < list->n && !ret; i += n) {
		n = identities_run(list, i);
		/* two names with one hash are not worth a second list */
		if (n > 1 && identities_same_name(h, list->owners[i].at.node, list->owners[i + 1].at.node))
			ret = identities_judge_name(h, &list->owners[i], n);
	}
	return ret;
}

int identities_judge(struct madkit_health *h)
{
	struct identities list = { .n = 0 };
	int ret = health_wants(h, RULE_GUID) ? identities_judge_guids(h, &list) : 0;

	list.n = 0;
	if (!ret && health_wants(h, RULE_LID))
		ret = identities_judge_lids(h, &list);
	list.n = 0;
	if (!ret && health_wants(h, RULE_NAME))
		ret = identities_judge_names(h, &list);
	free(list.owners);
	return ret;
}
