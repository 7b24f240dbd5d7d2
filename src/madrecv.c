/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* madrecv: receive MADs, or read them from a file, and show them. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "command.h"
#include "listen.h"
#include "mad_file.h"
#include "subscribe.h"

static const char *const synopsis[] = {
	"--class CLASS [--method M,..] [options]",
	"--subscribe TRAP,.. [options]",
	"-r FILE|- [options]",
	NULL
};

static const char help[] =
	"\nRegisters for the requests of a class and shows each that arrives; or has the\n"
	"subnet administrator report traps by their numbers; or decodes MADs from a\n"
	"file: raw ones of 256 or 2048 bytes by their base version, or hex text. Lines\n"
	"are whole and are written one by one.\n";

/* ---- from a file ------------------------------------------------------------------ */

static int piece_trouble(const char *path, const struct mad_piece *piece,
			 const struct madkit_message *m)
{
	unsigned int got, total;

	if (piece->lost) {
		cli_say("%s: offset %" PRIu64 ": base version 0x%02x is neither 0x01 nor 0x80: no MAD",
			path, piece->offset, piece->mad[0]);
		return EXIT_MALFORMED;
	}
	if (piece->len < piece->want) {
		cli_say("%s: offset %" PRIu64 ": the file ends within a MAD: %zu of %zu bytes",
			path, piece->offset, piece->len, piece->want);
		return EXIT_MALFORMED;
	}
	if (madkit_message_complete(m, &got, &total)) {
		char of[24] = "an unknown number";

		if (total)
			snprintf(of, sizeof(of), "%u", total);
		cli_say("%s: offset %" PRIu64 ": the table is cut short: got %u of %s",
			path, piece->offset, got, of);
		return EXIT_MALFORMED;
	}
	return EXIT_DONE;
}

static int show_piece(struct output *out, const char *path, uint64_t seq,
		      const struct mad_piece *piece, uint64_t *shown)
{
	bool response = madkit_mad_is_response(piece->mad, piece->len);
	struct madkit_message message = {
		.kind = response ? MADKIT_MESSAGE_RESPONSE : MADKIT_MESSAGE_REQUEST,
		.time = { .tv_nsec = -1 },
		.seq = seq,
		.rtt_us = -1,
		.attempts = -1,
		.mad = piece->mad,
		.len = piece->len,
		.truncated = piece->len < piece->want,
	};

	if (!piece->lost) {
		*shown += output_message(out, &message) > 0;
		if (out->capture_fd >= 0)
			madkit_pcap_add(&out->capture, &message, !response,
					out->how.show_keys);
	}
	return piece_trouble(path, piece, &message);
}

static int read_all(const struct cli_options *o, struct output *out,
		    struct mad_file *file, const char *path)
{
	struct mad_piece piece;
	int status = EXIT_DONE, ret;
	uint64_t seq = 0, shown = 0;

	for (;;) {
		/* before a wait, all that is known is on its way */
		if (!mad_file_ready(file) && output_flush(out))
			return status;
		ret = mad_file_next(file, &piece);
		if (cli_stopped())
			return cli_stopped_status();
		if (ret == -EINTR)
			continue;
		if (ret <= 0)
			break;
		status = exit_worst(status, show_piece(out, path, ++seq, &piece, &shown));
		if (piece.lost || (o->have_count && shown >= o->count))
			return status;
		if (out->buf.len > 65536 && output_flush(out))
			return status;
	}
	if (ret == -EINVAL && file->trouble[0]) {
		cli_say("%s: %s", path, file->trouble);
		return exit_worst(status, EXIT_MALFORMED);
	}
	if (ret < 0) {
		cli_say("cannot read '%s': %s", path, strerror(-ret));
		return EXIT_LOCAL;
	}
	if (!seq) {
		cli_say("%s: there is no MAD in it", path);
		return EXIT_NOTHING;
	}
	return status;
}

static int read_file(const struct cli_options *o, struct output *out)
{
	bool standard = !strcmp(o->read_path, "-");
	int fd = standard ? STDIN_FILENO : open(o->read_path, O_RDONLY | O_CLOEXEC);
	struct mad_file file;
	int ret, status;

	if (fd < 0) {
		cli_say("cannot read '%s': %s", o->read_path, strerror(errno));
		return EXIT_LOCAL;
	}
	status = output_capture(out, fd);
	if (status) {
		if (!standard)
			close(fd);
		return status;
	}
	ret = mad_file_open(&file, fd);
	if (cli_stopped()) {
		ret = cli_stopped_status();
	} else if (ret) {
		cli_say("cannot read '%s': %s", o->read_path, strerror(-ret));
		ret = EXIT_LOCAL;
	} else if (mad_file_is_capture(&file)) {
		cli_say("%s: this is a capture (pcap): not read yet, open it with tshark",
			o->read_path);
		ret = EXIT_MALFORMED;
	} else {
		ret = read_all(o, out, &file, standard ? "standard input" : o->read_path);
	}
	mad_file_close(&file);
	return ret;
}

/* ---- from a port ------------------------------------------------------------------- */

static int listen_on(const struct cli_options *o, struct output *out)
{
	struct listener l = { .received = 0 };
	struct madkit_agent_attr attr;
	int status = listen_attributes(o, &attr);

	attr.recv_handler = listener_receive;
	attr.context = &l;
	if (!status)
		status = exchange_open(&l.x, o, out, NULL);
	if (!status)
		status = exchange_register(&l.x, &attr);
	if (!status)
		status = listener_run(&l);
	exchange_close(&l.x);
	return status;
}

static int check(const struct cli_options *o, const struct cli_words *w)
{
	if (w->nwords || w->command)
		return cli_usage_error("'%s' is not an option",
				       w->nwords ? w->words[0] : w->command[0]);
	if (o->read_path && (o->have_class || o->methods || o->ndevices || o->ca || o->port))
		return cli_usage_error("-r reads a file: no --class, --method or device with it");
	if (o->subscribe && (o->read_path || o->have_class || o->methods))
		return cli_usage_error("--subscribe goes without -r, --class and --method");
	if (!o->read_path && !o->have_class && !o->subscribe)
		return cli_usage_error("--class, --subscribe or -r is missing");
	return EXIT_DONE;
}

static int run(const struct cli_options *o, struct cli_words *w, struct output *out)
{
	(void)w;
	return o->read_path ? read_file(o, out) :
	       o->subscribe ? subscribe(o, out) : listen_on(o, out);
}

static const struct command command = {
	.usage = {
		.program = "madrecv",
		.sets = SET_PORT | SET_REQUEST | SET_COUNT | SET_DEADLINE | SET_OUTPUT | SET_MADS |
			SET_GENERAL | SET_CLASS | SET_METHODS | SET_MADRECV,
		.synopsis = synopsis,
		.text = help,
	},
	.check = check,
	.run = run,
};

int main(int argc, char **argv)
{
	return command_main(&command, argc, argv);
}
