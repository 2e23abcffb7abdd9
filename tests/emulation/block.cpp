#include "block.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <sstream>
#include <utility>
#include <vector>

#include "fibers.h"
#include "files.h"
#include "memory.h"

// Defined with the name and the type that generated code sees, but not constant.
extern "C" {
emulation::Index3 writable_threadIdx asm("emulated_threadIdx");
emulation::Index3 writable_blockIdx asm("emulated_blockIdx");
emulation::Index3 writable_blockDim asm("emulated_blockDim");
emulation::Index3 writable_gridDim asm("emulated_gridDim");
}

namespace emulation {

namespace {

constexpr unsigned kWarp = 32;
// The most that a block can have on the device that is emulated, and a part beyond.
constexpr size_t kSharedBytes = 256 * 1024;
// NaN in every floating-point type.
constexpr int kPoison = 0xff;

enum class State : uint8_t {
  Ready,
  AtBarrier,
  AtCluster,
  AtCollective,
  AtConvergence,
  Done,
  Failed
};

struct Copy {
  void* out;
  const void* in;
  size_t size;
};

struct Thread {
  Context context;
  int stack = -1;
  State state = State::Ready;
  Index3 index;
  // Of its block in the cluster.
  unsigned block;
  // Barriers of the cluster that it has arrived at.
  unsigned arrivals;
  std::vector<Copy> copies;
  // What it waits for.
  int line;
  BarrierResult barrier;
  Collective collective;
  uint32_t mask;
  uint64_t value;
  int argument;
  int width;
  // What it gets.
  uint64_t result;
};

// The blocks of a cluster, of which most launches have one.
class Cluster {
 public:
  std::string run(const Launch& launch);
  [[noreturn]] void fail(std::string&& message, const void* place);
  int barrier(BarrierResult result, int predicate, int line);
  uint64_t collective(Collective kind, uint32_t mask, uint64_t value, int argument, int width,
                      int line);
  uint32_t activeMask(int line);
  void copyAsync(const Copy& copy) { current_->copies.push_back(copy); }
  void awaitCopies();
  void arrive() { ++current_->arrivals; }
  void wait(int line);
  StackPool& stacks() { return stacks_; }
  unsigned char* shared() { return shared_ + current_->block * kSharedBytes; }
  void* peerAddress(const void* address, unsigned rank);
  bool isRunning() const { return current_ != nullptr; }
  void runKernel();

 private:
  void reset();
  std::string runBlocks(bool forwards);
  void runReadyThreads(bool forwards);
  bool hasRun() const;
  void reportFailure(const Thread& thread);
  void resume(Thread& thread);
  void yield();
  void converge();
  void releaseBarriers();
  bool releaseBarrier(unsigned block);
  bool releaseClusterBarrier();
  void completeCollective(unsigned warp);
  std::string waiting() const;
  unsigned blockThreads() const { return launch_->block.x * launch_->block.y * launch_->block.z; }
  std::span<Thread> threadsOf(unsigned block) {
    return {threads_.data() + size_t{block} * blockThreads(), blockThreads()};
  }
  // In its block.
  unsigned number(const Thread& thread) const {
    return static_cast<unsigned>(&thread - threads_.data()) % blockThreads();
  }
  // Of all warps of the cluster.
  unsigned warpOf(const Thread& thread) const {
    return thread.block * (blockThreads() / kWarp + 1) + number(thread) / kWarp;
  }
  std::span<Thread> lanesOf(unsigned warp) {
    const unsigned warps = blockThreads() / kWarp + 1;
    const std::span<Thread> all = threadsOf(warp / warps);
    const size_t first = size_t{warp % warps} * kWarp;
    return all.subspan(first, std::min<size_t>(kWarp, all.size() - first));
  }

