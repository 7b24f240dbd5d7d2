/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sends: checks a write(), and returns sends that have timed out. */
#include <errno.h>
#include <string.h>
#include "sim/host/internal.h"

/*
 * Checks if a directed route can begin at this port (smi_handle_dr_smp_send()). If a LID-routed part comes
 * first, the route is not checked.
 */
static bool send_can_leave(const struct port *port, bool of_switch, const uint8_t *mad)
{
	bool back = mad[MADKIT_MAD_STATUS] & MAD_DIRECTION;
	unsigned int pointer = mad[MADKIT_MAD_HOP_POINTER], count = mad[MADKIT_MAD_HOP_COUNT];
	uint16_t lid = get_be16(mad + (back ? MADKIT_SMP_DR_DLID : MADKIT_SMP_DR_SLID));
	unsigned int out;

	if (mad[MADKIT_MAD_CLASS] != MADKIT_CLASS_SUBN_DR || lid != FABRIC_LID_PERMISSIVE)
		return true;
	if (count > 63)
		return false;
	if (!back && count && !pointer)
		out = mad[MADKIT_SMP_INITIAL_PATH + 1];
	else if (back && count && pointer == count + 1)
		out = mad[MADKIT_SMP_RETURN_PATH + count];
	else
		return back ? pointer <= 1 : pointer == count || pointer == count + 1;
	return of_switch || out == port->number;
}

static bool send_same_destination(const struct madkit_addr *a, const struct madkit_addr *b)
{
	if (a->grh != b->grh)
		return false;
	return a->grh ? !memcmp(a->gid, b->gid, sizeof(a->gid)) : a->lid == b->lid;
}

/* As send_is_duplicate() in user_mad.c. The TID of a request already contains its agent's number. */
static bool send_is_duplicate(const struct agent *agent, const struct send *s)
{
	const struct table *sends = &agent->file->host->hosts->sends;
	const struct send *other;
	size_t step = 0;

	while ((other = table_next(sends, table_mix(0, s->tid), &step)))
		if (other->agent->file == agent->file && other->tid == s->tid &&
		    other->mad[MADKIT_MAD_CLASS] == s->mad[MADKIT_MAD_CLASS] &&
		    other->response == s->response &&
		    (!s->response || send_same_destination(&other->to, &s->to)))
			return true;
	return false;
}

/* ---- timeouts --------------------------------------------------------------------------- */

/* Returns a failed send to the program, as its MAD header only. */
static void send_come_back(struct send *s, int status)
{
	struct agent *agent = s->agent;
	struct message *m = host_message_new(agent->file->host->hosts, 0);

	if (m) {
		m->out.status = status;
		m->out.from = s->to;
		m->out.len = MADKIT_HEADER_BYTES;
		memcpy(m->bytes, s->mad, MADKIT_HEADER_BYTES);
	}
	host_send_free(s);
	if (m)
		host_message_put(agent, m);
}

static void host_send_timeout(struct timed *timed)
{
	struct send *s = list_entry(timed, struct send, timed);
	struct hosts *hosts = s->agent->file->host->hosts;

	if (!s->retries--) {
		send_come_back(s, ETIMEDOUT);
	} else if (!s->message) {
		heap_set(&hosts->deadlines, &s->timed.link, host_send_deadline(s, hosts));
		/* without memory it is lost, as any packet may be */
		host_send_transmit(s, s->mad);
	} else if (!host_rmpp_again(s)) {
		/* a request that was acknowledged completely is not resent */
		send_come_back(s, ETIMEDOUT);
	}
}

/* ---- write() ------------------------------------------------------------------------------ */

static bool host_send_is_valid(const struct agent *agent, const uint8_t *mad, size_t len)
{
	return len >= madkit_class_data_offset(mad[MADKIT_MAD_CLASS]) &&
	       (len <= MADKIT_MAD_BYTES || (agent->kernel_rmpp && host_is_active_rmpp(mad))) &&
	       (!agent->reg.rmpp_version || madkit_class_is_rmpp(mad[MADKIT_MAD_CLASS]));
}

