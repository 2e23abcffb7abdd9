#include "emit/llvm.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <sstream>
#include <unordered_map>
#include <unordered_set>

#include "core/error.h"

namespace nvfuser {

namespace {

// A value in a register: its SSA name (or literal) and its dtype. Bool is i1, reduced-precision
// types are their storage bits.
struct Register {
  std::string name;
  DataType dtype;
};

const char* registerType(DataType dtype) {
  switch (dtype) {
    case DataType::Double:
      return "double";
    case DataType::Float:
      return "float";
    case DataType::Half:
    case DataType::BFloat16:
      return "i16";
    case DataType::Int:
    case DataType::Index:
    case DataType::UInt64:
      return "i64";
    case DataType::Int32:
      return "i32";
    case DataType::Bool:
      return "i1";
    case DataType::ComplexFloat:
      return "{ float, float }";
    case DataType::ComplexDouble:
      return "{ double, double }";
    default:
      return "i8";
  }
}

const char* memoryType(DataType dtype) {
  return dtype == DataType::Bool ? "i8" : registerType(dtype);
}

const char* complexPart(DataType dtype) {
  return dtype == DataType::ComplexDouble ? "double" : "float";
}

// The suffix of library functions.
const char* librarySuffix(DataType dtype) {
  switch (dtype) {
    case DataType::Double:
      return "f64";
    case DataType::Float:
      return "f32";
    case DataType::Int:
    case DataType::Index:
      return "i64";
    case DataType::UInt64:
      return "u64";
    case DataType::Int32:
      return "i32";
    case DataType::Bool:
      return "i1";
    case DataType::ComplexFloat:
      return "c64";
    case DataType::ComplexDouble:
      return "c128";
    default:
      fail("No arithmetic is defined on ", dtype);
  }
}

// The name of a reduced-precision type in conversion functions.
const char* storageName(DataType dtype) {
  switch (dtype) {
    case DataType::Half:
      return "half";
    case DataType::BFloat16:
      return "bfloat16";
    case DataType::Float8_e4m3fn:
      return "float8_e4m3fn";
    case DataType::Float8_e5m2:
      return "float8_e5m2";
    case DataType::Float8_e8m0fnu:
      return "float8_e8m0fnu";
    case DataType::Float4_e2m1fn:
      return "float4_e2m1fn";
    default:
      fail(dtype, " is not a storage type");
  }
}

std::string hexDouble(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%016llX",
                static_cast<unsigned long long>(std::bit_cast<uint64_t>(value)));
  return text;
}

bool isSigned(DataType dtype) { return dtype != DataType::UInt64; }

std::string asComment(const std::string& text) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    result += line.empty() ? ";\n" : "; " + line + "\n";
  }
  return result;
}

class Emitter {
 public:
  explicit Emitter(const kir::Kernel& kernel) : kernel_(kernel) {}

  std::string run() {
    assignScopes();
    std::ostringstream module;
    module << asComment(kernel_.fusion->printMath()) << "\n";
    for (size_t i = 0; i < kernel_.phases.size(); ++i) {
      module << emitPhase(i);
    }
    module << metadata();
    return std::move(module).str();
  }

 private:
  // Alias scopes: tensors that do not share memory.

  // In-place outputs share the scope of the input they are written to.
  const TensorView* memoryOwner(const TensorView* tv) const {
    for (const Fusion::Output& output : kernel_.fusion->outputs()) {
      if (output.tv == tv && output.alias != nullptr) {
        return output.alias;
      }
    }
    return tv;
  }

  void assignScopes() {
    for (const kir::Parameter& parameter : kernel_.parameters) {
      if (parameter.kind == kir::Parameter::Kind::Pointer) {
        aliasScopes_.try_emplace(memoryOwner(parameter.tv), aliasScopes_.size());
      }
    }
  }

  std::string accessMetadata(const TensorView* tv) const {
    const auto scope = aliasScopes_.find(memoryOwner(tv));
    if (scope == aliasScopes_.end()) {
      return ", !noalias !" + std::to_string(kFirstNode + 3 * aliasScopes_.size() + 1);
    }
    const size_t node = kFirstNode + 3 * scope->second;
    return ", !alias.scope !" + std::to_string(node + 1) + ", !noalias !" +
           std::to_string(node + 2);
  }

