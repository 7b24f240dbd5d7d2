/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
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
#include "cli/lines.h"
#include "cli/wait.h"

enum { BASELINE_READINGS_MAX = 1 << 20 };

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
};

/* ---- lines --------------------------------------------------------------------------------- */

static int baseline_refuse(const struct baseline_reader *r, const char *why)
{
	cli_insist("%s %s, line %" PRIu64 ": %s", r->option, r->baseline->path, r->lines.number, why);
	return EXIT_MALFORMED;
}

static bool baseline_wants(struct baseline_reader *r, const struct madkit_json_message *m,
			   const struct madkit_header *h)
{
	if (h->mgmt_class == MADKIT_CLASS_PERF)
		for (size_t i = 0; i < r->n; i++)
			if (r->attributes[i] == h->attribute)
				return true;
	if (m->attribute)
		snprintf(r->other, sizeof(r->other), "%s", m->attribute->name);
	return false;
}

/* Copies the ends of the link of a line. Returns -EINVAL if it names no port. */
static int baseline_get_port(const struct madkit_record *record, struct baseline_port *port)
{
	uint64_t guid, number, peer_guid = 0, peer_number = 0;
	struct madkit_place place;

	if (!record || madkit_record_value(record, "node.guid", &guid) ||
	    madkit_record_value(record, "number", &number))
		return -EINVAL;
	madkit_record_value(record, "peer.node.guid", &peer_guid);
	madkit_record_value(record, "peer.number", &peer_number);
	*port = (struct baseline_port){ .node_guid = guid,
					.number = (uint8_t)number,
					.peer_guid = peer_guid,
					.peer_number = (uint8_t)peer_number };
	if (!madkit_place_find(record->layout, "node.name", strlen("node.name"), &place, NULL))
		snprintf(port->name, sizeof(port->name), "%.64s",
			 (const char *)record->data + (place.base + place.field->offset) / 8);
	return 0;
}

/* Adds a port unless it is in the list: it is if it has a reading of any attribute. */
static int baseline_add_port(struct baseline *b, const struct baseline_reader *r,
			     const struct baseline_port *port)
{
	struct madkit_reading_key key = { .node_guid = port->node_guid, .port = port->number };

	for (size_t i = 0; i < r->n; i++) {
		key.attribute = r->attributes[i];
		if (madkit_readings_get(b->readings, &key))
			return 0;
	}
	madkit_buf_add(&b->list, port, sizeof(*port));
	b->ports = (const struct baseline_port *)(const void *)b->list.data;
	b->nports = (uint32_t)(b->list.len / sizeof(*port));
	return b->list.error;
}

static int baseline_keep(struct baseline_reader *r, const struct madkit_json_message *m, uint16_t attribute)
{
	const struct madkit_message message = { .kind = m->kind, .mad = m->mad, .len = m->len };
	struct baseline *b = r->baseline;
	struct madkit_reading_key key = { .attribute = attribute };
	struct madkit_reading reading;
	struct baseline_port port;

	if (madkit_message_status(&message) || madkit_reading_take(&reading, &message, m->time_ns))
		return EXIT_DONE;
	if (baseline_get_port(m->port, &port))
		return baseline_refuse(r, "it names no port: a line of madsend, or cut by --fields");
	if (!m->time_ns)
		return baseline_refuse(r, "epoch is missing, as in a line cut by --fields");
	if (m->time_ns > r->now_ns)
		return baseline_refuse(r, "its time is in the future: was a clock set back?");
	if (madkit_readings_count(b->readings) >= BASELINE_READINGS_MAX)
		return baseline_refuse(r, "there are more than 1048576 readings before it");
	key.node_guid = port.node_guid;
	key.port = port.number;
	if (baseline_add_port(b, r, &port) || madkit_readings_put(b->readings, &key, &reading))
		return cli_no_memory();
	if (!b->first_ns || m->time_ns < b->first_ns)
		b->first_ns = m->time_ns;
	if (m->time_ns > b->last_ns)
		b->last_ns = m->time_ns;
	return EXIT_DONE;
}

static int baseline_take_line(struct baseline_reader *r, const char *line, size_t len)
{
	const struct madkit_json_message *m = madkit_json_in_message(r->in);
	struct madkit_error error = { .text = "" };
	struct madkit_header header;
	int ret = madkit_json_in_line(r->in, line, len, &error);

	if (ret == -ENOMEM)
		return cli_no_memory();
	if (ret < 0)
		return baseline_refuse(r, error.text);
	if (!ret || m->kind != MADKIT_MESSAGE_RESPONSE || madkit_header_get(m->mad, m->len, &header) ||
	    !baseline_wants(r, m, &header))
		return EXIT_DONE;
	return baseline_keep(r, m, header.attribute);
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
	if (madkit_readings_count(r->baseline->readings))
		return EXIT_DONE;
	cli_insist("%s %s has no counters to compare%s%s", r->option, r->baseline->path,
		   *r->other ? ", but " : "", r->other);
	cli_insist("hint: write it with madsweep -j Get PortCountersExtended");
	return EXIT_MALFORMED;
}

static int baseline_read_all(struct baseline_reader *r)
{
	int ret = 0, status = EXIT_DONE;

	while (!status && !lines_done(&r->lines)) {
		ret = lines_fill(&r->lines, -1);
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
		.baseline = b, .option = option, .attributes = attributes, .n = n, .now_ns = now_ns
	};
	int fd, status = EXIT_LOCAL;

	*baseline = NULL;
	r.in = madkit_json_in_new();
	if (b)
		b->readings = madkit_readings_new();
	if (!b || !r.in || !b->readings || madkit_json_in_read_ports(r.in, madkit_sweep_attribute())) {
		status = cli_no_memory();
	} else {
		b->path = path;
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

void baseline_free(struct baseline *b)
{
	if (!b)
		return;
	madkit_readings_free(b->readings);
	madkit_buf_free(&b->list);
	free(b);
}

/* ---- the subnet ------------------------------------------------------------------------------- */

static int baseline_compare_guids(const void *a, const void *b)
{
	const uint64_t *p = a, *q = b;

	return *p < *q ? -1 : *p > *q;
}

int baseline_check_subnet(const struct baseline *b, const struct madkit_sweep *sweep)
{
	struct madkit_sweep_counts counts;
	uint64_t *guids;
	bool found = false;

	madkit_sweep_count(sweep, &counts);
	guids = calloc(counts.nodes + 1u, sizeof(*guids));
	if (!guids)
		return cli_no_memory();
	for (uint32_t i = 0; i < counts.nodes; i++)
		guids[i] = madkit_sweep_node(sweep, i)->guid;
	qsort(guids, counts.nodes, sizeof(*guids), baseline_compare_guids);
	for (uint32_t i = 0; i < b->nports && !found; i++)
		found = bsearch(&b->ports[i].node_guid, guids, counts.nodes, sizeof(*guids),
				baseline_compare_guids);
	free(guids);
	if (found)
		return EXIT_DONE;
	cli_insist("%s is of another subnet: none of its nodes is in this one", b->path);
	return EXIT_MALFORMED;
}

const struct baseline_port *baseline_behind(const struct baseline *b, uint64_t peer_guid, uint8_t peer_number)
{
	for (uint32_t i = 0; peer_guid && i < b->nports; i++)
		if (b->ports[i].peer_guid == peer_guid && b->ports[i].peer_number == peer_number)
			return &b->ports[i];
	return NULL;
}
