// What Python's executors hold, and one call of them.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <memory>
#include <new>
#include <vector>

#include "arguments.h"
#include "core/error.h"
#include "interpreter_lock.h"
#include "runtime/executor_cache.h"
#include "runtime/profile.h"

namespace nvfuser {

namespace nb = nanobind;

using PlanPointer = std::shared_ptr<const LaunchPlan>;

struct ExecutorCache {
  ExecutorCache(std::shared_ptr<Fusion> fusion, int64_t fusionId, bool autoSchedule);

  FusionExecutorCache cache;
  // Of the last call without options: compared first. Guarded by the interpreter's lock.
  PlanPointer lastPlan;
  // Of the last run that was profiled.
  PlanPointer profiledPlan;
  FusionProfile profile;
  // Positions of the inputs that are updated in place.
  std::vector<size_t> writtenInputs;
  // Where it was defined, for messages: the CallSites that the fusion's object had, or invalid.
  nb::object sites;
};

// Runs the fusion and returns a new reference to the list of outputs; raises C++ exceptions.
// `last` is the plan to try first and, without options, takes over the one that was used.
PyObject* runExecutor(ExecutorCache& self, PlanPointer& last, const CallArguments& arguments,
                      PyObject* outputs, const ExecuteOptions* options);

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
