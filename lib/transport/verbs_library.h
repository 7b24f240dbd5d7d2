/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The functions of libibverbs, which is opened when a UD queue pair or a port's events are. */
#ifndef TRANSPORT_VERBS_LIBRARY_H
#define TRANSPORT_VERBS_LIBRARY_H

#include <infiniband/verbs.h>
#include <madkit/error.h>

/* These macros would hide the functions. */
#undef ibv_query_port
#undef ibv_reg_mr

/* Functions that <infiniband/verbs.h> defines inline, such as ibv_poll_cq(), are called directly. */
#define VERBS_FUNCTIONS(F) \
	F(_ibv_query_gid_ex) \
	F(ibv_ack_async_event) \
	F(ibv_ack_cq_events) \
	F(ibv_alloc_pd) \
	F(ibv_close_device) \
	F(ibv_create_ah) \
	F(ibv_create_comp_channel) \
	F(ibv_create_cq) \
	F(ibv_create_qp) \
	F(ibv_dealloc_pd) \
	F(ibv_dereg_mr) \
	F(ibv_destroy_ah) \
	F(ibv_destroy_comp_channel) \
	F(ibv_destroy_cq) \
	F(ibv_destroy_qp) \
	F(ibv_free_device_list) \
	F(ibv_get_async_event) \
	F(ibv_get_cq_event) \
	F(ibv_get_device_list) \
	F(ibv_get_device_name) \
	F(ibv_modify_qp) \
	F(ibv_open_device) \
	F(ibv_query_port) \
	F(ibv_query_qp) \
	F(ibv_reg_mr)

struct verbs_library {
#define VERBS_MEMBER(name) __typeof__(&name) name;
	VERBS_FUNCTIONS(VERBS_MEMBER)
#undef VERBS_MEMBER
};

/* 0; -EOPNOTSUPP with error: no libibverbs, or a wrong one. */
int verbs_library_load(struct verbs_library *lib, struct madkit_error *error);

/* Opens a device by its name. 0; -ENODEV there is none; -errno. */
int verbs_library_open_device(const struct verbs_library *lib, const char *ca, struct ibv_context **context);

/* ibv_query_port() sets only the members that attr had in its first version; the others become 0. 0, or not 0 on
 * failure. */
int verbs_library_query_port(const struct verbs_library *lib, struct ibv_context *context, unsigned int port,
			     struct ibv_port_attr *attr);

#endif
