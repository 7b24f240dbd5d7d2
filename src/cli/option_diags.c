/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Alternative names of options, and the options of infiniband-diags (rdma-core) that have another name or do
 * not exist here. */
#define _GNU_SOURCE /* memmem() */
#include <stdio.h>
#include <string.h>
#include "options.h"
#include "util/array_size.h"

const struct option_alias option_aliases[OPTION_ALIASES] = {
	{ "pkey-idx", "pkey-index" },
	{ "smkey", "sm-key" },
};

struct diag_option {
	const char *programs;
	char letter; /* 0: none, or madsend uses this letter */
	const char *name;
	const char *use; /* the replacement; NULL: madkit has no counterpart */
};

/* clang-format off */
#define PM(attribute)	"'madsend -L LID Get " attribute " PortSelect=N'"
#define SA(words)	"'madsend GetTable " words "'"
#define PATH(field)	SA("PathRecord SLID=LID DLID=LID " field)

static const struct diag_option diag_options[] = {
	{ "infiniband-diags",	'e', "errors",		"no option, because errors are always reported" },

	{ "smpquery",		'c', "combined",	"'madsend -L LID -D PATH'" },
	{ "smpquery",		'x', "extended",	"no option, because all fields of PortInfo are shown" },

	{ "perfquery",		'x', "extended",	PM("PortCountersExtended") },
	{ "perfquery",		'X', "xmtsl",		PM("PortXmitDataSL") },
	{ "perfquery",		'S', "rcvsl",		PM("PortRcvDataSL") },
	{ "perfquery",		0,   "xmtdisc",		PM("PortXmitDiscardDetails") },
	{ "perfquery",		'E', "rcverr",		PM("PortRcvErrorDetails") },
	{ "perfquery",		'T', "extended_speeds",	PM("PortExtendedSpeedsCounters") },
	{ "perfquery",		0,   "oprcvcounters",	PM("PortOpRcvCounters") },
	{ "perfquery",		0,   "flowctlcounters",	PM("PortFlowCtlCounters") },
	{ "perfquery",		0,   "vloppackets",	PM("PortVLOpPackets") },
	{ "perfquery",		0,   "vlopdata",	PM("PortVLOpData") },
	{ "perfquery",		0,   "vlxmitflowctlerrors", PM("PortVLXmitFlowCtlUpdateErrors") },
	{ "perfquery",		0,   "vlxmitcounters",	PM("PortVLXmitWaitCounters") },
	{ "perfquery",		0,   "swportvlcong",	PM("SwPortVLCongestion") },
	{ "perfquery",		0,   "rcvcc",		PM("PortRcvConCtrl") },
	{ "perfquery",		0,   "slrcvfecn",	PM("PortSLRcvFECN") },
	{ "perfquery",		0,   "slrcvbecn",	PM("PortSLRcvBECN") },
	{ "perfquery",		0,   "xmitcc",		PM("PortXmitConCtrl") },
	{ "perfquery",		0,   "vlxmittimecc",	PM("PortVLXmitTimeCong") },
	{ "perfquery",		'c', "smplctl",		PM("PortSamplesControl") },
	{ "perfquery",		'a', "all_ports",	"'madsend -L LID Get PortCounters PortSelect=255'" },
	{ "perfquery",		'l', "loop_ports",	PM("PortCounters") " for each port" },
	{ "perfquery",		'r', "reset_after_read",
	  PM("PortCounters") ", then 'madsend -L LID Set PortCounters PortSelect=N CounterSelect=all'" },
	{ "perfquery",		'R', "Reset_only",
	  "'madsend -L LID Set PortCounters PortSelect=N CounterSelect=all'" },

	{ "saquery",		'N', NULL,		SA("NodeRecord") },
	{ "saquery",		'l', NULL,		SA("NodeRecord NodeDescription=NAME") },
	{ "saquery",		'O', NULL,		SA("NodeRecord LID=LID") },
	{ "saquery",		'U', NULL,		SA("NodeRecord NodeInfo.Guid=GUID") },
	{ "saquery",		'g', NULL,		SA("MCMemberRecord") },
	{ "saquery",		'x', NULL,		SA("LinkRecord") },
	{ "saquery",		'c', NULL,		"'madsend Get SA:ClassPortInfo'" },
	{ "saquery",		'S', NULL,		SA("ServiceRecord") },
	{ "saquery",		'I', NULL,		SA("InformInfoRecord") },
	{ "saquery",		0,   "list",		SA("NodeRecord NodeType=1") },
	{ "saquery",		0,   "src-to-dst",	SA("PathRecord SLID=LID DLID=LID") },
	{ "saquery",		0,   "sgid-to-dgid",	SA("PathRecord SGID=GID DGID=GID") },
	{ "saquery",		0,   "slid",		SA("PathRecord SLID=LID") },
	{ "saquery",		0,   "dlid",		SA("PathRecord DLID=LID") },
	{ "saquery",		0,   "mlid",		SA("MCMemberRecord MLID=MLID") },
	{ "saquery",		0,   "sgid",		SA("PathRecord SGID=GID") },
	{ "saquery",		0,   "dgid",		SA("PathRecord DGID=GID") },
	{ "saquery",		0,   "mgid",		SA("MCMemberRecord MGID=GID") },
	{ "saquery",		'r', "reversible",	PATH("Reversible=1") },
	{ "saquery",		0,   "numb_path",	PATH("NumbPath=N") },
	{ "saquery",		0,   "pkey",		PATH("P_Key=PKEY") },
	{ "saquery",		'Q', "qos_class",	PATH("QoSClass=N") },
	{ "saquery",		'M', "mtu",		PATH("MTU=N") },
	{ "saquery",		'R', "rate",		PATH("Rate=N") },
	{ "saquery",		0,   "pkt_lifetime",	PATH("PacketLifeTime=N") },
	{ "saquery",		0,   "qkey",		SA("MCMemberRecord Q_Key=QKEY") },
	{ "saquery",		'T', "tclass",		PATH("TClass=N") },
	{ "saquery",		'F', NULL,		PATH("FlowLabel=N") },
	{ "saquery",		'H', NULL,		PATH("HopLimit=N") },
	{ "saquery",		0,   "scope",		SA("MCMemberRecord Scope=N") },
	{ "saquery",		'J', "join_state",	SA("MCMemberRecord JoinState=N") },
	{ "saquery",		'X', "proxy_join",	SA("MCMemberRecord ProxyJoin=1") },
	{ "saquery",		0,   "service_id",	PATH("ServiceID=ID") },

	{ "ibping",		'c', NULL,		"-n N" },
	{ "ibping",		0,   "flood",		"-i 0" },
	{ "ibping and ibsysstat", 'o', NULL,		"--oui OUI" },
	{ "ibping",		'S', "Server",		"'madrecv --respond ibping'" },
	{ "ibsysstat",		'S', "Server",		NULL },

	{ "ibaddr",		'g', "gid_show",	"'madsend -L LID Get PortInfo --fields GidPrefix'" },
	{ "ibaddr",		'l', "lid_show",	"'madsend -L LID Get PortInfo --fields Lid,LMC'" },
	{ "ibaddr",		0,   "Lid_show",	"'madsend -L LID Get PortInfo --fields Lid,LMC'" },
	{ "ibstat",		'l', "list_of_cas",	"'madreg --list'" },
	{ "ibstat",		0,   "short",		"'madreg --list'" },
	{ "ibstat",		0,   "port_list",	"'madreg --list'" },
	{ "smpdump",		0,   "string",		"-f text" },

	{ "ibroute and dump_fts", 'a', "all",
	  "'madsend -L LID -m all Get LinearForwardingTable', which shows every entry" },
	{ "ibroute and dump_fts", 0, "no_dests",	"no option, because a table is shown without destinations" },
	{ "ibroute and dump_fts", 'M', "Multicast",	"'madsend -L LID -m all Get MulticastForwardingTable'" },

	{ "iblinkinfo and ibqueryerrors", 'S', "port-guid", "'madsweep --select \"node.guid == GUID\"'" },
	{ "iblinkinfo and ibqueryerrors", 0, "switch",	"'madsweep --select \"node.type == Switch\"'" },
	{ "iblinkinfo",		'a', "all",		"'madsweep', which shows all ports" },
	{ "iblinkinfo",		0,   "hops",		"'madsweep --hops N'" },
	{ "iblinkinfo",		0,   "down",		"'madsweep --select \"state == Down\"'" },
	{ "iblinkinfo",		'l', "line",		"'madsweep'" },
	{ "iblinkinfo",		0,   "additional",	"'madsweep -j'" },
	{ "iblinkinfo",		0,   "filterdownports",	NULL },
	{ "iblinkinfo",		0,   "switches-only",	"'madsweep --select \"node.type == Switch\"'" },
	{ "iblinkinfo",		0,   "cas-only",	"'madsweep --select \"node.type == CA\"'" },
	{ "iblinkinfo, ibnetdiscover and ibqueryerrors", 0, "load-cache", NULL },
	{ "iblinkinfo and ibnetdiscover", 0, "diff",	NULL },
	{ "iblinkinfo and ibnetdiscover", 0, "diffcheck", NULL },
	{ "iblinkinfo, ibnetdiscover and ibqueryerrors", 'o', "outstanding_smps", "'madsweep --window N'" },
	{ "ibnetdiscover",	0,   "full",		"'madsweep -j'" },
	{ "ibnetdiscover",	0,   "show",		NULL },
	{ "ibnetdiscover",	'l', "list",		"'madsweep Get NodeDescription'" },
	{ "ibnetdiscover",	'g', "grouping",	NULL },
	{ "ibnetdiscover",	'H', "Hca_list",	"'madsweep --select \"node.type == CA\" Get NodeDescription'" },
	{ "ibnetdiscover",	'S', "Switch_list",	"'madsweep --select \"node.type == Switch\" Get NodeDescription'" },
	{ "ibnetdiscover",	'R', "Router_list",	"'madsweep --select \"node.type == Router\" Get NodeDescription'" },
	{ "ibnetdiscover",	0,   "cache",		"'madsweep --topology'" },
	{ "ibnetdiscover",	0,   "ports",		"'madsweep'" },
	{ "ibnetdiscover",	0,   "max_hops",	NULL },
	{ "ibqueryerrors",	0,   "suppress",	"'madsweep Get PortCounters --filter EXPR'" },
	{ "ibqueryerrors",	'c', "suppress-common",	"'madsweep Get PortCounters --filter EXPR'" },
	{ "ibqueryerrors",	0,   "skip-sl",		"'madsweep Get PortCounters --sl 0'" },
	{ "ibqueryerrors",	'r', "report-port",	"'madsweep Get PortCounters -j', which has both ends of the link" },
	{ "ibqueryerrors",	0,   "threshold-file",	"'madcheck --limits FILE'" },
	{ "ibqueryerrors",	'R', "GNDN",		"no option, because it has no effect there either" },
	{ "ibqueryerrors",	0,   "data",		"'madsweep Get PortCountersExtended'" },
	{ "ibqueryerrors",	0,   "router",		"'madsweep --select \"node.type == Router\"'" },
	{ "ibqueryerrors",	0,   "details",		"'madsweep Get PortRcvErrorDetails' and 'madsweep Get PortXmitDiscardDetails'" },
	{ "ibqueryerrors",	0,   "counters",	"'madsweep Get PortCountersExtended'" },
	{ "ibqueryerrors",	'k', "clear-errors",	"'madsweep --select EXPR --clear PortCounters'" },
	{ "ibqueryerrors",	0,   "clear-counts",	"'madsweep --select EXPR --clear PortCountersExtended'" },

	{ "sminfo",		0,   "state",		NULL },
	{ "sminfo",		0,   "priority",	NULL },
	{ "sminfo",		'a', "activity",	NULL },
	{ "ibtracert",		0,   "force",		NULL },
	{ "ibtracert",		0,   "no_info",		NULL },
	{ "ibtracert",		0,   "mlid",		"'madsweep --mlid MLID'" },
	{ "ibtracert",		0,   "ports-file",	NULL },
	{ "ibccquery and ibccconfig", 'c', "cckey",	NULL },
	{ "vendstat",		'N', NULL,		NULL },
	{ "vendstat",		'c', NULL,		NULL },
	{ "vendstat",		'R', "Read",		NULL },
	{ "vendstat",		'W', "Write",		NULL },
};
/* clang-format on */

