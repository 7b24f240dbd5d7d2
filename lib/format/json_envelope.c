/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A planned line's beginning, up to the header: of a MAD without an error. */
#include "format/json_int.h"
#include "format/plans.h"
#include "util/emit.h"
#include "util/time.h"

/* What seldom changes is kept; the time stands at plans->split. */
static bool keep_begin(struct json *j)
{
	const struct madkit_message *m = j->record->message;
	struct madkit_plans *plans = j->format->plans;
	struct json begin = *j;

	if (plans->begin.len && plans->kind == m->kind && plans->agent == m->agent &&
	    plans->host == m->host && plans->device == m->device)
		return true;
	madkit_buf_reset(&plans->begin);
	begin.buf = &plans->begin;
	madkit_buf_str(&plans->begin, "{");
	json_entries(&begin, ENVELOPE_SCHEMA, ENVELOPE_HOST);
	madkit_buf_str(&plans->begin, "\"time\":");
	plans->split = plans->begin.len;
	madkit_buf_str(&plans->begin, ",");
	json_entries(&begin, ENVELOPE_DEVICE, ENVELOPE_AGENT);
	madkit_buf_str(&plans->begin, "\"seq\":");
	plans->kind = m->kind;
	plans->agent = m->agent;
	plans->host = m->host;
	plans->device = m->device;
	if (!plans->begin.error)
		return true;
	j->buf->error = plans->begin.error;
	madkit_buf_reset(&plans->begin);
	return false;
}

#define TO(p, text) ((char *)memcpy(p, text, sizeof(text) - 1) + sizeof(text) - 1)

static char *put_remote(char *p, const struct madkit_addr *a)
{
	if (!a)
		return TO(p, ",\"remote\":null");
	p = emit_u64(TO(p, ",\"remote\":{\"lid\":"), a->lid);
	if (a->direct) {
		p = TO(p, ",\"path\":\"");
		madkit_path_text(a, p);
		p = TO(p + strlen(p), "\"");
	} else {
		p = TO(p, ",\"path\":null");
	}
	if (a->grh) {
		p = TO(p, ",\"gid\":\"");
		madkit_gid_text(a->gid, p);
		p = TO(p + strlen(p), "\"");
	} else {
		p = TO(p, ",\"gid\":null");
	}
	p = emit_u64(TO(p, ",\"qp\":"), a->qp);
	p = emit_u64(TO(p, ",\"sl\":"), a->sl);
	p = TO(p, ",\"pkey_index\":");
	p = a->pkey ? TO(p, "null") : emit_u64(p, a->pkey_index);
	return TO(p, "}");
}

static char *put_known(char *p, int64_t v)
{
	return v < 0 ? TO(p, "null") : emit_u64(p, (uint64_t)v);
}

void json_envelope(struct json *j)
{
	/* of everything but what is kept, the tag and a remote's texts */
	enum { FIXED = 512 };
	const struct madkit_record *r = j->record;
	const struct madkit_message *m = r->message;
	struct madkit_plans *plans = j->format->plans;
	size_t tag = m->tag ? strlen(m->tag) : 0;
	char *p = NULL, *time;

	if (keep_begin(j))
		p = madkit_buf_room(j->buf, plans->begin.len + tag + FIXED + MADKIT_PATH_TEXT_MAX +
						    MADKIT_GID_TEXT_MAX);
	if (!p)
		return;
	memcpy(p, plans->begin.data, plans->split);
	p += plans->split;
	time = m->time.tv_nsec < 0 ? NULL : emit_time(TO(p, "\""), &m->time);
	p = time ? TO(time, "\"") : TO(p, "null");
	memcpy(p, plans->begin.data + plans->split, plans->begin.len - plans->split);
	p = emit_u64(p + plans->begin.len - plans->split, m->seq);
	p = TO(p, ",\"tag\":");
	if (m->tag)
		p = (char *)memcpy(p, m->tag, tag) + tag;
	else
		p = TO(p, "null");
	p = TO(p, ",\"record\":");
	plans->head.number = (size_t)(p - j->buf->data);
	p = emit_u64(p, r->record);
	plans->head.behind = (size_t)(p - j->buf->data);
	p = emit_u64(TO(p, ",\"records\":"), r->records);
	p = put_remote(p, m->remote);
	p = put_known(TO(p, ",\"rtt_us\":"), m->rtt_us);
	p = put_known(TO(p, ",\"attempts\":"), m->attempts);
	p = TO(p, ",\"status\":{\"send\":0,\"mad\":0,\"rmpp\":null,\"text\":\"OK\"},");
	j->buf->len = (size_t)(p - j->buf->data);
}
