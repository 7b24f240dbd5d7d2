/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A request: its MAD, where that goes, and what it is called in messages. */
#ifndef SRC_REQUEST_H
#define SRC_REQUEST_H

#include "cli.h"

struct request {
	struct madkit_header header;
	const struct madkit_attribute *attribute;	/* NULL: no table has it */
	char attribute_name[64];
	char method_name[32];
	bool smp;
	bool expects_response;
	bool vendor2;
	uint32_t oui;			/* of a vendor2 class */
	enum cli_rmpp rmpp;		/* whose the agent's is: not RMPP_DEFAULT */
	char **fields;			/* Field=value words: argv's */
	int nfields;
	struct madkit_addr to;		/* as far as the words tell it */
	uint8_t *mad;			/* allocated */
	size_t len;
	size_t data_offset, data_len;
};

void request_free(struct request *request);

/* Whether a request of this method is answered. */
bool request_waits(uint8_t method);

/* What a MAD is of which nothing but itself is known; one that is cut is a request. */
enum madkit_message_kind request_kind(const uint8_t *mad, size_t len);

/* Fills in the names of method and attribute, for messages. */
void request_name(struct request *request);

/* "Get NodeInfo" */
const char *request_text(const struct request *request, char buf[112]);

/* What a field of the request's attribute says. As madkit_record_value(). */
int request_value(const struct request *request, const char *name, uint64_t *value);

/* Where the options send the request to, as far as they tell without a port; an SMP's
 * class follows from it. 0 or -EINVAL. */
int request_route(const struct cli_options *options, struct request *request,
		  struct madkit_error *error);

/* Writes the directed route in request->to into an SMP of class 0x81. */
void request_put_route(struct request *request);

/* How many bytes of the attribute's data one MAD holds. */
size_t request_data_room(const struct request *request);

/* Sets a field of the class's header in the request's MAD: one that the class has. */
void request_put_header(struct request *request, const char *name, uint64_t value);

/* Writes the options' keys and OUI into the request's MAD. */
void request_put_keys(const struct cli_options *options, struct request *request);

/*
 * Makes a Get of another attribute of the request's class, to the same place
 * and with the same keys; its data is zero. 0 or -errno. Free it in either case.
 */
int request_derive(const struct request *request, const char *attribute,
		   uint32_t modifier, struct request *derived);

#endif
