/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/create_file.h"
#include "cli/text_file.h"
#include "keep.h"
#include "util/array_size.h"

static const char keep_title[] = "# state of a subnet, kept by madwatch --state: do not edit";

/* The words of a line, separated by tabs: its kind, and these. */
enum { KEEP_NODE_INFO, KEEP_NODE_NAME, KEEP_NODE_LABEL, KEEP_NODE_WORDS };
enum {
	KEEP_LINK_GUID_A,
	KEEP_LINK_PORT_A,
	KEEP_LINK_GUID_B,
	KEEP_LINK_PORT_B,
	KEEP_LINK_UP,
	KEEP_LINK_WIDTH,
	KEEP_LINK_SPEED,
	KEEP_LINK_SLOW,
	KEEP_LINK_SINCE,
	KEEP_LINK_WORDS
};
enum { KEEP_INIT = 2 }; /* KEEP_LINK_UP: not Active, and reported as that */
enum { KEEP_SM_LID, KEEP_SM_GUID, KEEP_SM_PRIORITY, KEEP_SM_WORDS };
enum { KEEP_END_LINES, KEEP_END_WORDS };
enum { KEEP_WORDS_MAX = KEEP_LINK_WORDS };

/* A file that is read. */
struct keep_reader {
	struct watch *watch;
	bool titled, ended;
	uint64_t lines; /* between the title and the end */
	const char *words[KEEP_WORDS_MAX];
};

/* ---- reading ------------------------------------------------------------------------------- */

static int keep_malformed(const struct text_line *line, const char *why)
{
	cli_insist("%s:%u: %s", line->path, line->number, why);
	return EXIT_MALFORMED;
}

/* Reads a number in decimal, or in hexadecimal after 0x. */
static bool keep_number(const char *word, uint64_t max, uint64_t *number)
{
	return !madkit_parse_number(word, strlen(word), max, "number", number, NULL);
}