/* The options that a command line has; index: as in diag_options. */
struct diag_words {
	bool given[ARRAY_SIZE(diag_options)];
};

bool option_name_is(const char *word, const char *name)
{
	if (strncmp(word, "--", 2))
		return false;
	for (word += 2; *word && *word != '='; word++, name++)
		if (*word != *name && (*word != '_' || *name != '-') && (*word != '-' || *name != '_'))
			return false;
	return !*name;
}

static bool diag_option_is(const struct diag_option *d, const char *word)
{
	return word[1] != '-' ? d->letter && d->letter == word[1] : d->name && option_name_is(word, d->name);
}

bool option_is_diag(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(diag_options); i++)
		if (diag_option_is(&diag_options[i], word))
			return true;
	return false;
}

/* ---- several options of one program: one command -------------------------------- */

/* Checks if the words have the option of that name, such as "all_ports". */
static bool diag_is_given(const struct diag_words *w, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(diag_options); i++)
		if (w->given[i] && diag_options[i].name && !strcmp(diag_options[i].name, name))
			return true;
	return false;
}

/* perfquery: one option may select the attribute; the others select the ports, and whether to reset them.
 * Returns false if no command does what the options request. */
static bool diag_perfquery(const struct diag_words *w, struct madkit_buf *use)
{
	static const char get[] = "'madsend -L LID Get ", port[] = " PortSelect=N'";
	bool loop = diag_is_given(w, "loop_ports"), only = diag_is_given(w, "Reset_only");
	bool reset = only || diag_is_given(w, "reset_after_read");
	const char *attribute = NULL, *select = diag_is_given(w, "all_ports") && !loop ? "255" : "N";
	int len = (int)strlen("PortCounters");

	/* PortSamplesControl is not reset */
	if (reset && diag_is_given(w, "smplctl"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(diag_options); i++) {
		const char *text = w->given[i] ? diag_options[i].use : "";
		size_t whole = strlen(text), around = strlen(get) + strlen(port);

		if (whole <= around || strncmp(text, get, strlen(get)) ||
		    strcmp(text + whole - strlen(port), port))
			continue;
		if (attribute)
			return false;
		attribute = text + strlen(get);
		len = (int)(whole - around);
	}
	if (!attribute)
		attribute = "PortCounters";
	if (!only)
		madkit_buf_printf(use, "%s%.*s PortSelect=%s'%s", get, len, attribute, select,
				  reset ? ", then " : "");
	if (reset)
		madkit_buf_printf(use, "'madsend -L LID Set %.*s PortSelect=%s CounterSelect=all'", len,
				  attribute, select);
	if (loop)
		madkit_buf_printf(use, " for each port");
	return true;
}

/* saquery: the options name fields of one attribute. Returns false if they name different attributes. */
static bool diag_saquery(const struct diag_words *w, struct madkit_buf *use)
{
	static const char get[] = "'madsend GetTable ";

	for (size_t i = 0; i < ARRAY_SIZE(diag_options); i++) {
		const char *text = w->given[i] ? diag_options[i].use : NULL;
		size_t same = use->len, len;

		if (!text)
			continue;
		len = strlen(get) + strcspn(text + strlen(get), " '");
		if (strncmp(text, get, strlen(get)) ||
		    (same &&
		     (same < len || strncmp(use->data, text, len) || (same > len && use->data[len] != ' '))))
			return false;
		if (!same)
			madkit_buf_add(use, text, len);
		for (text += len; *text == ' '; text += len) {
			char *known;

			len = 1 + strcspn(text + 1, " '");
			known = memmem(use->data, use->len, text, len);
			if (!known || (known + len < use->data + use->len && known[len] != ' '))
				madkit_buf_add(use, text, len);
		}
	}
	madkit_buf_char(use, '\'');
	return true;
}

static bool diag_ibaddr(const struct diag_words *w, struct madkit_buf *use)
{
	(void)w;
	madkit_buf_printf(use, "'madsend -L LID Get PortInfo --fields GidPrefix,Lid,LMC'");
	return true;
}

static bool diag_ibroute(const struct diag_words *w, struct madkit_buf *use)
{
	if (!diag_is_given(w, "Multicast"))
		return false;
	madkit_buf_printf(use,
			  "'madsend -L LID -m all Get MulticastForwardingTable', which shows every entry");
	return true;
}

static const struct {
	const char *programs;
	bool (*combine)(const struct diag_words *words, struct madkit_buf *use);
} diag_combinations[] = {
	{ "perfquery", diag_perfquery },
	{ "saquery", diag_saquery },
	{ "ibaddr", diag_ibaddr },
	{ "ibroute and dump_fts", diag_ibroute },
};

/* Notes the options of a program that the words name, and appends them to names, " -R -x". Returns their
 * number. */
static unsigned int diag_note_words(struct diag_words *w, const char *programs, char *const *words, size_t n,
				    struct madkit_buf *names)
{
	unsigned int count = 0;

	memset(w->given, 0, sizeof(w->given));
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < ARRAY_SIZE(diag_options); j++) {
			const struct diag_option *d = &diag_options[j];

			if (w->given[j] || strcmp(d->programs, programs) || !diag_option_is(d, words[i]))
				continue;
			w->given[j] = true;
			madkit_buf_printf(names, " %.*s", (int)strcspn(words[i], "="), words[i]);
			count++;
		}
	return count;
}

