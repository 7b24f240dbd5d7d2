/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads a plan line by line, in the format that the first line shows. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "plan/plan_int.h"
#include "topology/topology.h"
#include "util/array.h"
#include "util/array_size.h"
#include "util/utf8.h"

int madkit_plan_new(struct madkit_plan **plan)
{
	*plan = calloc(1, sizeof(**plan));
	if (!*plan)
		return -ENOMEM;
	madkit_buf_init(&(*plan)->text, TOPOLOGY_BYTES_MAX);
	madkit_buf_init(&(*plan)->cells, 0);
	return 0;
}

void madkit_plan_free(struct madkit_plan *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->nnodes; i++)
		free(p->nodes[i].name);
	for (uint32_t i = 0; i < p->nrenames; i++) {
		free(p->renames[i].name);
		free(p->renames[i].port);
		free(p->renames[i].to);
	}
	free(p->nodes);
	free(p->rows);
	free(p->renames);
	table_free(&p->guids);
	table_free(&p->names);
	table_free(&p->renamed);
	madkit_buf_free(&p->text);
	madkit_buf_free(&p->cells);
	tokens_free(&p->tokens);
	free(p);
}

/* ---- names --------------------------------------------------------------------------------- */

int madkit_plan_rename(struct madkit_plan *p, const char *name, const char *port, const char *to, int to_port)
{
	/* a port is found by its text in any node, a node by its name */
	const uint64_t hash = plan_hash(port ? port : name);
	struct plan_rename *r;
	size_t step = 0;
	uint32_t i;

	while (table_next_number(&p->renamed, hash, &step, &i))
		if (!strcasecmp(p->renames[i].name, name) && !p->renames[i].port == !port &&
		    (!port || !strcmp(p->renames[i].port, port)))
			return -EEXIST;
	if (p->nrenames == PLAN_RENAMES_MAX ||
	    array_room(&p->renames, &p->renames_cap, p->nrenames, 1, sizeof(*p->renames)))
		return -ENOMEM;
	r = &p->renames[p->nrenames++];
	*r = (struct plan_rename){ strdup(name), port ? strdup(port) : NULL, to ? strdup(to) : NULL,
				   to_port };
	if (!r->name || (port && !r->port) || (to && !r->to))
		return -ENOMEM;
	return table_add_number(&p->renamed, hash, p->nrenames - 1);
}

/* ---- format -------------------------------------------------------------------------------- */

/* Checks if a line begins as one of a topology file. Titles of CSV may begin with the same words. */
static bool plan_is_netlist(const char *line, size_t len)
{
	static const char *const words[] = {
		"Switch",     "Ca",         "Hca",     "Rt",       "vendid",      "devid",
		"sysimgguid", "switchguid", "caguid",  "hcaguids", "rtguid",      "width",
		"speed",      "extspeed",   "Chassis", "Hostname", "Non-Chassis", "ibwarn",
		"include",    "module",     "do",      "pdebug",
	};
	enum { PLAN_NODE_WORDS = 4 };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t at = strlen(words[i]);

		if (len < at || memcmp(line, words[i], at) != 0 || (at < len && !strchr(" \t=:(", line[at])))
			continue;
		/* nodes have a number of ports */
		while (at < len && strchr(" \t", line[at]))
			at++;
		return i >= PLAN_NODE_WORDS || (at < len && line[at] >= '0' && line[at] <= '9');
	}
	return len && line[0] == '[';
}

/* Adds a line to the text of a topology file. */
static int plan_keep(struct madkit_plan *p, const char *line, size_t len, struct madkit_error *error)
{
	if (p->text.len + len >= TOPOLOGY_BYTES_MAX)
		return plan_fail(p, error, -E2BIG, "the plan has more than %d MiB", TOPOLOGY_BYTES_MAX >> 20);
	madkit_buf_add(&p->text, line, len);
	madkit_buf_char(&p->text, '\n');
	return p->text.error ? plan_fail(p, error, -ENOMEM, "out of memory") : 0;
}

