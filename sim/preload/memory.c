/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory of the program: copies that fail instead of crashing, as in the kernel; and memory of the device. */
#define _GNU_SOURCE /* process_vm_readv() */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include "sim/preload/shim.h"

int shim_copy(void *to, const void *from, size_t len)
{
	struct iovec local = { to, len }, remote = { (void *)from, len };
	ssize_t n = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

	if (n == (ssize_t)len)
		return 0;
	if (n >= 0 || (errno != ENOSYS && errno != EPERM))
		return -EFAULT;
	/* the system call is not available, for example in a sandbox */
	memcpy(to, from, len);
	return 0;
}

/* rt_sigprocmask() copies the set before it refuses HOW. It is the cheapest system call that reads memory. */
bool shim_is_string(const char *text)
{
	enum { PAGE = 4096, SET = 8, HOW = -1 };

	for (size_t left = 0;; text += left) {
		uintptr_t at = (uintptr_t)text, set = at - at % SET;

		/* with a null pointer, it would copy nothing */
		if (syscall(SYS_rt_sigprocmask, HOW, set ? set : SET, NULL, SET) && errno == EFAULT)
			return false;
		left = PAGE - at % PAGE;
		if (memchr(text, '\0', left))
			return true;
	}
}

void *shim_map(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void shim_unmap(void *memory, size_t size)
{
	int saved = errno;

	if (memory)
		munmap(memory, size);
	errno = saved;
}
