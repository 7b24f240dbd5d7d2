#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The examples of the manual pages, run on node1 of the small topology (tests/manual.bash). tests/sim/manual.bats runs those
# that need tables, which ibsim does not have.

load common
load ../manual

setup() { commands_on_node1; }

@test "the examples of madsend(1)" { run_examples madsend.1 11; }
@test "the examples of madrecv(1)" { run_examples madrecv.1 7; }
@test "the examples of madpoll(1)" { run_examples madpoll.1 4; }
@test "the examples of madreg(1)" { run_examples madreg.1 4; }
@test "the examples of madkit(7)" { run_examples madkit.7 4; }
@test "the examples of madkit-batch(7)" { run_examples madkit-batch.7 4; }
@test "the examples of madkit-files(7)" { run_examples madkit-files.7 6; }
@test "the examples of madkit-json(7)" { run_examples madkit-json.7 5; }
@test "the examples of madkit-options(7)" { run_examples madkit-options.7 5; }
@test "the examples of madkit-sim(7)" { run_examples madkit-sim.7 4; }
