/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/escape.h>
#include "topology/cabling.h"
#include "topology/topology.h"
#include "util/array.h"
#include "util/word.h"

int madkit_cabling_new(struct madkit_cabling **cabling)
{
	*cabling = calloc(1, sizeof(**cabling));
	return *cabling ? 0 : -ENOMEM;
}

void madkit_cabling_free(struct madkit_cabling *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->nnodes; i++) {
		free((char *)c->nodes[i].pub.name);
		free((char *)c->nodes[i].pub.label);
	}
	free(c->nodes);
	free(c->ports);
	free(c->trunks);
	table_free(&c->guids);
	free(c);
}

void madkit_cabling_set_prefix(struct madkit_cabling *c, uint64_t prefix)
{
	c->prefix = prefix;
}

uint32_t madkit_cabling_count(const struct madkit_cabling *c)
{
	return c->nnodes;
}

const struct madkit_cabling_node *madkit_cabling_node(const struct madkit_cabling *c, uint32_t number)
{
	return cabling_node(c, number);
}

uint32_t cabling_find(const struct madkit_cabling *c, uint64_t guid)
{
	size_t step = 0;
	uint32_t node;

	while (table_next_number(&c->guids, table_mix(0, guid), &step, &node))
		if (c->nodes[node].pub.guid == guid)
			return node;
	return MADKIT_CABLING_NONE;
}

bool madkit_cabling_has_link(const struct madkit_cabling *c, uint64_t guid, unsigned int port)
{
	const uint32_t node = guid ? cabling_find(c, guid) : MADKIT_CABLING_NONE;

	return node != MADKIT_CABLING_NONE && port <= c->nodes[node].pub.nports &&
	       c->ports[c->nodes[node].first + port].peer != MADKIT_CABLING_NONE;
}

/* ---- building ------------------------------------------------------------------------------ */

/* Copies a text of a node; "" if there is none. */
static char *cabling_copy(const char *text)
{
	return strndup(text ? text : "", MADKIT_CABLING_NAME_MAX);
}

int madkit_cabling_add_node(struct madkit_cabling *c, const struct madkit_cabling_node *node, uint8_t state,
			    uint32_t *added)
{
	const unsigned int nports = node->nports + 1u;
	const char *name = node->name ? node->name : "";
	struct cabling_node *n;
	bool doubled;

	if (c->nnodes == MADKIT_CABLING_NODES_MAX || c->nports + nports > MADKIT_CABLING_PORTS_MAX)
		return -E2BIG;
	if (array_room(&c->nodes, &c->nodes_cap, c->nnodes, 1, sizeof(*c->nodes)) ||
	    array_room(&c->ports, &c->ports_cap, c->nports, nports, sizeof(*c->ports)) ||
	    table_reserve(&c->guids, c->guids.count + 1))
		return -ENOMEM;
	n = &c->nodes[c->nnodes];
	*n = (struct cabling_node){ .pub = *node, .first = c->nports };
	n->pub.name = cabling_copy(name);
	n->pub.label = cabling_copy(node->label);
	if (!n->pub.name || !n->pub.label) {
		free((char *)n->pub.name);
		free((char *)n->pub.label);
		return -ENOMEM;
	}
	/* a second node with the GUID of another one cannot be compared */
	doubled = node->guid && cabling_find(c, node->guid) != MADKIT_CABLING_NONE;
	n->ignored = doubled || !strncmp(name, TOPOLOGY_AGGREGATION, strlen(TOPOLOGY_AGGREGATION));
	if (node->guid && !doubled)
		table_put(&c->guids, table_mix(0, node->guid), (void *)(uintptr_t)(c->nnodes + 1));
	for (unsigned int i = 0; i < nports; i++)
		c->ports[c->nports++] = (struct cabling_port){
			.pub.state = state,
			.node = c->nnodes,
			.peer = MADKIT_CABLING_NONE,
		};
	*added = c->nnodes++;
	return 0;
}

/* Returns a port of the array, or NULL. */
static struct cabling_port *cabling_at(struct madkit_cabling *c, struct madkit_cabling_end at)
{
	if (at.node >= c->nnodes || at.port < 0 || at.port > c->nodes[at.node].pub.nports)
		return NULL;
	return &c->ports[c->nodes[at.node].first + (uint32_t)at.port];
}

int madkit_cabling_set_port(struct madkit_cabling *c, struct madkit_cabling_end at,
			    const struct madkit_cabling_port *port)
{
	struct cabling_port *p = cabling_at(c, at);
	const bool linked = p && p->peer != MADKIT_CABLING_NONE;

	if (!p)
		return -EINVAL;
	p->pub = *port;
	if (linked)
		p->pub.state = MADKIT_CABLING_UP;
	return 0;
}

int madkit_cabling_add_link(struct madkit_cabling *c, struct madkit_cabling_end a,
			    struct madkit_cabling_end b)
{
	struct cabling_port *p = cabling_at(c, a), *q = cabling_at(c, b);

