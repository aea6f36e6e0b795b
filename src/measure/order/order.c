/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/order/order.h"

const struct wf_order_way *wf_order_way;
