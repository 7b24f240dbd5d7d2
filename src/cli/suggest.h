/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* "did you mean": the known word nearest to a mistyped one. */
#ifndef SRC_SUGGEST_H
#define SRC_SUGGEST_H

#include <stdbool.h>
#include <madkit/madkit.h>

/* Size of a suggestion: "; did you mean 'NodeInfo'?", or "" if no name is similar. */
#define SUGGESTION_MAX 128

/* Suggests an attribute of a class, of all classes if mgmt_class is -1, or 'madsend --describe'. Returns
 * buf. */
const char *suggest_attribute(const char *word, int mgmt_class, char buf[SUGGESTION_MAX]);
/* Suggests a method of the class. Returns buf. */
const char *suggest_method(const char *word, uint8_t mgmt_class, char buf[SUGGESTION_MAX]);
/* Suggests the record with which the SA returns the attribute, if the SA has the method. Returns buf. */
const char *suggest_record(const char *method, const struct madkit_attribute *attribute,
			   char buf[SUGGESTION_MAX]);

/* Checks if word is an attribute of any class, and not a method of that class. */
bool is_attribute_name(const char *word);
/* Checks if word is the name of a method of any class. */
bool is_method_name(const char *word);

/* In infiniband-diags an address is a separate word. For "2", writes "-L 2" to option and "the LID is given
 * as -L 2" to text. Returns false if the word is not an address. */
enum { SUGGESTED_ADDRESS_MAX = 160 };
bool suggest_address(const char *word, char option[SUGGESTED_ADDRESS_MAX], char text[SUGGESTED_ADDRESS_MAX]);

/* Suggests a field of the layout, also a nested one: "NodeType" for "NodeTyp", "NodeInfo.NodeType" for
 * "NodeInfo.NodeTyp". Returns buf. */
const char *suggest_field(const char *word, const struct madkit_layout *layout, char buf[SUGGESTION_MAX]);

#endif