  std::string metadata() const {
    std::ostringstream os;
    os << "!0 = distinct !{!0, !\"" << kernel_.name << "\"}\n";
    const auto scopeNode = [](size_t i) { return kFirstNode + 3 * i; };
    for (size_t i = 0; i < aliasScopes_.size(); ++i) {
      os << "!" << scopeNode(i) << " = distinct !{!" << scopeNode(i) << ", !0}\n";
      os << "!" << scopeNode(i) + 1 << " = !{!" << scopeNode(i) << "}\n";
      os << "!" << scopeNode(i) + 2 << " = !{";
      bool first = true;
      for (size_t j = 0; j < aliasScopes_.size(); ++j) {
        if (j != i) {
          os << (first ? "" : ", ") << "!" << scopeNode(j);
          first = false;
        }
      }
      os << "}\n";
    }
    os << "!" << scopeNode(aliasScopes_.size()) + 1 << " = !{";
    for (size_t j = 0; j < aliasScopes_.size(); ++j) {
      os << (j == 0 ? "" : ", ") << "!" << scopeNode(j);
    }
    os << "}\n";
    const size_t hint = firstLoopNode() - 1;
    os << "!" << hint << " = !{!\"llvm.loop.interleave.count\", i32 2}\n";
    for (size_t i = 0; i < loopCount_; ++i) {
      const size_t node = firstLoopNode() + i;
      os << "!" << node << " = distinct !{!" << node << ", !" << hint << "}\n";
    }
    return std::move(os).str();
  }

  // Text.

  // Text goes to the innermost scope, or to the one that a scalar is computed in.
  void line(const std::string& text) { scopes_[target_].text += "  " + text + "\n"; }
  void label(const std::string& name) {
    scopes_.back().text += name + ":\n";
    block_ = name;
  }
  void openScope() {
    scopes_.emplace_back();
    target_ = scopes_.size() - 1;
  }
  // What was written since openScope() follows what its scope has by now.
  void closeScope() {
    const std::string text = std::move(scopes_.back().text);
    scopes_.pop_back();
    target_ = scopes_.size() - 1;
    scopes_.back().text += text;
  }
  std::string fresh(const std::string& hint) {
    return "%" + hint + "." + std::to_string(counter_++);
  }
  std::string freshLabel(const std::string& hint) {
    return hint + "." + std::to_string(counter_++);
  }
  std::string define(const std::string& hint, const std::string& instruction) {
    std::string name = fresh(hint);
    line(name + " = " + instruction);
    return name;
  }

  // One phase.

  std::string emitPhase(size_t number) {
    const kir::Phase& phase = kernel_.phases[number];
    phase_ = &phase;
    counter_ = 0;
    scopes_.assign(1, {});
    target_ = 0;
    buffers_.clear();
    label("entry");
    loadParameters();
    for (const kir::Buffer& buffer : phase.buffers) {
      emitBuffer(buffer);
    }
    emitBlock(phase.body);
    line("ret void");
    std::ostringstream os;
    os << "define void @" << phaseName(kernel_, number)
       << "(ptr noalias readonly %arguments, i64 %begin, i64 %end, ptr noalias %scratch) nounwind "
          "{\n"
       << scopes_.front().text << "}\n\n";
    return std::move(os).str();
  }

  void loadParameters() {
    int64_t slot = 0;
    for (const kir::Parameter& parameter : kernel_.parameters) {
      const std::string address =
          define("slot", "getelementptr inbounds i64, ptr %arguments, i64 " + std::to_string(slot));
      slot += slotsOf(parameter);
      if (parameter.kind == kir::Parameter::Kind::Pointer) {
        const std::string name = "%T" + std::to_string(parameter.tv->name());
        line(name + " = load ptr, ptr " + address);
        buffers_[parameter.tv] = name;
        continue;
      }
      const DataType dtype = parameter.value->dtype();
      Register value{"", dtype};
      switch (kindOf(dtype)) {
        case TypeKind::Bool: {
          const std::string raw = define("flag", "load i64, ptr " + address);
          value.name = define("b", "icmp ne i64 " + raw + ", 0");
          break;
        }
        case TypeKind::Integral: {
          value.name = define("i", "load i64, ptr " + address);
          if (dtype == DataType::Int32) {
            value.name = define("i", "trunc i64 " + value.name + " to i32");
          }
          break;
        }
        case TypeKind::Floating: {
          const std::string raw = define("d", "load double, ptr " + address);
          value = convert({raw, DataType::Double}, dtype);
          break;
        }
        case TypeKind::Complex: {
          const std::string raw = define("z", "load { double, double }, ptr " + address);
          value = convert({raw, DataType::ComplexDouble}, dtype);
          break;
        }
        case TypeKind::None:
          fail("A parameter has no type: ", parameter.value->toString());
      }
      scopes_.front().values[parameter.value] = value.name;
    }
    for (const Fusion::Output& output : kernel_.fusion->outputs()) {
      if (output.alias != nullptr) {
        buffers_[output.tv] = buffers_.at(output.alias);
      }
    }
  }

