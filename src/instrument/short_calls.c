/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rule: a function is in the table if a call of it returns soon, whatever the rest of the machine does. It computes
 * a value, moves bytes in memory, converts text in memory, asks the allocator, reads a clock, or leaves the procedure.
 * A function is not in the table if it may wait for a device, a lock, a timer, another thread or another process. It is
 * not in the table either if it does input or output, if it calls back (qsort), or if its work is more than
 * proportional to the memory that it touches (sort). What is not known is not in the table.
 *
 * malloc and free are in it: most calls take some ten nanoseconds in a cache of the thread's own. The page faults of a
 * large block come where the memory is first used, and so count there in any case. exit and abort are in it because
 * they stand in error branches, and a visit that they end is not timed. Of the C++ library, the table has what an
 * inlined access amounts to: iterators, containers' members, smart pointers, numbers. It has no algorithms, and no
 * function objects of unknown content (std::function).
 */
#include "instrument/short_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
const char *const wf_short_calls[] = {
    "_Exit", "__assert", "__assert_fail", "__assert_perror_fail", "__atomic_...", "__bswap_16", "__bswap_32",
    "__bswap_64", "__builtin_add...", "__builtin_alloca...", "__builtin_assume...", "__builtin_bit_cast...",
    "__builtin_bswap...", "__builtin_clrsb...", "__builtin_clz...", "__builtin_complex...", "__builtin_constant_p...",
    "__builtin_convertvector...", "__builtin_cpu_...", "__builtin_ctz...", "__builtin_expect...", "__builtin_ffs...",
    "__builtin_huge_val...", "__builtin_ia32_...", "__builtin_inf...", "__builtin_is...", "__builtin_launder...",
    "__builtin_mul...", "__builtin_nans...", "__builtin_nontemporal_...", "__builtin_object_size...",
    "__builtin_parity...", "__builtin_popcount...", "__builtin_prefetch...", "__builtin_rotate...", "__builtin_sadd...",
    "__builtin_shuffle...", "__builtin_smul...", "__builtin_ssub...", "__builtin_sub...", "__builtin_trap...",
    "__builtin_uadd...", "__builtin_umul...", "__builtin_unreachable...", "__builtin_usub...", "__builtin_va_...",
    "__c11_atomic_...", "__ctype_b_loc", "__ctype_get_mb_cur_max", "__ctype_tolower_loc", "__ctype_toupper_loc",
    "__errno_location", "__finite", "__finitef", "__finitel", "__fpclassify", "__fpclassifyf", "__fpclassifyl",
    "__gnu_cxx::__normal_iterator::...", "__gnu_cxx::operator...", "__iseqsig", "__iseqsigf", "__iseqsigl", "__isinf",
    "__isinff", "__isinfl", "__isnan", "__isnanf", "__isnanl", "__isoc23_strtoimax", "__isoc23_strtol",
    "__isoc23_strtoll", "__isoc23_strtoul", "__isoc23_strtoull", "__isoc23_strtoumax", "__issignaling",
    "__issignalingf", "__issignalingl", "__longjmp_chk", "__rdtsc", "__rdtscp", "__signbit", "__signbitf", "__signbitl",
    "__sigsetjmp", "__strdup", "__strndup", "__strtok_r", "__sync_...", "__uint16_identity", "__uint32_identity",
    "__uint64_identity", "__xpg_basename", "__xpg_strerror_r", "_exit", "_longjmp", "_m_...", "_mm256_...",
    "_mm512_...", "_mm_...", "_mm_free", "_mm_malloc", "_rdtsc", "_setjmp", "_xgetbv", "a64l", "abort", "abs", "acos",
    "acosf", "acosh", "acoshf", "acoshl", "acosl", "aligned_alloc", "alloca", "asctime", "asctime_r", "asin", "asinf",
    "asinh", "asinhf", "asinhl", "asinl", "atan", "atan2", "atan2f", "atan2l", "atanf", "atanh", "atanhf", "atanhl",
    "atanl", "atof", "atoi", "atol", "atoll", "atomic_flag_clear", "atomic_flag_clear_explicit",
    "atomic_flag_test_and_set", "atomic_flag_test_and_set_explicit", "atomic_signal_fence", "atomic_thread_fence",
    "basename", "bcmp", "bcopy", "btowc", "bzero", "cabs", "cabsf", "cabsl", "cacos", "cacosf", "cacosh", "cacoshf",
    "cacoshl", "cacosl", "calloc", "carg", "cargf", "cargl", "casin", "casinf", "casinh", "casinhf", "casinhl",
    "casinl", "catan", "catanf", "catanh", "catanhf", "catanhl", "catanl", "cbrt", "cbrtf", "cbrtl", "ccos", "ccosf",
    "ccosh", "ccoshf", "ccoshl", "ccosl", "ceil", "ceilf", "ceill", "cexp", "cexpf", "cexpl", "cfree", "cimag",
    "cimagf", "cimagl", "clock", "clock_getres", "clock_gettime", "clog", "clog10", "clog10f", "clog10l", "clogf",
    "clogl", "conj", "conjf", "conjl", "copysign", "copysignf", "copysignl", "cos", "cosf", "cosh", "coshf", "coshl",
    "cosl", "cpow", "cpowf", "cpowl", "cproj", "cprojf", "cprojl", "creal", "crealf", "creall", "csin", "csinf",
    "csinh", "csinhf", "csinhl", "csinl", "csqrt", "csqrtf", "csqrtl", "ctan", "ctanf", "ctanh", "ctanhf", "ctanhl",
    "ctanl", "ctime", "ctime_r", "difftime", "dirname", "div", "drand48", "drand48_r", "drem", "dremf", "dreml",
    "erand48", "erand48_r", "erf", "erfc", "erfcf", "erfcl", "erff", "erfl", "exit", "exp", "exp10", "exp10f", "exp10l",
    "exp2", "exp2f", "exp2l", "expf", "expl", "explicit_bzero", "expm1", "expm1f", "expm1l", "fabs", "fabsf", "fabsl",
    "fdim", "fdimf", "fdiml", "feclearexcept", "fedisableexcept", "feenableexcept", "fegetenv", "fegetexcept",
    "fegetround", "feholdexcept", "feraiseexcept", "fesetenv", "fesetround", "fetestexcept", "feupdateenv", "ffs",
    "ffsl", "ffsll", "finite", "finitef", "finitel", "floor", "floorf", "floorl", "fma", "fmaf", "fmal", "fmax",
    "fmaxf", "fmaxl", "fmin", "fminf", "fminl", "fmod", "fmodf", "fmodl", "fpclassify", "free", "frexp", "frexpf",
    "frexpl", "ftime", "gamma", "gammaf", "gammal", "getegid", "getenv", "geteuid", "getgid", "getpagesize", "getpid",
    "getppid", "getrusage", "gettid", "gettimeofday", "getuid", "gmtime", "gmtime_r", "htonl", "htons", "hypot",
    "hypotf", "hypotl", "ilogb", "ilogbf", "ilogbl", "imaxabs", "imaxdiv", "index", "initstate", "isalnum", "isalpha",
    "isascii", "isblank", "iscntrl", "isdigit", "isfinite", "isgraph", "isgreater", "isgreaterequal", "isinf", "isinff",
    "isinfl", "isless", "islessequal", "islessgreater", "islower", "isnan", "isnanf", "isnanl", "isnormal", "isprint",
    "ispunct", "isspace", "isunordered", "isupper", "iswalnum", "iswalpha", "iswblank", "iswcntrl", "iswdigit",
    "iswgraph", "iswlower", "iswprint", "iswpunct", "iswspace", "iswupper", "iswxdigit", "isxdigit", "j0", "j0f", "j0l",
    "j1", "j1f", "j1l", "jn", "jnf", "jnl", "jrand48", "jrand48_r", "l64a", "labs", "lcong48", "ldexp", "ldexpf",
    "ldexpl", "ldiv", "lgamma", "lgamma_r", "lgammaf", "lgammaf_r", "lgammal", "lgammal_r", "llabs", "lldiv", "llrint",
    "llrintf", "llrintl", "llround", "llroundf", "llroundl", "localtime", "localtime_r", "log", "log10", "log10f",
    "log10l", "log1p", "log1pf", "log1pl", "log2", "log2f", "log2l", "logb", "logbf", "logbl", "logf", "logl",
    "longjmp", "lrand48", "lrand48_r", "lrint", "lrintf", "lrintl", "lround", "lroundf", "lroundl", "malloc",
    "malloc_usable_size", "mblen", "mbtowc", "memalign", "memccpy", "memchr", "memcmp", "memcpy", "memmem", "memmove",
    "mempcpy", "memrchr", "memset", "mktime", "modf", "modff", "modfl", "mrand48", "mrand48_r", "nan", "nanf", "nanl",
    "nearbyint", "nearbyintf", "nearbyintl", "nextafter", "nextafterf", "nextafterl", "nexttoward", "nexttowardf",
    "nexttowardl", "nrand48", "nrand48_r", "ntohl", "ntohs", "omp_get_...", "omp_in_final", "omp_in_parallel",
    "omp_is_initial_device", "omp_set_dynamic", "omp_set_max_active_levels", "omp_set_nested", "omp_set_num_threads",
    "omp_set_schedule", "operator delete", "operator delete[]", "operator new", "operator new[]", "posix_memalign",
    "pow", "powf", "powl", "pthread_equal", "pthread_getspecific", "pthread_self", "pvalloc", "quick_exit", "rand",
    "rand_r", "random", "random_r", "rawmemchr", "realloc", "reallocarray", "remainder", "remainderf", "remainderl",
    "remquo", "remquof", "remquol", "rindex", "rint", "rintf", "rintl", "round", "roundeven", "roundevenf",
    "roundevenl", "roundf", "roundl", "scalb", "scalbf", "scalbl", "scalbln", "scalblnf", "scalblnl", "scalbn",
    "scalbnf", "scalbnl", "sched_getcpu", "secure_getenv", "seed48", "setjmp", "setstate", "siglongjmp", "signbit",
    "significand", "significandf", "significandl", "sigsetjmp", "sin", "sincos", "sincosf", "sincosl", "sinf", "sinh",
    "sinhf", "sinhl", "sinl", "snprintf", "sprintf", "sqrt", "sqrtf", "sqrtl", "srand", "srand48", "srand48_r",
    "srandom", "srandom_r", "std::_Bit_const_iterator::...", "std::_Bit_iterator::...", "std::_Bit_iterator_base::...",
    "std::_Bit_reference::...", "std::_Deque_iterator::...", "std::_Fwd_list_const_iterator::...",
    "std::_Fwd_list_iterator::...", "std::_List_const_iterator::...", "std::_List_iterator::...",
    "std::_Rb_tree_const_iterator::...", "std::_Rb_tree_iterator::...", "std::__atomic_base::__atomic_base",
    "std::__atomic_base::clear", "std::__atomic_base::compare_exchange_...", "std::__atomic_base::exchange...",
    "std::__atomic_base::fetch_...", "std::__atomic_base::is_lock_free...", "std::__atomic_base::load...",
    "std::__atomic_base::operator...", "std::__atomic_base::store...", "std::__atomic_base::test_and_set...",
    "std::__bit_const_reference::...", "std::__bit_iterator::...", "std::__bit_reference::...",
    "std::__deque_iterator::...", "std::__detail::_Node_const_iterator::...", "std::__detail::_Node_iterator::...",
    "std::__detail::_Node_iterator_base::...", "std::__hash_const_iterator::...", "std::__hash_iterator::...",
    "std::__hash_map_const_iterator::...", "std::__hash_map_iterator::...", "std::__list_const_iterator::...",
    "std::__list_iterator::...", "std::__map_const_iterator::...", "std::__map_iterator::...",
    "std::__shared_ptr::__shared_ptr", "std::__shared_ptr::get", "std::__shared_ptr::operator bool",
    "std::__shared_ptr::operator*", "std::__shared_ptr::operator->", "std::__shared_ptr::operator[]",
    "std::__shared_ptr::owner_before", "std::__shared_ptr::swap", "std::__shared_ptr::unique",
    "std::__shared_ptr::use_count", "std::__shared_ptr_access::...", "std::__tree_const_iterator::...",
    "std::__tree_iterator::...", "std::__weak_ptr::__weak_ptr", "std::__weak_ptr::expired", "std::__weak_ptr::lock",
    "std::__weak_ptr::swap", "std::__weak_ptr::use_count", "std::__wrap_iter::...", "std::addressof",
    "std::allocator::...", "std::allocator_traits::...", "std::arg", "std::array::...", "std::as_const",
    "std::atomic::atomic", "std::atomic::clear", "std::atomic::compare_exchange_...", "std::atomic::exchange...",
    "std::atomic::fetch_...", "std::atomic::is_lock_free...", "std::atomic::load...", "std::atomic::operator...",
    "std::atomic::store...", "std::atomic::test_and_set...", "std::atomic_flag::atomic_flag", "std::atomic_flag::clear",
    "std::atomic_flag::test", "std::atomic_flag::test_and_set", "std::atomic_init", "std::back_insert_iterator::...",
    "std::back_inserter", "std::bad_alloc::...", "std::bad_cast::...", "std::basic_string::...",
    "std::basic_string_view::...", "std::begin", "std::bernoulli_distribution::...", "std::bit_and::...",
    "std::bit_cast", "std::bit_ceil", "std::bit_floor", "std::bit_not::...", "std::bit_or::...", "std::bit_width",
    "std::bit_xor::...", "std::bitset::...", "std::byteswap", "std::cbegin", "std::cend", "std::char_traits::...",
    "std::chrono::abs", "std::chrono::ceil", "std::chrono::duration::...", "std::chrono::duration_cast",
    "std::chrono::floor", "std::chrono::high_resolution_clock::now", "std::chrono::operator...", "std::chrono::round",
    "std::chrono::steady_clock::now", "std::chrono::system_clock::from_time_t", "std::chrono::system_clock::now",
    "std::chrono::system_clock::to_time_t", "std::chrono::time_point::...", "std::chrono::time_point_cast",
    "std::clamp", "std::complex::...", "std::const_pointer_cast", "std::countl_one", "std::countl_zero",
    "std::countr_one", "std::countr_zero", "std::crbegin", "std::cref", "std::crend", "std::current_exception",
    "std::data", "std::declval", "std::deque::...", "std::divides::...", "std::domain_error::...",
    "std::dynamic_pointer_cast", "std::empty", "std::end", "std::equal_to::...", "std::error_code::...",
    "std::error_condition::...", "std::exception::...", "std::exchange", "std::exponential_distribution::...",
    "std::forward", "std::forward_as_tuple", "std::forward_like", "std::forward_list::before_begin",
    "std::forward_list::begin", "std::forward_list::cbefore_begin", "std::forward_list::cbegin",
    "std::forward_list::cend", "std::forward_list::emplace_after", "std::forward_list::emplace_front",
    "std::forward_list::empty", "std::forward_list::end", "std::forward_list::erase_after",
    "std::forward_list::forward_list", "std::forward_list::front", "std::forward_list::insert_after",
    "std::forward_list::max_size", "std::forward_list::pop_front", "std::forward_list::push_front",
    "std::forward_list::swap", "std::from_chars", "std::front_insert_iterator::...", "std::front_inserter",
    "std::function::function", "std::function::operator bool", "std::function::swap", "std::function::target",
    "std::gamma_distribution::...", "std::gcd", "std::generate_canonical", "std::geometric_distribution::...",
    "std::get", "std::get_if", "std::greater::...", "std::greater_equal::...", "std::has_single_bit", "std::hash::...",
    "std::holds_alternative", "std::imag", "std::initializer_list::...", "std::insert_iterator::...", "std::inserter",
    "std::integral_constant::...", "std::invalid_argument::...", "std::iter_swap", "std::launder", "std::lcm",
    "std::length_error::...", "std::lerp", "std::less::...", "std::less_equal::...",
    "std::linear_congruential_engine::...", "std::list::back", "std::list::begin", "std::list::cbegin",
    "std::list::cend", "std::list::crbegin", "std::list::crend", "std::list::emplace", "std::list::emplace_back",
    "std::list::emplace_front", "std::list::empty", "std::list::end", "std::list::erase", "std::list::front",
    "std::list::insert", "std::list::list", "std::list::max_size", "std::list::pop_back", "std::list::pop_front",
    "std::list::push_back", "std::list::push_front", "std::list::rbegin", "std::list::rend", "std::list::size",
    "std::list::swap", "std::literals::...", "std::logic_error::...", "std::logical_and::...", "std::logical_not::...",
    "std::logical_or::...", "std::lognormal_distribution::...", "std::make_move_iterator", "std::make_pair",
    "std::make_reverse_iterator", "std::make_tuple", "std::map::...", "std::max", "std::mersenne_twister_engine::...",
    "std::midpoint", "std::min", "std::minmax", "std::minus::...", "std::modulus::...", "std::move",
    "std::move_if_noexcept", "std::move_iterator::...", "std::multimap::...", "std::multiplies::...",
    "std::multiset::...", "std::negate::...", "std::next", "std::norm", "std::normal_distribution::...",
    "std::not_equal_to::...", "std::numeric_limits::...", "std::operator!=", "std::operator%", "std::operator&",
    "std::operator*", "std::operator+", "std::operator-", "std::operator/", "std::operator<", "std::operator<=",
    "std::operator<=>", "std::operator==", "std::operator>", "std::operator>=", "std::operator^", "std::operator|",
    "std::operator~", "std::optional::...", "std::out_of_range::...", "std::overflow_error::...", "std::pair::...",
    "std::plus::...", "std::poisson_distribution::...", "std::polar", "std::popcount", "std::prev",
    "std::priority_queue::back", "std::priority_queue::emplace", "std::priority_queue::empty",
    "std::priority_queue::front", "std::priority_queue::pop", "std::priority_queue::priority_queue",
    "std::priority_queue::push", "std::priority_queue::size", "std::priority_queue::swap", "std::priority_queue::top",
    "std::proj", "std::queue::back", "std::queue::emplace", "std::queue::empty", "std::queue::front", "std::queue::pop",
    "std::queue::push", "std::queue::queue", "std::queue::size", "std::queue::swap", "std::queue::top",
    "std::range_error::...", "std::rbegin", "std::real", "std::ref", "std::reference_wrapper::...",
    "std::reinterpret_pointer_cast", "std::rend", "std::rethrow_exception", "std::reverse_iterator::...", "std::rotl",
    "std::rotr", "std::runtime_error::...", "std::set::...", "std::shared_ptr::get", "std::shared_ptr::operator bool",
    "std::shared_ptr::operator*", "std::shared_ptr::operator->", "std::shared_ptr::operator[]",
    "std::shared_ptr::owner_before", "std::shared_ptr::shared_ptr", "std::shared_ptr::swap", "std::shared_ptr::unique",
    "std::shared_ptr::use_count", "std::size", "std::source_location::...", "std::span::...", "std::ssize",
    "std::stack::back", "std::stack::emplace", "std::stack::empty", "std::stack::front", "std::stack::pop",
    "std::stack::push", "std::stack::size", "std::stack::stack", "std::stack::swap", "std::stack::top",
    "std::static_pointer_cast", "std::stod", "std::stof", "std::stoi", "std::stol", "std::stold", "std::stoll",
    "std::stoul", "std::stoull", "std::subtract_with_carry_engine::...", "std::swap", "std::terminate",
    "std::this_thread::get_id", "std::tie", "std::to_address", "std::to_chars", "std::to_integer", "std::to_string",
    "std::to_underlying", "std::to_wstring", "std::tuple::...", "std::type_index::...", "std::type_info::...",
    "std::uncaught_exception", "std::uncaught_exceptions", "std::underflow_error::...", "std::unexpected",
    "std::uniform_int_distribution::...", "std::uniform_real_distribution::...", "std::unique_ptr::get",
    "std::unique_ptr::get_deleter", "std::unique_ptr::operator bool", "std::unique_ptr::operator*",
    "std::unique_ptr::operator->", "std::unique_ptr::operator[]", "std::unique_ptr::release", "std::unique_ptr::swap",
    "std::unique_ptr::unique_ptr", "std::unordered_map::...", "std::unordered_multimap::...",
    "std::unordered_multiset::...", "std::unordered_set::...", "std::variant::...", "std::vector::...",
    "std::weak_ptr::expired", "std::weak_ptr::lock", "std::weak_ptr::swap", "std::weak_ptr::use_count",
    "std::weak_ptr::weak_ptr", "stpcpy", "stpncpy", "strcasecmp", "strcasestr", "strcat", "strchr", "strchrnul",
    "strcmp", "strcoll", "strcpy", "strcspn", "strdup", "strerror", "strerror_r", "strftime", "strlcat", "strlcpy",
    "strlen", "strncasecmp", "strncat", "strncmp", "strncpy", "strndup", "strnlen", "strpbrk", "strrchr", "strsep",
    "strsignal", "strspn", "strstr", "strtod", "strtof", "strtoimax", "strtok", "strtok_r", "strtol", "strtold",
    "strtoll", "strtoq", "strtoul", "strtoull", "strtoumax", "strtouq", "strverscmp", "strxfrm", "swab", "tan", "tanf",
    "tanh", "tanhf", "tanhl", "tanl", "tgamma", "tgammaf", "tgammal", "time", "timegm", "times", "timespec_get",
    "toascii", "tolower", "toupper", "towlower", "towupper", "trunc", "truncf", "truncl", "valloc", "vsnprintf",
    "vsprintf", "wcscat", "wcschr", "wcscmp", "wcscpy", "wcscspn", "wcslen", "wcsncat", "wcsncmp", "wcsncpy", "wcsnlen",
    "wcspbrk", "wcsrchr", "wcsspn", "wcsstr", "wcstod", "wcstof", "wcstok", "wcstol", "wcstold", "wcstoll", "wcstoul",
    "wcstoull", "wctob", "wctomb", "wmemchr", "wmemcmp", "wmemcpy", "wmemmove", "wmemset", "y0", "y0f", "y0l", "y1",
    "y1f", "y1l", "yn", "ynf", "ynl",
};
/* clang-format on */

