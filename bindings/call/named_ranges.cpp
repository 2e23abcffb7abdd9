#include "bindings/call/named_ranges.h"

#include "bindings/support/interpreter_lock.h"
#include "core/options.h"
#include "ir/library_table.h"

namespace nvfuser {

bool usesNvtx = false;

void rangesAsEnvironmentSays() {
  usesNvtx = contains(environmentOptions(), Option::enable_nvtx) &&
             !contains(environmentOptions(), Option::disable_nvtx);
}

namespace {

// Of the profiler of torch: the light kind that torch's own compiler uses, where there is one.
nb::object makeEvent(const std::string& name) {
  const nb::object native = nb::module_::import_("torch").attr("_C");
  const nb::object profiler = nb::getattr(native, "_profiler", nb::none());
  const nb::object fast =
      profiler.is_none() ? nb::none() : nb::getattr(profiler, "_RecordFunctionFast", nb::none());
  if (!fast.is_none()) {
    return fast(name.c_str());
  }
  return nb::module_::import_("torch.autograd.profiler").attr("record_function")(name.c_str());
}

nb::object nvtx() { return nb::module_::import_("torch.cuda.nvtx"); }

}  // namespace

void NamedRanges::open(const std::string& name) {
  withInterpreter([&] {
    if (usesNvtx) {
      nvtx().attr("range_push")(name.c_str());
      isNvtxOpen_ = true;
    }
    if (torchInterop.hasObservers != nullptr && torchInterop.hasObservers()) {
      nb::object event = makeEvent(name);
      event.attr("__enter__")();
      event_ = std::move(event);
    }
  });
}

void NamedRanges::close() {
  withInterpreter([&] {
    if (event_.is_valid()) {
      const nb::object event = std::move(event_);
      event.attr("__exit__")(nb::none(), nb::none(), nb::none());
    }
    if (isNvtxOpen_) {
      isNvtxOpen_ = false;
      nvtx().attr("range_pop")();
    }
  });
}

// What is open when a kernel has failed.
NamedRanges::~NamedRanges() {
  if (!event_.is_valid() && !isNvtxOpen_) {
    return;
  }
  // Back from the run, with the interpreter's lock.
  const nb::error_scope scope;
  try {
    close();
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("nvfuser.named_ranges");
  }
}

void NamedRanges::call(const LibraryCall& call, std::span<void*> held) {
  open(std::string("nvfuser_") + call.info->name);
  inner_->call(call, held);
  close();
}

}  // namespace nvfuser
