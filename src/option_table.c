/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of all commands: one entry each serves parsing and --help. */
#include "option_table.h"

#define OWN		VALUE_OWN, 0, 0, 0, 0, 0
#define FLAG		VALUE_FLAG, 0, 0, 0, 0, 0
#define MEMBER(m)	offsetof(struct cli_options, m), \
			sizeof(((struct cli_options *)0)->m)
#define BOOL(m)		VALUE_BOOL, MEMBER(m), 0, 0, 0
#define STRING(m)	VALUE_STRING, MEMBER(m), 0, 0, 0
#define NUMBER(m, have, lo, hi)	VALUE_NUMBER, MEMBER(m), have, lo, hi
#define HAVE(m)		offsetof(struct cli_options, m)

const struct option_def option_defs[] = {
	{ OPT_MOD, "mod", "N", "attribute modifier (a port, a block ...)",
	  SET_SEND, NUMBER(modifier, 0, 0, UINT32_MAX) },
	{ OPT_CLASS, "class", "CLASS", "management class, by name or number",
	  SET_SEND | SET_CLASS, OWN },
	{ OPT_CLASS_VERSION, "class-version", "N", "class version (default: the class's own)",
	  SET_SEND | SET_CLASS, NUMBER(class_version, 0, 1, 255) },
	{ OPT_OUI, "oui", "OUI", "organisation of a vendor class from 0x30 on, 24 bits",
	  SET_SEND | SET_CLASS, NUMBER(oui, HAVE(have_oui), 0, UINT32_MAX) },
	{ OPT_METHOD, "method", "M,..", "methods to receive, by name or number",
	  SET_METHODS, STRING(methods) },
	{ OPT_COMP_MASK, "comp-mask", "MASK", "SA component mask (default: of the fields given)",
	  SET_SEND, NUMBER(comp_mask, HAVE(have_comp_mask), 0, UINT64_MAX) },
	{ OPT_RMPP, "rmpp", "HOW", "kernel, user or none: who segments and reassembles",
	  SET_SEND | SET_MADRECV, OWN },

	{ OPT_NO_RESPONSE, "no-response", NULL, "send and do not wait for an answer",
	  SET_MADSEND, FLAG },
	{ OPT_DRY_RUN, "dry-run", NULL, "show the MAD instead of sending it",
	  SET_MADSEND, FLAG },
	{ OPT_MERGE, "merge", NULL, "Set: get first, change only the fields given",
	  SET_MADSEND, FLAG },
	{ OPT_ZERO_REST, "zero-rest", NULL, "Set: I mean zeroes in the fields not given",
	  SET_MADSEND, FLAG },
	{ OPT_LOCATE, "locate", NULL, "no answer by direct route: find the last node that answers",
	  SET_MADSEND, FLAG },
	{ OPT_BATCH, "batch", "FILE", "send the lines of JSON in FILE (- is standard input)",
	  SET_MADSEND, STRING(batch) },
	{ OPT_WINDOW, "window", "N", "requests of a batch outstanding at once (default 16)",
	  SET_MADSEND, NUMBER(window, HAVE(have_window), 1, 65536) },
	{ OPT_DESCRIBE, "describe", NULL, "list classes, or the fields of ATTRIBUTE, and exit",
	  SET_MADSEND, FLAG },

	{ OPT_READ, "read", "FILE", "decode FILE (- is standard input): capture, raw MADs or hex",
	  SET_MADRECV, STRING(read_path) },
	{ OPT_BANNER, "banner", NULL, "one line on standard error when listening",
	  SET_MADRECV, FLAG },
	{ OPT_RESPOND, "respond", "AS", "answer requests: echo with themselves, or as ibping",
	  SET_MADRECV, STRING(respond) },
	{ OPT_BUFFER, "buffer", "BYTES", "do not grow for a longer message: tell its length",
	  SET_MADRECV, NUMBER(buffer, HAVE(have_buffer), 1, 1 << 30) },
	{ OPT_SUBSCRIBE, "subscribe", "TRAP,..", "have the SA report these traps, show each report",
	  SET_MADRECV, STRING(subscribe) },
	{ OPT_SNOOP, "snoop", NULL, "headers of what this host sends and receives",
	  SET_MADRECV, FLAG },

	{ OPT_UNTIL, "until", "EXPR", "ask again until EXPR holds of the answer",
	  SET_MADPOLL, STRING(until) },
	{ OPT_DELTA, "delta", NULL, "show differences and rates of the counters",
	  SET_MADPOLL, FLAG },

	{ OPT_LIST, "list", NULL, "list ports, their device nodes and who has them open",
	  SET_MADREG, FLAG },
	{ OPT_HOLD, "hold", NULL, "keep the registration until stopped, or while COMMAND runs",
	  SET_MADREG, FLAG },
	{ OPT_RMPP_VERSION, "rmpp-version", "N", "1: the kernel does RMPP for the agent (default 0)",
	  SET_MADREG, NUMBER(rmpp_version, 0, 0, 255) },
	{ OPT_USER_RMPP, "user-rmpp", NULL, "the agent does RMPP itself",
	  SET_MADREG, FLAG },

	{ OPT_LID, "Lid", "LID", "to this LID", SET_DEST, OWN },
	{ OPT_DIRECT, "Direct", "PATH", "by this direct route: 0,1,2; with -L from that LID on",
	  SET_DEST, OWN },
	{ OPT_GUID, "Guid", "GUID", "to this port GUID, which the SA resolves", SET_DEST, OWN },
	{ OPT_GID, "gid", "GID", "to this GID; with -L the SA is not asked", SET_DEST, OWN },
	{ OPT_NAME, "name", "HOST", "to the node with this description, all of it", SET_DEST, STRING(name) },
	{ OPT_NODE_NAME_MAP, "node-name-map", "FILE", "names of nodes by GUID",
	  SET_DEST | SET_NAMES, STRING(node_name_map) },

	{ OPT_CA, "Ca", "NAME", "channel adapter to use", SET_PORT, STRING(ca) },
	{ OPT_PORT, "Port", "N", "port to use", SET_PORT, NUMBER(port, 0, 1, 255) },
	{ OPT_DEVICE, "device", "SPEC", "umad:CA/PORT, sim:TOPOLOGY[@NODE] (default: $MADKIT_DEVICE)",
	  SET_PORT, OWN },
	{ OPT_SM_PORT, "sm-port", "LID", "LID of the subnet administrator", SET_REQUEST, OWN },

	{ OPT_TIMEOUT, "timeout", "MS", "for each try (default 1000)",
	  SET_REQUEST, NUMBER(timeout_ms, HAVE(have_timeout), 1, INT32_MAX) },
	{ OPT_RETRIES, "retries", "N", "resends after the first (default 2)",
	  SET_REQUEST, NUMBER(retries, 0, 0, 1000) },
	{ OPT_REDIRECTS, "redirects", "N", "follow so many redirections (default 1)",
	  SET_REQUEST, NUMBER(redirects, 0, 0, 16) },
	{ OPT_DEADLINE, "deadline", "MS", "for the whole command; -1 for ever, 0 do not wait",
	  SET_DEADLINE, OWN },
	{ OPT_COUNT, "count", "N", "so many, then end",
	  SET_COUNT, NUMBER(count, HAVE(have_count), 1, UINT64_MAX) },
	{ OPT_INTERVAL, "interval", "MS", "from one round to the next (default 1000)",
	  SET_INTERVAL, NUMBER(interval_ms, HAVE(have_interval), 0, INT32_MAX) },

	{ OPT_M_KEY, "m-key", "KEY", "M_Key of SMPs (not a number: ask for it)", SET_REQUEST, OWN },
	{ OPT_SM_KEY, "sm-key", "KEY", "SM_Key of SA requests (not a number: ask for it)",
	  SET_REQUEST, OWN },
	{ OPT_PKEY_INDEX, "pkey-index", "N", "index of the P_Key to send with",
	  SET_REQUEST, NUMBER(addr.pkey_index, 0, 0, UINT16_MAX) },
	{ OPT_SL, "sl", "N", "service level",
	  SET_REQUEST, NUMBER(addr.sl, HAVE(have_sl), 0, 15) },
	{ OPT_QP, "qp", "N", "queue pair of the receiver (default 0 for SMPs, else 1)",
	  SET_REQUEST, NUMBER(addr.qp, HAVE(have_qp), 0, 0xffffff) },
	{ OPT_QKEY, "qkey", "N", "Q_Key; umad takes 0x80010000 alone",
	  SET_REQUEST, NUMBER(addr.qkey, 0, 0, UINT32_MAX) },
	{ OPT_GID_INDEX, "gid-index", "N", "GRH: index of the own GID",
	  SET_REQUEST, NUMBER(addr.gid_index, HAVE(have_grh_field), 0, 255) },
	{ OPT_HOP_LIMIT, "hop-limit", "N", "GRH: hop limit",
	  SET_REQUEST, NUMBER(addr.hop_limit, HAVE(have_grh_field), 0, 255) },
	{ OPT_TRAFFIC_CLASS, "traffic-class", "N", "GRH: traffic class",
	  SET_REQUEST, NUMBER(addr.traffic_class, HAVE(have_grh_field), 0, 255) },
	{ OPT_FLOW_LABEL, "flow-label", "N", "GRH: flow label",
	  SET_REQUEST, NUMBER(addr.flow_label, HAVE(have_grh_field), 0, 0xfffff) },

	{ OPT_FORMAT, "format", "FMT", "text, json, hex or raw", SET_OUTPUT, OWN },
	{ OPT_JSON, "json", NULL, "the same as -f json: one object a line", SET_OUTPUT, OWN },
	{ OPT_PRETTY, "pretty", NULL, "JSON over several lines; implies -j", SET_OUTPUT, OWN },
	{ OPT_FIELDS, "fields", "A,B.C", "show only these fields", SET_MADS, STRING(fields) },
	{ OPT_FILTER, "filter", "EXPR", "show only what matches", SET_MADS, STRING(filter) },
	{ OPT_ASSERT, "assert", "EXPR", "exit 6 unless it held of all that was shown",
	  SET_MADS, STRING(assert_) },
	{ OPT_WRITE, "write", "FILE", "also write every MAD sent and received to FILE as pcap",
	  SET_MADS, STRING(write_path) },
	{ OPT_SHOW_KEYS, "show-keys", NULL, "show M_Keys, SM_Keys and the like",
	  SET_MADS, BOOL(show_keys) },

	{ OPT_CONFIG, "config", "FILE", "configuration (default: " DIAG_CONFIG ")",
	  SET_GENERAL, STRING(config_path) },
	{ OPT_DEBUG, "debug", NULL, "tell what is sent and received; twice: in hex",
	  SET_GENERAL, OWN },
	{ OPT_VERBOSE, "verbose", NULL, "show headers too", SET_GENERAL, BOOL(verbose) },
	{ OPT_HELP, "help", NULL, "this text", SET_GENERAL, OWN },
	{ OPT_VERSION, "version", NULL, "the version", SET_GENERAL, OWN },
};

const size_t n_option_defs = sizeof(option_defs) / sizeof(option_defs[0]);

_Static_assert(sizeof(option_defs) / sizeof(option_defs[0]) <= OPTION_DEFS_MAX,
	       "OPTION_DEFS_MAX holds all options");
