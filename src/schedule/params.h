// ScheduleParams: the numbers of a schedule, which a scheduler chose for the sizes of a run.
// Kernels are compiled once for each set of them.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <variant>

#include "schedule/schedulers/cpu/params.h"
#include "schedule/schedulers/gpu/params.h"

namespace nvfuser {

class Scheduler;

// Parameters that only their scheduler knows: a struct with NVF_FIELDS_OF in its file.
class OwnParams {
 public:
  template <typename Params>
  explicit OwnParams(Params values) : values_(std::make_shared<Held<Params>>(std::move(values))) {}

  // Null for those of another scheduler.
  template <typename Params>
  const Params* as() const {
    const auto* held = dynamic_cast<const Held<Params>*>(values_.get());
    return held == nullptr ? nullptr : &held->values;
  }
  std::string text() const { return values_->text(); }

  friend bool operator==(const OwnParams& a, const OwnParams& b) { return (a <=> b) == 0; }
  friend std::strong_ordering operator<=>(const OwnParams& a, const OwnParams& b) {
    const std::type_index type = typeid(*a.values_);
    const std::type_index other = typeid(*b.values_);
    return type == other ? a.values_->compare(*b.values_) : type <=> other;
  }

 private:
  struct Any {
    virtual ~Any() = default;
    virtual std::string text() const = 0;
    // With one of the same type.
    virtual std::strong_ordering compare(const Any& other) const = 0;
  };
  template <typename Params>
  struct Held final : Any {
    explicit Held(Params held) : values(std::move(held)) {}
    std::string text() const override { return values.toString(); }
    std::strong_ordering compare(const Any& other) const override {
      return values <=> static_cast<const Held&>(other).values;
    }
    Params values;
  };

  std::shared_ptr<const Any> values_;
};

struct ScheduleParams {
  // Null: as the user scheduled the fusion.
  const Scheduler* scheduler = nullptr;
  // Those that others than their scheduler know have a type of their own here.
  std::variant<std::monostate, OwnParams, CpuPointwiseParams, CpuTransposeParams, CpuScanParams,
               CpuReductionParams, CpuPersistentParams, GpuUnfusedParams, GpuPointwiseParams,
               GpuLookupParams, GpuTransposeParams, GpuScatterParams, GpuScatterInRowsParams,
               GpuScanParams, GpuInnerReductionParams, GpuOuterReductionParams,
               GpuInnerPersistentParams, GpuInnerStagesParams, GpuOuterStagesParams>
      values;
  // Indices in 64 bits.
  bool hasWideIndex = true;
  // Bit i: nothing writes the i-th input in the run that the kernel is part of, which may read it
  // before a kernel in front has ended.
  uint64_t settledInputs = 0;
  // The run has no other kernel, for whose end it would have to wait.
  bool isAlone = false;

  friend bool operator==(const ScheduleParams&, const ScheduleParams&) = default;
  friend auto operator<=>(const ScheduleParams&, const ScheduleParams&) = default;
};

// All parameters, one a line.
std::string toString(const ScheduleParams& params);

}  // namespace nvfuser
