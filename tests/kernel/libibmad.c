// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Why the library and the commands have their own of what libibmad has: what its responses, its texts and its paths
 * are like. Needs the soft-RoCE devices rxe0 and rxe1.
 */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <infiniband/mad.h>

#include "tests/kernel/umad_end.h"
#include "tests/tap.h"

enum { METHOD_TRAP = 0x05, HOPS = 80 };

/* A server of libibmad's at rxe1 gets a MAD from rxe0 and responds to it. */
static void respond(uint8_t method, uint8_t answer)
{
	int classes[] = { IB_PERFORMANCE_CLASS };
	struct ibmad_port *server = mad_rpc_open_port("rxe1", 1, classes, 1);
	struct end client = open_end("rxe0", OUI, 0, 0);
	void *umad = umad_end_request("rxe1", OUI, method, 1), *seen = new_umad(MAD_SIZE);
	int length = MAD_SIZE;

	need(server && mad_register_server_via(CLASS, 0, NULL, OUI, server) >= 0, "mad_register_server_via");
	need(send_errno(client, umad, MAD_SIZE, 500, 0) == 0, "umad_send");
	need(mad_receive_via(seen, PATIENCE, server) == seen, "mad_receive_via");
	is_int(umad_get_mad_addr(seen)->grh_present, 1, "method 0x%02x comes with a GRH",
	       (unsigned int)method);
	ok(mad_respond_via(seen, NULL, 0, server) < 0, "... mad_respond_via fails on RoCE");
	is_int(umad_get_mad_addr(seen)->grh_present, 0, "... as it drops the GRH");
	is_int(((uint8_t *)umad_get_mad(seen))[3], answer, "... of a MAD whose method is 0x%02x",
	       (unsigned int)answer);
	need(umad_recv(client.fd, umad, &length, PATIENCE) == (int)client.agent, "the request comes back");
	is_int(umad_status(umad), 110, "... and nothing is answered");
	umad_free(seen);
	umad_free(umad);
	close_end(client);
	mad_rpc_close_port(server);
}

static void kernel_libibmad_texts(void)
{
	ib_portid_t one = { .lid = 1 }, two = { .lid = 2 };
	const char *first = portid2str(&one);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status;
	pid_t pid;

	ok(portid2str(&two) == first, "portid2str returns a static buffer");
	need(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0, "mmap");
	memset(pages, 'x', page);
	pid = fork();
	need(pid >= 0, "fork");
	if (pid == 0) {
		char out[256];

		mad_dump_nodedesc(out, sizeof(out), pages + page - 64, 64);
		_exit(0);
	}
	need(waitpid(pid, &status, 0) == pid, "waitpid");
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV,
	   "mad_dump_nodedesc reads on behind 64 bytes without a NUL");
	munmap(pages, 2 * page);
}

static void paths(void)
{
	union {
		ib_dr_path_t path;
		uint8_t bytes[256];
	} u = { .bytes = { 0 } };
	char route[HOPS * 2] = "0", x[] = "0,x";

	is_int(str2drpath(&u.path, x, 0, 0), 1, "str2drpath takes \"0,x\" for a path of one hop");
	is_int(u.path.p[1], 0, "... to port 0");
	for (int i = 1; i < HOPS; i++)
		strcat(route, ",1");
	need(sizeof(u.path.p) < HOPS, "a path with less room");
	is_int(str2drpath(&u.path, route, 0, 0), HOPS - 1, "str2drpath has no bound: 79 hops into 64");
}

int main(void)
{
	need(umad_init() == 0, "umad_init");
	umad_close_port(umad_end_open_port("rxe0"));
	respond(METHOD_ASK, METHOD_ASK | RESPONSE);
	respond(METHOD_TRAP, METHOD_TRAP | RESPONSE);
	kernel_libibmad_texts();
	paths();
	umad_done();
	return tap_done();
}
