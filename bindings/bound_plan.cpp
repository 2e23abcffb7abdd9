// BoundPlan: the callable that runs a fusion with the least overhead.

#include <nanobind/nanobind.h>
#include <structmember.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arguments.h"
#include "device_choice.h"
#include "executor.h"
#include "kept_forever.h"
#include "plan_log.h"
#include "torch_interop.h"

namespace nvfuser {

namespace {

// Not a nanobind class: those have no place for the pointer that makes vector calls of instances
// possible. The flag and the functions that serve it are in the stable ABI from 3.12 on, but the
// flag's value and the protocol (PEP 590) have been the same since 3.9.
using VectorCall = PyObject* (*)(PyObject*, PyObject* const*, size_t, PyObject*);
constexpr unsigned long kHaveVectorCall = 1UL << 11;

struct BoundPlan {
  PyObject_HEAD VectorCall vectorCall;
  // Keeps `cache` alive.
  PyObject* cacheObject;
  ExecutorCache* cache;
  PlanPointer plan;
};

PyTypeObject* boundPlanType = nullptr;

constinit InternedName planOutputsName("outputs");

PyMemberDef boundPlanMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(BoundPlan, vectorCall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

constexpr const char* kBoundPlanDoc =
    R"(What runs a fusion with the least overhead, made by ``FusionDefinition.bind(inputs)``.

``plan(*inputs, outputs=None)`` makes the same checks and returns the same list as
``fd.execute(inputs, outputs=outputs)``, for inputs of any signature; it is fastest for those like the
last ones.)";

PyObject* callBoundPlan(PyObject* object, PyObject* const* given, size_t count,
                        PyObject* keywords) {
  PyObject* results = withPythonErrors([&] {
    auto& self = *reinterpret_cast<BoundPlan*>(object);
    const auto inputCount = static_cast<size_t>(NB_VECTORCALL_NARGS(count));
    PyObject* outputs = Py_None;
    if (keywords != nullptr) {
      const Py_ssize_t keywordCount = PyTuple_Size(keywords);
      for (Py_ssize_t i = 0; i < keywordCount; ++i) {
        PyObject* name = PyTuple_GetItem(keywords, i);
        if (!isName(name, planOutputsName.get())) {
          raiseTypeError(std::string("BoundPlan() got an unexpected keyword argument '") +
                         textOf(name) + "'");
        }
        outputs = given[inputCount + static_cast<size_t>(i)];
      }
    }
    if (torchInterop.isRecording()) [[unlikely]] {
      nb::list inputs;
      for (size_t i = 0; i < inputCount; ++i) {
        inputs.append(nb::handle(given[i]));
      }
      return recordExecutor(self.cacheObject, inputs, nb::none(), outputs, false);
    }
    CallArguments arguments;
    arguments.addAll(given, inputCount);
    return runExecutor(*self.cache, self.plan, arguments, outputs, nullptr);
  });
  if (results == nullptr) [[unlikely]] {
    explainError(reinterpret_cast<BoundPlan*>(object)->cacheObject);
  }
  return results;
}

// For callers that do not use the vector call protocol.
PyObject* callBoundPlanWithTuple(PyObject* object, PyObject* positional, PyObject* keywords) {
  return withPythonErrors([&] {
    std::vector<PyObject*> arguments;
    for (Py_ssize_t i = 0; i < PyTuple_Size(positional); ++i) {
      arguments.push_back(PyTuple_GetItem(positional, i));
    }
    const size_t count = arguments.size();
    nb::object names;
    if (keywords != nullptr && PyDict_Size(keywords) > 0) {
      nb::list list;
      PyObject* name = nullptr;
      PyObject* value = nullptr;
      for (Py_ssize_t place = 0; PyDict_Next(keywords, &place, &name, &value) != 0;) {
        list.append(nb::handle(name));
        arguments.push_back(value);
      }
      names = nb::tuple(list);
    }
    return callBoundPlan(object, arguments.data(), count, names.ptr());
  });
}

void deallocateBoundPlan(PyObject* object) {
  auto* self = reinterpret_cast<BoundPlan*>(object);
  PyTypeObject* type = Py_TYPE(object);
  std::destroy_at(&self->plan);
  Py_XDECREF(self->cacheObject);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

}  // namespace

void bindBoundPlan(nb::module_& module) {
  PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(&callBoundPlanWithTuple)},
                         {Py_tp_dealloc, reinterpret_cast<void*>(&deallocateBoundPlan)},
                         {Py_tp_members, boundPlanMembers},
                         {Py_tp_doc, const_cast<char*>(kBoundPlanDoc)},
                         {0, nullptr}};
  PyType_Spec spec = {"nvfuser._C.BoundPlan", sizeof(BoundPlan), 0,
                      Py_TPFLAGS_DEFAULT | kHaveVectorCall | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      slots};
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) {
    throw nb::python_error();
  }
  boundPlanType = reinterpret_cast<PyTypeObject*>(type);
  module.attr("BoundPlan") = nb::handle(type);
}

nb::object makeBoundPlan(nb::handle_t<ExecutorCache> executor, nb::handle inputs) {
  ExecutorCache& cache = executorOf(executor.ptr());
  CallArguments arguments;
  arguments.addAll(inputs.ptr());
  ExecuteOptions options;
  options.device = deviceWithoutArrays(arguments.values());
  PlanPointer plan = planFor(cache, arguments.values(), options);
  const auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(boundPlanType, Py_tp_alloc));
  PyObject* object = allocate(boundPlanType, 0);
  if (object == nullptr) {
    throw nb::python_error();
  }
  auto* self = reinterpret_cast<BoundPlan*>(object);
  std::construct_at(&self->plan, std::move(plan));
  self->vectorCall = &callBoundPlan;
  self->cache = &cache;
  self->cacheObject = executor.inc_ref().ptr();
  return nb::steal(object);
}

}  // namespace nvfuser
