# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Makes a manual page of section 3 from a public header. How a header is written:
# - Its first comment is "madkit_NOUN - summary", a blank line, and the description.
# - A comment directly above declarations documents them, up to a blank line or another comment. Any other
#   comment is part of the description. "---- title ----" begins a section of the description if text follows
#   in the comment, and else one of the functions.
# - The comment of a function (or of a handler's type) is
#       NAME - summary in the imperative
#       @PARAMETER: meaning                 one for each parameter
#       (blank) text, in paragraphs
#       (blank) Return: meaning             unless the function is void
#       - -ERROR: meaning                   if there are more than two values
#   Functions that share a comment are all named in its first line: "NAME, NAME - summary". -v list=faults prints
#   the missing parts.
# - A line that begins with "- " is an item of a list; other indented lines are examples and shown as they are.
# - A paragraph's text from "Twin of ib_..." on goes to DIFFERENCES FROM THE KERNEL.
# Needs -v noun=NOUN -v version=V -v date=D -v examples=DIR (with NOUN.c, and its output in NOUN.out), and may have
# -v more='NOUN-ANY.c ...': further examples; or -v list=1: prints the declared names, each with its page.

# Adds to a part of the page: "description", "types" or "functions".
function say(text) {
	if (part == "functions" && pending != "") {
		page[part] = page[part] pending "\n"
		spoken[part] = pending
		pending = ""
	}
	if (page[part] == "" || spoken[part] ~ /^\.S[HS]/)
		sub(/^\.PP\n?/, "", text)
	if (text == "")
		return
	page[part] = page[part] text "\n"
	spoken[part] = text
}

