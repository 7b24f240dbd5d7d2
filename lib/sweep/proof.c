/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sweep/nodes.h"
#include "sweep/proof.h"
#include "sweep/route.h"
#include "wire/access.h"

/* Returns a port of the node with a known neighbour, preferably the one through which the node is reached. 0:
 * none. */
static uint8_t proof_witness(const struct madkit_sweep *s, uint32_t node)
{
	const struct madkit_sweep_node *n = &s->nodes[node]->node;

	if (n->ports[n->number].peer != MADKIT_SWEEP_NONE)
		return n->number;
	for (unsigned int port = 1; port <= n->nports; port++)
		if (n->ports[port].peer != MADKIT_SWEEP_NONE)
			return (uint8_t)port;
	return 0;
}

bool proof_is_possible(const struct madkit_sweep *s, uint32_t node)
{
	struct madkit_addr to;

	return route_to_node(s, node, 0, &to) && proof_witness(s, node);
}

int proof_begin(struct madkit_sweep *s, struct sweep_place at, const uint8_t *info, uint32_t node)
{
	struct sweep_proof *proof = calloc(1, sizeof(*proof));

	if (!proof)
		return -ENOMEM;
	proof->at = at;
	proof->node = node;
	proof->port = proof_witness(s, node);
	proof->kind = SWEEP_WITNESS;
	memcpy(proof->info, info, MADKIT_SWEEP_INFO_BYTES);
	list_add(&s->proofs, &proof->list);
	return 0;
}

struct sweep_proof *proof_take(struct madkit_sweep *s)
{
	struct sweep_proof *proof;

	if (list_empty(&s->proofs))
		return NULL;
	proof = list_entry(s->proofs.next, struct sweep_proof, list);
	list_del(&proof->list);
	list_add(&s->proving, &proof->list);
	return proof;
}

enum proof_verdict proof_judge(struct madkit_sweep *s, struct sweep_proof *proof, const uint8_t *data)
{
	const struct sweep_place witness = { proof->node, proof->port }, peer = nodes_peer(s, witness);

	if (!data || peer.node == MADKIT_SWEEP_NONE)
		return PROOF_UNKNOWN;
	if (proof->kind == SWEEP_PROOF)
		return field_get(MADKIT_NODE_INFO_GUID, data) == s->nodes[peer.node]->node.guid &&
				       field_get(MADKIT_NODE_INFO_LOCAL_PORT, data) == peer.port ?
			       PROOF_SAME :
			       PROOF_OTHER;
	if (field_get(MADKIT_PORT_INFO_LINK_STATE, data) < MADKIT_PORT_STATE_INITIALIZE)
		return PROOF_OTHER;
	proof->kind = SWEEP_PROOF;
	list_del(&proof->list);
	list_add(&s->proofs, &proof->list);
	return PROOF_OPEN;
}

void proof_end(struct sweep_proof *proof)
{
	list_del(&proof->list);
	free(proof);
}

void proof_free(struct madkit_sweep *s)
{
	list_move_all(&s->proofs, &s->proving);
	while (!list_empty(&s->proofs))
		proof_end(list_entry(s->proofs.next, struct sweep_proof, list));
}
