#include "bindings/call/library_calls.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <memory>
#include <string>

#include "bindings/call/outputs.h"
#include "bindings/support/kept_forever.h"
#include "bindings/support/to_python.h"
#include "core/error.h"

namespace nvfuser {

namespace {

// Looked up once, and kept for ever.
struct Functions {
  PyObject* isGradEnabled;
  PyObject* setGradEnabled;
  PyObject* isAnyAutocastEnabled;
  PyObject* disableAutocast;
  PyObject* copy;
  // Of nvfuser.library_calls.
  PyObject* viewOf;
  PyObject* tensorOfArray;
};

Functions findFunctions() {
  const nb::object torch = nb::module_::import_("torch");
  const auto keep = [](nb::object object) { return object.release().ptr(); };
  const nb::object native = torch.attr("_C");
  const nb::object own = nb::module_::import_("nvfuser.library_calls");
  return {keep(torch.attr("is_grad_enabled")),
          keep(native.attr("_set_grad_enabled")),
          keep(native.attr("_is_any_autocast_enabled")),
          keep(native.attr("_DisableAutocast")),
          keep(torch.attr("Tensor").attr("copy_")),
          keep(own.attr("view_of")),
          keep(own.attr("tensor_of_array"))};
}

const Functions& functions() { return keptForever<&findFunctions>(); }

PyObject* makeOutKeyword() { return nb::make_tuple("out").release().ptr(); }

nb::object callFunction(PyObject* function, std::initializer_list<PyObject*> arguments) {
  PyObject* block[4] = {nullptr};
  std::ranges::copy(arguments, block + 1);
  PyObject* result = nb::detail::vectorcall(
      function, block + 1, arguments.size() | NB_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
  if (result == nullptr) {
    throw nb::python_error();
  }
  return nb::steal(result);
}

// What is the same in every run of a call.
struct CallObjects {
  nb::object function;
  // What writes to memory that it is given; null for none.
  nb::object intoFunction;
  // One for each parameter; what stands for a tensor is None.
  std::vector<nb::object> arguments;
  struct View {
    nb::object sizes;
    nb::object strides;
  };
  std::vector<View> views;
  // Of the only result.
  View result;
};

CallObjects::View objectsOf(const LibraryTensor::View& view) {
  return {toTuple(view.sizes), toTuple(view.strides)};
}

nb::object constantArgument(const LibraryCall& call, size_t i) {
  switch (call.info->parameters[i].kind) {
    case LibraryParameter::Kind::Number:
      return nb::int_(call.numbers[i]);
    case LibraryParameter::Kind::Flag:
      return nb::bool_(call.numbers[i] != 0);
    case LibraryParameter::Kind::DataType:
      return nb::borrow(torchInterop.dtypeOf(static_cast<DataType>(call.numbers[i])));
    case LibraryParameter::Kind::Tensor:
    case LibraryParameter::Kind::Scalar:
      break;
  }
  return toPython(call.scalars[i]);
}

nb::list flagsOf(const std::vector<bool>& flags) {
  nb::list list;
  for (const bool flag : flags) {
    list.append(flag);
  }
  return list;
}

[[gnu::cold, gnu::noinline]] CallObjects& makeObjects(const LibraryCall& call) {
  auto objects = std::make_unique<CallObjects>();
  const nb::module_ own = nb::module_::import_("nvfuser.library_calls");
  objects->function = own.attr(call.info->function);
  if (call.info->intoFunction != nullptr) {
    objects->intoFunction = own.attr(call.info->intoFunction);
  }
  if (const TorchCall* torch = call.info->torchCall) {
    objects->function = objects->function(torch->target, torch->arguments, torch->tensors,
                                          torch->scalars, flagsOf(torch->results));
  }
  for (size_t i = 0; i < call.tensors.size(); ++i) {
    objects->arguments.push_back(constantArgument(call, i));
    CallObjects::View& view = objects->views.emplace_back();
    if (call.tensors[i] && call.tensors[i]->view) {
      view = objectsOf(*call.tensors[i]->view);
    }
  }
  if (const auto& view = call.results.front().view) {
    objects->result = objectsOf(*view);
  }
  // Another thread may have been here meanwhile: the first one stays.
  if (call.hostData() == nullptr) {
    call.hostData() = std::shared_ptr<void>(objects.release(), [](void* pointer) {
      if (nb::is_alive()) {
        const nb::gil_scoped_acquire lock;
        delete static_cast<CallObjects*>(pointer);
      }
    });
  }
  return *static_cast<CallObjects*>(call.hostData().get());
}

const CallObjects& objectsOf(const LibraryCall& call) {
  void* objects = call.hostData().get();
  return objects != nullptr ? *static_cast<CallObjects*>(objects) : makeObjects(call);
}

}  // namespace

TorchCalls::TorchCalls(const LaunchPlan& plan, const CallArguments& arguments, CallOutputs& outputs)
    : plan_(plan), arguments_(arguments), outputs_(outputs), held_(plan.library()->held.size()) {
  NVF_CHECK(
      loadTorch(/*import=*/true), "The operation ", plan.library()->calls.front().info->name,
      " is computed by torch, which is not installed: ", plan.library()->calls.front().definition);
  const Functions& torch = functions();
  if (callFunction(torch.isAnyAutocastEnabled, {}).ptr() == Py_True) {
    autocastGuard_ = callFunction(torch.disableAutocast, {});
    autocastGuard_.attr("__enter__")();
  }
  hadGrad_ = callFunction(torch.isGradEnabled, {}).ptr() == Py_True;
  if (hadGrad_) {
    callFunction(torch.setGradEnabled, {Py_False});
  }
}

TorchCalls::~TorchCalls() {
  // Nothing in here fails; an error that is on its way is kept apart.
  const nb::error_scope scope;
  try {
    if (hadGrad_) {
      callFunction(functions().setGradEnabled, {Py_True});
    }
    if (autocastGuard_.is_valid()) {
      autocastGuard_.attr("__exit__")(nb::none(), nb::none(), nb::none());
    }
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("nvfuser.library_calls");
  }
}

void* TorchCalls::allocate(size_t number) {
  const nb::gil_scoped_acquire lock;
  void* data = nullptr;
  held_[number] =
      nb::steal(allocateTorch(plan_.library()->held[number], heldObjects(plan_, number), data));
  return data;
}

void TorchCalls::release(size_t number) {
  const nb::gil_scoped_acquire lock;
  held_[number] = nb::object();
}

nb::object TorchCalls::tensorOf(const Memory& memory, std::span<void*> held) {
  const auto position = static_cast<size_t>(memory.position);
  PyObject* found = nullptr;
  switch (memory.kind) {
    case Memory::Kind::Argument:
      found = arguments_.array(position);
      break;
    case Memory::Kind::Output:
      found = outputs_.tensor(position);
      // Where what would have filled it had nothing to do.
      found = found == nullptr ? outputs_.make(position) : found;
      break;
    case Memory::Kind::Held:
      if (!held_[position].is_valid()) {
        held[position] = allocate(position);
      }
      found = held_[position].ptr();
      break;
    case Memory::Kind::Workspace:
    case Memory::Kind::Peer:
      ::nvfuser::fail("Internal error: a library call has no access to the workspace");
  }
  if (torchInterop.isTensor(Py_TYPE(found))) [[likely]] {
    return nb::borrow(found);
  }
  return callFunction(functions().tensorOfArray, {found});
}

nb::object TorchCalls::tensorOf(const LibraryTensor& tensor, std::span<void*> held) {
  return tensorOf(tensor.memory, held);
}

void TorchCalls::call(const LibraryCall& call, std::span<void*> held) {
  const nb::gil_scoped_acquire lock;
  const CallObjects& objects = [&]() -> const CallObjects& {
    try {
      return objectsOf(call);
    } catch (nb::python_error& error) {
      fail(call, error);
    }
  }();
  const size_t count = objects.arguments.size();
  // Whether torch writes to the result's own memory at once.
  const bool isAlone = call.info->intoFunction != nullptr && call.results.size() == 1;
  const LibraryResult& first = call.results.front();
  nb::object out;
  if (isAlone && (first.memory.kind == Memory::Kind::Argument ||
                  (first.memory.kind == Memory::Kind::Output &&
                   outputs_.tensor(static_cast<size_t>(first.memory.position)) != nullptr) ||
                  first.view)) {
    out = tensorOf(first.memory, held);
    if (first.view) {
      out = nb::handle(functions().viewOf)(out, objects.result.sizes, objects.result.strides, 0);
    }
  }
  std::vector<nb::object> arguments = objects.arguments;
  for (size_t i = 0; i < count; ++i) {
    if (!call.tensors[i]) {
      continue;
    }
    arguments[i] = tensorOf(*call.tensors[i], held);
    if (const auto& view = call.tensors[i]->view) {
      const CallObjects::View& known = objects.views[i];
      arguments[i] =
          nb::handle(functions().viewOf)(arguments[i], known.sizes, known.strides, view->offset);
    }
  }
  std::vector<PyObject*> block{nullptr};
  for (const nb::object& argument : arguments) {
    block.push_back(argument.ptr());
  }
  if (out.is_valid()) {
    block.push_back(out.ptr());
  }
  PyObject* returned =
      nb::detail::vectorcall((out.is_valid() ? objects.intoFunction : objects.function).ptr(),
                             block.data() + 1, count | NB_VECTORCALL_ARGUMENTS_OFFSET,
                             out.is_valid() ? keptForever<&makeOutKeyword>() : nullptr);
  if (returned == nullptr) {
    nb::python_error error;
    fail(call, error);
  }
  const nb::object result = nb::steal(returned);
  if (out.is_valid()) {
    return;
  }
  for (const LibraryResult& expected : call.results) {
    const bool isTuple = PyTuple_Check(result.ptr());
    place(call, expected,
          isTuple
              ? nb::borrow(PyTuple_GetItem(result.ptr(), static_cast<Py_ssize_t>(expected.number)))
              : result,
          held);
  }
}

void TorchCalls::place(const LibraryCall& call, const LibraryResult& result, nb::object tensor,
                       std::span<void*> held) {
  Tensor made;
  const bool isRead =
      torchInterop.isTensor(Py_TYPE(tensor.ptr())) && readTorchTensor(tensor.ptr(), made);
  NVF_CHECK(isRead && made.dtype == result.spec.dtype &&
                (made.device == result.spec.device || memoryOf(made.device).isHost) &&
                std::ranges::equal(made.shape(), result.spec.sizes),
            call.info->name, ": Expected sizes to match: expected a result of shape ",
            toText(result.spec.sizes), " and dtype ", info(result.spec.dtype).name, " on ",
            toString(result.spec.device), ", but torch returned ",
            isRead ? concatenate("one of shape ", toText(made.shape()), " and dtype ",
                                 info(made.dtype).name, " on ", toString(made.device))
                   : textOf(tensor),
            "\n", call.definition);
  const auto position = static_cast<size_t>(result.memory.position);
  // torch leaves some results on the host, like the seeds of attention: kernels read copies.
  const bool isAsExpected =
      made.device == result.spec.device &&
      (!result.hasFixedStrides ||
       (hasStrides(made, result.spec.strides) &&
        reinterpret_cast<uintptr_t>(made.data) % static_cast<uintptr_t>(kVectorBytes) == 0));
  const bool isFresh =
      result.memory.kind == Memory::Kind::Held ||
      (result.memory.kind == Memory::Kind::Output && outputs_.tensor(position) == nullptr);
  if (!isFresh || !isAsExpected) {
    if (result.memory.kind == Memory::Kind::Held) {
      held[position] = allocate(position);
    }
    const nb::object target = tensorOf(result.memory, held);
    callFunction(functions().copy, {target.ptr(), tensor.ptr()});
  } else if (result.memory.kind == Memory::Kind::Held) {
    held_[position] = std::move(tensor);
    held[position] = made.data;
  } else {
    outputs_.place(position, std::move(tensor), made.data);
  }
}

// The error that torch raised, with what it was computing.
void TorchCalls::fail(const LibraryCall& call, nb::python_error& error) const {
  error.restore();
  PyObject* raised = nullptr;
#if PY_VERSION_HEX >= 0x030C0000
  raised = PyErr_GetRaisedException();
#else
  PyObject* type = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &raised, &trace);
  PyErr_NormalizeException(&type, &raised, &trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
#endif
  const nb::object value = nb::steal(raised);
  nb::module_::import_("nvfuser.library_calls")
      .attr("fail")(value, call.info->name, call.definition);
  ::nvfuser::fail(call.info->name, ": ", textOf(value), "\n", call.definition);
}

}  // namespace nvfuser
