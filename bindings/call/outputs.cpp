#include "bindings/call/outputs.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/support/kept_forever.h"
#include "bindings/support/to_python.h"
#include "core/error.h"
#include "device/memory.h"
#include "runtime/library_call.h"
#include "value/overlap.h"

namespace nvfuser {

// ---------------------------------------------------------------- what is cached with a plan

std::string toText(std::span<const int64_t> values) {
  std::string text = "[";
  for (const int64_t value : values) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  }
  return text + "]";
}

namespace {

// Memory that stays with a plan costs others: beyond this, allocating takes less time than running.
constexpr int64_t kMaxKeptBytes = int64_t{1} << 20;
constexpr size_t kMaxKeptWorkspaces = 4;

struct KeptWorkspace {
  void* stream;
  nb::object tensor;
  void* data;
};

struct PlanObjects {
  std::vector<OutputObjects> outputs;
  std::vector<OutputObjects> held;
  OutputSpec workspaceSpec;
  OutputObjects workspace;
  std::vector<KeptWorkspace> kept;
  Functional functional = Functional::Unknown;
};

// Made on the first call with this plan. The plan may be destroyed by a thread that does not hold
// the interpreter's lock, or when there is no interpreter any more.
[[gnu::noinline, gnu::cold]] PlanObjects& makeObjects(const LaunchPlan& plan) {
  auto objects = std::make_unique<PlanObjects>();
  for (const OutputSpec& spec : plan.outputs()) {
    objects->outputs.push_back({toTuple(spec.sizes), toTuple(spec.strides), {}, {}, {}});
  }
  if (plan.library() != nullptr) {
    for (const OutputSpec& spec : plan.library()->held) {
      objects->held.push_back({toTuple(spec.sizes), toTuple(spec.strides), {}, {}, {}});
    }
  }
  // In words: there is no DataType of a plain byte.
  OutputSpec& workspace = objects->workspaceSpec;
  workspace.dtype = DataType::Int;
  workspace.device = plan.device();
  workspace.sizes = {(plan.workspaceBytes() + 7) / 8};
  workspace.strides = {1};
  objects->workspace = {toTuple(workspace.sizes), toTuple(workspace.strides), {}, {}, {}};
  // Python code may have run meanwhile, another thread's call among it: the first one stays.
  if (plan.hostData() != nullptr) {
    return *static_cast<PlanObjects*>(plan.hostData().get());
  }
  plan.hostData() = std::shared_ptr<void>(objects.release(), [](void* pointer) {
    if (nb::is_alive()) {
      const nb::gil_scoped_acquire lock;
      delete static_cast<PlanObjects*>(pointer);
    }
  });
  return *static_cast<PlanObjects*>(plan.hostData().get());
}

PlanObjects& objectsOf(const LaunchPlan& plan) {
  void* objects = plan.hostData().get();
  return objects != nullptr ? *static_cast<PlanObjects*>(objects) : makeObjects(plan);
}

OutputObjects& objectsOf(const LaunchPlan& plan, size_t i) { return objectsOf(plan).outputs[i]; }

PyObject* checked(PyObject* object) {
  if (object == nullptr) [[unlikely]] {
    throw nb::python_error();
  }
  return object;
}

// ---------------------------------------------------------------- allocation

bool hasNoElements(const OutputSpec& spec) {
  return std::ranges::find(spec.sizes, 0) != spec.sizes.end();
}

struct FreshTensor {
  void* data;
  int32_t device;
};

// The public way: where a mode is active, it need not be a plain tensor.
FreshTensor readByDlpack(PyObject* freshTensor, const OutputSpec& spec) {
  dlpack::Tensor tensor;
  if (torchInterop.api->dltensorFromPyObjectNoSync(freshTensor, &tensor) != 0) {
    throw nb::python_error();
  }
  NVF_CHECK(tensor.data != nullptr || hasNoElements(spec),
            "torch allocated an output without memory: a ",
            textOf(nb::handle(freshTensor).type().attr("__name__")),
            "; a mode is active that replaces what torch creates");
  return {static_cast<std::byte*>(tensor.data) + tensor.byteOffset, tensor.device.id};
}

FreshTensor read(PyObject* freshTensor, const OutputSpec& spec) {
  Tensor tensor;
  if (Py_TYPE(freshTensor) == torchInterop.tensorType &&
      torchInterop.layout.tryRead(freshTensor, tensor)) [[likely]] {
    return {tensor.data, tensor.device.index};
  }
  return readByDlpack(freshTensor, spec);
}

nb::object interop(const char* name) { return nb::module_::import_("nvfuser.interop").attr(name); }

PyObject* findNumpyEmpty() {
  return nb::object(nb::module_::import_("numpy").attr("empty")).release().ptr();
}

nb::object allocateNumpy(const OutputSpec& spec, OutputObjects& objects) {
  if (!isRowMajor(spec.sizes, spec.strides)) {
    return interop("empty_array")(objects.sizes, objects.strides, info(spec.dtype).name);
  }
  PyObject* const empty = keptForever<&findNumpyEmpty>();
  if (!objects.numpyArguments.is_valid()) {
    objects.numpyArguments =
        nb::make_tuple(objects.sizes, interop("numpy_dtype")(info(spec.dtype).name));
  }
  return nb::steal(checked(PyObject_Call(empty, objects.numpyArguments.ptr(), nullptr)));
}

// By the private functions, on the CPU or torch's current device; invalid where torch has none.
nb::object allocatePrivately(const OutputSpec& spec, OutputObjects& objects) {
  TorchInterop& torch = torchInterop;
  nb::object tensor = nb::steal(
      torch.allocator.tryAllocate(spec.device.type, spec.dtype, spec.sizes, spec.strides));
  if (tensor.is_valid()) [[likely]] {
    return tensor;
  }
  PyObject* function = torch.emptyStridedOn[static_cast<size_t>(spec.device.type)];
  if (function == nullptr) {
    return {};
  }
  if (!objects.torchArguments.is_valid()) {
    objects.torchArguments =
        nb::make_tuple(objects.sizes, objects.strides, nb::borrow(torch.dtypeOf(spec.dtype)));
  }
  return nb::steal(checked(PyObject_Call(function, objects.torchArguments.ptr(), nullptr)));
}

// ---------------------------------------------------------------- messages

void checkSpec(size_t i, const OutputSpec& spec, const Tensor& tensor) {
  NVF_CHECK(tensor.dtype == spec.dtype, "Output ", i, ": expected a tensor of dtype ",
            info(spec.dtype).name, " but got one of dtype ", info(tensor.dtype).name);
  NVF_CHECK(tensor.device == spec.device, "Output ", i, ": expected a tensor on ",
            toString(spec.device), " but got one on ", toString(tensor.device));
  NVF_CHECK(std::ranges::equal(tensor.shape(), spec.sizes), "Output ", i,
            ": expected a tensor of shape ", toText(spec.sizes), " but got one of shape ",
            toText(tensor.shape()));
  NVF_CHECK(hasNoElements(spec) || hasStrides(tensor, spec.strides), "Output ", i,
            ": expected a tensor of strides ", toText(spec.strides), " but got one of strides ",
            toText(tensor.stride()), "; torch.empty_strided() makes tensors of any strides");
}

// Writing to a tensor behind autograd's back would make its gradient wrong without a word.
void checkAutograd(size_t i, PyObject* tensor) {
  if (torchInterop.layout.knowsFields() && torchInterop.layout.needsNoGrad(tensor)) [[likely]] {
    return;
  }
  NVF_CHECK(!torchInterop.isDifferentiated(tensor), "Output ", i,
            ": the tensor requires grad, but results are computed without autograd: "
            "use torch.no_grad() or pass the tensor detached");
}

// The memory of a tensor or array that the caller gave as an output.
Tensor readGiven(size_t i, PyObject* object) {
  if (torchInterop.isTensor(Py_TYPE(object)) ||
      (Py_TYPE(object) != numpyArrayType() && loadTorch(/*import=*/false) &&
       torchInterop.isTensor(Py_TYPE(object)))) {
    Tensor tensor;
    NVF_CHECK(
        readTorchTensor(object, tensor), "Output ", i,
        ": expected a tensor with memory of its own and of a supported dtype, but got one that "
        "is a conjugate or negative view, has no memory, or is of dtype ",
        textOf(nb::handle(object).attr("dtype")));
    checkAutograd(i, object);
    return tensor;
  }
  if (Py_TYPE(object) == numpyArrayType()) {
    std::optional<NumpyView> view = readNumpyArray(object);
    NVF_CHECK(view && !view->isReadOnly, "Output ", i,
              ": expected a writable array of a supported dtype, but got one of dtype ",
              textOf(nb::handle(object).attr("dtype")));
    return std::move(view->tensor);
  }
  fail("Output ", i, ": expected a torch.Tensor, a NumPy array or None, but got a ",
       textOf(nb::handle(object).type().attr("__name__")));
}

}  // namespace

