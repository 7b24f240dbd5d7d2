/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/access.h>
#include <madkit/constants.h>
#include <madkit/dispatch.h>
#include <madkit/query.h>
#include <madkit/resolve.h>
#include "node_names.h"

enum {
	/* of a try of a query; all tries end within NODE_NAMES_WAIT_MS */
	NODE_NAMES_TIMEOUT_MS = 300,
	NODE_NAMES_RETRIES = 2,
	/* of the query for the table of all nodes */
	NODE_NAMES_TABLE_MS = 30000,
	/* how long a failed query is remembered */
	NODE_NAMES_FAILURE_MS = 1000,
	NODE_NAMES_LIDS = 0xc000, /* above: multicast LIDs */
	NODE_NAMES_WINDOW = 32,
	NODE_NAMES_PARKED = 32,
	NODE_NAMES_QUEUE = 4096,
	NODE_NAMES_BUCKETS = 4096,
	NODE_NAMES_MAX = 1 << 17,
};

enum node_entry_state {
	NODE_ENTRY_KNOWN,  /* valid until until_ns */
	NODE_ENTRY_QUEUED, /* to be queried until until_ns */
	NODE_ENTRY_QUERIED,
};

struct node_entry {
	struct node_entry *next;  /* in the bucket */
	struct node_entry *later; /* in the queue */
	struct node_key key;
	enum node_entry_state state;
	bool found;
	bool stale; /* the node has changed since it was queried */
	uint64_t until_ns;
	struct node_name name;
};

struct node_names {
	struct exchange *x;
	struct madkit_dispatcher *dispatcher;
	struct madkit_agent *agent;
	struct madkit_name_map *map; /* NULL: none */
	struct node_entry *first, **last;
	size_t queued, n;
	bool describes;
	struct node_name mapped; /* result of node_names_get() for a node that only the map has */
	struct node_entry *buckets[NODE_NAMES_BUCKETS];
};

/* ---- entries ------------------------------------------------------------------------ */

static struct node_entry **node_bucket(struct node_names *n, struct node_key key)
{
	uint64_t hash = (key.port_guid + key.lid) * UINT64_C(0x9e3779b97f4a7c15);

	return &n->buckets[hash >> 52 & (NODE_NAMES_BUCKETS - 1)];
}

static struct node_entry *node_entry_find(const struct node_names *n, struct node_key key)
{
	struct node_entry *e = *node_bucket((struct node_names *)n, key);

	while (e && (e->key.lid != key.lid || e->key.port_guid != key.port_guid))
		e = e->next;
	return e;
}

/* Frees all entries that are neither queued nor queried. */
static void node_entries_drop(struct node_names *n)
{
	for (size_t i = 0; i < NODE_NAMES_BUCKETS; i++)
		for (struct node_entry **link = &n->buckets[i], *e; (e = *link);) {
			if (e->state != NODE_ENTRY_KNOWN) {
				link = &e->next;
				continue;
			}
			*link = e->next;
			free(e);
			n->n--;
		}
}

/* Finds or creates an entry. Returns NULL if memory ran out. */
static struct node_entry *node_entry_get(struct node_names *n, struct node_key key)
{
	struct node_entry *e = node_entry_find(n, key), **bucket;

	if (e)
		return e;
	if (n->n >= NODE_NAMES_MAX)
		node_entries_drop(n);
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	bucket = node_bucket(n, key);
	e->key = key;
	e->next = *bucket;
	*bucket = e;
	n->n++;
	return e;
}

static void node_entry_queue(struct node_names *n, struct node_entry *e)
{
	if (n->queued >= NODE_NAMES_QUEUE)
		return;
	e->state = NODE_ENTRY_QUEUED;
	e->stale = false;
	e->until_ns = madkit_port_now(n->x->port) + NODE_NAMES_WAIT_MS * NS_PER_MS;
	e->later = NULL;
	*n->last = e;
	n->last = &e->later;
	n->queued++;
}

