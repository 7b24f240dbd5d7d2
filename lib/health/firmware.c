/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <madkit/constants.h>
#include <madkit/escape.h>
#include "health/firmware.h"
#include "health/problem.h"
#include "util/emit.h"
#include "util/word.h"
#include "wire/access.h"

enum { FIRMWARE_NAMED = 3 }; /* nodes that a problem names */

/* Checks if a node may have GeneralInfo. */
static bool firmware_is_reported(const struct madkit_sweep_node *n)
{
	return n->vendor == MADKIT_OUI_MELLANOX && !health_is_aggregation(n);
}

int firmware_list(struct madkit_health *h)
{
	free(h->firmware);
	h->firmware = calloc(h->sweep->nnodes + 1u, sizeof(*h->firmware));
	if (!h->firmware)
		return -ENOMEM;
	for (uint32_t i = 0; i < h->sweep->nnodes; i++) {
		const struct madkit_sweep_node *n = health_node(h, i);
		const struct madkit_survey_port port = { i,
							 n->type == MADKIT_NODE_TYPE_SWITCH ? 0 : n->number,
							 0 };

		if (!firmware_is_reported(n) || madkit_survey_no_lid(h->sweep, &port))
			continue;
		if (health_add_port(h, port.node, port.port))
			return -ENOMEM;
	}
	return 0;
}

void firmware_take(struct madkit_health *h, size_t at, bool answered, const uint8_t *data)
{
	struct health_firmware *f = &h->firmware[h->ports[at].node];
	char *p = f->version;

	f->answered = answered;
	f->known = data;
	if (!data)
		return;
	f->registers = field_get(MADKIT_GENERAL_INFO_CAPABILITY_MASK, data) &
		       MADKIT_MLNX_GENERAL_CAP_IS_ACCESS_REGISTER_GMP_SUPPORTED;
	memcpy(f->psid, data + field_at(MADKIT_GENERAL_INFO_FWPSID), sizeof(f->psid) - 1);
	p = emit_u64(p, field_get(MADKIT_GENERAL_INFO_FW_EXT_MAJOR, data));
	*p++ = '.';
	p = emit_u64(p, field_get(MADKIT_GENERAL_INFO_FW_EXT_MINOR, data));
	*p++ = '.';
	p = emit_u64(p, field_get(MADKIT_GENERAL_INFO_FW_EXT_SUB_MINOR, data));
	*p = 0;
}

/* The nodes whose firmware is known. */
struct firmware_node {
	const struct health_firmware *firmware;
	uint32_t node;
};

static int firmware_compare(const void *a, const void *b)
{
	const struct firmware_node *p = a, *q = b;
	int order = strcmp(p->firmware->psid, q->firmware->psid);

	if (!order)
		order = word_compare(p->firmware->version, strlen(p->firmware->version), q->firmware->version,
				     strlen(q->firmware->version));
	return order ? order : (p->node > q->node) - (p->node < q->node);
}

/* Returns the number of nodes from the first on with its PSID, or also its version. */
static size_t firmware_run(const struct firmware_node *nodes, size_t n, bool version)
{
	size_t i = 1;

	while (i < n && !strcmp(nodes[i].firmware->psid, nodes[0].firmware->psid) &&
	       (!version || !strcmp(nodes[i].firmware->version, nodes[0].firmware->version)))
		i++;
	return i;
}

/* Appends "20.41.1000 on 3 (h1, h2, h3)": the nodes are named if they are few. */
static void firmware_put(struct madkit_health *h, const struct firmware_node *nodes, size_t n)
{
	madkit_buf_printf(&h->text, " %s on %zu", nodes[0].firmware->version, n);
	for (size_t i = 0; i < n && n <= FIRMWARE_NAMED; i++) {
		madkit_buf_str(&h->text, i ? ", " : " (");
		madkit_sweep_put_place(h->sweep, &h->text, nodes[i].node, -1);
	}
	if (n <= FIRMWARE_NAMED)
		madkit_buf_char(&h->text, ')');
}

static int firmware_judge_kind(struct madkit_health *h, const struct firmware_node *nodes, size_t n)
{
	struct problem_draft d;

	if (!*nodes[0].firmware->psid || firmware_run(nodes, n, true) == n)
		return 0;
	d = problem_draft(h, RULE_FIRMWARE, MADKIT_SEVERITY_INFO);
	d.about = nodes[0].firmware->psid;
	madkit_text_escape(&h->text, d.about, strlen(d.about));
	madkit_buf_char(&h->text, ':');
	for (size_t i = 0, run; i < n; i += run) {
		run = firmware_run(nodes + i, n - i, true);
		if (i)
			madkit_buf_char(&h->text, ',');
		firmware_put(h, nodes + i, run);
	}
	return problem_add(h, &d);
}

/* Notes devices without a response of which others of the same kind report their firmware. */
static void firmware_note_silent(struct madkit_health *h, const struct firmware_node *nodes, size_t n)
{
	for (uint32_t i = 0; i < h->sweep->nnodes; i++) {
		const struct madkit_sweep_node *node = health_node(h, i), *other;
		size_t j = 0;

		if (h->firmware[i].answered || !firmware_is_reported(node))
			continue;
		while (j < n && (other = health_node(h, nodes[j].node),
				 other->device != node->device || other->type != node->type))
			j++;
		if (j < n)
			problem_note_unjudged(h, RULE_FIRMWARE, i, -1, "no response");
	}
}

int firmware_judge(struct madkit_health *h)
{
	struct firmware_node *nodes;
	size_t n = 0;
	int ret = 0;

	if (!h->firmware)
		return 0;
	nodes = calloc(h->sweep->nnodes + 1u, sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	for (uint32_t i = 0; i < h->sweep->nnodes; i++) {
		if (h->firmware[i].known)
			nodes[n++] = (struct firmware_node){ &h->firmware[i], i };
		else
			h->counts.left_out += firmware_is_reported(health_node(h, i));
	}
	firmware_note_silent(h, nodes, n);
	qsort(nodes, n, sizeof(*nodes), firmware_compare);
	for (size_t i = 0, run; i < n && !ret; i += run) {
		run = firmware_run(nodes + i, n - i, false);
		ret = firmware_judge_kind(h, nodes + i, run);
	}
	free(nodes);
	return ret;
}
