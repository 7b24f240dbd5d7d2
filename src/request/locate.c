/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "locate.h"

enum { LOCATE_SWITCH = 2 }; /* NodeInfo:NodeType */

/* One attribute of one node on the route. */
struct probe {
	struct request request;
	struct answer answer;
};

/* Queries an attribute of the node at that number of hops. Returns 0 if it responded, -1, or an exit status.
 * The caller frees p with probe_free() in either case. */
static int locate_probe(struct exchange *x, struct probe *p, const struct request *r, uint8_t hops,
			const char *attribute, uint32_t modifier)
{
	memset(p, 0, sizeof(*p));
	if (request_derive(r, attribute, modifier, &p->request))
		return -1;
	p->request.to.hops = hops;
	request_put_route(&p->request);
	return exchange_ask(x, &p->request, &p->answer);
}

static void probe_free(struct probe *p)
{
	answer_free(&p->answer);
	request_free(&p->request);
}

/* Checks if the deadline has passed: a probe that it cut short says nothing about the node. */
static bool locate_is_over(const struct exchange *x)
{
	return madkit_port_now(x->port) >= x->time.deadline_ns;
}

/* Checks if the node responded. Any response counts, also one with an error status. */
static bool locate_answered(int status)
{
	return status >= 0 && status != EXIT_TIMEOUT && status != EXIT_LOCAL && status < EXIT_SIGNAL;
}

/* Gets the value of a field. Returns false if the answer does not contain it, or is a refusal. */
static bool locate_value(const struct probe *p, const char *name, uint64_t *v)
{
	struct madkit_record record;

	*v = 0;
	madkit_record_get(&p->answer.message, 0, &record);
	return !p->answer.status && !madkit_record_value(&record, name, v);
}

/* Copies the node's description to text. Returns text, or NULL if the description is not known. */
static const char *locate_description(struct exchange *x, const struct request *r, uint8_t hops,
				      char text[65])
{
	const char *known = NULL;
	struct probe p;
	struct madkit_record record;

	if (!locate_probe(x, &p, r, hops, "NodeDescription", 0)) {
		madkit_record_get(&p.answer.message, 0, &record);
		if (record.data && record.len >= 64) {
			snprintf(text, 65, "%.64s", (const char *)record.data);
			known = text;
		}
	}
	probe_free(&p);
	return known;
}

static const char *port_state(struct exchange *x, const struct request *r, uint8_t hops, uint8_t port)
{
	const char *name = NULL;
	struct probe p;

	if (!locate_probe(x, &p, r, hops, "PortInfo", port)) {
		uint64_t state;

		if (locate_value(&p, "LinkState", &state) && state <= UINT8_MAX)
			name = madkit_port_state_name((uint8_t)state);
	}
	probe_free(&p);
	return name;
}

/* "0,1", or "0,1 from LID 5 on" if the route begins at the node of a LID. */
#define ROUTE_TEXT_MAX (MADKIT_PATH_TEXT_MAX + 32)
static const char *route_text(const struct madkit_addr *to, char buf[ROUTE_TEXT_MAX])
{
	size_t n;

	madkit_path_text(to, buf);
	n = strlen(buf);
	if (to->lid != MADKIT_LID_PERMISSIVE)
		snprintf(buf + n, ROUTE_TEXT_MAX - n, " from LID %u on", to->lid);
	return buf;
}

/* The result of --locate. Each outcome is a line of JSON with the same keys. */
struct located {
	const struct madkit_addr *last; /* address of the last node that responded; NULL: none did */
	const struct probe *node;       /* its NodeInfo; NULL: not queried */
	const char *description;        /* NULL: not known */
	uint8_t port;                   /* no response from the node at this port; 0: not known */
	const char *state;              /* of that port; NULL: not known */
	int error;                      /* errno of the failure that ended it early, or 0 */
};

static void located_write(const void *context, struct madkit_writer *w)
{
	const struct located *found = context;
	char path[MADKIT_PATH_TEXT_MAX];
	uint64_t guid, entered = 0;
	const bool known = found->node && locate_value(found->node, "LocalPort", &entered);

	madkit_writer_string(w, "last_path", found->last ? madkit_path_text(found->last, path) : NULL);
	madkit_writer_string(w, "NodeDescription", found->description);
	if (found->node && locate_value(found->node, "Guid", &guid))
		madkit_writer_hex(w, "Guid", guid, 16);
	else
		madkit_writer_null(w, "Guid");
	madkit_writer_known(w, "LocalPort", known, entered);
	madkit_writer_known(w, "exit_port", found->port, found->port);
	madkit_writer_string(w, "exit_port_state", found->state);
}

