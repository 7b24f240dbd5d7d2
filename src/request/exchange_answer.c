/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sends a request, and checks, reports and shows the answer. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "exchange.h"
#include "cli/wait.h"

/* Checks if the MAD contains the whole attribute. A transport may omit the bytes after the attribute; umad
 * never does. */
static bool answer_is_whole(const struct madkit_message *m)
{
	struct madkit_record record;

	if (m->len < MADKIT_HEADER_BYTES)
		return false;
	madkit_record_get(m, 0, &record);
	return m->len >= madkit_mad_bytes(m->mad[MADKIT_MAD_BASE_VERSION]) ||
	       (record.layout && record.len >= record.layout->bytes) ||
	       (madkit_mad_has_rmpp(m->mad, m->len) &&
		m->len >= madkit_class_data_offset(m->mad[MADKIT_MAD_CLASS]));
}

/* Checks if the response has the versions of the request. The kernel compares neither, and drops only base
 * versions that it does not know (drivers/infiniband/core/mad.c, validate_mad()). */
static bool answer_has_version(const struct request *r, const struct madkit_message *m)
{
	return m->mad[MADKIT_MAD_BASE_VERSION] == r->header.base_version &&
	       m->mad[MADKIT_MAD_CLASS_VERSION] == r->header.class_version;
}

/* Checks if it is an RMPP packet without data, which an agent without RMPP receives in place of the response.
 * If no kernel does RMPP, the type of a response may be 0. */
static bool answer_is_rmpp_control(const struct madkit_message *m)
{
	uint8_t type = madkit_mad_has_rmpp(m->mad, m->len) ? madkit_rmpp_get_type(m->mad) : 0;

	return type == MADKIT_RMPP_ACK || type == MADKIT_RMPP_STOP || type == MADKIT_RMPP_ABORT;
}

static int answer_judge_message(const struct request *r, const struct answer *a)
{
	const struct madkit_message *m = &a->message;
	uint16_t status = madkit_message_status(m);
	unsigned int got, total;

	if (!answer_is_whole(m) || a->job.reply.mismatch)
		return EXIT_MALFORMED;
	/* SA: ERR_NO_RECORDS is a valid answer, an empty one */
	if (status)
		return r->header.mgmt_class == MADKIT_CLASS_SA &&
				       status >> MADKIT_STATUS_CLASS_SHIFT == MADKIT_SA_STATUS_NO_RECORDS ?
			       EXIT_NOTHING :
			       EXIT_STATUS;
	if (!answer_has_version(r, m) || answer_is_rmpp_control(m) ||
	    madkit_message_complete(m, &got, &total))
		return EXIT_MALFORMED;
	return madkit_message_records(m) ? EXIT_DONE : EXIT_NOTHING;
}

/* ---- asking ------------------------------------------------------------------------ */

/* Checks if one of its ends has ended an RMPP transfer of the library. */
static bool transfer_ended(const struct answer *a)
{
	return a->job.send && a->job.send->rmpp.state != MADKIT_RMPP_STATE_ACTIVE;
}

/* Makes the message show the MAD that was sent, with the transaction ID that it had on the wire. */
static void answer_show_sent(struct answer *a)
{
	const struct madkit_send *send = a->job.send;

	/* tid is 0 if it was not sent */
	for (int i = 0; send->tid && i < 8; i++)
		send->mad[MADKIT_MAD_TID + i] = (uint8_t)(send->tid >> (56 - 8 * i));
	a->message.mad = send->mad;
	a->message.len = send->len;
	a->message.tid_partial = send->tid && !(send->tid >> 32) &&
				 !madkit_mad_is_response(send->mad, send->len);
}

static int answer_failed(struct answer *a, int error)
{
	a->error = error;
	a->message.kind = MADKIT_MESSAGE_ERROR;
	a->message.send_status = -error;
	a->message.rmpp_illegal = madkit_rmpp_outcome_illegal(&a->job.send->rmpp);
	a->message.rmpp_status = !transfer_ended(a)      ? 0 :
				 a->message.rmpp_illegal ? a->job.send->rmpp.received :
							   a->job.send->rmpp.status;
	answer_show_sent(a);
	switch (error) {
	case -ETIMEDOUT:
	case -EHOSTUNREACH: /* Ethernet: the kernel got no answer when it resolved the GID */
		a->message.kind = MADKIT_MESSAGE_TIMEOUT;
		return EXIT_TIMEOUT;
	case -ECONNABORTED:
		return EXIT_STATUS;
	case -EPROTO:
		return EXIT_MALFORMED;
	default:
		return EXIT_LOCAL;
	}
}