/* Reads bytes in hexadecimal. Returns false if there are not exactly len, or with a NUL after text. */
static bool keep_bytes(const char *word, uint8_t *bytes, size_t len)
{
	if (strlen(word) != 2 * len)
		return false;
	for (size_t i = 0; i < len; i++) {
		const int high = cli_hex_digit(word[2 * i]), low = cli_hex_digit(word[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

static int keep_take_node(struct keep_reader *r, const struct text_line *line)
{
	uint8_t info[MADKIT_SWEEP_INFO_BYTES];
	char name[VIEW_NAME_BYTES] = "";
	const char *hex = r->words[KEEP_NODE_NAME];
	uint64_t guid = 0, nports = 0;
	struct view_node *n;

	if (!keep_bytes(r->words[KEEP_NODE_INFO], info, sizeof(info)) || strlen(hex) / 2 >= sizeof(name) ||
	    !keep_bytes(hex, (uint8_t *)name, strlen(hex) / 2) ||
	    strlen(r->words[KEEP_NODE_LABEL]) >= VIEW_LABEL_BYTES)
		return keep_malformed(line, "not a node of madwatch --state");
	madkit_get(info, sizeof(info), MADKIT_NODE_INFO_GUID, &guid);
	madkit_get(info, sizeof(info), MADKIT_NODE_INFO_NUM_PORTS, &nports);
	if (view_of_guid(&r->watch->view, guid))
		return keep_malformed(line, "the node is in the file twice");
	n = view_add(&r->watch->view, info);
	return n ? view_rename(&r->watch->view, n, name, r->words[KEEP_NODE_LABEL]) : cli_no_memory();
}

/* Finds the port that two words name. */
static bool keep_end(const struct keep_reader *r, size_t word, struct view_end *end)
{
	uint64_t guid, port;
	const struct view_node *n;

	if (!keep_number(r->words[word], UINT64_MAX, &guid) ||
	    !keep_number(r->words[word + 1], UINT8_MAX, &port))
		return false;
	n = view_of_guid(&r->watch->view, guid);
	if (!n || !port || port > n->nports)
		return false;
	*end = (struct view_end){ n->number, (uint8_t)port };
	return true;
}

static int keep_take_link(struct keep_reader *r, const struct text_line *line)
{
	uint64_t up, width, speed, slow;
	struct view_end a, b;
	struct view_link *l;

	if (!keep_end(r, KEEP_LINK_GUID_A, &a) || !keep_end(r, KEEP_LINK_GUID_B, &b) ||
	    (a.node == b.node && a.port == b.port) || !keep_number(r->words[KEEP_LINK_UP], KEEP_INIT, &up) ||
	    !keep_number(r->words[KEEP_LINK_WIDTH], UINT8_MAX, &width) ||
	    !keep_number(r->words[KEEP_LINK_SPEED], UINT16_MAX, &speed) ||
	    !keep_number(r->words[KEEP_LINK_SLOW], 1, &slow) ||
	    strlen(r->words[KEEP_LINK_SINCE]) >= sizeof(l->since))
		return keep_malformed(line, "not a link of madwatch --state");
	l = view_connect(&r->watch->view, a, b);
	if (!l)
		return cli_no_memory();
	l->known = true;
	l->up = l->told_up = up == 1;
	l->init = l->told_init = up == KEEP_INIT;
	l->trained = up;
	l->slow = l->told_slow = slow;
	l->rate = l->told = (struct view_rate){ (uint32_t)width, (uint32_t)speed };
	strcpy(l->since, r->words[KEEP_LINK_SINCE]);
	change_restore_open(l);
	return EXIT_DONE;
}

static int keep_take_sm(struct keep_reader *r, const struct text_line *line)
{
	uint64_t lid, guid, priority;

	if (!keep_number(r->words[KEEP_SM_LID], UINT16_MAX, &lid) ||
	    !keep_number(r->words[KEEP_SM_GUID], UINT64_MAX, &guid) ||
	    !keep_number(r->words[KEEP_SM_PRIORITY], 15, &priority))
		return keep_malformed(line, "not a subnet manager of madwatch --state");
	r->watch->master.lid = (uint32_t)lid;
	r->watch->master.guid = guid;
	r->watch->master.priority = (uint8_t)priority;
	r->watch->master.kept = true;
	return EXIT_DONE;
}

static int keep_take_end(struct keep_reader *r, const struct text_line *line)
{
	uint64_t lines;

	if (!keep_number(r->words[KEEP_END_LINES], UINT32_MAX, &lines) || lines != r->lines)
		return keep_malformed(line, "the file does not have as many lines as its end says");
	r->ended = true;
	return EXIT_DONE;
}

static const struct keep_kind {
	const char *name;
	size_t words;
	int (*take)(struct keep_reader *r, const struct text_line *line);
} keep_kinds[] = {
	{ "node", KEEP_NODE_WORDS, keep_take_node },
	{ "link", KEEP_LINK_WORDS, keep_take_link },
	{ "sm", KEEP_SM_WORDS, keep_take_sm },
	{ "end", KEEP_END_WORDS, keep_take_end },
};

/* Divides a line at its tabs. Returns the number of words behind the first one, or more than there can be. */
static size_t keep_divide(struct keep_reader *r, char *text)
{
	size_t n = 0;

	for (char *tab = text; (tab = strchr(tab, '\t')); n++) {
		*tab++ = 0;
		if (n < KEEP_WORDS_MAX)
			r->words[n] = tab;
	}
	return n;
}

static int keep_take_line(void *context, const struct text_line *line)
{
	struct keep_reader *r = context;
	char text[TEXT_FILE_LINE_MAX + 1];
	size_t n;

	if (!r->titled) {
		r->titled = line->len == strlen(keep_title) && !memcmp(line->text, keep_title, line->len);
		return r->titled ? EXIT_DONE : keep_malformed(line, "not a file of madwatch --state");
	}
	if (r->ended)
		return keep_malformed(line, "a line after the end of the file");
	memcpy(text, line->text, line->len);
	text[line->len] = 0;
	n = keep_divide(r, text);
	for (size_t i = 0; i < ARRAY_SIZE(keep_kinds); i++) {
		if (strcmp(text, keep_kinds[i].name) != 0 || n != keep_kinds[i].words)
			continue;
		if (keep_kinds[i].take != keep_take_end)
			r->lines++;
		return keep_kinds[i].take(r, line);
	}
	return keep_malformed(line, "not a line of madwatch --state");
}

int keep_read(struct watch *w, const char *path, bool *found)
{
	struct keep_reader reader = { .watch = w };
	int status;

	*found = !access(path, F_OK) || errno != ENOENT;
	if (!*found)
		return EXIT_DONE;
	status = text_file_read(path, false, keep_take_line, &reader);
	if (status == EXIT_USAGE)
		return EXIT_MALFORMED;
	if (status || reader.ended)
		return status;
	cli_insist("%s:%" PRIu64 ": the file is cut off: its end is missing", path,
		   reader.lines + reader.titled + 1);
	return EXIT_MALFORMED;
}

/* ---- writing ------------------------------------------------------------------------------- */

static void keep_put_node(struct madkit_buf *buf, const struct view_node *n)
{
	madkit_buf_str(buf, "node\t");
	cli_put_hex(buf, n->info, sizeof(n->info));
	madkit_buf_char(buf, '\t');
	cli_put_hex(buf, n->name, strlen(n->name));
	madkit_buf_printf(buf, "\t%s\n", n->label ? n->label : "");
}

static void keep_put_link(struct madkit_buf *buf, const struct view *v, const struct view_link *l)
{
	madkit_buf_str(buf, "link");
	for (int i = 0; i < 2; i++)
		madkit_buf_printf(buf, "\t0x%016" PRIx64 "\t%u", v->nodes[l->ends[i].node]->guid,
				  l->ends[i].port);
	madkit_buf_printf(buf, "\t%d\t%" PRIu32 "\t%" PRIu32 "\t%d\t%s\n",
			  l->told_init ? KEEP_INIT : l->told_up, l->told.width, l->told.speed, l->told_slow,
			  l->since);
}

/* Appends the links that were reported: those of the past first, so that the present ones replace them. */
static uint64_t keep_put_links(struct madkit_buf *buf, const struct view *v, bool past)
{
	uint64_t lines = 0;

	for (uint32_t i = 0; i < v->nnodes; i++)
		for (unsigned int port = 1; port <= v->nodes[i]->nports; port++) {
			const struct view_port *p = &v->nodes[i]->ports[port];
			const struct view_link *l = view_link(v, past ? p->past : p->link);

			if (!l || !l->known || l->ends[0].node != i || l->ends[0].port != port)
				continue;
			keep_put_link(buf, v, l);
			lines++;
		}
	return lines;
}

int keep_write(const struct watch *w, const char *path)
{
	const struct view *v = &w->view;
	uint64_t lines = v->nnodes;
	struct madkit_buf buf;
	int status;

	madkit_buf_init(&buf, 0);
	madkit_buf_printf(&buf, "%s\n", keep_title);
	for (uint32_t i = 0; i < v->nnodes; i++)
		keep_put_node(&buf, v->nodes[i]);
	lines += keep_put_links(&buf, v, true);
	lines += keep_put_links(&buf, v, false);
	if (w->master.guid) {
		madkit_buf_printf(&buf, "sm\t%" PRIu32 "\t0x%016" PRIx64 "\t%u\n", w->master.lid,
				  w->master.guid, w->master.priority);
		lines++;
	}
	madkit_buf_printf(&buf, "end\t%" PRIu64 "\n", lines);
	status = buf.error ? cli_no_memory() : create_replace(path, &buf);
	madkit_buf_free(&buf);
	return status;
}
