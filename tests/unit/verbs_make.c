/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Creating a UD queue pair fails with an error, whatever the failing function did to errno. Linked with
 * --wrap=posix_memalign. */
#include "transport/verbs.c"
#include "tests/tap.h"

static bool no_memory;
static int cq_errno; /* of ibv_create_cq(), which fails; -1: it succeeds */

int __real_posix_memalign(void **p, size_t alignment, size_t n);
int __wrap_posix_memalign(void **p, size_t alignment, size_t n);

int __wrap_posix_memalign(void **p, size_t alignment, size_t n)
{
	return no_memory ? ENOMEM : __real_posix_memalign(p, alignment, n);
}

static struct ibv_pd *alloc_pd(struct ibv_context *context)
{
	static struct ibv_pd pd;

	pd.context = context;
	return &pd;
}

static struct ibv_comp_channel *create_channel(struct ibv_context *context)
{
	static struct ibv_comp_channel channel;

	channel.context = context;
	if (!channel.fd)
		channel.fd = open("/dev/null", O_RDONLY);
	return &channel;
}

static struct ibv_cq *create_cq(struct ibv_context *context, int n, void *cq_context,
				struct ibv_comp_channel *channel, int vector)
{
	static struct ibv_cq cq;

	(void)context;
	(void)n;
	(void)cq_context;
	(void)channel;
	(void)vector;
	if (cq_errno < 0)
		return &cq;
	errno = cq_errno;
	return NULL;
}

static int make_fails(bool without_memory, int cq_error)
{
	static struct verbs verbs;
	static const struct madkit_qp_attr attr;
	int ret;

	verbs.v.lib.ibv_alloc_pd = alloc_pd;
	verbs.v.lib.ibv_create_comp_channel = create_channel;
	verbs.v.lib.ibv_create_cq = create_cq;
	no_memory = without_memory;
	cq_errno = cq_error;
	ret = verbs_create(&verbs, &attr);
	free(verbs.memory);
	verbs.memory = NULL;
	return ret;
}

int main(void)
{
	is_int(make_fails(true, -1), -ENOMEM, "no memory for the receive buffers");
	is_int(make_fails(false, EMFILE), -EMFILE, "no completion queue, and errno says why");
	is_int(make_fails(false, 0), -EIO, "no completion queue, and errno does not say why");
	return tap_done();
}
