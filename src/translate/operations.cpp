// The table of operations: how the parameters of each kind of expression are written in Python.
//
// A new kind of expression is a new row here; the calls serve printing and saving alike. What a row
// writes must make the same node again: the inputs of a node have been promoted, aligned and
// normalized already, which a second time changes nothing.

#include "translate/operations.h"

#include <algorithm>
#include <optional>

#include "core/error.h"

namespace nvfuser {

CallBuilder::CallBuilder(const Expr& expr, std::function<Argument(const Val*)> use)
    : use_(std::move(use)), expr_(expr) {
  call_.results.assign(expr.outputs().begin(), expr.outputs().end());
}

CallBuilder& CallBuilder::op(const char* name) {
  call_.function = std::string("ops.") + name;
  return *this;
}

CallBuilder& CallBuilder::inputs() {
  for (const Val* input : expr_.inputs()) {
    positional(input);
  }
  return *this;
}

CallBuilder& CallBuilder::inputList() { return list(expr_.inputs()); }

CallBuilder& CallBuilder::list(const std::vector<Val*>& vals) {
  Argument::List items;
  for (const Val* val : vals) {
    items.push_back(use_(val));
  }
  call_.add(std::move(items));
  return *this;
}

CallBuilder& CallBuilder::text(const std::string& text) {
  call_.add(text.c_str());
  return *this;
}

CallBuilder& CallBuilder::positional(const Val* val) {
  call_.add(use_(val));
  return *this;
}

CallBuilder& CallBuilder::keyword(const char* name, Argument argument) {
  call_.add(name, std::move(argument));
  return *this;
}

CallBuilder& CallBuilder::keyword(const char* name, const Val* val) {
  return keyword(name, use_(val));
}

Argument CallBuilder::extentOf(const Val* val) {
  return val->isConstInt() ? Argument(val->constInt()) : use_(val);
}

CallBuilder& CallBuilder::extent(const char* name, const Val* val) {
  return keyword(name, extentOf(val));
}

Argument::List CallBuilder::extents(const std::vector<Val*>& extents) {
  Argument::List items;
  for (const Val* val : extents) {
    items.push_back(extentOf(val));
  }
  return items;
}

CallBuilder& CallBuilder::shape(const char* name, const std::vector<Val*>& extents) {
  return keyword(name, this->extents(extents));
}

CallBuilder& CallBuilder::integers(const char* name, const std::vector<int64_t>& values) {
  return keyword(name, Argument::List(values.begin(), values.end()));
}

CallBuilder& CallBuilder::results(std::vector<const Val*> vals) {
  call_.results = std::move(vals);
  return *this;
}

bool isPartialReduction(const Expr* expr) {
  return expr != nullptr && expr->is<ReductionOp>() &&
         expr->output(0)->asTensor()->domain()->hasRoot();
}

namespace {

// Positions of the entries for which the condition holds.
template <typename Container, typename Condition>
std::vector<int64_t> positionsWhere(const Container& items, const Condition& condition) {
  std::vector<int64_t> positions;
  for (size_t i = 0; i < items.size(); ++i) {
    if (condition(items[i])) {
      positions.push_back(static_cast<int64_t>(i));
    }
  }
  return positions;
}

std::vector<Val*> visibleExtents(const TensorView* tv) {
  std::vector<Val*> extents;
  for (const IterDomain* id : tv->visible()) {
    extents.push_back(id->visibleExtent());
  }
  return extents;
}

// Whether `val` is the constant that an operation takes where none is given.
bool isConstant(const Val* val, DataType dtype, int64_t value) {
  return val->isConst() && val->dtype() == dtype &&
         sameValue(val->value(), castScalar(PolymorphicValue(value), dtype));
}

void unary(CallBuilder& call, const Expr& expr) {
  const auto type = static_cast<const UnaryOp&>(expr).type();
  switch (type) {
    case UnaryOpType::Cast:
      call.op("cast").inputs().keyword("dtype", expr.output(0)->dtype());
      break;
    case UnaryOpType::GeluTanh:
      call.op("gelu").inputs().keyword("approximate", "tanh");
      break;
    default:
      call.op(info(type).name).inputs();
  }
}

void binary(CallBuilder& call, const Expr& expr) {
  const auto type = static_cast<const BinaryOp&>(expr).type();
  NVF_CHECK(type != BinaryOpType::CeilDiv, "No Python definition: ", info(type).name,
            " is no operation of nvfuser.ops, but computes ", expr.output(0)->toString());
  call.op(info(type).name).inputs();
}

void ternary(CallBuilder& call, const Expr& expr) {
  call.op(info(static_cast<const TernaryOp&>(expr).type()).name).inputs();
}

// The argument of stride_order that makes this allocation domain, none where there is no such.
std::optional<std::vector<int64_t>> strideOrderOf(const TensorDomain& domain) {
  const std::vector<IterDomain*>& logical = domain.logical();
  const std::vector<IterDomain*>& allocation = domain.allocation();
  if (logical.empty() || !std::ranges::is_permutation(logical, allocation) ||
      domain.contiguity() != TensorDomain::fullContiguity(allocation, true)) {
    return std::nullopt;
  }
  std::vector<int64_t> order;
  for (const IterDomain* id : logical) {
    order.push_back(static_cast<int64_t>(logical.size()) - 1 - positionOf(allocation, id));
  }
  return order;
}

// Dimensions permuted, an order of strides, or a plain copy.
void copy(CallBuilder& call, const Expr& expr) {
  const auto& node = static_cast<const LoadStoreOp&>(expr);
  if (node.isSegmentBoundary()) {
    call.op("segment_set").inputs();
    return;
  }
  const TensorDomain* domain = node.out()->domain();
  if (domain->hasRoot()) {
    std::vector<int64_t> dims;
    for (const IterDomain* id : domain->logical()) {
      dims.push_back(positionOf(domain->root(), id));
    }
    call.op("permute").inputs().integers("dims", dims);
    return;
  }
  if (const auto order = strideOrderOf(*domain)) {
    call.op("stride_order").inputs().integers("stride_order", *order);
    return;
  }
  call.op("cast").inputs().keyword("dtype", node.in()->dtype());
}

// A reduction that a schedule made a chain of by rfactor is the one that it was: the first of them
// has the dimensions of the input as its root.
void reduction(CallBuilder& call, const Expr& expr) {
  const auto* first = expr.as<ReductionOp>();
  while (isPartialReduction(first->in()->definition())) {
    first = first->in()->definition()->as<ReductionOp>();
  }
  const auto isReduced = [](const IterDomain* id) { return id->isReduction(); };
  const BinaryOpType type = first->type();
  const char* name = type == BinaryOpType::Add       ? "sum"
                     : type == BinaryOpType::Mul     ? "prod"
                     : type == BinaryOpType::Maximum ? "max"
                     : type == BinaryOpType::Minimum ? "min"
                                                     : nullptr;
  NVF_INTERNAL_CHECK(name != nullptr, "unknown reduction: ", expr.toString());
  call.op(name)
      .positional(first->in())
      .integers("dims", positionsWhere(first->out()->maybeRoot(), isReduced));
  if (type == BinaryOpType::Add || type == BinaryOpType::Mul) {
    call.keyword("dtype", expr.output(0)->dtype());
  }
}

void broadcast(CallBuilder& call, const Expr& expr) {
  Argument::List flags;
  for (const int64_t flag : expr.attributes()) {
    flags.emplace_back(flag != 0);
  }
  call.op("broadcast").inputs().keyword("is_broadcast_dim", std::move(flags));
}

void squeeze(CallBuilder& call, const Expr& expr) {
  const auto& node = static_cast<const SqueezeOp&>(expr);
  const auto dims = positionsWhere(expr.attributes(), [](int64_t flag) { return flag != 0; });
  const std::vector<IterDomain*> in = node.in()->visible();
  const bool isExpanded =
      std::ranges::any_of(dims, [&](int64_t dim) { return in[dim]->hasExpandedExtent(); });
  call.op("squeeze")
      .inputs()
      .integers("dims", dims)
      .keywordUnless(false, "squeeze_expanded", isExpanded);
}

void expand(CallBuilder& call, const Expr& expr) {
  call.op("expand").inputs().shape("shape", expr.operands());
}

void reshape(CallBuilder& call, const Expr& expr) {
  call.op("reshape").inputs().shape("new_shape", expr.operands());
}

void slice(CallBuilder& call, const Expr& expr) {
  const auto middle = expr.operands().begin() + static_cast<int64_t>(expr.operands().size() / 2);
  call.op("slice")
      .inputs()
      .shape("start_indices", {expr.operands().begin(), middle})
      .shape("end_indices", {middle, expr.operands().end()})
      .integers("strides", std::vector<int64_t>(expr.operands().size() / 2, 1))
      .keyword("manual_normalization", true);
}

void pad(CallBuilder& call, const Expr& expr) {
  const auto& node = static_cast<const PadOp&>(expr);
  // Innermost dimension first, left before right.
  std::vector<Val*> widths;
  for (size_t i = expr.operands().size() / 2; i-- > 0;) {
    widths.push_back(node.left(i));
    widths.push_back(node.right(i));
  }
  call.op("pad").inputs().shape("pad_widths", widths);
  if (!isConstant(node.value(), node.in()->dtype(), 0)) {
    call.keyword("value", node.value());
  }
}

void cat(CallBuilder& call, const Expr& expr) {
  const auto& node = static_cast<const CatOp&>(expr);
  call.op("cat").inputList().keyword("dim", node.dim()).keyword("manual_padding", true);
}

void select(CallBuilder& call, const Expr& expr) {
  const auto& node = static_cast<const SelectOp&>(expr);
  call.op("select").inputs().extent("index", node.index()).keyword("dim", node.dim());
}

void lookup(CallBuilder& call, const Expr& expr) {
  const auto& node = static_cast<const LookupOp&>(expr);
  switch (node.type()) {
    case LookupType::IndexSelect:
      call.op("index_select");
      break;
    case LookupType::Gather:
      call.op("gather");
      break;
    case LookupType::TakeAlongAxis:
      call.op("take_along_axis");
      break;
    case LookupType::Embedding:
      call.op("embedding_fwd").positional(node.index()).positional(node.in());
      return;
  }
  call.inputs().keyword("dim", node.dim());
}

void scatter(CallBuilder& call, const Expr& expr) {
  const auto& node = static_cast<const ScatterOp&>(expr);
  call.op("scatter").inputs().keyword("dim", node.dim());
  if (node.accumulates()) {
    call.keyword("accumulate", true);
  }
}

void torchCall(CallBuilder& call, const LibraryOp& node) {
  const TorchCall& torch = *node.info().torchCall;
  call.op("torch_call").text(torch.target).text(torch.arguments).inputList();
  call.list(node.operands());
  std::vector<const Val*> results;
  Argument::List described;
  size_t number = 0;
  for (const bool isWanted : torch.results) {
    results.push_back(isWanted ? node.output(number++) : nullptr);
    described.emplace_back();
    if (results.back() == nullptr) {
      continue;
    }
    const TensorView* tv = results.back()->asTensor();
    // The order of strides is set behind the call, like that of any tensor.
    described.back() = Argument::List{call.extents(visibleExtents(tv)), tv->dtype(), Argument()};
  }
  call.keyword("results", std::move(described)).results(std::move(results));
}

// As declared: tensors that are required by position as long as nothing else came before, what has
// a default by keyword; what is not given or is the default is left out.
void library(CallBuilder& call, const Expr& expr) {
  const auto& node = static_cast<const LibraryOp&>(expr);
  if (node.type() == LibraryOpType::Torch) {
    torchCall(call, node);
    return;
  }
  call.op(node.info().name);
  std::vector<const Val*> results(expr.outputs().begin(), expr.outputs().end());
  results.resize(results.size() + static_cast<size_t>(node.info().noResults), nullptr);
  call.results(std::move(results));
  bool isPositional = true;
  for (size_t i = 0; i < node.info().parameters.size(); ++i) {
    const LibraryParameter& parameter = node.info().parameters[i];
    const LibraryOp::Argument argument = node.argument(i);
    switch (parameter.kind) {
      case LibraryParameter::Kind::Tensor:
      case LibraryParameter::Kind::Scalar:
        if (argument.val == nullptr) {
          isPositional = false;
          if (parameter.isRequired) {
            call.keyword(parameter.name, Argument());
          }
          continue;
        }
        if (!parameter.isRequired && argument.val->isScalar() &&
            isConstant(argument.val, argument.val->dtype(), parameter.defaultValue)) {
          isPositional = false;
          continue;
        }
        isPositional = isPositional && parameter.isRequired && argument.val->isTensor();
        isPositional ? call.positional(argument.val) : call.keyword(parameter.name, argument.val);
        continue;
      case LibraryParameter::Kind::Number:
        if (parameter.isRequired || argument.number != parameter.defaultValue) {
          call.keyword(parameter.name, argument.number);
        }
        break;
      case LibraryParameter::Kind::Flag:
        if (parameter.isRequired || argument.number != parameter.defaultValue) {
          call.keyword(parameter.name, argument.number != 0);
        }
        break;
      case LibraryParameter::Kind::DataType:
        if (parameter.isRequired || argument.number != parameter.defaultValue) {
          call.keyword(parameter.name, static_cast<DataType>(argument.number));
        }
        break;
    }
    isPositional = false;
  }
}

void full(CallBuilder& call, const Expr& expr) {
  const auto& node = static_cast<const FullOp&>(expr);
  call.op("full")
      .shape("shape", visibleExtents(node.out()))
      .keyword("fill_value", node.value())
      .keyword("dtype", node.out()->dtype());
}

void iota(CallBuilder& call, const Expr& expr) {
  const auto& node = static_cast<const IotaOp&>(expr);
  const DataType dtype = node.out()->dtype();
  call.op("iota").extent("length", node.out()->logical()[0]->extent());
  if (!isConstant(node.start(), dtype, 0)) {
    call.keyword("start", node.start());
  }
  if (!isConstant(node.step(), dtype, 1)) {
    call.keyword("step", node.step());
  }
  call.keywordUnless(DataType::Int, "dtype", dtype);
}

void random(CallBuilder& call, const Expr& expr) {
  const auto& node = static_cast<const RandomOp&>(expr);
  call.op(toString(node.type()))
      .positional(node.a())
      .positional(node.b())
      .shape("shape", visibleExtents(node.out()));
  if (!node.isStateful()) {
    call.keyword("rng_seed", node.seed()).keyword("rng_offset", node.offset());
  }
  call.keywordUnless(DataType::Float, "dtype", node.out()->dtype());
}

void scan(CallBuilder& call, const Expr& expr) {
  const auto& node = static_cast<const ScanOp&>(expr);
  call.op(scanName(node.type())).inputs().keyword("dim", node.dim());
  if (node.init() != nullptr) {
    call.keyword("init", node.init());
  }
}

struct Row {
  ExprKind kind;
  void (*write)(CallBuilder& call, const Expr& expr);
};
constexpr Row kRows[] = {
    {ExprKind::Unary, unary},
    {ExprKind::Binary, binary},
    {ExprKind::Ternary, ternary},
    {ExprKind::LoadStore, copy},
    {ExprKind::Reduction, reduction},
    {ExprKind::Broadcast, broadcast},
    {ExprKind::Squeeze, squeeze},
    {ExprKind::Expand, expand},
    {ExprKind::Reshape, reshape},
    {ExprKind::Slice, slice},
    {ExprKind::Pad, pad},
    {ExprKind::Cat, cat},
    {ExprKind::Select, select},
    {ExprKind::Lookup, lookup},
    {ExprKind::Scatter, scatter},
    {ExprKind::Library, library},
    {ExprKind::Full, full},
    {ExprKind::Iota, iota},
    {ExprKind::Random, random},
    {ExprKind::Scan, scan},
};

const Row* rowOf(ExprKind kind) {
  const auto* row = std::ranges::find(kRows, kind, &Row::kind);
  return row == std::end(kRows) ? nullptr : row;
}

}  // namespace

bool isTranslatable(ExprKind kind) { return rowOf(kind) != nullptr; }

DefinitionCall operationCall(const Expr& expr, const std::function<Argument(const Val*)>& use) {
  const Row* row = rowOf(expr.kind());
  NVF_CHECK(row != nullptr, "No Python definition: the operation ", nameOf(expr.kind()),
            ", which makes ", expr.output(0)->toString(), ", cannot be written as a call");
  CallBuilder builder(expr, use);
  row->write(builder, expr);
  return builder.call();
}

}  // namespace nvfuser
