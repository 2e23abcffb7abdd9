#include "core/options.h"

#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "core/error.h"
#include "core/text.h"

namespace nvfuser {

namespace {

constexpr std::array kTable{
#define NVF_OPTION(name, effect) OptionInfo{OptionKind::Enable, #name, effect},
    NVF_ENABLE_OPTIONS(NVF_OPTION)
#undef NVF_OPTION
#define NVF_OPTION(name) OptionInfo{OptionKind::Enable, #name, ""},
        NVF_ENABLE_OPTIONS_WITHOUT_EFFECT(NVF_OPTION)
#undef NVF_OPTION
#define NVF_OPTION(name, effect) OptionInfo{OptionKind::Disable, #name, effect},
            NVF_DISABLE_OPTIONS(NVF_OPTION)
#undef NVF_OPTION
#define NVF_OPTION(name) OptionInfo{OptionKind::Disable, #name, ""},
                NVF_DISABLE_OPTIONS_WITHOUT_EFFECT(NVF_OPTION)
#undef NVF_OPTION
#define NVF_OPTION(name, effect) OptionInfo{OptionKind::Dump, #name, effect},
                    NVF_DUMP_OPTIONS(NVF_OPTION)
#undef NVF_OPTION
#define NVF_OPTION(name) OptionInfo{OptionKind::Dump, #name, ""},
                        NVF_DUMP_OPTIONS_WITHOUT_EFFECT(NVF_OPTION)
#undef NVF_OPTION
#define NVF_OPTION(name, effect) OptionInfo{OptionKind::Debug, #name, effect},
                            NVF_DEBUG_OPTIONS(NVF_OPTION)
#undef NVF_OPTION
#define NVF_OPTION(name, text, effect) OptionInfo{OptionKind::Profile, text, effect},
                                NVF_PROFILE_OPTIONS(NVF_OPTION)
#undef NVF_OPTION
};
static_assert(kTable.size() == static_cast<size_t>(Option::Count));

thread_local const OptionSet* inForce = nullptr;

std::string knownNames(OptionKind kind) {
  std::string names;
  for (const OptionInfo& option : kTable) {
    if (option.kind == kind) {
      names.append(names.empty() ? "" : ", ").append(option.name);
    }
  }
  return names;
}

void add(OptionSet& set, OptionKind kind, std::string_view name, const char* what) {
  for (size_t i = 0; i < kTable.size(); ++i) {
    if (kTable[i].kind == kind && kTable[i].name == name) {
      set.set(i);
      return;
    }
  }
  fail("Unrecognized ", what, ": ", name, ". There are: ", knownNames(kind));
}

// "a, b(1,2), c": the names. No option has a use for arguments.
void addList(OptionSet& set, OptionKind kind, std::string_view text) {
  const std::string what = concatenate("option in ", variableOf(kind));
  while (!text.empty()) {
    const size_t end = text.find_first_of(",(");
    const std::string_view name = trimmed(text.substr(0, end));
    size_t next = end;
    if (end != std::string_view::npos && text[end] == '(') {
      const size_t close = text.find(')', end);
      NVF_CHECK(close != std::string_view::npos, "Expected a ')' behind the arguments of ", name,
                " in ", variableOf(kind));
      next = text.find(',', close);
      NVF_CHECK(
          trimmed(text.substr(close + 1, next == std::string_view::npos ? next : next - close - 1))
              .empty(),
          "Expected a comma behind the arguments of ", name, " in ", variableOf(kind));
    }
    // `help` is answered when the package is imported.
    if (!name.empty() && name != "help") {
      add(set, kind, name, what.c_str());
    }
    text = next == std::string_view::npos ? std::string_view() : text.substr(next + 1);
  }
}

OptionSet readEnvironment() {
  OptionSet set;
  for (const OptionKind kind : {OptionKind::Enable, OptionKind::Disable, OptionKind::Dump,
                                OptionKind::Debug, OptionKind::Profile}) {
    if (const char* text = std::getenv(variableOf(kind)); text != nullptr) {
      addList(set, kind, text);
    }
  }
  // The older way to say it.
  if (std::getenv("NVFUSER_DISABLE_FALLBACK") != nullptr) {
    set.set(static_cast<size_t>(Option::disable_fallback));
  }
  return set;
}

}  // namespace

std::span<const OptionInfo> optionTable() { return kTable; }

const char* variableOf(OptionKind kind) {
  switch (kind) {
    case OptionKind::Enable:
      return "NVFUSER_ENABLE";
    case OptionKind::Disable:
      return "NVFUSER_DISABLE";
    case OptionKind::Dump:
      return "NVFUSER_DUMP";
    case OptionKind::Debug:
      return "NVFUSER_DEBUG";
    case OptionKind::Profile:
      break;
  }
  return "NVFUSER_PROF";
}

const OptionSet& environmentOptions() {
  static const OptionSet options = readEnvironment();
  return options;
}

OptionSet withOptions(const std::vector<std::string>& enable,
                      const std::vector<std::string>& disable) {
  OptionSet set = environmentOptions();
  for (const std::string& name : enable) {
    add(set, OptionKind::Enable, name, "enable_option");
  }
  for (const std::string& name : disable) {
    add(set, OptionKind::Disable, name, "disable_option");
  }
  return set;
}

OptionSet compilationOptions(const OptionSet& options) {
  static const OptionSet relevant = [] {
    OptionSet set;
    for (size_t i = 0; i < kTable.size(); ++i) {
      const bool isCompilation =
          kTable[i].kind == OptionKind::Enable || kTable[i].kind == OptionKind::Disable;
      set.set(i, isCompilation && !kTable[i].effect.empty());
    }
    return set;
  }();
  return options & relevant;
}

bool isOn(Option option) {
  return contains(inForce != nullptr ? *inForce : environmentOptions(), option);
}

OptionScope::OptionScope(const OptionSet& options) : previous_(inForce) { inForce = &options; }

OptionScope::~OptionScope() { inForce = previous_; }

void printDump(const std::string& title, const std::string& text) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::printf("======= %s =======\n%s%s", title.c_str(), text.c_str(),
              text.ends_with('\n') ? "" : "\n");
  std::fflush(stdout);
}

}  // namespace nvfuser
