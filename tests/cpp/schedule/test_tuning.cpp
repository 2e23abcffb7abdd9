// The rows of the tables for other architectures.

#include <gtest/gtest.h>

#include <algorithm>

#include "schedule/tuning/rows.h"
#include "schedule/tuning/tuning.h"

namespace nvfuser {
namespace {

Target cpuOf(const char* architecture) {
  Target target = cpuTarget({});
  target.architecture = architecture;
  return target;
}

TEST(TuningRows, HaveNamesOfTheTablesAndSayWhatJustifiesThem) {
  for (const char* architecture : {"aarch64"}) {
    const std::vector<TuningEntry> entries = describeTuning(cpuOf(architecture));
    for (const tuning::Change& change : tuning::rowOf(architecture)) {
      const auto entry = std::ranges::find(entries, change.name, &TuningEntry::name);
      ASSERT_NE(entry, entries.end()) << change.name;
      EXPECT_EQ(entry->value, change.value);
      EXPECT_STREQ(entry->evidence, change.evidence);
    }
  }
}

TEST(TuningRows, OthersHaveTheTables) {
  EXPECT_TRUE(tuning::rowOf("x86-64").empty());
  const CpuTuning table;
  EXPECT_EQ(tuningFor(cpuOf("riscv64")).cpu.resultRowBytesMost, table.resultRowBytesMost);
  EXPECT_NE(tuningFor(cpuOf("aarch64")).cpu.resultRowBytesMost, table.resultRowBytesMost);
}

TEST(TuningRows, WhatATestPutsInPlaceCounts) {
  tuningOverrides().set({{"cpu.resultRowBytesMost", 7}});
  EXPECT_EQ(tuningFor(cpuOf("aarch64")).cpu.resultRowBytesMost, 7);
  tuningOverrides().set({});
}

}  // namespace
}  // namespace nvfuser
