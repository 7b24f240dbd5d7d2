# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What ./quickstart --shell and the README's examples have besides the commands, inside madsim -- COMMAND.

# on NODE COMMAND...: as a program of that host, madkit's or another's
on() { MADKIT_DEVICE=sim:unix:$MADSIM_SOCKET@$1 MADSIM_NODE=$1 "${@:2}"; }
