/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* "did you mean": the known word nearest to a mistyped one. */
#ifndef SRC_SUGGEST_H
#define SRC_SUGGEST_H

#include <stdbool.h>
#include <madkit/madkit.h>

/* "; did you mean 'NodeInfo'?", or "" where nothing is near. */
#define SUGGESTION_MAX 128

/* Attributes of a class, of all where mgmt_class is -1. Returns buf. */
const char *suggest_attribute(const char *word, int mgmt_class, char buf[SUGGESTION_MAX]);
const char *suggest_method(const char *word, uint8_t mgmt_class, char buf[SUGGESTION_MAX]);
/* The record of the SA that has the attribute as a table, where method is one of the
 * SA's alone. */
const char *suggest_record(const char *method, const struct madkit_attribute *attribute,
			   char buf[SUGGESTION_MAX]);

/* Whether word is an attribute of any class, and no method of it. */
bool is_attribute_name(const char *word);
/* Whether word is the name of a method of any class. */
bool is_method_name(const char *word);

/* infiniband-diags takes an address as a word: "the LID is given as -L 2" for "2", with the option in option
 * ("-L 2"). False: the word is not an address. */
enum { SUGGESTED_ADDRESS_MAX = 160 };
bool suggest_address(const char *word, char option[SUGGESTED_ADDRESS_MAX], char text[SUGGESTED_ADDRESS_MAX]);

/* Long options of these modes; word begins with its dashes. */
const char *suggest_option(const char *word, unsigned int modes, char buf[SUGGESTION_MAX]);

/* Fields of the layout, also nested ones: "NodeType" for "NodeTyp", "NodeInfo.NodeType" for "NodeInfo.NodeTyp". */
const char *suggest_field(const char *word, const struct madkit_layout *layout, char buf[SUGGESTION_MAX]);

#endif
