#include "schedule/schedulers/gpu/tiles.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "core/error.h"
#include "schedule/heuristics/merging.h"
#include "schedule/heuristics/references.h"
#include "schedule/propagate.h"

namespace nvfuser::schedulers::gpu {

namespace {

// The dimensions of the reference that an input has as its innermost ones, the innermost first; up
// to one that the reference lacks.
std::vector<IterDomain*> innermostDims(const TensorView* reference, const TensorView* input,
                                       const DomainClasses& classes) {
  std::vector<IterDomain*> dims;
  const auto& allocation = input->domain()->maybeAllocation();
  for (auto id = allocation.rbegin(); id != allocation.rend(); ++id) {
    const int64_t place = classes.find(reference->logical(), classes.classOf(*id));
    if (place < 0 || (*id)->isBroadcast() ||
        reference->logical()[static_cast<size_t>(place)]->isBroadcast()) {
      break;
    }
    dims.push_back(reference->logical()[static_cast<size_t>(place)]);
  }
  return dims;
}

// [blocks, tile of the crossing dimensions, tile of the innermost ones]
void splitIntoTiles(TensorView* reference, const Crossing& crossing, const DomainClasses& classes,
                    const GpuTransposeParams& params) {
  std::vector<IterDomain*> rows = innermostDims(reference, crossing.inputs.front(), classes);
  rows.resize(static_cast<size_t>(params.crossingDims));
  orderLikeMemory(reference, classes);
  // [outer, rows as they lie in the input, what lies behind the crossing dimension]
  const std::vector<IterDomain*> loops = reference->loop();
  const auto crossed = std::ranges::find(loops, crossing.domain);
  const int64_t first = std::count_if(loops.begin(), crossed, [&](const IterDomain* id) {
    return std::ranges::find(rows, id) == rows.end();
  });
  std::unordered_map<int64_t, int64_t> places;
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    places.emplace(std::ranges::find(loops, *row) - loops.begin(), first + std::ssize(places));
  }
  reference->reorder(places);
  mergeRange(reference, first, first + params.crossingDims - 1, classes);
  if (params.mergesColumns) {
    mergeRange(reference, first + 1, reference->nLoops() - 1, classes);
  } else {
    // The vectors were chosen along all that lies together.
    mergeContiguous(reference, first + 1, reference->nLoops() - 1, classes);
  }
  reference->reorder({{first, -2}});
  reference->split(-1, params.side);
  reference->split(-3, params.side);
  // [outer, i, ii, j, jj] -> [outer, i, j, ii, jj]
  reference->reorder({{-2, -3}});
  mergeRange(reference, 0, reference->nLoops() - 3, classes);
}

// [blocks, a, b] -> [blocks, serial, threads, (rows of `a`), vector of `b`]; dimensions of one
// element that the reference does not have may lie behind.
void divideTile(TensorView* tv, const GpuTransposeParams& params, int64_t rows) {
  tv->split(2, params.vectors.width);
  if (rows > 1) {
    tv->split(1, rows);
    tv->reorder({{2, 3}});
  }
  tv->merge(1, 2);
  tv->split(1, params.threads);
}

// Tensors that loops reach from one of them, without the tiles.
struct TensorsAround {
  TensorView* reference;
  std::vector<TensorView*> tensors;
};

std::vector<TensorView*> reachedFrom(TensorView* start, const std::vector<TensorView*>& among) {
  std::vector<TensorView*> reached{start};
  const auto add = [&](Val* val) {
    TensorView* tv = val->isTensor() ? val->asTensor() : nullptr;
    if (tv != nullptr && std::ranges::find(among, tv) != among.end() &&
        std::ranges::find(reached, tv) == reached.end()) {
      reached.push_back(tv);
    }
  };
  for (size_t i = 0; i < reached.size(); ++i) {
    const TensorView* tv = reached[i];
    if (tv->definition() != nullptr) {
      std::ranges::for_each(tv->definition()->inputs(), add);
    }
    for (const Expr* use : tv->uses()) {
      std::ranges::for_each(use->outputs(), add);
    }
  }
  return reached;
}

// What is computed from tiles: what has to do with the reference, and other outputs that only read
// what it reads.
std::vector<TensorsAround> partsBehind(TensorView* reference, std::vector<TensorView*> behind,
                                       const std::vector<TensorView*>& stores) {
  std::vector<TensorsAround> parts;
  while (reference != nullptr) {
    parts.push_back({reference, reachedFrom(reference, behind)});
    std::erase_if(behind, [&](TensorView* tv) {
      return std::ranges::find(parts.back().tensors, tv) != parts.back().tensors.end();
    });
    std::vector<TensorView*> left;
    std::ranges::copy_if(stores, std::back_inserter(left), [&](TensorView* tv) {
      return std::ranges::find(behind, tv) != behind.end();
    });
    reference = left.empty() ? nullptr : widestOutput(left);
  }
  parts.front().tensors.insert(parts.front().tensors.end(), behind.begin(), behind.end());
  return parts;
}

// What lies across the output, `ofInputs`; behind views only where nothing does so without.
Crossing orOfViews(const Crossing& ofInputs, TensorView* reference, const DomainClasses& classes) {
  return ofInputs.domain != nullptr ? ofInputs : findCrossingOfViews(reference, classes);
}

bool holdsReference(const Crossing& crossing, const TensorView* reference) {
  return std::ranges::find(crossing.held, reference) != crossing.held.end();
}

// Whether no single tensor may be made of an input that lies across: of what is computed again for
// slices and pads each has one.
bool mayBeSeveral(const Crossing& crossing, const FusionSummary& whole) {
  return holdsReference(crossing, whole.widestOutput()) ||
         (crossing.held != crossing.inputs && std::ranges::any_of(whole.exprs(), isResize));
}

Crossing crossingOfViews(const FusionSummary& whole) {
  return findCrossingOfViews(whole.widestOutput(), whole.classes());
}

// Whether a tile may hold the only result rather than each of several inputs: all of those lie
// across that have both of its dimensions.
bool areAllAcross(const FusionSummary& whole) {
  const Crossing& crossing = whole.fact(crossingOfViews);
  const TensorView* reference = whole.widestOutput();
  const auto outputs = std::ranges::count_if(
      whole.globals(), [](const TensorView* tv) { return !tv->isFusionInput(); });
  if (outputs != 1 || crossing.domain == nullptr ||
      (crossing.inputs.size() < 2 && !mayBeSeveral(crossing, whole))) {
    return false;
  }
  return std::ranges::all_of(whole.globals(), [&](TensorView* tv) {
    const auto isAlong = [&](const IterDomain* id) {
      return hasElementsAlong(tv, whole.classes().classOf(id), whole.classes());
    };
    return !tv->isFusionInput() || !isAlong(crossing.domain) ||
           !isAlong(innermostInMemory(reference)) ||
           std::ranges::find(crossing.inputs, tv) != crossing.inputs.end();
  });
}

Crossing crossingIn(const FusionSummary& whole) {
  if (whole.fact(areAllAcross)) {
    return whole.fact(crossingOfViews);
  }
  Crossing crossing = orOfViews(whole.crossing(), whole.widestOutput(), whole.classes());
  return mayBeSeveral(crossing, whole) ? Crossing() : crossing;
}

bool mergesCrossing(const FusionSummary& whole) {
  return isCrossingMerged(whole.fact(crossingIn), whole.exprs(), whole.classes());
}

// Of tiles. Dimensions that are shorter than one are taken together, as far as they are not those
// of its other side. Returns false where it would be half empty all the same.
bool chooseDims(const TensorView* reference, const InnerGroup& inner, const FusionSummary& summary,
                const ScheduleContext& context, GpuTransposeParams& params) {
  const Crossing& crossing = summary.fact(crossingIn);
  const DomainClasses& classes = summary.classes();
  const int64_t least = params.side / 2;
  // What lies behind the crossing dimension.
  std::vector<const IterDomain*> behind;
  for (const IterDomain* id : reference->domain()->maybeAllocation()) {
    if (id == crossing.domain) {
      behind.clear();
    } else if (!id->isBroadcast() && !id->isReduction()) {
      behind.push_back(id);
    }
  }
  // A tile of what is merged lies in memory as that is counted: what an input lacks would not be.
  const auto haveAllOrNone = [&](const std::vector<const IterDomain*>& dims) {
    return std::ranges::all_of(crossing.held, [&](const TensorView* held) {
      const auto isThere = [&](const IterDomain* id) {
        return hasElementsAlong(held, classes.classOf(id), classes);
      };
      return std::ranges::all_of(dims, isThere) || std::ranges::none_of(dims, isThere);
    });
  };
  int64_t columns = inner.extent;
  params.mergesColumns = columns < least;
  if (params.mergesColumns) {
    if (!haveAllOrNone(behind)) {
      return false;
    }
    columns = 1;
    for (const IterDomain* id : behind) {
      columns *= context.extent(id->extent());
    }
  } else {
    std::erase_if(behind, [&](const IterDomain* id) {
      return std::ranges::find(inner.classes, classes.classOf(id)) == inner.classes.end();
    });
  }
  int64_t rows = 1;
  params.crossingDims = 0;
  std::vector<const IterDomain*> across;
  for (const IterDomain* id : innermostDims(reference, crossing.inputs.front(), classes)) {
    if (rows >= params.side || std::ranges::find(behind, id) != behind.end()) {
      break;
    }
    across.push_back(id);
    if (!haveAllOrNone(across)) {
      break;
    }
    rows *= context.extent(id->extent());
    ++params.crossingDims;
  }
  return rows >= least && columns >= least;
}

}  // namespace

