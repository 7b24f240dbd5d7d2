/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "passage.h"
#include "route.h"
#include "util/array_size.h"

/* ---- options ------------------------------------------------------------------------- */

int route_check(const struct madsweep_options *o)
{
	const char *comma = o->route ? strchr(o->route, ',') : NULL;

	if (o->route && (!comma || comma == o->route || !comma[1] || strchr(comma + 1, ',')))
		return cli_usage_error("--route '%s' is not two nodes: A,B", o->route);
	if (o->route && o->mlid)
		return cli_usage_error("--route and --mlid contradict each other");
	if (route_is_wanted(o) && (o->from || o->behind || o->have_hops || o->sort))
		return cli_usage_error("%s has no effect with %s",
				       o->from      ? "--from" :
				       o->behind    ? "--behind" :
				       o->have_hops ? "--hops" :
						      "--sort",
				       o->route ? "--route" : "--mlid");
	return EXIT_DONE;
}

/* ---- following ------------------------------------------------------------------------- */

struct route_drive {
	struct madkit_sweep *sweep;
	struct routes *routes;
	uint16_t mlid;
};

/* Continues until the paths and what passes them are known, or the tree is complete. A step of exchange_drive(). */
static int route_step(void *context, uint64_t until_ns)
{
	struct route_drive *d = context;
	struct routes *r = d->routes;
	int ret;

	if (!r->npaths)
		return madkit_tree_read(d->sweep, d->mlid, until_ns, &r->tree);
	ret = madkit_path_follow(d->sweep, r->paths, r->npaths, until_ns);
	return ret == 1 ? madkit_passage_read(d->sweep, r->paths, r->passages, r->npaths, until_ns) : ret;
}

/* ---- the ports ------------------------------------------------------------------------- */

/* Checks if a port is in the scope before an index. */
static bool route_passed(const struct scope *scope, size_t before, struct scope_port at)
{
	for (size_t i = 0; i < before; i++)
		if (scope->ports[i].node == at.node && scope->ports[i].port == at.port)
			return true;
	return false;
}

size_t route_count(const struct scope *scope)
{
	size_t n = 0;

	for (size_t i = 0; i < scope->n; i++)
		n += !route_passed(scope, i, scope->ports[i]);
	return n;
}

static void route_add(struct routes *r, struct scope *scope, const struct madkit_expr *select,
		      struct scope_port at, struct route_place place)
{
	struct madkit_sweep_record record;

	if (r->once && route_passed(scope, scope->n, at))
		return;
	if (select) {
		scope_record(scope, &at, &record);
		if (madkit_expr_eval(select, &record.record) != 1)
			return;
	}
	r->places[scope->n] = place;
	scope->ports[scope->n++] = at;
}

static bool route_ends_behind(const struct madkit_path *path)
{
	return path->end == MADKIT_PATH_DOWN || path->end == MADKIT_PATH_INACTIVE ||
	       path->end == MADKIT_PATH_UNKNOWN;
}

/* Checks if the route may continue beyond the point up to which it was followed. */
static bool route_may_continue(const struct madkit_path *path)
{
	return path->end == MADKIT_PATH_UNKNOWN || path->end == MADKIT_PATH_SILENT ||
	       path->end == MADKIT_PATH_REFUSED;
}

static bool route_arrives(const struct madkit_path *path)
{
	return path->end == MADKIT_PATH_ARRIVED;
}

/* Adds the ports of a hop: the ingress and the egress port. At the last hop, one of them has the reason why
 * the route ends. */
static void route_add_hop(struct routes *r, struct scope *scope, const struct madkit_expr *select,
			  unsigned int number, unsigned int i)
{
	const struct madkit_path *path = &r->paths[number];
	const struct madkit_path_hop *hop = &path->hops[i];
	const bool last = i + 1u == path->nhops, leaves = !last || route_ends_behind(path);
	struct route_place place = {
		.path = (uint8_t)number,
		.number = (uint8_t)i,
		.adaptive = hop->adaptive,
		.adaptive_known = hop->adaptive_known,
		.entry = hop->egress,
	};

	if (!leaves)
		place.end = path->end;
	if (i || !leaves) {
		/* the row before shows this port as the other end of its link; hide it unless it has a
		 * note */
		place.quiet = i && (leaves || route_arrives(path)) &&
			      !(route_arrives(path) && passage_has_note(&r->passages[number], i, false));
		route_add(r, scope, select, (struct scope_port){ hop->node, i ? hop->ingress : path->port },
			  place);
	}
	if (leaves) {
		place.quiet = false;
		place.egress = true;
		place.end = last ? path->end : MADKIT_PATH_UNFINISHED;
		route_add(r, scope, select, (struct scope_port){ hop->node, hop->egress }, place);
	}
}

