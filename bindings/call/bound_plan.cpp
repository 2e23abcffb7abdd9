// BoundPlan: the callable that runs a fusion with the least overhead.

#include <nanobind/nanobind.h>
#include <structmember.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "bindings/call/arguments.h"
#include "bindings/call/executor.h"
#include "bindings/support/kept_forever.h"
#include "bindings/torch/torch_interop.h"

namespace nvfuser {

namespace {

// Not a nanobind class: those have no place for the pointer that makes vector calls of instances
// possible.
struct BoundPlan {
  PyObject_HEAD VectorCall vectorCall;
  // Keeps `cache` alive.
  PyObject* cacheObject;
  ExecutorCache* cache;
  PlanPointer plan;
};

PyObject* boundPlanType = nullptr;

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

void deallocateBoundPlan(PyObject* object) {
  auto* self = reinterpret_cast<BoundPlan*>(object);
  PyTypeObject* type = Py_TYPE(object);
  std::destroy_at(&self->plan);
  Py_XDECREF(self->cacheObject);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

PyObject* getBoundExecutor(PyObject* object, void* /*closure*/) {
  return nb::borrow(reinterpret_cast<BoundPlan*>(object)->cacheObject).release().ptr();
}

PyObject* getBoundIdentity(PyObject* object, void* /*closure*/) {
  return identityOf(reinterpret_cast<BoundPlan*>(object)->cache).release().ptr();
}

PyGetSetDef boundPlanProperties[] = {
    {"_identity", &getBoundIdentity, nullptr, "Of the executor.", nullptr},
    {"_executor", &getBoundExecutor, nullptr, "The FusionExecutorCache.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

void bindBoundPlan(nb::module_& module) {
  PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(&deallocateBoundPlan)},
                         {Py_tp_members, boundPlanMembers},
                         {Py_tp_getset, boundPlanProperties},
                         {Py_tp_doc, const_cast<char*>(kBoundPlanDoc)},
                         {0, nullptr}};
  const nb::object type =
      makeTracedType("nvfuser._C.BoundPlan", sizeof(BoundPlan), 0, slots, "Callable");
  boundPlanType = type.inc_ref().ptr();
  module.attr("BoundPlan") = type;
}

nb::object makeBoundPlan(nb::handle_t<ExecutorCache> executor, nb::handle inputs) {
  ExecutorCache& cache = executorOf(executor.ptr());
  CallArguments arguments;
  arguments.addAll(inputs.ptr());
  PlanPointer plan = planWithoutRun(cache, arguments);
  PyObject* object = allocateObject(boundPlanType);
  auto* self = reinterpret_cast<BoundPlan*>(object);
  std::construct_at(&self->plan, std::move(plan));
  self->vectorCall = &callBoundPlan;
  self->cache = &cache;
  self->cacheObject = executor.inc_ref().ptr();
  return nb::steal(object);
}

}  // namespace nvfuser
