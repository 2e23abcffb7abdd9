#include "lower/lower.h"

#include <utility>

#include "lower/lowering/lowering.h"

namespace nvfuser {

std::unique_ptr<kir::Kernel> lowerForCpu(Fusion* fusion, std::string name) {
  return Lowering(fusion, std::move(name), DeviceType::CPU).run();
}

std::unique_ptr<kir::Kernel> lowerForCuda(Fusion* fusion, std::string name) {
  return Lowering(fusion, std::move(name), DeviceType::CUDA).run();
}

}  // namespace nvfuser
