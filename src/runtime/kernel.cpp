#include "runtime/kernel.h"

#include "lower/kernel.h"
#include "runtime/backend.h"

namespace nvfuser {

std::shared_ptr<CompiledKernel> compileKernel(const Backend& backend,
                                              std::unique_ptr<Fusion> fusion,
                                              const ScheduleParams& params, std::string name) {
  auto compiled = std::make_shared<CompiledKernel>();
  compiled->compilingBegan = std::chrono::steady_clock::now();
  compiled->scheduler = params.type;
  compiled->fusion = std::move(fusion);
  compiled->definition = compiled->fusion->printMath();
  applySchedule(compiled->fusion.get(), params);
  compiled->scheduledIr = compiled->fusion->printMath();
  compiled->kernel = backend.lower(compiled->fusion.get(), std::move(name));
  compiled->kernel->hasWideIndex = params.hasWideIndex;
  if (params.gpu.batches > 0) {
    compiled->kernel->maxThreads = params.gpu.threadsX * params.gpu.threadsY;
  }
  compiled->kernel->minBlocks = params.gpu.minBlocks;
  if (params.type == SchedulerType::None) {
    // A user's blocks may be as large as any.
    constexpr int64_t kMaxThreads = 1024;
    compiled->kernel->maxThreads = kMaxThreads;
  }
  compiled->code = backend.emit(*compiled->kernel);
  std::vector<std::string> functions;
  for (size_t i = 0; i < compiled->kernel->phases.size(); ++i) {
    functions.push_back(phaseName(*compiled->kernel, i));
  }
  compiled->loaded = backend.load(compiled->code, functions);
  compiled->compilingEnded = std::chrono::steady_clock::now();
  return compiled;
}

}  // namespace nvfuser
