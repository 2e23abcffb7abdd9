// What Python's executors hold, and one call of them.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <memory>
#include <new>
#include <vector>

#include "bindings/call/arguments.h"
#include "bindings/support/interpreter_lock.h"
#include "core/error.h"
#include "runtime/executor_cache.h"
#include "runtime/profile.h"

namespace nvfuser {

namespace nb = nanobind;

using PlanPointer = std::shared_ptr<const LaunchPlan>;

struct ExecutorCache {
  ExecutorCache(std::shared_ptr<Fusion> fusion, int64_t fusionId, bool autoSchedule,
                const multidevice::Layouts& layouts = {});

  FusionExecutorCache cache;
  // Of the last call without options: compared first. Guarded by the interpreter's lock.
  PlanPointer lastPlan;
  // Of the last run that was profiled.
  PlanPointer profiledPlan;
  FusionProfile profile;
  // Of no other one in this process.
  const int64_t serial = ++created;
  // Positions of the inputs that are updated in place.
  std::vector<size_t> writtenInputs;
  // Where it was defined, for messages: the CallSites that the fusion's object had, or invalid.
  nb::object sites;

 private:
  inline static int64_t created = 0;
};

// Runs the fusion and returns a new reference to the list of outputs; raises C++ exceptions.
// `last` is the plan to try first and, without options, takes over the one that was used.
PyObject* runExecutor(ExecutorCache& self, PlanPointer& last, const CallArguments& arguments,
                      PyObject* outputs, const ExecuteOptions* options);

// The plan that a run of these arguments would take.
PlanPointer planWithoutRun(ExecutorCache& self, const CallArguments& arguments,
                           ExecuteOptions options = {});

// A call of FusionExecutorCache.execute, whether or not torch records what is called.
nb::object executeDirectly(nb::handle executor, nb::handle inputs, nb::handle device,
                           nb::handle outputs);

// The tensors that an operation of torch computes: the outputs of a run by the same function, each
// in memory of its own and as output_geometry.cpp says, with the new values of what the fusion
// updates behind them. `inputs` are all of them in order.
nb::object runAsFunction(nb::handle executor, const std::vector<PyObject*>& inputs,
                         nb::handle device);

// What torch's dispatcher needs, see nvfuser/torch_operator.py.
void bindTorchOperator(nb::module_& module);
void bindOutputGeometry(nb::module_& module);

// The same while torch records what is called: by an operator of torch, see
// nvfuser/torch_operator.py. `executor` is the FusionExecutorCache.
PyObject* recordExecutor(nb::handle executor, nb::handle inputs, nb::handle device,
                         nb::handle outputs, bool hasOptions);

// Of an object that Python has found to be a FusionExecutorCache.
ExecutorCache& executorOf(PyObject* object);

// Lets a FusionDefinition or FusionExecutorCache say more in the exception that is raised; one in
// there replaces it.
void explainError(PyObject* owner);

// FusionExecutorCache.execute, for the slots of its type.
extern PyMethodDef executeMethods[];

// The type Executable, with FusionDefinition.execute.
void bindExecutable(nb::module_& module);

// The protocol of vector calls (PEP 590). The flag and the functions that serve it are in the
// stable ABI from 3.12 on, but the flag's value and the protocol have been the same since 3.9; that
// of the flag for callables that take `self` without being bound since 3.8.
using VectorCall = PyObject* (*)(PyObject*, PyObject* const*, size_t, PyObject*);
constexpr unsigned long kHaveVectorCall = 1UL << 11;
constexpr unsigned long kIsMethodDescriptor = 1UL << 17;

// A text for each executor, and none for null: what Dynamo tells fusions apart by.
nb::object identityOf(const ExecutorCache* cache);

// A type of vector calls, with their offset among the members in `slots`, that inherits from the
// class `base` of nvfuser/traced.py; and an object of it, a new reference, to be filled in. `name`,
// a literal, begins with that of the module.
nb::object makeTracedType(const char* name, size_t size, unsigned long flags, PyType_Slot* slots,
                          const char* base);
PyObject* allocateObject(nb::handle type);

// The type BoundPlan, and one that is bound to inputs like these.
void bindBoundPlan(nb::module_& module);
nb::object makeBoundPlan(nb::handle_t<ExecutorCache> executor, nb::handle inputs);

// The cache locks while it compiles, and compiling needs the interpreter: waiting for that lock
// with the interpreter's held would be a deadlock.
template <typename Fn>
auto unlocked(Fn&& fn) {
  const WithoutInterpreter released;
  return fn();
}

// For functions that Python calls without nanobind in between.
template <typename Fn>
PyObject* withPythonErrors(Fn&& fn) noexcept {
  try {
    return fn();
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const NotSupportedError& error) {
    PyErr_SetString(PyExc_NotImplementedError, error.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (EndOfThread&) {
    waitForTheEnd();
  }
  return nullptr;
}

// Keywords that Python code writes down are interned: comparing addresses nearly always suffices.
inline bool isName(PyObject* given, PyObject* known) {
  return given == known || PyUnicode_Compare(given, known) == 0;
}

[[noreturn]] void raiseTypeError(const std::string& message);

}  // namespace nvfuser
