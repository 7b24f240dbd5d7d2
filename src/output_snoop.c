/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What goes through a port: captures, and -d. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "output.h"

int output_capture(struct output *out, int input)
{
	struct stat in, file;

	if (!out->capture_path || out->capture_fd >= 0)
		return EXIT_DONE;
	if (input >= 0 && !fstat(input, &in) && S_ISREG(in.st_mode) &&
	    !stat(out->capture_path, &file) && in.st_dev == file.st_dev &&
	    in.st_ino == file.st_ino)
		return cli_usage_error("-w '%s' is the file that is read",
				       out->capture_path);
	out->capture_fd = open(out->capture_path,
			       O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (out->capture_fd < 0) {
		cli_say("cannot write '%s': %s", out->capture_path, strerror(errno));
		return EXIT_LOCAL;
	}
	madkit_pcap_begin(&out->capture);
	return output_flush(out);
}

static void debug_message(const struct output *out,
			  const struct madkit_message *message, bool sent)
{
	struct madkit_header h;
	struct madkit_buf hex;
	char addr[MADKIT_ADDR_TEXT_MAX], class[20];
	const char *method;

	if (madkit_header_get(message->mad, message->len, &h)) {
		cli_say("%s %zu bytes", sent ? "sent" : "received", message->len);
		return;
	}
	method = madkit_method_name(h.mgmt_class, h.method);
	cli_say("%s %s %s (0x%02x) attribute 0x%04x modifier 0x%x status 0x%04x TID 0x%016" PRIx64 " %s %s, %zu bytes",
		sent ? "sent" : "received",
		madkit_class_name(h.mgmt_class, class), method ? method : "method",
		h.method, h.attribute, h.modifier, h.status, h.tid,
		sent ? "to" : "from", madkit_addr_text(message->remote, addr),
		message->len);
	if (out->debug < 2)
		return;
	madkit_buf_init(&hex, 0);
	if (madkit_format_hex(&hex, message, &(struct madkit_format){
			.show_keys = out->how.show_keys }) >= 0)
		(void)!cli_write(STDERR_FILENO, hex.data, hex.len);
	madkit_buf_free(&hex);
}

/* This port's own address, with the GID of that index. */
static const struct madkit_addr *near_end(struct output *out,
					  const struct madkit_addr *far)
{
	struct madkit_addr *near = &out->near;

	if (out->ports != 1)
		return NULL;
	near->lid = out->port->lid;
	if (far->grh && (!out->have_gid || near->gid_index != far->gid_index)) {
		if (madkit_port_gid(out->port, far->gid_index, near->gid))
			memset(near->gid, 0, sizeof(near->gid));
		near->gid_index = far->gid_index;
		out->have_gid = true;
	}
	return near;
}

void output_snoop(void *context, int direction, const struct madkit_addr *addr,
		  const uint8_t *mad, size_t len, const struct timespec *time)
{
	struct output *out = context;
	bool sent = direction != MADKIT_SNOOP_RECVS;
	struct madkit_message message = {
		.kind = sent ? MADKIT_MESSAGE_REQUEST : MADKIT_MESSAGE_RESPONSE,
		.time = *time,
		.remote = addr,
		.rtt_us = -1,
		.attempts = -1,
		.mad = mad,
		.len = len,
	};

	/* what was sent is told at once, and written when its ID is known */
	if (out->debug && direction != MADKIT_SNOOP_SEND_COMPLETIONS)
		debug_message(out, &message, sent);
	if (out->capture_fd >= 0 && direction != MADKIT_SNOOP_POSTED_SENDS)
		madkit_pcap_add(&out->capture, &message, near_end(out, addr), sent,
				out->how.show_keys);
}