std::optional<GpuTransposeParams> chooseTiles(const InnerGroup& inner, const FusionSummary& summary,
                                              const ScheduleContext& context) {
  const Crossing& crossing = summary.fact(crossingIn);
  if (crossing.domain == nullptr || summary.fact(mergesCrossing)) {
    return std::nullopt;
  }
  const GpuTuning& tuning = context.tuning.gpu;
  int64_t widest = 1;
  for (const TensorView* tv : crossing.held) {
    widest = std::max<int64_t>(widest, info(tv->dtype()).bits / 8);
  }
  GpuTransposeParams params;
  params.holdsResult = summary.fact(areAllAcross);
  if (params.holdsResult) {
    widest = info(summary.widestOutput()->dtype()).bits / 8;
  }
  params.vectors = chooseVectors(inner, summary, context);
  // Elements that are no vectors: small tiles keep more blocks busy.
  const bool areSingle = params.vectors.width == 1;
  const int64_t side =
      widest > tuning.wideElementBytes || areSingle ? tuning.smallTileSide : tuning.tileSide;
  const auto fits = [&](int64_t ofTile) {
    params.side = ofTile;
    return chooseDims(summary.widestOutput(), inner, summary, context, params);
  };
  // Small tiles also where large ones would be half empty.
  if (!fits(side) && (side <= tuning.smallTileSide || !fits(tuning.smallTileSide))) {
    return std::nullopt;
  }
  // Of the largest blocks two must run at a time.
  const int64_t largest = std::min(tuning.tileThreads, context.target.gpu.threadsPerBlock);
  const bool runsTwo = blocksAtATime(context, largest, tuning.registersWithoutVectors) >=
                       2 * context.target.gpu.multiprocessors;
  // Words of shared memory hold elements of two columns: a thread has both.
  const bool arePairs = 2 * widest == tuning.bankBytes && params.vectors.width % 2 == 0;
  params.rows = arePairs ? 2 : 1;
  params.threads = areSingle
                       ? tuning.smallTileThreads
                       : std::min(params.side * params.side / (params.vectors.width * params.rows),
                                  runsTwo ? largest : largest / 2);
  params.bankBytes = tuning.bankBytes;
  const InnerGroup across{{summary.classes().classOf(crossing.domain)},
                          context.extent(crossing.domain->extent())};
  addVectors(across, summary, context, params.vectors);
  return params;
}

