/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Round trips with as little as libibumad allows: what others are held against. */
#ifndef BENCH_BARE_H
#define BENCH_BARE_H

/* Runs in a separate process, which child_start() starts: sends every request of BARE_OUI back as its
 * response. */
void bare_serve(const char *ca);

enum { BARE_CLASS = 0x32, BARE_OUI = 0x5a0005, BARE_METHOD = 0x10 };

/* Milliseconds that count round trips with the server at ca take from rxe0, width of them at a time. */
double bare_round_trips(const char *ca, unsigned int count, unsigned int width);

/* Runs in a separate process: receives every request of BARE_OUI, and sends nothing. */
void bare_sink(const char *ca);

/* Milliseconds that count MADs to the sink at ca take from rxe0. */
double bare_one_way(const char *ca, unsigned int count);

#endif