  void emitBuffer(const kir::Buffer& buffer) {
    const std::string name = "%T" + std::to_string(buffer.tv->name());
    if (buffer.scratchOffset != nullptr) {
      line(name + " = getelementptr inbounds i8, ptr %scratch, i64 " +
           scalar(buffer.scratchOffset));
    } else {
      line(name + " = alloca [" + std::to_string(buffer.size->constInt()) + " x " +
           memoryType(buffer.tv->dtype()) + "], align 64");
    }
    buffers_[buffer.tv] = name;
  }

  void emitBlock(const kir::Block& block) {
    for (const kir::Statement& statement : block) {
      std::visit([this](const auto& node) { emit(node); }, statement.node);
    }
  }

  void emit(const kir::Loop& loop) {
    const bool isParallel = loop.index == phase_->parallelIndex;
    const std::string start = isParallel ? "%begin" : scalar(loop.start);
    const std::string stop = isParallel ? "%end" : scalar(loop.stop);
    const std::string header = freshLabel("loop");
    const std::string body = freshLabel("body");
    const std::string exit = freshLabel("done");
    const std::string index = fresh("i");
    const std::string next = fresh("next");
    const std::string before = block_;
    openScope();
    line("br label %" + header);
    label(header);
    // The latch is known only after the body is written.
    const std::string latch = freshLabel("latch");
    line(index + " = phi i64 [ " + start + ", %" + before + " ], [ " + next + ", %" + latch + " ]");
    const std::string more = define("more", "icmp slt i64 " + index + ", " + stop);
    line("br i1 " + more + ", label %" + body + ", label %" + exit);
    label(body);
    scopes_.back().values[loop.index] = index;
    emitBlock(*loop.body);
    line("br label %" + latch);
    label(latch);
    line(next + " = add nuw nsw i64 " + index + ", 1");
    line("br label %" + header + (isLongChain(loop) ? interleaved() : ""));
    label(exit);
    closeScope();
  }

  // Whether an innermost loop's iterations are long chains of dependent operations (a function is
  // evaluated): several must be in flight to fill the pipelines. LLVM decides by the size of the
  // body and would leave them one by one. Reductions it interleaves as it is.
  static bool isLongChain(const kir::Loop& loop) {
    bool evaluates = false;
    for (const kir::Statement& statement : *loop.body) {
      const auto* compute = std::get_if<kir::Compute>(&statement.node);
      if (compute == nullptr || compute->expr->is<ReductionOp>()) {
        return false;
      }
      if (const auto* unary = compute->expr->as<UnaryOp>()) {
        const UnaryOpType type = unary->type();
        evaluates = evaluates || info(type).promotion == Promotion::Float ||
                    type == UnaryOpType::Silu || type == UnaryOpType::Gelu ||
                    type == UnaryOpType::GeluTanh;
      }
    }
    return evaluates;
  }

  // Loop metadata that asks for two vectors an iteration.
  std::string interleaved() {
    const size_t node = firstLoopNode() + loopCount_++;
    return ", !llvm.loop !" + std::to_string(node);
  }
  size_t firstLoopNode() const { return kFirstNode + 3 * aliasScopes_.size() + 3; }

  void emit(const kir::If& choice) {
    const std::string condition = scalar(choice.condition);
    const std::string then = freshLabel("then");
    const std::string otherwise = freshLabel("else");
    const std::string join = freshLabel("join");
    const bool hasElse = choice.otherwise != nullptr;
    line("br i1 " + condition + ", label %" + then + ", label %" + (hasElse ? otherwise : join));
    label(then);
    emitBranch(*choice.then, join);
    if (hasElse) {
      label(otherwise);
      emitBranch(*choice.otherwise, join);
    }
    label(join);
  }

  void emitBranch(const kir::Block& block, const std::string& join) {
    openScope();
    emitBlock(block);
    line("br label %" + join);
    closeScope();
  }

  void emit(const kir::Assign& assign) {
    store(assign.out, convert(read(assign.value), assign.out.tv->dtype()));
  }

  void emit(const kir::Compute& compute) {
    Expr* expr = compute.expr;
    const DataType out = compute.out.tv->dtype();
    if (auto* reduction = expr->as<ReductionOp>()) {
      const DataType type = computeType(out);
      const Register partial = convert(load(compute.out), type);
      const Register element = convert(read(compute.inputs[0]), type);
      store(compute.out, convert(combine(reduction->type(), partial, element), out));
      return;
    }
    std::vector<Register> inputs;
    for (const kir::Operand& operand : compute.inputs) {
      inputs.push_back(read(operand));
    }
    Register result{"", DataType::Null};
    switch (expr->kind()) {
      case ExprKind::Unary:
        result = unary(static_cast<UnaryOpType>(expr->attribute(0)), inputs[0], out);
        break;
      case ExprKind::Binary:
        result = binary(expr, inputs, out);
        break;
      case ExprKind::Ternary:
        result = ternary(static_cast<TernaryOpType>(expr->attribute(0)), inputs, out);
        break;
      case ExprKind::Iota: {
        const DataType type = computeType(out);
        const Register index = convert(inputs[0], type);
        const Register step = convert(inputs[2], type);
        const Register scaled = arithmetic(BinaryOpType::Mul, index, step);
        result = arithmetic(BinaryOpType::Add, convert(inputs[1], type), scaled);
        break;
      }
      default:
        // Everything else copies one element.
        NVF_INTERNAL_CHECK(inputs.size() == 1, "not a copy: ", expr->toString());
        result = inputs[0];
        break;
    }
    store(compute.out, convert(result, out));
  }

