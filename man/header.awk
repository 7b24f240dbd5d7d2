# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A public header as a manual page of section 3. How a header is read:
# - Its first comment is what the page is called after (its first sentence) and begins with.
# - A comment directly above declarations is theirs, as far as they go without a blank line
#   or another comment; one that stands alone is running text. "---- title ----" is a heading.
# - In comments, lines that begin with "- " are lists, what is indented else is shown as it is.
# - From "Twin of ib_..." on, what a paragraph says goes to DIFFERENCES FROM THE KERNEL.
# Needs -v noun=NOUN -v version=V -v nouns='NOUN ...' -v examples=DIR (which has NOUN.c, and what
# that prints in NOUN.out), and may have -v more='NOUN-ANY.c ...': further ones; or -v list=1: prints
# the names declared, each with the page's, or -v list=bare: the functions without a comment.

# What the description is to hold; it is printed behind the synopsis.
function say(text) {
	if (page == "" || spoken ~ /^\.S[HS]/)
		sub(/^\.PP\n?/, "", text)
	if (text == "")
		return
	page = page text "\n"
	spoken = text
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
	out = out rest
	return (out ~ /^[.\\]/ ? "\\&" : "") out
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

# The text of a comment, its lines separated by \n.
function running_text(text, owners, first,   lines, n, k, line, para, mode) {
	n = split(text "\n", lines, "\n")
	mode = ""
	para = ""
	text_first = first
	for (k = 1; k <= n; k++) {
		line = lines[k]
		if (line == "") {
			if (mode == "code" && lines[k + 1] ~ /^(\t|  )/)
				say("")
			else
				mode = finish(mode, para, owners)
			para = ""
		} else if (line ~ /^- /) {
			mode = finish(mode, para, owners)
			mode = "item"
			para = substr(line, 3)
		} else if (line ~ /^(\t|  )/) {
			if (mode == "item") {
				sub(/^[ \t]+/, "", line)
				para = para " " line
				continue
			}
			if (mode != "code") {
				finish(mode, para, owners)
				para = ""
				say(".PP\n.EX")
				mode = "code"
			}
			sub(/^\t/, "", line)
			say(verbatim(line))
		} else {
			if (mode != "para") {
				finish(mode, para, owners)
				para = ""
			}
			mode = "para"
			para = para (para == "" ? "" : " ") line
		}
	}
}

function finish(mode, para, owners) {
	if (mode == "code") {
		say(".EE")
	} else if (mode == "item") {
		say(".IP \\(bu 2")
		say(prose(para))
	} else if (mode == "para") {
		para = without_twin(para, owners)
		if (para == "")
			return ""
		if (!text_first)
			say(".PP")
		say(prose(para))
	}
	if (mode != "")
		text_first = 0
	return ""
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

# A prototype in bold, its parameters' names in italics, over as many lines as it needs.
function prototype(decl,   at, head, args, n, arg, depth, k, c, piece, line, wide, name, out) {
	at = index(decl, ")(")
	at = at ? at + 1 : index(decl, "(")
	if (!at)
		return "\\fB" escape(decl) ";\\fR"
	out = "\\fB" substr(decl, 1, at)
	wide = at
	args = substr(decl, at + 1)
	sub(/\)$/, "", args)
	n = 0
	piece = ""
	depth = 0
	for (k = 1; k <= length(args); k++) {
		c = substr(args, k, 1)
		if (c == "," && !depth) {
			arg[++n] = piece
			piece = ""
			continue
		}
		depth += (c == "(") - (c == ")")
		if (piece != "" || c != " ")
			piece = piece c
	}
	arg[++n] = piece
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

function name_of(decl,   name) {
	if (match(decl, /\(\*[a-z0-9_]+\)\(/))
		return substr(decl, RSTART + 2, RLENGTH - 4)
	sub(/\(.*/, "", decl)
	sub(/.*[ *]/, "", decl)
	return decl
}

# ---- groups: a comment and what stands below it ---------------------------------
function add(kind, what) {
	kinds[++ngroup] = kind
	group[ngroup] = what
}

function flush_group(   k, heads, owners, name) {
	if (!ngroup && comment == "")
		return
	heads = 0
	owners = ""
	for (k = 1; k <= ngroup; k++) {
		if (kinds[k] == "function" || kinds[k] == "data") {
			name = name_of(group[k])
			declared[++ndeclared] = name
			if (comment == "")
				bare[++nbare] = name
			if (kinds[k] == "function")
				owners = owners (owners == "" ? "" : " ") name
		}
		heads += kinds[k] != "list" && kinds[k] != "entries"
	}
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
			}
			say(".fi\n.RS 4")
			running_text(comment, owners, 1)
		} else {
			running_text(comment, owners, 0)
		}
		for (k = 1; k <= ngroup; k++)
			if (kinds[k] == "entries")
				entries(group[k])
		if (heads && spoken == ".fi\n.RS 4")
			page = substr(page, 1, length(page) - length(".RS 4\n"))
		else if (heads)
			say(".RE")
	}
	ngroup = 0
	comment = ""
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

# Lines from L[i] on until one has what; i stands on that one then.
function until(what,   text) {
	text = L[i]
	while (text !~ what && i < NR)
		text = text "\n" L[++i]
	return text
}

# The body of a struct or an enum; i stands on its first line.
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
# Its name: the first sentence, in lower case where that is no name.
function about(   text) {
	text = opening
	sub(/\n\n.*/, "", text)
	gsub(/[ \n]+/, " ", text)
	sub(/\. .*/, "", text)
	sub(/\.$/, "", text)
	if (text ~ /^[A-Z]([a-z]*[ :,]|[a-z]+$)/)
		text = tolower(substr(text, 1, 1)) substr(text, 2)
	return text
}

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
	print ".PP\nWhat it prints:\n.PP"
	example(name ".out")
}

function print_page(   k, n, word) {
	print ".\\\" SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause"
	print ".\\\" made by man/header.awk from lib/madkit/" noun ".h"
	print ".TH MADKIT_" toupper(noun) " 3 \"\" \"madkit " version "\" \"madkit\""
	print ".nr HY 0\n.nh\n.ad l"
	print ".SH NAME\nmadkit_" noun " \\- " prose(about())
	print ".SH LIBRARY\nlibmadkit\n.RB ( \\-lmadkit ),\n.BR pkg-config (1)\nname\n.I libmadkit"
	print ".SH SYNOPSIS\n.nf\n\\fB#include <madkit/" noun ".h>\\fR"
	for (k = 1; k <= nsynopsis; k++)
		print (k == 1 ? ".PP\n" : "") synopsis[k]
	print ".fi\n.SH DESCRIPTION"
	printf "%s", page
	if (ntwins) {
		print ".SH DIFFERENCES FROM THE KERNEL"
		print "Twins of functions of the kernel\\(aqs\n.IR include/rdma/ib_mad.h :"
		print "they do the same where nothing else is said."
	}
	for (k = 1; k <= ntwins; k++) {
		n = split(twin_of[k], word, " ")
		print ".TP"
		for (i = 1; i <= n; i++)
			print (i > 1 ? ".TQ\n" : "") ".BR " word[i] " ()"
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
	n = split(nouns, word, " ")
	for (k = 1; k <= n; k++)
		if (word[k] != noun)
			print ".BR madkit_" word[k] " (3),"
	print ".BR madkit (7)"
}

{ L[NR] = $0 }

END {
	for (i = 1; i <= NR; i++)
		if (L[i] ~ /^(struct|enum) [a-z_0-9]+ \{$/) {
			split(L[i], word, " ")
			defined[word[2]] = 1
		}
	opening = ""
	comment = ""
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
			if (opening == "") {
				opening = text
				if (!list)
					running_text(opening, "", 1)
			} else if (title != "") {
				if (!list) {
					say(".SS " toupper(substr(title, 1, 1)) substr(title, 2))
					if (text !~ /^[ \n]*$/)
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
			if (ngroup && kinds[ngroup] == "entries")
				group[ngroup] = group[ngroup] normal(text) "\002" said "\003"
			else
				add("entries", normal(text) "\002" said "\003")
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
	if (list == "bare")
		for (k = 1; k <= nbare; k++)
			print bare[k]
	else if (list)
		for (k = 1; k <= ndeclared; k++)
			print declared[k], "madkit_" noun
	else
		print_page()
}