static int route_list(struct routes *r, struct scope *scope, const struct madkit_expr *select)
{
	size_t room = r->tree ? r->tree->count : 0;

	for (size_t i = 0; i < r->npaths; i++)
		room += 2u * r->paths[i].nhops;
	scope->ports = calloc(room + 1, sizeof(*scope->ports));
	r->places = calloc(room + 1, sizeof(*r->places));
	if (!scope->ports || !r->places)
		return cli_no_memory();
	for (unsigned int number = 0; number < r->npaths; number++)
		for (unsigned int i = 0; i < r->paths[number].nhops; i++)
			route_add_hop(r, scope, select, number, i);
	for (uint32_t i = 0; r->tree && i < r->tree->count; i++) {
		const struct madkit_tree_port *p = &r->tree->ports[i];

		route_add(r, scope, select, (struct scope_port){ p->node, p->port },
			  (struct route_place){ .egress = true, .flags = p->flags });
	}
	return EXIT_DONE;
}

int route_make(struct exchange *x, struct madkit_sweep *s, const struct madkit_expr *select, bool once,
	       struct routes *r, struct scope *scope)
{
	const struct madsweep_options *o = madsweep_options(x->options);
	struct route_drive drive = { .sweep = s, .routes = r, .mlid = o->mlid };
	struct route_end ends[2];
	int status = EXIT_DONE, ret;

	*scope = (struct scope){ .x = x, .area.sweep = s, .order = scope->order };
	scope->read = scope_count(scope);
	r->once = once;
	if (o->route) {
		status = route_find_ends(x, s, o->route, o->both, ends);
		if (status)
			return status;
		r->npaths = o->both ? 2 : 1;
		for (size_t i = 0; i < r->npaths; i++) {
			r->ends[i] = ends[!i].at;
			r->passages[i].sl = x->options->to.addr.sl;
			r->paths[i] = (struct madkit_path){ .node = ends[i].at.node,
							    .port = ends[i].at.port,
							    .lid = ends[!i].lid };
		}
	}
	ret = madkit_sweep_label(s, NULL);
	if (!ret)
		ret = exchange_drive(x, route_step, NULL, &drive);
	if (cli_stopped())
		return cli_stopped_status();
	if (x->out->status)
		return x->out->status;
	if (ret < 0)
		return cli_failed(ret, "cannot follow the %s", o->route ? "route" : "tree");
	return route_list(r, scope, select);
}

void route_free(struct routes *r)
{
	madkit_tree_free(r->tree);
	free(r->places);
	r->tree = NULL;
	r->places = NULL;
}

/* ---- description of a place ------------------------------------------------------------- */

static const struct {
	const char *word; /* in JSON */
	const char *note;
} route_ends[] = {
	[MADKIT_PATH_UNFINISHED] = { NULL, NULL },
	[MADKIT_PATH_ARRIVED] = { "arrived", "the LID is that of this port" },
	[MADKIT_PATH_STRAY] = { "stray", "arrives here, but this port does not have the LID" },
	[MADKIT_PATH_LOOP] = { "loop", "loop: the route has passed this switch before" },
	[MADKIT_PATH_NO_ROUTE] = { "no route", "no route: the table has port 255" },
	[MADKIT_PATH_BEYOND_TOP] = { "beyond LinearFDBTop", "no route: the LID is beyond LinearFDBTop" },
	[MADKIT_PATH_BAD_PORT] = { "bad port", NULL },
	[MADKIT_PATH_DOWN] = { "down", "the route ends here: the link is down" },
	[MADKIT_PATH_UNKNOWN] = { "unknown", "the node behind it is not known" },
	[MADKIT_PATH_SILENT] = { "silent", "no response to the request for the table" },
	[MADKIT_PATH_REFUSED] = { "refused", "the switch does not show its table" },
	[MADKIT_PATH_LONG] = { "too long", "the route is too long" },
	[MADKIT_PATH_INACTIVE] = { "inactive", "the link is not Active: packets are discarded here" },
};

