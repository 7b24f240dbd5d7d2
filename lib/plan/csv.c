/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Plans as CSV: with a header whose columns are found by their names, as in the files of NVIDIA's NDT, or without a
 * header in the order node, port, node, port, links. A node and its port may also be one cell: leaf1/3. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <madkit/num.h>
#include "plan/plan_int.h"
#include "topology/find.h"
#include "util/array_size.h"

/* ---- cells --------------------------------------------------------------------------------- */

static bool csv_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Appends one cell, which begins at *at. Returns false if its quotes are not closed. */
static bool csv_take_cell(struct madkit_plan *p, const char *line, size_t len, size_t *at)
{
	struct plan_cell *cell = &p->cell[p->ncells++];
	bool quoted = false;
	size_t end;

	while (*at < len && csv_is_blank(line[*at]) && line[*at] != p->separator)
		++*at;
	cell->at = p->cells.len;
	if (*at < len && line[*at] == '"') {
		quoted = true;
		for (++*at; *at < len; ++*at) {
			if (line[*at] == '"' && (*at + 1 == len || line[*at + 1] != '"'))
				break;
			*at += line[*at] == '"';
			madkit_buf_char(&p->cells, line[*at]);
		}
		if (*at == len)
			return false;
		++*at;
	}
	end = *at;
	while (*at < len && line[*at] != p->separator)
		if (!csv_is_blank(line[(*at)++]))
			end = *at;
	if (!quoted) {
		size_t begin = end;

		while (begin && line[begin - 1] != p->separator)
			begin--;
		while (begin < end && csv_is_blank(line[begin]))
			begin++;
		madkit_buf_add(&p->cells, line + begin, end - begin);
	}
	cell->len = p->cells.len - cell->at;
	madkit_buf_char(&p->cells, 0);
	return true;
}

/* Divides a line into cells. Returns 0; -EINVAL if quotes are not closed; -E2BIG or -ENOMEM. */
static int csv_split(struct madkit_plan *p, const char *line, size_t len)
{
	size_t at = 0;

	madkit_buf_reset(&p->cells);
	p->ncells = 0;
	do {
		if (p->ncells == PLAN_COLUMNS_MAX)
			return -E2BIG;
		if (!csv_take_cell(p, line, len, &at))
			return -EINVAL;
	} while (at++ < len);
	return p->cells.error;
}

static const char *csv_column(const struct madkit_plan *p, enum plan_column column)
{
	return plan_cell_text(p, p->columns[column]);
}

/* ---- ports --------------------------------------------------------------------------------- */

/* Reads "7", "Port 7", "p7" or "*". Returns false if the text is another one. */
static bool csv_take_port(const char *text, int16_t *port)
{
	uint64_t number;

	if (!strcmp(text, "*")) {
		*port = MADKIT_CABLING_ANY_PORT;
		return true;
	}
	if (!strncasecmp(text, "port", 4))
		text += 4;
	else if (*text == 'p' || *text == 'P')
		text++;
	while (*text == ' ' || *text == '_' || *text == '-')
		text++;
	if (strspn(text, "0123456789") != strlen(text) || !*text ||
	    madkit_parse_number(text, strlen(text), PLAN_PORT_MAX, "port", &number, NULL) || !number)
		return false;
	*port = (int16_t)number;
	return true;
}

/* ---- names --------------------------------------------------------------------------------- */

/* Finds what --names says about a node, or about its port. */
static const struct plan_rename *csv_find_rename(const struct madkit_plan *p, const char *name,
						 const char *port)
{
	const struct plan_rename *best = NULL;
	const uint64_t hash = plan_hash(port ? port : name);
	size_t step = 0;
	uint32_t i;

	while (table_next_number(&p->renamed, hash, &step, &i)) {
		const struct plan_rename *r = &p->renames[i];

		if (!r->port != !port || (port && strcmp(r->port, port) != 0))
			continue;
		if (!strcasecmp(r->name, name))
			return r;
		if (port && !strcmp(r->name, "*"))
			best = r;
	}
	return best;
}

/* Checks if a text is a port of a node. */
static bool csv_is_port(const struct madkit_plan *p, const char *node, const char *port)
{
	int16_t number;

	return csv_take_port(port, &number) || find_is_device(port) || csv_find_rename(p, node, port);
}

/* Divides a cell NODE/PORT: ends the node, and returns the port. A port may have slashes if --names has it. Returns NULL if the
 * text is another one. */
