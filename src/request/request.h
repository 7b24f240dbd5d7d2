/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A request: its MAD, where that goes, and what it is called in messages. */
#ifndef SRC_REQUEST_H
#define SRC_REQUEST_H

#include "cli/cli.h"

struct request {
	struct madkit_header header;
	const struct madkit_attribute *attribute; /* NULL: no table has it */
	char attribute_name[64];
	char method_name[32];
	const char *about; /* "leaf1 port 3", for messages; NULL: the address says it all */
	bool smp;
	bool expects_response;
	bool vendor2;
	bool have_retries;
	uint32_t oui;       /* of a vendor2 class */
	enum cli_rmpp rmpp; /* whose the agent's is: not RMPP_DEFAULT */
	bool local_port;    /* PortSelect becomes this port's number */
	bool to_manager;    /* without a destination, to the subnet manager of the port */
	char **fields;      /* Field=value words: argv's */
	int nfields;
	struct destination destination;
	struct madkit_addr to; /* as far as the words tell it */
	uint8_t *mad;          /* allocated */
	size_t len;
	size_t data_offset, data_len;
	/* limits of a line of a batch; if 0, those of the command */
	uint32_t timeout_ms, retries;
	uint64_t deadline_ns; /* port clock */
};

void request_free(struct request *request);

/*
 * Checks that a Get or Set of an attribute that selects its port by PortSelect has one
 * (given): without it, the response of a switch is about port 0 and looks right. Without
 * a destination, PortSelect becomes this port's number (local_port). 0 or -EINVAL.
 */
int request_need_port(struct request *request, bool given, struct madkit_error *error);

/* Whether the request is a Set that resets the counters that CounterSelect selects (IBA volume 1, section 16.1.3.5 and
 * others). PortSamplesControl has an array of that name, which is state. */
bool request_resets(const struct request *request);

/* Checks that a Set that resets counters selects some (given: it has CounterSelect or CounterSelect2): without them it
 * has no effect, and the response looks right. --merge has a message of its own, --zero-rest asks for it. 0 or -EINVAL. */
int request_need_select(const struct cli_options *options, const struct request *request, bool given,
			struct madkit_error *error);

/* Writes the number of this port into PortSelect, if local_port says so. */
void request_put_port(struct request *request, unsigned int port);

/*
 * Whether the request is a Set of an SMP without all fields (whole), and no option says what becomes of the rest.
 * Such a Set would make the missing fields 0.
 */
bool request_leaves_rest(const struct cli_options *options, const struct request *request, bool whole);

/* Whether a request of this method is answered. */
bool request_waits(uint8_t method);

/* The kind of a MAD by its response bit, with unmatched for a response: UNSOLICITED where
 * responses are matched with requests, else RESPONSE. A MAD that is cut before its method
 * is a request. */
enum madkit_message_kind request_kind(const uint8_t *mad, size_t len, enum madkit_message_kind unmatched);

/* The attribute of the MADs that the request leads to: of its response, or its own if
 * it has none. */
const struct madkit_attribute *request_answer(const struct request *request);

/* Fills in the names of method and attribute, for messages. */
void request_name(struct request *request);

/* "Get NodeInfo" */
const char *request_text(const struct request *request, char buf[112]);

/* What a field of the request's attribute says. As madkit_record_value(). */
int request_value(const struct request *request, const char *name, uint64_t *value);

/* Where the request goes (to), as far as its destination tells without a port; an SMP's
 * class follows from it. 0 or -EINVAL. */
int request_route(struct request *request, struct madkit_error *error);

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
int request_derive(const struct request *request, const char *attribute, uint32_t modifier,
		   struct request *derived);

/* The same; of SubnMgt, if the class of the request does not have the attribute. */
int request_derive_smp(const struct request *request, const char *attribute, uint32_t modifier,
		       struct request *derived);

/* ---- --rmpp ------------------------------------------------------------------------- */

/* Who takes messages of a class apart and puts them together: RMPP_NONE for a class without RMPP, never RMPP_DEFAULT. */
enum cli_rmpp rmpp_choice(const struct cli_options *options, uint8_t mgmt_class);

/* Refuses --rmpp for a class without RMPP. 0 or EXIT_USAGE. */
int rmpp_choice_check(const struct cli_options *options, uint8_t mgmt_class);

/* Puts the choice into what an agent is registered with. */
void rmpp_choice_put(enum cli_rmpp choice, struct madkit_agent_attr *attr);

#endif
