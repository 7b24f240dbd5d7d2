/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One request for a register of a device, or for GeneralInfo, which says if it has registers. */
#ifndef SRC_REGISTER_REQUEST_H
#define SRC_REGISTER_REQUEST_H

#include "request/request.h"

/* The node that is asked. */
struct register_target {
	uint32_t lid;
	unsigned int local; /* the number that registers have for the port; 0: the attribute has no port */
	uint64_t v_key;     /* subnet_v_key() */
	const char *about;  /* the port, for messages; must outlive the request; or NULL */
};

/* Makes a Get of an attribute of class Mlnx. Returns EXIT_DONE, or EXIT_LOCAL after a report. The caller frees the request
 * in either case. */
int register_request_make(const struct madkit_attribute *attribute, const struct register_target *target,
			  struct request *request);

#endif