static char *csv_divide(const struct madkit_plan *p, char *place)
{
	char *last = strrchr(place, '/');

	for (char *slash = strchr(place, '/'); slash; slash = strchr(slash + 1, '/')) {
		bool found;

		*slash = 0;
		found = *place && (csv_find_rename(p, place, slash + 1) ||
				   (slash == last && csv_is_port(p, place, slash + 1)));
		if (found)
			return slash + 1;
		*slash = '/';
	}
	return NULL;
}

/* Checks if a cell is NODE/PORT. */
static bool csv_is_place(const struct madkit_plan *p, int cell)
{
	char *port = csv_divide(p, p->cells.data + p->cell[cell].at);

	if (port)
		port[-1] = '/';
	return port;
}

/* Sets the columns of lines without a header. Returns false if the line is not a link. */
static bool csv_take_order(struct madkit_plan *p)
{
	const bool places = p->ncells <= 3 && csv_is_place(p, 0) && csv_is_place(p, 1);

	if (!places &&
	    (p->ncells < 4 || p->ncells > 5 || !csv_is_port(p, plan_cell_text(p, 0), plan_cell_text(p, 1)) ||
	     !csv_is_port(p, plan_cell_text(p, 2), plan_cell_text(p, 3))))
		return false;
	for (int i = PLAN_NODE_A; i < PLAN_COLUMNS; i++)
		p->columns[i] = i > PLAN_PORT_B ? -1 : places ? i / 2 : i;
	p->columns[PLAN_LINKS] = places ? 2 : 4;
	return true;
}

int csv_begin(struct madkit_plan *p, const char *line, size_t len, bool comment, bool *header)
{
	static const char separators[] = ",;\t";

	for (const char *s = separators; *s; s++) {
		int ret;

		p->separator = *s;
		ret = csv_split(p, line, len);
		if (ret == -ENOMEM)
			return ret;
		if (ret || p->ncells < 2)
			continue;
		*header = columns_take_header(p, false);
		if (*header)
			return 1;
		columns_note_gap(p);
		if (csv_take_order(p))
			return 1;
		*header = !comment && columns_take_header(p, true);
		if (*header)
			return 1;
	}
	return 0;
}

/* ---- ends ---------------------------------------------------------------------------------- */

/* Checks for 0x and hexadecimal digits, or 16 of these. */
static bool csv_take_guid(const char *text, uint64_t *guid)
{
	const bool prefixed = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = prefixed ? text + 2 : text;
	const size_t len = strlen(digits);

	if (!len || len > 16 || (!prefixed && len != 16) || strspn(digits, "0123456789abcdefABCDEF") != len)
		return false;
	*guid = strtoull(digits, NULL, 16);
	return *guid != 0;
}

static int csv_wrong_port(const struct madkit_plan *p, struct madkit_error *error, const char *port)
{
	if (!*port)
		return plan_fail(p, error, -EINVAL, "a port is missing");
	return plan_fail(p, error, -EINVAL, "'%.40s' is not a port number: --names says which port it is",
			 port);
}

/* Finds the node and the port of an end. "h12" with the port mlx5_3 is the node "h12 mlx5_3". */
static int csv_take_end(struct madkit_plan *p, enum plan_column column, struct plan_row *row, size_t end,
			struct madkit_error *error)
{
	const bool place = p->columns[column] == p->columns[column + 1];
	const char *name = csv_column(p, column),
		   *port = place ? csv_divide(p, p->cells.data + p->cell[p->columns[column]].at) :
				   csv_column(p, column + 1);
	const struct plan_rename *renamed = port ? csv_find_rename(p, name, port) : NULL, *node;
	char device[2 * MADKIT_CABLING_NAME_MAX + 2];
	uint64_t guid = 0;