bool hasStrides(const Tensor& tensor, const std::vector<int64_t>& strides) {
  for (size_t d = 0; d < strides.size(); ++d) {
    if (tensor.sizes[d] > 1 && tensor.strides[d] != strides[d]) {
      return false;
    }
  }
  return true;
}

Functional& functionalOf(const LaunchPlan& plan) { return objectsOf(plan).functional; }

OutputObjects& heldObjects(const LaunchPlan& plan, size_t i) { return objectsOf(plan).held[i]; }

CallOutputs::CallOutputs(const LaunchPlan& plan, const CallArguments& arguments, PyObject* given)
    : plan_(plan), arguments_(arguments) {
  const size_t count = plan.outputs().size();
  const bool isTuple = PyTuple_Check(given);
  NVF_CHECK(given == Py_None || isTuple || PyList_Check(given),
            "Expected outputs to be a list of tensors or None");
  if (given != Py_None) {
    const auto size = static_cast<size_t>(isTuple ? PyTuple_Size(given) : PyList_Size(given));
    NVF_CHECK(size == count, "Expected ", count, count == 1 ? " output" : " outputs", " but got ",
              size);
  }
  list_ = nb::steal(checked(PyList_New(static_cast<Py_ssize_t>(count))));
  for (size_t i = 0; i < count; ++i) {
    nb::object tensor = nb::none();
    if (given != Py_None) {
      const auto index = static_cast<Py_ssize_t>(i);
      tensor = nb::borrow(
          checked(isTuple ? PyTuple_GetItem(given, index) : PyList_GetItem(given, index)));
    }
    if (!tensor.is_none()) {
      addGiven(i, tensor.ptr());
    } else if (plan.outputs()[i].kind == OutputSpec::Kind::Allocate) [[likely]] {
      addAllocated(i);
    } else {
      addOther(i);
    }
  }
}

