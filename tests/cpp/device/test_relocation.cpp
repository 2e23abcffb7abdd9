// Relocations: what is written into instructions, for machines that need not be this one.

#include <elf.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "core/error.h"
#include "device/cpu/relocation.h"

namespace nvfuser::cpu {
namespace {

// A page of memory, so that distances to `place` are known.
struct Code {
  alignas(4096) unsigned char bytes[4096] = {};

  uint64_t address(uint64_t offset = 0) const { return reinterpret_cast<uint64_t>(bytes) + offset; }
  uint32_t relocated(uint16_t machine, uint32_t type, uint32_t instruction, uint64_t target) {
    std::memcpy(bytes + 8, &instruction, sizeof instruction);
    relocate(machine, type, bytes + 8, target);
    std::memcpy(&instruction, bytes + 8, sizeof instruction);
    return instruction;
  }
};

TEST(Relocation, X86Distances) {
  Code code;
  for (const uint32_t type : {R_X86_64_PC32, R_X86_64_PLT32, R_X86_64_GOTPCREL}) {
    EXPECT_EQ(code.relocated(EM_X86_64, type, 0, code.address(0x108)), 0x100U);
    EXPECT_EQ(code.relocated(EM_X86_64, type, 0, code.address(8) - 4), 0xfffffffcU);
    EXPECT_EQ(code.relocated(EM_X86_64, type, 0, code.address(8) + 0x7fffffff), 0x7fffffffU);
    EXPECT_THROW(code.relocated(EM_X86_64, type, 0, code.address(8) + 0x80000000), Error);
    EXPECT_THROW(code.relocated(EM_X86_64, type, 0, code.address(8) - 0x80000001), Error);
  }
}

TEST(Relocation, Words) {
  Code code;
  uint64_t word = 0;
  for (const auto& [machine, absolute, relative] :
       {std::tuple{EM_X86_64, R_X86_64_64, R_X86_64_PC64},
        std::tuple{EM_AARCH64, R_AARCH64_ABS64, R_AARCH64_PREL64}}) {
    relocate(machine, absolute, code.bytes + 16, 0x123456789abcdef0);
    std::memcpy(&word, code.bytes + 16, sizeof word);
    EXPECT_EQ(word, 0x123456789abcdef0U);
    relocate(machine, relative, code.bytes + 16, code.address(16) - (uint64_t{1} << 40));
    std::memcpy(&word, code.bytes + 16, sizeof word);
    EXPECT_EQ(static_cast<int64_t>(word), -(int64_t{1} << 40));
  }
}

TEST(Relocation, ArmCalls) {
  Code code;
  // bl .+0x100; b .-4
  EXPECT_EQ(code.relocated(EM_AARCH64, R_AARCH64_CALL26, 0x94000000, code.address(0x108)),
            0x94000040U);
  EXPECT_EQ(code.relocated(EM_AARCH64, R_AARCH64_JUMP26, 0x14000000, code.address(4)), 0x17ffffffU);
  EXPECT_THROW(
      code.relocated(EM_AARCH64, R_AARCH64_CALL26, 0x94000000, code.address(8) + (1 << 27)), Error);
}

TEST(Relocation, ArmPages) {
  Code code;
  // adrp x3, of this page, the next but four, and the one before
  for (const uint32_t type : {R_AARCH64_ADR_PREL_PG_HI21, R_AARCH64_ADR_GOT_PAGE}) {
    EXPECT_EQ(code.relocated(EM_AARCH64, type, 0x90000003, code.address(0xff0)), 0x90000003U);
    EXPECT_EQ(code.relocated(EM_AARCH64, type, 0x90000003, code.address(0x5008)), 0xb0000023U);
    EXPECT_EQ(code.relocated(EM_AARCH64, type, 0x90000003, code.address(0) - 1), 0xf0ffffe3U);
  }
}

TEST(Relocation, ArmPageOffsets) {
  Code code;
  const uint64_t target = code.address(0x5230);
  // add x3, x3, #0x230; ldr of a byte, 16, 32, 64 and 128 bits from [x3, #0x230]
  EXPECT_EQ(code.relocated(EM_AARCH64, R_AARCH64_ADD_ABS_LO12_NC, 0x91000063, target), 0x9108c063U);
  EXPECT_EQ(code.relocated(EM_AARCH64, R_AARCH64_LDST8_ABS_LO12_NC, 0x39400063, target),
            0x3948c063U);
  EXPECT_EQ(code.relocated(EM_AARCH64, R_AARCH64_LDST16_ABS_LO12_NC, 0x79400063, target),
            0x79446063U);
  EXPECT_EQ(code.relocated(EM_AARCH64, R_AARCH64_LDST32_ABS_LO12_NC, 0xbd400060, target),
            0xbd423060U);
  EXPECT_EQ(code.relocated(EM_AARCH64, R_AARCH64_LD64_GOT_LO12_NC, 0xf9400063, target),
            0xf9411863U);
  EXPECT_EQ(code.relocated(EM_AARCH64, R_AARCH64_LDST128_ABS_LO12_NC, 0x3dc00060, target),
            0x3dc08c60U);
  EXPECT_THROW(code.relocated(EM_AARCH64, R_AARCH64_LDST128_ABS_LO12_NC, 0x3dc00060, target + 8),
               Error);
}

TEST(Relocation, References) {
  EXPECT_EQ(referenceOf(EM_X86_64, R_X86_64_PLT32), Reference::Value);
  EXPECT_EQ(referenceOf(EM_X86_64, R_X86_64_REX_GOTPCRELX), Reference::Slot);
  EXPECT_EQ(referenceOf(EM_AARCH64, R_AARCH64_CALL26), Reference::Value);
  EXPECT_EQ(referenceOf(EM_AARCH64, R_AARCH64_LD64_GOT_LO12_NC), Reference::Slot);
  EXPECT_THROW(referenceOf(EM_X86_64, R_X86_64_32), Error);
  EXPECT_THROW(referenceOf(EM_AARCH64, R_AARCH64_TLSDESC), Error);
  EXPECT_THROW(referenceOf(EM_RISCV, 1), Error);
}

}  // namespace
}  // namespace nvfuser::cpu
