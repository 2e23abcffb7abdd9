// Lets the core compile LLVM modules and CUDA kernels through the Python package's compile steps.

#include "runtime/compiler.h"

#include <dlfcn.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <thread>

#include "bindings/bindings.h"
#include "bindings/support/interpreter_lock.h"
#include "core/options.h"
#include "core/stack.h"
#include "device/cpu/identity.h"
#include "device/cpu/object_code.h"

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

// A shared library that is being loaded while the interpreter goes on: LLVM has so many relocations
// that this takes milliseconds, and ctypes would do it with the interpreter's lock held. Stays
// loaded; a failure is that of whoever loads it again.
class BackgroundLoad {
 public:
  explicit BackgroundLoad(std::string path)
      : thread_([path = std::move(path)] { dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); }) {}
  ~BackgroundLoad() { thread_.join(); }
  BackgroundLoad(const BackgroundLoad&) = delete;
  BackgroundLoad& operator=(const BackgroundLoad&) = delete;

 private:
  std::thread thread_;
};

std::string withLlvmLibrary(const std::string& text) {
  const nb::object target = nb::module_::import_("nvfuser.llvm.compiler").attr("host_target")();
  const nb::object library = nb::module_::import_("nvfuser.llvm.library");
  return nb::cast<std::string>(library.attr("link")(text, target.attr("enabled")));
}

std::string withCudaLibrary(const std::string& source) {
  return nb::cast<std::string>(nb::module_::import_("nvfuser.cuda.library").attr("source")(source));
}

LoadedCode compileWithLlvmlite(const std::string& text, const std::vector<std::string>& symbols) {
  // Imported at the first compilation: llvmlite takes longer to load than this whole package.
  const nb::object compiler = nb::module_::import_("nvfuser.llvm.compiler");
  if (isOn(Option::dump_cuda_full)) {
    printDump("Code of " + symbols.front() + " with the device library", withLlvmLibrary(text));
  }
  nb::object module =
      compiler.attr("compile_ir")(text, nb::arg("cache") = !isOn(Option::disable_nvrtc_caching));
  LoadedCode code;
  for (const std::string& symbol : symbols) {
    code.addresses.push_back(
        reinterpret_cast<void*>(nb::cast<uintptr_t>(module.attr("address")(symbol))));
  }
  code.owner = own(std::move(module));
  return code;
}

// What the options in force mean for NVRTC.
std::vector<std::string> nvrtcOptions() {
  constexpr std::pair<Option, const char*> kMeanings[] = {
      {Option::enable_kernel_debug, "--device-debug"},
      {Option::enable_kernel_lineinfo, "--generate-line-info"},
      {Option::enable_fast_math, "--use_fast_math"},
      {Option::disable_fma, "--fmad=false"},
      {Option::enable_warn_register_spill, "--ptxas-options=--warn-on-spills"},
      {Option::dump_ptxas_verbose, "--ptxas-options=--verbose"}};
  std::vector<std::string> options;
  for (const auto& [option, text] : kMeanings) {
    if (isOn(option)) {
      options.emplace_back(text);
    }
  }
  return options;
}

// What the compile step is to print or write besides, by its names.
std::vector<std::string> compilerReports() {
  constexpr std::pair<Option, const char*> kReports[] = {
      {Option::enable_warn_register_spill, "log"},
      {Option::dump_ptxas_verbose, "log"},
      {Option::dump_ptx, "ptx"},
      {Option::dump_cubin, "cubin"},
      {Option::dump_sass, "sass"},
      {Option::dump_sass_to_file, "sass_to_file"}};
  std::vector<std::string> reports;
  for (const auto& [option, text] : kReports) {
    if (isOn(option)) {
      reports.emplace_back(text);
    }
  }
  return reports;
}

std::string compileWithNvrtc(const std::string& source, int64_t computeCapability) {
  if (isOn(Option::dump_cuda_full)) {
    printDump("Code with the device library", withCudaLibrary(source));
  }
  const nb::object compile = nb::module_::import_("nvfuser.cuda.compiler").attr("compile_kernel");
  const nb::bytes image = nb::cast<nb::bytes>(
      compile(source, computeCapability, nb::arg("cache") = !isOn(Option::disable_nvrtc_caching),
              nb::arg("extra_options") = nvrtcOptions(), nb::arg("report") = compilerReports(),
              nb::arg("to_ptx") = isOn(Option::disable_compile_to_sass)));
  return {image.c_str(), image.size()};
}

// Compiles with the interpreter's lock. Compilers walk through chains of instructions by functions
// that call themselves: where the thread's stack is too small for those of the text, on a thread
// with a larger one.
template <typename Compile>
auto withStackFor(const std::string& text, const Compile& compile) {
  constexpr size_t kBytes = size_t{4} << 20;
  constexpr size_t kBytesPerCharacter = 32;
  const size_t needed = kBytes + kBytesPerCharacter * text.size();
  if (stackBytesLeft() >= needed) {
    return withInterpreter(compile);
  }
  return withInterpreter([&] {
    decltype(compile()) result;
    const WithoutInterpreter released;
    callWithStack(needed, [&] { result = withInterpreter(compile); });
    return result;
  });
}

}  // namespace

void bindCompiler(nb::module_& module) {
  nb::class_<cpu::ObjectCode>(module, "ObjectCode",
                              "A relocatable object loaded into this process, mapped as long as it "
                              "lives.")
      .def(
          "__init__",
          [](cpu::ObjectCode* self, nb::bytes image) {
            new (self) cpu::ObjectCode({image.c_str(), image.size()});
          },
          nb::arg("image"))
      .def_prop_ro(
          "functions",
          [](const cpu::ObjectCode& self) {
            std::map<std::string, uintptr_t> addresses;
            for (const auto& [name, address] : self.functions()) {
              addresses.emplace(name, reinterpret_cast<uintptr_t>(address));
            }
            return addresses;
          },
          "The address of each exported function.");
  nb::class_<BackgroundLoad>(module, "BackgroundLoad",
                             "Loads a shared library while the interpreter goes on; its end waits "
                             "for that.")
      .def(nb::init<std::string>(), nb::arg("path"));
  module.def("cpu_identity", cpu::identity,
             "A text that is different for processors that do not run the same code; empty where "
             "that is not known.");
  setLlvmCompiler({.compile =
                       [](const std::string& text, const std::vector<std::string>& symbols) {
                         return withStackFor(text,
                                             [&] { return compileWithLlvmlite(text, symbols); });
                       },
                   .withLibrary =
                       [](const std::string& text) {
                         return withInterpreter([&] { return withLlvmLibrary(text); });
                       }});
  setCudaCompiler({.compile =
                       [](const std::string& source, int64_t computeCapability) {
                         return withStackFor(
                             source, [&] { return compileWithNvrtc(source, computeCapability); });
                       },
                   .withLibrary =
                       [](const std::string& source) {
                         return withInterpreter([&] { return withCudaLibrary(source); });
                       }});
}

}  // namespace nvfuser