/* Moves the time back by ago_ns, because a request ends before it is shown. */
static void answer_set_time(struct timespec *time, uint64_t ago_ns)
{
	const uint64_t second = 1000 * NS_PER_MS;
	uint64_t ns = (uint64_t)time->tv_sec * second + (uint64_t)time->tv_nsec - ago_ns;

	time->tv_sec = (time_t)(ns / second);
	time->tv_nsec = (long)(ns % second);
}

/* Evaluates the result of a request. Returns an exit status. */
static int answer_judge(struct exchange *x, const struct request *r, struct answer *a, int ret)
{
	uint64_t seq = a->message.seq;
	int status;

	exchange_message(x, r->expects_response ? MADKIT_MESSAGE_RESPONSE : MADKIT_MESSAGE_REQUEST,
			 &a->message);
	a->message.seq = seq;
	a->message.attribute = r->attribute;
	a->message.remote = &a->job.send->to;
	if (!a->job.reply.kernel_resends)
		a->message.attempts = (int32_t)a->job.reply.attempts;
	a->message.agent = madkit_agent_id(a->job.agent);
	a->elapsed_ns = a->job.ended_ns - a->job.posted_ns;
	answer_set_time(&a->message.time, madkit_port_now(x->port) - a->job.ended_ns);
	if (ret)
		return answer_failed(a, ret);
	if (!a->job.reply.recv) {
		answer_show_sent(a);
		return EXIT_DONE;
	}
	a->message.time = a->job.reply.recv->time;
	a->message.rtt_us = a->job.reply.rtt_ns < 0 ? -1 : a->job.reply.rtt_ns / 1000;
	a->message.mad = a->job.reply.recv->mad;
	a->message.len = a->job.reply.recv->len;
	status = answer_judge_message(r, a);
	if (a->job.reply.mismatch)
		exchange_withhold(a);
	return status;
}

void exchange_withhold(struct answer *a)
{
	a->message.kind = MADKIT_MESSAGE_ERROR;
	a->message.send_status = EBADMSG;
	a->status = EXIT_MALFORMED;
	answer_show_sent(a);
}

bool exchange_is_withheld(const struct answer *a)
{
	return a->message.kind == MADKIT_MESSAGE_ERROR && a->message.send_status == EBADMSG;
}

void exchange_ended(struct exchange *x, const struct request *r, struct answer *a, int ret)
{
	/* the signal may have ended a call to a simulator */
	if (ret == -EINTR)
		a->status = cli_stopped_status();
	else
		a->status = answer_judge(x, r, a, ret);
}

int exchange_prepare(struct exchange *x, const struct request *r, struct answer *a)
{
	uint32_t timeout_ms = r->timeout_ms ? r->timeout_ms : x->time.timeout_ms;
	struct madkit_job *job = &a->job;
	int status;

	*a = (struct answer){ .message.kind = MADKIT_MESSAGE_EVENT };
	x->failure.why[0] = 0;
	status = exchange_agent(x, r, &job->agent);
	if (status) {
		a->error = x->failure.error;
		return status;
	}
	job->send = madkit_send_new(r->len);
	if (!job->send) {
		a->error = -ENOMEM;
		return exchange_fail(x, EXIT_LOCAL, -ENOMEM, "out of memory");
	}
	job->send->to = r->to;
	if (r->to_manager)
		exchange_address_manager(x, r, &job->send->to);
	memcpy(job->send->mad, r->mad, r->len);
	job->send->timeout_ms = r->expects_response ? timeout_ms : 0;
	job->send->ack_ms = r->expects_response ? 0 : timeout_ms;
	job->send->retries = r->have_retries ? r->retries : x->options->timing.retries;
	job->deadline_ns = exchange_deadline(x, r);
	job->redirects = x->options->timing.redirects;
	job->posted_ns = job->ended_ns = madkit_port_now(x->port);
	a->message.seq = ++x->seq;
	return EXIT_DONE;
}

