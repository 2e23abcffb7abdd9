// What kernels are compiled and launched with.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.h"
#include "bindings/compat/no_effect.h"
#include "core/error.h"
#include "runtime/heuristic_params.h"
#include "runtime/kernel_params.h"

namespace nvfuser {

namespace {

struct MmaMacroEncode {
  MmaMacroEncode(MmaMacroArch arch, int64_t m, int64_t n, int64_t k) : macro{arch, m, n, k} {}
  MmaMacro macro;
};

std::optional<DataType> checkedIndexType(std::optional<DataType> type) {
  NVF_CHECK(!type || type == DataType::Int || type == DataType::Int32,
            "Expected index_type to be DataType.Int, DataType.Int32 or None but got ", *type);
  return type;
}

void bindLaunchParams(nb::module_& module) {
  nb::class_<LaunchParams>(module, "LaunchParams", R"(Blocks and threads of a launch.

Parameters
----------
gdimx, gdimy, gdimz : int
    Blocks along each direction; -1 stands for what the schedule needs.
bdimx, bdimy, bdimz : int
    Threads of a block along each direction, likewise.)")
      .def(nb::init<>())
      .def(
          "__init__",
          [](LaunchParams* self, int64_t gx, int64_t gy, int64_t gz, int64_t bx, int64_t by,
             int64_t bz) { new (self) LaunchParams{gx, gy, gz, bx, by, bz}; },
          nb::arg("gdimx"), nb::arg("gdimy"), nb::arg("gdimz"), nb::arg("bdimx"), nb::arg("bdimy"),
          nb::arg("bdimz"))
      .def_rw("gdimx", &LaunchParams::gdimx, "Blocks along x.")
      .def_rw("gdimy", &LaunchParams::gdimy, "Blocks along y.")
      .def_rw("gdimz", &LaunchParams::gdimz, "Blocks along z.")
      .def_rw("bdimx", &LaunchParams::bdimx, "Threads of a block along x.")
      .def_rw("bdimy", &LaunchParams::bdimy, "Threads of a block along y.")
      .def_rw("bdimz", &LaunchParams::bdimz, "Threads of a block along z.")
      .def(
          "__eq__", [](const LaunchParams& a, const LaunchParams& b) { return a == b; },
          nb::is_operator())
      .def("__repr__", [](const LaunchParams& self) { return toString(self); });
}

// Keeps what is given, and warns where that is something new.
template <typename Value>
void setWithoutEffect(std::string_view name, Value& field, Value given) {
  warnUnlessDefault(name, given, field);
  field = std::move(given);
}

#define NVF_WITHOUT_EFFECT(type, owner, name, field)                                            \
  .def_prop_rw(                                                                                 \
      #name, [](const type& self) { return self.field; },                                       \
      [](type& self, Assigned<decltype(type::field)> given) {                                   \
        setWithoutEffect<decltype(type::field)>(owner "." #name, self.field, std::move(given)); \
      },                                                                                        \
      "Without effect.")

void bindCompileParams(nb::module_& module) {
  nb::class_<CompileParams>(module, "CompileParams", R"(How a kernel is compiled.

Parameters
----------
index_type : DataType, optional
    Of indices: ``Int`` or ``Int32``; None stands for the narrowest that the sizes allow.
maxrregcount : int
    Accepted, without effect: the compiler chooses for blocks of up to 1024 threads.
enable_magic_zero, enable_ptxas_verbose : bool
    Accepted, without effect.
device : int, optional
    The index of the CUDA device; None stands for that of the inputs.
include_paths : list of str
    Accepted, without effect: kernels include nothing.)")
      .def(
          "__init__",
          [](CompileParams* self, std::optional<DataType> indexType, int64_t maxrregcount,
             Flag enableMagicZero, Flag enablePtxasVerbose, std::optional<int64_t> device,
             std::vector<std::string> includePaths) {
            new (self) CompileParams();
            self->indexType = checkedIndexType(indexType);
            self->device = device;
            setWithoutEffect("CompileParams.maxrregcount", self->maxrregcount, maxrregcount);
            setWithoutEffect<bool>("CompileParams.enable_magic_zero", self->enableMagicZero,
                                   enableMagicZero);
            setWithoutEffect<bool>("CompileParams.enable_ptxas_verbose", self->enablePtxasVerbose,
                                   enablePtxasVerbose);
            setWithoutEffect("CompileParams.include_paths", self->includePaths,
                             std::move(includePaths));
          },
          nb::kw_only(), nb::arg("index_type") = nb::none(), nb::arg("maxrregcount") = 255,
          nb::arg("enable_magic_zero") = true, nb::arg("enable_ptxas_verbose") = false,
          nb::arg("device") = nb::none(), nb::arg("include_paths") = nb::list())
      .def_prop_rw(
          "index_type", [](const CompileParams& self) { return self.indexType; },
          [](CompileParams& self, std::optional<DataType> type) {
            self.indexType = checkedIndexType(type);
          },
          nb::for_setter(nb::arg("index_type").none()), "The dtype of indices.")
          NVF_WITHOUT_EFFECT(CompileParams, "CompileParams", maxrregcount, maxrregcount)
              NVF_WITHOUT_EFFECT(CompileParams, "CompileParams", enable_magic_zero, enableMagicZero)
                  NVF_WITHOUT_EFFECT(CompileParams, "CompileParams", enable_ptxas_verbose,
                                     enablePtxasVerbose)
      .def_rw("device", &CompileParams::device, nb::arg("device").none(),
              "The index of the CUDA device.")
          NVF_WITHOUT_EFFECT(CompileParams, "CompileParams", include_paths, includePaths)
      .def(
          "__eq__", [](const CompileParams& a, const CompileParams& b) { return a == b; },
          nb::is_operator())
      .def("__repr__", [](const CompileParams& self) { return toString(self); });
}

// X-macros of heuristic_params.h.
#define NVF_ATTRIBUTE(type, name, value) .def(Attribute(#name, &Params::name))
#define NVF_KEPT_POINTWISE(type, name, value) \
  NVF_WITHOUT_EFFECT(Params, "PointwiseParams", name, name)
#define NVF_KEPT_REDUCTION(type, name, value) \
  NVF_WITHOUT_EFFECT(Params, "ReductionParams", name, name)

void bindHeuristicParams(nb::module_& module) {
  nb::class_<HeuristicParams>(module, "HeuristicParams",
                              "What a scheduler chose, and what a user makes of it.")
      .def_rw("lparams", &HeuristicParams::lparams, "Constraints of the launch.")
      .def_rw("cparams", &HeuristicParams::cparams, "How the kernel is compiled.")
      .def_ro("scheduler_type", &HeuristicParams::type, "The scheduler that they are for.")
      .def("hash", &HeuristicParams::hash, "Return a hash, equal for equal parameters.")
      .def("__hash__", &HeuristicParams::hash)
      .def(
          "__eq__", [](const HeuristicParams& a, const HeuristicParams& b) { return a == b; },
          nb::is_operator())
      .def("__repr__", [](const HeuristicParams& self) { return self.toString(); });

  {
    using Params = PointwiseParams;
    nb::class_<Params, HeuristicParams>(module, "PointwiseParams",
                                        R"(Parameters of the scheduler for element-wise fusions.

On CUDA, `vectorization_factor` (elements of an access) and `unroll_factor_outer` (accesses in flight)
are what the scheduler chose, and change it; `split_block` and `break_point` tell whether a block has
threads in several rows. The other attributes keep what is written to them, without effect, and so do
all on the CPU, where LLVM vectorizes.)")
        .def(nb::init<>()) NVF_POINTWISE_PARAMS(NVF_ATTRIBUTE, NVF_KEPT_POINTWISE);
  }
  {
    using Params = ReductionParams;
    nb::class_<Params, HeuristicParams>(
        module, "ReductionParams",
        R"(Parameters of the schedulers for reductions and normalizations.

`fastest_dim` tells whether the innermost dimension is reduced, `persistent_kernel` whether its rows
are kept on the way. On CUDA these are what the scheduler chose, and change it: of reductions of the
innermost dimension `unroll_factor_inner_reduction`, `vectorize_inner_reduction`,
`unroll_factor_top_of_vectorization`, `batches_per_block_inner_reduction` and
`cross_grid_inner_reduction`; of others `unroll_factor_iter_dom`, `vectorize_iter_dom`,
`unroll_factor_outer_reduction` and `cross_grid_outer_reduction`. The parallel types tell how the loops
run. The other attributes keep what is written to them, without effect.)")
        .def(nb::init<>()) NVF_REDUCTION_PARAMS(NVF_ATTRIBUTE, NVF_KEPT_REDUCTION);
  }
}

void bindMatmulParams(nb::module_& module) {
  nb::class_<GemmTile>(module, "GemmTile", "The size of a tile of a matrix product.")
      .def(nb::init<int64_t, int64_t, int64_t>(), nb::arg("m"), nb::arg("n"), nb::arg("k"))
      .def_rw("m", &GemmTile::m)
      .def_rw("n", &GemmTile::n)
      .def_rw("k", &GemmTile::k)
      .def("__repr__", [](const GemmTile& self) { return toString(self); });
  nb::class_<MatMulTileOptions>(module, "MatMulTileOptions", "The tiles of blocks and warps.")
      .def(nb::init<>())
      .def(nb::init<GemmTile, GemmTile>(), nb::arg("cta_tile"), nb::arg("warp_tile"))
      .def_rw("cta_tile", &MatMulTileOptions::cta_tile)
      .def_rw("warp_tile", &MatMulTileOptions::warp_tile)
      .def("__repr__", [](const MatMulTileOptions& self) { return toString(self); });
  nb::class_<CircularBufferOptions>(module, "CircularBufferOptions", "How tiles are loaded ahead.")
      .def(nb::init<>())
      .def(nb::init<Flag, Flag, int64_t, int64_t>(), nb::arg("circular_buffer_smem_write"),
           nb::arg("circular_buffer_smem_read"), nb::arg("smem_circular_buffer_stage"),
           nb::arg("smem_circular_buffer_prefetch_gap"))
      .def(Attribute("circular_buffer_smem_write",
                     &CircularBufferOptions::circular_buffer_smem_write))
      .def(
          Attribute("circular_buffer_smem_read", &CircularBufferOptions::circular_buffer_smem_read))
      .def_rw("smem_circular_buffer_stage", &CircularBufferOptions::smem_circular_buffer_stage)
      .def_rw("smem_circular_buffer_prefetch_gap",
              &CircularBufferOptions::smem_circular_buffer_prefetch_gap)
      .def("__repr__", [](const CircularBufferOptions& self) { return toString(self); });
  nb::class_<SupportedVectorization>(module, "SupportedVectorization",
                                     "Elements of an access to the operands and the result.")
      .def(nb::init<>())
      .def(nb::init<int64_t, int64_t, int64_t>(), nb::arg("a"), nb::arg("b"), nb::arg("epilogue"))
      .def_rw("a", &SupportedVectorization::a)
      .def_rw("b", &SupportedVectorization::b)
      .def_rw("epilogue", &SupportedVectorization::epilogue)
      .def("__repr__", [](const SupportedVectorization& self) { return toString(self); });
  nb::class_<ClusterDims>(module, "ClusterDims", "Blocks of a cluster.")
      .def(nb::init<>())
      .def(nb::init<int64_t, int64_t>(), nb::arg("m"), nb::arg("n"))
      .def_rw("m", &ClusterDims::m)
      .def_rw("n", &ClusterDims::n)
      .def("__repr__", [](const ClusterDims& self) { return toString(self); });
  nb::class_<MmaMacro>(module, "MmaMacro", "A matrix instruction.")
      .def_rw("arch", &MmaMacro::arch)
      .def_rw("m", &MmaMacro::m)
      .def_rw("n", &MmaMacro::n)
      .def_rw("k", &MmaMacro::k)
      .def("__repr__", [](const MmaMacro& self) { return toString(self); });
  nb::class_<MmaMacroEncode>(module, "MmaMacroEncode", "The parts of a matrix instruction's name.")
      .def(nb::init<MmaMacroArch, int64_t, int64_t, int64_t>(), nb::arg("arch"), nb::arg("m"),
           nb::arg("n"), nb::arg("k"))
      .def(
          "mma_macro", [](const MmaMacroEncode& self) { return self.macro; },
          "Return the instruction.")
      .def_prop_rw(
          "arch", [](const MmaMacroEncode& self) { return self.macro.arch; },
          [](MmaMacroEncode& self, MmaMacroArch arch) { self.macro.arch = arch; })
      .def_prop_rw(
          "m", [](const MmaMacroEncode& self) { return self.macro.m; },
          [](MmaMacroEncode& self, int64_t m) { self.macro.m = m; })
      .def_prop_rw(
          "n", [](const MmaMacroEncode& self) { return self.macro.n; },
          [](MmaMacroEncode& self, int64_t n) { self.macro.n = n; })
      .def_prop_rw(
          "k", [](const MmaMacroEncode& self) { return self.macro.k; },
          [](MmaMacroEncode& self, int64_t k) { self.macro.k = k; })
      .def("__repr__", [](const MmaMacroEncode& self) { return toString(self.macro); });
  using Params = MatmulParams;
  nb::class_<Params, HeuristicParams>(module, "MatmulParams",
                                      R"(Parameters of matrix products.

Accepted, without effect: matrix products are library calls.)")
      .def(nb::init<>()) NVF_MATMUL_PARAMS(NVF_ATTRIBUTE);
}

#undef NVF_ATTRIBUTE
#undef NVF_KEPT_POINTWISE
#undef NVF_KEPT_REDUCTION
#undef NVF_WITHOUT_EFFECT

}  // namespace

void bindParams(nb::module_& module) {
  bindLaunchParams(module);
  bindCompileParams(module);
  bindHeuristicParams(module);
  bindMatmulParams(module);
}

}  // namespace nvfuser
