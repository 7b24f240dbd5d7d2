# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The public constants of lib/wire/tables, as the header madkit/constants.h.
#
# Input: first the public headers written by hand, whose names are taken (-v headers=NUMBER of them), then the tables
# after the C preprocessor, which leaves designated initialisers. With -v list=1 the output is a list of the fields
# instead: X(constant, "layout", "field"), for tests.
#
# madkit/access.h documents how the names are derived. A name that would be defined twice is an error.

function fail(text) {
	print "constants.awk: " text > "/dev/stderr"
	failed = 1
	exit 1
}

# "P_KeyTable" -> P_KEY_TABLE, "SLtoVLMappingTable" -> SL_TO_VL_MAPPING_TABLE
function constant(name,   out, c, before, after, k) {
	gsub(/ (of|a|trap|to|or) /, " ", name)
	gsub(/ (of|a|trap|to|or) /, " ", name)
	gsub(/[^A-Za-z0-9]+/, "_", name)
	gsub(/QoS/, "Qos", name)
	gsub(/SLto/, "SL_To", name)
	gsub(/VLs/, "VLS", name)
	out = ""
	for (k = 1; k <= length(name); k++) {
		before = substr(name, k - 1, 1)
		c = substr(name, k, 1)
		after = substr(name, k + 1, 1)
		if (k > 1 && c ~ /[A-Z]/ && (before ~ /[a-z0-9]/ || (before ~ /[A-Z]/ && after ~ /[a-z]/)))
			out = out "_"
		out = out c
	}
	return toupper(out)
}

# The value of .KEY in an initialiser, or "".
function member(text, key,   at, end) {
	at = index(text, " ." key " = ")
	if (!at)
		return ""
	text = substr(text, at + length(key) + 5)
	if (substr(text, 1, 1) == "\"") {
		end = index(substr(text, 2), "\"")
		return substr(text, 2, end - 1)
	}
	end = index(text, ",")
	text = end ? substr(text, 1, end - 1) : text
	sub(/ +$/, "", text)
	return text
}

# Sums of products of decimal numbers, and "".
function number(text,   terms, factors, n, m, i, k, sum, product) {
	gsub(/[() ]/, "", text)
	if (text !~ /^[0-9+*]*$/)
		fail("not a number: " text)
	sum = 0
	n = split(text, terms, "+")
	for (i = 1; i <= n; i++) {
		m = split(terms[i], factors, "*")
		product = 1
		for (k = 1; k <= m; k++)
			product *= factors[k]
		sum += product
	}
	return sum
}

function define(name, value) {
	if (name in taken)
		fail(name " is defined in another public header")
	if (name in defined) {
		if (defined[name] != value)
			fail(name " would be both " defined[name] " and " value)
		return 0
	}
	defined[name] = value
	return 1
}

function field_add(array, text,   k) {
	k = array SUBSEP (++nfields[array])
	field_name[k] = member(text, "name")
	field_offset[k] = number(member(text, "offset"))
	field_width[k] = number(member(text, "width"))
	field_kind[k] = member(text, "kind")
	field_count[k] = number(member(text, "count"))
	field_stride[k] = number(member(text, "stride"))
	field_component[k] = number(member(text, "component"))
	field_components[k] = number(member(text, "components"))
	field_sub[k] = member(text, "sub")
	sub(/^&madkit_layout_/, "", field_sub[k])
}

function layout_add(id, name, fields, spans) {
	if (id in layout_name)
		fail("two layouts are called " id)
	layout_ids[++nlayouts] = id
	layout_name[id] = name
	layout_fields[id] = fields
	layout_spans[id] = spans
}

