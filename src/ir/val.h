// Statement, Val and Expr: the nodes of the IR. A Fusion owns them; everything else borrows.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "ir/types.h"
#include "value/polymorphic_value.h"

namespace nvfuser {

class Expr;
class Fusion;
class IterDomain;
class TensorDomain;
class TensorView;

class Statement {
 public:
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  virtual ~Statement() = default;

  Fusion* fusion() const { return fusion_; }
  // One line, as the printed IR refers to this node.
  virtual std::string toString() const = 0;

 protected:
  explicit Statement(Fusion* fusion) : fusion_(fusion) {}

 private:
  Fusion* fusion_;
};

// A value: this class itself is a scalar; domains and tensors derive from it.
class Val : public Statement {
 public:
  // A symbolic scalar.
  Val(Fusion* fusion, DataType dtype) : Val(fusion, ValType::Scalar, dtype) {}
  // A constant scalar; `value` has the kind of `dtype`.
  Val(Fusion* fusion, DataType dtype, PolymorphicValue value)
      : Val(fusion, ValType::Scalar, dtype, std::move(value)) {}

  ValType vtype() const { return vtype_; }
  DataType dtype() const { return dtype_; }
  // Counts the values of the same ValType in their fusion, from 0.
  int64_t name() const { return name_; }
  // Position in Fusion::vals(): the key of side tables.
  int64_t index() const { return index_; }

  Expr* definition() const { return definition_; }
  const std::vector<Expr*>& uses() const { return uses_; }

  bool isScalar() const { return vtype_ == ValType::Scalar; }
  bool isTensor() const { return vtype_ == ValType::TensorView; }
  // The constant of a scalar; null for everything else.
  const PolymorphicValue& value() const { return value_; }
  bool isConst() const { return !value_.isNull(); }
  bool isSymbolic() const { return value_.isNull(); }
  bool isConstInt() const { return value_.is<int64_t>(); }
  int64_t constInt() const { return value_.as<int64_t>(); }
  bool isConstInt(int64_t n) const { return isConstInt() && constInt() == n; }

  bool isFusionInput() const { return isFusionInput_; }
  bool isFusionOutput() const { return isFusionOutput_; }

  TensorView* asTensor();
  const TensorView* asTensor() const;

  std::string toString() const override;

 protected:
  Val(Fusion* fusion, ValType vtype, DataType dtype, PolymorphicValue value = {});

 private:
  friend class Expr;
  friend class Fusion;

  ValType vtype_;
  DataType dtype_;
  bool isFusionInput_ = false;
  bool isFusionOutput_ = false;
  int64_t name_ = 0;
  int64_t index_ = 0;
  Expr* definition_ = nullptr;
  std::vector<Expr*> uses_;
  PolymorphicValue value_;
};

// An operation. Its whole state is in this class, so that clone, hash, equality and serialization
// are written once; the derived classes (nodes.h) only name the parts.
class Expr : public Statement {
 public:
  ExprKind kind() const { return kind_; }
  const std::vector<Val*>& inputs() const { return inputs_; }
  const std::vector<Val*>& outputs() const { return outputs_; }
  Val* input(size_t i) const { return inputs_.at(i); }
  Val* output(size_t i) const { return outputs_.at(i); }
  // Compile-time parameters.
  const std::vector<int64_t>& attributes() const { return attributes_; }
  int64_t attribute(size_t i) const { return attributes_.at(i); }
  // Scalar parameters that may be symbolic.
  const std::vector<Val*>& operands() const { return operands_; }
  // Position in Fusion::exprs().
  int64_t index() const { return index_; }

  template <typename T>
  bool is() const {
    return kind_ == T::kKind;
  }
  // Checked down-cast; null when this is another kind.
  template <typename T>
  T* as() {
    return is<T>() ? static_cast<T*>(this) : nullptr;
  }
  template <typename T>
  const T* as() const {
    return is<T>() ? static_cast<const T*>(this) : nullptr;
  }

  std::string toString() const override;

  // Inherited by every node class, so that a node can be made from its state alone (clone).
  Expr(Fusion* fusion, ExprKind kind, std::vector<Val*> outputs, std::vector<Val*> inputs,
       std::vector<int64_t> attributes = {}, std::vector<Val*> operands = {});

 private:
  friend class Fusion;

  ExprKind kind_;
  std::vector<Val*> inputs_;
  std::vector<Val*> outputs_;
  std::vector<int64_t> attributes_;
  std::vector<Val*> operands_;
  int64_t index_ = 0;
};

// Whether a value is one of `sources` or computed from one.
bool dependsOn(const Val* val, const std::unordered_set<const Val*>& sources);

}  // namespace nvfuser
