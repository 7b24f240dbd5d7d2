/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of LIDs and GUIDs: the responses of the SA, and the queries for them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/access.h>
#include <madkit/constants.h>
#include <madkit/dispatch.h>
#include <madkit/names.h>
#include "agent/resolve.h"
#include "agent/send.h"

enum {
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
	struct madkit_node_key key;
	enum node_entry_state state;
	bool found;
	bool stale; /* the node has changed since it was queried */
	int error;  /* of the last query */
	uint64_t until_ns;
	struct madkit_node node;
};

struct madkit_names {
	struct madkit_names_attr attr;
	uint64_t life_ns, wait_ns;
	struct madkit_dispatcher *dispatcher;
	struct madkit_agent *agent;
	struct node_entry *first, **last;
	size_t queued, n;
	struct madkit_error error; /* of the last query that failed */
	struct madkit_node mapped; /* result of madkit_names_get() for a node that only the map has */
	struct node_entry *buckets[NODE_NAMES_BUCKETS];
};

static uint64_t node_names_now(const struct madkit_names *n)
{
	return madkit_port_now(n->attr.resolver.port);
}

/* Returns the time after a duration; UINT64_MAX means never. */
static uint64_t node_names_after(const struct madkit_names *n, uint64_t ns)
{
	uint64_t now = node_names_now(n);

	return ns < UINT64_MAX - now ? now + ns : UINT64_MAX;
}

/* ---- entries ------------------------------------------------------------------------ */

static struct node_entry **node_bucket(struct madkit_names *n, struct madkit_node_key key)
{
	uint64_t hash = (key.port_guid + key.lid) * UINT64_C(0x9e3779b97f4a7c15);

	return &n->buckets[hash >> 52 & (NODE_NAMES_BUCKETS - 1)];
}

static struct node_entry *node_entry_find(const struct madkit_names *n, struct madkit_node_key key)
{
	struct node_entry *e = n ? *node_bucket((struct madkit_names *)n, key) : NULL;

	while (e && (e->key.lid != key.lid || e->key.port_guid != key.port_guid))
		e = e->next;
	return e;
}

/* Frees all entries that are neither queued nor queried. */
static void node_entries_drop(struct madkit_names *n)
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

/* Finds or creates an entry. Returns NULL if the key is not that of a node, or if memory ran out. */
static struct node_entry *node_entry_get(struct madkit_names *n, struct madkit_node_key key)
{
	struct node_entry *e = node_entry_find(n, key), **bucket;

	if (e || !n || (!key.port_guid && (!key.lid || key.lid >= NODE_NAMES_LIDS)))
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

/* Checks if the entry has to be queried before it is used. If so, discards the name of a LID, which may belong to
 * another node by now. */
static bool node_entry_expires(const struct madkit_names *n, struct node_entry *e)
{
	if (e->state != NODE_ENTRY_KNOWN || node_names_now(n) < e->until_ns)
		return false;
	if (e->key.lid)
		e->found = false;
	return true;
}

static void node_entry_queue(struct madkit_names *n, struct node_entry *e)
{
	if (n->queued >= NODE_NAMES_QUEUE)
		return;
	e->state = NODE_ENTRY_QUEUED;
	e->stale = false;
	e->until_ns = node_names_after(n, n->wait_ns);
	e->later = NULL;
	*n->last = e;
	n->last = &e->later;
	n->queued++;
}

static struct node_entry *node_entry_unqueue(struct madkit_names *n)
{
	struct node_entry *e = n->first;