static const struct {
	uint8_t flag;
	const char *word, *note;
} route_flags[] = {
	{ MADKIT_TREE_MEMBER, "member", "member" },
	{ MADKIT_TREE_ONE_WAY, "one way", "one way: the tree does not have the port at the other end" },
	{ MADKIT_TREE_LOOP, "loop", "loop" },
	{ MADKIT_TREE_DOWN, "down", "the link is down" },
	{ MADKIT_TREE_UNKNOWN, "unknown", "the node behind it is not known" },
	{ MADKIT_TREE_SILENT, "silent", "no response to the request for the table" },
	{ MADKIT_TREE_REFUSED, "refused", "the switch does not show its table" },
	{ MADKIT_TREE_INACTIVE, "inactive", "the link is not Active: packets are discarded here" },
};

bool route_is_broken(const struct route_place *place)
{
	return place->end > MADKIT_PATH_ARRIVED || place->flags & ~(unsigned int)MADKIT_TREE_MEMBER;
}

const char *route_note(const struct routes *r, const struct route_place *place, char buf[PORT_NOTE_MAX])
{
	size_t len = 0;

	buf[0] = '\0';
	if (place->end == MADKIT_PATH_BAD_PORT)
		snprintf(buf, PORT_NOTE_MAX, "no route: the table has port %u, which does not exist",
			 place->entry);
	else if (route_ends[place->end].note)
		snprintf(buf, PORT_NOTE_MAX, "%s", route_ends[place->end].note);
	else if (place->adaptive && place->egress)
		snprintf(buf, PORT_NOTE_MAX, "adaptive routing");
	for (size_t i = 0; r->tree && i < ARRAY_SIZE(route_flags); i++)
		if (place->flags & route_flags[i].flag && len < 96)
			len += (size_t)snprintf(buf + len, PORT_NOTE_MAX - len, "%s%s", len ? "; " : "",
						route_flags[i].note);
	if (r->npaths && route_arrives(&r->paths[place->path]))
		passage_put_notes(&r->passages[place->path], place->number, place->egress, buf,
				  PORT_NOTE_MAX);
	return buf[0] ? buf : NULL;
}

void route_write(const void *context, struct madkit_writer *w)
{
	const struct route_view *view = context;
	const struct route_place *place = view->place;
	const struct routes *r = view->routes;
	const struct madkit_passage *passage =
		r->npaths && route_arrives(&r->paths[place->path]) ? &r->passages[place->path] : NULL;
	unsigned int vl;

	madkit_writer_known(w, "number", !r->tree, place->number);
	madkit_writer_string(w, "direction", place->egress ? "egress" : "ingress");
	madkit_writer_number(w, "lid", r->tree ? r->tree->lid : r->paths[place->path].lid);
	madkit_writer_bool(w, "back", place->path > 0);
	if (place->adaptive_known)
		madkit_writer_bool(w, "adaptive", place->adaptive);
	else
		madkit_writer_null(w, "adaptive");
	madkit_writer_array(w, "notes");
	if (route_ends[place->end].word)
		madkit_writer_string(w, NULL, route_ends[place->end].word);
	for (size_t i = 0; r->tree && i < ARRAY_SIZE(route_flags); i++)
		if (place->flags & route_flags[i].flag)
			madkit_writer_string(w, NULL, route_flags[i].word);
	if (passage)
		passage_write_notes(passage, place->number, place->egress, w);
	madkit_writer_close(w);
	madkit_writer_known(w, "sl", !r->tree, r->tree ? 0 : r->passages[place->path].sl);
	vl = passage && place->egress ? passage->hops[place->number].vl : MADKIT_PASSAGE_NO_VL;
	madkit_writer_known(w, "vl", vl != MADKIT_PASSAGE_NO_VL, vl);
}

/* ---- titles ------------------------------------------------------------------------------ */

bool route_begins(const struct routes *r, size_t i)
{
	return !i || r->places[i].path != r->places[i - 1].path;
}