static struct node_entry *node_entry_unqueue(struct node_names *n)
{
	struct node_entry *e = n->first;

	n->first = e->later;
	if (!n->first)
		n->last = &n->first;
	n->queued--;
	e->state = NODE_ENTRY_KNOWN;
	return e;
}

static bool node_key_is_valid(struct node_key key)
{
	return key.port_guid || (key.lid && key.lid < NODE_NAMES_LIDS);
}

/* ---- responses ------------------------------------------------------------------------ */

static uint64_t node_value(const struct madkit_record *r, uint64_t field)
{
	uint64_t value = 0;

	madkit_get(r->data, r->len, field, &value);
	return value;
}

static void node_name_read(const struct node_names *n, const struct madkit_record *r, struct node_name *name)
{
	const char *mapped;

	*name = (struct node_name){
		.type = (uint8_t)node_value(r, MADKIT_NODE_RECORD_NODE_INFO_NODE_TYPE),
		.device = (uint16_t)node_value(r, MADKIT_NODE_RECORD_NODE_INFO_DEV_ID),
		.lid = (uint32_t)node_value(r, MADKIT_NODE_RECORD_LID),
		.node_guid = node_value(r, MADKIT_NODE_RECORD_NODE_INFO_GUID),
		.system_guid = node_value(r, MADKIT_NODE_RECORD_NODE_INFO_SYSTEM_GUID),
		.port_guid = node_value(r, MADKIT_NODE_RECORD_NODE_INFO_PORT_GUID),
	};
	mapped = n->map ? madkit_name_map_name(n->map, name->node_guid) : NULL;
	if (mapped)
		snprintf(name->text, sizeof(name->text), "%s", mapped);
	else if (n->describes)
		madkit_get_bytes(r->data, r->len, MADKIT_NODE_RECORD_NODE_DESCRIPTION, name->text, 64);
}

static void node_entry_know(struct node_names *n, struct node_entry *e, const struct node_name *name)
{
	if (name)
		e->name = *name;
	/* the last name of a GUID remains valid */
	e->found = name || (e->found && e->key.port_guid);
	e->until_ns = madkit_port_now(n->x->port) + NODE_NAMES_LIFE_MS * NS_PER_MS;
}

/* Stores a node under its port GUID and its LID: a record contains both. */
static void node_names_learn(struct node_names *n, const struct node_name *name)
{
	const struct node_key keys[] = { { .port_guid = name->port_guid }, { .lid = name->lid } };

	for (size_t i = 0; i < 2; i++) {
		struct node_entry *e = node_key_is_valid(keys[i]) ? node_entry_get(n, keys[i]) : NULL;

		if (e && e->state == NODE_ENTRY_KNOWN)
			node_entry_know(n, e, name);
	}
}

static void node_entry_ended(struct node_names *n, struct node_entry *e, const struct madkit_job *job)
{
	int ret = job->error ? job->error : job->reply.status;
	struct madkit_message message;
	struct madkit_record record;
	struct node_name name;

	e->state = NODE_ENTRY_KNOWN;
	if (e->stale) {
		node_entry_queue(n, e);
		return;
	}
	if (!ret)
		ret = madkit_reply_message(&job->reply, &message);
	if (!ret) {
		madkit_record_get(&message, 0, &record);
		node_name_read(n, &record, &name);
		node_entry_know(n, e, &name);
		node_names_learn(n, &name);
		return;
	}
	node_entry_know(n, e, NULL);
	if (ret != -EPROTO)
		e->until_ns = job->ended_ns + NODE_NAMES_FAILURE_MS * NS_PER_MS;
}

/* Stores the nodes of a table. Nodes that are missing in it are queried when they are needed. */
static void node_names_learn_table(struct node_names *n, const struct madkit_job *job)
{
	struct madkit_message message;
	struct madkit_record record;
	struct node_name name;

	if (job->error || madkit_reply_message(&job->reply, &message))
		return;
	madkit_record_get(&message, 0, &record);
	if (!record.data)
		return;
	do {
		node_name_read(n, &record, &name);
		node_names_learn(n, &name);
	} while (madkit_record_next(&record));
}

