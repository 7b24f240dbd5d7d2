/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "madsim_client.h"
#include "sim/transport/unix.h"
#include "cli/wait.h"

enum { TEXT_MAX = 1 << 20 };

/* Joins the words, each with its NUL. */
static int client_join(const struct cli_words *w, char text[PROTO_WORDS_MAX], size_t *len)
{
	*len = 0;
	for (int i = 0; i < w->nwords; i++) {
		size_t n = strlen(w->words[i]) + 1;

		if (n > PROTO_WORDS_MAX - *len)
			return cli_usage_error("the command is too long at '%.40s...'", w->words[i]);
		memcpy(text + *len, w->words[i], n);
		*len += n;
	}
	return EXIT_DONE;
}

static int client_call(struct sim_unix_connection *connection, struct sim_call *c, struct output *out)
{
	int ret = sim_unix_call(connection, c);

	if (ret || c->reply.error) {
		if (ret == -EINTR && cli_stopped())
			return cli_stopped_status();
		cli_say("no response from madsim: %s",
			ret == -EPROTO ? "a malformed reply" : strerror(ret ? -ret : (int)c->reply.error));
		return ret ? cli_status_of(ret) : EXIT_LOCAL;
	}
	if (!c->reply.value)
		madkit_buf_add(&out->buf, c->text, c->len);
	else
		cli_say("%.*s", (int)c->len, (char *)c->text);
	/* any value other than an exit status of madsim is invalid */
	return c->reply.value < EXIT_CANNOT_RUN ? (int)c->reply.value : EXIT_LOCAL;
}

int client_control(const char *path, const struct cli_words *w, struct output *out)
{
	struct madkit_error error = { .text = "" };
	char words[PROTO_WORDS_MAX];
	struct sim_call c = {
		.call = { .op = PROTO_CONTROL },
		.rest = { { words, 0 } },
		.size = TEXT_MAX,
	};
	struct proto_node node;
	struct sim_unix_connection connection;
	int status = client_join(w, words, &c.rest[0].iov_len), ret;

	if (status)
		return status;
	ret = sim_unix_connect_to(path, "", wait_limit(), &connection, &node, &error);
	if (ret == -EINTR && cli_stopped())
		return cli_stopped_status();
	if (ret) {
		cli_say("%s", error.text);
		return cli_status_of(ret);
	}
	c.text = malloc(TEXT_MAX);
	if (c.text) {
		status = client_call(&connection, &c, out);
	} else {
		status = cli_no_memory();
	}
	free(c.text);
	sim_unix_disconnect(&connection);
	return status;
}
