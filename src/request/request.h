/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A request: its MAD, its destination, and its name in messages. */
#ifndef SRC_REQUEST_H
#define SRC_REQUEST_H

#include "cli/cli.h"

struct request {
	struct madkit_header header;
	const struct madkit_attribute *attribute; /* NULL: in no table */
	char attribute_name[64];
	char method_name[32];
	const char *about; /* "leaf1 port 3", for messages; NULL: the address is enough */
	bool smp;
	bool expects_response;
	bool vendor2;
	bool have_retries;
	uint32_t oui;       /* of a vendor2 class */
	enum cli_rmpp rmpp; /* who does RMPP for the agent: not RMPP_DEFAULT */
	bool local_port;    /* PortSelect is set to the number of this port */
	bool to_manager;    /* no destination: sent to the subnet manager of the port */
	char **fields;      /* Field=value words; point into argv */
	int nfields;
	struct destination destination;
	struct madkit_addr to; /* address, as far as the words determine it */
	uint8_t *mad;          /* allocated */
	size_t len;
	size_t data_offset, data_len;
	/* limits of a line of a batch; 0: those of the command */
	uint32_t timeout_ms, retries;
	uint64_t deadline_ns; /* port clock */
};

void request_free(struct request *request);

/*
 * Checks that a Get or Set of an attribute that selects its port by PortSelect has one (given): without it,
 * the response of a switch is about port 0 and looks right. Without a destination, PortSelect is set to the
 * number of this port (local_port). Returns 0 or -EINVAL.
 */
int request_need_port(struct request *request, bool given, struct madkit_error *error);

/* Checks if the request is a Set that resets the counters that CounterSelect selects (IBA volume 1, section
 * 16.1.3.5 and others). PortSamplesControl has an array of that name, which is state. */
bool request_resets(const struct request *request);

/* Checks that a Set that resets counters selects some (given: it has CounterSelect or CounterSelect2):
 * otherwise it has no effect, but its response looks right. Not checked with --merge, which has its own
 * message, and --zero-rest, which requests it. Returns 0 or -EINVAL. */
int request_need_select(const struct cli_options *options, const struct request *request, bool given,
			struct madkit_error *error);

/* Writes the number of this port into PortSelect, if local_port is set. */
void request_put_port(struct request *request, unsigned int port);

/*
 * Checks if the request is a Set of an SMP without all fields (whole), and no option determines the other
 * fields. Such a Set would make the missing fields 0.
 */
bool request_leaves_rest(const struct cli_options *options, const struct request *request, bool whole);

/* Checks if a request of this method has a response. */
bool request_waits(uint8_t method);

/* Returns the kind of a MAD by its response bit. A response is of kind unmatched: UNSOLICITED if responses
 * are matched with requests, else RESPONSE. A MAD that is cut before its method is a request. */
enum madkit_message_kind request_kind(const uint8_t *mad, size_t len, enum madkit_message_kind unmatched);

/* Returns the attribute of the MADs that result from the request: of its response, or its own if it has no
 * response. */
const struct madkit_attribute *request_answer(const struct request *request);

/* Sets the names of method and attribute, for messages. */
void request_name(struct request *request);

/* Returns buf: "Get NodeInfo". */
enum { REQUEST_TEXT_MAX = 112 };
const char *request_text(const struct request *request, char buf[REQUEST_TEXT_MAX]);

/* Gets the value of a field of the request's attribute. Returns as madkit_record_value(). */
int request_value(const struct request *request, const char *name, uint64_t *value);

/* Sets the address (to), as far as the destination determines it without a port, and the class of an SMP,
 * which follows from it. Returns 0 or -EINVAL. */
int request_route(struct request *request, struct madkit_error *error);

/* Writes the directed route in request->to, if there is one, into an SMP of class 0x81. */
void request_put_route(struct request *request);

/* Returns how many bytes of the attribute's data one MAD holds. */
size_t request_data_room(const struct request *request);

/* Sets a field of the class's header in the request's MAD. The class must have the field. */
void request_put_header(struct request *request, const char *name, uint64_t value);

/* Writes the options' keys and the request's OUI into the request's MAD. */
void request_put_keys(const struct cli_options *options, struct request *request);

/* Prints the hint for requests of the class Mlnx that have no response, with and without a V_Key. */
void request_hint_v_key(void);

/*
 * Derives a Get of another attribute of the request's class, with the same destination and the same keys; its
 * data is zero. Returns 0 or -errno. The caller frees it in either case.
 */
int request_derive(const struct request *request, const char *attribute, uint32_t modifier,
		   struct request *derived);

/* As request_derive(), but of SubnMgt if the class of the request does not have the attribute. */
int request_derive_smp(const struct request *request, const char *attribute, uint32_t modifier,
		       struct request *derived);

/* ---- --rmpp ------------------------------------------------------------------------- */

/* Returns who segments and reassembles messages of a class: RMPP_NONE for a class without RMPP, never
 * RMPP_DEFAULT. */
enum cli_rmpp rmpp_choice(const struct cli_options *options, uint8_t mgmt_class);

/* Rejects --rmpp for a class without RMPP. Returns 0 or EXIT_USAGE. */
int rmpp_choice_check(const struct cli_options *options, uint8_t mgmt_class);

/* Sets the choice in the attributes with which an agent is registered. */
void rmpp_choice_put(enum cli_rmpp choice, struct madkit_agent_attr *attr);

#endif
