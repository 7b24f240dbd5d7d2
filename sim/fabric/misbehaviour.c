/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include "sim/fabric/misbehaviour.h"

struct misbehaviour *misbehaviour_make(struct node *node)
{
	if (!node->misbehaves)
		node->misbehaves = calloc(1, sizeof(*node->misbehaves));
	return node->misbehaves;
}

static unsigned int misbehaviour_find(const struct misbehaviour *m, uint32_t id)
{
	unsigned int i = 0;

	while (i < m->refused && m->registers[i].id != id)
		i++;
	return i;
}

int misbehaviour_refuse(struct misbehaviour *m, uint16_t id, uint16_t status)
{
	const unsigned int i = misbehaviour_find(m, id);

	if (i == MISBEHAVIOUR_REFUSED)
		return -E2BIG;
	m->registers[i].id = id;
	m->registers[i].status = status;
	m->refused += i == m->refused;
	return 0;
}

uint16_t misbehaviour_status(const struct node *node, uint32_t id)
{
	const struct misbehaviour *m = node->misbehaves;
	const unsigned int i = m ? misbehaviour_find(m, id) : 0;

	if (!m)
		return 0;
	return i < m->refused ? m->registers[i].status : m->status;
}
