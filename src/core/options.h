// Options of the environment and of single calls: what is compiled differently, and what is
// printed.
#pragma once

#include <bitset>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compat/options.h"
#include "core/option_table.h"

namespace nvfuser {

enum class OptionKind : uint8_t { Enable, Disable, Dump, Debug, Profile };

// enable_fuse_matmul, dump_kernel_ir and so on.
enum class Option : uint8_t {
#define NVF_OPTION(name, effect) enable_##name,
  NVF_ENABLE_OPTIONS(NVF_OPTION)
#undef NVF_OPTION
#define NVF_OPTION(name) enable_##name,
      NVF_ENABLE_OPTIONS_WITHOUT_EFFECT(NVF_OPTION)
#undef NVF_OPTION
#define NVF_OPTION(name, effect) disable_##name,
          NVF_DISABLE_OPTIONS(NVF_OPTION)
#undef NVF_OPTION
#define NVF_OPTION(name) disable_##name,
              NVF_DISABLE_OPTIONS_WITHOUT_EFFECT(NVF_OPTION)
#undef NVF_OPTION
#define NVF_OPTION(name, effect) dump_##name,
                  NVF_DUMP_OPTIONS(NVF_OPTION)
#undef NVF_OPTION
#define NVF_OPTION(name) dump_##name,
                      NVF_DUMP_OPTIONS_WITHOUT_EFFECT(NVF_OPTION)
#undef NVF_OPTION
#define NVF_OPTION(name, effect) debug_##name,
                          NVF_DEBUG_OPTIONS(NVF_OPTION)
#undef NVF_OPTION
#define NVF_OPTION(name, text, effect) profile_##name,
                              NVF_PROFILE_OPTIONS(NVF_OPTION)
#undef NVF_OPTION
                                  Count
};

struct OptionInfo {
  OptionKind kind;
  std::string_view name;
  // Empty: none.
  std::string_view effect;
};
// In the order of Option.
std::span<const OptionInfo> optionTable();
// NVFUSER_ENABLE and so on.
const char* variableOf(OptionKind kind);

using OptionSet = std::bitset<static_cast<size_t>(Option::Count)>;

inline bool contains(const OptionSet& set, Option option) {
  return set[static_cast<size_t>(option)];
}

// Those of the environment, which is read at the first call; raises, naming those that there are,
// when a name is not among them.
const OptionSet& environmentOptions();
// Those and the ones that a call names; raises likewise.
OptionSet withOptions(const std::vector<std::string>& enable,
                      const std::vector<std::string>& disable);
// What of a set makes a difference for what is compiled.
OptionSet compilationOptions(const OptionSet& options);

// Whether an option is in force on this thread: that of the innermost scope, else of the
// environment.
bool isOn(Option option);

// Puts a set in force on this thread, which outlives the scope.
class OptionScope {
 public:
  explicit OptionScope(const OptionSet& options);
  ~OptionScope();
  OptionScope(const OptionScope&) = delete;
  OptionScope& operator=(const OptionScope&) = delete;

 private:
  const OptionSet* previous_;
};

// Prints what a dump option asks for, below a line that says what it is.
void printDump(const std::string& title, const std::string& text);

}  // namespace nvfuser
