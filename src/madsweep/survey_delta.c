/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/access.h>
#include <madkit/constants.h>
#include <madkit/cpi.h>
#include "survey_delta.h"

static const uint64_t survey_ns_per_s = 1000 * NS_PER_MS;

/* ---- the counters --------------------------------------------------------------------- */

/* Returns the counters of an attribute; NULL: memory ran out. */
static struct survey_kind *survey_kind_get(struct survey_delta *d, const struct madkit_attribute *attribute,
					   unsigned int has)
{
	struct survey_kind *kind;

	for (size_t i = 0; i < d->nkinds; i++)
		if (d->kinds[i].attribute == attribute && d->kinds[i].has == has)
			return &d->kinds[i];
	if (d->nkinds == SURVEY_KINDS)
		return NULL;
	kind = &d->kinds[d->nkinds];
	*kind = (struct survey_kind){ .attribute = attribute, .has = has };
	if (madkit_counters_new(attribute, has, &kind->counters))
		return NULL;
	d->nkinds++;
	return kind;
}

const struct madkit_attribute *survey_delta_attribute(const struct survey_delta *d)
{
	struct madkit_record record;

	madkit_counters_record(d->kinds[0].counters, NULL, &record);
	return record.attribute;
}

int survey_delta_new(const struct request *r, const struct output *out, struct survey_delta **delta)
{
	struct survey_delta *d = calloc(1, sizeof(*d));
	int status, ret = 0;

	*delta = d;
	if (!d)
		return cli_no_memory();
	d->request = r;
	if (r->header.mgmt_class != MADKIT_CLASS_PERF)
		return cli_usage_error("%s has no counters to compare: it is not an attribute of PerfMgt",
				       r->attribute_name);
	status = difference_new(r, 0, &d->kinds[0].counters);
	if (status)
		return status;
	d->kinds[0].attribute = r->attribute;
	d->nkinds = 1;
	if (r->header.attribute == MADKIT_ATTR_PORT_COUNTERS)
		ret = request_derive(r, "PortCountersExtended", 0, &d->wide);
	d->names_congestion = difference_asks_congestion(out);
	if (!ret && difference_shows_congestion(out))
		ret = difference_ticks_request(r, &d->ticks);
	return ret ? cli_no_memory() : output_check(out, survey_delta_attribute(d));
}

int survey_delta_sort(struct survey_delta *d, const struct madkit_expr *field)
{
	if (!difference_needs_congestion(field))
		return EXIT_DONE;
	d->names_congestion = true;
	return d->ticks.mad || !difference_ticks_request(d->request, &d->ticks) ? EXIT_DONE : cli_no_memory();
}

static void survey_delta_end(struct survey_delta *d)
{
	free(d->before);
	free(d->now);
	free(d->headers);
	survey_ticks_free(&d->tick_kinds);
	survey_paths_free(&d->paths);
	free(d->gbps);
	free(d->has);
	d->before = d->now = NULL;
	d->headers = NULL;
	d->gbps = NULL;
	d->has = NULL;
}

void survey_delta_free(struct survey_delta *d)
{
	if (!d)
		return;
	survey_delta_end(d);
	for (size_t i = 0; i < d->nkinds; i++)
		madkit_counters_free(d->kinds[i].counters);
	request_free(&d->wide);
	request_free(&d->ticks);
	free(d);
}

size_t survey_delta_ids(const struct survey_delta *d, uint16_t ids[SURVEY_SLOTS])
{
	ids[0] = d->wide.mad ? d->wide.header.attribute : d->request->header.attribute;
	ids[1] = d->request->header.attribute;
	return d->wide.mad ? 2 : 1;
}

/* ---- readings -------------------------------------------------------------------------- */

int survey_delta_begin(struct survey_delta *d, struct exchange *x, const struct scope *scope,
		       struct baseline *baseline)
{
	struct madkit_sweep_counts counts;
	const size_t n = scope->n + 1;