# ---- text --------------------------------------------------------------------
function escape(text) {
	gsub(/\\/, "\\e", text)
	gsub(/'/, "\\(aq", text)
	gsub(/`/, "\\(ga", text)
	gsub(/\^/, "\\(ha", text)
	gsub(/~/, "\\(ti", text)
	return text
}

function verbatim(text,   out, c, k) {
	for (k = 1; k <= length(text); k++) {
		c = substr(text, k, 1)
		if (c == "\t")
			do out = out " "; while (length(out) % 4)
		else
			out = out c
	}
	out = escape(out)
	gsub(/-/, "\\-", out)
	return (out ~ /^\./ ? "\\&" : "") out
}

# Hyphens between letters are hyphens, all others minus signs.
function prose(text,   out, rest, word) {
	rest = text
	text = ""
	while (match(rest, /-+/)) {
		word = substr(rest, RSTART, RLENGTH)
		if (RLENGTH > 1 || substr(rest, RSTART - 1, 1) !~ /[A-Za-z]/ || RSTART == 1 ||
		    substr(rest, RSTART + 1, 1) !~ /[A-Za-z]/)
			gsub(/-/, "\001", word)
		text = text substr(rest, 1, RSTART - 1) word
		rest = substr(rest, RSTART + RLENGTH)
	}
	rest = escape(text rest)
	gsub(/\001/, "\\-", rest)
	while (match(rest, /madkit_[a-z0-9_]*[a-z0-9]|MADKIT_[A-Z0-9_]+/)) {
		out = out substr(rest, 1, RSTART - 1) "\\fB" substr(rest, RSTART, RLENGTH) "\\fR"
		rest = substr(rest, RSTART + RLENGTH)
	}
	rest = out rest
	out = ""
	while (match(rest, /@[a-z_0-9]+/)) {
		if (RSTART > 1 && substr(rest, RSTART - 1, 1) ~ /[A-Za-z0-9]/)
			out = out substr(rest, 1, RSTART + RLENGTH - 1)
		else
			out = out substr(rest, 1, RSTART - 1) "\\fI" substr(rest, RSTART + 1, RLENGTH - 1) "\\fR"
		rest = substr(rest, RSTART + RLENGTH)
	}
	out = out rest
	return (out ~ /^[.\\]/ && out !~ /^\\f/ ? "\\&" : "") out
}

# Takes the twin's sentences out of a paragraph.
function without_twin(text, owners) {
	if (!match(text, /(^|[.:;] )(The )?[Tt]wins? of (ib|opa)_/))
		return text
	twins[++ntwins] = substr(text, RSTART)
	sub(/^[.:;] /, "", twins[ntwins])
	twin_of[ntwins] = owners
	return substr(text, RSTART, 1) ~ /[Tt]/ ? "" : substr(text, 1, RSTART)
}

# "NAME, NAME - summary" at the beginning of a comment: names and summary are set, and the rest is returned.
function split_head(text,   at, end) {
	names = summary = ""
	at = index(text, " - ")
	if (text !~ /^madkit_[a-z0-9_]+(,[ \n]madkit_[a-z0-9_]+)* - /)
		return text
	names = substr(text, 1, at - 1)
	gsub(/[,\n ]+/, " ", names)
	text = substr(text, at + 3)
	end = match(text, /\n(\n|@)/) ? RSTART : length(text) + 1
	summary = substr(text, 1, end - 1)
	gsub(/\n[ \t]*/, " ", summary)
	text = substr(text, end)
	sub(/^\n+/, "", text)
	return text
}

# The text of a comment, its lines separated by \n.
function running_text(text, owners, first,   lines, n, k, line, tag) {
	n = split(text "\n", lines, "\n")
	mode = para = ""
	text_first = first
	returning = tagged = 0
	for (k = 1; k <= n; k++) {
		line = lines[k]
		if (line == "") {
			if (mode == "code" && lines[k + 1] ~ /^(\t|  )/) {
				say("")
			} else {
				finish(owners)
				returning = 0
			}
		} else if (match(line, /^@[a-z_0-9.]+:[ \t]*/)) {
			tag = substr(line, 2, index(line, ":") - 2)
			line = tag "\002" substr(line, RLENGTH + 1)
			finish(owners)
			mode = "param"
			para = line
		} else if (line ~ /^Return: /) {
			finish(owners)
			mode = "return"
			para = substr(line, 9)
			returning = 1
		} else if (line ~ /^- /) {
			finish(owners)
			mode = returning || line ~ /^- (-E[A-Z]+[^:]*|others): / ? "value" : "item"
			para = substr(line, 3)
		} else if (line ~ /^(\t|  )/ && mode ~ /^(item|value|param|return)$/) {
			sub(/^[ \t]+/, "", line)
			para = para " " line
		} else if (line ~ /^(\t|  )/) {
			if (mode != "code") {
				finish(owners)
				say(".PP\n.EX")
				mode = "code"
			}
			sub(/^\t/, "", line)
			say(verbatim(line))
		} else if (mode == "para" || mode == "return") {
			para = para " " line
		} else {
			finish(owners)
			mode = "para"
			para = line
		}
	}
	finish(owners)
	end_tags()
}

# Ends a list of parameters (the first of which has a blank line before it) or of values.
function end_tags() {
	if (tagged > 1)
		say(".PD")
	tagged = 0
}

# Prints the paragraph or list item that has been collected.
function finish(owners,   at) {
	if (mode != "" && mode != "param" && mode != "value")
		end_tags()
	if (mode == "code") {
		say(".EE")
	} else if (mode == "item") {
		say(".IP \\(bu 2")
		say(prose(para))
	} else if (mode == "param" || mode == "value") {
		# 0: no tag yet; 1: one, after a blank line; 2: the next ones follow without blank lines
		if (tagged + (mode == "value") == 1)
			say(".PD 0")
		tagged += 1 + (mode == "value")
		at = index(para, mode == "param" ? "\002" : ": ")
		say(".TP 14")
		if (mode == "param")
			say("\\fI" verbatim(substr(para, 1, at - 1)) "\\fR\n" prose(substr(para, at + 1)))
		else
			say("\\fB" verbatim(substr(para, 1, at - 1)) "\\fR\n" prose(substr(para, at + 2)))
	} else if (mode == "return") {
		say(".PP")
		say("\\fBReturn value:\\fR " prose(para))
	} else if (mode == "para") {
		para = without_twin(para, owners)
		if (para != "") {
			if (!text_first)
				say(".PP")
			say(prose(para))
		}
	}
	if (mode != "" && para != "")
		text_first = 0
	mode = para = ""
}

# ---- declarations -------------------------------------------------------------
function normal(text) {
	gsub(/__attribute__\(\(.*\)\)/, "", text)
	gsub(/[ \t\n]+/, " ", text)
	gsub(/\* /, "*", text)
	sub(/^static inline /, "", text)
	sub(/^ /, "", text)
	sub(/ ?[;{]? ?$/, "", text)
	return text
}

# Splits the parameters of a declaration into list[]; returns their number and sets head to what precedes them.
function arguments(decl, list,   at, args, n, depth, k, c, piece) {
	at = index(decl, ")(")
	at = at ? at + 1 : index(decl, "(")
	head = at ? substr(decl, 1, at) : decl
	if (!at)
		return 0
	args = substr(decl, at + 1)
	sub(/\)$/, "", args)
	n = depth = 0
	piece = ""
	for (k = 1; k <= length(args); k++) {
		c = substr(args, k, 1)
		if (c == "," && !depth) {
			list[++n] = piece
			piece = ""
			continue
		}
		depth += (c == "(") - (c == ")")
		if (piece != "" || c != " ")
			piece = piece c
	}
	list[++n] = piece
	return n
}

# A prototype in bold, its parameters' names in italics, over as many lines as it needs.
function prototype(decl,   arg, n, k, piece, wide, out) {
	n = arguments(decl, arg)
	if (!n)
		return "\\fB" escape(decl) ";\\fR"
	out = "\\fB" head
	wide = length(head)
	for (k = 1; k <= n; k++) {
		piece = arg[k] (k == n ? ");" : ",")
		if (k > 1 && wide + 1 + length(piece) > 70) {
			out = out "\n        "
			wide = 8
		} else if (k > 1) {
			out = out " "
			wide++
		}
		wide += length(piece)
		if (match(arg[k], /[a-z_0-9]+(\[[^]]*\])*$/) && RSTART > 1)
			piece = substr(arg[k], 1, RSTART - 1) "\\fI" substr(arg[k], RSTART) "\\fB" substr(piece, length(arg[k]) + 1)
		out = out piece
	}
	return out "\\fR"
}

function fault(text) {
	faults[++nfaults] = text
}

# Prints the missing parts of the comment that documents the functions of the group.
function check_group(   k, n, i, arg, name, owner, known, documented, returns, want, lines) {
	want = ""
	returns = 0
	for (k = 1; k <= ngroup; k++) {
		if (kinds[k] != "function" && !(kinds[k] == "typedef" && group[k] ~ /\(/))
			continue
		name = name_of(group[k])
		want = want (want == "" ? "" : " ") name
		owner = name
		if (group[k] !~ /^(typedef )?void [^*]*$/ && group[k] !~ /^(typedef )?void (\(\*)?madkit/)
			returns = 1
		n = arguments(group[k], arg)
		for (i = 1; i <= n; i++) {
			if (arg[i] == "void")
				continue
			name = arg[i]
			if (name != "...") {
				sub(/(\[[^]]*\])+$/, "", name)
				if (name !~ /[ *][a-z_0-9]+$/)
					fault(owner ": a parameter without a name")
				sub(/.*[ *]/, "", name)
			}
			known[name] = owner
		}
	}
	if (want == "")
		return
	if (names != want)
		fault(owner ": the comment begins with \"" names "\"")
	n = split(comment, lines, "\n")
	for (k = 1; k <= n; k++)
		if (match(lines[k], /^@[a-z_0-9.]+:/)) {
			name = substr(lines[k], 2, RLENGTH - 2)
			documented[name] = 1
			if (!(name in known))
				fault(owner " has no parameter " name)
		}
	for (name in known)
		if (!(name in documented))
			fault(known[name] ": @" name " is missing")
	if (returns != (comment ~ /(^|\n)Return: /))
		fault(owner ": Return: is " (returns ? "missing" : "superfluous"))
}

function name_of(decl,   name) {
	if (match(decl, /\(\*[a-z0-9_]+\)\(/))
		return substr(decl, RSTART + 2, RLENGTH - 4)
	sub(/\(.*/, "", decl)
	sub(/.*[ *]/, "", decl)
	return decl
}

# ---- groups: a comment and the declarations below it ---------------------------------
function add(kind, what) {
	kinds[++ngroup] = kind
	group[ngroup] = what
}

function flush_group(   k, heads, owners, name, text) {
	if (!ngroup && comment == "")
		return
	heads = 0
	owners = ""
	part = "types"
	for (k = 1; k <= ngroup; k++) {
		if (kinds[k] == "function" || kinds[k] == "data") {
			name = name_of(group[k])
			declared[++ndeclared] = name
			if (kinds[k] == "function") {
				owners = owners (owners == "" ? "" : " ") name
				part = "functions"
			}
		} else if (kinds[k] == "typedef" && group[k] ~ /\(/) {
			owners = owners (owners == "" ? "" : " ") name_of(group[k])
		}
		heads += kinds[k] != "list" && kinds[k] != "entries"
	}
	text = split_head(comment)
	check_group()
	if (!list) {
		if (heads) {
			say(".PP\n.nf")
			for (k = 1; k <= ngroup; k++) {
				if (kinds[k] == "type")
					say("\\fB" group[k] "\\fR")
				else if (kinds[k] != "entries")
					say(prototype(group[k]))
				if (kinds[k] ~ /^(function|data|typedef)$/)
					synopsis[++nsynopsis] = prototype(group[k])
				returns_int += kinds[k] == "function" && group[k] ~ /^int /
			}
			say(".fi\n.RS 4")
		}
		if (summary != "")
			say(prose(toupper(substr(summary, 1, 1)) substr(summary, 2) "."))
		running_text(text, owners, heads && summary == "")
		for (k = 1; k <= ngroup; k++)
			if (kinds[k] == "entries")
				entries(group[k])
		if (heads && spoken[part] == ".fi\n.RS 4")
			page[part] = substr(page[part], 1, length(page[part]) - length(".RS 4\n"))
		else if (heads)
			say(".RE")
	}
	ngroup = 0
	comment = names = summary = ""
}

# Members, enumerators and macros: "declaration\002text\003..."
function entries(text,   list_of, n, k, part) {
	n = split(text, list_of, "\003")
	say(".PP\n.RS 2\n.PD 0")
	for (k = 1; k < n; k++) {
		split(list_of[k], part, "\002")
		if (part[1] == "") {
			say(".TP\n\\&" prose(part[2]))
			continue
		}
		say(".TP")
		say("\\fB" verbatim(part[1]) "\\fR")
		if (part[2] != "")
			say(prose(part[2]))
	}
	say(".RE\n.PD")
}

function joined(text) {
	sub(/[ \t\n]*\*\/[ \t]*$/, "", text)
	gsub(/[ \t]*\n[ \t]*(\* ?)?[ \t]*/, " ", text)
	sub(/^[ \t]*\/\*[ \t]*/, "", text)
	gsub(/[ \t]+/, " ", text)
	sub(/^ /, "", text)
	sub(/ $/, "", text)
	return text
}

# Reads lines from L[i] on, up to one that matches what; i is its number.
function until(what,   text) {
	text = L[i]
	while (text !~ what && i < NR)
		text = text "\n" L[++i]
	return text
}

# The body of a struct or an enum; i is the number of its first line.
function body(   before, out, line, at, what, said) {
	before = ""
	for (i++; i <= NR && L[i] !~ /^}/; i++) {
		line = L[i]
		if (line ~ /^[ \t]*$/)
			continue
		if (line ~ /^[ \t]*\/\*/) {
			before = before (before == "" ? "" : " ") joined(until("\\*/"))
			if (before ~ /:$/) {
				out = out "\002" before "\003"
				before = ""
			}
			continue
		}
		at = index(line, "/*")
		said = ""
		if (at) {
			what = substr(line, 1, at - 1)
			L[i] = substr(line, at)
			said = joined(until("\\*/"))
		} else {
			what = line
			while (what !~ /[;,][ \t]*$/ && L[i + 1] !~ /^}/)
				what = what " " L[++i]
		}
		what = normal(what)
		sub(/,$/, "", what)
		out = out what "\002" before (before != "" && said != "" ? "; " : "") said "\003"
		before = ""
	}
	return out
}


# ---- the page -------------------------------------------------------------------
# A file of the examples, without its licence line.
function example(name,   file, line) {
	file = examples "/" name
	print ".EX"
	while ((getline line < file) > 0)
		if (line !~ /SPDX-License-Identifier/)
			print verbatim(line)
	close(file)
	print ".EE"
}

function show(name) {
	example(name ".c")
	print ".PP\nOutput:\n.PP"
	example(name ".out")
}

function print_page(   k, n, word) {
	print ".\\\" SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause"
	print ".\\\" made by man/header.awk from lib/madkit/" noun ".h"
	print ".TH MADKIT_" toupper(noun) " 3 \"" date "\" \"madkit " version "\" \"madkit\""
	print ".nr HY 0\n.nh\n.ad l"
	print ".SH NAME\nmadkit_" noun " \\- " prose(about)
	print ".SH LIBRARY\nmadkit library\n.RB ( libmadkit ,\n.BR \\-lmadkit ;\n.BR pkg-config (1)\nname\n.BR libmadkit )"
	print ".SH SYNOPSIS\n.nf\n\\fB#include <madkit/" noun ".h>\\fR"
	for (k = 1; k <= nsynopsis; k++)
		print (k == 1 ? ".PP\n" : "") synopsis[k]
	print ".fi\n.SH DESCRIPTION"
	printf "%s", page["description"]
	if (page["types"] != "")
		printf ".SH TYPES AND CONSTANTS\n%s", page["types"]
	if (page["functions"] != "")
		printf ".SH FUNCTIONS\n%s", page["functions"]
	if (returns_int) {
		print ".SH RETURN VALUE"
		print "Each function\\(aqs return value is described with the function."
		print "Unless stated otherwise, a negative return value is a negated\n.BR errno (3)\nvalue."
	}
	if (ntwins) {
		print ".SH DIFFERENCES FROM THE KERNEL"
		print "These functions correspond to functions of the kernel\\(aqs\n.IR include/rdma/ib_mad.h ."
		print "They behave the same unless stated otherwise."
	}
	for (k = 1; k <= ntwins; k++) {
		n = split(twin_of[k], word, " ")
		print ".TP"
		for (i = 1; i <= n; i++)
			print (i > 1 ? ".TQ\n" : "") (word[i] ~ /_handler$/ ? ".B " word[i] : ".BR " word[i] " ()")
		print prose(twins[k])
	}
	print ".SH EXAMPLES"
	show(noun)
	n = split(more, word, " ")
	for (k = 1; k <= n; k++) {
		sub(/\.c$/, "", word[k])
		print ".PP"
		show(word[k])
	}
	print ".SH SEE ALSO"
	for (k = 1; k <= nincluded; k++)
		print ".BR madkit_" included[k] " (3),"
	print ".BR libmadkit (3),"
	print ".BR madkit (7)"
}

{ L[NR] = $0 }

END {
	nfaults = nincluded = returns_int = 0
	pending = ""
	for (i = 1; i <= NR; i++)
		if (L[i] ~ /^(struct|enum) [a-z_0-9]+ \{$/) {
			split(L[i], word, " ")
			defined[word[2]] = 1
		}
	about = comment = ""
	for (i = 1; i <= NR; i++) {
		if (L[i] ~ /^$/) {
			flush_group()
		} else if (L[i] ~ /SPDX-License-Identifier/) {
			continue
		} else if (L[i] ~ /^\/\*/) {
			flush_group()
			text = until("\\*/")
			title = ""
			if (match(text, /^\/\* ---- .* ---+/)) {
				title = text
				sub(/^\/\* ---- /, "", title)
				sub(/ ---.*/, "", title)
				sub(/^[^\n]*--+ */, "", text)
			}
			sub(/^\/\*[ \n]/, "", text)
			sub(/[ \n\t]*\*\/[ \t]*$/, "", text)
			gsub(/\n \*( |$)/, "\n", text)
			gsub(/\n \*/, "\n", text)
			sub(/^( \* ?|\n)+/, "", text)
			part = "description"
			if (about == "") {
				text = split_head(text)
				about = summary
				if (names != "madkit_" noun)
					fault("madkit_" noun ": the first comment begins with \"" names "\"")
				if (!list)
					running_text(text, "", 1)
				names = summary = ""
			} else if (title != "") {
				title = ".SS " toupper(substr(title, 1, 1)) substr(title, 2)
				pending = text ~ /^[ \n]*$/ ? title : ""
				if (!list && pending == "") {
					say(title)
					running_text(text, "", 1)
				}
			} else if (L[i + 1] == "") {
				if (!list)
					running_text(text, "", 0)
			} else {
				comment = text
			}
		} else if (L[i] ~ /^#define/) {
			text = L[i]
			while (text ~ /\\$/) {
				sub(/[ \t]*\\$/, "", text)
				sub(/^[ \t]*/, "", L[i + 1])
				text = text " " L[++i]
			}
			if (text ~ /^#define [A-Z_]+_H$/)
				continue
			said = ""
			at = index(text, "/*")
			if (at) {
				L[i] = substr(text, at)
				text = substr(text, 1, at - 1)
				said = joined(until("\\*/"))
			}
			sub(/^#define /, "", text)
			if (match(text, /^[A-Z0-9_]+\([^)]*\)/))
				text = substr(text, 1, RLENGTH)
			if (ngroup && kinds[ngroup] == "entries")
				group[ngroup] = group[ngroup] normal(text) "\002" said "\003"
			else
				add("entries", normal(text) "\002" said "\003")
		} else if (L[i] ~ /^#include <madkit\//) {
			text = L[i]
			gsub(/^#include <madkit\/|\.h>.*/, "", text)
			if (text != "decls")
				included[++nincluded] = text
		} else if (L[i] ~ /^#|^MADKIT_(BEGIN|END)_DECLS/) {
			continue
		} else if (L[i] ~ /^(struct|enum)( [a-z_0-9]+)? \{$/) {
			if (L[i] !~ /^enum \{/)
				add("type", normal(L[i]))
			add("entries", body())
		} else if (L[i] ~ /^struct [a-z_0-9]+;$/) {
			split(normal(L[i]), word, " ")
			if (!(word[2] in defined))
				synopsis[++nsynopsis] = "\\fB" L[i] "\\fR"
		} else if (L[i] ~ /^static inline/) {
			text = until("\n\\{")
			sub(/\n\{.*/, "", text)
			add("function", normal(text))
			while (i < NR && L[i] !~ /^}/)
				i++
		} else {
			text = normal(until(";"))
			add(text ~ /^typedef/ ? "typedef" : text ~ /\(/ ? "function" : "data", text)
		}
	}
	flush_group()
	if (list == "faults")
		for (k = 1; k <= nfaults; k++)
			print faults[k]
	else if (list)
		for (k = 1; k <= ndeclared; k++)
			print declared[k], "madkit_" noun
	else
		print_page()
}
