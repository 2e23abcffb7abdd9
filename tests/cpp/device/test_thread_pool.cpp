// The thread pool: what parts are made, that each runs once, errors, nesting, many callers, fork.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <vector>

#include "device/cpu/thread_pool.h"

#if defined(__SANITIZE_THREAD__)
// ThreadSanitizer otherwise ends forked processes that start threads.
extern "C" const char* __tsan_default_options() { return "die_after_fork=0"; }
#endif

namespace nvfuser::cpu {
namespace {

using Part = std::tuple<int64_t, int64_t, int>;

std::set<Part> partsOf(int64_t count, int64_t grain) {
  std::set<Part> parts;
  std::mutex mutex;
  parallelFor(count, grain, [&](int64_t begin, int64_t end, int part) {
    std::lock_guard lock(mutex);
    EXPECT_TRUE(parts.emplace(begin, end, part).second);
  });
  return parts;
}

TEST(ThreadPool, PartsCoverTheRangeInOrder) {
  setNumThreads(4);
  for (const int64_t count : {1, 2, 3, 4, 5, 7, 63, 64, 65, 1000, 1001}) {
    for (const int64_t grain : {1, 2, 10, 100, 5000}) {
      int64_t expectedBegin = 0;
      int expectedPart = 0;
      for (const auto& [begin, end, part] : partsOf(count, grain)) {
        EXPECT_EQ(begin, expectedBegin);
        EXPECT_EQ(part, expectedPart++);
        EXPECT_GT(end, begin);
        expectedBegin = end;
      }
      EXPECT_EQ(expectedBegin, count);
      EXPECT_EQ(expectedPart, partitionCount(count, grain));
      EXPECT_LE(expectedPart, 4);
    }
  }
}

TEST(ThreadPool, PartsAreTheSameEveryTime) {
  setNumThreads(3);
  const std::set<Part> expected{{0, 34, 0}, {34, 67, 1}, {67, 100, 2}};
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(partsOf(100, 1), expected);
  }
}

TEST(ThreadPool, PartsAreNotSmallerThanTheGrain) {
  setNumThreads(8);
  EXPECT_EQ(partitionCount(100, 60), 1);
  EXPECT_EQ(partitionCount(100, 50), 2);
  EXPECT_EQ(partitionCount(100, 30), 3);
  EXPECT_EQ(partitionCount(100, 1), 8);
  EXPECT_EQ(partitionCount(100, 0), 8);
  EXPECT_EQ(partitionCount(0, 1), 1);
}

TEST(ThreadPool, NothingToDoCallsNothing) {
  parallelFor(0, 1, [](int64_t, int64_t, int) { FAIL(); });
  parallelFor(-3, 1, [](int64_t, int64_t, int) { FAIL(); });
}

TEST(ThreadPool, OneThreadStaysOnTheCaller) {
  setNumThreads(1);
  parallelFor(1000, 1, [caller = std::this_thread::get_id()](int64_t begin, int64_t end, int part) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 1000);
    EXPECT_EQ(part, 0);
  });
}

TEST(ThreadPool, OtherThreadsHelp) {
  setNumThreads(3);
  // Every part waits for the others: that ends only if three threads are at it.
  std::atomic<int> arrived{0};
  parallelFor(3, 1, [&](int64_t, int64_t, int) {
    arrived.fetch_add(1);
    while (arrived.load() < 3) {
      std::this_thread::yield();
    }
  });
  EXPECT_EQ(arrived.load(), 3);
}

TEST(ThreadPool, CountOfThreadsMayChange) {
  for (const int threads : {2, 5, 1, 3}) {
    setNumThreads(threads);
    EXPECT_EQ(numThreads(), threads);
    EXPECT_EQ(static_cast<int>(partsOf(1000, 1).size()), threads);
  }
  setNumThreads(0);
  EXPECT_EQ(numThreads(), 1);
}

TEST(ThreadPool, NewThreadsTakeOverTheCount) {
  setNumThreads(6);
  std::thread([] {
    EXPECT_EQ(numThreads(), 6);
    setNumThreads(2);
  }).join();
  EXPECT_EQ(numThreads(), 6);
}

TEST(ThreadPool, NestedCallsRunInline) {
  setNumThreads(4);
  std::atomic<int64_t> total{0};
  parallelFor(4, 1, [&](int64_t begin, int64_t end, int) {
    const auto outer = std::this_thread::get_id();
    parallelFor(100, 1, [&](int64_t innerBegin, int64_t innerEnd, int part) {
      EXPECT_EQ(std::this_thread::get_id(), outer);
      EXPECT_EQ(part, 0);
      total.fetch_add((innerEnd - innerBegin) * (end - begin));
    });
  });
  EXPECT_EQ(total.load(), 400);
  EXPECT_EQ(numThreads(), 4);
}

TEST(ThreadPool, ExceptionsReachTheCaller) {
  setNumThreads(4);
  for (int i = 0; i < 50; ++i) {
    std::atomic<int> ran{0};
    const auto work = [&](int64_t, int64_t, int part) {
      ran.fetch_add(1);
      if (part % 2 == i % 2) {
        throw std::runtime_error("part failed");
      }
    };
    EXPECT_THROW(parallelFor(4, 1, work), std::runtime_error);
    EXPECT_EQ(ran.load(), 4);
  }
  // and leave nothing behind
  EXPECT_EQ(partsOf(4, 1).size(), 4u);
}

