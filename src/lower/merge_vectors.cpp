#include "lower/merge_vectors.h"

#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>

#include "ir/scalar.h"
#include "lower/builder.h"
#include "schedule/limits.h"

namespace nvfuser {

namespace {

// Whether a loop computes what a thread has read, or is an innermost one: one around others that
// read memory has its next values after these.
bool isOfValues(const kir::Loop& loop) {
  if (loop.step != 1 || !loop.start->isConstInt(0) || !loop.stop->isConstInt()) {
    return false;
  }
  bool isInnermost = true;
  bool isLocal = true;
  kir::forEachStatement(*loop.body, [&](const kir::Statement& statement) {
    isInnermost = isInnermost && !std::holds_alternative<kir::Loop>(statement.node);
  });
  kir::forEachAccess(*loop.body, [&](const kir::Access& access, kir::Use, const TensorView*) {
    isLocal = isLocal && access.tv->memoryType() == MemoryType::Local;
  });
  return isInnermost || isLocal;
}

// Values that loops from the outermost one of a nest on compute, and where one of an iteration is
// among them.
struct Place {
  explicit Place(Val* first) : index(first) {}

  Val* index;
  int64_t count = 1;
  // What differs among iterations: their indices, and what is looked up.
  std::unordered_set<const Val*> own;
};

class VectorMerger {
 public:
  explicit VectorMerger(const PassContext& context)
      : build_(context.kernel, context.phase), fusion_(context.kernel.fusion) {}

  std::optional<kir::Block> rewrite(kir::Loop& loop) {
    kir::Block merges;
    gather(loop, Place(fusion_->zero()), merges);
    if (merges.empty()) {
      return std::nullopt;
    }
    merges.insert(merges.begin(), kir::Statement{std::move(loop)});
    return merges;
  }

 private:
  void gather(kir::Loop& loop, Place place, kir::Block& merges) {
    if (!isOfValues(loop) || place.count * loop.stop->constInt() > limits::kMergedValues) {
      return;
    }
    place.index = scalar::add(scalar::mul(place.index, loop.stop), loop.index);
    place.count *= loop.stop->constInt();
    place.own.insert(loop.index);
    kir::forEachStatement(*loop.body, [&](const kir::Statement& statement) {
      kir::forEachDefinition(statement,
                             [&](Val* symbol, kir::Lifetime) { place.own.insert(symbol); });
    });
    gather(*loop.body, place, merges);
  }

  void gather(kir::Block& block, const Place& place, kir::Block& merges) {
    for (size_t i = 0; i < block.size(); ++i) {
      if (auto* loop = std::get_if<kir::Loop>(&block[i].node)) {
        gather(*loop, place, merges);
      } else if (const auto* compute = std::get_if<kir::Compute>(&block[i].node)) {
        if (const auto* op = compute->expr->as<UnaryOp>();
            op != nullptr &&
            (op->type() == UnaryOpType::ExponentialsOf || op->type() == UnaryOpType::MomentsOf)) {
          gatherBehind(block, i, place, merges);
        }
      }
    }
  }

  // Gathers the value that the i-th statement of the block makes moments or exponentials of, if
  // what is behind it does nothing but merge these with what is the same in all iterations.
  void gatherBehind(kir::Block& block, size_t i, const Place& place, kir::Block& merges) {
    const auto& made = std::get<kir::Compute>(block[i].node);
    kir::Statement* reader = nullptr;
    kir::Statement* around = nullptr;
    size_t reads = 0;
    // On which it depends whether a value is merged; of all together, if it is the same for them.
    Val* condition = nullptr;
    for (size_t k = i + 1; k < block.size(); ++k) {
      auto* choice = std::get_if<kir::If>(&block[k].node);
      kir::Statement& inside =
          choice != nullptr && choice->then->size() == 1 && choice->otherwise == nullptr
              ? choice->then->front()
              : block[k];
      kir::forEachAccess(block[k], [&](const kir::Access& access, kir::Use use, const TensorView*) {
        if (access.tv == made.out.tv && use == kir::Use::Read) {
          reader = &inside;
          around = &block[k];
          condition = choice == nullptr ? nullptr : choice->condition;
          ++reads;
        }
      });
    }
    const bool isConditional = condition != nullptr && dependsOn(condition, place.own);
    auto* merge = reads == 1 ? std::get_if<kir::Compute>(&reader->node) : nullptr;
    if (merge == nullptr || !isMerge(*merge, isConditional) ||
        dependsOn(merge->out.index, place.own)) {
      return;
    }
    const kir::Access values{
        build_.addLocal(DataType::Float, scalar::constant(fusion_, place.count)), place.index};
    kir::Compute together{merge->expr, merge->out, {kir::Access{values.tv, fusion_->zero()}}};
    together.width = place.count;
    kir::Statement merged{std::move(together)};
    if (condition != nullptr && !isConditional) {
      merged = {kir::choiceOf(condition, kir::blockOf({std::move(merged)}))};
      reader = around;
    }
    merges.push_back(std::move(merged));
    *reader = {kir::Assign{values, made.inputs[0]}};
    if (isConditional) {
      Val* none = fusion_->create<Val>(DataType::Float,
                                       PolymorphicValue(-std::numeric_limits<double>::infinity()));
      block[i] = {kir::Assign{values, none}};
    } else {
      block.erase(block.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  // There is a value that has no exponential, but none that has no moments.
  static bool isMerge(const kir::Compute& compute, bool isConditional) {
    const auto* reduction = compute.expr->as<ReductionOp>();
    return reduction != nullptr && compute.out.tv->memoryType() == MemoryType::Local &&
           (reduction->type() == BinaryOpType::MergeExponentials ||
            (reduction->type() == BinaryOpType::MergeMoments && !isConditional));
  }

  kir::Builder build_;
  Fusion* fusion_;
};

}  // namespace

void mergeVectors(const PassContext& context) {
  VectorMerger merger(context);
  kir::rewriteLoops(context.phase.body, [&](kir::Loop& loop) { return merger.rewrite(loop); });
}

}  // namespace nvfuser
