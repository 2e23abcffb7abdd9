#include "device/cpu/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace nvfuser::cpu {

namespace {

// How long a thread looks for more to do before it sleeps. Waking a sleeping thread takes 5 to 50
// us; spinning longer than that would only burn what other processes could use.
constexpr auto kSpinTime = std::chrono::microseconds(20);

void pauseBriefly() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Whether `done` became true within kSpinTime.
template <typename Condition>
bool spinUntil(Condition done) {
  const auto deadline = std::chrono::steady_clock::now() + kSpinTime;
  do {
    for (int i = 0; i < 32; ++i) {
      if (done()) {
        return true;
      }
      pauseBriefly();
    }
  } while (std::chrono::steady_clock::now() < deadline);
  return false;
}

// A counter to sleep on. Both sides are sequentially consistent: either the sleeper sees the new
// count, or the one who counts sees the sleeper.
class Event {
 public:
  uint32_t count() const { return count_.load(); }

  void sleepWhile(uint32_t seen) {
    sleepers_.fetch_add(1);
#if defined(__linux__)
    // Returns at once when the count differs already; all wake-ups are checked by the caller.
    syscall(SYS_futex, reinterpret_cast<uint32_t*>(&count_), FUTEX_WAIT_PRIVATE, seen, nullptr,
            nullptr, 0);
#else
    count_.wait(seen);
#endif
    sleepers_.fetch_sub(1);
  }

  void notify(int64_t threads) {
    count_.fetch_add(1);
    if (sleepers_.load() == 0) {
      return;
    }
#if defined(__linux__)
    syscall(SYS_futex, reinterpret_cast<uint32_t*>(&count_), FUTEX_WAKE_PRIVATE,
            static_cast<int>(std::min<int64_t>(threads, 1 << 20)), nullptr, nullptr, 0);
#else
    count_.notify_all();
#endif
  }

 private:
  std::atomic<uint32_t> count_{0};
  std::atomic<uint32_t> sleepers_{0};
};
static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));

// One parallelFor, on the stack of its caller.
struct Job {
  int64_t count;
  int64_t parts;
  detail::PartFunction function;
  void* context;
  Job* next = nullptr;
  std::atomic<int64_t> taken{0};
  // Workers that may still touch this job; they join it under the pool's lock.
  std::atomic<int> workers{0};
  std::atomic<bool> failed{false};
  std::exception_ptr error;

  bool hasParts() const { return taken.load(std::memory_order_relaxed) < parts; }
  void execute();
};

thread_local bool insidePart = false;

void Job::execute() {
  const int64_t size = count / parts;
  const int64_t longer = count % parts;
  insidePart = true;
  for (int64_t part; (part = taken.fetch_add(1, std::memory_order_relaxed)) < parts;) {
    // The first `longer` parts have one more item.
    const int64_t begin = part * size + std::min(part, longer);
    const int64_t end = begin + size + (part < longer ? 1 : 0);
    try {
      function(context, begin, end, static_cast<int>(part));
    } catch (...) {
      if (!failed.exchange(true)) {
        error = std::current_exception();
      }
    }
  }
  insidePart = false;
}

int availableCpus() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    return std::max(1, CPU_COUNT(&set));
  }
#endif
  return std::max(1u, std::thread::hardware_concurrency());
}

// Threads are started when they are first needed, run until the process ends, and are never joined:
// the pool is not destroyed, so nothing is left to go wrong at exit.
class Pool {
 public:
  // The process' pool.
  static Pool& get();

  explicit Pool(Pool* abandoned) : abandoned_(abandoned) {}

  void run(Job& job) {
    post(job);
    job.execute();
    withdraw(job);
    waitForWorkers(job);
  }

 private:
  void post(Job& job) {
    const int64_t helpers = job.parts - 1;
    {
      std::lock_guard lock(mutex_);
      startWorkers(helpers);
      job.next = jobs_;
      jobs_ = &job;
    }
    posted_.notify(helpers);
  }

  void withdraw(Job& job) {
    std::lock_guard lock(mutex_);
    Job** link = &jobs_;
    while (*link != &job) {
      link = &(*link)->next;
    }
    *link = job.next;
  }

  void waitForWorkers(Job& job) {
    const auto done = [&] { return job.workers.load() == 0; };
    if (done() || (maySpin_.load(std::memory_order_relaxed) && spinUntil(done))) {
      return;
    }
    for (;;) {
      const uint32_t seen = left_.count();
      if (done()) {
        return;
      }
      left_.sleepWhile(seen);
    }
  }

  Job* join() {
    std::lock_guard lock(mutex_);
    for (Job* job = jobs_; job != nullptr; job = job->next) {
      if (job->hasParts()) {
        job->workers.fetch_add(1);
        return job;
      }
    }
    return nullptr;
  }

