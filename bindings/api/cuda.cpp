// What there is of CUDA on this machine, for reports.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>

#include "bindings/bindings.h"
#include "device/cuda/driver.h"

namespace nvfuser {

namespace {

nb::dict describe(const GpuProperties& properties) {
  nb::dict result;
  result["name"] = properties.name;
  result["compute_capability"] =
      nb::make_tuple(properties.computeCapability / 10, properties.computeCapability % 10);
  result["multiprocessors"] = properties.multiprocessors;
  result["memory_bytes"] = properties.memoryBytes;
  result["memory_bytes_per_second"] = properties.memoryBytesPerSecond;
  result["l2_bytes"] = properties.l2Bytes;
  result["shared_bytes_per_block"] = properties.sharedBytesPerBlock;
  result["shared_bytes_per_multiprocessor"] = properties.sharedBytesPerMultiprocessor;
  result["registers_per_multiprocessor"] = properties.registersPerMultiprocessor;
  result["threads_per_multiprocessor"] = properties.threadsPerMultiprocessor;
  result["threads_per_block"] = properties.threadsPerBlock;
  return result;
}

nb::dict cudaInfo() {
  const cuda::Driver& driver = cuda::Driver::get();
  nb::list devices;
  for (int32_t i = 0; i < driver.deviceCount(); ++i) {
    devices.append(describe(driver.device(i).properties()));
  }
  nb::dict result;
  result["driver_version"] = nb::make_tuple(driver.version() / 1000, driver.version() % 1000 / 10);
  result["devices"] = devices;
  return result;
}

}  // namespace

void bindCuda(nb::module_& module) {
  module.def("cuda_info", &cudaInfo,
             "Return the version of CUDA that the driver is for, and a dictionary for each device; "
             "raise, saying what is missing, where there is no CUDA.");
  module.def(
      "use_cuda_driver",
      [](const std::optional<std::string>& library) {
        library ? cuda::Driver::use(*library) : cuda::Driver::forget();
      },
      nb::arg("library").none(),
      "Make a library the CUDA driver of this process; with None it is looked for again. For "
      "tests: what was made with the one before must not be used any more.");
}

}  // namespace nvfuser
