/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <madkit/num.h>
#include "sim/control_take.h"
#include "topology/find.h"

int control_take_node(const struct control *c, const char *word, uint32_t *node)
{
	return find_node(c->s->topology, word, node, c->error);
}

int control_take_port(const struct control *c, size_t i, uint32_t node, unsigned int *port)
{
	const struct topology_node *n = &c->s->topology->nodes[node];
	const char *word = word_at(c, i);
	uint64_t number;

	if (madkit_parse_number(word, strlen(word), 255, "port", &number, c->error))
		return -EINVAL;
	if (number > n->nports)
		return wrong(c, "port '%s': '%s' has %u port%s", word, word_at(c, i - 1), n->nports,
			     n->nports == 1 ? "" : "s");
	*port = (unsigned int)number;
	return 0;
}

int control_take_node_port(const struct control *c, size_t i, uint32_t *node, unsigned int *port)
{
	int ret = control_take_node(c, word_at(c, i), node);

	return ret ? ret : control_take_port(c, i + 1, *node, port);
}

const char *control_split_word(const char *word, char name[64])
{
	const char *equals = strchr(word, '=');

	if (!equals || equals - word >= 64)
		return NULL;
	memcpy(name, word, (size_t)(equals - word));
	name[equals - word] = '\0';
	return equals + 1;
}

struct port *control_port(const struct control *c, uint32_t node, unsigned int port)
{
	return node_port(c->s->fabric, &c->s->fabric->nodes[node], port);
}

int control_take_decimal(const char *text, unsigned int max, unsigned int times, int32_t *value)
{
	const bool negative = *text == '-';
	uint64_t millionths;

	text += negative;
	if (fault_millionths(text, strlen(text), max, &millionths) || millionths > max * UINT64_C(1000000))
		return -EINVAL;
	*value = (int32_t)((millionths * times + 500000) / 1000000);
	if (negative)
		*value = -*value;
	return 0;
}
