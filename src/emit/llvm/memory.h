// Elements of tensors in memory: their addresses, loads and stores.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emit/llvm/function.h"
#include "emit/llvm/metadata.h"
#include "emit/llvm/scalars.h"
#include "emit/llvm/types.h"
#include "lower/kernel.h"

namespace nvfuser::llvm {

class Memory {
 public:
  Memory(FunctionText& text, Scalars& scalars, const Metadata& metadata)
      : text_(text), scalars_(scalars), metadata_(metadata) {}

  // Forgets the buffers of the previous function.
  void start() {
    buffers_.clear();
    planes_.clear();
  }
  // The pointer to the first element of `tv`.
  void setBuffer(const TensorView* tv, const std::string& pointer) { buffers_[tv] = pointer; }
  const std::string& buffer(const TensorView* tv) const { return buffers_.at(tv); }
  // Values of several numbers in a buffer of known size lie in as many planes, one for each number,
  // so that vectors of each are loaded and stored as they are.
  void setPlanes(const TensorView* tv, std::vector<std::string> pointers) {
    planes_[tv] = std::move(pointers);
  }

  // Whether two elements share a byte: fp4 in memory of arguments.
  static bool isPacked(const kir::Access& access);
  // Where an element is; those of fp4 in memory of arguments have no address of their own.
  std::string address(const kir::Access& access);
  Register load(const kir::Access& access);
  void store(const kir::Access& access, Register value);
  // Of a tensor's element, or a scalar.
  Register read(const kir::Operand& operand);

  // From now on the packed elements that are stored to `tv` go to byte number `index` of `bytes`.
  void collect(const TensorView* tv, const std::string& bytes, const Val* index);
  // Packs the `count` bytes, an even number, into the elements of `tv` from the even `first` on.
  void storeCollected(const TensorView* tv, Val* first, int64_t count);

 private:
  // Two fp4 elements share a byte, the first in the low half.
  struct PackedAddress {
    std::string byte;
    std::string shift;
  };
  PackedAddress packedAddress(const kir::Access& access);
  static std::string elementAt(const std::string& type, const std::string& buffer,
                               const std::string& index, bool isInside = true);
  std::string address(const std::string& type, const std::string& buffer, Val* index);
  std::string line(const std::string& type, const std::string& buffer, Val* offset, bool isInside);

  FunctionText& text_;
  Scalars& scalars_;
  const Metadata& metadata_;
  std::unordered_map<const TensorView*, std::string> buffers_;
  std::unordered_map<const TensorView*, std::vector<std::string>> planes_;
  // Null tensor: stores go where they belong.
  const TensorView* collected_ = nullptr;
  std::string collectedBytes_;
  const Val* collectedIndex_ = nullptr;
};

}  // namespace nvfuser::llvm
