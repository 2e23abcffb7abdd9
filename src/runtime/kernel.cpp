#include "runtime/kernel.h"

#include "device/cpu/thread_pool.h"
#include "emit/llvm.h"
#include "lower/lower.h"

namespace nvfuser {

std::shared_ptr<CompiledKernel> compileKernel(std::unique_ptr<Fusion> fusion,
                                              const ScheduleParams& params, std::string name) {
  auto compiled = std::make_shared<CompiledKernel>();
  compiled->fusion = std::move(fusion);
  applySchedule(compiled->fusion.get(), params);
  compiled->scheduledIr = compiled->fusion->printMath();
  compiled->kernel = lowerForCpu(compiled->fusion.get(), std::move(name));
  compiled->code = emitLlvm(*compiled->kernel);
  std::vector<std::string> symbols;
  for (size_t i = 0; i < compiled->kernel->phases.size(); ++i) {
    symbols.push_back(phaseName(*compiled->kernel, i));
  }
  compiled->loaded = llvmCompiler()(compiled->code, symbols);
  return compiled;
}

void runPhases(std::span<const PhaseLaunch> phases, const int64_t* arguments) {
  for (const PhaseLaunch& phase : phases) {
    cpu::parallelFor(phase.extent, phase.grain, [&](int64_t begin, int64_t end, int) {
      void* scratch = phase.scratchBytes == 0 ? nullptr : cpu::scratch(phase.scratchBytes);
      phase.function(arguments, begin, end, scratch);
    });
  }
}

}  // namespace nvfuser