  void work() {
    for (;;) {
      const uint32_t seen = posted_.count();
      if (Job* job = join()) {
        job->execute();
        // The last touch: the job may be gone right after it.
        job->workers.fetch_sub(1);
        left_.notify(1 << 20);
        continue;
      }
      const auto posted = [&] { return posted_.count() != seen; };
      if (!maySpin_.load(std::memory_order_relaxed) || !spinUntil(posted)) {
        posted_.sleepWhile(seen);
      }
    }
  }

  void startWorkers(int64_t wanted) {
    if (started_ >= wanted) {
      return;
    }
    // Signals are for the threads of the program, not for these.
    sigset_t all, previous;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &previous);
    try {
      for (; started_ < wanted; ++started_) {
        std::thread([this] { work(); }).detach();
      }
    } catch (const std::system_error&) {
      // No more threads to be had: the parts are done by those that there are.
    }
    pthread_sigmask(SIG_SETMASK, &previous, nullptr);
    // Spinning threads that outnumber the CPUs would keep each other from working.
    maySpin_.store(started_ + 1 <= availableCpus(), std::memory_order_relaxed);
  }

  std::mutex mutex_;
  Job* jobs_ = nullptr;
  int64_t started_ = 0;
  std::atomic<bool> maySpin_{true};
  Event posted_;
  Event left_;
  // The pool of the process this one was forked from: its threads are not here, its locks are in an
  // unknown state, and nothing of it is used any more.
  [[maybe_unused]] Pool* const abandoned_;
};

std::atomic<Pool*> currentPool{nullptr};
Pool* poolBeforeFork = nullptr;

std::atomic<TeamFunction> currentTeam{nullptr};

// When the library is loaded, not when the pool is made: no lock that a fork could leave locked.
// The threads of a team stay behind as well, and the runtime they belong to waits for them for
// ever.
[[maybe_unused]] const int registeredForFork = pthread_atfork(nullptr, nullptr, [] {
  poolBeforeFork = currentPool.exchange(nullptr);
  currentTeam.store(nullptr);
});

Pool& Pool::get() {
  if (Pool* pool = currentPool.load(std::memory_order_acquire)) [[likely]] {
    return *pool;
  }
  auto made = std::make_unique<Pool>(poolBeforeFork);
  Pool* expected = nullptr;
  if (currentPool.compare_exchange_strong(expected, made.get())) {
    return *made.release();
  }
  return *expected;
}

std::atomic<int> commonNumThreads{0};
thread_local int ownNumThreads = 0;

struct ScratchMemory {
  void* data = nullptr;
  size_t capacity = 0;
  ~ScratchMemory() { std::free(data); }
};
// One for parts, one for what the same thread does outside of them.
thread_local ScratchMemory scratchMemory[2];

}  // namespace

void setNumThreads(int n) {
  ownNumThreads = std::max(1, n);
  commonNumThreads.store(ownNumThreads, std::memory_order_relaxed);
}

int numThreads() {
  if (insidePart) {
    return 1;
  }
  if (ownNumThreads == 0) [[unlikely]] {
    const int common = commonNumThreads.load(std::memory_order_relaxed);
    ownNumThreads = common != 0 ? common : availableCpus();
  }
  return ownNumThreads;
}

void useTeam(TeamFunction team) { currentTeam.store(team, std::memory_order_relaxed); }

int64_t partitionCount(int64_t count, int64_t grain) {
  const int64_t possible = count / std::max<int64_t>(grain, 1);
  if (possible <= 1) {
    return 1;
  }
  return std::min<int64_t>(possible, numThreads());
}

void* scratch(size_t bytes) {
  constexpr size_t kAlignment = 64;
  ScratchMemory& memory = scratchMemory[insidePart ? 1 : 0];
  if (bytes > memory.capacity) {
    const size_t capacity =
        (std::max(bytes, 2 * memory.capacity) + kAlignment - 1) & ~(kAlignment - 1);
    void* data = std::aligned_alloc(kAlignment, capacity);
    if (data == nullptr) {
      throw std::bad_alloc();
    }
    std::free(memory.data);
    memory.data = data;
    memory.capacity = capacity;
  }
  return memory.data;
}

void detail::runParts(int64_t count, int64_t parts, PartFunction function, void* context) {
  Job job{.count = count, .parts = parts, .function = function, .context = context, .error = {}};
  if (const TeamFunction team = currentTeam.load(std::memory_order_relaxed)) {
    // All of the threads, however few parts there are: a runtime would end those that a smaller
    // team leaves out, and start them again for the next one.
    team([](void* data) { static_cast<Job*>(data)->execute(); }, &job,
         static_cast<unsigned>(numThreads()), 0);
  } else {
    Pool::get().run(job);
  }
  if (job.error) {
    std::rethrow_exception(job.error);
  }
}

}  // namespace nvfuser::cpu
