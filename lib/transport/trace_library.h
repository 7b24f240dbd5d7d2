/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The functions of libtracefs and libtraceevent, which are opened with a trace. */
#ifndef TRANSPORT_TRACE_LIBRARY_H
#define TRANSPORT_TRACE_LIBRARY_H

#include <kbuffer.h>
#include <tracefs.h>
#include <madkit/error.h>

/* libtracefs depends on libtraceevent, so that its handle finds the functions of both. */
#define TRACE_FUNCTIONS(F) \
	F(kbuffer_event_size) \
	F(kbuffer_free) \
	F(kbuffer_load_subbuffer) \
	F(kbuffer_missed_events) \
	F(kbuffer_next_event) \
	F(kbuffer_read_event) \
	F(tep_alloc) \
	F(tep_data_type) \
	F(tep_find_event_by_name) \
	F(tep_find_field) \
	F(tep_free) \
	F(tep_get_sub_buffer_size) \
	F(tep_kbuffer) \
	F(tep_parse_event) \
	F(tep_parse_header_page) \
	F(tep_read_number_field) \
	F(tep_set_file_bigendian) \
	F(tep_set_local_bigendian) \
	F(tep_set_long_size) \
	F(tep_set_page_size) \
	F(tracefs_event_enable) \
	F(tracefs_event_file_read) \
	F(tracefs_instance_create) \
	F(tracefs_instance_destroy) \
	F(tracefs_instance_file_open) \
	F(tracefs_instance_file_read) \
	F(tracefs_instance_file_write) \
	F(tracefs_instance_free) \
	F(tracefs_instance_get_name) \
	F(tracefs_instance_is_new) \
	F(tracefs_set_loglevel)

struct trace_library {
#define TRACE_MEMBER(name) __typeof__(&name) name;
	TRACE_FUNCTIONS(TRACE_MEMBER)
#undef TRACE_MEMBER
};

/* Sets the library's log level to none: the messages are those of error. 0; -EOPNOTSUPP with error: no
 * libtracefs, or a wrong one. */
int trace_library_load(struct trace_library *lib, struct madkit_error *error);

#endif