# The fields of a layout and of those nested in it, as "path value" pairs in path[] and value[] from n + 1 on.
function flatten(array, prefix, base, count, stride, component,   i, k, offset, c, s, own) {
	for (i = 1; i <= nfields[array]; i++) {
		k = array SUBSEP i
		if (field_kind[k] == "MADKIT_KIND_RESERVED" || !field_width[k])
			continue
		offset = base + field_offset[k]
		if (count && field_count[k])
			fail(prefix field_name[k] ": an array in an array of structures")
		c = count ? count : field_count[k]
		s = count ? stride : field_stride[k] ? field_stride[k] : field_width[k]
		# COMPONENTS() of a structure is what the components in it count from
		own = field_component[k] && (prefix == "" || component) ? component + field_component[k] : 0
		if (offset > 65535 || field_width[k] > 65535 || c > 4095 || (c && s > 4095) || own > 127)
			fail(prefix field_name[k] " does not fit")
		path[++npaths] = prefix field_name[k]
		value[npaths] = at(offset, field_width[k], c, c ? s : 0, field_kind[k] == "MADKIT_KIND_STRUCT" ? 0 : own,
			field_components[k])
		if (field_kind[k] == "MADKIT_KIND_STRUCT")
			flatten(layout_fields[field_sub[k]], prefix field_name[k] ".", offset, c, c ? s : 0, own)
	}
}

function at(offset, width, count, stride, component, components) {
	if (components > 2)
		fail("a field with " components " components")
	if (origin != "")
		component = origin
	if (!count && !component)
		return "MADKIT_AT(" offset ", " width ")"
	return "MADKIT_AT_FULL(" offset ", " width ", " count ", " stride ", " component ", " \
		(components == 2 ? 1 : 0) ")"
}

# The fields of a layout: its own, and its spans.
function layout_flatten(id) {
	npaths = 0
	origin = id ~ /_object$/ ? "MADKIT_AT_PORT_OBJECT" : layout_name[id] ~ /^[a-z]/ ? "MADKIT_AT_HEADER" : ""
	flatten(layout_fields[id], "", 0, 0, 0, 0)
	if (layout_spans[id] != "")
		flatten(layout_spans[id], "", 0, 0, 0, 0)
}

# Of layouts with one name, the first has that name, or a later one with all its fields and more. Others with no
# fields but those have no constants of their own; the rest are named by their identifiers.
function layout_join(id,   name, first, k, all, more) {
	name = layout_name[id]
	if (id ~ /_object$/) {
		prefix_of[id] = toupper(id)
		return
	}
	if (name ~ /^[a-z]/) {
		prefix_of[id] = toupper(id ~ /^header/ ? id : "header_" id)
		return
	}
	if (!(name in first_of)) {
		first_of[name] = id
		prefix_of[id] = constant(name)
		return
	}
	first = first_of[name]
	layout_flatten(id)
	all = 1
	for (k = 1; k <= npaths; k++) {
		if (index(text_of[first], "\n" path[k] " " value[k] "\n"))
			continue
		all = 0
	}
	if (all) {
		prefix_of[id] = ""
		return
	}
	layout_flatten(first)
	more = 1
	for (k = 1; k <= npaths; k++)
		if (!index(text_of[id], "\n" path[k] " " value[k] "\n"))
			more = 0
	if (more) {
		prefix_of[id] = prefix_of[first]
		prefix_of[first] = ""
		first_of[name] = id
	} else {
		prefix_of[id] = toupper(id)
	}
}

function layout_text(id,   k, out) {
	layout_flatten(id)
	out = "\n"
	for (k = 1; k <= npaths; k++)
		out = out path[k] " " value[k] "\n"
	return out
}

FNR == 1 { file++; RS = file > headers ? "}" : "\n" }

