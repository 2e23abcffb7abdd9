#include "lower/lower.h"

#include <utility>

#include "lower/lowering/lowering.h"

namespace nvfuser {

std::unique_ptr<kir::Kernel> lower(Fusion* fusion, std::string name, const Target& target,
                                   bool separates) {
  return Lowering(fusion, std::move(name), target, separates).run();
}

}  // namespace nvfuser
