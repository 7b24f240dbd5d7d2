/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds nodes and their ports by words. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <madkit/addr.h>
#include "topology/find.h"
#include "util/array_size.h"
#include "util/word.h"

/* Aggregation nodes look like channel adapters, but run no programs. */
static bool find_is_host(const struct topology_node *n)
{
	return n->type == TOPOLOGY_CA &&
	       strncmp(n->description, TOPOLOGY_AGGREGATION, strlen(TOPOLOGY_AGGREGATION)) != 0;
}

static int find_first_ca(const struct topology *t, uint32_t *node, struct madkit_error *error)
{
	for (*node = 0; *node < t->nnodes; ++*node)
		if (find_is_host(&t->nodes[*node]))
			return 0;
	return madkit_error_set(error, -ENOENT, -1, "the topology has no CA");
}

/* Finds the node or the end port with a GUID. */
static bool find_guid(const struct topology *t, uint64_t guid, uint32_t *node, int *port)
{
	for (uint32_t i = 0; i < t->nnodes; i++) {
		const struct topology_node *n = &t->nodes[i];
		unsigned int last = n->type == TOPOLOGY_SWITCH ? 0 : n->nports;

		*node = i;
		if (n->guid == guid)
			return true;
		for (unsigned int p = n->type == TOPOLOGY_SWITCH ? 0 : 1; p <= last; p++) {
			if (topology_port(t, i, p)->guid != guid)
				continue;
			*port = (int)p;
			return true;
		}
	}
	return false;
}

/* ---- hosts -------------------------------------------------------------------------- */

static bool find_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Checks for a device name of a driver or of the rules of rdma-core. */
bool find_is_device(const char *word)
{
	static const char *const drivers[] = {
		"bnxt_re", "cxgb",  "efa_",  "ehca", "erdma_", "hfi", "hns_",  "i40iw",
		"ib",      "ipath", "irdma", "iw",   "mana_",  "mlx", "mthca", "nes",
		"ocrdma",  "opap",  "qedr",  "qib",  "roce",   "rxe", "siw",   "usnic_",
	};
	const char *p = word;

	/* called for each CA of a large topology: no strspn() */
	while ((*p >= 'a' && *p <= 'z') || find_is_digit(*p) || *p == '_')
		p++;
	if (*p || p == word || !find_is_digit(p[-1]))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(drivers); i++)
		if (!strncmp(word, drivers[i], strlen(drivers[i])))
			return true;
	return false;
}

/* Checks for "HCA-1", the device name of older software. */
static bool find_is_hca(const char *word)
{
	const char *p = word + 4;

	if (strncmp(word, "HCA-", 4))
		return false;
	while (find_is_digit(*p))
		p++;
	return !*p && p > word + 4;
}

size_t find_host(const struct topology_node *n, const char **device)
{
	/* host names that are not set */
	static const char *const nobody[] = { "localhost", "(none)" };
	size_t len = strcspn(n->description, " ");

	*device = n->description + len + (n->description[len] != '\0');
	if (n->type != TOPOLOGY_CA || !len || (!find_is_hca(*device) && !find_is_device(*device)))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(nobody); i++)
		if (len == strlen(nobody[i]) && !strncmp(n->description, nobody[i], len))
			return 0;
	return len;
}

/* Checks if a device comes before another one of its host, in the order of libibumad. A word that is not a
 * device name counts as simN. */
static bool find_is_before(const char *a, const char *b)
{
	const char *x = find_is_device(a) ? a : "sim0", *y = find_is_device(b) ? b : "sim0";

	if (x == a || y == b || strlen(a) == strlen(b))
		return strcmp(x, y) ? strcmp(x, y) < 0 : strcmp(a, b) < 0;
	return strlen(a) < strlen(b);
}

/* Returns the CA of the node's host that programs choose by default: the first one by name. */
static uint32_t find_first_device(const struct topology *t, uint32_t node)
{
	const char *best, *device;
	const char *host = t->nodes[node].description;
	size_t len = find_host(&t->nodes[node], &best);

	for (uint32_t i = 0; len && i < t->nnodes; i++)
		if (!strncmp(t->nodes[i].description, host, len) && find_host(&t->nodes[i], &device) == len &&
		    find_is_before(device, best)) {
			best = device;
			node = i;
		}
	return node;
}

/* ---- descriptions -------------------------------------------------------------------- */

enum { NAMES_BYTES = 80 }; /* limit for a list of names */

/* Nodes that a word describes. */
struct described {
	unsigned int count;
	uint32_t first;
	bool one_host;                                    /* all are CAs of one host */
	char names[NAMES_BYTES + TOPOLOGY_NAME_MAX + 10]; /* of the first nodes */
};

/* Finds the nodes with a description. host: finds CAs with a description that begins with the word and a
 * blank, such as "node1 HCA-1". */
static struct described find_described(const struct topology *t, const char *text, bool host)
{
	struct described d = { .count = 0, .one_host = true };
	size_t len = strlen(text), used = 0;
	const char *device;
	int more = 0;

