/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the file of a baseline. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <madkit/json_in.h>
#include <madkit/registry.h>
#include "baseline.h"
#include "cli/cli.h"
#include "cli/input.h"
#include "cli/lines.h"
#include "cli/wait.h"

enum { BASELINE_READINGS_MAX = 1 << 20, BASELINE_ATTRIBUTES = 16 };

static const char baseline_future[] = "its time is in the future: was a clock set back?";

/* The state while a file is read. */
struct baseline_reader {
	struct baseline *baseline;
	struct madkit_json_in *in;
	struct lines lines;
	const char *option;
	const uint16_t *attributes;
	size_t n;
	uint64_t now_ns;
	char other[64]; /* an attribute that the file has instead */
	/* the run that is read: */
	uint64_t run;       /* its number */
	uint64_t responses; /* lines of kind response */
	bool wanted;        /* it has lines about the attributes */
	bool superseded;    /* there is an earlier run, which is not compared */
	/* by attribute: the last run that has it, from 1 */
	uint64_t runs[BASELINE_ATTRIBUTES];
};

/* ---- lines --------------------------------------------------------------------------------- */

static int baseline_refuse(const struct baseline_reader *r, const char *why)
{
	cli_insist("%s %s, line %" PRIu64 ": %s", r->option, r->baseline->path, r->lines.number, why);
	return EXIT_MALFORMED;
}

/* attribute: its description, or NULL. */
static bool baseline_wants(struct baseline_reader *r, const struct madkit_attribute *attribute,
			   uint8_t mgmt_class, uint16_t id)
{
	for (size_t i = 0; mgmt_class == MADKIT_CLASS_PERF && i < r->n; i++)
		if (r->attributes[i] == id)
			return true;
	if (attribute)
		snprintf(r->other, sizeof(r->other), "%s", attribute->name);
	return false;
}

/* ---- runs ---------------------------------------------------------------------------------- */

/* Checks if the port has a reading of any attribute. */
static bool baseline_has_reading(const struct baseline_reader *r, const struct baseline_port *port)
{
	struct madkit_reading_key key = { .node_guid = port->node_guid, .port = port->number };

	for (size_t i = 0; i < r->n; i++) {
		key.attribute = r->attributes[i];
		if (madkit_readings_get(r->baseline->readings, &key))
			return true;
	}
	return false;
}

/* Removes the readings of an attribute, because a later run has it. */
static int baseline_drop(struct baseline_reader *r, uint16_t attribute)
{
	struct baseline *b = r->baseline;
	struct baseline_port *ports = (struct baseline_port *)(void *)b->list.data;
	const size_t nports = b->list.len / sizeof(*ports);
	struct madkit_readings *rest = madkit_readings_new();
	const struct madkit_reading_key *key;
	int ret = rest ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && (key = madkit_readings_key(b->readings, i)); i++)
		if (key->attribute != attribute)
			ret = madkit_readings_put(rest, key, madkit_readings_get(b->readings, key));
	if (ret) {
		madkit_readings_free(rest);
		return cli_no_memory();
	}
	madkit_readings_free(b->readings);
	b->readings = rest;
	r->superseded = true;
	if (!madkit_readings_count(rest)) {
		madkit_buf_reset(&b->list);
		b->first_ns = b->last_ns = 0;
		return EXIT_DONE;
	}
	/* a port that only the earlier run has is not in the subnet of the later one */
	b->list.len = 0;
	for (size_t i = 0; i < nports; i++)
		if (!ports[i].read || baseline_has_reading(r, &ports[i])) {
			memmove(b->list.data + b->list.len, &ports[i], sizeof(*ports));
			b->list.len += sizeof(*ports);
		}
	return EXIT_DONE;
}

/* Notes that the run has an attribute. */
static int baseline_begin_attribute(struct baseline_reader *r, uint16_t attribute)
{
	r->wanted = true;
	for (size_t i = 0; i < r->n; i++) {
		const uint64_t before = r->runs[i];

		if (r->attributes[i] != attribute)
			continue;
		r->runs[i] = r->run;
		return before && before != r->run ? baseline_drop(r, attribute) : EXIT_DONE;
	}
	return EXIT_DONE;
}

/* Ends a run with its summary. */
static int baseline_end_run(struct baseline_reader *r, const struct madkit_json_run *run)
{
	if (r->wanted && run->cut)
		return baseline_refuse(r, "the deadline or a signal ended this run");
	if (r->wanted) {
		/* a filter has left out lines */
		r->baseline->partial = run->partial || run->read > r->responses;
	}
	r->run++;
	r->responses = 0;
	r->wanted = false;
	return EXIT_DONE;
}

/* ---- ports ---------------------------------------------------------------------------------- */

