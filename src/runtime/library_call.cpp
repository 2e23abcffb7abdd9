#include "runtime/library_call.h"

namespace nvfuser {

void runSteps(const LibraryProgram& program, LibraryHost& host,
              const std::function<void(size_t number, std::span<void* const> held)>& launch) {
  std::vector<void*> held(program.held.size(), nullptr);
  for (const LibraryProgram::Step& step : program.steps) {
    for (const size_t number : step.allocated) {
      held[number] = host.allocate(number);
    }
    if (step.kind == LibraryProgram::Step::Kind::Launch) {
      launch(step.number, held);
    } else {
      host.call(program.calls[step.number], held);
    }
    for (const size_t number : step.released) {
      host.release(number);
      held[number] = nullptr;
    }
  }
}

}  // namespace nvfuser
