/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmocka, with the headers that it needs before it.
 */
#ifndef TESTING_H
#define TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