int exchange_ask(struct exchange *x, const struct request *r, struct answer *a)
{
	int status = exchange_prepare(x, r, a), ret, failed;

	if (status) {
		a->status = status;
		return status;
	}
	ret = madkit_dispatcher_post(x->dispatcher, &a->job);
	while (!ret && !madkit_dispatcher_take(x->dispatcher)) {
		failed = madkit_dispatcher_wait(x->dispatcher, x->tend ? x->tend(x) : UINT64_MAX);
		if (failed < 0)
			madkit_dispatcher_end(x->dispatcher, failed);
	}
	if (!ret)
		ret = a->job.error ? a->job.error : a->job.reply.status;
	exchange_ended(x, r, a, ret);
	return a->status;
}

void answer_free(struct answer *a)
{
	madkit_recv_free(a->job.reply.recv);
	madkit_send_free(a->job.send);
	a->job.reply.recv = NULL;
	a->job.send = NULL;
}

enum { ANSWER_REASON_BYTES = MADKIT_ADDR_TEXT_MAX + 576 };

/* ---- telling ----------------------------------------------------------------------- */

enum { PLACE_BYTES = MADKIT_ADDR_TEXT_MAX + 96 };

/* Returns the destination of a request: "Lid 5 (leaf1 port 3)". */
static const char *request_place(const struct request *r, char buf[PLACE_BYTES])
{
	char addr[MADKIT_ADDR_TEXT_MAX];

	madkit_addr_text(&r->to, addr);
	if (r->about)
		snprintf(buf, PLACE_BYTES, "%s (%.90s)", addr, r->about);
	else
		snprintf(buf, PLACE_BYTES, "%s", addr);
	return buf;
}

/* Returns text about the address that the request was redirected to, which follows the original address. */
static const char *redirected_text(const struct answer *a, char buf[MADKIT_ADDR_TEXT_MAX + 40])
{
	char addr[MADKIT_ADDR_TEXT_MAX];

	if (!a->job.redirected.hops)
		return "";
	snprintf(buf, MADKIT_ADDR_TEXT_MAX + 40, ", redirected to QP %" PRIu32 " at %s,", a->job.send->to.qp,
		 madkit_addr_text(&a->job.send->to, addr));
	return buf;
}

enum { TRIES_TEXT_BYTES = 96 };

static bool answer_is_long(const struct request *r)
{
	return r->len > madkit_mad_bytes(r->header.base_version);
}

/* Returns the number of tries, as far as it is known: the kernel does not report its resends. A request of
 * several segments is resent only until it is acknowledged. If the library does RMPP, a try is a send of the
 * first segment; later segments may be resent more often. */
static const char *answer_tries_text(const struct request *r, const struct answer *a,
				     char buf[TRIES_TEXT_BYTES])
{
	const uint64_t tick_ms = 10; /* the kernel's timers may be this early */
	uint64_t tries = a->job.reply.attempts, ms = a->job.send->timeout_ms, in_time;
	int n;

	if (a->job.reply.kernel_resends && a->queries > 1) {
		snprintf(buf, TRIES_TEXT_BYTES, ", %" PRIu64 " queries", a->queries);
		return buf;
	}
	if (a->job.reply.kernel_resends) {
		if (answer_is_long(r))
			return "";
		/* the tries at other addresses, the first one here, those after BUSY, those after a
		 * timeout */
		in_time = tries - a->job.send->attempts + 1 + a->job.send->busy;
		in_time += (a->elapsed_ns / NS_PER_MS + in_time * tick_ms) / ms;
		tries = ((uint64_t)a->job.send->retries + 1) * (a->job.redirected.hops + 1);
		if (tries > in_time)
			tries = in_time;
	}
	n = snprintf(buf, TRIES_TEXT_BYTES, ", %s%" PRIu64 " %s",
		     a->job.reply.kernel_resends && tries > 1 ? "at most " : "", tries,
		     tries == 1 ? "try" : "tries");
	if (a->queries > 1)
		n += snprintf(buf + n, TRIES_TEXT_BYTES - (size_t)n, " in %" PRIu64 " queries", a->queries);
	if (answer_is_long(r) && r->rmpp == RMPP_USER && !a->job.send->unacknowledged)
		snprintf(buf + n, TRIES_TEXT_BYTES - (size_t)n, ", acknowledged and therefore not resent");
	if (a->job.send->unacknowledged)
		snprintf(buf + n, TRIES_TEXT_BYTES - (size_t)n, ", no acknowledgement of segment %" PRIu32,
			 a->job.send->unacknowledged);
	return buf;
}

