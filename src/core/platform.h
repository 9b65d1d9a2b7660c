// platform.h: the only place where sums over pairs depend on the target machine.
#pragma once

// MURMUR_CLONES compiles a kernel once for each width of vector registers and picks one when the
// program loads. The clones do the same operations in the same order, so they give the same bits.
// ThreadSanitizer cannot start a program that picks this way.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MURMUR_CLONES
#endif
#endif
#if defined(__SANITIZE_THREAD__) || !defined(__x86_64__) || !defined(__linux__)
#define MURMUR_CLONES
#endif
#ifndef MURMUR_CLONES
#define MURMUR_CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#endif