	if (!port)
		return plan_fail(p, error, -EINVAL, "'%.40s' is not NODE/PORT", name);
	if (!*name)
		return plan_fail(p, error, -EINVAL, "a node is missing");
	if (renamed && renamed->to_port >= 0)
		row->ports[end] = (int16_t)renamed->to_port;
	else if (!csv_take_port(port, &row->ports[end])) {
		if (!find_is_device(port) || strlen(name) + strlen(port) > MADKIT_CABLING_NAME_MAX)
			return csv_wrong_port(p, error, port);
		stpcpy(stpcpy(stpcpy(device, name), " "), port);
		name = device;
		row->ports[end] = 1;
	}
	node = renamed && renamed->to ? renamed : csv_find_rename(p, name, NULL);
	if (node && node->to)
		name = node->to;
	if (csv_take_guid(name, &guid))
		name = "";
	return plan_add_node(p, guid, name, &row->nodes[end], error);
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* Reads the number of links of a trunk. */
static int csv_take_links(struct madkit_plan *p, struct plan_row *row, struct madkit_error *error)
{
	const char *text = csv_column(p, PLAN_LINKS);
	const bool trunk = row->ports[0] < 0 || row->ports[1] < 0;
	uint64_t links = 1;

	if (*text &&
	    (madkit_parse_number(text, strlen(text), PLAN_LINKS_MAX, "links", &links, NULL) || !links))
		return plan_fail(p, error, -EINVAL, "'%.40s' is not a number of links from 1 to %d", text,
				 PLAN_LINKS_MAX);
	if (!trunk && links != 1)
		return plan_fail(p, error, -EINVAL, "%u links need the port *", (unsigned int)links);
	row->links = trunk ? (uint16_t)links : 0;
	return 0;
}

/* The use of a line. */
enum csv_use { CSV_LINK, CSV_UNKNOWN, CSV_NO_LINK };

/* Adds both ends as ports about whose link nothing is known. */
static int csv_add_unknown(struct madkit_plan *p, const struct plan_row *row, struct madkit_error *error)
{
	int ret = 0;

	for (size_t i = 0; i < 2 && !ret; i++) {
		const struct plan_row one = {
			.nodes = { row->nodes[i], MADKIT_CABLING_NONE },
			.ports = { row->ports[i], 0 },
			.port.state = MADKIT_CABLING_UNKNOWN,
		};

		ret = plan_add_row(p, &one, error);
	}
	return ret;
}

/* Finds out what the state and the domain of a line say about its link. Returns false if one of them is not known. */
static bool csv_take_state(const struct madkit_plan *p, enum csv_use *use, enum plan_column *wrong)
{
	static const struct {
		enum plan_column column;
		const char *word;
		enum csv_use use;
	} words[] = {
		{ PLAN_STATE, "", CSV_LINK },
		{ PLAN_STATE, "Active", CSV_LINK },
		/* of madsweep -f csv */
		{ PLAN_STATE, "Armed", CSV_LINK },
		{ PLAN_STATE, "Initialize", CSV_LINK },
		{ PLAN_STATE, "No-discover", CSV_UNKNOWN },
		{ PLAN_STATE, "Down", CSV_NO_LINK },
		{ PLAN_STATE, "Disabled", CSV_NO_LINK },
		{ PLAN_DOMAIN, "", CSV_LINK },
		{ PLAN_DOMAIN, "In-Scope", CSV_LINK },
		{ PLAN_DOMAIN, "Error", CSV_UNKNOWN },
		{ PLAN_DOMAIN, "Disconnected", CSV_NO_LINK },
	};

	*use = CSV_LINK;
	for (enum plan_column column = PLAN_STATE; column <= PLAN_DOMAIN; column++) {
		size_t i = 0;

		while (i < ARRAY_SIZE(words) &&
		       (words[i].column != column || strcasecmp(words[i].word, csv_column(p, column)) != 0))
			i++;
		*wrong = column;
		if (i == ARRAY_SIZE(words))
			return false;
		if (words[i].use > *use)
			*use = words[i].use;
	}
	return true;
}

int csv_line(struct madkit_plan *p, const char *line, size_t len, struct madkit_error *error)
{
	struct plan_row row = { .port.state = MADKIT_CABLING_DOWN };
	enum plan_column wrong;
	enum csv_use use;
	int ret = csv_split(p, line, len);

	if (ret)
		return plan_fail(p, error, ret,
				 ret == -EINVAL ? "quotes are not closed" :
				 ret == -E2BIG  ? "more than 64 columns" :
						  "out of memory");
	for (size_t i = PLAN_NODE_A; i <= PLAN_PORT_B; i++)
		if ((size_t)p->columns[i] >= p->ncells)
			return plan_fail(p, error, -EINVAL, "the line has %zu cells: is it cut off?",
					 p->ncells);
	if (!csv_take_state(p, &use, &wrong))
		return plan_fail(p, error, -EINVAL, "'%.40s' is not %s", csv_column(p, wrong),
				 wrong == PLAN_STATE ? "a state: Active, Disabled or No-discover" :
						       "a domain: In-Scope, Disconnected or Error");
	if (use == CSV_NO_LINK)
		return 0;
	ret = csv_take_end(p, PLAN_NODE_A, &row, 0, error);
	if (!ret)
		ret = csv_take_end(p, PLAN_NODE_B, &row, 1, error);
	if (!ret)
		ret = csv_take_links(p, &row, error);
	if (ret)
		return ret;
	return use == CSV_UNKNOWN ? csv_add_unknown(p, &row, error) : plan_add_row(p, &row, error);
}
