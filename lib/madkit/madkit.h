/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Includes all headers of libmadkit except madkit/portid.h, which needs the header of libibmad. See
 * libmadkit(3).
 */
#ifndef MADKIT_MADKIT_H
#define MADKIT_MADKIT_H

#include <madkit/access.h>
#include <madkit/addr.h>
#include <madkit/agent.h>
#include <madkit/buf.h>
#include <madkit/capture.h>
#include <madkit/constants.h>
#include <madkit/compare.h>
#include <madkit/counters.h>
#include <madkit/cpi.h>
#include <madkit/dispatch.h>
#include <madkit/error.h>
#include <madkit/escape.h>
#include <madkit/expr.h>
#include <madkit/field.h>
#include <madkit/format.h>
#include <madkit/grid.h>
#include <madkit/health.h>
#include <madkit/json_in.h>
#include <madkit/mad.h>
#include <madkit/message.h>
#include <madkit/metrics.h>
#include <madkit/names.h>
#include <madkit/num.h>
#include <madkit/path.h>
#include <madkit/plan.h>
#include <madkit/port.h>
#include <madkit/query.h>
#include <madkit/redirect.h>
#include <madkit/registers.h>
#include <madkit/registry.h>
#include <madkit/resolve.h>
#include <madkit/rmpp.h>
#include <madkit/rmpp_transfer.h>
#include <madkit/survey.h>
#include <madkit/sweep.h>
#include <madkit/trace.h>
#include <madkit/writer.h>

#endif