file <= headers {
	if (match($0, /^#define MADKIT_[A-Z0-9_]+/))
		taken[substr($0, RSTART + 8, RLENGTH - 8)] = 1
	else if (match($0, /^[ \t]+MADKIT_[A-Z0-9_]+( =|,)/)) {
		name = substr($0, RSTART, RLENGTH)
		gsub(/[ \t=,]/, "", name)
		taken[name] = 1
	}
	next
}

{
	text = $0
	gsub(/[ \t\n]+/, " ", text)
	gsub(/\{ ?\./, "{ .", text)
	# adjacent literals are one
	gsub(/" "/, "", text)
	if (match(text, /struct madkit_field [a-z0-9_]+_(fields|spans)\[\] = /)) {
		array = substr(text, RSTART + 20, RLENGTH - 25)
		if (array in nfields)
			fail("two tables are called " array)
		nfields[array] = 0
	}
	if (match(text, /struct madkit_value madkit_values_[a-z0-9_]+\[\] = /)) {
		list_name = substr(text, RSTART + 34, RLENGTH - 39)
		lists[++nlists] = list_name
	}
	inside = index(text, "(const struct madkit_layout)")
	if (match(text, /struct madkit_layout madkit_layout_[a-z0-9_]+ = /)) {
		layout_add(substr(text, RSTART + 35, RLENGTH - 38), member(text, "name"), member(text, "fields"),
			member(text, "spans"))
	} else if (inside) {
		# one without a separate table
		layout_add("inline " ++ninline, member(text, "name"), "inline " ninline, "")
		top["inline " ninline] = 1
		if (index(text, " .offset = "))
			field_add("inline " ninline, substr(text, index(text, "(const struct madkit_field[])")))
	} else if (index(text, " .width = ") && !index(text, " .id = ")) {
		field_add(array, text)
	} else if (index(text, " .value = ")) {
		k = list_name SUBSEP (++nvalues[list_name])
		value_name[k] = member(text, "name")
		value_of[k] = member(text, "value")
	}
	if (index(text, " .id = ") && !index(text, " .last = ")) {
		attributes[++nattributes] = member(inside ? substr(text, 1, inside) : text, "name")
		attribute_id[nattributes] = member(text, "id")
	}
	while (match(text, /\.(layout|header) = &madkit_layout_[a-z0-9_]+/)) {
		name = substr(text, RSTART, RLENGTH)
		sub(/.*madkit_layout_/, "", name)
		top[name] = 1
		text = substr(text, RSTART + RLENGTH)
	}
}

END {
	if (failed)
		exit 1
	top["header"] = top["header_dr"] = top["rmpp"] = 1
	for (i = 1; i <= nlayouts; i++) {
		id = layout_ids[i]
		if (!(id in top))
			continue
		text_of[id] = layout_text(id)
		layout_join(id)
	}
	if (!list) {
		print "/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */"
		print "/* Constants of attributes, fields and values. Generated from lib/wire/tables by lib/wire/constants.awk."
		print " * madkit_access(3) describes their names and their use. */"
		print "#ifndef MADKIT_CONSTANTS_H\n#define MADKIT_CONSTANTS_H\n\n#include <madkit/access.h>\n"
		print "/* attribute IDs */\nenum {"
		for (i = 1; i <= nattributes; i++) {
			name = "MADKIT_ATTR_" constant(attributes[i])
			if (define(name, attribute_id[i]))
				print "\t" name " = " attribute_id[i] ","
		}
		print "};"
	}
	for (i = 1; i <= nlayouts; i++) {
		id = layout_ids[i]
		if (!(id in top) || prefix_of[id] == "")
			continue
		layout_flatten(id)
		if (!list && npaths)
			print "\n/* " layout_name[id] " */"
		for (k = 1; k <= npaths; k++) {
			name = "MADKIT_" prefix_of[id] "_" constant(path[k])
			if (list)
				print "X(" name ", \"" layout_name[id] "\", \"" path[k] "\")"
			else if (define(name, value[k]))
				print "#define " name " " value[k]
			else
				fail(name " would be two fields")
		}
	}
	if (list)
		exit 0
	for (i = 1; i <= nlists; i++) {
		list_name = lists[i]
		shown = 0
		for (k = 1; k <= nvalues[list_name]; k++) {
			# a constant of another header, or a number
			if (value_of[list_name, k] ~ /MADKIT_/ || value_name[list_name, k] == "0")
				continue
			if (!shown++)
				print "\n/* values: " list_name " */"
			name = "MADKIT_" toupper(list_name) "_" constant(value_name[list_name, k])
			value_of[list_name, k] = value_of[list_name, k] ~ /[ <]/ ? \
				"(" value_of[list_name, k] ")" : value_of[list_name, k]
			if (define(name, value_of[list_name, k]))
				print "#define " name " " value_of[list_name, k]
			else
				fail(name " would be two values")
		}
	}
	print "\n#endif"
}
