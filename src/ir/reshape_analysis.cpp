#include "ir/reshape_analysis.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "core/error.h"
#include "ir/fusion.h"
#include "ir/logical_map.h"
#include "ir/scalar.h"

namespace nvfuser {

namespace {

// A product of extents in a form in which equal products compare equal.
struct Product {
  int64_t constant = 1;
  std::vector<const Val*> symbols;  // sorted by index

  void multiply(const Val* factor) {
    if (factor->isConstInt()) {
      constant *= factor->constInt();
      return;
    }
    // Squares of squares have too many factors to name.
    constexpr size_t kMaxSymbols = 64;
    if (const Expr* definition = factor->definition();
        definition != nullptr && symbols.size() < kMaxSymbols) {
      const auto* binary = definition->as<BinaryOp>();
      if (binary != nullptr && binary->type() == BinaryOpType::Mul) {
        multiply(binary->lhs());
        multiply(binary->rhs());
        return;
      }
    }
    const auto place = std::ranges::upper_bound(symbols, factor->index(), {},
                                                [](const Val* v) { return v->index(); });
    symbols.insert(place, factor);
  }
  void multiply(int64_t factor) { constant *= factor; }

  friend bool operator==(const Product&, const Product&) = default;
};

bool isOne(const Val* extent) { return extent->isConstInt(1); }
bool isOne(int64_t extent) { return extent == 1; }
bool isZero(const Val* extent) { return extent->isConstInt(0); }
bool isZero(int64_t extent) { return extent == 0; }

// The positions of the dimensions that are not 1.
template <typename Extent>
std::vector<size_t> relevantPositions(std::span<const Extent> extents) {
  std::vector<size_t> positions;
  for (size_t i = 0; i < extents.size(); ++i) {
    if (!isOne(extents[i])) {
      positions.push_back(i);
    }
  }
  return positions;
}

template <typename Extent, typename Positions>
Product productOf(std::span<const Extent> extents, const Positions& positions) {
  Product product;
  for (const size_t position : positions) {
    product.multiply(extents[position]);
  }
  return product;
}

// Places (i, j) where the first i dimensions of one side have as many elements as the first j of
// the other, found from the front and from the back: the sides as a whole are equal.
template <typename Extent>
std::vector<std::pair<size_t, size_t>> boundaries(std::span<const Extent> in,
                                                  std::span<const Extent> out,
                                                  const std::vector<size_t>& inPositions,
                                                  const std::vector<size_t>& outPositions) {
  std::vector<std::pair<size_t, size_t>> found{{0, 0}, {inPositions.size(), outPositions.size()}};
  const std::span<const size_t> inAll(inPositions);
  const std::span<const size_t> outAll(outPositions);
  for (size_t i = 0; i <= inAll.size(); ++i) {
    const Product inFront = productOf(in, inAll.first(i));
    const Product inBack = productOf(in, inAll.subspan(i));
    for (size_t j = 0; j <= outAll.size(); ++j) {
      if (inFront == productOf(out, outAll.first(j)) ||
          inBack == productOf(out, outAll.subspan(j))) {
        found.emplace_back(i, j);
      }
    }
  }
  std::ranges::sort(found);
  std::vector<std::pair<size_t, size_t>> ascending{found.front()};
  for (const auto& boundary : found) {
    if (boundary != ascending.back() && boundary.second >= ascending.back().second) {
      ascending.push_back(boundary);
    }
  }
  return ascending;
}

template <typename Extent>
std::optional<std::vector<ReshapeGroup>> findGroups(std::span<const Extent> in,
                                                    std::span<const Extent> out) {
  const auto anyZero = [](std::span<const Extent> extents) {
    return std::ranges::any_of(extents, [](const Extent& e) { return isZero(e); });
  };
  if (anyZero(in) || anyZero(out)) {
    // No element is ever looked at.
    return std::vector<ReshapeGroup>{};
  }
  const std::vector<size_t> inPositions = relevantPositions(in);
  const std::vector<size_t> outPositions = relevantPositions(out);
  const auto cuts = boundaries(in, out, inPositions, outPositions);
  std::vector<ReshapeGroup> groups;
  for (size_t k = 1; k < cuts.size(); ++k) {
    ReshapeGroup group;
    group.in.assign(inPositions.begin() + cuts[k - 1].first, inPositions.begin() + cuts[k].first);
    group.out.assign(outPositions.begin() + cuts[k - 1].second,
                     outPositions.begin() + cuts[k].second);
    // One dimension on a side: there is only one way. Several on both: only right to take them
    // together if they are known to be equal and not a coarser view of what run-time sizes would
    // show.
    const bool isCertain = group.in.size() <= 1 || group.out.size() <= 1 ||
                           productOf(in, group.in) == productOf(out, group.out);
    if (!isCertain) {
      return std::nullopt;
    }
    // A dimension without a counterpart is 1 whenever the number of elements does not change.
    if (!group.in.empty() && !group.out.empty()) {
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

}  // namespace

std::optional<std::vector<ReshapeGroup>> reshapeGroups(std::span<Val* const> inExtents,
                                                       std::span<Val* const> outExtents) {
  const std::vector<const Val*> in(inExtents.begin(), inExtents.end());
  const std::vector<const Val*> out(outExtents.begin(), outExtents.end());
  return findGroups<const Val*>(in, out);
}

std::vector<ReshapeGroup> reshapeGroups(std::span<const int64_t> inSizes,
                                        std::span<const int64_t> outSizes) {
  auto groups = findGroups<int64_t>(inSizes, outSizes);
  NVF_INTERNAL_CHECK(groups.has_value(), "sizes with different products cannot be grouped");
  return *groups;
}

namespace {

std::string shapeToString(std::span<const int64_t> sizes) {
  std::string text = "[";
  for (const int64_t size : sizes) {
    text += (text.size() == 1 ? "" : ", ") + std::to_string(size);
  }
  return text + "]";
}

}  // namespace

void checkReshapeSizes(const TensorView* in, std::span<const int64_t> inSizes,
                       std::span<const int64_t> outSizes) {
  const auto count = [](std::span<const int64_t> sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
  };
  const bool isNegative = std::ranges::any_of(outSizes, [](int64_t size) { return size < 0; });
  NVF_CHECK(!isNegative && count(inSizes) == count(outSizes),
            "Total element counts across view operation must match: ", in->toString(), " of shape ",
            shapeToString(inSizes), " cannot be reshaped to ", shapeToString(outSizes));
}

namespace {

IterDomain* intermediate(Fusion* fusion, Val* extent) {
  IterDomain::Options options;
  options.isRFactor = true;
  return fusion->create<IterDomain>(extent, options);
}

void makeConcrete(IterDomain* id) {
  if (id->iterType() == IterType::Symbolic) {
    id->setIterType(id->extent()->isConstInt(1) ? IterType::Broadcast : IterType::Iteration);
  }
}

// Merges the dimensions of a group and splits the result: the innermost dimension first.
void attachGroup(Fusion* fusion, const std::vector<IterDomain*>& in,
                 const std::vector<IterDomain*>& out) {
  IterDomain* current = in[0];
  for (size_t i = 1; i < in.size(); ++i) {
    const bool isLast = i + 1 == in.size() && out.size() == 1;
    IterDomain* merged =
        isLast
            ? out[0]
            : intermediate(fusion, scalar::mul(current->visibleExtent(), in[i]->visibleExtent()));
    fusion->create<Merge>(merged, current, in[i]);
    current = merged;
  }
  for (size_t j = out.size() - 1; j >= 1; --j) {
    Val* factor = out[j]->extent();
    IterDomain* outer =
        j == 1 ? out[0] : intermediate(fusion, scalar::div(current->visibleExtent(), factor));
    fusion->create<Split>(outer, out[j], current, factor, true);
    current = outer;
  }
}

void replaceDomains(std::vector<IterDomain*>& domains, IterDomain* from, IterDomain* to) {
  std::ranges::replace(domains, from, to);
}

}  // namespace

void attachReshapeTransforms(ReshapeOp* reshape, std::span<const ReshapeGroup> groups) {
  TensorView* out = reshape->out();
  const TensorDomain* domain = out->domain();
  const std::vector<IterDomain*> root = domain->root();
  const std::vector<IterDomain*> oldLogical = domain->logical();
  std::vector<IterDomain*> logical = oldLogical;
  std::vector<IterDomain*> allocation = domain->allocation();
  std::vector<IterDomain*> loop = domain->loop();
  for (const auto& domains : {root, logical}) {
    std::ranges::for_each(domains, makeConcrete);
  }
  for (const ReshapeGroup& group : groups) {
    if (group.in.size() == 1 && group.out.size() == 1) {
      IterDomain* kept = root[group.in[0]];
      IterDomain* replaced = oldLogical[group.out[0]];
      if (kept != replaced) {
        if (replaced->extent()->isConstInt() && !kept->isBroadcast()) {
          kept->setExtent(replaced->extent());
        }
        for (auto* domains : {&logical, &allocation, &loop}) {
          replaceDomains(*domains, replaced, kept);
        }
      }
      continue;
    }
    std::vector<IterDomain*> ins;
    std::vector<IterDomain*> outs;
    for (const size_t i : group.in) {
      ins.push_back(root[i]);
    }
    for (const size_t j : group.out) {
      outs.push_back(oldLogical[j]);
    }
    attachGroup(out->fusion(), ins, outs);
  }
  auto contiguity = TensorDomain::fullContiguity(allocation.empty() ? logical : allocation, true);
  if (logical != oldLogical || contiguity != domain->contiguity()) {
    out->setDomain(out->fusion()->create<TensorDomain>(
        root, std::move(logical), std::move(allocation), std::move(loop), std::move(contiguity)));
  }
}

void attachReshapeTransforms(ReshapeOp* reshape, const std::vector<int64_t>& inSizes,
                             const std::vector<int64_t>& outSizes) {
  checkReshapeSizes(reshape->in(), inSizes, outSizes);
  attachReshapeTransforms(reshape, reshapeGroups(inSizes, outSizes));
}

namespace {

// The contiguity of a domain depends on which of its dimensions are broadcast.
void refreshContiguity(TensorView* tv) {
  const TensorDomain* old = tv->domain();
  auto contiguity = TensorDomain::fullContiguity(old->maybeAllocation(), true);
  if (contiguity != old->contiguity()) {
    tv->setDomain(tv->fusion()->create<TensorDomain>(old->root(), old->logical(), old->allocation(),
                                                     old->loop(), std::move(contiguity)));
  }
}

void makeBroadcast(IterDomain* id, Val* expandedExtent) {
  id->setIterType(IterType::Broadcast);
  id->setExtent(id->fusion()->one());
  id->setExpandedExtent(expandedExtent);
}

}  // namespace

void checkExpandSizes(const ExpandOp* expand, const std::vector<int64_t>& inSizes,
                      const std::vector<int64_t>& outSizes) {
  const std::vector<IterDomain*>& domains = expand->out()->logical();
  for (size_t i = 0; i < domains.size(); ++i) {
    NVF_CHECK(domains[i]->iterType() != IterType::Symbolic || inSizes[i] == outSizes[i] ||
                  inSizes[i] == 1,
              "Expected sizes to match: dimension ", i, " of ", expand->in()->toString(),
              " has the size ", inSizes[i], " and cannot be expanded to ", outSizes[i]);
  }
}

void concretizeExpand(ExpandOp* expand, const std::vector<int64_t>& inSizes,
                      const std::vector<int64_t>& outSizes) {
  checkExpandSizes(expand, inSizes, outSizes);
  TensorView* out = expand->out();
  for (size_t i = 0; i < out->logical().size(); ++i) {
    IterDomain* id = out->logical()[i];
    if (id->iterType() != IterType::Symbolic) {
      continue;
    }
    if (inSizes[i] == outSizes[i] || outSizes[i] == 0) {
      makeConcrete(id);
    } else {
      makeBroadcast(id, id->extent());
    }
  }
  refreshContiguity(out);
}

void resolveSymbolicDomains(Fusion* fusion) {
  // Broadcast as the operands seen so far are, none of which is expanded.
  std::unordered_set<const IterDomain*> plain;
  for (Expr* expr : fusion->tensorExprs()) {
    for (Val* output : expr->outputs()) {
      TensorView* consumer = output->asTensor();
      for (Val* input : expr->inputs()) {
        if (!input->isTensor()) {
          continue;
        }
        for (const auto& [from, to] : pairwiseMap(expr, input->asTensor(), consumer)) {
          if (to->iterType() != IterType::Symbolic && !to->isBroadcast()) {
            continue;
          }
          // A concrete producer wins over a broadcast one that was seen before it.
          if (from->isIteration()) {
            if (to->isBroadcast() && expr->is<ExpandOp>()) {
              continue;
            }
            const bool wasResolved = to->isBroadcast();
            to->setIterType(IterType::Iteration);
            if (wasResolved) {
              to->setExtent(from->extent());
              to->setExpandedExtent(nullptr);
            }
          } else if (from->isBroadcast() &&
                     (to->iterType() == IterType::Symbolic || plain.contains(to))) {
            makeBroadcast(to, from->expandedExtent());
            if (from->hasExpandedExtent()) {
              plain.erase(to);
            } else {
              plain.insert(to);
            }
          }
        }
      }
      refreshContiguity(consumer);
    }
  }
}

}  // namespace nvfuser
