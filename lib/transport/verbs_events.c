/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Asynchronous events of a port, which umad does not report. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <madkit/port.h>
#include "transport/verbs_library.h"

struct madkit_port_events {
	struct verbs_library lib;
	struct ibv_context *context;
	unsigned int port;
};

int madkit_port_events_open(const struct madkit_port_info *info, struct madkit_port_events **events)
{
	struct madkit_port_events *e;
	int ret, flags;

	if (!info || !events)
		return -EINVAL;
	*events = NULL;
	/* a simulated port may have the name of a real device */
	if (!info->umad_path[0])
		return -ENODEV;
	e = calloc(1, sizeof(*e));
	if (!e)
		return -ENOMEM;
	e->port = info->port;
	ret = verbs_library_load(&e->lib, NULL);
	if (!ret) {
		ret = verbs_library_open_device(&e->lib, info->ca, &e->context);
		ret = ret && ret != -ENODEV ? -EIO : ret;
	}
	if (!ret) {
		flags = fcntl(e->context->async_fd, F_GETFL);
		if (flags < 0 || fcntl(e->context->async_fd, F_SETFL, flags | O_NONBLOCK))
			ret = -EIO;
	}
	if (ret) {
		madkit_port_events_close(e);
		return ret;
	}
	*events = e;
	return 0;
}

static uint32_t event_bit(const struct madkit_port_events *e, const struct ibv_async_event *event)
{
	switch (event->event_type) {
	case IBV_EVENT_CLIENT_REREGISTER:
	case IBV_EVENT_SM_CHANGE:
	case IBV_EVENT_LID_CHANGE:
	case IBV_EVENT_PKEY_CHANGE:
	case IBV_EVENT_GID_CHANGE:
	case IBV_EVENT_PORT_ACTIVE:
	case IBV_EVENT_PORT_ERR:
		break;
	default:
		return 0;
	}
	if ((unsigned int)event->element.port_num != e->port)
		return 0;
	return event->event_type == IBV_EVENT_CLIENT_REREGISTER ? MADKIT_PORT_EVENT_CLIENT_REREGISTER :
	       event->event_type == IBV_EVENT_SM_CHANGE         ? MADKIT_PORT_EVENT_SM_CHANGE :
								  MADKIT_PORT_EVENT_OTHER;
}

uint32_t madkit_port_events_read(struct madkit_port_events *events)
{
	struct ibv_async_event event;
	uint32_t bits = 0;

	while (events && !events->lib.ibv_get_async_event(events->context, &event)) {
		bits |= event_bit(events, &event);
		events->lib.ibv_ack_async_event(&event);
	}
	return bits;
}

void madkit_port_events_close(struct madkit_port_events *events)
{
	if (!events)
		return;
	if (events->context)
		events->lib.ibv_close_device(events->context);
	free(events);
}
