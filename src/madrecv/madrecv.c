/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* madrecv: receives MADs, or reads them from a file, and shows them. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/command.h"
#include "cli/options.h"
#include "request/layout_choice.h"
#include "request/listen.h"
#include "mad_file.h"
#include "madrecv_options.h"
#include "cli/privileges.h"
#include "respond.h"
#include "snoop.h"
#include "subscribe.h"
#include "cli/wait.h"

static const char *const synopsis[] = {
	"--class CLASS [--method M,..] [--respond echo] [options]",
	"--respond ibping [options]",
	"--subscribe TRAP,.. [options]",
	"--snoop [options]",
	"-r FILE|- [options]",
	NULL,
};

static const char help[] =
	"\nReceives MADs and shows each of them: requests of a class (--class), which it can\n"
	"answer (--respond), Reports of traps (--subscribe), headers of all MADs of this host\n"
	"(--snoop), or MADs in a file (-r): a capture, raw MADs, a hex dump or a log.\n";

/* ---- from a file ------------------------------------------------------------------ */

/* The number of problems that are reported per file; the rest are only counted. */
#define TROUBLES_TOLD 10

struct reading {
	const struct cli_options *o;
	struct output *out;
	struct mad_file file;
	const char *path;
	uint64_t seq, shown, troubles;
	struct layout_seen layouts;
	bool guessed; /* the layout of the response */
	int status;
};

__attribute__((format(printf, 2, 3))) static void madrecv_complain(struct reading *r, const char *format, ...)
{
	char text[400];
	va_list args;

	r->status = exit_worst(r->status, EXIT_MALFORMED);
	if (++r->troubles > TROUBLES_TOLD)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	cli_say("%s: %s", r->path, text);
}

/* Reports a segment that is shown by itself. Consecutive segments share one line. */
static void report_stray(struct reading *r, const struct mad_piece *piece)
{
	uint32_t number = madkit_rmpp_get_segment(piece->mad);

	switch (piece->stray) {
	case MAD_STRAY_NO:
	case MAD_STRAY_NEXT:
		break;
	case MAD_STRAY_GAP:
		madrecv_complain(r,
				 "offset %" PRIu64 ": segment %" PRIu32
				 " of a message without segment %" PRIu32,
				 piece->offset, number, number - 1);
		break;
	case MAD_STRAY_OTHER:
		madrecv_complain(r,
				 "offset %" PRIu64 ": segment %" PRIu32
				 " of a message differs from an earlier copy",
				 piece->offset, number);
		break;
	case MAD_STRAY_UNFIT:
		madrecv_complain(r,
				 "offset %" PRIu64
				 ": a segment that fits no message: RMPPVersion %u, RMPPFlags 0x%x,"
				 " SegmentNumber %" PRIu32 ", PayloadLength %" PRIu32,
				 piece->offset, madkit_rmpp_get_version(piece->mad),
				 madkit_rmpp_get_flags(piece->mad), number,
				 madkit_rmpp_get_length(piece->mad));
		break;
	}
}

static void reading_report_piece(struct reading *r, const struct mad_piece *piece,
				 const struct madkit_message *m)
{
	bool packet = r->file.kind == MAD_FILE_CAPTURE;
	char of[24] = "an unknown number";
	char ragged[OUTPUT_RAGGED_MAX];
	unsigned int got, total;
	int incomplete = madkit_message_complete(m, &got, &total);

	if (piece->trouble) {
		madrecv_complain(r, "%s", piece->trouble);
	} else if (piece->stray != MAD_STRAY_NO) {
		report_stray(r, piece);
	} else if (piece->lost) {
		madrecv_complain(r,
				 "offset %" PRIu64 ": base version 0x%02x is neither 0x01 nor 0x80: no MAD",
				 piece->offset, piece->mad[0]);
	} else if (piece->len < piece->want) {
		madrecv_complain(r, "offset %" PRIu64 ": %s within a MAD: %zu of %zu bytes", piece->offset,
				 packet ? "the packet is cut" : "the file ends", piece->len, piece->want);
	} else if (incomplete == -EBADMSG) {
		madrecv_complain(r, "offset %" PRIu64 ": %s", piece->offset,
				 output_ragged(got, total, ragged));
	} else if (incomplete && (piece->partial ? total != 1 : !packet)) {
		if (total)
			snprintf(of, sizeof(of), "%u", total);
		madrecv_complain(r, "offset %" PRIu64 ": the table is cut short: got %u of %s", piece->offset,
				 got, of);
	} else if (piece->partial) {
		madrecv_complain(r, "offset %" PRIu64 ": a message without its later segments",
				 piece->offset);
	}
}

/* Returns true if the MAD is a request that has a response. */
static bool madrecv_is_query(const struct mad_piece *piece)
{
	return piece->len < MADKIT_HEADER_BYTES || request_waits(piece->mad[MADKIT_MAD_METHOD]);
}

/*
 * remote is the peer as the requester sees it: the destination of a request, so that its response has the same remote,
 * and the source of a response. For requests without a response (Send, Trap, Report) it is the source. The program that
 * wrote the capture may not have known the near end.
 */