  // Memory.

  Register read(const kir::Operand& operand) {
    if (const auto* access = std::get_if<kir::Access>(&operand)) {
      return load(*access);
    }
    Val* val = std::get<Val*>(operand);
    return {scalar(val), val->dtype()};
  }

  std::string address(const kir::Access& access, const std::string& index) {
    return define("at", std::string("getelementptr inbounds ") + memoryType(access.tv->dtype()) +
                            ", ptr " + buffers_.at(access.tv) + ", i64 " + index);
  }

  bool isPacked(const kir::Access& access) const {
    return access.tv->dtype() == DataType::Float4_e2m1fn &&
           access.tv->memoryType() == MemoryType::Global;
  }

  // Two fp4 elements share a byte, the first in the low half.
  struct PackedAddress {
    std::string byte;
    std::string shift;
  };
  PackedAddress packedAddress(const kir::Access& access) {
    const std::string index = scalar(access.index);
    const std::string byte = define("byte", "lshr i64 " + index + ", 1");
    const std::string odd = define("odd", "trunc i64 " + index + " to i8");
    const std::string low = define("low", "and i8 " + odd + ", 1");
    return {address(access, byte), define("shift", "shl i8 " + low + ", 2")};
  }

  Register load(const kir::Access& access) {
    const DataType dtype = access.tv->dtype();
    const std::string metadata = accessMetadata(access.tv);
    const std::string hint = "t" + std::to_string(access.tv->name());
    if (isPacked(access)) {
      const PackedAddress packed = packedAddress(access);
      const std::string pair = define("pair", "load i8, ptr " + packed.byte + metadata);
      const std::string moved = define("moved", "lshr i8 " + pair + ", " + packed.shift);
      return {define(hint, "and i8 " + moved + ", 15"), dtype};
    }
    const std::string at = address(access, scalar(access.index));
    std::string value =
        define(hint, std::string("load ") + memoryType(dtype) + ", ptr " + at + metadata);
    if (dtype == DataType::Bool) {
      value = define(hint, "icmp ne i8 " + value + ", 0");
    }
    return {value, dtype};
  }

  void store(const kir::Access& access, Register value) {
    const DataType dtype = access.tv->dtype();
    const std::string metadata = accessMetadata(access.tv);
    if (isPacked(access)) {
      const PackedAddress packed = packedAddress(access);
      const std::string pair = define("pair", "load i8, ptr " + packed.byte + metadata);
      const std::string mask = define("mask", "shl i8 15, " + packed.shift);
      const std::string keep = define("keep", "xor i8 " + mask + ", -1");
      const std::string other = define("other", "and i8 " + pair + ", " + keep);
      const std::string moved = define("moved", "shl i8 " + value.name + ", " + packed.shift);
      const std::string both = define("both", "or i8 " + other + ", " + moved);
      line("store i8 " + both + ", ptr " + packed.byte + metadata);
      return;
    }
    const std::string at = address(access, scalar(access.index));
    if (dtype == DataType::Bool) {
      value.name = define("byte", "zext i1 " + value.name + " to i8");
    }
    line(std::string("store ") + memoryType(dtype) + " " + value.name + ", ptr " + at + metadata);
  }

  // Scalars.

  std::string constant(const PolymorphicValue& value, DataType dtype) {
    const PolymorphicValue cast = castScalar(value, dtype);
    switch (kindOf(dtype)) {
      case TypeKind::Bool:
        return cast.as<bool>() ? "true" : "false";
      case TypeKind::Integral:
        return std::to_string(cast.as<int64_t>());
      case TypeKind::Floating: {
        if (!isReducedPrecision(dtype)) {
          return hexDouble(cast.as<double>());
        }
        return convert({hexDouble(cast.as<double>()), DataType::Float}, dtype).name;
      }
      default: {
        const auto z = cast.as<std::complex<double>>();
        const std::string part = complexPart(dtype);
        return "{ " + part + " " + hexDouble(z.real()) + ", " + part + " " + hexDouble(z.imag()) +
               " }";
      }
    }
  }

