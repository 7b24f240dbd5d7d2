/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* In place of libibverbs where there is none: one ABI. */
#include <errno.h>
#include "transport/verbs.h"

int verbs_open(const char *spec, const struct madkit_qp_attr *attr,
	       struct transport **transport, struct madkit_error *error)
{
	(void)spec;
	(void)attr;
	(void)transport;
	return madkit_error_set(error, -EOPNOTSUPP, -1,
				"this build has no libibverbs, which a UD QP needs");
}

static int transport_open(const char *spec, const struct madkit_limit *limit,
			  struct transport **transport, struct madkit_error *error)
{
	(void)limit;
	return verbs_open(spec, NULL, transport, error);
}

int verbs_given_open(struct ibv_qp *qp, struct transport **transport,
		     struct madkit_error *error)
{
	(void)qp;
	return verbs_open(NULL, NULL, transport, error);
}

int verbs_given_take(struct transport *transport, uint32_t id, const struct ibv_wc *wc,
		     const void *buffer, size_t size)
{
	(void)transport;
	(void)id;
	(void)wc;
	(void)buffer;
	(void)size;
	return -EOPNOTSUPP;
}

int madkit_port_events_open(const struct madkit_port_info *info,
			    struct madkit_port_events **events)
{
	(void)info;
	*events = NULL;
	return -EOPNOTSUPP;
}

uint32_t madkit_port_events_read(struct madkit_port_events *events)
{
	(void)events;
	return 0;
}

void madkit_port_events_close(struct madkit_port_events *events)
{
	(void)events;
}

const struct transport_ops transport_verbs = {
	.name = "verbs",
	.open = transport_open,
};
