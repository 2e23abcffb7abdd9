// Elements of tensors: in registers, in shared and in global memory; one at a time or in vectors.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "emit/cuda/function.h"
#include "emit/cuda/scalars.h"
#include "lower/kernel.h"

namespace nvfuser::cuda {

// Whether a loop must be unrolled so that local arrays become registers, or is asked to be.
bool isUnrolled(const kir::Loop& loop);

class Memory {
 public:
  Memory(const kir::Kernel& kernel, FunctionText& text, Scalars& scalars)
      : kernel_(kernel), text_(text), scalars_(scalars) {}

  // Forgets the previous function and looks at what `phase` does with its tensors.
  void start(const kir::Phase& phase);

  // Whether nothing is written through the parameter that points at a tensor.
  bool isOnlyRead(const TensorView* tv) const;
  // The declaration of the parameter that points at a tensor.
  std::string parameter(const TensorView* tv);
  // Declares the pointer at a tensor that is only read, at an address.
  void declareAt(const TensorView* tv, const std::string& address);
  // In-place outputs are reached by the pointer of their input.
  void setInPlace(const TensorView* output, const TensorView* input) {
    places_[output] = places_.at(input);
  }
  // Declares a local or shared tensor.
  void declare(const kir::Buffer& buffer);

  // The variable, array or pointer.
  const std::string& placeOf(const TensorView* tv) const { return places_.at(tv).name; }
  // The variable, or the element of an array.
  std::string element(const kir::Access& access);
  // `policy` is the end of the names of functions that access global memory.
  Term load(const kir::Access& access, const std::string& policy = "");
  void store(const kir::Access& access, const Term& value, const std::string& policy = "");
  // Adds to an element that other threads may add to at the same time.
  void add(const kir::Access& access, const Term& value);
  // The type of a tensor's elements in memory: Float where they are rounded when they are copied.
  DataType elementType(const TensorView* tv) const {
    return unrounded_.contains(tv) ? DataType::Float : tv->dtype();
  }
  // Of a tensor's element, or a scalar.
  Term read(const kir::Operand& operand, const std::string& policy = "");
  // Copies consecutive elements.
  void copyVector(const kir::Compute& compute);
  // Adds a vector to what other threads may add to as well.
  void addVector(const kir::Compute& compute);
  // Merges the moments or exponentials of consecutive elements with what is in the result.
  void mergeVector(const kir::Compute& compute);

 private:
  struct Place {
    std::string name;
    // A variable instead of an array or a pointer.
    bool isVariable = false;
  };
  std::string vectorAddress(const kir::Access& access);
  // fp8 is rounded two elements at a time: finds the local tensors that are computed one by one and
  // then only copied in vectors.
  void findUnrounded(const kir::Phase& phase);

  // Finds what is loaded under conditions and has a value where nothing is loaded: in front of
  // functions that take longer for large numbers than for none, and in loops, whose iterations
  // would wait for each other.
  void findCleared(const kir::Phase& phase);

  const kir::Kernel& kernel_;
  FunctionText& text_;
  Scalars& scalars_;
  std::unordered_map<const TensorView*, Place> places_;
  // Tensors whose memory the phase writes, those it reads, and tensors it copies in vectors.
  std::unordered_set<const TensorView*> written_;
  std::unordered_set<const TensorView*> read_;
  // Whether its threads wait for each other.
  bool hasBarrier_ = false;
  std::unordered_set<const TensorView*> vectorized_;
  std::unordered_set<const TensorView*> unrounded_;
  std::unordered_set<const TensorView*> cleared_;
};

// What a value of `dtype` is when it was read from memory as `text`.
Term loaded(const std::string& text, DataType dtype);
// The policy that the expression asks for.
std::string cachePolicy(const Expr* expr);

}  // namespace nvfuser::cuda