static const struct madkit_addr *remote_of(const struct mad_piece *piece)
{
	const struct madkit_addr *source = piece->source;

	if (madrecv_is_query(piece))
		return piece->destination;
	return source && !source->lid && !source->grh && !source->direct ? piece->destination : source;
}

static void show_piece(struct reading *r, const struct mad_piece *piece)
{
	struct madkit_message message = {
		.time = piece->time,
		.seq = ++r->seq,
		.rtt_us = -1,
		.attempts = -1,
		.mad = piece->mad,
		.len = piece->len,
		.truncated = piece->len < piece->want,
	};

	message.kind = request_kind(piece->mad, piece->len, MADKIT_MESSAGE_RESPONSE);
	message.remote = remote_of(piece);
	if (!piece->lost) {
		r->guessed |= !layout_seen_apply(&r->layouts, &message);
		r->shown += output_message(r->out, &message) > 0;
		if (r->out->capture_fd >= 0) {
			bool sent = message.remote ? message.remote == piece->destination :
						     madrecv_is_query(piece);

			madkit_pcap_add(&r->out->capture, &message, sent ? piece->source : piece->destination,
					sent, r->out->how.show_keys);
		}
	}
	reading_report_piece(r, piece, &message);
}

static void madrecv_count(const struct reading *r, uint64_t n, const char *one, const char *more)
{
	cli_say("%s: %" PRIu64 " %s", r->path, n, n == 1 ? one : more);
}

static void reading_close(struct reading *r)
{
	const struct mad_file *f = &r->file;

	if (r->troubles > TROUBLES_TOLD)
		madrecv_count(r, r->troubles - TROUBLES_TOLD, "more place like these",
			      "more places like these");
	if (f->hex.skipped && f->hex.last)
		madrecv_count(r, f->hex.skipped, "line skipped, which is not part of a hex dump",
			      "lines skipped, which are not part of a hex dump");
	if (f->hex.dropped)
		madrecv_count(r, f->hex.dropped, "line dropped, which belongs to a damaged hex dump",
			      "lines dropped, which belong to damaged hex dumps");
	if (r->guessed)
		cli_say("%s: PortExtendedSpeedsCounters are shown as without RS-FEC: no PortInfoExtended of the port precedes",
			r->path);
	if (!r->seq && !r->troubles && f->packets) {
		cli_say("%s: there is no MAD in its %" PRIu64 " packet%s", r->path, f->packets,
			f->packets == 1 ? "" : "s");
		r->status = EXIT_NOTHING;
	} else if (!r->seq && !r->troubles) {
		cli_say("%s: there is no MAD in it", r->path);
		r->status = EXIT_NOTHING;
	} else if (f->skipped && r->o->output.verbose) {
		cli_say("%s: %" PRIu64 " of %" PRIu64 " packets hold%s no MAD", r->path, f->skipped,
			f->packets, f->skipped == 1 ? "s" : "");
	}
}

/* a signal, the deadline or an error ended it before the end of the file */
static int read_over(struct reading *r, int error)
{
	int status = cli_failed(error, "cannot read '%s'", r->path);

	return status >= EXIT_SIGNAL ? status : exit_worst(r->status, status);
}

/* Waits for more data if the file is a pipe, unless the reader of the output has ended. Returns 0 or -errno. */
static int madrecv_wait(struct reading *r)
{
	int ret = wait_input(r->file.in.fd, STDOUT_FILENO);

	if (ret == -EPIPE)
		r->out->status = EXIT_SIGNAL + SIGPIPE;
	return ret;
}

static int madrecv_read_all(struct reading *r)
{
	struct mad_piece piece;
	int ret;

	for (;;) {
		ret = mad_file_next(&r->file, &piece);
		if (wait_over())
			return read_over(r, wait_over());
		if (ret == -EAGAIN) {
			/* show all known results before waiting for more */
			if (output_flush(r->out))
				return r->status;
			ret = madrecv_wait(r);
			if (r->out->status)
				return r->status;
			if (!ret)
				ret = mad_file_read(&r->file);
			if (ret)
				return read_over(r, ret);
			continue;
		}
		if (!ret)
			break;
		if (ret < 0) {
			return cli_insist("%s: %s", r->path, strerror(-ret));
		}
		if (piece.mad)
			show_piece(r, &piece);
		else
			madrecv_complain(r, "%s", piece.trouble);
		if (r->o->timing.have_count && r->shown >= r->o->timing.count)
			return r->status;
		if (r->out->buf.len > 65536 && output_flush(r->out))
			return r->status;
	}
	reading_close(r);
	return r->status;
}

static int madrecv_read_file(const struct cli_options *o, struct output *out)
{
	bool standard = !strcmp(o->read_path, "-");
	int fd = standard ? STDIN_FILENO : wait_open(o->read_path, O_RDONLY | O_CLOEXEC, 0);
	struct reading r = {
		.o = o,
		.out = out,
		.path = standard ? "standard input" : o->read_path,
	};
	int status;

	if (fd < 0)
		return cli_failed(fd, "cannot read '%s'", o->read_path);
	mad_file_open(&r.file, fd);
	status = output_capture(out);
	if (!status) {
		privileges_drop(o);
		status = madrecv_read_all(&r);
	}
	mad_file_close(&r.file);
	layout_seen_free(&r.layouts);
	return status;
}

