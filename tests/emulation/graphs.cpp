// Graphs of the emulated driver: launches that are kept, and made again in the order in which they
// were added.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <vector>

extern "C" int cuLaunchKernel(void* function, unsigned gridX, unsigned gridY, unsigned gridZ,
                              unsigned blockX, unsigned blockY, unsigned blockZ,
                              unsigned sharedBytes, void* stream, void** parameters, void** extra);

namespace {

constexpr int kSuccess = 0;
constexpr int kInvalidValue = 1;

struct NodeParameters {
  void* function;
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  void** parameters;
  void** extra;
  void* kernel;
  void* context;
};

struct Node {
  size_t number;
  NodeParameters launch;
  std::vector<unsigned char> arguments;
};

struct Graph {
  // Nodes stay where they are: handles to them are kept.
  std::deque<Node> nodes;
};

struct ExecutableGraph {
  std::vector<Node> nodes;
};

int64_t graphLaunchCount = 0;
int64_t updateCount = 0;

// Arguments are one block, as nvfuser passes them.
int read(const NodeParameters& launch, Node& node) {
  if (launch.parameters != nullptr || launch.extra == nullptr || launch.extra[4] != nullptr) {
    return kInvalidValue;
  }
  const auto* bytes = static_cast<const unsigned char*>(launch.extra[1]);
  const size_t count = *static_cast<const size_t*>(launch.extra[3]);
  node.launch = launch;
  node.arguments.assign(bytes, bytes + count);
  return kSuccess;
}

}  // namespace

extern "C" {

int64_t emulation_graph_launch_count() { return graphLaunchCount; }
int64_t emulation_graph_update_count() { return updateCount; }

int cuGraphCreate(Graph** graph, unsigned) {
  *graph = new Graph;
  return kSuccess;
}

int cuGraphDestroy(Graph* graph) {
  delete graph;
  return kSuccess;
}

int cuGraphAddKernelNode_v2(Node** node, Graph* graph, Node* const* before, size_t beforeCount,
                            const NodeParameters* launch) {
  const size_t number = graph->nodes.size();
  // One behind the other.
  if (beforeCount != (number == 0 ? 0 : 1) || (number != 0 && *before != &graph->nodes.back())) {
    return kInvalidValue;
  }
  *node = &graph->nodes.emplace_back(Node{number, {}, {}});
  return read(*launch, **node);
}

int cuGraphInstantiateWithFlags(ExecutableGraph** executable, Graph* graph, uint64_t) {
  *executable = new ExecutableGraph{{graph->nodes.begin(), graph->nodes.end()}};
  return kSuccess;
}

int cuGraphExecDestroy(ExecutableGraph* executable) {
  delete executable;
  return kSuccess;
}

int cuGraphExecKernelNodeSetParams_v2(ExecutableGraph* executable, const Node* node,
                                      const NodeParameters* launch) {
  ++updateCount;
  return read(*launch, executable->nodes[node->number]);
}

int cuGraphLaunch(ExecutableGraph* executable, void* stream) {
  ++graphLaunchCount;
  for (Node& node : executable->nodes) {
    const NodeParameters& c = node.launch;
    size_t size = node.arguments.size();
    void* extra[] = {reinterpret_cast<void*>(1), node.arguments.data(), reinterpret_cast<void*>(2),
                     &size, nullptr};
    const int result = cuLaunchKernel(c.function, c.gridX, c.gridY, c.gridZ, c.blockX, c.blockY,
                                      c.blockZ, c.sharedBytes, stream, nullptr, extra);
    if (result != kSuccess) {
      return result;
    }
  }
  return kSuccess;
}

}  // extern "C"
