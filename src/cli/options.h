/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of a command's options, and the groups of rows that commands share. */
#ifndef SRC_OPTIONS_H
#define SRC_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include "cli.h"

#define DIAG_CONFIG "/etc/infiniband-diags/ibdiag.conf"

/* The section of --help that lists the option. */
enum option_group { GROUP_OWN, GROUP_DESTINATION, GROUP_SENDING, GROUP_OUTPUT, GROUP_GENERAL };

/* When a value is read: a key may be typed on the terminal, which no refused option may cause. */
enum option_stage { OPTION_VALUE, OPTION_KEY, OPTION_STAGES };

struct option_row;

/* Reads the value of an option into member, which is at row->offset of the command's options. Returns 0 or
 * -errno with a message about the value. */
typedef int option_take(const struct option_row *row, void *member, char *text, struct madkit_error *error);

struct option_row {
	char letter; /* 0: none */
	const char *name;
	const char *arg; /* NULL: no argument */
	const char *help;
	enum option_group group;
	unsigned int forms; /* the forms of the command that have the option */
	option_take *take;  /* NULL: only cli_given() matters */
	size_t offset;
	size_t size;       /* take_number: of the member */
	size_t have;       /* offset of a bool that is set with the value; 0: none */
	uint64_t min, max; /* take_number */
	enum option_stage stage;
	bool repeated;    /* may be given more than once */
	const char *hint; /* a line for those who give it to a form that does not have it; NULL: none */
};

/* A form of a command, and the option that selects it; NULL: the form without such an option. */
struct option_form {
	unsigned int form;
	const char *selector;
};

/* The options of a command, and its forms. */
struct option_table {
	size_t bytes; /* of the command's options, which begin with struct cli_options */
	const struct option_row *rows;
	size_t n;
	const struct option_form *forms;
	size_t nforms;
};

option_take take_flag; /* bool */
option_take take_string;
option_take take_number;
option_take take_time;   /* as take_number, in milliseconds: 500, 500ms, 60s, 5min, 1h, 7d */
option_take take_more;   /* int: counts how often it is given */
option_take take_device; /* struct port_options */
option_take take_lid, take_guid, take_direct, take_gid; /* struct destination */
option_take take_sm_lid;
option_take take_class; /* struct class_options */
option_take take_rmpp;
option_take take_modifier;                       /* struct request_options */
option_take take_deadline, take_timeout;         /* struct timing_options */
option_take take_m_key, take_sm_key, take_v_key; /* struct manager_options */
option_take take_format;
option_take take_color; /* enum cli_color */

/* Each program defines one, in COMMAND_options.c. */
extern const struct option_table program_options;

/* ---- rows ---------------------------------------------------------------------- */

/* A member of struct cli_options, with which the options of each command begin. */
/* clang-format off */
#define SHARED_AT(member)	.offset = offsetof(struct cli_options, member)
#define SHARED_HAVE(member)	.have = offsetof(struct cli_options, member)
#define SHARED_FLAG(member)	.take = take_flag, SHARED_AT(member)
#define SHARED_STRING(member)	.take = take_string, SHARED_AT(member)
#define SHARED_NUMBER(member, lo, hi) \
	.take = take_number, SHARED_AT(member), .size = sizeof(((struct cli_options *)0)->member), \
	.min = lo, .max = hi

/* A member of OPTIONS, the struct of the command's own options, which its table defines. */
#define OPTION_HAVE(member)	.have = offsetof(OPTIONS, member)
#define OPTION_FLAG(member)	.take = take_flag, .offset = offsetof(OPTIONS, member)
#define OPTION_STRING(member)	.take = take_string, .offset = offsetof(OPTIONS, member)
#define OPTION_TIME(member, lo, hi) \
	.take = take_time, .offset = offsetof(OPTIONS, member), .size = sizeof(((OPTIONS *)0)->member), \
	.min = lo, .max = hi
#define OPTION_NUMBER(member, lo, hi) \
	.take = take_number, .offset = offsetof(OPTIONS, member), .size = sizeof(((OPTIONS *)0)->member), \
	.min = lo, .max = hi

/* The class of a request or registration. */
#define OPTION_CLASS(forms) \
	{ 0, "class", "CLASS", "management class, by name or number", \
	  GROUP_OWN, forms, .take = take_class, SHARED_AT(class), SHARED_HAVE(class.given) }
#define OPTION_CLASS_VERSION(forms) \
	{ 0, "class-version", "N", "class version (default: the class's own)", \
	  GROUP_OWN, forms, SHARED_NUMBER(class.version, 0, 255), SHARED_HAVE(class.have_version) }