/* ---- queries ------------------------------------------------------------------------- */

static struct madkit_send *node_query(struct node_names *n, uint8_t method)
{
	const struct cli_options *o = n->x->options;
	struct madkit_addr to = { .lid = o->sm_lid, .sl = n->x->info->sm_sl };
	struct madkit_send *send;

	if (!to.lid && madkit_port_sa_addr(n->x->port, &to, NULL))
		return NULL;
	send = madkit_send_request(&to, MADKIT_CLASS_SA, method, MADKIT_ATTR_NODE_RECORD, 0);
	if (!send)
		return NULL;
	madkit_put(send->mad, MADKIT_MAD_BYTES, MADKIT_HEADER_SA_SM_KEY, o->sm_key);
	send->timeout_ms = NODE_NAMES_TIMEOUT_MS;
	send->retries = NODE_NAMES_RETRIES;
	return send;
}

static void node_job_free(struct madkit_job *job)
{
	if (!job)
		return;
	madkit_recv_free(job->reply.recv);
	madkit_send_free(job->send);
	free(job);
}

/* e: NULL for a table. Returns NULL if memory ran out, or if there is no SA. */
static struct madkit_job *node_job_new(struct node_names *n, uint8_t method, struct node_entry *e)
{
	struct madkit_job *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	job->send = node_query(n, method);
	job->agent = n->agent;
	job->context = e;
	if (job->send)
		return job;
	node_job_free(job);
	return NULL;
}

static bool node_job_post(struct node_names *n, struct madkit_job *job)
{
	if (!madkit_dispatcher_post(n->dispatcher, job))
		return true;
	node_job_free(job);
	return false;
}

/* Sends the query for an entry. Returns false if it could not be sent; the name remains unknown for a
 * while. */
static bool node_entry_post(struct node_names *n, struct node_entry *e)
{
	struct madkit_job *job = node_job_new(n, MADKIT_METHOD_GET, e);

	if (!job)
		return false;
	if (e->key.port_guid)
		madkit_send_put(job->send, MADKIT_NODE_RECORD_NODE_INFO_PORT_GUID, e->key.port_guid);
	else
		madkit_send_put(job->send, MADKIT_NODE_RECORD_LID, e->key.lid);
	job->deadline_ns = e->until_ns;
	if (!node_job_post(n, job))
		return false;
	e->state = NODE_ENTRY_QUERIED;
	return true;
}

void node_names_want_all(struct node_names *n)
{
	struct madkit_job *job = node_job_new(n, MADKIT_METHOD_GET_TABLE, NULL);

	if (!job)
		return;
	job->send->timeout_ms = NODE_NAMES_TABLE_MS;
	job->send->retries = 0;
	job->deadline_ns = madkit_port_now(n->x->port) + NODE_NAMES_TABLE_MS * NS_PER_MS;
	node_job_post(n, job);
}

static void node_names_take(struct node_names *n)
{
	struct madkit_job *job;

	while ((job = madkit_dispatcher_take(n->dispatcher))) {
		if (job->context)
			node_entry_ended(n, job->context, job);
		else
			node_names_learn_table(n, job);
		node_job_free(job);
	}
}

uint64_t node_names_tend(struct node_names *n)
{
	const uint64_t now = madkit_port_now(n->x->port);

	madkit_dispatcher_wait(n->dispatcher, 0);
	node_names_take(n);
	while (n->first &&
	       (n->first->until_ns <= now || madkit_dispatcher_has_room(n->dispatcher, MADKIT_CLASS_SA))) {
		struct node_entry *e = node_entry_unqueue(n);

		if (e->until_ns <= now || !node_entry_post(n, e)) {
			node_entry_know(n, e, NULL);
			e->until_ns = now + NODE_NAMES_FAILURE_MS * NS_PER_MS;
		}
	}
	return madkit_dispatcher_deadline(n->dispatcher);
}