static void locate_show_json(struct exchange *x, const struct request *r, const struct located *found)
{
	const struct madkit_object data = { located_write, found };
	struct madkit_message message;

	if (x->out->format != FORMAT_JSON || !x->options->request.locate)
		return;
	exchange_message(x, MADKIT_MESSAGE_EVENT, &message);
	message.remote = found->last ? found->last : &r->to;
	message.send_status = found->error;
	exchange_object(x, &message, &data);
}

/* Explains why no route leaves the last node by that port, if the node's own attributes show it. Returns true
 * if why is set. */
static bool locate_no_way(const struct located *found, char *why, size_t size)
{
	uint64_t type, ports;

	if (locate_value(found->node, "NumPorts", &ports) && found->port > ports)
		snprintf(why, size, "the route leaves it by port %u, and it has %" PRIu64 " port%s",
			 found->port, ports, ports == 1 ? "" : "s");
	else if (found->last->hops && locate_value(found->node, "NodeType", &type) && type != LOCATE_SWITCH)
		snprintf(why, size, "the route goes through it to port %u, and it is not a switch",
			 found->port);
	else
		return false;
	return true;
}

/* Checks if the text is the result of --locate, which --quiet does not suppress. With JSON, the result is on
 * standard output. */
static bool locate_is_result(const struct exchange *x)
{
	return x->options->request.locate && x->out->format != FORMAT_JSON;
}

__attribute__((format(printf, 2, 3))) static void locate_tell(struct exchange *x, const char *format, ...)
{
	char text[640];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (locate_is_result(x))
		cli_insist("%s", text);
	else
		cli_say("%s", text);
}

static void locate_say(struct exchange *x, const struct located *found)
{
	char where[ROUTE_TEXT_MAX], node[64] = "", why[96];
	const char *hint = "";
	uint64_t guid, entered;

	if (locate_value(found->node, "Guid", &guid) && locate_value(found->node, "LocalPort", &entered))
		snprintf(node, sizeof(node), " (node GUID 0x%016" PRIx64 ", entered by port %" PRIu64 ")",
			 guid, entered);
	if (!locate_no_way(found, why, sizeof(why))) {
		snprintf(why, sizeof(why), "no response from behind its port %u%s%s", found->port,
			 found->state ? ", which is " : "", found->state ? found->state : "");
		/* with --locate, the message about the missing response already has this hint */
		if (!x->options->request.locate && (!found->state || strcmp(found->state, "Down") != 0))
			hint = "; perhaps that node needs another M_Key (--m-key)";
	}
	locate_tell(x, "the last node that responded is %s: %s%s; %s%s", route_text(found->last, where),
		    found->description ? found->description : "its description is not known", node, why,
		    hint);
}

/* Shows the node before a silent one, with its description and its port towards the silent node. */
static void locate_describe(struct exchange *x, const struct request *r, struct located *found)
{
	uint8_t hops = found->last->hops;
	char text[65];
	struct probe p;

	found->port = r->to.path[hops + 1];
	found->description = locate_description(x, r, hops, text);
	found->state = port_state(x, r, hops, found->port);
	/* the node responded before, even if it no longer does */
	if (locate_probe(x, &p, r, hops, "NodeInfo", 0) >= 0 && !cli_stopped()) {
		found->node = &p;
		locate_say(x, found);
		locate_show_json(x, r, found);
	}
	found->node = NULL;
	probe_free(&p);
}

void locate(struct exchange *x, const struct request *r)
{
	struct madkit_addr to = r->to;
	struct located found = { .last = NULL };
	char where[ROUTE_TEXT_MAX];
	struct probe p;
	uint8_t hops = 0;

	while (hops < r->to.hops && !cli_stopped() && !locate_is_over(x)) {
		int ret = locate_probe(x, &p, r, hops, "NodeInfo", 0);

		if (ret == EXIT_LOCAL) {
			found.error = p.answer.error ? -p.answer.error : EIO;
			exchange_tell(x, &p.request, &p.answer);
		}
		probe_free(&p);
		if (!locate_answered(ret))
			break;
		hops++;
	}
	if (cli_stopped())
		return;
	to.hops = hops ? (uint8_t)(hops - 1) : 0;
	found.last = hops ? &to : NULL;
	if (!found.error && hops < r->to.hops && locate_is_over(x)) {
		found.error = ETIMEDOUT;
		locate_tell(x, "the deadline ended --locate: %s%s",
			    hops ? "the last node that had responded was " :
				   "no node on the route had responded",
			    hops ? route_text(&to, where) : "");
	} else if (!found.error && hops) {
		locate_describe(x, r, &found);
		return;
	} else if (!found.error && r->to.lid != MADKIT_LID_PERMISSIVE) {
		locate_tell(x, "not even LID %u responds, where the route starts (path 0)", r->to.lid);
	} else if (!found.error) {
		locate_tell(x, "not even this node (path 0) responds");
	}
	locate_show_json(x, r, &found);
}