/* Copies the text of a field of the port. */
static void baseline_get_name(const struct madkit_record *record, const char *field, char name[65])
{
	struct madkit_place place;

	if (!madkit_place_find(record->layout, field, strlen(field), &place, NULL))
		snprintf(name, 65, "%.64s",
			 (const char *)record->data + (place.base + place.field->offset) / 8);
}

/* Copies the ends of the link of a line. Returns -EINVAL if it names no port. */
static int baseline_get_port(const struct madkit_record *record, struct baseline_port *port)
{
	uint64_t guid, number, peer_guid = 0, peer_number = 0;

	if (!record || madkit_record_value(record, "node.guid", &guid) ||
	    madkit_record_value(record, "number", &number))
		return -EINVAL;
	madkit_record_value(record, "peer.node.guid", &peer_guid);
	madkit_record_value(record, "peer.number", &peer_number);
	*port = (struct baseline_port){ .node_guid = guid,
					.number = (uint8_t)number,
					.peer_guid = peer_guid,
					.peer_number = (uint8_t)peer_number };
	baseline_get_name(record, "node.name", port->name);
	baseline_get_name(record, "peer.node.name", port->peer_name);
	return 0;
}

/* Adds a port, which may be in the list already. Returns an exit status. */
static int baseline_add_port(struct baseline_reader *r, const struct baseline_port *port)
{
	struct madkit_buf *list = &r->baseline->list;

	if (list->len / sizeof(*port) >= BASELINE_READINGS_MAX)
		return baseline_refuse(r, "there are more than 1048576 ports before it");
	madkit_buf_add(list, port, sizeof(*port));
	return list->error ? cli_no_memory() : EXIT_DONE;
}

/* Notes a port that did not respond. */
static int baseline_keep_silent(struct baseline_reader *r, const struct madkit_json_message *m)
{
	struct baseline_port port;

	return baseline_get_port(m->port, &port) ? EXIT_DONE : baseline_add_port(r, &port);
}

/* Keeps a reading. *added: the port had none of this attribute. */
static int baseline_keep(struct baseline_reader *r, const struct madkit_json_message *m, uint16_t attribute,
			 const struct madkit_reading *reading, bool *added)
{
	struct baseline *b = r->baseline;
	struct madkit_reading_key key = { .attribute = attribute };
	struct baseline_port port;
	int status = EXIT_DONE;

	if (baseline_get_port(m->port, &port))
		return baseline_refuse(r, "it names no port: a line of madsend, or cut by --fields");
	if (!m->time_ns)
		return baseline_refuse(r, "epoch is missing, as in a line cut by --fields");
	if (reading->time_ns > r->now_ns)
		return baseline_refuse(r, baseline_future);
	if (madkit_readings_count(b->readings) >= BASELINE_READINGS_MAX)
		return baseline_refuse(r, "there are more than 1048576 readings before it");
	key.node_guid = port.node_guid;
	key.port = port.number;
	port.read = true;
	*added = !madkit_readings_get(b->readings, &key);
	if (!baseline_has_reading(r, &port))
		status = baseline_add_port(r, &port);
	if (!status && madkit_readings_put(b->readings, &key, reading))
		status = cli_no_memory();
	if (!b->first_ns || reading->time_ns < b->first_ns)
		b->first_ns = reading->time_ns;
	if (reading->time_ns >= b->last_ns) {
		b->last_ns = reading->time_ns;
		b->last_line = r->lines.number;
	}
	return status;
}

static int baseline_keep_response(struct baseline_reader *r, const struct madkit_json_message *m,
				  uint16_t attribute)
{
	const struct madkit_message message = { .kind = m->kind, .mad = m->mad, .len = m->len };
	struct madkit_reading reading;
	bool added;

	if (madkit_message_status(&message) || madkit_reading_take(&reading, &message, m->time_ns))
		return EXIT_DONE;
	return baseline_keep(r, m, attribute, &reading, &added);
}

/* Keeps the later readings of a difference. */
static int baseline_keep_difference(struct baseline_reader *r, const struct madkit_json_message *m)
{
	bool added = false, any = false;
	int status = EXIT_DONE;

	for (size_t i = 0; i < m->nreadings && !status; i++) {
		const struct madkit_json_reading *one = &m->readings[i];
		const struct madkit_attribute *attribute =
			madkit_attribute_get(MADKIT_BASE_VERSION_IB, MADKIT_CLASS_PERF, one->attribute);
		struct madkit_reading reading = { .time_ns = one->time_ns, .len = (uint32_t)one->len };

		if (!baseline_wants(r, attribute, MADKIT_CLASS_PERF, one->attribute))
			continue;
		if (one->len > sizeof(reading.data))
			return baseline_refuse(r, "a reading is longer than the data of PerfMgt");
		memcpy(reading.data, one->data, one->len);
		status = baseline_begin_attribute(r, one->attribute);
		if (!status)
			status = baseline_keep(r, m, one->attribute, &reading, &added);
		any |= added;
	}
	/* with -n, there are several for a port, and one response */
	r->responses += any;
	return status;
}

