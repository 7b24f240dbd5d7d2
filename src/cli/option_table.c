/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of all commands. One entry per option serves parsing, --help, and the check for options without
 * an effect. */
#include "option_table.h"
#include "util/array_size.h"

/* clang-format off */
#define OWN		VALUE_OWN, 0, 0, 0, 0, 0
#define FLAG		VALUE_FLAG, 0, 0, 0, 0, 0
#define MEMBER(m)	offsetof(struct cli_options, m), \
			sizeof(((struct cli_options *)0)->m)
#define BOOL(m)		VALUE_BOOL, MEMBER(m), 0, 0, 0
#define STRING(m)	VALUE_STRING, MEMBER(m), 0, 0, 0
#define NUMBER(m, have, lo, hi)	VALUE_NUMBER, MEMBER(m), have, lo, hi
#define HAVE(m)		offsetof(struct cli_options, m)
/* clang-format on */

/* clang-format off */
const struct command_mode command_modes[] = {
	{ "madsend", MODE_SEND, 0 },
	{ "madsend", MODE_BATCH, OPT_BATCH },
	{ "madsend", MODE_DESCRIBE, OPT_DESCRIBE },
	{ "madrecv", MODE_LISTEN, 0 },
	{ "madrecv", MODE_SUBSCRIBE, OPT_SUBSCRIBE },
	{ "madrecv", MODE_SNOOP, OPT_SNOOP },
	{ "madrecv", MODE_READ, OPT_READ },
	{ "madpoll", MODE_AWAIT, 0 },
	{ "madpoll", MODE_UNTIL, OPT_UNTIL },
	{ "madpoll", MODE_DELTA, OPT_DELTA },
	{ "madreg", MODE_REGISTER, 0 },
	{ "madreg", MODE_LIST, OPT_LIST },
	{ "madsweep", MODE_SWEEP, 0 },
	{ "madsweep", MODE_CLEAR, OPT_CLEAR },
	{ "madsweep", MODE_TOPOLOGY, OPT_TOPOLOGY },
	{ "madsim", MODE_SERVE, 0 },
	{ "madsim", MODE_CONTROL, OPT_CONTROL },
	{ "madsim", MODE_GENERATE, OPT_GENERATE },
};
/* clang-format on */

const size_t n_command_modes = ARRAY_SIZE(command_modes);

/* Groups of modes that have options in common. */
#define WORDS       (MODE_SEND | MODE_UNTIL | MODE_DELTA)
#define REQUESTS    (WORDS | MODE_BATCH)
#define ANY_CLASS   (REQUESTS & ~MODE_DELTA) /* only PerfMgt has counters */
#define ASKING      (REQUESTS | MODE_SUBSCRIBE)
#define SURVEYING   (MODE_SWEEP | MODE_CLEAR)
#define SWEEPING    (SURVEYING | MODE_TOPOLOGY)
#define REGISTERING (MODE_LISTEN | MODE_AWAIT | MODE_REGISTER)
#define LISTENING   (MODE_LISTEN | MODE_SUBSCRIBE)
#define OPENING     (ASKING | REGISTERING | SWEEPING)
#define MADS        (ASKING | MODE_LISTEN | MODE_AWAIT | MODE_READ | SWEEPING)
#define SHOWING     ((MADS & ~MODE_TOPOLOGY) | MODE_SNOOP | MODE_REGISTER | MODE_LIST)
#define ALL         (SHOWING | MODE_TOPOLOGY | MODE_DESCRIBE | MODE_SERVE | MODE_CONTROL | MODE_GENERATE)

