/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A call to the server of a fabric, which ends at signals and at the limit of the port. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "sim/transport/spec.h"
#include "sim/transport/unix.h"
#include "transport/limit.h"

bool sim_unix_is(const char *device)
{
	return !strncmp(device, SIM_UNIX_PREFIX, strlen(SIM_UNIX_PREFIX));
}

/* ---- a call --------------------------------------------------------------------------- */

/* Called every LIMIT_SLICE_MS while a call blocks. */
static int sim_unix_interrupted(struct sim_client *client, int err)
{
	struct sim_unix_connection *connection = (struct sim_unix_connection *)client;

	(void)err;
	return limit_check(&connection->limit, connection->end);
}

/* Any other error of the socket means that the server is gone. */
static int sim_unix_result(const struct sim_unix_connection *connection, int ret)
{
	bool kept = connection->client.broken || ret == -EMSGSIZE || ret == -ENOBUFS || ret == -ENOMEM ||
		    ret == -EMFILE;

	return !ret || kept ? ret : -ENODEV;
}

int sim_unix_call(struct sim_unix_connection *connection, struct sim_call *c)
{
	connection->end = limit_end(&connection->limit);
	return sim_unix_result(connection, sim_client_call(&connection->client, c));
}

/* ---- connecting ------------------------------------------------------------------------ */

static int sim_unix_connect_failed(const char *path, int err, struct madkit_error *error)
{
	if (err == EACCES || err == EPERM)
		return madkit_error_set(error, -EACCES, -1, "no permission to connect to %s", path);
	if (err == ENOENT || err == ECONNREFUSED || err == ENOTDIR)
		return madkit_error_set(error, -ENODEV, -1, "no madsim serves %s%s", path,
					err == ECONNREFUSED ? " any more" : "");
	return madkit_error_set(error, -EIO, -1, "cannot connect to %s: %s", path, strerror(err));
}

static int sim_unix_hello_failed(int ret, const char *path, struct madkit_error *error)
{
	return madkit_error_set(error, ret, -1,
				ret == -ETIMEDOUT ? "the madsim at %s does not answer" :
				ret == -EPROTO    ? "%s is not served by madsim" :
						    "interrupted while waiting for the madsim at %s",
				path);
}

static int sim_unix_hello(struct sim_unix_connection *connection, const char *path, const char *words,
			  struct proto_node *node, struct madkit_error *error)
{
	char reason[PROTO_REASON_MAX + 1];
	struct proto_reply reply;
	int ret;

	connection->end = limit_end(&connection->limit);
	ret = sim_unix_result(connection, sim_client_hello(&connection->client, words, &reply, node, reason));
	if (connection->client.broken)
		return sim_unix_hello_failed(ret, path, error);
	if (ret == -ENODEV)
		return madkit_error_set(error, ret, -1, "the madsim at %s is gone", path);
	if (ret)
		return madkit_error_set(error, ret, -1, "cannot call the madsim at %s: %s", path,
					strerror(-ret));
	switch (reply.error) {
	case 0:
		return 0;
	case ENOENT:
		return madkit_error_set(error, -ENODEV, -1, "the fabric at %s has no node '%.64s'", path,
					words);
	case EEXIST:
		return madkit_error_set(error, -EINVAL, -1, "the fabric at %s: %s", path, reason);
	case EPROTONOSUPPORT:
		return madkit_error_set(error, -EPROTO, -1,
					"the madsim at %s speaks version %u of the protocol, this program %u",
					path, (unsigned int)reply.value, (unsigned int)PROTO_VERSION);
	}
	return madkit_error_set(error, -EIO, -1, "%s: %s", path, strerror((int)reply.error));
}

void sim_unix_disconnect(struct sim_unix_connection *connection)
{
	if (connection->client.fd >= 0)
		close(connection->client.fd);
	connection->client.fd = -1;
}

int sim_unix_connect_to(const char *path, const char *words, const struct madkit_limit *limit,
			struct sim_unix_connection *connection, struct proto_node *node,
			struct madkit_error *error)
{
	struct sim_client *client = &connection->client;
	int ret;

	*connection = (struct sim_unix_connection){
		.client = { .fd = -1, .interrupted = sim_unix_interrupted },
		.limit = limit ? *limit : (struct madkit_limit){ .deadline_ns = UINT64_MAX },
		.end = limit_end(limit),
	};
	ret = sim_client_connect(client, path, LIMIT_SLICE_MS);
	if (client->broken)
		ret = sim_unix_hello_failed(ret, path, error);
	else if (ret == -ENAMETOOLONG)
		ret = madkit_error_set(error, -EINVAL, -1,
				       "%.40s...: the path of a socket has 107 bytes at most", path);
	else if (ret && client->fd < 0)
		ret = madkit_error_set(error, ret, -1, "cannot create a socket: %s", strerror(-ret));
	else if (ret)
		ret = sim_unix_connect_failed(path, -ret, error);
	else
		ret = sim_unix_hello(connection, path, words, node, error);
	if (ret)
		sim_unix_disconnect(connection);
	return ret;
}

int sim_unix_connect(const char *spec, const struct madkit_limit *limit,
		     struct sim_unix_connection *connection, struct proto_node *node,
		     struct madkit_error *error)
{
	const char *text = spec + strlen(SIM_UNIX_PREFIX);
	char path[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
	size_t len;
	int ret;

	if (!sim_unix_is(spec))
		return madkit_error_set(error, -EINVAL, 0, "device '%.80s' is not sim:unix:SOCKET@NODE",
					spec);
	ret = sim_spec_split(text, S_IFSOCK, &len, error);
	if (ret)
		return ret;
	if (!len || len >= sizeof(path) || strlen(text + len) > PROTO_WORDS_MAX)
		return madkit_error_set(error, -EINVAL, (int)strlen(SIM_UNIX_PREFIX), "device '%.80s': %s",
					spec,
					!len ? "the socket is missing" :
					       "the path of a socket has 107 bytes at most");
	memcpy(path, text, len);
	path[len] = '\0';
	return sim_unix_connect_to(path, text[len] ? text + len + 1 : "", limit, connection, node, error);
}

int sim_unix_sysfs(const char *device, const struct madkit_limit *limit, const char *path, char *text,
		   size_t size)
{
	struct sim_unix_connection connection;
	struct sim_call c = {
		.call = { .op = PROTO_SYSFS },
		.rest = { { (void *)path, strlen(path) } },
		.text = text,
		.size = size - 1,
	};
	struct proto_node node;
	int ret = sim_unix_connect(device, limit, &connection, &node, NULL);

	text[0] = '\0';
	if (ret)
		return ret;
	ret = sim_unix_call(&connection, &c);
	sim_unix_disconnect(&connection);
	if (!ret)
		ret = -(int)c.reply.error;
	text[ret ? 0 : c.len] = '\0';
	return ret;
}
