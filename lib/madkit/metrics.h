/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * madkit_metrics - metrics of ports in the text format of Prometheus
 *
 * A struct madkit_metrics keeps the counters of ports, and writes them in the text exposition format 0.0.4. Names
 * and labels are those of infiniband_exporter 2.0.1 (https://github.com/SckyzO/infiniband_exporter), so that its
 * dashboards and alerts work; madkit-metrics(7) lists them.
 *
 * A family, all values of one metric, must be contiguous: nothing is written before all ports have been added.
 * Counters take 28 * 8 bytes of memory for each port. Bytes are 4 times the words of a counter. The functions do
 * not block. The metrics have no lock: only one thread may use them at a time.
 */
#ifndef MADKIT_METRICS_H
#define MADKIT_METRICS_H

#include <madkit/decls.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <madkit/buf.h>
#include <madkit/message.h>

MADKIT_BEGIN_DECLS

struct madkit_metrics;

/* In place of the number of a device: none. */
#define MADKIT_METRICS_NONE UINT32_MAX

/* A switch, or a port of a channel adapter or router. */
struct madkit_metrics_device {
	uint8_t type;     /* as in NodeInfo */
	uint64_t guid;    /* of the port; of a switch, of its port 0 */
	uint16_t lid;     /* 0: not known */
	const char *name; /* is copied; it may contain any bytes */
	size_t name_len;
	bool shown; /* has metrics even if no port is added; it is then not up */
};

/* A port of a device. */
struct madkit_metrics_port {
	uint32_t device; /* its number */
	uint8_t number;
	uint32_t peer; /* number of the device at the other end; MADKIT_METRICS_NONE: not known */
	uint8_t peer_number;
	bool known, up; /* the state of the link is known; the link is up */
	/* values of the fields width and speed of the object "port"; 0: not known */
	uint32_t width, speed;
};

/* The run that made the metrics. */
struct madkit_metrics_run {
	uint64_t sweep_us, survey_us;          /* microseconds for the discovery, and for the counters */
	uint64_t sweep_errors, sweep_timeouts; /* of the discovery */
	int64_t ended;                         /* seconds since the epoch */
};

/*
 * madkit_metrics_new - make an empty set of metrics
 *
 * Return: the metrics, or NULL if out of memory; free them with madkit_metrics_free().
 */
struct madkit_metrics *madkit_metrics_new(void);

/*
 * madkit_metrics_free - free metrics
 * @metrics: the metrics, or NULL
 */
void madkit_metrics_free(struct madkit_metrics *metrics);

/*
 * madkit_metrics_has - check whether counters of an attribute have metrics
 * @attribute: an attribute
 *
 * Return: true for PortCounters, PortCountersExtended and PortRcvErrorDetails.
 */
bool madkit_metrics_has(const struct madkit_attribute *attribute);

/*
 * madkit_metrics_add_device - add a device
 * @metrics: the metrics
 * @device:  the device
 * @number:  receives its number
 *
 * Planes of a channel adapter, and other devices of a type with the same GUID, are one device. A device with GUID 0 has no
 * metrics, but can be at the other end of a link.
 *
 * Return: 0, or -ENOMEM if out of memory.
 */
int madkit_metrics_add_device(struct madkit_metrics *metrics, const struct madkit_metrics_device *device,
			      uint32_t *number);

/*
 * madkit_metrics_add_port - add a port
 * @metrics: the metrics
 * @port:    the port; its device and its peer have been added
 * @number:  receives its number, from 0 on
 *
 * Of several ports of a device with the same number, the first one has metrics.
 *
 * Return: 0, or -ENOMEM if out of memory.
 */
int madkit_metrics_add_port(struct madkit_metrics *metrics, const struct madkit_metrics_port *port,
			    uint32_t *number);

/*
 * madkit_metrics_take - store the result of a request for counters
 * @metrics: the metrics
 * @port:    number of the port
 * @message: the result
 *
 * A response stores its counters, except those that have a value already: of PortCounters and
 * PortCountersExtended, the one that is taken first counts. A counter of 32 bits that is full is not stored,
 * because its rate would be 0. A timeout, or an error other than EOPNOTSUPP, means that the device is not up.
 */
void madkit_metrics_take(struct madkit_metrics *metrics, uint32_t port, const struct madkit_message *message);

/*
 * madkit_metrics_lacks - check whether a request for another attribute would add counters
 * @metrics:   the metrics
 * @port:      number of the port
 * @attribute: the other attribute
 *
 * Return: true if a counter of the attribute has no value yet, and the device has responded to everything.
 */
bool madkit_metrics_lacks(const struct madkit_metrics *metrics, uint32_t port,
			  const struct madkit_attribute *attribute);

/*
 * madkit_metrics_write - append the next part of the text
 * @metrics: the metrics
 * @run:     the run that made them
 * @buf:     receives about 64 KiB of whole lines
 *
 * After the end, the next call begins again. If memory runs out, buf->error is set.
 *
 * Return: true if there is more to write.
 */
bool madkit_metrics_write(struct madkit_metrics *metrics, const struct madkit_metrics_run *run,
			  struct madkit_buf *buf);

MADKIT_END_DECLS
#endif
