/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The columns of a plan as CSV, by the titles of its header. */
#include <stdio.h>
#include <string.h>
#include "plan/plan_int.h"
#include "util/array_size.h"

enum { COLUMNS_TITLE_MAX = 32 };

/* Copies the letters and digits of a title in lower case, from behind a colon on ("#Fields:StartDevice"). */
static void columns_title(const char *text, char title[COLUMNS_TITLE_MAX + 1])
{
	const char *colon = strrchr(text, ':');
	size_t n = 0;

	for (const char *p = colon ? colon + 1 : text; *p && n < COLUMNS_TITLE_MAX; p++)
		if ((*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9'))
			title[n++] = *p;
		else if (*p >= 'A' && *p <= 'Z')
			title[n++] = (char)(*p | 0x20);
	title[n] = 0;
}

/* Checks if a title is "": a word of each list, in either order. */
static bool columns_is_title(const char *title, const char *const *sides, size_t nsides,
			     const char *const *kinds, size_t nkinds)
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
static enum plan_column columns_find(const char *title)
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
		if (columns_is_title(title, sides[side], ARRAY_SIZE(sides[side]), ports, ARRAY_SIZE(ports)))
			return side ? PLAN_PORT_B : PLAN_PORT_A;
		if (columns_is_title(title, sides[side], ARRAY_SIZE(sides[side]), nodes, ARRAY_SIZE(nodes)))
			return side ? PLAN_NODE_B : PLAN_NODE_A;
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcmp(title, others[i].title))
			return others[i].column;
	return PLAN_COLUMNS;
}

/* Finds the columns of the titles that say which end they are about. */
static void columns_take_titles(struct madkit_plan *p)
{
	for (size_t i = 0; i < p->ncells; i++) {
		char title[COLUMNS_TITLE_MAX + 1];
		enum plan_column column;

		columns_title(plan_cell_text(p, (int)i), title);
		column = columns_find(title);
		if (column != PLAN_COLUMNS && p->columns[column] < 0)
			p->columns[column] = (int)i;
	}
}

/* Returns the length of the word at the beginning of a title that means a node, but not one end; 0: there is none. */
static size_t columns_node_word(const char *title)
{
	static const char *const words[] = { "device", "node", "hostname", "host",   "switch", "system",
					     "hca",    "ca",   "server",   "router", "leaf",   "spine" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strncmp(title, words[i], strlen(words[i])))
			return strlen(words[i]);
	return 0;
}

/* Finds the columns of nodes with a title such as "switch": the first one is the first end. */
static void columns_take_nodes(struct madkit_plan *p)
{
	int *const columns = p->columns;

	for (int i = 0; i < (int)p->ncells; i++) {
		int *column = &columns[columns[PLAN_NODE_A] < 0 ? PLAN_NODE_A : PLAN_NODE_B];
		char title[COLUMNS_TITLE_MAX + 1];
		size_t word;

		columns_title(plan_cell_text(p, i), title);
		word = columns_node_word(title);
		if (word && !title[word] && *column < 0 && columns[PLAN_NODE_A] != i)
			*column = i;
	}
}

/* Returns the column of the port that is in column i: of the node with the same word, else of the node before it. */
static enum plan_column columns_of_port(const struct madkit_plan *p, int i, const char *title, size_t word)
{
	const int *columns = p->columns, a = columns[PLAN_NODE_A], b = columns[PLAN_NODE_B];

	for (int end = PLAN_NODE_A; end <= PLAN_NODE_B && word; end += PLAN_NODE_B - PLAN_NODE_A) {
		char node[COLUMNS_TITLE_MAX + 1];

		columns_title(plan_cell_text(p, columns[end]), node);
		if (strlen(node) == word && !strncmp(node, title, word))
			return (enum plan_column)(end + 1);
	}
	if ((a < i) != (b < i))
		return a < i ? PLAN_PORT_A : PLAN_PORT_B;
	return (a < b) == (a < i) ? PLAN_PORT_B : PLAN_PORT_A;
}

/* Finds the columns of ports with a title such as "port" or "hca port". */
static void columns_take_ports(struct madkit_plan *p)
{
	for (int i = 0; i < (int)p->ncells; i++) {
		char title[COLUMNS_TITLE_MAX + 1];
		enum plan_column column;
		size_t word;

		columns_title(plan_cell_text(p, i), title);
		word = columns_node_word(title);
		if (strcmp(title + word, "port") != 0 && strcmp(title + word, "portnumber") != 0)
			continue;
		column = columns_of_port(p, i, title, word);
		if (p->columns[column] < 0)
			p->columns[column] = i;
	}
}

bool columns_take_header(struct madkit_plan *p, bool places)
{
	bool known = true, ports = false;

	for (size_t i = 0; i < PLAN_COLUMNS; i++)
		p->columns[i] = -1;
	columns_take_titles(p);
	columns_take_nodes(p);
	columns_take_ports(p);
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

/* Returns the first title that names no column; "" if there is none. */
static const char *columns_unknown(const struct madkit_plan *p)
{
	for (int i = 0; i < (int)p->ncells; i++) {
		bool known = false;

		for (size_t k = 0; k < PLAN_COLUMNS; k++)
			known |= p->columns[k] == i;
		if (!known)
			return plan_cell_text(p, i);
	}
	return "";
}

void columns_note_gap(struct madkit_plan *p)
{
	static const char *const ends[] = { "first", "second" };
	const char *unknown = columns_unknown(p);
	int lacks = -1, found = 0;
	char column[60];

	for (int i = PLAN_PORT_B; i >= PLAN_NODE_A; i--) {
		found += p->columns[i] >= 0;
		lacks = p->columns[i] < 0 ? i : lacks;
	}
	/* two titles may also be words of a text */
	if (found < 3 || lacks < 0)
		return;
	if (lacks == PLAN_PORT_A || lacks == PLAN_PORT_B)
		snprintf(column, sizeof(column), "port of '%.32s'", plan_cell_text(p, p->columns[lacks - 1]));
	else
		snprintf(column, sizeof(column), "%s node", ends[lacks == PLAN_NODE_B]);
	snprintf(p->gap, sizeof(p->gap),
		 *unknown ? "no column is the %s: '%.32s' is not known" : "no column is the %s", column,
		 unknown);
}