PyObject* makeOptionNames() { return nb::make_tuple("dtype", "device").release().ptr(); }

// What torch offers, for a 4x4 tensor on the CPU, in nanoseconds called from C (torch 2.13, AMD
// EPYC): at::detail::empty_strided_cpu 193; _empty_strided_cpu with a ready tuple 250, with
// separate arguments 283; the DLPack allocator and conversion to a Python tensor 547, and it knows
// no strides; empty_like 603; empty_strided and new_empty_strided 685; new_empty 988. Reading the
// address of the new tensor takes 40 to 50 more where torch is asked for it.
PyObject* allocateTorch(const OutputSpec& spec, OutputObjects& objects, void*& data) {
  TorchInterop& torch = torchInterop;
  if (!torch.isLoaded()) [[unlikely]] {
    NVF_CHECK(loadTorch(/*import=*/true), "Running a fusion on ", toString(spec.device),
              " needs torch, which allocates the memory");
  }
  // Made on torch's current device: that it is the right one shows in the tensor, which is cheaper
  // than to ask before.
  nb::object tensor = allocatePrivately(spec, objects);
  if (tensor.is_valid()) [[likely]] {
    const FreshTensor fresh = read(tensor.ptr(), spec);
    if (fresh.device == spec.device.index) [[likely]] {
      data = fresh.data;
      return tensor.release().ptr();
    }
  }
  if (!objects.torchDevice.is_valid()) {
    objects.torchDevice = torch.deviceOf(spec.device);
  }
  PyObject* arguments[] = {nullptr, objects.sizes.ptr(), objects.strides.ptr(),
                           torch.dtypeOf(spec.dtype), objects.torchDevice.ptr()};
  tensor = nb::steal(checked(nb::detail::vectorcall(torch.emptyStrided, arguments + 1,
                                                    2 | NB_VECTORCALL_ARGUMENTS_OFFSET,
                                                    keptForever<&makeOptionNames>())));
  data = read(tensor.ptr(), spec).data;
  return tensor.release().ptr();
}