/* Checks if --locate could find the node at which the request failed. */
static bool answer_can_locate(const struct cli_options *o, const struct request *r)
{
	return o->mode == MODE_SEND && r->to.direct && r->to.hops && !o->request.locate &&
	       o->timing.timeout_ms != MADKIT_FOREVER;
}

/* Returns what to check first. Without a destination, the subnet manager of the port was queried. */
static const char *answer_timeout_whom(const struct request *r)
{
	if (!r->to_manager)
		return "the address";
	return r->smp ? "whether the subnet manager is running" :
			"whether the subnet manager responds (madsend Get SMInfo)";
}

static bool answer_had_sm_key(const struct request *r)
{
	static const uint8_t none[8];

	return r->header.mgmt_class == MADKIT_CLASS_SA && r->len >= MADKIT_SA_KEY + sizeof(none) &&
	       memcmp(r->mad + MADKIT_SA_KEY, none, sizeof(none)) != 0;
}

static void answer_tell_timeout(struct exchange *x, const struct request *r, const struct answer *a)
{
	char what[REQUEST_TEXT_MAX], addr[PLACE_BYTES], port[PORT_SUMMARY_MAX], tries[TRIES_TEXT_BYTES];
	char there[MADKIT_ADDR_TEXT_MAX + 40];
	double seconds = (double)a->elapsed_ns / 1e9;

	request_text(r, what);
	request_place(r, addr);
	exchange_port_summary(x, port);
	if (a->error == -EHOSTUNREACH)
		cli_say("no response to %s from %s: the kernel cannot resolve that GID; check the address and the port (%s)",
			what, addr, port);
	else if (!a->job.reply.attempts)
		cli_say("%s to %s was not sent: the device did not accept it in %.3f s; check the port (%s)",
			what, addr, seconds, port);
	else if (!r->expects_response)
		cli_say("%s to %s: not known to have arrived in %.3f s; check the address and the port (%s)",
			what, addr, seconds, port);
	else if (a->job.send->busy)
		cli_say("only BUSY responses to %s from %s%s in %.3f s%s, %" PRIu32
			" of them busy; the node is there: try again later",
			what, addr, redirected_text(a, there), seconds, answer_tries_text(r, a, tries),
			a->job.send->busy);
	else
		cli_say("no response to %s from %s%s in %.3f s%s; check %s, the port (%s) and the %s%s", what,
			addr, redirected_text(a, there), seconds, answer_tries_text(r, a, tries),
			answer_timeout_whom(r), port,
			r->smp ?
				"M_Key; a wrong M_Key also means silence" :
			answer_had_sm_key(r) ?
				"SM_Key; a wrong SM_Key also means silence" :
			answer_is_long(r) && r->rmpp == RMPP_KERNEL ?
				"P_Key; the kernel resends it only until it is acknowledged, and does not report that; --rmpp user does" :
				"P_Key",
			answer_can_locate(x->options, r) ? "; --locate finds the last node that responds" :
							   "");
}

/* Checks if a node that did not respond may have another V_Key than the request. */
static bool answer_may_lack_v_key(const struct request *r, const struct answer *a)
{
	return r->header.mgmt_class == MADKIT_CLASS_MLNX && r->expects_response &&
	       a->error != -EHOSTUNREACH && a->job.reply.attempts && !a->job.send->busy;
}

