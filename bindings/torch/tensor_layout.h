// TensorLayout: what a torch tensor is, without a call into torch.
//
// DLPack's C exchange API is the public way to read a tensor. It costs 60 to 90 ns a tensor (torch
// 2.11 and 2.13: it takes and releases a reference and the interpreter's lock), and it ignores the
// marks of conjugate and negative views, which hold the bytes of another tensor, so that
// `is_conj()` and `is_neg()` have to be called as well: 55 ns more. A call on a few small tensors
// consists of little else.
//
// So the places of the fields in torch's objects are found by experiment, once a process: samples
// of known sizes, strides, addresses, dtypes, devices and marks are compared word by word, and a
// place is only believed in when it is the only one that agrees with all samples. Which dtype and
// device a description stands for is not decoded but learned: the first tensor with a new one goes
// the public way, and what that says, if the fields agree, holds for all tensors with the same
// dispatch keys and description. Where a place is not found beyond doubt, and for tensors whose
// memory is not plainly their own (lazy copies, memory of other libraries), it is always the public
// way.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "value/tensor.h"

namespace nvfuser {

namespace nb = nanobind;

class Samples;

class TensorLayout {
 public:
  // Looks for the places; what is not found beyond doubt is not used. Forgets what it has learned.
  void calibrate();
  void disable() { *this = {}; }
  bool knowsMarks() const { return marks_ != 0; }
  bool knowsFields() const { return knowsFields_; }
  bool knowsVersions() const { return knowsVersions_; }

  // All of these take instances of torch.Tensor.
  //
  // Only where marks are known: whether `tensor` is a conjugate or negative view.
  bool isMarked(PyObject* tensor) const { return (wordAt(objectOf(tensor), keys_) & marks_) != 0; }
  // False where it may not require grad but one must ask; only where fields are known.
  bool needsNoGrad(PyObject* tensor) const { return wordAt(objectOf(tensor), autograd_) == 0; }
  // Counts a modification, as torch's own operations do in place; false where torch must.
  bool tryCountModification(PyObject* tensor) const {
    std::byte* counter =
        knowsVersions_ ? const_cast<std::byte*>(pointerAt(objectOf(tensor), counter_)) : nullptr;
    if (counter == nullptr) [[unlikely]] {
      return false;
    }
    std::atomic_ref(*reinterpret_cast<uint32_t*>(counter + version_)).fetch_add(1);
    return true;
  }
  // Torch's handle of the tensor, the at::Tensor in the Python object; only where fields are known.
  const void* handleOf(PyObject* tensor) const {
    return reinterpret_cast<const std::byte*>(tensor) + impl_;
  }
  // Fills `result` in; false where this tensor must be read in the public way.
  bool tryRead(PyObject* tensor, Tensor& result) const;
  // Remembers what the public way said about a tensor that has no marks.
  void learn(PyObject* tensor, const Tensor& known);

 private:
  // What tensors with the same description and keys have in common.
  struct Kind {
    uint64_t description = 0;
    uint64_t keys = ~uint64_t{0};
    int64_t elementBytes = 0;
    DataType dtype = DataType::Null;
    Device device;
  };
  static constexpr size_t kKinds = 32;
  static constexpr int64_t kInlineRank = 5;

  static uint64_t wordAt(const std::byte* object, size_t offset) {
    return *reinterpret_cast<const uint64_t*>(object + offset);
  }
  static const std::byte* pointerAt(const std::byte* object, size_t offset) {
    return *reinterpret_cast<const std::byte* const*>(object + offset);
  }
  static size_t slotOf(uint64_t description, uint64_t keys) {
    return ((description ^ keys) * 0x9E3779B97F4A7C15u) >> 59;
  }
  const std::byte* objectOf(PyObject* tensor) const {
    return pointerAt(reinterpret_cast<const std::byte*>(tensor), impl_);
  }
  bool readFields(const std::byte* impl, const Kind& kind, Tensor& result) const;

  void calibrateFields(const Samples& samples, nb::handle torch);
  void calibrateVersions(nb::handle torch);

  bool knowsFields_ = false;
  bool knowsVersions_ = false;
  uint64_t marks_ = 0;
  // In the Python object.
  size_t impl_ = 0;
  // In torch's object.
  size_t keys_ = 0;
  size_t description_ = 0;
  uint64_t descriptionMask_ = 0;
  size_t deviceIndexByte_ = 0;
  size_t storage_ = 0;
  size_t storageOffset_ = 0;
  size_t rank_ = 0;
  size_t autograd_ = 0;
  size_t counter_ = 0;
  // In its counter of modifications.
  size_t version_ = 0;
  // In torch's storage.
  size_t data_ = 0;
  size_t dataContext_ = 0;
  std::array<Kind, kKinds> kinds_;
};

// Sizes and strides of up to five dimensions lie behind the rank, those of more in memory of their
// own.
inline bool TensorLayout::readFields(const std::byte* impl, const Kind& kind,
                                     Tensor& result) const {
  const std::byte* storage = pointerAt(impl, storage_);
  const std::byte* data = pointerAt(storage, data_);
  // Lazy copies, for example, must be made before their address means anything: there, as with
  // memory of others, what is to be freed is not the address itself.
  if (data == nullptr || data != pointerAt(storage, dataContext_)) [[unlikely]] {
    return false;
  }
  const auto rank = static_cast<int64_t>(wordAt(impl, rank_));
  const std::byte* geometry = impl + rank_ + sizeof(int64_t);
  int64_t stridesAt = kInlineRank;
  if (rank > kInlineRank) [[unlikely]] {
    geometry = pointerAt(geometry, 0);
    stridesAt = rank;
  }
  const auto offset = static_cast<int64_t>(wordAt(impl, storageOffset_));
  result.data = const_cast<std::byte*>(data) + offset * kind.elementBytes;
  result.sizes = reinterpret_cast<const int64_t*>(geometry);
  result.strides = result.sizes + stridesAt;
  result.ndim = static_cast<int32_t>(rank);
  result.dtype = kind.dtype;
  result.device = kind.device;
  return true;
}

inline bool TensorLayout::tryRead(PyObject* tensor, Tensor& result) const {
  if (!knowsFields_) [[unlikely]] {
    return false;
  }
  const std::byte* impl = objectOf(tensor);
  const uint64_t description = wordAt(impl, description_) & descriptionMask_;
  const uint64_t keys = wordAt(impl, keys_);
  const Kind& kind = kinds_[slotOf(description, keys)];
  return kind.description == description && kind.keys == keys && readFields(impl, kind, result);
}

}  // namespace nvfuser