	survey_delta_end(d);
	d->x = x;
	d->scope = scope;
	d->baseline = baseline;
	d->lacks = d->is_wide = d->compared = d->congested = false;
	d->nslots = survey_delta_ids(d, d->ids);
	madkit_sweep_count(scope->area.sweep, &counts);
	d->before = calloc(n * d->nslots, sizeof(*d->before));
	d->now = calloc(n * d->nslots, sizeof(*d->now));
	d->headers = calloc(n * d->nslots, sizeof(*d->headers));
	d->gbps = calloc(n, sizeof(*d->gbps));
	d->has = calloc(counts.nodes + 1u, sizeof(*d->has));
	if (!d->before || !d->now || !d->headers || !d->gbps || !d->has ||
	    (d->ticks.mad && survey_ticks_begin(&d->tick_kinds, scope)))
		return cli_no_memory();
	return EXIT_DONE;
}

/* Returns when a response arrived: by the clock of the baseline, or by that of the port, which is not set back. */
static uint64_t survey_delta_time(const struct survey_delta *d, const struct answer *a)
{
	if (!d->baseline)
		return a->job.reply.recv ? a->job.reply.recv->time_ns : 0;
	return (uint64_t)a->message.time.tv_sec * survey_ns_per_s + (uint64_t)a->message.time.tv_nsec;
}

void survey_delta_take(struct survey_delta *d, size_t at, const struct answer *a)
{
	const size_t i = at * d->nslots + d->slot;

	if (d->slot == SURVEY_SLOT_TICKS) {
		survey_ticks_take(&d->tick_kinds, at, a, d->ticks.data_offset);
		return;
	}
	d->now[i].len = 0;
	d->lacks |= d->slot == SURVEY_SLOT_FIRST && a->status == EXIT_STATUS;
	if (a->status || a->message.kind != MADKIT_MESSAGE_RESPONSE)
		return;
	madkit_reading_take(&d->now[i], &a->message, survey_delta_time(d, a));
	memcpy(d->headers[i], a->message.mad, sizeof(d->headers[i]));
}

void survey_delta_take_has(struct survey_delta *d, uint32_t node, unsigned int has)
{
	d->has[node] = (uint8_t)has;
}

bool survey_delta_is_wide(const struct survey_delta *d)
{
	const unsigned int all = MADKIT_CPI_COUNTERS_EXTENDED | MADKIT_CPI_COUNTERS_ERRORS;
	bool any = false;

	for (size_t at = 0; at < d->scope->n && !d->lacks; at++) {
		const struct madkit_reading *r = &d->now[at * d->nslots];

		if (r[SURVEY_SLOT_FIRST].len && (d->has[d->scope->ports[at].node] & all) != all)
			return false;
		any |= r[SURVEY_SLOT_FIRST].len > 0;
	}
	return any;
}

void survey_delta_advance(struct survey_delta *d)
{
	struct madkit_reading *earlier = d->before;

	d->before = d->now;
	d->now = earlier;
	for (size_t i = 0; i < d->scope->n * d->nslots; i++) {
		if (!d->before[i].len)
			d->before[i] = earlier[i];
		d->now[i].len = 0;
	}
}

/* ---- comparing --------------------------------------------------------------------------- */

/* The readings of a port, as madkit_counters_compare() needs them. */
struct survey_pair {
	const struct madkit_reading *before, *now;
	struct madkit_reading copies[SURVEY_SLOTS]; /* of the baseline */
};

/* Finds the earlier readings of a port in the baseline. */
static void survey_pair_find(const struct survey_delta *d, size_t at, struct survey_pair *pair)
{
	const struct scope_port *port = &d->scope->ports[at];
	struct madkit_reading_key key = {
		.node_guid = madkit_sweep_node(d->scope->area.sweep, port->node)->guid, .port = port->port
	};
	uint16_t ids[SURVEY_SLOTS];
	const size_t n = survey_delta_ids(d, ids);

	for (size_t i = 0; i < SURVEY_SLOTS; i++) {
		const struct madkit_reading *r = NULL;

		key.attribute = ids[i];
		if (i < n)
			r = madkit_readings_get(d->baseline->readings, &key);
		pair->copies[i].len = 0;
		if (r)
			pair->copies[i] = *r;
	}
	pair->before = pair->copies;
}

/* Checks if a port has a reading of any attribute. */
static bool survey_pair_has(const struct survey_delta *d, const struct madkit_reading *readings)
{
	return readings[0].len || (d->nslots > 1 && readings[1].len);
}

static void survey_pair_get(const struct survey_delta *d, size_t at, struct survey_pair *pair)
{
	pair->now = &d->now[at * d->nslots];
	if (d->baseline)
		survey_pair_find(d, at, pair);
	else
		pair->before = &d->before[at * d->nslots];
}

