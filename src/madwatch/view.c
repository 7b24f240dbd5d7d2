/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "subnet/port_values.h"
#include "view.h"

enum {
	VIEW_FIRST = 64,   /* elements of an array at first; then it is doubled */
	VIEW_BLOCK = 1024, /* links that are allocated at once */
};

/* ---- memory ------------------------------------------------------------------------------ */

/* Returns a copy of an array with room for more elements, and frees the old one; NULL without memory. */
static void *view_grow(void *array, uint32_t count, uint32_t *cap, size_t size)
{
	const uint32_t more = *cap ? 2 * *cap : VIEW_FIRST;
	void *grown = calloc(more, size);

	if (!grown)
		return NULL;
	if (count)
		memcpy(grown, array, count * size);
	free(array);
	*cap = more;
	return grown;
}

int view_init(struct view *v)
{
	*v = (struct view){ .here = { VIEW_NONE, 0 }, .dirty = true };
	v->lids = malloc(VIEW_LIDS * sizeof(*v->lids));
	if (!v->lids)
		return cli_no_memory();
	for (uint32_t lid = 0; lid < VIEW_LIDS; lid++)
		v->lids[lid] = VIEW_NONE;
	return EXIT_DONE;
}

void view_free(struct view *v)
{
	for (uint32_t i = 0; i < v->nnodes; i++) {
		free(v->nodes[i]->label);
		free(v->nodes[i]);
	}
	for (uint32_t i = 0; i < v->blocks; i++)
		free(v->links[i]);
	free(v->links);
	free(v->nodes);
	free(v->hash);
	free(v->lids);
}

/* ---- nodes ------------------------------------------------------------------------------- */