/* Returns a hint on what to check next, if the status alone is not clear. */
static const char *status_hint(const struct request *r, uint16_t status)
{
	uint64_t port;

	if (r->header.mgmt_class == MADKIT_CLASS_SA && r->header.method == MADKIT_METHOD_GET &&
	    status >> MADKIT_STATUS_CLASS_SHIFT == MADKIT_SA_STATUS_TOO_MANY_RECORDS)
		return "; Get is for one record: use GetTable";
	/* codes below 4 concern the class, method or attribute: another port would not help */
	return (status >> MADKIT_STATUS_CODE_SHIFT & MADKIT_STATUS_CODE_MASK) < 4 ||
			       r->header.mgmt_class != MADKIT_CLASS_PERF ||
			       request_value(r, "PortSelect", &port) || port ?
		       "" :
		       "; PortSelect was 0: give PortSelect=N";
}

/* If an incomplete table is a single packet, the other packets were not received. */
static const char *answer_cut_reason(const struct madkit_message *m)
{
	return m->len <= madkit_mad_bytes(m->mad[MADKIT_MAD_BASE_VERSION]) ?
		       ": the first packet only, RMPP was not reassembled" :
		       "";
}

/* Describes the instance in a response, and the requested one. Returns reason. */
static const char *answer_mismatch_text(const struct request *r, const struct answer *a,
					char reason[ANSWER_REASON_BYTES])
{
	const struct madkit_recv *recv = a->job.reply.recv;
	struct madkit_error error = { .text = "" };
	char what[REQUEST_TEXT_MAX];

	request_text(r, what);
	madkit_response_check(a->job.send->mad, a->job.send->len, recv->mad, recv->len, &error);
	snprintf(reason, ANSWER_REASON_BYTES, "%s%s%s: %s", what, r->about ? " to " : "",
		 r->about ? r->about : "", error.text);
	return reason;
}

static void answer_tell_malformed(const struct request *r, const char *what, const struct answer *a)
{
	const struct madkit_message *m = &a->message;
	int incomplete = 0;
	unsigned int got, total = 0;
	char ragged[OUTPUT_RAGGED_MAX], reason[ANSWER_REASON_BYTES];

	if (answer_is_whole(m))
		incomplete = madkit_message_complete(m, &got, &total);
	if (a->job.reply.mismatch)
		cli_say("%s", answer_mismatch_text(r, a, reason));
	else if (answer_is_whole(m) && !answer_has_version(r, m))
		cli_say("%s: the response has base version 0x%02x and class version 0x%02x, and the request had 0x%02x and 0x%02x",
			what, m->mad[MADKIT_MAD_BASE_VERSION], m->mad[MADKIT_MAD_CLASS_VERSION],
			r->header.base_version, r->header.class_version);
	else if (answer_is_whole(m) && answer_is_rmpp_control(m))
		cli_say("%s: an RMPP packet without data arrived instead of the response", what);
	else if (incomplete == -EBADMSG)
		cli_say("%s: %s", what, output_ragged(got, total, ragged));
	else if (!incomplete)
		cli_say("%s: the response has %zu bytes, which is not a whole MAD", what, m->len);
	else if (total)
		cli_say("%s: the table was cut short: got %u of %u%s", what, got, total,
			answer_cut_reason(m));
	else
		cli_say("%s: the table was cut short: got %u of an unknown number%s", what, got,
			answer_cut_reason(m));
}

static void answer_transfer_text(const char *what, const char *addr, const struct answer *a,
				 char reason[ANSWER_REASON_BYTES])
{
	char text[80];

	madkit_rmpp_end_text(a->message.rmpp_status, a->message.rmpp_illegal, text, sizeof(text));
	switch (a->error) {
	case -ECONNABORTED:
		snprintf(reason, ANSWER_REASON_BYTES, "%s to %s: the peer %s the transfer: %s", what, addr,
			 a->job.send->rmpp.state == MADKIT_RMPP_STATE_STOPPED ? "stopped" : "aborted", text);
		break;
	case -EPROTO:
		if (a->job.send->rmpp.state == MADKIT_RMPP_STATE_SUPERSEDED)
			snprintf(reason, ANSWER_REASON_BYTES,
				 "%s to %s: the peer sends responses with different contents again and again",
				 what, addr);
		else
			snprintf(reason, ANSWER_REASON_BYTES,
				 "%s to %s: the peer violates RMPP, and was sent a STOP or ABORT: %s", what,
				 addr, text);
		break;
	default:
		snprintf(reason, ANSWER_REASON_BYTES, "%s to %s: there is no room for the response: %s", what,
			 addr, text);
		break;
	}
}