const size_t wf_short_call_count = sizeof wf_short_calls / sizeof *wf_short_calls;

enum { MOST_BYTES = 256 }; /* of a name; a longer one is not known */

static int short_call_compare(const void *name, const void *entry)
{
    return strcmp(name, *(const char *const *)entry);
}

static bool short_call_find(const char *name)
{
    return bsearch(name, wf_short_calls, wf_short_call_count, sizeof *wf_short_calls, short_call_compare) != NULL;
}

/* The name itself, or an entry "PREFIX..." for one of its prefixes. */
static bool short_call_match(const char *name)
{
    char key[MOST_BYTES + sizeof "..."];
    if (short_call_find(name))
        return true;
    for (size_t length = strlen(name); length > 0; length--) {
        snprintf(key, sizeof key, "%.*s...", (int)length, name);
        if (short_call_find(key))
            return true;
    }
    return false;
}

/* Leaves the inline namespaces out that libraries put their versions into: std::__cxx11::list is std::list. */
static void short_call_simplify(char *name)
{
    static const char *const versions[] = {"::__1::", "::__cxx11::", "::_V2::"};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        char *found = strstr(name, versions[i]);
        if (found) {
            const char *rest = found + strlen(versions[i]) - 2;
            memmove(found, rest, strlen(rest) + 1);
        }
    }
}

/* The C library's name behind std::sin, __builtin_sin or __memcpy_chk; NULL if it is no such name. Changes `name`. */
static char *short_call_c_name(char *name)
{
    static const char *const starts[] = {"std::", "__builtin_"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (!strncmp(name, starts[i], strlen(starts[i])) && !strstr(name + strlen(starts[i]), "::"))
            return name + strlen(starts[i]);
    size_t length = strlen(name);
    if (length <= 6 || strncmp(name, "__", 2) != 0 || strcmp(name + length - 4, "_chk") != 0)
        return NULL;
    name[length - 4] = '\0';
    return name + 2;
}

bool wf_short_call_is_known(const char *name)
{
    char plain[MOST_BYTES];
    if (strlen(name) >= sizeof plain)
        return false;
    strcpy(plain, name);
    short_call_simplify(plain);
    for (char *rest = plain; rest; rest = short_call_c_name(rest))
        if (short_call_match(rest))
            return true;
    return false;
}