  const Launch* launch_ = nullptr;
  // Of the first block.
  Index3 first_{};
  std::vector<Thread> threads_;
  std::vector<unsigned> warpSyncs_;
  Thread* current_ = nullptr;
  Context scheduler_{};
  StackPool stacks_;
  unsigned char* shared_ = nullptr;
  std::string error_;
  // What a thread has failed with, until `reportFailure` makes an error of it.
  std::string failure_;
  const void* failedAt_ = nullptr;
};

Cluster cluster;

std::string toText(const Index3& index) {
  return "(" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " +
         std::to_string(index.z) + ")";
}

// The line of the kernel's text that an address belongs to.
std::string sourceLine(const Launch& launch, const void* place) {
  if (place == nullptr) {
    return "";
  }
  const std::string path = writeTemporaryFile(*launch.image);
  if (path.empty()) {
    return "";
  }
  // The address is that of the instruction after the call.
  std::ostringstream command;
  command << "addr2line -s -i -e '" << path << "' 0x" << std::hex
          << reinterpret_cast<uintptr_t>(place) - launch.base - 1 << " 2>/dev/null";
  std::string text;
  if (FILE* pipe = popen(command.str().c_str(), "r"); pipe != nullptr) {
    char line[512];
    while (std::fgets(line, sizeof(line), pipe) != nullptr) {
      text += text.empty() ? " at " : ", inlined at ";
      text += line;
      text.pop_back();
    }
    pclose(pipe);
  }
  unlink(path.c_str());
  return text;
}

void fiberMain() {
  cluster.runKernel();
  std::abort();
}

std::string Cluster::run(const Launch& launch) {
  launch_ = &launch;
  if (shared_ == nullptr) {
    shared_ = static_cast<unsigned char*>(mmap(nullptr, kClusterBlocks * kSharedBytes,
                                               PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                                               -1, 0));
  }
  const unsigned blocks = launch.kernel->clusterBlocks;
  memory.setShared(reinterpret_cast<uintptr_t>(shared_), launch.sharedBytes, kSharedBytes, blocks);
  writable_blockDim = launch.block;
  writable_gridDim = launch.grid;
  error_.clear();
  for (unsigned z = 0; z < launch.grid.z; ++z) {
    for (unsigned y = 0; y < launch.grid.y; y += blocks) {
      for (unsigned x = 0; x < launch.grid.x; ++x) {
        first_ = {x, y, z};
        if (std::string error = runBlocks((x + y + z) % 2 == 0); !error.empty()) {
          stacks_.releaseAll();
          current_ = nullptr;
          return error;
        }
      }
    }
  }
  return {};
}

std::string Cluster::runBlocks(bool forwards) {
  reset();
  memory.beginCluster();
  for (; error_.empty(); forwards = !forwards) {
    runReadyThreads(forwards);
    if (!error_.empty() || hasRun()) {
      break;
    }
    const auto converges = [](const Thread& thread) {
      return thread.state == State::AtConvergence;
    };
    std::ranges::any_of(threads_, converges) ? converge() : releaseBarriers();
  }
  return std::exchange(error_, {});
}

void Cluster::reset() {
  const Index3 dim = launch_->block;
  const unsigned blocks = launch_->kernel->clusterBlocks;
  threads_.resize(size_t{blocks} * blockThreads());
  unsigned i = 0;
  for (unsigned block = 0; block < blocks; ++block) {
    for (unsigned z = 0; z < dim.z; ++z) {
      for (unsigned y = 0; y < dim.y; ++y) {
        for (unsigned x = 0; x < dim.x; ++x, ++i) {
          threads_[i].state = State::Ready;
          threads_[i].stack = -1;
          threads_[i].index = {x, y, z};
          threads_[i].block = block;
          threads_[i].arrivals = 0;
          threads_[i].copies.clear();
        }
      }
    }
    std::memset(shared_ + block * kSharedBytes, kPoison, launch_->sharedBytes);
  }
  warpSyncs_.assign(size_t{blocks} * (blockThreads() / kWarp + 1), 0);
}

bool Cluster::hasRun() const {
  for (const Thread& thread : threads_) {
    if (thread.state != State::Done) {
      return false;
    }
  }
  return true;
}

void Cluster::runReadyThreads(bool forwards) {
  // Collectives make threads ready again that have been passed by.
  bool any = true;
  while (any) {
    any = false;
    for (size_t k = 0; k < threads_.size(); ++k) {
      Thread& thread = threads_[forwards ? k : threads_.size() - 1 - k];
      if (thread.state == State::Ready) {
        any = true;
        resume(thread);
        if (!error_.empty()) {
          return;
        }
      }
    }
  }
}

void Cluster::resume(Thread& thread) {
  if (thread.stack < 0) {
    thread.stack = stacks_.acquire();
    stacks_.prepare(thread.stack, thread.context, &fiberMain);
  }
  current_ = &thread;
  writable_threadIdx = thread.index;
  writable_blockIdx = {first_.x, first_.y + thread.block, first_.z};
  memory.beginStrand(thread.block, number(thread), warpSyncs_[warpOf(thread)]);
  switchContext(scheduler_, thread.context);
  current_ = nullptr;
  if (thread.state == State::Failed) {
    reportFailure(thread);
  } else if (thread.state == State::Done) {
    stacks_.release(thread.stack);
    thread.stack = -1;
    // Lanes that exit are no longer waited for.
    completeCollective(warpOf(thread));
  }
}

void Cluster::runKernel() {
  launch_->kernel->call(launch_->arguments);
  current_->state = State::Done;
  yield();
}

void Cluster::yield() { switchContext(current_->context, scheduler_); }

// Only switches back: what looks up the line of the source starts a process, which is none of the
// business of a thread's small stack, and nothing may be thrown through the frames of a kernel.
void Cluster::fail(std::string&& message, const void* place) {
  failure_ = std::move(message);
  failedAt_ = place;
  current_->state = State::Failed;
  yield();
  std::abort();
}

// Runs on the stack of the launch. The thread's own is never continued.
void Cluster::reportFailure(const Thread& thread) {
  error_ = std::string(launch_->name) + ": thread " + toText(thread.index) + " of block " +
           toText(writable_blockIdx) + " " + failure_ + sourceLine(*launch_, failedAt_);
}

int Cluster::barrier(BarrierResult result, int predicate, int line) {
  Thread& thread = *current_;
  thread.state = State::AtBarrier;
  thread.barrier = result;
  thread.value = static_cast<uint64_t>(predicate);
  thread.line = line;
  yield();
  return static_cast<int>(thread.result);
}

void Cluster::awaitCopies() {
  for (const Copy& copy : std::exchange(current_->copies, {})) {
    if (reinterpret_cast<uintptr_t>(copy.out) % copy.size != 0 ||
        reinterpret_cast<uintptr_t>(copy.in) % copy.size != 0) {
      fail("copies " + std::to_string(copy.size) + " bytes at an address that is not aligned",
           nullptr);
    }
    std::string error = memory.read(reinterpret_cast<uintptr_t>(copy.in), copy.size);
    if (error.empty()) {
      error = memory.write(reinterpret_cast<uintptr_t>(copy.out), copy.size);
    }
    if (!error.empty()) {
      fail(std::move(error), nullptr);
    }
    std::memcpy(copy.out, copy.in, copy.size);
  }
}

void Cluster::wait(int line) {
  current_->state = State::AtCluster;
  current_->line = line;
  yield();
}

void* Cluster::peerAddress(const void* address, unsigned rank) {
  const auto* const own = static_cast<const unsigned char*>(address);
  if (own < shared() || own >= shared() + launch_->sharedBytes ||
      rank >= launch_->kernel->clusterBlocks) {
    fail("maps an address to another block that is not one of shared memory, or to no block",
         __builtin_return_address(0));
  }
  return shared_ + rank * kSharedBytes + (own - shared());
}

// When no thread can run.
void Cluster::releaseBarriers() {
  bool any = releaseClusterBarrier();
  for (unsigned block = 0; block < launch_->kernel->clusterBlocks; ++block) {
    any = releaseBarrier(block) || any;
  }
  if (!any && error_.empty()) {
    error_ = std::string(launch_->name) + ": cluster of block " + toText(first_) +
             ": not all threads reach the same barrier: " + waiting();
  }
}

// All that have not exited must have arrived as often as those that wait.
bool Cluster::releaseClusterBarrier() {
  const auto waits = [](const Thread& thread) { return thread.state == State::AtCluster; };
  const auto waiting = std::ranges::find_if(threads_, waits);
  if (waiting == threads_.end() || !std::ranges::all_of(threads_, [&](const Thread& thread) {
        return thread.state == State::Done || thread.arrivals >= waiting->arrivals;
      })) {
    return false;
  }
  for (Thread& thread : threads_) {
    thread.state = waits(thread) ? State::Ready : thread.state;
  }
  memory.beginClusterInterval();
  return true;
}

// All that have not exited must be at the same barrier, or at none of the block.
bool Cluster::releaseBarrier(unsigned number) {
  const std::span<Thread> threads = threadsOf(number);
  if (std::ranges::none_of(threads,
                           [](const Thread& thread) { return thread.state == State::AtBarrier; })) {
    return false;
  }
  const Thread* first = nullptr;
  unsigned count = 0;
  unsigned predicates = 0;
  bool isSame = true;
  for (const Thread& thread : threads) {
    if (thread.state == State::Done) {
      continue;
    }
    first = first == nullptr ? &thread : first;
    isSame = isSame && thread.state == State::AtBarrier && thread.line == first->line;
    ++count;
    predicates += thread.value != 0 ? 1 : 0;
  }
  if (!isSame) {
    error_ = std::string(launch_->name) + ": block " +
             toText({first_.x, first_.y + number, first_.z}) +
             ": not all threads reach the same barrier: " + waiting();
    return false;
  }
  for (Thread& thread : threads) {
    if (thread.state == State::AtBarrier) {
      thread.state = State::Ready;
      thread.result = thread.barrier == BarrierResult::And  ? predicates == count
                      : thread.barrier == BarrierResult::Or ? predicates != 0
                                                            : predicates;
    }
  }
  memory.beginInterval(number);
  return true;
}

std::string Cluster::waiting() const {
  std::string text;
  const auto key = [](const Thread& thread) {
    return thread.state == State::Done ? -1 : thread.line * 2 + (thread.state == State::AtBarrier);
  };
  for (size_t i = 0, begin = 0; i < threads_.size(); ++i) {
    if (i + 1 < threads_.size() && key(threads_[i + 1]) == key(threads_[i])) {
      continue;
    }
    const Thread& thread = threads_[i];
    text += (text.empty() ? "threads " : ", ") + std::to_string(begin) + " to " +
            std::to_string(i) +
            (thread.state == State::Done        ? " have exited"
             : thread.state == State::AtBarrier ? " wait at the barrier of line "
             : thread.state == State::AtCluster ? " wait for their cluster in line "
                                                : " wait for their warp in line ") +
            (thread.state == State::Done ? "" : std::to_string(thread.line));
    begin = i + 1;
  }
  return text;
}

uint32_t Cluster::activeMask(int line) {
  Thread& thread = *current_;
  thread.state = State::AtConvergence;
  thread.line = line;
  yield();
  return static_cast<uint32_t>(thread.result);
}

// Lanes that run together are those that ask, in the same place, which ones do.
void Cluster::converge() {
  for (Thread& thread : threads_) {
    if (thread.state != State::AtConvergence) {
      continue;
    }
    thread.result = 0;
    const std::span<Thread> lanes = lanesOf(warpOf(thread));
    for (size_t other = 0; other < lanes.size(); ++other) {
      if (lanes[other].state == State::AtConvergence && lanes[other].line == thread.line) {
        thread.result |= 1u << other;
      }
    }
  }
  for (Thread& thread : threads_) {
    if (thread.state == State::AtConvergence) {
      thread.state = State::Ready;
    }
  }
}

uint64_t Cluster::collective(Collective kind, uint32_t mask, uint64_t value, int argument,
                             int width, int line) {
  Thread& thread = *current_;
  if ((mask >> number(thread) % kWarp & 1) == 0) {
    fail("is not in the mask of its warp's operation in line " + std::to_string(line), nullptr);
  }
  thread.state = State::AtCollective;
  thread.collective = kind;
  thread.mask = mask;
  thread.value = value;
  thread.argument = argument;
  thread.width = width;
  thread.line = line;
  completeCollective(warpOf(thread));
  if (thread.state != State::Ready) {
    yield();
  } else {
    memory.beginStrand(thread.block, number(thread), warpSyncs_[warpOf(thread)]);
  }
  return thread.result;
}

// The lane that a shuffle reads; out of range, the lane itself.
unsigned sourceLane(const Thread& thread, unsigned lane) {
  const auto width = static_cast<unsigned>(thread.width);
  const unsigned first = lane / width * width;
  const unsigned last = first + width - 1;
  const auto argument = static_cast<unsigned>(thread.argument);
  switch (thread.collective) {
    case Collective::ShuffleUp:
      return argument > lane - first ? lane : lane - argument;
    case Collective::ShuffleDown:
      return argument > last - lane ? lane : lane + argument;
    case Collective::ShuffleXor:
      return (lane ^ argument) > last ? lane : lane ^ argument;
    default:
      return first + argument % width;
  }
}

// Gives every group of lanes that have all arrived what they wait for.
void Cluster::completeCollective(unsigned warp) {
  const std::span<Thread> threads = lanesOf(warp);
  const auto lanes = static_cast<unsigned>(threads.size());
  for (unsigned leader = 0; leader < lanes; ++leader) {
    const Thread& thread = threads[leader];
    if (thread.state != State::AtCollective) {
      continue;
    }
    uint32_t arrived = 0;
    uint32_t predicates = 0;
    bool isComplete = true;
    for (unsigned lane = 0; lane < lanes && isComplete; ++lane) {
      const Thread& other = threads[lane];
      if ((thread.mask >> lane & 1) == 0 || other.state == State::Done) {
        continue;
      }
      isComplete = other.state == State::AtCollective && other.line == thread.line &&
                   other.mask == thread.mask;
      arrived |= 1u << lane;
      predicates |= (other.value != 0 ? 1u : 0u) << lane;
    }
    if (!isComplete) {
      continue;
    }
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if ((arrived >> lane & 1) == 0) {
        continue;
      }
      Thread& other = threads[lane];
      switch (other.collective) {
        case Collective::Synchronize:
          break;
        case Collective::Any:
          other.result = predicates != 0;
          break;
        case Collective::All:
          other.result = predicates == arrived;
          break;
        case Collective::Ballot:
          other.result = predicates;
          break;
        default: {
          const unsigned source = sourceLane(other, lane);
          // What a lane that takes no part has is undefined.
          std::memset(&other.result, kPoison, sizeof(other.result));
          if ((arrived >> source & 1) != 0) {
            other.result = threads[source].value;
          }
        }
      }
    }
    if (thread.collective == Collective::Synchronize) {
      ++warpSyncs_[warp];
    }
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if ((arrived >> lane & 1) != 0) {
        threads[lane].state = State::Ready;
      }
    }
  }
}

}  // namespace