/* As madkit_record_value(), faster: field is a constant of the object port. */
static bool survey_port_value(const struct madkit_record *port, uint64_t field, uint64_t *value)
{
	uint64_t known = 0;

	return !madkit_get(port->known, port->len, field, &known) && known &&
	       !madkit_get(port->data, port->len, field, value);
}

/* Returns why a port has no earlier reading. *replaced: the other port that was in its place. */
static enum madkit_counters_event survey_delta_event(const struct survey_delta *d,
						     const struct madkit_record *port,
						     const struct survey_pair *pair,
						     const struct baseline_port **replaced)
{
	uint64_t guid = 0, number = 0, peer = 0, peer_number = 0;

	*replaced = NULL;
	if (survey_pair_has(d, pair->before))
		return MADKIT_COUNTERS_NONE;
	if (!d->baseline)
		return MADKIT_COUNTERS_SILENT;
	survey_port_value(port, MADKIT_PORT_OBJECT_NODE_GUID, &guid);
	survey_port_value(port, MADKIT_PORT_OBJECT_NUMBER, &number);
	survey_port_value(port, MADKIT_PORT_OBJECT_PEER_NODE_GUID, &peer);
	survey_port_value(port, MADKIT_PORT_OBJECT_PEER_NUMBER, &peer_number);
	if (baseline_find(d->baseline, guid, (uint8_t)number))
		return MADKIT_COUNTERS_SILENT;
	*replaced = baseline_behind(d->baseline, peer, (uint8_t)peer_number);
	if (*replaced && (*replaced)->node_guid != guid)
		return MADKIT_COUNTERS_REPLACED;
	*replaced = NULL;
	return d->baseline->partial ? MADKIT_COUNTERS_NONE : MADKIT_COUNTERS_ADDED;
}

/* Returns the link of a port, as far as the rates depend on it. */
static struct madkit_counters_link survey_delta_link(struct survey_delta *d, size_t at,
						     const struct madkit_record *port)
{
	uint64_t gbps = 0;

	survey_port_value(port, MADKIT_PORT_OBJECT_GBPS, &gbps);
	d->gbps[at] = (float)gbps;
	return (struct madkit_counters_link){
		.gbps = (double)gbps,
		.wait_octets = d->ticks.mad ? survey_ticks_octets(&d->tick_kinds, at) : 0,
	};
}

/* Chooses the counters of a port: those that both readings have. Moves the readings to their attributes. */
static struct survey_kind *survey_pair_kind(struct survey_delta *d, size_t at,
					    const struct madkit_attribute *attribute,
					    struct survey_pair *pair)
{
	unsigned int has = d->wide.mad ? d->has[d->scope->ports[at].node] : 0;

	if (!d->wide.mad)
		return survey_kind_get(d, attribute ? attribute : d->request->attribute, 0);
	if (!(has & MADKIT_CPI_COUNTERS_EXTENDED) || !pair->now[SURVEY_SLOT_FIRST].len ||
	    (!pair->before[SURVEY_SLOT_FIRST].len && pair->before[SURVEY_SLOT_SECOND].len)) {
		has = 0;
		pair->before += SURVEY_SLOT_SECOND;
		pair->now += SURVEY_SLOT_SECOND;
	}
	return survey_kind_get(d, d->request->attribute, has);
}

/* Describes the difference of the counters that were compared last. */
static void survey_delta_describe(const struct survey_delta *d, const struct survey_pair *pair,
				  const struct madkit_record *port, const struct madkit_message *message,
				  struct survey_compared *c)
{
	struct difference *difference = &c->difference;
	const struct madkit_reading *before = pair->before, *now = pair->now;

	*difference = (struct difference){
		.out = d->x->out,
		.counters = c->kind->counters,
		.attribute = madkit_counters_attribute(c->kind->counters, 0)->name,
		.timed = before->len && now->len && now->time_ns >= before->time_ns,
	};
	difference->of_port = survey_port_value(port, MADKIT_PORT_OBJECT_NUMBER, &difference->port);
	if (difference->timed)
		difference->interval_ns = now->time_ns - before->time_ns;
	madkit_counters_record(c->kind->counters, message, &c->record);
}

bool survey_delta_compare(struct survey_delta *d, size_t at, const struct madkit_attribute *attribute,
			  const struct madkit_record *port, const struct madkit_message *message,
			  struct survey_compared *c)
{
	struct madkit_counters_link link;
	struct survey_pair pair;
	enum madkit_counters_event event;