void* CallOutputs::allocateWorkspace() {
  if (plan_.workspaceBytes() == 0) [[likely]] {
    return nullptr;
  }
  PlanObjects& objects = objectsOf(plan_);
  void* data = nullptr;
  workspace_ = nb::steal(allocateTorch(objects.workspaceSpec, objects.workspace, data));
  return data;
}

void* CallOutputs::keptWorkspace(void* stream) {
  if (plan_.workspaceBytes() == 0 || plan_.workspaceBytes() > kMaxKeptBytes) {
    return allocateWorkspace();
  }
  std::vector<KeptWorkspace>& kept = objectsOf(plan_).kept;
  const auto found = std::ranges::find(kept, stream, &KeptWorkspace::stream);
  if (found != kept.end()) [[likely]] {
    workspace_ = found->tensor;
    return found->data;
  }
  void* data = allocateWorkspace();
  if (kept.size() == kMaxKeptWorkspaces) {
    kept.erase(kept.begin());
  }
  kept.push_back({stream, workspace_, data});
  return data;
}

void CallOutputs::append(size_t i, PyObject* owned, void* data) {
  PyList_SetItem(list_.ptr(), static_cast<Py_ssize_t>(i), owned);
  data_.push_back(data);
}

bool CallOutputs::makesNumpy() const {
  return memoryOf(plan_.device()).isHost &&
         (arguments_.arrayKind() == ArrayKind::NumPy ||
          (arguments_.arrayKind() == ArrayKind::None && !loadTorch(/*import=*/true)));
}

void CallOutputs::addAllocated(size_t i) {
  const OutputSpec& spec = plan_.outputs()[i];
  OutputObjects& objects = objectsOf(plan_, i);
  if (makesNumpy()) [[unlikely]] {
    nb::object array = allocateNumpy(spec, objects);
    const std::optional<NumpyView> view = readNumpyArray(array.ptr());
    NVF_INTERNAL_CHECK(view, "nvfuser.interop.empty_array made an array that cannot be read");
    append(i, array.release().ptr(), view->tensor.data);
    return;
  }
  void* data = nullptr;
  PyObject* tensor = allocateTorch(spec, objects, data);
  append(i, tensor, data);
}

void CallOutputs::addGiven(size_t i, PyObject* tensor) {
  const OutputSpec& spec = plan_.outputs()[i];
  if (spec.kind != OutputSpec::Kind::Allocate && spec.kind != OutputSpec::Kind::Library) {
    const char* what = spec.kind == OutputSpec::Kind::Input       ? " is input "
                       : spec.kind == OutputSpec::Kind::InputView ? " is a view of input "
                                                                  : " is the same as output ";
    fail("Output ", i, what, spec.input, " and takes no tensor of its own: pass None for it");
  }
  const Tensor memory = readGiven(i, tensor);
  checkSpec(i, spec, memory);
  checkOverlap(i, memory);
  addressBits_ |=
      reinterpret_cast<int64_t>(memory.data) & (memoryOf(memory.device).widestAccess - 1);
  Py_INCREF(tensor);
  append(i, tensor, memory.data);
  anyGiven_ = true;
}

void CallOutputs::checkOverlap(size_t i, const Tensor& tensor) const {
  const OutputSpec& spec = plan_.outputs()[i];
  const ByteRange range = byteRangeOf(tensor);
  const auto mayShare = [&](const Tensor& other) {
    return intersect(range, byteRangeOf(other)) && other.device == tensor.device &&
           mayOverlap(other, tensor);
  };
  const std::span<const PolymorphicValue> values = arguments_.values();
  for (size_t k = 0; k < values.size(); ++k) {
    if (!values[k].is<Tensor>() || !mayShare(values[k].as<Tensor>())) [[likely]] {
      continue;
    }
    NVF_CHECK(isSameView(values[k].as<Tensor>(), tensor), "Output ", i,
              " overlaps the memory of input ", k);
    const bool isAllowed = std::ranges::find(spec.mayAliasInputs, static_cast<int32_t>(k)) !=
                           spec.mayAliasInputs.end();
    NVF_CHECK(isAllowed, "Output ", i, " is the same memory as input ", k,
              ", which is still read after the output is written");
  }
  for (size_t k = 0; k < i; ++k) {
    if (data_[k] != nullptr) {
      const Tensor other = readGiven(k, PyList_GetItem(list_.ptr(), static_cast<Py_ssize_t>(k)));
      NVF_CHECK(!mayShare(other), "Output ", i, " overlaps the memory of output ", k);
    }
  }
}