void scheduleTiles(TensorView* reference, const GpuTransposeParams& params,
                   const std::vector<TensorView*>& connected, const GlobalCopies& copies) {
  const DomainClasses classes(reference->fusion()->tensorExprs());
  const Crossing crossing = params.holdsResult
                                ? findCrossingOfViews(reference, classes)
                                : orOfViews(findCrossing(reference, classes), reference, classes);
  // What is computed again for slices may look up an input more than once.
  NVF_SCHEDULE_CHECK(
      crossing.domain != nullptr && (params.holdsResult || !holdsReference(crossing, reference)),
      "No single tensor that ", reference->toString(), " is computed of lies across it");
  splitIntoTiles(reference, crossing, classes, params);
  propagateTransforms(reference, connected);
  std::vector<TensorView*> inTile;
  std::vector<TensorView*> behind = connected;
  std::vector<TensorView*> tiles;
  // What the values of a tile are made of, positions that it is looked up at among them.
  std::unordered_map<const TensorView*, std::vector<TensorView*>> sources;
  std::vector<TensorView*> words;
  std::vector<TensorView*> reached = connected;
  const int64_t rows = params.rows;
  const auto hold = [&](TensorView* values) {
    TensorView* tile = values->cacheAfter();
    tile->setMemoryType(MemoryType::Shared);
    tiles.push_back(tile);
    inTile.insert(inTile.end(), {values, tile});
    std::erase(behind, values);
    for (Val* in : values->definition()->inputs()) {
      if (in->isTensor() && !in->isFusionInput()) {
        for (TensorView* source : reachedFrom(in->asTensor(), behind)) {
          std::erase(behind, source);
          sources[values].push_back(source);
        }
      }
    }
    reached.push_back(tile);
    // A vector that is stored is gathered in registers: its elements lie across in the tile.
    const bool isStored = std::ranges::any_of(tile->uses(), [](const Expr* use) {
      return use->output(0)->asTensor()->memoryType() == MemoryType::Global;
    });
    if (rows > 1 || isStored) {
      TensorView* word = tile->cacheAfter();
      behind.push_back(word);
      reached.push_back(word);
      if (rows > 1) {
        words.push_back(word);
        if (isStored) {
          // The elements of a word lie across, those of a vector side by side.
          behind.push_back(word->cacheAfter());
          reached.push_back(behind.back());
        }
      }
    }
  };
  const auto holdInput = [&](TensorView* load) {
    const auto input = std::ranges::find(crossing.inputs, load->definition()->input(0));
    if (input == crossing.inputs.end()) {
      return;
    }
    TensorView* held = crossing.held[static_cast<size_t>(input - crossing.inputs.begin())];
    TensorView* values = held == *input ? load : held;
    const int64_t fastest = classes.find(values->logical(), classes.classOf(crossing.domain));
    if (fastest >= 0 && hasTileLoops(values, values->logical()[static_cast<size_t>(fastest)])) {
      hold(values);
    }
  };
  if (params.holdsResult) {
    hold(reference->definition()->input(0)->asTensor());
  } else {
    std::ranges::for_each(copies.loads, holdInput);
  }
  // From the reference, since the loads do not tell how a pad or slice behind them resizes a loop.
  propagateTransforms(reference, reached);
  for (TensorView* tv : inTile) {
    tv->reorder({{2, 1}});
    if (tv->memoryType() == MemoryType::Shared) {
      // Rows end in a gap of one bank, so that columns lie in different ones.
      const std::vector<IterDomain*> allocation{tv->axis(1), tv->axis(2)};
      tv->domain()->setAllocation(allocation, TensorDomain::fullContiguity(allocation, true));
      tv->setRowPadding(std::max<int64_t>(1, params.bankBytes / (info(tv->dtype()).bits / 8)));
    }
    divideTile(tv, params, 1);
    if (const auto known = sources.find(tv); known != sources.end()) {
      propagateTransforms(tv, known->second);
    }
  }
  std::vector<ParallelType> types{ParallelType::GridX, ParallelType::Unroll, ParallelType::BlockX,
                                  ParallelType::Vectorize};
  for (TensorView* tile : tiles) {
    TensorView* values = tile->definition()->input(0)->asTensor();
    std::vector<TensorView*> loaded = sources[values];
    loaded.push_back(values);
    parallelize(tile, types, loaded, copies, params.vectors);
  }
  if (rows > 1) {
    types.insert(types.end() - 1, ParallelType::Unroll);
  }
  for (const TensorsAround& part : partsBehind(reference, behind, copies.stores)) {
    divideTile(part.reference, params, rows);
    propagateTransforms(part.reference, part.tensors);
    parallelize(part.reference, types, part.tensors, copies, params.vectors);
  }
  // What lies side by side in the tile is written and read as a word, an element for each row.
  for (TensorView* tile : words.empty() ? words : tiles) {
    tile->split(3, rows);
    tile->axis(4)->parallelize(ParallelType::Vectorize);
  }
  for (TensorView* word : words) {
    word->reorder({{3, 4}});
    word->axis(4)->parallelize(ParallelType::Vectorize);
  }
}

}  // namespace nvfuser::schedulers::gpu