#define OPTION_OUI(forms) \
	{ 0, "oui", "OUI", "OUI of a vendor class (0x30 to 0x4f)", \
	  GROUP_OWN, forms, SHARED_NUMBER(class.oui, 0, UINT32_MAX), SHARED_HAVE(class.have_oui) }
#define OPTION_METHOD(forms) \
	{ 0, "method", "M,..", "methods to receive, by name or number", \
	  GROUP_OWN, forms, SHARED_STRING(class.methods) }
#define OPTION_RMPP(forms) \
	{ 0, "rmpp", "HOW", "kernel, user or none: who segments and reassembles", \
	  GROUP_OWN, forms, .take = take_rmpp, SHARED_AT(class.rmpp) }

/* The content of a request. */
#define OPTION_MOD(forms, text) \
	{ 'm', "mod", "N", text, \
	  GROUP_OWN, forms, .take = take_modifier, SHARED_AT(request) }
#define OPTION_COMP_MASK(forms) \
	{ 0, "comp-mask", "MASK", "SA component mask (default: the given fields)", \
	  GROUP_OWN, forms, SHARED_NUMBER(request.comp_mask, 0, UINT64_MAX), \
	  SHARED_HAVE(request.have_comp_mask) }

#define OPTION_WINDOW(forms, text) \
	{ 0, "window", "N", text, \
	  GROUP_OWN, forms, SHARED_NUMBER(timing.window, 1, 65536), SHARED_HAVE(timing.have_window) }
#define OPTION_RATE(forms) \
	{ 0, "rate", "N", "MADs sent per second at most (default: no limit)", \
	  GROUP_OWN, forms, SHARED_NUMBER(timing.rate, 1, MADKIT_PORT_MAD_RATE_MAX) }
#define OPTION_BANNER(forms, text) \
	{ 0, "banner", NULL, text, \
	  GROUP_OWN, forms, SHARED_FLAG(output.banner) }

/* The destination of a request. Directed routes are for SMPs. */
#define OPTIONS_DESTINATION(forms, direct) \
	{ 'L', "Lid", "LID", "send to this LID", \
	  GROUP_DESTINATION, forms, .take = take_lid, SHARED_AT(to) }, \
	{ 'D', "Direct", "PATH", "send along this directed route (0,1,2)", \
	  GROUP_DESTINATION, direct, .take = take_direct, SHARED_AT(to) }, \
	{ 'G', "Guid", "GUID", "send to this port GUID", \
	  GROUP_DESTINATION, forms, .take = take_guid, SHARED_AT(to) }, \
	{ 0, "gid", "GID", "send to this GID, with a GRH", \
	  GROUP_DESTINATION, forms, .take = take_gid, SHARED_AT(to) }, \
	{ 0, "name", "HOST", "send to the node with this description", \
	  GROUP_DESTINATION, forms, SHARED_STRING(to.name) }
#define OPTION_NODE_NAME_MAP(forms) \
	{ 0, "node-name-map", "FILE", "read names of nodes from FILE", \
	  GROUP_DESTINATION, forms, SHARED_STRING(names.map_path) }
#define OPTION_NAMES(forms) \
	{ 0, "names", NULL, "show names of nodes, from the SA if no map has them", \
	  GROUP_OUTPUT, forms, SHARED_FLAG(names.wanted) }

/* The port of this host. */
#define OPTIONS_PORT(forms) \
	{ 'C', "Ca", "NAME", "channel adapter to use", \
	  GROUP_SENDING, forms, SHARED_STRING(port.ca) }, \
	{ 'P', "Port", "N", "port to use", \
	  GROUP_SENDING, forms, SHARED_NUMBER(port.number, 1, 255) }, \
	{ 0, "device", "SPEC", "umad:CA/PORT, /dev/infiniband/umadN, sim:TOPOLOGY[@NODE]", \
	  GROUP_SENDING, forms, .take = take_device, SHARED_AT(port), .repeated = true }
#define OPTION_SM_PORT(forms) \
	{ 's', "sm-port", "LID", "send SA requests and SMInfo to this LID", \
	  GROUP_SENDING, forms, .take = take_sm_lid, SHARED_AT(manager) }

/* How long, and how often. */
#define OPTION_TIMEOUT(forms) \
	{ 't', "timeout", "MS", "timeout of each try (default 1000, -1: none)", \
	  GROUP_SENDING, forms, .take = take_timeout, SHARED_AT(timing), SHARED_HAVE(timing.have_timeout) }
#define OPTION_RETRIES(forms) \
	{ 0, "retries", "N", "number of resends (default 2)", \
	  GROUP_SENDING, forms, SHARED_NUMBER(timing.retries, 0, 1000) }
