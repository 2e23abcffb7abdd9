// Lets the core compile LLVM modules and CUDA kernels through the Python package's compile steps.

#include "runtime/compiler.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings.h"

namespace nvfuser {

namespace {

// Keeps a Python object alive from code that may run without the interpreter's lock.
std::shared_ptr<void> own(nb::object object) {
  return std::shared_ptr<void>(object.release().ptr(), [](void* pointer) {
    if (nb::is_alive()) {
      const nb::gil_scoped_acquire gil;
      nb::handle(static_cast<PyObject*>(pointer)).dec_ref();
    }
  });
}

LoadedCode compileWithLlvmlite(const std::string& text, const std::vector<std::string>& symbols) {
  const nb::gil_scoped_acquire gil;
  // Imported at the first compilation: llvmlite takes longer to load than this whole package.
  nb::object module = nb::module_::import_("nvfuser.llvm.compiler").attr("compile_ir")(text);
  LoadedCode code;
  for (const std::string& symbol : symbols) {
    code.addresses.push_back(
        reinterpret_cast<void*>(nb::cast<uintptr_t>(module.attr("address")(symbol))));
  }
  code.owner = own(std::move(module));
  return code;
}

std::string compileWithNvrtc(const std::string& source, int64_t computeCapability) {
  const nb::gil_scoped_acquire gil;
  const nb::object compile = nb::module_::import_("nvfuser.cuda.compiler").attr("compile_kernel");
  const nb::bytes image = nb::cast<nb::bytes>(compile(source, computeCapability));
  return {image.c_str(), image.size()};
}

}  // namespace

void bindCompiler(nb::module_& /*module*/) {
  setLlvmCompiler(compileWithLlvmlite);
  setCudaCompiler(compileWithNvrtc);
}

}  // namespace nvfuser
