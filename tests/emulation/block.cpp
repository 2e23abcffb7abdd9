#include "block.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

enum class State : uint8_t { Ready, AtBarrier, AtCollective, AtConvergence, Done, Failed };

struct Thread {
  Context context;
  int stack = -1;
  State state = State::Ready;
  Index3 index;
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

class Block {
 public:
  std::string run(const Launch& launch);
  [[noreturn]] void fail(std::string&& message, const void* place);
  int barrier(BarrierResult result, int predicate, int line);
  uint64_t collective(Collective kind, uint32_t mask, uint64_t value, int argument, int width,
                      int line);
  uint32_t activeMask(int line);
  StackPool& stacks() { return stacks_; }
  unsigned char* shared() { return shared_; }
  bool isRunning() const { return current_ != nullptr; }
  void runKernel();

 private:
  void reset();
  void runReadyThreads(bool forwards);
  bool hasRun() const;
  void reportFailure(const Thread& thread);
  void resume(Thread& thread);
  void yield();
  void converge();
  void releaseBarrier();
  void completeCollective(unsigned warp);
  std::string waiting() const;
  unsigned number(const Thread& thread) const {
    return static_cast<unsigned>(&thread - threads_.data());
  }

  const Launch* launch_ = nullptr;
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

Block block;

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
  block.runKernel();
  std::abort();
}

std::string Block::run(const Launch& launch) {
  launch_ = &launch;
  if (shared_ == nullptr) {
    shared_ = static_cast<unsigned char*>(
        mmap(nullptr, kSharedBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  }
  memory.setShared(reinterpret_cast<uintptr_t>(shared_), launch.sharedBytes);
  writable_blockDim = launch.block;
  writable_gridDim = launch.grid;
  error_.clear();
  for (unsigned z = 0; z < launch.grid.z; ++z) {
    for (unsigned y = 0; y < launch.grid.y; ++y) {
      for (unsigned x = 0; x < launch.grid.x; ++x) {
        writable_blockIdx = {x, y, z};
        reset();
        memory.beginBlock();
        for (bool forwards = (x + y + z) % 2 == 0; error_.empty(); forwards = !forwards) {
          runReadyThreads(forwards);
          if (!error_.empty() || hasRun()) {
            break;
          }
          const auto converges = [](const Thread& thread) {
            return thread.state == State::AtConvergence;
          };
          std::ranges::any_of(threads_, converges) ? converge() : releaseBarrier();
        }
        if (!error_.empty()) {
          stacks_.releaseAll();
          current_ = nullptr;
          return std::exchange(error_, {});
        }
      }
    }
  }
  return {};
}

void Block::reset() {
  const Index3 dim = launch_->block;
  threads_.resize(dim.x * dim.y * dim.z);
  unsigned i = 0;
  for (unsigned z = 0; z < dim.z; ++z) {
    for (unsigned y = 0; y < dim.y; ++y) {
      for (unsigned x = 0; x < dim.x; ++x, ++i) {
        threads_[i].state = State::Ready;
        threads_[i].stack = -1;
        threads_[i].index = {x, y, z};
      }
    }
  }
  warpSyncs_.assign(threads_.size() / kWarp + 1, 0);
  std::memset(shared_, kPoison, launch_->sharedBytes);
}

bool Block::hasRun() const {
  for (const Thread& thread : threads_) {
    if (thread.state != State::Done) {
      return false;
    }
  }
  return true;
}

void Block::runReadyThreads(bool forwards) {
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

void Block::resume(Thread& thread) {
  if (thread.stack < 0) {
    thread.stack = stacks_.acquire();
    stacks_.prepare(thread.stack, thread.context, &fiberMain);
  }
  current_ = &thread;
  writable_threadIdx = thread.index;
  memory.beginStrand(number(thread), warpSyncs_[number(thread) / kWarp]);
  switchContext(scheduler_, thread.context);
  current_ = nullptr;
  if (thread.state == State::Failed) {
    reportFailure(thread);
  } else if (thread.state == State::Done) {
    stacks_.release(thread.stack);
    thread.stack = -1;
    // Lanes that exit are no longer waited for.
    completeCollective(number(thread) / kWarp);
  }
}

void Block::runKernel() {
  launch_->kernel->call(launch_->arguments);
  current_->state = State::Done;
  yield();
}

void Block::yield() { switchContext(current_->context, scheduler_); }

// Only switches back: what looks up the line of the source starts a process, which is none of the
// business of a thread's small stack, and nothing may be thrown through the frames of a kernel.
void Block::fail(std::string&& message, const void* place) {
  failure_ = std::move(message);
  failedAt_ = place;
  current_->state = State::Failed;
  yield();
  std::abort();
}

// Runs on the stack of the launch. The thread's own is never continued.
void Block::reportFailure(const Thread& thread) {
  error_ = std::string(launch_->name) + ": thread " + toText(thread.index) + " of block " +
           toText(writable_blockIdx) + " " + failure_ + sourceLine(*launch_, failedAt_);
}

int Block::barrier(BarrierResult result, int predicate, int line) {
  Thread& thread = *current_;
  thread.state = State::AtBarrier;
  thread.barrier = result;
  thread.value = static_cast<uint64_t>(predicate);
  thread.line = line;
  yield();
  return static_cast<int>(thread.result);
}

// When no thread can run: all that have not exited must be at the same barrier.
void Block::releaseBarrier() {
  const Thread* first = nullptr;
  unsigned count = 0;
  unsigned predicates = 0;
  bool isSame = true;
  for (const Thread& thread : threads_) {
    if (thread.state == State::Done) {
      continue;
    }
    first = first == nullptr ? &thread : first;
    isSame = isSame && thread.state == State::AtBarrier && thread.line == first->line;
    ++count;
    predicates += thread.value != 0 ? 1 : 0;
  }
  if (!isSame) {
    error_ = std::string(launch_->name) + ": block " + toText(writable_blockIdx) +
             ": not all threads reach the same barrier: " + waiting();
    return;
  }
  for (Thread& thread : threads_) {
    if (thread.state == State::AtBarrier) {
      thread.state = State::Ready;
      thread.result = thread.barrier == BarrierResult::And  ? predicates == count
                      : thread.barrier == BarrierResult::Or ? predicates != 0
                                                            : predicates;
    }
  }
  memory.beginInterval();
}

std::string Block::waiting() const {
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
                                                : " wait for their warp in line ") +
            (thread.state == State::Done ? "" : std::to_string(thread.line));
    begin = i + 1;
  }
  return text;
}

uint32_t Block::activeMask(int line) {
  Thread& thread = *current_;
  thread.state = State::AtConvergence;
  thread.line = line;
  yield();
  return static_cast<uint32_t>(thread.result);
}

// Lanes that run together are those that ask, in the same place, which ones do.
void Block::converge() {
  for (Thread& thread : threads_) {
    if (thread.state != State::AtConvergence) {
      continue;
    }
    const unsigned lane = number(thread) % kWarp;
    thread.result = 0;
    for (unsigned other = 0; other < kWarp; ++other) {
      const size_t i = number(thread) - lane + other;
      if (i < threads_.size() && threads_[i].state == State::AtConvergence &&
          threads_[i].line == thread.line) {
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

uint64_t Block::collective(Collective kind, uint32_t mask, uint64_t value, int argument, int width,
                           int line) {
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
  completeCollective(number(thread) / kWarp);
  if (thread.state != State::Ready) {
    yield();
  } else {
    memory.beginStrand(number(thread), warpSyncs_[number(thread) / kWarp]);
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
void Block::completeCollective(unsigned warp) {
  const size_t first = static_cast<size_t>(warp) * kWarp;
  const auto lanes = static_cast<unsigned>(std::min<size_t>(kWarp, threads_.size() - first));
  for (unsigned leader = 0; leader < lanes; ++leader) {
    const Thread& thread = threads_[first + leader];
    if (thread.state != State::AtCollective) {
      continue;
    }
    uint32_t arrived = 0;
    uint32_t predicates = 0;
    bool isComplete = true;
    for (unsigned lane = 0; lane < lanes && isComplete; ++lane) {
      const Thread& other = threads_[first + lane];
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
      Thread& other = threads_[first + lane];
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
            other.result = threads_[first + source].value;
          }
        }
      }
    }
    if (thread.collective == Collective::Synchronize) {
      ++warpSyncs_[warp];
    }
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if ((arrived >> lane & 1) != 0) {
        threads_[first + lane].state = State::Ready;
      }
    }
  }
}

}  // namespace

std::string runGrid(const Launch& launch) { return block.run(launch); }

bool isThreadMemory(uintptr_t address) { return block.stacks().contains(address); }

void failThread(std::string message, const void* place) {
  if (!block.isRunning()) {
    std::fprintf(stderr, "CUDA emulation: code of a kernel runs outside of a launch: %s\n",
                 message.c_str());
    std::abort();
  }
  block.fail(std::move(message), place);
}

extern "C" {

unsigned char* emulated_shared_memory() { return block.shared(); }

int emulated_barrier(BarrierResult result, int predicate, int line) {
  return block.barrier(result, predicate, line);
}

uint64_t emulated_collective(Collective kind, uint32_t mask, uint64_t value, int argument,
                             int width, int line) {
  return block.collective(kind, mask, value, argument, width, line);
}

uint32_t emulated_active_mask(int line) { return block.activeMask(line); }

void emulated_trap(const char* message) { failThread(message, __builtin_return_address(0)); }

}  // extern "C"

}  // namespace emulation