/* clang-format off */
const struct option_help option_helps[] = {
	{ OPT_MOD, MODE_SEND, "attribute modifier: a port, a block; Get: also all, or 0-3,7" },
	{ OPT_MOD, MODE_SWEEP, "blocks of a table: all, or 0-3,7" },
	{ OPT_COUNT, MODE_SEND, "send the request N times, and print a summary" },
	{ OPT_COUNT, MODE_AWAIT, "stop after N requests (--class, --until) or differences" },
	{ OPT_INTERVAL, MODE_SUBSCRIBE, "time between renewals of the subscription (default 60000)" },
	{ OPT_DEADLINE, MODE_SEND, "give up after this time (-1: never, 0: do not wait)" },
	{ OPT_DEADLINE, MODE_AWAIT, "give up after this time (-1: never, 0: do not wait)" },
	{ OPT_DEADLINE, MODE_REGISTER, "give up after this time; with --hold: end the registration" },
	{ OPT_DEADLINE, MODE_SERVE, "give up if the subnet is not up; --socket: stop serving" },
	{ OPT_M_KEY, MODE_SWEEP, "M_Key, or @FILE or @DIR with the keys of ports" },
	{ OPT_WINDOW, MODE_SWEEP, "SMPs outstanding at most (default 32)" },
	{ OPT_BANNER, MODE_SERVE, "print a line on standard error when the subnet is up" },
};
/* clang-format on */

const size_t n_option_helps = ARRAY_SIZE(option_helps);

/* clang-format off */
const struct option_need option_needs[] = {
	{ OPT_INTERVAL, MODE_SEND, { OPT_COUNT } },
	{ OPT_RETRIES, MODE_LISTEN, { OPT_RESPOND } },
	{ OPT_NODE_NAME_MAP, MODE_DELTA, { OPT_NAME } },
	{ OPT_GID_INDEX, WORDS, { OPT_GID } },
	{ OPT_HOP_LIMIT, WORDS, { OPT_GID } },
	{ OPT_TRAFFIC_CLASS, WORDS, { OPT_GID } },
	{ OPT_FLOW_LABEL, WORDS, { OPT_GID } },
	{ OPT_WRITE, MODE_REGISTER, { OPT_HOLD } },
	{ OPT_SHOW_KEYS, MODE_REGISTER, { OPT_WRITE, OPT_DEBUG } },
	{ OPT_BOTH, SURVEYING, { OPT_ROUTE } },
};
/* clang-format on */

const size_t n_option_needs = ARRAY_SIZE(option_needs);