static uint32_t view_hash(const struct view *v, uint64_t guid)
{
	return (uint32_t)((guid * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (v->hash_size - 1);
}

static void view_hash_put(struct view *v, struct view_node *n)
{
	uint32_t *first = &v->hash[view_hash(v, n->guid)];

	n->next = *first;
	*first = n->number;
}

/* Makes the hash table as large as the array of nodes. Returns false without memory. */
static bool view_hash_grow(struct view *v)
{
	uint32_t *hash = malloc(v->nodes_cap * sizeof(*hash));

	if (!hash)
		return false;
	free(v->hash);
	v->hash = hash;
	v->hash_size = v->nodes_cap;
	for (uint32_t i = 0; i < v->hash_size; i++)
		hash[i] = VIEW_NONE;
	for (uint32_t i = 0; i < v->nnodes; i++)
		view_hash_put(v, v->nodes[i]);
	return true;
}

struct view_node *view_of_guid(const struct view *v, uint64_t guid)
{
	uint32_t i = v->hash_size ? v->hash[view_hash(v, guid)] : VIEW_NONE;

	while (i != VIEW_NONE && v->nodes[i]->guid != guid)
		i = v->nodes[i]->next;
	return i == VIEW_NONE ? NULL : v->nodes[i];
}

bool view_find_port(const struct view *v, uint64_t guid, struct view_end *end)
{
	for (uint32_t i = 0; i < v->nnodes; i++)
		for (unsigned int port = 0; guid && port <= v->nodes[i]->nports; port++)
			if (v->nodes[i]->ports[port].guid == guid) {
				*end = (struct view_end){ i, (uint8_t)port };
				return true;
			}
	return false;
}

struct view_node *view_of_lid(const struct view *v, uint32_t lid)
{
	return lid < VIEW_LIDS && v->lids[lid] != VIEW_NONE ? v->nodes[v->lids[lid]] : NULL;
}

static uint64_t view_info(const uint8_t *info, uint64_t field)
{
	uint64_t value = 0;

	madkit_get(info, MADKIT_SWEEP_INFO_BYTES, field, &value);
	return value;
}

static struct view_node *view_new_node(uint8_t nports)
{
	struct view_node *n = calloc(1, sizeof(*n) + (nports + 1u) * sizeof(n->ports[0]));

	if (!n)
		return NULL;
	n->nports = n->room = n->reported = nports;
	for (unsigned int port = 0; port <= nports; port++)
		n->ports[port].link = n->ports[port].past = VIEW_NONE;
	return n;
}

struct view_node *view_add(struct view *v, const uint8_t info[MADKIT_SWEEP_INFO_BYTES])
{
	const uint8_t nports = (uint8_t)view_info(info, MADKIT_NODE_INFO_NUM_PORTS);
	struct view_node *n;

	if (v->nnodes == v->nodes_cap) {
		struct view_node **nodes =
			v->nnodes < VIEW_NODES_MAX ?
				view_grow(v->nodes, v->nnodes, &v->nodes_cap, sizeof(*nodes)) :
				NULL;

		if (!nodes)
			return NULL;
		v->nodes = nodes;
		if (!view_hash_grow(v))
			return NULL;
	}
	n = view_new_node(nports);
	if (!n)
		return NULL;
	n->guid = view_info(info, MADKIT_NODE_INFO_GUID);
	n->system_guid = view_info(info, MADKIT_NODE_INFO_SYSTEM_GUID);
	n->type = (uint8_t)view_info(info, MADKIT_NODE_INFO_NODE_TYPE);
	n->number = v->nnodes;
	n->parent = VIEW_NONE;
	memcpy(n->info, info, sizeof(n->info));
	v->nodes[v->nnodes++] = n;
	view_hash_put(v, n);
	return n;
}

struct view_node *view_resize(struct view *v, struct view_node *n,
			      const uint8_t info[MADKIT_SWEEP_INFO_BYTES])
{
	const uint8_t nports = (uint8_t)view_info(info, MADKIT_NODE_INFO_NUM_PORTS);

	if (nports > n->room) {
		struct view_node *grown = view_new_node(nports);

		if (!grown)
			return NULL;
		memcpy(grown, n, sizeof(*n) + (n->room + 1u) * sizeof(n->ports[0]));
		grown->room = nports;
		v->nodes[n->number] = grown;
		free(n);
		n = grown;
	}
	while (n->nports > nports && n->ports[n->nports].link == VIEW_NONE &&
	       n->ports[n->nports].past == VIEW_NONE)
		n->nports--;
	if (n->nports < nports)
		n->nports = nports;
	memcpy(n->info, info, sizeof(n->info));
	/* the file of --state has the links of all ports */
	madkit_put(n->info, sizeof(n->info), MADKIT_NODE_INFO_NUM_PORTS, n->nports);
	n->reported = nports;
	v->dirty = true;
	return n;
}

void view_set_lid(struct view *v, struct view_node *n, uint32_t lid)
{
	if (lid == 0 || lid >= VIEW_LIDS)
		return;
	if (n->lid && n->lid != lid && v->lids[n->lid] == n->number && view_is_switch(n))
		v->lids[n->lid] = VIEW_NONE;
	v->lids[lid] = n->number;
	if (!n->lid || view_is_switch(n))
		n->lid = lid;
}

/* ---- names ------------------------------------------------------------------------------- */

/* Checks if another node has a label. */
static bool view_has_label(const struct view *v, const struct view_node *own, const char *label, size_t len)
{
	for (uint32_t i = 0; i < v->nnodes; i++) {
		const char *other = v->nodes[i]->label;

		if (v->nodes[i] != own && other && strlen(other) == len && !memcmp(other, label, len))
			return true;
	}
	return false;
}

int view_rename(struct view *v, struct view_node *n, const char *name, const char *label)
{
	struct madkit_buf buf;
	size_t len = label ? strlen(label) : strcspn(name, " ");

	if (!label && view_has_label(v, n, name, len))
		len = strlen(name);
	madkit_buf_init(&buf, 0);
	if (label)
		madkit_buf_str(&buf, label);
	else if (len && !view_has_label(v, n, name, len))
		madkit_text_escape(&buf, name, len);
	else
		madkit_buf_printf(&buf, "0x%016" PRIx64, n->guid);
	madkit_buf_char(&buf, '\0');
	label = buf.error ? NULL : strdup(buf.data);
	madkit_buf_free(&buf);
	if (!label)
		return cli_no_memory();
	free(n->label);
	n->label = (char *)(uintptr_t)label;
	snprintf(n->name, sizeof(n->name), "%s", name);
	return EXIT_DONE;
}

void view_put_place(const struct view *v, struct madkit_buf *buf, uint32_t node, int port)
{
	const struct view_node *n = v->nodes[node];

	if (n->label)
		madkit_buf_str(buf, n->label);
	else
		madkit_buf_printf(buf, "0x%016" PRIx64, n->guid);
	if (port >= 0)
		madkit_buf_printf(buf, "/%d", port);
}

void view_put_link(const struct view *v, struct madkit_buf *buf, const struct view_link *l)
{
	view_put_place(v, buf, l->ends[0].node, l->ends[0].port);
	madkit_buf_str(buf, " <-> ");
	view_put_place(v, buf, l->ends[1].node, l->ends[1].port);
}

void view_rate_text(struct view_rate rate, char text[VIEW_RATE_BYTES])
{
	*text = 0;
	if (rate.width && rate.speed)
		snprintf(text, VIEW_RATE_BYTES, "%s %s", port_value_name("width", rate.width),
			 port_value_name("speed", rate.speed));
}

/* ---- links ------------------------------------------------------------------------------- */

struct view_port *view_port(const struct view *v, struct view_end end)
{
	return &v->nodes[end.node]->ports[end.port];
}

struct view_link *view_link(const struct view *v, uint32_t link)
{
	return link == VIEW_NONE ? NULL : &v->links[link / VIEW_BLOCK][link % VIEW_BLOCK];
}

struct view_link *view_link_of(const struct view *v, struct view_end end)
{
	return view_link(v, view_port(v, end)->link);
}

/* Returns the number of a link that is not in use; VIEW_NONE without memory. */
static uint32_t view_new_link(struct view *v)
{
	for (; v->free_link < v->blocks * VIEW_BLOCK; v->free_link++)
		if (!view_link(v, v->free_link)->references && !view_link(v, v->free_link)->pending)
			return v->free_link++;
	if (v->blocks == v->blocks_cap) {
		struct view_link **links = view_grow(v->links, v->blocks, &v->blocks_cap, sizeof(*links));

		if (!links)
			return VIEW_NONE;
		v->links = links;
	}
	v->links[v->blocks] = calloc(VIEW_BLOCK, sizeof(struct view_link));
	if (!v->links[v->blocks])
		return VIEW_NONE;
	v->free_link = v->blocks++ * VIEW_BLOCK;
	return v->free_link++;
}

static void view_drop_link(struct view *v, uint32_t *reference)
{
	struct view_link *l = view_link(v, *reference);

	if (l && !--l->references && *reference < v->free_link)
		v->free_link = *reference;
	*reference = VIEW_NONE;
}

void view_forget(struct view *v, struct view_end end)
{
	view_drop_link(v, &view_port(v, end)->past);
}

/* Makes the link of a port, if it has one, the past of both its ends. */
static void view_part(struct view *v, struct view_end end)
{
	const uint32_t link = view_port(v, end)->link;
	const struct view_link *l = view_link(v, link);

	for (int i = 0; l && i < 2; i++) {
		struct view_port *p = view_port(v, l->ends[i]);

		v->nodes[l->ends[i].node]->nlinks--;
		/* a link that was not reported leaves no trace, and the one before it is kept */
		if (l->known && link != p->past) {
			view_forget(v, l->ends[i]);
			p->past = link;
			p->link = VIEW_NONE;
		} else {
			view_drop_link(v, &p->link);
		}
	}
}

struct view_link *view_connect(struct view *v, struct view_end a, struct view_end b)
{
	uint32_t link;
	struct view_link *l;

	view_part(v, a);
	view_part(v, b);
	link = view_new_link(v);
	if (link == VIEW_NONE)
		return NULL;
	l = view_link(v, link);
	*l = (struct view_link){ .ends = { a, b }, .references = 2 };
	for (int i = 0; i < 2; i++) {
		view_port(v, l->ends[i])->link = link;
		v->nodes[l->ends[i].node]->nlinks++;
	}
	v->dirty = true;
	return l;
}

/* ---- routes ------------------------------------------------------------------------------ */

/* Checks if directed routes may pass a port out of its node. Links that wait for the subnet manager carry them. */
static bool view_passes(const struct view *v, const struct view_node *n, unsigned int port)
{
	const struct view_link *l = view_link(v, n->ports[port].link);

	if (!l || (!view_is_switch(n) && (n->number != v->here.node || port != v->here.port)))
		return false;
	return l->trained;
}

/* Visits the neighbours of a node. Returns the number of nodes in the list. */
static uint32_t view_extend(struct view *v, struct view_node *n, uint32_t *list, uint32_t count)
{
	for (unsigned int port = 1; port <= n->nports; port++) {
		const struct view_link *l;
		struct view_node *next;

		if (!view_passes(v, n, port))
			continue;
		l = view_link(v, n->ports[port].link);
		next = v->nodes[l->ends[l->ends[0].node == n->number && l->ends[0].port == port].node];
		if (next->reached || n->hops == MADKIT_HOPS_MAX)
			continue;
		next->reached = true;
		next->parent = n->number;
		next->parent_port = (uint8_t)port;
		next->hops = n->hops + 1;
		list[count++] = next->number;
	}
	return count;
}

/* Finds the shortest routes to all nodes. Without memory, no node is reached. */
static void view_find_routes(struct view *v)
{
	uint32_t *list = malloc((v->nnodes + 1) * sizeof(*list)), count = 0;

	for (uint32_t i = 0; i < v->nnodes; i++)
		v->nodes[i]->reached = false;
	if (list && v->here.node != VIEW_NONE) {
		struct view_node *here = v->nodes[v->here.node];

		here->reached = true;
		here->parent = VIEW_NONE;
		here->hops = 0;
		list[count++] = here->number;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct view_node *n = v->nodes[list[i]];

		if (!n->silent)
			count = view_extend(v, n, list, count);
	}
	free(list);
	v->dirty = false;
}

bool view_route(struct view *v, uint32_t node, struct madkit_addr *to)
{
	const struct view_node *n = v->nodes[node];

	if (v->dirty)
		view_find_routes(v);
	*to = (struct madkit_addr){ .direct = true,
				    .dr_slid = MADKIT_LID_PERMISSIVE,
				    .dr_dlid = MADKIT_LID_PERMISSIVE,
				    .hops = n->hops };
	if (!n->reached)
		return false;
	for (; n->parent != VIEW_NONE; n = v->nodes[n->parent])
		to->path[n->hops] = n->parent_port;
	return true;
}
