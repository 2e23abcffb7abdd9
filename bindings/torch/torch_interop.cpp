#include "bindings/torch/torch_interop.h"

#include "bindings/support/kept_forever.h"
#include "bindings/torch/loaded_library.h"
#include "core/error.h"
#include "device/cpu/thread_pool.h"

namespace nvfuser {

TorchInterop torchInterop;

namespace {

// Follows a path of attributes; null where one is missing. The result is kept for ever.
PyObject* findForGood(nb::handle object, std::initializer_list<const char*> path) {
  nb::object found = nb::borrow(object);
  for (const char* name : path) {
    found = nb::getattr(found, name, nb::none());
    if (found.is_none()) {
      return nullptr;
    }
  }
  return found.release().ptr();
}

const dlpack::ExchangeApi* findExchangeApi(nb::handle torch) {
  nb::object capsule = nb::getattr(torch.attr("Tensor"), "__dlpack_c_exchange_api__", nb::none());
  NVF_CHECK(!capsule.is_none(), "nvfuser needs torch 2.10 or newer; installed is torch ",
            textOf(torch.attr("__version__")));
  const void* pointer = PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api");
  if (pointer == nullptr) {
    throw nb::python_error();
  }
  const auto* header = static_cast<const dlpack::ExchangeApiHeader*>(pointer);
  while (header != nullptr && header->version.major > dlpack::kMajorVersion) {
    header = header->previousApi;
  }
  NVF_CHECK(header != nullptr && header->version.major == dlpack::kMajorVersion,
            "The installed torch offers no DLPack C exchange API of version ",
            dlpack::kMajorVersion);
  const auto* api = reinterpret_cast<const dlpack::ExchangeApi*>(header);
  NVF_CHECK(
      api->dltensorFromPyObjectNoSync != nullptr && api->currentWorkStream != nullptr,
      "The DLPack C exchange API of the installed torch lacks dltensor_from_py_object_no_sync");
  return api;
}

void findPrivateFunctions(TorchInterop& interop, nb::handle torch) {
  if (!mayUseInternals()) {
    return;
  }
  for (size_t type = 0; type < kNumDeviceTypes; ++type) {
    const std::string name = concatenate("_empty_strided_", nameOf(static_cast<DeviceType>(type)));
    interop.emptyStridedOn[type] = findForGood(torch, {"_C", "_dynamo", "guards", name.c_str()});
  }
  interop.reinterpretTensor =
      findForGood(torch, {"_C", "_dynamo", "guards", "_reinterpret_tensor"});
}

void calibrateAllocator(TorchInterop& interop) {
  try {
    interop.allocator.calibrate({interop.dtypes, interop.emptyStridedOn});
  } catch (const nb::python_error&) {
    // Whatever torch cannot do at the moment: tensors are made in Python.
    interop.allocator.disable();
  }
}

// torch's numbers of the dispatch keys; the native question only where it answers as Python's.
void findDispatchKeys(TorchInterop& interop, nb::handle torch) {
  const nb::object native = torch.attr("_C");
  const nb::object parse = native.attr("_dispatch_key_parse");
  const nb::object ask = native.attr("_dispatch_tls_is_dispatch_key_included");
  const auto numberOf = [&](const char* name) {
    return static_cast<uint16_t>(nb::cast<int>(nb::int_(parse(name))));
  };
  interop.isKeyIncludedSlowly = nb::borrow(ask).release().ptr();
  interop.recordingKeys = {parse("Python").release().ptr(), parse("Tracer").release().ptr()};
  interop.pythonKey = numberOf("Python");
  interop.tracerKey = numberOf("Tracer");
  const auto isIncluded = findInternal<bool (*)(uint16_t)>(
      "libc10.so", "_ZN3c104impl28tls_is_dispatch_key_includedENS_11DispatchKeyE");
  for (const char* name : {"Python", "Tracer", "BackendSelect", "CPU"}) {
    if (isIncluded == nullptr || isIncluded(numberOf(name)) != nb::cast<bool>(ask(parse(name)))) {
      return;
    }
  }
  interop.isKeyIncluded = isIncluded;
}

// Kernels run on the threads that torch's operations run on, where those are of an OpenMP runtime:
// the one that torch is linked with, not another one that happens to be in the process.
void shareThreads() {
  if (const auto team = findInLibrary<cpu::TeamFunction>("libtorch_cpu.so", "GOMP_parallel")) {
    cpu::useTeam(team);
  }
}

void calibrate(TorchInterop& interop) {
  if (!mayUseInternals()) {
    interop.calibrationsLeft = 0;
    return;
  }
  --interop.calibrationsLeft;
  TensorLayout layout;
  try {
    layout.calibrate();
  } catch (const nb::python_error&) {
    // Whatever torch cannot do at the moment: is_neg() and is_conj() will be called.
    layout.disable();
  }
  interop.layout = layout;
}

// All of this runs Python, and so other threads, which may be here themselves: what the first to
// end has found stays, and nobody sees a part of it.
void load() {
  const nb::object torch = nb::module_::import_("torch");
  TorchInterop interop;
  interop.api = findExchangeApi(torch);
  interop.isConj = findForGood(torch, {"Tensor", "is_conj"});
  interop.isNeg = findForGood(torch, {"Tensor", "is_neg"});
  interop.emptyStrided = findForGood(torch, {"empty_strided"});
  interop.getNumThreads = findForGood(torch, {"get_num_threads"});
  interop.getGradEnabled = findForGood(torch, {"is_grad_enabled"});
  interop.forwardDifferentiation = findForGood(torch, {"autograd", "forward_ad", "__dict__"});
  interop.gradModeIsEnabled =
      findInLibrary<bool (*)()>("libtorch_cpu.so", "aoti_torch_grad_mode_is_enabled");
  if (mayUseInternals()) {
    interop.incrementVersion = findForGood(torch, {"_C", "_increment_version"});
  }
  if (interop.incrementVersion == nullptr) {
    interop.incrementVersion = findForGood(torch, {"autograd", "graph", "increment_version"});
  }
  for (size_t i = 0; i < interop.dtypes.size(); ++i) {
    const char* name = info(static_cast<DataType>(i)).torchName;
    interop.dtypes[i] = name == nullptr ? nullptr : findForGood(torch, {name});
  }
  findDispatchKeys(interop, torch);
  findPrivateFunctions(interop, torch);
  // at::hasCallbacks(): 2 ns, where asking in Python takes 50.
  interop.hasObservers = findInternal<bool (*)()>("libtorch_cpu.so", "_ZN2at12hasCallbacksEv");
  calibrateAllocator(interop);
  shareThreads();
  calibrate(interop);
  interop.parameterType = reinterpret_cast<PyTypeObject*>(findForGood(torch, {"nn", "Parameter"}));
  interop.tensorType = reinterpret_cast<PyTypeObject*>(findForGood(torch, {"Tensor"}));
  if (!torchInterop.isLoaded()) {
    torchInterop = interop;
  }
}

bool isTorchInstalled() {
  return !nb::object(nb::module_::import_("importlib.util").attr("find_spec")("torch")).is_none();
}

bool call(PyObject* predicate, PyObject* argument) {
  PyObject* arguments[2] = {nullptr, argument};
  PyObject* result =
      nb::detail::vectorcall(predicate, arguments + 1, 1 | NB_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
  if (result == nullptr) {
    throw nb::python_error();
  }
  Py_DECREF(result);
  return result == Py_True;
}

}  // namespace

bool TorchInterop::isMarkedSlowly(PyObject* tensor) {
  if (calibrationsLeft > 0) {
    calibrate(*this);
  }
  return layout.knowsMarks() ? layout.isMarked(tensor)
                             : call(isNeg, tensor) || call(isConj, tensor);
}

bool TorchInterop::isGradEnabled() const {
  if (gradModeIsEnabled != nullptr) [[likely]] {
    return gradModeIsEnabled();
  }
  const nb::object isEnabled = nb::handle(getGradEnabled)();
  return isEnabled.ptr() == Py_True;
}

bool TorchInterop::isRecordingSlowly() const {
  if (!isLoaded()) {
    return loadTorch(/*import=*/false) && isRecording();
  }
  return call(isKeyIncludedSlowly, recordingKeys[0]) || call(isKeyIncludedSlowly, recordingKeys[1]);
}

bool TorchInterop::isDifferentiatedSlowly(PyObject* tensor) const {
  constinit static InternedName requiresGradName("requires_grad");
  constinit static InternedName levelName("_current_level");
  if (isGradEnabled()) {
    const nb::object requiresGrad = nb::steal(PyObject_GetAttr(tensor, requiresGradName.get()));
    if (!requiresGrad.is_valid()) {
      throw nb::python_error();
    }
    if (requiresGrad.ptr() == Py_True) {
      return true;
    }
  }
  // Has nothing to do with grad mode; the level is -1 outside of dual_level().
  PyObject* level = forwardDifferentiation == nullptr
                        ? nullptr
                        : PyDict_GetItemWithError(forwardDifferentiation, levelName.get());
  if (level == nullptr || PyLong_AsLong(level) < 0) [[likely]] {
    return false;
  }
  const nb::handle names(forwardDifferentiation);
  return !names["unpack_dual"](nb::handle(tensor)).attr("tangent").is_none();
}

PyObject* TorchInterop::dtypeOf(DataType dtype) const {
  PyObject* object = dtypes[static_cast<size_t>(dtype)];
  NVF_CHECK(object != nullptr, "The installed torch has no dtype for ", info(dtype).name);
  return object;
}

nb::object TorchInterop::deviceOf(Device device) const {
  return nb::module_::import_("torch").attr("device")(toString(device).c_str());
}

void* TorchInterop::currentStream(Device device) const {
  void* stream = nullptr;
  const dlpack::Device where = toDlpack(device);
  if (api->currentWorkStream(where.type, where.id, &stream) != 0) {
    throw nb::python_error();
  }
  return stream;
}

bool loadTorch(bool import) {
  if (torchInterop.isLoaded()) {
    return true;
  }
  if (!import) {
    const nb::object modules = nb::module_::import_("sys").attr("modules");
    // A module that is still being imported has no Tensor yet.
    if (!nb::cast<bool>(modules.attr("__contains__")("torch")) ||
        !nb::hasattr(modules["torch"], "Tensor")) {
      return false;
    }
  } else if (!keptForever<&isTorchInstalled>()) {
    return false;
  }
  load();
  return true;
}

std::string textOf(nb::handle object) {
  const nb::object text = nb::steal(PyObject_Str(object.ptr()));
  if (!text.is_valid()) {
    throw nb::python_error();
  }
  return nb::cast<const char*>(text);
}

nb::dict configureTorchInterop(bool readTensorLayout, bool usePrivateFunctions) {
  nb::dict used;
  if (!loadTorch(true)) {
    return used;
  }
  TorchInterop& interop = torchInterop;
  const nb::object torch = nb::module_::import_("torch");
  interop.api = findExchangeApi(torch);
  if (readTensorLayout) {
    calibrate(interop);
  } else {
    interop.layout.disable();
    interop.calibrationsLeft = 0;
  }
  if (usePrivateFunctions) {
    findPrivateFunctions(interop, torch);
    calibrateAllocator(interop);
    if (nb::cast<bool>(torch.attr("cuda").attr("is_initialized")())) {
      interop.allocator.calibrateAll();
    }
  } else {
    interop.allocator.disable();
    // Borrowed for good: the references stay.
    interop.emptyStridedOn = {};
    interop.reinterpretTensor = nullptr;
  }
  used["tensor_layout"] = interop.layout.knowsFields();
  used["tensor_versions"] = interop.layout.knowsVersions();
  for (size_t i = 0; i < kNumDeviceTypes; ++i) {
    const auto type = static_cast<DeviceType>(i);
    const std::string name = concatenate("empty_strided_", nameOf(type));
    used[name.c_str()] = interop.emptyStridedOn[i] != nullptr;
    used[("native_" + name).c_str()] = interop.allocator.knows(type);
  }
  used["reinterpret_tensor"] = interop.reinterpretTensor != nullptr;
  return used;
}

}  // namespace nvfuser