TEST(ThreadPool, ManyCallersAtOnce) {
  constexpr int64_t kCount = 997;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 6; ++caller) {
    callers.emplace_back([caller] {
      setNumThreads(1 + caller % 4);
      std::vector<int64_t> items(kCount);
      for (int round = 0; round < 300; ++round) {
        parallelFor(kCount, 10, [&](int64_t begin, int64_t end, int) {
          for (int64_t i = begin; i < end; ++i) {
            items[i] += i;
          }
        });
      }
      for (int64_t i = 0; i < kCount; ++i) {
        ASSERT_EQ(items[i], 300 * i);
      }
    });
  }
  for (std::thread& caller : callers) {
    caller.join();
  }
}

TEST(ThreadPool, ScratchIsOfThePartAlone) {
  setNumThreads(4);
  for (const size_t size : {100u, 5000u, 70u, 200000u}) {
    parallelFor(4, 1, [size](int64_t, int64_t, int part) {
      auto* bytes = static_cast<uint8_t*>(scratch(size));
      EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes) % 64, 0u);
      std::fill_n(bytes, size, static_cast<uint8_t>(part + 1));
      std::this_thread::yield();
      EXPECT_EQ(std::accumulate(bytes, bytes + size, size_t{0}), size * (part + 1));
    });
  }
}

TEST(ThreadPool, ScratchOutsideIsKeptWhilePartsRun) {
  setNumThreads(2);
  auto* outside = static_cast<uint8_t*>(scratch(64));
  std::fill_n(outside, 64, uint8_t{7});
  parallelFor(
      2, 1, [](int64_t, int64_t, int) { std::fill_n(static_cast<uint8_t*>(scratch(64)), 64, 9); });
  EXPECT_EQ(std::accumulate(outside, outside + 64, 0), 7 * 64);
}

TEST(ThreadPool, WorksInForkedProcesses) {
  setNumThreads(3);
  ASSERT_EQ(partsOf(3, 1).size(), 3u);
  for (int round = 0; round < 3; ++round) {
    // Until the workers sleep: the allocator of a sanitizer, unlike malloc, does not survive a fork
    // while another thread is in it, as starting threads are.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(60);
      std::atomic<int> arrived{0};
      parallelFor(3, 1, [&](int64_t, int64_t, int) {
        arrived.fetch_add(1);
        while (arrived.load() < 3) {
          std::this_thread::yield();
        }
      });
      _exit(arrived.load() == 3 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_EQ(partsOf(3, 1).size(), 3u);
  }
}

// What an OpenMP runtime offers: as many threads as asked for, or fewer.
std::atomic<int> teams{0};
template <unsigned kMost>
void runTeam(void (*work)(void*), void* data, unsigned threads, unsigned flags) {
  teams.fetch_add(1);
  EXPECT_EQ(flags, 0u);
  std::vector<std::thread> others;
  for (unsigned i = 1; i < std::min(threads, kMost); ++i) {
    others.emplace_back(work, data);
  }
  work(data);
  for (std::thread& other : others) {
    other.join();
  }
}

class ThreadPoolTeam : public testing::Test {
 protected:
  ThreadPoolTeam() { teams = 0; }
  ~ThreadPoolTeam() override { useTeam(nullptr); }
};

TEST_F(ThreadPoolTeam, PartsAreThoseOfThePool) {
  setNumThreads(3);
  const std::set<Part> expected = partsOf(100, 1);
  useTeam(runTeam<8>);
  EXPECT_EQ(partsOf(100, 1), expected);
  EXPECT_EQ(teams.load(), 1);
  useTeam(runTeam<2>);
  EXPECT_EQ(partsOf(100, 1), expected);
  useTeam(nullptr);
  EXPECT_EQ(partsOf(100, 1), expected);
  EXPECT_EQ(teams.load(), 2);
}

TEST_F(ThreadPoolTeam, AllThreadsAreAskedFor) {
  setNumThreads(4);
  useTeam([](void (*work)(void*), void* data, unsigned threads, unsigned) {
    EXPECT_EQ(threads, 4u);
    work(data);
  });
  EXPECT_EQ(partsOf(2, 1).size(), 2u);
}

TEST_F(ThreadPoolTeam, OnePartStaysOnTheCaller) {
  setNumThreads(4);
  useTeam(runTeam<8>);
  EXPECT_EQ(partsOf(100, 60).size(), 1u);
  EXPECT_EQ(teams.load(), 0);
}

TEST_F(ThreadPoolTeam, ExceptionsReachTheCaller) {
  setNumThreads(3);
  useTeam(runTeam<8>);
  const auto work = [](int64_t, int64_t, int part) {
    if (part == 2) {
      throw std::runtime_error("part failed");
    }
  };
  EXPECT_THROW(parallelFor(3, 1, work), std::runtime_error);
  EXPECT_EQ(partsOf(3, 1).size(), 3u);
}

TEST_F(ThreadPoolTeam, NestedCallsRunInline) {
  setNumThreads(2);
  useTeam(runTeam<8>);
  parallelFor(2, 1, [](int64_t, int64_t, int) { EXPECT_EQ(partsOf(100, 1).size(), 1u); });
  EXPECT_EQ(teams.load(), 1);
}

TEST_F(ThreadPoolTeam, ForkedProcessesHaveThePoolsThreads) {
  setNumThreads(2);
  useTeam(runTeam<8>);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);
    const bool complete = partsOf(100, 1).size() == 2;
    _exit(complete && teams.load() == 0 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(partsOf(100, 1).size(), 2u);
  EXPECT_EQ(teams.load(), 1);
}

}  // namespace
}  // namespace nvfuser::cpu
