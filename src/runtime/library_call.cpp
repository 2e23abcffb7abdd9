#include "runtime/library_call.h"

namespace nvfuser {

void runSteps(const LibraryProgram* program, size_t launches, LibraryHost& host,
              const std::function<void(size_t number, std::span<void* const> held)>& launch) {
  const auto observe = [&](size_t number, std::span<void* const> held) {
    host.beginLaunch(number);
    launch(number, held);
    host.endLaunch(number);
  };
  if (program == nullptr) {
    for (size_t i = 0; i < launches; ++i) {
      observe(i, {});
    }
    return;
  }
  std::vector<void*> held(program->held.size(), nullptr);
  for (const LibraryProgram::Step& step : program->steps) {
    for (const size_t number : step.allocated) {
      held[number] = host.allocate(number);
    }
    if (step.kind == LibraryProgram::Step::Kind::Launch) {
      observe(step.number, held);
    } else {
      host.call(program->calls[step.number], held);
    }
    for (const size_t number : step.released) {
      host.release(number);
      held[number] = nullptr;
    }
  }
}

}  // namespace nvfuser
