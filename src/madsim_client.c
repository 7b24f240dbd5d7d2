/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "madsim_client.h"
#include "transport/sim_unix.h"

enum { TEXT_MAX = 1 << 20 };

/* Each word with its NUL. */
static int join(const struct cli_words *w, char text[PROTO_WORDS_MAX], size_t *len)
{
	*len = 0;
	for (int i = 0; i < w->nwords; i++) {
		size_t n = strlen(w->words[i]) + 1;

		if (n > PROTO_WORDS_MAX - *len)
			return cli_usage_error("'%.40s...' and what is before it is too long",
					       w->words[i]);
		memcpy(text + *len, w->words[i], n);
		*len += n;
	}
	return EXIT_DONE;
}

static int ask(int fd, struct sim_unix_call *c, struct output *out)
{
	struct proto_reply reply;
	int ret = sim_unix_call(fd, c, &reply);

	if (ret || reply.error) {
		cli_say("madsim gave no answer: %s", strerror(ret ? -ret : (int)reply.error));
		return EXIT_LOCAL;
	}
	if (!reply.value)
		madkit_buf_add(&out->buf, c->text, c->len);
	else
		cli_say("%.*s", (int)c->len, (char *)c->text);
	/* it says one of ours, or nothing of sense */
	return reply.value < EXIT_CANNOT_RUN ? (int)reply.value : EXIT_LOCAL;
}

int client_control(const char *path, const struct cli_words *w, struct output *out)
{
	struct madkit_error error = { .text = "" };
	char words[PROTO_WORDS_MAX], spec[256];
	struct sim_unix_call c = {
		.call = { .op = PROTO_CONTROL }, .rest = { words }, .size = TEXT_MAX,
	};
	struct proto_node node;
	int status = join(w, words, &c.rest_len[0]), fd;

	if (status)
		return status;
	/* "@" after the path: whatever stands in it, this is its end */
	if (snprintf(spec, sizeof(spec), SIM_UNIX_PREFIX "%s@", path) >= (int)sizeof(spec) ||
	    sim_unix_connect(spec, &fd, &node, &error)) {
		cli_say("%s", error.text[0] ? error.text : "the path of a socket has 107 bytes at most");
		return EXIT_LOCAL;
	}
	c.text = malloc(TEXT_MAX);
	if (c.text) {
		status = ask(fd, &c, out);
	} else {
		cli_say("out of memory");
		status = EXIT_LOCAL;
	}
	free(c.text);
	close(fd);
	return status;
}
