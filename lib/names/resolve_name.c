/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Addresses of nodes by name, from the subnet administrator and a node name map. */
#include <errno.h>
#include <string.h>
#include <madkit/constants.h>
#include <madkit/mad.h>
#include <madkit/message.h>
#include <madkit/names.h>
#include "agent/resolve.h"
#include "names/name_map.h"

/* ---- whole names ------------------------------------------------------------------ */

/* Gets the port GUID of the table's first record, if all records are ports of one node. */
static int resolve_one_node(const struct madkit_reply *reply, const char *name, uint64_t *port_guid,
			    struct madkit_error *error)
{
	const size_t bytes =
		madkit_attribute_get(MADKIT_BASE_VERSION_IB, MADKIT_CLASS_SA, MADKIT_ATTR_NODE_RECORD)
			->layout->bytes;
	struct madkit_message message;
	unsigned int n, got, total;
	uint64_t node = 0, guid;
	int ret;

	madkit_reply_message(reply, &message);
	n = madkit_message_records(&message);
	ret = madkit_message_complete(&message, &got, &total);
	if (ret == -EBADMSG)
		return madkit_error_set(
			error, -EPROTO, -1,
			"the SA's table of nodes called '%.64s' cannot be divided into records", name);
	if (ret)
		return madkit_error_set(
			error, -EEXIST, -1,
			"several ports are called '%.64s', and the SA's table of them was cut short", name);
	if (!n)
		return madkit_error_set(error, -ENOENT, -1, "the SA has no node '%.64s'", name);
	for (unsigned int i = 0; i < n; i++) {
		struct madkit_record record;

		madkit_record_get(&message, i, &record);
		if (!record.data || record.len < bytes)
			return madkit_error_set(error, -EPROTO, -1,
						"the SA's table of nodes has a record too short");
		guid = sa_value(&record, MADKIT_NODE_RECORD_NODE_INFO_GUID);
		if (i && guid != node)
			return madkit_error_set(error, -EEXIST, -1,
						"several nodes are called '%.64s': use a GUID", name);
		node = guid;
		if (!i)
			*port_guid = sa_value(&record, MADKIT_NODE_RECORD_NODE_INFO_PORT_GUID);
	}
	return 0;
}

/* Sends the request; if several records match, requests them as a table. */
static int resolve_query_node(const struct madkit_resolver *resolver, struct madkit_send *send,
			      const char *name, uint64_t *port_guid, struct madkit_error *error)
{
	struct madkit_reply reply = { .recv = NULL };
	int ret = sa_query(resolver, send, &reply, error);

	if (!ret)
		madkit_reply_get(&reply, MADKIT_NODE_RECORD_NODE_INFO_PORT_GUID, port_guid);
	if (ret == -EEXIST) {
		madkit_recv_free(reply.recv);
		send->mad[MADKIT_MAD_METHOD] = MADKIT_METHOD_GET_TABLE;
		ret = sa_query(resolver, send, &reply, error);
		if (!ret)
			ret = resolve_one_node(&reply, name, port_guid, error);
	}
	madkit_recv_free(reply.recv);
	return ret;
}

/* Finds the port GUID of a node by its node GUID or, if that is NULL, by its node description. */
static int resolve_node(const struct madkit_resolver *resolver, const uint64_t *guid, const char *name,
			uint64_t *port_guid, struct madkit_error *error)
{
	struct madkit_send *send;
	int ret = sa_request(resolver, MADKIT_METHOD_GET, MADKIT_ATTR_NODE_RECORD, &send, error);

	*port_guid = 0;
	if (!ret && guid)
		ret = madkit_send_put(send, MADKIT_NODE_RECORD_NODE_INFO_GUID, *guid);
	else if (!ret && madkit_send_put_bytes(send, MADKIT_NODE_RECORD_NODE_DESCRIPTION, name, strlen(name)))
		ret = -ENOENT;
	if (!ret)
		ret = resolve_query_node(resolver, send, name, port_guid, error);
	if (ret == -ENOENT)
		madkit_error_set(error, ret, -1, "the SA has no node '%.64s'", name);
	madkit_send_free(send);
	return ret;
}

int madkit_resolve_name(const struct madkit_resolver *resolver, const struct madkit_name_map *map,
			const char *name, struct madkit_addr *addr, struct madkit_error *error)
{
	uint64_t guid, port_guid;
	int ret = -ENOENT;

	if (!resolver || !resolver->port || !name || !addr)
		return resolve_null(error);
	if (map)
		ret = name_map_find(map, name, &guid, error);
	if (ret && ret != -ENOENT)
		return ret;
	ret = resolve_node(resolver, ret ? NULL : &guid, name, &port_guid, error);
	return ret ? ret : madkit_resolve_guid(resolver, port_guid, addr, error);
}

/* ---- first words ------------------------------------------------------------------- */

/* The records of a table of nodes. */
struct resolve_table {
	struct madkit_record record;
	bool more;
	char description[MADKIT_NODE_NAME_MAX + 1];
};

static bool resolve_table_next(void *context, struct madkit_node_port *port)
{
	struct resolve_table *t = context;

	if (!t->more)
		return false;
	port->guid = port->id = sa_value(&t->record, MADKIT_NODE_RECORD_NODE_INFO_GUID);
	port->port_guid = sa_value(&t->record, MADKIT_NODE_RECORD_NODE_INFO_PORT_GUID);
	port->lid = (uint32_t)sa_value(&t->record, MADKIT_NODE_RECORD_LID);
	if (!madkit_get_bytes(t->record.data, t->record.len, MADKIT_NODE_RECORD_NODE_DESCRIPTION,
			      t->description, MADKIT_NODE_NAME_MAX))
		port->description = t->description;
	t->more = madkit_record_next(&t->record);
	return true;
}

/* Searches the SA's table of all nodes for a word. If it cannot be had, no node is found. */
static int resolve_search(const struct madkit_resolver *resolver, const char *word,
			  struct madkit_node_match *match)
{
	struct madkit_reply reply = { .recv = NULL };
	struct resolve_table table = { .more = false };
	struct madkit_message message;
	struct madkit_send *send;
	int ret = sa_request(resolver, MADKIT_METHOD_GET_TABLE, MADKIT_ATTR_NODE_RECORD, &send, NULL);

	if (!ret && !sa_query(resolver, send, &reply, NULL) && !madkit_reply_message(&reply, &message)) {
		madkit_record_get(&message, 0, &table.record);
		table.more = table.record.data;
	}
	ret = madkit_node_find(word, resolve_table_next, &table, match);
	madkit_recv_free(reply.recv);
	madkit_send_free(send);
	return ret;
}

int madkit_resolve_word(const struct madkit_resolver *resolver, const struct madkit_name_map *map,
			const char *word, struct madkit_addr *addr, struct madkit_node_match *match,
			struct madkit_error *error)
{
	int ret;

	if (!match)
		return resolve_null(error);
	*match = (struct madkit_node_match){ .count = 0 };
	ret = madkit_resolve_name(resolver, map, word, addr, error);
	if (ret != -ENOENT || !*word || strlen(word) >= MADKIT_NODE_NAME_MAX)
		return ret;
	switch (resolve_search(resolver, word, match)) {
	case 0:
		return madkit_resolve_guid(resolver, match->nodes[0].port_guid, addr, error);
	case -EEXIST:
		return madkit_error_set(error, -EEXIST, -1, "several nodes are called '%.64s'", word);
	}
	return ret;
}
