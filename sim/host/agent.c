/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Registers agents and assigns methods to them. */
#include <errno.h>
#include <stdlib.h>
#include "sim/host/internal.h"

enum {
	CLASSES = 0x50, /* classes are below this, except SubnMgtDR */
	VERSIONS = 0x83,
	OUI_BITS = 24,
	HIGH_TID_MASK = 0xffffff, /* the kernel's agent numbers have 24 bits */
	CM_VERSION = 2,
};

/* ---- tables of methods ---------------------------------------------------------------- */

static struct methods *find_methods(struct host *host, uint8_t mgmt_class, uint8_t version, uint32_t oui)
{
	for (struct methods **p = &host->methods; *p; p = &(*p)->next) {
		struct methods *m = *p;

		if (m->mgmt_class != mgmt_class || m->class_version != version || m->oui != oui)
			continue;
		*p = m->next;
		m->next = host->methods;
		host->methods = m;
		return m;
	}
	return NULL;
}

static bool agent_has_method(const struct host_agent *reg, unsigned int method)
{
	return reg->method_mask[method / 64] >> method % 64 & 1;
}

/* The kernel's ib_cm registers this method on every host. */
static bool agent_is_of_cm(uint8_t mgmt_class, uint8_t version, unsigned int method)
{
	return mgmt_class == MADKIT_CLASS_CM && version == CM_VERSION && method == MADKIT_METHOD_SEND;
}

static bool agent_overlaps(const struct methods *m, const struct host_agent *reg)
{
	for (unsigned int i = 0; i < HOST_METHODS; i++)
		if (agent_has_method(reg, i) &&
		    ((m && m->agent[i]) || agent_is_of_cm(reg->mgmt_class, reg->class_version, i)))
			return true;
	return false;
}

static unsigned int count_ouis(const struct host *host, const struct host_agent *reg)
{
	unsigned int n = 0;

	for (const struct methods *m = host->methods; m; m = m->next)
		n += m->mgmt_class == reg->mgmt_class && m->class_version == reg->class_version;
	return n;
}

static uint32_t agent_oui(const struct host_agent *reg)
{
	return madkit_class_is_vendor2(reg->mgmt_class) ? reg->oui : 0;
}

/* Checks if the agent receives requests. None arrive on a RoCE device. */
static bool agent_has_methods(const struct agent *agent)
{
	return agent->reg.mgmt_class && !(agent->file->reach & HOST_ROCE);
}

static int agent_take_methods(struct agent *agent)
{
	struct host *host = agent->file->host;
	const struct host_agent *reg = &agent->reg;
	struct methods *m = find_methods(host, reg->mgmt_class, reg->class_version, agent_oui(reg));

	if (agent_overlaps(m, reg))
		return -EINVAL;
	/* an agent with an OUI takes one of the OUI slots even without methods; the slot is free again
	 * when an agent of the OUI ends and none of the others has a method */
	if (!agent_oui(reg) && !reg->method_mask[0] && !reg->method_mask[1])
		return 0;
	if (!m) {
		if (agent_oui(reg) && count_ouis(host, reg) >= HOST_OUIS_MAX)
			return -ENOMEM;
		m = calloc(1, sizeof(*m));
		if (!m)
			return -ENOMEM;
		m->mgmt_class = reg->mgmt_class;
		m->class_version = reg->class_version;
		m->oui = agent_oui(reg);
		m->next = host->methods;
		host->methods = m;
	}
	for (unsigned int i = 0; i < HOST_METHODS; i++) {
		if (!agent_has_method(reg, i))
			continue;
		m->agent[i] = agent;
		m->count++;
	}
	return 0;
}

static void agent_leave_methods(const struct agent *agent)
{
	struct host *host = agent->file->host;
	const struct host_agent *reg = &agent->reg;
	struct methods *m = find_methods(host, reg->mgmt_class, reg->class_version, agent_oui(reg));

	for (unsigned int i = 0; m && i < HOST_METHODS; i++) {
		if (m->agent[i] != agent)
			continue;
		m->agent[i] = NULL;
		m->count--;
	}
	if (!m || m->count)
		return;
	/* find_methods() has moved it to the front */
	host->methods = m->next;
	free(m);
}

/* ---- agents ----------------------------------------------------------------------------- */

static uint64_t host_agent_hash(const struct host *host, uint32_t high_tid)
{
	return table_mix((uint64_t)(host->port - host->hosts->f->ports), high_tid);
}

static struct agent *find_high(const struct host *host, uint32_t high_tid)
{
	uint64_t hash = host_agent_hash(host, high_tid);
	struct agent *agent;
	size_t step = 0;

