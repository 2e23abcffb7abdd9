#include "emit/cuda/group.h"

#include <algorithm>

#include "emit/cuda.h"

namespace nvfuser {

namespace {

// "const float* __restrict__ T0": no two pointers are restricted against each other in a structure,
// but where the function gets them.
std::string fieldOf(std::string parameter) {
  const std::string restricted = "__restrict__ ";
  if (const size_t at = parameter.find(restricted); at != std::string::npos) {
    parameter.erase(at, restricted.size());
  }
  return parameter + ";";
}

std::string nameOf(const std::string& parameter) {
  return parameter.substr(parameter.find_last_of(' ') + 1);
}

bool has(const kir::Phase& phase, ParallelType type) {
  return std::ranges::find(phase.threads, type, &kir::ThreadDimension::type) != phase.threads.end();
}

// Which block of its own kernel's grid it is, by its number there.
std::string ownBlock(const kir::Phase& phase) {
  if (has(phase, ParallelType::GridZ)) {
    return "nvf::block_in_space(number, own.grid_x, own.grid_x_divisor, own.grid_y, "
           "own.grid_y_divisor)";
  }
  if (has(phase, ParallelType::GridY)) {
    return "nvf::block_in_plane(number, own.grid_x, own.grid_x_divisor)";
  }
  return "uint3{(unsigned)number, 0u, 0u}";
}

class GroupEmitter {
 public:
  explicit GroupEmitter(const kir::KernelGroup& group)
      : group_(group), arguments_(group.name + "_arguments") {}

  std::string run() {
    for (size_t i = 0; i < group_.members.size(); ++i) {
      addMember(i);
    }
    std::string bounds;
    if (threads_ > 0) {
      bounds = "__launch_bounds__(" + std::to_string(threads_) +
               (minBlocks_ > 1 ? ", " + std::to_string(minBlocks_) : "") + ") ";
    }
    return functions_ + "struct " + arguments_ + " {\n" + fields_ + "  long long first_blocks[" +
           std::to_string(count_) + "];\n};\n\nextern \"C\" __global__ void " + bounds +
           group_.name + "_phase0(\n    const __grid_constant__ " + arguments_ +
           " arguments) {\n  const int block = blockIdx.x;\n" + calls_ + "}\n";
  }

 private:
  void addMember(size_t i) {
    const kir::KernelGroup::Member& member = group_.members[i];
    const kir::Phase& phase = member.kernel->phases.front();
    const std::string number = std::to_string(i);
    const std::string function = "member" + number;
    const cuda::MemberText text = cuda::emitMember(*member.kernel, function);
    functions_ += "// Of " + member.kernel->name + ":\n" + text.text + "\n";
    fields_ += "  struct Member" + number + " {\n";
    std::string call = function + "(";
    for (const std::string& parameter : text.parameters) {
      fields_ += "    " + fieldOf(parameter) + "\n";
      call += "own." + nameOf(parameter) + ", ";
    }
    fields_ +=
        "    long long grid_x;\n    unsigned long long grid_x_divisor;\n"
        "    long long grid_y;\n    unsigned long long grid_y_divisor;\n"
        "    long long threads_x;\n    long long threads_y;\n    long long threads_z;\n"
        "  } " +
        function + "[" + std::to_string(member.count) + "];\n";
    addCall(i, call + ownBlock(phase) + ");");
    // What is not known of one is not known of all.
    threads_ = i == 0                               ? text.threads
               : threads_ == 0 || text.threads == 0 ? 0
                                                    : std::max(threads_, text.threads);
    minBlocks_ = i == 0 ? member.kernel->minBlocks : std::min(minBlocks_, member.kernel->minBlocks);
    count_ += member.count;
  }

  void addCall(size_t i, const std::string& call) {
    const int64_t count = group_.members[i].count;
    const bool isLast = i + 1 == group_.members.size();
    const std::string first = std::to_string(count_);
    std::string part = "0";
    if (!isLast) {
      calls_ += "  if (block < arguments.first_blocks[" + std::to_string(count_ + count) + "]) {\n";
    } else {
      calls_ += "  {\n";
    }
    if (count > 1) {
      part = "part";
      calls_ += "    const int part = nvf::part_of<" + std::to_string(count) +
                ">(&arguments.first_blocks[" + first + "], block);\n";
    }
    calls_ += "    const " + arguments_ + "::Member" + std::to_string(i) +
              "& own = arguments.member" + std::to_string(i) + "[" + part + "];\n";
    calls_ += "    const int number = block - (int)arguments.first_blocks[" +
              (count > 1 ? first + " + part" : first) + "];\n";
    if (!kir::hasBarriers(group_.members[i].kernel->phases.front().body)) {
      calls_ +=
          "    if (threadIdx.x >= (unsigned)own.threads_x || threadIdx.y >= "
          "(unsigned)own.threads_y ||\n"
          "        threadIdx.z >= (unsigned)own.threads_z) {\n      return;\n    }\n";
    }
    calls_ += "    " + call + "\n";
    calls_ += isLast ? "  }\n" : "    return;\n  }\n";
  }

  const kir::KernelGroup& group_;
  const std::string arguments_;
  std::string functions_;
  std::string fields_;
  std::string calls_;
  int64_t count_ = 0;
  int64_t threads_ = 0;
  int64_t minBlocks_ = 0;
};

}  // namespace

std::string emitCuda(const kir::KernelGroup& group) { return GroupEmitter(group).run(); }

}  // namespace nvfuser