#define OPTION_REDIRECTS(forms) \
	{ 0, "redirects", "N", "number of redirections to follow (default 1)", \
	  GROUP_SENDING, forms, SHARED_NUMBER(timing.redirects, 0, 16) }
#define OPTION_DEADLINE(forms, text) \
	{ 0, "deadline", "MS", text, \
	  GROUP_SENDING, forms, .take = take_deadline, SHARED_AT(timing) }
#define OPTION_COUNT(forms, text) \
	{ 'n', "count", "N", text, \
	  GROUP_SENDING, forms, SHARED_NUMBER(timing.count, 1, UINT64_MAX), SHARED_HAVE(timing.have_count) }
#define OPTION_INTERVAL(forms, text) \
	{ 'i', "interval", "MS", text, \
	  GROUP_SENDING, forms, .take = take_time, SHARED_AT(timing.interval_ms), \
	  .size = sizeof(uint32_t), .min = 0, .max = INT32_MAX, \
	  SHARED_HAVE(timing.have_interval) }

/* Keys, and the headers of a request's packets. */
#define OPTION_M_KEY(forms, text, read) \
	{ 'y', "m-key", "KEY", text, \
	  GROUP_SENDING, forms, .take = read, SHARED_AT(manager), SHARED_HAVE(manager.have_m_key), \
	  .stage = OPTION_KEY }
#define OPTION_V_KEY(forms, text, read) \
	{ 0, "v-key", "KEY", text, \
	  GROUP_SENDING, forms, .take = read, SHARED_AT(manager), SHARED_HAVE(manager.have_v_key), \
	  .stage = OPTION_KEY }
#define OPTION_SM_KEY(forms) \
	{ 0, "sm-key", "KEY", "SM_Key of SA requests (prompts if KEY is not a number)", \
	  GROUP_SENDING, forms, .take = take_sm_key, SHARED_AT(manager), SHARED_HAVE(manager.have_sm_key), \
	  .stage = OPTION_KEY }
#define OPTIONS_PACKET(forms) \
	{ 'Y', "pkey-index", "N", "P_Key index", \
	  GROUP_SENDING, forms, SHARED_NUMBER(to.addr.pkey_index, 0, UINT16_MAX) }, \
	{ 0, "sl", "N", "service level", \
	  GROUP_SENDING, forms, SHARED_NUMBER(to.addr.sl, 0, 15), SHARED_HAVE(to.have_sl) }
#define OPTION_QP(forms) \
	{ 0, "qp", "N", "destination QP (default 0 for SMPs, else 1)", \
	  GROUP_SENDING, forms, SHARED_NUMBER(to.addr.qp, 0, 0xffffff), SHARED_HAVE(to.have_qp) }
#define OPTIONS_GRH(forms) \
	{ 0, "gid-index", "N", "GRH: index of the source GID", \
	  GROUP_SENDING, forms, SHARED_NUMBER(to.addr.gid_index, 0, 255), SHARED_HAVE(to.have_grh_field) }, \
	{ 0, "hop-limit", "N", "GRH: hop limit", \
	  GROUP_SENDING, forms, SHARED_NUMBER(to.addr.hop_limit, 0, 255), SHARED_HAVE(to.have_grh_field) }, \
	{ 0, "traffic-class", "N", "GRH: traffic class", \
	  GROUP_SENDING, forms, SHARED_NUMBER(to.addr.traffic_class, 0, 255), \
	  SHARED_HAVE(to.have_grh_field) }, \
	{ 0, "flow-label", "N", "GRH: flow label", \
	  GROUP_SENDING, forms, SHARED_NUMBER(to.addr.flow_label, 0, 0xfffff), SHARED_HAVE(to.have_grh_field) }

/* Output. */
#define OPTIONS_FORMAT(forms) OPTIONS_FORMAT_OF(forms, "text, table, csv, json, hex or raw", take_format)
#define OPTIONS_FORMAT_OF(forms, names, taken) \
	{ 'f', "format", "FMT", names, GROUP_OUTPUT, forms, .take = taken, SHARED_AT(output) }, \
	{ 'j', "json", NULL, "the same as -f json: one object per line", \
	  GROUP_OUTPUT, forms, SHARED_FLAG(output.json) }
#define OPTION_PRETTY(forms) \
	{ 'p', "pretty", NULL, "JSON over several lines; implies -j", \
	  GROUP_OUTPUT, forms, SHARED_FLAG(output.pretty) }
#define OPTIONS_CHOICE(forms) \
	{ 0, "fields", "A,B.C", "show only these fields", \
	  GROUP_OUTPUT, forms, SHARED_STRING(output.fields) }, \
	{ 0, "filter", "EXPR", "show only what matches", \
	  GROUP_OUTPUT, forms, SHARED_STRING(output.filter) }
