// TensorBits: whether a torch tensor is a conjugate or negative view, without a call into torch.
//
// Such views hold the bytes of another tensor and a mark, in the set of dispatch keys, that their
// values are the conjugate or the negative of it. DLPack's C exchange API ignores the mark, so it
// must be checked for every tensor that comes in. `Tensor.is_neg()` tells, but releases and takes
// the interpreter's lock: 55 ns a tensor called in the fastest way there is (torch 2.13), as much
// as everything else that is done with an argument. There is no cheaper public way, and nothing
// else about a tensor (dtype, strides, address) excludes the mark reliably.
//
// So the place of the mark is found by experiment, once a process: views that differ in nothing but
// the mark are compared word by word, and a place is only believed in when it is the only one that
// agrees with all samples. Where there is none such, `is_conj()` and `is_neg()` are called.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>

namespace nvfuser {

namespace nb = nanobind;

class TensorBits {
 public:
  // Looks for the marks; leaves this object unusable where they are not found beyond doubt.
  void calibrate();
  bool isCalibrated() const { return mask_ != 0; }
  void disable() { mask_ = 0; }

  // Whether `tensor` (an instance of torch.Tensor) is a conjugate or negative view.
  bool isMarked(PyObject* tensor) const {
    const auto* impl = *reinterpret_cast<const std::byte* const*>(
        reinterpret_cast<const std::byte*>(tensor) + implOffset_);
    return (*reinterpret_cast<const uint64_t*>(impl + keysOffset_) & mask_) != 0;
  }

 private:
  // Of torch's C++ object in the Python object, and of the word with the marks in the C++ object.
  size_t implOffset_ = 0;
  size_t keysOffset_ = 0;
  uint64_t mask_ = 0;
};

}  // namespace nvfuser
