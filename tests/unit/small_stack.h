// Runs a function on a thread whose stack is far too small for recursion over a large program.
#pragma once

#include <pthread.h>

#include <functional>

#include <gtest/gtest.h>

namespace braid {

inline void run_on_small_stack(std::function<void()> body) {
  constexpr size_t stack_size = 256 * 1024;
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, stack_size), 0);
  pthread_t thread;
  auto start = [](void* argument) -> void* {
    (*static_cast<std::function<void()>*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, start, &body), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
}

}  // namespace braid
