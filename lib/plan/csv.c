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

/* Returns the text of a cell; "" if the line has no such cell. */
static const char *csv_cell(const struct madkit_plan *p, int number)
{
	return number >= 0 && (size_t)number < p->ncells ? p->cells.data + p->cell[number].at : "";
}

static const char *csv_column(const struct madkit_plan *p, enum plan_column column)
{
	return csv_cell(p, p->columns[column]);
}

/* ---- header -------------------------------------------------------------------------------- */

enum { CSV_TITLE_MAX = 32 };

/* Copies the letters and digits of a title in lower case, from behind a colon on ("#Fields:StartDevice"). */
static void csv_title(const char *text, char title[CSV_TITLE_MAX + 1])
{
	const char *colon = strrchr(text, ':');
	size_t n = 0;

	for (const char *p = colon ? colon + 1 : text; *p && n < CSV_TITLE_MAX; p++)
		if ((*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9'))
			title[n++] = *p;
		else if (*p >= 'A' && *p <= 'Z')
			title[n++] = (char)(*p | 0x20);
	title[n] = 0;
}

/* Checks if a title is "": a word of each list, in either order. */
static bool csv_is_title(const char *title, const char *const *sides, size_t nsides, const char *const *kinds,
			 size_t nkinds)
{
	for (size_t i = 0; i < nsides && sides[i]; i++)
		for (size_t k = 0; k < nkinds; k++) {
			const size_t a = strlen(sides[i]), b = strlen(kinds[k]);

			if (strlen(title) != a + b)
				continue;
			if ((!strncmp(title, sides[i], a) && !strcmp(title + a, kinds[k])) ||
			    (!strncmp(title, kinds[k], b) && !strcmp(title + b, sides[i])))
				return true;
		}
	return false;
}

/* Returns the column that a title names, or PLAN_COLUMNS. */
static enum plan_column csv_find_column(const char *title)
{
	static const char *const sides[2][12] = {
		{ "a", "start", "source", "src", "from", "local", "left", "1", "first", "near" },
		{ "b", "end", "destination", "dest", "dst", "to", "remote", "right", "2", "second", "far",
		  "peer" },
	};
	static const char *const nodes[] = { "device", "node",     "host",     "switch", "system",
					     "name",   "nodename", "nodeguid", "guid",   "" };
	static const char *const ports[] = { "port", "portnumber", "portnum", "deviceport", "nodeport" };
	static const struct {
		const char *title;
		enum plan_column column;
	} others[] = {
		{ "state", PLAN_STATE },
		{ "domain", PLAN_DOMAIN },
		{ "links", PLAN_LINKS },
		{ "cables", PLAN_LINKS },
		{ "count", PLAN_LINKS },
		{ "name", PLAN_NODE_A },
		{ "guid", PLAN_NODE_A },
		/* madsweep --links -f csv */
		{ "nodename", PLAN_NODE_A },
		{ "nodeguid", PLAN_NODE_A },
		{ "number", PLAN_PORT_A },
		{ "peernumber", PLAN_PORT_B },
	};

	for (int side = 0; side < 2; side++) {
		if (csv_is_title(title, sides[side], ARRAY_SIZE(sides[side]), ports, ARRAY_SIZE(ports)))
			return side ? PLAN_PORT_B : PLAN_PORT_A;
		if (csv_is_title(title, sides[side], ARRAY_SIZE(sides[side]), nodes, ARRAY_SIZE(nodes)))
			return side ? PLAN_NODE_B : PLAN_NODE_A;
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcmp(title, others[i].title))
			return others[i].column;
	return PLAN_COLUMNS;
}

/* Finds the columns of the titles that say which end they are about. */
static void csv_take_titles(struct madkit_plan *p)
{
	for (size_t i = 0; i < p->ncells; i++) {
		char title[CSV_TITLE_MAX + 1];
		enum plan_column column;

		csv_title(csv_cell(p, (int)i), title);
		column = csv_find_column(title);
		if (column != PLAN_COLUMNS && p->columns[column] < 0)
			p->columns[column] = (int)i;
	}
}

/* Returns the length of the word at the beginning of a title that means a node, but not one end; 0: there is none. */
static size_t csv_node_word(const char *title)
{
	static const char *const words[] = { "device", "node", "hostname", "host",   "switch", "system",
					     "hca",    "ca",   "server",   "router", "leaf",   "spine" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strncmp(title, words[i], strlen(words[i])))
			return strlen(words[i]);
	return 0;
}

/* Finds the columns of nodes with a title such as "switch": the first one is the first end. */
static void csv_take_nodes(struct madkit_plan *p)
{
	int *const columns = p->columns;

	for (int i = 0; i < (int)p->ncells; i++) {
		int *column = &columns[columns[PLAN_NODE_A] < 0 ? PLAN_NODE_A : PLAN_NODE_B];
		char title[CSV_TITLE_MAX + 1];
		size_t word;

		csv_title(csv_cell(p, i), title);
		word = csv_node_word(title);
		if (word && !title[word] && *column < 0 && columns[PLAN_NODE_A] != i)
			*column = i;
	}
}

/* Returns the column of the port that is in column i: of the node with the same word, else of the node before it. */
static enum plan_column csv_port_column(const struct madkit_plan *p, int i, const char *title, size_t word)
{
	const int *columns = p->columns, a = columns[PLAN_NODE_A], b = columns[PLAN_NODE_B];

	for (int end = PLAN_NODE_A; end <= PLAN_NODE_B && word; end += PLAN_NODE_B - PLAN_NODE_A) {
		char node[CSV_TITLE_MAX + 1];

		csv_title(csv_cell(p, columns[end]), node);
		if (strlen(node) == word && !strncmp(node, title, word))
			return (enum plan_column)(end + 1);
	}
	if ((a < i) != (b < i))
		return a < i ? PLAN_PORT_A : PLAN_PORT_B;
	return (a < b) == (a < i) ? PLAN_PORT_B : PLAN_PORT_A;
}

/* Finds the columns of ports with a title such as "port" or "hca port". */
static void csv_take_ports(struct madkit_plan *p)
{
	for (int i = 0; i < (int)p->ncells; i++) {
		char title[CSV_TITLE_MAX + 1];
		enum plan_column column;
		size_t word;

		csv_title(csv_cell(p, i), title);
		word = csv_node_word(title);
		if (strcmp(title + word, "port") != 0 && strcmp(title + word, "portnumber") != 0)
			continue;
		column = csv_port_column(p, i, title, word);
		if (p->columns[column] < 0)
			p->columns[column] = i;
	}
}

/* Reads the titles of the columns. Returns false if both nodes and both ports are not among them; both nodes without ports
 * are enough if places is set: they are cells NODE/PORT. */
static bool csv_take_header(struct madkit_plan *p, bool places)
{
	bool known = true, ports = false;

	for (size_t i = 0; i < PLAN_COLUMNS; i++)
		p->columns[i] = -1;
	csv_take_titles(p);
	csv_take_nodes(p);
	csv_take_ports(p);
	for (size_t i = PLAN_NODE_A; i <= PLAN_PORT_B; i++)
		known &= p->columns[i] >= 0;
	ports = p->columns[PLAN_PORT_A] >= 0 || p->columns[PLAN_PORT_B] >= 0;
	/* "a" and "b" alone may be names of nodes */
	if (!known && (!places || ports || p->columns[PLAN_NODE_A] < 0 || p->columns[PLAN_NODE_B] < 0 ||
		       p->cell[p->columns[PLAN_NODE_A]].len < 2))
		return false;
	if (!known) {
		p->columns[PLAN_PORT_A] = p->columns[PLAN_NODE_A];
		p->columns[PLAN_PORT_B] = p->columns[PLAN_NODE_B];
	}
	/* a cell more than the header has is the number of links of a trunk */
	if (p->columns[PLAN_LINKS] < 0)
		p->columns[PLAN_LINKS] = (int)p->ncells;
	return true;
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

	if (!places && (p->ncells < 4 || p->ncells > 5 || !csv_is_port(p, csv_cell(p, 0), csv_cell(p, 1)) ||
			!csv_is_port(p, csv_cell(p, 2), csv_cell(p, 3))))
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
		*header = csv_take_header(p, false);
		if (*header || csv_take_order(p))
			return 1;
		*header = !comment && csv_take_header(p, true);
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