	n->first = e->later;
	if (!n->first)
		n->last = &n->first;
	n->queued--;
	e->state = NODE_ENTRY_KNOWN;
	return e;
}

/* ---- responses ------------------------------------------------------------------------ */

static void node_read(const struct madkit_names *n, const struct madkit_record *r, struct madkit_node *node)
{
	const char *mapped;

	*node = (struct madkit_node){
		.type = (uint8_t)sa_value(r, MADKIT_NODE_RECORD_NODE_INFO_NODE_TYPE),
		.device_id = (uint16_t)sa_value(r, MADKIT_NODE_RECORD_NODE_INFO_DEV_ID),
		.lid = (uint32_t)sa_value(r, MADKIT_NODE_RECORD_LID),
		.guid = sa_value(r, MADKIT_NODE_RECORD_NODE_INFO_GUID),
		.system_guid = sa_value(r, MADKIT_NODE_RECORD_NODE_INFO_SYSTEM_GUID),
		.port_guid = sa_value(r, MADKIT_NODE_RECORD_NODE_INFO_PORT_GUID),
	};
	mapped = madkit_name_map_name(n->attr.map, node->guid);
	if (mapped)
		snprintf(node->name, sizeof(node->name), "%s", mapped);
	else if (n->attr.describe)
		madkit_get_bytes(r->data, r->len, MADKIT_NODE_RECORD_NODE_DESCRIPTION, node->name,
				 MADKIT_NODE_NAME_MAX);
}

static void node_entry_know(struct madkit_names *n, struct node_entry *e, const struct madkit_node *node)
{
	if (node)
		e->node = *node;
	/* the last name of a GUID remains valid */
	e->found = node || (e->found && e->key.port_guid);
	e->error = node ? 0 : -ENOENT;
	e->until_ns = node_names_after(n, n->life_ns);
}

static void node_entry_fail(struct madkit_names *n, struct node_entry *e, int error)
{
	node_entry_know(n, e, NULL);
	e->error = error;
	e->until_ns = node_names_after(n, NODE_NAMES_FAILURE_MS * NS_PER_MS);
}

/* Stores a node under its port GUID and its LID: a record contains both. */
static void node_names_learn(struct madkit_names *n, const struct madkit_node *node)
{
	const struct madkit_node_key keys[] = { { .port_guid = node->port_guid }, { .lid = node->lid } };

	for (size_t i = 0; i < 2; i++) {
		struct node_entry *e = node_entry_get(n, keys[i]);

		if (e && e->state == NODE_ENTRY_KNOWN)
			node_entry_know(n, e, node);
	}
}

static void node_entry_ended(struct madkit_names *n, struct node_entry *e, const struct madkit_job *job)
{
	int ret = sa_check(job->send, job->error, &job->reply, &n->error);
	struct madkit_message message;
	struct madkit_record record;
	struct madkit_node node;

	e->state = NODE_ENTRY_KNOWN;
	if (e->stale) {
		node_entry_queue(n, e);
	} else if (ret == -ENOENT || ret == -EEXIST || ret == -EPROTO) {
		node_entry_know(n, e, NULL);
		e->error = ret;
	} else if (ret) {
		node_entry_fail(n, e, ret);
	} else {
		madkit_reply_message(&job->reply, &message);
		madkit_record_get(&message, 0, &record);
		node_read(n, &record, &node);
		node_entry_know(n, e, &node);
		node_names_learn(n, &node);
	}
}

/* Stores the nodes of a table. Nodes that are missing in it are queried when they are needed. */
static void node_names_learn_table(struct madkit_names *n, const struct madkit_job *job)
{
	struct madkit_message message;
	struct madkit_record record;
	struct madkit_node node;

	if (job->error || madkit_reply_message(&job->reply, &message))
		return;
	madkit_record_get(&message, 0, &record);
	if (!record.data)
		return;
	do {
		node_read(n, &record, &node);
		node_names_learn(n, &node);
	} while (madkit_record_next(&record));
}

/* ---- queries ------------------------------------------------------------------------- */

static void node_job_free(struct madkit_job *job)
{
	madkit_recv_free(job->reply.recv);
	madkit_send_free(job->send);
	free(job);
}

/* Posts a query. e: the entry, whose fields key selects; NULL: all nodes, as a table. */
static int node_names_post(struct madkit_names *n, struct node_entry *e, uint64_t until_ns)
{
	struct madkit_job *job = calloc(1, sizeof(*job));
	const uint64_t deadline_ns = n->attr.resolver.deadline_ns;
	int ret;

	if (!job)
		return madkit_error_set(&n->error, -ENOMEM, -1, "out of memory");
	ret = sa_request(&n->attr.resolver, e ? MADKIT_METHOD_GET : MADKIT_METHOD_GET_TABLE,
			 MADKIT_ATTR_NODE_RECORD, &job->send, &n->error);
	job->agent = n->agent;
	job->context = e;
	job->deadline_ns = until_ns < deadline_ns ? until_ns : deadline_ns;
	if (!ret && e && e->key.port_guid) {
		madkit_send_put(job->send, MADKIT_NODE_RECORD_NODE_INFO_PORT_GUID, e->key.port_guid);
	} else if (!ret && e) {
		madkit_send_put(job->send, MADKIT_NODE_RECORD_LID, e->key.lid);
	} else if (!ret) {
		job->send->timeout_ms = NODE_NAMES_TABLE_MS;
		job->send->retries = 0;
	}
	if (!ret) {
		ret = madkit_dispatcher_post(n->dispatcher, job);
		if (ret)
			ret = sa_check(job->send, ret, &job->reply, &n->error);
	}
	if (ret)
		node_job_free(job);
	return ret;
}

/* Sends the query for an entry. If it cannot be sent, the name remains unknown for a while. */
static void node_entry_post(struct madkit_names *n, struct node_entry *e)
{
	int ret = node_names_post(n, e, e->until_ns);

	if (ret)
		node_entry_fail(n, e, ret);
	else
		e->state = NODE_ENTRY_QUERIED;
}

static void node_names_take(struct madkit_names *n)
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

uint64_t madkit_names_tend(struct madkit_names *n)
{
	uint64_t now;

	if (!n)
		return UINT64_MAX;
	now = node_names_now(n);
	madkit_dispatcher_wait(n->dispatcher, 0);
	node_names_take(n);
	while (n->first &&
	       (n->first->until_ns <= now || madkit_dispatcher_has_room(n->dispatcher, MADKIT_CLASS_SA))) {
		struct node_entry *e = node_entry_unqueue(n);

		if (e->until_ns <= now)
			node_entry_fail(n, e, -ETIMEDOUT);
		else
			node_entry_post(n, e);
	}
	return madkit_dispatcher_deadline(n->dispatcher);
}

/* ---- use ------------------------------------------------------------------------------ */

void madkit_names_want(struct madkit_names *n, struct madkit_node_key key)
{
	struct node_entry *e = node_entry_get(n, key);

	if (e && node_entry_expires(n, e))
		node_entry_queue(n, e);
}

void madkit_names_want_all(struct madkit_names *n)
{
	if (n)
		node_names_post(n, NULL, node_names_after(n, NODE_NAMES_TABLE_MS * NS_PER_MS));
}

bool madkit_names_pending(const struct madkit_names *n, struct madkit_node_key key)
{
	const struct node_entry *e = node_entry_find(n, key);

	return e && e->state != NODE_ENTRY_KNOWN;
}

const struct madkit_node *madkit_names_get(struct madkit_names *n, struct madkit_node_key key)
{
	const struct node_entry *e = node_entry_find(n, key);
	const char *mapped;

	if (e && e->found)
		return &e->node;
	/* the port GUID of a switch is its node GUID */
	mapped = n && key.port_guid ? madkit_name_map_name(n->attr.map, key.port_guid) : NULL;
	if (!mapped)
		return NULL;
	n->mapped = (struct madkit_node){ .guid = key.port_guid };
	snprintf(n->mapped.name, sizeof(n->mapped.name), "%s", mapped);
	return &n->mapped;
}

int madkit_names_look_up(struct madkit_names *n, struct madkit_node_key key, const struct madkit_node **node,
			 struct madkit_error *error)
{
	struct node_entry *e;
	int ret = 0;

