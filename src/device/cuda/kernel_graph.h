// KernelGraph: kernels that the driver launches as a whole, one behind the other.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "device/cuda/driver_api.h"

namespace nvfuser::cuda {

// Nodes are added one by one, not captured: so a launch with other arguments costs no more than the
// nodes whose arguments are others, and needs no tensors that stay where they are.
//
// Launches of one graph run in the order in which they are made, on whatever streams. Not for
// several threads at once.
class KernelGraph {
 public:
  struct Node {
    Function function;
    LaunchConfig config;
    std::span<const int64_t> arguments;
    // Whether it may begin before the one in front of it has ended.
    bool overlaps = false;
  };

  // How many there are in this process: each takes memory of the device.
  static size_t count();

  // Null where the driver cannot make one, for lack of memory for example.
  static std::unique_ptr<KernelGraph> make(const DriverApi& api, Context context,
                                           std::span<const Node> nodes);
  // What is in flight is not disturbed.
  ~KernelGraph();
  KernelGraph(const KernelGraph&) = delete;
  KernelGraph& operator=(const KernelGraph&) = delete;

  // The arguments of a kernel from the next launch on, as many as it has.
  Status setArguments(size_t node, const int64_t* arguments);
  Status launch(Stream stream) const { return api_.graphLaunch(executable_, stream); }

 private:
  struct Ready {
    GraphNode handle = nullptr;
    KernelNodeParams params;
    std::vector<int64_t> arguments;
  };

  KernelGraph(const DriverApi& api, Context context);
  Status build(std::span<const Node> nodes);

  const DriverApi& api_;
  Context context_;
  // Names the nodes of the executable one.
  Graph graph_ = nullptr;
  GraphExec executable_ = nullptr;
  std::vector<Ready> nodes_;
};

}  // namespace nvfuser::cuda