	if (!p || !q || p == q)
		return -EINVAL;
	if (p->peer == (uint32_t)(q - c->ports) && q->peer == (uint32_t)(p - c->ports))
		return 0;
	if (p->peer != MADKIT_CABLING_NONE || q->peer != MADKIT_CABLING_NONE)
		return -EEXIST;
	p->peer = (uint32_t)(q - c->ports);
	q->peer = (uint32_t)(p - c->ports);
	p->pub.state = q->pub.state = MADKIT_CABLING_UP;
	return 0;
}

int madkit_cabling_add_trunk(struct madkit_cabling *c, struct madkit_cabling_end a,
			     struct madkit_cabling_end b, unsigned int links)
{
	if (a.node >= c->nnodes || b.node >= c->nnodes || (a.port >= 0 && !cabling_at(c, a)) ||
	    (b.port >= 0 && !cabling_at(c, b)))
		return -EINVAL;
	if (array_room(&c->trunks, &c->trunks_cap, c->ntrunks, 1, sizeof(*c->trunks)))
		return -ENOMEM;
	c->trunks[c->ntrunks++] = (struct cabling_trunk){ { a, b }, links };
	return 0;
}

/* ---- labels -------------------------------------------------------------------------------- */

static uint64_t cabling_hash(const char *text, size_t len)
{
	uint64_t hash = len;

	for (size_t i = 0; i < len; i++)
		hash = table_mix(hash, (unsigned char)text[i]);
	return hash;
}

/* Texts, of which each is there once or, if several nodes have it, twice. */
struct cabling_texts {
	struct table table;
	const char *(*get)(const struct cabling_node *n, size_t *len);
};

static const char *cabling_name(const struct cabling_node *n, size_t *len)
{
	*len = strlen(n->pub.name);
	return n->pub.name;
}

static const char *cabling_word(const struct cabling_node *n, size_t *len)
{
	*len = strlen(n->pub.name);
	return *len ? word_of_name(n->pub.name, *len, len) : n->pub.name;
}

/* Returns how many nodes have the text of a node: 2 means several. */
static unsigned int cabling_uses(const struct madkit_cabling *c, const struct cabling_texts *texts,
				 const struct cabling_node *n)
{
	size_t len, step = 0;
	const char *text = texts->get(n, &len);
	const uint64_t hash = cabling_hash(text, len);
	unsigned int uses = 0;
	uint32_t node;

	while (uses < 2 && table_next_number(&texts->table, hash, &step, &node)) {
		size_t other_len;
		const char *other = texts->get(&c->nodes[node], &other_len);

		uses += other_len == len && !memcmp(other, text, len);
	}
	return uses;
}

static int cabling_add_text(const struct madkit_cabling *c, struct cabling_texts *texts, uint32_t node)
{
	size_t len;
	const char *text = texts->get(&c->nodes[node], &len);

	if (cabling_uses(c, texts, &c->nodes[node]) == 2)
		return 0;
	return table_add_number(&texts->table, cabling_hash(text, len), node);
}

static int cabling_label_node(const struct madkit_cabling *c, struct cabling_node *n,
			      const struct cabling_texts *names, const struct cabling_texts *words)
{
	size_t len, word_len;
	const char *name = cabling_name(n, &len), *word = cabling_word(n, &word_len);
	struct madkit_buf buf;
	int ret;

	madkit_buf_init(&buf, 0);
	if (n->pub.guid && (!len || cabling_uses(c, names, n) > 1))
		madkit_buf_printf(&buf, "0x%016" PRIx64, n->pub.guid);
	else if (!word_len || cabling_uses(c, words, n) > 1)
		madkit_text_escape(&buf, name, len);
	else
		madkit_text_escape(&buf, word, word_len);
	madkit_buf_char(&buf, 0);
	if (!buf.error) {
		free((char *)n->pub.label);
		n->pub.label = strdup(buf.data);
	}
	ret = buf.error || !n->pub.label ? -ENOMEM : 0;
	madkit_buf_free(&buf);
	return ret;
}

int cabling_label(struct madkit_cabling *c)
{
	struct cabling_texts names = { .get = cabling_name }, words = { .get = cabling_word };
	int ret = 0;

	for (uint32_t i = 0; i < c->nnodes && !ret; i++) {
		ret = cabling_add_text(c, &names, i);
		if (!ret)
			ret = cabling_add_text(c, &words, i);
	}
	for (uint32_t i = 0; i < c->nnodes && !ret; i++)
		if (!*c->nodes[i].pub.label)
			ret = cabling_label_node(c, &c->nodes[i], &names, &words);
	table_free(&names.table);
	table_free(&words.table);
	return ret;
}

void cabling_put_place(const struct madkit_cabling *c, struct madkit_buf *buf, struct madkit_cabling_end at)
{
	madkit_buf_str(buf, c->nodes[at.node].pub.label);
	if (at.port >= 0)
		madkit_buf_printf(buf, "/%d", at.port);
}

void cabling_put_id(const struct madkit_cabling *c, struct madkit_buf *buf, struct madkit_cabling_end at)
{
	const struct madkit_cabling_node *n = cabling_node(c, at.node);

	if (n->guid)
		madkit_buf_printf(buf, "0x%016" PRIx64, n->guid);
	else
		madkit_text_escape(buf, n->name, strlen(n->name));
	if (at.port >= 0)
		madkit_buf_printf(buf, "/%d", at.port);
}
