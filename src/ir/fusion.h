// Fusion: owns the nodes of one graph and knows its inputs, outputs and in-place updates.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ir/nodes.h"

namespace nvfuser {

// Handles of nodes (the Python objects) share the ownership of their fusion; see shared_from_this.
class Fusion : public std::enable_shared_from_this<Fusion> {
 public:
  // An output: a value that is returned, or written into an input's buffer, or both.
  struct Output {
    TensorView* tv = nullptr;
    // The input whose buffer the value is written to, null for a regular output.
    TensorView* alias = nullptr;
    // Whether the caller gets it.
    bool isVisible = true;
    // Whether its dimensions may lie in any order in memory.
    bool isOrderOpen = false;
  };

  Fusion() = default;
  Fusion(const Fusion&) = delete;
  Fusion& operator=(const Fusion&) = delete;

  // Creates a node in this fusion.
  template <typename T, typename... Args>
  T* create(Args&&... args) {
    auto node = std::make_unique<T>(this, std::forward<Args>(args)...);
    T* borrowed = node.get();
    nodes_.push_back(std::move(node));
    if constexpr (std::is_base_of_v<Val, T>) {
      registerVal(borrowed);
    } else {
      registerExpr(borrowed);
    }
    return borrowed;
  }

  void addInput(Val* input);
  // Registering the same tensor again returns it once more.
  void addOutput(Val* output);
  void addOutput(Val* output, Val* aliasInput);
  // One whose dimensions lie in memory in the order that suits the kernels.
  void addOutputInAnyOrder(Val* output);
  // Computes a tensor though nobody gets it.
  void addHiddenOutput(TensorView* tv);
  // No longer an output in any position.
  void removeOutput(TensorView* output);
  // Lets a tensor that is no output yet be one in place of another one.
  void replaceOutput(TensorView* output, TensorView* by);
  // Inserts a copy's result `to` in place of `from` in the inputs of `use`.
  void replaceInput(Expr* use, Val* from, Val* to);
  // Everything that uses one value uses another one instead.
  void replaceUses(Val* from, Val* to);
  // Moves the definition of `from` to `to`; `from` is left without one.
  void moveDefinition(TensorView* from, TensorView* to);
  void removeExpr(Expr* expr);

  const std::vector<Val*>& inputs() const { return inputs_; }
  const std::vector<Output>& outputs() const { return outputs_; }
  // Whether an output is written to the buffer of an input.
  bool isUpdated(const Val* input) const;
  // The distinct tensors among the outputs.
  std::vector<TensorView*> outputTensors() const;

  // Gives a value the name of what it stands for; values that are made later have other names.
  void rename(Val* val, int64_t name);

  // All nodes in order of creation.
  const std::vector<Val*>& vals() const { return vals_; }
  const std::vector<Expr*>& allExprs() const { return exprs_; }
  // The expressions with tensor outputs that the outputs depend on, producers first.
  std::vector<Expr*> tensorExprs() const;
  // The tensors in use: inputs, then results of tensorExprs().
  std::vector<TensorView*> tensors() const;

  Val* zero();
  Val* one();

  // Known scalar expressions and constants, for scalar.h.
  struct ScalarKey {
    BinaryOpType type;
    const Val* a;
    const Val* b;
    friend auto operator<=>(const ScalarKey&, const ScalarKey&) = default;
  };
  std::map<ScalarKey, Val*>& scalarMemo() { return scalarMemo_; }
  std::map<int64_t, Val*>& constantMemo() { return constantMemo_; }

  // What a schedule may take for granted of the sizes it is made for: `factor` divides `extent`.
  struct Divisibility {
    Val* extent = nullptr;
    int64_t factor = 1;
  };
  void assumeDivisible(Val* extent, int64_t factor) { divisible_.push_back({extent, factor}); }
  const std::vector<Divisibility>& assumedDivisible() const { return divisible_; }
  void setAssumedDivisible(std::vector<Divisibility> known) { divisible_ = std::move(known); }
  // The same: `extent` is at most `most`.
  struct Bound {
    Val* extent = nullptr;
    int64_t most = 0;
  };
  void assumeAtMost(Val* extent, int64_t most) { bounds_.push_back({extent, most}); }
  const std::vector<Bound>& assumedBounds() const { return bounds_; }
  void setAssumedBounds(std::vector<Bound> known) { bounds_ = std::move(known); }

  // Set while one of the reshapes or expands has a structure that depends on run-time sizes.
  bool hasDynamicTransform() const;

  std::string printMath(bool fromOutputsOnly = true) const;
  // The same of a fusion that is scheduled.
  std::string printScheduled() const;
  // The domains of every tensor, with the transforms between them.
  std::string printTransforms() const;

  // The fusion that ops append to on this thread, null outside a definition.
  static Fusion* active();

 private:
  friend class FusionGuard;

  std::string print(const char* title, bool fromOutputsOnly) const;
  void registerVal(Val* val);
  void registerExpr(Expr* expr);

  std::vector<std::unique_ptr<Statement>> nodes_;
  std::vector<Val*> vals_;
  std::vector<Expr*> exprs_;
  std::vector<Val*> inputs_;
  std::vector<Output> outputs_;
  std::array<int64_t, 4> nameCounters_{};
  std::map<ScalarKey, Val*> scalarMemo_;
  std::map<int64_t, Val*> constantMemo_;
  std::vector<Divisibility> divisible_;
  std::vector<Bound> bounds_;
  Val* zero_ = nullptr;
  Val* one_ = nullptr;
};

// Makes a fusion the active one of this thread for the guard's lifetime.
class FusionGuard {
 public:
  explicit FusionGuard(Fusion* fusion);
  ~FusionGuard();
  FusionGuard(const FusionGuard&) = delete;
  FusionGuard& operator=(const FusionGuard&) = delete;

 private:
  Fusion* previous_;
};

// The active fusion; raises outside a definition.
Fusion* activeFusion();

}  // namespace nvfuser