std::string runGrid(const Launch& launch) { return cluster.run(launch); }

bool isThreadMemory(uintptr_t address) { return cluster.stacks().contains(address); }

void failThread(std::string message, const void* place) {
  if (!cluster.isRunning()) {
    std::fprintf(stderr, "CUDA emulation: code of a kernel runs outside of a launch: %s\n",
                 message.c_str());
    std::abort();
  }
  cluster.fail(std::move(message), place);
}

extern "C" {

unsigned char* emulated_shared_memory() { return cluster.shared(); }

int emulated_barrier(BarrierResult result, int predicate, int line) {
  return cluster.barrier(result, predicate, line);
}

uint64_t emulated_collective(Collective kind, uint32_t mask, uint64_t value, int argument,
                             int width, int line) {
  return cluster.collective(kind, mask, value, argument, width, line);
}

uint32_t emulated_active_mask(int line) { return cluster.activeMask(line); }

void* emulated_peer_address(const void* address, unsigned rank) {
  return cluster.peerAddress(address, rank);
}

void emulated_copy_async(void* out, const void* in, size_t size) {
  cluster.copyAsync({out, in, size});
}

void emulated_await_copies() { cluster.awaitCopies(); }

void emulated_cluster_arrive() { cluster.arrive(); }

void emulated_cluster_wait(int line) { cluster.wait(line); }

void emulated_trap(const char* message) { failThread(message, __builtin_return_address(0)); }

}  // extern "C"

}  // namespace emulation
