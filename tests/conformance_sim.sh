#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The conformance suite on the fabric inside the process, whose time is its own.
exec "${top_builddir:?}/tests/conformance/conformance" --place sim \
	--device "sim:${top_srcdir:?}/tests/data/topologies/small.net@node3,sm=node1"