  // The outermost scope that has all a scalar depends on.
  size_t scopeOf(const Val* val) const {
    if (val->isConst()) {
      return 0;
    }
    for (size_t i = scopes_.size(); i-- > 0;) {
      if (scopes_[i].values.contains(val)) {
        return i;
      }
    }
    size_t scope = 0;
    if (val->definition() != nullptr) {
      for (const Val* in : val->definition()->inputs()) {
        scope = std::max(scope, scopeOf(in));
      }
    }
    return scope;
  }

  // The register of a scalar of the IR. It is computed outside of all loops that it does not depend
  // on: LLVM would not move divisions there, since it cannot know that the divisor is not zero.
  std::string scalar(Val* val) {
    if (val->isConst()) {
      return constant(val->value(), val->dtype());
    }
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (const auto known = scope->values.find(val); known != scope->values.end()) {
        return known->second;
      }
    }
    const size_t outer = target_;
    target_ = scopeOf(val);
    const size_t scope = target_;
    const std::string name = computeScalar(val);
    scopes_[scope].values[val] = name;
    target_ = outer;
    return name;
  }

  std::string computeScalar(Val* val) {
    Expr* expr = val->definition();
    NVF_INTERNAL_CHECK(expr != nullptr, "scalar ", val->toString(), " is not a kernel parameter");
    std::vector<Register> inputs;
    for (Val* in : expr->inputs()) {
      inputs.push_back({scalar(in), in->dtype()});
    }
    Register result{"", val->dtype()};
    switch (expr->kind()) {
      case ExprKind::Unary:
        result = unary(static_cast<UnaryOpType>(expr->attribute(0)), inputs[0], val->dtype());
        break;
      case ExprKind::Binary:
        result = val->dtype() == DataType::Index || inputs[0].dtype == DataType::Index
                     ? indexArithmetic(static_cast<BinaryOpType>(expr->attribute(0)), inputs,
                                       val->dtype())
                     : binary(expr, inputs, val->dtype());
        break;
      case ExprKind::Ternary:
        result = ternary(static_cast<TernaryOpType>(expr->attribute(0)), inputs, val->dtype());
        break;
      default:
        fail("Not a scalar operation: ", expr->toString());
    }
    return convert(result, val->dtype()).name;
  }

  // An extent may be 0; the loops over it are never entered, but what they divide by it is computed
  // before them.
  std::string divisor(const std::string& name) {
    return name.front() != '%' ? name
                               : define("i", "call i64 @llvm.umax.i64(i64 " + name + ", i64 1)");
  }

  // Index expressions are non-negative where they are divided (see ir/scalar.h).
  Register indexArithmetic(BinaryOpType type, const std::vector<Register>& in, DataType out) {
    const std::string operands =
        "i64 " + convert(in[0], DataType::Index).name + ", " + convert(in[1], DataType::Index).name;
    const auto call = [&](const char* intrinsic) {
      return define("i", std::string("call i64 @llvm.") + intrinsic + ".i64(i64 " +
                             convert(in[0], DataType::Index).name + ", i64 " +
                             convert(in[1], DataType::Index).name + ")");
    };
    switch (type) {
      case BinaryOpType::Add:
        return {define("i", "add nsw " + operands), DataType::Index};
      case BinaryOpType::Sub:
        return {define("i", "sub nsw " + operands), DataType::Index};
      case BinaryOpType::Mul:
        return {define("i", "mul nsw " + operands), DataType::Index};
      case BinaryOpType::Div:
        return {define("i", "udiv i64 " + in[0].name + ", " + divisor(in[1].name)),
                DataType::Index};
      case BinaryOpType::Mod:
        return {define("i", "urem i64 " + in[0].name + ", " + divisor(in[1].name)),
                DataType::Index};
      case BinaryOpType::CeilDiv: {
        const std::string sum = define("i", "add nsw i64 " + in[0].name + ", " + in[1].name);
        const std::string up = define("i", "sub nsw i64 " + sum + ", 1");
        return {define("i", "udiv i64 " + up + ", " + divisor(in[1].name)), DataType::Index};
      }
      case BinaryOpType::BitwiseXor:
        return {define("i", "xor " + operands), DataType::Index};
      case BinaryOpType::Minimum:
        return {call("smin"), DataType::Index};
      case BinaryOpType::Maximum:
        return {call("smax"), DataType::Index};
      case BinaryOpType::Lt:
      case BinaryOpType::Ge:
      case BinaryOpType::Eq:
        return compare(type, in[0], in[1], DataType::Index);
      default: {
        // User-level arithmetic on extents follows the rules of Int.
        return arithmetic(type, convert(in[0], computeType(out)), convert(in[1], computeType(out)));
      }
    }
  }

  // Conversions.

  Register convert(const Register& value, DataType to) {
    const DataType from = value.dtype;
    if (from == to || (registerType(from) == registerType(to) && kindOf(from) == kindOf(to) &&
                       !isReducedPrecision(from) && !isReducedPrecision(to))) {
      return {value.name, to};
    }
    const auto cast = [&](const char* instruction) {
      return Register{define("c", std::string(instruction) + " " + registerType(from) + " " +
                                      value.name + " to " + registerType(to)),
                      to};
    };
    if (isReducedPrecision(from)) {
      const std::string single =
          define("f", std::string("call float @nvf.from_") + storageName(from) + ".f32(" +
                          registerType(from) + " " + value.name + ")");
      return convert({single, DataType::Float}, to);
    }
    if (isReducedPrecision(to)) {
      const Register single = convert(value, DataType::Float);
      return {define("s", std::string("call ") + registerType(to) + " @nvf.to_" + storageName(to) +
                              ".f32(float " + single.name + ")"),
              to};
    }
    if (isComplexType(from)) {
      const std::string type = registerType(from);
      const DataType part = realTypeOf(from);
      const Register real{define("re", "extractvalue " + type + " " + value.name + ", 0"), part};
      if (isBooleanType(to)) {
        const Register imaginary{define("im", "extractvalue " + type + " " + value.name + ", 1"),
                                 part};
        return {define("b", "or i1 " + convert(real, to).name + ", " + convert(imaginary, to).name),
                to};
      }
      if (!isComplexType(to)) {
        return convert(real, to);
      }
      const Register imaginary{define("im", "extractvalue " + type + " " + value.name + ", 1"),
                               part};
      return complexOf(convert(real, realTypeOf(to)), convert(imaginary, realTypeOf(to)), to);
    }
    if (isComplexType(to)) {
      const DataType part = realTypeOf(to);
      return complexOf(convert(value, part), {hexDouble(0.0), part}, to);
    }
    switch (kindOf(to)) {
      case TypeKind::Bool:
        return isFloatingPointType(from)
                   ? Register{define("b", std::string("fcmp une ") + registerType(from) + " " +
                                              value.name + ", " + hexDouble(0.0)),
                              to}
                   : Register{define("b", std::string("icmp ne ") + registerType(from) + " " +
                                              value.name + ", 0"),
                              to};
      case TypeKind::Integral:
        if (isBooleanType(from)) {
          return cast("zext");
        }
        if (isIntegralType(from)) {
          return cast(to == DataType::Int32 ? "trunc" : "sext");
        }
        return {define("i", std::string("call ") + registerType(to) + " @nvf.to_" +
                                (to == DataType::Int32    ? "i32"
                                 : to == DataType::UInt64 ? "u64"
                                                          : "i64") +
                                "." + librarySuffix(from) + "(" + registerType(from) + " " +
                                value.name + ")"),
                to};
      default:
        if (isFloatingPointType(from)) {
          return cast(to == DataType::Double ? "fpext" : "fptrunc");
        }
        return cast(isBooleanType(from) || !isSigned(from) ? "uitofp" : "sitofp");
    }
  }

  Register complexOf(const Register& real, const Register& imaginary, DataType dtype) {
    const std::string type = registerType(dtype);
    const std::string part = complexPart(dtype);
    const std::string half =
        define("z", "insertvalue " + type + " poison, " + part + " " + real.name + ", 0");
    return {define("z",
                   "insertvalue " + type + " " + half + ", " + part + " " + imaginary.name + ", 1"),
            dtype};
  }

  // Operations.

  Register library(const char* name, const std::vector<Register>& operands, DataType result) {
    const DataType type = operands[0].dtype;
    std::string call = std::string("call ") + registerType(result) + " @nvf." + name + "." +
                       librarySuffix(type) + "(";
    for (size_t i = 0; i < operands.size(); ++i) {
      call += std::string(i == 0 ? "" : ", ") + registerType(operands[i].dtype) + " " +
              operands[i].name;
    }
    return {define("v", call + ")"), result};
  }

  Register unary(UnaryOpType type, const Register& in, DataType out) {
    const OpInfo& op = info(type);
    switch (type) {
      case UnaryOpType::Cast:
        return convert(in, out);
      case UnaryOpType::Real:
      case UnaryOpType::Imag:
        if (isComplexType(in.dtype)) {
          return {define("part", std::string("extractvalue ") + registerType(in.dtype) + " " +
                                     in.name + (type == UnaryOpType::Real ? ", 0" : ", 1")),
                  realTypeOf(in.dtype)};
        }
        return in;
      case UnaryOpType::LogicalNot:
        return {define("b", "xor i1 " + convert(in, DataType::Bool).name + ", true"),
                DataType::Bool};
      case UnaryOpType::Neg:
        if (isFloatingPointType(out)) {
          const Register value = convert(in, computeType(out));
          return {define("v", std::string("fneg ") + registerType(value.dtype) + " " + value.name),
                  value.dtype};
        }
        break;
      default:
        break;
    }
    if (op.promotion == Promotion::Predicate) {
      return library(op.name, {convert(in, computeType(in.dtype))}, DataType::Bool);
    }
    if (type == UnaryOpType::Abs && isComplexType(in.dtype)) {
      return library(op.name, {in}, realTypeOf(in.dtype));
    }
    const DataType compute = computeType(out);
    return library(op.name, {convert(in, compute)}, compute);
  }

  // The dtype in which operands are compared: a scalar does not widen a tensor of the same kind.
  static DataType comparisonType(const Expr* expr, const std::vector<Register>& in) {
    const bool lhsTensor = expr->input(0)->isTensor();
    const bool rhsTensor = expr->input(1)->isTensor();
    const DataType lhs = computeType(in[0].dtype);
    const DataType rhs = computeType(in[1].dtype);
    if (lhsTensor != rhsTensor) {
      const DataType tensor = lhsTensor ? lhs : rhs;
      const DataType other = lhsTensor ? rhs : lhs;
      if (kindOf(other) <= kindOf(tensor)) {
        return tensor;
      }
    }
    return promoteTypes(lhs, rhs);
  }

  Register binary(Expr* expr, const std::vector<Register>& in, DataType out) {
    const auto type = static_cast<BinaryOpType>(expr->attribute(0));
    switch (info(type).promotion) {
      case Promotion::Compare: {
        const DataType compute = comparisonType(expr, in);
        return compare(type, convert(in[0], compute), convert(in[1], compute), compute);
      }
      case Promotion::Logical: {
        const Register lhs = convert(in[0], DataType::Bool);
        const Register rhs = convert(in[1], DataType::Bool);
        return {define("b", std::string(type == BinaryOpType::LogicalAnd ? "and" : "or") + " i1 " +
                                lhs.name + ", " + rhs.name),
                DataType::Bool};
      }
      default:
        break;
    }
    if (type == BinaryOpType::Complex) {
      const DataType part = realTypeOf(out);
      return complexOf(convert(in[0], part), convert(in[1], part), out);
    }
    const DataType compute = computeType(out);
    return arithmetic(type, convert(in[0], compute), convert(in[1], compute));
  }

  Register compare(BinaryOpType type, const Register& lhs, const Register& rhs, DataType compute) {
    const char* floating = nullptr;
    const char* integral = nullptr;
    const bool withSign = isSigned(compute) && compute != DataType::Bool;
    switch (type) {
      case BinaryOpType::Eq:
        floating = "oeq";
        integral = "eq";
        break;
      case BinaryOpType::Ne:
        floating = "une";
        integral = "ne";
        break;
      case BinaryOpType::Lt:
        floating = "olt";
        integral = withSign ? "slt" : "ult";
        break;
      case BinaryOpType::Le:
        floating = "ole";
        integral = withSign ? "sle" : "ule";
        break;
      case BinaryOpType::Gt:
        floating = "ogt";
        integral = withSign ? "sgt" : "ugt";
        break;
      default:
        floating = "oge";
        integral = withSign ? "sge" : "uge";
        break;
    }
    if (isComplexType(compute)) {
      return library(info(type).name, {lhs, rhs}, DataType::Bool);
    }
    const std::string operands =
        std::string(" ") + registerType(compute) + " " + lhs.name + ", " + rhs.name;
    return {define("b", isFloatingPointType(compute) ? std::string("fcmp ") + floating + operands
                                                     : std::string("icmp ") + integral + operands),
            DataType::Bool};
  }

  // lhs op rhs, both of the same compute type.
  Register arithmetic(BinaryOpType type, const Register& lhs, const Register& rhs) {
    const DataType dtype = lhs.dtype;
    const auto instruction = [&](const char* name) {
      return Register{define("v", std::string(name) + " " + registerType(dtype) + " " + lhs.name +
                                      ", " + rhs.name),
                      dtype};
    };
    const bool floating = isFloatingPointType(dtype);
    const bool integral = isIntegralType(dtype);
    switch (type) {
      case BinaryOpType::Add:
        if (floating || integral) {
          return instruction(floating ? "fadd" : "add");
        }
        break;
      case BinaryOpType::Sub:
        if (floating || integral) {
          return instruction(floating ? "fsub" : "sub");
        }
        break;
      case BinaryOpType::Mul:
        if (floating || integral) {
          return instruction(floating ? "fmul" : "mul");
        }
        break;
      case BinaryOpType::Div:
      case BinaryOpType::Truediv:
        if (floating) {
          return instruction("fdiv");
        }
        return library("div", {lhs, rhs}, dtype);
      case BinaryOpType::BitwiseAnd:
        return instruction("and");
      case BinaryOpType::BitwiseOr:
        return instruction("or");
      case BinaryOpType::BitwiseXor:
        return instruction("xor");
      default:
        break;
    }
    if (isBooleanType(dtype)) {
      // Arithmetic on truth values is that of the two-element lattice.
      switch (type) {
        case BinaryOpType::Add:
        case BinaryOpType::Maximum:
          return instruction("or");
        case BinaryOpType::Mul:
        case BinaryOpType::Minimum:
          return instruction("and");
        case BinaryOpType::Sub:
          return instruction("xor");
        default:
          break;
      }
    }
    return library(info(type).name, {lhs, rhs}, dtype);
  }

  // One step of a reduction. The order of a sum is free, which lets it run in vector lanes.
  Register combine(BinaryOpType type, const Register& partial, const Register& element) {
    const DataType dtype = partial.dtype;
    if (isFloatingPointType(dtype) && (type == BinaryOpType::Add || type == BinaryOpType::Mul)) {
      return {define("sum", std::string(type == BinaryOpType::Add ? "fadd" : "fmul") + " reassoc " +
                                registerType(dtype) + " " + partial.name + ", " + element.name),
              dtype};
    }
    if (isFloatingPointType(dtype) &&
        (type == BinaryOpType::Maximum || type == BinaryOpType::Minimum)) {
      // The intrinsics are known to the vectorizer as reductions; NaN propagates through them.
      const std::string operand = registerType(dtype);
      return {define("extreme", "call nsz " + operand + " @llvm." +
                                    (type == BinaryOpType::Maximum ? "maximum" : "minimum") + "." +
                                    librarySuffix(dtype) + "(" + operand + " " + partial.name +
                                    ", " + operand + " " + element.name + ")"),
              dtype};
    }
    return arithmetic(type, partial, element);
  }

  Register select(const Register& condition, const Register& a, const Register& b) {
    return {define("v", "select i1 " + condition.name + ", " + registerType(a.dtype) + " " +
                            a.name + ", " + registerType(b.dtype) + " " + b.name),
            a.dtype};
  }

  Register ternary(TernaryOpType type, const std::vector<Register>& in, DataType out) {
    if (type == TernaryOpType::Where) {
      return select(convert(in[0], DataType::Bool), convert(in[1], out), convert(in[2], out));
    }
    const DataType compute = computeType(out);
    std::vector<Register> x;
    for (const Register& r : in) {
      x.push_back(convert(r, compute));
    }
    switch (type) {
      case TernaryOpType::Lerp:
        return arithmetic(
            BinaryOpType::Add, x[0],
            arithmetic(BinaryOpType::Mul, x[2], arithmetic(BinaryOpType::Sub, x[1], x[0])));
      case TernaryOpType::Clamp: {
        // NaN is in no comparison less or greater, so it stays.
        const Register low = select(compare(BinaryOpType::Lt, x[0], x[1], compute), x[1], x[0]);
        return select(compare(BinaryOpType::Gt, low, x[2], compute), x[2], low);
      }
      case TernaryOpType::Threshold:
        // torch.threshold keeps NaN: the value replaces x only where x <= threshold.
        return select(compare(BinaryOpType::Le, x[0], x[1], compute), x[2], x[0]);
      case TernaryOpType::Addcmul:
        return arithmetic(
            BinaryOpType::Add, x[0],
            arithmetic(BinaryOpType::Mul, x[3], arithmetic(BinaryOpType::Mul, x[1], x[2])));
      default:
        fail("Unknown ternary operation ", info(type).name);
    }
  }

  static constexpr size_t kFirstNode = 1;

  const kir::Kernel& kernel_;
  const kir::Phase* phase_ = nullptr;
  std::string block_;
  int64_t counter_ = 0;
  size_t loopCount_ = 0;
  std::unordered_map<const TensorView*, size_t> aliasScopes_;
  std::unordered_map<const TensorView*, std::string> buffers_;
  // The function, the enclosing loops and branches: their text so far, and the scalars computed
  // there.
  struct Scope {
    std::string text;
    std::unordered_map<const Val*, std::string> values;
  };
  std::vector<Scope> scopes_;
  size_t target_ = 0;
};

}  // namespace

std::string emitLlvm(const kir::Kernel& kernel) { return Emitter(kernel).run(); }

std::string phaseName(const kir::Kernel& kernel, size_t phase) {
  return kernel.name + "_phase" + std::to_string(phase);
}

int64_t slotsOf(const kir::Parameter& parameter) {
  return parameter.value != nullptr && isComplexType(parameter.value->dtype()) ? 2 : 1;
}

}  // namespace nvfuser