static void route_put_end(struct madkit_buf *buf, const struct madkit_sweep *s, struct scope_port at)
{
	const struct madkit_sweep_node *n = madkit_sweep_node(s, at.node);
	const char *name = madkit_sweep_name(s, n);

	if (name)
		madkit_text_escape(buf, name, strlen(name));
	else if (n->described == MADKIT_SWEEP_ANSWERED)
		madkit_text_escape(buf, (const char *)n->description,
				   strnlen((const char *)n->description, sizeof(n->description)));
	else
		madkit_buf_printf(buf, "0x%016" PRIx64, n->guid);
	madkit_buf_printf(buf, " port %u", at.port);
}

/* Counts of a tree. */
struct route_tree {
	uint32_t switches, members, loops, one_way, down, inactive, unread;
};

static struct route_tree route_count_tree(const struct madkit_tree *tree)
{
	struct route_tree n = { 0 };

	for (uint32_t i = 0; i < tree->count; i++) {
		n.switches += !i || tree->ports[i].node != tree->ports[i - 1].node;
		n.members += tree->ports[i].flags & MADKIT_TREE_MEMBER;
		n.loops += !!(tree->ports[i].flags & MADKIT_TREE_LOOP);
		n.one_way += !!(tree->ports[i].flags & MADKIT_TREE_ONE_WAY);
		n.down += !!(tree->ports[i].flags & MADKIT_TREE_DOWN);
		n.inactive += !!(tree->ports[i].flags & MADKIT_TREE_INACTIVE);
		n.unread += !!(tree->ports[i].flags &
			       (MADKIT_TREE_UNKNOWN | MADKIT_TREE_SILENT | MADKIT_TREE_REFUSED));
	}
	return n;
}

static const char *route_outcome(const struct routes *r, unsigned int number)
{
	static const char *const arrivals[] = {
		[MADKIT_PASSING_UNREAD] = "may arrive",
		[MADKIT_PASSING] = "arrives",
		[MADKIT_PASSING_DISCARDED] = "does not arrive",
	};
	const struct madkit_path *path = &r->paths[number];

	if (route_arrives(path))
		return arrivals[r->passages[number].passes];
	if (path->end == MADKIT_PATH_UNFINISHED || route_may_continue(path))
		return "not followed to its end";
	return "does not arrive";
}

static struct passage_of route_passage(const struct routes *r, const struct madkit_sweep *s,
				       unsigned int number)
{
	return (struct passage_of){ s, &r->paths[number], &r->passages[number], r->ends[number].node,
				    r->ends[number].port };
}

void route_title(const struct routes *r, const struct scope *scope, size_t i, struct madkit_buf *buf)
{
	const struct madkit_path *path = &r->paths[r->places[i].path];
	const struct passage_of of = route_passage(r, scope->area.sweep, r->places[i].path);

	if (r->tree) {
		const struct route_tree n = route_count_tree(r->tree);

		madkit_buf_printf(buf, "# multicast LID 0x%x: %" PRIu32 " %s, %" PRIu32 " %s\n", r->tree->lid,
				  n.switches, n.switches == 1 ? "switch" : "switches", n.members,
				  n.members == 1 ? "member" : "members");
		return;
	}
	madkit_buf_str(buf, i ? "\n# from " : "# from ");
	route_put_end(buf, scope->area.sweep, (struct scope_port){ path->node, path->port });
	madkit_buf_str(buf, " to ");
	route_put_end(buf, scope->area.sweep, r->ends[r->places[i].path]);
	madkit_buf_printf(buf, " (LID %u): %s", path->lid, route_outcome(r, r->places[i].path));
	if (route_arrives(path)) {
		madkit_buf_str(buf, ": ");
		passage_title(&of, buf);
	}
	madkit_buf_char(buf, '\n');
}

void route_write_summary(const struct routes *r, const struct madkit_sweep *s, struct madkit_writer *w)
{
	madkit_writer_array(w, "routes");
	for (unsigned int i = 0; i < r->npaths; i++) {
		const struct passage_of of = route_passage(r, s, i);

		madkit_writer_object(w, NULL);
		madkit_writer_number(w, "lid", r->paths[i].lid);
		madkit_writer_bool(w, "back", i > 0);
		madkit_writer_string(w, "outcome", route_outcome(r, i));
		if (route_arrives(&r->paths[i]))
			passage_write(&of, w);
		madkit_writer_close(w);
	}
	madkit_writer_close(w);
}