	if (!n || !node)
		return madkit_error_set(error, -EINVAL, -1, "the names or a parameter is NULL");
	e = node_entry_get(n, key);
	if (e && node_entry_expires(n, e)) {
		e->stale = false;
		e->until_ns = node_names_after(n, n->wait_ns);
		node_entry_post(n, e);
	}
	while (e && e->state != NODE_ENTRY_KNOWN && ret >= 0) {
		madkit_names_tend(n);
		if (e->state != NODE_ENTRY_KNOWN)
			ret = madkit_dispatcher_wait(n->dispatcher, UINT64_MAX);
		node_names_take(n);
		/* other entries may have been discarded, but not one that is pending */
		e = node_entry_find(n, key);
	}
	*node = madkit_names_get(n, key);
	if (*node)
		return 0;
	if (ret < 0)
		return sa_check(NULL, ret, NULL, error);
	ret = e ? e->error : -ENOENT;
	return madkit_error_set(error, ret, -1, "%s", n->error.code == ret ? n->error.text : strerror(-ret));
}

void madkit_names_forget(struct madkit_names *n, struct madkit_node_key key)
{
	struct node_entry *e = node_entry_find(n, key), *lid;

	if (!e)
		return;
	e->stale = e->state == NODE_ENTRY_QUERIED;
	if (e->state == NODE_ENTRY_KNOWN)
		e->until_ns = 0;
	if (key.lid || !e->found)
		return;
	lid = node_entry_find(n, (struct madkit_node_key){ .lid = e->node.lid });
	if (lid && lid->node.port_guid == key.port_guid)
		madkit_names_forget(n, lid->key);
}

/* ---- the whole ------------------------------------------------------------------------ */

/* Returns a duration of the attributes in ns. */
static uint64_t node_names_ns(int32_t ms, int32_t common_ms)
{
	return ms < 0 ? UINT64_MAX : (uint64_t)(ms ? ms : common_ms) * NS_PER_MS;
}

static int node_names_open(struct madkit_names *n, struct madkit_error *error)
{
	const struct madkit_dispatcher_attr limits = { .window = NODE_NAMES_WINDOW,
						       .parked = NODE_NAMES_PARKED };
	/* RMPP, because a table has several segments */
	const struct madkit_agent_attr agent = { .mgmt_class = MADKIT_CLASS_SA,
						 .rmpp_version = MADKIT_RMPP_VERSION };
	struct madkit_refusal refusal = { .cause = MADKIT_REFUSAL_NONE };
	int ret = madkit_dispatcher_new(n->attr.resolver.port, &limits, &n->dispatcher);

	if (!ret)
		ret = madkit_dispatcher_agent(n->dispatcher, &agent, &n->agent, &refusal);
	if (ret && refusal.cause)
		return sa_refused(ret, &refusal, error);
	return ret ? madkit_error_set(error, ret, -1, "%s", strerror(-ret)) : 0;
}

int madkit_names_new(const struct madkit_names_attr *attr, struct madkit_names **names,
		     struct madkit_error *error)
{
	struct madkit_names *n;
	int ret;

	if (!attr || !attr->resolver.port || !names)
		return resolve_null(error);
	n = calloc(1, sizeof(*n));
	if (!n)
		return madkit_error_set(error, -ENOMEM, -1, "out of memory");
	n->attr = *attr;
	n->life_ns = node_names_ns(attr->life_ms, MADKIT_NAMES_LIFE_MS);
	n->wait_ns = node_names_ns(attr->wait_ms, MADKIT_NAMES_WAIT_MS);
	n->last = &n->first;
	ret = node_names_open(n, error);
	if (ret)
		madkit_names_free(n);
	else
		*names = n;
	return ret;
}

void madkit_names_free(struct madkit_names *n)
{
	if (!n)
		return;
	if (n->dispatcher) {
		madkit_dispatcher_end(n->dispatcher, -ECANCELED);
		node_names_take(n);
	}
	madkit_dispatcher_free(n->dispatcher);
	while (n->first)
		node_entry_unqueue(n);
	node_entries_drop(n);
	free(n);
}
