#include "runtime/kernel.h"

#include <cstdio>

#include "core/error.h"
#include "core/options.h"
#include "lower/lower.h"
#include "runtime/backend.h"
#include "runtime/kernel_name.h"

namespace nvfuser {

namespace {

void dump(Option option, const char* what, const std::string& name, const std::string& text) {
  if (isOn(option)) {
    printDump(what + name, text);
  }
}

std::string parallelDimensions(const std::string& label, const kir::Kernel& kernel) {
  std::string text;
  for (size_t i = 0; i < kernel.phases.size(); ++i) {
    text += label + "_phase" + std::to_string(i) + ":";
    for (const kir::ThreadDimension& dimension : kernel.phases[i].threads) {
      text += concatenate(" ", dimension.type, " = ", dimension.extent->toString());
    }
    if (const Val* extent = kernel.phases[i].parallelExtent; extent != nullptr) {
      text += " workers = " + extent->toString();
    }
    text += "\n";
  }
  return text;
}

void writeCode(const CompiledKernel& compiled, const char* suffix) {
  const std::string path = compiled.label + "." + suffix;
  std::FILE* file = std::fopen(path.c_str(), "w");
  NVF_CHECK(file != nullptr, "The code of a kernel cannot be written to ", path,
            ", as NVFUSER_DUMP=cuda_to_file asks for");
  std::fwrite(compiled.code.data(), 1, compiled.code.size(), file);
  std::fclose(file);
}

void dumpCode(const CompiledKernel& compiled, const char* suffix) {
  dump(Option::dump_cuda_kernel, "Code of ", compiled.label, compiled.code);
  if (isOn(Option::dump_cuda_to_file)) {
    writeCode(compiled, suffix);
  }
}

void dumpKernel(const CompiledKernel& compiled, const char* suffix) {
  if (compiled.kernel == nullptr) {
    dumpCode(compiled, suffix);
    return;
  }
  const kir::Kernel& kernel = *compiled.kernel;
  if (isOn(Option::dump_kernel_ir)) {
    printDump("Kernel IR of " + compiled.label, toString(kernel));
  }
  if (isOn(Option::dump_parallel_dimensions)) {
    printDump("Parallel dimensions of " + compiled.label,
              parallelDimensions(compiled.label, kernel));
  }
  dump(Option::dump_index_type, "Index type of ", compiled.label,
       kernel.hasWideIndex ? "int64_t" : "int");
  dumpCode(compiled, suffix);
}

// Adds the time that something takes to that of a kernel.
class Stopwatch {
 public:
  explicit Stopwatch(CompiledKernel& kernel) : kernel_(kernel) {
    kernel_.compilingBegan = std::chrono::steady_clock::now();
  }
  ~Stopwatch() { kernel_.compileTime += std::chrono::steady_clock::now() - kernel_.compilingBegan; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  CompiledKernel& kernel_;
};

}  // namespace

std::string CompiledKernel::scheduledIr(bool tensorTransforms) const {
  const std::string text = fusion->printScheduled();
  return tensorTransforms ? text + fusion->printTransforms() : text;
}

std::shared_ptr<CompiledKernel> generateKernel(const Backend& backend,
                                               std::unique_ptr<Fusion> fusion,
                                               const ScheduleParams& params, std::string label) {
  auto compiled = std::make_shared<CompiledKernel>();
  const Stopwatch stopwatch(*compiled);
  compiled->label = std::move(label);
  compiled->scheduler = typeOf(params);
  compiled->fusion = std::move(fusion);
  compiled->definition = compiled->fusion->printMath();
  dump(Option::dump_fusion_ir_presched, "Fusion IR before scheduling of ", compiled->label,
       compiled->definition);
  if (isOn(Option::dump_scheduler_params)) {
    printDump("Scheduler parameters of " + compiled->label, toString(params));
  }
  compiled->name = kernelName(*compiled->fusion, compiled->definition, params);
  applySchedule(compiled->fusion.get(), params);
  if (isOn(Option::dump_fusion_ir)) {
    printDump("Fusion IR of " + compiled->label, compiled->scheduledIr(true));
  }
  if (isOn(Option::dump_fusion_ir_math)) {
    printDump("Fusion math of " + compiled->label, compiled->scheduledIr(false));
  }
  const Target target = backend.target();
  compiled->kernel =
      lower(compiled->fusion.get(), compiled->name, target, params.scheduler != nullptr);
  for (const kir::Phase& phase : compiled->kernel->phases) {
    compiled->work.push_back(workOf(phase));
  }
  compiled->kernel->hasWideIndex = params.hasWideIndex;
  compiled->kernel->settledInputs = params.settledInputs;
  compiled->kernel->isAlone = params.isAlone;
  // A user's blocks may be as large as any.
  compiled->kernel->maxThreads = params.scheduler == nullptr ? target.gpu.threadsPerBlock
                                                             : params.scheduler->maxThreads(params);
  compiled->kernel->minBlocks =
      params.scheduler == nullptr ? 0 : params.scheduler->minBlocks(params);
  compiled->code = backend.emit(*compiled->kernel);
  dumpKernel(*compiled, backend.codeSuffix());
  return compiled;
}

std::shared_ptr<CompiledKernel> generateGroup(const Backend& backend, const GroupMembers& members) {
  auto compiled = std::make_shared<CompiledKernel>();
  const Stopwatch stopwatch(*compiled);
  kir::KernelGroup group;
  for (const auto& [kernel, count] : members) {
    compiled->label += (compiled->label.empty() ? "" : "+") + kernel->label;
    compiled->definition += kernel->definition;
    compiled->members.push_back(kernel);
    compiled->scheduler = kernel->scheduler;
    if (kernel->loaded.addresses.empty()) {
      compiled->compileTime += kernel->compileTime;
    }
    group.members.push_back({kernel->kernel.get(), count});
  }
  compiled->name = groupName(group);
  group.name = compiled->name;
  compiled->code = backend.emit(group);
  dumpKernel(*compiled, backend.codeSuffix());
  return compiled;
}

void load(const Backend& backend, CompiledKernel& kernel) {
  if (!kernel.loaded.addresses.empty()) {
    return;
  }
  const Stopwatch stopwatch(kernel);
  std::vector<std::string> functions;
  const size_t phases = kernel.kernel == nullptr ? 1 : kernel.kernel->phases.size();
  for (size_t i = 0; i < phases; ++i) {
    functions.push_back(kernel.functionName(i));
  }
  kernel.loaded = backend.load(kernel.code, functions);
}

}  // namespace nvfuser