/* clang-format off */
const struct option_def option_defs[] = {
	{ OPT_MOD, "mod", "N", "attribute modifier: a port, a block ...",
	  GROUP_OWN, WORDS | MODE_SWEEP, OWN },
	{ OPT_CLASS, "class", "CLASS", "management class, by name or number",
	  GROUP_OWN, WORDS | REGISTERING | MODE_DESCRIBE | SURVEYING, OWN },
	{ OPT_CLASS_VERSION, "class-version", "N", "class version (default: the class's own)",
	  GROUP_OWN, WORDS | REGISTERING, NUMBER(class.version, HAVE(class.have_version), 0, 255) },
	{ OPT_OUI, "oui", "OUI", "OUI of a vendor class (0x30 to 0x4f)",
	  GROUP_OWN, ANY_CLASS | REGISTERING | MODE_SWEEP, NUMBER(class.oui, HAVE(class.have_oui), 0, UINT32_MAX) },
	{ OPT_METHOD, "method", "M,..", "methods to receive, by name or number",
	  GROUP_OWN, REGISTERING, STRING(class.methods) },
	{ OPT_COMP_MASK, "comp-mask", "MASK", "SA component mask (default: the given fields)",
	  GROUP_OWN, MODE_SEND | MODE_UNTIL, NUMBER(request.comp_mask, HAVE(request.have_comp_mask), 0, UINT64_MAX) },
	{ OPT_RMPP, "rmpp", "HOW", "kernel, user or none: who segments and reassembles",
	  GROUP_OWN, ANY_CLASS | MODE_LISTEN | MODE_AWAIT, OWN },

	{ OPT_NO_RESPONSE, "no-response", NULL, "do not wait for a response",
	  GROUP_OWN, MODE_SEND | MODE_BATCH, FLAG },
	{ OPT_DRY_RUN, "dry-run", NULL, "print the MAD instead of sending it",
	  GROUP_OWN, MODE_SEND | MODE_BATCH, FLAG },
	{ OPT_MERGE, "merge", NULL, "Set: get first, change only the given fields",
	  GROUP_OWN, MODE_SEND, FLAG },
	{ OPT_ZERO_REST, "zero-rest", NULL, "Set: zero every field that is not given",
	  GROUP_OWN, MODE_SEND | MODE_BATCH, FLAG },
	{ OPT_LOCATE, "locate", NULL, "after a timeout, find the last node that responds",
	  GROUP_OWN, MODE_SEND, FLAG },
	{ OPT_BATCH, "batch", "FILE", "send the JSON lines of FILE (- is standard input)",
	  GROUP_OWN, MODE_BATCH, STRING(batch) },
	{ OPT_WINDOW, "window", "N", "size of the window of a batch (default 128)",
	  GROUP_OWN, MODE_BATCH | SWEEPING, NUMBER(window, HAVE(have_window), 1, 65536) },
	{ OPT_SUMMARY, "summary", NULL, "--batch: end with a line of totals",
	  GROUP_OWN, MODE_BATCH, FLAG },
	{ OPT_DESCRIBE, "describe", NULL, "list classes, attributes and fields",
	  GROUP_OWN, MODE_DESCRIBE, FLAG },

	{ OPT_READ, "read", "FILE", "decode a capture, MADs, hex or a log (-: standard input)",
	  GROUP_OWN, MODE_READ, STRING(read_path) },
	{ OPT_BANNER, "banner", NULL, "print a line on standard error when ready",
	  GROUP_OWN, MODE_BATCH | MODE_LISTEN | MODE_SUBSCRIBE | MODE_SNOOP | MODE_SERVE, FLAG },
	{ OPT_RESPOND, "respond", "AS", "answer requests: echo or ibping",
	  GROUP_OWN, MODE_LISTEN, STRING(respond) },
	{ OPT_BUFFER, "buffer", "BYTES,..", "receive into buffers of these sizes",
	  GROUP_OWN, MODE_LISTEN, OWN },
	{ OPT_SUBSCRIBE, "subscribe", "TRAP,..", "subscribe to traps and show the Reports",
	  GROUP_OWN, MODE_SUBSCRIBE, STRING(subscribe) },
	{ OPT_SNOOP, "snoop", NULL, "show headers of all MADs of this host",
	  GROUP_OWN, MODE_SNOOP, FLAG },

	{ OPT_UNTIL, "until", "EXPR", "repeat the request until EXPR holds",
	  GROUP_OWN, MODE_UNTIL, STRING(until) },
	{ OPT_DELTA, "delta", NULL, "show differences and rates of the counters",
	  GROUP_OWN, MODE_DELTA, FLAG },

	{ OPT_LIST, "list", NULL, "list ports and their devices",
	  GROUP_OWN, MODE_LIST, FLAG },
	{ OPT_HOLD, "hold", NULL, "register until a signal, or while COMMAND runs",
	  GROUP_OWN, MODE_REGISTER, FLAG },
	{ OPT_RMPP_VERSION, "rmpp-version", "N", "1: use RMPP, in the kernel unless --user-rmpp (default 0)",
	  GROUP_OWN, MODE_REGISTER, NUMBER(rmpp_version, 0, 0, 255) },
	{ OPT_USER_RMPP, "user-rmpp", NULL, "register with the flag for user-space RMPP",
	  GROUP_OWN, MODE_REGISTER, FLAG },

	{ OPT_SELECT, "select", "EXPR", "only ports for which EXPR holds",
	  GROUP_OWN, SURVEYING, STRING(select) },
	{ OPT_FROM, "from", "NODE", "begin at a directed route (0,1), LID, GUID or name",
	  GROUP_OWN, SWEEPING, STRING(from) },
	{ OPT_ROUTE, "route", "A,B", "ports along the route from A to B (LID, GUID or name)",
	  GROUP_OWN, SURVEYING, STRING(route) },
	{ OPT_BOTH, "both", NULL, "--route: also the route back",
	  GROUP_OWN, SURVEYING, FLAG },
	{ OPT_MLID, "mlid", "LID", "ports of the tree of a multicast group",
	  GROUP_OWN, SURVEYING, NUMBER(mlid, 0, 0xc000, 0xfffe) },
	{ OPT_HOPS, "hops", "N", "only nodes at most N links away",
	  GROUP_OWN, SWEEPING, NUMBER(hops, HAVE(have_hops), 1, 63) },
	{ OPT_VIA, "via", "SOURCE", "smp: directed routes (default); sa: the tables of the SA",
	  GROUP_OWN, SWEEPING, STRING(via) },
	{ OPT_SORT, "sort", "BY", "order of the ports: guid (default) or name",
	  GROUP_OWN, MODE_SWEEP, STRING(sort) },
	{ OPT_STRICT, "strict", NULL, "exit 3 if a node or port is silent; so does --assert",
	  GROUP_OWN, SWEEPING, FLAG },
	{ OPT_KEEP_GOING, "keep-going", NULL, "ask new nodes even if three in a row are silent",
	  GROUP_OWN, SWEEPING, FLAG },
	{ OPT_CLEAR, "clear", "ATTRIBUTE", "reset the counters of the selected ports",
	  GROUP_OWN, MODE_CLEAR, STRING(clear) },
	{ OPT_YES, "yes", NULL, "--clear: do not ask",
	  GROUP_OWN, MODE_CLEAR, FLAG },
	{ OPT_TOPOLOGY, "topology", NULL, "print nodes and links as ibnetdiscover does",
	  GROUP_OWN, MODE_TOPOLOGY, FLAG },

	{ OPT_SOCKET, "socket", "PATH", "serve the fabric to many processes",
	  GROUP_OWN, MODE_SERVE, STRING(socket_path) },
	{ OPT_NODE, "node", "NODE", "run COMMAND on NODE: name, description or GUID",
	  GROUP_OWN, MODE_SERVE, STRING(node) },
	{ OPT_SM, "sm", "NODE", "run the subnet manager on NODE (default: the last CA)",
	  GROUP_OWN, MODE_SERVE, STRING(sm_node) },
	{ OPT_NO_SM, "no-sm", NULL, "do not start a subnet manager",
	  GROUP_OWN, MODE_SERVE, FLAG },
	{ OPT_SWEEP, "sweep", "S", "seconds between sweeps (default 10; 0: only after traps)",
	  GROUP_OWN, MODE_SERVE, NUMBER(sweep_s, HAVE(have_sweep), 0, 86400) },
	{ OPT_HOSTS, "hosts", "HAVE,..", "what hosts have: roce, planar, single (one CA each)",
	  GROUP_OWN, MODE_SERVE, STRING(hosts) },
	{ OPT_SEED, "seed", "N", "seed of random events (default 1)",
	  GROUP_OWN, MODE_SERVE, NUMBER(seed, HAVE(have_seed), 0, UINT64_MAX) },
	{ OPT_LATENCY, "latency", "US", "delay of each cable in microseconds (default 0)",
	  GROUP_OWN, MODE_SERVE, NUMBER(latency_us, 0, 0, 1000000) },
	{ OPT_VL15, "vl15", "VL15", "limit SMPs: BUFFERS a port, US each; or the word typical",
	  GROUP_OWN, MODE_SERVE, STRING(vl15) },
	{ OPT_TRAINING, "training", "MS", "duration of link training in milliseconds (default 0)",
	  GROUP_OWN, MODE_SERVE, NUMBER(training_ms, 0, 0, 3600000) },
	{ OPT_EVENTS, "events", "FILE", "write events as JSON lines (-: standard output)",
	  GROUP_OWN, MODE_SERVE, STRING(events) },
	{ OPT_CONTROL, "control", "PATH", "control the madsim that serves at PATH",
	  GROUP_OWN, MODE_CONTROL, STRING(control) },
	{ OPT_GENERATE, "generate", "RULE", "print a topology: fat-tree:LEAVES,HOSTS,SPINES",
	  GROUP_OWN, MODE_GENERATE, STRING(generate) },

	{ OPT_LID, "Lid", "LID", "send to this LID",
	  GROUP_DESTINATION, REQUESTS, OWN },
	{ OPT_DIRECT, "Direct", "PATH", "send along this directed route (0,1,2)",
	  GROUP_DESTINATION, ANY_CLASS, OWN },
	{ OPT_GUID, "Guid", "GUID", "send to this port GUID",
	  GROUP_DESTINATION, REQUESTS, OWN },
	{ OPT_GID, "gid", "GID", "send to this GID, with a GRH",
	  GROUP_DESTINATION, REQUESTS, OWN },
	{ OPT_NAME, "name", "HOST", "send to the node with this description",
	  GROUP_DESTINATION, REQUESTS, STRING(to.name) },
	{ OPT_NODE_NAME_MAP, "node-name-map", "FILE", "read names of nodes from FILE",
	  GROUP_DESTINATION, REQUESTS | LISTENING | SWEEPING, STRING(names.map_path) },

	{ OPT_NAMES, "names", NULL, "show names of nodes, from the SA if no map has them",
	  GROUP_OUTPUT, ANY_CLASS | LISTENING, FLAG },

	{ OPT_CA, "Ca", "NAME", "channel adapter to use",
	  GROUP_SENDING, OPENING | MODE_SNOOP | MODE_LIST, STRING(port.ca) },
	{ OPT_PORT, "Port", "N", "port to use",
	  GROUP_SENDING, OPENING | MODE_SNOOP | MODE_LIST, NUMBER(port.number, 0, 1, 255) },
	{ OPT_DEVICE, "device", "SPEC", "umad:CA/PORT, /dev/infiniband/umadN, sim:TOPOLOGY[@NODE]",
	  GROUP_SENDING, OPENING | MODE_SNOOP | MODE_LIST, OWN },
	{ OPT_SM_PORT, "sm-port", "LID", "send SA requests and SMInfo to this LID",
	  GROUP_SENDING, ASKING | SURVEYING, OWN },

	{ OPT_TIMEOUT, "timeout", "MS", "timeout of each try (default 1000, -1: none)",
	  GROUP_SENDING, ASKING | SWEEPING, OWN },
	{ OPT_RETRIES, "retries", "N", "number of resends (default 2)",
	  GROUP_SENDING, ASKING | MODE_LISTEN | SWEEPING, NUMBER(timing.retries, 0, 0, 1000) },
	{ OPT_REDIRECTS, "redirects", "N", "number of redirections to follow (default 1)",
	  GROUP_SENDING, ASKING, NUMBER(timing.redirects, 0, 0, 16) },
	{ OPT_DEADLINE, "deadline", "MS", "end after this time (-1: never)",
	  GROUP_SENDING, ALL, OWN },
	{ OPT_COUNT, "count", "N", "stop after N messages",
	  GROUP_SENDING, WORDS | MODE_LISTEN | MODE_SUBSCRIBE | MODE_SNOOP | MODE_READ | MODE_AWAIT,
	  NUMBER(timing.count, HAVE(timing.have_count), 1, UINT64_MAX) },
	{ OPT_INTERVAL, "interval", "MS", "time from one request to the next (default 1000)",
	  GROUP_SENDING, WORDS | MODE_SUBSCRIBE,
	  NUMBER(timing.interval_ms, HAVE(timing.have_interval), 0, INT32_MAX) },

	{ OPT_M_KEY, "m-key", "KEY", "M_Key of SMPs (prompts if KEY is not a number)",
	  GROUP_SENDING, ANY_CLASS | SWEEPING, OWN },
	{ OPT_SM_KEY, "sm-key", "KEY", "SM_Key of SA requests (prompts if KEY is not a number)",
	  GROUP_SENDING, ASKING | SWEEPING, OWN },
	{ OPT_PKEY_INDEX, "pkey-index", "N", "P_Key index",
	  GROUP_SENDING, ASKING | SURVEYING, NUMBER(to.addr.pkey_index, 0, 0, UINT16_MAX) },
	{ OPT_SL, "sl", "N", "service level",
	  GROUP_SENDING, ASKING | SURVEYING, NUMBER(to.addr.sl, HAVE(to.have_sl), 0, 15) },
	{ OPT_QP, "qp", "N", "destination QP (default 0 for SMPs, else 1)",
	  GROUP_SENDING, ASKING, NUMBER(to.addr.qp, HAVE(to.have_qp), 0, 0xffffff) },
	{ OPT_GID_INDEX, "gid-index", "N", "GRH: index of the source GID",
	  GROUP_SENDING, REQUESTS, NUMBER(to.addr.gid_index, HAVE(to.have_grh_field), 0, 255) },
	{ OPT_HOP_LIMIT, "hop-limit", "N", "GRH: hop limit",
	  GROUP_SENDING, REQUESTS, NUMBER(to.addr.hop_limit, HAVE(to.have_grh_field), 0, 255) },
	{ OPT_TRAFFIC_CLASS, "traffic-class", "N", "GRH: traffic class",
	  GROUP_SENDING, REQUESTS, NUMBER(to.addr.traffic_class, HAVE(to.have_grh_field), 0, 255) },
	{ OPT_FLOW_LABEL, "flow-label", "N", "GRH: flow label",
	  GROUP_SENDING, REQUESTS, NUMBER(to.addr.flow_label, HAVE(to.have_grh_field), 0, 0xfffff) },

	{ OPT_FORMAT, "format", "FMT", "text, table, json, hex or raw",
	  GROUP_OUTPUT, SHOWING | MODE_DESCRIBE, OWN },
	{ OPT_JSON, "json", NULL, "the same as -f json: one object per line",
	  GROUP_OUTPUT, SHOWING | MODE_DESCRIBE, OWN },
	{ OPT_PRETTY, "pretty", NULL, "JSON over several lines; implies -j",
	  GROUP_OUTPUT, SHOWING, OWN },
	{ OPT_FIELDS, "fields", "A,B.C", "show only these fields",
	  GROUP_OUTPUT, SHOWING & ~MODE_CLEAR, STRING(output.fields) },
	{ OPT_FILTER, "filter", "EXPR", "show only what matches",
	  GROUP_OUTPUT, SHOWING & ~MODE_CLEAR, STRING(output.filter) },
	{ OPT_ASSERT, "assert", "EXPR", "exit 6 unless EXPR holds for every shown record",
	  GROUP_OUTPUT, SHOWING & ~MODE_CLEAR, STRING(output.assert_) },
	{ OPT_WRITE, "write", "FILE", "also write every MAD sent and received to FILE as pcap",
	  GROUP_OUTPUT, MADS | MODE_REGISTER, STRING(output.write_path) },
	{ OPT_SHOW_KEYS, "show-keys", NULL, "show keys (M_Key, SM_Key ...)",
	  GROUP_OUTPUT, MADS | MODE_REGISTER, BOOL(output.show_keys) },

	{ OPT_CONFIG, "config", "FILE", "configuration (default: " DIAG_CONFIG ")",
	  GROUP_GENERAL, OPENING, STRING(config_path) },
	{ OPT_DEBUG, "debug", NULL, "report each step; twice: dump MADs in hex",
	  GROUP_GENERAL, OPENING, OWN },
	{ OPT_QUIET, "quiet", NULL, "standard error: only usage errors and local failures",
	  GROUP_GENERAL, MADS, BOOL(output.quiet) },
	{ OPT_VERBOSE, "verbose", NULL, "show headers, report every failure",
	  GROUP_GENERAL, (MADS & ~MODE_TOPOLOGY) | MODE_SNOOP, BOOL(output.verbose) },
	{ OPT_HELP, "help", NULL, "this text",
	  GROUP_GENERAL, ALL, OWN },
	{ OPT_VERSION, "version", NULL, "the version",
	  GROUP_GENERAL, ALL, OWN },
};
/* clang-format on */

const size_t n_option_defs = ARRAY_SIZE(option_defs);

_Static_assert(ARRAY_SIZE(option_defs) <= OPTION_DEFS_MAX, "OPTION_DEFS_MAX holds all options");