	for (uint32_t i = 0; i < t->nnodes; i++) {
		const struct topology_node *n = &t->nodes[i];

		const size_t all = strlen(n->description);

		if (host ? n->type != TOPOLOGY_CA || !word_is_first(n->description, all, text, len, false) :
			   all != len || !word_begins(n->description, all, text, len, false))
			continue;
		if (!d.count)
			d.first = i;
		d.one_host &= host && find_host(n, &device) == len;
		d.count++;
		if (used < NAMES_BYTES)
			used += (size_t)snprintf(d.names + used, sizeof(d.names) - used, "%s'%s'",
						 used ? ", " : "", n->name);
		else if (!more)
			more = snprintf(d.names + used, sizeof(d.names) - used, " ...");
	}
	return d;
}

/* Sets *node and, for the GUID of a port, *port. host: the name of a host means the first of its devices. */
static int find_word(const struct topology *t, const char *word, size_t len, bool host, uint32_t *node,
		     int *port, struct madkit_error *error)
{
	char text[TOPOLOGY_DESCRIPTION_MAX + 1];
	struct described found;
	uint64_t guid;

	*node = topology_find(t, word, len);
	if (*node != TOPOLOGY_NONE)
		return 0;
	if (len && len < sizeof(text)) {
		memcpy(text, word, len);
		text[len] = '\0';
		found = find_described(t, text, false);
		if (!found.count && !madkit_parse_guid(text, &guid, NULL) && find_guid(t, guid, node, port))
			return 0;
		if (!found.count)
			found = find_described(t, text, true);
		*node = host && found.count && found.one_host ? find_first_device(t, found.first) :
								found.first;
		if (found.count == 1 || (found.count && host && found.one_host))
			return 0;
		if (found.count)
			return madkit_error_set(error, -EEXIST, 0,
						"'%s' describes %u nodes, %s: name one, or give its GUID",
						text, found.count, found.names);
	}
	return madkit_error_set(error, -ENOENT, 0,
				"no node of the topology has the name, description or GUID '%.*s'",
				len > 80 ? 80 : (int)len, word);
}

unsigned int find_port(const struct topology *t, uint32_t node)
{
	const struct topology_node *n = &t->nodes[node];

	if (n->type == TOPOLOGY_SWITCH)
		return 0;
	for (unsigned int p = 1; p <= n->nports; p++)
		if (topology_port(t, node, p)->peer != TOPOLOGY_NONE)
			return p;
	return 1;
}

static int choose_port(const struct topology *t, uint32_t node, int wanted, unsigned int *port,
		       struct madkit_error *error)
{
	const struct topology_node *n = &t->nodes[node];
	bool sw = n->type == TOPOLOGY_SWITCH;

	if (wanted < 0)
		wanted = (int)find_port(t, node);
	*port = (unsigned int)wanted;
	if (sw && wanted)
		return madkit_error_set(error, -ENOENT, -1,
					"port %d of '%s': programs run only at port 0 of a switch", wanted,
					n->name);
	if (!sw && (!wanted || wanted > n->nports))
		return madkit_error_set(error, -ENOENT, -1, "port %d of '%s': its ports are 1 to %u", wanted,
					n->name, n->nports);
	return 0;
}

uint32_t find_manager(const struct topology *t)
{
	uint32_t node = TOPOLOGY_NONE;

	for (uint32_t i = t->nnodes; i--;) {
		if (!find_is_host(&t->nodes[i]))
			continue;
		node = i;
		if (topology_port(t, i, find_port(t, i))->peer != TOPOLOGY_NONE)
			break;
	}
	return node;
}

int find_node(const struct topology *t, const char *words, uint32_t *node, struct madkit_error *error)
{
	int port;

	return find_word(t, words, strlen(words), false, node, &port, error);
}

int find_end(const struct topology *t, const char *words, uint32_t *node, unsigned int *port,
	     struct madkit_error *error)
{
	const char *colon = words ? strrchr(words, ':') : NULL;
	int wanted = -1, of_guid = -1, ret;
	uint64_t number;

	if (!words || !words[0]) {
		ret = find_first_ca(t, node, error);
		if (ret)
			return ret;
		*node = find_first_device(t, *node);
		return choose_port(t, *node, -1, port, error);
	}
	ret = find_word(t, words, strlen(words), true, node, &of_guid, NULL);
	/* the name may contain colons */
	if (ret == -ENOENT && colon &&
	    !madkit_parse_number(colon + 1, strlen(colon + 1), TOPOLOGY_NODE_PORTS_MAX, "port", &number,
				 NULL)) {
		wanted = (int)number;
		ret = find_word(t, words, (size_t)(colon - words), true, node, &of_guid, error);
	} else if (ret) {
		ret = find_word(t, words, strlen(words), true, node, &of_guid, error);
	}
	if (ret)
		return ret;
	if (of_guid >= 0 && wanted >= 0 && wanted != of_guid)
		return madkit_error_set(error, -ENOENT, 0, "'%.80s': that GUID is of port %d", words,
					of_guid);
	return choose_port(t, *node, of_guid >= 0 ? of_guid : wanted, port, error);
}