	while ((agent = table_next(&host->hosts->agents, hash, &step)))
		if (agent->high_tid == high_tid && agent->file->host == host)
			break;
	return agent;
}

/* Agents are numbered from a seeded start; 0 is never used. */
static uint32_t agent_new_high(struct host *host)
{
	uint64_t first = host_agent_hash(host, 0) ^ host->hosts->seed;
	uint32_t high;

	do
		high = (uint32_t)(table_mix(first, 1) + host->agents++) & HIGH_TID_MASK;
	while (!high || find_high(host, high));
	return high;
}

/* Checks if the kernel would accept the registration, regardless of other agents. The caller checks for
 * unknown flags. */
static bool host_agent_is_valid(const struct host_agent *reg)
{
	uint8_t mgmt_class = reg->mgmt_class;

	if (reg->rmpp_version > 1)
		return false;
	if (!mgmt_class)
		return !(reg->flags & HOST_FLAGS);
	return !(reg->oui >> OUI_BITS) && reg->class_version < VERSIONS &&
	       (mgmt_class < CLASSES || mgmt_class == MADKIT_CLASS_SUBN_DR) &&
	       (reg->oui || !madkit_class_is_vendor2(mgmt_class)) &&
	       (!reg->rmpp_version || madkit_class_is_rmpp(mgmt_class));
}

int host_register(struct host_file *file, const struct host_agent *reg, uint32_t *id)
{
	struct host *host = file->host;
	struct agent *agent;
	uint32_t place = 0;
	int ret;

	if (reg->flags & ~(uint32_t)HOST_FLAGS)
		return -EINVAL;
	while (place < HOST_AGENTS_MAX && file->agents[place])
		place++;
	if (place == HOST_AGENTS_MAX)
		return -ENOMEM;
	if (!host_agent_is_valid(reg))
		return -EINVAL;
	if (!(file->reach & (madkit_class_is_smi(reg->mgmt_class) ? HOST_QP0 : HOST_QP1)))
		return -EPROTONOSUPPORT;
	agent = calloc(1, sizeof(*agent));
	if (!agent)
		return -ENOMEM;
	agent->file = file;
	agent->reg = *reg;
	agent->id = place;
	agent->qp = !madkit_class_is_smi(reg->mgmt_class);
	agent->kernel_rmpp = reg->rmpp_version && !(reg->flags & HOST_FLAGS);
	agent->high_tid = agent_new_high(host);
	list_init(&agent->sends);
	list_init(&agent->recvs);
	if (table_add(&host->hosts->agents, host_agent_hash(host, agent->high_tid), agent)) {
		free(agent);
		return -ENOMEM;
	}
	ret = agent_has_methods(agent) ? agent_take_methods(agent) : 0;
	if (ret) {
		table_del(&host->hosts->agents, host_agent_hash(host, agent->high_tid), agent);
		free(agent);
		return ret;
	}
	file->agents[place] = agent;
	*id = place;
	return 0;
}

void host_agent_free(struct agent *agent)
{
	struct host *host = agent->file->host;

	while (!list_empty(&agent->sends))
		host_send_free(list_entry(agent->sends.next, struct send, of_agent));
	host_rmpp_free_all(agent);
	if (agent_has_methods(agent))
		agent_leave_methods(agent);
	table_del(&host->hosts->agents, host_agent_hash(host, agent->high_tid), agent);
	agent->file->agents[agent->id] = NULL;
	free(agent);
}

int host_unregister(struct host_file *file, uint32_t id)
{
	struct agent *agent = host_agent_find(file, id);

	if (!agent)
		return -EINVAL;
	host_agent_free(agent);
	return 0;
}

/* ---- dispatch --------------------------------------------------------------------------- */

struct agent *host_agent_of(struct host *host, const uint8_t *mad)
{
	uint8_t mgmt_class = mad[MADKIT_MAD_CLASS];
	uint32_t oui = 0;
	struct methods *m;

	if (madkit_mad_is_response(mad, MADKIT_MAD_BYTES))
		return find_high(host, get_be32(mad + MADKIT_MAD_TID));
	if (madkit_class_is_vendor2(mgmt_class))
		oui = get_be32(mad + MADKIT_VENDOR2_OUI - 1) & 0xffffff;
	m = find_methods(host, mgmt_class, mad[MADKIT_MAD_CLASS_VERSION], oui);
	return m ? m->agent[mad[MADKIT_MAD_METHOD] % HOST_METHODS] : NULL;
}
