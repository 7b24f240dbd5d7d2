/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The functions of libibverbs, which is opened for a UD queue pair or for a port's events. */
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

/* Returns 0, or -EOPNOTSUPP with error if libibverbs is missing or unsuitable. */
int verbs_library_load(struct verbs_library *lib, struct madkit_error *error);

/* Opens a device by its name. Returns 0; -ENODEV if there is no such device; or -errno. */
int verbs_library_open_device(const struct verbs_library *lib, const char *ca, struct ibv_context **context);

/* Queries a port. ibv_query_port() sets only the members of the first version of attr; the others become 0.
 * Returns 0, or another value on failure. */
int verbs_library_query_port(const struct verbs_library *lib, struct ibv_context *context, unsigned int port,
			     struct ibv_port_attr *attr);

#endif