/* Recognises the format. *used: the line is a header, or a comment. */
static int plan_decide(struct madkit_plan *p, const char *line, size_t len, bool *used,
		       struct madkit_error *error)
{
	const bool comment = line[0] == '#', netlist = plan_is_netlist(line, len);
	bool header = false;
	int csv = 0;

	*used = false;
	if (line[0] != '{' && !netlist)
		csv = csv_begin(p, line + comment, len - comment, comment, &header);
	if (csv < 0)
		return plan_fail(p, error, csv, "out of memory");
	if (line[0] == '{') {
		p->format = PLAN_DUMP;
		dump_begin(p);
	} else if (csv && (header || !comment)) {
		p->format = PLAN_CSV;
		*used = header;
	} else if (comment) {
		*used = true;
	} else if (netlist) {
		p->format = PLAN_NETLIST;
	} else if (*p->gap) {
		return plan_fail(p, error, -ENOTSUP, "%s", p->gap);
	} else {
		return plan_fail(p, error, -ENOTSUP,
				 "neither output of madsweep -j, a topology file nor CSV with known columns");
	}
	return 0;
}

/* ---- lines --------------------------------------------------------------------------------- */

static int plan_check_text(const struct madkit_plan *p, const char *line, size_t len,
			   struct madkit_error *error)
{
	if (p->line == UINT32_MAX)
		return plan_fail(p, error, -E2BIG, "the plan has too many lines");
	if (len > MADKIT_PLAN_LINE_MAX)
		return plan_fail(p, error, -E2BIG, "the line has more than %d bytes", MADKIT_PLAN_LINE_MAX);
	/* the reader of JSON checks it, too */
	for (size_t i = 0, n; i < len && p->format != PLAN_DUMP; i += n) {
		n = (unsigned char)line[i] < 0x80 ? 1 : utf8_length((const unsigned char *)line + i, len - i);
		if (!line[i])
			return plan_fail(p, error, -EINVAL, "column %zu is a zero byte", i + 1);
		if (!n)
			return plan_fail(p, error, -EINVAL, "column %zu is not UTF-8", i + 1);
	}
	return 0;
}

/* Reads a line of known format, or finds out the format. */
static int plan_take(struct madkit_plan *p, const char *line, size_t len, struct madkit_error *error)
{
	size_t begin = 0;
	bool used = false;
	int ret = 0;

	while (begin < len && (line[begin] == ' ' || line[begin] == '\t'))
		begin++;
	if (p->format == PLAN_UNDECIDED && begin < len)
		ret = plan_decide(p, line + begin, len - begin, &used, error);
	if (ret)
		return ret;
	switch (p->format) {
	case PLAN_DUMP:
		return begin < len ? dump_line(p, line, len, error) : 0;
	case PLAN_CSV:
		return begin < len && !used && line[begin] != '#' ? csv_line(p, line, len, error) : 0;
	default:
		/* comments and empty lines count in the positions of errors */
		return plan_keep(p, line, len, error);
	}
}

int madkit_plan_line(struct madkit_plan *p, const char *line, size_t len, struct madkit_error *error)
{
	static const char mark[] = "\xef\xbb\xbf";
	int ret;

	while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
		len--;
	if (!p->line++ && len >= 3 && !memcmp(line, mark, 3)) {
		line += 3;
		len -= 3;
	}
	ret = plan_check_text(p, line, len, error);
	if (!ret)
		ret = plan_take(p, line, len, error);
	p->failed |= ret != 0;
	return ret;
}

int madkit_plan_end(struct madkit_plan *p, struct madkit_cabling **cabling, struct madkit_error *error)
{
	struct madkit_cabling *c;
	int ret = p->failed ? -EINVAL : madkit_cabling_new(&c);

	if (ret)
		return madkit_error_set(error, ret, -1, "the plan was not read");
	if (p->format == PLAN_DUMP)
		ret = dump_finish(p, error);
	if (!ret)
		ret = p->format == PLAN_NETLIST ? netlist_read(p, c, error) : plan_build(p, c, error);
	if (!ret && !madkit_cabling_count(c))
		ret = madkit_error_set(error, -ENODATA, -1, "the plan has no nodes");
	if (ret)
		madkit_cabling_free(c);
	else
		*cabling = c;
	return ret;
}