/* ---- use ------------------------------------------------------------------------------ */

void node_names_want(struct node_names *n, struct node_key key)
{
	struct node_entry *e = node_key_is_valid(key) ? node_entry_get(n, key) : NULL;

	if (!e || e->state != NODE_ENTRY_KNOWN || madkit_port_now(n->x->port) < e->until_ns)
		return;
	/* the LID may belong to another node by now */
	if (e->key.lid)
		e->found = false;
	node_entry_queue(n, e);
}

bool node_names_pending(const struct node_names *n, struct node_key key)
{
	const struct node_entry *e = node_entry_find(n, key);

	return e && e->state != NODE_ENTRY_KNOWN;
}

const struct node_name *node_names_get(struct node_names *n, struct node_key key)
{
	const struct node_entry *e = node_entry_find(n, key);
	const char *mapped;

	if (e && e->found)
		return &e->name;
	/* the port GUID of a switch is its node GUID */
	mapped = n->map && key.port_guid ? madkit_name_map_name(n->map, key.port_guid) : NULL;
	if (!mapped)
		return NULL;
	n->mapped = (struct node_name){ .node_guid = key.port_guid };
	snprintf(n->mapped.text, sizeof(n->mapped.text), "%s", mapped);
	return &n->mapped;
}

void node_names_forget(struct node_names *n, struct node_key key)
{
	struct node_entry *e = node_entry_find(n, key), *lid;

	if (!e)
		return;
	e->stale = e->state == NODE_ENTRY_QUERIED;
	if (e->state == NODE_ENTRY_KNOWN)
		e->until_ns = 0;
	if (key.lid || !e->found)
		return;
	lid = node_entry_find(n, (struct node_key){ .lid = e->name.lid });
	if (lid && lid->name.port_guid == key.port_guid)
		node_names_forget(n, lid->key);
}

/* ---- the whole ------------------------------------------------------------------------ */

bool node_names_wanted(const struct cli_options *o)
{
	return cli_flag(o, OPT_NAMES) || o->node_name_map;
}

int node_names_new(struct exchange *x, struct node_names **names)
{
	const struct madkit_dispatcher_attr limits = { .window = NODE_NAMES_WINDOW,
						       .parked = NODE_NAMES_PARKED };
	/* RMPP, because a table has several segments */
	const struct madkit_agent_attr attr = { .mgmt_class = MADKIT_CLASS_SA,
						.rmpp_version = MADKIT_RMPP_VERSION };
	struct madkit_refusal refusal = { .cause = MADKIT_REFUSAL_NONE };
	const struct cli_options *o = x->options;
	struct madkit_error error = { .text = "" };
	struct node_names *n = calloc(1, sizeof(*n));
	int ret = n ? 0 : -ENOMEM;

	*names = n;
	if (n) {
		n->x = x;
		n->last = &n->first;
		n->describes = cli_flag(o, OPT_NAMES);
	}
	if (!ret && o->node_name_map)
		ret = madkit_name_map_read(x->port, o->node_name_map, &n->map, &error);
	if (!ret)
		ret = madkit_dispatcher_new(x->port, &limits, &n->dispatcher);
	if (!ret)
		ret = madkit_dispatcher_agent(n->dispatcher, &attr, &n->agent, &refusal);
	if (ret == -EINTR && cli_stopped())
		return cli_stopped_status();
	return ret ? exchange_fail(x, cli_status_of(ret), ret, "%s",
				   error.text[0] ? error.text : strerror(-ret)) :
		     EXIT_DONE;
}

void node_names_free(struct node_names *n)
{
	if (!n)
		return;
	if (n->dispatcher) {
		madkit_dispatcher_end(n->dispatcher, -ECANCELED);
		node_names_take(n);
	}
	madkit_dispatcher_free(n->dispatcher);
	madkit_name_map_free(n->map);
	while (n->first)
		node_entry_unqueue(n);
	node_entries_drop(n);
	free(n);
}
