#include "tensor_bits.h"

#include <malloc.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <vector>

namespace nvfuser {

namespace {

// Makes the samples, keeps them alive, and knows which marks each of them has.
class Samples {
 public:
  explicit Samples(const nb::object& torch) : torch_(torch) {
    bool markedFirst = false;
    for (const char* dtype : {"complex64", "complex128"}) {
      for (const nb::tuple& shape : {nb::make_tuple(), nb::make_tuple(3), nb::make_tuple(2, 3),
                                     nb::make_tuple(2, 1, 2, 1, 2, 1, 2)}) {
        addPairs(shape, dtype, markedFirst);
        markedFirst = !markedFirst;
      }
    }
    for (const char* dtype : {"float32", "bfloat16", "int64", "bool", "complex64"}) {
      add(zeros(nb::make_tuple(2, 3), dtype), false, false);
      add(zeros(nb::make_tuple(2, 3), dtype).attr("t")(), false, false);
      add(zeros(nb::make_tuple(1), dtype).attr("expand")(4, 4), false, false);
    }
    const nb::object leaf = zeros(nb::make_tuple(3), "float32").attr("requires_grad_")();
    add(leaf, false, false);
    add(leaf.attr("exp")(), false, false);
    add(torch_.attr("nn").attr("Parameter")(zeros(nb::make_tuple(3), "float32")), false, false);
  }

  bool areAllOfType(nb::handle type) const {
    return std::ranges::all_of(all_, [&](const Sample& sample) {
      return reinterpret_cast<PyObject*>(Py_TYPE(sample.tensor.ptr())) == type.ptr() ||
             sample.tensor.type().attr("__base__").is(type);
    });
  }

  struct Sample {
    nb::object tensor;
    bool isConjugate;
    bool isNegative;
  };
  // Views that differ in one mark only.
  struct Pair {
    nb::object plain;
    nb::object marked;
  };
  const std::vector<Sample>& all() const { return all_; }
  const std::vector<Pair>& conjugates() const { return conjugates_; }
  const std::vector<Pair>& negatives() const { return negatives_; }

 private:
  nb::object zeros(const nb::tuple& shape, const char* dtype) const {
    return torch_.attr("zeros")(shape, nb::arg("dtype") = torch_.attr(dtype),
                                nb::arg("device") = "cpu");
  }

  nb::object add(nb::object tensor, bool isConjugate, bool isNegative) {
    all_.push_back({tensor, isConjugate, isNegative});
    return tensor;
  }

  // The order of creation alternates, so that nothing that goes with it (the addresses of what the
  // objects own) looks like a mark.
  void addPairs(const nb::tuple& shape, const char* dtype, bool markedFirst) {
    Pair conjugate;
    Pair negative;
    const auto makePlain = [&] {
      conjugate.plain = add(zeros(shape, dtype).attr("detach")(), false, false);
      negative.plain = add(conjugate.plain.attr("imag"), false, false);
    };
    const auto makeMarked = [&] {
      conjugate.marked = add(zeros(shape, dtype).attr("conj")(), true, false);
      negative.marked = add(conjugate.marked.attr("imag"), false, true);
    };
    if (markedFirst) {
      makeMarked();
      makePlain();
    } else {
      makePlain();
      makeMarked();
    }
    conjugates_.push_back(std::move(conjugate));
    negatives_.push_back(std::move(negative));
  }

  nb::object torch_;
  std::vector<Sample> all_;
  std::vector<Pair> conjugates_;
  std::vector<Pair> negatives_;
};

using Sample = Samples::Sample;
using Pair = Samples::Pair;

uint64_t wordAt(const std::byte* object, size_t offset) {
  uint64_t value;
  std::memcpy(&value, object + offset, sizeof(value));
  return value;
}

// Torch's C++ object.
const std::byte* implOf(nb::handle tensor) {
  return reinterpret_cast<const std::byte*>(nb::cast<uintptr_t>(tensor.attr("_cdata")));
}

// The bytes of torch's objects that may be read: their memory blocks, from the allocator.
size_t commonSize(const std::vector<Sample>& samples) {
  size_t size = SIZE_MAX;
  for (const Sample& sample : samples) {
    size = std::min(size, malloc_usable_size(const_cast<std::byte*>(implOf(sample.tensor))));
  }
  return size / sizeof(uint64_t) * sizeof(uint64_t);
}

struct Place {
  size_t offset;
  uint64_t bit;
};

// The one bit that is all there is between the words of every pair at some offset, and that tells
// all samples apart; none when there are several.
std::optional<Place> findMark(const Samples& samples, const std::vector<Pair>& pairs,
                              bool Sample::* isMarked) {
  std::optional<Place> found;
  const size_t size = commonSize(samples.all());
  for (size_t offset = 0; offset < size; offset += sizeof(uint64_t)) {
    const auto wordOf = [&](nb::handle tensor) { return wordAt(implOf(tensor), offset); };
    const uint64_t bit = wordOf(pairs[0].plain) ^ wordOf(pairs[0].marked);
    const bool agrees =
        std::popcount(bit) == 1 &&
        std::ranges::all_of(
            pairs,
            [&](const Pair& pair) { return (wordOf(pair.plain) ^ wordOf(pair.marked)) == bit; }) &&
        std::ranges::all_of(samples.all(), [&](const Sample& sample) {
          return ((wordOf(sample.tensor) & bit) != 0) == sample.*isMarked;
        });
    if (agrees && found) {
      return std::nullopt;
    }
    if (agrees) {
      found = Place{offset, bit};
    }
  }
  return found;
}

// Where a Python tensor keeps the address of torch's object.
std::optional<size_t> findImpl(const Samples& samples, size_t objectSize) {
  std::optional<size_t> found;
  for (size_t offset = sizeof(PyObject); offset + sizeof(void*) <= objectSize;
       offset += sizeof(void*)) {
    const bool agrees = std::ranges::all_of(samples.all(), [&](const Sample& sample) {
      return wordAt(reinterpret_cast<const std::byte*>(sample.tensor.ptr()), offset) ==
             reinterpret_cast<uintptr_t>(implOf(sample.tensor));
    });
    if (agrees && found) {
      return std::nullopt;
    }
    if (agrees) {
      found = offset;
    }
  }
  return found;
}

}  // namespace

void TensorBits::calibrate() {
  mask_ = 0;
  const nb::object torch = nb::module_::import_("torch");
  const Samples samples(torch);
  // A mode may be active that replaces what torch.zeros() returns.
  if (!samples.areAllOfType(torch.attr("Tensor"))) {
    return;
  }
  const auto impl = findImpl(samples, nb::cast<size_t>(torch.attr("Tensor").attr("__basicsize__")));
  const auto conjugate = findMark(samples, samples.conjugates(), &Sample::isConjugate);
  const auto negative = findMark(samples, samples.negatives(), &Sample::isNegative);
  if (impl && conjugate && negative && conjugate->offset == negative->offset) {
    implOffset_ = *impl;
    keysOffset_ = conjugate->offset;
    mask_ = conjugate->bit | negative->bit;
  }
}

}  // namespace nvfuser
