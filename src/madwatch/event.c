/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <madkit/compare.h>
#include "event.h"

#define PROBLEM(word, rule, severity, change) \
	{ \
		word, rule, 0, MADKIT_SEVERITY_##severity, MADKIT_PROBLEM_EVENT_##change \
	}
#define DIFFERENCE(word, kind, severity) \
	{ \
		word, NULL, MADKIT_DIFFERENCE_##kind, MADKIT_SEVERITY_##severity, MADKIT_PROBLEM_EVENT_OPEN \
	}

const struct event_type event_types[EVENT_KINDS] = {
	[EVENT_DOWN] = PROBLEM("down", "down", CRITICAL, OPEN),
	[EVENT_UP] = PROBLEM("up", "down", CRITICAL, CLOSE),
	[EVENT_SLOW] = PROBLEM("slow", "slow", WARNING, OPEN),
	[EVENT_RATE] = PROBLEM("rate", "slow", WARNING, CLOSE),
	[EVENT_FLAPPING] = PROBLEM("flapping", "flapping", WARNING, OPEN),
	[EVENT_STEADY] = PROBLEM("steady", "flapping", WARNING, CLOSE),
	[EVENT_INIT] = PROBLEM("init", "init", WARNING, OPEN),
	[EVENT_ACTIVE] = PROBLEM("active", "init", WARNING, CLOSE),
	[EVENT_SILENT] = PROBLEM("silent", "silent", CRITICAL, OPEN),
	[EVENT_ANSWERS] = PROBLEM("answers", "silent", CRITICAL, CLOSE),
	[EVENT_SM_GONE] = PROBLEM("sm-gone", "sm", CRITICAL, OPEN),
	[EVENT_SM_BACK] = PROBLEM("sm", "sm", CRITICAL, CLOSE),
	[EVENT_SM] = PROBLEM("sm", "sm", WARNING, UPDATE),
	[EVENT_MOVED] = DIFFERENCE("moved", MOVED, CRITICAL),
	[EVENT_SWAPPED] = DIFFERENCE("swapped", SWAPPED, WARNING),
	[EVENT_RECABLED] = DIFFERENCE("recabled", RECABLED, CRITICAL),
	[EVENT_REPLACED] = DIFFERENCE("replaced", REPLACED, INFO),
	[EVENT_NODE_NEW] = DIFFERENCE("new", NODE_NEW, INFO),
	[EVENT_LINK_NEW] = DIFFERENCE("new", LINK_NEW, INFO),
	[EVENT_RENAMED] = DIFFERENCE("renamed", RENAMED, INFO),
};

struct event event_new(enum event_kind kind, enum view_by by)
{
	return (struct event){ .kind = kind,
			       .by = (uint8_t)by,
			       .ends = { { VIEW_NONE, 0 }, { VIEW_NONE, 0 } } };
}

struct event event_of_link(enum event_kind kind, enum view_by by, const struct view_link *l)
{
	struct event e = event_new(kind, by);

	e.ends[0] = l->ends[0];
	e.ends[1] = l->ends[1];
	e.link = true;
	return e;
}

struct event event_of_node(enum event_kind kind, enum view_by by, uint32_t node)
{
	struct event e = event_new(kind, by);

	e.ends[0].node = node;
	e.node = true;
	return e;
}

const char *event_by_name(uint8_t by)
{
	static const char *const names[] = {
		[VIEW_BY_TRAP] = "trap", [VIEW_BY_SWEEP] = "sweep", [VIEW_BY_RESTART] = "restart"
	};

	return names[by];
}

void event_put_place(const struct view *v, struct madkit_buf *buf, const struct event *e)
{
	if (e->ends[0].node == VIEW_NONE)
		return;
	view_put_place(v, buf, e->ends[0].node, e->node ? -1 : e->ends[0].port);
	if (e->ends[1].node == VIEW_NONE)
		return;
	madkit_buf_str(buf, e->link ? " <-> " : ", ");
	view_put_place(v, buf, e->ends[1].node, e->ends[1].port);
}

static void event_put_id(const struct view *v, struct madkit_buf *buf, struct view_end end, bool node)
{
	madkit_buf_printf(buf, ":0x%016" PRIx64, v->nodes[end.node]->guid);
	if (!node)
		madkit_buf_printf(buf, "/%u", end.port);
}

void event_put_key(const struct view *v, struct madkit_buf *buf, const struct event *e)
{
	const struct event_type *type = &event_types[e->kind];
	const struct view_end *a = &e->ends[0], *b = &e->ends[1];

	size_t count;

	madkit_buf_str(buf,
		       type->rule ? type->rule : madkit_difference_kinds(&count)[type->difference - 1].name);
	if (a->node == VIEW_NONE)
		return;
	if (b->node != VIEW_NONE) {
		const uint64_t guids[] = { v->nodes[a->node]->guid, v->nodes[b->node]->guid };

		if (guids[0] > guids[1] || (guids[0] == guids[1] && a->port > b->port)) {
			event_put_id(v, buf, *b, false);
			b = NULL;
		}
	}
	event_put_id(v, buf, *a, e->node);
	if (b && b->node != VIEW_NONE)
		event_put_id(v, buf, *b, false);
}

const char *event_span(uint64_t ns, char text[EVENT_SPAN_BYTES])
{
	const uint64_t ms = ns / NS_PER_MS;

	if (ms < 10000)
		snprintf(text, EVENT_SPAN_BYTES, "%" PRIu64 ".%" PRIu64 " s", ms / 1000, ms / 100 % 10);
	else if (ms < 120000)
		snprintf(text, EVENT_SPAN_BYTES, "%" PRIu64 " s", ms / 1000);
	else if (ms < 7200000)
		snprintf(text, EVENT_SPAN_BYTES, "%" PRIu64 " min", ms / 60000);
	else
		snprintf(text, EVENT_SPAN_BYTES, "%" PRIu64 " h", ms / 3600000);
	return text;
}