static bool diag_is_noted(const struct diag_words *w, const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(diag_options); i++)
		if (w->given[i] && diag_option_is(&diag_options[i], word))
			return true;
	return false;
}

const char *option_diag_combined(const char *word, char *const *words, size_t n, char *buf, size_t size)
{
	struct madkit_buf names, use;
	struct diag_words w;
	size_t used = 0;

	buf[0] = 0;
	for (size_t i = 0; i < ARRAY_SIZE(diag_combinations) && used < size; i++) {
		const char *programs = diag_combinations[i].programs;

		madkit_buf_init(&names, 0);
		madkit_buf_init(&use, 0);
		if (diag_note_words(&w, programs, words, n, &names) > 1 && diag_is_noted(&w, word) &&
		    diag_combinations[i].combine(&w, &use) && !names.error && !use.error)
			used += (size_t)snprintf(buf + used, size - used, "%sfor %s%.*s use %.*s",
						 used ? "; " : "", programs, (int)names.len, names.data,
						 (int)use.len, use.data);
		madkit_buf_free(&names);
		madkit_buf_free(&use);
	}
	return buf;
}

/* Ranks how well the replacement of a program's option suits the command; the lowest rank is shown. */
static unsigned int diag_option_rank(const struct diag_option *d, const char *command)
{
	if (!d->use)
		return 2;
	/* madsweep replaces whole programs: options of other programs are not meant */
	return strcmp(command, "madsweep") || strstr(d->use, command) ? 0 : 1;
}

/* Appends the programs of an option to a list: "saquery, ibnetdiscover". */
static void diag_add_programs(char *others, size_t size, const char *programs)
{
	size_t used = strlen(others);

	snprintf(others + used, size - used, "%s%s", used ? ", " : "", programs);
}

const char *option_diag_text(const char *word, const char *command, char *buf, size_t size, char *others,
			     size_t others_size)
{
	int len = (int)strcspn(word, "="); /* without the value, which may be a key */
	size_t used = 0;

	buf[0] = others[0] = 0;
	for (unsigned int rank = 0; rank <= 2 && !used; rank++)
		for (size_t i = 0; i < ARRAY_SIZE(diag_options) && used < size; i++) {
			const struct diag_option *d = &diag_options[i];

			if (!diag_option_is(d, word) || diag_option_rank(d, command) != rank)
				continue;
			if (d->use && used)
				diag_add_programs(others, others_size, d->programs);
			else if (d->use)
				used += (size_t)snprintf(buf, size, "for %s %.*s use %s", d->programs, len,
							 word, d->use);
			else
				used += (size_t)snprintf(buf + used, size - used,
							 "%smadkit has no counterpart of %s %.*s",
							 used ? "; " : "", d->programs, len, word);
		}
	return buf;
}
