#include "device/cuda/kernel_graph.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "device/cuda/driver.h"

namespace nvfuser::cuda {

namespace {

// Arguments as one block, which the driver copies.
struct Block {
  explicit Block(std::vector<int64_t>& arguments)
      : bytes(arguments.size() * sizeof(int64_t)),
        extra{kLaunchBufferPointer, arguments.data(), kLaunchBufferSize, &bytes, nullptr} {}
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  size_t bytes;
  void* extra[5];
};

std::atomic<size_t> graphCount{0};

}  // namespace

size_t KernelGraph::count() { return graphCount; }

KernelGraph::KernelGraph(const DriverApi& api, Context context) : api_(api), context_(context) {
  ++graphCount;
}

std::unique_ptr<KernelGraph> KernelGraph::make(const DriverApi& api, Context context,
                                               std::span<const Node> nodes) {
  std::unique_ptr<KernelGraph> graph(new KernelGraph(api, context));
  const RelaxedCapture relaxed(api);
  return graph->build(nodes) == kSuccess ? std::move(graph) : nullptr;
}

Status KernelGraph::build(std::span<const Node> nodes) {
  if (const Status status = api_.graphCreate(&graph_, 0); status != kSuccess) {
    return status;
  }
  nodes_.reserve(nodes.size());
  for (const Node& node : nodes) {
    const GraphNode* before = nodes_.empty() ? nullptr : &nodes_.back().handle;
    const bool overlaps =
        before != nullptr && node.overlaps && api_.graphAddDependencies != nullptr;
    const size_t beforeCount = before == nullptr || overlaps ? 0 : 1;
    Ready& ready = nodes_.emplace_back();
    const LaunchConfig& config = node.config;
    ready.arguments.assign(node.arguments.begin(), node.arguments.end());
    ready.params = {.function = node.function,
                    .gridX = config.gridX,
                    .gridY = config.gridY,
                    .gridZ = config.gridZ,
                    .blockX = config.blockX,
                    .blockY = config.blockY,
                    .blockZ = config.blockZ,
                    .sharedMemoryBytes = config.sharedMemoryBytes,
                    .context = context_};
    Block block(ready.arguments);
    ready.params.extra = block.extra;
    Status status = api_.graphAddKernelNode(
        &ready.handle, graph_, beforeCount == 0 ? nullptr : before, beforeCount, &ready.params);
    ready.params.extra = nullptr;
    if (status == kSuccess && overlaps) {
      const GraphEdge edge;
      status = api_.graphAddDependencies(graph_, before, &ready.handle, &edge, 1);
    }
    if (status != kSuccess) {
      return status;
    }
  }
  return api_.graphInstantiate(&executable_, graph_, 0);
}

KernelGraph::~KernelGraph() {
  --graphCount;
  const RelaxedCapture relaxed(api_);
  if (executable_ != nullptr) {
    api_.graphExecDestroy(executable_);
  }
  if (graph_ != nullptr) {
    api_.graphDestroy(graph_);
  }
}

Status KernelGraph::setArguments(size_t node, const int64_t* arguments) {
  Ready& ready = nodes_[node];
  const size_t count = ready.arguments.size();
  if (std::memcmp(ready.arguments.data(), arguments, count * sizeof(int64_t)) == 0) {
    return kSuccess;
  }
  std::copy_n(arguments, count, ready.arguments.begin());
  Block block(ready.arguments);
  ready.params.extra = block.extra;
  const Status status = api_.graphExecKernelNodeSetParams(executable_, ready.handle, &ready.params);
  ready.params.extra = nullptr;
  return status;
}

}  // namespace nvfuser::cuda
