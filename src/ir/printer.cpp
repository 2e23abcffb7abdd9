// The printed forms of all nodes and of whole fusions.

#include <sstream>

#include "core/error.h"
#include "ir/fusion.h"
#include "ir/logical_map.h"

namespace nvfuser {

namespace {

std::string constantToString(const Val& val) {
  if (isFloatingPointType(val.dtype()) || isComplexType(val.dtype())) {
    return toString(val.dtype()) + "(" + toString(val.value()) + ")";
  }
  return toString(val.value());
}

// Scalars are printed as the expressions that they are, and what is used twice is printed twice:
// the text of sums of sums would double with each. Behind so many operations, or inside so many,
// only names follow.
class ScalarPrinter {
 public:
  std::string text(const Val& val) {
    if (val.isConst()) {
      return constantToString(val);
    }
    if (val.definition() == nullptr || operationsLeft_ == 0 || levelsLeft_ == 0) {
      return symbol(val);
    }
    --operationsLeft_;
    --levelsLeft_;
    std::string text = definition(*val.definition());
    ++levelsLeft_;
    return text;
  }

 private:
  std::string definition(const Expr& expr) {
    if (auto* unary = expr.as<UnaryOp>()) {
      const OpInfo& op = info(unary->type());
      const std::string in = text(*unary->in());
      if (unary->type() == UnaryOpType::Cast) {
        return "( (" + toString(unary->out()->dtype()) + ")(" + in + ") )";
      }
      return *op.symbol != 0 ? std::string("( ") + op.symbol + in + " )"
                             : std::string("( ") + op.name + "(" + in + ") )";
    }
    if (auto* binary = expr.as<BinaryOp>()) {
      const OpInfo& op = info(binary->type());
      const std::string lhs = text(*binary->lhs());
      const std::string rhs = text(*binary->rhs());
      return *op.symbol != 0 ? "( " + lhs + " " + op.symbol + " " + rhs + " )"
                             : std::string("( ") + op.name + "(" + lhs + ", " + rhs + ") )";
    }
    std::string call = "( ";
    call += expr.is<TernaryOp>() ? info(static_cast<const TernaryOp&>(expr).type()).name
                                 : "getMetaData";
    call += "(";
    for (size_t i = 0; i < expr.inputs().size(); ++i) {
      call += (i == 0 ? "" : ", ") +
              (expr.input(i)->isScalar() ? text(*expr.input(i)) : expr.input(i)->toString());
    }
    return call + ") )";
  }

  static std::string symbol(const Val& val) {
    const char* prefix = "i";
    switch (kindOf(val.dtype())) {
      case TypeKind::Floating:
        prefix = val.dtype() == DataType::Double ? "d" : "f";
        break;
      case TypeKind::Complex:
        prefix = "c";
        break;
      case TypeKind::Bool:
        prefix = "b";
        break;
      default:
        break;
    }
    return prefix + std::to_string(val.name());
  }

