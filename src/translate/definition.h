// A fusion as the calls of Python that define it: what repr(fd) prints and what is saved.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ir/fusion.h"

namespace nvfuser {

// An argument of a call: None, a number, a dtype, what an earlier call returned, a string, a list.
struct Argument {
  using List = std::vector<Argument>;

  Argument() = default;
  Argument(bool flag) : value(flag) {}
  Argument(int64_t number) : value(number) {}
  Argument(DataType dtype) : value(dtype) {}
  Argument(const Val* val) : value(val) {}
  Argument(const char* text) : value(std::string(text)) {}
  Argument(List items) : value(std::move(items)) {}
  // A bool, integer, real or complex number.
  explicit Argument(const PolymorphicValue& number);

  std::variant<std::monostate, bool, int64_t, double, std::complex<double>, DataType, const Val*,
               std::string, List>
      value;
};

// results = function(*positional, **keywords)
struct DefinitionCall {
  template <typename T>
  DefinitionCall& add(T&& argument) {
    positional.emplace_back(std::forward<T>(argument));
    return *this;
  }
  template <typename T>
  DefinitionCall& add(const char* name, T&& argument) {
    keywords.emplace_back(name, std::forward<T>(argument));
    return *this;
  }

  // A method of FusionDefinition ("define_tensor", "define_scalar", "add_output"), an operation
  // ("ops.sum"), or of the tensor in front: "set_allocation_domain", with the positions of its
  // dimensions in order of memory and the contiguity; "set_device_mesh", with the ranks in lists of
  // lists; "split" and "parallelize" of loops that are divided among devices.
  std::string function;
  // The IR's values that the call makes, null for results that are not there.
  std::vector<const Val*> results;
  std::vector<Argument> positional = {};
  std::vector<std::pair<std::string, Argument>> keywords = {};
};

// The calls that make a fusion structurally equal to `fusion`: inputs first, then the operations
// that the outputs depend on (all, as long as there is no output), then the outputs. Raises for an
// operation without a row in operations.cpp.
std::vector<DefinitionCall> definitionCalls(const Fusion& fusion);

// Where `id` is in `domains`.
int64_t positionOf(const std::vector<IterDomain*>& domains, const IterDomain* id);

// Whether there is a row for expressions of this kind.
bool isTranslatable(ExprKind kind);

// The calls as the source of a Python function nvfuser_fusion(fd).
std::string pythonFunction(const std::vector<DefinitionCall>& calls);

}  // namespace nvfuser