/* ---- the end ------------------------------------------------------------------------------ */

static void route_tell_path(const struct routes *r, const struct scope *scope, unsigned int number)
{
	const struct madkit_path *path = &r->paths[number];
	const struct madkit_path_hop *hop = &path->hops[path->nhops - 1];
	const struct route_place place = { .end = path->end, .entry = hop->egress };
	struct madkit_buf name;
	char note[PORT_NOTE_MAX];

	madkit_buf_init(&name, 0);
	route_put_end(&name, scope->area.sweep,
		      (struct scope_port){ hop->node, route_ends_behind(path) ? hop->egress :
						      path->nhops > 1         ? hop->ingress :
										path->port });
	madkit_buf_char(&name, '\0');
	if (!name.error)
		cli_say("the route to LID %u %s: %s: %s", path->lid,
			route_may_continue(path) ? "was not followed to its end" : "does not arrive",
			name.data, route_note(r, &place, note));
	madkit_buf_free(&name);
}

static int route_judge_tree(const struct madkit_tree *tree, const struct madkit_sweep *s)
{
	const struct route_tree n = route_count_tree(tree);
	const bool hidden = !tree->count && area_may_miss(s);

	if (n.unread)
		cli_say("the tree may have more members: %" PRIu32 " of its switches or links were not read",
			n.unread);
	else if (hidden)
		cli_say("no switch that was read has the multicast LID 0x%x; the sweep is not complete: "
			"perhaps a switch that did not respond has it",
			tree->lid);
	else if (!tree->count)
		cli_say("no switch has the multicast LID 0x%x", tree->lid);
	if (tree->parts > 1 && n.unread)
		cli_say("it is not known whether the %" PRIu32 " parts of the tree are connected",
			tree->parts);
	else if (tree->parts > 1)
		cli_say("the tree has %" PRIu32 " parts that are not connected", tree->parts);
	if (n.loops)
		cli_say("the tree has a loop of %" PRIu32 " port%s", n.loops, n.loops == 1 ? "" : "s");
	if (n.one_way)
		cli_say("the tree has %" PRIu32 " port%s, but not the port at the other end", n.one_way,
			n.one_way == 1 ? "" : "s");
	if (n.down)
		cli_say("%" PRIu32 " port%s of the tree %s no link: packets are discarded there", n.down,
			n.down == 1 ? "" : "s", n.down == 1 ? "has" : "have");
	if (n.inactive)
		cli_say("%" PRIu32 " link%s of the tree %s not Active: packets are discarded there",
			n.inactive, n.inactive == 1 ? "" : "s", n.inactive == 1 ? "is" : "are");
	if (n.loops || n.one_way || n.down || n.inactive)
		return EXIT_NOTHING;
	if (n.unread || hidden)
		return EXIT_TIMEOUT;
	return tree->count && tree->parts <= 1 ? EXIT_DONE : EXIT_NOTHING;
}

static int route_judge_passage(const struct routes *r, const struct scope *scope, unsigned int number)
{
	const struct passage_of of = route_passage(r, scope->area.sweep, number);

	if (of.passage->passes == MADKIT_PASSING)
		return EXIT_DONE;
	passage_tell(&of);
	if (of.passage->passes == MADKIT_PASSING_DISCARDED)
		return EXIT_NOTHING;
	return madsweep_is_strict(scope->x->options) ? EXIT_TIMEOUT : EXIT_DONE;
}

int route_judge(const struct routes *r, const struct scope *scope)
{
	int status = r->tree ? route_judge_tree(r->tree, scope->area.sweep) : EXIT_DONE;

	for (unsigned int i = 0; i < r->npaths; i++) {
		if (r->paths[i].end == MADKIT_PATH_UNFINISHED)
			continue;
		if (route_arrives(&r->paths[i])) {
			status = exit_worst(status, route_judge_passage(r, scope, i));
			continue;
		}
		route_tell_path(r, scope, i);
		if (!route_may_continue(&r->paths[i]))
			status = EXIT_NOTHING;
		else if (!status)
			status = EXIT_TIMEOUT;
	}
	return status;
}