static int baseline_take_line(struct baseline_reader *r, const char *line, size_t len)
{
	const struct madkit_json_message *m = madkit_json_in_message(r->in);
	struct madkit_error error = { .text = "" };
	struct madkit_header header;
	int ret = madkit_json_in_line(r->in, line, len, &error), status;

	if (ret == -ENOMEM)
		return cli_no_memory();
	if (ret < 0)
		return baseline_refuse(r, error.text);
	if (ret && m->run.ended)
		return baseline_end_run(r, &m->run);
	if (ret && m->nreadings)
		return baseline_keep_difference(r, m);
	r->responses += ret && m->kind == MADKIT_MESSAGE_RESPONSE && m->port;
	if (!ret || madkit_header_get(m->mad, m->len, &header) ||
	    !baseline_wants(r, m->attribute, header.mgmt_class, header.attribute))
		return EXIT_DONE;
	status = baseline_begin_attribute(r, header.attribute);
	if (status)
		return status;
	if (m->kind == MADKIT_MESSAGE_TIMEOUT || m->kind == MADKIT_MESSAGE_ERROR)
		return baseline_keep_silent(r, m);
	return m->kind == MADKIT_MESSAGE_RESPONSE ? baseline_keep_response(r, m, header.attribute) :
						    EXIT_DONE;
}

/* ---- the file ------------------------------------------------------------------------------- */

/* Passes on the lines that have arrived. */
static int baseline_take_lines(struct baseline_reader *r)
{
	const char *line;
	size_t len;
	int ret, status = EXIT_DONE;

	while (!status && (ret = lines_next(&r->lines, &line, &len))) {
		if (ret < 0)
			return baseline_refuse(r, "the line is too long for a line of madsweep");
		if (len && !(len == 1 && *line == '\n'))
			status = baseline_take_line(r, line, len);
		if (!status)
			status = cli_stopped() ? cli_stopped_status() : EXIT_DONE;
	}
	return status;
}

static int baseline_check_end(struct baseline_reader *r)
{
	struct madkit_error error = { .text = "" };

	if (madkit_json_in_end(r->in, &error))
		return baseline_refuse(r, error.text);
	if (r->wanted)
		return baseline_refuse(r, "the run has no summary at its end: it was cut");
	if (r->superseded)
		cli_say("%s has several runs: the last one is compared", r->baseline->path);
	if (madkit_readings_count(r->baseline->readings))
		return baseline_sort(r->baseline);
	cli_insist("%s %s has no counters to compare%s%s", r->option, r->baseline->path,
		   *r->other ? ", but " : "", r->other);
	cli_insist("hint: write it with madsweep -j and the same request, without --fields");
	return EXIT_MALFORMED;
}

static int baseline_read_all(struct baseline_reader *r)
{
	int ret = 0, status = EXIT_DONE;

	while (!status && !lines_done(&r->lines)) {
		ret = lines_fill(&r->lines, -1);
		/* input that never pauses does not block, and would not end at the deadline */
		if (!ret)
			ret = wait_over();
		if (ret)
			return cli_failed(ret, "cannot read '%s'", r->baseline->path);
		status = baseline_take_lines(r);
	}
	return status ? status : baseline_check_end(r);
}

int baseline_read(const char *option, const char *path, const uint16_t *attributes, size_t n, uint64_t now_ns,
		  struct baseline **baseline)
{
	struct baseline *b = calloc(1, sizeof(*b));
	struct baseline_reader r = {
		.baseline = b, .option = option, .attributes = attributes, .n = n, .now_ns = now_ns, .run = 1
	};
	int fd, status = EXIT_LOCAL;

	*baseline = NULL;
	r.in = madkit_json_in_new();
	if (b)
		b->readings = madkit_readings_new();
	if (!b || !r.in || !b->readings || madkit_json_in_read_ports(r.in, madkit_sweep_attribute())) {
		status = cli_no_memory();
	} else {
		b->option = option;
		b->path = path;
		input_note_path(path);
		madkit_buf_init(&b->list, 0);
		fd = strcmp(path, "-") ? wait_open(path, O_RDONLY | O_CLOEXEC, 0) : STDIN_FILENO;
		if (fd < 0) {
			status = cli_failed(fd, "cannot read '%s'", path);
		} else {
			lines_init(&r.lines, fd);
			status = baseline_read_all(&r);
			lines_close(&r.lines);
		}
	}
	madkit_json_in_free(r.in);
	if (status)
		baseline_free(b);
	else
		*baseline = b;
	return status;
}

int baseline_check_time(const struct baseline *b, uint64_t now_ns)
{
	if (b->last_ns <= now_ns)
		return EXIT_DONE;
	cli_insist("%s %s, line %" PRIu64 ": %s", b->option, b->path, b->last_line, baseline_future);
	return EXIT_MALFORMED;
}