	survey_pair_get(d, at, &pair);
	event = survey_delta_event(d, port, &pair, &c->replaced);
	c->kind = survey_pair_kind(d, at, attribute, &pair);
	if (!c->kind)
		return false;
	if (c->replaced)
		baseline_note(d->baseline, c->replaced);
	link = survey_delta_link(d, at, port);
	madkit_counters_set_link(c->kind->counters, &link);
	madkit_counters_set_event(c->kind->counters, event);
	madkit_counters_compare(c->kind->counters, pair.before, pair.now);
	d->compared |= event == MADKIT_COUNTERS_NONE;
	d->congested |= madkit_counters_congestion(c->kind->counters) >= 0;
	c->header = d->headers[pair.now - d->now];
	survey_delta_describe(d, &pair, port, message, c);
	c->difference.readings = &d->now[at * d->nslots];
	c->difference.nreadings = d->nslots;
	c->difference.ids = d->ids;
	c->difference.now_ns = d->now[at * d->nslots + d->slot].time_ns;
	c->difference.gbps = link.gbps;
	if (!c->kind->looked) {
		const struct madkit_change *narrow = difference_narrow(&c->difference);

		c->kind->narrow = narrow ? narrow->field : NULL;
		c->kind->looked = event == MADKIT_COUNTERS_NONE;
	}
	return true;
}

void survey_delta_gone(struct survey_delta *d, const struct madkit_message *message,
		       struct survey_compared *c)
{
	const struct madkit_reading none[SURVEY_SLOTS] = { { .len = 0 } };
	const struct survey_pair pair = { .before = none, .now = none };

	*c = (struct survey_compared){ .kind = &d->kinds[0] };
	madkit_counters_set_event(c->kind->counters, MADKIT_COUNTERS_GONE);
	madkit_counters_compare(c->kind->counters, none, none);
	survey_delta_describe(d, &pair, message->port, message, c);
}

/* ---- messages ---------------------------------------------------------------------------- */

size_t survey_delta_unpaired(const struct survey_delta *d)
{
	struct survey_pair pair;
	size_t n = 0;

	for (size_t at = 0; at < d->scope->n; at++) {
		const struct scope_port *port = &d->scope->ports[at];
		const uint64_t guid = madkit_sweep_node(d->scope->area.sweep, port->node)->guid;

		survey_pair_get(d, at, &pair);
		n += survey_pair_has(d, pair.now) && !survey_pair_has(d, pair.before) &&
		     (!d->baseline || d->baseline->partial || baseline_find(d->baseline, guid, port->port));
	}
	return n;
}

void survey_delta_tell_narrow(struct survey_delta *d)
{
	const struct madkit_field *narrow = NULL;
	char full[DIFFERENCE_FULL_BYTES];
	struct survey_pair pair;
	double gbps = 0;
	size_t n = 0;

	for (size_t at = 0; at < d->scope->n; at++) {
		const struct survey_kind *kind;

		survey_pair_get(d, at, &pair);
		if (!survey_pair_has(d, pair.now))
			continue;
		kind = survey_pair_kind(d, at, NULL, &pair);
		if (!kind || !kind->narrow)
			continue;
		narrow = kind->narrow;
		n++;
		if (d->gbps[at] > gbps)
			gbps = d->gbps[at];
	}
	if (narrow)
		cli_say("%s has %" PRIu32 " bits at %zu %s: %s", narrow->name, narrow->width, n,
			n == 1 ? "port" : "ports", difference_full(narrow, gbps, full));
}

void survey_delta_tell_congestion(const struct survey_delta *d)
{
	static const char wait[] = "PortXmitWait";
	struct madkit_place place;

	if (!d->names_congestion || !d->compared || d->congested)
		return;
	if (madkit_place_find(survey_delta_attribute(d)->layout, wait, sizeof(wait) - 1, &place, NULL))
		cli_say("congestion is not known: %s does not have %s", d->request->attribute_name, wait);
	else if (!d->tick_kinds.n)
		cli_say("congestion is not known: madkit does not know the ticks of %s of these devices",
			wait);
	else if (!survey_ticks_any(&d->tick_kinds))
		cli_say("congestion is not known: no device has responded with Tick of PortSamplesControl");
}
