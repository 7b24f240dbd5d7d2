/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Handles the MADs that are sent and received through a port: captures, and -d. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "create_file.h"
#include "output.h"
#include "wait.h"

int output_capture(struct output *out)
{
	int status;

	if (!out->capture_path || out->capture_fd >= 0)
		return EXIT_DONE;
	status = create_file(out->capture_path, out->how.show_keys, &out->capture_fd);
	if (!status)
		status = create_empty(out->capture_path, out->capture_fd);
	if (status) {
		if (out->capture_fd >= 0)
			close(out->capture_fd);
		out->capture_fd = -1;
		return status;
	}
	madkit_pcap_begin(&out->capture);
	return output_flush(out);
}

static void output_debug_message(const struct output *out, const struct madkit_message *message, bool sent)
{
	struct madkit_header h;
	struct madkit_buf hex;
	char addr[MADKIT_ADDR_TEXT_MAX], class[20], tid[20];
	const char *method;

	if (madkit_header_get(message->mad, message->len, &h)) {
		cli_insist("%s %zu bytes", sent ? "sent" : "received", message->len);
		return;
	}
	method = madkit_method_name(h.mgmt_class, h.method);
	snprintf(tid, sizeof(tid), "%016" PRIx64, h.tid);
	/* the kernel's half of the TID is not known before the response to the agent's first request */
	if (sent && !(h.tid >> 32) && !madkit_mad_is_response(message->mad, message->len))
		memset(tid, '.', 8);
	cli_insist("%s %s %s (0x%02x) attribute 0x%04x modifier 0x%x status 0x%04x TID 0x%s %s %s, %zu bytes",
		   sent ? "sent" : "received", madkit_class_name(h.mgmt_class, class),
		   method ? method : "method", h.method, h.attribute, h.modifier, h.status, tid,
		   sent ? "to" : "from", madkit_addr_text(message->remote, addr), message->len);
	if (out->debug < 2)
		return;
	madkit_buf_init(&hex, 0);
	if (madkit_format_hex(&hex, message, &(struct madkit_format){ .show_keys = out->how.show_keys }) >= 0)
		(void)!output_write_text(STDERR_FILENO, hex.data, hex.len, NULL);
	madkit_buf_free(&hex);
}

/* Returns this port's own address, with the GID at the index in far; NULL unless exactly one port is open. */
static const struct madkit_addr *output_near_end(struct output *out, const struct madkit_addr *far)
{
	struct madkit_addr *near = &out->near;

	if (out->ports != 1 || !out->port)
		return NULL;
	near->lid = out->port->lid;
	if (far->grh && (!out->have_gid || near->gid_index != far->gid_index)) {
		if (madkit_port_gid(out->port, far->gid_index, wait_limit(), near->gid))
			memset(near->gid, 0, sizeof(near->gid));
		near->gid_index = far->gid_index;
		out->have_gid = true;
	}
	return near;
}

void output_snoop(void *context, const struct madkit_snooped *snooped)
{
	struct output *out = context;
	bool sent = snooped->direction != MADKIT_SNOOP_RECVS;
	struct madkit_message message = {
		.kind = sent ? MADKIT_MESSAGE_REQUEST : MADKIT_MESSAGE_RESPONSE,
		.time = snooped->time,
		.remote = snooped->addr,
		.rtt_us = -1,
		.attempts = -1,
		.mad = snooped->mad,
		.len = snooped->len,
	};

	/* report a send when it is posted, but write it when its TID is known */
	if (out->debug && snooped->direction != MADKIT_SNOOP_SEND_COMPLETIONS)
		output_debug_message(out, &message, sent);
	if (out->capture_fd >= 0 && snooped->direction != MADKIT_SNOOP_POSTED_SENDS)
		madkit_pcap_add(&out->capture, &message, output_near_end(out, snooped->addr), sent,
				out->how.show_keys);
}
