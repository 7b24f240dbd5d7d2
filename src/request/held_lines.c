/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include "held_lines.h"
#include "notice_node.h"

enum {
	/* beyond this, the first line is shown without waiting for names */
	HELD_LINES_MAX = 4096,
	HELD_BYTES_MAX = 1 << 24,
};

struct held_line {
	struct held_line *next;
	struct madkit_recv *recv; /* message points into it */
	struct madkit_message message;
	struct node_key sender;
	struct notice_node node;
	bool is_notice;
	uint64_t due_ns;
};

struct held_lines {
	struct exchange *x;
	struct node_names *names;
	bool (*show)(void *context, const struct madkit_message *message);
	void *context;
	struct held_line *first, **last;
	size_t n, bytes;
};

int held_lines_new(struct exchange *x, bool (*show)(void *context, const struct madkit_message *message),
		   void *context, struct held_lines **held)
{
	struct held_lines *h = calloc(1, sizeof(*h));

	*held = h;
	if (!h)
		return exchange_fail(x, EXIT_LOCAL, -ENOMEM, "out of memory");
	h->x = x;
	h->show = show;
	h->context = context;
	h->last = &h->first;
	return node_names_new(x, &h->names);
}

static void held_line_free(struct held_line *line)
{
	madkit_recv_free(line->recv);
	free(line);
}

static struct held_line *held_lines_remove(struct held_lines *h)
{
	struct held_line *line = h->first;

	h->first = line->next;
	if (!h->first)
		h->last = &h->first;
	h->n--;
	h->bytes -= line->recv->len;
	return line;
}

void held_lines_free(struct held_lines *h)
{
	if (!h)
		return;
	while (h->first)
		held_line_free(held_lines_remove(h));
	node_names_free(h->names);
	free(h);
}

void held_lines_prepare(struct held_lines *h)
{
	node_names_want_all(h->names);
}

size_t held_lines_count(const struct held_lines *h)
{
	return h->n;
}

/* ---- showing -------------------------------------------------------------------------- */

/* Shows the first line. Returns false if no more lines are needed. */
static bool held_lines_show(struct held_lines *h)
{
	struct held_line *line = held_lines_remove(h);
	const struct node_name *name = node_names_get(h->names, line->sender);
	struct madkit_sweep_record port;
	bool more;

	if (name && name->text[0])
		line->message.name = name->text;
	if (line->is_notice) {
		/* a copy, because node_names_get() may overwrite the name of the sender */
		struct node_name sender = name ? *name : (struct node_name){ .text = "" };

		line->message.name = line->message.name ? sender.text : NULL;
		notice_node_put(&line->node, node_names_get(h->names, line->node.key), &port);
		line->message.port = &port.record;
		more = h->show(h->context, &line->message);
	} else {
		more = h->show(h->context, &line->message);
	}
	held_line_free(line);
	return more;
}

static bool held_line_is_pending(const struct held_lines *h, const struct held_line *line)
{
	return node_names_pending(h->names, line->sender) ||
	       (line->is_notice && node_names_pending(h->names, line->node.key));
}

uint64_t held_lines_tend(struct held_lines *h)
{
	uint64_t due = node_names_tend(h->names), now = madkit_port_now(h->x->port);
	bool more = true, any = false;

	while (h->first && more &&
	       (h->n > HELD_LINES_MAX || h->bytes > HELD_BYTES_MAX || h->first->due_ns <= now ||
		!held_line_is_pending(h, h->first))) {
		more = held_lines_show(h);
		any = true;
	}
	if (any)
		output_flush(h->x->out);
	return h->first && h->first->due_ns < due ? h->first->due_ns : due;
}

void held_lines_flush(struct held_lines *h)
{
	bool more = true;

	if (!h->first)
		return;
	while (h->first && more)
		more = held_lines_show(h);
	output_flush(h->x->out);
}

/* ---- adding --------------------------------------------------------------------------- */

/* If the notice says that a node has appeared, disappeared or changed, discards what is known of the node. */
static void held_lines_heed(struct held_lines *h, const struct notice_node *node)
{
	switch (node->trap) {
	case MADKIT_TRAP_GID_IN:
	case MADKIT_TRAP_GID_OUT:
	case MADKIT_TRAP_LOCAL_CHANGE:
	case MADKIT_TRAP_SYSTEM_GUID:
		node_names_forget(h->names, node->key);
	}
}

void held_lines_add(struct held_lines *h, struct madkit_recv *recv, const struct madkit_message *message)
{
	struct held_line *line = calloc(1, sizeof(*line));

	if (!line) {
		held_lines_flush(h);
		h->show(h->context, message);
		madkit_recv_free(recv);
		return;
	}
	line->recv = recv;
	line->message = *message;
	line->due_ns = madkit_port_now(h->x->port) + NODE_NAMES_WAIT_MS * NS_PER_MS;
	if (!recv->from.direct)
		line->sender.lid = recv->from.lid;
	line->is_notice = notice_node_get(message, &line->node);
	if (line->is_notice)
		held_lines_heed(h, &line->node);
	node_names_want(h->names, line->sender);
	if (line->is_notice)
		node_names_want(h->names, line->node.key);
	*h->last = line;
	h->last = &line->next;
	h->n++;
	h->bytes += recv->len;
	/* a handler may be called many times before held_lines_tend() */
	while (h->n > HELD_LINES_MAX || h->bytes > HELD_BYTES_MAX)
		if (!held_lines_show(h))
			break;
}