/* ---- from a port ------------------------------------------------------------------- */

/* OpenIB's ping, by its number in infiniband-diags */
#define CLASS_IBPING (MADKIT_CLASS_VENDOR2_FIRST + 2)

/* The registration that ibping uses: vendor class 0x32 with OpenIB's OUI, without RMPP. */
static bool madrecv_is_ibping(const struct cli_options *o)
{
	const char *respond = madrecv_options(o)->respond;

	return respond && !strcmp(respond, "ibping");
}

static int madrecv_attributes(const struct cli_options *o, struct madkit_agent_attr *attr)
{
	struct cli_options ibping = *o;

	if (!madrecv_is_ibping(o))
		return listen_attributes(o, attr);
	ibping.class.id = CLASS_IBPING;
	ibping.class.oui = MADKIT_OUI_OPENIB;
	if (!o->class.methods)
		ibping.class.methods = "Get";
	if (!o->class.rmpp)
		ibping.class.rmpp = RMPP_NONE;
	return listen_attributes(&ibping, attr);
}

static int listen_on(const struct cli_options *o, struct output *out)
{
	struct listener l = { .received = 0 };
	struct madkit_agent_attr attr;
	int status = madrecv_attributes(o, &attr);

	attr.send_handler = respond_sent;
	attr.recv_handler = listener_receive;
	attr.context = &l;
	if (madrecv_options(o)->respond) {
		l.respond = madrecv_is_ibping(o) ? respond_ibping : respond_echo;
		l.returned = respond_returned;
	}
	if (!status)
		status = exchange_open(&l.x, o, out, NULL);
	if (!status && o->buffers.n)
		madkit_port_set_receive_limit(l.x.port, o->buffers.sizes[0], o->buffers.sizes[0]);
	if (!status)
		status = exchange_report(&l.x, NULL, exchange_register(&l.x, &attr));
	if (!status)
		status = listener_begin(&l);
	if (!status) {
		privileges_drop(o);
		status = listener_run(&l);
	}
	listener_end(&l);
	exchange_close(&l.x);
	return status;
}

static int check_respond(const struct cli_options *o)
{
	if (!madrecv_is_ibping(o) && strcmp(madrecv_options(o)->respond, "echo"))
		return cli_usage_error("--respond '%s' is neither echo nor ibping",
				       madrecv_options(o)->respond);
	if (madrecv_is_ibping(o) && ((o->class.given && o->class.id != CLASS_IBPING) ||
				     (o->class.have_oui && o->class.oui != MADKIT_OUI_OPENIB)))
		return cli_usage_error("--respond ibping uses class 0x%02x and OUI 0x%06x", CLASS_IBPING,
				       MADKIT_OUI_OPENIB);
	return EXIT_DONE;
}

static int check_snoop(const struct cli_options *o)
{
	if (o->output.format == FORMAT_HEX || o->output.format == FORMAT_RAW)
		return cli_usage_error("--snoop has only headers: use text or JSON");
	return EXIT_DONE;
}

static int madrecv_check(const struct cli_options *o, const struct cli_words *w)
{
	if (o->mode == MODE_LISTEN && cli_refuse_without(o, "retries", "respond"))
		return EXIT_USAGE;
	if (w->nwords || w->command)
		return cli_usage_error(o->read_path ? "-r reads one file, not also '%s'" :
						      "'%s' is not an option; -r reads a file",
				       w->nwords ? w->words[0] : w->command[0]);
	if (madrecv_options(o)->subscribe && o->timing.timeout_ms == MADKIT_FOREVER)
		return cli_usage_error("--subscribe needs a timeout, not -t -1: a lost renewal is repeated");
	if (o->buffers.n && o->class.rmpp == RMPP_USER)
		return cli_usage_error(
			"--buffer is for messages that the kernel reassembles: not with --rmpp user");
	if (o->mode == MODE_SNOOP)
		return check_snoop(o);
	if (o->mode == MODE_LISTEN && !o->class.given && !madrecv_is_ibping(o))
		return cli_usage_error("--class, --respond ibping, --subscribe, --snoop or -r is missing");
	return madrecv_options(o)->respond ? check_respond(o) : EXIT_DONE;
}

static int madrecv_run(const struct cli_options *o, struct cli_words *w, struct output *out)
{
	int status = output_check(out, NULL);

	(void)w;
	if (status)
		return status;
	return o->mode == MODE_READ      ? madrecv_read_file(o, out) :
	       o->mode == MODE_SUBSCRIBE ? subscribe(o, out) :
	       o->mode == MODE_SNOOP     ? snoop(o, out) :
					   listen_on(o, out);
}

const struct command program = {
	.usage = {
		.program = "madrecv",
		.synopsis = synopsis,
		.text = help,
		.options = &program_options,
		.check = madrecv_check,
	},
	.run = madrecv_run,
};