enum { SEND_HINT_BYTES = 128 };

/* Returns what to check, or "". The kernel refuses any invalid address with EINVAL. */
static const char *send_hint(const struct exchange *x, const struct madkit_addr *to, int error,
			     char buf[SEND_HINT_BYTES])
{
	unsigned int entries = 0;
	int unread;

	buf[0] = 0;
	if (error != -EINVAL)
		return buf;
	if (to->direct && to->lid == MADKIT_LID_PERMISSIVE && to->hops && x->info->port &&
	    to->path[1] != x->info->port) {
		snprintf(buf, SEND_HINT_BYTES,
			 "; hop 1 is port %u, but must be port %u, which sends the request", to->path[1],
			 x->info->port);
		return buf;
	}
	unread = to->pkey_index ? madkit_port_pkey_count(x->info, wait_limit(), &entries) : 0;
	if (unread)
		snprintf(buf, SEND_HINT_BYTES,
			 "; check --pkey-index %u: it is an index into the P_Key table, not a P_Key",
			 to->pkey_index);
	else if (to->pkey_index && to->pkey_index >= entries)
		snprintf(buf, SEND_HINT_BYTES,
			 "; P_Key index %u: the table has %u entries (it is an index, not a P_Key)",
			 to->pkey_index, entries);
	else if (to->grh && to->gid_index)
		snprintf(buf, SEND_HINT_BYTES, "; check --gid-index %u against the length of the GID table",
			 to->gid_index);
	return buf;
}

/* Returns why there is neither a response nor a timeout, for an answer of kind error. */
static const char *answer_reason(struct exchange *x, const struct request *r, const struct answer *a,
				 char reason[ANSWER_REASON_BYTES])
{
	char what[REQUEST_TEXT_MAX], addr[PLACE_BYTES], hint[SEND_HINT_BYTES];

	request_text(r, what);
	request_place(r, addr);
	if (a->job.reply.mismatch)
		answer_mismatch_text(r, a, reason);
	else if (a->doubt)
		snprintf(reason, ANSWER_REASON_BYTES, "%s to %s: %s", what, addr, a->doubt);
	else if (transfer_ended(a))
		answer_transfer_text(what, addr, a, reason);
	else if (a->error == -ECANCELED)
		snprintf(reason, ANSWER_REASON_BYTES, "%s to %s was cancelled", what, addr);
	else if (a->status == EXIT_MALFORMED)
		snprintf(reason, ANSWER_REASON_BYTES, "%s to %s: malformed reply from the server of %s", what,
			 addr, x->info->device);
	else if (exchange_is_gone(x))
		snprintf(reason, ANSWER_REASON_BYTES, "%s to %s: %s: the device is gone", what, addr,
			 x->info->device);
	else if (a->job.send && a->job.send->attempts && a->job.reply.status != a->error)
		snprintf(reason, ANSWER_REASON_BYTES, "cannot receive the response to %s from %s: %s", what,
			 addr, strerror(-a->error));
	else
		snprintf(reason, ANSWER_REASON_BYTES, "cannot send %s to %s: %s%s", what, addr,
			 a->error == -ENODATA ? "the port has no GID of that index" : strerror(-a->error),
			 send_hint(x, &r->to, a->error, hint));
	return reason;
}

/* Checks if the SA hid the members of groups from a requester without the SM_Key: every PortGID is 0. */
static bool answer_hides_members(const struct request *r, const struct madkit_message *m)
{
	static const uint8_t none[16];
	uint8_t gid[16];
	struct madkit_record record;
	bool any = false;

	if (m->kind != MADKIT_MESSAGE_RESPONSE || r->header.mgmt_class != MADKIT_CLASS_SA ||
	    r->header.attribute != MADKIT_ATTR_MC_MEMBER_RECORD)
		return false;
	madkit_record_get(m, 0, &record);
	do {
		if (!record.data)
			continue;
		if (madkit_get_bytes(record.data, record.len, MADKIT_MC_MEMBER_RECORD_PORT_GID, gid,
				     sizeof(gid)) ||
		    memcmp(gid, none, sizeof(gid)))
			return false;
		any = true;
	} while (madkit_record_next(&record));
	return any;
}

