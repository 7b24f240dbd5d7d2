/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "request/listen.h"
#include "respond.h"

static void respond_failed(const struct madkit_addr *to, int error)
{
	char addr[MADKIT_ADDR_TEXT_MAX];

	if (error == -ETIMEDOUT || error == -ECANCELED)
		cli_say("the response to %s is not known to have arrived: %s", madkit_addr_text(to, addr),
			error == -ETIMEDOUT ? "not all of it was acknowledged" : "it was aborted");
	else
		cli_say("cannot respond to %s: %s", madkit_addr_text(to, addr), strerror(-error));
}

void respond_sent(struct madkit_agent *agent, struct madkit_send *send, int status)
{
	char addr[MADKIT_ADDR_TEXT_MAX], text[80];

	(void)agent;
	if (status == -ECONNABORTED) {
		bool illegal = madkit_rmpp_outcome_illegal(&send->rmpp);

		madkit_rmpp_end_text(illegal ? send->rmpp.received : send->rmpp.status, illegal, text,
				     sizeof(text));
		cli_say("the response was ended by %s: %s", madkit_addr_text(&send->to, addr), text);
	} else if (status)
		respond_failed(&send->to, status);
	madkit_send_free(send);
}

void respond_returned(const struct madkit_recv *recv)
{
	respond_failed(&recv->from, -recv->status);
}

/* Makes a response of len bytes; 0: the length of the request. Returns NULL if no response is due, or without
 * memory, which is reported. */
static struct madkit_send *response_new(const struct madkit_recv *recv, size_t len)
{
	struct madkit_send *send;

	if (!madkit_method_response(recv->mad[MADKIT_MAD_CLASS], recv->mad[MADKIT_MAD_METHOD]))
		return NULL;
	send = madkit_send_response(recv, len);
	if (!send)
		respond_failed(&recv->from, -ENOMEM);
	return send;
}

static void respond_post(struct madkit_agent *agent, struct madkit_send *send)
{
	const struct listener *l = madkit_agent_context(agent);
	int ret;

	send->retries = l->x.options->timing.retries;
	send->ack_ms = l->x.options->timing.timeout_ms;
	ret = madkit_agent_post(agent, send);
	if (ret)
		respond_sent(agent, send, ret);
}

void respond_echo(struct madkit_agent *agent, const struct madkit_recv *recv)
{
	struct madkit_send *send = response_new(recv, 0);

	if (send)
		respond_post(agent, send);
}

/* Returns "host.domain", or "host" if there is no domain. The buffer has room for a terminating NUL. */
static void put_host(char *text, size_t size)
{
	size_t n;

	if (gethostname(text, size - 1))
		strcpy(text, "?hostname?");
	n = strlen(text);
	if (n + 2 >= size)
		return;
	if (getdomainname(text + n + 1, size - n - 2))
		strcpy(text + n + 1, "?domainname?");
	if (text[n + 1])
		text[n] = '.';
}

void respond_ibping(struct madkit_agent *agent, const struct madkit_recv *recv)
{
	struct madkit_send *send = response_new(recv, MADKIT_MAD_BYTES);
	char host[MADKIT_MAD_BYTES - MADKIT_VENDOR2_DATA] = "";

	if (!send)
		return;
	put_host(host, sizeof(host));
	memset(send->mad + MADKIT_HEADER_BYTES, 0, MADKIT_VENDOR2_OUI - MADKIT_HEADER_BYTES);
	memcpy(send->mad + MADKIT_VENDOR2_DATA, host, sizeof(host));
	respond_post(agent, send);
}