// Outputs that the kernels do not write.
void CallOutputs::addOther(size_t i) {
  const OutputSpec& spec = plan_.outputs()[i];
  if (spec.kind == OutputSpec::Kind::Library) {
    if (makesNumpy()) {
      addAllocated(i);
    } else {
      append(i, nb::none().release().ptr(), nullptr);
    }
    return;
  }
  const auto input = static_cast<size_t>(spec.input);
  if (spec.kind == OutputSpec::Kind::Repeat) {
    PyObject* same = PyList_GetItem(list_.ptr(), static_cast<Py_ssize_t>(input));
    Py_INCREF(same);
    append(i, same, nullptr);
    return;
  }
  if (spec.kind == OutputSpec::Kind::Input) {
    PyObject* given = arguments_.given(input);
    Py_INCREF(given);
    append(i, given, nullptr);
    return;
  }
  const OutputObjects& objects = objectsOf(plan_, i);
  const nb::handle array = arguments_.array(input);
  const auto& tensor = arguments_.values()[input].as<Tensor>();
  if (torchInterop.reinterpretTensor != nullptr && spec.dtype == tensor.dtype &&
      torchInterop.isTensor(Py_TYPE(array.ptr()))) {
    // 600 ns against the 940 of as_strided(), and without autograd.
    const nb::handle reinterpret = torchInterop.reinterpretTensor;
    append(i, reinterpret(array, objects.sizes, objects.strides, spec.offset).release().ptr(),
           nullptr);
    return;
  }
  const bool isTorch = torchInterop.isTensor(Py_TYPE(array.ptr()));
  const nb::object view =
      isTorch ? interop("view_of_tensor")(array, objects.sizes, objects.strides, spec.offset,
                                          nb::handle(torchInterop.dtypeOf(spec.dtype)))
              : interop("view_of_array")(array, objects.sizes, objects.strides, spec.offset,
                                         info(spec.dtype).name);
  append(i, view.inc_ref().ptr(), nullptr);
}

PyObject* CallOutputs::tensor(size_t i) const {
  PyObject* object = PyList_GetItem(list_.ptr(), static_cast<Py_ssize_t>(i));
  return object == Py_None ? nullptr : object;
}

void CallOutputs::place(size_t i, nb::object tensor, void* data) {
  for (size_t k = i + 1; k < data_.size(); ++k) {
    const OutputSpec& spec = plan_.outputs()[k];
    if (spec.kind == OutputSpec::Kind::Repeat && static_cast<size_t>(spec.input) == i) {
      PyList_SetItem(list_.ptr(), static_cast<Py_ssize_t>(k), tensor.inc_ref().ptr());
    }
  }
  PyList_SetItem(list_.ptr(), static_cast<Py_ssize_t>(i), tensor.release().ptr());
  data_[i] = data;
}

PyObject* CallOutputs::make(size_t i) {
  void* data = nullptr;
  nb::object made = nb::steal(allocateTorch(plan_.outputs()[i], objectsOf(plan_, i), data));
  place(i, made, data);
  return made.ptr();
}

void CallOutputs::markWritten() const {
  if (!anyGiven_ || !torchInterop.isLoaded()) {
    return;
  }
  for (size_t i = 0; i < data_.size(); ++i) {
    PyObject* object = PyList_GetItem(list_.ptr(), static_cast<Py_ssize_t>(i));
    const OutputSpec::Kind kind = plan_.outputs()[i].kind;
    if ((kind == OutputSpec::Kind::Allocate || kind == OutputSpec::Kind::Library) &&
        torchInterop.isTensor(Py_TYPE(object))) [[likely]] {
      markModified(object);
    }
  }
}

void markModified(PyObject* tensor) {
  if (torchInterop.layout.tryCountModification(tensor)) [[likely]] {
    return;
  }
  const nb::tuple tensors = nb::make_tuple(nb::handle(tensor));
  PyObject* arguments[2] = {nullptr, tensors.ptr()};
  Py_DECREF(checked(nb::detail::vectorcall(torchInterop.incrementVersion, arguments + 1,
                                           1 | NB_VECTORCALL_ARGUMENTS_OFFSET, nullptr)));
}

}  // namespace nvfuser
