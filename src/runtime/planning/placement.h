// Placement: where the tensors of a fusion lie in the runs of one plan, and what the caller is
// given of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "multidevice/exchange.h"
#include "runtime/fusion_class.h"
#include "runtime/memory.h"
#include "runtime/plan_parts.h"
#include "runtime/planning/memory_plan.h"
#include "runtime/sizes.h"

namespace nvfuser {

class Placement {
 public:
  struct Place {
    Memory memory;
    std::vector<int64_t> strides;
    // In elements, of a view.
    int64_t offset = 0;
  };

  // Places inputs and outputs. Outputs, held tensors, the workspace and the bytes that are moved
  // are added to `parts`.
  Placement(const FusionClass& fusionClass, std::span<const PolymorphicValue> arguments,
            const Sizes& sizes, PlanParts& parts);

  bool contains(const Val* tv) const { return places_.contains(tv); }
  const Place& at(const Val* tv) const { return places_.at(tv); }

  // A place for what passes between segments, if it has none yet. Launch number `launch` is the
  // first to need it.
  void placeBetween(const TensorView* tv, size_t launch);
  // Whether it stands for memory of other devices, which kernels read.
  static bool isExchange(const Segment& segment);
  // Places what an exchange stands for.
  void placePeers(const LibraryOp* exchange, const multidevice::PeerMemory& memory);
  // The same of memory that one kernel needs for itself. Its position is the number of a buffer
  // until placeWorkspace().
  Memory inWorkspace(int64_t bytes, size_t launch);
  // Launch number `launch` reads a tensor.
  void extend(const Val* tv, size_t launch);
  // All launches are known: numbers of buffers become offsets.
  void placeWorkspace();

  // What the address of a tensor is a multiple of in every run of this plan, in bytes.
  int64_t alignment(const Place& place) const;
  // Segments that have nothing left to do, since their result lies where their input does.
  bool isInPlace(const Segment& segment) const { return inPlace_.contains(&segment); }
  // Whether it lies in a tensor of another shape.
  bool isReshaped(const TensorView* tv) const { return reshaped_.contains(tv); }
  // Whether it lies in another tensor, in another way than that was made.
  bool isView(const TensorView* tv) const { return views_.contains(tv); }
  // Whether a generated kernel reads the tensor.
  bool isReadByKernels(const TensorView* tv) const { return kernelInputs_.contains(tv); }

  // The number of an input of the fusion; that of all inputs for anything else.
  int32_t argumentNumber(const Val* input) const;
  // Of a tensor that is made for `tv`.
  OutputSpec freshSpec(const TensorView* tv) const;
  // Of one that is a view of an input.
  void describeView(const ViewChain& chain, OutputSpec& spec) const;

 private:
  void findLibraryTensors();
  void placeInputs();
  void placeUpdates();
  void placeOutputs();
  void placeFreshOutput(TensorView* tv, int32_t number, OutputSpec& spec);
  void addAliasableInputs(TensorView* output, const Segment& segment, OutputSpec& spec) const;
  void placeReshaped();
  void placeReshaped(const Segment& segment, bool isOfOutput);
  void placeViews();
  bool canBeLookedAt(const TensorView* tv) const;
  // Places what is another shape of a tensor that has a place.
  void placeSharers(const TensorView* owner);
  // In a tensor of its own.
  void hold(const TensorView* tv);
  OutputSpec emptySpec(const TensorView* tv) const;

  const FusionClass& class_;
  const Fusion* fusion_;
  std::span<const PolymorphicValue> arguments_;
  const Sizes& sizes_;
  PlanParts& parts_;
  MemoryPlan workspace_;
  std::unordered_map<const Val*, Place> places_;
  std::unordered_set<const Segment*> inPlace_;
  std::unordered_map<const Val*, int32_t> argumentNumbers_;
  // What library calls take and return: in tensors of their own. Some take rows of memory only, and
  // some write where they are told.
  std::unordered_set<const Val*> libraryInputs_;
  std::unordered_set<const Val*> sent_;
  std::unordered_set<const Val*> attended_;
  std::unordered_set<const Val*> libraryResults_;
  std::unordered_set<const Val*> writtenWhereTold_;
  std::unordered_set<const Val*> reshaped_;
  std::unordered_set<const Val*> views_;
  std::unordered_set<const Val*> kernelInputs_;
  // What kernels look at as another shape of a tensor that is placed when it is computed.
  std::unordered_map<const Val*, std::vector<const TensorView*>> sharers_;
  std::unordered_map<const Val*, const TensorView*> placedWith_;
  // The argument that an output updates.
  std::unordered_map<const TensorView*, int32_t> aliasOf_;
};

}  // namespace nvfuser