bool answer_refuses(const struct answer *answer)
{
	unsigned int status = madkit_message_status(&answer->message);

	return status >> MADKIT_STATUS_CODE_SHIFT & MADKIT_STATUS_CODE_MASK &&
	       !(status & (MADKIT_STATUS_BUSY | MADKIT_STATUS_REDIRECT));
}

void exchange_tell(struct exchange *x, const struct request *r, const struct answer *a)
{
	const struct madkit_message *m = &a->message;
	uint16_t status = madkit_message_status(m);
	char what[REQUEST_TEXT_MAX], addr[PLACE_BYTES], text[160];
	char there[MADKIT_ADDR_TEXT_MAX + 40], reason[ANSWER_REASON_BYTES];

	request_text(r, what);
	request_place(r, addr);
	if (a->status == EXIT_LOCAL) {
		cli_insist("%s", answer_reason(x, r, a, reason));
		return;
	}
	if (a->doubt || (a->error && a->status != EXIT_TIMEOUT)) {
		cli_say("%s", answer_reason(x, r, a, reason));
		return;
	}
	switch (a->status) {
	case EXIT_DONE:
		if (!x->hinted && !x->options->manager.have_sm_key && answer_hides_members(r, m)) {
			x->hinted = true;
			cli_say("hint: the members' GIDs (PortGID) are shown only with the right --sm-key");
		}
		break;
	case EXIT_TIMEOUT:
		answer_tell_timeout(x, r, a);
		if (!x->hinted_v_key && answer_may_lack_v_key(r, a)) {
			x->hinted_v_key = true;
			request_hint_v_key();
		}
		break;
	case EXIT_STATUS:
		madkit_status_text(r->header.mgmt_class, status, text, sizeof(text));
		cli_say("%s to %s%s was answered with status 0x%04x: %s%s%s", what, addr,
			redirected_text(a, there), status, text, a->job.redirected.error.code ? "; " : "",
			a->job.redirected.error.code ? a->job.redirected.error.text : status_hint(r, status));
		break;
	case EXIT_MALFORMED:
		answer_tell_malformed(r, what, a);
		break;
	case EXIT_NOTHING:
		cli_say("%s: %s", what,
			status                                  ? "no such record" :
			r->header.mgmt_class == MADKIT_CLASS_SA ? "the table is empty" :
								  "the response has no data");
		break;
	}
}

/* Shows an answer of kind error as a line of JSON. The filter applies to it, as to other answers. */
static void answer_show_error(struct exchange *x, const struct request *r, const struct answer *a)
{
	struct madkit_message message = a->message;
	char reason[ANSWER_REASON_BYTES];
	const struct madkit_object data = { output_write_error, answer_reason(x, r, a, reason) };

	message.data = &data;
	output_message(x->out, &message);
}

void exchange_show(struct exchange *x, const struct request *r, const struct answer *a)
{
	bool is_answer = a->message.kind == MADKIT_MESSAGE_RESPONSE;
	struct madkit_message message = a->message;

	if (a->message.kind == MADKIT_MESSAGE_EVENT)
		return;
	/* JSON has a line for every result. In the other formats, a missing or refused answer is only
	 * reported on standard error, so that its zeros are not taken for data. */
	if (x->out->format != FORMAT_JSON &&
	    (!is_answer ||
	     ((x->out->format == FORMAT_TEXT || x->out->format == FORMAT_TABLE) && !x->out->how.verbose &&
	      (a->status == EXIT_NOTHING || madkit_message_status(&a->message))))) {
		/* --filter and --assert do not depend on the format */
		if (a->message.kind == MADKIT_MESSAGE_REQUEST)
			output_judge(x->out, &a->message);
		return;
	}
	if (!message.name)
		message.name = exchange_name(x, &message);
	if (a->message.kind == MADKIT_MESSAGE_ERROR)
		answer_show_error(x, r, a);
	else
		output_message(x->out, &message);
}