/* Stores the MAD to send, with the fields that the kernel fills in. Returns 0, -EINVAL or -ENOMEM. */
static int host_send_prepare(struct send *s, const uint8_t *mad, size_t len)
{
	const struct agent *agent = s->agent;
	size_t one = len < MADKIT_MAD_BYTES ? len : MADKIT_MAD_BYTES;

	memcpy(s->mad, mad, one);
	memset(s->mad + one, 0, MADKIT_MAD_BYTES - one);
	s->response = madkit_mad_is_response(s->mad, MADKIT_MAD_BYTES);
	if (!s->response)
		put_be32(s->mad + MADKIT_MAD_TID, agent->high_tid);
	s->tid = get_be64(s->mad + MADKIT_MAD_TID);
	if (!agent->kernel_rmpp)
		return 0;
	/* the kernel writes the whole RMPP header */
	memset(s->mad + MADKIT_RMPP_OFFSET, 0, MADKIT_RMPP_HEADER_BYTES);
	return host_is_active_rmpp(mad) ? host_rmpp_prepare(s, mad, len) : 0;
}

/* Checks if the send is still outstanding after transmission. */
static bool send_is_awaited(const struct send *s)
{
	return s->timeout || s->message;
}

static int host_send_begin(struct send *s)
{
	struct agent *agent = s->agent;
	const struct host *host = agent->file->host;
	struct hosts *hosts = host->hosts;
	const struct node *node = &hosts->f->nodes[host->port->node];
	bool by_hand = !agent->kernel_rmpp && host_is_active_rmpp(s->mad);
	int ret;

	/* rdma_ah_find_type(): RoCE has no LIDs, so a GRH is required */
	if (agent->file->reach & HOST_ROCE && !s->to.grh)
		return -EINVAL;
	if (!agent->qp && !send_can_leave(host->port, is_switch(node), s->mad))
		return -EINVAL;
	if (!by_hand && send_is_duplicate(agent, s))
		return -EINVAL;
	ret = s->message ? host_rmpp_begin(s) : host_send_transmit(s, s->mad);
	if (ret || !send_is_awaited(s))
		return ret;
	table_put(&hosts->sends, table_mix(0, s->tid), s);
	s->hashed = true;
	if (!s->message)
		heap_set(&hosts->deadlines, &s->timed.link, host_send_deadline(s, hosts));
	return 0;
}

int host_send(struct host_file *file, const struct host_out *out, uint64_t now)
{
	struct hosts *hosts = file->host->hosts;
	struct agent *agent;
	struct send *s;
	int ret;

	if (now > hosts->now)
		hosts->now = now;
	if (out->len < HOST_MAD_LEAST || out->id >= HOST_AGENTS_MAX)
		return -EINVAL;
	agent = host_agent_find(file, out->id);
	if (!agent)
		return -EIO;
	if (!host_send_is_valid(agent, out->mad, out->len))
		return -EINVAL;
	s = host_send_new(hosts);
	if (!s)
		return -ENOMEM;
	s->timed.due = host_send_timeout;
	s->agent = agent;
	s->to = *out->to;
	/* the kernel converts it to a signed number (msecs_to_jiffies()) */
	s->timeout = out->timeout_ms > INT32_MAX ? UINT64_MAX : out->timeout_ms * NS_PER_MS;
	s->retries = s->max_retries = out->retries;
	list_add(&agent->sends, &s->of_agent);
	ret = host_send_prepare(s, out->mad, out->len);
	if (!ret)
		ret = host_head_make(agent, out->to, &s->head);
	if (!ret)
		ret = host_send_begin(s);
	if (ret || !send_is_awaited(s))
		host_send_free(s);
	return ret;
}