  int operationsLeft_ = 256;
  int levelsLeft_ = 64;
};

template <typename Container>
std::string join(const Container& items) {
  std::string text;
  for (const auto* item : items) {
    text += (text.empty() ? "" : ", ") + item->toString();
  }
  return text;
}

std::string flags(const std::vector<int64_t>& values) {
  std::string text = "{";
  for (size_t i = 0; i < values.size(); ++i) {
    text += std::string(i == 0 ? "" : ", ") + (values[i] != 0 ? "true" : "false");
  }
  return text + "}";
}

const char* cacheOpName(CacheOp op) {
  switch (op) {
    case CacheOp::AllLevels:
      return "AllLevels";
    case CacheOp::Streaming:
      return "Streaming";
    case CacheOp::Global:
      return "Global";
    default:
      return "Unspecified";
  }
}

// The arguments that were given and are not the default: tensors by position, the others by name.
std::string libraryCall(const LibraryOp& op) {
  std::string text = op.info().name + std::string("( ");
  const char* separator = "";
  for (size_t i = 0; i < op.info().parameters.size(); ++i) {
    const LibraryParameter& parameter = op.info().parameters[i];
    const LibraryOp::Argument argument = op.argument(i);
    const auto add = [&](const std::string& name, const std::string& value) {
      text += separator + name + value;
      separator = ", ";
    };
    const std::string name = parameter.name + std::string(" = ");
    switch (parameter.kind) {
      case LibraryParameter::Kind::Tensor:
      case LibraryParameter::Kind::Scalar:
        if (argument.val != nullptr) {
          add(argument.val->isTensor() ? "" : name, argument.val->toString());
        }
        break;
      case LibraryParameter::Kind::Number:
        add(name, std::to_string(argument.number));
        break;
      case LibraryParameter::Kind::Flag:
        add(name, argument.number != 0 ? "true" : "false");
        break;
      case LibraryParameter::Kind::DataType:
        add(name, toString(static_cast<DataType>(argument.number)));
        break;
    }
  }
  return text + " )";
}

// What stands behind "out\n   = ".
std::string rightHandSide(const Expr& expr) {
  std::ostringstream os;
  if (auto* unary = expr.as<UnaryOp>()) {
    const OpInfo& op = info(unary->type());
    if (unary->type() == UnaryOpType::Cast) {
      os << "(" << unary->out()->dtype() << ")(" << unary->in()->toString() << ")";
    } else if (*op.symbol != 0) {
      os << op.symbol << unary->in()->toString();
    } else {
      const bool isFloat = unary->out()->dtype() == DataType::Float;
      os << op.name << (isFloat && op.promotion == Promotion::Float ? "f" : "") << "("
         << unary->in()->toString() << ")";
    }
  } else if (auto* binary = expr.as<BinaryOp>()) {
    const OpInfo& op = info(binary->type());
    if (*op.symbol != 0) {
      os << binary->lhs()->toString() << "\n   " << op.symbol << " " << binary->rhs()->toString();
    } else {
      os << op.name << "(" << join(expr.inputs()) << ")";
    }
  } else if (auto* ternary = expr.as<TernaryOp>()) {
    os << info(ternary->type()).name << "(" << join(expr.inputs()) << ")";
  } else if (auto* copy = expr.as<LoadStoreOp>()) {
    os << (copy->isSegmentBoundary() ? "SegmenterSet" : "Set")
       << (copy->out()->domain()->hasRoot() ? ".Permute" : "") << "( " << copy->in()->toString();
    if (copy->cacheOp() != CacheOp::Unspecified) {
      os << ", cache_op=" << cacheOpName(copy->cacheOp());
    }
    os << " )";
  } else if (auto* reduction = expr.as<ReductionOp>()) {
    os << "reduction( " << reduction->in()->toString() << ", op = " << info(reduction->type()).name
       << ", initial value = " << reduction->init()->toString() << ", allreduce = false )";
  } else if (expr.is<BroadcastOp>() || expr.is<SqueezeOp>()) {
    os << (expr.is<BroadcastOp>() ? "broadcast( " : "squeeze( ") << expr.input(0)->toString()
       << ", flags = " << flags(expr.attributes()) << " )";
  } else if (auto* slice = expr.as<SliceOp>()) {
    os << "slice( " << slice->in()->toString();
    for (size_t i = 0; i < expr.operands().size() / 2; ++i) {
      os << ", {" << slice->start(i)->toString() << ", " << slice->end(i)->toString() << ", 1}";
    }
    os << " )";
  } else if (auto* pad = expr.as<PadOp>()) {
    os << "pad( " << pad->in()->toString() << ", {" << join(expr.operands()) << "} )";
  } else if (auto* cat = expr.as<CatOp>()) {
    os << "cat( " << join(expr.inputs()) << ", " << cat->dim() << " )";
  } else if (auto* select = expr.as<SelectOp>()) {
    os << "select( " << select->in()->toString() << ", axis = " << select->dim()
       << ", index = " << select->index()->toString() << " )";
  } else if (auto* lookup = expr.as<LookupOp>()) {
    os << nvfuser::toString(lookup->type()) << "( " << lookup->in()->toString()
       << ", dim = " << lookup->dim() << ", " << lookup->index()->toString() << " )";
  } else if (auto* scatter = expr.as<ScatterOp>()) {
    os << "scatter( " << join(expr.inputs()) << ", dim = " << scatter->dim()
       << (scatter->accumulates() ? ", op = add" : "") << " )";
  } else if (auto* library = expr.as<LibraryOp>()) {
    os << libraryCall(*library);
  } else if (auto* full = expr.as<FullOp>()) {
    os << "full( " << full->value()->toString() << " )";
  } else if (auto* iota = expr.as<IotaOp>()) {
    os << "iota( " << iota->start()->toString() << ", " << iota->step()->toString() << " )";
  } else if (auto* scan = expr.as<ScanOp>()) {
    os << scanName(scan->type()) << "( " << scan->in()->toString() << ", dim = " << scan->dim()
       << (scan->init() == nullptr ? "" : ", init = " + scan->init()->toString())
       << (scan->upTo() == nullptr ? "" : ", up to parts = " + scan->upTo()->toString()) << " )";
  } else if (auto* random = expr.as<RandomOp>()) {
    os << "rng_" << nvfuser::toString(random->type()) << "( {" << join(random->out()->logical())
       << "}, " << join(expr.operands()) << ", " << random->out()->dtype() << " )";
  } else {
    os << nameOf(expr.kind()) << "( " << join(expr.inputs()) << " )";
  }
  return std::move(os).str();
}

}  // namespace

std::string Val::toString() const { return ScalarPrinter().text(*this); }

std::string IterDomain::toString() const {
  std::ostringstream os;
  switch (iterType()) {
    case IterType::Iteration:
      os << "i";
      break;
    case IterType::Reduction:
      os << "r";
      break;
    case IterType::Broadcast:
      os << "b";
      break;
    case IterType::Symbolic:
      os << "?";
      break;
  }
  os << parallelType() << name() << "{" << extent()->toString();
  if (hasExpandedExtent()) {
    os << " ex " << expandedExtent()->toString();
  }
  os << "}" << (isRFactor() ? "rf" : "") << marks().toString();
  return std::move(os).str();
}

std::string TensorDomain::toString() const { return "[" + join(loop()) + "]"; }

std::string TensorView::toString() const {
  std::ostringstream os;
  os << "T" << name() << "_" << memoryType() << "_" << dtype() << domain()->toString();
  if (computeAt() > 0) {
    os << " ca_pos( " << computeAt() << " )";
  }
  if (produceAt() > 0) {
    os << " produce_pos( " << produceAt() << " )";
  }
  if (deviceMesh() != nullptr) {
    os << " (" << deviceMesh()->toString() << ")";
  }
  os << marks().toString();
  return std::move(os).str();
}

std::string Expr::toString() const {
  std::ostringstream os;
  if (auto* split = as<Split>()) {
    os << (split->innerSplit() ? "Split: " : "Outer split: ") << split->in()->toString()
       << " by factor " << split->factor()->toString() << " -> " << split->outer()->toString()
       << ", " << split->inner()->toString() << "\n";
  } else if (auto* merge = as<Merge>()) {
    os << "Merge: " << merge->outer()->toString() << " and " << merge->inner()->toString() << " -> "
       << merge->out()->toString() << "\n";
  } else if (auto* resize = as<Resize>()) {
    os << "Resize: " << resize->in()->toString() << " by " << resize->left()->toString() << " and "
       << resize->right()->toString() << " -> " << resize->out()->toString() << "\n";
  } else if (auto* broadcast = as<BroadcastTo>()) {
    os << "BroadcastTo: " << broadcast->in()->toString() << " -> " << broadcast->out()->toString()
       << "\n";
  } else if (auto* align = as<Align>()) {
    os << "Align: " << align->inRow()->toString() << ", " << align->inX()->toString() << " by "
       << align->width()->toString() << " -> " << align->outRow()->toString() << ", "
       << align->outX()->toString() << "\n";
  } else if (auto* swizzle = as<Swizzle>()) {
    os << "Swizzle: " << swizzle->inX()->toString() << ", " << swizzle->inY()->toString() << " -> "
       << swizzle->outX()->toString() << ", " << swizzle->outY()->toString() << "\n";
  } else if (is<ReshapeOp>() || is<ExpandOp>()) {
    os << output(0)->toString() << " = " << (is<ReshapeOp>() ? "reshape( " : "expand( ")
       << input(0)->toString() << " )\n";
  } else {
    os << join(outputs()) << "\n   = " << rightHandSide(*this) << ";\n";
  }
  return std::move(os).str();
}

std::string Fusion::printMath(bool fromOutputsOnly) const {
  return print("kernel_math", fromOutputsOnly);
}

std::string Fusion::printScheduled() const { return print("kernel", true); }

std::string Fusion::print(const char* title, bool fromOutputsOnly) const {
  std::ostringstream os;
  os << "Inputs:\n";
  for (Val* input : inputs()) {
    os << "  " << input->toString() << "\n";
  }
  os << "Outputs:\n";
  for (const Output& output : outputs()) {
    os << "  " << output.tv->toString() << "\n";
  }
  os << "\n%" << title << " {\n";
  std::vector<Expr*> exprs;
  if (fromOutputsOnly) {
    exprs = tensorExprs();
  } else {
    for (Expr* expr : allExprs()) {
      if (!expr->outputs().empty() && expr->output(0)->isTensor()) {
        exprs.push_back(expr);
      }
    }
  }
  for (Expr* expr : exprs) {
    os << expr->toString();
  }
  os << "} // %" << title << " \n\n";
  return std::move(os).str();
}

std::string Fusion::printTransforms() const {
  std::ostringstream os;
  os << "%kernel_transforms {\n";
  for (const TensorView* tv : tensors()) {
    const TensorDomain& domain = *tv->domain();
    os << tv->toString() << "\n";
    if (domain.hasRoot()) {
      os << "  root domain: [" << join(domain.root()) << "]\n";
      for (const Expr* transform : transformsBetween(domain.root(), domain.logical())) {
        os << "  " << transform->toString();
      }
    }
    os << "  logical domain: [" << join(domain.logical()) << "]\n";
    if (domain.hasAllocation()) {
      os << "  allocation domain: [" << join(domain.allocation()) << "]\n";
    }
    for (const Expr* transform : transformsBetween(domain.logical(), domain.loop())) {
      os << "  " << transform->toString();
    }
    os << "  loop domain: [" << join(domain.loop()) << "]\n";
  }
  os << "} // %kernel_transforms \n\n";
  return std::move(os).str();
}

}  // namespace nvfuser
