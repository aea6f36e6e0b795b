/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmocka, with what it wants to be included before.
 */
#ifndef WF_REPORT_TESTING_H
#define WF_REPORT_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