#define OPTIONS_SELECT(forms) \
	OPTIONS_CHOICE(forms), \
	{ 0, "assert", "EXPR", "exit 6 unless EXPR holds for every shown record", \
	  GROUP_OUTPUT, forms, SHARED_STRING(output.assert_) }
#define OPTION_COLOR(forms) \
	{ 0, "color", "WHEN", "auto, always or never: problems in red and yellow", \
	  GROUP_OUTPUT, forms, .take = take_color, SHARED_AT(output.color) }
#define OPTIONS_CAPTURE(forms) \
	{ 'w', "write", "FILE", "also write every MAD sent and received to FILE as pcap", \
	  GROUP_OUTPUT, forms, SHARED_STRING(output.write_path) }, \
	{ 'K', "show-keys", NULL, "show keys (M_Key, SM_Key ...)", \
	  GROUP_OUTPUT, forms, SHARED_FLAG(output.show_keys) }

/* General. */
#define OPTIONS_CONFIG(forms) \
	{ 'z', "config", "FILE", "configuration (default: " DIAG_CONFIG ")", \
	  GROUP_GENERAL, forms, SHARED_STRING(config_path) }, \
	{ 'd', "debug", NULL, "report each step; twice: dump MADs in hex", \
	  GROUP_GENERAL, forms, .take = take_more, SHARED_AT(output.debug) }
#define OPTION_QUIET(forms) \
	{ 'q', "quiet", NULL, "standard error: only usage errors and local failures", \
	  GROUP_GENERAL, forms, SHARED_FLAG(output.quiet) }
#define OPTION_VERBOSE(forms) \
	{ 'v', "verbose", NULL, "show headers, report every failure", \
	  GROUP_GENERAL, forms, SHARED_FLAG(output.verbose) }
#define OPTIONS_HELP(forms) \
	{ 'h', "help", NULL, "this text", GROUP_GENERAL, forms, .take = NULL }, \
	{ 'V', "version", NULL, "the version", GROUP_GENERAL, forms, .take = NULL }
/* clang-format on */

/* ---- the command line -------------------------------------------------------------- */

/* Returns the option of the table that a word names: "--name", "--name=VALUE" or "-x"; NULL: none. */
const struct option_row *option_find(const struct option_table *table, const char *word);

/* Returns the row with this name; NULL: none. */
const struct option_row *option_row(const struct option_table *table, const char *name);

/* Appends before and word to a list: "a", "a or b", "a, b or c". last: the text between the last two words if
 * no word follows, else NULL. Returns the length of the list. */
size_t option_list_add(char *list, size_t size, size_t used, const char *last, const char *before,
		       const char *word);

/* ---- option_unknown.c ---------------------------------------------------------- */

/* Rejects an option that the command does not have. Names the commands that have it, a replacement, or an
 * option of this command with a similar name. argv: the whole command line, because a replacement may depend
 * on its other options. Returns EXIT_USAGE. */
int option_unknown(const char *program, const struct option_table *table, const char *word, char **argv);

/* Checks if a command of madkit has the option that a word names. */
bool option_is_known(const char *word);

/* ---- option_diags.c ---------------------------------------------------------- */

/* A second name of an option: its name in infiniband-diags. */
struct option_alias {
	const char *name, *of;
};

enum { OPTION_ALIASES = 2 };

extern const struct option_alias option_aliases[OPTION_ALIASES];

/* Checks if a word, "--name" or "--name=VALUE", has this name. '_' and '-' are equivalent. */
bool option_name_is(const char *word, const char *name);

/* Checks if infiniband-diags has an option that madkit does not have: "--name", "--name=VALUE" or "-x". */
bool option_is_diag(const char *word);

/* Writes the replacement of such an option to buf, "for smpquery -c use ...", or that madkit has no
 * counterpart; "" if no program has the option. The first program that has it is used, for madsweep the first
 * that madsweep replaces. others receives the other programs that have it, "saquery, ibnetdiscover". Returns
 * buf. */
const char *option_diag_text(const char *word, const char *command, char *buf, size_t size, char *others,
			     size_t others_size);

/* As option_diag_text(), for a word that is one of several options of a program which one command replaces
 * together: "for perfquery -R -x use ..."; "" if no command does. Returns buf. */
const char *option_diag_combined(const char *word, char *const *words, size_t n, char *buf, size_t size);

/* ---- help.c ---------------------------------------------------------------- */

/* Print the text of --help and of --version. Return the exit status. */
int print_help(const struct cli_usage *usage);
int print_version(const char *program);

#endif
